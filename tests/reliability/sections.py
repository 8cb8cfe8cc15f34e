"""The sections of the page, in its order: a name each, and the module behind it. A new proof is one line here.

A module is imported only once it is asked for. Those of `PROOFS` keep to `shape.Proof` and can be run by their name;
those of `TEXTS` keep to `shape.Text`.
"""

from __future__ import annotations

from importlib import import_module
from typing import cast

from tests.reliability.shape import Proof, Text

PROOFS: dict[str, str] = {
    "kills": "tests.reliability.kills",
    "processes": "tests.reliability.processes",
    "disk": "tests.reliability.disk",
}
TEXTS: dict[str, str] = {"lost-elsewhere": "tests.reliability.lost_elsewhere"}


def proof(name: str) -> Proof:
    """The module of a proof."""
    return cast(Proof, import_module(PROOFS[name]))


def text(name: str) -> Text:
    """The module of a section that is told."""
    return cast(Text, import_module(TEXTS[name]))
