"""What lies beside a checkpoint: which stage it belongs to, and the generation of the records written under it.

`<checkpoints>/<query>/stage.json` describes the stage; `<checkpoints>/<query>/spark/` is Spark's. A stage that has
changed may not go on from old state, so it is refused until the user asks for a full refresh, which starts a new
generation.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.lower.spark.parts import part_changes, stage_parts
from lsqlc.lower.spark.steps import Stage
from lsqlc.remote.transport import Transport, generation_name
from lsqlc.topics.naming import folder_name

_FORMAT = 1


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A query's place to go on from: Spark's folder, and the generation that its records carry."""

    folder: Path
    generation: str
    resumed: bool


def describe(stage: Stage, *, partitions: int, server: tuple[int, int]) -> dict[str, str]:
    """The parts of a stage that its state depends on, by a name that a user understands, in order.

    Comments and settings of speed are left out: they change nothing.
    """
    parts = stage_parts(stage)
    parts["the number of shuffle partitions"] = str(partitions)
    parts["Spark's version"] = ".".join(map(str, server))
    return parts


def fingerprint(parts: dict[str, str]) -> str:
    """64 hexadecimal digits that differ for different parts."""
    return hashlib.sha256(json.dumps(parts, ensure_ascii=False).encode()).hexdigest()


def open_checkpoint(
    checkpoints: Path, query: str, topic: str, parts: dict[str, str], transport: Transport, *, refresh: bool = False
) -> Checkpoint:
    """The checkpoint of a query, made if it has none. `refresh` drops state and earlier records first.

    Raises LsqlcError: LSQ660 if the stage is not the one that the checkpoint was made by, LSQ666 if the topic holds
    this query's records and the checkpoint that goes with them is gone.
    """
    home = checkpoints / checkpoint_name(query)
    known = _read(home / "stage.json", query)
    newest = max(transport.newest_generation(topic, query), known["generation"] if known else 0)
    if refresh:
        # The generation is raised before anything goes, so that a crash on the way leaves nothing to mix up.
        _write(home / "stage.json", newest + 1, parts)
        shutil.rmtree(home / "spark", ignore_errors=True)
        transport.discard(topic, query)
        return Checkpoint(home / "spark", generation_name(query, newest + 1), resumed=False)
    started = any((home / "spark" / "offsets").glob("[0-9]*"))
    if known is not None and started:
        if known["parts"] != parts:
            raise LsqlcError([_changed(query, known["parts"], parts)])
        return Checkpoint(home / "spark", generation_name(query, known["generation"]), resumed=True)
    if transport.newest_generation(topic, query):
        raise LsqlcError([_gone(query, topic)])
    _write(home / "stage.json", newest + 1, parts)
    shutil.rmtree(home / "spark", ignore_errors=True)
    return Checkpoint(home / "spark", generation_name(query, newest + 1), resumed=False)


def checkpoint_name(query: str) -> str:
    """The folder of a query's checkpoint."""
    name = folder_name(query)
    # Long names keep their head, for people, and get a hash.
    return name or hashlib.sha256(query.encode("utf-8", "surrogatepass")).hexdigest()


def _read(path: Path, query: str) -> dict[str, Any] | None:
    try:
        found = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError):
        raise LsqlcError([_unreadable(query, path)]) from None
    if not (isinstance(found, dict) and found.get("format") == _FORMAT and isinstance(found.get("parts"), dict)):
        raise LsqlcError([_unreadable(query, path)])
    return found


def _write(path: Path, generation: int, parts: dict[str, str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    content = {"format": _FORMAT, "generation": generation, "fingerprint": fingerprint(parts), "parts": parts}
    made = path.with_suffix(".new")
    with made.open("w", encoding="utf-8") as file:
        file.write(json.dumps(content, ensure_ascii=False, indent=1) + "\n")
        file.flush()
        os.fsync(file.fileno())
    made.replace(path)


def _changed(query: str, old: dict[str, str], new: dict[str, str]) -> Diagnostic:
    changes = part_changes(old, new)
    if not changes:
        changes = ["the order of the steps has changed"]
    shown = changes[:8] + ([f"and {len(changes) - 8} more"] if len(changes) > 8 else [])
    return Diagnostic(
        "LSQ660",
        f"the query '{query}' is not the one that its checkpoint was made by",
        notes=(*shown, "state that was built by another query would give wrong rows"),
        help="run with `--full-refresh` to build it anew from the topics, or take the change back",
    )


def _gone(query: str, topic: str) -> Diagnostic:
    return Diagnostic(
        "LSQ666",
        f"the topic '{topic}' holds records of the query '{query}', whose checkpoint is gone",
        notes=("reading everything again would write them a second time",),
        help="run with `--full-refresh`, which removes them first, or put the checkpoint back",
    )


def _unreadable(query: str, path: Path) -> Diagnostic:
    return Diagnostic(
        "LSQ666",
        f"the checkpoint of the query '{query}' cannot be read",
        notes=(f"'{path.name}' beside it is broken or of another version of lsqlc",),
        help="run with `--full-refresh` to start from a new checkpoint",
    )
