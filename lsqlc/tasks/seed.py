"""What `lsqlc seed` does: load declared sample records, and those that programs insert, into topics.

Records of several topics are merged by their times, as `seed_merge` says, where the topics are in folders; in Kafka
their times order them anyway. Of equal times those of topics without a timestamp column come first, which have the time
0, then those with one, each in the order of declaration, and after them those that only programs fill, in the order of
the models. What programs insert follows the records of the topic's file. A topic that has records is skipped.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, islice
from pathlib import Path

from lsqlc.connectors.findings import not_here
from lsqlc.connectors.seeding import SeedSpec, resource_path
from lsqlc.connectors.seeding_files import write_rows
from lsqlc.connectors.transport import AppendResult, Transport
from lsqlc.diagnostics import Diagnostic, LsqlcError, did_you_mean, listing
from lsqlc.lower.duckdb.inserts import inserted_records
from lsqlc.lower.spark import lower, unsupported
from lsqlc.project.build.compile import Compilation
from lsqlc.project.declared.declarations import Seed
from lsqlc.project.model import Project
from lsqlc.remote.run.checkpoints import has_checkpoint, remove_checkpoint
from lsqlc.remote.run.stores import CheckpointStore
from lsqlc.scan import paths
from lsqlc.scan.data_files import data_files
from lsqlc.tasks.checkpoint_place import check_checkpoints
from lsqlc.tasks.deploy.note import running_place
from lsqlc.tasks.run_target import RunTarget
from lsqlc.tasks.seed_merge import Part, merged
from lsqlc.tasks.seed_records import seed_records
from lsqlc.types.record import Record, Topic

# Records in a file where the declaration says nothing: a batch of a running query is a file.
_SEGMENT = 20_000
Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Samples:
    """What is to be loaded into a topic: a file that its declaration names, and records of programs."""

    topic: Topic
    seed: Seed | None
    inserts: tuple[Record, ...] = ()


@dataclass(frozen=True, slots=True)
class Loaded:
    """What became of a topic. `kept`: it had records, and nothing was loaded."""

    topic: str
    records: int = 0
    kept: bool = False


def inserted(compilation: Compilation) -> Mapping[str, Samples]:
    """What INSERT INTO ... VALUES of the models gives to topics that no model writes, by topic."""
    found: dict[str, Samples] = {}
    for plan in compilation.plans.values():
        topics = {topic.name: topic for topic in plan.inputs}
        for record in inserted_records(plan):
            if record.topic in compilation.graph.writers:
                continue
            before = found.get(record.topic)
            inserts = (*(before.inserts if before else ()), record)
            found[record.topic] = Samples(topics[record.topic], None, inserts)
    return found


def chosen(loaded: Project, names: Sequence[str], inserted: Mapping[str, Samples]) -> list[Samples]:
    """What to load, in order. Raises LsqlcError for names without a seed."""
    seeded = [t for t in loaded.topics if t.seed is not None]
    seeded.sort(key=lambda t: (_is_timed(t.seed), t.span.path, t.span.line, t.span.column))
    samples = {t.topic.name: Samples(t.topic, t.seed) for t in seeded}
    for name, more in inserted.items():
        own = samples.get(name)
        samples[name] = Samples(own.topic, own.seed, more.inserts) if own else more
    wrong = []
    for name in dict.fromkeys(names):
        declared = next((t for t in loaded.topics if t.topic.name == name), None)
        if name in samples:
            continue
        if declared is None:
            help = did_you_mean(name, samples) or (f"topics with a seed are {listing(samples)}" if samples else None)
            wrong.append(Diagnostic("LSQ063", f"unknown topic '{name}'", help=help))
        else:
            help = "add `seed: {path: seeds/FILE.csv}` to it"
            wrong.append(Diagnostic("LSQ064", f"the topic '{name}' declares no seed", declared.span, help=help))
    if wrong:
        raise LsqlcError(wrong)
    return [sample for name, sample in samples.items() if not names or name in names]


def source_of(root: Path, seed: Seed) -> tuple[SeedSpec, str]:
    """Where the records are, and what messages call that file."""
    for what, given in (("key", seed.key), ("null", seed.null)):
        if len(given) > 1:
            message = f"a seed must have one '{what}', not {len(given)}"
            raise LsqlcError(
                [Diagnostic("LSQ062", message, seed.span, help="keep one, and add such a column to the file")]
            )
    if seed.package:
        path, shown = resource_path(seed.package, seed.path), f"{seed.package}:{seed.path.rpartition('/')[2]}"
    elif paths.stays_inside(root, seed.path):
        path, shown = root / seed.path, seed.path
    else:
        raise LsqlcError([Diagnostic("LSQ009", f"'{seed.path}' leads out of the project", seed.span)])
    try:
        paths.check_regular(path.stat().st_mode)
    except (OSError, ValueError) as error:
        help = "correct the path: it is relative to the project's folder"
        message = f"the file '{shown}' does not exist"
        if os.path.lexists(path):
            message = f"the file '{shown}' cannot be read: {paths.why_unread(error, path)}"
        raise LsqlcError([Diagnostic("LSQ410", message, seed.span, help=help)]) from None
    null = seed.null[0] if seed.null else ""
    return SeedSpec(path, seed.key[0] if seed.key else None, seed.timestamp, null), shown


def load_all(
    place: RunTarget,
    samples: Sequence[tuple[Samples, tuple[SeedSpec, str] | None]],
    limit: int | None,
    say: Say,
    *,
    anew: bool = False,
) -> list[Loaded]:
    """Load topics that have no records, in their order, each with its source. `anew`: files of the names that rows go
    to are replaced. Raises LsqlcError for what cannot be loaded; of records that are merged nothing is then; and
    LSQ799 for topics that are read from another target.
    """
    log = place.log
    place.check_writable()
    names = [sample.topic.name for sample, _ in samples if sample.topic.files is None]
    elsewhere = [(name, other) for name in names if (other := place.read_from(name)) is not None]
    if elsewhere:
        raise not_here(*elsewhere[0])
    done: dict[str, Loaded] = {}
    loading = []
    for sample, source in samples:
        name = sample.topic.name
        if sample.topic.files is not None:
            done[name] = _write_files(place.root, sample, source, limit, say, anew=anew)
        elif log.is_empty(name):
            loading.append((sample, source))
        else:
            say(f"{name}: already has records; --full-refresh loads them again")
            done[name] = Loaded(name, kept=True)
    if place.capabilities.has_arrival_order and sum(map(_has_times, (sample for sample, _ in loading))) > 1:
        found = _load_merged(log, loading, limit, say)
    else:
        found = [_load(log, sample, source, limit, say) for sample, source in loading]
    done |= {loaded.topic: loaded for loaded in found}
    return [done[sample.topic.name] for sample, _ in samples]


def _load(
    log: Transport, samples: Samples, source: tuple[SeedSpec, str] | None, limit: int | None, say: Say
) -> Loaded:  # fmt: skip
    topic, seed = samples.topic, samples.seed
    size = _SEGMENT
    if seed is not None and seed.segments:
        count = sum(1 for _ in islice(_records(samples, source), limit))
        size = max(1, -(-count // seed.segments))
    began = time.monotonic()
    records = islice(_records(samples, source), limit)
    appended = log.append(topic, _watched(say, topic.name, records), segments_of=size)
    say(_appended(topic.name, appended, time.monotonic() - began))
    return Loaded(topic.name, appended.count)


def _load_merged(
    log: Transport, samples: Sequence[tuple[Samples, tuple[SeedSpec, str] | None]], limit: int | None, say: Say
) -> list[Loaded]:
    parts = [
        Part(s.topic, partial(_limited, s, source, limit), s.seed.segments if s.seed else None, _SEGMENT)
        for s, source in samples
    ]
    began = time.monotonic()
    found = merged(parts)
    runs = ((topic, _watched(say, topic.name, records), size) for topic, records, size in found.runs)
    appended = log.append_runs(runs)
    seconds = time.monotonic() - began
    for part in parts:
        say(_appended(part.topic.name, appended.get(part.topic.name, AppendResult(0)), None))
    how = "by time" if found.exact else f"by time, in steps of {found.step:,} records"
    say(f"merged {how} ({seconds:.1f} s)")
    return [Loaded(p.topic.name, appended[p.topic.name].count if p.topic.name in appended else 0) for p in parts]


def _appended(topic: str, appended: AppendResult, seconds: float | None) -> str:
    files = f" in {appended.files:,} file{'s' * (appended.files != 1)}" if appended.files else ""
    took = "" if seconds is None else f" ({seconds:.1f} s)"
    return f"{topic}: {appended.count:,} records{files}{took}"


def _has_times(samples: Samples) -> bool:
    """Whether a record may have a time besides 0."""
    return _is_timed(samples.seed) or any(record.timestamp for record in samples.inserts)


def _is_timed(seed: Seed | None) -> bool:
    return seed is not None and (seed.timestamp is not None or seed.lines == "records")


def _limited(samples: Samples, source: tuple[SeedSpec, str] | None, limit: int | None) -> Iterator[Record]:
    return islice(_records(samples, source), limit)


def _write_files(
    root: Path, samples: Samples, source: tuple[SeedSpec, str] | None, limit: int | None, say: Say, *, anew: bool
) -> Loaded:
    """Put a topic's rows into its folder."""
    topic, seed = samples.topic, samples.seed
    assert topic.files is not None and seed is not None and seed.file is not None and source is not None
    if data_files(root, topic.files) and not anew:
        say(f"{topic.name}: already has files; --full-refresh writes those of the seed again")
        return Loaded(topic.name, kept=True)
    began = time.monotonic()
    spec, shown = source
    folder, delimiter = root / topic.files.root, topic.files.delimiter
    count, names = write_rows(
        spec, folder, seed.file, seed.span, displayed_path=shown, delimiter=delimiter, limit=limit
    )
    seconds = time.monotonic() - began
    files = f"{len(names):,} file{'s' * (len(names) != 1)} in '{topic.files.root}'"
    say(f"{topic.name}: {count:,} rows in {files} ({seconds:.1f} s)")
    return Loaded(topic.name, count)


