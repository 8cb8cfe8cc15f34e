"""The architecture as imports tell it, and the sizes that keep rooms small."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from statistics import median, quantiles

import pytest
from source import PACKAGES, closure, files, imports, tree

IO = frozenset(
    """
    acp aiosqlite asyncio glob http httpx io multiprocessing os pathlib platform random select selectors
    shutil signal socket sqlite3 ssl subprocess sys tempfile threading time urllib.request uuid watchfiles
    """.split()
)
"""Modules that reach a disk, a clock, a process, a network or chance."""

HEAVY = frozenset(
    """
    acp aiosqlite argparse asyncio email http httpx importlib.metadata logging memory_core.memory platformdirs
    pydantic sqlite3 ssl subprocess urllib.request watchfiles
    """.split()
)
"""Modules that cost more than the first answers may."""

PURE = (
    "acp_server.cards",
    "acp_server.chat_cards",
    "acp_server.chat_fences",
    "acp_server.chat_flow",
    "acp_server.chat_markdown",
    "acp_server.child_ids",
    "acp_server.conversation",
    "acp_server.endings",
    "acp_server.events",
    "acp_server.exits",
    "acp_server.harmless",
    "acp_server.history",
    "acp_server.jsonclean",
    "acp_server.jsonrpc",
    "acp_server.links",
    "acp_server.markdown",
    "acp_server.models.facts",
    "acp_server.models.listed",
    "acp_server.models.names",
    "acp_server.models.presets",
    "acp_server.models.quirks",
    "acp_server.models.settings",
    "acp_server.models.urls",
    "acp_server.models_table",
    "acp_server.params",
    "acp_server.permissions",
    "acp_server.prefix",
    "acp_server.providers.embedded",
    "acp_server.providers.faults",
    "acp_server.providers.interface",
    "acp_server.providers.librarian.answering",
    "acp_server.providers.librarian.understanding",
    "acp_server.providers.redacting",
    "acp_server.providers.retry_after",
    "acp_server.providers.retrying",
    "acp_server.providers.wires",
    "acp_server.providers.wires.answer",
    "acp_server.providers.wires.anthropic",
    "acp_server.providers.wires.anthropic_building",
    "acp_server.providers.wires.arguments",
    "acp_server.providers.wires.bodies",
    "acp_server.providers.wires.chat_building",
    "acp_server.providers.wires.chat_completions",
    "acp_server.providers.wires.claude",
    "acp_server.providers.wires.errors",
    "acp_server.providers.wires.fields",
    "acp_server.providers.wires.heads",
    "acp_server.providers.wires.ids",
    "acp_server.providers.wires.normal",
    "acp_server.providers.wires.reasoning",
    "acp_server.providers.wires.responses",
    "acp_server.providers.wires.responses_building",
    "acp_server.providers.wires.sse",
    "acp_server.providers.wires.tool_deltas",
    "acp_server.seams",
    "acp_server.secrets",
    "acp_server.spend",
    "acp_server.summary_estimate",
    "acp_server.summary_request",
    "acp_server.title_request",
    "acp_server.titles",
    "acp_server.toml_lines",
    "acp_server.tools.memory_arguments",
    "acp_server.tools.memory_text",
    "acp_server.tools.file_arguments",
    "acp_server.updates",
    "acp_server.workspace.faults",
    "acp_server.workspace.guarded",
    "acp_server.workspace.ignoring",
    "memory_core.address",
    "memory_core.analyzer",
    "memory_core.common_words",
    "memory_core.entry",
    "memory_core.exceptions",
    "memory_core.extractive",
    "memory_core.folding",
    "memory_core.marks",
    "memory_core.names",
    "memory_core.reminder",
    "memory_core.results",
    "memory_core.results_json",
    "memory_core.scripts",
    "memory_core.segments",
    "memory_core.sentences",
    "memory_core.sentences.verify",
    "memory_core.stemmer",
    "memory_core.stop_words",
    "memory_core.tree",
    "memory_core.view",
    "memory_core.words",
)
"""Modules of plain functions over plain values."""

ARGPARSE_USER = "acp_server.cli"
MAX_FILE_LINES = 450
MAX_FUNCTION_LINES = 60

Function = ast.FunctionDef | ast.AsyncFunctionDef


def functions() -> Iterator[tuple[str, Function]]:
    for module in files():
        for node in ast.walk(tree(module)):
            if isinstance(node, Function):
                yield f"{module}.{node.name}", node


def length(node: Function) -> int:
    return (node.end_lineno or node.lineno) - node.lineno + 1


def top(name: str) -> set[str]:
    """A module and the packages it lies in."""
    return {name.rsplit(".", cut)[0] for cut in range(name.count(".") + 1)}


def test_the_memory_knows_nothing_of_the_agent() -> None:
    guilty = {
        (module, name)
        for module in files()
        if module.startswith("memory_core")
        for name in imports(module)
        if name.split(".")[0] in ("acp_server", "acp")
    }
    assert guilty == set()


@pytest.mark.parametrize("module", PURE)
def test_a_pure_file_reaches_no_disk_clock_process_or_network(module: str) -> None:
    reached = {name for each in [module, *closure(module)] if each in files() for name in imports(each)}
    own = {name for name in reached if name.split(".")[0] in PACKAGES}
    assert {name for name in reached - own if top(name) & IO} == set()


def test_a_pure_file_is_found_out_where_it_does_reach_one() -> None:
    assert {name for name in imports("memory_core.notes") if top(name) & IO}


def test_the_fast_path_imports_nothing_heavy() -> None:
    found = closure("acp_server.__main__")
    assert {name: asker for name, asker in found.items() if name in HEAVY} == {}


def test_arguments_are_parsed_in_one_place() -> None:
    users = [module for module in files() if "argparse" in imports(module)]
    assert users == [ARGPARSE_USER]


def test_no_file_outgrows_one_idea() -> None:
    lines = {module: path.read_text(encoding="utf-8").count("\n") for module, path in files().items()}
    assert {module: count for module, count in lines.items() if count > MAX_FILE_LINES} == {}
    assert median(lines.values()) <= 160


def test_functions_stay_short() -> None:
    sizes = {name: length(node) for name, node in functions()}
    assert {name: size for name, size in sizes.items() if size > MAX_FUNCTION_LINES} == {}
    assert median(sizes.values()) <= 10
    assert quantiles(sizes.values(), n=10)[-1] <= 30


def _public(module: str) -> Iterator[tuple[str, ast.Module | ast.ClassDef | Function]]:
    yield module, tree(module)
    scopes: list[ast.Module | ast.ClassDef] = [tree(module)]
    while scopes:
        for node in scopes.pop().body:
            if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                if node.name.startswith("_"):
                    continue
                yield f"{module}.{node.name}", node
                scopes += [node] if isinstance(node, ast.ClassDef) else []


def test_everything_public_says_what_it_is() -> None:
    overloads = {"overload", "register"}
    silent = [
        name
        for module in files()
        for name, node in _public(module)
        if not ast.get_docstring(node)
        and not any(ast.unparse(each).split(".")[-1] in overloads for each in getattr(node, "decorator_list", []))
    ]
    assert [name for name in silent if not name.endswith("__init__")] == []
