"""Inspect and stop the queries of a detached run, from another client of their session."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from lsqlc.diagnostics import Diagnostic
from lsqlc.remote.run.detached_run import DetachedQuery, DetachedRun
from lsqlc.remote.run.progress import BatchProgress, as_mapping, parse
from lsqlc.remote.run.query_status import QueryStatus
from lsqlc.remote.session import failures
from lsqlc.remote.session.session import attach, with_ids

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession
    from pyspark.sql.connect.streaming.query import StreamingQuery

# Returns the diagnostic for a query and its error message.
Explain = Callable[[DetachedQuery, str], Diagnostic]


def session_of(run: DetachedRun, address: str) -> SparkSession | None:
    """Connect to the session of a run's queries, on the server at an address. Return None if it has ended.

    Raises LsqlcError as `connect` does.
    """
    return attach(with_ids(address, run.session, run.user))


def standings(
    spark: SparkSession | None, queries: Iterable[DetachedQuery], explain: Explain
) -> tuple[QueryStatus, ...]:
    """Return the status of each query. All are lost if their session has ended (`spark` is None)."""
    return tuple(_status(spark, query, explain) for query in queries)


def end(spark: SparkSession) -> int:
    """Stop the queries of a session after their current batches, and close it. Return the number of queries."""
    active = spark.streams.active
    for query in active:
        query.stop()
    spark.stop()
    return len(active)


def _status(spark: SparkSession | None, query: DetachedQuery, explain: Explain) -> QueryStatus:
    status = QueryStatus(query.query, query.model, query.topic, "lost")
    if spark is None:
        return status
    handle = _query(spark, query)
    try:
        active, last, error = handle.isActive, handle.lastProgress, handle.exception()
    except Exception as error:
        if _is_unknown(error):
            return status
        raise
    batch = parse(query.query, as_mapping(last)) if last is not None else BatchProgress(query.query, -1, 0, 0.0)
    failure = explain(query, str(error)).message if error is not None else ""
    return replace(
        status,
        state="running" if active else "failed" if failure else "stopped",
        batches=batch.batch + 1,
        rows_per_second=batch.rows_per_second,
        latency=batch.seconds,
        state_rows=batch.state_rows,
        state_bytes=batch.state_bytes,
        lag=batch.lag,
        failure=failure,
    )


def _query(spark: SparkSession, query: DetachedQuery) -> StreamingQuery:
    from pyspark.sql.connect.streaming.query import StreamingQuery

    return StreamingQuery(spark, query.id, query.run, query.query)


def _is_unknown(error: Exception) -> bool:
    """Return whether the server has no data about a query: it ended an hour ago or earlier, or the server is new."""
    return "STREAMING_QUERY_NOT_FOUND" in str(error) or failures.is_lost(error)
