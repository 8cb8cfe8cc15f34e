"""Streams whose events say of what type they are: each goes to the handler of its type. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from acp_server.providers.faults import FaultKind, WireFault
from acp_server.providers.interface import JsonObject, ProviderEvent
from acp_server.providers.wires.answer import Answer
from acp_server.providers.wires.fields import read, text

DONE = "[DONE]"
"""Not of these wires, but some servers and proxies end every stream so."""
ERROR = "error"

Handler = Callable[[JsonObject], list[ProviderEvent]]


class TypedEvents:
    """A parser's way from an event to its handler; the one of `ERROR` takes errors without a type too."""

    def __init__(self, answer: Answer, handlers: Mapping[str, Handler]) -> None:
        self._answer = answer
        self._handlers = handlers

    def feed(self, event: str, data: str) -> list[ProviderEvent]:
        """What one event of the stream says; one that isn't known says nothing. Raises WireFault."""
        if self._answer.ended or data.strip() in ("", DONE):
            return []
        fields = read(data)
        handler = self._handlers.get(text(fields, "type") or event)
        if handler is None and fields.get("error"):
            handler = self._handlers[ERROR]
        return handler(fields) if handler else []

    def end(self) -> list[ProviderEvent]:
        """What the end of the stream says. Raises WireFault."""
        if not self._answer.ended:
            raise WireFault(FaultKind.CUT_OFF)
        return []
