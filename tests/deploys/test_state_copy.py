"""`lsqlc state copy` over topics in folders and in Kafka: to an environment, to a folder, and back."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from lsqlc.diagnostics import Diagnostic, LsqlcError
from tests.cli.conftest import Cli, bikes, cli, everything
from tests.deploys.test_deploy import edit, project, ride_again, rows, verified
from tests.deploys.test_environments import preview, shown

__all__ = ["bikes", "cli", "preview", "project"]
pytest.importorskip("pyspark", reason="pyspark is not installed")
pytestmark = [pytest.mark.kafka, pytest.mark.spark]


def checkpoints_of(project: Path) -> Path:
    """Those of the live target: over Kafka they are at an address, which is a folder of this machine."""
    at_address = project.parent / "checkpoints"
    return at_address if at_address.exists() else project / ".lsqlc" / "checkpoints"


def killed(*_: object) -> None:
    raise LsqlcError([Diagnostic("LSQ001", "killed")])


def test_an_environment_begins_with_the_live_state(
    cli: Cli, preview: Path, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    """It has the rows of before at once, reads only what comes, and both go on from their own checkpoints. A copy that
    was killed is rebuilt.
    """
    live = everything(checkpoints_of(preview) / "bikes_at_station")
    before = rows(cli, "bikes_at_station")
    with monkeypatch.context() as patch:
        patch.setattr("lsqlc.tasks.state_copied.describe_elsewhere", killed)
        assert cli("state", "copy", "bikes_at_station", "--to", "preview").code == 1
    assert "state" not in cli("state", "show", "bikes_at_station", "--target", "preview").out
    done = cli("state", "copy", "bikes_at_station", "--from", "standing", "--to", "preview", "--output", "json")
    assert done.code == 0, done.err
    [query] = done.data["queries"]
    assert query["query"] == "bikes_at_station" and query["batch"] >= 0 and query["records"] >= len(before)
    assert shown(cli, "bikes_at_station", "preview") == before
    assert everything(checkpoints_of(preview) / "bikes_at_station") == live

    ride_again(preview)
    verified(cli)
    ran = cli("run", "--target", "preview", "--select", "bikes_at_station", "--verify", "--output", "json")
    assert ran.code == 0, ran.err
    started = [line for line in ran.lines if line.get("event") == "started"]
    assert [line["resumed"] for line in started] == [True]
    # Of what came again some is cancelled.
    assert 0 < ran.lines[-1]["queries"][0]["rows"] <= 7, ran.lines[-1]
    assert shown(cli, "bikes_at_station", "preview") == rows(cli, "bikes_at_station") != before
    again = cli("state", "copy", "bikes_at_station", "--to", "preview")
    assert again.code == 1 and "error[LSQ898]" in again.err and "it has run there already" in again.err
    # What reads it there would go on over another topic than it has read.
    (preview / "models" / "busy.sql").touch()
    moved = cli("state", "copy", "busy", "--to", "preview")
    assert moved.code == 1 and "error[LSQ898]" in moved.err and "'bikes_at_station'" in moved.err
    several = cli("state", "copy", "spread", "--to", "preview")
    assert several.code == 1 and "it has several queries" in several.err
    edit(preview, "rides_by_station", "GROUP BY station", "GROUP BY station, bike")
    other = cli("state", "copy", "rides_by_station", "--to", "preview")
    assert other.code == 1 and "error[LSQ895]" in other.err
    edit(preview, "rides_by_station", "GROUP BY station, bike", "GROUP BY station")
    # A refresh there removes the copied records as well.
    refreshed = cli("run", "--target", "preview", "--select", "bikes_at_station", "--full-refresh", "--verify")
    assert refreshed.code == 0, refreshed.err
    verified(cli)


def test_a_backup_and_back(cli: Cli, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A lost folder of checkpoints is replaced, the run continues without gap or double, and an older state than that
    of the topics is refused.
    """
    with monkeypatch.context() as patch:
        patch.setattr("lsqlc.tasks.state_backup.describe_elsewhere", killed)
        assert cli("state", "copy", "--to", "./saved/one").code == 1
    assert not list((project / "saved").glob("*"))
    done = cli("state", "copy", "--to", "./saved/one")
    assert done.code == 0 and "bikes_at_station: the state after batch" in done.err, done.err
    twice = cli("state", "copy", "--to", "./saved/one")
    assert twice.code == 1 and "error[LSQ894]" in twice.err
    checkpoints = checkpoints_of(project)
    shutil.rmtree(checkpoints)
    lost = cli("run")
    assert lost.code == 1 and "error[LSQ666]" in lost.err
    with monkeypatch.context() as patch:
        patch.setattr("lsqlc.tasks.state_copied.describe_elsewhere", killed)
        assert cli("state", "copy", "--from", "./saved/one").code == 1
    back = cli("state", "copy", "--from", "./saved/one")
    assert back.code == 0, back.err
    assert not list(checkpoints.glob(".copy-*"))
    ride_again(project)
    verified(cli)
    older = cli("state", "copy", "--from", "./saved/one")
    assert older.code == 1 and "error[LSQ896]" in older.err and "has completed batch" in older.err
    shutil.rmtree(checkpoints / "bikes_at_station")
    older = cli("state", "copy", "bikes_at_station", "--from", "./saved/one")
    assert older.code == 1 and "error[LSQ896]" in older.err and "the topic has the records of batch" in older.err
    edit(project, "rides_by_station", "GROUP BY station", "GROUP BY station, bike")
    other = cli("state", "copy", "rides_by_station", "--from", "./saved/one")
    assert other.code == 1 and "error[LSQ895]" in other.err
