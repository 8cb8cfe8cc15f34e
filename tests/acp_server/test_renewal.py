"""The table of rebuilds: which event takes the view anew."""

from __future__ import annotations

from dataclasses import replace

import pytest

from acp_server.renewal import CACHE_SECONDS, Frozen, Reason, renewal
from memory_core.results import Mark

NOW = Mark(generation=2, entries=10, forgets=1)
OPEN = Frozen(mark=replace(NOW, entries=7), digest="a", digest_now="a")
LOADED = replace(OPEN, loaded=True, idle_seconds=60)

TABLE = {
    "the first request": (None, NOW, Reason.FIRST),
    "others wrote": (OPEN, NOW, None),
    "nothing happened": (replace(OPEN, mark=NOW), NOW, None),
    "a note was forgotten while the session ran": (OPEN, replace(NOW, forgets=2), None),
    "the memory was cleared": (OPEN, replace(NOW, generation=3, entries=0), Reason.CLEARED),
    "the database was lost": (OPEN, replace(NOW, entries=3), Reason.CLEARED),
    "the memory could be opened at last": (replace(OPEN, mark=None), NOW, Reason.MEMORY_BACK),
    "an idle hour in an open session": (replace(OPEN, idle_seconds=CACHE_SECONDS * 9), NOW, None),
    "loaded at once": (LOADED, NOW, None),
    "loaded just before the cache ends": (replace(LOADED, idle_seconds=CACHE_SECONDS - 1), NOW, None),
    "loaded when the cache has ended": (replace(LOADED, idle_seconds=CACHE_SECONDS), NOW, Reason.AGED),
    "loaded, never heard": (replace(LOADED, idle_seconds=None), NOW, Reason.AGED),
    "loaded with a clock that went back": (replace(LOADED, idle_seconds=-5.0), NOW, None),
    "loaded, forgotten meanwhile": (LOADED, replace(NOW, forgets=2), Reason.FORGOTTEN),
    "loaded, cleared meanwhile": (LOADED, replace(NOW, generation=3), Reason.CLEARED),
    "loaded by another release": (replace(LOADED, digest_now="b"), NOW, Reason.FORMAT),
    "loaded in another directory": (replace(LOADED, wanted=Reason.DIRECTORY), NOW, Reason.DIRECTORY),
    "loaded where another project's journal is": (
        replace(LOADED, wanted=Reason.DIRECTORY),
        replace(NOW, generation=1, entries=2),
        Reason.DIRECTORY,
    ),
    "loaded with other roots": (replace(LOADED, wanted=Reason.ROOTS), NOW, Reason.ROOTS),
    "the history was compacted": (replace(OPEN, wanted=Reason.COMPACTED), NOW, Reason.COMPACTED),
    "the history was cleared": (replace(OPEN, wanted=Reason.HISTORY_CLEARED), NOW, Reason.HISTORY_CLEARED),
    "the memory was turned on": (replace(OPEN, mark=None, wanted=Reason.SWITCHED), NOW, Reason.SWITCHED),
    "the person asked": (replace(OPEN, wanted=Reason.ASKED), NOW, Reason.ASKED),
    "asked, and cleared as well": (
        replace(OPEN, wanted=Reason.ASKED),
        replace(NOW, generation=3),
        Reason.CLEARED,
    ),
}


@pytest.mark.parametrize("event", TABLE)
def test_the_view_is_taken_anew_for_the_reasons_of_the_table_alone(event: str) -> None:
    frozen, now, reason = TABLE[event]
    assert renewal(frozen, now) is reason


def test_every_reason_stands_in_the_table() -> None:
    assert {reason for _, _, reason in TABLE.values()} - {None} == set(Reason)
