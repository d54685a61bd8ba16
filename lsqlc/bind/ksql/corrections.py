"""Statements of ksqlDB as they have to be, for the help of an error: a query's own text with one part of it changed."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import chain, count

from lsqlc.bind.findings import Findings
from lsqlc.diagnostics.source import Extent
from lsqlc.syntax.ksql import tree as ksql
from lsqlc.syntax.ksql.text import name_text, rewritten

# Characters of a query that is no longer shown for every fault in it.
_LONG = 1_500


def with_columns(query: ksql.Query, added: Sequence[str], findings: Findings) -> str:
    """The query with further columns at the front of its projection."""
    text = rewritten(findings.source, query.items_at)
    return rewritten(findings.source, query.at, [(query.items_at, f"{', '.join(added)}, {text}")])


def with_item(query: ksql.Query, at: Extent, text: str, findings: Findings) -> str:
    """The query with another text for one column of its projection; of a long one, the column only."""
    if query.at[1] - query.at[0] > _LONG:
        return text
    return rewritten(findings.source, query.at, [(at, text)])


def free_name(name: str, taken: Collection[str]) -> str:
    """A name as it can be written that no column has yet."""
    return name_text(next(n for n in chain((name,), (f"{name}_{i}" for i in count(1))) if n not in taken))
