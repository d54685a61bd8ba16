"""The builder of a stage's steps: pieces of SQL, each with a name and a reason, are combined into views."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from typing import Literal

from lsqlc.lower.spark.layouts import Kind
from lsqlc.lower.spark.scan_decoding import ScanDecoding
from lsqlc.lower.spark.steps import FileSource, Observe, Origin, Source, Stage, Step, Unreadable, View, Watermark, Write
from lsqlc.lower.spark.versions import NEWEST, Version
from lsqlc.lower.spark.wire.records import TopicWire, Wires, line
from lsqlc.plan import nodes
from lsqlc.sql.spark import text
from lsqlc.sql.writer import Cte, Sql, remark, with_ctes
from lsqlc.types.data import Field
from lsqlc.types.files import Files
from lsqlc.types.record import Topic

# Marks a part of `Builder.state` whose size is not limited by the number of keys: its entries are never removed.
GROWING = "growing with updates"


@dataclass(frozen=True, slots=True)
class Checks:
    """The checks of lines.

    - `reasons`: by topic, SQL of the error of `_line`, null for a good line.
    - `counted`: topics whose bad lines another query of the model counts.
    - `passes_over`: whether bad records are skipped. Otherwise they fail the query.
    - `read`: the topics of the reasons, with the fields that are read.
    """

    reasons: Mapping[str, str] = field(default_factory=dict)
    counted: set[str] = field(default_factory=set)
    passes_over: bool = False
    read: Mapping[str, Topic] = field(default_factory=dict)

    def of(self, *topics: str) -> str:
        """Return SQL of the error of a line of one of these topics."""
        whens = "".join(f"\n  WHEN {text(t)} THEN {self.reasons[t]}" for t in topics)
        return f"CASE _topic{whens} END"


# The output of a join of TABLEs: the newest version of each row in a batch, all versions, all versions with their
# ranks, or all of these with the retracted versions.
Versions = Literal["newest", "all", "ranked", "counted"]


@dataclass(slots=True)
class Builder:
    """The state of a stage's construction.

    - `cases`: rows have `_case`, the first part of every key, so that many cases run in one query.
    - `server`: the version of Spark.
    - `group_times`: the plan reads the time of the groups of a TABLE, or their ordinals.
    - `versions`: the output of a join of TABLEs.
    - `history`: a join of TABLEs returns entries for new keys, with or without the removed ones (see
      `table_table.entries`); None: its rows.
    - `kinds`: the kind of each operator with state, from the first one to the last one.
    - `wires`: the encodings of topics in Kafka; None: topics have lines.
    - `passes_on`: the output has records for another stage, with their ordinals.
    - `origins`: the source topics of each topic between stages.
    - `of_files`: topics whose origins are only files.
    - `forgetting`: topics whose records include retracted versions (see `table_table`).
    - `headers`: rows have the `_headers` of their record.
    - `real_time`: no step may process a batch as a whole.
    - `before_records`: the steps compute the rows that exist before the first record (see `first_rows`).
    """

    cases: bool
    checks: Checks = field(default_factory=Checks)
    server: Version = NEWEST
    group_times: bool = False
    versions: Versions = "newest"
    history: bool | None = None
    steps: list[Step] = field(default_factory=list)
    settings: dict[str, str] = field(default_factory=dict)
    state: list[str] = field(default_factory=list)
    kinds: list[Kind] = field(default_factory=list)
    held: str = ""
    wires: Wires | None = None
    passes_on: bool = False
    origins: Mapping[str, frozenset[str]] = field(default_factory=dict)
    of_files: Set[str] = frozenset()
    forgetting: Set[str] = frozenset()
    headers: bool = False
    real_time: bool = False
    before_records: bool = False
    _pieces: list[Cte] = field(default_factory=list)
    _number: int = 0

    @property
    def case(self) -> tuple[str, ...]:
        """The columns with which every list begins: the case, in a run of cases, and the headers, if rows have them.

        Every key begins with the case too. Rows with headers have no operator with keys.
        """
        return (*(("_case",) if self.cases else ()), *(("_headers",) if self.headers else ()))

    @property
    def lead(self) -> str:
        """These columns as SQL, to be followed by the columns of a list or a key."""
        return "".join(f"{column}, " for column in self.case)

    def same_case(self, left: str, right: str) -> str:
        """Return the SQL that precedes the condition of a join."""
        return f"{left}._case = {right}._case AND " if self.cases else ""

    def read_by(self, node: nodes.Node) -> frozenset[str]:
        """Return the source topics of a node, over all stages."""
        read = (scan.topic.name for scan in nodes.scans(node))
        return frozenset(origin for name in read for origin in self.origins.get(name, (name,)))

    @property
    def last(self) -> str:
        """The name of the newest piece."""
        return self._pieces[-1].name

    def source(
        self, *topics: str, places: bool = False, together: bool = False, headers: bool = False, letters: bool = False
    ) -> str:
        """Add a view over the records of topics. Unreadable records are removed if the program skips them.

        `places`: with partition and offset; `headers`: with the headers; `together`: in batches of all available
        records (see `Source`); `letters`: with the lines of dead letters (see `wire.records.line`).
        """
        name = self._name("lines")
        read, wires = tuple(sorted(set(topics))), self.wires or {}
        parsed = [t for t in read if self.columns_of(t)]
        unparsed = () if self.wires is None else tuple(t for t in read if t not in parsed)
        lines = tuple((t, line(wires.get(t), t, letters=letters)) for t in unparsed)
        by_time = tuple(t for t in read if t in wires and wires[t].by_time)
        headers = headers or self.headers
        # A batch in real-time mode ends after an interval, and has no limit.
        whole = together or self.real_time
        self.steps.append(
            Source(
                name, read, places or bool(parsed), lines, by_time, whole, bool(parsed), headers,
                real_time=self.real_time,
            )
        )  # fmt: skip
        checked = sorted(self.checks.reasons.keys() & set(topics))
        return self._good(name, checked, places, headers and not self.headers) if checked else name

    def columns_of(self, topic: str) -> TopicWire | None:
        """Return the encoding of a topic that is read from Kafka's columns; None for a topic of lines."""
        if self.wires is None or self.checks.passes_over:
            return None
        return self.wires.get(topic)

    def scan_decoding(self, scan: nodes.Scan, number: int = 0, *, alone: bool = False) -> ScanDecoding:
        """Return the decoding of a scan's records. `alone`: the view has rows of this scan only."""
        wire = self.columns_of(scan.topic.name)
        as_columns = alone and wire is not None
        return ScanDecoding(scan, wire, number, fails=not self.checks.passes_over, as_columns=as_columns)

    def files(
        self, topic: str, files: Files, columns: tuple[Field, ...], selection: str = "", *, letters: bool = False
    ) -> str:
        """Add a view over the rows of files (see `FileSource`).

        `selection`: SQL of the selected files; `letters`: whether the query writes a dead letter for each broken file.
        """
        name = self._name("rows")
        then: Unreadable = "fail"
        if self.checks.passes_over:
            then = "letter" if letters else "pass over" if topic in self.checks.counted else "count"
        self.steps.append(FileSource(name, topic, files, columns, then, selection))
        return name

    def _good(self, lines: str, topics: list[str], places: bool, headers: bool) -> str:
        checked, good = self._name("judged"), self._name("good")
        reason = "the error of each line"
        self.steps.append(View(checked, f"SELECT *, {self.checks.of(*topics)} AS _bad FROM {lines}", reason))
        fresh = [t for t in topics if t not in self.checks.counted]
        self.checks.counted.update(fresh)
        if fresh:
            among = f" AND _topic IN ({', '.join(map(text, fresh))})" if len(fresh) < len(topics) else ""
            checked = self.observe(checked, ("bad record", f"count_if(_bad IS NOT NULL{among})"))
        own = (", _partition, _offset" if places else "") + (", _headers" if headers else "")
        sql = f"SELECT {self.lead}_topic, _line{own} FROM {checked} WHERE _bad IS NULL"
        self.steps.append(View(good, sql, "the lines that can be read"))
        return good

    def add(self, kind: str, sql: Sql, reason: str) -> str:
        """Add a piece of SQL to the next view, and return its name. `reason`: a line that describes the piece."""
        name = self._name(kind)
        self._pieces.append(Cte(name, str(sql), reason))
        return name

    def view(self) -> str:
        """Combine the pieces into a view with the name of the last one, and return this name."""
        *before, last = self._pieces
        pieces = tuple((piece.name, piece.body) for piece in self._pieces) if before else ()
        sql = with_ctes(before, f"{remark(last.comment)}\n{last.body}") if before else last.body
        self.steps.append(View(last.name, sql, last.comment, pieces))
        self._pieces.clear()
        return last.name

    def observe(self, view: str, *metrics: tuple[str, str], name: str = "") -> str:
        """Count records of a view. `name`: that of the step; empty: a new name. Rows before the first record are not
        counted.
        """
        if self.before_records:
            return view
        name = name or self._name("counted")
        self.steps.append(Observe(name, view, metrics))
        return name

    def watermark(self, view: str, column: str, delay: int) -> str:
        name = self._name("timed")
        self.steps.append(Watermark(name, view, column, delay))
        return name

    def ends_state(self, rows: str, kind: Kind) -> str:
        """Mark all pieces so far as relevant for the state. Return `rows`, the piece with the result of the operator.

        `kind`: the way in which the operator stores its state.
        """
        self.held = rows
        self.kinds.append(kind)
        return rows

    def disable_streaming_checks(self) -> None:
        """Disable Spark's checks of streaming plans, which reject window functions over one batch.

        This disables all checks, so this package itself must only build valid plans.
        """
        self.settings["spark.sql.streaming.unsupportedOperationCheck"] = "false"
        self.keep_hash_aggregation()

    def keep_hash_aggregation(self) -> None:
        """Use hash aggregation for aggregates with several values.

        By default Spark falls back to sort aggregation at 128 groups. A batch has thousands, and would take a quarter
        to a third longer.
        """
        self.settings["spark.sql.objectHashAggregate.sortBased.fallbackThreshold"] = "1000000"

    def single_stateful_operator(self) -> None:
        """Configure Spark for a stage with one operator with a watermark.

        The operator then uses the watermark after the last batch. If Spark supports several operators in a row, it uses
        the watermark before that batch, and drops late records one batch later.
        """
        self.settings["spark.sql.streaming.statefulOperator.allowMultiple"] = "false"

    def stage(self, name: str, write: Write, origin: Origin, state_end: str | None = "") -> Stage:
        """Return the stage. `state_end`: the last piece that the state depends on, see `Stage.held`."""
        settings, state = tuple(sorted(self.settings.items())), tuple(self.state)
        steps = tuple(self.steps)
        return Stage(name, steps, write, settings, state, held=state_end, origin=origin, real_time=self.real_time)

    def _name(self, kind: str) -> str:
        self._number += 1
        return f"{kind}_{self._number}"
