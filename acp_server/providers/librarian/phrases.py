"""The forms in which people ask, as tables. `_` in a form stands for white space; case never matters.

A form is tried with `match` on the person's words once greetings and courtesies are gone, so each is anchored
at its start. Groups: `text` is what is to be kept, `name` a note's name, `x` what is looked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

SEEN_LETTERS = 5
"""So many letters of a message's first word are looked for in a form: past them a form may vary (`memori[sz]e`)."""
_FIRST_WORD = re.compile(r"[A-Za-z]+")
_OPEN_START = re.compile(r"\\[SwW]|\[\^|\.[*+{]")


class Form:
    """One form, compiled when it is first needed: a hundred at once would cost the first answer 60 ms.

    Most messages are none of a form's, and their first word shows it: unless the form may begin with anything, that
    word has to stand in it.
    """

    __slots__ = ("_anywhere", "_compiled", "_pattern")

    def __init__(self, pattern: str, *, anywhere: bool) -> None:
        self._pattern = pattern
        self._anywhere = anywhere or _OPEN_START.search(pattern.partition("_")[0]) is not None
        self._compiled: re.Pattern[str] | None = None

    def match(self, text: str) -> re.Match[str] | None:
        """The form at the start of the text."""
        return self._regex.match(text) if self._may_match(text) else None

    def fullmatch(self, text: str) -> re.Match[str] | None:
        """The form as the whole text."""
        return self._regex.fullmatch(text) if self._may_match(text) else None

    def sub(self, instead: str, text: str) -> str:
        """The text with `instead` wherever the form stands."""
        return self._regex.sub(instead, text)

    @property
    def _regex(self) -> re.Pattern[str]:
        if self._compiled is None:
            self._compiled = re.compile(self._pattern.replace("_", r"\s+"), re.IGNORECASE | re.DOTALL)
        return self._compiled

    def _may_match(self, text: str) -> bool:
        first = None if self._anywhere else _FIRST_WORD.match(text)
        return first is None or first[0][:SEEN_LETTERS].lower() in self._pattern.lower()


Forms = tuple[Form, ...]


def form(pattern: str, *, anywhere: bool = False) -> Form:
    """A form from its pattern; `anywhere` where it can begin with any word."""
    return Form(pattern, anywhere=anywhere)


def forms(patterns: Iterable[str]) -> Forms:
    """Several forms, in the order in which they are tried."""
    return tuple(form(pattern) for pattern in patterns)


def either(*patterns: str) -> str:
    """Any one of the patterns, each of which may hold alternatives itself."""
    return "(?:" + "|".join(patterns) + ")"


QUOTED = r"(?:`[^`\n]{1,200}`|\"[^\"\n]{1,200}\"|“[^”\n]{1,200}”|'[^'\n]{1,200}'|«[^»\n]{1,200}»)"
FILE = r"(?:[^\s`\"'“”:,;()]+\.md\b|`[^`\n]{1,200}\.md`|\"[^\"\n]{1,200}\.md\"|'[^'\n]{1,200}\.md')"
SLUG = r"(?=[\w./-]*[-/\x5f])\w[\w./-]*\w"
_THE = r"(?:the_|a_|an_|my_|our_|your_|that_|this_)?"
MEMORY = r"(?:the_|your_|our_|my_|project_|this_project's_|long-term_|shared_)*(?:memory|memories|notes|notebook)"
ABOUT = r"(?:about|on|regarding|concerning|for|of|related_to|relating_to|mentioning|covering|around|with)"
_NOTE = (
    r"(?:a_|an_|another_|one_more_|the_following_|yourself_an?_|me_an?_|us_an?_)?(?:new_|quick_|short_|little_|"
    r"brief_|small_|mental_|permanent_|memory_|project_)*(?:note|memory|memo)"
)
_MAKE = (
    r"(?:make|create|write|add|save|store|leave|take|start|open|drop|keep|have|put|record|file|do|set_up|begin|"
    r"jot_down|draft)"
)
_SEP = r"(?:\s*[:,;—–]+\s*|\s+-+\s+)"
_SAYING = (
    r"(?:that_says|that_reads|which_says|saying_that|saying|stating_that|stating|containing|to_say|"
    r"with(?:_the)?(?:_(?:text|content|contents|body|line))?|and_write|that)"
)
_LATER = r"(?:_for_(?:later|next_time|the_future|future_\w+|me|us|yourself|the_team|everyone|the_record))?"
_THIS = (
    r"(?:(?:this|that|it|these|the_following)(?:_(?:fact|decision|rule|info|information|detail|preference|note|"
    r"one))?)"
)
_FINDING = r"(?:fact|decision|rule|preference|convention|information|info|detail|insight|lesson|finding|learning)"

