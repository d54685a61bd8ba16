"""Pictures of the docs site, made small: what each page looks like at three widths, on light and dark screens.

`python -m tests.report.screens` writes those that the test compares, below `tests/report/screens/`; with a folder it
writes them there as they are, to be looked at.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal, cast

from PIL import Image, ImageChops, ImageStat

from tests.report.browser import chromium, write
from tests.report.site import shop_project, site

FOLDER = Path(__file__).parent / "screens"
# Pixels of a picture to one of its small form, which differs little between the fonts of two machines.
_SMALLER = 10
_NARROWEST = 500


@dataclass(frozen=True)
class Screen:
    """A page of the site, the window, and the colours."""

    page: str
    width: int
    height: int
    scheme: Literal["light", "dark"]

    @property
    def name(self) -> str:
        words = self.page.strip("#/").replace("/", "-") or "overview"
        return f"{words}-{self.width}-{self.scheme}.png"


PAGES = ("#/", "#/graph", "#/model/totals", "#/column/totals/_value.total")
SIZES = ((390, 844), (1280, 800), (1920, 1080))
SCREENS = tuple(
    Screen(page, width, height, scheme)
    for page in PAGES
    for width, height in SIZES
    for scheme in ("light", "dark")
    # Every page in both, and every width in one.
    if scheme == "light" or width == 1280
)


def taken(screen: Screen, folder: Path) -> Image.Image:
    """The picture of a screen; `folder` holds the site, and takes what the browser needs."""
    scheme = folder / f"{screen.scheme}.js"
    scheme.write_text(f'document.documentElement.style.colorScheme = "{screen.scheme}";\n')
    text = (folder / "index.html").read_text("utf-8")
    page = folder / f"{screen.scheme}.html"
    page.write_text(text.replace("</body>", f'<script src="{scheme.name}"></script></body>'), "utf-8")
    # In a frame of the very size: a window is no narrower than 500, and the browser takes some of its height.
    frame = folder / "frame.html"
    style = f"border: 0; width: {screen.width}px; height: {screen.height}px"
    frame.write_text(f'<body style="margin: 0"><iframe src="{page.as_uri()}{screen.page}" style="{style}"></iframe>')
    picture = folder / "screen.png"
    size = (max(screen.width, _NARROWEST), screen.height + 200)
    chromium(folder / "profile", f"--screenshot={picture}", frame.as_uri(), size=size)
    with Image.open(BytesIO(picture.read_bytes())) as image:
        return image.convert("RGB").crop((0, 0, screen.width, screen.height))


def small(image: Image.Image) -> Image.Image:
    """A picture with all that a font decides averaged away."""
    return image.resize((image.width // _SMALLER, image.height // _SMALLER), Image.Resampling.BOX)


def distance(one: Image.Image, other: Image.Image) -> float:
    """How far a small picture is from another of its size, as a part of all that is to be seen on the other: 0 for the
    same, about 1 for an empty page.
    """
    colours = other.quantize(16).convert("RGB").getcolors() or []
    empty = Image.new("RGB", other.size, cast("tuple[int, int, int]", max(colours)[1]))
    return _difference(one, other) / max(1e-9, _difference(empty, other))


def _difference(one: Image.Image, other: Image.Image) -> float:
    return sum(ImageStat.Stat(ImageChops.difference(one, other)).mean)


def pictures(folder: Path) -> Iterator[tuple[Screen, Image.Image]]:
    """All screens of the shop's site, which is written to the folder."""
    shop_project(folder / "shop")
    write(folder / "site", site(folder / "shop"))
    for screen in SCREENS:
        yield screen, taken(screen, folder / "site")


def main() -> None:
    """Write the pictures."""
    out = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    out.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as folder:
        for screen, image in pictures(Path(folder)):
            (image if len(sys.argv) > 1 else small(image)).save(out / screen.name, optimize=True)


if __name__ == "__main__":
    main()
