"""What in a text looks like a secret: its kind and its line, never the secret itself. Pure.

Known token shapes are found by their prefixes. An assignment such as `password = …` counts where the value
looks like a password: not a placeholder, a variable, a call or, after a colon or "is", an ordinary word.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from acp_server.sentences.secrets import KINDS


@dataclass(frozen=True, slots=True)
class Finding:
    """A line (1-based, line ends as `\\n`, `\\r` or both) that looks like it holds a secret of this kind."""

    kind: str
    line: int


_TOKENS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(pattern))
    for kind, pattern in (
        ("private_key", r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----"),
        ("aws", r"(?<![A-Za-z0-9])(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}(?![A-Za-z0-9])"),
        ("github", r"(?<![A-Za-z0-9])(?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{30,})"),
        ("gitlab", r"(?<![A-Za-z0-9])gl(?:pat|dt|rt|cbt|ptt|ft|soat|agent|oas)-[A-Za-z0-9_-]{16,}"),
        ("slack", r"(?<![A-Za-z0-9])xox[abeprs]-[A-Za-z0-9-]{10,}|xapp-\d-[A-Za-z0-9-]{10,}"),
        ("slack", r"hooks\.slack\.com/(?:services|workflows)/T[A-Za-z0-9]+/[A-Za-z0-9/]{15,}"),
        ("anthropic", r"(?<![A-Za-z0-9])sk-ant-[A-Za-z0-9_-]{16,}"),
        ("openai", r"(?<![A-Za-z0-9])sk-(?:proj|svcacct|admin|None)-[A-Za-z0-9_-]{16,}"),
        ("openai", r"(?<![A-Za-z0-9-])sk-(?=[A-Za-z]*\d)[A-Za-z0-9]{20,}"),
        ("openrouter", r"(?<![A-Za-z0-9])sk-or-(?:v\d-)?[A-Za-z0-9]{16,}"),
        ("google", r"(?<![A-Za-z0-9])AIza[A-Za-z0-9_-]{35}|(?<![A-Za-z0-9])GOCSPX-[A-Za-z0-9_-]{20,}"),
        ("google", r"(?<![A-Za-z0-9])ya29\.[A-Za-z0-9_-]{20,}"),
        ("stripe", r"(?<![A-Za-z0-9])(?:[sr]k_(?:live|test)|whsec)_[A-Za-z0-9]{16,}"),
        ("npm", r"(?<![A-Za-z0-9])npm_[A-Za-z0-9]{30,}"),
        ("pypi", r"(?<![A-Za-z0-9])pypi-[A-Za-z0-9_-]{30,}"),
        ("huggingface", r"(?<![A-Za-z0-9])hf_[A-Za-z0-9]{30,}"),
        ("sendgrid", r"(?<![A-Za-z0-9])SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}"),
        ("digitalocean", r"(?<![A-Za-z0-9])do[opr]_v1_[a-f0-9]{40,}"),
        ("telegram", r"(?<![A-Za-z0-9])\d{8,10}:AA[A-Za-z0-9_-]{32,}"),
        ("jwt", r"(?<![A-Za-z0-9])eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}"),
    )
)

_URL = re.compile(r"\b[a-z][a-z0-9+.-]{1,30}://[^\s/:@'\"<>]*:(?P<value>[^\s/@'\"<>]{3,})@[^\s@]", re.IGNORECASE)
_BEARER = re.compile(r"\b(?:bearer|authorization\W{1,4}(?:basic|token))\s+(?P<value>[A-Za-z0-9._~+/=-]{16,})", re.I)
# The name begins where a run of its characters does: tried at each of them, a line of a million dashes would take
# seconds, in which no other thread of the process runs.
_ASSIGNMENT = re.compile(
    r"""(?<![A-Za-z0-9_.-])(?P<name>[A-Za-z0-9_.-]{0,200}
        (?:passw(?:or)?d|passwd|passphrase|pwd|secret|api[_-]?key|access[_-]?key|auth[_-]?token|token
          |private[_-]?key|client[_-]?secret|credential|account[_-]?key)
        (?:[_-][A-Za-z0-9]{1,12}){0,2})
        ["'`]?\s{0,8}(?P<sign>:=|=>|==?|:|\bis\b)\s{0,8}
        (?P<value>"[^"\n]{1,200}"|'[^'\n]{1,200}'|`[^`\n]{1,200}`|[^\s,;]{1,200})
        (?=(?P<rest>[^\n]{0,40}))""",
    re.IGNORECASE | re.VERBOSE,
)
_CHECKED_NAME = re.compile(
    r"(?:^|[_.-])(?:max|min|num|count|limit|length|size|ttl|expiry|file|path|url|name|type)s?$", re.I
)
_PLACEHOLDER = re.compile(
    r"""[<\[{(%$@*].*|.*[>\])}]|x{3,}.*|\.{2,}.*|…+|_+|-+
        |(?:your|my|the|some|any|an?|new|old|test|dummy|fake|example|sample|placeholder|change|replace|todo|redacted|hidden|insert)
         (?:[\W_].*|me.*|this.*)?
        |(?:pass(?:word|wd|phrase)?|pw|pwd|secret|token|key|api[_-]?key|credentials?|user(?:name)?)
        |(?:hashed|salted|encrypted|encoded|masked|opaque|rotated|expired|revoked|invalid|missing|stored|unset|unknown)
        |(?:none|null|nil|undefined|true|false|empty|string|str|bytes|int|required|optional|env|process|config|self|settings)
         (?:[.\[(?|:].*)?""",
    re.IGNORECASE | re.VERBOSE,
)
_CODE = re.compile(r"[A-Za-z_$][\w$]*(?:(?:\.|->|::)[A-Za-z_$][\w$]*)+(?:[(\[].*)?|[A-Za-z_$][\w.$]*[(\[].*")
_VARIABLE = re.compile(r"\w*_\w*", re.ASCII)
_COLOUR = re.compile(r"#[0-9a-f]{3,8}", re.IGNORECASE)
_CONSTANT = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+")
_DASHED_WORDS = re.compile(r"[A-Za-z]+(?:[-_/.][A-Za-z]+)*")
_PATH = re.compile(r"(?:[~.]{0,2}/|[A-Za-z]:\\|https?://|file:|vault:|op://|arn:|secret/).*", re.IGNORECASE)


def find_secrets(text: str) -> tuple[Finding, ...]:
    """Each kind of secret that the text seems to hold, once a line, in order of lines."""
    found: dict[tuple[str, int], None] = {}
    for number, line in enumerate(re.split("\r\n|\r|\n", text), start=1):
        for kind in _kinds(line):
            found[kind, number] = None
    return tuple(Finding(KINDS[kind], line) for kind, line in found)


def _kinds(line: str) -> list[str]:
    kinds = [kind for kind, pattern in _TOKENS if pattern.search(line)]
    if any(not _is_placeholder(found["value"]) for found in _URL.finditer(line)):
        kinds.append("url")
    if any(_is_mixed(found["value"]) for found in _BEARER.finditer(line)):
        kinds.append("bearer")
    if not kinds and any(_is_secret_assignment(found) for found in _ASSIGNMENT.finditer(line)):
        kinds.append("password")
    return kinds


def _is_secret_assignment(found: re.Match[str]) -> bool:
    raw = found["value"]
    quoted = raw[0] in "\"'`"
    value = raw[1:-1] if quoted else raw.rstrip(".!?)`'\"*")
    if len(value) < 6 or _CHECKED_NAME.search(found["name"]) or _is_placeholder(value):
        return False
    if not quoted and (_CODE.fullmatch(value) or _is_variable(value)):
        return False
    if any(shape.fullmatch(value) for shape in (_CONSTANT, _PATH, _COLOUR)) or " " in value.strip():
        return False
    if found["sign"] in ("=", ":=", "=>") or quoted:
        return not (_is_token_name(found["name"]) and _DASHED_WORDS.fullmatch(value))
    ends = not found["rest"].strip(" \t,;.)*`'\"") or found["rest"].lstrip().startswith("#")
    return ends and _is_mixed(value)


def _is_variable(value: str) -> bool:
    """Whether the value is a name in code that speaks of what it holds, such as `user_password`."""
    return _VARIABLE.fullmatch(value) is not None and re.search("pass|token|secret|key", value.lower()) is not None


def _is_token_name(name: str) -> bool:
    """Whether the name is of a machine's secret, whose value is never made of words alone."""
    return not re.search("pass|pwd", name, re.IGNORECASE)


def _is_placeholder(value: str) -> bool:
    return _PLACEHOLDER.fullmatch(value) is not None


def _is_mixed(value: str) -> bool:
    """Whether letters and digits, or signs beyond those of words, stand together as in a made-up password."""
    letters = any(character.isalpha() for character in value)
    digits = any(character.isdigit() for character in value)
    return letters and (digits or any(character in "!@#$%^&*+=?~" for character in value))
