"""The deployments of a target: sets of models with their own checkpoints and topics.

One deployment is live: `lsqlc run` continues it. Another one may be staged, to be compared with the live one and
promoted. A third one may be kept, which was live before, for a rollback.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, get_args

from lsqlc.diagnostics import Diagnostic, LsqlcError

_FORMAT = 1
# A staged deployment can be compared and aborted. After the snapshot of the live one, a promotion can only be
# completed: `snapshotted` while its rows are written to the live topics, `switching` while its checkpoints replace the
# live ones.
Phase = Literal["staged", "snapshotted", "switching", "kept"]


@dataclass(frozen=True, slots=True)
class Deployment:
    """A deployment that is not live.

    - `models`: the queries of each model, by its name.
    - `topics`: the physical names of the models' topics, and `internal`: those of topics between stages.
    - `queries`: descriptions of checkpoints, with their paths relative to the target's checkpoints. A kept deployment
      has its own ones. A deployment that becomes live has those that it replaces.
    - `since`: seconds since 1970.
    - `by`: the person who has staged it.
    - `was_live`: whether it is staged for a rollback.
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
        """The folder of its checkpoints while it is staged, relative to those of the target."""
        return f"aside-{self.id}"


@dataclass(frozen=True, slots=True)
class Deployments:
    """The deployments of a target. `renamed`: the physical names of live topics between stages, if they differ."""

    renamed: Mapping[str, str] = field(default_factory=dict)
    staged: Deployment | None = None
    kept: Deployment | None = None


def deployments_text(lines: Deployments) -> str:
    """Return the JSON text of deployments, which `parse_deployments` parses."""
    return json.dumps({"format": _FORMAT, **asdict(lines)}, ensure_ascii=False)


def parse_deployments(text: str) -> Deployments:
    """Parse the text of `deployments_text`. Raises LsqlcError LSQ775 for the text of another release."""
    try:
        data = json.loads(text)
        if data["format"] != _FORMAT:
            raise ValueError
        return Deployments(dict(data["renamed"]), _parse_deployment(data["staged"]), _parse_deployment(data["kept"]))
    except (ValueError, KeyError, TypeError):
        message = "another release of lsqlc has deployed models of this project"
        help = "use that release, or a newer one"
        raise LsqlcError([Diagnostic("LSQ775", message, help=help)]) from None


def _parse_deployment(data: Any) -> Deployment | None:
    if data is None:
        return None
    if data["phase"] not in get_args(Phase):
        raise ValueError
    models = {model: tuple(queries) for model, queries in data["models"].items()}
    return Deployment(
        data["id"], models, dict(data["topics"]), dict(data["internal"]), float(data["since"]), str(data["by"]),
        data["phase"], dict(data["queries"]), bool(data["was_live"]),
    )  # fmt: skip
