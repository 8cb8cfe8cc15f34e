"""A blocking function on a thread of its own, which nobody has to wait for: a disk that hangs holds up no turn, and no
end of the process.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


async def aside(work: Callable[[threading.Event], T], seconds: float) -> T:
    """What the work returns. It is given a flag that is set once nobody waits any more. Raises what it raises, and
    TimeoutError after `seconds`.
    """
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[T] = loop.create_future()
    stop = threading.Event()

    def deliver(result: T | None, error: BaseException | None) -> None:
        if answer.done():
            return
        if error is not None:
            answer.set_exception(error)
        else:
            answer.set_result(result)  # type: ignore[arg-type]  # None only where T allows it

    def run() -> None:
        result, error = None, None
        try:
            result = work(stop)
        except BaseException as raised:  # noqa: BLE001 -- raised again where it is awaited
            error = raised
        try:
            loop.call_soon_threadsafe(deliver, result, error)
        except RuntimeError:
            return  # the loop is closed: nobody waits

    threading.Thread(target=run, name="aside", daemon=True).start()
    try:
        async with asyncio.timeout(seconds):
            return await answer
    finally:
        stop.set()
