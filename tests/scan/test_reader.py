"""A projection over the columns that one file has."""

from __future__ import annotations

from typing import Any

import pytest

from lsqlc.scan.columns import Column, Schema, stand_in
from lsqlc.scan.columns_array import ColumnsRule
from lsqlc.scan.projection import project
from lsqlc.scan.reader import Absent, FromPath, FromReader, Members, Resolution, resolve
from lsqlc.scan.request import Path
from lsqlc.scan.special import PartitionColumn, SpecialColumns
from lsqlc.types.data import STRING, Array, Decimal, Field, Struct
from lsqlc.types.ddl import parse_columns

STAR: Path = ()


def columns(ddl: str, **defaults: Any) -> tuple[Column, ...]:
    return tuple(Column(f, defaults.get(f.name)) for f in parse_columns(ddl).fields)


def schema(ddl: str, *, strict: bool = False, **defaults: Any) -> Schema:
    return Schema(columns(ddl, **defaults), strict)


def shown(found: Resolution) -> str:
    assert not found.faults
    return ", ".join(str(c.field) for c in found.columns)


def test_names_come_of_the_query_and_types_of_the_file() -> None:
    """In the query's order; what the file lacks is a null of the wanted type."""
    found = resolve(project([("c",), ("x",), ("A",)]), columns("a INT NOT NULL, b INT, C STRING"))
    assert shown(found) == "c: STRING, x: INT, A: INT NOT NULL"
    assert [c.source for c in found.columns] == [FromReader(2), Absent(None), FromReader(0)]
    assert shown(resolve(project([("x",)]), (), null_type=STRING)) == "x: STRING"


def test_a_wildcard_is_the_file_in_its_order() -> None:
    """With columns of the path around it, which take their names from columns of the file."""
    select: list[Path] = [("dir0",), STAR, ("Suffix",)]
    found = resolve(project(select, special=SpecialColumns()), columns("b INT, suffix INT, A STRING"))
    assert shown(found) == "dir0: STRING, b: INT, A: STRING, Suffix: STRING NOT NULL"
    assert [c.source for c in found.columns][:2] == [FromPath(PartitionColumn("dir0", 0)), FromReader(0)]


def test_a_schema_that_is_not_strict_lets_other_columns_follow() -> None:
    """Behind all the rest, in the file's order and spelling."""
    declared = schema("a INT, b STRING")
    found = resolve(project([STAR, ("dir0",)], declared, special=SpecialColumns()), columns("Z INT, B STRING, y INT"))
    assert shown(found) == "a: INT, b: STRING, dir0: STRING, Z: INT, y: INT"


def test_a_wildcard_in_its_place_has_the_other_columns_there() -> None:
    """Before what comes after it, with those that are named there; a name before it has taken its column."""
    declared = schema("a INT, b STRING")
    select: list[Path] = [("Z",), STAR, ("dir0",), ("y",), ("n",)]
    special = SpecialColumns(partitions_in_wildcard=2)
    found = resolve(project(select, declared, special=special, in_place=True), columns("z INT, B STRING, y INT, w INT"))
    assert shown(found) == "Z: INT, a: INT, b: STRING, y: INT, w: INT, dir1: STRING, dir0: STRING, n: INT"
    found = resolve(project(select, special=SpecialColumns(), in_place=True), columns("w INT, y INT, z INT"))
    assert shown(found) == "Z: INT, w: INT, y: INT, dir0: STRING, n: INT"


def test_a_column_of_the_path_hides_the_files_of_its_name() -> None:
    """Whatever type that has."""
    declared = Schema((Column(Field("year", STRING), of_path="dir0"), *columns("a INT")))
    found = resolve(project([STAR], declared), columns("YEAR INT, a INT, b INT"))
    assert shown(found) == "year: STRING, a: INT, b: INT"
    assert found.columns[0].source == FromPath(PartitionColumn("year", 0))


def test_a_strict_schema_lets_no_other_column_through() -> None:
    """Neither by the wildcard nor by name: one that the query names is null."""
    declared = schema("a INT", strict=True)
    assert shown(resolve(project([STAR], declared), columns("b STRING, a INT"))) == "a: INT"
    found = resolve(project([("b",), ("a",)], declared), columns("b STRING, a INT"))
    assert [c.source for c in found.columns] == [Absent(None), FromReader(1)]


