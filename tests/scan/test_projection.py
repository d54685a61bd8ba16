"""What a query asks of a scan, before any file is seen."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from lsqlc.scan.columns import Column, Schema
from lsqlc.scan.columns_array import ColumnsArray, ColumnsRule
from lsqlc.scan.projection import OutputColumn, ScanProjection, TableColumn, asks, project
from lsqlc.scan.request import Path
from lsqlc.scan.special import FileColumn, PartitionColumn, SpecialColumns
from lsqlc.types.data import BIGINT, INT, STRING, Array, DataType, Field

STAR: Path = ()
SPECIAL = SpecialColumns()
CELLS = ColumnsRule("required")


def schema(*names: str, strict: bool = False, by_name: str = "") -> Schema:
    return Schema(tuple(Column(Field(n, INT), in_wildcard=n != by_name) for n in names), strict)


def names(projection: ScanProjection) -> list[str]:
    return [c.name for c in projection.columns]


def offered(projection: ScanProjection, *columns: str) -> list[str]:
    return [n for n in columns if asks(projection, Column(Field(n, STRING)))]


@pytest.mark.parametrize(
    ("select", "declared", "kind"),
    [
        (None, None, "wildcard"),
        ([], schema("a"), "empty"),
        ([("a",)], schema("a", strict=True), "explicit"),
        ([("a",), STAR], None, "wildcard"),
        ([STAR], schema("a"), "schema_wildcard"),
        ([STAR], schema("a", strict=True), "strict_schema_wildcard"),
        ([STAR], Schema((), strict=True), "wildcard"),
    ],
)
def test_the_kind_of_a_projection(select: list[Path] | None, declared: Schema | None, kind: str) -> None:
    """By the wildcard and the schema; a schema without columns is none."""
    assert project(select, declared).kind == kind


def test_columns_beside_a_wildcard_fall_away() -> None:
    """The wildcard has them; it keeps its place among the columns of the path."""
    found = project([("a",), ("filename",), STAR, ("b", "x"), ("dir0",)], special=SPECIAL)
    assert names(found) == ["filename", "*", "dir0"]
    assert offered(found, "a", "filename", "z") == ["a", "z"]


def test_a_wildcard_stands_for_the_schema_in_its_place() -> None:
    """In the schema's order and spelling, wherever the list names its columns."""
    found = project([("suffix",), ("b",), STAR, ("fqn",)], schema("B", "a"), special=SPECIAL)
    assert names(found) == ["suffix", "B", "a", "fqn"]


def test_a_column_by_name_only_is_there_if_it_is_named() -> None:
    """A wildcard lacks it, and so it does not fall away beside one."""
    declared = schema("a", "b", by_name="b")
    assert names(project([STAR], declared)) == ["a"]
    assert names(project([STAR, ("B",)], declared)) == ["a", "B"]
    assert offered(project([STAR], declared), "a", "b", "c") == ["a", "c"]


@pytest.mark.parametrize(
    ("select", "declared", "wanted"),
    [
        ([], None, []),
        ([("A",), ("x",)], None, ["a", "x"]),
        ([("A",), ("x",)], schema("a"), ["a", "x"]),
        ([("A",), ("x",)], schema("a", strict=True), ["a"]),
        ([STAR], None, ["a", "b", "x"]),
        ([STAR], schema("a"), ["a", "b", "x"]),
        ([STAR], schema("a", strict=True), ["a"]),
        ([("filename",), ("dir9",)], None, []),
    ],
)
def test_a_reader_is_asked_for_what_is_needed(select: list[Path], declared: Schema | None, wanted: list[str]) -> None:
    """A strict schema keeps other columns out even where the query names them; columns of the path need no reader."""
    assert offered(project(select, declared, special=SPECIAL), "a", "b", "x") == wanted


def test_a_reader_keeps_its_own_special_columns_out_of_a_wildcard() -> None:
    """Unless the query names them."""
    tagged = Column(Field("a", INT), in_wildcard=False)
    assert not asks(project([STAR]), tagged)
    assert asks(project([("A",)]), tagged)


