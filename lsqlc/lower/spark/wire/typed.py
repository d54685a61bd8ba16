"""A record's facets as values, straight from their bytes in Kafka: a line of JSON in between takes more time than
reading the record.

A facet is read in two steps. The first one parses its bytes once, where it stands in an array of one (see
`lsqlc.lower.spark.readings`); the second one takes the value and what is wrong with it from there.

`from_json` says by a column of its own that a text does not fit the type: in mode FAILFAST its error has no place. What
it gives has the form of the type (`json_forms`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from lsqlc.formats.encoding import Decoding
from lsqlc.formats.json.spark import rewritten
from lsqlc.formats.json.spark_numbers import for_spark
from lsqlc.functions.forms.engine_types import type_text
from lsqlc.lower.spark.validity import reason_of
from lsqlc.lower.spark.wire.json_forms import broken, doubtful, form, judged, unfit, value
from lsqlc.sql.spark import struct, text, ticked
from lsqlc.types import data
from lsqlc.types.data import DataType, Field, Struct

# What is wrong with a text that is JSON, but not of the type.
_UNFIT = "does not match the fields that are read"
_BLANKS = r"' \t\n\r'"
# What no type fits.
_NO_JSON = "!"
# The member of what is parsed that has a text which does not fit.
_CORRUPT = "_corrupt"


def _itself(parsed: str) -> str:
    return parsed


@dataclass(frozen=True, slots=True)
class Typed:
    """How a facet is read. `parsed`: SQL over the column of its bytes; `fault`: over the same, what is wrong with the
    bytes in one clause, or null; None: `wrong` knows it.

    From the SQL of what `parsed` gave: `value`, the value; `members`, what its fields, in the form of their types, are
    members of; `wrong`, what is wrong with it in one clause, or null; None: `fault` says all.
    """

    parsed: str
    fault: str | None
    value: Callable[[str], str] = _itself
    members: Callable[[str], str] = _itself
    wrong: Callable[[str], str] | None = None


# The byte of `}`, which is not part of any other character.
_BRACE = "X'7D'"


def typed(encoding: Decoding, column: str, type: DataType | None) -> Typed:
    """How the bytes in a column are read as a value of a type, which may have fewer fields than the facet. None: the
    value is not read, and `parsed` is null, or what is wrong with the bytes.
    """
    parts = encoding.parts(column)
    if type is None:
        if parts is None:
            return Typed(_known(column, f"({encoding.read(column)}).wrong"), None, wrong=_itself)
        return Typed("CAST(NULL AS STRING)", _known(column, parts[1]))
    if parts is None:
        found = (("of", _in_object("_f.json", type)), ("wrong", _exact("_f.wrong", *_object_around("_f.json", type))))
        parsed = _known(column, f"get(transform(array({encoding.read(column)}), _f -> {struct(found)}), 0)")
        return _typed_member(parsed, None, "of", type, lambda parsed: f"{parsed}.wrong")
    json, wrong = parts
    # A text that has the names in another case, and is not strict JSON, must not lose any.
    json = encoding.fields_of(column, type, text(_NO_JSON)) or json
    fault = _known(column, wrong)
    match encoding.content:
        case "json" if isinstance(type, Struct) and type.fields:
            # `from_json` reads no further than the end of an object. That nothing is behind it is known without a
            # second look where the only brace that ends one is the last byte.
            closed = f"endswith({column}, {_BRACE})"
            before = f"substring({column}, 1, octet_length({column}) - 1)"
            fault = f"if({closed} AND NOT contains({before}, {_BRACE}) AND is_valid_utf8({column}), NULL, {fault})"
            # Spark interprets what `from_json` is given, and trims by a list of all characters of the text. What ends
            # with a brace is not the word null, and `from_json` itself passes over blanks before an object.
            return _object(f"if({closed}, {json}, {_not_null(json)})", _exact(fault, json, type), type)
        case "object" if isinstance(type, Struct):
            return _object(_not_null(json), fault, type)
        case "text":
            return Typed(f"CAST({column} AS STRING)", fault)
        case "scalar":
            return Typed(_known(column, f"CAST({json} AS {type_text('spark', type)})"), fault)
    fault = _exact(fault, *_object_around(json, type))
    return _typed_member(_known(column, _in_object(json, type)), fault, None, type)


def _known(column: str, sql: str) -> str:
    return f"if({column} IS NULL, NULL, {sql})"


def _not_null(json: str) -> str:
    """A text of JSON, or null where it is `null`."""
    return f"nullif(trim(BOTH {_BLANKS} FROM {json}), 'null')"


def _exact(fault: str, json: str, type: Struct) -> str:
    """SQL of what is wrong with the text of an object of which `fault` says what is wrong at first sight: a text in
    doubt is looked at as a whole.
    """
    doubt, half = doubtful(json, type), broken(json, type)
    if half is not None:
        fault = f"if({half}, coalesce({fault}, 'expected JSON'), {fault})"
    return fault if doubt is None else f"if({doubt}, coalesce({fault}, {reason_of(judged(type), json)}), {fault})"


def _object_around(json: str, type: DataType) -> tuple[str, Struct]:
    """The text of an object with a value as its member `v`, and its type: `from_json` takes no other values."""
    return f"concat('{{\"v\":', {json}, '}}')", Struct((Field("v", type),))


def _object(json: str, fault: str, type: Struct) -> Typed:
    """A text that is an object, or null, is parsed as it is."""
    corrupt = _unused(type)
    parsed = _from_json(json, type, corrupt)
    return Typed(
        parsed,
        fault,
        lambda parsed: value(parsed, type, whole=True),
        wrong=lambda parsed: _unfit(parsed, type, corrupt),
    )


def _in_object(json: str, type: DataType) -> str:
    return _from_json(*_object_around(json, type), _CORRUPT)


def _typed_member(
    parsed: str, fault: str | None, of: str | None, type: DataType, wrong: Callable[[str], str] | None = None
) -> Typed:
    """A value that was parsed as the member `v` of an object, the member `of` of what `parsed` gives, or all of it."""
    around = Struct((Field("v", type),))

    def whole(parsed: str) -> str:
        return parsed if of is None else f"{parsed}.{of}"

    def problem(parsed: str) -> str:
        unfit = _unfit(whole(parsed), around, _CORRUPT)
        return unfit if wrong is None else f"coalesce({wrong(parsed)}, {unfit})"

    return Typed(
        parsed, fault, lambda parsed: value(f"{whole(parsed)}.v", type), lambda parsed: f"{whole(parsed)}.v", problem
    )


def _from_json(json: str, type: Struct, corrupt: str) -> str:
    schema = type_text("spark", Struct((*form(type).fields, Field(corrupt, data.STRING))))
    options = f"map('columnNameOfCorruptRecord', {text(corrupt)}, 'allowSingleQuotes', 'false')"
    return f"from_json({rewritten(json, for_spark(type))}, {text(schema)}, {options})"


def _unfit(parsed: str, type: Struct, corrupt: str) -> str:
    wrong = f"{parsed}.{ticked(corrupt)} IS NOT NULL"
    other = unfit(parsed, type)
    return f"if({wrong if other is None else f'{wrong} OR coalesce({other}, FALSE)'}, {text(_UNFIT)}, NULL)"


def _unused(type: Struct) -> str:
    """A name that no field has."""
    name, taken = _CORRUPT, {f.name.lower() for f in type.fields}
    while name in taken:
        name += "_"
    return name
