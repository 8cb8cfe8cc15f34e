"""The chat's screen: session updates drawn as they come, cards once they have something to show.

A card is drawn when the person is asked about it and when it ends; nothing that was drawn is drawn again. What is wider
than the terminal is broken at spaces, but for code and diffs: these are shown as they are.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import chain, repeat

from acp_server.chat_cards import block_lines
from acp_server.chat_client import as_object, as_text
from acp_server.chat_flow import Flow, laid
from acp_server.chat_markdown import Prose
from acp_server.harmless import BOLD, DIM, GREEN, RED
from acp_server.providers.interface import JsonObject, JsonValue
from acp_server.sentences import chat as say
from acp_server.terminal import Output

_ENDED = {"completed": ("●", GREEN), "failed": ("●", RED)}
_OPEN = ("○", DIM)
_MARGIN = "  "


@dataclass(slots=True)
class _Card:
    """What is known of a call, and what of it was drawn."""

    title: str = ""
    kind: str = ""
    status: str = "pending"
    raw_input: JsonObject = field(default_factory=dict)
    content: list[JsonValue] = field(default_factory=list)
    drawn_head: str | None = None
    drawn: list[JsonValue] = field(default_factory=list)
    hidden: bool = False


class Screen:
    """Draws one session."""

    def __init__(self, out: Output) -> None:
        self._out = out
        self._cards: dict[str, _Card] = {}
        self._prose = Prose(out.style, out.width)
        self._thoughts = Flow(out.width)
        self._room: str | None = None
        self.failed = False
        """Whether the call that ended last has failed."""
        self._draw = {
            "user_message_chunk": self._person,
            "agent_message_chunk": self._message,
            "agent_thought_chunk": self._thought,
            "tool_call": self._card,
            "tool_call_update": self._card,
        }

    def update(self, update: JsonObject) -> None:
        """Draw a session update; kinds that a terminal needs no word of are passed over."""
        draw = self._draw.get(as_text(update.get("sessionUpdate")))
        if draw is not None:
            draw(update)
            self._out.flush()

    def _enter(self, room: str) -> None:
        """Begin on a line of its own, after an empty one where text and cards follow each other."""
        if self._room == room != "card":
            return
        self.end_text()
        if self._room not in (None, room):
            self._out.empty_line()
        self._room = room

    def _person(self, update: JsonObject) -> None:
        """What the person said in a session that is shown again."""
        self.apart()
        content = as_object(update.get("content"))
        rows = _lines(as_text(content.get("text"))) or block_lines(content, self._out.style)
        for sign, row in zip(chain([say.PROMPT], repeat(" " * len(say.PROMPT))), rows, strict=False):
            self._row(sign + row, BOLD)

    def _message(self, update: JsonObject) -> None:
        self._enter("text")
        self._out.send(self._prose.feed(as_text(as_object(update.get("content")).get("text"))))

    def _thought(self, update: JsonObject) -> None:
        """Thoughts are for a person who waits, so they are drawn on a terminal only."""
        if self._out.colour:
            self._enter("thought")
            thought = as_text(as_object(update.get("content")).get("text"))
            self._out.send(self._thoughts.feed(self._out.style(thought, DIM)))

    def end_text(self) -> None:
        """The message is over, or a card comes between: what was held is drawn, and the line ends."""
        self._out.send(self._prose.end() + self._thoughts.end())
        self._out.fresh_line()

    def apart(self) -> None:
        """What comes next stands apart from what was drawn, where there was something."""
        if self._room is not None:
            self.end_text()
            self._out.empty_line()
            self._room = None

    def end_turn(self) -> None:
        """The answer is over: what comes next begins anew."""
        self.end_text()
        self._room = None
        self._out.flush()

    def note(self, sentence: str) -> None:
        """Say something of the chat's own on a line of its own."""
        self._enter("card")
        self._row(sentence, DIM)
        self._out.flush()

    def _row(self, text: str, code: str) -> None:
        """One line of text of any origin, broken where the terminal ends."""
        self._lay(self._out.style(text, code))

    def _lay(self, line: str) -> None:
        """The same for a line that is harmless already."""
        for row in laid(line, self._out.width):
            self._out.line(row)

    def _card(self, update: JsonObject) -> None:
        card = self.merge(update)
        if card.status in _ENDED and not card.hidden:
            self.failed = card.status == "failed"
            self._show(card)

    def merge(self, update: JsonObject) -> _Card:
        """Take in what an update says of a call; what it doesn't name stays."""
        card = self._cards.setdefault(as_text(update.get("toolCallId")), _Card())
        card.title = as_text(update.get("title")) or card.title
        card.kind = as_text(update.get("kind")) or card.kind
        card.status = as_text(update.get("status")) or card.status
        card.raw_input = as_object(update.get("rawInput")) or card.raw_input
        content = update.get("content")
        if isinstance(content, list):
            card.content = content
        return card

    def ask(self, tool_call: JsonObject) -> _Card:
        """Draw what the person is asked about."""
        card = self.merge(tool_call)
        self._show(card)
        return card

    def hide(self, tool_call: JsonObject) -> None:
        """A call of which the person needs no word."""
        self.merge(tool_call).hidden = True

    def _show(self, card: _Card) -> None:
        """Draw a card's head where it changed, and the content that wasn't drawn before."""
        self._enter("card")
        sign, colour = _ENDED.get(card.status, _OPEN)
        failed = f" ({say.FAILED})" if card.status == "failed" else ""
        if card.title + failed != card.drawn_head:
            head = f"{self._out.style(sign, colour)} {self._out.style(card.title + failed, BOLD)}"
            self._lay(head)
            card.drawn_head = card.title + failed
        for block in card.content:
            if block not in card.drawn:
                card.drawn.append(block)
                width = self._out.width
                rows = block_lines(block, self._out.style, None if width is None else max(width - len(_MARGIN), 1))
                self._block(card.title, rows)
        self._out.flush()

    def _block(self, title: str, lines: list[str]) -> None:
        """One block of a card, without a heading that only says the title again."""
        if said := _rows_of(title, lines):
            lines = lines[said + (lines[said : said + 1] == [""]) :]
        for line in lines:
            self._out.line(f"{_MARGIN}{line}".rstrip())


def _lines(text: str) -> list[str]:
    """The lines of what a person typed."""
    return text.replace("\r\n", "\n").rstrip("\n").split("\n") if text else []


def _rows_of(title: str, lines: list[str]) -> int:
    """How many of the first lines are a heading that says the title; 0 where they say something else."""
    head = ""
    for count, line in enumerate(lines, start=1):
        head = f"{head} {line.strip()}".lstrip("# ")
        if head == title or not title.startswith(head):
            return count if head == title else 0
    return 0
