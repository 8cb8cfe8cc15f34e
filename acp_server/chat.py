"""`caudra-acp chat`: a small client of our own agent, over the real protocol, in a terminal or a pipe.

In a pipe, all of standard input is one prompt, and what would need a person is refused (exit code 3) unless
`--allow` covers it.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from acp_server import __version__
from acp_server.caller import run_by_agent
from acp_server.chat_again import Again
from acp_server.chat_client import AgentError, Client, NotProtocol
from acp_server.chat_elsewhere import Elsewhere
from acp_server.chat_person import Allowed, AtTerminal, Nobody, Person, plain_interrupts, rule_of
from acp_server.chat_process import AgentGone, AgentProcess, agent_command
from acp_server.chat_screen import Screen
from acp_server.chat_session import NotOpened, Shown, Wanted, begin
from acp_server.exits import Exit
from acp_server.memory_command import is_project
from acp_server.models.shelf import MODEL_VARIABLE, Shelf
from acp_server.places import config_directory_of
from acp_server.providers.interface import JsonObject
from acp_server.sentences import chat as say
from acp_server.sentences import cli as say_cli
from acp_server.terminal import Output, complain, is_dumb
from memory_core.paths import default_state_directory

_INITIALIZE: JsonObject = {
    "protocolVersion": 1,
    "clientCapabilities": {"fs": {"readTextFile": False, "writeTextFile": False}, "terminal": False},
    "clientInfo": {"name": "caudra-chat", "title": "Caudra chat", "version": __version__},
}
NEW = Wanted()


class Chat:
    """What the person sees and decides: the client's surface."""

    def __init__(self, screen: Screen, person: Person) -> None:
        self._screen = screen
        self._person = person
        self._elsewhere = Elsewhere(default_state_directory(), screen, person)
        self._again: Again | None = None

    @contextlib.contextmanager
    def again(self, session_id: str, heading: str) -> Iterator[None]:
        """While a session is loaded: its last turns are drawn below a heading, once all is there. One that another
        window has is asked about first. Raises NotOpened where it stays there.
        """
        self._elsewhere.ask(session_id)
        self._again = again = Again()
        try:
            yield
        finally:
            self._again = None
        self._screen.note(heading)
        again.draw(self._screen)
        self._screen.apart()

    def update(self, update: JsonObject) -> None:
        """Draw one session update."""
        if self._again is None:
            self._screen.update(update)
        else:
            self._again.take(update)

    def permission(self, tool_call: JsonObject, options: list[JsonObject]) -> str | None:
        """Draw what is asked and have it decided, where it wasn't before."""
        if (answer := self._elsewhere.answer(tool_call, options)) is not None:
            return answer
        card = self._screen.ask(tool_call)
        return self._person.decide(rule_of(card.kind, card.raw_input), options, self._screen)

    def stopping(self) -> None:
        """Say that the turn was asked to stop."""
        self._screen.note(say.STOPPING)


def _is_terminal() -> bool:
    return sys.stdin is not None and sys.stdin.isatty()


def _typed_prompts(screen: Screen, person: AtTerminal) -> Iterator[str]:
    """Prompts as they are typed, until Ctrl-D, here or at a question; Ctrl-C on an empty prompt only begins a new
    line.
    """
    with contextlib.suppress(ImportError):
        readline = importlib.import_module("readline")  # gives `input` editing and history where the system has it
        pasted = "off" if is_dumb() else "on"  # what is pasted is one prompt, however many lines
        readline.parse_and_bind(f"set enable-bracketed-paste {pasted}")
    screen.note(say.GREETING)
    while not person.left:
        try:
            with plain_interrupts():
                typed = input(say.PROMPT)
        except KeyboardInterrupt:
            screen.note("")
            continue
        except EOFError:
            screen.note("")
            return
        if typed.strip():
            yield typed


def _piped_prompt() -> str | None:
    """All of standard input, or None once it was said why it can't be asked."""
    raw = b"" if sys.stdin is None else sys.stdin.buffer.read()
    try:
        text = raw.decode("utf-8").strip()
    except UnicodeDecodeError:
        complain(say.NOT_UTF8)
        return None
    if not text:
        complain(say.NOTHING_SAID)
        return None
    return text


