"""Corrected statements of ksqlDB, for the help of an error: a query's own text with one part changed."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import chain, count

from lsqlc.bind.findings import Findings
from lsqlc.diagnostics.source import Extent
from lsqlc.syntax.ksql import tree as ksql
from lsqlc.syntax.ksql.text import name_text, rewritten

# Above this number of characters, a query is not shown with each error.
_LONG = 1_500


def with_columns(query: ksql.Query, added: Sequence[str], findings: Findings) -> str:
    """Return the query with further columns at the front of its projection."""
    text = rewritten(findings.source, query.items_at)
    return rewritten(findings.source, query.at, [(query.items_at, f"{', '.join(added)}, {text}")])


def with_item(query: ksql.Query, at: Extent, text: str, findings: Findings) -> str:
    """Return the query with one column of its projection replaced; for a long query, only the column."""
    if query.at[1] - query.at[0] > _LONG:
        return text
    return rewritten(findings.source, query.at, [(at, text)])


def free_name(name: str, used_names: Collection[str]) -> str:
    """Return a name for a new column, quoted if needed."""
    return name_text(next(n for n in chain((name,), (f"{name}_{i}" for i in count(1))) if n not in used_names))
