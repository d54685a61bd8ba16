"""The SELECT list of ksqlDB: names of columns, and which of them are the key.

Rules of the proposal on key columns: the projection of a persistent query has each key column once, under any name
and at any place; AS_VALUE makes a copy; at least one column is left for the value. Names that nobody wrote are
generated: KSQL_COL_0, KSQL_COL_1, ..., and the field's own for a field of a struct.
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

# What the key of a result is called in a message, by where it comes from.
KEY, PARTITIONING, GROUPING, JOIN = "key column", "partitioning expression", "grouping expression", "join expression"


@dataclass(frozen=True, slots=True)
class KeyPart:
    """One key column of the result. `expressions`: what the projection may take for it, each with its text; more than
    one for a join, whose columns are equal.
    """

    expressions: tuple[Expression, ...]
    texts: tuple[str, ...]
    name: str | None


@dataclass(frozen=True, slots=True)
class Keys:
    """The key that the projection must take. `kind` is one of the words above; `why` is a note for the error."""

    kind: str
    parts: tuple[KeyPart, ...]
    why: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Listed:
    """One column of the projection, stars opened. `bound`: its expression before any grouping; None for one that has
    an aggregate, or an error. `source`: its text, None where a star found it.
    """

    name: str
    bound: Expression | None
    source: tree.Expression | None
    at: Extent


@dataclass(slots=True)
class Names:
    """Generates names that no column of the sources has."""

    used: set[str]
    numbers: Iterator[int] = field(default_factory=count)

    def generated(self) -> str:
        return self._take(next(n for n in (f"KSQL_COL_{i}" for i in self.numbers) if n not in self.used))

    def of_field(self, name: str) -> str:
        """That of a struct's field, with a number if it is taken."""
        return self._take(next(n for n in (name, *(f"{name}_{i}" for i in range(1, 1000))) if n not in self.used))

    def _take(self, name: str) -> str:
        self.used.add(name)
        return name


def listed(
    query: ksql.Query,
    fed: Input,
    keys: Keys,
    bind: Callable[[tree.Expression], Expression | None],
    findings: Findings,
) -> list[Listed]:
    """The columns of the projection by name, in order. `bind`: what an expression is of a record; None after an error,
    and for one that is only of a group.
    """
    names = Names(set(fed.columns.names))
    found: list[Listed] = []
    for item in query.items:
        if isinstance(item.source, tree.Wildcard):
            found += _star(query, item.source, fed, keys, names, findings)
            continue
        bound = bind(item.source)
        name = item.alias.text if item.alias else _name(item.source, fed, names)
        found.append(Listed(name, bound, item.source, item.at))
    _check_names(query, found, findings)
    return found


def _name(source: tree.Expression, fed: Input, names: Names) -> str:
    if isinstance(source, tree.Reference):
        several = len(fed.sources) > 1 and fed.columns.in_several(source.parts[-1])
        if not several:
            return source.parts[-1]
        label = source.parts[0] if len(source.parts) == 2 else None
        return f"{label}_{source.parts[-1]}" if label else source.parts[-1]
    if isinstance(source, tree.Member):
        return names.of_field(source.field.text)
    return names.generated()


def _star(
    query: ksql.Query, star: tree.Wildcard, fed: Input, keys: Keys, names: Names, findings: Findings
) -> list[Listed]:
    """What a star finds: the columns of one source or of all, under a new key those of the old one last."""
    labels = fed.columns.labels
    if star.qualifier and star.qualifier[0] not in labels:
        findings.error("LSQ201", f"'{star.qualifier[0]}' is not a source of this query", star.at,
                       help=f"the sources are {listing(labels)}")  # fmt: skip
        return []
    columns = [c for label in (star.qualifier or labels) for c in fed.columns.of(label)]
    if leaks_system(query):
        columns = [c for label in labels for c in _with_system(label, fed, star, findings)]
    opened = [Listed(_star_name(c, fed), c.expression, None, star.at) for c in columns]
    if star.qualifier:
        return opened
    if keys.kind == PARTITIONING:
        return _repartitioned(columns, opened, keys, names, star, joined=fed.join is not None)
    synthetic = fed.join.synthetic if fed.join else None
    if synthetic is not None and keys.kind == JOIN:
        return [Listed(synthetic.name, synthetic.expression, None, star.at), *opened]
    return opened


def _with_system(label: str, fed: Input, star: tree.Wildcard, findings: Findings) -> list[Column]:
    """The columns of one side of a join under a new key: its values, the time and the place of its records, its key."""
    system = {c.name: c for c in fed.columns.all if c.source == label and not c.listed}
    if not system.keys() >= set(PLACES):
        unplaced(f"{label}.{PLACES[0]}", star.at, findings)
    own = [system[name] for name in SYSTEM if name in system]
    listed = fed.columns.of(label)
    return [*(c for c in listed if not c.is_key), *own, *(c for c in listed if c.is_key)]


