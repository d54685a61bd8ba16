"""Python forms of ksqlDB's functions for DuckDB, where no SQL of the engines has the same result."""

from __future__ import annotations

import re
from collections.abc import Sequence

from lsqlc.functions.forms import regexes
from lsqlc.functions.forms.sizes import MOST, fits
from lsqlc.functions.signature import PythonForm, ValueForm
from lsqlc.sql import spark
from lsqlc.types.data import DataType


def substring(text: str, position: int, size: int) -> str:
    """Return a part of a text of at most `size` characters.

    The position counts from 1, or from the end if negative; 0 is 1.
    """
    start = min(max(position - 1, 0), len(text)) if position >= 0 else max(len(text) + position, 0)
    return text[start : start + max(size, 0)]


def substring_from(text: str, place: int) -> str:
    return substring(text, place, len(text))


_WORD = re.compile(r"\S+\s*", re.ASCII)


def initcap(text: str) -> str:
    """Return a text with the first letter of each word in upper case and the others in lower case.

    White space stays as it is.
    """
    return "".join(part[:1].upper() + part[1:].lower() for part in _WORD.findall(text))


def pad_left(text: str, size: int, pad: str) -> str | None:
    """Return a text of exactly `size` characters, filled with `pad` or cut.

    None for a size that is negative or beyond the limit, and for an empty `pad` that would be needed.
    """
    if not 0 <= size <= MOST or not pad:
        return None
    missing = size - len(text)
    return (pad * missing)[:missing] + text if missing > 0 else text[:size]


def pad_right(text: str, size: int, pad: str) -> str | None:
    if not 0 <= size <= MOST or not pad:
        return None
    missing = size - len(text)
    return text + (pad * missing)[:missing] if missing > 0 else text[:size]


def split(text: str, delimiter: str) -> list[str]:
    """Return the parts between the delimiters; without a delimiter, the characters."""
    return text.split(delimiter) if delimiter else list(text)


def regexp_extract(pattern: str, text: str, group: int) -> str | None:
    return regexes.group(text, pattern, group) or None if 0 <= group <= regexes.groups(pattern) else None


def regexp_split(text: str, pattern: str) -> list[str]:
    return regexes.split(text, pattern) if pattern else list(text)


def of_group(form: str) -> ValueForm:
    """Return a template for Spark over (pattern, text, group): null for a group that the pattern lacks, where Spark
    raises.
    """

    def render(texts: Sequence[str], types: Sequence[DataType], values: Sequence[object]) -> str:
        group = texts[2]
        groups = regexes.groups(str(values[0]))
        result = form.format(*texts)
        if fits(group) and int(group) <= groups:
            return result
        return f"case when {group} between 0 and {groups} then {result} end"

    return ValueForm(render)


def replaced_on_spark(texts: Sequence[str], types: Sequence[DataType], values: Sequence[object]) -> str:
    """Return the SQL of `regexp_replace`, null if a match would be replaced by a group that does not exist; Spark
    raises then.
    """
    text, pattern, replacement = texts
    replaced, legal = f"regexp_replace({text}, {pattern}, {replacement})", regexes.legal_replacement(str(values[1]))
    if isinstance(values[2], str) and re.fullmatch(legal, values[2], re.DOTALL):
        return replaced
    is_legal = f"{replacement} rlike {spark.text(f'(?s)^(?:{legal})$')}"
    return f"case when {is_legal} then {replaced} when not {is_legal} and not {text} rlike {pattern} then {text} end"


def _text(name: str, function: object, *more: str, returns: str = "VARCHAR") -> PythonForm:
    assert callable(function)
    return PythonForm(f"lsqlc_ksql_{name}", function, ("VARCHAR", *more), returns)


SUBSTRING = _text("substring", substring, "INTEGER", "INTEGER")
SUBSTRING_FROM = _text("substring_from", substring_from, "INTEGER")
INITCAP = _text("initcap", initcap)
LPAD = _text("lpad", pad_left, "INTEGER", "VARCHAR")
RPAD = _text("rpad", pad_right, "INTEGER", "VARCHAR")
SPLIT = _text("split", split, "VARCHAR", returns="VARCHAR[]")
REGEXP_EXTRACT = _text("regexp_extract", regexp_extract, "VARCHAR", "INTEGER")
REGEXP_REPLACE = _text("regexp_replace", regexes.replaced, "VARCHAR", "VARCHAR")
REGEXP_SPLIT = _text("regexp_split", regexp_split, "VARCHAR", returns="VARCHAR[]")
