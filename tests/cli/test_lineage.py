"""`lsqlc lineage` over the template's project, and the lineage in the manifest."""

from __future__ import annotations

import json
from pathlib import Path

from lsqlc.plan.lineage import lineage_from
from tests.cli.conftest import Cli


def test_a_column_is_followed_through_models(cli: Cli, bikes: Path) -> None:
    """`minutes` becomes a mean two models on; that a ride is cancelled decides about every record there is."""
    answer = cli("lineage", "rides_by_station.minutes", "--output", "json")
    assert answer.code == 0
    sources = [{"topic": "arrivals", "column": f"_value.{name}", "uses": [use]} for name, use in
               (("minutes", "value"), ("station", "key"))]  # fmt: skip
    column = {"topic": "rides_by_station", "column": "_value.minutes", "sources": sources}
    assert answer.data["columns"] == [column]
    found = {(s["topic"], s["column"]): s["uses"] for s in answer.data["upstream"]}
    assert found["rides", "_value.minutes"] == ["value"]
    assert found["rides", "_value.cancelled"] == ["filter"]
    assert answer.data["downstream"] == []
    below = cli("lineage", "rides._value.cancelled", "--output", "json").data["downstream"]
    assert {s["topic"] for s in below} == {"arrivals", "bikes_at_station", "rides_by_station"}
    assert {tuple(s["uses"]) for s in below} == {("filter",)}


def test_a_topic_stands_for_all_its_columns(cli: Cli, bikes: Path) -> None:
    """As a table for people: each column with what it comes from, then both directions."""
    out = cli("lineage", "arrivals").out
    assert "arrivals._value.minutes  rides._value.cancelled (filter), rides._value.minutes" in out
    assert "bikes_at_station._value.station" in out.partition("downstream")[2]


def test_no_such_topic_or_column_is_wrong_usage(cli: Cli, bikes: Path) -> None:
    """With the nearest name; what is asked after the last known name is the column."""
    wrong = cli("lineage", "arrivals.minuts")
    assert (wrong.code, wrong.out) == (2, "")
    assert "error[LSQ095]: 'arrivals' has no column 'minuts'" in wrong.err
    assert "did you mean 'minutes'?" in wrong.err
    nothing = cli("lineage", "arrival.minutes")
    assert nothing.code == 2
    assert "error[LSQ063]" in nothing.err and "did you mean 'arrivals'?" in nothing.err


def test_a_topic_with_dots_in_its_name_is_found(cli: Cli, bikes: Path) -> None:
    """The longest name that there is, then the column."""
    Path("models/dots.sql").write_text("INSERT INTO shop.rides.v1 SELECT STREAM bike AS b.id FROM rides")
    answer = cli("lineage", "shop.rides.v1.b", "--output", "json")
    assert [c["column"] for c in answer.data["columns"]] == ["_value.b.id"]
    assert len(cli("lineage", "shop.rides.v1", "--output", "json").data["columns"]) == 2


def test_a_model_with_errors_hides_no_other(cli: Cli, bikes: Path) -> None:
    """What can be told is told, and that something is missing; the model itself shows its errors."""
    Path("models/broken.sql").write_text("SELECT STREAM nothing FROM rides")
    answer = cli("lineage", "arrivals.bike")
    assert answer.code == 0
    assert "1 model has errors" in answer.err
    assert "LSQ201" in cli("lineage", "broken").err


def test_the_manifest_has_the_lineage(cli: Cli, bikes: Path) -> None:
    """Of each model, by written topic; the same after a build that compiled nothing again."""
    assert cli("compile").code == 0
    manifest = Path("target/manifest.json")
    first = manifest.read_bytes()
    (found,) = lineage_from(json.loads(first)["models"]["arrivals"]["lineage"])
    assert found.topic == "arrivals"
    assert [c.name for c in found.columns["_value.bike"]] == ["_value.bike"]
    page = (Path(__file__).parents[2] / "docs" / "how-to/lineage.md").read_text("utf-8")
    shown = json.loads(page.partition("```json\n")[2].partition("```")[0])
    assert json.loads(first)["models"]["rides_by_station"]["lineage"] == shown, "what the page shows"
    Path("models/topics.yml").write_text(Path("models/topics.yml").read_text() + "\n")
    assert cli("compile").code == 0
    assert manifest.read_bytes() == first
