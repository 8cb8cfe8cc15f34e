"""Writes fixtures/session-records.schema.json: `python tests/acp_server/write_session_schema.py`."""

from __future__ import annotations

import json
from pathlib import Path

from acp_server.session_files.records import schema

PATH = Path(__file__).resolve().parents[2] / "fixtures" / "session-records.schema.json"


def text() -> str:
    return json.dumps(schema(), indent=2, sort_keys=True) + "\n"


if __name__ == "__main__":
    PATH.write_text(text(), encoding="utf-8")
