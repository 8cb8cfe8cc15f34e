"""Links to files as editors follow them. Pure.

`#L3:3` is the form that old and new editors read alike, with lines counted from 1.
"""

from __future__ import annotations

import re
from urllib.parse import quote

_DRIVE = re.compile(r"[A-Za-z]:[\\/]")


def file_uri(path: str, line: int | None = None) -> str:
    """The percent-quoted `file:///…` of an absolute path, with `#L3:3` for a 1-based line."""
    if _DRIVE.match(path):
        path = "/" + path.replace("\\", "/")
    fragment = "" if line is None else f"#L{max(line, 1)}:{max(line, 1)}"
    return f"file://{quote(path, safe='/:', errors='surrogateescape')}{fragment}"
