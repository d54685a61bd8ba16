"""Ternary logic partitioning: a condition is true, false or null for each row, so that the rows of a query are those
where it holds, those where its NOT holds, and those where it IS NULL. Aggregates of the three are those of the whole.

No other engine has a part in it, so that the conditions may have what the oracle does not read. Where the whole can
have the condition as a column too, it must say in which part its row is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import lsqlc
from lsqlc import Record
from lsqlc.lower.duckdb import default_session
from lsqlc.plan import Plan
from lsqlc.types.record import Case, Outcome
from tests.standard_sql.compare import prefixes, read_by, same_rows
from tests.standard_sql.on_spark import cut
from tests.standard_sql.oracle import canonical
from tests.standard_sql.programs import COLUMNS, TOPICS, Programs, Relation, records
from tests.standard_sql.spark_conditions import CONDITIONS, filled

Engine = Callable[[Plan, Sequence[Case]], Sequence[Outcome]]
# How the rows of the parts make those of the whole: all of them; the different ones; or by group, whose columns begin
# with `k`: counts (`n`) and sums (`s`) add up, and the least (`m`) and the greatest (`x`) count.
How = Literal["all", "different", "by group"]
_CASES = 4


@dataclass(frozen=True, slots=True)
class Parted:
    """A query, its three parts in the order of true, false and null, and how these make it. `shows`: the last column
    of the query is the condition.
    """

    whole: str
    parts: tuple[str, str, str]
    how: How
    shows: bool = False


class Partitions(Programs):
    """Draws queries with their parts, and counts in `made` what they were made of."""

    # In NOT of a condition, EXISTS may only equate (LSQ460).
    only_equates = True

    def draw_parted(self) -> Parted:
        """Draw a query and a condition on its rows, its groups, its pairs, or what it computes with OVER."""
        draws = (self._rows, self._rows, self._groups_of, self._groups_of, self._having, self._qualified, self._paired)
        return self.random.choice(draws)()

    def _rows(self) -> Parted:
        source = self._source(tables=False)
        body, _ = self._items(source.columns)
        different = self.random.random() < 0.25
        condition = self._any_condition(source)
        if different:
            self._note("the different rows")
            return self._where_parts(f"SELECT DISTINCT {body}", source, condition, "", "different")
        self._note("all rows")
        parted = self._where_parts(f"SELECT {body}", source, condition, "", "all")
        if source.stream or self.random.random() < 0.4:
            return parted
        self._note("the condition as a column")
        whole = self._select(f"SELECT {body}, ({condition}) AS p", source, [], "")
        return Parted(whole, parted.parts, "all", shows=True)

    def _groups_of(self) -> Parted:
        """Aggregates, of groups or of all rows."""
        source = self._source(tables=False, keyed=False)
        keys = [
            self._expression(source.columns, self.random.choice(("int", "text")), 0)
            for _ in range(self.random.randint(0, 2))
        ]
        # Of twice the same key, CUBE has groups twice.
        keys = [key for key in dict.fromkeys(keys) if key in source.columns]
        value = self._expression(source.columns, "int", 1)
        other = self._expression(source.columns, self.random.choice(("int", "text", "double")), 1)
        items = [f"{key} AS k{i}" for i, key in enumerate(keys)]
        items += [
            "COUNT(*) AS n0",
            f"COUNT({other}) AS n1",
            f"SUM({value}) AS s0",
            f"MIN({other}) AS m0",
            f"MAX({value}) AS x0",
        ]
        if self.random.random() < 0.3:
            items.append(f"SUM({value}) FILTER (WHERE {self._condition(source.columns, 1)}) AS s1")
        tail = f" GROUP BY {', '.join(keys)}" if keys else ""
        self._note("groups" if keys else "an aggregate of all rows")
        if len(keys) > 1 and self.random.random() < 0.3:
            self._note("CUBE of parts")
            items.append(f"GROUPING_ID() AS k{len(keys)}")
            tail = f" GROUP BY CUBE({', '.join(keys)})"
        return self._where_parts(f"SELECT {', '.join(items)}", source, self._any_condition(source), tail, "by group")

    def _having(self) -> Parted:
        self._note("HAVING of parts")
        source = self._source(tables=False, keyed=False)
        key = self._column(source.columns, self.random.choice(("int", "text")))
        call, kind = self._aggregate(source.columns, source.stream)
        tests = [f"{call} IS NOT NULL AND COUNT(*) > 1", f"COUNT(*) <> COUNT({key})"]
        if kind in ("int", "long", "double", "decimal"):
            tests += [f"{call} > 1", f"{call} < COUNT(*)", f"{call} IN (1, 2, NULL)", f"NULLIF({call}, 1) >= 1"]
        condition = self.random.choice(tests)
        select = f"SELECT {key} AS k0, COUNT(*) AS n0, {call} AS a0"
        parts = [self._select(select, source, [], f" GROUP BY {key} HAVING {each}") for each in _three(condition)]
        return Parted(self._select(select, source, [], f" GROUP BY {key}"), (parts[0], parts[1], parts[2]), "all")

    def _qualified(self) -> Parted:
        """A condition on calls with OVER, in QUALIFY or around the query."""
        source = self._source(tables=True)
        order, by = (self._column(source.columns, self.random.choice(("int", "text"))) for _ in range(2))
        value = self._expression(source.columns, "int", 1)
        call = self.random.choice((
            "RANK()", "DENSE_RANK()", f"SUM({value})", f"LAG({value})", f"LEAD({value}, 2, 1)", "COUNT(*)",
            f"FIRST_VALUE({value})", f"MAX({value})", "NTILE(2)", f"COUNT({value})",
        ))  # fmt: skip
        over = f"{call} OVER (PARTITION BY {by} ORDER BY {order}{self.random.choice(('', ' DESC', ' NULLS LAST'))})"
        items, columns = self._items(source.columns)
        items += f", {over} AS w"
        test = self._expression({"w": "int"} | columns, "bool", 2)
        test = test if "w" in test else f"w > {self.random.randint(0, 2)}"
        whole = self._select(f"SELECT {items}", source, [], "")
        if self.random.random() < 0.5:
            self._note("QUALIFY of parts")
            test = f"NULLIF({over}, 2) {self._mark()} {self._expression(source.columns, 'int', 1)}"
            parts = [f"{whole} QUALIFY {each}" for each in _three(test)]
        else:
            self._note("a condition around OVER")
            parts = [f"SELECT * FROM ({whole}) AS n WHERE {each}" for each in _three(test)]
        return Parted(whole, (parts[0], parts[1], parts[2]), "all")

    def _paired(self) -> Parted:
        """A condition on the pairs of a join, in ON."""
        self._note("a condition in ON")
        left, right = self.random.choice("tu"), self.random.choice("tu")
        columns = {f"p.{c}": k for c, k in COLUMNS[left].items()} | {f"q.{c}": k for c, k in COLUMNS[right].items()}
        equal = self.random.choice(("p.id = q.id", "p.g = q.g", "p._key = q._key", "TRUE", "p.id <= q.id"))
        body, _ = self._items(columns)
        condition = self._rich(columns)
        text = f"SELECT {body} FROM {left} AS p JOIN {right} AS q ON {equal}"
        parts = [f"{text} AND {each}" for each in _three(condition)]
        return Parted(text, (parts[0], parts[1], parts[2]), "all")

    def _source(self, *, tables: bool, keyed: bool = True) -> Relation:
        """Something in FROM. `keyed`: its rows have keys."""
        while True:
            source = self._topic(tables=True) if tables and self.random.random() < 0.5 else self._from(1)
            is_records = source.text == "r" or (source.stream and not source.text.startswith("STREAM"))
            if (tables and source.stream) or (keyed and is_records) or (tables and not source.table):
                continue
            if {"int", "text"} <= set(source.columns.values()):
                return source

    def _any_condition(self, source: Relation) -> str:
        pick = self.random.random()
        if source.table and pick < 0.2:
            return self._test(source)
        if source.table and pick < 0.3:
            return self._decided(source)
        if source.table and pick < 0.4:
            return self._compared(source)
        if source.table and pick < 0.5:
            return f"{self._test(source)} {self.random.choice(('AND', 'OR'))} {self._rich(source.columns)}"
        return self._rich(source.columns) if pick < 0.8 else self._condition(source.columns, 3)

    def _rich(self, columns: dict[str, str]) -> str:
        """A condition with a function of Spark."""
        self._note("functions in the condition")
        return filled(self.random.choice(CONDITIONS), lambda kind: f"({self._expression(columns, kind, 1)})")

    def _where_parts(self, select: str, source: Relation, condition: str, tail: str, how: How) -> Parted:
        parts = [self._select(select, source, [each], tail) for each in _three(condition)]
        return Parted(self._select(select, source, [], tail), (parts[0], parts[1], parts[2]), how)

    def _select(self, select: str, source: Relation, conditions: list[str], tail: str) -> str:
        where = self._where([*([f"({source.where})"] if source.where else []), *conditions])
        return f"{select} FROM {source.text}{where}{tail}"


def _three(condition: str) -> tuple[str, str, str]:
    return f"({condition})", f"NOT ({condition})", f"({condition}) IS NULL"


def differences(seed: int, engine: Engine | None = None, size: int = 24) -> list[str]:
    """What the parts of a query of this seed give otherwise than the whole, with both. `engine`: DuckDB by default."""
    return differences_of(Partitions(seed).draw_parted(), seed, engine, size)


def differences_of(parted: Parted, seed: int, engine: Engine | None, size: int) -> list[str]:
    """The same of a query that was drawn elsewhere; the seed is that of its input and its cuts."""
    given, cuts = records(seed, size), prefixes(seed, size)[-_CASES:]
    whole, *parts = (_rows_after(text, given, cuts, seed, engine) for text in (parted.whole, *parted.parts))
    for number, count in enumerate(cuts):
        got = Counter(canonical(dict(row)) for row in whole[number])
        of_parts = [part[number] for part in parts]
        if parted.shows:
            of_parts = [
                [{**row, "p": said} for row in part] for part, said in zip(of_parts, (True, False, None), strict=True)
            ]
        wanted = Counter(canonical(row) for row in _together(of_parts, parted.how))
        if parted.how == "by group":
            # An aggregate of no rows is there only after the first row that it reads.
            got, wanted = (
                Counter({row: n for row, n in each.items() if any(row_values(row))}) for each in (got, wanted)
            )
        if not same_rows(got, wanted):
            listed = "\n".join(f"  {part}" for part in parted.parts)
            more = f"  whole more: {got - wanted}\n  parts more: {wanted - got}"
            return [f"seed {seed} after {count}: {parted.whole}\n{listed}\n{more}"]
    return []


def row_values(row: Iterable[tuple[str, Any]]) -> list[Any]:
    return [value for name, value in row if name[0] in "kns" or value is not None]


def _rows_after(
    text: str, given: Sequence[Record], cuts: Sequence[int], seed: int, engine: Engine | None
) -> list[list[Mapping[str, Any]]]:
    """The rows of a query after the first records."""
    plan = lsqlc.compile(text, dialect="sql", topics=TOPICS, name="out")
    run = engine or default_session().evaluate
    cases = [Case(f"{n}", tuple(cut(read_by(plan, given[:n]), seed + n))) for n in cuts]
    return [[row.value for row in outcome.topics["out"]] for outcome in run(plan, cases)]


def _together(parts: Sequence[Sequence[Mapping[str, Any]]], how: How) -> list[dict[str, Any]]:
    rows = [dict(row) for part in parts for row in part]
    if how == "all":
        return rows
    if how == "different":
        return list({canonical(row): row for row in rows}.values())
    groups: dict[Any, dict[str, Any]] = {}
    for row in rows:
        key = canonical({name: value for name, value in row.items() if name[0] == "k"})
        groups[key] = _added(groups[key], row) if key in groups else row
    return list(groups.values())


def _added(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    joined: dict[str, Callable[[list[Any]], Any]] = {"n": sum, "s": sum, "m": min, "x": max, "k": lambda each: each[0]}
    values = {name: [v for v in (one[name], other[name]) if v is not None] for name in one}
    return {name: joined[name[0]](each) if each else None for name, each in values.items()}
