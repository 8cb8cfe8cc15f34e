"""Porter's stemmer for English: the ending of a word goes, so that `retries` and `retry` meet.

The algorithm is the one published in 1980 ("An algorithm for suffix stripping") with its author's two
later changes (`bli` and `logi` in step 2). It knows a word by its *form*: one letter a character, `v` for a
vowel and `c` for a consonant. A stem's *measure* is how often `vc` stands in its form. Each step is a table
of endings; the longest that fits decides, and it is only taken where the stem left over is long enough.

Pure, and without any memory of its own: the analyzer keeps what it has stemmed.
"""

from __future__ import annotations

Table = dict[str, str]

SHORTEST = 3
"""Words with fewer letters have no ending to lose."""

STEP_2: Table = {
    "ational": "ate", "tional": "tion", "enci": "ence", "anci": "ance", "izer": "ize", "bli": "ble",
    "alli": "al", "entli": "ent", "eli": "e", "ousli": "ous", "ization": "ize", "ation": "ate", "ator": "ate",
    "alism": "al", "iveness": "ive", "fulness": "ful", "ousness": "ous", "aliti": "al", "iviti": "ive",
    "biliti": "ble", "logi": "log",
}  # fmt: skip
STEP_3: Table = {
    "icate": "ic", "ative": "", "alize": "al", "iciti": "ic", "ical": "ic", "ful": "", "ness": "",
}  # fmt: skip
STEP_4: Table = dict.fromkeys(
    ("al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ion", "ou", "ism",
     "ate", "iti", "ous", "ive", "ize"), "",
)  # fmt: skip


def stem(word: str) -> str:
    """Return the stem of `word`, lower-case a to z; one of fewer than three letters is its own."""
    if len(word) < SHORTEST:
        return word
    word = _past(_plural(word))
    if word.endswith("y") and "v" in form(word[:-1]):
        word = word[:-1] + "i"
    word = _longest(word, STEP_2, over=0)
    word = _longest(word, STEP_3, over=0)
    word = _longest(word, STEP_4, over=1)
    return _tidy(word)


def form(word: str) -> str:
    """Return `word` as vowels (`v`) and consonants (`c`); a `y` after a consonant is a vowel."""
    shape = ""
    for letter in word:
        vowel = letter in "aeiou" or (letter == "y" and shape.endswith("c"))
        shape += "v" if vowel else "c"
    return shape


def measure(word: str) -> int:
    """Return how many times a vowel is followed by a consonant in `word`."""
    return form(word).count("vc")


def _plural(word: str) -> str:
    """Step 1a: `caresses`, `ponies` and `cats` lose their plural; `caress` has none."""
    if not word.endswith("s") or word.endswith("ss"):
        return word
    return word[:-2] if word.endswith(("sses", "ies")) else word[:-1]


def _past(word: str) -> str:
    """Step 1b: `agreed`, `plastered`, `motoring` lose their ending where a vowel stands before it."""
    if word.endswith("eed"):
        return word[:-1] if measure(word[:-3]) > 0 else word
    for ending in ("ed", "ing"):
        if word.endswith(ending):
            left = word[: -len(ending)]
            return _mended(left) if "v" in form(left) else word
    return word


def _mended(left: str) -> str:
    """Give back what `ed` or `ing` had changed: an `e` (`conflat(e)`), or one of two letters (`hop(p)`)."""
    if left.endswith(("at", "bl", "iz")):
        return left + "e"
    if _doubled(left) and left[-1] not in "lsz":
        return left[:-1]
    return left + "e" if measure(left) == 1 and _short(left) else left


def _longest(word: str, table: Table, over: int) -> str:
    """Replace the longest ending of `table` that `word` has, where the stem's measure is over `over`."""
    for size in range(min(7, len(word)), 1, -1):
        ending = word[-size:]
        if ending in table:
            left = word[:-size]
            allowed = measure(left) > over and (ending != "ion" or left.endswith(("s", "t")))
            return left + table[ending] if allowed else word
    return word


def _tidy(word: str) -> str:
    """Step 5: a last `e` goes, and of a last `ll` one."""
    if word.endswith("e"):
        left = word[:-1]
        count = measure(left)
        if count > 1 or (count == 1 and not _short(left)):
            word = left
    return word[:-1] if word.endswith("ll") and measure(word) > 1 else word


def _doubled(word: str) -> bool:
    return len(word) > 1 and word[-1] == word[-2] and form(word)[-1] == "c"


def _short(word: str) -> bool:
    """Whether `word` ends consonant, vowel, consonant, the last none of `w`, `x`, `y` (`hop`, not `snow`)."""
    return form(word)[-3:] == "cvc" and word[-1] not in "wxy"
