"""The same TABLE aggregation, written by hand: what a stateful processor in Python does with the rows of a table.

Runs on the Spark server, pickled by value: it names nothing outside this module but pyspark and builtins.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pyspark.sql import Row
from pyspark.sql.streaming.stateful_processor import StatefulProcessor, StatefulProcessorHandle
from pyspark.sql.types import LongType, StringType, StructType

# Not as text, which a client of Spark Connect cannot parse here.
GROUP = StructType().add("grp", StringType())
CHANGES = (
    StructType()
    .add("ordinal", LongType())
    .add("timestamp", LongType())
    .add("grp", StringType())
    .add("weight", LongType())
)


class GroupChanges(StatefulProcessor):
    """Keeps the group of each key; a key that enters a group counts +1 there, and -1 in the one that it leaves.

    Of the rows of a batch only the newest one of a key matters, so that it gives two changes at most.
    """

    def init(self, handle: StatefulProcessorHandle) -> None:
        self._group = handle.getValueState("grp", GROUP)

    def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
        newest = max(rows, key=lambda row: row.ordinal)
        before = self._group.get()
        if before is not None and before[0] == newest.grp:
            return
        self._group.update((newest.grp,))
        yield Row(ordinal=newest.ordinal, timestamp=newest.timestamp, grp=newest.grp, weight=1)
        if before is not None:
            yield Row(ordinal=newest.ordinal, timestamp=newest.timestamp, grp=before[0], weight=-1)

    def close(self) -> None:
        pass
