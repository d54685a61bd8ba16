"""The aggregations document: groups and their keys, aggregates of STREAM and TABLE, WHERE and HAVING, windows."""

from __future__ import annotations

from typing import Any

import pytest

from lsqlc import Record, Topic, compile, evaluate
from tests.documents.programs import codes, run, schema

VALUE = "country STRING, points INT, big BIGINT, score DOUBLE, at TIMESTAMP, home STRUCT<city: STRING, zip: STRING>"
TOPICS = (
    Topic("games", "STRING", VALUE),
    Topic("pairs", "a INT, b STRING", "n INT"),
    Topic("avro", {"format": "avro", "schema": "k INT"}, {"format": "avro", "schema": VALUE}),
    Topic("levels", "STRING", "INT"),
)
NOTHING = dict.fromkeys(("country", "points", "big", "score", "at", "home"))


def game(player: str | None, country: str | None, points: int | None, time: int = 0, **more: Any) -> Record:
    return Record("games", player, NOTHING | {"country": country, "points": points} | more, time)


PLAYED = (
    game("billy", "uk", 50, 1_000),
    game("billy", "uk", 90, 2_000),
    game("willy", "uk", 70, 3_000),
    game("john", "usa", 50, 4_000),
    game("billy", "spain", 90, 5_000),
)


def groups(text: str, log: tuple[Record, ...] = PLAYED) -> dict[Any, Any]:
    """The value of each group; of a struct of one field, that field."""
    found = {}
    for key, value in run(text, TOPICS, log):
        key = tuple(key.values()) if isinstance(key, dict) else key
        found[key] = next(iter(value.values())) if isinstance(value, dict) and len(value) == 1 else value
    return found


# Projections


@pytest.mark.parametrize(
    ("projection", "uk"),
    [
        ("COUNT(*) AS x", 3),
        ("COUNT(*)", 3),
        ("COUNT(*) AS x.y", {"y": 3}),
        ("COUNT(*) AS _value", 3),
        ("COUNT(*) AS _value.x", 3),
        ("CAST(COUNT(*) AS STRING) AS stringed", "3"),
        ("SUM(points) / COUNT(*) AS mean", 70),
        ("AVG(points) AS mean", 70.0),
        ("COUNT(*) + COUNT(points) * 2 AS x", 9),
        ("CASE WHEN COUNT(*) > 2 THEN UPPER(country) ELSE 'few' END AS x", "UK"),
        ("COALESCE(SUM(score), 0.5) AS x", 0.5),
        ("SUM(points + 1) AS x", 213),
        ("SUM(CASE WHEN points > 60 THEN 1 ELSE 0 END) AS x", 2),
        ("COUNT(games._key) AS x", 3),
        ("[COUNT(*), SUM(points)] AS x", [3, 210]),
    ],
)
def test_an_aggregated_projection(projection: str, uk: Any) -> None:
    """An aggregate anywhere in an expression; named and placed like any other, but never in the key."""
    assert groups(f"SELECT STREAM {projection} FROM games GROUP BY country")["uk"] == uk


@pytest.mark.parametrize(
    ("projection", "group", "value"),
    [
        ("country", "country", "uk"),
        ("games.country AS c", "country", "uk"),
        ("UPPER(country) AS c", "country", "UK"),
        ("UPPER(country) AS c", "UPPER(country)", "UK"),
        ("CONCAT(upper(games.country), '!') AS c", "UPPER(country)", "UK!"),
        ("points + 1 + 1 AS c", "points + 1", 52),
        ("7 AS c", "country", 7),
        ("NULL AS c", "country", None),
        ("country AS c", "country AS renamed", "uk"),
        ("points AS c", "country, points", 50),
        ("games._key AS c", "games._key", "billy"),
        ("home.city AS c", "home", "london"),
        ("home.city AS c", "home.city", "london"),
        ("_value.home.zip AS c", "home AS h, points", "w1"),
    ],
)
def test_a_plain_projection(projection: str, group: str, value: Any) -> None:
    """What is grouped by, a part of it, constants, and what is computed from them."""
    log = [game("billy", "uk", 50, home={"city": "london", "zip": "w1"})]
    ((_, found),) = run(f"SELECT STREAM {projection}, COUNT(*) AS n FROM games GROUP BY {group}", TOPICS, log)
    assert list(found.values()) == [value, 1]


