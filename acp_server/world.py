"""Time, ids and places as one injected object, so that every test is exact. Light: the fast path makes it.

Under `CAUDRA_TEST=1` only: `CAUDRA_TEST_CLOCK=START,STEP` (nanoseconds) makes each look at the clock one step
later than the last, and `CAUDRA_TEST_IDS=seq` makes ids `session-1`, `id-1`, `id-2` and so on
(`seq,5` begins at 5).
"""

from __future__ import annotations

import os
import time

from memory_core.paths import default_state_directory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


class World:
    """What the agent takes from outside: `clock` (ns since the epoch), `ids`, the state directory, test
    mode.
    """

    __slots__ = ("clock", "environ", "ids", "session_ids", "state_dir", "testing")

    def __init__(
        self,
        clock: Callable[[], int],
        ids: Callable[[], str],
        session_ids: Callable[[], str],
        state_dir: str,
        environ: Mapping[str, str],
        testing: bool,
    ) -> None:
        self.clock = clock
        self.ids = ids
        self.session_ids = session_ids
        self.state_dir = state_dir
        self.environ = environ
        self.testing = testing


def world_of_process() -> World:
    """The world of this process: its environment, the system's clock and random ids, or a test's."""
    environ = os.environ
    testing = environ.get("CAUDRA_TEST") == "1"
    clock = (
        stepping_clock(environ["CAUDRA_TEST_CLOCK"]) if testing and environ.get("CAUDRA_TEST_CLOCK") else time.time_ns
    )
    setting, _, first = environ.get("CAUDRA_TEST_IDS", "").partition(",")
    sequence = testing and setting == "seq"
    return World(
        clock=clock,
        ids=numbered("id", int(first or 1)) if sequence else random_id,
        session_ids=numbered("session", int(first or 1)) if sequence else lambda: timed_id(clock()),
        state_dir=default_state_directory(),
        environ=environ,
        testing=testing,
    )


def stepping_clock(setting: str) -> Callable[[], int]:
    """A clock that starts at START and goes STEP nanoseconds at each look."""
    start, _, step = setting.partition(",")
    now_ns, step_ns = int(start), int(step or 1)

    def clock() -> int:
        nonlocal now_ns
        now_ns += step_ns
        return now_ns - step_ns

    return clock


def numbered(prefix: str, first: int = 1) -> Callable[[], str]:
    """Ids that count from `first`."""
    count = first - 1

    def next_id() -> str:
        nonlocal count
        count += 1
        return f"{prefix}-{count}"

    return next_id


def random_id() -> str:
    """128 random bits in hexadecimal; `uuid` would cost the fast path 8 ms."""
    return os.urandom(16).hex()


def timed_id(now_ns: int) -> str:
    """A UUID of version 7: sorts by time, unique over processes."""
    head = (now_ns // 1_000_000) & 0xFFFF_FFFF_FFFF
    tail = int.from_bytes(os.urandom(10), "big")
    number = head << 80 | 0x7 << 76 | (tail >> 64 & 0xFFF) << 64 | 0b10 << 62 | tail & 0x3FFF_FFFF_FFFF_FFFF
    digits = f"{number:032x}"
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


def iso_utc(now_ns: int) -> str:
    """A time as ISO 8601 in UTC, to the millisecond."""
    seconds, rest_ns = divmod(now_ns, 1_000_000_000)
    parts = time.gmtime(seconds)
    return f"{time.strftime('%Y-%m-%dT%H:%M:%S', parts)}.{rest_ns // 1_000_000:03d}Z"
