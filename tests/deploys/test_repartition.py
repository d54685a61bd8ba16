"""`lsqlc state repartition` of checkpoints at an address that is a folder of this machine too."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Cli, bikes, cli
from tests.deploys.test_deploy import edit, project, ride_again, rows, verified

__all__ = ["bikes", "cli", "project"]
pytest.importorskip("pyspark", reason="pyspark is not installed")
pytestmark = [pytest.mark.kafka, pytest.mark.spark]


@pytest.mark.parametrize("project", ["kafka"], indirect=True)
def test_a_state_at_an_address_gets_other_partitions(cli: Cli, project: Path) -> None:
    """The run continues with them, and so does a model that is deployed afterwards."""
    before = rows(cli, "bikes_at_station")
    done = cli("state", "repartition", "bikes_at_station", "--partitions", "3")
    assert done.code == 0 and "3 partitions instead of" in done.err, done.err
    ride_again(project)
    verified(cli)
    assert rows(cli, "bikes_at_station") != before
    [state] = cli("state", "show", "bikes_at_station", "--output", "json").data["queries"]
    assert {each["partitions"] for each in state["operators"]} == {3}

    edit(project, "bikes_at_station", "COUNT(*) AS bikes", "COUNT(*) AS bikes, SUM(minutes) AS minutes")
    assert cli("deploy", "run", "--accept").code == 0
    ride_again(project, 3)
    verified(cli)
