"""What is said of models: their names, their servers, their keys, and what of the configuration is wrong. Light."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

EMBEDDED_TITLE = "Without a network"
TEST_TITLE = "Tests"
JOBS_CHAT = "[jobs] chat"

SETUP = "run `caudra-acp setup`"

NO_MODEL = (
    "No model is set up, so the embedded librarian answers from the notes alone; `caudra-acp setup` adds a model."
)
AUTH_REQUIRED = "Authentication required"
AUTH_AGENT_NAME = "Key from the environment or from setup"
AUTH_AGENT_DESCRIPTION = (
    "Set the provider's variable (such as ANTHROPIC_API_KEY) for the agent, or run `caudra-acp setup` in a terminal; "
    "then try again here."
)
AUTH_TERMINAL_NAME = "Set up a model"
AUTH_TERMINAL_DESCRIPTION = "Choose a provider and paste its key in a terminal; the key stays on this machine."
AUTH_IN_TERMINAL = "This way to sign in runs in a terminal: run `caudra-acp setup` there."

NAME_IS_A_KEY = "What stands in a model's place looks like a key; write provider/model there and store the key apart."

URL_SCHEME = "it must be a URL that begins with http:// or https://"
URL_CREDENTIALS = "it holds a user name or a password; leave them out and store the key apart"
URL_QUERY = "it must have no query, only Azure's api-version may stand there"
URL_HOST = "it must be a URL with a host, an optional port and a path"
NOT_JSON = "it isn't the JSON that setup writes"

NOT_A_TABLE = "it must be a table"
NOT_A_TEXT = "it must be a text of one line in quotes"
NOT_A_BOOL = "it must be true or false"
NOT_TOKENS = "it must be a whole number of tokens above 0"
NOT_A_PRICE = "it must be a number of US dollars for a million tokens, 0 or more"
NOT_A_VARIABLE = "it must be the name of an environment variable, not a key"
NOT_A_VERSION = "it must be an API version such as 2024-10-21"
KEY_IN_CONFIG = "a key doesn't belong in this file; name its variable in api_key_env or run `caudra-acp setup`"
PROVIDER_NOT_A_WORD = "it must be one word of small letters, digits, dots, dashes and underscores"
PROVIDER_IS_OURS = "this name is taken by the agent itself; choose another"
JOB_NOT_A_NAME = "it must be provider/model, the name of one of [models], or another job"
MODEL_WITHOUT_PROVIDER = 'it needs a provider, such as provider = "openai"'

SETTINGS = {
    "provider": "whose it is: one of the providers, or a name of your own with a `base_url`",
    "model": "what the server calls it; without it, NAME",
    "name": "how the menu shows it",
    "base_url": "the server's address, with the version of its interface in the path",
    "api_version": "Azure's `api-version`",
    "api_key_env": "the environment variable that holds its key, which is then needed",
    "wire": "`chat-completions`, `responses` or `anthropic`, where it isn't the provider's usual one",
    "context_window": "its window in tokens",
    "max_output": "the longest answer in tokens",
    "price_input": "US dollars for a million tokens of input",
    "price_output": "US dollars for a million tokens of output",
    "price_cached": "US dollars for a million tokens read from the cache",
    "price_cache_write": "US dollars for a million tokens written to the cache",
    "thinks": "whether it is asked to think",
}
"""What the documentation says of each setting of `[models.NAME]`."""

JOBS_WAIT = {"chat": "answers", "fast": "titles", "compaction": "shortenings", "memory": "memory summaries"}
"""What isn't done while a job has no model."""


def name_too_long(name: str, limit: int) -> str:
    """A model's name over the bound."""
    return f"The model name {name} is longer than {limit} characters; write provider/model."


def name_odd(name: str) -> str:
    """A model's name with what no server takes."""
    return f"The model name {name} holds a space or a sign that can't be shown; write provider/model."


def name_without_provider(name: str) -> str:
    """A model's name that doesn't say whose it is."""
    return (
        f"The model name {name!r} doesn't say whose it is; write provider/model, such as anthropic/claude-sonnet-5-5."
    )


