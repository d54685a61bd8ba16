"""The order of records in Kafka, whose partitions have no common order of arrival.

The rows of a batch are newer than all earlier rows, regardless of their times. The ordinal of a TABLE's row begins with
the time of the batch, in microseconds. So the versions of rows have one order, however topics and partitions progress.
Each stage adds its own batch time to the rows that a record becomes. A query fails if the clock of its server was set
back, because the rows of the batch would not be newer. Old checkpoints have ordinals that begin with a time in
milliseconds, or with 0. These are lower.

If topics are merged by time, the records of a batch are merged like those of a task of Kafka Streams. Among the next
records of all partitions, the one with the smallest time comes first. For equal times, the record of the table comes
first, then that of the first topic and partition. This is the order of the running maximum: the highest time in a
record's partition up to the record. An event's ordinal in the join begins with its position, which has five numbers:

- the time of the batch
- the running maximum
- 0 for the table and 1 for the stream, or the number of the topic
- the partition
- the offset

The event's own ordinal follows.

Files have no partitions that could be merged. In a batch, a TABLE of files comes before the records of all topics. A
STREAM of files comes after them, in the order of its files (docs/reference/files.md). Event times are not used.
"""

from __future__ import annotations

from lsqlc.lower.spark.arrays_by_key import BATCH
from lsqlc.lower.spark.builder import Builder
from lsqlc.plan import nodes
from lsqlc.plan.kafka_order import ORDINAL_WIDTH
from lsqlc.types.record import LATEST

# The time of the batch, as the first number of ordinals.
_NOW = f"unix_micros({BATCH})"
# The smallest batch time: 2001 in microseconds. Times in milliseconds would be after the year 33,000.
_A_BATCH = 1_000_000_000_000_000
# The error of a batch whose time is before that of an earlier one.
CLOCK_SET_BACK = "LSQLC-CLOCK"
# The count of numbers that `found` adds before an ordinal, and that a position has.
_FOUND, _PLACE = 2, 5
# The count of numbers of a record's own ordinal after the time of its batch.
_DATED = 1 + ORDINAL_WIDTH
# The replacement for the running maximum of files: before all times, and after them.
_BEFORE_TIMES, _AFTER_TIMES = -1, LATEST + 1


def on_kafka(build: Builder) -> bool:
    """Return whether the topics are in Kafka."""
    return build.wires is not None


def is_merged(node: nodes.Join, build: Builder) -> bool:
    """Return whether the events of a join have positions. Records of files have an order of arrival."""
    return on_kafka(build) and max(node.left.ordinal_width, node.right.ordinal_width) > 1


def parts_of_record(node: nodes.Join, build: Builder) -> int:
    """Return the count of numbers of an ordinal that identify the record which has changed rows of TABLEs."""
    return _DATED if is_merged(node, build) else 1


def in_batch(ordinal: str) -> str:
    """Return SQL of an ordinal with the time of its batch before it."""
    return f"array({_NOW}) || {ordinal}"


def undated(ordinal: str) -> str:
    """Return SQL of an ordinal without the time that `in_batch` has added."""
    return f"slice({ordinal}, 2, size({ordinal}))"


def in_turn(ordinal: str) -> str:
    """Return SQL of the ordinal of another stage's record, with its offset for the order of equal ordinals.

    A longer ordinal stays higher: the second one of two rows that a record ends and begins.
    """
    return f"{ordinal} || array(-2L, _offset)"


def found(ordinal: str) -> str:
    """Return SQL of an ordinal with the partition and the offset of its record before it."""
    return f"array(CAST(_partition AS BIGINT), _offset) || {ordinal}"


def placed(node: nodes.Join, first: int, build: Builder) -> str:
    """Add the positions of the last piece's rows to `_ord`, which has the form of `found`.

    `first`: the index of the side whose rows have `_s`.
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
    """Return SQL of the order of the sides for equal times: 0 or 1.

    If both sides are the same topic, its events have the order of their partition.
    """
    left, right = (nodes.scans(side)[0].topic.name for side in (node.left, node.right))
    if left == right:
        return "0L"
    # In a join of a stream and a table, the stream is the first side.
    return f"if({'_s' if node.style == 'stream-stream' and left < right else 'NOT _s'}, 0L, 1L)"


def before(
    row: str, record: str, table: nodes.Node, stream: nodes.Node, build: Builder, *, merged: bool
) -> tuple[str, str]:
    """Return the conditions that an event of the table is before a record, and that it is not, by their ordinals.

    A record is joined with the rows of the table before it. The same applies to rows derived from the record, such as
    its elements and matches.
    """
    came = record if merged or stream.ordinal_width == 1 else f"array({record}[0])"
    earlier, later = f"{row} < {came}", f"{row} >= {came}"
    if not merged:
        return earlier, later
    if stream.ordinal_width > table.ordinal_width:
        cause = _own(row)
        same = f"slice({_own(record)}, 1, size({cause})) = {cause}"
    elif build.read_by(stream) & build.read_by(table) and stream.ordinal_width < table.ordinal_width:
        # The ordinal of a row that another stage has derived begins with its cause, after the time of that batch.
        cause = f"slice({_own(record)}, 1, {ORDINAL_WIDTH})"
        same = f"slice({_own(row)}, if({_own(row)}[0] < {_A_BATCH}L, 1, 2), {ORDINAL_WIDTH}) = {cause}"
    else:
        return earlier, later
    return f"{earlier} AND NOT ({same})", f"({later} OR {same})"


def own(ordinal: str, node: nodes.Join, build: Builder) -> str:
    """Return SQL of the ordinal of a record that is derived from an event.

    Between stages, it is the event's own ordinal. Otherwise the records of a batch are written in the order of their
    positions.
    """
    return _own(ordinal) if is_merged(node, build) and build.passes_on else ordinal


def in_time(value: str, newest: str, *, dated: bool) -> str:
    """Return SQL of a value of the newest events, which raises an error if they are of a later time than the batch.

    `newest`: their ordinal; `dated`: whether it begins with the time of a batch.
    """
    if not dated:
        return value
    return f"if({newest}[0] > {_NOW}, raise_error('{CLOCK_SET_BACK}'), {value})"


def _own(ordinal: str) -> str:
    """Return SQL of the ordinal after the position, which events of old checkpoints do not have."""
    return f"if({ordinal}[0] < {_A_BATCH}L, {ordinal}, slice({ordinal}, {_PLACE + 1}, size({ordinal})))"
