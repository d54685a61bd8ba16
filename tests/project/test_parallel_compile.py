"""A project that two processes compile: the same results as of one, whatever depends on what and whatever fails."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from lsqlc.project.build import compile as building
from lsqlc.project.build import parallel_compile
from lsqlc.project.build.compile import Compilation, compile_project
from lsqlc.project.build.manifest import manifest_bytes
from lsqlc.project.discovery import load_project
from lsqlc.project.model import Project
from tools.bench.models import write_project

from .conftest import Write

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="a fork is safe on Linux only")

TOPIC = {"models/topics.yml": "topics:\n  - {name: t, key: INT, value: 'id INT, name STRING'}\n"}


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Two processes from the second model on, and no fork that is left."""
    monkeypatch.setattr(building, "SMALLEST", 2)
    before = _children()
    yield
    assert _children() <= before


def _children() -> set[str]:
    """The processes that this one has started and that nobody has waited for."""
    return set(Path(f"/proc/self/task/{os.getpid()}/children").read_text().split())


def loaded(root: Path) -> Project:
    found = load_project(root).project
    assert found is not None
    return found


def both(root: Path) -> tuple[Compilation, Compilation]:
    """The project compiled by one process and by two."""
    project = loaded(root)
    return tuple(compile_project(project, plans=False, processes=n) for n in (1, 2))  # type: ignore[return-value]


def built_here(compilation: Compilation) -> set[str]:
    """The models of which this process has the plan."""
    return {name for name, build in compilation.models.items() if build.plan is not None}


def same(one: Compilation, two: Compilation) -> bool:
    """Whether two processes have found what one has, plans aside."""
    kept = [
        [replace(build, plan=None) for build in each.models.values()] for each in (one, two)
    ]  # fmt: skip
    assert manifest_bytes(one.manifest("1")) == manifest_bytes(two.manifest("1"))
    return (
        kept[0] == kept[1]
        and one.entries == two.entries
        and one.diagnostics == two.diagnostics
        and one.ignored == two.ignored
        and list(one.models) == list(two.models)
    )


def test_each_process_has_a_half(tmp_path: Path) -> None:
    """Families of models that read each other stay together."""
    write_project(tmp_path, 40)
    one, two = both(tmp_path)
    assert same(one, two)
    assert len(built_here(one)) == 40
    assert len(built_here(two)) == 20


def test_what_both_need_is_built_by_both(project: Write) -> None:
    """A model that many read is no reason to do without the second process."""
    readers = {f"models/r{n}.sql": f"SELECT STREAM id, name AS n{n} FROM {{{{ ref('base') }}}}" for n in range(8)}
    one, two = both(project({**TOPIC, "models/base.sql": "SELECT STREAM id, name FROM t", **readers}))
    assert same(one, two)
    assert "base" in built_here(two)
    assert 4 <= len(built_here(two)) < 9


def test_a_chain_is_built_by_one(project: Write) -> None:
    """Where each model reads the one before there is nothing to share but the parsing."""
    chain = {f"models/m{n}.sql": f"SELECT STREAM id FROM {f'm{n - 1}' if n else 't'}" for n in range(8)}
    one, two = both(project({**TOPIC, **chain}))
    assert same(one, two)
    assert len(built_here(two)) == 8


def test_warnings_are_told_once(project: Write) -> None:
    """Those of either half, in order of place."""
    models = {f"models/w{n}.sql": "SET client.id = 'x';\n\nSELECT STREAM id FROM t" for n in range(6)}
    one, two = both(project({**TOPIC, **models}))
    assert one.diagnostics and same(one, two)
    assert len(built_here(two)) == 3


@pytest.mark.parametrize(
    "wrong",
    [
        "SELECT STREAM ((id FROM t",
        "SELECT STREAM nme FROM t",
        "SELECT STREAM id FROM m",
        "INSERT INTO m1 SELECT STREAM id FROM t",
        "SELECT STREAM id FROM z",
    ],
)
@pytest.mark.parametrize("at", ["a", "z"])
def test_an_error_is_told_as_by_one(project: Write, wrong: str, at: str) -> None:
    """Wherever it is: what a message suggests may be known to the other half only."""
    models = {f"models/m{n}.sql": "SELECT STREAM id, name FROM t" for n in range(6)}
    one, two = both(project({**TOPIC, **models, f"models/{at}.sql": wrong}))
    assert not one.ok
    assert same(one, two)


def test_what_the_cache_knows_is_not_built(project: Write) -> None:
    """An edit of some models in a project of two processes: the others are cached, on either side."""
    models = {f"models/m{n}.sql": "SELECT STREAM id, name FROM t" for n in range(6)}
    root = project({**TOPIC, **models})
    kept = compile_project(loaded(root), plans=False).entries
    project({"models/m0.sql": "SELECT STREAM id FROM t", "models/m5.sql": "SELECT STREAM name FROM t"})
    one, two = (compile_project(loaded(root), plans=False, cache=kept, processes=n) for n in (1, 2))
    assert same(one, two)
    assert [b.status for b in two.models.values()] == ["compiled", *["cached"] * 4, "compiled"]


def test_a_lost_fork_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whenever it ends: this process does all of it."""
    write_project(tmp_path, 40)
    parent = os.getpid()
    for function in ("learn", "_build_data"):
        real = getattr(building, function)

        def die(*given: object, real: object = real) -> object:
            if os.getpid() != parent:
                os._exit(3)
            return real(*given)  # type: ignore[operator]

        with monkeypatch.context() as patched:
            patched.setattr(building, function, die)
            one, two = both(tmp_path)
        assert same(one, two)
        assert len(built_here(two)) == 40


def test_no_fork_beside_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fork has none of the threads of its parent, but the locks that they held."""
    monkeypatch.setattr(os, "listdir", lambda path: ["1", "2"])
    assert parallel_compile.processors() == 1
    monkeypatch.setattr(os, "listdir", lambda path: ["1"])
    assert parallel_compile.processors() == len(os.sched_getaffinity(0))
