"""What programs of ksqlDB mean, where that is their own: keys, empty groups, joins that never look back, null rows."""

from __future__ import annotations

import pytest

import lsqlc
from lsqlc import CompileError, Record
from tests.ksql.programs import SOURCES, codes, order, payment, rows, user


def test_aliasing_renames_the_key_and_as_value_copies_it() -> None:
    """The key is the column wherever it stands; its copy is a value."""
    got = rows("CREATE STREAM o AS SELECT item, AS_VALUE(id) AS copy, id AS k FROM orders;", order(7, "pen"))
    assert got == [(7, {"ITEM": "pen", "COPY": 7})]
    assert not codes("CREATE STREAM o AS SELECT item, id AS k FROM orders; CREATE STREAM p AS SELECT k, item FROM o;")


def test_several_group_expressions_are_several_key_columns_in_their_order() -> None:
    """A struct by the names of the projection; a record with a null among them belongs to no group."""
    program = (
        "CREATE TABLE o WITH (KEY_FORMAT='JSON') AS SELECT item AS i, COUNT(*) AS n, id FROM orders GROUP BY id, item;"
    )
    got = rows(program, order(1, "pen"), order(1, "pen"), order(1, None))
    assert got == [({"ID": 1, "I": "pen"}, {"N": 2})]


def test_generated_names_skip_those_of_the_sources() -> None:
    """KSQL_COL_n counts over unaliased expressions; a struct's field has its own name."""
    got = rows("CREATE STREAM o AS SELECT id, amount + 1, LEN(item) FROM orders;", order(1, "pen", 2))
    assert got == [(1, {"KSQL_COL_0": 3, "KSQL_COL_1": 3})]


def test_names_are_upper_case_unless_quoted() -> None:
    """In backticks or double quotes they stay as written."""
    got = rows('CREATE STREAM o AS SELECT id, item AS `Item`, amount AS "a b" FROM orders;', order(1, "pen", 2))
    assert got == [(1, {"Item": "pen", "a b": 2})]


def test_partition_by_gives_a_new_key_and_keeps_the_old_one_last() -> None:
    """A star has the new key, the values, and the old key as a value; NULL takes the key away."""
    got = rows("CREATE STREAM o AS SELECT * FROM orders PARTITION BY item;", order(1, "pen", 2))
    assert got == [("pen", {"AMOUNT": 2, "TAGS": None, "ID": 1})]
    assert rows("CREATE STREAM o AS SELECT id, item FROM orders PARTITION BY NULL;", order(1, "pen")) == [
        (None, {"ID": 1, "ITEM": "pen"})
    ]


def test_a_table_group_without_rows_stays_with_a_count_of_zero() -> None:
    """Unless HAVING drops it: then it is deleted."""
    records = (user(1, "Rome"), user(1, "Oslo"))
    program = "CREATE TABLE o AS SELECT city, COUNT(*) AS n, SUM(boss) AS s FROM users GROUP BY city"
    assert rows(program + ";", *records) == [("Oslo", {"N": 1, "S": 0}), ("Rome", {"N": 0, "S": 0})]
    assert rows(program + " HAVING COUNT(*) > 0;", *records) == [("Oslo", {"N": 1, "S": 0})]


def test_a_stream_sees_a_group_that_became_empty() -> None:
    """The zero is a row like any other to a join."""
    records = (user(1, "Rome"), order(1, "Rome"), Record("users", 1), order(2, "Rome"), order(3, "Oslo"))
    program = """CREATE TABLE c AS SELECT city, COUNT(*) AS n FROM users GROUP BY city;
    CREATE STREAM o AS SELECT item, id, n FROM orders LEFT JOIN c ON item = city;"""
    assert [v for _, v in rows(program, *records)] == [{"ID": 1, "N": 1}, {"ID": 2, "N": 0}, {"ID": 3, "N": None}]


def test_a_stream_table_join_never_looks_back() -> None:
    """A row that comes after the record changes nothing."""
    program = "CREATE STREAM o AS SELECT orders.id, item, city FROM orders LEFT JOIN users ON orders.id = users.id;"
    got = rows(program, order(1, "pen", at=5), user(1, "Rome", at=6), order(1, "ink", at=7))
    assert got == [(1, {"ITEM": "pen", "CITY": None}), (1, {"ITEM": "ink", "CITY": "Rome"})]


