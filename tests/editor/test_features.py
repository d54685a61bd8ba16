"""Colours of names, types behind columns, new names, and cases that are run."""

from __future__ import annotations

from pathlib import Path

import pytest

from lsqlc.editor.cases import case_lenses, run_cases
from lsqlc.editor.inlays import inlays
from lsqlc.editor.rename import renamable, rename_edits
from lsqlc.editor.snapshot import take
from lsqlc.editor.tokens import tokens

from .client import Client
from .project import OUTSIDE, typed, write

LARGE = "models/large.sql"


def test_names_have_the_colours_of_what_they_are(shop: Path) -> None:
    """Topics, queries, columns and functions, in templates too; strings and comments have none."""
    text = (
        "-- COUNT(orders)\nWITH a AS (SELECT STREAM item, 'orders' AS s FROM orders);\n"
        "SELECT STREAM UPPER(a.item) AS u FROM a"
    )
    snapshot = take(shop, {LARGE: text}, OUTSIDE)
    found = [(text[slice(*at)], kind) for at, kind in tokens(snapshot, LARGE)]
    assert found == [
        *(("a", "struct"), ("item", "property"), ("s", "property"), ("orders", "class")),
        *(("UPPER", "function"), ("a.item", "property"), ("u", "property"), ("a", "struct")),
    ]
    raw = (shop / "models/templated.sql").read_text()
    words = [(raw[slice(*at)], kind) for at, kind in tokens(take(shop, {}, OUTSIDE), "models/templated.sql")]
    assert ("templated", "class") in words and ("thing", "property") in words
    assert not any("ref" in word for word, _ in words)
    assert tokens(take(shop, {}, OUTSIDE), "models/topics.yml") == ()


def test_types_stand_behind_the_columns(shop: Path) -> None:
    """Those of expressions, aggregates, and behind tags; only in the part that is asked for."""
    snapshot = take(shop, {}, OUTSIDE)

    def shown(path: str) -> list[tuple[str, str]]:
        text = (shop / path).read_text()
        return [(text[:at].split()[-1].rstrip(","), type) for at, type in inlays(snapshot, path, (0, len(text)))]

    large = [("item", "STRING"), ("doubled", "DOUBLE"), ("_key", "INT"), ("item", "STRING"), ("doubled", "DOUBLE")]
    assert shown(LARGE) == large
    assert shown("models/per_item.sql") == [("n", "BIGINT"), ("most", "DOUBLE")]
    assert shown("models/templated.sql") == [("thing", "STRING")]
    assert inlays(snapshot, LARGE, (0, 10)) == ()


def test_a_query_gets_another_name_everywhere_in_its_model(shop: Path) -> None:
    """In front of columns and of `*` too, not in strings; topics and columns are left to their other files."""
    snapshot, path, offset = typed(
        shop,
        LARGE,
        "WITH p¦riced AS (SELECT STREAM * FROM orders);\n"
        "SELECT STREAM priced.*, `priced`.item AS i, 'priced.x' AS s FROM priced WHERE priced.price > 1",
    )
    text = snapshot.texts[path]
    edits = rename_edits(snapshot, path, offset, "costly")
    assert not isinstance(edits, str)
    for edit in sorted(edits, key=lambda edit: -edit.at[0]):
        text = text[: edit.at[0]] + edit.text + text[edit.at[1] :]
    assert text == (
        "WITH costly AS (SELECT STREAM * FROM orders);\n"
        "SELECT STREAM costly.*, costly.item AS i, 'priced.x' AS s FROM costly WHERE costly.price > 1"
    )
    assert renamable(snapshot, path, offset) == (5, 11)
    assert renamable(snapshot, path, snapshot.texts[path].index("orders")) is None
    for name, said in (("select", "not a valid name"), ("a b", "not a valid name"), ("orders", "already names")):
        assert said in str(rename_edits(snapshot, path, offset, name))


