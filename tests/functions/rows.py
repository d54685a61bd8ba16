# ruff: noqa: E501, RUF001  tables of values read better in long rows; letters of many scripts are the point
"""Argument rows for every function, with the value that the language gives where a person wrote it down.

A row is the arguments and then the expected value; `ANY` says only that the engines must agree. NULL expects null.
"""

from __future__ import annotations

import datetime
import hashlib
import itertools
import math
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

ANY = object()
NAN, INF = math.nan, math.inf
MAX, MIN = 2147483647, -2147483648
LONG_MAX, LONG_MIN = 2**63 - 1, -(2**63)
FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"  # three people in one grapheme cluster, five code points


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows for a function with arguments of these types; `literals` are SQL texts for the literal arguments, by index
    (strings as DuckDB writes them).
    """

    name: str
    types: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    literals: Mapping[int, str] = field(default_factory=dict)


def _rows(name: str, types: str, *rows: tuple[Any, ...], literals: Mapping[int, str] | None = None) -> Rows:
    return Rows(name, tuple(types.split()), rows, literals or {})


def _one(name: str, *rows: tuple[Any, ...]) -> Rows:
    return _rows(name, "STRING", *rows)


def time(*parts: int) -> datetime.datetime:
    return datetime.datetime(*parts, tzinfo=datetime.UTC)  # type: ignore[misc,arg-type]  # year to microsecond


def _uuid(ordinal: str | None, number: int) -> str | None:
    """MD5 in the form of a UUID of version 3; Python's own for comparison."""
    if ordinal is None:
        return None
    found = hashlib.md5(f"{ordinal}#{number}".encode()).digest()
    text = str(uuid.UUID(bytes=found, version=3))
    return f"{text[:19]}8{text[20:]}"


_SIZES = (
    (None, 1), ("abc", None), ("", 2), ("abc", 0), ("abc", -1), ("abc", MIN), ("abc", MAX), ("a😀c", 2),
    ("e\u0301x", 1), (FAMILY, 2), ("abcdef", 4), ("abcdef", 3), ("abcdef", 6), ("abcdefg", 5), ("abcdefgh", 7),
)  # fmt: skip


def _sized(name: str, *expected: Any) -> Rows:
    padded = [*expected, *([ANY] * (len(_SIZES) - len(expected)))]
    return _rows(name, "STRING INT", *((*row, e) for row, e in zip(_SIZES, padded, strict=True)))


_PADS = (
    (None, 3, "x"), ("a", None, "x"), ("a", 3, None), ("a", 4, "xyz"), ("abc", 2, "x"), ("a", 3, ""), ("😀", 3, "🐍"),
    ("", 3, "ab"), ("a", -5, "x"), ("ab", 7, "xyz"), ("abc", 2, None), ("a", MAX, "x"), ("a", MIN, "x"),
)  # fmt: skip


def _padded(name: str, *expected: Any) -> Rows:
    return _rows(name, "STRING INT STRING", *((*row, e) for row, e in zip(_PADS, expected, strict=True)))


_NUMBERS = (
    None,
    0.0,
    1.0,
    -1.0,
    0.5,
    -2.5,
    100.0,
    1e300,
    -1e300,
    1e-300,
    NAN,
    INF,
    -INF,
    27.0,
    -0.0,
    -0.25,
    5e-324,
    -5e-324,
    2.2250738585072014e-308,
    1.7976931348623157e308,
)


def _math(name: str, *known: tuple[float, float | None]) -> Rows:
    # By their texts, which tell the zeros apart.
    expected = {repr(x): value for x, value in known}
    return _rows(name, "DOUBLE", *((x, None if x is None else expected.get(repr(x), ANY)) for x in _NUMBERS))


_PAIRS = (
    (None, "a"), ("abc", None), ("", ""), ("abc", ""), ("abc", "b"), ("abc", "abc"), ("abc", "abcd"), ("a😀b", "😀b"),
    (FAMILY + "b", "b"), ("aXa", "x"), ("banana", "na"), ("ab", "a"), ("ab", "b"),
)  # fmt: skip


def _paired(name: str, *expected: Any) -> Rows:
    return _rows(name, "STRING STRING", *((*row, e) for row, e in zip(_PAIRS, expected, strict=True)))


