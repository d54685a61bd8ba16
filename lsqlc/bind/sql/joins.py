"""JOIN of tables, of a stream with a table, and of two streams: the conditions of ON, and the key of the result.

A row of two tables has both keys. A record of a stream keeps its key; with two streams, that of the left one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from msgspec import structs

from lsqlc.bind.columns import Column
from lsqlc.bind.findings import Findings
from lsqlc.bind.sql.expressions import SqlBinder
from lsqlc.bind.sql.key_parts import key_parts
from lsqlc.bind.sql.outer_pairs import outer_pairs
from lsqlc.bind.sql.rows import Kind
from lsqlc.bind.sql.scope import TIME, Scope
from lsqlc.bind.sql.side import LEFT, RIGHT, Side, both_keys, with_constant, without_constants
from lsqlc.bind.sql.sources import Sources
from lsqlc.bind.sql.time_bounds import Bound, has_other_form, other_times, split_time
from lsqlc.bind.sql.unique_keys import holds
from lsqlc.bind.sql.using import equated, merged, using_pairs
from lsqlc.diagnostics import listing
from lsqlc.plan.expression import (
    Call,
    Expression,
    Field,
    Operation,
    StructOf,
    conjunction,
    conjuncts,
    relations_of,
    shift,
)
from lsqlc.plan.identity import joins_keys, keyed_by_identity
from lsqlc.plan.nodes import Filter, Join, JoinKind, JoinStyle, Node, scans, share_topics
from lsqlc.syntax import tree
from lsqlc.syntax.sql import tree as sql
from lsqlc.types import data
from lsqlc.types.data import Struct

_LEGAL: dict[JoinStyle, tuple[str, ...]] = {
    "table-table": ("INNER", "LEFT", "RIGHT", "OUTER"),
    "stream-table": ("INNER", "LEFT"),
    "stream-stream": ("INNER", "LEFT", "RIGHT", "OUTER"),
}
_STYLES: dict[tuple[Kind, Kind], JoinStyle] = {
    ("TABLE", "TABLE"): "table-table",
    ("STREAM", "TABLE"): "stream-table",
    ("STREAM", "STREAM"): "stream-stream",
}
_WORDS = {"OUTER": "FULL OUTER"}
# Why a condition on times is not a bound of the join.
_OF_TIME = f"without a bound on {TIME} that can be read, each record is kept for ever"


def joined_sides(join: sql.Join, left: Side, right: Side, sources: Sources, findings: Findings) -> Side | None:
    """Return both sides joined; None after an error."""
    style = _style(join, left, right, findings)
    if style is None:
        return None
    if style == "stream-table" and (twice := _topics(left.node) & _topics(right.node)):
        findings.error("LSQ454", f"the topic '{min(twice)}' is read as a stream and as a table by one join",
                       join.source.at, notes=("a record would meet the row that it changes itself",),
                       help="join two tables, or write one of them in a model of its own")  # fmt: skip
        return None
    pairs = using_pairs(join, left.columns, right.columns, findings)
    if pairs is None:
        return None
    if not pairs and join.on is None:
        findings.error("LSQ454", "a join requires ON", join.at, help="write the condition: JOIN ... ON a.x = b.x")
        return None
    width = len(left.node.relations)
    right_columns = tuple(replace(c, expression=shift(c.expression, width)) for c in right.columns)
    columns, labels = (*left.columns, *right_columns), (*left.labels, *right.labels)
    scope = Scope(labels, columns)
    if pairs:
        join, scope = equated(join, pairs, scope, len(left.columns))
    binder = SqlBinder(findings, scope=scope, strict=sources.strict)
    on, within, after = join.on, None, None
    assert on is not None
    if style == "stream-stream":
        bounds = _within(on, left, right, findings)
        if bounds is None:
            return None
        on, within, after = bounds
    condition = binder.condition(on, "ON")
    if condition is None:
        return None
    split = _split(condition, width, join, style, findings, unkeyed=left.unkeyed or right.unkeyed)
    if split is None:
        return None
    equalities, sided, of_pairs = split
    if style == "table-table" and not equalities:
        return _compared(join, left, right, sources, findings)
    if of_pairs and join.kind != "INNER":

        def joined(inner: sql.Join, one: Side, other: Side) -> Side | None:
            return joined_sides(inner, one, other, sources, findings)

        return outer_pairs(join, left, right, joined)
    if style == "stream-table" and len(equalities) == 1:
        whole = _of_whole_key(*equalities[0], shift(right.key, width))
        if whole is not None:
            sided[0].append(Operation("IS NOT NULL", (equalities[0][0],), data.BOOLEAN, False))
            equalities = [whole]
    if style == "stream-table" and not (len(equalities) == 1 and shift(equalities[0][1], -width) == right.key):
        findings.error("LSQ454", "ON must equate a value of the stream with the key of the table, and nothing else",
                       on.at, notes=("a record of a stream meets one row of the table",),
                       help=f"the key of the table is {right.labels[0]}._key{_only_part(right.key)}")  # fmt: skip
        return None
    conditions = conjunction(tuple(sided[0])), _back(conjunction(tuple(sided[1])), width)
    assert join.kind in ("INNER", "LEFT", "RIGHT", "OUTER"), "CROSS, SEMI and ANTI joins are made of these"
    node = Join(
        join.kind, style, left.node, right.node, tuple((a, shift(b, -width)) for a, b in equalities),
        *conditions, within, sources.limits.grace, None, after, meets_itself=share_topics(left.node, right.node),
    )  # fmt: skip
    key, key_format = _key(node, left, right, width)
    loose = merged(pairs, _loosened(columns, node, width), len(left.columns), join.kind)
    kind: Kind = "TABLE" if style == "table-table" else "STREAM"
    of_both = conjunction(tuple(of_pairs))
    filtered = Filter(node, of_both) if of_both else node
    return Side(filtered, kind, loose, labels, key, key_format, loose_key=_may_be_nulls(join.kind, left, right))


def _compared(join: sql.Join, left: Side, right: Side, sources: Sources, findings: Findings) -> Side | None:
    """Return the join of two tables without an equality in ON: each row is compared with all of the other side."""
    warn_product(join, findings)
    on = tree.Binary("=", tree.Reference((LEFT,), join.at), tree.Reference((RIGHT,), join.at), join.at)
    whole = on if join.on is None else tree.Logic("AND", (on, join.on), join.on.at)
    one, other = with_constant(left, LEFT), with_constant(right, RIGHT)
    side = joined_sides(replace(join, on=whole), one, other, sources, findings)
    return side and without_constants(side)


def warn_product(join: sql.Join, findings: Findings) -> None:
    """Report that each row of a join meets all rows of the other side."""
    findings.warn("LSQ476", f"no equality joins '{join.source.label or 'the query'}' with the sources before it",
                  join.source.at, notes=("each row meets all rows of the other side, and so does each change of one",),
                  help="add an equality of both sides, or keep both tables small")  # fmt: skip


def _within(
    on: tree.Expression, left: Side, right: Side, findings: Findings
) -> tuple[tree.Expression, int, int | None] | None:
    """Return ON without its time bound, and the maximum distance of the right record before and after the left one.

    The distances are in milliseconds; the latter is None if they are equal. None after an error.
    """
    names = [[label.casefold() for label in side.labels] for side in (left, right)]
    rest, bound = split_time(on, names[0], names[1])
    a, b = f"{left.labels[-1]}.{TIME}", f"{right.labels[0]}.{TIME}"
    help = f"add to ON: {b} BETWEEN {a} - INTERVAL 1 HOUR AND {a} + INTERVAL 1 HOUR"
    if bound.low is None or bound.high is None:
        message = "a join of two streams requires a time bound"
        notes: tuple[str, ...] = ("without one, each record is kept for ever",)
        if bound != Bound(None, None):
            side, operator = ("lower", ">=") if bound.low is None else ("upper", "<=")
            message = f"the time bound of this join has no {side} limit"
            notes = ("without both limits, each record is kept for ever",)
            help = f"add to ON: {b} {operator} {a} {'-' if side == 'lower' else '+'} INTERVAL 1 HOUR"
        elif columns := other_times(on):
            message = f"the time bound of a join must compare {TIME}, not {listing(columns)}"
            notes = (_OF_TIME, f"{TIME} is the time of a record: the topic's column that `event_time` declares, if any")
        elif has_other_form(on, names[0], names[1]):
            message = "the time bound of this join is in a form that cannot be read"
            notes = (_OF_TIME,)
            help = f"write it as {b} BETWEEN {a} - INTERVAL 1 HOUR AND {a} + INTERVAL 1 HOUR"
        findings.error("LSQ454", message, on.at, notes=notes, help=help)
        return None
    if not bound.low <= 0 <= bound.high:
        findings.error("LSQ454", "the time bound of a join must contain records of the same time", on.at, help=help)
        return None
    if rest is None:
        findings.error("LSQ454", "ON must equate both sides", on.at, help="write ON a.x = b.x")
        return None
    return rest, -bound.low, None if bound.high == -bound.low else bound.high


def _topics(node: Node) -> set[str]:
    """Return the topics that a node reads."""
    return {scan.topic.name for scan in scans(node)}


def _style(join: sql.Join, left: Side, right: Side, findings: Findings) -> JoinStyle | None:
    """Return the kind of the join; None after reporting one that does not exist."""
    style = _STYLES.get((left.kind, right.kind))
    if style is not None and join.kind in _LEGAL[style]:
        return style
    if style is not None:
        word, (one, other) = _WORDS.get(join.kind, join.kind), style.split("-")
        legal = " and ".join(f"{kind} JOIN" for kind in _LEGAL[style])
        findings.error("LSQ331", f"a {one} cannot be joined with a {other} by {word} JOIN", join.at,
                       help=f"a {one} with a {other} allows {legal}")  # fmt: skip
        return None
    what = {"STREAM": "a stream", "TABLE": "a table", "RECORDS": "a topic without a key"}
    message = f"{what[left.kind]} cannot be joined with {what[right.kind]} in models of the dialect sql"
    help = "join two tables, two streams, or a stream with a table: FROM STREAM(a) JOIN b ON ..."
    findings.error("LSQ454", message, join.source.at, help=help)
    return None


_Split = tuple[list[tuple[Expression, Expression]], tuple[list[Expression], list[Expression]], list[Expression]]


def _split(
    condition: Expression, width: int, join: sql.Join, style: JoinStyle, findings: Findings, *, unkeyed: bool
) -> _Split | None:
    """Return ON as equalities of both sides, the conditions on each side, and the others; None after an error.

    The others filter the pairs of a join of tables. `unkeyed`: the rows of a side share their keys.
    """
    equalities: list[tuple[Expression, Expression]] = []
    sided: tuple[list[Expression], list[Expression]] = ([], [])
    of_pairs: list[Expression] = []
    assert join.on is not None
    for part in conjuncts(condition):
        of = {relation >= width for relation in relations_of(part)}
        if len(of) < 2:
            sided[True in of].append(part)
            continue
        pair = _equality(part, width)
        if pair is not None:
            equalities.append(pair)
        elif join.kind == "INNER" or (style == "table-table" and not unkeyed):
            of_pairs.append(part)
        else:
            findings.error("LSQ454", "a condition of ON must equate both sides, or be of one of them", join.on.at,
                           notes=("rows are matched by the values that ON equates",),
                           help="other conditions on both sides are possible in an INNER JOIN")  # fmt: skip
            return None
    if not equalities and style != "table-table":
        findings.error("LSQ454", "ON must equate both sides", join.on.at, help="write ON a.x = b.x")
        return None
    return equalities, sided, of_pairs


def _equality(part: Expression, width: int) -> tuple[Expression, Expression] | None:
    """Return the sides of an equality, the left source's first; None for any other condition."""
    if getattr(part, "operator", "") != "=":
        return None
    one, other = part.operands  # type: ignore[union-attr]
    of_one = {relation >= width for relation in relations_of(one)}
    of_other = {relation >= width for relation in relations_of(other)}
    if (of_one, of_other) == ({False}, {True}):
        return one, other
    return (other, one) if (of_one, of_other) == ({True}, {False}) else None


