"""The files of the docs site: what they hold, and that they cannot do harm."""

from __future__ import annotations

import json
import re
import socket
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from lsqlc.report.limited_server import LimitedServer
from lsqlc.report.site import SCRIPTS, STYLES, is_stale
from lsqlc.report.site.descriptions import describe
from lsqlc.report.site.server import served_page, site_server
from tests.report.site import COLUMN as HOSTILE_COLUMN
from tests.report.site import HOSTILE, compiled, data, hostile_project, model, shop_project, site

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
    assert set(Page(text).loads) == {*STYLES, *SCRIPTS, "data/site.js"} <= files.keys()
    assert "default-src 'none'; script-src 'self' file:; style-src 'self' file:; img-src 'self' file:;" in text
    everything = b"".join(files[name] for name in ("index.html", *STYLES, *SCRIPTS)).decode()
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
    assert Page(files["index.html"].decode()).elements.count("script") == len(SCRIPTS) + 1


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
        ["_key", "INT", True, None],
        ["_value.a", "STRING", True, None],
        ["_value.constructor", "INT", True, None],
        ["_value.b", "STRING", False, None],
    ]
    assert (topic["writer"], topic["readers"], topic["semantics"]) == ("toString", ["last"], "STREAM")
    assert (topics["__proto__"]["writer"], topics["__proto__"]["description"]) == (None, HOSTILE)
    lineage = data(files)["lineage"]
    assert lineage["hasOwnProperty"]["columns"]["_value.a"] == {"__proto__": [f"_value.`{HOSTILE_COLUMN}`"]}
    assert lineage["hasOwnProperty"]["records"] == {"__proto__": {"_value.n": ["filter"]}}


def test_the_graph_joins_topics_and_models(files: dict[str, bytes]) -> None:
    """A model and the one topic of its own name are one node; topics of other names stand by themselves."""
    graph = data(files)["graph"]
    nodes = [" ".join(node) for node in graph["nodes"]]
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


def test_columns_have_their_descriptions(tmp_path: Path) -> None:
    """Those of topics and of models; how many there are is counted."""
    shop_project(tmp_path)
    found = data(site(tmp_path))
    columns = {(topic["name"], name): text for topic in found["topics"] for name, _, _, text in topic["columns"]}
    assert columns["orders", "_key"] == "The number of the order."
    assert columns["totals", "_value.total"] == "What was paid for the item."
    assert columns["orders", "_value.item"] is None
    assert found["coverage"] == {"models": [1, 3], "topics": [1, 1], "columns": [3, 12], "percent": 25}


def test_a_description_of_a_struct_is_of_what_is_in_it(tmp_path: Path) -> None:
    """Unless that has one of its own; one of a column that does not exist is a warning at its place."""
    topics = """\
topics:
  - name: rides
    value: "start STRUCT<city: STRING, at: BIGINT>"
    columns:
      - {name: start.at, description: When it began.}
      - {name: start, description: Where it began.}
      - {name: stat, description: Misspelled.}
"""
    (tmp_path / "models").mkdir()
    (tmp_path / "lsqlc.yml").write_text("name: rides\n")
    (tmp_path / "models" / "topics.yml").write_text(topics)
    found = describe(compiled(tmp_path))
    assert found.columns == {"rides": {"_value.start.city": "Where it began.", "_value.start.at": "When it began."}}
    (warning,) = found.diagnostics
    assert (warning.code, warning.is_error, warning.line, warning.help) == ("LSQ550", True, 7, "did you mean 'start'?")


def test_the_readme_becomes_elements_and_nothing_else(tmp_path: Path) -> None:
    """Links lead to the web, to headings and to models; pictures of the project come along; HTML does not."""
    shop_project(tmp_path)
    files = site(tmp_path)
    nodes = data(files)["readme"]
    assert nodes[0] == ["h1", {"id": "the-shop"}, "The shop"]
    (links,) = [
        [child for child in node if isinstance(child, list) and child[0] == "a"]
        for node in nodes
        if node[0] == "p" and "see" in str(node)
    ]
    assert [link[1] for link in links] == [{"model": "totals"}, {"anchor": "more"}, {"href": "https://example.org"}]
    assert "javascript:" in str(nodes), "what is no link stays text"
    assert ["img", {"src": "pictures/0.svg", "alt": "the logo"}] in [c for node in nodes for c in [node, *node]]
    assert files["pictures/0.svg"] == (tmp_path / "logo.svg").read_bytes() and "onerror" not in str(nodes)
    assert ["pre", {"language": "sql"}, "SELECT 1\n"] in nodes


@pytest.mark.parametrize("path", ["../outside.svg", "/etc/hostname.svg", "https://example.org/a.svg", "folder.svg"])
def test_a_picture_is_a_file_of_the_project(tmp_path: Path, path: str) -> None:
    """Whatever else a README names is replaced by its words."""
    root = tmp_path / "project"
    (root / "folder.svg").mkdir(parents=True)
    (tmp_path / "outside.svg").write_text("<svg/>")
    (root / "lsqlc.yml").write_text("name: shop\n")
    (root / "README.md").write_text(f"![a picture]({path})\n")
    files = site(root)
    assert data(files)["readme"] == [["p", {}, ["em", {}, "a picture"]]]
    assert not [name for name in files if name.startswith("pictures/")]


