"""Python functions of a project as DuckDB functions."""

from __future__ import annotations

import inspect

import duckdb

from lsqlc.functions.forms.arrow_types import arrow_type
from lsqlc.functions.forms.engine_types import type_text
from lsqlc.functions.python_code import runner
from lsqlc.plan.expression import PythonCall


def register(connection: duckdb.DuckDBPyConnection, name: str, call: PythonCall) -> None:
    """Register the function of a call under a name."""
    types = [a.type for a in call.arguments]
    result_type, naive_type = arrow_type(call.type), arrow_type(call.type, zoned=False)
    run = runner(call.function, call.source, [arrow_type(t) for t in types], result_type, naive_type)
    # DuckDB counts the parameters of the callable.
    parameters = [inspect.Parameter(f"a{i}", inspect.Parameter.POSITIONAL_ONLY) for i in range(len(types))]
    setattr(run, "__signature__", inspect.Signature(parameters))  # noqa: B010 - a callable has none to mypy
    texts = [duckdb.sqltype(type_text("duckdb", t)) for t in types]
    result = duckdb.sqltype(type_text("duckdb", call.type))
    connection.create_function(name, run, texts, result, type="arrow", null_handling="special")  # type: ignore[call-overload]
