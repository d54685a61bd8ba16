"""Promote a staged line, take the promotion back, or give a line up.

A promotion keeps the live topics: it writes what differs, so that whoever reads them sees rows change and no row go
back to an older state. Each step can be killed at any moment, and is gone on with by the same command. The order is:

1. the staged models read what has come, and who wrote the live topics until now is fenced;
2. the live rows are copied to topics of the kept line (from here on only the end of the promotion is left);
3. the rows that differ are written to the live topics;
4. the checkpoints of the line become those of the models; those that they had are kept.

A kept line is a staged one whose models are those of before: to roll back is to promote it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.lower.spark import lower
from lsqlc.remote.run.checkpoints import (
    clear_described,
    deployed,
    describe_elsewhere,
    described,
    forget,
    generation_of,
    remove_checkpoint,
)
from lsqlc.remote.run.lines import Line, Lines
from lsqlc.remote.run.stores import CheckpointStore
from lsqlc.tasks.deploy.note import aside_place, check_no_promotion, live_place
from lsqlc.tasks.deploy.proof import same_value, table_rows, tables
from lsqlc.tasks.deploy.staging import Deployer, catch_up, check_stageable, seed_checkpoints
from lsqlc.tasks.places import Overlay, Place
from lsqlc.tasks.run import run_models
from lsqlc.topics.kafka.log import KafkaLog
from lsqlc.topics.log import FileLog
from lsqlc.types.record import Record, StoredRecord, Topic

# How often a promotion of topics in folders starts anew because records have come meanwhile.
_TRIES = 5
# The checkpoints of the target inside a `with`.
Stores = Callable[[], Any]


@dataclass(frozen=True, slots=True)
class Promoted:
    """What a promotion wrote to a live topic: how many rows, of how many that are there now."""

    topic: str
    written: int
    rows: int


def promote(deployer: Deployer, stores: Stores) -> tuple[Promoted, ...]:
    """Have the staged line take over. Hold the lock and the lease of the project: no model may run meanwhile. `stores`:
    opens the checkpoints of the target.

    Raises LsqlcError: LSQ771 where nothing is staged, LSQ774 where records do not stop to come into topics in folders,
    and as a run does.
    """
    lines = deployer.lines()
    line = lines.staged
    if line is None:
        raise LsqlcError([nothing("staged", "`lsqlc deploy stage` stages the models that have changed")])
    check_stageable(line.models, deployer.compilation)
    written: dict[str, int] = {}
    for tried in range(_TRIES):
        if line.phase != "switching":
            counter = _counter(deployer.place)
            _bring_upstream(deployer, lines)
            catch_up(deployer, lines, line)
        if line.phase == "staged":
            with stores() as store:
                _fence(deployer.place, store, line)
            _snapshot(deployer, lines, line)
            line = _noted(deployer, lines, replace(line, phase="snapshotted"))
        if line.phase == "switching" or _write_differences(deployer, lines, line, counter, written):
            break
        if tried == _TRIES - 1:
            raise LsqlcError([_records_come(line)])
    with stores() as store:
        if line.phase == "snapshotted":
            before = {query: dict(known) for query, known in _live_queries(store, line).items()}
            line = _noted(deployer, lines, replace(line, phase="switching", queries=before))
        _switch(store, line)
    return _settled(deployer, lines, line, written, stores)


def rollback(deployer: Deployer, stores: Stores, *, id: str, by: str, at: float) -> tuple[Promoted, ...]:
    """Have the kept line take over again: the models of before the last promotion, with their state, brought up to
    date. The project must be in the version of that line. Hold the lock and the lease of the project. `id`: of the
    line that is staged for it. Raises LsqlcError: LSQ771 where none is kept, and as `promote`.
    """
    lines = deployer.lines()
    if lines.staged is None:
        kept = lines.kept
        if kept is None:
            raise LsqlcError([nothing("kept", "only a promotion keeps what was live before it")])
        staged = replace(kept, id=id, by=by, since=at, phase="staged")
        with stores() as store:
            seed_checkpoints(store, staged)
        deployer.note(replace(lines, staged=staged, kept=None))
    return promote(deployer, stores)


def abort(deployer: Deployer, stores: Stores) -> Line:
    """Remove the staged line with its topics and checkpoints. Raises LsqlcError: LSQ771 where nothing is staged, LSQ773
    for a promotion that has begun.
    """
    lines = deployer.lines()
    line = lines.staged
    if line is None:
        raise LsqlcError([nothing("staged", "there is nothing to abort")])
    check_no_promotion(lines)
    _remove(deployer, lines, line, stores)
    deployer.note(replace(lines, staged=None))
    return line


def forget_kept(deployer: Deployer, stores: Stores) -> Line | None:
    """Remove what a promotion has kept; None if there is nothing."""
    lines = deployer.lines()
    if lines.kept is None:
        return None
    _remove(deployer, lines, lines.kept, stores)
    deployer.note(replace(lines, kept=None))
    return lines.kept


def nothing(what: str, help: str) -> Diagnostic:
    """LSQ771: there is no line of that kind."""
    return Diagnostic("LSQ771", f"no models are {what} on this target", help=help)


def _noted(deployer: Deployer, lines: Lines, line: Line) -> Line:
    deployer.note(replace(lines, staged=line))
    return line


def _queries(line: Line) -> Iterator[str]:
    return (query for queries in line.models.values() for query in queries)


def _kept_name(line: Line, topic: str) -> str:
    return f"{topic}.kept-{line.id}"


def _snapshot(deployer: Deployer, lines: Lines, line: Line) -> None:
    """Copy the live rows to topics of their own: what is live changes from here on."""
    live = live_place(deployer.place, lines).log
    copies = deployer.place.under(Overlay({topic: _kept_name(line, topic) for topic in line.topics})).log
    for _, topic in tables(deployer.compilation.plans, line.models):
        # What a copy that was interrupted has left.
        copies.delete(topic.name)
        copies.prepare(topic)
        rows = table_rows(live, topic).values()
        if isinstance(copies, FileLog):
            # Without numbers of their own: those tell whether records have come.
            first = (0,) * topic.ordinal_width
            stored = (StoredRecord(topic.name, r.key, r.value, r.timestamp, first) for r in rows)
            copies.append_batch(topic, stored, generation="kept", batch=0)
        else:
            copies.append(topic, rows)


def _write_differences(
    deployer: Deployer, lines: Lines, line: Line, counter: int | None, written: dict[str, int]
) -> bool:
    """Make the rows of the live topics those of the staged line. False where records have come meanwhile that the line
    has not read, in topics whose order is that of their coming.
    """
    live, aside = live_place(deployer.place, lines).log, aside_place(deployer.place, lines, line).log
    for _, topic in tables(deployer.compilation.plans, line.models):
        changes = tuple(_changes(topic, table_rows(live, topic), table_rows(aside, topic)))
        if counter is None:
            live.append(topic, changes)
        else:
            assert isinstance(live, FileLog)
            if not live.append_next(topic, changes, counter):
                return False
            counter += len(changes)
        written[topic.name] = written.get(topic.name, 0) + len(changes)
    return True


def _changes(topic: Topic, live: Mapping[str, Record], staged: Mapping[str, Record]) -> Iterator[Record]:
    for key, row in staged.items():
        if key not in live or not same_value(topic, live[key], row):
            yield row
    for key, row in live.items():
        if key not in staged:
            yield replace(row, value=None)


def _switch(store: CheckpointStore, line: Line) -> None:
    """Have the queries of the live models continue from the checkpoints of the line."""
    aside = store.below(line.folder)
    for query in _queries(line):
        known = described(aside, query)
        if known is not None:
            home = known.get("home")
            place = line.folder if home is None else home.removeprefix("../").removeprefix("..")
            describe_elsewhere(store, query, known, place)
    for query in line.queries:
        if query not in set(_queries(line)):
            forget(store, query)


def _settled(
    deployer: Deployer, lines: Lines, line: Line, written: Mapping[str, int], stores: Stores
) -> tuple[Promoted, ...]:
    """Note that the line is live, and that what it replaced is kept."""
    topics = tables(deployer.compilation.plans, line.models)
    passed_on = {known["parts"]["topic"] for known in line.queries.values()} - line.topics.keys()
    models: dict[str, list[str]] = {}
    for query, known in line.queries.items():
        models.setdefault(known["parts"]["model"] or query.partition(".")[0], []).append(query)
    kept = Line(
        line.id,
        {model: tuple(queries) for model, queries in models.items()},
        {topic: _kept_name(line, topic) for topic in line.topics},
        {topic: lines.renamed.get(topic, topic) for topic in passed_on},
        line.since,
        line.by,
        "kept",
        line.queries,
    )
    renamed = {topic: name for topic, name in lines.renamed.items() if topic not in passed_on} | dict(line.internal)
    if lines.kept is not None:
        _remove(deployer, lines, lines.kept, stores)
    place = aside_place(deployer.place, lines, line)
    for topic in line.topics:
        place.log.delete(topic)
    settled = Lines({topic: name for topic, name in renamed.items() if topic != name}, None, kept)
    deployer.note(settled)
    live = live_place(deployer.place, settled).log
    return tuple(Promoted(t.name, written.get(t.name, 0), len(table_rows(live, t))) for _, t in topics)


def _fence(place: Place, store: CheckpointStore, line: Line) -> None:
    """Have the queries write nothing more that were live until now, wherever one lives on."""
    transport = place.streams()
    for query, known in _live_queries(store, line).items():
        transport.fence(known["parts"]["topic"], generation_of(query, known))


def _live_queries(store: CheckpointStore, line: Line) -> dict[str, Mapping[str, Any]]:
    """The descriptions of the queries that the models of a line have had until now."""
    found = {}
    for query, parts in deployed(store).items():
        known = described(store, query)
        if known is not None and (parts.model or query.partition(".")[0]) in line.models:
            found[query] = known
    return found


def _bring_upstream(deployer: Deployer, lines: Lines) -> None:
    """Have the models above the staged ones read all that there is, where records have an order of arrival over all
    topics: what is written to a live topic is newer than all that is read by then.
    """
    line = lines.staged
    assert line is not None
    graph = deployer.compilation.graph
    above = graph.above(frozenset(line.models)) - set(line.models)
    compilation = deployer.compiled(above)
    if isinstance(deployer.place.log, FileLog) and compilation.plans:
        lowered = {name: lower(plan) for name, plan in compilation.plans.items()}
        run_models(live_place(deployer.place, lines), compilation, lowered, deployer.request, deployer.console)


def _remove(deployer: Deployer, lines: Lines, line: Line, stores: Stores) -> None:
    """Remove the topics and the checkpoints of a line that is not live."""
    place = aside_place(deployer.place, lines, line)
    with stores() as store:
        if line.phase == "kept":
            for query, known in line.queries.items():
                clear_described(store, query, known)
        else:
            below = store.below(line.folder)
            for query in _queries(line):
                begun = described(below, query)
                if begun is not None and isinstance(place.log, KafkaLog):
                    place.log.end_generations(begun["parts"]["topic"], [generation_of(query, begun)])
                remove_checkpoint(below, query)
    for topic in (*line.topics, *line.internal):
        place.log.delete(topic)


def _records_come(line: Line) -> Diagnostic:
    return Diagnostic(
        "LSQ774",
        f"the line '{line.id}' cannot take over while records are appended to topics in folders",
        notes=(f"records have come in each of {_TRIES} attempts to bring it up to date",),
        help="stop what appends them for a moment, and run the same command again",
    )


def _counter(place: Place) -> int | None:
    """The number of the next record, over all topics in folders; None where topics have no such order."""
    return place.log.next_ordinal() if isinstance(place.log, FileLog) else None
