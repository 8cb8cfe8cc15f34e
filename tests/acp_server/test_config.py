"""The configuration: what is wrong is left out and told with its line, and is never a reason not to start."""

from __future__ import annotations

import sys
from pathlib import Path

import platformdirs
import pytest

from acp_server.config import Config, config_path, load_config
from acp_server.models.shelf import raw_config
from acp_server.places import config_directory
from acp_server.toml_lines import line_of


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "config.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_no_file_means_the_defaults(tmp_path: Path) -> None:
    assert load_config(tmp_path / "config.toml") == (Config(), ())


def test_settings_are_read(tmp_path: Path) -> None:
    text = "[agent]\nsummarize_memory = false\nmax_turn_requests = 7\n[memory]\nmax_summary_tokens_per_hour = 5\n"
    config, problems = load_config(written(tmp_path, text))
    assert problems == ()
    assert (config.agent.summarize_memory, config.agent.max_turn_requests) == (False, 7)
    assert config.memory.max_summary_tokens_per_hour == 5


@pytest.mark.parametrize(
    ("text", "line", "setting", "right"),
    [
        ("[agent]\nmax_turn_requests = 0\n", 2, "agent.max_turn_requests", "greater than or equal to 1"),
        ("[agent]\nmax_turn_requests = 'many'\n", 2, "agent.max_turn_requests", "must be a whole number."),
        ("[agent]\nsummarize_memory = 5\n", 2, "agent.summarize_memory", "must be true or false."),
        ("agent = 5\n", 1, "agent", "must be a table."),
        ("permissions = {}\n", 1, "permissions", "must be a list."),
        ("[[permissions]]\nproject = 5\nallow = []\n", 2, "permissions.0.project", "must be a text in quotes."),
        ("[[permissions]]\n", 1, "permissions.0.allow", "must be there."),
        ("\ufeff[agent]\nmax_turn_requests = 0\n", 2, "agent.max_turn_requests", "greater than or equal to 1"),
        ("\n[agent]\nsumarize_memory = true\n", 3, "agent.sumarize_memory", "summarize_memory"),
        ("[agents]\n", 1, "agents", "agent, memory"),
        ("[models.x]\nprovider = 'openai'\nprice_input = 'much'\n", 3, "models.x.price_input", "US dollars"),
        ("[models.x]\nprovider = 'Open AI'\n", 2, "models.x.provider", "one word"),
        ("[models.x]\nprovider = 'mine'\n", 1, "models.x", "base_url"),
        ("[models.x]\nmodel = 'y'\n", 1, "models.x", "needs a provider"),
        ("[models.x]\nprovider = 'openai'\nbase_url = 'ftp://h'\n", 3, "models.x.base_url", "http"),
        ("[models.x]\nprovider = 'openai'\nbase_url = 'http://me:pw@h/v1'\n", 3, "models.x.base_url", "password"),
        ("[models.x]\nprovider = 'openai'\nbase_url = 'http://h/v1?key=pw'\n", 3, "models.x.base_url", "query"),
        ("[models.x]\nprovider = 'openai'\napi_key = 'sk-pw'\n", 3, "models.x.api_key", "api_key_env"),
        ("[models.x]\nprovider = 'openai'\napi_key_env = 'sk-pw'\n", 3, "models.x.api_key_env", "variable"),
        ("[models.x]\nprovider = 'openai'\nwire = 'grpc'\n", 3, "models.x.wire", "chat-completions"),
        ("[models.x]\nprovider = 'openai'\nthinks = 1\n", 3, "models.x.thinks", "true or false"),
        ("[models.x]\nprovider = 'openai'\ncontext_window = 0\n", 3, "models.x.context_window", "tokens"),
        ("[models.'a b']\nprovider = 'openai'\nmodel = 'm'\n[models.y]\nprovider = 'openai'\nmodel = 'm'\n", 4,
         "models.y", "[models.a b] is openai/m already"),
        ("models = 3\n", 1, "models", "table"),
        ("[jobs]\nmemory = 3\n", 2, "jobs.memory", "provider/model"),
        ("[jobs]\nmemory = 'cheap'\n", 2, "jobs.memory", "write provider/model"),
        ("[jobs]\nsleep = 'openai/x'\n", 2, "jobs.sleep", "chat, fast, compaction, memory"),
        ("jobs.chat = 'fast'\n", 1, "jobs.chat", "provider/model"),
        ("[[permissions]]\nallow = ['memory.write']\n[[permissions]]\nallow = ['all']\n", 4,
         "permissions.1.allow.0", "memory.write"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_one_sentence_with_its_line_and_what_is_right(
    tmp_path: Path, text: str, line: int, setting: str, right: str
) -> None:
    path = written(tmp_path, text)
    _, problems = load_config(path)
    assert len(problems) == 1
    assert f"{path}, line {line}, {setting} is left out" in problems[0]
    assert right in problems[0] and "pw" not in problems[0] and not problems[0].endswith("..")


def test_one_wrong_setting_takes_no_other_with_it(tmp_path: Path) -> None:
    agent = "[agent]\nmax_turn_requests = 'x'\nsummarize_memory = false\nwhat = 1\n"
    text = f"{agent}[[permissions]]\nallow = ['memory.write']\n"
    config, problems = load_config(written(tmp_path, text))
    assert len(problems) == 2
    assert (config.agent.summarize_memory, config.agent.max_turn_requests) == (False, 50)
    assert len(config.permissions) == 1


@pytest.mark.parametrize(
    "text", ["[agent\n", "a = 1\na = 2\n", "\0", f"x = {'[' * 5000}{']' * 5000}", f"x = {'9' * 5000}"]
)
def test_what_is_no_toml_is_said_and_the_defaults_hold(tmp_path: Path, text: str) -> None:
    config, problems = load_config(written(tmp_path, text))
    assert config == Config()
    assert len(problems) == 1 and "can't be read" in problems[0]
    assert raw_config(str(tmp_path)) == {}


def test_a_file_that_is_no_text_or_a_folder_is_said(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_bytes(b"\xff\xfe")
    assert "UTF-8" in load_config(path)[1][0]
    assert load_config(tmp_path)[1]


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (("a",), 2), (("a", "b"), 3), (("a", "c", "d"), 4), (("e", "f.g"), 5), (("e", "f.g", "h"), 6),
        (("i", 1, "j"), 12), (("i", 0, "j"), 10), (("a", "no"), 2), (("no",), None), (("text",), None),
    ],
)  # fmt: skip
def test_a_setting_is_found_on_its_line(path: tuple[str | int, ...], line: int | None) -> None:
    text = '# first\n[a] # more\nb = 1\nc.d = 2\n[e."f.g"]\nh = """\ntext = 1\n"""\n[[i]]\nj = 1\n[[i]]\n \'j\' = 2\n'
    assert line_of(text, path) == line


def test_the_directory_can_be_named(tmp_path: Path) -> None:
    assert config_path({"CAUDRA_CONFIG_DIR": str(tmp_path)}) == tmp_path / "config.toml"
    assert config_path({}).name == "config.toml"


@pytest.mark.skipif(sys.platform != "linux", reason="the rule of the system that runs the test is compared")
def test_the_directory_is_the_one_of_platformdirs(monkeypatch: pytest.MonkeyPatch) -> None:
    for value in (None, "/x/conf", "relative"):
        monkeypatch.setenv("XDG_CONFIG_HOME", value) if value else monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
        environ = {"XDG_CONFIG_HOME": value} if value else {}
        ours = config_directory(environ, "linux", str(Path.home()))
        if value != "relative":
            assert ours == platformdirs.user_config_dir("caudra", appauthor=False)
        else:
            assert ours == f"{Path.home()}/.config/caudra"


def test_each_system_has_its_place() -> None:
    assert config_directory({}, "darwin", "/Users/me") == "/Users/me/Library/Application Support/caudra"
    assert config_directory({"LOCALAPPDATA": r"C:\L"}, "win32", r"C:\me") == r"C:\L\caudra"
    assert config_directory({}, "win32", r"C:\me") == r"C:\me\AppData\Local\caudra"
