"""Conversion of a row's columns from a connector's JSON to the JSON of the language, by patterns on the row's text.

The client and Spark share the patterns.

The forms of a column:

- TIMESTAMP and TIME as `millis`, `micros` or `nanos`: a number, or text in the form of ISO 8601
- TIMESTAMP and TIME as `text`: text in the form of ISO 8601
- DECIMAL as `base64`: the base64 of the unscaled number in two's complement
- DECIMAL as `text` or `number`: a number in quotes, or a number

A value in another form stays as it is, and is then invalid for its type. A number without a declared unit is a fault.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache

from lsqlc.formats.debezium.envelope import SPACE, VALUE, Unwrapped, before
from lsqlc.formats.debezium.settings import Settings
from lsqlc.formats.json.numbers import escaped
from lsqlc.types import codec, data
from lsqlc.types.codec_text import BIGINT_RANGE, MILLIS_RANGE, quoted
from lsqlc.types.data import Array, DataType, Decimal, Map, Struct

# Numbers of 19 digits may have more than 64 bits.
INTEGER = "^-?(?:0|[1-9][0-9]{0,18})$"
# The language takes such a text for milliseconds; a connector does not write it.
QUOTED_INTEGER, NO_TIME = '^"-?[0-9]+"$', '""'
NUMERAL = "^-?[0-9]"
QUOTED_NUMBER = r'^"(-?(?:0|[1-9][0-9]*)(?:[.][0-9]+)?)"$'
ISO = r'^"([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}[.][0-9]{6})[0-9]+(Z|[+-][0-9]{2}:[0-9]{2})"$'
CLOCK = r'^"([01][0-9]|2[0-3]):([0-5][0-9]):([0-5][0-9])(?:[.]([0-9]{1,9}))?Z?"$'
# The unscaled number has 38 digits at most, which are 16 bytes.
BASE64 = r'^"((?:[A-Za-z0-9+/]{4}){0,5}(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)"$'
_BYTES = 16
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
UNITS = {"millis": 1_000, "micros": 1_000_000, "nanos": 1_000_000_000}
MICROS_RANGE = (MILLIS_RANGE[0] * 1_000, MILLIS_RANGE[1] * 1_000 + 999)
# A name with an escape may be any name.
_PLAIN = rf'(?:"[^"\\]*+"{SPACE}:{SPACE}{VALUE}{SPACE},{SPACE})*+'
ESCAPED_NAME = rf'^{SPACE}\{{{SPACE}{_PLAIN}"[^"\\]*+\\[^\n](?:[^"\\]++|\\[^\n])*+"{SPACE}:'
HAS_ESCAPE = "a name in 'after' has an escape"

# The placeholder of a connector for a value that the database did not send, such as a TOAST column of PostgreSQL.
PLACEHOLDER = "__debezium_unavailable_value"
_OF_BYTES = base64.b64encode(PLACEHOLDER.encode()).decode()
_OF_NUMBERS = rf"{SPACE},{SPACE}".join(f"{code}(?:[.]0)?" for code in PLACEHOLDER.encode())
_ONE = rf'(?:"{PLACEHOLDER}"|"{escaped(_OF_BYTES)}")'
_LIST, _MAP = rf"\[{SPACE}(?:{_ONE}|{_OF_NUMBERS}){SPACE}\]", rf"\{{{SPACE}{_ONE}{SPACE}:{SPACE}{_ONE}{SPACE}\}}"
UNAVAILABLE = f"^(?:{_ONE}|{_LIST}|{_MAP})$"
# Texts without these have no placeholder.
SIGNS = (PLACEHOLDER, _OF_BYTES, "95,95,100,101,98", "95, 95, 100, 101, 98", "95.0,95.0,100.0")


@dataclass(frozen=True, slots=True)
class Step:
    """A change of a column of the row. `form`: as in the declaration; `null` or `fail` for the placeholder."""

    name: str
    type: DataType
    form: str

    @property
    def pattern(self) -> str:
        """The text before the value as the first group, and the value as the second one."""
        return f"({before(escaped(self._text))})({VALUE})"

    @property
    def again(self) -> str:
        """An object that has the name."""
        return before(escaped(self._text))

    @property
    def sign(self) -> str:
        """A part of each text with the name."""
        return f'"{self._text}"'

    @property
    def _text(self) -> str:
        return quoted(self.name)[1:-1]

    @property
    def twice(self) -> str:
        """The fault of a row that has the name twice."""
        return f"'{self.name}' stands twice"

    @property
    def is_number(self) -> str:
        """The fault of a number that is declared as text."""
        return f"'{self.name}' is a number, and is declared as text"

    @property
    def not_sent(self) -> str:
        """The fault of a placeholder."""
        return f"'{self.name}' has the placeholder of a value that the database did not send"


def unavailable_steps(row: DataType, settings: Settings) -> tuple[Step, ...]:
    """Return the steps for texts that may have a placeholder; none if it is kept."""
    if settings.unavailable == "keep" or not isinstance(row, Struct):
        return ()
    return tuple(Step(f.name, f.type, settings.unavailable) for f in row.fields if _may_be_unavailable(f.type))


def _may_be_unavailable(type: DataType) -> bool:
    return type in (data.STRING, data.BYTES) or isinstance(type, Array | Map)


def form_steps(row: DataType, settings: Settings) -> tuple[Step, ...]:
    """Return the steps for columns whose text may differ from the language's."""
    return tuple(_form_steps(row, settings)) if isinstance(row, Struct) else ()