def test_without_grace_an_unmatched_record_comes_out_at_once() -> None:
    """And again with its match; with GRACE PERIOD it comes when its time has passed."""
    join = "CREATE STREAM o AS SELECT a.id, item, paid FROM orders a LEFT JOIN payments b WITHIN {} ON a.id = b.id;"
    records = (order(1, "pen", at=0), payment(1, 5, at=1))
    both = {"ITEM": "pen", "PAID": 5}
    assert rows(join.format("1 SECOND"), *records) == [(1, {"ITEM": "pen", "PAID": None}), (1, both)]
    assert rows(join.format("1 SECOND GRACE PERIOD 1 SECOND"), *records) == [(1, both)]


def test_within_may_differ_before_and_after() -> None:
    """`WITHIN (before, after)`: how far before and after a left record the right one may be."""
    join = """CREATE STREAM o AS SELECT a.id, item, paid
      FROM orders a JOIN payments b WITHIN (1 SECOND, 3 SECONDS) ON a.id = b.id;"""
    records = [payment(1, paid, at=at) for paid, at in ((1, 3_000), (2, 4_000), (3, 8_000), (4, 8_001))]
    assert [v["PAID"] for _, v in rows(join, order(1, "pen", at=5_000), *records)] == [2, 3]  # type: ignore[index]


def test_a_side_forgets_by_its_own_time() -> None:
    """A late record still meets what the other side remembers."""
    join = """CREATE STREAM o AS SELECT a.id, item, paid
      FROM orders a JOIN payments b WITHIN 1 SECOND GRACE PERIOD 1 SECOND ON a.id = b.id;"""
    late = (order(9, "far", at=60_000), payment(1, 5, at=0), order(1, "pen", at=0))
    assert rows(join, *late) == [(1, {"ITEM": "pen", "PAID": 5})]
    forgotten = (order(1, "pen", at=0), order(9, "far", at=60_000), payment(1, 5, at=0))
    assert rows(join, *forgotten) == []


def test_a_full_outer_join_has_a_key_of_its_own() -> None:
    """ROWKEY, or ROWKEY_1 where a source has a column of that name: the value of the side that is there."""
    join = "FROM {} a FULL OUTER JOIN payments b WITHIN 1 DAY ON a.id = b.id;"
    plain = "CREATE STREAM o AS SELECT ROWKEY AS k, a.id, paid " + join.format("orders")
    assert rows(plain, payment(3, 5)) == [(3, {"A_ID": None, "PAID": 5})]
    taken = "CREATE STREAM q AS SELECT id, item AS rowkey FROM orders; CREATE STREAM o AS SELECT ROWKEY_1, paid "
    assert rows(taken + join.format("q"), payment(3, 5)) == [(3, {"PAID": 5})]


def test_the_key_of_a_join_is_any_of_the_equal_columns() -> None:
    """The first that the projection has; the others are values."""
    join = "FROM orders a JOIN payments b WITHIN 1 DAY ON a.id = b.id;"
    records = (order(1, "pen"), payment(1, 5))
    assert rows(f"CREATE STREAM o AS SELECT a.id, b.id, paid {join}", *records) == [(1, {"B_ID": 1, "PAID": 5})]
    assert rows(f"CREATE STREAM o AS SELECT b.id, paid {join}", *records) == [(1, {"PAID": 5})]
    assert rows(f"CREATE STREAM o AS SELECT b.* {join}", *records) == [(1, {"B_PAID": 5})]


def test_a_foreign_key_join_has_the_left_tables_key() -> None:
    """One row for each row of the left table; it follows both tables, and a change of the reference."""
    join = "CREATE TABLE o AS SELECT id, city, size FROM users LEFT JOIN cities ON city = name;"
    rome, oslo = (Record("cities", n, {"SIZE": s}) for n, s in (("Rome", 3), ("Oslo", 1)))
    records = (user(1, "Rome"), rome, user(2, "Rome"), oslo, user(1, "Oslo"), Record("cities", "Rome"))
    assert rows(join, *records) == [(1, {"CITY": "Oslo", "SIZE": 1}), (2, {"CITY": "Rome", "SIZE": None})]


def test_three_sources_in_one_query() -> None:
    """Joined from left to right; the key is any of the equal columns."""
    program = """CREATE STREAM o AS SELECT u.id, item, paid, city FROM orders a
      JOIN payments b WITHIN 1 DAY ON a.id = b.id JOIN users u ON b.id = u.id;"""
    got = rows(program, user(1, "Rome"), order(1, "pen"), payment(1, 5))
    assert got == [(1, {"ITEM": "pen", "PAID": 5, "CITY": "Rome"})]


