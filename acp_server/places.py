"""Where the configuration and the keys lie. Standard library only: the fast path asks.

The state directory is `memory_core.paths`'s.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

CONFIG_NAME = "config.toml"
CREDENTIALS_NAME = "credentials.json"


def config_directory(environ: Mapping[str, str], platform: str, home: str) -> str:
    """The directory of the configuration; `platform` is `sys.platform`. Pure but for a relative override."""
    override = environ.get("CAUDRA_CONFIG_DIR")
    if override:
        return os.path.abspath(override)
    if platform == "win32":
        import ntpath

        local = environ.get("LOCALAPPDATA") or ntpath.join(home, "AppData", "Local")
        return ntpath.join(local, "caudra")
    if platform == "darwin":
        return f"{home.rstrip('/')}/Library/Application Support/caudra"
    base = environ.get("XDG_CONFIG_HOME", "")
    if not base.startswith("/"):  # the XDG specification: a relative path is to be ignored
        base = f"{home.rstrip('/')}/.config"
    return f"{base.rstrip('/')}/caudra"


def config_directory_of(environ: Mapping[str, str]) -> str:
    """The directory of the configuration on this machine, in this environment."""
    import sys

    return config_directory(environ, sys.platform, os.path.expanduser("~"))
