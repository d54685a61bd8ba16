"""The marker of a batch: a record in the compacted topic `_lsqlc.commits`, written in the batch's own transaction.

Its key names the topic and the generation of the query that writes it, its value is the number of the newest batch:
`{"batch":7}`. A batch with a number up to that one is a replay. The writer opens its producer under the
transactional id of the generation, so that an older writer is fenced before the marker is read.

A batch that several tasks write is announced first, in a transaction of its own, with the key `topic/generation/tasks`:
`{"batch":8,"tasks":4,"partitions":12,"by":"..."}`, where `by` is the writer. Each task's transaction has a marker with
the key `topic/generation/<task>`: `{"batch":8,"version":"..."}`. The marker of the batch follows them.

The rows that a query writes before its first batch are in a transaction with the key `topic/generation/first` and the
value `{"first":true}`.

The output of a query in real time is in no transaction. Before it starts, the key `topic/generation/real-time` records
the ends of the topic's partitions: `{"began":{"0":17}}`. Its output since then may be ahead of its checkpoint, until a
run has compared the two and writes `{"began":null}`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

TOPIC = "_lsqlc.commits"
# One record per batch, of which only the newest of each key counts: segments are small, so that they are soon cleaned.
CONFIG = {"cleanup.policy": "compact", "segment.bytes": "1048576", "min.cleanable.dirty.ratio": "0.1"}


@dataclass(frozen=True, slots=True)
class Marker:
    """The newest complete batch of a generation, -1 if there is none.

    `ended`: its records have been removed, and none of its batches counts.
    """

    batch: int
    ended: bool = False


# The batch of a generation that has ended: each later batch of its writer is a replay.
_LAST = (1 << 62) - 1


def marker_key(topic: str, generation: str) -> bytes:
    """Return the key of a topic's marker; `topic` without prefix.

    >>> marker_key("orders", "g1")
    b'orders/g1'
    """
    return f"{topic}/{generation}".encode()


def marker_value(batch: int) -> bytes:
    """Return the value that marks this batch, and those before it, as written."""
    return b'{"batch":%d}' % batch


def ended_value() -> bytes:
    """Return the value that ends a generation."""
    return marker_value(_LAST)


def marker_of(value: bytes | None) -> Marker | None:
    """Return the content of a marker; None for a value that is not a marker."""
    try:
        batch = json.loads(value or b"null")["batch"]
    except (ValueError, KeyError, TypeError):
        return None
    return Marker(batch, batch >= _LAST) if isinstance(batch, int) else None


def announced_tasks(key: bytes | None, value: bytes | None, topic: str) -> tuple[str, int] | None:
    """Return the generation and the number of tasks of an announcement for the topic; None for any other record.

    >>> announced_tasks(b"orders/g1/tasks", b'{"batch":8,"tasks":4,"partitions":12,"by":"a"}', "orders")
    ('g1', 4)
    """
    name, _, last = (key or b"").decode("utf-8", "replace").rpartition("/")
    generation = generation_of(name.encode(), topic)
    if last != "tasks" or generation is None:
        return None
    return generation, int(json.loads(value or b"null")["tasks"])


FIRST = b'{"first":true}'


def first_key(topic: str, generation: str) -> bytes:
    """Return the key that marks the rows before the first batch as written; `topic` without prefix.

    >>> first_key("orders", "g1")
    b'orders/g1/first'
    """
    return marker_key(topic, generation) + b"/first"


def generation_of_first(key: bytes | None, topic: str) -> str | None:
    """Return the generation of a key of `first_key` for the topic; None for any other key.

    >>> generation_of_first(b"orders/g1/first", "orders"), generation_of_first(b"orders/g1", "orders")
    ('g1', None)
    """
    name, _, last = (key or b"").decode("utf-8", "replace").rpartition("/")
    return generation_of(name.encode(), topic) if last == "first" else None


def real_time_key(topic: str, generation: str) -> bytes:
    """Return the key of the start offsets of real-time records; `topic` without prefix."""
    return marker_key(topic, generation) + b"/real-time"


def real_time_value(began: Mapping[int, int] | None) -> bytes:
    """Return the value of the start offsets: the offset by partition; None: the checkpoint covers all records.

    >>> real_time_value({0: 17}), real_time_value(None)
    (b'{"began":{"0":17}}', b'{"began":null}')
    """
    return json.dumps({"began": began}, separators=(",", ":")).encode()


def real_time_began(
    records: Iterable[tuple[bytes | None, bytes | None]], topic: str, generation: str
) -> dict[int, int] | None:
    """Return the newest start offsets by partition, None if there are none. `records`: as for `in_part`.

    >>> real_time_began([(b"orders/g1/real-time", b'{"began":{"0":17}}')], "orders", "g1")
    {0: 17}
    """
    own = real_time_key(topic, generation)
    newest = {key: value for key, value in records if key == own}.get(own)
    began = json.loads(newest or b"null")
    places = began["began"] if began else None
    return None if places is None else {int(partition): offset for partition, offset in places.items()}


def in_part(records: Iterable[tuple[bytes | None, bytes | None]], topic: str, generation: str) -> int | None:
    """Return the number of a batch that only some tasks have written, or None.

    Some of its tasks have a marker, and the batch itself has none. `records`: keys and values of the topic of markers,
    in order.

    >>> announced = b"orders/g1/tasks", b'{"batch":8,"tasks":2,"partitions":2,"by":"a"}'
    >>> in_part([announced, (b"orders/g1/0", b'{"batch":8,"version":"v"}')], "orders", "g1")
    8
    """
    own = marker_key(topic, generation)
    newest = {key: value for key, value in records if key == own or (key or b"").startswith(own + b"/")}
    announcement = marker_of(newest.pop(own + b"/tasks", None))
    complete = marker_of(newest.pop(own, None))
    if announcement is None or (complete is not None and complete.batch >= announcement.batch):
        return None
    written_tasks = [
        marker for value in newest.values() if (marker := marker_of(value)) and marker.batch == announcement.batch
    ]
    return announcement.batch if written_tasks else None


def generation_of(key: bytes | None, topic: str) -> str | None:
    """Return the generation of a marker's key of the topic; None for the key of another topic."""
    name, _, generation = (key or b"").decode("utf-8", "replace").rpartition("/")
    return generation if name == topic else None


def transactional_id(prefix: str, topic: str, generation: str) -> str:
    """Return the id of the transactions of a generation's batches: the same for each attempt."""
    return f"{transactional_prefix(prefix)}{topic}.{generation}"


def task_id(transactional_id: str, task: int) -> str:
    """Return the id of the transactions of a task: the same for each batch and each attempt."""
    return f"{transactional_id}.{task}"


def transactional_prefix(prefix: str) -> str:
    """Return the prefix of all transactional ids."""
    return f"{prefix}lsqlc."


def group_prefix(prefix: str) -> str:
    """Return the prefix of all consumer groups."""
    return f"{prefix}lsqlc."


def query_group(prefix: str, query: str) -> str:
    """Return the group that has the offsets of a query, where they are committed."""
    return f"{group_prefix(prefix)}query.{query}"
