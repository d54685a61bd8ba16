"""The docs site as a reader uses it, in a headless Chromium."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lsqlc.plan.lineage import Column, lineage_from
from lsqlc.plan.lineage_graph import downstream, lineage_graph, upstream
from tests.report.browser import browser, visit
from tests.report.site import COLUMN, HOSTILE, data, hostile_project, site

pytestmark = pytest.mark.skipif(browser() is None, reason="there is no Chromium on this machine")

_SHOP = {
    "lsqlc.yml": "name: shop\n",
    "models/shop.yml": """\
topics:
  - name: orders
    description: What people bought.
    key: INT
    value: item STRING, price INT, amount INT
models:
  - name: clean
    description: Orders with an amount.
    owner: team-a
    tags: [daily]
  - name: totals
    owner: team-b
    tags: [daily, money]
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


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    root = tmp_path_factory.mktemp("shop")
    for path, content in _SHOP.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(content)
    return site(root)


def test_the_graph_is_panned_zoomed_filtered_and_clicked(shop: dict[str, bytes], tmp_path: Path) -> None:
    """The wheel zooms about the pointer, dragging pans and is no click; a click shows a node and what hangs together
    with it, another one lets it go; filters dim the rest.
    """
    seen = visit(
        shop,
        tmp_path,
        """
        const view = () => ({ ...lsqlc.graph.view });
        const svg = document.querySelector("svg.graph"), box = svg.getBoundingClientRect();
        const first = view();
        const at = { clientX: box.left + 300, clientY: box.top + 200 };
        svg.dispatchEvent(new WheelEvent("wheel", { deltaY: -200, cancelable: true, ...at }));
        const zoomed = view();
        const under = (v) => [(300 - v.x) / v.k, (200 - v.y) / v.k].map((n) => Math.round(n));
        svg.dispatchEvent(new PointerEvent("pointerdown", { button: 0, ...at }));
        dispatchEvent(new PointerEvent("pointermove", { clientX: at.clientX + 50, clientY: at.clientY - 20 }));
        const panned = view();
        dispatchEvent(new PointerEvent("pointerup", {}));
        click(node("model clean"));
        const afterDrag = lsqlc.graph.selected;
        dispatchEvent(new PointerEvent("pointermove", { clientX: 0, clientY: 0 }));
        const still = view();
        click(node("model dear"));
        const lit = all(".node:not(.out)").map((n) => n.dataset.node);
        const panel = document.querySelector(".panel");
        const shown = [panel.hidden, panel.querySelector("h2 a").getAttribute("href"), panel.textContent];
        click(node("model dear"));
        const let_go = [panel.hidden, all(".node.out").length];
        const [kind, tag, owner] = all(".toolbar select");
        const pick = (select, value) => { select.value = value; select.dispatchEvent(new Event("change")); };
        const kept = () => all(".node:not(.out)").map((n) => n.dataset.node);
        pick(kind, "TABLE"); const tables = kept(); pick(kind, "");
        pick(tag, "daily"); const daily = kept(); pick(tag, "");
        pick(owner, "team-b"); const owned = kept(); pick(owner, "");
        type(document.querySelector(".toolbar input"), "dear"); const named = kept();
        const count = document.querySelector(".count").textContent;
        return { first, zoomed, panned, still, afterDrag, before: under(first), after: under(zoomed), lit, shown,
                 let_go, tables, daily, owned, named, count };
        """,
    )
    assert seen["zoomed"]["k"] > seen["first"]["k"] * 1.5
    assert seen["before"] == seen["after"], "what is under the pointer stays there"
    assert seen["panned"]["x"] == pytest.approx(seen["zoomed"]["x"] + 50)
    assert seen["panned"]["y"] == pytest.approx(seen["zoomed"]["y"] - 20)
    assert (seen["still"], seen["afterDrag"]) == (seen["panned"], None)
    assert seen["lit"] == ["model clean", "model dear", "topic dear-items", "topic orders"]
    assert seen["shown"][:2] == [False, "#/model/dear"] and "clean" in seen["shown"][2]
    assert seen["let_go"] == [True, 0]
    assert (seen["tables"], seen["daily"]) == (["model totals"], ["model clean", "model totals"])
    assert (seen["owned"], seen["named"]) == (["model totals"], ["model dear", "topic dear-items"])
    assert seen["count"] == "2 of 5 nodes"


