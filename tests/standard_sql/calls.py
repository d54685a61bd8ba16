# ruff: noqa: E501  a table of values reads better in long rows
"""Calls, operators and casts of standard SQL over one record, with the type and the value that Spark gives.

`ANSI` says that Spark stops a query here in ANSI mode, where a model gives null.
"""

from __future__ import annotations

import datetime
from decimal import Decimal
from math import inf, nan
from typing import Any

COLUMNS = (
    "i INT, n INT, l BIGINT, f DOUBLE, z DOUBLE, d DECIMAL(10,2), s STRING, e STRING, ns STRING, b BOOLEAN, "
    "a ARRAY<INT>, ts TIMESTAMP, dt DATE, m STRING"
)
ROW: dict[str, Any] = {
    "i": 7, "n": None, "l": 5_000_000_000, "f": 2.5, "z": -0.75, "d": Decimal("12.34"), "s": "Héllo😀", "e": "",
    "ns": None, "b": True, "a": [1, 2, None], "ts": 1_700_000_000_123, "dt": "2023-11-14", "m": " a b ",
}  # fmt: skip
ANSI = "stops a query of Spark in ANSI mode"


def _utc(*parts: int) -> datetime.datetime:
    return datetime.datetime(*parts, tzinfo=datetime.UTC)  # type: ignore[arg-type,misc]


