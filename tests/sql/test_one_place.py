"""Names and texts of SQL are quoted in one room, and SQL is not taken apart."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tests.rooms import modules

# Rooms that make SQL, and what only `sql` may do there: put a quote for another, and cut a list.
MAKERS = ("functions", "lower.duckdb", "lower.spark", "remote")
QUOTES = ("'", '"', "`")
LISTS = (", ", "\n")
# What is no SQL that was made here, by module and method.
EXCEPTIONS = {
    ("lsqlc.functions.forms.date_patterns", "replace"): "a quote in a pattern of dates",
    ("lsqlc.functions.sql.formats", "replace"): "what QUOTE gives",
    ("lsqlc.functions.sql.json", "replace"): "a text of JSON in single quotes",
    ("lsqlc.lower.duckdb.json_files", "replace"): "a cell of a file",
    ("lsqlc.lower.duckdb.files", "split"): "the first line of a message of DuckDB",
    ("lsqlc.lower.duckdb.infer", "split"): "the first line of a message of DuckDB",
    ("lsqlc.lower.duckdb.session", "split"): "the first line of a message of DuckDB",
    ("lsqlc.remote.run.bad_rows", "split"): "the first line of a message of Spark",
    ("lsqlc.remote.run.batch_log", "split"): "the lines of what Spark notes about a batch",
    ("lsqlc.remote.server.warm_python", "replace"): "a word of a shell script",
    ("lsqlc.remote.connectors.batch_files", "replace"): "runs on the server, where lsqlc is not",
    ("lsqlc.remote.server.broker_settings", "replace"): "a setting of the broker",
}


def edits() -> Iterator[tuple[str, str]]:
    """Each place that replaces a quote or splits a list, by module and method."""
    for module in modules().values():
        if module.room not in MAKERS:
            continue
        for node in ast.walk(module.tree):
            match node:
                case ast.Call(func=ast.Attribute(attr="replace"), args=[ast.Constant(value=str(old)), *_]):
                    if old and set(old) <= set(QUOTES):
                        yield module.name, "replace"
                case ast.Call(func=ast.Attribute(attr="split"), args=[ast.Constant(value=str(mark)), *_]):
                    if mark in LISTS:
                        yield module.name, "split"


def test_only_the_room_of_sql_quotes() -> None:
    """An exception that nothing needs any more fails as well."""
    assert set(edits()) == EXCEPTIONS.keys()
