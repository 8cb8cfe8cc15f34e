"""The streams of `fixtures/streams`: what a server sends, and the events that it must become.

A stream is `<wire>/NAME.sse`; beside it `NAME.json` holds `events`, short rows of kind and fields, and `server`, whose
quirks apply. Both are written by hand to the public formats.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path

from acp_server.models.quirks import quirks_of
from acp_server.models.values import Endpoint, Model, Wire
from acp_server.providers.faults import WireFault
from acp_server.providers.interface import (
    CallReady,
    CallStarted,
    Native,
    ProviderEvent,
    Stopped,
    TextDelta,
    ThoughtDelta,
    Usage,
)
from acp_server.providers.wires import WIRES
from acp_server.providers.wires.sse import EventStream, ServerEvent

STREAMS = Path(__file__).resolve().parents[2] / "fixtures" / "streams"
NAMES = sorted(str(path.relative_to(STREAMS).with_suffix("")) for path in STREAMS.glob("*/*.sse"))

Row = list[object]


def wire_of(name: str) -> Wire:
    return Wire(name.split("/")[0])


def stream(name: str) -> bytes:
    return (STREAMS / f"{name}.sse").read_bytes()


def expected(name: str) -> tuple[str, list[Row]]:
    """Whose quirks apply, and the rows."""
    found = json.loads((STREAMS / f"{name}.json").read_text(encoding="utf-8"))
    return found.get("server", ""), found["events"]


def model_of(
    wire: Wire,
    server: str = "",
    *,
    model_id: str = "model",
    thinks: bool = False,
    max_output: int | None = None,
    base_url: str = "http://127.0.0.1:1",
) -> Model:
    endpoint = Endpoint(server or "some", wire, base_url, lambda: None, quirks=quirks_of(server))
    return Model("some/model", model_id, endpoint, thinks=thinks, max_output=max_output)


def decoded(pieces: Iterable[bytes]) -> list[ServerEvent]:
    """What bytes say that arrive in these pieces."""
    decoding = EventStream()
    events = [event for piece in pieces for event in decoding.feed(piece)]
    return events + decoding.end()


def parsed(wire: Wire, events: Iterable[ServerEvent], server: str = "") -> list[ProviderEvent | WireFault]:
    """What the wire's parser makes of events, a fault as the last of them."""
    parser = WIRES[wire].Parser(model_of(wire, server))
    found: list[ProviderEvent | WireFault] = []
    try:
        for event, data in events:
            found += parser.feed(event, data)
        found += parser.end()
    except WireFault as fault:
        found.append(fault)
    return found


def rows(events: Sequence[ProviderEvent | WireFault]) -> list[Row]:
    return [_row(event) for event in events]


def _row(event: ProviderEvent | WireFault) -> Row:
    match event:
        case TextDelta(text):
            return ["text", text]
        case ThoughtDelta(text):
            return ["thought", text]
        case CallStarted(call_id, name):
            return ["started", call_id, name]
        case CallReady(call):
            return ["ready", call.id, call.name, call.arguments]
        case Usage():
            return ["usage", asdict(event)]
        case Native(wire, model, blocks):
            return ["native", wire, model, list(blocks)]
        case Stopped(reason):
            return ["stopped", reason.value]
        case WireFault():
            return ["fault", event.kind.value, event.detail]
    raise AssertionError(event)
