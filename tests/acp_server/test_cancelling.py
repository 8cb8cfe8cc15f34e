"""Cancels that come while something must come to its end."""

from __future__ import annotations

import asyncio

import pytest

from acp_server.cancelling import to_the_end


async def test_what_must_end_does_so_however_often_its_caller_is_cancelled() -> None:
    begun, go_on, ended = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def work() -> None:
        begun.set()
        await go_on.wait()
        ended.set()

    caller = asyncio.create_task(to_the_end(work()))
    await begun.wait()
    for _ in range(3):
        caller.cancel()
        await asyncio.wait({caller}, timeout=0)
        assert not caller.done()
    go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await caller
    assert ended.is_set()


async def test_what_nobody_cancels_gives_its_result_or_raises_what_it_raises() -> None:
    async def fails() -> None:
        raise OSError("full")

    assert await to_the_end(asyncio.sleep(0, "done")) == "done"
    with pytest.raises(OSError, match="full"):
        await to_the_end(fails())
