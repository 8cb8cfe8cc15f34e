"""`caudra-acp` and `python -m acp_server`: without arguments to the editor, else the command line."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn


def main() -> int:
    """The exit code. Arguments are looked at only where there are any: `argparse` costs the editor's first
    answer.
    """
    os.umask(0o077)  # what is remembered is for its owner alone, whatever folder it comes to lie in
    if sys.getfilesystemencoding() != "utf-8" and not sys.flags.utf8_mode:
        _start_again_in_utf8()
    if len(sys.argv) > 1:
        from acp_server.cli import main as command_line

        return command_line(sys.argv[1:])
    from acp_server.fastpath import serve

    return serve()


def _start_again_in_utf8() -> NoReturn:
    """A locale without UTF-8 can't name every path of a project; Python's own UTF-8 mode can."""
    os.execv(sys.executable, [sys.executable, "-X", "utf8", *sys.orig_argv[1:]])  # noqa: S606 (no shell wanted)


if __name__ == "__main__":
    sys.exit(main())
