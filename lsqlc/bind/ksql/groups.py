"""GROUP BY in ksqlDB, with WINDOW and HAVING: a table whose key is the group.

A record with a null in its group is dropped. A group of a TABLE stays after its last row is deleted.
"""

from __future__ import annotations

from dataclasses import replace

from msgspec import structs

from lsqlc.bind.expressions import OfRecord
from lsqlc.bind.findings import Findings
from lsqlc.bind.grouping import Grouping
from lsqlc.bind.ksql.create_source import Named
from lsqlc.bind.ksql.expressions import DIALECT, KsqlBinder
from lsqlc.bind.ksql.formats import is_compound, ksql_format
from lsqlc.bind.ksql.joins import DAY, Input
from lsqlc.bind.ksql.projections import GROUPING, Keys, Listed, listed, split
from lsqlc.bind.ksql.results import (
    Result,
    calls_aggregate,
    check_typed,
    expression_keys,
    has_aggregate,
    projection,
    reader_of,
)
from lsqlc.bind.windows import lengths, planned, report_delay
from lsqlc.functions import catalogue
from lsqlc.functions.ksql.aggregates import PLAIN_STATE
from lsqlc.plan.expression import Expression, Field, Literal, Operation, conjunction
from lsqlc.plan.nodes import Aggregate, Filter, Node
from lsqlc.plan.windows import Window
from lsqlc.syntax import tree
from lsqlc.syntax.ksql import tree as ksql
from lsqlc.syntax.ksql.text import name_text
from lsqlc.types import data


def bind_grouped(query: ksql.Query, name: str, query_input: Input, findings: Findings, before: int) -> Result | None:
    reader = reader_of(query_input, findings)
    if not query.group_by:
        findings.error("LSQ322", "an aggregate requires GROUP BY", query.items_at,
                       help="define the groups: GROUP BY column")  # fmt: skip
        return None
    if query_input.kind == "TABLE" and query.window is not None:
        findings.error("LSQ324", "a TABLE cannot be aggregated in windows", query.window.at,
                       notes=("a table is the latest state of its keys, not events in time",))  # fmt: skip
    keys = expression_keys(query.group_by, GROUPING, replace(reader, no_clock="in GROUP BY"), findings)
    if keys is None:
        return None
    of_record: OfRecord = {}
    aside = reader.beside(of_record)
    columns = listed(query, query_input, keys, lambda e: None if calls_aggregate(e) else aside.bind(e), findings)
    expressions = tuple(part.expressions[0] for part in keys.parts)
    names = _key_names(columns, keys)
    window = _window(query, findings)
    draft = Aggregate(_with_keys(query_input.node, expressions), expressions, names if len(names) > 1 else (), "json",
                      (), window, query_input.kind == "TABLE")  # fmt: skip
    grouping = Grouping(expressions, draft.key_field)
    bounds = tuple(
        (n, Field(0, "key", (p,), data.BIGINT, False)) for n, p in (("WINDOWSTART", "start"), ("WINDOWEND", "end"))
    )
    # In ksqlDB the bounds of windows are only available over one source, not over a join.
    has_bounds = window is not None and query_input.join is None
    grouped = replace(reader, grouping=grouping, bounds=bounds if has_bounds else (), no_clock="below an aggregate",
                      of_record=of_record)  # fmt: skip
    values = _grouped_values(query, columns, expressions, grouped, findings)
    # The bounds of windows are columns of the SELECT list only.
    filtered = replace(grouped, bounds=())
    having = filtered.condition(query.having, "HAVING") if query.having is not None else None
    _check_state(query_input, grouping, findings)
    # An unknown function may be meant as an aggregate.
    has_no_error = findings.error_count == before
    if has_no_error and not (has_aggregate(query) or (query.having is not None and calls_aggregate(query.having))):
        findings.error("LSQ323", "a query with GROUP BY must have an aggregate", query.items_at,
                       help="add one to the SELECT list, such as COUNT(*) AS n, or to HAVING")  # fmt: skip
    if findings.error_count > before:
        return None
    parts = split(query, columns, keys, name, findings)
    if parts is None:
        return None
    node: Node = structs.replace(draft, aggregates=tuple(grouping.aggregates))
    key = Field(0, "key", (), node.relations[0].key.type, True)
    node = Filter(node, having) if having is not None else node
    value_columns = [(c.name, values[c.name]) for c in parts[1]]
    result = projection(node, key, parts[0], value_columns, name, False)
    named_keys = tuple(Named(t.name, e.type) for t, e in zip(parts[0], expressions, strict=True))
    named_values = tuple(Named(n, e.type) for n, e in value_columns)
    kind = type(window) if window else None
    return Result(
        result,
        "TABLE",
        named_keys,
        named_values,
        kind,
        query_input.sources,
        _regrouped(query_input, expressions),
        False,
    )