@pytest.mark.parametrize("group", ["country", "country AS c", "points, country", "country AS c, points"])
@pytest.mark.parametrize("window", ["", "WINDOW BY TUMBLE 1h"])
def test_the_name_of_a_plain_projection(group: str, window: str) -> None:
    """That of its field, whatever the key calls it."""
    text = f"SELECT STREAM country, games.country AS d, COUNT(*) AS n FROM games {window} GROUP BY {group}"
    assert schema(text, TOPICS)[1] == "STRUCT<country: STRING, d: STRING, n: BIGINT NOT NULL> (json)"


def test_a_wildcard_over_what_is_grouped() -> None:
    """Where GROUP BY has all of its fields."""
    log = [Record("pairs", {"a": 1, "b": "x"}, {"n": 5}), Record("pairs", {"a": 1, "b": "y"}, {"n": 5})]
    assert run("SELECT STREAM *, COUNT(*) AS c FROM pairs GROUP BY n", TOPICS, log) == [(5, {"n": 5, "c": 2})]
    text = "SELECT STREAM pairs._key.*, COUNT(*) AS c FROM pairs GROUP BY pairs._key"
    assert run(text, TOPICS, log)[0] == ({"a": 1, "b": "x"}, {"a": 1, "b": "x", "c": 1})


# Keys


@pytest.mark.parametrize(
    ("source", "group", "key"),
    [
        ("games", "points", "INT (int)"),
        ("games", "country", "STRING (string)"),
        ("games", "big", "BIGINT (long)"),
        ("games", "points > 50", "BOOLEAN (boolean)"),
        ("games", "CAST(country AS INT)", "INT (int)"),
        ("games", "home.city", "STRING (string)"),
        ("games", "home", "STRUCT<city: STRING, zip: STRING> (json)"),
        ("games", "points AS keep_me", "STRUCT<keep_me: INT> (json)"),
        ("games", "points AS keep-me", "STRUCT<`keep-me`: INT> (json)"),
        ("games", "country, points", "STRUCT<country: STRING, points: INT> (json)"),
        ("games", "country AS c, points + 1", "STRUCT<c: STRING, `points + 1`: INT> (json)"),
        ("games", "home.city, points AS p", "STRUCT<city: STRING, p: INT> (json)"),
        ("games", "games._key", "STRING (string)"),
        ("games", "games._key AS k", "STRUCT<k: STRING> (json)"),
        ("pairs", "pairs._key", "STRUCT<a: INT, b: STRING> (json)"),
        ("pairs", "pairs._key.a", "INT (int)"),
        ("pairs", "pairs._key.a, n", "STRUCT<a: INT, n: INT> (json)"),
        ("avro", "points", "INT (int)"),
        ("avro", "points AS keep_me", "STRUCT<keep_me: INT> (avro)"),
        ("avro", "country, points", "STRUCT<country: STRING, points: INT> (avro)"),
        ("avro", "home", "STRUCT<city: STRING, zip: STRING> (avro)"),
        ("levels", "levels._value", "INT (int)"),
        ("levels", "_value AS v", "STRUCT<v: INT> (json)"),
    ],
)
def test_the_key_of_a_group(source: str, group: str, key: str) -> None:
    """The bare value of one expression, a struct of several, or of one with alias; in the format of the source."""
    assert schema(f"SELECT STREAM COUNT(*) AS n FROM {source} GROUP BY {group}", TOPICS)[0] == key


def test_the_value_follows_the_source() -> None:
    """A struct in its format, or a bare value."""
    assert schema("SELECT TABLE SUM(points) AS s FROM avro GROUP BY country", TOPICS)[1] == "STRUCT<s: BIGINT> (avro)"
    assert schema("SELECT TABLE AVG(points) AS _value FROM avro GROUP BY country", TOPICS)[1] == "DOUBLE (double)"


def test_a_null_group_is_none() -> None:
    """It is dropped; a struct with a null field is a group like others."""
    log = (game("a", None, 1), game("b", "uk", 1), game("c", None, None))
    assert groups("SELECT STREAM COUNT(*) AS n FROM games GROUP BY country", log) == {"uk": 1}
    assert groups("SELECT STREAM COUNT(*) AS n FROM games GROUP BY country AS c", log) == {("uk",): 1, (None,): 2}
    both = {("uk", 1): 1, (None, 1): 1, (None, None): 1}
    assert groups("SELECT STREAM COUNT(*) AS n FROM games GROUP BY country, points", log) == both


