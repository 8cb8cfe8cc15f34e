"""A model's server with a window: it counts what it is sent, refuses what is too long in its wire's own words, and
holds every request to what its wire demands.

    with SmallWindow(wire=Wire.ANTHROPIC, window=8000) as server, asking(tmp_path, server) as agent:
        ...  # server.seen, server.sent("chat")

What a person types tells the model what to do: `call TOOL {…}` on a line of its own calls a tool, `say N` says N bytes,
`refuse` refuses; all else is answered with a word. A token is four bytes of the body, as with many models.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from harness import AgentProcess
from model_server import KINDS
from providers.legal_bodies import check
from providers.server import Recorded, Reply, Server, answer, error, stream
from providers.words import SPEECH, Tokens, named
from session_support import NO_SEQUENCE

from acp_server.models.values import Wire

Body = dict[str, Any]

BYTES_PER_TOKEN = 4
CALL = re.compile(r"^call (\w+) (\{.*\})$", re.MULTILINE)
SAY = re.compile(r"^say (\d+)$", re.MULTILINE)


@dataclass(frozen=True)
class Sent:
    """One request as the server counted it."""

    kind: str
    body: Body
    raw: bytes
    tokens: int
    refused: bool


@dataclass
class SmallWindow(Server):
    """`summaries` are the answers to requests for a shorter history, the last one for ever: words, or a whole reply.
    `overflows` are how many requests of the chat are refused as too long whatever their size.
    """

    script: list[Reply] = field(default_factory=list)
    wire: Wire = Wire.CHAT_COMPLETIONS
    window: int = 8_000
    summaries: list[str | Reply] = field(default_factory=lambda: ["Everything so far."])
    overflows: int = 0
    stated: bool = True
    thinks: bool = False
    seen: list[Sent] = field(default_factory=list)
    calls: int = 0

    def sent(self, kind: str = "chat") -> list[Sent]:
        """The requests of one kind that were answered."""
        return [each for each in self.seen if each.kind == kind and not each.refused]

    @property
    def refusals(self) -> list[Sent]:
        """The requests that were too long."""
        return [each for each in self.seen if each.refused]

    @property
    def base_url(self) -> str:
        """Its address as a configuration has it."""
        return self.url if self.wire is Wire.ANTHROPIC else f"{self.url}/v1"

    def config(self, more: str = "") -> str:
        """A configuration with this model, `lab/large`."""
        return f"{self.model('large', self.window if self.stated else None)}{more}\n"

    def model(self, name: str, window: int | None) -> str:
        """A model on this server, as a configuration has it."""
        size = f"context_window = {window}\n" if window else ""
        return (
            f'[models.{name}]\nprovider = "lab"\nmodel = "{name}"\nbase_url = "{self.base_url}"\n{size}'
            f'wire = "{self.wire.value}"\nthinks = {str(self.thinks).lower()}\n'
        )

    def reply_to(self, request: Recorded) -> Reply:
        """Count, refuse or answer."""
        if request.line.startswith("GET"):
            return answer(404)
        body = check(self.wire, request.json)
        kind, tokens = self._kind(body), -(-len(request.body) // BYTES_PER_TOKEN)
        forced = kind == "chat" and self.overflows > 0
        self.overflows -= forced
        bound = body["max_tokens"] if self.wire is Wire.ANTHROPIC else 0
        refused = forced or tokens + bound > self.window
        self.seen.append(Sent(kind, body, request.body, tokens, refused))
        if refused:
            return self._refusal(tokens)
        if kind == "chat":
            return at_once(self._chat(body, tokens))
        if kind == "compaction":
            summary = self.summaries.pop(0) if len(self.summaries) > 1 else self.summaries[0]
            return at_once(self._said([summary], tokens)) if isinstance(summary, str) else summary
        return at_once(self._said(["a line"], tokens))

    def _kind(self, body: Body) -> str:
        first = body["messages"][0]["content"] if self.wire is Wire.CHAT_COMPLETIONS else None
        system = str(first or body.get("instructions") or body.get("system"))
        return next((kind for start, kind in KINDS.items() if start in system), "chat")

    def _refusal(self, tokens: int) -> Reply:
        match self.wire:
            case Wire.CHAT_COMPLETIONS:
                words = f"This model's maximum context length is {self.window} tokens, your messages have {tokens}."
                return error(400, words, "context_length_exceeded")
            case Wire.ANTHROPIC:
                words = f"prompt is too long: {tokens} tokens > {self.window} maximum"
                return error(400, words, "invalid_request_error")
            case Wire.RESPONSES:
                fault = {"code": "context_length_exceeded", "message": "Your input exceeds the context window."}
                failed = {"type": "response.failed", "response": {"id": "r", "status": "failed", "error": fault}}
                return stream([*SPEECH[self.wire].begin(), named(failed)])

    def _said(self, words: Sequence[str], tokens: int, reason: str = "end") -> list[bytes]:
        speech = SPEECH[self.wire]
        took = Tokens(tokens, 0, max(1, sum(map(len, words)) // BYTES_PER_TOKEN))
        return [*speech.begin(), *speech.text(list(words)), *speech.end(reason, took)]

    def _chat(self, body: Body, tokens: int) -> list[bytes]:
        words, results = last_said(self.wire, body)
        wanted = CALL.findall(words)
        speech = SPEECH[self.wire]
        thought = speech.think(["Let me see."]) if self.thinks else []
        if results < len(wanted):
            self.calls += 1
            tool, arguments = wanted[results]
            call = speech.call(f"call{self.calls:06}", tool, arguments)
            return [*speech.begin(), *thought, *call, *speech.end("tools", Tokens(tokens, 0, 20))]
        if "\nrefuse" in words:
            return [*speech.begin(), *speech.end("filter", Tokens(tokens, 0, 1))]
        said = sum(map(int, SAY.findall(words)))
        return self._said(["word " * (said // 5) or "Done."], tokens)


def at_once(events: list[bytes]) -> Reply:
    """An answer in one write: a socket that holds back small ones until the first is confirmed costs 40 ms a turn."""
    return [b"".join(step for step in stream(events) if isinstance(step, bytes))]


def items_of(wire: Wire, body: Body) -> list[Body]:
    """The conversation of a request, without the marks of a provider's cache."""
    items = body["input"] if wire is Wire.RESPONSES else body["messages"]
    plain = json.loads(json.dumps(items).replace(', "cache_control": {"type": "ephemeral"}', ""))
    return plain[1:] if wire is Wire.CHAT_COMPLETIONS else plain


