"""The frozen prefix of a session: the system prompt, made once and then the same bytes in each request.
Pure but for its files.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from acp_server.providers.interface import ToolSpec
from memory_core.entry import frame_block


def system_prompt(view_text: str | None, trouble: str = "") -> str:
    """The system prompt around a view's text; without a memory (None) `trouble` says why there is none."""
    if view_text is None:
        return f"{_page('system.md')}\n{frame_block(trouble)}\n"
    return f"{_page('system.md')}\n{_page('memory.md')}\n<memory>\n{view_text}</memory>\n"


def digest(system: str, tools: Sequence[ToolSpec]) -> str:
    """The SHA-256 (hex) of all that a provider caches before the history."""
    parts = [system, *([tool.name, tool.description, tool.schema] for tool in tools)]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode("ascii")).hexdigest()


@cache
def _page(name: str) -> str:
    return files("acp_server.prompts").joinpath(name).read_text(encoding="utf-8")
