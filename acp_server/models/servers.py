"""Which server a provider's name means here and now: its address, its wire, its key's place. Light.

Rules
1. An address comes from the configuration's model, else the environment, else what setup stored, else the preset.
2. A key comes from the environment, else from what setup stored (the file, or the system's keyring). A model of the
   configuration that names a variable of its own gets its key from there and nowhere else.
3. A key is needed at the address that the preset names, and where a model names a variable for it. Elsewhere, at a
   server of one's own, one is sent where there is one.
4. An address that is wrong is never replaced by another: the person's text would go where it wasn't meant to.
"""

from __future__ import annotations

from acp_server.models.presets import ANTHROPIC, CHAT, PRESETS
from acp_server.models.urls import Address, address_of, ollama_url
from acp_server.sentences import models as say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from acp_server.models.credentials import Credentials, Stored
    from acp_server.models.presets import Preset
    from acp_server.models.settings import Entry

AZURE_VERSIONS = ("AZURE_OPENAI_API_VERSION", "OPENAI_API_VERSION")

FROM_CONFIG = "config.toml"
FROM_ENVIRONMENT = "environment"
FROM_FILE = "credentials.json"
FROM_KEYRING = "keyring"
FROM_SETUP = "setup"


class Server:
    """A server as it can be reached now. `named` says who named its address, "" for the preset; `key_from` where its
    key is, "" where there is none. `problem` is a sentence where it can't be reached as it was meant.
    """

    __slots__ = (
        "api_version", "base_url", "key_from", "keys", "named", "needs_key", "official", "problem", "provider", "title",
        "wire",
    )  # fmt: skip

    def __init__(self, provider: str, title: str) -> None:
        self.provider = provider
        self.title = title
        self.wire = CHAT
        self.base_url = self.api_version = self.named = self.key_from = self.problem = ""
        self.keys: tuple[str, ...] = ()
        self.needs_key = False
        self.official = False

    @property
    def has_key(self) -> bool:
        """Whether there is a key now."""
        return bool(self.key_from)

    @property
    def usable(self) -> bool:
        """Whether it can be asked, and somebody wanted it: by a key, or by naming it."""
        reachable = bool(self.base_url) and not self.problem and (self.has_key or not self.needs_key)
        return reachable and bool(self.has_key or self.named)

    def base_url_for(self, model_id: str) -> str:
        """The address for requests to one model: Azure's older interface has one for each."""
        if self.provider == "azure" and self.api_version:
            from urllib.parse import quote

            return f"{self.base_url}/openai/deployments/{quote(model_id, safe='')}"
        return self.base_url


def server_of(
    provider: str, environ: Mapping[str, str], credentials: Credentials, entry: Entry | None = None
) -> Server:
    """The server of a provider that is a preset, or of a model of the configuration."""
    preset, stored = PRESETS.get(provider), credentials.of(provider)
    server = Server(provider, preset.title if preset else provider)
    _find_address(server, preset, environ, stored, entry)
    server.official = preset is not None and server.base_url == preset.base_url != ""
    server.wire = _wire(server, preset, entry)
    if server.wire == ANTHROPIC:
        server.base_url = server.base_url.removesuffix("/v1")  # the paths of this wire begin with it
    _find_key(server, preset, environ, stored, entry)
    return server


def key_in(environ: Mapping[str, str], names: tuple[str, ...]) -> str:
    """The key that the first of these variables holds, "" for none."""
    return next((value for name in names if (value := environ.get(name, "").strip())), "")


def _find_address(
    server: Server, preset: Preset | None, environ: Mapping[str, str], stored: Stored, entry: Entry | None
) -> None:
    named = preset.base_urls if preset else ()
    if entry is not None and entry.base_url:
        server.base_url, server.named = entry.base_url, FROM_CONFIG
    elif variable := next((name for name in named if environ.get(name, "").strip()), ""):
        server.named = FROM_ENVIRONMENT
        given = environ[variable]
        _take_address(server, ollama_url(given) if variable == "OLLAMA_HOST" else given, variable)
    elif stored.base_url:
        server.named = FROM_SETUP
        _take_address(server, stored.base_url, FROM_FILE)
    elif preset is not None:
        server.base_url = preset.base_url
    if server.provider == "azure" and server.base_url:
        _finish_azure(server, environ, entry)


def _take_address(server: Server, text: str, where: str) -> None:
    address = address_of(text)
    if isinstance(address, Address):
        server.base_url, server.api_version = address.url, address.api_version
    else:
        server.problem = say.address_wrong(where, address)


def _finish_azure(server: Server, environ: Mapping[str, str], entry: Entry | None) -> None:
    version = (entry.api_version if entry else "") or server.api_version or key_in(environ, AZURE_VERSIONS)
    server.api_version = version
    if not version and "/openai" not in server.base_url:
        server.base_url += "/openai/v1"


def _wire(server: Server, preset: Preset | None, entry: Entry | None) -> str:
    if entry is not None and entry.wire:
        return entry.wire
    if preset is None:
        return CHAT
    return preset.wire if server.official else preset.elsewhere


def _find_key(
    server: Server, preset: Preset | None, environ: Mapping[str, str], stored: Stored, entry: Entry | None
) -> None:
    own = (entry.api_key_env,) if entry is not None and entry.api_key_env else ()
    server.keys = own or (preset.keys if preset else ())
    server.needs_key = bool(own) or (
        preset is not None and bool(preset.keys) and (server.official or not preset.base_url)
    )
    if key_in(environ, server.keys):
        server.key_from = FROM_ENVIRONMENT
    elif not own and (stored.key or stored.in_keyring):
        server.key_from = FROM_KEYRING if stored.in_keyring else FROM_FILE
