# ruff: noqa: E501  tables of values read better in long rows
"""Arguments of calls at their limits, for `calls`: literals, nulls with and without a type, columns of extremes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from functools import cache
from random import Random
from typing import Any

from lsqlc.dialects import DialectName
from lsqlc.functions import kinds
from lsqlc.functions.signature import Parameter
from lsqlc.types.data import DataType
from lsqlc.types.ddl import parse_type
from tests.fuzz import quoting

ROWS = 40
_INTS = (0, 1, -1, 2, 7, 2**31 - 1, -(2**31))
_BIGINTS = (0, 1, -1, 3, 2**31, -(2**31) - 1, 2**63 - 1, -(2**63), 253402300799999, -62135596800000)
_DOUBLES = (0.0, -0.0, 1.5, -2.5, 1e308, -1e308, 5e-324, 9.3e18, float("nan"), float("inf"), float("-inf"))
_TEXTS = (
    "", "a", "A b", " ", "%_\\", "it's", 'say "x"', "`", "\x00", "a\nb", "\t", "😀é", "İß", "\u200b", "x" * 3_000, "12", "-1",
    "1e400", "9" * 400, "0x1F", "NaN", "true", "2024-02-29", "0001-01-01", "9999-12-31", "10000-01-01", "2024-02-30",
    "2024-02-29 23:59:59", "1,2,,3", "a=1&b=%zz", "https://u:p@h.org:99999/p?q=a%20b#f", '{"a": [1, null, {"b": 2}]}',
    "[1, [2], null]", '{"a": "\\ud800"}', '["\\ud800", 1e999]', '{"\\ud83d": 1, "a": 1e999}', '"\\udc00"', '{"a": 1, "a": 2}', "1" * 400,
    "$", "$.a", "$[0]", "$.a[0]", f"$[{'9' * 200}]", "$.a[*]", "$[-1]", "$[", '$["a"]', "$..a", "%.2f", "\\u00e9", "{", "[" * 200, '{"a":' * 60, "null", "(", "[a", "YWJj", "====", "$1", "$", "${n}", "\\$", "a\\", "$12", "a" * 31 + "%", "\ufffd", "e\u0301", *quoting.TEXTS,
)  # fmt: skip
_DATES = (date(1, 1, 1), date(9999, 12, 31), date(1970, 1, 1), date(2024, 2, 29), date(1582, 10, 10), date(1900, 3, 1))
_TIMES = (
    datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, 23, 59, 59, 999999, UTC), datetime(1970, 1, 1, tzinfo=UTC),
    datetime(2024, 2, 29, 23, 59, 59, 999000, UTC), datetime(1969, 12, 31, 23, 59, 59, 999999, UTC),
)  # fmt: skip
_BYTES = (b"", b"\x00", b"\xff\xfe", b"abcd", b"12345678", b"x" * 2_000)

# Each column by name: its type, and the values that its rows take in turn. A null is added to each.
COLUMNS: Mapping[str, tuple[str, tuple[Any, ...]]] = {
    "c_boolean": ("BOOLEAN", (True, False)),
    "c_int": ("INT", _INTS),
    "c_bigint": ("BIGINT", _BIGINTS),
    "c_double": ("DOUBLE", _DOUBLES),
    "c_decimal": ("DECIMAL(10,2)", (Decimal("0.00"), Decimal("99999999.99"), Decimal("-99999999.99"), Decimal("0.01"))),
    "c_whole": ("DECIMAL(38,0)", (Decimal(10**38 - 1), Decimal(1 - 10**38), Decimal(0), Decimal(7))),
    "c_part": ("DECIMAL(38,38)", (Decimal("0." + "9" * 38), Decimal("-0." + "9" * 38), Decimal("0." + "0" * 37 + "1"))),
    "c_string": ("STRING", _TEXTS),
    "c_bytes": ("BYTES", _BYTES),
    "c_date": ("DATE", _DATES),
    "c_time": ("TIME", (0, 1, 86_399_999_999, 43_200_000_000)),
    "c_timestamp": ("TIMESTAMP", _TIMES),
    "c_ints": ("ARRAY<INT>", ([], [None], [1, None, 2, 1], [2**31 - 1, -(2**31)], [None, None], list(range(50)))),
    "c_bigints": ("ARRAY<BIGINT>", ([2**63 - 1, -(2**63), None], [], [0])),
    "c_doubles": ("ARRAY<DOUBLE>", (list(_DOUBLES), [], [None, float("nan"), float("nan")], [-0.0, 0.0])),
    "c_strings": ("ARRAY<STRING>", (["a", None, "", "A"], [], [None], list(_TEXTS[:12]))),
    "c_dates": ("ARRAY<DATE>", ([*_DATES, None], [], [None])),
    "c_booleans": ("ARRAY<BOOLEAN>", ([True, None, False], [])),
    "c_arrays": ("ARRAY<ARRAY<INT>>", ([[1], [], [None, 2]], [None], [[1], None], [], [[]])),
    "c_structs": ("ARRAY<STRUCT<x: INT, y: STRING>>", ([{"x": 1, "y": None}, None], [], [{"x": None, "y": None}])),
    "c_maps": ("ARRAY<MAP<STRING, INT>>", ([{"a": 1}, None, {}], [])),
    "c_map": ("MAP<STRING, INT>", ({}, {"a": 1, "b": None, "": -1}, {"x" * 100: 2**31 - 1})),
    "c_nested": ("MAP<STRING, ARRAY<INT>>", ({}, {"a": [1, None], "b": None}, {"": []})),
    "c_struct": ("STRUCT<x: INT, y: STRING>", ({"x": 1, "y": "a"}, {"x": None, "y": None})),
}  # fmt: skip
DDL = ", ".join(f"{name} {type}" for name, (type, _) in COLUMNS.items())


@dataclass(frozen=True, slots=True)
class _Written:
    """How a dialect writes what others write otherwise."""

    array: str
    typed: Callable[[str], str]


def _ksql_type(type: str) -> str:
    return type.replace(": ", " ")


def _sql_type(type: str) -> str:
    return type.replace("BYTES", "BINARY")


_DIALECTS: Mapping[DialectName, _Written] = {
    "lenses": _Written("[{}]", str),
    "ksql": _Written("ARRAY[{}]", _ksql_type),
    "sql": _Written("ARRAY({})", _sql_type),
}


def ksql_ddl() -> str:
    """The columns as CREATE STREAM declares them."""
    return ", ".join(f"{name} {_ksql_type(type)}" for name, (type, _) in COLUMNS.items())


@cache
def records(upper: bool) -> tuple[dict[str, Any], ...]:
    """The values of the records. `upper`: the names of the columns are in capital letters. The last record has nulls
    only.
    """
    random = Random(0)
    rows = []
    for number in range(ROWS):
        row = {}
        for name, (_, values) in COLUMNS.items():
            all_values = (*values, None)
            value = all_values[number] if number < len(all_values) else random.choice(all_values)
            row[name] = None if number == ROWS - 1 else value
        rows.append({n.upper(): _upper(v) for n, v in row.items()} if upper else row)
    return tuple(rows)


def _upper(value: Any) -> Any:
    """A value whose structs have the names that ksqlDB gives them: a map has other keys than `x` and `y`."""
    if isinstance(value, list):
        return [_upper(v) for v in value]
    if isinstance(value, dict) and set(value) == {"x", "y"}:
        return {name.upper(): v for name, v in value.items()}
    return value


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _text_literals(dialect: DialectName) -> tuple[str, ...]:
    """A backslash in a text is an escape in standard SQL."""
    return tuple(
        _quoted(t.replace("\\", "\\\\") if dialect == "sql" else t) for t in _TEXTS if "\x00" not in t and len(t) < 500
    )


@cache
def _literals(dialect: DialectName, type: str) -> tuple[str, ...]:
    """Values of a type as a dialect writes them."""
    if type == "STRING":
        return _text_literals(dialect)
    if type in ("INT", "BIGINT"):
        return tuple(str(n) for n in (_INTS if type == "INT" else _BIGINTS))
    if type == "BOOLEAN":
        return ("TRUE", "FALSE")
    casts: Mapping[str, tuple[str, ...]] = {
        "DOUBLE": ("1e308", "-1e308", "5e-324", "-0.0", "0.1", "NaN", "Infinity", "-Infinity"),
        "DECIMAL(10,2)": ("0.00", "99999999.99", "-0.01"),
        "DECIMAL(38,0)": ("9" * 38, "-" + "9" * 38),
        "DECIMAL(38,38)": ("0." + "9" * 38, "-0." + "0" * 37 + "1"),
        "DATE": ("0001-01-01", "9999-12-31", "1970-01-01", "2024-02-29"),
        "TIMESTAMP": ("0001-01-01 00:00:00", "9999-12-31 23:59:59.999999", "2024-02-29 12:00:00"),
    }
    written = _DIALECTS[dialect]
    if type in casts:
        return tuple(f"CAST('{text}' AS {written.typed(type)})" for text in casts[type])
    if type.startswith("ARRAY<"):
        element = type[6:-1]
        items = _literals(dialect, element) or (f"CAST(NULL AS {written.typed(element)})",)
        lists = (items[:1], items[:3], (*items[:2], "NULL"), ("NULL",), ("NULL", "NULL"))
        return tuple(written.array.format(", ".join(chosen)) for chosen in lists)
    return ()


# Literals for the parameters that take one, by kind; other kinds take the values of the types that they admit.
_SPECIAL: Mapping[str, tuple[str, ...]] = {
    "size": ("0", "1", "-1", "2", "38", "39", "400", "1000", "2147483647", "-2147483648", "99999999999", "NULL"),
    "regex": ("''", "'a'", "'(a)|(b)'", "'('", "'[a-'", "'a{999999}'", "'.*?'", "'^$'", "'[😀]'", "'(?<n>a)'", "'(?=a)'", "'a*'", "'(a)?'", "'(a(b(c)))'", "' '"),
    "json path": (
        "'$'", "'$.a'", "'$.a[0]'", "'$[0]'", f"'$[{'9' * 200}]'", "'$[-1]'", "'$..a'", "'$[*]'", "'$.a[*].b'", "'$['", "''",
        "'$.'", "'$[]'", "'$[2147483648]'", "'a'", "'$.\"a b\"'", f"'$.{'a' * 5_000}'", "'$[''a'']'", f"'${'.a' * 400}'",
        "'$[9223372036854775808]'", "'$.a]'",
    ),
    "pattern": (
        "'yyyy-MM-dd'", "'yyyy-MM-dd HH:mm:ss'", "'yyyy-MM-dd HH:mm:ss.SSSSSS'", "''", "'y'", "'yyyyyyyyyyyyyyyy'", "'QQQ'",
        "'bbb'", "''''", "''''''", "'[yyyy]'", "'EEEE, d MMM yy'", "'HH:mm'", "'😀'", "'yyyyMMdd'", "'MM'", "'{'", "'%Y'",
        "'yyyy-MM-dd''T''HH:mm:ssXXX'", "'hh a'", "'DDD yyyy'", "'#'", "'SSSSSSSSSS'", "'u-M-d'", "'\n'",
    ),
    "time zone": ("'UTC'", "'Europe/London'", "'+14:00'", "'-18:00'", "'+99:99'", "''", "'../etc'", "'a b'", "'\n'"),
    "unit of time": ("DAYS", "HOURS", "MILLISECONDS", "MINUTE"),
    "encoding": ("'hex'", "'utf8'", "'ascii'", "'base64'", "'x'", "''"),
    "field name": ("'x'", "'y'", "''", "'a b'", "'a\"b'", "'a`b'", "'a\nb'", "'X'", "'😀'", f"'{'n' * 3_000}'", "'\t'"),
    "literal": (
        "'X'", "NULL", "''", "'YEAR'", "'MONTH'", "'DAY'", "'WEEK'", "'HOUR'", "'MON'", "'DESC'", "'ASC'", "'KM'", "'MILES'",
        "'BIG_ENDIAN'", "'LITTLE_ENDIAN'", "'xx'", "TRUE", "FALSE", "1", "0", "-1", "2147483647", "MINUTE", "MICROSECOND",
    ),
    "lambda": (
        "x => x", "(x) => NULL", "x => x + 1", "(k, v) => k", "(k, v) => v", "(s, x) => s", "(s, x) => NULL", "x => TRUE",
        "(s, k, v) => s", "(k, v) => NULL", "x => x IS NULL", "(s, x) => s + x", "x => ARRAY[x]", "(k, v) => v IS NULL",
    ),
}  # fmt: skip
# Nulls without a type.
_UNTYPED = (*["NULL"] * 6, "COALESCE(NULL, NULL)", "CASE WHEN c_boolean THEN NULL END")
_PATTERNS = ("pattern that reads", "pattern that writes", "pattern of a time")


def _special(parameter: Parameter) -> tuple[str, ...]:
    kind = parameter.accepts
    if kind == "regex without groups":
        return _SPECIAL["regex"]
    if kind in _PATTERNS:
        return _SPECIAL["pattern"]
    return _SPECIAL.get(kind) or (_SPECIAL["literal"] if parameter.literal else ())


@cache
def _types() -> tuple[tuple[str, DataType], ...]:
    return tuple((name, parse_type(type)) for name, (type, _) in COLUMNS.items())


@cache
def _admissible(kind: str) -> tuple[str, ...]:
    """The columns whose type a kind of parameter admits."""
    return tuple(name for name, type in _types() if kinds.accepts(kind, type))


def argument(random: Random, dialect: DialectName, parameter: Parameter, like: str | None) -> tuple[str, str | None]:
    """An argument for a parameter, and the column whose type it has. `like`: the column that another argument has the
    type of, which parameters for any value often want.
    """
    special = _special(parameter)
    if special and random.random() < (0.95 if parameter.literal or parameter.accepts == "lambda" else 0.5):
        return random.choice(special), None
    form = random.random()
    if form < 0.15:
        return random.choice(_UNTYPED), None
    columns = _admissible(parameter.accepts) or tuple(COLUMNS)
    column = like if like in columns and random.random() < 0.6 else random.choice(columns)
    assert column is not None
    if random.random() < 0.03:
        column = random.choice(tuple(COLUMNS))
    type = COLUMNS[column][0]
    typed_null = f"CAST(NULL AS {_DIALECTS[dialect].typed(type)})"
    if form < 0.25:
        return typed_null, column
    literals = _literals(dialect, type)
    if form < 0.55 and literals:
        return random.choice(literals), column
    if form < 0.65:
        return f"CASE WHEN c_boolean THEN {random.choice((column, 'NULL', *literals[:2]))} ELSE {column} END", column
    if form < 0.7:
        return f"COALESCE(NULL, {column})", column
    return column, column
