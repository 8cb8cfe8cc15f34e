"""The forms of looking, asking and small talk, as tables; `phrases.py` tells how a form is written."""

from __future__ import annotations

from acp_server.providers.librarian.phrases import ABOUT, FILE, MEMORY, QUOTED, SLUG, form, forms

ADDRESS = r"[`\"']?(?P<id>\d{1,18})\s*\+\s*(?P<n>\d{1,18})[`\"']?"
_OPEN = (
    r"(?:open|zoom|expand|unfold|unfurl|show|read|view|see|look|drill|dig|display|go|inspect|explode|explore|get|"
    r"give|print|list|check|fetch|let_me_see|pull_up|unpack|break|enter|split|halve)"
)
_LINE_WORDS = (
    r"(?:(?:the_)?(?:summary_|memory_|tree_|view_)?(?:line|summary|address|entry|entries|node|row|range|"
    r"block)_(?:at_)?)?"
)
OPENS = forms(
    (
        rf"{_OPEN}(?:_(?:me|us|up|in|into|on|at|to|down|out|open|what's|what_is|behind|inside|"
        rf"under))*_{_LINE_WORDS}{ADDRESS}(?:_(?:please|in_(?:the_)?(?:memory|view|tree)|for_me|into_.*|of_the_.*|"
        r"and_.*|fully|completely|whole|line|entry))?[.!?]*$",
        rf"{_OPEN}\s*[:(]\s*{_LINE_WORDS}{ADDRESS}\)?[.!?]*$",
        rf"{_OPEN}(?:_(?:me|us))?(?:_(?:the|both|its|two))*_(?:halves|parts|lines)_of_{_LINE_WORDS}{ADDRESS}[.!?]*$",
        r"(?:what(?:'s|_is|_was|_does|_do|_lies)|tell_me_what(?:'s|_is)?)_(?:in|behind|inside|under|within|at|"
        rf"covered_by|hidden_in)?\s*{_LINE_WORDS}{ADDRESS}_(?:about|say|says|hold|holds|cover|covers|contain|contains|"
        r"made_of|summari[sz]e|summari[sz]es|mean|means|made_from)\b[^?]*[.!?]*$",
        r"(?:(?:tell|show)_me_)?what(?:'s|_is|_was|_lies|_are)_(?:(?:the_)?(?:halves|lines|parts|contents?)_of|in|"
        rf"behind|inside|under|within|at|covered_by|hidden_in)_{_LINE_WORDS}{ADDRESS}[.!?]*$",
        rf"(?:line_|address_|zoom_|entry_)?{ADDRESS}[.!?]*$",
        r"(?:zoom|open|expand)(?:_(?:in|into|on|to|up))*_(?:the_)?(?:line_)?(?:with_|at_"
        r")?id\s*[=:]?\s*(?P<id>\d{1,18})(?:,|_and|)\s*n\s*[=:]?\s*(?P<n>\d{1,18})[.!?]*$",
        rf"{_OPEN}(?:_(?:me|us|up|in|into|on|at|to|open))*_(?:the_)?(?:journal_|memory_)?entry_(?:number_|no\.?_|"
        r"nr\.?_)?#?(?P<id>\d{1,18})(?:_(?:please|again|whole|in_full|of_the_(?:memory|journal)))?[.!?]*$",
        r"what(?:'s|_is|_was|_does|_did)_(?:in_)?(?:the_)?(?:journal_)?entry_(?:number_)?#?(?P<id>\d{1,18})(?:_"
        r"(?:say|about|hold|contain))?[.!?]*$",
        r"(?:(?:the_)?(?:details|text|content|contents)_of_)?(?:the_)?entry_(?:number_)?#?(?P<id>\d{1,18})[.!?]*$",
        r"zoom(?:_(?:in|into|on|to))*_#?(?P<id>\d{1,18})[.!?]*$",
    )
)

