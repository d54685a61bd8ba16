"""The recorded terminals of the README, as SVG: `python -m tests.docs.terminal` runs their commands and writes them.

A terminal emulator keeps what would be seen, colours included. The commands run in a new project with a repository of
its own, whose commit has a fixed author and time. How long something took is left out.
"""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory

import pyte

PICTURES = Path(__file__).parents[2] / "docs" / "pictures"
_COLUMNS, _LINES = 118, 70
_TOOK = re.compile(r"^took [\d.]+ m?s$|^took [\d.]+ min$")

# What each recording shows, after the commands that nobody needs to see.
_INIT = "lsqlc init shop --quiet && cd shop"
_COMMIT = "git init -q . && git add -A && git commit -qm shop"
_EDIT = "sed -i '$ s/$/ HAVING COUNT(*) > 1/' models/bikes_at_station.sql"
RECORDINGS: Mapping[str, tuple[Sequence[str], Sequence[str]]] = {
    "terminal": ((), (_INIT, "cat models/bikes_at_station.sql", "lsqlc build")),
    "diff": ((_INIT, _COMMIT), (_EDIT, "lsqlc diff")),
}

# The colours of the emulator by name, on a dark ground; each has a contrast of 4.5 to 1 to it.
_GROUND, _INK, _SOFT = "#14171a", "#e6e9ed", "#a3acb7"
_COLOURS = {
    **{"red": "#ff8f92", "green": "#63d283", "brown": "#ddbe70", "blue": "#7ab7ff", "magenta": "#cba6f3"},
    **{"cyan": "#55cbc2", "black": _SOFT, "white": _INK, "brightred": "#ff8f92", "brightgreen": "#63d283"},
    **{"brightbrown": "#ddbe70", "brightblue": "#7ab7ff", "brightblack": _SOFT, "default": _INK},
}
_ROW, _CELL, _EDGE = 19, 7.83, 16


@dataclass(frozen=True)
class Piece:
    """Text of one look."""

    text: str
    colour: str = _INK
    bold: bool = False


Line = tuple[Piece, ...]


def recorded(name: str, folder: Path) -> list[list[Line]]:
    """The screens of a recording, made in an empty folder: for each command its own line and what it printed."""
    before, shown = RECORDINGS[name]
    here = folder
    for command in before:
        _, here = _run(command, here)
    found = []
    for command in shown:
        lines, here = _run(command, here)
        found.append([(Piece("$ ", _COLOURS["green"], True), Piece(command, bold=True)), *lines])
    return found


def _run(command: str, folder: Path) -> tuple[list[Line], Path]:
    """What a command leaves on an empty screen, and the folder that the shell is in then."""
    keep = {name: value for name, value in os.environ.items() if name in ("HOME", "LANG", "TMPDIR")}
    who = {"AUTHOR": "Ada", "COMMITTER": "Ada"}
    given = {
        **keep,
        **{f"GIT_{role}_NAME": name for role, name in who.items()},
        **{f"GIT_{role}_EMAIL": "ada@example.org" for role in who},
        **{f"GIT_{role}_DATE": "2026-01-01T00:00:00Z" for role in who},
        "GIT_CONFIG_GLOBAL": os.devnull,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "TERM": "xterm-256color",
        "COLUMNS": str(_COLUMNS),
        "LINES": str(_LINES),
    }
    master, slave = pty.openpty()
    mark = "\x1f"
    process = subprocess.Popen(
        ["sh", "-c", f"{command}; code=$?; printf '{mark}%s' \"$PWD\"; exit $code"],
        cwd=folder, env=given, stdin=slave, stdout=slave, stderr=slave, close_fds=True,
    )  # fmt: skip
    os.close(slave)
    content = b"".join(_read(master))
    os.close(master)
    assert process.wait() in (0, 1), (command, content)
    text, _, where = content.decode().rpartition(mark)
    screen = pyte.Screen(_COLUMNS, _LINES)
    pyte.Stream(screen).feed(text)
    lines = [_line(screen, row) for row in range(_LINES)]
    while lines and not lines[-1]:
        lines.pop()
    return [line for line in lines if not _TOOK.match("".join(piece.text for piece in line))], Path(where)


def _read(master: int) -> Iterator[bytes]:
    """What comes out, until the other side is closed, which Linux tells as an error."""
    while True:
        try:
            part = os.read(master, 65536)
        except OSError:
            return
        if not part:
            return
        yield part


def _line(screen: pyte.Screen, row: int) -> Line:
    """One row of the screen as pieces, without what is blank at its end."""
    cells = [screen.buffer[row][column] for column in range(_COLUMNS)]
    while cells and cells[-1].data == " ":
        cells.pop()
    pieces: list[Piece] = []
    for cell in cells:
        colour = _COLOURS.get(cell.fg, f"#{cell.fg}" if re.fullmatch("[0-9a-f]{6}", cell.fg) else _INK)
        if pieces and (pieces[-1].colour, pieces[-1].bold) == (colour, cell.bold):
            pieces[-1] = Piece(pieces[-1].text + cell.data, colour, cell.bold)
        else:
            pieces.append(Piece(cell.data, colour, cell.bold))
    return tuple(pieces)


def svg(title: str, screens: Sequence[Sequence[Line]]) -> str:
    """The terminal as a picture. Its parts appear one after the other; where nothing moves, all of it is there."""
    # Commands that print something are followed by an empty row.
    lines = [(n, line) for n, screen in enumerate(screens) for line in (*screen, *([()] if len(screen) > 1 else []))]
    width, height = round(_COLUMNS * _CELL) + 2 * _EDGE, len(lines) * _ROW + 2 * _EDGE + 22
    delays = "".join(f".s{n}{{animation-delay:{n * 1.6:.1f}s}}" for n in range(1, len(screens)))
    rows = []
    for place, (number, line) in enumerate(lines):
        at, y = 0, _EDGE + 22 + place * _ROW + 14
        for piece in line:
            # Each piece at its own place, so that the widths of a font's letters do not add up.
            if piece.text.strip():
                weight = ' font-weight="700"' if piece.bold else ""
                x = f"{_EDGE + at * _CELL:.1f}"
                length = f'textLength="{len(piece.text) * _CELL:.1f}" lengthAdjust="spacingAndGlyphs"'
                look = f'class="s{number}" x="{x}" y="{y}" fill="{piece.colour}"{weight} {length}'
                rows.append(f"<text {look}>{escape(piece.text)}</text>")
            at += len(piece.text)
    dots = "".join(f'<circle cx="{_EDGE + 4 + n * 16}" cy="18" r="4.5" fill="#3a424a"/>' for n in range(3))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" role="img">'
        f"<title>{escape(title)}</title>"
        "<style>text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;white-space:pre}"
        "@media (prefers-reduced-motion:no-preference){text{animation:a .3s backwards}.s0{animation:none}"
        "@keyframes a{from{opacity:0}}"
        f"{delays}}}</style>"
        f'<rect width="{width}" height="{height}" rx="9" fill="{_GROUND}"/>{dots}\n' + "\n".join(rows) + "\n</svg>\n"
    )


def picture(name: str) -> str:
    """A recording as it is now."""
    with TemporaryDirectory() as folder:
        return svg(f"lsqlc in a terminal: {RECORDINGS[name][1][-1]}", recorded(name, Path(folder).resolve()))


def main() -> None:
    """Write the recordings."""
    PICTURES.mkdir(exist_ok=True)
    for name in RECORDINGS:
        (PICTURES / f"{name}.svg").write_text(picture(name), "utf-8")


if __name__ == "__main__":
    main()
