"""Which embedded server a run starts: one with both of Java's compilers where there is much to read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.remote.server import embedded
from lsqlc.tasks import backlog

from .conftest import Cli


@pytest.mark.parametrize(
    ("long", "words", "optimize"), [(1, (), True), (10**6, (), False), (10**6, ("--continuous",), True)]
)
def test_the_compilers_of_a_run(
    cli: Cli, bikes: Path, monkeypatch: pytest.MonkeyPatch, long: int, words: tuple[str, ...], optimize: bool
) -> None:
    """A run that goes on and on has both, and one to the end of its input by how much there is."""
    asked: list[bool] = []

    def server(*_: Any, optimize: bool, **__: Any) -> None:
        asked.append(optimize)
        raise LsqlcError([Diagnostic("LSQ650", "no Java here")])

    monkeypatch.setattr(backlog, "LONG", long)
    monkeypatch.setattr(embedded, "EmbeddedServer", server)
    assert cli("seed").code == 0
    ran = cli("run", "--restarts", "0", *words)
    assert ran.code == 1 and "no Java here" in ran.err, ran.err
    assert asked == [optimize]
