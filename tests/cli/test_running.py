"""A run as a command shows it, while its brokers are away."""

from __future__ import annotations

from pathlib import Path

import pytest

from lsqlc.cli.running import Stop, console
from lsqlc.cli.shell import Shell
from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.project.declared.target import Target
from lsqlc.tasks.run_target import open_target

AWAY = (Diagnostic("LSQ732", "no broker answers at h:9092"),)


def test_it_waits_until_the_lease_is_held_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Or until a signal, or until the lease is lost; it says once that it waits, and that it continues."""
    left = [25.0, 25.1, 25.2, 0.0]
    stop = Stop(lambda: None, silence=lambda: left.pop(0))
    shown = console(Shell("run"), open_target(tmp_path, Target("embedded")), stop)
    assert shown.back is not None and not shown.back(AWAY, 0.0) and not left
    said = capsys.readouterr().err
    assert said.count("no broker answers at h:9092 since ") == said.count("the brokers answer again after ") == 1
    left = [25.0]
    stop.signal = 15
    assert shown.back(AWAY, 60.0)
    said = capsys.readouterr().err
    assert "; waiting" in said and "answer again" not in said

    def lost() -> float:
        raise LsqlcError([Diagnostic("LSQ783", "lost")])

    stop.silence = lost
    with pytest.raises(LsqlcError, match="LSQ783"):
        shown.back(AWAY, 0.0)


def test_a_pause_ends_with_a_signal_or_with_the_lease() -> None:
    """Or after its time."""
    stop = Stop(lambda: None)
    assert not stop.pause(0.0)
    stop.signal = 15
    assert stop.pause(3600.0)

    def lost() -> None:
        raise LsqlcError([Diagnostic("LSQ783", "lost")])

    with pytest.raises(LsqlcError, match="LSQ783"):
        Stop(lost).pause(3600.0)
