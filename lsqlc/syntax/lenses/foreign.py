"""Words of other SQL dialects, and their counterparts: one table for functions, one for everything else.

The parser calls `explain` at a word that is not allowed, the binder calls `function_advice` for an unknown function.
The tables do not decide what is legal: a field may have any of these names.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from lsqlc.syntax.cursor import Cursor
from lsqlc.syntax.tokens import Token

Advice = str | Callable[[Cursor], str]


@dataclass(frozen=True, slots=True)
class Foreign:
    """A pattern of the tokens at a fault, with its message.

    `words`: the words from there on. `before`: the word or mark before them. `inside`: the function whose arguments
    they are in. Empty ones match anything. `message` is one clause, `help` is the replacement.
    """

    message: str
    help: Advice
    words: tuple[str, ...] = ()
    before: str = ""
    inside: str = ""


def _source_text(cursor: Cursor, first: Token, last: Token) -> str:
    return cursor.source.text[first.start : last.end]


def _as_key(cursor: Cursor) -> str:
    """Return the projection that makes x the key, for PARTITION BY x."""
    start = cursor.ahead(2)
    if start.kind not in ("name", "quoted"):
        return "project the new key: expression AS _key"
    place = 2
    while cursor.ahead(place + 1).text in (".", "-") or cursor.ahead(place).text in (".", "-"):
        place += 1
    return f"project the new key: {_source_text(cursor, start, cursor.ahead(place))} AS _key"


_UNITS = {"MILLISECOND": "ms", "SECOND": "s", "MINUTE": "m", "HOUR": "h", "DAY": "d"}


def duration_text(number: Token, unit: Token) -> str | None:
    """Return `1 HOUR`, or `INTERVAL '1' HOUR` from its number on, as `1h`; None for anything but a duration."""
    letter = _UNITS.get(unit.upper.removesuffix("S"))
    return f"{number.text}{letter}" if letter and number.text.isdigit() else None


# Windows of ksqlDB: the word here, and the lengths if there are none in the text.
_WINDOWS = {"TUMBLING": ("TUMBLE", "1h"), "HOPPING": ("HOP", "1h, 5m"), "SESSION": ("SESSION", "1h")}


def _window(cursor: Cursor) -> str:
    """Return the Lenses form of ksqlDB's window.

    Examples: `TUMBLING (SIZE 1 HOUR)`, `HOPPING (SIZE 1 HOUR, ADVANCE BY 5 MINUTES, GRACE PERIOD 1 DAY)`.
    """
    kind, lengths = _WINDOWS[cursor.token.upper]
    sizes: list[str] = []
    grace = ""
    place = 1
    while cursor.ahead(place).kind != "end" and cursor.ahead(place).text != ")":
        size = duration_text(cursor.ahead(place), cursor.ahead(place + 1))
        word = cursor.ahead(place - 1).upper
        if size and word == "PERIOD":
            grace = f" GRACE BY {size}"
        elif size and word != "RETENTION":
            sizes.append(size)
        place += 1
    return f"write WINDOW BY {kind} {', '.join(sizes) or lengths}{grace}"


def _lateral(cursor: Cursor) -> str:
    """Return the LATERAL for the array in parentheses of `EXPLODE(tags) x AS tag`, or of UNNEST."""
    place = next((i for i in range(6) if cursor.ahead(i).text == "("), None)
    if place is None:
        return "write LATERAL array AS element"
    level, end = 1, place + 1
    while level and cursor.ahead(end).kind != "end":
        level += (cursor.ahead(end).text == "(") - (cursor.ahead(end).text == ")")
        end += 1
    names = [cursor.ahead(i) for i in range(end, end + 4)]
    alias = next((b.text for a, b in pairwise(names) if a.upper == "AS" and b.kind == "name"), None)
    if alias is None:
        alias = names[0].text if names[0].kind == "name" else "element"
    return f"write LATERAL {_source_text(cursor, cursor.ahead(place + 1), cursor.ahead(end - 2))} AS {alias}"


_PROJECT = "`dialect: ksql` in lsqlc.yml, or in the model's config(dialect='ksql')"
_TIMES = "compute with epoch milliseconds: CAST(NOW() AS BIGINT) - 86400000"
_PLAIN = "is not part of the language"

FOREIGN: tuple[Foreign, ...] = (
    # ksqlDB.
    Foreign(f"EMIT CHANGES {_PLAIN}: a query is continuous anyway", "leave it out", ("EMIT", "CHANGES")),
    Foreign(
        f"EMIT FINAL {_PLAIN}",
        "remove it: a SESSION is written once it is closed, any other window whenever it changes",
        ("EMIT", "FINAL"),
    ),
    *(
        Foreign(
            f"CREATE {_PLAIN}",
            f"in ksqlDB it is: set {_PROJECT}; here, INSERT INTO target SELECT {semantics} ... makes its topic",
            words,
        )
        for words, semantics in (
            (("CREATE", "STREAM"), "STREAM"),
            (("CREATE", "TABLE"), "TABLE"),
            (("CREATE", "OR", "REPLACE"), "STREAM"),
            (("CREATE", "SOURCE"), "STREAM"),
        )
    ),
    Foreign(f"CREATE {_PLAIN}", "name a query by WITH name AS (SELECT ...); and declare topics in YAML", ("CREATE",)),
    *(
        Foreign(f"{word} {_PLAIN}", help, (word,))
        for word, help in (
            ("DROP", "remove the model's file"),
            ("DELETE", "a record with a null value deletes a row: SELECT STREAM NULL AS _value"),
            ("UPDATE", "a record with the same key replaces a row: INSERT INTO target SELECT STREAM ..."),
            ("UPSERT", "write INSERT INTO: in a topic that is read as a TABLE, a record replaces the row of its key"),
            ("MERGE", "write INSERT INTO: in a topic that is read as a TABLE, a record replaces the row of its key"),
            ("TRUNCATE", "`lsqlc run --full-refresh` recomputes all results"),
            ("USE", "use the names of topics"),
            ("ALTER", "change the declaration of the topic in its YAML file"),
            ("TERMINATE", "`lsqlc stop` ends a run"),
            ("EXPLAIN", "`lsqlc compile` prints plans, and `lsqlc explain` explains a code"),
            ("SHOW", "`lsqlc ls` lists models and topics"),
            ("LIST", "`lsqlc ls` lists models and topics"),
            ("DESCRIBE", "`lsqlc schema` prints the schemas of results"),
            ("PRINT", "`lsqlc show TOPIC` prints what a topic holds"),
            ("DEFINE", "use a variable of the project: {{ var('name') }}, with `vars:` in lsqlc.yml"),
        )
    ),
    Foreign("a window has another syntax", _window, ("TUMBLING", "(")),
    Foreign("a window has another syntax", _window, ("HOPPING", "(")),
    Foreign("a window has another syntax", _window, ("SESSION", "("), before="WINDOW"),
    Foreign(
        "one duration applies before and after a record",
        "write WITHIN 1h: the longer of the two",
        ("(",),
        before="WITHIN",
    ),
    Foreign(
        f"GRACE PERIOD {_PLAIN}",
        "write GRACE BY 5m after WINDOW BY; for joins set `grace` in lsqlc.yml",
        ("GRACE", "PERIOD"),
    ),
    Foreign(f"VALUES {_PLAIN}", "put the records into a golden case, or load them with `lsqlc seed`", ("VALUES",)),
    Foreign(
        "the columns of a target are not listed",
        "use aliases: INSERT INTO target SELECT STREAM x AS a, y AS b FROM source",
        ("(",),
        before="INTO",
    ),
    Foreign(f"OVERWRITE {_PLAIN}", "write INSERT INTO; `lsqlc run --full-refresh` starts again", ("OVERWRITE",)),
    Foreign(
        "a struct is written with nested aliases here",
        "write x AS name.a, y AS name.b",
        (":", "="),
        inside="STRUCT",
    ),
    Foreign("a field is read with a dot", "write struct.field", (">",), before="-"),
    # Windows and times of Flink and Spark.
    *(
        Foreign(
            "a window is not a source here",
            f"write FROM source EVENTTIME BY time WINDOW BY {ours} before GROUP BY",
            ("(",),
            before=word,
        )
        for word, ours in (("TUMBLE", "TUMBLE 1h"), ("HOP", "HOP 1h, 5m"), ("SESSION", "SESSION 5m"),
                           ("TABLE", "TUMBLE 1h"))
    ),
    Foreign(f"INTERVAL {_PLAIN}", _TIMES, before="INTERVAL"),
    Foreign(
        f"FOR SYSTEM_TIME {_PLAIN}",
        "a STREAM that is joined with a TABLE gets the row of its time: WITH name AS (SELECT TABLE * FROM source);",
        ("FOR", "SYSTEM_TIME"),
    ),
    Foreign(f"EXTRACT {_PLAIN}", "each part has a function: YEAR(time), MONTH(time), DAY(time), HOUR(time)",
            ("FROM",), inside="EXTRACT"),
    # Arrays.
    Foreign(f"LATERAL VIEW {_PLAIN}", _lateral, before="VIEW"),
    Foreign("an array is expanded with LATERAL", _lateral, ("CROSS", "JOIN", "UNNEST")),
    Foreign("an array is expanded with LATERAL", _lateral, (",", "UNNEST")),
    Foreign("an array is expanded with LATERAL", _lateral, (",", "EXPLODE")),
    Foreign("an array is expanded with LATERAL", _lateral, (",", "LATERAL")),
    Foreign("an array is written in brackets", "write [x, y]", (",",), before="ARRAY["),
    # Operators.
    Foreign("'||' is not an operator here", "write CONCAT(x, y) for texts, and OR for conditions", ("||",)),
    Foreign("'::' is not an operator here", "write CAST(x AS INT)", (":", ":")),
    Foreign("':' is not an operator here", "write struct.field, or JSON_EXTRACT_FIRST(text, '$.a') for JSON", (":",)),
    Foreign("'==' is not an operator here", "write =", ("=",), before="="),
    Foreign(
        "'<=>' is not an operator here",
        "write x = y OR x IS NULL AND y IS NULL",
        (">",),
        before="<=",
    ),
    Foreign("'&&' is not an operator here", "write AND", ("&", "&")),
    Foreign("'!' is not an operator here", "write NOT", ("!",)),
    Foreign("'^' is not an operator here", "write POW(x, y)", ("^",)),
    Foreign("'~' is not an operator here", "write SIZEOF(REGEXP(text, 'pattern')) > 0", ("~",)),
    Foreign("'#' does not begin a comment", "write --", ("#",)),
    Foreign("'@' is not part of a name here", "put the name in backticks", ("@",)),
    *(
        Foreign(f"{words[-1]} {_PLAIN}", "compare in lower case: LOWER(x) LIKE 'a%'", words)
        for words in (("ILIKE",), ("NOT", "ILIKE"))
    ),
    *(
        Foreign(f"{words[0]} {_PLAIN}", "write SIZEOF(REGEXP(text, 'pattern')) > 0", words)
        for words in (("RLIKE",), ("REGEXP",), ("SIMILAR", "TO"))
    ),
    Foreign(f"ESCAPE {_PLAIN}", "write CONTAINS(text, '%'), or SIZEOF(REGEXP(text, 'pattern')) > 0", ("ESCAPE",)),
    Foreign(
        f"IS DISTINCT FROM {_PLAIN}",
        "write NOT (x = y) OR x IS NULL AND y IS NOT NULL OR x IS NOT NULL AND y IS NULL",
        ("DISTINCT", "FROM"),
    ),
    Foreign(f"IS TRUE {_PLAIN}", "write COALESCE(condition, FALSE)", ("TRUE",)),
    Foreign(f"IS FALSE {_PLAIN}", "write NOT COALESCE(condition, TRUE)", ("FALSE",)),
    Foreign(f"MOD as an operator {_PLAIN}", "write x % y", ("MOD",)),
    Foreign(f"DIV {_PLAIN}", "write x / y: of integers it is an integer", ("DIV",)),
    Foreign(f"TRY_CAST {_PLAIN}", "write CAST(x AS INT): what cannot be converted is null", ("AS",), inside="TRY_CAST"),
    Foreign(f"IN as an argument {_PLAIN}", "write INDEXOF(text, part)", before="IN", inside="POSITION"),
    # Clauses.
    Foreign(f"PARTITION BY {_PLAIN}", _as_key, ("PARTITION", "BY")),
    Foreign(
        f"QUALIFY {_PLAIN}",
        "the newest record of each key is SELECT TABLE; of each group, LAST(x) or MAXK(x, 1) with GROUP BY",
        ("QUALIFY",),
    ),
    Foreign("ORDER BY is not part of the language: a stream has no end to sort at",
            "MAXK(x, 10) keeps the largest of each group, in order", ("ORDER", "BY")),
    Foreign("LIMIT is not part of the language: a stream has no end",
            "remove it; `lsqlc show TOPIC --limit 10` prints some", ("LIMIT",)),
    Foreign("FETCH is not part of the language: a stream has no end",
            "remove it; `lsqlc show TOPIC --limit 10` prints some", ("FETCH", "FIRST")),
    Foreign("TOP is not part of the language: a stream has no end",
            "remove it; MAXK(x, 10) keeps the largest of each group", before="TOP"),
    Foreign(f"TABLESAMPLE {_PLAIN}", "filter by a condition in WHERE", ("TABLESAMPLE",)),
    Foreign(f"MATCH_RECOGNIZE {_PLAIN}", "use windows: WINDOW BY SESSION 5m GROUP BY x", ("MATCH_RECOGNIZE",)),
    Foreign(f"FILTER behind an aggregate {_PLAIN}", "write COUNT(CASE WHEN condition THEN x END)", ("FILTER", "(")),
    Foreign(f"EXCEPT behind '*' {_PLAIN}", "name the fields that are wanted", ("EXCEPT",)),
    Foreign(f"EXCLUDE behind '*' {_PLAIN}", "name the fields that are wanted", ("EXCLUDE",)),
    Foreign(
        f"DISTINCT in an aggregate {_PLAIN}",
        "count up to 1000 different values by SIZEOF(COLLECT_UNIQUE(x, 1000))",
        ("DISTINCT",),
        before="(",
        inside="COUNT",
    ),
)  # fmt: skip

_BY_WORD: dict[str, list[Foreign]] = {}
for _entry in FOREIGN:
    _BY_WORD.setdefault(_entry.words[0] if _entry.words else "", []).append(_entry)


def explain(cursor: Cursor) -> tuple[str, str] | None:
    """Return the message and the help for a foreign word or mark at the cursor; None for any other token."""
    for entry in (*_BY_WORD.get(_word(cursor.token), ()), *_BY_WORD[""]):
        ahead = all(_word(cursor.ahead(i)) == word for i, word in enumerate(entry.words))
        if ahead and _stands_behind(cursor, entry.before) and (not entry.inside or _call(cursor) == entry.inside):
            return entry.message, entry.help if isinstance(entry.help, str) else entry.help(cursor)
    return None


def _word(token: Token) -> str:
    return token.upper or (token.text if token.kind == "mark" else "")


def _stands_behind(cursor: Cursor, word: str) -> bool:
    if not word:
        return True
    if word == "ARRAY[":
        return _call(cursor) == word
    if word == "INTO":
        return any(_word(t) == word for t in cursor.tokens[max(0, cursor.at - 6) : cursor.at])
    return cursor.at > 0 and _word(cursor.tokens[cursor.at - 1]) == word


def _call(cursor: Cursor) -> str:
    """Return the word before the innermost open parenthesis or bracket, with the bracket; empty if there is none."""
    level = 0
    for place in range(cursor.at - 1, 0, -1):
        token = cursor.tokens[place]
        if token.kind == "mark" and token.text in (")", "]"):
            level += 1
        elif token.kind == "mark" and token.text in ("(", "["):
            if level == 0:
                return cursor.tokens[place - 1].upper + ("[" if token.text == "[" else "")
            level -= 1
    return ""


_START = "the next query reads it from the key: _key.start"
_END = "the next query reads it from the key: _key.end"
# The replacement of a function, with its arguments as {0}, {1}; a sentence if no expression replaces it.
FUNCTIONS: dict[str, str] = {
    **dict.fromkeys(("IFNULL", "NVL"), "write COALESCE({0}, {1})"),
    "NULLIF": "write CASE WHEN {0} = {1} THEN NULL ELSE {0} END",
    **dict.fromkeys(("IF", "IIF"), "write CASE WHEN {0} THEN {1} ELSE {2} END"),
    "NVL2": "write CASE WHEN {0} IS NOT NULL THEN {1} ELSE {2} END",
    **dict.fromkeys(("ARRAY_AGG", "COLLECT_LIST", "LIST"),
                    "write COLLECT({0}, 1000), with the maximum size of the array"),
    "COLLECT_SET": "write COLLECT_UNIQUE({0}, 1000), with the maximum size of the array",
    **dict.fromkeys(("STRING_AGG", "LISTAGG", "GROUP_CONCAT"), "write COLLECT({0}, 1000): an array, not a text"),
    **dict.fromkeys(("LATEST_BY_OFFSET", "LAST_VALUE", "ANY_VALUE"), "write LAST({0})"),
    **dict.fromkeys(("EARLIEST_BY_OFFSET", "FIRST_VALUE"), "write FIRST({0})"),
    **dict.fromkeys(("COUNT_DISTINCT", "APPROX_COUNT_DISTINCT"),
                    "write SIZEOF(COLLECT_UNIQUE({0}, 1000)), which counts up to 1000"),
    **dict.fromkeys(("EXPLODE", "UNNEST", "INLINE"), "an array is expanded after FROM: LATERAL {0} AS element"),
    "WINDOW": "a window precedes GROUP BY: WINDOW BY TUMBLE 1h GROUP BY ...",
    "MEAN": "write AVG({0})",
    **dict.fromkeys(("WINDOWSTART", "WINDOW_START", "TUMBLE_START", "HOP_START"), _START),
    **dict.fromkeys(("WINDOWEND", "WINDOW_END", "TUMBLE_END", "HOP_END"), _END),
    **dict.fromkeys(("COUNT_IF", "COUNTIF"), "write COUNT(CASE WHEN {0} THEN 1 END)"),
    **dict.fromkeys(("SUM_IF", "SUMIF"), "write SUM(CASE WHEN {1} THEN {0} END)"),
    **dict.fromkeys(("BOOL_AND", "EVERY"), "write COUNT(CASE WHEN NOT {0} THEN 1 END) = 0"),
    **dict.fromkeys(("BOOL_OR", "SOME"), "write COUNT(CASE WHEN {0} THEN 1 END) > 0"),
    **dict.fromkeys(("MAX_BY", "ARG_MAX"), "the largest value is MAXK({1}, 1); no other field of its record is kept"),
    **dict.fromkeys(("MIN_BY", "ARG_MIN"), "the smallest value is MINK({1}, 1); no other field of its record is kept"),
    **dict.fromkeys(("MEDIAN", "MODE", "PERCENTILE", "PERCENTILE_CONT", "APPROX_PERCENTILE"),
                    "no aggregate keeps all values of a group; COLLECT({0}, 1000) keeps up to 1000"),
    "CONCAT_WS": "write CONCAT with the separator between the texts",
    **dict.fromkeys(("UCASE", "TOUPPER"), "write UPPER({0})"),
    **dict.fromkeys(("LCASE", "TOLOWER"), "write LOWER({0})"),
    **dict.fromkeys(("CHAR_LENGTH", "CHARACTER_LENGTH"), "write LENGTH({0})"),
    **dict.fromkeys(("INSTR", "STRPOS", "LOCATE", "CHARINDEX"),
                    "write INDEXOF(text, part): from 0, and -1 if it is absent"),
    "POSITION": "write INDEXOF(text, part): from 0, and -1 if it is absent",
    "INITCAP": "write CAPITALIZE({0}), which changes the first letter of the text only",
    **dict.fromkeys(("LTRIM", "RTRIM", "BTRIM"), "write TRIM({0}), which trims both ends"),
    "STARTS_WITH": "write STARTSWITH({0}, {1})",
    "ENDS_WITH": "write ENDSWITH({0}, {1})",
    **dict.fromkeys(("SPLIT", "SPLIT_TO_ARRAY", "STRING_TO_ARRAY"),
                    "write REGEXP({0}, '[^,]+'), the parts between commas"),
    "SPLIT_PART": "write ELEMENT_OF(REGEXP({0}, '[^,]+'), 0), the first part before a comma",
    **dict.fromkeys(("REGEXP_EXTRACT", "REGEXP_SUBSTR"), "write ELEMENT_OF(REGEXP({0}, {1}), 0), the first match"),
    **dict.fromkeys(("UNBASE64", "FROM_BASE64"), "write DECODE64({0})"),
    "TO_BASE64": "write BASE64({0})",
    "ZEROIFNULL": "write COALESCE({0}, 0)",
    "NULLIFZERO": "write CASE WHEN {0} = 0 THEN NULL ELSE {0} END",
    "CEILING": "write CEIL({0})",
    "SIGNUM": "write SIGN({0})",
    "LOG": "write LN({0}), or LOG10({0}) for the base 10",
    "LOG2": "write LN({0}) / LN(2)",
    "DAYOFMONTH": "write DAY({0})",
    "WEEKOFYEAR": "write WEEK({0})",
    "DATE_PART": "write YEAR({1}), MONTH({1}) or the function of another part",
    **dict.fromkeys(("UNIX_MILLIS", "TO_UNIXTIME"), "write CAST({0} AS BIGINT), in milliseconds"),
    "ELEMENT_AT": "write ELEMENT_OF({0}, 0), counted from 0",
    **dict.fromkeys(("TRANSFORM", "FILTER", "REDUCE", "AGGREGATE"),
                    "expand the array after FROM, and compute with its elements: LATERAL {0} AS element"),
    **dict.fromkeys(("GEN_RANDOM_UUID", "NEWID"), "write UUID()"),
    "LEFT": "write TAKELEFT({0}, {1})",
    "RIGHT": "write TAKERIGHT({0}, {1})",
    **dict.fromkeys(("REGEXP_LIKE", "RLIKE", "MATCHES", "REGEXP_MATCHES"), "write SIZEOF(REGEXP({0}, {1})) > 0"),
    **dict.fromkeys(("CARDINALITY", "ARRAY_LENGTH", "ARRAY_SIZE", "SIZE"), "write SIZEOF({0})"),
    **dict.fromkeys(("ARRAY_CONTAINS", "LIST_CONTAINS"), "write IN_ARRAY({1}, {0})"),
    "ARRAY": "write the elements in brackets: [1, 2]",
    **dict.fromkeys(("STRUCT", "NAMED_STRUCT", "ROW"), "write nested aliases for a struct: x AS name.a, y AS name.b"),
    "MAP": "a MAP cannot be written; a struct is written with nested aliases: x AS name.a, y AS name.b",
    **dict.fromkeys(("TRY_CAST", "CONVERT", "SAFE_CAST"), "write CAST(x AS INT): what cannot be converted is null"),
    **dict.fromkeys(("GET_JSON_OBJECT", "EXTRACTJSONFIELD", "JSON_VALUE", "JSON_QUERY", "JSON_EXTRACT",
                     "JSON_EXTRACT_SCALAR"),
                    "write JSON_EXTRACT_FIRST({0}, {1})"),
    "GREATEST": "write MAX({0}, {1})",
    "LEAST": "write MIN({0}, {1})",
    "POWR": "write POW({0}, {1})",
    **dict.fromkeys(("RANDOM", "RAND"),
                    "a replay would write different records; UUID() differs by record and is the same in every run"),
    **dict.fromkeys(("GETDATE", "SYSDATE", "UNIX_TIMESTAMP", "CURRENT_DATE"),
                    "NOW() is the time of evaluation, DATE() its day; in milliseconds CAST(NOW() AS BIGINT)"),
    **dict.fromkeys(("FROM_UNIXTIME", "TO_TIMESTAMP_LTZ"), "write TO_TIMESTAMP({0}), of epoch milliseconds"),
    **dict.fromkeys(("FROM_JSON", "PARSE_JSON"), "write JSON_EXTRACT_FIRST({0}, '$.field'), of each field"),
    **dict.fromkeys(("STRINGTOTIMESTAMP", "PARSE_TIMESTAMP", "STRPTIME"), "write TO_TIMESTAMP({0}, {1})"),
    **dict.fromkeys(("TIMESTAMPTOSTRING", "DATE_FORMAT", "TO_CHAR", "STRFTIME"), "write DATE_TO_STR({0}, {1})"),
    **dict.fromkeys(("ROLLUP", "CUBE"), "write one query for each grouping, with different targets"),
    **dict.fromkeys(("STDDEV", "STDDEV_SAMP", "STDDEV_SAMPLE", "VARIANCE", "VAR_SAMP"),
                    "compute it from sums: SUM({0}), SUM({0} * {0}) and COUNT(*)"),
}  # fmt: skip
_MILLISECONDS = {"MILLISECOND": 1, "SECOND": 1_000, "MINUTE": 60_000, "HOUR": 3_600_000, "DAY": 86_400_000}


# Names that other SQL dialects have without a declaration.
NAMES: dict[str, str] = {
    **dict.fromkeys(("CURRENT_TIMESTAMP", "LOCALTIMESTAMP", "SYSDATE"), "the time of evaluation is NOW()"),
    "CURRENT_DATE": "the day of evaluation is DATE()",
    "ROWKEY": "the key of a record is _key",
    "ROWTIME": "the time of a record cannot be read: store it in a field",
    "ROWPARTITION": "the position of a record cannot be read",
    "ROWOFFSET": "the position of a record cannot be read",
    "WINDOWSTART": _START,
    "WINDOWEND": _END,
    "ALL": "name the expressions to group by",
}
# Functions with another meaning here, by the message for an argument that does not fit.
ARGUMENTS: dict[str, str] = {
    "FLATTEN": "it concatenates the arrays in an array; one is expanded after FROM: LATERAL {0} AS element",
}


def name_advice(name: str) -> str | None:
    """Return the counterpart of a predefined name of other SQL dialects; None for any other name."""
    return NAMES.get(name.upper())


def argument_advice(name: str, argument: str) -> str | None:
    """Return the counterpart of another dialect's function over an argument that this function does not accept."""
    form = ARGUMENTS.get(name)
    return form and form.format(argument)


