"""Puts prepared updates out as the transport does, and nothing else: a floor for a load."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from acp_server import jsonrpc
from acp_server.writer import Writer


def main(path: str) -> None:
    """Answer each line with the updates (where it asks to send) and an empty result."""
    updates = json.loads(Path(path).read_text(encoding="utf-8"))
    writer = Writer(1, lambda: None)
    for line in sys.stdin:
        request = json.loads(line)
        if request["method"] == "send":
            for update in updates:
                writer.put(jsonrpc.encode(jsonrpc.session_update("long", update)))
        writer.put(jsonrpc.encode(jsonrpc.result_reply(request["id"], {})))


if __name__ == "__main__":
    main(sys.argv[1])
