"""What a model reads when it names a conversation, and what becomes of its answer. Pure.

It reads the person's own words and nothing else: no view, no note, no answer, and no file that an editor put in.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

from acp_server.providers.interface import Purpose, Request, UserItem
from acp_server.titles import own_words, title_of

MAX_WORDS_CHARS = 2000
OUTPUT_TOKENS = 400
"""Room for a model that thinks a little first; what it writes beyond a line is dropped."""

_EMBEDDED = re.compile(r"^[a-z][a-z0-9+.-]*:\S*\n(`{3,})\n.*?\n\1$", re.DOTALL | re.MULTILINE)
"""A file that an editor put into the prompt: its address, then its text between fences (`sentences.wire.embedded`)."""
_FRAME = re.compile(r"^(?:\s|#+\s|[*_`\"'“”„«»]|title\s*:)+|[\s*_`\"'“”„«».]+$", re.IGNORECASE)


def words_of(prompt: str) -> str:
    """The person's own words at the beginning of a prompt, "" for none."""
    return _EMBEDDED.sub("", own_words(prompt)).strip()[:MAX_WORDS_CHARS]


def request_of(words: str, model: str, session: str) -> Request:
    """The request for a title."""
    return Request(
        model=model,
        system=_rules(),
        tools=(),
        items=(UserItem(f"<words>\n{words}\n</words>"),),
        session=session,
        purpose=Purpose.TITLE,
        max_output_tokens=OUTPUT_TOKENS,
    )


def title_in(answer: str) -> str:
    """The title in a model's answer: one plain line of at most 60 characters, "" for none."""
    line = next((bare for line in answer.splitlines() if (bare := _FRAME.sub("", line))), "")
    return title_of(line)


@cache
def _rules() -> str:
    return files("acp_server.prompts").joinpath("title.md").read_text(encoding="utf-8")
