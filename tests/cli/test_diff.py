"""`lsqlc diff` as a user runs it: in a repository, over edits of the template's project."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Cli, everything


def git(folder: Path, *words: str) -> str:
    who = ("-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "commit.gpgsign=false")
    return subprocess.run(["git", *who, *words], cwd=folder, check=True, capture_output=True, text=True).stdout


@pytest.fixture
def repository(bikes: Path) -> Path:
    """The template's project, committed; it lies in a subfolder of the repository."""
    git(bikes.parent, "init", "-q")
    git(bikes.parent, "add", "-A")
    git(bikes.parent, "commit", "-q", "-m", "first")
    return bikes


def edit(project: Path, name: str, old: str, new: str) -> None:
    path = project / "models" / f"{name}.sql"
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), "utf-8")


def undescribed(project: Path) -> None:
    """Take away what the project says of its models."""
    path = project / "models" / "topics.yml"
    path.write_text(path.read_text("utf-8").partition("\nmodels:")[0], "utf-8")


def diff(cli: Cli, *words: str, against: str = "HEAD") -> dict[str, Any]:
    ran = cli("diff", "--against", against, "--output", "json", "-q", *words)
    return {model["name"]: model for model in ran.data["models"]}


def rules(model: dict[str, Any]) -> list[str]:
    return [change["rule"] for change in model["changes"]]


