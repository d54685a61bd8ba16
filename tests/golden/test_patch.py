"""Patches, given to git itself."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lsqlc.golden.patch import patch

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git judges the patches, and is not installed")

TEXTS = st.one_of(
    st.none(),
    st.lists(st.sampled_from(["a", "b", '{"x":1}', "", "\u2028", "c\r", "é"]), max_size=30).map("\n".join),
    st.lists(st.sampled_from(["a", "b", "c"]), max_size=30).map(lambda lines: "".join(f"{line}\n" for line in lines)),
)


def _applied(folder: Path, path: str, before: str | None, after: str | None) -> None:
    """Let git apply the patch to the first text, and see the second."""
    file = folder / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.unlink(missing_ok=True)
    if before is not None:
        file.write_bytes(before.encode())
    text = patch(path, before, after)
    if before == after:
        assert text == ""
        return
    done = subprocess.run(
        ["git", "apply", "--whitespace=nowarn", "-"], cwd=folder, input=text.encode(), capture_output=True, check=False
    )
    assert done.returncode == 0, (text, done.stderr)
    assert (file.read_bytes().decode() if file.exists() else None) == after


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(TEXTS, TEXTS)
def test_git_applies_every_patch(tmp_path: Path, before: str | None, after: str | None) -> None:
    """Changed, new, deleted, empty; with a last newline or without: git makes the second text of the first."""
    _applied(tmp_path, "golden/m/a.jsonl", before, after)


@pytest.mark.parametrize("path", ["golden files/m/a.jsonl", "gölden/m/a.jsonl", 'gol"den/m/a\tb.jsonl', "a\\b.jsonl"])
@pytest.mark.parametrize(("before", "after"), [("a\n", "b\n"), (None, "b"), ("a", None), (None, "")])
def test_unusual_paths(tmp_path: Path, path: str, before: str | None, after: str | None) -> None:
    """Spaces, letters beyond ASCII, quotes and tabs in a path are written as git reads them."""
    _applied(tmp_path, path, before, after)


def test_a_project_below_the_top_of_a_repository(tmp_path: Path) -> None:
    """git applies a patch in the project's folder."""
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    for before, after in (("x\n", "y\n"), (None, "y\n"), ("y\n", None)):
        _applied(tmp_path / "sub", "golden/m/a.jsonl", before, after)


def test_a_patch_reads_as_git_writes_it() -> None:
    """The form is that of `git diff`, without the line that names the files."""
    assert patch("golden/m/a.jsonl", "x\ny\n", "x\nz") == (
        "--- a/golden/m/a.jsonl\n+++ b/golden/m/a.jsonl\n@@ -1,2 +1,2 @@\n x\n-y\n+z\n\\ No newline at end of file\n"
    )
    assert patch("my golden/a", None, "x\n") == "--- /dev/null\n+++ b/my golden/a\t\n@@ -0,0 +1 @@\n+x\n"
