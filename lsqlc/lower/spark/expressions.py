"""Expressions of a plan as Spark SQL, over the columns of one row.

Relation number n of the plan is two columns, `k<n>` and `v<n>`: its key and its value.
"""

from __future__ import annotations

from lsqlc.functions import calls, catalogue
from lsqlc.functions.forms import casts, operators
from lsqlc.functions.forms.engine_types import type_text
from lsqlc.plan import expression as ex
from lsqlc.plan.python_calls import engine_name
from lsqlc.plan.text_length import bounded
from lsqlc.sql.spark import struct, text, ticked
from lsqlc.types import data
from lsqlc.types.data import DataType

# Constant in a batch and the same when the batch is replayed, unlike now().
_NOW = "current_timestamp()"
_RECORD = "cast(_ord as string)"


def sql(expression: ex.Expression, shift: int = 0) -> str:
    """Return the SQL text. `shift` is added to the numbers of relations."""

    def of(part: ex.Expression) -> str:
        return sql(part, shift)

    match expression:
        case ex.Literal(value=value, type=type):
            return _literal(value, type)
        case ex.Field(relation=number, facet=facet, path=path):
            return ".".join([f"{facet[0]}{number + shift}", *map(ticked, path)])
        case ex.RecordTime():
            return "_ts"
        case ex.Operation():
            return bounded(expression, _operation(expression, shift))
        case ex.Call(function=name, arguments=arguments):
            function = catalogue.planned(name)
            assert function is not None
            types = [a.type for a in arguments]
            values = [a.value if isinstance(a, ex.Literal) else None for a in arguments]
            texts = [of(a) for a in arguments]
            return bounded(expression, calls.call("spark", function, texts, types, _NOW, _RECORD, values=values))
        case ex.Cast(operand=operand, type=type):
            return casts.widen("spark", of(operand), operand.type, type)
        case ex.Case(branches=branches, otherwise=otherwise):
            whens = " ".join(f"WHEN {of(a)} THEN {of(b)}" for a, b in branches)
            return f"CASE {whens} ELSE {of(otherwise)} END"
        case ex.ArrayOf(items=items):
            return f"array({', '.join(map(of, items))})"
        case ex.ElementAt(array=array, index=index):
            return f"get({of(array)}, try_cast({of(index)} AS INT))"
        case ex.Member(operand=operand, name=name):
            return f"({of(operand)}).{ticked(name)}"
        case ex.StructOf(names=names, values=values):
            return struct(zip(names, map(of, values), strict=True))
        case ex.PythonCall(arguments=arguments):
            return bounded(expression, f"{engine_name(expression)}({', '.join(map(of, arguments))})")
        case ex.ServerCall(registered=name, arguments=arguments):
            server_function = ".".join(map(ticked, name.split(".")))
            return bounded(expression, f"{server_function}({', '.join(map(of, arguments))})")
        case ex.Variable(name=name):
            return name
        case ex.Lambda(parameters=(parameter,), body=body):
            # In parentheses a single one is no parameter.
            return f"{parameter.name} -> {of(body)}"
        case ex.Lambda(parameters=parameters, body=body):
            return f"({', '.join(p.name for p in parameters)}) -> {of(body)}"
    raise AssertionError(f"no Spark form of {type(expression).__name__}")


def _literal(value: bool | int | float | str | None, type: DataType) -> str:
    name = type_text("spark", type)
    if value is None:
        return f"CAST(NULL AS {name})"
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, str):
        return text(value)
    if type == data.INT:
        return str(value) if value >= 0 else f"CAST({value} AS INT)"
    return f"CAST({text(repr(value))} AS {name})"


def _operation(operation: ex.Operation, shift: int) -> str:
    operands = [sql(o, shift) for o in operation.operands]
    types = [o.type for o in operation.operands]
    match operation.operator:
        case "NOT":
            return operators.unary("spark", "NOT", operands[0], types[0])
        case "NEGATE":
            return operators.unary("spark", "-", operands[0], types[0])
        case "IS NULL" | "IS NOT NULL" as operator:
            return f"({operands[0]} {operator})"
        case "IN":
            return operators.in_list("spark", operands[0], operands[1:], types[0], types[1:])
        case "/" if isinstance(operation.type, data.Decimal):
            return operators.quotient("spark", operands[0], operands[1], operation.type)
        case "LIKE" if len(operation.operands) > 2:
            escape = operation.operands[2]
            assert isinstance(escape, ex.Literal)
            return operators.like("spark", operands[0], operands[1], str(escape.value))
        case operator:
            return operators.binary("spark", operator, operands[0], operands[1], types[0], types[1])
