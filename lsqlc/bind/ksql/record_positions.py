"""Positions of records in their topics, ROWPARTITION and ROWOFFSET, and the queries of ksqlDB that read them.

Only a record of a log has a position, which its scan then reads (`nodes.Scan.places`).
"""

from __future__ import annotations

from msgspec.structs import replace

from lsqlc.bind.findings import Findings
from lsqlc.diagnostics.source import Extent
from lsqlc.plan import nodes
from lsqlc.plan.nodes import EventTime, Node, Scan
from lsqlc.syntax import tree
from lsqlc.syntax.ksql import tree as ksql
from lsqlc.syntax.walk import walk

# The names of the columns.
PLACES = tuple(f.name for f in nodes.PLACES)


def leaks_system(query: ksql.Query) -> bool:
    """Return whether a star of the query includes ROWTIME and the positions of records.

    In a join whose result gets another key, they are ordinary columns of its sources in ksqlDB.
    """
    stars = any(isinstance(i.source, tree.Wildcard) and not i.source.qualifier for i in query.items)
    return stars and bool(query.joins and query.partition_by)


def reads(query: ksql.Query, names: tuple[str, ...]) -> bool:
    """Return whether the query reads one of these columns."""
    parts = [i.source for i in query.items if not isinstance(i.source, tree.Wildcard)]
    parts += [*query.group_by, *query.partition_by, *(e for e in (query.where, query.having) if e is not None)]
    parts += [j.on for j in query.joins]
    return any(isinstance(p, tree.Reference) and p.parts[-1] in names for e in parts for p in walk(e))


def placed_records(node: Node) -> Node | None:
    """Return the records with their positions, if they come from a log: not from a query that joins others."""
    match node:
        case EventTime():
            below = placed_records(node.input)
            return replace(node, input=below) if below is not None else None
        case Scan():
            return replace(node, places=True) if node.topic.files is None and node.topic.ordinal_width == 1 else None
    return None


def unplaced(name: str, at: Extent, findings: Findings) -> None:
    """Report that the records of a source have no readable position."""
    findings.error(
        "LSQ384", f"'{name}' cannot be read here", at,
        notes=("a record has a place in the log of a topic that the program declares, and none in files or in what"
               " another query makes",),
        help="read it where the topic is declared, under another name: "
             f"CREATE STREAM ... AS SELECT *, {name if name in PLACES else PLACES[1]} AS place FROM ...",
    )  # fmt: skip
