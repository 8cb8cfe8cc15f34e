"""What the params of each method must be, as far as it can be said without looking at disk or sessions.
Pure.

The models of the protocol's library drop bad optional data in silence; here it is refused with a sentence
first.
"""

from __future__ import annotations

from acp_server.sentences import wire as sentences

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from acp_server.providers.interface import JsonObject, JsonValue

    Check = Callable[[JsonObject], str | None]

MAX_PROTOCOL_VERSION = 65535
ADVERTISED_BLOCKS = frozenset({"text", "resource_link", "resource"})
MAX_KIND_CHARS = 40


def check_initialize(params: JsonObject) -> str | None:
    """The version must be one of the protocol's."""
    version = params.get("protocolVersion")
    if not isinstance(version, int) or isinstance(version, bool):
        return sentences.BAD_VERSION
    return None if 0 <= version <= MAX_PROTOCOL_VERSION else sentences.BAD_VERSION


def check_authenticate(params: JsonObject) -> str | None:
    """A method is named."""
    return None if isinstance(params.get("methodId"), str) else sentences.METHOD_ID_MISSING


def check_session_new(params: JsonObject) -> str | None:
    """A `cwd` that is a string; roots and servers that are lists. What lies on disk is looked at later."""
    if not isinstance(params.get("cwd"), str):
        return sentences.CWD_MISSING
    if not _is_list_of(params.get("mcpServers"), dict):
        return sentences.MCP_SERVERS_NOT_A_LIST
    if not _is_list_of(params.get("additionalDirectories"), str):
        return sentences.DIRECTORIES_NOT_A_LIST
    return None


def check_session_opened(params: JsonObject) -> str | None:
    """A session that is loaded, resumed or forked: its id, and what a new one needs."""
    return check_session_id(params) or check_session_new(params)


def check_session_list(params: JsonObject) -> str | None:
    """A directory and a cursor, both optional."""
    if not isinstance(params.get("cwd"), str | None):
        return sentences.LIST_CWD_NOT_A_STRING
    return None if isinstance(params.get("cursor"), str | None) else sentences.CURSOR_NOT_A_STRING


def check_session_id(params: JsonObject) -> str | None:
    """A session is named."""
    return None if isinstance(params.get("sessionId"), str) else sentences.SESSION_ID_MISSING


def check_prompt(params: JsonObject) -> str | None:
    """A session, and blocks that the agent said it takes."""
    blocks = params.get("prompt")
    if wrong := check_session_id(params):
        return wrong
    if not isinstance(blocks, list):
        return sentences.PROMPT_NOT_A_LIST
    if not blocks:
        return sentences.PROMPT_EMPTY
    return next((wrong for block in blocks if (wrong := check_block(block))), None)


def check_block(block: JsonValue) -> str | None:
    """A content block is of an advertised kind and has what the kind needs."""
    if not isinstance(block, dict) or not isinstance(kind := block.get("type"), str):
        return sentences.BAD_BLOCK
    if kind not in ADVERTISED_BLOCKS:
        return sentences.block_unsupported(kind[:MAX_KIND_CHARS])
    if kind == "resource":
        return _check_resource(block.get("resource"))
    needed = ("text",) if kind == "text" else ("uri", "name")
    return None if all(isinstance(block.get(key), str) for key in needed) else sentences.BAD_BLOCK


def check_config_option(params: JsonObject) -> str | None:
    """A session, an option and a value; whether they exist is the agent's to say."""
    if wrong := check_session_id(params):
        return wrong
    if not isinstance(params.get("configId"), str):
        return sentences.CONFIG_ID_MISSING
    return None if isinstance(params.get("value"), str) else sentences.CONFIG_VALUE_MISSING


def check_nothing(params: JsonObject) -> str | None:
    """Any params will do."""
    del params
    return None


CHECKS: dict[str, Check] = {
    "initialize": check_initialize,
    "authenticate": check_authenticate,
    "session/new": check_session_new,
    "session/prompt": check_prompt,
    "session/close": check_session_id,
    "session/load": check_session_opened,
    "session/resume": check_session_opened,
    "session/fork": check_session_opened,
    "session/list": check_session_list,
    "session/delete": check_session_id,
    "session/set_config_option": check_config_option,
    "session/cancel": check_session_id,
    "$/cancel_request": check_nothing,
}


def _check_resource(resource: JsonValue) -> str | None:
    if not isinstance(resource, dict) or not isinstance(resource.get("uri"), str):
        return sentences.BAD_BLOCK
    if isinstance(resource.get("text"), str):
        return None
    return sentences.NO_BLOB if isinstance(resource.get("blob"), str) else sentences.BAD_BLOCK


def _is_list_of(value: JsonValue, kind: type) -> bool:
    """Whether a value is such a list; missing and null count as an empty one."""
    return value is None or (isinstance(value, list) and all(isinstance(item, kind) for item in value))
