"""The identity of the rows of a TABLE on Spark: their key, or if rows share keys a column `_id` beside it.

The rows of a join of tables are pairs, identified by those of both sides; those of a LATERAL are elements, identified
by their row and their index. Between two stages such rows are records with this identity as key, whose value contains
the row's own key and value.
"""

from __future__ import annotations

from lsqlc.lower.spark.builder import Builder
from lsqlc.lower.spark.row_versions import newest_of_batch
from lsqlc.plan import nodes
from lsqlc.plan.expression import Field
from lsqlc.plan.identity import identity_type, keyed_by_identity
from lsqlc.types import data
from lsqlc.types.data import Struct
from lsqlc.types.record import Facet


def identity(node: nodes.Node) -> str:
    """Return the identity of a node's rows, as SQL over their columns."""
    if not keyed_by_identity(node):
        return "_id"
    return "k0" if len(node.relations) == 1 else "coalesce(k0, k1)"


def identity_column(node: nodes.Node) -> tuple[str, ...]:
    """Return the column `_id`, if a node's rows have it."""
    return () if node.semantics == "STREAM" or keyed_by_identity(node) else ("_id",)


def newest_of_each(node: nodes.Node, below: str, build: Builder) -> str:
    """Return the output rows of a TABLE, each once a batch.

    A pair that is deleted as its row changes, and inserted again, would be deleted in between.
    """
    if not identity_column(node):
        return below
    return newest_of_batch(build, below, "_id", "the newest change of each row")


def passed_on(node: nodes.Node) -> tuple[Facet, Facet]:
    """Return the key and the value of the records that carry a node's rows from one stage to the next."""
    relation = node.relations[0]
    if not identity_column(node):
        return relation.key, relation.value
    row = Struct((data.Field("k", relation.key.type), data.Field("v", relation.value.type)))
    return Facet(identity_type(node), "json"), Facet(row, "json")


def passing_on(node: nodes.Node, below: str, build: Builder) -> str:
    """Return a node's rows as those records."""
    if not identity_column(node):
        return below
    return build.add(
        "passed",
        f"SELECT {build.lead}_ord, _ts, _live, _id AS k0, named_struct('k', k0, 'v', v0) AS v0\nFROM {below}",
        "the rows by what tells them apart",
    )


def taken_up(node: nodes.Node, scan: nodes.Scan) -> nodes.Node:
    """Return the plan that reads a node's rows from a scan of those records."""
    if not identity_column(node):
        return scan
    relation = node.relations[0]
    key = Field(0, "value", ("k",), relation.key.type, True)
    value = Field(0, "value", ("v",), relation.value.type, False)
    return nodes.Project(scan, key, value, relation.key.format, relation.value.format, True, relation.name)
