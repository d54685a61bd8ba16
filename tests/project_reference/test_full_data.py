"""All of the package's data through DuckDB, against figures that were computed apart from lsqlc."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lsqlc.connectors.folders.log import FileLog
from lsqlc.project.build.compile import Compilation
from lsqlc.types.record import Outcome
from tests.figures import ANSWERS, Answer, Row, differences, main, sessions, written
from tests.project_reference.conftest import as_rows

_BY_MODEL = {answer.model: answer for answer in ANSWERS}
# Records without a key that is needed, by model: the flights without tail number.
_DROPPED = {"planes_by_airport": 2512, "last_seen": 2512}


@pytest.mark.nightly
@pytest.mark.parametrize("answer", ANSWERS, ids=lambda answer: answer.model)
def test_duckdb_gives_the_figures(answer: Answer, compiled: Compilation, evaluated: Callable[[str], Outcome]) -> None:
    """Every row of every model is the one that plain loops over the files give. Flights without tail number are no rows
    of a table, and the user is told how many they are.
    """
    plan = compiled.plans[answer.model]
    [topic] = plan.outputs
    assert (topic.name, plan.semantics[topic.name] == "TABLE") == (answer.topic, answer.table)
    outcome = evaluated(answer.model)
    assert differences(answer, answer.rows(), as_rows(outcome, topic, table=answer.table)) == []
    assert outcome.counts.get("null key", 0) == _DROPPED.get(answer.model, 0)


@pytest.mark.nightly
def test_seeded_as_declared(compiled: Compilation, seeded: FileLog) -> None:
    """Flights come last, with their own times and in at least 20 segments; the others have the timestamp 0."""
    topics = {t.topic.name: t.topic for t in compiled.project.topics}
    assert len(seeded.segments("flights")) >= 20
    flights = [(r.ordinal[0], r.timestamp) for r in seeded.read(topics["flights"])]
    assert (len(flights), min(time for _, time in flights)) == (336_776, 1_357_034_400_000)
    for name, count in {"planes": 3322, "airlines": 16, "airports": 1458}.items():
        records = [(r.ordinal[0], r.timestamp) for r in seeded.read(topics[name])]
        assert (len(records), {time for _, time in records}) == (count, {0})
        assert records[-1][0] < flights[0][0]


def test_the_weather_lies_in_a_file_a_month(filed: Path) -> None:
    """Each with the header and the rows of its month, as they stand in the package, and newer than the month before."""
    files = sorted((filed / "data/weather").rglob("*.csv"))
    assert [f.relative_to(filed).as_posix() for f in files] == [f"data/weather/2013/{m:02}.csv" for m in range(1, 13)]
    texts = [f.read_text().splitlines() for f in files]
    assert sum(len(lines) - 1 for lines in texts) == 26_115
    assert all(line.split(",")[2] == str(m) for m, lines in enumerate(texts, 1) for line in lines[1:])
    times = [f.stat().st_mtime for f in files]
    assert sorted(set(times)) == times


class TestComparison:
    """What the comparison with a run's topics must notice."""

    table = _BY_MODEL["gaming_sessions_table"]

    def write(self, root: Path, *records: tuple[int, str, dict[str, Any] | None]) -> None:
        folder = root / "last_x2dpoints_x2dby_x2dcountry" / "data"
        folder.mkdir(parents=True)
        lines = [{"ordinal": o, "timestamp": 0, "key": key, "value": value} for o, key, value in records]
        # Two batches whose names are not in the order of their ordinals.
        for name, part in (("b-0", lines[:1]), ("a-0", lines[1:])):
            (folder / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in part))

    def test_newest_rows_are_compared(self, tmp_path: Path) -> None:
        """Of a TABLE's records the one of the highest ordinal counts, and a tombstone is no row."""
        right = [(i, str(row.key), row.value) for i, row in enumerate(self.table.rows())]
        stale = (-1, right[0][1], {"total_points": 1, "average_points": 1.0})
        self.write(tmp_path, *right, stale, (-2, "france", right[0][2]), (9, "france", None))
        assert differences(self.table, self.table.rows(), written(tmp_path, self.table) or []) == []

    @pytest.mark.parametrize("fault", ["missing", "wrong", "surplus"])
    def test_a_fault_is_found(self, fault: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        """A row too few, another value, and a row too many end in the figures and in the exit code."""
        rows = [(i, str(row.key), dict(row.value)) for i, row in enumerate(self.table.rows())]
        if fault == "missing":
            rows.pop()
        elif fault == "wrong":
            rows[1][2]["total_points"] = -1
        else:
            rows.append((9, "france", rows[0][2]))
        self.write(tmp_path, *rows)
        assert differences(self.table, self.table.rows(), written(tmp_path, self.table) or [])
        assert main([self.table.model, "--quiet", "--compare", str(tmp_path)]) == 1
        assert "DIFFERENT last-points-by-country" in capsys.readouterr().out

    def test_a_doubled_stream_record_is_found(self) -> None:
        """A replayed batch that doubles a record is a difference, though the set of records is the same."""
        answer = _BY_MODEL["late_departures"]
        row = Row("JFK", {"delay": {"departure": 61, "arrival": 61}, "how_late": "at least an hour"}, 0)
        assert differences(answer, [row], [row]) == []
        assert "records: expected 1, found 2" in differences(answer, [row], [row, row])
        assert differences(answer, [row], [row._replace(timestamp=1)])

    @pytest.mark.nightly
    def test_a_run_is_compared(
        self, compiled: Compilation, evaluated: Callable[[str], Outcome], tmp_path: Path
    ) -> None:
        """Topics with the right records end with exit code 0; the same without one of them with 1."""
        log, models = FileLog(tmp_path), ("late_departures", "airline_delays", "gaming_sessions_table")
        for model in models:
            [topic] = compiled.plans[model].outputs
            # An append gives ordinals of one number, in the order of the records.
            log.append(replace(topic, ordinal_width=1), evaluated(model).topics[topic.name])
        command = [*models, "--quiet", "--compare", str(tmp_path)]
        assert main(command) == 0
        log.delete("airline-delays")
        assert main(command) == 1


def test_the_documented_records() -> None:
    """The seeds of the gaming example are the seven records of the documents."""
    assert [(s["player"], s["points"], s["country"]) for s in sessions()] == [
        ("billy", "50", "uk"), ("billy", "90", "uk"), ("willy", "70", "uk"), ("noel", "82", "uk"),
        ("john", "50", "usa"), ("dave", "30", "usa"), ("billy", "90", "spain"),
    ]  # fmt: skip
