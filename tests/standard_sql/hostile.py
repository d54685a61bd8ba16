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

ARRAYS = (
    "CAST(array(1, 2, NULL) AS ARRAY<STRING>)", "CAST(array('1', ' 2 ', NULL) AS ARRAY<INT>)", "CAST(array(1.5D, NULL) AS ARRAY<STRING>)", "CAST(array(1.50BD) AS ARRAY<STRING>)", "CAST(array(true, false) AS ARRAY<STRING>)",
    "CAST(array(DATE '2024-01-05') AS ARRAY<STRING>)", "CAST(array(TIMESTAMP '2024-01-05 10:20:30.5') AS ARRAY<STRING>)", "CAST(array(array(1), NULL, array(2, NULL)) AS ARRAY<ARRAY<STRING>>)", "CAST(array(i, 2) AS ARRAY<DOUBLE>)", "CAST(array('2024-01-05') AS ARRAY<DATE>)",
    "CAST(array(0, 1, 2) AS ARRAY<BOOLEAN>)", "CAST(array(2.7D, -2.7D) AS ARRAY<INT>)", "array_join(array(1, 2, NULL), ',')", "array_join(array(1, 2, NULL), ',', '-')", "array_join(array(1.5D, 1e20D), ' ')",
    "array_join(array(1.50BD), ',')", "array_join(array(true, false), '')", "array_join(array(DATE '2024-01-05', NULL), '|', 'none')", "array_join(array(TIMESTAMP '2024-01-05 10:20:30'), ',')", "array_join(array(NULL), ',')",
    "transform(array(array(1, 2)), y -> array_join(y, '+'))",
)  # fmt: skip

LITERALS = (
    "DATE '2024-1-5'", "DATE ' 2024-01-05 10:00'", "DATE '2024'", "DATE 'epoch'", "DATE r'2024-01-05'", "DATE\"2024-01-05\"", "TIMESTAMP '2024'", "TIMESTAMP '2024-01-01 00:00:00 Europe/Berlin'", "TIMESTAMP '2024-01-05T10:20:30.5Z'", "timestamp '2024-01-05 1:2:3+1:0'", "'2024-13-45'::DATE", "'2024-01-05'::DATE", "CAST(DATE '2024-01-05' AS STRING)",
    "CAST('ab' AS CHAR(5)) = 'ab'", "length(CAST('ab' AS CHAR(5)))", "CAST('abcdef' AS VARCHAR(3))", "CAST(123 AS CHAR(2))",
)  # fmt: skip

REGEXES = (
    "regexp_replace(s, '(?m)^H', 'z')",
    "regexp_replace('ab', '(a)(b)', '$2 $1')", r"regexp_replace('ab', '(a)(b)', '\\2 \\1')", "regexp_replace('ab', '(a)(b)', '$0$0')", r"regexp_replace('ab', '(a)(b)', '\\$2 x')", "regexp_replace('ab', '(?<x>a)(b)', '${x}')",
    "regexp_replace('ab', '(?<x>a)(b)', '[${x}]$2')", "regexp_replace('ab', '(a)|(c)', '[$2]')", "regexp_replace('ab', 'a', '$1')", "regexp_replace('ab', 'z', '$1')", r"regexp_replace('ab','a','\\')",
    "regexp_replace('ab','a','$')", "regexp_replace('ab','a(?=b)','z')", "regexp_replace('ab','(?<=a)b','z')", "regexp_replace('ab','(?<!a)b','z')", r"regexp_replace('aab','(a)\\1','z')",
    r"regexp_replace('aab','(?<n>a)\\k<n>','z')", "regexp_replace('xaxb','x*','-')", "regexp_replace('','x*','-')", "regexp_replace('abc','','-')", "regexp_replace('aaa','a*?','-')", "regexp_replace('aaa','a++','-')",
    "regexp_replace('aab','(?>a+)b','-')", "regexp_replace('ab','(?i)A','z')", "regexp_replace('ab','(?i:A)','z')", r"regexp_replace('a\nb','a.b','z')", r"regexp_replace('a\nb','(?s)a.b','z')",
    r"regexp_replace('a\nb','(?m)^b','z')", r"regexp_replace('aé1','\\p{L}','z')", r"regexp_replace('aÉ1','\\p{Lu}','z')", r"regexp_replace('a1','\\p{Alpha}','z')", r"regexp_replace('a1','\\P{Alpha}','z')",
    r"regexp_replace('a.b','\\Q.\\E','z')", r"regexp_replace('a b','\\s','z')", r"regexp_replace('a\tb','\\h','z')", r"regexp_replace('a\nb','\\R','z')", r"regexp_replace('a1','\\x{31}','z')", r"regexp_replace('a1','\\07','z')",
    r"regexp_replace('a1b','\\b','|')", "regexp_replace('abab','^a','z')", r"regexp_replace('ab\n','b$','z')", r"regexp_replace('ab\n','b\\Z','z')", r"regexp_replace('ab\n','b\\z','z')", "regexp_replace('aa','a{1}','z')",
    r"regexp_replace('a-b','[a\\-b]','z')", "regexp_replace('a-b','[-a]','z')", r"regexp_replace('éa','\\w','z')", r"regexp_replace('٣a','\\d','z')",
    "regexp_replace('a😀','.','z')", "regexp_replace('😀','[😀]','z')", "regexp_replace('😀😀','😀{2}','z')",
    "regexp_replace('ab', 'a', s)", r"regexp_replace('a\\b','\\\\','/')", "regexp_replace(NULL,'a','b')", "regexp_replace('a','a',NULL)", "regexp_replace('aAbB','[A-Z]','')",
    r"regexp_replace('1234567.89','(\\d)(?=(\\d{3})+\\.)','$1,')", "regexp_replace('a,b;c','[,;]',' ')", r"regexp_replace('2024-01-05','(\\d+)-(\\d+)-(\\d+)','$3/$2/$1')", "regexp_replace('ab','(a)','$11')",
    "regexp_replace('abcdefghijkl','(a)(b)(c)(d)(e)(f)(g)(h)(i)(j)(k)','$11$10$1')", "regexp_replace('ab','a|b','<$0>')", r"regexp_replace('foo.bar','\\.','')", "split('','')", "split('abc','')", "split('a1b22','[0-9]+')",
    "split('a,b,',',')", "split(',a',',')", "split('a,b,c',',',2)", "split('a,b,c',',',0)", "split('a,b,c',',',-1)", "split('a,b,,',',',0)", "split('',',')", "split('aXbxc','(?i)x')", "split('abc','(?=b)')", "split('a😀b','')",
    "split('abc','b*')", "split('aab','a*')", "split(NULL,',')", "split('a b  c',' ')", "split('a|b','|')", r"split('a|b','\\|')", "split('a.b','.')", "split('a.b','[.]')", "split('abc','b|')", "split(e,',')",
    "split('a,b,c',',',1)", "split('oneAtwoBthreeC','[ABC]')", "split('oneAtwoBthreeC','[ABC]',2)", "regexp_extract('a1b','([a-z])([0-9])?',2)", "regexp_extract('a1b','([a-z])([0-9])?')", "regexp_extract('ab','(a)|(b)',2)",
    "regexp_extract('ab','c(d)',1)", "regexp_extract('ab','a',0)", r"regexp_extract('100-200','(\\d+)-(\\d+)',1)", "regexp_extract(NULL,'(a)')", "regexp_extract_all('a1b','([a-z])([0-9])?',2)", "regexp_extract_all('a1b','([a-z])([0-9])?',1)", "regexp_extract_all('a1b','([a-z])([0-9])?')", "regexp_extract_all('a1b','[a-z]',0)",
    "regexp_extract_all('abc','x*',0)", "regexp_extract_all('xaxb','x*',0)", "regexp_extract_all('','a',0)", r"regexp_extract_all('100-200, 300-400','(\\d+)-(\\d+)',1)", "regexp_extract_all(NULL,'(a)')", "regexp_count('abc','x*')",
    "regexp_count('Steven Jones and Stephen Smith','Ste(v|ph)en')", "regexp_count('aaa','(?=a)')", "regexp_instr('abc','')", "regexp_instr('abc','x*')", "regexp_instr('😀b','b')", "regexp_instr('abc','c')",
    "regexp_substr('abc','x*')", "regexp_substr('abc','b')", "regexp_substr('abc','z')", "regexp_like('abc','^a.c$')", "'abc' rlike 'B'", "'abc' rlike '(?i)B'", "regexp('abc','b')", "'abc' regexp 'b'", r"'a\nb' rlike 'a$'",
    "'ab' rlike ''", "NOT 'abc' rlike 'z'", "'abc' NOT RLIKE 'z'",
)  # fmt: skip

