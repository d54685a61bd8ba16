"""A project whose every text is hostile, its docs site, and what a script of the site holds."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lsqlc.golden.cases import load_cases
from lsqlc.golden.files import read_case_files, read_golden_files
from lsqlc.project.build.compile import Compilation, compile_project
from lsqlc.project.discovery import load_project
from lsqlc.report.site import site_files

# What would run, end a script, or break out of an attribute, if anything put it into a page as it is.
HOSTILE = '</script><script>lsqlc.hacked=1</script><img src=x onerror="lsqlc.hacked=1">\'\u2028&amp;${1}`'
COLUMN = '<b onclick="lsqlc.hacked=1">'


def hostile_project(root: Path) -> None:
    """Three models, one of them with errors; names that JavaScript has a meaning for, and hostile texts everywhere."""
    text = json.dumps(HOSTILE)
    files = {
        "lsqlc.yml": "name: hostile\n",
        "models/about.yml": f"""\
topics:
  - name: __proto__
    description: {text}
    tags: [{text}]
    key: INT
    value: "`{COLUMN.replace('"', chr(92) + '"')}` STRING, constructor INT, n INT"
models:
  - name: toString
    description: {text}
    owner: {text}
    tags: [{text}, plain]
  - name: last
    tags: [plain]
""",
        "models/toString.sql": f"-- {HOSTILE.replace(chr(0x2028), ' ')}\n"
        f"INSERT INTO hasOwnProperty SELECT STREAM `{COLUMN}` AS a, constructor, '</script>' AS b "
        "FROM __proto__ WHERE n > 0",
        "models/last.sql": "SELECT TABLE a, COUNT(*) AS valueOf FROM hasOwnProperty GROUP BY a",
        "models/broken.sql": f"SELECT STREAM `{COLUMN}` FROM nowhere",
        "tests/cases.yml": f"""\
cases:
  - name: hostile
    model: toString
    inputs:
      __proto__:
        - {{key: 1, value: {{{json.dumps(COLUMN)}: {text}, n: 9007199254740993 }}}}
  - name: unreadable
    model: last
    inputs: {{}}
""".replace("9007199254740993", "7"),
        "golden/toString/hostile.jsonl": json.dumps(
            {"topic": "hasOwnProperty", "key": 1, "value": {"a": HOSTILE}, "timestamp": 0}
        ).replace('"timestamp": 0', '"timestamp": 9007199254740993')
        + "\n",
        "golden/last/unreadable.jsonl": f"{HOSTILE}\n",
    }
    for path, content in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(content, "utf-8")


def compiled(root: Path) -> Compilation:
    loaded = load_project(root, vars={}, environment={})
    assert loaded.project is not None, loaded.diagnostics
    return compile_project(loaded.project)


def site(root: Path) -> dict[str, bytes]:
    """The files of the site of a project."""
    compilation = compiled(root)
    config = compilation.project.config
    texts = read_case_files(root, config.case_paths).texts
    names = [model.name for model in compilation.project.models]
    cases = load_cases(texts, compilation.plans, models=names)
    goldens = read_golden_files(root, config.golden_path).texts
    return site_files(compilation, cases, goldens, lsqlc="1.2.3")


def data(files: Mapping[str, bytes], path: str = "data/site.js") -> Any:
    """What a script hands to the page."""
    text = files[path].decode("ascii")
    start, end = text.index("JSON.parse(") + len("JSON.parse("), text.rindex("));")
    assert text.startswith("lsqlc.take(") and text.endswith("));\n")
    return json.loads(json.loads(text[start:end]))


def model(files: Mapping[str, bytes], name: str) -> Any:
    """What is known of a model, from both of its places."""
    (known,) = [m for m in data(files)["models"] if m["name"] == name]
    return {**known, **data(files, f"data/{known['file']}.js")}
