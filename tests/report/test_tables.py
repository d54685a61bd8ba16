"""Records as tables of text."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from lsqlc.report.tables import Column, records_text, table_lines
from lsqlc.types import data
from lsqlc.types.data import STRING
from lsqlc.types.ddl import parse_columns
from lsqlc.types.record import ABSENT, Facet, Record, Topic

STREAM = Topic("late", Facet(STRING, "string"), Facet(parse_columns("id INT, note STRING"), "json"))


def _text(topic: Topic, *records: Record, width: int = 100, times: bool = True) -> list[str]:
    return records_text(topic, records, width=width, times=times).split("\n")


def test_a_stream() -> None:
    """Columns by name, times as ISO, numbers to the right, nulls and tombstones visible."""
    assert _text(
        STREAM,
        Record("late", "N1", {"id": 1, "note": "late"}, 1000),
        Record("late", None, {"id": None, "note": None}, 1_357_034_400_123),
        Record("late", "N2", None, 10**17),
    ) == [
        "timestamp                 _key           id  note",
        "────────────────────────  ────  ───────────  ────",
        "1970-01-01T00:00:01Z      N1              1  late",
        "2013-01-01T10:00:00.123Z  null         null  null",
        "100000000000000000 ms     N2    (tombstone)",
    ]


def test_headers() -> None:
    """A column behind the others where some record has any, and none of the rows of a TABLE."""
    headers = (("trace", b"a b"), ("trace", b"\xff"), ("\x1b", None))
    value = {"id": 1, "note": "late"}
    records = Record("late", "N1", value, 1000, headers), Record("late", "N2", value, 2000)
    assert _text(STREAM, *records) == [
        "timestamp             _key  id  note  _headers",
        "────────────────────  ────  ──  ────  ────────────────────────────────────────────",
        "1970-01-01T00:00:01Z  N1     1  late  trace: a b, trace: base64 /w==, \\u001b: null",
        "1970-01-01T00:00:02Z  N2     1  late",
    ]
    assert _text(STREAM, *records, times=False)[0] == "_key  id  note"


def test_a_table_with_a_struct_key() -> None:
    """A struct key has a column for each field; a TABLE shows no times."""
    key = Facet(parse_columns("key STRING, start BIGINT"), "json")
    topic = Topic("t", key, Facet(data.BIGINT, "long"))
    assert _text(topic, Record("t", {"key": "a", "start": 5}, 7), times=False) == [
        "_key.key  _key.start  _value",
        "────────  ──────────  ──────",
        "a                  5       7",
    ]


def test_every_type_reads_plainly() -> None:
    """Values stand as the language writes them, without the quotes of JSON."""
    columns = "d DATE, t TIMESTAMP, m DECIMAL(10,2), b BYTES, f DOUBLE, o BOOLEAN, a ARRAY<STRING>, s STRUCT<x: INT>"
    topic = Topic("t", ABSENT, Facet(parse_columns(columns), "json"))
    value = {
        "d": date(2013, 1, 1), "t": datetime(2013, 1, 1, 5, tzinfo=UTC), "m": Decimal("1.50"), "b": b"hi",
        "f": float("nan"), "o": True, "a": ["x", None], "s": {"x": 1},
    }  # fmt: skip
    row = _text(topic, Record("t", None, value), times=False, width=200)[2]
    assert row.split() == ["2013-01-01", "2013-01-01T05:00:00Z", "1.50", "aGk=", "NaN", "true", '["x",null]', '{"x":1}']


def test_texts_that_could_be_taken_for_something_else() -> None:
    """An empty text, `null` and outer spaces are in quotes; line ends and controls are escapes."""
    notes = ["", "null", " x", "a\nb", "\x1b[31m", "plain"]
    rows = _text(STREAM, *[Record("late", "k", {"id": 1, "note": note}) for note in notes], times=False)[2:]
    assert [row.split("1  ", 1)[1] for row in rows] == ['""', '"null"', '" x"', "a\\nb", "\\u001b[31m", "plain"]


def test_wide_characters_are_aligned() -> None:
    """CJK takes two cells; the next column starts at the same cell in each row."""
    topic = Topic("t", Facet(STRING, "string"), Facet(STRING, "string"))
    rows = _text(topic, *[Record("t", key, "|") for key in ("東京", "abcd", "é", "👍")], times=False)[2:]
    assert {cell_len(row[: row.index("|")]) for row in rows} == {6}


def test_what_is_too_wide_is_cut() -> None:
    """The widest column gives way, and ends in an ellipsis."""
    lines = _text(STREAM, Record("late", "N1", {"id": 1, "note": "x" * 200}), width=60)
    assert lines[2].endswith("x…") and max(map(cell_len, lines)) == 60


def test_a_column_of_identifiers_is_never_cut() -> None:
    """Even if other columns have no room beside it."""
    name = "a.name.that.somebody.copies"
    columns = [Column("topic", (name,), whole=True), Column("models", ("one, two, three",)), Column("more", ("x",))]
    assert [line.split("  ")[0] for line in table_lines(columns, 40)][2] == name
    assert list(table_lines(columns, 10))[2:] == [name, "and 2 more columns: models, more"]


def test_columns_without_room_are_named() -> None:
    """Columns that cannot be shown are counted and named below."""
    columns = [Column(f"column{i}", ("1234567890",)) for i in range(10)]
    lines = list(table_lines(columns, 24))
    assert lines[-1] == "and 7 more columns: " + ", ".join(f"column{i}" for i in range(3, 10))


@given(st.lists(st.tuples(st.text(max_size=30), st.text(max_size=30)), min_size=1, max_size=4), st.integers(20, 90))
def test_no_line_is_wider_than_asked_for(rows: list[tuple[str, str]], width: int) -> None:
    """Whatever the texts hold, each record is one line that fits."""
    records = [Record("late", key, {"id": 1, "note": note}) for key, note in rows]
    lines = _text(STREAM, *records, width=width, times=False)
    shown = [line for line in lines if not line.startswith("and ")]
    assert len(shown) == len(rows) + 2
    assert max(map(cell_len, shown)) <= width


def test_none_and_more() -> None:
    """An empty topic says so, and a part of the records says how many are left."""
    assert records_text(STREAM, [], width=80) == "'late' has no records"
    text = records_text(STREAM, [Record("late", "a", None)], width=80, total=1235)
    assert text.split("\n")[-1] == "and 1,234 more"
