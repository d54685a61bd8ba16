"""Somebody who knows dbt begins a project in standard SQL: what they type, and what the command line answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Cli, cli

__all__ = ["cli"]
BUSY = """{{ config(tags=['daily']) }}
select station, count(*) as n from {{ %s }} where station is not null group by station
"""
YAML = """models:
  - name: busy
    description: Where bikes are.
    columns:
      - {name: station, description: A station., tests: [not_null, unique]}
"""


@pytest.fixture
def shop(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The project that `init` makes, as the current folder."""
    monkeypatch.chdir(tmp_path)
    assert cli("init", "shop", "--dialect", "sql").code == 0
    monkeypatch.chdir(tmp_path / "shop")
    return tmp_path / "shop"


@pytest.mark.parametrize(
    ("text", "message", "help"),
    [
        ("config(materialized='table')", "'table' is not a valid materialized", "remove it: the query decides"),
        ("config(materialized='incremental')", "'incremental' is not a valid", "every model is incremental"),
        ("config(materialized='view')", "'view' is not a valid materialized", "as WITH in the models that read it"),
        ("config(unique_key='id')", "config() has no setting 'unique_key'", "write key=[...]"),
        ("ref('rides')", "unknown model 'rides'", "'rides' is a declared topic: write {{ source('rides') }}"),
        ("source('raw', 'rides')", "unknown source 'raw'", "write source('rides'), or name the group"),
        ("source('raw', 'nix')", "unknown source 'raw'", ""),
    ],
)
def test_a_word_of_dbt_is_answered_with_what_to_write(cli: Cli, shop: Path, text: str, message: str, help: str) -> None:
    """Where it has another meaning here, the help says which."""
    config, source = (text, "ref('arrivals')") if text.startswith("config") else ("config()", text)
    (shop / "models/busy.sql").write_text(f"{{{{ {config} }}}}\n{BUSY.splitlines()[1] % source}\n")
    built = cli("build")
    assert built.code == 1 and message in built.err and help in built.err


@pytest.mark.parametrize(
    ("verb", "help"), [("list", "`lsqlc ls`"), ("parse", "`lsqlc compile`"), ("deps", "no packages"), ("nix", "")]
)
def test_a_verb_of_dbt_is_answered_with_the_verb_here(cli: Cli, verb: str, help: str) -> None:
    """As wrong usage."""
    refused = cli(verb)
    assert refused.code == 2 and f"No such command '{verb}'" in refused.err and help in refused.err


@pytest.mark.spark
def test_from_init_to_rows_and_docs(cli: Cli, shop: Path) -> None:
    """Seeds, a model over a source, tests, a run, its rows, and the site."""
    (shop / "models/busy.sql").write_text(BUSY % "source('rides')")
    (shop / "models/busy.yml").write_text(YAML)
    (shop / "profiles.yml").write_text(
        "default: dev\ntargets:\n  dev: {type: embedded, topics: \"{{ env_var('TOPICS', '.lsqlc/topics') }}\"}\n"
    )
    assert "60 records" in cli("seed").err
    built = cli("build")
    assert built.code == 0 and "4 models compiled" in built.err
    assert [line.split()[0] for line in cli("ls", "--select", "tag:daily").out.splitlines()[2:]] == [
        "busy", "rides_by_station",
    ]  # fmt: skip
    run = cli("run", "--select", "busy")
    assert run.code == 0 and "'busy', from the beginning" in run.err
    rows = cli("show", "busy", "--output", "json").lines
    assert {row["value"]["station"]: row["value"]["n"] for row in rows} == {
        "harbour": 3, "museum": 3, "park": 2, "station": 4,
    }  # fmt: skip
    tested = cli("check", "busy")
    assert tested.code == 0, tested.err
    assert cli("docs", "build").code == 0 and (shop / "target/docs/index.html").is_file()
