"""Copy the states of models to a folder, and back: before a change that is a risk, and to another storage.

A backup is a folder of checkpoints like that of a target, and appears as a whole. It has no results: these stay in the
topics. So a query may go on from it as long as the records in its topic are those of its state. What the query has
written since would be written a second time, or left out.
"""

from __future__ import annotations

import shutil
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lsqlc.connectors.shared import make_folder
from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.project.build.compile import Compilation
from lsqlc.remote.run.batch_log import BatchLog, file_address
from lsqlc.remote.run.checkpoints import (
    checkpoint_name,
    describe_elsewhere,
    described,
    generation_of,
    location_of,
)
from lsqlc.remote.run.query_batches import query_batches
from lsqlc.remote.run.stores import FolderStore
from lsqlc.remote.state.checkpoint_copy import copy_checkpoint
from lsqlc.tasks.checkpoint_place import check_checkpoints, check_same_topics, note_topics
from lsqlc.tasks.local_checkpoints import store_of_folders
from lsqlc.tasks.real_time import latencies
from lsqlc.tasks.run_target import RunTarget
from lsqlc.tasks.state_copied import Copied, check_programs, checkpoint_of, completed, take_up


def back_up(place: RunTarget, models: tuple[str, ...] | None, folder: Path) -> tuple[Copied, ...]:
    """Copy the checkpoints of a target's queries to a folder that does not exist, or is empty; of all models for None.
    A run may be active. `place`: as the live models see it.

    Raises LsqlcError: LSQ894 for a folder with something in it, LSQ034 for one that cannot be written, and as
    `completed` and `copy_checkpoint` do.
    """
    store = store_of_folders(place)
    queries = completed(store, models)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        message = f"'{folder}' is there already"
        raise LsqlcError([Diagnostic("LSQ894", message, help="name another folder, or remove it")])
    try:
        return _backed_up(place, store, queries, folder)
    except OSError as error:
        message = f"the folder '{folder}' cannot be written: {error.strerror or error}"
        raise LsqlcError([Diagnostic("LSQ034", message)]) from None


def _backed_up(place: RunTarget, store: FolderStore, queries: dict[str, Any], folder: Path) -> tuple[Copied, ...]:
    make_folder(folder.parent)
    for left in folder.parent.glob(f".{folder.name}.copy-*"):
        # Of a command that was killed.
        shutil.rmtree(left, ignore_errors=True)
    made = folder.parent / f".{folder.name}.copy-{uuid.uuid4().hex[:12]}"
    copies, done = FolderStore(made), []
    try:
        for query, parts in queries.items():
            known = described(store, query)
            assert known is not None, "it was looked at"
            copy = Path(copies.location(checkpoint_name(query), known["generation"]))
            batch = copy_checkpoint(Path(location_of(store, query, known)), copy)
            describe_elsewhere(copies, query, known, "")
            done.append(Copied(parts.model, query, batch))
        note_topics(made, place)
        if folder.exists():
            folder.rmdir()
        made.rename(folder)
    except BaseException:
        shutil.rmtree(made, ignore_errors=True)
        raise
    return tuple(done)


def models_in(folder: Path) -> tuple[str, ...]:
    """The models whose checkpoints are in a folder. Raises LsqlcError LSQ893, and as `completed`."""
    return tuple(dict.fromkeys(p.model for q, p in completed(FolderStore(folder), None).items()))


def restore(place: RunTarget, compilation: Compilation, folder: Path) -> tuple[Copied, ...]:
    """Have the models of a compilation go on from the checkpoints in a folder. Hold the lock and the lease of the
    project. All are looked at before the first is replaced. `place`: as the live models see it.

    Raises LsqlcError: LSQ895 for another program, LSQ896 for a state that is not that of the records in the topics,
    LSQ790 for a state of other topics, and as `completed` and `copy_checkpoint` do.
    """
    source, store = FolderStore(folder), store_of_folders(place)
    models = tuple(compilation.plans)
    queries = completed(source, models)
    check_same_topics(folder, place)
    check_checkpoints(place)
    check_programs(compilation, place, source)
    real = latencies(compilation, place).models
    batches: dict[str, int] = {}
    problems: list[Diagnostic] = []
    for query, parts in queries.items():
        known = described(source, query)
        assert known is not None, "it was looked at"
        log = query_batches(source, query, known, parts.sources)
        noted = parts.model not in real
        why = _went_on(store, query, known, log) or _unlike(place, query, known, log, noted=noted)
        batches[query] = log.committed
        if why:
            problems.append(_not_that(query, parts.topic, why))
    if problems:
        raise LsqlcError(problems)
    for query, batch in batches.items():
        known = described(source, query)
        assert known is not None, "it was looked at"
        take_up(source, store, query, known, generation=known["generation"], batch=batch)
    return tuple(Copied(p.model, q, batches[q]) for q, p in queries.items())


def _went_on(store: FolderStore, query: str, known: Any, log: BatchLog) -> str | None:
    """Why a query has gone on since its state was copied, by the checkpoint that it has; None if it has not, or has
    none that can be read.
    """
    there = checkpoint_of(store, query)
    if there is None:
        return None
    if there["generation"] != known["generation"]:
        return "the model was rebuilt or promoted since"
    now = store.batches(location_of(store, query, there)).committed
    return (
        f"the state is that after batch {log.committed}, and the query has completed batch {now}"
        if (now > log.committed)
        else None
    )


def _unlike(place: RunTarget, query: str, known: Any, log: BatchLog, *, noted: bool) -> str | None:
    """Why a state is not that of the records in the topic of its query; None if it is. `noted`: the topic has markers
    of the batches.
    """
    topic, generation, streams = known["parts"]["topic"], generation_of(query, known), place.streams()
    if not (place.capabilities.exactly_once and noted):
        return "its batches are written without markers, so that nobody knows what it has written since"
    # A query of a client that was killed may live on a server: it writes nothing more from here on.
    streams.fence(topic, generation)
    newest, last = streams.newest_generation(topic, query), streams.last_generation(topic, query)
    if last > max(newest, 0) or newest > known["generation"]:
        return "its records were removed since, or another generation of the query has written some"
    written = streams.last_batch(topic, generation)
    if written > log.committed:
        return f"the state is that after batch {log.committed}, and the topic has the records of batch {written}"
    if place.log.batch_in_part(topic, generation) is not None:
        return f"the topic has a part of the records of a batch behind {log.committed}"
    elsewhere = next(_elsewhere(place, log, known["parts"]["sources"]), None)
    return None if elsewhere is None else f"it has read '{elsewhere}', and the topics of this target are elsewhere"


def _elsewhere(place: RunTarget, log: BatchLog, sources: list[str]) -> Iterator[str]:
    """Folders of topics that a query has read, and that it would not read here."""
    if not place.capabilities.has_files:
        return
    for number, source in enumerate(sources):
        if ": " in source:
            # Files lie in the project, at other places than topics.
            continue
        folders = filter(None, map(place.log.location, source.split(", ")))
        own = {file_address(folder.absolute()) for folder in folders}
        for path in log.files(log.committed, number):
            folder = path.rsplit("/", 2)[0]
            if folder not in own:
                yield folder
                break


def _not_that(query: str, topic: str, why: str) -> Diagnostic:
    return Diagnostic(
        "LSQ896",
        f"the state of the query '{query}' is not that of the records in '{topic}'",
        notes=(why, "records would be missing, or there twice"),
        help="rebuild the model with `lsqlc run --full-refresh`, or copy a state of after its last batch",
    )
