"""The columns in scope of a ksqlDB query: those of its sources in order, with their expressions in the plan.

An unqualified name must be a column of exactly one source. ROWTIME, and the bounds of a windowed source, are columns
that `*` excludes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from lsqlc.bind.columns import Column
from lsqlc.bind.findings import Findings
from lsqlc.bind.ksql.record_positions import PLACES, unplaced
from lsqlc.diagnostics import did_you_mean, listing
from lsqlc.diagnostics.source import Extent
from lsqlc.plan.expression import shift
from lsqlc.syntax import tree
from lsqlc.syntax.ksql.foreign import COLUMNS
from lsqlc.syntax.ksql.text import text_of

# Names that columns cannot have, because ksqlDB uses them.
BOUNDS = ("WINDOWSTART", "WINDOWEND")
SYSTEM = ("ROWTIME", "ROWPARTITION", "ROWOFFSET", *BOUNDS)

# Functions that return several records for one.
TABLE_FUNCTIONS = ("EXPLODE", "CUBE_EXPLODE")


@dataclass(frozen=True)
class Columns:
    """All columns of a query, source by source. `labels`: the names of the sources in the query."""

    labels: tuple[str, ...]
    all: tuple[Column, ...]

    @cached_property
    def _by_name(self) -> dict[str, list[Column]]:
        by_name: dict[str, list[Column]] = {}
        for column in self.all:
            by_name.setdefault(column.name, []).append(column)
        return by_name

    @property
    def names(self) -> frozenset[str]:
        return frozenset(c.name for c in self.all if c.listed)

    def of(self, label: str) -> tuple[Column, ...]:
        """Return the listed columns of one source."""
        return tuple(c for c in self.all if c.source == label and c.listed)

    def in_several(self, name: str) -> bool:
        """Return whether more than one source has a column of that name."""
        return len({c.source for c in self._by_name.get(name, ())}) > 1

    def resolve(self, parts: tuple[str, ...], at: Extent, findings: Findings) -> Column | None:
        """Return the column of a name; None after an error."""
        name = parts[-1]
        if len(parts) == 2 and parts[0] not in self.labels:
            near = (
                COLUMNS.get(parts[0])
                or did_you_mean(parts[0], self.labels)
                or f"the sources are {listing(self.labels)}"
            )
            findings.error("LSQ201", f"'{parts[0]}' is not a source of this query", at, help=near)
            return None
        owners = [c for c in self._by_name.get(name, ()) if len(parts) == 1 or c.source == parts[0]]
        if len(owners) == 1:
            return owners[0]
        if owners:
            names = listing(c.source for c in owners)
            findings.error("LSQ203", f"'{name}' is a column of {names}", at,
                           help=f"say which: {owners[0].source}.{name}")  # fmt: skip
            return None
        if name in PLACES:
            unplaced(name, at, findings)
            return None
        if name in SYSTEM:
            notes = (
                "the bounds of a window can only be read in the SELECT list of an aggregation with WINDOW over one"
                " source, outside its aggregates, and in a query without WINDOW over a windowed source",
            )
            findings.error("LSQ364", f"'{name}' is not allowed here", at, notes=notes,
                           help="to filter by it, read the topic of the aggregation as a STREAM: "
                                "CREATE STREAM ... WITH (KAFKA_TOPIC = ..., WINDOW_TYPE = ...)")  # fmt: skip
            return None
        if len(parts) == 1 and findings.source.text[at[0]] == '"':
            findings.error("LSQ201", f"unknown column '{name}'", at,
                           notes=("double quotes delimit names in ksqlDB",),
                           help=f"a string is written in single quotes: {text_of(tree.Literal(name, at))}")  # fmt: skip
            return None
        column_names = [c.name for c in self.all if len(parts) == 1 or c.source == parts[0]]
        where = f" in '{parts[0]}'" if len(parts) == 2 else ""
        help = (
            COLUMNS.get(name)
            or did_you_mean(name, column_names)
            or (f"known are {listing(column_names)}" if column_names else None)
        )
        findings.error("LSQ201", f"unknown column '{name}'{where}", at, help=help)
        return None


def moved(columns: tuple[Column, ...], by: int) -> tuple[Column, ...]:
    """Return the columns of a join's right side, whose relations follow those of the left."""
    return tuple(replace(c, expression=shift(c.expression, by)) for c in columns)
