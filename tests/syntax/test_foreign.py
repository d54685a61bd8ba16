# ruff: noqa: E501  tables of programs read better in long rows
"""Each foreign word by itself: what is said of it, and that what is said to write instead compiles."""

from __future__ import annotations

import pytest

from lsqlc import CompileError, Topic, compile
from lsqlc.diagnostics import Diagnostic
from lsqlc.syntax.lenses.foreign import ARGUMENTS, FOREIGN, FUNCTIONS, NAMES
from tests.each import each

TOPICS = [
    Topic("o", key="INT", value="x INT, y INT, p DOUBLE, t STRING, j STRING, ok BOOLEAN, a ARRAY<STRING>, at TIMESTAMP, b TIMESTAMP, s STRUCT<f: INT>"),
    Topic("c", key="INT", value="id INT, name STRING"),
    Topic("q", key="INT", value="id INT"),
]  # fmt: skip


def errors(text: str) -> list[Diagnostic]:
    """The errors of a program."""
    try:
        compile(text, topics=TOPICS, name="result")
    except CompileError as error:
        return [d for d in error.diagnostics if d.is_error]
    return []


# The program with the foreign word, a part of the message or of the help, and the program that it leads to. The words
# between `<<` and `>>` of the latter are in the help.
WORDS = [
    ("SELECT STREAM x FROM o EMIT CHANGES", "a query is continuous anyway", "SELECT STREAM x FROM o"),
    ("SELECT STREAM COUNT(*) AS n FROM o GROUP BY x EMIT FINAL", "remove it", "SELECT STREAM COUNT(*) AS n FROM o GROUP BY x"),
    ("CREATE STREAM d AS SELECT * FROM o", "`dialect: ksql` in lsqlc.yml, or in the model's config(dialect='ksql')", "INSERT INTO d SELECT STREAM * FROM o"),
    ("CREATE TABLE d AS SELECT * FROM o", "INSERT INTO target SELECT TABLE", "INSERT INTO d SELECT TABLE * FROM o"),
    ("CREATE OR REPLACE STREAM d AS SELECT * FROM o", "`dialect: ksql`", "INSERT INTO d SELECT STREAM * FROM o"),
    ("CREATE SOURCE TABLE d (x INT)", "`dialect: ksql`", "SELECT TABLE * FROM o"),
    ("CREATE VIEW d AS SELECT * FROM o", "declare topics in YAML", "WITH d AS (SELECT STREAM * FROM o); SELECT STREAM * FROM d"),
    ("DROP STREAM d", "remove the model's file", "SELECT STREAM x FROM o"),
    ("DELETE FROM o WHERE x = 1", "a record with a null value deletes a row", "<<SELECT STREAM NULL AS _value>> FROM o WHERE x = 1"),
    ("UPDATE o SET x = 1", "INSERT INTO target SELECT STREAM", "<<INSERT INTO target SELECT STREAM>> 1 AS x FROM o"),
    ("UPSERT INTO d SELECT STREAM x FROM o", "write INSERT INTO", "<<INSERT INTO>> d SELECT STREAM x FROM o"),
    ("MERGE INTO d USING o ON x = 1", "write INSERT INTO", "<<INSERT INTO>> d SELECT STREAM x FROM o"),
    ("TRUNCATE TABLE o", "lsqlc run --full-refresh", "SELECT STREAM x FROM o"),
    ("USE shop", "use the names of topics", "SELECT STREAM x FROM o"),
    ("ALTER TABLE o", "YAML", "SELECT STREAM x FROM o"),
    ("TERMINATE d", "lsqlc stop", "SELECT STREAM x FROM o"),
    ("EXPLAIN SELECT STREAM x FROM o", "lsqlc compile", "SELECT STREAM x FROM o"),
    ("SHOW TOPICS", "lsqlc ls", "SELECT STREAM x FROM o"),
    ("LIST TOPICS", "lsqlc ls", "SELECT STREAM x FROM o"),
    ("DESCRIBE o", "lsqlc schema", "SELECT STREAM x FROM o"),
    ("PRINT o", "lsqlc show TOPIC", "SELECT STREAM x FROM o"),
    ("DEFINE a = 'b'", "{{ var('name') }}", "SELECT STREAM x FROM o"),
    ("SELECT STREAM COUNT(*) AS n FROM o WINDOW TUMBLING (SIZE 1 HOUR) GROUP BY x", "a window has another syntax", "SELECT STREAM COUNT(*) AS n FROM o <<WINDOW BY TUMBLE 1h>> GROUP BY x"),
    ("SELECT STREAM COUNT(*) AS n FROM o WINDOW TUMBLING (SIZE 30 SECONDS, RETENTION 7 DAYS, GRACE PERIOD 5 MINUTES) GROUP BY x", "write", "SELECT STREAM COUNT(*) AS n FROM o <<WINDOW BY TUMBLE 30s GRACE BY 5m>> GROUP BY x"),
    ("SELECT STREAM COUNT(*) AS n FROM o WINDOW HOPPING (SIZE 1 HOUR, ADVANCE BY 10 MINUTES) GROUP BY x", "write", "SELECT STREAM COUNT(*) AS n FROM o <<WINDOW BY HOP 1h, 10m>> GROUP BY x"),
    ("SELECT STREAM COUNT(*) AS n FROM o WINDOW SESSION (5 MINUTES) GROUP BY x", "write", "SELECT STREAM COUNT(*) AS n FROM o <<WINDOW BY SESSION 5m>> GROUP BY x"),
    ("SELECT STREAM o.x FROM o JOIN c WITHIN (1 HOUR, 2 HOURS) ON o.x = c.id", "before and after", "SELECT STREAM o.x FROM o JOIN c <<WITHIN 1h>> ON o.x = c.id"),
    ("SELECT STREAM o.x FROM o JOIN c WITHIN 1h GRACE PERIOD 5 MINUTES ON o.x = c.id", "`grace` in lsqlc.yml", "SELECT STREAM o.x FROM o JOIN c WITHIN 1h ON o.x = c.id"),
    ("INSERT INTO d VALUES (1, 2)", "lsqlc seed", "INSERT INTO d SELECT STREAM x FROM o"),
    ("INSERT INTO d (a, b) SELECT STREAM x, y FROM o", "use aliases", "INSERT INTO d SELECT STREAM <<x AS a, y AS b>> FROM o"),
    ("INSERT OVERWRITE d SELECT STREAM x FROM o", "write INSERT INTO", "<<INSERT INTO>> d SELECT STREAM x FROM o"),
    ("SELECT STREAM STRUCT(a := x, b := y) AS name FROM o", "nested aliases", "SELECT STREAM <<x AS name.a, y AS name.b>> FROM o"),
    ("SELECT STREAM s->f AS f FROM o", "write struct.field", "SELECT STREAM s.f AS f FROM o"),
    ("SELECT STREAM COUNT(*) AS n FROM TABLE(TUMBLE(TABLE o, DESCRIPTOR(at), INTERVAL '1' HOUR)) GROUP BY x", "a window is not a source here", "SELECT STREAM COUNT(*) AS n FROM o EVENTTIME BY at <<WINDOW BY TUMBLE 1h>> GROUP BY x"),
    ("SELECT STREAM COUNT(*) AS n FROM TUMBLE(o, at, INTERVAL '1' HOUR) GROUP BY x", "WINDOW BY TUMBLE 1h", "SELECT STREAM COUNT(*) AS n FROM o EVENTTIME BY at <<WINDOW BY TUMBLE 1h>> GROUP BY x"),
    ("SELECT STREAM COUNT(*) AS n FROM HOP(o, at) GROUP BY x", "WINDOW BY HOP", "SELECT STREAM COUNT(*) AS n FROM o EVENTTIME BY at <<WINDOW BY HOP 1h, 5m>> GROUP BY x"),
    ("SELECT STREAM COUNT(*) AS n FROM SESSION(o, at) GROUP BY x", "WINDOW BY SESSION", "SELECT STREAM COUNT(*) AS n FROM o EVENTTIME BY at <<WINDOW BY SESSION 5m>> GROUP BY x"),
    ("SELECT STREAM x FROM o WHERE at > NOW() - INTERVAL '1' DAY", "INTERVAL is not part of the language", "SELECT STREAM x FROM o WHERE CAST(at AS BIGINT) > <<CAST(NOW() AS BIGINT) - 86400000>>"),
    ("SELECT STREAM o.x FROM o JOIN c FOR SYSTEM_TIME AS OF at ON o.x = c.id", "gets the row of its time", "WITH c AS (SELECT TABLE * FROM c); SELECT STREAM o.x FROM o JOIN c ON o.x = c.id"),
    ("SELECT STREAM EXTRACT(YEAR FROM at) AS n FROM o", "each part has a function", "SELECT STREAM YEAR(at) AS n FROM o"),
    ("SELECT STREAM t FROM o LATERAL VIEW EXPLODE(a) v AS e", "LATERAL VIEW is not part of the language", "SELECT STREAM e FROM o <<LATERAL a AS e>>"),
    ("SELECT STREAM t FROM o LATERAL VIEW OUTER EXPLODE(FLATTEN([a, a])) v AS e", "write", "SELECT STREAM e FROM o <<LATERAL FLATTEN([a, a]) AS e>>"),
    ("SELECT STREAM e FROM o CROSS JOIN UNNEST(a) AS e", "expanded with LATERAL", "SELECT STREAM e FROM o <<LATERAL a AS e>>"),
    ("SELECT STREAM e FROM o, UNNEST(a) AS e", "expanded with LATERAL", "SELECT STREAM e FROM o <<LATERAL a AS e>>"),
    ("SELECT STREAM e FROM o, EXPLODE(a) e", "expanded with LATERAL", "SELECT STREAM e FROM o <<LATERAL a AS e>>"),
    ("SELECT STREAM e FROM o, LATERAL FLATTEN(a)", "expanded with LATERAL", "SELECT STREAM element FROM o <<LATERAL a AS element>>"),
    ("SELECT STREAM ARRAY[x, y] AS xy FROM o", "in brackets", "SELECT STREAM <<[x, y]>> AS xy FROM o"),
    ("SELECT STREAM t || j AS n FROM o", "write CONCAT(x, y)", "SELECT STREAM CONCAT(t, j) AS n FROM o"),
    ("SELECT STREAM x FROM o WHERE ok || ok", "OR for conditions", "SELECT STREAM x FROM o WHERE ok OR ok"),
    ("SELECT STREAM p::INT AS n FROM o", "'::' is not an operator here", "SELECT STREAM CAST(p AS INT) AS n FROM o"),
    ("SELECT STREAM s:f AS n FROM o", "struct.field", "SELECT STREAM s.f AS n FROM o"),
    ("SELECT STREAM x FROM o WHERE x == 1", "write =", "SELECT STREAM x FROM o WHERE x = 1"),
    ("SELECT STREAM x FROM o WHERE x <=> y", "'<=>' is not an operator here", "SELECT STREAM x FROM o WHERE <<x = y OR x IS NULL AND y IS NULL>>"),
    ("SELECT STREAM x FROM o WHERE ok && ok", "write AND", "SELECT STREAM x FROM o WHERE ok AND ok"),
    ("SELECT STREAM x FROM o WHERE !ok", "write NOT", "SELECT STREAM x FROM o WHERE NOT ok"),
    ("SELECT STREAM x ^ y AS n FROM o", "'^' is not an operator here", "SELECT STREAM <<POW(x, y)>> AS n FROM o"),
    ("SELECT STREAM x FROM o WHERE t ~ 'a.*'", "'~' is not an operator here", "SELECT STREAM x FROM o WHERE SIZEOF(REGEXP(t, 'a.*')) > 0"),
    ("SELECT STREAM x FROM o # all", "write --", "SELECT STREAM x FROM o -- all"),
    ("SELECT STREAM x FROM o@dev", "put the name in backticks", "SELECT STREAM x FROM `o`"),
    ("SELECT STREAM x FROM o WHERE t ILIKE 'a%'", "compare in lower case", "SELECT STREAM x FROM o WHERE LOWER(t) LIKE 'a%'"),
    ("SELECT STREAM x FROM o WHERE t NOT ILIKE 'a%'", "compare in lower case", "SELECT STREAM x FROM o WHERE LOWER(t) NOT LIKE 'a%'"),
    ("SELECT STREAM x FROM o WHERE t RLIKE 'a.*'", "RLIKE is not part of the language", "SELECT STREAM x FROM o WHERE SIZEOF(REGEXP(t, 'a.*')) > 0"),
    ("SELECT STREAM x FROM o WHERE t REGEXP 'a.*'", "REGEXP is not part of the language", "SELECT STREAM x FROM o WHERE SIZEOF(REGEXP(t, 'a.*')) > 0"),
    ("SELECT STREAM x FROM o WHERE t SIMILAR TO 'a.*'", "SIMILAR is not part of the language", "SELECT STREAM x FROM o WHERE SIZEOF(REGEXP(t, 'a.*')) > 0"),
    ("SELECT STREAM x FROM o WHERE t LIKE '%!%' ESCAPE '!'", "ESCAPE is not part of the language", "SELECT STREAM x FROM o WHERE CONTAINS(t, '%')"),
    ("SELECT STREAM x FROM o WHERE x IS DISTINCT FROM y", "IS DISTINCT FROM", "SELECT STREAM x FROM o WHERE <<NOT (x = y) OR x IS NULL AND y IS NOT NULL OR x IS NOT NULL AND y IS NULL>>"),
    ("SELECT STREAM x FROM o WHERE ok IS TRUE", "COALESCE(condition, FALSE)", "SELECT STREAM x FROM o WHERE COALESCE(ok, FALSE)"),
    ("SELECT STREAM x FROM o WHERE ok IS FALSE", "NOT COALESCE(condition, TRUE)", "SELECT STREAM x FROM o WHERE NOT COALESCE(ok, TRUE)"),
    ("SELECT STREAM x MOD y AS n FROM o", "MOD as an operator", "SELECT STREAM <<x % y>> AS n FROM o"),
    ("SELECT STREAM x DIV y AS n FROM o", "DIV", "SELECT STREAM <<x / y>> AS n FROM o"),
    ("SELECT STREAM TRY_CAST(t AS INT) AS n FROM o", "what cannot be converted is null", "SELECT STREAM CAST(t AS INT) AS n FROM o"),
    ("SELECT STREAM POSITION('a' IN t) AS n FROM o", "INDEXOF(text, part)", "SELECT STREAM INDEXOF(t, 'a') AS n FROM o"),
    ("SELECT STREAM x, t FROM o PARTITION BY t", "project the new key", "SELECT STREAM x, <<t AS _key>> FROM o"),
    ("SELECT STREAM x FROM o PARTITION BY o.t", "project the new key", "SELECT STREAM x, <<o.t AS _key>> FROM o"),
    ("SELECT STREAM x FROM o QUALIFY x = 1", "SELECT TABLE", "SELECT TABLE x FROM o"),
    ("SELECT STREAM x FROM o ORDER BY x", "MAXK(x, 10)", "SELECT STREAM <<MAXK(x, 10)>> AS m FROM o GROUP BY t"),
    ("SELECT STREAM x FROM o LIMIT 10", "--limit 10", "SELECT STREAM x FROM o"),
    ("SELECT STREAM x FROM o FETCH FIRST 10 ROWS ONLY", "--limit 10", "SELECT STREAM x FROM o"),
    ("SELECT STREAM TOP 10 x FROM o", "MAXK(x, 10)", "SELECT STREAM <<MAXK(x, 10)>> AS m FROM o GROUP BY t"),
    ("SELECT STREAM x FROM o TABLESAMPLE (10)", "WHERE", "SELECT STREAM x FROM o WHERE x > 1"),
    ("SELECT STREAM x FROM o MATCH_RECOGNIZE (x)", "use windows", "SELECT STREAM COUNT(*) AS n FROM o <<WINDOW BY SESSION 5m GROUP BY x>>"),
    ("SELECT STREAM COUNT(*) FILTER (WHERE ok) AS n FROM o GROUP BY x", "COUNT(CASE WHEN", "SELECT STREAM COUNT(CASE WHEN ok THEN x END) AS n FROM o GROUP BY x"),
    ("SELECT STREAM * EXCEPT (x) FROM o", "name the fields that are wanted", "SELECT STREAM y, t FROM o"),
    ("SELECT STREAM * EXCLUDE (x) FROM o", "name the fields that are wanted", "SELECT STREAM y, t FROM o"),
    ("SELECT STREAM COUNT(DISTINCT x) AS n FROM o GROUP BY t", "DISTINCT in an aggregate", "SELECT STREAM <<SIZEOF(COLLECT_UNIQUE(x, 1000))>> AS n FROM o GROUP BY t"),
]  # fmt: skip

