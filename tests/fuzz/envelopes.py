"""`python -m tests.fuzz.envelopes`: envelopes of Debezium, mutated at random, through each reader of records of Kafka
on the client, and with `--spark` through Spark.

A record has a value, or it is a bad record whose reason names the part that is wrong. All readers agree on it.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from lsqlc.connectors.bad_records import NO_JSON, BadRecord, raw_line, reader
from lsqlc.connectors.kafka.codec import Codecs, record_decoder
from lsqlc.connectors.kafka.raw_lines import line_writer
from lsqlc.functions.forms.json_values import json_of
from lsqlc.golden.case_records import raw_facet
from lsqlc.lower.spark.scan_decoding import ScanDecoding, parsed_columns
from lsqlc.lower.spark.validity import reason
from lsqlc.lower.spark.wire import records
from lsqlc.lower.spark.wire.encodings import encoding
from lsqlc.lower.spark.wire.records import TopicWire, line
from lsqlc.plan import nodes
from lsqlc.project.declared.facets import facet_of
from lsqlc.remote.server.embedded import EmbeddedServer, ServerOptions
from lsqlc.remote.session.session import connect
from lsqlc.types import codec
from lsqlc.types.codec import ValueProblems
from lsqlc.types.record import Record, Topic
from tests.fuzz.envelope_values import BY_TYPE, BYTES, FORMS, NAMES, OPS, ROW, SCHEMA, SOURCES, WRONG, Node
from tests.fuzz.run import MEMORY

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession

# Problems of the JSON as a whole: of the line in one reader, of the value in the other one.
_OF_JSON = re.compile("occurs twice in one object|half of a surrogate pair|nested deeper")
# Of bytes that are no envelope, each reader has its own words.
_OF_BYTES = re.compile(
    "^value: (expected JSON|the text ends|there is text after|the byte 0x|a control character|unknown escape"
    "|expected ('.'( or '.')?|a value|a name in quotes)$)"
)
# Seconds of the processor for one record and all readers.
LIMIT = 1.0
_COLUMNS = (
    "id INT, name STRING, price DECIMAL(12,4), at TIMESTAMP, hour TIME, day DATE, data BYTES, tags ARRAY<STRING>,"
    " codes ARRAY<INT>, more MAP<STRING,STRING>, part STRUCT<x: INT, y: STRING>, big BIGINT, ratio DOUBLE, ok BOOLEAN"
)


def _topic(format: str, **settings: Any) -> Topic:
    return Topic("t", value=facet_of({"format": format, "schema": _COLUMNS, **settings}), ordinal_width=3)


TOPICS: tuple[Topic, ...] = (
    _topic("debezium", times="micros", decimals="base64"),
    _topic("debezium", times="text", decimals="text", unavailable="null"),
    _topic("debezium", times="nanos", decimals="number", unavailable="keep", columns={"hour": "millis"}),
    _topic("debezium-changes", times="millis", decimals="number"),
    Topic("t", value=facet_of({"format": "debezium-changes", "schema": "STRING"}), ordinal_width=3),
)
_OF_TEXTS = TOPICS[-1]
# Rows without an envelope.
_PLAIN = (
    Topic("t", value=facet_of({"format": "json", "schema": _COLUMNS}), ordinal_width=3),
    Topic("t", value=facet_of({"format": "json", "schema": _COLUMNS.upper()}), ordinal_width=3, ksql_json=True),
)
TOPICS = (*TOPICS, *_PLAIN)


@dataclass(frozen=True, slots=True)
class Mutated:
    """The bytes of a record, and the topic that it is in."""

    seed: int
    topic: Topic
    value: bytes


def mutated(seed: int) -> Mutated:
    """The record of a seed."""
    random = Random(seed)
    topic = random.choice(TOPICS)
    node = _row(random) if topic in _PLAIN else _envelope(random, texts=topic is _OF_TEXTS)
    for _ in range(random.choice((0, 1, 1, 1, 2, 3))):
        node = _changed(random, node, random.randrange(_size(node)))
    written = _written(random, node).encode("utf-8", "surrogatepass")
    if random.random() < 0.25:
        for _ in range(random.choice((1, 1, 2))):
            written = _broken(random, written)
    return Mutated(seed, topic, written)


def _envelope(random: Random, *, texts: bool) -> Node:
    def row() -> Node:
        if texts:
            return '"{\\"_id\\": {\\"$oid\\": \\"x\\"}, \\"n\\": 1.50}"'
        return _row(random)

    op = random.choice(OPS[:6] + OPS[:3] * 3)
    members: list[tuple[str, Node]] = [
        ('"before"', random.choice(("null", row()))),
        ('"after"', "null" if op == '"d"' else row()),
        ('"source"', random.choice(SOURCES)),
        ('"op"', op),
        ('"ts_ms"', "1700000000100"),
        ('"transaction"', "null"),
    ]
    if random.random() < 0.2:
        random.shuffle(members)
    if random.random() < 0.3:
        return [('"schema"', SCHEMA), ('"payload"', members)]
    return members


def _row(random: Random) -> Node:
    """Return a row. Most of its times and numbers are as the topic says."""
    pairs = ((name, _usual(random, name, value)) for name, value in ROW)
    return [(name, value if random.random() < 0.9 else random.choice(BY_TYPE[name])) for name, value in pairs]


def _usual(random: Random, name: str, value: Node) -> Node:
    match name:
        case '"price"':
            return random.choice(("1.5000", '"MDk="', '"-7.25"'))
        case '"at"':
            return random.choice(("1700000000123", "1700000000123456", '"2023-11-14T22:13:20.123456Z"'))
        case '"hour"':
            return random.choice(("1500", "86399", '"01:02:03.5Z"'))
    return value


def _children(node: Node) -> Sequence[Node]:
    if isinstance(node, str):
        return ()
    return [value for _, value in node] if isinstance(node, list) else node


def _size(node: Node) -> int:
    return 1 + sum(map(_size, _children(node)))


def _changed(random: Random, node: Node, place: int) -> Node:
    """The node with a change at one of its parts, counted from itself."""
    if place == 0:
        return _change(random, node)
    place -= 1
    for n, child in enumerate(_children(node)):
        if place < _size(child):
            new = _changed(random, child, place)
            if isinstance(node, list):
                return [*node[:n], (node[n][0], new), *node[n + 1 :]]
            return (*node[:n], new, *node[n + 1 :])
        place -= _size(child)
    raise AssertionError("the place is in the node")


def _change(random: Random, node: Node) -> Node:
    if isinstance(node, list) and node and random.random() < 0.75:
        return _other_members(random, node)
    choice = random.random()
    if choice < 0.05:
        return random.choice(WRONG)
    if choice < 0.45:
        return random.choice(FORMS + OPS)
    if choice < 0.6:
        return (node,) * random.choice((0, 1, 1, 2))
    if choice < 0.75:
        name = random.choice(NAMES)
        return [(name, node)] * random.choice((0, 1, 1, 2))
    if choice < 0.9:
        return _deep(node, random.choice((1, 2, 20, 21, 22, 23, 24, 25, 26, 60, 90)), random.random() < 0.5)
    return (
        [('"schema"', "null"), ('"payload"', node)] if random.random() < 0.5 else [('"op"', '"c"'), ('"after"', node)]
    )


def _deep(node: Node, levels: int, of_lists: bool) -> Node:
    for _ in range(levels):
        node = (node,) if of_lists else [('"x"', node)]
    return node


def _other_members(random: Random, node: list[tuple[str, Node]]) -> Node:
    place = random.randrange(len(node))
    name, value = node[place]
    match random.randrange(8):
        case 0:
            return node[:place] + node[place + 1 :]
        case 1:
            other = random.randrange(len(node) + 1)
            return [*node[:other], (name, random.choice((value, random.choice(FORMS + OPS)))), *node[other:]]
        case 2:
            return [*node[:place], (random.choice(NAMES), value), *node[place + 1 :]]
        case 3:
            return [*node[:place], (random.choice(NAMES), random.choice(FORMS)), *node[place:]]
        case 4:
            return [*node[:place], (_escaped(random, name), value), *node[place + 1 :]]
        case 5:
            return tuple(value for _, value in node)
        case _:
            return [*node[:place], (name, random.choice(FORMS + OPS)), *node[place + 1 :]]


def _escaped(random: Random, name: str) -> str:
    """The name with one letter as an escape."""
    if len(name) < 3:
        return name
    place = random.randrange(1, len(name) - 1)
    return f"{name[:place]}\\u{ord(name[place]):04x}{name[place + 1 :]}"


def _written(random: Random, node: Node) -> str:
    def space() -> str:
        return random.choice(spaces) if random.random() < odd else ""

    odd = random.choice((0, 0, 0, 0.02, 0.3))
    spaces = " \n\t\r\u00a0\x0b" if random.random() < 0.1 else " \n\t\r"

    def text(node: Node) -> str:
        if isinstance(node, str):
            return node
        if isinstance(node, tuple):
            return f"[{space()}{','.join(text(item) + space() for item in node)}]"
        return f"{{{space()}{','.join(f'{space()}{name}{space()}:{space()}{text(value)}' for name, value in node)}}}"

    return space() + text(node) + space()


def _broken(random: Random, written: bytes) -> bytes:
    place = random.randrange(len(written) + 1)
    match random.randrange(5):
        case 0:
            return written[:place]
        case 1:
            return written[:place] + random.choice(BYTES) + written[place:]
        case 2:
            return written[:place] + written[place + random.choice((1, 1, 2, 8)) :]
        case 3:
            return written[:place] + random.choice(BYTES) + written[place + 1 :]
        case _:
            return written + random.choice((b"{}", b",", b"null", b"]", b"\x00", written))


def by_decoder(record: Mutated) -> str:
    """What `lsqlc show` and consumers of a record have: the value as JSON, or `wrong: ` and the reason."""
    try:
        read = record_decoder(record.topic, Codecs())(None, record.value, 0, (1, 2, 3))
    except ValueProblems as problems:
        clauses = [_clause(p.path, p.clause) for p in problems.problems]
        # The record as a whole has another reason than its line, which is one JSON text.
        return _wrong(_reason(record.topic, NO_JSON if any(map(_OF_JSON.search, clauses)) else "; ".join(clauses)))
    return codec.encode_text(record.topic.value.type, read.value)


def by_line(record: Mutated) -> str:
    """What DuckDB has of a record in Kafka."""
    written = line_writer(record.topic, Codecs())(None, record.value, 0, (1, 2, 3))
    assert written.count(b"\n") == 1, "a line has more than one line"
    return _of_line(record.topic, written)


def by_case(record: Mutated) -> str:
    """What DuckDB has of the `raw` value of a case."""
    raw = raw_facet(record.topic, "value", record.value.decode())
    return _of_line(record.topic, raw_line(record.topic, Record("t", None, raw), 1))


def _of_line(topic: Topic, line: str | bytes) -> str:
    read = reader(topic)(line)
    if isinstance(read, BadRecord):
        return _wrong(_reason(topic, read.reason))
    return codec.encode_text(topic.value.type, read.value)


def _clause(path: str, clause: str) -> str:
    clause = clause.partition(", found")[0]
    return f"{path}: {clause}" if path else clause


def _reason(topic: Topic, reason: str) -> str:
    return NO_JSON if topic in _PLAIN and _OF_BYTES.match(reason) else reason


def _wrong(reason: str) -> str:
    return f"wrong: {reason}"


def difference(record: Mutated) -> str | None:
    """What the readers of the client disagree on, or that they take too long; None where all is well."""
    began = time.thread_time()
    meanings = {"decoder": by_decoder(record), "line": by_line(record)}
    if _is_text(record.value):
        meanings["case"] = by_case(record)
    seconds = time.thread_time() - began
    if seconds > LIMIT:
        return f"takes {seconds:.1f} s"
    return None if len({_blanks(meaning) for meaning in meanings.values()}) == 1 else str(meanings)


def _blanks(meaning: str) -> str:
    """The meaning with blanks in place of line feeds: lines have no line feeds in JSON that is the text of a STRING."""
    return re.sub(r"(?<!\\\\)(\\r\\n|\\n|\\r)", " ", meaning)


def _is_text(value: bytes) -> bool:
    try:
        return "\n" not in value.decode() and bool(value)
    except UnicodeDecodeError:
        return False


def spark_differences(spark: SparkSession, sample: Sequence[Mutated]) -> Iterator[str]:
    """Yield where Spark differs from the client: in a line that it makes of a record, and in the record itself."""
    for topic in TOPICS:
        chosen = {n: record for n, record in enumerate(sample) if record.topic is topic}
        if not chosen:
            continue
        lines, typed = _by_lines(spark, topic, chosen), _by_bytes(spark, topic, chosen)
        for n, record in chosen.items():
            expected = by_line(record)
            of_line = lines[n]
            if of_line.startswith("wrong: "):
                of_line = _wrong(_reason(topic, of_line.removeprefix("wrong: ")))
            if not _is_same(expected, of_line):
                yield f"seed {record.seed}: {record.value!r}\n  client: {expected}\n  line: {of_line}"
            # Spark only finds a name that stands twice in a line. A query that fails has another reason.
            if expected == _wrong(NO_JSON) or (expected.startswith("wrong: ") and typed[n] == "wrong"):
                continue
            if not _is_same(expected, typed[n]):
                yield f"seed {record.seed}: {record.value!r}\n  client: {expected}\n  bytes: {typed[n]}"


def _is_same(meaning: str, other: str) -> bool:
    if meaning.startswith("wrong: ") or other.startswith("wrong"):
        return meaning == other
    return bool(_plain(json.loads(meaning, parse_float=Decimal)) == _plain(json.loads(other, parse_float=Decimal)))


def _plain(value: Any) -> Any:
    """Return a value in which JSON for a STRING is that JSON: Spark writes it again."""
    if isinstance(value, dict):
        return {name: _plain(part) for name, part in value.items()}
    if isinstance(value, list):
        return [_plain(part) for part in value]
    if isinstance(value, str) and value[:1] in ("{", "["):
        try:
            return json.loads(value)
        except ValueError:
            return value
    return value


def _wire(topic: Topic) -> TopicWire:
    wire = TopicWire(None, encoding(topic.value))
    return wire.as_ksqldb() if topic.ksql_json else wire


def _by_lines(spark: SparkSession, topic: Topic, chosen: dict[int, Mutated]) -> dict[int, str]:
    scan, wire = nodes.Scan(topic, "t", "STREAM", topic.key, topic.value), _wire(topic)
    values = ", ".join(f"({n}, X'{record.value.hex()}')" for n, record in chosen.items())
    made = f"SELECT n, {line(wire, 't')} AS _line FROM (SELECT n, value, {_KAFKA} FROM VALUES {values} AS t(n, value))"
    judged = f"SELECT n, {records.reason('_line', reason(topic, '_line'))} AS why, _line FROM ({made})"
    decoding = ScanDecoding(scan, fails=False)
    parsed = f"SELECT n, why, if(why IS NULL, {decoding.parsed()}, NULL) AS _r0 FROM ({judged})"
    value = f"coalesce({json_of('v0', topic.value.type)}, 'null')"
    view = f"SELECT {decoding.columns}, why, n FROM ({parsed})"
    rows = spark.sql(f"SELECT n, if(why IS NULL, {value}, concat('wrong: ', why)) AS meaning FROM ({view})").collect()
    return {row.n: row.meaning for row in rows}


def _by_bytes(spark: SparkSession, topic: Topic, chosen: dict[int, Mutated]) -> dict[int, str]:
    scan, wire = nodes.Scan(topic, "t", "STREAM", topic.key, topic.value), _wire(topic)
    decoding = ScanDecoding(scan, wire)
    values = ", ".join(f"({n}L, CAST(NULL AS BINARY), X'{r.value.hex()}', 2, 0L)" for n, r in chosen.items())
    source = f"SELECT * FROM VALUES {values} AS t(_offset, _key, _value, _partition, _timestamp)"
    good = decoding.condition.replace("raise_error(", "isnull(0 || ")
    parsed = f"SELECT {parsed_columns((decoding, ''))} FROM ({source})"
    view = f"SELECT {decoding.columns}, {good} AS good, {decoding.ordinal}[1] AS n FROM ({parsed})"
    value = f"coalesce({json_of('v0', topic.value.type)}, 'null')"
    rows = spark.sql(f"SELECT n, if(good, {value}, 'wrong') AS meaning FROM ({view})").collect()
    return {row.n: row.meaning for row in rows}


_KAFKA = (
    "CAST(NULL AS BINARY) AS key, 2 AS partition, 3 AS offset, timestamp_millis(0) AS timestamp,"
    " CAST(NULL AS ARRAY<STRUCT<key: STRING, value: BINARY>>) AS headers"
)


def _sample(seeds: Sequence[int], number: int) -> list[Mutated]:
    """Return records of these seeds, few of which are no JSON."""
    chosen: list[Mutated] = []
    without_json = 0
    for record in map(mutated, seeds):
        if by_decoder(record) == "wrong: value: expected JSON":
            without_json += 1
            if without_json > number // 5:
                continue
        chosen.append(record)
        if len(chosen) == number:
            break
    return chosen


def sample_differences(spark: SparkSession, seeds: Sequence[int], number: int) -> list[str]:
    """Return the differences of Spark over so many records of these seeds at most."""
    sample = _sample(seeds, number)
    parts = (sample[start : start + 100] for start in range(0, len(sample), 100))
    return [difference for part in parts for difference in spark_differences(spark, part)]


def main() -> int:
    """Print the records that readers differ about. 1 if there are any."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.envelopes", description=__doc__)
    parser.add_argument("--records", type=int, default=10_000, help="how many on the client (default: 10,000)")
    parser.add_argument("--spark", type=int, default=0, help="how many of them on Spark as well (default: none)")
    parser.add_argument("--seed", type=int, default=0, help="of the first record (default: 0)")
    options = parser.parse_args()
    seeds = range(options.seed, options.seed + options.records)
    differences = [f"seed {seed}: {problem}" for seed in seeds if (problem := difference(mutated(seed)))]
    if options.spark:
        with (
            tempfile.TemporaryDirectory() as folder,
            EmbeddedServer(Path(folder), dict(os.environ), ServerOptions(memory=MEMORY)) as server,
        ):
            spark = connect(server.address)
            differences += sample_differences(spark, seeds, options.spark)
            spark.stop()
    print(*differences, sep="\n")
    print(f"{len(seeds)} records: {len(differences)} differences")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
