"""The ACP methods that need a running agent, as the protocol's library calls them: sessions, prompts,
options.

`initialize` and `session/new` are the desk's; the params of all requests passed `params.py` before.
Handlers take `**_` for what the library adds (`meta`). Every error raised here is written for a person.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine, Sequence
from functools import partial
from typing import TypeVar

from acp import RequestError

from acp_server import jsonrpc, memory_switch, models_table
from acp_server.asking import ClientAsker
from acp_server.cancelling import to_the_end
from acp_server.desk import Desk
from acp_server.emitter import Emitter
from acp_server.events import TextChunk, TurnEnded
from acp_server.inflight import CURRENT
from acp_server.models.listing import Lister
from acp_server.prompt_text import Block, blocks_of, prompt_text
from acp_server.prompts_queue import PromptQueue, QueueFull
from acp_server.providers.interface import JsonObject, JsonValue
from acp_server.seams import Runner
from acp_server.sentences import wire as sentences
from acp_server.sentences.log import TURN_BROKE
from acp_server.session import Session
from acp_server.session_files.all_sessions import AllSessions
from acp_server.session_files.keeping import Keeper
from acp_server.session_methods import SessionMethods
from acp_server.transport import StdioTransport

log = logging.getLogger(__name__)

Result = TypeVar("Result")


class Agent:
    """Handlers of the library; `connect` comes before any of them, `wind_down` after the last message."""

    def __init__(
        self, desk: Desk, runner: Runner, keeper: Keeper, sessions: AllSessions, lister: Lister | None = None
    ) -> None:
        """`keeper` keeps sessions on disk, `sessions` lists them, a `lister` asks servers for their models."""
        self._desk = desk
        self._runner = runner
        self._keeper = keeper
        self._sessions = sessions
        self._lister = lister
        self._queues: dict[str, PromptQueue] = {}
        self._beside: set[asyncio.Task[None]] = set()
        self._openings: set[asyncio.Task[JsonObject]] = set()

    def connect(self, transport: StdioTransport) -> None:
        """Take the transport, and begin to prepare the sessions that exist."""
        self._transport = transport
        self._inflight = transport.inflight
        self._asker = ClientAsker(transport.calls)
        self._methods = SessionMethods(self._desk, self._runner, transport, self._keeper, self._sessions, self._let_go)
        self._desk.opened = self._prepare
        for session in self._desk.sessions:
            self._prepare(session)

    async def prompt(self, session_id: str, prompt: Sequence[Block], **_: object) -> JsonObject:
        """Run a prompt after those before it; the stop reason, or the failed turn's sentence as an error."""
        session = self._session(session_id)
        text = prompt_text(prompt)
        if not text.strip():
            raise _error(jsonrpc.INVALID_PARAMS, sentences.PROMPT_EMPTY)
        queue = self._queues.setdefault(session_id, PromptQueue())
        try:
            waiting = queue.add(CURRENT.get(), lambda: self._turn(session, text, blocks_of(prompt)))
        except QueueFull:
            raise _error(jsonrpc.INVALID_REQUEST, sentences.PROMPTS_WAIT) from None
        with self._inflight.cancellable(waiting.cancel_at_once):
            ended = await queue.run(waiting)
        if ended.error is not None:
            raise _error(jsonrpc.INTERNAL_ERROR, ended.error, message=ended.error)
        return {"stopReason": ended.stop_reason}

    async def cancel(self, session_id: str, **_: object) -> None:
        """End all prompts received so far; with nothing running, nothing."""
        if queue := self._queues.get(session_id):
            queue.cancel()

    async def close_session(self, session_id: str, **_: object) -> JsonObject:
        """End the session's prompts, answer them, then let the session go; one that is being opened, once it is."""
        await self._interruptible(self._close(session_id))
        return {}

    async def load_session(
        self, session_id: str, cwd: str, additional_directories: Sequence[str] | None = None, **_: object
    ) -> JsonObject:
        """Draw a session of the disk again, then go on with it."""
        return await self._opening(self._methods.load(session_id, cwd, additional_directories or ()))

    async def resume_session(
        self, session_id: str, cwd: str, additional_directories: Sequence[str] | None = None, **_: object
    ) -> JsonObject:
        """Go on with a session of the disk."""
        return await self._opening(self._methods.resume(session_id, cwd, additional_directories or ()))

    async def fork_session(
        self, session_id: str, cwd: str, additional_directories: Sequence[str] | None = None, **_: object
    ) -> JsonObject:
        """Branch a session off."""
        return await self._opening(self._methods.fork(session_id, cwd, additional_directories or ()))

    async def list_sessions(self, cwd: str | None = None, cursor: str | None = None, **_: object) -> JsonObject:
        """A page of the sessions on disk."""
        return await self._methods.list_page(cwd, cursor)

    async def ext_method(self, method: str, params: JsonObject) -> JsonObject:
        """What the library doesn't route (`wire.UNROUTED`)."""
        del method  # there is one
        return await self._methods.delete(str(params["sessionId"]))

    async def set_config_option(self, config_id: str, session_id: str, value: str | bool, **_: object) -> JsonObject:
        """Choose the model, or whether the memory is used; it holds from the next turn on. The complete options."""
        async with self._methods.alone(session_id):
            return {"configOptions": await self._choose(self._session(session_id), config_id, str(value))}

    async def _choose(self, session: Session, config_id: str, value: str) -> list[JsonValue]:
        """Take a choice, and give the complete options."""
        if config_id == models_table.MODEL_OPTION:
            chosen = self._choose_model(session, value)
        elif config_id == memory_switch.MEMORY_OPTION:
            chosen = self._switch_memory(session, value)
        else:
            raise _error(jsonrpc.INVALID_PARAMS, sentences.unknown_option(config_id))
        await self._runner.option_changed(session, config_id, chosen)
        self._spawn(self._runner.prepare(session))  # the summaries go on with the next model, or stop
        return self._desk.config_options(session)

    def _choose_model(self, session: Session, value: str) -> str:
        """Any model that can be asked will do, listed or not: the menu holds what is known."""
        chosen = self._desk.shelf.look().resolved(value)
        if not isinstance(chosen, str):
            raise _error(jsonrpc.INVALID_PARAMS, chosen.reason)
        session.model, session.fallback = chosen, ""
        return chosen

    def _switch_memory(self, session: Session, value: str) -> str:
        if value not in (memory_switch.ON, memory_switch.OFF):
            raise _error(jsonrpc.INVALID_PARAMS, sentences.memory_on_or_off(value))
        session.memory = value == memory_switch.ON
        return value

    async def wind_down(self) -> None:
        """The client leaves: end all turns, wait for their answers, stop what runs beside, close the
        memories.
        """
        for queue in self._queues.values():
            queue.cancel()
        for opening in self._openings:
            opening.cancel()
        await self._inflight.all_answered()
        for task in self._beside:
            task.cancel()
        await asyncio.gather(*self._beside, return_exceptions=True)
        await self._runner.close()
        await self._sessions.close()
        await self._keeper.close()

    async def _turn(self, session: Session, text: str, blocks: Sequence[JsonObject]) -> TurnEnded:
        """One turn from its first event to its last card; a bug in it is logged and answered in general
        words.
        """
        draws, choose = self._desk.draws_compaction, partial(self._choose, session)
        emitter = Emitter(session.session_id, self._transport.send, choose, draws_compaction=draws)
        ended = TurnEnded("end_turn", error=sentences.BUG)
        try:
            await self._say_notices(session, emitter)
            ended = await self._runner.run(session, text, emitter, self._asker, blocks)
        except Exception:  # the ring around everything a turn does
            log.exception(TURN_BROKE)
        finally:
            await emitter.end()
            session.title = emitter.title or session.title
            if ended.begun:  # whoever has the answer finds the session in the list, also in another process
                await asyncio.wait({self._spawn(self._methods.turned(session))})
            if not session.memory:
                self._spawn(self._runner.prepare(session))  # turned off meanwhile: its memory is let go
        return ended

    async def _say_notices(self, session: Session, emitter: Emitter) -> None:
        if session.fallback:
            session.notices.append(session.fallback)
            session.fallback = ""
        while session.notices:
            text = session.notices.pop(0)
            await emitter(TextChunk(self._desk.world.ids(), f"{text}\n\n"))

    async def _close(self, session_id: str) -> None:
        async with self._methods.alone(session_id):
            await self._let_go(self._session(session_id))

    async def _let_go(self, session: Session) -> None:
        """End the session's prompts, wait for their answers, let it go: to the end, though a cancel comes meanwhile."""
        self._desk.sessions.remove(session.session_id)
        await to_the_end(self._leave(session))

    async def _leave(self, session: Session) -> None:
        if queue := self._queues.pop(session.session_id, None):
            await self._inflight.answered(queue.cancel())
        await self._runner.forget_session(session.session_id)

    async def _opening(self, work: Coroutine[object, object, JsonObject]) -> JsonObject:
        """Await a load; one that the client wants no longer ends, and opens no session."""
        task = asyncio.ensure_future(work)
        self._openings.add(task)
        task.add_done_callback(self._openings.discard)
        with self._inflight.cancellable(partial(_cancel, task)):
            await asyncio.wait({task})
        if task.cancelled():
            raise RequestError(jsonrpc.CANCELLED, jsonrpc.GENERIC_MESSAGES[jsonrpc.CANCELLED])
        return task.result()

    async def _interruptible(self, work: Coroutine[object, object, None]) -> None:
        """Await work that goes on even where the client wants no answer any more; then the error says
        cancelled.
        """
        task = self._spawn(work)
        withdrawn = asyncio.Event()
        with self._inflight.cancellable(withdrawn.set):
            waiter = asyncio.ensure_future(withdrawn.wait())
            await asyncio.wait({task, waiter}, return_when=asyncio.FIRST_COMPLETED)
            waiter.cancel()
        if not task.done():
            raise RequestError(jsonrpc.CANCELLED, jsonrpc.GENERIC_MESSAGES[jsonrpc.CANCELLED])
        task.result()

    def _prepare(self, session: Session) -> None:
        self._spawn(self._runner.prepare(session))
        if self._lister is not None:
            self._spawn(self._list_models(self._lister))

    async def _list_models(self, lister: Lister) -> None:
        """Ask the servers what they have, and tell each session whose menu changed by it."""
        if await lister.refresh():
            look = self._desk.shelf.look()
            for session in self._desk.sessions:
                options = self._desk.config_options(session, look)
                await self._transport.send(jsonrpc.options_update(session.session_id, options))

    def _spawn(self, work: Coroutine[object, object, None]) -> asyncio.Task[None]:
        task = asyncio.ensure_future(work)
        self._beside.add(task)
        task.add_done_callback(self._beside.discard)
        return task

    def _session(self, session_id: str) -> Session:
        session = self._desk.sessions.get(session_id)
        if session is None:
            data = jsonrpc.shown(sentences.unknown_session(session_id), uri=session_id)
            raise RequestError(jsonrpc.NOT_FOUND, jsonrpc.GENERIC_MESSAGES[jsonrpc.NOT_FOUND], data)
        return session


def _cancel(task: asyncio.Task[JsonObject]) -> None:
    task.cancel()


def _error(code: int, sentence: str, message: str = "") -> RequestError:
    """An error that a person will read."""
    return RequestError(code, message or jsonrpc.GENERIC_MESSAGES[code], jsonrpc.shown(sentence))