# Calls of functions, or names, with the expression that the help shows, `{}` in a query.
_ROW, _GROUP = "SELECT STREAM {} AS n FROM o", "SELECT STREAM {} AS n FROM o GROUP BY y"
CALLS = [
    ("IFNULL(t, 'a')", "COALESCE(t, 'a')", _ROW), ("NVL(t, 'a')", "COALESCE(t, 'a')", _ROW), ("NULLIF(x, 1)", "CASE WHEN x = 1 THEN NULL ELSE x END", _ROW),
    ("IF(x > 1, 'a', 'b')", "CASE WHEN x > 1 THEN 'a' ELSE 'b' END", _ROW), ("IIF(x > 1, 'a', 'b')", "CASE WHEN x > 1 THEN 'a' ELSE 'b' END", _ROW), ("NVL2(x, 1, 2)", "CASE WHEN x IS NOT NULL THEN 1 ELSE 2 END", _ROW),
    ("ARRAY_AGG(t)", "COLLECT(t, 1000)", _GROUP), ("COLLECT_LIST(t)", "COLLECT(t, 1000)", _GROUP), ("COLLECT_SET(t)", "COLLECT_UNIQUE(t, 1000)", _GROUP),
    ("STRING_AGG(t, ',')", "COLLECT(t, 1000)", _GROUP), ("LISTAGG(t, ',')", "COLLECT(t, 1000)", _GROUP), ("GROUP_CONCAT(t)", "COLLECT(t, 1000)", _GROUP),
    ("LATEST_BY_OFFSET(t)", "LAST(t)", _GROUP), ("LAST_VALUE(t)", "LAST(t)", _GROUP), ("ANY_VALUE(t)", "LAST(t)", _GROUP), ("EARLIEST_BY_OFFSET(t)", "FIRST(t)", _GROUP), ("FIRST_VALUE(t)", "FIRST(t)", _GROUP),
    ("COUNT_DISTINCT(t)", "SIZEOF(COLLECT_UNIQUE(t, 1000))", _GROUP), ("APPROX_COUNT_DISTINCT(t)", "SIZEOF(COLLECT_UNIQUE(t, 1000))", _GROUP),
    ("EXPLODE(a)", "LATERAL a AS element", "SELECT STREAM element FROM o {}"), ("UNNEST(a)", "LATERAL a AS element", "SELECT STREAM element FROM o {}"), ("INLINE(a)", "LATERAL a AS element", "SELECT STREAM element FROM o {}"),
    ("WINDOW(at, '1 hour')", "WINDOW BY TUMBLE 1h", "SELECT STREAM COUNT(*) AS n FROM o {} GROUP BY x"), ("CONCAT_WS(',', t, t)", "CONCAT", "SELECT STREAM {}(t, ',', t) AS n FROM o"),
    ("UCASE(t)", "UPPER(t)", _ROW), ("TOUPPER(t)", "UPPER(t)", _ROW), ("LCASE(t)", "LOWER(t)", _ROW), ("TOLOWER(t)", "LOWER(t)", _ROW), ("CHAR_LENGTH(t)", "LENGTH(t)", _ROW), ("CHARACTER_LENGTH(t)", "LENGTH(t)", _ROW),
    *((f"{name}(t, 'a')", "INDEXOF", "SELECT STREAM {}(t, 'a') AS n FROM o") for name in ("INSTR", "STRPOS", "LOCATE", "CHARINDEX", "POSITION")),
    ("LEFT(t, 2)", "TAKELEFT(t, 2)", _ROW), ("RIGHT(t, 2)", "TAKERIGHT(t, 2)", _ROW),
    *((f"{name}(t, 'a')", "SIZEOF(REGEXP(t, 'a')) > 0", _ROW) for name in ("REGEXP_LIKE", "RLIKE", "MATCHES", "REGEXP_MATCHES")),
    *((f"{name}(a)", "SIZEOF(a)", _ROW) for name in ("CARDINALITY", "ARRAY_LENGTH", "ARRAY_SIZE", "SIZE")),
    ("ARRAY_CONTAINS(a, 'b')", "IN_ARRAY('b', a)", _ROW), ("LIST_CONTAINS(a, 'b')", "IN_ARRAY('b', a)", _ROW), ("ARRAY(1, 2)", "[1, 2]", _ROW),
    *((f"{name}(x, y)", "x AS name.a, y AS name.b", "SELECT STREAM {} FROM o") for name in ("STRUCT", "NAMED_STRUCT", "ROW", "MAP")),
    *((f"{name}(x, y)", "CAST(x AS INT)", _ROW) for name in ("TRY_CAST", "CONVERT", "SAFE_CAST")),
    *((f"{name}(j, '$.a')", "JSON_EXTRACT_FIRST(j, '$.a')", _ROW) for name in ("GET_JSON_OBJECT", "EXTRACTJSONFIELD", "JSON_VALUE", "JSON_QUERY", "JSON_EXTRACT")),
    ("GREATEST(x, y)", "MAX(x, y)", _ROW), ("LEAST(x, y)", "MIN(x, y)", _ROW), ("POWR(x, 2)", "POW(x, 2)", _ROW), ("RANDOM()", "UUID()", _ROW), ("RAND()", "UUID()", _ROW),
    *((f"{name}()", "CAST(NOW() AS BIGINT)", _ROW) for name in ("GETDATE", "SYSDATE", "UNIX_TIMESTAMP", "CURRENT_DATE")),
    ("FROM_UNIXTIME(x)", "TO_TIMESTAMP(x)", _ROW), ("TO_TIMESTAMP_LTZ(x)", "TO_TIMESTAMP(x)", _ROW), ("STRINGTOTIMESTAMP(t, 'yyyy')", "TO_TIMESTAMP(t, 'yyyy')", _ROW),
    *((f"{name}(at, 'yyyy')", "DATE_TO_STR(at, 'yyyy')", _ROW) for name in ("TIMESTAMPTOSTRING", "DATE_FORMAT", "TO_CHAR")),
    ("ROLLUP(x)", "write one query for each grouping", None), ("CUBE(x)", "write one query for each grouping", None),
    *((f"{name}(p)", "SUM(p * p)", _GROUP) for name in ("STDDEV", "STDDEV_SAMP", "STDDEV_SAMPLE", "VARIANCE", "VAR_SAMP")),
    ("DATE_TRUNC('hour', at)", "TIMESTAMP_MILLIS(CAST(at AS BIGINT) / 3600000 * 3600000)", _ROW), ("DATE_TRUNC('month', at)", "FORMAT_TIMESTAMP(at, 'yyyy-MM')", _ROW), ("TRUNC(at)", "TIMESTAMP_MILLIS(CAST(at AS BIGINT) / 86400000 * 86400000)", _ROW),
    ("DATEDIFF('hour', b, at)", "(CAST(at AS BIGINT) - CAST(b AS BIGINT)) / 3600000", _ROW), ("DATEDIFF(at, b)", "(CAST(at AS BIGINT) - CAST(b AS BIGINT)) / 86400000", _ROW), ("TIMESTAMPDIFF(MINUTE, b, at)", "(CAST(at AS BIGINT) - CAST(b AS BIGINT)) / 60000", _ROW),
    ("DATEADD(DAYS, 3, at)", "TIMESTAMP_MILLIS(CAST(at AS BIGINT) + 3 * 86400000)", _ROW), ("DATE_SUB(at, 2)", "TIMESTAMP_MILLIS(CAST(at AS BIGINT) - 2 * 86400000)", _ROW),
    ("LIST(t)", "COLLECT(t, 1000)", _GROUP), ("MEAN(p)", "AVG(p)", _GROUP),
    *((f"{name}(ok)", "COUNT(CASE WHEN ok THEN 1 END)", _GROUP) for name in ("COUNT_IF", "COUNTIF")),
    *((f"{name}(p, ok)", "SUM(CASE WHEN ok THEN p END)", _GROUP) for name in ("SUM_IF", "SUMIF")),
    *((f"{name}(ok)", "COUNT(CASE WHEN NOT ok THEN 1 END) = 0", _GROUP) for name in ("BOOL_AND", "EVERY")),
    *((f"{name}(ok)", "COUNT(CASE WHEN ok THEN 1 END) > 0", _GROUP) for name in ("BOOL_OR", "SOME")),
    *((f"{name}(t, p)", "MAXK(p, 1)", _GROUP) for name in ("MAX_BY", "ARG_MAX")), *((f"{name}(t, p)", "MINK(p, 1)", _GROUP) for name in ("MIN_BY", "ARG_MIN")),
    *((f"{name}(p)", "COLLECT(p, 1000)", _GROUP) for name in ("MEDIAN", "MODE", "PERCENTILE", "PERCENTILE_CONT", "APPROX_PERCENTILE")),
    ("INITCAP(t)", "CAPITALIZE(t)", _ROW), *((f"{name}(t)", "TRIM(t)", _ROW) for name in ("LTRIM", "RTRIM", "BTRIM")),
    ("STARTS_WITH(t, 'a')", "STARTSWITH(t, 'a')", _ROW), ("ENDS_WITH(t, 'a')", "ENDSWITH(t, 'a')", _ROW),
    *((f"{name}(t, ',')", "REGEXP(t, '[^,]+')", _ROW) for name in ("SPLIT", "SPLIT_TO_ARRAY", "STRING_TO_ARRAY")),
    ("SPLIT_PART(t, ',', 1)", "ELEMENT_OF(REGEXP(t, '[^,]+'), 0)", _ROW), *((f"{name}(t, 'a+')", "ELEMENT_OF(REGEXP(t, 'a+'), 0)", _ROW) for name in ("REGEXP_EXTRACT", "REGEXP_SUBSTR")),
    *((f"{name}(t)", "DECODE64(t)", _ROW) for name in ("UNBASE64", "FROM_BASE64")), ("TO_BASE64(t)", "BASE64(t)", _ROW),
    ("ZEROIFNULL(x)", "COALESCE(x, 0)", _ROW), ("NULLIFZERO(x)", "CASE WHEN x = 0 THEN NULL ELSE x END", _ROW),
    ("CEILING(p)", "CEIL(p)", _ROW), ("SIGNUM(p)", "SIGN(p)", _ROW), ("LOG(p)", "LN(p)", _ROW), ("LOG2(p)", "LN(p) / LN(2)", _ROW),
    ("DAYOFMONTH(at)", "DAY(at)", _ROW), ("WEEKOFYEAR(at)", "WEEK(at)", _ROW), ("DATE_PART('year', at)", "YEAR(at)", _ROW), *((f"{name}(at)", "CAST(at AS BIGINT)", _ROW) for name in ("UNIX_MILLIS", "TO_UNIXTIME")),
    ("ELEMENT_AT(a, 1)", "ELEMENT_OF(a, 0)", _ROW), *((f"{name}(a, x)", "LATERAL a AS element", "SELECT STREAM element FROM o {}") for name in ("TRANSFORM", "FILTER", "REDUCE", "AGGREGATE")),
    *((f"{name}()", "UUID()", _ROW) for name in ("GEN_RANDOM_UUID", "NEWID")), ("JSON_EXTRACT_SCALAR(j, '$.a')", "JSON_EXTRACT_FIRST(j, '$.a')", _ROW), *((f"{name}(j)", "JSON_EXTRACT_FIRST(j, '$.field')", _ROW) for name in ("FROM_JSON", "PARSE_JSON")),
    *((f"{name}(t, 'yyyy')", "TO_TIMESTAMP(t, 'yyyy')", _ROW) for name in ("PARSE_TIMESTAMP", "STRPTIME")), ("STRFTIME(at, 'yyyy')", "DATE_TO_STR(at, 'yyyy')", _ROW),
    ("FLATTEN(a)", "LATERAL a AS element", "SELECT STREAM element FROM o {}"),
    ("CURRENT_TIMESTAMP", "NOW()", _ROW), ("LOCALTIMESTAMP", "NOW()", _ROW), ("SYSDATE", "NOW()", _ROW), ("CURRENT_DATE", "DATE()", _ROW), ("ROWKEY", "_key", _ROW), ("ROWTIME", "store it in a field", None), ("ROWPARTITION", "cannot be read", None), ("ROWOFFSET", "cannot be read", None),
    *((name, f"_key.{part}", "WITH w AS (SELECT STREAM COUNT(*) AS c FROM o WINDOW BY TUMBLE 1h GROUP BY x); SELECT STREAM {} AS n FROM w") for name, part in (("WINDOWSTART", "start"), ("WINDOWEND", "end"))),
    *((f"{name}{word}()", f"_key.{word.lower()}", None) for name in ("WINDOW_", "TUMBLE_", "HOP_") for word in ("START", "END")),
    ("ALL", "name the expressions to group by", None),
]  # fmt: skip