def _form_steps(row: Struct, settings: Settings) -> Iterator[Step]:
    for field in row.fields:
        form = settings.form(field.name, field.type)
        if form and form != "number":
            yield Step(field.name, field.type, form)


Rewrite = Callable[[Unwrapped], Unwrapped]


def rewriter(row: DataType, settings: Settings) -> Rewrite:
    """Return the function from the row of an envelope to the row in the form of the language."""
    of_unavailable, of_forms = unavailable_steps(row, settings), form_steps(row, settings)

    def rewrite(unwrapped: Unwrapped) -> Unwrapped:
        if unwrapped.wrong is not None or unwrapped.row == "null":
            return unwrapped
        steps = of_forms
        if of_unavailable and any(sign in unwrapped.row for sign in SIGNS):
            steps = (*of_unavailable, *of_forms)
        if steps and "\\" in unwrapped.row and re.match(ESCAPED_NAME, unwrapped.row):
            return Unwrapped("null", HAS_ESCAPE)
        for step in steps:
            unwrapped = _done(step, unwrapped)
        return unwrapped

    return rewrite


def _done(step: Step, unwrapped: Unwrapped) -> Unwrapped:
    parts = _compiled(step.pattern).match(unwrapped.row)
    if unwrapped.wrong is not None or parts is None:
        return unwrapped
    rest = unwrapped.row[parts.end() :]
    if step.sign in rest and _compiled(step.again).match(f'{{"":0{rest}'):
        return Unwrapped("null", step.twice)
    value = _converted(step, parts[2])
    return value if isinstance(value, Unwrapped) else Unwrapped(parts[1] + value + rest)


def _converted(step: Step, value: str) -> str | Unwrapped:
    if step.form in ("null", "fail"):
        if not re.search(UNAVAILABLE, value):
            return value
        return "null" if step.form == "null" else Unwrapped("null", step.not_sent)
    if isinstance(step.type, Decimal):
        return _decimal(value, step.form, step.type.scale)
    if step.form == "text" and re.search(NUMERAL, value):
        return Unwrapped("null", step.is_number)
    return _time(value, step.form) if step.type == data.TIME else _timestamp(value, step.form)


def _timestamp(value: str, form: str) -> str:
    if re.search(QUOTED_INTEGER, value):
        return NO_TIME
    if longer := re.search(ISO, value):
        return f'"{longer[1]}{longer[2]}"'
    if form not in ("micros", "nanos") or not re.search(INTEGER, value):
        return value
    micros = int(value) if form == "micros" else int(value) // 1000
    if not BIGINT_RANGE[0] <= int(value) <= BIGINT_RANGE[1] or not MICROS_RANGE[0] <= micros <= MICROS_RANGE[1]:
        return value
    return codec.encode_text(data.TIMESTAMP, _EPOCH + timedelta(microseconds=micros))


def _time(value: str, form: str) -> str:
    if clock := re.search(CLOCK, value):
        seconds = (int(clock[1]) * 60 + int(clock[2])) * 60 + int(clock[3])
        return str(seconds * 1_000_000 + int((clock[4] or "").ljust(6, "0")[:6]))
    if form not in ("millis", "nanos") or not re.search(INTEGER, value):
        return value
    number = int(value)
    if not 0 <= number < 86_400 * UNITS[form]:
        # As microseconds it might be a time of day.
        return "-1"
    return str(number * 1000 if form == "millis" else number // 1000)


def _decimal(value: str, form: str, scale: int) -> str:
    if form == "text":
        number = re.search(QUOTED_NUMBER, value)
        return number[1] if number else value
    coded = re.search(BASE64, value)
    content = base64.b64decode(coded[1]) if coded else b""
    if not 0 < len(content) <= _BYTES:
        return value
    unscaled = int.from_bytes(content, "big", signed=True)
    if abs(unscaled) >= 10**38:
        return value
    digits = str(abs(unscaled)).rjust(scale + 1, "0")
    number_text = f"{digits[:-scale]}.{digits[-scale:]}" if scale else digits
    return f"-{number_text}" if unscaled < 0 else number_text


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)
