"""Functions of other SQL dialects, and of Spark, that models in standard SQL do not have: replacements, or reasons.

A name has an entry only if it is not a function of this dialect.
"""

from __future__ import annotations

from collections.abc import Mapping

_LENSES = "in a Lenses model, config(dialect='lenses'), it is {}"
_WINDOW = "with GROUP BY window(time, '1 hour') it is a column"
_CLOCK = "the rows of a view would change without a record: use the time of the records"
_SEQUENCE = "records arrive in any order, so that no row of a streaming query has a next or previous one"

# The expression that replaces a call.
FORMS: Mapping[str, str] = {
    "COUNTIF": "COUNT_IF(condition)",
    **dict.fromkeys(("SUM_IF", "SUMIF"), "SUM(CASE WHEN condition THEN value END)"),
    "UPPERCASE": "UPPER(text)",
    "LOWERCASE": "LOWER(text)",
    "TAKELEFT": "LEFT(text, size)",
    "TAKERIGHT": "RIGHT(text, size)",
    "MID": "SUBSTRING(text, start, size)",
    "INDEXOF": "INSTR(text, sought) - 1",
    "CONCATENATE": "CONCAT(text, text)",
    "AS_NON_NULLABLE": "COALESCE(value, other)",
    "SIZEOF": "SIZE(array)",
    "WEEK": "WEEKOFYEAR(time)",
    **dict.fromkeys(
        ("TO_CHAR", "FORMAT_TIMESTAMP", "STRFTIME", "TIMESTAMPTOSTRING"), "DATE_FORMAT(time, 'yyyy-MM-dd')"
    ),
    **dict.fromkeys(("PARSE_TIMESTAMP", "STRPTIME", "STRINGTOTIMESTAMP"), "TO_TIMESTAMP(text, 'yyyy-MM-dd')"),
    "IN_ARRAY": "ARRAY_CONTAINS(array, text)",
    "REGEXP_MATCHES": "REGEXP_EXTRACT(text, '(a+)', 1)",
}
# The reason why no expression replaces it, and an alternative.
REASONS: Mapping[str, str] = {
    **dict.fromkeys(("LIST", "COLLECT"), "write COLLECT_LIST(value)"),
    "COLLECT_UNIQUE": "write COLLECT_SET(value)",
    "GROUP_CONCAT": "write LISTAGG(text, ',')",
    "EARLIEST_BY_OFFSET": "write FIRST(value) for the first row by the key of a table, or of records as they came",
    "LATEST_BY_OFFSET": "write LAST(value) for the last row by the key of a table, or of records as they came",
    **dict.fromkeys(("MAXK", "TOPK"), f"MAX(value) is the largest only; {_LENSES.format('MAXK(value, n)')}"),
    "MINK": f"MIN(value) is the smallest only; {_LENSES.format('MINK(value, n)')}",
    "QUANTILE": "write PERCENTILE(value, 0.5)",
    "HISTOGRAM": "group by the value in a query of its own, and count the rows",
    "PRODUCT": "write EXP(SUM(LN(value))), of values above 0",
    **dict.fromkeys(("GETDATE", "SYSDATE", "TODAY"), _CLOCK),
    "TO_UNIXTIME": "write UNIX_SECONDS(time)",
    **dict.fromkeys(
        ("JSON_VALUE", "JSON_EXTRACT", "EXTRACTJSONFIELD", "PARSE_JSON"),
        "write GET_JSON_OBJECT(text, path), or FROM_JSON(text, schema)",
    ),
    "UNNEST": "an array is expanded behind FROM: LATERAL VIEW explode(array) AS element",
    **dict.fromkeys(("GEN_RANDOM_UUID", "NEWID"), "a replay would write other records"),
    **dict.fromkeys(("LAG", "LEAD"), _SEQUENCE),
    **dict.fromkeys(("TUMBLE", "HOP"), "a window is part of GROUP BY: window(time, '1 hour')"),
    **dict.fromkeys(("WINDOWSTART", "WINDOW_START", "TUMBLE_START", "HOP_START"), f"{_WINDOW}: window.start"),
    **dict.fromkeys(("WINDOWEND", "WINDOW_END", "TUMBLE_END", "HOP_END"), f"{_WINDOW}: window.end"),
}


def function_advice(name: str) -> str | None:
    """Return the replacement of a function that this dialect does not have; None for a name that is not in the
    tables.
    """
    form = FORMS.get(name.upper())
    return f"write {form}" if form else REASONS.get(name.upper())
