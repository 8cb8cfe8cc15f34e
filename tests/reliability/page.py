"""The page of all proofs, rendered from what their last runs recorded and from tables: no figure is typed by hand."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tests.benchmarks.machine import ROOT, Machine
from tests.benchmarks.table import facts, line
from tests.reliability import sections
from tests.reliability.shape import Figure, Grid, Outcome, Proof, Record

PAGE = "reliability.md"
RAW = "reliability.json"
DOCS = ROOT / "docs"

HEADINGS = ("What", "Measured", "Wanted", "Verdict")

INTRODUCTION = f"""# Reliability

What the memory promises about your notes, and how each promise was tried. `python -m tests.reliability` runs every
proof in its long form and writes this page and its records ([{RAW}]({RAW})); with names it runs
those alone, and `--short` runs the form that is part of the tests. A claim that doesn't hold ends a run with an error,
and a figure that falls short is called missed.
"""

Records = Mapping[str, Record]


def page(records: Records) -> str:
    """The whole page; a proof that was never run in its long form says so."""
    proofs = (_proof(name, sections.proof(name), records.get(name)) for name in sections.PROOFS)
    texts = (sections.text(name) for name in sections.TEXTS)
    told = (f"## {each.TITLE}\n\n{each.text().strip()}\n" for each in texts)
    return "\n".join((INTRODUCTION, *proofs, *told))


def write(records: Records, folder: Path) -> None:
    """Write the page and the records into `folder`."""
    (folder / RAW).write_text(dumped(records), encoding="utf-8")
    (folder / PAGE).write_text(page(records), encoding="utf-8")


def read(folder: Path) -> dict[str, Record]:
    """The records in `folder`; none where there is no file."""
    path = folder / RAW
    return loaded(path.read_text(encoding="utf-8")) if path.exists() else {}


def dumped(records: Records) -> str:
    """The records as JSON, in the order of the page."""
    ordered = {name: asdict(records[name]) for name in sections.PROOFS if name in records}
    return json.dumps(ordered, indent=1, ensure_ascii=False) + "\n"


def loaded(text: str) -> dict[str, Record]:
    """The records that `dumped` wrote."""
    return {name: _record(found) for name, found in json.loads(text).items()}


def figure_text(figure: Figure) -> str:
    """One figure for a terminal."""
    what, value, wanted, verdict = _cells(figure)
    return f"{what}: {value} (wanted: {wanted}) {verdict}"


def _record(found: dict[str, Any]) -> Record:
    outcome = found["outcome"]
    grids = (Grid(tuple(grid["headings"]), tuple(map(tuple, grid["rows"]))) for grid in outcome["grids"])
    figures = (Figure(**figure) for figure in outcome["figures"])
    made = {"machine": Machine(**found["machine"]), "outcome": Outcome(tuple(figures), tuple(grids))}
    return Record(**{**found, **made})


def _proof(name: str, proof: Proof, record: Record | None) -> str:
    said = f"## {proof.TITLE}\n\n**Claimed.** {proof.CLAIM.strip()}\n\n**Done.** {proof.METHOD.strip()}\n"
    again = f"To repeat it: `python -m tests.reliability {name}`"
    if record is None:
        return f"{said}\n{again}. No long run is recorded yet.\n"
    about = f"- Release: {record.version}\n{facts(record.machine)}- Duration: {record.seconds:,.0f} s\n"
    tables = [_table(HEADINGS, map(_cells, record.outcome.figures))]
    tables += [_table(grid.headings, grid.rows) for grid in record.outcome.grids]
    return "\n".join((said, *tables, f"{again}. These figures are of:\n", about))


def _table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    return "\n".join((line(headings), line(["---"] * len(headings)), *map(line, rows))) + "\n"


def _cells(figure: Figure) -> tuple[str, str, str, str]:
    verdict = "met" if figure.met else "**missed**"
    return figure.what, _amount(figure.value, figure.unit), _wanted(figure), verdict if _wanted(figure) != "–" else "–"


def _wanted(figure: Figure) -> str:
    low, high = figure.at_least, figure.at_most
    if low is not None and low == high:
        return _amount(low, figure.unit)
    bounds = [f"{sign} {_amount(bound, figure.unit)}" for sign, bound in (("≥", low), ("≤", high)) if bound is not None]
    return ", ".join(bounds) or "–"


def _amount(value: float, unit: str) -> str:
    shown = f"{value:,.0f}" if value == int(value) or abs(value) >= 100 else f"{value:.3g}"
    return f"{shown} {unit}".rstrip()