LIKES = (
    "'abc' LIKE 'a%'", "'abc' NOT LIKE 'a%'", "'abc' LIKE '_b_'", "'abc' NOT LIKE '_b_'", r"'a%c' LIKE 'a\\%c'", r"'a%c' NOT LIKE 'a\\%c'", r"'abc' LIKE 'a\\%c'", r"'abc' NOT LIKE 'a\\%c'", r"'a_c' LIKE 'a\_c'",
    r"'a_c' NOT LIKE 'a\_c'", r"'abc' LIKE 'a\_c'", r"'abc' NOT LIKE 'a\_c'", r"'a\\b' LIKE 'a\\\\b'", r"'a\\b' NOT LIKE 'a\\\\b'", "'abc' LIKE 'ABC'", "'abc' NOT LIKE 'ABC'", r"'a\nb' LIKE 'a_b'", r"'a\nb' NOT LIKE 'a_b'",
    r"'a\nb' LIKE 'a%'", r"'a\nb' NOT LIKE 'a%'", "'😀' LIKE '_'", "'😀' NOT LIKE '_'", "'' LIKE ''", "'' NOT LIKE ''", "'' LIKE '%'", "'' NOT LIKE '%'", "'a' LIKE ''", "'a' NOT LIKE ''", r"'%' LIKE '\%'", r"'%' NOT LIKE '\%'",
    r"'%' LIKE '\\%'", r"'%' NOT LIKE '\\%'", "'a.c' LIKE 'a.c'", "'a.c' NOT LIKE 'a.c'", "'abc' LIKE 'a.c'", "'abc' NOT LIKE 'a.c'", "NULL LIKE 'a'", "'a' LIKE NULL", "'a' NOT LIKE NULL", "'a' LIKE ns", "'a' NOT LIKE ns",
    "s LIKE m", "s NOT LIKE m", "'a[b]' LIKE 'a[b]'", "'a[b]' NOT LIKE 'a[b]'", "'a' LIKE 'A'", "'a' NOT LIKE 'A'", "'é' LIKE '_'", "'é' NOT LIKE '_'", r"'e\u0301' LIKE '_'", r"'e\u0301' NOT LIKE '_'", r"'\\\\' LIKE '\\\\'",
    r"'\\\\' NOT LIKE '\\\\'", r"'a\\c' LIKE 'a\\\\c'", r"'a\\c' NOT LIKE 'a\\\\c'", r"'a' LIKE concat('a', '\\')", r"'a' NOT LIKE concat('a', '\\')", r"'a%' LIKE concat('a', '\\%')", r"'a%' NOT LIKE concat('a', '\\%')",
    r"'ab' LIKE concat('a', '\\b')", r"'ab' NOT LIKE concat('a', '\\b')", "'a%' LIKE 'a!%' ESCAPE '!'", "'ab' LIKE 'a!%' ESCAPE '!'", "'a!' LIKE 'a!!' ESCAPE '!'", "'a_c' LIKE 'a__c' ESCAPE '_'", "'a%c' LIKE 'a%%c' ESCAPE '%'",
    "s LIKE m ESCAPE '!'", r"'a\\b' LIKE 'a\\b' ESCAPE '!'", "'a%' LIKE concat('a', '!%') ESCAPE '!'", "'a%' LIKE concat('a', '!') ESCAPE '!'", "'a%' LIKE concat('!a', '%') ESCAPE '!'", "'😀%' LIKE '😀#%' ESCAPE '#'",
    "'a%' LIKE 'a/%' ESCAPE '/'", "NULL LIKE 'a!%' ESCAPE '!'", r"'abc' LIKE 'a\\%c' ESCAPE '!'", r"'a\\' LIKE 'a\\' ESCAPE '!'",
)  # fmt: skip

