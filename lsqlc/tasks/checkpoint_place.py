"""Which topics the checkpoints in a folder belong to: those of one Kafka cluster under one prefix, or folders.

A checkpoint contains what its query has read, as offsets or files. Over other topics of the same names the query would
skip records, or continue from the state of others. So a run over Kafka writes the cluster to `kafka.json` next to its
checkpoints; checkpoints without that file belong to folders.
"""

from __future__ import annotations

import json
from pathlib import Path

from lsqlc.connectors.kafka.log import KafkaLog
from lsqlc.connectors.shared import make_folder
from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.tasks.run_target import RunTarget

NOTE = "kafka.json"


def check_checkpoints(place: RunTarget) -> None:
    """Refuse (LSQ790) to run on a place whose folder of checkpoints goes with other topics. The first run over Kafka
    notes its cluster. Hold `run_lock` around it. Raises LsqlcError as `KafkaLog.cluster_id`.
    """
    folder = place.checkpoints
    if not isinstance(folder, Path):
        # Whoever gives an address gives one to each target.
        return
    if place.kafka is None:
        if (folder / NOTE).exists():
            raise LsqlcError([_others(place, "topics in Kafka", "topics in folders")])
        return
    own, noted = _cluster(place), _noted(folder)
    if noted is None:
        if any(folder.glob("[!.]*/stage.json")):
            raise LsqlcError([_others(place, "topics in folders", _named(own))])
        make_folder(folder)
        _write(folder / NOTE, json.dumps(own))
        return
    if noted != own:
        raise LsqlcError([_others(place, _named(noted), _named(own))])


def check_same_topics(folder: Path, place: RunTarget) -> None:
    """Refuse (LSQ790) a copy of checkpoints of other topics than those of a place. Raises LsqlcError as
    `KafkaLog.cluster_id`.
    """
    noted = _noted(folder)
    own = None if place.kafka is None else _cluster(place)
    if noted != own:
        theirs = "topics in folders" if noted is None else _named(noted)
        raise LsqlcError([_others(place, theirs, "topics in folders" if own is None else _named(own), str(folder))])


def note_topics(folder: Path, place: RunTarget) -> None:
    """Note in a folder of copied checkpoints which topics they belong to. Raises LsqlcError as
    `KafkaLog.cluster_id`.
    """
    if place.kafka is not None:
        _write(folder / NOTE, json.dumps(_cluster(place)))


def _cluster(place: RunTarget) -> dict[str, str]:
    assert place.kafka is not None, "topics in folders have no cluster"
    return {"cluster": KafkaLog(place.kafka).cluster_id(), "prefix": place.kafka.prefix}


def _noted(folder: Path) -> object:
    """What is noted in a folder of checkpoints; None where nothing is, and a text for what cannot be read."""
    try:
        return json.loads((folder / NOTE).read_text("utf-8")) or ""
    except FileNotFoundError:
        return None
    except (OSError, ValueError):
        return ""


def _write(path: Path, text: str) -> None:
    made = path.with_name(f".{path.name}")
    made.write_text(text + "\n", "utf-8")
    made.replace(path)


def _named(note: object) -> str:
    if not isinstance(note, dict):
        return "unknown topics"
    prefix = f" with the prefix '{note.get('prefix')}'" if note.get("prefix") else " without a prefix"
    return f"topics of the cluster '{note.get('cluster')}'{prefix}"


def _others(place: RunTarget, theirs: str, ours: str, folder: str | None = None) -> Diagnostic:
    folder = folder or place.target.checkpoints or f"{place.state.name}/checkpoints"
    return Diagnostic(
        "LSQ790",
        f"the checkpoints in '{folder}' belong to {theirs}",
        notes=(
            f"the topics of the target '{place.target.name}' are {ours}",
            "queries that continue from them would skip records, or mix results",
        ),
        help="give the target another folder: `checkpoints: .lsqlc/checkpoints-NAME`; "
        "if those topics were deleted, remove that folder",
    )
