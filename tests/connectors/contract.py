"""The contract of a transport: what holds for any of them, and no trick of any one.

A test module subclasses `TransportContract` and gives the fixture `connect`: a function without arguments that connects
to one and the same set of topics, as another process would. `CountedContract` is for a log that counts the records of
all its topics, and keeps the ordinals of derived ones.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from lsqlc.connectors.transport import Transport
from lsqlc.diagnostics import LsqlcError
from lsqlc.types import data
from lsqlc.types.codec import ValueProblems
from lsqlc.types.ddl import parse_columns
from lsqlc.types.record import Facet, Raw, Record, StoredRecord, Topic

Connect = Callable[[], Transport]

COLUMNS = parse_columns("id INT NOT NULL, name STRING, price DECIMAL(10,2), at TIMESTAMP")
ORDERS = Topic("orders", Facet(data.STRING, "string"), Facet(COLUMNS, "json"))
TICKS = Topic("a.ticks-by_hour", Facet(data.NULL, "null"), Facet(data.BIGINT, "long"))
PAIRS = Topic("pairs", Facet(data.INT, "int"), Facet(data.INT, "int"), ordinal_width=2)


def order(id: int, name: str | None = None) -> Record:
    return Record("orders", f"k{id}", {"id": id, "name": name, "price": None, "at": None}, 1000 + id)


def tick(n: int) -> Record:
    return Record(TICKS.name, None, n, n)


def pair(n: int, *ordinal: int) -> StoredRecord:
    return StoredRecord("pairs", n, n, 0, ordinal)


def ids(transport: Transport) -> list[int]:
    return [r.value["id"] for r in transport.read(ORDERS)]


def _until(look: Callable[[], list[int]], wanted: list[int]) -> list[int]:
    """What is seen once it is as wanted, or in the end: brokers show a transaction a moment after it."""
    for _ in range(100):
        if look() == wanted:
            break
        time.sleep(0.1)
    return look()


class TransportContract:
    """Order, tombstones, replay, torn writes, readers, concurrent appenders."""

    def test_a_topic_that_nobody_wrote_is_empty(self, connect: Connect) -> None:
        """Reading is no error, and does not create it."""
        log = connect()
        assert list(log.read(ORDERS)) == []
        assert log.end(ORDERS) is None
        assert log.names() == ()

    def test_places_by_time(self, connect: Connect) -> None:
        """The first record whose time is at or after a time, whatever the times behind it; else behind the last one."""
        log = connect()
        assert log.place("orders", 1_000) == {}
        log.append(ORDERS, [order(1), order(5), order(3), order(7)])
        log.append(TICKS, [tick(1)])
        log.append(ORDERS, [order(2)])
        log.append(ORDERS, [order(9), order(8)])

        def behind(time: int | None) -> list[int]:
            with TemporaryDirectory() as folder:
                place = log.place("orders", time)
                found = log.segments_for(ORDERS, Path(folder), by_time=False, since=place)
                lines = [line for path in found for line in path.read_bytes().splitlines()]
                assert log.count("orders", place) >= len(lines)
                return sorted(json.loads(line)["value"]["id"] for line in lines)

        _until(lambda: behind(0), [1, 2, 3, 5, 7, 8, 9])
        assert behind(0) == [1, 2, 3, 5, 7, 8, 9]
        assert behind(1_002) == [2, 3, 5, 7, 8, 9]
        assert behind(1_004) == [2, 3, 5, 7, 8, 9]
        assert behind(1_006) == [2, 7, 8, 9]
        assert behind(1_008) == [8, 9]
        assert behind(1_010) == behind(None) == []
        last = log.place("orders", None)
        log.append(ORDERS, [order(4)])
        _until(lambda: [log.count("orders", last)], [1])
        assert 1 <= log.count("orders", last) <= 2

    def test_a_feed_takes_records_bit_by_bit(self, connect: Connect) -> None:
        """What was written stays when the feed ends in an error; what does not fit is said before it is written."""
        with pytest.raises(KeyError), connect().feed(ORDERS) as feed:
            feed.write([order(1), order(2)])
            feed.write([order(3)])
            feed.check(order(4))
            for wrong in (
                Record("orders", 1, None, 1),
                Record("orders", "k", {"id": None}, 1),
                Record("orders", timestamp=-1),
            ):
                with pytest.raises(ValueProblems):
                    feed.check(wrong)
            raise KeyError
        assert _until(lambda: ids(connect()), [1, 2, 3]) == [1, 2, 3]

    def test_records_of_several_topics_are_appended_together(self, connect: Connect) -> None:
        """All or none; who prepares sees what was appended before. Raw facets are written as they are."""
        log = connect()

        def numbers() -> list[int]:
            return [r.value for r in connect().read(TICKS)]

        def prepare() -> list[tuple[Topic, list[Record]]]:
            raw = Record("orders", "k", Raw('{"name":"é","id":7,"more":1}'), 5)
            return [(ORDERS, [raw]), (TICKS, [tick(len(numbers()))])]

        log.append_together("x", TICKS, prepare)
        connect().append_together("x", TICKS, prepare)
        assert numbers() == [0, 1]
        assert [(r.key, r.value["id"], r.value["name"]) for r in log.read(ORDERS)] == [("k", 7, "é")] * 2
        with pytest.raises(LsqlcError) as error:
            log.append_together("x", TICKS, lambda: [(ORDERS, [order(1)]), (TICKS, [Record(TICKS.name, None, "late")])])
        assert [d.code for d in error.value.diagnostics] == ["LSQ400"]
        assert numbers() == [0, 1] and ids(connect()) == [7, 7]

    def test_a_tail_gives_each_record_once(self, connect: Connect) -> None:
        """First those that are there, then those that came since."""
        tail = connect().tail(ORDERS)
        assert list(tail().records) == []
        connect().append(ORDERS, [order(1), order(2)])
        assert [r.value["id"] for r in tail().records] == [1, 2]
        connect().append(ORDERS, [order(3)])
        assert [r.value["id"] for r in tail().records] == [3]
        assert list(tail().records) == []

    def test_records_come_back_as_they_were(self, connect: Connect) -> None:
        """Key, value with all fields in order, timestamp, and the ordinals in order of arrival."""
        connect().append(ORDERS, [order(1, "é\n\u2028\U0001f600"), order(2)])
        first, second = connect().read(ORDERS)
        assert first == StoredRecord("orders", "k1", order(1, "é\n\u2028\U0001f600").value, 1001, first.ordinal)
        assert list(second.value) == ["id", "name", "price", "at"]
        assert first.ordinal < second.ordinal

    def test_headers_come_back_as_they_were(self, connect: Connect) -> None:
        """In their order, keys more than once, and values that are null; few records have any."""
        headers = (("b", b"\x00\xff"), ("a", b""), ("b", None), ('\u00e9"\n', b"1"))
        connect().append(ORDERS, [replace(order(1), headers=headers), order(2), replace(order(3), headers=())])
        assert [r.headers for r in connect().read(ORDERS)] == [headers, None, None]
        with pytest.raises(LsqlcError) as error:
            connect().append(ORDERS, [replace(order(4), headers=(("a", "text"),))])  # type: ignore[arg-type]
        assert [(d.code, d.message.partition(":")[0]) for d in error.value.diagnostics] == [
            ("LSQ400", "'orders' cannot take records[0].headers[0].value")
        ]

    def test_tombstones_and_null_keys_are_records(self, connect: Connect) -> None:
        """A null value is not a value of nulls, and a null key is kept."""
        nulls = {"id": 0, "name": None, "price": None, "at": None}
        connect().append(ORDERS, [Record("orders", "k", None), Record("orders", None, nulls)])
        assert [(r.key, r.value) for r in connect().read(ORDERS)] == [("k", None), (None, nulls)]

    def test_the_values_of_the_newest_records(self, connect: Connect) -> None:
        """As they are, without those of tombstones; of no topic there are none."""
        log = connect()
        assert not log.newest_values("orders", 3)
        log.append(ORDERS, [order(1, "a"), order(2, "b"), order(3, "c"), Record("orders", "k4", None, 1)])
        found = [json.loads(value)["name"] for value in log.newest_values("orders", 50)]
        assert sorted(found) == ["a", "b", "c"]
        assert all(json.loads(value)["name"] in "abc" for value in log.newest_values("orders", 2))

    def test_a_record_that_does_not_fit_stops_the_append(self, connect: Connect) -> None:
        """All problems are reported with the index of their record, and nothing is written, whatever the segments."""
        log = connect()
        log.append(ORDERS, [order(1)])
        bad = [order(2), Record("orders", 3, {"id": "x"}), order(4), Record("orders", "k", {"name": "y"}), order(5)]
        with pytest.raises(LsqlcError) as error:
            log.append(ORDERS, bad, segments_of=1)
        found = [(d.code, d.message) for d in error.value.diagnostics]
        assert found == [
            ("LSQ400", "'orders' cannot take records[1].key: expected STRING, found the int 3"),
            ("LSQ400", "'orders' cannot take records[1].value.id: expected INT, found the string 'x'"),
            ("LSQ400", "'orders' cannot take records[3].value.id: expected INT NOT NULL, found no such field"),
        ]
        assert ids(connect()) == [1]

    def test_a_write_that_breaks_off_leaves_nothing(self, connect: Connect) -> None:
        """When the records stop coming in the middle, none of them is there, and the next append works."""

        def broken() -> Iterator[Record]:
            yield from (order(n) for n in range(5))
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            connect().append(ORDERS, broken(), segments_of=2)
        assert ids(connect()) == []
        connect().append(ORDERS, [order(9)])
        assert ids(connect()) == [9]

    def test_a_reader_sees_what_was_there_when_it_began(self, connect: Connect) -> None:
        """Later appends do not come into a reading that has begun; two readers do not disturb each other."""
        log = connect()
        log.append(ORDERS, [order(1), order(2)])
        early, other = log.read(ORDERS), connect().read(ORDERS)
        assert next(early).value["id"] == 1
        connect().append(ORDERS, [order(3)])
        assert [r.value["id"] for r in other] == [1, 2]
        assert [r.value["id"] for r in early] == [2]
        assert ids(log) == [1, 2, 3]

    def test_a_replayed_batch_is_there_once(self, connect: Connect) -> None:
        """The first attempt wins, the replay is consumed and thrown away; a new generation is no replay."""
        log = connect()
        assert log.append_batch(PAIRS, [pair(1, 4, 0), pair(2, 4, 1)], generation="a", batch=0)
        replay = iter([pair(1, 4, 0), pair(2, 4, 1)])
        assert not connect().append_batch(PAIRS, replay, generation="a", batch=0)
        assert next(replay, None) is None
        assert [r.value for r in log.read(PAIRS)] == [1, 2]
        assert log.append_batch(PAIRS, [pair(3, 5, 0)], generation="a", batch=1)
        assert log.append_batch(PAIRS, [pair(4, 6, 0)], generation="b", batch=0)
        assert [r.value for r in log.read(PAIRS)] == [1, 2, 3, 4]

    def test_a_batch_that_does_not_fit_is_not_there_at_all(self, connect: Connect) -> None:
        """And may be tried again."""
        with pytest.raises(LsqlcError):
            connect().append_batch(PAIRS, [pair(1, 1, 0), pair(2, 1)], generation="a", batch=0)
        assert list(connect().read(PAIRS)) == []
        assert connect().append_batch(PAIRS, [pair(1, 1, 0)], generation="a", batch=0)

    def test_topics_are_listed_and_end_with_their_last_record(self, connect: Connect) -> None:
        """In order of their names; the end of a topic is the ordinal of its last record."""
        connect().append(ORDERS, [order(1)])
        connect().append(TICKS, [tick(1), tick(2)])
        log = connect()
        assert log.names() == (TICKS.name, "orders")
        assert log.end(ORDERS) == max(r.ordinal for r in log.read(ORDERS))
        assert log.end(TICKS) == max(r.ordinal for r in log.read(TICKS))

    def test_an_append_counts_its_records(self, connect: Connect) -> None:
        """Also for several segments and for nothing at all; they come in their order."""
        log = connect()
        assert log.append(ORDERS, (order(n) for n in range(10)), segments_of=3).count == 10
        assert log.append(ORDERS, []).count == 0
        assert ids(log) == list(range(10))

    def test_appenders_at_the_same_time_lose_nothing(self, connect: Connect) -> None:
        """Every record is there once, with an ordinal of its own, and the records of one append are in its order."""
        _append_at_once(connect)
        found = ids(connect())
        assert sorted(found) == list(range(80))
        assert all([n for n in found if n // 20 == w] == list(range(w * 20, w * 20 + 20)) for w in range(4))
        log = connect()
        for topic in (ORDERS, TICKS):
            ordinals = [r.ordinal for r in log.read(topic)]
            assert len(set(ordinals)) == 80 and ordinals == sorted(ordinals)

    def test_a_batch_comes_in_order_of_its_ordinals(self, connect: Connect) -> None:
        """Records of one ordinal in the order of their writing."""
        log = connect()
        log.append_batch(
            PAIRS, [pair(3, 10, 2), pair(1, 2, 9), pair(2, 10, 1), pair(4, 10, 2)], generation="a", batch=0
        )
        assert [r.value for r in log.read(PAIRS)] == [1, 2, 3, 4]

    def test_generations_belong_to_a_topic(self, connect: Connect) -> None:
        """A batch of one topic is no replay of that of another."""
        log = connect()
        assert log.append_batch(PAIRS, [pair(1, 4, 0)], generation="a", batch=0)
        other = StoredRecord(TICKS.name, None, 7, 0, (4,))
        assert log.append_batch(TICKS, [other], generation="a", batch=0)
        assert [r.value for r in log.read(TICKS)] == [7]

    def test_a_deleted_topic_is_gone(self, connect: Connect) -> None:
        """It may be filled again; what does not exist may be deleted."""
        log = connect()
        log.append(ORDERS, [order(1)])
        connect().delete("orders")
        connect().delete("orders")
        assert log.names() == () and list(log.read(ORDERS)) == []
        log.append(ORDERS, [order(2)])
        assert ids(connect()) == [2]


class CountedContract(TransportContract):
    """What holds besides where one counter numbers the records of all topics."""

    def test_ordinals_count_over_all_topics(self, connect: Connect) -> None:
        """What arrives later has a higher ordinal, in whichever topic and from whichever connection."""
        connect().append(ORDERS, [order(1)])
        connect().append(TICKS, [tick(1), tick(2)])
        connect().append(ORDERS, [order(2)])
        log = connect()
        places = [(r.ordinal, r.topic) for t in (ORDERS, TICKS) for r in log.read(t)]
        assert [topic for _, topic in sorted(places)] == ["orders", TICKS.name, TICKS.name, "orders"]
        assert log.end(ORDERS) == max(places)[0]
        assert log.names() == (TICKS.name, "orders")

    def test_an_append_says_which_ordinals_it_gave(self, connect: Connect) -> None:
        """From `first` up to `end`, also for several segments and for nothing at all."""
        log = connect()
        done = log.append(ORDERS, (order(n) for n in range(10)), segments_of=3)
        assert done.first is not None and done.end is not None
        assert done.count == 10 and done.end - done.first == 10
        assert [r.ordinal for r in log.read(ORDERS)] == [(n,) for n in range(done.first, done.end)]
        assert log.append(ORDERS, []).count == 0
        assert ids(log) == list(range(10))

    def test_appenders_at_the_same_time_do_not_mix(self, connect: Connect) -> None:
        """Every record is there once, every ordinal is given once, and the records of one append stay together."""
        _append_at_once(connect)
        found = ids(connect())
        assert sorted(found) == list(range(80))
        assert all(found[i : i + 20] == list(range(found[i], found[i] + 20)) for i in range(0, 80, 20))
        log = connect()
        ordinals = [r.ordinal for t in (ORDERS, TICKS) for r in log.read(t)]
        assert len(set(ordinals)) == 160

    def test_derived_records_come_in_order_of_ordinals(self, connect: Connect) -> None:
        """Not in that of batches; records of one ordinal in the order of their writing."""
        log = connect()
        log.append_batch(PAIRS, [pair(3, 10, 2), pair(1, 2, 9)], generation="a", batch=0)
        log.append_batch(PAIRS, [pair(2, 10, 1), pair(4, 10, 2)], generation="a", batch=1)
        assert [r.value for r in log.read(PAIRS)] == [1, 2, 3, 4]
        assert log.end(PAIRS) == (10, 2)

    def test_a_deleted_topic_is_gone_and_its_ordinals_are_not_used_again(self, connect: Connect) -> None:
        """Also if it is filled again; what does not exist may be deleted."""
        log = connect()
        done = log.append(ORDERS, [order(1)])
        connect().delete("orders")
        connect().delete("orders")
        assert log.names() == () and list(log.read(ORDERS)) == []
        after = log.append(ORDERS, [order(2)])
        assert after.first is not None and done.end is not None
        assert after.first >= done.end


def _append_at_once(connect: Connect) -> None:
    """Four appenders of twenty records to each of two topics."""
    threads = [
        threading.Thread(
            target=lambda w=w: [connect().append(t, _records(t, w), segments_of=7) for t in (ORDERS, TICKS)]
        )
        for w in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _records(topic: Topic, worker: int) -> list[Record]:
    return [(order if topic is ORDERS else tick)(worker * 20 + n) for n in range(20)]