def _turn(client: Client, session_id: str, text: str, screen: Screen) -> Exit:
    """One prompt and its answer."""
    screen.end_turn()
    try:
        stopped = client.prompt(session_id, text)
    except AgentError as error:
        screen.end_text()
        complain(say.agent_error(error.sentence))
        return Exit.AGENT_GONE
    screen.end_turn()
    if stopped == "cancelled":
        screen.note(say.CANCELLED)
        return Exit.INTERRUPTED
    return Exit.OK


def _talk(
    client: Client, project: str, wanted: Wanted, prompts: Iterator[str], screen: Screen, again: Shown | None
) -> Exit:
    """All turns of one session; the last one's exit code."""
    client.request("initialize", _INITIALIZE)
    session_id = begin(client, project, wanted, again)
    ended = Exit.OK
    for text in prompts:
        ended = _turn(client, session_id, text, screen)
    return ended


def _converse(
    command: Sequence[str],
    environment: Mapping[str, str],
    project: str,
    wanted: Wanted,
    person: Person,
    prompts: Iterator[str],
    screen: Screen,
) -> Exit:
    """Start the agent, talk, and see it off; every way it can fail ends as one sentence."""
    try:
        with AgentProcess(command, environment) as agent:
            chat = Chat(screen, person)
            return _talk(Client(agent, chat), project, wanted, prompts, screen, chat.again if _is_terminal() else None)
    except OSError as error:
        complain(say.cannot_start(error.strerror or type(error).__name__))
    except AgentGone as gone:
        screen.end_text()
        complain(say.agent_gone(gone.code, gone.last_words))
    except AgentError as error:
        complain(say.agent_error(error.sentence))
    except NotOpened as reason:
        screen.end_text()
        complain(str(reason))
        return Exit.WRONG
    except NotProtocol:
        screen.end_text()
        complain(say.NOT_A_PROTOCOL)
    return Exit.AGENT_GONE


def _chosen(model: str | None) -> str | None:
    """The model that was named, as the agent knows it. Raises ValueError with a sentence."""
    if model is None:
        return None
    shelf = Shelf(os.environ, config_directory_of(os.environ), testing=os.environ.get("CAUDRA_TEST") == "1")
    chosen = shelf.look().resolved(model)
    if not isinstance(chosen, str):
        raise ValueError(chosen.reason)
    return chosen


def run(
    project: str,
    rules: frozenset[str],
    out: Output,
    command: Sequence[str] | None = None,
    *,
    wanted: Wanted = NEW,
) -> Exit:
    """Chat about `project` in the session that is `wanted`; `command` starts another agent than our own (the tests'
    scripted one).
    """
    if not is_project(project):
        complain(say_cli.not_a_directory(project))
        return Exit.USAGE
    if rules and run_by_agent():
        complain(say_cli.AGENT_MAY_NOT)
        return Exit.REFUSED
    try:
        wanted = replace(wanted, model=_chosen(wanted.model))
    except ValueError as error:
        complain(str(error))
        return Exit.USAGE
    screen, at_terminal = Screen(out), _is_terminal()
    if at_terminal:
        asked = AtTerminal()
        person, prompts = Allowed(rules, asked), _typed_prompts(screen, asked)
    else:
        text = _piped_prompt()
        if text is None:
            return Exit.USAGE
        person, prompts = Allowed(rules, Nobody()), iter((text,))
    agent = command or agent_command()
    environment = {} if wanted.model is None else {MODEL_VARIABLE: wanted.model}
    ended = _converse(agent, environment, os.path.abspath(project), wanted, person, prompts, screen)
    if at_terminal and ended == Exit.INTERRUPTED:
        return Exit.OK
    if at_terminal or ended != Exit.OK:
        return ended
    return Exit.REFUSED if person.was_needed else Exit.WRONG if screen.failed else Exit.OK
