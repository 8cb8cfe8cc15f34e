"""Sessions kept on disk while they run: one thread writes all session files, in order.

What a turn records is handed over at each step and waited for once, at the turn's end: then it is on disk before the
prompt is answered. A file that can't be written never stops a turn; the person is told once, and what wasn't written
waits until it works again.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TypeVar

from acp_server.sentences import sessions as say
from acp_server.sentences.log import LOCK_LEFT
from acp_server.session_files.files import Contents, Damaged, Identity, Reading, SessionFile, read
from acp_server.session_files.ownership import Owner, Ownership, TakenOver
from acp_server.session_files.recorder import Recorder
from acp_server.session_files.records import Newer, Record

T = TypeVar("T")

_log = logging.getLogger(__name__)


class Keeper:
    """The thread that writes session files, and who this process is in their lock files."""

    def __init__(self, ids: Callable[[], str], now: Callable[[], str]) -> None:
        """`ids` makes a token for each open session, `now` is ISO 8601 in UTC."""
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="sessions")
        self._ids = ids
        self._now = now

    def session(self, path: str, client: str | None, recorder: Recorder) -> Kept:
        """The session at `path`, not yet taken; what `recorder` gathers goes into its file."""
        return Kept(self, path, Owner(self._ids(), os.getpid(), client, self._now()), recorder)

    async def do(self, work: Callable[[], T]) -> T:
        """Run something behind all that was handed over so far. Raises what it raises."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    def hand_over(self, work: Callable[[], None]) -> asyncio.Future[None]:
        """The same without waiting."""
        return asyncio.get_running_loop().run_in_executor(self._thread, work)

    async def close(self) -> None:
        """End the thread after what it has to do."""
        await self.do(lambda: None)
        self._thread.shutdown(wait=False)