NUMBERS = (
    "+ i", "- i", "+ d", "+ n", "+ -i", "- -i", "-(-2147483648)", "- CAST(-2147483648 AS INT)", "-9223372036854775808", "log(10, 1000)", "CAST(log(10, 1000) AS BIGINT)", "log(2, 8)", "log(100)", "log(3, 81)", "log(i, l)",
    "log(0, 1)", "log(1, 5)", "log(-1, 5)", "log(10, 0)", "log(n, 2)", "log(2D, f)", "ln(0)", "ln(-1)", "log10(1000)", "log2(8)", "log10(0)", "log1p(-2)", "round(CAST(2.5 AS FLOAT))", "round(CAST(1.25 AS FLOAT), 1)", "round(2.5D)",
    "round(-2.5D)", "round(1.005D, 2)", "round(2.675D, 2)", "round(d, 1)", "round(d)", "round(d, -1)", "round(i, -1)", "round(l, -9)", "round(1e300D, 2)", "round(CAST('NaN' AS DOUBLE))", "round(0.5BD)", "round(-0.5D)",
    "round(12345678901234567.5D)", "round(5, -1)", "round(n)", "round(99.99BD, 1)", "round(99.99BD, 5)", "round(i)", "round(2147483647, -1)", "ceil(CAST(2.5 AS FLOAT))", "floor(d)", "ceil(d)", "floor(-0.5D)", "ceil(1e20D)",
    "ceil(2.5, 0)", "ceil(-0.35, 1)", "floor(-0.35, 1)", "ceil(-35, -1)", "floor(-35, -1)", "ceil(3.14115, -3)", "floor(-3.14115, -3)", "ceil(d, 1)", "floor(d, 1)", "ceil(d, 5)", "floor(d, -1)", "ceil(d, -9)", "ceil(2.5D, 1)", "floor(-2.55D, 1)", "ceil(1e300D, 2)", "ceil(CAST('NaN' AS DOUBLE), 1)", "ceil(CAST(1.25 AS FLOAT), 1)", "floor(f, 1)", "ceil(i, -1)", "floor(l, -3)", "ceil(l, 2)", "floor(n, 1)", "ceiling(1.21, 1)", "ceil(99999999999999999999999999999999999999BD, -1)", "floor(-99999999999999999999999999999999999999BD, -3)", "floor(99999999999999999999999999999999999999BD, -37)", "ceil(CAST(99 AS DECIMAL(2, 0)), -1)", "floor(0.004, 2)", "ceil(-0.004, 2)", "ceil(9223372036854775807L, -18)", "floor(5, 50)",
    "abs(CAST(-2147483648 AS INT))", "abs(-9223372036854775807L)", "abs(d)", "abs(CAST(-1.5 AS FLOAT))", "sign(CAST(-1.5 AS FLOAT))", "sqrt(-1)", "power(0,0)", "power(2, -1)", "power(-8, 0.5D)", "exp(1000)", "mod(-7, 3)",
    "mod(7, -3)", "mod(-7.5D, 2)", "mod(d, 5)", "pmod(-7, 3)", "-7 % 3", "i % 0", "5 DIV 2", "-5 DIV 2", "CAST(-2147483648 AS INT) DIV -1", "l DIV 0", "7 / 2", "1 / 3", "i / 0", "d / 0", "greatest(1, 2.5D)", "greatest(1, n)",
    "least(1, NULL)", "greatest('a','b')", "unix_timestamp(TIMESTAMP '1969-12-31 23:59:59.5')", "to_unix_timestamp(TIMESTAMP '1969-12-31 23:59:59.5')", "unix_seconds(TIMESTAMP '1969-12-31 23:59:59.5')",
    "unix_millis(TIMESTAMP '1969-12-31 23:59:59.9995')", "unix_timestamp(TIMESTAMP '1969-12-31 23:59:58.5')", "unix_timestamp(dt)", "second(TIMESTAMP '1969-12-31 23:59:58.5')", "locate(NULL,'a')", "locate('a',NULL)",
    "locate('a','a',NULL)", "locate('','abc',2)", "locate('b','abc',0)", "locate('b','abc',-1)", "position('b' in 'abc')", "position('b','abc',NULL)", "instr('abc','')", "instr(NULL,'a')",
    "substring('abc', CAST('-2147483648' AS INT))", "substring('abc', CAST('-2147483648' AS INT), 2147483647)", "substring('W7Jc3Vyufj', CAST('-2147483648' AS INT))", "substring('abc', -2147483648)", "substring('abc', 2147483647)",
    "substring('abc', 0)", "substring('abc', 0, 2)", "substring('abc', -5, 3)", "substring('abc', -2, 1)", "substring('abc', 2, -1)", "substring('abc', 1, 2147483647)", "substring('abc', 3, 2147483647)",
    "substring('abc', -2, 2147483647)", "substring('abc' FROM 2 FOR 1)", "substring('a😀c', 2, 1)", "left('abc', -1)", "right('abc', -1)", "left('abc', 2147483647)", "right('abc', NULL)", "left(NULL, 1)", "lpad('abc', 5)",
    "lpad('abc', 5, '')", "rpad('abc', 2, 'x')", "repeat('ab', -1)", r"trim(' \t a ')", "upper('ß')", "lower('İ')", "initcap('hELLO wORLD')", "reverse('a😀b')", r"length('e\u0301')", "concat('a', NULL)",
    "concat_ws(',', 'a', NULL, 'b')", "concat_ws(NULL, 'a')", "concat('a')", "'a' || NULL", "replace('abc','','x')", "replace('abab','ab','')", "translate('abc','abc','12')", "ascii('')", "chr(0)", "chr(256)", "space(2)",
    "split_part('a,b,c', ',', 0)", "split_part('a,b,c', ',', -1)", "substring_index('a.b.c','.',-2)", "levenshtein('a','b')", "hex(-1)", "base64('a')", "nvl(n, 1)", "nullif(1, 1.0)", "nullif(1, NULL)", "coalesce(n, 1.5D)",
    "coalesce(n, l)", "if(n > 1, 'a', 'b')", "if(NULL, 1, 2)", "CASE WHEN n > 1 THEN 1 END", "CASE n WHEN NULL THEN 1 ELSE 2 END", "n IN (1, NULL)", "1 IN (1, NULL)", "2 IN (1, NULL)", "1 NOT IN (2, NULL)", "NOT NULL",
    "NULL AND FALSE", "NULL OR TRUE", "n = NULL", "NULL <=> NULL", "n IS NULL", "i BETWEEN NULL AND 8", "i BETWEEN 9 AND NULL", "(n > 1) IS TRUE", "(n > 1) IS NOT TRUE", "NULL IS TRUE", "TRUE > FALSE", "+ a[0]", "+ (+ i)",
    "+ i::BIGINT", "+ + i", "(+ i + 1) * + i", "+ i = 7 AND + i > 0", "CASE WHEN + n > 1 THEN + i ELSE + 2 END",
)  # fmt: skip

