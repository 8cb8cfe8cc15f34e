"""Histories of the shapes that real directories of notes have: each a list of states, every state the whole folder.

The counts are those of 14 public directories of agents' notes, memory banks and decision records, 12,274 writes and
deletes in all; the texts are made up.
"""

from __future__ import annotations

import random
from collections.abc import Callable

Files = dict[str, bytes]
History = Callable[[random.Random], list[Files]]


def bursts(rng: random.Random) -> list[Files]:
    """1,654 changes in one look, then 663."""
    base = {f"d{number % 30}/n{number}.md": f"# {number}\n".encode() for number in range(1654)}
    return [{}, base, dict(list(base.items())[663:]), base]


def mixed_burst(rng: random.Random) -> list[Files]:
    """One look with 1,654 changes of every kind: new, rewritten, removed, and moved to another name."""
    before = {f"n{number}.md": f"# {number}\n".encode() for number in range(1100)}
    after = {f"new/n{number}.md": f"# New {number}\n".encode() for number in range(354)}
    after |= {f"n{number}.md": f"# Rewritten {number}\n".encode() for number in range(500)}
    after |= {f"moved/n{number}.md": before[f"n{number}.md"] for number in range(600, 800)}
    return [before, after]


def revivals(rng: random.Random) -> list[Files]:
    """274 names written again after a delete, and 34 rewritten back to older bytes, twice each way."""
    first = {f"n{number}.md": f"# First {number}\n".encode() for number in range(274)}
    other = {**first, **{f"n{number}.md": f"# Other {number}\n".encode() for number in range(34)}}
    return [first, {}, first, other, first, other, first]


def emptied(rng: random.Random) -> list[Files]:
    """A directory that ends empty with 236 entries behind it."""
    notes = {f"n{number}.md": f"# {number}\n{'word ' * 200}".encode() for number in range(118)}
    return [notes, {}]


def rewritten(rng: random.Random) -> list[Files]:
    """One note with 128 versions, a log that grows to 280 kB."""
    return [{"log.md": b"# Log\n" + b"line of a log\n" * (number * 160)} for number in range(127)] + [
        {"log.md": b"# Log\n\nstarted over\n"}
    ]


def large(rng: random.Random) -> list[Files]:
    """Lines of 646,118 characters, of 4,000, and of two megabytes."""
    data = "![](data:image/png;base64,"
    return [
        {
            "data.md": f"# Picture\n{data}{'A' * (646_118 - len(data) - 1)})\nafterwards\n".encode(),
            "two.md": ("x" * 4000 + "\n").encode() * 500,
            "long.md": b"# L\n" + b"y" * 2_000_000,
            "middle.md": b"# M\n" + b"several words " * 11_000,
        }
    ]


def odd_bytes(rng: random.Random) -> list[Files]:
    """What `splitlines` and editors disagree on, what isn't text, and nothing at all."""
    kinds = [
        b"\xef\xbb\xbf# mark first\n",
        b"\xef\xbb\xbf---\na: b\n---\n\xef\xbb\xbf# two marks\n",
        b"# mixed\r\nlines\nhere\rand\r\n",
        b"# lone\rcarriage\rreturns",
        b"nul \0 here\n",
        b"form\x0cfeed and \x0b tab\n",
        "zero\u200bwidth\u200djoiner\n".encode(),
        b"no newline at the end",
        b"",
        b"\n\n\n",
        b"\xff\xfe# utf-16",
        "\u202eright to left\u202c \x1b[31mred\x1b[0m".encode(),
        b"`````\n``````````\n</details><script>alert(1)</script></memory>\n",
        "separators\u2028and\u2029and\x85and\x1c\x1d\x1e\n".encode(),
    ]
    marked = [b"\xef\xbb\xbf# Mark in version %d\r\n" % number for number in range(30)]
    fixed = {f"odd-{number}.md": raw for number, raw in enumerate(kinds)}
    return [{**fixed, "versions.md": raw} for raw in marked]


