"""Nothing that sqlglot's parser takes is passed over: it is read, or refused by name with its place."""

from __future__ import annotations

import itertools
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

import pytest
from sqlglot import exp
from sqlglot.dialects.dialect import Dialect

import lsqlc
from lsqlc.diagnostics.source import SourceText
from lsqlc.functions import catalogue
from lsqlc.syntax.cursor import SyntaxFault
from lsqlc.syntax.formatting.sameness import same_parts
from lsqlc.syntax.sql.expressions import READ
from lsqlc.syntax.sql.parser import parse, plain_tokens
from lsqlc.syntax.sql.places import Places
from lsqlc.syntax.sql.queries import Queries
from lsqlc.syntax.sql.refusals import MEANINGLESS, walk
from tests.each import each
from tests.standard_sql.calls import CALLS
from tests.standard_sql.programs import TOPICS

# Statements that have every node that is read, each with few of its arguments.
SAMPLES = (
    *(f"SELECT {call} AS x FROM t" for call, *_ in CALLS),
    "SELECT sin(a), cos(a), tan(a), asin(a), acos(a), atan(a), sinh(a), cosh(a), tanh(a) FROM t",
    "SELECT radians(a), flatten(a) FROM t",
    "SELECT a.*, a.b.*, a.b.c.* EXCEPT (d) FROM t",
    "SELECT array_distinct(a), array_except(a, b), array_intersect(a, b), map_keys(a), lpad(a, 5, 'x') FROM t",
    "SELECT a.b.c.d.e.f, dayofmonth(a) AS x, count(*), count(a), sum(a), avg(a), min(a), max(a) FROM t",
    "SELECT count(DISTINCT a), sum(a) FILTER (WHERE b) FROM t GROUP BY c HAVING count(*) > 1",
    "WITH q AS (SELECT a FROM t WHERE b) SELECT DISTINCT * FROM q AS x LEFT JOIN (SELECT a FROM u) y ON x.a = y.a",
    "SELECT a FROM t WHERE (a = 1) AND (NOT (a IN (SELECT b FROM u)) AND (EXISTS (SELECT 1 FROM u)))",
    "SELECT b FROM (SELECT b, ROW_NUMBER() OVER (PARTITION BY a, c ORDER BY b DESC, c) AS r FROM t) q WHERE r < 3",
    "SELECT a FROM t ORDER BY b DESC, c LIMIT 3",
    "SELECT a FROM t UNION ALL SELECT b FROM t ORDER BY a LIMIT 3",
    "SELECT a FROM t QUALIFY ROW_NUMBER() OVER (ORDER BY b) <= 2",
    "SELECT c FROM t LATERAL VIEW OUTER explode(a) e AS c LATERAL VIEW explode_outer(b) f AS d",
    "SELECT c FROM t, LATERAL explode(a) AS e(c) LEFT JOIN LATERAL explode(b) AS f(d) ON TRUE",
    "SELECT a, (SELECT max(b) FROM u) AS m FROM t WHERE c > (SELECT count(*) FROM u WHERE u.a = t.a)",
    "SELECT a FROM t UNION SELECT a FROM u UNION ALL (SELECT b FROM t)",
    "SELECT a FROM t EXCEPT SELECT a FROM u INTERSECT SELECT b FROM t",
    "SELECT a FROM t EXCEPT ALL (SELECT a FROM u INTERSECT ALL SELECT b FROM t)",
    "SELECT a FROM t, u CROSS JOIN v JOIN w USING (a, b) LEFT SEMI JOIN x ON t.a = x.a ANTI JOIN y USING (c)",
    "SELECT a IN (SELECT b FROM u) AS c, EXISTS (SELECT 1 FROM u) AS d FROM t WHERE b OR NOT a IN (SELECT b FROM u)",
    "SELECT a, count(*) AS n FROM t GROUP BY ALL HAVING count(*) > (SELECT max(b) FROM u)",
    "SELECT a, grouping(a), grouping_id(a) FROM t GROUP BY ROLLUP(a, (b, c)), CUBE(a), GROUPING SETS((a, b), (), c)",
    "SELECT a FROM t GROUP BY a, b WITH ROLLUP",
    "SELECT a FROM t LATERAL VIEW inline(a) e AS b, c LATERAL VIEW stack(2, a, b) f AS d LATERAL VIEW inline_outer(a)",
    "SELECT a, posexplode(b) AS (c, d) FROM t",
    "SELECT explode_outer(a) AS b FROM t LATERAL VIEW posexplode_outer(c) e",
    "SELECT c, any(a), count(a, b), count(DISTINCT a, b) FROM t GROUP BY c",
    "SELECT a FROM t GROUP BY a, b GROUPING SETS((a, b), a)",
    "WITH q(a, b) AS (SELECT x, y FROM t) SELECT * EXCEPT (a), u.* EXCEPT (b) FROM q AS x(c, d) NATURAL LEFT JOIN u",
    "SELECT x.a FROM STREAM(t) AS x(a, b) JOIN (SELECT a FROM u) AS y(a) ON x.a = y.a",
    "SELECT a FROM STREAM(t) UNION ALL SELECT x.* FROM STREAM(u) x UNION ALL SELECT a FROM STREAM v",
    "CREATE OR REFRESH STREAMING TABLE o AS SELECT a FROM STREAM(t)",
    "CREATE MATERIALIZED VIEW o AS SELECT a FROM t",
    "CREATE OR REFRESH MATERIALIZED VIEW o AS SELECT a FROM t",
    "SELECT a.x FROM STREAM(t) a JOIN STREAM(u) b ON a.x = b.x AND a._timestamp > b._timestamp - INTERVAL 1 HOUR",
    "SELECT a FROM t WHERE a < 1 AND a <= 1 AND a >= 1",
    "SELECT first(a) IGNORE NULLS, last(a) RESPECT NULLS, listagg(DISTINCT a) WITHIN GROUP (ORDER BY b) FROM t",
    "SELECT mode() WITHIN GROUP (ORDER BY a DESC NULLS LAST), collect_list(DISTINCT a), count(DISTINCT a, b) FROM t",
    "FROM t |> WHERE a > 1 |> AS q |> EXTEND q.a AS b |> SELECT b",
    "SELECT a FROM t JOIN VALUES (1, 'a'), (2, 'b') AS v(a, c) USING (a) WHERE b IN (VALUES (1), (2))",
    "SELECT a FROM range(1, 5) AS r(a) JOIN VALUES 1, 2 AS v(b) ON a = b UNION ALL SELECT 1 UNION ALL VALUES (3)",
    "SELECT a FROM explode(array(1, 2)) AS v(a) JOIN t USING (a)",
    "VALUES (1, 2) AS t(a, b)",
    "SELECT a FROM t WHERE (a, b) IN (SELECT a, b FROM u) AND (a, b) = (c, d) AND (a, b) IN ((1, 2), (3, 4))",
    "SELECT p.c FROM t AS q PIVOT (sum(a) AS s, count(*) FOR (b, c) IN ((1, 2) AS x, (3, 4))) AS p(c)",
    "SELECT * FROM (SELECT a FROM t) UNPIVOT INCLUDE NULLS ((v, w) FOR n IN ((a, b) AS x, (b, c)))",
    "SELECT * FROM t UNPIVOT EXCLUDE NULLS (v FOR n IN (a, b AS c))",
    "SELECT cast(a AS STRUCT<x: INT, y: MAP<STRING, ARRAY<INT>>>) AS x FROM t",
)


