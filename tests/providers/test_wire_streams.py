"""Streams of all three wires become the events that stand beside them, however their bytes arrive."""

from __future__ import annotations

from itertools import pairwise

import pytest
from wire_streams import NAMES, decoded, expected, model_of, parsed, rows, stream, wire_of

from acp_server.models.values import Wire
from acp_server.providers.faults import WireFault
from acp_server.providers.interface import CallReady, CallStarted, Native, Stopped, TextDelta
from acp_server.providers.wires import WIRES

WHOLE_BY_REASON = Wire.CHAT_COMPLETIONS
"""The wire whose answer is whole once it has said why it stopped; the others say so in an event of its own."""


@pytest.mark.parametrize("name", NAMES)
def test_a_stream_becomes_its_events(name: str) -> None:
    server, events = expected(name)
    assert rows(parsed(wire_of(name), decoded([stream(name)]), server)) == events


@pytest.mark.parametrize("name", NAMES)
def test_where_bytes_are_cut_changes_nothing(name: str) -> None:
    data = stream(name)
    whole = decoded([data])
    assert decoded(bytes([byte]) for byte in data) == whole
    assert all(decoded([data[:cut], data[cut:]]) == whole for cut in range(len(data)))


@pytest.mark.parametrize("name", NAMES)
def test_an_answer_ends_once_or_with_a_fault(name: str) -> None:
    server, _ = expected(name)
    events = decoded([stream(name)])
    for cut in range(len(events) + 1):
        found = parsed(wire_of(name), events[:cut], server)
        ends = [each for each in found if isinstance(each, Stopped | WireFault)]
        assert ends == found[-1:]


@pytest.mark.parametrize("name", [name for name in NAMES if wire_of(name) is not WHOLE_BY_REASON])
def test_a_stream_without_its_closing_event_is_a_fault(name: str) -> None:
    events = [event for event in decoded([stream(name)]) if event.data != "[DONE]"]
    assert isinstance(parsed(wire_of(name), events[:-1])[-1], WireFault)


@pytest.mark.parametrize("name", NAMES)
def test_each_call_starts_before_it_is_ready_and_under_an_id_of_its_own(name: str) -> None:
    found = parsed(wire_of(name), decoded([stream(name)]))
    started = [each.id for each in found if isinstance(each, CallStarted)]
    ready = [each.call.id for each in found if isinstance(each, CallReady)]
    assert len(set(started)) == len(started)
    assert all(started)
    if isinstance(found[-1], Stopped):
        assert sorted(ready) == sorted(started)


@pytest.mark.parametrize("name", NAMES)
def test_what_goes_back_comes_right_before_the_end(name: str) -> None:
    server, _ = expected(name)
    found = parsed(wire_of(name), decoded([stream(name)]), server)
    assert all(isinstance(after, Stopped) for each, after in pairwise(found) if isinstance(each, Native))


@pytest.mark.parametrize("wire", Wire)
def test_nothing_counts_after_the_end(wire: Wire) -> None:
    parser = WIRES[wire].Parser(model_of(wire))
    for event, data in decoded([stream(f"{wire}/plain")]):
        parser.feed(event, data)
    assert parser.feed("", "{") == []
    assert parser.end() == []


@pytest.mark.parametrize("wire", Wire)
def test_every_piece_of_text_is_passed_on_as_it_comes(wire: Wire) -> None:
    parser = WIRES[wire].Parser(model_of(wire))
    pieces = [parser.feed(event, data) for event, data in decoded([stream(f"{wire}/plain")])]
    assert [events for events in pieces if events and isinstance(events[0], TextDelta)] == [
        [TextDelta(text)] for kind, text, *_ in expected(f"{wire}/plain")[1][:2] if kind == "text"
    ]