GREETINGS = form(
    r"(?:(?:dear|hi|hello|hey)_(?:assistant|librarian|caudra|agent)|(?:just_)?(?:a_)?(?:quick|small|short|little)_"
    r"(?:one|thing|favou?r|request)|hi|hiya|hello|hey|yo|good_(?:morning|afternoon|evening)|ok|okay|alright|right|great|perfect|cool|nice|"
    r"thanks|thank_you|so|well|also|now|and|then|oh|um+|uh+|hm+|one_more_thing|by_the_way|btw|quick_question|"
    r"question|actually|first|firstly|next|finally|lastly|important|from_now_on|fyi|heads_up|before_(?:I|we)_forget(?:_it|_this|_again)?|caudra|"
    r"assistant|librarian|agent|yes|yeah|sure|sorry|wait)\b(?:_(?:there|again|caudra|librarian|everyone|all|"
    r"so_much))?(?:\s*[,!.:;…—–-]+\s*|\s+)(?=\S)"
)
COURTESIES = form(
    either(
        r"please|pls|plz|kindly|just|simply|quickly|go_ahead_and|maybe|perhaps|if_you_(?:can|could|would|don't_mind)",
        r"do_me_a_favou?r(?:_and|[,:])|be_so_kind_(?:as_to|and)|(?:let's|lets)(?!_not\b)|let_us(?!_not\b)|feel_free_to",
        r"always(?=_(?:remember|keep_in))|try_to(?=_remember)|help_me(?:_to)?(?=_(?:remember|find|search|recall))",
        r"let_me(?=_(?:see|look|read|view|have|open)\b)|lemme(?=_(?:see|look|read|view)\b)",
        r"(?:I_)?(?:wanna|gotta)|you(?:_will|'ll)?_(?:should|must|need_to|have_to|want_to|may_want_to|might_want_to|can)",
        r"I(?:'d|_would)_(?:like|love|want|prefer)_(?:for_)?(?:you_)?to|I_(?:want|need)_(?:for_)?(?:you_)?to",
        r"(?:make|be)_sure(?:_that)?(?:_you|_we|_I|_to)?(?=_(?:remember|note|keep|save|record|(?:to_)?(?:not_to|"
        r"don't|never)_forget)\b)",
        r"do(?=_(?:remember|note|keep_in|save|memori[sz]e)\b)|you_may|let_me(?=_(?:search|find|look)\b)",
        r"(?:(?:I|we)_(?:should|must|need_to|have_to|ought_to|want_to|had_better)|(?:I|we)'d_better|let_me)(?:_also|"
        r"_all)?(?=_(?:remember_that|remember_to|note_that|note_this|note_down|keep_in_mind|write_down|"
        r"(?:write|jot)_(?:this|that|it)_down|make_a_note|not_forget)\b)",
    )
    + r"\b[,:]?_"
)
ASIDE = form(
    r"(?:\w+[,:]?_){0,2}?before_(?:I|we)_forget(?:_it|_this|_again)?(?:\s*[:—–,-]+\s*|_-_)(?=\S)", anywhere=True
)
"""What introduces something to keep, unless what follows asks for something itself."""
QUESTIONS_OF_COURTESY = form(
    either(
        r"(?:would|do)_you_mind|(?:may|can|could|might)_I_ask_you_to|are_you_able_to|is_it_possible_to|(?:is_there_)?any_chance_you_(?:could|can)",
        r"(?:could|can|would|will|won't|can't|couldn't|might)_(?:you|u|ya)(?:_(?:please|pls|kindly|just|maybe|"
        r"possibly|also|quickly|help_me(?:_to)?|be_so_kind_(?:as_to|and)|do_me_a_favou?r_and|go_ahead_and))*",
        r"(?:can|could|may|might)_(?:I|we)(?:_please)?(?=_(?:see|view|look|read|get|have)\b)",
        r"I(?:'d|_would)_(?:be_(?:\w+_)?(?:glad|happy|grateful|thankful)|appreciate_it)_if_you(?:_could|_would)?",
        r"(?:it(?:'d|_would)|would)_be_(?:\w+_)?(?:great|nice|good|lovely|helpful|kind|useful|cool|wise)_"
        r"(?:if_(?:you|we)(?:_could|_would|_can)?|to(?=_(?:remember|note|keep|save|search|look|find|see|read)\b))",
        r"(?:can|could|shall|should)_we(?:_please)?(?=_(?:note|remember|save|store|keep_in|write_down|make_a_note|"
        r"add_a_note)\b)",
    )
    + r",?_"
)
ENDINGS = form(
    r".*?(?P<tail>[\s,.!—–-]+(?:please|pls|plz|thanks|thank_you|thx|ty|cheers|will_you|would_you|if_you_(?:can|could|"
    r"would|please|don't_mind)|when_you_(?:can|have_time|get_a_chance)|a_lot|so_much|in_advance)[\s.!?]*)$"
)
INTO_THE_PROJECT = form(
    rf"(?!(?:make|take|keep)_{_NOTE}(?:_down)?_that_)(?!(?:\w+_){{1,4}}(?:note|memo)(?:_\w+){{0,3}}\s*[:—–])"
    r"(?:add|insert|append|put|write|make|leave|create)_.*_(?:to|in|into)_(?:the_|our_|this_)?(?:readme|docs?|"
    r"documentation|changelog|code|codebase|file|function|class|ui|page|form|\S+\.(?!md\b)[a-z]{1,5})[.!]*$"
)
BASES = {
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
    "remembered": "remember",
    "noted": "note",
    "saved": "save",
    "stored": "store",
    "kept": "keep",
    "recorded": "record",
    "made": "make",
    "wrote": "write",
    "took": "take",
    "added": "add",
    "updated": "update",
    "changed": "change",
    "replaced": "replace",
    "deleted": "delete",
    "removed": "remove",
    "searched": "search",
    "looked": "look",
    "found": "find",
    "told": "tell",
    "showed": "show",
    "opened": "open",
}
"""Forms of a verb after a courtesy ("would you mind noting", "I'd be glad if you noted") and the one without it."""

