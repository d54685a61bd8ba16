"""Both inputs of a join as one stream of lines, so that the order of arrival of their records is kept.

Rows have `_s`, true for those of the first side, and are in the columns of their side: `k0` and `v0` of the left one,
`k1` and `v1` of the right one. `_live` is false if the row of a TABLE is deleted. If a join needs them, `_i0` and `_i1`
identify the rows of a TABLE side, whatever its projections do with the key. On Kafka `_ord` has the time of the batch
before the ordinal, or the position if topics meet by time (see `merge_order`).
"""

from __future__ import annotations

from dataclasses import dataclass

from lsqlc.lower.spark.builder import Builder
from lsqlc.lower.spark.expressions import sql
from lsqlc.lower.spark.join_sides import chain
from lsqlc.lower.spark.merge_order import found, in_batch, in_turn, is_merged, placed
from lsqlc.lower.spark.record_lines import INTERNAL
from lsqlc.lower.spark.scan_decoding import metadata_columns, parsed_columns, validity_clause
from lsqlc.plan import nodes
from lsqlc.plan.identity import passes_over_tombstones
from lsqlc.sql.spark import text


def both_sides(node: nodes.Join, first: int, build: Builder, *, identities: bool) -> str:
    """Return the piece with the rows of both sides of a join; `first` is the side whose rows have `_s`."""
    chains = chain(node.left), chain(node.right)
    scans = tuple(c[0] for c in chains)
    assert isinstance(scans[0], nodes.Scan) and isinstance(scans[1], nodes.Scan), "a stage reads topics"
    _read(node, (scans[0], scans[1]), first, build)
    identity_columns: tuple[str, ...] = ()
    for side, (scan, *above) in enumerate(chains):
        if identities and scan.semantics == "TABLE":
            identity_columns = _identified(_Side(side, first, identity_columns), build)
        for each in above:
            _apply(each, _Side(side, first, identity_columns), build)
            if identities and isinstance(each, nodes.Reinterpret) and each.semantics == "TABLE":
                identity_columns = _identified(_Side(side, first, identity_columns), build)
    return build.last


@dataclass(frozen=True, slots=True)
class _Side:
    """A side whose rows a step changes; `kept` are columns of both sides that are passed through."""

    number: int
    first: int
    kept: tuple[str, ...]

    @property
    def mine(self) -> str:
        return "_s" if self.number == self.first else "NOT _s"

    @property
    def lead(self) -> str:
        return "".join(f"{c}, " for c in self.kept)


def _read(node: nodes.Join, scans: tuple[nodes.Scan, nodes.Scan], first: int, build: Builder) -> None:
    is_by_time = any(s.semantics == "STREAM" for s in scans)
    wide = max(s.ordinal_width for s in scans) > 1
    merged = is_merged(node, build)
    again = [merged and s.topic.name.startswith(INTERNAL) for s in scans]
    lying = (merged and is_by_time) or any(again)
    places = lying or any(s.places for s in scans)
    headers = any(s.headers for s in scans)
    lines = build.source(*(s.topic.name for s in scans), places=places, together=is_by_time, headers=headers)
    names = [text(s.topic.name) for s in scans]
    if scans[0].topic.name == scans[1].topic.name:
        # One topic is both sides: each line is an event of either. In cases, lines with only the time are included.
        rows = f"(SELECT *, explode(array(TRUE, FALSE)) AS _s FROM {lines} WHERE _topic = {names[0]})"
    else:
        rows = f"(SELECT *, _topic = {names[first]} AS _s FROM {lines} WHERE _topic IN ({', '.join(names)}))"
    mine = ["_s", "NOT _s"] if first == 0 else ["NOT _s", "_s"]
    decodings = [build.scan_decoding(scan, i) for i, scan in enumerate(scans)]
    build.add(
        "parsed",
        f"SELECT {build.lead}{metadata_columns(scans, position=lying)}_s,\n"
        f"  {parsed_columns(*zip(decodings, mine, strict=True))}\nFROM {rows}",
        "the records of both topics, in order of arrival",
    )
    orders = [f"array({r.ordinal})" if wide and r.scan.ordinal_width == 1 else r.ordinal for r in decodings]
    # The output of another stage for one row may have one ordinal twice, and is in order.
    orders = [in_turn(o) if more else o for o, more in zip(orders, again, strict=True)]
    order = f"if(_r0 IS NULL, {orders[1]}, {orders[0]})"
    if merged:
        order = found(order) if is_by_time else in_batch(order)
    living = [
        f"{own} AND {r.members('value')} IS NOT NULL"
        for r, own in zip(decodings, mine, strict=True)
        if r.scan.semantics == "TABLE"
    ]
    time = f"if(_r0 IS NULL, {decodings[1].time}, {decodings[0].time})"
    build.add(
        "records",
        f"SELECT {build.lead}_s, {order} AS _ord,\n  {time} AS _ts, {' OR '.join(living) or 'FALSE'} AS _live,\n"
        f"  {decodings[0].columns}, {decodings[1].columns}\nFROM {build.last}{validity_clause(*decodings)}",
        "one column for each facet of each side",
    )
    if merged and is_by_time:
        placed(node, first, build)


