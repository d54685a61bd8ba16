"""The command line in process, in a project that `lsqlc init --dialect lenses` made."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from lsqlc.cli.main import main


@dataclass(frozen=True, slots=True)
class Ran:
    """What a command answered."""

    code: int
    out: str
    err: str

    @property
    def data(self) -> Any:
        return json.loads(self.out)

    @property
    def lines(self) -> list[Any]:
        return [json.loads(line) for line in self.out.splitlines()]


Cli = Callable[..., Ran]


@pytest.fixture
def cli(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Cli:
    """Runs `lsqlc` with these words in the current folder."""
    for name in ("CI", "GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY", "GITHUB_WORKSPACE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COLUMNS", "120")

    def run(*words: str) -> Ran:
        capfd.readouterr()
        with pytest.raises(SystemExit) as ended:
            main(list(words))
        out, err = capfd.readouterr()
        assert "Traceback" not in err
        return Ran(int(ended.value.code or 0), out, err)

    return run


@pytest.fixture
def bikes(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The Lenses project of the template, as the current folder."""
    monkeypatch.chdir(tmp_path)
    assert cli("init", "bikes", "--dialect", "lenses", "--quiet").code == 0
    monkeypatch.chdir(tmp_path / "bikes")
    return tmp_path / "bikes"


def everything(folder: Path) -> dict[str, bytes]:
    """The files below a folder with their contents."""
    files = (p for p in folder.rglob("*") if p.is_file())
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in files}


@pytest.fixture
def project(request: pytest.FixtureRequest, cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project of the dialect that is the parameter, with its sample records in topics."""
    monkeypatch.chdir(tmp_path)
    assert cli("init", "bikes", "--dialect", request.param, "--quiet").code == 0
    monkeypatch.chdir(tmp_path / "bikes")
    assert cli("seed", "--quiet").code == 0
    return tmp_path / "bikes"


in_sql = pytest.mark.parametrize("project", ["sql"], indirect=True)
in_ksql = pytest.mark.parametrize("project", ["ksql"], indirect=True)
in_lenses = pytest.mark.parametrize("project", ["lenses"], indirect=True)
