"""How long a text or an array may be that a function makes up to a size which the data give."""

from __future__ import annotations

import re
from collections.abc import Sequence

from lsqlc.functions.signature import Render
from lsqlc.types.data import DataType

# Code points or elements: what one row of either engine holds without trouble.
MOST = 1_000_000
# The largest number of values that an aggregate is asked to keep: the most that Spark's `max_by` takes.
MOST_VALUES = 100_000
_NATURAL = re.compile(r"[0-9]{1,7}")


def fits(size: str) -> bool:
    """Whether the SQL text of a size is a literal that is within the limit."""
    return _NATURAL.fullmatch(size) is not None and int(size) <= MOST


def bounded(form: str, index: int) -> Render:
    """A template of which the argument at `index` is a size: null beyond the limit."""

    def render(texts: Sequence[str], types: Sequence[DataType]) -> str:
        made = form.format(*texts)
        return made if fits(texts[index]) else f"case when {texts[index]} <= {MOST} then {made} end"

    return render
