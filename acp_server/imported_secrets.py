"""What looks like a secret in notes that the memory just took in: a notice to the person, never a refusal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from acp_server.secrets import find_secrets
from acp_server.sentences.secrets import imported_look_like
from memory_core.results import OriginKind, Reconciled

if TYPE_CHECKING:
    from memory_core.memory import Memory

MAX_READ_BYTES = 1024 * 1024
"""A turn waits for this: some 0.3 s. Of a larger import the oldest notes are read."""
MAX_NAMED = 3


def secrets_of(door: Memory, found: Reconciled) -> tuple[str, ...]:
    """One sentence where notes of this look's import hold what looks like a secret; reads at most 1 MiB of them."""
    if not found.imported:
        return ()
    named: list[str] = []
    read = 0
    for note in door.export():
        if note.origin.kind is not OriginKind.IMPORT or note.raw is None:
            continue
        read += len(note.raw)
        if read > MAX_READ_BYTES:
            break
        if find_secrets(note.raw.decode("utf-8", "replace")):
            named.append(note.name)
    return (imported_look_like(named[:MAX_NAMED], len(named)),) if named else ()
