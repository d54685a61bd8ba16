"""The columns of a state as a user reads them.

Spark names the columns of a state by the aggregates that fill them, and so several alike: `max`, `max`. What it keeps
the newest values in (`max_by` of several) is a heap in three arrays.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql.types import StructType

_HEAP = {"values", "orderings", "heapIndices"}


def named_once(schema: StructType) -> StructType:
    """The same fields with a name of its own for each: the second `max` is `max_2`."""
    from pyspark.sql.types import StructField, StructType

    return StructType([
        StructField(name, field.dataType, field.nullable)
        for name, field in zip(each_once(schema.fieldNames()), schema.fields, strict=True)
    ])  # fmt: skip


def each_once(names: list[str]) -> list[str]:
    """Names of which each is there once, by the letters without their case, as Spark compares them.

    >>> each_once(["max", "max", "count", "Max"])
    ['max', 'max_2', 'count', 'Max_3']
    """
    taken = {name.lower() for name in names}
    count: Counter[str] = Counter()
    found: list[str] = []
    for name in names:
        count[name.lower()] += 1
        number = count[name.lower()]
        own = name
        while number > 1 and (own == name or own.lower() in taken):
            own = f"{name}_{number}"
            number += 1
        taken.add(own.lower())
        found.append(own)
    return found


def shown_key(key: dict[str, Any]) -> Any:
    """A key of one field as the field itself.

    >>> shown_key({"_group": "park"}), shown_key({"a": 1, "b": 2})
    ('park', {'a': 1, 'b': 2})
    """
    return next(iter(key.values())) if len(key) == 1 else key


def shown_value(value: dict[str, Any]) -> Any:
    """What is kept of a key; the newest values of a row as a list, the newest first.

    >>> shown_value({"values": ["old", "new", None], "orderings": [1, 2, None], "heapIndices": "AAA="})
    {'values': ['new', 'old']}
    >>> shown_value({"count": 2})
    {'count': 2}
    """
    if value.keys() >= _HEAP and value["values"] is not None and value["orderings"] is not None:
        # Places of the heap that are not taken yet have null.
        taken = [pair for pair in zip(value["orderings"], value["values"], strict=True) if pair[0] is not None]
        kept = sorted(taken, key=lambda pair: pair[0], reverse=True)
        return {**{n: v for n, v in value.items() if n not in _HEAP}, "values": [content for _, content in kept]}
    return value
