"""Declared fields that no record of a topic has."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import lsqlc
from lsqlc.connectors.folders.log import FileLog
from lsqlc.tasks.absent_fields import SAMPLE, absent_fields
from lsqlc.types.record import Record, Topic


def messages(
    folder: Path, value: str, *records: object, dialect: str = "lenses", written: tuple[str, ...] = ()
) -> list[str]:
    """Return the messages about a topic with these values, read by a model with these fields, and their notes."""
    if dialect == "ksql":
        source = f"CREATE STREAM t ({value}) WITH (KAFKA_TOPIC = 't', VALUE_FORMAT = 'JSON');"
        plan = lsqlc.compile(f"{source} CREATE STREAM o AS SELECT * FROM t;", dialect="ksql")
    else:
        plan = lsqlc.compile("SELECT STREAM * FROM t", topics=[lsqlc.Topic("t", key="STRING", value=value)])
    log, (topic,) = FileLog(folder), plan.inputs
    log.prepare(topic)
    lines = [
        f'{{"ordinal":{number},"timestamp":1,"key":"k","value":{json.dumps(record)}}}\n'
        for number, record in enumerate(records)
    ]
    (log.data_dir("t") / f"{0:020d}.jsonl").write_text("".join(lines))
    found = list(absent_fields(log, [plan], written))
    assert all(finding.code == "LSQ881" and not finding.is_error for finding in found)
    return [f"{finding.message}: {finding.notes[0]}" for finding in found]


def test_names_in_another_case(tmp_path: Path) -> None:
    """They are reported after one record, and a name that is there is not."""
    (found,) = messages(tmp_path, "REGIONID STRING, id INT", {"regionid": "r", "id": 1})
    assert found == "none of the newest 1 records of 't' has the field 'REGIONID': they have 'id', 'regionid'"


def test_ksqldb_reads_names_in_any_case(tmp_path: Path) -> None:
    """Unless the column was quoted."""
    assert not messages(tmp_path / "a", "REGIONID STRING, id INT", {"regionid": "r", "id": 1}, dialect="ksql")
    (found,) = messages(tmp_path / "b", "`regionID` STRING, id INT", {"regionid": "r", "id": 1}, dialect="ksql")
    assert "the field 'regionID'" in found


@pytest.mark.parametrize(("count", "reported"), [(19, False), (20, True)])
def test_a_field_that_may_be_seldom_there(count: int, reported: bool, tmp_path: Path) -> None:
    """It is reported if there are enough records."""
    assert bool(messages(tmp_path, "id INT, note STRING", *({"id": n} for n in range(count)))) == reported


def test_what_is_not_looked_at(tmp_path: Path) -> None:
    """Records without fields, older records, and topics that the project writes."""
    assert not messages(tmp_path / "a", "ID INT", None, "text", 5, [1])
    old, new = {"id": 1}, {"ID": 1}
    assert not messages(tmp_path / "b", "ID INT", *[old] * 30, new)
    assert messages(tmp_path / "c", "ID INT", new, *[old] * SAMPLE)
    assert not messages(tmp_path / "d", "ID INT", {"id": 1}, written=("t",))
    assert not messages(tmp_path / "e", "ID INT")


def test_lines_that_cannot_be_read_are_left_to_the_queries(tmp_path: Path) -> None:
    """The others are looked at."""
    log = FileLog(tmp_path)
    topic = lsqlc.compile("SELECT STREAM * FROM t", topics=[lsqlc.Topic("t", key="STRING", value="a INT")]).inputs[0]
    assert isinstance(topic, Topic)
    log.append(topic, [Record("t", "k", {"a": 1})])
    with (log.data_dir("t") / f"{1:020d}.jsonl").open("wb") as file:
        file.write(b'{"ordinal":1,\n\xff\n{"ordinal":2,"timestamp":1,"key":"k","value":{"a": 2 }}\n')
    assert log.newest_values("t", 2) == [b'{"a": 2 }'] and log.newest_values("t", 9) == [b'{"a": 2 }', b'{"a":1}']
