"""What looks like a secret is named by kind and line; ordinary notes are left alone.

The samples are put together here from parts, so that no scanner takes this file for a leak.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from acp_server.secrets import find_secrets
from acp_server.sentences.secrets import looks_like

ORDINARY = Path(__file__).resolve().parents[2] / "fixtures" / "ordinary-notes.jsonl"
MIXED = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0"
HEX = "0123456789abcdef" * 4

SAMPLES = [
    ("an AWS access key", "AKIA" + "IOSFODNN7QWERTYU"),
    ("an AWS access key", "id=ASIA" + "Y34FZKBOKMUTVV7A;"),
    ("a GitHub token", "ghp_" + MIXED[:36]),
    ("a GitHub token", "gho_" + MIXED[:36]),
    ("a GitHub token", "github_pat_" + MIXED[:22] + "_" + MIXED),
    ("a GitLab token", "glpat-" + MIXED[:20]),
    ("a Slack token", "xoxb-" + "123456789012-123456789012-" + MIXED[:24]),
    ("a Slack token", "https://hooks.slack" + ".com/services/T00000000/B00000000/" + MIXED[:24]),
    ("an OpenAI API key", "sk-" + MIXED + "AbCdEfGh"),
    ("an OpenAI API key", "sk-proj-" + MIXED + "_" + MIXED),
    ("an Anthropic API key", "sk-ant-api03-" + MIXED + "-" + MIXED),
    ("a Google API key or token", "AIza" + "Sy" + MIXED[:33]),
    ("a Stripe key", "sk_live_" + MIXED[:24]),
    ("a Stripe key", "rk_test_" + MIXED[:24]),
    ("an npm token", "npm_" + MIXED[:36]),
    ("a PyPI token", "pypi-" + "AgEIcHlwaS5vcmc" + MIXED),
    ("a JSON Web Token", "eyJhbGciOiJIUzI1NiJ9" + ".eyJzdWIiOiIxMjM0NTY3ODkwIn0." + MIXED),
    ("a private key", "-----BEGIN RSA PRIVATE" + " KEY-----"),
    ("a private key", "-----BEGIN PRIVATE" + " KEY-----"),
    ("a private key", "-----BEGIN OPENSSH PRIVATE" + " KEY-----"),
    ("an address with a password in it", "postgres://app:" + "hunter22@db.internal:5432/app"),
    ("an address with a password in it", "https://ana:" + "s3cr3t!x@example.com/x"),
    ("an address with a password in it", "redis://:" + "p4ssw0rd9@cache:6379/0"),
    ("an authorization header with its token", "Authorization: Bearer " + MIXED),
    ("an authorization header with its token", "curl -H 'authorization: bearer " + MIXED + "'"),
    ("an authorization header with its token", "Authorization: Basic " + "dXNlcjpodW50ZXIyMjIy"),
    ("a password or key that is assigned", "password=" + "hunter2"),
    ("a password or key that is assigned", "password = " + '"correct horse"'.replace(" ", "-")),
    ("a password or key that is assigned", "DB_PASSWORD=" + "Tr0ub4dor&3"),
    ("a password or key that is assigned", "password: " + "hunter2"),
    ("a password or key that is assigned", "The wifi passphrase: " + "blue4Horse!"),
    ("a password or key that is assigned", '"client_secret": "' + MIXED[:24] + '",'),
    ("a password or key that is assigned", "AWS_SECRET_ACCESS_KEY=" + "wJalrXUtnFEMI/K7MDENG/bPxRfiCYQWERTYU12"),
    ("a password or key that is assigned", "api_key: " + HEX[:32]),
    ("a password or key that is assigned", "export SECRET_KEY='" + HEX + "'"),
    ("a password or key that is assigned", "- pwd: `" + "Gr3enTea9" + "`"),
    ("a password or key that is assigned", "The staging password is " + "Gr3enTea9."),
    ("a password or key that is assigned", "token: <yours>, password=" + "hunter22x"),
    ("a password or key that is assigned", "." * 120 + "password: " + "hunter22x"),
    ("a password or key that is assigned", "//registry.npmjs.org/:_authToken=" + HEX[:36]),
]


@pytest.mark.report("M40")
@pytest.mark.parametrize(("kind", "sample"), SAMPLES)
def test_a_secret_is_named_by_kind_and_line(kind: str, sample: str) -> None:
    found = find_secrets(f"# Keys\r\n\nbefore {sample}\nafter\n")
    assert (kind, 3) in [(each.kind, each.line) for each in found]
    assert all(sample not in looks_like(each.line, each.kind) for each in found)


@pytest.mark.report("M40")
def test_no_ordinary_note_is_flagged() -> None:
    notes = [json.loads(line) for line in ORDINARY.read_text(encoding="utf-8").splitlines()]
    assert len(notes) >= 200
    flagged = {note["name"]: find_secrets(note["text"]) for note in notes}
    assert {name: found for name, found in flagged.items() if found} == {}


def test_a_line_is_named_once_for_each_kind() -> None:
    token = "ghp_" + MIXED[:36]
    assert len(find_secrets(f"{token} {token}")) == 1


@pytest.mark.parametrize("text", ["", "=" * 100_000, "password" * 20_000, "a:" * 50_000, "token=" + "x_" * 50_000])
def test_a_long_odd_text_is_read_through(text: str) -> None:
    find_secrets(text)
