"""The reference engine: DuckDB computes results from the whole event log."""

# Must come before any other import of DuckDB.
from lsqlc.lower.duckdb import importing as importing  # isort: split

from lsqlc.lower.duckdb.queries import Statement, lower, plan_sql
from lsqlc.lower.duckdb.session import Session, default_session, evaluate

__all__ = ["Session", "Statement", "default_session", "evaluate", "lower", "plan_sql"]
