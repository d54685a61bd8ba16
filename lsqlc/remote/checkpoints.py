"""What lies beside a checkpoint: which stage it belongs to, and the generation of the records written under it.

`<checkpoints>/<query>/stage.json` describes the stage; `<checkpoints>/<query>/spark-<generation>/` is Spark's. A stage
that has changed may not go on from old state, so it is refused until the user asks for a full refresh, which starts a
new generation.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import uuid
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.lower.spark.parts import part_changes, stage_parts
from lsqlc.lower.spark.steps import Stage
from lsqlc.remote.transport import Transport, generation_name
from lsqlc.topics.naming import folder_name
from lsqlc.topics.shared import give_permissions, make_folder

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
    checkpoints: Path, query: str, topic: str, parts: dict[str, str], transport: Transport
) -> Checkpoint:
    """The checkpoint of a query, made if it has none. Call `finish_refreshes` before.

    Raises LsqlcError: LSQ660 if the stage is not the one that the checkpoint was made by, LSQ666 if the topic holds
    this query's records and the checkpoint that goes with them is gone.
    """
    home = checkpoints / checkpoint_name(query)
    known = _read(home / "stage.json", query)
    number = known["generation"] if known else _newest(home)
    if known is not None and any((_spark(home, number) / "offsets").glob("[0-9]*")):
        if known["parts"] != parts:
            raise LsqlcError([_changed(query, known["parts"], parts)])
        return Checkpoint(_spark(home, number), generation_name(query, number), resumed=True)
    if transport.newest_generation(topic, query):
        raise LsqlcError([_gone(query, topic)])
    # The same stage keeps its place even if nothing has been done there: whoever starts there a second time takes the
    # query over that may still live on a server, instead of running beside it.
    if known is None or known["parts"] != parts:
        number += 1
        _write(home / "stage.json", number, parts)
        _clear(home)
    return Checkpoint(_spark(home, number), generation_name(query, number), resumed=False)


def refresh(checkpoints: Path, queries: Sequence[tuple[str, str, dict[str, str]]], transport: Transport) -> None:
    """Drop state and records of queries: name, topic and parts of each, in order of dependency.

    What is to go is noted first, for those that read before those that they read from. So a crash at any moment leaves
    no query that would read again, without being refreshed itself, what another one makes anew.
    """
    for query, topic, parts in reversed(queries):
        home = checkpoints / checkpoint_name(query)
        try:
            known = _read(home / "stage.json", query)
        except LsqlcError:
            known = None
        newest = max(transport.newest_generation(topic, query), known["generation"] if known else 0, _newest(home))
        _write(home / "stage.json", newest + 1, parts, refreshing={"query": query, "topic": topic})
    finish_refreshes(checkpoints, transport)


def finish_refreshes(checkpoints: Path, transport: Transport) -> None:
    """Drop what `refresh` has noted, in a run that was killed over it as well."""
    for path in sorted(checkpoints.glob("[!.]*/stage.json")):
        # One that cannot be read is told to whom it belongs.
        with suppress(LsqlcError):
            _finish_refresh(path.parent, _read(path, path.parent.name) or {}, transport)


def remove_checkpoint(checkpoints: Path, query: str) -> None:
    """Forget that the query ever ran. Its records are left."""
    _remove(checkpoints / checkpoint_name(query), checkpoints / f".removed-{uuid.uuid4().hex}")


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


def _write(path: Path, generation: int, parts: dict[str, str], *, refreshing: Mapping[str, str] | None = None) -> None:
    make_folder(path.parent)
    content: dict[str, Any] = {"format": _FORMAT, "generation": generation}
    content |= {"fingerprint": fingerprint(parts), "parts": parts}
    if refreshing is not None:
        content["refreshing"] = refreshing
    made = path.with_suffix(".new")
    with made.open("w", encoding="utf-8") as file:
        file.write(json.dumps(content, ensure_ascii=False, indent=1) + "\n")
        file.flush()
        os.fsync(file.fileno())
    give_permissions(made, path.parent)
    made.replace(path)


def _finish_refresh(home: Path, known: Mapping[str, Any], transport: Transport) -> None:
    if "refreshing" in known:
        _clear(home)
        transport.discard(known["refreshing"]["topic"], known["refreshing"]["query"])
        _write(home / "stage.json", known["generation"], known["parts"])


def _spark(home: Path, generation: int) -> Path:
    """Spark's part of a checkpoint. Each generation has a folder of its own: a query of an older one that still lives
    on a server does not meddle with the newer.
    """
    return home / f"spark-{generation:06d}"


def _newest(home: Path) -> int:
    """The newest generation that Spark has a folder of; 0 if there is none."""
    return max((int(p.name[6:]) for p in home.glob("spark-[0-9]*")), default=0)


def _clear(home: Path) -> None:
    for folder in home.glob("spark-[0-9]*"):
        _remove(folder, home / f"old-{uuid.uuid4().hex}")


def _remove(folder: Path, aside: Path) -> None:
    """Remove a folder at once, as far as anybody can see. Where the server is another user, what it has made cannot be
    removed by us but can be renamed, and is then left behind.
    """
    with suppress(FileNotFoundError):
        folder.rename(aside)
        shutil.rmtree(aside, ignore_errors=True)


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