def test_what_is_read_has_contrast(files: dict[str, bytes]) -> None:
    """Each colour of text to each that is behind it, on light and dark screens: 4.5 to 1, as WCAG asks."""
    pairs = dict(re.findall(r"--(\w+): light-dark\((#\w{6}, #\w{6})\)", files["style.css"].decode()))

    def light(colour: str) -> float:
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    low = []
    for scheme in (0, 1):
        colours = {name: light(pair.split(", ")[scheme]) for name, pair in pairs.items()}
        for text in ("ink", "soft", "accent", "stream", "table", "topic", "bad", "good"):
            for behind in ("paper", "panel", "raised"):
                bright, dark = sorted((colours[text], colours[behind]), reverse=True)
                if (bright + 0.05) / (dark + 0.05) < 4.5:
                    low.append((scheme, text, behind))
    assert not low


def test_the_layout_library_is_as_it_was_published(files: dict[str, bytes]) -> None:
    """dagre 3.1.3 from npm, with its licence; a newer one is taken as a whole."""
    assert (
        sha256(files["dagre.min.js"]).hexdigest() == "54a503e346f93ca0bb10abe7999587e037262935687aca45eb4e4b0f64bbb578"
    )
    assert b"Chris Pettitt" in files["dagre.LICENSE.txt"]


def test_an_empty_project_has_a_site(tmp_path: Path) -> None:
    """With no node and no page."""
    (tmp_path / "lsqlc.yml").write_text("name: nothing\n")
    files = site(tmp_path)
    assert data(files)["graph"] == {"nodes": [], "edges": []}
    assert not [path for path in files if path.startswith("data/") and path != "data/site.js"]


@pytest.fixture
def address(files: dict[str, bytes]):  # type: ignore[no-untyped-def]
    """A server of the site."""
    from threading import Thread

    with site_server(files, 0, lambda: {"running": True, "run": None}) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


def test_the_server_gives_the_files_and_no_others(address: str, files: dict[str, bytes]) -> None:
    """`/` is index.html; nothing leads out of the site."""
    with urlopen(f"{address}/") as answer:
        assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
        assert answer.read() == served_page(files["index.html"])
    with urlopen(Request(f"{address}/data/site.js?x=1", method="HEAD")) as answer:
        assert (int(answer.headers["Content-Length"]), answer.read()) == (len(files["data/site.js"]), b"")
    for path in ("/nothing", "/../lsqlc.yml", "/%2e%2e/lsqlc.yml", "//etc/passwd", "/data/"):
        with pytest.raises(HTTPError) as refused:
            urlopen(f"{address}{path}")
        assert refused.value.code == 404
        refused.value.close()


@pytest.mark.parametrize("path", [b"//[", b"http://[", b"/%", b"/\xff", b"?", b"/" + b"a" * 70_000])
def test_a_broken_request_has_an_answer(address: str, capfd: pytest.CaptureFixture[str], path: bytes) -> None:
    """And leaves no traceback in the terminal."""
    with socket.create_connection(("127.0.0.1", int(address.rpartition(":")[2])), timeout=60) as connection:
        connection.sendall(b"GET " + path + b" HTTP/1.0\r\nHost: localhost\r\n\r\n")
        assert connection.recv(12)[9:12] in (b"200", b"404", b"414")
    assert capfd.readouterr().err == ""


def test_a_client_has_a_limit_of_time(files: dict[str, bytes], monkeypatch: pytest.MonkeyPatch) -> None:
    """One that does not end its request is not waited for."""
    from threading import Thread

    monkeypatch.setattr(LimitedServer, "seconds", 0.1)
    with site_server(files, 0, lambda: {}) as server:
        Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        with socket.create_connection(("127.0.0.1", server.server_address[1]), timeout=60) as connection:
            connection.sendall(b"GET / HT")
            assert connection.recv(1) == b""
        server.shutdown()


def test_the_server_tells_the_status_of_the_run(address: str, files: dict[str, bytes]) -> None:
    """As JSON, which the page asks for because it was served; the page on a disk asks nobody."""
    with urlopen(f"{address}/status.json") as answer:
        assert answer.headers["Content-Type"] == "application/json; charset=utf-8"
        assert json.loads(answer.read()) == {"running": True, "run": None}
    page, served = files["index.html"], served_page(files["index.html"])
    assert b"connect-src" not in page and b"lsqlc-status" not in page
    assert b"connect-src 'self';" in served and b'<meta name="lsqlc-status" content="status.json">' in served


def test_no_other_origin_includes_what_is_served(address: str) -> None:
    """A browser gives a script to the page that includes it, unless the answer forbids it."""
    with urlopen(f"{address}/") as answer:
        assert answer.headers["Cross-Origin-Resource-Policy"] == "same-origin"


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
