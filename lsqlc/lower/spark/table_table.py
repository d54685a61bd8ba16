"""Two TABLEs joined where one row may meet several, on any expression: the rows are pairs.

Both sides are read as one stream. Each version of a row is known with its end (see `succession`) and goes to the value
that it is joined by; the state holds all versions of each such value. When a batch touches a value, the versions that
live, and those that have ended just now, are laid side by side: two whose times overlap are a pair, which comes when
the later one does and goes with the first that ends. A row of a side that the join preserves stands alone for as long
as no row of the other side lives. So every pair that ever was is seen, however the records are cut into batches.

Null values join nothing: such a row has a group of its own.

A row that loses what it met comes anew with the ordinal of that change, and its rank is still its own. Where new keys
are made of the rows of another join, further up, its ordinal says both: that of the change, -1, and the rank.
"""

from __future__ import annotations

from lsqlc.lower.spark.arrays_by_key import BATCH, gathered
from lsqlc.lower.spark.both_sides import both_sides
from lsqlc.lower.spark.builder import GROWING, Builder
from lsqlc.lower.spark.join_sides import join_key
from lsqlc.lower.spark.merge_order import is_merged, parts_of_record, undated
from lsqlc.lower.spark.row_versions import succession
from lsqlc.plan import nodes


def pairs(node: nodes.Join, build: Builder) -> str:
    """The pairs and lone rows as they come and go."""
    build.disable_streaming_checks()
    parts = parts_of_record(node, build)
    ranks, dated = build.versions == "ranked", is_merged(node, build)
    versions = _met(node, _versions(node, build), build)
    kinds, gaps = [_pairs(ranks=ranks, dated=dated)], []
    if node.kind in ("LEFT", "OUTER"):
        kinds.append(_alone(0, ranks=ranks, dated=dated))
        gaps.append(f"{_gaps('rs', parts)} AS rgaps")
    if node.kind in ("RIGHT", "OUTER"):
        kinds.append(_alone(1, ranks=ranks, dated=dated))
        gaps.append(f"{_gaps('ls', parts)} AS lgaps")
    if gaps:
        laid = ",\n  ".join(gaps)
        versions = build.add(
            "gaps", f"SELECT *,\n  {laid}\nFROM {versions}", "the times in which a side has no row to meet"
        )
    all = ",\n  ".join(kinds)
    changes = build.add(
        "changes",
        f"SELECT {build.lead}inline(filter(concat(\n  {all}), c -> c IS NOT NULL))\nFROM {versions}",
        "the pairs that come and go" + (", and the rows that stand alone" if gaps else ""),
    )
    if gaps:
        whole = f"PARTITION BY {build.lead}i, o ORDER BY live DESC"
        changes = build.add(
            "settled",
            f"SELECT * FROM (SELECT *, row_number() OVER ({whole}) AS n FROM {changes}) WHERE n = 1",
            "a row that one record both ends and begins goes on",
        )
    return build.add(
        "join",
        f"SELECT {build.lead}i AS _id, o AS _ord, at AS _ts, live AS _live,\n"
        f"  l.k AS k0, l.v AS v0, r.k AS k1, r.v AS v1\nFROM {changes}",
        "one row for each",
    )


def entries(node: nodes.Join, build: Builder, *, history: bool) -> str:
    """What counts of the pairs and lone rows where several have one new key, when that changes: a row each, whose
    `_ord` is a struct of `i` the pair, `o` its rank, `s` whether it lives, null where it counts no more, and `m` the
    ordinal of the newest change.

    Without `history` of both sides only what lives counts. With it all counts that ever was, but the pairs of a row
    that stands alone: it is as though it had never met another. A lone row has the rank of its own record.
    """
    build.disable_streaming_checks()
    parts = parts_of_record(node, build)
    versions = _met(node, _versions(node, build), build, all=history, ranks=True)
    before = build.add(
        "before",
        f"SELECT *, {_before('ls')} AS lb, {_before('rs')} AS rb,\n"
        "  array_max(flatten(transform(ls, e -> array(e.o, e.x)) || transform(rs, e -> array(e.o, e.x)))) AS m\n"
        f"FROM {versions}",
        "the versions as they were before this batch",
    )
    laid = build.add(
        "gaps",
        f"SELECT *,\n  {_absence('ls', parts)} AS lgaps,\n  {_absence('rs', parts)} AS rgaps,\n"
        f"  {_absence('lb', parts)} AS lbgaps,\n  {_absence('rb', parts)} AS rbgaps\nFROM {before}",
        "the times in which a side has no row to meet",
    )
    now = _counting(node, "ls", "rs", "lgaps", "rgaps", history)
    then = _counting(node, "lb", "rb", "lbgaps", "rbgaps", history)
    both = build.add(
        "counting",
        f"SELECT {build.lead}m, now, inline(if(now,\n  {now},\n  {then}))\n"
        f"FROM (SELECT *, explode(array(TRUE, FALSE)) AS now FROM {laid})",
        "what counts now, and what counted before this batch",
    )
    entry = f"PARTITION BY {build.lead}i, o"
    changed = build.add(
        "changed",
        f"SELECT * FROM (\n  SELECT *, row_number() OVER ({entry} ORDER BY now DESC) AS n,\n"
        f"    max(if(now, s, NULL)) OVER ({entry}) AS s1, max(if(now, NULL, s)) OVER ({entry}) AS s0\n"
        f"  FROM {both}\n) WHERE n = 1 AND NOT s1 <=> s0",
        "what of it has changed",
    )
    return build.add(
        "join",
        f"SELECT {build.lead}i AS _id, struct(m, i, o, s1 AS s) AS _ord, at AS _ts, TRUE AS _live,\n"
        f"  l.k AS k0, l.v AS v0, r.k AS k1, r.v AS v1\nFROM {changed}",
        "one row for each",
    )


