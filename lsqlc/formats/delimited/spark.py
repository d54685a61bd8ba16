"""The format DELIMITED of ksqlDB by Spark's own functions: the columns of a facet are one row of CSV (see
`formats.delimited.rows`).

An empty cell is null. A DATE is a number of days since 1970, a TIME and a TIMESTAMP are milliseconds, BYTES are base64.
`lsqlc.formats.delimited.codec` is the same for the client.
"""

from __future__ import annotations

import re
import string
from dataclasses import dataclass

from lsqlc.formats.delimited import rows as rows
from lsqlc.formats.encoding import Encoding, base64_of, outcome
from lsqlc.sql.spark import text, ticked
from lsqlc.types import codec_text, data
from lsqlc.types.data import DataType, Field, Struct

_INTEGER = "^-?[0-9]{1,19}$"
_NUMBER = "^-?([0-9]+([.][0-9]*)?|[.][0-9]+)([eE][-+]?[0-9]+)?$"

# The characters of numbers, BOOLEAN and BYTES.
_NO_TEXT = string.ascii_letters + string.digits + "+-./="


@dataclass(frozen=True, slots=True)
class Delimited(Encoding):
    """A row of a struct's fields, or of one column. `delimiter`: one character, which is not a quote and not the end of
    a row.
    """

    type: DataType
    delimiter: str

    @property
    def _fields(self) -> tuple[Field, ...]:
        return self.type.fields if isinstance(self.type, Struct) else (Field("", self.type),)

    def read(self, column: str) -> str:
        """Return the SQL of `Encoding.read`: a row is parsed once, for all of its cells."""
        row = f"trim(BOTH {text(rows.LINE_ENDS)} FROM CAST({column} AS STRING))"
        between = text(self.delimiter)
        # The delimiter is behind each cell.
        cell = f"({rows.cell(self.delimiter)}){re.escape(self.delimiter)}"
        cells = f"regexp_extract_all(concat(_row, {between}), {text(cell)}, 1)"
        values = [_json(f"_cells[{n}]", field.type) for n, field in enumerate(self._fields)]
        if isinstance(self.type, Struct):
            names = [text(f"{',' if n else '{'}{codec_text.quoted(f.name)}:") for n, f in enumerate(self._fields)]
            pairs = ", ".join(f"{name}, {value}" for name, value in zip(names, values, strict=True))
            json = f"concat({pairs}, '}}')"
        else:
            json = values[0]
        # The pattern may match less than the whole row.
        covers_row = f"length(array_join(_cells, {between})) = length(_row)"
        fits = f"is_valid_utf8({column}) AND size(_cells) = {len(self._fields)} AND {covers_row}"
        wrong = text(f"expected {len(self._fields)} cell{'s' * (len(self._fields) != 1)}")
        result = outcome(f"if({fits}, {json}, NULL)", f"if({fits}, NULL, {wrong})")
        inner = f"get(transform(array({cells}), _cells -> {result}), 0)"
        return f"get(transform(array({row}), _row -> {inner}), 0)"

    def bytes(self, value: str) -> str:
        """Return the SQL of `Encoding.bytes`."""
        is_struct = isinstance(self.type, Struct)
        values = [(f"{value}.{ticked(f.name)}" if is_struct else value, f.type) for f in self._fields]
        cells = [_cell(value, type, self.delimiter, first=n == 0) for n, (value, type) in enumerate(values)]
        return f"CAST(concat_ws({text(self.delimiter)}, {', '.join(cells)}) AS BINARY)"


def _json(cell: str, type: DataType) -> str:
    """SQL of the JSON text of a cell. A text that is not a value of its type becomes a JSON string, which the check of
    the line reports.
    """
    inside = f"regexp_replace(substring({cell}, 2), {text(rows.end_of_quotes())}, '')"
    plain = f"if(startswith({cell}, '\"'), replace({inside}, '\"\"', '\"'), {cell})"
    return f"get(transform(array({plain}), _c -> if(_c = '', 'null', {_value('_c', type)})), 0)"


def _value(cell: str, type: DataType) -> str:
    array = f"to_json(array({cell}))"
    quoted = f"substring({array}, 2, length({array}) - 2)"
    if type in (data.STRING, data.BYTES):
        return quoted
    if type == data.BOOLEAN:
        return f"if(lower({cell}) IN ('true', 'false'), lower({cell}), {quoted})"
    if type == data.DATE:
        day = f"concat('\"', date_format(date_from_unix_date(CAST({cell} AS INT)), 'yyyy-MM-dd'), '\"')"
        return f"if({cell} RLIKE '^-?[0-9]{{1,7}}$', {day}, {quoted})"
    if type == data.TIME:
        return f"if({cell} RLIKE '^[0-9]{{1,12}}$', CAST(CAST({cell} AS BIGINT) * 1000 AS STRING), {quoted})"
    if type == data.TIMESTAMP:
        instant = f"date_format(timestamp_millis(CAST({cell} AS BIGINT)), 'yyyy-MM-dd\\'T\\'HH:mm:ss.SSS')"
        words = f"concat('\"', regexp_replace({instant}, '[.]?0*$', ''), 'Z\"')"
        return f"if({cell} RLIKE '^-?[0-9]{{1,15}}$', {words}, {quoted})"
    if type in (data.FLOAT, data.DOUBLE):
        return f"if({cell} RLIKE {text(_NUMBER)} , CAST(CAST({cell} AS DOUBLE) AS STRING), {quoted})"
    pattern = _INTEGER if type in (data.INT, data.BIGINT) else _NUMBER
    return f"if({cell} RLIKE {text(pattern)}, {cell}, {quoted})"


def _cell(value: str, type: DataType, delimiter: str, *, first: bool) -> str:
    """SQL of a cell as it stands in a row, empty for a null: in quotes where it needs them. `first`: in the row."""
    plain = f"coalesce({_plain(value, type)}, '')"
    if type != data.STRING and delimiter not in _NO_TEXT and not first:
        return plain
    needs = f"{plain} RLIKE {text(rows.quoted(delimiter, first=first))}"
    return f"if({needs}, concat('\"', replace({plain}, '\"', '\"\"'), '\"'), {plain})"


def _plain(value: str, type: DataType) -> str:
    """SQL of the text of a value, null for a null."""
    match type:
        case data.DATE:
            return f"CAST(unix_date({value}) AS STRING)"
        case data.TIME:
            return f"CAST({value} DIV 1000 AS STRING)"
        case data.TIMESTAMP:
            return f"CAST(unix_millis({value}) AS STRING)"
        case data.BYTES:
            return base64_of(value)
        case data.STRING:
            return value
    return f"CAST({value} AS STRING)"
