"""Server-sent events as the standard reads them."""

from __future__ import annotations

import pytest
from wire_streams import decoded

from acp_server.providers.faults import FaultKind, WireFault
from acp_server.providers.wires.sse import MAX_EVENT_BYTES, EventStream, ServerEvent


@pytest.mark.parametrize(
    ("data", "events"),
    [
        (b"data: a\n\n", [("", "a")]),
        (b"data:a\n\n", [("", "a")]),
        (b"data:  a\n\n", [("", " a")]),
        (b"data\n\n", [("", "")]),
        (b"data: a\ndata: b\n\n", [("", "a\nb")]),
        (b"event: e\ndata: a\n\n", [("e", "a")]),
        (b"event: e\n\ndata: a\n\n", [("", "a")]),
        (b"event: e\nevent: f\ndata: a\n\n", [("f", "a")]),
        (b": comment\ndata: a\n\n", [("", "a")]),
        (b"id: 1\nretry: 5\nother: x\n\n", []),
        (b"data: a\r\n\r\ndata: b\r\n\r\n", [("", "a"), ("", "b")]),
        (b"data: a\r\rdata: b\r\r", [("", "a"), ("", "b")]),
        (b"data: a\n\r\ndata: b\r\n\n", [("", "a"), ("", "b")]),
        (b"\xef\xbb\xbfdata: a\n\n", [("", "a")]),
        (b"data: \xef\xbb\xbfa\n\n", [("", "\ufeffa")]),
        ("data: a\u2028b\u2029c\x85d\x0b\x0c\x1ce\n\n".encode(), [("", "a\u2028b\u2029c\x85d\x0b\x0c\x1ce")]),
        (b"data: a:b\n\n", [("", "a:b")]),
        (b"Data: a\n\n", []),
        (b" data: a\n\n", []),
        (b"\n\n\n", []),
        (b"", []),
    ],
)
def test_a_line_ends_and_a_field_is_read_as_the_standard_says(data: bytes, events: list[tuple[str, str]]) -> None:
    assert decoded([data]) == events


def test_the_last_event_counts_without_its_blank_line() -> None:
    assert decoded([b"data: a\n\ndata: b"]) == [("", "a"), ("", "b")]


def test_an_event_comes_with_the_byte_that_completes_it() -> None:
    decoding = EventStream()
    assert decoding.feed(b"data: a\r\n") == []
    assert decoding.feed(b"\r") == [ServerEvent("", "a")]
    assert decoding.feed(b"\ndata: b\n\n") == [ServerEvent("", "b")]


@pytest.mark.parametrize("piece", [b"x" * 65_536, b"data: " + b"x" * 65_536 + b"\n"])
def test_a_stream_without_an_end_to_its_event_is_a_fault_before_it_fills_the_memory(piece: bytes) -> None:
    decoding = EventStream()
    with pytest.raises(WireFault) as raised:
        for _ in range(MAX_EVENT_BYTES // 65_536 + 1):
            decoding.feed(piece)
    assert raised.value.kind is FaultKind.BROKEN_EVENT
