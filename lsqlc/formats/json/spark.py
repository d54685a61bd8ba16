"""JSON by Spark's own functions: the bytes of a record both ways, and whether a text is JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Self

from lsqlc.formats.encoding import Content, Encoding
from lsqlc.formats.json.numbers import Rewriting, of_ksqldb
from lsqlc.formats.json.spark_any_case import spelled
from lsqlc.formats.json.spark_numbers import for_spark
from lsqlc.formats.registered import HEAD
from lsqlc.functions.forms.json_values import json_of
from lsqlc.sql.spark import text
from lsqlc.types.data import DataType


@dataclass(frozen=True, slots=True)
class Json(Encoding):
    """JSON text of strictly one value: a text of several values would change the line around it.

    The text may follow the ID of a JSON Schema in a registry. `ksql_json`: the JSON of ksqlDB, whose members have the
    names of fields in any case. Without a JSON Schema it also has other forms of numbers and times (see
    `formats.json.numbers`).
    """

    type: DataType
    ksql_json: bool = field(default=False, kw_only=True)

    @property
    def content(self) -> Content:
        """As `Encoding.content`."""
        return "json"

    def as_ksqldb(self) -> Self:
        """Return the encoding of `Encoding.as_ksqldb`."""
        return replace(self, ksql_json=True)

    def fields_of(self, column: str, type: DataType, otherwise: str) -> str | None:
        """Return the SQL of `Encoding.fields_of`, for the names that are read."""
        return self.own_form(column, type, otherwise) if self.ksql_json else None

    def parts(self, column: str) -> tuple[str, str]:
        """Return the SQL of `Encoding.parts`."""
        json = self.own_form(column, self.type) if self.ksql_json else self.text(column)
        return json, f"if({is_one_value(self.text(column))}, NULL, 'expected JSON')"

    def own_form(self, column: str, type: DataType, otherwise: str | None = None) -> str:
        """SQL of a text of ksqlDB in the language's own form. `type`: the fields that are read; `otherwise`: as for
        `spelled`. Numbers are rewritten by the types of all fields, as by the client.
        """
        json = self.text(column)
        if self.has_numbers_of_ksqldb:
            json = rewritten(rewritten(json, of_ksqldb(self.type)), for_spark(self.type, any_case=True))
        names = spelled("_n", type, otherwise)
        return json if names == "_n" else f"get(transform(array({json}), _n -> {names}), 0)"

    @property
    def has_numbers_of_ksqldb(self) -> bool:
        """Whether numbers and times have ksqlDB's forms."""
        return self.ksql_json

    def text(self, column: str) -> str:
        """SQL of the text without the id of a schema."""
        # No JSON text begins with a byte 0.
        body = f"substring({column}, {HEAD + 1}, octet_length({column}))"
        return f"CAST(if(substring({column}, 1, 1) = X'00', {body}, {column}) AS STRING)"

    def bytes(self, value: str) -> str:
        return f"CAST({json_of(value, self.type, times_as_numbers=self.has_numbers_of_ksqldb)} AS BINARY)"


def rewritten(json: str, rewritings: Sequence[Rewriting]) -> str:
    """SQL of a JSON text after all rewritings, which do not change most texts."""
    if not rewritings:
        return json
    if not json.isidentifier():
        # It is evaluated once.
        return f"get(transform(array({json}), _j -> {rewritten('_j', rewritings)}), 0)"
    result = json
    for rewriting in rewritings:
        result = f"regexp_replace({result}, {text(rewriting.pattern)}, {text(rewriting.replacement)})"
    occurs = "|".join(r.occurs or r.pattern for r in rewritings)
    return f"if({json} RLIKE {text(occurs)}, {result}, {json})"


def is_one_value(json: str) -> str:
    """SQL of whether a text is strictly one JSON value in UTF-8, apart from white space around it; false for NULL.

    Spark's parser stops at the end of a value and ignores the rest, so the elements of a list are counted. One value is
    one element, unless the text closes the list by a bracket of its own. Such a text has the same count with another
    element behind it, and one more with another element before it. Two counts take half the time of a comparison of
    the names of an object with a name that the text cannot contain.
    """
    before = f"json_array_length(concat('[', {json}, ',0]')) <=> 2"
    behind = f"json_array_length(concat('[0,', {json}, ']')) <=> 2"
    # Spark's functions of JSON pass over broken characters.
    return f"is_valid_utf8({json}) AND {before} AND (instr({json}, ']') = 0 OR {behind})"
