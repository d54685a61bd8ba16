"""The format DELIMITED of ksqlDB: the columns of a facet as one row of CSV (see `formats.delimited.rows`).

An empty cell is null, so an empty STRING is read as null. A row of no bytes is also null for one column. A DATE is a
number of days since 1970. A TIME and a TIMESTAMP are milliseconds, BYTES are base64. A DECIMAL has all digits of its
scale, and FLOAT and DOUBLE have Java's text.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import Any

from lsqlc.formats.delimited import rows as rows
from lsqlc.formats.primitive import codec as primitives
from lsqlc.formats.primitive.codec import Decode, Encode
from lsqlc.functions.forms.cast_forms import double_text, float_text
from lsqlc.types import cells, codec, codec_text, data
from lsqlc.types.codec import Problem, ValueProblems
from lsqlc.types.codec_text import shown
from lsqlc.types.data import DataType, Decimal, Field, Struct

_NUMBER = re.compile(r"-?[0-9]{1,19}", re.ASCII)
_FIRST_DAY = date(1970, 1, 1)
# Types whose cell is a whole number that counts something.
_COUNTED = (data.DATE, data.TIME, data.TIMESTAMP)


def encoder(type: DataType, delimiter: str) -> Encode:
    """Return the function from a value in its normal form, not None, to the row: of a struct's fields, or of one
    column.

    `delimiter`: one character, which is not a quote and not the end of a row.
    """
    quoted = _quoting(delimiter, first=False)
    first = _quoting(delimiter, first=True)
    columns = _columns(type)
    writers = [(field.name, _writer(field.type)) for field in columns]
    if not isinstance(type, Struct):
        write = writers[0][1]
        return lambda value: first(write(value)).encode()

    def encode(value: Any) -> bytes:
        row = ["" if (cell := value[name]) is None else write(cell) for name, write in writers]
        return delimiter.join((first(row[0]), *map(quoted, row[1:]))).encode()

    return encode


def decoder(type: DataType, path: str, delimiter: str) -> Decode:
    """Return the function from a row to the value. It raises ValueProblems.

    The problems are all cells that are invalid for their column's type, or a wrong number of cells. The type has all
    columns of the topic, because they are identified by their positions. `delimiter`: as of `encoder`.
    """
    columns = _columns(type)
    is_struct = isinstance(type, Struct)
    paths = [f"{path}.{data.quote(f.name)}" if is_struct else path for f in columns]
    readers = [_reader(f, where) for f, where in zip(columns, paths, strict=True)]
    names = [f.name for f in columns]
    cells_of = _cutting(delimiter)

    def decode(raw: bytes) -> Any:
        row = cells_of(primitives.text(raw, type, path))
        if row is None or len(row) != len(readers):
            actual = "text that is not a row" if row is None else f"{len(row)}"
            expected = f"{len(readers)} cell{'s' * (len(readers) != 1)}"
            raise ValueProblems([Problem(path, f"expected {expected}, found {actual}")])
        problems: list[Problem] = []
        values = [read(cell, problems) for read, cell in zip(readers, row, strict=True)]
        if problems:
            raise ValueProblems(problems)
        return dict(zip(names, values, strict=True)) if is_struct else values[0]

    return decode


def _columns(type: DataType) -> tuple[Field, ...]:
    return type.fields if isinstance(type, Struct) else (Field("", type),)


def _cutting(delimiter: str) -> Callable[[str], list[str] | None]:
    """Return the function from a text to the cells of its row, or None for a text that is no row."""
    pattern = re.compile(rf"({rows.cell(delimiter)})({re.escape(delimiter)}|\Z)")

    def cells_of(text: str) -> list[str] | None:
        text = text.strip(rows.LINE_ENDS)
        row, at = [], 0
        while (cell := pattern.match(text, at)) is not None:
            row.append(_content(cell[1]))
            if not cell[2]:
                return row
            at = cell.end()
        return None

    return cells_of


def _content(cell: str) -> str:
    return cell[1 : cell.rindex('"')].replace('""', '"') if cell.startswith('"') else cell


def _quoting(delimiter: str, *, first: bool) -> Callable[[str], str]:
    """Return the function from a cell to its text in a row, quoted if needed. `first`: for the first cell."""
    pattern = re.compile(rows.quoted(delimiter, first=first))
    return lambda cell: '"' + cell.replace('"', '""') + '"' if pattern.search(cell) else cell


def _writer(type: DataType) -> Callable[[Any], str]:
    if type == data.STRING:
        return str
    if type == data.BOOLEAN:
        return lambda value: "true" if value else "false"
    if type == data.BYTES:
        return codec_text.base64_text
    if type == data.DATE:
        return lambda value: str((value - _FIRST_DAY).days)
    if type == data.TIME:
        return lambda value: str(value // 1000)
    if type == data.TIMESTAMP:
        return lambda value: str(codec_text.millis_of_timestamp(value))
    if isinstance(type, Decimal):
        return codec_text.decimal_text
    if type in (data.FLOAT, data.DOUBLE):
        return float_text if type == data.FLOAT else double_text
    return str


def _reader(field: Field, path: str) -> Callable[[str, list[Problem]], Any]:
    parse = _parser(field.type)

    def read(cell: str, problems: list[Problem]) -> Any:
        if not cell:
            if not field.nullable:
                problems.append(Problem(path, f"expected {field.type} NOT NULL, found null"))
            return None
        value = parse(cell)
        if value is None:
            problems.append(Problem(path, f"expected {field.type}, found {shown(cell)}"))
        return value

    return read


def _parser(type: DataType) -> Callable[[str], Any]:
    """Return the function from the text of a cell to its value, or None for a text that is no value."""
    if type == data.STRING:
        return str
    if type in _COUNTED:
        return lambda cell: _counted(type, int(cell)) if _NUMBER.fullmatch(cell) else None
    if type == data.BYTES:
        return codec_text.parse_base64
    return lambda cell: _number(type, cell) if cells.is_cell(type, cell) else None


def _number(type: DataType, cell: str) -> Any:
    """Return the value of a cell that has the form of its type, a number or a BOOLEAN."""
    if type == data.BOOLEAN:
        return cell.lower() == "true"
    if isinstance(type, Decimal):
        return codec_text.parse_decimal(cell, type.precision, type.scale)
    if type not in (data.FLOAT, data.DOUBLE):
        return int(cell)
    word = codec_text.parse_float_word(cell)
    value, problems = codec.check(type, float(cell) if word is None else word)
    return None if problems else value


def _counted(type: DataType, count: int) -> Any:
    try:
        if type == data.DATE:
            return _FIRST_DAY + timedelta(days=count)
        if type == data.TIME:
            return count * 1000 if 0 <= count < 86_400_000 else None
        return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=count)
    except OverflowError:
        return None
