"""The memory of a project, as a library: notes, journal, summary tree and view.

`Memory` is the one door; it is imported lazily so that pure rules can be used on their own.
"""

from __future__ import annotations

TYPE_CHECKING = False  # what `typing` would say; importing it costs the fast path 4 ms

if TYPE_CHECKING:
    from memory_core.memory import Memory as Memory

__all__ = ["Memory"]


def __getattr__(name: str) -> object:
    if name == "Memory":
        from memory_core.memory import Memory

        return Memory
    raise AttributeError(name)
