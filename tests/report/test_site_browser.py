"""The docs site as a reader uses it, in a headless Chromium."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lsqlc.plan.lineage import Column, lineage_from
from lsqlc.plan.lineage_graph import downstream, lineage_graph, upstream
from lsqlc.remote.run.query_status import QueryStatus, RunStatus, status_data
from tests.report.browser import browser, visit
from tests.report.site import COLUMN, HOSTILE, data, hostile_project, large_project, shop_project, site

pytestmark = pytest.mark.skipif(browser() is None, reason="there is no Chromium on this machine")


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    root = tmp_path_factory.mktemp("shop")
    shop_project(root)
    return site(root)


def test_the_graph_is_panned_zoomed_filtered_and_clicked(shop: dict[str, bytes], tmp_path: Path) -> None:
    """The wheel zooms about the pointer, dragging pans and is no click; a click shows a node and what hangs together
    with it, another one lets it go; filters dim the rest.
    """
    seen = visit(
        shop,
        tmp_path,
        """
        await go("graph");
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
    assert seen["before"] == pytest.approx(seen["after"], abs=1), "what is under the pointer stays there"
    assert seen["panned"]["x"] == pytest.approx(seen["zoomed"]["x"] + 50)
    assert seen["panned"]["y"] == pytest.approx(seen["zoomed"]["y"] - 20)
    assert (seen["still"], seen["afterDrag"]) == (seen["panned"], None)
    assert seen["lit"] == ["model clean", "model dear", "topic dear-items", "topic orders"]
    assert seen["shown"][:2] == [False, "#/model/dear"] and "clean" in seen["shown"][2]
    assert seen["let_go"] == [True, 0]
    assert (seen["tables"], seen["daily"]) == (["model totals"], ["model clean", "model totals"])
    assert (seen["owned"], seen["named"]) == (["model totals"], ["model dear", "topic dear-items"])
    assert seen["count"] == "2 of 5 nodes"


