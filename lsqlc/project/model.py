"""A project and its models, as they are once every file is read and every template rendered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from lsqlc.bind.materialized import PLAIN, Materialized
from lsqlc.bind.own_function import OwnFunctions
from lsqlc.diagnostics import Diagnostic
from lsqlc.formats.subjects import Subject
from lsqlc.project.declared.alerting import AlertChanges
from lsqlc.project.declared.column_notes import ColumnNote
from lsqlc.project.declared.config import ProjectConfig
from lsqlc.project.declared.data_tests import DataTest
from lsqlc.project.declared.declarations import Declarations, TopicDeclaration
from lsqlc.project.declared.registered import RegisteredFacet
from lsqlc.project.declared.starts import Start
from lsqlc.project.templates.positions import Positions
from lsqlc.types.error_policy import UNSET, ErrorPolicy
from lsqlc.types.latency import Latency
from lsqlc.types.record import Topic


@dataclass(frozen=True, slots=True)
class Model:
    """One program of the project. `raw` is the file, `text` what its template became; None after an error in it.

    `positions` leads from the text back to the file; None where both are the same. `latency` None: that of the target.
    `errors`: its policy for bad records, with the defaults of the project.
    """

    name: str
    path: str
    raw: str
    text: str | None
    positions: Positions | None = None
    dialect: str = "lenses"
    nullability: str = "lenient"
    tags: tuple[str, ...] = ()
    owner: str | None = None
    description: str | None = None
    refs: tuple[str, ...] = ()
    files_per_batch: int | None = None
    latency: Latency | None = None
    materialized: Materialized = PLAIN
    alerts: AlertChanges = ()
    tests: tuple[DataTest, ...] = ()
    columns: tuple[ColumnNote, ...] = ()
    start: Start | None = None
    errors: ErrorPolicy = UNSET

    def at_home(self, diagnostic: Diagnostic) -> Diagnostic:
        """Return a finding in the rendered text, at its place in the file."""
        return self.positions.diagnostic(diagnostic) if self.positions else diagnostic


@dataclass(frozen=True, slots=True)
class Project:
    """Everything that the files of a project say. `topics` and `models` are in order of their names.

    `texts` holds the text of each file by its path, which is what diagnostics are shown with. `broken_topics` were
    declared, but not well; `broken_models` have a file that cannot be read. `diagnostics` are those of loading.
    `unlocked`: topics of files whose columns are neither declared nor in the lock file; they count as broken. `said`:
    what each file of YAML declares, if it names no other file. `subjects`: those of a schema registry that the lock
    file has, by name; `registered`: the declared facets that have one. `functions`: the project's own.
    """

    root: Path
    config: ProjectConfig
    topics: tuple[TopicDeclaration, ...]
    models: tuple[Model, ...]
    texts: Mapping[str, str]
    broken_topics: frozenset[str] = frozenset()
    broken_models: frozenset[str] = frozenset()
    diagnostics: tuple[Diagnostic, ...] = ()
    unlocked: tuple[TopicDeclaration, ...] = ()
    said: Mapping[str, Declarations] = field(default_factory=dict)
    subjects: Mapping[str, Subject] = field(default_factory=dict)
    registered: tuple[RegisteredFacet, ...] = ()
    functions: OwnFunctions = field(default_factory=dict)

    def model(self, name: str) -> Model | None:
        """Return the model of exactly that name, or None."""
        return next((m for m in self.models if m.name == name), None)

    def topic(self, name: str) -> Topic | None:
        """Return the declared topic of exactly that name, or None."""
        return next((t.topic for t in self.topics if t.topic.name == name), None)
