"""`lsqlc docs` as a user runs it."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path
from urllib.request import urlopen

import pytest

from tests.cli.conftest import Cli, everything


def test_the_site_is_written_to_target(cli: Cli, bikes: Path) -> None:
    """A page for each model, and the same bytes when it is built again."""
    answer = cli("docs", "build")
    assert (answer.code, answer.out) == (0, "")
    assert "3 models in target/docs/index.html" in answer.err
    first = everything(bikes / "target" / "docs")
    assert {"index.html", "app.js", "style.css", "data/site.js"} < first.keys()
    assert len([path for path in first if path.startswith("data/")]) == 4
    assert cli("docs", "build").code == 0
    assert everything(bikes / "target" / "docs") == first


def test_pages_of_models_that_are_gone_go(cli: Cli, bikes: Path) -> None:
    """What else lies in the folder stays."""
    assert cli("docs", "build", "--out", "site").code == 0
    Path("site/data/notes.js").write_text("mine")
    Path("models/rides_by_station.sql").unlink()
    topics = Path("models/topics.yml")
    text = topics.read_text().partition("  - name: rides_by_station")[0]
    topics.write_text(text)
    assert cli("docs", "build", "--out", "site").code == 0
    assert sorted(p.name for p in Path("site/data").iterdir() if len(p.stem) == 32).__len__() == 2
    assert Path("site/data/notes.js").read_text() == "mine"


def test_how_much_is_described_is_said_and_can_be_required(cli: Cli, bikes: Path) -> None:
    """Of models, sources and columns; too little fails the build, and the site is there."""
    answer = cli("docs", "build", "--output", "json")
    columns = answer.data["described"]["columns"]
    assert columns[0] == 0 < columns[1]
    answer = cli("docs", "build", "--fail-under", "10")
    assert answer.code == 1 and (bikes / "target/docs/index.html").is_file()
    assert "error[LSQ551]: 0 % of the columns are described, and 10 % are required" in answer.err
    assert f"described: 3 of 3 models, 1 of 1 source, 0 of {columns[1]} columns" in answer.err
    topics = Path("models/topics.yml")
    text = topics.read_text()
    note = "    columns: [{name: station, description: Its name.}, {name: nothing, description: No column.}]\n"
    topics.write_text(text.replace("  - name: rides_by_station\n", f"  - name: rides_by_station\n{note}"))
    answer = cli("docs", "build", "--fail-under", "0")
    assert answer.code == 1 and "error[LSQ550]: 'nothing' is described" in answer.err
    assert cli("docs", "serve", "--fail-under", "10").code == 2


def test_another_site_is_not_replaced(cli: Cli, bikes: Path) -> None:
    """A folder with somebody's index.html is refused before anything is written."""
    Path("web").mkdir()
    Path("web/index.html").write_text("<p>mine</p>")
    answer = cli("docs", "build", "--out", "web")
    assert answer.code == 2
    assert "error[LSQ096]: cannot write the site to 'web': its index.html was not written by lsqlc" in answer.err
    assert everything(Path("web")) == {"index.html": b"<p>mine</p>"}


def test_a_folder_that_cannot_be_made_is_told(cli: Cli, bikes: Path) -> None:
    """A file where the folder should be."""
    Path("web").write_text("")
    answer = cli("docs", "build", "--out", "web", "--output", "json")
    assert answer.code == 2
    assert [d["code"] for d in answer.data["diagnostics"]] == ["LSQ096"]


@pytest.mark.parametrize("link", ["target", "target/docs", "target/docs/data"])
def test_a_link_does_not_lead_the_site_out_of_the_project(cli: Cli, bikes: Path, tmp_path: Path, link: str) -> None:
    """Whoever opens a pull request may have put it there; a folder that the user names may lie anywhere."""
    outside = tmp_path / "outside"
    outside.mkdir()
    Path(link).parent.mkdir(parents=True, exist_ok=True)
    Path(link).symlink_to(outside)
    answer = cli("docs", "build")
    assert answer.code == 1
    assert f"error[LSQ009]: '{link}' leads out of the project" in answer.err
    assert not list(outside.iterdir())
    Path(link).unlink()
    assert cli("docs", "build", "--out", str(outside)).code == 0


def test_a_model_with_errors_is_shown_and_fails_the_build(cli: Cli, bikes: Path) -> None:
    """The site is there, for the others; the exit code says that something is wrong."""
    Path("models/broken.sql").write_text("SELECT STREAM nothing FROM rides")
    answer = cli("docs", "build", "--output", "json")
    assert answer.code == 1
    assert (answer.data["ok"], [d["code"] for d in answer.data["diagnostics"]]) == (False, ["LSQ201"])
    assert (bikes / "target/docs/index.html").is_file()


def test_a_port_that_is_taken_is_told(cli: Cli, bikes: Path) -> None:
    """With the way out."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        answer = cli("docs", "serve", "--port", str(taken.getsockname()[1]))
    assert answer.code == 2
    assert "error[LSQ097]" in answer.err and "--port" in answer.err


def test_the_site_is_served_until_it_is_interrupted(bikes: Path) -> None:
    """The address goes to stdout, at once if that is a pipe, too; nothing is written to the project."""
    before = everything(bikes)
    words = [sys.executable, "-m", "lsqlc", "docs", "serve", "--port", "0", "--quiet"]
    usual = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    pipe = subprocess.PIPE
    with subprocess.Popen(words, env=usual, stdout=pipe, stderr=pipe, text=True) as process:
        try:
            assert process.stdout is not None and process.stderr is not None
            address = process.stdout.readline().strip()
            with urlopen(address) as answer:
                assert b"<title>bikes</title>" in answer.read()
            process.send_signal(2)
            assert process.wait(30) == 0
            assert process.stderr.read() == ""
        finally:
            process.kill()
    assert everything(bikes) == before


@pytest.mark.parametrize("words", [("docs",), ("docs", "bild")])
def test_what_to_do_with_the_site_must_be_said(cli: Cli, bikes: Path, words: tuple[str, ...]) -> None:
    """`build` or `serve`."""
    assert cli(*words).code == 2


def test_alert_rules_and_a_dashboard_are_written(cli: Cli, bikes: Path) -> None:
    """Into the target folder or another one; what is not for alerts is wrong usage."""
    answer = cli("docs", "alerts", "--dashboard", "--output", "json")
    assert answer.code == 0
    assert answer.data["folder"] == "target/alerts" and answer.data["ok"]
    assert sorted(everything(bikes / "target" / "alerts")) == answer.data["files"] == [
        "bikes.dashboard.json", "bikes.rules.yml",
    ]  # fmt: skip
    assert cli("docs", "alerts", "--out", "rules", "--quiet").code == 0
    assert sorted(everything(Path("rules"))) == ["bikes.rules.yml"]
    unknown = cli("docs", "alerts", "--target", "prod")
    assert unknown.code == 2 and "error[LSQ050]" in unknown.err
    for option in (("--dashboard",), ("--target", "prod")):
        wrong = cli("docs", "build", *option)
        assert wrong.code == 2 and "only for `lsqlc docs alerts`" in wrong.err
    Path("file").write_text("")
    assert cli("docs", "alerts", "--out", "file").code == 1
