"""Checkpoints as Spark leaves them, for tests without Spark."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from lsqlc.connectors.folders.log import FileLog
from lsqlc.lower.spark.checkpoint_parts import Parts
from lsqlc.remote.run.batch_log import file_address
from lsqlc.remote.run.checkpoints import CheckpointRequest, open_checkpoint
from lsqlc.remote.run.graph import Node
from lsqlc.tasks.run_target import RunTarget


def leave(place: RunTarget, of: Sequence[Node], parts_of: Callable[[Node], Parts]) -> None:
    """Checkpoints of these queries, with one batch that has read what is in their topics."""
    store, streams = place.store(), place.streams()
    assert isinstance(place.log, FileLog)
    for node in of:
        opened = open_checkpoint(store, streams, CheckpointRequest(node.query, node.stage.write.topic, parts_of(node)))
        lines = []
        for number, source in enumerate(node.stage.sources):
            segments = [s for topic in source.topics for s in place.log.segments(topic)]
            written(Path(opened.location), f"sources/{number}/0", ["v1", *map(entry, segments)])
            lines.append('{"logOffset":0}')
        written(Path(opened.location), "offsets/0", ["v1", '{"batchWatermarkMs":0}', *lines])
        written(Path(opened.location), "commits/0", ["v1", '{"nextBatchWatermarkMs":0}'])
        written(Path(opened.location), "metadata", ['{"id":"1"}'])


def entry(segment: Path) -> str:
    return json.dumps({"path": file_address(segment.absolute()), "timestamp": 0, "batchId": 0})


def written(location: Path, path: str, lines: Iterable[str]) -> None:
    (location / path).parent.mkdir(parents=True, exist_ok=True)
    (location / path).write_text("\n".join(lines))