@each(("wrong", "said", "right"), WORDS)
def test_a_foreign_word(wrong: str, said: str, right: str) -> None:
    """One error that says the next step; what it says to write is in a program that compiles."""
    (error,) = errors(wrong)
    assert error.code == "LSQ120" and error.help is not None
    assert said in error.message or said in error.help
    if "<<" in right:
        assert right[right.index("<<") + 2 : right.index(">>")] in error.help
    assert errors(right.replace("<<", "").replace(">>", "")) == []


@each(("foreign", "ours", "query"), CALLS)
def test_a_foreign_function_or_name(foreign: str, ours: str, query: str | None) -> None:
    """The help has the expression, made of the call's own arguments, and it compiles."""
    error = errors((_GROUP if query == _GROUP else _ROW).format(foreign))[0]
    assert error.code == ("LSQ201" if "(" not in foreign else "LSQ209" if foreign.startswith("FLATTEN") else "LSQ206")
    assert error.help is not None and ours in error.help
    assert query is None or errors(query.format(ours)) == []


def test_every_word_of_the_tables_is_tried() -> None:
    """A new entry needs a row above."""
    tried = {(error.message, error.help) for wrong, *_ in WORDS for error in errors(wrong)}
    fixed = [(entry.message, entry.help) for entry in FOREIGN if isinstance(entry.help, str)]
    assert [entry for entry in fixed if entry not in tried] == []
    assert {entry.message for entry in FOREIGN} == {message for message, _ in tried}
    called = {call.partition("(")[0] for call, *_ in CALLS}
    assert {*FUNCTIONS, *NAMES, *ARGUMENTS} <= called


