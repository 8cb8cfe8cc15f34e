"""Notes as engineers keep them, as many as are asked for and the same on every machine.

Words follow Zipf's law over a vocabulary of common words, technical words and made-up identifiers: a few in
nearly every note, most in a handful. A note has a name, a heading and 1 to 2 kB of Markdown.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate

SEED = 20240229

COMMON = """
the of to and a in is it that for on with as this be are not by or from at we when an was which if
can has but so all one have they then there only after before into its will no any more than them
about each how must should because where what does until while still never also other same been out
up
""".split()

TECHNICAL = """
test build server cache request token deploy timeout retry queue worker index query table schema
migration branch commit release config key secret rotate session client editor buffer stream parser
encoder socket port proxy header cookie login user account permission role policy limit quota budget
memory leak heap thread lock mutex race deadlock transaction rollback journal checkpoint snapshot
backup restore replica shard partition cluster node container image registry volume mount disk file
path folder symlink encoding newline locale timezone clock monotonic timestamp date format version
tag changelog license package dependency lockfile install script shell environment variable flag
option default override fixture mock coverage flaky benchmark profile latency throughput percentile
histogram metric alert dashboard log trace span sampling error warning exception crash signal kill
restart upgrade downgrade compatibility protocol message payload frame handshake certificate
signature digest checksum compression archive upload download stage production staging preview
canary rollout feature toggle experiment review approval merge conflict rebase squash hook pipeline
runner artifact mirror network bandwidth packet router firewall address resolver cron schedule batch
import export report invoice customer region tenant billing payment refund webhook callback event
listener subscription topic offset consumer producer broker ordering duplicate idempotent hash
bucket tree node leaf root cursor page scroll keyboard shortcut theme color layout font render paint
animation viewport component state reducer selector effect hydration bundle chunk loader plugin
extension macro compiler linker symbol segment pointer reference allocation arena garbage collector
generation inline vector matrix kernel tensor gradient model embedding prompt tokenizer context
window summary search ranking relevance recall precision stem synonym
""".split()

SYLLABLES = "ba ce di fo gu ha je ki lo mu na pe qui ro su ta ve wi xo yu za cra dro fle gri plo sta tre".split()


@dataclass(frozen=True, slots=True)
class Written:
    """One note: its file name, its heading and the whole text."""

    name: str
    heading: str
    text: str


def notes(count: int, seed: int = SEED) -> Iterator[Written]:
    """Yield `count` notes; the first of them are the same for every count."""
    chance = random.Random(seed)
    words, weights = _vocabulary(chance)
    for number in range(count):
        yield _note(chance, words, weights, number)


def _vocabulary(chance: random.Random) -> tuple[list[str], list[float]]:
    """Return the words, most frequent first, and their cumulated weights (Zipf, exponent 1)."""
    made = {_made_up(chance) for _ in range(9000)}
    technical = TECHNICAL.copy()
    chance.shuffle(technical)
    words = list(dict.fromkeys([*COMMON, *technical, *sorted(made)]))
    return words, list(accumulate(1 / (rank + 2.7) for rank in range(len(words))))


def _made_up(chance: random.Random) -> str:
    """Return an identifier or a rare word: plain, snake_case, kebab-case, camelCase or a path."""
    parts = ["".join(chance.choices(SYLLABLES, k=chance.randint(2, 3))) for _ in range(chance.randint(1, 3))]
    shape = chance.random()
    if shape < 0.55:
        return parts[0]
    if shape < 0.7:
        return "_".join(parts)
    if shape < 0.8:
        return "-".join(parts)
    if shape < 0.92:
        return parts[0] + "".join(part.title() for part in parts[1:])
    return "src/" + "/".join(parts) + ".py"


def _note(chance: random.Random, words: list[str], weights: list[float], number: int) -> Written:
    topic = chance.choices(TECHNICAL, k=3)
    name = f"{'/'.join([topic[0], '-'.join(topic[1:])])}-{number}.md"
    heading = " ".join([topic[1].title(), topic[2], *chance.choices(words, cum_weights=weights, k=3)])
    size = chance.randint(1000, 2000)
    rows = [f"# {heading}", ""]
    length = len(heading) + 4
    while length < size:
        row = _sentences(chance, words, weights, topic)
        rows.append(row)
        length += len(row) + 1
    return Written(name, heading, "\n".join(rows) + "\n")


def _sentences(chance: random.Random, words: list[str], weights: list[float], topic: list[str]) -> str:
    """Return one paragraph or one item of a list, leaning towards the note's topic."""
    drawn = chance.choices(words, cum_weights=weights, k=chance.randint(12, 40))
    drawn[chance.randrange(len(drawn))] = chance.choice(topic)
    text = " ".join(drawn)
    return ("- " if chance.random() < 0.3 else "") + text[0].upper() + text[1:] + "."
