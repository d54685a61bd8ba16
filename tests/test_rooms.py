"""The house keeps its order: which room may import which, and what only the doors may do.

Read from the sources, so that an import inside a function counts as well.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
# From the top of the house down: a room imports only rooms above it.
ROOMS = (
    "diagnostics",
    "types",
    "syntax",
    "functions",
    "scan",
    "plan",
    "lint",
    "project",
    "topics",
    "lower.duckdb",
    "lower.spark",
    "golden",
    "remote",
    "report",
    "editor",
    "cli",
)
# They know every room. `__main__` is `python -m lsqlc`, which opens cli.
DOORS = ("cli", "api", "__main__", "")
# A call that a room below cli makes although its kind is refused, with the reason.
EXCEPTIONS = {
    ("lsqlc.golden.plugin", "os.environ"): "pytest is its command line: CI decides there whether goldens are written",
    ("lsqlc.remote.server.watchdog", "print"): "a process of its own: what it prints is for the one that started it",
    ("lsqlc.remote.server.watchdog", "sys.argv"): "a process of its own: these are its arguments",
}
_REFUSED = ("print", "input", "os.environ", "os.getenv", "os.environb", "time.time", "time.time_ns", "datetime.now",
            "datetime.utcnow", "datetime.today", "date.today", "sys.stdout", "sys.stderr", "sys.argv")  # fmt: skip


@dataclass(frozen=True)
class Module:
    name: str
    path: Path
    tree: ast.Module

    @property
    def room(self) -> str:
        """The room, `api` for the public API, and nothing for the package itself."""
        inner = self.name.removeprefix("lsqlc").removeprefix(".")
        return next((r for r in ROOMS if inner == r or inner.startswith(r + ".")), inner)


@cache
def modules() -> dict[str, Module]:
    found = {}
    for path in sorted((ROOT / "lsqlc").rglob("*.py")):
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        found[name] = Module(name, path, ast.parse(path.read_text("utf-8")))
    return found


def imports(module: Module, *, at_import_time: bool = False) -> Iterator[str]:
    """The modules that a module imports; `at_import_time`: without those that functions import when they are called."""
    pending: list[ast.AST] = list(module.tree.body)
    while pending:
        node = pending.pop()
        if at_import_time and isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        if at_import_time and isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{module.name} has a relative import"
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield inner if inner in modules() else node.module or ""
        pending += ast.iter_child_nodes(node)


def test_a_room_imports_only_rooms_above_it() -> None:
    """In the order of ROOMS; the doors may import anything, and nothing imports them."""
    wrong = []
    for module in modules().values():
        if module.room in DOORS:
            continue
        place = ROOMS.index(module.room) if module.room in ROOMS else None
        for name in imports(module):
            other = modules().get(name)
            if other is None or other.room == module.room:
                continue
            if place is None or other.room not in ROOMS[:place]:
                wrong.append(f"{module.name} imports {name}")
    assert not wrong


def test_every_module_lives_in_a_room() -> None:
    """A module is in a room, or is a door; `lower` itself only says what the lowerings are."""
    homeless = [m.name for m in modules().values() if m.room not in (*ROOMS, *DOORS, "lower")]
    assert not homeless
    lower = modules()["lsqlc.lower"]
    assert not list(imports(lower))


def test_no_modules_need_each_other_to_be_imported() -> None:
    """No cycle, within a room either, among what is imported when a module is loaded."""
    needs = {m.name: {n for n in imports(m, at_import_time=True) if n in modules()} for m in modules().values()}
    done: set[str] = set()

    def visit(name: str, trail: tuple[str, ...]) -> None:
        assert name not in trail, " -> ".join((*trail[trail.index(name) :], name))
        if name in done:
            return
        for other in sorted(needs[name]):
            visit(other, (*trail, name))
        done.add(name)

    for name in needs:
        visit(name, ())


def test_the_engines_share_nothing_below_the_plan() -> None:
    """Neither lowering imports the other, nor a module that the other does and that lies below the plan."""
    for room, other in (("lower.duckdb", "lower.spark"), ("lower.spark", "lower.duckdb")):
        found = [n for m in modules().values() if m.room == room for n in imports(m)]
        assert not [n for n in found if n.startswith(f"lsqlc.{other}") or n == "lsqlc.lower"]


def test_only_remote_imports_pyspark() -> None:
    """So that everything else runs, and is tested, without Spark; only lower.duckdb and functions know DuckDB."""
    for module in modules().values():
        roots = {name.split(".")[0] for name in imports(module)}
        assert "pyspark" not in roots or module.room == "remote", module.name
        assert "duckdb" not in roots or module.room in ("lower.duckdb", "functions"), module.name


def _used(tree: ast.AST) -> Iterator[str]:
    """Names and dotted names that a module uses; `datetime.now` also for `datetime.datetime.now`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            yield node.func.id
        elif isinstance(node, ast.Attribute):
            dotted = ast.unparse(node)
            yield dotted
            yield ".".join(dotted.split(".")[-2:])
        elif isinstance(node, ast.ImportFrom) and node.module in ("os", "time", "sys"):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def test_below_cli_nothing_prints_reads_the_environment_or_looks_at_the_clock() -> None:
    """These come in as arguments; the public API is a shell as cli is one."""
    used = {(m.name, name) for m in modules().values() if m.room not in ("cli", "api") for name in _used(m.tree)}
    refused = {(module, name) for module, name in used if name in _REFUSED}
    assert refused <= EXCEPTIONS.keys(), sorted(refused - EXCEPTIONS.keys())


def test_every_exception_is_needed() -> None:
    """A reason for what nobody does any more is a stale one."""
    used = {(m.name, name) for m in modules().values() for name in _used(m.tree)}
    assert EXCEPTIONS.keys() <= used


@pytest.mark.parametrize("name", modules())
def test_every_module_says_what_it_is_for(name: str) -> None:
    """The docstring is the module's specification."""
    module = modules()[name]
    if name != "lsqlc" or module.path.read_text("utf-8").strip():
        assert ast.get_docstring(module.tree), name
