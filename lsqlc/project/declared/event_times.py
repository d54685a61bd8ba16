"""Validation of `event_time` of a topic."""

from __future__ import annotations

from lsqlc.diagnostics import did_you_mean, listing
from lsqlc.types import data
from lsqlc.types.data import DataType, Struct
from lsqlc.types.record import Facet

_TIMES = (data.BIGINT, data.DATE, data.TIMESTAMP)


def event_time_fault(path: str, value: Facet) -> tuple[str, str | None] | None:
    """Return the message and the help for a path that is not a time in the value of a topic; None if it is valid."""
    type: DataType = value.type
    for step in path.split("."):
        field = type.field(step) if isinstance(type, Struct) else None
        if field is None:
            names = [f.name for f in type.fields] if isinstance(type, Struct) else []
            help = did_you_mean(step, names) or (f"its fields are {listing(names)}" if names else None)
            return f"'event_time' names '{path}', which is not a field of the value", help
        type = field.type
    if type not in _TIMES:
        help = "an event time must be LONG (epoch milliseconds), DATE or TIMESTAMP"
        return f"'event_time' names '{path}', which is {type}", help
    return None
