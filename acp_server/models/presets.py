"""The servers of models that are known by name: where each is, and where its key stands. A table. Light.

A server that is not here works as well: `base_url` in the configuration names it.
"""

from __future__ import annotations

ANTHROPIC = "anthropic"
RESPONSES = "responses"
CHAT = "chat-completions"
WIRES = (CHAT, RESPONSES, ANTHROPIC)
"""The wires by the names of `values.Wire`, which is too heavy for the first answers."""


class Preset:
    """A server: `keys` and `base_urls` are environment variables, the first that is set counts.

    `base_url` is "" where each person has one of their own. `local` servers need no key and are asked only where a
    person named them. `lists` is False where what a server lists isn't what can be asked. `wire` is the one that the
    inventor of the server speaks; at another `base_url` it is `elsewhere`, since what stands there is often a
    one that speaks less.
    """

    __slots__ = ("base_url", "base_urls", "elsewhere", "keys", "lists", "local", "name", "title", "wire")

    def __init__(
        self,
        name: str,
        title: str,
        base_url: str,
        *,
        keys: tuple[str, ...] = (),
        base_urls: tuple[str, ...] = (),
        wire: str = CHAT,
        elsewhere: str = "",
        local: bool = False,
        lists: bool = True,
    ) -> None:
        self.name = name
        self.title = title
        self.base_url = base_url
        self.keys = keys
        self.base_urls = base_urls
        self.wire = wire
        self.elsewhere = elsewhere or wire
        self.local = local
        self.lists = lists


PRESETS: dict[str, Preset] = {
    preset.name: preset
    for preset in (
        Preset(
            "anthropic",
            "Anthropic",
            "https://api.anthropic.com",
            keys=("ANTHROPIC_API_KEY",),
            base_urls=("ANTHROPIC_BASE_URL",),
            wire=ANTHROPIC,
        ),
        Preset(
            "openai",
            "OpenAI",
            "https://api.openai.com/v1",
            keys=("OPENAI_API_KEY",),
            base_urls=("OPENAI_BASE_URL",),
            wire=RESPONSES,
            elsewhere=CHAT,
        ),
        Preset(
            "gemini",
            "Google Gemini",
            "https://generativelanguage.googleapis.com/v1beta/openai",
            keys=("GEMINI_API_KEY",),
        ),
        Preset("openrouter", "OpenRouter", "https://openrouter.ai/api/v1", keys=("OPENROUTER_API_KEY",)),
        Preset("mistral", "Mistral", "https://api.mistral.ai/v1", keys=("MISTRAL_API_KEY",)),
        Preset("deepseek", "DeepSeek", "https://api.deepseek.com", keys=("DEEPSEEK_API_KEY",)),
        Preset("groq", "Groq", "https://api.groq.com/openai/v1", keys=("GROQ_API_KEY",)),
        Preset("xai", "xAI", "https://api.x.ai/v1", keys=("XAI_API_KEY",)),
        Preset("moonshot", "Moonshot", "https://api.moonshot.ai/v1", keys=("MOONSHOT_API_KEY",)),
        Preset(
            "azure",
            "Azure OpenAI",
            "",
            keys=("AZURE_OPENAI_API_KEY",),
            base_urls=("AZURE_OPENAI_ENDPOINT",),
            lists=False,
        ),
        Preset("ollama", "Ollama", "http://127.0.0.1:11434/v1", base_urls=("OLLAMA_HOST",), local=True),
        Preset("lmstudio", "LM Studio", "http://127.0.0.1:1234/v1", local=True),
        Preset("vllm", "vLLM", "http://127.0.0.1:8000/v1", local=True),
        Preset("llamacpp", "llama.cpp", "http://127.0.0.1:8080/v1", local=True),
    )
}
"""By name, in the order in which a default is looked for."""
