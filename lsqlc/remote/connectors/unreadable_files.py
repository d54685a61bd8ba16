"""Files that cannot be read: the client detects them, stores them next to the checkpoint, and reports them.

`batch_files` is the part on the server. The client decides which Parquet files can be read, by the same rules as
DuckDB. So both engines reject the same files for the same reason. A file that Spark has failed to read twice is given
up for this checkpoint, because a batch may be repeated.
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

# The maximum of files of a topic that are checked before a query starts, the oldest and the newest ones. The server
# sends requests for the others.
_AHEAD = 100
_GIVEN_UP = 2
# The maximum of requests without a complete batch in between.
_QUESTIONS = 50


@dataclass(slots=True)
class UnreadableFiles:
    """The files of a query's topics that cannot be read.

    `reasons`: by topic and path, why a file cannot be read; `fine`: by topic, the schemas, or else the paths, of
    Parquet files that can be read; `note`: the file next to the checkpoint; `asked`: the requests since the last batch.
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
        """Return the stage without the files that cannot be read."""
        steps = tuple(
            replace(s, left_out=tuple(sorted(self.reasons.get(s.topic, {})))) if isinstance(s, FileSource) else s
            for s in self.stage.steps
        )
        return replace(self.stage, steps=steps)

    def guard(self, checkpoint: Path) -> Guard:
        """Return the guard of the query's batches, for the server."""
        return guard(str(checkpoint), tuple(self._watched(source) for source in self.sources))

    def _watched(self, source: FileSource) -> Watched:
        reasons, fine = self.reasons.get(source.topic, {}), frozenset(self.fine.get(source.topic, ()))
        files, is_parquet = source.files, source.files.format == "parquet"
        top = str(self.project)
        return source.topic, top, files.root, is_parquet, source.unreadable, dict(reasons), fine, source.wanted

    def answered(self, request: Told) -> bool:
        """Handle a request of the server. Return whether the query can start again; otherwise it must fail."""
        self.asked += 1
        if request.kind == "unread" or self.asked > _QUESTIONS:
            return False
        for topic, path, form in request.files:
            if request.kind == "unknown":
                self._judge(topic, path, form)
            elif request.kind == "broken":
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
        temporary = self.note.with_suffix(".new")
        temporary.write_text(json.dumps(self.given_up), "utf-8")
        give_permissions(temporary, temporary.parent)
        temporary.replace(self.note)

    def look_ahead(self) -> None:
        """Check existing Parquet files, up to `_AHEAD` of each topic."""
        for source in self.sources:
            if source.files.format != "parquet":
                continue
            files = data_files(self.project, source.files)
            for file in files if len(files) <= _AHEAD else (*files[: _AHEAD // 2], *files[-_AHEAD // 2 :]):
                form = form_of(str(self.project / file.path))
                if form not in self.fine.get(source.topic, ()):
                    self._judge(source.topic, file.path, form)

    def _judge(self, topic: str, path: str, form: str) -> None:
        """Check a Parquet file against the columns that the query reads, by the rules of DuckDB."""
        scans = (s for s in self.sources if s.topic == topic)
        faults = (parquet_fault(self.project / path, s.columns, s.files) for s in scans)
        why = next((fault for fault in faults if fault), None)
        if why is None:
            self.fine.setdefault(topic, set()).add(form or path)
        else:
            self.reasons.setdefault(topic, {})[path] = why


def open_files(stage: Stage, project: Path | None, checkpoint: Path) -> UnreadableFiles | None:
    """Return the unreadable files of a stage; None if it reads no files. `checkpoint`: the folder of Spark's part."""
    if project is None or not any(isinstance(step, FileSource) for step in stage.steps):
        return None
    note = checkpoint.parent / f"files-{checkpoint.name}.json"
    unreadable_files = UnreadableFiles(stage, project, note)
    # Without the note, Spark only tries to read these files again.
    with suppress(OSError, ValueError):
        unreadable_files.given_up = json.loads(note.read_text("utf-8"))
    for source in unreadable_files.sources:
        files = {f.path: f.modified for f in data_files(project, source.files)}
        for path, modified in unreadable_files.given_up.get(source.topic, {}).items():
            # A file that has changed in between is read.
            if files.get(path, modified) == modified:
                unreadable_files.reasons.setdefault(source.topic, {})[path] = BROKEN
    unreadable_files.look_ahead()
    return unreadable_files


def unreadable(model: str, request: Told, skip_setting: str) -> list[Diagnostic]:
    """Return LSQ441 for each file that stopped a query."""
    return [
        Diagnostic(
            "LSQ441",
            f"the model '{model}' cannot read the file '{path}': {why or BROKEN}",
            Span(path, 1, 1, 1, 1),
            (f"it belongs to the topic '{topic}'", "the model's error policy is to fail"),
            skip_help("file", skip_setting),
        )
        for topic, path, why in request.files
    ]


def replaced(stage: Stage, project: Path, checkpoints: Path) -> Iterator[Diagnostic]:
    """Yield LSQ446, a warning, for each topic of a stage with files that have changed after the query read them."""
    sources = [step for step in stage.steps if isinstance(step, FileSource)]
    own = sorted((checkpoints / checkpoint_name(stage.name)).glob("spark-[0-9]*"))
    if not sources or not own:
        return
    read = {path: (time, committed) for path, time, committed in _read(own[-1])}
    for source in sources:
        changed = []
        for file in data_files(project, source.files):
            path = project / file.path
            time, committed = read.get(str(path), (file.modified, 0))
            # A file that changed before the commit of its batch was read in its present form.
            if time != file.modified and path.stat().st_ctime_ns > committed:
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
    """Yield the files that a query has read, from its checkpoint.

    Each has its path and its modification time at the listing, in epoch milliseconds. The third value is the latest
    possible time of its batch's commit, in nanoseconds since 1970.
    """
    batches = sorted(int(p.name) for p in (checkpoint / "commits").glob("[0-9]*"))
    commits = [(checkpoint / "commits" / str(b)).stat().st_mtime_ns for b in batches]
    ends = [offsets_of(str(checkpoint), b) for b in batches]
    for source in sorted(checkpoint.glob("sources/[0-9]*")):
        index = int(source.name)
        last = [of[index] if index < len(of) else -1 for of in ends]
        entries = sorted((int(p.name.partition(".")[0]), p) for p in source.iterdir() if p.name[0].isdigit())
        compact = max((number for number, p in entries if p.suffix == ".compact"), default=-1)
        for number, entry in entries:
            # The newest compact entry repeats all earlier entries.
            if number < compact or (number == compact and entry.suffix != ".compact"):
                continue
            for line in entry.read_text("utf-8").splitlines()[1:]:
                row = json.loads(line)
                batch = bisect_left(last, row["batchId"])
                if batch < len(commits):
                    yield local_path(row["path"]), int(row["timestamp"]), commits[batch]
