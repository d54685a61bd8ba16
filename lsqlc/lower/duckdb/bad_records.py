"""Records that nobody has read yet, told apart before DuckDB sees them: those that can be read, as rows of JSON, and
those that cannot, which follow the error policy of the plan.
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
class Sifted:
    """`rows`: the good records by topic, as members of the JSON array that `sources.of_cases` reads. `bad`: by case.
    `lines`: those of good records of topics of whose records some may get no time, by topic and ordinal.
    """

    rows: Mapping[str, list[str]] = field(default_factory=dict)
    bad: Sequence[list[BadRecord]] = ()
    lines: Mapping[tuple[str, tuple[int, ...]], str] = field(default_factory=dict)

    def added(
        self, plan: Plan, outcomes: Sequence[Outcome], untimed: Sequence[Sequence[BadRecord]] = ()
    ) -> list[Outcome]:
        """Return the outcomes with what became of the bad records: their number, and letters where the plan sends some.
        `untimed`: by case those that got no time, which are counted already.
        """
        letters = plan.dead_letters
        if not any(self.bad) and letters is None:
            return list(outcomes)
        found = []
        for number, outcome in enumerate(outcomes):
            bad = self.bad[number] if self.bad else []
            # The queries themselves count records without a possible time.
            total = outcome.counts.get(COUNTED, 0) + len(bad)
            counts = {**outcome.counts, COUNTED: total} if bad else outcome.counts
            all_bad = [*bad, *(untimed[number] if untimed else ())]
            written = {letters.name: _letters(plan.name, letters, all_bad)} if letters else {}
            found.append(Outcome({**outcome.topics, **written}, counts))
        return found


def sift_cases(plan: Plan, cases: Sequence[Case]) -> Sifted:
    """Return the records of the cases that may be bad.

    Raises LsqlcError (LSQ432) for bad ones if the policy is to fail.
    """
    inputs = {topic.name: topic for topic in plan.inputs}
    if not any(is_judged(inputs[record.topic], record) for case in cases for record in case.records):
        return Sifted()
    topics = read_of(plan)
    rows: dict[str, list[str]] = {}
    bad: list[list[BadRecord]] = [[] for _ in cases]
    problems: list[Diagnostic] = []
    for number, case in enumerate(cases):
        for place, found in judged(plan, case):
            if isinstance(found, StoredRecord):
                topic = topics[found.topic]
                rows.setdefault(topic.name, []).append(_row(topic, found, number))
            elif plan.policy == "fail":
                problems.append(refused(plan, case, place, found))
            else:
                bad[number].append(found)
    if problems:
        raise LsqlcError(problems)
    return Sifted(rows, bad)


def sift_logs(plan: Plan, segments: Mapping[str, Sequence[Path]]) -> Sifted:
    """Return the records of whole topics, as one case. Raises LsqlcError (LSQ432) as `sift_cases`."""
    rows: dict[str, list[str]] = {}
    bad: list[BadRecord] = []
    problems: list[Diagnostic] = []
    lines: dict[tuple[str, tuple[int, ...]], str] = {}
    kept = untimed(plan.sinks)
    for name, topic in read_of(plan).items():
        if name not in segments:
            # A topic of files, which `files` reads.
            continue
        read = reader(topic)
        good = rows.setdefault(name, [])
        for where, line in _lines(segments[name]):
            found = read(line)
            if isinstance(found, StoredRecord):
                good.append(_row(topic, found, 0))
                if name in kept:
                    lines[name, found.ordinal] = line.decode()
            elif plan.policy == "fail":
                problems.append(refusal(plan, found, where))
            else:
                bad.append(found)
    if problems:
        raise LsqlcError(problems)
    return Sifted(rows, [bad], lines)


def _lines(segments: Sequence[Path]) -> Iterator[tuple[str, bytes]]:
    for segment in segments:
        for number, line, _ in numbered_lines(segment):
            yield f"{segment.name}:{number}", line


def _row(topic: Topic, record: StoredRecord, case: int) -> str:
    """`topic` has the fields that were read; the others are null to DuckDB."""
    order = list(record.ordinal) if topic.ordinal_width > 1 else record.ordinal[0]
    key, value = codec.encode_text(topic.key.type, record.key), codec.encode_text(topic.value.type, record.value)
    end = f"{headers_member(record.headers).decode()}}}"
    return f'{{"case":{case},"ordinal":{order},"timestamp":{record.timestamp},"key":{key},"value":{value}{end}'


def _letters(model: str, topic: Topic, bad: Sequence[BadRecord]) -> tuple[Record, ...]:
    """In order of their positions; those that have none are the first."""
    ordered = sorted(bad, key=lambda b: (b.ordinal or 0, b.topic, b.line))
    return tuple(Record(topic.name, None, b.letter(model), b.timestamp) for b in ordered)
