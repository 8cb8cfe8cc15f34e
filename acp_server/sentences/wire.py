"""What the wire says to a person: errors of requests, names of options. Light to import, it is on the fast
path.
"""

from __future__ import annotations

from acp_server.sentences.quoting import short

AGENT_TITLE = "Caudra"
MODEL_OPTION_NAME = "Model"
MODEL_OPTION_DESCRIPTION = "The model that answers in this session."
MEMORY_OPTION_NAME = "Memory"
MEMORY_OPTION_DESCRIPTION = "Whether this session uses the project's memory."
MEMORY_ON = "Memory on"
MEMORY_ON_DESCRIPTION = "The model reads the project's notes, and may write some."
MEMORY_OFF = "Memory off"
MEMORY_OFF_DESCRIPTION = "The model sees no notes and writes none, from the next message on."
LIBRARIAN_NAME = "Librarian"
LIBRARIAN_DESCRIPTION = "Answers from this project's notes; needs no key and no network."
SCRIPTED_NAME = "Scripted"
SCRIPTED_DESCRIPTION = "Does what a test tells it to."

AT_A_TERMINAL = (
    "caudra-acp without a command waits for an editor on standard input; "
    "try `caudra-acp chat`, or `caudra-acp --help` for the rest."
)
BROKEN_INSTALLATION = "The agent can't load one of its own parts; reinstall caudra-acp."

NOT_JSON = "This line isn't JSON in UTF-8; send one JSON object a line."
NOT_A_REQUEST = "This isn't a request; send one JSON object with a method a line."
BAD_ID = "A request's id must be a string, an integer or null."
BAD_METHOD = "A request's method must be a string."
PARAMS_NOT_AN_OBJECT = "The params must be an object."
TOO_MANY_REQUESTS = "Too many requests wait for an answer; send this one again when some are answered."
BUG = "Something went wrong inside the agent; its log on standard error says where."

BAD_VERSION = "The protocolVersion must be an integer from 0 to 65535."
CWD_MISSING = "The cwd must be a string that holds an absolute path."
SESSION_ID_MISSING = "The sessionId must be a string."
LIST_CWD_NOT_A_STRING = "The cwd must be a string that holds an absolute path, or be left out."
CURSOR_NOT_A_STRING = "The cursor must be a string that session/list gave, or be left out."
MCP_SERVERS_NOT_A_LIST = "The mcpServers must be a list of objects."
DIRECTORIES_NOT_A_LIST = "The additionalDirectories must be a list of absolute paths."
METHOD_ID_MISSING = "The methodId must be a string."
CONFIG_ID_MISSING = "The configId must be a string."
CONFIG_VALUE_MISSING = "The value must be a string."
PROMPT_NOT_A_LIST = "The prompt must be a list of content blocks."
PROMPT_EMPTY = "The prompt is empty; send at least one content block."
BAD_BLOCK = "A content block must be an object with a type and what that type needs."
NO_BLOB = "The agent reads embedded resources as text only; send this one as a link or as text."
PROMPTS_WAIT = "Eight prompts of this session wait already; send this one again when one is answered."


def line_too_long(limit_bytes: int) -> str:
    """A line over the cap."""
    return f"This line is longer than the limit of {limit_bytes} bytes; send less at once."


def too_deep(levels: int) -> str:
    """A line with objects and lists in each other without end."""
    return f"This line nests objects and lists deeper than the limit of {levels} levels; send a flatter one."


def unknown_session(session_id: str) -> str:
    """A session that this process doesn't have."""
    return f"There is no session {session_id} here; start one with session/new."


def cwd_relative(path: str) -> str:
    """A working directory that isn't absolute."""
    return f"The cwd {path!r} isn't an absolute path; send the full path of the project's directory."


def cwd_missing(path: str) -> str:
    """A working directory that doesn't exist."""
    return f"The cwd {path} doesn't exist on the machine where the agent runs."


def cwd_not_a_directory(path: str) -> str:
    """A working directory that is a file."""
    return f"The cwd {path} isn't a directory; send the project's directory."


def cwd_unreadable(path: str) -> str:
    """A working directory that can't be read."""
    return f"The cwd {path} can't be read by the agent; check its permissions."


def directory_relative(path: str) -> str:
    """An additional directory that isn't absolute."""
    return f"The additional directory {path!r} isn't an absolute path; send its full path."


def block_unsupported(kind: str) -> str:
    """A content block of a kind that was not advertised."""
    return f"The agent doesn't take {kind} blocks; send text, links or embedded text."


def unknown_option(config_id: str) -> str:
    """A configuration option that doesn't exist."""
    return f"There is no option {short(config_id)}; there are model and memory."


def memory_on_or_off(value: str) -> str:
    """A value that the memory's option doesn't have."""
    return f"The option memory is on or off, not {short(value)}."


def unknown_auth(method_id: str) -> str:
    """A way to sign in that doesn't exist."""
    return f"There is no way to sign in called {method_id[:100]}; use one of those that initialize lists."


def model_gone(model: str, instead: str) -> str:
    """The model of a session that was loaded can't be asked any more."""
    return f"The model {model} can't be asked any more, so this session goes on with {instead}."


def session_not_kept(reason: str) -> str:
    """The session file could not be written."""
    return f"This session can't be kept on disk ({reason}), so it ends with this window."


def linked(name: str, uri: str) -> str:
    """How a linked file stands in the prompt's text."""
    return f"[{name}]({uri})"


def embedded(uri: str, text: str, fence: str) -> str:
    """How an embedded text stands in the prompt's text."""
    return f"{uri}\n{fence}\n{text}\n{fence}"
