"""Numbers in GROUP BY and PARTITION BY.

In ksqlDB they are constants, not positions in the SELECT list as in other databases. A number that is no constant in
the SELECT list must be meant as a position.
"""

from __future__ import annotations

from lsqlc.bind.findings import Findings
from lsqlc.bind.ksql.results import calls_aggregate
from lsqlc.syntax import tree
from lsqlc.syntax.ksql import tree as ksql
from lsqlc.syntax.ksql.text import text_of


def refuse_positions(query: ksql.Query, findings: Findings) -> bool:
    """Report the numbers that are meant as positions; return whether there are any."""
    by_group = _refuse("GROUP BY", query.group_by, query, findings)
    return _refuse("PARTITION BY", query.partition_by, query, findings) or by_group


def _refuse(words: str, parts: tuple[tree.Expression, ...], query: ksql.Query, findings: Findings) -> bool:
    expressions = [_meant(part, query) for part in parts]
    if not any(expressions):
        return False
    corrected = ", ".join(text_of(other or part) for part, other in zip(parts, expressions, strict=True))
    for part, other in zip(parts, expressions, strict=True):
        if other is not None:
            findings.error(
                "LSQ348", f"a number in {words} is a constant, not a position in the SELECT list", part.at,
                help=f"write the expression: {words} {corrected}",
            )  # fmt: skip
    return True


def _meant(part: tree.Expression, query: ksql.Query) -> tree.Expression | None:
    """Return the expression at a position in the SELECT list that a number is meant as; None for any other
    expression.
    """
    if not isinstance(part, tree.Literal) or type(part.value) is not int:
        return None
    if any(isinstance(item.source, tree.Literal) and item.source.value == part.value for item in query.items):
        return None
    if not 1 <= part.value <= len(query.items):
        return None
    source = query.items[part.value - 1].source
    if isinstance(source, tree.Wildcard | tree.Literal) or calls_aggregate(source):
        return None
    return source