_VIEW_NOUN = (
    r"(?:(?:the|your|my|our|this|project|project's|this_project's|current|whole|entire|full|live|complete|memory|all|"
    r"of|latest)_)*(?:memory|memories|notes|view|outline|overview|tree|memory_index|list_of_notes|note_list|"
    r"knowledge)(?:_(?:view|outline|tree|overview|lines))?"
)
_VIEW_TAIL = (
    r"(?:_(?:again|now|at_a_glance|so_far|right_now|at_the_moment|currently|please|you_have|we_have|you_know|"
    r"of_(?:the|this|our)_project|for_(?:this|the)_project|about_(?:this|the|our)_(?:project|repo|repository|"
    r"codebase)|in_(?:the_|your_)?memory|stored|saved|there_are|from_(?:the_)?(?:beginning|start)|as_it_(?:is|"
    r"stands)(?:_now)?|of_(?:the|your|our)_(?:memory|notes)))*[.!?]*$"
)
_KNOWLEDGE_TAIL = (
    r"(?:_(?:so_far|about_(?:this|the|our|my)_(?:project|repo|repository|codebase|code_base|workspace)|about_us|now|"
    r"already|in_(?:your|our|the)_notes|in_general|from_(?:before|earlier|last_time|previous_sessions|"
    r"earlier_sessions)|in_(?:the_|your_)?memory|overall))*[.!?]*$"
)
VIEWS = forms(
    (
        r"(?:do_(?:you|we)_(?:have|know|remember)|are_there|is_there|have_(?:you|we)_got)_(?:any_notes|anything|"
        rf"notes)(?:_yet|_at_all)?{_KNOWLEDGE_TAIL}",
        rf"any_notes{_KNOWLEDGE_TAIL}",
        r"how_many_entries_.*(?:memory|journal|view)[.!?]*$",
        r"(?:give|show)_(?:me|us)_an?_(?:overview|outline|summary|list)_of_(?:everything|all)(?:_(?:you|we)_(?:know|"
        rf"have))?{_KNOWLEDGE_TAIL}",
        r"(?:show|tell|list|give|display|print|dump|see)_(?:me_|us_)?(?:everything|all|what(?:'s|_is)(?:_all|"
        r"_there)?|what_(?:you|we)_(?:know|remember|have))(?:_(?:stored|there|saved|kept))?(?:_in_"
        rf"{MEMORY})?{_KNOWLEDGE_TAIL}",
        r"(?:show|view|display|print|see|list|open|give|dump|get|render|let_me_see|look_at|have_a_look_at|"
        r"take_a_look_at|refresh|check|pull_up|bring_up|read|summari[sz]e)(?:_(?:me|us|up|out))?_"
        rf"{_VIEW_NOUN}{_VIEW_TAIL}",
        rf"(?:the_)?{_VIEW_NOUN}{_VIEW_TAIL}",
        r"what(?:'s|_is|_are)_(?:currently_|all_|there_)?(?:in|inside|on|stored_in|saved_in|"
        rf"kept_in)_{_VIEW_NOUN}{_VIEW_TAIL}",
        rf"(?:what_does|how_does)_{_VIEW_NOUN}_(?:look(?:_like)?|contain|hold|say)(?:_now|_right_now)?[.!?]*$",
        r"(?:and_)?what_(?:all_)?do_(?:you|we)_(?:already_|currently_|actually_)?(?:know|remember|"
        rf"have){_KNOWLEDGE_TAIL}",
        r"what_(?:all_)?have_(?:you|we)_(?:already_)?(?:learn(?:ed|t)|remembered|saved|noted|stored|kept|"
        rf"written_down|got){_KNOWLEDGE_TAIL}",
        r"(?:which|what)_notes_(?:exist|are_there|do_(?:you|we)_have|have_(?:you|we)(?:_got)?|are_(?:stored|saved|"
        rf"in_memory)){_KNOWLEDGE_TAIL}",
        r"(?:(?:tell|show|give|list)_(?:me|us)|list|show|print)_(?:what|everything|all)(?:_that|_what)?_(?:you|we)_(?:know|remember|have_(?:saved|stored|"
        rf"noted|learned)|have){_KNOWLEDGE_TAIL}",
        r"how_(?:big|full|large|long)_is_(?:the_|your_)?(?:memory|view)[.!?]*$",
        r"how_many_notes(?:_(?:are_there|do_(?:we|you)_have|exist|are_(?:stored|saved)))?(?:_in_(?:the_|"
        r"your_)?memory)?[.!?]*$",
        r"(?:give|show|make|print)(?:_me|_us)?(?:_an?|_the)?_(?:overview|outline|summary|list)(?:_of_(?:the_|your_|our_|all_|my_)*(?:memory|"
        r"memories|notes))?[.!?]*$",
        r"(?:an_)?overview[.!?]*$",
        r"(?:everything|all|what)(?:_that)?_(?:you|we)_(?:know|remember|have_(?:saved|stored|noted|"
        rf"learned)){_KNOWLEDGE_TAIL}",
        r"what_(?:notes|things|facts)_(?:do|have|did)_(?:you|we)_(?:currently_|already_)?(?:have|remember|know|got|"
        rf"remembered|saved|stored|keep){_KNOWLEDGE_TAIL}",
        rf"what_did_(?:you|we)_(?:remember|save|store|note|learn|keep){_KNOWLEDGE_TAIL}",
        rf"(?:show|tell)_(?:me|us)_(?:how|what)_{_VIEW_NOUN}_looks?(?:_like)?[.!?]*$",
        rf"(?:show|display|give|print)_(?:me_|us_)?the_(?:current_)?(?:state|contents?)_of_{_VIEW_NOUN}{_VIEW_TAIL}",
    )
)