def test_windows_are_part_of_the_key() -> None:
    """Their bounds can be projected too."""
    program = """CREATE TABLE o AS SELECT id, WINDOWSTART AS since, COUNT(*) AS n FROM orders
      WINDOW HOPPING (SIZE 10 SECONDS, ADVANCE BY 5 SECONDS) GROUP BY id;"""
    assert rows(program, order(1, at=7_000)) == [
        ({"key": 1, "start": 0, "end": 10_000}, {"SINCE": 0, "N": 1}),
        ({"key": 1, "start": 5_000, "end": 15_000}, {"SINCE": 5_000, "N": 1}),
    ]


def test_the_time_of_a_record_is_a_column_that_star_leaves_out() -> None:
    """ROWTIME can be read, compared with a date, and grouped by."""
    program = "CREATE STREAM o AS SELECT id, ROWTIME AS at FROM orders WHERE ROWTIME >= '1970-01-01T00:00:01';"
    assert rows(program, order(1, at=999), order(2, at=1000)) == [(2, {"AT": 1000})]


def test_explode_makes_a_record_of_each_element() -> None:
    """None of an empty array."""
    records = [Record("orders", k, {"ITEM": None, "AMOUNT": None, "TAGS": t}) for k, t in ((1, ["a", "b"]), (2, []))]
    got = rows("CREATE STREAM o AS SELECT id, EXPLODE(tags) AS tag FROM orders;", *records)
    assert got == [(1, {"TAG": "a"}), (1, {"TAG": "b"})]


def test_a_record_without_a_value_has_no_elements() -> None:
    """Not even those of an array that is made of its key, or of columns that it lacks."""
    program = "CREATE STREAM o AS SELECT id, EXPLODE(ARRAY[{}]) AS x FROM orders;"
    for array in ("id", "amount, 1"):
        assert rows(program.format(array), Record("orders", 7, None)) == []


def test_where_drops_a_record_without_a_value() -> None:
    """Whatever it asks; and one column is read to tell it from others."""
    program = "CREATE STREAM o AS SELECT id, AS_VALUE(id) AS copy FROM orders WHERE id > 1;"
    assert rows(program, order(7), Record("orders", 8, None)) == [(7, {"COPY": 7})]
    assert "reads STRUCT<ITEM: STRING>" in lsqlc.compile(SOURCES + program, dialect="ksql").tree()


def test_several_statements_write_one_stream() -> None:
    """INSERT INTO adds records, and is held to the stream's columns and key."""
    program = "CREATE STREAM o AS SELECT id, amount FROM orders; INSERT INTO o SELECT id, paid AS amount FROM payments;"
    assert rows(program, order(1, "pen", 3), payment(2, 5)) == [(1, {"AMOUNT": 3}), (2, {"AMOUNT": 5})]
    assert codes("CREATE STREAM o AS SELECT id, amount FROM orders; INSERT INTO o SELECT id, paid FROM payments;") == [
        "LSQ328"
    ]


def test_all_errors_of_a_program_are_told_and_what_follows_from_them_is_not() -> None:
    """A stream whose statement has an error is known by name."""
    program = """CREATE STREAM a AS SELECT itm FROM orders;
    CREATE STREAM b AS SELECT x FROM a;
    CREATE STREAM c AS SELECT paid FROM payments;"""
    assert codes(program) == ["LSQ201", "LSQ350"]


def test_the_error_of_a_missing_key_shows_the_corrected_projection() -> None:
    """And that about ROWKEY says why it exists."""
    for statement, help, why in (
        ("CREATE STREAM o AS SELECT item, amount FROM orders;", "add it: SELECT ID, item, amount FROM orders", ""),
        ("CREATE STREAM o AS SELECT item FROM orders a FULL JOIN payments b WITHIN 1 DAY ON a.id = b.id;",
         "add it: SELECT ROWKEY, item FROM orders a FULL JOIN payments b WITHIN 1 DAY ON a.id = b.id",
         "FULL OUTER JOIN"),
    ):  # fmt: skip
        try:
            lsqlc.compile(SOURCES + statement, dialect="ksql")
        except CompileError as refused:
            (only,) = refused.diagnostics
            assert (only.code, only.help) == ("LSQ350", help)
            assert why in " ".join(only.notes)
        else:
            raise AssertionError(statement)


