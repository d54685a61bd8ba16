"""Fixtures of all tests, the lane that a run selects, and what a run prints of itself.

A test that asks for a fixture with a server or a broker is marked `spark` or `kafka` here. One that starts Java by
other means (the command line, a process of its own) has the marker in its file. Without the marker it finds no Java, so
that the fast lane stays fast. `tests/lanes.py` says which lane a test belongs to.
"""

from __future__ import annotations

import gc
import os
import signal
import time
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests.kafka.fixture import FIXTURES, broker, kafka_spark, kafka_spark_server, topic_prefix
from tests.lanes import BUDGETS, JAVA, LANES, RERUNS, absent_from_core, lane_of
from tests.remote.server_fixture import spark, spark_server
from tests.shared import WORKER

__all__ = ["broker", "kafka_spark", "kafka_spark_server", "spark", "spark_server", "topic_prefix"]

# What a shell starts in the background ignores Ctrl-C, and so does all that it starts in turn, which tests interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Machines are noisy, and no test is timed. Each run draws the same examples, so that a change is judged by what it
# changes; `make examples` draws others.
settings.register_profile("same", deadline=None, derandomize=True, database=None)
settings.register_profile("others", deadline=None, print_blob=True)
settings.load_profile("same")

_NO_JAVA = "this test starts Java, so it must be marked: @pytest.mark.spark, or @pytest.mark.kafka"
_SLOWEST = 10
_START = time.monotonic()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--lane`."""
    parser.addoption("--lane", choices=LANES, help="run the tests of this lane only; see tests/lanes.py")


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection() -> Generator[None, object, object]:
    """Exclude what collection makes from garbage collection, and collect less often. All of it lives as long as the
    run: to search it again and again took a fifth of the processor time of tests that compile.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(100_000, 50, 100)
        gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark the tests that ask for a server, select those of the lane, and put the smoke tests first: they take longest,
    and stay on one worker.
    """
    for item in items:
        fixtures = {*getattr(item, "fixturenames", ())}
        if {"spark", "spark_server"} & fixtures:
            item.add_marker("spark")
        if FIXTURES & fixtures:
            item.add_marker("kafka")
        if os.environ.get("CI") and _needs_java(item):
            item.add_marker(pytest.mark.flaky(reruns=1))
    lane = config.getoption("--lane")
    if lane is not None:
        marked = [(item.nodeid, {mark.name for mark in item.iter_markers()}) for item in items]
        if absent := absent_from_core(marked):
            raise pytest.UsageError("tests/core.txt lists what is no test: " + ", ".join(absent))
        lanes = [lane_of(test, markers) for test, markers in marked]
        others = [item for item, its in zip(items, lanes, strict=True) if its != lane]
        config.hook.pytest_deselected(items=others)
        items[:] = [item for item, its in zip(items, lanes, strict=True) if its == lane]
    items.sort(key=lambda item: item.get_closest_marker("smoke") is None)


def _needs_java(item: pytest.Item) -> bool:
    return any(item.get_closest_marker(name) for name in JAVA)


@pytest.fixture(scope="session")
def java_that_refuses(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a Java runtime that prints which marker is missing, and ends."""
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
    if _needs_java(request.node):
        yield
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JAVA_HOME", str(request.getfixturevalue("java_that_refuses")))
        yield


@pytest.fixture(autouse=True)
def _own_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests build with a key of their own, and create none in the folder of caches."""
    monkeypatch.setenv("LSQLC_SECRET_CACHE_KEY", "the key of the tests")


@pytest.hookimpl(wrapper=True)
def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> Generator[None]:
    """Print the total of the lane beside its budget, its slowest tests, and the tests that passed when repeated."""
    lane = config.getoption("--lane")
    stats = terminalreporter.stats
    if lane is not None:
        calls = [report for key in ("passed", "failed") for report in stats.get(key, ()) if report.when == "call"]
        total = time.monotonic() - _START
        terminalreporter.section(f"lane {lane}: {total:.0f} s, budget {BUDGETS[lane]} s on two idle processors")
        for report in sorted(calls, key=lambda report: -report.duration)[:_SLOWEST]:
            terminalreporter.line(f"{report.duration:6.1f} s  {report.nodeid}")
    flaky = _flaky(stats)
    if flaky:
        terminalreporter.section(f"flaky: failed at first, up to {RERUNS} of a run may")
        for name in flaky:
            terminalreporter.line(name)
    return (yield)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> Generator[None]:
    """Fail a run with too many flaky tests."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if not WORKER and reporter is not None and len(_flaky(reporter.stats)) > RERUNS:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
    return (yield)


def _flaky(stats: dict[str, list[pytest.TestReport]]) -> list[str]:
    """Return the tests that were repeated and then passed."""
    passed = {report.nodeid for report in stats.get("passed", ())}
    return sorted({report.nodeid for report in stats.get("rerun", ())} & passed)
