"""What the path of a file says."""

from __future__ import annotations

import pytest

from lsqlc.scan.faults import Fault
from lsqlc.scan.special import FileColumn, FilePlace, Implicit, PartitionColumn, place, value_of


@pytest.mark.parametrize(
    ("path", "root", "expected"),
    [
        ("a/b/c.csv", "", FilePlace("a/b/c.csv", "a/b", "c.csv", "csv", ("a", "b"))),
        ("c.csv", "", FilePlace("c.csv", "", "c.csv", "csv", ())),
        ("/w/a/c.tar.gz", "/w", FilePlace("/w/a/c.tar.gz", "/w/a", "c.tar.gz", "gz", ("a",))),
        ("/w/a/c", "/w/", FilePlace("/w/a/c", "/w/a", "c", "", ("a",))),
        ("/c.csv", "/", FilePlace("/c.csv", "/", "c.csv", "csv", ())),
        ("/w/c.csv", "/w/c.csv", FilePlace("/w/c.csv", "/w", "c.csv", "csv", ())),
        ("/w/a/c.csv", None, FilePlace("/w/a/c.csv", "/w/a", "c.csv", "csv", ())),
        ("file:///w/a/c.csv", "file:/w", FilePlace("/w/a/c.csv", "/w/a", "c.csv", "csv", ("a",))),
        ("s3://bucket/w/a/c.csv", "s3://bucket/w", FilePlace("/w/a/c.csv", "/w/a", "c.csv", "csv", ("a",))),
    ],
)
def test_where_a_file_lies(path: str, root: str | None, expected: FilePlace) -> None:
    """The folders below the root are partitions; neither scheme nor authority is part of the path."""
    assert place(path, root) == expected


@pytest.mark.parametrize("path", ["/w/c.csv", "/d/c.csv", "c.csv"])
def test_a_file_that_lies_less_deep_than_the_root_is_a_fault(path: str) -> None:
    """Above the root, or elsewhere."""
    found = place(path, "/w/a")
    assert isinstance(found, Fault)
    assert found.message == f"'{path}' is not below '/w/a'"


def test_partitions_are_counted_by_depth() -> None:
    """What the folders of the root are called does not matter, and level 11 is the twelfth folder below it."""
    levels = [*map(str, range(11)), "d11"]
    found = place(f"hdfs:/x/{'/'.join(levels)}/z.csv", "hdfs:///w")
    assert isinstance(found, FilePlace)
    assert [value_of(PartitionColumn("x", level), found) for level in range(13)] == [*levels, None]


@pytest.mark.parametrize(
    ("what", "value"), [("fqn", "a/b/c.csv"), ("filepath", "a/b"), ("filename", "c.csv"), ("suffix", "csv")]
)
def test_the_values_of_implicit_columns(what: Implicit, value: str) -> None:
    """Never null."""
    found = place("a/b/c.csv", "")
    assert isinstance(found, FilePlace)
    assert value_of(FileColumn("x", what), found) == value
    assert not FileColumn("x", what).field.nullable


def test_a_file_that_lies_less_deep_has_null_partitions() -> None:
    """From the first folder that is not there."""
    found = place("a/b/c.csv", "")
    assert isinstance(found, FilePlace)
    assert [value_of(PartitionColumn("x", level), found) for level in range(3)] == ["a", "b", None]
