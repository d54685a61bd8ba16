"""A project with functions of its own: its verbs, its caches, and an editor."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from lsqlc.editor.completion import completion
from lsqlc.editor.definition import definition
from lsqlc.editor.hover import hover
from lsqlc.editor.snapshot import Surroundings, take

from ..cli.conftest import Cli, bikes, cli  # noqa: F401 (fixtures)

FUNCTIONS = """CREATE FUNCTION hours(minutes INT) RETURNS DOUBLE COMMENT 'Minutes as hours.' RETURN minutes / 60.0;
CREATE FUNCTION is_long(minutes INT) RETURNS BOOLEAN RETURN hours(minutes) > 0.5;
"""
MODEL = "INSERT INTO long_rides SELECT STREAM bike, hours(minutes) AS hours FROM rides WHERE is_long(minutes)\n"
CASES = """cases:
  - name: half an hour
    function: hours
    calls: [{arguments: [30], result: 0.5}, {arguments: {minutes: null}, result: null}]
  - name: border
    function: IS_LONG
    calls: [{arguments: [30], result: false}, {arguments: [31], result: true}]
"""


@pytest.fixture
def shop(bikes: Path) -> Path:  # noqa: F811 (a fixture)
    """The template with functions, a model that calls them, and cases."""
    (bikes / "functions").mkdir()
    (bikes / "functions/times.sql").write_text(FUNCTIONS)
    (bikes / "models/long_rides.sql").write_text(MODEL)
    (bikes / "tests/functions.yml").write_text(CASES)
    return bikes


def test_build_runs_the_cases_of_functions(cli: Cli, shop: Path) -> None:  # noqa: F811 (a fixture)
    """They need no golden file; a wrong result fails, by the number of its call."""
    ran = cli("build")
    assert ran.code == 0 and "3 cases: 3 passed" in ran.err
    assert sorted(p.name for p in (shop / "golden").iterdir()) == ["bikes_at_station"]
    (shop / "tests/functions.yml").write_text(CASES.replace("result: 0.5", "result: 0.25"))
    ran = cli("test")
    assert ran.code == 1 and "calls of hours() in the case 'half an hour'" in ran.err
    assert "value.result  expected 0.25, found 0.5" in ran.err
    # A selection runs the cases of the functions that its models call.
    assert "1 case: 1 passed" in cli("test", "--select", "bikes_at_station").err
    assert "2 cases: 1 passed, 1 failed" in cli("test", "--select", "long_rides").err


@pytest.mark.parametrize(
    ("old", "new", "word"),
    [
        ("function: hours", "function: hour", "unknown function 'hour'"),
        ("arguments: [30], result: 0.5", "arguments: [30, 1], result: 0.5", "takes 1 argument, not 2"),
        ("arguments: {minutes: null}", "arguments: {minute: null}", "has no parameter 'minute'"),
        ("result: 0.5", "result: half", "result: expected DOUBLE"),
        ("arguments: [30], result: 0.5", "arguments: [x], result: 0.5", "minutes: expected INT"),
    ],
)
def test_a_case_that_does_not_fit_is_an_error(cli: Cli, shop: Path, old: str, new: str, word: str) -> None:  # noqa: F811
    """At its place in the file."""
    (shop / "tests/functions.yml").write_text(CASES.replace(old, new, 1))
    ran = cli("test")
    assert ran.code == 1 and "LSQ489" in ran.err and word in ran.err and "tests/functions.yml:" in ran.err


def test_caches_notice_a_changed_function(cli: Cli, shop: Path) -> None:  # noqa: F811 (a fixture)
    """Of the whole build, and of single models: what calls it is compiled again, also by another function."""

    def plan() -> str:
        assert cli("compile", "--output", "json").code == 0
        manifest = cli("ls", "--output", "json").data
        assert [f["name"] for f in manifest["functions"]] == ["hours", "is_long"]
        return (shop / "target/manifest.json").read_text()

    first = plan()
    assert plan() == first
    (shop / "functions/times.sql").write_text(FUNCTIONS.replace("0.5", "0.75"))
    assert plan() != first
    (shop / "functions/times.sql").write_text(FUNCTIONS)
    assert plan() == first
    (shop / "functions/times.sql").write_text(FUNCTIONS.replace("hours(minutes) >", "minute >"))
    assert "LSQ201" in cli("compile").err
    (shop / "functions/times.sql").unlink()
    assert "LSQ206" in cli("compile").err


def test_diff_says_what_a_changed_function_changes(cli: Cli, shop: Path) -> None:  # noqa: F811 (a fixture)
    """The models that call it, and the function; no other model."""
    for words in (["init", "-q"], ["add", "-A"], ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x"]):
        subprocess.run(["git", *words], cwd=shop, check=True)
    assert cli("diff", "--against", "HEAD", "--output", "json").data["models"] == []
    (shop / "functions/times.sql").write_text(FUNCTIONS.replace("0.5", "0.75"))
    ran = cli("diff", "--against", "HEAD", "--output", "json")
    (model,) = ran.data["models"]
    assert model["name"] == "long_rides"
    assert model["functions"] == [{"name": "is_long", "status": "modified", "kind": "expression"}]
    assert "  function is_long: modified\n" in cli("diff", "--against", "HEAD").out


def test_a_function_with_errors_skips_its_models(cli: Cli, shop: Path) -> None:  # noqa: F811 (a fixture)
    """Its error is told once, and the model has a note."""
    (shop / "functions/times.sql").write_text(FUNCTIONS.replace("minutes / 60", "minute / 60"))
    ran = cli("compile")
    assert ran.code == 1 and ran.err.count("error[") == 1 and ran.err.count("note[LSQ487]") == 2
    assert "1 skipped" in ran.err


def test_a_folder_gives_the_dialect(cli: Cli, shop: Path) -> None:  # noqa: F811 (a fixture)
    """A model calls a function whatever dialect its body is in."""
    (shop / "functions/ksql").mkdir()
    (shop / "functions/ksql/words.sql").write_text(
        "CREATE FUNCTION shout(a VARCHAR) RETURNS VARCHAR RETURN UCASE(a) + '!';\n"
    )
    (shop / "models/long_rides.sql").write_text("INSERT INTO loud SELECT STREAM shout(bike) AS bike FROM rides\n")
    assert cli("compile").code == 0
    assert "shout(A STRING) RETURNS STRING" in cli("ls").out
    (shop / "functions/ksql/words.sql").write_text(
        "CREATE FUNCTION shout(a VARCHAR) RETURNS VARCHAR RETURN UCASE(b);\n"
    )
    assert "functions/ksql/words.sql:1:63" in cli("compile").err


def test_an_editor_knows_functions(shop: Path) -> None:
    """Completed, explained, and found where they are declared."""
    path = "models/long_rides.sql"
    snapshot = take(shop, {path: MODEL}, Surroundings("0"))
    said = hover(snapshot, path, MODEL.index("is_long") + 2)
    assert said is not None and "is_long(minutes INT) RETURNS BOOLEAN" in said.text
    (place,) = definition(snapshot, path, MODEL.index("hours(") + 1)
    assert place.path == "functions/times.sql" and FUNCTIONS[slice(*place.at)] == "hours"
    offered = completion(snapshot, path, MODEL.index("hours(") + 2)
    assert offered is not None and "hours(${1:minutes})" in [item.insert for item in offered.items]
    broken = FUNCTIONS.replace("/ 60.0", "/ 'a'")
    snapshot = take(shop, {"functions/times.sql": broken}, Surroundings("0"))
    assert [d.code for d in snapshot.findings["functions/times.sql"]] == ["LSQ212"]


def test_the_docs_site_has_the_functions_of_a_model(cli: Cli, shop: Path) -> None:  # noqa: F811 (a fixture)
    """On the page of the model that calls them."""
    assert cli("docs", "build").code == 0
    pages = [path.read_text() for path in (shop / "target/docs/data").rglob("*.js")]
    (page,) = [text for text in pages if "is_long(minutes INT) RETURNS BOOLEAN" in text]
    assert "long_rides" in page
