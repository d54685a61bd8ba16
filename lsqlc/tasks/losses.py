"""Records that queries were to read and that the topics no longer have: reported before any query starts, or accepted.

A loss that is accepted is written into the checkpoint: its last batch that is done ends where the partition begins. The
state and the results of the query stay as they are.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from lsqlc.connectors.losses import Gap, accept_text, gaps, lost
from lsqlc.diagnostics import Diagnostic, LsqlcError, did_you_mean, listing
from lsqlc.lower.spark.steps import SparkPlan
from lsqlc.remote.run.batch_log import BatchLog, UnknownLogError, continued_at, write_batch
from lsqlc.remote.run.checkpoints import described, location_of
from lsqlc.remote.run.stores import CheckpointStore
from lsqlc.tasks.backlog import topic_reads
from lsqlc.tasks.notes import file_note, keep_file_note
from lsqlc.tasks.run_target import RunTarget

_NOTE = "losses"


@dataclass(frozen=True, slots=True)
class Loss:
    """What a query cannot continue to read."""

    model: str
    query: str
    gaps: tuple[Gap, ...]

    @property
    def topics(self) -> tuple[str, ...]:
        """The topics that lack records, in order."""
        return tuple(dict.fromkeys(gap.topic for gap in self.gaps))

    @property
    def texts(self) -> tuple[str, ...]:
        """What is missing, in words, and at the end how it is accepted."""
        return (*(gap.text for gap in self.gaps), accept_text(self.topics))

    @property
    def diagnostic(self) -> Diagnostic:
        """LSQ753."""
        return lost(self.model, self.topics, [gap.text for gap in self.gaps])


@dataclass(frozen=True, slots=True)
class Accepted:
    """A loss that was accepted: `at` in seconds since 1970, `missing` in words."""

    at: float
    model: str
    query: str
    topic: str
    missing: str


def losses(plans: Mapping[str, SparkPlan], place: RunTarget, store: CheckpointStore) -> tuple[Loss, ...]:
    """What the queries of these models cannot continue to read. A query that has completed no batch has lost
    nothing. Raises LsqlcError as the cluster and `described` do.
    """
    if not place.capabilities.has_retention:
        return ()
    found = []
    for model, plan in plans.items():
        for stage in plan.stages:
            missing = _gaps(place, list(topic_reads(stage, store)))
            if missing:
                found.append(Loss(model, stage.name, missing))
    return tuple(found)


def pass_losses(
    plans: Mapping[str, SparkPlan],
    place: RunTarget,
    store: CheckpointStore,
    topics: Collection[str],
    now: float,
    say: Callable[[str], None],
) -> None:
    """Have queries continue behind what these topics have lost; each loss is reported with `say`, and noted at `now`,
    in seconds since 1970. The queries must not run.

    Raises LsqlcError: LSQ753 for each query that lacks records of another topic, and LSQ767 for checkpoints at an
    address, of which no file can be written again. Then nothing is changed.
    """
    found = losses(plans, place, store)
    rest = [
        replace(loss, gaps=left) for loss in found if (left := tuple(g for g in loss.gaps if g.topic not in topics))
    ]
    if rest:
        raise LsqlcError([loss.diagnostic for loss in rest])
    if found and not isinstance(place.own_checkpoints, Path):
        raise LsqlcError([_at_address(place, loss) for loss in found])
    for loss in found:
        _accept(plans, place, store, loss)
        for gap in loss.gaps:
            say(f"accepted for the model '{loss.model}': {gap.text}")
    note_accepted(place.state, found, now)
    for topic in sorted(set(topics) - {topic for loss in found for topic in loss.topics}):
        say(f"no query lacks records of '{topic}'")


def check_accepted(plans: Mapping[str, SparkPlan], accepted: Collection[str]) -> None:
    """Raise LsqlcError with a LSQ768 for each of these topics that no query reads."""
    read = {t for plan in plans.values() for stage in plan.stages for source in stage.sources for t in source.topics}
    problems = [
        Diagnostic("LSQ768", f"no selected model reads the topic '{topic}'", help=did_you_mean(topic, sorted(read)))
        for topic in accepted
        if topic not in read
    ]
    if problems:
        raise LsqlcError(problems)


def read_accepted(folder: Path) -> tuple[Accepted, ...]:
    """The losses that were accepted and not recomputed since, the oldest first. `folder`: that of the project's state.
    Raises LsqlcError LSQ001.
    """
    text = file_note(folder, _NOTE)
    return () if text is None else tuple(Accepted(**each) for each in json.loads(text))


def note_accepted(folder: Path, found: Iterable[Loss], at: float) -> None:
    """Note losses that were accepted. Raises LsqlcError LSQ001, LSQ034."""
    new = [Accepted(at, loss.model, loss.query, gap.topic, gap.text) for loss in found for gap in loss.gaps]
    if new:
        _keep(folder, (*read_accepted(folder), *new))


def forget_accepted(folder: Path, models: Collection[str]) -> None:
    """Remove the notes of models that are recomputed. Raises LsqlcError LSQ001, LSQ034."""
    before = read_accepted(folder)
    after = tuple(each for each in before if each.model not in models)
    if after != before:
        _keep(folder, after)


def accepted_data(found: Iterable[Accepted]) -> list[dict[str, Any]]:
    """The losses as JSON-ready data."""
    return [asdict(each) for each in found]


def _keep(folder: Path, found: Sequence[Accepted]) -> None:
    keep_file_note(folder, _NOTE, json.dumps(accepted_data(found), ensure_ascii=False) if found else None)


def _accept(plans: Mapping[str, SparkPlan], place: RunTarget, store: CheckpointStore, loss: Loss) -> None:
    """Write into the checkpoint of a query where it continues."""
    (stage,) = (stage for stage in plans[loss.model].stages if stage.name == loss.query)
    known = described(store, loss.query)
    assert known is not None, "who has read a topic has a checkpoint"
    reads = list(topic_reads(stage, store))
    before = log = reads[0][1]
    for topic, _, number in reads:
        places = {gap.partition: gap.first for gap in loss.gaps if gap.topic == topic}
        if places:
            log = continued_at(log, number, place.read_log.external_name(topic), places)
    # The batch that was begun first: until the one that is done is written too, it ends before it begins.
    numbers = sorted({log.committed, log.last}, reverse=True)
    changed = {name: log.texts[name] for n in numbers if log.texts[name := f"offsets/{n}"] != before.texts[name]}
    write_batch(Path(location_of(store, loss.query, known)), changed)


def _gaps(place: RunTarget, reads: Sequence[tuple[str, BatchLog, int]]) -> tuple[Gap, ...]:
    """What a query lacks. The batches were read before the topics are looked at, so that no query is ahead of them."""
    # Queries read topics under their own names that are written under another one.
    log = place.read_log
    found: list[Gap] = []
    for topic, batches, number in reads:
        name = log.external_name(topic)
        try:
            done = batches.offsets(batches.committed, number).get(name, {})
            begun = batches.offsets(batches.last, number).get(name, {})
        except (UnknownLogError, KeyError):
            # Who opens the checkpoint says what is wrong with it.
            continue
        if done:
            bounds = log.offsets(topic)
            found += gaps(topic, done, bounds) or gaps(topic, {**done, **_behind(begun, bounds)}, bounds)
    # A topic that is joined with itself is read twice.
    return tuple(dict.fromkeys(found))


def _behind(begun: Mapping[int, int], bounds: Mapping[int, tuple[int, int]]) -> dict[int, int]:
    """Where a batch that was begun would end behind the end of a partition."""
    return {p: end for p, end in begun.items() if p in bounds and end > bounds[p][1]}


def _at_address(place: RunTarget, loss: Loss) -> Diagnostic:
    return Diagnostic(
        "LSQ767",
        f"the loss of records of {listing(loss.topics)} cannot be accepted: the checkpoints are at an address",
        notes=(f"'{place.own_checkpoints}' is only reached by the Spark server, which cannot replace a file there",),
        help=f"`lsqlc run --select {loss.model}+ --full-refresh` recomputes the results, with `--from TIME` from a time"
        " on",
    )
