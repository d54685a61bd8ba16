"""The pages of docs/: each is in the index of its folder, begins with a sentence, and is linked to by its title."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.docs.blocks import DOCS, ROOT

FOLDERS = sorted(path.parent for path in DOCS.glob("*/README.md"))
PAGES = sorted(DOCS.rglob("*.md"))
_FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\[([^\]]*)\]\(([^)\s]*)\)")
_FILE = re.compile(r"`?(?:[\w-]+/)*[\w-]+\.md`?")


def _name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def _links(path: Path) -> list[tuple[str, str]]:
    return _LINK.findall(_FENCED.sub("", path.read_text("utf-8")))


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_the_index_of_a_folder_lists_each_page_once_by_its_title(folder: Path) -> None:
    """A link at the begin of a list entry is one of the index."""
    text = (folder / "README.md").read_text("utf-8")
    entries = re.findall(r"^- \[([^\]]+)\]\(([\w-]+\.md)\)", text, re.MULTILINE)
    titles = {
        path.name: path.read_text("utf-8").partition("\n")[0].removeprefix("# ")
        for path in folder.glob("*.md")
        if path.name != "README.md"
    }
    assert sorted(entries) == sorted((title, name) for name, title in titles.items())


def test_the_first_page_leads_to_each_folder() -> None:
    """docs/README.md has a link to the index of each, and no page is in a folder without index."""
    assert {path.parent for path in PAGES} == {DOCS, *FOLDERS}
    targets = {target for _, target in _links(DOCS / "README.md")}
    assert {f"{folder.name}/README.md" for folder in FOLDERS} <= targets


@pytest.mark.parametrize("path", [ROOT / "README.md", *PAGES], ids=_name)
def test_links_have_titles(path: Path) -> None:
    """No text of a link to a page is the name of a file."""
    assert [text for text, target in _links(path) if ".md" in target and _FILE.fullmatch(text)] == []


@pytest.mark.parametrize("path", PAGES, ids=_name)
def test_a_page_begins_with_a_sentence(path: Path) -> None:
    """Behind its title, before any table, block or heading."""
    title, _, rest = path.read_text("utf-8").partition("\n")
    assert title.startswith("# ")
    first = rest.strip().partition("\n")[0]
    assert re.match(r"[A-Z`\[]", first) and not first.startswith("```"), first