def _identified(side: _Side, build: Builder) -> tuple[str, ...]:
    """Keep the side's keys as the identity of its rows; return the columns that are kept from here on."""
    name = f"_i{side.number}"
    build.add("identified", f"SELECT *, k{side.number} AS {name} FROM {build.last}", "what tells rows apart")
    return (*side.kept, name)


def _apply(node: nodes.Node, side: _Side, build: Builder) -> None:
    """Apply a step of one side, which leaves the rows of the other unchanged."""
    number, other, mine, stream = side.number, 1 - side.number, side.mine, node.semantics == "STREAM"
    match node:
        case nodes.Filter(condition=condition) if stream:
            test = sql(condition, number)
            if passes_over_tombstones(node):
                test = f"v{number} IS NOT NULL AND {test}"
            others = "NOT _s" if mine == "_s" else "_s"
            build.add(
                "filter",
                f"SELECT * FROM {build.last}\nWHERE {others} OR ({test})",
                "the records of the stream that satisfy the condition",
            )
        case nodes.Filter(condition=condition):
            living = f"coalesce({sql(condition, number)}, FALSE)"
            build.add(
                "filter",
                f"SELECT {build.lead}{side.lead}_s, _ord, _ts, _live AND if({mine}, {living}, TRUE) AS _live,\n"
                f"  k0, v0, k1, v1\nFROM {build.last}",
                "a row of the table that does not satisfy the condition is deleted",
            )
        case nodes.Project(key=key, value=value):
            computed = f"if({mine} AND v{number} IS NOT NULL, {sql(value, number)}, NULL)"
            living = "_live" if stream else f"_live AND if({mine}, {computed} IS NOT NULL, TRUE)"
            build.add(
                "project",
                f"SELECT {build.lead}{side.lead}_s, _ord, _ts, {living} AS _live, k{other}, v{other},\n"
                f"  if({mine}, {sql(key, number)}, NULL) AS k{number},\n  {computed} AS v{number}\nFROM {build.last}",
                f"the projections of the {'stream' if stream else 'table'}",
            )
        case nodes.Reinterpret() if not stream:
            build.add(
                "rows",
                f"SELECT {build.lead}{side.lead}_s, _ord, _ts, if({mine}, v{number} IS NOT NULL, _live) AS _live,\n"
                f"  k0, v0, k1, v1\nFROM {build.last}",
                "the records of a stream as the changes of a table; a null value deletes",
            )
        case nodes.Reinterpret() | nodes.Repartition():
            pass
        case _:
            raise AssertionError(f"{type(node).__name__} cannot stand below a join in one stage")
