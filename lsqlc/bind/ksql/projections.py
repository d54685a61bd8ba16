"""The SELECT list of ksqlDB: names of columns, and the columns of the key.

The projection of a persistent query has each key column once, under any name and in any position. AS_VALUE copies it.
At least one column is in the value. Columns without alias have generated names: KSQL_COL_0, KSQL_COL_1, ..., and the
field's name for a field of a struct.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count

from lsqlc.bind.columns import Column
from lsqlc.bind.field_names import Taken
from lsqlc.bind.findings import Findings
from lsqlc.bind.ksql.corrections import free_name, with_columns, with_item
from lsqlc.bind.ksql.joins import Input, column_text
from lsqlc.bind.ksql.record_positions import PLACES, leaks_system, unplaced
from lsqlc.bind.ksql.scope import SYSTEM
from lsqlc.diagnostics import listing
from lsqlc.diagnostics.source import Extent
from lsqlc.plan.expression import Expression
from lsqlc.syntax import tree
from lsqlc.syntax.ksql import tree as ksql
from lsqlc.syntax.ksql.text import name_text, text_of
from lsqlc.types import data

# The words for the key of a result in a message, by its origin.
KEY, PARTITIONING, GROUPING, JOIN = "key column", "partitioning expression", "grouping expression", "join expression"


@dataclass(frozen=True, slots=True)
class KeyPart:
    """One key column of the result.

    `expressions`: the expressions of it that the projection may have, each with its text. A join has more than one,
    whose columns are equal.
    """

    expressions: tuple[Expression, ...]
    texts: tuple[str, ...]
    name: str | None


@dataclass(frozen=True, slots=True)
class Keys:
    """The key that the projection must have. `kind` is one of the words above; `why` is a note for the error."""

    kind: str
    parts: tuple[KeyPart, ...]
    why: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Listed:
    """One column of the projection, with stars expanded.

    `bound`: its expression before any grouping; None if it has an aggregate, or an error. `source`: its text, None for
    a column of a star.
    """

    name: str
    bound: Expression | None
    source: tree.Expression | None
    at: Extent


@dataclass(slots=True)
class Names:
    """A generator of names that no column of the sources has."""

    used: set[str]
    numbers: Iterator[int] = field(default_factory=count)

    def generated(self) -> str:
        return self._take(next(n for n in (f"KSQL_COL_{i}" for i in self.numbers) if n not in self.used))

    def of_field(self, name: str) -> str:
        """Return the name of a struct's field, with a number if it is used already."""
        return self._take(next(n for n in (name, *(f"{name}_{i}" for i in range(1, 1000))) if n not in self.used))

    def _take(self, name: str) -> str:
        self.used.add(name)
        return name


def listed(
    query: ksql.Query,
    query_input: Input,
    keys: Keys,
    bind: Callable[[tree.Expression], Expression | None],
    findings: Findings,
) -> list[Listed]:
    """Return the columns of the projection by name, in order.

    `bind`: returns an expression over a record; None after an error, and for an expression over a group.
    """
    names = Names(set(query_input.columns.names))
    columns: list[Listed] = []
    for item in query.items:
        if isinstance(item.source, tree.Wildcard):
            columns += _star(query, item.source, query_input, keys, names, findings)
            continue
        bound = bind(item.source)
        name = item.alias.text if item.alias else _name(item.source, query_input, names)
        columns.append(Listed(name, bound, item.source, item.at))
    _check_names(query, columns, findings)
    return columns


def _name(source: tree.Expression, query_input: Input, names: Names) -> str:
    if isinstance(source, tree.Reference):
        several = len(query_input.sources) > 1 and query_input.columns.in_several(source.parts[-1])
        if not several:
            return source.parts[-1]
        label = source.parts[0] if len(source.parts) == 2 else None
        return f"{label}_{source.parts[-1]}" if label else source.parts[-1]
    if isinstance(source, tree.Member):
        return names.of_field(source.field.text)
    return names.generated()


