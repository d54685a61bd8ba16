"""Expressions of a plan as DuckDB SQL, over the columns of one row.

Relation number n of the plan has two columns: `k<n>` is its key, `v<n>` its value.
"""

from __future__ import annotations

from collections.abc import Callable

from lsqlc.functions import calls, catalogue
from lsqlc.functions.forms import casts, operators
from lsqlc.functions.forms.engine_types import type_text
from lsqlc.functions.own_faults import NO_EXAMPLE
from lsqlc.lower.duckdb.lambdas import arguments_of
from lsqlc.plan import expression as ex
from lsqlc.plan.python_calls import engine_name
from lsqlc.plan.text_length import bounded
from lsqlc.sql.duckdb import label, quoted, struct, text
from lsqlc.types import data
from lsqlc.types.data import DataType

# The time of a case for clock functions, from the table of cases.
_NOW = '(SELECT "now" FROM cases WHERE cases._case = t._case)'
_RECORD = "cast(_ord as varchar)"

# The highest index of an array. The expression adds one, which still fits a BIGINT.
_LAST_INDEX = 2_147_483_646


def column(field: ex.Field, shift: int = 0) -> str:
    """Return the column of a field's facet."""
    return f"{field.facet[0]}{field.relation + shift}"


def sql(expression: ex.Expression, shift: int = 0) -> str:
    """Return the SQL of an expression over rows with the alias `t`. `shift` is added to the numbers of relations."""

    def of(part: ex.Expression) -> str:
        return sql(part, shift)

    match expression:
        case ex.Literal(value=value, type=type):
            return _literal(value, type)
        case ex.Field(path=path):
            return ".".join([column(expression, shift), *map(quoted, path)])
        case ex.RecordTime():
            return "_ts"
        case ex.Operation():
            return bounded(expression, _operation(expression, shift))
        case ex.Cast(operand=operand, type=type):
            return casts.widen("duckdb", of(operand), operand.type, type)
        case ex.Case(branches=branches, otherwise=otherwise):
            whens = " ".join(f"WHEN {of(a)} THEN {of(b)}" for a, b in branches)
            return f"CASE {whens} ELSE {of(otherwise)} END"
        case ex.ArrayOf() | ex.ElementAt() | ex.Member() | ex.StructOf():
            return _nested(expression, of)
        case _:
            return _call(expression, of)


_ToSql = Callable[[ex.Expression], str]


def _nested(expression: ex.ArrayOf | ex.ElementAt | ex.Member | ex.StructOf, of: _ToSql) -> str:
    """Return an expression that builds an array or a struct, or reads a part of one."""
    match expression:
        case ex.ArrayOf(items=items):
            return f"[{', '.join(map(of, items))}]"
        case ex.ElementAt(array=array, index=index):
            position = of(index)
            return bounded(
                expression,
                f"CASE WHEN {position} BETWEEN 0 AND {_LAST_INDEX} THEN ({of(array)})[{position} + 1] END",
            )
        case ex.Member(operand=operand, name=name):
            return f"struct_extract({of(operand)}, {label(name)})"
        case ex.StructOf(names=names, values=values):
            return struct(zip(names, map(of, values), strict=True))


def _call(expression: ex.Call | ex.PythonCall | ex.ServerCall | ex.Lambda | ex.Variable, of: _ToSql) -> str:
    match expression:
        case ex.Call(function=name):
            function = catalogue.planned(name)
            assert function is not None
            arguments = arguments_of(expression)
            types = [a.type for a in arguments]
            values = [a.value if isinstance(a, ex.Literal) else None for a in arguments]
            texts = [of(a) for a in arguments]
            return bounded(expression, calls.call("duckdb", function, texts, types, _NOW, _RECORD, values=values))
        case ex.PythonCall(arguments=arguments):
            return bounded(expression, f"{engine_name(expression)}({', '.join(map(of, arguments))})")
        case ex.ServerCall(arguments=arguments):
            return bounded(expression, _by_examples(expression, list(map(of, arguments))))
        case ex.Variable(name=name):
            return name
        case ex.Lambda(parameters=parameters, body=body):
            return f"lambda {', '.join(p.name for p in parameters)}: {of(body)}"


def _by_examples(call: ex.ServerCall, arguments: list[str]) -> str:
    """Return the result of the example with these arguments; an error if there is none."""

    def value(json: str, type: DataType) -> str:
        # As a field of an object: plain text would keep its quotes.
        document = text('{"x":' + json + "}")
        return f"struct_extract(CAST(CAST({document} AS JSON) AS STRUCT(x {type_text('duckdb', type)})), 'x')"

    whens = [
        " AND ".join(
            f"{argument} IS NOT DISTINCT FROM {value(json, part.type)}"
            for argument, json, part in zip(arguments, example, call.arguments, strict=True)
        )
        + f" THEN {value(result, call.type)}"
        for example, result in call.examples
    ]
    message = text(f"{NO_EXAMPLE} the function '{call.function}' runs on a server, and has no example for ")
    raised = f"error({message} || to_json([{', '.join(f'to_json({a})' for a in arguments)}]))"
    failed = f"CAST({raised} AS {type_text('duckdb', call.type)})"
    return f"CASE {' '.join(f'WHEN {when}' for when in whens)} ELSE {failed} END" if whens else failed


def _literal(value: bool | int | float | str | None, type: DataType) -> str:
    name = type_text("duckdb", type)
    if value is None:
        return f"CAST(NULL AS {name})"
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, str):
        return text(value)
    if type == data.INT and value >= 0:
        return str(value)
    return f"CAST({value!r} AS {name})"


def _operation(operation: ex.Operation, shift: int) -> str:
    operands = [sql(o, shift) for o in operation.operands]
    types = [o.type for o in operation.operands]
    match operation.operator:
        case "NOT":
            return operators.unary("duckdb", "NOT", operands[0], types[0])
        case "NEGATE":
            return operators.unary("duckdb", "-", operands[0], types[0])
        case "IS NULL" | "IS NOT NULL" as operator:
            return f"({operands[0]} {operator})"
        case "IN":
            return operators.in_list("duckdb", operands[0], operands[1:], types[0], types[1:])
        case "/" if isinstance(operation.type, data.Decimal):
            return operators.quotient("duckdb", operands[0], operands[1], operation.type)
        case "LIKE" if len(operation.operands) > 2:
            escape = operation.operands[2]
            assert isinstance(escape, ex.Literal)
            return operators.like("duckdb", operands[0], operands[1], str(escape.value))
        case operator:
            return operators.binary("duckdb", operator, operands[0], operands[1], types[0], types[1])
