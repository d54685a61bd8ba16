"""The lines of a target: models that are deployed beside those that run.

A line is a set of models with checkpoints and topics of its own. One is live: what `lsqlc run` continues. One may be
staged beside it, and one may be kept, which was live before.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, get_args

from lsqlc.diagnostics import Diagnostic, LsqlcError

_FORMAT = 1
# A staged line may be compared and given up. From the snapshot of what is live on, its promotion can only be finished:
# `snapshotted`, while the live topics get its rows, `switching`, while its checkpoints take over.
Phase = Literal["staged", "snapshotted", "switching", "kept"]


@dataclass(frozen=True, slots=True)
class Line:
    """Models beside those that are live. `models`: the queries of each, by name; `topics`: under which name what the
    models write lies, `internal`: the same of topics between stages; `queries`: descriptions of checkpoints, with their
    place from the folder of the target's checkpoints: of a kept line its own, of one that takes over those that it
    replaces; `since`: seconds since 1970; `by`: who staged it, for people; `was_live`: it is staged for a rollback.
    """

    id: str
    models: Mapping[str, tuple[str, ...]]
    topics: Mapping[str, str]
    internal: Mapping[str, str]
    since: float
    by: str
    phase: Phase = "staged"
    queries: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    was_live: bool = False

    @property
    def folder(self) -> str:
        """The folder of its checkpoints while it is staged, below those of the target."""
        return f"aside-{self.id}"


@dataclass(frozen=True, slots=True)
class Lines:
    """The lines of a target. `renamed`: the names of the live topics between stages that have another one."""

    renamed: Mapping[str, str] = field(default_factory=dict)
    staged: Line | None = None
    kept: Line | None = None


def lines_text(lines: Lines) -> str:
    """The note that `lines_of` reads."""
    return json.dumps({"format": _FORMAT, **asdict(lines)}, ensure_ascii=False)


def lines_of(text: str) -> Lines:
    """The lines of a note. Raises LsqlcError LSQ775 for one of another release."""
    try:
        found = json.loads(text)
        if found["format"] != _FORMAT:
            raise ValueError
        return Lines(dict(found["renamed"]), _line_of(found["staged"]), _line_of(found["kept"]))
    except (ValueError, KeyError, TypeError):
        message = "another release of lsqlc has deployed models of this project"
        help = "use that release, or a newer one"
        raise LsqlcError([Diagnostic("LSQ775", message, help=help)]) from None


def _line_of(data: Any) -> Line | None:
    if data is None:
        return None
    if data["phase"] not in get_args(Phase):
        raise ValueError
    models = {model: tuple(queries) for model, queries in data["models"].items()}
    return Line(
        data["id"], models, dict(data["topics"]), dict(data["internal"]), float(data["since"]), str(data["by"]),
        data["phase"], dict(data["queries"]), bool(data["was_live"]),
    )  # fmt: skip
