"""What `caudra-acp --print` says on standard error; standard output is the answer's alone."""

from __future__ import annotations

HELP_PRINT = "answer one prompt and end; without WORDS all of standard input is the prompt"
HELP_MODEL = "the model to ask, as provider/model or by its name in the configuration"
HELP_JSON = "print events as JSON, one a line, instead of text"
HELP_ALLOW = "let the model do this: memory.write or memory.delete (may be repeated)"
ABOUT = "Answer one prompt without asking anybody: reads the memory, writes notes where rules allow it, and ends."

NOT_UTF8 = "The prompt is not UTF-8 text, so nothing was asked; convert it to UTF-8 first."
NOTHING_SAID = "There is no prompt; write it behind --print or send it on standard input."
NO_INPUT = (
    "Standard input is a terminal, and --print asks nobody; write the prompt behind --print or send it in a pipe."
)
BROKE = "The run broke; this is a fault of the agent."


def not_allowed(rule: str) -> str:
    """A change was refused, since no rule allows it."""
    return f"Not allowed, so nothing was changed: {rule}. Add --allow {rule}, or [[permissions]] to the configuration."


NEEDS_A_PERSON = "A change was refused that only a person can allow; nothing was changed."
