"""The client's side of the protocol as the chat needs it: one request at a time, everything else in between.

While a request waits for its answer, updates are drawn, permissions are answered, other requests are
declined, and Ctrl-C cancels: once politely, a second time by ending the agent.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, assert_never

from acp_server.chat_process import AgentGone, AgentProcess, Ended, Garbage, Heard, Interrupted, Message
from acp_server.providers.interface import JsonObject, JsonValue

METHOD_NOT_FOUND = -32601


class AgentError(Exception):
    """The agent answered a request with an error; `sentence` is what a person reads, `code` the protocol's."""

    def __init__(self, sentence: str, code: JsonValue = None) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.code = code


class NotProtocol(Exception):
    """The agent wrote a line that is no message."""


class Surface(Protocol):
    """What the person sees and decides."""

    def update(self, update: JsonObject) -> None:
        """Draw one session update."""
        ...

    def permission(self, tool_call: JsonObject, options: list[JsonObject]) -> str | None:
        """The id of the chosen option; None where the person stopped the turn."""
        ...

    def stopping(self) -> None:
        """Say that the turn was asked to stop."""
        ...


def as_object(value: JsonValue) -> JsonObject:
    """`value` where it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def as_objects(value: JsonValue) -> list[JsonObject]:
    """The objects of a list."""
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def as_text(value: JsonValue) -> str:
    """`value` where it is a text, else an empty one."""
    return value if isinstance(value, str) else ""


def _sentence(error: JsonObject) -> str:
    """What an error says to a person: `data.details`, else its message."""
    return as_text(as_object(error.get("data")).get("details")) or as_text(error.get("message"))


class Client:
    """Speaks for the person to one agent."""

    def __init__(self, agent: AgentProcess, surface: Surface) -> None:
        self._agent = agent
        self._surface = surface
        self._last_id = -1
        self._session: str | None = None
        self._cancelled = False

    def request(self, method: str, params: JsonObject) -> JsonObject:
        """Ask and wait for the answer. Raises AgentError, AgentGone, NotProtocol, KeyboardInterrupt."""
        self._last_id += 1
        self._agent.send({"jsonrpc": "2.0", "id": self._last_id, "method": method, "params": params})
        while True:
            answer = self._handle(self._agent.hear())
            if answer is not None:
                return answer

    def prompt(self, session_id: str, text: str) -> str:
        """One turn; the reason why it stopped."""
        self._session, self._cancelled = session_id, False
        blocks: list[JsonValue] = [{"type": "text", "text": text}]
        try:
            answer = self.request("session/prompt", {"sessionId": session_id, "prompt": blocks})
        finally:
            self._session = None
        return as_text(answer.get("stopReason"))

    def _handle(self, heard: Heard) -> JsonObject | None:
        """Deal with what was heard; the result where it answers the request that waits."""
        match heard:
            case Message(body):
                return self._message(body)
            case Interrupted():
                self.cancel()
            case Garbage():
                raise NotProtocol
            case Ended():
                raise self._agent.gone()
            case _:
                assert_never(heard)
        return None

    def _message(self, body: JsonObject) -> JsonObject | None:
        if "method" in body:
            self._called(as_text(body["method"]), as_object(body.get("params")), body)
            return None
        if body.get("id") != self._last_id:
            return None
        if "error" in body:
            error = as_object(body["error"])
            raise AgentError(_sentence(error), error.get("code"))
        return as_object(body.get("result"))

    def _called(self, method: str, params: JsonObject, body: JsonObject) -> None:
        """The agent calls us: `id` tells a request from a notification."""
        if "id" not in body:
            if method == "session/update":
                self._surface.update(as_object(params.get("update")))
            return
        answer: dict[str, Callable[[JsonObject], JsonObject]] = {"session/request_permission": self._permission}
        if method in answer:
            reply: JsonObject = {"result": answer[method](params)}
        else:
            reply = {"error": {"code": METHOD_NOT_FOUND, "message": "Method not found"}}
        self._agent.send({"jsonrpc": "2.0", "id": body["id"], **reply})

    def _permission(self, params: JsonObject) -> JsonObject:
        chosen: str | None = None
        if not self._cancelled:
            tool_call, options = as_object(params.get("toolCall")), as_objects(params.get("options"))
            chosen = self._surface.permission(tool_call, options)
            if chosen is None:
                self.cancel()
        if chosen is None:
            return {"outcome": {"outcome": "cancelled"}}
        return {"outcome": {"outcome": "selected", "optionId": chosen}}

    def cancel(self) -> None:
        """Stop the turn; a second time, or without one, end the agent and raise KeyboardInterrupt."""
        if self._session is None or self._cancelled:
            self._agent.kill()
            raise KeyboardInterrupt
        self._cancelled = True
        self._agent.send({"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": self._session}})
        self._surface.stopping()


__all__ = [
    "AgentError",
    "AgentGone",
    "Client",
    "NotProtocol",
    "Surface",
    "as_object",
    "as_objects",
    "as_text",
]
