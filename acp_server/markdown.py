"""Texts of notes as Markdown that can't break the card they stand in. Pure.

A note is data: its fences, HTML, control characters and writing-direction overrides are shown and have no
effect outside their own block.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from acp_server.harmless import picture

Range = tuple[int, int]

_HIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_LINE_END = re.compile("\r\n?|[\x85\u2028\u2029]")
_INLINE = re.compile(r"[\\`*\[\]<>|~&]|(?<!\w)_|_(?!\w)")
_LEADING = re.compile(r"\s*(?:[-+#=]|\d{1,9}[.)])")
_FENCE = re.compile(r"(?P<indent> {0,3})(?P<ticks>`{3,}|~{3,})(?P<info>.*)")
_CODE_SPAN = re.compile(r"(?<!`)(`+)(?!`)(?:.+?)(?<!`)\1(?!`)")
_TAG = re.compile(r"<(?=[A-Za-z/!?])")
# Where a reader of Markdown may see code or not (a span over two lines, a fence in a list), an escape would
# show as a backslash in code; a word joiner after the sign is invisible in both and makes it no tag.
_UNTAGGED = "<\u2060"
_TITLE_MARKS = str.maketrans({":": " ", "*": "", "`": "'", "<": "‹", ">": "›", "\\": "/", "|": " "})


def shown(text: str) -> str:
    """The text with control characters other than newline and tab made visible, every line end a newline."""
    text = _LINE_END.sub("\n", text)
    return _HIDDEN.sub(lambda found: _picture(found[0]), text)


def one_line(text: str) -> str:
    """The text on one line, white space in a row as one space, controls visible."""
    return " ".join(shown(text).split())


def plain_title(text: str, limit: int = 80) -> str:
    """A title: one plain line of at most `limit` characters, without colon or emphasis, cut after a word."""
    line = " ".join(one_line(text).translate(_TITLE_MARKS).replace("__", "_").split())
    if len(line) <= limit:
        return line
    head = line[: limit - 1]
    at_word = head.rsplit(" ", 1)[0]
    return (at_word if len(at_word) > limit // 2 else head) + "…"


def escaped(text: str) -> str:
    """The text as Markdown that shows it word for word on one line."""
    return _guarded(_literal(one_line(text)))


def marked(line: str, marks: Sequence[Range]) -> str:
    """One line as Markdown with the ranges of `marks` (in characters of `line`) in bold."""
    pieces: list[str] = []
    done = 0
    for start, end in _sound_ranges(line, marks):
        pieces += [_literal(_flat(line[done:start])), "**"]
        pieces += [_literal(_flat(line[start:end])), "**"]
        done = end
    pieces.append(_literal(_flat(line[done:])))
    return _guarded("".join(pieces).strip())


def fenced(text: str, language: str = "") -> str:
    """The text in a fence that is longer than any run of backticks in it."""
    text = shown(text)
    runs = re.findall("`{3,}", text)
    fence = "`" * (max((len(run) for run in runs), default=2) + 1)
    return f"{fence}{language}\n{text.rstrip(chr(10))}\n{fence}"


def note_markdown(text: str) -> str:
    """A note as Markdown: its HTML and images are shown instead of rendered (a card must not make an editor fetch
    anything), a fence that it leaves open is closed.
    """
    lines: list[str] = []
    fence: re.Match[str] | None = None
    for line in shown(text).split("\n"):
        found = _FENCE.fullmatch(line)
        if fence is not None:
            lines.append(line if not fence["indent"] else _TAG.sub(_UNTAGGED, line))
            fence = None if found and _closes(found, fence) else fence
        else:
            fence = found if found and not _is_span(found) else None
            lines.append(line if fence else _without_html(line))
    if fence is not None:
        lines.append(fence["ticks"])
    return "\n".join(lines).strip("\n")


def link(label: str, uri: str) -> str:
    """A Markdown link whose label is shown word for word."""
    return f"[{escaped(label)}]({uri})"


def _closes(found: re.Match[str], fence: re.Match[str]) -> bool:
    return found["ticks"].startswith(fence["ticks"]) and not found["info"].strip()


def _is_span(found: re.Match[str]) -> bool:
    return found["ticks"][0] == "`" and "`" in found["info"]


def _without_html(line: str) -> str:
    pieces: list[str] = []
    done = 0
    for span in _CODE_SPAN.finditer(line):
        pieces += [_as_text(line[done : span.start()]), _TAG.sub(_UNTAGGED, span[0])]
        done = span.end()
    return "".join([*pieces, _as_text(line[done:])])


def _as_text(piece: str) -> str:
    return _TAG.sub(r"\\<", piece).replace("![", r"!\[")


def _sound_ranges(line: str, marks: Sequence[Range]) -> list[Range]:
    """The ranges in order, those that touch joined, without punctuation or space at their ends (no bold
    there).
    """
    joined: list[Range] = []
    for start, end in sorted(marks):
        start, end = max(start, 0), min(end, len(line))
        while start < end and _is_edge(line[start]):
            start += 1
        while start < end and _is_edge(line[end - 1]):
            end -= 1
        if start >= end:
            continue
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined


def _is_edge(character: str) -> bool:
    return unicodedata.category(character)[0] in "PSZC"


def _literal(text: str) -> str:
    return _INLINE.sub(r"\\\g<0>", text)


def _flat(text: str) -> str:
    return shown(text).replace("\n", " ").replace("\t", " ")


def _guarded(line: str) -> str:
    """The line, with a sign at its start that would begin a list, heading or rule escaped."""
    leading = _LEADING.match(line)
    return line if leading is None else f"{line[: leading.end() - 1]}\\{line[leading.end() - 1 :]}"


def _picture(character: str) -> str:
    return "\ufffd" if "\ud800" <= character <= "\udfff" else picture(character)