def _star(
    query: ksql.Query, star: tree.Wildcard, query_input: Input, keys: Keys, names: Names, findings: Findings
) -> list[Listed]:
    """Return the columns of a star: those of one source or of all; under a new key those of the old one are last."""
    labels = query_input.columns.labels
    if star.qualifier and star.qualifier[0] not in labels:
        findings.error("LSQ201", f"'{star.qualifier[0]}' is not a source of this query", star.at,
                       help=f"the sources are {listing(labels)}")  # fmt: skip
        return []
    columns = [c for label in (star.qualifier or labels) for c in query_input.columns.of(label)]
    if leaks_system(query):
        columns = [c for label in labels for c in _with_system(label, query_input, star, findings)]
    opened = [Listed(_star_name(c, query_input), c.expression, None, star.at) for c in columns]
    if star.qualifier:
        return opened
    if keys.kind == PARTITIONING:
        return _repartitioned(columns, opened, keys, names, star, joined=query_input.join is not None)
    synthetic = query_input.join.synthetic if query_input.join else None
    if synthetic is not None and keys.kind == JOIN:
        return [Listed(synthetic.name, synthetic.expression, None, star.at), *opened]
    return opened


def _with_system(label: str, query_input: Input, star: tree.Wildcard, findings: Findings) -> list[Column]:
    """Return the columns of one side of a join under a new key: its values, the time and position of its records, its
    key.
    """
    system = {c.name: c for c in query_input.columns.all if c.source == label and not c.listed}
    if not system.keys() >= set(PLACES):
        unplaced(f"{label}.{PLACES[0]}", star.at, findings)
    own = [system[name] for name in SYSTEM if name in system]
    side_columns = query_input.columns.of(label)
    return [*(c for c in side_columns if not c.is_key), *own, *(c for c in side_columns if c.is_key)]


def _repartitioned(
    columns: Sequence[Column], opened: list[Listed], keys: Keys, names: Names, star: tree.Wildcard, *, joined: bool
) -> list[Listed]:
    """Return the new key, the values, and the old key, which in a join follows the values of its side."""
    key_expressions = [part.expressions[0] for part in keys.parts]
    first = []
    for part in keys.parts:
        column = next((o for o in opened if o.bound == part.expressions[0]), None)
        first.append(column or Listed(part.name or names.generated(), part.expressions[0], None, star.at))
    rest = [(c, o) for c, o in zip(columns, opened, strict=True) if o.bound not in key_expressions]
    rest = rest if joined else sorted(rest, key=lambda each: each[0].is_key)
    return [*first, *(o for _, o in rest)]


def _star_name(column: Column, query_input: Input) -> str:
    return f"{column.source}_{column.name}" if len(query_input.sources) > 1 else column.name


def _check_names(query: ksql.Query, columns: list[Listed], findings: Findings) -> None:
    by_name: dict[str, Listed] = {}
    used_names = names_of(columns)
    for each in columns:
        other = by_name.setdefault(each.name.casefold(), each)
        if other is each:
            continue
        help = "give one another alias"
        # A column of a star cannot be renamed alone.
        renamable = next((c for c in (each, other) if c.source is not None), None)
        if renamable is not None and renamable.source is not None:
            renamed = f"{text_of(renamable.source)} AS {free_name(renamable.name, used_names)}"
            help += f": {with_item(query, renamable.at, renamed, findings)}"
        findings.error("LSQ305", Taken(other.name).add(each.name, "columns") or "", each.at, help=help)