# Semantics


def test_the_result_is_a_table() -> None:
    """After STREAM and after TABLE, over a topic and over what a WITH names."""
    for source in ("games", "w"):
        for word in ("STREAM", "TABLE"):
            text = f"WITH w AS (SELECT STREAM * FROM games); SELECT {word} COUNT(*) AS n FROM {source} GROUP BY country"
            assert compile(text, topics=TOPICS).semantics["result"] == "TABLE"


AGGREGATES = {
    "COUNT(*)": (3, 1),
    "COUNT(points)": (3, 1),
    "SUM(points)": (210, 70),
    "AVG(points)": (70.0, 70.0),
    "COLLECT(points, 2)": ([50, 90], [70]),
    "COLLECT_UNIQUE(points, 9)": ([50, 90, 70], None),
    "FIRST(points)": (50, None),
    "LAST(points)": (70, None),
    "MAXK(points, 1)": (90, None),
    "MAXK(points, 2)": ([90, 70], None),
    "MINK(points, 1)": (50, None),
    "MINK(points, 2)": ([50, 70], None),
    "MAXK_UNIQUE(points, 2)": ([90, 70], None),
    "MINK_UNIQUE(points, 1)": (50, None),
}


@pytest.mark.parametrize("call", AGGREGATES)
def test_which_aggregates_a_table_allows(call: str) -> None:
    """Of a STREAM every record counts; of a TABLE the newest of each player, if what left can be taken back."""
    stream, table = AGGREGATES[call]
    text = f"SELECT {{}} {call} AS x FROM games GROUP BY country"
    assert groups(text.format("STREAM"))["uk"] == stream
    if table is None:
        assert codes(text.format("TABLE"), TOPICS) == ["LSQ314"]
        named = text.format("TABLE").replace("games", "named")
        assert codes(f"WITH named AS (SELECT STREAM * FROM games); {named}", TOPICS) == ["LSQ314"]
    else:
        assert groups(text.format("TABLE"))["uk"] == table


def test_nulls_in_aggregates() -> None:
    """They are skipped; of no value SUM and AVG are null, COUNT is 0, and a list is empty."""
    log = (game("a", "uk", None), game("b", "uk", 4), game("c", "fr", None))
    for word in ("STREAM", "TABLE"):
        text = f"""SELECT {word} COUNT(*) AS n, COUNT(points) AS c, SUM(points) AS s, AVG(points) AS a,
            COLLECT(points, 5) AS l FROM games GROUP BY country"""
        assert [(k, *v.values()) for k, v in run(text, TOPICS, log)] == [
            ("fr", 1, 0, None, None, []),
            ("uk", 2, 1, 4, 4.0, [4]),
        ]
    text = """SELECT STREAM MAXK(points, 1) AS m, MINK(points, 2) AS s, FIRST(points) AS f, LAST(points) AS l
        FROM games GROUP BY country"""
    assert [(k, *v.values()) for k, v in run(text, TOPICS, log)] == [
        ("fr", None, [], None, None),
        ("uk", 4, [4], None, 4),
    ]


def test_a_total_that_does_not_fit() -> None:
    """It is null, whatever the order of its parts, and comes back once they fit; integers sum to LONG."""
    most = 2**63 - 1
    log = (game("a", "uk", 1, big=most), game("b", "uk", 1, big=1))
    for word in ("STREAM", "TABLE"):
        text = f"SELECT {word} SUM(big) AS s FROM games GROUP BY country"
        assert groups(text, log) == {"uk": None}
        assert groups(text, (*log, game("c", "uk", 1, big=-1))) == {"uk": most}
    assert schema("SELECT TABLE SUM(points) AS s FROM games GROUP BY country", TOPICS)[1].startswith(
        "STRUCT<s: BIGINT>"
    )


