"""Files with many columns: what reading them takes grows with the number of columns, and no faster."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from lsqlc.connectors.seeding import SeedSpec, rows_of
from lsqlc.diagnostics import LsqlcError, Span
from lsqlc.lower.duckdb import bad_files, infer
from lsqlc.lower.duckdb.bad_files import BadRow
from lsqlc.scan.file_topics import opened, resolved
from lsqlc.types import data
from lsqlc.types.data import DataType, Field, Struct
from lsqlc.types.files import Files
from lsqlc.types.record import Facet, Topic
from tests.test_growth import steps

FILES = Files("data", "csv", defaults=(("c_0", "1"),))


def columns(number: int, type: DataType = data.INT) -> Struct:
    return Struct(tuple(Field(f"c_{i}", type) for i in range(number)))


def topic(number: int, files: Files | None = None) -> Topic:
    return Topic("t", Facet(data.INT, "int"), Facet(columns(number), "json"), files=files)


def seed(number: int, cell: str = "1", *, name: str = "c_{}", declared: int | None = None) -> None:
    header = ",".join(name.format(i) for i in range(number))
    row = ",".join([cell] * number)
    try:
        list(rows_of(f"{header}\n{row}\n".encode(), SeedSpec(Path("s.csv")), topic(declared or number)))
    except LsqlcError as error:
        assert error.diagnostics


class Described:
    """A connection to which each query has so many columns."""

    def __init__(self, number: int) -> None:
        self.description = [(f"c_{i}", "INTEGER") for i in range(number)]

    def execute(self, _: str) -> Any:
        return self


def inferred(number: int) -> None:
    found = infer._columns(Described(number), "", "t", Span("m", 1, 1, 1, 1), ())  # type: ignore[arg-type]
    assert len(found.fields) == number


WORK: Mapping[str, Callable[[int], object]] = {
    "a seed": seed,
    "a seed of a narrow topic": lambda n: seed(n, declared=2),
    "bad cells of a seed": lambda n: seed(n, "x"),
    "a topic of files": lambda n: opened(topic(n, FILES), [f"C_{i}" for i in range(n)]),
    "a file with text": lambda n: resolved(columns(n).fields, FILES, columns(n, data.STRING).fields, text=True),
    "a file with types": lambda n: resolved(columns(n).fields, FILES, columns(n).fields, text=False),
    "columns that nobody declares": inferred,
    "files that differ": lambda n: infer._together([("a", columns(n)), ("b", columns(n + 1))], columns(n)),
}


@pytest.mark.parametrize("name", WORK)
def test_twice_as_many_columns_take_twice_as_long(name: str) -> None:
    """In every step that looks for columns by their names."""
    _, once, twice = (steps(lambda n=n: WORK[name](n)) for n in (10, 150, 300))  # type: ignore[misc]
    assert twice < 2.2 * once


class Name(str):
    """A name that counts how often it is compared."""

    compared = 0

    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        Name.compared += 1
        return str.__eq__(self, other)


@pytest.mark.parametrize("known", ["c_{}", "d_{}"])
def test_the_names_of_a_header_are_compared_by_their_hashes(monkeypatch: pytest.MonkeyPatch, known: str) -> None:
    """So each is compared with few others, whether or not a field is called so."""
    from lsqlc.connectors import seeding

    Name.compared = 0
    header = [Name(known.format(i)) for i in range(1_000)]
    monkeypatch.setattr(seeding, "listing", lambda names: "")
    try:
        seeding._check_columns(header, SeedSpec(Path("s.csv")), topic(1_000), "s.csv")
    except LsqlcError as error:
        assert [d.code for d in error.diagnostics] == ["LSQ413"]
    assert Name.compared < 10 * 1_000


def test_suggestions_for_missing_columns_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    """A finding that is not shown has none."""
    from lsqlc.connectors import findings, seeding

    asked: list[str] = []
    monkeypatch.setattr(seeding, "did_you_mean", lambda name, names: asked.append(name))
    value = Struct(tuple(Field(f"x_{i}", data.INT, nullable=False) for i in range(1_000)))
    narrow = Topic("t", Facet(data.INT, "int"), Facet(value, "json"))
    with pytest.raises(LsqlcError) as refused:
        list(rows_of(b"a,b\n1,2\n", SeedSpec(Path("s.csv")), narrow))
    assert len(refused.value.diagnostics) == len(asked) == findings.LIMIT
    assert refused.value.diagnostics[-1].notes


def test_rejected_rows_are_placed_in_one_pass(tmp_path: Path) -> None:
    """Each line break is counted once, however many rows there are."""
    (tmp_path / "s.csv").write_bytes(b"a\n" * 100)
    assert bad_files.lines_at(tmp_path / "s.csv", [1, 2, 3, 199]) == [1, 2, 2, 100]
    before = steps(lambda: bad_files.lines_at(tmp_path / "s.csv", range(1, 100)))
    assert steps(lambda: bad_files.lines_at(tmp_path / "s.csv", range(1, 199))) < 2.2 * before


def test_bad_rows_of_many_columns_are_found_by_name(tmp_path: Path) -> None:
    """The columns of the header are looked through once."""

    def found(number: int) -> None:
        names = [f"c_{i}" for i in range(number)]
        (tmp_path / "s.csv").write_text(",".join(names) + "\n" + ",".join(["x"] * number) + "\n")
        bad = BadRow("t", "s.csv", None, "wrong", json.dumps(["x"] * number), 0)
        (row,) = bad_files.find_lines([bad], tmp_path, FILES, names)
        assert row.line == 2

    _, once, twice = (steps(lambda n=n: found(n)) for n in (10, 150, 300))  # type: ignore[misc]
    assert twice < 2.2 * once