def test_a_source_over_a_topic_of_the_program_reads_what_the_query_makes() -> None:
    """A table's topic read as a stream has each of its changes; its columns must be the table's."""
    program = """CREATE TABLE t AS SELECT item, COUNT(*) AS n FROM orders GROUP BY item;
    CREATE STREAM s (what STRING KEY, n BIGINT) WITH (KAFKA_TOPIC = 'T', VALUE_FORMAT = 'JSON');
    CREATE STREAM o AS SELECT what, n FROM s;"""
    assert rows(program, order(1, "pen"), order(2, "pen")) == [("pen", {"N": 1}), ("pen", {"N": 2})]
    assert codes(program.replace("n BIGINT", "n INT")) == ["LSQ328"]
    assert codes(program + "CREATE TABLE p AS SELECT what, COUNT(*) AS m FROM s GROUP BY what;") == ["LSQ344"]


def test_create_or_replace_puts_a_query_in_the_place_of_another() -> None:
    """IF NOT EXISTS leaves the first, and without either it is an error."""
    first, second = "STREAM o AS SELECT id, item FROM orders;", "STREAM o AS SELECT id, amount FROM orders;"
    assert rows(f"CREATE {first} CREATE OR REPLACE {second}", order(1, "pen", 2)) == [(1, {"AMOUNT": 2})]
    kept = second.replace("STREAM o", "STREAM IF NOT EXISTS o")
    assert rows(f"CREATE {first} CREATE {kept}", order(1, "pen", 2)) == [(1, {"ITEM": "pen"})]
    assert codes(f"CREATE {first} CREATE {second}") == ["LSQ381"]


def test_a_stream_over_a_topic_whose_first_writer_was_replaced() -> None:
    """Its topic is one that the program declares and writes, whose records the query would read twice."""
    columns = "(id INT KEY, item STRING) WITH (KAFKA_TOPIC = '{}', VALUE_FORMAT = 'JSON', PARTITIONS = 1);"
    text = (
        f"CREATE STREAM a {columns.format('one')} INSERT INTO a SELECT id, item FROM orders;"
        f"CREATE OR REPLACE STREAM a {columns.format('two')} CREATE STREAM b {columns.format('one')}"
        "CREATE STREAM o AS SELECT id, item FROM {};"
    )
    assert codes(text.format("b")) == ["LSQ386"]
    assert codes(text.format("a")) == []


def test_the_time_of_a_record_may_be_one_of_its_columns() -> None:
    """Epoch milliseconds, a TIMESTAMP, or a text that TIMESTAMP_FORMAT reads."""
    source = "CREATE STREAM s (id INT KEY, at {}) WITH (KAFKA_TOPIC = 's', VALUE_FORMAT = 'JSON', TIMESTAMP = 'at'{});"
    query = "CREATE STREAM o AS SELECT id, ROWTIME AS t FROM s;"
    formatted = source.format("STRING", ", TIMESTAMP_FORMAT = 'yyyy-MM-dd'")
    assert rows(source.format("BIGINT", "") + query, Record("s", 1, {"AT": 5}, 9)) == [(1, {"T": 5})]
    assert rows(formatted + query, Record("s", 1, {"AT": "1970-01-02"}, 9)) == [(1, {"T": 86_400_000})]
    assert codes(source.format("INT", "") + query) == ["LSQ319"]
    assert codes(formatted.replace("yyyy", "bbbb") + query) == ["LSQ374"]


def test_windowed_sources_join_where_their_windows_are_the_same() -> None:
    """And the result has the window in its key."""
    source = """CREATE STREAM {0} (id INT KEY, {0} INT)
      WITH (KAFKA_TOPIC = '{0}', VALUE_FORMAT = 'JSON', WINDOW_TYPE = 'SESSION');"""
    join = "CREATE STREAM o AS SELECT a.id, a, b FROM a JOIN b WITHIN 1 SECOND ON a.id = b.id;"
    window = {"key": 1, "start": 0, "end": 5}
    records = (
        Record("a", window, {"A": 1}, 5),
        Record("b", {**window, "end": 6}, {"B": 2}, 6),
        Record("b", window, {"B": 3}, 5),
    )
    assert rows(source.format("a") + source.format("b") + join, *records) == [(window, {"A": 1, "B": 3})]


