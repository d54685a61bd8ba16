"""Records that cannot be read: what is wrong with them, where they stand, and the letter that says so.

The reason is worded so that every engine can give it: the path of each part that does not fit, and what was expected
there, without what was found instead. The position is what the line itself says at its beginning; a line that somebody
wrote in another order, or broke before that, has none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from lsqlc.diagnostics import Diagnostic
from lsqlc.plan import nodes
from lsqlc.plan.plan import Plan
from lsqlc.plan.policies import agreed, skip_help
from lsqlc.topics.lines import headers_member, line_decoder, time_problem
from lsqlc.types import codec
from lsqlc.types.codec import MalformedJson, ValueProblems
from lsqlc.types.record import LATEST, Case, Raw, Record, StoredRecord, Topic, is_raw

NO_JSON = "the line is no JSON"
# How a line begins of a record whose bytes in Kafka cannot be read. Behind it stand the reason, a tab and the record.
UNREAD = "!"
# For Python and Java alike.
POSITION = (
    r'^[ \t]*\{[ \t]*"ordinal"[ \t]*:[ \t]*\[?[ \t]*(-?[0-9]{1,18})\b[^"]*"timestamp"[ \t]*:[ \t]*(-?[0-9]{1,18})\b'
)
_POSITION = re.compile(POSITION)


@dataclass(frozen=True, slots=True)
class BadRecord:
    """A record of `topic` that cannot be read. `ordinal`: its first number, None if the line does not say it.
    `timestamp`: epoch milliseconds, 0 if the line says none that a record can have. `problems`: as the reason, with
    what was found.
    """

    topic: str
    ordinal: int | None
    timestamp: int
    reason: str
    line: str
    problems: tuple[str, ...]

    @property
    def letter(self) -> Record:
        """What is written to the dead-letter topic (see `plan.policies`)."""
        value = {"topic": self.topic, "ordinal": self.ordinal, "reason": self.reason, "record": self.line}
        return Record("", None, value, self.timestamp)


def read_of(plan: Plan) -> dict[str, Topic]:
    """The topics that a plan reads, by name, with what its queries together read of them."""
    found: dict[str, Topic] = {}
    for sink in agreed(plan.sinks):
        for node in sink.inputs:
            for scan in nodes.scans(node):
                found[scan.topic.name] = replace(scan.topic, key=scan.key, value=scan.value)
    return found


def is_judged(topic: Topic, record: Record) -> bool:
    """Whether a record of a case must be read as a line before it is known to be one: it has facets that nobody has
    read, or a time that no record can have.
    """
    return is_raw(record) or time_problem(topic, record.value, record.timestamp) is not None


def reader(topic: Topic) -> Callable[[str | bytes], StoredRecord | BadRecord]:
    """From a line to its record, or to what is wrong with it. `topic` has the fields that are read of it."""
    decode = line_decoder(topic)

    def read(line: str | bytes) -> StoredRecord | BadRecord:
        if line[:1] in (UNREAD, UNREAD.encode()):
            return _unread(topic, line)
        try:
            return decode(line.encode("utf-8", "surrogatepass") if isinstance(line, str) else line)
        except ValueProblems as problems:
            text = line if isinstance(line, str) else line.decode("utf-8", "replace")
            ordinal, timestamp = position(text)
            return BadRecord(
                topic.name, ordinal, timestamp, _reason(problems), text, tuple(map(str, problems.problems))
            )

    return read


def judged(plan: Plan, case: Case) -> Iterator[tuple[int, StoredRecord | BadRecord]]:
    """The records of a case that must be read to know whether they are records, by their numbers from 0."""
    inputs = {topic.name: topic for topic in plan.inputs}
    asked = [(n, r) for n, r in enumerate(case.records) if r.topic in inputs and is_judged(inputs[r.topic], r)]
    topics = read_of(plan) if asked else {}
    for number, record in asked:
        topic = topics[record.topic]
        yield number, reader(topic)(raw_line(topic, record, number))


def unreadable(plan: Plan, case: Case) -> Iterator[tuple[int, BadRecord]]:
    """The records of a case that cannot be read, by their numbers from 0."""
    for number, found in judged(plan, case):
        if isinstance(found, BadRecord):
            yield number, found


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
        help=skip_help("record", plan.has_error_policy),
    )


def _unread(topic: Topic, line: str | bytes) -> BadRecord:
    """What stands in a line whose bytes could not be read: the reason, and behind it the record."""
    text = line if isinstance(line, str) else line.decode("utf-8", "replace")
    reason, _, record = text[len(UNREAD) :].partition("\t")
    ordinal, timestamp = position(record)
    return BadRecord(topic.name, ordinal, timestamp, reason, record, (reason,))


def position(line: str) -> tuple[int | None, int]:
    """The ordinal and the timestamp that a line says; a letter has no time that a record cannot have, but 0."""
    place = _POSITION.match(line)
    if place is None:
        return None, 0
    return int(place[1]), time if 0 <= (time := int(place[2])) <= LATEST else 0


def raw_line(topic: Topic, record: Record, ordinal: int) -> str:
    """The line, without its newline, of a record with facets that nobody has read."""
    parts = []
    for facet, value in ((topic.key, record.key), (topic.value, record.value)):
        parts.append(value.text if isinstance(value, Raw) else codec.encode_text(facet.type, value))
    place = f"[{','.join([str(ordinal), *['0'] * (topic.ordinal_width - 1)])}]" if topic.ordinal_width > 1 else ordinal
    end = f"{headers_member(record.headers).decode()}}}"
    return f'{{"ordinal":{place},"timestamp":{int(record.timestamp)},"key":{parts[0]},"value":{parts[1]}{end}'


def _reason(problems: ValueProblems) -> str:
    if isinstance(problems, MalformedJson):
        return NO_JSON
    clauses = [(p.path, p.clause.partition(", found")[0]) for p in problems.problems]
    return "; ".join(f"{path}: {clause}" if path else clause for path, clause in clauses)
