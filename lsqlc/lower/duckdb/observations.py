"""One DuckDB statement that observes which outcomes of the points of a plan are reached."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from lsqlc.lower.duckdb.expressions import sql
from lsqlc.lower.duckdb.queries import Statement
from lsqlc.lower.duckdb.query import Query
from lsqlc.lower.duckdb.relations import lower_node
from lsqlc.plan import expression as ex
from lsqlc.plan import nodes, points
from lsqlc.plan.clocks import timed_groups
from lsqlc.plan.identity import may_be_tombstone, passes_over_tombstones
from lsqlc.plan.points import Guard, Point, argument_name, branch_name
from lsqlc.plan.windows import Session
from lsqlc.sql.duckdb import text
from lsqlc.sql.writer import listed, nested

# The kinds of joins whose rows have an unmatched row of each side that an unmatched row can be observed of.
_KEEPING: dict[nodes.JoinStyle, nodes.JoinKind] = {
    "stream-stream": "OUTER",
    "table-table": "OUTER",
    "stream-table": "LEFT",
    "table-stream": "RIGHT",
}


def observation(results: Sequence[nodes.Node], observed: Sequence[Point], *, advances: bool = False) -> Statement:
    """Return the statement that observes points of nodes, over all cases together.

    Its rows have `points`, the numbers of some points, and `outcomes`: those that each of them reaches.
    """
    query = Query(lower_node, advances, tuple(a for node in results for a in timed_groups(node)))
    late = _lowered(results, query)
    groups: dict[str, list[tuple[int, str]]] = {}
    for number, point in enumerate(observed):
        for rows, code in _observed(point, late, query):
            groups.setdefault(rows, []).append((number, code))
    selects = [_select(rows, codes) for rows, codes in groups.items()]
    read = [scan for node in results for scan in nodes.scans(node)]
    return Statement(
        "",
        tuple(dict.fromkeys(scan.topic.name for scan in read)),
        frozenset(scan.topic.name for scan in read if scan.places),
        frozenset(scan.topic.name for scan in read if scan.headers),
        tuple(query.parts),
        "\nUNION ALL\n".join(selects),
        "",
        None,
    )


def _select(rows: str, codes: Sequence[tuple[int, str]]) -> str:
    """Return the outcomes of several points over the same rows."""
    columns = listed(f"{code} AS c{place}" for place, (_, code) in enumerate(codes))
    numbers = listed(str(number) for number, _ in codes)
    outcomes = listed(f"list(DISTINCT c{place}) FILTER (WHERE c{place} IS NOT NULL)" for place in range(len(codes)))
    computed = nested(f"SELECT {columns}\nFROM {rows}")
    return f"SELECT [{numbers}] AS points, [{outcomes}] AS outcomes FROM {computed}"


def _lowered(results: Sequence[nodes.Node], query: Query) -> dict[nodes.Node, str]:
    """Write the rows of all nodes, inputs first. Returns SQL of the late records of each node that drops them."""
    late: dict[nodes.Node, str] = {}
    for result in results:
        for node in _below(result):
            before = len(query.counts)
            query.relation(node, final=False)
            dropped = [body for reason, body in query.counts[before:] if reason == "late"]
            if dropped and node not in late:
                late[node] = "\nUNION ALL ".join(dropped)
    return late


def _below(node: nodes.Node) -> Iterator[nodes.Node]:
    for part in nodes.inputs(node):
        yield from _below(part)
    yield node


def _observed(point: Point, late: dict[nodes.Node, str], query: Query) -> Iterator[tuple[str, str]]:
    """Yield rows, and SQL of the outcome that each reaches, null for none."""
    node = point.node
    if points.LATE in point.outcomes and node in late:
        yield f"{nested(late[node])} AS t", text(points.LATE)
    match point.kind, node:
        case "join", nodes.Join():
            yield _match(node, query), _sides(node)
        case "group", nodes.Aggregate():
            # Groups of a total stay when they are empty.
            rows = query.relation(replace(node, keeps_empty=False), final=False)
            yield _versions(rows), f"CASE WHEN is_gone THEN {text(points.EMPTIED)} END"
            yield _versions(rows), f"CASE WHEN is_gone AND next IS NOT NULL THEN {text(points.REFILLED)} END"
        case "row", _:
            rows = query.relation(node, final=False)
            changes = f"WHEN is_gone THEN {text(points.DELETED)} WHEN _end IS NOT NULL THEN {text(points.UPDATED)}"
            yield _versions(rows), f"CASE {changes} END"
        case "window", nodes.Aggregate():
            yield from _bounds(node, query)
        case "column", nodes.Scan():
            assert point.subject is not None
            present = f"{query.relation(node, final=False)} AS t WHERE v0 IS NOT NULL"
            yield present, f"CASE WHEN {sql(point.subject)} IS NULL THEN {text(points.NULL)} END"
        case _:
            yield _rows(point, query), _guarded(point.guards, _outcome(point))


def _rows(point: Point, query: Query) -> str:
    """Return the rows over which the expression of a point is computed."""
    node = point.node
    below = nodes.inputs(node)[point.side]
    rows = f"{query.relation(below, final=False)} AS t"
    skips = passes_over_tombstones(node) if isinstance(node, nodes.Filter) else may_be_tombstone(below)
    return f"{rows} WHERE v0 IS NOT NULL" if skips else rows


def _guarded(guards: Sequence[Guard], outcome: str) -> str:
    """Return an outcome that is only computed where guards hold: other values could be errors."""
    for guard in reversed(guards):
        condition = f"coalesce({sql(guard.condition)}, FALSE)"
        outcome = f"CASE WHEN {condition if guard.holds else f'NOT {condition}'} THEN {outcome} END"
    return outcome


def _outcome(point: Point) -> str:
    assert point.subject is not None
    match point.subject:
        case ex.Case(branches=branches) if point.kind == "case":
            whens = [f"WHEN {sql(when)} THEN {text(branch_name(n))}" for n, (when, _) in enumerate(branches)]
            return f"CASE {' '.join(whens)} ELSE {text(points.ELSE)} END"
        case ex.Call(arguments=arguments) if point.kind == "coalesce":
            whens = [f"WHEN {sql(a)} IS NOT NULL THEN {text(argument_name(n))}" for n, a in enumerate(arguments)]
            return f"CASE {' '.join(whens)} ELSE {text(points.NULL)} END"
        case condition:
            test = sql(condition)
            outcomes = f"WHEN {test} THEN {text(points.TRUE)} WHEN NOT ({test}) THEN {text(points.FALSE)}"
            return f"CASE {outcomes} ELSE {text(points.NULL)} END"


def _match(node: nodes.Join, query: Query) -> str:
    """Return the rows of a join that keeps unmatched rows."""
    return f"{query.relation(replace(node, kind=_KEEPING[node.style]), final=False)} AS t"


def _sides(node: nodes.Join) -> str:
    width, count = len(node.left.relations), len(node.relations)
    absent = [
        " AND ".join(f"v{number} IS NULL" for number in numbers) for numbers in (range(width), range(width, count))
    ]
    alone = f"WHEN {absent[0]} THEN {text(points.RIGHT_ALONE)} WHEN {absent[1]} THEN {text(points.LEFT_ALONE)}"
    return f"CASE {alone} ELSE {text(points.MATCHED)} END"


def _versions(rows: str) -> str:
    """Return versions with `next`, the ordinal of the next version of the row, and whether it `is_gone` before."""
    following = "lead(_ord) OVER (PARTITION BY _case, _id ORDER BY _ord) AS next"
    is_gone = "_end IS NOT NULL AND _end IS DISTINCT FROM next AS is_gone"
    return f"(SELECT *, {is_gone} FROM (SELECT _case, _ord, _end, _id, {following} FROM {rows})) AS t"


def _bounds(node: nodes.Aggregate, query: Query) -> Iterator[tuple[str, str]]:
    """Yield the records at the bounds of windows."""
    window, source = node.window, node.input
    assert window is not None
    below = query.relation(source, final=False)
    present = " WHERE v0 IS NOT NULL" if may_be_tombstone(source) else ""
    if isinstance(window, Session):
        key = listed(sql(key) for key in node.keys)
        later = f"lead(_ts) OVER (PARTITION BY _case, {key} ORDER BY _ts)"
        apart = f"(SELECT {later} - _ts AS apart FROM {below} AS t{present}) AS t"
        at_gap = f"WHEN apart = {window.gap} THEN {text(points.AT_GAP)}"
        yield apart, f"CASE {at_gap} WHEN apart = {window.gap + 1} THEN {text(points.AFTER_GAP)} END"
        return
    starts = f"_ts % {window.advance} = 0"
    ends = f"_ts + 1 >= {window.size} AND (_ts + 1 - {window.size}) % {window.advance} = 0"
    rows = f"{below} AS t{present}"
    yield rows, f"CASE WHEN {starts} THEN {text(points.AT_START)} END"
    yield rows, f"CASE WHEN {ends} THEN {text(points.AT_END)} END"
