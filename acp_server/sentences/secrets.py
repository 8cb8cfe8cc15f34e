"""What is said of a text that looks like a secret; the secret itself is never repeated."""

from __future__ import annotations

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


def name_looks_like(kind: str) -> str:
    """The note's name and what it seems to hold."""
    return f"The name of the note looks like {kind}; names stand in every view and link."
