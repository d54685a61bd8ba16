"""The files of `lsqlc docs`: the site of a project, and the alert rules of its models."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from lsqlc.diagnostics import Diagnostic
from lsqlc.project.build import cache
from lsqlc.project.workspace import Workspace
from lsqlc.report.site import MARK, is_stale
from lsqlc.report.site.descriptions import Coverage
from lsqlc.tasks.build import create_target_folder
from lsqlc.tasks.site import Site, docs_site


@dataclass(frozen=True, slots=True)
class DocsFiles:
    """The files that were written, by path in the folder that `folder` names.

    `diagnostics`: those of the project, and one for each file that cannot be written; `is_complete`: all were written.
    """

    folder: str
    files: Mapping[str, bytes]
    diagnostics: tuple[Diagnostic, ...]
    is_complete: bool = True

    @property
    def ok(self) -> bool:
        """Whether the models have no errors, and everything was written."""
        return not any(diagnostic.is_error for diagnostic in self.diagnostics)


@dataclass(frozen=True, slots=True)
class AlertsRequest:
    """The alert rules that a command asks for.

    `target`: only of the run on this target; `dashboard`: also a dashboard for Grafana; `out`: the folder, None:
    `alerts` in the target folder.
    """

    target: str | None = None
    dashboard: bool = False
    out: Path | None = None


def open_site(workspace: Workspace, release: str, minimum: int | None = None) -> Site:
    """Return the site of a project. `release`: the version of lsqlc that it names; `minimum`: the percentage of columns
    that must be described.
    """
    site = docs_site(workspace.compilation, lsqlc=release)
    return replace(site, diagnostics=(*site.diagnostics, *_too_few(site.coverage, minimum)))


def write_site(workspace: Workspace, site: Site, out: Path | None = None) -> DocsFiles:
    """Write a site to a folder, without it to `docs` in the target folder, and remove the pages of models that no
    longer exist. It ends at the first file that cannot be written.
    """
    folder, name = _folder(workspace, out, "docs")
    problems = _written(folder, name, site.files)
    return DocsFiles(name, site.files, (*site.diagnostics, *problems), is_complete=not problems)


def write_alerts(workspace: Workspace, request: AlertsRequest) -> DocsFiles:
    """Write the alert rules, and the dashboard, of the models that compile. Raises LsqlcError for an unknown target."""
    from lsqlc.report.operation.dashboard import dashboard_text
    from lsqlc.report.operation.rules import rules_text

    compilation = workspace.compilation
    target = workspace.target(request.target).name if request.target else None
    texts = {f"{workspace.name}.rules.yml": rules_text(compilation, target=target)}
    if request.dashboard:
        texts[f"{workspace.name}.dashboard.json"] = dashboard_text(compilation)
    files = {name: text.encode("utf-8", "replace") for name, text in texts.items()}
    folder, folder_name = _folder(workspace, request.out, "alerts")
    diagnostics = list(compilation.diagnostics)
    for name, content in files.items():
        diagnostics += cache.write(folder / name, content, f"{folder_name}/{name}")
    return DocsFiles(folder_name, files, tuple(diagnostics))


def _folder(workspace: Workspace, out: Path | None, default: str) -> tuple[Path, str]:
    """Return the folder of `--out`, or without it one in the target folder, and its name in messages."""
    if out is not None:
        return out.absolute(), str(out)
    create_target_folder(workspace)
    name = f"{workspace.project.config.target_path}/{default}"
    return workspace.root / name, name


def _written(folder: Path, name: str, files: Mapping[str, bytes]) -> tuple[Diagnostic, ...]:
    """Write the files of a site, and return why one cannot be written."""
    index = folder / "index.html"
    try:
        foreign = index.exists() and MARK.encode() not in index.read_bytes()
        stale = [p for p in (folder / "data").glob("*.js") if is_stale(p.relative_to(folder).as_posix(), files)]
    except OSError as error:
        return (_unwritable(name, (error.strerror or str(error)).lower()),)
    if foreign:
        return (_unwritable(name, "its index.html was not written by lsqlc"),)
    for path, content in files.items():
        file = folder / path
        try:
            if file.is_file() and file.read_bytes() == content:
                continue
        except OSError:
            # A file that cannot be read is written, or the write reports the reason.
            pass
        problems = cache.write(file, content, f"{name}/{path}")
        if problems:
            return (_unwritable(name, problems[0].message.rpartition(": ")[2]),)
    try:
        for each in stale:
            each.unlink()
    except OSError as error:
        return (_unwritable(name, (error.strerror or str(error)).lower()),)
    return ()


def _unwritable(folder: str, reason: str) -> Diagnostic:
    help = "choose another folder: --out FOLDER"
    return Diagnostic("LSQ096", f"cannot write the site to '{folder}': {reason}", help=help)


def _too_few(coverage: Coverage, minimum: int | None) -> tuple[Diagnostic, ...]:
    """Return LSQ551 if fewer columns are described than the percentage `minimum`."""
    if minimum is None or coverage.percent >= minimum:
        return ()
    message = f"{coverage.percent} % of the columns are described, and {minimum} % are required"
    return (Diagnostic("LSQ551", message, help="describe columns of topics and models in YAML, under `columns:`"),)
