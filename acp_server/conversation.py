"""What a session carries from turn to turn, beside what the wire knows of it."""

from __future__ import annotations

from dataclasses import dataclass, field

from acp_server.compaction import Measured
from acp_server.events import UsageChanged
from acp_server.providers.interface import Item
from acp_server.renewal import Reason
from acp_server.session_files.recorder import Recorder
from acp_server.session_files.records import DirectoryRecord
from memory_core.results import Mark


@dataclass(slots=True)
class Conversation:
    """One session's conversation with the model.

    `system` is the frozen prefix, None until the first request is prepared. `mark` is how far the model
    knows the journal, None where the prefix holds no memory. `known` maps a note's name to its newest entry
    that this session read or wrote. `always` holds the rules the person approved for the session, `told`
    the notices already shown, `fault` what was said where the last turn had no memory. `loaded` is True
    until the first turn of a session that came from its file; `digest` is then the one its prefix was kept with, and
    `heard_ms` when its provider was last heard (ms since the epoch). `wanted` is a rebuild of the view that was asked
    for. `news` are notices of looks between turns, for the next turn to tell. `recorder` takes what the session's file
    will hold. `frozen` is where the journal was when the prefix's view was taken, None where it holds none. The first
    item of a history that was made shorter is a summary where `summarized`; `measured` is what the newest request took.
    `off` says that the prefix was made without the memory, since the session doesn't use it. `moved_to` is where the
    session goes on since it was loaded, which its file is told with its next turn.
    """

    session_id: str
    items: list[Item] = field(default_factory=list)
    system: str | None = None
    mark: Mark | None = None
    known: dict[str, int] = field(default_factory=dict)
    always: set[str] = field(default_factory=set)
    told: set[str] = field(default_factory=set)
    cards: set[str] = field(default_factory=set)
    news: list[str] = field(default_factory=list)
    fault: str = ""
    owed: str = ""
    first_words: str = ""
    titled: bool = False
    title_chosen: bool = False
    loaded: bool = False
    digest: str = ""
    heard_ms: int | None = None
    wanted: Reason | None = None
    usage: UsageChanged | None = None
    frozen: Mark | None = None
    off: bool = False
    summarized: bool = False
    measured: Measured | None = None
    moved_to: DirectoryRecord | None = None
    recorder: Recorder = field(default_factory=Recorder)

    def add(self, item: Item, at: str) -> None:
        """Take an answer or a result into the history, and into the file; `at` is ISO 8601 in UTC."""
        self.items.append(item)
        self.recorder.item(item, at)

    def keep_place(self) -> None:
        """A turn begins: the file is told where, if that changed."""
        if self.moved_to is not None:
            self.recorder.add(self.moved_to)
            self.moved_to = None

    def learn(self, name: str, entry: int) -> None:
        """The session has now seen this entry of the note."""
        self.known[name] = max(entry, self.known.get(name, -1))

    def take_news(self) -> list[str]:
        """The notices of looks between turns, once."""
        taken, self.news = self.news, []
        return taken

    def untold(self, notices: tuple[str, ...]) -> tuple[str, ...]:
        """The notices not shown yet, which count as shown from now on."""
        fresh = tuple(dict.fromkeys(notice for notice in notices if notice not in self.told))
        self.told.update(fresh)
        return fresh

    def card_id(self, call_id: str) -> str:
        """An id for a card that no card of the session has: the call's own where it is free."""
        chosen, number = call_id, 2
        while not chosen or chosen in self.cards:
            chosen, number = f"{call_id or 'call'}-{number}", number + 1
        self.cards.add(chosen)
        return chosen
