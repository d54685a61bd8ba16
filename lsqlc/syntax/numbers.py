"""Errors in numbers: no type holds the number, or another token touches it (`1L`, `0x1F`, `2024abc`, `1..2`)."""

from __future__ import annotations

import re
from math import isfinite
from typing import NoReturn

from lsqlc.syntax.cursor import Cursor
from lsqlc.syntax.tokens import Token

# Ten thousand years: times in milliseconds, and sums of them, stay far below 64 bits.
LONGEST_DURATION = 3_652_500 * 86_400_000
# A number of at most this many characters is finite and not rounded to 0: the shortest that overflows is 1e309.
_ALWAYS_HELD = 4
_RUN = re.compile(r"[\w.]+")
_NAME_RUN = re.compile(r"[\w.-]*\w")
_UNDERSCORES = re.compile(r"[0-9]+(_[0-9]+)+")
_RADIX = re.compile(r"0(?:x[0-9a-f]{1,15}|b[01]{1,60}|o[0-7]{1,20})", re.IGNORECASE)
_NO_EXPONENT = re.compile(r"[0-9.]+e", re.IGNORECASE)
_DOUBLE_SUFFIX = re.compile(r"([0-9]+)(\.[0-9]*)?[df]", re.IGNORECASE)
_OTHER_SUFFIX = re.compile(r"([0-9.]+)(?:l|s|y|bd|u|ul)", re.IGNORECASE)
_DURATION = re.compile(r"[0-9]+(?:ms|s|m|h|d)", re.IGNORECASE)


def refuse_size(cursor: Cursor, number: Token) -> None:
    """Raise a fault if a number is too large for every type, or is rounded to 0 without being 0."""
    if len(number.text) <= _ALWAYS_HELD:
        return
    value = float(number.text)
    at = (number.start, number.end)
    if not isfinite(value):
        help = "the largest DOUBLE is about 1.8e308"
        cursor.fault("LSQ211", "this number is too large for any type", at, help=help)
    if value == 0 and any(digit in "123456789" for digit in re.split("[eE]", number.text)[0]):
        help = "the smallest DOUBLE above 0 is about 4.9e-324"
        cursor.fault("LSQ211", "this number is too small for any type", at, help=help)


def refuse_touching(cursor: Cursor, number: Token, reserved: frozenset[str]) -> None:
    """Raise a fault if a word or another number touches the previous number. A `reserved` word may: `1AND`."""
    after = cursor.token
    if after.start == number.end and after.kind in ("name", "number") and after.upper not in reserved:
        _refuse(cursor, number, "neither a number nor a name" if after.kind == "name" else "not a number")
    refuse_dot(cursor, number, fields=True)


def refuse_dot(cursor: Cursor, number: Token, *, fields: bool = False) -> None:
    """Raise a fault if a dot touches the previous number.

    `fields`: a dot before a name is allowed, and the binder reports unknown names.
    """
    dot, after = cursor.token, cursor.ahead(1)
    if dot.kind != "mark" or dot.text != "." or dot.start != number.end:
        return
    if not (fields and after.kind in ("name", "quoted") and after.start == dot.end):
        _refuse(cursor, number, "not a number")


def _refuse(cursor: Cursor, number: Token, what: str) -> NoReturn:
    match = _RUN.match(cursor.source.text, number.start)
    assert match is not None
    cursor.fault("LSQ119", f"'{match[0]}' is {what}", match.span(), help=_advice(match[0]))


def backticks(cursor: Cursor) -> str | None:
    """Return the help for a number or a string instead of a name; None for any other token."""
    if cursor.token.kind == "string" and cursor.token.text:
        return f"quotes delimit strings; a name is written in backticks: `{cursor.token.text}`"
    if cursor.token.kind != "number":
        return None
    match = _NAME_RUN.match(cursor.source.text, cursor.token.start)
    return f"a name that begins with a digit must be in backticks: `{match[0]}`" if match else None


def _advice(text: str) -> str:
    if _UNDERSCORES.fullmatch(text):
        return f"write the digits without underscores: {text.replace('_', '')}"
    if _RADIX.fullmatch(text):
        return f"a number is written in decimal: {int(text, 0)}"
    if _NO_EXPONENT.fullmatch(text):
        return f"an exponent must have digits: {text}5"
    duration = _DURATION.fullmatch(text)
    if duration and text[-1] not in "dD":
        return "a duration is only allowed after WITHIN, WINDOW BY and GRACE BY; times are numbers of milliseconds"
    if match := _DOUBLE_SUFFIX.fullmatch(text):
        whole, places = match[1], match[2] or "."
        return f"a number has no suffix; one with a point is a DOUBLE: {whole}{places if len(places) > 1 else '.0'}"
    if match := _OTHER_SUFFIX.fullmatch(text):
        return f"a number has no suffix: {match[1]}"
    if set(text) <= set("0123456789.eE"):
        return "a number can have one point, before its exponent: 1.5e3"
    if text[-1] == ".":
        return "a number must have digits after its point: 1.0"
    return f"a name that begins with a digit must be in backticks: `{text}`"
