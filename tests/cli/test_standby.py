"""A run that waits for another one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from lsqlc.cli.shell import Shell
from lsqlc.cli.standby import alone
from lsqlc.connectors.lease import Unleased
from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.project.declared.target import Target
from lsqlc.remote.run.locks import holder, run_lock
from lsqlc.tasks.run_target import open_target


def test_it_takes_over_when_the_other_one_ends(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Until then it has nothing; without --standby it does not wait."""
    place, sh = open_target(tmp_path, Target("embedded")), Shell("run")
    other = ExitStack()
    slept: list[float] = []

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        if len(slept) == 2:
            other.close()

    other.enter_context(run_lock(place.state))
    with pytest.raises(LsqlcError) as refused, alone(sh, place, "p", standby=False, sleep=sleep):
        pass
    assert refused.value.diagnostics[0].code == "LSQ664" and not slept
    with alone(sh, place, "p", standby=True, sleep=sleep) as held:
        held()
        assert holder(place.state) is not None
    assert len(slept) == 2 and min(slept) >= 1 and holder(place.state) is None
    said = capsys.readouterr().err
    assert said.count("standing by: this project is already being run") == 1
    assert "this one takes over" in said


def test_an_error_ends_it(tmp_path: Path) -> None:
    """Another one than that somebody runs, and one of the run itself, are no reasons to wait."""
    place, sh = open_target(tmp_path, Target("embedded")), Shell("run")
    (tmp_path / ".lsqlc").write_text("no folder")
    with pytest.raises(LsqlcError) as refused, alone(sh, place, "p", standby=True):
        pass
    assert refused.value.diagnostics[0].code == "LSQ034"
    (tmp_path / ".lsqlc").unlink()
    with pytest.raises(RuntimeError), alone(sh, place, "p", standby=True):
        raise RuntimeError
    assert holder(place.state) is None


@dataclass
class Leased:
    """A place whose lease another run holds; what each look and each claim fails with, None: it succeeds."""

    state: Path
    script: list[str | None]
    asked: list[str] = field(default_factory=list)

    def _next(self, what: str) -> None:
        self.asked.append(what)
        code = self.script.pop(0)
        if code:
            words = {"LSQ732": "no broker answers at h:9092", "LSQ782": "this project is already being run"}
            raise LsqlcError([Diagnostic(code, words[code])])

    @contextmanager
    def lease(self, project: str, *, waits: bool) -> Iterator[Unleased]:
        self._next("claim")
        yield Unleased()

    def lease_is_free(self, project: str) -> Callable[[], bool]:
        def look() -> bool:
            self._next("look")
            return len(self.script) < 2

        return look


def test_it_waits_for_brokers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As long as they are away, and says so once for each outage. It claims again only when the lease may be free."""
    script = ["LSQ782", None, "LSQ732", "LSQ732", None, "LSQ732", None, "LSQ732", None, None]
    place: Any = Leased(tmp_path, list(script))
    with alone(Shell("run"), place, "p", standby=True, waits=True, sleep=lambda seconds: None):
        said = capsys.readouterr().err
    assert place.asked == ["claim", *["look"] * 8, "claim"]
    assert said.count("standing by: this project") == 1 and "this one takes over" in said
    assert said.count("no broker answers at h:9092 since ") == said.count("the brokers answer again after ") == 3


def test_brokers_that_have_never_answered_are_a_wrong_address(tmp_path: Path) -> None:
    """Nobody waits for them, nor without --standby."""
    for standby in (True, False):
        place: Any = Leased(tmp_path, ["LSQ732"])
        with pytest.raises(LsqlcError, match="LSQ732"), alone(Shell("run"), place, "p", standby=standby):
            pass
