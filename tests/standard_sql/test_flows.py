"""AUTO CDC: random flows against the documented meaning, on DuckDB, and in batches on Spark."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import lsqlc
from lsqlc import Record, Topic
from lsqlc.dialects.sql import DIALECT
from lsqlc.lower.duckdb import default_session
from lsqlc.plan import Plan
from lsqlc.syntax.ad_hoc import AdHocQuery
from lsqlc.tasks.growing import growing_states
from lsqlc.types.record import Case, Outcome
from tests.standard_sql.flows import differences, drawn
from tests.standard_sql.on_spark import cut

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession

CUSTOMERS = Topic(
    "customer_changes",
    value="id INT, name STRING, city STRING, op STRING, lsn BIGINT, tags MAP<STRING, INT>, notes ARRAY<STRING>",
)
TOPICS = (CUSTOMERS, Topic("customers", key="INT", value="id INT, name STRING, lsn BIGINT"))
FLOW = "CREATE FLOW f AS AUTO CDC INTO t FROM STREAM(customer_changes) KEYS (id) SEQUENCE BY lsn"


@pytest.mark.parametrize("seed", range(40))
def test_a_table_is_what_its_changes_say(seed: int) -> None:
    """After prefixes of them, in any order."""
    assert not differences(seed)


@pytest.mark.spark
@pytest.mark.parametrize("seed", range(8))
def test_spark_gives_the_same_in_batches(seed: int, spark: SparkSession, tmp_path: Path) -> None:
    """With the keys of the rows."""
    from lsqlc.remote.cases import outcomes

    assert not differences(seed, partial(outcomes.evaluate, spark, tmp_path))


def test_the_flows_have_everything() -> None:
    """Each clause in some of them, and each kind of table with it."""
    flows = [drawn(seed) for seed in range(40)]
    for versions in (True, False):
        some = [flow for flow in flows if flow.versions is versions]
        assert {len(flow.keys) for flow in some} == {1, 2} == {len(flow.sequence) for flow in some}
        assert {flow.deletes for flow in some} == {True, False} == {bool(flow.ignoring) for flow in some}
        assert any("COLUMNS (" in flow.text for flow in some) and any("COLUMNS *" in flow.text for flow in some)
    tracks = [flow.text.partition("TRACK HISTORY ON ")[2][:1] for flow in flows if flow.versions]
    assert set(tracks) == {"", "(", "*"}


def test_a_difference_is_found() -> None:
    """Where an engine gives other rows."""

    def wrong(plan: Plan, cases: Sequence[Case]) -> Sequence[Outcome]:
        return default_session().evaluate(plan, [Case(case.name, (case.batches[0],)) for case in cases])

    (found,) = differences(3, wrong)
    assert found.startswith("seed 3 after ") and "AUTO CDC" in found


def _change(id: int | None, lsn: int | None, name: str | None, city: str | None = None, op: str = "u") -> Record:
    value = {"id": id, "name": name, "city": city, "op": op, "lsn": lsn, "tags": None, "notes": None}
    return Record("customer_changes", None, value, 0)


# Two customers, a change that comes late, a deletion with a late change behind it, and what is no change.
CHANGES = (
    _change(1, 10, "Ada", "Bern"),
    _change(2, 11, "Bob", "Basel"),
    _change(1, 14, "Ada", "Zug"),
    _change(2, 15, None, op="d"),
    _change(1, 12, "Ada", "Chur"),
    _change(2, 13, "Rob", "Basel"),
    _change(None, 16, "Nobody"),
    _change(1, None, "Nowhen"),
    Record("customer_changes", None, None, 0),
)


def _rows(text: str, given: Sequence[Record] = CHANGES) -> list[tuple[Any, ...]]:
    """The key and the values of each row."""
    plan = lsqlc.compile(text, dialect="sql", topics=TOPICS, name="t")
    return [(r.key, *r.value.values()) for r in lsqlc.evaluate(plan, given)["t"]]


def _found(text: str) -> tuple[str, str, str | None, str]:
    """The code, the message, the help and the place of the one error of a model that is called `t`."""
    with pytest.raises(lsqlc.CompileError) as error:
        lsqlc.compile(text, dialect="sql", topics=TOPICS, name="t")
    (found,) = error.value.diagnostics
    assert found.span is not None and found.span.line == found.span.end_line == 1
    return found.code, found.message, found.help, text[found.span.column - 1 : found.span.end_column - 1]


def test_the_newest_change_of_a_key_is_its_row() -> None:
    """Whatever comes late; a deleted row does not come back."""
    columns = " COLUMNS (id, name, city) APPLY AS DELETE WHEN op = 'd'"
    assert _rows(FLOW + columns) == [(1, 1, "Ada", "Zug")]
    assert _rows(FLOW + columns, CHANGES[:3]) == [(1, 1, "Ada", "Zug"), (2, 2, "Bob", "Basel")]
    again = (*CHANGES, _change(2, 20, "Rob", "Genf"))
    assert _rows(FLOW + columns, again) == [(1, 1, "Ada", "Zug"), (2, 2, "Rob", "Genf")]


def test_each_version_of_a_row_is_a_row() -> None:
    """From its sequence to that of the next change; the open one has no end."""
    columns = " COLUMNS (id, city) APPLY AS DELETE WHEN op = 'd' STORED AS SCD TYPE 2"
    assert [row[1:] for row in _rows(FLOW + columns)] == [
        (1, "Bern", 10, 12),
        (1, "Chur", 12, 14),
        (1, "Zug", 14, None),
        (2, "Basel", 11, 15),
    ]


def test_a_change_of_what_is_not_tracked_overwrites_the_version() -> None:
    """It has the values of its last change."""
    columns = " COLUMNS (id, name, city) APPLY AS DELETE WHEN op = 'd' STORED AS SCD TYPE 2"
    rows = [(1, "Ada", "Zug", 10, None), (2, "Bob", "Basel", 11, 13), (2, "Rob", "Basel", 13, 15)]
    assert [row[1:] for row in _rows(f"{FLOW}{columns} TRACK HISTORY ON (name)")] == rows
    assert [row[1:] for row in _rows(f"{FLOW}{columns} TRACK HISTORY ON * EXCEPT (city)")] == rows


def test_of_changes_with_one_sequence_the_last_one_counts() -> None:
    """Also if it deletes the row, or comes behind a deletion."""
    end, columns = " APPLY AS DELETE WHEN op = 'd'", " COLUMNS (id, name)"
    one, other, gone = _change(1, 5, "one"), _change(1, 5, "other"), _change(1, 5, None, op="d")
    for given, rows in (((one, other), [(1, 1, "other")]), ((one, gone), []), ((gone, one), [(1, 1, "one")])):
        assert _rows(FLOW + columns + end, given) == rows
        versions = _rows(f"{FLOW}{columns}{end} STORED AS SCD TYPE 2", given)
        assert [row[1:3] for row in versions] == [row[1:3] for row in rows]
    by_two = FLOW.replace("BY lsn", "BY STRUCT(lsn, name)") + columns
    assert _rows(by_two, (other, one)) == [(1, 1, "other")]


def test_a_state_that_keeps_all_changes_is_reported() -> None:
    """That of the newest change of each key does not grow with them."""
    columns = f"{FLOW} COLUMNS (id, city)"
    plans = [
        lsqlc.compile(text, dialect="sql", topics=TOPICS, name="t")
        for text in (columns, f"{columns} STORED AS SCD TYPE 2")
    ]
    newest, versions = map(growing_states, plans)
    assert not newest
    assert any("with all its values" in text for text in versions)


def test_a_null_may_leave_what_the_row_has() -> None:
    """In some columns, and in the parts of structs; not what it had before it was deleted."""
    text = FLOW + " COLUMNS (id, name, city) APPLY AS DELETE WHEN op = 'd'"
    given = (_change(1, 5, None, "Zug"), _change(1, 1, "Ada", "Bern"), _change(1, 6, None, None))
    assert _rows(f"{text} IGNORE NULL UPDATES", given) == [(1, 1, "Ada", "Zug")]
    assert _rows(f"{text} IGNORE NULL UPDATES ON (name)", given) == [(1, 1, "Ada", None)]
    assert _rows(f"{text} IGNORE NULL UPDATES ON * EXCEPT (name)", given) == [(1, 1, None, "Zug")]
    deleted = (*given, _change(1, 3, None, op="d"))
    assert _rows(f"{text} IGNORE NULL UPDATES", deleted) == [(1, 1, None, "Zug")]
    versions = _rows(f"{text} IGNORE NULL UPDATES STORED AS SCD TYPE 2", given)
    assert [row[1:] for row in versions] == [(1, "Ada", "Bern", 1, 5), (1, "Ada", "Zug", 5, None)]
    of_struct = text.replace(
        "STREAM(customer_changes)",
        "(SELECT id, STRUCT(name, city) AS name, city, op, lsn FROM STREAM(customer_changes))",
    )
    assert _rows(f"{of_struct} IGNORE NULL UPDATES ON name", given) == [(1, 1, {"name": "Ada", "city": "Zug"}, None)]


@pytest.mark.parametrize(
    "text",
    [
        f"{FLOW};",
        FLOW.lower(),
        f"-- the changes\nCREATE OR REFRESH STREAMING TABLE t;\n\n{FLOW};\n-- no more",
        f"CREATE STREAMING TABLE main.shop.t; {FLOW.replace('INTO t', 'INTO main.shop.t')}",
        FLOW.replace("CREATE FLOW f AS AUTO CDC", "APPLY CHANGES"),
        FLOW.replace("CREATE FLOW f AS ", ""),
        FLOW.replace("AUTO CDC", "APPLY CHANGES"),
        FLOW.replace("FLOW f", "FLOW f COMMENT 'x'"),
        FLOW.replace("CREATE FLOW f AS AUTO CDC INTO t", "CREATE STREAMING TABLE t FLOW AUTO CDC"),
        FLOW.replace("STREAM(customer_changes)", "STREAM customer_changes"),
        FLOW.replace("STREAM(customer_changes)", "(SELECT * FROM STREAM(customer_changes) WHERE TRUE)"),
        FLOW.replace("STREAM(customer_changes)", "(FROM STREAM(customer_changes) |> WHERE TRUE)"),
        FLOW.replace("changes)", "changes) AS c").replace("BY lsn", "BY c.lsn"),
        FLOW.replace("BY lsn", "BY customer_changes.LSN").replace("(id)", "(`ID`)"),
        FLOW.replace("KEYS (id) SEQUENCE BY lsn", "KEYS (id) STORED AS SCD TYPE 1 SEQUENCE BY lsn"),
        f"{FLOW} COLUMNS id, name, city, op, lsn, tags, notes",
        f"{FLOW} APPLY AS DELETE WHEN FALSE",
    ],
)
def test_a_statement_may_be_written_in_many_ways(text: str) -> None:
    """As Spark and Databricks have it."""
    assert [row[:3] for row in _rows(text)] == [(1, 1, "Ada"), (2, 2, None)]


_STORED = "write STORED AS SCD TYPE 1, or SCD TYPE 2"
_ANYWAY = "a model is always what its text says; remove it"
_NAMES = "its columns are 'city', 'id', 'lsn', 'name', 'notes', 'op', 'tags'"


@pytest.mark.parametrize(
    ("text", "code", "message", "help", "place"),
    [
        (FLOW.replace(" KEYS (id)", ""), "LSQ473", "AUTO CDC requires KEYS",
         "say what identifies a row: KEYS (id)", "t"),
        (FLOW.replace(" SEQUENCE BY lsn", ""), "LSQ473", "AUTO CDC requires SEQUENCE BY",
         "say which of two changes is the newer one: SEQUENCE BY column", "t"),
        (FLOW.replace("(id)", "(id))"), "LSQ473", "this ')' closes nothing", "remove it", ")"),
        (f"{FLOW} SEQUENCE BY id", "LSQ473", "SEQUENCE BY is there twice", "remove one", "SEQUENCE BY"),
        (FLOW.replace("(id)", "(id, ID)"), "LSQ473", "KEYS has 'ID' twice", "remove one", "ID"),
        (f"{FLOW} TRACK HISTORY ON (city)", "LSQ473", "TRACK HISTORY ON requires STORED AS SCD TYPE 2",
         "add STORED AS SCD TYPE 2, or remove it: SCD TYPE 1 has no history", "TRACK HISTORY ON (city)"),
        (FLOW.replace("INTO t", "INTO u"), "LSQ479", "the flow writes 'u', and this model is 't'",
         "write INTO t, or rename the model's file", "u"),
        (f"CREATE STREAMING TABLE u; {FLOW}", "LSQ479", "the flow writes 't', and CREATE names 'u'",
         "write one name in both: INTO u", "t"),
        (FLOW.replace("STREAM(customer_changes)", "customers"), "LSQ485",
         "AUTO CDC reads changes, and this source is a table", "read the records: FROM STREAM(customers)", "customers"),
        (FLOW.replace("STREAM(customer_changes)", "customer_changes"), "LSQ485",
         "AUTO CDC reads changes, and this source is a table", "read the records: FROM STREAM(customer_changes)",
         "customer_changes"),
        (FLOW.replace("STREAM(customer_changes)", "(SELECT id, MAX(lsn) AS lsn FROM STREAM(customers) GROUP BY id)"),
         "LSQ485", "AUTO CDC reads changes, and this source is a table", "read the records: FROM STREAM(topic)",
         "(SELECT id, MAX(lsn) AS lsn FROM STREAM(customers) GROUP BY id)"),
        (f"{FLOW} COLUMNS (name)", "LSQ486", "COLUMNS leaves out the key 'id'",
         "the keys are columns of the table; add it, or do not except it", "COLUMNS (name)"),
        (FLOW.replace("(id)", "(ids)"), "LSQ201", "the source has no column 'ids'", "did you mean 'id'?", "ids"),
        (f"{FLOW} COLUMNS * EXCEPT (x)", "LSQ201", "the source has no column 'x'", _NAMES, "x"),
        (f"{FLOW} COLUMNS (id, city) STORED AS SCD TYPE 2 TRACK HISTORY ON id", "LSQ201",
         "the table, beside its keys, has no column 'id'", "its columns are 'city'", "id"),
        (FLOW.replace("BY lsn", "BY lsm"), "LSQ201", "unknown column 'lsm'", "did you mean 'lsn'?", "lsm"),
        (FLOW.replace("BY lsn", "BY notes"), "LSQ498", "SEQUENCE BY cannot order changes by ARRAY<STRING>",
         "write a number, a text or a time, or a struct of such: SEQUENCE BY STRUCT(a, b)", "notes"),
        (FLOW.replace("BY lsn", "BY STRUCT(lsn, notes)"), "LSQ498", "SEQUENCE BY cannot order changes by ARRAY<STRING>",
         "write a number, a text or a time, or a struct of such: SEQUENCE BY STRUCT(a, b)", "STRUCT(lsn, notes)"),
        (f"{FLOW} APPLY AS DELETE WHEN op", "LSQ210", "APPLY AS DELETE WHEN must be a condition, not STRING", None,
         "op"),
        (f"{FLOW} STORED AS SCD TYPE 2", "LSQ456", "the column 'tags' is MAP<STRING,INT>, which cannot be compared",
         "leave it out: TRACK HISTORY ON * EXCEPT (tags)", "t"),
        (FLOW.replace("(id)", "(tags)"), "LSQ456", "the key is MAP<STRING,INT>, which cannot be compared",
         "use a part of it", "tags"),
        (FLOW.replace("STREAM(customer_changes)", "(SELECT *, id AS __END_AT FROM STREAM(customers))")
         + " STORED AS SCD TYPE 2", "LSQ305", "two columns are named '__END_AT'",
         "leave it out: COLUMNS * EXCEPT (__END_AT)", "t"),
        (FLOW.replace("STREAM(customer_changes)", "(SELECT *, id AS Name FROM STREAM(customers))"), "LSQ305",
         "the names 'name' and 'Name' differ only in case", "give one another name in a query behind FROM", "t"),
        (f"{FLOW} APPLY AS TRUNCATE WHEN op = 't'", "LSQ499",
         "APPLY AS TRUNCATE WHEN is not supported in models of the dialect sql",
         "delete each row by a change of its own: APPLY AS DELETE WHEN condition", "APPLY AS TRUNCATE WHEN op = 't'"),
        (f"{FLOW} IGNORE NULL UPDATES ON (ids)", "LSQ201", "the table, beside its keys, has no column 'ids'",
         "its columns are 'city', 'lsn', 'name', 'notes', 'op', 'tags'", "ids"),
        (f"{FLOW} IGNORE NULL UPDATES (city)", "LSQ102", "expected 'ON', found '('", None, "("),
        (f"{FLOW} IGNORE NULL UPDATES ON", "LSQ102", "expected columns behind ON, but the statement ends here", None,
         "ON"),
        (f"{FLOW} SYSTEM SEQUENCE BY op", "LSQ499", "SYSTEM SEQUENCE BY is not supported in models of the dialect sql",
         "write SEQUENCE BY STRUCT(a, b): b decides where a is equal", "SYSTEM SEQUENCE BY op"),
        (f"{FLOW} COLUMNS TO UPDATE c", "LSQ499", "COLUMNS TO UPDATE is not supported in models of the dialect sql",
         "write the columns that the table has: COLUMNS (a, b)", "COLUMNS TO UPDATE c"),
        (f"{FLOW} STORED AS BITEMPORAL", "LSQ499",
         "STORED AS BITEMPORAL is not supported in models of the dialect sql", _STORED, "STORED AS BITEMPORAL"),
        (FLOW.replace("CDC", "CDC ONCE"), "LSQ499", "AUTO CDC ONCE is not supported in models of the dialect sql",
         "remove it; a topic is read from its first record on", "ONCE"),
        (FLOW.replace("f AS", "IF NOT EXISTS f AS"), "LSQ499",
         "IF NOT EXISTS is not supported in models of the dialect sql", _ANYWAY, "IF"),
        (f"CREATE OR REPLACE STREAMING TABLE t; {FLOW}", "LSQ499",
         "OR REPLACE is not supported in models of the dialect sql", _ANYWAY, "OR"),
        (f"CREATE STREAMING TABLE IF NOT EXISTS t; {FLOW}", "LSQ499",
         "IF NOT EXISTS is not supported in models of the dialect sql", _ANYWAY, "IF"),
        (f"CREATE STREAMING TABLE t (id INT); {FLOW}", "LSQ499",
         "a list of columns behind the name of the table is not supported in models of the dialect sql",
         "remove it; the flow says what the columns are", "("),
        (f"CREATE STREAMING TABLE t COMMENT 'x'; {FLOW}", "LSQ499",
         "a property behind the name of the table is not supported in models of the dialect sql",
         "remove it; the flow says what the columns are", "COMMENT"),
        (FLOW.replace(" KEYS", " WHERE id > 1 KEYS"), "LSQ499",
         "a clause of a query behind FROM is not supported in models of the dialect sql",
         "write a query in parentheses: FROM (SELECT ... FROM STREAM(topic) WHERE ...)",
         "FROM STREAM(customer_changes) WHERE id > 1"),
        (f"{FLOW}; SELECT 1", "LSQ450", "a statement beside AUTO CDC is not supported in models of the dialect sql",
         "write each in a model of its own", "SELECT"),
        ("CREATE FLOW f AS INSERT INTO t BY NAME SELECT * FROM STREAM(customers)", "LSQ450",
         "CREATE FLOW without AUTO CDC is not supported in models of the dialect sql",
         "a model is one query: SELECT ... FROM topic", "CREATE FLOW"),
        (FLOW.replace("STREAM(customer_changes)", ""), "LSQ102", "expected a source behind FROM, found 'KEYS'", None,
         "KEYS"),
        (FLOW.removesuffix(" lsn"), "LSQ102", "expected an expression behind SEQUENCE BY, but the statement ends here",
         None, "BY"),
        (f"{FLOW}, id", "LSQ102", "expected one expression behind SEQUENCE BY", None, "SEQUENCE BY lsn, id"),
        (f"{FLOW} +", "LSQ102", "expected an expression behind '+', but the program ends here", None, "+"),
        (FLOW.replace("(id)", "(id"), "LSQ102", "expected ')', but the statement ends here", None, "lsn"),
        (FLOW.replace("(id)", "(upper(name))"), "LSQ102", "expected ')', found '('", None, "("),
        (f"{FLOW} COLUMNS * EXCEPT", "LSQ102", "expected columns behind EXCEPT, but the statement ends here", None,
         "EXCEPT"),
        (f"{FLOW} COLUMNS (id) x", "LSQ102", "expected ',' or the end of COLUMNS, found 'x'", None, "x"),
        ("CREATE FLOW f AS AUTO CDC INTO", "LSQ102", "expected the name of the table, but the statement ends here",
         None, "INTO"),
        ("APPLY CHANGES t", "LSQ102", "expected 'INTO', found 't'", None, "t"),
        (f"CREATE MATERIALIZED VIEW t; {FLOW}", "LSQ102", "expected 'STREAMING', found 'MATERIALIZED'", None,
         "MATERIALIZED"),
    ],
)  # fmt: skip
def test_what_a_flow_cannot_be_is_named(text: str, code: str, message: str, help: str | None, place: str) -> None:
    """With its place, and what to write."""
    assert _found(text) == (code, message, help, place)


_WRITTEN = """\
-- customers
create or refresh streaming table t;
-- as they are now
create flow f comment 'x' as auto cdc into shop.t
from (select id, ifnull(name, '-') as name, city, lsn from stream(customer_changes) where id > 1) c keys(id) -- one
apply as delete when name='d' and city is not null  sequence by struct(lsn, city) columns * except(name,lsn)
ignore null updates on * except(lsn)
stored as scd type 2 track history on city;
-- the end
"""
_FORMATTED = """\
-- customers
CREATE OR REFRESH STREAMING TABLE t;

