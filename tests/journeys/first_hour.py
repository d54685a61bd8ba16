"""What a new user does in the first hour, with what the terminal shows after each step.

`python -m tests.journeys.first_hour` records the screens again; read what has changed in them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.journeys.terminal import Terminal

SCREENS = Path(__file__).parent / "screens"
Step = tuple[str, Callable[[Terminal], list[str]]]

_HAVING = "sed -i '$ s/$/ HAVING COUNT(*) > 1/' models/bikes_at_station.sql"
_RIDE = '{"key":"b1","value":{"bike":"b1","station":"park","minutes":7,"cancelled":false},"timestamp":1}'
_TYPO = "sed 's/COUNT/CUONT/' models/bikes_at_station.sql > models/typo.sql"


def steps() -> Iterator[Step]:
    """Each step with its name. They need no Spark server."""
    for name, command in (
        ("init", "lsqlc init shop"),
        ("build", "cd shop && lsqlc build"),
        ("ls", "lsqlc ls"),
        ("untested", "lsqlc ls --untested"),
        (
            "typo",
            "sed 's/COUNT/CUONT/' models/bikes_at_station.sql > models/typo.sql && lsqlc compile; rm models/typo.sql",
        ),
        ("commit", "git init -q . && git add -A && git commit -qm shop && echo committed"),
        ("edit", f"{_HAVING} && lsqlc diff"),
        ("changed", "lsqlc build"),
    ):
        yield name, _command(command)
    yield "review", _review
    for name, command in (
        ("reviewed", "lsqlc build"),
        ("seed", "lsqlc seed"),
        ("show", "lsqlc show rides --limit 3"),
        ("produce", f"echo '{_RIDE}' | lsqlc produce rides && lsqlc show rides --tail --limit 1"),
        ("refused", """echo '{"key":"b1","value":{"minutes":"many"}}' | lsqlc produce rides"""),
    ):
        yield name, _command(command)
    yield "follow", _follow
    for name, command in (
        ("where", "lsqlc show rides --where 'minutes > 40' --limit 2"),
        ("lineage", "lsqlc lineage bikes_at_station.bikes"),
        ("explain", "lsqlc explain LSQ314 | head -12"),
        ("lint", "lsqlc lint && lsqlc fmt --check"),
        ("docs", "lsqlc docs build"),
        ("wrong", "lsqlc show bikes_at_statoin"),
        ("help", "lsqlc show --help | tail -12"),
    ):
        yield name, _command(command)


def recorded(folder: Path) -> dict[str, str]:
    """The screens by step, in a new folder."""
    with Terminal(folder) as terminal:
        terminal.run("stty -echo")
        return {name: "\n".join(step(terminal)) + "\n" for name, step in steps()}


def _command(text: str) -> Callable[[Terminal], list[str]]:
    return lambda terminal: terminal.run(text)


def _review(terminal: Terminal) -> list[str]:
    """The first difference of a golden file is shown, and accepted by a key."""
    terminal.screen.reset()
    terminal.type("lsqlc review\n")
    terminal.until(terminal.shows("accept?"))
    terminal.type("a\n")
    terminal.until(terminal.is_ready)
    return terminal.shown()


def _follow(terminal: Terminal) -> list[str]:
    """A record that comes while a topic is followed; Ctrl-C ends it."""
    terminal.screen.reset()
    terminal.type("lsqlc show rides --tail --limit 1 --follow\n")
    terminal.until(terminal.shows("park"))
    with Terminal(terminal.folder / "shop") as other:
        other.run(f"echo '{_RIDE.replace('park', 'harbour')}' | lsqlc produce rides --quiet")
    terminal.until(terminal.shows("park", "harbour"))
    shown = terminal.shown()
    terminal.type("\x03")
    terminal.until(terminal.is_ready)
    return shown


def main() -> None:
    """Write the screens."""
    SCREENS.mkdir(exist_ok=True)
    with TemporaryDirectory() as folder:
        screens = recorded(Path(folder))
    for path in SCREENS.glob("*.txt"):
        path.unlink()
    for number, (name, text) in enumerate(screens.items(), 1):
        (SCREENS / f"{number:02d}-{name}.txt").write_text(text, "utf-8")


if __name__ == "__main__":
    main()
