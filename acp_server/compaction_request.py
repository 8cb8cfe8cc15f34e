"""What a model reads when it sums up a conversation, and what stands for it where none does. Pure.

The conversation is data between tags; long texts are cut in the middle, and as short as the model's window wants it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from acp_server.compaction import BYTES_PER_TOKEN, window_of
from acp_server.history import summary_in_head
from acp_server.jsonclean import mended
from acp_server.models.values import Model
from acp_server.providers.interface import AssistantItem, Item, Purpose, Request, ToolItem, UserItem
from acp_server.sentences import compaction as say
from memory_core.entry import cut, frame_block
from memory_core.words import clip

CAPS = {UserItem: 16 * 1024, AssistantItem: 8 * 1024, ToolItem: 2 * 1024}
"""Bytes of an item's text at most: what the person said counts most, a tool can be called again."""
ARGUMENTS_CAP = 1024
SMALLEST_CAP = 256
RULE_HEAD_BYTES = 300
LEAST_HEAD_BYTES = 80
TOKENS_PER_WORD = 2

_FORGED = re.compile(r"^(?=\\*## )|(?<=<)(?=/\s*conversation)", re.MULTILINE | re.IGNORECASE)
_APART = "\n\n"
_BACKSLASH = "\\\\"
"""What would read as the next speaker, or as the end, is broken."""

Part = tuple[str, str, int]
"""Who speaks, what was said, and how many bytes of it may stay."""


@dataclass(frozen=True, slots=True)
class Older:
    """The items that a summary is to stand for; the first is an earlier one where `summarized`."""

    items: Sequence[Item]
    summarized: bool


def request_of(older: Older, model: Model, session: str, *, limit: int, focus: str, most: int | None = None) -> Request:
    """The request for a summary of at most `limit` tokens; `most` are the bytes of the conversation in it, where they
    are to be fewer than the model's window takes.
    """
    output = limit * 2
    asked = say.write_it(limit // TOKENS_PER_WORD, frame_block(focus))
    room = (window_of(model.context_window) - output) * BYTES_PER_TOKEN - len(_rules()) - len(asked.encode())
    room = max(0, room if most is None else min(room, most))
    return Request(
        model=model.value,
        system=_rules(),
        tools=(),
        items=(UserItem(f"<conversation>\n{transcript(older, room)}\n</conversation>\n\n{asked}"),),
        session=session,
        purpose=Purpose.COMPACTION,
        max_output_tokens=output,
    )


def transcript(older: Older, room: int) -> str:
    """The items as one text of at most `room` bytes: long texts are cut first, then the oldest items go."""
    parts = [part for item in older.items for part in _parts(item)]
    if older.summarized and parts:
        parts[0] = (say.EARLIER, *parts[0][1:])
    divisor = 1
    while True:
        written = [_written(part, divisor) for part in parts]
        size = sum(len(each.encode()) + len(_APART) for each in written)
        if size <= room:
            return _APART.join(written)
        if max(CAPS.values()) // divisor <= SMALLEST_CAP:
            return _newest(written, room)
        divisor *= 2


def summary_in(answer: str, limit: int) -> str:
    """The summary in a model's answer, cut to about `limit` tokens; "" for none."""
    return clip(mended(answer).strip(), limit * BYTES_PER_TOKEN)


def by_rule(older: Older, limit: int) -> str:
    """What stands for the items where no model sums them up: an earlier summary, and the beginnings of what the person
    said, shorter ones where there are many, the newest that fit.
    """
    room = limit * BYTES_PER_TOKEN
    spoken = older.items[1:] if older.summarized else older.items
    words = [item.text for item in spoken if isinstance(item, UserItem) and item.text.strip()]
    before = summary_in_head(older.items[0]).replace(say.BY_RULE, "") if older.summarized else ""
    earlier = clip(mended(before).strip(), room // 2)
    lines: list[str] = []
    room -= len(earlier.encode()) + len(say.BY_RULE) + 2 * len(_APART)
    head = max(LEAST_HEAD_BYTES, min(RULE_HEAD_BYTES, room // max(1, len(words))))
    for said in reversed(words):
        line = "- " + " ".join(clip(mended(said[:head]), head - len("- \n")).split())
        room -= len(line.encode()) + 1
        if room < 0:
            break
        lines.append(line)
    return _APART.join(part for part in (earlier, say.BY_RULE, "\n".join(reversed(lines))) if part)


def with_request(summary: str, asked: str, limit: int) -> str:
    """A summary with what the person asked last at its end, where the turn's own beginning went."""
    if not asked:
        return summary
    return f"{summary}\n\n{say.ASKED_LAST}\n\n{_middle_out(mended(asked), limit * BYTES_PER_TOKEN)}"


def _parts(item: Item) -> Iterator[Part]:
    match item:
        case UserItem(text):
            yield say.PERSON, text, CAPS[UserItem]
        case AssistantItem(text, calls):
            if text.strip():
                yield say.AGENT, text, CAPS[AssistantItem]
            for call in calls:
                yield say.called(call.name), call.arguments, ARGUMENTS_CAP
        case ToolItem(_, name, text, failed):
            yield say.answered(name, failed), text, CAPS[ToolItem]


def _written(part: Part, divisor: int) -> str:
    who, text, cap = part
    body = frame_block(_middle_out(mended(text), max(SMALLEST_CAP, cap // divisor)))
    return f"## {mended(who)}\n{_FORGED.sub(_BACKSLASH, body)}"


def _newest(written: Sequence[str], room: int) -> str:
    """The last of the parts that fit."""
    kept: list[str] = []
    for part in reversed(written):
        room -= len(part.encode()) + 2
        if room < 0:
            break
        kept.append(part)
    return "\n\n".join([say.older_left_out(len(written) - len(kept)), *reversed(kept)])


def _middle_out(text: str, limit: int) -> str:
    """The text's beginning and end, together at most `limit` bytes."""
    size = len(text.encode())
    if size <= limit:
        return text
    head = cut(text, limit // 2)
    tail = cut(text[::-1], limit - limit // 2)[::-1]
    left_out = size - len(head.encode()) - len(tail.encode())
    return f"{head}\n{say.cut_here(left_out)}\n{tail}"


@cache
def _rules() -> str:
    return files("acp_server.prompts").joinpath("compaction.md").read_text(encoding="utf-8")
