# ruff: noqa: E501  tables of values read better in long rows
"""Argument rows for the functions over dates and times (see `rows`), with the value that the language gives."""

from __future__ import annotations

import datetime
from typing import Any

from .rows import ANY, LONG_MAX, LONG_MIN, Rows, _rows, _timed, time

DAY = 86_400_000_000


def date(*parts: int) -> datetime.date:
    return datetime.date(*parts)


def _reading(name: str, pattern: str, *rows: tuple[str | None, Any]) -> Rows:
    return _rows(name, "STRING STRING", *((text, "", value) for text, value in rows), literals={1: pattern})


_SECONDS = "'yyyy-MM-dd HH:mm:ss'"
_TEXTS = (
    None, "", "2016-01-01 00:00:02", "2016-02-30 00:00:00", "2016-02-29 23:59:59", "2015-02-29 00:00:00", "0000-01-01 00:00:00", "0001-01-01 00:00:00",
    "9999-12-31 23:59:59", "10000-01-01 00:00:00", "-001-01-01 00:00:00", "+2016-01-01 00:00:00", " 2016-01-01 00:00:02", "2016-01-01 00:00:02 ", "2016-01-01", "2016-1-1 0:0:2",
    "2016-13-01 00:00:00", "2016-00-01 00:00:00", "2016-01-01 24:00:00", "2016-01-01 23:59:60", "2016-01-01 00:60:00", "1969-12-31 23:59:59", "2016\u201301-01 00:00:02", "2016-01-01 00:00:0\u0662", "😀",
)  # fmt: skip
_GOOD = {
    "2016-01-01 00:00:02": time(2016, 1, 1, 0, 0, 2), "2016-02-29 23:59:59": time(2016, 2, 29, 23, 59, 59), "0001-01-01 00:00:00": time(1, 1, 1),
    "9999-12-31 23:59:59": time(9999, 12, 31, 23, 59, 59), "1969-12-31 23:59:59": time(1969, 12, 31, 23, 59, 59),
}  # fmt: skip


def _seconds(name: str, value: Any) -> Rows:
    """Every text, with what the function makes of the time that it says."""
    return _reading(name, _SECONDS, *((text, value(_GOOD[text]) if text in _GOOD else None) for text in _TEXTS))


def _of_day(found: datetime.datetime) -> int:
    return (found.hour * 3600 + found.minute * 60 + found.second) * 1_000_000


