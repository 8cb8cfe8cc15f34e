"""Thinking in Chat Completions, whose inventor gave it no place: where servers put it, what they want back. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from acp_server.providers.interface import JsonObject, JsonValue
from acp_server.providers.wires.fields import rows, table, text

_GROWING = ("text", "summary", "data", "signature")
"""The fields of a detail that arrive in pieces."""

THOUGHT_BEGINS, THOUGHT_ENDS = "<thought>", "</thought>"
"""What stands around thinking that is part of the content; the end may come with the first piece of the answer."""


def thinking(delta: JsonObject, details: Sequence[JsonObject], names: Sequence[str]) -> tuple[str, str]:
    """What a delta holds of thinking and of the answer.

    Thinking is in the first of the named fields that has text, else in `reasoning_details`, else in parts of the
    content, else it is the content itself and marked so.
    """
    content = delta.get("content")
    parts = [each for each in content if isinstance(each, dict)] if isinstance(content, list) else []
    said = content if isinstance(content, str) else "".join(text(part, "text") for part in parts)
    if table(table(delta, "extra_content"), "google").get("thought") is True:
        return said.replace(THOUGHT_BEGINS, "").replace(THOUGHT_ENDS, ""), ""
    named = next((found for name in names if (found := text(delta, name))), "")
    detailed = "".join(text(each, "text") or text(each, "summary") for each in details)
    thought = named or detailed or "".join(map(_thought, parts))
    return thought, said.removeprefix(THOUGHT_ENDS)


def _thought(part: JsonObject) -> str:
    return "".join(text(each, "text") for each in rows(part, "thinking"))


class Details:
    """The `reasoning_details` of an answer: pieces of one detail joined, in the order they came."""

    def __init__(self) -> None:
        self._joined: list[JsonObject] = []
        self._pieces: list[dict[str, list[str]]] = []

    def take(self, details: Sequence[JsonObject]) -> None:
        """The details of one delta."""
        for each in details:
            if not (self._joined and _same(self._joined[-1], each)):
                self._joined.append({})
                self._pieces.append({})
            for name, value in each.items():
                if name in _GROWING and isinstance(value, str):
                    self._pieces[-1].setdefault(name, []).append(value)
                    self._joined[-1].setdefault(name, None)
                elif value is not None or name not in self._joined[-1]:
                    self._joined[-1][name] = value

    @property
    def blocks(self) -> list[JsonValue]:
        """The details as they go back."""
        return [
            {**joined, **{name: "".join(each) for name, each in pieces.items()}}
            for joined, pieces in zip(self._joined, self._pieces, strict=True)
        ]


def _same(last: JsonObject, new: JsonObject) -> bool:
    """Whether two details are pieces of one: of a kind, at one place, and under one id where both have any."""
    alike = all(last.get(name) == new.get(name) for name in ("type", "index"))
    return alike and (last.get("id") == new.get("id") or None in (last.get("id"), new.get("id")))