COMPARISONS = (
    "array(1) = array(2)", "array(1) <> array(2)", "array(1) <=> array(2)", "array(1,2) = array(1)", "array(1,2) <> array(1)", "array(1,2) <=> array(1)", "array(1,n) = array(1,2)", "array(1,n) <> array(1,2)",
    "array(1,n) <=> array(1,2)", "array(1,n) = array(1,n)", "array(1,n) <> array(1,n)", "array(1,n) <=> array(1,n)", "array(n) = array(n)", "array(n) <> array(n)", "array(n) <=> array(n)", "array('a') = array('B')",
    "array('a') <> array('B')", "array('a') <=> array('B')", "a = a", "a <> a", "a <=> a", "array(0.0D) = array(-0.0D)", "array(0.0D) <> array(-0.0D)", "array(0.0D) <=> array(-0.0D)", "named_struct('a',1) = named_struct('a',2)",
    "named_struct('a',1) <> named_struct('a',2)", "named_struct('a',1) <=> named_struct('a',2)", "named_struct('a',1,'b',n) = named_struct('a',1,'b',2)", "named_struct('a',1,'b',n) <> named_struct('a',1,'b',2)",
    "named_struct('a',1,'b',n) <=> named_struct('a',1,'b',2)", "named_struct('a',1,'b',n) = named_struct('a',1,'b',n)", "named_struct('a',1,'b',n) <> named_struct('a',1,'b',n)",
    "named_struct('a',1,'b',n) <=> named_struct('a',1,'b',n)", "named_struct('a',n) = named_struct('a',n)", "named_struct('a',n) <> named_struct('a',n)", "named_struct('a',n) <=> named_struct('a',n)",
    "array(array(1)) = array(array(2))", "array(array(1)) <> array(array(2))", "array(array(1)) <=> array(array(2))", "array(n) = array(2)", "array(n) <> array(2)", "array(n) <=> array(2)",
    "array(CAST('NaN' AS DOUBLE)) = array(1D)", "array(CAST('NaN' AS DOUBLE)) <> array(1D)", "array(CAST('NaN' AS DOUBLE)) <=> array(1D)", "CAST('NaN' AS DOUBLE) < 1D", "CAST('NaN' AS DOUBLE) <= 1D", "CAST('NaN' AS DOUBLE) > 1D",
    "CAST('NaN' AS DOUBLE) >= 1D", "CAST('NaN' AS DOUBLE) = 1D", "CAST('NaN' AS DOUBLE) <> 1D", "CAST('NaN' AS DOUBLE) <=> 1D", "CAST('NaN' AS DOUBLE) < CAST('NaN' AS DOUBLE)", "CAST('NaN' AS DOUBLE) <= CAST('NaN' AS DOUBLE)",
    "CAST('NaN' AS DOUBLE) > CAST('NaN' AS DOUBLE)", "CAST('NaN' AS DOUBLE) >= CAST('NaN' AS DOUBLE)", "CAST('NaN' AS DOUBLE) = CAST('NaN' AS DOUBLE)", "CAST('NaN' AS DOUBLE) <> CAST('NaN' AS DOUBLE)",
    "CAST('NaN' AS DOUBLE) <=> CAST('NaN' AS DOUBLE)", "0.0D < -0.0D", "0.0D <= -0.0D", "0.0D > -0.0D", "0.0D >= -0.0D", "0.0D = -0.0D", "0.0D <> -0.0D", "0.0D <=> -0.0D", "'a' < 'B'", "'a' <= 'B'", "'a' > 'B'", "'a' >= 'B'",
    "'a' = 'B'", "'a' <> 'B'", "'a' <=> 'B'", "'é' < 'z'", "'é' <= 'z'", "'é' > 'z'", "'é' >= 'z'", "'é' = 'z'", "'é' <> 'z'", "'é' <=> 'z'", "'' < 'a'", "'' <= 'a'", "'' > 'a'", "'' >= 'a'", "'' = 'a'", "'' <> 'a'", "'' <=> 'a'",
    "'a' < 'a '", "'a' <= 'a '", "'a' > 'a '", "'a' >= 'a '", "'a' = 'a '", "'a' <> 'a '", "'a' <=> 'a '", "TRUE < FALSE", "TRUE <= FALSE", "TRUE > FALSE", "TRUE >= FALSE", "TRUE = FALSE", "TRUE <> FALSE", "TRUE <=> FALSE",
    r"'😀' < '\uffee'", r"'😀' <= '\uffee'", r"'😀' > '\uffee'", r"'😀' >= '\uffee'", r"'😀' = '\uffee'", r"'😀' <> '\uffee'", r"'😀' <=> '\uffee'", "1 < 1.0", "1 <= 1.0", "1 > 1.0", "1 >= 1.0", "1 = 1.0", "1 <> 1.0", "1 <=> 1.0",
    "1 < 1.0D", "1 <= 1.0D", "1 > 1.0D", "1 >= 1.0D", "1 = 1.0D", "1 <> 1.0D", "1 <=> 1.0D", "l < 2.5BD", "l <= 2.5BD", "l > 2.5BD", "l >= 2.5BD", "l = 2.5BD", "l <> 2.5BD", "l <=> 2.5BD", "array(1) = array(1.5D)",
    "array(1) <> array(1.5D)", "array(1) <=> array(1.5D)", "array(1) IN (array(2), array(1))", "nullif(array(1), array(1))", "CASE array(1) WHEN array(1) THEN 'x' END", "array(1) IS DISTINCT FROM array(n)",
)  # fmt: skip