def test_cases_are_run_as_they_are_typed(shop: Path) -> None:
    """Against what they expect and the golden files; nothing is written."""
    row = '{"topic":"large-orders","key":1,"value":{"item":"desk","doubled":400.0},"timestamp":0}'
    write(shop, {"golden/large/one.jsonl": f"{row}\n"})
    before = sorted(shop.rglob("*"))
    text = (shop / "tests/large.yml").read_text()
    snapshot = take(shop, {"tests/large.yml": text}, OUTSIDE)
    (lens,) = case_lenses(snapshot, "tests/large.yml")
    assert (lens.title, lens.model, lens.name) == ("run case", "large", "one")
    (of_model,) = case_lenses(snapshot, LARGE)
    assert (of_model.title, of_model.name, of_model.at) == ("run its case", None, (0, 0))
    assert case_lenses(snapshot, "models/per_item.sql") == ()
    assert run_cases(snapshot, "large", "one").summary == "case 'one' of 'large': passed"
    assert run_cases(snapshot, "large").ok
    other = take(shop, {"tests/large.yml": text.replace("price: 200", "price: 300")}, OUTSIDE)
    report = run_cases(other, "large")
    assert (report.ok, report.summary) == (False, "1 case of 'large': 1 failed")
    assert "doubled" in report.details and "600" in report.details
    broken = take(shop, {LARGE: "SELECT STREAM nothing FROM orders"}, OUTSIDE)
    assert run_cases(broken, "large").summary == "the model 'large' has errors"
    assert "no model 'nobody'" in run_cases(snapshot, "nobody").summary
    assert "no case 'two'" in run_cases(snapshot, "large", "two").summary
    assert sorted(shop.rglob("*")) == before


def test_an_editor_asks_for_all_of_it(shop: Path) -> None:
    """Over the protocol: lens, the command behind it with its message, tokens, hints, and a refused name."""
    with Client(shop) as client:
        can = client.server["capabilities"]
        assert can["executeCommandProvider"]["commands"] == ["lsqlc.runCase"]
        assert can["semanticTokensProvider"]["legend"]["tokenTypes"][0] == "class"
        uri = client.open(shop / LARGE)
        (lens,) = client.ask("textDocument/codeLens", {"textDocument": {"uri": uri}})
        report = client.ask("workspace/executeCommand", {k: lens["command"][k] for k in ("command", "arguments")})
        assert report["ok"] is False and "LSQ513" in report["details"]
        told = client.wait(lambda: [n for n in client.notes if n["method"] == "window/showMessage"])
        assert told[-1]["params"]["message"].startswith("1 case of 'large': 1 failed")
        data = client.ask("textDocument/semanticTokens/full", {"textDocument": {"uri": uri}})["data"]
        assert data[:10] == [0, 5, 6, 1, 0, 1, 18, 4, 3, 0], "priced, a query; item, a column in the next line"
        whole = {"start": {"line": 0, "character": 0}, "end": {"line": 3, "character": 0}}
        hints = client.ask("textDocument/inlayHint", {"textDocument": {"uri": uri}, "range": whole})
        assert [hint["label"] for hint in hints] == [": STRING", ": DOUBLE", ": INT"]
        assert client.at("prepareRename", uri, 0, 6)["end"] == {"line": 0, "character": 11}
        params = {"textDocument": {"uri": uri}, "position": {"line": 0, "character": 6}, "newName": "select"}
        refused = client.answer(client.begin("textDocument/rename", params))
        assert refused["error"]["message"] == "'select' is not a valid name of a query"
        assert client.end() == 0


@pytest.mark.parametrize("path", ["models/topics.yml", "tests/large.yml", "lsqlc.yml", "nothing.sql"])
def test_other_files_have_none_of_it(shop: Path, path: str) -> None:
    """No tokens, no types, no names to change."""
    snapshot = take(shop, {}, OUTSIDE)
    assert tokens(snapshot, path) == () and inlays(snapshot, path, (0, 999)) == ()
    assert renamable(snapshot, path, 0) is None
