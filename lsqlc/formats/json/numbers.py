"""Rewriting of JSON texts, for numbers in another form than that of their field's type.

Each rewriting is one pattern, which the client and Spark share. It contains the names of fields. A member with such a
name is rewritten at any position of the text. That includes JSON for a STRING, and keys of a MAP. The name of fields of
several types is not rewritten.

ksqlDB accepts a quoted number, and the integral part of a number with a fraction. Its TIME is in milliseconds.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import dataclass
from functools import lru_cache

from lsqlc.formats.json.any_case import foldable
from lsqlc.types import data
from lsqlc.types.data import DataType, Decimal, Struct, parts

SPACE = r"[ \t\r\n]*"
END = rf"(?={SPACE}[,}}])"
_FRACTION = "(?:[.][0-9]+)?"
_SIGN = "(?:[+]|(-))?"
WHOLE = "(?:0|[1-9][0-9]*)"
_INTEGER = f'(?:"{_SIGN}0*([0-9]+)"|(-?)({WHOLE})[.][0-9]+){END}'
_NUMBER = f'"{_SIGN}0*([0-9]+{_FRACTION}(?:[eE][-+]?[0-9]+)?)"{END}'
_MILLIS = f'(?:"0*([1-9][0-9]{{0,14}})"|([1-9][0-9]{{0,14}})){END}'
_ZERO = f'"0+"{END}'
_DAYS = f'"(-?)0*([0-9]{{1,7}})"{END}'


@dataclass(frozen=True, slots=True)
class Rewriting:
    """A pattern for the regular expressions of Java and Python, and the replacement of each match. `replacement`:
    literal parts, with `$1` for the match of the first group, and so on. `occurs`: a pattern that is faster, and that
    every text with a match has; empty for `pattern` itself.
    """

    pattern: str
    replacement: str
    occurs: str = ""


def of_ksqldb(type: DataType) -> tuple[Rewriting, ...]:
    """Return the rewritings from the forms of ksqlDB to those of the language."""
    return _rewritings(
        type,
        (
            (lambda t: t in (data.INT, data.BIGINT), _INTEGER, "$2$3$4$5"),
            (lambda t: t in (data.FLOAT, data.DOUBLE) or isinstance(t, Decimal), _NUMBER, "$2$3"),
            (lambda t: t == data.TIME, _MILLIS, "$2$3000"),
            (lambda t: t == data.TIME, _ZERO, "0"),
            (lambda t: t == data.DATE, _DAYS, "$2$3"),
        ),
        any_case=True,
    )


def _rewritings(
    type: DataType, rules: Iterable[tuple[Callable[[DataType], bool], str, str]], *, any_case: bool
) -> tuple[Rewriting, ...]:
    types = types_by_name(type)
    rewritings = []
    for applies, pattern, replacement in rules:
        names = names_of(types, applies, any_case=any_case)
        if names:
            rewritings.append(Rewriting(f"({member(names)}){pattern}", f"$1{replacement}"))
    return tuple(rewritings)


def types_by_name(type: DataType) -> Mapping[str, Set[DataType]]:
    """Return the types of the fields of each name, at any level of a type."""
    types: dict[str, set[DataType]] = defaultdict(set)
    for field in (f for part in parts(type) if isinstance(part, Struct) for f in part.fields):
        types[field.name].add(field.type)
    return types


def names_of(types: Mapping[str, Set[DataType]], applies: Callable[[DataType], bool], *, any_case: bool) -> list[str]:
    """Return the patterns of the names all of whose fields have a type that a rule applies to."""
    matching_names = [name for name, kinds in types.items() if all(map(applies, kinds))]
    other_case = set(foldable(matching_names)) if any_case else set[str]()
    return [f"(?i:{escaped(name)})" if name in other_case else escaped(name) for name in matching_names]


def member(names: Iterable[str]) -> str:
    """Return the pattern of a member with one of the names, up to its value. `names`: patterns."""
    # A quote after a backslash is inside of a longer name.
    return rf'(?<!\\)"(?:{"|".join(names)})"{SPACE}:{SPACE}'


def escaped(name: str) -> str:
    """Return the pattern of a name, for Java and Python."""
    return "".join(f"\\{c}" if c.isascii() and not c.isalnum() and c != "_" else c for c in name)


@lru_cache(maxsize=512)
def rewriter(rewritings: tuple[Rewriting, ...]) -> Callable[[bytes], bytes]:
    """Return the function from a JSON text in UTF-8 to the text after all rewritings."""
    compiled = [
        (re.compile(r.pattern.encode()), re.sub(r"\$([0-9])", r"\\g<\1>", r.replacement).encode()) for r in rewritings
    ]

    def rewrite(text: bytes) -> bytes:
        for pattern, replacement in compiled:
            text = pattern.sub(replacement, text)
        return text

    return rewrite
