"""What differs by engine only in its spelling, for those who write for both."""

from __future__ import annotations

from typing import Literal

from lsqlc.sql import duckdb, spark

Engine = Literal["duckdb", "spark"]


def name(engine: Engine, name: str) -> str:
    """A name, quoted.

    >>> name("spark", "a b")
    '`a b`'
    """
    return duckdb.quoted(name) if engine == "duckdb" else spark.ticked(name)


def text(engine: Engine, value: str) -> str:
    """The literal of a text. It has no line break: a statement is laid out in lines, and none begins within a literal.

    >>> text("duckdb", "it's"), text("spark", "it's")
    ("'it''s'", "'it\\\\'s'")
    """
    return duckdb.text(value) if engine == "duckdb" else spark.text(value)