# The call, its type, its value, and what is special.
CALLS: tuple[tuple[str, str, Any, str], ...] = (
    # Arithmetic
    ("i + 1", "INT", 8, ""), ("i + n", "INT", None, ""), ("i + l", "BIGINT", 5_000_000_007, ""),
    ("i / 2", "DOUBLE", 3.5, ""), ("i / 0", "DOUBLE", None, ANSI), ("i div 2", "BIGINT", 3, ""),
    ("-i div 2", "BIGINT", -3, ""), ("i div 0", "BIGINT", None, ANSI), ("i % 4", "INT", 3, ""),
    ("-i % 4", "INT", -3, ""), ("i % 0", "INT", None, ANSI), ("2147483647 + i", "INT", None, ANSI),
    ("l * l", "BIGINT", None, ANSI), ("f * 2", "DOUBLE", 5.0, ""), ("f / 0", "DOUBLE", None, ANSI),
    ("d + 1", "DECIMAL(11,2)", Decimal("13.34"), ""), ("d * 2", "DECIMAL(12,2)", Decimal("24.68"), ""),
    ("d / 3", "DECIMAL(14,6)", Decimal("4.113333"), ""), ("d + d", "DECIMAL(11,2)", Decimal("24.68"), ""),
    ("d * 1.5", "DECIMAL(13,3)", Decimal("18.510"), ""), ("d - i", "DECIMAL(13,2)", Decimal("5.34"), ""),
    ("1.5", "DECIMAL(2,1)", Decimal("1.5"), ""), ("1.5D", "DOUBLE", 1.5, ""), ("2L", "BIGINT", 2, ""),
    ("1e3", "DOUBLE", 1000.0, ""), ("-1.25", "DECIMAL(3,2)", Decimal("-1.25"), ""), (".5", "DECIMAL(1,1)",
    Decimal("0.5"), ""), ("- z", "DOUBLE", 0.75, ""), ("mod(i, 4)", "INT", 3, ""),
    # Comparison
    ("i = 7", "BOOLEAN", True, ""), ("n = 7", "BOOLEAN", None, ""), ("n <=> NULL", "BOOLEAN", True, ""),
    ("i <=> n", "BOOLEAN", False, ""), ("n IS DISTINCT FROM 7", "BOOLEAN", True, ""), ("i == 7", "BOOLEAN", True, ""),
    ("i != 7", "BOOLEAN", False, ""), ("NOT n", "", None, "refused"), ("b AND n = 1", "BOOLEAN", None, ""),
    ("b OR n = 1", "BOOLEAN", True, ""), ("NOT b AND n = 1", "BOOLEAN", False, ""),
    ("i IN (1, 7)", "BOOLEAN", True, ""), ("i IN (1, n)", "BOOLEAN", None, ""), ("i NOT IN (1, n)", "BOOLEAN", None, ""),
    ("i BETWEEN 7 AND 8", "BOOLEAN", True, ""), ("i NOT BETWEEN 8 AND n", "BOOLEAN", True, ""),
    ("i BETWEEN n AND 8", "BOOLEAN", None, ""), ("i > 2.5", "BOOLEAN", True, ""), ("f = d", "BOOLEAN", False, ""),
    ("b IS TRUE", "BOOLEAN", True, ""), ("(n = 1) IS NOT TRUE", "BOOLEAN", True, ""),
    ("s LIKE 'H_l%'", "BOOLEAN", True, ""), ("s NOT LIKE 'h%'", "BOOLEAN", True, ""),
    (r"'50%' LIKE '50\\%'", "BOOLEAN", True, ""), (r"'50x' LIKE '50\\%'", "BOOLEAN", False, ""),
    ("'a_c' LIKE 'a!_c' ESCAPE '!'", "BOOLEAN", True, ""), ("ns LIKE 'a'", "BOOLEAN", None, ""),
    ("n IS NULL", "BOOLEAN", True, ""), ("n IS NOT NULL", "BOOLEAN", False, ""), ("isnull(n)", "BOOLEAN", True, ""),
    # Choice
    ("CASE WHEN n = 1 THEN 'a' WHEN b THEN 'b' END", "STRING", "b", ""), ("CASE i WHEN 7 THEN 1.5 ELSE 2 END",
    "DECIMAL(11,1)", Decimal("1.5"), ""), ("CASE n WHEN NULL THEN 1 END", "INT", None, ""),
    ("if(n = 1, 1, 2)", "INT", 2, ""), ("coalesce(n, 3)", "INT", 3, ""), ("nvl(n, 4L)", "BIGINT", 4, ""),
    ("ifnull(ns, 'x')", "STRING", "x", ""), ("nullif(i, 7)", "INT", None, ""), ("greatest(i, n, 9)", "INT", 9, ""),
    ("least(i, n)", "INT", 7, ""),
    # Texts
    ("upper(s)", "STRING", "HÉLLO😀", ""), ("lcase(s)", "STRING", "héllo😀", ""), ("length(s)", "INT", 6, ""),
    ("char_length(e)", "INT", 0, ""), ("trim(m)", "STRING", "a b", ""), ("ltrim(m)", "STRING", "a b ", ""),
    ("rtrim(m)", "STRING", " a b", ""), ("trim('\t a')", "STRING", "\t a", ""), ("substring(s, 2, 3)", "STRING", "éll", ""),
    ("substr(s, -2)", "STRING", "o😀", ""), ("substring(s, 0, 2)", "STRING", "Hé", ""),
    ("substring(s, -8, 4)", "STRING", "Hé", ""), ("substring(s, -8)", "STRING", "Héllo😀", ""),
    ("substring(s, 2, -1)", "STRING", "", ""), ("substring(s, 9, 2)", "STRING", "", ""),
    ("substring(s, 2, n)", "STRING", None, ""), ("substring(s, n)", "STRING", None, ""),
    ("substring(s, -3, 2147483647)", "STRING", "lo😀", ""), ("left(s, 2)", "STRING", "Hé", ""),
    ("right(s, 2)", "STRING", "o😀", ""), ("left(s, -1)", "STRING", "", ""), ("replace(s, 'l', 'L')", "STRING", "HéLLo😀", ""),
    ("reverse(s)", "STRING", "😀olléH", ""), ("contains(s, 'll')", "BOOLEAN", True, ""),
    ("startswith(s, 'H')", "BOOLEAN", True, ""), ("endswith(s, '')", "BOOLEAN", True, ""), ("instr(s, 'l')", "INT", 3, ""),
    ("instr(s, '')", "INT", 1, ""), ("instr(s, 'x')", "INT", 0, ""), ("locate('l', s)", "INT", 3, ""),
    ("s || '-' || i", "", None, "refused"), ("s || '!'", "STRING", "Héllo😀!", ""), ("s || ns", "STRING", None, ""),
    ("concat(s, ns)", "STRING", None, ""), ("concat_ws('-', s, ns, 'x')", "STRING", "Héllo😀-x", ""),
    (r"'it\'s'", "STRING", "it's", ""), ('"it\'s"', "STRING", "it's", ""),
    ("btrim(m)", "STRING", "a b", ""), ("octet_length(s)", "INT", 10, ""), ("bit_length(s)", "INT", 80, ""),
    ("md5(s)", "STRING", "0d371dd2ebe98e69544519ad569e91c7", ""), ("sha1(e)", "STRING", "da39a3ee5e6b4b0d3255bfef95601890afd80709", ""),
    ("sha(ns)", "STRING", None, ""), ("s RLIKE '^H.l+o'", "BOOLEAN", True, ""), ("regexp_like(s, 'x')", "BOOLEAN", False, ""),
    ("rlike(ns, 'x')", "BOOLEAN", None, ""), ("regexp_replace(s, 'l+', 'L')", "STRING", "HéLo😀", ""),
    ("split('a1b22c', '[0-9]+')", "ARRAY<STRING>", ["a", "b", "c"], ""), ("split(e, 'x')", "ARRAY<STRING>", [""], ""),
    ("regexp_extract('q=1&id=23', 'id=([0-9]+)', 1)", "STRING", "23", ""), ("regexp_extract(s, '(l+)')", "STRING", "ll", ""),
    ("regexp_extract(s, 'l(x)?', 1)", "STRING", "", ""), ("regexp_extract(s, 'z', 0)", "STRING", "", ""),
    ("regexp_extract(ns, 'z', 0)", "STRING", None, ""), ("lpad(s, 8, 'ab')", "STRING", "abHéllo😀", ""), ("lpad(s, 2)", "STRING", "Hé", ""),
    ("split('a,b', ',')", "ARRAY<STRING>", ["a", "b"], ""), ("concat('(', s, ')', '[')", "STRING", "(Héllo😀)[", ""),
    ("CASE WHEN s = 'end' THEN 'case' ELSE concat('from', ',', 'case') END", "STRING", "from,case", ""),
    ("lpad('7', 3, '0')", "STRING", "007", ""), ("rpad(s, 8)", "STRING", "Héllo😀  ", ""), ("rpad(s, 9, '')", "STRING", "Héllo😀", ""),
    ("rpad(s, -1, 'x')", "STRING", "", ""), ("lpad(s, n, 'x')", "STRING", None, ""), ("rpad(e, 3, 'ab')", "STRING", "aba", ""),
    # Numbers
    ("abs(z)", "DOUBLE", 0.75, ""), ("ceil(f)", "BIGINT", 3, ""), ("floor(z)", "BIGINT", -1, ""),
    ("ceil(d)", "DECIMAL(9,0)", Decimal("13"), ""), ("round(f)", "DOUBLE", 3.0, ""), ("round(2.345D, 2)", "DOUBLE", 2.35, ""),
    ("round(d, 1)", "DECIMAL(10,1)", Decimal("12.3"), ""), ("sign(z)", "DOUBLE", -1.0, ""), ("sqrt(f)", "DOUBLE", 1.5811388300841898, ""),
    ("sqrt(z)", "DOUBLE", nan, ""), ("exp(0)", "DOUBLE", 1.0, ""), ("ln(z)", "DOUBLE", None, ""), ("log(f)", "DOUBLE",
    0.9162907318741551, ""), ("log10(1000)", "DOUBLE", 3.0, ""), ("power(2, 10)", "DOUBLE", 1024.0, ""),
    ("pow(f, 2)", "DOUBLE", 6.25, ""), ("negative(i)", "INT", -7, ""), ("cbrt(27)", "DOUBLE", 3.0, ""),
    ("pi()", "DOUBLE", 3.141592653589793, ""), ("isnan(sqrt(z))", "BOOLEAN", True, ""), ("isnan(n)", "BOOLEAN", False, ""),
    ("degrees(0)", "DOUBLE", 0.0, ""), ("atan2(0, 1)", "DOUBLE", 0.0, ""), ("exp(1000)", "DOUBLE", inf, ""),
    # Casts
    ("cast(f AS INT)", "INT", 2, ""), ("cast(z AS BIGINT)", "BIGINT", 0, ""), ("cast(l AS INT)", "INT", None, ANSI),
    ("cast('12' AS INT)", "INT", 12, ""), ("cast('x' AS INT)", "INT", None, ANSI), ("try_cast('x' AS INT)", "INT", None, ""),
    ("cast(i AS STRING)", "STRING", "7", ""), ("cast(f AS STRING)", "STRING", "2.5", ""), ("i::string", "STRING", "7", ""),
    ("cast(d AS INT)", "INT", 12, ""), ("cast(b AS INT)", "INT", 1, ""), ("cast('true' AS BOOLEAN)", "BOOLEAN", True, ""),
    ("cast(d AS DECIMAL(5,1))", "DECIMAL(5,1)", Decimal("12.3"), ""), ("cast(dt AS STRING)", "STRING", "2023-11-14", ""),
    ("cast(i AS DOUBLE)", "DOUBLE", 7.0, ""),
    # Arrays, dates and times
    ("a[0]", "INT", 1, ""), ("a[2]", "INT", None, ""), ("a[5]", "INT", None, ANSI), ("size(a)", "INT", 3, ""),
    ("array_min(a)", "INT", 1, ""), ("array_max(a)", "INT", 2, ""), ("array_distinct(array(i, 7, n))", "ARRAY<INT>", [7, None], ""),
    ("array_union(a, array(2, 3))", "ARRAY<INT>", [1, 2, None, 3], ""), ("array_intersect(a, array(2, 3))", "ARRAY<INT>", [2], ""),
    ("array_intersect(array(n, 2), a)", "ARRAY<INT>", [None, 2], ""), ("array_except(array(n, 5), a)", "ARRAY<INT>", [5], ""),
    ("array_except(a, array(2, 3))", "ARRAY<INT>", [1, None], ""), ("json_array_length('[1, 2]')", "INT", 2, ""),
    ("json_object_keys('{\"x\": 1, \"y\": {\"z\": 2}}')", "ARRAY<STRING>", ["x", "y"], ""), ("json_array_length(s)", "INT", None, ""),
    ("dayofweek(dt)", "INT", 3, ""), ("dayofweek(ts)", "INT", 3, ""), ("weekday(dt)", "INT", 1, ""), ("dayofyear(dt)", "INT", 318, ""),
    ("last_day(dt)", "DATE", datetime.date(2023, 11, 30), ""), ("datediff(dt, DATE '2023-01-01')", "INT", 317, ""),
    ("datediff(DATE '2024-02-29', DATE '2024-03-01')", "INT", -1, ""), ("last_day(DATE '2024-02-01')", "DATE", datetime.date(2024, 2, 29), ""),
    ("array(i, 2)[1]", "INT", 2, ""), ("year(ts)", "INT", 2023, ""), ("month(dt)", "INT", 11, ""), ("day(ts)", "INT", 14, ""),
    ("hour(ts)", "INT", 22, ""), ("minute(ts)", "INT", 13, ""), ("second(ts)", "INT", 20, ""), ("quarter(dt)", "INT", 4, ""),
    ("weekofyear(dt)", "INT", 46, ""), ("dt = DATE '2023-11-14'", "BOOLEAN", True, ""),
    ("ts > TIMESTAMP '2023-11-14 22:13:20'", "BOOLEAN", True, ""),
    ("array_contains(a, 2)", "BOOLEAN", True, ""), ("array_contains(a, 5)", "BOOLEAN", None, ""), ("array_contains(array(1, 2), 5)", "BOOLEAN", False, ""),
    ("date_format(ts, 'yyyy-MM-dd HH:mm')", "STRING", "2023-11-14 22:13", ""), ("date_format(dt, 'dd/MM/yy')", "STRING", "14/11/23", ""),
    ("to_timestamp('2023-11-14 22:13', 'yyyy-MM-dd HH:mm')", "TIMESTAMP", _utc(2023, 11, 14, 22, 13), ""),
    ("to_timestamp('x', 'yyyy-MM-dd')", "TIMESTAMP", None, ANSI), ("to_date('14.11.2023', 'dd.MM.yyyy')", "DATE", datetime.date(2023, 11, 14), ""),
    ("date_add(dt, 17)", "DATE", datetime.date(2023, 12, 1), ""), ("dateadd(dt, -14)", "DATE", datetime.date(2023, 10, 31), ""),
    ("date_sub(dt, 14)", "DATE", datetime.date(2023, 10, 31), ""), ("date_add(dt, n)", "DATE", None, ""),
    ("timestampadd(HOUR, 2, ts)", "TIMESTAMP", _utc(2023, 11, 15, 0, 13, 20, 123_000), ""),
    ("date_trunc('hour', ts)", "TIMESTAMP", _utc(2023, 11, 14, 22), ""), ("date_trunc('WEEK', dt)", "TIMESTAMP", _utc(2023, 11, 13), ""),
    ("date_trunc('QUARTER', ts)", "TIMESTAMP", _utc(2023, 10, 1), ""), ("unix_millis(ts)", "BIGINT", 1_700_000_000_123, ""),
    ("timestamp_millis(1700000000123)", "TIMESTAMP", _utc(2023, 11, 14, 22, 13, 20, 123_000), ""),
    ("ts + INTERVAL 10 MINUTES", "TIMESTAMP", _utc(2023, 11, 14, 22, 23, 20, 123_000), ""),
    ("INTERVAL '1 day 2 hours' + ts", "TIMESTAMP", _utc(2023, 11, 16, 0, 13, 20, 123_000), ""),
    ("ts - INTERVAL '1' DAY - INTERVAL 20 SECONDS", "TIMESTAMP", _utc(2023, 11, 13, 22, 13, 0, 123_000), ""),
    ("dt + INTERVAL 1 WEEK", "DATE", datetime.date(2023, 11, 21), ""), ("dt - INTERVAL 12 HOURS", "TIMESTAMP", _utc(2023, 11, 13, 12), ""),
    ("ts + INTERVAL 1 HOUR > ts", "BOOLEAN", True, ""),
)  # fmt: skip