def test_nothing_changed(cli: Cli, repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No model is named, and nothing is written; what a hook is told of its repository leads nowhere else."""
    monkeypatch.setenv("GIT_DIR", "elsewhere")
    before = everything(repository.parent)
    ran = cli("diff", "--against", "HEAD", "--fail-on", "cosmetic")
    assert (ran.code, ran.out, ran.err) == (0, "", "no model changed\n")
    assert everything(repository.parent) == before


def test_a_comment_is_cosmetic(cli: Cli, repository: Path) -> None:
    """A re-indented model has the plan that it had, its queries go on, and its readers are not concerned."""
    edit(repository, "arrivals", "FROM rides", "FROM   rides -- all of them")
    found = diff(cli)
    assert found.keys() == {"arrivals"}
    model = found["arrivals"]
    assert (model["category"], rules(model), model["plan"]) == ("cosmetic", ["text"], None)
    assert model["state"] == {"verdict": "continues", "rules": ["same"], "reasons": [], "growth": []}
    assert model["downstream"] == []


def test_a_state_that_grows_with_updates(cli: Cli, repository: Path) -> None:
    """It is reported where it is new: of a new model, and of one that had another state."""
    join = "SELECT TABLE a.minutes FROM arrivals AS a INNER JOIN arrivals AS b ON {}"
    model = repository / "models" / "pairs.sql"
    model.write_text(join.format("a._key = b._key"), "utf-8")
    assert diff(cli)["pairs"]["state"]["growth"] == []
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "pairs")
    model.write_text(join.format("a.minutes = b.minutes"), "utf-8")
    (growth,) = diff(cli)["pairs"]["state"]["growth"]
    assert growth.startswith("all versions of the rows of both sides") and growth.endswith("growing with updates")
    assert f"    new: {growth}\n" in cli("diff", "--against", "HEAD").out
    git(repository, "commit", "-qam", "by minutes")
    model.write_text(join.format("a.minutes = b.minutes AND a.minutes > 3"), "utf-8")
    assert diff(cli)["pairs"]["state"]["growth"] == []


def test_a_renamed_column(cli: Cli, repository: Path) -> None:
    """The column, the nodes, the state, and who reads it; readers that don't use the column have the plan they had."""
    edit(repository, "arrivals", ", minutes", ", minutes AS mins")
    edit(repository, "rides_by_station", "AVG(minutes)", "AVG(mins)")
    ran = cli("diff", "--against", "HEAD", "--select", "arrivals", "--fail-on", "breaking")
    assert ran.code == 1
    assert ran.out.startswith("~ arrivals: breaking\n  compatible  the plan has changed: rows may differ\n")
    assert "  breaking    arrivals: minutes is now called mins\n" in ran.out
    assert "    +   Project [STREAM] key _key (string), value {bike: bike, station: station, mins: minutes}" in ran.out
    assert "          Scan [STREAM] rides key" in ran.out
    assert (
        "  state: cannot be read by the consumers of the topic\n"
        "    arrivals: 'arrivals': minutes is now called mins\n"
        "    arrivals: the projection has changed\n"
    ) in ran.out
    assert (
        "  columns of arrivals: minutes, mins\n  columns downstream\n    rides_by_station: minutes (value)\n" in ran.out
    )
    assert ran.out.endswith("  downstream: bikes_at_station, rides_by_station\n")
    assert ran.err == "1 model changed: 1 breaking\n"
    found = diff(cli)
    assert rules(found["bikes_at_station"]) == ["unused input"]
    assert found["bikes_at_station"]["state"]["verdict"] == "unknown"
    assert "'arrivals' upstream requires a replay" in found["bikes_at_station"]["state"]["reasons"][0]
    assert rules(found["rides_by_station"]) == ["plan"]


def test_tables_that_follow_a_changed_model(cli: Cli, repository: Path) -> None:
    """Other types and another key need a rebuild; new and removed columns do not. Other models have no line."""
    path = repository / "models" / "topics.yml"
    declared = path.read_text("utf-8")

    def follow(rides: str, bikes: str) -> None:
        text = declared.replace("    tags: [daily]\n", f"    tags: [daily]\n    tables: {rides}\n")
        path.write_text(text.replace("    tags: [live]\n", f"    tags: [live]\n    tables: {bikes}\n"), "utf-8")

    follow("[{store: lake}, {store: pg, key: station}, {store: old}]", "[{store: lake}]")
    git(repository, "add", "-A")
    git(repository, "commit", "-q", "-m", "tables")
    follow("[{store: lake}, {store: pg, key: place}, {store: new}]", "[{store: lake}]")
    edit(repository, "rides_by_station", ", COUNT(*)     AS rides", ", CAST(COUNT(*) AS STRING) AS rides, 1 AS one")
    edit(repository, "rides_by_station", ", AVG(minutes) AS minutes", "")
    models = diff(cli)
    rebuild, rides = "needs `lsqlc tables sync", "'rides' was BIGINT, and is STRING"
    assert models["rides_by_station"]["tables"] == [
        f"lake.rides_by_station: {rebuild} lake.rides_by_station --rebuild`: {rides}",
        "new.rides_by_station: is created by the next sync",
        "old.rides_by_station: no longer follows the topic",
        f"pg.rides_by_station: {rebuild} pg.rides_by_station --rebuild`: its key was station, and is place",
        f"pg.rides_by_station: {rebuild} pg.rides_by_station --rebuild`: {rides}",
    ]
    assert "bikes_at_station" not in models
    edit(repository, "rides_by_station", "CAST(COUNT(*) AS STRING) AS rides", "COUNT(*) AS rides")
    assert diff(cli)["rides_by_station"]["tables"][:2] == [
        "lake.rides_by_station: gets 'one', null in older rows",
        "lake.rides_by_station: 'minutes' will be null in new and changed rows",
    ]
    assert "  table new.rides_by_station: is created by the next sync" in cli("diff", "--against", "HEAD").out


def test_added_and_removed_models(cli: Cli, repository: Path) -> None:
    """A new topic is additive; one that nobody writes any more is breaking; a model under another name is neither."""
    models = repository / "models"
    (models / "long.sql").write_text("SELECT STREAM bike FROM rides WHERE minutes > 60", "utf-8")
    (models / "rides_by_station.sql").unlink()
    moved = (models / "bikes_at_station.sql").read_text("utf-8")
    (models / "bikes_at_station.sql").unlink()
    (models / "moved.sql").write_text(f"INSERT INTO bikes_at_station\n{moved}", "utf-8")
    undescribed(repository)
    found = diff(cli)
    assert {name: (m["status"], rules(m), m["state"]["verdict"]) for name, m in found.items()} == {
        "arrivals": ("modified", ["about"], "continues"),
        "bikes_at_station": ("removed", ["model removed"], "gone"),
        "long": ("added", ["model added", "topic added"], "new"),
        "moved": ("added", ["model added"], "unknown"),
        "rides_by_station": ("removed", ["model removed", "topic removed"], "gone"),
    }
    assert found["moved"]["state"]["reasons"] == ["the topic 'bikes_at_station' has records of another model's queries"]
    assert diff(cli, "--select", "long").keys() == {"long"}


@pytest.mark.parametrize(("gate", "code"), [("cosmetic", 1), ("additive", 1), ("compatible", 1), ("breaking", 0)])
def test_the_gate(cli: Cli, repository: Path, gate: str, code: int) -> None:
    """A change of the category or of a weightier one fails, a lighter one does not."""
    edit(repository, "arrivals", "NOT cancelled", "minutes > 3")
    ran = cli("diff", "--against", "HEAD", "--fail-on", gate, "--output", "json", "-q")
    assert (ran.code, ran.data["ok"]) == (code, code == 0)
    assert cli("diff", "--against", "HEAD").code == 0


def test_a_macro_marks_the_models_that_it_changes(cli: Cli, repository: Path) -> None:
    """The file of the model is what it was; what it compiles to is not. A description alone is cosmetic."""
    (repository / "macros").mkdir(exist_ok=True)
    macro = repository / "macros" / "limits.sql"
    macro.write_text("{% macro least() %}3{% endmacro %}", "utf-8")
    edit(repository, "arrivals", "NOT cancelled", "minutes > {{ least() }}")
    git(repository, "add", "-A")
    git(repository, "commit", "-q", "-m", "second")
    macro.write_text("{# why #}{% macro least() %}4{% endmacro %}", "utf-8")
    assert rules(diff(cli)["arrivals"]) == ["plan"]
    macro.write_text("{# why #}{% macro least() %}3{% endmacro %}", "utf-8")
    assert diff(cli) == {}
    undescribed(repository)
    model = diff(cli)["arrivals"]
    assert (rules(model), model["category"], model["state"]["verdict"]) == (["about"], "cosmetic", "continues")


def test_against_a_manifest(cli: Cli, repository: Path) -> None:
    """Topics are compared as with a revision; of plans and state only sameness is known."""
    assert cli("compile", "-q").code == 0
    manifest = repository / "old.json"
    manifest.write_bytes((repository / "target" / "manifest.json").read_bytes())
    assert diff(cli, against="old.json") == {}
    edit(repository, "arrivals", ", minutes", ", minutes, cancelled")
    edit(repository, "rides_by_station", "SELECT", "--x\nSELECT")
    model = diff(cli, against="old.json")["arrivals"]
    assert (rules(model), model["plan"], model["state"]["verdict"]) == (["plan", "column added"], None, "unknown")
    assert model["downstream"] == ["bikes_at_station", "rides_by_station"]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "no such file"),
        ("{", "not a manifest of lsqlc"),
        ("[]", "not a manifest of lsqlc"),
        ("{}", "there is no 'version'"),
        ('{"version": 9}', "it is of version 9, and this lsqlc reads version 1"),
        ('{"version": 1, "fingerprints": 2, "lsqlc": "1", "models": {}}', "its fingerprints are of version 2"),
        ('{"version": 1, "lsqlc": "1", "models": {"a": []}}', "not a manifest of lsqlc"),
    ],
)
def test_a_bad_manifest(cli: Cli, repository: Path, content: str | None, words: str) -> None:
    """Wrong usage, with the reason."""
    if content is not None:
        (repository / "old.json").write_text(content, "utf-8")
    ran = cli("diff", "--against", "old.json")
    assert ran.code == 2 and "error[LSQ069]" in ran.err and words in ran.err