# Patterns with texts that follow them, or nearly do: both engines must take the same ones.
_READ: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("'yyyy-MM-dd HH:mm:ss.SSS'", ("2016-01-01 00:00:00.1", "2016-01-01 00:00:00.12", "2016-01-01 00:00:00.123", "2016-01-01 00:00:00.1234", "2016-01-01 00:00:00.", "2016-01-01 00:00:00", "1969-12-31 23:59:59.999", "2016-01-01 00:00:00.000")),
    ("'yyyy-MM-dd HH:mm:ss.SSSSSSSSS'", ("2016-01-01 00:00:00.123456789", "2016-01-01 00:00:00.1", "1969-12-31 23:59:59.9999999", "2016-01-01 00:00:00.0000009", "2016-01-01 00:00:00.1234567890", "2016-01-01 00:00:00.999999999", "0001-01-01 00:00:00.000001", "x")),
    ("'d/M/y H:m:s'", ("1/2/2013 0:5:9", "01/02/2013 00:05:09", "31/12/9999 23:59:59", "001/002/02013 000:5:9", "1/2/0 0:0:0", "1/2/1 0:0:0", "1/2/12345 0:0:0", "29/2/2013 0:0:0", "29/2/2012 0:0:0", "1/2/13 1:1:1")),
    ("'yy-MM-dd'", ("16-01-01", "99-12-31", "00-01-01", "1-01-01", "2016-01-01", "69-01-01", "70-01-01", "ab-01-01")),
    ("'yyyyMMddHHmmss'", ("20160101000002", "2016010100000", "201601010000021", "00010101000000", "20161301000000", "2016 0101000002", "99991231235959", "00000101000000")),
    ("'yyyy-MM-dd hh:mm a'", ("2016-01-01 12:00 AM", "2016-01-01 12:00 PM", "2016-01-01 01:30 pm", "2016-01-01 00:30 PM", "2016-01-01 13:30 PM", "2016-01-01 11:59 aM", "2016-01-01 11:59", "2016-01-01 11:59 XM")),
    ("'yyyy-MM-dd hh'", ("2016-01-01 12", "2016-01-01 11", "2016-01-01 00", "2016-01-01 13", "2016-01-01 1", "2016-01-01 01", "2016-01-01 ", "x")),
    ("'yyyy-MM-dd a'", ("2016-01-01 AM", "2016-01-01 PM", "2016-01-01 pm", "2016-01-01 P", "2016-01-01", "PM", "", "2016-01-01 PMM")),
    ("'HH:mm a'", ("13:00 PM", "13:00 AM", "01:00 AM", "01:00 PM", "00:00 AM", "12:00 PM", "12:00 AM", "23:59 PM")),
    ("'h:m'", ("1:2", "12:0", "0:0", "13:0", "012:5", "1:60", "11:59", "a:b")),
    ("'d MMM yyyy'", ("5 Jan 2013", "5 jan 2013", "5 SEP 2013", "5 Sept 2013", "5 June 2013", "31 Jun 2013", "05 Dec 2013", "5 May 2013")),
    ("'MMMM d, yyyy'", ("January 5, 2013", "MAY 5, 2013", "september 30, 2013", "Sep 30, 2013", "February 29, 2013", "February 29, 2012", "Januar 5, 2013", " May 5, 2013")),
    ("'yyyy-MM-dd''T''HH:mm:ssXXX'", ("2016-01-01T00:00:00Z", "2016-01-01t00:00:00z", "2016-01-01T00:00:00+02:00", "2016-01-01T00:00:00-18:00", "2016-01-01T00:00:00+18:01", "2016-01-01T00:00:00+0200", "2016-01-01T00:00:00", "0001-01-01T00:00:00+01:00", "9999-12-31T23:59:59-01:00", "2016-01-01T00:00:00-00:00", "2016-01-01T00:00:00+05:60", "2016-01-01T00:00:00+05:59")),
    ("'yyyy-MM-dd HHXX'", ("2016-01-01 00Z", "2016-01-01 00+0200", "2016-01-01 00-0930", "2016-01-01 00+02", "2016-01-01 00+02:00", "2016-01-01 00+1800", "2016-01-01 00+1801", "2016-01-01 00+0000")),
    ("'yyyy-MM-dd HHX'", ("2016-01-01 00Z", "2016-01-01 00+0230", "2016-01-01 00-09", "2016-01-01 00+2", "2016-01-01 00+02:00", "2016-01-01 00+18", "2016-01-01 00+19", "2016-01-01 00-00")),
    ("'HH:mm'", ("10:11", "00:00", "23:59", "24:00", "1:11", "10:11:12", "10:60", "-1:00")),
    ("'MM'", ("01", "12", "13", "00", "1", "012", " 1", "\u0661\u0662")),
    ("'d/M'", ("29/2", "28/2", "31/12", "31/11", "0/1", "1/0", "1/1", "32/1")),
    ("'yyyy年MM月dd日 ''😀'''", ("2016年01月02日 😀", "2016年1月02日 😀", "2016-01-02 😀", "2016年01月02日 ", "2016年13月02日 😀", "0001年01月01日 😀", "9999年12月31日 😀", "2016年01月02日 😀😀")),
    ("'yyyy ''o''''clock'' HH'", ("2016 o'clock 05", "2016 O'CLOCK 05", "2016 oclock 05", "2016 o''clock 05", "2016 o'clock 24", "2016 o'clock 23", "o'clock", "2016 o'clock  5")),
    ("'yyyy.MM(dd)*\\'", ("2016.01(02)*\\", "2016.01(02)*", "2016x01(02)*\\", "2016.01(32)*\\", "2016.01(02)", "2016.01(02)**\\", "0001.01(01)*\\", "😀")),
)  # fmt: skip


def _written(name: str, pattern: str, *expected: Any) -> Rows:
    padded = [*expected, *([ANY] * (len(_TIMES) - len(expected)))]
    return _rows(
        name, "TIMESTAMP STRING", *((t, "", e) for t, e in zip(_TIMES, padded, strict=True)), literals={1: pattern}
    )


