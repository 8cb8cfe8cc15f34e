"""Lines of files as a model may find them: what is searched, what is left out; no expression holds anything up."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
from pathlib import Path

import pytest
from eyes_support import cancelled_at, card_of, looking, put, use
from turn_support import Stage

from acp_server.children import children_of
from acp_server.workspace.ignoring import is_ignored, rules_of

ENDLESS = {"query": r"(a|a|aa)+$", "regex": True}


@pytest.fixture
def scene(tmp_path: Path) -> Stage:
    return looking(tmp_path)


def rows(text: str) -> list[str]:
    """The lines that were found."""
    return [line for line in text.splitlines()[1:] if not line.startswith(("(", "["))]


async def test_lines_are_found_by_file_and_number(scene: Stage) -> None:
    put(scene, "b.py", "x = 1\nretry = 2\r\n")
    put(scene, "src/a.py", "no\n    retry()\n")
    found = await use(scene, "search_text", query="retry")
    assert found.text.splitlines()[0] == "2 lines in 2 files"
    assert rows(found.text) == ["b.py:2: retry = 2", "src/a.py:2:     retry()"]


async def test_the_card_of_a_search_links_its_lines_and_marks_the_words(scene: Stage) -> None:
    path = put(scene, "src/a.py", "no\nretry or retry\n")
    card = await card_of(scene, "search_text", query="retry")
    assert (card.title, card.kind) == ("Found 1 line with retry", "search")
    assert card.locations == ({"path": str(path), "line": 2},)
    assert card.content is not None
    text = card.content[0]["content"]["text"]  # type: ignore[index,call-overload]
    assert f"1. [src/a.py:2]({path.as_uri()}#L2:2)\n   > **retry** or **retry**" in str(text)


async def test_nothing_found_is_said(scene: Stage) -> None:
    assert (await use(scene, "search_text", query="retry")).text == f"No line in {scene.project} holds retry."


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({"query": "a.c"}, ["one.txt:1: a.c"]),
        ({"query": "a.c", "regex": True}, ["one.txt:1: a.c", "one.txt:2: abc"]),
        ({"query": "ABC", "ignore_case": True}, ["one.txt:2: abc", "two.md:1: Abc"]),
        ({"query": "bc", "glob": "*.md"}, ["two.md:1: Abc"]),
        ({"query": "bc", "glob": "*.{txt,md}"}, ["one.txt:2: abc", "two.md:1: Abc"]),
        ({"query": "bc", "path": "one.txt"}, ["one.txt:2: abc"]),
        ({"query": "^a", "regex": True, "glob": "**/one.*"}, ["one.txt:1: a.c", "one.txt:2: abc"]),
        ({"query": "zwölf"}, ["utf16.txt:1: zwölf"]),
    ],
)
async def test_a_query_is_text_or_an_expression(scene: Stage, arguments: dict[str, object], found: list[str]) -> None:
    put(scene, "one.txt", "a.c\nabc\n")
    put(scene, "two.md", "Abc\n")
    put(scene, "utf16.txt", "zwölf\n".encode("utf-16"))
    assert rows((await use(scene, "search_text", **arguments)).text) == found


async def test_what_is_no_text_of_the_project_is_left_out(scene: Stage, tmp_path: Path) -> None:
    (tmp_path / "outside.txt").write_text("needle", encoding="utf-8")
    (scene.project / "link.txt").symlink_to(tmp_path / "outside.txt")
    (scene.project / "loop").symlink_to(".")
    for name in (".git/config", "node_modules/m/i.js", ".env", "build/x.txt", "kept.log", "a/b.log", "data.bin"):
        put(scene, name, b"needle\n" + b"\0" * name.endswith(".bin"))
    put(scene, ".gitignore", "build/\n*.log\n!kept.log\n")
    put(scene, "a/.gitignore", "!b.log\n")
    found = await use(scene, "search_text", query="needle")
    assert rows(found.text) == ["kept.log:1: needle", "a/b.log:1: needle"]
    assert "[not searched: 1 binary, 1 that may hold secrets (read_file asks the person)]" in found.text


@pytest.mark.parametrize("path", ["node_modules", "node_modules/m", "build"])
async def test_a_folder_that_is_named_is_searched(scene: Stage, path: str) -> None:
    put(scene, "node_modules/m/i.js", "needle\n")
    put(scene, "build/x.txt", "needle\n")
    put(scene, ".gitignore", "build/\n")
    assert len(rows((await use(scene, "search_text", query="needle", path=path)).text)) == 1


async def test_rules_above_the_folder_that_is_searched_hold(scene: Stage) -> None:
    put(scene, ".gitignore", "*.log\n")
    put(scene, "src/a.log", "needle\n")
    assert rows((await use(scene, "search_text", query="needle", path="src")).text) == []


async def test_many_lines_are_cut_and_said_to_be(scene: Stage) -> None:
    put(scene, "a.txt", "needle\n" * 500)
    found = await use(scene, "search_text", query="needle")
    assert len(rows(found.text)) == 200
    assert "there are more lines" in found.text
    assert scene.card().title == "Found 200 lines and more with needle"


async def test_a_long_line_is_shown_around_what_was_found(scene: Stage) -> None:
    put(scene, "a.min.js", "x" * 20_000 + "needle" + "y" * 20_000)
    (row,) = rows((await use(scene, "search_text", query="needle")).text)
    assert "xneedley" in row and len(row) < 400


async def test_a_deep_tree_is_searched_to_a_depth_that_is_told(scene: Stage) -> None:
    put(scene, "/".join(["d"] * 80) + "/a.txt", "needle\n")
    put(scene, "/".join(["d"] * 40) + "/a.txt", "needle\n")
    found = await use(scene, "search_text", query="needle")
    assert len(rows(found.text)) == 1 and "1 folder too deep" in found.text


async def test_an_expression_without_end_is_stopped_and_what_was_found_is_kept(tmp_path: Path) -> None:
    scene = looking(tmp_path, seconds=1.5)
    put(scene, "a.txt", "aaa\n")
    put(scene, "b.txt", "a" * 64 + "b\n")
    found = await use(scene, "search_text", **ENDLESS)
    assert rows(found.text) == ["a.txt:1: aaa"]
    assert "stopped after 1.5 seconds" in found.text and not found.failed


async def test_a_cancel_ends_a_search_and_its_process(scene: Stage) -> None:
    put(scene, "b.txt", "a" * 64 + "b\n")
    before = set(children_of_this_process())
    reached = asyncio.Event()

    async def wait_for_the_child() -> None:
        while not set(children_of_this_process()) - before:
            await asyncio.sleep(0)
        reached.set()

    watching = asyncio.create_task(wait_for_the_child())
    assert await cancelled_at(scene, "search_text", reached, **ENDLESS) == "cancelled"
    await watching
    assert set(children_of_this_process()) <= before
    assert scene.states()["c1"][-1] == "failed"


def children_of_this_process() -> list[int]:
    import os

    return children_of(os.getpid())


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"query": "("}, "No line in"),
        ({"query": "(", "regex": True}, "The query is no regular expression"),
        ({"query": ""}, "search_text needs query."),
        ({"query": "x", "regex": "yes"}, "regex of search_text is not true or false."),
        ({"query": "x", "path": "../elsewhere"}, "outside of this session's directories"),
        ({"query": "x", "path": "nothing"}, "There is no nothing."),
    ],
)
async def test_a_search_that_cant_be_right_is_told_what_would_be(
    scene: Stage, arguments: dict[str, object], sentence: str
) -> None:
    assert sentence in (await use(scene, "search_text", **arguments)).text


async def test_a_project_can_not_put_its_own_modules_into_the_search(scene: Stage) -> None:
    put(scene, "re.py", "raise SystemExit\n")
    put(scene, "acp_server/__init__.py", "raise SystemExit\n")
    assert len(rows((await use(scene, "search_text", query="SystemExit")).text)) == 2


PATTERNS = (
    """