def _records(samples: Samples, source: tuple[SeedSpec, str] | None) -> Iterator[Record]:
    """Those of the file, then those of the programs."""
    if source is None:
        return iter(samples.inserts)
    spec, shown = source
    as_records = samples.seed is not None and samples.seed.lines == "records"
    return chain(seed_records(spec, samples.topic, shown=shown, as_records=as_records), samples.inserts)


def _watched(say: Say, topic: str, records: Iterator[Record]) -> Iterator[Record]:
    """The records, and now and then how many have gone by."""
    told = time.monotonic()
    for number, record in enumerate(records, 1):
        if number % 4096 == 0 and time.monotonic() - told > 2:
            told = time.monotonic()
            say(f"{topic}: {number:,} records so far")
        yield record


def forget(
    place: RunTarget, store: CheckpointStore, compilation: Compilation, topics: Sequence[str], say: Say
) -> None:  # fmt: skip
    """Remove the topics, and the results and checkpoints of all models that they reach. `store`: of the place;
    `compilation`: all models, none with an error, since which ones a topic reaches would not be known. Hold `run_lock`
    around it, and the lease of a project whose topics are in Kafka. Raises LsqlcError LSQ790 for checkpoints of other
    topics, LSQ773 and LSQ776 for models that are deployed beside these.
    """
    check_checkpoints(place)
    plans = compilation.plans
    direct = [name for name, plan in plans.items() if any(topic.name in topics for topic in plan.inputs)]
    reached = compilation.graph.below(direct)
    place = running_place(place, compilation.project.config.name, reached)
    # The place was made for the topics of the samples.
    transport = replace(place, plans=tuple(plans.values())).streams()
    # Who reads comes before what it reads: after a crash in between nothing is left that would read twice what is made
    # anew.
    for name in reversed([n for n in compilation.graph.order if n in reached]):
        stages = () if unsupported(plans[name]) else lower(plans[name]).stages
        ran = [s for s in stages if has_checkpoint(store, s.name)]
        # Checkpoints first: a run after a crash in between sees records without one, and asks for a full refresh.
        for stage in reversed(stages):
            remove_checkpoint(store, stage.name)
        for stage in stages:
            transport.discard(stage.write.topic, stage.name)
        if ran:
            say(f"{name}: results and checkpoints removed; the next run recomputes them")
    of_files = {t.topic.name for t in compilation.project.topics if t.topic.files}
    for topic in topics:
        if topic not in of_files:
            place.log.delete(topic)
