"""A project and its models, after all files were read and all templates rendered."""

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
from lsqlc.project.declared.tables import TableDeclaration
from lsqlc.project.templates.positions import Positions
from lsqlc.types.error_policy import UNSET, ErrorPolicy
from lsqlc.types.latency import Latency
from lsqlc.types.record import Topic


@dataclass(frozen=True, slots=True)
class Model:
    """One program of the project.

    `raw` is the file, `text` the rendered template; None after an error in it. `positions` maps positions in the text
    to the file; None if both are the same. `latency` None: that of the target. `errors`: its policy for bad records,
    with the defaults of the project.
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
    tables: tuple[TableDeclaration, ...] = ()

    def at_home(self, diagnostic: Diagnostic) -> Diagnostic:
        """Return a finding in the rendered text with its position in the file."""
        return self.positions.diagnostic(diagnostic) if self.positions else diagnostic


@dataclass(frozen=True, slots=True)
class Project:
    """All contents of a project's files. `topics` and `models` are in order of their names.

    `texts`: the text of each file by its path, for diagnostics. `broken_topics`: topics whose declaration has errors.
    `broken_models`: models whose file cannot be read. `diagnostics`: those of loading. `unlocked`: topics of files
    whose columns are neither declared nor in the lock file, which are also broken. `declarations`: those of each YAML
    file that names no other file. `subjects`: those of the lock file, by name. `registered`: the declared facets with a
    subject. `functions`: the project's own functions.
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
    declarations: Mapping[str, Declarations] = field(default_factory=dict)
    subjects: Mapping[str, Subject] = field(default_factory=dict)
    registered: tuple[RegisteredFacet, ...] = ()
    functions: OwnFunctions = field(default_factory=dict)

    def model(self, name: str) -> Model | None:
        """Return the model with exactly that name, or None."""
        return next((m for m in self.models if m.name == name), None)

    def topic(self, name: str) -> Topic | None:
        """Return the declared topic with exactly that name, or None."""
        return next((t.topic for t in self.topics if t.topic.name == name), None)