@pytest.mark.parametrize("select", [[], [("fqn",), ("DIR0",)]])
def test_a_query_may_need_no_column_of_a_file(select: list[Path]) -> None:
    """To count its records, or to read its path."""
    assert project(select, special=SPECIAL).reads_nothing


def test_special_columns_are_known_letter_case_aside_and_by_themselves() -> None:
    """The list's spelling stays; as a struct or an array, or in a source without it, the name is the file's."""
    select: list[Path] = [("FileName",), ("filename2",), ("Dir12",), ("dir",), ("fqn", "x"), ("dir0", 1)]
    found = project(select, special=SPECIAL).columns
    assert found[0] == FileColumn("FileName", "filename")
    assert found[2] == PartitionColumn("Dir12", 12)
    assert [isinstance(c, FileColumn | PartitionColumn) for c in found] == [True, False, True, False, False, False]
    renamed = SpecialColumns(fqn="whole", suffix="", partition="level")
    columns = project([("WHOLE",), ("fqn",), ("suffix",), ("level1",), ("dir1",)], special=renamed).columns
    assert [isinstance(c, FileColumn | PartitionColumn) for c in columns] == [True, False, False, True, False]
    assert not project([("filename",)]).reads_nothing


def test_a_column_that_is_also_named_with_a_member_is_the_files() -> None:
    """`filename` beside `filename.x` is a struct of the file."""
    assert not project([("filename",), ("filename", "x")], special=SPECIAL).reads_nothing


def test_partitions_follow_a_wildcard_where_that_is_wanted() -> None:
    """At the end, without those that the list names, and only beside a wildcard."""
    special = SpecialColumns(partitions_in_wildcard=3)
    assert names(project([STAR, ("Dir1",), ("suffix",)], special=special)) == ["*", "Dir1", "suffix", "dir0", "dir2"]
    assert names(project([("a",)], special=special)) == ["a"]


def test_a_wildcard_in_its_place_has_its_partitions_there() -> None:
    """Behind the columns of the file, in the order of their levels, and without those that the list names anywhere."""
    special = SpecialColumns(partitions_in_wildcard=12)
    found = names(project([("filename",), STAR, ("suffix",), ("DIR0",)], special=special, in_place=True))
    assert found == ["filename", "*", *(f"dir{n}" for n in range(1, 12)), "suffix", "DIR0"]


def test_a_wildcard_in_its_place_leaves_named_columns_in_theirs() -> None:
    """But for those behind it that it has: a schema's are known at once, a file's when it is opened."""
    select: list[Path] = [("x",), ("b",), STAR, ("a",), ("y",)]
    assert names(project(select, schema("a", "B", "c"), in_place=True)) == ["x", "b", "a", "c", "y"]
    assert names(project(select, in_place=True)) == ["x", "b", "*", "a", "y"]
    found = project(select, in_place=True)
    assert offered(found, "a", "b", "x", "z") == ["a", "b", "x", "z"]


def test_a_schema_marks_the_columns_that_it_has() -> None:
    """Under a wildcard as where the list names them, members or not; the rest has no mark."""
    declared = schema("a", "b")
    columns = project([("x",), ("A",), ("b",)], declared).columns
    assert [c.declared.name if isinstance(c, TableColumn) and c.declared else None for c in columns] == [None, "a", "b"]
    columns = project([STAR], declared).columns
    assert [c.declared for c in columns if isinstance(c, TableColumn)] == [*declared.columns]


def of_path(name: str, what: str, type: DataType = STRING, *, nullable: bool = True) -> Column:
    return Column(Field(name, type, nullable), of_path=what)