STRINGS = (
    _rows("CONCAT", "STRING STRING STRING", ("a", "b", "c", "abc"), ("a", None, "c", None), (None, None, None, None),
          ("", "", "", ""), ("😀", "", "\u0301", "😀\u0301"), ("'", '"', "\\", "'\"\\"), ("a", "", "c", "ac"), (" ", " ", " ", "   ")),
    _one("LENGTH", (None, None), ("", 0), ("abc", 3), ("😀", 1), (FAMILY, 5), ("e\u0301", 2), (" a ", 3), ("\n", 1)),
    _one("UPPER", (None, None), ("", ""), ("abc", "ABC"), ("straße", "STRASSE"), ("ŉ", "ʼN"), ("ﬁ", "FI"), ("😀é", "😀É"),
         ("ıi", "II"), ("ΐ", "\u0399\u0308\u0301"), ("ὀδυσσεύς", ANY), ("ᾳ", "ΑΙ"), ("ǆ", "Ǆ"), ("𐐨", "𐐀")),
    _one("LOWER", (None, None), ("", ""), ("ABC", "abc"), ("İ", "i\u0307"), ("ΑΣ", "ας"), ("ΑΣΑ", "ασα"), ("Σ", "σ"), ("ẞ", "ß"),
         ("K", "k"), ("Ǆ", "ǆ"), ("𐐀", "𐐨"), ("ΑΣ Β", "ας β"), ("ΑΣ.", "ας.")),
    _one("TRIM", (None, None), ("", ""), (" a ", "a"), ("\t a\nb \r\n", "a\nb"), ("\u00a0a\u00a0", "\u00a0a\u00a0"),
         ("\x01a\x1f", "a"), ("   ", ""), ("a", "a"), ("\u2003a", "\u2003a"), ("😀 ", "😀"), ("a \n", "a")),
    _rows("SUBSTRING", "STRING INT", (None, 0, None), ("abc", None, None), ("abc", 0, "abc"), ("abc", 2, "c"), ("abc", 3, ""),
          ("abc", 4, ""), ("abc", -2, "bc"), ("abc", -4, "abc"), ("a😀c", 1, "😀c"), ("", 0, ""), ("abc", MAX, ""), ("abc", MIN, "abc")),
    _rows("SUBSTRING", "STRING INT INT", (None, 0, 1, None), ("abc", None, 1, None), ("abc", 0, None, None), ("abc", 0, 2, "ab"),
          ("abc", 2, 0, ""), ("abc", 2, 4, "c"), ("abc", 4, 6, ""), ("abc", 2, 2, ""), ("abc", -2, -1, "b"), ("abc", -4, 2, "ab"),
          ("a😀c", 1, 2, "😀"), ("", 0, 1, ""), ("abc", MIN, MAX, "abc"), ("abc", MAX, MAX, ""), ("abc", 0, MIN, "")),
    _rows("SUBSTRING", "STRING BIGINT BIGINT", ("abc", 0, 2, "ab"), ("abc", 0, LONG_MAX, None), ("abc", LONG_MIN, 2, None),
          (None, 0, 1, None), ("abc", 1, None, None), ("", 0, 0, ""), ("a😀c", 1, 3, "😀c"), ("abc", -1, 3, "c")),
    _rows("SUBSTRING", "STRING INT INT", (None, 0, 0, None), ("abcdef", 0, 0, "cd"), ("abc", 0, 0, "c"), ("a", 0, 0, ""), ("", 0, 0, ""),
          ("a😀c🐍e", 0, 0, "c🐍"), (FAMILY, 0, 0, FAMILY[2:4]), ("ab", 0, 0, ""), literals={1: "2", 2: "4"}),
    _rows("REPLACE", "STRING STRING STRING", (None, "a", "b", None), ("a", None, "b", None), ("a", "a", None, None), ("aaa", "a", "bb", "bbbbbb"),
          ("abc", "", "x", "abc"), ("", "", "x", ""), ("a😀b", "😀", "", "ab"), ("aaa", "aa", "b", "ba"), ("a.c", ".", "$1", "a$1c")),
    _one("REVERSE", (None, None), ("", ""), ("abc", "cba"), ("a😀b", "b😀a"), ("e\u0301x", "x\u0301e"), (FAMILY, FAMILY[::-1]), ("a", "a"), ("ab ", " ba")),
    _paired("CONTAINS", None, None, True, True, True, True, False, True, True, False, True, True, True),
    _paired("STARTSWITH", None, None, True, True, False, True, False, False, False, False, False, True, False),
    _paired("ENDSWITH", None, None, True, True, False, True, False, True, True, False, True, False, True),
    _paired("INDEXOF", None, None, 0, 0, 1, 0, -1, 1, 5, -1, 2, 0, 1),
    _padded("LEFTPAD", None, None, None, "xyza", "abc", "  a", "🐍🐍😀", "aba", "a", "xyzxyab", None, None, "a"),
    _padded("RIGHTPAD", None, None, None, "axyz", "abc", "a  ", "😀🐍🐍", "aba", "a", "abxyzxy", None, None, "a"),
    _padded("CENTER", None, None, None, "xaxy", "abc", " a ", "🐍😀🐍", "aab", "a", "xyabxyz", None, None, "a"),
    _rows("LEFTPAD", "STRING BIGINT", (None, 3, None), ("a", 3, "  a"), ("a", None, None), ("a", LONG_MAX, None), ("a", MAX, None), ("a", 1000001, None), ("a", 1000000, " " * 999999 + "a"), ("", 1, " "), ("😀", 2, " 😀"),
          ("abc", 0, "abc"), ("abc", LONG_MIN, None)),
    _sized("TAKELEFT", None, None, "", "", "", "", "abc", "a😀", "e", FAMILY[:2], "abcd"),
    _sized("TAKERIGHT", None, None, "", "", "", "", "abc", "😀c", "x", FAMILY[3:], "cdef"),
    _sized("DROPLEFT", None, None, "", "abc", "abc", "abc", "", "c", "\u0301x", FAMILY[2:], "ef"),
    _sized("DROPRIGHT", None, None, "", "abc", "abc", "abc", "", "a", "e\u0301", FAMILY[:3], "ab"),
    _sized("TRUNCATE", None, None, "", "", None, None, "abc", "a😀", "e", FAMILY[:2], "abcd"),
    _sized("ABBREVIATE", None, None, "", None, None, None, "abc", None, None, None, "a...", None, "abcdef", "ab...", "abcd..."),
    _one("CHOP", (None, None), ("", ""), ("a", ""), ("abc", "ab"), ("abc\r\n", "abc"), ("abc\n", "abc"), ("abc\r", "abc"), ("\r\n", ""),
         ("a😀", "a"), ("abc\n\r", "abc\n"), ("e\u0301", "e")),
    _one("CAPITALIZE", (None, None), ("", ""), ("cat", "Cat"), ("cAt", "CAt"), ("'cat'", "'cat'"), ("ßa", "ßa"), ("ǆa", "ǅa"), ("éa", "Éa"),
         ("😀a", "😀a"), ("𐐨a", "𐐀a"), ("CAT dog", "CAT dog"), ("ŉa", "ŉa"), ("ıa", "Ia"), ("İa", "İa"), ("ა", ANY), ("Ა", "Ა"), ("ϴa", "ϴa"), ("ΐ", "ΐ")),
    _one("UNCAPITALIZE", (None, None), ("", ""), ("Cat", "cat"), ("CAT", "cAT"), ("İA", "iA"), ("ΣΣ", "σΣ"), ("😀A", "😀A"), ("𐐀A", "𐐨A"), ("cat", "cat")),
    _one("SWAPCASE", (None, None), ("", ""), ("The dog has a BONE", "tHE DOG HAS A bone"), ("ßé", "ßÉ"), ("İ", "i"), ("ΑΣ", "ασ"), ("a😀B", "A😀b"),
         ("ǅ", "ǆ"), ("1 2", "1 2"), ("𐐀𐐨", "𐐨𐐀"), ("e\u0301", "E\u0301")),
    _one("DELETEWHITESPACE", (None, None), ("", ""), (" a b\tc\n", "abc"), ("\u00a0a\u2007b\u202f", "\u00a0a\u2007b\u202f"), ("\u2003a\u3000b\u1680", "ab"),
         ("\x1c\x1d\x1e\x1fa\x0b\x0c\r", "a"), ("a\u2028b\u2029", "ab"), ("😀 😀", "😀😀"), ("\u200ba\x85", "\u200ba\x85")),
    _one("DIGITS", (None, None), ("", ""), ("abc", ""), ("1000$", "1000"), ("1123~45", "112345"), ("(541) 754-3010", "5417543010"), ("\u0967\u0968\u0969", "\u0967\u0968\u0969"),
         ("½²Ⅷ", ""), ("𝟏a", "𝟏")),
    _one("BASE64", (None, None), ("", ""), ("a", "YQ=="), ("ab", "YWI="), ("abc", "YWJj"), ("😀", "8J+YgA=="), ("é?>", "w6k/Pg=="), ("x" * 90, "eHh4" * 30)),
    _one("DECODE64", (None, None), ("", ""), ("YQ==", "a"), ("YWI=", "ab"), ("YWJj", "abc"), ("8J+YgA==", "😀"), ("gA==", None), ("*", None), ("Y", None),
         ("YQ", ANY), ("YQ=", ANY), ("YW Jj", ANY), ("YWJj\n", ANY), ("=", ANY), ("YQ==YQ==", ANY), ("7aCA", None), ("YWJ", ANY), ("=YQ=", ANY), ("YR==", ANY), ("😀", None)),
    _rows("REGEXP", "STRING STRING", (None, "", None), ("Jose Joshua", "", ["Jos", "Jos"]), ("Kathleen", "", []), ("", "", []), ("Jo", "", ["Jo"]),
          ("Jo😀", "", ["Jo"]), ("JoJoss", "", ["Jo", "Joss"]), ("jo", "", []), literals={1: "'Jos*'"}),
    _rows("REGEXP", "STRING STRING", (None, "", None), ("a1b22", "", ["a1", "b22"]), ("1", "", []), ("", "", []), ("😀1a2", "", ["a2"]), ("z9", "", ["z9"]),
          ("A1", "", []), ("aa11", "", ["a11"]), literals={1: "'([a-z])([0-9]+)'"}),
    _rows("REGEXP", "STRING STRING", (None, "", None), ("abc\r\n", "", ["abc"]), ("abc\n", "", ["abc"]), ("x\u2028abc\u2028", "", ["abc"]), ("abc\u0085", "", ["abc"]), ("abc\n\n", "", []), ("", "", []), ("a😀c", "", ["a😀c"]), ("abc\x0b", "", ["abc\x0b"]),
          literals={1: "'(?:a.)?[b-d😀\\x0b]+$'"}),
    _rows("REGEXP", "STRING STRING", (None, "", None), ("Foo foo FOO", "", ["Foo", "foo", "FOO"]), ("fÖo", "", []), ("", "", []), ("\u017fo ſoo", "", []), ("foo😀foo", "", ["foo", "foo"]), ("fo{2}", "", []), ("FoO", "", ["FoO"]), literals={1: "'(?i)fo{2}'"}),
    _rows("REGEXP", "STRING STRING", (None, "", None), ("1\u0661 a_é", "", ["1", " ", "a_"]), ("\u00a0\t", "", ["\t"]), ("é", "", []), ("", "", []), ("a\x1cb", "", ["a", "b"]), ("\x0b\x0c", "", ["\x0b\x0c"]), ("_9", "", ["_9"]), literals={1: "'\\w+|\\s+'"}),
    _rows("REGEXP", "STRING STRING", (None, "", None), ("aa abab", "", ["aa", "abab"]), ("aba", "", []), ("", "", []), ("abaaba", "", ["abaaba"]), ("b", "", []), ("a\\a\\", "", ["a\\a\\"]), ("😀😀", "", ["😀😀"]), literals={1: "'(?<part>[^b ]b?.?)\\1'"}),
    _rows("REGEX_MATCHES", "STRING STRING", (None, "", None), ("Jose", "", [["Jo"]]), ("Kathleen", "", []), ("", "", []), ("JoJo", "", [["Jo"], ["Jo"]]), ("😀Jo😀", "", [["Jo"]]), ("jo", "", []), ("J\u006f", "", [["Jo"]]), literals={1: "'Jo'"}),
    _one("STRIPACCENTS", (None, None), ("", ""), ("abc", "abc"), ("éÉàÀñç", "eEaAnc"), ("e\u0301x", "ex"), ("Łódź łódź", "Lodz lodz"), ("Ünïcödé", "Unicode"), ("ﬁǅß", "ﬁǅß"), ("한글", "한글"), ("й Ё ά ᾳ ΐ", "и Е α α ι"), ("😀\u0308", "😀"),
         ("Å\u212b≠", "AA="), ("ấệộ", "aeo"), ("\u0300", ""), ("đøÐ", "đøÐ"), ("\u093c\u0653", "\u093c\u0653"), ("\\'", "\\'")),
    _one("MKSTRING", (None, None), ("", '""'), ("2016-01-01 00:11:14", '"2016-01-01 00:11:14"'), ('a"b\\c/', '"a\\"b\\\\c/"'), ("\n\t\r\b\f", '"\\n\\t\\r\\b\\f"'), ("\x01\x1f\x7f", '"\\u0001\\u001F\x7f"'), ("😀é\u2028", '"😀é\u2028"'), ("[x]", '"[x]"'), ("]", '"]"'), ("\u0085", ANY)),
    _rows("MKSTRING", "DOUBLE", (None, None), (1.0, "1.0"), (-2.5, "-2.5"), (1e20, "1.0E20"), (NAN, "NaN"), (INF, "Infinity"), (0.001, "0.001"), (-0.0, "-0.0")),
    _rows("MKSTRING", "BIGINT", (None, None), (0, "0"), (-1, "-1"), (LONG_MAX, str(LONG_MAX)), (LONG_MIN, str(LONG_MIN)), (10, "10"), (7, "7"), (MAX, str(MAX))),
    _rows("MKSTRING", "BOOLEAN", (None, None), (True, "true"), (False, "false")),
    *(_rows("UUID", "STRING INT", *((o, 0, _uuid(o, n)) for o in (None, "", "0", "-1", str(LONG_MAX), "[1, 2]", "[0, -1]", "😀", "1", "10")), literals={1: str(n)}) for n in (0, 1, 12)),
    _one("ANONYMIZE", (None, None), ("", ""), ("Charles", "*******"), ("😀", "*"), (FAMILY, "*****"), (" a", "**"), ("\n", "*"), ("e\u0301", "**")),
    _one("INITIALS", (None, None), ("", ""), ("Charles", "C"), ("Ben John Lee", "BJL"), ("  a  b ", "ab"), ("😀 x", "😀x"), ("Ben\tJ.Lee\n", "BJ"), ("a\u00a0b c", "ac"),
         ("\u3000", ""), ("😀😀", "😀")),
    _one("EMAIL", (None, None), ("", ""), ("bob@hotmail.com", "b**@hotmail.com"), ("b@x", "b@x"), ("@x", "@x"), ("nobody", "n*****"), ("😀a@x@y", "😀*@x@y"), ("a@", "a@"), ("@", "@")),
    *(_one(f"FIRST{n}", (None, None), ("", ""), ("Melissa", "Melissa"[:n] + "*" * (7 - n)), ("😀", "😀"), ("ab", "ab"[:n] + "*" * max(2 - n, 0)), ("abc", ANY),
           ("abcd", ANY), (FAMILY, FAMILY[:n] + "*" * (5 - n))) for n in (1, 2, 3, 4)),
    *(_one(f"LAST{n}", (None, None), ("", ""), ("Melissa", "*" * (7 - n) + "Melissa"[-n:]), ("😀", "😀"), ("ab", "*" * max(2 - n, 0) + "ab"[-n:]), ("abc", ANY),
           ("abcd", ANY), (FAMILY, "*" * (5 - n) + FAMILY[-n:])) for n in (1, 2, 3, 4)),
)  # fmt: skip

