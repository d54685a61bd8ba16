# ruff: noqa: E501, RUF001  tables of expressions read better in long rows; odd letters are the point
"""Expressions that engines are likely to read in another way than Spark, over the record of `calls`.

`recorded.json` has what Spark gives for each (see `recorded`). A new expression is added here, and recorded.
"""

from __future__ import annotations

STRINGS = (
    "'it''s'", "'a' 'b'", '"a""b"', "'a' \"b\"", "'a'\"b\"", r"r'a\nb'", r'R"a\nb"', "r'a''b'", "'a''b' 'c'", r"r'a\'", 'r"it\'s"', r"'\''", r"'\u00e9\u12\x\q'",
    r"'\n\u0041\%\_\U00000041\101\0\Z\b\r\t\\x'", r"'\1234'", r'"\""', "'a' || 'b''c'", "'''' || ''''''", "length('''')", "''", "'a''' 'b'", "'é' '''' '😀'", r"'\0'", r"length('\0\n')",
)  # fmt: skip

# What a text may look like that is cast.
_TEXTS = (
    "", " ", "1", " 1", " 1 ", "+1", "-1", "--1", "+ 1", "1.", ".5", "1.5", "-1.9", "1e3", "1E3", "1e", "1e-3", "0x1F", "1_000", "1,000", "١", "1L", "1d", "1.5f", "1BD",
    "2147483647", "2147483648", "-2147483648", "9223372036854775807", "9223372036854775808", "99999999999999999999", "00012", "\\t1\\n", "\\u00a01", "1\\u007f", "\\u20281", "1 2",
    "NaN", "nan", "inf", "Infinity", "-Infinity", "+inf", "infinit", "1e400", "-1e-400", "1e39", "0.1", "123456.789", "1234567.891", "99999999.995", "0x1p3", ".", "-", "+", "e1",
    "t", "T", "true", "TRUE", " true ", "y", "yes", "Yes", "1.0", "f", "false", "n", "no", "0", "on", "off", "tr", "\\u00a0true",
    "2024", "2024-1", "2024-1-5", "2024-01-05", " 2024-01-05 ", "2024-01-05x", "2024-01-05 x", "2024-01-05T", "2024-02-30", "2024-13-01", "24-01-05", "02024-01-05", "+2024-01-05", "-2024-01-05", "0000-01-01", "0001-01-01", "2024/01/05", "20240105", "2024-01-05 10", "2024-01-05 10:2", "2024-01-05 10:20", "2024-01-05 1:2:3", "2024-01-05T10:20:30", "2024-01-05 10:20:30.1", "2024-01-05 10:20:30.123456789", "2024-01-05 10:20:30.", "2024-01-05 24:00:00", "2024-01-05 10:60:00", "2024-01-05 10:20:60",
    "2024-01-05T10:20:30Z", "2024-01-05 10:20:30 Z", "2024-01-05 10:20:30z", "2024-01-05 10:20:30+01:00", "2024-01-05 10:20:30+1:0", "2024-01-05 10:20:30 +01:00", "2024-01-05 10:20:30+0100", "2024-01-05 10:20:30+01", "2024-01-05 10:20:30+1", "2024-01-05 10:20:30-18:00", "2024-01-05 10:20:30+19:00", "2024-01-05 10:20:30 UTC", "2024-01-05 10:20:30UTC+2", "2024-01-05 10:20:30 GMT-03:30", "2024-01-05 10:20:30 Europe/Berlin", "2024-07-05 10:20:30Europe/Berlin", "2024-01-05 10:20:30 PST", "2024-01-05 10:20:30 CET", "2024-01-05 10:20:30 Nowhere/Else", "2024-01-05 10:20:30 europe/berlin", "2024-01-05 10:20 Europe/Berlin", "2024-01-05 10:20Z", "2024-01-05 10Z", "2024-01-05Z", "2024-03-31 02:30:00 Europe/Berlin", "2024-01-05 10:20:30+01:00:30", "2024-01-05 10:20:30 EST", "2024-01-05 10:20:30 +5:30", "2024-01-05 10:20:30.5 Asia/Kolkata",
    "epoch", "null", "None", "é", "😀",
)  # fmt: skip
_TEXT_TARGETS = (
    "INT",
    "BIGINT",
    "DOUBLE",
    "FLOAT",
    "DECIMAL(10,2)",
    "DECIMAL(38,18)",
    "BOOLEAN",
    "DATE",
    "TIMESTAMP",
    "STRING",
)
_NUMBERS = (
    "0",
    "1",
    "-1",
    "2147483647",
    "CAST(-2147483648 AS INT)",
    "3000000000",
    "9223372036854775807",
    "1.5D",
    "-1.5D",
    "0.5D",
    "-0.5D",
    "1e20D",
    "-1e20D",
    "CAST('NaN' AS DOUBLE)",
    "CAST('-Infinity' AS DOUBLE)",
    "-0.0D",
    "1e-7D",
    "123456789.125D",
    "1.5BD",
    "-2.5BD",
    "0.05BD",
    "99999999.99BD",
    "CAST(1.1 AS FLOAT)",
    "CAST(16777217 AS FLOAT)",
    "CAST(1e30D AS FLOAT)",
    "1700000000L",
    "-1L",
    "253402300800L",
    "-62135596801L",
    "1700000000.123456789D",
    "1700000000.1234567BD",
)
_NUMBER_TARGETS = (
    "INT",
    "BIGINT",
    "DOUBLE",
    "FLOAT",
    "DECIMAL(10,2)",
    "DECIMAL(38,18)",
    "BOOLEAN",
    "TIMESTAMP",
    "STRING",
)
_TIMES = (
    "ts",
    "dt",
    "TIMESTAMP '1969-12-31 23:59:59.999999'",
    "TIMESTAMP '0001-01-01 00:00:00'",
    "TIMESTAMP '9999-12-31 23:59:59.999999'",
    "TIMESTAMP '2024-01-05 10:20:30.120'",
    "DATE '0001-01-01'",
    "DATE '9999-12-31'",
    "TRUE",
    "FALSE",
    "NULL",
)
_TIME_TARGETS = (
    "INT",
    "BIGINT",
    "DOUBLE",
    "FLOAT",
    "DECIMAL(20,3)",
    "DECIMAL(12,2)",
    "BOOLEAN",
    "DATE",
    "TIMESTAMP",
    "STRING",
)

