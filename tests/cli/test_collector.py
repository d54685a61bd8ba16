"""Commands that only compile do without Python's collector, and leave it as it was."""

import gc
from pathlib import Path

import pytest

from lsqlc.cli import compiling
from lsqlc.cli.collector import uncollected


def test_the_collector_rests_within_and_works_again_after() -> None:
    with uncollected():
        assert not gc.isenabled()
        with uncollected():
            assert not gc.isenabled()
        assert not gc.isenabled(), "the inner one ends, the outer one has not"
    assert gc.isenabled()


def test_the_collector_works_again_after_an_error() -> None:
    with pytest.raises(ValueError, match="bad"), uncollected():
        raise ValueError("bad")
    assert gc.isenabled()


def test_a_collector_that_was_off_stays_off() -> None:
    gc.disable()
    try:
        with uncollected():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_compile_does_without_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "lsqlc.yml").write_text("name: p\n", "utf-8")
    enabled = list[bool]()
    monkeypatch.setattr(compiling, "_compile", lambda *_, **__: enabled.append(gc.isenabled()))
    compiling.compile_models(compiling.CompileArguments(project_dir=tmp_path, quiet=True))
    assert enabled == [False]
    assert gc.isenabled()