CUES = frozenset(
    re.split(
        r"\|",
        "remember|remembered|remembering|reminder|note|notes|noted|noting|memo|memory|mind|forget|fact|memorize|"
        "memorise",
    )
)
"""Words of which one has to stand in a label or a last sentence that asks to keep something."""
LABEL_WORDS = CUES | frozenset(
    re.split(
        r"\|",
        "a|an|one|another|mental|quick|new|short|important|small|thing|something|to|keep|in|for|later|you|me|us|future|the|"
        "this|that|it|here's|here|is|i|i'm|have|telling|so|you'll|will|don't|do|please|pls|plz|add|save|store|record|make|"
        "write|reference|and|of|team|down|following|next|time|session|sessions|just|want|would|like|on|worth|as|should|know|"
        "info|information|detail|more|other|log|jot|leave|put|take|project|our|your|my|could|can|i'd|also|never|now|"
        "somewhere|everyone|let|tell|gotta|yourself|self|with|kindly|us",
    )
)
KEEP_VERBS = frozenset(re.split(r"\|", "remember|note|save|store|keep|record|memorize|memorise|jot|forget"))
POINTERS = frozenset(re.split(r"\|", "this|that|it|please|note"))
LET_IT_BE = form(
    r"(?:forget_(?:it|about_it|that_I_asked)|never\s*mind|nvm|cancel(?:_that)?|stop|nothing|skip_(?:it|that)|no|nope|"
    r"leave_it|no_thanks?|no_thank_you)[.!]*$"
)
HANDS_OFF = form(
    r"(?:(?:please_)?(?:don't|dont|do_not|never|let's_not|no_need_to|you_(?:needn't|don't_(?:need|have)_to|shouldn't|"
    r"must_not|mustn't))_(?:ever_)?(?:bother_to_)?(?:(?:remember|memori[sz]e|save|store|note|write|record|keep|add|"
    r"log|put|update|rewrite|change|overwrite|delete|remove|drop|erase)\b(?!_(?:where|what|who|how|why|when|which|if|"
    r"whether)\b)|(?:make|take)_(?:a_|any_)?notes?\b))"
)
UNDO = form(
    r"(?:undo|revert|roll_back|take_back)(?:_(?:it|that|this|(?:the|your|my)_(?:last_|latest_)?(?:change|write|note|edit|"
    r"delete|deletion|one)))?[.!?]*$"
)
FORGET = form(r"(?:forget|unlearn|unremember)(?:_|$|[.!:,])")
ASK_NOT_ACT = form(
    r"how_(?:(?:do|can|could|would|should)_(?:I|we|you|one)|to)_(?:delete|remove|forget|save|write|make|add|create|"
    r"search|read|zoom|open|use|edit|undo)_(?:in(?:to)?_)?(?:a_|an_|the_|my_|your_)?(?:notes?|memory|memories|lines?|"
    r"entry|entries|things?|something)\b[^.]{0,20}$"
)

