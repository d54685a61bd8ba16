"""`lsqlc test --orders` as a user runs it, over the template's project."""

from __future__ import annotations

from pathlib import Path

from tests.cli.conftest import Cli

_CASES = """
cases:
  - name: two rides
    model: first_bike
    golden: false
    inputs:
      arrivals:
        - {key: a, value: {bike: a, station: s}}
        - {key: b, value: {bike: b, station: s}}
        - {key: c, value: {bike: c, station: t}}
    expect:
      first_bike:
        - {key: s, value: {bike: a}}
        - {key: t, value: {bike: c}}
"""


def test_a_model_that_depends_on_the_order_fails(cli: Cli, bikes: Path) -> None:
    """With the records that show it; a model that does not passes."""
    model = bikes / "models" / "first_bike.sql"
    model.write_text("SELECT STREAM FIRST(bike) AS bike FROM arrivals GROUP BY station;\n", "utf-8")
    (bikes / "tests" / "own.yml").write_text(_CASES, "utf-8")
    assert cli("test", "--update", "all").code == 0
    ran = cli("test", "--orders", "10", "--select", "first_bike")
    assert ran.code == 1 and "first_bike: depends on the order of records" in ran.out
    assert "5 other orders of records: 1 model of 1 depends on them" in ran.err
    assert '- {topic: "arrivals", key: "c"' not in ran.out, "the record of another station does not matter"
    ran = cli("test", "--orders", "10", "--exclude", "first_bike", "--output", "json")
    assert (ran.code, ran.data["ok"], {each["depends"] for each in ran.data["orders"]}) == (0, True, {False})
    assert cli("test", "--orders", "3", "--engine", "spark").code == 2
    assert cli("test", "--orders", "-1").code == 2


def test_laws_hold_for_the_template(cli: Cli, bikes: Path) -> None:
    """With the other checks in one document."""
    assert cli("test", "--update", "all").code == 0
    ran = cli("test", "--laws", "--orders", "2", "--coverage", "--select", "rides_by_station", "--output", "json")
    (laws,) = ran.data["laws"]
    assert (ran.code, laws["violation"]) == (0, None) and laws["tried"]["partition"] >= 20
    assert {"coverage", "orders", "results"} < ran.data.keys()
    assert "no violation" in ran.err
