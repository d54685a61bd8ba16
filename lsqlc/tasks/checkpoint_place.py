"""Which topics the checkpoints in a folder belong to: those of one Kafka cluster under one prefix, or folders.

A checkpoint contains what its query has read, as offsets or files. Over other topics of the same names the query would
skip records, or continue from the state of others. So a run writes the identity of the topics next to its checkpoints,
to a file named after the connector, such as `kafka.json`. Checkpoints without such a file belong to folders.
"""

from __future__ import annotations

import json
from pathlib import Path

from lsqlc.connectors import connectors
from lsqlc.connectors.record import Connector
from lsqlc.connectors.shared import make_folder
from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.tasks.run_target import RunTarget

# A connector, and what identifies its topics, as JSON-ready data.
Identity = tuple[Connector, object]
_FOLDERS = "topics in folders"


def check_checkpoints(place: RunTarget) -> None:
    """Refuse (LSQ790) to run on a place whose folder of checkpoints goes with other topics. The first run over a
    connector with an identity notes it. Hold `run_lock` around it. Raises LsqlcError as the connector's `identity`.
    """
    folder = place.checkpoints
    if not isinstance(folder, Path):
        # Whoever gives an address gives one to each target.
        return
    noted = _noted(folder)
    own = _identity(place)
    if own is None:
        if noted is not None:
            raise LsqlcError([_others(place, f"topics {noted[0].where}", f"topics {place.connector.where}")])
        return
    if noted is None:
        if any(folder.glob("[!.]*/stage.json")):
            raise LsqlcError([_others(place, _FOLDERS, _text(own))])
        make_folder(folder)
        _write(folder, own)
        return
    if noted != own:
        raise LsqlcError([_others(place, _text(noted), _text(own))])


def check_same_topics(folder: Path, place: RunTarget) -> None:
    """Refuse (LSQ790) a copy of checkpoints of other topics than those of a place. Raises LsqlcError as
    `check_checkpoints`.
    """
    noted, own = _noted(folder), _identity(place)
    if noted != own:
        raise LsqlcError([_others(place, _text(noted), _text(own), str(folder))])


def note_topics(folder: Path, place: RunTarget) -> None:
    """Note in a folder of copied checkpoints which topics they belong to. Raises LsqlcError as `check_checkpoints`."""
    own = _identity(place)
    if own is not None:
        _write(folder, own)


def _identity(place: RunTarget) -> Identity | None:
    found = place.connector.identity(place.target.connection)
    return None if found is None else (place.connector, found)


def _noted(folder: Path) -> Identity | None:
    """The connector whose note is in a folder of checkpoints, and the note; an empty text for one that cannot be
    read. None where there is none.
    """
    for connector in connectors():
        try:
            return connector, json.loads((folder / f"{connector.key}.json").read_text("utf-8")) or ""
        except FileNotFoundError:
            continue
        except (OSError, ValueError):
            return connector, ""
    return None


def _write(folder: Path, identity: Identity) -> None:
    connector, data = identity
    path = folder / f"{connector.key}.json"
    made = path.with_name(f".{path.name}")
    made.write_text(json.dumps(data) + "\n", "utf-8")
    made.replace(path)


def _text(identity: Identity | None) -> str:
    return _FOLDERS if identity is None else identity[0].identity_text(identity[1])


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