NULLS = (
    "CONCAT(s)", "CONCAT(NULL)", "CONCAT_WS(s, s)", "CONCAT_WS(NULL, s)", "CONCAT_WS(s, NULL)", "CONCAT_WS(NULL, NULL)", "LENGTH(s)", "LENGTH(NULL)", "UPPER(s)", "UPPER(NULL)", "LOWER(s)", "LOWER(NULL)", "TRIM(s)", "TRIM(NULL)",
    "LTRIM(s)", "LTRIM(NULL)", "RTRIM(s)", "RTRIM(NULL)", "SUBSTRING(s, 1)", "SUBSTRING(NULL, 1)", "SUBSTRING(s, NULL)", "SUBSTRING(NULL, NULL)", "SUBSTRING(s, 1, 1)", "SUBSTRING(NULL, 1, 1)", "SUBSTRING(s, NULL, 1)",
    "SUBSTRING(s, 1, NULL)", "SUBSTRING(NULL, NULL, NULL)", "LEFT(s, 1)", "LEFT(NULL, 1)", "LEFT(s, NULL)", "LEFT(NULL, NULL)", "RIGHT(s, 1)", "RIGHT(NULL, 1)", "RIGHT(s, NULL)", "RIGHT(NULL, NULL)", "REPLACE(s, s, s)",
    "REPLACE(NULL, s, s)", "REPLACE(s, NULL, s)", "REPLACE(s, s, NULL)", "REPLACE(NULL, NULL, NULL)", "REVERSE(s)", "REVERSE(NULL)", "CONTAINS(s, s)", "CONTAINS(NULL, s)", "CONTAINS(s, NULL)", "CONTAINS(NULL, NULL)",
    "STARTSWITH(s, s)", "STARTSWITH(NULL, s)", "STARTSWITH(s, NULL)", "STARTSWITH(NULL, NULL)", "ENDSWITH(s, s)", "ENDSWITH(NULL, s)", "ENDSWITH(s, NULL)", "ENDSWITH(NULL, NULL)", "INSTR(s, s)", "INSTR(NULL, s)", "INSTR(s, NULL)",
    "INSTR(NULL, NULL)", "OCTET_LENGTH(s)", "OCTET_LENGTH(NULL)", "BIT_LENGTH(s)", "BIT_LENGTH(NULL)", "MD5(s)", "MD5(NULL)", "SHA1(s)", "SHA1(NULL)", "REGEXP_LIKE(s, '(a)')", "REGEXP_LIKE(NULL, '(a)')",
    "REGEXP_REPLACE(s, '(a)', s)", "REGEXP_REPLACE(NULL, '(a)', s)", "REGEXP_REPLACE(s, '(a)', NULL)", "REGEXP_EXTRACT(s, '(a)')", "REGEXP_EXTRACT(NULL, '(a)')", "REGEXP_EXTRACT(s, '(a)', 1)", "REGEXP_EXTRACT(NULL, '(a)', 1)",
    "LPAD(s, 1)", "LPAD(NULL, 1)", "LPAD(s, NULL)", "LPAD(NULL, NULL)", "LPAD(s, 1, s)", "LPAD(NULL, 1, s)", "LPAD(s, NULL, s)", "LPAD(s, 1, NULL)", "LPAD(NULL, NULL, NULL)", "RPAD(s, 1)", "RPAD(NULL, 1)", "RPAD(s, NULL)",
    "RPAD(NULL, NULL)", "RPAD(s, 1, s)", "RPAD(NULL, 1, s)", "RPAD(s, NULL, s)", "RPAD(s, 1, NULL)", "RPAD(NULL, NULL, NULL)", "SPLIT(s, '(a)')", "SPLIT(NULL, '(a)')", "SPLIT(s, '(a)', 1)", "SPLIT(NULL, '(a)', 1)",
    "SPLIT(s, '(a)', NULL)", "BASE64(s)", "BASE64(NULL)", "ELT(i, s)", "ELT(NULL, s)", "ELT(i, NULL)", "ELT(NULL, NULL)", "TRANSLATE(s, s, s)", "TRANSLATE(NULL, s, s)", "TRANSLATE(s, NULL, s)", "TRANSLATE(s, s, NULL)",
    "TRANSLATE(NULL, NULL, NULL)", "REPEAT(s, 1)", "REPEAT(NULL, 1)", "REPEAT(s, NULL)", "REPEAT(NULL, NULL)", "SPACE(1)", "SPACE(NULL)", "ASCII(s)", "ASCII(NULL)", "CHR(i)", "CHR(NULL)", "LOCATE(s, s)", "LOCATE(NULL, s)",
    "LOCATE(s, NULL)", "LOCATE(NULL, NULL)", "LOCATE(s, s, 1)", "LOCATE(NULL, s, 1)", "LOCATE(s, NULL, 1)", "LOCATE(s, s, NULL)", "LOCATE(NULL, NULL, NULL)", "SUBSTRING_INDEX(s, s, 1)", "SUBSTRING_INDEX(NULL, s, 1)",
    "SUBSTRING_INDEX(s, NULL, 1)", "SUBSTRING_INDEX(s, s, NULL)", "SUBSTRING_INDEX(NULL, NULL, NULL)", "SPLIT_PART(s, s, 1)", "SPLIT_PART(NULL, s, 1)", "SPLIT_PART(s, NULL, 1)", "SPLIT_PART(s, s, NULL)",
    "SPLIT_PART(NULL, NULL, NULL)", "LEVENSHTEIN(s, s)", "LEVENSHTEIN(NULL, s)", "LEVENSHTEIN(s, NULL)", "LEVENSHTEIN(NULL, NULL)", "HEX(i)", "HEX(NULL)", "BIN(i)", "BIN(NULL)", "SHA2(s, 256)", "SHA2(NULL, 256)", "SHA2(s, NULL)",
    "SHA2(NULL, NULL)", "CRC32(s)", "CRC32(NULL)", "FIND_IN_SET(s, s)", "FIND_IN_SET(NULL, s)", "FIND_IN_SET(s, NULL)", "FIND_IN_SET(NULL, NULL)", "URL_ENCODE(s)", "URL_ENCODE(NULL)", "URL_DECODE(s)", "URL_DECODE(NULL)",
    "REGEXP_COUNT(s, '(a)')", "REGEXP_COUNT(NULL, '(a)')", "REGEXP_INSTR(s, '(a)')", "REGEXP_INSTR(NULL, '(a)')", "INITCAP(s)", "INITCAP(NULL)", "REGEXP_SUBSTR(s, '(a)')", "REGEXP_SUBSTR(NULL, '(a)')",
    "REGEXP_EXTRACT_ALL(s, '(a)')", "REGEXP_EXTRACT_ALL(NULL, '(a)')", "REGEXP_EXTRACT_ALL(s, '(a)', 1)", "REGEXP_EXTRACT_ALL(NULL, '(a)', 1)", "ABS(d)", "CEIL(d)", "FLOOR(d)", "ROUND(d)", "ROUND(d, 1)", "NEGATIVE(d)", "SIGN(f)",
    "SIGN(NULL)", "SQRT(f)", "SQRT(NULL)", "CBRT(f)", "CBRT(NULL)", "EXP(f)", "EXP(NULL)", "LN(f)", "LN(NULL)", "LOG(f)", "LOG(NULL)", "LOG(f, f)", "LOG(NULL, f)", "LOG(f, NULL)", "LOG(NULL, NULL)", "LOG10(f)", "LOG10(NULL)",
    "POWER(f, f)", "POWER(NULL, f)", "POWER(f, NULL)", "POWER(NULL, NULL)", "SIN(f)", "SIN(NULL)", "COS(f)", "COS(NULL)", "TAN(f)", "TAN(NULL)", "ASIN(f)", "ASIN(NULL)", "ACOS(f)", "ACOS(NULL)", "ATAN(f)", "ATAN(NULL)",
    "ATAN2(f, f)", "ATAN2(NULL, f)", "ATAN2(f, NULL)", "ATAN2(NULL, NULL)", "SINH(f)", "SINH(NULL)", "COSH(f)", "COSH(NULL)", "TANH(f)", "TANH(NULL)", "DEGREES(f)", "DEGREES(NULL)", "RADIANS(f)", "RADIANS(NULL)", "PI()",
    "ISNAN(f)", "ISNAN(NULL)", "MOD(d, d)", "MOD(NULL, d)", "MOD(d, NULL)", "PMOD(i, i)", "POSITIVE(d)", "E()", "EXPM1(f)", "EXPM1(NULL)", "LOG2(f)", "LOG2(NULL)", "LOG1P(f)", "LOG1P(NULL)", "HYPOT(f, f)", "HYPOT(NULL, f)",
    "HYPOT(f, NULL)", "HYPOT(NULL, NULL)", "COT(f)", "COT(NULL)", "SEC(f)", "SEC(NULL)", "CSC(f)", "CSC(NULL)", "ASINH(f)", "ASINH(NULL)", "ACOSH(f)", "ACOSH(NULL)", "ATANH(f)", "ATANH(NULL)", "RINT(f)", "RINT(NULL)",
    "SHIFTLEFT(i, 1)", "SHIFTLEFT(i, NULL)", "SHIFTRIGHT(i, 1)", "SHIFTRIGHT(i, NULL)", "SHIFTRIGHTUNSIGNED(i, 1)", "SHIFTRIGHTUNSIGNED(i, NULL)", "BIT_COUNT(i)", "BIT_COUNT(NULL)", "FACTORIAL(1)", "FACTORIAL(NULL)",
    "WIDTH_BUCKET(f, f, f, i)", "WIDTH_BUCKET(NULL, f, f, i)", "WIDTH_BUCKET(f, NULL, f, i)", "WIDTH_BUCKET(f, f, NULL, i)", "WIDTH_BUCKET(f, f, f, NULL)", "WIDTH_BUCKET(NULL, NULL, NULL, NULL)", "NANVL(f, f)", "NANVL(NULL, f)",
    "NANVL(f, NULL)", "NANVL(NULL, NULL)", "COALESCE(i)", "NULLIF(i, i)", "NULLIF(i, NULL)", "ISNULL(i)", "ISNULL(NULL)", "ISNOTNULL(i)", "ISNOTNULL(NULL)", "NVL2(i, i, i)", "NVL2(NULL, i, i)", "NVL2(i, NULL, i)",
    "NVL2(i, i, NULL)", "EQUAL_NULL(i, i)", "EQUAL_NULL(NULL, i)", "EQUAL_NULL(i, NULL)", "EQUAL_NULL(NULL, NULL)", "ZEROIFNULL(d)", "ZEROIFNULL(NULL)", "NULLIFZERO(d)", "SIZE(a)", "SIZE(NULL)", "FLATTEN(array(a))",
    "ARRAY_CONTAINS(a, i)", "ARRAY_CONTAINS(NULL, i)", "ARRAY_CONTAINS(a, NULL)", "ARRAY_CONTAINS(NULL, NULL)", "ARRAY_MIN(a)", "ARRAY_MAX(a)", "ARRAY_DISTINCT(a)", "ARRAY_UNION(a, a)", "ARRAY_UNION(NULL, a)",
    "ARRAY_UNION(a, NULL)", "ARRAY_INTERSECT(a, a)", "ARRAY_INTERSECT(NULL, a)", "ARRAY_INTERSECT(a, NULL)", "ARRAY_EXCEPT(a, a)", "ARRAY_EXCEPT(NULL, a)", "ARRAY_EXCEPT(a, NULL)", "MAP_KEYS(mp)", "MAP_VALUES(mp)",
    "JSON_ARRAY_LENGTH('[1]')", "JSON_ARRAY_LENGTH(NULL)", "JSON_OBJECT_KEYS(s)", "JSON_OBJECT_KEYS(NULL)", "ARRAY_APPEND(a, i)", "ARRAY_APPEND(NULL, i)", "ARRAY_APPEND(a, NULL)", "ARRAY_PREPEND(a, i)", "ARRAY_PREPEND(NULL, i)",
    "ARRAY_PREPEND(a, NULL)", "ARRAY_POSITION(a, i)", "ARRAY_POSITION(NULL, i)", "ARRAY_POSITION(a, NULL)", "ARRAY_POSITION(NULL, NULL)", "ARRAY_REMOVE(a, i)", "ARRAY_REMOVE(NULL, i)", "ARRAY_REMOVE(a, NULL)", "ARRAY_COMPACT(a)",
    "ARRAY_JOIN(array('a'), ',')", "ARRAY_JOIN(array('a'), NULL)", "ARRAY_JOIN(array('a'), ',', s)", "ARRAY_JOIN(array('a'), NULL, s)", "ARRAY_JOIN(array('a'), ',', NULL)", "ARRAY_REPEAT(i, 1)", "ARRAY_REPEAT(i, NULL)",
    "ARRAYS_OVERLAP(a, a)", "ARRAYS_OVERLAP(NULL, a)", "ARRAYS_OVERLAP(a, NULL)", "ARRAYS_OVERLAP(NULL, NULL)", "SORT_ARRAY(a)", "SORT_ARRAY(a, TRUE)", "ARRAY_SORT(a)", "ELEMENT_AT(a, 1)", "ELEMENT_AT(a, NULL)", "GET(a, 1)",
    "GET(a, NULL)", "SLICE(a, 1, 1)", "SLICE(a, NULL, 1)", "SLICE(a, 1, NULL)", "SEQUENCE(i, i)", "SEQUENCE(i, i, i)", "MAP_CONTAINS_KEY(mp, 'x')", "MAP_CONTAINS_KEY(mp, NULL)", "MAP_CONTAINS_KEY(NULL, NULL)", "MAP_ENTRIES(mp)",
    "NAMED_STRUCT('x', 1)", "YEAR(ts)", "YEAR(NULL)", "QUARTER(ts)", "QUARTER(NULL)", "MONTH(ts)", "MONTH(NULL)", "WEEKOFYEAR(ts)", "WEEKOFYEAR(NULL)", "DAY(ts)", "DAY(NULL)", "HOUR(ts)", "HOUR(NULL)", "MINUTE(ts)", "MINUTE(NULL)",
    "SECOND(ts)", "SECOND(NULL)", "DAYOFWEEK(ts)", "DAYOFWEEK(NULL)", "WEEKDAY(ts)", "WEEKDAY(NULL)", "DAYOFYEAR(ts)", "DAYOFYEAR(NULL)", "LAST_DAY(dt)", "LAST_DAY(NULL)", "DATEDIFF(dt, dt)", "DATEDIFF(NULL, dt)",
    "DATEDIFF(dt, NULL)", "DATEDIFF(NULL, NULL)", "DATE_ADD(dt, 1)", "DATE_ADD(NULL, 1)", "DATE_ADD(dt, NULL)", "DATE_ADD(NULL, NULL)", "DATE_SUB(dt, 1)", "DATE_SUB(NULL, 1)", "DATE_SUB(dt, NULL)", "DATE_SUB(NULL, NULL)",
    "TIMESTAMPADD(HOUR, i, ts)", "TIMESTAMPADD(HOUR, NULL, ts)", "TIMESTAMPADD(HOUR, i, NULL)", "DATE_TRUNC('YEAR', ts)", "DATE_TRUNC('YEAR', NULL)", "DATE_FORMAT(ts, 'yyyy-MM-dd')", "DATE_FORMAT(NULL, 'yyyy-MM-dd')",
    "TO_TIMESTAMP(s, 'yyyy-MM-dd')", "TO_TIMESTAMP(NULL, 'yyyy-MM-dd')", "TO_DATE(s, 'yyyy-MM-dd')", "TO_DATE(NULL, 'yyyy-MM-dd')", "UNIX_MILLIS(ts)", "UNIX_MILLIS(NULL)", "TIMESTAMP_MILLIS(i)", "TIMESTAMP_MILLIS(NULL)",
    "DATE_PART('YEAR', ts)", "DATE_PART('YEAR', NULL)", "TRUNC(dt, 'YEAR')", "TRUNC(NULL, 'YEAR')", "ADD_MONTHS(dt, 1)", "ADD_MONTHS(NULL, 1)", "ADD_MONTHS(dt, NULL)", "ADD_MONTHS(NULL, NULL)", "MONTHS_BETWEEN(ts, ts)",
    "MONTHS_BETWEEN(NULL, ts)", "MONTHS_BETWEEN(ts, NULL)", "MONTHS_BETWEEN(NULL, NULL)", "NEXT_DAY(dt, 'MON')", "NEXT_DAY(NULL, 'MON')", "MAKE_DATE(1, 1, 1)", "MAKE_DATE(NULL, 1, 1)", "MAKE_DATE(1, NULL, 1)",
    "MAKE_DATE(1, 1, NULL)", "MAKE_DATE(NULL, NULL, NULL)", "DAYNAME(ts)", "DAYNAME(NULL)", "MONTHNAME(ts)", "MONTHNAME(NULL)", "TIMESTAMPDIFF(HOUR, ts, ts)", "TIMESTAMPDIFF(HOUR, NULL, ts)", "TIMESTAMPDIFF(HOUR, ts, NULL)",
    "UNIX_SECONDS(ts)", "UNIX_SECONDS(NULL)", "UNIX_TIMESTAMP(ts)", "UNIX_TIMESTAMP(NULL)", "UNIX_MICROS(ts)", "UNIX_MICROS(NULL)", "UNIX_DATE(dt)", "UNIX_DATE(NULL)", "DATE_FROM_UNIX_DATE(i)", "DATE_FROM_UNIX_DATE(NULL)",
    "TIMESTAMP_SECONDS(i)", "TIMESTAMP_SECONDS(NULL)", "TIMESTAMP_MICROS(i)", "TIMESTAMP_MICROS(NULL)", "FROM_UNIXTIME(i)", "FROM_UNIXTIME(NULL)", "FROM_UNIXTIME(i, 'yyyy-MM-dd')", "FROM_UNIXTIME(NULL, 'yyyy-MM-dd')",
    "FROM_UTC_TIMESTAMP(ts, 'UTC')", "FROM_UTC_TIMESTAMP(NULL, 'UTC')", "TO_UTC_TIMESTAMP(ts, 'UTC')", "TO_UTC_TIMESTAMP(NULL, 'UTC')",
)  # fmt: skip