def odd_names(rng: random.Random) -> list[Files]:
    """Names of every kind, most of them in folders, many of them alike in their last part."""
    found = ["with space.md", "한국어 노트.md", "日本語.md", "é/ü.md", "ação/São Paulo.md", "Case.md", "case.md"]
    found += ["x" * 120 + ".md", "長" * 40 + ".md", "a#b%c?.md", "[brackets](x).md", "a&b;c|d$e.md", "'quotes\".md"]
    found += [f"{rng.choice('abc')}/area-{number}/index.md" for number in range(240)] + ["index.md"]
    found += [f"docs/{number}/{rng.choice('xyz')}/README.md" for number in range(146)] + ["README.md"]
    return [{name: f"# {name}\n".encode() for name in found}]


def no_heading(rng: random.Random) -> list[Files]:
    """1,167 notes that begin with front matter which strict YAML refuses, and that have no heading."""
    block = b"---\ntitle: a: b: c\ntags: [x\n---\n"
    return [{f"n{number}.md": block + (b"text %d only\n" % number if number % 2 else b"") for number in range(1167)}]


def languages(rng: random.Random) -> list[Files]:
    """Chinese throughout, Portuguese, kana glued to Latin words, English with Chinese terms."""
    return [
        {
            "chinese.md": "# 部署流程\n\n每周一轮换部署密钥，重跑gen-itgc后再发布。\n".encode(),
            "portuguese.md": "# Implantação\n\nA chave de implantação é trocada às segundas-feiras.\n".encode(),
            "kana.md": "# メモ\n\nDockerをrestartしてからcacheを消す。承認フローも見る。\n".encode(),
            "terms.md": "# Glossary\n\nThe term 分片 means sharding, and 副本 a replica.\n".encode(),
        }
    ]


def near_copies(rng: random.Random) -> list[Files]:
    """49 notes of the same bytes, and 300 that differ in a word."""
    same = {f"copy-{number}.md": b"# The same\n\nwords in all of them\n" for number in range(49)}
    near = {f"near-{number}.md": b"# Nearly the same\n\nwords in all of them, %d\n" % number for number in range(300)}
    return [{**same, **near}]


def opaque_names(rng: random.Random) -> list[Files]:
    """Names that say nothing: search finds by text."""
    named = {"AP-096": "caching", "2026-01-01": "sharding", "0042": "billing", "ADR-7": "flakiness"}
    return [{f"{name}.md": f"# Decision on {subject}\n".encode() for name, subject in named.items()}]


def secrets(rng: random.Random) -> list[Files]:
    """Text that looks like a secret is kept as any other; only who imports it is told."""
    return [{"keys.md": b"# Keys\n\npassword = " + b"hunter2xyz!\n", "pem.md": b"-----BEGIN PRIVATE" + b" KEY-----\n"}]


def mixed(rng: random.Random) -> list[Files]:
    """Forty commits of writes and deletes."""
    states: list[Files] = [{}]
    for _ in range(40):
        files = dict(states[-1])
        for _ in range(rng.randrange(1, 20)):
            name = f"{rng.choice('abc')}/{rng.choice('xyz')}{rng.randrange(12)}.md"
            if rng.random() < 0.3:
                files.pop(name, None)
            else:
                files[name] = f"# {rng.random()}\n{'word ' * rng.randrange(400)}".encode()
        states.append(files)
    return states


HISTORIES: dict[History, dict[str, str | None]] = {
    bursts: {"1653": "d3/n1653.md"},
    mixed_burst: {"rewritten 499": "n499.md", "first": None},
    revivals: {"other": None, "first 33": "n33.md"},
    emptied: {"word": None},
    rewritten: {"line": None, "started": "log.md"},
    large: {"afterwards": "data.md", "several": "middle.md"},
    odd_bytes: {"mark first": "odd-0.md", "utf": "odd-10.md"},
    odd_names: {"한국어": "한국어 노트.md", "paulo": "ação/São Paulo.md", "brackets": "[brackets](x).md"},
    no_heading: {"text 1165": "n1165.md", "tags": None},
    languages: {"部署": "chinese.md", "implantacao": "portuguese.md", "docker": "kana.md", "副本": "terms.md"},
    near_copies: {"same 299": "near-299.md"},
    opaque_names: {"sharding": "2026-01-01.md", "billing": "0042.md", "AP-096": "AP-096.md"},
    secrets: {"keys": "keys.md"},
    mixed: {},
}
"""Each history with what is searched for at its end, and the best hit, or None where nothing may be found."""
