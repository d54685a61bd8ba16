"""The SELECT list of ksqlDB: names of columns, and which of them are the key.

Rules of the proposal on key columns: the projection of a persistent query has each key column once, under any name
and at any place; AS_VALUE makes a copy; at least one column is left for the value. Names that nobody wrote are
generated: KSQL_COL_0, KSQL_COL_1, ..., and the field's own for a field of a struct.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import count

from lsqlc.diagnostics import listing
from lsqlc.diagnostics.source import Extent
from lsqlc.plan.expression import Expression, Literal
from lsqlc.plan.ksql_expressions import KsqlBinder
from lsqlc.plan.ksql_joins import Input, column_text
from lsqlc.plan.ksql_scope import Column
from lsqlc.plan.report import Findings
from lsqlc.syntax import ksql_tree as ksql
from lsqlc.syntax import tree
from lsqlc.syntax.ksql_text import name_text
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


def listed(query: ksql.Query, fed: Input, keys: Keys, reader: KsqlBinder, findings: Findings) -> list[Listed]:
    """The columns of the projection by name, in order."""
    names = Names(set(fed.columns.names))
    found: list[Listed] = []
    for item in query.items:
        if isinstance(item.source, tree.Wildcard):
            found += _star(item.source, fed, keys, reader, names, findings)
            continue
        bound = _quietly(item.source, reader)
        name = item.alias.text if item.alias else _name(item.source, fed, reader, names)
        found.append(Listed(name, bound, item.source, item.at))
    _check_names(found, findings)
    return found


def _quietly(expression: tree.Expression, reader: KsqlBinder) -> Expression | None:
    return replace(reader, findings=Findings(reader.findings.source)).bind(expression)


def _name(source: tree.Expression, fed: Input, reader: KsqlBinder, names: Names) -> str:
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
    star: tree.Wildcard, fed: Input, keys: Keys, reader: KsqlBinder, names: Names, findings: Findings
) -> list[Listed]:
    """What a star finds: the columns of one source or of all, under a new key those of the old one last."""
    labels = fed.columns.labels
    if star.qualifier and star.qualifier[0] not in labels:
        findings.error("LSQ201", f"'{star.qualifier[0]}' is no source of this query", star.at,
                       help=f"the sources are {listing(labels)}")  # fmt: skip
        return []
    columns = [c for label in (star.qualifier or labels) for c in fed.columns.of(label)]
    opened = [Listed(_star_name(c, fed), c.expression, None, star.at) for c in columns]
    if star.qualifier:
        return opened
    if keys.kind == PARTITIONING:
        return _repartitioned(columns, opened, keys, names, star)
    synthetic = fed.join.synthetic if fed.join else None
    if synthetic is not None and keys.kind == JOIN:
        return [Listed(synthetic.name, synthetic.expression, None, star.at), *opened]
    return opened


def _repartitioned(
    columns: Sequence[Column], opened: list[Listed], keys: Keys, names: Names, star: tree.Wildcard
) -> list[Listed]:
    taken = [part.expressions[0] for part in keys.parts]
    first = []
    for part in keys.parts:
        known = next((o for o in opened if o.bound == part.expressions[0]), None)
        first.append(known or Listed(part.name or names.generated(), part.expressions[0], None, star.at))
    rest = [(c, o) for c, o in zip(columns, opened, strict=True) if o.bound not in taken]
    values = [o for c, o in rest if not c.is_key]
    return [*first, *values, *(o for c, o in rest if c.is_key)]


def _star_name(column: Column, fed: Input) -> str:
    return f"{column.source}_{column.name}" if len(fed.sources) > 1 else column.name


def _check_names(found: list[Listed], findings: Findings) -> None:
    seen: dict[str, Listed] = {}
    for each in found:
        other = seen.setdefault(each.name, each)
        if other is not each:
            findings.error("LSQ305", f"two columns are named '{each.name}'", each.at, help="give one another alias")


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
            findings.error(
                "LSQ351", f"the {keys.kind} {part.texts[0]} is projected more than once, as {names}", matches[1].at,
                notes=("the result has the key once, under one name",),
                help=f"keep one, and copy it into the value: AS_VALUE({part.texts[0]}) AS {matches[1].name}",
            )  # fmt: skip
            good = False
        else:
            taken.append(matches[0])
    if missing:
        _missing(query, missing, keys, target, findings)
        good = False
    values = [c for c in columns if c not in taken]
    if good and not values:
        findings.error("LSQ352", "the projection has no value columns", query.items_at,
                       notes=("all of its columns are part of the key",),
                       help=f"add one, such as AS_VALUE({columns[0].name}) AS {columns[0].name}_COPY")  # fmt: skip
        good = False
    return (taken, values) if good else None


def _missing(query: ksql.Query, missing: list[KeyPart], keys: Keys, target: str, findings: Findings) -> None:
    either = [" or ".join(part.texts) for part in missing]
    plural = "s" if len(missing) > 1 or len(missing[0].texts) > 1 else ""
    text = findings.source.text[query.items_at[0] : query.items_at[1]]
    added = ", ".join(part.texts[0] for part in missing)
    findings.error(
        "LSQ350",
        f"the key of '{target}' is missing from the projection: the {keys.kind}{plural} {' and '.join(either)}",
        query.items_at,
        notes=keys.why,
        help=f"SELECT {added}, {' '.join(text.split())} FROM ...",
    )


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
            f"no column of the sources holds the key of this join, so ksqlDB adds {name}: after a FULL OUTER JOIN"
            " either side may be missing, and an expression in ON is no column",
        )
        return Keys(JOIN, (part,), why)
    return Keys(JOIN, (_columns_part(fed.join.viable),))


def _columns_part(columns: Sequence[Column]) -> KeyPart:
    return KeyPart(tuple(c.expression for c in columns), tuple(map(column_text, columns)), None)


def source_keys(fed: Input) -> Keys:
    """The key columns of a single source."""
    return Keys(KEY, tuple(KeyPart((c.expression,), (name_text(c.name),), c.name) for c in fed.keys))


def is_untyped(expression: Expression) -> bool:
    """Whether it is a NULL whose type nobody says."""
    return isinstance(expression, Literal) and expression.type == data.NULL
