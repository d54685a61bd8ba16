"""`lsqlc schemas`: the schema registry of a target, and what the lock file keeps of it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from lsqlc.cli import options, project
from lsqlc.cli.shell import Shell, shell

# Each round but the last brings the schemas of models that read what those of the round before write.
_MOST_ROUNDS = 20

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path
    from typing import Any

    from lsqlc.project.build.compile import Compilation
    from lsqlc.project.model import Project
    from lsqlc.registry.registry import Registry
    from lsqlc.registry.written import Standing, WrittenSchema
    from lsqlc.types.subjects import Subject


def command(
    action: Annotated[Literal["list", "pull", "check", "register"], typer.Argument(help="The action.")],
    target: options.Target = None,
    select: options.Select = None,
    exclude: options.Exclude = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="With register: only show what would be registered.")
    ] = False,
    vars: options.Vars = None,
    project_dir: options.ProjectDir = None,
    output: options.Output = "text",
    quiet: options.Quiet = False,
) -> None:
    """Use the schema registry of a target.

    list: the subjects. pull: write the schemas that the project uses into the lock file, from which every other command
    takes them. check: whether the lock file is up to date, and whether what the models write is compatible. register:
    register what the selected models write, then pull.
    """
    with shell("schemas", output, quiet) as sh:
        from lsqlc.registry.client import RestRegistry

        root = project.find(sh, project_dir)
        registry = RestRegistry(_target(sh, root, target))
        if action == "list":
            names = registry.subjects()
            if sh.json:
                sh.document({**_head(action), "ok": True, "subjects": list(names)})
            elif names:
                sh.result("\n".join(names))
            else:
                sh.say("the registry has no subjects")
            return
        if action != "register" and dry_run:
            raise typer.BadParameter("it is only an option of `lsqlc schemas register`", param_hint="--dry-run")
        asked = _Asked(sh, root, project.variables(sh, vars), registry, select, exclude)
        if action == "pull":
            found = _pull(asked)
            if sh.json:
                sh.document({**_head(action), "ok": True, "subjects": _subjects_data(found)})
        elif action == "check":
            _check(asked)
        else:
            _register(asked, dry_run)


@dataclass(frozen=True, slots=True)
class _Asked:
    shell: Shell
    root: Path
    vars: Mapping[str, Any]
    registry: Registry
    select: list[str] | None
    exclude: list[str] | None


def _head(action: str) -> dict[str, Any]:
    return {"version": 1, "command": "schemas", "action": action}


def _subjects_data(found: Mapping[str, Subject]) -> list[dict[str, Any]]:
    from lsqlc.report.registry_report import subject_data

    return [subject_data(found[name]) for name in sorted(found)]


def _target(sh: Shell, root: Path, name: str | None) -> Any:
    """The registry that the target names. Raises LsqlcError LSQ715 if it names none."""
    from lsqlc.diagnostics import Diagnostic, LsqlcError
    from lsqlc.project.declared.profiles import PROFILE_FILE, load_target

    found, problems = load_target(root, name, os.environ)
    if found is None:
        raise LsqlcError(problems)
    if found.registry is None:
        message = f"the target '{found.name}' has no schema registry"
        help = f"add it to the target in {PROFILE_FILE}: `registry: {{url: https://registry:8081}}`"
        raise LsqlcError([Diagnostic("LSQ715", message, help=help)])
    return found.registry


def _used(compilation: Compilation) -> tuple[list[str], list[str]]:
    """The subjects that the project cannot do without, and those that it uses if they are there."""
    from lsqlc.dialects import dialect
    from lsqlc.registry.written import written_schemas
    from lsqlc.types.subjects import subject_of

    loaded = compilation.project
    required = [facet.subject for facet in loaded.registered if facet.wanted]
    optional = [facet.subject for facet in loaded.registered if not facet.wanted]
    written = {topic for build in compilation.models.values() for topic in (t.name for t in build.outputs)}
    declared = {topic.topic.name for topic in loaded.topics} | written
    known = {subject_of(topic, facet) for topic in declared for facet in ("key", "value")}
    for model in loaded.models:
        language = dialect(model.dialect)
        program = language.parse(model.text, model.path).program if model.text and language.declares_sources else None
        if program is not None:
            # The subject of a topic that the project has in itself is of use, but not needed.
            for name in language.subjects(program):
                (optional if name in known else required).append(name)
    optional += [schema.subject for schema in written_schemas(compilation.plans.values())]
    return list(dict.fromkeys(required)), list(dict.fromkeys(optional))


def _pull(asked: _Asked) -> dict[str, Subject]:
    """Bring the lock file up to date, and give its subjects. Models that compile only with the schemas that this brings
    may write further ones, so it is done until nothing is added.
    """
    from lsqlc.diagnostics import LsqlcError
    from lsqlc.project.declared.lock import LOCK_FILE, lock_text, read_lock
    from lsqlc.registry.pull import pulled
    from lsqlc.tasks.locks import write_lock

    sh, changed = asked.shell, False
    for _ in range(_MOST_ROUNDS):
        loaded = project.load(sh, asked.root, asked.vars)
        found, problems = pulled(asked.registry, *_used(project.compiled(loaded, None, None)))
        if problems:
            raise LsqlcError(problems)
        if found == loaded.subjects:
            break
        text = loaded.texts.get(LOCK_FILE)
        lock = read_lock(text) if text is not None else None
        if lock is not None and lock.broken:
            raise LsqlcError(lock.diagnostics)
        write_lock(asked.root / LOCK_FILE, lock_text(lock.columns if lock else {}, found))
        changed = True
    if changed:
        sh.say(f"{LOCK_FILE} written: review it, and commit it")
    else:
        sh.say("the lock file is up to date" if found else "the project uses no schema of the registry")
    return found


def _schemas(asked: _Asked, loaded: Project) -> tuple[Compilation, list[WrittenSchema]]:
    """The selected models, which must compile, and the schemas that they write."""
    from lsqlc.diagnostics import LsqlcError
    from lsqlc.registry.written import written_schemas

    compilation = project.compiled(loaded, asked.select, asked.exclude)
    if not compilation.ok:
        raise LsqlcError(compilation.diagnostics)
    return compilation, [*written_schemas(compilation.plans.values())]


def _standings(asked: _Asked, schemas: list[WrittenSchema]) -> list[Standing]:
    from lsqlc.registry.written import standing

    there = frozenset(asked.registry.subjects()) if schemas else frozenset()
    return [standing(asked.registry, schema, there) for schema in schemas]


def _check(asked: _Asked) -> None:
    from lsqlc.registry.pull import pulled
    from lsqlc.report.registry_report import drift_lines, standing_data, standing_text

    sh = asked.shell
    loaded = project.load(sh, asked.root, asked.vars)
    _, schemas = _schemas(asked, loaded)
    found, problems = pulled(asked.registry, *_used(project.compiled(loaded, None, None)))
    drift = drift_lines(loaded.subjects, found, {*loaded.subjects, *found})
    standings = _standings(asked, schemas)
    ok = not drift and not problems and not any(s.conflicts for s in standings)
    if sh.json:
        shown = [standing_data(s) for s in standings]
        sh.document({**_head("check"), "ok": ok, "drift": list(drift), "written": shown})
    else:
        sh.result("\n".join([*(f"lock file: {line}" for line in drift), *map(standing_text, standings)]))
    sh.show(problems)
    if drift:
        sh.say("the lock file is not up to date: `lsqlc schemas pull`")
    if not ok:
        raise typer.Exit(1)
    sh.say("the lock file is up to date, and what the models write is compatible")


def _register(asked: _Asked, dry_run: bool) -> None:
    from lsqlc.diagnostics import Diagnostic, LsqlcError
    from lsqlc.report.registry_report import standing_data, standing_text

    sh = asked.shell
    _, schemas = _schemas(asked, project.load(sh, asked.root, asked.vars))
    standings = _standings(asked, schemas)
    refused = [s for s in standings if s.conflicts]
    if not sh.json or refused:
        sh.say("\n".join(map(standing_text, standings)) or "the models write no schema in AVRO")
    if refused:
        # All or nothing: a topic is not to have the schema of a model whose other topic is refused.
        names = ", ".join(f"'{s.schema.subject}'" for s in refused)
        help = "make the change compatible, such as a new nullable column; or write another topic"
        raise LsqlcError([Diagnostic("LSQ721", f"nothing is registered: not compatible are {names}", help=help)])
    new = [s for s in standings if s.id is None]
    ids = {s.schema.subject: s.id for s in standings}
    if not dry_run:
        for each in new:
            ids[each.schema.subject] = asked.registry.register(each.schema.subject, "AVRO", each.schema.text)
        if new:
            _pull(asked)
    if sh.json:
        shown = [{**standing_data(s), "id": ids[s.schema.subject]} for s in standings]
        sh.document({**_head("register"), "ok": True, "dry_run": dry_run, "written": shown})
        return
    for each in new if not dry_run else ():
        sh.result(f"{each.schema.subject}: registered, with the id {ids[each.schema.subject]}")
