"""`lsqlc state repartition`: another number of partitions under the same rows, also after a kill."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.deploys.test_deploy import ride_again
from tests.shared import SharedServer

from .conftest import Cli, everything


@pytest.fixture
def ran(cli: Cli, bikes: Path, spark_server: SharedServer) -> Path:
    """The project on the session's server, with a first run of a batch for each file."""
    (bikes / "profiles.yml").write_text(f"targets: {{shared: {{type: connect, address: '{spark_server.address}'}}}}\n")
    assert cli("seed").code == 0
    ran = cli("run", "--files-per-batch", "1")
    assert ran.code == 0, ran.err
    return bikes


def test_a_run_continues_with_other_partitions(cli: Cli, ran: Path) -> None:
    """A command that is killed while Spark writes leaves the checkpoint as it was; the next one completes, and queries
    go on with the rows that they had.
    """
    checkpoints = ran / ".lsqlc" / "checkpoints"
    before = everything(checkpoints / "bikes_at_station")
    command = [sys.executable, "-m", "lsqlc", "state", "repartition", "bikes_at_station", "--partitions", "3"]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL, start_new_session=True)
    while not list(checkpoints.glob(".repartition-*/*/spark-*/offsets/4")):
        assert process.poll() is None, "it ended before it could be killed"
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    assert everything(checkpoints / "bikes_at_station") == before

    ride_again(ran)
    again = cli("run", "--verify")
    assert again.code == 0, again.err
    done = cli("state", "repartition", "bikes_at_station", "--partitions", "3")
    assert done.code == 0 and "3 partitions instead of 1" in done.err, done.err
    assert not list(checkpoints.glob(".repartition-*")) and not list(checkpoints.glob("bikes_at_station/spark-*"))
    [state] = cli("state", "show", "bikes_at_station", "--output", "json").data["queries"]
    assert [each["partitions"] for each in state["operators"]] == [3, 3]
    rows = cli("state", "show", "bikes_at_station", "--operator", "1", "--output", "json").lines
    assert len({row["partition"] for row in rows}) > 1

    ride_again(ran)
    more = cli("run", "--verify")
    assert more.code == 0, more.err
    assert "bikes_at_station: writes 'bikes_at_station', resumed from its checkpoint" in more.err
    same = cli("state", "repartition", "bikes_at_station", "--partitions", "3")
    assert same.code == 0 and "3 partitions\n" in same.err, same.err
    assert cli("run", "--full-refresh", "--verify").code == 0
    assert not list(checkpoints.glob("repartitioned-*/*/spark-*"))


def test_what_cannot_be_repartitioned(cli: Cli, ran: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A batch that is not done, another version of Spark, a number that the program sets; and a failure of Spark leaves
    no copy.
    """

    def refused(code: str, says: str, model: str = "bikes_at_station") -> None:
        found = cli("state", "repartition", model, "--partitions", "4")
        assert found.code == 1 and f"error[{code}]" in found.err and says in found.err, found.err

    refused("LSQ672", "keeps no state", "arrivals")
    spark = next((ran / ".lsqlc/checkpoints/bikes_at_station").glob("spark-*"))
    commit = spark / "commits" / "3"
    text = commit.read_bytes()
    commit.unlink()
    refused("LSQ677", "has not completed its last batch")
    commit.write_bytes(text)
    with monkeypatch.context() as patch:
        patch.setattr("lsqlc.remote.session.session.client_version", lambda: (4, 9))
        refused("LSQ677", "Spark 4.9 is installed here")
    with monkeypatch.context() as patch:
        said = "[STATE_REWRITER_INVALID_CHECKPOINT] It is in an invalid state. SQLSTATE: 55019"
        patch.setattr("lsqlc.remote.state.repartition._run_driver", lambda *_: said)
        refused("LSQ678", "Spark says: It is in an invalid state.")
        # What says that all is well, and has written no batch, is none either.
        patch.setattr("lsqlc.remote.state.repartition._run_driver", lambda *_: "")
        refused("LSQ678", "it has written no batch with 4 partitions")
    assert not list((ran / ".lsqlc/checkpoints").glob(".repartition-*/*/spark-*"))
    model = ran / "models" / "bikes_at_station.sql"
    model.write_text(f"SET num.stream.threads = 5;\n{model.read_text()}")
    refused("LSQ677", "sets 5 shuffle partitions")
