"""The option to choose a model, as the protocol shows it. Light: the fast path makes it."""

from __future__ import annotations

from acp_server.sentences import wire as sentences

TYPE_CHECKING = False
if TYPE_CHECKING:
    from acp_server.models.shelf import Look, Offer
    from acp_server.providers.interface import JsonObject, JsonValue

MODEL_OPTION = "model"

MANY_MODELS = 12
"""From here on the models stand under their providers: a flat menu would be hard to read."""


def model_option(current: str, look: Look) -> JsonObject:
    """The option of a session whose model is `current`, which can be chosen in any case."""
    offers = look.offers()
    if all(offer.value != current for offer in offers):
        offers.insert(0, look.offer_of(current))
    groups = dict.fromkeys(offer.group for offer in offers)
    return {
        "id": MODEL_OPTION,
        "name": sentences.MODEL_OPTION_NAME,
        "description": sentences.MODEL_OPTION_DESCRIPTION,
        "category": "model",
        "type": "select",
        "currentValue": current,
        "options": _grouped(offers) if len(offers) > MANY_MODELS and len(groups) > 1 else list(map(_choice, offers)),
    }


def _grouped(offers: list[Offer]) -> list[JsonValue]:
    by_group: dict[str, list[Offer]] = {}
    for offer in offers:
        by_group.setdefault(offer.group, []).append(offer)
    return [
        {"group": group, "name": some[0].group_title or group, "options": list(map(_choice, some))}
        for group, some in by_group.items()
    ]


def _choice(offer: Offer) -> JsonValue:
    return {"value": offer.value, "name": offer.name, "description": offer.description}
