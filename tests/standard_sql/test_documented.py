"""Every documented example of Spark's functions gives Spark's rows, but for those that `documented.txt` counts.

`python -m tests.standard_sql.documented` writes the list again.
"""

from __future__ import annotations

import re

import pytest

from tests.standard_sql.documented import LIST, examples, outcome, place, summary

pytestmark = pytest.mark.nightly


def counts(lines: list[str]) -> dict[str, int]:
    """How many examples are equal, by function."""
    return {name: int(number) for line in lines for name, number in re.findall(r"^(\S+): (\d+) of", line)}


def test_documented_examples() -> None:
    """A function that lost one fails; so does one that has more, until the list says so."""
    if not place().exists():
        pytest.skip(f"{place()} is not on this machine")
    outcomes = [(each, outcome(each)) for each in examples(place())]
    wrong = [f"{each.sql} gave {found}" for each, found in outcomes if found.startswith("wrong")]
    lines = summary(outcomes)
    ours, listed = counts(lines), counts(LIST.read_text("utf-8").splitlines())
    functions = {each.function for each, _ in outcomes}
    whole = sum(found == "equal" for _, found in outcomes)
    print(f"{whole} of {len(outcomes)} examples, {len(functions) - len(lines)} of {len(functions)} functions are whole")
    every = {name: sum(each.function == name for each, _ in outcomes) for name in functions}
    lost = {n for n in functions if ours.get(n, every[n]) < listed.get(n, every[n])}
    won = {n for n in functions if ours.get(n, every[n]) > listed.get(n, every[n])}
    assert not lost, [f"{each.sql}: {found}" for each, found in outcomes if each.function in lost and found != "equal"]
    assert not won, f"run `python -m tests.standard_sql.documented`: there is more of {sorted(won)}"
    assert wrong == [], wrong
