"""What expressions of ksqlDB mean beyond a single call: nulls, table functions, names, and several writers."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest

import lsqlc
from lsqlc import Record
from lsqlc.bind.limits import MAX_WRITERS
from lsqlc.plan.expression import Call
from lsqlc.plan.nodes import Filter, Project
from tests.ksql.programs import SOURCES, codes, order, payment, rows

STRUCTS = """CREATE STREAM s (id INT KEY, st STRUCT<a INT, b STRING>, xs ARRAY<INT>, ys STRING ARRAY, partition INT)
  WITH (KAFKA_TOPIC = 's', VALUE_FORMAT = 'PROTOBUF');
"""


def values(statement: str, **columns: object) -> list[object]:
    """The values of O that a record of S gives."""
    empty = {"ST": None, "XS": None, "YS": None, "PARTITION": None}
    plan = lsqlc.compile(STRUCTS + statement, dialect="ksql")
    return [r.value for r in lsqlc.evaluate(plan, [Record("s", 1, {**empty, **columns})])["O"]]


def test_a_comparison_of_a_null_is_false() -> None:
    """So that its negation is true, in a projection and in a filter."""
    program = """CREATE STREAM o AS SELECT id, item = 'pen' AS a, NOT (item = 'pen') AS b, item NOT IN ('pen') AS c,
      amount NOT BETWEEN 1 AND 3 AS d, item LIKE 'p%' AS e FROM orders WHERE NOT (amount > 5);"""
    assert rows(program, order(1)) == [(1, {"A": False, "B": True, "C": True, "D": True, "E": None})]


def test_a_filter_has_no_more_than_it_needs() -> None:
    """Where a null rejects a row as false does, the plan compares and nothing else."""
    plan = lsqlc.compile(
        SOURCES + "CREATE STREAM o AS SELECT * FROM orders WHERE amount > 5 AND (item = 'a' OR item = 'b');",
        dialect="ksql",
    )
    node = plan.sinks[0].inputs[0]
    assert isinstance(node, Project) and isinstance(node.input, Filter)
    assert not isinstance(node.input.condition, Call)
    assert "COALESCE" not in plan.tree()


def test_several_explodes_stand_side_by_side() -> None:
    """Nulls stand for what the shorter array lacks; two arrays without elements give no record."""
    program = "CREATE STREAM o AS SELECT id, EXPLODE(xs) AS x, EXPLODE(ys) || '!' AS y FROM s;"
    assert values(program, XS=[1, 2, 3], YS=["a", None]) == [
        {"X": 1, "Y": "a!"}, {"X": 2, "Y": "!"}, {"X": 3, "Y": "!"},
    ]  # fmt: skip
    assert values(program, XS=None, YS=["a"]) == [{"X": None, "Y": "a!"}]
    assert values(program, XS=[], YS=None) == []


def test_cube_explode_gives_each_choice_once() -> None:
    """The element or null, at each place; a null among the elements makes no second choice."""
    program = "CREATE STREAM o AS SELECT id, CUBE_EXPLODE(xs) AS x FROM s;"
    assert values(program, XS=[1, 2]) == [{"X": [None, None]}, {"X": [None, 2]}, {"X": [1, None]}, {"X": [1, 2]}]
    assert values(program, XS=[1, None]) == [{"X": [None, None]}, {"X": [1, None]}]
    assert values(program, XS=[]) == [{"X": []}]
    assert values(program, XS=None) == []


def test_a_struct_opens_into_its_fields() -> None:
    """By `->*`, under the names of the fields, also behind the source's name."""
    assert values("CREATE STREAM o AS SELECT id, s.st->* FROM s;", ST={"A": 1, "B": "x"}) == [{"A": 1, "B": "x"}]


def test_words_that_begin_a_clause_are_names_elsewhere() -> None:
    """And a name may begin with digits."""
    program = "CREATE STREAM o AS SELECT id, partition AS 1r FROM s WHERE partition > 0 PARTITION BY id EMIT CHANGES;"
    assert values(program, PARTITION=3) == [{"1R": 3}]


