"""Writing and deleting notes: propose, check for secrets, ask, change, receipt.

Where the note changed between the diff that was approved and the lock, the diff is made and asked again,
unless the rule was "always": that approved every text of the session, so the change is made against the
newest one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from acp_server.card_blocks import sentence_card
from acp_server.cards import change_card, proposal_card
from acp_server.memory_threads import ProjectMemory
from acp_server.permissions import Question, Verdict
from acp_server.providers.interface import JsonValue
from acp_server.sentences import tools as say
from acp_server.sentences.secrets import looks_like, name_looks_like
from acp_server.tools.memory_arguments import MemoryCall
from acp_server.tools.memory_text import Change, model_text
from acp_server.tools.registry import Outcome, ToolContext
from memory_core.exceptions import NoteChanged
from memory_core.results import Origin, OriginKind, Proposal, Receipt
from memory_core.results_json import VERSION

if TYPE_CHECKING:
    from memory_core.memory import Memory

SAVE = Question("memory.write", say.SAVE_ONCE, say.SAVE_ALWAYS, say.SAVE_NOT)
DELETE = Question("memory.delete", say.DELETE_ONCE, say.DELETE_ALWAYS, say.DELETE_NOT)


@dataclass(frozen=True, slots=True)
class _Wish:
    """A change that the model asked for: how to propose it and how to make it once approved."""

    action: str
    question: Question
    propose: Callable[[Memory], Proposal]
    make: Callable[[Memory, Proposal], Receipt]
    remarks: tuple[str, ...] = ()

    @property
    def flagged(self) -> bool:
        """Whether its text looks like it holds a secret."""
        return bool(self.remarks)


async def write_note(call: MemoryCall, context: ToolContext, memory: ProjectMemory) -> Outcome:
    """Keep a whole note, once the person agrees."""
    origin, known = _origin(context), context.conversation.known

    def make(door: Memory, proposal: Proposal) -> Receipt:
        seen = known.get(proposal.name)
        return door.write(call.path, call.content, origin=origin, known=seen, expected=proposal.newest)

    remarks = await memory.read(lambda door: _suspicions(door, call))
    wish = _Wish("write", SAVE, lambda door: door.propose_write(call.path, call.content), make, remarks)
    return await _change(wish, context, memory)


def _suspicions(door: Memory, call: MemoryCall) -> tuple[str, ...]:
    """What looks like a secret in the note's name and text. Raises what the write would: a text that is too long to be
    kept isn't looked through.
    """
    from acp_server.secrets import find_secrets  # its patterns take milliseconds to compile: not before a write

    door.propose_write(call.path, call.content)
    named = (name_looks_like(found.kind) for found in find_secrets(call.path))
    return (*named, *(looks_like(found.line, found.kind) for found in find_secrets(call.content)))


async def delete_note(call: MemoryCall, context: ToolContext, memory: ProjectMemory) -> Outcome:
    """Delete a note, once the person agrees."""
    origin, known = _origin(context), context.conversation.known

    def make(door: Memory, proposal: Proposal) -> Receipt:
        seen = known.get(proposal.name)
        return door.delete(call.path, origin=origin, known=seen, expected=proposal.newest)

    wish = _Wish("delete", DELETE, lambda door: door.propose_delete(call.path), make)
    return await _change(wish, context, memory)


async def _change(wish: _Wish, context: ToolContext, memory: ProjectMemory) -> Outcome:
    remarks = wish.remarks
    while True:
        proposal = await memory.read(wish.propose)
        verdict = await context.permit(wish.question, proposal_card(proposal, remarks), wish.flagged)
        if verdict is Verdict.REFUSED:
            return _refused(wish.action, proposal.name)
        try:
            with context.scope.protected():
                receipt = await memory.write(partial(_make, wish, proposal))
        except NoteChanged:
            context.scope.checkpoint()
            remarks = wish.remarks if verdict is Verdict.ALWAYS else (say.changed_meanwhile(), *wish.remarks)
            continue
        return _done(wish, proposal, receipt, context, memory)


def _make(wish: _Wish, approved: Proposal, door: Memory) -> Receipt:
    return wish.make(door, approved)


def _done(wish: _Wish, proposal: Proposal, receipt: Receipt, context: ToolContext, memory: ProjectMemory) -> Outcome:
    context.conversation.learn(receipt.name, receipt.entry)
    receipt = replace(receipt, notices=(*receipt.notices, *wish.remarks))
    older = receipt.replaced if proposal.old_text or wish.action == "delete" else None
    change = Change(receipt, older, memory.folder)
    return Outcome(model_text(change), card=change_card(change, proposal))


def _refused(action: str, name: str) -> Outcome:
    sentence = say.refused(action, name)
    raw_output: JsonValue = {
        "type": "memory.error",
        "version": VERSION,
        "command": action,
        "message": sentence,
        "hint": "",
    }
    return Outcome(sentence, failed=True, card=replace(sentence_card(sentence), raw_output=raw_output))


def _origin(context: ToolContext) -> Origin:
    session = context.session
    return Origin(OriginKind.SESSION, session.session_id, session.client)
