"""A server that is lost while a command has a session on it, at whatever call."""

from __future__ import annotations

from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from lsqlc.cli import spark
from lsqlc.cli.shell import Shell
from lsqlc.diagnostics import LsqlcError
from lsqlc.remote.session import session
from lsqlc.remote.session import shared_folders as seen

GONE = RuntimeError("status = StatusCode.UNAVAILABLE, Connection refused")
WRONG = RuntimeError("something else")


class Fake:
    """A session, which cannot be ended if `parting` says why."""

    def __init__(self, parting: Exception | None = None) -> None:
        self._parting = parting

    def stop(self) -> None:
        if self._parting is not None:
            raise self._parting


def opening(
    monkeypatch: pytest.MonkeyPatch, fake: Fake, looking: Exception | None = None
) -> AbstractContextManager[spark.Opened]:
    def look(*_: object) -> None:
        if looking is not None:
            raise looking

    monkeypatch.setattr(session, "connect", lambda _, **settings: fake)
    monkeypatch.setattr(seen, "check_visible", look)
    server = spark._Server("sc://localhost:1", {"topics": Path("t")})
    return contextmanager(spark._connected)(Shell("run"), Path(), server)


def test_lost_before_anything_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """LSQ663, which a supervised run tries again, and no internal error."""
    with pytest.raises(LsqlcError) as error, opening(monkeypatch, Fake(), GONE):
        raise AssertionError("it was not there")
    assert [d.code for d in error.value.diagnostics] == ["LSQ663"]


def test_lost_in_use(monkeypatch: pytest.MonkeyPatch) -> None:
    """LSQ663; what else goes wrong stays what it is."""
    with pytest.raises(LsqlcError) as error, opening(monkeypatch, Fake()):
        raise GONE
    assert [d.code for d in error.value.diagnostics] == ["LSQ663"]
    with pytest.raises(RuntimeError, match="something else"), opening(monkeypatch, Fake()):
        raise WRONG


def test_lost_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was done is done: a session that cannot be ended is no error if its server is gone."""
    with opening(monkeypatch, Fake(GONE)) as opened:
        assert opened.address.port == 1
    with pytest.raises(RuntimeError, match="something else"), opening(monkeypatch, Fake(WRONG)):
        pass
