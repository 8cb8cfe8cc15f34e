"""Export and import on the command line: real processes, real files of other agents."""

from __future__ import annotations

import json
import os
from hashlib import sha256
from pathlib import Path

import pytest
from test_cli import Shell

from acp_server.exits import Exit
from memory_core.portability import archive


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    (tmp_path / "one").mkdir()
    return Shell(tmp_path / "one")


@pytest.fixture
def other(tmp_path: Path) -> Shell:
    (tmp_path / "two").mkdir()
    return Shell(tmp_path / "two")


def test_a_memory_goes_to_another_machine_by_a_file(shell: Shell, other: Shell, tmp_path: Path) -> None:
    shell.memory("write", "ci/keys", said=b"# Keys\n\nMondays\n")
    shell.memory("write", "ci/keys", said=b"# Keys\n\nFridays\n")
    file = str(tmp_path / "memory.jsonl")
    assert shell.json("export", file)["entries"] == 2
    assert Path(file).stat().st_mode & 0o777 == 0o600
    assert other.json("import", file)["whole"]
    assert other.memory("export").partition("entries")[2] == shell.memory("export").partition("entries")[2]
    assert other.memory("view") == shell.memory("view")
    assert other.json("verify")["ok"]
    assert "0 entries" in other.memory("import", file)


def test_an_export_replaces_an_older_one_and_nothing_else(shell: Shell, tmp_path: Path) -> None:
    file = tmp_path / "memory.jsonl"
    shell.memory("export", str(file))
    shell.memory("write", "a", said=b"A")
    shell.memory("export", str(file))
    assert len(file.read_bytes().splitlines()) == 4
    file.write_bytes(b"mine")
    shell.memory("export", str(file), code=Exit.USAGE)
    shell.memory("export", str(tmp_path), code=Exit.USAGE)
    shell.memory("export", str(tmp_path / "no" / "folder"), code=Exit.USAGE)
    assert file.read_bytes() == b"mine"
    assert sorted(path.name for path in tmp_path.iterdir() if path.is_file()) == ["memory.jsonl"]


def test_an_export_to_standard_output_is_the_file_that_import_takes(shell: Shell, other: Shell, tmp_path: Path) -> None:
    shell.memory("write", "a", said="# Ä\x85 \x7f\n".encode())
    file, piped = tmp_path / "memory.jsonl", tmp_path / "piped.jsonl"
    shell.memory("export", str(file))
    piped.write_text(shell.memory("export", "-"), encoding="utf-8")
    assert piped.read_bytes() == file.read_bytes()
    assert other.json("import", str(piped))["whole"]
    assert not (shell.project / "-").exists()


def test_an_import_from_standard_input_is_refused_in_one_sentence(shell: Shell) -> None:
    done = shell.run("memory", "import", "-", said=b"# A\n")
    assert (done.returncode, done.stdout) == (Exit.USAGE, b"")
    assert b"can't come from standard input. Save it to a file first." in done.stderr


def test_an_export_without_a_file_is_one_json_object(shell: Shell) -> None:
    shell.memory("write", "a", said=b"A")
    assert [entry["text"] for entry in json.loads(shell.memory("export"))["entries"]] == ["A"]


@pytest.mark.parametrize(
    "content", [b"", b"junk", b'{"type":"memory.archive","version":99}\n', b'{"type":"memory.archive"']
)
def test_a_bad_file_is_refused_in_one_sentence(shell: Shell, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "bad").write_bytes(content)
    assert shell.json("import", str(tmp_path / "bad"), code=Exit.USAGE)["type"] == "memory.error"
    assert shell.json("import", str(tmp_path / "nowhere.md"), code=Exit.USAGE)["type"] == "memory.error"


def elsewhere(folder: Path) -> Path:
    """What other agents keep: rules, memories, instructions, and what isn't meant."""
    texts = {
        "CLAUDE.md": "# Build\n\nRun make.\n",
        ".claude/memory/style.md": "# Style\n",
        ".cursor/rules/api.mdc": "---\ndescription: API\nglobs: ['*.ts']\n---\n# API\n\nUse zod.\n",
        "memory-bank/activeContext.md": "# Now\n\npassword = hunter2xyz!\n",
        ".windsurfrules": "# Rules\n",
        ".git/description.md": "not meant",
        "notes.txt": "not meant",
        "bad name .md/x.md": "fine",
        "con.md": "a device",
    }
    for number, (name, text) in enumerate(texts.items()):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        os.utime(path, (1_600_000_000 + number, 1_600_000_000 + number))
    (folder / "link.md").symlink_to(folder / "CLAUDE.md")
    return folder


def test_markdown_is_shown_before_it_is_imported(shell: Shell, tmp_path: Path) -> None:
    folder = elsewhere(tmp_path / "elsewhere")
    done = shell.run("memory", "import", str(folder))
    assert done.returncode == Exit.REFUSED
    shown, said = done.stdout.decode(), done.stderr.decode()
    assert "claude/memory/style.md  (new)" in shown
    assert "'con.md' has the part 'con.md', which Windows keeps for a device." in shown
    assert "not meant" not in shown
    assert "memory-bank/activeContext.md line 3 looks like a password" in said
    assert "hunter2" not in shown + said
    assert shell.json("view")["entries"] == 0


