"""The stream or table of CREATE ... AS SELECT: its kind, formats, partitions, and time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lsqlc.bind.coerce import coerce
from lsqlc.bind.columns import Column
from lsqlc.bind.findings import Findings
from lsqlc.bind.ksql.create_source import Source, check_storage, delimiters_of, formats_of
from lsqlc.bind.ksql.expressions import DIALECT
from lsqlc.bind.ksql.formats import DEFAULT_KEY, check_format
from lsqlc.bind.ksql.properties import Storage, check_effect
from lsqlc.bind.ksql.results import Result
from lsqlc.diagnostics import did_you_mean
from lsqlc.diagnostics.source import SourceText
from lsqlc.formats.delimited.format import DEFAULT_DELIMITER
from lsqlc.functions import catalogue, kinds
from lsqlc.plan.expression import Call, Cast, Expression, Literal
from lsqlc.plan.identity import keyed_by_identity
from lsqlc.plan.nodes import EventTime, Node, Rekey
from lsqlc.plan.windows import Session
from lsqlc.syntax import tree
from lsqlc.syntax.ksql import tree as ksql
from lsqlc.syntax.ksql.text import rewritten
from lsqlc.syntax.tokens import tokenize
from lsqlc.types import data
from lsqlc.types.digits import integer


def fits_kind(statement: ksql.CreateAs, result: Result, findings: Findings) -> bool:
    """Report a query whose result is not the STREAM or TABLE of CREATE; return whether it is."""
    if statement.kind == result.kind:
        return True
    why = (
        "the result of an aggregation is a TABLE: the latest state of each group"
        if result.kind == "TABLE" and statement.query.group_by
        else f"its source is a {result.kind.lower()}"
    )
    rest = rewritten(findings.source, (statement.name.at[0], statement.query.at[1]))
    help = f"write CREATE {result.kind} {rest}"
    if result.kind == "STREAM":
        help = f"add GROUP BY, since a table has one row for each key, or {help}"
    findings.error("LSQ373", f"the result of this query is a {result.kind}, not a {statement.kind}", statement.kind_at,
                   notes=(why,), help=help)  # fmt: skip
    return False


def derived(
    statement: ksql.CreateAs, result: Result, with_properties: Mapping[str, ksql.Property], findings: Findings
) -> Source:
    """Return the stream or table of a query, in the formats that it inherits or declares."""
    first = result.sources[0]
    keyed: Source | None = first
    inherited = first.key_format
    if result.keyless:
        inherited = "NONE"
    elif inherited == "NONE" and result.keys:
        # A stream without key gets one here: that of the other side of a join, or the default.
        keyed = next((s for s in result.sources if s.key_format != "NONE"), None)
        inherited = keyed.key_format if keyed else DEFAULT_KEY
    key_format, value_format = formats_of(with_properties, inherited, first.value_format)
    assert key_format is not None and value_format is not None
    at = next(
        (with_properties[p].value.at for p in ("KEY_FORMAT", "FORMAT") if p in with_properties), statement.name.at
    )
    if result.keyless and key_format != "NONE":
        findings.error("LSQ365", "a format of the key, and PARTITION BY NULL takes the key away", at,
                       help="remove KEY_FORMAT")  # fmt: skip
    check_format(key_format, result.keys, "key", at, findings)
    at = next(
        (with_properties[p].value.at for p in ("VALUE_FORMAT", "FORMAT") if p in with_properties), statement.name.at
    )
    check_format(value_format, result.values, "value", at, findings)
    check_storage(with_properties, result.values, key_format, value_format, findings)
    key, value = Storage("KEY", key_format, bool(result.keys)), Storage("VALUE", value_format, bool(result.values))
    names = check_effect(with_properties, key, value, findings)
    partitions = integer(with_properties["PARTITIONS"].text) if "PARTITIONS" in with_properties else None
    if partitions is None and not result.rekeyed:
        partitions = first.partitions
    node = result.node if _keyed_or_stream(result.node) else Rekey(result.node)
    return Source(
        statement.name.text, result.kind, ksql.topic_of(statement), node, result.keys, result.values, result.window,
        key_format, value_format, partitions, _window_size(statement.query, result),
        # The default is those of a source, unless that is not DELIMITED.
        delimiters=delimiters_of(
            with_properties, (keyed.delimiters[0] if keyed else DEFAULT_DELIMITER, first.delimiters[1])
        ),
        schema_names=names,
    )  # fmt: skip


def _window_size(query: ksql.Query, result: Result) -> int | None:
    """Return the milliseconds of the windows in the result's key; None without windows, or for sessions."""
    if result.window is None or result.window is Session:
        return None
    if isinstance(query.window, tree.Tumble | tree.Hop):
        return query.window.size.milliseconds
    return next((s.window_size for s in result.sources if s.window is result.window), None)


