from __future__ import annotations

import pytest

from memory_core import address
from memory_core.exceptions import BadAddress


def test_an_address_is_read_as_it_is_written() -> None:
    assert address.parse(" 368+8 ") == (368, 8)
    assert address.text(368, 8) == "368+8"


@pytest.mark.parametrize("text", ["", "8", "a+b", "-1+1", "1+", "1+1+1", "1.0+1", "9" * 30 + "+1"])
def test_anything_else_is_refused_with_the_form(text: str) -> None:
    with pytest.raises(BadAddress, match=r"id\+n"):
        address.parse(text)


@pytest.mark.parametrize(
    ("id", "n", "entries", "words"),
    [
        (0, 3, 8, "power of two"),
        (0, 0, 8, "power of two"),
        (0, -4, 8, "power of two"),
        (2, 4, 8, "0+4"),
        (-1, 1, 8, "below 0"),
        (8, 1, 8, "7+1"),
        (0, 16, 8, "past the end"),
        (0, 1, 0, "no entries"),
    ],
)
def test_each_breach_has_its_own_message(id: int, n: int, entries: int, words: str) -> None:
    with pytest.raises(BadAddress) as caught:
        address.check(id, n, entries)
    assert words in str(caught.value)


def test_halves_parent_and_sibling_follow_from_the_numbers() -> None:
    assert address.halves(368, 8) == ((368, 4), (372, 4))
    assert address.parent(372, 4) == (368, 8)
    assert address.sibling(372, 4) == (368, 4)
    assert address.sibling(368, 4) == (372, 4)