_TIMES = (None, time(2013, 1, 1, 5, 0, 0), time(1969, 12, 31, 23, 59, 59, 999999), time(2024, 12, 30), time(2021, 1, 3, 12, 30, 15),
          time(1, 1, 1), time(9999, 12, 31, 23, 59, 59), time(2000, 2, 29, 1, 2, 3, 4))  # fmt: skip


def _timed(name: str, *expected: int | str | None) -> Rows:
    return _rows(name, "TIMESTAMP", *zip(_TIMES, (None, *expected), strict=True))


NUMBERS = (
    _rows("ABS", "INT", (None, None), (0, 0), (1, 1), (-1, 1), (MAX, MAX), (MIN, None), (MIN + 1, MAX), (-7, 7)),
    _rows("ABS", "BIGINT", (None, None), (0, 0), (1, 1), (-1, 1), (LONG_MAX, LONG_MAX), (LONG_MIN, None), (MIN, -MIN), (-7, 7)),
    _rows("ABS", "DOUBLE", (None, None), (0.0, 0.0), (-0.0, 0.0), (-1.5, 1.5), (1e300, 1e300), (-INF, INF), (NAN, NAN), (-1e-300, 1e-300)),
    _rows("ABS", "DECIMAL(38,2)", (None, None), (Decimal("-1.50"), Decimal("1.50")), (Decimal("0"), Decimal("0")), (Decimal("9" * 25), ANY),
          (Decimal("-" + "9" * 25), ANY), (Decimal("0.01"), ANY), (Decimal("-0.01"), ANY), (Decimal("1"), ANY)),
    _rows("NEG", "INT", (None, None), (0, 0), (1, -1), (-1, 1), (MAX, -MAX), (MIN, None), (MIN + 1, MAX), (7, -7)),
    _rows("NEG", "BIGINT", (None, None), (0, 0), (1, -1), (-1, 1), (LONG_MAX, -LONG_MAX), (LONG_MIN, None), (MIN, -MIN), (7, -7)),
    _rows("NEG", "DOUBLE", (None, None), (0.0, -0.0), (-1.5, 1.5), (1.5, -1.5), (INF, -INF), (NAN, NAN), (1e300, -1e300), (-1e-300, 1e-300)),
    _rows("NEG", "DECIMAL(38,2)", (None, None), (Decimal("1.50"), Decimal("-1.50")), (Decimal("0"), Decimal("0")), (Decimal("9" * 25), ANY), (Decimal("-" + "9" * 25), ANY), (Decimal("0.01"), ANY), (Decimal("-0.01"), ANY), (Decimal("1"), ANY)),
    _rows("DISTANCE", "DOUBLE DOUBLE DOUBLE DOUBLE", (None, 1.0, 1.0, 1.0, None), (1.0, 1.0, None, 1.0, None), (0.0, 0.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0, 6371000 * math.pi / 180), (90.0, 0.0, -90.0, 0.0, 6371000 * math.pi), (0.0, -180.0, 0.0, 180.0, ANY),
          (40.0, -73.0, 41.0, -73.0, 6371000 * math.pi / 180), (0.0, 0.0, 0.0, 180.0, 6371000 * math.pi), (NAN, 0.0, 0.0, 0.0, NAN), (INF, 0.0, 0.0, 0.0, NAN), (1000.0, -1000.0, 5.0, 3.0, ANY), (52.52, 13.405, -33.8688, 151.2093, ANY)),
    _rows("DISTANCE", "INT BIGINT FLOAT DECIMAL(5,2)", *((1, 2, 3.5, Decimal(4), ANY), (None, 2, 3.5, Decimal(4), None), (1, None, 3.5, Decimal(4), None), (1, 2, None, Decimal(4), None), (1, 2, 3.5, None, None), (MAX, LONG_MAX, 0.0, Decimal(0), ANY), (-1, -2, -3.5, Decimal(-4), ANY), (0, 0, 0.0, Decimal(0), 0.0))),
    _rows("CEIL", "DOUBLE", *((x, ANY) for x in _NUMBERS), (95.95, 96), (-0.5, 0), (9.3e18, None), (-9.3e18, None), (NAN, None), (-(2.0**63), LONG_MIN), (2.0**63, None)),
    _rows("FLOOR", "DOUBLE", *((x, ANY) for x in _NUMBERS), (95.95, 95), (-0.5, -1), (9.3e18, None), (-9.3e18, None), (NAN, None), (-(2.0**63), LONG_MIN), (2.0**63, None)),
    _rows("CEIL", "DECIMAL(3,1)", (None, None), (Decimal("99.9"), Decimal(100)), (Decimal("-99.9"), Decimal(-99)), (Decimal("0.1"), Decimal(1)),
          (Decimal("-0.1"), Decimal(0)), (Decimal("5.0"), Decimal(5)), (Decimal("0"), Decimal(0)), (Decimal("1.5"), Decimal(2))),
    _rows("FLOOR", "DECIMAL(3,1)", (None, None), (Decimal("99.9"), Decimal(99)), (Decimal("-99.9"), Decimal(-100)), (Decimal("0.1"), Decimal(0)),
          (Decimal("-0.1"), Decimal(-1)), (Decimal("5.0"), Decimal(5)), (Decimal("0"), Decimal(0)), (Decimal("1.5"), Decimal(1))),
    _rows("CEIL", "INT", (None, None), (1, 1), (MIN, MIN), (MAX, MAX), (0, 0), (-1, -1), (5, 5), (7, 7)),
    _rows("FLOOR", "BIGINT", (None, None), (1, 1), (LONG_MIN, LONG_MIN), (LONG_MAX, LONG_MAX), (0, 0), (-1, -1), (5, 5), (7, 7)),
    _rows("ROUND", "DOUBLE", *((x, ANY) for x in _NUMBERS), (2.5, 3.0), (-2.5, -3.0), (0.49999999999999994, 0.0), (95.95, 96.0)),
    _rows("ROUND", "DOUBLE INT", (None, 2, None), (1.005, 2, 1.01), (-1.005, 2, -1.01), (2.675, 2, 2.68), (NAN, 2, NAN), (INF, 2, INF), (1e300, 2, 1e300),
          (1e-300, 2, 0.0), (0.125, 2, 0.13), literals={1: "2"}),
    _rows("ROUND", "DOUBLE INT", (None, 0, None), (15.0, 0, 20.0), (-15.0, 0, -20.0), (14.9, 0, 10.0), (4.9, 0, 0.0), (5.0, 0, 10.0), (NAN, 0, NAN), (1e18, 0, 1e18), literals={1: "-1"}),
    _rows("ROUND", "FLOAT", (None, None), (2.5, 3.0), (-2.5, -3.0), (0.25, 0.0), (NAN, NAN), (INF, INF), (0.0, 0.0), (1.75, 2.0)),
    _rows("ROUND", "INT INT", (None, 0, None), (15, 0, 20), (-15, 0, -20), (14, 0, 10), (MAX, 0, None), (MIN, 0, None), (0, 0, 0), (-4, 0, 0), literals={1: "-1"}),
    _rows("ROUND", "INT", (None, None), (15, 15), (-15, -15), (14, 14), (MAX, MAX), (MIN, MIN), (0, 0), (-4, -4)),
    _rows("ROUND", "BIGINT INT", (None, 0, None), (15, 0, 20), (-15, 0, -20), (14, 0, 10), (LONG_MAX, 0, None), (LONG_MIN, 0, None), (0, 0, 0), (-4, 0, 0), literals={1: "-1"}),
    _rows("ROUND", "DECIMAL(5,3) INT", (None, 0, None), (Decimal("1.005"), 0, Decimal("1.01")), (Decimal("-1.005"), 0, Decimal("-1.01")), (Decimal("99.999"), 0, Decimal("100.00")),
          (Decimal("0"), 0, Decimal("0.00")), (Decimal("0.004"), 0, Decimal("0.00")), (Decimal("1"), 0, Decimal("1.00")), (Decimal("-0.005"), 0, Decimal("-0.01")), literals={1: "2"}),
    _rows("ROUND", "DECIMAL(5,2) INT", (None, 0, None), (Decimal("999.99"), 0, Decimal(1000)), (Decimal("55.00"), 0, Decimal(60)), (Decimal("-55.00"), 0, Decimal(-60)),
          (Decimal("0"), 0, Decimal(0)), (Decimal("4.99"), 0, Decimal(0)), (Decimal("5"), 0, Decimal(10)), (Decimal("-5"), 0, Decimal(-10)), literals={1: "-1"}),
    _rows("MOD", "INT INT", (None, 1, None), (7, None, None), (7, 0, None), (7, 3, 1), (-7, 3, -1), (7, -3, 1), (MIN, -1, 0), (0, 5, 0)),
    _rows("MOD", "DOUBLE DOUBLE", (None, 1.0, None), (7.5, None, None), (7.5, 0.0, None), (7.5, 2.0, 1.5), (-7.5, 2.0, -1.5), (INF, 2.0, NAN), (7.5, INF, 7.5), (NAN, 1.0, NAN), (1.0, -0.0, None)),
    _rows("MIN", "INT INT BIGINT", (1, 2, 3, 1), (None, 2, 3, 2), (None, None, None, None), (MIN, MAX, LONG_MIN, LONG_MIN), (0, 0, 0, 0), (5, 4, 3, 3), (None, None, 7, 7), (1, None, LONG_MAX, 1)),
    _rows("MAX", "INT INT BIGINT", (1, 2, 3, 3), (None, 2, 3, 3), (None, None, None, None), (MIN, MAX, LONG_MAX, LONG_MAX), (0, 0, 0, 0), (5, 4, 3, 5), (None, None, 7, 7), (1, None, LONG_MAX, LONG_MAX)),
    _rows("MAX", "INT DOUBLE", (1, 2.5, 2.5), (3, 2.5, 3.0), (None, NAN, NAN), (1, NAN, NAN), (1, None, 1.0), (None, None, None), (1, INF, INF), (0, -0.0, 0.0)),
    _rows("MIN", "BIGINT FLOAT", (1, 2.5, 1.0), (3, 2.5, 2.5), (None, NAN, NAN), (1, NAN, 1.0), (16777217, None, 16777217.0), (None, None, None), (1, -INF, -INF), (0, 0.5, 0.0)),
    _rows("MAX", "DECIMAL(10,2) INT", (Decimal("1.50"), 1, Decimal("1.50")), (Decimal("1.50"), 2, Decimal("2.00")), (None, 1, Decimal("1.00")), (None, None, None),
          (Decimal("0"), MAX, Decimal(MAX)), (Decimal("-1"), -1, Decimal(-1)), (Decimal("99999999.99"), MIN, ANY), (Decimal("0.01"), 0, ANY)),
    _math("SIGN", (0.0, 0.0), (-2.5, -1.0), (27.0, 1.0), (INF, 1.0), (1e-300, 1.0)),
    _math("SQRT", (0.0, 0.0), (-1.0, NAN), (100.0, 10.0), (INF, INF), (-INF, NAN)),
    _rows("SQRT", "INT", (None, None), (0, 0.0), (4, 2.0), (-4, NAN), (MAX, ANY), (MIN, NAN), (1, 1.0), (2, math.sqrt(2))),
    _rows("SQRT", "DECIMAL(10,2)", (None, None), (Decimal(0), 0.0), (Decimal("6.25"), 2.5), (Decimal(-4), NAN), (Decimal(100), 10.0), (Decimal(1), 1.0), (Decimal("0.01"), 0.1), (Decimal(2), ANY)),
    _math("CBRT", (27.0, 3.0), (-1.0, -1.0), (0.0, 0.0)),
    _math("EXP", (0.0, 1.0), (1.0, math.e), (1e300, INF), (-INF, 0.0)),
    _math("LN", (1.0, 0.0), (0.0, None), (-1.0, None), (INF, INF), (-INF, None)),
    _math("LOG10", (1.0, 0.0), (100.0, 2.0), (0.0, None), (-1.0, None)),
    _rows("POW", "DOUBLE DOUBLE", (None, 1.0, None), (2.0, None, None), (2.0, 10.0, 1024.0), (-8.0, 1 / 3, NAN), (0.0, -1.0, INF), (1.0, NAN, NAN), (-1.0, INF, NAN), (NAN, 0.0, 1.0),
          (1.0, INF, NAN), (0.0, 0.0, 1.0), (1e300, 2.0, INF), (-2.0, 3.0, -8.0), (1.0, -INF, NAN)),
    _math("SIN", (0.0, 0.0), (INF, NAN)), _math("COS", (0.0, 1.0), (INF, NAN)), _math("TAN", (0.0, 0.0), (-INF, NAN)),
    _math("ASIN", (100.0, NAN), (1.0, math.pi / 2)), _math("ACOS", (100.0, NAN), (1.0, 0.0)), _math("ATAN", (INF, math.pi / 2)),
    _math("SINH", (0.0, 0.0), (1e300, INF)), _math("COSH", (0.0, 1.0), (1e300, INF)), _math("TANH", (1e300, 1.0)),
    _math("DEGREES", (0.0, 0.0)), _math("RADIANS", (0.0, 0.0)),
    _rows("ATAN2", "DOUBLE DOUBLE", (None, 1.0, None), (1.0, None, None), (0.0, -1.0, math.pi), (1.0, 1.0, math.pi / 4), (INF, INF, math.pi / 4), (NAN, 1.0, NAN), (-1.0, 0.0, -math.pi / 2), (0.0, 0.0, 0.0)),
    _timed("YEAR", 2013, 1969, 2024, 2021, 1, 9999, 2000), _timed("QUARTER", 1, 4, 4, 1, 1, 4, 1), _timed("MONTH", 1, 12, 12, 1, 1, 12, 2),
    _timed("WEEK", 1, 1, 1, 53, 1, 52, 9), _timed("DAY", 1, 31, 30, 3, 1, 31, 29), _timed("HOUR", 5, 23, 0, 12, 0, 23, 1),
    _timed("MINUTE", 0, 59, 0, 30, 0, 59, 2), _timed("SECOND", 0, 59, 0, 15, 0, 59, 3),
    _rows("YEAR", "DATE", (None, None), *((datetime.date(y, 1, 1), y) for y in (1, 1582, 1900, 1969, 1970, 2013, 9999))),
    _rows("HOUR", "DATE", (None, None), *((datetime.date(y, 1, 1), 0) for y in (1, 1582, 1900, 1969, 1970, 2013, 9999))),
)  # fmt: skip