WRITERS = """CREATE STREAM a AS SELECT id, amount FROM orders;
INSERT INTO a SELECT id, paid AS amount FROM payments;
"""


def test_a_query_without_state_reads_all_that_several_wrote() -> None:
    """And so does one that reads what it makes."""
    program = (
        WRITERS
        + """CREATE STREAM b AS SELECT * FROM a WHERE amount > 1;
      CREATE STREAM o AS SELECT id, amount + 1 AS next FROM b;"""
    )
    records = (order(1, "x", 5), payment(2, 7), order(3, "x", 0))
    assert rows(program, *records) == [(1, {"NEXT": 6}), (2, {"NEXT": 8})]
    further = "CREATE STREAM o AS SELECT id, 0 AS amount FROM payments; INSERT INTO o SELECT * FROM a;"
    found = rows(WRITERS + further, *records)
    assert found == [(1, {"AMOUNT": 5}), (2, {"AMOUNT": 0}), (2, {"AMOUNT": 7}), (3, {"AMOUNT": 0})]


def test_inserting_widens_a_decimal() -> None:
    """A DECIMAL or an integer that is written out, and nothing that would lose digits."""
    program = """CREATE STREAM d (id INT KEY, a DECIMAL(5,2), b DECIMAL(5,2))
      WITH (KAFKA_TOPIC = 'd', VALUE_FORMAT = 'JSON');
    INSERT INTO d SELECT id, CAST(amount AS DECIMAL(3,1)) AS a, -7 AS b FROM orders;"""
    plan = lsqlc.compile(SOURCES + program, dialect="ksql")
    (record,) = lsqlc.evaluate(plan, [order(1, "x", 5)])["d"]
    assert record.value == {"A": Decimal("5.00"), "B": Decimal("-7.00")}
    for narrow in ("1000 AS b", "0.125 AS b", "amount AS b", "'7' AS b", "-7 AS c"):
        assert codes(program.replace("-7 AS b", narrow)) == ["LSQ328"], narrow


def test_what_would_miss_records_is_refused() -> None:
    """A writer behind the query, a table over the topic, and a topic that is declared too."""
    late = "CREATE STREAM a AS SELECT id, amount FROM orders; CREATE STREAM o AS SELECT * FROM a; "
    assert codes(late + "INSERT INTO a SELECT id, paid AS amount FROM payments;") == ["LSQ386"]
    table = "CREATE TABLE t (id INT PRIMARY KEY, amount INT) WITH (KAFKA_TOPIC = 'A', VALUE_FORMAT = 'JSON'); "
    assert codes(WRITERS + table + "CREATE TABLE o AS SELECT * FROM t;") == ["LSQ386"]
    own = "INSERT INTO payments SELECT id, amount AS paid FROM orders; CREATE STREAM o AS SELECT * FROM payments;"
    assert codes(own) == ["LSQ386"]
    again = "CREATE OR REPLACE STREAM a AS SELECT id, amount FROM orders;"
    assert codes(WRITERS + again) == ["LSQ386"]


def test_records_of_several_writers_meet_a_table() -> None:
    """Each for itself, whoever wrote it."""
    source = """CREATE STREAM b1 (id INT KEY, n INT) WITH (KAFKA_TOPIC = 'b1', VALUE_FORMAT = 'JSON');
    CREATE STREAM b2 (id INT KEY, n INT) WITH (KAFKA_TOPIC = 'b2', VALUE_FORMAT = 'JSON');
    CREATE TABLE t (id INT PRIMARY KEY, name STRING) WITH (KAFKA_TOPIC = 't', VALUE_FORMAT = 'JSON');
    CREATE STREAM m AS SELECT * FROM b1; INSERT INTO m SELECT * FROM b2;
    CREATE STREAM o AS SELECT m.id, n, name FROM m LEFT JOIN t ON m.id = t.id;"""
    log = [
        Record("b1", 1, {"N": 1}),
        Record("t", 1, {"NAME": "x"}),
        Record("b2", 1, {"N": 2}),
        Record("b1", 1, {"N": 3}),
    ]
    rows = lsqlc.evaluate(lsqlc.compile(source, dialect="ksql"), log)["O"]
    assert [tuple(r.value.values()) for r in rows] == [(1, None), (2, "x"), (3, "x")]


