"""The marker of a batch: a record in the compacted topic `_lsqlc.commits`, written in the batch's own transaction.

Its key names the topic and the generation of the query that writes it, its value is the number of the newest batch:
`{"batch":7}`. A batch with a number up to that one is a replay. Who writes markers of a generation opens its producer
under that generation's transactional id, so that an older writer is fenced before the marker is looked for.

A batch that several tasks write is announced first, in a transaction of its own, with the key `topic/generation/tasks`:
`{"batch":8,"tasks":4,"partitions":12,"by":"..."}`, where `by` is who writes it. Each task's transaction has a marker
with the key `topic/generation/<task>`: `{"batch":8,"version":"..."}`. The marker of the batch follows them.

What a query in real time writes is in no transaction. Before it starts, the key `topic/generation/real-time` notes the
ends of the topic's partitions: `{"began":{"0":17}}`. What it has written since then may be more than its checkpoint
knows, until a run has compared the two and notes `{"began":null}`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

TOPIC = "_lsqlc.commits"
# One record a batch, of which only the newest of each key counts: segments are small, so that they are soon cleaned.
CONFIG = {"cleanup.policy": "compact", "segment.bytes": "1048576", "min.cleanable.dirty.ratio": "0.1"}


@dataclass(frozen=True, slots=True)
class Marker:
    """The newest complete batch of a generation, -1 while there is none; `ended`: its records have been removed, and
    none of its batches counts.
    """

    batch: int
    ended: bool = False


# The batch of a generation that has ended: whatever its writer still has is a replay.
_LAST = (1 << 62) - 1


def marker_key(topic: str, generation: str) -> bytes:
    """The key of a topic's marker; `topic` without prefix.

    >>> marker_key("orders", "g1")
    b'orders/g1'
    """
    return f"{topic}/{generation}".encode()


def marker_value(batch: int) -> bytes:
    """The value that says that this batch, and those before it, are there."""
    return b'{"batch":%d}' % batch


def ended_value() -> bytes:
    """The value that ends a generation."""
    return marker_value(_LAST)


def marker_of(value: bytes | None) -> Marker | None:
    """What a marker says; None for a value that is not a marker."""
    try:
        batch = json.loads(value or b"null")["batch"]
    except (ValueError, KeyError, TypeError):
        return None
    return Marker(batch, batch >= _LAST) if isinstance(batch, int) else None


def announced_tasks(key: bytes | None, value: bytes | None, topic: str) -> tuple[str, int] | None:
    """The generation and the number of tasks that an announcement names, of the topic; None for what is none.

    >>> announced_tasks(b"orders/g1/tasks", b'{"batch":8,"tasks":4,"partitions":12,"by":"a"}', "orders")
    ('g1', 4)
    """
    name, _, last = (key or b"").decode("utf-8", "replace").rpartition("/")
    generation = generation_of(name.encode(), topic)
    if last != "tasks" or generation is None:
        return None
    return generation, int(json.loads(value or b"null")["tasks"])


def real_time_key(topic: str, generation: str) -> bytes:
    """The key of the note of where records of real time begin; `topic` without prefix."""
    return marker_key(topic, generation) + b"/real-time"


def real_time_value(began: Mapping[int, int] | None) -> bytes:
    """The value of that note: by partition the offset; None: all records are known to the checkpoint.

    >>> real_time_value({0: 17}), real_time_value(None)
    (b'{"began":{"0":17}}', b'{"began":null}')
    """
    return json.dumps({"began": began}, separators=(",", ":")).encode()


def real_time_began(
    records: Iterable[tuple[bytes | None, bytes | None]], topic: str, generation: str
) -> dict[int, int] | None:
    """What the newest note says, None if there is none. `records`: as for `in_part`.

    >>> real_time_began([(b"orders/g1/real-time", b'{"began":{"0":17}}')], "orders", "g1")
    {0: 17}
    """
    own = real_time_key(topic, generation)
    newest = {key: value for key, value in records if key == own}.get(own)
    began = json.loads(newest or b"null")
    places = began["began"] if began else None
    return None if places is None else {int(partition): offset for partition, offset in places.items()}


def in_part(records: Iterable[tuple[bytes | None, bytes | None]], topic: str, generation: str) -> int | None:
    """The number of a batch of which some tasks have a marker, and the batch itself has none; None if there is none.
    `records`: keys and values of the topic of markers, in order.

    >>> announced = b"orders/g1/tasks", b'{"batch":8,"tasks":2,"partitions":2,"by":"a"}'
    >>> in_part([announced, (b"orders/g1/0", b'{"batch":8,"version":"v"}')], "orders", "g1")
    8
    """
    own = marker_key(topic, generation)
    newest = {key: value for key, value in records if key == own or (key or b"").startswith(own + b"/")}
    announced = marker_of(newest.pop(own + b"/tasks", None))
    complete = marker_of(newest.pop(own, None))
    if announced is None or (complete is not None and complete.batch >= announced.batch):
        return None
    done = [marker for value in newest.values() if (marker := marker_of(value)) and marker.batch == announced.batch]
    return announced.batch if done else None


def generation_of(key: bytes | None, topic: str) -> str | None:
    """The generation that a marker's key names, of the topic; None for the key of another topic."""
    name, _, generation = (key or b"").decode("utf-8", "replace").rpartition("/")
    return generation if name == topic else None


def transactional_id(prefix: str, topic: str, generation: str) -> str:
    """Under which a generation's batches are written: the same for each attempt."""
    return f"{transactional_prefix(prefix)}{topic}.{generation}"


def task_id(transactional_id: str, task: int) -> str:
    """Under which a task of a batch writes: the same for each batch and each attempt."""
    return f"{transactional_id}.{task}"


def transactional_prefix(prefix: str) -> str:
    """What all transactional ids begin with."""
    return f"{prefix}lsqlc."


def group_prefix(prefix: str) -> str:
    """What all groups of consumers begin with."""
    return f"{prefix}lsqlc."


def query_group(prefix: str, query: str) -> str:
    """The group that has the offsets of a query, where they are committed."""
    return f"{group_prefix(prefix)}query.{query}"