def _before(rows: str) -> str:
    """The versions of a side as they were before this batch."""
    return (
        f"transform(filter({rows}, e -> NOT e.sf), e -> struct(e.i AS i, e.o AS o, e.q AS q, e.at AS at,\n"
        "    if(e.xf, NULL, e.x) AS x, e.sf AS sf, e.xf AS xf, e.p AS p))"
    )


def _absence(rows: str, parts: int, end: str = "q.o", ordinal: str = "z.u") -> str:
    """The times in which no version of a side lives: structs of `m`, null for the beginning, and `u`, null for ever.

    `end`: what `u` holds of the version `q` that ends the time; `ordinal`: its ordinal in there. A time that one record
    both begins and ends is left out: `parts` numbers of an ordinal tell records apart.
    """

    def until(after: str) -> str:
        later = f"filter({rows}, q -> q.o > {after})" if after else rows
        return f"array_min(transform({later}, q -> {end}))"

    def cause(of: str) -> str:
        return f"get({of}, 0)" if parts == 1 else f"slice({of}, 1, {parts})"

    opened = (
        f"filter(array_distinct(transform(filter({rows}, q -> q.x IS NOT NULL), q -> q.x)),\n"
        f"      m -> NOT exists({rows}, q -> q.o <= m AND (q.x IS NULL OR q.x > m)))"
    )
    return (
        f"filter(concat(\n    array(struct(CAST(NULL AS ARRAY<BIGINT>) AS m, {until('')} AS u)),\n"
        f"    transform({opened},\n      m -> struct(m AS m, {until('m')} AS u))),\n"
        f"    z -> z.m IS NULL OR z.u IS NULL OR {cause('z.m')} < {cause(ordinal)})"
    )


def _counting(node: nodes.Join, left: str, right: str, lgaps: str, rgaps: str, history: bool) -> str:
    """An array of what counts: the pair `i`, its rank `o`, whether it lives `s`, its time and its rows."""
    preserved = {"INNER": (False, False), "LEFT": (True, False), "RIGHT": (False, True), "OUTER": (True, True)}
    keeps_left, keeps_right = preserved[node.kind]
    order = "if(l.q > r.q, l.q || r.q, r.q || l.q)"
    overlap = "(r.x IS NULL OR l.o < r.x) AND (l.x IS NULL OR r.o < l.x)"
    living = "l.x IS NULL AND r.x IS NULL"
    counts = [living]
    if history:
        end = "least(l.x, r.x)"
        alone = [
            f"exists({gaps}, z -> z.m IS NOT NULL AND z.m >= {end} AND ({row}.x IS NULL OR z.m < {row}.x))"
            for kept, gaps, row in ((keeps_left, rgaps, "l"), (keeps_right, lgaps, "r"))
            if kept
        ]
        counts.append(" AND ".join(f"NOT {test}" for test in alone) or "TRUE")
    parts = [
        f"flatten(transform({left}, l -> transform(\n"
        f"    filter({right}, r -> {overlap} AND ({' OR '.join(f'({test})' for test in counts)})),\n"
        f"    r -> struct(struct(l.i AS l, r.i AS r) AS i, {order} AS o, {living} AS s,\n"
        "      greatest(l.at, r.at) AS at, l.p AS l, r.p AS r))))"
    ]
    rows = (
        (keeps_left, left, rgaps, "struct(a.i AS l, get({0}, -1).i AS r)", "a.p AS l, get({0}, -1).p AS r", right),
        (keeps_right, right, lgaps, "struct(get({0}, -1).i AS l, a.i AS r)", "get({0}, -1).p AS l, a.p AS r", left),
    )
    for kept, own, gaps, pair, facets, other in rows:
        if not kept:
            continue
        lives = f"a.x IS NULL AND exists({gaps}, z -> z.u IS NULL)"
        stood = f"exists({gaps}, z -> (z.u IS NULL OR a.o < z.u) AND (z.m IS NULL OR a.x IS NULL OR z.m < a.x))"
        # Out of bounds there is no row, of the right type.
        parts.append(
            f"transform(filter({own}, a -> {stood if history else lives}), a -> struct({pair.format(other)} AS i,\n"
            f"      a.q AS o, {lives} AS s, a.at AS at, {facets.format(other)}))"
        )
    return "concat(\n    " + ",\n    ".join(parts) + ")"


