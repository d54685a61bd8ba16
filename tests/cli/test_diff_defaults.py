"""`lsqlc diff` without `--against`, its colours, and the gates on what a change costs the queries."""

from __future__ import annotations

import io
import re
import sys
from pathlib import Path

import pytest

from lsqlc.cli.main import main
from tests.cli.conftest import Cli
from tests.cli.test_diff import edit, git, repository

__all__ = ["repository"]


@pytest.fixture(autouse=True)
def no_settings_of_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """The machine's own `init.defaultBranch` decides nothing here."""
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    monkeypatch.setenv("GIT_CONFIG_SYSTEM", "/dev/null")


def commit(project: Path) -> str:
    git(project, "commit", "-q", "-a", "-m", "next")
    return git(project, "rev-parse", "HEAD").strip()


def test_the_merge_base_with_the_default_branch(cli: Cli, repository: Path) -> None:
    """A branch is compared with where it began, whatever the default branch did since."""
    git(repository, "branch", "-M", "main")
    start = git(repository, "rev-parse", "HEAD").strip()
    git(repository, "switch", "-q", "-c", "topic")
    edit(repository, "arrivals", "NOT cancelled", "minutes > 3")
    commit(repository)
    git(repository, "switch", "-q", "main")
    edit(repository, "rides_by_station", "AVG(minutes)", "MAX(minutes)")
    commit(repository)
    git(repository, "switch", "-q", "topic")
    ran = cli("diff", "--output", "json")
    assert (ran.data["against"], [m["name"] for m in ran.data["models"]]) == (start, ["arrivals"])
    assert ran.err.startswith(f"against {start[:10]}, the merge base of HEAD and main\n")


def test_the_remote_names_the_default_branch(cli: Cli, repository: Path) -> None:
    """In a clone it is the branch that `origin` names; what is not pushed is shown."""
    git(repository, "branch", "-M", "trunk")
    git(repository.parent.parent, "clone", "-q", str(repository.parent), "clone")
    project = repository.parent.parent / "clone" / "bikes"
    start = git(project, "rev-parse", "HEAD").strip()
    edit(project, "arrivals", "NOT cancelled", "minutes > 3")
    commit(project)
    ran = cli("diff", "--project-dir", str(project), "--output", "json")
    assert (ran.data["against"], len(ran.data["models"])) == (start, 1)
    assert "the merge base of HEAD and origin/trunk" in ran.err


def test_head_where_there_is_no_default_branch(cli: Cli, repository: Path) -> None:
    """The work tree is compared with HEAD, and so it is on the default branch itself."""
    git(repository, "branch", "-M", "odd")
    edit(repository, "arrivals", "NOT cancelled", "minutes > 3")
    head = git(repository, "rev-parse", "HEAD").strip()
    ran = cli("diff")
    assert ran.out.startswith("~ arrivals: compatible\n")
    assert ran.err.startswith(f"against {head[:10]}, HEAD, as there is no default branch\n")
    git(repository, "branch", "-M", "main")
    assert cli("diff").err.startswith(f"against {head[:10]}, HEAD\n")


def test_a_clone_without_the_default_branch(cli: Cli, repository: Path) -> None:
    """A job's clone of one commit is refused: compared with HEAD nothing would have changed."""
    git(repository, "branch", "-M", "odd")
    git(repository, "switch", "-q", "--detach")
    ran = cli("diff")
    assert ran.code == 2 and "error[LSQ069]" in ran.err
    assert "HEAD is not on a branch, and there is no default branch" in ran.err and "--against" in ran.err


def test_no_common_commit(cli: Cli, repository: Path) -> None:
    """As in a shallow clone: a comparison with HEAD would hide the changes."""
    git(repository, "branch", "-M", "main")
    git(repository, "switch", "-q", "--orphan", "other")
    git(repository, "commit", "-q", "--allow-empty", "-m", "other")
    git(repository, "checkout", "-q", "main", "--", ".")
    ran = cli("diff")
    assert ran.code == 2 and "HEAD and 'main' have no commit in common in this clone" in ran.err


def test_outside_of_a_repository(cli: Cli, bikes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """There is nothing to compare with."""
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(bikes.parent))
    ran = cli("diff")
    assert ran.code == 2 and "the project is not in a git repository" in ran.err


@pytest.mark.parametrize(
    ("model", "old", "new", "failing"),
    [
        # Without state, and readable: it goes on.
        ("arrivals", "WHERE NOT cancelled", "WHERE minutes > 3", ()),
        ("rides_by_station", "GROUP BY station", "WHERE minutes > 3 GROUP BY station", ("replay", "reset")),
        ("rides_by_station", "AS rides", "AS number", ("replay", "reset", "incompatible")),
    ],
)
def test_gates_on_the_queries(
    cli: Cli, repository: Path, model: str, old: str, new: str, failing: tuple[str, ...]
) -> None:
    """Each of `replay`, `reset` and `incompatible` is the part of the one before it that weighs more."""
    edit(repository, model, old, new)
    gates = ("replay", "reset", "incompatible")
    codes = {gate: cli("diff", "--fail-on", gate, "--select", model, "-q").code for gate in gates}
    assert codes == {gate: int(gate in failing) for gate in gates}


def test_a_replay_without_state_is_no_reset(cli: Cli, repository: Path) -> None:
    """A query without state that reads another topic begins again, and loses nothing by it."""
    text = "SELECT STREAM bike FROM rides"
    (repository / "models" / "plain.sql").write_text(text, "utf-8")
    git(repository, "add", "-A")
    commit(repository)
    (repository / "models" / "plain.sql").write_text(text.replace("rides", "arrivals"), "utf-8")
    words = ("diff", "--against", "HEAD", "--select", "plain", "-q")
    found = cli(*words, "--output", "json").data["models"]
    assert [model["state"]["rules"] for model in found] == [["sources"]]
    assert [cli(*words, "--fail-on", gate).code for gate in ("replay", "reset")] == [1, 0]


class _Terminal(io.StringIO):
    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("name", "value"), [("NO_COLOR", "1"), ("TERM", "dumb"), ("", "")])
def test_colours_of_a_terminal(repository: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    """Colours and marks in a terminal; NO_COLOR and a terminal without colours turn them off."""
    edit(repository, "rides_by_station", "GROUP BY station", "WHERE minutes > 3 GROUP BY station")
    edit(repository, "arrivals", ", minutes", ", minutes + 1 AS minutes")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    if name:
        monkeypatch.setenv(name, value)
    out = _Terminal()
    monkeypatch.setattr(sys, "stdout", out)
    with pytest.raises(SystemExit):
        main(["diff", "--against", "HEAD"])
    text = out.getvalue()
    if name:
        assert "\x1b" not in text
        return
    assert "\x1b[1m~ rides_by_station\x1b[0m: \x1b[33mcompatible\x1b[0m\n" in text
    assert "\x1b[32;7m" in text and "\x1b[31;7m" not in re.sub(r"(?m)^    \x1b\[31m-.*$", "", text)
