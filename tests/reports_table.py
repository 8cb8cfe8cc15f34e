"""What people lost with other memory systems and agents, and the tests here that make the same fault happen.

A test is tied to rows by its marker, `@pytest.mark.report("M5", "M6")`; the table below says of each row what went
wrong elsewhere and, where a part of it isn't held by a test, why. `tests/test_reports.py` keeps both sides together;
`held_by` is what a page of documentation is made from.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

TESTS = Path(__file__).parent
MARKER = "report"


@dataclass(frozen=True, slots=True)
class Report:
    """A fault that people met elsewhere. `aside` says what no test here decides, and why; "" where all is tested."""

    row: str
    fault: str
    aside: str = ""


REPORTS: tuple[Report, ...] = (
    Report("M1", "Two sessions append to one index file at once, and one line is gone."),
    Report("M3", "A note that was read yesterday is gone today, and nothing tells who removed it."),
    Report("M4", "The folder isn't mounted yet, so the next look takes every note for deleted."),
    Report("M5", "A file is truncated before it is written, and a kill in between leaves it empty."),
    Report("M6", "With two sessions at once people get `database is locked`."),
    Report("M8", "The database is damaged, and nothing works any more."),
    Report("M9", "The database is deleted while the notes stay, and no way leads back."),
    Report("M11", "Older data from elsewhere replaces newer: of 79 files 8 are left."),
    Report("M14", "An agent in the background shortens and deletes what the person wrote."),
    Report("M15", "Each worktree has an empty memory of its own, which is orphaned with the worktree."),
    Report("M16", "The opposite: worktrees share one memory and overwrite each other's notes."),
    Report("M18", "After a directory is renamed its memory is empty, without a hint."),
    Report("M19", "Through a symbolic link the same directory is another project."),
    Report("M21", "Two repositories whose folders have one name share a memory."),
    Report("M22", "A directory inside a repository gets the wrong memory, or loses its own after an update."),
    Report("M23", "What was noted in one project is applied in another."),
    Report("M25", "What doesn't fit is cut from the new end, so corrections go and the corrected stays."),
    Report("M26", "A notice says that something was left out, not how much, nor how to reach it."),
    Report("M27", "A memory of months ago is loaded with no sign of its age."),
    Report("M29", "Most of what is kept is junk, one item hundreds of times under names nearly the same."),
    Report("M30", "A third of the items is wrong or double, and they can be neither looked over nor deleted."),
    Report("M31", "A small cap on the whole makes writes fail and be retried, or fail unseen."),
    Report("M32", "One huge file makes every request fail."),
    Report("M33", "The memory in the system prompt changes at each turn, and the provider's cache is lost."),
    Report(
        "M36",
        "Notes are there and the model never opens them.",
        "How often a remote model does so is measured against real models, not in these tests.",
    ),
    Report("M37", "A text tells the agent to follow a rule, and later sessions obey it."),
    Report(
        "M38",
        "Memory is written without the person being asked.",
        "A mode that refuses every change comes with the modes of sessions.",
    ),
    Report("M39", "Nobody knows how large the memory is."),
    Report("M40", "A password is kept word for word and loaded into every session."),
    Report("M41", "Forget removes the pointer, and the text stays on the disk."),
    Report("M43", "Forget answers that all went well and removed nothing."),
    Report("M44", "The only way to forget one note is to forget everything."),
    Report("M46", "Words of Chinese, Japanese and Korean are not found, nor Latin ones beside them."),
    Report("M48", "A name in one spelling isn't found by another: snake, kebab, camel, words."),
    Report("M49", "An identifier isn't found by its parts, since the query loses its capitals first."),
    Report("M51", "Punctuation in a query is an error of the search engine."),
    Report(
        "M52",
        "There is no search, and the model guesses from names.",
        "How well it ranks on a large set of questions is a figure of the benchmarks, not a test.",
    ),
    Report("M53", "A name leads out of the notes' folder."),
    Report("M54", "A symbolic link inside the folder reads or writes elsewhere."),
    Report("M55", "A folder of notes that the person linked themselves is silently passed over."),
    Report("M56", "A file that isn't UTF-8 breaks the tool."),
    Report("M58", "The same note is made twice, since its name was written in another style."),
    Report("M61", "Watching holds thousands of descriptors, and files open in an editor are rewritten in a loop."),
    Report("M62", "A memory can't be taken to another machine."),
    Report("M63", "Work in the background eats the quota while nobody does anything."),
    Report("M65", "A summary that failed is replaced by cut text, and stays so."),
    Report("A8", "A session that nobody knows is loaded with success."),
    Report("A10", "Slash commands are missing after a load, lose their words, or go to the model when mistyped."),
    Report("A16", "Thinking isn't sent back, and the provider refuses the next turn."),
    Report("B1", "A list without a directory shows the sessions of the directory that the process began in."),
    Report("B2", "A list is filtered after it was cut into pages, and reads every transcript."),
    Report("B4", "A load shows the conversation, and the model knows nothing of it."),
    Report("B5", "A log that is gone or garbled is loaded with success, as an empty conversation."),
    Report("B7", "A session is opened in a directory that isn't there, and fails later with other words."),
    Report("B8", "A session that is loaded in another directory goes on in the old one."),
    Report("B10", "A session whose model is gone can't be loaded."),
    Report("B11", "Two processes write one session, and it can't be loaded any more."),
    Report("B13", "A prompt that runs while its session is deleted brings the session back."),
    Report("B14", "Another thread is opened, and the running one is never answered."),
    Report("B20", "What was to be remembered is written at the end of a session, and that end never comes."),
    Report("B22", "A first word gets a title from what is remembered of an earlier conversation."),
    Report("B23", "A file of instructions changes in mid-session, and the prompt with it."),
    Report("B25", "A conversation that was made shorter is back in full after a restart."),
    Report("B26", "A summary for the model is drawn as what the person or the agent said."),
    Report("B28", "Commands are offered that do nothing, or go to the model as text."),
    Report("B32", "After a load the editor has no menu of models."),
    Report(
        "B56",
        "Each chat leaves processes, threads and its whole history in memory.",
        "Sessions start no servers of tools, so none can be left.",
    ),
)


def held_by() -> Mapping[str, tuple[str, ...]]:
    """The tests of each row, as pytest names them from the top of the repository."""
    found: dict[str, list[str]] = {}
    for path in sorted(TESTS.rglob("test_*.py")):
        where = path.relative_to(TESTS.parent).as_posix()
        for name, rows in _marked(ast.parse(path.read_text(encoding="utf-8"))):
            for row in rows:
                found.setdefault(row, []).append(f"{where}::{name}")
    return {row: tuple(tests) for row, tests in found.items()}


def _marked(module: ast.Module) -> Iterator[tuple[str, list[str]]]:
    """The functions of a module that carry the marker, each with its rows."""
    for node in module.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            for decorator in node.decorator_list:
                if isinstance(decorator, ast.Call) and ast.unparse(decorator.func) == f"pytest.mark.{MARKER}":
                    yield node.name, [str(ast.literal_eval(argument)) for argument in decorator.args]
