from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from lsqlc.connectors.folders.log import FileLog
from lsqlc.connectors.seeding import SeedSpec, resource_path, rows
from lsqlc.connectors.seeding_files import write_rows
from lsqlc.golden.cases import LoadedCases, load_cases
from lsqlc.golden.files import read_case_files
from lsqlc.lower.duckdb import Session
from lsqlc.project.build.compile import Compilation, compile_project
from lsqlc.project.declared.declarations import TopicDeclaration
from lsqlc.project.discovery import load_project
from lsqlc.types.record import Outcome, Topic
from tests.figures import PROJECT, Row


@pytest.fixture(scope="session")
def compiled() -> Compilation:
    project = load_project(PROJECT).project
    assert project is not None
    return compile_project(project)


@pytest.fixture(scope="session")
def cases(compiled: Compilation) -> LoadedCases:
    texts = read_case_files(PROJECT, compiled.project.config.case_paths).texts
    return load_cases(texts, compiled.plans, models=[m.name for m in compiled.project.models])


@pytest.fixture(scope="session")
def seeded(compiled: Compilation, tmp_path_factory: pytest.TempPathFactory) -> FileLog:
    """A log with the records of every topic that has a seed, those without a time first."""
    log = FileLog(tmp_path_factory.mktemp("topics"))
    declarations = [t for t in compiled.project.topics if t.seed and not t.topic.files]
    for declared in sorted(declarations, key=lambda d: bool(d.seed and d.seed.timestamp)):
        _seed(log, declared)
    return log


@pytest.fixture(scope="session")
def filed(compiled: Compilation, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files of every topic of files that has a seed."""
    root = tmp_path_factory.mktemp("files")
    for declared in compiled.project.topics:
        files, seed = declared.topic.files, declared.seed
        if files and seed and seed.file:
            path = resource_path(seed.package, seed.path) if seed.package else PROJECT / seed.path
            folder, spec = root / files.root, SeedSpec(path)
            write_rows(spec, folder, seed.file, seed.span, displayed_path=seed.path, delimiter=files.delimiter)
    return root


@pytest.fixture(scope="session")
def evaluated(compiled: Compilation, seeded: FileLog, filed: Path) -> Callable[[str], Outcome]:
    """What DuckDB makes of the full data, for the name of a model; topics of models above it are filled first."""
    session = Session()

    def evaluate(model: str) -> Outcome:
        plan = compiled.plans[model]
        for topic in plan.inputs:
            writer = compiled.graph.writers.get(topic.name)
            if writer and not seeded.segments(topic.name):
                seeded.append(topic, evaluate(writer).topics[topic.name])
        logs = {t.name: seeded.segments(t.name) for t in plan.inputs if not t.files}
        return session.evaluate_logs(plan, logs, root=filed)

    return evaluate


def as_rows(outcome: Outcome, topic: Topic, *, table: bool) -> list[Row]:
    """Records as the rows that `figures` compares."""
    records = outcome.topics[topic.name]
    return [Row(_json(r.key), _json(r.value), None if table else r.timestamp) for r in records]


def _seed(log: FileLog, declared: TopicDeclaration) -> None:
    seed, topic = declared.seed, declared.topic
    assert seed is not None, topic.name
    path = resource_path(seed.package, seed.path) if seed.package else PROJECT / seed.path
    spec = SeedSpec(path, seed.key[0], seed.timestamp, *seed.null)
    if seed.segments is None:
        log.append(topic, rows(spec, topic))
        return
    records = list(rows(spec, topic))
    log.append(topic, records, segments_of=-(-len(records) // seed.segments))


def _json(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _json(v) for k, v in value.items()}
    return value.strftime("%Y-%m-%dT%H:%M:%SZ") if isinstance(value, datetime) else value
