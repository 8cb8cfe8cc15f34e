"""Which files may hold secrets, by their names: they are read only once the person agrees, and never searched. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

_EXAMPLES = (".example", ".sample", ".template", ".dist", ".defaults")
_NAMES = re.compile(
    r"""
    \.env(\..+)? | .+\.env | \.envrc
    | .+\.(pem|key|p12|pfx|jks|keystore|kdbx|asc|gpg)
    | id_(rsa|dsa|ecdsa|ed25519)(_sk)?
    | \.?netrc | _netrc | \.npmrc | \.pypirc | \.pgpass | \.my\.cnf | \.htpasswd | \.git-credentials | \.dockercfg
    | (client_)?secrets?(\..+)?\.(json|ya?ml|toml|ini|txt) | \.?credentials?(\.(json|ya?ml|toml|ini|xml|txt|db))?
    | service[-_]?account.*\.json | terraform\.tfstate(\..+)? | .+\.tfvars | master\.key
    """,
    re.IGNORECASE | re.VERBOSE,
)
_FOLDERS = frozenset({".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".gcloud"})
_PAIRS = frozenset({(".git", "config")})
_PUBLIC = re.compile(r".+\.pub", re.IGNORECASE)


def may_hold_secrets(parts: Sequence[str]) -> bool:
    """Whether the file at the end of a path (its parts, links followed) is one that people keep secrets in."""
    if not parts:
        return False
    *folders, name = parts
    lower = name.casefold()
    if lower.endswith(_EXAMPLES) or _PUBLIC.fullmatch(name):
        return False
    if any(folder.casefold() in _FOLDERS for folder in folders):
        return True
    return _NAMES.fullmatch(name) is not None or (folders[-1:] and (folders[-1], lower) in _PAIRS) is True
