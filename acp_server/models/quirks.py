"""Where each compatible server differs from Chat Completions as its inventor speaks it: one row a server.

What isn't here is taken as it comes, from any server: thinking in `reasoning_content` or `reasoning`, content as a list
of parts, usage in the last chunk, in every chunk, in `x_groq` or never, calls without index or without id, `[DONE]`
left out, errors as an event in the stream.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from acp_server.models.values import Quirks
from acp_server.sentences import quirks as say


class Row(NamedTuple):
    """A server's quirks, and what the documentation says of them."""

    quirks: Quirks
    remark: str


ROWS: Mapping[str, Row] = {
    "openai": Row(Quirks(max_tokens_field="max_completion_tokens", prompt_cache_key=True), say.OPENAI),
    "azure": Row(Quirks(max_tokens_field="max_completion_tokens", key_header="api-key"), say.AZURE),
    "openrouter": Row(Quirks(thinking={"reasoning": {"enabled": True}}, marked_models="anthropic/"), say.OPENROUTER),
    "deepseek": Row(
        Quirks(thinking={"thinking": {"type": "enabled"}}, send_reasoning_back="reasoning_content"),
        say.DEEPSEEK,
    ),
    "moonshot": Row(Quirks(send_reasoning_back="reasoning_content"), say.MOONSHOT),
    "mistral": Row(Quirks(stream_usage=False, prompt_cache_key=True, call_id_length=9), say.MISTRAL),
    "groq": Row(
        Quirks(max_tokens_field="max_completion_tokens", thinking={"reasoning_format": "parsed"}),
        say.GROQ,
    ),
    "gemini": Row(
        Quirks(thinking={"extra_body": {"google": {"thinking_config": {"include_thoughts": True}}}}),
        say.GEMINI,
    ),
    "xai": Row(Quirks(max_tokens_field="max_completion_tokens"), say.XAI),
    "ollama": Row(Quirks(), say.OLLAMA),
    "vllm": Row(Quirks(), say.VLLM),
    "lmstudio": Row(Quirks(), say.LMSTUDIO),
    "llamacpp": Row(Quirks(), say.LLAMACPP),
}


INVENTOR = "openai"


def quirks_of(provider: str, *, elsewhere: bool = False) -> Quirks:
    """The quirks of a provider by its name; a server that isn't known has none.

    `elsewhere` says that it stands at an address of the person's own: what answers there in the inventor's name is a
    compatible server, which may not know what the inventor added since.
    """
    row = ROWS.get(provider)
    return Quirks() if row is None or (elsewhere and provider == INVENTOR) else row.quirks
