"""The model behind the network of a transcript: a server on this machine that says what the first row holds.

    {"do": "model", "wire": "anthropic", "chat": [ANSWER, …], "title": ANSWER}

An answer is `{"think": […], "say": […], "call": {…}, "tokens": [input, cached, output]}`, each part where it is wanted;
`"then": "reset"` tears it apart behind its words, `"after": "title"` has it wait until the agent has the title. A fault
is `{"status": 429, "says": "…", "retry_after": "1"}`, a page that is no answer `{"page": "<html>…"}`.
"""

from __future__ import annotations

import threading
from typing import Any

from acp_server.models.values import Wire
from tests.providers.server import END, HANG, RESET, Recorded, Reply, Server, Step, answer, chunk, error, head
from tests.providers.words import SPEECH, Events, Tokens

Answer = dict[str, Any]

FOR_A_TITLE = b"You give a conversation its title"
"""What a request for a title says and no other does."""


class ModelServer(Server):
    """Answers in the order of the script. A title beside it is said where an answer waits for it, so that what it takes
    is in the same sum each time.
    """

    def __init__(self, wire: Wire, chat: list[Answer], title: Answer) -> None:
        super().__init__([])
        self._wanted = threading.Event()
        self.script = [self._chat(wire, number, each) for number, each in enumerate(chat)]
        gate = [self._wanted] if any(each.get("after") == "title" for each in chat) else []
        self._title: list[Step] = [*gate, *_reply(wire, title), HANG]  # whoever has read it hangs up

    def _chat(self, wire: Wire, number: int, said: Answer) -> list[Step]:
        gate = [self.hung_up] if said.get("after") == "title" else []
        return [*gate, *_reply(wire, said, f"call{number:06}")]

    def reply_to(self, request: Recorded) -> Reply:
        """The title for a request that wants one, else the next answer."""
        if FOR_A_TITLE in request.body:
            return self._title
        reply = super().reply_to(request)
        if self.hung_up in reply:
            self._wanted.set()
        return reply


def _reply(wire: Wire, said: Answer, call_id: str = "") -> list[Step]:
    if "status" in said:
        headers = {"retry_after": said["retry_after"]} if "retry_after" in said else {}
        return error(said["status"], said["says"], connection="close", **headers)
    if "page" in said:
        return answer(200, said["page"], content_type="text/html", connection="close")
    events = _events(wire, said, call_id)
    rest: list[Step] = [RESET] if said.get("then") == "reset" else [END]
    begun = head(content_type="text/event-stream", transfer_encoding="chunked", connection="close")
    return [begun, *map(chunk, events), *rest]


def _events(wire: Wire, said: Answer, call_id: str) -> Events:
    speech, tokens = SPEECH[wire], said.get("tokens")
    events = speech.begin()
    if "think" in said:
        events += speech.think(said["think"])
    if "say" in said:
        events += speech.text(said["say"])
    if "call" in said:
        events += speech.call(call_id, "memory", said["call"])
    if "then" not in said:
        events += speech.end("tools" if "call" in said else "end", Tokens(*tokens) if tokens else None)
    return events