def test_the_writers_of_one_topic_are_bounded() -> None:
    """So that a program compiles in seconds, and DuckDB can run it."""
    insert = "INSERT INTO a SELECT id, paid AS amount FROM payments;"
    first = "CREATE STREAM a AS SELECT id, amount FROM orders;"
    read = "CREATE STREAM o AS SELECT id, amount + 1 AS next FROM a;"
    assert len(rows(first + insert * (MAX_WRITERS - 1) + read, payment(2, 7))) == MAX_WRITERS - 1
    assert codes(first + insert * (MAX_WRITERS + 9)) == ["LSQ386"]


SECOND = """CREATE STREAM second (id INT KEY, paid INT) WITH (KAFKA_TOPIC = 'payments', VALUE_FORMAT = 'JSON');
"""
INSERT = "INSERT INTO payments SELECT id, amount AS paid FROM orders;"
READ = "CREATE STREAM o AS SELECT * FROM second;"


@pytest.mark.parametrize("program", [SECOND + READ + INSERT, SECOND + INSERT + READ, INSERT + SECOND + READ])
def test_a_second_stream_over_a_topic_that_is_declared_and_written_is_refused(program: str) -> None:
    """It would read the records that are there, and none of those that INSERT INTO adds."""
    assert codes(program) == ["LSQ386"]
    assert codes(program.replace(READ, "")) == []


def test_a_stream_over_the_topic_of_several_writers_reads_them_all() -> None:
    """Declared before INSERT INTO or after it, with all of the columns or some."""
    over = "CREATE STREAM v (id INT KEY, amount INT) WITH (KAFKA_TOPIC = 'A', VALUE_FORMAT = 'JSON');"
    read = "CREATE STREAM o AS SELECT * FROM v;"
    first, second = WRITERS.splitlines()
    for program in (first + over + second + read, first + second + over + read):
        assert rows(program, order(1, "x", 5), payment(2, 7)) == [(1, {"AMOUNT": 5}), (2, {"AMOUNT": 7})]
    assert codes(first + over + read + second) == ["LSQ386"]
    table = over.replace("STREAM", "TABLE").replace("KEY", "PRIMARY KEY")
    assert codes(first + table + second) == ["LSQ386"]


@pytest.mark.parametrize(
    ("over", "insert", "key"),
    [
        ("(id INT KEY, amount INT)", "SELECT id, paid AS amount FROM payments", 2),
        ("(amount INT)", "SELECT paid AS amount FROM payments PARTITION BY NULL", None),
    ],
)
def test_what_is_inserted_through_some_of_the_columns_has_nulls_elsewhere(
    over: str, insert: str, key: int | None
) -> None:
    """In the topic, and for all that reads it."""
    program = f"""CREATE STREAM a AS SELECT id, item, amount FROM orders;
    CREATE STREAM v {over} WITH (KAFKA_TOPIC = 'A', VALUE_FORMAT = 'JSON');
    INSERT INTO v {insert};
    CREATE STREAM o AS SELECT * FROM a;
    CREATE STREAM w (item STRING, amount INT) WITH (KAFKA_TOPIC = 'A', VALUE_FORMAT = 'JSON');
    CREATE STREAM p AS SELECT * FROM w;"""
    records = (order(1, "x", 5), payment(2, 7))
    expected = [(1, {"ITEM": "x", "AMOUNT": 5}), (key, {"ITEM": None, "AMOUNT": 7})]
    for topic in ("A", "O"):
        assert rows(program, *records, topic=topic) == expected
    assert rows(program, *records, topic="P") == [(None, value) for _, value in expected]


