"""The rows of a query as a table of text, as lines of JSON and as CSV.

Values are written as in `lsqlc show`. The bounds of a windowed key are times in text and CSV, epoch milliseconds in
JSON.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from lsqlc.golden.show import plural
from lsqlc.report.csv_rows import csv_cell, csv_row
from lsqlc.report.frames import arrow_array, package
from lsqlc.report.tables import Column, cell_text, plain, table_lines, time_text
from lsqlc.types import codec
from lsqlc.types.codec_text import quoted
from lsqlc.types.data import DataType, is_numeric
from lsqlc.types.record import Record

if TYPE_CHECKING:
    import pandas
    import pyarrow

# Cells of a line of an answer's text.
_WIDTH = 120


@dataclass(frozen=True, slots=True)
class AnswerColumn:
    """`facet`: `key` or `value`; `field` None: the whole facet. `is_window_bound`: epoch milliseconds of a window."""

    name: str
    type: DataType
    facet: str
    field: str | None
    is_window_bound: bool = False

    def value(self, record: Record) -> Any:
        """Return the value of this column in a record; None if its facet is null."""
        whole = record.key if self.facet == "key" else record.value
        return whole if self.field is None or whole is None else whole.get(self.field)


@dataclass(frozen=True, slots=True)
class Answer:
    """The first rows of a query, with a value for each column. `total`: how many rows it has."""

    columns: tuple[AnswerColumn, ...]
    rows: tuple[tuple[Any, ...], ...]
    total: int

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Yield each row as a mapping of the names of the columns to values."""
        names = [column.name for column in self.columns]
        return (dict(zip(names, row, strict=True)) for row in self.rows)

    def __str__(self) -> str:
        return answer_text(self, _WIDTH)

    def first(self, count: int) -> Answer:
        """Return the answer with its first `count` rows."""
        return replace(self, rows=self.rows[:count])

    def to_arrow(self) -> pyarrow.Table:
        """Return a table of Arrow with the columns' types. Raises LsqlcError LSQ694 without the package pyarrow."""
        arrow = package("pyarrow")
        cells = zip(*self.rows, strict=True) if self.rows else ((),) * len(self.columns)
        arrays = [arrow_array(column.type, values, arrow) for column, values in zip(self.columns, cells, strict=True)]
        return arrow.table(arrays, names=[column.name for column in self.columns])

    def to_pandas(self) -> pandas.DataFrame:
        """Return a data frame of pandas. Raises LsqlcError LSQ694 without the packages pandas and pyarrow."""
        package("pandas", "pyarrow")
        return self.to_arrow().to_pandas()


class AnswerTable:
    """A table of rows that come bit by bit: its columns become wider, and cells that do not fit are cut."""

    def __init__(self, width: int) -> None:
        self._width = width
        self._widest: tuple[int, ...] = ()

    def lines(self, answer: Answer) -> Iterator[str]:
        """Yield the lines of further rows. The headings precede the first one."""
        columns = list(_text_columns(answer))
        widest = self._widest or (0,) * len(columns)
        padded = [replace(column, least=least) for column, least in zip(columns, widest, strict=True)]
        lines = list(table_lines(padded, self._width))
        yield from lines[2 : 2 + len(answer)] if self._widest else lines
        self._widest = tuple(column.width for column in padded)


def answer_text(answer: Answer, width: int) -> str:
    """Return a table of lines of at most `width` cells, and how many rows there are."""
    lines = list(table_lines(list(_text_columns(answer)), width))
    left = answer.total - len(answer.rows)
    lines.append(f"({plural(answer.total, 'row')}{f', of which {_shown(len(answer.rows))}' if left else ''})")
    return "\n".join(lines)


def answer_json(answer: Answer) -> Iterator[str]:
    """Return a JSON object for each row, by the names of the columns."""
    names = [quoted(column.name) for column in answer.columns]
    types = [column.type for column in answer.columns]
    for row in answer.rows:
        values = ("null" if v is None else codec.encode_text(t, v) for t, v in zip(types, row, strict=True))
        yield "{" + ",".join(f"{name}:{value}" for name, value in zip(names, values, strict=True)) + "}"


def answer_csv(answer: Answer) -> Iterator[str]:
    """Return the line of the names, and one for each row. Null is an empty cell, an empty text is `""`."""
    yield csv_row([column.name for column in answer.columns])
    yield from csv_rows(answer)


def csv_rows(answer: Answer) -> Iterator[str]:
    """Return the lines of `answer_csv` without the names."""
    for row in answer.rows:
        yield csv_row(
            [
                time_text(v) if c.is_window_bound and v is not None else csv_cell(c.type, v)
                for c, v in zip(answer.columns, row, strict=True)
            ]
        )


def _text_columns(answer: Answer) -> Iterator[Column]:
    for i, column in enumerate(answer.columns):
        yield Column(plain(column.name), tuple(_text(column, row[i]) for row in answer.rows), _is_number(column))


def _shown(count: int) -> str:
    return "1 is shown" if count == 1 else f"{count:,} are shown"


def _text(column: AnswerColumn, value: Any) -> str:
    return time_text(value) if column.is_window_bound and value is not None else cell_text(column.type, value)


def _is_number(column: AnswerColumn) -> bool:
    return is_numeric(column.type) and not column.is_window_bound
