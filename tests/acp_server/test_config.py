"""The configuration: whole or not at all, and never a reason not to start."""

from __future__ import annotations

from pathlib import Path

import pytest

from acp_server.config import Config, config_path, load_config


def test_no_file_means_the_defaults(tmp_path: Path) -> None:
    assert load_config(tmp_path / "config.toml") == (Config(), None)


def test_settings_are_read(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text("[agent]\nsummarize_memory = false\nmax_turn_requests = 7\n", encoding="utf-8")
    config, problem = load_config(path)
    assert problem is None
    assert (config.agent.summarize_memory, config.agent.max_turn_requests) == (False, 7)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[agent\n", "can't be read"),
        ("[agent]\nmax_turn_requests = 0\n", "agent.max_turn_requests is wrong"),
        ("[agent]\nsumarize_memory = true\n", "agent.sumarize_memory is wrong"),
        ("[agents]\n", "agents is wrong"),
    ],
)
def test_a_wrong_file_is_one_sentence_and_the_defaults_hold(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "config.toml"
    path.write_text(text, encoding="utf-8")
    config, problem = load_config(path)
    assert config == Config()
    assert problem is not None and says in problem and str(path) in problem


def test_a_file_that_is_no_text_or_a_folder_is_said(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_bytes(b"\xff\xfe")
    assert load_config(path)[1] is not None
    assert load_config(tmp_path)[1] is not None


def test_the_directory_can_be_named(tmp_path: Path) -> None:
    assert config_path({"CAUDRA_CONFIG_DIR": str(tmp_path)}) == tmp_path / "config.toml"
    assert config_path({}).name == "config.toml"
