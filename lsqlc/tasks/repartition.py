"""Give the state of a model's queries another number of partitions, without a rebuild.

Each query goes on from a copy of its checkpoint that has the other number (remote/state/repartition.py). The copy is
complete before the description of the query names it, in one step: a command that is killed leaves the query with the
one checkpoint or the other, and is called again.
"""

from __future__ import annotations

import shutil
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.lower.spark.evolution import PARTITIONS
from lsqlc.lower.spark.stages import lower
from lsqlc.lower.spark.support import unsupported
from lsqlc.plan.plan import Plan
from lsqlc.remote.run.batch_log import BatchLog
from lsqlc.remote.run.checkpoints import (
    checkpoint_name,
    clear_described,
    describe_repartitioned,
    described,
    generation_of,
    location_of,
)
from lsqlc.remote.run.stores import FolderStore
from lsqlc.remote.state.repartition import Copy, repartitioned_copy
from lsqlc.tasks.local_checkpoints import store_of_folders
from lsqlc.tasks.run_target import RunTarget
from lsqlc.tasks.state import Kept, kept_states

# Spark's version from which on it can.
_SINCE = (4, 2)
# How the folder of a copy is called that is not complete; no query has such a name.
_UNFINISHED = ".repartition-"


@dataclass(frozen=True, slots=True)
class Repartitioned:
    """A query with the numbers of partitions that its state had and has."""

    query: str
    before: int
    after: int

    def to_json(self) -> dict[str, Any]:
        """The query as JSON-ready data."""
        return {"query": self.query, "before": self.before, "after": self.after}


def repartition(
    place: RunTarget,
    model: str,
    plan: Plan | None,
    partitions: int,
    *,
    installed: tuple[int, int],
    environment: Mapping[str, str],
    say: Callable[[str], None],
) -> tuple[Repartitioned, ...]:
    """Repartition the state of a model's queries, in order of their names; those that have that number are left. Hold
    the lock and the lease of the project. `plan`: what the project has of that name; `installed`: the version of Spark
    on this machine.

    Raises LsqlcError: LSQ677 for a state that cannot be, and as `store_of_folders`, `kept_states` and
    `repartitioned_copy` do. What was repartitioned before that stays so.
    """
    store = store_of_folders(place)
    found = kept_states(place, store, model, plan)
    stated = _stated(plan) if plan else None
    if stated not in (None, str(partitions)):
        raise LsqlcError([_other_number(model, str(stated))])
    wanted = [each for each in found if each.partitions != str(partitions)]
    for each in wanted:
        _check_version(each, installed)
    for each in wanted:
        say(f"{each.query}: copying its checkpoint, and giving its state {partitions} partitions")
        _repartition(place, store, each, partitions, environment)
    return tuple(Repartitioned(each.query, int(each.partitions or 0), partitions) for each in found)


def _repartition(
    place: RunTarget, store: FolderStore, kept: Kept, partitions: int, environment: Mapping[str, str]
) -> None:  # fmt: skip
    known = described(store, kept.query)
    assert known is not None, "a kept state has its description"
    # A query of a client that was killed may live on a server: it writes nothing more from here on.
    place.streams().fence(known["parts"]["topic"], generation_of(kept.query, known))
    location = Path(location_of(store, kept.query, known))
    before = store.batches(str(location))
    _check_done(kept, before)
    for left in store.root.glob(f"{_UNFINISHED}*"):
        # Of a command that was killed.
        shutil.rmtree(left, ignore_errors=True)
    id = uuid.uuid4().hex[:12]
    made, home = store.root / f"{_UNFINISHED}{id}", f"repartitioned-{id}"
    copy = Path(store.below(made.name).location(checkpoint_name(kept.query), known["generation"]))
    repartitioned_copy(location, Copy(copy, partitions, kept.version), place.state / "driver", environment)
    _check_done(kept, store.batches(str(location)), before.last)
    made.rename(store.root / home)
    describe_repartitioned(store, kept.query, known, home, partitions)
    clear_described(store, kept.query, known)


def _check_done(kept: Kept, log: BatchLog, last: int | None = None) -> None:
    """Raise LSQ677 for a query that is within a batch, or has begun one behind `last`."""
    if log.last == log.committed and last in (None, log.last):
        return
    message = f"the query '{kept.query}' has not completed its last batch"
    note = "the state of a batch that is computed in part cannot be repartitioned"
    help = "run the model until all input is read, with `lsqlc run`, and try again"
    raise LsqlcError([Diagnostic("LSQ677", message, notes=(note,), help=help)])


def _check_version(kept: Kept, installed: tuple[int, int]) -> None:
    own = ".".join(map(str, installed))
    if installed >= _SINCE and kept.spark == own:
        return
    message = f"the state of the query '{kept.query}' cannot be repartitioned by Spark {own}"
    note = f"its checkpoint is of Spark {kept.spark or 'of unknown version'}, and Spark {own} is installed here"
    help = "install pyspark of the server's version here, 4.2 or newer, or rebuild the model with `--full-refresh`"
    raise LsqlcError([Diagnostic("LSQ677", message, notes=(note,), help=help)])


def _stated(plan: Plan) -> str | None:
    """The number of shuffle partitions that a program sets."""
    if unsupported(plan):
        return None
    settings = (dict(stage.settings) for stage in lower(plan).stages)
    return next((each[PARTITIONS] for each in settings if PARTITIONS in each), None)


def _other_number(model: str, stated: str) -> Diagnostic:
    return Diagnostic(
        "LSQ677",
        f"the program of '{model}' sets {stated} shuffle partitions",
        help="change it in the program (`SET num.stream.threads`), or repartition the state to that number",
    )