def test_data_tests_are_shown_where_they_are_declared(tmp_path: Path) -> None:
    """With their topic and with the model that writes it; hostile text stays text."""
    shop_project(tmp_path / "shop")
    yml = tmp_path / "shop" / "models" / "shop.yml"
    declared = """\
    columns: [{name: total, description: What was paid for the item., tests: [not_null]}]
    tests:
      - {unique: _key, severity: warn}
      - condition: item <> '<img src=x onerror=\"lsqlc.hacked=1\">'
"""
    old = "    columns: [{name: total, description: What was paid for the item.}]\n"
    assert old in yml.read_text()
    yml.write_text(yml.read_text().replace(old, declared))
    seen = visit(
        site(tmp_path / "shop"),
        tmp_path / "page",
        """
        const cells = (row) => [...row.children].map((cell) => cell.textContent);
        const tests = () => all("section[data-section^=data-tests]").map((s) =>
          [s.querySelector("h2").textContent, [...s.querySelectorAll("tbody tr")].map(cells),
            s.querySelector("p").textContent]);
        await go("model", "totals");
        const model = tests();
        await go("topic", "totals");
        const topic = tests();
        await go("topic", "orders");
        return { model, topic, none: tests(), hacked: lsqlc.hacked || null };
        """,
    )
    [(title, rows, how)] = seen["model"]
    assert title == "Data tests of totals" and how.startswith("lsqlc check totals")
    assert [row[:3] for row in rows] == [
        ["unique", "_key", "a warning"],
        ["condition", "item <> '<img src=x onerror=\"lsqlc.hacked=1\">'", "an error"],
        ["not null", "total", "an error"],
    ]
    assert rows[0][3].startswith("models/shop.yml:")
    assert [each[0] for each in seen["topic"]] == ["Data tests"] and seen["topic"][0][1] == rows
    assert seen["none"] == [] and seen["hacked"] is None


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
                 keywords: texts("[data-section=sql] .keyword"), rows: texts("[data-section^=columns-of] tbody tr"),
                 folds: texts("[data-section=compiled-sql] summary"), cells: texts(".case td"),
                 other: document.querySelector("[data-case='one order']").textContent,
                 links: all("dl a").map((a) => a.getAttribute("href")) };
        """,
    )
    assert seen["title"] == "totals \u00b7 shop"
    assert list(seen["sections"]) == [
        *("sql", "cases", "columns-of-totals", "column-lineage", "plan", "state", "compiled-sql"),
    ]
    assert seen["keywords"] == ["SELECT", "TABLE", "AS", "FROM", "GROUP", "BY"]
    assert (
        seen["rows"][2].startswith("_value.totalWhat was paid for the item.BIGINT")
        and "clean._value.costvalue" in seen["rows"][2]
    )
    assert "Aggregate [TABLE] by item" in seen["sections"]["plan"]
    assert "one row per group" in seen["sections"]["state"]
    assert seen["folds"] == ["DuckDB", "Spark"]
    assert seen["cells"][:8] == ["1", "pen", "2", "0", "2", "pen", "3", "0"], "records as columns"
    assert seen["cells"][8:11] == ["pen", "pen", "5"], "and the rows of the golden file"
    for part in (
        *("batch_keyitemcosttimestamp11pen2021pen30", "Expectedtotals_keyitemtotalpenpen3"),
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
        const found_in = (selector) => document.querySelector(selector);
        const heading = () => found_in("#main h1")?.textContent ?? found_in("svg.graph")?.tagName;
        for (const names of [["models"], ["topics"], ["topic", "dear-items"], ["column", "totals", "_key"],
                             ["topic", "x"], ["model", "nothing"], ["column", "totals", "_value"], ["constructor"],
                             ["__proto__", "x"], ["graph"], []]) {
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
        "graph": "svg",
        "": "shop",
        "broken": missing,
    }


# The places where an edge of the drawing runs behind a node that is not one of its ends.
_BEHIND = """
  const behind = (lines, boxes, ends) => {
    const found = [];
    lines.forEach((line, i) => {
      const length = line.getTotalLength();
      for (let at = 0; at <= length; at += 3) {
        const { x, y } = line.getPointAtLength(at);
        boxes.forEach(([left, top, width, height], n) => {
          if (!ends[i].includes(n) && x > left && x < left + width && y > top && y < top + height) found.push([i, n]);
        });
      }
    });
    return found;
  };