def function_advice(name: str, arguments: Sequence[str]) -> str | None:
    """Return the replacement of a call of another dialect's function, whose arguments have these texts.

    None for a name that is not in the tables.
    """
    upper = name.upper()
    if upper in ("DATE_TRUNC", "TRUNC"):
        return _truncated(arguments)
    if upper in ("DATEDIFF", "TIMESTAMPDIFF", "DATE_DIFF"):
        return _difference(arguments)
    if upper in ("DATEADD", "DATE_ADD", "DATESUB", "DATE_SUB", "TIMESTAMPADD", "TIMESTAMPSUB"):
        return _moved(arguments, "-" if "SUB" in upper else "+")
    form = FUNCTIONS.get(upper)
    if form is None:
        return None
    return form.format(*arguments, *("x", "y", "z")[len(arguments) :])


def _size(unit: str) -> int | None:
    return _MILLISECONDS.get(unit.strip("'\"").upper().removesuffix("S"))


def _epoch(time: str) -> str:
    return f"CAST({time} AS BIGINT)"


def _truncated(arguments: Sequence[str]) -> str:
    unit, time = (*arguments, "'day'", "time")[:2] if len(arguments) != 1 else ("'day'", arguments[0])
    size = _size(unit) or _MILLISECONDS["DAY"]
    month = f"a month or a year is FORMAT_TIMESTAMP({time}, 'yyyy-MM')"
    return f"write TIMESTAMP_MILLIS({_epoch(time)} / {size} * {size}); {month}"


def _difference(arguments: Sequence[str]) -> str:
    # DATEDIFF(unit, from, to) begins with a unit, DATEDIFF(to, from) has none.
    size, (after, before) = _MILLISECONDS["DAY"], ("x", "y")
    if len(arguments) == 2:
        after, before = arguments
    elif len(arguments) == 3:
        size, before, after = _size(arguments[0]) or size, arguments[1], arguments[2]
    return f"write ({_epoch(after)} - {_epoch(before)}) / {size}"


def _moved(arguments: Sequence[str], sign: str) -> str:
    size, number, time = _MILLISECONDS["DAY"], "1", "time"
    if len(arguments) == 3:
        size, number, time = _size(arguments[0]) or size, arguments[1], arguments[2]
    elif len(arguments) == 2:
        time, number = arguments
    return f"write TIMESTAMP_MILLIS({_epoch(time)} {sign} {number} * {size})"
