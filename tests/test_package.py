"""What is published: the wheel and the sdist, what is in them, and the wheel in an empty environment."""

from __future__ import annotations

import subprocess
import sys
import tarfile
import zipfile
from email import message_from_string
from pathlib import Path

import pytest

from lsqlc import __version__
from lsqlc.diagnostics.catalogue import codes

ROOT = Path(__file__).parents[1]
pytestmark = pytest.mark.nightly


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The wheel and the sdist, as a release makes them: the wheel out of the sdist."""
    folder = tmp_path_factory.mktemp("dist")
    _run(sys.executable, "-m", "build", "--outdir", str(folder), str(ROOT))
    (wheel,), (sdist,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    return wheel, sdist


def test_the_contents(built: tuple[Path, Path]) -> None:
    """Everything that is read when lsqlc runs, with the licence; no tests, and nothing of the reference project."""
    wheel, sdist = built
    info = f"lsqlc-{__version__}.dist-info"
    names = set(zipfile.ZipFile(wheel).namelist())
    with tarfile.open(sdist) as archive:
        sources = {name.removeprefix(f"lsqlc-{__version__}/") for name in archive.getnames()}
    sources_of_package = {p.relative_to(ROOT).as_posix() for p in (ROOT / "lsqlc").rglob("*") if p.is_file()}
    wanted = {name for name in sources_of_package if "__pycache__" not in name}
    template = {p.relative_to(ROOT).as_posix() for p in (ROOT / "project_template").rglob("*") if p.is_file()}
    assert wanted <= names and wanted <= sources
    assert {f"lsqlc/{name}" for name in template} <= names and template <= sources and len(template) > 20
    assert "lsqlc/py.typed" in names and len([n for n in names if "/pages/LSQ" in n]) == len(codes())
    assert f"{info}/licenses/LICENSE" in names and {"LICENSE", "README.md", "CHANGELOG.md", "pyproject.toml"} <= sources
    assert {name.split("/")[0] for name in names} == {"lsqlc", info}
    assert not [n for n in sources if n.split("/")[0] in ("tests", "models", "golden", "tools", "docs", "seeds")]


def test_the_metadata(built: tuple[Path, Path]) -> None:
    """What an index shows: a description that it can render, a licence, and classifiers that name what is supported."""
    with zipfile.ZipFile(built[0]) as wheel:
        text = wheel.read(f"lsqlc-{__version__}.dist-info/METADATA").decode()
    data = message_from_string(text)
    assert (data["Name"], data["Version"], data["License-Expression"]) == ("lsqlc", __version__, "Apache-2.0")
    assert data["Description-Content-Type"] == "text/markdown" and "# lsqlc" in str(data.get_payload())
    classifiers = data.get_all("Classifier", [])
    supported = {f"Programming Language :: Python :: 3.{minor}" for minor in range(11, 15)}
    assert supported <= set(classifiers) and data["Requires-Python"] == ">=3.11"
    _run(sys.executable, "-m", "twine", "check", "--strict", *map(str, built))


def test_an_installed_wheel(built: tuple[Path, Path], tmp_path: Path) -> None:
    """Without extras it makes a project of each dialect, proves it, and shows its names; pyspark is not there."""
    _run(sys.executable, "-m", "venv", str(tmp_path / "venv"))
    python = tmp_path / "venv" / "bin" / "python"
    _run(str(python), "-m", "pip", "install", "--quiet", "--no-cache-dir", str(built[0]))
    lsqlc = str(python.with_name("lsqlc"))
    for dialect in ("lenses", "ksql", "sql"):
        _run(lsqlc, "init", dialect, "--dialect", dialect, cwd=tmp_path)
        assert "passed" in _run(lsqlc, "build", cwd=tmp_path / dialect)
    assert "an aggregate that a TABLE does not support" in _run(lsqlc, "explain", "LSQ314", cwd=tmp_path)
    assert "'compile'" in _run(str(python), "-c", "import lsqlc; print(dir(lsqlc))", cwd=tmp_path)
    absent = "import importlib.util as u; print([n for n in ('pyspark', 'pygls', 'tests') if u.find_spec(n)])"
    assert _run(str(python), "-c", absent, cwd=tmp_path).strip() == "[]"


def _run(*words: str, cwd: Path | None = None) -> str:
    ran = subprocess.run(words, cwd=cwd, capture_output=True, text=True)
    assert ran.returncode == 0, f"{words}\n{ran.stdout}\n{ran.stderr}"
    return ran.stdout + ran.stderr
