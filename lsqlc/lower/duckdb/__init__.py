"""The reference engine: DuckDB computes the answer from the whole event log."""

# Before any other module imports DuckDB.
from lsqlc.lower.duckdb import importing as importing  # isort: split

from lsqlc.lower.duckdb.queries import Statement, lower, plan_sql
from lsqlc.lower.duckdb.session import Session, default_session, evaluate

__all__ = ["Session", "Statement", "default_session", "evaluate", "lower", "plan_sql"]
