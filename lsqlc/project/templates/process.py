"""Rendering in a separate process, whose limits hold even if the sandbox of Jinja has a hole.

Every template that needs Jinja is rendered there, on every machine, so that the guarantees are the same everywhere. The
process costs about 40 ms of processor time once, mostly the import of Jinja that is needed anyway. Each template costs
a tenth of a millisecond. A project of plain texts and plain calls starts no process.

One process serves all projects of this process, one after the other, such as those that a language server loads with
each edit. It is started without this process's modules and environment. A fork would be faster, but is not safe with
threads, and some systems lack it.

On Linux the process has limits on memory (its address space), processor time and time. macOS does not enforce the first
and Windows has only the last; there, the steps of the sandbox are the limit of memory. If no process can be started, no
template is rendered (LSQ038).
"""

from __future__ import annotations

import atexit
import json
import os
import pickle
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from lsqlc.diagnostics import Diagnostic, Span
from lsqlc.project.templates.functions import Rendered, Surroundings, TemplateFailure
from lsqlc.project.templates.limits import IDLE, OUT_OF_MEMORY, OUT_OF_TIME, Limits
from lsqlc.project.templates.wire import findings_from_json, from_json

LIMITS = Limits()
_MOST_LOST = 3
"""The number of templates of a project that may end the process: none is rendered after them."""
_BOOT = "import sys; sys.path[:] = sys.argv[1:]; from lsqlc.project.templates.worker import main; main()"
# Variables that an interpreter may need to find its own libraries.
_ENVIRONMENT = ("DYLD_LIBRARY_PATH", "LD_LIBRARY_PATH", "PATH", "SYSTEMROOT")


class Lost(Exception):
    """The process ended before it answered; the message is the reason."""


class Idle(Exception):
    """The process has ended because there was no request."""


class NotStarted(Exception):
    """There is no process; the message is the reason."""


class RenderingProcess:
    """Renders the templates of one project."""

    def __init__(self, surroundings: Surroundings) -> None:
        self._surroundings = surroundings
        self._lost = 0
        # The reason why no further template is rendered.
        self._refusal: Lost | NotStarted | None = None

    def check_macros(self) -> tuple[Diagnostic, ...]:
        """Return the errors of the macro files."""
        try:
            with _shared.lock:
                return self._load()
        except (Lost, NotStarted) as error:
            self._refusal = Lost("is not rendered without the macros") if isinstance(error, Lost) else error
            return (_refused(error, self._surroundings.macros[0][0]),)

    def render(self, text: str, path: str) -> Rendered:
        """Render the text of a model. `path`: its name in diagnostics."""
        try:
            if self._refusal is not None:
                raise self._refusal
            with _shared.lock:
                return from_json(self._ask(("render", text, path)), text)
        except NotStarted as error:
            self._refusal = error
            return Rendered(None, diagnostics=(_refused(error, path),))
        except Lost as error:
            self._lost += 1
            if self._lost == _MOST_LOST:
                self._refusal = Lost(f"is not rendered, because {_MOST_LOST} others exceeded the limits of a process")
            return Rendered(None, diagnostics=(_refused(error, path),))

    def _ask(self, request: tuple[Any, ...]) -> dict[str, Any]:
        """Return the answer of a process that has loaded this project."""
        try:
            if not _shared.knows(self):
                self._load()
            return _shared.ask(request, self._surroundings)
        except Idle:
            return self._ask(request)

    def _load(self) -> tuple[Diagnostic, ...]:
        request = ("project", self._surroundings.portable(), LIMITS)
        _shared.project = None
        try:
            answer = _shared.ask(request, self._surroundings)
        except Idle:
            answer = _shared.ask(request, self._surroundings)
        _shared.project = self
        return findings_from_json(answer["diagnostics"])