def _keyed_or_stream(node: Node) -> bool:
    """Return whether a node's rows can be written unchanged: one row per key, or a record each."""
    return node.semantics == "STREAM" or keyed_by_identity(node)


def with_time(node: Node, time: Expression | None) -> Node:
    """Return the records with a time of their own, if they have one (see `time_of`)."""
    return node if time is None else EventTime(node, time)


def _column_name(text: str) -> str | None:
    """Return the column of a name in a text: in upper case unless it is quoted, after an optional source.

    None for a text that is not a name.
    """
    tokens, faults = tokenize(SourceText("TIMESTAMP", text), "ksql")
    *before, last = tokens[:-1] or tokens
    qualified = len(before) == 2 and before[0].kind in ("name", "quoted") and before[1].text == "."
    if faults or (before and not qualified) or last.kind not in ("name", "quoted"):
        return None
    return last.text if last.kind == "quoted" else last.upper


def time_of(
    columns: Sequence[Column], with_properties: Mapping[str, ksql.Property], findings: Findings
) -> Expression | None:
    """Return the time in the property TIMESTAMP: a column of the key or the value.

    None without it, and after an error.
    """
    declared_column = with_properties.get("TIMESTAMP")
    if declared_column is None:
        return None
    columns = [c for c in columns if c.listed and not c.is_header]
    names = [c.name for c in columns]
    # A name without its quotes that is the name of a column.
    bare = f"write TIMESTAMP = '`{declared_column.text}`'" if declared_column.text in names else None
    name = _column_name(declared_column.text)
    if name is None:
        findings.error("LSQ374", f"TIMESTAMP must name a column, and '{declared_column.text}' is not a name",
                       declared_column.value.at,
                       help=bare or "write other characters between backticks: TIMESTAMP = '`a b`'")  # fmt: skip
        return None
    column = next((c for c in columns if c.name == name), None)
    if column is None:
        findings.error(
            "LSQ201", f"unknown column '{name}'", declared_column.value.at, help=bare or did_you_mean(name, names)
        )
        return None
    time, type = column.expression, column.expression.type
    pattern = with_properties.get("TIMESTAMP_FORMAT")
    if pattern is not None:
        function = catalogue.scalar("PARSE_TIMESTAMP", DIALECT)
        assert function is not None
        fault = kinds.literal_fault(function.parameters[1].accepts, pattern.text)
        if fault or type != data.STRING:
            message = fault or f"TIMESTAMP_FORMAT requires a STRING, and '{name}' is {type}"
            findings.error("LSQ374", message, pattern.value.at)
            return None
        literal = Literal(pattern.text, data.STRING)
        parsed = Call(catalogue.plan_name(function, DIALECT), (time, literal), data.TIMESTAMP, True)
        time = Cast(parsed, data.BIGINT, True)
    elif type == data.TIMESTAMP:
        time = Cast(coerce(time, data.TIMESTAMP), data.BIGINT, True)
    elif type != data.BIGINT:
        findings.error("LSQ319", f"TIMESTAMP requires epoch milliseconds or a TIMESTAMP, and '{name}' is {type}",
                       declared_column.value.at)  # fmt: skip
        return None
    return time