def one_of(known: tuple[str, ...]) -> str:
    """A setting whose value is none of a few."""
    return f"it must be one of {', '.join(known)}"


def setting_unknown(known: tuple[str, ...]) -> str:
    """A setting that doesn't exist, with those that do."""
    return f"there is no setting of that name; there are {', '.join(known)}"


def provider_unknown(provider: str, known: tuple[str, ...]) -> str:
    """A provider of the configuration that is no preset and has no address."""
    return f"{provider} is none of {', '.join(known)}, so it needs a base_url"


def provider_unknown_in(name: str, provider: str, known: tuple[str, ...], nearest: str) -> str:
    """A model's name with a provider that nobody knows."""
    meant = f"did you mean {nearest}?" if nearest else f"there are {', '.join(known)}."
    return f"There is no provider {provider}, which {name} names: {meant}"


def no_such_own_model(name: str, known: str) -> str:
    """A model of the agent's own that doesn't exist."""
    return f"There is no model {name}; of the agent's own there is {known}."


def same_model_twice(value: str, name: str) -> str:
    """Two tables of the configuration with one provider and one model."""
    return f"[models.{name}] is {value} already; give this one a provider name of its own"


def address_wrong(where: str, reason: str) -> str:
    """The address in a variable or file can't be used; the address itself isn't repeated, it may hold a secret."""
    return f"The server's address in {where} can't be used: {reason}."


def address_missing(title: str, variables: tuple[str, ...]) -> str:
    """A server whose address is each person's own."""
    how = f"set {variables[0]} or {SETUP}" if variables else SETUP
    return f"The address of {title} is not known; {how}."


def key_missing(value: str, title: str, variable: str) -> str:
    """A model was chosen whose key isn't there."""
    how = f"set {variable} or {SETUP}" if variable else SETUP
    return f"{value} needs a key for {title}, and there is none; {how}."


def bound_model_wrong(where: str, reason: str, instead: str) -> str:
    """The model that was to be used can't be; another one is."""
    return f"The model of {where} can't be used, so this session runs on {instead}. {reason}"


def job_unresolved(job: str, reason: str) -> str:
    """The model of a job can't be used; what the job does waits."""
    return f"The model that [jobs] binds to {job} can't be used, so {JOBS_WAIT[job]} wait. {reason}"


def jobs_in_a_circle(jobs: list[str]) -> str:
    """Jobs that are bound to each other."""
    return f"The bindings in [jobs] lead in a circle ({' → '.join(jobs)}); bind one of them to a model."


def choose_a_model(title: str) -> str:
    """A server was named whose models aren't known beforehand."""
    return (
        f"{title} is set up, but not which of its models to use: choose one in the model menu or set CAUDRA_MODEL; "
        "until then the embedded librarian answers."
    )


def credentials_unreadable(path: str, reason: str) -> str:
    """The file of keys is there and can't be used."""
    return f"The keys in {path} can't be read ({reason}); {SETUP} to write them anew."


def credentials_shared(path: str) -> str:
    """The file of keys can be read by others."""
    return f"The keys in {path} can be read by others on this machine; run `chmod 600` on it."


def model_description(title: str, window: int | None, price: Mapping[str, float], up_to_tokens: int | None) -> str:
    """A model in the menu: whose it is, and what is known of it."""
    parts = [title]
    if window:
        parts.append(f"{tokens(window)} tokens")
    if "input" in price and "output" in price:
        limit = f" up to {tokens(up_to_tokens)}" if up_to_tokens else ""
        parts.append(f"${price['input']:g} in, ${price['output']:g} out a million{limit}")
    return " · ".join(parts)


def tokens(count: int) -> str:
    """A number of tokens, short."""
    if count >= 1_000_000:
        return f"{count / 1_000_000:.2f}".rstrip("0").rstrip(".") + "M"
    return f"{count // 1000}k" if count >= 10_000 else str(count)
