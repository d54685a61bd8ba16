"""How soon a query writes what it has read: a batch of records after the other, or each record as it comes."""

from __future__ import annotations

from typing import Literal, get_args

Latency = Literal["micro-batch", "real-time"]
LATENCIES: tuple[Latency, ...] = get_args(Latency)
