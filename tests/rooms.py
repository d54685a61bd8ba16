"""The structure of lsqlc, read from its sources: rooms, who imports whom, and circles.

`python -m tests.rooms` prints it. Imports inside functions and under TYPE_CHECKING count as well: a circle is a circle
whenever its modules are loaded.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
# From the top of the house down: a room imports only rooms above it.
ROOMS = (
    "diagnostics",
    "types",
    "sql",
    "yaml",
    "syntax",
    "functions",
    "formats",
    "scan",
    "plan",
    "bind",
    "lint",
    "dialects",
    "connectors",
    "tables",
    "project",
    "registry",
    "lower.duckdb",
    "lower.spark",
    "golden",
    "search",
    "remote",
    "imports",
    "report",
    "tasks",
    "serve",
    "editor",
    "cli",
)
# They know every room. `__main__` is `python -m lsqlc`, which opens cli.
DOORS = ("cli", "api", "__main__", "")
# The stages that differ by dialect: shared modules at the root of the room, and one folder per dialect.
STAGES = ("syntax", "functions", "bind")
DIALECTS = ("lenses", "ksql", "sql")


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

    @property
    def dialect(self) -> str | None:
        """The dialect whose folder of a stage the module lies in."""
        parts = self.name.split(".")
        return parts[2] if len(parts) > 2 and parts[1] in STAGES and parts[2] in DIALECTS else None


@cache
def modules() -> Mapping[str, Module]:
    """All modules of lsqlc by name."""
    named = {}
    for path in sorted((ROOT / "lsqlc").rglob("*.py")):
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        named[name] = Module(name, path, ast.parse(path.read_text("utf-8")))
    return named


@cache
def imports(module: Module) -> tuple[str, ...]:
    """The modules that a module imports, wherever the import stands."""
    return tuple(_imports(module))


def _imports(module: Module) -> Iterator[str]:
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{module.name} has a relative import"
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield inner if inner in modules() else node.module or ""


def against_the_flow() -> list[str]:
    """Imports of a room that is not above the importing one. The doors may import anything; nothing imports them."""
    wrong = []
    for module, other in _arrows():
        if module.room in DOORS or other.room == module.room:
            continue
        place = ROOMS.index(module.room) if module.room in ROOMS else 0
        if other.room not in ROOMS[:place]:
            wrong.append(f"{module.name} imports {other.name}")
    return wrong


def across_dialects() -> list[str]:
    """Imports of a dialect's folder by another dialect, or by a module that the dialects of a stage share.

    The functions of a dialect may be those of another under other names, so `functions` may look across.
    """
    wrong = []
    for module, other in _arrows():
        if other.dialect is None or module.room not in STAGES or module.dialect == other.dialect:
            continue
        across_functions = module.room == other.room == "functions" and module.dialect is not None
        if not across_functions:
            wrong.append(f"{module.name} imports {other.name}")
    return wrong


def circles() -> list[tuple[str, ...]]:
    """Groups of modules that need each other, each sorted."""
    needs: dict[str, set[str]] = {name: set() for name in modules()}
    for module, other in _arrows():
        needs[module.name].add(other.name)
    below = {name: _reached(name, needs) for name in needs}
    groups = {tuple(sorted(n for n in below[name] if name in below[n])) for name in needs if name in below[name]}
    return sorted(groups)


def _arrows() -> Iterator[tuple[Module, Module]]:
    for module in modules().values():
        for name in imports(module):
            other = modules().get(name)
            if other is not None and other is not module:
                yield module, other


def _reached(start: str, needs: Mapping[str, set[str]]) -> set[str]:
    """All that a module needs, directly or not; itself too if it lies on a circle."""
    reached: set[str] = set()
    pending = [*needs[start]]
    while pending:
        name = pending.pop()
        if name not in reached:
            reached.add(name)
            pending += needs[name]
    return reached


def main() -> None:
    lines = dict.fromkeys(ROOMS, 0)
    count = dict(lines)
    for module in modules().values():
        if module.room in lines:
            lines[module.room] += len(module.path.read_text("utf-8").splitlines())
            count[module.room] += 1
    for room in ROOMS:
        above = {o.room for m, o in _arrows() if m.room == room and o.room != room}
        floor = ", ".join(r for r in ROOMS if r in above) or "nothing"
        print(f"{room:14}{count[room]:4} modules {lines[room]:6} lines   imports {floor}")
    for title, wrong in (("against the flow", against_the_flow()), ("across dialects", across_dialects())):
        print(f"{len(wrong)} imports {title}", *wrong, sep="\n  ")
    print(f"{len(circles())} circles", *(", ".join(c) for c in circles()), sep="\n  ")


if __name__ == "__main__":
    main()