_PLAIN_OBJECTS = (
    r"(?!(?:file|files|document|branch|changes?|work|buffer|value|values|errors?|output|page|image|code|state|result|"
    r"results|response|call|data|message|commit|progress|session|one)\b)"
)
WRITES = forms(
    (
        rf"{_MAKE}_{_NOTE}_(?:called|named|titled|entitled|with_the_(?:name|title))_(?P<name>{QUOTED}|[\w./-]+?)(?:{_SEP}|_{_SAYING}\s*:?_|\s*\n+)(?P<text>\S.*)",
        rf"{_MAKE}_{_NOTE}_(?P<name>{QUOTED}){_SEP}(?P<text>\S.*)",
        rf"{_MAKE}_{_NOTE}(?:_down)?_(?:in|to|into|under|as)_{_THE}(?:note_|file_)?(?P<name>{FILE})(?:_note|_file)?"
        rf"(?:{_SEP}|_{_SAYING}\s*:?_|\s*\n+)(?P<text>\S.*)",
        rf"(?:new_note_(?:called_|named_)?)(?P<name>{QUOTED}|[\w./-]+?){_SEP}(?P<text>\S.*)",
        rf"(?:{_MAKE}|new)_{_THE}(?:new_)?(?:note_|file_)?(?P<name>{FILE})(?:_note|_file)?(?:{_SEP}|"
        rf"_{_SAYING}\s*:?_|\s*\n+)(?P<text>\S.*)",
        rf"(?:save|write|store|record|put|add|keep|remember|note|log|append|jot|insert)(?:_{_THIS})?(?:_down)?_(?:as|"
        rf"in|to|under|into)_{_THE}(?:new_)?(?:note_)?(?:called_|named_)?(?P<name>{FILE})(?:_note)?(?:{_SEP}|_that_|"
        r"\s*\n+)(?P<text>\S.*)",
        rf"(?:save|write|store|record|keep|remember|note)_{_THIS}(?:_down)?_(?:as|under)_{_THE}(?:new_)?(?:note_"
        rf")?(?:called_|named_)?(?P<name>{QUOTED}|[\w./-]+?)(?:_note)?{_SEP}(?P<text>\S.*)",
        rf"(?:add|append|write|note|remember|put|insert)(?:_{_THIS})?_(?:in|to|into|under)_(?:the_|our_|my_|"
        rf"your_)(?:note_(?:called_|named_)?(?P<name>[\w./-]+?)|(?P<other>[^:\n]{{2,60}}?)_note)(?:{_SEP}|_that_|"
        r"\s*\n+)(?P<text>\S.*)",
        r"(?:save|write|store|record|put|add|append|insert|log|note|jot)(?:_down)?_(?P<text>\S.*?)_(?:as|in|to|into|"
        rf"under|at_the_end_of)_{_THE}(?:note_)?(?:called_|named_)?(?P<name>{FILE})(?:_note)?[.!]*$",
        r"(?:put|add|append|insert|write)_(?P<text>\S.*?)_(?:in|to|into|at_the_end_of)_(?:the_|our_|my_|"
        r"your_)(?:note_(?:called_|named_)(?P<name>[\w./-]+)|(?P<other>[\w ./-]{2,60}?)_note)[.!]*$",
        r"(?:note_to_self|quick_note|new_note|new_memory|memo|note(?:_for_(?:later|next_time|the_future|future_\w+|"
        r"me|us))?|(?:just_)?so_(?:that_)?you_(?:remember|don't_forget)|for_the_record|for_(?:the_)?future(?:_reference)?|"
        r"for_(?:later|next_time|future_sessions)|something_to_remember|to_remember|a_note|memory_note|remember|"
        rf"please_note|fyi_for_(?:later|next_time|the_future|future_sessions))(?:{_SEP}|\s*\n+)(?:that_"
        r")?(?P<text>\S.*)",
        r"(?:for_the_record|for_future_reference|note_to_self)_(?:that_)?(?P<text>\S.*)",
        rf"(?:add|save|put|store|commit|write|log|record|keep|note|stick|file)(?:_{_THIS})?(?:_down)?_(?:to|in|"
        rf"into)_{MEMORY}(?:{_SEP}|_that_|_|\s*\n+)(?:that_)?(?P<text>\S.*)",
        r"(?:add|save|put|store|commit|write|log|record|keep|remember|note|stick|jot)(?:_down)?_(?:that_"
        rf")?(?P<text>\S.*?)_(?:to|in|into)_{MEMORY}(?:_please)?[.!]*$",
        rf"{_MAKE}_{_NOTE}(?:_down)?{_LATER}(?:_(?:to|in)_{MEMORY})?(?:{_SEP}|\.\s+|\s*\n+|_(?:that|of_the_fact_that|of_how|of|"
        r"about|on|regarding|to(?!_(?:the|our|my|your|a|an|this)\b)|saying|stating|which_says|"
        r"that_says)_)(?:that_)?(?P<text>\S.*)",
        r"(?:record|save|store|log|note|remember|document|write_down|jot_down|keep)_(?:the|this|my|"
        rf"our)_(?:following_)?{_FINDING}(?:{_SEP}|_that_)(?P<text>\S.*)",
        rf"update_{MEMORY}(?:{_SEP}|_(?:with|that|to_say(?:_that)?)_|\s*\n+)(?P<text>\S.*)",
        rf"(?:note|jot|write|put|get|take|scribble|mark)(?:_{_THIS})?_down{_LATER}(?:{_SEP}|\s*\n+|"
        r"_)(?:that_)?(?P<text>\S.*)",
        r"(?:remember|memori[sz]e|keep_in_mind|bear_in_mind|note|take_note|make_note|keep_a_note|keep_track|"
        r"keep_note|keep_a_note_of|put_on_record|(?:store|save|note|remember|keep|record|write)_for_later|"
        r"let_it_be_(?:known|noted|remembered)|let_the_record_show)[,:]?_(?:of_)?(?:the_fact_)?that[,:]?_"
        r"(?P<text>\S.*)",
        r"(?:record|save|store|log|document|track|learn|commit_to_memory|keep)_(?:the_fact_)?that_"
        rf"{_PLAIN_OBJECTS}(?P<text>\S.*)",
        rf"(?:remember|memori[sz]e|keep_in_mind|save|store|record|note|log|write|learn|keep_track_of|take_note_of)(?:_in_mind)?_{_THIS}(?!_"
        r"(?:file|code|buffer|document|page|branch)\b)(?:_\w+){0,4}?(?:\s*[:—–]+\s*|\s*\n+|_-+_)(?P<text>\S.*)",
        r"(?:don't|dont|do_not|don't_you|never|let's_not|let_us_not|not_to|not|(?:we|you|I)_(?:must_not|mustn't|should_not|"
        r"shouldn't))_(?:ever_)?(?:let_(?:me|us)_)?forget[,:]?_(?:about_|that_|to_)?(?P<text>\S.*)",
        r"(?:keep|bear)_(?:it_)?in_mind(?:[,:—–-]+\s*|_)(?:that_)?(?P<text>\S.*)",
        rf"(?:keep|bear)_{_THIS}_in_mind{_LATER}{_SEP}(?P<text>\S.*)",
        r"remember_(?:something|a_thing|one_thing)(?:_(?:for_me|for_us|please))*[?:.!]+\s*(?P<text>\S.*)",
        r"(?:for|to)_(?:your|the|our|my)_(?:memory|memories|notes)\s*:\s*(?P<text>\S.*)",
        r"(?:memory|save|store|memori[sz]e|save_(?:as_)?(?:a_)?note|(?:make|turn)_this_(?:into_)?a_note|"
        r"(?:have_)?(?:this|it)_noted)\s*:\s*(?P<text>\S.*)",
        r"have_(?:it|this)_(?:noted|remembered|recorded)[,:]?_(?:that_)?(?P<text>\S.*)",
        r"(?:I|we)(?:'d|_would)?_(?:like|love|want|prefer|need)_(?:it|this)(?:_to_be)?_(?:noted|remembered|recorded|kept|saved)(?:_down)?"
        r"(?:_in_mind)?(?:\s*[,:]\s*|_)(?:that_)?(?P<text>\S.*)",
        r"(?:n\.?b\.?|nota_bene)(?:\s*[:,—–-]+\s*|_)(?:that_)?(?P<text>\S.*)",
        r"be_aware_and_remember_(?:that_)?(?P<text>\S.*)",
        r"(?:keep|bear)_(?P<text>\S.*?)_in_mind\b[^?]{0,20}$",
        r"commit_(?P<text>\S.*?)_to_memory[.!]*$",
        r"it(?:'s|_is)_(?:important|worth|useful|good|vital|crucial|essential)_(?:to_)?(?:remember(?:ing)?|not(?:e|"
        r"ing)|keep(?:ing)?_in_mind)[,:]?_(?:that_)?(?P<text>\S.*)",
        r"you_(?:remember|don't_forget)\s*:\s*(?P<text>\S.*)",
        r"(?:(?:this|that|it)(?:_is|'s)_)?(?:well_)?worth_(?:remembering|noting|keeping_in_mind)[,:]?_(?:that_"
        r")?(?P<text>\S.*)",
        r"(?:remember|memori[sz]e)(?:_to|[,:—–-]+)?_(?P<text>\S.*)",
        r"(?:take_note|make_note)(?:[,:—–-]+\s*|_(?:of_)?)(?P<text>\S.*)",
        r"note_(?P<text>(?!(?:to|for|of|in|on|at|with|where|what|how|why|when|if|whether|is|are|taking|editor|app|"
        r"model|field|button|card|list|view|page|files?|tool|search|titles?|names?|content|text|ids?|types?|class|"
        r"count|size)\b)\S.*\b(?:is|are|has|have|must|should|need|needs|uses|runs|lives|can't|cannot|can|won't|never|"
        r"always|rotates?|expires?)_\S.*)",
    )
)
TRAILING = form(
    r"(?P<text>\S.{6,}?)(?:[.;,!…]+\s+|\s*\n+\s*|\s*[—–]+\s*|_-+_|\s+\()(?P<lead>(?:and_|so_|please_|pls_|"
    r"could_you_|I_want_you_to_|I'd_like_you_to_|I_would_like_you_to_|can_you_|would_you_|will_you_|just_|"
    rf"you_should_|do_)*)(?:(?:remember|note|save|store|keep|record|memori[sz]e)_{_THIS}|(?:write|log|"
    rf"jot)_{_THIS}_(?:down|(?:in|to|into)_{MEMORY})|(?:make|take)_(?:a_)?note(?:_of_{_THIS})?|(?:don't|do_not|"
    rf"never)_forget(?:_{_THIS})?|(?:put|add|commit)_{_THIS}_(?:in|to|into)_{MEMORY}|(?<=please\s)remember|"
    r"(?<=[,.;]\s)remember)(?:_(?:down|in_mind|please|for_(?:me|us|later|next_time|future_\w+|the_future|"
    rf"the_next_session)|(?:in|to|into)_{MEMORY}))*\)?[.!?]*$"
)
NEEDS_TEXT = form(
    rf"(?:(?:remember|save|note|store|record|write|memori[sz]e|keep|jot)(?:_{_THIS})?(?:_down)?(?:_(?:to|"
    rf"in)_{MEMORY})?|(?:make|take|write|add|create|leave)_{_NOTE}(?:_of_{_THIS})?|add_(?:{_THIS}_)?to_{MEMORY}|"
    r"remember_what_I_(?:just_)?(?:said|told_you|wrote))[.!:?]*$"
)

