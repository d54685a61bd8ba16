"""Golden cases made from the records that topics have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from lsqlc.connectors.transport import Transport
    from lsqlc.project.build.compile import Compilation
    from lsqlc.types.record import Topic


@dataclass(frozen=True, slots=True)
class Recorded:
    """The files that were written, and the models that have a case in them. `lacking`: the other topics that these
    models read; `records`: the number of records by topic.
    """

    files: tuple[str, ...]
    models: tuple[str, ...]
    lacking: tuple[str, ...]
    records: Mapping[str, int]


def record(
    compilation: Compilation,
    names: Sequence[str],
    log: Callable[[], Transport],
    *,
    limit: int = 20,
    where: str | None = None,
) -> Recorded:
    """Write the first `limit` records of topics that satisfy `where`, and cases for the selected models.

    `log` gives the transport that the records are read from. The files are written below the first of the case paths.
    Raises LsqlcError: the errors of the models, LSQ063 for an unknown topic, LSQ528 if nothing can be recorded, and the
    errors of `where`.
    """
    from lsqlc.diagnostics import LsqlcError, errors
    from lsqlc.golden.files import read_case_files, write_golden_files
    from lsqlc.golden.recording import first_matching, recording
    from lsqlc.lower.duckdb import evaluate

    if not compilation.ok:
        raise LsqlcError(compilation.diagnostics)
    project = compilation.project
    topics = {name: _topic(compilation, name) for name in dict.fromkeys(names)}
    source = log()
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
    return Recorded(tuple(new_case.files), tuple(new_case.models), tuple(new_case.lacking), counts)


def _topic(compilation: Compilation, name: str) -> Topic:
    from lsqlc.diagnostics import Diagnostic, LsqlcError, did_you_mean, listing

    topics = compilation.topics
    if name not in topics:
        help = did_you_mean(name, topics) or (f"known are {listing(topics)}" if topics else None)
        raise LsqlcError([Diagnostic("LSQ063", f"unknown topic '{name}'", help=help)])
    return topics[name]
