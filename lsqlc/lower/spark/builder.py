"""The steps of a stage in the making: pieces of SQL gathered into views, each piece with its name and reason."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from typing import Literal

from lsqlc.lower.spark.layouts import Kind
from lsqlc.lower.spark.readings import Reading
from lsqlc.lower.spark.steps import FileSource, Observe, Origin, Source, Stage, Step, Unreadable, View, Watermark, Write
from lsqlc.lower.spark.versions import NEWEST, Version
from lsqlc.lower.spark.wire.records import TopicWire, Wires, line
from lsqlc.plan import nodes
from lsqlc.sql.spark import text
from lsqlc.sql.writer import Cte, Sql, remark, with_ctes
from lsqlc.types.data import Field
from lsqlc.types.files import Files
from lsqlc.types.record import Topic

# How a part of `Builder.state` says that it is not bounded by the keys: what it keeps of each is never forgotten.
GROWING = "growing with updates"


@dataclass(frozen=True, slots=True)
class Checks:
    """What lines are passed over. `reasons`: by topic, SQL of what is wrong with `_line`, or null. `counted`: topics
    whose bad lines some query of the model counts already. `passes_over`: what is bad does not fail the query. `read`:
    the topics of the reasons, with the fields that are read.
    """

    reasons: Mapping[str, str] = field(default_factory=dict)
    counted: set[str] = field(default_factory=set)
    passes_over: bool = False
    read: Mapping[str, Topic] = field(default_factory=dict)

    def of(self, *topics: str) -> str:
        """What is wrong with a line of one of these topics."""
        whens = "".join(f"\n  WHEN {text(t)} THEN {self.reasons[t]}" for t in topics)
        return f"CASE _topic{whens} END"


# Of the rows of a join of TABLEs the newest version of a batch, where that will do, or all, or all with their ranks, or
# these and the versions that count no more.
Versions = Literal["newest", "all", "ranked", "counted"]


@dataclass(slots=True)
class Builder:
    """`cases`: rows carry `_case`, which leads every key, so that many cases run side by side in one query. `server`:
    the version of Spark that the steps are for. `group_times`: the plan reads the time of the groups of a TABLE,
    or their ordinals. `versions`: what a join of TABLEs gives of its rows. `history`: it gives what counts under new
    keys, with or without what has left (see `table_table.entries`); None: its rows. `kinds`: what was taken for each
    operator with state, in the order in which they feed one another. `wires`: how topics on Kafka are stored; None:
    topics hold lines. `passes_on`: what is written are records for another stage, with their ordinals. `origins`: the
    topics that each topic between stages is made of. `of_files`: those that are made of files only. `forgetting`: those
    whose records also say which versions count no more (see `table_table`). `headers`: rows
    carry `_headers` of the record that they are made of. `real_time`: no step may look at a batch as a whole.
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
    _pieces: list[Cte] = field(default_factory=list)
    _number: int = 0

    @property
    def case(self) -> tuple[str, ...]:
        """The columns that every list begins with: in a run of cases the case, which every key begins with too, and the
        headers, where rows carry them. No key is made where they do.
        """
        return (*(("_case",) if self.cases else ()), *(("_headers",) if self.headers else ()))

    @property
    def lead(self) -> str:
        """The same as what stands before the columns of a list or a key."""
        return "".join(f"{column}, " for column in self.case)

    def same_case(self, left: str, right: str) -> str:
        """What stands before the condition of a join."""
        return f"{left}._case = {right}._case AND " if self.cases else ""

    def read_by(self, node: nodes.Node) -> frozenset[str]:
        """The topics that a node is made of, over all stages."""
        read = (scan.topic.name for scan in nodes.scans(node))
        return frozenset(origin for name in read for origin in self.origins.get(name, (name,)))

    @property
    def last(self) -> str:
        """The name of the newest piece."""
        return self._pieces[-1].name

    def source(
        self, *topics: str, places: bool = False, together: bool = False, headers: bool = False, letters: bool = False
    ) -> str:
        """A view over the records of topics; without those that cannot be read, where such are passed over.
        `places`: with the place of each, `headers`: with those, `together`: in batches of all that is there (see
        `Source`), `letters`: with the lines of letters (see `wire.records.line`).
        """
        name = self._name("lines")
        read, wires = tuple(sorted(set(topics))), self.wires or {}
        parsed = [t for t in read if self.columns_of(t)]
        unparsed = () if self.wires is None else tuple(t for t in read if t not in parsed)
        lines = tuple((t, line(wires.get(t), t, letters=letters)) for t in unparsed)
        timed = tuple(t for t in read if t in wires and wires[t].by_time)
        headers = headers or self.headers
        # A batch in real time ends by the clock, and takes no limit.
        whole = together or self.real_time
        self.steps.append(
            Source(
                name, read, places or bool(parsed), lines, timed, whole, bool(parsed), headers,
                real_time=self.real_time,
            )
        )  # fmt: skip
        checked = sorted(self.checks.reasons.keys() & set(topics))
        return self._good(name, checked, places, headers and not self.headers) if checked else name

    def columns_of(self, topic: str) -> TopicWire | None:
        """How the records of a topic lie in Kafka, where they are read from Kafka's columns; None: from lines."""
        if self.wires is None or self.checks.passes_over:
            return None
        return self.wires.get(topic)

    def reading(self, scan: nodes.Scan, number: int = 0, *, alone: bool = False) -> Reading:
        """How the records of a scan are read; `alone`: no row is of another scan."""
        wire = self.columns_of(scan.topic.name)
        return Reading(scan, wire, number, fails=not self.checks.passes_over, apart=alone and wire is not None)

    def files(
        self, topic: str, files: Files, columns: tuple[Field, ...], wanted: str = "", *, letters: bool = False
    ) -> str:
        """A view over what files say (see `FileSource`); `letters`: the query writes one for each that is broken."""
        name = self._name("rows")
        then: Unreadable = "fail"
        if self.checks.passes_over:
            then = "letter" if letters else "pass over" if topic in self.checks.counted else "count"
        self.steps.append(FileSource(name, topic, files, columns, then, wanted))
        return name

    def _good(self, lines: str, topics: list[str], places: bool, headers: bool) -> str:
        judged, good = self._name("judged"), self._name("good")
        reason = "what is wrong with each line"
        self.steps.append(View(judged, f"SELECT *, {self.checks.of(*topics)} AS _bad FROM {lines}", reason))
        fresh = [t for t in topics if t not in self.checks.counted]
        self.checks.counted.update(fresh)
        if fresh:
            among = f" AND _topic IN ({', '.join(map(text, fresh))})" if len(fresh) < len(topics) else ""
            judged = self.observe(judged, ("bad record", f"count_if(_bad IS NOT NULL{among})"))
        own = (", _partition, _offset" if places else "") + (", _headers" if headers else "")
        kept = f"SELECT {self.lead}_topic, _line{own} FROM {judged} WHERE _bad IS NULL"
        self.steps.append(View(good, kept, "the lines that can be read"))
        return good

    def add(self, kind: str, sql: Sql, reason: str) -> str:
        """A piece of SQL that the next view will hold; `reason` says in a line what it does."""
        name = self._name(kind)
        self._pieces.append(Cte(name, str(sql), reason))
        return name

    def view(self) -> str:
        """Close the pieces gathered into a view that is named like the last of them."""
        *before, last = self._pieces
        pieces = tuple((piece.name, piece.body) for piece in self._pieces) if before else ()
        sql = with_ctes(before, f"{remark(last.comment)}\n{last.body}") if before else last.body
        self.steps.append(View(last.name, sql, last.comment, pieces))
        self._pieces.clear()
        return last.name

    def observe(self, view: str, *metrics: tuple[str, str], name: str = "") -> str:
        """Count records of a view as they pass. `name`: that of the step; empty: one of its own."""
        name = name or self._name("counted")
        self.steps.append(Observe(name, view, metrics))
        return name

    def watermark(self, view: str, column: str, delay: int) -> str:
        name = self._name("timed")
        self.steps.append(Watermark(name, view, column, delay))
        return name

    def ends_state(self, rows: str, kind: Kind) -> str:
        """Say that the state depends on all that was added so far, and how the operator stores it; `rows`, the piece
        with its result, is handed on.
        """
        self.held = rows
        self.kinds.append(kind)
        return rows

    def disable_streaming_checks(self) -> None:
        """Switch off Spark's checks of streaming plans, which refuse a window function that sees one batch at a time.

        All of its checks go with that, so what this package builds must be right by itself.
        """
        self.settings["spark.sql.streaming.unsupportedOperationCheck"] = "false"
        self.keep_hash_aggregation()

    def keep_hash_aggregation(self) -> None:
        """Have aggregates that keep several values hash their groups: by default they fall back to sorting at 128
        groups, and a batch has thousands. That is a quarter to a third of its time.
        """
        self.settings["spark.sql.objectHashAggregate.sortBased.fallbackThreshold"] = "1000000"

    def single_stateful_operator(self) -> None:
        """Have the stage's one operator with a watermark judge what is late by all batches before. Where operators may
        follow one another, Spark leaves the last batch out for their sake, and keeps what is late a batch too long.
        """
        self.settings["spark.sql.streaming.statefulOperator.allowMultiple"] = "false"

    def stage(self, name: str, write: Write, origin: Origin, held: str | None = "") -> Stage:
        settings, state = tuple(sorted(self.settings.items())), tuple(self.state)
        steps = tuple(self.steps)
        return Stage(name, steps, write, settings, state, held=held, origin=origin, real_time=self.real_time)

    def _name(self, kind: str) -> str:
        self._number += 1
        return f"{kind}_{self._number}"
