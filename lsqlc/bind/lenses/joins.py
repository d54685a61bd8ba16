"""JOIN: the legal kinds, the requirements of both sides, and the key of the result.

A stream joins a stream with WITHIN, and the result is a stream. A table joins a table, and the result is a table. A
stream joins a table as INNER or LEFT, a table joins a stream as RIGHT. `bind_on` reads ON.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import count

from lsqlc.bind.findings import Findings
from lsqlc.bind.lenses.on import Equality, conditions, formats_differ
from lsqlc.bind.lenses.scope import Scope
from lsqlc.bind.limits import Limits
from lsqlc.bind.storage import choices, format_of, struct_format
from lsqlc.plan.expression import Call, Expression, StructOf, conjunction, shift
from lsqlc.plan.identity import whole_key
from lsqlc.plan.nodes import Join, JoinStyle, Node, Repartition, Scan, inputs, scans, share_topics
from lsqlc.syntax import tree
from lsqlc.syntax.lenses.printer import name_text
from lsqlc.types.data import unify

_LEGAL: dict[JoinStyle, tuple[str, ...]] = {
    "stream-stream": ("INNER", "LEFT", "RIGHT", "OUTER"),
    "table-table": ("INNER", "LEFT", "RIGHT", "OUTER"),
    "stream-table": ("INNER", "LEFT"),
    "table-stream": ("RIGHT",),
}


@dataclass(frozen=True, slots=True)
class BoundJoin:
    """A join, its key, the key's format, and the expressions of `*` for fields that ON equates."""

    node: Join
    key: Expression
    key_format: str
    merged: dict[str, Expression]


def bind_join(
    join: tree.Join, left: Node, right: Node, scope: Scope, findings: Findings, limits: Limits, *, strict: bool
) -> BoundJoin | None:
    """Return the join; None after an error. `scope` has the relations of both sides, the left's first."""
    style = _style(left, right)
    before = findings.error_count
    _check_kind(join, style, findings)
    _check_within(join, style, right, findings)
    on = conditions(join, scope, findings, len(left.relations), strict=strict)
    # The key of a topic of files consists of columns, and has no storage format.
    if not (_of_files(left) or _of_files(right)):
        _check_keys(join, scope, findings)
    if on is None or findings.error_count > before:
        return None
    equalities, left_conditions, right_conditions = on
    shifted = len(left.relations)
    left, right = _copartition(left, right)
    node = Join(
        join.kind,
        style,
        left,
        right,
        tuple((e.left, shift(e.right, -shifted)) for e in equalities),
        conjunction(left_conditions),
        shifted_back(conjunction(right_conditions), shifted),
        join.within[0].milliseconds if join.within else None,
        limits.grace,
        limits.retention,
        meets_itself=share_topics(left, right),
    )
    key, key_format = _key(node, equalities, scope)
    merged = {e.shared: _present(node, e) for e in equalities if e.shared is not None}
    return BoundJoin(node, key, key_format, merged)


def _of_files(node: Node) -> bool:
    return all(scan.topic.files for scan in scans(node))


def shifted_back(condition: Expression | None, by: int) -> Expression | None:
    return None if condition is None else shift(condition, -by)


def _style(left: Node, right: Node) -> JoinStyle:
    if left.semantics == "STREAM":
        return "stream-stream" if right.semantics == "STREAM" else "stream-table"
    return "table-stream" if right.semantics == "STREAM" else "table-table"


def _check_kind(join: tree.Join, style: JoinStyle, findings: Findings) -> None:
    start, end = join.kind_at
    words = findings.source.text[start:end].upper().split()
    if len(words) == 3 or words[0] == "FULL":
        findings.warn(
            "LSQ807",
            f"{' '.join(words)} is the same as {join.kind} JOIN",
            join.kind_at,
            help=f"write {join.kind} JOIN",
            fix=f"{join.kind} JOIN",
        )
    if join.kind in _LEGAL[style]:
        return
    one, other = style.upper().split("-")
    legal = " or ".join(f"{kind} JOIN" for kind in _LEGAL[style])
    help = f"a {one} with a {other} allows {legal}"
    if style == "table-stream":
        help += f", or put the stream first: {join.right.label} JOIN {join.left.label}"
    findings.error("LSQ331", f"a {one} cannot be joined with a {other} by {join.kind} JOIN", join.kind_at, help=help)


