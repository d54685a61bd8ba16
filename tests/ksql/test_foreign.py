"""What comes from the Lenses language, or from SQL elsewhere, ends in an error that says how ksqlDB writes it."""

from __future__ import annotations

import re

import pytest

from lsqlc.bind.ksql.scope import TABLE_FUNCTIONS
from lsqlc.functions import catalogue
from lsqlc.syntax.ksql.foreign import COLUMNS, FUNCTIONS, TYPES, WORDS
from tests.each import each
from tests.ksql.programs import codes
from tests.ksql.test_invalid import errors

TABLE = "CREATE TABLE o AS SELECT id, {} AS x FROM orders GROUP BY id;"
STREAM = "CREATE STREAM o AS SELECT id, {} AS x FROM orders;"
# What shows each word where it is no part of ksqlDB.
PROGRAMS = {
    "STORE": "INSERT INTO payments STORE VALUE AS JSON SELECT id, amount AS paid FROM orders;",
    "WITH": "WITH x AS (SELECT * FROM orders); CREATE STREAM o AS SELECT * FROM orders;",
    "VIEW": "CREATE VIEW o AS SELECT * FROM orders;",
    "MATERIALIZED": "CREATE MATERIALIZED VIEW o AS SELECT * FROM orders;",
    "TUMBLE": "CREATE TABLE o AS SELECT id, COUNT(*) AS n FROM orders WINDOW TUMBLE 1h GROUP BY id;",
    "HOP": "CREATE TABLE o AS SELECT id, COUNT(*) AS n FROM orders WINDOW HOP 2h, 1h GROUP BY id;",
    "WINDOW": "CREATE TABLE o AS SELECT id, COUNT(*) AS n FROM orders WINDOW BY TUMBLE 1h GROUP BY id;",
    "EVENTTIME": "CREATE STREAM o AS SELECT * FROM orders EVENTTIME BY amount;",
    "LATERAL": "CREATE STREAM o AS SELECT id, tag FROM orders LATERAL tags AS tag;",
    "WITHIN": "CREATE STREAM o AS SELECT * FROM orders JOIN payments ON orders.id = payments.id WITHIN 1 HOUR;",
    "UNION": "CREATE STREAM o AS SELECT * FROM orders UNION ALL SELECT * FROM orders;",
    "ORDER": "CREATE STREAM o AS SELECT * FROM orders ORDER BY amount;",
    "LIMIT": "CREATE STREAM o AS SELECT * FROM orders LIMIT 3;",
    "FETCH": "CREATE STREAM o AS SELECT * FROM orders FETCH FIRST 3 ROWS ONLY;",
    "DISTINCT": TABLE.format("COUNT(DISTINCT amount)"),
    "OVER": STREAM.format("COUNT(*) OVER (PARTITION BY item)"),
    "ILIKE": "CREATE STREAM o AS SELECT * FROM orders WHERE item ILIKE 'p%';",
    "EXTRACT": STREAM.format("EXTRACT(DAY FROM ROWTIME)"),
    "INTERVAL": STREAM.format("ROWTIME + INTERVAL 1 DAY"),
    ":": STREAM.format("amount::STRING"),
    "=": "CREATE STREAM o AS SELECT * FROM orders WHERE amount == 1;",
}


@each("name", FUNCTIONS)
def test_a_function_of_others_says_which_one_is_meant(name: str) -> None:
    """And that one exists."""
    instead = FUNCTIONS[name]
    found = errors(STREAM.format(f"{name}(item)"))
    assert [(d.code, d.help) for d in found] == [("LSQ206", f"write {instead}")]
    for called in re.findall(r"([A-Z_]+)\(", instead):
        known = catalogue.scalar(called, "ksql") or catalogue.aggregate(called, "ksql")
        # The last ones are part of the syntax.
        assert known is not None or called in (*TABLE_FUNCTIONS, "CAST", "STRUCT")


# A column for each name that stands for an argument, and literals for those that must be one.
COLUMNS_OF_FORMS = {
    "INT": "value number start size one other",
    "STRING": "text part sought separator fill",
    "BOOLEAN": "condition",
    "TIMESTAMP": "time earlier later",
    "DOUBLE": "base exponent",
    "ARRAY<INT>": "array",
}
LITERALS = {"pattern": "'yyyy'", "path": "'$.a'", "zone": "'UTC'", "n": "3"}
AGGREGATES = ("COLLECT_", "TOPK", "MIN(", "MAX(", "SUM(", "AVG(", "BY_OFFSET", "STDDEV", "COUNT_")


@each("name", [name for name in FUNCTIONS if name not in ("AGGREGATE", "NAMED_STRUCT", "ROW")])
def test_what_stands_for_a_function_compiles(name: str) -> None:
    """The expression as it is written, over columns of the names that it has."""
    columns = {name: type for type, names in COLUMNS_OF_FORMS.items() for name in names.split()}
    # The words behind a comma are a remark.
    form = re.sub(r", (which|in|counted) .*", "", FUNCTIONS[name])
    form = re.sub(r"\b[a-z]+\b", lambda m: LITERALS.get(m[0], f"`{m[0]}`" if m[0] in columns else m[0]), form)
    declared = ", ".join(f"`{column}` {type}" for column, type in columns.items())
    source = f"CREATE STREAM s (id INT KEY, {declared}) WITH (KAFKA_TOPIC = 's', VALUE_FORMAT = 'JSON');"
    grouped = any(aggregate in form for aggregate in AGGREGATES)
    kind, group = ("TABLE", " GROUP BY id") if grouped else ("STREAM", "")
    if form.startswith("WINDOW"):
        kind, group = "TABLE", " WINDOW TUMBLING (SIZE 1 HOUR) GROUP BY id"
        form = f"COUNT(*) AS n, {form}"
    assert [d.message for d in errors(f"{source} CREATE {kind} made AS SELECT id, {form} AS x FROM s{group};")] == []


