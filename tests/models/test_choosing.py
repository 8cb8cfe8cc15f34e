"""What a name means, which model a session begins with, and whose model does a job: rules over values."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import pytest

from acp_server.models import credentials, names
from acp_server.models.catalog import FILE, catalog
from acp_server.models.credentials import Credentials, Stored
from acp_server.models.facts import PRICES
from acp_server.models.finding import Models
from acp_server.models.listed import MAX_MODELS, models_of
from acp_server.models.presets import PRESETS, WIRES
from acp_server.models.quirks import ROWS
from acp_server.models.shelf import Choice, Plan, Shelf, Unfit
from acp_server.models.urls import Address, address_of, ollama_url, redacted
from acp_server.models.values import Job, Model, Price, Wire
from acp_server.models_table import model_option
from acp_server.providers.interface import ProviderFault

KEY = "sk-test-0123456789abcdef"


def shelf(tmp_path: Path, config: str = "", stored: dict[str, Stored] | None = None, **environ: str) -> Shelf:
    if config:
        (tmp_path / "config.toml").write_text(config, encoding="utf-8")
    if stored:
        credentials.write(str(tmp_path), Credentials(stored))
    return Shelf(environ, str(tmp_path))


def choice(tmp_path: Path, config: str = "", **environ: str) -> Choice:
    return shelf(tmp_path, config, **environ).look().choice()


def plan(found: Shelf, value: str) -> Plan:
    planned = found.look().plan(value)
    assert isinstance(planned, Plan), planned.reason
    return planned


# Names and addresses


@pytest.mark.parametrize(
    ("value", "parts"),
    [
        ("openai/gpt-5.5", ("openai", "gpt-5.5")),
        ("openrouter/anthropic/claude-sonnet-5:beta", ("openrouter", "anthropic/claude-sonnet-5:beta")),
        ("ollama/hf.co/Org/Model-GGUF:Q4_K_M", ("ollama", "hf.co/Org/Model-GGUF:Q4_K_M")),
        ("azure/déploiement@2", ("azure", "déploiement@2")),
    ],
)
def test_what_stands_behind_the_first_slash_is_the_server_s_own_name(value: str, parts: tuple[str, str]) -> None:
    assert names.split(value) == parts


@pytest.mark.parametrize(
    "value",
    [
        "", "gpt-5", "/gpt", "openai/", "Open AI/x", "OpenAI/x", "openai/a b", " openai/x", "openai/x\n",
        "openai/\x1b[2J", "openai/\ud83d", "openai/\u202ex", "openai/" + "x" * 300, "-/x",
    ],
)  # fmt: skip
def test_a_name_that_is_none_gets_a_short_sentence_with_what_is_right(value: str) -> None:
    said = names.split(value)
    assert isinstance(said, str) and "provider/model" in said and len(said) < 250
    assert said.isprintable()


@pytest.mark.parametrize(
    "value", ["sk-ant-api03-abcdefghijklmnop", "openai/sk-proj-abcdefghijklmnopqr", "hf_" + "a" * 34]
)
def test_a_key_in_the_place_of_a_name_is_not_repeated(value: str) -> None:
    assert "abcdef" not in (said := str(names.split(value))) and "aaaa" not in said
    assert "looks like a key" in said


@pytest.mark.parametrize(
    ("given", "url", "version"),
    [
        ("https://api.openai.com/v1/", "https://api.openai.com/v1", ""),
        (" HTTP://Host:8000 ", "http://host:8000", ""),
        ("http://[::1]:11434/v1", "http://[::1]:11434/v1", ""),
        ("http://localhost.:8000/v1", "http://localhost.:8000/v1", ""),
        ("https://r.openai.azure.com/?api-version=2024-10-21", "https://r.openai.azure.com", "2024-10-21"),
    ],
)
def test_an_address_gets_one_form(given: str, url: str, version: str) -> None:
    address = address_of(given)
    assert isinstance(address, Address) and (address.url, address.api_version) == (url, version)


@pytest.mark.parametrize(
    "given",
    [
        "", "host", "ftp://h", "file:///etc/passwd", "http://", "http://u:pw-secret@h/v1", "http://pw-secret@h",
        "http://h/v1?key=pw-secret", "http://h/v1?api-version=1&key=pw-secret", "http://h:0", "http://h:99999",
        "http://h#x", "http://h\r\nx: y", "http://h/a b", "http://ho st", "http://-h", "http://h/" + "x" * 3000,
        "http://[::1", "http://u:p/w@h",
    ],
)  # fmt: skip
def test_an_address_that_can_not_be_used_is_refused_without_its_secret(given: str) -> None:
    wrong = address_of(given)
    assert isinstance(wrong, str) and "pw-secret" not in wrong


def test_addresses_are_shown_without_what_is_secret_in_them() -> None:
    text = "no answer from https://me:pw@h/v1?key=pw and http://pw@h2:1/x"
    assert redacted(text) == "no answer from https://[redacted]@h/v1?[redacted] and http://[redacted]@h2:1/x"


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("box", "http://box:11434/v1"),
        ("box:80", "http://box:80/v1"),
        (":8080", "http://127.0.0.1:8080/v1"),
        ("0.0.0.0", "http://127.0.0.1:11434/v1"),
        ("0.0.0.0:1", "http://127.0.0.1:1/v1"),
        ("[::1]", "http://[::1]:11434/v1"),
        ("https://box", "https://box/v1"),
        ("http://box:1/v1/", "http://box:1/v1"),
    ],
)
def test_ollama_host_means_what_it_means_to_ollama(host: str, url: str) -> None:
    assert ollama_url(host) == url


# Which model a session begins with


def test_a_binding_goes_before_a_key_and_the_variable_before_the_file(tmp_path: Path) -> None:
    config = '[jobs]\nchat = "groq/llama"\n'
    keys = {"ANTHROPIC_API_KEY": KEY, "GROQ_API_KEY": KEY}
    assert choice(tmp_path, **keys).model == "anthropic/claude-sonnet-5-5"
    assert choice(tmp_path, config, **keys).model == "groq/llama"
    assert choice(tmp_path, config, CAUDRA_MODEL="embedded/librarian", **keys).model == "embedded/librarian"


def test_without_anything_the_embedded_model_is_chosen_with_a_sentence(tmp_path: Path) -> None:
    chosen = choice(tmp_path)
    assert chosen.model == "embedded/librarian" and "caudra-acp setup" in chosen.notice


def test_blank_variables_are_none(tmp_path: Path) -> None:
    assert choice(tmp_path, CAUDRA_MODEL=" ", ANTHROPIC_API_KEY="\n", OPENAI_BASE_URL="").model == "embedded/librarian"


def test_a_server_that_was_named_without_a_model_is_said(tmp_path: Path) -> None:
    chosen = choice(tmp_path, OLLAMA_HOST="box")
    assert chosen.model == "embedded/librarian" and "Ollama is set up" in chosen.notice


def test_a_model_of_the_configuration_is_chosen_where_no_provider_has_a_key(tmp_path: Path) -> None:
    config = '[models.mine]\nprovider = "lab"\nmodel = "m"\nbase_url = "http://lab:1/v1"\n'
    assert choice(tmp_path, config).model == "lab/m"


@pytest.mark.parametrize(
    "text", ["models = 3", "[models.x]\nprovider = 1", "not toml", "[jobs]\nchat = 3", "[jobs]\nchat = 'x'"]
)
def test_a_configuration_that_is_wrong_never_stops_a_session(tmp_path: Path, text: str) -> None:
    assert choice(tmp_path, text).model == "embedded/librarian"


def test_a_wrong_address_is_said_and_never_replaced_by_the_usual_one(tmp_path: Path) -> None:
    found = shelf(tmp_path, OPENAI_API_KEY=KEY, OPENAI_BASE_URL="http://me:pw-secret@h/v1")
    chosen = found.look().choice()
    assert chosen.model == "embedded/librarian" and "OPENAI_BASE_URL" in chosen.notice
    assert "pw-secret" not in chosen.notice
    assert isinstance(found.look().plan("openai/gpt-5.5"), Unfit)


def test_the_options_hold_the_current_model_and_stand_under_their_providers_where_they_are_many(tmp_path: Path) -> None:
    look = shelf(tmp_path, ANTHROPIC_API_KEY=KEY, OPENAI_API_KEY=KEY).look()
    option = model_option("openai/some-new-model", look)
    assert isinstance(option, dict) and isinstance(option["options"], list)
    groups = [group for group in option["options"] if isinstance(group, dict)]
    assert [group["group"] for group in groups] == ["openai", "anthropic", "embedded"]
    few = model_option("embedded/librarian", shelf(tmp_path).look())
    assert isinstance(few, dict) and few["options"] == [
        {
            "value": "embedded/librarian",
            "name": "Librarian",
            "description": "Answers from this project's notes; needs no key and no network.",
        }
    ]


def test_what_a_server_lists_replaces_what_is_known_but_keeps_known_names_of_dated_versions(tmp_path: Path) -> None:
    found = shelf(tmp_path, ANTHROPIC_API_KEY=KEY)
    body = json.dumps(
        {"data": [{"id": "claude-haiku-4-5-20251001"}, {"id": "claude-next", "display_name": "Claude Next"}]}
    )
    found.listed["anthropic", "https://api.anthropic.com"] = models_of(body.encode())
    offers = [(offer.value, offer.name) for offer in found.look().offers()]
    assert offers[:2] == [("anthropic/claude-haiku-4-5", "Claude Haiku 4.5"), ("anthropic/claude-next", "Claude Next")]
    assert found.look().choice().model == "anthropic/claude-haiku-4-5"


# Keys and servers


def test_a_key_is_looked_for_in_the_environment_first_and_anew_each_time(tmp_path: Path) -> None:
    found = shelf(tmp_path, stored={"openai": Stored("stored")})
    models = Models(found)
    endpoint = models.find("openai/gpt-5.5").endpoint
    assert endpoint.key() == "stored"
    credentials.write(str(tmp_path), Credentials({"openai": Stored("newer")}))
    assert endpoint.key() == "newer"
    credentials.write(str(tmp_path), Credentials({}))
    assert endpoint.key() is None and endpoint.needs_key
    assert Models(shelf(tmp_path, OPENAI_API_KEY=f" {KEY}\n")).find("openai/x").endpoint.key() == KEY


def test_a_model_with_a_variable_of_its_own_gets_no_other_key(tmp_path: Path) -> None:
    config = '[models.mine]\nprovider = "openai"\nmodel = "m"\nbase_url = "http://lab:1/v1"\napi_key_env = "LAB_KEY"\n'
    found = shelf(tmp_path, config, {"openai": Stored("stored")}, OPENAI_API_KEY=KEY)
    assert Models(found).find("mine").endpoint.key() is None
    assert plan(found, "openai/m").lacks_key.count("LAB_KEY") == 1
    assert Models(shelf(tmp_path, LAB_KEY="lab", OPENAI_API_KEY=KEY)).find("openai/m").endpoint.key() == "lab"


def test_elsewhere_openai_means_any_server_that_speaks_chat_completions(tmp_path: Path) -> None:
    here = Models(shelf(tmp_path, OPENAI_API_KEY=KEY)).find("openai/gpt-5.5")
    there = Models(shelf(tmp_path, OPENAI_BASE_URL="http://127.0.0.1:8000/v1")).find("openai/gpt-5.5")
    assert (here.endpoint.wire, here.endpoint.needs_key) == (Wire.RESPONSES, True)
    assert (there.endpoint.wire, there.endpoint.needs_key) == (Wire.CHAT_COMPLETIONS, False)
    assert here.price.up_to_tokens == 272_000
    assert (there.price, there.context_window) == (Price(), None), "facts of another server's model would be made up"


AZURE = "https://r.openai.azure.com"


@pytest.mark.parametrize(
    ("version", "endpoint", "base_url", "query"),
    [
        ("", f"{AZURE}/", f"{AZURE}/openai/v1", {}),
        ("2024-10-21", AZURE, f"{AZURE}/openai/deployments/d%2F1", {"api-version": "2024-10-21"}),
        ("", f"{AZURE}/?api-version=1", f"{AZURE}/openai/deployments/d%2F1", {"api-version": "1"}),
    ],
)
def test_azure_s_model_is_a_deployment(
    tmp_path: Path, version: str, endpoint: str, base_url: str, query: dict[str, str]
) -> None:
    environ = {"AZURE_OPENAI_ENDPOINT": endpoint, "AZURE_OPENAI_API_KEY": KEY, "OPENAI_API_VERSION": version}
    model = Models(shelf(tmp_path, **environ)).find("azure/d/1")
    assert (model.endpoint.base_url, model.endpoint.query, model.id) == (base_url, query, "d/1")
    assert model.endpoint.quirks.key_header == "api-key"


def test_an_anthropic_address_may_end_in_its_version(tmp_path: Path) -> None:
    found = shelf(tmp_path, ANTHROPIC_BASE_URL="http://proxy/anthropic/v1", ANTHROPIC_API_KEY=KEY)
    assert Models(found).find("anthropic/claude-x").endpoint.base_url == "http://proxy/anthropic"


@pytest.mark.parametrize("value", ["nope/x", "openai", "azure/x", "embedded/x", "test/scripted"])
def test_a_model_that_can_not_be_found_is_one_sentence(tmp_path: Path, value: str) -> None:
    with pytest.raises(ProviderFault) as raised:
        Models(shelf(tmp_path)).find(value)
    assert raised.value.sentence.endswith(".")


def test_a_provider_that_is_nearly_right_is_guessed(tmp_path: Path) -> None:
    with pytest.raises(ProviderFault, match="did you mean anthropic"):
        Models(shelf(tmp_path)).find("antropic/claude")


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"providers": 3}', '{"providers": {"openai": 3, "groq": {"key": 7}}}', "\xff"]
)
def test_a_file_of_keys_that_is_wrong_stops_nothing_and_shows_nothing(tmp_path: Path, text: str) -> None:
    path = tmp_path / "credentials.json"
    path.write_bytes(text.encode("latin-1"))
    path.chmod(0o600)
    assert not credentials.read(str(tmp_path)).of("openai").key
    assert choice(tmp_path).model == "embedded/librarian"


def test_a_file_of_keys_that_others_can_read_is_said_and_used(tmp_path: Path) -> None:
    credentials.write(str(tmp_path), Credentials({"groq": Stored(KEY)}))
    (tmp_path / "credentials.json").chmod(0o640)
    found = credentials.read(str(tmp_path))
    assert found.of("groq").key == KEY and "chmod 600" in found.problem and KEY not in found.problem


def test_an_address_of_setup_that_was_made_wrong_since_is_not_used(tmp_path: Path) -> None:
    text = json.dumps({"providers": {"openai": {"key": KEY, "base_url": "http://me:pw@h"}}})
    (tmp_path / "credentials.json").write_text(text, encoding="utf-8")
    assert isinstance(shelf(tmp_path).look().plan("openai/x"), Unfit)


# Jobs


def job(found: Shelf, name: Job, session_model: str = "anthropic/claude-opus-5-5") -> str | None:
    model = Models(found).for_job(name, session_model)
    return model.value if isinstance(model, Model) else model


@pytest.mark.parametrize(
    ("jobs", "memory", "compaction", "fast"),
    [
        ("", "anthropic/claude-opus-5-5", "anthropic/claude-opus-5-5", "anthropic/claude-haiku-4-5"),
        ("compaction = 'groq/c'", "groq/c", "groq/c", "anthropic/claude-haiku-4-5"),
        ("memory = 'fast'", "anthropic/claude-haiku-4-5", "anthropic/claude-opus-5-5", "anthropic/claude-haiku-4-5"),
        ("memory = 'fast'\nfast = 'groq/f'", "groq/f", "anthropic/claude-opus-5-5", "groq/f"),
        ("memory = 'mine'", "lab/m", "anthropic/claude-opus-5-5", "anthropic/claude-haiku-4-5"),
        ("fast = 'chat'\ncompaction = 'fast'", *["anthropic/claude-opus-5-5"] * 3),
    ],
)
def test_each_job_has_the_model_it_is_bound_to_or_the_one_it_follows(
    tmp_path: Path, jobs: str, memory: str, compaction: str, fast: str
) -> None:
    mine = '[models.mine]\nprovider = "lab"\nmodel = "m"\nbase_url = "http://lab:1/v1"\n'
    found = shelf(tmp_path, f"{mine}[jobs]\n{jobs}\n", ANTHROPIC_API_KEY=KEY, GROQ_API_KEY=KEY)
    assert (job(found, Job.MEMORY), job(found, Job.COMPACTION), job(found, Job.FAST)) == (memory, compaction, fast)
    assert job(found, Job.CHAT) == "anthropic/claude-opus-5-5"


def test_beside_the_embedded_model_no_job_asks_a_server(tmp_path: Path) -> None:
    found = shelf(tmp_path, ANTHROPIC_API_KEY=KEY)
    assert [job(found, each, "embedded/librarian") for each in Job] == [None] * 4


@pytest.mark.parametrize(
    ("jobs", "says"),
    [
        ("memory = 'openai/x'", "OPENAI_API_KEY"),
        ("memory = 'nope/x'", "no provider nope"),
        ("memory = 'compaction'\ncompaction = 'memory'", "circle"),
    ],
)
def test_a_binding_that_can_not_be_resolved_is_a_sentence(tmp_path: Path, jobs: str, says: str) -> None:
    said = job(shelf(tmp_path, f"[jobs]\n{jobs}\n", ANTHROPIC_API_KEY=KEY), Job.MEMORY)
    assert said is not None and says in said and said.endswith(".")


def test_bindings_are_those_of_the_process_s_start_and_of_what_was_changed_in_it(tmp_path: Path) -> None:
    found = shelf(tmp_path, "[jobs]\nmemory = 'groq/a'\n", ANTHROPIC_API_KEY=KEY, GROQ_API_KEY=KEY)
    models = Models(found)
    (tmp_path / "config.toml").write_text("[jobs]\nmemory = 'groq/b'\n", encoding="utf-8")
    model = models.for_job(Job.MEMORY, "anthropic/x")
    assert isinstance(model, Model) and model.value == "groq/a"
    models.bindings["memory"] = "groq/c"
    model = models.for_job(Job.MEMORY, "anthropic/x")
    assert isinstance(model, Model) and model.value == "groq/c"


# Listings


PRICING = {"prompt": "0.000003", "completion": "0.000015", "input_cache_read": "0"}


def test_a_listing_is_read_in_every_dialect() -> None:
    rows = [
        {"id": "a", "context_length": 10, "pricing": PRICING},
        {"id": "b", "max_model_len": 20},
        {"id": "c", "context_window": 30, "max_completion_tokens": 5},
        {"id": "models/d", "display_name": "D"},
        {"name": "e:latest", "model": "e"},
        {"id": "f", "capabilities": {"completion_chat": False}},
        {"id": "text-embedding-3"}, {"id": "whisper-1"}, {"id": ""}, {"id": "two words"}, {"id": 7}, None,
        {"id": "a", "context_length": 99},
    ]  # fmt: skip
    found = {facts.id: facts for facts in models_of(json.dumps({"data": rows}).encode())}
    assert list(found) == ["a", "b", "c", "d", "e:latest", "7"]
    assert (found["a"].context_window, found["a"].price) == (10, {"input": 3.0, "output": 15.0, "cached": 0.0})
    assert (found["b"].context_window, found["c"].context_window, found["c"].max_output) == (20, 30, 5)
    assert found["d"].name == "D"
    assert models_of(json.dumps(rows).encode())[0].id == "a"


@pytest.mark.parametrize("body", [b"", b"<html>", b"{}", b"3", b'{"data": 3}', b"\xff", b"[" * 100_000])
def test_what_is_no_listing_is_refused(body: bytes) -> None:
    with pytest.raises((ValueError, RecursionError)):
        models_of(body)


def test_a_listing_has_its_bounds() -> None:
    rows = [{"id": f"m{number}", "pricing": {"prompt": "-1"}} for number in range(MAX_MODELS + 5)]
    found = models_of(json.dumps({"data": rows}).encode())
    assert len(found) == MAX_MODELS and found[0].price == {}


# Tables


def test_the_catalog_is_dated_and_each_row_is_whole() -> None:
    text = json.loads(Path(FILE).read_text("utf-8"))
    assert date.fromisoformat(text["date"]) < date.today()
    allowed = {"provider", "id", "name", "context_window", "max_output", "thinks", "price", "default", "fast"}
    for row in text["models"]:
        assert set(row) <= allowed and row["provider"] in PRESETS
        assert set(row.get("price", {})) <= {*PRICES, "up_to_tokens"}
    values = [(row["provider"], row["id"]) for row in text["models"]]
    assert len(set(values)) == len(values)


def test_each_provider_with_known_models_has_one_default_and_one_cheap_one() -> None:
    for provider in PRESETS:
        known = catalog().of(provider)
        if known:
            assert sum(facts.default for facts in known) == sum(facts.fast for facts in known) == 1


def test_the_wires_and_the_quirks_go_by_the_same_names() -> None:
    assert set(WIRES) == {wire.value for wire in Wire}
    assert set(ROWS) <= set(PRESETS)