def test_a_model_is_shown_with_all_that_is_known_of_it(shop: dict[str, bytes], tmp_path: Path) -> None:
    """SQL in colour, schema with lineage, plan, state, both engines' SQL, cases with records and results."""
    seen = visit(
        shop,
        tmp_path,
        """
        await go("model", "totals");
        const sections = Object.fromEntries(all("section").map((s) => [s.dataset.section, s.textContent]));
        const bare = { name: "", path: "", line: 1, batches: [], expect: [], asserts: [], golden: null };
        const timed = lsqlc.case({ ...bare, now: 5, advances: [[2, 70]] }).textContent;
        return { sections, timed, title: document.title, page: document.getElementById("main").textContent,
                 keywords: texts("[data-section=sql] .keyword"), rows: texts("[data-section^=schema] tbody tr"),
                 folds: texts("[data-section=compiled-sql] summary"), cells: texts(".case td"),
                 other: document.querySelector("[data-case='one order']").textContent,
                 links: all("dl a").map((a) => a.getAttribute("href")) };
        """,
    )
    assert seen["title"] == "totals \u00b7 shop"
    assert list(seen["sections"]) == [
        *("sql", "schema-and-lineage-of-totals", "plan", "state", "compiled-sql", "cases"),
    ]
    assert seen["keywords"] == ["SELECT", "TABLE", "AS", "FROM", "GROUP", "BY"]
    assert seen["rows"][2].startswith("_value.totalBIGINT") and "clean._value.costvalue" in seen["rows"][2]
    assert "Aggregate [TABLE] by item" in seen["sections"]["plan"]
    assert "one row per group" in seen["sections"]["state"]
    assert seen["folds"] == ["DuckDB", "Spark"]
    assert '{"item":"pen","cost":2}' in seen["cells"] and '{"item":"pen","total":5}' in seen["cells"]
    for part in (
        *("2clean1", 'Expectedtopickeyvaluetimestamptotals"pen"'),
        *("totals: condition total > 1", "There is no golden file."),
    ):
        assert part in seen["other"]
    assert "The clock stands at 5.After 2 of them time goes on to 70." in seen["timed"]
    assert {"#/topic/clean", "#/topic/totals", "#/model/clean"} <= set(seen["links"])
    assert "team-b" in seen["page"] and "money" in seen["page"]


def test_the_lineage_in_the_page_is_the_compilers(shop: dict[str, bytes], tmp_path: Path) -> None:
    """Upstream and downstream of every column, by the page's own walk and by that of the compiler."""
    lineage = data(shop)["lineage"]
    graph = lineage_graph(lineage_from(lineage))
    names = [(topic["name"], column[0]) for topic in data(shop)["topics"] for column in topic["columns"]]
    seen = visit(
        shop,
        tmp_path,
        """
        const told = (sources) => sources.map((s) => [s.topic, s.column, lsqlc.uses.filter((use) => s.uses.has(use))]);
        const found = [];
        for (const topic of lsqlc.site.topics) for (const [column] of topic.columns) {
          const [up, down] = [lsqlc.upstream(topic.name, column), lsqlc.downstream(topic.name, column)];
          found.push([topic.name, column, told(lsqlc.above(topic.name, column)), told(up), told(down)]);
        }
        await go("column", "orders", "_value.price");
        return { found, shown: texts("[data-section=downstream] li") };
        """,
    )

    def told(sources: Any) -> list[Any]:
        return [[s.column.topic, s.column.name, list(s.uses)] for s in sources]

    assert [(topic, column) for topic, column, *_ in seen["found"]] == names
    for topic, name, direct, above, below in seen["found"]:
        column = Column(topic, name)
        assert direct == told(graph.above(column))
        assert above == told(upstream(graph, [column]))
        assert below == told(downstream(graph, [column]))
    assert "totals._value.totalvalue" in seen["shown"]


def test_search_finds_names_columns_texts_and_sql(shop: dict[str, bytes], tmp_path: Path) -> None:
    """The name first; every word must be somewhere; Enter opens, `/` goes to the box, and what is nowhere is said."""
    seen = visit(
        shop,
        tmp_path,
        """
        const box = document.getElementById("search");
        const ask = (text) => { type(box, text); return texts("#found b"); };
        const asked = ["totals", "cost", "12345", "bought", "team-a", "item daily", "dear-items"];
        const found = Object.fromEntries(asked.map((q) => [q, ask(q)]));
        const none = (ask("zebra"), texts("#found li"));
        box.blur();
        press(document.body, "/");
        const focused = document.activeElement === box;
        ask("totals"); press(box, "Enter"); await rest(60);
        return { found, none, focused, at: location.hash, closed: document.getElementById("found").hidden };
        """,
    )
    found = seen["found"]
    assert found["totals"][0] == "totals"
    assert set(found["cost"]) == {"clean", "dear", "totals"} and found["cost"][0] == "clean"
    assert (found["12345"], found["bought"], found["team-a"]) == (["dear"], ["orders"], ["clean"])
    assert set(found["item daily"]) == {"clean", "totals"}
    assert found["dear-items"] == ["dear-items", "dear"]
    assert (seen["none"], seen["focused"]) == (["nothing found"], True)
    assert (seen["at"], seen["closed"]) == ("#/model/totals", True)