def test_a_row_that_moves_deletes_what_it_leaves() -> None:
    """A group without rows is gone; a deleted row, and one whose group is null, are in none."""
    text = "SELECT TABLE COUNT(*) AS n, SUM(points) AS s FROM games GROUP BY country"
    log = [game("a", "uk", 1), game("a", "fr", 2)]
    assert run(text, TOPICS, log) == [("fr", {"n": 1, "s": 2})]
    assert run(text, TOPICS, [*log, Record("games", "a", None)]) == []
    assert run(text, TOPICS, [*log, game("a", None, 2)]) == []
    assert run(text, TOPICS, [*log, game("a", "uk", 3)]) == [("uk", {"n": 1, "s": 3})]


def test_records_that_are_no_rows() -> None:
    """Without value they are not counted; without key they are no row of a TABLE."""
    log = (game(None, "uk", 1), Record("games", "a", None), game("b", "uk", 2))
    assert groups("SELECT STREAM COUNT(*) AS n FROM games GROUP BY country", log) == {"uk": 2}
    assert groups("SELECT TABLE COUNT(*) AS n FROM games GROUP BY country", log) == {"uk": 1}


# Filters


def test_where_filters_what_is_grouped() -> None:
    """Records of a STREAM; of a TABLE a row that ceases to satisfy it leaves its group."""
    text = "SELECT {} COUNT(*) AS n FROM games WHERE points > 60 GROUP BY country"
    assert groups(text.format("STREAM")) == {"uk": 2, "spain": 1}
    assert groups(text.format("TABLE")) == {"uk": 1, "spain": 1}
    assert groups(text.format("TABLE"), (*PLAYED, game("willy", "uk", 60))) == {"spain": 1}


@pytest.mark.parametrize(
    ("projections", "having", "countries"),
    [
        ("COUNT(*) AS n", "n > 1", {"uk"}),
        ("COUNT(*) AS n", "COUNT(*) > 1", {"uk"}),
        ("COUNT(*)", "COUNT(*) > 1", {"uk"}),
        ("COUNT(*) AS n-games", "n-games > 1", {"uk"}),
        ("COUNT(*) AS x.n", "x.n > 1", {"uk"}),
        ("COUNT(*) AS _value.n", "n > 1", {"uk"}),
        ("COUNT(*) AS _value", "COUNT(*) > 1", {"uk"}),
        ("SUM(points) AS points", "points > 60", {"uk", "spain"}),
        ("COUNT(*) AS country", "country > 1", {"uk"}),
        ("COUNT(*) AS n, SUM(points) AS s", "n = 1 AND s / COUNT(*) = 90", {"spain"}),
        ("COUNT(*) AS n", "NOT (n > 1) OR n IS NULL", {"usa", "spain"}),
        ("SUM(score) AS s", "s > 0", set()),
        ("SUM(score) AS s", "s IS NULL", {"uk", "usa", "spain"}),
        ("CONCAT(country, CAST(COUNT(*) AS STRING)) AS s", "s = 'uk3'", {"uk"}),
    ],
)
def test_having_filters_groups(projections: str, having: str, countries: set[str]) -> None:
    """By the aggregates of the SELECT: their aliases, or the same again."""
    assert set(groups(f"SELECT STREAM {projections} FROM games GROUP BY country HAVING {having}")) == countries


def test_a_group_that_ceases_to_satisfy_having_is_deleted() -> None:
    """And is there again when it does; read as changes, there is a null in between."""
    text = "SELECT TABLE COUNT(*) AS n FROM games GROUP BY country HAVING n > 1"
    log = [game("a", "uk", 1, 1), game("b", "uk", 1, 2)]
    away = [*log, game("a", "fr", 1, 3)]
    assert run(text, TOPICS, log) == [("uk", {"n": 2})]
    assert run(text, TOPICS, away) == []
    assert run(text, TOPICS, [*away, game("c", "uk", 1, 4)]) == [("uk", {"n": 2})]
    changes = f"WITH t AS ({text}); SELECT STREAM * FROM t"
    assert [v for _, v in run(changes, TOPICS, away)] == [{"n": 2}, None]


# Windows


def windows(window: str, *times: float) -> list[tuple[int, int, int]]:
    """Start, end and count of each window, for records of one group at these seconds."""
    text = f"SELECT STREAM COUNT(*) AS n FROM games WINDOW BY {window} GROUP BY country"
    log = [game("a", "uk", 1, int(1000 * t)) for t in times]
    return [(k["start"], k["end"], v["n"]) for k, v in run(text, TOPICS, log)]


