"""`lsqlc review`: golden files that wait for a decision, and models without cases."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import Cli

PLAN = "golden/bikes_at_station/plan.txt"
CASE = "golden/bikes_at_station/a_bike_moves.jsonl"
LIST = ".lsqlc/unreviewed.json"


def edit(bikes: Path) -> None:
    """Another count: the case and the plan of one model are no longer as in their golden files."""
    path = bikes / "models" / "bikes_at_station.sql"
    path.write_text(path.read_text().replace("COUNT(*) AS", "COUNT(*) + 1 AS"))


def texts(bikes: Path) -> dict[str, str]:
    return {path: (bikes / path).read_text() for path in (PLAN, CASE) if (bikes / path).exists()}


def test_nothing_to_review(cli: Cli, bikes: Path) -> None:
    """Golden files that are as the models give them are not asked about."""
    ran = cli("review")
    assert (ran.code, ran.out, ran.err) == (0, "", "no golden file to review\n")


def test_changed_files_are_shown_without_a_terminal(cli: Cli, bikes: Path) -> None:
    """Rows that differ cell by cell, a plan by its lines; nothing is written, and the exit code is 1."""
    edit(bikes)
    before = texts(bikes)
    ran = cli("review")
    assert ran.code == 1 and texts(bikes) == before
    assert f"1 of 2  changed  plan of bikes_at_station  {PLAN}\n  --- a/{PLAN}\n" in ran.out
    assert f"2 of 2  changed  bikes_at_station::a bike moves  {CASE}\n" in ran.out
    assert "value.bikes  expected 1, found 2" in ran.out and "\x1b" not in ran.out
    assert ran.err == "2 golden files to review: `lsqlc review` asks, --accept and --reject do not\n"
    data = cli("review", "--output", "json").data
    assert [(f["path"], f["change"], f["decision"]) for f in data["files"]] == [
        (PLAN, "changed", None),
        (CASE, "changed", None),
    ]
    assert data["ok"] is False and data["files"][1]["patch"].startswith(f"--- a/{CASE}\n")


def test_a_file_is_accepted_by_its_path(cli: Cli, bikes: Path) -> None:
    """Only that one is written, and the rest is still to be reviewed."""
    edit(bikes)
    assert cli("review", "--accept", CASE).err == "1 golden file: 1 accepted\n"
    assert [f["path"] for f in cli("review", "--output", "json").data["files"]] == [PLAN]
    assert cli("review", "--accept", "golden/bikes_at_station").code == 0
    assert cli("test").code == 0 and cli("review").code == 0


def test_a_rejected_change_stays(cli: Cli, bikes: Path) -> None:
    """The golden file is right, and the model is to be corrected: the exit code says so."""
    edit(bikes)
    before = texts(bikes)
    ran = cli("review", "--reject")
    assert (ran.code, ran.err, texts(bikes)) == (1, "2 golden files: 2 rejected\n", before)
    assert cli("test").code == 1


def test_new_files_wait_after_a_test_has_written_them(cli: Cli, bikes: Path) -> None:
    """They are new until somebody says so: the next test passes, and review still shows them."""
    for path in texts(bikes):
        (bikes / path).unlink()
    assert cli("test").code == 1 and cli("test").code == 0
    ran = cli("review", "--list")
    assert ran.code == 1 and f"2 of 2  new  bikes_at_station::a bike moves  {CASE}" in ran.out
    assert '  +{"topic":"bikes_at_station"' in ran.out
    assert cli("review", "--reject", PLAN).code == 1 and texts(bikes).keys() == {CASE}
    assert cli("review", "--accept", CASE).code == 0
    assert [f["path"] for f in cli("review", "--output", "json").data["files"]] == [PLAN]
    # This one no test has written, so that it is made.
    assert cli("review", "--accept").code == 0 and texts(bikes).keys() == {PLAN, CASE}
    assert cli("review").err == "no golden file to review\n"


def test_a_file_that_was_edited_is_reviewed(cli: Cli, bikes: Path) -> None:
    """Who edits what a test has written has looked at it; then it is compared as any golden file."""
    (bikes / CASE).unlink()
    cli("test")
    (bikes / CASE).write_text((bikes / CASE).read_text().replace("harbour", "quay"))
    assert [f["change"] for f in cli("review", "--output", "json").data["files"]] == ["changed"]


@pytest.mark.parametrize("content", ["", "[]", '{"files": 3}', '{"files": {"x": 1}}', "["])
def test_a_list_that_was_not_written_by_lsqlc(cli: Cli, bikes: Path, content: str) -> None:
    """It is ignored, and written again when it is needed."""
    (bikes / ".lsqlc").mkdir(exist_ok=True)
    (bikes / LIST).write_text(content)
    assert cli("review").code == 0
    (bikes / CASE).unlink()
    cli("test")
    assert len(cli("review", "--output", "json").data["files"]) == 1


def test_a_list_that_cannot_be_written(cli: Cli, bikes: Path) -> None:
    """A warning: the golden files are written."""
    (bikes / LIST).mkdir(parents=True)
    (bikes / CASE).unlink()
    ran = cli("test")
    assert "warning[LSQ692]" in ran.err and (bikes / CASE).exists()


def test_orphans(cli: Cli, bikes: Path) -> None:
    """A golden file without a case: accepted, it is removed; rejected, it stays."""
    orphan = bikes / "golden" / "bikes_at_station" / "gone.jsonl"
    orphan.write_text("")
    assert cli("review", "--reject").code == 1 and orphan.exists()
    ran = cli("review", "--accept")
    assert (ran.code, ran.err) == (0, "1 golden file: 1 accepted\n") and not orphan.exists()


def test_a_broken_model_does_not_make_orphans(cli: Cli, bikes: Path) -> None:
    """Its errors are shown, and the golden files of all models stay."""
    (bikes / "models" / "arrivals.sql").write_text("SELECT STREAM nothing FROM rides")
    before = texts(bikes)
    ran = cli("review", "--accept")
    assert ran.code == 1 and "error[LSQ201]" in ran.err and texts(bikes) == before


def test_expected_rows_are_not_for_review(cli: Cli, bikes: Path) -> None:
    """What the case itself contradicts is a failure: nothing accepts it."""
    case = bikes / "tests" / "bikes.yml"
    text = case.read_text()
    case.write_text(text + "    expect: {bikes_at_station: [{key: nowhere, value: {station: nowhere, bikes: 9}}]}\n")
    ran = cli("review", "--accept")
    assert ran.code == 1 and "does not give the expected rows" in ran.err


def test_wrong_words(cli: Cli, bikes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A path of which nothing waits, two decisions at once, and a CI job."""
    edit(bikes)
    ran = cli("review", "--accept", "models/arrivals.sql")
    assert ran.code == 2 and "error[LSQ691]" in ran.err
    ran = cli("review", f"./{CASE[:-1]}")
    assert ran.code == 2 and f"did you mean '{CASE}'?" in ran.err
    assert cli("review", "--accept", "--reject").code == 2
    monkeypatch.setenv("CI", "1")
    before = texts(bikes)
    ran = cli("review", "--accept")
    assert ran.code == 2 and "error[LSQ690]" in ran.err and texts(bikes) == before
    assert cli("review").code == 1


