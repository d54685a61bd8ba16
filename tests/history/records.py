"""The records of the project of constructs: what its models read first, and what comes once a checkpoint is there."""

from __future__ import annotations

import os
from collections.abc import Iterable
from itertools import groupby
from pathlib import Path
from typing import Any

from lsqlc.connectors.folders.log import FileLog
from lsqlc.types.record import Record, Topic

_MINUTE = 60_000
# Seconds since 1970.
_WRITTEN = 1_800_000_000
# Quarters of a minute: more than a day later than all others, so that time goes on behind any grace.
_FAR = 20_000
# What is called so stays in windows that are open at the end.
FAR = "far"


def _order(at: int, key: str, item: str, price: int | None, note: str | None = "x") -> Record:
    value = {"item": item, "price": price, "note": note, "tags": [item, key]}
    return Record("orders", key, value, at * _MINUTE // 4)


def _item(at: int, key: str, label: str, weight: int) -> Record:
    return Record("items", key, {"label": label, "weight": weight}, at * _MINUTE // 4)


def _payment(at: int, key: str, item: str, paid: float) -> Record:
    return Record("payments", key, {"item": item, "paid": paid, "at": at * _MINUTE}, at * _MINUTE // 4)


def _ksql(topic: str, at: int, key: str, **value: Any) -> Record:
    return Record(topic, key, {name.upper(): each for name, each in value.items()}, at * _MINUTE // 4)


FIRST = (
    _item(100, "a", "pen", 1),
    _item(100, "b", "ink", 2),
    _order(101, "a", "pen", 15),
    _order(102, "c", "cap", 50, None),
    _payment(102, "a", "pen", 15.5),
    _order(103, "b", "pen", 70),
    _order(104, "a", "ink", 30, "y"),
    _payment(105, "b", "pen", 1e16),
    _ksql("sales", 101, "a", item="pen", price=3),
    _ksql("sales", 102, "b", item="pen", price=5),
    _ksql("offers", 102, "a", paid=2),
    _ksql("sales", 103, "c", item="ink", price=4),
    _ksql("prices", 101, "a", item="pen", price=3),
    _ksql("prices", 102, "b", item="pen", price=5),
    _ksql("prices", 103, "a", item="ink", price=4),
)
SECOND = (
    _item(106, "c", "cap", 3),
    _item(106, "a", "ink", 4),
    _order(107, "c", "pen", 80, "y"),
    _order(108, "a", "pen", 25),
    Record("orders", "b", None, 27 * _MINUTE),
    _order(109, "d", "cap", 40, None),
    _payment(109, "b", "pen", 2e16),
    _payment(110, "a", "ink", 2.0),
    _order(110, "b", "ink", 10, "y"),
    _ksql("offers", 103, "b", paid=4),
    _ksql("sales", 104, "a", item="pen", price=6),
    _ksql("sales", 112, "b", item="ink", price=1),
    _ksql("prices", 104, "a", item="pen", price=8),
    _ksql("prices", 105, "b", item="cap", price=2),
    # Windows before it close.
    _order(_FAR, "z", FAR, 1),
    _ksql("sales", _FAR, "z", item=FAR, price=1),
)
_READINGS = (("north,1", "south,2", "north,3"), ("south,4", "east,5"))


def append(root: Path, topics: Iterable[Topic], *, more: bool) -> None:
    """Write the first records, or what comes later, to the logs and files that the models of a project read."""
    log, known = FileLog(root / ".lsqlc" / "topics"), {topic.name: topic for topic in topics}
    for name, records in groupby(SECOND if more else FIRST, lambda record: record.topic):
        log.append(known[name], list(records), segments_of=2)
    folder = root / "data" / "readings"
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{int(more)}.csv"
    file.write_text("\n".join(("meter,level", *_READINGS[more])) + "\n", "utf-8")
    # The time of a file is that of its records.
    os.utime(file, (_WRITTEN + more, _WRITTEN + more))
