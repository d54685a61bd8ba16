"""Constructs of the Lenses language and of other SQL dialects, and their counterparts in ksqlDB.

There is a table for each kind of word; each entry is the help of an error's message.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from lsqlc.diagnostics import Diagnostic
from lsqlc.syntax.cursor import Cursor

# Functions that ksqlDB does not have, and the expression for a call.
FUNCTIONS: Mapping[str, str] = {
    "MAXK": "TOPK(value, n)",
    "MAXK_UNIQUE": "TOPKDISTINCT(value, n)",
    "MINK": "MIN(value), which is the smallest only",
    "MINK_UNIQUE": "MIN(value), which is the smallest only",
    "COLLECT": "COLLECT_LIST(value)",
    "COLLECT_UNIQUE": "COLLECT_SET(value)",
    "ARRAY_AGG": "COLLECT_LIST(value)",
    "STRING_AGG": "ARRAY_JOIN(COLLECT_LIST(value), ',')",
    "GROUP_CONCAT": "ARRAY_JOIN(COLLECT_LIST(value), ',')",
    "FIRST": "EARLIEST_BY_OFFSET(value)",
    "FIRST_VALUE": "EARLIEST_BY_OFFSET(value)",
    "LAST": "LATEST_BY_OFFSET(value)",
    "LAST_VALUE": "LATEST_BY_OFFSET(value)",
    "ANY_VALUE": "LATEST_BY_OFFSET(value)",
    "APPROX_COUNT_DISTINCT": "COUNT_DISTINCT(value)",
    "LISTAGG": "ARRAY_JOIN(COLLECT_LIST(value), ',')",
    "LIST": "COLLECT_LIST(value)",
    **dict.fromkeys(("COUNT_IF", "COUNTIF"), "SUM(CASE WHEN condition THEN 1 ELSE 0 END)"),
    **dict.fromkeys(("SUM_IF", "SUMIF"), "SUM(CASE WHEN condition THEN value ELSE 0 END)"),
    **dict.fromkeys(("BOOL_AND", "EVERY"), "MIN(CASE WHEN condition THEN 1 ELSE 0 END) = 1"),
    **dict.fromkeys(("BOOL_OR", "SOME"), "MAX(CASE WHEN condition THEN 1 ELSE 0 END) = 1"),
    "STDDEV": "STDDEV_SAMPLE(value)",
    "VARIANCE": "STDDEV_SAMPLE(value) * STDDEV_SAMPLE(value)",
    "MEAN": "AVG(value)",
    "LENGTH": "LEN(text)",
    "CHAR_LENGTH": "LEN(text)",
    "CHARACTER_LENGTH": "LEN(text)",
    **dict.fromkeys(("UPPER", "UPPERCASE"), "UCASE(text)"),
    **dict.fromkeys(("LOWER", "LOWERCASE"), "LCASE(text)"),
    "CAPITALIZE": "INITCAP(text), which changes each word",
    **dict.fromkeys(("LTRIM", "RTRIM", "BTRIM"), "TRIM(text), which trims both ends"),
    "TAKELEFT": "SUBSTRING(text, 1, size)",
    "TAKERIGHT": "SUBSTRING(text, LEN(text) - size + 1)",
    "MID": "SUBSTRING(text, start, size)",
    **dict.fromkeys(("LOCATE", "CHARINDEX"), "INSTR(text, sought)"),
    **dict.fromkeys(("STARTSWITH", "STARTS_WITH"), "INSTR(text, part) = 1"),
    **dict.fromkeys(("ENDSWITH", "ENDS_WITH"), "SUBSTRING(text, LEN(text) - LEN(part) + 1) = part"),
    "LEFTPAD": "LPAD(text, size, fill)",
    "RIGHTPAD": "RPAD(text, size, fill)",
    "CONCATENATE": "CONCAT(text, text)",
    "SPLIT_PART": "SPLIT(text, ',')[1]",
    **dict.fromkeys(("SPLIT_TO_ARRAY", "STRING_TO_ARRAY"), "SPLIT(text, ',')"),
    "ARRAY_TO_STRING": "ARRAY_JOIN(array, separator)",
    **dict.fromkeys(("REGEXP", "REGEXP_LIKE", "REGEXP_MATCHES", "RLIKE"), "REGEXP_EXTRACT(pattern, text) IS NOT NULL"),
    "REGEXP_SUBSTR": "REGEXP_EXTRACT(pattern, text)",
    "BASE64": "ENCODE(text, 'utf8', 'base64')",
    **dict.fromkeys(("UNBASE64", "DECODE64"), "ENCODE(text, 'base64', 'utf8')"),
    "NVL2": "CASE WHEN value IS NOT NULL THEN one ELSE other END",
    "ZEROIFNULL": "IFNULL(number, 0)",
    "NULLIFZERO": "NULLIF(number, 0)",
    **dict.fromkeys(("TRY_CAST", "SAFE_CAST", "CONVERT"), "CAST(value AS INT)"),
    "TRUNCATE": "TRUNC(number)",
    "POW": "POWER(base, exponent)",
    "MOD": "one % other",
    "LOG2": "LOG(2, number)",
    "LOG10": "LOG(10, number)",
    "SIGNUM": "SIGN(number)",
    "INDEXOF": "INSTR(text, sought) - 1",
    "POSITION": "INSTR(text, sought)",
    "STRPOS": "INSTR(text, sought)",
    "CONTAINS": "INSTR(text, sought) > 0",
    "MKSTRING": "ARRAY_JOIN(array, separator)",
    "SIZEOF": "ARRAY_LENGTH(array)",
    **dict.fromkeys(("CARDINALITY", "SIZE", "ARRAY_SIZE"), "ARRAY_LENGTH(array)"),
    "IN_ARRAY": "ARRAY_CONTAINS(array, value)",
    **dict.fromkeys(("ELEMENT_AT", "ELEMENT_OF"), "array[1], counted from 1"),
    "SORT_ARRAY": "ARRAY_SORT(array)",
    "ARRAY_APPEND": "ARRAY_CONCAT(array, ARRAY[value])",
    "AGGREGATE": "REDUCE(array, start, (sum, element) => sum + element)",
    "UNNEST": "EXPLODE(array)",
    "NVL": "IFNULL(value, other)",
    "ISNULL": "value IS NULL",
    "IF": "CASE WHEN condition THEN one ELSE other END",
    "IIF": "CASE WHEN condition THEN one ELSE other END",
    "AS_NON_NULLABLE": "COALESCE(value, other)",
    "NOW": "FROM_UNIXTIME(UNIX_TIMESTAMP())",
    "CURRENT_TIMESTAMP": "FROM_UNIXTIME(UNIX_TIMESTAMP())",
    **dict.fromkeys(("GETDATE", "SYSDATE"), "FROM_UNIXTIME(UNIX_TIMESTAMP())"),
    **dict.fromkeys(("CURRENT_DATE", "TODAY"), "FROM_DAYS(UNIX_DATE())"),
    "YEAR": "CAST(FORMAT_TIMESTAMP(time, 'yyyy') AS INT)",
    "MONTH": "CAST(FORMAT_TIMESTAMP(time, 'MM') AS INT)",
    **dict.fromkeys(("DAY", "DAYOFMONTH"), "CAST(FORMAT_TIMESTAMP(time, 'dd') AS INT)"),
    "HOUR": "CAST(FORMAT_TIMESTAMP(time, 'HH') AS INT)",
    "MINUTE": "CAST(FORMAT_TIMESTAMP(time, 'mm') AS INT)",
    "SECOND": "CAST(FORMAT_TIMESTAMP(time, 'ss') AS INT)",
    "DATE_PART": "CAST(FORMAT_TIMESTAMP(time, 'yyyy') AS INT)",
    **dict.fromkeys(("DATE_FORMAT", "DATE_TO_STR", "STRFTIME"), "FORMAT_TIMESTAMP(time, pattern)"),
    "STRPTIME": "PARSE_TIMESTAMP(text, pattern)",
    **dict.fromkeys(("UNIX_MILLIS", "TO_UNIXTIME"), "UNIX_TIMESTAMP(time)"),
    "DATE_ADD": "TIMESTAMPADD(DAYS, 1, time)",
    "DATE_SUB": "TIMESTAMPSUB(DAYS, 1, time)",
    **dict.fromkeys(("DATEDIFF", "DATE_DIFF", "TIMESTAMPDIFF"),
                    "UNIX_TIMESTAMP(later) - UNIX_TIMESTAMP(earlier), in milliseconds"),
    "FROM_UTC_TIMESTAMP": "CONVERT_TZ(time, 'UTC', zone)",
    "TO_TIMESTAMP": "PARSE_TIMESTAMP(text, pattern)",
    "TO_DATE": "PARSE_DATE(text, pattern)",
    "TO_CHAR": "FORMAT_TIMESTAMP(time, pattern)",
    "DATE_TRUNC": "PARSE_TIMESTAMP(FORMAT_TIMESTAMP(time, 'yyyy-MM-dd'), 'yyyy-MM-dd')",
    "JSON_EXTRACT_FIRST": "EXTRACTJSONFIELD(text, path)",
    **dict.fromkeys(("JSON_VALUE", "JSON_EXTRACT", "JSON_EXTRACT_SCALAR", "JSON_QUERY", "FROM_JSON", "PARSE_JSON"),
                    "EXTRACTJSONFIELD(text, path)"),
    "TO_JSON": "TO_JSON_STRING(value)",
    **dict.fromkeys(("GEN_RANDOM_UUID", "NEWID"), "UUID()"),
    **dict.fromkeys(("NAMED_STRUCT", "ROW"), "STRUCT(name := value)"),
    "GET_JSON_OBJECT": "EXTRACTJSONFIELD(text, path)",
    **{name: f"{name}, which is a column" for name in ("WINDOWSTART", "WINDOWEND", "ROWTIME")},
    **dict.fromkeys(("WINDOW_START", "TUMBLE_START", "HOP_START"), "WINDOWSTART, which is a column"),
    **dict.fromkeys(("WINDOW_END", "TUMBLE_END", "HOP_END"), "WINDOWEND, which is a column"),
}  # fmt: skip

# Types by their names in other dialects.
TYPES: Mapping[str, str] = {
    "LONG": "BIGINT",
    "FLOAT": "DOUBLE",
    "REAL": "DOUBLE",
    "TEXT": "STRING",
    "CHAR": "STRING",
    "BOOL": "BOOLEAN",
    "NUMERIC": "DECIMAL(10, 2)",
    "DATETIME": "TIMESTAMP",
    "VARBINARY": "BYTES",
}

# Columns of the Lenses language, and their counterparts.
COLUMNS: Mapping[str, str] = {
    "_KEY": "the key is read by its column's name, which CREATE declares with KEY or PRIMARY KEY: id INT KEY",
    "_VALUE": "a field of the value is read by its column's name only",
    "_META": "the time and the place of a record are ROWTIME, ROWPARTITION and ROWOFFSET",
    "STREAM": "SELECT has no STREAM in ksqlDB: remove it, and write CREATE STREAM name AS SELECT ...",
    "TABLE": "SELECT has no TABLE in ksqlDB: remove it, and write CREATE TABLE name AS SELECT ...",
    "CURRENT_TIMESTAMP": f"the time of evaluation is {FUNCTIONS['NOW']}",
}

_STREAM = "the kind of the result is part of CREATE: write CREATE {} name AS SELECT ..."
_WINDOW = "write WINDOW TUMBLING (SIZE 1 HOUR), before WHERE and GROUP BY"

# Words and marks that are not allowed at their position, or before the next token.
WORDS: Mapping[str, str] = {
    "STORE": "ksqlDB stores in the formats of the stream that is written: set them in its WITH (KEY_FORMAT ="
    " 'JSON', VALUE_FORMAT = 'JSON')",
    "WITH": "a query is named by a separate statement: CREATE STREAM name AS SELECT ...;",
    "VIEW": "a query whose result is kept is CREATE TABLE name AS SELECT ..., or CREATE STREAM",
    "MATERIALIZED": "a query whose result is kept is CREATE TABLE name AS SELECT ..., or CREATE STREAM",
    "TUMBLE": _WINDOW,
    "HOP": "write WINDOW HOPPING (SIZE 1 HOUR, ADVANCE BY 10 MINUTES), before WHERE and GROUP BY",
    "WINDOW": _WINDOW,
    "EVENTTIME": "the time of the records is a property of their source: WITH (TIMESTAMP = 'column')",
    "LATERAL": "the elements of an array become records by EXPLODE(array) in the SELECT list",
    "WITHIN": "WITHIN is part of a join of two streams, before ON: JOIN other WITHIN 1 HOUR ON ...",
    "UNION": "write one stream by several statements: CREATE STREAM name AS SELECT ...; INSERT INTO name SELECT ...;",
    "ORDER": "remove it: records are written as they arrive; the largest values of a group are TOPK(value, n)",
    "LIMIT": "remove it; the largest values of a group are TOPK(value, n)",
    "FETCH": "remove it; the largest values of a group are TOPK(value, n)",
    "DISTINCT": "use COUNT_DISTINCT(value) for the number of different values, COLLECT_SET(value) for a list of them",
    "OVER": "there are no window functions: aggregate in a separate table with GROUP BY, and join it",
    "ILIKE": "write LCASE(text) LIKE 'pattern'",
    "EXTRACT": "a part of a time is text: FORMAT_TIMESTAMP(time, 'dd')",
    "INTERVAL": "write TIMESTAMPADD(DAYS, 1, time)",
    ":": "write CAST(value AS INT)",
    "=": "write a single = to compare",
}


def hinted(diagnostic: Diagnostic, cursor: Cursor) -> Diagnostic:
    """Return a syntax error with a help, if its token is in a table. `cursor` is at the token of the error."""
    token = cursor.token
    type = TYPES.get(token.upper)
    if type is not None and diagnostic.message.startswith("expected a type"):
        return replace(diagnostic, help=f"{token.upper} is {type} in ksqlDB")
    if diagnostic.help is not None:
        return diagnostic
    if token.text.isdigit() and cursor.tokens[max(cursor.at - 1, 0)].text == "(":
        sized = cursor.tokens[max(cursor.at - 2, 0)].upper
        if sized in ("TUMBLING", "HOPPING"):
            return replace(diagnostic, help=f"write SIZE before the size: WINDOW {sized} (SIZE 1 HOUR, ...)")
    # A foreign word is first read as a name, so that the error is at the token after it.
    behind = range(cursor.at, max(cursor.at - 4, -1), -1)
    for index in behind:
        other = cursor.tokens[index]
        text = other.upper if other.kind == "name" else other.text if other.kind == "mark" else ""
        near = index >= cursor.at - 1 or text == "EXTRACT"
        if near and text in WORDS and not (text in (":", "=") and index != cursor.at):
            return replace(diagnostic, help=WORDS[text])
    return diagnostic


def refuse_kind(cursor: Cursor) -> None:
    """Raise a fault at the kind of a result after SELECT, if it cannot be the name of a column. `cursor` is there."""
    word, first, second = cursor.token, cursor.ahead(1), cursor.ahead(2)
    if word.upper not in ("STREAM", "TABLE"):
        return
    star = first.text == "*" and first.kind == "mark" and (second.upper == "FROM" or second.text == ",")
    # `STREAM item,` may be a column with an alias, which the binder decides.
    item = first.kind == "name" and first.upper not in ("FROM", "AS")
    ends = second.upper == "FROM" or second.kind == "end" or second.text in (",", ";")
    if star or first.kind in ("number", "string") or (item and not ends):
        cursor.fault("LSQ102", f"SELECT {word.upper} is not ksqlDB's", (word.start, word.end),
                     help=_STREAM.format(word.upper))  # fmt: skip