MENTIONED_LINE = form(rf"[^+]*?(?<![\w.]){ADDRESS}(?![\w.])[^+]*$")
SUM = form(rf"(?:what(?:'s|_is)|how_much_is|calculate|compute|add|sum|evaluate)?\s*{ADDRESS}\s*[=?.!]*$")
READ = form(
    r"(?:read|show|open|display|print|cat|view|see|get|fetch|pull_up|bring_up|give|let_me_see|let_me_read|look_at|"
    r"load|retrieve|quote|recite|list|check|look_into|inspect|have_a_look_at|take_a_look_at)(?:_(?:me|us|out|up|"
    r"aloud|back))*_(?:(?:the_)?(?:full_|whole_|entire_|complete_|current_|exact_)*(?:text|contents?|body|"
    r"version)_of_)?(?P<x>\S.*?)(?:_(?:to_me|out_loud|aloud|in_full|again|for_me))*[.!?]*$"
)
READ_QUESTIONS = forms(
    (
        rf"what_(?:exactly_)?(?:does|did|do)_(?P<x>{FILE}|(?:the_|our_|my_|your_)?(?:note_(?:called_|"
        rf"named_)?)(?:{QUOTED}|[\w./-]+)|(?:the_|our_|my_)[^?]{{2,60}}?_note)_(?:say|contain|hold|read|look_like|"
        r"tell|cover)\b[^?]*[?.!]*$",
        rf"what(?:_exactly|_precisely)?(?:'s|_is|_was|_stands|_are)_(?:exactly_|actually_)?(?:written_|the_contents?_)?(?:in|inside|of)_(?P<x>{FILE}|(?:the_|our_|"
        rf"my_|your_)?(?:note_(?:called_|named_)?)(?:{QUOTED}|[\w./-]+)|(?:the_|our_|my_)[^?]{{2,60}}?_note)[?.!]*$",
        r"(?:what(?:'s|_is|_are)_)?(?:the_)?(?:full_|whole_|current_)?(?:contents?|text)_of_(?:the_note_"
        rf")?(?P<x>{FILE})[?.!]*$",
        rf"(?:tell|show)_(?:me|us)_what(?:'s|_is|_stands)?(?:_(?:in|written_in))?_(?P<x>{FILE})(?:_(?:says|holds|"
        r"contains))?[?.!]*$",
        rf"(?P<x>{FILE}|(?:the_)?note_(?:called_|named_)?(?:{QUOTED}|{SLUG}))[?.!]*$",
        rf"(?:go|take_me|jump|switch)_to_(?P<x>{FILE})[?.!]*$",
    )
)
SHOW_ANY = form(r"(?:show|give|get|fetch|pull_up|bring_up)_(?:me|us)_(?P<x>\S.*?)[.!?]*$")

