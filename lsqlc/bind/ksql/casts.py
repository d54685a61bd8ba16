"""CAST of ksqlDB, where it differs from the Lenses language: parts of arrays, maps and structs, their texts, times in
ISO form, and texts for booleans.
"""

from __future__ import annotations

from functools import reduce

from lsqlc.bind.coerce import always_fits, coerce
from lsqlc.functions.forms import casts
from lsqlc.plan.expression import Call, Case, Cast, Expression, Lambda, Literal, Member, Operation, StructOf, Variable
from lsqlc.types import data
from lsqlc.types.data import Array, DataType, Field, Map, Struct

# The pattern of a cast to STRING, by type.
_PATTERNS = {data.TIMESTAMP: "yyyy-MM-dd'T'HH:mm:ss.SSS", data.DATE: "yyyy-MM-dd"}
# The patterns of a cast to TIME.
_TIMES = ("HH:mm:ss", "HH:mm", "HH:mm:ss.SSS")
_TRUE = ("t", "tr", "tru", "true", "y", "ye", "yes")


def castable(source: DataType, target: DataType) -> bool:
    """Return whether ksqlDB casts one type to the other."""
    match source, target:
        case Array(element), Array(wanted):
            return castable(element, wanted)
        case Map(key, value), Map(wanted_key, wanted_value):
            return castable(key, wanted_key) and castable(value, wanted_value)
        case Struct(), Struct():
            common = [(f.type, g.type) for f in source.fields if (g := target.field(f.name)) is not None]
            return all(castable(a, b) for a, b in common)
        case ((Array() | Map() | Struct()), data.STRING):
            return True
    if source == target or source == data.NULL:
        return True
    if data.BYTES in (source, target):
        return False
    if data.TIME in (source, target):
        return (source, target) in ((data.STRING, data.TIME), (data.TIME, data.STRING), (data.TIMESTAMP, data.TIME))
    return casts.castable(source, target)


def converted(value: Expression, target: DataType, depth: int = 0) -> Expression:
    """Return the value converted to a type that it is `castable` to. `depth`: the number of enclosing lambdas."""
    source = value.type
    if source in (target, data.NULL):
        return coerce(value, target)
    match source, target:
        case (Array(), data.STRING) | (Map(), data.STRING) | (Struct(), data.STRING):
            return _unless_null(value, _text(value, depth))
        case (Array(), Array()) | (Map(), Map()):
            return _each(value, target, depth)
        case Struct(), Struct():
            return _unless_null(value, _fields(value, target, depth))
    if target == data.STRING and source in _PATTERNS:
        pattern = Literal(_PATTERNS[source], data.STRING)
        return Call("FORMAT_TIMESTAMP" if source == data.TIMESTAMP else "FORMAT_DATE", (value, pattern), target, True)
    if source == data.STRING and target == data.BOOLEAN:
        word = Call("LOWER", (Call("TRIM", (value,), data.STRING, True),), data.STRING, True)
        texts = tuple(Literal(t, data.STRING) for t in _TRUE)
        return Operation("IN", (word, *texts), data.BOOLEAN, value.nullable)
    if data.TIME in (source, target):
        return _time(value, target)
    if source == data.STRING and data.is_integer(target):
        value = Call("TRIM", (value,), data.STRING, True)
    return Cast(value, target, value.nullable or not always_fits(source, target))


def _time(value: Expression, target: DataType) -> Expression:
    """Return the conversion of a time of day, whose text has no seconds if they are 0."""
    if value.type == data.TIMESTAMP:
        return Call("EXTRACT_TIME", (value,), target, value.nullable)
    if target == data.TIME:
        read = tuple(Call("PARSE_TIME_MILLIS", (value, _literal(p)), target, True) for p in _TIMES)
        return Call("COALESCE", read, target, True)
    text = Call("FORMAT_TIME", (value, _literal("HH:mm:ss")), target, value.nullable)
    whole = Operation("LIKE", (text, _literal("%:00")), data.BOOLEAN, text.nullable)
    short = Call("FORMAT_TIME", (value, _literal("HH:mm")), target, value.nullable)
    return Case(((whole, short),), text, target)


