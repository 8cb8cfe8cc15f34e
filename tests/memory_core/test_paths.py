"""Which project a directory belongs to, and where the state lies."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import platformdirs
import pytest

from memory_core.paths import project_home, project_id, project_identity, project_name, state_directory


def repository(path: Path) -> Path:
    """What git needs to see in a git directory, made by hand."""
    for part in ("objects", "refs"):
        (path / part).mkdir(parents=True)
    (path / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    return path


def worktree(main_git: Path, folder: Path, name: str = "side", *, relative: bool = False) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    private = main_git / "worktrees" / name
    private.mkdir(parents=True)
    (private / "HEAD").write_text("ref: refs/heads/side\n", encoding="utf-8")
    (private / "commondir").write_text("../..\n", encoding="utf-8")
    target = os.path.relpath(private, folder) if relative else str(private)
    (folder / ".git").write_text(f"gitdir: {target}\n", encoding="utf-8")
    return folder


def identity(path: Path, home: str = "/nobody") -> str:
    return project_identity(str(path), home)


@pytest.mark.parametrize(
    ("environ", "platform", "expected"),
    [
        ({}, "linux", "/h/.local/state/caudra"),
        ({}, "darwin", "/h/.local/state/caudra"),
        ({"XDG_STATE_HOME": "/x"}, "linux", "/x/caudra"),
        ({"XDG_STATE_HOME": "/x/"}, "darwin", "/x/caudra"),
        ({"XDG_STATE_HOME": "relative"}, "linux", "/h/.local/state/caudra"),
        ({"CAUDRA_STATE_DIR": "/own", "XDG_STATE_HOME": "/x"}, "linux", "/own"),
        ({"APPDATA": "C:\\Users\\a\\AppData\\Roaming"}, "win32", "C:\\Users\\a\\AppData\\Roaming\\caudra"),
        ({}, "win32", "/h\\AppData\\Roaming\\caudra"),
    ],
)
def test_the_state_directory_follows_the_system_and_the_environment(
    environ: dict[str, str], platform: str, expected: str
) -> None:
    assert state_directory(environ, platform, "/h") == expected


def test_an_empty_home_makes_no_path_that_begins_with_two_slashes() -> None:
    """`//server/share` is a network's path elsewhere, and so it would be in a link."""
    assert state_directory({}, "linux", "/") == "/.local/state/caudra"


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere platformdirs differs on purpose")
def test_on_linux_the_state_directory_is_the_one_of_platformdirs(monkeypatch: pytest.MonkeyPatch) -> None:
    for value in ("", "/elsewhere"):
        monkeypatch.setenv("XDG_STATE_HOME", value)
        monkeypatch.delenv("CAUDRA_STATE_DIR", raising=False)
        ours = state_directory(os.environ, sys.platform, os.path.expanduser("~"))
        assert ours == platformdirs.user_state_dir("caudra")


def test_a_plain_directory_is_its_real_path_also_through_a_symlink(tmp_path: Path) -> None:
    folder = tmp_path / "plain"
    folder.mkdir()
    link = tmp_path / "link"
    link.symlink_to(folder)
    assert identity(folder) == identity(link) == str(folder)


@pytest.mark.report("M22")
def test_all_directories_of_a_repository_share_its_common_directory(tmp_path: Path) -> None:
    git = repository(tmp_path / "app" / ".git")
    deep = tmp_path / "app" / "src" / "deep"
    deep.mkdir(parents=True)
    assert identity(tmp_path / "app") == identity(deep) == identity(git) == str(git)


@pytest.mark.parametrize("relative", [False, True])
def test_a_linked_worktree_shares_the_main_repository(tmp_path: Path, relative: bool) -> None:
    git = repository(tmp_path / "app" / ".git")
    side = worktree(git, tmp_path / "elsewhere" / "side", relative=relative)
    assert identity(side) == str(git)


