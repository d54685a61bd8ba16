"""The files of the docs site: what they hold, that they cannot do harm, and where the graph's nodes stand."""

from __future__ import annotations

import itertools
import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lsqlc.report.site import ASSETS, is_stale
from lsqlc.report.site.layout import COLUMN, ROW, layout
from lsqlc.report.site.server import site_server
from tests.report.site import COLUMN as HOSTILE_COLUMN
from tests.report.site import HOSTILE, data, hostile_project, model, site

ROOT = Path(__file__).parents[2]


@pytest.fixture
def files(tmp_path: Path) -> dict[str, bytes]:
    hostile_project(tmp_path)
    return site(tmp_path)


class Page(HTMLParser):
    """What a page loads, and its elements."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.loads: list[str] = []
        self.elements: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append(tag)
        found = dict(attrs)
        link = found.get("src") or (found.get("href") if tag == "link" else None)
        self.loads += [link] if link else []


def test_the_page_loads_what_is_beside_it_and_nothing_else(files: dict[str, bytes]) -> None:
    """Every script and style is a file of the site; its policy allows no other, nor any script in the page."""
    text = files["index.html"].decode()
    assert set(Page(text).loads) == {*ASSETS, "data/site.js"} <= files.keys()
    assert "default-src 'none'; script-src 'self' file:; style-src 'self' file:" in text
    everything = b"".join(files[name] for name in ("index.html", *ASSETS)).decode()
    assert set(re.findall(r"\bhttps?://[^\s\"'`]+", everything)) == {"http://www.w3.org/2000/svg"}
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function", everything)


def test_no_text_of_the_project_becomes_markup_or_script(files: dict[str, bytes]) -> None:
    """Data are ASCII without `<`, inside of one string; the page has none of it but the project's name."""
    for path, content in files.items():
        if path.startswith("data/"):
            assert content.isascii() and b"<" not in content
            assert content.count(b"\n") == 1
    assert "hacked" not in files["index.html"].decode()
    assert model(files, "toString")["owner"] == HOSTILE
    assert Page(files["index.html"].decode()).elements.count("script") == len(ASSETS)


def test_a_model_has_all_that_is_known_of_it(files: dict[str, bytes]) -> None:
    """SQL, plan, SQL of both engines, state, cases with records and results, owner, tags."""
    found = model(files, "toString")
    assert (found["description"], found["tags"]) == (HOSTILE, sorted([HOSTILE, "plain"]))
    assert found["path"] == "models/toString.sql" and found["sql"].startswith("-- </script>")
    assert found["plan"].startswith("model toString\nSink hasOwnProperty [STREAM]")
    assert "-- hasOwnProperty" in found["duckdb"] and "-- query toString" in found["spark"]
    (stage,) = found["stages"]
    assert (stage["reads"], stage["writes"], stage["state"]) == (["__proto__"], "hasOwnProperty", [])
    (case,) = found["cases"]
    assert (case["name"], case["path"]) == ("hostile", "tests/cases.yml")
    ((record,),) = case["batches"]
    assert record[:2] == ["__proto__", "1"] and "onerror" in record[2]
    (row,) = case["golden"]["rows"]
    assert row[:2] == ["hasOwnProperty", "1"]
    assert row[3] == "9007199254740993", "a number keeps its digits"


def test_a_model_has_a_runbook(files: dict[str, bytes]) -> None:
    """Its alerts are those of the rules; the command of a refresh takes those along that read it; none with errors."""
    book = model(files, "toString")["runbook"]
    assert [a["name"] for a in book["alerts"]][-1] == "LsqlcRunAbsent"
    assert all(a["meaning"] and a["steps"] and "lsqlc_" in a["expression"] for a in book["alerts"])
    assert book["refresh"]["command"] == "lsqlc run --select toString+ --full-refresh"
    assert "LSQ667" in book["bad"]
    last = model(files, "last")["runbook"]
    assert last["refresh"]["command"] == "lsqlc run --select last --full-refresh"
    assert any("one row per group" in cost for cost in last["refresh"]["costs"])
    assert model(files, "broken")["runbook"] is None


def test_a_golden_file_that_cannot_be_read_is_shown_as_it_is(files: dict[str, bytes]) -> None:
    """And one that is not there is told from one without rows."""
    (case,) = model(files, "last")["cases"]
    assert case["golden"] == {"rows": None, "text": f"{HOSTILE}\n"}


def test_a_model_with_errors_is_there_with_them(files: dict[str, bytes]) -> None:
    """It has its SQL, and no plan."""
    found = model(files, "broken")
    assert (found["ok"], found["plan"], found["duckdb"], found["spark"]) == (False, None, None, None)
    assert [f["code"] for f in found["findings"]] == ["LSQ200"]
    assert found["findings"][0]["place"] == f"models/broken.sql:1:{len(HOSTILE_COLUMN) + 23}"


def test_topics_have_their_schema_and_neighbours(files: dict[str, bytes]) -> None:
    """Columns with type and whether they can be null, key and value with format, who writes and reads."""
    topics = {topic["name"]: topic for topic in data(files)["topics"]}
    topic = topics["hasOwnProperty"]
    assert topic["columns"] == [
        ["_key", "INT", True],
        ["_value.a", "STRING", True],
        ["_value.constructor", "INT", True],
        ["_value.b", "STRING", False],
    ]
    assert (topic["writer"], topic["readers"], topic["semantics"]) == ("toString", ["last"], "STREAM")
    assert (topics["__proto__"]["writer"], topics["__proto__"]["description"]) == (None, HOSTILE)
    lineage = data(files)["lineage"]
    assert lineage["hasOwnProperty"]["columns"]["_value.a"] == {"__proto__": [f"_value.`{HOSTILE_COLUMN}`"]}
    assert lineage["hasOwnProperty"]["records"] == {"__proto__": {"_value.n": ["filter"]}}


