"""Addresses of servers: checked, put into one form, and shown without what is secret in them. Pure and light."""

from __future__ import annotations

import re

from acp_server.sentences import models as say

MAX_URL_CHARS = 2000
OLLAMA_PORT = 11434

_HOST = re.compile(r"(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?\.?)(?::(?P<port>[0-9]{1,5}))?")
_PATH = re.compile(r"[A-Za-z0-9._~!$&'()*+,;=:@%/-]*")
_API_VERSION = re.compile(r"api-version=([A-Za-z0-9._-]+)")
_ANY_ADDRESS = re.compile(r"0\.0\.0\.0(?=:|$)")
_CREDENTIALS = re.compile(r"://\S*@")
_QUERY = re.compile(r"\?\S+")
_HIDDEN = "[redacted]"


class Address:
    """An address that can be used: no slash at its end, no credentials, no query but an API version."""

    __slots__ = ("api_version", "url")

    def __init__(self, url: str, api_version: str = "") -> None:
        self.url = url
        self.api_version = api_version


def address_of(text: str) -> Address | str:
    """The address, or what is wrong with it: the rest of a sentence, with nothing secret in it."""
    url = text.strip()
    scheme, separator, rest = url.partition("://")
    if not separator or scheme.lower() not in ("http", "https"):
        return say.URL_SCHEME
    host, slash, tail = rest.partition("/")
    if "@" in host or "@" in rest.partition("?")[0]:
        return say.URL_CREDENTIALS
    path, question, query = tail.partition("?")
    version = _API_VERSION.fullmatch(query)
    if question and not version:
        return say.URL_QUERY
    found = _HOST.fullmatch(host)
    if len(url) > MAX_URL_CHARS or not found or int(found["port"] or 1) not in range(1, 65536):
        return say.URL_HOST
    if not _PATH.fullmatch(path):
        return say.URL_HOST
    return Address(f"{scheme.lower()}://{host.lower()}{slash}{path}".rstrip("/"), version[1] if version else "")


def redacted(text: str) -> str:
    """A text with URLs as they may be shown: without user, password and the values of a query."""
    return _QUERY.sub(f"?{_HIDDEN}", _CREDENTIALS.sub(f"://{_HIDDEN}@", text))


def ollama_url(host: str) -> str:
    """The address that `OLLAMA_HOST` means: a host, a port, both, or a whole URL; that of its OpenAI-like interface."""
    text = host.strip().rstrip("/")
    scheme, separator, rest = text.partition("://")
    if not separator:
        scheme, rest = "http", text
    name, slash, path = rest.partition("/")
    name = _ANY_ADDRESS.sub("127.0.0.1", f"127.0.0.1{name}" if name.startswith(":") else name, count=1)
    if not separator and ":" not in name.rpartition("]")[2]:
        name = f"{name}:{OLLAMA_PORT}"
    whole = f"{scheme}://{name}{slash}{path}"
    return whole if whole.endswith("/v1") else f"{whole}/v1"