def _only_part(key: Expression) -> str:
    """Return the name of the only part of a key, after a dot; empty for a key of another form."""
    fields = key.type.fields if isinstance(key.type, Struct) else ()
    return f".{fields[0].name}" if len(fields) == 1 else ""


def _of_whole_key(value: Expression, part: Expression, key: Expression) -> tuple[Expression, Expression] | None:
    """Return the equality of a value with the only part of a key, as one with the whole key; None for any other.

    A null part equals no value, but a struct of it would.
    """
    if not isinstance(part, Field) or not isinstance(key, Field) or not isinstance(key.type, Struct):
        return None
    names = [f.name for f in key.type.fields]
    if len(names) != 1 or part != structs.replace(key, path=(names[0],), type=part.type, nullable=part.nullable):
        return None
    return StructOf((names[0],), (value,)), key


def _back(condition: Expression | None, width: int) -> Expression | None:
    return None if condition is None else shift(condition, -width)


def _loosened(columns: Sequence[Column], node: Join, width: int) -> tuple[Column, ...]:
    """Return the columns. Those of a side that may be missing become nullable."""
    loose = {False: node.kind in ("RIGHT", "OUTER"), True: node.kind in ("LEFT", "OUTER")}

    def change(column: Column) -> Column:
        of = column.expression
        if isinstance(of, Field) and loose[of.relation >= width]:
            return replace(column, expression=structs.replace(of, nullable=True))
        return column

    return tuple(map(change, columns))