def _regrouped(query_input: Input, keys: tuple[Expression, ...]) -> bool:
    """Return whether the group differs from the key of the records."""
    return keys != tuple(c.expression for c in query_input.keys)


def _key_names(columns: list[Listed], keys: Keys) -> tuple[str, ...]:
    key_names = []
    for number, part in enumerate(keys.parts):
        alias = next((c.name for c in columns if c.bound == part.expressions[0]), None)
        key_names.append(alias or part.name or f"KEY_{number}")
    return tuple(n if key_names.count(n) == 1 else f"{n}_{i}" for i, n in enumerate(key_names))


def _with_keys(node: Node, keys: tuple[Expression, ...]) -> Node:
    """Return the records without nulls in their group. A group of one part is checked by the aggregation itself."""
    if len(keys) == 1:
        return node
    tests = tuple(Operation("IS NOT NULL", (k,), data.BOOLEAN, False) for k in keys if not isinstance(k, Literal))
    condition = conjunction(tests)
    return Filter(node, condition) if condition is not None else node


def _grouped_values(
    query: ksql.Query, columns: list[Listed], keys: tuple[Expression, ...], grouped: KsqlBinder, findings: Findings
) -> dict[str, Expression]:
    """Return the expressions of all columns outside of the key, by name."""
    values: dict[str, Expression] = {}
    for column in columns:
        if column.bound is not None and column.bound in keys:
            continue
        if column.source is None:
            findings.error(
                "LSQ311", f"'{column.name}' is neither grouped nor aggregated", column.at,
                notes=("'*' stands for every column of its source",),
                help=f"name the columns, or add {name_text(column.name)} to GROUP BY",
            )  # fmt: skip
            continue
        bound = grouped.bind(column.source)
        if bound is not None:
            check_typed(query, column, bound, findings)
            values[column.name] = bound
    return values


def _check_state(query_input: Input, grouping: Grouping, findings: Findings) -> None:
    """Report aggregates whose state the value format of the first source cannot hold.

    ksqlDB stores groups in that format, and the arguments of aggregates while it repartitions records, in any format of
    the result.
    """
    format = query_input.sources[0].value_format
    if ksql_format(format).columns != "flat":
        return
    for call, arguments in grouping.calls:
        aggregate = catalogue.aggregate(call.name.text, DIALECT)
        assert aggregate is not None
        if aggregate.name in PLAIN_STATE and not any(is_compound(a.type) for a in arguments):
            continue
        findings.error(
            "LSQ365", f"groups are stored as {format}, which cannot hold the state of {aggregate.name}", call.at,
            notes=("ksqlDB stores groups in the value format of the first source, and DELIMITED cannot hold arrays,"
                   " maps and structs",),
            help=f"read another format, such as JSON, or convert '{query_input.sources[0].name}' first: "
                 f"CREATE STREAM ... WITH (VALUE_FORMAT = 'JSON') AS SELECT * FROM {query_input.sources[0].name}",
        )  # fmt: skip


def _window(query: ksql.Query, findings: Findings) -> Window | None:
    window = query.window
    if window is None:
        return None
    if any(length.milliseconds == 0 for length in lengths(window)):
        findings.error("LSQ325", "the length of a window must not be zero", window.at)
    elif isinstance(window, tree.Hop) and window.advance.milliseconds > window.size.milliseconds:
        findings.error("LSQ325", "the advance of a window must not be longer than its size", window.at,
                       help="write the size first, then the advance")  # fmt: skip
    result = planned(window, _grace(window), final=query.final_at is not None)
    report_delay(result, window.at, "write a shorter grace, and EMIT FINAL if one row for each session is meant:"
                                    " SESSION (5 MINUTES, GRACE PERIOD 1 MINUTE)", findings)  # fmt: skip
    return result


def _grace(window: tree.Window) -> int:
    """Return the grace in milliseconds; by default a day from the start of a window.

    A session of ksqlDB is open for its gap and the grace, including the last millisecond.
    """
    length = lengths(window)[0].milliseconds
    grace = window.grace.milliseconds if window.grace else max(DAY - length, 0)
    return grace + length + 1 if isinstance(window, tree.Session) else grace
