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

# A row of a join that stands alone has a short ordinal, and what ends it may have a longer one that begins with it. So
# that the elements come before that, their numbers begin below all that an ordinal has.
_BELOW_ALL = "4294967296L"


def elements(node: nodes.Lateral, below: str, build: Builder) -> str:
    """The elements of a TABLE's rows as they come and go."""
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
    held = build.add("held", Select(whole, below), "each row with its elements")
    parts = ("ordinal", "event_time", *names, "elements")
    versions = succession(build, held, "row_id", parts, wide=source.ordinal_width > 1)
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
    """The `element` at `number` of the version `v`, as it comes or goes at an ordinal."""
    # As `identity_type` has it.
    identity = "struct(row_id AS row, CAST(number AS BIGINT) AS index)"
    return (
        f"struct({ordinal} AS ordinal, v.event_time AS event_time, {live} AS live,\n"
        f"      {identity} AS row_id, version_number, element)"
    )
