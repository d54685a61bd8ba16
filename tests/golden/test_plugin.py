"""The pytest plugin, in sessions of their own."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

FILES = {
    "lsqlc.yml": "name: p\n",
    "models/late.sql": "INSERT INTO late SELECT STREAM id FROM flights WHERE delay > 1;\n",
    "models/bad.sql": "SELECT STREAM idd FROM flights;\n",
    "models/topics.yml": "topics:\n  - {name: flights, key: STRING, value: 'id INT, delay DOUBLE'}\n",
    "tests/late.yml": "cases:\n"
    "  - {name: one, model: late, inputs: {flights: [{key: a, value: {id: 1, delay: 2}}]}}\n"
    "  - {name: none, model: late, inputs: {}}\n",
    "tests/bad.yml": "cases:\n  - {name: x, model: bad, inputs: {}}\n",
    "tests/broken.yml": "cases:\n  - {name: y, model: late, inputs: {flightz: []}}\n",
    "tests/other.yml": "cases of beer: 7\n",
    "elsewhere/late.yml": "cases:\n  - {name: z, model: late, inputs: {}}\n",
    "golden/late/plan.txt": "",
    "golden/late/one.jsonl": '{"topic":"late","key":"a","value":{"id":2},"timestamp":0}\n',
    "golden/late/none.jsonl": "",
}
# Stands in for the entry points of an installed lsqlc.
CONFTEST = """
import importlib.metadata as metadata
found = metadata.EntryPoints([metadata.EntryPoint("duckdb", "lsqlc.lower.duckdb:evaluate", "lsqlc.engines")])
import lsqlc.golden.plugin as plugin
plugin.entry_points = lambda group: found.select(group=group)
"""


def project_in(folder: Path) -> Path:
    """The files of the project below a folder, which is given back."""
    for path, text in {**FILES, "conftest.py": CONFTEST}.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    return folder


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return project_in(tmp_path)


def _pytest(folder: Path, *arguments: str, ci: bool = False) -> tuple[int, str]:
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST") and k != "CI"}
    environment |= {"PYTHONPATH": str(Path(__file__).parents[2]), "COLUMNS": "200", **({"CI": "1"} if ci else {})}
    # An installed lsqlc brings the plugin along, and pytest refuses to load it twice.
    installed = any(point.value == "lsqlc.golden.plugin" for point in entry_points(group="pytest11"))
    plugin = [] if installed else ["-p", "lsqlc.golden.plugin"]
    command = [sys.executable, "-m", "pytest", *plugin, "-p", "no:cacheprovider", *arguments]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


@pytest.fixture(scope="module")
def whole_run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int, str]:
    """A project after a run of all its items: its folder, the exit code, and what was printed."""
    folder = project_in(tmp_path_factory.mktemp("project"))
    return folder, *_pytest(folder, "-rpfE", "--continue-on-collection-errors")


def test_cases_are_items(whole_run: tuple[Path, int, str]) -> None:
    """The items are the cases of the case paths and a plan for each model; a broken case file is an error."""
    _, _, out = whole_run
    assert re.findall(r"^(PASSED|FAILED) (\S+\.yml::\S+)", out, re.MULTILINE) == [
        ("PASSED", "tests/late.yml::late::none"),
        ("FAILED", "tests/bad.yml::bad::plan.txt"),
        ("FAILED", "tests/bad.yml::bad::x"),
        ("FAILED", "tests/late.yml::late::plan.txt"),
        ("FAILED", "tests/late.yml::late::one"),
    ]
    assert "error[LSQ506]: the model 'late' does not read 'flightz'" in out and "ERROR tests/broken.yml" in out


def test_a_failure_shows_cells_and_patch(whole_run: tuple[Path, int, str]) -> None:
    """The text of a failed case is what `lsqlc test` shows; nothing is written."""
    folder, code, out = whole_run
    assert code == 1
    assert "value.id  expected 2, found 1" in out and "--- a/golden/late/one.jsonl" in out
    assert "Traceback" not in out
    assert (folder / "golden/late/one.jsonl").read_text() == FILES["golden/late/one.jsonl"]


def test_a_model_that_does_not_compile_fails_with_its_errors(whole_run: tuple[Path, int, str]) -> None:
    """Its cases tell what is wrong with it."""
    _, _, out = whole_run
    (of_case,) = re.findall(r"^_+ bad::x _+$(.*?)^_+ ", out, re.MULTILINE | re.DOTALL)
    assert "models/bad.sql:1:15" in of_case and "'idd'" in of_case


@pytest.mark.nightly
def test_k_and_x_and_n(project: Path) -> None:
    """Selecting, stopping and several processes work as with any test."""
    assert "1 passed, 2 deselected" in _pytest(project, "tests/late.yml", "-k", "none")[1]
    assert "1 failed" in _pytest(project, "tests/late.yml", "-x")[1]
    assert "2 failed, 1 passed" in _pytest(project, "tests/late.yml", "-n", "2")[1]


@pytest.mark.nightly
def test_update_writes_but_never_under_ci(project: Path) -> None:
    """`--lsqlc-update changed` accepts what differs."""
    code, _ = _pytest(project, "tests/late.yml", "--lsqlc-update", "changed", ci=True)
    assert code == 1 and (project / "golden/late/one.jsonl").read_text() == FILES["golden/late/one.jsonl"]
    code, out = _pytest(project, "tests/late.yml", "--lsqlc-update", "changed")
    assert code == 0, out
    assert '"id":1' in (project / "golden/late/one.jsonl").read_text()
    assert _pytest(project, "tests/late.yml")[0] == 0


@pytest.mark.nightly
def test_an_engine_that_is_not_there(project: Path) -> None:
    """The message names those that are."""
    _, out = _pytest(project, "tests/late.yml", "--lsqlc-engine", "duckbd")
    assert "unknown engine 'duckbd'" in out and "did you mean 'duckdb'" in out
    assert "Traceback" not in out and "plugin.py:" not in out


@pytest.mark.parametrize(
    ("found", "said"),
    [
        pytest.param("[]", "no installed package provides one: install lsqlc itself", marks=pytest.mark.nightly),
        (
            "[metadata.EntryPoint('duckdb', 'no_such_module:evaluate', 'lsqlc.engines')]",
            "the engine 'duckdb' cannot be loaded: No module named 'no_such_module'",
        ),
    ],
    ids=["none", "broken"],
)
@pytest.mark.nightly
def test_an_installation_without_engine(project: Path, found: str, said: str) -> None:
    """A case fails with the reason alone, and with what to do about it."""
    conftest = CONFTEST.replace(CONFTEST.splitlines()[2], f"found = metadata.EntryPoints({found})")
    (project / "conftest.py").write_text(conftest)
    code, out = _pytest(project, "tests/late.yml")
    assert code == 1 and said in out
    assert "Traceback" not in out and "plugin.py:" not in out


def test_a_session_without_a_project_is_left_alone(tmp_path: Path) -> None:
    """YAML files outside of a project are not collected, and nothing of the compiler is loaded."""
    (tmp_path / "late.yml").write_text(FILES["tests/late.yml"])
    (tmp_path / "test_it.py").write_text(
        "import sys\n\ndef test_it():\n"
        "    loaded = [m for m in sys.modules if m.startswith('lsqlc')]\n"
        "    assert loaded == ['lsqlc', 'lsqlc.golden', 'lsqlc.golden.plugin']\n"
    )
    code, out = _pytest(tmp_path)
    assert code == 0 and "1 passed" in out, out