def test_a_record_has_a_partition_and_an_offset_in_its_topic() -> None:
    """Counted from 0 in each topic, before any condition; of a table those of the record that made the row."""
    records = (order(1, "pen"), user(1, "Rome"), order(2), user(2, "Oslo"), user(1, "Bern"), order(3, "ink"))
    program = """CREATE STREAM o AS SELECT id, ROWPARTITION AS p, ROWOFFSET AS n FROM orders WHERE item IS NOT NULL;
    CREATE TABLE u AS SELECT id, ROWOFFSET AS n FROM users WHERE ROWOFFSET > 0;"""
    assert rows(program, *records) == [(1, {"P": 0, "N": 0}), (3, {"P": 0, "N": 2})]
    assert rows(program, *records, topic="U") == [(1, {"N": 2}), (2, {"N": 1})]


def test_each_side_of_a_join_has_its_own_place() -> None:
    """Also where one topic is both sides; a side that is missing has none."""
    program = """CREATE STREAM o AS SELECT o.id, o.ROWOFFSET AS a, p.ROWOFFSET AS b, p.ROWPARTITION AS part
      FROM orders o LEFT JOIN payments p WITHIN 1 HOUR ON o.id = p.id;"""
    got = rows(program, order(9), order(1), payment(1, 5))
    assert [v for _, v in got] == [
        {"A": 0, "B": None, "PART": None}, {"A": 1, "B": None, "PART": None}, {"A": 1, "B": 0, "PART": 0},
    ]  # fmt: skip


def test_only_a_scan_that_is_asked_reads_places() -> None:
    """A projection on the way that nobody reads asks for nothing."""
    program = """CREATE STREAM a AS SELECT id, item, ROWOFFSET AS n FROM orders;
    CREATE STREAM o AS SELECT id, item FROM a;"""
    a, o = lsqlc.compile(SOURCES + program, dialect="ksql").tree().split("Sink O")
    assert ("where each record lies" in a, "where each record lies" in o) == (True, False)


def test_a_record_on_both_sides_of_a_join_meets_itself() -> None:
    """As the left one first: the right one has a match when it comes, its own."""
    program = """CREATE STREAM again (id INT KEY, paid INT) WITH (KAFKA_TOPIC = 'payments', VALUE_FORMAT = 'JSON');
    CREATE STREAM o AS SELECT p.id, p.paid AS a, q.paid AS b
      FROM payments p {} JOIN again q WITHIN 1 SECOND ON p.id = q.id;"""
    alone, met = (1, {"A": 5, "B": None}), (1, {"A": 5, "B": 5})
    assert rows(program.format("INNER"), payment(1, 5)) == [met]
    assert sorted(rows(program.format("LEFT"), payment(1, 5)), key=repr) == sorted([alone, met], key=repr)
    assert rows(program.format("RIGHT"), payment(1, 5)) == [met]


def sessions(*times: int, grace: str = "") -> list[tuple[object, object]]:
    """Each state of the sessions of one group, 10 ms apart at most, as a STREAM reads them."""
    program = f"""CREATE TABLE s AS
      SELECT id, COUNT(*) AS n FROM orders WINDOW SESSION (10 MILLISECONDS{grace}) GROUP BY id;
    CREATE STREAM c (id INT KEY, n BIGINT) WITH (KAFKA_TOPIC = 'S', VALUE_FORMAT = 'JSON', WINDOW_TYPE = 'SESSION');
    CREATE STREAM o AS SELECT * FROM c;"""
    return [
        ((k["start"], k["end"]), v and v["N"])  # type: ignore[index]
        for k, v in rows(program, *(order(1, "pen", at=at) for at in times))
    ]


def test_a_session_that_grows_or_merges_ends_those_before_it() -> None:
    """A deletion for each key that is no more, and the new session."""
    assert sessions(0, 4) == [((0, 0), 1), ((0, 0), None), ((0, 4), 2)]
    merged = sessions(0, 20, 10)
    assert merged[:2] == [((0, 0), 1), ((20, 20), 1)]
    assert sorted(merged[2:], key=repr) == sorted([((0, 0), None), ((20, 20), None), ((0, 20), 3)], key=repr)
    assert sessions(0, 8, 3) == [((0, 0), 1), ((0, 0), None), ((0, 8), 2), ((0, 8), 3)]


def test_a_session_is_open_for_its_gap_and_the_grace() -> None:
    """The last millisecond too. Then a record that is near begins another session."""
    grace = ", GRACE PERIOD 5 MILLISECONDS"
    assert sessions(0, 115, 100, grace=grace) == [((0, 0), 1), ((115, 115), 1), ((100, 100), 1)]
    assert sessions(0, 116, 100, grace=grace) == [((0, 0), 1), ((116, 116), 1)]
    assert sessions(0, 22, 8, grace=grace) == [((0, 0), 1), ((22, 22), 1), ((8, 8), 1)]
    assert ((0, 15), 3) in sessions(0, 15, 5, grace=grace)


