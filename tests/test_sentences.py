"""What a person reads stands in one place; text is UTF-8; standard output has one door."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest
from source import files, tree

HOMES = re.compile(r"(acp_server\.sentences(\..*)?|acp_server\.prompts(\..*)?|memory_core\.sentences.*)")
"""Where sentences and prompts live."""

STANDARD_OUTPUT = frozenset(
    {
        "acp_server.terminal",
        "acp_server.stdio",
        "acp_server.fastpath",
        "acp_server.__main__",
        "acp_server.workspace.searching",
    }
)
"""The modules that may touch standard output: the writer for people, the wire, and a program that the agent starts."""

_SENTENCE = re.compile(r"(?:[^\W\d_][\w'’-]*[,;:.)]?\s+\(?){3}[^\W\d_]")
_SQL = re.compile(
    r"\s*\(?[a-z_]+(,\s*[a-z_]+){2,}|\s*\(?(ALTER|AND|ATTACH|BEGIN|COMMIT|CREATE|DELETE|DROP|EXISTS|FROM|GROUP|INSERT|JOIN|LEFT|LIMIT|ON|OR|ORDER|"
    r"PRAGMA|REPLACE|ROLLBACK|SELECT|SET|UPDATE|VACUUM|VALUES|WHERE|WITH)\b"
)


def _text(node: ast.AST) -> str | None:
    """A string literal's text, with {} for what an f-string puts in."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(_text(part) or "{}" for part in node.values)
    return None


def _is_data(node: ast.AST) -> bool:
    """Whether a call takes a regular expression, or splits a list of words."""
    if not isinstance(node, ast.Call):
        return False
    splits = isinstance(node.func, ast.Attribute) and node.func.attr == "split" and not node.args
    return splits or ast.unparse(node.func).startswith("re.")


def literals(source: ast.Module) -> Iterator[tuple[int, str]]:
    """Line and text of each string literal that isn't documentation or a regular expression."""
    waiting: list[ast.AST] = [source]
    while waiting:
        node = waiting.pop()
        text = _text(node)
        if text is not None:
            yield getattr(node, "lineno", 0), text
        elif not _is_data(node):
            children = ast.iter_child_nodes(node)
            waiting += [child for child in children if not (isinstance(child, ast.Expr) and _text(child.value))]


def sentences(source: ast.Module) -> list[tuple[int, str]]:
    return [(line, text) for line, text in literals(source) if _SENTENCE.search(text) and not _SQL.match(text)]


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ('raise E("The note could not be read")', 1),
        ('f"Entry {n} is not there"', 0),
        ('say(f"Entry {n} is not there yet, so wait")', 1),
        ('"""Words of documentation, however many there are."""', 0),
        ('x = 1\n"""What x is, in words enough."""', 0),
        ('db.execute("SELECT a FROM b WHERE c")', 0),
        ('re.compile("one two three four five")', 0),
        ('E("Method not found")', 0),
        ('"one two three four five".split()', 0),
        ('COLUMNS = "id, name, kind, text"', 0),
    ],
)
def test_the_scan_tells_sentences_from_other_literals(code: str, found: int) -> None:
    assert len(sentences(ast.parse(code))) == found


@pytest.mark.parametrize("module", sorted(files()))
def test_sentences_stand_in_their_own_rooms(module: str) -> None:
    if not HOMES.fullmatch(module):
        assert sentences(tree(module)) == []


def _calls(module: str) -> Iterator[ast.Call]:
    return (node for node in ast.walk(tree(module)) if isinstance(node, ast.Call))


def _is_binary(call: ast.Call) -> bool:
    modes = [_text(each) or "" for each in [*call.args[1:2], *(k.value for k in call.keywords if k.arg == "mode")]]
    return any("b" in mode for mode in modes)


def _needs_encoding(call: ast.Call) -> bool:
    name = ast.unparse(call.func)
    if name in ("open", "io.open", "os.fdopen"):
        return not _is_binary(call)
    if name.endswith((".read_text", ".write_text")):
        return True
    return any(k.arg in ("text", "universal_newlines") and name.startswith("subprocess.") for k in call.keywords)


@pytest.mark.parametrize("module", sorted(files()))
def test_text_files_name_their_encoding(module: str) -> None:
    careless = [
        call.lineno
        for call in _calls(module)
        if _needs_encoding(call) and "encoding" not in {keyword.arg for keyword in call.keywords}
    ]
    assert careless == []


@pytest.mark.parametrize("module", sorted(set(files()) - STANDARD_OUTPUT))
def test_nothing_but_the_writer_and_the_wire_touches_standard_output(module: str) -> None:
    names = {ast.unparse(node) for node in ast.walk(tree(module)) if isinstance(node, ast.Name | ast.Attribute)}
    assert names & {"print", "sys.stdout", "sys.__stdout__"} == set()
