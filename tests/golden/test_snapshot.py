"""Golden files, written and read."""

from __future__ import annotations

from decimal import Decimal

import pytest

from lsqlc.golden.snapshot import golden_text, read_golden
from lsqlc.types import data
from lsqlc.types.ddl import parse_columns
from lsqlc.types.record import Facet, Outcome, Record, Topic

from .project import counted, late, outcome, plan

PLAN = plan()
PATH = "golden/m/c.jsonl"
GOOD = '{"topic":"late","key":"a","value":{"id":1,"delay":2.0},"timestamp":0}\n'


def test_targets_in_order_streams_in_order_tables_by_key() -> None:
    """One object a line, fields in the order of the schema, a timestamp only for a STREAM."""
    found = outcome(late(("b", 2, 2.0, 7), (None, 1, float("inf"), 5)), counted(("b", 1, 0.5), ("B", 2, 1e100)))
    assert golden_text(PLAN, found) == (
        '{"topic":"late","key":"b","value":{"id":2,"delay":2.0},"timestamp":7}\n'
        '{"topic":"late","key":null,"value":{"id":1,"delay":"Infinity"},"timestamp":5}\n'
        '{"topic":"counted","key":"B","value":{"n":2,"mean":1e100}}\n'
        '{"topic":"counted","key":"b","value":{"n":1,"mean":0.5}}\n'
    )


def test_maps_and_decimals_have_one_form() -> None:
    """A map is written in the order of its keys, a DECIMAL with all its digits."""
    value = Facet(parse_columns("m MAP<STRING, INT>, a ARRAY<MAP<STRING, INT>>, d DECIMAL(30,2)"), "json")
    of = plan("INSERT INTO o SELECT STREAM * FROM t", topics=[Topic("t", Facet(data.INT, "int"), value)])
    record = Record(
        "o", 1, {"m": {"b": 1, "a": 2}, "a": [{"z": 1, "y": None}], "d": Decimal("123456789012345678901.50")}
    )
    assert golden_text(of, Outcome({"o": (record,)})) == (
        '{"topic":"o","key":1,"value":{"m":{"a":2,"b":1},"a":[{"y":null,"z":1}],'
        '"d":123456789012345678901.50},"timestamp":0}\n'
    )


def test_what_is_written_reads_back() -> None:
    """Rows come back with their lines; Windows line ends and blank lines do not matter."""
    golden = read_golden(GOOD.replace("\n", "\r\n") + "\n" + GOOD, PATH, PLAN)
    assert golden.diagnostics == ()
    assert [(r.topic, r.key.value, r.timestamp, r.line) for r in golden.rows] == [
        ("late", "a", 0, 1),
        ("late", "a", 0, 3),
    ]


@pytest.mark.parametrize(
    ("line", "code", "column", "word"),
    [
        ("<<<<<<< HEAD", "LSQ510", 1, "<<<<<<<"),
        ('{"topic":"late"', "LSQ510", 16, "ends"),
        ("[]", "LSQ511", 1, "object"),
        ('{"topic":7}', "LSQ511", 10, "object"),
        ('{"topic":"lat","key":null,"value":null,"timestamp":0}', "LSQ511", 10, "'lat'"),
        ('{"topic":"late","key":null,"value":null}', "LSQ511", 1, '"timestamp"'),
        ('{"topic":"late","key":null,"value":null,"timestamp":"x"}', "LSQ511", 53, "timestamp"),
        ('{"topic":"late","key":null,"value":null,"timestamp":0,"more":1}', "LSQ511", 55, '"more"'),
        ('{"topic":"counted","key":null,"value":null,"timestamp":0}', "LSQ511", 44, "TABLE"),
        ('{"topic":"late","key":null,"value":{"id":"x","delay":1},"timestamp":0}', "LSQ511", 42, "value.id"),
        ('{"topic":"late","key":null,"value":{"id":1,"old":1},"timestamp":0}', "LSQ511", 44, "value.old"),
    ],
)
def test_a_broken_line_is_told_at_its_place(line: str, code: str, column: int, word: str) -> None:
    """Each mistake is one diagnostic with line and column; good lines are kept."""
    golden = read_golden(GOOD + line + "\n", PATH, PLAN)
    (found,) = golden.diagnostics
    assert (found.code, found.line, found.column) == (code, 2, column)
    assert word in found.message and found.help
    assert golden.rows[0].line == 1


def test_like_mistakes_are_told_once() -> None:
    """A field that is gone is one finding, however many lines have it."""
    line = '{"topic":"late","key":null,"value":{"id":1,"delay":1,"old":1},"timestamp":0}\n'
    (found,) = read_golden(line * 3, PATH, PLAN).diagnostics
    assert found.line == 1 and found.notes[-1] == "and 2 more lines like this"
