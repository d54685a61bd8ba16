"""Records that cannot be read: their problems, their positions, and their dead letters.

Every engine can give the same reason: the path of each invalid part, and the expected type there, without the actual
value. The position is at the beginning of the line. A line in another order, or broken before that, has none.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace

from lsqlc.connectors.lines import headers_member, line_decoder, time_problem
from lsqlc.diagnostics import Diagnostic
from lsqlc.formats.catalogue import is_text
from lsqlc.plan import nodes
from lsqlc.plan.kafka_order import lane
from lsqlc.plan.plan import Plan
from lsqlc.plan.policies import agreed, skip_help
from lsqlc.types import codec
from lsqlc.types.codec import MalformedJson, ValueProblems
from lsqlc.types.codec_json import JsonError, Kind, Node
from lsqlc.types.codec_json import read as read_json
from lsqlc.types.record import LATEST, NO_TIME, Case, Facet, Raw, Record, StoredRecord, Topic, is_raw

NO_JSON = "the line is no JSON"
# The reason in the dead letter of a record that can be read, to which the program gives no valid time.
NO_TIME_GIVEN = f"event time: {NO_TIME}"
# The beginning of a line of a record whose bytes in Kafka cannot be read. After it are the reason, a tab, the members
# of `Texts` as JSON, a tab and the record.
UNREAD = "!"
# For Python and Java alike.
POSITION = (
    r'^[ \t]*\{[ \t]*"ordinal"[ \t]*:[ \t]*\[?[ \t]*(-?[0-9]{1,18})\b[^"]*"timestamp"[ \t]*:[ \t]*(-?[0-9]{1,18})\b'
)
_POSITION = re.compile(POSITION)
_KAFKA_PLACE = re.compile(r'^\{"ordinal":\[-?[0-9]+,([0-9]+),([0-9]+)\]')
BASE64 = "base64"


@dataclass(frozen=True, slots=True)
class Texts:
    """The key and the value of a record in Kafka as text: a STRING without quotes, all other values as JSON.

    Bytes that cannot be read are text too. The encoding is BASE64 for bytes that are not UTF-8.
    """

    key: str | None = None
    key_encoding: str | None = None
    value: str | None = None
    value_encoding: str | None = None


@dataclass(frozen=True, slots=True)
class BadRecord:
    """A record of `topic` that cannot be read.

    `ordinal`: its first number, None if the line has none. `timestamp`: epoch milliseconds, 0 if the line has no valid
    one. `problems`: as the reason, with the actual values. `texts`, `partition` and `offset`: for a record in Kafka.
    """

    topic: str
    ordinal: int | None
    timestamp: int
    reason: str
    line: str
    problems: tuple[str, ...]
    texts: Texts = Texts()
    partition: int | None = None
    offset: int | None = None

    def letter(self, model: str) -> Mapping[str, object]:
        """Return the value of the dead letter that `model` writes (see `plan.policies`)."""
        value = {"topic": self.topic, "ordinal": self.ordinal, "reason": self.reason, "record": self.line}
        place = {"partition": self.partition, "offset": self.offset}
        return {**value, **place, **asdict(self.texts), "model": model}


def read_of(plan: Plan) -> dict[str, Topic]:
    """Return the topics that a plan reads, by name, with the fields that its queries together read."""
    topics: dict[str, Topic] = {}
    for sink in agreed(plan.sinks):
        for node in sink.inputs:
            for scan in nodes.scans(node):
                topics[scan.topic.name] = replace(scan.topic, key=scan.key, value=scan.value)
    return topics


def is_judged(topic: Topic, record: Record) -> bool:
    """Return whether a record of a case must be read as a line to know whether it is valid.

    It has raw facets, or an invalid time.
    """
    return is_raw(record) or time_problem(topic, record.value, record.timestamp) is not None


def reader(topic: Topic) -> Callable[[str | bytes], StoredRecord | BadRecord]:
    """Return the function from a line to its record, or to its bad record. `topic` has the fields that are read."""
    decode = line_decoder(topic)

    def read(line: str | bytes) -> StoredRecord | BadRecord:
        if line[:1] in (UNREAD, UNREAD.encode()):
            return _unread(topic, line)
        try:
            return decode(line.encode("utf-8", "surrogatepass") if isinstance(line, str) else line)
        except ValueProblems as problems:
            text = line if isinstance(line, str) else line.decode("utf-8", "replace")
            ordinal, timestamp = position(text)
            problem_texts = tuple(map(str, problems.problems))
            bad = BadRecord(topic.name, ordinal, timestamp, _reason(problems), text, problem_texts)
            return _in_kafka(topic, bad, None)

    return read


def without_time(topic: Topic, line: str) -> BadRecord:
    """Return the bad record of a valid line to which the program gives no time."""
    ordinal, timestamp = position(line)
    bad = BadRecord(topic.name, ordinal, timestamp, NO_TIME_GIVEN, line, (NO_TIME_GIVEN,))
    return _in_kafka(topic, bad, None)


def judged(plan: Plan, case: Case) -> Iterator[tuple[int, StoredRecord | BadRecord]]:
    """Yield the records of a case that must be read to know whether they are valid, by their numbers from 0."""
    inputs = {topic.name: topic for topic in plan.inputs}
    raw_records = [(n, r) for n, r in enumerate(case.records) if r.topic in inputs and is_judged(inputs[r.topic], r)]
    topics = read_of(plan) if raw_records else {}
    for number, record in raw_records:
        topic = topics[record.topic]
        yield number, reader(topic)(raw_line(topic, record, number))


def unreadable(plan: Plan, case: Case) -> Iterator[tuple[int, BadRecord]]:
    """Yield the records of a case that cannot be read, by their numbers from 0."""
    for number, record in judged(plan, case):
        if isinstance(record, BadRecord):
            yield number, record


def refused(plan: Plan, case: Case, number: int, bad: BadRecord) -> Diagnostic:
    """LSQ432: a record of a case cannot be read, and the policy of the plan is to fail."""
    where = f"record {number + 1}" + (f" of the case '{case.name}'" if case.name else "")
    return refusal(plan, bad, where)


def refusal(plan: Plan, bad: BadRecord, where: str) -> Diagnostic:
    """LSQ432: a record cannot be read, and the policy of the plan is to fail. `where`: which one it is."""
    return Diagnostic(
        "LSQ432",
        f"the model '{plan.name}' cannot read a record of '{bad.topic}': {'; '.join(bad.problems)}",
        notes=(f"it is {where}", "the model's error policy is to fail"),
        help=skip_help("record", plan.skip_setting),
    )


def _unread(topic: Topic, line: str | bytes) -> BadRecord:
    """Return the content of a line whose bytes could not be read: the reason, and the record after it."""
    text = line if isinstance(line, str) else line.decode("utf-8", "replace")
    reason, texts, record = text[len(UNREAD) :].split("\t", 2)
    ordinal, timestamp = position(record)
    return _in_kafka(topic, BadRecord(topic.name, ordinal, timestamp, reason, record, (reason,)), json.loads(texts))


def _in_kafka(topic: Topic, bad: BadRecord, texts: Mapping[str, str] | None) -> BadRecord:
    """Return the bad record with the partition and offset of one in Kafka, which its partition ID identifies.

    `texts`: None if its bytes can be read.
    """
    place = _KAFKA_PLACE.match(bad.line)
    partition = int(place[2]) - lane(topic.name) if place else -1
    if place is None or not 0 <= partition < 1 << 32:
        return bad
    record_texts = _texts_in(topic, bad.line) if texts is None else Texts(**texts)
    return replace(bad, texts=record_texts, partition=partition, offset=int(place[1]))


def _texts_in(topic: Topic, line: str) -> Texts:
    """Return the texts of a line of a record in Kafka, whose bytes can be read."""
    try:
        parts = {name.value: node for name, node in read_json(line).value}
    except JsonError:
        # It is nested too deeply, which is its problem.
        return Texts()
    return Texts(key=_bare(topic.key, parts["key"]), value=_bare(topic.value, parts["value"]))


def _bare(facet: Facet, node: Node) -> str | None:
    if node.kind is Kind.NULL:
        return None
    return str(node.value) if is_text(facet.format) and node.kind is Kind.STRING else node.text


def position(line: str) -> tuple[int | None, int]:
    """Return the ordinal and the timestamp in a line; an invalid timestamp is 0 in a dead letter."""
    place = _POSITION.match(line)
    if place is None:
        return None, 0
    return int(place[1]), time if 0 <= (time := int(place[2])) <= LATEST else 0


def raw_line(topic: Topic, record: Record, ordinal: int) -> str:
    """Return the line, without its newline, of a record with raw facets."""
    parts, wrongs = [], []
    for facet, value in ((topic.key, record.key), (topic.value, record.value)):
        if not isinstance(value, Raw):
            parts.append(codec.encode_text(facet.type, value))
        elif value.wrong is None:
            parts.append(value.text)
        else:
            parts.append(json.dumps(value.text, ensure_ascii=False))
            wrongs.append(value.wrong)
    place = f"[{','.join([str(ordinal), *['0'] * (topic.ordinal_width - 1)])}]" if topic.ordinal_width > 1 else ordinal
    end = f"{headers_member(record.headers).decode()}}}"
    line = f'{{"ordinal":{place},"timestamp":{int(record.timestamp)},"key":{parts[0]},"value":{parts[1]}{end}'
    return f"{UNREAD}{'; '.join(wrongs)}\t{{}}\t{line}" if wrongs else line


def _reason(problems: ValueProblems) -> str:
    if isinstance(problems, MalformedJson):
        return NO_JSON
    clauses = [(p.path, p.clause.partition(", found")[0]) for p in problems.problems]
    return "; ".join(f"{path}: {clause}" if path else clause for path, clause in clauses)
