"""Promote a staged line, take the promotion back, or give a line up.

A promotion keeps the live topics: it writes what differs, so that whoever reads them sees rows change and no row go
back to an older state. Each step can be killed at any moment, and is gone on with by the same command. The order is:

1. whoever wrote the live topics until now is fenced, and the staged models read what has come: those with STREAMs what
   the live ones have read, and no more;
2. the live rows of TABLEs are copied to topics of the kept line: from here on a promotion can only be finished;
3. the rows that differ are written to the live topics;
4. the checkpoints of the line become those of the models; those that they had are kept. What STREAMs have written
   stays, and their new programs go on behind it.

A kept line is a staged one whose models are those of before: to roll back is to promote it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from lsqlc.connectors.transport import Transport
from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.project.selection.graph import Graph
from lsqlc.remote.run.checkpoints import (
    clear_described,
    describe_elsewhere,
    described,
    forget,
    generation_of,
    live_queries,
    remove_checkpoint,
)
from lsqlc.remote.run.deployments import Deployment, Deployments
from lsqlc.remote.run.stores import CheckpointStore
from lsqlc.tasks.deploy.note import aside_place, check_no_promotion, live_place
from lsqlc.tasks.deploy.pairs import Pair, pairs_of
from lsqlc.tasks.deploy.staging import Deployer, catch_up, live_topics, others_staged, run_to_end, seed_checkpoints
from lsqlc.tasks.deploy.table_proof import table_rows, written_keys
from lsqlc.tasks.run_target import Overlay, RunTarget
from lsqlc.types.record import Record

# How often a promotion of topics in folders starts from the beginning because records have come meanwhile.
_TRIES = 5


@dataclass(frozen=True, slots=True)
class Promoted:
    """What a promotion wrote to a live topic: the numbers of rows `written` and `deleted`, and of the `rows` that the
    topic has now. None for a STREAM, which the new program continues.
    """

    topic: str
    written: int = 0
    rows: int | None = None
    deleted: int = 0


def promote(deployer: Deployer) -> tuple[Promoted, ...]:
    """Have the staged line take over. Hold the lock and the lease of the project: no model may run meanwhile.

    Raises LsqlcError: LSQ771 where nothing is staged, LSQ774 where records do not stop to come into topics in folders,
    and as a run does.
    """
    lines = deployer.lines()
    line = lines.staged
    if line is None:
        raise LsqlcError([nothing("staged", "`lsqlc deploy stage` stages the models that have changed")])
    again = line.phase == "snapshotted"
    written: dict[str, Counter[bool]] = {}
    if line.phase == "staged":
        line = _prepared(deployer, lines, line)
    if line.phase == "snapshotted":
        written = _take_over(deployer, lines, line, again=again)
        with deployer.stores() as store:
            before = {query: dict(known) for query, known in _live_queries(store, line).items()}
        line = _noted(deployer, lines, replace(line, phase="switching", queries=before))
    with deployer.stores() as store:
        _switch(store, line)
    return _settled(deployer, lines, line, written)


def rollback(deployer: Deployer, *, id: str, by: str, at: float) -> tuple[Promoted, ...]:
    """Have the kept line take over again: the models of before the last promotion, with their state, brought up to
    date. The project must be in the version of that line. Hold the lock and the lease of the project. `id`: of the
    line that is staged for it. Raises LsqlcError: LSQ771 where none is kept, LSQ772 where others are staged, and as
    `promote`.
    """
    lines = deployer.lines()
    if lines.staged is None:
        kept = lines.kept
        if kept is None:
            raise LsqlcError([nothing("kept", "only a promotion keeps what was live before it")])
        staged = replace(kept, id=id, by=by, since=at, phase="staged", was_live=True)
        with deployer.stores() as store:
            seed_checkpoints(store, staged)
        deployer.note(replace(lines, staged=staged, kept=None))
    elif not lines.staged.was_live:
        raise LsqlcError([others_staged(lines.staged)])
    return promote(deployer)


def abort(deployer: Deployer) -> Deployment:
    """Remove the staged line with its topics and checkpoints. Raises LsqlcError: LSQ771 where nothing is staged, LSQ773
    for a promotion that has begun.
    """
    lines = deployer.lines()
    line = lines.staged
    if line is None:
        raise LsqlcError([nothing("staged", "there is nothing to abort")])
    check_no_promotion(lines)
    _remove(deployer, lines, line)
    deployer.note(replace(lines, staged=None))
    return line


def forget_kept(deployer: Deployer) -> Deployment | None:
    """Remove what a promotion has kept; None if there is nothing."""
    lines = deployer.lines()
    if lines.kept is None:
        return None
    _remove(deployer, lines, lines.kept)
    deployer.note(replace(lines, kept=None))
    return lines.kept


def nothing(what: str, help: str) -> Diagnostic:
    """LSQ771: there is no line of that kind."""
    return Diagnostic("LSQ771", f"no models are {what} on this target", help=help)


def _noted(deployer: Deployer, lines: Deployments, line: Deployment) -> Deployment:
    deployer.note(replace(lines, staged=line))
    return line


def _queries(line: Deployment) -> Iterator[str]:
    return (query for queries in line.models.values() for query in queries)


def _kept_name(line: Deployment, topic: str) -> str:
    return f"{topic}.kept-{line.id}"


def _prepared(deployer: Deployer, lines: Deployments, line: Deployment) -> Deployment:
    """Fence what was live until now, bring the line up to date, and copy the live rows."""
    with deployer.stores() as store:
        live = live_topics(store, line.models)
        transport = live_place(deployer.place, lines).streams()
        for query, known in _live_queries(store, line).items():
            transport.fence(known["parts"]["topic"], generation_of(query, known))
    catch_up(deployer, lines, line, exact=True)
    log, copies = live_place(deployer.place, lines).log, _copies(deployer.place, line)
    for pair in _tables(pairs_of(deployer.compilation.plans, line.models, live)):
        topic = pair.live
        # What a copy that was interrupted has left.
        copies.delete(topic.name)
        copies.prepare(topic)
        rows = table_rows(log, topic).values()
        copies.append_rows(topic, rows)
    return _noted(deployer, lines, replace(line, phase="snapshotted"))


def _copies(place: RunTarget, line: Deployment) -> Transport:
    """The copies of what was live before the line."""
    return place.under(Overlay({topic: _kept_name(line, topic) for topic in line.topics})).log


def _take_over(deployer: Deployer, lines: Deployments, line: Deployment, *, again: bool) -> dict[str, Counter[bool]]:
    """Make the rows of the live topics those of the line; how many were written, by topic. Of staged models that read
    one another the first comes first: the others read what it has written before they are compared. `again`: an earlier
    attempt may have written some, so that all rows are written.
    """
    with deployer.stores() as store:
        pairs = _tables(pairs_of(deployer.compilation.plans, line.models, live_topics(store, line.models)))
    live, aside = live_place(deployer.place, lines).log, aside_place(deployer.place, lines, line).log
    copies = _copies(deployer.place, line)

    def changes(pair: Pair) -> tuple[Record, ...]:
        staged = table_rows(aside, pair.staged)
        if not again:
            # The copy of the live rows has their columns.
            return tuple(_changes(pair, table_rows(copies, pair.live), staged))
        gone = {text: key for text, key in written_keys(live, pair.staged).items() if text not in staged}
        return (*staged.values(), *(Record(pair.name, key, None, 0) for key in gone.values()))

    written: dict[str, Counter[bool]] = {}
    for models in _in_turn(deployer.compilation.graph, line.models):
        own = [pair for pair in pairs if pair.model in models]
        if not own:
            continue
        for _ in range(_TRIES):
            # Where one order of arrival holds over all topics, what is written must be newer than all that was read.
            arrivals = live.arrivals()
            if arrivals is not None:
                _bring_upstream(deployer, lines)
            catch_up(deployer, lines, line, exact=True)
            found = [(pair.staged, changes(pair)) for pair in own]
            if live.append_unless_arrived(found, arrivals):
                break
        else:
            raise LsqlcError([_records_come(line)])
        written |= {topic.name: Counter(row.value is None for row in rows) for topic, rows in found}
    return written


def _tables(pairs: Iterable[Pair]) -> tuple[Pair, ...]:
    """Of the topics those whose records are replaced by others of their keys."""
    return tuple(pair for pair in pairs if pair.semantics == "TABLE")


def _in_turn(graph: Graph, models: Collection[str]) -> Iterator[frozenset[str]]:
    """The models in sets, each after those that it reads from."""
    left = set(models)
    while left:
        turn = {model for model in left if not graph.above(frozenset((model,))) & (left - {model})}
        assert turn, "models do not read one another in a circle"
        yield frozenset(turn)
        left -= turn


def _changes(pair: Pair, live: Mapping[str, Record], staged: Mapping[str, Record]) -> Iterator[Record]:
    for key, row in staged.items():
        if not pair.same(live.get(key), row):
            yield row
    for key, row in live.items():
        if key not in staged:
            yield replace(row, value=None)


def _switch(store: CheckpointStore, line: Deployment) -> None:
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
    deployer: Deployer, lines: Deployments, line: Deployment, written: Mapping[str, Counter[bool]]
) -> tuple[Promoted, ...]:
    """Note that the line is live, and that what it replaced is kept. `written`: the number of records by topic and by
    whether they delete a row.
    """
    passed_on = {known["parts"]["topic"] for known in line.queries.values()} - line.topics.keys()
    models: dict[str, list[str]] = {}
    for query, known in line.queries.items():
        models.setdefault(known["parts"]["model"], []).append(query)
    kept = Deployment(
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
        _remove(deployer, lines, lines.kept)
    place = aside_place(deployer.place, lines, line)
    for topic in line.topics:
        place.log.delete(topic)
    settled = Deployments({topic: name for topic, name in renamed.items() if topic != name}, None, kept)
    deployer.note(settled)
    live = live_place(deployer.place, settled).log
    pairs = pairs_of(deployer.compilation.plans, line.models, {})
    return tuple(
        Promoted(p.name, counts[False], len(table_rows(live, p.staged)), counts[True])
        if p.semantics == "TABLE"
        else Promoted(p.name)
        for p in pairs
        for counts in (written.get(p.name, Counter()),)
    )


def _live_queries(store: CheckpointStore, line: Deployment) -> dict[str, Mapping[str, Any]]:
    """The descriptions of the queries that the models of a line have had until now."""
    known = ((query, described(store, query)) for query in live_queries(store, line.models))
    return {query: each for query, each in known if each is not None}


def _bring_upstream(deployer: Deployer, lines: Deployments) -> None:
    """Have the models above the staged ones read all that there is."""
    line = lines.staged
    assert line is not None, "a line is promoted"
    graph = deployer.compilation.graph
    above = graph.above(frozenset(line.models)) - set(line.models)
    compilation = deployer.compiled(above)
    if compilation.plans:
        run_to_end(deployer, live_place(deployer.place, lines), compilation)


def _remove(deployer: Deployer, lines: Deployments, line: Deployment) -> None:
    """Remove the topics and the checkpoints of a line that is not live."""
    place = aside_place(deployer.place, lines, line)
    with deployer.stores() as store:
        if line.phase == "kept":
            for query, known in line.queries.items():
                clear_described(store, query, known)
        else:
            below = store.below(line.folder)
            for query in _queries(line):
                begun = described(below, query)
                if begun is not None:
                    place.log.end_generations(begun["parts"]["topic"], [generation_of(query, begun)])
                remove_checkpoint(below, query)
    for topic in (*line.topics, *line.internal):
        place.log.delete(topic)


def _records_come(line: Deployment) -> Diagnostic:
    return Diagnostic(
        "LSQ774",
        f"the line '{line.id}' cannot take over while records are appended to topics in folders",
        notes=(f"records have come in each of {_TRIES} attempts to bring it up to date",),
        help="stop what appends them for a moment, and run the same command again",
    )
