"""How long a text or an array may be that a function makes up to a size which the data give."""

from __future__ import annotations

import re
from collections.abc import Sequence

from lsqlc.functions.signature import Render
from lsqlc.types.data import DataType

# Code points or elements: the size that one row of either engine can hold.
MOST = 1_000_000
# The largest number of values that an aggregate may keep: the maximum of Spark's `max_by`.
MOST_VALUES = 100_000
_NATURAL = re.compile(r"[0-9]{1,7}")


def fits(size: str) -> bool:
    """Return whether the SQL text of a size is a literal within the limit."""
    return _NATURAL.fullmatch(size) is not None and int(size) <= MOST


def bounded(form: str, index: int) -> Render:
    """Return a template whose argument at `index` is a size; the call is null beyond the limit."""

    def render(texts: Sequence[str], types: Sequence[DataType]) -> str:
        sql = form.format(*texts)
        return sql if fits(texts[index]) else f"case when {texts[index]} <= {MOST} then {sql} end"

    return render
