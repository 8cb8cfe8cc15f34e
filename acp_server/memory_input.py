"""What memory commands read: arguments, one note from standard input, or a batch of notes."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from acp_server.exits import Exit
from acp_server.memory_command import Asked
from acp_server.secrets import find_secrets
from acp_server.sentences import cli as say
from acp_server.sentences.secrets import looks_like
from acp_server.terminal import Output, complain
from memory_core.exceptions import BadText, MemoryFault, StateUnavailable
from memory_core.results import Receipt
from memory_core.results_json import JsonObject, as_json

if TYPE_CHECKING:
    from memory_core.memory import Memory


def positive(text: str) -> int:
    """A number of at least 1. Raises ValueError."""
    if not (text.isascii() and text.isdigit() and 0 < len(text) < 10 and int(text) > 0):
        raise ValueError(say.bad_limit(text))
    return int(text)


def standard_input() -> str:
    """All of standard input as text; raises BadText where it isn't UTF-8."""
    try:
        return b"".join(_standard_input_lines()).decode("utf-8")
    except UnicodeDecodeError as error:
        raise BadText(say.NOT_UTF8) from error


def _standard_input_lines() -> Iterator[bytes]:
    """Standard input line by line as it comes; nothing where it is closed."""
    return iter(()) if sys.stdin is None else iter(sys.stdin.buffer)


def error_object(command: str, error: MemoryFault) -> JsonObject:
    """A memory error as a program reads it."""
    return {
        "type": "memory.error",
        "version": 1,
        "command": command,
        "message": error.message,
        "hint": error.hint,
    }


def _parse(raw: bytes) -> tuple[str, str]:
    """Name and text of one line of a batch; raises BadText."""
    try:
        value: object = json.loads(raw.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise BadText(say.BATCH_NOT_UTF8) from error
    except (ValueError, RecursionError) as error:
        raise BadText(say.BATCH_BAD_LINE) from error
    name, text = (value.get("name"), value.get("text")) if isinstance(value, dict) else (None, None)
    if not isinstance(name, str) or not isinstance(text, str):
        raise BadText(say.BATCH_BAD_LINE)
    return name, text


def write(memory: Memory, name: str, text: str) -> Receipt:
    """Write a note for a person, who needs no leave; the receipt names what looks like a secret."""
    receipt = memory.write(name, text, known=memory.propose_write(name, text).newest)
    remarks = (looks_like(found.line, found.kind) for found in find_secrets(text))
    return replace(receipt, notices=(*remarks, *receipt.notices))


def _acknowledged(memory: Memory, raw: bytes) -> JsonObject:
    """Write one note of a batch and give its acknowledgement; raises MemoryFault."""
    name, text = _parse(raw)
    return as_json(write(memory, name, text))


def write_batch(memory: Memory, out: Output) -> Exit:
    """Write a note for each line of standard input; acknowledge each, in order, once it is durable.

    A line that can't be written is acknowledged by an error with its 1-based `line`, and the rest go on;
    blank lines are passed over. A reader that goes away ends the batch.
    """
    ended = Exit.OK
    for number, raw in enumerate(_standard_input_lines(), start=1):
        if not raw.strip():
            continue
        try:
            acknowledgement: JsonObject = _acknowledged(memory, raw)
        except MemoryFault as error:
            acknowledgement = {**error_object("write", error), "line": number}
            ended = Exit.UNAVAILABLE if isinstance(error, StateUnavailable) else Exit.WRONG
        out.json(acknowledgement)
        out.flush()
    return ended


def refuse_agent(asked: Asked, out: Output) -> Exit:
    """Refuses what would change the memory to a command that the agent started."""
    if asked.json:
        out.json(error_object(asked.command, MemoryFault(say.AGENT_MAY_NOT)))
    complain(say.AGENT_MAY_NOT)
    return Exit.REFUSED
