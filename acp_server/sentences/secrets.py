"""What is said of a text that looks like a secret; the secret itself is never repeated."""

from __future__ import annotations

from collections.abc import Sequence

from memory_core.sentences import plural

KINDS = {
    "private_key": "a private key",
    "aws": "an AWS access key",
    "github": "a GitHub token",
    "gitlab": "a GitLab token",
    "slack": "a Slack token",
    "anthropic": "an Anthropic API key",
    "openai": "an OpenAI API key",
    "openrouter": "an OpenRouter API key",
    "google": "a Google API key or token",
    "stripe": "a Stripe key",
    "npm": "an npm token",
    "pypi": "a PyPI token",
    "huggingface": "a Hugging Face token",
    "sendgrid": "a SendGrid key",
    "digitalocean": "a DigitalOcean token",
    "telegram": "a Telegram bot token",
    "jwt": "a JSON Web Token",
    "url": "an address with a password in it",
    "bearer": "an authorization header with its token",
    "password": "a password or key that is assigned",
}


def looks_like(line: int, kind: str) -> str:
    """One line of the note and what it seems to hold."""
    return f"Line {line} looks like {kind}; a note is kept with every version and shown to models."


def imported_look_like(names: Sequence[str], count: int) -> str:
    """Notes that were taken in and seem to hold secrets: some of their names, and how many there are."""
    more = f" and {plural(count - len(names), 'other')}" if count > len(names) else ""
    what = f"{plural(count, 'note')} that {'was' if count == 1 else 'were'} taken in"
    holds = "holds" if count == 1 else "hold"
    return (
        f"{what} {holds} what looks like a secret ({', '.join(names)}{more}); `memory forget` removes a note for good."
    )


def name_looks_like(kind: str) -> str:
    """The note's name and what it seems to hold."""
    return f"The name of the note looks like {kind}; names stand in every view and link."
