"""The sample data of a project, and what its models give over it on DuckDB.

A topic that no model writes has the records of its seed and of programs that insert some; one of files has those of its
files; another has the records that lie in the target's folders. What a model writes is given to the models downstream:
the rows of a TABLE come first, one for each key, then records by their times, which keeps the order of each topic.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate, islice
from pathlib import Path

from lsqlc.connectors.seeding import SeedSpec
from lsqlc.connectors.transport import Transport
from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.golden.evaluation import Evaluate
from lsqlc.plan import Plan
from lsqlc.plan.nodes import Semantics
from lsqlc.project.build.compile import Compilation
from lsqlc.project.declared.declarations import Seed
from lsqlc.scan.data_files import data_files
from lsqlc.tasks.seed import Samples, chosen, inserted, source_of
from lsqlc.tasks.seed_records import seed_records
from lsqlc.tasks.show import records_of
from lsqlc.types.record import Case, Outcome, Record, StoredRecord, Topic


@dataclass(frozen=True, slots=True)
class Source:
    """The sample records of a topic. `mark`: what they were read from, which says whether they are to be read again;
    `problems`: why there are none.
    """

    mark: object
    records: tuple[Record, ...] = ()
    problems: tuple[Diagnostic, ...] = ()


@dataclass(frozen=True, slots=True)
class Given:
    """What a model gives over the sample data: an outcome, or problems; or else topics that it reads and that have no
    sample.
    """

    outcome: Outcome | None = None
    problems: tuple[Diagnostic, ...] = ()
    lacking: tuple[str, ...] = ()


def sources(
    compilation: Compilation, plans: Iterable[Plan], log: Transport | None, limit: int, before: Mapping[str, Source]
) -> dict[str, Source]:
    """The sample records of the topics that plans read and no model writes, at most `limit` of each; 0: all. `log`: the
    topics in folders, if there are any; `before`: what is known from an earlier look. A topic without a sample is not
    in it.
    """
    root = compilation.project.root
    samples = {s.topic.name: s for s in chosen(compilation.project, (), inserted(compilation))}
    found = {}
    for topic in {t.name: t for plan in plans for t in plan.inputs}.values():
        if topic.name in compilation.graph.writers:
            continue
        sample = samples.get(topic.name)
        try:
            if topic.files is not None:
                found[topic.name] = _of_files(root, topic, limit, before.get(topic.name))
            elif sample is not None:
                found[topic.name] = _seeded(root, topic, sample, limit, before.get(topic.name))
            elif log is not None and not log.is_empty(topic.name):
                found[topic.name] = _of_log(topic, log, limit, before.get(topic.name))
        except LsqlcError as error:
            found[topic.name] = Source(None, problems=error.diagnostics)
    return found


def given(
    plan: Plan, known: Mapping[str, tuple[Record, ...]], derived: Mapping[str, Semantics], evaluate: Evaluate
) -> Given:
    """What a plan gives over records by topic. `derived`: the topics that models wrote, with their semantics."""
    lacking = tuple(topic.name for topic in plan.inputs if topic.name not in known)
    if lacking:
        return Given(lacking=lacking)
    records = tuple(_ordered({topic.name: known[topic.name] for topic in plan.inputs}, derived))
    now = max((record.timestamp for record in records), default=0)
    try:
        return Given(evaluate(plan, [Case("", (records,), now)])[0])
    except LsqlcError as error:
        return Given(problems=error.diagnostics)


def _ordered(topics: Mapping[str, tuple[Record, ...]], derived: Mapping[str, Semantics]) -> Iterator[Record]:
    timed: list[tuple[int, Record]] = []
    for name, records in topics.items():
        if derived.get(name) == "TABLE":
            yield from records
        else:
            # A late record stays behind those that came before it.
            timed += zip(accumulate((r.timestamp for r in records), max), records, strict=True)
    yield from (record for _, record in sorted(timed, key=lambda item: item[0]))


def _seeded(root: Path, topic: Topic, sample: Samples, limit: int, before: Source | None) -> Source:
    seed, inserts = sample.seed, sample.inserts
    if seed is None:
        return Source((topic, inserts), inserts)
    spec, shown = source_of(root, seed)
    stat = spec.path.stat()
    mark = (topic, seed, inserts, limit, stat.st_mtime_ns, stat.st_size, stat.st_ino)
    if before is not None and before.mark == mark:
        return before
    return Source(mark, (*islice(_seed(spec, topic, shown, seed), limit or None), *inserts))


def _seed(spec: SeedSpec, topic: Topic, shown: str, seed: Seed) -> Iterator[Record]:
    return seed_records(spec, topic, shown=shown, as_records=seed.lines == "records")


def _of_files(root: Path, topic: Topic, limit: int, before: Source | None) -> Source:
    assert topic.files is not None, "it was looked at"
    mark = (topic, limit, data_files(root, topic.files))
    if before is not None and before.mark == mark:
        return before
    return Source(mark, tuple(islice(_plain(topic, records_of(topic, None, root, rows=False)), limit or None)))


def _of_log(topic: Topic, log: Transport, limit: int, before: Source | None) -> Source:
    # Files of a topic do not change once they are there.
    contents = log.contents(topic.name)
    if contents is None:
        return Source(None)
    mark = (topic, limit, contents.files)
    if before is not None and before.mark == mark:
        return before
    return Source(mark, tuple(islice(_plain(topic, log.read_contents(topic, contents)), limit or None)))


def _plain(topic: Topic, records: Iterable[Record | StoredRecord]) -> Iterator[Record]:
    return (Record(topic.name, r.key, r.value, r.timestamp, r.headers) for r in records)
