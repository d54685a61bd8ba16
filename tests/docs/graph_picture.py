"""The picture of the docs site's graph in the README: `python -m tests.docs.graph_picture` takes it in a Chromium.

It shows the models of the reference project that are about flights.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image

from tests.docs.terminal import PICTURES
from tests.report.browser import write
from tests.report.screens import Screen, taken
from tests.report.site import site

ROOT = Path(__file__).parents[2]
SCREENS = tuple(Screen("#/graph", 1280, 680, scheme) for scheme in ("light", "dark"))


def picture(screen: Screen) -> Image.Image:
    """The graph as it is now."""
    with TemporaryDirectory() as folder:
        root = Path(folder) / "flights"
        shutil.copytree(ROOT / "models" / "flights", root / "models" / "flights")
        others = shutil.ignore_patterns("documented*", "gaming*")
        shutil.copytree(ROOT / "tests" / "cases", root / "tests" / "cases", ignore=others)
        shutil.copy(ROOT / "lsqlc.yml", root)
        write(Path(folder) / "site", site(root))
        return taken(screen, Path(folder) / "site")


def path(screen: Screen) -> Path:
    """Where it is kept."""
    return PICTURES / f"graph-{screen.scheme}.png"


def main() -> None:
    """Write the pictures, in as many colours as they need."""
    for screen in SCREENS:
        picture(screen).quantize(96).save(path(screen), optimize=True)


if __name__ == "__main__":
    main()
