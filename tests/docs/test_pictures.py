"""The pictures of the README show what is printed and drawn now."""

from __future__ import annotations

import os
import shutil

import pytest
from PIL import Image

from tests.docs.graph_picture import SCREENS, path
from tests.docs.graph_picture import picture as graph
from tests.docs.terminal import PICTURES, RECORDINGS, picture
from tests.report.browser import browser
from tests.report.screens import Screen, distance, small


@pytest.mark.skipif(os.name != "posix" or shutil.which("git") is None, reason="there is no terminal or no git here")
@pytest.mark.parametrize("name", RECORDINGS)
def test_the_recorded_commands_still_print_so(name: str) -> None:
    """`python -m tests.docs.terminal` records them again."""
    assert (PICTURES / f"{name}.svg").read_text("utf-8") == picture(name)


@pytest.mark.skipif(browser() is None, reason="there is no Chromium on this machine")
@pytest.mark.parametrize("screen", SCREENS, ids=lambda screen: screen.scheme)
def test_the_graph_still_looks_so(screen: Screen) -> None:
    """`python -m tests.docs.graph_picture` takes it again."""
    with Image.open(path(screen)) as known:
        assert distance(small(graph(screen)), small(known.convert("RGB"))) < 0.35
