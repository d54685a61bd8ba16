"""The docs site: a static folder about a project, which a browser reads from a disk or a server, without a network.

`index.html` loads `data/site.js` for lists, graph and search, and the data of a model when it is opened. Data files are
scripts, because a page from a disk can read no other files. The output is deterministic.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from importlib import resources
from typing import TYPE_CHECKING, Any

from lsqlc.report.site.data import model_file, model_page, site_data

if TYPE_CHECKING:
    from lsqlc.golden.cases import LoadedCases
    from lsqlc.project.build.compile import Compilation
    from lsqlc.report.site.descriptions import Descriptions
    from lsqlc.report.site.readme import Readme

# In loading order.
SCRIPTS = (
    *("dagre.min.js", "tools.js", "code.js", "lineage.js", "search.js", "layout.js", "drawing.js", "viewport.js"),
    *("graph.js", "columns.js", "overview.js", "pages.js", "model.js", "cases.js", "live.js", "app.js"),
)
STYLES = ("style.css", "pages.css", "graph.css")
# Graphs use the layout algorithm of dagre, which is distributed with its licence.
ASSETS = (*STYLES, *SCRIPTS, "dagre.LICENSE.txt")
# Distinguishes a folder of lsqlc from other folders with an index.html.
MARK = '<meta name="generator" content="lsqlc">'


@dataclass(frozen=True, slots=True)
class SiteContent:
    """The content of the site besides the models. `goldens`: the texts of golden files by path; `descriptions`: of
    columns.
    """

    cases: LoadedCases
    goldens: Mapping[str, str]
    descriptions: Descriptions
    readme: Readme | None = None


def site_files(compilation: Compilation, site: SiteContent, *, lsqlc: str) -> dict[str, bytes]:
    """Return the files of the site, by path below its folder. `lsqlc`: its version."""
    project, cases, readme = compilation.project, site.cases, site.readme
    assets = resources.files(__name__) / "assets"
    content = {name: (assets / name).read_bytes() for name in ASSETS}
    page = (assets / "index.html").read_text("utf-8").replace("{{ project }}", escape(project.config.name))
    page = page.replace("{{ styles }}", "\n".join(f'<link rel="stylesheet" href="{name}">' for name in STYLES))
    page = page.replace("{{ scripts }}", "\n".join(f'<script src="{name}"></script>' for name in SCRIPTS))
    content["index.html"] = page.encode()
    data = site_data(compilation, cases, site.descriptions, lsqlc=lsqlc)
    content["data/site.js"] = _script("site", {**data, "readme": list(readme.nodes) if readme else None})
    content |= readme.pictures if readme else {}
    by_model: dict[str, list[Any]] = {}
    for case in cases.cases:
        by_model.setdefault(case.model, []).append(case)
    for model in project.models:
        if model.name in compilation.models:
            of_model = model_page(compilation, model, by_model.get(model.name, []), site.goldens)
            content[f"data/{model_file(model.name)}.js"] = _script("model", of_model)
    return content


def is_stale(path: str, files: Mapping[str, bytes]) -> bool:
    """Return whether a file below the site's folder is the page of a removed model."""
    folder, _, name = path.rpartition("/")
    stem = name.removesuffix(".js")
    ours = name.endswith(".js") and len(stem) == 32 and not set(stem) - set("0123456789abcdef")
    return folder == "data" and ours and path not in files


def _script(what: str, data: Mapping[str, Any]) -> bytes:
    """Return data as a script that passes it to the page.

    The data cannot end the script or contain markup. It is JSON in a string, where a name such as `__proto__` has no
    special meaning, unlike in a literal of JavaScript.
    """
    text = json.dumps(json.dumps(data, ensure_ascii=True, separators=(",", ":")))
    return f"lsqlc.take({json.dumps(what)},JSON.parse({text.replace('<', chr(92) + 'u003c')}));\n".encode()
