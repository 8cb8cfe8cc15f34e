"""Files as a model may read and list them: where, how much, and what first needs the person's word."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest
from eyes_support import card_of, looking, put, use
from turn_support import Stage

from acp_server.workspace.faults import WorkspaceFault
from acp_server.workspace.guarded import may_hold_secrets
from acp_server.workspace.places import open_file, workspace_of

MEGABYTE = 1024 * 1024


@pytest.fixture
def scene(tmp_path: Path) -> Stage:
    return looking(tmp_path)


async def test_a_file_is_read_with_the_numbers_of_its_lines(scene: Stage) -> None:
    path = put(scene, "src/app.py", "import os\n\nprint(os)\n")
    read = await use(scene, "read_file", path="src/app.py")
    assert read.text == f"src/app.py, lines 1 to 3 of 3\nlink {path.as_uri()}\n\n1\timport os\n2\t\n3\tprint(os)"
    assert not read.failed


async def test_the_card_of_a_read_has_its_text_its_place_and_a_link(scene: Stage) -> None:
    path = put(scene, "src/app.py", "import os\n")
    card = await card_of(scene, "read_file", path="src/app.py")
    assert (card.title, card.kind) == ("Read src/app.py", "read")
    assert card.locations == ({"path": str(path), "line": 1},)
    assert card.content is not None
    assert card.content[0]["content"] == {"type": "text", "text": "```py\nimport os\n```"}
    assert card.content[1]["content"]["uri"] == path.as_uri()  # type: ignore[index,call-overload]
    assert scene.states() == {"c1": ["pending", "in_progress", "completed"]}


async def test_a_part_is_read_from_a_line_on(scene: Stage) -> None:
    put(scene, "long.txt", "".join(f"line {number}\n" for number in range(1, 101)))
    read = await use(scene, "read_file", path="long.txt", line=40, limit=2)
    assert read.text.splitlines()[0] == "long.txt, lines 40 to 41 of 100"
    assert read.text.splitlines()[3:] == ["40\tline 40", "41\tline 41", "[there is more; go on with line 42]"]


async def test_a_long_file_comes_in_parts_that_join(scene: Stage) -> None:
    put(scene, "long.txt", "".join(f"{number:060}\n" for number in range(1, 3001)))
    seen: list[str] = []
    line: int | None = 1
    while line is not None:
        rows = (await use(scene, "read_file", path="long.txt", line=line)).text.splitlines()[3:]
        more = rows[-1].startswith("[there is more")
        seen += [row.split("\t")[1] for row in rows if "\t" in row]
        line = int(rows[-1].split("line ")[1][:-1]) if more else None
    assert seen == [f"{number:060}" for number in range(1, 3001)]


@pytest.mark.parametrize(
    ("data", "lines", "remark"),
    [
        (b"one\r\ntwo\r\n", ["1\tone", "2\ttwo"], "its line ends are CRLF"),
        (b"\xef\xbb\xbfone\n", ["1\tone"], "it begins with a byte order mark"),
        ("caf\xe9\n".encode("latin-1"), ["1\tcaf\ufffd"], "it is not all UTF-8"),
        ("one\nzwölf\n".encode("utf-16"), ["1\tone", "2\tzwölf"], "its encoding is UTF-16"),
        ("a\ufffdb\n".encode(), ["1\ta\ufffdb"], "lines 1 to 1 of 1"),
        (b"x" * 5000 + b"\ny", ["1\t" + "x" * 2000 + "…", "2\ty"], "longer than 2,000 characters are cut"),
        (b"x" * 3 * MEGABYTE + b"\ny", ["1\t" + "x" * 2000 + "…", "2\ty"], "of 2"),
        (b"no end", ["1\tno end"], "lines 1 to 1 of 1"),
    ],
)
async def test_text_of_any_kind_is_read(scene: Stage, data: bytes, lines: list[str], remark: str) -> None:
    put(scene, "a.txt", data)
    text = (await use(scene, "read_file", path="a.txt")).text
    assert text.split("\n")[3:] == lines
    assert remark in text.split("\n")[0]


async def test_a_line_past_the_end_is_told_with_the_number_of_lines(scene: Stage) -> None:
    put(scene, "a.txt", "one\ntwo\n")
    assert (await use(scene, "read_file", path="a.txt", line=3)).text == (
        "error: a.txt has 2 lines, so line 3 is past its end."
    )


async def test_an_empty_file_is_said_to_be_empty(scene: Stage) -> None:
    put(scene, "a.txt", b"")
    assert (await use(scene, "read_file", path="a.txt")).text == "a.txt is empty."


async def test_a_binary_file_is_said_to_be_one(scene: Stage) -> None:
    put(scene, "a.bin", b"\x7fELF\0\0\1")
    assert (await use(scene, "read_file", path="a.bin")).text == (
        "error: a.bin is a binary file of 7 bytes, so there is no text to show."
    )


async def test_a_hundred_megabytes_are_read_where_they_are_asked_for(scene: Stage) -> None:
    line = b"x" * 1023 + b"\n"
    with put(scene, "big.log", b"").open("wb") as stream:
        for _ in range(100):
            stream.write(line * 1024)
    head = await use(scene, "read_file", path="big.log", limit=1)
    assert head.text.startswith("big.log, lines 1 to 1 of a file of 104,857,600 bytes")
    tail = await use(scene, "read_file", path="big.log", line=102_400)
    assert tail.text.splitlines()[0].startswith("big.log, lines 102,400 to 102,400 of")
    assert "go on with" not in tail.text


@pytest.mark.parametrize(
    "given", ["../secret.txt", "{outside}/secret.txt", "out", "folder/secret.txt", "deep/../../secret.txt"]
)
async def test_nothing_outside_of_the_sessions_directories_is_read(scene: Stage, tmp_path: Path, given: str) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    for place in (outside, tmp_path):
        (place / "secret.txt").write_text("hidden", encoding="utf-8")
    (scene.project / "out").symlink_to(outside / "secret.txt")
    (scene.project / "folder").symlink_to(outside)
    read = await use(scene, "read_file", path=given.format(outside=outside))
    assert read.failed and "hidden" not in read.text
    assert "outside of this session's directories" in read.text


async def test_a_link_within_the_project_is_followed(scene: Stage) -> None:
    put(scene, "real/a.txt", "here\n")
    (scene.project / "link").symlink_to("real")
    assert "here" in (await use(scene, "read_file", path="link/a.txt")).text


def test_a_link_that_is_put_there_meanwhile_is_not_followed(tmp_path: Path) -> None:
    project, outside = tmp_path / "project", tmp_path / "outside"
    for folder in (project / "src", outside):
        folder.mkdir(parents=True)
    (project / "src" / "a.txt").write_text("mine", encoding="utf-8")
    (outside / "a.txt").write_text("hidden", encoding="utf-8")
    place = workspace_of(str(project)).place("src/a.txt")
    (project / "src").rename(project / "was")
    (project / "src").symlink_to(outside)
    with pytest.raises(WorkspaceFault):
        open_file(place)


async def test_additional_directories_are_read_by_absolute_paths_alone(tmp_path: Path) -> None:
    more = tmp_path / "more"
    more.mkdir()
    (more / "a.txt").write_text("there", encoding="utf-8")
    workspace = workspace_of(str(tmp_path / "project"), (str(more),))
    assert workspace.place(str(more / "a.txt")).name == str(more / "a.txt")
    with pytest.raises(WorkspaceFault):
        workspace.place("../more/b.txt/../../elsewhere")
    assert workspace.place("a.txt").real == str(tmp_path / "project" / "a.txt")


async def test_the_agents_own_places_are_closed(tmp_path: Path) -> None:
    scene = looking(tmp_path, closed=(str(tmp_path / "project" / ".state"),))
    put(scene, ".state/acp-state.db", "rows")
    for name in ("read_file", "list_directory", "search_text"):
        given = {"query": "rows"} if name == "search_text" else {}
        found = await use(scene, name, path=".state", **given)
        assert found.failed and "closed to tools" in found.text
    assert "rows" not in (await use(scene, "search_text", query="rows")).text.replace("holds rows", "")


@pytest.mark.parametrize("kind", ["pipe", "socket", "device"])
async def test_what_could_block_is_never_opened(scene: Stage, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    path = scene.project / "odd"
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "socket":
        monkeypatch.chdir(scene.project)  # the path of a socket must be short
        with socket.socket(socket.AF_UNIX) as server:
            server.bind("odd")
    if kind == "device":
        with pytest.raises(WorkspaceFault, match="is a device"):
            open_file(workspace_of("/").place("//dev/zero"))
        return
    read = await use(scene, "read_file", path="odd")
    assert read.text == f"error: odd is a {kind}, and only regular files can be read."


async def test_a_missing_file_is_told_with_names_that_are_near(scene: Stage) -> None:
    put(scene, "src/handlers.py", "x")
    assert (await use(scene, "read_file", path="src/handler.py")).text == (
        "error: There is no src/handler.py. Did you mean src/handlers.py?"
    )
    assert (await use(scene, "read_file", path="scr/handlers.py")).text == (
        "error: There is no folder scr. Did you mean src?"
    )


@pytest.mark.skipif(os.getuid() == 0, reason="nothing is forbidden to root")
async def test_a_file_that_the_system_forbids_is_said_so(scene: Stage) -> None:
    put(scene, "a.txt", "x").chmod(0)
    assert "does not let the agent read" in (await use(scene, "read_file", path="a.txt")).text


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({}, "read_file needs path."),
        ({"path": 3}, "path of read_file is not a text."),
        ({"path": "a", "line": 0}, "line of read_file is not a whole number from 1 on."),
        ({"path": "a", "lines": 1}, "read_file takes no lines. It takes path, line, limit."),
        ({"path": "a\0b"}, "is no path of a file."),
        ({"path": "src"}, "src is a folder. list_directory lists it."),
        ({"path": "x" * 5000}, "can't be read (File name too long)"),
    ],
)
async def test_a_call_that_cant_be_right_is_told_what_would_be(
    scene: Stage, arguments: dict[str, object], sentence: str
) -> None:
    (scene.project / "src").mkdir()
    read = await use(scene, "read_file", **arguments)
    assert read.failed and sentence in read.text
    assert scene.states()["c1"][-1] == "failed"


async def test_a_note_is_pointed_to_the_memory_tool(scene: Stage) -> None:
    with scene.door() as door:
        folder = door.write("flaky.md", "# Flaky\n").path
    for path in ("flaky.md", folder):
        assert "Read it with the memory tool" in (await use(scene, "read_file", path=path)).text


async def test_a_file_of_secrets_is_read_once_the_person_agrees(scene: Stage) -> None:
    put(scene, ".env", "KEY=1\n")
    scene.person.answers = ["allow_once"]
    assert "KEY=1" in (await use(scene, "read_file", path=".env")).text
    question, options = scene.person.questions[0]
    assert "may hold passwords or keys" in str(question["content"])
    assert [option.kind for option in options] == ["allow_once", "reject_once"]


async def test_a_file_of_secrets_stays_unread_where_the_person_refuses(scene: Stage) -> None:
    put(scene, ".env", "KEY=1\n")
    (scene.project / "harmless.txt").symlink_to(".env")
    for path in (".env", "harmless.txt"):
        read = await use(scene, "read_file", path=path)
        assert read.failed and "KEY=1" not in read.text


@pytest.mark.parametrize(
    ("path", "guarded"),
    [
        *((name, True) for name in (".env", ".env.production", "prod.env", "id_ed25519", "server.PEM", ".npmrc")),
        *((name, True) for name in (".aws/config", ".git/config", "secrets.yaml", "credentials.json", "x.tfvars")),
        *(
            (name, False)
            for name in (".env.example", "id_rsa.pub", "environment.py", "secrets.py", "keys.md", "config")
        ),
    ],
)
def test_files_of_secrets_are_known_by_their_names(path: str, guarded: bool) -> None:
    assert may_hold_secrets(tuple(path.split("/"))) is guarded


async def test_a_folder_is_listed_with_kinds_and_sizes(scene: Stage) -> None:
    put(scene, "b.txt", "four")
    put(scene, "src/a.py", "x")
    (scene.project / "link").symlink_to("b.txt")
    os.mkfifo(scene.project / "pipe")
    listed = await use(scene, "list_directory")
    assert listed.text.splitlines()[2:] == ["src/", "b.txt\t4", "link -> b.txt", "pipe\ta pipe"]
    assert (scene.card().title, scene.card().kind) == ("List .", "read")


async def test_a_large_folder_is_listed_in_part(scene: Stage) -> None:
    for number in range(600):
        (scene.project / f"f{number:03}").touch()
    rows = (await use(scene, "list_directory")).text.splitlines()
    assert rows[-1] == "[and 100 more]" and rows[-2] == "f499\t0"


async def test_a_file_is_no_folder(scene: Stage) -> None:
    put(scene, "a.txt", "x")
    assert (await use(scene, "list_directory", path="a.txt")).text == "error: a.txt is a file. read_file reads it."