def test_markdown_of_other_agents_becomes_notes(shell: Shell, tmp_path: Path) -> None:
    folder = elsewhere(tmp_path / "elsewhere")
    assert shell.json("import", str(folder), "--yes")["appended"] == 6
    names = [entry["name"] for entry in reversed(shell.json("log")["entries"])]
    assert names == [
        "CLAUDE.md",
        "claude/memory/style.md",
        "cursor/rules/api.md",
        "memory-bank/activeContext.md",
        "windsurfrules.md",
        "bad name .md/x.md",
    ]
    assert {entry["origin"] for entry in shell.json("log")["entries"]} == {"import"}
    assert shell.memory("read", "cursor/rules/api").endswith("keeps it.\n# API\n\nUse zod.\n")
    kept = (shell.notes / "cursor/rules/api.md").read_bytes()
    assert kept == (folder / ".cursor/rules/api.mdc").read_bytes()
    assert shell.json("log")["entries"][-1]["created"].startswith("2020-09-13T12:26:40")
    assert shell.json("verify")["ok"]


def test_a_note_that_is_there_is_never_replaced_by_an_import(shell: Shell, tmp_path: Path) -> None:
    shell.memory("write", "claude", said=b"ours")
    (tmp_path / "CLAUDE.md").write_text("theirs", encoding="utf-8")
    (tmp_path / "AGENTS.md").write_text("new", encoding="utf-8")
    files = (str(tmp_path / "CLAUDE.md"), str(tmp_path / "AGENTS.md"))
    shown = shell.json("import", *files, code=Exit.REFUSED)["notes"]
    assert {note["name"]: note["fate"] for note in shown} == {"AGENTS.md": "appended", "CLAUDE.md": "clash"}
    assert shell.json("import", *files, "--yes")["appended"] == 1
    assert shell.memory("read", "claude") == "ours"
    assert {note["fate"] for note in shell.json("import", *files)["notes"]} == {"same", "clash"}


def test_a_file_whose_place_another_note_has_is_left_out(shell: Shell, tmp_path: Path) -> None:
    shell.memory("write", "claude", said=b"ours")
    shell.memory("write", "folder/note", said=b"ours")
    (tmp_path / "notes" / "CLAUDE.md").mkdir(parents=True)
    (tmp_path / "notes" / "CLAUDE.md" / "below.md").write_text("theirs", encoding="utf-8")
    (tmp_path / "notes" / "folder.md").write_text("fits beside the folder", encoding="utf-8")
    shown = shell.json("import", str(tmp_path / "notes"), "--yes")
    assert (shown["appended"], shown["clash"]) == (1, 0)
    preview = shell.json("import", str(tmp_path / "notes"))["notes"]
    assert {note["name"]: note["fate"] for note in preview} == {"CLAUDE.md/below.md": "clash", "folder.md": "same"}
    assert shell.json("view")["entries"] == 3
    assert shell.json("verify")["ok"]


def exported(shell: Shell, path: Path, **entry: object) -> str:
    """An export whose last entry was changed by somebody who knows how to seal it again."""
    shell.memory("export", str(path))
    rows = [json.loads(line) for line in path.read_bytes().splitlines()]
    next(row for row in reversed(rows) if row["type"] == "entry").update(entry)
    body = b"".join(map(archive.dump, rows[:-1]))
    path.write_bytes(body + archive.dump({**rows[-1], "sha256": sha256(body).hexdigest()}))
    return str(path)


def test_an_imported_note_that_finds_no_place_is_told_at_once(shell: Shell, other: Shell, tmp_path: Path) -> None:
    shell.memory("write", "x", said=b"a file")
    shell.memory("write", "y", said=b"below it")
    done = other.run("memory", "import", exported(shell, tmp_path / "export", name="x.md/y.md"))
    assert "x.md/y.md could not be put in its place" in done.stderr.decode()
    assert other.json("verify")["ok"]


def test_names_and_authors_from_elsewhere_forge_no_row(shell: Shell, other: Shell, tmp_path: Path) -> None:
    folder = tmp_path / "odd\n\x1b[2Jfolder"
    folder.mkdir()
    (folder / "a\nb.md").write_text("text", encoding="utf-8")
    (folder / "fine.md").write_text("text", encoding="utf-8")
    shown = shell.run("memory", "import", str(folder)).stdout.decode()
    assert len(shown.splitlines()) == 3
    assert "\x1b" not in shown
    shell.memory("write", "first", said=b"text")
    client = "ed\n      9  2026-01-01 12:00  forged"
    other.memory("import", exported(shell, tmp_path / "export", origin="session", session="s1", client=client))
    for command in (("log",), ("list",), ("zoom", "0+1")):
        shown = other.memory(*command)
        assert "forged" in shown
        assert not any(line.lstrip().startswith("9 ") for line in shown.splitlines())


def test_two_files_of_one_name_are_told_apart(shell: Shell, tmp_path: Path) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "AGENTS.md").write_text(folder, encoding="utf-8")
    shown = shell.json("import", str(tmp_path / "a"), str(tmp_path / "b"), code=Exit.REFUSED)["notes"]
    assert shown[0]["fate"] == "appended"
    assert "becomes the note of this name" in shown[1]["fate"]


def test_the_agents_own_commands_import_nothing(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("A", encoding="utf-8")
    shell.memory("import", str(tmp_path / "a.md"), "--yes", code=Exit.REFUSED, CAUDRA_AGENT="1")
