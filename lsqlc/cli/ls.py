"""`lsqlc ls`: the models, where they are, what they read and write."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from lsqlc.cli import options, project
from lsqlc.cli.shell import Shell, shell

if TYPE_CHECKING:
    from lsqlc.project.model import Project


def command(
    selected: options.SelectedByState,
    *,
    untested: Annotated[bool, typer.Option("--untested", help="Only models that have no case.")] = False,
    common: options.Common,
) -> None:
    """List models: name, semantics, what they read and write, tags, path.

    A model with errors is listed without semantics; `lsqlc compile` shows the errors.
    """
    with shell("ls", common.output, common.quiet) as sh:
        from lsqlc.project.build.tested_topics import declared_tests
        from lsqlc.report.function_report import function_data, function_text
        from lsqlc.report.table_report import declarations_data, declarations_text
        from lsqlc.report.tables import Column, table_lines
        from lsqlc.report.tests_report import tests_data, tests_table
        from lsqlc.tasks.selection import ModelSelection, compile_selection

        workspace = project.opened(sh, common.project_dir, common.vars)
        loaded = workspace.project
        selection = ModelSelection(selected.select or (), selected.exclude or (), selected.state)
        compilation = compile_selection(workspace, selection, plans=False)
        # A selector that finds nothing; errors of models do not keep them from being listed.
        wrong = [d for d in compilation.diagnostics if d.code in ("LSQ040", "LSQ041")]
        if wrong:
            sh.fail(wrong)
        tested = _tested(sh, loaded) if untested else frozenset()
        whole = selection.is_whole and not untested
        rows = []
        for model in loaded.models:
            if model.name not in compilation.selected or model.name in tested:
                continue
            build = compilation.models[model.name]
            summary = build.summary or {"inputs": [], "outputs": [], "semantics": {}}
            rows.append(
                {
                    "name": model.name,
                    "path": model.path,
                    "status": "ok" if build.summary else build.status,
                    "semantics": dict(summary["semantics"]),
                    "reads": list(summary["inputs"]),
                    "writes": [topic["name"] for topic in summary["outputs"]],
                    "depends_on": list(compilation.graph.upstream.get(model.name, ())),
                    "tags": list(model.tags),
                    **({"latency": model.latency} if model.latency else {}),
                }
            )
        tests = list(declared_tests(compilation)) if whole else []
        own = {"tests": tests_data(tests)} if tests else {}
        own |= {"tables": declarations_data(compilation.tables)} if compilation.tables and whole else {}
        own |= {"functions": function_data(loaded.functions)} if loaded.functions else {}
        if sh.json:
            sh.document({"version": 1, "command": "ls", "ok": True, "models": rows, **own})
            return
        broken = sum(row["status"] != "ok" for row in rows)
        if not rows:
            message = "every selected model has a case" if untested else "no model is selected"
            sh.say(message if loaded.models else "the project has no models")
            return
        latencies = tuple(str(r.get("latency", "")) for r in rows)
        columns = [
            Column("model", tuple(str(r["name"]) for r in rows)),
            Column("semantics", tuple(_kinds(r["semantics"], r["status"]) for r in rows)),
            Column("reads", tuple(", ".join(r["reads"]) for r in rows)),
            Column("writes", tuple(", ".join(r["writes"]) for r in rows)),
            *([Column("latency", latencies)] if any(latencies) else []),
            Column("tags", tuple(", ".join(r["tags"]) for r in rows)),
            Column("path", tuple(str(r["path"]) for r in rows)),
        ]
        sh.result("\n".join(table_lines(columns, sh.width)))
        if tests:
            sh.result("\n" + tests_table(tests, sh.width))
        if compilation.tables and whole:
            sh.result("\n" + declarations_text(compilation.tables, sh.width))
        if loaded.functions and whole:
            sh.result("\n" + function_text(loaded.functions, sh.width))
        if broken:
            sh.say(f"{broken:,} of them with errors: see `lsqlc compile`")


def _tested(sh: Shell, loaded: Project) -> frozenset[str]:
    """Return the models that have a case, and show errors of case files. A case that cannot be read has no model."""
    from lsqlc.golden.cases import load_cases
    from lsqlc.golden.files import read_case_files

    files = read_case_files(loaded.root, loaded.config.case_paths)
    cases = load_cases(files.texts, {}, models=[model.name for model in loaded.models])
    sh.texts.update(files.texts)
    sh.show((*files.diagnostics, *cases.diagnostics))
    return frozenset(model for _, model, _ in cases.places)


def _kinds(semantics: object, status: object) -> str:
    if status != "ok" or not isinstance(semantics, dict):
        return f"({status})"
    return ", ".join(dict.fromkeys(semantics.values()))