@pytest.mark.parametrize("revision", ["mian", "-x", "HEAD:bikes", "--all", "", "HEAD~7", "a\nb"])
def test_an_unknown_revision(cli: Cli, repository: Path, revision: str) -> None:
    """Wrong usage, told as such in JSON too; what looks like an option of git is none."""
    ran = cli("diff", f"--against={revision}", "--output", "json")
    assert ran.code == 2 and [d["code"] for d in ran.data["diagnostics"]] == ["LSQ069"]


def test_no_repository_and_no_project_there(cli: Cli, bikes: Path) -> None:
    """A folder without git, and a revision in which the project was not there yet."""
    ran = cli("diff", "--against", "HEAD")
    assert ran.code == 2 and "the project is not in a git repository" in ran.err
    git(bikes.parent, "init", "-q")
    git(bikes.parent, "commit", "-q", "--allow-empty", "-m", "empty")
    ran = cli("diff", "--against", "HEAD")
    assert ran.code == 2 and "the project's folder 'bikes' is not in the revision 'HEAD'" in ran.err


def test_a_version_that_does_not_compile(cli: Cli, repository: Path) -> None:
    """The newer one shows its errors, the older one is named with them; exit 1 for both."""
    edit(repository, "arrivals", "FROM rides", "FROM riders")
    ran = cli("diff", "--against", "HEAD")
    assert ran.code == 1 and "models/arrivals.sql:" in ran.err
    git(repository, "commit", "-q", "-a", "-m", "broken")
    edit(repository, "arrivals", "FROM riders", "FROM rides")
    ran = cli("diff", "--against", "HEAD", "--output", "json", "-q")
    assert ran.code == 1
    found = ran.data["diagnostics"]
    assert [d["code"] for d in found] == ["LSQ070"] and "models/arrivals.sql:" in json.dumps(found)


