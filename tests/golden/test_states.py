"""Assertions about state: how they are written, and what an engine without state says of them."""

from __future__ import annotations

from pathlib import Path

from lsqlc.golden.run import Goldens, Options, run
from lsqlc.golden.states import not_checked, unmet_states
from lsqlc.types.record import KeptRows
from tests.cli.conftest import Cli, bikes, cli
from tests.each import each

from .project import engine, load, outcome, plan

__all__ = ["bikes", "cli"]
CASE = "cases: [{name: c, model: m, inputs: {flights: []}, golden: false, state: %s}]"
KEPT = (KeptRows("m", 0, 2, ('{"key": "a"}',)), KeptRows("m", 1, 0))


@each("text", ["3", "{at_most: 3, operator: 1, query: q}", "[0, {rows: 2, operator: 1}]"])
def test_ways_to_write_it(text: str) -> None:
    """A number, a mapping, or several."""
    loaded = load(CASE % text)
    assert loaded.diagnostics == () and loaded.cases[0].states and loaded.cases[0].case.state


@each("text", ["many", "-1", "{operator: 1}", "{rows: 1, at_most: 2}", "{rows: some}", "{size: 3}", "[[1]]", "true"])
def test_wrong_ways(text: str) -> None:
    """Each is told at its words."""
    found = load(CASE % text).diagnostics
    assert found and all(each.is_error and each.span is not None for each in found)


@each(
    "case",
    [
        ("{operator: 0, rows: 2}", None),
        ("{operator: 0, at_most: 2}", None),
        ("{operator: 1, rows: 0}", None),
        ("{operator: 0, rows: 1}", "keeps 2 rows instead of 1"),
        ("{operator: 0, at_most: 1}", "keeps 2 rows instead of at most 1"),
        ("{operator: 7, rows: 1}", "0 operators with state are meant"),
        ("{query: n, rows: 1}", "0 operators with state are meant"),
        ("2", "2 operators with state are meant"),
    ],
)
def test_what_holds(case: tuple[str, str | None]) -> None:
    """The number of rows of one operator; the first of them are shown."""
    text, says = case
    (loaded,) = load(CASE % text).cases
    found = unmet_states("c", loaded.states, KEPT)
    if says is None:
        assert found == ()
        return
    (one,) = found
    assert one.code == "LSQ879" and says in one.message
    assert "keeps" not in says or one.notes == ('{"key": "a"}', "and 1 more")


def test_an_engine_without_state_says_so(cli: Cli, bikes: Path) -> None:
    """The case passes for the rest, and a note names what was not checked."""
    cases = load(CASE % "0")
    ran = run({"m": plan()}, cases, engine({"c": outcome()}), Goldens({}), Options(update="new"))
    assert ran.ok
    assert not_checked([], "DuckDB") is None
    more = "\ncases: [{name: kept, model: arrivals, inputs: {rides: []}, golden: false, state: 0}]\n"
    (bikes / "tests" / "kept.yml").write_text(more)
    # The first one writes the plan of the model.
    cli("test")
    tested = cli("test")
    assert tested.code == 0 and "note[LSQ878]" in tested.err + tested.out, tested.err
    assert "1 assertion about state was not checked" in tested.err + tested.out