def test_a_window_that_is_final_has_no_state_before() -> None:
    """Who reads the changes of a table that EMIT FINAL makes sees each window once."""
    program = """CREATE TABLE f AS
      SELECT id, COUNT(*) AS n FROM orders WINDOW TUMBLING (SIZE 10 MILLISECONDS) GROUP BY id EMIT FINAL;
    CREATE STREAM c (id INT KEY, n BIGINT)
      WITH (KAFKA_TOPIC = 'F', VALUE_FORMAT = 'JSON', WINDOW_TYPE = 'TUMBLING', WINDOW_SIZE = '10 MILLISECONDS');
    CREATE STREAM o AS SELECT * FROM c;"""
    got = rows(program, order(1), order(1), order(1, at=10))
    assert [(k["start"], v) for k, v in got] == [(0, {"N": 2}), (10, {"N": 1})]  # type: ignore[index]


def test_the_bounds_of_a_window_stand_in_expressions() -> None:
    """With the name of the source before them, or its alias, as without."""
    program = """CREATE TABLE o AS SELECT id, x.WINDOWSTART / 2 AS half, COUNT(*) * WINDOWEND AS n
      FROM orders x WINDOW TUMBLING (SIZE 10 MILLISECONDS) GROUP BY id;"""
    key = {"key": 1, "start": 10, "end": 20}
    assert rows(program, order(1, at=12), order(1, at=13)) == [(key, {"HALF": 5, "N": 40})]
    windowed = """CREATE STREAM w (id INT KEY, v INT)
      WITH (KAFKA_TOPIC = 'w', VALUE_FORMAT = 'JSON', WINDOW_TYPE = 'SESSION');
    CREATE TABLE o AS SELECT id, COUNT(*) AS n FROM w {} GROUP BY id {};"""
    assert codes(windowed.format("WHERE WINDOWSTART > 0", "")) == []
    assert codes(windowed.format("WINDOW SESSION (1 DAY) WHERE WINDOWSTART > 0", "")) == ["LSQ364"]
    assert codes(windowed.format("WINDOW SESSION (1 DAY)", "HAVING WINDOWSTART > 0")) == ["LSQ364"]
    assert codes(windowed.format("WINDOW SESSION (1 DAY)", "HAVING MIN(WINDOWSTART) > 0")) == ["LSQ364"]


def test_what_a_join_before_equated_with_its_key_holds_the_key_too() -> None:
    """An expression as well as a column; after a FULL JOIN nothing does."""
    program = """CREATE STREAM third (id INT KEY, c INT) WITH (KAFKA_TOPIC = 'third', VALUE_FORMAT = 'JSON');
    CREATE STREAM o AS SELECT orders.id, amount, paid, c FROM orders
      {} JOIN payments WITHIN 1 DAY ON orders.id = ABS(payments.id)
      JOIN third WITHIN 1 DAY ON ABS(payments.id) = ABS(third.id);"""
    records = (order(1, amount=1), payment(-1, 2), Record("third", 1, {"C": 3}))
    assert rows(program.format(""), *records) == [(1, {"AMOUNT": 1, "PAID": 2, "C": 3})]
    assert codes(program.format("FULL")) == ["LSQ350"]
    other = program.replace("ON ABS(payments.id) =", "ON ABS(payments.paid) =")
    assert codes(other.format("")) == ["LSQ350"]


def test_a_join_goes_on_by_the_key_where_the_column_that_on_names_is_null() -> None:
    """After a LEFT JOIN the records have the key of the left side, whichever of the equal columns ON names."""
    program = """CREATE STREAM third (id INT KEY, c INT) WITH (KAFKA_TOPIC = 'third', VALUE_FORMAT = 'JSON');
    CREATE STREAM o AS SELECT orders.id, amount, paid, c FROM orders
      LEFT JOIN payments WITHIN 1 DAY ON orders.id = payments.id
      LEFT JOIN third WITHIN 1 DAY ON payments.id = third.id;"""
    got = rows(program, Record("third", 1, {"C": 3}), order(1, amount=1))
    assert got == [(1, {"AMOUNT": 1, "PAID": None, "C": 3})]


STORED = """CREATE STREAM d (id INT KEY, v INT, w INT) WITH (KAFKA_TOPIC = 'd', VALUE_FORMAT = 'DELIMITED');
CREATE STREAM k (id INT KEY, v INT) WITH (KAFKA_TOPIC = 'k', VALUE_FORMAT = 'KAFKA');
"""


