"""A stream joined with a table, written by hand: what a stateful processor in Python does with the events of a key.

Runs on the Spark server, pickled by value: it names nothing outside this module but pyspark and builtins.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pyspark.sql import Row
from pyspark.sql.streaming.stateful_processor import StatefulProcessor, StatefulProcessorHandle
from pyspark.sql.types import IntegerType, LongType, StringType, StructType

# Not as text, which a client of Spark Connect cannot parse here.
TIER = StructType().add("tier", StringType())
MET = (
    StructType()
    .add("ordinal", LongType())
    .add("timestamp", LongType())
    .add("key", StringType())
    .add("item", StringType())
    .add("amount", IntegerType())
    .add("tier", StringType())
)


class MeetNewest(StatefulProcessor):
    """Keeps the tier of each customer; an order meets the newest one before it, in order of ordinals."""

    def init(self, handle: StatefulProcessorHandle) -> None:
        self._tier = handle.getValueState("tier", TIER)

    def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
        before = self._tier.get()
        tier = known = None if before is None else before[0]
        for row in sorted(rows, key=lambda event: event.ordinal):
            if not row.is_order:
                tier = row.tier
            elif tier is not None:
                yield Row(
                    ordinal=row.ordinal,
                    timestamp=row.timestamp,
                    key=key[0],
                    item=row.item,
                    amount=row.amount,
                    tier=tier,
                )
        if tier is None and known is not None:
            self._tier.clear()
        elif tier != known:
            self._tier.update((tier,))

    def close(self) -> None:
        pass