class _Shared:
    """The process that all projects share, and its current project. `lock` is held during each use."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.project: RenderingProcess | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._owner = 0

    def knows(self, project: RenderingProcess) -> bool:
        """Return whether the process has that project, and belongs to this process: a fork has the pipes of its
        parent.
        """
        return self._process is not None and self._owner == os.getpid() and self.project is project

    def ask(self, request: tuple[Any, ...], surroundings: Surroundings) -> dict[str, Any]:
        """Return the answer to a request. Raises Lost, Idle and NotStarted."""
        process = self._running(surroundings)
        try:
            return self._answer(process, request, surroundings)
        except (Lost, Idle):
            raise
        except BaseException:
            # A late answer would be read as the answer to the next request.
            process.kill()
            with suppress(Idle):
                self._end()
            raise

    def _answer(
        self, process: subprocess.Popen[bytes], request: tuple[Any, ...], surroundings: Surroundings
    ) -> dict[str, Any]:
        assert process.stdin is not None
        assert process.stdout is not None
        message: Any = request
        while True:
            try:
                process.stdin.write(pickle.dumps(message))
                process.stdin.flush()
                line = process.stdout.readline()
            except BrokenPipeError:
                line = b""
            if not line.endswith(b"\n"):
                raise Lost(self._end())
            answer: dict[str, Any] = json.loads(line)
            if "error" in answer:
                raise RuntimeError(f"templates cannot be rendered\n{answer['error']}")
            if "target" not in answer:
                return answer
            message = _target(answer["target"], surroundings)

    def _running(self, surroundings: Surroundings) -> subprocess.Popen[bytes]:
        if self._process is None or self._owner != os.getpid():
            self.project = None
            self._process, self._owner = _started(surroundings.environment), os.getpid()
        return self._process

    def _end(self) -> str:
        """Return why the process ended. Raises Idle."""
        process = self._process
        assert process is not None
        self.project = self._process = None
        for pipe in (process.stdin, process.stdout):
            # The rest of a request cannot be written any more.
            with suppress(BrokenPipeError):
                if pipe is not None:
                    pipe.close()
        code = process.wait()
        if code == OUT_OF_TIME or code == -getattr(signal, "SIGXCPU", 0):
            return f"takes more than {LIMITS.processor} s of processor time or {LIMITS.time} s"
        if code == IDLE:
            raise Idle
        if code == OUT_OF_MEMORY:
            return f"takes more than {LIMITS.memory >> 20} MiB of memory"
        return f"ends the process that renders it ({code})"

    def close(self) -> None:
        """End the process, if it belongs to this process."""
        if self._process is not None and self._owner == os.getpid():
            with suppress(Idle):
                self._end()


def _started(environment: Mapping[str, str]) -> subprocess.Popen[bytes]:
    if not sys.executable:
        raise NotStarted("the path of Python is not known")
    own = Path(__file__).resolve().parents[3]
    # The current folder can be that of the project, whose files must not be imported.
    paths = [path for path in sys.path if path and Path(path).resolve() not in (own, Path.cwd())]
    command = [sys.executable, "-I", "-S", "-c", _BOOT, str(own), *paths]
    environment = {name: environment[name] for name in _ENVIRONMENT if name in environment}
    try:
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment
        )
    except OSError as error:
        raise NotStarted(f"'{sys.executable}' cannot be run: {error.strerror}") from error
    assert process.stdout is not None
    if process.stdout.readline() != b"ready\n":
        _, code = process.communicate(), process.wait()
        raise NotStarted(f"'{sys.executable}' ended with the code {code}")
    return process


def _target(model: str, surroundings: Surroundings) -> tuple[str | None, dict[str, Any] | None]:
    """Return the topic that a model writes, or the arguments of the failure."""
    try:
        return surroundings.target(model), None
    except TemplateFailure as failure:
        return None, {"code": failure.code, "message": failure.message, "word": failure.word, "help": failure.help}


def _refused(error: Lost | NotStarted, path: str) -> Diagnostic:
    top = Span(path, 1, 1, 1, 1)
    if isinstance(error, NotStarted):
        help = "run lsqlc by an installed Python: templates are rendered in a process of their own"
        return Diagnostic("LSQ038", f"templates cannot be rendered: {error}", top, help=help)
    help = "the template of a model is for names and repeated columns, not for computations"
    return Diagnostic("LSQ026", f"the template {error}", top, help=help)


_shared = _Shared()
atexit.register(_shared.close)