def test_what_git_keeps_is_what_was(cli: Cli, repository: Path) -> None:
    """Links that leave the project are refused as in a work tree, and files marked for no export are there."""
    (repository / ".gitattributes").write_text("*.sql export-ignore\n", "utf-8")
    git(repository, "add", "-A")
    git(repository, "commit", "-q", "-m", "attributes")
    assert diff(cli) == {}
    (repository / "models" / "out.sql").symlink_to("../../../secret.sql")
    git(repository, "add", "-A")
    git(repository, "commit", "-q", "-m", "link")
    (repository / "models" / "out.sql").unlink()
    ran = cli("diff", "--against", "HEAD")
    assert ran.code == 1 and "error[LSQ070]" in ran.err and "out.sql" in ran.err


def test_rows_that_differ(cli: Cli, repository: Path) -> None:
    """The golden cases run in both versions, and what differs is shown cell by cell, downstream too."""
    (repository / "tests" / "arrivals.yml").write_text(
        "cases:\n  - name: two rides\n    model: arrivals\n    inputs:\n      rides:\n"
        "        - {key: b1, value: {bike: b1, station: park, minutes: 4, cancelled: false}, timestamp: 1000}\n"
        "        - {key: b2, value: {bike: b2, station: park, minutes: 9, cancelled: false}, timestamp: 2000}\n",
        "utf-8",
    )
    edit(repository, "arrivals", "NOT cancelled", "minutes > 5")
    ran = cli("diff", "--against", "HEAD", "--markdown", "target/diff.md")
    assert (
        "  rows: 1 case of 1 with differences\n"
        "    case 'two rides'\n"
        "      arrivals (STREAM): 1 row gone\n"
        '        - gone: key "b1", value {"bike":"b1","station":"park","minutes":4}\n'
        "      downstream, model bikes_at_station\n"
        "        bikes_at_station (TABLE): 1 row changed\n"
        '          ~ changed: key "park"\n'
        "              value.bikes  was 2, is 1\n"
        "      downstream, model rides_by_station\n"
        "        rides_by_station (TABLE): 1 row changed\n"
        '          ~ changed: key "park"\n'
        "              value.rides    was 2, is 1\n"
        "              value.minutes  was 6.5, is 9.0\n"
    ) in ran.out
    report = (repository / "target" / "diff.md").read_text("utf-8")
    assert report.startswith("<!-- lsqlc diff -->\n### lsqlc diff: passed\n")
    verdict = "continues, but old rows keep their old value"
    row = f"| <code>arrivals</code> | compatible | 1 of 1 case | {verdict} | 2 |"
    assert row in report.splitlines() and "value.bikes  was 2, is 1" in report
    rows = diff(cli)["arrivals"]["rows"]
    assert rows["cases"] == 1 and [m["model"] for m in rows["differing"][0]["models"]] == [
        "arrivals", "bikes_at_station", "rides_by_station",
    ]  # fmt: skip
    table = rows["differing"][0]["models"][1]["topics"][0]
    assert (table["before"], table["after"]) == (1, 1)
    assert table["rows"][0]["cells"] == [{"path": "value.bikes", "before": "2", "after": "1"}]
    assert diff(cli, "--no-rows")["arrivals"]["rows"] is None


