"""`caudra-acp setup` and `caudra-acp models`, as commands, with a server on this machine."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from harness import ROOT, AgentProcess, process_environment, texts

from acp_server.exits import Exit
from tests.providers.server import Server, answer, error, stream

KEY = "sk-test-0123456789abcdef"
NO_KEYRING = {"PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring"}

Ended = subprocess.CompletedProcess[str]


def command(tmp_path: Path, *words: str, typed: str = "", env: dict[str, str | None] | None = None) -> Ended:
    state = tmp_path / "state"
    (state / "home").mkdir(parents=True, exist_ok=True)
    return subprocess.run(
        [sys.executable, "-m", "acp_server", *words],
        env=process_environment(state, {"CAUDRA_MODEL": None, **NO_KEYRING, **(env or {})}),
        input=typed,
        capture_output=True,
        encoding="utf-8",
        timeout=60,
    )


def config_dir(tmp_path: Path) -> Path:
    return tmp_path / "state" / "config"


def stored(tmp_path: Path) -> dict[str, dict[str, object]]:
    found: dict[str, dict[str, object]] = json.loads((config_dir(tmp_path) / "credentials.json").read_text("utf-8"))[
        "providers"
    ]
    return found


def listing(*ids: str) -> list[object]:
    return list(answer(200, json.dumps({"data": [{"id": each} for each in ids]})))


def completion(text: str) -> list[bytes]:
    delta = {"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": None}]}
    end = {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
    return [f"data: {json.dumps(each)}\n\n".encode() for each in (delta, end)] + [b"data: [DONE]\n\n"]


def test_a_key_that_works_is_stored_for_its_owner_alone_and_never_shown(tmp_path: Path) -> None:
    with Server([listing("m-1", "m-2"), stream(completion("OK"))]) as server:
        done = command(tmp_path, "setup", "--provider", "groq", "--base-url", server.url, "--key-stdin", typed=KEY)
        assert done.returncode == 0, done.stderr
        assert [each.headers["authorization"] for each in server.requests] == [f"Bearer {KEY}"] * 2
        assert server.requests[1].json["model"] == "m-1"
    path = config_dir(tmp_path) / "credentials.json"
    assert path.stat().st_mode & 0o777 == 0o600
    assert stored(tmp_path) == {"groq": {"key": KEY, "base_url": server.url}}
    assert "The model answered." in done.stdout and str(path) in done.stdout
    assert KEY not in done.stdout + done.stderr
    assert [each.name for each in config_dir(tmp_path).iterdir()] == ["credentials.json"]


@pytest.mark.parametrize("reply", [error(401, f"bad key {KEY}"), error(403, "no"), error(404, "no such model")])
def test_a_key_that_is_refused_is_not_stored(tmp_path: Path, reply: list[bytes]) -> None:
    with Server([listing("m"), reply]) as server:
        done = command(tmp_path, "setup", "--provider", "groq", "--base-url", server.url, "--key-stdin", typed=KEY)
    assert done.returncode == 7 and "Nothing is stored" in done.stderr
    assert KEY not in done.stdout + done.stderr
    assert not (config_dir(tmp_path) / "credentials.json").exists()


def test_a_server_that_is_not_there_is_said_and_nothing_is_stored(tmp_path: Path) -> None:
    done = command(tmp_path, "setup", "--provider", "ollama", "--base-url", "127.0.0.1:9")
    assert done.returncode == 7 and "didn't list its models (refused_connection)" in done.stderr
    assert not config_dir(tmp_path).exists()


def test_a_local_server_needs_no_key_and_its_address_is_kept(tmp_path: Path) -> None:
    with Server([listing("llama"), stream(completion("OK"))]) as server:
        host = server.url.removeprefix("http://")
        done = command(tmp_path, "setup", "--provider", "ollama", "--base-url", host)
        assert done.returncode == 0, done.stderr
    assert stored(tmp_path) == {"ollama": {"base_url": f"http://{host}/v1"}}
    assert '[jobs] chat = "ollama/NAME"' in done.stdout


def test_where_there_is_a_keyring_it_has_the_key_and_the_file_only_says_so(tmp_path: Path) -> None:
    ring = tmp_path / "ring.json"
    env: dict[str, str | None] = {
        "PYTHON_KEYRING_BACKEND": "keyring_backend.FileKeyring",
        "TEST_KEYRING": str(ring),
        "PYTHONPATH": os.pathsep.join((str(ROOT), str(ROOT / "tests" / "models"))),
    }
    done = command(tmp_path, "setup", "--provider", "groq", "--key-stdin", "--no-test", typed=KEY, env=env)
    assert done.returncode == 0 and "keyring" in done.stdout
    assert stored(tmp_path) == {"groq": {"keyring": True}}
    with Server([stream(completion("Hello."))]) as server:
        (config_dir(tmp_path) / "config.toml").write_text(
            f'[models.mine]\nprovider = "groq"\nmodel = "m"\nbase_url = "{server.url}"\n[jobs]\nchat = "mine"\n',
            "utf-8",
        )
        with AgentProcess(tmp_path, doors=None, env={"CAUDRA_MODEL": None, **env}) as agent:
            agent.initialize()
            agent.prompt(agent.new_session(), "hello")
            assert "Hello." in texts(agent.seen)
        posts = [each for each in server.requests if each.line.startswith("POST")]
        assert posts[0].headers["authorization"] == f"Bearer {KEY}"
    done = command(tmp_path, "setup", "--provider", "groq", "--remove", env=env)
    assert done.returncode == 0 and json.loads(ring.read_text("utf-8")) == {} and stored(tmp_path) == {}


def test_a_keyring_that_is_locked_is_told_apart_from_no_key(tmp_path: Path) -> None:
    ring = tmp_path / "ring.json"
    env: dict[str, str | None] = {
        "PYTHON_KEYRING_BACKEND": "keyring_backend.FileKeyring",
        "TEST_KEYRING": str(ring),
        "PYTHONPATH": os.pathsep.join((str(ROOT), str(ROOT / "tests" / "models"))),
    }
    command(tmp_path, "setup", "--provider", "groq", "--key-stdin", "--no-test", typed=KEY, env=env)
    shut = {**env, "TEST_KEYRING": str(tmp_path / "locked.json")}
    locked = command(tmp_path, "-p", "-m", "groq/m", "hello", env=shut)
    assert locked.returncode == Exit.MODEL_FAILED
    assert "unlock the keyring and ask again" in locked.stderr and "KeyringError" in locked.stderr
    ring.write_text("{}", "utf-8")
    empty = command(tmp_path, "-p", "-m", "groq/m", "hello", env=env)
    assert empty.returncode == Exit.MODEL_FAILED
    assert "groq needs a key and there is none" in empty.stderr
    assert "sk-never-shown" not in locked.stderr + empty.stderr


def test_a_keyring_that_refuses_leaves_the_key_to_the_file(tmp_path: Path) -> None:
    env: dict[str, str | None] = {
        "PYTHON_KEYRING_BACKEND": "keyring_backend.FileKeyring",
        "TEST_KEYRING": str(tmp_path / "locked.json"),
        "PYTHONPATH": os.pathsep.join((str(ROOT), str(ROOT / "tests" / "models"))),
    }
    done = command(tmp_path, "setup", "--provider", "groq", "--key-stdin", "--no-test", typed=KEY, env=env)
    assert done.returncode == 0 and stored(tmp_path) == {"groq": {"key": KEY}}
    assert "KeyringError" in done.stderr and "sk-never-shown" not in done.stderr


@pytest.mark.parametrize(
    ("words", "typed", "says"),
    [
        (["--provider", "nope", "--key-stdin"], KEY, "There is no provider nope"),
        (["--provider", "groq"], "", "--key-stdin"),
        ([], "", "--provider"),
        (["--provider", "groq", "--key-stdin"], "", "No key was given"),
        (["--provider", "groq", "--key-stdin"], "two words", "isn't a key"),
        (["--provider", "groq", "--key-stdin"], "ключ", "isn't a key"),
        (["--provider", "groq", "--key-stdin"], "k" * 5000, "isn't a key"),
        (["--provider", "groq", "--key-stdin", "--base-url", "http://me:secret@h"], KEY, "user name or a password"),
        (["--provider", "azure", "--key-stdin"], KEY, "--base-url"),
    ],
)
def test_what_can_not_be_stored_is_said_in_one_sentence(
    tmp_path: Path, words: list[str], typed: str, says: str
) -> None:
    done = command(tmp_path, "setup", *words, typed=typed)
    assert done.returncode == 2 and says in done.stderr and "secret" not in done.stderr
    assert done.stderr.count("\n") == 1 and not config_dir(tmp_path).exists()


def test_the_agent_s_own_commands_may_not_set_up(tmp_path: Path) -> None:
    done = command(tmp_path, "setup", "--provider", "groq", "--key-stdin", typed=KEY, env={"CAUDRA_AGENT": "1"})
    assert done.returncode == 3 and not config_dir(tmp_path).exists()


def test_a_link_in_the_file_s_place_is_replaced_and_not_written_through(tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.write_text("mine", "utf-8")
    config_dir(tmp_path).mkdir(parents=True)
    (config_dir(tmp_path) / "credentials.json").symlink_to(target)
    done = command(tmp_path, "setup", "--provider", "groq", "--key-stdin", "--no-test", typed=KEY)
    assert done.returncode == 0 and target.read_text("utf-8") == "mine"
    assert stored(tmp_path) == {"groq": {"key": KEY}}


def test_a_directory_that_can_not_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", "utf-8")
    env: dict[str, str | None] = {"CAUDRA_CONFIG_DIR": str(tmp_path / "file" / "config")}
    done = command(tmp_path, "setup", "--provider", "groq", "--key-stdin", "--no-test", typed=KEY, env=env)
    assert done.returncode == 4 and "could not be stored" in done.stderr and KEY not in done.stderr


def test_at_a_terminal_the_provider_is_chosen_and_the_key_is_not_echoed(tmp_path: Path) -> None:
    state = tmp_path / "state"
    (state / "home").mkdir(parents=True)
    leader, follower = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "acp_server", "setup", "--no-test"],
        env=process_environment(state, {"CAUDRA_MODEL": None, **NO_KEYRING}),
        stdin=follower,
        stdout=follower,
        stderr=follower,
        start_new_session=True,
        preexec_fn=_own_terminal,
    ) as process:
        os.close(follower)
        shown = _until(leader, "Number or name: ")
        os.write(leader, b"3\n")
        shown += _until(leader, "(it isn't shown): ")
        os.write(leader, KEY.encode() + b"\n")
        shown += _until(leader, "begin with")
        assert process.wait(20) == 0
    os.close(leader)
    assert KEY not in shown and stored(tmp_path) == {"gemini": {"key": KEY}}


def _own_terminal() -> None:
    import fcntl
    import termios

    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def _until(descriptor: int, text: str) -> str:
    shown = ""
    while text not in shown:
        shown += os.read(descriptor, 4096).decode("utf-8", "replace")
    return shown


def test_models_lists_what_can_be_used_with_window_and_price_where_they_are_known(tmp_path: Path) -> None:
    env: dict[str, str | None] = {"ANTHROPIC_API_KEY": KEY}
    done = command(tmp_path, "models", env=env)
    assert done.returncode == 0 and KEY not in done.stdout
    assert "Anthropic (key from ANTHROPIC_API_KEY)" in done.stdout
    found = json.loads(command(tmp_path, "models", "--json", env=env).stdout)
    by_value = {each["value"]: each for each in found["models"]}
    haiku = by_value["anthropic/claude-haiku-4-5"]
    assert (haiku["context_window"], haiku["price"]["input"], haiku["key_from"]) == (200_000, 1.0, "environment")
    assert found["default"] in by_value and "embedded/librarian" in by_value


def test_models_asks_the_servers_where_it_is_told_to(tmp_path: Path) -> None:
    body = {"data": [{"id": "big", "max_model_len": 32768}, {"id": "embed-1"}, {"id": "big"}, {"id": ""}, "x"]}
    with Server([answer(200, json.dumps(body))]) as server:
        done = command(tmp_path, "models", "--live", "--json", env={"OPENAI_BASE_URL": f"{server.url}/v1"})
    values = [(each["value"], each.get("context_window")) for each in json.loads(done.stdout)["models"]]
    assert values == [("openai/big", 32768), ("embedded/librarian", None)]


def test_models_says_what_is_wrong_with_addresses_and_files_without_their_secrets(tmp_path: Path) -> None:
    config_dir(tmp_path).mkdir(parents=True)
    path = config_dir(tmp_path) / "credentials.json"
    path.write_text(json.dumps({"providers": {"groq": {"key": KEY}}}), "utf-8")
    path.chmod(0o644)
    done = command(tmp_path, "models", env={"OLLAMA_HOST": "http://me:secret@h"})
    assert done.returncode == 0 and "chmod 600" in done.stderr and "OLLAMA_HOST" in done.stderr
    assert "secret" not in done.stdout + done.stderr and KEY not in done.stdout + done.stderr


def test_the_chat_takes_a_model_and_says_what_is_wrong_with_one(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    chat = ["chat", "--project", str(tmp_path / "project")]
    done = command(tmp_path, *chat, "-m", "embedded/librarian", typed="what do we know?")
    assert done.returncode == 0 and "No model is set up" not in done.stdout
    done = command(tmp_path, *chat, typed="what do we know?")
    assert "No model is set up" in done.stdout
    for model, says in (("openai/x", "OPENAI_API_KEY"), ("x", "provider/model"), ("nope/x", "no provider nope")):
        done = command(tmp_path, *chat, "-m", model, typed="hello")
        assert done.returncode == 2 and says in done.stderr
