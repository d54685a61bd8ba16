"""Events of OpenLineage while a run lasts: to a file, or as OpenLineage's own configuration says."""

from __future__ import annotations

import logging
import os
import queue
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from lsqlc.diagnostics import Diagnostic, LsqlcError, Severity
from lsqlc.diagnostics.extras import require

if TYPE_CHECKING:
    from openlineage.client import OpenLineageClient
    from openlineage.client.event_v2 import RunEvent

    from lsqlc.cli.shell import Shell
    from lsqlc.lower.spark.steps import SparkPlan
    from lsqlc.project.build.compile import Compilation
    from lsqlc.remote.run.events import Event
    from lsqlc.tasks.run_target import RunTarget

# The module that sends events.
OPENLINEAGE = "openlineage.client"
# The value of `--openlineage` for a backend that OpenLineage's own configuration names.
CONFIGURED = "env"
# Events that wait for a backend; more are dropped.
_WAITING = 1000
# Seconds that the end of a run waits for those that have not been sent.
_PATIENCE = 10.0


@contextmanager
def lineage_sent(
    sh: Shell, to: str | None, place: RunTarget, compilation: Compilation, spark_plans: Mapping[str, SparkPlan]
) -> Iterator[Callable[[Event], None]]:
    """Return a function that takes the events of a run, and has those of OpenLineage sent by a thread of their own.

    `to`: the path of a file, to which events are appended as lines of JSON; CONFIGURED; or None for nothing. A backend
    that cannot be reached is reported once (LSQ868, a warning).

    Raises LsqlcError: LSQ099 without the package, LSQ866 where no backend is configured, LSQ867 for a configuration or
    a file that cannot be used.
    """
    if to is None:
        yield lambda event: None
        return
    client = _client(to)
    from openlineage.client.uuid import generate_new_uuid

    from lsqlc.report.openlineage import LineageEvents, flows

    namespace = os.environ.get("OPENLINEAGE_NAMESPACE") or compilation.project.config.name
    naming = dataset_naming(place, compilation)
    events = LineageEvents(flows(compilation, spark_plans, naming, namespace), generate_new_uuid)
    sender = _Sender(client, lambda why: sh.show([_unsent(to, why)]))
    try:
        yield lambda event: sender.send(events.of(event, time.time()))
    finally:
        sender.send(events.close(time.time()))
        sender.close()


def dataset_naming(place: RunTarget, compilation: Compilation) -> Callable[[str], tuple[str, str]]:
    """Namespace and name of the dataset of each topic, as OpenLineage prescribes: `kafka://HOST:PORT` of the first
    broker and the topic's name there, or `file` and the absolute path of a folder.
    """

    def naming(topic: str) -> tuple[str, str]:
        declared = compilation.topics.get(topic)
        if declared is not None and declared.files is not None:
            return "file", str((place.root / declared.files.path).resolve())
        return place.log.dataset(topic)

    return naming


def _client(to: str) -> OpenLineageClient:
    require(OPENLINEAGE)
    from openlineage.client import OpenLineageClient

    # Both log each failure, with tracebacks.
    for name in ("openlineage", "urllib3"):
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    config = None
    if to != CONFIGURED:
        path = Path(to).absolute()
        try:
            path.open("ab").close()
        except OSError as error:
            raise _wrong(f"cannot write to '{to}'", error.strerror or str(error)) from None
        config = {"transport": {"type": "file", "log_file_path": str(path), "append": True}}
    try:
        client = OpenLineageClient(config=config)
        kind = client.transport.kind
    except Exception as error:
        # The library raises what its parts raise: a missing package of a transport, a URL that is none, a wrong key.
        raise _wrong("the configuration of OpenLineage cannot be used", str(error) or type(error).__name__) from None
    if config is None and kind == "console" and not (client.config.transport or {}).get("type"):
        message = "no backend of OpenLineage is configured"
        help = "set OPENLINEAGE_URL or OPENLINEAGE_CONFIG, or give a file: --openlineage events.jsonl"
        raise LsqlcError([Diagnostic("LSQ866", message, help=help)])
    return client


class _Sender:
    """Sends events one after the other in a thread, so that no backend holds up a run. `failed` is called once."""

    def __init__(self, client: OpenLineageClient, failed: Callable[[str], None]) -> None:
        self._client = client
        self._failed = failed
        self._reported = False
        self._waiting: queue.Queue[RunEvent | None] = queue.Queue(_WAITING)
        self._thread = threading.Thread(target=self._work, name="openlineage", daemon=True)
        self._thread.start()

    def send(self, events: Iterable[RunEvent]) -> None:
        """Have these sent later."""
        for event in events:
            try:
                self._waiting.put_nowait(event)
            except queue.Full:
                self._report("it does not take events as fast as they come")

    def close(self) -> None:
        """Wait for those that have not been sent, some seconds at most."""
        deadline = time.monotonic() + _PATIENCE
        try:
            self._waiting.put(None, timeout=_PATIENCE)
            self._thread.join(max(0.0, deadline - time.monotonic()))
        except queue.Full:
            pass
        if self._thread.is_alive():
            self._report("events were not sent before the run ended")
            return
        try:
            self._client.close(timeout=max(0.0, deadline - time.monotonic()))
        except Exception as error:
            self._report(str(error))

    def _work(self) -> None:
        while (event := self._waiting.get()) is not None:
            try:
                self._client.emit(event)
            except Exception as error:
                self._report(str(error) or type(error).__name__)

    def _report(self, why: str) -> None:
        if not self._reported:
            self._reported = True
            self._failed(why)


def _wrong(what: str, why: str) -> LsqlcError:
    reason = " ".join(why.split())[:200]
    help = "see the documentation of openlineage-python on its configuration"
    return LsqlcError([Diagnostic("LSQ867", f"{what}: {reason}", help=help)])


def _unsent(to: str, why: str) -> Diagnostic:
    reason = " ".join(why.split())[:200]
    where = "the backend of OpenLineage" if to == CONFIGURED else f"'{to}'"
    return Diagnostic(
        "LSQ868",
        f"cannot send events to {where}: {reason}",
        severity=Severity.WARNING,
        notes=("the run continues without them; further failures are not reported",),
        help="check that the backend can be reached from here",
    )
