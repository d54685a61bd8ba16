"""The columns of a state in a readable form.

Spark gives a column of a state the name of its aggregate, so several columns may have the same name. The newest values
of a row (`max_by` of several) are a heap in three arrays.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql.types import StructType

_HEAP = {"values", "orderings", "heapIndices"}


def named_once(schema: StructType) -> StructType:
    """Return the fields with unique names: the second `max` is `max_2`."""
    from pyspark.sql.types import StructField, StructType

    return StructType([
        StructField(name, field.dataType, field.nullable)
        for name, field in zip(each_once(schema.fieldNames()), schema.fields, strict=True)
    ])  # fmt: skip


def each_once(names: list[str]) -> list[str]:
    """Return unique names, which Spark compares without regard to case.

    >>> each_once(["max", "max", "count", "Max"])
    ['max', 'max_2', 'count', 'Max_3']
    """
    existing = {name.lower() for name in names}
    count: Counter[str] = Counter()
    unique: list[str] = []
    for name in names:
        count[name.lower()] += 1
        number = count[name.lower()]
        own = name
        while number > 1 and (own == name or own.lower() in existing):
            own = f"{name}_{number}"
            number += 1
        existing.add(own.lower())
        unique.append(own)
    return unique


def shown_key(key: dict[str, Any]) -> Any:
    """Return a key for output: a key of one field is the value of that field.

    >>> shown_key({"_group": "park"}), shown_key({"a": 1, "b": 2})
    ('park', {'a': 1, 'b': 2})
    """
    return next(iter(key.values())) if len(key) == 1 else key


def shown_value(value: dict[str, Any]) -> Any:
    """Return the state of a key for output: a heap of values is a list, the newest first.

    >>> shown_value({"values": ["old", "new", None], "orderings": [1, 2, None], "heapIndices": "AAA="})
    {'values': ['new', 'old']}
    >>> shown_value({"count": 2})
    {'count': 2}
    """
    if value.keys() >= _HEAP and value["values"] is not None and value["orderings"] is not None:
        # Unused elements of the heap are null.
        pairs = [pair for pair in zip(value["orderings"], value["values"], strict=True) if pair[0] is not None]
        newest_first = sorted(pairs, key=lambda pair: pair[0], reverse=True)
        others = {name: content for name, content in value.items() if name not in _HEAP}
        return {**others, "values": [content for _, content in newest_first]}
    return value
