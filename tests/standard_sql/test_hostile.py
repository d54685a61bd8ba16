"""Expressions that are likely to be read in another way than Spark reads them, against what Spark gave for each."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import pytest

import lsqlc
from lsqlc import Plan, Record, Topic
from lsqlc.sql.engines import Engine
from tests.standard_sql.calls import COLUMNS
from tests.standard_sql.hostile import EXPRESSIONS, FAMILIES, REFUSED
from tests.standard_sql.recorded import RECORD, alike, encoded, recorded

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession

TOPIC = Topic("t", key="INT", value=COLUMNS)
_AT_ONCE = 100


def compiled(expressions: Sequence[str]) -> Plan:
    """A model with a column for each expression."""
    items = ", ".join(f"{text} AS r{i}" for i, text in enumerate(expressions))
    return lsqlc.compile(f"SELECT {items} FROM STREAM(t)", dialect="sql", topics=[TOPIC], name="o")


def values(expressions: Sequence[str], engine: Engine = "duckdb") -> Iterator[tuple[str, Any]]:
    """Each expression with the encoded value that an engine gives."""
    for start in range(0, len(expressions), _AT_ONCE):
        some = expressions[start : start + _AT_ONCE]
        (record,) = lsqlc.evaluate(compiled(some), [Record("t", 1, RECORD)], engine=engine)["o"]
        yield from zip(some, (encoded(record.value[f"r{i}"]) for i in range(len(some))), strict=True)


def differences(expressions: Sequence[str], engine: Engine = "duckdb") -> list[str]:
    """Where the value is not the one of Spark; null where Spark stops."""
    known = recorded()
    return [
        f"{text}: {value!r}, Spark gives {wanted!r}"
        for text, value in values([text for text in expressions if not _refused_by_spark(known[text])], engine)
        if not alike(value, wanted := known[text][1] if known[text][0] is not None else None)
    ]


def _refused_by_spark(outcome: tuple[str | None, Any]) -> bool:
    """Whether Spark refuses the expression before it reads a record."""
    return outcome[0] is None and outcome[1].startswith(("DATATYPE_MISMATCH", "PARSE", "WRONG_NUM_ARGS"))


def test_what_spark_refuses_is_refused() -> None:
    """But for a NULL without a type, which any function takes here."""
    accepted = []
    for text in (text for text, outcome in recorded().items() if _refused_by_spark(outcome) and "NULL" not in text):
        try:
            compiled([text])
        except lsqlc.CompileError:
            continue
        accepted.append(text)
    assert not accepted


@pytest.mark.parametrize("family", FAMILIES)
def test_duckdb_gives_what_spark_gives(family: str) -> None:
    found = differences(FAMILIES[family])
    assert not found, "\n".join(found)


@pytest.mark.parametrize("family", FAMILIES)
def test_the_types_are_those_of_spark(family: str) -> None:
    known = recorded()
    given = [text for text in FAMILIES[family] if known[text][0] is not None]
    found = []
    for start in range(0, len(given), _AT_ONCE):
        some = given[start : start + _AT_ONCE]
        fields = compiled(some).outputs[0].value.type.fields  # type: ignore[union-attr]
        found += [
            f"{text}: {field.type}, Spark gives {known[text][0]}"
            for text, field in zip(some, fields, strict=True)
            if _plain(str(field.type)) != _plain(str(known[text][0]))
        ]
    assert not found, "\n".join(found)


def _plain(type: str) -> str:
    return type.lower().replace(" ", "").replace("bytes", "binary").replace("notnull", "")


@pytest.mark.parametrize("text", REFUSED)
def test_what_has_no_form_is_refused(text: str) -> None:
    with pytest.raises(lsqlc.CompileError, match=REFUSED[text]):
        compiled([text])


def test_every_expression_was_recorded() -> None:
    """`python -m tests.standard_sql.recorded` writes them."""
    assert list(recorded()) == list(EXPRESSIONS)


def test_spark_agrees(spark: SparkSession) -> None:
    """The SQL of the plan on Spark."""
    found = differences(EXPRESSIONS, "spark")
    assert not found, "\n".join(found)


def test_values_are_told_apart() -> None:
    assert alike(math.nan, math.nan) and alike([0.1 + 0.2], [0.3])
    assert not alike(1, 1.0) and not alike(True, 1) and not alike(None, "text None")
