"""The process that renders the templates of projects. Only `process` starts it and sends it requests.

It has no variables of its parent's environment, and its own limits on memory, processor time and time. They also hold
for work that the sandbox does not count, such as that of Jinja's compiler.
"""

from __future__ import annotations

import faulthandler
import json
import os
import pickle
import select
import signal
import sys
import traceback
from contextlib import suppress
from dataclasses import replace
from typing import Any, BinaryIO

from lsqlc.project.templates.functions import TemplateFailure
from lsqlc.project.templates.jinja import Jinja
from lsqlc.project.templates.limits import IDLE, OUT_OF_MEMORY, Limits
from lsqlc.project.templates.wire import findings_to_json, to_json

try:
    import resource
except ImportError:
    # Windows: the steps of the sandbox, and the time, are limited.
    resource = None  # type: ignore[assignment]


def main() -> None:
    """Answer requests from stdin on stdout, until stdin ends."""
    requests, answers = sys.stdin.buffer, sys.stdout.buffer
    # Ctrl-C is for the waiting process; stdin ends with it.
    with suppress(ValueError):
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    worker = _Worker(requests, answers)
    answers.write(b"ready\n")
    answers.flush()
    while True:
        # Windows cannot wait for a pipe: there, the process ends with the one that started it.
        if os.name == "posix" and not select.select([requests], [], [], worker.limits.idle)[0]:
            os._exit(IDLE)
        try:
            request = pickle.load(requests)
        except EOFError:
            os._exit(0)
        try:
            worker.send(worker.answer(request))
        except MemoryError:
            os._exit(OUT_OF_MEMORY)
        except Exception:
            worker.send({"error": traceback.format_exc()})


class _Worker:
    def __init__(self, requests: BinaryIO, answers: BinaryIO) -> None:
        self._requests = requests
        self._answers = answers
        self._jinja: Jinja | None = None
        self.limits = Limits()
        self._trap = open(os.devnull, "wb")  # noqa: SIM115, PTH123 - open as long as the process

    def send(self, answer: dict[str, Any]) -> None:
        self._answers.write(json.dumps(answer).encode("ascii") + b"\n")
        self._answers.flush()

    def answer(self, request: tuple[Any, ...]) -> dict[str, Any]:
        """Answer a request: ("project", surroundings, limits) by the findings of the macros, ("render", text, path) by
        the result.
        """
        kind, *arguments = request
        if kind == "project":
            surroundings, self.limits = arguments
            self._begin()
            self._jinja = None
            self._jinja = Jinja(replace(surroundings, target=self._target))
            result = {"diagnostics": findings_to_json(self._jinja.diagnostics)}
        else:
            self._begin()
            assert self._jinja is not None, "a project comes before its templates"
            result = to_json(self._jinja.render(*arguments))
        faulthandler.cancel_dump_traceback_later()
        return result

    def _begin(self) -> None:
        """Start the limits of a request."""
        faulthandler.dump_traceback_later(self.limits.time, exit=True, file=self._trap)
        if resource is None:
            return
        used = resource.getrusage(resource.RUSAGE_SELF)
        seconds = int(used.ru_utime + used.ru_stime) + 1 + self.limits.processor
        for kind, limit in (
            (resource.RLIMIT_CPU, seconds), (resource.RLIMIT_AS, self.limits.memory), (resource.RLIMIT_CORE, 0),
        ):  # fmt: skip
            # A system may lack the limit (macOS: the address space), or have a lower one.
            with suppress(ValueError, OSError):
                resource.setrlimit(kind, (limit, resource.getrlimit(kind)[1]))

    def _target(self, model: str) -> str:
        """Ask the waiting process for the topic that a model writes. Raises TemplateFailure."""
        self.send({"target": model})
        topic, failure = pickle.load(self._requests)
        if failure is not None:
            raise TemplateFailure(**failure)
        return str(topic)