def system_of(wire: Wire, body: Body) -> str:
    """The system prompt of a request."""
    match wire:
        case Wire.CHAT_COMPLETIONS:
            return str(body["messages"][0]["content"])
        case Wire.RESPONSES:
            return str(body["instructions"])
        case Wire.ANTHROPIC:
            return str(body["system"][0]["text"])


def last_said(wire: Wire, body: Body) -> tuple[str, int]:
    """What the person said last, and how many results came since."""
    results = 0
    for item in reversed(items_of(wire, body)):
        if item.get("type") == "function_call_output" or item.get("role") == "tool":
            results += 1
        elif item.get("role") == "user":
            content = item["content"]
            blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
            results += sum(block["type"] == "tool_result" for block in blocks)
            if text := "".join(block["text"] for block in blocks if block["type"] == "text"):
                return text, results
    return "", results


@contextmanager
def asking(folder: Path, server: SmallWindow, more: str = "", **capabilities: object) -> Iterator[AgentProcess]:
    """An agent whose sessions begin with the server's model."""
    place = folder / "config"
    place.mkdir(exist_ok=True)
    (place / "config.toml").write_text(server.config(more), encoding="utf-8")
    env = {**NO_SEQUENCE, "CAUDRA_CONFIG_DIR": str(place), "CAUDRA_MODEL": "lab/large"}
    with AgentProcess(folder, doors=None, env=env) as agent:
        agent.initialize(clientCapabilities=capabilities)
        yield agent
