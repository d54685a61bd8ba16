"""Golden cases made from the records that topics have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lsqlc.tasks.selection import ALL_MODELS, ModelSelection, sound_selection

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lsqlc.project.build.compile import Compilation
    from lsqlc.project.workspace import Workspace
    from lsqlc.types.record import Topic


@dataclass(frozen=True, slots=True)
class RecordedCase:
    """The new files, and the models that have a case in them. `lacking`: the other topics that these models read;
    `records`: the number of records by topic.
    """

    files: tuple[str, ...]
    models: tuple[str, ...]
    lacking: tuple[str, ...]
    records: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class RecordRequest:
    """The case that a command asks for: the first `limit` records of some topics of a target that satisfy `where`.

    `target`: a name of profiles.yml, None: its default; `selection`: the models that get a case.
    """

    topics: Sequence[str]
    target: str | None = None
    limit: int = 20
    where: str | None = None
    selection: ModelSelection = ALL_MODELS


def record_case(workspace: Workspace, request: RecordRequest) -> RecordedCase:
    """Write records of topics, and cases for the selected models, below the first of the case paths.

    Raises ProjectError for errors in the models, LsqlcError LSQ063 for an unknown topic, LSQ528 if nothing can be
    recorded, and the errors of the condition.
    """
    from lsqlc.diagnostics import LsqlcError, errors
    from lsqlc.golden.files import read_case_files, write_golden_files
    from lsqlc.golden.recording import first_matching, recording
    from lsqlc.lower.duckdb import evaluate
    from lsqlc.tasks.delta_topics import load_topics
    from lsqlc.tasks.run_target import open_compiled

    compilation, project = sound_selection(workspace, request.selection), workspace.project
    topics = {name: _topic(compilation, name) for name in dict.fromkeys(request.topics)}
    place = open_compiled(compilation, workspace.target(request.target))
    load_topics(project.topics, place, topics)
    source = place.log
    limit, where = request.limit, request.where
    records = {
        name: first_matching(source.read(topic), topic, limit=limit, where=where, judge=evaluate)
        for name, topic in topics.items()
    }
    folder = project.config.case_paths[0] if project.config.case_paths else "tests"
    present = read_case_files(project.root, (folder,), records=True)
    new_case = recording(records, topics, compilation.plans, folder, present.texts)
    problems = write_golden_files(project.root, new_case.files)
    if errors(problems):
        raise LsqlcError(problems)
    counts = {name: len(of_topic) for name, of_topic in records.items()}
    return RecordedCase(tuple(new_case.files), tuple(new_case.models), tuple(new_case.lacking), counts)


def _topic(compilation: Compilation, name: str) -> Topic:
    from lsqlc.diagnostics import Diagnostic, LsqlcError, did_you_mean, listing

    topics = compilation.topics
    if name not in topics:
        help = did_you_mean(name, topics) or (f"known are {listing(topics)}" if topics else None)
        raise LsqlcError([Diagnostic("LSQ063", f"unknown topic '{name}'", help=help)])
    return topics[name]