@pytest.mark.parametrize(
    ("ddl", "default", "value"),
    [
        ("a INT", None, None),
        ("a INT", 5, None),
        ("a INT NOT NULL", 5, 5),
        ("a INT NOT NULL", None, 0),
        ("a INT NOT NULL", 0, 0),
        ("a DOUBLE NOT NULL", None, 0.0),
        ("a STRING NOT NULL", None, ""),
        ("a BOOLEAN NOT NULL", True, True),
        ("a ARRAY<INT> NOT NULL", None, []),
        ("a MAP<STRING,INT> NOT NULL", None, {}),
        ("a STRUCT<x: INT, y: STRING NOT NULL> NOT NULL", None, {"x": None, "y": ""}),
    ],
)
def test_what_stands_for_a_declared_column_that_a_file_lacks(ddl: str, default: Any, value: Any) -> None:
    """Null, even where there is a default; in a NOT NULL column the default, or the zero of its type."""
    found = resolve(project([("a",)], schema(ddl, a=default)), ())
    assert [c.source for c in found.columns] == [Absent(value)]


def test_the_zero_of_a_decimal_has_its_scale() -> None:
    """As any other value of the type."""
    assert str(stand_in(Field("a", Decimal(5, 2), nullable=False))) == "0.00"


def test_members_that_a_file_lacks_are_null_inside_a_struct() -> None:
    """Below a struct of the file, and below none."""
    select: list[Path] = [("a", "C"), ("a", "e", "f"), ("z", "p", "q"), ("z", "r")]
    found = resolve(project(select), columns("a STRUCT<b: INT, c: STRING>"))
    assert shown(found) == (
        "a: STRUCT<C: STRING, e: STRUCT<f: INT> NOT NULL>, z: STRUCT<p: STRUCT<q: INT> NOT NULL, r: INT> NOT NULL"
    )
    a, z = (c.source for c in found.columns)
    assert isinstance(a, Members) and isinstance(z, Members)
    assert (a.index, z.index) == (0, None)
    assert [c.source.index for c in a.columns if isinstance(c.source, FromReader)] == [1]


def test_a_struct_of_which_all_is_wanted_passes_as_it_is() -> None:
    """And one of which less is wanted has that alone."""
    file = columns("a STRUCT<b: INT, c: STRING>")
    assert [c.source for c in resolve(project([("a", "c"), ("a", "b")]), file).columns] == [FromReader(0)]
    assert [c.source for c in resolve(project([("a",), ("a", "b")]), file).columns] == [FromReader(0)]
    assert shown(resolve(project([("a", "c")]), file)) == "a: STRUCT<c: STRING>"


def test_members_of_an_array_are_those_of_its_elements() -> None:
    """`a.x` and `a[0].x` cut the structs in the array."""
    file = columns("a ARRAY<ARRAY<STRUCT<x: INT, y: INT>>>")
    for select in ([("a", "x")], [("a", 0, "x")], [("a", 0, 1, "x")]):
        found = resolve(project(select), file)
        assert shown(found) == "a: ARRAY<ARRAY<STRUCT<x: INT>>>"
        assert isinstance(found.columns[0].source, Members) and found.columns[0].source.dimensions == 2


def test_what_nobody_knows_has_the_shape_that_the_query_gives_it() -> None:
    """So that `a[0].x` can be read of the null that it is, also where all of it is asked for besides."""
    assert shown(resolve(project([("a",), ("a", "x")]), ())) == "a: STRUCT<x: INT>"
    assert shown(resolve(project([("a", 0, "x"), ("b", 1, 2)]), ())) == "a: ARRAY<STRUCT<x: INT>>, b: ARRAY<ARRAY<INT>>"


@pytest.mark.parametrize(
    ("path", "kind", "column"),
    [
        (("i", "x"), "not-a-struct", "i"),
        (("s", "y", "z"), "not-a-struct", "s.y"),
        (("i", 0), "not-an-array", "i"),
        (("s", 0), "not-an-array", "s"),
        (("l", 0, 0), "not-an-array", "l"),
        (("l", 0, "x"), "not-a-struct", "l"),
    ],
)
def test_a_query_that_reads_what_a_column_has_not(path: Path, kind: str, column: str) -> None:
    """It names the column or member, and the type that the file has; the other columns are resolved."""
    found = resolve(project([path, ("ok",)]), columns("i INT, s STRUCT<y: STRING>, l ARRAY<INT>, ok INT"))
    assert [(f.kind, f.column) for f in found.faults] == [(kind, column)]
    assert [c.name for c in found.columns] == ["ok"]