def test_a_join_of_streams_teaches_the_one_with_a_table() -> None:
    """The table of the help, made of the program's own names, and the join with it compile."""
    (error,) = errors(
        "CREATE STREAM o AS SELECT orders.id, paid FROM orders LEFT JOIN payments ON orders.id = payments.id;"
    )
    assert error.code == "LSQ332" and error.help is not None
    _, _, table, select = error.help.split("\n")
    assert "LATEST_BY_OFFSET(PAID) AS PAID FROM PAYMENTS GROUP BY ID;" in table
    join = select.replace("SELECT ...", "CREATE STREAM o AS SELECT orders.id, paid FROM orders")
    assert errors(table + join.replace("ON ...", "ON orders.id = PAYMENTS_NEWEST.id;")) == []
    (error,) = errors("CREATE STREAM o AS SELECT * FROM orders FULL JOIN payments ON orders.id = payments.id;")
    assert error.help is not None and "TABLE" not in error.help


def test_an_unknown_function_is_the_only_fault_of_a_group() -> None:
    """It may be meant as the aggregate that the query needs."""
    assert codes(TABLE.format("MAXK(amount, 3)")) == ["LSQ206"]
    assert codes("CREATE TABLE o AS SELECT id, AS_VALUE(id) AS x FROM orders GROUP BY id;") == ["LSQ323"]


@pytest.mark.parametrize("name", TYPES)
def test_a_type_of_others_says_its_name_here(name: str) -> None:
    """In a cast and in the columns of a stream; under its own name it is a type."""
    declared = "CREATE STREAM s (id INT KEY, v {}) WITH (KAFKA_TOPIC = 's', VALUE_FORMAT = 'JSON');"
    for wrong in (STREAM.format(f"CAST(item AS {name})"), declared.format(name)):
        assert errors(wrong)[0].help == f"{name} is {TYPES[name]} in ksqlDB"
    assert codes(declared.format(TYPES[name]) + STREAM.format("item")) == []


@pytest.mark.parametrize("word", WORDS)
def test_a_word_of_others_says_the_next_step(word: str) -> None:
    """At the place where reading stops."""
    assert errors(PROGRAMS[word])[0].help == WORDS[word]


@pytest.mark.parametrize("name", COLUMNS)
def test_a_column_of_others_says_what_reads_the_same(name: str) -> None:
    """A facet, or a word that ksqlDB takes for a column's name."""
    assert [(d.code, d.help) for d in errors(STREAM.format(name))] == [("LSQ201", COLUMNS[name])]
    if name.startswith("_"):
        assert [(d.code, d.help) for d in errors(STREAM.format(f"{name}.x"))] == [("LSQ201", COLUMNS[name])]


@pytest.mark.parametrize(
    "select", ["STREAM *", "TABLE *", "STREAM *, 1 AS x", "STREAM amount + 1 AS x", "TABLE id AS k, item", "STREAM 1"]
)
@pytest.mark.parametrize("statement", ["{};", "CREATE STREAM o AS {};", "INSERT INTO payments {};"])
def test_the_kind_of_a_result_does_not_stand_behind_select(statement: str, select: str) -> None:
    """Where it cannot be the name of a column, it is a fault of syntax that says where the kind stands."""
    found = errors(statement.format(f"SELECT {select} FROM orders"))
    word = select.split()[0]
    assert found[0].code in ("LSQ102", "LSQ201") and f"CREATE {word} name AS SELECT" in (found[0].help or "")


def test_a_column_can_be_called_stream() -> None:
    """With an alias behind it, or in an expression."""
    source = "CREATE STREAM s (id INT KEY, stream INT) WITH (KAFKA_TOPIC = 's', VALUE_FORMAT = 'JSON');"
    for items in ("id, stream", "stream x, id", "stream AS x, id", "id, stream * 2 AS x", "stream, id"):
        assert codes(f"{source} CREATE STREAM o AS SELECT {items} FROM s;") == []


def test_a_text_in_double_quotes_is_a_name() -> None:
    """The error shows the text in single quotes; a column that is so called is meant."""
    found = errors('CREATE STREAM o AS SELECT * FROM orders WHERE item = "it\'s";')
    assert [(d.code, d.help) for d in found] == [("LSQ201", "a string is written in single quotes: 'it''s'")]
    assert codes('CREATE STREAM o AS SELECT * FROM orders WHERE item = "ITEM";') == []


def test_a_size_of_a_window_is_called_size() -> None:
    """TUMBLING and HOPPING have the word, SESSION has not."""
    found = errors("CREATE TABLE o AS SELECT id, COUNT(*) AS n FROM orders WINDOW TUMBLING (1 HOUR) GROUP BY id;")
    assert found[0].help == "write SIZE before the size: WINDOW TUMBLING (SIZE 1 HOUR, ...)"