class Kept:
    """One session's file as this process keeps it.

    What could not be written (a full disk, a folder that may not be written) waits, and goes out with the next turn's
    end that can be written. It is dropped where the session went on elsewhere meanwhile.
    """

    def __init__(self, keeper: Keeper, path: str, me: Owner, recorder: Recorder) -> None:
        self.path = path
        self.recorder = recorder
        self._keeper = keeper
        self._ownership = Ownership(path, me)
        self._file: SessionFile | None = None
        self._reading: Reading | None = None
        self._known_bytes: int | None = None
        self._waiting: list[Record] = []
        self._waits = True
        self._pending: list[asyncio.Future[None]] = []

    @property
    def taken(self) -> bool:
        """Whether the session is this process's to write."""
        return self._file is not None

    @property
    def fresh(self) -> bool:
        """Whether nobody has read the file here yet: the session was begun in this process."""
        return self._known_bytes is None

    def still_taken(self) -> bool:
        """Whether the session is this process's, as far as can be seen without waiting."""
        return self.taken and self._ownership.seems_mine()

    async def take(self, *, over: bool = False) -> tuple[Contents, bool]:
        """Take the session and read it; whether it holds other than what this process last read or wrote. Where that
        fails, or nobody waits for it any more, it isn't taken. Raises TakenOver naming who has it, OSError,
        files.Damaged, records.Newer.
        """
        try:
            return await self._keeper.do(partial(self._take, over))
        except asyncio.CancelledError:
            self._keeper.hand_over(self._release)  # the thread may have it by now
            raise

    async def open(self) -> Sequence[Record]:
        """Take the session where it is free and its folder can be written, and begin to read it in either case: its
        first records. Raises OSError, files.Damaged, records.Newer; where this or what follows fails, `release` is due.
        """
        return await self._keeper.do(self._open)

    async def more(self) -> Sequence[Record]:
        """What comes next in the session that was opened; none at its end. Raises as `open`."""
        return await self._keeper.do(self._more)

    async def look(self) -> Contents:
        """Read the session without taking it. Raises as `open`."""
        return await self._keeper.do(partial(read, self.path))

    def flush(self) -> None:
        """Hand what was recorded over to be written."""
        if records := self.recorder.take():
            self._pending.append(self._keeper.hand_over(partial(self._append, records, False)))

    def begin(self) -> None:
        """The same before the session's first turn: it is taken where it is free, and else what was recorded waits."""
        if records := self.recorder.take():
            self._pending.append(self._keeper.hand_over(partial(self._begin, records)))

    async def sync(self) -> str | None:
        """Wait until all that was recorded is on disk; a sentence where it isn't."""
        self._pending.append(self._keeper.hand_over(partial(self._append, self.recorder.take(), True)))
        pending, self._pending = self._pending, []
        *before, fault = await asyncio.gather(*pending, return_exceptions=True)
        elsewhere = next((each for each in before if isinstance(each, TakenOver)), None)
        return None if (told := elsewhere or fault) is None else _sentence(told)

    async def release(self) -> None:
        """Write what is left and let the session go."""
        await self.sync()
        await self._keeper.do(self._release)

    def _take(self, over: bool) -> tuple[Contents, bool]:
        try:
            self._ownership.take(over=over)
            contents = read(self.path)
        except BaseException as fault:
            self._waits = isinstance(fault, OSError) and not isinstance(fault, FileNotFoundError)
            self._release()
            raise
        changed = len(contents.records) > 1 if self.fresh else contents.good_bytes != self._known_bytes
        if changed:
            self._waiting.clear()
        self._waits = True
        self._know(contents.good_bytes, contents.identity)
        return contents, changed

    def _open(self) -> Sequence[Record]:
        with contextlib.suppress(TakenOver, OSError):  # the first turn asks for it, or says what is wrong
            self._ownership.take()
        self._reading = Reading(self.path)
        return self._reading.more()

    def _more(self) -> Sequence[Record]:
        if self._reading is None:
            return ()
        if not (records := self._reading.more()):
            self._know(self._reading.good_bytes, self._reading.identity)
            self._end_reading()
        return records

    def _end_reading(self) -> None:
        if self._reading is not None:
            self._reading.close()
            self._reading = None

    def _know(self, good_bytes: int, identity: Identity) -> None:
        """The file was read; from here on it grows by this process, where that has the session."""
        self._known_bytes = good_bytes
        if self._ownership.held:
            self._file = SessionFile(self.path, self._ownership, good_bytes, identity)

    def _begin(self, records: Sequence[Record]) -> None:
        self._waiting += records
        try:
            self._take(False)
        except (TakenOver, OSError, Damaged, Newer):
            return  # the first turn asks for it, or says what is wrong
        self._write(sync=False)

    def _append(self, records: Sequence[Record], sync: bool) -> None:
        tried = bool(self._waiting)
        if self._waits:
            self._waiting += records
        if self._file is not None and (sync or not tried):
            self._write(sync=sync)

    def _write(self, *, sync: bool) -> None:
        """A session that was taken over is no longer ours: the next turn asks again."""
        assert self._file is not None
        try:
            self._known_bytes = self._file.append(self._waiting, sync=sync)
        except TakenOver:
            self._file, self._waits = None, False
            self._waiting.clear()
            self._ownership.live_no_more()
            raise
        self._waiting.clear()

    def _release(self) -> None:
        self._file = None
        self._end_reading()
        try:
            self._ownership.release()
        except FileNotFoundError:
            return  # the folder is gone, and the lock with it
        except OSError as error:
            _log.warning(LOCK_LEFT, self.path, error)


def _sentence(fault: BaseException) -> str:
    """What the person is told of a session that can't be kept. Raises what is no fault of the file."""
    match fault:
        case TakenOver(owner=owner):
            return say.session_taken(owner.client if owner else None)
        case FileNotFoundError():
            return say.SESSION_FILE_GONE
        case OSError(strerror=reason):
            return say.session_unwritable(reason or type(fault).__name__)
        case _:
            raise fault