"""


def test_no_edge_runs_behind_a_node(tmp_path: Path) -> None:
    """Of a hundred models; nodes stand apart, edges lead to the right and end in a head; names can be read."""
    large_project(tmp_path / "project")
    seen = visit(
        site(tmp_path / "project"),
        tmp_path / "site",
        _BEHIND
        + """
        await go("graph");
        const { edges } = lsqlc.site.graph, { places } = lsqlc.graph.placed, { width, height } = lsqlc.card;
        const boxes = places.map(([x, y]) => [x, y, width, height]);
        const apart = boxes.every(([x, y], i) => boxes.every(([u, v], j) =>
          i === j || Math.abs(x - u) >= width || Math.abs(y - v) >= height + 10));
        const [lines, heads] = [all(".edges .line"), all(".edges .head")];
        const view = { ...lsqlc.graph.view };
        const again = lsqlc.layout(boxes.map(() => lsqlc.card), edges.map(([from, to]) => ({ from, to })));
        click(document.querySelector("button[aria-label='Show all of it']"));
        const far = document.querySelector("svg.graph").getBoundingClientRect();
        const shown = all(".nodes .node").every((n) => {
          const at = n.getBoundingClientRect();
          return at.left >= far.left && at.right <= far.right && at.top >= far.top && at.bottom <= far.bottom;
        });
        return { nodes: boxes.length, edges: edges.length, lines: lines.length, heads: heads.length, apart, view, shown,
                 behind: behind(lines, boxes, edges), right: edges.every(([a, b]) => places[a][0] < places[b][0]),
                 same: JSON.stringify(again) === JSON.stringify(lsqlc.graph.placed), 
                 overview: all(".overview:not([hidden])").length };
        """,
    )
    assert seen["nodes"] >= 100 and seen["edges"] == seen["lines"] == seen["heads"] > 100
    assert seen["behind"] == [] and seen["apart"] and seen["right"]
    assert seen["view"]["k"] >= 0.85, "the first sight can be read"
    assert seen["shown"] and seen["same"], "all of it fits; the same graph has the same places"


def test_a_circle_and_parallel_edges_are_drawn(shop: dict[str, bytes], tmp_path: Path) -> None:
    """The layout takes any graph."""
    seen = visit(
        shop,
        tmp_path,
        _BEHIND
        + """
        const pairs = [[0, 1], [1, 2], [2, 0], [0, 2], [0, 2], [3, 3], [2, 4], [4, 5], [0, 5]];
        const edges = pairs.map(([from, to]) => ({ from, to }));
        const nodes = [...Array(7).keys()].map((n) => ({ width: 120, height: 30 + 20 * (n % 3) }));
        const placed = lsqlc.layout(nodes, edges);
        const drawn = placed.paths.filter(Boolean).map((path) => lsqlc.s("path", { d: path.line }));
        const ends = pairs.filter(([from, to]) => from !== to);
        const boxes = placed.places.map(([x, y], n) => [x, y, nodes[n].width, nodes[n].height]);
        return { places: placed.places.length, drawn: drawn.length,
                 behind: behind(drawn, boxes, ends) };
        """,
    )
    assert seen == {"places": 7, "drawn": 8, "behind": []}


def test_the_columns_of_a_lineage_are_drawn(shop: dict[str, bytes], tmp_path: Path) -> None:
    """A card for each topic, with the columns that belong to it; what decides which records there are is dashed."""
    seen = visit(
        shop,
        tmp_path,
        """
        await go("column", "totals", "_value.total");
        const rows = (card) => [...card.querySelectorAll("[data-column]")].map((row) => row.dataset.column);
        const cards = Object.fromEntries(all("[data-topic]").map((card) => [card.dataset.topic, rows(card)]));
        const chosen = all(".row.chosen").map((r) => r.dataset.column);
        const edges = [all(".figure .edge:not(.weak)").length, all(".figure .edge.weak").length];
        const row = document.querySelector("[data-topic=clean] [data-column='_value.cost']");
        row.dispatchEvent(new PointerEvent("pointerenter"));
        const lit = all(".row.lit").map((r) => r.dataset.column);
        await go("model", "totals");
        const model = all("[data-section=column-lineage] [data-topic]").map((c) => c.dataset.topic);
        const around = all(".figure [data-node]").map((n) => n.dataset.node);
        return { cards, chosen, edges, lit, model, around, lead: document.querySelector(".lead")?.textContent ?? null };
        """,
    )
    assert seen["cards"] == {
        "totals": ["_value.total"],
        "clean": ["_key", "_value.item", "_value.cost"],
        "orders": ["_key", "_value.item", "_value.price", "_value.amount"],
    }
    assert seen["chosen"] == ["_value.total"]
    assert seen["edges"][0] == 4, "key, item and price, and cost; item only decides the group"
    assert seen["edges"][1] >= 2
    assert set(seen["lit"]) >= {"_value.cost", "_value.price", "_value.total"}
    assert set(seen["model"]) == {"clean", "totals"}
    assert set(seen["around"]) >= {"model totals", "model clean", "topic orders"}


def test_the_first_page_has_the_readme_and_figures(shop: dict[str, bytes], tmp_path: Path) -> None:
    """Its links lead on inside the site, its picture is shown, and nothing of its HTML ran."""
    seen = visit(
        shop,
        tmp_path,
        """
        await rest(200);
        const links = all(".readme a").map((a) => [a.textContent, a.getAttribute("href")]);
        const picture = document.querySelector(".readme img");
        click(all(".readme a")[1]);
        return { tiles: texts(".tile b"), links, picture: [picture.naturalWidth, picture.alt],
                 hacked: lsqlc.hacked ?? null, cells: texts(".readme td"), 
                 sql: texts(".readme .keyword"), here: texts("nav a.here") };
        """,
    )
    assert seen["tiles"] == ["3", "4", "2", "25 %"] and seen["here"] == ["Overview"]
    assert seen["links"] == [["totals", "#/model/totals"], ["below", "#/"], ["there", "https://example.org"]]
    assert (seen["picture"], seen["hacked"], seen["cells"], seen["sql"]) == (
        [8, "the logo"],
        None,
        ["1", "2"],
        ["SELECT"],
    )


def test_keys_move_the_graph_and_the_colours_change(shop: dict[str, bytes], tmp_path: Path) -> None:
    """Arrows, plus, minus and zero; the button goes from the system's colours to light, to dark, and back."""
    seen = visit(
        shop,
        tmp_path,
        """
        await go("graph");
        const svg = document.querySelector("svg.graph"), view = () => ({ ...lsqlc.graph.view });
        const first = view();
        const after = (key) => (press(svg, key), view());
        const [left, larger, fit] = [after("ArrowLeft"), after("+"), after("0")];
        const button = document.getElementById("scheme"), colours = [];
        for (let i = 0; i < 3; i++) {
          click(button);
          const shown = getComputedStyle(document.body).backgroundColor;
          colours.push([document.documentElement.style.colorScheme, shown]);
        }
        return { first, left, larger, fit, colours };
        """,
    )
    assert seen["left"]["x"] == seen["first"]["x"] + 60 and seen["larger"]["k"] > seen["left"]["k"]
    assert seen["fit"]["k"] == pytest.approx(seen["first"]["k"])
    assert seen["colours"][:2] == [["light", "rgb(255, 255, 255)"], ["dark", "rgb(18, 21, 24)"]]
    assert seen["colours"][2][0] == ""


