"""Copy the states of models to an environment, which goes on from there instead of reading everything again.

An environment reads the topics of the target that it defers to, at the same offsets. What its models write is its own:
so the records of a model's topic go with its state, those of the batches that the state is of, in one batch of the new
generation. A run may be active on the target that is copied from.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.plan.plan import Plan
from lsqlc.project.build.compile import Compilation
from lsqlc.remote.connectors.transport import generation_name
from lsqlc.remote.run.checkpoints import described, generation_of, location_of, remove_checkpoint
from lsqlc.remote.run.stores import FolderStore
from lsqlc.tasks.checkpoint_place import check_checkpoints
from lsqlc.tasks.environment_note import Environment
from lsqlc.tasks.local_checkpoints import store_of_folders
from lsqlc.tasks.real_time import latencies
from lsqlc.tasks.run import prepare_topics
from lsqlc.tasks.run_target import RunTarget
from lsqlc.tasks.state_copied import Copied, check_programs, checkpoint_of, completed, take_up
from lsqlc.types.record import StoredRecord, Topic

# How often the end of a batch is looked for while the query goes on.
_TRIES = 10


def check_copies(base: RunTarget, place: RunTarget, compilation: Compilation, before: Environment | None) -> None:
    """Refuse models whose state cannot go on in an environment. `base`: as the live models of the other target see it;
    `place`: the environment with the topics that it would have; `before`: what it has held until now.

    Raises LsqlcError: LSQ898 for what an environment cannot take, LSQ895 for another program, and as `completed` does.
    """
    source = store_of_folders(base)
    queries = completed(source, tuple(compilation.plans))
    native = not all(p.capabilities.exactly_once for p in (base, place))
    real = latencies(compilation, base).models | latencies(compilation, place).models
    own = before.topics if before else frozenset()
    problems = []
    for model, plan in compilation.plans.items():
        of_model = [query for query, parts in queries.items() if parts.model == model]
        why = _why_not(plan, of_model, base, place, own)
        if why is None and (native or model in real):
            why = "its batches are written without markers, so that nobody knows of which batch a record is"
        if why is not None:
            problems.append(_refused(model, why, place.target.name))
    if problems:
        raise LsqlcError(problems)
    check_programs(compilation, place, source)


def _why_not(plan: Plan, queries: list[str], base: RunTarget, place: RunTarget, own: Collection[str]) -> str | None:
    """Why the state of a model cannot go on in an environment; None if it can. `own`: the topics that it has."""
    if len(queries) > 1:
        return "it has several queries, which pass records on to one another"
    for topic in plan.inputs:
        if topic.files is None and place.read_from(topic.name) is None:
            return f"it has read '{topic.name}' of '{base.target.name}', and the environment has that topic itself"
    store = store_of_folders(place)
    if any(checkpoint_of(store, query) is not None for query in queries):
        return "it has run there already"
    for topic in plan.outputs:
        if topic.name not in own and not place.log.is_empty(topic.name):
            return f"its topic '{topic.name}' has records there that no model of the environment has written"
    return None


def copy_to_environment(base: RunTarget, place: RunTarget, compilation: Compilation) -> Iterator[Copied]:
    """Have the models of a compilation go on in an environment from the states of the other target. Call `check_copies`
    before, and note the environment. Hold its lock and its lease. What a command has left that was killed is replaced.

    Raises LsqlcError: LSQ897 for a query that never stands between two batches, and as the topics and `copy_checkpoint`
    do.
    """
    source, store, streams = store_of_folders(base), store_of_folders(place), place.streams()
    check_checkpoints(place)
    for query, parts in completed(source, tuple(compilation.plans)).items():
        known = described(source, query)
        assert known is not None and parts.written is not None, "it was looked at"
        # The topic of the environment, where nothing goes on from yet.
        remove_checkpoint(store, query)
        number = streams.last_generation(parts.topic, query) + 1
        if not place.log.is_empty(parts.topic):
            place.log.delete(parts.topic)
        for _ in prepare_topics(compilation, place):
            pass
        batch, records = _results(base, source, query, known, parts.written)
        count = 0

        def counted(records: Iterator[StoredRecord] = records) -> Iterator[StoredRecord]:
            nonlocal count
            for record in records:
                count += 1
                yield record

        place.log.append_batch(parts.written, counted(), generation=generation_name(query, number), batch=batch)
        take_up(source, store, query, known, generation=number, batch=batch)
        yield Copied(parts.model, query, batch, count)


def _results(
    base: RunTarget, source: FolderStore, query: str, known: Any, topic: Topic
) -> tuple[int, Iterator[StoredRecord]]:  # fmt: skip
    """A batch that is complete, and the records in the topic by then."""
    generation, location = generation_of(query, known), location_of(source, query, known)
    for _ in range(_TRIES):
        batch = source.batches(location).committed
        records = base.log.read_until(topic, generation, batch)
        if records is not None:
            return batch, records
    raise LsqlcError([_no_pause(query, topic.name)])


def _refused(model: str, why: str, target: str) -> Diagnostic:
    help = f"run it there without a copy, with `lsqlc run --target {target} --select {model} --full-refresh`"
    message = f"the state of '{model}' cannot be copied to the environment '{target}'"
    return Diagnostic("LSQ898", message, notes=(why,), help=help)


def _no_pause(query: str, topic: str) -> Diagnostic:
    return Diagnostic(
        "LSQ897",
        f"the query '{query}' has written to '{topic}' in each of {_TRIES} attempts to copy its state",
        notes=("the records that are copied have to be those of the batches that the state is of",),
        help="run the command again when less is written, or stop the run for the time of the copy",
    )
