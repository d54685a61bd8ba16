"""`lsqlc test --coverage` as a user runs it, over the template's project."""

from __future__ import annotations

from pathlib import Path

from tests.cli.conftest import Cli

_MODEL = """SELECT STREAM
    bike
  , station
FROM arrivals
WHERE minutes > {{ 3 }}
    OR station = 's';
"""
_CASES = """
cases:
  - name: a long ride
    model: long_rides
    golden: false
    inputs:
      arrivals:
        - {key: a, value: {bike: a, station: s, minutes: 4}}
    expect:
      long_rides:
        - {key: a, value: {bike: a, station: s}}
  - name: a record that cannot be read
    model: long_rides
    golden: false
    inputs:
      arrivals:
        - {key: a, raw: '{'}
    expect:
      long_rides: []
"""
_PATH = "models/long_rides.sql"


def project(bikes: Path) -> None:
    (bikes / _PATH).write_text(_MODEL, "utf-8")
    (bikes / "tests" / "own.yml").write_text(_CASES, "utf-8")


def test_what_no_case_reaches_is_shown_with_its_place(cli: Cli, bikes: Path) -> None:
    """A case with an error reaches nothing, and leaves the others as they are."""
    project(bikes)
    ran = cli("test", "--coverage", "--select", "long_rides", "--lcov", "cases.lcov")
    assert ran.code == 1, "one case has an error"
    assert f"  {_PATH}:5:7: minutes > 3: never false, never NULL\n" in ran.out
    assert f"  {_PATH}:6:8: station = 's': never false, never NULL\n" in ran.out
    assert "  never NULL: arrivals.bike, arrivals.station, arrivals.minutes" in ran.out
    assert "2 of 9 outcomes reached, 22 %" in ran.err
    lcov = (bikes / "cases.lcov").read_text("utf-8").splitlines()
    assert lcov[:2] == ["TN:", f"SF:{_PATH}"] and lcov[-1] == "end_of_record"
    assert {"BRF:9", "BRH:2", "DA:2,0", "DA:5,1"} < set(lcov)
    data = cli("test", "--coverage", "--select", "long_rides", "--output", "json", "-q").data
    (model,) = data["coverage"]["models"]
    assert (model["reached"], model["total"], model["cases"]) == (2, 9, 1)
    condition = next(point for point in model["points"] if point["text"] == "minutes > 3")
    assert (condition["reached"], condition["missing"]) == (["true"], ["false", "NULL"])
    assert (condition["span"]["line"], condition["span"]["column"]) == (5, 7)


def test_a_share_that_is_too_small_fails(cli: Cli, bikes: Path) -> None:
    """Also where all cases pass; in the JSON document too."""
    assert cli("test", "--update", "all").code == 0
    share = cli("test", "--coverage", "--output", "json", "-q").data["coverage"]["percent"]
    assert 0 < share < 100
    assert cli("test", "--coverage", "--fail-under", f"{share - 1}").code == 0
    ran = cli("test", "--coverage", "--fail-under", "100", "--output", "json")
    assert (ran.code, ran.data["ok"], all(each["ok"] for each in ran.data["results"])) == (1, False, True)


def test_models_without_cases_reach_nothing(cli: Cli, bikes: Path) -> None:
    for path in (bikes / "tests").glob("*.yml"):
        path.unlink()
    ran = cli("test", "--coverage", "--select", "rides_by_station", "--update", "all")
    assert ran.code == 0 and "0 of " in ran.err and "no cases" in ran.err


def test_options_that_do_not_go_together(cli: Cli, bikes: Path) -> None:
    """Are refused before anything runs; a file that cannot be written is an error."""
    assert (cli("test", "--lcov", "x").code, (bikes / "x").exists()) == (2, False)
    assert "--coverage" in cli("test", "--fail-under", "3").err
    assert cli("test", "--coverage", "--engine", "spark").code == 2
    assert cli("test", "--coverage", "--fail-under", "101").code == 2
    assert cli("test", "--coverage", "--record", "arrivals").code == 2
    assert "LSQ068" in cli("test", "--coverage", "--lcov", "tests").err
