"""What is said of tokens, money and the ledger that keeps them."""

from __future__ import annotations

from memory_core.sentences import plural


def agent_database_failed(path: str, reason: str) -> str:
    """The agent's own database can't be used."""
    return f"The agent's database {path} can't be used ({reason})."


def agent_database_damaged(path: str) -> str:
    """The agent's own database is damaged."""
    return f"The agent's database {path} is damaged."


def agent_database_foreign(path: str) -> str:
    """Another program's database lies where ours belongs."""
    return f"{path} is the database of another program, so it is left alone; move it elsewhere to have spend kept."


def agent_database_newer(path: str, found: int, known: int) -> str:
    """A newer release wrote the database."""
    return f"{path} was written by a newer release (schema {found}, this one knows {known}); update caudra-acp."


def ledger_set_aside(path: str) -> str:
    """The person hears it once, in the chat or beside a command's output."""
    return f"The record of what requests cost was damaged; it is kept as {path}, and a new one begins."


STORAGE = "Look at what the agent keeps beside memories: what its requests to models cost."
SUMMARIES = {
    "usage": "Show tokens, cache hits and money of all requests to models, in sums by purpose, model, day or project.",
}
HELP_GROUP_BY = "what the sums are made by: purpose (the default), model, day (of UTC) or project"
NOTHING_SPENT = "Nothing was spent yet: no request to a model's server is on record."
COLUMNS = ("", "requests", "input", "cached", "hits", "output", "cost")
TOTAL = "total"
UNKNOWN = "unknown"


def bad_group(text: str, known: str) -> str:
    """The argument of --group-by is none of those that there are."""
    return f"{text} is nothing to make sums by; choose one of {known}."


def usage_heading(group_by: str, requests: int) -> str:
    """The first line above the sums."""
    return f"Tokens and money by {group_by}, {plural(requests, 'request')}"


def money(dollars: float) -> str:
    """An amount; small ones keep the digits that tell them from nothing."""
    return f"${dollars:,.2f}" if dollars >= 1 or not dollars else f"${dollars:.4f}"


def unpriced(count: int) -> str:
    """Requests of models whose price isn't known."""
    return (
        f"The price of {plural(count, 'request')} is unknown, so the cost leaves {'it' if count == 1 else 'them'} out."
    )


def untold(count: int) -> str:
    """Requests whose server told no tokens."""
    return f"The tokens of {plural(count, 'request')} are unknown: the server told none, or the answer was stopped."


def failed(count: int) -> str:
    """Requests that failed."""
    return f"{plural(count, 'request')} failed."
