"""What templates may call, and what each call costs: filters, tests and methods, by name.

Everything of Jinja stands in one of these tables or among what is absent, and a test compares them with the Jinja that
is installed: what a later version adds is not available before somebody has said what it costs.

A cost is paid before the call. It bounds the time of the call and the size of its result.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sized
from datetime import date, time
from typing import Any

from jinja2 import Undefined
from jinja2.runtime import LoopContext, Macro

from lsqlc.project.templates import filters
from lsqlc.project.templates.meter import Meter

Cost = Callable[[Meter, tuple[Any, ...]], None]
"""From the value and the arguments of a call."""


def constant(meter: Meter, values: tuple[Any, ...]) -> None:
    """The call takes the same time for all values, and gives one of them or a small one."""
    meter.spend(0)


def deep(meter: Meter, values: tuple[Any, ...]) -> None:
    """The call looks at everything in its values once, and makes no more than that."""
    meter.weigh(*values)


def texts(meter: Meter, values: tuple[Any, ...]) -> None:
    """The call reads texts, and makes no more than one of them; what else is among the values is only passed."""
    for value in values:
        meter.spend_text(len(value) if isinstance(value, str) else 0)


def pieces(meter: Meter, values: tuple[Any, ...]) -> None:
    """The call cuts its value into pieces, of one character at worst."""
    meter.spend(10 * meter.weigh(*values))


def stripped(meter: Meter, values: tuple[Any, ...]) -> None:
    """The call looks for each character of the value in the texts that are given."""
    value, *others = values
    characters = sum(len(other) for other in others if isinstance(other, str))
    meter.spend(meter.weigh(value) * (1 + characters // 100))


def ordered(meter: Meter, values: tuple[Any, ...]) -> None:
    """The call sorts: each item is compared as often as the number of items has binary digits, and quickly."""
    items = values[0]
    meter.spend(meter.weigh(*values) * (len(items) if isinstance(items, Sized) else 1).bit_length() // 4)


def listed(meter: Meter, values: tuple[Any, ...]) -> None:
    """The call makes a list of the items of its value."""
    meter.spend_items(len(values[0]) if isinstance(values[0], Sized) else 0)


def numeric(meter: Meter, values: tuple[Any, ...]) -> None:
    """The call computes with numbers: the same operators would format text."""
    if not isinstance(values[0], (int, float, Undefined)):
        raise TypeError("the value must be a number")
    meter.weigh(*values)


def shifted(meter: Meter, values: tuple[Any, ...]) -> None:
    """The call moves the items of a list."""
    meter.spend(len(values[0]) // 10)


def extended(meter: Meter, values: tuple[Any, ...]) -> None:
    """The call adds the items of another list to a list."""
    owner, *others = values
    added = sum(len(other) for other in others if isinstance(other, Sized))
    meter.check_size(len(owner) + added)
    meter.spend_items(added)


def updated(meter: Meter, values: tuple[Any, ...]) -> None:
    """The call adds the items of mappings to a mapping. Pairs are for `dict()`, which looks at their keys."""
    owner, *others = values
    if any(isinstance(other, (list, tuple)) for other in others):
        raise TypeError("update() takes a mapping; write update(dict(pairs))")
    extended(meter, (owner, *others))


def joined(meter: Meter, values: tuple[Any, ...]) -> None:
    """The call joins texts by a text."""
    glue, *others = values
    items = [item for other in others for item in meter.items(other)]
    meter.spend_text(sum(len(item) for item in items if isinstance(item, str)) + len(glue) * len(items))


def replaced(meter: Meter, values: tuple[Any, ...]) -> None:
    """The call puts one text in the place of another."""
    if all(isinstance(value, str) for value in values[:3]) and len(values) >= 3:
        meter.spend_text(filters.replaced_length(meter, *values[:3]))


FILTERS: Mapping[str, tuple[Cost, Callable[..., Any] | None]] = {
    "abs": (numeric, None), "capitalize": (deep, None), "count": (constant, None), "d": (constant, None),
    "default": (constant, None), "dictsort": (ordered, None), "first": (constant, None), "float": (deep, None),
    "int": (deep, filters.whole), "items": (listed, None), "join": (constant, filters.join), "last": (constant, None),
    "length": (constant, None), "list": (listed, None), "lower": (deep, None), "map": (listed, None),
    "max": (deep, None), "min": (deep, None), "reject": (listed, None), "rejectattr": (listed, None),
    "replace": (constant, filters.replace), "reverse": (listed, None), "round": (numeric, filters.rounded),
    "select": (listed, None), "selectattr": (listed, None), "sort": (ordered, None), "string": (constant, filters.text),
    "sum": (constant, filters.total), "title": (pieces, None), "trim": (stripped, None),
    "unique": (ordered, filters.unique), "upper": (deep, None),
}  # fmt: skip
"""Filters by name: the cost, and the function in the place of Jinja's."""

