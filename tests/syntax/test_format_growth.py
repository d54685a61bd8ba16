"""What `lsqlc fmt` does grows with the length of the program, and no faster."""

from __future__ import annotations

import sys
from types import FrameType

import pytest

from lsqlc.dialects import DialectName, dialect
from lsqlc.project.build.formatting import format_model

PROGRAMS: dict[DialectName, str] = {
    "lenses": "SELECT STREAM {items} FROM t",
    "ksql": "CREATE STREAM o AS SELECT {items} FROM t EMIT CHANGES;",
}
ITEMS = (
    "a AS c",
    "a + 1 AS c",
    "ABS(ABS(a)) AS c",
    "CAST(a AS BIGINT) AS c",
    "CASE WHEN a = 1 THEN (b) END AS c",
    "-- x\na",
)


def calls(text: str, language: DialectName) -> int:
    """How many functions of Python are called, or generators gone on with, to format a program."""
    counted = 0

    def count(frame: FrameType, event: str, _: object) -> None:
        nonlocal counted
        counted += event == "call"

    sys.setprofile(count)
    try:
        formatted = format_model(text, "program", dialect(language))
    finally:
        sys.setprofile(None)
    assert formatted.text is not None
    return counted


@pytest.mark.parametrize("item", ITEMS)
@pytest.mark.parametrize("language", PROGRAMS)
def test_twice_as_many_projections_take_twice_as_many_steps(language: DialectName, item: str) -> None:
    """Whatever they are made of."""
    once, twice = (PROGRAMS[language].format(items=", ".join([item] * n)) for n in (100, 200))
    calls(once, language)
    assert calls(twice, language) < 2.2 * calls(once, language)
