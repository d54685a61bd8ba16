"""`--junit`, `--sarif`, `--markdown` and `--github` as a user and as GitHub see them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.cli.conftest import Cli, everything

BAD = "INSERT INTO bad SELECT STREAM nme FROM rides;\n"
ALL = ("--junit", "out/j.xml", "--sarif", "out/s.sarif", "--markdown", "out/m.md")


@pytest.mark.parametrize("verb", ["build", "test"])
def test_reports_of_good_and_of_bad(cli: Cli, bikes: Path, verb: str) -> None:
    """Each file is there after both, in folders that are made for it, and says which it was; nothing is left aside."""
    assert cli(verb, *ALL).code == 0
    assert sorted(p.name for p in Path("out").iterdir()) == ["j.xml", "m.md", "s.sarif"]
    assert ElementTree.parse("out/j.xml").getroot().attrib["errors"] == "0"
    assert json.loads(Path("out/s.sarif").read_text())["runs"][0]["results"] == []
    assert f"### lsqlc {verb}: passed\n" in Path("out/m.md").read_text()
    (bikes / "models/bad.sql").write_text(BAD)
    ran = cli(verb, *ALL)
    assert ran.code == 1 and ran.out == "" and "::error" not in ran.err
    assert ElementTree.parse("out/j.xml").getroot().attrib["errors"] == "1"
    (result,) = json.loads(Path("out/s.sarif").read_text())["runs"][0]["results"]
    assert result["ruleId"] == "LSQ201"
    assert f"### lsqlc {verb}: failed\n" in Path("out/m.md").read_text()


def test_reports_of_lint(cli: Cli, bikes: Path) -> None:
    """Findings and their fixes; there are no tests, so no JUnit."""
    (bikes / "models/sloppy.sql").write_text("INSERT INTO sloppy SELECT STREAM bike AS bike FROM rides;\n")
    assert cli("lint", *ALL[2:]).code == 1
    (result,) = json.loads(Path("out/s.sarif").read_text())["runs"][0]["results"]
    assert (result["ruleId"], result["level"]) == ("LSQ825", "warning") and result["fixes"]
    assert "### lsqlc lint: failed\n\n- 1 warning\n" in Path("out/m.md").read_text()
    assert cli("lint", "--fix", *ALL[2:]).code == 0
    assert "### lsqlc lint: passed\n" in Path("out/m.md").read_text()
    assert cli("lint", *ALL).code == 2


@pytest.mark.parametrize("verb", ["build", "test", "lint"])
def test_a_project_that_cannot_be_read_is_reported(cli: Cli, bikes: Path, verb: str) -> None:
    """Otherwise CI would show nothing of it."""
    (bikes / "lsqlc.yml").write_text("name: [\n")
    ran = cli(verb, "--github", *(ALL if verb != "lint" else ALL[2:]))
    assert ran.code == 1 and "\n::error file=lsqlc.yml,line=2," in ran.err
    assert json.loads(Path("out/s.sarif").read_text())["runs"][0]["results"][0]["ruleId"] == "LSQ003"
    assert "LSQ003" in Path("out/m.md").read_text()


def test_a_report_that_cannot_be_written(cli: Cli, bikes: Path) -> None:
    """An error of usage that names the file, in JSON too; the others are written, and nothing is left aside."""
    (bikes / "out/j.xml").mkdir(parents=True)
    (bikes / "file").write_text("mine")
    ran = cli("build", "--output", "json", *ALL)
    assert ran.code == 2 and "error[LSQ068]: cannot write 'out/j.xml'" in ran.err
    assert ran.data["ok"] is False and [d["code"] for d in ran.data["diagnostics"]] == ["LSQ068"]
    assert (bikes / "out/m.md").is_file() and (bikes / "out/j.xml").is_dir()
    ran = cli("lint", "--sarif", "file/x")
    assert ran.code == 2 and "cannot write 'file/x'" in ran.err and (bikes / "file").read_text() == "mine"
    assert not [path for path in everything(bikes) if "/." in path and path != "target/.lsqlc-target"]


def test_links_are_written_through(cli: Cli, bikes: Path) -> None:
    """As /dev/stdout is one: a file in its place would be read by nobody."""
    (bikes / "there").write_text("old")
    (bikes / "link").symlink_to("there")
    assert cli("build", "--markdown", "link").code == 0
    assert (bikes / "link").is_symlink() and (bikes / "there").read_text().startswith("<!-- lsqlc build -->")


def test_github_is_told_by_itself(cli: Cli, bikes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """GITHUB_ACTIONS turns it on and `--no-github` off; the summary grows; stdout stays JSON; quiet leaves errors."""
    summary = bikes / "summary.md"
    (bikes / "models/bad.sql").write_text(BAD)
    (bikes / "models/waits.sql").write_text("SELECT STREAM bike FROM bad;\n")
    assert "::error" not in cli("build").err and "::error" in cli("build", "--github").err
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    cli("build")
    assert not summary.exists()
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    ran = cli("build", "--output", "json")
    assert ran.data["ok"] is False
    assert "::error file=models/bad.sql,line=1,col=31," in ran.err and "::notice " in ran.err
    cli("lint")
    assert summary.read_text().count("<!-- lsqlc ") == 2
    assert "::notice " not in cli("build", "--quiet").err
    before = summary.read_text()
    assert "::error" not in cli("build", "--no-github").err and summary.read_text() == before


def test_a_summary_that_cannot_be_written_is_a_warning(cli: Cli, bikes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody named it: a container has the variable and not the file's folder."""
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(bikes / "nowhere/summary.md"))
    ran = cli("build")
    assert ran.code == 0 and "warning[LSQ068]" in ran.err and "::warning title=lsqlc LSQ068::" in ran.err


