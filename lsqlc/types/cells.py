"""The text of a cell in a CSV file: which texts are values of a type. Both engines check it by the same patterns.

No white space is taken off. A time without a zone is in UTC. An integer has no point, a DECIMAL no exponent.
"""

from __future__ import annotations

import re
from datetime import datetime

from lsqlc.types import codec_text, data
from lsqlc.types.data import DataType, Decimal, Primitive

_NUMBER = r"[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)"
_DAY = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
_PATTERNS = {
    data.BOOLEAN: "([tT][rR][uU][eE]|[fF][aA][lL][sS][eE])",
    data.INT: "[+-]?[0-9]{1,25}",
    data.BIGINT: "[+-]?[0-9]{1,25}",
    data.FLOAT: _NUMBER + "([eE][+-]?[0-9]{1,3})?|NaN|Infinity|-Infinity",
    data.DOUBLE: _NUMBER + "([eE][+-]?[0-9]{1,3})?|NaN|Infinity|-Infinity",
    data.DATE: _DAY,
    data.TIMESTAMP: _DAY + "[T ][0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]{1,6})?)?(Z|[+-][0-9]{2}:[0-9]{2})?",
    data.BYTES: "([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?",
}


def pattern(type: DataType) -> str | None:
    """What the whole text of a cell has to match, for Python, Java and RE2 alike; None: any text will do."""
    if isinstance(type, Decimal):
        whole = type.precision - type.scale
        return f"[+-]?0*[0-9]{{0,{whole}}}([.][0-9]{{0,{type.scale}}}0*)?"
    return _PATTERNS.get(type) if isinstance(type, Primitive) else None


def delimited(delimiter: str) -> str:
    """A delimiter and the cell behind it, which is a group: in quotes, in which two stand for one, or without any."""
    mark = re.escape(delimiter)
    return f'{mark}("(?:[^"]|"")*"|[^"{mark}]*)'


def is_cell(type: DataType, text: str) -> bool:
    """Whether a text is a value of the type; False for a type that no cell can hold."""
    wanted = pattern(type)
    if wanted is None:
        return type == data.STRING
    if not re.fullmatch(wanted, text) or not text:
        return False
    if type in (data.INT, data.BIGINT):
        bits = 31 if type == data.INT else 63
        return -(1 << bits) <= int(text) < (1 << bits)
    if type == data.DATE:
        return codec_text.parse_date(text) is not None
    if type == data.TIMESTAMP:
        try:
            datetime.fromisoformat(text)
        except ValueError:
            return False
    if isinstance(type, Decimal):
        return any(c.isdigit() for c in text)
    return True
