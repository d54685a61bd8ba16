"""Cases from real records: a data file, and a case for each model that reads them. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from lsqlc.diagnostics import Diagnostic, LsqlcError, listing
from lsqlc.golden.canonical import canonical_text, headers_text
from lsqlc.golden.conditions import HOLDS, condition_plan
from lsqlc.plan import Plan
from lsqlc.types.codec_text import quoted, timestamp_of_millis, timestamp_text
from lsqlc.types.record import Case, Outcome, Record, StoredRecord, Topic

Judge = Callable[[Plan, Sequence[Case]], Sequence[Outcome]]

# Records per evaluated batch: a statement has a fixed cost that is much larger than the cost of a record.
_AT_ONCE = 2_000
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")
_WORDS = ("true", "false", "null")
_LONGEST = 100


@dataclass(frozen=True, slots=True)
class Recording:
    """The files to write, by path.

    `models`: the models with a case. `lacking`: further topics that these models read.
    """

    files: Mapping[str, str]
    models: tuple[str, ...]
    lacking: tuple[str, ...]


def first_matching(
    records: Iterable[StoredRecord], topic: Topic, *, limit: int, where: str | None, judge: Judge
) -> list[StoredRecord]:
    """Return the first records of a topic for which a condition holds. `judge` evaluates it.

    Raises LsqlcError for an invalid condition.
    """
    if where is None:
        return list(islice(records, limit))
    plan, problems = condition_plan(where, topic)
    if plan is None:
        errors = [(p.diagnostic, where[p.offset : p.offset + p.length]) for p in problems]
        raise LsqlcError(
            Diagnostic(d.code, f"--where: {d.message}", None, (f"at '{words}'", *d.notes) if words else d.notes, d.help)
            for d, words in errors
        )
    return list(islice(_matching(records, topic, plan, judge), limit))


def _matching(records: Iterable[StoredRecord], topic: Topic, plan: Plan, judge: Judge) -> Iterator[StoredRecord]:
    source = iter(records)
    while batch := list(islice(source, _AT_ONCE)):
        with_value = [record for record in batch if record.value is not None]
        rows = tuple(Record(topic.name, r.key, r.value, r.timestamp, r.headers) for r in with_value)
        (answer,) = judge(plan, [Case("", (rows,))])
        verdicts = answer.topics[plan.outputs[0].name]
        yield from (record for record, row in zip(with_value, verdicts, strict=True) if row.value[HOLDS] is True)


def recording(
    records: Mapping[str, Sequence[StoredRecord]],
    topics: Mapping[str, Topic],
    plans: Mapping[str, Plan],
    folder: str,
    existing: Iterable[str],
) -> Recording:
    """Return the files of a recording: cases, and a data file for each set of topics that a model reads.

    `plans`: the models that may get a case. `existing`: paths of existing files.

    Raises LsqlcError with LSQ528 if there is no record, no model for it, or a file already exists.
    """
    names = list(records)
    readers = {name: {t.name for t in plan.inputs} for name, plan in plans.items()}
    models = [name for name, read in readers.items() if not read.isdisjoint(records)]
    empty = [name for name in names if not records[name]]
    if empty:
        help = "load some with `lsqlc seed`, or change --where"
        raise _refused(f"{listing(empty)} has no records to record", help)
    if not models:
        raise _refused(f"no model reads {listing(names)}", "choose models that read it with --select")
    files, cases = {}, []
    for model in models:
        own = [name for name in names if name in readers[model]]
        file = f"{_stem(own)}.jsonl"
        files[f"{folder}/recorded/{file}"] = _lines(records, topics, own)
        cases.append(_case(model, own, file, max(r.timestamp for name in own for r in records[name])))
    head = "# Records of topics as they were, and what the models make of them.\ncases:\n"
    files[f"{folder}/recorded/{_stem(names)}.yml"] = head + "".join(cases)
    there = {path.casefold() for path in existing}
    in_the_way = [path for path in files if path.casefold() in there]
    if in_the_way:
        raise _refused(f"the file '{in_the_way[0]}' already exists", "remove it, or rename it")
    lacking = {name for model in models for name in readers[model]} - records.keys()
    return Recording(files, tuple(models), tuple(sorted(lacking)))


def _stem(names: Sequence[str]) -> str:
    return "+".join(names)[:_LONGEST]


def _lines(records: Mapping[str, Sequence[StoredRecord]], topics: Mapping[str, Topic], names: Sequence[str]) -> str:
    """Return the records of some topics as JSON lines, in order of arrival."""
    ordered = sorted((record for name in names for record in records[name]), key=lambda record: record.ordinal)
    return "".join(_line(topics[record.topic], record, len(names) > 1) for record in ordered)


def _refused(message: str, help: str) -> LsqlcError:
    return LsqlcError([Diagnostic("LSQ528", message, help=help)])


def _line(topic: Topic, record: StoredRecord, with_topic: bool) -> str:
    name = f'"topic":{quoted(topic.name)},' if with_topic else ""
    key, value = canonical_text(topic.key.type, record.key), canonical_text(topic.value.type, record.value)
    return f'{{{name}"key":{key},"value":{value},"timestamp":{record.timestamp}{headers_text(record.headers)}}}\n'


def _case(model: str, names: Sequence[str], file: str, now: int) -> str:
    time = timestamp_of_millis(now)
    one = len(names) == 1
    lines = (
        f"  - name: {_name(names)}",
        f"    model: {_word(model)}",
        f"    now: {now if time is None else timestamp_text(time)}",
        f"    inputs: {{{_word(names[0])}: {_word(file)}}}" if one else f"    arrivals: {_word(file)}",
    )
    return "\n".join(lines) + "\n"


def _name(names: Sequence[str]) -> str:
    return f"recorded {' '.join(names)}"[:_LONGEST].rstrip(" .")


def _word(text: str) -> str:
    return text if _PLAIN.fullmatch(text) and text.lower() not in _WORDS else quoted(text)
