"""What people write who come to ksqlDB from the Lenses language or from SQL elsewhere, and what ksqlDB says instead.

A table a kind of word; each entry is the end of an error's message: the next step.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from lsqlc.diagnostics import Diagnostic
from lsqlc.syntax.cursor import Cursor

# Functions that ksqlDB does not have, and the expression that stands for a call.
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
    "STDDEV": "STDDEV_SAMPLE(value)",
    "MEAN": "AVG(value)",
    "LENGTH": "LEN(text)",
    "CHAR_LENGTH": "LEN(text)",
    "UPPER": "UCASE(text)",
    "LOWER": "LCASE(text)",
    "INDEXOF": "INSTR(text, sought) - 1",
    "POSITION": "INSTR(text, sought)",
    "STRPOS": "INSTR(text, sought)",
    "CONTAINS": "INSTR(text, sought) > 0",
    "MKSTRING": "ARRAY_JOIN(array, separator)",
    "SIZEOF": "ARRAY_LENGTH(array)",
    "CARDINALITY": "ARRAY_LENGTH(array)",
    "UNNEST": "EXPLODE(array)",
    "NVL": "IFNULL(value, other)",
    "ISNULL": "value IS NULL",
    "IF": "CASE WHEN condition THEN one ELSE other END",
    "IIF": "CASE WHEN condition THEN one ELSE other END",
    "AS_NON_NULLABLE": "COALESCE(value, other)",
    "NOW": "FROM_UNIXTIME(UNIX_TIMESTAMP())",
    "CURRENT_TIMESTAMP": "FROM_UNIXTIME(UNIX_TIMESTAMP())",
    "TO_TIMESTAMP": "PARSE_TIMESTAMP(text, pattern)",
    "TO_DATE": "PARSE_DATE(text, pattern)",
    "TO_CHAR": "FORMAT_TIMESTAMP(time, pattern)",
    "DATE_TRUNC": "PARSE_TIMESTAMP(FORMAT_TIMESTAMP(time, 'yyyy-MM-dd'), 'yyyy-MM-dd')",
    "JSON_EXTRACT_FIRST": "EXTRACTJSONFIELD(text, path)",
    "JSON_VALUE": "EXTRACTJSONFIELD(text, path)",
    "GET_JSON_OBJECT": "EXTRACTJSONFIELD(text, path)",
}

# Types under the names that they have elsewhere.
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

# Columns of the Lenses language, and what reads the same.
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

# Words and marks that stand where nothing of the kind can, or before what cannot stand behind them.
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


def hinted(found: Diagnostic, cursor: Cursor) -> Diagnostic:
    """A fault of syntax with the next step, if what it stopped at is known. `cursor` stands where reading stopped."""
    token = cursor.token
    type = TYPES.get(token.upper)
    if type is not None and found.message.startswith("expected a type"):
        return replace(found, help=f"{token.upper} is {type} in ksqlDB")
    if found.help is not None:
        return found
    if token.text.isdigit() and cursor.tokens[max(cursor.at - 1, 0)].text == "(":
        sized = cursor.tokens[max(cursor.at - 2, 0)].upper
        if sized in ("TUMBLING", "HOPPING"):
            return replace(found, help=f"write SIZE before the size: WINDOW {sized} (SIZE 1 HOUR, ...)")
    # A word that ksqlDB does not have is taken for a name first, so that reading stops behind it.
    behind = range(cursor.at, max(cursor.at - 4, -1), -1)
    for place in behind:
        other = cursor.tokens[place]
        text = other.upper if other.kind == "name" else other.text if other.kind == "mark" else ""
        near = place >= cursor.at - 1 or text == "EXTRACT"
        if near and text in WORDS and not (text in (":", "=") and place != cursor.at):
            return replace(found, help=WORDS[text])
    return found


def refuse_kind(cursor: Cursor) -> None:
    """Give up at the kind of a result behind SELECT, where it cannot be the name of a column. `cursor` stands there."""
    word, first, second = cursor.token, cursor.ahead(1), cursor.ahead(2)
    if word.upper not in ("STREAM", "TABLE"):
        return
    star = first.text == "*" and first.kind == "mark" and (second.upper == "FROM" or second.text == ",")
    # `STREAM item,` may be a column with an alias, which those who bind names know.
    item = first.kind == "name" and first.upper not in ("FROM", "AS")
    ends = second.upper == "FROM" or second.kind == "end" or second.text in (",", ";")
    if star or first.kind in ("number", "string") or (item and not ends):
        cursor.fault("LSQ102", f"SELECT {word.upper} is not ksqlDB's", (word.start, word.end),
                     help=_STREAM.format(word.upper))  # fmt: skip
