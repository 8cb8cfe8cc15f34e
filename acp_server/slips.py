"""How far a mistyped word is from the one that was meant. Pure and light."""

from __future__ import annotations


def distance(one: str, other: str) -> int:
    """How many letters have to be put in, left out, changed or swapped with their neighbour."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for at, letter in enumerate(one, start=1):
        older, before, row = before, row, [at]
        for place, wanted in enumerate(other, start=1):
            best = min(before[place] + 1, row[place - 1] + 1, before[place - 1] + (letter != wanted))
            if at > 1 and place > 1 and letter == other[place - 2] and one[at - 2] == wanted:
                best = min(best, older[place - 2] + 1)
            row.append(best)
    return row[-1]
