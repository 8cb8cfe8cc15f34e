"""Who has a session: taken at its first turn in this process, or asked for where another window has it."""

from __future__ import annotations

from collections.abc import Callable

from acp_server.events import Card, CardChanged, CardOpened
from acp_server.seams import Asker, Emit, PermissionOption
from acp_server.sentences import sessions as say
from acp_server.session_files import records
from acp_server.session_files.files import Contents, Damaged
from acp_server.session_files.keeping import Kept
from acp_server.session_files.ownership import Owner, TakenOver

TAKE = PermissionOption("take-over", say.TAKE_OVER, "allow_once")
LEAVE = PermissionOption("leave", say.LEAVE_IT, "reject_once")


class LeftThere(Exception):
    """The session stays with the process that has it."""

    def __init__(self, owner: Owner | None) -> None:
        super().__init__(say.left_there(owner.client if owner else None))


class NotKept(Exception):
    """The session can't be kept on disk; the text says why."""


async def hold(kept: Kept, session_id: str, ids: Callable[[], str], emit: Emit, asker: Asker) -> Contents | None:
    """Take the session for this process; what its file holds, where that isn't what this process knows of it. Raises
    LeftThere, NotKept.
    """
    try:
        try:
            contents, changed = await kept.take()
        except TakenOver as elsewhere:
            if not await _wanted(session_id, ids(), elsewhere.owner, emit, asker):
                raise LeftThere(elsewhere.owner) from None
            contents, changed = await kept.take(over=True)
        return contents if changed else None
    except FileNotFoundError:
        raise NotKept(say.SESSION_FILE_GONE) from None
    except OSError as error:
        raise NotKept(say.session_unwritable(error.strerror or type(error).__name__)) from error
    except Damaged as damage:
        raise NotKept(say.session_damaged(session_id, kept.path, damage.line)) from None
    except records.Newer:
        raise NotKept(say.session_newer(session_id)) from None


async def _wanted(session_id: str, card_id: str, owner: Owner | None, emit: Emit, asker: Asker) -> bool:
    """Whether the person takes the session over; the question stands on a card of its own."""
    title = say.take_over_question(owner.client if owner else None, owner.since if owner else "")
    await emit(CardOpened(card_id, title, "other"))
    call = {"toolCallId": card_id, "title": title, "kind": "other", "status": "in_progress"}
    taken = await asker.ask(session_id, dict(call), (TAKE, LEAVE)) == TAKE.option_id
    await emit(CardChanged(card_id, "completed" if taken else "failed", Card()))
    return taken
