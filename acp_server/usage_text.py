"""Spend as a person reads it in a terminal: a table of sums, and a sentence for what the sums don't hold."""

from __future__ import annotations

from collections.abc import Sequence

from acp_server.harmless import BOLD, CYAN, DIM, printable
from acp_server.ledger_reading import Sum, Usage
from acp_server.sentences import usage as say
from acp_server.terminal import Output

_GAP = "  "


def usage(found: Usage, out: Output) -> None:
    """The sums, one row each, and all of them together in the last."""
    total = found.total
    if not total.requests:
        out.line(say.NOTHING_SPENT)
        return
    out.line(out.style(say.usage_heading(found.group_by.value, total.requests), BOLD))
    rows = [_cells(each.key, each) for each in found.groups]
    table = [say.COLUMNS, *rows, _cells(say.TOTAL, total)]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    for number, cells in enumerate(table):
        out.line(_row(cells, widths, _style(number, len(table)), out))
    for sentence in _remarks(total):
        out.line(out.style(sentence, DIM))


def _cells(key: str, found: Sum) -> tuple[str, ...]:
    rate = "" if found.hit_rate is None else f"{found.hit_rate:.0%}"
    money = say.UNKNOWN if found.dollars is None else say.money(found.dollars)
    counts = (found.requests, found.input, found.cached)
    return (printable(key), *(f"{count:,}" for count in counts), rate, f"{found.output:,}", money)


def _style(number: int, rows: int) -> str:
    return DIM if number == 0 else BOLD if number == rows - 1 else CYAN


def _row(cells: Sequence[str], widths: Sequence[int], style: str, out: Output) -> str:
    """The key on the left, numbers aligned on the right."""
    key = out.style(cells[0], style) + " " * (widths[0] - len(cells[0]))
    numbers = [cell.rjust(width) for cell, width in zip(cells[1:], widths[1:], strict=True)]
    return _GAP.join([key, *(out.style(number, style if style != CYAN else "") for number in numbers)]).rstrip()


def _remarks(total: Sum) -> list[str]:
    """What a reader must know of the sums."""
    counts = (
        (total.unpriced, say.unpriced),
        (total.untold, say.untold),
        (total.failed, say.failed),
    )
    return [sentence(count) for count, sentence in counts if count]
