"""docs/how-to/ci.md: its workflow and its hooks are run, as far as a shell without a network can."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.docs.blocks import DOCS, blocks

TEXT = (DOCS / "how-to/ci.md").read_text("utf-8")
BAD = "SELECT\n  nme\nFROM rides\n"


def block(*info: str) -> str:
    (found,) = [b.text for b in blocks(TEXT) if b.info == info]
    return found


def shell(script: str, folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """A script as GitHub's shell runs it, with this installation's commands in the path."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    known = {k: v for k, v in os.environ.items() if not k.startswith(("GIT", "CI"))}
    return subprocess.run(
        ["sh", "-e", "-c", script, "sh", *arguments],
        cwd=folder,
        env={**known, "PATH": path, **environment},
        capture_output=True,
        text=True,
    )


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The template's project as a repository."""
    assert shell("lsqlc init bikes --quiet", tmp_path).returncode == 0
    made = shell("git init -q . && git config user.email a@b && git config user.name a", tmp_path / "bikes")
    assert made.returncode == 0, made.stderr
    return tmp_path / "bikes"


def steps() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = yaml.safe_load(block("yaml", "workflow"))["jobs"]["build"]["steps"]
    return found


def run_steps(project: Path, summary: Path) -> list[subprocess.CompletedProcess[str]]:
    """The steps that need no network, each after the other whatever became of the one before."""
    github = {"CI": "true", "GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": str(summary)}
    scripts = [step["run"] for step in steps() if step.get("run", "").startswith("lsqlc ")]
    assert [script.split()[1] for script in scripts] == ["build", "diff", "lint", "fmt"]
    shell("git rev-parse -q --verify HEAD || (git add . && git commit -q -m base)", project)
    return [shell(script, project, GITHUB_WORKSPACE=str(project), BASE="HEAD", **github) for script in scripts]


def named_files() -> set[str]:
    """The files that the other steps take up."""
    others = [step for step in steps() if not step.get("run", "").startswith("lsqlc ")]
    return set(re.findall(r"target/[\w.]+", yaml.safe_dump(others)))


@pytest.mark.nightly
def test_the_workflow_passes_and_leaves_its_reports(project: Path, tmp_path: Path) -> None:
    """A new project is good; every file that a later step names is there; nothing is annotated."""
    ran = run_steps(project, tmp_path / "summary.md")
    assert [r.returncode for r in ran] == [0, 0, 0, 0], [r.stderr for r in ran]
    assert len(named_files()) == 5 and not [f for f in named_files() if not (project / f).is_file()]
    assert not re.search("^::(error|warning|notice)", "".join(r.stdout + r.stderr for r in ran), re.MULTILINE)
    assert (tmp_path / "summary.md").read_text().startswith("<!-- lsqlc build -->\n### lsqlc build: passed\n")


def test_the_workflow_fails_and_leaves_its_reports(project: Path, tmp_path: Path) -> None:
    """Where a model is wrong, and where the project's file is."""
    assert shell("git add . && git commit -q -m base", project).returncode == 0
    (project / "models/bad.sql").write_text(BAD)
    build, diff, lint, fmt = run_steps(project, tmp_path / "summary.md")
    assert (build.returncode, diff.returncode, lint.returncode, fmt.returncode) == (1, 1, 1, 0)
    assert "\n::error file=models/bad.sql,line=2,col=3," in "\n" + build.stderr
    assert (tmp_path / "summary.md").read_text().count(": failed\n") == 3
    (project / "lsqlc.yml").write_text("name: [\n")
    (project / "target/lsqlc.xml").unlink()
    build, _, lint, _ = run_steps(project, tmp_path / "summary.md")
    assert (build.returncode, lint.returncode) == (1, 1)
    assert "::error file=lsqlc.yml," in build.stderr and "LSQ003" in (project / "target/lsqlc.xml").read_text()


@pytest.mark.nightly
def test_the_hook_of_git(project: Path) -> None:
    """A good commit goes through, a bad one does not."""
    hook = project / ".git/hooks/pre-commit"
    hook.write_text(block("sh", "hook"))
    hook.chmod(0o755)
    ran = shell("git add . && git commit -q -m good", project)
    assert ran.returncode == 0, ran.stderr
    (project / "models/bad.sql").write_text(BAD)
    ran = shell("git add . && git commit -q -m bad", project)
    assert ran.returncode == 1 and "unknown column 'nme'" in ran.stderr


@pytest.mark.nightly
def test_the_hooks_of_pre_commit(project: Path) -> None:
    """Each as pre-commit calls it: with the files that match, unless it wants none."""
    hooks = yaml.safe_load(block("yaml", "pre-commit"))["repos"][0]["hooks"]
    files = shell("git add . && git ls-files", project).stdout.split()

    def codes() -> list[int]:
        found = []
        for hook in hooks:
            matching = [f for f in files if re.search(hook["files"], f)]
            assert matching
            given = matching if hook.get("pass_filenames", True) else []
            found.append(shell(f'{hook["entry"]} "$@"', project, *given).returncode)
        return found

    assert codes() == [0, 0, 0]
    (project / "models/bad.sql").write_text(BAD)
    files.append("models/bad.sql")
    assert codes()[1:] == [1, 1]


def test_the_template_has_what_the_page_shows(project: Path) -> None:
    """A new project has the workflow and the hooks."""
    assert (project / ".github/workflows/lsqlc-build.yml").read_text() == block("yaml", "workflow")
    assert (project / ".pre-commit-config.yaml").read_text() == block("yaml", "pre-commit")


def test_the_hooks_of_this_repository_are_those_of_the_page() -> None:
    """But for where lsqlc comes from: pre-commit installs it."""
    ours = yaml.safe_load((DOCS.parent / ".pre-commit-hooks.yaml").read_text("utf-8"))
    shown = yaml.safe_load(block("yaml", "pre-commit"))["repos"][0]["hooks"]
    assert ours == [{**hook, "language": "python"} for hook in shown]


@pytest.mark.nightly
def test_a_change_is_shown_by_the_workflow(project: Path, tmp_path: Path) -> None:
    """The summary of the job tells what a changed model does to its rows."""
    run_steps(project, tmp_path / "good.md")
    model = project / "models/arrivals.sql"
    model.write_text(model.read_text().replace("NOT cancelled", "NOT cancelled AND minutes > 8"))
    build, diff, *_ = run_steps(project, tmp_path / "summary.md")
    assert (build.returncode, diff.returncode) == (0, 0), build.stderr
    assert "arrivals" in (project / "target/diff.md").read_text()
    assert "lsqlc diff" in (tmp_path / "summary.md").read_text()


def test_what_the_page_says_of_options_is_there() -> None:
    """Each option of the table is one of each verb that it names, and of no other of the three."""
    rows = re.findall(r"^\| `(--\w+)[^`]*` \| ([^|]+) \|", TEXT, re.MULTILINE)
    assert [option for option, _ in rows] == ["--junit", "--sarif", "--lcov", "--markdown", "--github"]
    for verb in ("build", "test", "lint"):
        help = shell(f"lsqlc {verb} --help", DOCS, COLUMNS="200").stdout
        assert {o for o, verbs in rows if f"`{verb}`" in verbs} == {o for o, _ in rows if f"{o} " in help}
