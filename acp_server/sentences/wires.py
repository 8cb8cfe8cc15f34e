"""What stands in a conversation where a provider's rules want words and nobody said any."""

BEGINNING = "(The conversation up to here was left out.)"
GO_ON = "Go on."
EMPTY_RESULT = "(The tool gave no text.)"
NO_RESULT = "The tool did not run to its end, so there is no result."


def late_result(name: str, text: str) -> str:
    """A result whose call is no longer part of the conversation."""
    return f"(A result of {name}, asked for earlier:)\n{text}"
