"""The legal joins of ksqlDB, by the kinds of the sides, the columns of ON, and the partitions and formats."""

from __future__ import annotations

from collections.abc import Sequence

from lsqlc.bind.findings import Findings
from lsqlc.bind.ksql.create_source import Source
from lsqlc.bind.ksql.formats import ksql_format
from lsqlc.plan.nodes import JoinStyle
from lsqlc.syntax import tree
from lsqlc.syntax.ksql import tree as ksql
from lsqlc.syntax.ksql.text import name_text, text_of

_LEGAL: dict[JoinStyle, tuple[str, ...]] = {
    "stream-stream": ("INNER", "LEFT", "RIGHT", "OUTER"),
    "table-table": ("INNER", "LEFT", "RIGHT", "OUTER"),
    "stream-table": ("INNER", "LEFT"),
    "table-stream": (),
}


def check_join(
    join: ksql.JoinedSource, style: JoinStyle, left: Sequence[Source], right: Source,
    on: tuple[bool, bool, bool] | None, whole: bool, findings: Findings,
) -> None:  # fmt: skip
    """Report an illegal join.

    `on`: whether ON reads the right source's primary key, the left side's own key, and whether that is a join itself;
    None if ON is invalid.
    """
    if any(s.name == right.name for s in left):
        findings.error(
            "LSQ358", f"'{right.name}' is joined with itself", join.source.name.at,
            notes=("a query of ksqlDB reads each stream or table once",),
            help=f"create a second one: CREATE {right.kind} ... AS SELECT * FROM {right.name}",
        )  # fmt: skip
    _check_kind(join, style, findings)
    _check_within(join, style, right, findings)
    # A foreign-key join repartitions its records to the rows that they need.
    if style != "table-table" or (on is not None and on[1]):
        _check_partitions(join, left, right, findings)
    if on is None or not whole:
        return
    primary, own_key, is_join = on
    if style in ("stream-table", "table-table") and not primary:
        refuse_other_key(right, join.on, findings)
    elif style == "table-table" and not own_key:
        if is_join:
            findings.error(
                "LSQ357", "a foreign-key join must be the first join of its query", join.on.at,
                notes=("the tables joined so far are looked up by their key, which ON does not use",),
                help="make it the first, or write the tables joined so far to a separate table",
            )  # fmt: skip
        elif join.kind not in ("INNER", "LEFT"):
            findings.error(
                "LSQ357", f"{_words(join)} is not supported on a foreign key", join.kind_at,
                notes=("an unmatched row of the right table would have no key in the result",),
                help="use JOIN or LEFT JOIN",
            )  # fmt: skip


def refuse_other_key(table: Source, on: tree.Expression, findings: Findings) -> None:
    """Report an ON that does not equate the primary key of the table on its right."""
    findings.error(
        "LSQ356", f"ON must equate the primary key of the table '{table.name}', not {text_of(on)}", on.at,
        notes=("a table is looked up by its whole primary key",),
        help=f"its primary key is {', '.join(key.name for key in table.keys)}",
    )  # fmt: skip


def _words(join: ksql.JoinedSource) -> str:
    return "FULL OUTER JOIN" if join.kind == "OUTER" else f"{join.kind} JOIN"


def _check_kind(join: ksql.JoinedSource, style: JoinStyle, findings: Findings) -> None:
    if join.kind in _LEGAL[style]:
        return
    one, other = style.upper().split("-")
    if not _LEGAL[style]:
        findings.error("LSQ331", f"a {one} cannot be joined with a {other}", join.kind_at,
                       help="put the stream first: stream JOIN table")  # fmt: skip
        return
    legal = " or ".join(f"{kind} JOIN" for kind in _LEGAL[style])
    findings.error("LSQ331", f"a {one} cannot be joined with a {other} by {_words(join)}", join.kind_at,
                   help=f"a {one} with a {other} allows {legal}")  # fmt: skip


def _check_within(join: ksql.JoinedSource, style: JoinStyle, right: Source, findings: Findings) -> None:
    if style == "stream-stream" and join.within is None:
        findings.error(
            "LSQ332", "a join of two streams requires WITHIN", join.kind_at,
            notes=("it is the maximum time between two records that match",),
            help=f"add the maximum time between two records: JOIN {join.source.label} WITHIN 1 HOUR ON ..."
            + _as_table(join, right),
        )  # fmt: skip
    elif style != "stream-stream" and join.within is not None:
        findings.error(
            "LSQ334", "WITHIN is only for a join of two streams", join.within.at,
            notes=("a record is joined with the current row of the table, however old that is",), help="remove it",
        )  # fmt: skip


def _as_table(join: ksql.JoinedSource, right: Source) -> str:
    """Return the statement that creates the right stream as a table with the newest value of each key.

    Empty if a join with a table is illegal, or the stream has no key or no value.
    """
    if join.kind not in _LEGAL["stream-table"] or len(right.keys) != 1 or not right.values or right.window:
        return ""
    table, source, key = (name_text(name) for name in (f"{right.name}_NEWEST", right.name, right.keys[0].name))
    names = [name_text(column.name) for column in right.values]
    values = ", ".join(f"LATEST_BY_OFFSET({name}) AS {name}" for name in names)
    return (
        f"\nor join each record with the newest values of its key in {source}: make a table of them before"
        f"\n  CREATE TABLE {table} AS SELECT {key}, {values} FROM {source} GROUP BY {key};"
        f"\n  SELECT ... {_words(join)} {table} ON ..."
    )


def _check_partitions(join: ksql.JoinedSource, left: Sequence[Source], right: Source, findings: Findings) -> None:
    # The records of an earlier join are partitioned as its right side, and its left side has as many partitions.
    first = left[-1]
    if first.partitions is None or right.partitions is None or first.partitions == right.partitions:
        return
    findings.error(
        "LSQ360",
        f"'{first.name}' has {first.partitions} partitions, and '{right.name}' {right.partitions}",
        join.source.name.at,
        notes=("records are joined in the partition of their key, so both sides must have the same number",),
        help=f"repartition one: CREATE {right.kind} ... WITH (PARTITIONS = {first.partitions}) AS SELECT * "
        f"FROM {right.name}",
    )


def check_stored_values(query: ksql.Query, sources: Sequence[Source], findings: Findings) -> None:
    """Report formats that cannot store the values of sources, which joins and aggregations do: KAFKA cannot hold more
    columns.
    """
    what = "joined" if query.joins else "grouped" if query.group_by else None
    if what is None:
        return
    for source, reference in zip(sources, query.sources, strict=True):
        if ksql_format(source.value_format).columns == "one":
            message = f"the values of '{source.name}' are stored as {source.value_format}, which cannot be {what}"
            findings.error("LSQ365", message, reference.name.at, help="declare them with another format, such as JSON")


def check_windows(join: ksql.JoinedSource, left: Source, right: Source, findings: Findings) -> None:  # fmt: skip
    """Report windowed keys of different kinds or sizes, or on one side only."""
    if (left.window, left.window_size) == (right.window, right.window_size):
        return
    at = join.source.name.at
    if left.window is None or right.window is None:
        windowed, plain = (left.name, right.name) if left.window else (right.name, left.name)
        findings.error("LSQ361", f"'{windowed}' is windowed, and '{plain}' is not", at,
                       notes=("the bounds of its window are part of a record's key",))  # fmt: skip
        return
    findings.error("LSQ361", f"the windows of '{left.name}' and '{right.name}' differ", at,
                   notes=("records of windowed sources are joined if their windows are equal",))  # fmt: skip