def _versions(node: nodes.Join, build: Builder) -> str:
    """The versions of the rows of both sides: `g` the group that meets, `i` the row, `o` its ordinal, `x` that of its
    end, `l` or `r` the row itself, which a version that only ends now has no more.
    """
    both_sides(node, 0, build, identities=True)
    counted = build.observe(build.view(), ("null key", "count_if(if(_s, _i0 IS NULL, _i1 IS NULL))"))
    wide = max(node.left.ordinal_width, node.right.ordinal_width) > 1
    meets = f"if(_s, {join_key(node, 0, 0)}, {join_key(node, 1, 1)})"
    preserved = {"INNER": "FALSE", "LEFT": "_s", "RIGHT": "NOT _s", "OUTER": "TRUE"}[node.kind]
    met = build.add(
        "met",
        f"SELECT {build.lead}struct(_s AS s, _i0 AS l, _i1 AS r) AS i, {'_ord' if wide else 'array(_ord)'} AS o,\n"
        f"  _ts AS at, _live, k0, v0, k1, v1, {meets} AS j, {preserved} AS preserved\n"
        f"FROM {counted} WHERE if(_s, _i0 IS NOT NULL, _i1 IS NOT NULL)",
        "the rows of both sides, by what joins them",
    )
    rows = build.add(
        "rows",
        f"SELECT {build.lead}i, o, at, if(_live AND (j IS NOT NULL OR preserved), struct(\n"
        "    struct(j, if(j IS NULL, i, NULL) AS i) AS g,\n"
        "    if(i.s, struct(k0 AS k, v0 AS v), NULL) AS l, if(i.s, NULL, struct(k1 AS k, v1 AS v)) AS r), NULL) AS p\n"
        f"FROM {met}",
        "a null joins nothing, and a side that the join does not preserve has no such row",
    )
    versions = succession(build, rows, "i", "o[0]", ("o", "at", "p"))
    build.state.append("the versions of each row of both sides in its two newest batches")
    return build.add(
        "versions",
        f"SELECT * FROM (SELECT {build.lead}i, inline(transform(vs, (v, n) -> struct(\n"
        "    v.p.g AS g, v.o AS o, v.at AS at, get(vs, n + 1).o AS x,\n"
        "    if(n >= size(vs) - new, v.p.l, NULL) AS l, if(n >= size(vs) - new, v.p.r, NULL) AS r)))\n"
        f"  FROM {versions})\nWHERE g IS NOT NULL",
        "each version with its end",
    )


def _met(node: nodes.Join, versions: str, build: Builder, *, all: bool = False, ranks: bool = False) -> str:
    """Per group that a batch touched the versions of each side in order, `ls` and `rs`, that live or end in it, or
    `all`: `sf` and `xf` say whether the begin and the end are of this batch. `ranks`: with the rank `q` of each.
    """
    joined = ", ".join(str(a.type) for a, _ in node.equalities)
    build.state.append(f"all versions of the rows of both sides, by what joins them: {joined}, {GROWING}")
    history = build.add(
        "history",
        f"SELECT {build.lead}g, collect_list(struct(bt, i, o, at, x, l, r)) AS es\n"
        f"FROM (SELECT *, {BATCH} AS bt FROM {versions}) GROUP BY {build.lead}g",
        "with all versions from before this batch",
    )
    row = f"PARTITION BY {build.lead}g, i, o"
    ends = build.add(
        "ends",
        f"SELECT {build.lead}g, i, o, at, l, r, bt = {BATCH} AS sf, max(x) OVER ({row}) AS x,\n"
        f"  coalesce(max(if(x IS NULL, NULL, bt = {BATCH})) OVER ({row}), FALSE) AS xf\n"
        f"FROM (SELECT {build.lead}g, inline(es) FROM {history})",
        "each version with the end that it has had by now",
    )
    living = build.add(
        "living",
        f"SELECT * FROM {ends} WHERE (l IS NOT NULL OR r IS NOT NULL){'' if all else ' AND (x IS NULL OR xf)'}",
        "the versions of each side" if all else "the versions that live, or have ended just now",
    )
    own = f"{_rank('o', is_merged(node, build))} AS q, " if ranks else ""
    lists = (
        ("ls", f"if(i.s, struct(i.l AS i, o, {own}at, x, sf, xf, l AS p), NULL)"),
        ("rs", f"if(i.s, NULL, struct(i.r AS i, o, {own}at, x, sf, xf, r AS p))"),
    )
    return gathered(build, living, "g", "o[0]", "o", lists, "the versions of both sides that may meet, in order")


