"""The queries, and what each must give: the same text over all events, asked of DuckDB by sqlglot.

What DuckDB has no windows for is asked in other words: each event once for every window that it is in, and sessions by
the pauses between the events of a user.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import duckdb
import sqlglot

import lsqlc
from lsqlc import Record
from tests.standard_sql.nexmark.data import COLUMNS, TOPICS, current
from tests.standard_sql.oracle import canonical

QUERIES = {path.stem: path.read_text("utf-8") for path in sorted((Path(__file__).parent / "views").glob("*.sql"))}
# 10 seconds in microseconds, from the first of them that a time is in.
_TUMBLE = "{time} - INTERVAL (EPOCH_US({time}) % 10000000) MICROSECONDS"
_BIDS = f"SELECT bidder, {_TUMBLE.format(time='dateTime')} AS starttime FROM bid"
_COUNTED = """
  SELECT auction, COUNT(*) AS num, starttime
  FROM (
    SELECT auction, hop.starttime
    FROM bid, LATERAL (
      SELECT UNNEST([dateTime - INTERVAL (EPOCH_US(dateTime) % 2000000 + 2000000 * n) MICROSECONDS
                     FOR n IN RANGE(5)]) AS starttime
    ) AS hop
  )
  GROUP BY auction, starttime
"""
_OTHERWISE: Mapping[str, str] = {
    "q05": f"""
      WITH counted AS ({_COUNTED}), largest AS (SELECT starttime, MAX(num) AS maxn FROM counted GROUP BY starttime)
      SELECT auction, num, counted.starttime FROM counted JOIN largest USING (starttime) WHERE num = maxn
    """,
    "q07": f"""
      SELECT auction, price, bidder, dateTime, extra
      FROM (SELECT *, RANK() OVER (PARTITION BY {_TUMBLE.format(time='dateTime')} ORDER BY price DESC) AS n FROM bid)
      WHERE n = 1
    """,
    "q08": f"""
      SELECT DISTINCT p.id, p.name, {_TUMBLE.format(time='p.dateTime')} AS starttime
      FROM person AS p JOIN auction AS a ON p.id = a.seller
      WHERE {_TUMBLE.format(time='p.dateTime')} = {_TUMBLE.format(time='a.dateTime')}
    """,
    "q11": """
      WITH begun AS (
        SELECT bidder, dateTime,
          COALESCE(dateTime - LAG(dateTime) OVER (PARTITION BY bidder ORDER BY dateTime) >= INTERVAL 10 SECONDS, TRUE)
            AS begins
        FROM bid
      ),
      numbered AS (SELECT *, COUNT(*) FILTER (begins) OVER (PARTITION BY bidder ORDER BY dateTime) AS n FROM begun)
      SELECT bidder, COUNT(*) AS bid_count, MIN(dateTime) AS starttime,
        MAX(dateTime) + INTERVAL 10 SECONDS AS endtime
      FROM numbered GROUP BY bidder, n
    """,
    "q12": f"""
      SELECT bidder, COUNT(*) AS bid_count, starttime, starttime + INTERVAL 10 SECONDS AS endtime
      FROM ({_BIDS}) GROUP BY bidder, starttime
    """,
}  # fmt: skip


def plan(name: str) -> lsqlc.Plan:
    return lsqlc.compile(QUERIES[name], dialect="sql", topics=TOPICS, name=name)


class Batch:
    """A database with the events of some records, and the table of constants."""

    def __init__(self, records: Iterable[Record]) -> None:
        self._connection = duckdb.connect()
        self._connection.execute("SET TimeZone = 'UTC'")
        rows = current(iter(records))
        for topic, columns in COLUMNS.items():
            listed = ", ".join(f"{name} {type.replace('STRING', 'VARCHAR')}" for name, type in columns.items())
            self._connection.execute(f"CREATE TABLE {topic} (_key BIGINT, {listed})")
            marks = ", ".join("?" * len(columns))
            if rows[topic]:
                each = [[key, *row.values()] for key, row in rows[topic].items()]
                self._connection.executemany(f"INSERT INTO {topic} VALUES (?, {marks})", each)

    def rows(self, name: str) -> Counter[Any]:
        """The answer of a query."""
        text = _OTHERWISE.get(name)
        if text is None:
            # DuckDB has no parentheses around the name of a table.
            query = re.sub(r"\bSTREAM\((\w+)\)", r"\1", QUERIES[name])
            (text,) = sqlglot.transpile(query, read="spark", write="duckdb")
        result = self._connection.execute(text)
        names = [column[0] for column in result.description]
        return Counter(canonical(dict(zip(names, row, strict=True))) for row in result.fetchall())

    def close(self) -> None:
        self._connection.close()