def parsed(text: str) -> exp.Expr:
    (statement,) = Dialect.get_or_raise("spark").parser().parse(plain_tokens(text), text)
    assert statement is not None
    return statement


def read(statement: exp.Expr, text: str) -> object:
    """What is read of a statement; the message where it is refused."""
    try:
        return Queries(SourceText("it", text), Places(statement, plain_tokens(text))).statement(statement)
    except SyntaxFault as fault:
        assert fault.diagnostic.span is not None
        return fault


@cache
def probed() -> Mapping[str, Sequence[int]]:
    """The numbers of the nodes of each sample that no earlier sample has in the same form: of the same type below the
    same type, with the same arguments. What is refused of a node depends on no more.
    """
    known = set[tuple[type[exp.Expr] | None, type[exp.Expr], frozenset[str]]]()
    numbers = dict[str, list[int]]()
    for text in SAMPLES:
        for number, node in enumerate(walk(parsed(text))):
            present = frozenset(name for name, value in node.args.items() if value not in (None, False, []))
            form = (type(node.parent) if node.parent else None, type(node), present)
            if form not in known:
                known.add(form)
                numbers.setdefault(text, []).append(number)
    return numbers


def probes(text: str) -> Iterator[tuple[str, exp.Expr]]:
    """The statement with one more argument in one of its nodes, for each argument that a node can have and lacks."""
    nodes = walk(parsed(text))
    for number in probed()[text]:
        node = nodes[number]
        for name in node.arg_types:
            if node.args.get(name) not in (None, False, []) or name in MEANINGLESS.get(type(node), ()):
                continue
            for value in (True, exp.Literal.string("probe"), [exp.column("probe")]):
                changed = parsed(text)
                walk(changed)[number].args[name] = value
                yield f"{type(node).__name__}.{name} = {value!r}", changed


@each("text", SAMPLES)
def test_an_argument_that_is_not_read_is_refused(text: str) -> None:
    """Each argument of each node changes what is read, or the statement is refused."""
    plain = read(parsed(text), text)
    if isinstance(plain, SyntaxFault):
        return
    for what, changed in probes(text) if text in probed() else ():
        found = read(changed, text)
        assert isinstance(found, SyntaxFault) or not same_parts(found, plain), what


def test_the_samples_have_every_node() -> None:
    """So that the test above is about all of them."""
    seen = {type(node) for text in SAMPLES for node in walk(parsed(text))}
    assert not READ - seen


def _classes() -> list[type[exp.Expr]]:
    found = [c for c in vars(exp).values() if isinstance(c, type) and issubclass(c, exp.Expression)]
    return sorted(set(found), key=lambda c: c.__name__)


@pytest.mark.parametrize("where", ["item", "condition", "source", "query"])
def test_a_node_that_is_not_read_is_refused(where: str) -> None:
    """Every kind of node of sqlglot, in every place of a query, ends in a statement or in a finding with a place."""
    text = "SELECT a AS x FROM t WHERE b"
    refused = 0
    for kind in _classes():
        statement = parsed(text)
        node: Any = kind(this=exp.column("a"), expression=exp.column("b"), expressions=[exp.column("c")])
        match where:
            case "item":
                statement.args["expressions"][0].args["this"] = node
            case "condition":
                statement.args["where"].args["this"] = node
            case "source":
                statement.args["from_"].args["this"] = node
            case _:
                statement = exp.Create(this=exp.to_table("o"), kind="VIEW", expression=node)
        refused += isinstance(read(statement, text), SyntaxFault)
    assert refused > len(_classes()) / 2


@pytest.mark.parametrize("name", catalogue.names("sql"))
def test_every_name_of_the_catalogue_is_read_as_a_call(name: str) -> None:
    """The parser has a node for some of them, which must not be one that nothing here reads."""
    if name.endswith(("_DISTINCT", "_WITHIN_GROUP")):
        return
    counts = itertools.chain((1, 2, 3, 0))
    for count in counts:
        text = f"SELECT {name}({', '.join('a' * count)}) AS x FROM t"
        program = parse(text, "it").program
        if program is not None:
            return
    raise AssertionError(f"{name} is not read")