_DECIMALS = (
    "CAST('12345678901234567890123456789012345678' AS DECIMAL(38,0))",
    "CAST('0.12345678901234567890123456789012345678' AS DECIMAL(38,38))",
    "CAST('-1234567890.1234567890' AS DECIMAL(20,10))",
    "CAST('3' AS DECIMAL(38,18))",
    "CAST('0.000001' AS DECIMAL(38,6))",
    "d",
    "1.5",
    "7BD",
    "3",
    "l",
    "CAST('99999999999999999999.999999999999999999' AS DECIMAL(38,18))",
    "CAST('0' AS DECIMAL(10,2))",
)
DECIMALS = tuple(f"{a} {mark} {b}" for a in _DECIMALS for b in _DECIMALS for mark in "+-*/%")

FAMILIES = {
    "strings": STRINGS,
    "casts": CASTS,
    "arrays": ARRAYS,
    "literals": LITERALS,
    "regexes": REGEXES,
    "likes": LIKES,
    "numbers": NUMBERS,
    "comparisons": COMPARISONS,
    "nulls": NULLS,
    "decimals": DECIMALS,
}
EXPRESSIONS = tuple(dict.fromkeys(text for family in FAMILIES.values() for text in family))
# What Spark reads and a model cannot have, with the code.
REFUSED: dict[str, str] = {
    **{f"CAST('{text}' AS {type})": "LSQ470" for text in ("today", " now", "TOMORROW", "yesterday CET") for type in ("DATE", "TIMESTAMP")},
    **{f"CAST('{text}' AS TIMESTAMP)": "LSQ470" for text in ("10:23", "18:20:49", "T10", "T10:20", "1:2:3.5 CET")},
    "DATE '2024-13-45'": "LSQ470", "TIMESTAMP 'today'": "LSQ470", "DATE 'x'": "LSQ470", "TIMESTAMP '10:23'": "LSQ470", "TIMESTAMP '2024-01-05 10:00:00 Nowhere/X'": "LSQ470", "DATE ''": "LSQ470",
    r"s LIKE 'a\\b'": "LSQ471", r"s NOT LIKE 'a\\'": "LSQ471", "s LIKE 'a!b' ESCAPE '!'": "LSQ471", "s LIKE 'a' ESCAPE '!!'": "LSQ450", "s LIKE 'a' ESCAPE '😀'": "LSQ450", "+ b": "LSQ209",
    "array(NULL) < array(2)": "LSQ390", "array(1) < array(2)": "LSQ390",
    "INT '1'": "LSQ450", "DECIMAL '1.5'": "LSQ450",
}  # fmt: skip
