"""The agent's log: standard error only, a line an event, and nothing in it that looks like a secret."""

from __future__ import annotations

import logging
import re
import sys
import traceback

SECRETS = re.compile(
    r"(?i)(bearer\s+|\b(?:api[_-]?key|token|secret|password|passwd|authorization)\b[\"']?\s*[:=]\s*[\"']?"
    r"(?:bearer\s+|basic\s+)?)[^\s\"',;]+"
    r"|\b(?:sk|pk|ghp|gho|ghs|xox[abprs])[-_][A-Za-z0-9_-]{8,}"
    r"|\bAKIA[0-9A-Z]{16}\b"
    r"|(?<=://)[^\s/@]+(?=@)"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY-----.*",
    re.DOTALL,
)
MAX_LINE_CHARS = 500


def redact(text: str) -> str:
    """The text with what looks like a secret blanked."""
    return SECRETS.sub(lambda match: f"{match.group(1) or ''}[redacted]", text)


class ShortFormatter(logging.Formatter):
    """One line: level, where, what; of an exception its kind, its text and the place that raised it."""

    def format(self, record: logging.LogRecord) -> str:
        """The line for a record."""
        parts = [record.levelname.lower(), record.name, record.getMessage(), self._raised(record)]
        line = " ".join(redact(": ".join(part for part in parts if part)).split())
        return line[:MAX_LINE_CHARS]

    def _raised(self, record: logging.LogRecord) -> str:
        error = record.exc_info[1] if record.exc_info else None
        if error is None:
            return ""
        frames = traceback.extract_tb(error.__traceback__)
        place = f" ({frames[-1].filename}:{frames[-1].lineno})" if frames else ""
        return f"{type(error).__name__}: {error}{place}"


class SentenceFormatter(ShortFormatter):
    """For a run that a person sees: our own warnings are the sentence alone, as all else that the run says is."""

    def format(self, record: logging.LogRecord) -> str:
        """The line for a record."""
        ours = record.name.partition(".")[0] in ("acp_server", "memory_core")
        if not ours or record.levelno != logging.WARNING or record.exc_info:
            return super().format(record)
        return " ".join(redact(record.getMessage()).split())[:MAX_LINE_CHARS]


def set_up(formatter: logging.Formatter | None = None) -> None:
    """Send all logging of this process to standard error, from warnings on; a line as `ShortFormatter` makes it."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(formatter or ShortFormatter())
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    logging.captureWarnings(True)
