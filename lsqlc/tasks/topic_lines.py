"""The records of topics as files of lines, as DuckDB reads them for a plan over whole topics."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import MappingProxyType

from lsqlc.connectors.transport import Offsets, Transport
from lsqlc.plan import Plan
from lsqlc.plan.kafka_order import by_time, meeting
from lsqlc.tasks.histories import Ended
from lsqlc.tasks.history_lines import behind_history
from lsqlc.tasks.merged_lines import merged_lines
from lsqlc.types.record import Topic

Segments = Mapping[str, tuple[Path, ...]]
"""Files of lines by topic, in order of the log."""

_Since = tuple[tuple[int, int], ...]


class TopicLines:
    """The files of the topics that some plans read. Each topic is read once for all plans.

    `folder`: where files are written, which must live as long as they are read; `root`: the project's folder; `begun`:
    by model and topic, the offsets before which nothing is read; `ended`: the histories that were read before.
    """

    def __init__(
        self,
        plans: Mapping[str, Plan],
        log: Transport,
        root: Path,
        folder: Path,
        *,
        begun: Mapping[str, Mapping[str, Offsets | None]] = MappingProxyType({}),
        ended: Ended = MappingProxyType({}),
    ) -> None:
        self._log, self._root, self._folder = log, root, folder
        self._begun, self._ended = begun, ended
        read_by = [topic for plan in plans.values() for topic in plan.inputs if topic.files is None]
        # Programs of both dialects may read one topic.
        self._inputs = {(topic.name, topic.ksql_json): topic for topic in read_by}
        self._segments = cache(self._read_segments)
        self._merged = cache(self._merge_segments)

    def of(self, plan: Plan) -> Segments:
        """The files of each topic that a plan reads, other than topics of files. Raises LsqlcError for a topic that
        cannot be read.
        """
        timed, met = by_time(plan), meeting(plan)
        since = {t: tuple(sorted((places or {}).items())) for t, places in self._begun.get(plan.name, {}).items()}
        past = self._ended.get(plan.name, {})
        return {
            t.name: self._merged(t.name, t.ksql_json, met[t.name], since.get(t.name, ()), past.get(t.name))
            if t.name in met and self._has_own_order(t)
            else self._segments(t.name, t.ksql_json, t.name in timed, since.get(t.name, ()), past.get(t.name))
            for t in plan.inputs
            if t.files is None
        }

    def _has_own_order(self, topic: Topic) -> bool:
        """Return whether the log gives ordinals to records, as Kafka does, and not their writers."""
        return self._log.ordinal_width(replace(topic, ordinal_width=1)) > 1

    def _read_segments(
        self, name: str, ksql_json: bool, timed: bool, since: _Since, past: tuple[Topic, int] | None
    ) -> tuple[Path, ...]:
        # A folder for each, as transports name their files by topic.
        own = Path(tempfile.mkdtemp(dir=self._folder))
        topic = self._inputs[name, ksql_json]
        segments = self._log.segments_for(topic, own, by_time=timed, since=dict(since))
        if past is not None:
            files, until = past
            return behind_history(segments, own, topic, files, until, self._root, timed=timed)
        if segments:
            return segments
        # DuckDB requires one file at least.
        empty = own / "empty.jsonl"
        empty.touch()
        return (empty,)

    def _merge_segments(
        self, name: str, ksql_json: bool, rank: int, since: _Since, past: tuple[Topic, int] | None
    ) -> tuple[Path, ...]:
        return tuple(merged_lines(path, rank) for path in self._segments(name, ksql_json, True, since, past))
