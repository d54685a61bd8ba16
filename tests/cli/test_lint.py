"""`lsqlc lint` as a user runs it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Cli, everything

SLOPPY = """\
INSERT INTO sloppy
SELECT STREAM
    bike AS bike
  , UPPER(station)
  ,
FROM rides;
"""


def write(project: Path, text: str, name: str = "sloppy") -> Path:
    path = project / "models" / f"{name}.sql"
    path.write_text(text, "utf-8")
    return path


def codes(cli: Cli, *words: str) -> list[str]:
    return [d["code"] for d in cli("lint", "--output", "json", "-q", *words).data["diagnostics"]]


def test_a_new_project_is_clean(cli: Cli, bikes: Path) -> None:
    """What `init` writes gives no findings."""
    ran = cli("lint")
    assert (ran.code, ran.out, ran.err) == (0, "", "no findings\n")


def test_findings_of_the_compiler_and_of_lint(cli: Cli, bikes: Path) -> None:
    """In order of place; exit 1, and nothing is written."""
    write(bikes, SLOPPY)
    before = everything(bikes)
    ran = cli("lint")
    assert ran.code == 1 and everything(bikes) == before
    assert "warning[LSQ825]: 'bike' is also its name without the alias\n --> models/sloppy.sql:3:13" in ran.err
    assert ran.err.endswith("3 findings\n2 of them fixable with --fix\n")
    assert codes(cli) == ["LSQ825", "LSQ824", "LSQ801"]


def test_codes_can_be_selected_and_ignored(cli: Cli, bikes: Path) -> None:
    """On the command line and in lsqlc.yml; an unknown code is an error with the nearest."""
    write(bikes, SLOPPY)
    assert codes(cli, "--select", "LSQ801,LSQ824") == ["LSQ824", "LSQ801"]
    assert codes(cli, "--ignore", "lsq801", "--ignore", "LSQ824") == ["LSQ825"]
    ran = cli("lint", "--select", "LSQ8O1")
    assert ran.code == 2 and "did you mean 'LSQ8" in ran.err
    settings = bikes / "lsqlc.yml"
    text = settings.read_text("utf-8")
    settings.write_text(f"{text}\nlint:\n  select: [LSQ801, LSQ825]\n  ignore: [LSQ801]\n", "utf-8")
    assert codes(cli) == ["LSQ825"]
    assert "LSQ801" not in cli("compile").err
    settings.write_text(f"{text}\nlint:\n  ignore: [LSQ804x]\n", "utf-8")
    ran = cli("compile")
    assert ran.code == 1 and "unknown finding 'LSQ804x' @ $.lint.ignore[0]" in ran.err and "did you mean" in ran.err


def test_models_are_selected_as_elsewhere(cli: Cli, bikes: Path) -> None:
    """By selectors, by --exclude and by paths; both with codes."""
    write(bikes, SLOPPY)
    write(bikes, "SELECT STREAM LOWER(station) FROM rides", "other")
    assert codes(cli, "-s", "other") == ["LSQ824"]
    assert codes(cli, "--exclude", "sloppy") == ["LSQ824"]
    assert codes(cli, "models/other.sql") == ["LSQ824"]
    assert codes(cli, "-s", "sloppy", "-s", "LSQ801") == ["LSQ801"]
    ran = cli("lint", "-s", "nowhere")
    assert ran.code == 2 and "LSQ040" in ran.err


def test_fix_mends_until_nothing_is_left_to_mend(cli: Cli, bikes: Path) -> None:
    """Round by round, comments kept; what has no fix is still reported, and a second run changes nothing."""
    path = write(
        bikes,
        "-- what it is\nWITH a AS (SELECT STREAM bike FROM rides);\nWITH b AS (SELECT STREAM bike FROM a);\n"
        "SELECT STREAM bike AS bike, -- the bike\nUPPER(station), FROM rides",
    )
    ran = cli("lint", "--fix")
    assert ran.code == 1 and "4 fixed in 1 file\n1 finding\n" in ran.err
    assert path.read_text("utf-8") == "-- what it is\nSELECT STREAM bike, -- the bike\nUPPER(station) FROM rides"
    before = everything(bikes)
    assert codes(cli, "--fix") == ["LSQ824"] and everything(bikes) == before


def test_fix_mends_old_windows(cli: Cli, bikes: Path) -> None:
    """An error that has one answer."""
    path = write(bikes, "SELECT STREAM COUNT(*) AS n FROM rides GROUP BY TUMBLE(5, m), station")
    assert cli("lint").code == 1
    assert cli("lint", "--fix").code == 0
    assert path.read_text("utf-8") == "SELECT STREAM COUNT(*) AS n FROM rides WINDOW BY TUMBLE 5m GROUP BY station"


def test_fix_leaves_what_a_template_makes(cli: Cli, bikes: Path) -> None:
    """Only text that stands in the file is edited."""
    path = write(bikes, "SELECT STREAM {{ 'bike AS bike' }}, station AS station FROM rides")
    assert codes(cli) == ["LSQ825", "LSQ825"]
    assert codes(cli, "--fix") == ["LSQ825"]
    assert path.read_text("utf-8") == "SELECT STREAM {{ 'bike AS bike' }}, station FROM rides"


def test_comments_ignore_findings_everywhere(cli: Cli, bikes: Path) -> None:
    """In lint and in a build; a comment that ignores nothing is told."""
    write(bikes, "-- lint: ignore LSQ805: a station has one bike\nSELECT TABLE station AS _key, bike FROM arrivals")
    assert codes(cli) == []
    assert "LSQ805" not in cli("compile").err
    write(bikes, "-- lint: ignore LSQ805: a station has one bike\nSELECT TABLE bike FROM arrivals")
    assert codes(cli) == ["LSQ826"]


def test_errors_are_told_as_well(cli: Cli, bikes: Path) -> None:
    """Whatever codes are selected; and nothing more is said about the words that have one."""
    write(bikes, "SELECT STREAM byke FROM arrivals JOIN rides WITHIN 5s")
    assert codes(cli, "-s", "LSQ801") == ["LSQ201"]
    assert codes(cli) == ["LSQ201"]


def test_a_project_of_ksqldb(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`init --dialect ksql` builds without findings; a finding is reported, suppressed by a comment, and fixed."""
    monkeypatch.chdir(tmp_path)
    assert cli("init", "bikes", "--dialect", "ksql").code == 0
    monkeypatch.chdir(tmp_path / "bikes")
    assert cli("build").code == 0
    assert cli("lint").err == "no findings\n" and cli("fmt", "--check").code == 0
    model = tmp_path / "bikes" / "models" / "arrivals.sql"
    before = model.read_text()
    changed = before.replace("bike, station, minutes\n", "bike, station AS station, minutes AS minutes\n")
    model.write_text(changed)
    ran = cli("lint")
    assert ran.code == 1 and ran.err.count("warning[LSQ825]") == 2
    assert ran.err.endswith("2 of them fixable with --fix\n")
    model.write_text(changed.replace("AS minutes\n", "AS minutes -- lint: ignore LSQ825: on purpose\n"))
    assert cli("lint").err == "no findings\n"
    model.write_text(changed.replace("CREATE STREAM", "create stream"))
    assert cli("lint", "--fix").code == 0 and cli("fmt").code == 0
    assert model.read_text() == before
