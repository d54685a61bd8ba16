"""JSON_EXTRACT_FIRST and JSON_EXTRACT_ALL: the values at a path in a JSON text, as JSON.

A path is a literal (see `forms.json_steps`). Spark reads the text as a VARIANT and writes the value. DuckDB imitates
that here. Fields are in order of their names, and numbers have no unneeded zeros. A text that is not JSON gives null,
and text after the first value is ignored.
"""

from __future__ import annotations

import decimal
import json
import re
from collections.abc import Sequence
from typing import Any

from lsqlc.functions.forms.cast_forms import double_text
from lsqlc.functions.forms.json_steps import Step, steps
from lsqlc.functions.lenses.text_forms import json_text
from lsqlc.functions.results import always
from lsqlc.functions.signature import Function, Nulls, Parameter, PythonForm, ValueForm
from lsqlc.sql import engines
from lsqlc.types.data import STRING, Array, DataType

_HALF = re.compile(r"\\u[dD][89a-fA-F]")
_WIDE = decimal.Context(prec=2000)
_LONGEST = 1000
_DIGITS = 38
_SPACE = " \t\n\r"


def extract_all(text: str, path: str) -> list[str] | None:
    """Return all values at the path, each as JSON; None if the text is not JSON."""
    try:
        value = _parsed(text)
        path_steps, every = steps(path)
        for step in path_steps:
            value = value[step] if _has(value, step) else _NOTHING
        matches = (value if isinstance(value, list) else []) if every else [value]
        return [_written(one) for one in matches if one is not _NOTHING]
    except (ValueError, RecursionError):
        return None


def extract_first(text: str, path: str) -> str | None:
    """Return the first value at the path, as JSON; None if there is none."""
    matches = extract_all(text, path)
    return matches[0] if matches else None


class _Nothing:
    """The result of a path without a value."""


_NOTHING = _Nothing()


def _has(value: Any, step: Step) -> bool:
    if isinstance(step, int):
        return isinstance(value, list) and step < len(value)
    return isinstance(value, dict) and step in value


def _parsed(text: str) -> Any:
    """Return the first value of a text.

    Raises ValueError.
    """
    start = len(text) - len(text.lstrip(_SPACE))
    value, end = _DECODER.raw_decode(text, start)
    bare = text[start : start + 1] not in ('"', "{", "[")
    if bare and text[end : end + 1] not in ("", *_SPACE):
        raise ValueError("a number or a word is followed by something")
    if _HALF.search(text):
        # Half a surrogate pair anywhere makes the text invalid; writing it raises.
        _written(value)
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise ValueError("a name stands twice")
    return members


def _integer(text: str) -> str:
    return _number(text, decimal.Decimal(text, _WIDE)) if len(text) <= _LONGEST else _too_long()


def _real(text: str) -> str:
    if len(text) > _LONGEST:
        return _too_long()
    if "e" in text or "E" in text:
        return _double(text)
    return _number(text, decimal.Decimal(text, _WIDE))


def _number(text: str, number: decimal.Decimal) -> str:
    """Return a decimal of at most 38 digits without trailing zeros, else a DOUBLE, as text."""
    _, digits, exponent = number.as_tuple()
    assert isinstance(exponent, int)
    if len(digits) > _DIGITS or -exponent > _DIGITS:
        return _double(text)
    plain = format(number, "f")
    short = plain.rstrip("0").rstrip(".") if "." in plain else plain
    return "0" if short in ("-0", "") else short


def _double(text: str) -> str:
    digits = double_text(float(text))
    return digits if digits[-1].isdigit() else f'"{digits}"'


def _too_long() -> str:
    raise ValueError("a number is too long")


def _constant(word: str) -> str:
    raise ValueError(word)


class _Number(str):
    """The text of a number, told apart from a text."""

    __slots__ = ()


_DECODER = json.JSONDecoder(
    object_pairs_hook=_object,
    parse_int=lambda text: _Number(_integer(text)),
    parse_float=lambda text: _Number(_real(text)),
    parse_constant=_constant,
)


def _written(value: Any) -> str:
    """Return a value as JSON, without recursion, because JSON may be nested deeper than Python's calls.

    Raises ValueError for half a surrogate pair.
    """
    output: list[str] = []
    # A stack: the last item is next. Items are texts and values.
    waiting: list[tuple[str, Any]] = [("", value)]
    while waiting:
        text, one = waiting.pop()
        output.append(text)
        if isinstance(one, list):
            waiting.append(("]", _NOTHING))
            waiting += [("," if i else "[", one[i]) for i in reversed(range(len(one)))] or [("[", _NOTHING)]
        elif isinstance(one, dict):
            # By UTF-16, as Java compares names.
            names = sorted(one, key=lambda name: name.encode("utf-16-be"))
            members = [(f"{',' if i else '{'}{_scalar(name)}:", one[name]) for i, name in enumerate(names)]
            waiting.append(("}", _NOTHING))
            waiting += reversed(members) if members else [("{", _NOTHING)]
        elif one is not _NOTHING:
            output.append(_scalar(one))
    return "".join(output)


def _scalar(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, _Number):
        return str(value)
    value.encode()
    return json_text(value)


def _spark_path(path_steps: tuple[Step, ...]) -> str:
    text = "".join(f"[{step}]" if isinstance(step, int) else f'["{step}"]' for step in path_steps)
    return engines.text("spark", f"${text}")


def _spark(one: str, every: str) -> ValueForm:
    """Return a form over `{json}` and `{path}`: `one` for a path to one value, `every` for one that ends in `[*]`."""

    def render(texts: Sequence[str], types: Sequence[DataType], values: Sequence[object]) -> str:
        path_steps, all_of_them = steps(str(values[1]))
        return (every if all_of_them else one).format(json=f"try_parse_json({texts[0]})", path=_spark_path(path_steps))

    return ValueForm(render)


_ONE = "to_json(try_variant_get({json}, {path}, 'variant'))"
_ELEMENTS = "try_variant_get({json}, {path}, 'array<variant>')"
_FIRST = PythonForm("lsqlc_json_first", extract_first, ("VARCHAR", "VARCHAR"), "VARCHAR")
_ALL = PythonForm("lsqlc_json_all", extract_all, ("VARCHAR", "VARCHAR"), "VARCHAR[]")
_ARGUMENTS = (Parameter("text", "string"), Parameter("path", "json path", literal=True))

JSON: tuple[Function, ...] = (
    Function(
        "JSON_EXTRACT_FIRST", _ARGUMENTS, always(STRING), _FIRST, _spark(_ONE, f"to_json(get({_ELEMENTS}, 0))"),
        "the first value that the path finds in a JSON text, as JSON; null if there is none", nulls=Nulls.MAY,
    ),
    Function(
        "JSON_EXTRACT_ALL", _ARGUMENTS, always(Array(STRING)), _ALL,
        _spark(
            f"case when {{json}} is not null then filter(array({_ONE}), j -> j is not null) end",
            f"case when {{json}} is not null then transform(coalesce({_ELEMENTS}, cast(array() as array<variant>)),"
            " j -> to_json(j)) end",
        ),
        "all values that the path finds in a JSON text, each as JSON; null if the text is no JSON", nulls=Nulls.MAY,
    ),
)  # fmt: skip