def _unless_null(value: Expression, then: Expression) -> Expression:
    there = Operation("IS NOT NULL", (value,), data.BOOLEAN, False)
    return Case(((there, then),), Literal(None, then.type), then.type)


def _variable(collection: DataType, depth: int) -> Variable:
    if isinstance(collection, Map):
        return Variable(f"e{depth}", Struct((Field("key", collection.key, False), Field("value", collection.value))))
    assert isinstance(collection, Array)
    return Variable(f"e{depth}", collection.element)


def _each(value: Expression, target: DataType, depth: int) -> Expression:
    variable = _variable(value.type, depth)
    if isinstance(target, Map):
        parts = [Member(variable, name, _part(variable, name), True) for name in ("key", "value")]
        key, inner = (converted(p, t, depth + 1) for p, t in zip(parts, (target.key, target.value), strict=True))
        return Call(
            "ksql.TRANSFORM", (value, Lambda((variable,), StructOf(("key", "value"), (key, inner)))), target, True
        )
    assert isinstance(target, Array)
    body = converted(variable, target.element, depth + 1)
    return Call("ksql.TRANSFORM", (value, Lambda((variable,), body)), target, True)


def _part(variable: Variable, name: str) -> DataType:
    assert isinstance(variable.type, Struct)
    field = variable.type.field(name)
    assert field is not None
    return field.type


def _fields(value: Expression, target: Struct, depth: int) -> Expression:
    """Return a struct with the target's fields, by name; fields that the value lacks are null."""
    assert isinstance(value.type, Struct)
    values = []
    for field in target.fields:
        source_field = value.type.field(field.name)
        own = (
            Member(value, field.name, source_field.type, True) if source_field is not None else Literal(None, data.NULL)
        )
        values.append(converted(own, field.type, depth))
    return coerce(StructOf(tuple(f.name for f in target.fields), tuple(values)), target)


def _text(value: Expression, depth: int) -> Expression:
    """Return the text as Java writes it: `[1, 3]`, `{a=1}`, `Struct{F0=1,F1=3}`."""
    if isinstance(value.type, Struct):
        return _struct_text(value, value.type, depth)
    opening, closing = ("{", "}") if isinstance(value.type, Map) else ("[", "]")
    if isinstance(value.type, Map):
        entries = Struct((Field("K", value.type.key), Field("V", value.type.value)))
        value = Call("ksql.ENTRIES", (value, Literal(False, data.BOOLEAN)), Array(entries), True)
        variable = _variable(value.type, depth)
        parts = [Member(variable, f.name, f.type, True) for f in entries.fields]
        key, inner = (_or_null(converted(p, data.STRING, depth + 1)) for p in parts)
        body = _joined(key, _literal("="), inner)
    else:
        variable = _variable(value.type, depth)
        body = _or_null(converted(variable, data.STRING, depth + 1))
    texts = Call("ksql.TRANSFORM", (value, Lambda((variable,), body)), Array(data.STRING), True)
    joined = Call("ksql.ARRAY_JOIN", (texts, _literal(", ")), data.STRING, True)
    return _joined(_literal(opening), joined, _literal(closing))


def _struct_text(value: Expression, type: Struct, depth: int) -> Expression:
    """Return the text without the fields that are null."""
    parts: list[Expression] = []
    for field in type.fields:
        own = Member(value, field.name, field.type, True)
        parts.append(_unless_null(own, _joined(_literal(f"{field.name}="), converted(own, data.STRING, depth))))
    separated = Call("ksql.CONCAT_WS", (_literal(","), *parts), data.STRING, True)
    return _joined(_literal("Struct{"), separated, _literal("}"))


def _or_null(text: Expression) -> Expression:
    return Call("COALESCE", (text, _literal("null")), data.STRING, False)


def _literal(text: str) -> Expression:
    return Literal(text, data.STRING)


def _joined(*parts: Expression) -> Expression:
    return reduce(lambda a, b: Call("ksql.CONCAT", (a, b), data.STRING, False), parts)
