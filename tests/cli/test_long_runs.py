"""Which embedded server a run starts, by how much there is to read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.remote.server import embedded
from lsqlc.tasks import backlog

from .conftest import Cli

_PARTITIONS = "spark.sql.shuffle.partitions"
_MUCH = 10**6


@pytest.fixture
def servers(bikes: object, monkeypatch: pytest.MonkeyPatch) -> list[tuple[bool, str | None]]:
    """Whether each server that was to start has both compilers, and the shuffle partitions that it was given."""
    asked: list[tuple[bool, str | None]] = []

    def server(*_: Any, optimize: bool, settings: Mapping[str, str], **__: Any) -> None:
        asked.append((optimize, settings.get(_PARTITIONS)))
        raise LsqlcError([Diagnostic("LSQ650", "no Java here")])

    monkeypatch.setattr(embedded, "EmbeddedServer", server)
    return asked


@pytest.mark.parametrize(
    ("long", "wide", "words", "wanted"),
    [
        (1, _MUCH, (), (True, None)),
        (_MUCH, 1, (), (False, "2")),
        (_MUCH, _MUCH, (), (False, None)),
        (_MUCH, _MUCH, ("--continuous",), (True, None)),
        (_MUCH, 1, ("--continuous",), (True, "2")),
    ],
)
def test_the_server_of_a_run(
    cli: Cli,
    servers: list[tuple[bool, str | None]],
    monkeypatch: pytest.MonkeyPatch,
    long: int,
    wide: int,
    words: tuple[str, ...],
    wanted: tuple[bool, str | None],
) -> None:
    """A run that goes on and on has both compilers in any case."""
    monkeypatch.setattr(backlog, "LONG", long)
    monkeypatch.setattr(backlog, "WIDE", wide)
    assert cli("seed").code == 0
    ran = cli("run", "--restarts", "0", *words)
    assert ran.code == 1 and "no Java here" in ran.err, ran.err
    assert servers == [wanted]