@pytest.mark.parametrize(
    ("call", "fits"),
    [
        ("COUNT(*)", True), ("COUNT(v)", True), ("SUM(v)", True), ("MIN(v)", True), ("MAX(v)", True),
        ("AVG(v)", False), ("STDDEV_SAMP(v)", False), ("STDDEV_SAMPLE(v)", False), ("CORRELATION(v, w)", False),
        ("COUNT_DISTINCT(v)", False), ("LATEST_BY_OFFSET(v)", False), ("EARLIEST_BY_OFFSET(v)", False),
        ("TOPK(v, 3)", False), ("TOPKDISTINCT(v, 3)", False), ("COLLECT_LIST(v)", False), ("COLLECT_SET(v)", False),
        ("HISTOGRAM(CAST(v AS STRING))", False), ("COUNT(ARRAY[v])", False), ("SUM(v) + AVG(v)", False),
    ],
)  # fmt: skip
def test_groups_are_stored_in_the_format_of_the_first_source(call: str, fits: bool) -> None:
    """DELIMITED holds what is one value of a primitive type, whatever the format of the result; JSON holds them all."""
    program = f"CREATE TABLE o WITH (VALUE_FORMAT = 'JSON') AS SELECT id, {call} AS c FROM d GROUP BY id;"
    assert codes(STORED + program) == ([] if fits else ["LSQ365"])
    assert codes(STORED.replace("DELIMITED", "JSON") + program) == []
    having = program.replace(f"{call} AS c", "COUNT(*) AS c").replace(";", f" HAVING {call} IS NULL;")
    assert codes(STORED + having) == ([] if fits else ["LSQ365"])


@pytest.mark.parametrize(
    "query",
    [
        "FROM k JOIN d WITHIN 1 DAY ON k.id = d.id", "FROM d LEFT JOIN k WITHIN 1 DAY ON k.id = d.id",
        "FROM k JOIN users ON k.id = users.id",
    ],
)  # fmt: skip
def test_values_stored_as_kafka_are_not_joined(query: str) -> None:
    """On either side, of a stream or a table."""
    assert "LSQ365" in codes(f"{STORED} CREATE STREAM o WITH (VALUE_FORMAT = 'JSON') AS SELECT * {query};")


def test_a_foreign_key_join_needs_no_equal_partitions() -> None:
    """The rows that it needs are asked for where they are; a join by keys does need them."""
    tables = """CREATE TABLE l (id INT PRIMARY KEY, r INT) WITH (KAFKA_TOPIC='l', VALUE_FORMAT='JSON', PARTITIONS=1);
    CREATE TABLE r (id INT PRIMARY KEY, v INT) WITH (KAFKA_TOPIC='r', VALUE_FORMAT='JSON', PARTITIONS=2);
    CREATE TABLE o AS SELECT l.id, v FROM l JOIN r ON {} = r.id;"""
    assert codes(tables.format("l.r")) == []
    assert codes(tables.format("l.id")) == ["LSQ360"]


def test_a_list_of_a_tables_rows_is_ordered_by_a_key_whose_columns_were_renamed() -> None:
    """What tells the rows apart has the names that it had in the topic."""
    program = """
        CREATE TABLE s (e INT PRIMARY KEY, f INT PRIMARY KEY, g INT)
        WITH (KAFKA_TOPIC = 's', KEY_FORMAT = 'JSON', VALUE_FORMAT = 'JSON');
        CREATE TABLE q AS SELECT e, f AS k, g FROM s;
        CREATE TABLE o AS SELECT g, COLLECT_LIST(k) AS ks FROM q GROUP BY g;
    """
    plan = lsqlc.compile(program, dialect="ksql")
    records = [Record("s", {"E": 1, "F": f}, {"G": 1}, 0) for f in (3, 2)]
    got = lsqlc.evaluate(plan, records)["O"]
    assert [r.value for r in got] == [{"KS": [2, 3]}]


