"""The tool `task`: a helper that works on its own and reports back in one message."""

from __future__ import annotations

from acp_server.card_blocks import text_block
from acp_server.events import Card
from acp_server.history import limited
from acp_server.jsonclean import mended
from acp_server.markdown import note_markdown, plain_title, shown
from acp_server.providers.interface import JsonObject, ToolSpec
from acp_server.sentences import tasks as say
from acp_server.sentences import workspace as say_workspace
from acp_server.subagents import NAME, Subagents
from acp_server.tools.eyes import failed
from acp_server.tools.file_arguments import Arguments, shown_text
from acp_server.tools.registry import Outcome, ToolContext
from acp_server.workspace.faults import WorkspaceFault

MAX_REPORT_BYTES = 16 * 1024
MAX_LABEL = 48

SPEC = ToolSpec(
    name=NAME,
    description=say.DESCRIPTION,
    schema={
        "type": "object",
        "properties": {name: {"type": "string", "description": told} for name, told in say.ARGUMENTS.items()},
        "required": list(say.ARGUMENTS),
        "additionalProperties": False,
    },
)


class TaskTool:
    """The tool."""

    spec: ToolSpec = SPEC
    opening = Card(title=say.OPENING, kind="think")

    def __init__(self, subagents: Subagents) -> None:
        self._subagents = subagents

    def describe(self, arguments: JsonObject) -> Card:
        """Title and kind."""
        label = plain_title(shown_text(arguments, "title"), MAX_LABEL)
        return Card(title=plain_title(say.title(label)), kind="think") if label else self.opening

    async def run(self, arguments: JsonObject, context: ToolContext) -> Outcome:
        """Run the task to its report."""
        try:
            label, prompt = _arguments(arguments)
        except WorkspaceFault as fault:
            return failed(str(fault))
        report, card = await self._subagents.run(label, prompt, context)
        text = _bounded(shown(report.text))
        blocks = [text_block(each) for each in (card.lines, note_markdown(text)) if each]
        raw_output: JsonObject = {"type": "task.report", "version": 1, "calls": card.calls, "failed": report.failed}
        return Outcome(
            f"error: {text}" if report.failed else text,
            failed=report.failed,
            card=Card(content=tuple(blocks), raw_output=raw_output),
        )


def _arguments(arguments: JsonObject) -> tuple[str, str]:
    """The task's name, and its prompt, which says something and can be sent. Raises WorkspaceFault."""
    given = Arguments(NAME, arguments, tuple(say.ARGUMENTS))
    label, prompt = plain_title(given.text("title"), MAX_LABEL), mended(given.text("prompt"))
    for name, text in (("title", label), ("prompt", prompt.strip())):
        if not text:
            raise WorkspaceFault(*say_workspace.argument_missing(NAME, name))
    return label, prompt


def _bounded(report: str) -> str:
    size = len(report.encode("utf-8", "replace"))
    return (
        report
        if size <= MAX_REPORT_BYTES
        else limited(report, MAX_REPORT_BYTES, say.report_cut(MAX_REPORT_BYTES, size))
    )