@pytest.mark.parametrize(
    ("window", "times", "expected"),
    [
        ("TUMBLE 10s", (0, 9.999, 10, 25), [(0, 10_000, 2), (10_000, 20_000, 1), (20_000, 30_000, 1)]),
        ("TUMBLE 7s", (6, 7, 13), [(0, 7_000, 1), (7_000, 14_000, 2)]),
        ("TUMBLE 500ms", (0.4, 0.5, 0.9), [(0, 500, 1), (500, 1_000, 2)]),
        ("TUMBLE 1m", (59, 60), [(0, 60_000, 1), (60_000, 120_000, 1)]),
        ("TUMBLE 1h", (3_599, 3_600), [(0, 3_600_000, 1), (3_600_000, 7_200_000, 1)]),
        ("TUMBLE 1d", (86_399, 86_400), [(0, 86_400_000, 1), (86_400_000, 172_800_000, 1)]),
        ("tumble 10S", (5,), [(0, 10_000, 1)]),
        ("HOP 10s, 5s", (0, 5, 12), [(0, 10_000, 2), (5_000, 15_000, 2), (10_000, 20_000, 1)]),
        ("HOP 10s BY 5s", (7,), [(0, 10_000, 1), (5_000, 15_000, 1)]),
        ("HOP 10s,10s", (5, 15), [(0, 10_000, 1), (10_000, 20_000, 1)]),
        ("HOP 10s, 4s", (9, 3), [(0, 10_000, 2), (4_000, 14_000, 1), (8_000, 18_000, 1)]),
        ("SESSION 5s", (1, 6, 11), [(1_000, 11_000, 3)]),
        ("SESSION 5s", (1, 6.001, 20), [(1_000, 1_000, 1), (6_001, 6_001, 1), (20_000, 20_000, 1)]),
        ("SESSION 5s", (1, 10, 5.5), [(1_000, 10_000, 3)]),
        ("SESSION 5s", (3, 1), [(1_000, 3_000, 2)]),
    ],
)
def test_a_window(window: str, times: tuple[float, ...], expected: list[tuple[int, int, int]]) -> None:
    """From the epoch on, the start within and the end without; a session from its first record to its last."""
    assert windows(window, *times) == expected


@pytest.mark.parametrize(
    ("window", "times", "counted"),
    [
        # The window until 10 s is over once its end and the grace have arrived.
        ("TUMBLE 10s GRACE BY 0s", (9, 10, 5), 2),
        ("TUMBLE 10s GRACE BY 0s", (9, 9.999, 5), 3),
        ("TUMBLE 10s GRACE BY 5s", (9, 14.999, 5), 3),
        ("TUMBLE 10s GRACE BY 5s", (9, 15, 5), 2),
        ("TUMBLE 10s GRACE BY 1m", (9, 69, 5), 3),
        # A day where nothing is said.
        ("TUMBLE 10s", (9, 86_409, 5), 3),
        ("TUMBLE 10s", (9, 86_410, 5), 2),
        # The record counts in the later window, no longer in the earlier one.
        ("HOP 10s, 5s GRACE BY 0s", (12, 6), 2 + 1),
        # A session's record is late by its own time.
        ("SESSION 5s GRACE BY 3s", (10, 13, 10), 2),
        ("SESSION 5s GRACE BY 3s", (10, 13, 10.001), 3),
    ],
)
def test_grace(window: str, times: tuple[float, ...], counted: int) -> None:
    """A record is late once its window's end and the grace are at or below the newest time before it."""
    counts = [count for _, _, count in windows(window, *times)]
    assert sum(counts) == counted


def test_lateness_is_that_of_all_records() -> None:
    """The time of another group makes a record late as well."""
    text = "SELECT STREAM COUNT(*) AS n FROM games WINDOW BY TUMBLE 10s GRACE BY 0s GROUP BY country"
    log = [game("a", "uk", 1, 1_000), game("b", "fr", 1, 10_000), game("c", "uk", 1, 2_000)]
    assert [(k["key"], v["n"]) for k, v in run(text, TOPICS, log)] == [("fr", 1), ("uk", 1)]