def test_the_graph_joins_topics_and_models(files: dict[str, bytes]) -> None:
    """A model and the one topic of its own name are one node; topics of other names stand by themselves."""
    graph = data(files)["graph"]
    nodes = [" ".join(node[:2]) for node in graph["nodes"]]
    edges = {(nodes[a], nodes[b]) for a, b in graph["edges"]}
    assert set(nodes) == {"topic __proto__", "model toString", "topic hasOwnProperty", "model last", "model broken"}
    assert edges == {
        ("topic __proto__", "model toString"),
        ("model toString", "topic hasOwnProperty"),
        ("topic hasOwnProperty", "model last"),
    }


def test_the_same_project_gives_the_same_bytes(tmp_path: Path) -> None:
    """Wherever it lies."""
    for name in ("here", "there"):
        hostile_project(tmp_path / name)
    assert site(tmp_path / "here") == site(tmp_path / "there")


def test_pages_of_models_that_are_no_more_are_told_from_other_files(files: dict[str, bytes]) -> None:
    """Only names that a page of a model has, in the folder of the data."""
    page = f"data/{'0a' * 16}.js"
    assert is_stale(page, files) and not is_stale(page, {page: b""})
    others = ("data/site.js", "data/notes.js", "data/x/y.js", f"{'0a' * 16}.js", f"data/{'0a' * 16}.css")
    assert not any(is_stale(path, files) for path in others)


def test_the_layout_of_a_diamond() -> None:
    """Columns follow the longest way; what is on one level stands below each other; readers in the middle."""
    found = layout("abcd", [("a", "b"), ("a", "c"), ("b", "d"), ("c", "d"), ("a", "d")])
    assert {name: x // COLUMN for name, (x, _) in found.places.items()} == {"a": 0, "b": 1, "c": 1, "d": 2}
    y = {name: y for name, (_, y) in found.places.items()}
    assert (y["b"], y["c"]) == (0, ROW) and y["a"] == y["d"] == ROW // 2
    assert (found.width, found.height) == (3 * COLUMN, 2 * ROW)


def test_edges_that_need_not_cross_do_not() -> None:
    """Readers stand in the order of what they read."""
    edges = [("a", "z"), ("b", "y"), ("c", "x"), ("a", "hub"), ("b", "hub"), ("c", "hub")]
    places = layout([*"abcxyz", "hub"], edges).places
    order = [places[name][1] for name in "abc"]
    readers = [places[name][1] for name in "zyx"]
    assert (sorted(order) == order) == (sorted(readers) == readers)


names = st.integers(0, 25).map(lambda n: f"n{n}")


@given(st.sets(names), st.lists(st.tuples(names, names), max_size=60))
def test_nodes_stand_apart_and_edges_go_to_the_right(nodes: set[str], edges: list[tuple[str, str]]) -> None:
    """Whatever the graph: no two overlap, all lie in the drawing, and without a cycle every edge leads rightwards."""
    forward = [(a, b) for a, b in edges if a < b]
    found = layout(nodes, forward)
    assert found.places.keys() == nodes
    places = sorted(found.places.values())
    assert all(x1 != x2 or y2 - y1 >= ROW - 1 for (x1, y1), (x2, y2) in itertools.pairwise(places))
    assert all(0 <= x <= found.width - COLUMN and 0 <= y <= found.height - ROW for x, y in places)
    assert all(found.places[a][0] < found.places[b][0] for a, b in forward if {a, b} <= nodes)
    assert layout(nodes, edges) == layout(nodes, [*reversed(edges)]), "cycles included, order does not matter"


def test_an_empty_project_has_a_site(tmp_path: Path) -> None:
    """With no node and no page."""
    (tmp_path / "lsqlc.yml").write_text("name: nothing\n")
    files = site(tmp_path)
    assert data(files)["graph"] == {"width": 0, "height": 0, "nodes": [], "edges": []}
    assert not [path for path in files if path.startswith("data/") and path != "data/site.js"]


@pytest.fixture
def address(files: dict[str, bytes]):  # type: ignore[no-untyped-def]
    """A server of the site."""
    from threading import Thread

    with site_server(files, 0) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


def test_the_server_gives_the_files_and_no_others(address: str, files: dict[str, bytes]) -> None:
    """`/` is index.html; nothing leads out of the site."""
    with urlopen(f"{address}/") as answer:
        assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
        assert answer.read() == files["index.html"]
    with urlopen(Request(f"{address}/data/site.js?x=1", method="HEAD")) as answer:
        assert (int(answer.headers["Content-Length"]), answer.read()) == (len(files["data/site.js"]), b"")
    for path in ("/nothing", "/../lsqlc.yml", "/%2e%2e/lsqlc.yml", "//etc/passwd", "/data/"):
        with pytest.raises(HTTPError) as refused:
            urlopen(f"{address}{path}")
        assert refused.value.code == 404
        refused.value.close()


def test_the_server_answers_to_this_machine_alone(address: str) -> None:
    """A page from elsewhere, whose name was made to point here, is refused."""
    port = address.rpartition(":")[2]
    for host, code in ((f"localhost:{port}", 200), ("localhost", 200), (f"evil.example:{port}", 403)):
        try:
            with urlopen(Request(f"{address}/", headers={"Host": host})) as answer:
                assert answer.status == code
        except HTTPError as refused:
            assert refused.code == code
            refused.close()
