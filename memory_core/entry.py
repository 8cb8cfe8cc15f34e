"""The text of an entry: body, heading, what fits word for word, and how a text is framed for a reader.

A note is Markdown in a file. Its *body* is what remains without byte-order mark, front matter and leading blank
lines, with every line end as a newline. The *entry text* is what the tree folds. *Framing* makes a text safe
inside a one-line row or a tagged block, so that no note closes the block or forges a row.
"""

from __future__ import annotations

import re

from memory_core.results import EntryKind

MAX_LINE_BYTES = 512
MAX_HEADING_BYTES = 120

_LINE_END = re.compile(r"\r\n?")
_BLANK_LINES = re.compile(r"(?:[^\S\n]*\n)*")
_ROW_SEPARATOR = re.compile("\r\n|[\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
_BLOCK_SEPARATOR = re.compile("[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
_ROW_CONTROL = re.compile("[\x00-\x08\x0a-\x1f\x7f-\x9f]")
_BLOCK_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_TAG = re.compile(r"<(?=\s*/?\s*memory)", re.IGNORECASE)


def decode(raw: bytes) -> str:
    """A note's bytes as text; what isn't UTF-8 becomes U+FFFD."""
    return raw.decode("utf-8", "replace")


def is_text(text: str) -> bool:
    """Whether a text can be written in UTF-8: it holds no lone surrogate."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def is_utf8(raw: bytes) -> bool:
    """Whether the bytes are UTF-8 throughout."""
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def may_have_front_matter(raw: bytes) -> bool:
    """Whether a note's bytes begin as a front matter block does."""
    return raw.startswith((b"---", b"\xef\xbb\xbf---"))


def split_front_matter(text: str) -> tuple[str, str]:
    """The front matter block with its fences, and the rest; the block is "" where there is none.

    The text's byte-order mark stays with the block, its line ends are newlines already or kept as they are:
    a fence is a line that is exactly `---`, whatever ends it. A fence that never closes is no front matter.
    """
    start = 1 if text.startswith("\ufeff") else 0
    if not text.startswith("---", start):
        return "", text
    position = _line_after(text, start, "---")
    if position is None:
        return "", text
    while position < len(text):
        after = _line_after(text, position, "---")
        if after is not None:
            return text[:after], text[after:]
        position = _next_line(text, position)
    return "", text


def body(text: str) -> str:
    """The note without byte-order mark, front matter and leading blank lines; every line end is a newline."""
    rest = split_front_matter(text)[1] if text.startswith(("---", "\ufeff---")) else text
    rest = rest.removeprefix("\ufeff")
    if "\r" in rest:
        rest = _LINE_END.sub("\n", rest)
    blank = _BLANK_LINES.match(rest)
    return rest[blank.end() :] if blank else rest


def heading(body: str) -> str:
    """The first line that says something once stripped of white space and leading #s; at most 120 bytes."""
    start = 0
    while start < len(body):
        end = body.find("\n", start)
        end = len(body) if end < 0 else end
        found = body[start:end].strip().lstrip("#").strip()
        if found:
            return cut(found, MAX_HEADING_BYTES)
        start = end + 1
    return ""


def entry_text(kind: EntryKind, name: str, body: str = "") -> str:
    """What the tree folds: `note NAME` and the body, `delete NAME` or `forgotten NAME`."""
    if kind is EntryKind.NOTE:
        return f"note {name}\n{body}".rstrip()
    return f"{kind} {name}".rstrip()


def fits(text: str) -> bool:
    """Whether a text is short enough to be its own line, word for word."""
    return len(text) <= MAX_LINE_BYTES and len(text.encode()) <= MAX_LINE_BYTES


def cut(text: str, limit_bytes: int) -> str:
    """The text's first bytes, at most `limit_bytes`, cut at a character."""
    if len(text) * 4 <= limit_bytes:
        return text
    head = text[:limit_bytes].encode()
    if len(head) <= limit_bytes and len(text) <= limit_bytes:
        return text
    return head[:limit_bytes].decode("utf-8", "ignore")


def frame_line(text: str) -> str:
    """A text as part of a one-line row: separators become spaces, controls U+FFFD, memory tags are broken."""
    if text.isprintable() and "<" not in text:
        return text
    text = _ROW_CONTROL.sub("\ufffd", _ROW_SEPARATOR.sub(" ", text))
    return _TAG.sub(r"<\\", text)


def frame_block(text: str) -> str:
    """A text as lines of a block: line ends become newlines, controls U+FFFD, memory tags are broken."""
    text = _BLOCK_SEPARATOR.sub(" ", _LINE_END.sub("\n", text))
    return _TAG.sub(r"<\\", _BLOCK_CONTROL.sub("\ufffd", text))


def rendered_bytes(id: int, n: int, text: str) -> int:
    """The size of a rendered line `id+n|text` with its newline, in bytes; `text` is framed already."""
    return len(str(id)) + len(str(n)) + 3 + (len(text) if text.isascii() else len(text.encode()))


def _next_line(text: str, start: int) -> int:
    """The position after the line that starts at `start`; `len(text)` where it is the last."""
    newline, carriage = text.find("\n", start), text.find("\r", start)
    ends = [at for at in (newline, carriage) if at >= 0]
    if not ends:
        return len(text)
    end = min(ends)
    return end + (2 if text.startswith("\r\n", end) else 1)


def _line_after(text: str, start: int, line: str) -> int | None:
    """The position after the line at `start` if it is exactly `line`, else None."""
    if not text.startswith(line, start):
        return None
    after = start + len(line)
    if after == len(text):
        return after
    if text[after] not in "\r\n":
        return None
    return after + (2 if text.startswith("\r\n", after) else 1)