def _key(node: Join, left: Side, right: Side, width: int) -> tuple[Expression, str]:
    """Return the key of the rows.

    It is a stream's own key; with two streams that of the side with a record; the equated keys; or both keys.
    """
    ours, theirs = left.key, shift(right.key, width)
    if node.style != "table-table" and node.kind in ("INNER", "LEFT"):
        return ours, left.key_format
    if node.style == "stream-stream" and node.kind == "RIGHT":
        return theirs, right.key_format
    if node.style == "stream-stream" and ours.type == theirs.type:
        return Call("COALESCE", (ours, theirs), ours.type, True), left.key_format
    if joins_keys(node) and keyed_by_identity(node) and ours.type == theirs.type:
        if node.kind == "OUTER":
            return Call("COALESCE", (ours, theirs), ours.type, True), left.key_format
        return (theirs, right.key_format) if node.kind == "RIGHT" else (ours, left.key_format)
    if node.kind != "OUTER":
        left = replace(left, loose_key=left.loose_key and not _meets_by_part(left, [a for a, _ in node.equalities]))
        right = replace(right, loose_key=right.loose_key and not _meets_by_part(right, [b for _, b in node.equalities]))
    return both_keys(left, right, ours, theirs, node.kind), "json"


def _meets_by_part(side: Side, values: Sequence[Expression]) -> bool:
    """Return whether the rows of a side are matched by a part of its key, which is not null in a pair then."""
    return any(holds(side.node, part, values) for _, part in key_parts(side.key, ""))


def _may_be_nulls(kind: JoinKind, left: Side, right: Side) -> bool:
    """Return whether all parts of the key of a joined row may be null."""
    if kind == "OUTER":
        return left.loose_key or right.loose_key
    if kind == "INNER":
        return left.loose_key and right.loose_key
    return (left if kind == "LEFT" else right).loose_key
