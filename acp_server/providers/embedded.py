"""The embedded model: a deterministic librarian behind the interface of every provider. No network, no key.

It reads the person's newest message and the results since, decides one move (`librarian/`), and streams it as a
model would: text word by word, calls as JSON. Tokens are an estimate, four bytes each; what an earlier request
of the same conversation held already counts as cached.
"""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Iterable, Sequence

from acp_server.providers.interface import (
    AssistantItem,
    CallReady,
    CallStarted,
    Item,
    ModelInfo,
    ProviderEvent,
    Request,
    Stopped,
    StopReason,
    TextDelta,
    ToolCall,
    Usage,
    UserItem,
)
from acp_server.providers.librarian.intents import Reply
from acp_server.providers.librarian.moves import Call, Move, Say, next_move
from acp_server.providers.librarian.surroundings import TOOL, last_message, surroundings
from acp_server.providers.librarian.understanding import understand
from acp_server.sentences import librarian as say

MODEL = "embedded/librarian"
BYTES_PER_TOKEN = 4
_WORDS = re.compile(r"\s*\S+\s*")


class Librarian:
    """Answers for `embedded/librarian`. Holds no state: the same request always gives the same events."""

    def models(self) -> tuple[ModelInfo, ...]:
        """The one embedded model."""
        return (ModelInfo(MODEL, say.NAME, say.DESCRIPTION),)

    async def stream(self, request: Request) -> AsyncIterator[ProviderEvent]:
        """The events of one request: an answer, or one call of the memory tool."""
        for event in events(request):
            yield event


def events(request: Request) -> Iterable[ProviderEvent]:
    """What the librarian does with a request."""
    move = decide(request)
    if isinstance(move, Say):
        yield from (TextDelta(piece) for piece in _WORDS.findall(move.text))
        yield _usage(request, move.text)
        yield Stopped(StopReason.END_TURN)
        return
    call = ToolCall(_call_id(request.items), TOOL, json.dumps(move.arguments, ensure_ascii=False))
    yield CallStarted(call.id, call.name)
    yield CallReady(call)
    yield _usage(request, call.arguments)
    yield Stopped(StopReason.TOOL_USE)


def decide(request: Request) -> Move:
    """The move for a request: what the person wants, then what is still to be done for it."""
    message, steps = last_message(request.items)
    around = surroundings(request)
    intent = understand(message, _known_before(request, around.known))
    if not isinstance(intent, Reply) and all(tool.name != TOOL for tool in request.tools):
        return Say(say.NO_MEMORY)
    return next_move(intent, steps, around)


def _known_before(request: Request, now: frozenset[str]) -> frozenset[str]:
    """Names known when the person spoke, so that a result of this turn never changes what was meant."""
    at = max((index for index, item in enumerate(request.items) if isinstance(item, UserItem)), default=-1)
    if at < 0 or at == len(request.items) - 1:
        return now
    earlier = Request(request.model, request.system, request.tools, request.items[: at + 1], request.session)
    return surroundings(earlier).known


def _call_id(items: Sequence[Item]) -> str:
    made = sum(len(item.calls) for item in items if isinstance(item, AssistantItem))
    return f"librarian-{made + 1}"


def _usage(request: Request, output: str) -> Usage:
    sizes = [_item_bytes(item) for item in request.items]
    prompt = len(request.system.encode()) + sum(sizes)
    answered = [at for at, item in enumerate(request.items) if isinstance(item, AssistantItem)]
    cached = len(request.system.encode()) + sum(sizes[: answered[-1]]) if answered else 0
    return Usage(_tokens(prompt), _tokens(cached), max(_tokens(len(output.encode())), 1))


def _tokens(size: int) -> int:
    return -(-size // BYTES_PER_TOKEN)


def _item_bytes(item: Item) -> int:
    if isinstance(item, AssistantItem):
        return _size(item.text) + sum(_size(call.arguments) for call in item.calls)
    return _size(item.text)


def _size(text: str) -> int:
    """Bytes; a session's file may bring text that UTF-8 can't hold."""
    return len(text.encode("utf-8", "replace"))


__all__ = ["MODEL", "Call", "Librarian", "decide", "events"]
