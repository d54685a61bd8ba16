"""What files teach, one after the other."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from lsqlc.scan.columns import Column, Schema
from lsqlc.scan.learned import learn
from lsqlc.scan.projection import project
from lsqlc.scan.reader import Resolution, resolve
from lsqlc.scan.request import Path
from lsqlc.scan.special import SpecialColumns
from lsqlc.types.data import STRING, Field
from lsqlc.types.ddl import parse_columns

STAR: Path = ()


def columns(ddl: str) -> tuple[Column, ...]:
    return tuple(map(Column, parse_columns(ddl).fields)) if ddl else ()


def read(
    files: Sequence[str],
    select: Sequence[Path] | None = None,
    declared: Schema | None = None,
    *,
    settles: bool = False,
) -> tuple[Resolution, list[str]]:
    """The last of the files as it is read behind the others, and the kinds of all that was wrong."""
    known = declared
    kinds: list[str] = []
    special = SpecialColumns()
    found = Resolution(())
    for file in files:
        learned = learn(select, known, columns(file), special=special, settles=settles)
        known = learned.schema
        found = resolve(project(select, known, special=special, in_place=True), columns(file))
        kinds += [f.kind for f in (*learned.faults, *found.faults)]
    return found, kinds


def shown(found: Resolution) -> str:
    return ", ".join(str(c.field) for c in found.columns)


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (["a INT, b STRING", "a INT, b STRING"], "a: INT, b: STRING"),
        (["a INT, b STRING", "a INT"], "a: INT, b: STRING"),
        (["a INT, b STRING", ""], "a: INT, b: STRING"),
        (["", "a INT", "a INT, b STRING"], "a: INT, b: STRING"),
        (["a INT", "b STRING"], "a: INT, b: STRING"),
        (["b STRING, a INT", "a INT, b STRING"], "b: STRING, a: INT"),
        (["a INT, b STRING", "B STRING, A INT"], "a: INT, b: STRING"),
        (["a INT, c INT NOT NULL", "a INT, b STRING"], "a: INT, c: INT NOT NULL, b: STRING"),
    ],
)
def test_what_a_file_had_holds_for_the_next(files: list[str], expected: str) -> None:
    """Its columns in their order and spelling, with the types that they had; what a later one has besides follows."""
    found, kinds = read(files)
    assert (shown(found), kinds) == (expected, [])


@pytest.mark.parametrize(
    ("files", "message"),
    [
        (["a INT", "a INT", "A STRING"], "'a' is INT in an earlier file, and is STRING in the file"),
        (["a INT", "a INT NOT NULL"], "'a' is INT in an earlier file, and is INT NOT NULL in the file"),
        (["a STRUCT<x: INT>", "a INT"], "'a' is STRUCT<x: INT> in an earlier file, and is INT in the file"),
        (["a ARRAY<STRUCT<x: INT>>", "a ARRAY<STRUCT<x: STRING>>"],
         "'a.x' is INT in an earlier file, and is STRING in the file"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("settles", [False, True])
def test_another_type_is_a_conflict(files: list[str], message: str, settles: bool) -> None:
    """It does not change what is known."""
    found, kinds = read(files, settles=settles)
    assert ([f.message for f in found.faults], kinds) == ([message], ["type-conflict"])


def test_a_list_learns_only_what_it_asks_for() -> None:
    """A column that no file had yet takes the type of the first that has it, and what is not read is in no conflict."""
    select: list[Path] = [("c",), ("a",)]
    assert shown(read(["a INT, b INT"], select)[0]) == "c: INT, a: INT"
    found, kinds = read(["a INT, b INT", "b STRING, C STRING", "a INT"], select)
    assert (shown(found), kinds) == ("c: STRING, a: INT", [])


@pytest.mark.parametrize(
    ("files", "expected", "kinds"),
    [
        (["a INT", "a INT, b STRING"], "a: INT", ["new-column"]),
        (["", "a INT", "c INT, b STRING"], "a: INT", ["new-column", "new-column"]),
        (["s STRUCT<x: INT>", "s STRUCT<y: INT, X: INT>"], "s: STRUCT<x: INT>", ["new-column"]),
    ],
)
def test_the_first_file_may_settle_the_columns(files: list[str], expected: str, kinds: list[str]) -> None:
    """What comes later is told and not read."""
    found, told = read(files, settles=True)
    assert (shown(found), told) == (expected, kinds)


def test_a_list_is_settled_by_itself() -> None:
    """A column that the first file lacks is read of the second."""
    found, kinds = read(["a INT", "a INT, b STRING, c INT"], [("a",), ("b",)], settles=True)
    assert (shown(found), kinds) == ("a: INT, b: STRING", [])


def test_members_are_learned_like_columns() -> None:
    """New ones stand behind those that are known, at every depth, and one that is gone keeps its type."""
    files = [
        "s STRUCT<x: INT, d: STRUCT<p: INT>>",
        "S STRUCT<d: STRUCT<q: STRING, P: INT>, z: INT>",
        "s STRUCT<x: INT>",
    ]
    found, kinds = read(files)
    assert (shown(found), kinds) == ("s: STRUCT<x: INT, d: STRUCT<p: INT, q: STRING>, z: INT>", [])
    found, kinds = read(files, [("s", "x"), ("s", "z")])
    assert (shown(found), kinds) == ("s: STRUCT<x: INT, z: INT>", [])


def test_what_is_declared_is_not_learned() -> None:
    """It stays as it is, before what the files have besides; a strict schema learns nothing."""
    lenient = Schema(columns("b STRING, s STRUCT<x: INT>"))
    found, kinds = read(["a INT, s STRUCT<x: INT, y: INT>", "c INT"], declared=lenient)
    assert (shown(found), kinds) == ("b: STRING, s: STRUCT<x: INT>, a: INT, c: INT", [])
    strict = Schema(columns("b STRING"), strict=True)
    assert shown(read(["a INT", "c INT, b STRING"], declared=strict, settles=True)[0]) == "b: STRING"
    found, kinds = read(["b INT"], declared=lenient)
    assert [f.message for f in found.faults] == ["'b' is declared STRING, and is INT in the file"]


@pytest.mark.parametrize("select", [[], [("filename",), ("dir0",)]])
def test_a_query_that_reads_no_column_learns_none(select: list[Path]) -> None:
    """To count records, or to read their paths."""
    assert learn(select, None, columns("a INT"), special=SpecialColumns()).schema is None


def test_a_column_of_the_path_is_not_learned() -> None:
    """Neither one that the list names nor one that is declared, though a file may have its name."""
    declared = Schema((Column(Field("year", STRING), of_path="dir0"),))
    found, kinds = read(["filename INT, YEAR INT, a INT"], [("filename",), STAR], declared)
    assert (shown(found), kinds) == ("filename: STRING NOT NULL, year: STRING, a: INT", [])