/* as they are now */
CREATE FLOW f COMMENT 'x' AS AUTO CDC INTO shop.t
FROM (
  SELECT
    id,
    COALESCE(name, '-') AS name,
    city,
    lsn
  FROM STREAM(customer_changes)
  WHERE
    id > 1
) AS c
/* one */
KEYS (id)
APPLY AS DELETE WHEN name = 'd' AND city IS NOT NULL
SEQUENCE BY STRUCT(lsn, city)
COLUMNS * EXCEPT (name, lsn)
IGNORE NULL UPDATES ON * EXCEPT (lsn)
STORED AS SCD TYPE 2
TRACK HISTORY ON (city)
-- the end
"""


@pytest.mark.parametrize(
    ("text", "formatted"),
    [
        (_WRITTEN, _FORMATTED),
        (_FORMATTED, _FORMATTED),
        ("apply changes into t from stream(customer_changes) keys (id, `name`) sequence by lsn",
         "APPLY CHANGES INTO t\nFROM STREAM(customer_changes)\nKEYS (id, `name`)\nSEQUENCE BY lsn\n"),
        ("create streaming table t flow auto cdc from stream(customer_changes) keys (id) sequence by lsn columns (id)",
         "CREATE STREAMING TABLE t FLOW AUTO CDC\nFROM STREAM(customer_changes)\nKEYS (id)\nSEQUENCE BY lsn\n"
         "COLUMNS (id)\n"),
        ("create streaming table t; -- after\n"
         "create flow f as auto cdc into t from stream(customer_changes) as keys keys (id) sequence by lsn; -- end\n",
         "CREATE STREAMING TABLE t;\n\n/* after */\nCREATE FLOW f AS AUTO CDC INTO t\n"
         "FROM STREAM(customer_changes) AS keys\nKEYS (id)\nSEQUENCE BY lsn -- end\n"),
    ],
)  # fmt: skip
def test_a_flow_is_formatted(text: str, formatted: str) -> None:
    """A line for each clause, with its comments before it; the same flow."""
    program = DIALECT.parse(text, "t.sql").program
    assert program is not None
    assert DIALECT.formatting.text(program, None) == formatted
    assert DIALECT.formatting.is_same(program, formatted)
    assert not DIALECT.formatting.is_same(program, formatted.replace("KEYS (id", "KEYS (city"))


def test_a_flow_writes_the_topic_of_its_model() -> None:
    """Whatever stands before the name of the table; a query that is answered once has none."""
    text = f"CREATE STREAMING TABLE shop.t; {FLOW.replace('INTO t', 'INTO shop.T')} COLUMNS (id, city)"
    plan = lsqlc.compile(text, dialect="sql", topics=TOPICS, name="t")
    assert [(t.name, str(t.key)) for t in plan.outputs] == [("t", "INT (int)")]
    assert plan.semantics == {"t": "TABLE"}
    assert DIALECT.written_topics("t", text) == ("t",) == DIALECT.written_topics("t", FLOW)
    program = DIALECT.parse(FLOW, "q.sql").program
    assert program is not None and DIALECT.ad_hoc is not None and program.writes == ()
    query = DIALECT.ad_hoc(program, {})
    assert isinstance(query, AdHocQuery)
    known = {topic.name: topic for topic in plan.inputs}
    assert DIALECT.bind(program, known, name="query").plan is None
    assert DIALECT.bind(query.program, known, name="query").plan is not None


def test_a_flow_may_be_configured_as_either() -> None:
    """Its rows change, whatever it is called; a declared key must be that of KEYS."""
    for kind in ("streaming_table", "materialized_view"):
        lsqlc.compile(FLOW, dialect="sql", topics=TOPICS, name="t", materialized=kind, key=["id"])
    with pytest.raises(lsqlc.CompileError, match="LSQ467"):
        lsqlc.compile(FLOW, dialect="sql", topics=TOPICS, name="t", key=["city"])


_LONG = (
    "CREATE OR REFRESH STREAMING TABLE t; CREATE FLOW f COMMENT 'x' AS AUTO CDC INTO t FROM (SELECT *, CASE WHEN id > 1"
    " THEN 'a' END AS c FROM STREAM(customer_changes)) AS s KEYS (id, `c`) IGNORE NULL UPDATES ON * EXCEPT (city)"
    " APPLY AS DELETE WHEN op = 'd' AND s.city IS NULL SEQUENCE BY STRUCT(lsn, name) COLUMNS * EXCEPT (op, tags)"
    " STORED AS SCD TYPE 2 TRACK HISTORY ON (city, `name`);"
)


def test_no_text_that_is_being_typed_is_too_much() -> None:
    """What is cut off, left out or doubled has a finding at a place of its own, or is a flow."""
    plan = lsqlc.compile(_LONG, dialect="sql", topics=TOPICS, name="t")
    topics = {topic.name: topic for topic in plan.inputs}
    words = re.findall(r"\w+|'[^']*'|`[^`]*`|\S", _LONG)
    texts = [_LONG[:end] for end in range(len(_LONG))]
    for number in range(len(words)):
        texts.append(" ".join((*words[:number], *words[number + 1 :])))
        texts.append(" ".join((*words[: number + 1], *words[number:])))
        texts.append(" ".join((*words[:number], "KEYS", *words[number:])))
    for text in texts:
        parsed = DIALECT.parse(text, "t.sql")
        found = parsed.diagnostics
        if parsed.program is not None:
            bound = DIALECT.bind(parsed.program, topics, name="t")
            assert bound.plan is not None or bound.diagnostics, text
            found = bound.diagnostics
            DIALECT.formatting.text(parsed.program, None)
            list(DIALECT.outline().names(parsed.program))
            list(DIALECT.outline().statements(parsed.program))
        for each in found:
            assert each.span is not None and each.span.column <= len(text) + 1, text


TYPED = Topic(
    "typed",
    value="id STRING, d DOUBLE, n DECIMAL(10,2), day DATE, at TIMESTAMP, s STRING, notes ARRAY<STRING>,"
    " tags MAP<STRING, INT>, b BOOLEAN",
)
_TYPES = (
    "KEYS (id) SEQUENCE BY d",
    "KEYS (id) SEQUENCE BY STRUCT(d, s) STORED AS SCD TYPE 2 TRACK HISTORY ON * EXCEPT (tags)",
    "KEYS (id, day) SEQUENCE BY STRUCT(at, n) IGNORE NULL UPDATES APPLY AS DELETE WHEN b",
    "KEYS (id) SEQUENCE BY s STORED AS SCD TYPE 2 TRACK HISTORY ON notes IGNORE NULL UPDATES APPLY AS DELETE WHEN b",
    "KEYS (id, b) SEQUENCE BY day STORED AS SCD TYPE 2 COLUMNS (id, b, d, n, at) TRACK HISTORY ON (d, n)",
    "KEYS (id) SEQUENCE BY n COLUMNS (id)",
)


def _typed(seed: int, count: int) -> list[Record]:
    rand = random.Random(seed)
    found = []
    for number in range(count):
        value = {
            "id": rand.choice(["a", "b", "", "é"]),
            "d": rand.choice([1.5, -2.5, float("nan"), float("inf"), None]),
            "n": rand.choice([Decimal("1.10"), Decimal("1.20"), None]),
            "day": rand.choice([date(2024, 1, 1), date(2024, 2, 29), None]),
            "at": rand.choice([datetime(2024, 1, 1, 10, tzinfo=UTC), datetime(2024, 1, 1, 9, tzinfo=UTC), None]),
            "s": rand.choice(["a", "B", "é", "", None]),
            "notes": rand.choice([[], ["x"], ["x", None], None]),
            "tags": rand.choice([{}, {"x": 1}, None]),
            "b": rand.choice([True, False, None]),
        }
        found.append(Record("typed", None, value, number))
    return found


@pytest.mark.spark
@pytest.mark.parametrize("text", _TYPES)
def test_both_engines_order_and_compare_alike(text: str, spark: SparkSession, tmp_path: Path) -> None:
    """Values of every type that a sequence and a column can have."""
    from lsqlc.remote.cases import outcomes

    plan = lsqlc.compile(f"AUTO CDC INTO t FROM STREAM(typed) {text}", dialect="sql", topics=[TYPED], name="t")
    given = _typed(5, 60)
    (ours,) = default_session().evaluate(plan, [Case("it", (tuple(given),))])
    (theirs,) = outcomes.evaluate(spark, tmp_path, plan, [Case("it", tuple(cut(given, 5)))])
    one, other = ([repr((r.key, r.value)) for r in outcome.topics["t"]] for outcome in (ours, theirs))
    assert one and sorted(one) == sorted(other)
