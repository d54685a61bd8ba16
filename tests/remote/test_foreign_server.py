"""A server that isn't ours: another user's, with a token, behind TLS, elsewhere, of a stock configuration.

Client and server are two users, neither of them root, with a umask that lets nobody else in. They share one folder, by
a group that both are in; the client's project is unreadable to the server. What the client says is read at the proxy.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import lsqlc
from tests.remote import other_users
from tests.remote.other_users import CLIENT, GROUP, SERVER, Python
from tests.remote.tls_proxy import Proxy, certificate, tls_proxy

SKIP = other_users.reason_to_skip()
pytestmark = [pytest.mark.spark, pytest.mark.skipif(SKIP is not None, reason=str(SKIP))]

TOKEN = "a token that is nobody's"

# A stock server: without the settings that an embedded one gets.
SERVE = """
import os, sys
from pathlib import Path
from lsqlc.remote.server import embedded as server
server.SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.driver.host": "localhost",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.connect.grpc.binding.address": "127.0.0.1",
    "spark.sql.session.timeZone": "America/New_York",
    "spark.sql.shuffle.partitions": "2",
}
with server.EmbeddedServer(Path("work"), os.environ, server.ServerOptions(token=sys.argv[1])) as started:
    print(started.port, flush=True)
    sys.stdin.read()
"""

PROFILES = """\
default: cluster
targets:
  cluster:
    type: connect
    address: "sc://127.0.0.1:{port}/;use_ssl=true;token={{{{ env_var('SPARK_TOKEN') }}}}"
    topics: {shared}/topics
    checkpoints: {shared}/checkpoints
  unseen:
    type: connect
    address: "sc://127.0.0.1:{port}/;use_ssl=true;token={{{{ env_var('SPARK_TOKEN') }}}}"
"""


@dataclass
class Ran:
    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[Any]:
        return [json.loads(line) for line in self.out.splitlines()]


@dataclass
class Foreign:
    """The client's project before a foreign server. `home`: the folder above it, which the server cannot enter."""

    python: Python
    home: Path
    shared: Path
    proxy: Proxy
    environment: dict[str, str]

    @property
    def project(self) -> Path:
        return self.home / "bikes"

    def start(self, *words: str, cwd: Path | None = None, **environment: str) -> Any:
        given = {**self.environment, **environment}
        return self.python.start(CLIENT, "-m", "lsqlc", *words, cwd=cwd or self.project, environment=given)

    def run(self, *words: str, cwd: Path | None = None, **environment: str) -> Ran:
        """A command of the client's, to its end."""
        with self.start(*words, cwd=cwd, **environment) as process:
            try:
                out, err = process.communicate(timeout=900)
            except BaseException:
                process.kill()
                raise
        assert "Traceback" not in err
        return Ran(process.returncode, out, err)

    def rows(self, topic: str) -> dict[str, Any]:
        shown = self.run("show", topic, "--output", "json", "--limit", "0")
        assert shown.code == 0, shown.err
        return {line["key"]: line["value"] for line in shown.lines}


@pytest.fixture(scope="module")
def foreign() -> Iterator[Foreign]:
    """The client's project, seeded, and the server."""
    # Not below pytest's own folder, which is closed to every other user.
    top = Path(tempfile.mkdtemp(prefix="lsqlc-foreign-"))
    top.chmod(0o755)
    home, work, shared = top / "client", top / "server", top / "shared"
    for folder, owner, mode in ((home, CLIENT, 0o700), (work, SERVER, 0o700), (shared, 0, 0o2770)):
        folder.mkdir()
        os.chown(folder, owner, GROUP if folder == shared else owner)
        folder.chmod(mode)
    python = other_users.python_for_all(top / "python")
    made, key = certificate(top)
    try:
        server = python.start(SERVER, "-c", SERVE, TOKEN, cwd=work, environment={"HOME": str(work)})
        try:
            assert server.stdout is not None and server.stderr is not None
            port = server.stdout.readline()
            assert port, server.stderr.read()
            with tls_proxy(int(port), made, key) as proxy:
                environment = {
                    "HOME": str(home), "TMPDIR": str(home), "SPARK_TOKEN": TOKEN,
                    "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH": str(made),
                }  # fmt: skip
                found = Foreign(python, home, shared, proxy, environment)
                for words in (("init", "bikes", "--dialect", "lenses", "--quiet"),):
                    ran = found.run(*words, cwd=home)
                    assert ran.code == 0, ran.err
                profiles = PROFILES.format(port=proxy.port, shared=shared)
                (home / "bikes" / "profiles.yml").write_text(profiles, "utf-8")
                (home / "bikes" / "profiles.yml").chmod(0o644)
                ran = found.run("seed")
                assert ran.code == 0, ran.err
                yield found
        finally:
            for pipe in (server.stdin, server.stdout, server.stderr):
                assert pipe is not None
                pipe.close()
            server.wait(300)
    finally:
        shutil.rmtree(top)


