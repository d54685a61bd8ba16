"""`lsqlc import`: projects of what other systems export."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lsqlc.cli import options
from lsqlc.cli.shell import Shell, shell

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lsqlc.imports.imported import Imported

command = typer.Typer(
    help="Make a project of programs of ksqlDB or Lenses.", no_args_is_help=True, rich_markup_mode=None
)
Folder = Annotated[str, typer.Argument(metavar="FOLDER|.", help="The folder to create, or '.' for this one.")]


@command.command("ksqldb")
def ksqldb(
    source: Annotated[
        str, typer.Argument(metavar="FILE|FOLDER|URL", help="Scripts, what LIST ... EXTENDED gives, or a server.")
    ],
    folder: Folder,
    define: Annotated[
        list[str] | None,
        typer.Option("--define", "-d", metavar="NAME=VALUE", help="The value of a variable of the scripts."),
    ] = None,
    output: options.Output = "text",
    quiet: options.Quiet = False,
) -> None:
    """Make a project of ksqlDB scripts, or of a server.

    A file is a script, or the answer to LIST STREAMS EXTENDED, LIST TABLES EXTENDED and LIST QUERIES EXTENDED, in JSON
    or as printed. A server is only read. If it asks for a login, the environment variable LSQLC_SECRET_KSQLDB holds its
    user:password. Nothing is overwritten. The exit code is 1 if a query is not supported.
    """
    with shell("import ksqldb", output, quiet) as sh:
        from lsqlc.tasks.import_ksqldb import import_ksqldb, read_ksqldb

        export = read_ksqldb(source, login=os.environ.get("LSQLC_SECRET_KSQLDB"))
        _report(sh, [(folder, import_ksqldb(export, folder, _variables(define or [])))])


@command.command("ksqldb-tests")
def ksqldb_tests(
    source: Annotated[str, typer.Argument(metavar="FOLDER|FILE", help="Tests, as ksqlDB's test runner takes them.")],
    folder: Folder,
    output: options.Output = "text",
    quiet: options.Quiet = False,
) -> None:
    """Make models and cases of ksqlDB's tests.

    A test is a folder with statements.sql, input.json and output.json; a file has tests as ksqlDB's repository does.
    Programs that write the same topic become projects of their own. Nothing is overwritten. The exit code is 1 if a
    program is not supported, or if a test cannot be a case.
    """
    with shell("import ksqldb-tests", output, quiet) as sh:
        from lsqlc.imports.ksqldb.functional_tests import read_tests
        from lsqlc.tasks.import_ksqldb_tests import import_tests

        _report(sh, import_tests(source, read_tests(source), folder))


@command.command("lenses")
def lenses(
    source: Annotated[str, typer.Argument(metavar="FILE|FOLDER", help="Processors, topics and schemas, as exported.")],
    folder: Folder,
    topics: Annotated[
        Path | None, typer.Option("--topics", metavar="FILE", help="Declarations of the topics that processors read.")
    ] = None,
    output: options.Output = "text",
    quiet: options.Quiet = False,
) -> None:
    """Make a project of processors of Lenses.

    A file is what lenses-cli exports, in YAML or JSON, or what the REST API answers; a folder has such files, and .sql
    files with a processor each. Schemas and types of topics are taken from there too. Nothing is overwritten. The exit
    code is 1 if a processor is not supported, or if the schema of a topic is not known.
    """
    with shell("import lenses", output, quiet) as sh:
        from lsqlc.imports.lenses.exported import read_export
        from lsqlc.tasks.import_lenses import import_lenses

        _report(sh, [(folder, import_lenses(source, read_export(source), folder, topics))])


def _variables(definitions: list[str]) -> dict[str, str]:
    values = {}
    for each in definitions:
        name, equals, value = each.partition("=")
        if not equals or not name.isidentifier():
            raise typer.BadParameter(f"'{each}' must be NAME=VALUE", param_hint="--define")
        values[name] = value
    return values


def _report(sh: Shell, imports: Sequence[tuple[str, Imported]]) -> None:
    """Show what projects were made in which folders, and end."""
    from lsqlc.report.import_report import import_summary

    failed = [result for _, result in imports if result.unsupported or any(d.is_error for d in result.diagnostics)]
    if sh.json:
        projects = [{"folder": folder, **_data(result)} for folder, result in imports]
        sh.document({"version": 1, "command": sh.command, "ok": not failed, "projects": projects})
    for folder, result in imports:
        sh.texts.update(result.texts)
        sh.show([*result.diagnostics, *(d for m in result.unsupported for d in m.diagnostics)])
        sh.say(import_summary(result, folder))
    if failed:
        raise typer.Exit(1)


def _data(result: Imported) -> dict[str, Any]:
    from lsqlc.report.json_report import diagnostic_data

    return {
        "models": [
            {
                "name": m.name, "path": m.path, "from": list(m.origins), "writes": list(m.writes),
                "supported": m.is_supported, "diagnostics": [diagnostic_data(d) for d in m.diagnostics],
            }
            for m in result.models
        ],
        "topics": [{"name": t.name, "partitions": t.partitions, "replicas": t.replicas} for t in result.topics],
        "left_out": [{"from": o.origin, "statement": o.text, "why": o.why} for o in result.omitted],
        "cases": result.cases,
    }  # fmt: skip
