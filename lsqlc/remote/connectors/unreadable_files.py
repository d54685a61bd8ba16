"""Files that cannot be read at all, as the client knows them: found, remembered beside the checkpoint, told.

The server's side is `batch_files`. Which forms of Parquet files can be read is decided here, by the same resolution
that DuckDB's side uses, so that both engines find the same files bad for the same reason. A file that Spark failed to
read twice is given up; it stays so for this checkpoint, whose batches may have to be read once more.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from lsqlc.connectors.shared import give_permissions
from lsqlc.diagnostics import Diagnostic, Severity, Span, listing
from lsqlc.lower.duckdb.infer import BROKEN, parquet_fault
from lsqlc.lower.spark.steps import FileSource, Stage
from lsqlc.plan.policies import skip_help
from lsqlc.remote.connectors.batch_files import Told, Watched, form_of, guard, local_path, offsets_of
from lsqlc.remote.connectors.publish import Guard
from lsqlc.remote.run.checkpoints import checkpoint_name
from lsqlc.scan.data_files import data_files

# How many files of a topic are looked at before a query starts, oldest and newest; of others the server asks.
_AHEAD = 100
_GIVEN_UP = 2
# Questions in a row, with no batch done between them, that are answered.
_QUESTIONS = 50


@dataclass(slots=True)
class UnreadableFiles:
    """What is known of the files of one query's topics, by topic: the reasons why some cannot be read, by path, and
    the forms of Parquet files that can, or their paths.
    """

    stage: Stage
    project: Path
    note: Path
    reasons: dict[str, dict[str, str]] = field(default_factory=dict)
    fine: dict[str, set[str]] = field(default_factory=dict)
    # Paths of files that are given up, with the time of their last change in epoch milliseconds, by topic.
    given_up: dict[str, dict[str, int]] = field(default_factory=dict)
    tries: Counter[tuple[str, str]] = field(default_factory=Counter)
    asked: int = 0

    @property
    def sources(self) -> tuple[FileSource, ...]:
        return tuple(step for step in self.stage.steps if isinstance(step, FileSource))

    def left_out(self) -> Stage:
        """The stage, which does not read what cannot be read."""
        steps = tuple(
            replace(s, left_out=tuple(sorted(self.reasons.get(s.topic, {})))) if isinstance(s, FileSource) else s
            for s in self.stage.steps
        )
        return replace(self.stage, steps=steps)

    def guard(self, checkpoint: Path) -> Guard:
        """What looks at the query's batches on the server."""
        return guard(str(checkpoint), tuple(self._watched(source) for source in self.sources))

    def _watched(self, source: FileSource) -> Watched:
        known, fine = self.reasons.get(source.topic, {}), frozenset(self.fine.get(source.topic, ()))
        files, is_parquet = source.files, source.files.format == "parquet"
        top = str(self.project)
        return source.topic, top, files.root, is_parquet, source.unreadable, dict(known), fine, source.wanted

    def answered(self, asked: Told) -> bool:
        """Take what the server says, and return whether the query can start again; else it is to fail."""
        self.asked += 1
        if asked.kind == "unread" or self.asked > _QUESTIONS:
            return False
        for topic, path, form in asked.files:
            if asked.kind == "unknown":
                self._judge(topic, path, form)
            elif asked.kind == "broken":
                self.tries[topic, path] += 1
                if self.tries[topic, path] >= _GIVEN_UP:
                    if any(s.unreadable == "fail" for s in self.sources):
                        return False
                    self._give_up(topic, path)
        return True

    def _give_up(self, topic: str, path: str) -> None:
        with suppress(FileNotFoundError):
            modified = (self.project / path).stat().st_mtime_ns // 1_000_000
            self.given_up.setdefault(topic, {})[path] = modified
        self.reasons.setdefault(topic, {})[path] = BROKEN
        made = self.note.with_suffix(".new")
        made.write_text(json.dumps(self.given_up), "utf-8")
        give_permissions(made, made.parent)
        made.replace(self.note)

    def look_ahead(self) -> None:
        """Judge the Parquet files that are there, as far as they are few."""
        for source in self.sources:
            if source.files.format != "parquet":
                continue
            found = data_files(self.project, source.files)
            for file in found if len(found) <= _AHEAD else (*found[: _AHEAD // 2], *found[-_AHEAD // 2 :]):
                form = form_of(str(self.project / file.path))
                if form not in self.fine.get(source.topic, ()):
                    self._judge(source.topic, file.path, form)

    def _judge(self, topic: str, path: str, form: str) -> None:
        """Look at a Parquet file for all that is asked of its topic. What DuckDB can read is fine."""
        scans = (s for s in self.sources if s.topic == topic)
        faults = (parquet_fault(self.project / path, s.columns, s.files) for s in scans)
        why = next((fault for fault in faults if fault), None)
        if why is None:
            self.fine.setdefault(topic, set()).add(form or path)
        else:
            self.reasons.setdefault(topic, {})[path] = why


def open_files(stage: Stage, project: Path | None, checkpoint: Path) -> UnreadableFiles | None:
    """What is known of the files of a stage; None if it reads none. `checkpoint`: Spark's folder of it."""
    if project is None or not any(isinstance(step, FileSource) for step in stage.steps):
        return None
    note = checkpoint.parent / f"files-{checkpoint.name}.json"
    found = UnreadableFiles(stage, project, note)
    # What is in it is a matter of speed alone: a file that is not given up is tried again.
    with suppress(OSError, ValueError):
        found.given_up = json.loads(note.read_text("utf-8"))
    for source in found.sources:
        there = {f.path: f.modified for f in data_files(project, source.files)}
        for path, modified in found.given_up.get(source.topic, {}).items():
            # One that has been mended since is not left out.
            if there.get(path, modified) == modified:
                found.reasons.setdefault(source.topic, {})[path] = BROKEN
    found.look_ahead()
    return found


def unreadable(model: str, asked: Told, skip_setting: str) -> list[Diagnostic]:
    """LSQ441 for each file that stopped a query."""
    return [
        Diagnostic(
            "LSQ441",
            f"the model '{model}' cannot read the file '{path}': {why or BROKEN}",
            Span(path, 1, 1, 1, 1),
            (f"it belongs to the topic '{topic}'", "the model's error policy is to fail"),
            skip_help("file", skip_setting),
        )
        for topic, path, why in asked.files
    ]


def replaced(stage: Stage, project: Path, checkpoints: Path) -> Iterator[Diagnostic]:
    """LSQ446, a warning, for each topic of a stage with files that have changed since the query read them."""
    sources = [step for step in stage.steps if isinstance(step, FileSource)]
    own = sorted((checkpoints / checkpoint_name(stage.name)).glob("spark-[0-9]*"))
    if not sources or not own:
        return
    read = {path: (time, done) for path, time, done in _read(own[-1])}
    for source in sources:
        changed = []
        for file in data_files(project, source.files):
            path = project / file.path
            time, done = read.get(str(path), (file.modified, 0))
            # One that was mended before its batch was done was read as it is now.
            if time != file.modified and path.stat().st_ctime_ns > done:
                changed.append(file.path)
        if changed:
            yield Diagnostic(
                "LSQ446",
                f"the query '{stage.name}' has read files of '{source.topic}' that changed since: {listing(changed)}",
                notes=("a file is only read once; its new content is not read",),
                help="put new records into new files, or run with `--full-refresh` to read all files again",
                severity=Severity.WARNING,
            )


def _read(checkpoint: Path) -> Iterator[tuple[str, int, int]]:
    """The files that a checkpoint's query has read: their path, their modification time when they were listed in epoch
    milliseconds, and in nanoseconds when their batch was done, at the latest.
    """
    batches = sorted(int(p.name) for p in (checkpoint / "commits").glob("[0-9]*"))
    done = [(checkpoint / "commits" / str(b)).stat().st_mtime_ns for b in batches]
    reached = [offsets_of(str(checkpoint), b) for b in batches]
    for source in sorted(checkpoint.glob("sources/[0-9]*")):
        place = int(source.name)
        last = [of[place] if place < len(of) else -1 for of in reached]
        notes = sorted((int(p.name.partition(".")[0]), p) for p in source.iterdir() if p.name[0].isdigit())
        whole = max((number for number, p in notes if p.suffix == ".compact"), default=-1)
        for number, note in notes:
            # The newest of those that are made of all that came before them has all of it.
            if number < whole or (number == whole and note.suffix != ".compact"):
                continue
            for line in note.read_text("utf-8").splitlines()[1:]:
                row = json.loads(line)
                batch = bisect_left(last, row["batchId"])
                if batch < len(done):
                    yield local_path(row["path"]), int(row["timestamp"]), done[batch]
