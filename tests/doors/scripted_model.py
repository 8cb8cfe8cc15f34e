"""A model that does what its script says for the person's words, and one tool that waits for ever.

`WAIT` in a script never comes back, so that a test cancels at exactly that place; where there is a pipe
`waiting` in the state directory, a byte in it tells that the place is reached. The tool starts a child process
and says so in its card.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator
from pathlib import Path

from acp_server.children import Children
from acp_server.events import Card
from acp_server.providers.interface import (
    AssistantItem,
    CallReady,
    CallStarted,
    JsonObject,
    ModelInfo,
    Provider,
    ProviderEvent,
    ProviderFault,
    Request,
    Stopped,
    StopReason,
    TextDelta,
    ThoughtDelta,
    ToolCall,
    ToolItem,
    ToolSpec,
    UserItem,
)
from acp_server.tools.registry import Outcome, Tool, ToolContext
from memory_core.reminder import without_reminder

WAIT = asyncio.CancelledError
"""A step that waits until the request is cancelled."""

Step = ProviderEvent | ProviderFault | type[asyncio.CancelledError]

END = Stopped(StopReason.END_TURN)
MORE = Stopped(StopReason.TOOL_USE)


def words(text: str) -> list[Step]:
    """A text, word by word."""
    return [TextDelta(word) for word in text.replace(" ", " \0").split("\0")]


def call(call_id: str, arguments: JsonObject | str, tool: str = "memory") -> list[Step]:
    """One call; a string is sent as it is."""
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return [CallStarted(call_id, tool), CallReady(ToolCall(call_id, tool, text))]


def write(call_id: str, path: str, content: str) -> list[Step]:
    """A call that writes a note."""
    return call(call_id, {"command": "write", "path": path, "content": content})


RETRIES = "# Flaky tests\n\nRetries are off.\n"
CACHE = "# CI cache\n\nThe cache is keyed by the lock file.\n"

SCRIPTS: dict[str, list[list[Step]]] = {
    "Think.": [[WAIT]],
    "Count to five.": [[*words("one two three "), WAIT]],
    "Run what never ends.": [[*call("c1", {}, "hold"), MORE]],
    "Keep a note.": [[*write("c1", "flaky-tests.md", RETRIES), MORE], [*words("It is kept."), END]],
    "Keep a note in another spelling.": [[*write("c1", "Flaky_Tests", RETRIES), MORE], [*words("It is kept."), END]],
    "Keep a note, then wait.": [[*write("c1", "flaky-tests.md", RETRIES), MORE], [WAIT]],
    "Keep two notes.": [
        [*write("c1", "flaky-tests.md", RETRIES), *write("c2", "ci/cache.md", CACHE), MORE],
        [*words("Both are kept."), END],
    ],
    "Begin a call and stop.": [[CallStarted("c1", "memory"), *words("That will do."), END]],
    "Call what can't be called.": [
        [
            *call("c1", {"command": "fly"}),
            *call("c2", '{"command": "sear'),
            *call("c3", {"command": "zoom", "id": 3, "n": 2}),
            *call("c4", {"x": 1}, "browser"),
            *call("c5", {"command": "read", "path": "../../etc/passwd"}),
            MORE,
        ],
        [*words("None of that worked."), END],
    ],
    "Look at everything.": [
        [*call("c1", {"command": "view"}), *call("c2", {"command": "zoom", "id": 0, "n": 1}), MORE],
        [*words("That is all."), END],
    ],
    "View.": [[*call("c1", {"command": "view"}), MORE], [*words("Seen."), END]],
    "Zoom into 0+2.": [[*call("c1", {"command": "zoom", "id": 0, "n": 2}), MORE], [*words("Seen."), END]],
    "Zoom into 2048+512.": [[*call("c1", {"command": "zoom", "id": 2048, "n": 512}), MORE], [*words("Seen."), END]],
    "Break off.": [[*words("one two "), ProviderFault("The model is overloaded; try again in a minute.")]],
    "End without an end.": [words("one two ")],
    "Think aloud.": [[ThoughtDelta("Hm. "), *words("Done."), END]],
    "Ask for tools for ever.": [[*call("c1", {"command": "view"}), MORE]] * 50,
}

TOLD = "What were you told?"
HEARD = "What did you hear?"


class Scripted(Provider):
    """`test/scripted`."""

    def models(self) -> tuple[ModelInfo, ...]:
        return (ModelInfo("test/scripted", "Scripted"),)

    async def stream(self, request: Request) -> AsyncIterator[ProviderEvent]:
        for step in steps(request):
            if isinstance(step, ProviderFault):
                raise step
            if isinstance(step, type):
                tell_that_it_waits()
                await asyncio.Event().wait()
            else:
                yield step


def tell_that_it_waits() -> None:
    """Leave word for a test that wants to know."""
    pipe = Path(os.environ["CAUDRA_STATE_DIR"], "waiting")
    if pipe.exists():
        with pipe.open("wb") as writer:
            writer.write(b".")


def steps(request: Request) -> list[Step]:
    """What the model does now: the round of the script that comes next."""
    last = max(at for at, item in enumerate(request.items) if isinstance(item, UserItem))
    said = without_reminder(request.items[last].text)
    if said == TOLD:
        return [TextDelta(request.system), END]
    if said == HEARD:
        return [TextDelta("\n".join(map(heard, request.items))), END]
    done = sum(isinstance(item, AssistantItem) for item in request.items[last:])
    return SCRIPTS[said][done]


def heard(item: UserItem | AssistantItem | ToolItem) -> str:
    """An item of the history as the model reads it."""
    match item:
        case UserItem(text):
            return f"PERSON {text}"
        case AssistantItem(text, calls):
            return "\n".join([f"MODEL {text}", *(f"CALL {each.id} {each.name} {each.arguments}" for each in calls)])
        case ToolItem(call_id, name, text, failed):
            return f"RESULT {call_id} {name}{' failed' if failed else ''}\n{text}"


class Hold(Tool):
    """Starts a child process and waits for it; it ends when the call is cancelled."""

    spec = ToolSpec("hold", "Waits for ever.", {"type": "object", "properties": {}})
    opening = Card(title="Wait for a child process", kind="execute")

    def __init__(self) -> None:
        self.children = Children()

    def describe(self, arguments: JsonObject) -> Card:
        return self.opening

    async def run(self, arguments: JsonObject, context: ToolContext) -> Outcome:
        child = await self.children.start(["sleep", "600"], cwd=context.session.cwd, environ=os.environ)
        try:
            text: JsonObject = {"type": "content", "content": {"type": "text", "text": "It runs."}}
            await context.change(Card(content=(text,)))
            await child.process.wait()
            return Outcome("It ended.")
        finally:
            await self.children.end(child)


def providers() -> dict[str, Provider]:
    """The door for models."""
    return {"test/scripted": Scripted()}


def tools() -> list[Tool]:
    """The door for tools."""
    return [Hold()]
