"""`caudra-acp` and `python -m acp_server`: without arguments to the editor, else the command line."""

from __future__ import annotations

import sys


def main() -> int:
    """The exit code. Arguments are looked at only where there are any: `argparse` costs the editor's first
    answer.
    """
    if len(sys.argv) > 1:
        from acp_server.cli import main as command_line

        return command_line(sys.argv[1:])
    from acp_server.fastpath import serve

    return serve()


if __name__ == "__main__":
    sys.exit(main())
