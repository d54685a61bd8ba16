"""A run that waits for another one."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import pytest

from lsqlc.cli.shell import Shell
from lsqlc.cli.standby import alone
from lsqlc.diagnostics import LsqlcError
from lsqlc.project.declared.target import Target
from lsqlc.remote.run.locks import holder, run_lock
from lsqlc.tasks.places import place_of


def test_it_takes_over_when_the_other_one_ends(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Until then it has nothing; without --standby it does not wait."""
    place, sh = place_of(tmp_path, Target("embedded")), Shell("run")
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
    place, sh = place_of(tmp_path, Target("embedded")), Shell("run")
    (tmp_path / ".lsqlc").write_text("no folder")
    with pytest.raises(LsqlcError) as refused, alone(sh, place, "p", standby=True):
        pass
    assert refused.value.diagnostics[0].code == "LSQ034"
    (tmp_path / ".lsqlc").unlink()
    with pytest.raises(RuntimeError), alone(sh, place, "p", standby=True):
        raise RuntimeError
    assert holder(place.state) is None
