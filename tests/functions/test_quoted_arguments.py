"""No text of a program becomes SQL: whatever an argument, a name or a path holds stands in quotes in each statement."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest

from lsqlc.dialects import NAMES, DialectName, dialect
from lsqlc.functions import catalogue, kinds
from lsqlc.functions.signature import Aggregate, Function, Parameter
from lsqlc.types import data
from tests.fuzz.call_arguments import argument as drawn
from tests.fuzz.calls import Call, Report, compiled
from tests.fuzz.mutations import origins, renamed_to
from tests.fuzz.quoting import NAMES as ODD_NAMES
from tests.fuzz.quoting import TEXTS, WORD, escaped

# Calls in one program.
_TOGETHER = 60


def _quoted(dialect: DialectName, text: str) -> str:
    escapes = text.replace("\\", "\\\\") if dialect == "sql" else text
    return "'" + escapes.replace("'", "''" if dialect != "sql" else "\\'") + "'"


def _takes_text(parameter: Parameter) -> bool:
    return parameter.literal or kinds.accepts(parameter.accepts, data.STRING)


def _calls(dialect: DialectName, function: Function | Aggregate) -> Iterator[Call]:
    """Calls with each text as each argument that may be one."""
    for index in range(max(function.least, len(function.parameters))):
        if not _takes_text(function.parameter(index)):
            continue
        # One that takes a column has the literal of the text; one that takes a literal may have a form of its own.
        for seed, text in enumerate(TEXTS if function.parameter(index).literal else TEXTS[:2]):
            random, like, arguments = Random(seed), None, list[str]()
            for number in range(max(function.least, index + 1)):
                argument, column = drawn(random, dialect, function.parameter(number), like)
                like = like or column
                arguments.append(_quoted(dialect, text) if number == index else argument)
            yield Call(seed, dialect, f"{function.name}({', '.join(arguments)})", isinstance(function, Aggregate))


@pytest.mark.parametrize("language", NAMES)
def test_arguments(language: DialectName) -> None:
    """Of every function, in every position."""
    known = 0
    for functions in (catalogue.functions(language), catalogue.aggregates(language)):
        calls = [call for function in functions for call in _calls(language, function)]
        for start in range(0, len(calls), _TOGETHER):
            plan, left = compiled(language, calls[start : start + _TOGETHER], Report())
            known += len(left)
            assert plan is None or not list(escaped(plan)), [call.text for call in left]
    assert known > 150


def test_names() -> None:
    """Of topics, columns and fields, in the programs of the fixtures."""
    known = 0
    for number, origin in enumerate(origins()[::6]):
        renamed = renamed_to(Random(number), origin, ODD_NAMES[number % len(ODD_NAMES)])
        language = dialect(renamed.dialect)
        program = language.parse(renamed.text, "program").program
        plan = language.bind(program, renamed.topics, name="result").plan if program is not None else None
        if plan is not None and WORD in renamed.text:
            known += 1
            assert not list(escaped(plan, everywhere=True)), renamed.text
    assert known > 50
