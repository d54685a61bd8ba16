"""Edits of the text of a query."""

from __future__ import annotations

import pytest

from lsqlc.search.mutants import mutants


def edited(text: str) -> list[str]:
    return [mutant.text(text) for mutant in mutants(text)]


@pytest.mark.parametrize(
    ("text", "results"),
    [
        ("a < 10", ["a <= 10", "a < 11", "a < 9"]),
        ("a >= 0", ["a > 0", "a >= 1"]),
        ("a = b AND c", ["a <> b AND c", "a = b OR c"]),
        ("a <=> b", []),
        ("NOT a", ["a"]),
        ("a IS NULL", ["a IS NOT NULL"]),
        ("a IS NOT NULL", ["a IS NULL"]),
        ("t LEFT JOIN u", ["t INNER JOIN u"]),
        ("t JOIN u", ["t LEFT JOIN u"]),
        ("t FULL OUTER JOIN u", ["t LEFT OUTER JOIN u", "t RIGHT OUTER JOIN u"]),
        ("COUNT(DISTINCT a)", ["COUNT(a)"]),
        ("min(a)", ["MAX(a)"]),
        ("a = 'x'", ["a <> 'x'", "a = 'xx'"]),
        ("'it''s'", ["'it''sx'"]),
        ("a -- < 5\n", []),
        ('/* a < 5 */ `a < 5` "a < 5"', []),
        ("{{ var('a < 5') }}", []),
        ("a1 x2y 1.5", []),
        ("a ORDER BY b DESC", ["a ORDER BY b ASC"]),
        ("x -> x + y", ["x -> x - y"]),
    ],
)
def test_edits_are_small(text: str, results: list[str]) -> None:
    """A word at a time; comments, quoted names and tags of templates stay."""
    assert edited(text) == results
