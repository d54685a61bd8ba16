"""Apache Drill's tests of what a scan projects: a case is a SELECT list, schemas, and what the scan makes of them.

Every expectation of a case is compared; one that is not understood here fails the case. Cells that come out of a
reader whose records the case does not give are not compared. An error counts only if it names the same rule.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from lsqlc.scan.columns import Column
from lsqlc.scan.columns_array import ColumnsArray, ColumnsRule
from lsqlc.scan.faults import Fault
from lsqlc.scan.projection import OutputColumn, ScanProjection, TableColumn, Wildcard, asks, project
from lsqlc.scan.reader import Absent, FromPath, FromReader, Members, Resolution, ResolvedColumn, resolve
from lsqlc.scan.request import Request, Requested, request
from lsqlc.scan.special import FileColumn, FilePlace, PartitionColumn, SpecialColumns, place, value_of
from lsqlc.types import data
from tests.corpora.drill_forms import Unlike, column, kinds_of, parsed, path, schema, shown, type_of
from tests.corpora.verdict import Verdict

Case = Mapping[str, Any]
_OPTIONS = {
    "implicit", "legacy_wildcard", "partition_depth", "root", "files", "tree", "columns_array", "null_type",
    "reader_row", "allow_other_cols",
}  # fmt: skip
# Layers whose readers have types of their own; those of the others deliver text under a declared type.
_TYPED = ("scan", "tracker")
_ANY = object()


def load(path: Path) -> list[dict[str, Any]]:
    """The cases of a file."""
    cases: list[dict[str, Any]] = json.loads(path.read_text("utf-8"))["cases"]
    return cases


def score(cases: Sequence[Case]) -> list[Verdict]:
    return [judge(case) for case in cases]


def judge(case: Case) -> Verdict:
    """What comes of one case. Its layer leads the name, so that the totals are by layer."""
    name = f"{case['layer']}#{case['id']}"
    try:
        _check(case)
    except Unlike as unlike:
        return Verdict(name, "failed", str(unlike))
    return Verdict(name, "passed")


def _check(case: Case) -> None:
    foreign = _foreign(case)
    if foreign:
        raise Unlike(foreign)
    made = _Made(case)
    expected = case["expect"]
    error = expected.get("error")
    if error:
        kinds = kinds_of(error)
        if not kinds:
            raise Unlike(f"no rule is known for {error}")
        at = error.get("on_column")
        if not any(f.kind in kinds and (at is None or at.lower() in f.column.lower().split(".")) for f in made.faults):
            raise Unlike(f"expected {sorted(kinds)}, found {[f.message for f in made.faults]}")
    elif made.projection.faults:
        raise Unlike(f"unexpected: {[f.message for f in made.projection.faults]}")
    for key, value in expected.items():
        if key != "error":
            check = _CHECKS.get(key)
            if check is None:
                raise Unlike(f"no scan has '{key}'")
            found = check(made, value)
            if found != value:
                raise Unlike(f"{key}: expected {value}, found {found}")


def _foreign(case: Case) -> str | None:
    """Why a case speaks of something that scans here do not have."""
    declared = (case["provided_schema"] or {}).get("columns", ())
    if any("implicit" in c for c in declared):
        return "the newer framework's tags, which make a declared column an implicit one"
    if case["expect"].get("metadata_scan"):
        return "the newer framework's internal columns for metadata queries"
    if "readers" in case["options"]:
        return "the newer framework's tracker, which learns a schema from one reader for the next"
    if case["expect"].get("columns") == ["cnt"]:
        return "counts records, which takes an engine"
    unknown = sorted(case["options"].keys() - _OPTIONS)
    return f"options {unknown} mean nothing here" if unknown else None


class _Made:
    """What scans make of a case."""

    def __init__(self, case: Case) -> None:
        options = case["options"]
        self.case, self.options = case, options
        files, root = options.get("files", ()), options.get("root")
        if "tree" in options:
            files, root = options["tree"], options["tree"][0].partition("/")[0]
        places = [place(f, root) for f in files]
        self.places = [p for p in places if isinstance(p, FilePlace)]
        select = case["projection"]
        self.select = None if select is None else [path(p) for p in select]
        self.request: Request = request(self.select)
        self.projection: ScanProjection = project(
            self.select, schema(case["provided_schema"]), special=self._special(), columns_rule=self._rule()
        )
        self.offered = [column(c) for c in case["reader_schema"] or self._cells()]
        kind = options.get("null_type", "INT").split()[0]
        self.resolution: Resolution = resolve(
            self.projection, self.offered, text=case["layer"] not in _TYPED, null_type=type_of(kind)
        )
        outside = [p for p in places if isinstance(p, Fault)]
        self.faults = (*outside, *self.projection.faults, *self.resolution.faults)

    def _special(self) -> SpecialColumns | None:
        if not (self.options.get("implicit") or self.case["layer"] == "path"):
            return None
        depth = self.options.get("partition_depth", max((len(p.partitions) for p in self.places), default=0))
        return SpecialColumns(partitions_in_wildcard=depth if self.options.get("legacy_wildcard") else 0)

    def _rule(self) -> ColumnsRule | None:
        """The files of the SQL cases have no header."""
        mode = "required" if "tree" in self.options else self.options.get("columns_array")
        if mode is None:
            return None
        others = bool(self.options.get("allow_other_cols"))
        return ColumnsRule("required" if mode == "required" else "disabled", others)

    def _cells(self) -> list[dict[str, Any]]:
        """The schema of a reader of files without a header, where the case gives none."""
        rule = self._rule()
        is_text = rule is not None and rule.mode == "required"
        return [{"name": "columns", "type": "VARCHAR", "mode": "REPEATED"}] if is_text else []

    @property
    def resolved(self) -> tuple[ResolvedColumn, ...]:
        if self.resolution.faults:
            raise Unlike(f"unexpected: {[f.message for f in self.resolution.faults]}")
        return self.resolution.columns


def _projection_type(made: _Made, expected: str) -> str:
    kind = made.projection.kind
    if expected not in ("ALL", "SOME", "NONE"):
        return kind.upper()
    if made.projection.reads_nothing:
        return "NONE"
    return "ALL" if kind in ("wildcard", "schema_wildcard") else "SOME"


def _output(made: _Made, expected: Sequence[Any]) -> list[Any]:
    """As far as the case says something: by name and type where it gives texts, else the keys that it has."""
    if any(isinstance(e, str) for e in expected):
        return [shown(c.field) for c in made.resolved]
    return _alike([_described(c) for c in made.projection.columns], expected)


def _described(output: OutputColumn) -> dict[str, Any]:
    match output:
        case Wildcard():
            return {"name": "**", "kind": "wildcard"}
        case FileColumn():
            return {"name": output.name, "kind": "file"}
        case PartitionColumn():
            return {"name": output.name, "kind": "partition"}
        case ColumnsArray():
            return {"name": output.name, "kind": "columns_array", **_indexes(output.indexes)}
        case TableColumn():
            return _requested(output.asked)


def _requested(asked: Requested) -> dict[str, Any]:
    return {
        "name": asked.name,
        "kind": "table",
        "refcount": asked.mentions,
        "tuple": None if asked.members is None else [m.name for m in asked.members],
        "dims": asked.dimensions,
        "is_array": asked.dimensions > 0,
        **_indexes(asked.indexes),
    }


def _indexes(indexes: Sequence[int] | None) -> dict[str, Any]:
    return {"indexes": None if indexes is None else list(indexes)}


def _alike(found: Sequence[dict[str, Any]], expected: Sequence[Mapping[str, Any]]) -> list[Any]:
    if len(found) != len(expected):
        return list(found)
    return [{k: f.get(k) for k in e} for f, e in zip(found, expected, strict=True)]


def _columns(made: _Made, expected: Sequence[Any]) -> list[Any]:
    if made.case["layer"] == "sql":
        # Drill's own test compares them by name.
        names = [c.name for c in made.resolved]
        return list(expected) if sorted(names) == sorted(expected) else names
    if made.case["layer"] != "parse":
        return [shown(c.field) for c in made.resolved]
    found = [_requested(c) for c in made.request.columns]
    # A list that is not there names no wildcard.
    if made.request.wildcard is not None and made.select is not None:
        found.insert(made.request.wildcard, {"name": "**", "kind": "wildcard"})
    return _alike(found, expected)


def _map_all(made: _Made, expected: Mapping[str, bool]) -> dict[str, bool]:
    return {c.name: c.members is None for c in made.request.columns if c.name in expected}


def _reader_projected(made: _Made, expected: Mapping[str, bool]) -> dict[str, bool]:
    offered = {c.name: c for c in made.offered}
    return {name: asks(made.projection, offered.get(name) or _plain(name)) for name in expected}


def _plain(name: str) -> Column:
    return Column(data.Field(name, data.INT))


def _resolution(made: _Made, expected: Any) -> Any:
    if expected is True:
        return made.projection.reads_nothing
    found: list[list[Any]] = []
    for resolved in made.resolved:
        match resolved.source:
            case FromReader(index):
                found.append([resolved.name, "reader", index])
            case Absent():
                found.append([resolved.name, "null", sum(f[1] == "null" for f in found)])
            case Members():
                found.append([resolved.name, "map", _members(resolved)])
            case FromPath():
                found.append([resolved.name, "implicit"])
    return found


def _members(resolved: ResolvedColumn) -> Any:
    match resolved.source:
        case Members(_, columns):
            return {c.name: _members(c) for c in columns}
        case FromReader():
            return "reader"
    return "null"


def _rows(made: _Made, expected: Sequence[Sequence[Any]]) -> list[list[Any]]:
    """A row per expected one, of the file in its place or of the only file; a cell that nobody knows is as expected."""
    places = made.places
    if "tree" in made.options and len(places) != len(expected):
        raise Unlike(f"rows: {len(places)} files and {len(expected)} rows")
    found = []
    for number, row in enumerate(expected):
        where = places[number if len(places) > 1 else 0] if places else None
        cells = [_cell(c, made, where) for c in made.resolved]
        if len(cells) != len(row):
            return [cells]
        found.append([e if c is _ANY else c for c, e in zip(cells, row, strict=True)])
    return found


def _cell(resolved: ResolvedColumn, made: _Made, where: FilePlace | None) -> Any:
    match resolved.source:
        case FromPath(of_path) if where:
            return value_of(of_path, where)
        case Absent(value):
            return value
        case FromReader(index, is_parsed) if "reader_row" in made.options:
            value = made.options["reader_row"].get(made.offered[index].name)
            return parsed(value, resolved.field.type) if is_parsed and value is not None else value
    return _ANY


def _values(made: _Made, expected: Mapping[str, Any]) -> dict[str, Any]:
    """By column of the one file, or by the names of files and columns."""
    if not made.places:
        raise Unlike("values: the case has no file")
    if not any(isinstance(v, Mapping) for v in expected.values()):
        return {name: _value(made, name, made.places[0]) for name in expected}
    named = [(p, expected[p.filename]) for p in made.places if p.filename in expected]
    return {where.filename: {name: _value(made, name, where) for name in names} for where, names in named}


def _value(made: _Made, name: str, where: FilePlace) -> str | None:
    columns = [c for c in made.projection.columns if isinstance(c, FileColumn | PartitionColumn) and c.name == name]
    if not columns:
        raise Unlike(f"'{name}' is no column of the path")
    return value_of(columns[0], where)


def _implicit(made: _Made) -> list[str]:
    return [shown(c.field) for c in made.projection.columns if isinstance(c, FileColumn | PartitionColumn)]


def _reader_input(made: _Made) -> list[str]:
    return ["**" if isinstance(c, Wildcard) else c.name for c in made.projection.columns if _of_table(c)]


def _of_table(output: OutputColumn) -> bool:
    return isinstance(output, TableColumn | Wildcard | ColumnsArray)


# By the key of an expectation: what was found, in the form of what is expected.
_CHECKS: dict[str, Callable[[_Made, Any], Any]] = {
    "projection_type": _projection_type,
    "requested": lambda made, _: made.projection.entries,
    "output": _output,
    "type": lambda made, _: made.request.kind.upper(),
    "columns": _columns,
    "map_all": _map_all,
    "reader_projected": _reader_projected,
    "reader_projected_by_name": _reader_projected,
    "resolved": _resolution,
    "rows": _rows,
    "values": _values,
    "implicit": lambda made, _: _implicit(made),
    "implicit_count": lambda made, _: len(_implicit(made)),
    "reader_input": lambda made, _: _reader_input(made),
}
