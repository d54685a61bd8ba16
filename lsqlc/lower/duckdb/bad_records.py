"""Separation of good and bad records before DuckDB reads them.

Good records become rows of JSON. Bad ones are handled by the error policy of the plan.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from lsqlc.connectors.bad_records import BadRecord, is_judged, judged, read_of, reader, refusal, refused
from lsqlc.connectors.folders.segments import numbered_lines
from lsqlc.connectors.lines import headers_member
from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.plan.event_times import untimed
from lsqlc.plan.plan import Plan
from lsqlc.types import codec
from lsqlc.types.record import Case, Outcome, Record, StoredRecord, Topic

COUNTED = "bad record"


@dataclass(frozen=True, slots=True)
class SeparatedRecords:
    """Separated records.

    `rows`: good records by topic, as items of the JSON array that `sources.of_cases` reads. `bad`: bad records by case.
    `lines`: by topic and ordinal, the lines of good records that may get no time.
    """

    rows: Mapping[str, list[str]] = field(default_factory=dict)
    bad: Sequence[list[BadRecord]] = ()
    lines: Mapping[tuple[str, tuple[int, ...]], str] = field(default_factory=dict)

    def added(
        self, plan: Plan, outcomes: Sequence[Outcome], untimed: Sequence[Sequence[BadRecord]] = ()
    ) -> list[Outcome]:
        """Add the bad records to the outcomes: their number, and dead letters if the plan has a topic for them.

        `untimed`: by case, the records without a time, which are already counted.
        """
        letters = plan.dead_letters
        if not any(self.bad) and letters is None:
            return list(outcomes)
        merged = []
        for number, outcome in enumerate(outcomes):
            bad = self.bad[number] if self.bad else []
            # The queries count records without a valid time.
            total = outcome.counts.get(COUNTED, 0) + len(bad)
            counts = {**outcome.counts, COUNTED: total} if bad else outcome.counts
            all_bad = [*bad, *(untimed[number] if untimed else ())]
            letter_topics = {letters.name: _letters(plan.name, letters, all_bad)} if letters else {}
            merged.append(Outcome({**outcome.topics, **letter_topics}, counts))
        return merged


def separate_cases(plan: Plan, cases: Sequence[Case]) -> SeparatedRecords:
    """Separate the records of cases. Raises LsqlcError (LSQ432) for bad ones if the policy is `fail`."""
    inputs = {topic.name: topic for topic in plan.inputs}
    if not any(is_judged(inputs[record.topic], record) for case in cases for record in case.records):
        return SeparatedRecords()
    topics = read_of(plan)
    rows: dict[str, list[str]] = {}
    bad: list[list[BadRecord]] = [[] for _ in cases]
    problems: list[Diagnostic] = []
    for number, case in enumerate(cases):
        for index, result in judged(plan, case):
            if isinstance(result, StoredRecord):
                topic = topics[result.topic]
                rows.setdefault(topic.name, []).append(_row(topic, result, number))
            elif plan.policy == "fail":
                problems.append(refused(plan, case, index, result))
            else:
                bad[number].append(result)
    if problems:
        raise LsqlcError(problems)
    return SeparatedRecords(rows, bad)


def separate_logs(plan: Plan, segments: Mapping[str, Sequence[Path]]) -> SeparatedRecords:
    """Separate the records of whole topics, as one case. Raises LsqlcError (LSQ432) like `separate_cases`."""
    rows: dict[str, list[str]] = {}
    bad: list[BadRecord] = []
    problems: list[Diagnostic] = []
    lines: dict[tuple[str, tuple[int, ...]], str] = {}
    timeless = untimed(plan.sinks)
    for name, topic in read_of(plan).items():
        if name not in segments:
            # `files` reads topics of files.
            continue
        read = reader(topic)
        good = rows.setdefault(name, [])
        for where, line in _lines(segments[name]):
            result = read(line)
            if isinstance(result, StoredRecord):
                good.append(_row(topic, result, 0))
                if name in timeless:
                    lines[name, result.ordinal] = line.decode()
            elif plan.policy == "fail":
                problems.append(refusal(plan, result, where))
            else:
                bad.append(result)
    if problems:
        raise LsqlcError(problems)
    return SeparatedRecords(rows, [bad], lines)


def _lines(segments: Sequence[Path]) -> Iterator[tuple[str, bytes]]:
    for segment in segments:
        for number, line, _ in numbered_lines(segment):
            yield f"{segment.name}:{number}", line


def _row(topic: Topic, record: StoredRecord, case: int) -> str:
    """Return a record as a row of JSON. `topic` has only the fields that were parsed."""
    order = list(record.ordinal) if topic.ordinal_width > 1 else record.ordinal[0]
    key, value = codec.encode_text(topic.key.type, record.key), codec.encode_text(topic.value.type, record.value)
    end = f"{headers_member(record.headers).decode()}}}"
    return f'{{"case":{case},"ordinal":{order},"timestamp":{record.timestamp},"key":{key},"value":{value}{end}'


def _letters(model: str, topic: Topic, bad: Sequence[BadRecord]) -> tuple[Record, ...]:
    """Return the dead letters, ordered by position; those without a position come first."""
    ordered = sorted(bad, key=lambda b: (b.ordinal or 0, b.topic, b.line))
    return tuple(Record(topic.name, None, b.letter(model), b.timestamp) for b in ordered)
