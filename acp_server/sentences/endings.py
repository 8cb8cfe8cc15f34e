"""What is said of answers that end otherwise than whole: to the person in the chat, and in the table of them."""

from __future__ import annotations

from collections.abc import Mapping

EMPTY = "The model gave no answer; ask again, or choose another model."
LENGTH = "The answer was cut at the longest that the model gives; ask it to go on."
REFUSAL = (
    "The model, or a filter of its provider, refused to answer; ask in other words, since this question is left out of "
    "what the model reads from here on."
)
REQUESTS = "The turn was stopped after as many requests to the model as one may take; ask it to go on."
FAILED_CALLS = (
    "The turn was stopped, since too many calls of the model failed one after another; ask in other words, or choose "
    "another model."
)

WHEN: Mapping[str, str] = {
    "empty": "a whole answer without a word, in a turn that showed nothing else",
    "length": "the answer reached the longest that the model gives",
    "refusal": "the model refuses, or a filter ends the answer",
    "requests": "`agent.max_turn_requests` requests in one turn",
    "failed_calls": "20 calls of tools in a row that fail, such as arguments that make no sense",
}
"""When each happens, for the table of endings."""

SEEN: Mapping[str, str] = {
    "empty": "the question, without an answer",
    "length": "its answer so far",
    "refusal": "neither the question nor the answer; a reminder that stood before the question stands before the next",
    "requests": "everything so far",
    "failed_calls": "everything so far, each call with its error",
}
"""What the model sees of it in the next turn, for the table of endings."""
