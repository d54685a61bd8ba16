"""Which embedded server a run starts, and with how many partitions its states begin, by how much there is to read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.remote.server import background_server, embedded
from lsqlc.remote.server.embedded import ServerOptions
from lsqlc.remote.session import session
from lsqlc.tasks import backlog

from .conftest import Cli

_PARTITIONS = "spark.sql.shuffle.partitions"
_MUCH = 10**6


@pytest.fixture
def servers(bikes: object, monkeypatch: pytest.MonkeyPatch) -> list[tuple[bool | None, str | None]]:
    """Whether each server that was to start has both compilers, None for one that is kept, and the shuffle partitions
    that its session was to get.
    """
    asked: list[tuple[bool | None, str | None]] = []
    started: list[bool] = []

    def server(work: Any, environment: Any, options: ServerOptions) -> AbstractContextManager[SimpleNamespace]:
        started.append(options.optimize)
        return nullcontext(SimpleNamespace(address="sc://localhost:1"))

    def connect(_: str, *, settings: Mapping[str, str], **__: Any) -> None:
        asked.append((started.pop() if started else None, settings.get(_PARTITIONS)))
        raise LsqlcError([Diagnostic("LSQ655", "nothing listens there")])

    monkeypatch.setattr(embedded, "EmbeddedServer", server)
    monkeypatch.setattr(session, "connect", connect)
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
    servers: list[tuple[bool | None, str | None]],
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
    assert ran.code == 1 and "nothing listens there" in ran.err, ran.err
    assert servers == [wanted]


@pytest.mark.parametrize(("wide", "wanted"), [(1, "2"), (_MUCH, None)])
def test_a_server_that_is_kept(
    cli: Cli,
    servers: list[tuple[bool | None, str | None]],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    wide: int,
    wanted: str | None,
) -> None:
    """The session says how many partitions a new state gets, as the server is there already."""

    @contextmanager
    def use_server(*_: object, **__: object) -> Iterator[background_server.BackgroundServer]:
        yield background_server.BackgroundServer(1, 1, "secret", 2048, False, 60.0, 0.0, tmp_path)

    monkeypatch.setattr(backlog, "WIDE", wide)
    monkeypatch.setattr(background_server, "use_server", use_server)
    assert cli("seed").code == 0
    assert cli("run", "--restarts", "0").code == 1
    assert servers == [(None, wanted)]