_I, _S = "ARRAY<INT>", "ARRAY<STRING>"
_ZIPPED: tuple[tuple[list[int | None] | None, list[str | None] | None], ...] = (
    ([1, 2], ["a", "b", "c"]),
    ([], ["a"]),
    ([1, 2], []),
    (None, ["a"]),
    ([1], None),
    ([None], [None, None]),
    ([MIN, MAX], ["", "😀"]),
    ([], []),
    ([1, 2, 3], ["x"]),
)


def _zip(name: str, size: Callable[[int, int], int]) -> Rows:
    """The pairs of both arrays, as many as `size` says of their lengths."""
    rows: list[tuple[Any, ...]] = []
    for a, b in _ZIPPED:
        pairs = [*itertools.zip_longest(a or [], b or [])][: size(len(a or []), len(b or []))]
        rows.append((a, "", b, "", None if a is None or b is None else [{"x": x, "y b'": y} for x, y in pairs]))
    return _rows(name, f"{_I} STRING {_S} STRING", *rows, literals={1: "'x'", 3: "'y b'''"})


OTHERS = (
    _rows("COALESCE", "INT DOUBLE", (1, 2.5, 1.0), (None, 2.5, 2.5), (None, None, None), (0, None, 0.0), (MAX, NAN, float(MAX)), (None, NAN, NAN), (None, INF, INF), (-1, 0.0, -1.0)),
    _rows("COALESCE", "BIGINT FLOAT", (16777217, None, 16777217.0), (None, 2.5, 2.5), (None, None, None), (0, None, 0.0), (None, NAN, NAN), (1, 1.0, 1.0), (None, INF, INF), (-1, 0.0, -1.0)),
    _rows("COALESCE", "STRING STRING STRING", (None, "", "b", ""), ("a", None, None, "a"), (None, None, None, None), (None, None, "😀", "😀"), ("", None, "x", ""), ("a", "b", "c", "a"),
          (None, "b", None, "b"), (" ", "b", "c", " ")),
    _rows("COALESCE", f"{_I} ARRAY<BIGINT>", ([1], [2], [1]), (None, [LONG_MAX], [LONG_MAX]), (None, None, None), ([], [1], []), ([None], None, [None]), (None, [], []), ([1, 2], None, [1, 2]), (None, [None], [None])),
    *(_rows(name, "STRING", *((v, (v is None) == (name == "ISNULL")) for v in (None, "", "a", "😀", " ", "null", "NULL", "\n"))) for name in ("ISNULL", "ISNOTNULL")),
    *(_rows(name, "DOUBLE", *((v, v) for v in (None, 0.0, 1.5, NAN, INF, -INF, -1.0, 1e300))) for name in ("AS_NULLABLE", "AS_NON_NULLABLE")),
    _rows("SIZEOF", _I, (None, None), ([], 0), ([None], 1), ([1, 2], 2), ([1, None, 3], 3), ([0] * 10, 10), ([MAX], 1), ([None, None], 2)),
    _rows("SIZEOF", "MAP<STRING,INT>", (None, None), ({}, 0), ({"a": 1}, 1), ({"a": None}, 1), ({"a": 1, "b": 2}, 2), ({"": 1}, 1), ({"😀": 1}, 1), ({"a": 1, "A": 2}, 2)),
    _rows("ELEMENT_OF", f"{_S} INT", (None, 0, None), (["a"], None, None), (["a", "b"], 0, "a"), (["a", "b"], 1, "b"), (["a"], 1, None), (["a"], -1, None), ([], 0, None), ([None], 0, None),
          (["a"], MAX, None), (["a"], MIN, None), (["a", "😀"], 1, "😀")),
    _rows("ELEMENT_OF", f"{_S} BIGINT", (None, 0, None), (["a"], None, None), (["a", "b"], 0, "a"), (["a", "b"], 1, "b"), (["a"], LONG_MAX, None), (["a"], LONG_MIN, None), (["a"], 2**32, None), ([None], 0, None)),
    _rows("IN_ARRAY", f"INT {_I}", (1, [1], True), (1, [2], False), (1, [], False), (None, [1], None), (1, None, None), (1, [1, None], True), (2, [1, None], None), (None, [None], None), (None, [], None), (MIN, [MIN], True)),
    _rows("IN_ARRAY", f"BIGINT {_I}", (1, [1], True), (LONG_MAX, [2], False), (1, [], False), (None, [1], None), (1, None, None), (1, [1, None], True), (2, [1, None], None), (None, [None], None)),
    _rows("IN_ARRAY", "DOUBLE ARRAY<DOUBLE>", (NAN, [NAN], True), (0.0, [-0.0], True), (1.0, [], False), (None, [1.0], None), (1.0, None, None), (INF, [INF, None], True), (2.0, [1.0, None], None), (1.5, [1.5], True)),
    _rows("FLATTEN", "ARRAY<ARRAY<INT>>", (None, None), ([], []), ([[1], [2, 3]], [1, 2, 3]), ([[1], None], None), ([[], []], []), ([[None], [1]], [None, 1]), ([None], None), ([[1]], [1])),
    _zip("ZIP", min), _zip("ZIP_ALL", max),
    _rows("REPEAT", "STRING INT", ("a", 3, ["a"] * 3), (None, 2, [None, None]), ("a", None, None), ("a", 0, []), ("a", -1, []), ("😀", 1, ["😀"]), ("", 2, ["", ""]), (None, None, None), ("a", MIN, []), ("a", MAX, None), ("a", 1000001, None)),
    _rows("REPEAT", f"{_I} INT", ([1], 2, [[1], [1]]), (None, 2, [None, None]), ([1], None, None), ([], 2, [[], []]), ([1], -1, []), ([1], 0, []), ([None], 1, [[None]]), (None, None, None)),
)  # fmt: skip

