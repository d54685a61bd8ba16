"""The parts of a Spark query: a frozen list of steps that `remote` executes and that prints as commented SQL.

In folders lines are the wire format. A `Source` view has the raw JSON lines of its topics. The view of a `Write` has
one column `line` with the JSON line of each output record. On Kafka they have the columns of a record. So only the
lowering decides on the format of records.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from lsqlc.connectors.skips import Skip
from lsqlc.lower.spark.layouts import Kind
from lsqlc.plan import nodes
from lsqlc.plan.expression import Expression, PythonCall
from lsqlc.plan.python_calls import python_calls
from lsqlc.types.data import Field
from lsqlc.types.error_policy import SKIP_IN_CONFIG
from lsqlc.types.files import Files
from lsqlc.types.record import Topic


@dataclass(frozen=True, slots=True)
class Past:
    """The history of a topic on Kafka: its records before the time `until`, in epoch milliseconds. Those of that time
    that lie in the topic are not read. `view`: the records, by the columns of Spark's Kafka source without `topic`;
    empty: they have been read.
    """

    topic: str
    until: int
    view: str = ""


@dataclass(frozen=True, slots=True)
class Source:
    """Read topics as one stream in order of arrival, into a view (`_topic` STRING, `_line` STRING).

    In a run of cases the view has `_case` STRING first. One source over several topics keeps their common order, which
    two sources would lose.

    `together`: what is there makes one batch, however much it is, unless the user limits batches: records of one topic
    are to meet those of another in their order, which batches would cut.

    `places`: `_partition` INT and `_offset` BIGINT behind them, where the record lies in its topic (`nodes.Scan`).
    `headers`: `_headers` ARRAY<STRUCT<key STRING, value BINARY>> too, null for a record without headers.
    `lines`: of topics on Kafka, by name the SQL that makes the line of a record from the columns of Spark's Kafka
    source; empty where the transport has lines, or no topic is read by them. `by_time`: those whose times come first in
    the order of records. `columns`: topics on Kafka that have no line are read from `_key` BINARY, `_value` BINARY and
    `_timestamp` BIGINT (epoch milliseconds), which the view has too. `name`: by which a checkpoint keeps its place;
    empty: it goes by its number. `beside`: what it gives is written between the records of other sources. `past`: the
    histories of topics (see `history`); `pinned`: only these are read. `real_time`: it is read record by record, not
    in batches. `skipped`: records that are left out (see `skips`); those of `counts_skipped`, topics, are counted here.
    """

    view: str
    topics: tuple[str, ...]
    places: bool = False
    lines: tuple[tuple[str, str], ...] = ()
    by_time: tuple[str, ...] = ()
    together: bool = False
    columns: bool = False
    headers: bool = False
    name: str = ""
    beside: bool = False
    past: tuple[Past, ...] = ()
    pinned: bool = False
    real_time: bool = False
    skipped: tuple[Skip, ...] = ()
    counts_skipped: frozenset[str] = frozenset()


Unreadable = Literal["fail", "pass over", "count", "letter"]


@dataclass(frozen=True, slots=True)
class FileSource:
    """Read a topic's files as they arrive, into a view.

    The view has `_path` STRING (from the project's root on) and `_at` BIGINT (the file's modification time, epoch
    milliseconds). `_bad` STRING is the reason that a row cannot be split into columns, or null; `_text` STRING is such
    a row. For CSV, `columns` of the files are `t<n>`, the text of a cell. For JSON and for CSV without columns there is
    `_line` instead, the whole line. For other formats they are `c<n>`, typed.

    `unreadable`: the treatment of a file that cannot be read: it fails the query, or is skipped, and counted or
    reported by a letter if that is the task of this query. `wanted`: SQL for those `_path` of the table `$FILES` that
    pass a filter; empty: all of them. `left_out`: paths of files that are not read. `name`: as of `Source`; `whole`:
    all files make one batch.
    """

    view: str
    topic: str
    files: Files
    columns: tuple[Field, ...]
    unreadable: Unreadable = "fail"
    wanted: str = ""
    left_out: tuple[str, ...] = ()
    name: str = ""
    whole: bool = False


@dataclass(frozen=True, slots=True)
class View:
    """A temporary view. `comment` says in one line what it is for. `pieces`: the parts that its SQL is made of by name,
    in order, the view itself last; empty: it is one.
    """

    name: str
    sql: str
    comment: str
    pieces: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Watermark:
    """The same rows under another name, with an event-time watermark on a TIMESTAMP column. `delay` is in
    milliseconds.
    """

    name: str
    view: str
    column: str
    delay: int


# The name of the step that counts the output, see `plan.nodes.Sink`: all other counts are of dropped rows.
COUNTED = "lsqlc_counted"
# And of the one that has the time of the newest record that is tested, in epoch milliseconds.
NEWEST_TIME = "lsqlc_newest"


@dataclass(frozen=True, slots=True)
class Observe:
    """The same rows under another name, counting as they pass: (metric name, SQL aggregate) pairs."""

    name: str
    view: str
    metrics: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Write:
    """Write the `line` column of a view to a topic; to one on Kafka its columns `key` BINARY, `value` BINARY,
    `timestamp` BIGINT (epoch milliseconds) and `ordinal` ARRAY<BIGINT>, with `headers` also `_headers` (see `Source`).
    `written`: the topic with its schema, `semantics` of its records; None: it is not looked at.
    """

    view: str
    topic: str
    mode: Literal["append", "update"]
    written: Topic | None = None
    semantics: Literal["STREAM", "TABLE"] = "STREAM"
    headers: bool = False


Step = Source | FileSource | View | Watermark | Observe


@dataclass(frozen=True, slots=True)
class Origin:
    """The part of a plan that a stage computes. `fed`: the output nodes, over topics only.

    `checked`: topics whose records are validated before they are parsed, with the validated fields. `files`: for a
    query that writes the records of unreadable files, the condition on the paths of the files. `kinds`: the storage of
    each stateful operator, inputs of others first. `timeless`: for a query that writes letters, by topic the condition
    of the records without a time.
    """

    fed: tuple[nodes.Node, ...] = ()
    checked: tuple[Topic, ...] = ()
    files: tuple[tuple[Topic, Expression | None], ...] = ()
    kinds: tuple[Kind, ...] = ()
    timeless: tuple[tuple[str, Expression], ...] = ()


@dataclass(frozen=True, slots=True)
class Stage:
    """One streaming query. `settings`: Spark settings to hold while it starts; `state` describes each state store.
    `interval`: milliseconds between the starts of batches where it goes on and on; None: the runner's.

    `held`: the name of the last step, or piece of one, that the state depends on; empty: none does; None: all do.
    `origin`: the nodes that these steps were made of, by which a checkpoint knows the stage (see `checkpoint_parts`).
    `real_time`: each record is written as it comes; `interval` is then that between the ends of batches, at which Spark
    notes what it has read.
    `skip_setting`: that of the plan.
    `first`: views without a source, the last of which has the rows that exist before the first record, in the columns
    of `write`; empty: there are none (see `first_rows`).
    """

    name: str
    steps: tuple[Step, ...]
    write: Write
    settings: tuple[tuple[str, str], ...] = ()
    state: tuple[str, ...] = ()
    interval: int | None = None
    held: str | None = None
    origin: Origin = Origin()
    real_time: bool = False
    skip_setting: str = SKIP_IN_CONFIG
    first: tuple[View, ...] = ()

    @property
    def version(self) -> str:
        """Return the identity of the SQL that makes records out of lines: another text may make other records of the
        same input.

        The reading of lines is left out, as it depends on the current schemas of a registry.
        """
        texts = (step.sql for step in self.steps if isinstance(step, View))
        return hashlib.sha256("\0".join((*texts, self.write.mode)).encode()).hexdigest()[:16]

    @property
    def python_calls(self) -> Mapping[str, PythonCall]:
        """The functions in Python that its SQL calls, by their names there."""
        return python_calls(self.origin.fed)

    @property
    def sources(self) -> tuple[Source, ...]:
        return tuple(s for s in self.steps if isinstance(s, Source))


@dataclass(frozen=True, slots=True)
class SparkPlan:
    """The stages of one model, in order of dependency. `strategy` names how each TABLE or join is carried."""

    stages: tuple[Stage, ...]
    strategy: tuple[str, ...] = ()
