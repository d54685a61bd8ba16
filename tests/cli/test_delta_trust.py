"""A project of somebody else that names a Delta table: what reads no records reads no table outside of the project."""

from __future__ import annotations

import json
import shutil
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import write_deltalake

from tests.cli.conftest import Cli
from tests.cli.test_diff import git

MODEL = "SELECT STREAM * FROM orders\n"
COMMANDS = (("compile",), ("build",), ("lint",), ("docs", "build"), ("diff", "--against", "HEAD"))


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project in a folder of its own, committed, with a table beside it."""
    root = tmp_path / "project"
    (root / "models").mkdir(parents=True)
    (root / "lsqlc.yml").write_text("name: shop\ndialect: lenses\n")
    (root / "profiles.yml").write_text("targets: {dev: {type: embedded, tables: {lake: {delta: {path: ..}}}}}\n")
    (root / "models" / "copied.sql").write_text(MODEL)
    _declare(root, "path: outside")
    write_deltalake(str(tmp_path / "outside"), pa.table({"secret": [1, 2]}))
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "first")
    monkeypatch.chdir(root)
    return root


@pytest.fixture
def server() -> Iterator[socket.socket]:
    """A server on this machine. A request waits there until somebody accepts it."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        yield server


def _declare(root: Path, table: str) -> None:
    (root / "models" / "topics.yml").write_text(
        f"topics:\n  - name: orders\n    connector: delta\n    delta: {{{table}}}\n"
    )


def _linked_table(root: Path) -> str:
    (root / "linked").symlink_to(root.parent / "outside")
    return "path: linked"


def _linked_log(root: Path) -> str:
    (root / "linked").mkdir()
    (root / "linked" / "_delta_log").symlink_to(root.parent / "outside" / "_delta_log")
    return "path: linked"


def _linked_commit(root: Path) -> str:
    (root / "linked" / "_delta_log").mkdir(parents=True)
    name = f"{0:020}.json"
    (root / "linked" / "_delta_log" / name).symlink_to(root.parent / "outside" / "_delta_log" / name)
    return "path: linked"


@pytest.mark.parametrize(
    "table",
    [
        lambda root: "path: ../outside",
        lambda root: "path: models/../../outside",
        lambda root: f"path: {root.parent}/outside",
        lambda root: f"path: 'file://{root.parent}/outside'",
        lambda root: "path: outside, store: lake",
        _linked_table,
        _linked_log,
        _linked_commit,
    ],
)
@pytest.mark.parametrize("ci", [False, True])
def test_a_table_outside_is_read_only_where_that_is_asked_for(
    cli: Cli, project: Path, monkeypatch: pytest.MonkeyPatch, table: Callable[[Path], str], *, ci: bool
) -> None:
    """A link may lead to it. The error names the command that reads it."""
    _declare(project, table(project))
    if ci:
        monkeypatch.setenv("CI", "true")
    for words in COMMANDS:
        ran = cli(*words)
        assert "secret" not in ran.out + ran.err
        if words[0] in ("compile", "build"):
            assert ran.code == 1 and "error[LSQ090]: the columns of the Delta table of 'orders' are not" in ran.err
            assert "help: `lsqlc compile --lock` reads them from the table" in ran.err
    assert not (project / "lsqlc.lock.yml").exists() and "secret" not in _written(project)
    assert cli("compile", "--lock").code == 0
    assert "secret BIGINT" in (project / "lsqlc.lock.yml").read_text()


def test_a_table_in_the_project_is_read(cli: Cli, project: Path) -> None:
    """Also through a link within the project."""
    shutil.move("../outside", "inside")
    (project / "linked").symlink_to("inside")
    _declare(project, "path: linked")
    assert cli("compile").code == 0 and "secret BIGINT" in (project / "lsqlc.lock.yml").read_text()


@pytest.mark.parametrize("is_locked", [False, True])
def test_no_address_of_a_project_is_contacted(
    cli: Cli, project: Path, server: socket.socket, monkeypatch: pytest.MonkeyPatch, *, is_locked: bool
) -> None:
    """Before the columns are in the lock file, and later."""
    address = f"http://127.0.0.1:{server.getsockname()[1]}"
    monkeypatch.setenv("LSQLC_ID", "id")
    monkeypatch.setenv("LSQLC_SECRET", "none")
    options = {
        "aws_endpoint": address,
        "aws_allow_http": "true",
        "timeout": "1s",
        "retry_timeout": "1s",
        "aws_region": "us-east-1",
    }
    options |= {
        "aws_access_key_id": "{{ env_var('LSQLC_ID') }}",
        "aws_secret_access_key": "{{ env_var('LSQLC_SECRET') }}",
    }
    stores = f"{{lake: {{delta: {{path: 's3://lake', options: {json.dumps(options)}}}}}}}"
    (project / "profiles.yml").write_text(f"targets: {{dev: {{type: embedded, tables: {stores}}}}}\n")
    _declare(project, "store: lake, path: orders")
    if is_locked:
        (project / "lsqlc.lock.yml").write_text('files:\n  "orders": >-\n    id BIGINT\n')
    for words in COMMANDS:
        ran = cli(*words)
        with pytest.raises(BlockingIOError):
            server.accept()
        if words[0] in ("compile", "build"):
            assert ran.code == (0 if is_locked else 1), ran.err


def _written(root: Path) -> str:
    files = (path for path in (root / "target").rglob("*") if path.is_file())
    return "".join(path.read_bytes().decode("utf-8", "replace") for path in files)
