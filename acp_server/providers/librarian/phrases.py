"""The forms in which people ask, as tables. `_` in a form stands for white space; case never matters.

A form is tried with `match` on the person's words once greetings and courtesies are gone, so each is anchored
at its start. Groups: `text` is what is to be kept, `name` a note's name, `x` what is looked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

Forms = tuple[re.Pattern[str], ...]


def form(pattern: str) -> re.Pattern[str]:
    """One form, compiled."""
    return re.compile(pattern.replace("_", r"\s+"), re.IGNORECASE | re.DOTALL)


def forms(patterns: Iterable[str]) -> Forms:
    """Several forms, in the order in which they are tried."""
    return tuple(form(pattern) for pattern in patterns)


QUOTED = r"(?:`[^`\n]{1,200}`|\"[^\"\n]{1,200}\"|“[^”\n]{1,200}”|'[^'\n]{1,200}'|«[^»\n]{1,200}»)"
FILE = r"(?:[^\s`\"'“”:,;()]+\.md\b|`[^`\n]{1,200}\.md`|\"[^\"\n]{1,200}\.md\"|'[^'\n]{1,200}\.md')"
SLUG = r"(?=[\w./-]*[-/\x5f])\w[\w./-]*\w"
_THE = r"(?:the_|a_|an_|my_|our_|your_|that_|this_)?"
MEMORY = r"(?:the_|your_|our_|my_|project_|this_project's_|long-term_|shared_)*(?:memory|memories|notes|notebook)"
ABOUT = r"(?:about|on|regarding|concerning|for|of|related_to|relating_to|mentioning|covering|around|with)"
_NOTE = (
    r"(?:a_|an_|another_|one_more_|the_following_|yourself_an?_|me_an?_|us_an?_)?"
    r"(?:new_|quick_|short_|little_|brief_|small_|mental_|permanent_|memory_|project_)*note"
)
_SEP = r"(?:\s*[:,;—–]+\s*|\s+-+\s+)"
_SAYING = (
    r"(?:that_says|that_reads|which_says|saying_that|saying|stating_that|stating|containing|to_say|"
    r"with(?:_the)?(?:_(?:text|content|contents|body|line))?|and_write|that)"
)
_LATER = r"(?:_for_(?:later|next_time|the_future|future_\w+|me|us|yourself|the_team|everyone|the_record))?"
_THIS = r"(?:this|that|it|these|the_following)"

GREETINGS = form(
    r"(?:hi|hiya|hello|hey|yo|good_(?:morning|afternoon|evening)|ok|okay|alright|right|great|perfect|cool|"
    r"nice|thanks|"
    r"thank_you|so|well|also|now|and|then|oh|um+|uh+|hm+|one_more_thing|by_the_way|btw|quick_question|"
    r"question|"
    r"actually|first|firstly|next|finally|lastly|before_I_forget|caudra|assistant|librarian|agent|yes|yeah|"
    r"sure|"
    r"sorry|wait)\b(?:_(?:there|again|caudra|librarian|everyone|all|so_much))?(?:[,!.:;…—–-]+\s*|\s+)(?=\S)"
)
COURTESIES = form(
    r"(?:please|pls|plz|kindly|just|simply|quickly|go_ahead_and|maybe|perhaps|do_me_a_favou?r(?:_and|[,:])|"
    r"be_so_kind_"
    r"(?:as_to|and)|let's(?!_not)|let_us(?!_not)|always(?=_(?:remember|keep_in))|(?:you_(?:should|must|"
    r"need_to|have_to|"
    r"may_want_to|might_want_to))|I(?:'d|_would)_(?:like|love|want)_(?:for_)?(?:you_)?to|I_(?:want|need)_"
    r"(?:for_)?"
    r"(?:you_)?to|(?:make|be)_sure_(?:that_)?(?:you_|to_)?(?=remember|note|keep|save|record|not_to_forget)|"
    r"try_to"
    r"(?=_remember)|(?:I|we)_(?:should|must|need_to|have_to|ought_to|want_to)_(?:also_|all_)?(?=remember_"
    r"that|note_that|"
    r"remember_to|keep_in_mind|write_down|make_a_note|not_forget)|help_me(?:_to)?(?=_(?:remember|find|"
    r"search|recall))|"
    r"I(?:'d|_would)_be_(?:glad|happy|grateful)_if_you_(?:could_|would_)?|it(?:'d|_would)_be_(?:great|nice|"
    r"good|lovely|"
    r"helpful)_if_you_(?:could|would|can)|I(?:'d|_would)_appreciate_it_if_you_(?:could|would))\b[,:]?_"
)
QUESTIONS_OF_COURTESY = form(
    r"(?:(?:would|do)_you_mind|(?:could|can|would|will|won't|can't|couldn't|might)_(?:you|u|ya)(?:_"
    r"(?:please|pls|kindly|just|maybe|possibly|"
    r"also|quickly|help_me(?:_to)?|be_so_kind_(?:as_to|and)|do_me_a_favou?r_and|go_ahead_and))*|are_you_"
    r"able_to|"
    r"is_it_possible_to|(?:is_there_)?any_chance_you_(?:could|can)|"
    r"(?:can|could|may|might)_(?:I|we)_(?:please_)?(?=(?:see|view|look|read|get|have|ask)\b))[,]?_"
)
ENDINGS = form(
    r".*?(?P<tail>[\s,.!—–-]+(?:please|pls|plz|thanks|thank_you|thx|ty|cheers|will_you|would_you|if_you_"
    r"(?:can|could|"
    r"would|please|don't_mind)|when_you_(?:can|have_time|get_a_chance)|a_lot|so_much|in_advance)[\s.!?]*)$"
)
GERUNDS = {
    "remembering": "remember",
    "noting": "note",
    "saving": "save",
    "storing": "store",
    "searching": "search",
    "looking": "look",
    "reading": "read",
    "opening": "open",
    "showing": "show",
    "deleting": "delete",
    "removing": "remove",
    "making": "make",
    "writing": "write",
    "recording": "record",
    "jotting": "jot",
    "checking": "check",
    "finding": "find",
    "telling": "tell",
    "reminding": "remind",
    "updating": "update",
    "adding": "add",
    "expanding": "expand",
    "zooming": "zoom",
    "rewriting": "rewrite",
    "changing": "change",
    "keeping": "keep",
    "giving": "give",
}

LET_IT_BE = form(
    r"(?:forget_(?:it|about_it|that_I_asked)|never\s*mind|nvm|cancel(?:_that)?|stop|nothing|skip_(?:it|"
    r"that)|no|nope|"
    r"leave_it|no_thanks?|no_thank_you)[.!]*$"
)
HANDS_OFF = form(
    r"(?:(?:please_)?(?:don't|dont|do_not|never|let's_not|no_need_to|you_(?:needn't|don't_(?:need|have)_to|"
    r"shouldn't|must_not|mustn't))_(?:ever_)?(?:bother_to_)?"
    r"(?:(?:remember|memori[sz]e|save|store|note|write|record|keep|add|log|put|update|rewrite|change|"
    r"overwrite|delete|"
    r"remove|drop|erase)\b(?!_(?:where|what|who|how|why|when|which|if|whether)\b)|(?:make|take)_(?:a_|any_"
    r")?notes?\b))"
)
FORGET = form(r"(?:forget|unlearn|unremember)(?:_|$|[.!:,])")
ASK_NOT_ACT = form(
    r"how_(?:(?:do|can|could|would|should)_(?:I|we|you|one)|to)_(?:delete|remove|forget|save|write|make|"
    r"add|create|search|"
    r"read|zoom|open|use|edit|undo)_(?:in(?:to)?_)?(?:a_|an_|the_|my_|your_)?(?:notes?|memory|memories|"
    r"lines?|"
    r"entry|entries|things?|something)\b[^.]{0,20}$"
)

_PLAIN_OBJECTS = (
    r"(?!(?:file|files|document|branch|changes?|work|buffer|value|values|errors?|output|page|image|code|"
    r"state|"
    r"result|results|response|call|data|message|commit|progress|session|one)\b)"
)
WRITES = forms(
    (
        rf"(?:make|create|write|add|save|leave|take|start|open|drop|keep|have)_{_NOTE}_(?:called|named|"
        r"titled|with_the_"
        rf"(?:name|title))_(?P<name>{QUOTED}|[\w./-]+?)(?:{_SEP}|_{_SAYING}\s*:?_|\s*\n+)(?P<text>\S.*)",
        rf"(?:new_note_(?:called_|named_)?)(?P<name>{QUOTED}|[\w./-]+?){_SEP}(?P<text>\S.*)",
        rf"(?:write|create|save|make|add|new)_{_THE}(?:new_)?(?:note_|file_)?(?P<name>{FILE})(?:{_SEP}|_"
        rf"{_SAYING}"
        r"\s*:?_|\s*\n+)(?P<text>\S.*)",
        rf"(?:save|write|store|record|put|add|keep|remember|note|log|append|jot|insert)(?:_{_THIS})?(?:_"
        r"down)?_(?:as|in|"
        rf"to|under|into)_{_THE}(?:new_)?(?:note_)?(?:called_|named_)?(?P<name>{FILE})(?:_note)?(?:{_SEP}|_"
        r"that_|\s*\n+)"
        r"(?P<text>\S.*)",
        rf"(?:save|write|store|record|keep|remember|note)_{_THIS}(?:_down)?_(?:as|under)_{_THE}(?:new_"
        r")?(?:note_)?"
        rf"(?:called_|named_)?(?P<name>{QUOTED}|[\w./-]+?)(?:_note)?{_SEP}(?P<text>\S.*)",
        rf"(?:add|append|write|note|remember|put|insert)(?:_{_THIS})?_(?:in|to|into|under)_(?:the_|our_|my_|"
        r"your_)"
        rf"(?:note_(?:called_|named_)?(?P<name>[\w./-]+?)|(?P<other>[^:\n]{{2,60}}?)_note)(?:{_SEP}|_that_|"
        r"\s*\n+)"
        r"(?P<text>\S.*)",
        r"(?:save|write|store|record|put|add|append|insert|log|note|jot)(?:_down)?_(?P<text>\S.*?)_(?:as|"
        r"in|to|into|"
        rf"under|at_the_end_of)_{_THE}(?:note_)?(?:called_|named_)?(?P<name>{FILE})(?:_note)?[.!]*$",
        r"(?:put|add|append|insert|write)_(?P<text>\S.*?)_(?:in|to|into|at_the_end_of)_(?:the_|our_|my_|"
        r"your_)"
        r"(?:note_(?:called_|named_)(?P<name>[\w./-]+)|(?P<other>[\w ./-]{2,60}?)_note)[.!]*$",
        r"(?:note_to_self|quick_note|new_note|memo|note|for_the_record|for_(?:the_)?future_reference|for_"
        r"(?:later|next_"
        r"time|future_sessions)|something_to_remember|to_remember|a_note|memory_note|remember|please_note|"
        r"fyi_for_"
        rf"(?:later|next_time|the_future|future_sessions))(?:{_SEP}|\s*\n+)(?:that_)?(?P<text>\S.*)",
        r"(?:for_the_record|for_future_reference|note_to_self)_(?:that_)?(?P<text>\S.*)",
        rf"(?:add|save|put|store|commit|write|log|record|keep|note|stick|file)(?:_{_THIS})?(?:_down)?_(?:to|"
        r"in|into)_"
        rf"{MEMORY}(?:{_SEP}|_that_|_|\s*\n+)(?:that_)?(?P<text>\S.*)",
        r"(?:add|save|put|store|commit|write|log|record|keep|remember|note|stick|jot)(?:_down)?_(?:that_"
        r")?(?P<text>\S.*?)"
        rf"_(?:to|in|into)_{MEMORY}(?:_please)?[.!]*$",
        r"(?:make|take|write|leave|add|create|jot_down|drop|keep|put|record|save|store|file|start|do)_"
        rf"{_NOTE}(?:_down)?"
        rf"{_LATER}(?:{_SEP}|\s*\n+|_(?:that_|of_the_fact_that_|of_how_|of_|about_|on_|to_|regarding_"
        r")?(?:(?:saying|"
        r"stating|which_says|that_says)_(?:that_)?)?)(?:that_)?(?P<text>\S.*)",
        rf"(?:note|jot|write|put|get|take|scribble|mark)(?:_{_THIS})?_down{_LATER}(?:{_SEP}|\s*\n+|_"
        r")(?:that_)?"
        r"(?P<text>\S.*)",
        r"(?:remember|memori[sz]e|keep_in_mind|bear_in_mind|note|take_note|make_note|keep_a_note|keep_"
        r"track|keep_note|"
        r"put_on_record|let_it_be_(?:known|noted|remembered)|let_the_record_show)[,:]?_(?:of_)?(?:the_fact_"
        r")?that[,:]?_"
        r"(?P<text>\S.*)",
        r"(?:record|save|store|log|document|track|learn|commit_to_memory|keep)_(?:the_fact_)?that_"
        rf"{_PLAIN_OBJECTS}"
        r"(?P<text>\S.*)",
        r"(?:remember|memori[sz]e|keep_in_mind|save|store|record|note|log|write|learn)(?:_in_mind)?_"
        rf"{_THIS}"
        r"(?!_(?:file|code|buffer|document|page|branch)\b)(?:_\w+){0,4}?(?:\s*[:—–]+\s*|\s*\n+|_-+_"
        r")(?P<text>\S.*)",
        r"(?:don't|dont|do_not|never|let's_not|let_us_not|not_to|not|we_(?:must_not|mustn't|shouldn't))_"
        r"(?:ever_)?"
        r"(?:let_(?:me|us)_)?forget[,:]?_(?:about_|that_|to_)?(?P<text>\S.*)",
        r"(?:keep|bear)_(?:it_)?in_mind(?:[,:—–-]+\s*|_)(?:that_)?(?P<text>\S.*)",
        r"(?:keep|bear)_(?P<text>\S.*?)_in_mind\b[^?]{0,20}$",
        r"commit_(?P<text>\S.*?)_to_memory[.!]*$",
        r"it(?:'s|_is)_(?:important|worth|useful|good|vital|crucial|essential)_(?:to_)?(?:remember(?:ing)?|"
        r"not(?:e|ing)|"
        r"keep(?:ing)?_in_mind)[,:]?_(?:that_)?(?P<text>\S.*)",
        r"worth_(?:remembering|noting|keeping_in_mind)[,:]?_(?:that_)?(?P<text>\S.*)",
        r"(?:remember|memori[sz]e)(?:_to|[,:—–-]+)?_(?P<text>\S.*)",
        r"(?:take_note|make_note)(?:[,:—–-]+\s*|_(?:of_)?)(?P<text>\S.*)",
        r"note_(?P<text>(?:the|our|we|all|my)_\S.*\b(?:is|are|has|have|must|should|need|needs|uses|runs|"
        r"lives|can't|"
        r"cannot|can|won't|never|always|rotates?|expires?)_\S.*)",
    )
)
TRAILING = form(
    r"(?P<text>\S.{6,}?)(?:[.;,!…]+\s+|\s*\n+\s*|\s*[—–]+\s*|_-+_)(?P<lead>(?:and_|so_|please_|pls_|"
    r"could_you_|can_you_|"
    r"would_you_|will_you_|just_|you_should_|do_)*)(?:(?:remember|note|save|store|keep|record|memori[sz]e|"
    r"write|log|jot)_"
    rf"{_THIS}|(?:make|take)_(?:a_)?note(?:_of_{_THIS})?|(?:don't|do_not|never)_forget(?:_{_THIS})?|(?:put|"
    r"add|commit)_"
    rf"{_THIS})(?:_(?:down|in_mind|please|for_(?:me|us|later|next_time|future_\w+|the_future|the_next_"
    r"session)|"
    rf"(?:in|to|into)_{MEMORY}))*[.!?]*$"
)
NEEDS_TEXT = form(
    rf"(?:(?:remember|save|note|store|record|write|memori[sz]e|keep|jot)(?:_{_THIS})?(?:_down)?(?:_(?:to|"
    rf"in)_{MEMORY})?|"
    rf"(?:make|take|write|add|create|leave)_{_NOTE}(?:_of_{_THIS})?|add_(?:{_THIS}_)?to_{MEMORY}|"
    r"remember_what_I_(?:just_)?(?:said|told_you|wrote))[.!:?]*$"
)

_REWRITE = r"(?:rewrite|replace|overwrite|change|set|redo|revise|correct|fix|edit|update|turn|amend|modify|make)"
_TO_SAY = (
    r"(?:to_say(?:_that)?|to_read|so_(?:that_)?it_(?:now_)?(?:says|reads)(?:_that)?|saying(?:_that)?|to_"
    r"state_that|"
    r"to_be|say|to_contain|to_(?:mention|note)_that)"
)
SUBSTITUTES = forms(
    (
        rf"(?:change|replace|swap|correct|fix)_(?P<old>{QUOTED}|\S.*?)_(?:to|with|by|for|into)_"
        rf"(?P<new>{QUOTED}|\S.*?)_in_"
        rf"(?P<target>{FILE}|(?:the_)?note_\S.*|(?:the_)\S.*_note)[.!]*$",
        rf"in_(?P<target>{FILE}|(?:the_)?note_[\w./-]+|(?:the_)\S.*?_note)[,:]?_(?:please_)?(?:change|"
        r"replace|swap|correct)_"
        rf"(?P<old>{QUOTED}|\S.*?)_(?:to|with|by|for|into)_(?P<new>{QUOTED}|\S.*?)[.!]*$",
    )
)
REWRITES = forms(
    (
        rf"{_REWRITE}_(?P<target>\S[^:\n]*?)_{_TO_SAY}(?:\s*:\s*|\s*\n+|_)(?P<text>\S.*)",
        r"(?:rewrite|replace|overwrite|change|set|redo|revise|correct)_(?P<target>\S[^:\n]*?)_(?:with|to|"
        r"as|by|using)"
        r"(?:_(?:the_following|this|the_text|this_text))?(?:\s*:\s*|\s*\n+|_)(?P<text>\S.*)",
        r"(?:rewrite|replace|overwrite|redo|revise)_(?P<target>\S[^:\n]*?)(?:\s*:\s*|\s*\n+)(?P<text>\S.*)",
    )
)
EXTENDS = forms(
    (
        r"(?:update|amend|extend|edit|modify|expand|supplement|complete)_(?P<target>\S[^:\n]*?)(?:_(?:with|"
        r"by_adding|to_"
        r"(?:add|include)|and_add|adding|that|to)(?:_(?:the_following|this|that))?(?:\s*:\s*|\s*\n+|_)|"
        r"\s*[:—–]+\s*|"
        r"\s*\n+)(?P<text>\S.*)",
    )
)
RESTORES = forms(
    (
        r"(?:write|put|restore)_(?:back_)?the_(?:text|version|content)_of_entry_#?(?P<seq>\d+)_(?:back_"
        r")?(?:to|in|into|as)_"
        rf"(?:the_)?(?:note_)?(?P<name>{FILE}|{SLUG})(?:_again)?[.!]*$",
        rf"(?:restore|revert|reset|roll_back)_(?:the_)?(?:note_)?(?P<name>{FILE}|{SLUG})_(?:to|from)_(?:the_"
        r")?"
        r"(?:version_(?:of|in)_)?(?:entry|version)_#?(?P<seq>\d+)[.!]*$",
    )
)

DELETE = form(
    r"(?:delete|remove|drop|erase|trash|discard|get_rid_of|throw_(?:away|out)|rm|del|scrap|ditch|bin)_"
    r"(?P<x>\S.*?)[.!]*$"
)
WIPE = form(
    r"(?:delete|remove|drop|erase|trash|discard|get_rid_of|throw_away|rm|clear|wipe|purge|empty|reset|"
    r"destroy|clean)_"
    rf"(?:out_)?(?:everything|all|every_note|(?:all_)?(?:of_)?{MEMORY})\b.*$"
)
DELETE_ENTRY = form(r"(?:delete|remove|drop|erase)_(?:the_)?(?:entry|line|version)_#?\d+\b.*$")
