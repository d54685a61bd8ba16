"""Random types, and their values as the libraries for Avro want them."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from lsqlc.types import data
from lsqlc.types.data import Array, DataType, Decimal, Field, Map, Struct

PRIMITIVES: list[DataType] = [
    data.BOOLEAN, data.INT, data.BIGINT, data.FLOAT, data.DOUBLE, data.STRING, data.BYTES, data.DATE, data.TIME,
    data.TIMESTAMP,
]  # fmt: skip
AVRO_NAMES = st.from_regex(r"\A[A-Za-z_][A-Za-z0-9_]{0,8}\Z")
ANY_NAMES = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=8)


def primitives() -> st.SearchStrategy[DataType]:
    decimals = st.integers(1, 38).flatmap(lambda p: st.integers(0, p).map(lambda s: Decimal(p, s)))
    return st.one_of(st.sampled_from(PRIMITIVES), decimals)


def types(names: st.SearchStrategy[str] = AVRO_NAMES) -> st.SearchStrategy[DataType]:
    """Types of every kind, nested; the names of a struct differ in more than case."""

    def struct(inner: st.SearchStrategy[DataType]) -> st.SearchStrategy[DataType]:
        fields = st.builds(Field, names, inner, st.booleans())
        unique = st.lists(fields, min_size=1, max_size=4, unique_by=lambda f: f.name.casefold())
        return unique.map(lambda found: Struct(tuple(found)))

    def wider(inner: st.SearchStrategy[DataType]) -> st.SearchStrategy[DataType]:
        return st.one_of(st.builds(Array, inner), st.builds(Map, primitives(), inner), struct(inner))

    return st.recursive(primitives(), wider, max_leaves=8)


def avro_value(type: DataType, value: Any) -> Any:
    """A value in the form that a library for Avro writes: a MAP without text keys is a list of entries."""
    if value is None:
        return None
    match type:
        case Struct(fields):
            return {f.name: avro_value(f.type, value[f.name]) for f in fields}
        case Array(element):
            return [avro_value(element, item) for item in value]
        case Map(data.STRING, inner):
            return {key: avro_value(inner, item) for key, item in value.items()}
        case Map(key_type, inner):
            return [{"key": avro_value(key_type, k), "value": avro_value(inner, v)} for k, v in value.items()]
        case _:
            return value
