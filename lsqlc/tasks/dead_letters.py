"""Letters of dead-letter topics: which there are, and how their records are given to the models once more.

A record is written again to the topic that it came from, as it was, if the models that wrote letters about it can read
it now. That a letter was replayed is noted in the topic `_lsqlc-replayed` of the same target, together with the record:
the note lives as long as the topics do, and several models' letters about one record replay it once.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase

from lsqlc.connectors.bad_records import BadRecord, read_of, reader
from lsqlc.connectors.transport import Transport
from lsqlc.diagnostics import Diagnostic, LsqlcError, did_you_mean, listing
from lsqlc.formats.catalogue import is_json
from lsqlc.golden.record_headers import read_headers
from lsqlc.plan.plan import Plan
from lsqlc.project.build.compile import Compilation
from lsqlc.tasks.run_target import RunTarget
from lsqlc.types import data
from lsqlc.types.codec import ValueProblems
from lsqlc.types.codec_json import Kind, Node, read
from lsqlc.types.data import Field, Struct
from lsqlc.types.headers import Headers
from lsqlc.types.record import Facet, Raw, Record, StoredRecord, Topic

# The notes of replayed letters: the digest of each as key.
REPLAYED = Topic(
    "_lsqlc-replayed",
    Facet(data.STRING, "string"),
    Facet(Struct((Field("letters", data.STRING), Field("reason", data.STRING))), "json"),
    partitions=1,
)
# What is wrong with the bytes of a record in Kafka, which then stand in its letter in base64.
_OF_BYTES = re.compile(r"(?:^|; )(key|value): ([^;]*)")


@dataclass(frozen=True, slots=True)
class Letter:
    """A letter of the topic `letters`: the record's `topic`, ordinal and line, and why it could not be read.
    `timestamp`: epoch milliseconds, of the record. `replayed`: its record was written again. `partition` and the
    following: of a record in Kafka, see `plan.policies`. `model`: the model that could not read the record.
    """

    letters: str
    topic: str
    ordinal: int | None
    reason: str
    record: str
    timestamp: int
    replayed: bool
    partition: int | None = None
    offset: int | None = None
    key: str | None = None
    key_encoding: str | None = None
    value: str | None = None
    value_encoding: str | None = None
    model: str | None = None

    @property
    def id(self) -> str:
        """What says that two letters are about one record."""
        text = "\0".join((self.topic, str(self.ordinal), self.record))
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


@dataclass(frozen=True, slots=True)
class Group:
    """The letters of one topic, of records of one topic, with one reason. Times in epoch milliseconds."""

    letters: str
    topic: str
    reason: str
    count: int
    replayed: int
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Replay:
    """What became of the letters that were asked for: records written again, by topic; those that were before; and
    why others cannot be, with how many.
    """

    written: Mapping[str, int]
    before: int
    refused: Mapping[tuple[str, str], int]


def letter_topics(compilation: Compilation, names: Sequence[str]) -> Mapping[str, tuple[Plan, ...]]:
    """The dead-letter topics of the models, or those of these names, with the plans that write each. Raises LsqlcError
    LSQ686 for a name that is none.
    """
    found: dict[str, tuple[Plan, ...]] = {}
    for plan in compilation.plans.values():
        if plan.dead_letters is not None:
            name = plan.dead_letters.name
            found[name] = (*found.get(name, ()), plan)
    wrong = []
    for name in names:
        if name not in found:
            known = f"they are {listing(found)}" if found else "no model has `SET dead.letter.queue`"
            message = f"'{name}' is not a dead-letter topic of a model"
            wrong.append(Diagnostic("LSQ686", message, help=did_you_mean(name, found) or known))
    if wrong:
        raise LsqlcError(wrong)
    return {name: plans for name, plans in sorted(found.items()) if not names or name in names}


def letters_of(log: Transport, topics: Mapping[str, tuple[Plan, ...]]) -> Iterator[Letter]:
    """The letters of these topics, in order. Raises LsqlcError as `log.read`."""
    done = replayed_ids(log)
    for name, plans in topics.items():
        topic = plans[0].dead_letters
        assert topic is not None, "the plan writes letters to it"
        for found in log.read(topic):
            # A tombstone is not a letter.
            if found.value is not None:
                value = found.value
                letter = Letter(letters=name, timestamp=found.timestamp, replayed=False, **value)
                yield replace(letter, replayed=letter.id in done)


def replayed_ids(log: Transport) -> frozenset[str]:
    """The ids of the letters that were replayed."""
    return frozenset(note.key for note in log.read(REPLAYED))


def grouped(letters: Iterable[Letter]) -> tuple[Group, ...]:
    """The letters by topic and reason, the most frequent first."""
    found: dict[tuple[str, str, str], Group] = {}
    for letter in letters:
        key, time = (letter.letters, letter.topic, letter.reason), letter.timestamp
        group = found.get(key) or Group(*key, 0, 0, time, time)
        found[key] = replace(
            group,
            count=group.count + 1,
            replayed=group.replayed + letter.replayed,
            first=min(group.first, time),
            last=max(group.last, time),
        )
    return tuple(sorted(found.values(), key=lambda g: (g.letters, -g.count, g.topic, g.reason)))


def of_reason(letters: Iterable[Letter], pattern: str | None) -> Iterator[Letter]:
    """The letters of a reason, in which `*` and `?` stand for other text; all without one."""
    for letter in letters:
        if pattern is None or letter.reason == pattern or fnmatchcase(letter.reason, pattern):
            yield letter


def other_readers(compilation: Compilation, topics: Mapping[str, tuple[Plan, ...]], sources: Iterable[str]) -> set[str]:
    """The models that read one of the sources and do not write to these dead-letter topics."""
    own = {plan.name for plans in topics.values() for plan in plans}
    wanted = set(sources)
    plans = compilation.plans.values()
    return {p.name for p in plans if p.name not in own and any(t.name in wanted for t in p.inputs)}


def replay(
    place: RunTarget,
    compilation: Compilation,
    topics: Mapping[str, tuple[Plan, ...]],
    pattern: str | None,
    *,
    write: bool = True,
) -> Replay:
    """Write the records of the letters of a reason again, each with a note, all or none. `write` False: only say what
    would be done. Raises LsqlcError LSQ686 if no letter has the reason, and what the log raises.
    """
    found: list[Replay] = []

    def prepare() -> list[tuple[Topic, Sequence[Record]]]:
        letters = list(of_reason(letters_of(place.log, topics), pattern))
        if not letters and pattern is not None:
            raise LsqlcError([_no_reason(pattern, letters_of(place.log, topics))])
        parts, outcome = _parts(place, compilation, topics, letters)
        found.append(outcome)
        return parts

    if write:
        place.log.append_together("letters", REPLAYED, prepare)
    else:
        prepare()
    return found[0]


def _no_reason(pattern: str, letters: Iterable[Letter]) -> Diagnostic:
    reasons = list(dict.fromkeys(letter.reason for letter in letters))
    help = did_you_mean(pattern, reasons) or (f"the reasons are {listing(reasons)}" if reasons else "there are none")
    return Diagnostic("LSQ686", f"no letter has the reason '{pattern}'", help=help)


def _parts(
    place: RunTarget, compilation: Compilation, topics: Mapping[str, tuple[Plan, ...]], letters: Sequence[Letter]
) -> tuple[list[tuple[Topic, Sequence[Record]]], Replay]:
    """The records and notes to write, and what becomes of the letters."""
    readers = {name: [read_of(plan) for plan in plans] for name, plans in topics.items()}
    records: dict[str, list[Record]] = {}
    notes: dict[str, Record] = {}
    refused: Counter[tuple[str, str]] = Counter()
    before = 0
    for letter in letters:
        if letter.replayed:
            before += 1
        elif letter.id not in notes:
            try:
                record = _record(
                    place, compilation, letter, [read.get(letter.topic) for read in readers[letter.letters]]
                )
            except _RefusedError as error:
                refused[letter.topic, str(error)] += 1
                continue
            records.setdefault(letter.topic, []).append(record)
            value = {"letters": letter.letters, "reason": letter.reason}
            notes[letter.id] = Record(REPLAYED.name, letter.id, value, letter.timestamp)
    parts: list[tuple[Topic, Sequence[Record]]] = [(compilation.topics[name], of) for name, of in records.items()]
    if notes:
        parts.append((REPLAYED, list(notes.values())))
    return parts, Replay({name: len(of) for name, of in records.items()}, before, refused)


class _RefusedError(Exception):
    """Why a record cannot be written again, in one clause."""


def _record(place: RunTarget, compilation: Compilation, letter: Letter, read_by: Sequence[Topic | None]) -> Record:
    """The record of a letter. `read_by`: what each model that writes the letters reads of its topic; None: nothing."""
    topic = compilation.topics.get(letter.topic)
    if topic is None:
        raise _RefusedError("the project has no such topic")
    if topic.files is not None:
        raise _RefusedError("the topic is a folder of files: correct the file")
    if letter.topic in compilation.graph.writers:
        model = compilation.graph.writers[letter.topic]
        raise _RefusedError(f"the model '{model}' writes the topic: rebuild it with --full-refresh")
    if place.capabilities.stores_bytes and _is_of_bytes(topic, letter.reason):
        return _of_bytes(place.log, topic, letter)
    for needed in read_by:
        if needed is None:
            continue
        wide = replace(needed, ordinal_width=place.log.ordinal_width(needed))
        judged = reader(wide)(letter.record)
        if isinstance(judged, BadRecord):
            raise _RefusedError(f"it still cannot be read: {judged.reason}")
    return _of_line(topic, letter.record)


def _of_line(topic: Topic, line: str) -> Record:
    """The record of a line that can be read, its facets as they stand there."""
    parts = {name.value: value for name, value in read(line).value}
    time = parts["timestamp"].text
    headers: Headers | None = None
    if "headers" in parts:
        headers = read_headers(parts["headers"], "headers", []) or None
    return Record(topic.name, _raw(parts.get("key")), _raw(parts.get("value")), int(float(time)), headers)


def _raw(node: Node | None) -> Raw | None:
    return None if node is None or node.kind is Kind.NULL else Raw(node.text)


def _is_of_bytes(topic: Topic, reason: str) -> bool:
    """Whether the letter has the bytes of the record, which could not be read at all."""
    for part, clause in _OF_BYTES.findall(reason):
        facet = topic.key if part == "key" else topic.value
        if clause == "expected JSON" or not is_json(facet.format):
            return True
    return False


def _of_bytes(log: Transport, topic: Topic, letter: Letter) -> Record:
    """The record of bytes in base64, which its topic's format can read now."""
    parts = {name.value: value for name, value in read(letter.record).value}
    headers = read_headers(parts["headers"], "headers", []) if "headers" in parts else None
    try:
        key, value = (_bytes(parts[name]) for name in ("key", "value"))
        found: StoredRecord = log.decode(topic, key, value, letter.timestamp)
    except (ValueProblems, binascii.Error) as error:
        raise _RefusedError(f"it still cannot be read: {error}") from None
    return Record(topic.name, found.key, found.value, letter.timestamp, headers or None)


def _bytes(node: Node) -> bytes | None:
    return None if node.kind is Kind.NULL else base64.b64decode(str(node.value), validate=True)
