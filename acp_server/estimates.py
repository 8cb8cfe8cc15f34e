"""What is said before a model that costs something summarizes many notes: tokens, and money where it is known."""

from __future__ import annotations

from typing import TYPE_CHECKING

from acp_server.hands import Hand, Hands
from acp_server.memory_threads import ProjectMemory
from acp_server.models.values import Job, Model
from acp_server.seams import SessionState
from acp_server.sentences import summaries as say
from acp_server.spend import is_known
from acp_server.summary_estimate import MANY_NOTES, Estimate, estimate
from memory_core.exceptions import MemoryFault

if TYPE_CHECKING:
    from memory_core.memory import Memory


class Estimates:
    """Estimates, each project's once in a process."""

    def __init__(self, hands: Hands) -> None:
        """`hands` finds the model of the Memory job."""
        self._hands = hands
        self._said: set[ProjectMemory] = set()

    async def of(self, memory: ProjectMemory, session: SessionState) -> tuple[str, ...]:
        """A sentence where more notes wait than one pays for without a word."""
        if memory in self._said:
            return ()
        hand = self._hands(Job.MEMORY, session.model)
        if not isinstance(hand, Hand) or not is_paid(hand.model):
            return ()
        try:
            found = await memory.read(_estimate)
        except MemoryFault:
            return ()  # whatever is wrong with the memory is told elsewhere
        if found is None:
            return ()
        self._said.add(memory)
        dollars = found.dollars(hand.model.price)
        return (say.summaries_will_take(found.lines, found.tokens, dollars, hand.model.value),)


def is_paid(model: Model) -> bool:
    """Whether somebody is charged for the model: one on a server without keys is taken as one's own."""
    price = model.price
    if is_known(price):
        return bool(price.input or price.output)
    return model.endpoint.needs_key


def _estimate(door: Memory) -> Estimate | None:
    """The estimate, None where few notes wait."""
    if door.waiting_notes(MANY_NOTES + 1) <= MANY_NOTES:
        return None
    return estimate(door.leaf_sizes(), door.parents_there())