def test_every_page_opens(shop: dict[str, bytes], tmp_path: Path) -> None:
    """Lists, topics, columns; an address that leads nowhere says so, whatever it is."""
    seen = visit(
        shop,
        tmp_path,
        """
        const found = {};
        const heading = () => document.querySelector("#main h1")?.textContent ?? "graph";
        for (const names of [["models"], ["topics"], ["topic", "dear-items"], ["column", "totals", "_key"],
                             ["topic", "x"], ["model", "nothing"], ["column", "totals", "_value"], ["constructor"],
                             ["__proto__", "x"], []]) {
          await go(...names); found[names.join("/")] = heading();
        }
        location.hash = "#/model/%"; await rest(60); found.broken = heading();
        return found;
        """,
    )
    missing = "There is no such page"
    assert seen == {
        "models": "Models",
        "topics": "Topics",
        "topic/dear-items": "topic dear-items",
        "column/totals/_key": "column totals._key",
        **dict.fromkeys(("model/nothing", "topic/x", "column/totals/_value", "constructor", "__proto__/x"), missing),
        "": "graph",
        "broken": missing,
    }


def test_a_hostile_project_does_nothing_but_show(tmp_path: Path) -> None:
    """Its texts are seen as they are; none became an element or ran, and no request left the page."""
    hostile_project(tmp_path / "project")
    seen = visit(
        site(tmp_path / "project"),
        tmp_path / "site",
        """
        const pages = {};
        const shown = () => document.getElementById("main").textContent;
        for (const name of ["toString", "last", "broken"]) { await go("model", name); pages[name] = shown(); }
        await go("models"); await go("topics"); await go("topic", "__proto__");
        pages.topic = shown();
        const column = lsqlc.site.topics.find((t) => t.name === "__proto__").columns[1][0];
        await go("column", "__proto__", column);
        pages.column = shown();
        await go("column", "last", "_key");
        pages.upstream = texts("[data-section=upstream] li");
        type(document.getElementById("search"), "hacked");
        pages.search = texts("#found b");
        await go(); click(node("topic __proto__"));
        pages.panel = document.querySelector(".panel").textContent;
        const loaded = performance.getEntriesByType("resource").map((entry) => entry.name);
        return { pages, hacked: lsqlc.hacked ?? null, images: all("img").length, bold: all("b[onclick]").length,
                 scripts: all("script:not([src])").length, foreign: loaded.filter((n) => !n.startsWith("file:")) };
        """,
    )
    pages = seen["pages"]
    assert (seen["hacked"], seen["images"], seen["scripts"], seen["bold"], seen["foreign"]) == (None, 0, 0, 0, [])
    assert HOSTILE in pages["toString"] and f"`{COLUMN}`" in pages["toString"]
    assert HOSTILE in pages["last"], "a golden file that cannot be read"
    assert "LSQ200" in pages["broken"]
    assert HOSTILE in pages["topic"] and HOSTILE in pages["panel"]
    assert f"__proto__._value.`{COLUMN}`" in pages["column"]
    assert any(text.startswith(f"__proto__._value.`{COLUMN}`value") for text in pages["upstream"])
    assert set(pages["search"]) == {"toString", "__proto__", "broken"}


def test_a_runbook_says_what_to_do(shop: dict[str, bytes], tmp_path: Path) -> None:
    """The model leads there; it has the state, a part for each alert, commands, and what a refresh costs."""
    seen = visit(
        shop,
        tmp_path,
        """
        await go("model", "totals");
        const link = all("dl a").map((a) => a.getAttribute("href")).filter((href) => href.endsWith("/runbook"));
        await go("model", "totals", "runbook");
        const sections = Object.fromEntries(all("section").map((s) => [s.dataset.section, s.textContent]));
        const alerts = all("[data-alert]").map((a) => a.dataset.alert);
        const title = document.title;
        await go("model", "clean", "runbook");
        const refresh = document.querySelector("[data-section=full-refresh]").textContent;
        await go("model", "totals", "nothing");
        return { link, sections, alerts, title, refresh, missing: document.getElementById("main").textContent };
        """,
    )
    assert seen["link"] == ["#/model/totals/runbook"]
    assert list(seen["sections"]) == ["data", "state", "commands", "alerts", "full-refresh"]
    assert "one row per group" in seen["sections"]["state"] and "team-b" in seen["sections"]["data"]
    assert "lsqlc show totals --tail" in seen["sections"]["commands"]
    assert {"LsqlcQueryFailed", "LsqlcStateGrowth", "LsqlcRunAbsent"} <= set(seen["alerts"])
    assert "lsqlc run --select clean+ --full-refresh" in seen["refresh"] and "totals" in seen["refresh"]
    assert seen["title"] == "totals runbook \u00b7 shop"
    assert "There is no such page" in seen["missing"]
