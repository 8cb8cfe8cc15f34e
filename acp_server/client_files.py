"""Text files as the client has them: with what a person typed and didn't save. Where the client offers none, has none
or does not answer, the disk is read instead.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from acp_server.calls import CallFailed, Calls
from acp_server.child_ids import client_session
from acp_server.providers.interface import JsonObject
from acp_server.sentences.log import CLIENT_FILES_SILENT

PATIENCE_S = 5.0
"""How long a client may take for a file; one that took longer once is not asked again in this process."""

_log = logging.getLogger(__name__)


class ClientFiles:
    """Reads files through the client, once `connect` gave one."""

    def __init__(self, patience_s: float = PATIENCE_S) -> None:
        self._patience_s = patience_s
        self._calls: Calls | None = None
        self._offered: Callable[[], bool] = bool

    def connect(self, calls: Calls, offered: Callable[[], bool]) -> None:
        """Take the way to the client; `offered` says whether it declared `fs.readTextFile`."""
        self._calls, self._offered = calls, offered

    async def read(self, session: str, path: str) -> str | None:
        """The whole text of an absolute path, None where it isn't to be had from the client."""
        if self._calls is None or not self._offered():
            return None
        params: JsonObject = {"sessionId": client_session(session), "path": path}
        try:
            async with asyncio.timeout(self._patience_s):
                result = await self._calls.call("fs/read_text_file", params)
        except CallFailed:
            return None
        except TimeoutError:
            _log.warning(CLIENT_FILES_SILENT, self._patience_s)
            self._calls = None
            return None
        content = result.get("content") if isinstance(result, dict) else None
        return content if isinstance(content, str) else None
