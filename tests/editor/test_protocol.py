"""The language server as an editor meets it: a process that speaks JSON-RPC."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.lanes import only

from ..cli.conftest import Cli
from .client import Client
from .project import write

LARGE = "models/large.sql"


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    """One server for the tests that only ask: each has a project of its own, which no other one opens."""
    known = {"documentSymbol": {"hierarchicalDocumentSymbolSupport": True}}
    with Client(textDocument=known) as shared:
        yield shared


def test_it_says_what_it_can_and_ends_in_order(shop: Path) -> None:
    """Capabilities are those that are built, and shutdown and exit end the process with 0."""
    with Client(shop) as client:
        can = client.server["capabilities"]
        assert can["positionEncoding"] == "utf-16"
        assert can["hoverProvider"] and can["definitionProvider"] and can["referencesProvider"]
        assert can["documentSymbolProvider"] and can["documentFormattingProvider"]
        assert "." in can["completionProvider"]["triggerCharacters"]
        assert can["codeActionProvider"]["codeActionKinds"] == ["quickfix", "source.fixAll"]
        assert client.server["serverInfo"]["name"] == "lsqlc"
        assert client.end() == 0


def test_findings_follow_what_is_typed(client: Client, shop: Path) -> None:
    """An error comes with code, severity, the words, and the page; the next text takes it back. Nothing is written."""
    before = sorted(shop.rglob("*"))
    text = (shop / LARGE).read_text()
    uri = client.open(shop / LARGE)
    assert client.findings(uri, 1) == []
    client.type(uri, text.replace("price > 100", "prise > 100"), 2)
    (found,) = client.findings(uri, 2)
    assert (found["code"], found["severity"], found["source"]) == ("LSQ201", 1, "lsqlc")
    assert found["range"] == {"start": {"line": 3, "character": 10}, "end": {"line": 3, "character": 15}}
    assert "unknown column 'prise'" in found["message"] and "help: did you mean 'price'?" in found["message"]
    assert found["codeDescription"]["href"].endswith("LSQ201.md")
    client.type(uri, text, 3)
    assert client.findings(uri, 3) == []
    assert sorted(shop.rglob("*")) == before


def test_findings_of_a_template_are_at_its_own_words(client: Client, shop: Path) -> None:
    """Behind tags that render to other lengths, and in what a tag renders to, the place is one of the file."""
    text = "{% set f = 'prise' %}\nSELECT STREAM '😀' AS s, {{ f }}, itm FROM {{ ref('large') }};"
    found = client.findings(client.open(shop / "models/templated.sql", text), 1)
    row = text.split("\n")[1].encode("utf-16-le")
    words = [
        row[2 * f["range"]["start"]["character"] : 2 * f["range"]["end"]["character"]].decode("utf-16-le")
        for f in found
        if f["code"] == "LSQ201" and f["range"]["start"]["line"] == 1
    ]
    assert words == ["{{ f }}", "itm"]


def test_a_finding_leads_to_the_other_place(client: Client, shop: Path) -> None:
    """What a note says of another file is a place that the editor can go to."""
    uri = client.open(shop / "models/z.yml", "topics: [{name: orders, key: INT}]\n")
    (found,) = client.findings(uri, 1)
    assert found["code"] == "LSQ012"
    (other,) = found["relatedInformation"]
    assert other["location"]["uri"] == (shop / "models/topics.yml").as_uri()
    assert other["location"]["range"]["start"] == {"line": 1, "character": 10}


def test_findings_of_readers_follow_a_schema(client: Client, shop: Path) -> None:
    """When a topic loses a column, the models that read it are told about at once, though nobody opened them."""
    uri = client.open(shop / "models/topics.yml")
    client.findings(uri, 1)
    text = (shop / "models/topics.yml").read_text()
    client.type(uri, text.replace("price DOUBLE", "cost DOUBLE"), 2)
    client.findings(uri, 2)
    codes = {found["code"] for found in client.findings((shop / LARGE).as_uri())}
    assert codes == {"LSQ201"}
    client.type(uri, text, 3)
    client.findings(uri, 3)
    assert client.findings((shop / LARGE).as_uri()) == []


@pytest.mark.nightly
def test_findings_of_a_closed_document_are_those_of_its_file(shop: Path) -> None:
    """What was typed and not saved is gone with the document."""
    with Client(shop) as client:
        uri = client.open(shop / LARGE, "SELECT STREAM nothing FROM orders;")
        assert client.findings(uri, 1)
        client.close(uri)
        client.wait(lambda: not client.findings(uri))


def test_files_that_change_on_disk_are_read_again(shop: Path) -> None:
    """The client is asked to watch the files, and what it says makes the findings new."""
    watching = {"workspace": {"didChangeWatchedFiles": {"dynamicRegistration": True}}}
    with Client(shop, **watching) as client:
        client.wait(lambda: [n for n in client.notes if n["method"] == "client/registerCapability"])
        (shop / LARGE).write_text("SELECT STREAM nothing FROM orders;")
        uri = (shop / LARGE).as_uri()
        client.tell("workspace/didChangeWatchedFiles", {"changes": [{"uri": uri, "type": 2}]})
        assert [found["code"] for found in client.findings(uri)] == ["LSQ201"]


@pytest.mark.parametrize(
    ("path", "text", "code"),
    [
        ("lsqlc.yml", "name: shop\nmodel-path: [models]\n", "LSQ006"),
        ("models/topics.yml", "topics:\n  - name: orders\n    key: INTT\n", "LSQ010"),
        ("tests/large.yml", "cases:\n  - {name: one, model: larg}\n", "LSQ501"),
        ("models/templated.sql", "SELECT STREAM item FROM {{ ref('larg') }};", "LSQ022"),
        ("models/ksql.sql", "{{ config(dialect='ksql') }}CREATE STREAM a (id INT KEY) WITH (KAFKA='x');", "LSQ374"),
        ("macros/money.sql", "{% macro twice(column) %}{{ column }", "LSQ020"),
        (LARGE, "SELECT STREAM item AS item FROM orders;", "LSQ825"),
        (LARGE, "SELECT STREAM 'it", "LSQ101"),
    ],
)
def test_every_kind_of_file_has_findings(client: Client, shop: Path, path: str, text: str, code: str) -> None:
    """Models of both dialects and of templates, macros, YAML of all kinds; rules of lint in what is open."""
    uri = client.open(shop / path, text)
    assert code in [found["code"] for found in client.findings(uri, 1)]


@pytest.mark.parametrize("encoding", only(["utf-8", "utf-16", "utf-32"], ["utf-16"]))
def test_characters_are_counted_as_agreed(shop: Path, encoding: str) -> None:
    """Behind characters outside of the basic plane, a finding and a hover are at the right words in each encoding."""
    text = "SELECT STREAM '\U0001f600\U00020000é' AS `😀`, prise, item FROM orders;"
    units = {"utf-8": lambda t: len(t.encode()), "utf-16": lambda t: len(t.encode("utf-16-le")) // 2, "utf-32": len}
    count = units[encoding]
    with Client(shop, general={"positionEncodings": [encoding]}) as client:
        assert client.server["capabilities"]["positionEncoding"] == encoding
        uri = client.open(shop / LARGE, text)
        found = next(f for f in client.findings(uri, 1) if f["code"] == "LSQ201")
        start = count(text[: text.index("prise")])
        assert found["range"]["start"] == {"line": 0, "character": start}
        assert found["range"]["end"] == {"line": 0, "character": start + 5}
        told = client.at("hover", uri, 0, count(text[: text.index("item")]) + 1)
        assert "item: STRING" in told["contents"]["value"]


def test_a_hover_waits_for_what_was_typed(client: Client, shop: Path) -> None:
    """An answer is about the text of the last change, without waiting for findings first."""
    uri = client.open(shop / LARGE)
    client.type(uri, "SELECT STREAM id FROM orders;", 2)
    told = client.at("hover", uri, 0, 15)
    assert "id: INT" in told["contents"]["value"] and "never null" in told["contents"]["value"]
    assert told["range"] == {"start": {"line": 0, "character": 14}, "end": {"line": 0, "character": 16}}


def test_definition_references_and_outline(client: Client, shop: Path) -> None:
    """Places in other files are told with their own positions; the outline is a tree for clients that know trees."""
    uri = client.open(shop / "models/per_item.sql")
    (place,) = client.at("definition", uri, 2, 8)
    assert place["uri"] == (shop / LARGE).as_uri() and place["range"]["start"] == {"line": 6, "character": 12}
    places = client.at("references", uri, 2, 8, context={"includeDeclaration": True})
    assert {Path(p["uri"]).name for p in places} == {"large.sql", "per_item.sql", "templated.sql"}
    (target,) = client.ask("textDocument/documentSymbol", {"textDocument": {"uri": uri}})
    assert target["name"] == "per-item" and [c["name"] for c in target["children"]] == ["n", "most"]


@pytest.mark.nightly
def test_a_flat_outline_for_old_clients(shop: Path) -> None:
    """Without trees, each symbol says what it is in."""
    with Client(shop) as client:
        uri = client.open(shop / "models/per_item.sql")
        found = client.ask("textDocument/documentSymbol", {"textDocument": {"uri": uri}})
        assert [(s["name"], s.get("containerName")) for s in found] == [
            ("per-item", None), ("n", "per-item"), ("most", "per-item"),
        ]  # fmt: skip


@pytest.mark.parametrize("snippets", only([True, False], [True]))
def test_completion_replaces_what_is_typed(shop: Path, snippets: bool) -> None:
    """Items carry the range of the word; functions are snippets for clients that have them."""
    known = {"textDocument": {"completion": {"completionItem": {"snippetSupport": snippets}}}}
    with Client(shop, **known) as client:
        uri = client.open(shop / LARGE, "SELECT STREAM UPP FROM orders;")
        found = client.at("completion", uri, 0, 17)["items"]
        upper = next(item for item in found if item["label"] == "UPPER")
        assert upper["textEdit"]["range"] == {
            "start": {"line": 0, "character": 14},
            "end": {"line": 0, "character": 17},
        }
        assert upper["insertTextFormat"] == (2 if snippets else 1)
        assert upper["textEdit"]["newText"].startswith("UPPER(${1:" if snippets else "UPPER(")
        price = next(item for item in found if item["label"] == "price")
        assert price["detail"] == "DOUBLE, of orders"


def test_the_call_being_written(client: Client, shop: Path) -> None:
    """The form of the function, with the argument at the cursor."""
    uri = client.open(shop / LARGE, "SELECT STREAM SUBSTRING(item, 1) FROM orders;")
    told = client.at("signatureHelp", uri, 0, 30)
    assert told["activeParameter"] == 1 and told["signatures"][0]["label"].startswith("SUBSTRING(")
    assert client.at("signatureHelp", uri, 0, 3) is None


def test_formatting_and_fixes(client: Client, shop: Path) -> None:
    """Formatting replaces the text; a misspelt name has a quick fix; all fixes of lint are one action."""
    uri = client.open(shop / LARGE, "insert into large-orders select stream item as item,prise from orders")
    options = {"tabSize": 4, "insertSpaces": True}
    asked = {"textDocument": {"uri": uri}, "options": options}
    whole = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 69}}
    actions = client.ask(
        "textDocument/codeAction", {"textDocument": {"uri": uri}, "range": whole, "context": {"diagnostics": []}}
    )
    titles = {action["title"]: action for action in actions}
    edit = titles["write 'price'"]["edit"]["changes"][uri]
    assert [e["newText"] for e in edit] == ["price"]
    assert titles["write 'price'"]["diagnostics"][0]["code"] == "LSQ201"
    assert titles["write 'price'"]["kind"] == "quickfix"
    assert titles["lsqlc: apply 1 fix"]["kind"] == "source.fixAll"
    context = {"diagnostics": [], "only": ["source"]}
    only = client.ask("textDocument/codeAction", {"textDocument": {"uri": uri}, "range": whole, "context": context})
    assert [action["kind"] for action in only] == ["source.fixAll"]
    (change,) = client.ask("textDocument/formatting", asked)
    assert change["newText"].startswith("INSERT INTO large-orders\nSELECT STREAM\n")
    assert change["range"] == whole


@pytest.mark.nightly
def test_several_projects_and_files_of_none(shop: Path, tmp_path: Path) -> None:
    """Each file belongs to the nearest project above it; a file outside of any has no answers and no findings."""
    other = write(tmp_path / "other", {"lsqlc.yml": "name: other\n", "models/a.sql": "SELECT STREAM x FROM nowhere;"})
    outside = tmp_path / "notes.sql"
    outside.write_text("SELECT nothing")
    inner = shop / "scratch.sql"
    inner.write_text("SELECT nothing")
    with Client(shop) as client:
        for file in (outside, inner):
            uri = client.open(file)
            assert client.at("hover", uri, 0, 1) is None
            assert client.at("definition", uri, 0, 1) == []
            assert client.at("completion", uri, 0, 1) is None
        uri = client.open(other / "models/a.sql")
        assert [f["code"] for f in client.findings(uri, 1)] == ["LSQ200"]
        change = {"added": [{"uri": other.as_uri(), "name": "other"}], "removed": []}
        client.tell("workspace/didChangeWorkspaceFolders", {"event": change})
        client.close(uri)
        client.tell("workspace/didChangeWorkspaceFolders", {"event": {"added": [], "removed": change["added"]}})
        client.wait(lambda: not client.findings(uri))
        told = {note["params"]["uri"] for note in client.notes if note["method"] == "textDocument/publishDiagnostics"}
        assert not told & {outside.as_uri(), inner.as_uri()}


@pytest.mark.nightly
def test_paths_of_all_kinds(tmp_path: Path) -> None:
    """Spaces, percent signs and letters beyond ASCII in paths, and folders that the project names itself."""
    files = {"lsqlc.yml": "name: a\nmodel-paths: [sql ü]\n", "sql ü/50%20/a.sql": "SELECT STREAM x FROM nowhere;"}
    root = write(tmp_path / "my shöp", files)
    with Client(root) as client:
        uri = client.open(root / "sql ü/50%20/a.sql")
        assert [f["code"] for f in client.findings(uri, 1)] == ["LSQ200"]
        client.type(uri, "SELECT STREAM x FROM", 2)
        assert [f["code"] for f in client.findings(uri, 2)] == ["LSQ102"]
        told = {note["params"]["uri"] for note in client.notes if note["method"] == "textDocument/publishDiagnostics"}
        assert told == {uri}


def test_without_pygls_it_says_what_to_install(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    """The package is an extra; everything else works without it."""
    monkeypatch.setitem(sys.modules, "pygls.lsp.server", None)
    ran = cli("lsp")
    assert ran.code == 1 and ran.out == ""
    assert (
        "error[LSQ099]: the package 'pygls>=2' is not installed" in ran.err and "pip install 'lsqlc[editor]'" in ran.err
    )


def test_a_project_that_does_not_load_still_answers(client: Client, shop: Path) -> None:
    """The fault of the project file is told; keywords, functions and the outline need no project."""
    (shop / "lsqlc.yml").write_text("name: [")
    uri = client.open(shop / LARGE)
    assert [f["code"] for f in client.findings((shop / "lsqlc.yml").as_uri())] == ["LSQ003"]
    labels = {item["label"] for item in client.at("completion", uri, 0, 0)["items"]}
    assert "INSERT INTO" in labels
    symbols = client.ask("textDocument/documentSymbol", {"textDocument": {"uri": uri}})
    assert "priced" in {symbol["name"] for symbol in symbols}
    assert (
        "UPPER"
        in client.at("hover", client.open(shop / "models/u.sql", "SELECT STREAM UPPER(a) FROM b"), 0, 15)["contents"][
            "value"
        ]
    )


def test_hostile_messages_do_not_end_it(shop: Path) -> None:
    """Unknown methods, places outside of the text, changes of what was never opened, no JSON at all: it goes on."""
    with Client(shop) as client:
        uri = client.open(shop / LARGE)
        unknown = client.answer(client.begin("lsqlc/nothing", {}))
        assert unknown["error"]["code"] == -32601
        client.tell("lsqlc/nothing", {})
        client.send(b"no json")
        client.send(b'{"jsonrpc": "2.0", "id": 1000, "method": "textDocument/hover", "params": {"position": 1}}')
        client.tell("textDocument/didChange", {"textDocument": {"uri": "file:///x.sql", "version": 1},
                                               "contentChanges": [{"text": "a"}]})  # fmt: skip
        for line, character in ((10_000, 0), (0, 10_000), (2_147_483_647, 2_147_483_647)):
            for method in ("hover", "definition", "completion"):
                client.at(method, uri, line, character)
        for other in ("untitled:Untitled-1", "file://", "", "file:///" + "a/" * 5_000 + "b.sql", "file:///%00.sql"):
            asked = {"textDocument": {"uri": other}, "position": {"line": 0, "character": 0}}
            assert client.ask("textDocument/hover", asked) is None
        client.type(uri, "SELECT STREAM item FROM orders;", 7)
        assert client.findings(uri, 7) == []
        assert client.end() == 0


@pytest.mark.nightly
def test_a_large_text_is_answered(shop: Path) -> None:
    """A buffer of hundreds of kilobytes, one statement without end, has its findings."""
    with Client(shop) as client:
        uri = client.open(shop / LARGE, "SELECT STREAM " + "item + " * 50_000)
        assert [found["code"] for found in client.findings(uri, 1)]
        assert client.end() == 0


@pytest.mark.nightly
def test_what_the_client_knows_is_not_repeated(shop: Path) -> None:
    """Findings of a file that is not open are told once, and again when they change."""
    (shop / "models/bad.sql").write_text("SELECT STREAM nothing FROM orders;")
    bad = (shop / "models/bad.sql").as_uri()
    with Client(shop) as client:
        uri = client.open(shop / LARGE)
        for version in range(2, 5):
            client.type(uri, (shop / LARGE).read_text() + f"-- {version}\n", version)
            client.findings(uri, version)
        told = [n["params"] for n in client.notes if n["method"] == "textDocument/publishDiagnostics"]
        assert [each["uri"] for each in told].count(bad) == 1
        topics = client.open(shop / "models/topics.yml")
        client.type(topics, (shop / "models/topics.yml").read_text().replace("item STRING", "nothing STRING"), 2)
        client.wait(lambda: not client.findings(bad))


@pytest.mark.nightly
def test_only_the_last_of_many_changes_is_told(shop: Path) -> None:
    """Keys that come faster than findings make none of their own, and the last text has its own."""
    with Client(shop) as client:
        uri = client.open(shop / LARGE)
        client.findings(uri, 1)
        for version in range(2, 60):
            client.type(uri, f"SELECT STREAM item, a{version} FROM orders;", version)
        (found,) = client.findings(uri, 59)
        assert "'a59'" in found["message"]
        told = [n["params"] for n in client.notes if n["method"] == "textDocument/publishDiagnostics"]
        assert sum(each["uri"] == uri for each in told) < 20


@pytest.mark.nightly
def test_exit_without_shutdown_is_a_failure(shop: Path) -> None:
    """As the protocol says: 1 then, and 1 when the client is simply gone."""
    with Client(shop) as client:
        client.tell("exit", None)
        assert client.process.wait(60) == 1
    with Client(shop) as client:
        assert client.process.stdin is not None
        client.process.stdin.close()
        assert client.process.wait(60) == 1


@pytest.mark.nightly
def test_a_cancelled_request_is_answered_as_one(shop: Path) -> None:
    """A request that nobody waits for any more ends, and the work for others goes on."""
    with Client(shop) as client:
        uri = client.open(shop / LARGE)
        asked = {"textDocument": {"uri": uri}, "position": {"line": 0, "character": 6}}
        number = client.begin("textDocument/hover", asked)
        client.tell("$/cancelRequest", {"id": number})
        other = client.ask("textDocument/hover", asked)
        assert "priced" in other["contents"]["value"]
        answer = client.answer(number)
        assert answer.get("error", {}).get("code") == -32800 or answer["result"] == other


@pytest.mark.nightly
def test_variables_of_the_command_line(shop: Path) -> None:
    """`--vars` goes before those of the project file, as everywhere."""
    text = "SELECT STREAM {{ var('field') }} FROM orders;"
    with Client(shop, "--stdio", "--vars", json.dumps({"field": "prise"})) as client:
        uri = client.open(shop / LARGE, text)
        assert "'prise'" in client.findings(uri, 1)[0]["message"]
