"""What a session carries from turn to turn, beside what the wire knows of it."""

from __future__ import annotations

from dataclasses import dataclass, field

from acp_server.providers.interface import Item
from memory_core.results import Mark


@dataclass(slots=True)
class Conversation:
    """One session's conversation with the model.

    `system` is the frozen prefix, None until the first request is prepared. `mark` is how far the model
    knows the journal, None where the prefix holds no memory. `known` maps a note's name to its newest entry
    that this session read or wrote. `always` holds the rules the person approved for the session, `told`
    the notices already shown, `fault` what was said where the last turn had no memory. `loaded` is True
    until the first turn of a session that came from its file. `news` are notices of looks between turns, for the
    next turn to tell.
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
    first_words: str = ""
    titled: bool = False
    loaded: bool = False

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
