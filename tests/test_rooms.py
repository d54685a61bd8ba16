"""The house keeps its order: which room may import which, and what only the doors may do.

Read from the sources, so that an import inside a function counts as well. `python -m tests.rooms` prints the structure.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache

from tests.rooms import DOORS, ROOMS, across_dialects, against_the_flow, circles, imports, modules

# A call that a room below cli makes although its kind is refused, with the reason.
EXCEPTIONS = {
    ("lsqlc.golden.plugin", "os.environ"): "pytest is its command line: CI decides there whether goldens are written",
    ("lsqlc.project.templates.worker", "sys.stdout"): "a process of its own: the answers for the one that started it",
    ("lsqlc.remote.server.keeper", "sys.argv"): "a process of its own, as the watchdog",
    ("lsqlc.remote.server.start_detached", "print"): "a process of its own, as the watchdog",
    ("lsqlc.remote.server.start_detached", "sys.argv"): "a process of its own, as the watchdog",
    ("lsqlc.remote.server.warm_python", "os.environ"): "a process of its own: a worker gets that of who asked for it",
    ("lsqlc.remote.server.warm_python", "sys.argv"): "a process of its own: these are its arguments",
    ("lsqlc.remote.server.warm_python", "sys.stderr"): "a process of its own: written out before it ends",
    ("lsqlc.remote.server.warm_python", "sys.stdout"): "a process of its own: written out before it ends",
    ("lsqlc.remote.server.watchdog", "print"): "a process of its own: what it prints is for the one that started it",
    ("lsqlc.remote.server.watchdog", "sys.argv"): "a process of its own: these are its arguments",
    ("lsqlc.remote.state.local_driver", "os.environ"): "a process of its own: pyspark finds its driver by it",
    ("lsqlc.remote.state.local_driver", "sys.stdout"): "a process of its own: the answer for the one that started it",
}
_REFUSED = ("print", "input", "os.environ", "os.getenv", "os.environb", "time.time", "time.time_ns", "datetime.now",
            "datetime.utcnow", "datetime.today", "date.today", "sys.stdout", "sys.stderr", "sys.argv")  # fmt: skip


def test_a_room_imports_only_rooms_above_it() -> None:
    """In the order of ROOMS; the doors may import anything, and nothing imports them."""
    assert not against_the_flow()


def test_a_dialect_imports_no_other() -> None:
    """A dialect's folder knows the root of its stage, and its own folders of earlier stages."""
    assert not across_dialects()


def test_every_module_lives_in_a_room() -> None:
    """A module is in a room, or is a door; `lower` itself only says what the lowerings are."""
    homeless = [m.name for m in modules().values() if m.room not in (*ROOMS, *DOORS, "lower")]
    assert not homeless
    lower = modules()["lsqlc.lower"]
    assert not list(imports(lower))


def test_no_modules_need_each_other() -> None:
    """No circle, within a room either, lazy imports and those for types included."""
    assert not circles()


def test_the_engines_share_nothing_below_the_plan() -> None:
    """Neither lowering imports the other, nor a module that the other does and that lies below the plan."""
    for room, other in (("lower.duckdb", "lower.spark"), ("lower.spark", "lower.duckdb")):
        names = [n for m in modules().values() if m.room == room for n in imports(m)]
        assert not [n for n in names if n.startswith(f"lsqlc.{other}") or n == "lsqlc.lower"]


def test_only_remote_imports_pyspark() -> None:
    """So that everything else runs, and is tested, without Spark. Only lower.duckdb and functions know DuckDB, and
    tables, which joins Arrow data by it.
    """
    for module in modules().values():
        roots = {name.split(".")[0] for name in imports(module)}
        assert "pyspark" not in roots or module.room == "remote", module.name
        assert "duckdb" not in roots or module.room in ("lower.duckdb", "functions", "tables"), module.name


@cache
def _used(tree: ast.AST) -> frozenset[str]:
    """Names and dotted names that a module uses; `datetime.now` also for `datetime.datetime.now`."""
    return frozenset(_names(tree))


def _names(tree: ast.AST) -> Iterator[str]:
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


def test_every_module_says_what_it_is_for() -> None:
    """The docstring is the module's specification."""
    texts = [m for m in modules().values() if m.name != "lsqlc" or m.path.read_text("utf-8").strip()]
    assert [m.name for m in texts if not ast.get_docstring(m.tree)] == []
