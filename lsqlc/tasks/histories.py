"""The histories of topics on a place: what a new query reads before it goes over to Kafka."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path

from lsqlc.connectors.transport import Offsets
from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.golden.show import plural
from lsqlc.lower.spark.history import History
from lsqlc.project.build.compile import Compilation
from lsqlc.project.declared.starts import Begun, Start
from lsqlc.remote.run.events import QuerySummary
from lsqlc.scan.data_files import data_files
from lsqlc.tasks.run_target import RunTarget
from lsqlc.types.codec_text import timestamp_text
from lsqlc.types.record import Topic

Ended = Mapping[str, Mapping[str, tuple[Topic, int]]]
"""By model and topic, the topic of files that has its older records, and the time at which these end."""


def history_finder(compilation: Compilation, place: RunTarget) -> Callable[[str, str], History]:
    """Gives the history of a topic by its name and that of the topic of files. The function raises LsqlcError (LSQ873)
    for a topic of files that is no longer declared.
    """
    declared = {d.topic.name: d.topic for d in compilation.project.topics}

    def find(topic: str, files: str) -> History:
        wires, found = place.wires, declared.get(files)
        assert wires is not None, "a history is refused where topics are in folders"
        if found is None or found.files is None:
            raise LsqlcError([_undeclared(topic, files)])
        return History(declared[topic], wires[topic], found)

    return find


def history_check(compilation: Compilation, place: RunTarget) -> Callable[[str, Start, Offsets], None]:
    """Refuses what a new query cannot go over from: LSQ873 for a place that is not Kafka with checkpoints in a folder,
    LSQ877 for a history without files, LSQ874 where records behind the end of a history are gone.
    """
    declared = {d.topic.name: d.topic for d in compilation.project.topics}

    def check(topic: str, start: Start, places: Offsets) -> None:
        if not start.history:
            return
        log = place.log
        if not place.capabilities.has_history or not isinstance(place.checkpoints, Path):
            raise LsqlcError([_elsewhere(topic, start, place)])
        files = declared[start.history].files
        assert files is not None, "a project whose histories do not fit is refused"
        if not data_files(place.root.resolve(), files):
            raise LsqlcError([_without_files(topic, start, files.path)])
        removed = tuple(removed_partitions(places, log.offsets(topic)))
        if removed:
            raise LsqlcError([_gap(topic, start, removed)])

    return check


def files_of(compilation: Compilation, starts: Iterable[Start | Begun]) -> tuple[Topic, ...]:
    """The topics of files that are histories in some starts."""
    names = {start.history for start in starts}
    return tuple(d.topic for d in compilation.project.topics if d.topic.name in names)


def history_text(compilation: Compilation, place: RunTarget, name: str) -> str:
    """How many files a history has, and how large they are."""
    (files,) = (d.topic.files for d in compilation.project.topics if d.topic.name == name)
    assert files is not None, "a project whose histories do not fit is refused"
    found = data_files(place.root.resolve(), files)
    return f"{plural(len(found), 'file')}, {sum(file.size for file in found):,} bytes"


def ended(compilation: Compilation, summaries: Iterable[QuerySummary]) -> Ended:
    """The histories that the queries of a run have read."""
    declared = {d.topic.name: d.topic for d in compilation.project.topics}
    found: dict[str, dict[str, tuple[Topic, int]]] = {}
    for summary in summaries:
        for topic, begun in summary.reads.items():
            if begun is not None and begun.history in declared:
                found.setdefault(summary.model, {})[topic] = (declared[begun.history], begun.time or 0)
    return found


def removed_partitions(places: Offsets, bounds: Mapping[int, tuple[int, int]]) -> Iterator[int]:
    """The partitions of which records behind the places may have been removed. Where one still has a record of before,
    retention has not come to the place.
    """
    sure = any(first < places.get(p, first) for p, (first, _) in bounds.items())
    for partition, (first, end) in bounds.items():
        # Of a partition that is empty by now others say how far retention has come.
        if first and places.get(partition, first) <= first and not (sure and first == end):
            yield partition


def _elsewhere(topic: str, start: Start, place: RunTarget) -> Diagnostic:
    return Diagnostic(
        "LSQ873",
        f"the history '{start.history}' of '{topic}' cannot be read on the target '{place.target.name}'",
        notes=("a history goes over to a topic in Kafka, and its files are seen by the server under the same path",),
        help="run on a target with `kafka:` whose checkpoints are in a folder, or with `--from earliest`, which reads "
        "the topics alone",
    )


def _undeclared(topic: str, files: str) -> Diagnostic:
    return Diagnostic(
        "LSQ873",
        f"the history '{files}' of '{topic}' is no longer a topic of files",
        notes=("a query that was stopped while it read that history still has to read the rest",),
        help="declare it again, or run with `--full-refresh`, which starts from the beginning",
    )


def _without_files(topic: str, start: Start, path: str) -> Diagnostic:
    return Diagnostic(
        "LSQ877",
        f"the history '{start.history}' of '{topic}' has no files",
        notes=(f"nothing is in '{path}', and the records of before would be missing in all results",),
        help="put the files there, or remove the history from `start:`",
    )


def _gap(topic: str, start: Start, partitions: tuple[int, ...]) -> Diagnostic:
    shown = ", ".join(map(str, partitions))
    until = "" if start.at is None else f" {timestamp_text(datetime.fromtimestamp(start.at / 1000, UTC))}"
    many = "partitions" if len(partitions) > 1 else "partition"
    return Diagnostic(
        "LSQ874",
        f"records of '{topic}' may be missing between its history and what Kafka still has",
        notes=(
            f"retention has removed records of the {many} {shown}, and what is left begins behind the end of the "
            f"history{until}",
        ),
        help="let the history end later: `until` must be a time of which Kafka still has older records",
    )
