"""Which model does a job, with the provider that answers for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from acp_server.models.values import Job, Model
from acp_server.providers.interface import Provider


@dataclass(frozen=True, slots=True)
class Hand:
    """A model that does a job."""

    provider: Provider
    model: Model


Hands = Callable[[Job, str], Hand | str | None]
"""The hand for a job beside a session's model: None where that is the embedded one, which does no jobs; a sentence
where the binding can't be resolved.
"""
