"""The methods that concern sessions on disk: load, resume, list, fork, delete.

Theory of operation
1. A load draws the session again while its file is read, then answers; a resume reads it and answers. Neither changes a
   byte of the file: what is new (another directory) is written with the next turn.
2. A session that this process has already is let go first, as by a close: its prompts end and are answered.
3. A session that is open in another process is drawn all the same; its next prompt asks who shall have it
   (`holding.py`).
4. One at a time is opened, changed by an option, closed or deleted of a session, whatever order a client sends these
   in; a load that fails or is cancelled leaves nothing taken.
5. Whatever is wrong with a file is an error that names the session, and nothing is made in its place.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from weakref import WeakValueDictionary

from acp import RequestError

from acp_server import jsonrpc
from acp_server.cancelling import to_the_end
from acp_server.desk import Desk, wrong_directory, wrong_roots
from acp_server.events import TitleChanged, TurnEvent
from acp_server.garbage import without_collecting
from acp_server.inflight import CURRENT
from acp_server.providers.interface import JsonObject
from acp_server.seams import Runner
from acp_server.sentences import sessions as say
from acp_server.sentences import wire as say_wire
from acp_server.session import Session
from acp_server.session_files import records
from acp_server.session_files.all_sessions import AllSessions
from acp_server.session_files.directories import is_path, real_directory, same_directory
from acp_server.session_files.files import Contents, Damaged
from acp_server.session_files.finding import find_session
from acp_server.session_files.index import BadCursor, Row
from acp_server.session_files.keeping import Keeper, Kept
from acp_server.session_files.recorder import Recorder
from acp_server.session_files.records import Record, SessionRecord, opening_of
from acp_server.session_files.replay import Replay
from acp_server.session_files.restoring import Restored, begun, ended, follow
from acp_server.transport import StdioTransport
from acp_server.updates import update_of
from acp_server.world import iso_utc

LetGo = Callable[[Session], Awaitable[None]]
"""Ends a session's prompts, waits for their answers, and lets the session go."""