_TIMES = (None, time(2013, 7, 5, 0, 4, 5, 123456), time(1969, 12, 31, 23, 59, 59, 999999), time(2024, 12, 30, 12), time(2021, 1, 3, 13, 30, 15),
          time(1, 1, 1), time(9999, 12, 31, 23, 59, 59, 999999), time(2000, 2, 29, 11, 59, 59, 4))  # fmt: skip
_CLOCKS = (None, time(1970, 1, 1), time(1969, 12, 31, 23, 59, 59, 999999), time(2024, 2, 28, 12), time(2023, 12, 31, 13, 30, 15), time(2, 1, 1),
           time(9998, 12, 31, 23, 59, 59, 999999), time(2000, 2, 29, 11, 59, 59, 4))  # fmt: skip
_MICROS = (None, 0, 1, 999_999, 36_660_000_000, 43_200_000_000, DAY - 1, 46_805_000_004)

DATES = (
    _rows("NOW", "TIMESTAMP", *((t, t) for t in _CLOCKS)), _rows("TODAY", "TIMESTAMP", *((t, t and t.replace(hour=0, minute=0, second=0, microsecond=0)) for t in _CLOCKS)),
    _rows("YESTERDAY", "TIMESTAMP", *((t, t and t - datetime.timedelta(days=1)) for t in _CLOCKS)), _rows("TOMORROW", "TIMESTAMP", *((t, t and t + datetime.timedelta(days=1)) for t in _CLOCKS)),
    _timed("MONTH_TEXT", "January", "December", "December", "January", "January", "December", "February"),
    _seconds("TO_DATETIME", lambda t: t), _seconds("TO_TIMESTAMP", lambda t: t), _seconds("PARSE_TIMESTAMP_MICROS", lambda t: t), _seconds("PARSE_TIMESTAMP_MILLIS", lambda t: t),
    _seconds("TO_DATE", lambda t: t.replace(hour=0, minute=0, second=0)), _seconds("PARSE_DATE", lambda t: t.date()),
    _seconds("PARSE_TIME_MILLIS", _of_day), _seconds("PARSE_TIME_MICROS", _of_day),
    *(_reading("TO_DATETIME", pattern, (None, None), *((text, ANY) for text in texts)) for pattern, texts in _READ),
    _reading("PARSE_TIMESTAMP_MILLIS", "'yyyy-MM-dd HH:mm:ss.SSSSSS'", (None, None), ("2016-01-01 00:00:00.123456", time(2016, 1, 1, 0, 0, 0, 123000)), ("1969-12-31 23:59:59.999999", time(1969, 12, 31, 23, 59, 59, 999000)),
             ("0001-01-01 00:00:00.000999", time(1, 1, 1)), ("2016-01-01 00:00:00.1", time(2016, 1, 1, 0, 0, 0, 100000)), ("", None), ("2016", None), ("9999-12-31 23:59:59.999999", time(9999, 12, 31, 23, 59, 59, 999000))),
    _reading("PARSE_TIME_MILLIS", "'HH:mm:ss.SSSSSS'", (None, None), ("00:00:00.000999", 0), ("10:11:12.123456", 36_672_123_000), ("23:59:59.999999", DAY - 1000), ("24:00:00.0", None), ("", None), ("00:00:00.1", 100_000), ("x", None)),
    _reading("PARSE_TIME_MICROS", "'yyyy-MM-dd HH:mm:ss.SSSSSSX'", (None, None), ("1969-12-31 23:59:59.999999Z", DAY - 1), ("1960-01-01 00:00:00.000001Z", 1), ("2016-01-01 01:00:00.0+02", DAY - 3_600_000_000), ("2016-01-01 01:00:00.0-0030", 5_400_000_000),
             ("", None), ("2016-01-01 01:00:00.0", None), ("0001-01-01 00:00:00.0+18", None)),
    _reading("PARSE_DATE", "'yyyy-MM-dd HHX'", (None, None), ("2016-01-01 01+02", date(2015, 12, 31)), ("2016-01-01 23-02", date(2016, 1, 2)), ("0001-01-01 00Z", date(1, 1, 1)), ("0001-01-01 00+01", None), ("9999-12-31 23-01", None), ("", None), ("2016-01-01", None)),
    _rows("TO_TIMESTAMP", "BIGINT", (None, None), (0, time(1970, 1, 1)), (-1, time(1969, 12, 31, 23, 59, 59, 999000)), (1357016400000, time(2013, 1, 1, 5)), (LONG_MAX, None), (LONG_MIN, None), (253402300799999, time(9999, 12, 31, 23, 59, 59, 999000)),
          (253402300800000, None), (-62135596800000, time(1, 1, 1)), (-62135596800001, None)),
    _rows("TO_TIMESTAMP", "INT", (None, None), (0, time(1970, 1, 1)), (-1000, time(1969, 12, 31, 23, 59, 59)), (1000, time(1970, 1, 1, 0, 0, 1)), (2147483647, ANY), (-2147483648, ANY), (86400000, time(1970, 1, 2)), (1, time(1970, 1, 1, 0, 0, 0, 1000))),
    _rows("TO_TIMESTAMP", "STRING", (None, None), ("", None), ("2013-01-01T05:00:00Z", time(2013, 1, 1, 5)), ("2013-01-01 05:00:00+02:00", time(2013, 1, 1, 3)), ("2013-02-30", None), ("0000-01-01", None), ("2016-01-01 00:00:02", time(2016, 1, 1, 0, 0, 2)), ("😀", None)),
    _written("FORMAT_TIMESTAMP", _SECONDS, None, "2013-07-05 00:04:05", "1969-12-31 23:59:59", "2024-12-30 12:00:00", "2021-01-03 13:30:15", "0001-01-01 00:00:00", "9999-12-31 23:59:59", "2000-02-29 11:59:59"),
    _written("FORMAT_TIMESTAMP", "'y-M-d h:m:s.S a'", None, "2013-7-5 12:4:5.1 AM", "1969-12-31 11:59:59.9 PM", "2024-12-30 12:0:0.0 PM", "2021-1-3 1:30:15.0 PM", "1-1-1 12:0:0.0 AM", "9999-12-31 11:59:59.9 PM", "2000-2-29 11:59:59.0 AM"),
    _written("FORMAT_TIMESTAMP", "'yy hh H m SSSSSSSSS X XX XXX'", None, "13 12 0 4 123456000 Z Z Z", "69 11 23 59 999999000 Z Z Z"),
    _written("FORMAT_TIMESTAMP", "'MMM MMMM yyyy年 (😀)'", None, "Jul July 2013年 (😀)", "Dec December 1969年 (😀)"),
    _written("FORMAT_TIMESTAMP", "''", None, "", "", "", "", "", "", ""),
    _written("FORMAT_DATE", "'dd-MM-yyyy HH:mm'", None, "05-07-2013 00:04", "31-12-1969 23:59", "30-12-2024 12:00", "03-01-2021 13:30", "01-01-0001 00:00", "31-12-9999 23:59", "29-02-2000 11:59"),
    _rows("FORMAT_DATE", "DATE STRING", (None, "", None), *((date(y, 3, 4), "", f"4 Mar {y:04} 00:00") for y in (1, 1582, 1900, 1969, 1970, 2013, 9999)), literals={1: "'d MMM yyyy HH:mm'"}),
    _written("DATE_TO_STR", "'yyyy-MM-dd'", None, "2013-07-05", "1969-12-31", "2024-12-30", "2021-01-03", "0001-01-01", "9999-12-31", "2000-02-29"),
    _rows("DATE_TO_STR", "BIGINT STRING", (None, "", None), (0, "", "1970-01-01 00:00"), (-1, "", "1969-12-31 23:59"), (1357016400000, "", "2013-01-01 05:00"), (LONG_MAX, "", None), (LONG_MIN, "", None), (253402300799999, "", "9999-12-31 23:59"), (-62135596800000, "", "0001-01-01 00:00"), literals={1: "'yyyy-MM-dd HH:mm'"}),
    _rows("DATE_TO_STR", "DATE STRING", (None, "", None), *((date(y, 12, 31), "", f"{y:04}366"[:4]) for y in (1, 1582, 1900, 1969, 1970, 2013, 9999)), literals={1: "'yyyy'"}),
    _rows("FORMAT_TIME", "TIME STRING", *((m, "", e) for m, e in zip(_MICROS, (None, "00:00:00.000000", "00:00:00.000001", "00:00:00.999999", "10:11:00.000000", "12:00:00.000000", "23:59:59.999999", "13:00:05.000004"), strict=True)), literals={1: "'HH:mm:ss.SSSSSS'"}),
    _rows("FORMAT_TIME", "TIME STRING", *((m, "", e) for m, e in zip(_MICROS, (None, "12:00 AM", "12:00 AM", "12:00 AM", "10:11 AM", "12:00 PM", "11:59 PM", "1:00 PM"), strict=True)), literals={1: "'h:mm a'"}),
    _rows("CONVERT_DATETIME", "STRING STRING STRING", *((text, "", "", e) for text, e in ((None, None), ("", None), ("2016-01-01 00:00:02", "01-01-2016 00:00"), ("2016-02-30 00:00:00", None), ("0001-01-01 00:00:00", "01-01-0001 00:00"),
          ("9999-12-31 23:59:59", "31-12-9999 23:59"), ("1969-12-31 23:59:59", "31-12-1969 23:59"), ("😀", None), ("2016-01-01", None))), literals={1: _SECONDS, 2: "'dd-MM-yyyy HH:mm'"}),
    _rows("CONVERT_DATETIME", "STRING STRING STRING", *((text, "", "", e) for text, e in ((None, None), ("", None), ("5 Jan 2013 +02:00", "2013-01-04T22:00:00Z"), ("5 Jan 2013 Z", "2013-01-05T00:00:00Z"), ("5 jan 2013 -18:00", "2013-01-05T18:00:00Z"),
          ("1 Jan 0001 +02:00", None), ("31 Dec 9999 -00:01", "9999-12-31T00:01:00Z"), ("5 Jan 2013 +19:00", None))), literals={1: "'d MMM yyyy XXX'", 2: "'yyyy-MM-dd''T''HH:mm:ssX'"}),
    _rows("EXTRACT_DATE", "TIMESTAMP", *((t, t and t.date()) for t in _TIMES)),
    _rows("EXTRACT_TIME", "TIMESTAMP", *((t, t and _of_day(t) + t.microsecond) for t in _TIMES)),
    _rows("DATE", "BIGINT", (None, None), (0, date(1970, 1, 1)), (-1, date(1969, 12, 31)), (15706, date(2013, 1, 1)), (LONG_MAX, None), (LONG_MIN, None), (2932896, date(9999, 12, 31)), (2932897, None), (-719162, date(1, 1, 1)), (-719163, None)),
    _rows("TIMESTAMP_MILLIS", "BIGINT", (None, None), (0, time(1970, 1, 1)), (-1, time(1969, 12, 31, 23, 59, 59, 999000)), (1357016400000, time(2013, 1, 1, 5)), (1503158676433679390, None), (LONG_MIN, None), (253402300799999, time(9999, 12, 31, 23, 59, 59, 999000)), (253402300800000, None)),
    _rows("TIMESTAMP_MICROS", "BIGINT", (None, None), (0, time(1970, 1, 1)), (-1, time(1969, 12, 31, 23, 59, 59, 999999)), (1357016400000001, time(2013, 1, 1, 5, 0, 0, 1)), (LONG_MAX, None), (LONG_MIN, None), (253402300799999999, time(9999, 12, 31, 23, 59, 59, 999999)), (253402300800000000, None),
          (-62135596800000000, time(1, 1, 1)), (-62135596800000001, None)),
    _rows("TIME_MILLIS", "BIGINT", (None, None), (0, 0), (-1, DAY - 1000), (1503158676433679390, ((3 * 60 + 7) * 60 + 59) * 1_000_000 + 390_000), (LONG_MAX, LONG_MAX % 86_400_000 * 1000), (LONG_MIN, LONG_MIN % 86_400_000 * 1000), (86_400_000, 0), (86_399_999, DAY - 1000)),
    _rows("TIME_MICROS", "BIGINT", (None, None), (0, 0), (-1, DAY - 1), (1503158676433679390, ((20 * 60 + 47) * 60 + 13) * 1_000_000 + 679_390), (LONG_MAX, LONG_MAX % DAY), (LONG_MIN, LONG_MIN % DAY), (DAY, 0), (DAY - 1, DAY - 1)),
)  # fmt: skip

ALL = DATES