@pytest.mark.parametrize(
    ("with_", "code"),
    [
        ("VALUE_FORMAT = 'JSON', WRAP_SINGLE_VALUE = TRUE", None),
        ("VALUE_FORMAT = 'DELIMITED', WRAP_SINGLE_VALUE = FALSE", None),
        ("VALUE_FORMAT = 'DELIMITED', WRAP_SINGLE_VALUE = TRUE", "LSQ374"),
        ("VALUE_FORMAT = 'KAFKA', WRAP_SINGLE_VALUE = TRUE", "LSQ374"),
        ("VALUE_FORMAT = 'PROTOBUF', WRAP_SINGLE_VALUE = FALSE", "LSQ374"),
        ("VALUE_FORMAT = 'JSON', WRAP_SINGLE_VALUE = 'maybe'", "LSQ374"),
        ("VALUE_FORMAT = 'DELIMITED', VALUE_DELIMITER = ';'", None),
        ("VALUE_FORMAT = 'DELIMITED', VALUE_DELIMITER = 'tab'", None),
        ("VALUE_FORMAT = 'DELIMITED', VALUE_DELIMITER = '<~>'", "LSQ374"),
        ("VALUE_FORMAT = 'DELIMITED', VALUE_DELIMITER = ' '", "LSQ374"),
        ("VALUE_FORMAT = 'JSON', VALUE_DELIMITER = ';'", "LSQ374"),
        ("FORMAT = 'JSON', VALUE_FORMAT = 'JSON'", "LSQ374"),
        ("FORMAT = 'JSON', KEY_FORMAT = 'KAFKA'", "LSQ374"),
    ],
)  # fmt: skip
def test_properties_of_storage_go_with_the_formats(with_: str, code: str | None) -> None:
    """Where columns are declared, and where a query makes them."""
    declared = f"CREATE STREAM s (id INT KEY, v INT) WITH (KAFKA_TOPIC = 's', {with_}); "
    derived = f"CREATE STREAM o WITH ({with_}) AS SELECT id, amount FROM orders;"
    made = "CREATE STREAM o AS SELECT id, item FROM orders;"
    for program in (declared + made, derived):
        assert codes(program) == ([code] if code else [])


def test_a_value_of_several_columns_is_never_unwrapped() -> None:
    """WRAP_SINGLE_VALUE speaks of one column."""
    assert codes("CREATE STREAM o WITH (WRAP_SINGLE_VALUE = FALSE) AS SELECT * FROM orders;") == ["LSQ374"]


def test_the_time_of_records_can_be_their_key() -> None:
    """TIMESTAMP names a column of the key or the value."""
    program = """CREATE STREAM s (at BIGINT KEY, v INT)
      WITH (KAFKA_TOPIC = 's', VALUE_FORMAT = 'JSON', TIMESTAMP = 'at');
    CREATE STREAM o AS SELECT at, v, ROWTIME AS t FROM s;"""
    assert rows(program, Record("s", 7, {"V": 1}, 3)) == [(7, {"V": 1, "T": 7})]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("`d2:t`", None), ('"d2:t"', None), ("s.`d2:t`", None), ("`S`.`d2:t`", None), ("at", None), ("`AT`", None),
        ("S.At", None), ("`at`", "LSQ201"), ("d2", "LSQ201"), ("d2:t", "LSQ374"), ("`d2:t", "LSQ374"),
        ("`d2:t` x", "LSQ374"), ("", "LSQ374"), ("1", "LSQ374"), ("'at'", "LSQ374"),
    ],
)  # fmt: skip
def test_the_time_of_records_is_named_as_in_an_expression(text: str, code: str | None) -> None:
    """In quotes by its exact name, else in upper case; the name of the stream may stand before it."""
    written = text.replace("'", "''")
    program = f"""CREATE STREAM s (k STRING KEY, `d2:t` BIGINT, at BIGINT)
      WITH (KAFKA_TOPIC = 's', VALUE_FORMAT = 'JSON', TIMESTAMP = '{written}');
    CREATE STREAM o AS SELECT k, ROWTIME AS t FROM s;"""
    assert codes(program) == ([code] if code else [])
    if code is None:
        time = 7 if "d2" in text else 9
        assert rows(program, Record("s", "k", {"d2:t": 7, "AT": 9}, 3)) == [("k", {"T": time})]


def test_a_name_without_its_quotes_is_shown_with_them() -> None:
    """In the property TIMESTAMP, as in ksqlDB."""
    program = """CREATE STREAM s (k STRING KEY, `Item` BIGINT)
      WITH (KAFKA_TOPIC = 's', VALUE_FORMAT = 'JSON', TIMESTAMP = 'Item');
    CREATE STREAM o AS SELECT * FROM s;"""
    with pytest.raises(CompileError) as refused:
        lsqlc.compile(program, dialect="ksql")
    assert refused.value.diagnostics[0].help == "write TIMESTAMP = '`Item`'"
