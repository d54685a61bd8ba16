"""`lsqlc deploy` of STREAMs: each record of the input is in the results of one of the two programs, and of one only."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from lsqlc.api import Project
from lsqlc.connectors.folders.log import FileLog
from lsqlc.connectors.folders.sums import sum_path
from lsqlc.remote.run.batch_log import read_batches
from lsqlc.types.record import Record
from tests.cli.conftest import Cli, bikes, cli
from tests.deploys.test_deploy import edit, log_of, project, ride_again

__all__ = ["bikes", "cli", "project"]
pytest.importorskip("pyspark", reason="pyspark is not installed")
pytestmark = [pytest.mark.kafka, pytest.mark.spark]

# One query, whose state is who has which bike.
COUNTED = """\
WITH had AS (SELECT TABLE name, age FROM owners);
INSERT INTO counted
SELECT STREAM r.station, r.minutes, had.name AS owner FROM rides AS r INNER JOIN had ON r._key = had._key;
"""
OWNERS = "topics: [{name: owners, key: STRING, value: 'name STRING, age INT', partitions: 3}]"
# Two queries, one of which passes on the rows of a TABLE.
MET = """\
WITH per AS (SELECT TABLE station AS at, COUNT(*) AS n FROM {{ ref('arrivals') }} GROUP BY station);
INSERT INTO met SELECT STREAM a.bike, per.n FROM {{ ref('arrivals') }} AS a INNER JOIN per ON a.station = per._key;
"""


@pytest.fixture
def counted(cli: Cli, project: Path) -> Path:
    (project / "models" / "counted.sql").write_text(COUNTED)
    (project / "models" / "met.sql").write_text(MET)
    (project / "models" / "owners.yml").write_text(OWNERS)
    (owners,) = (each for each in Project.load(project).plan("counted").inputs if each.name == "owners")
    bikes = [f"b{n}" for n in range(30)]
    log_of(project).append(owners, [Record("owners", bike, {"name": f"of {bike}", "age": 20}, 1) for bike in bikes])
    # In folders those that were there before have no owner.
    ride_again(project, 20)
    ran(cli)
    return project


def ran(cli: Cli) -> None:
    done = cli("run", "--quiet")
    assert done.code == 0, done.err


def values(cli: Cli, topic: str) -> Counter[Any]:
    shown = cli("show", topic, "--limit", "1000", "--output", "json")
    assert shown.code == 0, shown.err
    return Counter(repr(sorted(line["value"].items())) for line in shown.lines)


def deployed(cli: Cli, *verb: str) -> Any:
    done = cli("deploy", *verb, "--output", "json")
    assert done.code == 0, done.err
    return done


def wider(project: Path) -> None:
    edit(project, "counted", "AS owner", "AS owner, had.age AS age")


def of_wider(cli: Cli) -> int:
    """How many records the wider program has written."""
    return sum(count for text, count in values(cli, "counted").items() if "('age', 20)" in text)


def narrower(project: Path) -> None:
    edit(project, "counted", "AS owner, had.age AS age", "AS owner")


def test_each_record_is_in_the_results_of_one_program(cli: Cli, counted: Path) -> None:
    """The new program knows all that came before, and goes on behind the records of the one before; so does that one
    when it is rolled back.
    """
    rides = values(cli, "counted").total()
    assert rides >= 20
    wider(counted)
    assert "error[LSQ660]" in cli("run").err
    assert deployed(cli, "stage").lines[-1]["models"] == ["counted"]
    proved = cli("deploy", "prove", "--output", "json")
    (proof,) = (line for line in proved.lines if line.get("event") == "proof")
    assert (proof["semantics"], proof["live"], proof["staged"], proof["changed"]) == ("STREAM", rides, rides, rides)
    assert proof["columns"] == {"age": rides}

    # What no program has read yet belongs to the new one.
    ride_again(counted, 6)
    assert deployed(cli, "promote").lines[-1]["topics"] == [
        {"topic": "counted", "written": 0, "deleted": 0, "rows": None}
    ]
    assert values(cli, "counted").total() == rides
    ran(cli)
    assert values(cli, "counted").total() == rides + 6 and of_wider(cli) == 6
    assert {step["action"] for step in cli("plan", "--output", "json").data["models"]} == {"continue"}

    narrower(counted)
    ride_again(counted, 4)
    deployed(cli, "rollback")
    assert values(cli, "counted").total() == rides + 6
    ran(cli)
    assert values(cli, "counted").total() == rides + 10
    assert cli("deploy", "forget").code == 0
    assert not [name for name in log_of(counted).names() if ".kept-" in name or ".aside-" in name]


def test_several_queries_are_handed_over(cli: Cli, counted: Path) -> None:
    """With what one passes on to the other; where something has not been read in between, it is refused."""
    live = values(cli, "met").total()
    edit(counted, "met", "COUNT(*) AS n", "COUNT(*) + SUM(minutes) AS n")
    deployed(cli, "stage")
    ride_again(counted, 6)
    checkpoint = next(counted.parent.rglob("met/spark-*"))
    log = read_batches(checkpoint)
    kept = {name: checkpoint / name for name in (f"offsets/{log.last}", f"commits/{log.last}")}
    texts = {path: path.read_text() for path in kept.values()}
    for path in texts:
        path.unlink()
    refused = cli("deploy", "promote")
    assert refused.code == 1 and "error[LSQ793]" in refused.err, refused.err
    for path, text in texts.items():
        path.write_text(text)
    deployed(cli, "promote")
    assert values(cli, "met").total() == live
    before = values(cli, "arrivals").total()
    ran(cli)
    more = values(cli, "arrivals").total() - before
    assert values(cli, "met").total() == live + more > live


def test_a_batch_that_was_not_noted_as_done(cli: Cli, counted: Path) -> None:
    """Its records are there, and are not written again; where they are not there, the new program writes them."""
    wider(counted)
    deployed(cli, "stage")
    narrower(counted)
    ride_again(counted, 3)
    ran(cli)
    wider(counted)
    checkpoint = next(path for path in counted.parent.rglob("counted/spark-*") if "aside" not in str(path))
    log, before = read_batches(checkpoint), values(cli, "counted")
    (checkpoint / f"commits/{log.last}").unlink()
    lost = 0
    topics = log_of(counted)
    if isinstance(topics, FileLog):
        segment = max(topics.segments("counted"), key=lambda path: path.stat().st_mtime_ns)
        lost = len(segment.read_text().splitlines())
        sum_path(segment).unlink()
        segment.unlink()
        assert 0 < lost < before.total()
    deployed(cli, "promote")
    ran(cli)
    after = values(cli, "counted")
    assert sum(after.values()) == sum(before.values())
    assert of_wider(cli) == lost


def test_what_is_staged_reads_no_further_than_what_is_live(cli: Cli, counted: Path) -> None:
    """Also where the upstream model has written more."""
    live = values(cli, "counted").total()
    wider(counted)
    deployed(cli, "stage")
    ride_again(counted, 5)
    assert cli("run", "--quiet", "--select", "arrivals").code == 0
    proved = cli("deploy", "prove", "--output", "json")
    (proof,) = (line for line in proved.lines if line.get("event") == "proof")
    assert proof["live"] == proof["staged"] == live >= 20 and not proof["moving"]
    deployed(cli, "abort")
    narrower(counted)
    ran(cli)
    assert values(cli, "counted").total() == live + 5
