"""One request to a model: its stream as events for the person and as an item for the history."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import cast

from acp_server.events import TextChunk, ThoughtChunk, Wait
from acp_server.jsonclean import mended
from acp_server.providers.interface import (
    AssistantItem,
    CallReady,
    CallStarted,
    Native,
    Provider,
    ProviderEvent,
    ProviderFault,
    Request,
    Stopped,
    StopReason,
    TextDelta,
    ThoughtDelta,
    ToolCall,
    Usage,
    Waiting,
)
from acp_server.seams import Emit
from acp_server.sentences.turn import STREAM_BROKE_OFF
from acp_server.tool_calls import Calls


@dataclass(slots=True)
class Round:
    """What came of one request so far; it also holds what came before a cancel or a fault."""

    message_id: str
    text: list[str] = field(default_factory=list)
    calls: list[ToolCall] = field(default_factory=list)
    reason: StopReason = StopReason.END_TURN
    ended: bool = False
    usage: Usage | None = None
    native: Native | None = None
    renamed: bool = False

    @property
    def item(self) -> AssistantItem | None:
        """The answer as the history keeps it, None where nothing came.

        Its own provider's blocks go with it where they are whole and name the calls as the history does.
        """
        text = "".join(self.text)
        native = self.native if self.ended and not self.renamed else None
        return AssistantItem(text, tuple(self.calls), native) if text or self.calls else None

    def take(self, call: ToolCall) -> ToolCall:
        """Keep a call, as UTF-8 can hold it; one whose id another call of the answer has, or none at all, gets an id of
        its own.
        """
        call = ToolCall(mended(call.id), mended(call.name), mended(call.arguments))
        taken = {each.id for each in self.calls}
        chosen, number = call.id, 2
        while not chosen or chosen in taken:
            chosen, number = f"{call.id or 'call'}-{number}", number + 1
        self.renamed = self.renamed or chosen != call.id
        self.calls.append(replace(call, id=chosen))
        return self.calls[-1]


async def ask_model(provider: Provider, request: Request, answer: Round, calls: Calls, emit: Emit) -> None:
    """Stream one request into `answer`. Raises ProviderFault; the stream is closed in any case."""
    stream = cast("AsyncGenerator[ProviderEvent, None]", provider.stream(request))
    async with aclosing(stream):
        async for event in stream:
            await _take(event, answer, calls, emit)
    if not answer.ended:
        raise ProviderFault(STREAM_BROKE_OFF)


async def _take(event: ProviderEvent, answer: Round, calls: Calls, emit: Emit) -> None:
    match event:
        case TextDelta(text) if text:
            answer.text.append(text)
            await emit(TextChunk(answer.message_id, text))
        case ThoughtDelta(text) if text:
            await emit(ThoughtChunk(answer.message_id, text))
        case CallStarted(call_id, name):
            await calls.announce(mended(call_id), mended(name))
        case CallReady(call):
            await calls.complete(answer.take(call))
        case Native():
            answer.native = event
        case Usage():
            answer.usage = event
        case Waiting(sentence):
            await emit(Wait(answer.message_id, f"{sentence}\n\n"))
        case Stopped(reason):
            answer.reason, answer.ended = reason, True
        case _:
            pass
