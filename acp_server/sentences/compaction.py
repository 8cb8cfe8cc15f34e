"""What is said when a conversation is made shorter: to the model that summarizes it, and to the person."""

from __future__ import annotations

PERSON = "The person"
AGENT = "The agent"
EARLIER = "Summary of what came before"
BY_RULE = "No summary could be written, so this is what the person said, oldest first; ask where more is needed."
ASKED_LAST = "The person's last request, on which the work goes on:"
PREPARING = "The conversation nears the end of what the model can read, so it is made shorter first."
SUMMING_UP = "The older part of the conversation is summed up; this can take a while."
MODEL_REFUSED = "The model wrote no summary."
NOTHING_TO_SHORTEN = "There is nothing to make shorter yet."


def called(tool: str) -> str:
    """Before the arguments of a call."""
    return f"The agent called {tool}"


def answered(tool: str, failed: bool) -> str:
    """Before the result of a call."""
    return f"{tool} failed" if failed else f"{tool} answered"


def cut_here(size: int) -> str:
    """Where the middle of a long text stood."""
    return f"[{size:,} bytes are left out here]"


def older_left_out(count: int) -> str:
    """Where the oldest of very many messages stood."""
    return f"[{count:,} older messages are left out here]"


def write_it(words: int, focus: str) -> str:
    """The last words to the model that summarizes."""
    told = f" The person asks that it keep above all: {focus}" if focus else ""
    return f"Write the summary now, in at most {words:,} words.{told}"


def made_shorter(turns: int, results: int, before: int, after: int) -> str:
    """What was done, in tokens before and after."""
    done = []
    if turns:
        earlier = "1 earlier turn" if turns == 1 else f"{turns:,} earlier turns"
        done.append(f"a summary stands for {earlier}")
    if results:
        left_out = "1 large result was" if results == 1 else f"{results:,} large results were"
        done.append(f"{left_out} left out")
    what = " and ".join(done) or "its older part was summed up"
    return (
        f"The conversation was made shorter: {what}, so the model reads about {_rounded(after)} tokens of it instead "
        f"of {_rounded(before)}. All of it stays here and in the session."
    )


def by_rule(reason: str) -> str:
    """No model wrote the summary, and why."""
    return f"Its older part was cut by rule, since no model could sum it up: {reason}"


NO_MODEL = "The session's model writes no summaries."


def message_too_long(tokens: int, fixed: int, window: int) -> str:
    """One message alone is longer than what the prefix leaves of the window."""
    return (
        f"This message alone takes about {_rounded(tokens)} tokens; the model reads {window:,} at most, of which its "
        f"instructions and the project's notes take about {_rounded(fixed)}. Send it in parts, or choose a model with "
        "a larger context window."
    )


def prefix_too_long(tokens: int, window: int) -> str:
    """What stands before every conversation leaves no room for one."""
    return (
        f"What the model is told first, the memory's view above all, takes about {_rounded(tokens)} tokens, and it "
        f"reads {window:,} at most; choose a model with a larger context window, or type /memory off for this session."
    )


def too_slow(seconds: float) -> str:
    """The summary took too long."""
    return f"The model wrote no summary within {seconds:g} seconds."


def _rounded(count: int) -> str:
    step = 10 ** max(0, len(str(count)) - 2)
    return f"{round(count / step) * step:,}"