CASTS = (
    *(f"TRY_CAST('{text}' AS {type})" for type in _TEXT_TARGETS for text in _TEXTS),
    *(f"TRY_CAST({number} AS {type})" for type in _NUMBER_TARGETS for number in _NUMBERS),
    *(f"TRY_CAST({time} AS {type})" for type in _TIME_TARGETS for time in _TIMES),
)  # fmt: skip

LITERALS = (
    "DATE '2024-1-5'", "DATE ' 2024-01-05 10:00'", "DATE '2024'", "DATE 'epoch'", "DATE r'2024-01-05'", "DATE\"2024-01-05\"", "TIMESTAMP '2024'", "TIMESTAMP '2024-01-01 00:00:00 Europe/Berlin'", "TIMESTAMP '2024-01-05T10:20:30.5Z'", "timestamp '2024-01-05 1:2:3+1:0'", "'2024-13-45'::DATE", "'2024-01-05'::DATE", "CAST(DATE '2024-01-05' AS STRING)",
)  # fmt: skip

FAMILIES = {"strings": STRINGS, "casts": CASTS, "literals": LITERALS}
EXPRESSIONS = tuple(dict.fromkeys(text for family in FAMILIES.values() for text in family))
# What Spark reads and a model cannot have, with the code.
REFUSED: dict[str, str] = {
    **{f"CAST('{text}' AS {type})": "LSQ470" for text in ("today", " now", "TOMORROW", "yesterday CET") for type in ("DATE", "TIMESTAMP")},
    **{f"CAST('{text}' AS TIMESTAMP)": "LSQ470" for text in ("10:23", "18:20:49", "T10", "T10:20", "1:2:3.5 CET")},
    "DATE '2024-13-45'": "LSQ470", "TIMESTAMP 'today'": "LSQ470", "DATE 'x'": "LSQ470", "TIMESTAMP '10:23'": "LSQ470", "TIMESTAMP '2024-01-05 10:00:00 Nowhere/X'": "LSQ470", "DATE ''": "LSQ470",
    "INT '1'": "LSQ450", "DECIMAL '1.5'": "LSQ450",
}  # fmt: skip