def test_rows_that_are_the_same_or_that_nobody_shows(cli: Cli, repository: Path) -> None:
    """A model whose cases agree, one without cases, and one whose text alone changed."""
    edit(repository, "bikes_at_station", "GROUP BY", "WHERE station <> 'nowhere'\nGROUP BY")
    edit(repository, "arrivals", "NOT cancelled", "NOT cancelled AND minutes > 0")
    edit(repository, "rides_by_station", "SELECT", "-- text\nSELECT")
    out = cli("diff", "--against", "HEAD").out
    assert "  rows: the same in 1 case\n" in out and "  rows: not covered by a case\n" in out
    assert diff(cli)["rides_by_station"]["rows"] is None


def test_a_report_of_names_that_mean_something_in_markdown(cli: Cli, repository: Path) -> None:
    """What a pull request brings stands in code and gives GitHub no commands; an unwritten report is an error."""
    (repository / "models" / "a.sql").write_text("SELECT STREAM bike AS `@x|[y](z)` FROM rides", "utf-8")
    ran = cli("diff", "--against", "HEAD", "--markdown", "lsqlc.yml/diff.md")
    assert ran.code == 2 and "error[LSQ068]" in ran.err
    assert cli("diff", "--against", "HEAD", "--markdown", "diff.md").code == 0
    text = (repository / "diff.md").read_text("utf-8")
    outside = "\n".join(part for i, part in enumerate(text.split("```")) if i % 2 == 0)
    assert "@x" in text and "@x" not in outside
    ran = cli("diff", "--against", "HEAD", "--github")
    assert ran.err.startswith("::stop-commands::")


def test_a_search_for_a_difference(cli: Cli, repository: Path) -> None:
    """It shows records that no case has, fails as `different`, and writes them as a case that can be tested."""
    edit(repository, "arrivals", "NOT cancelled", "(cancelled IS NULL OR NOT cancelled)")
    arrivals = diff(cli, "--search", "1")["arrivals"]
    search = arrivals["search"]
    assert (search["answer"], search["records"]) == ("different", ['{topic: "rides", key: "a", value: {}}'])
    (topic,) = search["topics"]
    assert topic["before"] == [] and len(topic["after"]) == 1
    assert diff(cli)["arrivals"]["search"] is None
    ran = cli("diff", "--against", "HEAD", "--search", "1", "--write", "--fail-on", "different")
    assert ran.code == 1 and "  search: different over 1 record\n" in ran.out
    assert "wrote tests/arrivals_diff.yml" in ran.err
    again = cli("diff", "--against", "HEAD", "--search", "1", "--write")
    assert again.code == 0 and "wrote tests/arrivals_diff_2.yml" in again.err
    (repository / "tests" / "arrivals_diff_2.yml").unlink()
    assert cli("test", "--update", "new").code == 0
    rows = diff(cli, "--no-rows", "--search", "1")
    assert rows["arrivals"]["rows"] is None and rows["arrivals"]["search"]["answer"] == "different"


