"""What all copies of states have in common: the checkpoints that are there, their programs, and taking a copy up.

A checkpoint is taken up in two steps: it is copied to a folder that no query knows, and the description of its query
names that folder. A command that is killed leaves the query as it was, or with the copy.
"""

from __future__ import annotations

import shutil
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.lower.spark.checkpoint_parts import Parts
from lsqlc.lower.spark.evolution import goes_on
from lsqlc.project.build.compile import Compilation
from lsqlc.remote.run.checkpoints import (
    checkpoint_name,
    clear_described,
    deployed,
    describe_elsewhere,
    described,
    foreseen,
    location_of,
)
from lsqlc.remote.run.stores import FolderStore
from lsqlc.remote.state.checkpoint_copy import copy_checkpoint
from lsqlc.tasks.deployment import queries_of
from lsqlc.tasks.run_target import RunTarget

# How the folder of a copy is called that is not complete; no query has such a name.
UNFINISHED = ".copy-"


@dataclass(frozen=True, slots=True)
class Copied:
    """A query whose state was copied, as it was after a batch. `records`: those of its topic that went with it."""

    model: str
    query: str
    batch: int
    records: int | None = None

    def to_json(self) -> dict[str, Any]:
        """The query as JSON-ready data."""
        found = {"model": self.model, "query": self.query, "batch": self.batch}
        return found if self.records is None else {**found, "records": self.records}


def completed(store: FolderStore, models: tuple[str, ...] | None) -> dict[str, Parts]:
    """The queries that have completed a batch, by name; of all models for None. Raises LsqlcError LSQ893 if there are
    none of a model, LSQ666 for a description that cannot be read.
    """
    found: dict[str, Parts] = {}
    for query, parts in sorted(deployed(store).items()):
        known = described(store, query)
        if known is not None and store.batches(location_of(store, query, known)).committed >= 0:
            found[query] = parts
    there = {parts.model for query, parts in found.items()}
    missing = [name for name in models or () if name not in there]
    if missing or not found:
        what = f"of the model '{missing[0]}'" if missing else "of any model"
        message = f"there is no checkpoint {what} in '{store.root}'"
        note = "a query has one once it has completed a batch"
        has = ", ".join(sorted(there))
        help = f"there are checkpoints of {has}" if has else "`lsqlc run` makes them"
        raise LsqlcError([Diagnostic("LSQ893", message, notes=(note,), help=help)])
    return {q: parts for q, parts in found.items() if models is None or parts.model in models}


def check_programs(compilation: Compilation, place: RunTarget, store: FolderStore) -> None:
    """Refuse (LSQ895) checkpoints that the programs of a project cannot go on from, with what `lsqlc plan` says.
    `place`: where they are to run; `store`: where the checkpoints are.
    """
    problems = []
    for model, queries in queries_of(compilation, place).items():
        for query, found in foreseen(store, queries).items():
            if goes_on(found):
                continue
            problems.append(
                Diagnostic(
                    "LSQ895",
                    f"the program of '{model}' cannot continue from the state of the query '{query}'",
                    notes=tuple(each.text for each in found),
                    help="use the version of the project that has written it, or run the model without a copy: it"
                    " reads its topics from the beginning",
                )
            )
    if problems:
        raise LsqlcError(problems)


def checkpoint_of(store: FolderStore, query: str) -> Mapping[str, Any] | None:
    """The description of the checkpoint that a query goes on from; None if there is none that can be read: a copy is
    what helps against that.
    """
    try:
        return described(store, query)
    except LsqlcError:
        return None


def take_up(
    source: FolderStore, store: FolderStore, query: str, known: Mapping[str, Any], *, generation: int, batch: int
) -> None:
    """Have a query of `store` go on from a copy of the checkpoint that `described` gave of `source`, under a
    generation, behind a batch. What it had until now is removed. Raises LsqlcError as `copy_checkpoint`.
    """
    for left in store.root.glob(f"{UNFINISHED}*"):
        # Of a command that was killed.
        shutil.rmtree(left, ignore_errors=True)
    id = uuid.uuid4().hex[:12]
    made, home = store.root / f"{UNFINISHED}{id}", f"copied-{id}"
    there = {**known, "generation": generation}
    before = checkpoint_of(store, query)
    copy = Path(store.below(made.name).location(checkpoint_name(query), generation))
    copy_checkpoint(Path(location_of(source, query, known)), copy, batch=batch)
    made.rename(store.root / home)
    describe_elsewhere(store, query, there, home)
    if before is not None:
        clear_described(store, query, before)
