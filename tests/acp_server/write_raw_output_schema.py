"""Writes fixtures/raw-output.schema.json: `python tests/acp_server/write_raw_output_schema.py`."""

from __future__ import annotations

import json
from pathlib import Path

from acp_server.raw_output import schema

PATH = Path(__file__).resolve().parents[2] / "fixtures" / "raw-output.schema.json"


def text() -> str:
    return json.dumps(schema(), indent=2, sort_keys=True) + "\n"


if __name__ == "__main__":
    PATH.write_text(text(), encoding="utf-8")
