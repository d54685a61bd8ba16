"""`lsqlc test --record`: cases from the records that topics have."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsqlc.cli.shell import Shell

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lsqlc.project.build.compile import Compilation
    from lsqlc.types.record import Topic


def record(
    sh: Shell, compilation: Compilation, names: Sequence[str], target: str | None, limit: int, where: str | None
) -> None:
    """Write the first records of topics and a case for each selected model that reads them, and say what comes next.

    Raises LsqlcError: LSQ063 for a topic that is not there, LSQ528 for a recording that cannot be made, and what is
    wrong with `where`.
    """
    from lsqlc.cli.spark import open_place
    from lsqlc.diagnostics import LsqlcError, errors
    from lsqlc.golden.files import read_case_files, write_golden_files
    from lsqlc.golden.recording import chosen, recording
    from lsqlc.lower.duckdb import evaluate

    if not compilation.ok:
        raise LsqlcError(compilation.diagnostics)
    project = compilation.project
    topics = {name: _topic(compilation, name) for name in dict.fromkeys(names)}
    log = open_place(project.root, target, compilation).log
    records = {
        name: chosen(log.read(topic), topic, limit=limit, where=where, judge=evaluate) for name, topic in topics.items()
    }
    folder = project.config.case_paths[0] if project.config.case_paths else "tests"
    there = read_case_files(project.root, (folder,), records=True)
    made = recording(records, topics, compilation.plans, folder, there.texts)
    problems = write_golden_files(project.root, made.files)
    if errors(problems):
        raise LsqlcError(problems)
    if sh.json:
        sh.document(
            {
                "version": 1,
                "command": "test",
                "ok": True,
                "files": list(made.files),
                "models": list(made.models),
                "records": {name: len(found) for name, found in records.items()},
            }
        )
    count = sum(map(len, records.values()))
    said = f"recorded {count:,} {'record' if count == 1 else 'records'} for {', '.join(made.models)}:"
    sh.say("\n".join((said, *(f"  {path}" for path in made.files))))
    if made.lacking:
        sh.say(f"these models read other topics too, which are empty in the cases: {', '.join(made.lacking)}")
    sh.say("next: check them, and run `lsqlc test`, which writes the golden files for review")


def _topic(compilation: Compilation, name: str) -> Topic:
    from lsqlc.diagnostics import Diagnostic, LsqlcError, did_you_mean, listing

    topics = compilation.topics
    if name not in topics:
        help = did_you_mean(name, topics) or (f"known are {listing(topics)}" if topics else None)
        raise LsqlcError([Diagnostic("LSQ063", f"unknown topic '{name}'", help=help)])
    return topics[name]
