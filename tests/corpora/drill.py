"""Apache Drill's tests of what a scan projects: a case is a SELECT list, schemas, and what the scan makes of them.

Every expectation of a case is compared; one that is not understood here fails the case. Cells that come out of a
reader whose records the case does not give are not compared. An error counts only if it names the same rule. A case of
both of Drill's frameworks has to hold as either (`scan.projection.project`), and one of SQL runs on DuckDB.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from lsqlc.scan.columns import Column, Schema
from lsqlc.scan.columns_array import ColumnsArray, ColumnsRule
from lsqlc.scan.faults import Fault
from lsqlc.scan.learned import learn
from lsqlc.scan.projection import OutputColumn, ScanProjection, TableColumn, Wildcard, asks, project
from lsqlc.scan.reader import Absent, FromPath, FromReader, Members, Resolution, ResolvedColumn, resolve
from lsqlc.scan.request import Request, Requested, request
from lsqlc.scan.special import FileColumn, FilePlace, PartitionColumn, SpecialColumns, place, value_of
from lsqlc.types import data
from tests.corpora.drill_forms import Unlike, columns, kinds_of, parsed, path, schema, shown, type_of
from tests.corpora.drill_sql import check_sql
from tests.corpora.verdict import Verdict

Case = Mapping[str, Any]
_OPTIONS = {
    "implicit", "legacy_wildcard", "partition_depth", "root", "files", "tree", "columns_array", "null_type",
    "reader_row", "allow_other_cols", "readers", "allow_schema_change", "where",
}  # fmt: skip
# Whether the wildcard keeps its place, by the framework that a case was written for.
_IN_PLACE = {"v2": (False,), "v3": (True,), "both": (False, True)}
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
    if case["layer"] == "sql":
        check_sql(case)
        return
    for in_place in _IN_PLACE.get(case["engine"], (False, True)):
        _check_as(_Made(case, in_place=in_place))


def _check_as(made: _Made) -> None:
    expected = made.case["expect"]
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
    if case["expect"].get("metadata_scan"):
        return "columns that Drill's own metadata queries have, and no user's"
    unknown = sorted(case["options"].keys() - _OPTIONS)
    return f"options {unknown} mean nothing here" if unknown else None


class _Made:
    """What scans make of a case."""

    def __init__(self, case: Case, *, in_place: bool) -> None:
        options = case["options"]
        self.case, self.options, self.in_place = case, options, in_place
        places = [place(f, options.get("root")) for f in options.get("files", ())]
        self.places = [p for p in places if isinstance(p, FilePlace)]
        select = case["projection"]
        self.select = None if select is None else [path(p) for p in select]
        self.request: Request = request(self.select)
        declared = schema(case["provided_schema"])
        self.projection = self._project(declared)
        self.faults = [*(p for p in places if isinstance(p, Fault)), *self.projection.faults]
        kind = options.get("null_type", "INT").split()[0]
        self.behind = self.projection
        for reader in options.get("readers", [case["reader_schema"] or self._cells()]):
            self.offered = columns(reader)
            if "readers" in options:
                settles = not options.get("allow_schema_change", True)
                learned = learn(self.select, declared, self.offered, special=self._special(), settles=settles)
                declared = learned.schema
                self.faults += learned.faults
                self.behind = self._project(declared)
            self.resolution: Resolution = resolve(
                self.behind, self.offered, text=case["layer"] not in _TYPED, null_type=type_of(kind)
            )
            self.faults += self.resolution.faults

    def _project(self, declared: Schema | None) -> ScanProjection:
        """What is asked of a file, from what is known before it."""
        return project(
            self.select, declared, special=self._special(), columns_rule=self._rule(), in_place=self.in_place
        )

    def _special(self) -> SpecialColumns | None:
        if not (self.options.get("implicit") or self.case["layer"] == "path"):
            return None
        depth = self.options.get("partition_depth", max((len(p.partitions) for p in self.places), default=0))
        return SpecialColumns(partitions_in_wildcard=depth if self.options.get("legacy_wildcard") else 0)

    def _rule(self) -> ColumnsRule | None:
        mode = self.options.get("columns_array")
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
    if not {"ALL", "SOME", "NONE"}.issuperset(expected.split(" then ")):
        return made.projection.kind.upper()
    found = [_reduced(made.projection), _reduced(made.behind)]
    return " then ".join(dict.fromkeys(found)) if " then " in expected else found[0]


def _reduced(projection: ScanProjection) -> str:
    if projection.reads_nothing:
        return "NONE"
    return "ALL" if projection.kind in ("wildcard", "schema_wildcard") else "SOME"


def _output(made: _Made, expected: Sequence[Any]) -> list[Any]:
    """As far as the case says something: by name and type where it gives texts, else the keys that it has."""
    if any(isinstance(e, str) for e in expected):
        return [shown(c.field) for c in made.resolved]
    known = made.projection.schema.by_name if made.projection.schema else {}
    return _alike([_described(c, is_declared=c.name.lower() in known) for c in made.projection.columns], expected)


def _described(output: OutputColumn, *, is_declared: bool) -> dict[str, Any]:
    marks = dict.fromkeys(_MARKS, is_declared)
    match output:
        case Wildcard():
            return {"name": "**", "kind": "wildcard"}
        case FileColumn():
            return {"name": output.name, "kind": "file", **marks, **_typed(output.field)}
        case PartitionColumn():
            return {
                "name": output.name,
                "kind": "partition",
                "partition": output.level,
                **marks,
                **_typed(output.field),
            }
        case ColumnsArray():
            return {"name": output.name, "kind": "columns_array", **_indexes(output.indexes)}
        case TableColumn():
            declared = output.declared
            return _requested(output.asked) | marks | (_typed(declared.field) if declared else {})


# By any of these a case says whether a column's type is that of the provided schema.
_MARKS = ("declared", "provided", "from_schema", "has_schema", "in_schema", "schema", "metadata", "has_metadata")


def _typed(field: data.Field) -> dict[str, Any]:
    type = shown(field).removeprefix(f"{field.name} ").removesuffix(" NULL")
    return {"type": type, "mode": "OPTIONAL" if field.nullable else "REPEATED" if type.endswith("[]") else "REQUIRED"}


def _requested(asked: Requested) -> dict[str, Any]:
    return {
        "name": asked.name,
        "kind": "table",
        "refcount": asked.mentions,
        "tuple": asked,
        "dims": asked.dimensions,
        "is_array": asked.dimensions > 0,
        "is_simple": asked.is_plain,
        "is_tuple": asked.is_struct,
        "is_map": asked.is_struct,
        **_indexes(asked.indexes),
    }


def _indexes(indexes: Sequence[int] | None) -> dict[str, Any]:
    return {"indexes": None if indexes is None else list(indexes), "has_indexes": indexes is not None}


def _alike(found: Sequence[dict[str, Any]], expected: Sequence[Any]) -> list[Any]:
    """What was found, in the form of what is expected: names, or the keys that each has."""
    if len(found) != len(expected):
        return [f["name"] for f in found]
    return [_like(f, e) for f, e in zip(found, expected, strict=True)]


def _like(found: dict[str, Any], expected: Any) -> Any:
    if isinstance(expected, str):
        return found["name"]
    if "tuple" in found and not found.keys() & expected.keys():
        # A member by its name, with its own members.
        return {found["name"]: _members_like(found["tuple"], expected.get(found["name"]))}
    values = {k: found.get(k) for k in expected}
    if isinstance(values.get("tuple"), Requested):
        values["tuple"] = _members_like(found["tuple"], expected["tuple"])
    return values


def _members_like(asked: Requested, expected: Any) -> Any:
    """None: members are not restricted; else those that are named, each as a name or with what is said of it, or by
    name, with their own members.
    """
    if expected is None:
        return None if asked.is_whole else [m.name for m in asked.named]
    if isinstance(expected, Mapping):
        return {m.name: _members_like(m, expected.get(m.name)) for m in asked.named}
    return _alike([_requested(m) for m in asked.named], expected)


def _columns(made: _Made, expected: Sequence[Any]) -> list[Any]:
    if made.case["layer"] != "parse":
        return [shown(c.field) for c in made.resolved]
    found = [_requested(c) for c in made.request.columns]
    # A list that is not there names no wildcard, and the newer framework keeps its position apart.
    named = any(e in _STARS or (isinstance(e, Mapping) and e.get("name") in _STARS) for e in expected)
    if made.request.wildcard is not None and made.select is not None and (named or not made.in_place):
        found.insert(made.request.wildcard, {"name": "**", "kind": "wildcard"})
    return _alike(found, expected)


_STARS = ("*", "**")


def _map_all(made: _Made, expected: Mapping[str, bool]) -> dict[str, bool]:
    """Whether all members are wanted; of what nobody asks for none are."""
    return {name: (found := _asked(made, name)) is not None and found.is_whole for name in expected}


def _asked(made: _Made, name: str) -> Requested | None:
    """A column, or a member by its path, as the list asks for it."""
    found: Requested | None = None
    members: Sequence[Requested] = made.request.columns
    for step in name.split("."):
        if found is not None and found.is_whole and step not in {m.name for m in members}:
            return Requested(step)
        found = next((m for m in members if m.name.lower() == step.lower()), None)
        if found is None:
            return None
        members = found.named
    return found


def _reader_projected(made: _Made, expected: Mapping[str, bool]) -> dict[str, bool]:
    offered = {c.name: c for c in made.offered}
    found: dict[str, bool] = {}
    for name in expected:
        root, dot, _ = name.partition(".")
        is_asked = asks(made.projection, offered.get(root) or _plain(root))
        found[name] = is_asked and (not dot or _asked(made, name) is not None or _asked(made, root) is None)
    return found


def _plain(name: str) -> Column:
    return Column(data.Field(name, data.INT))


def _resolution(made: _Made, expected: Any) -> Any:
    if isinstance(expected, bool):
        known = (not isinstance(c, TableColumn) or c.declared is not None for c in made.behind.columns)
        return all(known) and not any(isinstance(c, Wildcard) for c in made.behind.columns)
    found: list[list[Any]] = []
    for resolved in made.resolved:
        match resolved.source:
            case FromReader(index):
                found.append([resolved.name, "reader", index])
            case Absent():
                found.append([resolved.name, "null", sum(f[1] == "null" for f in found)])
            case Members():
                found.append([resolved.name, "map", _members(resolved, _of_map(expected, len(found)))])
            case FromPath():
                found.append([resolved.name, "implicit"])
    return found


def _of_map(expected: Any, place: int) -> Any:
    """What is expected of the members of a column, by its place."""
    entry: Sequence[Any] = expected[place] if isinstance(expected, Sequence) and place < len(expected) else ()
    return entry[2] if len(entry) > 2 else None


def _members(resolved: ResolvedColumn, expected: Any) -> Any:
    """By name where each comes from, or only the names where names are expected."""
    match resolved.source:
        case Members(_, columns) if isinstance(expected, Sequence):
            return [c.name for c in columns]
        case Members(_, columns):
            known = expected if isinstance(expected, Mapping) else {}
            return {c.name: _members(c, known.get(c.name)) for c in columns}
        case FromReader():
            return "reader"
    return "null"


def _rows(made: _Made, expected: Sequence[Sequence[Any]]) -> list[list[Any]]:
    """A row per expected one, of the file in its place or of the only file; a cell that nobody knows is as expected."""
    places = made.places
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
    "wildcard_position": lambda made, _: -1 if made.request.wildcard is None else made.request.wildcard,
    "reader_projected": _reader_projected,
    "reader_projected_by_name": _reader_projected,
    "resolved": _resolution,
    "rows": _rows,
    "values": _values,
    "implicit": lambda made, _: _implicit(made),
    "implicit_count": lambda made, _: len(_implicit(made)),
    "reader_input": lambda made, _: _reader_input(made),
}
