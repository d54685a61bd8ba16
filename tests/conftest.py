"""One embedded Spark server and one broker for a process of tests, and what decides which lane a test belongs to.

`make test` runs what needs no JVM, and the smoke tests; `make test-spark` runs what is marked `spark` or `kafka`. A
test that asks for a fixture with a server or a broker is marked here; one that starts Java by other means (the command
line, a process of its own) has the marker in its file. Without the marker it finds no Java, so that the fast lane stays
fast.
"""

from __future__ import annotations

import signal
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests.kafka.fixture import FIXTURES, broker, kafka_spark, kafka_spark_server, topic_prefix
from tests.remote.server_fixture import spark, spark_server

__all__ = ["broker", "kafka_spark", "kafka_spark_server", "spark", "spark_server", "topic_prefix"]

# What a shell starts in the background ignores Ctrl-C, and so does all that it starts in turn, which tests interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Machines are noisy, and no test is timed. Each run draws the same examples, so that a change is judged by what it
# changes; `make examples` draws others.
settings.register_profile("same", deadline=None, derandomize=True, database=None)
settings.register_profile("others", deadline=None, print_blob=True)
settings.load_profile("same")

# A call of a test that is not `slow`, `spark` or `kafka` and takes longer, in seconds, is reported at the end.
LONG = 2.0
_NO_JAVA = "this test starts Java, so it must be marked: @pytest.mark.spark, or @pytest.mark.kafka"
_OF_JAVA = ("spark", "kafka")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what asks for a server; the smoke tests come first, as they take longest and stay on one worker."""
    for item in items:
        if {"spark", "spark_server"} & {*getattr(item, "fixturenames", ())}:
            item.add_marker("spark")
        if FIXTURES & {*getattr(item, "fixturenames", ())}:
            item.add_marker("kafka")
    items.sort(key=lambda item: item.get_closest_marker("smoke") is None)


@pytest.fixture(scope="session")
def java_that_refuses(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a Java runtime that says which marker is missing, and ends."""
    home = tmp_path_factory.mktemp("java")
    (home / "release").write_text('JAVA_VERSION="21"\n')
    program = home / "bin" / "java"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\necho '{_NO_JAVA}'\nexit 1\n")
    program.chmod(0o755)
    return home


@pytest.fixture(autouse=True)
def _no_java(request: pytest.FixtureRequest) -> Iterator[None]:
    """A test without the marker starts no JVM, in a process of its own neither."""
    if any(request.node.get_closest_marker(name) for name in _OF_JAVA):
        yield
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JAVA_HOME", str(request.getfixturevalue("java_that_refuses")))
        yield


@pytest.hookimpl(wrapper=True)
def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> Generator[None]:
    """Name the tests that are too long for the fast lane."""
    calls = [r for key in ("passed", "failed") for r in terminalreporter.stats.get(key, ()) if r.when == "call"]
    long = [r for r in calls if r.duration > LONG and not {"slow", *_OF_JAVA} & r.keywords.keys()]
    if long:
        terminalreporter.section(f"longer than {LONG:g} s, and not `slow`, `spark` or `kafka`")
        for report in sorted(long, key=lambda r: -r.duration):
            terminalreporter.line(f"{report.duration:6.1f} s  {report.nodeid}")
    return (yield)
