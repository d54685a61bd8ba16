"""Where batches end so that no partition is ahead of the others in time."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence

from hypothesis import given
from hypothesis import strategies as st

from lsqlc.connectors.aligned import FirstFrom, Partition, Spans, Unread, aligned_ends, is_apart

DAY = 86_400_000
_TIMES = st.lists(st.integers(0, 300), max_size=40).map(sorted)


def searching(times: Mapping[Partition, Sequence[int]]) -> FirstFrom:
    """What brokers answer for partitions that hold records of these times, in order, from offset 0 on."""

    def search(asked: Mapping[Partition, int]) -> Mapping[Partition, int]:
        found = {at: bisect_left(times[at], time) for at, time in asked.items()}
        return {at: offset for at, offset in found.items() if offset < len(times[at])}

    return search


def partitions(*times: Sequence[int], topic: str = "t") -> dict[Partition, Sequence[int]]:
    return {(topic, number): each for number, each in enumerate(times)}


def spans(times: Mapping[Partition, Sequence[int]], read: Mapping[Partition, int] | None = None) -> Spans:
    return {at: ((read or {}).get(at, 0), len(each)) for at, each in times.items()}


def test_a_batch_ends_at_one_time() -> None:
    """What the partitions hold of it is not the same share of each."""
    held = partitions([*range(0, 100)], [*range(90, 100)])
    (ends,) = aligned_ends([Unread(spans(held), 50)], searching(held))
    assert 45 <= ends["t", 0] <= 50 and ends["t", 1] == 0


def test_sources_end_at_one_time() -> None:
    """Each takes no more than it may: the one that has more records of that time decides."""
    one, other = partitions([*range(100)], topic="a"), partitions([*range(0, 100, 10)], topic="b")
    sources = [Unread(spans(one), 20), Unread(spans(other), 20)]
    first, second = aligned_ends(sources, searching(one | other))
    assert 18 <= first["a", 0] <= 20 and second["b", 0] == 2


def test_many_records_of_one_millisecond_are_divided() -> None:
    held = partitions([5] * 60, [5] * 20, [6])
    (ends,) = aligned_ends([Unread(spans(held), 8)], searching(held))
    assert ends == {("t", 0): 6, ("t", 1): 2, ("t", 2): 0}


@given(st.lists(_TIMES, min_size=1, max_size=4), st.integers(1, 30))
def test_batches_read_everything_in_order_of_time(times: list[list[int]], most: int) -> None:
    """No record that is left is older than one that was read, but for records of one millisecond that are divided; and
    each batch has records, of one source no more than it may and one of each partition for what is rounded.
    """
    held = partitions(*times)
    read = dict.fromkeys(held, 0)
    while any(read[at] < len(each) for at, each in held.items()):
        (ends,) = aligned_ends([Unread(spans(held, read), most)], searching(held))
        assert all(read[at] <= ends[at] <= len(each) for at, each in held.items())
        assert 0 < sum(ends.values()) - sum(read.values()) <= most + len(held)
        read = ends
        done = [each[read[at] - 1] for at, each in held.items() if read[at]]
        left = [each[read[at]] for at, each in held.items() if read[at] < len(each)]
        assert not left or max(done) <= min(left)


def test_a_partition_that_was_added_is_apart() -> None:
    held = partitions([day * DAY for day in range(30)], [29 * DAY + n for n in range(300)])
    assert is_apart([Unread(spans(held), 50)], searching(held), DAY)
    # One batch reads it all, and so do those of a grace that is longer than all of it.
    assert not is_apart([Unread(spans(held), 330)], searching(held), DAY)
    assert not is_apart([Unread(spans(held), 50)], searching(held), 40 * DAY)


def test_a_topic_that_ends_before_another_one_is_apart() -> None:
    """Its source has read it in two batches, the other one needs ten for the same days."""
    many = partitions([hour * DAY // 100 for hour in range(1_000)], topic="many")
    few = partitions([day * DAY // 20 for day in range(200)], topic="few")
    assert is_apart([Unread(spans(many), 100), Unread(spans(few), 100)], searching(many | few), DAY)
    assert not is_apart([Unread(spans(many | few), 200)], searching(many | few), DAY)


def test_partitions_that_hold_the_same_days_are_not_apart() -> None:
    held = partitions([n * DAY // 10 for n in range(300)], [n * DAY // 20 for n in range(600)])
    assert not is_apart([Unread(spans(held), 20)], searching(held), DAY)


def test_one_partition_is_not_apart() -> None:
    """Nor is one of which the others have been read."""
    held = partitions([n * DAY for n in range(100)], [0])
    assert not is_apart([Unread(spans(held, {("t", 1): 1}), 10)], searching(held), 0)


@given(st.lists(_TIMES, min_size=2, max_size=4), st.integers(1, 30), st.sampled_from([0, 8, 40, 200]))
def test_what_is_not_apart_drops_nothing(times: list[list[int]], most: int, grace: int) -> None:
    """As long as each batch is looked at, of sixteen at most."""
    held = partitions(*times)
    source = Unread(spans(held), most)
    if source.batches > 16 or is_apart([source], searching(held), grace):
        return
    newest = 0
    for batch in range(1, source.batches + 1):
        ends = source.proportional(batch)
        newest = max([newest, *(each[ends[at] - 1] for at, each in held.items() if ends[at])])
        left = [each[ends[at]] for at, each in held.items() if ends[at] < len(each)]
        assert not left or newest - min(left) <= grace
