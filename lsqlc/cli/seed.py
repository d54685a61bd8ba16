"""`lsqlc seed`: load the declared sample records, and those that ksqlDB programs insert, into the embedded topics.

Topics without a timestamp column come first, since their records have the time 0, then those with one; each in the
order of declaration, and behind them those that only programs fill, in the order of the models. What programs insert
comes behind the records of the topic's own file. A topic that has records is left alone.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lsqlc.cli import options, project
from lsqlc.cli.shell import Shell, shell

if TYPE_CHECKING:
    from lsqlc.project.build.compile import Compilation
    from lsqlc.project.declared.declarations import Seed
    from lsqlc.project.model import Project
    from lsqlc.topics.log import FileLog
    from lsqlc.topics.seeding import SeedSpec
    from lsqlc.types.record import Record, Topic

# Records in a file where the declaration says nothing: a batch of a running query is a file.
_SEGMENT = 20_000


@dataclass(frozen=True, slots=True)
class _Samples:
    """What is to be loaded into a topic: a file that its declaration names, and records of programs."""

    topic: Topic
    seed: Seed | None
    inserts: tuple[Record, ...] = ()


def command(
    topics: Annotated[list[str] | None, typer.Argument(help="Topics to load; none: all that declare a seed.")] = None,
    limit: Annotated[int | None, typer.Option("--limit", min=1, help="Load the first N records of each.")] = None,
    full_refresh: Annotated[
        bool,
        typer.Option(
            "--full-refresh",
            help="Load anew, and remove what models computed from the old records: topics, checkpoints.",
        ),
    ] = False,
    target: options.Target = None,
    vars: options.Vars = None,
    project_dir: options.ProjectDir = None,
    output: options.Output = "text",
    quiet: options.Quiet = False,
) -> None:
    """Load sample records into the topics that declare a seed.

    With --full-refresh the models that read these topics lose their results and checkpoints, so that the next run
    computes them from the new records. That is refused while a run goes on.
    """
    with shell("seed", output, quiet) as sh:
        from lsqlc.cli.spark import open_target, topics_folder
        from lsqlc.diagnostics import LsqlcError, errors
        from lsqlc.remote.run.locks import run_lock
        from lsqlc.topics.log import FileLog

        root = project.find(sh, project_dir)
        loaded = project.load(sh, root, project.variables(sh, vars))
        if errors(loaded.diagnostics):
            raise LsqlcError(loaded.diagnostics)
        place = open_target(root, target, dict(os.environ), default=True)
        log = FileLog(topics_folder(root, place), place.topics or ".lsqlc/topics")
        chosen = _chosen(loaded, topics or (), _inserted(loaded))
        specs = [_spec(root, c.seed) if c.seed is not None else None for c in chosen]
        if full_refresh:
            with run_lock(root / project.STATE_FOLDER):
                _forget(sh, loaded, [c.topic.name for c in chosen], target)
                loads = [_load(sh, root, log, c, s, limit, anew=True) for c, s in zip(chosen, specs, strict=True)]
        else:
            loads = [_load(sh, root, log, c, s, limit) for c, s in zip(chosen, specs, strict=True)]
        if sh.json:
            sh.document({"version": 1, "command": "seed", "ok": True, "topics": loads})
        elif not loads:
            sh.say("no topic declares a seed")


def _inserted(loaded: Project) -> Mapping[str, _Samples]:
    """What INSERT INTO ... VALUES of the models gives to topics that no model writes, by topic. Raises LsqlcError if
    one of these models does not compile.
    """
    from lsqlc.diagnostics import LsqlcError
    from lsqlc.dialects import dialect

    names = [m.name for m in loaded.models if dialect(m.dialect).may_insert(m.text or "")]
    if not names:
        return {}
    compilation: Compilation = project.compiled(loaded, names, None)
    if not compilation.ok:
        raise LsqlcError(compilation.diagnostics)
    found: dict[str, _Samples] = {}
    for plan in compilation.plans.values():
        topics = {topic.name: topic for topic in plan.inputs}
        for record in plan.inserts:
            if record.topic in compilation.graph.writers:
                continue
            before = found.get(record.topic)
            inserts = (*(before.inserts if before else ()), record)
            found[record.topic] = _Samples(topics[record.topic], None, inserts)
    return found


def _chosen(loaded: Project, names: Sequence[str], inserted: Mapping[str, _Samples]) -> list[_Samples]:
    """What to load, in order. Raises LsqlcError for names without a seed."""
    from lsqlc.diagnostics import Diagnostic, LsqlcError, did_you_mean, listing

    seeded = [t for t in loaded.topics if t.seed is not None]
    seeded.sort(key=lambda t: (bool(t.seed and t.seed.timestamp), t.span.path, t.span.line, t.span.column))
    samples = {t.topic.name: _Samples(t.topic, t.seed) for t in seeded}
    for name, more in inserted.items():
        own = samples.get(name)
        samples[name] = _Samples(own.topic, own.seed, more.inserts) if own else more
    wrong = []
    for name in dict.fromkeys(names):
        declared = next((t for t in loaded.topics if t.topic.name == name), None)
        if name in samples:
            continue
        if declared is None:
            help = did_you_mean(name, samples) or (f"topics with a seed are {listing(samples)}" if samples else None)
            wrong.append(Diagnostic("LSQ063", f"there is no topic '{name}'", help=help))
        else:
            help = "add `seed: {path: seeds/FILE.csv}` to it"
            wrong.append(Diagnostic("LSQ064", f"the topic '{name}' declares no seed", declared.span, help=help))
    if wrong:
        raise LsqlcError(wrong)
    return [sample for name, sample in samples.items() if not names or name in names]


def _spec(root: Path, seed: Seed) -> tuple[SeedSpec, str]:
    """Where the records are, and what messages call that file."""
    from lsqlc.diagnostics import Diagnostic, LsqlcError
    from lsqlc.scan import paths
    from lsqlc.topics.seeding import SeedSpec, resource_path

    for what, given in (("key", seed.key), ("null", seed.null)):
        if len(given) > 1:
            message = f"a seed has one '{what}', not {len(given)}"
            raise LsqlcError([Diagnostic("LSQ062", message, seed.span, help="keep one, and prepare the file for it")])
    if seed.package:
        path, shown = resource_path(seed.package, seed.path), f"{seed.package}:{seed.path.rpartition('/')[2]}"
    elif paths.stays_inside(root, seed.path):
        path, shown = root / seed.path, seed.path
    else:
        raise LsqlcError([Diagnostic("LSQ009", f"'{seed.path}' leads out of the project", seed.span)])
    try:
        paths.check_regular(path.stat().st_mode)
    except (OSError, ValueError) as error:
        help = "correct the path: it counts from the project's folder"
        message = f"there is no file '{shown}'"
        if os.path.lexists(path):
            message = f"the file '{shown}' cannot be read: {paths.why_unread(error, path)}"
        raise LsqlcError([Diagnostic("LSQ410", message, seed.span, help=help)]) from None
    null = seed.null[0] if seed.null else ""
    return SeedSpec(path, seed.key[0] if seed.key else None, seed.timestamp, null), shown


def _load(
    sh: Shell,
    root: Path,
    log: FileLog,
    samples: _Samples,
    source: tuple[SeedSpec, str] | None,
    limit: int | None,
    *,
    anew: bool = False,
) -> dict[str, object]:
    """Load one topic, unless it has records. `anew`: files of the names that rows go to are replaced."""
    topic, seed = samples.topic, samples.seed
    if topic.files is not None:
        return _write_files(sh, root, samples, source, limit, anew=anew)
    if log.segments(topic.name):
        sh.say(f"{topic.name}: has records already; --full-refresh loads them anew")
        return {"topic": topic.name, "status": "kept", "records": 0}
    size = _SEGMENT
    if seed is not None and seed.segments:
        count = sum(1 for _ in islice(_records(samples, source), limit))
        size = max(1, -(-count // seed.segments))
    began = time.monotonic()
    records = islice(_records(samples, source), limit)
    appended = log.append(topic, _watched(sh, topic.name, records), segments_of=size)
    seconds = time.monotonic() - began
    files = len(log.segments(topic.name))
    sh.say(f"{topic.name}: {appended.count:,} records in {files:,} file{'s' * (files != 1)} ({seconds:.1f} s)")
    return {"topic": topic.name, "status": "loaded", "records": appended.count}


def _write_files(
    sh: Shell, root: Path, samples: _Samples, source: tuple[SeedSpec, str] | None, limit: int | None, *, anew: bool
) -> dict[str, object]:
    """Put a topic's rows into its folder."""
    from lsqlc.scan.data_files import data_files
    from lsqlc.topics.seeding_files import write_rows

    topic, seed = samples.topic, samples.seed
    assert topic.files is not None and seed is not None and seed.file is not None and source is not None
    if data_files(root, topic.files) and not anew:
        sh.say(f"{topic.name}: has files already; --full-refresh writes those of the seed anew")
        return {"topic": topic.name, "status": "kept", "records": 0}
    began = time.monotonic()
    spec, shown = source
    folder, delimiter = root / topic.files.root, topic.files.delimiter
    count, names = write_rows(spec, folder, seed.file, seed.span, shown=shown, delimiter=delimiter, limit=limit)
    seconds = time.monotonic() - began
    files = f"{len(names):,} file{'s' * (len(names) != 1)} in '{topic.files.root}'"
    sh.say(f"{topic.name}: {count:,} rows in {files} ({seconds:.1f} s)")
    return {"topic": topic.name, "status": "loaded", "records": count}


