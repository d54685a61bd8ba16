"""The batches of a query's checkpoint, with the names of its sources."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from lsqlc.lower.spark.source_names import source_names
from lsqlc.remote.run.batch_log import BatchLog
from lsqlc.remote.run.checkpoints import location_of
from lsqlc.remote.run.stores import CheckpointStore


def query_batches(
    store: CheckpointStore, query: str, description: Mapping[str, Any], sources: Sequence[str]
) -> BatchLog:
    """Return Spark's log of the batches of a query.

    `description`: the result of `described`; `sources`: as in `Parts`. Raises LsqlcError LSQ784 as the store does.
    """
    return replace(store.batches(location_of(store, query, description)), names=source_names(sources))
