"""A run that is left to its server over Kafka: a client on another host, with a copy of the project, reaches it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from lsqlc.connectors.kafka.client import Cluster
from lsqlc.connectors.kafka.leases import run_lease
from lsqlc.connectors.kafka.notes import read_note, write_note
from lsqlc.types.kafka import KafkaSettings
from tests.cli.conftest import Cli, bikes, cli
from tests.kafka import client
from tests.shared import SharedBroker, SharedServer

__all__ = ["bikes", "cli"]
pytestmark = [pytest.mark.kafka, pytest.mark.spark]

PROFILE = """\
default: prod
targets:
  prod:
    type: connect
    address: {address}
    checkpoints: "file:{checkpoints}"
    kafka: {{bootstrap: "{bootstrap}", prefix: "{prefix}"}}
"""


@pytest.mark.parametrize("project", ["shop", "shop/eu"])
def test_notes(broker: SharedBroker, topic_prefix: str, project: str) -> None:
    """The newest one counts, and none is one that was removed. A lease of the project does not change it."""
    cluster = Cluster(KafkaSettings(broker.bootstrap, prefix=topic_prefix))
    assert read_note(cluster, project, "detached") is None
    write_note(cluster, project, "detached", "a", replication=1)
    write_note(cluster, project, "other", "x")
    write_note(cluster, f"{project}s", "detached", "y")
    with run_lease(cluster, project):
        write_note(cluster, project, "detached", "b")
        assert read_note(cluster, project, "detached") == "b"
    write_note(cluster, project, "detached", None)
    assert read_note(cluster, project, "detached") is None and read_note(cluster, project, "other") == "x"


def test_another_host(
    cli: Cli, bikes: Path, broker: SharedBroker, topic_prefix: str, kafka_spark_server: SharedServer, tmp_path: Path
) -> None:
    """It sees the run, is refused, takes it over, and the host that detached it first can stop it."""
    (bikes / "profiles.yml").write_text(
        PROFILE.format(
            address=kafka_spark_server.address,
            checkpoints=tmp_path / "ck",
            bootstrap=broker.bootstrap,
            prefix=topic_prefix,
        )
    )
    other = tmp_path / "other"
    shutil.copytree(bikes, other)
    assert cli("seed").code == 0
    planned = cli("plan", "--output", "json").data
    steps = {step["model"]: step for step in planned["models"]}
    assert steps["arrivals"]["action"] == "start" and steps["arrivals"]["replay"] >= 60
    assert f"{topic_prefix}arrivals" in planned["creates"]
    ran = cli("run", "--detach", "--output", "json")
    assert ran.code == 0, ran.err
    status = cli("status", "--project-dir", str(other), "--output", "json")
    assert status.code == 0 and len(status.data["run"]["queries"]) == 3
    assert all(query["lag"] is not None for query in status.data["run"]["queries"])
    planned = cli("plan", "--project-dir", str(other), "--output", "json").data
    assert {step["action"] for step in planned["models"]} == {"continue"} and not planned["creates"]
    assert planned["running"] == "detached" and planned["commands"] == ["lsqlc run --detach"]
    assert cli("status", "--checkpoints", "--project-dir", str(other)).code == 0
    refused = cli("run", "--project-dir", str(other))
    assert refused.code == 1 and "error[LSQ787]" in refused.err
    taken = cli("run", "--detach", "--project-dir", str(other))
    assert taken.code == 0 and "took over the detached run: stopped 3 queries" in taken.err + taken.out
    written = f"{topic_prefix}rides_by_station"
    assert client.read(broker.bootstrap, written)
    assert cli("stop", "--output", "json").data["detached"] == {"stopped": 3}
    assert cli("status", "--project-dir", str(other)).code == 1
    assert cli("run", "--verify", "--quiet", "--project-dir", str(other)).code == 0