@pytest.mark.parametrize("path", [("m",), ("m", "k"), ("m", 1), ("m", "k", "x")])
def test_a_map_answers_members_and_elements(path: Path) -> None:
    """And is delivered whole."""
    assert shown(resolve(project([path]), columns("m MAP<STRING,INT>"))) == "m: MAP<STRING,INT>"


@pytest.mark.parametrize(
    ("declared", "file", "fault"),
    [
        ("a BIGINT", "A INT", "'a' is declared BIGINT, and is INT in the file"),
        ("a INT NOT NULL", "a INT", "'a' is declared INT NOT NULL, and is INT in the file"),
        ("a INT", "a INT NOT NULL", "'a' is declared INT, and is INT NOT NULL in the file"),
        ("a ARRAY<INT>", "a INT", "'a' is declared ARRAY<INT>, and is INT in the file"),
        (
            "a STRUCT<x: INT, y: STRUCT<z: INT>>",
            "a STRUCT<Y: STRUCT<Z: STRING>, X: INT>",
            "'a.y.z' is declared INT, and is STRING in the file",
        ),
        (
            "a ARRAY<STRUCT<x: INT>>",
            "a STRUCT<x: INT>",
            "'a' is declared ARRAY<STRUCT<x: INT>>, and is STRUCT<x: INT> in the file",
        ),
    ],
)
def test_a_file_whose_column_is_not_what_is_declared(declared: str, file: str, fault: str) -> None:
    """Both types are told. Only what is read is checked."""
    found = resolve(project([STAR], schema(declared)), columns(file))
    assert [(f.kind, f.message) for f in found.faults] == [("type-conflict", fault)]
    assert not resolve(project([("b",)], schema(declared)), columns(file)).faults
    assert not resolve(project([]), columns(file)).faults


def test_a_declared_struct_is_the_schemas() -> None:
    """Its order, spelling and members, whatever order, spelling and members the file has."""
    found = resolve(project([STAR], schema("a STRUCT<x: INT, y: STRING>")), columns("A STRUCT<z: INT, X: INT>"))
    assert shown(found) == "a: STRUCT<x: INT, y: STRING>"
    (source,) = (c.source for c in found.columns)
    assert isinstance(source, Members)
    assert [c.source for c in source.columns] == [FromReader(1), Absent(None)]


def test_text_is_read_as_what_is_declared() -> None:
    """A reader of text has no types, and nulls are found when the text is read; an array takes more than text."""
    file = columns("a STRING, b STRING")
    found = resolve(project([STAR], schema("a INT NOT NULL, b STRING")), file, text=True)
    assert shown(found) == "a: INT NOT NULL, b: STRING"
    assert [c.source for c in found.columns] == [FromReader(0, parsed=True), FromReader(1)]
    assert resolve(project([STAR], schema("a ARRAY<INT>")), file, text=True).faults


def test_names_of_a_file_that_differ_in_letter_case_alone() -> None:
    """They are a fault where the query reads them, and only there."""
    file = columns("a INT") + columns("A INT, b INT")
    assert [f.kind for f in resolve(project([STAR]), file).faults] == ["twins"]
    assert not resolve(project([("b",)]), file).faults


def test_the_array_of_cells_is_the_readers() -> None:
    """It is an array of text that is never null; a reader without it is at fault."""
    projection = project([("columns", 1)], columns_rule=ColumnsRule("required"))
    cells = Column(Field("columns", Array(STRING), nullable=False))
    assert shown(resolve(projection, (cells,))) == "columns: ARRAY<STRING> NOT NULL"
    assert [f.kind for f in resolve(projection, ()).faults] == ["columns-missing"]
    assert [f.kind for f in resolve(projection, columns("columns STRING")).faults] == ["type-conflict"]


def test_a_whole_struct_keeps_what_is_declared_of_its_nulls() -> None:
    """Where text carries it, the schema says whether it may be null."""
    declared = schema("a STRUCT<x: INT> NOT NULL")
    found = resolve(project([STAR], declared), columns("a STRUCT<x: INT>"), text=True)
    assert shown(found) == "a: STRUCT<x: INT> NOT NULL"
    assert isinstance(found.columns[0].field.type, Struct)
