"""What a server answers when it is asked for its models, in any of the dialects. Pure."""

from __future__ import annotations

import json
import re

from acp_server.models import names
from acp_server.models.facts import Facts
from acp_server.providers.interface import JsonObject, JsonValue

MAX_MODELS = 1000
"""A menu of more than this helps nobody."""

_WINDOWS = ("context_length", "context_window", "max_context_length", "max_model_len", "max_input_tokens")
_OUTPUTS = ("max_completion_tokens", "max_output_tokens", "max_tokens")
_NAMES = ("display_name", "name")
_PRICES = {"input": "prompt", "output": "completion", "cached": "input_cache_read", "cache_write": "input_cache_write"}
_PER_TOKEN = 1_000_000

_NOT_FOR_TALK = re.compile(
    r"embed|whisper|tts|dall-e|moderation|transcri|realtime|audio|image|sora|babbage|davinci|rerank|guard|ocr|"
    r"instruct-0914|veo|imagen|lyria|voxtral|search-preview|orpheus|\baqa\b|deep-research|computer-use",
    re.IGNORECASE,
)
"""Ids of models that answer no chat."""


def models_of(body: bytes) -> tuple[Facts, ...]:
    """The models in an answer, each once, in the server's order. Raises ValueError where it is no such answer."""
    answer = json.loads(body)
    rows = answer if isinstance(answer, list) else None
    if isinstance(answer, dict):
        rows = next((answer[key] for key in ("data", "models") if isinstance(answer.get(key), list)), None)
    if rows is None:
        raise ValueError("data")
    found: dict[str, Facts] = {}
    for row in rows:
        if isinstance(row, dict) and (facts := _facts(row)) is not None:
            found.setdefault(facts.id, facts)
    return tuple(found.values())[:MAX_MODELS]


def _facts(row: JsonObject) -> Facts | None:
    model_id = str(row.get("id") or row.get("name") or "").removeprefix("models/")
    if isinstance(names.split(f"x/{model_id}"), str) or not _talks(model_id, row):
        return None
    shown = next((str(row[key]) for key in _NAMES if isinstance(row.get(key), str)), model_id)
    top = row.get("top_provider")
    return Facts(
        model_id,
        model_id if shown.startswith("models/") else names.shown(shown),
        context_window=_first(row, _WINDOWS),
        max_output=_first(top if isinstance(top, dict) else row, _OUTPUTS),
        thinks=_thinks(row),
        price=_price(row.get("pricing")),
    )


def _talks(model_id: str, row: JsonObject) -> bool:
    """Whether a model is one that answers: by what the server says of it, else by its name."""
    can = row.get("capabilities")
    if isinstance(can, dict) and isinstance(can.get("completion_chat"), bool):
        return can["completion_chat"] is True
    return _NOT_FOR_TALK.search(model_id) is None


def _thinks(row: JsonObject) -> bool:
    parameters = row.get("supported_parameters")
    return isinstance(parameters, list) and "reasoning" in parameters


def _first(row: JsonObject, keys: tuple[str, ...]) -> int | None:
    found = (row.get(key) for key in keys)
    return next((each for each in found if isinstance(each, int) and not isinstance(each, bool) and each > 0), None)


def _price(pricing: JsonValue) -> dict[str, float]:
    """Dollars for a million tokens; servers that tell prices tell them for one token, as texts."""
    if not isinstance(pricing, dict):
        return {}
    found = {ours: _dollars(pricing.get(theirs)) for ours, theirs in _PRICES.items()}
    return {key: value for key, value in found.items() if value is not None}


def _dollars(value: JsonValue) -> float | None:
    try:
        price = float(value) if isinstance(value, str) else None
    except ValueError:
        return None
    return round(price * _PER_TOKEN, 6) if price is not None and 0 <= price < 1 else None
