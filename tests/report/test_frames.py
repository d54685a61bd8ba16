"""Records as tables of Arrow, pandas and Polars, and what a notebook shows."""

from __future__ import annotations

import sys
from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any

import pytest

import lsqlc
from lsqlc.diagnostics import LsqlcError

VALUE = (
    "b BOOLEAN, i INT, l BIGINT, f FLOAT, d DOUBLE, s STRING, x BYTES, n DECIMAL(20,2), day DATE, t TIME, at TIMESTAMP,"
    " a ARRAY<STRUCT<k: INT>>, m MAP<STRING, ARRAY<INT>>, o STRUCT<p: STRING, q: INT>"
)
EVERY = {
    "b": True, "i": -1, "l": 2**40, "f": 0.5, "d": 0.25, "s": "é", "x": b"\x00", "n": Decimal("12345678901234567.89"),
    "day": date(2024, 5, 1), "t": 3_723_000_000, "at": datetime(2024, 5, 1, 1, 2, 3, 4000, UTC),
    "a": [{"k": 1}, {"k": None}], "m": {"one": [1, 2]}, "o": {"p": "q", "q": None},
}  # fmt: skip


def records(value: str = VALUE, *rows: dict[str, Any] | None, key: str | None = "INT") -> lsqlc.Records:
    """Rows through a program that changes nothing."""
    plan = lsqlc.compile("SELECT STREAM * FROM t", topics=[lsqlc.Topic("t", key=key, value=value)])
    given = [lsqlc.Record("t", key=n if key else None, value=row, timestamp=n) for n, row in enumerate(rows)]
    return lsqlc.evaluate(plan, given)["result"]


def test_every_type_comes_through_arrow() -> None:
    """Values are as they were, a tombstone is null in all columns, and times are in UTC."""
    pytest.importorskip("pyarrow")
    table = records(VALUE, EVERY, None).to_arrow()
    assert table.column_names == ["_key", *EVERY, "_timestamp"]
    first, second = table.to_pylist()
    first["m"] = dict(first["m"])
    assert {name: first[name] for name in EVERY} == {**EVERY, "t": time(1, 2, 3)}
    assert first["_key"] == 0 and first["_timestamp"] == datetime(1970, 1, 1, tzinfo=UTC)
    assert {second[name] for name in EVERY} == {None} and second["_key"] == 1
    assert str(table.schema.field("at").type) == "timestamp[us, tz=UTC]"
    assert str(table.schema.field("n").type) == "decimal128(20, 2)"
    assert records(VALUE).to_arrow().schema == table.schema


def test_names_and_facets() -> None:
    """A value without fields has one column, a key that is absent none, and headers one where there are any."""
    pytest.importorskip("pyarrow")
    assert records("INT", key=None).to_arrow().column_names == ["_value", "_timestamp"]
    found = records("`_timestamp` INT, a INT", {"_timestamp": 3, "a": 4}).to_arrow().to_pylist()
    assert (found[0]["_value._timestamp"], found[0]["a"]) == (3, 4)
    shown = records("a INT", {"a": 1})
    headed = lsqlc.Records(shown.topic, [lsqlc.Record("result", 1, {"a": 1}, 0, (("h", b"x"),))])
    assert headed.to_arrow().to_pylist()[0]["_headers"] == [{"key": "h", "value": b"x"}]


def test_data_frames() -> None:
    """Of pandas and of Polars, where they are installed."""
    pytest.importorskip("pyarrow")
    found = records("a INT, s STRING", {"a": 1, "s": "x"}, {"a": 2, "s": "y"})
    pandas = pytest.importorskip("pandas")
    frame = found.to_pandas()
    assert isinstance(frame, pandas.DataFrame) and list(frame["a"]) == [1, 2]
    polars = pytest.importorskip("polars")
    assert isinstance(found.to_polars(), polars.DataFrame) and found.to_polars()["s"].to_list() == ["x", "y"]


@pytest.mark.parametrize(
    ("method", "missing", "said"),
    [
        ("to_arrow", ["pyarrow"], "pip install pyarrow"),
        ("to_pandas", ["pandas"], "pip install pandas"),
        ("to_polars", ["polars", "pyarrow"], "pip install polars pyarrow"),
    ],
)
def test_a_package_that_is_missing(monkeypatch: pytest.MonkeyPatch, method: str, missing: list[str], said: str) -> None:
    """The error names it, and the command that installs it."""
    for package in missing:
        monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(LsqlcError) as refused:
        getattr(records("a INT"), method)()
    (found,) = refused.value.diagnostics
    assert (found.code, found.help) == ("LSQ694", said) and all(f"'{package}'" in found.message for package in missing)


def test_records_are_a_list_with_a_table() -> None:
    """Equal to a list of records; as text and HTML they are a table, in which names and values are only text."""
    found = records("s STRING", {"s": "<b>&"})
    assert found == [lsqlc.Record("result", 0, {"s": "<b>&"}, 0)]
    assert str(found).splitlines()[0].split() == ["timestamp", "_key", "s"]
    html = found._repr_html_()
    assert "<td>&lt;b&gt;&amp;</td>" in html and "<code>result</code>: 1 record<" in html
    assert "0 records</p></div>" in records("s STRING")._repr_html_()
    many = records("s STRING", *({"s": str(n)} for n in range(60)))
    assert "60 records, of which 50 are shown" in many._repr_html_() and many._repr_html_().count("<tr>") == 51
    table = lsqlc.compile("SELECT TABLE a FROM t", topics=[lsqlc.Topic("t", key="INT", value="a INT")])
    rows = lsqlc.evaluate(table, [lsqlc.Record("t", 1, {"a": 2})])["result"]
    assert str(rows).splitlines()[0].split() == ["_key", "a"]