def test_a_served_site_has_the_status_of_the_run(shop: dict[str, bytes], tmp_path: Path) -> None:
    """In the header, on the nodes and on the page of a model; it is gone when the server says no more."""
    query = QueryStatus("totals", "totals", "totals", rows=12345, rows_per_second=7.0, lag=3, state_rows=2)
    broken = QueryStatus("clean", "clean", "clean", state="failed", failure="no such topic")
    status = RunStatus(1, 0.0, 0.0, "running", queries=(query, broken), target="local")
    seen = visit(
        shop,
        tmp_path,
        """
        for (let i = 0; i < 200 && !lsqlc.live.status; i++) await rest(10);
        const pill = document.getElementById("run");
        const header = [pill.hidden, pill.textContent];
        await go("graph");
        const states = Object.fromEntries(all(".state").map((s) => [s.dataset.model, s.getAttribute("class")]));
        await go("model", "totals"); const fine = document.querySelector("[data-live]").textContent;
        await go("model", "clean"); const failed = document.querySelector("[data-live]").textContent;
        lsqlc.live.address = "nothing.json"; await lsqlc.live.ask();
        return { header, states, fine, failed, after: pill.hidden };
        """,
        status=lambda: {"running": True, "run": status_data(status)},
    )
    assert seen["header"] == [False, "1 failed"] and seen["after"] is True
    assert seen["states"] == {"totals": "state running", "clean": "state failed", "dear": "state none"}
    assert seen["fine"] == " running: 12,345 rows read, 7 rows/s, 2 rows of state, 3 records behind"
    assert seen["failed"].endswith("clean: no such topic")


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
        await go("graph"); click(node("topic __proto__"));
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
