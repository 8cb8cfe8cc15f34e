"""The project's own source as trees, for the tests that read it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("acp_server", "memory_core")


@cache
def files() -> dict[str, Path]:
    """Each module of the two packages by its dotted name."""
    found = (path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py")))
    return {_module(path): path for path in found}


def _module(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def tree(module: str) -> ast.Module:
    """A module's syntax tree."""
    return ast.parse(files()[module].read_text(encoding="utf-8"))


def _is_typing_only(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)


def _statements(body: list[ast.stmt], *, everywhere: bool) -> Iterator[ast.stmt]:
    """Statements that run at import, or all; never those for the type checker alone."""
    for node in body:
        if _is_typing_only(node):
            continue
        yield node
        if not everywhere and isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        for field in ("body", "orelse", "finalbody"):
            yield from _statements(getattr(node, field, []), everywhere=everywhere)
        for handler in [*getattr(node, "handlers", []), *getattr(node, "cases", [])]:
            yield from _statements(handler.body, everywhere=everywhere)


def imports(module: str, *, everywhere: bool = True) -> set[str]:
    """The dotted names a module imports: everywhere in it, or at its own import only."""
    names: set[str] = set()
    for node in _statements(tree(module).body, everywhere=everywhere):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            inner = {f"{node.module}.{alias.name}" for alias in node.names} & set(files())
            names |= inner or {node.module}
    return names


def closure(module: str) -> dict[str, str]:
    """Everything that importing a module imports, by name, with the project's module that asks for it."""
    found: dict[str, str] = {}
    waiting = [module]
    while waiting:
        current = waiting.pop()
        for name in imports(current, everywhere=False):
            parents = [name.rsplit(".", cut)[0] for cut in range(name.count(".") + 1)]
            for each in parents:
                if each not in found:
                    found[each] = current
                    waiting += [each] if each in files() else []
    return found