# Items of a SELECT list that have no name.
UNNAMED = (
    "(mask(g))", "mask(g) IS NOT NULL", "CASE WHEN TRUE THEN mask(g) END", "concat(g, mask(g))",
    "DATE '2020-1-1'", "array(string(x))[0]", "DATE '2020-01-01' + 1", "INTERVAL '1' DAY + INTERVAL '1' DAY",
)  # fmt: skip
# What is refused, with the words that the message has and the text under the caret.
REFUSED = (
    ("SELECT x FROM t LIMIT 5 OFFSET 2", "LSQ462", "OFFSET requires ORDER BY", None),
    ("SELECT x FROM t ORDER BY x LIMIT 5 OFFSET -2", "LSQ462", "OFFSET requires a number", None),
    ("SELECT COUNT(*) AS n FROM t ORDER BY n LIMIT 5 OFFSET 2", "LSQ313", "COUNT is not allowed here", None),
    ("SELECT x FROM t ORDER BY x LIMIT w", "LSQ462", "LIMIT requires a number", "w"),
    ("SELECT x FROM t ORDER BY x LIMIT 0", "LSQ462", "from 1 to 1000, not 0", None),
    ("SELECT x FROM STREAM(t) ORDER BY x LIMIT 5", "LSQ462", "ORDER BY with LIMIT cannot rank a stream", None),
    ("SELECT x FROM t QUALIFY ROW_NUMBER() OVER (PARTITION BY g) <= 2", "LSQ462", "requires ORDER BY", None),
    ("SELECT x FROM t QUALIFY ROW_NUMBER() OVER (ORDER BY x) <= 2000", "LSQ462", "from 1 to 1000", None),
    ("SELECT x FROM STREAM(t) QUALIFY ROW_NUMBER() OVER (ORDER BY x) <= 2", "LSQ462", "cannot rank a stream", None),
    ("SELECT DISTINCT x FROM t QUALIFY ROW_NUMBER() OVER (ORDER BY x) <= 2", "LSQ462", "take DISTINCT", None),
    ("SELECT t.x FROM t LEFT JOIN u ON t.id = u.id AND t.x IN (SELECT w FROM u)", "LSQ450", "only supported in", None),
    ("SELECT t.x FROM t JOIN u ON t.id = (SELECT MAX(w) FROM u) RIGHT JOIN u AS v ON v.id = t.id", "LSQ450", "as a",
     None),
    ("SELECT x FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.id < t.id)", "LSQ460", "must be an equality", None),
    ("SELECT x FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.id = t.id AND u.w <> t.x AND u.w < t.x)", "LSQ460",
     "a second condition on the outer query", "u.w < t.x"),
    ("SELECT x FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.id + t.id = 3)", "LSQ460", "an equality", None),
    ("SELECT x FROM t WHERE EXISTS (SELECT MAX(w) FROM u WHERE u.id = t.id)", "LSQ460", "with groups", None),
    ("SELECT x FROM t WHERE x IN (SELECT id FROM u WHERE u.id = t.id GROUP BY id)", "LSQ460", "with groups", None),
    ("SELECT x FROM t WHERE x IN (SELECT id, w FROM u)", "LSQ460", "1 column, not 2", "SELECT id, w FROM u"),
    ("SELECT x FROM t WHERE x IN (SELECT * FROM u WHERE u.id = t.id)", "LSQ460", "1 column", None),
    ("SELECT x FROM STREAM(t) WHERE x IN (SELECT w FROM u)", "LSQ460", "a condition on a stream", None),
    ("SELECT x FROM t WHERE x IN (SELECT name = 'a' FROM u)", "LSQ213", "compares INT with BOOLEAN", None),
    ("SELECT x FROM t JOIN u USING (w)", "LSQ201", "the left side of the join has no column 'w'", "w"),
    ("SELECT x FROM t JOIN u USING (x)", "LSQ201", "the right side of the join has no column 'x'", "x"),
    ("SELECT p.x FROM t p JOIN t q ON p.id = q.id JOIN u USING (g)", "LSQ203", "'g' is a column of 'p', 'q'", "g"),
    ("SELECT x FROM t JOIN (SELECT x AS id FROM t) n USING (ID, g)", "LSQ201", "the right side", "g"),
    ("SELECT t.x FROM t JOIN (SELECT w = 1 AS x FROM u) n USING (x)", "LSQ213", "INT with BOOLEAN", "x"),
    ("SELECT a.x FROM STREAM(t) a JOIN STREAM(t) b USING (id)", "LSQ454", "requires a time bound", None),
    ("SELECT t.id FROM t JOIN u ON t.id = u.id NATURAL JOIN u AS v", "LSQ203", "'id' is a column of 't', 'u'", None),
    ("SELECT y.p FROM t AS y(p)", "LSQ475", "names 1 columns, and there are 7", "p"),
    ("WITH q(a, b) AS (SELECT x FROM t) SELECT a FROM q", "LSQ475", "names 2 columns, and there are 1", "a"),
    ("SELECT k FROM (SELECT x, ROW_NUMBER() OVER (ORDER BY x) AS r FROM t) AS q(a, k) WHERE k < 3", "LSQ450",
     "a list of column names of a query with ROW_NUMBER", "a"),
    ("SELECT *, u.id FROM t JOIN u ON t.id = u.id", "LSQ305", "two columns are named 'id'", "u.id"),
    ("SELECT t.*, u.*, x AS u_id FROM t JOIN u ON t.id = u.id", "LSQ305", "two columns are named 'id'", "u.*"),
    ("SELECT x + 1, x + 1 FROM t", "LSQ305", "two columns are named '(x + 1)'", None),
    ("SELECT * EXCEPT (z) FROM t", "LSQ201", "'*' has no column 'z'", "z"),
    ("SELECT id FROM (SELECT t.*, u.* FROM t JOIN u ON t.id = u.id) AS q", "LSQ203", "2 columns of 'q' are named 'id'",
     "id"),
    ("SELECT c FROM (SELECT x + 1 AS e, x AS e, e + 1 AS c FROM t)", "LSQ203", "'e' is the alias of 2 columns", "e"),
    ("SELECT g, x + 1 AS c, SUM(c) AS s FROM t GROUP BY g, x", "LSQ201", "unknown column 'c'", "c"),
    ("SELECT t.x FROM t, u WHERE t.id = u.idd", "LSQ201", "unknown column 'idd'", "u.idd"),
    ("SELECT t.x FROM t, u WHERE g = u.w", "LSQ203", "'g' is a column of", "g"),
    ("SELECT t.x FROM t, u RIGHT JOIN t q ON q.x = u.w WHERE t.id = u.id", "LSQ465", "RIGHT JOIN is not", None),
    ("SELECT t.x FROM t CROSS JOIN u FULL JOIN t AS q ON q.x = u.w", "LSQ465", "FULL JOIN is not", None),
    ("SELECT s.x FROM STREAM(t) s, (SELECT MAX(w) AS w FROM u GROUP BY 'all') m", "LSQ465", "between tables", None),
    ("SELECT t.x FROM t ANTI JOIN u ON t.id = u.id AND x > u.w AND x < u.id", "LSQ454", "must equate", "x < u.id"),
    ("SELECT t.x FROM t SEMI JOIN u ON t.id = u.id AND t.x + u.w = 3", "LSQ454", "must equate", "t.x + u.w = 3"),
    ("SELECT t.x FROM t SEMI JOIN u ON id = u.id", "LSQ203", "'id' is a column of 't', 'u'", "id"),
    ("SELECT t.x, u.w FROM t SEMI JOIN u ON t.id = u.id", "LSQ201", "unknown column 'u'", "u.w"),
    ("SELECT s.x FROM STREAM(t) s SEMI JOIN u ON s.id = u.id", "LSQ454", "LEFT SEMI JOIN is only allowed", None),
    ("SELECT t.x FROM t RIGHT SEMI JOIN u ON t.id = u.id", "LSQ450", "RIGHT SEMI JOIN", None),
    ("SELECT x FROM t EXCEPT SELECT w, id FROM u", "LSQ455", "of EXCEPT have 1 and 2 columns", "w, id"),
    ("SELECT x FROM t INTERSECT SELECT w FROM STREAM(u)", "LSQ455", "of INTERSECT must all give tables", "w"),
    ("SELECT g, x + COUNT(*) AS n FROM t GROUP BY ALL", "LSQ311", "'x' is neither grouped", "x"),
    ("SELECT g, COUNT(*) AS n FROM t GROUP BY g HAVING x > (SELECT MAX(w) FROM u)", "LSQ311", "'x' is neither", "x"),
    ("SELECT g, grouping(g) AS i FROM t GROUP BY g", "LSQ474", "requires GROUP BY with ROLLUP", "grouping(g)"),
    ("SELECT g, grouping(h) AS i FROM t GROUP BY ROLLUP (g)", "LSQ311", "'h' is neither", "h"),
    ("SELECT grouping_id(h, g) AS i FROM t GROUP BY CUBE (g, h)", "LSQ474", "has other arguments", None),
    ("SELECT COUNT(*) AS n FROM t GROUP BY GROUPING SETS (())", "LSQ450", "without an expression", None),
    ("SELECT COUNT(*) AS n FROM t GROUP BY CUBE (id, g, h, x, y, d, b, x + 1, x + 2)", "LSQ450", "more than 256", None),
    ("SELECT g, COUNT(*) AS n FROM STREAM(t) GROUP BY ROLLUP(g), window(_timestamp, '1 hour')", "LSQ450",
     "grouping sets beside a window", None),
    ("SELECT g, sum(DISTINCT x, h) AS s FROM t GROUP BY g", "LSQ450", "DISTINCT of anything but values", None),
    ("SELECT x + INTERVAL 1 DAY AS y FROM t", "LSQ212", "must be numbers, not INT and INTERVAL DAY", None),
    ("SELECT g + INTERVAL 1 DAY AS y FROM t", "LSQ212", "INTERVAL is added to a time or a date, not to STRING", "g"),
    ("SELECT _timestamp + INTERVAL 2 MOONS AS y FROM STREAM(t)", "LSQ450", "'2 MOONS' is not supported as", None),
    ("SELECT _timestamp + INTERVAL '1 month 2 days' AS y FROM STREAM(t)", "LSQ450", "months and of shorter", None),
    ("SELECT _timestamp + INTERVAL '1 25' DAY TO HOUR AS y FROM STREAM(t)", "LSQ450", "'1 25 DAY TO HOUR'", None),
    ("SELECT _timestamp + INTERVAL x DAY AS y FROM STREAM(t)", "LSQ450", "requires a number or a text", None),
    ("SELECT array(INTERVAL 1 DAY) AS y FROM t", "LSQ497", "the column 'y' is ARRAY<INTERVAL DAY>, and an", None),
    ("SELECT to_json(struct(INTERVAL 1 DAY AS i)) AS y FROM t", "LSQ497", "the argument of TO_JSON is STRUCT<", None),
    ("SELECT INTERVAL 1 DAY = 'a' AS y FROM t", "LSQ213", "'=' compares INTERVAL DAY with STRING", None),
    ("SELECT CAST(INTERVAL 1 DAY AS INTERVAL MONTH) AS y FROM t", "LSQ214", "cannot be cast to INTERVAL MONTH", None),
    ("SELECT CAST(INTERVAL 1 DAY AS BOOLEAN) AS y FROM t", "LSQ214", "INTERVAL DAY cannot be cast to BOOLEAN", None),
    ("SELECT CAST(1.5 AS INTERVAL DAY) AS y FROM t", "LSQ214", "cannot be cast to INTERVAL DAY", None),
    ("SELECT CAST(g AS INTERVAL SECOND TO DAY) AS y FROM t", "LSQ450", "the type INTERVAL SECOND TO DAY is", None),
    ("SELECT CAST(g AS INTERVAL) AS y FROM t", "LSQ450", "the type INTERVAL is not supported", None),
    ("SELECT INTERVAL 1 DAY - _timestamp AS y FROM STREAM(t)", "LSQ212", "not INTERVAL DAY and TIMESTAMP", None),
    ("SELECT INTERVAL 1 DAY < INTERVAL 1 MONTH AS y FROM t", "LSQ213", "compares INTERVAL DAY with", None),
    ("SELECT x FROM t WHERE x = ANY (SELECT w FROM u)", "LSQ450", "ANY (SELECT ...)", None),
    ("SELECT date_trunc('CENTURY', _timestamp) AS y FROM STREAM(t)", "LSQ209", "cannot take", None),
    ("SELECT regexp_extract(g, '(a)', 2) AS y FROM t", "LSQ209", "cannot take", None),
    ("SELECT x FROM t TABLESAMPLE (10 PERCENT)", "LSQ450", "TABLESAMPLE", None),
    ("SELECT x::time AS y FROM t", "LSQ214", "INT cannot be cast to TIME", None),
    ("SELECT CAST(g AS VARIANT) AS y FROM t", "LSQ450", "the type VARIANT is", None),
    ("SELECT transform(x, e -> e + 1) AS y FROM t", "LSQ388", "TRANSFORM requires other arguments", None),
    ("SELECT transform(array(x), 1) AS y FROM t", "LSQ388", "TRANSFORM requires other arguments", None),
    ("SELECT transform(array(x), (a, b, c) -> a) AS y FROM t", "LSQ388", "TRANSFORM requires other arguments", None),
    ("SELECT transform(array(x), (a, A) -> a) AS y FROM t", "LSQ388", "two parameters of a lambda", None),
    ("SELECT transform(array(x), e -> NULL) AS y FROM t", "LSQ368", "would be NULL", None),
    ("SELECT filter(array(x), e -> e + 1) AS y FROM t", "LSQ210", "FILTER must be a condition, not INT", "e + 1"),
    ("SELECT aggregate(array(x), 0, (s, e) -> 'a') AS y FROM t", "LSQ388", "the initial state of AGGREGATE", None),
    ("SELECT array_sort(array(x), (a, b) -> a < b) AS y FROM t", "LSQ388", "must be an INT", "a < b"),
    ("SELECT map_zip_with(map(1, x), map('a', x), (k, v, w) -> v) AS y FROM t", "LSQ388", "the keys of the maps", None),
    ("SELECT abs(x -> x) AS y FROM t", "LSQ388", "a lambda is not allowed here", None),
    ("SELECT exists(array(x), e -> e.a > 1) AS y FROM t", "LSQ202", "INT has no field 'a'", None),
    (f"SELECT {'transform(array(x), e -> ' * 9}x{')' * 9} AS y FROM t", "LSQ103", "lambdas are nested", None),
    ("SELECT CURRENT_DATE AS y FROM t", "LSQ207", "CURRENT_DATE cannot", "CURRENT_DATE"),
    ("SELECT ~y AS y FROM t", "LSQ212", "must be integers, not DOUBLE", "y"),
    ("SELECT d & 1 AS y FROM t", "LSQ212", "must be integers, not DECIMAL(10,2)", "d"),
    ("SELECT X'1G' AS y FROM t", "LSQ101", "cannot be read as tokens", None),
    ("SELECT g COLLATE utf8_lcase AS y FROM t", "LSQ450", "the collation utf8_lcase", None),
    ("SELECT datediff(EON, _timestamp, _timestamp) AS y FROM STREAM(t)", "LSQ209", "TIMESTAMPDIFF cannot take", None),
    ("SELECT get_json_object(g, '$[*]') AS y FROM t", "LSQ217", "is not a path", "'$[*]'"),
    ("SELECT from_json(g, 'a DATE') AS y FROM t", "LSQ209", "FROM_JSON cannot take", None),
    ("SELECT to_json(g) AS y FROM t", "LSQ209", "TO_JSON cannot take", None),
    ("SELECT current_user() AS y FROM t", "LSQ207", "CURRENT_USER cannot be used here", None),
    ("SELECT hash(array(x)) AS y FROM t", "LSQ209", "HASH cannot take", None),
    ("SELECT format_string('%d', g) AS y FROM t", "LSQ209", "FORMAT_STRING cannot take", None),
    ("SELECT format_string('%s %s', g) AS y FROM t", "LSQ209", "FORMAT_STRING cannot take", None),
    ("SELECT mask(g, 'xy') AS y FROM t", "LSQ209", "MASK cannot take", None),
    ("SELECT encode(g, 'utf-7') AS y FROM t", "LSQ209", "ENCODE cannot take", None),
    ("SELECT x FROM t WHERE x > ALL (SELECT w FROM u)", "LSQ450", "ALL", None),
    ("SELECT _timestamp + INTERVAL '1' DAY TO HOUR AS y FROM STREAM(t)", "LSQ450", "is not supported as", None),
    ("SHOW TABLES", "LSQ450", "SHOW", "SHOW"),
    ("EXPLAIN SELECT x FROM t", "LSQ450", "EXPLAIN", "EXPLAIN"),
    ("CREATE MATERIALIZED VIEW o COMMENT 'it' AS SELECT x FROM t", "LSQ450", "a property", None),
    ("SELECT x FROM VALUES (1) AS v(x)", "LSQ468", "constants only", None),
    ("SELECT x FROM t JOIN VALUES (1), ('a') AS v(x) USING (x)", "LSQ469", "INT and STRING", "'a'"),
    ("SELECT x FROM t JOIN VALUES (1, 2), (3) AS v(x, y) USING (x)", "LSQ469", "2 and 1 columns", None),
    ("SELECT id FROM t WHERE (x, g) NOT IN (SELECT w, g FROM u)", "LSQ460", "none of them may be null", None),
    ("SELECT id FROM t WHERE (x, g) IN (SELECT w FROM u)", "LSQ460", "2 columns, not 1", None),
    ("SELECT id FROM t WHERE (x, g) NOT IN (SELECT w FROM u)", "LSQ460", "2 columns, not 1", None),
    ("SELECT id FROM t WHERE (x, g) IN (SELECT w FROM u WHERE u.id = t.id)", "LSQ460", "2 columns, not 1", None),
    ("SELECT id FROM t WHERE (x, g) < (1, 'a')", "LSQ450", "'<' of rows", None),
    ("SELECT id FROM t WHERE b OR (x, g) IN (SELECT w, g FROM u)", "LSQ450", "several columns as a value", None),
    ("SELECT id FROM t WHERE (x, g) = (1, 'a', 2)", "LSQ450", "rows of several lengths", None),
    ("SELECT * FROM t PIVOT (abs(x) FOR g IN ('a'))", "LSQ472", "PIVOT takes aggregates", None),
    ("SELECT * FROM t PIVOT (sum(x) FOR (g, h) IN ('a'))", "LSQ472", "has 1 parts, and FOR names 2", "'a'"),
    ("SELECT * FROM t PIVOT (sum(x) FOR x IN (1 + 1))", "LSQ450", "a value of PIVOT without a name", "1 + 1"),
    ("SELECT * FROM t PIVOT (sum(zz) FOR g IN ('a'))", "LSQ201", "unknown column 'zz'", "zz"),
    ("SELECT * FROM t UNPIVOT (v FOR n IN (x, b))", "LSQ472", "UNPIVOT are INT and BOOLEAN", None),
    ("SELECT * FROM t UNPIVOT (v FOR n IN (x, (id, x)))", "LSQ472", "has 2 columns, and the list of names 1", None),
    ("SELECT * FROM t UNPIVOT (v FOR n IN (x + 1))", "LSQ450", "UNPIVOT of anything but columns", None),
    ("SELECT x FROM t TABLESAMPLE (10 PERCENT)", "LSQ450", "TABLESAMPLE", None),
    ("SELECT x FROM t JOIN range(1e3) AS v", "LSQ469", "whole numbers", None),
    ("SELECT x FROM t JOIN range(5000) AS v", "LSQ469", "5,000 rows", None),
    ("SELECT x FROM t WHERE (x, id) IN (VALUES (1, 2))", "LSQ450", "IN of VALUES with several columns", None),
    ("CREATE TABLE o AS SELECT x FROM t", "LSQ450", "CREATE TABLE", "o"),
    ("CREATE OR REPLACE MATERIALIZED VIEW o AS SELECT x FROM t", "LSQ450", "OR REPLACE", None),
    ("INSERT INTO o SELECT x FROM t", "LSQ450", "INSERT", None),
    ("SELECT rand() AS x FROM t", "LSQ207", "RAND cannot be used here", "rand"),
    ("SELECT sentences(g) AS x FROM t", "LSQ206", "unknown function 'SENTENCES'", "sentences"),
    ("SELECT g, listagg_within_group(g, ',', 'ASC', x) AS l FROM t GROUP BY g", "LSQ206",
     "unknown function 'LISTAGG_WITHIN_GROUP'", "listagg_within_group"),
    ("SELECT g, mode_within_group(x, TRUE) AS l FROM t GROUP BY g", "LSQ206", "unknown function", None),
    ("SELECT g, count_distinct(x) AS l FROM t GROUP BY g", "LSQ206", "unknown function", "count_distinct"),
    ("SELECT uper(g) AS x FROM t", "LSQ206", "unknown function 'UPER'", "uper"),
    ("SELECT g, cuont(*) AS x FROM t GROUP BY g", "LSQ206", "unknown function 'CUONT'", "cuont"),
    ("SELECT SUM(*) AS x FROM t", "LSQ208", "'*' can only be an argument of COUNT, not of SUM", "SUM(*)"),
    ("SELECT x, SUM(*) OVER (PARTITION BY g) AS n FROM t", "LSQ208", "not of SUM", None),
    ("SELECT LISTAGG_WITHIN_GROUP(*) AS x FROM t", "LSQ206", "unknown function", None),
    ("SELECT ABS(*) AS x FROM t", "LSQ208", "not of ABS", "ABS(*)"),
    ("SELECT x,, y FROM t", "LSQ102", "found ','", ","),
    ("SELECT x FROM", "LSQ102", "but the program ends here", "FROM"),
    ("SELECT f(x FROM t", "LSQ102", "expected ')'", "FROM"),
    ("SELECT x", "LSQ468", "constants only", None),
    ("SELECT *", "LSQ102", "requires FROM", None),
    ("SELECT x FROM t; SELECT y FROM t", "LSQ450", "a second statement", ";"),
    ("SELECT 'abc FROM t", "LSQ101", "never closed", "'"),
    ("SELECT x + FROM t", "LSQ102", "", None),
    ("", "LSQ105", "writes nothing", None),
    *((f"SELECT {item} FROM t", "LSQ457", "has no name", item) for item in UNNAMED),
    ("SELECT DISTINCT mask(g) FROM t", "LSQ457", "has no name", "mask(g)"),
    ("SELECT x, x FROM t", "LSQ305", "two columns", "x"),
    ("SELECT x, X FROM t", "LSQ305", "differ only in case", "X"),
    ("SELECT xx FROM t", "LSQ201", "unknown column 'xx'", "xx"),
    ("SELECT t.zz FROM t", "LSQ201", "unknown column 'zz' in 't'", "t.zz"),
    ("SELECT g FROM t JOIN u ON t.id = u.id", "LSQ203", "'g' is a column of", "g"),
    ("SELECT x FROM tt", "LSQ200", "unknown topic", "tt"),
    ("SELECT t.x FROM t JOIN t ON t.id = t.id", "LSQ338", "two sources have the name 't'", None),
    ("SELECT g, x FROM t GROUP BY g", "LSQ311", "'x' is neither grouped nor aggregated", "x"),
    ("SELECT 1 AS g FROM t HAVING x > 1", "LSQ311", "'x' is neither grouped nor aggregated", "x"),
    ("SELECT x FROM t WHERE count(*) > 1", "LSQ313", "COUNT is not allowed here", "count(*)"),
    ("SELECT g, SUM(DISTINCT y) AS m FROM t GROUP BY g", "LSQ209", "SUM(DISTINCT) cannot take (DOUBLE)", None),
    ("SELECT g, AVG(DISTINCT CAST(d AS DOUBLE)) AS m FROM t GROUP BY g", "LSQ209", "AVG", None),
    ("SELECT g, max(array(x)) AS m FROM t GROUP BY g", "LSQ209", "MAX cannot take (ARRAY<INT>)", None),
    ("SELECT g, count(*) AS n FROM t GROUP BY g, 9", "LSQ201", "has no column 9", "9"),
    ("SELECT g, count(*) AS n FROM t GROUP BY g, window(_timestamp, '1 hour')", "LSQ324", "in windows", None),
    ("SELECT g, count(*) AS n FROM STREAM(t) GROUP BY g, window(x, '1 hour')", "LSQ209", "must be a TIMESTAMP", "x"),
    ("SELECT g, count(*) AS n FROM STREAM(t) GROUP BY g, window(_timestamp, '1 year')", "LSQ325", "length", "'1 year'"),
    ("SELECT window(_timestamp, '1 hour') AS w FROM STREAM(t)", "LSQ458", "only allowed in GROUP BY", None),
    ("SELECT x = (x = 1) AS c FROM t", "LSQ213", "'=' compares INT with BOOLEAN", "x = (x = 1)"),
    ("SELECT x = 'a' AS c FROM t", "LSQ492", "the text 'a' cannot be read as BIGINT", "x = 'a'"),
    ("SELECT x || array(x) AS c FROM t", "LSQ209", "must be a string", "array(x)"),
    ("SELECT y DIV 2 AS c FROM t", "LSQ212", "DIV must be integers or decimals", "y"),
    ("SELECT NULL AS c FROM t", "LSQ459", "has no type", None),
    ("CREATE STREAMING TABLE o AS SELECT x FROM t", "LSQ452", "whose rows never change", "x"),
    ("CREATE STREAMING TABLE o AS SELECT g, count(*) AS n FROM STREAM(t) GROUP BY g", "LSQ452", "gives a table", None),
    ("CREATE MATERIALIZED VIEW o AS SELECT x FROM STREAM(t)", "LSQ452", "gives a stream", "x"),
    ("SELECT x FROM t UNION ALL SELECT w FROM STREAM(u)", "LSQ455", "all give tables, or all", "w"),
    ("SELECT x FROM STREAM(t) UNION ALL SELECT w, id FROM STREAM(u)", "LSQ455", "1 and 2 columns", "w, id"),
    ("SELECT x FROM STREAM(t) UNION ALL SELECT g = 'a' FROM STREAM(u)", "LSQ455", "is INT and BOOLEAN", "g = 'a'"),
    ("SELECT n.x FROM (SELECT x FROM STREAM(t) UNION ALL SELECT w FROM STREAM(u)) n", "LSQ455", "only allowed", None),
    ("SELECT id FROM STREAM(t) WHERE x > (SELECT AVG(w) FROM u)", "LSQ464", "in one of a stream", None),
    ("SELECT id, (SELECT * FROM u) AS v FROM t", "LSQ464", "must have one column", "(SELECT * FROM u)"),
    ("SELECT id FROM t WHERE x > (SELECT w, id FROM u)", "LSQ464", "must have one column", "(SELECT w, id FROM u)"),
    ("SELECT id FROM t WHERE x > (SELECT MAX(w) FROM u WHERE u.id = t.id GROUP BY g)", "LSQ464",
     "one row for each group", None),
    ("SELECT id, (SELECT a FROM STREAM(r) ORDER BY a LIMIT 1) AS m FROM t", "LSQ462", "cannot rank", None),
    ("SELECT id, (SELECT MAX(w) + u.id FROM u WHERE u.id = t.id) AS m FROM t", "LSQ464", "in aggregates only", None),
    ("SELECT id FROM t WHERE x > (SELECT MAX(w) FROM u WHERE u.w < t.x)", "LSQ460", "must be an equality", "u.w < t.x"),
    ("SELECT g, (SELECT MAX(w) FROM u) AS m, SUM((SELECT MAX(w) FROM u)) AS n FROM t GROUP BY g", "LSQ311",
     "'(SELECT ...)' is", None),
    ("SELECT g, (SELECT MAX(w) FROM u WHERE u.id = t.id) AS m FROM t GROUP BY g", "LSQ311", "'t.id' is", "t.id"),
    ("SELECT g FROM t GROUP BY g HAVING EXISTS (SELECT 1 FROM u WHERE u.name > t.g)", "LSQ464", "only equate", None),
    ("SELECT g, COUNT(*) AS n FROM t GROUP BY g HAVING (g = 'a') > (SELECT MAX(w) FROM u)", "LSQ213", "BOOLEAN",
     None),
    ("SELECT v FROM t LATERAL VIEW explode(x) AS v", "LSQ463", "explode takes an array or a map, not INT", "x"),
    ("SELECT v FROM t LATERAL VIEW explode(array(x)) t AS v", "LSQ338", "two sources have the name 't'", None),
    ("SELECT b FROM t LATERAL VIEW json_tuple(g, 'a') AS b", "LSQ450", "anything but explode", None),
    ("SELECT b FROM t LATERAL VIEW explode(array(x)) AS a, b", "LSQ475", "names 2 columns, and there are 1", None),
    ("SELECT b FROM t LATERAL VIEW inline(array(x)) AS b", "LSQ463", "inline takes an array of structs", "array(x)"),
    ("SELECT a FROM t LATERAL VIEW stack(x, 1, 2) AS a", "LSQ463", "stack takes a number of rows", None),
    ("SELECT a FROM t LATERAL VIEW stack(2, x, g) AS a", "LSQ463", "column 0 of stack is INT and STRING", "g"),
    ("SELECT explode(array(x)) AS a, explode(array(id)) AS c FROM STREAM(t)", "LSQ450", "a second generator", None),
    ("SELECT a FROM (SELECT explode(array(x)) AS a, id FROM t WHERE a > 1)", "LSQ201", "unknown column 'a'", "a"),
    ("SELECT t.x FROM t LATERAL VIEW explode(array(x)) AS a JOIN u ON t.id = u.id", "LSQ450", "behind LATERAL", None),
    ("SELECT p.x FROM STREAM(t) p JOIN STREAM(u) q ON p.id = q.id", "LSQ454", "requires a time bound", "p.id = q.id"),
    ("SELECT p.x FROM STREAM(t) p LEFT JOIN STREAM(u) q ON p.id = q.id", "LSQ454", "requires a time bound", None),
    ("SELECT p.x FROM STREAM(t) p JOIN STREAM(u) q ON p.id = q.id AND q._timestamp > p._timestamp", "LSQ454",
     "no upper limit", None),
    ("SELECT p.x FROM STREAM(t) p JOIN STREAM(u) q ON p.id = q.id AND CAST(q.w AS TIMESTAMP) BETWEEN "
     "CAST(p.x AS TIMESTAMP) AND CAST(p.x AS TIMESTAMP) + INTERVAL 1 HOUR", "LSQ454",
     "must compare _timestamp, not 'p.x', 'q.w'", None),
    ("SELECT p.x FROM STREAM(t) p JOIN STREAM(u) q ON p.id = q.id AND q._timestamp - p._timestamp < "
     "INTERVAL 1 HOUR", "LSQ454", "in a form that cannot be read", None),
    ("SELECT p.x FROM STREAM(t) p JOIN STREAM(u) q ON p.id = q.id AND "
     "TIMESTAMPDIFF(MINUTE, p._timestamp, q._timestamp) < 5", "LSQ454", "in a form that cannot be read", None),
    ("SELECT p.x FROM STREAM(t) p JOIN STREAM(u) q ON p.id = q.id AND q._timestamp BETWEEN "
     "p._timestamp + INTERVAL 1 HOUR AND p._timestamp + INTERVAL 2 HOURS", "LSQ454", "of the same time", None),
    (f"SELECT {'ARRAY[' * 60}x{'] % 7' * 60} AS d FROM t", "LSQ103", "words of types", "["),
    ("SELECT p.x FROM STREAM(t) p, STREAM(u) q", "LSQ465", "no equality joins 'q'", "STREAM(u) q"),
    ("SELECT p.x FROM t p LEFT JOIN (SELECT id, v FROM u LATERAL VIEW explode(array(w)) AS v) q ON p.id = q.id "
     "AND p.x < q.v", "LSQ454", "must equate both sides, or", None),
    ("SELECT t.x FROM t" + " JOIN u" * 500, "LSQ454", "a join requires ON", "JOIN"),
    ("SELECT p.x FROM t p JOIN STREAM(u) q ON p.id = q.id", "LSQ454", "a table cannot be joined with a stream", None),
    ("SELECT p.x FROM STREAM(t) p RIGHT JOIN u q ON p.id = q._key", "LSQ331", "RIGHT JOIN", None),
    ("SELECT p.x FROM STREAM(t) p JOIN u q ON p.id = q.id", "LSQ454", "the key of the table", "p.id = q.id"),
    ("SELECT p.x FROM STREAM(t) p JOIN t q ON p.id = q._key", "LSQ454", "as a stream and as a table", None),
)  # fmt: skip


