"""`lsqlc state show`: what the queries of a model keep."""

from __future__ import annotations

from pathlib import Path

from tests.shared import SharedServer

from .conftest import Cli


def test_states_of_a_run(cli: Cli, bikes: Path, spark_server: SharedServer) -> None:
    """The operators of each query with their rows, and the rows of one by key, by condition and after a batch."""
    (bikes / "profiles.yml").write_text(f"targets: {{shared: {{type: connect, address: '{spark_server.address}'}}}}\n")
    assert cli("seed").code == 0
    never = cli("state", "show", "bikes_at_station")
    assert never.code == 1 and "error[LSQ673]" in never.err
    ran = cli("run", "--files-per-batch", "1", "--select", "arrivals", "bikes_at_station", "rides_by_station")
    assert ran.code == 0, ran.err

    found = cli("state", "show", "bikes_at_station", "--output", "json")
    assert found.code == 0, found.err
    [query] = found.data["queries"]
    groups, rides = query["operators"]
    assert (query["query"], query["batch"]) == ("bikes_at_station", 3)
    assert (groups["keeps"], groups["rows"]) == ("one row per group: STRING", 6)
    assert rides["keeps"] == "the two newest versions of each row, by key STRING" and rides["rows"] == 12
    assert all(each["partitions"] == 1 and each["bytes"] > 0 for each in query["operators"])

    shown = {row["key"]: row["value"]["sum"] for row in cli_rows(cli, "bikes_at_station", "--operator", "0")}
    table = {row["key"]: row["value"]["bikes"] for row in cli("show", "bikes_at_station", "--output", "json").lines}
    assert {station: bikes for station, bikes in shown.items() if bikes} == table
    [park] = cli_rows(cli, "rides_by_station", "--key", "park")
    assert park["key"] == "park" and park["value"]["count"] == 10
    [before] = cli_rows(cli, "rides_by_station", "--key", "park", "--batch", "1")
    assert before["value"]["count"] == 4
    many = cli_rows(cli, "rides_by_station", "--where", "value.count > 10")
    assert [row["key"] for row in many] == ["harbour", "museum", "station"]
    # The versions of a bike, the newest first; one that was seen once has one.
    versions = cli_rows(cli, "bikes_at_station", "--operator", "1", "--limit", "0")
    assert all([v["_ord"] for v in row["value"]["values"]] == sorted(ordinals(row), reverse=True) for row in versions)
    assert len(cli_rows(cli, "bikes_at_station", "--operator", "1", "--limit", "5")) == 5

    for words, code, says in (
        (("arrivals",), "LSQ672", "keeps no state"),
        (("nothing",), "LSQ063", "unknown topic or model 'nothing'"),
        (("rides_by_station", "--operator", "3"), "LSQ675", "its operators are 0"),
        (("rides_by_station", "--query", "rides_by_stage"), "LSQ675", "rides_by_station"),
        (("rides_by_station", "--batch", "99"), "LSQ675", "0 to 3"),
        (("rides_by_station", "--key", '{"station": "park"}'), "LSQ674", "_group"),
        (("rides_by_station", "--where", "rides > 8"), "LSQ674", "'value.count'"),
        (("rides_by_station", "--where", "value.count >"), "LSQ674", "'value.count'"),
    ):
        wrong = cli("state", "show", *words)
        assert wrong.code and f"error[{code}]" in wrong.err and says in wrong.err, (words, wrong.err)
    none = cli("state", "show", "rides_by_station", "--key", "moon")
    assert none.code == 0 and not none.out and "no row of the state is like that" in none.err


def cli_rows(cli: Cli, *words: str) -> list[dict]:  # type: ignore[type-arg]
    ran = cli("state", "show", *words, "--output", "json")
    assert ran.code == 0, ran.err
    return ran.lines


def ordinals(row: dict) -> list[int]:  # type: ignore[type-arg]
    return [version["_ord"] for version in row["value"]["values"]]
