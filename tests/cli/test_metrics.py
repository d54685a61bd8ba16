"""Metrics of a run over HTTP, as Prometheus scrapes them, and as OTLP."""

from __future__ import annotations

import json
import socket
import subprocess
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
import typer

from lsqlc.cli.metrics import Board, address_of, metrics_server, published
from lsqlc.cli.shell import Shell
from lsqlc.diagnostics import LsqlcError
from lsqlc.remote.run.query_status import QueryStatus, RunStatus
from lsqlc.report.limited_server import CLIENTS, LimitedServer
from tests.prometheus import program

from .conftest import Cli

STATUS = RunStatus(7, 1.0, 2.5, "running", queries=(QueryStatus("q", "m", "t", rows=70),), project="shop")


@contextmanager
def served(text: Callable[[], str], host: str = "127.0.0.1") -> Iterator[int]:
    server = metrics_server(host, 0, text)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def get(port: int, path: str = "/metrics") -> Any:
    return urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=20)


def test_a_scrape_has_the_newest_status() -> None:
    """The status is read when it is asked for; other paths are not there."""
    board = Board(STATUS)
    with served(board.text) as port:
        with get(port) as answer:
            assert answer.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
            assert 'lsqlc_query_rows_read_total{project="shop",query="q",model="m",topic="t"} 70\n' in (
                answer.read().decode()
            )
        board.status = lambda: replace(STATUS, queries=(replace(STATUS.queries[0], rows=71),))
        with get(port, "/metrics?x=1") as answer:
            assert 'topic="t"} 71\n' in answer.read().decode()
        with pytest.raises(urllib.error.HTTPError, match="404"):
            get(port, "/")
        foreign = urllib.request.Request(f"http://127.0.0.1:{port}/metrics", headers={"Host": "evil.example"})
        with pytest.raises(urllib.error.HTTPError, match="403"):
            urllib.request.urlopen(foreign, timeout=20)


def test_every_loopback_address_refuses_other_names() -> None:
    """A page whose name leads to this machine reads nothing, and the address itself is answered."""
    with served(Board(STATUS).text, "127.0.0.2") as port:
        for host, status in ((f"127.0.0.2:{port}", 200), (f"localhost:{port}", 200), ("evil.example", 403)):
            asked = urllib.request.Request(f"http://127.0.0.2:{port}/metrics", headers={"Host": host})
            try:
                with urllib.request.urlopen(asked, timeout=20) as answer:
                    assert answer.status == status
            except urllib.error.HTTPError as refused:
                assert refused.code == status


@pytest.mark.parametrize("text", ["", "x", "70000", "-1", "host:", "::1:80", "[::1:80", "a:b:80", "80:x", "٣"])
def test_what_is_not_an_address_is_refused(text: str) -> None:
    """Before anything is compiled."""
    with pytest.raises(typer.BadParameter):
        address_of(text)


def test_the_options_are_checked(cli: Cli, tmp_path: Path) -> None:
    """A wrong address is wrong usage; a detached run has no process that could serve."""
    wrong = cli("run", "--metrics", "localhost")
    assert wrong.code == 2 and "must be a port" in wrong.err
    for option, value in (("--metrics", "9464"), ("--otlp", "http://127.0.0.1:4318")):
        left = cli("run", "--detach", option, value)
        assert left.code == 2 and "status --metrics" in " ".join(left.err.split())


def test_a_port_in_use_is_an_error() -> None:
    """LSQ777, and a host that is not one of this machine too."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        for address in (f"127.0.0.1:{port}", "192.0.2.1:1", f"{'x' * 70}.example:1"):
            with (
                pytest.raises(LsqlcError) as error,
                published(Shell("run", quiet=True), Board(STATUS), metrics=address, otlp=None),
            ):
                pass
            assert [d.code for d in error.value.diagnostics] == ["LSQ777"]


def test_a_run_whose_metrics_cannot_be_served_does_not_start(cli: Cli, bikes: Path) -> None:
    """Wrong usage, before any server is started; what OpenLineage needs is looked at then too."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        answer = cli("run", "--metrics", str(taken.getsockname()[1]))
    assert answer.code == 2 and "error[LSQ777]" in answer.err and "starting" not in answer.err
    pytest.importorskip("openlineage.client", reason="openlineage-python is not installed")
    refused = cli("run", "--openlineage", "no/such/folder/events.jsonl")
    assert refused.code == 2 and "error[LSQ867]" in refused.err and "starting" not in refused.err


