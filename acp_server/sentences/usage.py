"""What is said of tokens, money and the ledger that keeps them."""

from __future__ import annotations


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
