"""How a model that speaks Anthropic Messages is asked to think, and how much it may write. Pure.

Claude 4.6 and later think as much as they see fit (`adaptive`), and from 4.7 on refuse a budget; before that a budget
is the only way. Other vendors' models on this wire know the budget alone.
"""

from __future__ import annotations

import re

from acp_server.models.values import Model
from acp_server.providers.interface import JsonObject, Request
from acp_server.providers.wires.bodies import THINKING_ROOM

DEFAULT_MAX_TOKENS = 8_192
"""The bound, which this wire demands, for a model whose own isn't known."""
MOST_MAX_TOKENS = 32_000
"""The bound for a model that could write more: servers count it against the context window."""
WINDOW_SHARE = 6
"""One part in so many of the window is the bound at most: a request that leaves less of it free is refused."""
BUDGET_TOKENS = 10_000
MIN_BUDGET_TOKENS = 1_024
"""The server refuses a smaller budget."""

ADAPTIVE_SINCE = (4, 6)

_VERSION = re.compile(r"claude-(?:[a-z]+-)?(\d+)(?:[-.](\d{1,2})(?!\d))?")


def max_tokens(model: Model, request: Request) -> int:
    """How many tokens the answer may have, thinking included."""
    most = model.max_output or DEFAULT_MAX_TOKENS
    if model.context_window:
        most = min(most, max(1, model.context_window // WINDOW_SHARE))
    if request.max_output_tokens is None:
        return min(most, MOST_MAX_TOKENS)
    return min(most, request.max_output_tokens + (THINKING_ROOM if model.thinks else 0))


def thinking(model: Model, request: Request) -> JsonObject | None:
    """What a request says of thinking, None for nothing: a short answer isn't thought about longer than need be."""
    if not model.thinks or request.max_output_tokens is not None:
        return None
    if adaptive(model.id):
        return {"type": "adaptive", "display": "summarized"}
    budget = min(BUDGET_TOKENS, max_tokens(model, request) // 2)
    return {"type": "enabled", "budget_tokens": budget} if budget >= MIN_BUDGET_TOKENS else None


def adaptive(model_id: str) -> bool:
    """Whether a model thinks without a budget: a Claude of that version, or one that names no version."""
    found = _VERSION.search(model_id)
    if found is None:
        return "claude" in model_id
    return (int(found[1]), int(found[2] or 0)) >= ADAPTIVE_SINCE