_THINGS = (
    r"(?:anything_|everything_|something_|all_|any_|some_|the_|a_|notes?_|info_|information_|details_|stuff_|"
    r"entries_)*"
)
NOTES_ABOUT = forms(
    (
        r"full[- ]text_search_for_(?P<x>\S.*)",
        r"(?:show|list|give|get)_(?:me_|us_)?(?:everything|anything|all|what_(?:you|we)_(?:know|"
        rf"have))_{ABOUT}_(?P<x>\S.*)",
        r"(?:show|list|give|get|fetch|read|open|display|pull_up|see)_(?:me_|us_)?(?:all_|any_|the_|our_|your_|my_|"
        rf"every_)*notes_(?:{ABOUT}|that_mention|that_talk_about|which_mention|we_have_(?:about|on))_(?P<x>\S.*)",
        rf"(?:(?:any|all|our|the|some)_)?notes_{ABOUT}_(?P<x>\S.*)",
    )
)
FINDS = NOTES_ABOUT + forms(
    (
        rf"(?:search|look|check|grep|scan|query|go|dig|browse)_(?:through_|in_|into_|up_|inside_)?{MEMORY}[:,]?_"
        rf"(?:for_|about_|on_|to_see_(?:if|whether)_|if_|whether_)?{_THINGS}(?:{ABOUT}_)?(?P<x>\S.*)",
        rf"(?:search|grep|query|scan)_(?:for_|up_|through_)?{_THINGS}(?:that_mentions?_|{ABOUT}_)?(?P<x>\S.*)",
        r"(?:search|find|grep|lookup|query|look_up)\s*[:,]\s*(?P<x>\S.*)",
        r"\?+_(?P<x>\S.*)",
        r"memory_search[:,]?_(?:for_)?(?P<x>\S.*)",
        rf"look_(?:for|up|through)_{_THINGS}(?:that_mentions?_|{ABOUT}_)?(?P<x>\S.*)",
        rf"(?:find|locate|lookup|hunt_for|dig_up)_(?:me_|us_|out_)?{_THINGS}(?:that_mentions?_|{ABOUT}_)?(?P<x>\S.*)",
        r"(?:do_a_|run_a_|make_a_)?(?:memory_)?search_(?:for|about|on)_(?P<x>\S.*)",
        r"(?:do|run|perform|start)_a_(?:memory_)?search_(?:for|about|on)_(?P<x>\S.*)",
        r"(?:which|what)_notes_(?:mention|talk_about|cover|are_about|deal_with|contain|(?:do_(?:we|you)_have|"
        rf"are_there|exist)_{ABOUT})_(?P<x>\S.*)",
    )
)
_WH = r"(?:what|where|who|whom|whose|how|when|why|which|if|whether)"
ASKS = forms(
    (
        r"(?:what|anything|which_things)_(?:(?:do|did|have|had|does|can|could)_)?(?:we|you|I|the_team|the_memory|"
        r"memory|our_notes|the_notes|your_notes)_(?:\w+_)?(?:know|remember|say|said|decide|decided|note|noted|learn|"
        r"learned|write|written|have|got|find|found|agree|agreed|tell|recall)(?:_(?:so_far|down|to_remember|me|us|"
        rf"you|in_{MEMORY}))*_{ABOUT}_(?P<x>\S.*)",
        rf"what_did_(?:I|we)_(?:tell|ask)_you_(?:to_(?:remember|note|save|keep|store)_)?(?:{ABOUT}_)?(?P<x>\S.*)",
        rf"(?:is|are|was|were)_there_(?:still_)?{_THINGS}(?:in_{MEMORY}_)?(?:{ABOUT}_)(?P<x>\S.*)",
        rf"do_(?:you|we)_(?:still_)?(?:have|know|remember|recall)_{_THINGS}(?:in_{MEMORY}_)?(?:{ABOUT}_)?(?P<x>\S.*)",
        r"(?:have|did)_(?:you|we|I)_(?:ever_|already_)?(?:note|noted|save|saved|write|written|wrote|store|stored|"
        r"remember|remembered|record|recorded|keep|kept|mention|mentioned|learn|learned|tell|told)(?:_(?:down|"
        rf"you))?_{_THINGS}(?:{ABOUT}_)?(?P<x>\S.*)",
        r"(?:(?:you_)?(?:got|have)_)?(?:anything|something|everything|info|information|details|knowledge|thoughts|ideas)_(?:\w+_"
        rf"){{0,3}}?{ABOUT}_(?P<x>\S.*)",
        r"(?:any|some)_(?:notes?|info|information|memory|memories|ideas?|knowledge|thoughts|details|"
        rf"clue)_(?:{ABOUT}_)?(?P<x>\S.*)",
        r"(?:(?:tell|remind|inform|brief|update)_(?:me|us)|tell)_(?:again_)?(?:everything_|all_|anything_|more_|"
        rf"something_)?(?:what_(?:you|we)_(?:know|have|remember)_)?{ABOUT}_(?P<x>\S.*)",
        rf"(?:tell|remind|show|explain_to)_(?:me|us)_(?:again_)?(?P<x>{_WH}_\S.*)",
        r"tell_(?:me|us)_(?:again_)?(?P<x>(?:the|our|my|your)_\S.*)",
        rf"(?:recall|explain|describe|clarify)_(?:to_me_)?(?:again_)?(?:everything_)?(?:what_we_know_)?(?:{ABOUT}_"
        r")?(?P<x>\S.*)",
        r"(?:see|check|find_out|look)_(?:if|whether|what|where|how|who|when)_(?P<x>\S.*)",
        r"(?:I_|we_)?(?:totally_|completely_|just_)?(?:forgot|forget|can't_remember|cannot_remember|can_not_remember|"
        r"don't_remember|dont_remember|do_not_remember|couldn't_remember|don't_recall|do_not_recall|can't_recall|"
        r"cannot_recall|don't_know|no_longer_(?:know|remember)|never_remember|don't_quite_remember)_(?:anymore_"
        r")?(?:anything_)?(?:about_)?(?P<x>\S.*)",
        r"I(?:_have|'ve)_(?:totally_|completely_)?forgotten_(?P<x>\S.*)",
        r"I_keep_forgetting_(?P<x>\S.*)",
        r"I(?:_am|'m|_was)_(?:wondering|trying_to_(?:remember|recall|find)|looking_for|curious|not_sure|"
        r"unsure)_(?:about_)?(?P<x>\S.*)",
        r"(?:I|we)_need_(?P<x>(?:the|our|some|info|information)_\S.*)",
        rf"I_(?:wonder|want_to_know|need_to_know|would_like_to_know|was_told)_(?:about_)?(?P<x>{_WH}_\S.*)",
        r"I'd_(?:like|love)_to_know_(?:about_)?(?P<x>\S.*)",
        rf"know_(?:if_|whether_)?(?P<x>{_WH}_\S.*|about_\S.*)",
        rf"(?:remember|recall|note)_(?P<x>(?:{_WH}|anything|something|the_time)_\S[^:]*)$",
        rf"refresh_my_memory_(?:{ABOUT}_)?(?P<x>\S.*)",
        rf"jog_my_memory_(?:{ABOUT}_)?(?P<x>\S.*)",
    )
)
QUESTION = form(
    r"(?:what|what's|where|where's|who|who's|whom|whose|how|how's|when|when's|why|which|is|are|was|were|do|does|did|"
    r"has|have|had|can|could|should|would|will|may|might|am|isn't|aren't|doesn't|don't_we|wasn't)\b"
)
IN_MEMORY = form(rf"\s*[,(]?\s*\b(?:in|from|inside|within|out_of)_{MEMORY}\)?[\s?.!]*$")

