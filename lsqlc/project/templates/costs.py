"""The filters, tests and methods for templates, by name, and the cost of each call.

Each name of Jinja is in one of these tables or in a table of absent names. A test compares them with the installed
Jinja: a name of a later version is not available until somebody has decided its cost.

A cost is paid before the call. It limits the time of the call and the size of its result.
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
"""A function of the value and the arguments of a call."""


def constant(meter: Meter, values: tuple[Any, ...]) -> None:
    """Charge a call that takes the same time for all values, and returns one of them or a small value."""
    meter.spend(0)


def deep(meter: Meter, values: tuple[Any, ...]) -> None:
    """Charge a call that reads all parts of its values once, and returns no more than that."""
    meter.weigh(*values)


def texts(meter: Meter, values: tuple[Any, ...]) -> None:
    """Charge a call that reads texts, and returns at most one text. Other values are not read."""
    for value in values:
        meter.spend_text(len(value) if isinstance(value, str) else 0)


def pieces(meter: Meter, values: tuple[Any, ...]) -> None:
    """Charge a call that splits its value, in the worst case into single characters."""
    meter.spend(10 * meter.weigh(*values))


def stripped(meter: Meter, values: tuple[Any, ...]) -> None:
    """Charge a call that searches each character of the value in its text arguments."""
    value, *others = values
    characters = sum(len(other) for other in others if isinstance(other, str))
    meter.spend(meter.weigh(value) * (1 + characters // 100))


def ordered(meter: Meter, values: tuple[Any, ...]) -> None:
    """Charge a sort: each item takes as many comparisons as the number of items has binary digits."""
    items = values[0]
    meter.spend(meter.weigh(*values) * (len(items) if isinstance(items, Sized) else 1).bit_length() // 4)


def listed(meter: Meter, values: tuple[Any, ...]) -> None:
    """Charge a call that makes a list of the items of its value."""
    meter.spend_items(len(values[0]) if isinstance(values[0], Sized) else 0)


def numeric(meter: Meter, values: tuple[Any, ...]) -> None:
    """Charge a computation with numbers. Texts are refused, because the same operators would format them."""
    if not isinstance(values[0], (int, float, Undefined)):
        raise TypeError("the value must be a number")
    meter.weigh(*values)


def shifted(meter: Meter, values: tuple[Any, ...]) -> None:
    """Charge a call that moves the items of a list."""
    meter.spend(len(values[0]) // 10)


def extended(meter: Meter, values: tuple[Any, ...]) -> None:
    """Charge a call that adds the items of other lists to a list."""
    owner, *others = values
    added = sum(len(other) for other in others if isinstance(other, Sized))
    meter.check_size(len(owner) + added)
    meter.spend_items(added)


def updated(meter: Meter, values: tuple[Any, ...]) -> None:
    """Charge a call that adds the items of mappings to a mapping.

    Lists of pairs are refused: `dict()` checks their keys.
    """
    owner, *others = values
    if any(isinstance(other, (list, tuple)) for other in others):
        raise TypeError("update() takes a mapping; write update(dict(pairs))")
    extended(meter, (owner, *others))


def joined(meter: Meter, values: tuple[Any, ...]) -> None:
    """Charge a call that joins texts."""
    glue, *others = values
    items = [item for other in others for item in meter.items(other)]
    meter.spend_text(sum(len(item) for item in items if isinstance(item, str)) + len(glue) * len(items))


def replaced(meter: Meter, values: tuple[Any, ...]) -> None:
    """Charge a call that replaces one text by another."""
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
"""Filters by name: the cost, and the function that replaces Jinja's."""

ABSENT_FILTERS = frozenset((
    "attr", "batch", "center", "e", "escape", "filesizeformat", "forceescape", "format", "groupby", "indent", "pprint",
    "random", "safe", "slice", "striptags", "tojson", "truncate", "urlencode", "urlize", "wordcount", "wordwrap",
    "xmlattr",
))  # fmt: skip
"""Filters that templates of models lack: they are random, for HTML, or give large results for small values."""

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
"""Globals of Jinja, each in a form that counts its work."""
ABSENT_GLOBALS = frozenset(("cycler", "joiner", "lipsum"))


def method_cost(owner: Any, name: str) -> Cost | None:
    """Return the cost of a method of a value; None if templates do not have it."""
    return next((costs[name] for type, costs in METHODS.items() if isinstance(owner, type) and name in costs), None)


def is_field(owner: Any, name: str) -> bool:
    """Return whether templates may read an attribute that is a value."""
    return any(isinstance(owner, type) and name in names for type, names in FIELDS.items())