@pytest.mark.nightly
def test_slow_clients_take_no_more_than_their_share(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each has a bounded time, also one that sends a byte now and then; beyond a number of them others are refused."""
    monkeypatch.setattr(LimitedServer, "seconds", 1.0)
    before = threading.active_count()
    with served(lambda: "x 1\n") as port, ExitStack() as stack:
        slow = [stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=60)) for _ in range(60)]
        for client in slow:
            with suppress(OSError):
                client.sendall(b"GET /metrics HTTP/1.1\r\nX-Slow: ")
        # The server's own thread, and for each of the clients that are served one that answers and one that ends it.
        assert threading.active_count() - before <= 1 + 2 * CLIENTS
        ended = 0
        for client in slow:
            with suppress(OSError):
                while client.recv(100):
                    pass
            ended += 1
        assert ended == len(slow)
        # The threads of those that were ended may still be there.
        answer, deadline = b"", time.monotonic() + 60
        while not answer and time.monotonic() < deadline:
            with suppress(OSError), urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=60) as response:
                answer = response.read()
        assert answer == b"x 1\n"


def test_otlp_has_the_same_metrics(monkeypatch: pytest.MonkeyPatch) -> None:
    """Counters as sums without the suffix that Prometheus adds, gauges under their names, labels as attributes."""
    pytest.importorskip("opentelemetry.sdk.metrics", reason="the OpenTelemetry SDK is not installed")
    service = pytest.importorskip("opentelemetry.proto.collector.metrics.v1.metrics_service_pb2")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_COMPRESSION", "none")
    taken: dict[str, Any] = {}

    class Receiver(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            sent = service.ExportMetricsServiceRequest.FromString(self.rfile.read(int(self.headers["Content-Length"])))
            for metric in (m for r in sent.resource_metrics for s in r.scope_metrics for m in s.metrics):
                taken[metric.name] = metric
            self.send_response(200)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            pass

    receiver = HTTPServer(("127.0.0.1", 0), Receiver)
    thread = threading.Thread(target=receiver.serve_forever)
    thread.start()
    address = f"http://127.0.0.1:{receiver.server_address[1]}"
    try:
        with published(Shell("run", quiet=True), Board(STATUS), metrics=None, otlp=address):
            pass
    finally:
        receiver.shutdown()
        receiver.server_close()
        thread.join()
    (point,) = taken["lsqlc_query_rows_read"].sum.data_points
    assert taken["lsqlc_query_rows_read"].sum.is_monotonic
    assert point.as_double == 70 and {a.key: a.value.string_value for a in point.attributes} == {
        "project": "shop", "query": "q", "model": "m", "topic": "t",
    }  # fmt: skip
    assert taken["lsqlc_query_running"].WhichOneof("data") == "gauge"


def test_an_otlp_receiver_that_is_away_is_reported_once(capsys: pytest.CaptureFixture[str]) -> None:
    """LSQ779, a warning; the run is not affected. What is not a URL is wrong usage."""
    pytest.importorskip("opentelemetry.sdk.metrics", reason="the OpenTelemetry SDK is not installed")
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
    with published(Shell("run"), Board(STATUS), metrics=None, otlp=f"http://127.0.0.1:{port}"):
        pass
    assert capsys.readouterr().err.count("warning[LSQ779]") == 1
    with (
        pytest.raises(typer.BadParameter),
        published(Shell("run"), Board(STATUS), metrics=None, otlp="127.0.0.1:4318"),
    ):
        pass


def test_a_real_prometheus_scrapes_them(tmp_path: Path) -> None:
    """The server's own Prometheus finds the target up, and the samples with their labels."""
    prometheus = program("prometheus")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        own = free.getsockname()[1]
    with served(Board(STATUS).text) as port:
        config = {
            "global": {"scrape_interval": "1s"},
            "scrape_configs": [{"job_name": "lsqlc", "static_configs": [{"targets": [f"127.0.0.1:{port}"]}]}],
        }
        (tmp_path / "prometheus.yml").write_text(json.dumps(config))
        process = subprocess.Popen(
            [
                prometheus, f"--config.file={tmp_path / 'prometheus.yml'}", f"--storage.tsdb.path={tmp_path / 'data'}",
                f"--web.listen-address=127.0.0.1:{own}", "--log.level=error",
            ],
        )  # fmt: skip
        try:
            found: list[Any] = []
            while not found:
                assert process.poll() is None, "Prometheus has ended"
                time.sleep(0.5)
                try:
                    with get(own, "/api/v1/query?query=lsqlc_query_rows_read_total") as answer:
                        found = json.load(answer)["data"]["result"]
                except (urllib.error.URLError, ConnectionError):
                    continue
        finally:
            process.terminate()
            process.wait()
    (sample,) = found
    assert sample["value"][1] == "70" and sample["metric"]["model"] == "m"
