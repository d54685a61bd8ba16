"""`lsqlc seed`: load the declared sample records into the embedded topics.

Topics without a timestamp column come first, since their records have the time 0, then those with one; each in the
order of declaration. A topic that has records is left alone.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lsqlc.cli import options, project
from lsqlc.cli.shell import Shell, shell

if TYPE_CHECKING:
    from lsqlc.project.declarations import Seed, TopicDeclaration
    from lsqlc.project.model import Project
    from lsqlc.topics.log import FileLog
    from lsqlc.topics.seeding import SeedSpec
    from lsqlc.types.record import Record

# Records in a file where the declaration says nothing: a batch of a running query is a file.
_SEGMENT = 20_000


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
        from lsqlc.remote.locks import run_lock
        from lsqlc.topics.log import FileLog

        root = project.find(sh, project_dir)
        loaded = project.load(sh, root, project.variables(sh, vars))
        if errors(loaded.diagnostics):
            raise LsqlcError(loaded.diagnostics)
        place = open_target(root, target, dict(os.environ), default=True)
        log = FileLog(topics_folder(root, place), place.topics or ".lsqlc/topics")
        chosen = _chosen(loaded, topics or ())
        specs = [_spec(root, declaration.seed) for declaration in chosen if declaration.seed is not None]
        if full_refresh:
            with run_lock(root / project.STATE_FOLDER):
                _forget(sh, loaded, [d.topic.name for d in chosen], target)
                loads = [_load(sh, log, d, s, limit) for d, s in zip(chosen, specs, strict=True)]
        else:
            loads = [_load(sh, log, d, s, limit) for d, s in zip(chosen, specs, strict=True)]
        if sh.json:
            sh.document({"version": 1, "command": "seed", "ok": True, "topics": loads})
        elif not loads:
            sh.say("no topic declares a seed")


def _chosen(loaded: Project, names: Sequence[str]) -> list[TopicDeclaration]:
    """The declarations to load, in order. Raises LsqlcError for names without a seed."""
    from lsqlc.diagnostics import Diagnostic, LsqlcError, did_you_mean, listing

    seeded = [t for t in loaded.topics if t.seed is not None]
    seeded.sort(key=lambda t: (bool(t.seed and t.seed.timestamp), t.span.path, t.span.line, t.span.column))
    known = [t.topic.name for t in seeded]
    wrong = []
    for name in dict.fromkeys(names):
        declared = next((t for t in loaded.topics if t.topic.name == name), None)
        if declared is None:
            help = did_you_mean(name, known) or (f"topics with a seed are {listing(known)}" if known else None)
            wrong.append(Diagnostic("LSQ063", f"there is no topic '{name}'", help=help))
        elif declared.seed is None:
            help = "add `seed: {path: seeds/FILE.csv}` to it"
            wrong.append(Diagnostic("LSQ064", f"the topic '{name}' declares no seed", declared.span, help=help))
    if wrong:
        raise LsqlcError(wrong)
    return [t for t in seeded if not names or t.topic.name in names]


def _spec(root: Path, seed: Seed) -> tuple[SeedSpec, str]:
    """Where the records are, and what messages call that file."""
    from lsqlc.diagnostics import Diagnostic, LsqlcError
    from lsqlc.project import files
    from lsqlc.topics.seeding import SeedSpec, resource_path

    for what, given in (("key", seed.key), ("null", seed.null)):
        if len(given) > 1:
            message = f"a seed has one '{what}', not {len(given)}"
            raise LsqlcError([Diagnostic("LSQ062", message, seed.span, help="keep one, and prepare the file for it")])
    if seed.package:
        path, shown = resource_path(seed.package, seed.path), f"{seed.package}:{seed.path.rpartition('/')[2]}"
    elif files.stays_inside(root, seed.path):
        path, shown = root / seed.path, seed.path
    else:
        raise LsqlcError([Diagnostic("LSQ009", f"'{seed.path}' leads out of the project", seed.span)])
    if not path.is_file():
        help = "correct the path: it counts from the project's folder"
        raise LsqlcError([Diagnostic("LSQ410", f"there is no file '{shown}'", seed.span, help=help)])
    null = seed.null[0] if seed.null else ""
    return SeedSpec(path, seed.key[0] if seed.key else None, seed.timestamp, null), shown


def _load(
    sh: Shell, log: FileLog, declaration: TopicDeclaration, source: tuple[SeedSpec, str], limit: int | None
) -> dict[str, object]:
    """Load one topic, unless it has records."""
    from lsqlc.topics.seeding import rows

    topic, seed = declaration.topic, declaration.seed
    assert seed is not None
    if log.segments(topic.name):
        sh.say(f"{topic.name}: has records already; --full-refresh loads them anew")
        return {"topic": topic.name, "status": "kept", "records": 0}
    spec, shown = source
    size = _SEGMENT
    if seed.segments:
        count = sum(1 for _ in islice(rows(spec, topic, shown=shown), limit))
        size = max(1, -(-count // seed.segments))
    began = time.monotonic()
    records = islice(rows(spec, topic, shown=shown), limit)
    appended = log.append(topic, _watched(sh, topic.name, records), segments_of=size)
    seconds = time.monotonic() - began
    files = len(log.segments(topic.name))
    sh.say(f"{topic.name}: {appended.count:,} records in {files:,} file{'s' * (files != 1)} ({seconds:.1f} s)")
    return {"topic": topic.name, "status": "loaded", "records": appended.count}


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
    from lsqlc.remote.checkpoints import checkpoint_name
    from lsqlc.remote.transport import FileTransport
    from lsqlc.topics.log import FileLog

    compilation = project.compiled(loaded, None, None)
    if not compilation.ok:
        raise LsqlcError(compilation.diagnostics)
    place = open_target(loaded.root, target, dict(os.environ), default=True)
    folder, checkpoints = topics_folder(loaded.root, place), checkpoints_folder(loaded.root, place)
    plans = compilation.plans
    direct = [name for name, plan in plans.items() if any(topic.name in topics for topic in plan.inputs)]
    transport = FileTransport(folder)
    for name in sorted(compilation.graph.below(direct)):
        stages = () if unsupported(plans[name]) else lower(plans[name]).stages
        ran = [s for s in stages if (checkpoints / checkpoint_name(s.name)).exists()]
        # Checkpoints first: a run after a crash in between sees records without one, and asks for a full refresh.
        for stage in stages:
            shutil.rmtree(checkpoints / checkpoint_name(stage.name), ignore_errors=True)
        for stage in stages:
            transport.discard(stage.write.topic, stage.name)
        if ran:
            sh.say(f"{name}: results and checkpoints removed; the next run computes them anew")
    log = FileLog(folder)
    for topic in topics:
        log.delete(topic)
