"""A model that does what the person's words say, as JSON: a list of rounds, each a list of steps.

`["say", text]`, `["call", tool, arguments]` (a text goes out as it is), `["wait"]` (for ever), `["fault", sentence]`,
`["say-request"]`, `["reminder"]`. After the last round it repeats the results of its calls. A task is given its own
rounds as its prompt.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator

from acp_server.providers.interface import (
    AssistantItem,
    CallReady,
    CallStarted,
    ModelInfo,
    Provider,
    ProviderEvent,
    ProviderFault,
    Request,
    Stopped,
    StopReason,
    TextDelta,
    ToolCall,
    ToolItem,
    Usage,
    UserItem,
)
from memory_core.reminder import without_reminder


class Directed(Provider):
    """`test/scripted`."""

    def models(self) -> tuple[ModelInfo, ...]:
        return (ModelInfo("test/scripted", "Directed"),)

    async def stream(self, request: Request) -> AsyncIterator[ProviderEvent]:
        last = max(at for at, item in enumerate(request.items) if isinstance(item, UserItem))
        said = request.items[last].text
        done = sum(isinstance(item, AssistantItem) for item in request.items[last:])
        rounds = json.loads(without_reminder(said))
        if done >= len(rounds):
            results = [item.text for item in request.items[last:] if isinstance(item, ToolItem)]
            yield TextDelta("\n".join(results))
            yield Usage(1, 0, 1)
            yield Stopped(StopReason.END_TURN)
            return
        calls = 0
        for kind, *values in rounds[done]:
            match kind:
                case "say":
                    yield TextDelta(values[0])
                case "reminder":
                    yield TextDelta(said.removesuffix(without_reminder(said)))
                case "say-request":
                    yield TextDelta(f"{request.system}\n{[tool.name for tool in request.tools]}\n{request.items}")
                case "call":
                    calls += 1
                    call_id = f"c{done}-{calls}"
                    yield CallStarted(call_id, values[0])
                    text = values[1] if isinstance(values[1], str) else json.dumps(values[1])
                    yield CallReady(ToolCall(call_id, values[0], text))
                case "wait":
                    await asyncio.Event().wait()
                case "fault":
                    raise ProviderFault(values[0])
        yield Usage(1, 0, 1)
        yield Stopped(StopReason.TOOL_USE if calls else StopReason.END_TURN)


def providers() -> dict[str, Provider]:
    """The door for models."""
    return {"test/scripted": Directed()}
