"""How statements are laid out."""

from __future__ import annotations

from lsqlc.sql.writer import Cte, Join, Select, Union, indented, with_ctes


def test_a_tuple_within_begins_a_line() -> None:
    """Of columns and of conditions; one that is empty leaves nothing."""
    select = Select(("a", "b", ("c", "d"), (), "e"), "t", ("a > 1", ("b > 1", "c > 1")))
    assert str(select) == "SELECT a, b,\n  c, d, e\nFROM t\nWHERE a > 1\n  AND b > 1 AND c > 1"


def test_a_join_says_its_condition_behind_or_below() -> None:
    """By whether the first condition begins a line."""
    assert str(Join("a", "LEFT JOIN", "b", ("a.x = b.x", "a.y = b.y"))) == "a LEFT JOIN b ON a.x = b.x AND a.y = b.y"
    assert str(Join("a", "JOIN", "b", (("a.x = b.x", "a.y = b.y"),))) == "a JOIN b\n  ON a.x = b.x AND a.y = b.y"


def test_groups_and_unions() -> None:
    """A clause in each line."""
    counted = Select(("k", "count(*)"), "t", group=("k",))
    assert str(Union((counted, "SELECT 1, 2"))) == "SELECT k, count(*)\nFROM t\nGROUP BY k\nUNION ALL\nSELECT 1, 2"
    assert str(Union(("SELECT 1 AS a", "SELECT 2 AS a"), by_name=True)) == (
        "SELECT 1 AS a\nUNION ALL BY NAME\nSELECT 2 AS a"
    )


def test_common_table_expressions() -> None:
    """Each in its paragraph, below its comment; none leaves the statement as it is."""
    assert with_ctes((), "SELECT 1") == "SELECT 1"
    assert with_ctes((Cte("a", "SELECT 1"), Cte("b", "FROM a")), "FROM b") == (
        "WITH a AS (\n  SELECT 1\n),\nb AS (\n  FROM a\n)\nFROM b"
    )
    assert with_ctes((Cte("a", "SELECT 1\nAS x", "one"),), "FROM a") == (
        "WITH\n-- one\na AS (\n  SELECT 1\n  AS x\n)\nFROM a"
    )


def test_what_is_within_parentheses_is_further_in() -> None:
    """Each line of it."""
    assert indented(Select(("a",), "t")) == "  SELECT a\n  FROM t"
