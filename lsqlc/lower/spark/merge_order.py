"""The order of records that lie in Kafka, whose partitions have no common order of arrival.

What a batch brings is newer than all before it, whatever the times are: the rows of a TABLE have the time of the batch
in microseconds as the first number of their ordinals. So the state of a later batch stands above that of an earlier
one, and versions of rows follow one another in one order however topics and partitions progress. What one record
becomes in several stages is dated by each. A query fails where the clock of its server was set back: what the batch
brings could not be distinguished from what was there. Checkpoints of before hold ordinals that begin with a time in
milliseconds, or with 0: these are lower.

Where topics meet by time, the records of a batch are merged as Kafka Streams merges those of a task: of the records
that are next in each partition the one with the least time comes first, at a tie the table's, then the one of the
first topic and partition. That is the order of the highest time in a record's partition up to the record: its running
maximum. An event's ordinal in the join begins with its place: the time
of the batch, the running maximum, 0 for the table and 1 for the stream (or the number of the topic), the partition and
the offset. Its own ordinal follows.

Files have no partitions that could be merged: in a batch a TABLE of files comes before the records of all topics and a
STREAM of files behind them, in the order of its files (docs/reference/files.md). Their event times count for nothing
in it.
"""

from __future__ import annotations

from lsqlc.lower.spark.arrays_by_key import BATCH
from lsqlc.lower.spark.builder import Builder
from lsqlc.plan import nodes
from lsqlc.plan.kafka_order import ORDINAL_WIDTH
from lsqlc.types.record import LATEST

# The time of the batch, as the first number of ordinals.
_NOW = f"unix_micros({BATCH})"
# What lies above it is such a time: it is of this century, and milliseconds are of years after 33,000.
_A_BATCH = 1_000_000_000_000_000
# The error of a batch whose time is before that of an earlier one.
CLOCK_SET_BACK = "LSQLC-CLOCK"
# How many numbers `found` has before an ordinal, and how many a place has.
_FOUND, _PLACE = 2, 5
# Those of a record's own ordinal, behind the time of its batch.
_DATED = 1 + ORDINAL_WIDTH
# What comes of files, in place of the highest time: before all times, and behind them.
_BEFORE_TIMES, _AFTER_TIMES = -1, LATEST + 1


def on_kafka(build: Builder) -> bool:
    """Whether the topics lie in Kafka."""
    return build.wires is not None


def is_merged(node: nodes.Join, build: Builder) -> bool:
    """Whether the events of a join have places. What comes of files has an order of arrival."""
    return on_kafka(build) and max(node.left.ordinal_width, node.right.ordinal_width) > 1


def parts_of_record(node: nodes.Join, build: Builder) -> int:
    """How many numbers of an ordinal tell the records apart that changed the rows of TABLEs."""
    return _DATED if is_merged(node, build) else 1


def in_batch(ordinal: str) -> str:
    """An ordinal behind the time of its batch."""
    return f"array({_NOW}) || {ordinal}"


def undated(ordinal: str) -> str:
    """What `in_batch` dated, as it was."""
    return f"slice({ordinal}, 2, size({ordinal}))"


def in_turn(ordinal: str) -> str:
    """The ordinal of what another stage wrote, behind those that equal it and lie before it in the partition. What is
    longer stays higher: of two rows that one record ends and begins, the second.
    """
    return f"{ordinal} || array(-2L, _offset)"


def found(ordinal: str) -> str:
    """An ordinal behind the partition and the offset of its record."""
    return f"array(CAST(_partition AS BIGINT), _offset) || {ordinal}"


def placed(node: nodes.Join, first: int, build: Builder) -> str:
    """The last piece's rows with their places, in `_ord`, from what `found` gives. `first` is the side whose rows have
    `_s`.
    """
    highest = "max(_ts) OVER (PARTITION BY _s, _ord[0] ORDER BY _ord[1] ROWS UNBOUNDED PRECEDING)"
    own = f"slice(_ord, {_FOUND + 1}, size(_ord))"
    place = f"array({_NOW}, {highest}, {_rank(node)}, _ord[0], _ord[1])"
    for number, side in enumerate((node.left, node.right)):
        scan = nodes.scans(side)[0]
        if scan.topic.name in build.of_files:
            mine = "_s" if number == first else "NOT _s"
            at = _BEFORE_TIMES if scan.semantics == "TABLE" else _AFTER_TIMES
            place = f"if({mine}, array({_NOW}, {at}L, {_rank(node)}, 0L, 0L), {place})"
    return build.add(
        "placed",
        f"SELECT {build.lead}_s, {place} || {own} AS _ord,\n  _ts, _live, k0, v0, k1, v1\nFROM {build.last}",
        "each with its place in the batch: the highest time of its partition so far comes first",
    )


def _rank(node: nodes.Join) -> str:
    """By what the sides come at a tie: 0 and 1. The events of a topic that is both sides have the order of their
    partition.
    """
    left, right = (nodes.scans(side)[0].topic.name for side in (node.left, node.right))
    if left == right:
        return "0L"
    # Of a stream and a table the stream is the first side.
    return f"if({'_s' if node.style == 'stream-stream' and left < right else 'NOT _s'}, 0L, 1L)"


def before(
    row: str, record: str, table: nodes.Node, stream: nodes.Node, build: Builder, *, merged: bool
) -> tuple[str, str]:
    """The conditions that an event of the table is before a record, and that it is not, by their ordinals. A record
    meets the table as it was before it, and so does all that it is made to: its elements, its matches.
    """
    came = record if merged or stream.ordinal_width == 1 else f"array({record}[0])"
    earlier, later = f"{row} < {came}", f"{row} >= {came}"
    if not merged:
        return earlier, later
    if stream.ordinal_width > table.ordinal_width:
        cause = _own(row)
        same = f"slice({_own(record)}, 1, size({cause})) = {cause}"
    elif build.read_by(stream) & build.read_by(table) and stream.ordinal_width < table.ordinal_width:
        # Of a table that another stage has derived, a row begins with what caused it, behind the time of that batch.
        cause = f"slice({_own(record)}, 1, {ORDINAL_WIDTH})"
        same = f"slice({_own(row)}, if({_own(row)}[0] < {_A_BATCH}L, 1, 2), {ORDINAL_WIDTH}) = {cause}"
    else:
        return earlier, later
    return f"{earlier} AND NOT ({same})", f"({later} OR {same})"


def own(ordinal: str, node: nodes.Join, build: Builder) -> str:
    """What a derived record has of an event's ordinal. Between stages that is the event's own one; else the records of
    a batch are written in the order of their places.
    """
    return _own(ordinal) if is_merged(node, build) and build.passes_on else ordinal


def in_time(value: str, newest: str, *, dated: bool) -> str:
    """A value of the newest events that are kept, where they are of this batch. `newest`: their ordinal; `dated`: it
    begins with the time of a batch.
    """
    if not dated:
        return value
    return f"if({newest}[0] > {_NOW}, raise_error('{CLOCK_SET_BACK}'), {value})"


def _own(ordinal: str) -> str:
    """The ordinal behind the place, which events of checkpoints of before do not have."""
    return f"if({ordinal}[0] < {_A_BATCH}L, {ordinal}, slice({ordinal}, {_PLACE + 1}, size({ordinal})))"
