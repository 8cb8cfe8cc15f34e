"""Plays a transcript against a real agent and compares every line of the agent byte for byte.

A c2a row is sent when every a2c row before it has arrived. At the end the client closes the agent's input:
nothing more may come, and the agent leaves with exit code 0.
"""

from __future__ import annotations

import signal

from tests.harness import AgentProcess
from tests.transcripts.rows import Row, encode, line_of, load, path_of
from tests.transcripts.world import Settings, World


def play(name: str, world: World) -> None:
    """Play the transcript `name` in a world. Raises AssertionError at the first difference."""
    rows = load(path_of(name))
    acts, settings = rows[0].get("before", []), Settings(**rows[0].get("agent", {}))
    for act in acts:
        world.act(act)
    with world.start(settings) as agent:
        _Play(name, world, agent).rows(rows)


class _Play:
    def __init__(self, name: str, world: World, agent: AgentProcess) -> None:
        self.name = name
        self.world = world
        self.agent = agent
        self.waiting = b""
        self.ended = False

    def rows(self, rows: list[Row]) -> None:
        for number, row in enumerate(rows, start=1):
            if row["dir"] == "a2c":
                self._expect(number, row)
            else:
                self._act(row, first=number == 1)
        if not self.ended:
            self.agent.close_input()
        rest = self.agent.rest()
        assert rest == [], f"{self.name}: after the last row came {rest}"
        assert self.agent.wait() == 0

    def _expect(self, number: int, row: Row) -> None:
        line = self.agent.read_line()
        expected = self.world.real_bytes(encode(row["msg"]))
        assert line == expected, f"{self.name}, row {number}:\n came     {line!r}\n expected {expected!r}"

    def _act(self, row: Row, *, first: bool) -> None:
        for act in [] if first else row.get("before", []):
            self.world.act(act)
        if "end" in row:
            self.ended = True
            self.agent.close_input()
        elif "signal" in row:
            self.ended = True
            self.agent.signal(signal.Signals[row["signal"]])
        else:
            self.waiting += self.world.real_bytes(line_of(row))
            if not row.get("joined"):
                self.agent.write(self.waiting)
                self.waiting = b""
