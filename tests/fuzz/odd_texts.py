# ruff: noqa: E501  tables of texts read better in long rows
"""Texts and names that few programs have, for `mutations`."""

from __future__ import annotations

from dataclasses import replace

from msgspec import structs

from lsqlc.types.data import Array, DataType, Field, Map, Struct
from lsqlc.types.record import Topic
from tests.fuzz import quoting

# Texts that are paths, patterns, times, lengths of time and numbers to the functions that take them.
TEXTS = (
    "", "$", "$.a", f"$[{'9' * 200}]", f"$[{'9' * 5_000}]", "$[-1]", "$[*]", "$..a", "$[", "$]", "$.a]", "$." + "a" * 10_000,
    "$['a", "$[1e3]", "yyyy-MM-dd", "y" * 60, "QQQ", "b", "''", "[", "{", "#", "YYYY", "hh:mm a", "SSSSSSSSSS", "\n", "😀",
    "0001-01-01", "9999-12-31", "10000-01-01", "0000-00-00", "-1-01-01", "2024-02-30", "9" * 5_000, "1e" + "9" * 5_000,
    f"{'9' * 30} days", "1 fortnight", "-5 hours", "UTC", "+99:99", "a\\", "$1", "(", "(?<n>a)", "a{99999}", "\x00", "²", *quoting.TEXTS,
)  # fmt: skip
# Names that are none without quotes.
ODD_NAMES = (
    "a\nb", "\n", "a\rb", "a\tb", "a\x00b", 'a"b', "a'b", "a``b", "\\", " ", "", "--", "/*", "a.b", "{a}", "%s", "$1", "1",
    "\u2028", "\x85", "\u200b", "\ufeff", "😀", "ß", "\ud800", "select", "_key", "_value", "v0", "k0", "_ord", "_ts", "_case", "r",
    "t", "n" * 10_000, *quoting.NAMES,
)  # fmt: skip


def topic_with_name(topic: Topic, old: str, new: str) -> Topic:
    """The topic with another name in place of its own or of fields, where that makes no two alike. One of files, which
    says more about its fields, stays as it is.
    """
    if topic.files is not None:
        return topic
    key, value = (structs.replace(f, type=_type_with_name(f.type, old, new)) for f in (topic.key, topic.value))
    time = new if topic.event_time == old else topic.event_time
    return replace(topic, name=new if topic.name == old else topic.name, key=key, value=value, event_time=time)


def _type_with_name(type: DataType, old: str, new: str) -> DataType:
    match type:
        case Array(element):
            return Array(_type_with_name(element, old, new))
        case Map(key, value):
            return Map(key, _type_with_name(value, old, new))
        case Struct(fields):
            taken = any(f.name.casefold() == new.casefold() for f in fields)
            changed = (
                Field(new if f.name == old and not taken else f.name, _type_with_name(f.type, old, new), f.nullable)
                for f in fields
            )
            return Struct(tuple(changed))
    return type