def test_two_streams_are_written_to_one_topic() -> None:
    """Each reads the records of both, as in ksqlDB; they have the same columns and formats, and no table does."""
    program = """CREATE STREAM a WITH (KAFKA_TOPIC = 't') AS SELECT id, amount FROM orders;
    CREATE STREAM b WITH (KAFKA_TOPIC = 't') AS SELECT id, paid AS amount FROM payments;
    INSERT INTO b SELECT id, amount + 1 AS amount FROM orders;"""
    expected = [(1, {"AMOUNT": 5}), (1, {"AMOUNT": 6}), (2, {"AMOUNT": 7})]
    records = (order(1, "x", 5), payment(2, 7))
    assert rows(program, *records, topic="t") == expected
    for name in ("a", "b"):
        assert rows(program + f"CREATE STREAM o AS SELECT * FROM {name};", *records) == expected
    assert codes(program.replace("paid AS amount", "paid")) == ["LSQ328"]
    assert codes(program.replace("FROM orders;", "FROM orders; CREATE STREAM o AS SELECT * FROM a;", 1)) == ["LSQ386"]
    table = "CREATE TABLE {} WITH (KAFKA_TOPIC = 't') AS SELECT id, COUNT(*) AS n FROM orders GROUP BY id;"
    assert codes(table.format("a") + table.format("b")) == ["LSQ329"]
    other = program.replace("'t') AS SELECT id, paid", "'t', VALUE_FORMAT = 'AVRO') AS SELECT id, paid")
    assert codes(other)[0] == "LSQ328"


def test_a_lambda_sees_columns_and_the_lambdas_around_it() -> None:
    """And what its parameters are called is no part of the plan."""
    call = "TRANSFORM(xs, {0} => REDUCE(xs, {0}, (s, {1}) => s * partition + {1}))"
    program = f"CREATE STREAM o AS SELECT id, {call} AS r FROM s;"
    assert values(program.format("x", "y"), XS=[1, 2], PARTITION=10) == [{"R": [112, 212]}]
    plans = [lsqlc.compile(STRUCTS + program.format(*names), dialect="ksql") for names in (("x", "y"), ("a", "b"))]
    assert plans[0].fingerprint == plans[1].fingerprint
    assert values(program.format("x", "y")) == [{"R": None}]


def test_settings_can_be_taken_back() -> None:
    """UNSET leaves nothing to find fault with."""
    assert codes("SET 'no.such' = 'x'; UNSET 'no.such'; CREATE STREAM o AS SELECT * FROM orders;") == []


@pytest.mark.parametrize("text", ["a\nb", "a\n  b", "\n", "it''s\n\\n", "a\r\nb"])
def test_a_literal_with_line_breaks_is_what_it_says(text: str) -> None:
    """However deep the statement has it; as an argument too."""
    program = f"""CREATE STREAM x AS SELECT id, '{text}' AS t FROM orders WHERE item <> '{text}';
    CREATE STREAM o AS
      SELECT id, t, REPLACE('-{text}-', '{text}', '+') AS r, SPLIT('1{text}2', '{text}') AS s FROM x;"""
    value = text.replace("''", "'")
    assert rows(program, order(1, "pen")) == [(1, {"T": value, "R": "-+-", "S": ["1", "2"]})]


def test_the_names_of_fields_are_never_read_as_sql() -> None:
    """A struct as JSON has them as they are, whatever words lsqlc uses itself."""
    names = ("quoted_comma", "it's", "j0", "a {0} b", "{record}", "t", "v0", "' || '")
    fields = ", ".join(f"`{name}` := {i}" for i, name in enumerate(names))
    got = rows(f"CREATE STREAM o AS SELECT id, TO_JSON_STRING(STRUCT({fields})) AS j FROM orders;", order(1, "pen"))
    assert json.loads(got[0][1]["J"]) == {name: i for i, name in enumerate(names)}  # type: ignore[index]
