"""The models that need no key and no network, and the option to choose one. Light: the fast path reads it."""

from __future__ import annotations

from acp_server.sentences import wire as sentences

TYPE_CHECKING = False
if TYPE_CHECKING:
    from acp_server.providers.interface import JsonObject, JsonValue

MODEL_OPTION = "model"

EMBEDDED = (("embedded/librarian", sentences.LIBRARIAN_NAME, sentences.LIBRARIAN_DESCRIPTION),)
TEST_ONLY = (("test/scripted", sentences.SCRIPTED_NAME, sentences.SCRIPTED_DESCRIPTION),)

DEFAULT_MODEL = EMBEDDED[0][0]


def models(testing: bool) -> tuple[tuple[str, str, str], ...]:
    """Value, name and description of each model that can be chosen, the default first."""
    return EMBEDDED + TEST_ONLY if testing else EMBEDDED


def config_options(current: str, testing: bool) -> list[JsonValue]:
    """The complete `configOptions` of a session whose model is `current`."""
    choices: list[JsonValue] = [
        {"value": value, "name": name, "description": description} for value, name, description in models(testing)
    ]
    option: JsonObject = {
        "id": MODEL_OPTION,
        "name": sentences.MODEL_OPTION_NAME,
        "description": sentences.MODEL_OPTION_DESCRIPTION,
        "category": "model",
        "type": "select",
        "currentValue": current,
        "options": choices,
    }
    return [option]
