"""Documents, URIs and positions of a hostile project or client: the language server answers, and goes on."""

from __future__ import annotations

from pathlib import Path

import pytest

from .client import Client

GOOD = "SELECT STREAM item FROM orders"
URIS = [
    "file:///etc/passwd", "untitled:x", "http://x/y", "file://host/x", "", "::", "{shop}/../../../../../etc/passwd",
    "{shop}/models/%00.sql", "{shop}/models/%1b[2J.sql", "{shop}/models/" + "a" * 5000 + ".sql",
]  # fmt: skip


def test_documents_that_are_meant_ill(shop: Path) -> None:
    """Each has its findings, of which a bounded number is sent, and the next text is read."""
    texts = [
        ("SELECT STREAM " + "nix, " * 20_000 + "item FROM orders", 1000),
        ("SELECT STREAM " + "(" * 200_000 + "item FROM orders", 1),
        ("SELECT STREAM 'a\ud800' AS x FROM orders", 1),
        ("{{ 'a' * 10 ** 9 }}", 1),
        ("{% for i in range(10 ** 9) %}{% endfor %}", 1),
        (GOOD, 0),
    ]
    with Client(shop) as client:
        uri = client.open(shop / "models/hostile.sql", GOOD)
        assert client.findings(uri, 1) == []
        for version, (text, count) in enumerate(texts, 2):
            client.type(uri, text, version)
            assert len(client.findings(uri, version)) == count, text[:60]


@pytest.mark.parametrize("method", ["hover", "definition", "completion", "signatureHelp"])
def test_places_that_are_none(shop: Path, method: str) -> None:
    """Documents outside of the project have no answer; a position behind the end is that of the end."""
    with Client(shop) as client:
        uri = client.open(shop / "models/hostile.sql", GOOD)
        far = {"line": 2**31 - 1, "character": 2**31 - 1}
        client.ask(f"textDocument/{method}", {"textDocument": {"uri": uri}, "position": far})
        for other in URIS:
            place = {"uri": other.format(shop=shop.as_uri())}
            answer = client.ask(
                f"textDocument/{method}", {"textDocument": place, "position": {"line": 0, "character": 0}}
            )
            assert not answer or "root:" not in str(answer)


def test_a_link_out_of_the_project_is_not_read(shop: Path, tmp_path: Path) -> None:
    """As in every compilation: neither findings nor a hover show what it leads to."""
    (tmp_path / "secret.sql").write_text("hunter2")
    (shop / "models/link.sql").symlink_to(tmp_path / "secret.sql")
    with Client(shop) as client:
        uri = client.open(shop / "models/hostile.sql", GOOD)
        client.findings(uri, 1)
        assert "hunter2" not in str(client.notes)
