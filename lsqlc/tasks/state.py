"""The state of a model's queries on a target: which queries keep some, where, and of which program."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from lsqlc.diagnostics import Diagnostic, LsqlcError, did_you_mean, listing
from lsqlc.lower.spark.checkpoint_parts import Parts, stage_parts
from lsqlc.lower.spark.evolution import PARTITIONS_PART
from lsqlc.lower.spark.stages import lower
from lsqlc.lower.spark.support import unsupported
from lsqlc.plan.plan import Plan
from lsqlc.remote.run.checkpoints import described, live_queries, location_of
from lsqlc.remote.run.stores import CheckpointStore
from lsqlc.remote.state.reading import Operator
from lsqlc.tasks.run_target import RunTarget


@dataclass(frozen=True, slots=True)
class Kept:
    """A query whose state is there. `location`: of Spark's part of its checkpoint; `batch`: the last that is done;
    `version`: of Spark's format of the state's files; `stores`: what each operator keeps, in words, in the order of
    Spark's numbers; empty where the project has another program by now. `partitions`: as the query was started with.
    """

    query: str
    location: str
    batch: int
    version: int
    stores: tuple[str, ...] = ()
    partitions: str | None = None
    spark: str | None = None


@dataclass(frozen=True, slots=True)
class QueryState:
    """A query and its operators with state."""

    kept: Kept
    operators: tuple[Operator, ...]

    def keeps(self, operator: Operator) -> str:
        """What an operator keeps, in words; else what Spark calls it."""
        stores = self.kept.stores
        return stores[operator.number] if len(stores) == len(self.operators) else operator.name

    def to_json(self) -> dict[str, Any]:
        """The query as JSON-ready data."""
        return {
            "query": self.kept.query,
            "checkpoint": self.kept.location,
            "batch": self.kept.batch,
            "format": self.kept.version,
            "spark": self.kept.spark,
            "operators": [
                {
                    "operator": each.number,
                    "keeps": self.keeps(each),
                    "name": each.name,
                    # What Spark notes beside an operator is the number that it began with.
                    "partitions": int(self.kept.partitions or each.partitions),
                    "rows": each.rows,
                    "bytes": each.bytes,
                    "batches": [each.first, each.last],
                }
                for each in self.operators
            ],
        }


def kept_states(place: RunTarget, store: CheckpointStore, model: str, plan: Plan | None) -> tuple[Kept, ...]:
    """The queries of a model that keep state on a target, in order of their names. `plan`: what the project has of that
    name, None if it has no such model any more.

    Raises LsqlcError: LSQ063 for a name that neither the project nor the target has, LSQ672 for a model without state,
    LSQ673 for one that has not done a batch on the target.
    """
    live = live_queries(store, [model])
    if not live and plan is None:
        raise LsqlcError([_unknown(model, place)])
    programs = _programs(plan, place) if plan else {}
    if not any(parts.state for parts in (live or {q: p for q, (p, _) in programs.items()}).values()):
        raise LsqlcError([_stateless(model)])
    found: list[Kept] = []
    for query, parts in sorted(live.items()):
        known = described(store, query) if parts.state else None
        if known is None:
            continue
        location = location_of(store, query, known)
        log = store.batches(location)
        if log.committed < 0:
            continue
        program, stores = programs.get(query, (None, ()))
        runtime = parts.runtime or {}
        same = program is not None and dict(program.state) == dict(parts.state)
        # Spark numbers operators from the last one on.
        words = tuple(reversed(stores)) if same else ()
        version, partitions = log.state_format, runtime.get(PARTITIONS_PART)
        found.append(Kept(query, location, log.committed, version, words, partitions, runtime.get("Spark's version")))
    if not found:
        raise LsqlcError([_never_run(model, place)])
    return tuple(found)


def chosen(
    states: Sequence[QueryState], query: str | None, operator: int, model: str
) -> tuple[QueryState, Operator]:  # fmt: skip
    """The operator that a user names. `query` None: the only one. Raises LsqlcError LSQ675 if there is none of that
    name and number, or several queries.
    """
    names = [state.kept.query for state in states]
    if query is None and len(states) > 1:
        message = f"the model '{model}' has {len(states)} queries with state"
        raise LsqlcError([Diagnostic("LSQ675", message, help=f"name one with `--query`: {listing(names)}")])
    state = next((each for each in states if query in (None, each.kept.query)), None)
    if state is None:
        message = f"the model '{model}' has no query '{query}' with state"
        help = did_you_mean(query or "", names) or f"it has {listing(names)}"
        raise LsqlcError([Diagnostic("LSQ675", message, help=help)])
    found = next((each for each in state.operators if each.number == operator), None)
    if found is None:
        message = f"the query '{state.kept.query}' has no operator {operator} with state"
        numbers = ", ".join(str(each.number) for each in state.operators)
        raise LsqlcError([Diagnostic("LSQ675", message, help=f"its operators are {numbers}")])
    return state, found


def _programs(plan: Plan, place: RunTarget) -> dict[str, tuple[Parts, tuple[str, ...]]]:
    """The parts of each query of the project's model, and what its operators keep, those that feed others first."""
    if unsupported(plan):
        return {}
    return {stage.name: (stage_parts(stage), stage.state) for stage in lower(plan, wires=place.wires).stages}


def _unknown(model: str, place: RunTarget) -> Diagnostic:
    help = f"`lsqlc ls` lists the models of the project; the target is '{place.target.name}'"
    return Diagnostic("LSQ063", f"unknown topic or model '{model}'", help=help)


def _stateless(model: str) -> Diagnostic:
    return Diagnostic(
        "LSQ672",
        f"the model '{model}' keeps no state",
        notes=("each of its records is computed by itself",),
        help=f"`lsqlc show {model}` shows what it has written",
    )


def _never_run(model: str, place: RunTarget) -> Diagnostic:
    return Diagnostic(
        "LSQ673",
        f"there is no state of the model '{model}' on the target '{place.target.name}'",
        notes=("none of its queries has completed a batch there",),
        help=f"run it with `lsqlc run --select {model}`, or name another target with `--target`",
    )