def split(
    query: ksql.Query, columns: list[Listed], keys: Keys, target: str, findings: Findings
) -> tuple[list[Listed], list[Listed]] | None:
    """Return the key columns in the order of the key, and the value columns; None after an error."""
    key_columns: list[Listed] = []
    missing: list[KeyPart] = []
    good = True
    for part in keys.parts:
        # For the equal columns of a join the first one in the projection.
        matches = next((m for e in part.expressions if (m := [c for c in columns if c.bound == e])), [])
        if not matches:
            missing.append(part)
        elif len(matches) > 1:
            names = listing(m.name for m in matches)
            # A column of a star cannot be changed alone.
            other = next((m for m in reversed(matches) if m.source is not None), matches[1])
            copy = f"AS_VALUE({part.texts[0]}) AS {name_text(other.name)}"
            findings.error(
                "LSQ351", f"the {keys.kind} {part.texts[0]} is projected more than once, as {names}", matches[1].at,
                notes=("the result can only have the key once",),
                help=f"copy it into the value: {with_item(query, other.at, copy, findings)}",
            )  # fmt: skip
            good = False
        else:
            key_columns.append(matches[0])
    if missing:
        _missing(query, columns, missing, keys, target, findings)
        good = False
    values = [c for c in columns if c not in key_columns]
    if good and not values:
        copy = f"AS_VALUE({keys.parts[0].texts[0]}) AS {free_name(f'{key_columns[0].name}_COPY', names_of(columns))}"
        findings.error("LSQ352", "the projection has no value columns", query.items_at,
                       notes=("all of its columns are part of the key",),
                       help=f"add one, such as a copy of the key: {with_columns(query, [copy], findings)}")  # fmt: skip
        good = False
    return (key_columns, values) if good else None


def names_of(columns: Sequence[Listed]) -> frozenset[str]:
    return frozenset(c.name for c in columns)


def _missing(
    query: ksql.Query, columns: list[Listed], missing: list[KeyPart], keys: Keys, target: str, findings: Findings
) -> None:
    either = [" or ".join(part.texts) for part in missing]
    plural = "s" if len(missing) > 1 or len(missing[0].texts) > 1 else ""
    added = [_added(part, names_of(columns)) for part in missing]
    findings.error(
        "LSQ350",
        f"the key of '{target}' is missing from the projection: the {keys.kind}{plural} {' and '.join(either)}",
        query.items_at,
        notes=keys.why,
        help=f"add it: {with_columns(query, added, findings)}",
    )


def _added(part: KeyPart, used_names: frozenset[str]) -> str:
    """Return a part of the key as a column of the projection, with an alias if its name is used already."""
    name = part.name or part.texts[0].rpartition(".")[2]
    return f"{part.texts[0]} AS {free_name(f'{name}_KEY', used_names)}" if name in used_names else part.texts[0]


def join_keys(query_input: Input) -> Keys:
    """Return the key that the projection of a join must have."""
    assert query_input.join is not None
    if query_input.join.foreign:
        parts = tuple(_columns_part((c,)) for c in query_input.join.viable)
        return Keys("primary key of the left table", parts,
                    ("a foreign-key join has a row for each row of its left table",))  # fmt: skip
    if query_input.join.synthetic is not None:
        name = query_input.join.synthetic.name
        part = KeyPart((query_input.join.synthetic.expression,), (name,), name)
        why = (
            f"no column of the sources is the key of this join, so ksqlDB adds {name}: after a FULL OUTER JOIN"
            " either side may be missing, and an expression in ON is not a column",
        )
        return Keys(JOIN, (part,), why)
    return Keys(JOIN, (_columns_part(query_input.join.viable),))


def _columns_part(columns: Sequence[Column]) -> KeyPart:
    return KeyPart(tuple(c.expression for c in columns), tuple(map(column_text, columns)), None)


def source_keys(query_input: Input) -> Keys:
    """Return the key columns of a single source."""
    return Keys(KEY, tuple(KeyPart((c.expression,), (name_text(c.name),), c.name) for c in query_input.keys))


def is_untyped(expression: Expression) -> bool:
    """Return whether an expression is a NULL without a type, or a choice of such."""
    return any(part == data.NULL for part in data.parts(expression.type))