_REWRITE = r"(?:rewrite|replace|overwrite|change|set|redo|revise|correct|fix|edit|update|turn|amend|modify|make)"
_TO_SAY = (
    r"(?:to_say(?:_that)?|to_read|so_(?:that_)?it_(?:now_)?(?:says|reads)(?:_that)?|saying(?:_that)?|to_state_that|"
    r"to_be|say|to_contain|to_(?:mention|note)_that|it_should_(?:say|read|be)(?:_that)?)"
)
SUBSTITUTES = forms(
    (
        rf"(?:change|replace|swap|correct|fix)_(?P<old>{QUOTED}|\S.{{0,300}}?)_(?:to|with|by|for|"
        rf"into)_(?P<new>{QUOTED}|\S.{{0,300}}?)_in_(?P<target>{FILE}|(?:the_)?note_\S.*|(?:the_)\S.*_note)[.!]*$",
        rf"in_(?P<target>{FILE}|(?:the_)?note_[\w./-]+|(?:the_)\S.*?_note)[,:]?_(?:please_)?(?:change|replace|swap|"
        rf"correct)_(?P<old>{QUOTED}|\S.{{0,300}}?)_(?:to|with|by|for|into)_(?P<new>{QUOTED}|\S.{{0,300}}?)[.!]*$",
    )
)
REWRITES = forms(
    (
        rf"{_REWRITE}_(?P<target>\S[^:\n]{{0,120}}?)[,;]?_{_TO_SAY}(?:\s*:\s*|\s*\n+|_)(?P<text>\S.*)",
        r"(?:rewrite|replace|overwrite|change|set|redo|revise|correct|turn)_(?P<target>\S[^:\n]{0,120}?)_(?:with|to|as|"
        r"into|by|using)(?:_(?:the_following|this|the_text|this_text))?(?:\s*:\s*|\s*\n+|_)(?P<text>\S.*)",
        rf"(?P<target>{FILE}|the_[^,:\n]{{2,60}}?_note)_(?:is|was|isn't)\b[^.,;:\n]{{0,60}}[,;.]_(?:so_|and_|"
        rf"please_)*{_REWRITE}_it_(?:{_TO_SAY}|to|with|as)(?:\s*:\s*|_)(?P<text>\S.*)",
        rf"(?P<target>{FILE}|the_[^,:\n]{{2,60}}?_note)_should_(?:now_)?(?:say|read)(?:_that)?(?:\s*:\s*|_)(?P<text>\S.*)",
        rf"let_(?P<target>{FILE}|the_[^,:\n]{{2,60}}?_note)_(?:say|read)(?:_that)?(?:\s*:\s*|_)(?P<text>\S.*)",
        r"(?:rewrite|replace|overwrite|redo|revise|set)_(?P<target>\S[^:\n]{0,120}?)(?:\s*:\s*|"
        r"\s*\n+)(?P<text>\S.*)",
    )
)
_ONE_LINE = (
    r"(?:(?:a|one|another|the|this|these|the_following)_(?:more_|other_|new_|further_|short_)?(?:line|sentence|"
    r"paragraph|remark|point|thing|item|bullet|fact|detail|word)s?|something)"
)
EXTENDS = forms(
    (
        r"(?:update|amend|extend|edit|modify|expand|supplement|complete|correct|fix|change)_"
        r"(?P<target>\S[^:\n]{0,120}?)(?:_(?:with|by_adding|to_(?:add|include)|and_add|adding|that|"
        r"to)(?:_(?:the_following|this|that))?(?:\s*:\s*|\s*\n+|_)|_so_(?:that_)?it_(?:also_)?(?:mentions|includes|"
        r"contains)_(?:that_)?|\s*[:—–]+\s*|[.,]\s+|\s*\n+)(?P<text>\S.*)",
        rf"(?P<target>{FILE}|the_[^,:\n]{{2,60}}?_note)_(?:(?:also_)?(?:needs|lacks|is_missing)_{_ONE_LINE}|should_(?:also|"
        rf"now)_(?:mention|include|contain|note)(?:_that)?)(?:{_SEP}|_)(?:that_|saying_)?(?P<text>\S.*)",
        rf"in_(?P<target>{FILE}|(?:the_)?note_[\w./-]+|the_[^,:\n]{{2,60}}?_note)[,:]?_(?:please_)?(?:note|add|write|"
        r"append|record|mention)(?:_down)?(?:_that_|\s*:\s*|_)(?P<text>\S.*)",
        rf"(?:add|append)(?:_{_THIS}|_{_ONE_LINE})?_to_(?P<target>\S[^:\n]{{0,120}}?)(?:\s*:\s*|_that_|"
        r",?_namely_(?:that_)?|_saying_(?:that_)?|\s*\n+)(?P<text>\S.*)",
    )
)
NOTE_FIRST = form(
    rf"(?P<target>{FILE})\s*[:,—–]+\s*(?:please_)?(?=(?:add|append|note|write|record|mention|change|replace|swap|correct)_)"
)
"""A note named before what is to be done to it (`a.md: add …`), as in `in a.md, add …`."""
RESTORES = forms(
    (
        r"(?:write|put|restore)_(?:back_)?the_(?:text|version|content)_of_entry_#?(?P<seq>\d+)_(?:back_)?(?:to|in|"
        rf"into|as)_(?:the_)?(?:note_)?(?P<name>{FILE}|{SLUG})(?:_again)?[.!]*$",
        rf"(?:restore|revert|reset|roll_back)_(?:the_)?(?:note_)?(?P<name>{FILE}|{SLUG})_(?:to|"
        r"from)_(?:the_)?(?:version_(?:of|in)_)?(?:entry|version)_#?(?P<seq>\d+)[.!]*$",
    )
)

