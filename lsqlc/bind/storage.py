"""Storage formats: the format of each facet, and the allowed conversions.

The format follows the source: AVRO stays AVRO, JSON_SR stays JSON_SR, PROTOBUF stays PROTOBUF, and a facet that is
passed on whole keeps its format. A computed primitive is stored as itself. A windowed key is converted inside of its
window, and never from one kind of window to the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from lsqlc.bind.coerce import coerce
from lsqlc.formats.catalogue import conversions, find_format, passed_on, primitives
from lsqlc.formats.windows import key_in_window, windowed
from lsqlc.plan.expression import Case, Cast, Expression, Field, Literal, Member, Operation, StructOf
from lsqlc.plan.nodes import Relation
from lsqlc.types import data
from lsqlc.types.data import Array, DataType, Map, Struct
from lsqlc.types.record import Facet, Topic, natural_format


@dataclass(frozen=True, slots=True)
class Stored:
    """A facet in its storage format."""

    expression: Expression
    format: str


def struct_format(near: Facet) -> str:
    """Return the format of a new struct: that of the source if new structs keep it, such as AVRO, else JSON."""
    format = find_format(near.format)
    return format.name if format is not None and format.is_inherited else "json"


def format_of(type: DataType, near: Facet) -> str:
    """Return the format of a computed facet."""
    if isinstance(type, Struct | Array | Map):
        return struct_format(near)
    return natural_format(type)


def format_projected(expression: Expression, sources: Sequence[Relation], near: Facet) -> str:
    """Return the format of a projected value.

    `sources`: the relations with facets of their own. Those of laterals have higher numbers, and no facets.
    """
    if isinstance(expression, Field) and not expression.path and expression.relation < len(sources):
        whole = sources[expression.relation].facet(expression.facet)
        return struct_format(whole) if windowed(whole.format) else whole.format
    return format_of(expression.type, near)


def store(expression: Expression, before: str, after: str, *, may_lack: bool = False) -> Stored | None:
    """Return the facet converted from one format to another; None if that conversion is not allowed.

    `may_lack`: records may lack the facet, as those of a STREAM may have no key, and then lack it in the result.
    """
    if before == after:
        return Stored(expression, after)
    around = windowed(before), windowed(after)
    if around[0] and around[1] and around[0][0] == around[1][0]:
        key = _member(expression, "key")
        converted = key and store(key, around[0][1], around[1][1])
        return _rewrapped(expression, converted.expression, after, may_lack) if converted else None
    if after not in conversions(before):
        return None
    type = primitives().get(after)
    if type is None:
        return Stored(expression, after)
    if type == data.STRING:
        return Stored(Cast(expression, type, expression.nullable), after)
    return Stored(coerce(expression, type), after)


def _member(expression: Expression, name: str) -> Expression | None:
    field = expression.type.field(name) if isinstance(expression.type, Struct) else None
    if field is None:
        return None
    if isinstance(expression, Field):
        # A windowed key is never null, so its parts are nullable only if they are declared so.
        return replace(expression, path=(*expression.path, name), type=field.type, nullable=field.nullable)
    return Member(expression, name, field.type, field.nullable)


def _rewrapped(expression: Expression, key: Expression, format: str, may_lack: bool) -> Stored | None:
    bounds = _member(expression, "start"), _member(expression, "end")
    if bounds[0] is None or bounds[1] is None:
        return None
    changed = key_in_window(expression.type)
    if changed is not None and changed.type == key.type:
        return Stored(expression, format)
    whole: Expression = StructOf(("key", "start", "end"), (key, bounds[0], bounds[1]))
    if may_lack:
        is_null = Operation("IS NULL", (expression,), data.BOOLEAN, False)
        whole = Case(((is_null, Literal(None, whole.type)),), whole, whole.type)
    return Stored(whole, format)


def choices(before: str) -> tuple[str, ...]:
    """Return the formats to which a format can be converted, in the language's case."""
    window = windowed(before)
    if window:
        return tuple(f"{window[0].upper()}[{inner}]" for inner in choices(window[1]))
    return tuple(f.upper() for f in (before, *conversions(before)))


@dataclass(frozen=True, slots=True)
class Unfit:
    """A reason why the formats of a topic cannot hold its records: the code and the texts of the diagnostic.

    `way`: the path of names to the field whose name is invalid in the format.
    """

    code: str
    message: str
    help: str
    notes: tuple[str, ...] = ()
    way: tuple[str, ...] = ()


def unwritable(declared: Topic | None) -> Unfit | None:
    """Return LSQ617 for a topic of a Delta table, and LSQ643 for one in a format that models do not write."""
    if declared is not None and declared.connector == "delta":
        message = f"the topic '{declared.name}' has the rows of a Delta table, and cannot be written"
        return Unfit("LSQ617", message, "write to another topic; `tables:` of that topic can name a Delta table")
    for facet in (declared.key, declared.value) if declared is not None else ():
        if declared is not None and passed_on(facet.format) != facet.format:
            other = passed_on(facet.format).upper()
            stored = facet.format.partition("[")[0].upper()
            message = f"the topic '{declared.name}' is stored as {stored}, which models only read"
            return Unfit("LSQ643", message, f"write to another topic, which is stored as {other}")
    return None


def unfit(topic: Topic) -> Unfit | None:
    """LSQ308 or LSQ796 for a topic whose formats cannot hold its facets."""
    way = unfit_name(topic.key) or unfit_name(topic.value)
    if way:
        format = _strict_format(topic)
        note = f"a name in {format} consists of letters, digits and _, and does not begin with a digit"
        message = f"'{way[-1]}' is not a valid name in {format}"
        return Unfit("LSQ308", message, "give the projection an alias: AS name", (note,), way)
    why = unfit_type(topic.key) or unfit_type(topic.value)
    help = "store it in another format, such as JSON or AVRO, or project to another type"
    return Unfit("LSQ796", f"{_strict_format(topic)} cannot hold the result: {why}", help) if why else None


def _strict_format(topic: Topic) -> str:
    """Return the format of the topic that can hold the fewest types and names, in upper case."""
    formats = [stored for facet in (topic.key, topic.value) if (stored := find_format(facet.format)) is not None]
    narrow = [format for format in formats if format.unfit is not None or format.name_pattern is not None]
    return min(narrow, key=lambda format: format.unfit is None).name.upper()


def unfit_name(facet: Facet) -> tuple[str, ...]:
    """Return the path to the first field whose name the facet's format cannot hold; empty if there is none."""
    format = find_format(facet.format)
    if format is None or (pattern := format.name_pattern) is None:
        return ()
    pending: list[tuple[tuple[str, ...], DataType]] = [((), facet.type)]
    while pending:
        way, type = pending.pop()
        match type:
            case Struct(fields):
                bad = next((f.name for f in fields if not pattern.fullmatch(f.name)), None)
                if bad is not None:
                    return (*way, bad)
                pending += [((*way, f.name), f.type) for f in fields]
            case Array(element):
                pending.append((way, element))
            case Map(key, value):
                pending += [(way, key), (way, value)]
    return ()


def unfit_type(facet: Facet) -> str:
    """Return the reason why the facet's format has no schema for its type, in one clause; empty if it can hold the
    type.
    """
    format = find_format(facet.format)
    if format is None or format.unfit is None:
        return ""
    window = key_in_window(facet.type) if windowed(facet.format) else None
    return format.unfit(window.type if window else facet.type)