def test_a_real_worktree_made_by_git_shares_the_main_repository(tmp_path: Path) -> None:
    def git(*words: str) -> None:
        subprocess.run(["git", *words], cwd=tmp_path, check=True, capture_output=True, env=clean)

    clean = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "GIT_CONFIG_NOSYSTEM": "1"}
    git("init", "app")
    name = ["-c", "user.name=n", "-c", "user.email=e@example.org"]
    git("-C", "app", *name, "commit", "--allow-empty", "-m", "first")
    git("-C", "app", "worktree", "add", "../side")
    assert identity(tmp_path / "side") == identity(tmp_path / "app") == str(tmp_path / "app" / ".git")


def test_a_submodule_is_a_project_of_its_own(tmp_path: Path) -> None:
    git = repository(tmp_path / "app" / ".git")
    module = repository(git / "modules" / "lib")
    folder = tmp_path / "app" / "lib"
    folder.mkdir()
    (folder / ".git").write_text("gitdir: ../.git/modules/lib\n", encoding="utf-8")
    assert identity(folder) == str(module)
    assert project_name(str(module)) == "lib"


def test_a_repository_in_the_home_directory_counts_for_that_directory_only(tmp_path: Path) -> None:
    git = repository(tmp_path / ".git")
    below = tmp_path / "code" / "thing"
    below.mkdir(parents=True)
    assert project_identity(str(tmp_path), str(tmp_path)) == str(git)
    assert project_identity(str(below), str(tmp_path)) == str(below)


def test_a_repository_below_the_home_directory_counts_for_all_below_it(tmp_path: Path) -> None:
    repository(tmp_path / ".git")
    inner = repository(tmp_path / "code" / ".git")
    below = tmp_path / "code" / "thing"
    below.mkdir()
    assert project_identity(str(below), str(tmp_path)) == str(inner)


@pytest.mark.parametrize(
    "content",
    [b"", b"gitdir:\n", b"gitdir: /nowhere/at/all\n", b"rubbish", b"\xff\xfe\x00", b"gitdir: a\x00b\n"],
)
def test_a_broken_git_file_is_passed_over(tmp_path: Path, content: bytes) -> None:
    (tmp_path / ".git").write_bytes(content)
    assert identity(tmp_path) == str(tmp_path)


def test_an_empty_git_directory_is_passed_over_for_the_repository_above(tmp_path: Path) -> None:
    git = repository(tmp_path / ".git")
    (tmp_path / "sub" / ".git").mkdir(parents=True)
    assert identity(tmp_path / "sub") == str(git)


def test_a_git_entry_that_never_ends_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / ".git")
    repository(tmp_path / "git")
    (tmp_path / "git" / "commondir").symlink_to("/dev/zero")
    assert identity(tmp_path) == str(tmp_path)
    assert identity(tmp_path / "git") == str(tmp_path / "git")


def test_a_bare_repository_is_its_own_directory_and_named_without_git(tmp_path: Path) -> None:
    bare = repository(tmp_path / "tool.git")
    side = worktree(bare, tmp_path / "side")
    assert identity(bare) == identity(bare / "refs") == identity(side) == str(bare)
    assert project_id(str(bare)).startswith("tool-")


def test_a_directory_that_is_gone_has_its_path(tmp_path: Path) -> None:
    assert identity(tmp_path / "gone") == str(tmp_path / "gone")


@pytest.mark.parametrize(
    ("path", "slug"),
    [
        ("/a/My App", "my-app"),
        ("/a/app/.git", "app"),
        ("/a/--x__y.z--", "x-y-z"),
        ("/a/проект", "project"),
        ("/", "project"),
        ("/a/" + "long" * 40, "long" * 10),
        ("/a/bad\udcff", "bad"),
    ],
)
def test_a_project_id_is_a_slug_and_twelve_digits_of_the_path(path: str, slug: str) -> None:
    digest = hashlib.sha256(os.fsencode(path)).hexdigest()
    assert project_id(path) == f"{slug}-{digest[:12]}"
    assert project_home("/state", path) == f"/state/projects/{slug}-{digest[:12]}"
