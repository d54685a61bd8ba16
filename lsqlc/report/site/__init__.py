"""The docs site: one static folder about a project, which a browser reads from a disk or a server, without a network.

`index.html` loads `data/site.js`, which lists, graph and search need, and for a model that is looked at the rest of it.
Data are scripts, since a page from a disk may read no other file. The same project gives the same bytes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from html import escape
from importlib import resources
from typing import TYPE_CHECKING, Any

from lsqlc.report.site.data import model_file, model_page, site_data

if TYPE_CHECKING:
    from lsqlc.golden.cases import LoadedCases
    from lsqlc.project.build.compile import Compilation

ASSETS = ("style.css", "tools.js", "graph.js", "pages.js", "app.js")
# What tells a folder of ours from any other one that has an index.html.
MARK = '<meta name="generator" content="lsqlc">'


def site_files(
    compilation: Compilation, cases: LoadedCases, goldens: Mapping[str, str], *, lsqlc: str
) -> dict[str, bytes]:
    """The files of the site, by path below its folder. `goldens`: the texts of golden files by path; `lsqlc`: its
    version.
    """
    project = compilation.project
    assets = resources.files(__name__) / "assets"
    found = {name: (assets / name).read_bytes() for name in ASSETS}
    page = (assets / "index.html").read_text("utf-8").replace("{{ project }}", escape(project.config.name))
    found["index.html"] = page.encode()
    found["data/site.js"] = _script("site", site_data(compilation, cases, lsqlc=lsqlc))
    by_model: dict[str, list[Any]] = {}
    for case in cases.cases:
        by_model.setdefault(case.model, []).append(case)
    for model in project.models:
        if model.name in compilation.models:
            data = model_page(compilation, model, by_model.get(model.name, []), goldens)
            found[f"data/{model_file(model.name)}.js"] = _script("model", data)
    return found


def is_stale(path: str, files: Mapping[str, bytes]) -> bool:
    """Whether a file below the site's folder is a page of a removed model."""
    folder, _, name = path.rpartition("/")
    stem = name.removesuffix(".js")
    ours = name.endswith(".js") and len(stem) == 32 and not set(stem) - set("0123456789abcdef")
    return folder == "data" and ours and path not in files


def _script(what: str, data: Mapping[str, Any]) -> bytes:
    """Data as a script that hands it to the page. Nothing in it can end the script or look like markup. It is JSON in a
    string: there a name such as `__proto__` is one like others, which it is not in a literal of JavaScript.
    """
    text = json.dumps(json.dumps(data, ensure_ascii=True, separators=(",", ":")))
    return f"lsqlc.take({json.dumps(what)},JSON.parse({text.replace('<', chr(92) + 'u003c')}));\n".encode()