def test_a_search_that_finds_nothing(cli: Cli, repository: Path) -> None:
    """Says how much it has tried; it is no proof, and nothing is written."""
    edit(repository, "arrivals", "NOT cancelled", "cancelled = FALSE")
    ran = cli("diff", "--against", "HEAD", "--search", "1", "--write", "--fail-on", "different")
    assert ran.code == 0 and "  search: not told apart by " in ran.out and "wrote" not in ran.err


def test_a_certificate_of_sameness(cli: Cli, repository: Path) -> None:
    """It is written for a model that is proved to give the same rows, and holds until the model changes again."""
    edit(repository, "arrivals", "NOT cancelled", "NOT NOT NOT cancelled")
    words = ("diff", "--against", "HEAD", "--search", "1", "--fail-on", "different")
    ran = cli(*words, "--certificates", "proofs")
    assert ran.code == 0 and "  search: same, both versions have one normal form (NOT of AND, OR and NOT)" in ran.out
    path = repository / "proofs" / "arrivals.json"
    certificate = json.loads(path.read_text("utf-8"))
    assert [rule["name"] for rule in certificate["rules"]] == ["NOT of AND, OR and NOT"]
    assert diff(cli, "--search", "1")["arrivals"]["search"]["certificate"] == certificate
    ran = cli("diff", "--check", "proofs/arrivals.json")
    assert ran.code == 0 and ran.err == "'arrivals' gives the same rows as at HEAD: 1 rule checked\n"
    edit(repository, "arrivals", "NOT NOT NOT cancelled", "NOT cancelled OR cancelled IS NULL")
    ran = cli("diff", "--check", "proofs/arrivals.json", "--output", "json")
    assert (ran.code, ran.data["diagnostics"][0]["code"]) == (1, "LSQ582")
    assert ran.data["diagnostics"][0]["notes"] == ["the model has another plan now"]


def test_a_certificate_that_is_none(cli: Cli, repository: Path) -> None:
    """Bad files, models and revisions end in an error, and a revision is no option of git."""
    path = repository / "proof.json"
    certificate = {
        "kind": "lsqlc certificate of sameness", "version": 1, "model": "arrivals", "against": "HEAD",
        "fingerprints": 1, "before": "0", "after": "0", "normal_form": "0", "rules": [],
    }  # fmt: skip
    texts = ("", "[]", "{}", "\udcff", "[" * 100_000, json.dumps({**certificate, "more": 1}), "x" * (2 << 20))
    for text in texts:
        path.write_text(text, "utf-8", "surrogateescape")
        ran = cli("diff", "--check", "proof.json")
        assert ran.code == 2 and "error[LSQ581]" in ran.err, text[:20]
    assert "error[LSQ581]" in cli("diff", "--check", "no.json").err
    for change, code in (
        ({}, "LSQ582"),
        ({"model": "no"}, "LSQ582"),
        ({"model": "../arrivals"}, "LSQ582"),
        ({"against": "no-such-revision"}, "LSQ069"),
        ({"against": "--output=stolen"}, "LSQ069"),
        ({"against": ""}, "LSQ069"),
    ):
        path.write_text(json.dumps(certificate | change), "utf-8")
        ran = cli("diff", "--check", "proof.json")
        assert ran.code != 0 and f"error[{code}]" in ran.err, (change, ran.err)
    assert not (repository / "stolen").exists()
    assert cli("diff", "--certificates", "proofs").code == 2
    assert cli("diff", "--check", "proof.json", "--search", "1").code == 2


def test_what_cannot_be_searched(cli: Cli, repository: Path) -> None:
    """`--write` alone is a mistake, and a manifest has no plans."""
    ran = cli("diff", "--against", "HEAD", "--write")
    assert ran.code == 2 and "give both" in ran.err
    cli("build")
    (repository / "before.json").write_bytes((repository / "target" / "manifest.json").read_bytes())
    edit(repository, "arrivals", "NOT cancelled", "(cancelled IS NULL OR NOT cancelled)")
    ran = cli("diff", "--against", "before.json", "--search", "1")
    assert "  search: not searched, a manifest has no plans" in ran.out
