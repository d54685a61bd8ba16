"""`lsqlc diff --against REV`: what changed in each model, and what follows for its readers and its state."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from lsqlc import __version__
from lsqlc.cli import options, project
from lsqlc.cli.shell import Shell, shell

if TYPE_CHECKING:
    from lsqlc.lower.spark.parts import Verdict
    from lsqlc.plan import Plan
    from lsqlc.project.comparison import ModelChange, Version
    from lsqlc.project.compile import Compilation


@dataclass(frozen=True, slots=True)
class _Compared:
    """What changed, with the verdicts on the states of those models."""

    changes: tuple[ModelChange, ...]
    verdicts: Mapping[str, Verdict]


def command(
    against: Annotated[
        str, typer.Option("--against", metavar="REV|MANIFEST.JSON", help="A git revision, or a manifest of a build.")
    ],
    select: options.Select = None,
    exclude: options.Exclude = None,
    fail_on: Annotated[
        Literal["cosmetic", "additive", "compatible", "breaking"] | None,
        typer.Option("--fail-on", help="Exit with 1 if a change is of this category or a weightier one."),
    ] = None,
    vars: options.Vars = None,
    project_dir: options.ProjectDir = None,
    output: options.Output = "text",
    quiet: options.Quiet = False,
) -> None:
    """Compare the models with another version of the project.

    Of a revision everything is compared; a manifest has no plans, so that what it tells of state is little.
    """
    with shell("diff", output, quiet) as sh:
        from lsqlc.plan.topic_changes import CATEGORIES
        from lsqlc.report.diff_report import diff_data, diff_summary, diff_text

        root = project.find(sh, project_dir)
        given = project.variables(sh, vars)
        compilation = project.compiled(project.load(sh, root, given), None, None, plans=False)
        if not compilation.ok:
            sh.fail(compilation.diagnostics)
        if against.endswith(".json"):
            compared = _with_manifest(Path(against), compilation)
        else:
            compared = _with_revision(sh, root, against, given, compilation)
        shown = _selected(compared.changes, select, exclude, compilation)
        gate = CATEGORIES.index(fail_on) if fail_on else len(CATEGORIES)
        ok = all(CATEGORIES.index(change.category) < gate for change in shown)
        if sh.json:
            head = {"version": 1, "command": "diff", "ok": ok, "against": against, "fail_on": fail_on}
            sh.document({**head, "models": diff_data(shown, compared.verdicts)})
        elif shown:
            sh.result(diff_text(shown, compared.verdicts))
        sh.say(diff_summary(shown))
        if not ok:
            raise typer.Exit(1)


def _with_manifest(file: Path, compilation: Compilation) -> _Compared:
    from lsqlc.lower.spark.parts import Verdict
    from lsqlc.project.comparison import compare, version_from

    old, new = _read_manifest(file), version_from(compilation.manifest(__version__))
    changes = compare(old, new, {})
    same = {
        name
        for name, model in new.models.items()
        if name in old.models
        and old.lsqlc == new.lsqlc
        and (model.text, model.fingerprint) == (old.models[name].text, old.models[name].fingerprint)
    }
    unknown = Verdict("unknown", ("a manifest has no queries to compare: name a revision",))
    verdicts = {c.name: Verdict("continues") if c.name in same else unknown for c in changes}
    return _Compared(changes, verdicts | _came_and_gone(changes, (old, new)))


def _read_manifest(file: Path) -> Version:
    from lsqlc.diagnostics import Diagnostic, LsqlcError
    from lsqlc.project.comparison import version_from

    try:
        return version_from(json.loads(file.read_text("utf-8")))
    except OSError as error:
        reason = error.strerror or "it cannot be read"
    except KeyError as error:
        reason = f"it is no manifest of lsqlc: there is no {error}"
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        reason = f"it is no manifest of lsqlc: {error}"
    help = "name the target/manifest.json that `lsqlc compile` wrote, or a git revision"
    raise LsqlcError(
        [Diagnostic("LSQ069", f"there is nothing to compare with in '{file}'", notes=(reason,), help=help)]
    )


def _with_revision(sh: Shell, root: Path, revision: str, vars: Mapping[str, Any], new: Compilation) -> _Compared:
    from lsqlc.lower.spark.parts import Verdict, queries, verdict
    from lsqlc.project.comparison import differing
    from lsqlc.project.compile import compile_project
    from lsqlc.project.discovery import load_project
    from lsqlc.project.revisions import extract

    with TemporaryDirectory(prefix="lsqlc-diff-") as name:
        folder = Path(name)
        extract(root, revision, folder, os.environ)
        loaded = load_project(folder, vars=vars, environment=dict(os.environ))
        if loaded.project is None:
            raise _broken(revision, loaded.diagnostics)
        old = compile_project(loaded.project, cache=new.entries, plans=False)
        if not old.ok:
            raise _broken(revision, old.diagnostics)
        versions = _version(old), _version(new)
        names = differing(*versions)
        before, after = _plans(old, names), _plans(new, names)
    changes = _compare(versions, before, after)
    verdicts = {name: verdict(queries(before[name]), queries(plan)) for name, plan in after.items()}
    verdicts |= _came_and_gone(changes, versions)
    for change in changes:
        # A model whose text is as it was has the queries that it had.
        verdicts.setdefault(change.name, Verdict("continues"))
    return _Compared(changes, _below_replays(verdicts, new))


def _version(compilation: Compilation) -> Version:
    from lsqlc.project.comparison import version_from

    texts = {name: entry.source for name, entry in compilation.entries.items()}
    return version_from(compilation.manifest(__version__), texts)


def _plans(compilation: Compilation, names: tuple[str, ...]) -> dict[str, Plan]:
    """The plans of some models, compiled again: what was compiled so far kept none."""
    from lsqlc.project.compile import compile_project
    from lsqlc.project.selectors import Selection

    if not names:
        return {}
    chosen = compile_project(compilation.project, select=Selection(names), cache=compilation.entries)
    return chosen.plans


def _compare(
    versions: tuple[Version, Version], before: Mapping[str, Plan], after: Mapping[str, Plan]
) -> tuple[ModelChange, ...]:
    from lsqlc.plan.diff import outline, plan_changes
    from lsqlc.project.comparison import compare

    plans = {name: plan_changes(outline(before[name]), outline(plan)) for name, plan in after.items()}
    return compare(*versions, plans)


def _came_and_gone(changes: Iterable[ModelChange], versions: tuple[Version, Version]) -> dict[str, Verdict]:
    """The verdicts on models of one version alone. Queries are called by their model: under another name they begin
    anew, beside what those of the old name wrote.
    """
    from lsqlc.lower.spark.parts import Verdict

    old, new = versions
    written = {topic for model in old.models.values() for topic in model.outputs}
    states: dict[str, Verdict] = {}
    for change in changes:
        if change.status == "added":
            taken = sorted(written.intersection(new.models[change.name].outputs))
            reasons = tuple(f"the topic '{topic}' has records of another model's queries" for topic in taken)
            states[change.name] = Verdict("unknown" if taken else "new", reasons)
        elif change.status == "removed":
            states[change.name] = Verdict("gone")
    return states


def _below_replays(verdicts: Mapping[str, Verdict], new: Compilation) -> dict[str, Verdict]:
    """A state that could go on does not for sure where what it reads is written anew."""
    replayed = {name for name, found in verdicts.items() if found.standing == "needs a new state and a replay"}
    judged = dict(verdicts)
    for name, found in verdicts.items():
        above = sorted(replayed & new.graph.above({name}) - {name})
        if found.standing == "continues" and above:
            reasons = tuple(f"its queries are the same, but '{model}' above it needs a replay" for model in above)
            judged[name] = replace(found, standing="unknown", reasons=reasons)
    return judged


def _selected(
    changes: tuple[ModelChange, ...], select: list[str] | None, exclude: list[str] | None, compilation: Compilation
) -> tuple[ModelChange, ...]:
    """The changes of selected models. Models that are gone can't be selected: they are shown without a selection."""
    from lsqlc.diagnostics import LsqlcError
    from lsqlc.project.selectors import Selectable, Selection, select_models

    if not (select or exclude):
        return changes
    models = [Selectable(m.name, m.path, m.tags) for m in compilation.project.models]
    selection = Selection(tuple(select or ()), tuple(exclude or ()))
    chosen, problems = select_models(selection, models, compilation.graph)
    if problems:
        raise LsqlcError(problems)
    return tuple(change for change in changes if change.name in chosen)


def _broken(revision: str, found: Iterable[Any]) -> Exception:
    from lsqlc.diagnostics import Diagnostic, LsqlcError

    errors = [d for d in found if d.is_error]
    notes = [f"{d.span.path}:{d.span.line}: {d.message}" if d.span else d.message for d in errors[:5]]
    if len(errors) > 5:
        notes.append(f"and {len(errors) - 5:,} more errors")
    help = "compare with a revision that compiles"
    return LsqlcError(
        [Diagnostic("LSQ070", f"the project did not compile at '{revision}'", notes=tuple(notes), help=help)]
    )