def _repartitioned(
    columns: Sequence[Column], opened: list[Listed], keys: Keys, names: Names, star: tree.Wildcard, *, joined: bool
) -> list[Listed]:
    """The new key, the values, and the old key, which over a join stands behind the values of its side."""
    taken = [part.expressions[0] for part in keys.parts]
    first = []
    for part in keys.parts:
        known = next((o for o in opened if o.bound == part.expressions[0]), None)
        first.append(known or Listed(part.name or names.generated(), part.expressions[0], None, star.at))
    rest = [(c, o) for c, o in zip(columns, opened, strict=True) if o.bound not in taken]
    rest = rest if joined else sorted(rest, key=lambda each: each[0].is_key)
    return [*first, *(o for _, o in rest)]


def _star_name(column: Column, fed: Input) -> str:
    return f"{column.source}_{column.name}" if len(fed.sources) > 1 else column.name


def _check_names(query: ksql.Query, found: list[Listed], findings: Findings) -> None:
    seen: dict[str, Listed] = {}
    taken = names_of(found)
    for each in found:
        other = seen.setdefault(each.name.casefold(), each)
        if other is each:
            continue
        help = "give one another alias"
        # What a star finds cannot be renamed by itself.
        named = next((c for c in (each, other) if c.source is not None), None)
        if named is not None and named.source is not None:
            renamed = f"{text_of(named.source)} AS {free_name(named.name, taken)}"
            help += f": {with_item(query, named.at, renamed, findings)}"
        findings.error("LSQ305", Taken(other.name).add(each.name, "columns") or "", each.at, help=help)


def split(
    query: ksql.Query, columns: list[Listed], keys: Keys, target: str, findings: Findings
) -> tuple[list[Listed], list[Listed]] | None:
    """The key columns in the order of the key, and the value columns; None after an error."""
    taken: list[Listed] = []
    missing: list[KeyPart] = []
    good = True
    for part in keys.parts:
        # Of the equal columns of a join the first that is there.
        matches = next((m for e in part.expressions if (m := [c for c in columns if c.bound == e])), [])
        if not matches:
            missing.append(part)
        elif len(matches) > 1:
            names = listing(m.name for m in matches)
            # What a star finds cannot be changed by itself.
            other = next((m for m in reversed(matches) if m.source is not None), matches[1])
            copy = f"AS_VALUE({part.texts[0]}) AS {name_text(other.name)}"
            findings.error(
                "LSQ351", f"the {keys.kind} {part.texts[0]} is projected more than once, as {names}", matches[1].at,
                notes=("the result can only have the key once",),
                help=f"copy it into the value: {with_item(query, other.at, copy, findings)}",
            )  # fmt: skip
            good = False
        else:
            taken.append(matches[0])
    if missing:
        _missing(query, columns, missing, keys, target, findings)
        good = False
    values = [c for c in columns if c not in taken]
    if good and not values:
        copy = f"AS_VALUE({keys.parts[0].texts[0]}) AS {free_name(f'{taken[0].name}_COPY', names_of(columns))}"
        findings.error("LSQ352", "the projection has no value columns", query.items_at,
                       notes=("all of its columns are part of the key",),
                       help=f"add one, such as a copy of the key: {with_columns(query, [copy], findings)}")  # fmt: skip
        good = False
    return (taken, values) if good else None


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


def _added(part: KeyPart, taken: frozenset[str]) -> str:
    """A part of the key as a column of the projection, under a name of its own where its name is another's."""
    name = part.name or part.texts[0].rpartition(".")[2]
    return f"{part.texts[0]} AS {free_name(f'{name}_KEY', taken)}" if name in taken else part.texts[0]


def join_keys(fed: Input) -> Keys:
    """What the projection of a join must take."""
    assert fed.join is not None
    if fed.join.foreign:
        parts = tuple(_columns_part((c,)) for c in fed.join.viable)
        return Keys("primary key of the left table", parts,
                    ("a foreign-key join has a row for each row of its left table",))  # fmt: skip
    if fed.join.synthetic is not None:
        name = fed.join.synthetic.name
        part = KeyPart((fed.join.synthetic.expression,), (name,), name)
        why = (
            f"no column of the sources is the key of this join, so ksqlDB adds {name}: after a FULL OUTER JOIN"
            " either side may be missing, and an expression in ON is not a column",
        )
        return Keys(JOIN, (part,), why)
    return Keys(JOIN, (_columns_part(fed.join.viable),))


def _columns_part(columns: Sequence[Column]) -> KeyPart:
    return KeyPart(tuple(c.expression for c in columns), tuple(map(column_text, columns)), None)


def source_keys(fed: Input) -> Keys:
    """The key columns of a single source."""
    return Keys(KEY, tuple(KeyPart((c.expression,), (name_text(c.name),), c.name) for c in fed.keys))


def is_untyped(expression: Expression) -> bool:
    """Whether it is a NULL whose type nobody says, or a choice of such."""
    return any(part == data.NULL for part in data.parts(expression.type))