def test_a_run_ends_resumes_and_starts_over(foreign: Foreign) -> None:
    """A run reads all that was seeded; the next one reads nothing again; a full refresh gives the same rows, although
    what it drops is another user's. The rows are those that DuckDB computes.
    """
    ran = foreign.run("run", "--verify", "--output", "json")
    assert ran.code == 0, ran.err
    assert ran.lines[-1]["ok"] and sum(q["rows"] for q in ran.lines[-1]["queries"]) > 0
    first = foreign.rows("bikes_at_station")
    assert sum(row["bikes"] for row in first.values()) == 12
    ran = foreign.run("run", "--output", "json")
    assert ran.code == 0, ran.err
    assert [q["rows"] for q in ran.lines[-1]["queries"]] == [0, 0, 0]
    ran = foreign.run("run", "--full-refresh", "--verify", "--output", "json")
    assert ran.code == 0, ran.err
    assert foreign.rows("bikes_at_station") == first
    aside = list((foreign.shared / "topics").glob("**/tmp/*"))
    assert aside and all(place.name.endswith("_000002") and not any(place.iterdir()) for place in aside)
    left = [p for p in (foreign.shared / "checkpoints").rglob("*") if p.name.startswith("seen-")]
    assert not left


def test_cases_run_there(foreign: Foreign) -> None:
    """`lsqlc test --engine spark` hands the records over in the folder that both share, and leaves nothing there."""
    ran = foreign.run("test", "--engine", "spark", "--target", "cluster")
    assert ran.code == 0, ran.err
    assert not list((foreign.shared / "checkpoints").glob(".cases/*"))


def test_a_run_that_goes_on_is_seen_and_stopped(foreign: Foreign) -> None:
    """`status` tells of a run over the remote server, and `stop` ends it in order."""
    process = foreign.start("run", "--continuous", "--full-refresh")
    try:
        deadline = time.monotonic() + 600
        while time.monotonic() < deadline and process.poll() is None:
            status = foreign.run("status", "--output", "json")
            run = json.loads(status.out)["run"]
            if status.code == 0 and sum(q["rows"] > 0 for q in run.get("queries", ())) == 3:
                break
            time.sleep(0.5)
        else:
            pytest.fail("the run was not seen to read its topics")
        stopped = foreign.run("stop")
        assert stopped.code == 0, stopped.err
        assert process.wait(300) == 0
    finally:
        process.kill()
        with closing(process.stdin), closing(process.stdout), closing(process.stderr):
            process.wait()


def test_no_path_of_the_client_gets_there(foreign: Foreign) -> None:
    """No message to the server holds a path of the project, of the client's home, or of where lsqlc is installed; those
    of the shared folder are there.
    """
    ran = foreign.run("run", "--full-refresh", "--select", "bikes_at_station")
    assert ran.code == 0, ran.err
    said = foreign.proxy.messages()
    assert any(str(foreign.shared).encode() in message for message in said)
    for path in (foreign.home, Path(lsqlc.__file__).parent):
        assert not [m for m in said if str(path).encode() in m]


def test_folders_that_are_not_shared_are_told(foreign: Foreign) -> None:
    """Without shared folders a run, and cases, are refused before anything starts, instead of reading nothing."""
    for words in (("run",), ("test", "--engine", "spark")):
        ran = foreign.run(*words, "--target", "unseen")
        assert ran.code == 1
        assert "LSQ697" in ran.err
    assert not (foreign.project / ".lsqlc" / "checkpoints" / "arrivals").exists()


def test_what_is_wrong_with_the_connection_is_told(foreign: Foreign) -> None:
    """A wrong token, and an authority that nobody knows, are told apart."""
    ran = foreign.run("debug", SPARK_TOKEN="wrong")
    assert ran.code == 1 and "LSQ658" in ran.out
    ran = foreign.run("debug", GRPC_DEFAULT_SSL_ROOTS_FILE_PATH="")
    assert ran.code == 1 and "LSQ657" in ran.out
    assert TOKEN not in ran.out + ran.err
