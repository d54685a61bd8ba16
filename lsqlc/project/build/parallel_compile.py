"""Compilation of a large project in two processes: this one and a fork, each with a part of the models.

Each process parses half of the models and sends the topics that they name, so that both have the whole graph. Then the
terminal models are distributed in order of the project, with all their dependencies. A model that both sides need is
compiled by both, which is cheaper than waiting. Models of the other side are returned in the form of cache entries:
plain data without plans. If the fork fails for any reason, the result is None and this process does all work alone. So
output and order of diagnostics do not depend on the number of processes.
"""

from __future__ import annotations

import gc
import marshal
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, BinaryIO, NoReturn, TypeVar

from lsqlc.project.model import Model
from lsqlc.project.selection.graph import Graph

_Result = TypeVar("_Result")

SMALLEST = 200
"""The minimal number of models to compile: below, a fork costs as much time as it saves."""
# The maximal share of the work of one side. With a larger one, a second process does not help.
_LARGEST_SHARE = 0.75


def processors() -> int:
    """Return the number of processors that this process may use; 1 if it cannot be forked safely."""
    if sys.platform != "linux":
        return 1
    try:
        # A fork has only one thread, but the locks of all threads of its parent.
        alone = len(os.listdir("/proc/self/task")) == 1  # noqa: PTH208
    except OSError:
        return 1
    return len(os.sched_getaffinity(0)) if alone else 1


class Lost(Exception):
    """The other process ended before it sent its data."""


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two processes, with its ends of the pipes. Data is encoded by `marshal`."""

    is_fork: bool
    reads: BinaryIO
    writes: BinaryIO

    def exchange(self, data: Any) -> Any:
        """Send data to the other side, and return the data that it sent. Raises Lost."""
        if self.is_fork:
            # In turns, because a pipe has a limited capacity.
            self.send(data)
            return self.receive()
        received = self.receive()
        self.send(data)
        return received

    def send(self, data: Any) -> None:
        try:
            marshal.dump(data, self.writes)
            self.writes.flush()
        except OSError as error:
            raise Lost from error

    def receive(self) -> Any:
        try:
            return marshal.load(self.reads)
        except (EOFError, ValueError, TypeError, OSError) as error:
            raise Lost from error


def in_two(work: Callable[[Side], _Result]) -> _Result | None:
    """Call `work` in this process and in a fork. Returns the result of this process, or None if the fork was lost.

    The fork sends its results to its side, and then exits.
    """
    to_fork, to_parent = os.pipe(), os.pipe()
    # Objects so far are not garbage. A collection in the fork would copy their pages.
    gc.freeze()
    try:
        fork = os.fork()
    except OSError:
        for end in (*to_fork, *to_parent):
            os.close(end)
        return None
    if not fork:
        _forked(work, to_fork, to_parent)
    os.close(to_fork[0])
    os.close(to_parent[1])
    side = Side(False, os.fdopen(to_parent[0], "rb"), os.fdopen(to_fork[1], "wb"))
    try:
        return work(side)
    except Lost:
        return None
    finally:
        gc.unfreeze()
        _end(fork, side)


def _forked(work: Callable[[Side], object], to_fork: tuple[int, int], to_parent: tuple[int, int]) -> NoReturn:
    """Run the fork. It prints nothing, because its parent reports all diagnostics, and never returns."""
    from _signal import SIG_DFL, SIGINT, SIGTERM, signal  # type: ignore[import-not-found]

    try:
        for number in (SIGINT, SIGTERM):
            signal(number, SIG_DFL)
        os.close(to_fork[1])
        os.close(to_parent[0])
        with os.fdopen(to_fork[0], "rb") as reads, os.fdopen(to_parent[1], "wb") as writes:
            work(Side(True, reads, writes))
    finally:
        # Buffered output and exit handlers belong to the parent.
        os._exit(0)


def _end(fork: int, side: Side) -> None:
    from _signal import SIGKILL

    for end in (side.reads, side.writes):
        # Data that could not be sent is not needed any more.
        with suppress(OSError):
            end.close()
    os.kill(fork, SIGKILL)
    os.waitpid(fork, 0)


def parsed_here(models: Sequence[Model], *, is_fork: bool) -> frozenset[str]:
    """Return the names of the models that a side parses: those in the first or second half of the text."""
    sizes = [len(model.raw) for model in models]
    half, before = sum(sizes) / 2, 0
    first = set()
    for model, size in zip(models, sizes, strict=True):
        if before >= half:
            break
        first.add(model.name)
        before += size
    return frozenset(m.name for m in models if m.name not in first) if is_fork else frozenset(first)


def shares(models: Sequence[Model], graph: Graph, required: frozenset[str]) -> tuple[frozenset[str], frozenset[str]]:
    """Return the models that this process and the fork compile.

    The fork has none if the models share so many dependencies that one side would have most of the work.
    """
    terminal = [m.name for m in models if m.name in required and required.isdisjoint(graph.downstream[m.name])]
    here: set[str] = set()
    for number, name in enumerate(terminal):
        if len(here) >= len(required) / 2:
            there = graph.above(terminal[number:])
            break
        here |= _above(graph, name, here)
    else:
        there = frozenset()
    if not there or max(len(here), len(there)) > _LARGEST_SHARE * len(required):
        return required, frozenset()
    there -= here
    return required - there, there


def _above(graph: Graph, name: str, excluded: set[str]) -> set[str]:
    """Return a model and its dependencies, without those in `excluded`."""
    above, frontier = set[str](), [name]
    while frontier:
        name = frontier.pop()
        if name not in excluded and name not in above:
            above.add(name)
            frontier += graph.upstream[name]
    return above
