"""A project whose every text is hostile, its docs site, and what a script of the site holds."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import Any

from lsqlc.project.build.compile import Compilation, compile_project
from lsqlc.project.discovery import load_project
from lsqlc.tasks.site import docs_site

# What would run, end a script, or break out of an attribute, if anything put it into a page as it is.
HOSTILE = '</script><script>lsqlc.hacked=1</script><img src=x onerror="lsqlc.hacked=1">\'\u2028&amp;${1}`'
COLUMN = '<b onclick="lsqlc.hacked=1">'


_SHOP = {
    "lsqlc.yml": "name: shop\n",
    "README.md": "# The shop\n\nWhat is *sold*, as [totals](models/totals.sql); see [below](#more), "
    "[there](https://example.org) and [nowhere](javascript:alert(1)).\n\n"
    "<img src='logo.svg' alt='the logo' onerror='lsqlc.hacked=1'>\n\n## More\n\n"
    "| a | b |\n|---|---|\n| 1 | `2` |\n\n```sql\nSELECT 1\n```\n",
    "logo.svg": "<svg xmlns='http://www.w3.org/2000/svg' width='8' height='8'><rect width='8' height='8'/></svg>",
    "models/shop.yml": """\
topics:
  - name: orders
    description: What people bought.
    key: INT
    value: item STRING, price INT, amount INT
    columns:
      - {name: _key, description: The number of the order.}
      - {name: price, description: What one item costs.}
models:
  - name: clean
    description: Orders with an amount.
    owner: team-a
    tags: [daily]
  - name: totals
    owner: team-b
    tags: [daily, money]
    columns: [{name: total, description: What was paid for the item.}]
""",
    "models/clean.sql": "SELECT STREAM item, price AS cost FROM orders WHERE amount > 0",
    "models/totals.sql": "SELECT TABLE item, SUM(cost) AS total FROM clean GROUP BY item",
    "models/dear.sql": "INSERT INTO dear-items SELECT STREAM item FROM clean WHERE cost > 12345",
    "tests/cases.yml": """\
cases:
  - name: two orders
    model: totals
    inputs: {clean: [{key: 1, value: {item: pen, cost: 2}}, {key: 2, value: {item: pen, cost: 3}}]}
  - name: one order
    model: totals
    batches:
      - [{topic: clean, key: 1, value: {item: pen, cost: 2}}]
      - [{topic: clean, key: 1, value: {item: pen, cost: 3}}]
    expect: {totals: {rows: [{key: pen, value: {item: pen, total: 3}}], condition: total > 1}}
    golden: false
""",
    "golden/totals/two_orders.jsonl": '{"topic":"totals","key":"pen","value":{"item":"pen","total":5}}\n',
}


def shop_project(root: Path) -> None:
    """Three models that compile, with cases, a README and a few described columns."""
    _write(root, _SHOP)


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
    _write(root, files)


def large_project(root: Path, models: int = 100) -> None:
    """Models in layers over ten sources: filters of an earlier one, and joins of two, at random, the same each time."""
    drawn = Random(7)
    names = [f"source-{n}" for n in range(10)]
    topics = "".join(f"  - {{name: {name}, key: STRING, value: 'a INT, b INT, c STRING'}}\n" for name in names)
    files = {"lsqlc.yml": "name: large\n", "models/topics.yml": f"topics:\n{topics}"}
    for number in range(models):
        near = names[-25:]
        name = f"{('orders', 'customers', 'payments', 'stock')[number % 4]}_{number:03d}"
        if number % 3:
            text = f"SELECT TABLE a, b + 1 AS b, c FROM {drawn.choice(near)} WHERE a > {number}"
        else:
            left, right = drawn.sample(near, 2)
            text = f"SELECT TABLE l.a AS a, r.b AS b, l.c AS c FROM {left} AS l INNER JOIN {right} AS r"
        files[f"models/{name}.sql"] = text
        names.append(name)
    _write(root, files)


def _write(root: Path, files: Mapping[str, str]) -> None:
    for path, content in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(content, "utf-8")


def compiled(root: Path) -> Compilation:
    loaded = load_project(root, vars={}, environment={})
    assert loaded.project is not None, loaded.diagnostics
    return compile_project(loaded.project)


def site(root: Path) -> dict[str, bytes]:
    """The files of the site of a project."""
    return dict(docs_site(compiled(root), lsqlc="1.2.3").files)


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
