"""The docs site of a compiled project: its cases, golden files and README read, and the files of the site made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from lsqlc.diagnostics import Diagnostic
from lsqlc.report.site.descriptions import Coverage, describe
from lsqlc.report.site.readme import Readme, readme
from lsqlc.scan.paths import check_regular, stays_inside

if TYPE_CHECKING:
    from lsqlc.project.build.compile import Compilation

README = "README.md"
# A page that nobody reads to its end, and a picture that is no part of a page. The reader of Markdown takes time by the
# square of the length where a text opens brackets and closes none.
_LONGEST_README = 200_000
_LARGEST_PICTURE = 5_000_000


@dataclass(frozen=True, slots=True)
class Site:
    """`files`: by path below the site's folder; `texts`: those that `diagnostics` are shown with."""

    files: Mapping[str, bytes]
    coverage: Coverage
    diagnostics: tuple[Diagnostic, ...] = ()
    texts: Mapping[str, str] = field(default_factory=dict)


def docs_site(compilation: Compilation, *, lsqlc: str) -> Site:
    """Return the site of the project. `lsqlc`: the version that it names. Models with errors are part of it, and of the
    diagnostics.
    """
    from lsqlc.golden.cases import load_cases
    from lsqlc.golden.files import read_case_files, read_golden_files
    from lsqlc.report.site import SiteContent, site_files

    project = compilation.project
    texts = read_case_files(project.root, project.config.case_paths)
    goldens = read_golden_files(project.root, project.config.golden_path)
    cases = load_cases(texts.texts, compilation.plans, models=[model.name for model in project.models])
    description = describe(compilation)
    content = SiteContent(cases, goldens.texts, description, _readme(compilation, project.root))
    files = site_files(compilation, content, lsqlc=lsqlc)
    diagnostics = (
        *compilation.diagnostics,
        *description.diagnostics,
        *texts.diagnostics,
        *cases.diagnostics,
        *goldens.diagnostics,
    )
    return Site(files, description.coverage, diagnostics, {**texts.texts, **goldens.texts})


def _readme(compilation: Compilation, root: Path) -> Readme | None:
    """Return the page of README.md beside the project file; None without a readable one."""
    content = _content(root, README, _LONGEST_README)
    if content is None:
        return None
    models = {model.path: model.name for model in compilation.project.models if model.name in compilation.models}
    text = content.decode("utf-8", "replace")
    return readme(text, lambda path: _content(root, path, _LARGEST_PICTURE), models)


def _content(root: Path, path: str, most: int) -> bytes | None:
    """Return a file of the project, links followed; None for one outside, too large, or unreadable."""
    if not stays_inside(root, path):
        return None
    try:
        about = (root / path).stat()
        check_regular(about.st_mode)
        return (root / path).read_bytes() if about.st_size <= most else None
    except (OSError, ValueError):
        # The site is as good without it.
        return None