_REMOVE = r"(?:delete|remove|drop|erase|trash|discard|rm|del|scrap|ditch|clear|purge|wipe|bin|nuke|destroy|chuck|toss)"
_REMOVED = r"(?:deleted|removed|dropped|erased|trashed|discarded|scrapped|binned|thrown_(?:away|out))"
_ONE_NOTE = rf"(?:{FILE}(?:_note)?|(?:the_)?note_(?:called_|named_)?[\w./-]+|the_[^.,;!?\n]{{2,60}}?_note)"
DELETES = (
    form(
        rf"(?:(?:we|I)_(?:no_longer|don't)_(?:need|want)_)?(?P<x>{_ONE_NOTE})(?:_(?:is|can|was|has|isn't|should|"
        rf"any)\b[^.;,!?\n]{{0,80}})?\s*[,;.:—–]_(?:so_|and_|please_|just_|you_can_)*(?:{_REMOVE}_(?:it|that)|"
        r"get_rid_of_(?:it|that)|throw_(?:it|that)_(?:away|out))(?:_(?:please|now))*[.!]*$",
        anywhere=True,
    ),
    form(
        rf"(?P<x>{_ONE_NOTE})_(?:(?:can|should|must|may|has_to|needs_to|ought_to)_(?:now_|please_)?(?:be_{_REMOVED}|"
        rf"go(?:_away)?)|is_to_be_{_REMOVED})(?:_(?:now|please))*[.!]*$",
        anywhere=True,
    ),
    form(r"(?:throw|chuck|toss)_(?P<x>\S.*?)_(?:away|out)[.!]*$"),
    form(rf"take_(?P<x>\S.*?)_(?:out_of|off)_{MEMORY}[.!]*$"),
    form(rf"(?:{_REMOVE}|get_rid_of|throw_(?:away|out))_(?P<x>\S.*?)(?:_for_(?:me|us))?[.!]*$"),
)
REASON = form(r"(?:[,;—–]\s*|_-+_|_)(?:because|since|as_it|it's|it_is|that's|which_is|this_is)\b.*$")
WIPE = form(
    r"(?:delete|remove|drop|erase|trash|discard|get_rid_of|throw_away|rm|clear|wipe|purge|empty|reset|destroy|"
    rf"clean)_(?:out_)?(?:everything|all|every_note|(?:all_)?(?:of_)?{MEMORY}(?=_(?:now|please|completely|entirely|"
    r"at_once|in_|of_|for_|you_|we_|I_)|[\s.!]*$))\b.*$"
)
DELETE_ENTRY = form(r"(?:delete|remove|drop|erase)_(?:the_)?(?:entry|line|version)_#?\d+\b.*$")