def _records(samples: _Samples, source: tuple[SeedSpec, str] | None) -> Iterator[Record]:
    """Those of the file, then those of the programs."""
    from lsqlc.topics.seeding import rows

    if source is None:
        return iter(samples.inserts)
    spec, shown = source
    return chain(rows(spec, samples.topic, shown=shown), samples.inserts)


def _watched(sh: Shell, topic: str, records: Iterator[Record]) -> Iterator[Record]:
    """The records, and now and then how many have gone by."""
    told = time.monotonic()
    for number, record in enumerate(records, 1):
        if number % 4096 == 0 and time.monotonic() - told > 2:
            told = time.monotonic()
            sh.say(f"{topic}: {number:,} records so far")
        yield record


def _forget(sh: Shell, loaded: Project, topics: Sequence[str], target: str | None) -> None:
    """Remove the topics, and the results and checkpoints of all models that they reach.

    Raises LsqlcError if a model does not compile: which ones they reach is not known then.
    """
    from lsqlc.cli.spark import checkpoints_folder, open_target, topics_folder
    from lsqlc.diagnostics import LsqlcError
    from lsqlc.lower.spark import lower, unsupported
    from lsqlc.remote.run.checkpoints import checkpoint_name, remove_checkpoint
    from lsqlc.remote.topics.transport import FileTransport
    from lsqlc.topics.log import FileLog

    compilation = project.compiled(loaded, None, None)
    if not compilation.ok:
        raise LsqlcError(compilation.diagnostics)
    place = open_target(loaded.root, target, dict(os.environ), default=True)
    folder, checkpoints = topics_folder(loaded.root, place), checkpoints_folder(loaded.root, place)
    plans = compilation.plans
    direct = [name for name, plan in plans.items() if any(topic.name in topics for topic in plan.inputs)]
    transport = FileTransport(folder)
    reached = compilation.graph.below(direct)
    # Who reads comes before what it reads: after a crash in between nothing is left that would read twice what is made
    # anew.
    for name in reversed([n for n in compilation.graph.order if n in reached]):
        stages = () if unsupported(plans[name]) else lower(plans[name]).stages
        ran = [s for s in stages if (checkpoints / checkpoint_name(s.name)).exists()]
        # Checkpoints first: a run after a crash in between sees records without one, and asks for a full refresh.
        for stage in reversed(stages):
            remove_checkpoint(checkpoints, stage.name)
        for stage in stages:
            transport.discard(stage.write.topic, stage.name)
        if ran:
            sh.say(f"{name}: results and checkpoints removed; the next run computes them anew")
    log = FileLog(folder)
    of_files = {t.topic.name for t in loaded.topics if t.topic.files}
    for topic in topics:
        if topic not in of_files:
            log.delete(topic)