_JSON_TEXTS = (
    None, "", " ", "null", "5", '"s"', "[1]", "{}", '{"a":1}', ' {\n"a" : 1 } ', '{"a":1.50}', '{"a":1e3}', '{"a":1.0}', '{"a":-0}', '{"a":-0.0}', '{"a":1E400}', '{"a":-1e400}', '{"a":12345678901234567890123}',
    '{"a":123456789012345678901234567890123456789012}', '{"a":-99999999999999999999999999999999999999}', '{"a":0.1}', '{"a":1.10e2}', '{"a":1e-7}', '{"a":1e22}', '{"a":9223372036854775808}', '{"a":0.00000001}', '{"a":100000000000000000000.50}',
    '{"a":0.1234567890123456789012345678901234567890}', '{"a":0.00000000000000000000000000000000000001}', '{"a":1.00000000000000000000000000000000000000}', '{"a":10.0}', '{"a":100}', '{"a":"x"}', '{"a":"x\\"y\\\\n\\u00e9/\\u0001\\n"}', '{"a":"😀"}', '{"a":"\\ud83d\\ude00"}',
    '{"a":"\\ud83d"}', '{"b":"\\ud83d","a":1}', '{"a":"\\ude00x"}', '{"a":null}', '{"a":true}', '{"a":false}', '{"a":{"c":1,"b":[1, 2 ,"z"],"\\ud83d\\ude00":1,"\\uffff":2}}', '{"a":1,"a":2}', '{"a":1} x', '{"a":1}{"a":2}', '{"a":1}x', "1x", "1 x", "true", "truex", "nul", "-", "01",
    '"s"x', '{"a":NaN}', "NaN", "{'a':1}", "{a:1}", '{"b":1}', '{"a":[]}', '{"a":{}}', '{"a":[1,"x",null,[2]]}', '{"a":[{"b":1},{"b":2}]}', '{"a":"\t"}', '{"a":01}', '{"a":+1}', '{"a":.5}', '{"a":5.}', '{"a":1,}', '{"":1}', '{"A":1}', '// c\n{"a":1}', '{"a":{"b":{"c":[3]}}}', '{"a b":1}',
    "[[1,2],[3]]", "[]", "[null]", '{"a":[[]]}', "\ufeff{}", "\u00a0{}",
)  # fmt: skip
_JSON_PATHS = (
    "'$'",
    "'$.a'",
    "'$[''a'']'",
    "'$.a.b'",
    "'$.a[0]'",
    "'$.a[1].b'",
    "'$[0]'",
    "'$[0][1]'",
    "'$.a[*]'",
    "'$[*]'",
    "'$.a.b.c[*]'",
    "'$[\"a b\"]'",
    "'$.a[999999999]'",
)
_JSON_ALL = {
    '{"a":1}': ["1"],
    '{"a":null}': ["null"],
    '{"b":1}': [],
    '{"a":1,"a":2}': None,
    "": None,
    '{"a":"x"}': ['"x"'],
    '{"a":[]}': ["[]"],
}
_DEEP = tuple(
    (f'{{"a":{text}}}', text)
    for text in ("[" * 500 + "]" * 500, '{"b":' * 500 + "1" + "}" * 500, '[{"b":' * 250 + "[]" + "}]" * 250)
)

JSON = (
    *(_rows("JSON_EXTRACT_FIRST", "STRING STRING", *((text, "", ANY) for text in _JSON_TEXTS), literals={1: path}) for path in _JSON_PATHS),
    *(_rows("JSON_EXTRACT_ALL", "STRING STRING", *((text, "", _JSON_ALL.get(str(text), ANY) if path == "'$.a'" else ANY) for text in _JSON_TEXTS), literals={1: path}) for path in _JSON_PATHS),
    *(_rows(f"JSON_EXTRACT_{which}", "STRING STRING", *((text, "", [found] if which == "ALL" else found) for text, found in _DEEP), literals={1: "'$.a'"}) for which in ("FIRST", "ALL")),
    _rows("JSON_EXTRACT_FIRST", "STRING STRING", ('{"hour": 1, "minute": 17}', "", "1"), ("{}", "", None), literals={1: "'$.hour'"}),
)  # fmt: skip

ALL = (*STRINGS, *NUMBERS, *OTHERS, *JSON)
