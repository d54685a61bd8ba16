# ruff: noqa: E501, RUF001  a table of values reads better in long rows; letters of many scripts are the point
"""Arguments at the edges of functions of standard SQL, on which both engines must agree value by value."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import product
from math import inf, nan
from typing import Any

MAX, MIN = 2**31 - 1, -(2**31)
LONG_MAX, LONG_MIN = 2**63 - 1, -(2**63)
FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"


@dataclass(frozen=True, slots=True)
class Edges:
    """Rows of arguments of a function. `literals`: the values of those that a model writes as literals, by index; their
    cells are not read.
    """

    name: str
    types: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    literals: Mapping[int, int | str | bool] = field(default_factory=dict)


def _edges(name: str, types: str, *rows: tuple[Any, ...], **literals: int | str | bool) -> Edges:
    return Edges(name, tuple(types.split()), rows, {int(k[1:]): v for k, v in literals.items()})


def _each(name: str, type: str, *values: Any) -> Edges:
    return _edges(name, type, *((v,) for v in values))


def _time(*parts: int) -> datetime.datetime:
    return datetime.datetime(*parts, tzinfo=datetime.UTC)  # type: ignore[misc,arg-type]


_TEXTS = (None, "", "a", "Hello World", "é", "a😀b", FAMILY, "e\u0301", " a  b ", "a,b,,c", "~*-_.%+&/é", "\0x", "ÿ")
_DOUBLES = (
    None,
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -0.5,
    1.5,
    2.5,
    -2.5,
    27.0,
    1e-300,
    -1e-10,
    1e10,
    -1e10,
    1e200,
    -1e200,
    1e300,
    -1e300,
    nan,
    inf,
    -inf,
    1.7976931348623157e308,
)
_INTS = (None, 0, 1, -1, 7, -8, 31, 32, 33, 63, 64, MAX, MIN)
_LONGS = (None, 0, 1, -1, 255, -256, 65, 2**40, LONG_MAX, LONG_MIN)
_DATES = tuple(
    None if d is None else datetime.date(*d)
    for d in (
        None,
        (1, 1, 1),
        (1, 1, 31),
        (9999, 12, 31),
        (9999, 12, 1),
        (2024, 2, 29),
        (2023, 2, 28),
        (2023, 11, 14),
        (1969, 12, 31),
        (1900, 3, 31),
        (2024, 1, 31),
        (2024, 12, 29),
    )
)
_TIMES = (
    None,
    _time(1, 1, 1),
    _time(9999, 12, 31, 23, 59, 59, 999999),
    _time(1969, 12, 31, 23, 59, 59, 999999),
    _time(2024, 2, 29, 1, 2, 3, 4),
    _time(2023, 1, 31, 12),
    _time(2023, 2, 28, 23, 30),
    _time(2024, 3, 31, 1, 30),
    _time(1970, 1, 1),
    _time(2023, 1, 31, 12, 0, 0, 500000),
)
_ARRAYS: tuple[Any, ...] = (None, [], [None], [1], [1, 2, None], [2, 1, 2], [None, None, 3], [MAX, MIN, 0])
_FLOATS: tuple[Any, ...] = (
    None,
    [],
    [nan, 1.0],
    [None, nan, inf, -inf],
    [0.0, 5.0, None],
    [1e300, -1e300],
    [0.0, -0.0, 1.0],
    [-0.0, 0.0],
)
_SETS = (
    (None, "a"),
    ("a", None),
    ("", ""),
    ("a", ""),
    ("", "a,b"),
    ("", "a,,b"),
    ("b", "a,b"),
    ("a,b", "a,b"),
    ("😀", "a,😀"),
    ("c", "a,b"),
)
_PLACES = (None, 0, 1, 2, 3, -1, -2, -3, 9, -9, MAX, MIN)
_CUTS = tuple(
    (t, d, n)
    for (t, d), n in product(
        (
            (None, "."),
            ("a.b.c", None),
            ("", "."),
            ("", ""),
            ("a.b.c", "."),
            ("aaaa", "aa"),
            ("a😀b😀c", "😀"),
            ("abc", ""),
            ("abc", "abc"),
            (".a.", "."),
            ("ababab", "abab"),
        ),
        _PLACES,
    )
)

EDGES: tuple[Edges, ...] = (
    _edges("TRANSLATE", "STRING STRING STRING", (None, "a", "b"), ("a", None, "b"), ("a", "a", None), ("", "a", "b"), ("a😀b", "😀", "x"), ("a😀b", "b", "😀"), ("aab", "ab", "x"), ("aab", "aa", "xy"), ("abc", "", "xyz"), ("abc", "abc", ""), ("a\0b", "\0", "x"), ("abc", "b", "\0"), (FAMILY, "\u200d", "-")),
    _edges("REPEAT", "STRING INT", *product((None, "", "ab", "😀"), (None, 0, 1, 3, -1, MIN, MAX, 1000000))),
    _each("SPACE", "INT", None, 0, 1, -1, MAX, MIN, 5, 1000001),
    _each("ASCII", "STRING", *_TEXTS), _each("HEX", "STRING", *_TEXTS), _each("HEX", "BIGINT", *_LONGS), _each("HEX", "INT", *_INTS), _each("BIN", "BIGINT", *_LONGS), _each("CRC32", "STRING", *_TEXTS),
    _each("CHR", "BIGINT", *_LONGS, 128, 159, 160, 256, 321, 128512), _each("BASE64", "STRING", *_TEXTS), _each("URL_ENCODE", "STRING", *_TEXTS),
    _each("URL_DECODE", "STRING", *_TEXTS, "a+b", "%C3%A9", "%c3%a9", "%", "%4", "%zz", "%-1", "%+1", "%FF", "%C3", "\ufffd", "%EF%BF%BD", "%F0%9F%98%80", "a%00b", "%25", "%%41", "%u0041"),
    _edges("LOCATE", "STRING STRING INT", *((s, t, p) for (s, t), p in product((("b", None), (None, "b"), ("", ""), ("", "abc"), ("b", "abcb"), ("😀", "a😀😀"), ("bb", "b"), ("c", "a😀c")), _PLACES))),
    _edges("SUBSTRING_INDEX", "STRING STRING INT", *_CUTS), _edges("SPLIT_PART", "STRING STRING INT", *_CUTS),
    _edges("LEVENSHTEIN", "STRING STRING", *product((None, "", "kitten", "a😀b", "sitting", "é", "e\u0301"), repeat=2)),
    _edges("SHA2", "STRING INT", *product((None, "", "a😀"), (None, 0, 224, 256, 384, 512, 1, -1, MAX))),
    _edges("FIND_IN_SET", "STRING STRING", *_SETS),
    _edges("ELT", "INT STRING STRING", *product((None, 0, 1, 2, 3, -1, MAX), (None, "a", ""), ("b",))),
    *(_edges(name, "STRING STRING", *((t, "") for t in (*_TEXTS, "a1b22", "AAA", "aaa", "😀1")), _1=p) for name in ("REGEXP_COUNT", "REGEXP_SUBSTR", "REGEXP_INSTR") for p in ("[0-9]+", "^a?", "(😀|a)", "a$")),
    *(_edges("REGEXP_EXTRACT_ALL", "STRING STRING INT", *((t, "", 0) for t in (*_TEXTS, "a1b22", "ab", "b1a")), _1="([a-z])([0-9])?", _2=g) for g in (0, 1, 2)),
    _edges("PMOD", "INT INT", *product(_INTS, _INTS)), _edges("PMOD", "BIGINT BIGINT", *product(_LONGS, _LONGS)), _edges("PMOD", "INT BIGINT", (-7, 3), (7, -3), (None, 1)),
    *(_each(name, "DOUBLE", *_DOUBLES) for name in ("POSITIVE", "EXPM1", "LOG2", "LOG1P", "COT", "SEC", "CSC", "ASINH", "ACOSH", "ATANH", "RINT")),
    _edges("HYPOT", "DOUBLE DOUBLE", *product(_DOUBLES, _DOUBLES)), _edges("NANVL", "DOUBLE DOUBLE", *product((None, 1.0, nan, inf), (None, 2.0, nan))),
    *(_edges(name, f"{type} INT", *product(values, _INTS)) for name in ("SHIFTLEFT", "SHIFTRIGHT", "SHIFTRIGHTUNSIGNED") for type, values in (("INT", _INTS), ("BIGINT", _LONGS))),
    _each("BIT_COUNT", "INT", *_INTS), _each("BIT_COUNT", "BIGINT", *_LONGS), _each("FACTORIAL", "INT", *_INTS, 2, 19, 20, 21),
    _edges("WIDTH_BUCKET", "DOUBLE DOUBLE DOUBLE BIGINT", *product((None, 5.0, 0.0, 10.0, -1.0, 11.0, nan, inf, -inf, 3.3), (0.0, 10.0, None, nan, -inf), (10.0, 0.0, inf), (4, 0, -1, None, 3))),
    _edges("NVL2", "INT INT BIGINT", *product((None, 1), (None, 2), (None, 3))), _edges("EQUAL_NULL", "INT DOUBLE", *product((None, 1, 0), (None, 1.0, nan, -0.0))), _edges("EQUAL_NULL", "DOUBLE DOUBLE", *product((None, nan, 0.0, inf), (None, nan, -0.0, inf))),
    _each("ZEROIFNULL", "INT", *_INTS), _each("ZEROIFNULL", "DOUBLE", *_DOUBLES), _each("NULLIFZERO", "DOUBLE", *_DOUBLES), _each("NULLIFZERO", "BIGINT", *_LONGS),
    *(_edges(name, "ARRAY<INT> INT", *product(_ARRAYS, (None, 1, 2, 9))) for name in ("ARRAY_APPEND", "ARRAY_PREPEND", "ARRAY_POSITION", "ARRAY_REMOVE")),
    *(_edges(name, "ARRAY<DOUBLE> DOUBLE", *product(_FLOATS, (None, nan, 1.0, -0.0, inf))) for name in ("ARRAY_APPEND", "ARRAY_PREPEND", "ARRAY_POSITION", "ARRAY_REMOVE")),
    *(_each(name, type, *values) for name in ("ARRAY_COMPACT", "SORT_ARRAY", "ARRAY_SORT") for type, values in (("ARRAY<INT>", _ARRAYS), ("ARRAY<DOUBLE>", _FLOATS), ("ARRAY<STRING>", (None, [], ["b", None, "a", "B", "é", "😀", "\uffee", ""])))),
    _edges("SORT_ARRAY", "ARRAY<INT> BOOLEAN", *((a, None) for a in _ARRAYS), _1=False),
    _edges("ARRAY_JOIN", "ARRAY<STRING> STRING", *product((None, [], [None], ["a", None, "😀"], [""], [None, "x"]), (None, "", ", "))),
    _edges("ARRAY_JOIN", "ARRAY<STRING> STRING STRING", *product((None, [], [None], ["a", None, "😀"]), (None, "-"), (None, "?", ""))),
    _edges("ARRAY_REPEAT", "INT INT", *product((None, 1), (None, 0, 1, 2, -1, MIN, MAX))),
    _edges("ARRAYS_OVERLAP", "ARRAY<INT> ARRAY<INT>", *product(_ARRAYS, _ARRAYS)), _edges("ARRAYS_OVERLAP", "ARRAY<DOUBLE> ARRAY<DOUBLE>", *product(_FLOATS, (*_FLOATS, [-0.0]))),
    *(_edges(name, "ARRAY<INT> INT", *product(_ARRAYS, _PLACES)) for name in ("ELEMENT_AT", "GET")),
    _edges("ELEMENT_AT", "MAP<STRING,INT> STRING", *product((None, {}, {"a": 1, "": None, "😀": 2}), (None, "a", "", "😀", "b"))), _edges("MAP_CONTAINS_KEY", "MAP<STRING,INT> STRING", *product((None, {}, {"a": 1, "": None, "😀": 2}), (None, "a", "", "😀", "b"))),
    _each("MAP_ENTRIES", "MAP<STRING,INT>", None, {}, {"b": 1, "a": None}),
    _edges("SLICE", "ARRAY<INT> INT INT", *product((None, [], [1, 2, None, 4]), _PLACES, (None, 0, 1, 2, -1, MAX, MIN))),
    _edges("SEQUENCE", "INT INT", *product((None, 0, 3, -2), (None, 0, 3, -2, MAX))), _edges("SEQUENCE", "INT INT INT", *product((None, 0, 5), (None, 0, 5, -5), (None, 1, 2, -2, 7, 0))),
    _edges("ADD_MONTHS", "DATE INT", *product(_DATES, (*_INTS, 12, -12, 119987, 120000))), _edges("MONTHS_BETWEEN", "TIMESTAMP TIMESTAMP", *product(_TIMES, _TIMES)),
    *(_edges("NEXT_DAY", "DATE STRING", *((d, "") for d in _DATES), _1=day) for day in ("MO", "Tue", "wednesday", "TH", "FRI", "SA", "Sunday")),
    _edges("MAKE_DATE", "INT INT INT", *product((None, 0, 1, 4, 1900, 2000, 2023, 2024, 9999, 10000, MIN), (None, 0, 1, 2, 4, 12, 13, MAX), (None, 0, 1, 28, 29, 30, 31, 32, -1))),
    *(_each(name, "TIMESTAMP", *_TIMES) for name in ("DAYNAME", "MONTHNAME", "UNIX_SECONDS", "UNIX_MICROS")), *(_each(name, "DATE", *_DATES) for name in ("DAYNAME", "MONTHNAME", "UNIX_SECONDS", "UNIX_DATE")),
    *(_edges("DATE_PART", "STRING TIMESTAMP", *(("", t) for t in _TIMES), _0=p) for p in ("year", "QUARTER", "month", "week", "day", "dayofweek", "dow", "doy", "hour", "minute")),
    *(_edges("TRUNC", "DATE STRING", *((d, "") for d in _DATES), _1=u) for u in ("year", "YY", "quarter", "mon", "mm", "week")),
    *(_edges("TIMESTAMPDIFF", "STRING TIMESTAMP TIMESTAMP", *(("", a, b) for a, b in product(_TIMES, _TIMES)), _0=u) for u in ("microsecond", "MILLISECOND", "second", "minute", "HOUR", "day", "week")),
    _each("DATE_FROM_UNIX_DATE", "INT", *_INTS, -719162, -719163, 2932896, 2932897), _each("TIMESTAMP_SECONDS", "BIGINT", *_LONGS, -62135596800, -62135596801, 253402300799, 253402300800), _each("TIMESTAMP_MICROS", "BIGINT", *_LONGS, -1),
    _edges("FROM_UNIXTIME", "BIGINT STRING", *((v, "") for v in (*_LONGS, 253402300799, 253402300800)), _1="yyyy-MM-dd HH:mm:ss"),
    *(_edges(name, "TIMESTAMP STRING", *((t, "") for t in _TIMES if t is None or 1 < t.year < 9999), _1=z) for name in ("FROM_UTC_TIMESTAMP", "TO_UTC_TIMESTAMP") for z in ("Europe/London", "America/New_York", "+05:30", "UTC")),
    _each("INITCAP", "STRING", *_TEXTS, "sPark sql", "ßa", "ŉa", "ΑΣ ΣΑ ΑΣ", "ǆa Ǆ", "a-b\tc d", "İa", "ﬁx", "éA", "𐐨A", "ა", "ΐx", "'cat", "1cat", "-cat ", "ΣΣ", "ǅA", "ŸÿA", "ıI", "ᾳΑ", "և", "e\u0301A", "\u0301a"),
)  # fmt: skip
