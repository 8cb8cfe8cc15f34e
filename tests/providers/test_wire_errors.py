"""What servers say went wrong, in the shapes of many of them."""

from __future__ import annotations

import json

import pytest

from acp_server.models.values import Wire
from acp_server.providers.faults import FaultKind
from acp_server.providers.wires import WIRES


def error(message: str, **more: object) -> dict[str, object]:
    return {"error": {"message": message, **more}}


CASES: list[tuple[int, object, FaultKind | None, str]] = [
    (
        401,
        error("Incorrect API key provided", code="invalid_api_key"),
        FaultKind.KEY_REFUSED,
        "Incorrect API key provided",
    ),
    (429, error("You exceeded your current quota", code="insufficient_quota"), FaultKind.NO_CREDIT, "You exceeded"),
    (
        429,
        error("Rate limit reached for tokens per minute", code="rate_limit_exceeded"),
        FaultKind.RATE_LIMITED,
        "Rate",
    ),
    (429, error("Request has too many tokens for this minute"), None, "Request has"),
    (
        400,
        error("This model's maximum context length is 8192", code="context_length_exceeded"),
        FaultKind.CONTEXT_OVERFLOW,
        "This",
    ),
    (400, error("This model's maximum context length is 8192 tokens"), FaultKind.CONTEXT_OVERFLOW, "This"),
    (
        400,
        error("prompt is too long: 210000 tokens > 200000 maximum", type="invalid_request_error"),
        FaultKind.CONTEXT_OVERFLOW,
        "prompt",
    ),
    (
        400,
        error(
            "input length and `max_tokens` exceed context limit: 190000 + 32000 > 200000", type="invalid_request_error"
        ),
        FaultKind.CONTEXT_OVERFLOW,
        "input",
    ),
    (
        400,
        error("the request exceeds the available context size", type="exceed_context_size_error"),
        FaultKind.CONTEXT_OVERFLOW,
        "the",
    ),
    (
        400,
        [
            error(
                "The input token count (1200000) exceeds the maximum number of tokens allowed",
                status="INVALID_ARGUMENT",
            )
        ],
        FaultKind.CONTEXT_OVERFLOW,
        "The",
    ),
    (500, error("the context window is full", type="server_error_x"), FaultKind.CONTEXT_OVERFLOW, "the"),
    (
        400,
        error("Your credit balance is too low to access the API", type="invalid_request_error"),
        FaultKind.NO_CREDIT,
        "Your",
    ),
    (
        400,
        error("You have reached your specified API usage limits.", type="invalid_request_error"),
        FaultKind.NO_CREDIT,
        "You",
    ),
    (402, error("Insufficient Balance", code="invalid_request_error"), None, "Insufficient Balance"),
    (529, error("Overloaded", type="overloaded_error"), FaultKind.OVERLOADED, "Overloaded"),
    (413, error("Request exceeds the maximum size", type="request_too_large"), FaultKind.TOO_LARGE, "Request"),
    (
        400,
        error("The response was filtered", code="content_filter", innererror={"code": "ResponsibleAIPolicyViolation"}),
        FaultKind.CONTENT_FILTER,
        "The",
    ),
    (404, error("The model `x` does not exist", code="model_not_found"), FaultKind.NOT_FOUND, "The"),
    (400, error("tools.0.name: too short", type="invalid_request_error"), None, "tools"),
    (
        403,
        error("Key limit exceeded", code=403, metadata={"raw": "ask the owner"}),
        None,
        "Key limit exceeded: ask the owner",
    ),
    (400, {"error": "model 'x' not found, try pulling it first"}, None, "model"),
    (
        400,
        {"object": "error", "message": "Tool call id was abc", "type": "invalid_request_error"},
        None,
        "Tool call id was abc",
    ),
    (422, {"detail": [{"loc": ["body"], "msg": "Extra inputs"}]}, None, '[{"loc": ["body"], "msg": "Extra inputs"}]'),
    (404, {"detail": "Not Found"}, None, "Not Found"),
    (400, {}, None, ""),
    (400, [], None, ""),
    (400, "text", None, "text"),
    (400, None, None, ""),
]


@pytest.mark.parametrize("wire", Wire)
@pytest.mark.parametrize(("status", "body", "kind", "words"), CASES)
def test_an_error_is_known_by_its_code_its_type_or_its_words(
    wire: Wire, status: int, body: object, kind: FaultKind | None, words: str
) -> None:
    found, said = WIRES[wire].error_of(status, json.dumps(body).encode())
    assert found is kind
    assert said.startswith(words)
    assert bool(said) is bool(words)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"<html>502 Bad Gateway</html>", ""),
        (b"  <!DOCTYPE html>", ""),
        (b"upstream connect error", "upstream connect error"),
        (b"\xff\xfe", "\ufffd\ufffd"),
        (b"", ""),
        (b"[" * 100_000, "[" * 100_000),
    ],
)
def test_a_body_that_is_no_json_says_its_words_unless_it_is_a_page(body: bytes, words: str) -> None:
    assert WIRES[Wire.CHAT_COMPLETIONS].error_of(502, body) == (None, words)