@pytest.mark.parametrize(("text", "code", "message", "under"), REFUSED, ids=[text for text, *_ in REFUSED])
def test_what_is_refused(text: str, code: str, message: str, under: str | None) -> None:
    """With its code, its name, and its place."""
    with pytest.raises(lsqlc.CompileError) as caught:
        lsqlc.compile(text, dialect="sql", topics=TOPICS, name="o")
    errors = [d for d in caught.value.diagnostics if d.is_error]
    assert [d.code for d in errors] == [code], errors
    assert message in errors[0].message
    span = errors[0].span
    assert span is not None
    if under is not None:
        assert text[span.column - 1 : span.end_column - 1] == under


@pytest.mark.parametrize(
    "text",
    [
        " UNION ALL ".join(["SELECT x FROM t"] * 61),
        " UNION ".join(["SELECT x FROM t"] * 400),
        "SELECT x FROM t WHERE " + " AND ".join(["x IN (SELECT x FROM t)"] * 90),
        "SELECT " + ", ".join(f"(SELECT MAX(x) FROM t WHERE x > {i}) AS c{i}" for i in range(400)) + " FROM t",
        "SELECT g FROM t GROUP BY g HAVING "
        + " AND ".join(f"COUNT(*) > (SELECT MAX(x) FROM t WHERE x > {i})" for i in range(90)),
        "SELECT g, "
        + ", ".join(f"(SELECT MAX(x) FROM t WHERE x > {i}) AS c{i}" for i in range(90))
        + ", COUNT(*) AS n FROM t GROUP BY g",
        "SELECT a.x FROM t AS a " + " ".join(f"JOIN t AS b{i} ON a.x = b{i}.x" for i in range(400)),
    ],
    ids=["union all", "union", "in", "scalar", "having", "scalar of groups", "join"],
)
def test_too_many_tables_in_one_query_are_refused(text: str) -> None:
    """Before the plan becomes too deep to be walked."""
    with pytest.raises(lsqlc.CompileError, match="LSQ345"):
        lsqlc.compile(text, dialect="sql", topics=TOPICS, name="o")


def test_the_log_of_the_parser_is_not_for_the_terminal(capfd: pytest.CaptureFixture[str]) -> None:
    """Not even where a program that uses lsqlc shows all logs."""
    program = (
        "import logging; logging.basicConfig(); import lsqlc.syntax.sql.parser as p; p.parse('ALTER TABLE t ADD x', '')"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
    assert capfd.readouterr() == ("", "")