def test_a_schema_can_say_that_a_column_is_one_of_the_path() -> None:
    """Under its own name and in its own place, by whatever letter case; a wildcard adds no second one of a level."""
    year = of_path("year", "DIR0")
    declared = Schema((year, Column(Field("a", INT)), of_path("file", "FileName", nullable=False)))
    special = SpecialColumns(partitions_in_wildcard=2)
    found = project([STAR], declared, special=special)
    assert found.columns[0] == PartitionColumn("year", 0)
    assert found.columns[2:] == (FileColumn("file", "filename"), PartitionColumn("dir1", 1))
    assert offered(found, "year", "a", "file", "z") == ["a", "z"]
    assert names(project([STAR, ("Year",)], declared, special=special)) == ["year", "a", "file", "dir1"]
    assert names(project([("Year",), STAR], declared, special=special)) == ["Year", "a", "file", "dir1"]


def test_a_column_of_the_path_by_its_declared_name_reads_no_column() -> None:
    """As by the name that each source has for it, which goes on; one that no wildcard has is got by name."""
    declared = Schema((of_path("year", "dir0"), replace(of_path("file", "filename"), in_wildcard=False)))
    found = project([("YEAR",), ("File",), ("dir0",)], declared, special=SPECIAL)
    assert found.columns == (
        PartitionColumn("YEAR", 0), FileColumn("File", "filename", nullable=True), PartitionColumn("dir0", 0),
    )  # fmt: skip
    assert found.reads_nothing
    assert names(project([STAR], declared, special=SPECIAL)) == ["year"]
    assert names(project([STAR, ("file",)], declared, special=SPECIAL)) == ["year", "file"]


@pytest.mark.parametrize(
    ("column", "kind"),
    [
        (of_path("x", "fqn"), None),
        (of_path("x", "suffix", nullable=False), None),
        (of_path("x", "fqn", INT), "path-type"),
        (of_path("x", "fqn", Array(STRING)), "path-type"),
        (of_path("x", "dir0", INT), "path-type"),
        (of_path("x", "dir0", nullable=False), "path-type"),
        (of_path("x", "lmt"), "path-unknown"),
        (of_path("x", "dir"), "path-unknown"),
        (of_path("x", "dir0000000001"), "path-unknown"),
        (of_path("x", ""), "path-unknown"),
    ],
)
def test_what_a_column_of_the_path_may_be(column: Column, kind: str | None) -> None:
    """A STRING, and for a folder one that may be null; of what the path has. It is a fault whatever the list asks."""
    for select in (None, [("a",)], [("x",)]):
        found = project(select, Schema((Column(Field("a", INT)), column)), special=SPECIAL)
        assert [(f.kind, f.column) for f in found.faults] == ([(kind, "x")] if kind else [])


def test_the_members_of_a_column_of_the_path_are_none() -> None:
    """`year.x` speaks of what is declared, and that is STRING."""
    declared = Schema((of_path("year", "dir0"),))
    assert [f.kind for f in project([("year", "x")], declared, special=SPECIAL).faults] == ["not-a-struct"]


@pytest.mark.parametrize(
    ("select", "column"),
    [
        ([STAR], ColumnsArray("columns")),
        ([("Columns",)], ColumnsArray("Columns")),
        ([("columns", 4), ("columns", 0)], ColumnsArray("columns", (0, 4))),
        ([("columns", 4), ("columns",)], ColumnsArray("columns")),
        ([("columns", 4), STAR], ColumnsArray("columns")),
        ([STAR, ("Columns", 2), STAR], ColumnsArray("Columns")),
    ],
)
def test_the_cells_of_a_line_are_one_column(select: list[Path], column: OutputColumn) -> None:
    """The wildcard, `columns` and its elements collapse; elements only limit it where nothing asks for all."""
    found = project([("filename",), *select, ("dir0",)], special=SPECIAL, columns_rule=CELLS)
    assert not found.faults
    assert (found.columns[1], len(found.columns)) == (column, 3)
    assert offered(found, "COLUMNS", "a") == ["COLUMNS"]


