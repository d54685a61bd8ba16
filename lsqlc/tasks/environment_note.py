"""The note of an environment: a target that runs some models of a project beside another target, and reads the other
topics from it. All of its clients take from the note where each topic is.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.tasks.notes import Noted, keep_note, noted

NOTE = "environment"
_FORMAT = 1


@dataclass(frozen=True, slots=True)
class Environment:
    """The content of an environment.

    `models`: by name, the topics of the environment that each reads; `topics`: those that these models write; `built`:
    all that were ever written there, those between stages as well; `by`: the user of the last run; `since`: when it was
    made, in seconds since 1970.
    """

    models: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    topics: frozenset[str] = frozenset()
    built: frozenset[str] = frozenset()
    by: str = ""
    since: float = 0.0

    def also(self, topics: Iterable[str]) -> Environment:
        """Return the environment with topics that no model of it writes."""
        more = frozenset(topics)
        return replace(self, topics=self.topics | more, built=self.built | more)


def read_environment(place: Noted, project: str) -> Environment | None:
    """Return the note of a target; None before the first run. Raises LsqlcError LSQ775 for a note of a later release,
    LSQ001, and as the cluster does.
    """
    text = noted(place, project, NOTE)
    if text is None:
        return None
    try:
        data = json.loads(text)
        if data["format"] != _FORMAT:
            raise LsqlcError([_unreadable(f"its format is {data['format']}")])
        models = {model: tuple(topics) for model, topics in data["models"].items()}
        topics, built = frozenset(data["topics"]), frozenset(data["built"])
        return Environment(models, topics, built, str(data["by"]), float(data["since"]))
    except (ValueError, TypeError, AttributeError, KeyError) as error:
        raise LsqlcError([_unreadable(f"it is not a note of lsqlc: {error}")]) from None


def write_environment(place: Noted, project: str, environment: Environment) -> None:
    """Replace the note. Raises LsqlcError: LSQ034, and as the cluster does."""
    data = {
        "format": _FORMAT,
        "models": {model: list(topics) for model, topics in sorted(environment.models.items())},
        "topics": sorted(environment.topics),
        "built": sorted(environment.built),
        "by": environment.by,
        "since": environment.since,
    }
    keep_note(place, project, NOTE, json.dumps(data))


def _unreadable(why: str) -> Diagnostic:
    message = "what is noted about the environment cannot be read"
    help = "use the release of lsqlc that has written it, or remove the environment with that"
    return Diagnostic("LSQ775", message, notes=(why,), help=help)