def _check_within(join: tree.Join, style: JoinStyle, right: Node, findings: Findings) -> None:
    if style == "stream-stream":
        if not join.within:
            findings.error(
                "LSQ332",
                "a join of two streams requires WITHIN",
                join.kind_at,
                notes=("it is the maximum time between two records that match",),
                help=f"add the maximum time between two records: {join.left.label} JOIN {join.right.label} WITHIN 1h"
                + _as_table(join, right, findings.source.text),
            )
        elif len(join.within) == 2:
            if join.within[0].milliseconds != join.within[1].milliseconds:
                findings.error("LSQ333", "WITHIN occurs twice, with different durations", join.within[1].at)
            else:
                start, end = join.within[1].at
                # The word and the white space before it. With a comment between the word and the time there is no fix.
                word = re.search(r"\s*WITHIN\s+$", findings.source.text[:start], re.IGNORECASE)
                findings.warn(
                    "LSQ802",
                    "WITHIN occurs twice",
                    (start, end),
                    help="remove one",
                    fix="" if word else None,
                    fix_at=(word.start(), end) if word else None,
                )
    elif join.within:
        findings.error(
            "LSQ334",
            "WITHIN is only for a join of two streams",
            join.within[0].at,
            notes=("a record is joined with the current row of the table, however old that is",),
            help="remove it",
        )


def _as_table(join: tree.Join, right: Node, text: str) -> str:
    """Return the text that joins the right source as the newest row of each key.

    It adds a WITH with the name of the topic before the query. Empty if a join with a TABLE is illegal, or a WITH has
    that name already.
    """
    name = join.right.name.text
    if join.kind not in _LEGAL["stream-table"] or not isinstance(right, Scan):
        return ""
    quoted = name_text(name)
    words = text[join.at[0] : join.at[1]]
    # A comment would extend over the rest of the line.
    source = "..." if "--" in words or "/*" in words else " ".join(words.split())
    return (
        f"\nor join each record with the newest record of its key in '{name}': read '{name}' as a TABLE"
        f"\n  WITH {quoted} AS (SELECT TABLE * FROM {quoted});\n  SELECT STREAM ... FROM {source}"
    )


def _check_keys(join: tree.Join, scope: Scope, findings: Findings) -> None:
    if not formats_differ(scope):
        return
    left, right = (r.key for r in scope.relations[:2])
    names = join.left.name.text, join.right.name.text
    findings.error(
        "LSQ337",
        f"the keys are stored in different formats: '{names[0]}' as {left.format}, '{names[1]}' as {right.format}",
        join.kind_at,
        notes=("records are matched by the bytes of their keys, so both sides must use the same format",),
        help=_stored_alike(names, left.format, right.format),
    )


def _stored_alike(names: tuple[str, str], left: str, right: str) -> str:
    """Return how to give both sides one format, if one format can be converted to the other."""
    for name, before, after in ((names[1], right, left), (names[0], left, right)):
        if after.upper() in choices(before):
            stored = f"INSERT INTO {name}-rekeyed STORE KEY AS {after.upper()} SELECT STREAM * FROM {name}"
            return f"write one side with another key format, and join that topic: {stored}"
    return f"give one side another key, in a topic of its own: SELECT STREAM *, CAST(...) AS _key FROM {names[0]}"


def _copartition(left: Node, right: Node) -> tuple[Node, Node]:
    """Return both sides with equal partition counts: the side with fewer partitions is repartitioned."""
    counts = [_partitions(left), _partitions(right)]
    before, after = min(c or 0 for c in counts), max(c or 0 for c in counts)
    if None in counts or before == after:
        return left, right
    reason = f"the other side of the join has {after} partitions"
    if counts[0] == before:
        return Repartition(left, before, after, reason), right
    return left, Repartition(right, before, after, reason)


def _partitions(node: Node) -> int | None:
    """Return the number of partitions of a node's records, None if it is unknown. In a join they are equal already."""
    if isinstance(node, Scan):
        return node.topic.partitions
    if isinstance(node, Repartition):
        return node.after
    counts = [_partitions(part) for part in inputs(node)]
    return counts[0] if len(set(counts)) == 1 else None


def _key(node: Join, equalities: list[Equality], scope: Scope) -> tuple[Expression, str]:
    """Return the key of the result: the equated value, or a struct of them with the names of the left projections."""
    values = [_present(node, e) for e in equalities]
    left = scope.relations[0]
    if len(values) == 1:
        format = left.key.format if whole_key(equalities[0].left) else format_of(values[0].type, left.value)
        return values[0], format
    names: list[str] = []
    for equality in equalities:
        names.append(_unused(equality.name, names))
    return StructOf(tuple(names), tuple(values)), struct_format(left.value)


def _unused(name: str, used_names: list[str]) -> str:
    """Return the name, or the name with the first unused number: `id`, `id_1`. Names are case-insensitive here."""
    numbered = (name if n == 0 else f"{name}_{n}" for n in count())
    return next(n for n in numbered if n.casefold() not in {t.casefold() for t in used_names})


def _present(node: Join, equality: Equality) -> Expression:
    """Return the equated value of the side that has a record."""
    if node.kind == "RIGHT":
        return equality.right
    if node.kind == "OUTER":
        type = unify(equality.left.type, equality.right.type) or equality.left.type
        return Call("COALESCE", (equality.left, equality.right), type, True)
    return equality.left
