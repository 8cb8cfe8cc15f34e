"""What cards are made of: blocks of content, places in files, and the card of one sentence. Pure."""

from __future__ import annotations

from acp_server.events import Card
from acp_server.links import file_uri
from acp_server.markdown import escaped, plain_title
from acp_server.providers.interface import JsonObject


def sentence_card(sentence: str) -> Card:
    """A card that holds one sentence of ours."""
    return Card(content=(text_block(escaped(sentence)),))


def text_block(markdown: str) -> JsonObject:
    """A block of Markdown."""
    return {"type": "content", "content": {"type": "text", "text": markdown}}


def file_block(name: str, title: str, path: str, kind: str = "text/markdown") -> JsonObject:
    """A link to a file, as a block of its own; `kind` is its media type."""
    shown_name = plain_title(name, limit=200)
    return {
        "type": "content",
        "content": {
            "type": "resource_link",
            "uri": file_uri(path),
            "name": shown_name,
            "title": plain_title(title) or shown_name,
            "mimeType": kind,
        },
    }


def location(path: str, line: int | None = None) -> JsonObject:
    """A place in a file; lines count from 1."""
    return {"path": path} if line is None else {"path": path, "line": max(line, 1)}
