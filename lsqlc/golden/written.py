"""Records as a case writes them, before they are those of a case or of an `expect`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lsqlc.diagnostics import Span
from lsqlc.types.headers import Headers
from lsqlc.types.record import Record


@dataclass(frozen=True, slots=True)
class Expected:
    """One record as it is written. `timestamp` and `headers` None: not given; in an `expect`, any."""

    key: Any
    value: Any
    timestamp: int | None
    headers: Headers | None = None


@dataclass(frozen=True, slots=True)
class Advance:
    """Time reaches `time`, epoch milliseconds, and no record comes. `span`: where it is written."""

    time: int
    span: Span


Item = Record | Advance
