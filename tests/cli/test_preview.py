"""`lsqlc preview`: the rows of a model over a sample of live topics."""

from __future__ import annotations

from pathlib import Path

import pytest

from lsqlc import connectors
from lsqlc.connectors.folders.log import FileLog
from lsqlc.project.workspace import open_workspace
from lsqlc.types.record import Record
from tests.cli.conftest import Cli
from tests.connectors.memory.log import STORES

MEMORY = "targets:\n  dev: {type: embedded, memory: {store: preview, partitions: 3}}\n"


@pytest.fixture
def project(request: pytest.FixtureRequest, cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project of the dialect that is the parameter, with its sample records in topics."""
    monkeypatch.chdir(tmp_path)
    dialect = getattr(request, "param", "sql")
    assert cli("init", "bikes", "--dialect", dialect, "--quiet").code == 0
    monkeypatch.chdir(tmp_path / "bikes")
    assert cli("seed", "--quiet").code == 0
    return tmp_path / "bikes"


def rows(cli: Cli, *words: str) -> list[tuple[object, ...]]:
    ran = cli("preview", *words, "--output", "json", "-n", "0")
    assert ran.code == 0, ran.err
    return [tuple(line.values()) for line in ran.lines]


def test_models_above_are_computed(cli: Cli, project: Path) -> None:
    """Their topics have no records yet. Nothing is written."""
    before = {path: path.stat().st_mtime_ns for path in project.rglob("*")}
    ran = cli("preview", "bikes_at_station")
    assert ran.out.splitlines()[2].split() == ["harbour", "harbour", "3"]
    assert ran.err == "records and rows read: 60 of 'rides'\ncomputed for it: arrivals\n"
    assert {path: path.stat().st_mtime_ns for path in project.rglob("*")} == before
    assert len(rows(cli, "arrivals")) == 55


def test_the_nearest_topics_with_records(cli: Cli, project: Path) -> None:
    """A topic of a deployed model is read, unless --upstream asks for the model of the project."""
    topic = open_workspace(project).compilation.topics["arrivals"]
    ride = {"bike": "b1", "station": "moon", "minutes": 1}
    FileLog(project / ".lsqlc" / "topics").append(topic, [Record("arrivals", "b1", ride)])
    assert rows(cli, "rides_by_station") == [("moon", "moon", 1, 1.0)]
    assert len(rows(cli, "rides_by_station", "--upstream")) == 6


def test_the_sample_of_a_stream(cli: Cli, project: Path) -> None:
    """The last records, or those of a time and later. A table has all its rows."""
    (project / "models" / "places.sql").write_text("SELECT station, max(minutes) AS m FROM rides GROUP BY station")
    (project / "models" / "few.sql").write_text("SELECT bike, minutes FROM STREAM(rides)")
    last = [
        tuple(r.values())
        for r in cli("query", "SELECT bike, minutes FROM STREAM(rides)", "-n", "0", "--output", "json").lines
    ]
    assert [row[1:] for row in rows(cli, "few", "--sample", "4")] == last[-4:]
    assert len(rows(cli, "few", "--sample", "0")) == 60
    assert rows(cli, "few", "--since", "1d") == []
    assert len(rows(cli, "few", "--since", "100000d")) == 60
    assert len(rows(cli, "places", "--sample", "1")) == len(rows(cli, "places"))
    assert "'soon' is no duration" in cli("preview", "few", "--since", "soon").err


def test_the_ends_of_partitions(cli: Cli, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of several partitions the last records by their times."""
    monkeypatch.setattr(connectors, "MODULES", (*connectors.MODULES, "tests.connectors.memory.connector"))
    STORES.clear()
    (project / "profiles.yml").write_text(MEMORY)
    (project / "models" / "few.sql").write_text("SELECT bike, minutes FROM STREAM(rides)")
    assert cli("seed", "--quiet").code == 0
    whole = rows(cli, "few", "--sample", "0")
    assert len(whole) == 60 and rows(cli, "few", "--sample", "7") == whole[-7:]
    STORES.clear()


def test_records_that_cannot_be_read(cli: Cli, project: Path) -> None:
    """As in the model: an error, or passed over where the model does so."""
    segment = next((project / ".lsqlc" / "topics" / "rides" / "data").iterdir())
    for sums in (project / ".lsqlc" / "topics" / "rides" / "sums").iterdir():
        sums.unlink()
    lines = segment.read_text().splitlines()
    segment.write_text("\n".join([*lines[:-1], lines[-1].replace('"minutes":', '"minutes":"x",', 1)]) + "\n")
    assert cli("preview", "arrivals").code == 1
    model = project / "models" / "arrivals.sql"
    model.write_text("{{ config(error_policy='dlq', dead_letters='bad') }}\n" + model.read_text())
    ran = cli("preview", "arrivals", "--output", "csv")
    assert ran.code == 0 and "'rides': 1 record cannot be read" in ran.err, ran.err


def test_errors(cli: Cli, project: Path) -> None:
    """A model with errors, in it or above; names that are no models."""
    (project / "models" / "broken.sql").write_text("SELECT nothing FROM rides")
    (project / "models" / "below.sql").write_text("SELECT * FROM {{ ref('broken') }}")
    assert "unknown column 'nothing'" in cli("preview", "broken").err
    assert "unknown column 'nothing'" in cli("preview", "below").err
    assert cli("preview", "arrivals").code == 0
    ran = cli("preview", "rides")
    assert ran.code == 2 and "error[LSQ623]: no model writes the topic 'rides'" in ran.err
    assert "error[LSQ063]" in cli("preview", "nope").err


@pytest.mark.parametrize("project", ["ksql"], indirect=True)
def test_a_model_with_several_topics(cli: Cli, project: Path) -> None:
    """Text has them one after the other; other formats need the name of one."""
    declared = "CREATE STREAM r2 (bike STRING KEY, minutes INT) WITH (KAFKA_TOPIC = 'rides', VALUE_FORMAT = 'JSON');"
    two = "CREATE STREAM one AS SELECT * FROM r2;\nCREATE STREAM two AS SELECT bike, minutes + 1 AS m FROM r2;"
    (project / "models" / "both.sql").write_text(f"{declared}\n{two}\n")
    ran = cli("preview", "both", "-n", "1")
    assert ran.code == 0, ran.err
    assert [line for line in ran.out.splitlines() if line in ("ONE", "TWO")] == ["ONE", "TWO"]
    ran = cli("preview", "both", "--output", "csv")
    assert ran.code == 2 and "error[LSQ624]: the model writes 'ONE', 'TWO', and only text" in ran.err
    assert len(rows(cli, "TWO")) == 60
    assert (
        cli("preview", "TWO", "--output", "csv", "--out", "two.csv").err.splitlines()[0]
        == "60 rows written to 'two.csv'"
    )