def test_paths_begin_at_the_repository(cli: Cli, bikes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Below a folder with `.git`; GitHub's workspace goes before it."""
    (bikes / "models/bad.sql").write_text(BAD)
    (bikes.parent / ".git").mkdir()
    assert "::error file=bikes/models/bad.sql," in cli("build", "--github").err
    cli("build", "--sarif", "s.sarif")
    assert '"uri": "bikes/models/bad.sql"' in (bikes / "s.sarif").read_text()
    monkeypatch.setenv("GITHUB_WORKSPACE", str(bikes))
    assert "::error file=models/bad.sql," in cli("build", "--github").err


def _commands(text: str) -> list[str]:
    """The commands that GitHub's runner would take from a log: it reads lines, the spaces before `::` do not count, and
    after `stop-commands` only the token is one.
    """
    token, found = None, []
    for line in (line.strip() for line in re.split("[\r\n]+", text)):
        if token is not None:
            token = None if line == f"::{token}::" else token
        elif stop := re.fullmatch("::stop-commands::(.+)", line):
            token = stop[1]
        elif line.startswith("::") or "##[" in line:
            found.append(line.split(" ")[0])
    assert token is None
    return found


def test_a_pull_request_gives_no_commands(cli: Cli, bikes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Names with line breaks reach the log and are no commands there, whatever the outcome; the annotations are."""
    evil = "x\n::add-mask::1\r ::debug::2\n##[error]3"
    (bikes / "models/bad.sql").write_bytes(f"INSERT INTO bad SELECT STREAM `{evil}` FROM rides;\n".encode())
    assert _commands(cli("build").err)
    assert _commands(cli("build", "--github").err) == ["::error"]
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    for verb in ("build", "test", "lint"):
        ran = cli(verb, "--output", "json")
        assert _commands(ran.err) == ["::error"] and ran.data["ok"] is False
        assert _commands(cli(verb, "--no-github").err) == []
    for words in (
        ("compile",),
        ("ls",),
        ("fmt", "--diff"),
        ("lineage", "bad"),
        ("docs", "build"),
        ("review", "--list"),
    ):
        ran = cli(*words)
        assert _commands(ran.err) == [] and ran.err.startswith("::stop-commands::"), words
    (bikes / "lsqlc.yml").write_text(f"name: p\n{json.dumps(evil)}: [\n")
    assert set(_commands(cli("build").err)) == {"::error"}
    tokens = {re.findall("stop-commands::(.*)", cli("build").err)[0] for _ in range(2)}
    assert len(tokens) == 2 and all(len(token) == 32 for token in tokens)
