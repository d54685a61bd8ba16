# ruff: noqa: E501  a table of values reads better in long rows
"""Calls, operators and casts of standard SQL over one record, with the type and the value that Spark gives.

`ANSI` says that Spark stops a query here in ANSI mode, where a model gives null.
"""

from __future__ import annotations

import datetime
from decimal import Decimal
from math import inf, nan
from typing import Any

from tests.standard_sql.interval_calls import INTERVAL_CALLS
from tests.standard_sql.more_calls import ANSI as ANSI
from tests.standard_sql.more_calls import MORE_CALLS

COLUMNS = (
    "i INT, n INT, l BIGINT, f DOUBLE, z DOUBLE, d DECIMAL(10,2), s STRING, e STRING, ns STRING, b BOOLEAN, "
    "a ARRAY<INT>, ts TIMESTAMP, dt DATE, m STRING, mp MAP<STRING, INT>"
)
ROW: dict[str, Any] = {
    "i": 7, "n": None, "l": 5_000_000_000, "f": 2.5, "z": -0.75, "d": Decimal("12.34"), "s": "Héllo😀", "e": "",
    "ns": None, "b": True, "a": [1, 2, None], "ts": 1_700_000_000_123, "dt": "2023-11-14", "m": " a b ",
    "mp": {"x": 1, "y": None},
}  # fmt: skip


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
    # Bits, and other patterns
    ("i & 3", "INT", 3, ""), ("i | 8 & 12", "INT", 15, ""), ("i ^ 2 | 1", "INT", 5, ""), ("~i", "INT", -8, ""), ("l & i", "BIGINT", 0, ""),
    ("i & n", "INT", None, ""), ("i << 2 + 1", "INT", 56, ""), ("-8 >>> 1", "INT", 2_147_483_644, ""), ("i >> 1 >> 1", "INT", 1, ""),
    ("l >>> 1 >> 2", "BIGINT", 625_000_000, ""), ("i ^ 2 > 3", "BOOLEAN", True, ""), ("1 + 2 || 'a'", "STRING", "3a", ""),
    ("'a' || 1 + 2", "BIGINT", None, ANSI), ("'4' || 1 + 2", "BIGINT", 43, ""), ("'a' || (1 + 2)", "STRING", "a3", ""),
    ("s ILIKE 'h%'", "BOOLEAN", True, ""), ("s NOT ILIKE 'H%'", "BOOLEAN", False, ""), ("s LIKE ALL ('H%', '%l%')", "BOOLEAN", True, ""),
    ("s LIKE ANY ('x', 'H%')", "BOOLEAN", True, ""), ("s NOT LIKE ANY ('x', 'H%')", "BOOLEAN", True, ""), ("s NOT LIKE ALL ('x', 'H%')", "BOOLEAN", False, ""),
    ("s ILIKE SOME ('h%')", "BOOLEAN", True, ""), ("s LIKE elt(1, 'H%', 'x')", "BOOLEAN", True, ""), (r"'a%b' ILIKE 'A\\%B'", "BOOLEAN", True, ""), ("'Add%b' ilike 'a%#%b' escape '#'", "BOOLEAN", True, ""),
    ("s LIKE ALL (ns, 'H%')", "BOOLEAN", None, ""), ("! b", "BOOLEAN", False, ""), ("! b = FALSE", "BOOLEAN", True, ""), ("b IS UNKNOWN", "BOOLEAN", False, ""),
    ("s COLLATE UTF8_BINARY", "STRING", "Héllo😀", ""), ("X'1C7'", "BYTES", b"\x01\xc7", ""), ("X'6162' = 'ab'", "BOOLEAN", True, ""), ("x'61' < x'62'", "BOOLEAN", True, ""),
    ("unhex('4')", "BYTES", b"\x04", ""), ("unhex('xx')", "BYTES", None, ANSI), ("d div 1.5", "BIGINT", 8, ""), ("dt + 1", "DATE", datetime.date(2023, 11, 15), ""),
    ("dt - i", "DATE", datetime.date(2023, 11, 7), ""), ("1 + dt", "DATE", datetime.date(2023, 11, 15), ""),
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
    ("s || '-' || i", "STRING", "Héllo😀-7", ""), ("s || '!'", "STRING", "Héllo😀!", ""), ("s || ns", "STRING", None, ""),
    ("concat(s, ns)", "STRING", None, ""), ("concat_ws('-', s, ns, 'x')", "STRING", "Héllo😀-x", ""),
    (r"'it\'s'", "STRING", "it's", ""), ('"it\'s"', "STRING", "it's", ""),
    ("trim(BOTH 'H' FROM s)", "STRING", "éllo😀", ""), ("trim(LEADING 'Hé' FROM s)", "STRING", "llo😀", ""), ("trim(TRAILING FROM m)", "STRING", " a b", ""),
    ("trim('x' FROM 'xax')", "STRING", "a", ""), ("btrim('xax', 'x')", "STRING", "a", ""), ("ltrim('x', 'xax')", "STRING", "ax", ""), ("rtrim('x', 'xax')", "STRING", "xa", ""),
    ("overlay('Spark SQL' PLACING '_' FROM 6)", "STRING", "Spark_SQL", ""), ("overlay('Spark SQL' placing 'ANSI ' from i for 0)", "STRING", "Spark ANSI SQL", ""),
    ("overlay('Spark SQL' PLACING 'tructured' FROM 2 FOR 4)", "STRING", "Structured SQL", ""), ("overlay('abc', 'xy', 2)", "STRING", "axy", ""), ("overlay('abc' placing 'x' from -1)", "STRING", "xabc", ""),
    ("overlay('abc' placing 'x' from 2 for -5)", "STRING", "axc", ""), ("overlay('abc' placing 'x' from 9 for i)", "STRING", "abcx", ""), ("overlay(ns placing 'x' from 1)", "STRING", None, ""),
    ("overlay('abcd' placing 'x' from 2 for n)", "STRING", None, ""), ("overlay('abcd' placing 'x' from 2 for -i)", "STRING", "axcd", ""),
    ("trim('' FROM m)", "STRING", " a b ", ""), ("trim(ns FROM s)", "STRING", None, ""),
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
    ("cast(i AS TINYINT)", "INT", 7, ""), ("cast(1000 * i AS TINYINT)", "INT", None, ANSI), ("cast('12' AS SMALLINT)", "INT", 12, ""), ("cast(f AS SMALLINT)", "INT", 2, ""),
    ("smallint(l)", "INT", None, ANSI), ("tinyint(b)", "INT", 1, ""), ("127Y", "INT", 127, ""), ("-5S", "INT", -5, ""), ("-128Y", "INT", -128, ""), ("try_cast(i * 100 AS TINYINT)", "INT", None, ""),
    ("try_cast('x' AS TINYINT)", "INT", None, ""), ("i::smallint + 1", "INT", 8, ""), ("cast(s AS TINYINT)", "INT", None, ANSI),
    ("cast('2024-01-01 10:00:00' AS TIMESTAMP_NTZ)", "TIMESTAMP", _utc(2024, 1, 1, 10), ""), ("cast(dt AS TIMESTAMP_LTZ)", "TIMESTAMP", _utc(2023, 11, 14), ""),
    ("TIMESTAMP_NTZ '2024-01-01 10:00:00'", "TIMESTAMP", _utc(2024, 1, 1, 10), ""),
    ("size(array())", "INT", 0, ""), ("coalesce(a, array())", "ARRAY<INT>", [1, 2, None], ""), ("array_union(array(), a)", "ARRAY<INT>", [1, 2, None], ""),
    ("if(b, array(), a)", "ARRAY<INT>", [], ""), ("cast(array() as array<string>)", "ARRAY<STRING>", [], ""), ("a = array()", "BOOLEAN", False, ""),
    ("10002131293210382103821 + i", "DECIMAL(24,0)", Decimal("10002131293210382103828"), ""), ("-9223372036854775808", "BIGINT", -9_223_372_036_854_775_808, ""),
    ("9223372036854775809", "DECIMAL(19,0)", Decimal("9223372036854775809"), ""),
    # Intervals
    ("extract(day from ts - dt)", "INT", 0, ""), ("extract(hour from ts - dt)", "INT", 22, ""), ("extract(second from dt - ts)", "DECIMAL(8,6)", Decimal("-20.123000"), ""),
    ("extract(minutes from dt - ts)", "INT", -13, ""), ("date_part('year', interval '-2-3' year to month)", "INT", -2, ""), ("extract(month from interval '-2-3' year to month)", "INT", -3, ""),
    ("ts + INTERVAL 1 MONTH", "TIMESTAMP", _utc(2023, 12, 14, 22, 13, 20, 123_000), ""), ("dt + INTERVAL 1 MONTH", "DATE", datetime.date(2023, 12, 14), ""),
    ("dt - interval '1-2' year to month", "DATE", datetime.date(2022, 9, 14), ""), ("ts - INTERVAL '1-2' YEAR TO MONTH", "TIMESTAMP", _utc(2022, 9, 14, 22, 13, 20, 123_000), ""),
    ("ts + INTERVAL '1 02:03:04' DAY TO SECOND", "TIMESTAMP", _utc(2023, 11, 16, 0, 16, 24, 123_000), ""), ("ts - INTERVAL 1 DAY 2 HOURS", "TIMESTAMP", _utc(2023, 11, 13, 20, 13, 20, 123_000), ""),
    ("ts - dt > INTERVAL 5 MINUTES", "BOOLEAN", True, ""), ("dt - DATE '2023-11-01' = INTERVAL 13 DAYS", "BOOLEAN", True, ""), ("ts - ts = INTERVAL 0 SECONDS", "BOOLEAN", True, ""),
    ("dt + (dt - DATE '2023-11-01')", "DATE", datetime.date(2023, 11, 27), ""), ("ts - (ts - '2023-11-01')", "TIMESTAMP", _utc(2023, 11, 1), ""),
    ("ts + (ts - dt)", "TIMESTAMP", _utc(2023, 11, 15, 20, 26, 40, 246_000), ""), ("ts + 2 * INTERVAL 1 HOUR", "TIMESTAMP", _utc(2023, 11, 15, 0, 13, 20, 123_000), ""),
    ("INTERVAL 1 HOUR * i + ts", "TIMESTAMP", _utc(2023, 11, 15, 5, 13, 20, 123_000), ""), ("ts + INTERVAL 1 MICROSECOND", "TIMESTAMP", _utc(2023, 11, 14, 22, 13, 20, 123_001), ""),
    ("ts + -INTERVAL 1 DAY", "TIMESTAMP", _utc(2023, 11, 13, 22, 13, 20, 123_000), ""), ("ts + INTERVAL -1 DAY", "TIMESTAMP", _utc(2023, 11, 13, 22, 13, 20, 123_000), ""),
    ("-INTERVAL 1 DAY < INTERVAL 1 HOUR", "BOOLEAN", True, ""), ("INTERVAL 1 YEAR = INTERVAL 12 MONTHS", "BOOLEAN", True, ""),
    ("DATE '2024-01-31' + INTERVAL 1 MONTH", "DATE", datetime.date(2024, 2, 29), ""), ("TIMESTAMP '2024-03-31 10:00:00' - INTERVAL 1 MONTH", "TIMESTAMP", _utc(2024, 2, 29, 10), ""),
    ("dt + INTERVAL 24 HOURS", "TIMESTAMP", _utc(2023, 11, 15), ""), ("TIMESTAMP '9999-12-31 10:00:00' + INTERVAL 1 MONTH", "TIMESTAMP", None, ANSI),
    ("ts BETWEEN dt - INTERVAL 1 WEEK AND dt + INTERVAL 1 YEAR", "BOOLEAN", True, ""), ("if(b, ts - dt, INTERVAL 1 DAY) > INTERVAL 2 HOURS", "BOOLEAN", True, ""),
    ("ts + INTERVAL '1.5' SECOND", "TIMESTAMP", _utc(2023, 11, 14, 22, 13, 21, 623_000), ""), ("coalesce(ts - dt, INTERVAL 1 DAY) < INTERVAL '23:00' HOUR TO MINUTE", "BOOLEAN", True, ""),
    ("ts + if(b, INTERVAL 1 MONTH, INTERVAL 2 YEARS)", "TIMESTAMP", _utc(2023, 12, 14, 22, 13, 20, 123_000), ""),
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
    # More texts
    ("translate(s, 'lé😀', 'LE')", "STRING", "HELLo", ""), ("translate('aab', 'aa', 'xy')", "STRING", "xxb", ""), ("translate(s, 'x', ns)", "STRING", None, ""),
    ("repeat('ab', 3)", "STRING", "ababab", ""), ("repeat(s, -1)", "STRING", "", ""), ("repeat(s, n)", "STRING", None, ""), ("space(3)", "STRING", "   ", ""), ("space(-1)", "STRING", "", ""),
    ("ascii('😀a')", "INT", 128512, ""), ("ascii(e)", "INT", 0, ""), ("chr(65)", "STRING", "A", ""), ("char(233)", "STRING", "é", ""), ("chr(321)", "STRING", "A", ""), ("chr(-1)", "STRING", "", ""),
    ("locate('l', s, 4)", "INT", 4, ""), ("locate('l', s, 0)", "INT", 0, ""), ("locate('H', s, 2)", "INT", 0, ""), ("position('l' IN s)", "INT", 3, ""), ("position('l', s)", "INT", 3, ""),
    ("substring_index('a.b.c', '.', 2)", "STRING", "a.b", ""), ("substring_index('a.b.c', '.', -2)", "STRING", "b.c", ""), ("substring_index('a.b.c', '.', 0)", "STRING", "", ""), ("substring_index('aaa', 'aa', 2)", "STRING", "a", ""), ("substring_index('aaa', 'aa', -2)", "STRING", "a", ""),
    ("split_part('a,b,c', ',', 2)", "STRING", "b", ""), ("split_part('a,b,c', ',', -1)", "STRING", "c", ""), ("split_part('a,b', ',', 5)", "STRING", "", ""), ("split_part('a,b', '', 1)", "STRING", "a,b", ""), ("split_part('a', ',', 0)", "STRING", None, ANSI),
    ("levenshtein('kitten', 'sitting')", "INT", 3, ""), ("levenshtein(s, e)", "INT", 6, ""), ("base64(s)", "STRING", "SMOpbGxv8J+YgA==", ""), ("hex(s)", "STRING", "48C3A96C6C6FF09F9880", ""), ("hex(-i)", "STRING", "FFFFFFFFFFFFFFF9", ""), ("hex(255)", "STRING", "FF", ""),
    ("bin(13)", "STRING", "1101", ""), ("bin(-1L)", "STRING", "1" * 64, ""), ("sha2(e, 256)", "STRING", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", ""), ("sha2(e, 7)", "STRING", None, ""), ("crc32('Spark')", "BIGINT", 1557323817, ""),
    ("find_in_set('b', 'a,b')", "INT", 2, ""), ("find_in_set('a,b', 'a,b')", "INT", 0, ""), ("find_in_set(e, e)", "INT", 1, ""), ("elt(2, 'a', 'b')", "STRING", "b", ""), ("elt(3, 'a', 'b')", "STRING", None, ANSI),
    ("url_encode('a b~*é')", "STRING", "a+b%7E*%C3%A9", ""), ("url_decode('a+b%C3%A9')", "STRING", "a bé", ""), ("try_url_decode('%zz')", "STRING", None, ""), ("url_decode('%zz')", "STRING", None, ANSI),
    ("regexp_count('a1b22', '[0-9]')", "INT", 3, ""), ("regexp_substr('a1b22', '[0-9]{2}')", "STRING", "22", ""), ("regexp_substr(s, '[0-9]')", "STRING", None, ""),
    ("regexp_extract_all('a1b22', '([a-z])([0-9]+)')", "ARRAY<STRING>", ["a", "b"], ""), ("regexp_extract_all('a1b22', '([a-z])([0-9]+)', 0)", "ARRAY<STRING>", ["a1", "b22"], ""),
    # More numbers
    ("pmod(-i, 4)", "INT", 1, ""), ("pmod(i, 0)", "INT", None, ANSI), ("pmod(-i, l)", "BIGINT", 4_999_999_993, ""), ("pmod(-i, -4)", "INT", -3, ""), ("positive(f)", "DOUBLE", 2.5, ""), ("e()", "DOUBLE", 2.718281828459045, ""),
    ("expm1(f)", "DOUBLE", 11.182493960703473, ""), ("log2(8)", "DOUBLE", 3.0, ""), ("log2(z)", "DOUBLE", None, ""), ("log1p(z)", "DOUBLE", -1.3862943611198906, ""), ("log1p(-1)", "DOUBLE", None, ""), ("hypot(3, 4)", "DOUBLE", 5.0, ""),
    ("cot(1)", "DOUBLE", 0.6420926159343306, ""), ("sec(0)", "DOUBLE", 1.0, ""), ("csc(1)", "DOUBLE", 1.1883951057781212, ""), ("asinh(f)", "DOUBLE", 1.6472311463710958, ""), ("acosh(f)", "DOUBLE", 1.566799236972411, ""), ("atanh(z)", "DOUBLE", -0.9729550745276566, ""), ("acosh(0)", "DOUBLE", nan, ""),
    ("rint(f)", "DOUBLE", 2.0, ""), ("rint(3.5)", "DOUBLE", 4.0, ""), ("shiftleft(i, 33)", "INT", 14, ""), ("shiftleft(l, 40)", "BIGINT", 428404914553618432, ""), ("shiftright(-i, 1)", "INT", -4, ""), ("shiftrightunsigned(-i, 28)", "INT", 15, ""),
    ("bit_count(-1)", "INT", 64, ""), ("bit_count(i)", "INT", 3, ""), ("factorial(20)", "BIGINT", 2432902008176640000, ""), ("factorial(21)", "BIGINT", None, ""), ("width_bucket(f, 0, 10, 4)", "BIGINT", 2, ""), ("width_bucket(f, 10, 0, 4)", "BIGINT", 4, ""), ("width_bucket(z, 0, 10, 4)", "BIGINT", 0, ""),
    ("nanvl(sqrt(z), f)", "DOUBLE", 2.5, ""), ("try_add(2147483647, i)", "INT", None, ""), ("try_add(d, 1)", "DECIMAL(11,2)", Decimal("13.34"), ""), ("try_subtract(i, l)", "BIGINT", -4_999_999_993, ""), ("try_multiply(l, l)", "BIGINT", None, ""), ("try_divide(i, 2)", "DOUBLE", 3.5, ""), ("try_divide(i, 0)", "DOUBLE", None, ""), ("try_add(i, 1) * 2", "INT", 16, ""),
    # More of nulls
    ("nvl2(n, 1, 2L)", "BIGINT", 2, ""), ("nvl2(i, 'a', 'b')", "STRING", "a", ""), ("equal_null(n, NULL)", "BOOLEAN", True, ""), ("equal_null(i, 7L)", "BOOLEAN", True, ""), ("equal_null(i, n)", "BOOLEAN", False, ""),
    ("zeroifnull(n)", "INT", 0, ""), ("zeroifnull(f)", "DOUBLE", 2.5, ""), ("zeroifnull(d)", "DECIMAL(12,2)", Decimal("12.34"), ""), ("nullifzero(i - 7)", "INT", None, ""), ("nullifzero(d)", "DECIMAL(10,2)", Decimal("12.34"), ""),
    # More of arrays, maps and structs
    ("array_append(a, 3L)", "ARRAY<BIGINT>", [1, 2, None, 3], ""), ("array_prepend(a, n)", "ARRAY<INT>", [None, 1, 2, None], ""), ("array_compact(a)", "ARRAY<INT>", [1, 2], ""), ("array_position(a, 2)", "BIGINT", 2, ""), ("array_position(a, 5)", "BIGINT", 0, ""), ("array_position(a, n)", "BIGINT", None, ""),
    ("array_remove(a, 1)", "ARRAY<INT>", [2, None], ""), ("array_remove(a, n)", "ARRAY<INT>", None, ""), ("array_join(array('a', ns, 'b'), '-')", "STRING", "a-b", ""), ("array_join(array('a', ns), '-', '?')", "STRING", "a-?", ""), ("array_repeat(i, 2)", "ARRAY<INT>", [7, 7], ""), ("array_repeat(s, -1)", "ARRAY<STRING>", [], ""),
    ("arrays_overlap(a, array(2, 9))", "BOOLEAN", True, ""), ("arrays_overlap(a, array(8, 9))", "BOOLEAN", None, ""), ("arrays_overlap(array(1), array(2))", "BOOLEAN", False, ""), ("sort_array(array(3, n, 1))", "ARRAY<INT>", [None, 1, 3], ""), ("sort_array(array(3, n, 1), false)", "ARRAY<INT>", [3, 1, None], ""), ("array_sort(array(3, n, 1))", "ARRAY<INT>", [1, 3, None], ""),
    ("element_at(a, 1)", "INT", 1, ""), ("element_at(a, -2)", "INT", 2, ""), ("element_at(a, 9)", "INT", None, ANSI), ("element_at(mp, 'x')", "INT", 1, ""), ("try_element_at(mp, 'z')", "INT", None, ""), ("try_element_at(a, 9)", "INT", None, ""), ("get(a, 1)", "INT", 2, ""), ("get(a, 9)", "INT", None, ""),
    ("slice(a, 2, 2)", "ARRAY<INT>", [2, None], ""), ("slice(a, -2, 1)", "ARRAY<INT>", [2], ""), ("slice(a, 9, 1)", "ARRAY<INT>", [], ""), ("slice(a, 0, 1)", "ARRAY<INT>", None, ANSI), ("sequence(1, 3)", "ARRAY<INT>", [1, 2, 3], ""), ("sequence(3, 1)", "ARRAY<INT>", [3, 2, 1], ""), ("sequence(1, i, 3)", "ARRAY<INT>", [1, 4, 7], ""), ("sequence(1, i, -1)", "ARRAY<INT>", None, ANSI),
    ("map_contains_key(mp, 'y')", "BOOLEAN", True, ""), ("map_contains_key(mp, ns)", "BOOLEAN", None, ""), ("size(map_entries(mp))", "INT", 2, ""), ("map_keys(mp)", "ARRAY<STRING>", ["x", "y"], ""), ("map_values(mp)", "ARRAY<INT>", [1, None], ""),
    ("named_struct('p', i, 'q', s).q", "STRING", "Héllo😀", ""),
    # More of dates and times
    ("add_months(dt, 3)", "DATE", datetime.date(2024, 2, 14), ""), ("add_months(DATE '2024-01-31', 1)", "DATE", datetime.date(2024, 2, 29), ""), ("add_months(dt, -23)", "DATE", datetime.date(2021, 12, 14), ""), ("add_months(dt, n)", "DATE", None, ""),
    ("months_between(DATE '2024-02-29', DATE '2024-01-31')", "DOUBLE", 1.0, ""), ("months_between(DATE '2024-01-15', DATE '2024-03-01')", "DOUBLE", -1.5483871, ""), ("next_day(dt, 'TUE')", "DATE", datetime.date(2023, 11, 21), ""), ("next_day(dt, 'wednesday')", "DATE", datetime.date(2023, 11, 15), ""),
    ("make_date(2024, 2, 29)", "DATE", datetime.date(2024, 2, 29), ""), ("make_date(2023, 2, 29)", "DATE", None, ANSI), ("make_date(i, n, 1)", "DATE", None, ""), ("dayname(dt)", "STRING", "Tue", ""), ("monthname(ts)", "STRING", "Nov", ""),
    ("date_part('week', ts)", "INT", 46, ""), ("datepart('doy', dt)", "INT", 318, ""), ("EXTRACT(YEAR FROM ts)", "INT", 2023, ""), ("extract(dow FROM dt)", "INT", 3, ""), ("trunc(dt, 'MM')", "DATE", datetime.date(2023, 11, 1), ""), ("trunc(dt, 'week')", "DATE", datetime.date(2023, 11, 13), ""),
    ("timestampdiff(HOUR, dt, ts)", "BIGINT", 22, ""), ("timestampdiff(DAY, ts, TIMESTAMP '2023-11-10 23:00:00')", "BIGINT", -3, ""), ("unix_seconds(ts)", "BIGINT", 1_700_000_000, ""), ("unix_timestamp(ts)", "BIGINT", 1_700_000_000, ""), ("to_unix_timestamp(dt)", "BIGINT", 1_699_920_000, ""), ("unix_micros(ts)", "BIGINT", 1_700_000_000_123_000, ""),
    ("unix_date(dt)", "INT", 19675, ""), ("date_from_unix_date(19675)", "DATE", datetime.date(2023, 11, 14), ""), ("timestamp_seconds(1700000000)", "TIMESTAMP", _utc(2023, 11, 14, 22, 13, 20), ""), ("timestamp_micros(1700000000123456)", "TIMESTAMP", _utc(2023, 11, 14, 22, 13, 20, 123_456), ""), ("timestamp_seconds(l * 1000000)", "TIMESTAMP", None, ANSI),
    ("from_unixtime(1700000000)", "STRING", "2023-11-14 22:13:20", ""), ("from_unixtime(1700000000, 'yyyy/MM')", "STRING", "2023/11", ""), ("from_utc_timestamp(ts, 'America/New_York')", "TIMESTAMP", _utc(2023, 11, 14, 17, 13, 20, 123_000), ""), ("to_utc_timestamp(ts, '+02:00')", "TIMESTAMP", _utc(2023, 11, 14, 20, 13, 20, 123_000), ""),
    ("try_to_timestamp('x', 'yyyy-MM-dd')", "TIMESTAMP", None, ""),
    ("initcap('sPark sql-x')", "STRING", "Spark Sql-x", ""), ("regexp_instr('😀a1', '[0-9]')", "INT", 3, ""), ("regexp_count(ns, 'x')", "INT", None, ""),
    *MORE_CALLS,
    *INTERVAL_CALLS,
)  # fmt: skip