HELP = form(
    r"(?:help(?:_me)?|\?+|commands?|usage|what_can_(?:you|I)_(?:do|ask|say|help_with)\b.*|"
    r"how_do(?:es)?_(?:I_use_)?(?:this|you|the_memory|memory|it|your_memory)(?:_work)?|how_to_use_(?:this|you)|"
    r"who_are_you|what_are_you|what(?:'s|_is)_your_name|which_model_(?:are_you|is_this)|what_model_(?:are_you|"
    r"is_this)|what_do_you_do|introduce_yourself|what_is_this|what_else_can_you_do)[\s.!?]*$"
)
GREETING = form(
    r"(?:hi|hiya|hello|hey|yo|good_(?:morning|afternoon|evening|night|day)|greetings|hi_there|hello_there|hey_there|"
    r"how_are_you|what's_up|sup|bye|goodbye|see_you(?:_later)?|ciao|test|ping|caudra)\b(?:[\s,]+(?:caudra|there|"
    r"again|librarian|how_are_you|how_are_you_doing|all|everyone|today))*[\s.!?]*$"
)
THANKS = form(
    r"(?:(?:many_|ok_|okay_|great_|perfect_)?(?:thanks|thank_you|thx|ty|cheers|much_appreciated|"
    r"appreciated))\b[^?]{0,40}$"
)
AGREED = form(
    r"(?:ok|okay|yes|yep|yeah|sure|fine|great|good|perfect|cool|nice|alright|right|got_it|understood|done|good_job|"
    r"well_done|awesome|excellent|lgtm|no_problem|all_good|sounds_good|very_good|wow)[\s.!]*$"
)
REMIND_ME_TO = form(r"remind_(?:me|us)_(?:to|in|at|tomorrow|on|next|every|later)\b")
