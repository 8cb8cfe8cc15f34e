"""The front desk: answers `initialize` and `session/new` on the standard library alone, before and after
the hand-over.

`session/new` checks its arguments, writes the session file and answers; it opens no memory and loads
nothing.
"""

from __future__ import annotations

import os
import stat

from acp_server import __version__, commands, jsonrpc, memory_switch, models_table, signing_in, store
from acp_server.models.shelf import Shelf
from acp_server.places import config_directory_of
from acp_server.sentences import models as say_models
from acp_server.sentences import wire as sentences
from acp_server.session import Session, Sessions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from acp_server.models.shelf import Choice, Look
    from acp_server.providers.interface import JsonObject, JsonValue
    from acp_server.wire import Request
    from acp_server.world import World

PROTOCOL_VERSION = 1
MAX_CLIENT_NAME_CHARS = 64

CAPABILITIES: JsonObject = {
    "loadSession": True,
    "promptCapabilities": {"image": False, "audio": False, "embeddedContext": True},
    "mcpCapabilities": {"http": False, "sse": False},
    "sessionCapabilities": {
        "additionalDirectories": {},
        "close": {},
        "delete": {},
        "list": {},
        "resume": {},
    },
}


class Desk:
    """Answers what needs no agent. `opened` is told of each new session, once somebody wants to know."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.shelf = Shelf(world.environ, config_directory_of(world.environ), testing=world.testing)
        self.sessions = Sessions()
        self.opened: Callable[[Session], None] | None = None
        self._kept = False
        self.client: str | None = None
        self.offers_files = False
        self.draws_compaction = False
        self._auth_methods = signing_in.methods(None)

    def answer(self, request: Request) -> bytes:
        """The bytes that answer one of `wire.LOCAL_REQUESTS`; for a new session its commands come with
        them.
        """
        if request.method == "initialize":
            return jsonrpc.encode(jsonrpc.result_reply(request.id, self._initialize(request.params)))
        if request.method == "authenticate":
            return jsonrpc.encode(self._authenticate(request))
        return self._session_new(request)

    def config_options(self, session: Session, look: Look | None = None) -> list[JsonValue]:
        """The complete options of a session, as they are now or as `look` saw them."""
        model = models_table.model_option(session.model, look or self.shelf.look())
        return [model, memory_switch.memory_option(session.memory)]

    def commands(self) -> JsonObject:
        """The update that announces what a person can type."""
        return {"sessionUpdate": "available_commands_update", "availableCommands": commands.announced()}

    def reopened(self, session_id: str, cwd: str, roots: tuple[str, ...], chosen: Mapping[str, str | bool]) -> Session:
        """A session that comes from its file, with the options that were chosen in it; a model that can't be asked any
        more gives way to the default one, and the first turn says so.
        """
        look = self.shelf.look()
        wanted = str(chosen[models_table.MODEL_OPTION])
        switch = chosen.get(memory_switch.MEMORY_OPTION)
        memory = memory_switch.memory_on(look.raw, cwd) if switch is None else switch != memory_switch.OFF
        resolved = look.resolved(wanted)
        if isinstance(resolved, str):
            return Session(session_id, cwd, roots, resolved, self.client, memory=memory)
        choice = look.choice()
        session = Session(session_id, cwd, roots, choice.model, self.client, memory=memory)
        session.fallback = sentences.model_gone(wanted, choice.model)
        return session

    def _initialize(self, params: JsonObject) -> JsonObject:
        self.client = client_name(params.get("clientInfo"))
        self._auth_methods = signing_in.methods(params.get("clientCapabilities"))
        self.offers_files = _offers_files(params.get("clientCapabilities"))
        self.draws_compaction = _draws_compaction(params.get("clientCapabilities"))
        return {
            "protocolVersion": PROTOCOL_VERSION,
            "agentCapabilities": CAPABILITIES,
            "authMethods": self._auth_methods,
            "agentInfo": {"name": "caudra-acp", "title": sentences.AGENT_TITLE, "version": __version__},
        }

    def _authenticate(self, request: Request) -> JsonObject:
        """Whether a session could be opened now: nothing is asked for where none needs a key."""
        method = str(request.params["methodId"])
        if method != signing_in.BESIDE:
            wrong = say_models.AUTH_IN_TERMINAL if method == signing_in.IN_TERMINAL else sentences.unknown_auth(method)
            return jsonrpc.error_reply(request.id, jsonrpc.INVALID_PARAMS, jsonrpc.shown(wrong))
        missing = self.shelf.look().choice().missing_key
        return self._auth_required(request, missing) if missing else jsonrpc.result_reply(request.id, {})

    def _auth_required(self, request: Request, sentence: str) -> JsonObject:
        data = jsonrpc.shown(sentence, authMethods=self._auth_methods)
        return jsonrpc.error_reply(request.id, jsonrpc.AUTH_REQUIRED, data)

    def _session_new(self, request: Request) -> bytes:
        cwd = str(request.params["cwd"])
        roots = _strings(request.params.get("additionalDirectories"))
        if wrong := wrong_directory(cwd) or wrong_roots(roots):
            data = jsonrpc.shown(wrong)
            return jsonrpc.encode(jsonrpc.error_reply(request.id, jsonrpc.INVALID_PARAMS, data, message=wrong))
        look = self.shelf.look()
        choice = look.choice()
        if choice.missing_key:
            return jsonrpc.encode(self._auth_required(request, choice.missing_key))
        session = self._open(cwd, roots, choice, memory=memory_switch.memory_on(look.raw, cwd))
        result: JsonObject = {"sessionId": session.session_id, "configOptions": self.config_options(session, look)}
        commands = jsonrpc.session_update(session.session_id, self.commands())
        return jsonrpc.encode(jsonrpc.result_reply(request.id, result)) + jsonrpc.encode(commands)

    def _open(self, cwd: str, roots: tuple[str, ...], choice: Choice, *, memory: bool) -> Session:
        world = self.world
        session = Session(world.session_ids(), cwd, roots, choice.model, self.client, memory=memory)
        session.fallback = choice.notice
        path = store.session_path(world.state_dir, cwd, session.session_id)
        try:
            if self._kept:
                os.stat(world.state_dir)  # one that was unmounted meanwhile must not be replaced by an empty one
            store.create_session_file(path, store.first_record(session, world.clock()))
            session.path, self._kept = path, True
        except OSError as error:
            session.notices.append(sentences.session_not_kept(error.strerror or type(error).__name__))
        self.sessions.add(session)
        if self.opened is not None:
            self.opened(session)
        return session


def _offers_files(capabilities: JsonValue) -> bool:
    """Whether the client lets the agent read files through it."""
    files = capabilities.get("fs") if isinstance(capabilities, dict) else None
    return isinstance(files, dict) and files.get("readTextFile") is True


def _draws_compaction(capabilities: JsonValue) -> bool:
    """Whether the client takes updates of compactions (unstable)."""
    session = capabilities.get("session") if isinstance(capabilities, dict) else None
    return isinstance(session, dict) and isinstance(session.get("compaction"), dict)


def client_name(info: JsonValue) -> str | None:
    """The client's name as one short line, or None where it gave none."""
    name = info.get("name") if isinstance(info, dict) else None
    if not isinstance(name, str):
        return None
    line = " ".join("".join(char if char.isprintable() else " " for char in name).split())
    return line[:MAX_CLIENT_NAME_CHARS] or None


def wrong_directory(path: str) -> str | None:
    """What is wrong with a session's `cwd`, naming the path; None where it will do."""
    if not os.path.isabs(path):
        return sentences.cwd_relative(path)
    try:
        mode = os.stat(path).st_mode
    except PermissionError:
        return sentences.cwd_unreadable(path)
    except (OSError, ValueError):  # ValueError: a NUL or a surrogate, which no disk can hold
        return sentences.cwd_missing(path)
    if not stat.S_ISDIR(mode):
        return sentences.cwd_not_a_directory(path)
    return None if os.access(path, os.R_OK | os.X_OK) else sentences.cwd_unreadable(path)


def wrong_roots(roots: tuple[str, ...]) -> str | None:
    """What is wrong with the additional directories; None where they will do."""
    relative = next((root for root in roots if not os.path.isabs(root)), None)
    return None if relative is None else sentences.directory_relative(relative)


def _strings(value: JsonValue) -> tuple[str, ...]:
    return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list) else ()
