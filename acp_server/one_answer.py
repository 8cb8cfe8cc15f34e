"""One request to a model that is nobody's conversation: its words, how it ended and what it took.

The stream is closed in any case, as `rounds.py` does for a turn; thoughts, waits and calls are nothing here.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass
from typing import cast

from acp_server.metering import Meter
from acp_server.providers.interface import (
    AssistantItem,
    Native,
    Provider,
    ProviderEvent,
    ProviderFault,
    Request,
    Stopped,
    StopReason,
    TextDelta,
    Usage,
)
from acp_server.sentences.turn import STREAM_BROKE_OFF


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole answer; `usage` is None where the server told none."""

    text: str
    reason: StopReason
    usage: Usage | None = None
    native: Native | None = None

    @property
    def item(self) -> AssistantItem:
        """The answer as a conversation goes on from it."""
        return AssistantItem(self.text, native=self.native)


@dataclass(slots=True)
class _Taken:
    usage: Usage | None = None


async def one_answer(provider: Provider, request: Request, meter: Meter, project: str) -> Answer:
    """Ask once. Raises ProviderFault."""
    texts: list[str] = []
    reason: StopReason | None = None
    native: Native | None = None
    taken = _Taken()
    with meter.request(project, request, taken):
        stream = cast("AsyncGenerator[ProviderEvent, None]", provider.stream(request))
        async with aclosing(stream):
            async for event in stream:
                match event:
                    case TextDelta(text):
                        texts.append(text)
                    case Usage():
                        taken.usage = event
                    case Native():
                        native = event
                    case Stopped(why):
                        reason = why
                    case _:
                        pass
        if reason is None:
            raise ProviderFault(STREAM_BROKE_OFF)
    return Answer("".join(texts), reason, taken.usage, native)
