"""The fields of frozen data, of which there are two kinds.

What a program is made of (its syntax, types and the nodes of its plan) are structs of msgspec: such a class is
made five times as fast as a dataclass, and so are its objects. All else is dataclasses.
"""

from __future__ import annotations

from dataclasses import MISSING, fields, is_dataclass
from typing import Any

import msgspec

NO_DEFAULT: object = MISSING
"""The default of a field that has none, or a new object each time."""


def is_frozen_data(kind: type[Any]) -> bool:
    """Whether a class has fields in this sense."""
    return issubclass(kind, msgspec.Struct) or is_dataclass(kind)


def field_names(kind: type[Any]) -> tuple[str, ...]:
    """The names of the fields of a class, in order. Raises TypeError for a class without."""
    if issubclass(kind, msgspec.Struct):
        return kind.__struct_fields__
    return tuple(f.name for f in fields(kind))


def field_defaults(kind: type[Any]) -> tuple[tuple[str, object], ...]:
    """The fields of a class in order, each with its default or `NO_DEFAULT`. Raises TypeError for a class without."""
    if issubclass(kind, msgspec.Struct):
        # The last ones have defaults, as the arguments of a function do; `structs.fields` would read the types as well.
        names, defaults = kind.__struct_fields__, kind.__struct_defaults__
        return tuple(zip(names, (*[NO_DEFAULT] * (len(names) - len(defaults)), *defaults), strict=True))
    return tuple((f.name, f.default) for f in fields(kind))
