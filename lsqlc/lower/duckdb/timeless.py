"""Records of topics to which a plan gives no time, for dead letters."""

from __future__ import annotations

from lsqlc.lower.duckdb.expressions import sql
from lsqlc.lower.duckdb.sources import scan_columns, scan_ordinal, table_name
from lsqlc.plan.expression import Expression
from lsqlc.plan.nodes import Scan
from lsqlc.sql.writer import Cte, nested, with_ctes


def timeless_records(scan: Scan, condition: Expression, source: str) -> str:
    """Return SQL of `_case` and `_ord` of the records of a topic that satisfy a condition, in order.

    `source`: SQL of its records.
    """
    table = table_name(scan.topic.name)
    read = f"SELECT _case, {scan_ordinal(scan)}, _ts, {scan_columns(scan)} FROM {table} AS t"
    select = f"SELECT _case, _ord FROM {nested(read)} WHERE coalesce({sql(condition)}, FALSE) ORDER BY _case, _ord"
    return with_ctes((Cte(table, source),), select)
