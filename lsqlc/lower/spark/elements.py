"""LATERAL on a TABLE: each element of a row's array is a row, identified by the row that it stands in and its index.

A version of a row brings its elements, and takes them away when it ends: by deletions of their own, since an update may
hold fewer. State: the versions of each row in its two newest batches (see `succession`).
"""

from __future__ import annotations

from lsqlc.lower.spark.builder import Builder
from lsqlc.lower.spark.expressions import sql
from lsqlc.lower.spark.identity import identity
from lsqlc.lower.spark.row_versions import succession
from lsqlc.lower.spark.rows import facets
from lsqlc.plan import nodes
from lsqlc.plan.identity import identity_type
from lsqlc.sql.writer import Lines, Select


def elements(node: nodes.Lateral, below: str, build: Builder) -> str:
    """The elements of a TABLE's rows as they come and go."""
    build.disable_streaming_checks()
    source, number = node.input, len(node.input.relations)
    names = facets(source)
    array = f"if(_live, coalesce({sql(node.array)}, array()), array()) AS es"
    whole: Lines = (*build.case, f"{identity(source)} AS i", "_ord AS o", "_ts AS at", *names, (array,))
    held = build.add("held", Select(whole, below), "each row with its elements")
    parts = ("o", "at", *names, "es")
    versions = succession(build, held, "i", "o" if source.ordinal_width == 1 else "o[0]", parts)
    build.state.append(f"the versions of each row in its two newest batches, by {identity_type(source)}")
    order, end = "array(v.o, CAST(n AS BIGINT))", "array(get(vs, m + 1).o)"
    if source.ordinal_width > 1:
        order, end = "array_append(v.o, CAST(n AS BIGINT))", "get(vs, m + 1).o"
    changes = build.add(
        "changes",
        f"SELECT {build.lead}vs, inline(flatten(transform(vs, (v, m) -> concat(\n"
        f"  if(m >= size(vs) - new, transform(v.es, (e, n) -> {_element(order, live='TRUE')}), array()),\n"
        f"  if(m + 1 < size(vs), transform(v.es, (e, n) -> {_element(end, live='FALSE')}), array())))))\n"
        f"FROM {versions}",
        "the elements that each version brings, and takes away when it ends",
    )
    own = (f"get(vs, m).{name} AS {name}" for name in names)
    row = (*build.case, "o AS _ord", "at AS _ts", "live AS _live", "i AS _id", *own)
    element = (f"CAST(NULL AS INT) AS k{number}", f"e AS v{number}")
    return build.add("lateral", Select((*row, element), changes), "a row for each element")


def _element(ordinal: str, *, live: str) -> str:
    """The element `e`, number `n` of a version `v`, as it comes or goes at an ordinal."""
    identity = "struct(i AS row, CAST(n AS BIGINT) AS index)"
    return f"struct({ordinal} AS o, v.at AS at, {live} AS live, {identity} AS i, m, e)"
