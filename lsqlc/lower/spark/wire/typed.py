"""SQL that decodes the key and the value of a Kafka record from their bytes into typed values.

Rows take less time this way than through a line of JSON (see `records`).

A facet (the key or the value of a record) is decoded in two steps. The first step parses the bytes once, into a column
(see `lsqlc.lower.spark.scan_decoding`). The second step takes the value and the problem from that column.

`from_json` runs in mode PERMISSIVE, and reports a text that does not fit the type in the column of corrupt records. The
error of mode FAILFAST would not have the position of the record. The result has the types of `json_forms.form`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from lsqlc.formats.encoding import Decoding
from lsqlc.formats.json.spark import rewritten
from lsqlc.formats.json.spark_numbers import for_spark
from lsqlc.functions.forms.engine_types import type_text
from lsqlc.lower.spark.validity import reason_of
from lsqlc.lower.spark.wire.json_forms import (
    broken_condition,
    checked_fields,
    form,
    suspect_condition,
    unfit_condition,
    value,
)
from lsqlc.sql.spark import struct, text, ticked
from lsqlc.types import data
from lsqlc.types.data import DataType, Field, Struct

# The problem of a text that is JSON, but not of the type.
_UNFIT = "does not match the fields that are read"
_BLANKS = r"' \t\n\r'"
# A text that fits no type.
_NO_JSON = "!"
# The field of the parsed struct for a text that does not fit.
_CORRUPT = "_corrupt"


def _identity(parsed: str) -> str:
    return parsed


@dataclass(frozen=True, slots=True)
class FacetDecoding:
    """The SQL that decodes a facet, in two steps.

    Expressions over the column of the bytes:

    - `parsed`: the result of the first step.
    - `bytes_problem`: the problem of the bytes as one clause, or null. None if `parsed_problem` includes it.

    Functions from the SQL of the column with the result of `parsed` to SQL:

    - `value`: the value.
    - `members`: the struct whose fields are those of the value, with the types of `json_forms.form`.
    - `parsed_problem`: the problem of the value as one clause, or null. None if `bytes_problem` includes it.
    """

    parsed: str
    bytes_problem: str | None
    value: Callable[[str], str] = _identity
    members: Callable[[str], str] = _identity
    parsed_problem: Callable[[str], str] | None = None


# The byte of `}`. It occurs in no longer UTF-8 sequence.
_BRACE = "X'7D'"


def facet_decoding(encoding: Decoding, column: str, type: DataType | None) -> FacetDecoding:
    """Return the SQL that decodes the bytes in a column into a value of a type.

    The type may have fewer fields than the facet. None: no query reads the value. The bytes are checked even then.
    """
    parts = encoding.parts(column)
    if type is None:
        if parts is None:
            problem = _unless_null(column, f"({encoding.read(column)}).wrong")
            return FacetDecoding(problem, None, parsed_problem=_identity)
        return FacetDecoding("CAST(NULL AS STRING)", _unless_null(column, parts[1]))
    if parts is None:
        result = (
            ("of", _parsed_member("_f.json", type)),
            ("wrong", _exact_problem("_f.wrong", *_wrapped("_f.json", type))),
        )
        parsed = _unless_null(column, f"get(transform(array({encoding.read(column)}), _f -> {struct(result)}), 0)")
        return _member_decoding(parsed, None, "of", type, lambda parsed: f"{parsed}.wrong")
    json, problem = parts
    # `fields_of` corrects the letter case of names. A text that it cannot read must be reported, or fields get lost.
    json = encoding.fields_of(column, type, text(_NO_JSON)) or json
    problem = _unless_null(column, problem)
    match encoding.content:
        case "json" if isinstance(type, Struct) and type.fields:
            # `from_json` stops at the end of an object, so that text after it has to be looked for. There is none if
            # the only closing brace is the last byte.
            closed = f"endswith({column}, {_BRACE})"
            before = f"substring({column}, 1, octet_length({column}) - 1)"
            problem = f"if({closed} AND NOT contains({before}, {_BRACE}) AND is_valid_utf8({column}), NULL, {problem})"
            # TRIM is slow here: Spark interprets the argument of `from_json`, and lists all characters of the text. A
            # text that ends with a brace needs none: it is not `null`, and `from_json` skips blanks before an object.
            object_or_null = f"if({closed}, {json}, {_json_or_null(json)})"
            return _object_decoding(object_or_null, _exact_problem(problem, json, type), type)
        case "object" if isinstance(type, Struct):
            return _object_decoding(_json_or_null(json), problem, type)
        case "text":
            return FacetDecoding(f"CAST({column} AS STRING)", problem)
        case "scalar":
            return FacetDecoding(_unless_null(column, f"CAST({json} AS {type_text('spark', type)})"), problem)
    problem = _exact_problem(problem, *_wrapped(json, type))
    return _member_decoding(_unless_null(column, _parsed_member(json, type)), problem, None, type)


def _unless_null(column: str, sql: str) -> str:
    return f"if({column} IS NULL, NULL, {sql})"


def _json_or_null(json: str) -> str:
    """Return the SQL of a JSON text, which is a null for the text `null`."""
    return f"nullif(trim(BOTH {_BLANKS} FROM {json}), 'null')"


def _exact_problem(problem: str, json: str, type: Struct) -> str:
    """Return the SQL of the problem of the JSON text of an object, or null.

    `problem`: the SQL of the problem that a fast check has found. Texts for which that check is not exact are parsed
    as a variant, which is slower (see `lsqlc.lower.spark.validity`).
    """
    suspect, broken = suspect_condition(json, type), broken_condition(json, type)
    if broken is not None:
        problem = f"if({broken}, coalesce({problem}, 'expected JSON'), {problem})"
    if suspect is None:
        return problem
    return f"if({suspect}, coalesce({problem}, {reason_of(checked_fields(type), json)}), {problem})"


def _wrapped(json: str, type: DataType) -> tuple[str, Struct]:
    """Return the JSON text and the type of an object with a value as its only field, `v`.

    `from_json` reads no numbers, strings and BOOLEANs outside of an object.
    """
    return f"concat('{{\"v\":', {json}, '}}')", Struct((Field("v", type),))


def _object_decoding(json: str, bytes_problem: str, type: Struct) -> FacetDecoding:
    """Return the decoding of a JSON text that is an object or null."""
    corrupt = _unused_name(type)
    parsed = _from_json(json, type, corrupt)
    return FacetDecoding(
        parsed,
        bytes_problem,
        lambda parsed: value(parsed, type, has_more_fields=True),
        parsed_problem=lambda parsed: _unfit(parsed, type, corrupt),
    )


def _parsed_member(json: str, type: DataType) -> str:
    return _from_json(*_wrapped(json, type), _CORRUPT)


def _member_decoding(
    parsed: str,
    bytes_problem: str | None,
    path: str | None,
    type: DataType,
    earlier: Callable[[str], str] | None = None,
) -> FacetDecoding:
    """Return the decoding of a value that was parsed by `_parsed_member`.

    `path`: the field of the column `parsed` with that result; None: the column itself. `earlier`: from the column to
    the SQL of a problem that takes precedence.
    """
    wrapper = Struct((Field("v", type),))

    def outer(parsed: str) -> str:
        return parsed if path is None else f"{parsed}.{path}"

    def parsed_problem(parsed: str) -> str:
        unfit = _unfit(outer(parsed), wrapper, _CORRUPT)
        return unfit if earlier is None else f"coalesce({earlier(parsed)}, {unfit})"

    return FacetDecoding(
        parsed,
        bytes_problem,
        lambda parsed: value(f"{outer(parsed)}.v", type),
        lambda parsed: f"{outer(parsed)}.v",
        parsed_problem,
    )


def _from_json(json: str, type: Struct, corrupt: str) -> str:
    schema = type_text("spark", Struct((*form(type).fields, Field(corrupt, data.STRING))))
    options = f"map('columnNameOfCorruptRecord', {text(corrupt)}, 'allowSingleQuotes', 'false')"
    return f"from_json({rewritten(json, for_spark(type))}, {text(schema)}, {options})"


def _unfit(parsed: str, type: Struct, corrupt: str) -> str:
    """Return the SQL of the problem of a struct from `_from_json`, or null."""
    condition = f"{parsed}.{ticked(corrupt)} IS NOT NULL"
    unfit = unfit_condition(parsed, type)
    return f"if({condition if unfit is None else f'{condition} OR coalesce({unfit}, FALSE)'}, {text(_UNFIT)}, NULL)"


def _unused_name(type: Struct) -> str:
    """Return a name for the column of corrupt records that no field has."""
    name, field_names = _CORRUPT, {f.name.lower() for f in type.fields}
    while name in field_names:
        name += "_"
    return name
