"""The protocols that models' servers speak: bodies of requests out of values, events out of streams. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol

from acp_server.models.values import Model, Wire
from acp_server.providers.faults import FaultKind
from acp_server.providers.interface import JsonObject, ProviderEvent, Request
from acp_server.providers.wires import anthropic, chat_completions, responses


class StreamParser(Protocol):
    """Turns the events of one stream into the agent's own. Raises WireFault."""

    def feed(self, event: str, data: str) -> list[ProviderEvent]:
        """What one event says. Nothing counts after `Stopped`."""
        ...

    def end(self) -> list[ProviderEvent]:
        """What the end of the stream says; a fault where the answer isn't whole."""
        ...


class WireModule(Protocol):
    """What the module of a wire offers."""

    def build(self, model: Model, request: Request) -> JsonObject:
        """The body of a request; `bodies.encoded` makes it bytes."""
        ...

    def path(self, _: Model, /) -> str:
        """Where the base URL takes requests."""
        ...

    def headers(self, model: Model, key: str | None) -> dict[str, str]:
        """The headers of a request, the endpoint's own among them."""
        ...

    def error_of(self, status: int, body: bytes) -> tuple[FaultKind | None, str]:
        """What the body of a failed request says: a kind where it tells more than the status, and its words."""
        ...

    @property
    def Parser(self) -> Callable[[Model], StreamParser]:  # noqa: N802 -- the name of a class in each module
        """The parser of one stream; takes the model."""
        ...


WIRES: Mapping[Wire, WireModule] = {
    Wire.CHAT_COMPLETIONS: chat_completions,
    Wire.RESPONSES: responses,
    Wire.ANTHROPIC: anthropic,
}