def rank(order: str) -> str:
    """The rank that an ordinal says, an array."""
    behind = f"CAST(size({order}) - array_position(reverse({order}), -1L) + 2 AS INT)"
    return f"if(array_contains({order}, -1L), slice({order}, {behind}, size({order})), {order})"


def _pair_rank(dated: bool) -> str:
    """The rank of the later one, then the other's."""
    left, right = _rank("l.o", dated), _rank("r.o", dated)
    return f"if({left} > {right}, {left} || {right}, {right} || {left})"


def _rank(order: str, dated: bool) -> str:
    """The rank of a row that is read; `dated`: behind the time of its batch."""
    return rank(undated(order) if dated else order)


def _pairs(*, ranks: bool, dated: bool) -> str:
    """Pairs of versions whose times overlap. `ranks`: ordinals say ranks; `dated`: behind the time of a batch."""
    order, at = "if(l.o > r.o, l.o || r.o, r.o || l.o)", "greatest(l.at, r.at)"
    if ranks:
        both = f"greatest(l.o, r.o) || array(-1L) || {_pair_rank(dated)}"
        order = f"if(array_contains(l.o || r.o, -1L), {both}, {order})"
    begin = _change("l", "r", order, "TRUE", at, "l.sf OR r.sf")
    end = _change("l", "r", "least(l.x, r.x)", "FALSE", at, "l.x IS NOT NULL OR r.x IS NOT NULL")
    overlap = "(r.x IS NULL OR l.o < r.x) AND (l.x IS NULL OR r.o < l.x)"
    return (
        "flatten(transform(ls, l -> flatten(transform(\n"
        f"    filter(rs, r -> {overlap}),\n    r -> array({begin},\n      {end})))))"
    )


def _alone(side: int, *, ranks: bool, dated: bool) -> str:
    """The versions of a side, cut down to the gaps of the other one. `ranks` and `dated`: as for `_pairs`."""
    own, gaps = ("ls", "rgaps") if side == 0 else ("rs", "lgaps")
    # Out of bounds there is no row, of the right type.
    rows = ("a", "get(rs, -1)") if side == 0 else ("get(ls, -1)", "a")
    again = f"z.m || array(-1L) || {_rank('a.o', dated)}" if ranks else "z.m || a.o"
    begin = _change(*rows, f"if(z.m > a.o, {again}, a.o)", "TRUE", "a.at", "a.sf OR coalesce(z.m > a.o, FALSE)")
    ends = "coalesce(a.x <= z.u.o, a.x IS NOT NULL) OR coalesce(z.u.sf, FALSE)"
    end = _change(*rows, "least(a.x, z.u.o)", "FALSE", "a.at", ends)
    overlap = "(z.u IS NULL OR a.o < z.u.o) AND (z.m IS NULL OR a.x IS NULL OR z.m < a.x)"
    return (
        f"flatten(transform({own}, a -> flatten(transform(\n"
        f"    filter({gaps}, z -> {overlap}),\n    z -> array({begin},\n      {end})))))"
    )


def _change(left: str, right: str, order: str, live: str, at: str, condition: str) -> str:
    """A row that comes or goes at `order`, if the condition holds."""
    return (
        f"if({condition}, struct(struct({left}.i AS l, {right}.i AS r) AS i, {order} AS o, {live} AS live,\n"
        f"      {at} AS at, {left}.p AS l, {right}.p AS r), NULL)"
    )


def _gaps(rows: str, parts: int) -> str:
    """The times in which no version of a side lives, each with the begin `u` of the version that ends it."""
    return _absence(rows, parts, "struct(q.o AS o, q.sf AS sf)", "z.u.o")