# comment
*.log
!keep.log
/top
doc/*.txt
**/any/deep
a/**/b
tail/**
only/
sp ace
trail\\_
[ab].x
[!ab].y
\\#hash
\\!bang
x?y
*.tmp/
wild*card
**
!**/
""".strip()
    .replace("\\_", "\\ ")
    .split("\n")
)
NAMES = (
    "a.log keep.log top sub/top doc/a.txt doc/in/a.txt any/deep x/any/deep a/b a/x/b a/x/y/b tail/a tail/b/c "
    "only/f sub/only/g a.x c.x a.y c.y #hash !bang xzy x/y d.tmp/f wildZcard sub/wild-card/f plain.py sub/plain.py"
).split()
NAMES += ["sp ace", "trail "]


@pytest.mark.skipif(shutil.which("git") is None, reason="git is the judge")
@pytest.mark.parametrize("pattern", [*PATTERNS, "\n".join(PATTERNS[:-2])])
def test_gitignore_means_what_git_says(tmp_path: Path, pattern: str) -> None:
    (tmp_path / ".gitignore").write_text(pattern + "\n", encoding="utf-8")
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    for name in NAMES:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.is_dir():
            path.touch()
    command = ["git", "-C", str(tmp_path), "check-ignore", "-z", "--no-index", "--stdin"]
    said = subprocess.run(command, input="\0".join(NAMES).encode(), capture_output=True, check=False).stdout
    assert {name for name in NAMES if ignored(name, pattern)} == set(said.decode().split("\0")) - {""}


def ignored(name: str, pattern: str) -> bool:
    """Whether a walk from the top leaves the file out: itself, or a folder above it."""
    parts, rules = name.split("/"), rules_of(pattern, ())
    above = (is_ignored(parts[:depth], rules, folder=True) for depth in range(1, len(parts)))
    return any(above) or is_ignored(parts, rules, folder=False)
