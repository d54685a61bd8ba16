# ruff: noqa: E501  a table of values reads better in long rows
"""Calls over intervals, as texts and numbers, with the values that Spark gives. `ANSI` as in `calls`."""

from __future__ import annotations

import datetime
from decimal import Decimal
from typing import Any

from tests.standard_sql.more_calls import ANSI

# Expressions whose value is an interval, with Spark's text of it.
_TEXTS = {
    "interval '10' year": "'10' YEAR", "interval '-14' month": "'-14' MONTH", "interval '1-2' year to month": "'1-2' YEAR TO MONTH",
    "interval '10' day": "'10' DAY", "interval '1 05' day to hour": "'1 05' DAY TO HOUR",
    "interval '1 05:06' day to minute": "'1 05:06' DAY TO MINUTE",
    "interval '1 05:06:07.1200' day to second": "'1 05:06:07.12' DAY TO SECOND", "interval '5' hour": "'05' HOUR",
    "interval '125:06' hour to minute": "'125:06' HOUR TO MINUTE", "interval '5:06:07' hour to second": "'05:06:07' HOUR TO SECOND",
    "interval '5' minute": "'05' MINUTE", "interval '75:07.5' minute to second": "'75:07.5' MINUTE TO SECOND",
    "interval '5.000001' second": "'05.000001' SECOND", "interval '-100.5' second": "'-100.5' SECOND",
    "interval 1 week": "'7' DAY", "interval 5 milliseconds": "'00.005' SECOND", "interval 3 day 1 second": "'3 00:00:01' DAY TO SECOND",
    "interval 1 month * 2": "'0-2' YEAR TO MONTH", "2 * interval 1 day": "'2 00:00:00' DAY TO SECOND",
    "interval 1 day / 2": "'0 12:00:00' DAY TO SECOND", "interval 1 day * 1.5": "'1 12:00:00' DAY TO SECOND",
    "interval 1 day * f": "'2 12:00:00' DAY TO SECOND", "interval 5 month / 2": "'0-3' YEAR TO MONTH",
    "interval -5 month / 2": "'-0-3' YEAR TO MONTH", "interval 5 month * 0.5": "'0-3' YEAR TO MONTH",
    "interval 7 month / 2.0D": "'0-4' YEAR TO MONTH", "abs(interval '-1' day)": "'1' DAY", "interval 1 day + interval 2 hour": "'1 02' DAY TO HOUR",
    "ts - dt": "'0 22:13:20.123' DAY TO SECOND", "dt - ts": "'-0 22:13:20.123' DAY TO SECOND", "dt - date '2023-11-20'": "'-6' DAY",
    "cast('1-2' as interval year to month)": "'1-2' YEAR TO MONTH", "cast(\" interval '1-2' year to month \" as interval year to month)": "'1-2' YEAR TO MONTH",
    "cast('+1-2' as interval year to month)": "'1-2' YEAR TO MONTH", "cast('14' as interval month)": "'14' MONTH",
    "cast('-1 02:03:04.123456789' as interval day to second)": "'-1 02:03:04.123456' DAY TO SECOND",
    "cast(\"INTERVAL -'-1 02:03:04.5' DAY TO SECOND\" as interval day to second)": "'1 02:03:04.5' DAY TO SECOND",
    "cast('1 2:3:4' as interval day to second)": "'1 02:03:04' DAY TO SECOND", "cast('100:03:04' as interval hour to second)": "'100:03:04' HOUR TO SECOND",
    "cast('7.5' as interval second)": "'07.5' SECOND", "cast(i as interval day)": "'7' DAY", "cast(i as interval year to month)": "'0-7' YEAR TO MONTH",
    "cast(i as interval day to second)": "'0 00:00:07' DAY TO SECOND", "cast(d as interval second)": "'12.34' SECOND",
    "cast(interval '1 05' day to hour as interval day)": "'1' DAY", "cast(interval '-1-5' year to month as interval year)": "'-1' YEAR",
    "cast(interval '1 05' day to hour as interval minute)": "'1740' MINUTE", "coalesce(interval '1' day, interval '1' hour)": "'1 00' DAY TO HOUR",
    "greatest(interval '1' day, interval '25' hour)": "'1 01' DAY TO HOUR", "if(b, ts - dt, null)": "'0 22:13:20.123' DAY TO SECOND",
}  # fmt: skip
# Texts that are no interval of the type, where Spark stops.
_OTHERS = (
    "cast(s as interval day)", "cast('1 25:00:00' as interval day to second)", "cast('1-12' as interval year to month)",
    "cast('5' as interval day to second)", "cast('interval 1 day' as interval day)", "cast('1.5' as interval day)",
    "cast(\"interval '1 05' day to hour\" as interval day to second)", "cast('1  02' as interval day to hour)",
)  # fmt: skip

INTERVAL_CALLS: tuple[tuple[str, str, Any, str], ...] = (
    *((f"cast({call} as string)", "STRING", f"INTERVAL {text}", "") for call, text in _TEXTS.items()),
    *((f"cast({call} as string)", "STRING", None, ANSI) for call in _OTHERS),
    ("cast(cast(ns as interval month) as string)", "STRING", None, ""),
    ("cast(interval '1 05:06:07.8' day to second as bigint)", "BIGINT", 104_767, ""),
    ("cast(interval '-1 05:06:07.8' day to second as decimal(10,1))", "DECIMAL(10,1)", Decimal("-104767.8"), ""),
    ("cast(interval '10.005' second as decimal(4,2))", "DECIMAL(4,2)", Decimal("10.01"), ""),
    ("cast(interval '10.005' second as decimal(3,2))", "DECIMAL(3,2)", None, ANSI),
    ("cast(interval '1-5' year to month as int)", "INT", 17, ""), ("cast(interval '1' year as int)", "INT", 1, ""),
    ("cast(interval '1-5' year to month as decimal(5,1))", "DECIMAL(5,1)", Decimal("17.0"), ""),
    ("cast(interval '1 05' day to hour as int)", "INT", 29, ""), ("cast(ts - dt as int)", "INT", 80_000, ""),
    ("interval 14 day div interval 4 day", "BIGINT", 3, ""), ("interval '2' year div interval '-5' month", "BIGINT", -4, ""),
    ("interval 1 day div (ts - ts)", "BIGINT", None, ANSI), ("signum(interval '-1' day)", "DOUBLE", -1.0, ""),
    ("sign(interval '1-1' year to month)", "DOUBLE", 1.0, ""),
    ("width_bucket(interval '5' day, interval '0' day, interval '10' day, 10)", "BIGINT", 6, ""),
    ("width_bucket(interval '5' month, interval '0' month, interval '1' year, 10)", "BIGINT", 5, ""),
    ("date_part(null, ts)", "INT", None, ""), ("extract('day', ts)", "INT", 14, ""), ("extract(hrs from ts - dt)", "INT", 22, ""),
    ("dt + 2 * interval 1 day", "TIMESTAMP", datetime.datetime(2023, 11, 16, tzinfo=datetime.UTC), ""), ("ts - dt = interval '0 22:13:20.123' day to second", "BOOLEAN", True, ""),
    ("concat(interval 1 day, '!')", "STRING", "INTERVAL '1' DAY!", ""),
)  # fmt: skip
