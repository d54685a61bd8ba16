"""The verbs that need no Spark: what they print, write and return."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from lsqlc.diagnostics.catalogue import codes

from .conftest import Cli, everything

CASE = "golden/bikes_at_station/a_bike_moves.jsonl"


def test_a_new_project_builds(cli: Cli, bikes: Path) -> None:
    """What `init` makes passes at once, with CI set too, and its golden files are as a build would write them."""
    before = everything(bikes)
    ran = cli("build")
    assert ran.code == 0, ran.err
    assert "1 case: 1 passed" in ran.err
    assert ran.out == ""
    after = everything(bikes)
    assert {path: content for path, content in after.items() if not path.startswith("target/")} == before
    assert {path for path in after if path.startswith("target/") and "/cache/" not in path} == {
        "target/.lsqlc-target",
        "target/manifest.json",
        "target/run_results.json",
        *(
            f"target/compiled/{engine}/{model}.sql"
            for engine in ("duckdb", "spark")
            for model in ("arrivals", "bikes_at_station", "rides_by_station")
        ),
    }
    results = json.loads(after["target/run_results.json"])
    assert results["ok"] is True and results["command"] == "build"


def test_init_names_the_project(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder's name becomes the project's, made fit to be one; `.` is the current folder."""
    here = tmp_path / "my bikes!"
    here.mkdir()
    (here / "notes.txt").write_text("mine")
    monkeypatch.chdir(here)
    assert cli("init", ".").code == 0
    assert (here / "lsqlc.yml").read_text().startswith("name: my_bikes_\n")
    assert (here / "notes.txt").read_text() == "mine"
    assert cli("build").code == 0
    assert not list(here.glob(".lsqlc-init*"))


@pytest.mark.parametrize("dialect", ["lenses", "ksql", "sql"])
def test_init_without_models(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dialect: str) -> None:
    """`--empty`: the settings and a file for topics, which build, and go on building once there is a topic."""
    monkeypatch.chdir(tmp_path)
    assert cli("init", "shop", "--empty", "--dialect", dialect).code == 0
    shop = tmp_path / "shop"
    seen = sorted(p.relative_to(shop).as_posix() for p in shop.rglob("*") if p.is_file())
    assert [p for p in seen if not p.startswith(".")] == ["lsqlc.yml", "models/topics.yml"]
    monkeypatch.chdir(shop)
    assert cli("build").code == 0
    topics = shop / "models/topics.yml"
    topics.write_text(topics.read_text("utf-8").replace("  # ", "  "), "utf-8")
    assert "orders" in cli("lineage", "orders").out
    assert cli("init", ".", "--empty").code == 2


