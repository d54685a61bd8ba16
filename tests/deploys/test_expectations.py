"""Which rows of staged models may differ from the live ones."""

from __future__ import annotations

from typing import Any

import pytest

from lsqlc.diagnostics import LsqlcError
from lsqlc.project.declared.expectations import Expectation, read_expectations
from lsqlc.tasks.deploy.pairs import Pair, expecting
from lsqlc.tasks.deploy.stream_proof import compared
from lsqlc.types import data
from lsqlc.types.data import Field, Struct
from lsqlc.types.record import Facet, Record, Topic

VALUE = Struct((Field("a", data.INT), Field("b", data.INT)))
TOPIC = Topic("t", key=Facet(data.STRING, "string"), value=Facet(VALUE, "json"))


def row(key: str, a: int, b: int) -> Record:
    return Record("t", key, {"a": a, "b": b}, 1)


def test_a_file() -> None:
    """Each topic with what may differ; by default nothing does."""
    found, problems = read_expectations("expect: {x: {columns: [a], new: true}, y: {columns: any}, z: {}}", "e.yml")
    assert not problems
    assert found == {"x": Expectation(frozenset("a"), new=True), "y": Expectation(None), "z": Expectation()}
    assert read_expectations("", "e.yml") == ({}, ())


@pytest.mark.parametrize(
    "text",
    ["[]", "expect: []", "expects: {}", "expect: {x: 1}", "expect: {x: {column: [a]}}", "expect: {x: {columns: [1]}}"],
)
def test_mistakes_of_a_file(text: str) -> None:
    """Each has its place."""
    _, problems = read_expectations(text, "e.yml")
    assert problems and all(found.span is not None for found in problems)


@pytest.mark.parametrize(
    ("expected", "unexpected"),
    [
        (None, None),
        ({}, 3),
        ({"t": Expectation(frozenset("a"))}, 2),
        ({"t": Expectation(frozenset("b"))}, 3),
        ({"t": Expectation(frozenset("a"), new=True)}, 1),
        ({"t": Expectation(None, new=True, gone=True)}, 0),
    ],
)
def test_what_counts(expected: Any, unexpected: int | None) -> None:
    """A row that differs in a column, one that is new, and one that is gone."""
    (pair,) = expecting([Pair("m", TOPIC, TOPIC, "STREAM")], expected)
    live, staged = [row("x", 1, 1), row("y", 1, 1), row("z", 1, 1)], [row("x", 2, 1), row("z", 1, 1), row("new", 1, 1)]
    proof = compared(pair, live, (), staged, exact=True)
    assert (proof.equal, proof.changed, proof.new, proof.gone, proof.unexpected) == (1, 1, 1, 1, unexpected)
    assert proof.ok == (unexpected == 0)
    assert len(proof.differences) == (3 if unexpected is None else unexpected)


@pytest.mark.parametrize(
    ("expected", "words"),
    [
        ({"tt": Expectation()}, "the topic 'tt'"),
        ({"t": Expectation(frozenset(("a", "c")))}, "the column 'c' of 't'"),
    ],
)
def test_names_that_are_not_compared(expected: Any, words: str) -> None:
    """A misspelt name is not an expectation that nothing breaks."""
    with pytest.raises(LsqlcError) as raised:
        expecting([Pair("m", TOPIC, TOPIC)], expected)
    (found,) = raised.value.diagnostics
    assert found.code == "LSQ755" and words in found.message and found.help