@pytest.mark.parametrize(
    ("select", "kinds"),
    [
        ([("a",), ("columns",), ("b",)], ["columns-with-others", "columns-with-others"]),
        ([("columns", 1), ("a",)], ["columns-with-others"]),
        ([STAR, ("a",)], ["columns-with-others"]),
        ([("a",), ("dir0",)], ["columns-alone"]),
        ([("columns",), ("dir0", 1)], ["columns-with-others"]),
        ([("columns", "x")], ["columns-members"]),
        ([("columns", 0, "x")], ["columns-members"]),
        ([("columns", 65_535)], []),
        ([("columns", 65_536), ("columns", 70_000)], ["columns-index", "columns-index"]),
    ],
)
def test_what_cannot_be_read_of_a_file_without_a_header(select: list[Path], kinds: list[str]) -> None:
    """All that is wrong is told at once."""
    assert [f.kind for f in project(select, special=SPECIAL, columns_rule=CELLS).faults] == kinds


@pytest.mark.parametrize(
    ("select", "kinds"),
    [
        ([("a",), ("m", "x"), ("b", 1)], []),
        ([("columns", "x")], []),
        ([("columns",), ("a",)], ["columns-with-others"]),
        ([STAR, ("a", "x")], ["columns-with-others"]),
        ([("columns", 70_000)], ["columns-index"]),
    ],
)
def test_a_source_of_cells_may_have_other_columns(select: list[Path], kinds: list[str]) -> None:
    """They are read without `columns`, which may have members then; together they cannot be read all the same."""
    rule = ColumnsRule("required", others=True)
    assert [f.kind for f in project(select, special=SPECIAL, columns_rule=rule).faults] == kinds


@pytest.mark.parametrize("strict", [False, True])
def test_columns_of_the_path_keep_their_places_around_a_schema(strict: bool) -> None:
    """Those that the list names stand where it names them; partitions that nobody names are last of all, behind what
    the schema gives, and a schema does not make the path's names its own.
    """
    special = SpecialColumns(partitions_in_wildcard=2)
    found = project([("DIR1",), STAR, ("filename",), ("b",)], schema("a", "b", strict=strict), special=special)
    assert names(found) == ["DIR1", "a", "b", "filename", "dir0"]
    assert not project([STAR], schema("a"), special=SPECIAL).reads_nothing


def test_a_strict_schema_stands_for_what_it_has_and_the_list_for_the_rest() -> None:
    """A name beyond a strict schema stays in the output, and no reader is asked for it; beside a `*` it falls away."""
    declared = schema("a", strict=True)
    found = project([("z",), ("A",)], declared)
    assert (names(found), offered(found, "a", "z")) == (["z", "A"], ["a"])
    assert names(project([("z",), STAR], declared)) == ["a"]


def test_columns_is_a_name_like_any_other_where_it_is_disabled() -> None:
    """A column by number is refused unless the source has arrays of its own."""
    select: list[Path] = [("columns",), ("a", 1)]
    disabled = project(select, columns_rule=ColumnsRule("disabled"))
    assert ([f.column for f in disabled.faults], names(disabled)) == (["a"], ["columns", "a"])
    assert not project(select, columns_rule=ColumnsRule("disabled", others=True)).faults
    assert not project(select).faults


def test_members_of_what_is_declared_without_are_found_before_any_file() -> None:
    """A declared INT has no members and no elements."""
    found = project([("A", "x"), ("b", 0), ("c", "x")], schema("a", "b")).faults
    assert [(f.kind, f.column) for f in found] == [("not-a-struct", "A"), ("not-an-array", "b")]
    assert found[0].message == "the query reads members of 'A', which is INT and not a struct"


def test_a_schema_of_one_name_twice_is_refused() -> None:
    """Letter case makes no other name."""
    declared = Schema((Column(Field("a", INT)), Column(Field("b", INT)), Column(Field("A", BIGINT))))
    assert [f.message for f in project([STAR], declared).faults] == ["'a', 'A' only differ in letter case"]
