"""The graph of models, and selection over it."""

from __future__ import annotations

import pytest

from lsqlc.diagnostics import Span
from lsqlc.project.selection.graph import Node, build_graph
from lsqlc.project.selection.selectors import Selectable, Selection, select_models


def node(name: str, reads: str = "", writes: str = "") -> Node:
    def use(topic: str, line: int) -> tuple[str, Span]:
        return topic, Span(f"models/{name}.sql", line, 1, line, 2)

    return Node(name, tuple(use(t, 1) for t in reads.split()), tuple(use(t, 2) for t in (writes or name).split()))


def test_order_is_upstream_first_and_by_name() -> None:
    """Models come after what they read, whatever the order they are given in."""
    nodes = [node("c", "b a"), node("b", "tb"), node("a", "source", "ta tb"), node("d", "ta")]
    graph, problems = build_graph(nodes)
    assert not problems
    assert graph.order == build_graph(nodes[::-1])[0].order == ("a", "b", "d", "c")
    assert (graph.upstream["c"], graph.downstream["a"]) == (("b",), ("b", "d"))


def test_a_cycle_is_told_with_its_path() -> None:
    """Each circle gives one error; a model below it gives none, and is not in the order."""
    graph, problems = build_graph(
        [node("a", "c"), node("b", "a"), node("c", "b"), node("d", "c"), node("x", "x"), node("free", "source")]
    )
    assert [d.code for d in problems] == ["LSQ030", "LSQ030"]
    assert "a -> c -> b -> a" in problems[0].message
    assert len(problems[0].notes) == 3
    assert problems[1].message == "the model 'x' reads what it writes"
    assert graph.order == ("free",)


def test_two_writers_of_a_topic_are_told_with_both_places() -> None:
    """The second writer is where the error stands, the first is in a note."""
    _, problems = build_graph([node("b", "", "t"), node("a", "", "t t"), node("c")])
    assert [(d.code, d.span) for d in problems] == [("LSQ031", Span("models/b.sql", 2, 1, 2, 2))]
    assert "models/a.sql:2:1" in problems[0].notes[0]


MODELS = (
    Selectable("raw", "models/staging/raw.sql", ("nightly",)),
    Selectable("mid", "models/staging/mid.sql", ("nightly", "hot")),
    Selectable("side", "models/side.sql"),
    Selectable("end", "models/marts/end.sql", ("hot",)),
    Selectable("end_2", "models/marts/end_2.sql"),
)
GRAPH, _ = build_graph([node("raw"), node("mid", "raw"), node("side"), node("end", "mid side"), node("end_2", "end")])


@pytest.mark.parametrize(
    ("select", "exclude", "expected"),
    [
        ("", "", "raw mid side end end_2"),
        ("mid", "", "mid"),
        ("end*", "", "end end_2"),
        ("+end", "", "raw mid side end"),
        ("1+end", "", "mid side end"),
        ("raw+", "", "raw mid end end_2"),
        ("raw+1", "", "raw mid"),
        ("+mid+", "", "raw mid end end_2"),
        ("@raw", "", "raw mid side end end_2"),
        ("tag:nightly", "", "raw mid"),
        ("tag:nightly,tag:hot", "", "mid"),
        ("tag:nightly tag:hot", "", "raw mid end"),
        ("path:models/staging", "", "raw mid"),
        ("path:models/marts/end.sql", "", "end"),
        ("path:models/*/end*", "", "end end_2"),
        ("raw+,+end", "", "raw mid end"),
        ("state:modified+", "", "end end_2"),
        ("state:new", "", ""),
        ("raw", "state:unmodified", ""),
        ("selector:ci", "", "end end_2 side"),
        ("selector:hot+", "", "end end_2"),
        ("selector:ci,selector:hot", "", "end"),
        ("", "selector:hot mid", "raw side end_2"),
        ("", "tag:hot", "raw side end_2"),
        ("+end", "mid+", "raw side"),
    ],
)
def test_what_selectors_choose(select: str, exclude: str, expected: str) -> None:
    """dbt's words: names, globs, `+`, depth, `@`, tags, paths, states, named selectors, union, intersection, exclusion.
    That nothing is of a state is no error.
    """
    selection = Selection(tuple([select] if select else []), tuple([exclude] if exclude else []))
    states = {"modified": frozenset({"end"}), "new": frozenset[str](), "unmodified": frozenset({"raw"})}
    named = {
        "ci": Selection(("state:modified+ side",)),
        "hot": Selection(("tag:hot", "raw"), ("path:models/staging",)),
    }
    chosen, problems = select_models(selection, MODELS, GRAPH, states, named)
    assert not problems
    assert chosen == frozenset(expected.split())


@pytest.mark.parametrize(
    ("select", "code", "help"),
    [
        ("edn", "LSQ040", "did you mean 'end'?"),
        ("tag:nightl", "LSQ040", "did you mean 'nightly'?"),
        ("path:models/mart", "LSQ040", "did you mean 'models/marts'?"),
        ("tags:hot", "LSQ041", "did you mean 'tag'?"),
        ("state:modified", "LSQ041", "--state main"),
        ("selector:ci", "LSQ041", "'selectors' in lsqlc.yml"),
        ("raw,side", "LSQ040", "lsqlc ls"),
        ("++raw", "LSQ041", "2+orders+"),
        ("@raw+", "LSQ041", "2+orders+"),
        (",", "LSQ041", "2+orders+"),
    ],
)
def test_a_selector_that_finds_nothing_is_an_error(select: str, code: str, help: str) -> None:
    """One error, which says what could have been meant."""
    chosen, (problem,) = select_models(Selection((select,)), MODELS, GRAPH)
    assert (chosen, problem.code) == (frozenset(), code)
    assert problem.help is not None and help in problem.help


def test_an_exclusion_that_leaves_nothing_is_an_error() -> None:
    """All of them excluded is told, and so is an exclusion that names nothing."""
    assert [d.code for d in select_models(Selection(("raw",), ("raw",)), MODELS, GRAPH)[1]] == ["LSQ040"]
    assert [d.code for d in select_models(Selection((), ("rw",)), MODELS, GRAPH)[1]] == ["LSQ040"]
