"""The client of a recording: scenes drive it, and it notes each row on the way.

client.start()
client.prompt("remember that the deploy key rotates on Mondays", "allow_once")
"""

from __future__ import annotations

import json
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tests.harness import AgentProcess, texts, update_of
from tests.transcripts.rows import Message, Row, encode, line_of, raw_row
from tests.transcripts.world import Settings, World

CLIENT = {"name": "recorder", "title": "Recorder", "version": "1"}
CAPABILITIES = {"fs": {"readTextFile": False, "writeTextFile": False}, "terminal": False}


class Client:
    """One connection. Before the first message, `outside` prepares the world; then the agent starts."""

    def __init__(self, world: World, settings: Settings) -> None:
        self.world = world
        self.settings = settings
        self.rows: list[Row] = []
        self.session = ""
        self._agent: AgentProcess | None = None
        self._acts: list[dict[str, object]] = []
        self._joining = False
        self._held = b""
        self._next_id = 0
        self._ended = False

    # The world

    def outside(self, do: str, **more: object) -> None:
        """Let something happen outside, before the next row."""
        act = {"do": do, **more}
        self._acts.append(act)
        self.world.act(act)

    @property
    def agent(self) -> AgentProcess:
        """The agent, started at the first row."""
        if self._agent is None:
            self._agent = self.world.start(self.settings)
        return self._agent

    # Sending

    def request(self, method: str, params: object = None, **more: object) -> int:
        """Send a request; its id."""
        self._next_id += 1
        self.message({"jsonrpc": "2.0", "id": self._next_id, "method": method, "params": params, **more})
        return self._next_id

    def notify(self, method: str, params: object) -> None:
        """Send a notification."""
        self.message({"jsonrpc": "2.0", "method": method, "params": params})

    def message(self, message: object) -> None:
        """Send a message as it is."""
        self._send({"dir": "c2a", "msg": json.loads(self.world.general(json.dumps(message)))})

    def raw(self, line: bytes | str) -> None:
        """Send a line that is no message."""
        self._send(raw_row(line))

    def reply(self, request: Message, result: object) -> None:
        """Answer a request of the agent."""
        self.message({"jsonrpc": "2.0", "id": request["id"], "result": result})

    @contextmanager
    def joined(self) -> Iterator[None]:
        """All that is sent inside goes out in one write."""
        self._joining = True
        yield
        self._joining = False
        self.rows[-1].pop("joined")
        self.agent.write(self._held)
        self._held = b""

    def end_input(self) -> None:
        """Close the agent's input."""
        self._note({"dir": "c2a", "end": True})
        self._ended = True
        self.agent.close_input()

    def signal(self, name: str) -> None:
        """Send a signal."""
        self._note({"dir": "c2a", "signal": name})
        self._ended = True
        self.agent.signal(signal.Signals[name])

    def _send(self, row: Row) -> None:
        line = self.world.real_bytes(line_of(row))
        if self._joining:
            self._note(row | {"joined": True})
            self._held += line
        else:
            self._note(row)
            self.agent.write(line)

    def _note(self, row: Row) -> None:
        if not self.rows and (settings := self.settings.row()):
            row["agent"] = settings
        if self._acts:
            row["before"] = self._acts
            self._acts = []
        self.rows.append(row)

    # Reading

    def read(self) -> Message:
        """The next message of the agent, its paths as placeholders."""
        line = self.agent.read_line()
        text = self.world.general(line.decode("utf-8"))
        message: Message = json.loads(text)
        assert self.world.real_bytes(encode(message)) == line, f"not the agent's usual form: {line!r}"
        self.rows.append({"dir": "a2c", "msg": message})
        return message

    def until(self, wanted: Callable[[Message], bool]) -> Message:
        """Read on to the first message that is wanted."""
        while not wanted(message := self.read()):
            pass
        return message

    def answer(self, request_id: object) -> Message:
        """Read on to the answer of a request."""
        return self.until(lambda message: message.get("id", "none") == request_id and "method" not in message)

    def asked(self) -> Message:
        """Read on to the next permission request."""
        return self.until(lambda message: message.get("method") == "session/request_permission")

    def update(self, **wanted: object) -> Message:
        """Read on to an update that holds these fields."""
        return self.until(lambda message: wanted.items() <= update_of(message).items())

    def words(self, text: str) -> None:
        """Read on until the agent's message holds `text`."""
        start = len(self.rows)
        self.until(lambda _: text in texts([row["msg"] for row in self.rows[start:] if row["dir"] == "a2c"]))

    # The usual steps

    def initialize(self) -> Message:
        """`initialize`."""
        params = {"protocolVersion": 1, "clientCapabilities": CAPABILITIES, "clientInfo": CLIENT}
        return self.answer(self.request("initialize", params))

    def new_session(self) -> str:
        """`session/new`, its commands read too; the session is the one that is spoken in from now on."""
        answer = self.answer(self.request("session/new", {"cwd": "$PROJECT", "mcpServers": []}))
        self.session = answer["result"]["sessionId"]
        self.update(sessionUpdate="available_commands_update")
        return self.session

    def start(self, model: str = "") -> None:
        """`initialize` and `session/new`; another model where one is named."""
        self.initialize()
        self.new_session()
        if model:
            params = {"sessionId": self.session, "configId": "model", "value": model}
            self.answer(self.request("session/set_config_option", params))

    def say(self, text: str) -> int:
        """Send a prompt; its id."""
        return self.request("session/prompt", {"sessionId": self.session, "prompt": [{"type": "text", "text": text}]})

    def prompt(self, text: str, *options: str) -> Message:
        """Send a prompt and read on to its answer; questions are answered with `options`, one after the other."""
        prompt, left = self.say(text), list(options)
        while "method" in (message := self.until(lambda each: "id" in each)):
            self.choose(message, left.pop(0))
        assert message["id"] == prompt and not left
        return message

    def choose(self, request: Message, option: str) -> None:
        """Answer a permission request."""
        self.reply(request, {"outcome": {"outcome": "selected", "optionId": option}})

    def cancel(self) -> None:
        """`session/cancel`."""
        self.notify("session/cancel", {"sessionId": self.session})

    def close(self) -> None:
        """End the input; what still comes belongs to the transcript only where the scene ended it itself."""
        if not self._ended:
            self.agent.close_input()
        rest = self.agent.rest()
        assert rest == [], f"the scene left unread: {rest}"
        assert self.agent.wait() == 0
