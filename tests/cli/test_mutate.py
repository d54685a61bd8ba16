"""`lsqlc mutate` as a user runs it, over the template's project."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.cli.conftest import Cli

_CASES = """
cases:
  - name: a ride counts
    model: rides_by_station
    golden: false
    arrivals:
      - {topic: arrivals, key: b, value: {bike: b, station: s, minutes: 4}}
      - {topic: arrivals, key: c, value: {bike: c, minutes: 4}}
    expect:
      rides_by_station:
        - {key: s, value: {station: s, rides: 1, minutes: 4.0}}
"""


def edits(cli: Cli, *words: str) -> dict[str, list[dict[str, Any]]]:
    ran = cli("mutate", "--search", "1", "--output", "json", "-q", *words)
    return {model["name"]: model["edits"] for model in ran.data["models"]}


def test_an_edit_that_no_case_notices_is_shown_with_records(cli: Cli, bikes: Path) -> None:
    """And a case of these records notices it."""
    model = bikes / "models" / "rides_by_station.sql"
    text = model.read_text("utf-8")
    assert "GROUP BY station" in text
    model.write_text(text.replace("GROUP BY station", "WHERE minutes > 3 GROUP BY station"), "utf-8")
    for path in (bikes / "tests").glob("*.yml"):
        path.unlink()
    (bikes / "tests" / "own.yml").write_text(_CASES, "utf-8")
    found = {
        (edit["old"], edit["new"]): edit for edit in edits(cli, "--select", "rides_by_station")["rides_by_station"]
    }
    assert found[">", ">="]["verdict"] == "unnoticed" and found["3", "4"]["verdict"] == "noticed"
    assert found[">", ">="]["search"]["answer"] == "different"
    assert found["3", "4"]["search"] is None
    ran = cli("mutate", "--select", "rides_by_station", "--search", "1", "--fail-under", "99", "--write")
    assert (
        ran.code == 1 and ">= for >: no case notices" in ran.out and "wrote tests/rides_by_station_edits.yml" in ran.err
    )
    cli("test", "--update", "all")
    again = cli("mutate", "--select", "rides_by_station", "--search", "1", "--fail-under", "100")
    assert (again.code, "no case notices" in again.out) == (0, False)


def test_a_model_without_edits(cli: Cli, bikes: Path) -> None:
    """Has nothing that a case could miss."""
    ran = cli("mutate", "--select", "rides_by_station", "--fail-under", "100")
    assert ran.code == 0 and "no edit changes an answer" in ran.err