def test_the_next_commands_can_be_pasted(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The name of a folder with spaces is in quotes."""
    monkeypatch.chdir(tmp_path)
    assert "\n  cd 'my shop'\n" in cli("init", "my shop").err


def test_warnings_of_models_are_counted_where_models_are_not_the_subject(cli: Cli, bikes: Path) -> None:
    """`compile`, `build` and `lint` show them; `test` has one line."""
    query = "SELECT station, COUNT(*) AS n FROM STREAM(rides) GROUP BY station"
    text = f"{{{{ config(dialect='sql', key_format='bare') }}}}\n{query}\n"
    (bikes / "models/counted.sql").write_text(text)
    assert cli("compile").err.count("warning[LSQ831]") == 1
    tested = cli("test")
    assert tested.code == 0 and "LSQ831" not in tested.err
    assert "1 warning of models: `lsqlc compile` shows it" in tested.err
    assert cli("docs", "build").err.count("LSQ831") == 0


@pytest.mark.parametrize(
    ("declared", "code", "message", "help"),
    [
        ("    tests: [{not_null: statoin}]\n", "LSQ870", "'rides' has no column 'statoin'", "did you mean 'station'?"),
        ("    tests: [{unique: [bike, minuts]}]\n", "LSQ870", "no column 'minuts'", "did you mean 'minutes'?"),
        ("    tests: [{condition: minuts > 1}]\n", "LSQ201", "unknown column 'minuts'", "'minutes'"),
        ("    tests: [{sql: SELECT bikee FROM STREAM(rides)}]\n", "LSQ201", "unknown column 'bikee'", "'bike'"),
        ("    columns: [{name: statoin, tests: [unique]}]\n", "LSQ870", "no column 'statoin'", "'station'?"),
        ("    columns: [{name: statoin, description: Where.}]\n", "LSQ550", "'statoin' is described", "'station'"),
        ("    tests: [{relationships: {column: station, to: bikes_at_statio, field: n}}]\n", "LSQ870",
         "unknown topic 'bikes_at_statio'", "did you mean 'bikes_at_station'?"),
        ("    tests: [{relationships: {column: station, to: bikes_at_station, field: statio}}]\n", "LSQ870",
         "'bikes_at_station' has no column 'statio'", "did you mean 'station'?"),
    ],
)  # fmt: skip
def test_the_names_of_declarations_are_checked(
    cli: Cli, bikes: Path, declared: str, code: str, message: str, help: str
) -> None:
    """Of tests and descriptions, at their places, with the nearest name that there is; no record is read."""
    topics = bikes / "models/topics.yml"
    topics.write_text(topics.read_text().replace("    key: STRING\n", f"    key: STRING\n{declared}", 1))
    ran = cli("build")
    assert ran.code == 1 and f"error[{code}]" in ran.err and message in ran.err and help in ran.err
    assert "--> models/topics.yml:" in ran.err
    assert cli("build", "--output", "json", "-q").data["ok"] is False
    assert cli("build", "--select", "arrivals").code == 1


def test_a_test_without_cases_says_so(cli: Cli, bikes: Path) -> None:
    """It is no error, and proves nothing."""
    shutil.rmtree(bikes / "tests")
    shutil.rmtree(bikes / "golden")
    ran = cli("test")
    assert ran.code == 0 and "no cases: write some, or record them" in ran.err


def test_init_overwrites_nothing(cli: Cli, bikes: Path) -> None:
    """A second `init` in the same place is refused and changes nothing."""
    (bikes / "README.md").write_text("mine")
    before = everything(bikes)
    ran = cli("init", ".")
    assert ran.code == 2 and "LSQ060" in ran.err and "'README.md'" in ran.err
    assert everything(bikes) == before


def test_init_where_a_file_is(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A name that is a file already is an error, not a crash."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bikes").write_text("")
    ran = cli("init", "bikes")
    assert ran.code == 2 and "LSQ060" in ran.err
    assert sorted(p.name for p in tmp_path.iterdir()) == ["bikes"]


def test_a_changed_model_fails_with_a_patch(cli: Cli, bikes: Path) -> None:
    """The rows that differ and a patch are shown; the patch applies, and then the build passes."""
    model = bikes / "models/bikes_at_station.sql"
    model.write_text(model.read_text().replace("COUNT(*)", "COUNT(*) + 1"))
    ran = cli("build", "--output", "json")
    assert ran.code == 1 and ran.data["ok"] is False
    assert "expected 1, found 2" in ran.err
    patches = [result["patch"] for result in ran.data["results"] if not result["ok"]]
    assert len(patches) == 2
    subprocess.run(["git", "apply"], input="".join(patches), text=True, check=True)
    assert cli("build").code == 0


def test_update_writes_goldens(cli: Cli, bikes: Path) -> None:
    """`--update` accepts what comes out; an orphan is removed with `orphaned` alone."""
    golden = (bikes / CASE).read_bytes()
    (bikes / CASE).write_text("")
    (bikes / "golden/bikes_at_station/gone.jsonl").write_text("")
    assert cli("test", "--update", "changed").code == 1
    assert (bikes / CASE).read_bytes() == golden
    assert cli("test", "--update", "orphaned").code == 0
    assert not (bikes / "golden/bikes_at_station/gone.jsonl").exists()


def test_ci_writes_no_goldens(cli: Cli, bikes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With CI set a missing golden file stays missing, whatever `--update` says."""
    (bikes / CASE).unlink()
    monkeypatch.setenv("CI", "1")
    assert cli("build", "--update", "all").code == 1
    assert not (bikes / CASE).exists()


def test_a_first_run_writes_and_fails(cli: Cli, bikes: Path) -> None:
    """A missing golden file is written for review, and the run fails once."""
    golden = (bikes / CASE).read_bytes()
    (bikes / CASE).unlink()
    ran = cli("build")
    assert ran.code == 1 and "LSQ513" in ran.err
    assert (bikes / CASE).read_bytes() == golden
    assert cli("build").code == 0


def test_a_build_removes_sql_of_models_that_are_gone(cli: Cli, bikes: Path) -> None:
    """Compiled SQL is that of the models there are; a build of some leaves the others' alone."""
    assert cli("build").code == 0
    (bikes / "models/rides_by_station.sql").unlink()
    topics = bikes / "models/topics.yml"
    topics.write_text(topics.read_text().replace("name: rides_by_station", "name: arrivals").replace(
        "  - name: arrivals\n    description: Where each ride ended.\n", ""))  # fmt: skip
    assert cli("build", "--select", "arrivals").code == 0
    assert (bikes / "target/compiled/spark/rides_by_station.sql").exists()
    assert cli("build").code == 0
    assert not (bikes / "target/compiled/spark/rides_by_station.sql").exists()
    assert (bikes / "target/compiled/spark/arrivals.sql").exists()


def test_compile_shows_plans_and_sql(cli: Cli, bikes: Path) -> None:
    """A selection prints the plan tree and each engine's SQL; the manifest of the whole is left alone."""
    ran = cli("compile", "--select", "rides_by_station")
    assert ran.code == 0
    assert ran.out.startswith("model rides_by_station\nSink rides_by_station [TABLE]")
    assert "-- duckdb\n" in ran.out and "-- strategy: STREAM aggregation, native" in ran.out
    assert not (bikes / "target").exists()
    shown = cli("compile", "-s", "rides_by_station", "--engine", "duckdb")
    assert "-- spark" not in shown.out
    data = cli("compile", "-s", "rides_by_station", "--output", "json").data
    assert set(data["plans"]) == {"rides_by_station"}
    assert set(data["plans"]["rides_by_station"]["sql"]) == {"duckdb", "spark"}


def test_compile_writes_the_manifest_alone(cli: Cli, bikes: Path) -> None:
    """Without `--write` there is no SQL below target/; with it there is."""
    assert cli("compile").code == 0
    assert (bikes / "target/manifest.json").exists() and not (bikes / "target/compiled").exists()
    assert cli("compile", "--write", "--engine", "spark").code == 0
    assert sorted(p.name for p in (bikes / "target/compiled").iterdir()) == ["spark"]


def test_what_spark_cannot_run_is_a_comment(cli: Cli, bikes: Path) -> None:
    """The compiled file of a model without a form on Spark says why, and the build is good."""
    (bikes / "models/repairs.yml").write_text(
        "topics:\n  - {name: repairs, key: INT, value: 'station STRING, parts MAP<STRING, INT>'}\n"
    )
    (bikes / "models/all.sql").write_text("SELECT TABLE COUNT(parts) AS n FROM repairs GROUP BY station")
    ran = cli("build")
    assert ran.code == 0, ran.err
    text = (bikes / "target/compiled/spark/all.sql").read_text()
    assert "cannot run on Spark yet" in text
    assert all(line.startswith("-- ") for line in text.splitlines())


def test_ls(cli: Cli, bikes: Path) -> None:
    """Models with semantics, what they read and write, and tags; selectors choose."""
    models = {m["name"]: m for m in cli("ls", "--output", "json").data["models"]}
    assert models["bikes_at_station"] == {
        "name": "bikes_at_station",
        "path": "models/bikes_at_station.sql",
        "status": "ok",
        "semantics": {"bikes_at_station": "TABLE"},
        "reads": ["arrivals"],
        "writes": ["bikes_at_station"],
        "depends_on": ["arrivals"],
        "tags": ["live"],
    }
    rows = cli("ls", "--select", "+tag:live", "--exclude", "tag:live").out.splitlines()
    assert len(rows) == 3 and rows[2].split()[:2] == ["arrivals", "STREAM"]


def test_ls_of_a_broken_project(cli: Cli, bikes: Path) -> None:
    """A model with errors is listed as such."""
    (bikes / "models/arrivals.sql").write_text("SELECT STREAM FROM")
    models = {m["name"]: m["status"] for m in cli("ls", "--output", "json").data["models"]}
    assert models == {"arrivals": "failed", "bikes_at_station": "skipped", "rides_by_station": "skipped"}


def test_explain(cli: Cli) -> None:
    """A page by its code, in any case or as a bare number; all codes without one."""
    page = cli("explain", "LSQ030").out
    assert page.startswith("# ")
    assert cli("explain", "lsq030").out == page == cli("explain", "30").out
    assert cli("explain", "LSQ030", "--output", "json").data["page"] == page
    assert len(cli("explain").out.splitlines()) == len(codes())
    ran = cli("explain", "LSQ03")
    assert ran.code == 2 and "did you mean" in ran.err


def test_clean(cli: Cli, bikes: Path) -> None:
    """target/ goes, what people wrote stays; topics go only when named."""
    before = everything(bikes)
    assert cli("build").code == 0 and cli("seed").code == 0
    assert cli("clean", "--output", "json").data["removed"] == ["target"]
    assert (bikes / ".lsqlc/topics").is_dir()
    assert cli("clean", "--topics").code == 0
    assert everything(bikes) == before
    assert "nothing to remove" in cli("clean").err


def test_debug(cli: Cli, bikes: Path) -> None:
    """Every check has a name; in a good project all that is not Java or Spark is well."""
    ran = cli("debug", "--output", "json")
    checks = {check["name"]: check for check in ran.data["checks"]}
    assert {"lsqlc", "python", "duckdb", "sqlglot", "pyspark", "project", "target", "java"} <= set(checks)
    assert checks["project"]["ok"] and checks["duckdb runs"]["ok"] and checks["target"]["ok"]
    assert ran.code == (0 if ran.data["ok"] else 1)


def test_debug_says_what_is_missing(cli: Cli, bikes: Path) -> None:
    """An unreachable server and a broken project are failed checks with a way out, and exit code 1."""
    (bikes / "profiles.yml").write_text("targets: {far: {type: connect, address: 'sc://localhost:1'}}\n")
    (bikes / "models/topics.yml").write_text("topix: []\n")
    ran = cli("debug")
    assert ran.code == 1
    assert "fail  project" in ran.out and "fail  spark server: LSQ655" in ran.out
    assert ran.out.count("help: ") >= 2


def test_quiet_keeps_errors(cli: Cli, bikes: Path) -> None:
    """With `--quiet` a good command says nothing, a bad one its errors."""
    ran = cli("build", "--quiet")
    assert (ran.code, ran.out, ran.err) == (0, "", "")
    (bikes / "models/arrivals.sql").write_text("SELECT STREAM bikes FROM rides")
    ran = cli("compile", "--quiet")
    assert ran.code == 1 and "LSQ201" in ran.err and "LSQ033" not in ran.err


def test_vars_reach_templates(cli: Cli, bikes: Path) -> None:
    """A variable of the command line is what var() gives, and another value is another build."""
    (bikes / "models/long.sql").write_text("SELECT STREAM bike FROM rides WHERE minutes > {{ var('longest') }}")
    assert cli("compile").code == 1
    for number in (30, 31):
        assert cli("compile", "--vars", f"longest: {number}").code == 0
        assert f"minutes > {number}" in cli("compile", "-s", "long", "--vars", f"longest: {number}").out