@pytest.mark.parametrize(
    ("window", "group", "key"),
    [
        ("TUMBLE 1h", "country", "STRUCT<key: STRING, start: BIGINT NOT NULL, end: BIGINT NOT NULL> (tw[string])"),
        ("HOP 2h, 1h", "points", "STRUCT<key: INT, start: BIGINT NOT NULL, end: BIGINT NOT NULL> (tw[int])"),
        ("SESSION 1h", "points AS p",
         "STRUCT<key: STRUCT<p: INT>, start: BIGINT NOT NULL, end: BIGINT NOT NULL> (sw[json])"),
    ],
)  # fmt: skip
def test_a_windowed_key(window: str, group: str, key: str) -> None:
    """The group with the bounds of its window; tumbling and hopping windows have one format, sessions another."""
    assert schema(f"SELECT STREAM COUNT(*) AS n FROM games WINDOW BY {window} GROUP BY {group}", TOPICS)[0] == key


def test_a_windowed_key_downstream() -> None:
    """Its parts are fields of the key; the group can be projected and grouped by again."""
    counted = "WITH w AS (SELECT STREAM country, COUNT(*) AS n FROM games WINDOW BY TUMBLE 2s GROUP BY country); "
    text = counted + "SELECT TABLE _key.key AS c, _key.start AS s, _key.end AS e, country, n FROM w"
    assert [tuple(v.values()) for _, v in run(text, TOPICS, PLAYED)] == [
        ("spain", 4_000, 6_000, "spain", 1),
        ("uk", 0, 2_000, "uk", 1),
        ("uk", 2_000, 4_000, "uk", 2),
        ("usa", 4_000, 6_000, "usa", 1),
    ]
    assert groups(counted + "SELECT TABLE SUM(n) AS n FROM w GROUP BY w._key.key") == {"spain": 1, "uk": 3, "usa": 1}
    assert groups(counted + "SELECT TABLE COUNT(*) AS n FROM w GROUP BY w._key.start") == {0: 1, 2_000: 1, 4_000: 2}


def test_having_of_windows() -> None:
    """Each window for itself."""
    text = "SELECT STREAM COUNT(*) AS n FROM games WINDOW BY TUMBLE 2s GROUP BY country HAVING n > 1"
    assert [(k["key"], k["start"]) for k, _ in run(text, TOPICS, PLAYED)] == [("uk", 2_000)]


@pytest.mark.parametrize(
    "time", ["at", "big", "points", "CAST(at AS LONG)", "big + 0", "COALESCE(big, 0)", "_value.big", "games.big"]
)
def test_event_time(time: str) -> None:
    """A field or expression that is epoch milliseconds, a DATE or a TIMESTAMP replaces the record's own time."""
    from datetime import UTC, datetime

    log = [
        game("a", "uk", 61_000, 5, big=61_000, at=datetime.fromtimestamp(61, UTC)),
        game("a", "uk", 1_000, 6, big=1_000, at=datetime.fromtimestamp(1, UTC)),
    ]
    text = f"SELECT STREAM COUNT(*) AS n FROM games EVENTTIME BY {time} WINDOW BY TUMBLE 1m GROUP BY country"
    assert [(k["start"], v["n"]) for k, v in run(text, TOPICS, log)] == [(0, 1), (60_000, 1)]


def test_event_time_of_a_stream_that_is_not_grouped() -> None:
    """Its records carry it on, from the key as well."""
    plan = compile("SELECT STREAM n FROM pairs EVENTTIME BY _key.a * 1000", topics=TOPICS)
    log = [Record("pairs", {"a": 7, "b": "x"}, {"n": 1}, 5)]
    assert [r.timestamp for r in evaluate(plan, log)["result"]] == [7_000]


def test_clauses_before_the_groups_stand_in_any_order() -> None:
    """WHERE, EVENTTIME BY and WINDOW BY mean the same wherever they stand."""
    clauses = ("EVENTTIME BY big", "WHERE points > 1", "WINDOW BY TUMBLE 1h")
    texts = [
        f"SELECT STREAM COUNT(*) AS n FROM games {a} {b} {c} GROUP BY country"
        for a, b, c in (clauses, clauses[::-1], (clauses[1], clauses[0], clauses[2]))
    ]
    assert len({compile(text, topics=TOPICS).fingerprint for text in texts}) == 1
