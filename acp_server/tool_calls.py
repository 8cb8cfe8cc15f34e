"""Running the calls of one answer: the card, the arguments, the permission, the tool, the result for the
model.

Every card that was opened ends `completed` or `failed`; `close_cards` ends those that a cancel or a fault
left open. One that fails after the person was asked keeps what they were shown, above why it failed: what was refused
can be seen afterwards, and in a session that is loaded.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from acp_server import permissions
from acp_server.cancelling import CancelScope
from acp_server.card_blocks import sentence_card
from acp_server.conversation import Conversation
from acp_server.depth import is_deep
from acp_server.events import Card, CardChanged, CardOpened
from acp_server.history import limited
from acp_server.jsonclean import clean
from acp_server.markdown import plain_title
from acp_server.outlook import Outlook
from acp_server.permissions import Question, Verdict
from acp_server.providers.interface import JsonObject, JsonValue, ToolCall, ToolItem
from acp_server.seams import Asker, Emit, NobodyThere, SessionState
from acp_server.sentences import tools as say
from acp_server.tools.registry import Outcome, Tool, ToolContext, Tools

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class Calls:
    """The calls of one answer. `open_cards` maps a provider's call id to the id of its card while that is open."""

    tools: Tools
    session: SessionState
    conversation: Conversation
    outlook: Outlook
    emit: Emit
    asker: Asker
    scope: CancelScope
    max_output_bytes: int
    open_cards: dict[str, str] = field(default_factory=dict)
    _last: dict[str, Card] = field(default_factory=dict)
    _asked: dict[str, tuple[JsonObject, ...]] = field(default_factory=dict)
    """What a question showed, by the id of its card."""

    async def announce(self, call_id: str, name: str) -> None:
        """The model asks for a tool: its card appears, pending."""
        if call_id in self.open_cards:
            return
        tool = self.tools.get(name)
        card = tool.opening if tool else Card(title=plain_title(name) or "?", kind="other")
        card_id = self.open_cards[call_id] = self.conversation.card_id(call_id)
        self._last[card_id] = card
        await self.emit(CardOpened(card_id, card.title or name, card.kind or "other"))

    async def complete(self, call: ToolCall) -> None:
        """The arguments are whole: the card gets its title and input."""
        await self.announce(call.id, call.name)
        arguments, _ = parse_arguments(call.arguments)
        tool = self.tools.get(call.name)
        card = tool.describe(arguments) if tool and arguments is not None else Card()
        shown_input: JsonValue = clean(arguments) if arguments is not None else clean(call.arguments)
        await self._change(self.open_cards[call.id], None, replace(card, raw_input=shown_input))

    async def run(self, call: ToolCall) -> ToolItem:
        """Run one call to its end; the result is what the model reads."""
        card_id = self.open_cards[call.id]
        await self._change(card_id, "in_progress", Card())
        outcome = await self._outcome(call, card_id)
        del self.open_cards[call.id]
        if outcome.failed:
            await self._fail(card_id, outcome.card)
        else:
            await self._change(card_id, "completed", outcome.card)
        return ToolItem(call.id, call.name, self._within_limit(outcome.text), outcome.failed)

    async def close_cards(self, sentence: str, *, but: Sequence[ToolCall] = ()) -> None:
        """End each card that is still open as failed, but for those of some calls."""
        going_on = {call.id for call in but}
        for call_id, card_id in list(self.open_cards.items()):
            if call_id not in going_on:
                del self.open_cards[call_id]
                await self._fail(card_id, sentence_card(sentence))

    async def _outcome(self, call: ToolCall, card_id: str) -> Outcome:
        tool = self.tools.get(call.name)
        if tool is None:
            known = ", ".join(self.tools.names)
            return _failed(say.unknown_tool(call.name, known), say.card_unknown_tool(call.name))
        arguments, reason = parse_arguments(call.arguments)
        if arguments is None:
            return _failed(say.broken_arguments(call.name, reason), say.CARD_BROKEN_ARGUMENTS)
        return await self._run_tool(tool, call, arguments, card_id)

    async def _run_tool(self, tool: Tool, call: ToolCall, arguments: JsonObject, card_id: str) -> Outcome:
        async def change(card: Card) -> None:
            await self._change(card_id, None, card)

        async def permit(question: Question, card: Card, flagged: bool) -> Verdict:
            return await self._permit(card_id, question, card, flagged)

        context = ToolContext(
            self.session,
            self.conversation,
            self.outlook.memory,
            self.outlook.fault,
            change,
            permit,
            self.scope,
            self.emit,
            self.asker,
        )
        try:
            return await tool.run(arguments, context)
        except NobodyThere as nobody:
            return _failed(say.nobody_there(nobody.rule), say.CARD_NOBODY_THERE)
        except Exception as error:  # noqa: BLE001 -- the ring around foreign tools; logged with its trace
            _log.exception("tool %s failed", call.name)
            return _failed(say.tool_broke(call.name, type(error).__name__), say.CARD_TOOL_BROKE)

    async def _permit(self, card_id: str, question: Question, card: Card, flagged: bool) -> Verdict:
        always = self.conversation.always
        if permissions.covered(question, always, flagged=flagged):
            return Verdict.ALWAYS
        offered = permissions.options(question, flagged=flagged)
        tool_call = self._question(card_id, card)
        self._asked[card_id] = card.content or ()
        try:
            answer = await self.asker.ask(self.session.session_id, tool_call, offered)
        except NobodyThere:
            del self._asked[card_id]  # nobody saw it
            raise
        given = permissions.verdict(answer, offered)
        if given is Verdict.ALWAYS:
            always.add(question.rule)
        return given

    def _question(self, card_id: str, card: Card) -> JsonObject:
        """The card as a permission request carries it: some clients draw the question from it alone."""
        last = self._last[card_id]
        tool_call: JsonObject = {"toolCallId": card_id, "status": "in_progress"}
        if title := card.title or last.title:
            tool_call["title"] = title
        if kind := card.kind or last.kind:
            tool_call["kind"] = kind
        if card.content is not None:
            tool_call["content"] = list(card.content)
        return tool_call

    async def _fail(self, card_id: str, card: Card) -> None:
        """End a card as failed, below what the person was asked about."""
        content = (*self._asked.get(card_id, ()), *(card.content or ()))
        await self._change(card_id, "failed", replace(card, content=content or None))

    async def _change(self, card_id: str, status: str | None, card: Card) -> None:
        """Send what differs from what the client has."""
        last = self._last[card_id]
        fresh = replace(
            card,
            title=card.title if card.title != last.title else None,
            kind=card.kind if card.kind != last.kind else None,
        )
        self._last[card_id] = replace(last, title=card.title or last.title, kind=card.kind or last.kind)
        if status is not None or fresh != Card():
            await self.emit(CardChanged(card_id, status, fresh))

    def _within_limit(self, text: str) -> str:
        size = len(text.encode("utf-8", "replace"))
        if size <= self.max_output_bytes:
            return text
        return limited(text, self.max_output_bytes, say.output_cut(self.max_output_bytes, size))


def parse_arguments(text: str) -> tuple[JsonObject | None, str]:
    """The arguments as an object, or None and why not. No arguments at all count as an empty object."""
    if not text.strip():
        return {}, ""
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        return None, f"{error.msg}, character {error.pos}"
    except RecursionError:
        return None, say.ARGUMENTS_TOO_DEEP
    except ValueError:  # Python reads no number of more than some thousand digits
        return None, say.ARGUMENTS_TOO_LONG_NUMBER
    if is_deep(value):
        return None, say.ARGUMENTS_TOO_DEEP
    return (value, "") if isinstance(value, dict) else (None, say.ARGUMENTS_NOT_OBJECT)


def _failed(text: str, sentence: str) -> Outcome:
    return Outcome(text, failed=True, card=sentence_card(sentence))
