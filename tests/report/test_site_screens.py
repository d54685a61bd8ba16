"""The docs site looks as it did when somebody last looked at it: `tests/report/screens` holds small pictures."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from tests.report.browser import browser, write
from tests.report.screens import FOLDER, SCREENS, Screen, distance, small, taken
from tests.report.site import shop_project, site

pytestmark = pytest.mark.skipif(browser() is None, reason="there is no Chromium on this machine")

# Other fonts shift text by some pixels. A page without its drawing, or in the other colours, is further away.
_FAR = 0.35


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("screens")
    shop_project(found / "shop")
    write(found / "site", site(found / "shop"))
    return found / "site"


@pytest.mark.parametrize("screen", SCREENS, ids=lambda screen: screen.name)
def test_a_page_looks_as_it_did(screen: Screen, folder: Path) -> None:
    """`python -m tests.report.screens FOLDER` writes what is to be looked at, and without a folder what is compared."""
    with Image.open(FOLDER / screen.name) as known:
        expected = known.convert("RGB")
    seen = small(taken(screen, folder))
    assert seen.size == expected.size
    assert distance(seen, expected) < _FAR


def test_screens_that_differ_are_apart() -> None:
    """Each page from every other one of its size and colours, and each from itself in the other colours."""
    loaded = {screen: Image.open(FOLDER / screen.name).convert("RGB") for screen in SCREENS}
    near = [
        (one.name, other.name)
        for one in SCREENS
        for other in SCREENS
        if one.name < other.name and one.width == other.width and distance(loaded[one], loaded[other]) < _FAR
    ]
    assert not near
    drawn = loaded[next(screen for screen in SCREENS if screen.page == "#/graph" and screen.width == 1280)]
    header = drawn.crop((0, 0, drawn.width, 11))
    bare = Image.new("RGB", drawn.size, drawn.getpixel((drawn.width // 2, drawn.height - 1)))
    bare.paste(header, (0, 0))
    assert distance(bare, drawn) > _FAR, "a graph without its nodes"
    assert {path.name for path in FOLDER.iterdir()} == {screen.name for screen in SCREENS}
