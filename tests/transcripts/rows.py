"""The rows of a transcript: what a line of `fixtures/transcripts/*.jsonl` holds, and its bytes on the wire.

    {"dir": "c2a", "msg": {…}}          a message of the client, sent as one line
    {"dir": "c2a", "raw": "…"}          a line that is no message, as text; `raw_base64` where it is no UTF-8
    {"dir": "c2a", "end": true}         the client closes the agent's input
    {"dir": "c2a", "signal": "SIGTERM"} a signal to the agent
    {"dir": "a2c", "msg": {…}}          a message of the agent, its keys in the order in which they came

A c2a row may also hold
    "before": [{…}, …]                  what happens outside before it is sent (`world.ACTS`)
    "joined": true                      it goes out in one write with the row after it
and the first row of a file
    "agent": {"doors", "clock", "ids", "env"}   how the agent is started (`world.Settings`)

`$PROJECT`, `$STATE`, `$NOTES` and `$CONFIG` stand for the session's directory, the state directory, the directory
of the project's notes and that of the configuration, `$SERVER` and `$HOST` for the address of a model's server, with
and without its scheme; `$REPEAT(x,1000)` in a c2a row for a thousand x.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pydantic_core import to_json

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "fixtures" / "transcripts"

Row = dict[str, Any]
Message = dict[str, Any]

_REPEAT = re.compile(r"\$REPEAT\((.),(\d+)\)")


def encode(message: object) -> bytes:
    """A message as the agent writes it, without the line's end."""
    try:
        return to_json(message)
    except ValueError:  # a lone surrogate
        text = json.dumps(message, ensure_ascii=False, separators=(",", ":"))
        return text.encode("utf-8", "backslashreplace")


def line_of(row: Row) -> bytes:
    """The bytes of a c2a row on the wire, with the line's end; placeholders of paths still in."""
    if "raw_base64" in row:
        return base64.b64decode(row["raw_base64"]) + b"\n"
    text = row["raw"] if "raw" in row else json.dumps(row["msg"], ensure_ascii=False)
    return _repeated(text).encode("utf-8", "backslashreplace") + b"\n"


def raw_row(line: bytes | str) -> Row:
    """The row of a line that is no message."""
    try:
        text = line if isinstance(line, str) else line.decode("utf-8")
    except UnicodeDecodeError:
        return {"dir": "c2a", "raw_base64": base64.b64encode(line).decode("ascii")}  # type: ignore[arg-type]
    return {"dir": "c2a", "raw": text}


def load(path: Path) -> list[Row]:
    """The rows of a transcript."""
    return [json.loads(line) for line in path.read_bytes().split(b"\n") if line]


def dump(rows: Iterable[Row]) -> bytes:
    """The rows as a file."""
    return b"".join(encode(row) + b"\n" for row in rows)


def names() -> list[str]:
    """The names of all transcripts."""
    return sorted(path.stem for path in FOLDER.glob("*.jsonl"))


def path_of(name: str) -> Path:
    """Where a transcript lies."""
    return FOLDER / f"{name}.jsonl"


def _repeated(text: str) -> str:
    return _REPEAT.sub(lambda found: found[1] * int(found[2]), text)
