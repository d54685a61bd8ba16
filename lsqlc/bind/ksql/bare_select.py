"""A SELECT of ksqlDB as a statement: a query to a server, which a program cannot have."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain, count

from lsqlc.bind.findings import Findings
from lsqlc.bind.ksql.create_source import Source
from lsqlc.bind.ksql.formats import ksql_format
from lsqlc.bind.ksql.queries import bind_query
from lsqlc.syntax.ksql import tree as ksql
from lsqlc.syntax.ksql.text import rewritten


def refuse_bare(statement: ksql.BareSelect, sources: Mapping[str, Source], findings: Findings) -> None:
    """Report a SELECT that writes nothing. The help is a statement that keeps its key."""
    findings.error(
        "LSQ380", "a SELECT statement writes nothing", statement.query.at,
        notes=("a model must say where its results are written; `lsqlc query` answers a SELECT",),
        help=bare_select(statement.query, sources, findings),
    )  # fmt: skip


def bare_select(query: ksql.Query, sources: Mapping[str, Source], findings: Findings) -> str:
    """Return the corrected statement, with its key in the projection."""
    name = next(n for n in chain(("name",), (f"name_{i}" for i in count(2))) if n.upper() not in sources)
    text = rewritten(findings.source, query.at)
    kinds = [s.kind for q in query.sources if (s := sources.get(q.name.text)) is not None]
    kind = "TABLE" if query.group_by or (kinds and all(k == "TABLE" for k in kinds)) else "STREAM"
    quiet = findings.aside()
    result = bind_query(query, name.upper(), sources, quiet)
    corrected = next((d.help for d in quiet.found if d.code == "LSQ350" and d.help), None)
    if result is not None:
        kind = result.kind
    elif corrected is not None:
        text = corrected[corrected.index("SELECT ") :]
    several = len(result.keys if result is not None else query.group_by or query.partition_by) > 1
    first = next((sources[q.name.text] for q in query.sources if q.name.text in sources), None)
    has_one = first is not None and ksql_format(first.key_format).columns == "one"
    with_key = " WITH (KEY_FORMAT = 'JSON')" if several and has_one else ""
    return f"CREATE {kind} {name}{with_key} AS {text};"
