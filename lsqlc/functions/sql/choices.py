"""Functions by Spark's names that choose between values by their nulls."""

from __future__ import annotations

from collections.abc import Sequence

from lsqlc.functions.forms.casts import widen
from lsqlc.functions.forms.operators import comparable
from lsqlc.functions.results import common, first
from lsqlc.functions.signature import Function, Nulls, Parameter, Render
from lsqlc.sql.engines import Engine
from lsqlc.types.data import BOOLEAN, INT, DataType

_VALUE, _NUMBER = Parameter("value", "any"), Parameter("number", "number")


def _chosen(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    return common(types[1:], ())


def _choice(engine: Engine) -> Render:
    def render(texts: Sequence[str], types: Sequence[DataType]) -> str:
        common_type = common(types[1:], ())
        assert common_type is not None
        one, other = (widen(engine, text, type, common_type) for text, type in zip(texts[1:], types[1:], strict=True))
        return f"case when {texts[0]} is not null then {one} else {other} end"

    return render


def _same_type(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    common_type = common(types, ())
    return BOOLEAN if common_type is not None and comparable(common_type, ordered=False) else None


def _same(engine: Engine, operator: str) -> Render:
    def render(texts: Sequence[str], types: Sequence[DataType]) -> str:
        common_type = common(types, ())
        assert common_type is not None
        one, other = (widen(engine, text, type, common_type) for text, type in zip(texts, types, strict=True))
        return f"(({one}) {operator} ({other}))"

    return render


def _with_zero(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    return common((types[0], INT), ())


def _or_zero(engine: Engine) -> Render:
    def render(texts: Sequence[str], types: Sequence[DataType]) -> str:
        common_type = common((types[0], INT), ())
        assert common_type is not None
        return f"coalesce({widen(engine, texts[0], types[0], common_type)}, {widen(engine, '0', INT, common_type)})"

    return render


CHOICES: tuple[Function, ...] = (
    Function("NVL2", (_VALUE, Parameter("one", "any"), Parameter("other", "any")), _chosen, _choice("duckdb"),
             _choice("spark"), "the second value, or the third where the first is null", nulls=Nulls.MAY,
             takes_null=True),
    Function("EQUAL_NULL", (_VALUE, _VALUE), _same_type, _same("duckdb", "is not distinct from"), _same("spark", "<=>"),
             "whether two values are equal, two nulls too", nulls=Nulls.NEVER, takes_null=True),
    Function("ZEROIFNULL", (_NUMBER,), _with_zero, _or_zero("duckdb"), _or_zero("spark"),
             "the number, 0 for null", nulls=Nulls.NEVER, takes_null=True),
    Function("NULLIFZERO", (_NUMBER,), first, "case when {0} <> 0 then {0} end", "nullif({0}, 0)",
             "the number, null for 0", nulls=Nulls.MAY),
)  # fmt: skip
