"""What a SELECT list asks of each column, and the part of a type that it needs."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lsqlc.scan.prune import prune
from lsqlc.scan.request import Path, Requested, exactly, request
from lsqlc.types.data import BIGINT, INT, STRING, Array, DataType, Field, Map, Struct


def test_no_list_an_empty_list_and_a_wildcard() -> None:
    """No list is everything, an empty one nothing, and a `*` anywhere everything."""
    assert [request(s).kind for s in (None, [], [()], [("a",), ()], [("a",)])] == ["all", "none", "all", "all", "some"]


def test_the_first_spelling_and_place_of_a_name_stay() -> None:
    """Names merge letter case aside, members too, and every mention counts."""
    found = request([("B", "x"), ("a",), ("b", "X"), ("b", "Y")])
    assert [(c.name, c.mentions) for c in found.columns] == [("B", 3), ("a", 1)]
    assert [m.name for m in found.columns[0].members or ()] == ["x", "Y"]
    assert [c.name for c in request([("B",), ("b",)], exactly).columns] == ["B", "b"]


def test_the_place_of_the_wildcard_counts_merged_columns() -> None:
    """It stands where it is first written, behind the columns that the list names before it."""
    found = request([("a",), ("A",), ("b",), (), ("c",), ()])
    assert (found.wildcard, found.entries, len(found.columns)) == (2, 6, 3)


@pytest.mark.parametrize("select", [*itertools.permutations([("a",), ("a", "x"), ("a", "y", "z"), ("a", 3)])])
def test_a_name_by_itself_asks_for_all_of_it(select: tuple[Path, ...]) -> None:
    """Wherever it stands; that the query reads members and elements is still known."""
    (asked,) = request(select).columns
    assert (asked.members, asked.indexes, asked.dimensions, asked.is_struct) == (None, None, 1, True)


def test_indexes_of_the_first_dimension_merge_in_order() -> None:
    """`a[3]`, `a[1][0]`, `a[3]`: elements 1 and 3, of two dimensions; no element is read as a struct."""
    (asked,) = request([("a", 3), ("a", 1, 0), ("a", 3)]).columns
    assert asked == Requested("a", dimensions=2, indexes=(1, 3), mentions=3)


def test_members_of_elements_merge() -> None:
    """`a[0].x`, `a[2].y[1]`: members x and y of the elements 0 and 2, and element 1 of y."""
    (asked,) = request([("a", 0, "x"), ("a", 2, "y", 1)]).columns
    assert (asked.indexes, asked.dimensions) == ((0, 2), 1)
    assert asked.members == (Requested("x"), Requested("y", dimensions=1, indexes=(1,)))


def test_a_member_of_every_element_lifts_the_indexes() -> None:
    """`m.a` over an array speaks of each element, `m[0].b` of one: all elements are needed."""
    (asked,) = request([("m", "a"), ("m", 0, "b")]).columns
    assert (asked.indexes, [m.name for m in asked.members or ()]) == (None, ["a", "b"])


def test_a_whole_element_before_members_stays_whole() -> None:
    """`m[0]`, `m.a`: the element with all that it has, of which `a` is named."""
    (asked,) = request([("m", 0), ("m", "a")]).columns
    assert (asked.members, asked.named) == (None, (Requested("a"),))


def test_members_of_members_keep_what_is_said_of_them() -> None:
    """`a.b.c`, `a.d`, `a.B.c[1][2]`: names at every depth, each with its mentions, dimensions and elements."""
    (asked,) = request([("a", "b", "c"), ("a", "d"), ("a", "B", "c", 1, 2)]).columns
    assert (asked.mentions, [(m.name, m.mentions) for m in asked.named]) == (3, [("b", 2), ("d", 1)])
    (inner,) = asked.named[0].named
    assert (inner.name, inner.mentions, inner.dimensions, inner.indexes) == ("c", 2, 2, None)
    assert asked.named[1] == Requested("d")


@pytest.mark.parametrize("every", [("a",), ("a", None)])
@pytest.mark.parametrize("first", [True, False])
def test_what_is_named_of_a_whole_is_known(every: Path, first: bool) -> None:
    """`a` or `a.*` asks for all of it, and `a.x` beside it is remembered, in either order."""
    select = [every, ("a", "x")] if first else [("a", "x"), every]
    (asked,) = request(select).columns
    assert (asked.is_whole, asked.members, [m.name for m in asked.named]) == (True, None, ["x"])


def test_every_member_makes_a_struct() -> None:
    """`a.*` says that `a` is one, though it names no member."""
    (asked,) = request([("a", None)]).columns
    assert asked == Requested("a", is_struct=True)


TYPE = Struct((
    Field("a", Struct((Field("x", INT), Field("y", Struct((Field("z", STRING), Field("w", BIGINT))))))),
    Field("b", Array(Struct((Field("p", INT), Field("q", STRING))))),
    Field("A", STRING),
    Field("m", Map(STRING, INT)),
))  # fmt: skip
_PATHS: list[Path] = [
    (), ("a",), ("a", "x"), ("a", "y"), ("a", "y", "z"), ("b",), ("b", 0), ("b", 1, "p"), ("b", "q"), ("A",), ("m",),
]  # fmt: skip


def reads(type: DataType, path: Path) -> DataType | None:
    """What a path reads of a type, None if it cannot."""
    for step in path:
        if isinstance(step, int):
            type = type.element if isinstance(type, Array) else type
            continue
        if isinstance(type, Array):
            type = type.element
        field = type.field(step) if isinstance(type, Struct) and step is not None else None
        if field is None:
            return None
        type = field.type
    return type


@given(st.lists(st.sampled_from(_PATHS), min_size=1).flatmap(lambda p: st.tuples(st.just(p), st.permutations(p))))
def test_a_pruned_type_has_what_each_path_reads(paths: tuple[list[Path], list[Path]]) -> None:
    """Just as it was, and in whatever order the query names it; names over topics compare exactly."""
    found = prune(TYPE, paths[0])
    assert found == prune(TYPE, paths[1])
    for path in paths[0]:
        if not any(other != path and path == other[: len(path)] for other in paths[0]):
            assert reads(found, path) == reads(TYPE, path)


@pytest.mark.parametrize(
    ("paths", "expected"),
    [
        ([("a", "y", "w")], "STRUCT<a: STRUCT<y: STRUCT<w: BIGINT>>>"),
        ([("b", 2, "q"), ("A",)], "STRUCT<b: ARRAY<STRUCT<q: STRING>>, A: STRING>"),
        ([("m", "key")], "STRUCT<m: MAP<STRING,INT>>"),
        ([], "STRUCT<A: STRING>"),
    ],
)
def test_a_pruned_type_has_no_more(paths: list[Path], expected: str) -> None:
    """In the order of the type; the smallest field stays where nothing is read, and a map is never cut."""
    assert str(prune(TYPE, paths)) == expected