class SessionMethods:
    """Answers the methods; the desk keeps the table of sessions, the runner their conversations."""

    def __init__(
        self,
        desk: Desk,
        runner: Runner,
        transport: StdioTransport,
        keeper: Keeper,
        sessions: AllSessions,
        let_go: LetGo,
    ) -> None:
        self._desk = desk
        self._runner = runner
        self._transport = transport
        self._keeper = keeper
        self._let_go = let_go
        self._alone: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self.sessions = sessions

    async def load(self, session_id: str, cwd: str, roots: Sequence[str]) -> JsonObject:
        """`session/load`: everything in order, then the answer."""
        async with self.alone(session_id), self._opened(session_id, cwd, tuple(roots)) as (kept, first):
            with without_collecting():
                restored = await self._read(kept, first, Replay())
                return self._answer(await self._adopt(restored, kept, cwd, tuple(roots)))

    async def resume(self, session_id: str, cwd: str, roots: Sequence[str]) -> JsonObject:
        """`session/resume`: as a load, without drawing anything."""
        async with self.alone(session_id), self._opened(session_id, cwd, tuple(roots)) as (kept, first):
            return self._answer(await self._adopt(await self._read(kept, first), kept, cwd, tuple(roots)))

    async def fork(self, session_id: str, cwd: str, roots: Sequence[str]) -> JsonObject:
        """`session/fork`: a new session that goes on from where this one's last turn ended."""
        async with self.alone(session_id):
            kept = self._keeper.session(self._find(session_id), self._desk.client, Recorder())
            with _faults_told(session_id, kept.path):
                contents = await kept.look()
                _check_own(session_id, kept.path, contents.opening)
        branch = self._desk.world.session_ids()
        try:
            await self._branch(kept.path, contents, branch)
            answer = await self.resume(branch, cwd, roots)
            if (session := self._desk.sessions.get(branch)) is not None and contents.has_turn:
                await self.turned(session)
        except BaseException:
            await to_the_end(self.delete(branch))
            raise
        return {"sessionId": branch} | answer

    async def _branch(self, path: str, contents: Contents, branch: str) -> None:
        try:
            await self._keeper.do(partial(self.sessions.branch, path, contents, branch, self._now()))
        except OSError as error:
            raise _failed(say.session_unbranched(contents.opening.session_id, _reason(error))) from error

    async def list_page(self, cwd: str | None, cursor: str | None) -> JsonObject:
        """`session/list`: a page of the sessions that had a turn, the newest first."""
        if cwd is not None and not os.path.isabs(cwd):
            raise _refused(jsonrpc.INVALID_PARAMS, say_wire.cwd_relative(cwd))
        try:
            page = await self.sessions.page(cwd, cursor)
        except BadCursor:
            raise _refused(jsonrpc.INVALID_PARAMS, say.BAD_CURSOR) from None
        except OSError as error:
            raise _failed(say.sessions_unreadable(_reason(error))) from error
        answer: JsonObject = {"sessions": [_listed(row) for row in page.rows]}
        return answer if page.next_cursor is None else answer | {"nextCursor": page.next_cursor}

    async def delete(self, session_id: str) -> JsonObject:
        """`session/delete`: gone from disk and from every list; one that isn't there is no fault."""
        async with self.alone(session_id):
            if (session := self._desk.sessions.get(session_id)) is not None:
                await self._let_go(session)
            try:
                await self.sessions.delete(session_id)
            except OSError as error:
                raise _failed(say.session_undeletable(session_id, _reason(error))) from error
        return {}

    def alone(self, session_id: str) -> asyncio.Lock:
        """Held while a session is opened, changed by an option, closed or deleted: one at a time, in the order in which
        they came.
        """
        return self._alone.setdefault(session_id, asyncio.Lock())

    def turned(self, session: Session) -> Coroutine[object, object, None]:
        """A turn of a session ended, now: what is left to do so that lists show it."""
        place, roots = real_directory(session.cwd), session.additional_directories
        path = session.path or ""
        row = Row(session.session_id, place, session.cwd, roots, session.title, self._now(), path)
        return self.sessions.turned(row)

    @asynccontextmanager
    async def _opened(
        self, session_id: str, cwd: str, roots: tuple[str, ...]
    ) -> AsyncIterator[tuple[Kept, Sequence[Record]]]:
        """The session's file, taken where it is free, and let go where what follows fails."""
        if wrong := wrong_roots(roots):
            raise _refused(jsonrpc.INVALID_PARAMS, wrong)
        path = self._find(session_id)
        if (session := self._desk.sessions.get(session_id)) is not None:
            await self._let_go(session)
        kept = self._keeper.session(path, self._desk.client, Recorder())
        try:
            with _faults_told(session_id, kept.path):
                first = await kept.open()
                _check_own(session_id, kept.path, opening_of(first))
                wrong = wrong_directory(cwd)
                if wrong and not (is_path(cwd) and same_directory(cwd, (await kept.look()).cwd)):
                    raise _refused(jsonrpc.INVALID_PARAMS, wrong)
            yield kept, first
        except BaseException:
            await to_the_end(kept.release())
            raise

    async def _read(self, kept: Kept, first: Sequence[Record], drawn: Replay | None = None) -> Restored:
        """The session as its file tells it, shown again as far as it is `drawn`, while it is read: a long one begins at
        once, and its records needn't all be there at a time.
        """
        restored = begun(opening_of(first))
        some = first
        with _faults_told(restored.session_id, kept.path):
            while some:
                follow(restored, some)
                if drawn is not None:
                    await self._show(restored.session_id, drawn.draw(some))
                some = await kept.more()
        if drawn is not None:
            await self._show(restored.session_id, drawn.end())
        return ended(restored)

    async def _show(self, session_id: str, updates: Iterable[JsonObject]) -> None:
        await self._transport.send_all(jsonrpc.session_update(session_id, update) for update in updates)

    async def _adopt(self, restored: Restored, kept: Kept, cwd: str, roots: tuple[str, ...]) -> Session:
        """The session in the table, with its conversation."""
        session = self._desk.reopened(restored.session_id, cwd, roots, restored.options)
        session.path, session.title = kept.path, None if restored.title is None else restored.title.title
        if not same_directory(cwd, restored.cwd):
            session.notices.append(say.moved(restored.cwd, cwd))
        await self._runner.restore(session, restored, kept)
        self._desk.sessions.add(session)
        if self._desk.opened is not None:
            self._desk.opened(session)
        return session

    def _answer(self, session: Session) -> JsonObject:
        """The answer, with what follows it: commands, usage, title."""
        self._transport.after(CURRENT.get(), self._standing(session))
        return {"configOptions": self._desk.config_options(session)}

    def _standing(self, session: Session) -> list[JsonObject]:
        """What a client should know of a session that it has now: commands, usage, title."""
        usage = self._runner.usage(session)
        title: list[TurnEvent] = [] if session.title is None else [TitleChanged(session.title)]
        events = [*([] if usage is None else [usage]), *title]
        updates = [self._desk.commands(), *(update for event in events if (update := update_of(event)) is not None)]
        return [jsonrpc.session_update(session.session_id, update) for update in updates]

    def _find(self, session_id: str) -> str:
        try:
            path = find_session(self._desk.world.state_dir, session_id)
        except OSError as error:
            folder = str(error.filename or self._desk.world.state_dir)
            raise _failed(say.session_unreadable(session_id, folder, _reason(error))) from error
        if path is None:
            data = jsonrpc.shown(say_wire.unknown_session(session_id), uri=session_id)
            raise RequestError(jsonrpc.NOT_FOUND, jsonrpc.GENERIC_MESSAGES[jsonrpc.NOT_FOUND], data)
        return path

    def _now(self) -> str:
        return iso_utc(self._desk.world.clock())


@contextmanager
def _faults_told(session_id: str, path: str) -> Iterator[None]:
    """What is wrong with a session's file becomes an error that names the session and the file."""
    try:
        yield
    except records.Newer:
        raise _failed(say.session_newer(session_id)) from None
    except Damaged as damage:
        raise _failed(say.session_damaged(session_id, path, damage.line)) from None
    except OSError as error:
        raise _failed(say.session_unreadable(session_id, path, _reason(error))) from error


def _check_own(session_id: str, path: str, opening: SessionRecord) -> None:
    if opening.session_id != session_id:
        raise _failed(say.session_foreign(session_id, path, opening.session_id))


def _listed(row: Row) -> JsonObject:
    title: JsonObject = {} if row.title is None else {"title": row.title}
    roots: JsonObject = {"additionalDirectories": list(row.directories)} if row.directories else {}
    return {"sessionId": row.id, "cwd": row.cwd, "updatedAt": row.updated} | title | roots


def _reason(error: OSError) -> str:
    return error.strerror or type(error).__name__


def _refused(code: int, sentence: str) -> RequestError:
    return RequestError(code, sentence, jsonrpc.shown(sentence))


def _failed(sentence: str) -> RequestError:
    return RequestError(jsonrpc.INTERNAL_ERROR, sentence, jsonrpc.shown(sentence))
