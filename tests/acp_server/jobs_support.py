"""A model for the jobs beside the chat: it answers by a script, and its requests can be looked at."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path

from acp_server.hands import Hand
from acp_server.ledger import Ledger
from acp_server.metering import Facts, Meter
from acp_server.models.values import Endpoint, Job, Model, Price, Wire
from acp_server.providers.interface import (
    ModelInfo,
    ProviderEvent,
    ProviderFault,
    Request,
    Stopped,
    StopReason,
    TextDelta,
    Usage,
)

Said = str | ProviderFault | StopReason | asyncio.Event
"""What the model does: says a text, fails, stops without a word, or sets the event and never answers."""

USAGE = Usage(100, 40, 10)
PRICE = Price(input=3.0, output=15.0, cached=0.3, cache_write=3.75)


@dataclass
class Worker:
    """Answers one request after the other; the last answer stands for all that follow."""

    script: list[Said]
    requests: list[Request] = field(default_factory=list)
    usage: Usage | None = USAGE

    def models(self) -> tuple[ModelInfo, ...]:
        return ()

    async def stream(self, request: Request) -> AsyncIterator[ProviderEvent]:
        self.requests.append(request)
        said = self.script.pop(0) if len(self.script) > 1 else self.script[0]
        match said:
            case ProviderFault():
                raise said
            case asyncio.Event():
                said.set()
                await asyncio.Event().wait()
            case StopReason():
                yield Stopped(said)
                return
            case str():
                yield TextDelta(said)
        if self.usage is not None:
            yield self.usage
        yield Stopped(StopReason.END_TURN)


def model(value: str = "lab/fast", price: Price = PRICE, window: int | None = 100_000, needs_key: bool = True) -> Model:
    endpoint = Endpoint(value.partition("/")[0], Wire.CHAT_COMPLETIONS, "http://127.0.0.1:1", lambda: "k")
    if not needs_key:
        endpoint = Endpoint("lab", Wire.CHAT_COMPLETIONS, "http://127.0.0.1:1", lambda: None, needs_key=False)
    return Model(value, value.partition("/")[2], endpoint, context_window=window, price=price)


def hands(worker: Worker, found: Model | str | None) -> Callable[[Job, str], Hand | str | None]:
    """One model for every job."""
    return lambda job, session_model: Hand(worker, found) if isinstance(found, Model) else found


FACTS = Facts(PRICE, 100_000)


def meter(folder: Path, facts: Facts | None = FACTS) -> Meter:
    """A meter for which every model has the same facts."""
    return Meter(Ledger(str(folder), lambda: 1), lambda value: facts, lambda: 1_700_000_000_000)
