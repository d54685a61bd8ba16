"""Whether values of the declared columns are valid by a JSON Schema: a topic may be declared with fewer columns than
its schema has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from lsqlc.formats.json_schema.read import read_json_schema
from lsqlc.types import codec, data
from lsqlc.types.codec import Problem, ValueProblems
from lsqlc.types.data import Array, DataType, Map, Struct

_WIDER: Mapping[DataType, DataType] = {data.INT: data.BIGINT, data.FLOAT: data.DOUBLE}


def json_writer(type: DataType, schema: str) -> Callable[[Any], bytes]:
    """Return the function from a value of the type, not None, to JSON text that is valid by a schema. It raises
    ValueProblems for a null that the schema does not allow.

    Raises ValueError, with one clause, for a type whose values the schema does not accept.
    """
    reading = read_json_schema(schema, "written")
    if reading.type is None:
        raise ValueError("the schema has no corresponding type")
    reason = next(_misfits(type, reading.type, ""), None)
    if reason is not None:
        raise ValueError(reason)
    nulls, write = _nulls(type, reading.type, ""), codec.encoder(type)

    def encode(value: Any) -> bytes:
        missing = [Problem(where, "is null, which the schema does not allow") for where in nulls(value)]
        if missing:
            raise ValueProblems(missing)
        return write(value)

    return encode


def _misfits(type: DataType, schema: DataType, path: str) -> Iterator[str]:
    """Yield why values of a type are not valid by the type of a schema. `path`: of the value."""
    at = f"'{path}'" if path else "the value"
    match type, schema:
        case Struct(fields), Struct(others):
            for field in fields:
                other, where = schema.field(field.name), _below(path, field.name)
                if other is None:
                    yield f"'{where}' is {field.type} here, and is not in the schema"
                else:
                    yield from _misfits(field.type, other.type, where)
            for other in others:
                if not other.nullable and type.field(other.name) is None:
                    yield f"{at} has no '{other.name}', which the schema requires"
        case Array(element), Array(inner):
            yield from _misfits(element, inner, f"{path}[]")
        case Map(key, value), Map(other_key, inner) if key == other_key:
            yield from _misfits(value, inner, f"{path}[]")
        case _, data.NULL:
            yield f"{at} is {type} here, and in the schema JSON without a corresponding type"
        case _ if schema not in (type, _WIDER.get(type)):
            yield f"{at} is {type} here, and {schema} in the schema"


def _nulls(type: DataType, schema: DataType, path: str) -> Callable[[Any], Iterator[str]]:
    """Return the function to the paths of a value's nulls that the type allows and the schema does not."""
    match type, schema:
        case Struct(fields), Struct():
            parts = []
            for field in fields:
                other, where = schema.field(field.name), _below(path, field.name)
                if other is not None:
                    parts.append((field.name, where, other.nullable, _nulls(field.type, other.type, where)))

            def of_struct(value: Any) -> Iterator[str]:
                for name, where, nullable, inner in parts:
                    if value[name] is not None:
                        yield from inner(value[name])
                    elif not nullable:
                        yield where

            return of_struct
        case Array(element), Array(inner_type):
            inner = _nulls(element, inner_type, f"{path}[]")
            return lambda value: (where for item in value if item is not None for where in inner(item))
        case Map(_, element), Map(_, inner_type):
            inner = _nulls(element, inner_type, f"{path}[]")
            return lambda value: (where for item in value.values() if item is not None for where in inner(item))
    return lambda value: iter(())


def _below(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name
