"""LATERAL on a TABLE: each element of a row's array is a row, identified by its row and its index.

A version of a row inserts its elements, and deletes them when it ends: by explicit deletions, since an update may have
fewer. State: the versions of each row in its two newest batches (see `succession`).
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

# A row of a join without a match has a short ordinal, and the one that ends it may be longer with that as its prefix.
# The elements must precede it, so their numbers begin below all numbers of an ordinal.
_BELOW_ALL = "4294967296L"


def elements(node: nodes.Lateral, below: str, build: Builder) -> str:
    """Return the inserted and deleted elements of a TABLE's rows, as a view."""
    build.disable_streaming_checks()
    source, number = node.input, len(node.input.relations)
    names = facets(source)
    array = f"if(_live, coalesce({sql(node.array)}, array()), array()) AS elements"
    whole: Lines = (
        *build.case,
        f"{identity(source)} AS row_id",
        "_ord AS ordinal",
        "_ts AS event_time",
        *names,
        (array,),
    )
    rows = build.add("held", Select(whole, below), "each row with its elements")
    parts = ("ordinal", "event_time", *names, "elements")
    versions = succession(build, rows, "row_id", parts, wide=source.ordinal_width > 1)
    build.state.append(f"the versions of each row in its two newest batches, by {identity_type(source)}")
    begin, end = "array(v.ordinal, CAST(number AS BIGINT))", "array(get(versions, version_number + 1).ordinal)"
    if source.ordinal_width > 1:
        begin = f"array_append(v.ordinal, number - {_BELOW_ALL})"
        end = "get(versions, version_number + 1).ordinal"
    changes = build.add(
        "changes",
        f"SELECT {build.lead}versions, inline(flatten(transform(versions, (v, version_number) -> concat(\n"
        f"  if(version_number >= size(versions) - new_count,\n"
        f"    transform(v.elements, (element, number) -> {_element(begin, live='TRUE')}), array()),\n"
        "  if(version_number + 1 < size(versions),\n"
        f"    transform(v.elements, (element, number) -> {_element(end, live='FALSE')}), array())))))\n"
        f"FROM {versions}",
        "the elements that each version brings, and takes away when it ends",
    )
    own = (f"get(versions, version_number).{name} AS {name}" for name in names)
    row = (*build.case, "ordinal AS _ord", "event_time AS _ts", "live AS _live", "row_id AS _id", *own)
    element = (f"CAST(NULL AS INT) AS k{number}", f"element AS v{number}")
    return build.add("lateral", Select((*row, element), changes), "a row for each element")


def _element(ordinal: str, *, live: str) -> str:
    """Return the `element` at `number` of the version `v`, inserted or deleted at an ordinal."""
    # The type is that of `identity_type`.
    identity = "struct(row_id AS row, CAST(number AS BIGINT) AS index)"
    return (
        f"struct({ordinal} AS ordinal, v.event_time AS event_time, {live} AS live,\n"
        f"      {identity} AS row_id, version_number, element)"
    )
