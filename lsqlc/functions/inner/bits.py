"""Operators on the bits of integers."""

from __future__ import annotations

from collections.abc import Sequence

from lsqlc.functions.forms.casts import widen
from lsqlc.functions.results import common
from lsqlc.functions.signature import Function, Parameter, Render
from lsqlc.sql.engines import Engine
from lsqlc.types.data import INT, NULL, DataType

# The name of the function of each operator.
OPERATORS = {"&": "inner.BITS_OF_BOTH", "|": "inner.BITS_OF_EITHER", "^": "inner.BITS_OF_ONE"}
_PARAMETERS = (Parameter("integer", "whole"), Parameter("other", "whole"))


def _met(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    common_type = common(types, literals)
    return INT if common_type == NULL else common_type


def _of_bits(engine: Engine, form: str) -> Render:
    def render(texts: Sequence[str], types: Sequence[DataType]) -> str:
        common_type = _met(types, ())
        assert common_type is not None
        return form.format(*(widen(engine, text, type, common_type) for text, type in zip(texts, types, strict=True)))

    return render


def _two(operator: str, duckdb: str, doc: str) -> Function:
    spark = f"(({{0}}) {operator} ({{1}}))"
    name = OPERATORS[operator].removeprefix("inner.")
    return Function(name, _PARAMETERS, _met, _of_bits("duckdb", duckdb), _of_bits("spark", spark), doc)


BITS: tuple[Function, ...] = (
    _two("&", "(({0}) & ({1}))", "the bits that both integers have"),
    _two("|", "(({0}) | ({1}))", "the bits that one of two integers has"),
    _two("^", "xor({0}, {1})", "the bits that only one of two integers has"),
)
