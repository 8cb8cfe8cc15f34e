"""What `caudra-acp setup` and `caudra-acp models` say to a person."""

from __future__ import annotations

SETUP = "Choose a model's provider and store its key: in the system's keyring, or in a file that only you can read."
MODELS = "List the models that can be used now: where each comes from, its window and its price where they are known."
HELP_PROVIDER = "which provider; without it the command asks"
HELP_KEY_STDIN = "read the key from standard input instead of asking for it"
HELP_BASE_URL = "the server's address, where it isn't the provider's usual one"
HELP_SETUP_MODEL = "the model to try the key with (for Azure the name of a deployment)"
HELP_NO_TEST = "store without a request that tries it"
HELP_REMOVE = "remove what is stored of the provider"
HELP_LIVE = "ask the servers which models they have"
HELP_MODELS_JSON = "print one JSON object"
HELP_MODEL = "the model that answers, as provider/model or a name of [models] in the configuration"

WHICH = "Which provider?"
NUMBER = "Number or name: "
KEY = "Paste the key (it isn't shown): "
KEY_OPTIONAL = "Paste a key, or press Enter where the server needs none: "
ADDRESS = "Address of the server"
NEEDS_A_TERMINAL = "Without a terminal the command needs --provider and, where the provider has keys, --key-stdin."
NO_KEY_GIVEN = "No key was given, so nothing is stored."
NOT_A_KEY = "What was given isn't a key: it must be one word of plain letters, digits and signs. Nothing is stored."
NO_ADDRESS = "This provider has no usual address; give yours with --base-url."
TRYING = "Trying it …"
ANSWERED = "The model answered."
LISTED = "The server answered and listed its models."
NOTHING_STORED = "Nothing is stored; mend it and run setup again, or store it untried with --no-test."
STORED_UNTRIED = "It was stored without being tried."
NAME_A_MODEL = "This server doesn't say what can be asked; name a model of yours with --model."

TRIAL_SYSTEM = "You are being tried out."
TRIAL_WORDS = "Answer with the one word OK."


def unknown_provider(name: str, known: str) -> str:
    """A provider that nobody knows."""
    return (
        f"There is no provider {name}; choose one of {known}. A server of your own goes into [models] of config.toml."
    )


def numbered(number: int, name: str, title: str, note: str) -> str:
    """A provider in the list."""
    return f"{number:>3}  {title} ({name}){f': {note}' if note else ''}"


def has_key(where: str) -> str:
    """In the list: a key is there already."""
    return f"has a key ({where})"


def bad_address(reason: str) -> str:
    """An address that was given can't be used."""
    return f"The address can't be used: {reason}."


def trial_failed(title: str, reason: str) -> str:
    """The test call failed."""
    return f"{title} could not be used. {reason}"


def not_listed(reason: str) -> str:
    """The server was asked for its models and didn't list them; `reason` is a status or a kind of fault."""
    return f"It didn't list its models ({reason}), and no model is known to try; name one with --model."


def kept_in_keyring(title: str) -> str:
    """Where the key is now."""
    return f"The key of {title} is kept in the system's keyring."


def kept_in_file(title: str, path: str) -> str:
    """Where the key is now."""
    return f"The key of {title} is kept in {path}, which only you can read."


def keyring_refused(reason: str) -> str:
    """The keyring didn't take it, so the file does."""
    return f"The system's keyring didn't take the key ({reason})."


def keyring_kept(reason: str) -> str:
    """The keyring didn't let the key go."""
    return f"The system's keyring didn't remove the key ({reason}), so nothing is removed."


def address_kept(title: str, path: str) -> str:
    """Where the address is now."""
    return f"The address of {title} is kept in {path}."


def goes_first(variable: str) -> str:
    """A variable of the environment hides what was stored."""
    return f"{variable} is set in this environment and goes before the stored key."


def begins_with(model: str) -> str:
    """What new sessions do now."""
    return (
        f"New sessions begin with {model}; choose another in the model menu, with -m, or as [jobs] chat in config.toml."
    )


def choose(provider: str) -> str:
    """A server whose models aren't known beforehand."""
    return f'Choose one of its models in the model menu, or bind one: [jobs] chat = "{provider}/NAME" in config.toml.'


def removed(title: str) -> str:
    """What was stored of a provider is gone."""
    return f"What was stored of {title} is removed."


def nothing_to_remove(title: str) -> str:
    """There was nothing."""
    return f"Nothing is stored of {title}."


def cannot_store(path: str, reason: str) -> str:
    """The file can't be written."""
    return f"The key could not be stored in {path}: {reason}."


KEY_FROM = {
    "": "no key",
    "environment": "key from {}",
    "credentials.json": "key from setup",
    "keyring": "key from the keyring",
}


def from_server(title: str, key_from: str, variable: str, address: str) -> str:
    """A server as the list of models shows it."""
    key = KEY_FROM[key_from].format(variable)
    return f"{title} ({key}{f', {address}' if address else ''})"


def default_is(model: str) -> str:
    """What a new session begins with."""
    return f"A new session begins with {model}."