def asked(bikes: Path, answers: str) -> tuple[int, str]:
    """`lsqlc review` in a terminal, with these lines typed; its exit code and its screen."""
    ours, theirs = pty.openpty()
    environment = {k: v for k, v in os.environ.items() if k not in ("CI", "NO_COLOR")} | {"TERM": "xterm"}
    environment["PYTHONPATH"] = str(Path(__file__).parents[2])
    words = [sys.executable, "-m", "lsqlc", "review"]
    with subprocess.Popen(words, cwd=bikes, env=environment, stdin=theirs, stdout=theirs, stderr=theirs) as process:
        os.close(theirs)
        os.write(ours, answers.encode())
        screen = b""
        while True:
            try:
                read = os.read(ours, 65536)
            except OSError:
                break
            if not read:
                break
            screen += read
        code = process.wait()
    os.close(ours)
    return code, screen.decode()


def test_questions_in_a_terminal(bikes: Path) -> None:
    """Each file is shown in colour and asked about, again after an answer that is none; yes writes, no leaves."""
    edit(bikes)
    before = texts(bikes)
    code, screen = asked(bikes, "n\nwhat\ny\n")
    after = texts(bikes)
    assert code == 1 and "2 golden files: 1 accepted, 1 rejected" in screen
    assert screen.count("accept? [y]es, [n]o, [s]kip, [a]ccept all that are left, [q]uit: ") == 3
    assert after[PLAN] == before[PLAN] and after[CASE] != before[CASE]
    assert "\x1b[31m1\x1b[0m, found \x1b[32m2\x1b[0m" in screen


@pytest.mark.parametrize(("answers", "code", "said"), [
    ("a\n", 0, "2 golden files: 2 accepted"),
    ("s\nyes\n", 1, "2 golden files: 1 accepted, 1 skipped"),
    ("q\n", 1, "2 golden files: 2 skipped"),
    ("\x04", 1, "2 golden files: 2 skipped"),
])  # fmt: skip
def test_other_answers(bikes: Path, answers: str, code: int, said: str) -> None:
    """All at once, later, and the end: Ctrl-D too."""
    edit(bikes)
    ended, screen = asked(bikes, answers)
    assert ended == code and said in screen


def test_models_without_a_case(cli: Cli, bikes: Path) -> None:
    """`build` counts them, as JSON too, and `ls --untested` lists them."""
    assert "\n2 models have no case: see `lsqlc ls --untested`\n" in cli("build").err
    assert cli("build", "--output", "json").data["uncovered"] == ["arrivals", "rides_by_station"]
    assert "\n1 model has no case" in cli("build", "--select", "arrivals", "bikes_at_station").err
    assert "no case" not in cli("build", "--select", "bikes_at_station").err
    listed = cli("ls", "--untested", "--output", "json").data["models"]
    assert [model["name"] for model in listed] == ["arrivals", "rides_by_station"]
    ran = cli("ls", "--untested", "--select", "bikes_at_station")
    assert (ran.code, ran.out, ran.err) == (0, "", "every selected model has a case\n")


def test_untested_with_a_case_that_cannot_be_read(cli: Cli, bikes: Path) -> None:
    """What is wrong with it is said, as its model is not known."""
    (bikes / "tests" / "odd.yml").write_text("cases:\n  - {name: one, model: nothing, inputs: {}}\n")
    ran = cli("ls", "--untested")
    assert ran.code == 0 and "tests/odd.yml:2:" in ran.err and "arrivals" in ran.out