ABSENT_FILTERS = frozenset((
    "attr", "batch", "center", "e", "escape", "filesizeformat", "forceescape", "format", "groupby", "indent", "pprint",
    "random", "safe", "slice", "striptags", "tojson", "truncate", "urlencode", "urlize", "wordcount", "wordwrap",
    "xmlattr",
))  # fmt: skip
"""Filters that templates of models do not have: their results are random, are for HTML, or make much of little."""

TESTS: Mapping[str, Cost] = {
    "!=": deep, "<": deep, "<=": deep, "==": deep, ">": deep, ">=": deep, "boolean": constant, "callable": constant,
    "defined": constant, "divisibleby": numeric, "eq": deep, "equalto": deep, "escaped": constant, "even": numeric,
    "false": constant, "filter": deep, "float": constant, "ge": deep, "greaterthan": deep, "gt": deep, "in": deep,
    "integer": constant, "iterable": constant, "le": deep, "lessthan": deep, "lower": deep, "lt": deep,
    "mapping": constant, "ne": deep, "none": constant, "number": constant, "odd": numeric, "sameas": constant,
    "sequence": constant, "string": constant, "test": deep, "true": constant, "undefined": constant, "upper": deep,
}  # fmt: skip

METHODS: Mapping[type, Mapping[str, Cost]] = {
    str: {
        "capitalize": texts, "count": texts, "endswith": deep, "find": texts, "isdigit": texts, "join": joined,
        "lower": texts, "lstrip": stripped, "removeprefix": texts, "removesuffix": texts, "replace": replaced,
        "rstrip": stripped, "split": pieces, "startswith": deep, "strip": stripped, "title": texts, "upper": texts,
    },
    list: {
        "append": constant, "count": deep, "extend": extended, "index": deep, "insert": shifted, "pop": shifted,
        "reverse": shifted,
    },
    dict: {
        "get": lambda meter, values: deep(meter, values[1:]), "items": constant, "keys": constant,
        "pop": lambda meter, values: deep(meter, values[1:]), "update": updated, "values": constant,
    },
    tuple: {"count": deep, "index": deep},
    LoopContext: {"changed": lambda meter, values: deep(meter, values[1:]), "cycle": constant},
    # Values that a program passes to the API.
    date: {"isoformat": constant},
    time: {"isoformat": constant},
}  # fmt: skip

FIELDS: Mapping[type, frozenset[str]] = {
    LoopContext: frozenset((
        "depth", "depth0", "first", "index", "index0", "last", "length", "nextitem", "previtem", "revindex",
        "revindex0",
    )),
    Macro: frozenset(("arguments", "caller", "catch_kwargs", "catch_varargs", "name")),
    date: frozenset(("day", "hour", "microsecond", "minute", "month", "second", "year")),
    time: frozenset(("hour", "microsecond", "minute", "second")),
}  # fmt: skip
"""Attributes that are values, by type."""

GLOBALS = ("dict", "namespace", "range")
"""Globals of Jinja, each in a form that counts."""
ABSENT_GLOBALS = frozenset(("cycler", "joiner", "lipsum"))


def method_cost(owner: Any, name: str) -> Cost | None:
    """Return the cost of a method of a value; None if templates do not have it."""
    return next((costs[name] for type, costs in METHODS.items() if isinstance(owner, type) and name in costs), None)


def is_field(owner: Any, name: str) -> bool:
    """Return whether templates may read an attribute that is a value."""
    return any(isinstance(owner, type) and name in names for type, names in FIELDS.items())
