"""Summary lines written by a model: the Memory job behind `line_writers.LineWriter`.

A line that is too long is asked for again in the same conversation, where the model hears how much of it fits; after
`TRIES` the shortest is cut after its last whole word and marked so. Two tables say what a fault means for the line.
"""

from __future__ import annotations

from collections.abc import Sequence

from acp_server.hands import Hand, Hands
from acp_server.line_writers import LineWriter, PassingFault, Refused, Unavailable, Written
from acp_server.metering import Meter
from acp_server.models.values import Job
from acp_server.one_answer import Answer, one_answer
from acp_server.providers.faults import FaultKind
from acp_server.providers.interface import Item, ProviderFault, Purpose, Request, StopReason, Usage, UserItem
from acp_server.seams import SessionState
from acp_server.spend import uncached
from acp_server.summary_request import OUTPUT_TOKENS, cut_to_fit, fits, message, one_line, rules, shorter, size
from acp_server.writer_choice import Choose
from memory_core.results import Pending

TRIES = 5
GUESSED_BYTES_PER_TOKEN = 4
"""For the cap on spend alone, where a server doesn't tell tokens."""

ABOUT_THE_TEXT = frozenset(
    {FaultKind.BAD_REQUEST, FaultKind.TOO_LARGE, FaultKind.CONTEXT_OVERFLOW, FaultKind.CONTENT_FILTER}
)
"""The model won't write this line; after three of these the embedded summarizer does."""
ABOUT_THE_MODEL = frozenset(
    {
        FaultKind.KEY_REFUSED,
        FaultKind.KEY_MISSING,
        FaultKind.KEY_MALFORMED,
        FaultKind.FORBIDDEN,
        FaultKind.NOT_FOUND,
        FaultKind.NO_CREDIT,
        FaultKind.TLS_FAILED,
        FaultKind.NO_CERTIFICATES,
        FaultKind.BAD_URL,
        FaultKind.REDIRECTED,
    }
)
"""The model can't be reached as it is bound: summaries pause until it is chosen anew."""


def model_writers(hands: Hands, meter: Meter) -> Choose:
    """Chooses who writes a project's lines: the Memory job's model beside the session's, as that is now."""

    def choose(project: str, session: SessionState) -> LineWriter | str | None:
        hand = hands(Job.MEMORY, session.model)
        return ModelWriter(hand, meter, project, session.session_id) if isinstance(hand, Hand) else hand

    return choose


class ModelWriter:
    """Writes lines with one model, for one session of one project."""

    at_once = 1
    workers = 2
    reads_context = True

    def __init__(self, hand: Hand, meter: Meter, project: str, session: str) -> None:
        """`hand` does the Memory job; the spend counts in `session`."""
        self._provider = hand.provider
        self._model = hand.model.value
        self._window = hand.model.context_window
        self._meter = meter
        self._project = project
        self._session = session

    async def write(self, line: Pending, context: Sequence[str]) -> Written:
        """The line's text, at most 512 bytes. Raises PassingFault, Refused, Unavailable."""
        items: list[Item] = [UserItem(message(line.halves, context, self._window))]
        tried: list[str] = []
        tokens = 0
        for _ in range(TRIES):
            answer = await self._ask(items, tokens)
            tokens += _tokens(answer, items)
            text = one_line(answer.text)
            if answer.reason is StopReason.REFUSAL or not text:
                raise Refused(tokens=tokens)
            if fits(text):
                return Written(text, self._model, tokens=tokens)
            tried.append(text)
            items += [answer.item, UserItem(shorter(text))]
        return Written(cut_to_fit(min(tried, key=size)), self._model, cut=True, tokens=tokens)

    async def _ask(self, items: Sequence[Item], tokens: int) -> Answer:
        request = Request(
            model=self._model,
            system=rules(),
            tools=(),
            items=tuple(items),
            session=self._session,
            purpose=Purpose.MEMORY,
            max_output_tokens=OUTPUT_TOKENS,
        )
        try:
            return await one_answer(self._provider, request, self._meter, self._project)
        except ProviderFault as fault:
            raise _meaning(fault, tokens) from fault


def _meaning(fault: ProviderFault, tokens: int) -> PassingFault | Refused | Unavailable:
    if fault.kind in ABOUT_THE_TEXT:
        return Refused(fault.sentence, tokens=tokens)
    if fault.kind in ABOUT_THE_MODEL:
        return Unavailable(fault.sentence)
    return PassingFault(fault.sentence, tokens=tokens)


def _tokens(answer: Answer, items: Sequence[Item]) -> int:
    """Uncached input and output."""
    usage = answer.usage or Usage(
        sum(map(_guess, items)) + len(rules()) // GUESSED_BYTES_PER_TOKEN, 0, _guess(answer.item)
    )
    return uncached(usage) + usage.cache_write_tokens + usage.output_tokens


def _guess(item: Item) -> int:
    return size(item.text) // GUESSED_BYTES_PER_TOKEN
