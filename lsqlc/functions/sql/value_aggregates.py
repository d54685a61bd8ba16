"""Aggregates, by Spark's names, that are computed from all values of a group, which are in the state.

The values are in the order of the keys of a table's rows, or in the order in which records arrived.
"""

from __future__ import annotations

from collections.abc import Sequence

from lsqlc.functions.forms.operators import ordered
from lsqlc.functions.results import always, first
from lsqlc.functions.signature import Aggregate, Nulls, Parameter, Result
from lsqlc.types.data import (
    BIGINT,
    BOOLEAN,
    BYTES,
    DOUBLE,
    NULL,
    STRING,
    Array,
    DataType,
    is_integer,
    is_numeric,
    parts,
)
from lsqlc.types.data import Map as MapType

_VALUE, _NUMBER, _DOUBLE = Parameter("value", "any"), Parameter("value", "number"), Parameter("value", "double")
_TEXT = Parameter("text", "string")
_SEPARATOR = Parameter("separator", "string", literal=True, optional=True, null=True)
_PERCENTAGE = Parameter("percentage", "any")
_FLAG = Parameter("flag", "boolean", literal=True)
# The number of keys that ORDER BY may have in WITHIN GROUP.
_KEYS = 8


def _without_maps(result: Result) -> Result:
    """Return a result rule for values that can be compared, which maps cannot."""

    def checked(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
        comparable = not any(isinstance(part, MapType) for type in types for part in parts(type))
        return result(types, literals) if comparable else None

    return checked


def _array(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    return Array(types[0]) if types[0] != NULL else None


def _by(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    if types[0] == NULL or ordered(types[1:2], ()) is None or types[1] == NULL:
        return None
    return Array(types[0]) if len(types) > 2 else types[0]


def _at_percentage(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    return Array(DOUBLE) if isinstance(types[1], Array) else DOUBLE


def _ranked(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    if not (is_numeric(types[0]) or ordered(types[:1], ()) is not None) or types[0] in (STRING, BOOLEAN, BYTES, NULL):
        return None
    return Array(types[0]) if isinstance(types[1], Array) else types[0]


def _mode(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    return ordered(types[:1], ()) if types[0] != NULL else None


def _bits(types: Sequence[DataType], literals: Sequence[object]) -> DataType | None:
    return types[0] if is_integer(types[0]) else None


def _double(name: str, doc: str, *names: str) -> tuple[Aggregate, ...]:
    return tuple(Aggregate(each, (_DOUBLE,), always(DOUBLE), doc) for each in (name, *names))


def _of_pairs(name: str, doc: str) -> Aggregate:
    parameters = (Parameter("y", "double"), Parameter("x", "double"))
    count = name == "REGR_COUNT"
    return Aggregate(name, parameters, always(BIGINT if count else DOUBLE), doc,
                     nulls=Nulls.NEVER if count else Nulls.MAY)  # fmt: skip


def _listed(name: str, doc: str) -> Aggregate:
    return Aggregate(name, (_VALUE,), _without_maps(_array), doc, nulls=Nulls.NEVER)


def _one(name: str, doc: str) -> Aggregate:
    more = (Parameter("ignore_nulls", "boolean", literal=True, optional=True),
            Parameter("condition", "boolean", optional=True))  # fmt: skip
    return Aggregate(name, (_VALUE, *more), _without_maps(first), doc)


_LIST, _SET = "an array of the values that are not null", "an array of the different values that are not null"
_FIRST, _LAST = "the value of the first row", "the value of the last row"
_PAIRS = "of the pairs in which neither is null"
VALUE_AGGREGATES: tuple[Aggregate, ...] = (
    _listed("COLLECT_LIST", _LIST),
    _listed("ARRAY_AGG", _LIST),
    _listed("COLLECT_SET", _SET),
    _listed("COLLECT_LIST_DISTINCT", f"{_SET}, written COLLECT_LIST(DISTINCT value)"),
    _listed("ARRAY_AGG_DISTINCT", f"{_SET}, written ARRAY_AGG(DISTINCT value)"),
    *(_one(name, f"{_FIRST}, or of the first where it is not null for TRUE or IGNORE NULLS")
      for name in ("FIRST", "FIRST_VALUE", "ANY_VALUE")),
    *(_one(name, f"{_LAST}, or of the last where it is not null for TRUE or IGNORE NULLS")
      for name in ("LAST", "LAST_VALUE")),
    *(Aggregate(f"{name}_BY", (_VALUE, Parameter("order", "any"), Parameter("n", "size", literal=True, optional=True)),
                _without_maps(_by), f"the value of the row with the {what} order, or an array of those of `n` rows")
      for name, what in (("MAX", "largest"), ("MIN", "smallest"))),
    *_double("STDDEV", "the standard deviation of a sample; null for less than two values", "STD", "STDDEV_SAMP"),
    *_double("STDDEV_POP", "the standard deviation of all values"),
    *_double("VARIANCE", "the variance of a sample; null for less than two values", "VAR_SAMP"),
    *_double("VAR_POP", "the variance of all values"),
    *_double("SKEWNESS", "the skewness; null if all values are equal"),
    *_double("KURTOSIS", "the kurtosis; null if all values are equal"),
    _of_pairs("CORR", f"the correlation {_PAIRS}; null if one of them does not vary"),
    _of_pairs("COVAR_POP", f"the covariance {_PAIRS}"),
    _of_pairs("COVAR_SAMP", f"the covariance of a sample, {_PAIRS}; null for less than two"),
    _of_pairs("REGR_COUNT", "how many pairs have no null"),
    _of_pairs("REGR_AVGX", f"the mean of x {_PAIRS}"),
    _of_pairs("REGR_AVGY", f"the mean of y {_PAIRS}"),
    _of_pairs("REGR_SXX", f"the sum of the squares of the deviations of x {_PAIRS}"),
    _of_pairs("REGR_SYY", f"the sum of the squares of the deviations of y {_PAIRS}"),
    _of_pairs("REGR_SXY", f"the sum of the products of the deviations of both {_PAIRS}"),
    _of_pairs("REGR_SLOPE", "the slope of the line that fits best; null if x does not vary"),
    _of_pairs("REGR_INTERCEPT", "where the line that fits best meets the axis of y; null if x does not vary"),
    _of_pairs("REGR_R2", "how much of y the line that fits best explains; null if x does not vary"),
    Aggregate("PERCENTILE", (_DOUBLE, _PERCENTAGE, Parameter("frequency", "integer", optional=True)), _at_percentage,
              "the value at a percentage from 0 to 1, or an array for an array of them; between two values if none is"
              " there"),
    Aggregate("PERCENTILE_CONT_WITHIN_GROUP", (_DOUBLE, _PERCENTAGE, _FLAG), _at_percentage,
              "the same, written PERCENTILE_CONT(percentage) WITHIN GROUP (ORDER BY value)"),
    Aggregate("MEDIAN", (_DOUBLE,), always(DOUBLE), "the value in the middle, or between the two in the middle"),
    *(Aggregate(name, (_VALUE, _PERCENTAGE, Parameter("accuracy", "size", literal=True, optional=True)), _ranked,
                "the first value, in order, up to which the percentage of the values are, exactly: the accuracy does"
                " not matter") for name in ("PERCENTILE_APPROX", "APPROX_PERCENTILE")),
    Aggregate("PERCENTILE_DISC_WITHIN_GROUP", (_DOUBLE, _PERCENTAGE, _FLAG), _at_percentage,
              "the first value, in order, up to which the percentage of the values are, a DOUBLE, written"
              " PERCENTILE_DISC(percentage) WITHIN GROUP (ORDER BY value)"),
    Aggregate("MODE", (_VALUE, Parameter("deterministic", "boolean", literal=True, optional=True)), _mode,
              "the value that occurs most often, of several the smallest"),
    Aggregate("MODE_WITHIN_GROUP", (_VALUE, _FLAG), _mode,
              "the same, written MODE() WITHIN GROUP (ORDER BY value); of several the first in order"),
    *(Aggregate(f"BIT_{name}", (Parameter("value", "integer"),), _bits, f"the bits of all values, joined by {name}")
      for name in ("AND", "OR", "XOR")),
    *(Aggregate(name, (_TEXT, _SEPARATOR), always(STRING), doc)
      for name, doc in (("LISTAGG", "the texts, one after the other, with the separator between them"),
                        ("STRING_AGG", "as LISTAGG"),
                        ("LISTAGG_DISTINCT", "the same of the different texts, written LISTAGG(DISTINCT text)"),
                        ("STRING_AGG_DISTINCT", "as LISTAGG_DISTINCT"))),
    *(Aggregate(f"LISTAGG_WITHIN_GROUP{more}",
                (_TEXT, _SEPARATOR, Parameter("order", "string", literal=True),
                 *(Parameter(f"key{i}", "any", optional=bool(i)) for i in range(_KEYS))),
                always(STRING), f"the same{words} in an order, written LISTAGG(text) WITHIN GROUP (ORDER BY key)")
      for more, words in (("", ""), ("_DISTINCT", " of the different texts"))),
    Aggregate("APPROX_COUNT_DISTINCT", (_VALUE, Parameter("deviation", "number", optional=True)),
              always(BIGINT), "the number of different values, exactly", nulls=Nulls.NEVER),
)  # fmt: skip
