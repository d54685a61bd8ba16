"""FROM: the input of a SELECT, its sources joined from left to right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from lsqlc.bind.columns import Column
from lsqlc.bind.findings import Findings
from lsqlc.bind.limits import MAX_DEPTH, MAX_NODES
from lsqlc.bind.sql.comma_joins import crossed, with_conditions
from lsqlc.bind.sql.constants import joined_constants, meets_constants, turned
from lsqlc.bind.sql.joins import joined_sides
from lsqlc.bind.sql.rows import Input, Rows, extent_of
from lsqlc.bind.sql.scope import USING
from lsqlc.bind.sql.semi_clauses import semi_joined
from lsqlc.bind.sql.side import Side, flat, side_of
from lsqlc.bind.sql.sources import Sources, bind_source
from lsqlc.bind.sql.time_bounds import with_time_bounds
from lsqlc.bind.sql.using import with_natural
from lsqlc.diagnostics.source import Extent
from lsqlc.syntax.sql import tree as sql


def bind_from(select: sql.Select, sources: Sources, findings: Findings) -> tuple[sql.Select, Input] | None:
    """Return the rows of FROM, and the SELECT without the conditions of WHERE that moved to joins; None after
    an error.
    """
    labels = [source.label.casefold() for source in select.sources]
    for number, source in enumerate(select.sources):
        if source.label and source.label.casefold() in labels[:number]:
            findings.error("LSQ338", f"two sources have the name '{source.label}'", source.at,
                           help="give each an alias: FROM a AS x JOIN a AS y")  # fmt: skip
            return None
    source_rows = [bind_source(source, sources, findings) for source in select.sources]
    rows = [r for r in source_rows if r is not None]
    if len(rows) < len(source_rows):
        return None
    if select.joins:
        depth, size = extent_of(rows)
        return None if is_too_deep(depth, size, select.items_at, findings) else _joined(select, rows, sources, findings)
    (only,) = rows
    relation = only.node.relations[0]
    return select, Input(
        only.node, only.kind, (select.source.label,), only.columns, only.key, relation.key.format, only.near, (),
        only.depth + 1, only.size + 1, only.unkeyed, only.constants,
    )  # fmt: skip


def is_too_deep(depth: int, size: int, at: Extent, findings: Findings) -> bool:
    """Report a query that depends on so many others that its plan could not be walked, and return whether it does."""
    if depth <= MAX_DEPTH and size <= MAX_NODES:
        return False
    findings.error("LSQ345", f"this query depends on too many others: {depth} deep, {size} in all", at,
                   help="write a topic in between, and continue in another model")  # fmt: skip
    return True


def _joined(
    select: sql.Select, rows: Sequence[Rows], sources: Sources, findings: Findings
) -> tuple[sql.Select, Input] | None:
    select = with_natural(select, [each.columns for each in rows])
    select = with_time_bounds(select, [each.kind for each in rows])
    result = with_conditions(select, rows, findings)
    if result is None:
        return None
    labels_in_text = [source.label for source in select.sources]
    select, rows = result
    side, unkeyed = side_of(rows[0], select.source.label), rows[0].unkeyed
    for number, (join, right) in enumerate(zip(select.joins, rows[1:], strict=True)):
        side = flat(side) if len(side.node.relations) > 1 else side
        other = side_of(right, join.source.label)
        if join.kind in ("SEMI", "ANTI"):
            joined = _semi(join, side, other, right, sources, findings)
        elif meets_constants(join, right):
            joined = joined_constants(join, side, other, right, findings, strict=sources.strict)
        elif number == 0 and side.labels != other.labels and meets_constants(turned(join), rows[0]):
            joined = joined_constants(turned(join), other, side, rows[0], findings, strict=sources.strict)
        elif join.kind == "CROSS" and join.on is None:
            joined = crossed(join, side, other, sources, findings)
        else:
            joined = joined_sides(join, side, other, sources, findings)
        if joined is None:
            return None
        unkeyed = unkeyed or (right.unkeyed and join.kind not in ("SEMI", "ANTI"))
        side = replace(joined, unkeyed=unkeyed)
    depth, size = extent_of(rows)
    labels = tuple(label for label in labels_in_text if label in side.labels)
    columns = _in_order(side.columns, labels_in_text)
    return select, Input(
        side.node, side.kind, labels, columns, side.key, side.key_format, rows[0].near, (), depth, size, unkeyed,
    )  # fmt: skip


def _in_order(columns: Sequence[Column], labels: Sequence[str]) -> tuple[Column, ...]:
    """Return the columns in the order of the sources in the text, after those of USING."""
    places = {USING: -1} | {label: i for i, label in reversed(list(enumerate(labels)))}
    return tuple(sorted(columns, key=lambda column: places[column.source]))


def _semi(
    join: sql.Join, left: Side, right: Side, rows: Rows, sources: Sources, findings: Findings
) -> Side | None:  # fmt: skip
    """Return the rows of the left side with a match on the right side, or without one."""
    left_input = Input(left.node, left.kind, left.labels, left.columns, left.key, left.key_format, rows.near)
    matched = semi_joined(join, left_input, right, sources, findings)
    return (
        None
        if matched is None
        else Side(matched.node, matched.kind, matched.columns, matched.labels, matched.key, matched.key_format)
    )
