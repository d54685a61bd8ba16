"""A run over files that cannot be read: its end at once, with the code and the line that DuckDB has."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import Cli

pytest.importorskip("pyspark", reason="pyspark is not installed")
pytestmark = pytest.mark.spark


@pytest.mark.parametrize(
    ("format", "file", "content", "place"),
    [
        ("csv", "a.csv", "a,b\n1,x\nbad,y\n", "error[LSQ440]: the model 'm' cannot read a row of 'data/w/a.csv'"),
        ("json", "a.json", '{"a":1}\n{"a":"x"}\n', "error[LSQ440]: the model 'm' cannot read a row of 'data/w/a.json'"),
    ],
)
def test_a_bad_row_ends_the_run_at_once(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, format: str, file: str, content: str, place: str
) -> None:
    """Nothing is tried again, and both engines say the same."""
    (tmp_path / "models").mkdir()
    (tmp_path / "data/w").mkdir(parents=True)
    (tmp_path / "lsqlc.yml").write_text("name: p\n")
    files = f"{{path: data/w, format: {format}}}"
    topic = f"topics: [{{name: w, connector: files, files: {files}, value: 'a INT, b STRING'}}]\n"
    (tmp_path / "models/w.yml").write_text(topic)
    (tmp_path / "models/m.sql").write_text("SELECT STREAM a, b FROM w\n")
    (tmp_path / "data/w" / file).write_text(content)
    monkeypatch.chdir(tmp_path)
    ran = cli("run")
    assert ran.code == 1
    assert f"{place}: a: expected INT" in ran.err
    line = 3 if format == "csv" else 2
    assert f"data/w/{file}:{line}:1" in ran.err
    # A worker that is slow on a busy machine is another matter, and costs its query a pause.
    assert "starting again" not in ran.err and "version of Python" not in ran.err
    assert ran.err.count("starting the embedded Spark server") == 1
    shown = cli("show", "w")
    assert shown.code == 1 and f"data/w/{file}:{line}:1" in shown.err and "a: expected INT" in shown.err


@pytest.mark.parametrize(
    ("format", "content", "bad"),
    [("csv", "a,b\n1,x\nbad,y\n", 3), ("json", '{"a":1,"b":"x"}\n{"a":"bad","b":"y"}\n', 2)],
)
def test_a_bad_row_is_refused_before_a_condition_is_asked(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, format: str, content: str, bad: int
) -> None:
    """Neither of the cell that cannot be read nor of another one."""
    (tmp_path / "models").mkdir()
    (tmp_path / "data/w").mkdir(parents=True)
    (tmp_path / "lsqlc.yml").write_text("name: p\n")
    files = f"{{path: data/w, format: {format}}}"
    topic = f"topics: [{{name: w, connector: files, files: {files}, value: 'a INT, b STRING'}}]\n"
    (tmp_path / "models/w.yml").write_text(topic)
    (tmp_path / "models/one.sql").write_text("SELECT STREAM a, b FROM w WHERE a > 0\n")
    (tmp_path / "models/other.sql").write_text("SELECT STREAM a FROM w WHERE b = 'x'\n")
    (tmp_path / f"data/w/a.{format}").write_text(content)
    monkeypatch.chdir(tmp_path)
    for model in ("one", "other"):
        ran = cli("run", "--select", model)
        assert ran.code == 1 and f"data/w/a.{format}:{bad}:1" in ran.err, ran.err
