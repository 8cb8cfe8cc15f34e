"""Runs the chat against one scene of the scripted agent: `python chat_driver.py SCENE PROJECT [RULE …]`."""

from __future__ import annotations

import sys
from pathlib import Path

from acp_server import chat
from acp_server.terminal import standard_output

if __name__ == "__main__":
    scene, project, *rules = sys.argv[1:]
    agent = [sys.executable, str(Path(__file__).with_name("scripted_agent.py")), scene]
    out = standard_output()
    code = chat.run(project, frozenset(rules), out, command=agent)
    out.flush()
    sys.exit(code)