@pytest.mark.parametrize(
    ("wrong", "code", "said", "right"),
    [
        ("SELECT x FROM o", "LSQ108", "SELECT STREAM x", "SELECT STREAM x FROM o"),
        ("SELECT STREAM COUNT(*) AS n FROM o WINDOW BY TUMBLE 2 HOURS GROUP BY x", "LSQ112", "2h", "SELECT STREAM COUNT(*) AS n FROM o WINDOW BY TUMBLE 2h GROUP BY x"),
        ("SELECT STREAM o.x FROM o JOIN c WITHIN 1 HOUR ON o.x = c.id", "LSQ112", "1h", "SELECT STREAM o.x FROM o JOIN c WITHIN 1h ON o.x = c.id"),
        ("SELECT STREAM COUNT(*) AS n FROM o GROUP BY TUMBLE(at, INTERVAL '1' HOUR)", "LSQ111", "EVENTTIME BY at WINDOW BY TUMBLE 1h", "SELECT STREAM COUNT(*) AS n FROM o EVENTTIME BY at WINDOW BY TUMBLE 1h GROUP BY x"),
        ("SELECT STREAM x FROM o WHERE t = 'it\\'s'", "LSQ101", "it''s", "SELECT STREAM x FROM o WHERE t = 'it''s'"),
        ('SELECT STREAM x FROM "o"', "LSQ102", "`o`", "SELECT STREAM x FROM `o`"),
        ("SELECT STREAM x AS 'n' FROM o", "LSQ102", "`n`", "SELECT STREAM x AS `n` FROM o"),
        ("WITH w AS (SELECT STREAM x FROM o) SELECT STREAM x FROM w", "LSQ102", ";", "WITH w AS (SELECT STREAM x FROM o); SELECT STREAM x FROM w"),
        ("SELECT STREAM o.x, c.name FROM o LEFT JOIN c ON o.x = c.id", "LSQ332", "WITH c AS (SELECT TABLE * FROM c);", "WITH c AS (SELECT TABLE * FROM c); SELECT STREAM o.x, c.name FROM o LEFT JOIN c ON o.x = c.id"),
        ("SELECT STREAM o.x, k.name FROM o JOIN\n c AS k ON o.x = k.id", "LSQ332", "\n  SELECT STREAM ... FROM o JOIN c AS k ON o.x = k.id", "WITH c AS (SELECT TABLE * FROM c); SELECT STREAM o.x, k.name FROM o JOIN c AS k ON o.x = k.id"),
        ("SELECT STREAM o.x FROM o JOIN c -- the customers\n ON o.x = c.id", "LSQ332", "\n  SELECT STREAM ... FROM ...", "WITH c AS (SELECT TABLE * FROM c); SELECT STREAM o.x FROM o JOIN c ON o.x = c.id"),
        ("SELECT STREAM o.x FROM o LEFT JOIN c", "LSQ332", "WITHIN 1h", "SELECT STREAM o.x FROM o LEFT JOIN c WITHIN 1h"),
        ("SELECT STREAM x FROM o WHERE x !< 1", "LSQ120", "NOT", "SELECT STREAM x FROM o WHERE NOT x < 1"),
    ],
)  # fmt: skip
def test_what_has_an_error_of_its_own(wrong: str, code: str, said: str, right: str) -> None:
    """The help shows what to write, and the program with it compiles."""
    (error,) = errors(wrong)
    assert error.code == code and error.help is not None and said in error.help
    assert errors(right) == []


@pytest.mark.parametrize("kind", ["RIGHT", "OUTER"])
def test_a_table_is_proposed_where_it_is_legal(kind: str) -> None:
    """A stream and a table have no RIGHT and no OUTER join; and a WITH cannot be named again."""
    (error,) = errors(f"SELECT STREAM o.x FROM o {kind} JOIN c")
    assert error.help == "add the maximum time between two records: o JOIN c WITHIN 1h"
    (error,) = errors("WITH w AS (SELECT STREAM * FROM c); SELECT STREAM o.x FROM o JOIN w")
    assert error.help == "add the maximum time between two records: o JOIN w WITHIN 1h"


def test_foreign_words_are_names_where_names_stand() -> None:
    """A table of words reserves none of them."""
    words = ("emit", "interval", "values", "top", "list", "qualify", "window", "define", "mod", "div", "ilike")
    topic = Topic("f", key="INT", value=", ".join(f"{word} INT" for word in words))
    plan = compile(f"SELECT STREAM {', '.join(words)} FROM f WHERE emit > top", topics=[topic])
    assert plan.sinks
