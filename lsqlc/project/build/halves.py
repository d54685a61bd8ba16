"""A large project in two processes: this one and a fork of it, each with one half of the models.

Each parses its half and tells the other which topics these name, so that both know the graph. Then the terminal models,
in order of the project, are dealt out with all that they depend on; a model that both sides need is built by both,
which is cheaper than to wait for each other. The models of the other side come back as the cache would know them: plain
data, no plans. Whatever happens to the fork, `None` comes back and this process does the work alone, so that nothing is
reported in another order, or not at all, because there were two.
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
"""Models that have to be compiled: below, a fork costs as much as it saves."""
# The most that one side may have of what there is to do, for the other one to be worth its while.
_LARGEST_SHARE = 0.75


def processors() -> int:
    """How many this process may use; 1 where a process cannot be forked safely."""
    if sys.platform != "linux":
        return 1
    try:
        # A fork has none of the threads of its parent, but the locks that they held.
        alone = len(os.listdir("/proc/self/task")) == 1  # noqa: PTH208
    except OSError:
        return 1
    return len(os.sched_getaffinity(0)) if alone else 1


class Lost(Exception):
    """The other side has ended before it said what it was to say."""


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two processes, with the two ends of its pipes. What they send is what `marshal` takes."""

    is_fork: bool
    reads: BinaryIO
    writes: BinaryIO

    def exchange(self, data: Any) -> Any:
        """Send to the other side, and give what it has sent. Raises Lost."""
        if self.is_fork:
            # One after the other: a pipe takes only so much before somebody reads.
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
    """Call `work` in this process and in a fork; what it gives here, or None if the fork was lost.

    What the fork has to say it sends to its side; it ends with that.
    """
    to_fork, to_parent = os.pipe(), os.pipe()
    # What there is now is no garbage, and a look at it would copy it.
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
    """Be the fork: silent, since all that it finds is told by its parent, and never returning to what called it."""
    from _signal import SIG_DFL, SIGINT, SIGTERM, signal  # type: ignore[import-not-found]

    try:
        for number in (SIGINT, SIGTERM):
            signal(number, SIG_DFL)
        os.close(to_fork[1])
        os.close(to_parent[0])
        with os.fdopen(to_fork[0], "rb") as reads, os.fdopen(to_parent[1], "wb") as writes:
            work(Side(True, reads, writes))
    finally:
        # Neither what is buffered for the terminal nor what is to be done at the end is the fork's.
        os._exit(0)


def _end(fork: int, side: Side) -> None:
    from _signal import SIGKILL

    for end in (side.reads, side.writes):
        # What could not be sent is no use to anybody now.
        with suppress(OSError):
            end.close()
    os.kill(fork, SIGKILL)
    os.waitpid(fork, 0)


def parsed_here(models: Sequence[Model], *, is_fork: bool) -> frozenset[str]:
    """Return the names of the models that a side parses: those up to the middle of the text, or those after it."""
    sizes = [len(model.raw) for model in models]
    half, before = sum(sizes) / 2, 0
    first = set()
    for model, size in zip(models, sizes, strict=True):
        if before >= half:
            break
        first.add(model.name)
        before += size
    return frozenset(m.name for m in models if m.name not in first) if is_fork else frozenset(first)


def shares(models: Sequence[Model], graph: Graph, needed: frozenset[str]) -> tuple[frozenset[str], frozenset[str]]:
    """What this process and what the fork builds: each with all that its models depend on. The fork has nothing where
    the models depend on each other so much that one side would have most of the work all the same.
    """
    terminal = [m.name for m in models if m.name in needed and needed.isdisjoint(graph.downstream[m.name])]
    here: set[str] = set()
    for number, name in enumerate(terminal):
        if len(here) >= len(needed) / 2:
            there = graph.above(terminal[number:])
            break
        here |= _above(graph, name, here)
    else:
        there = frozenset()
    if not there or max(len(here), len(there)) > _LARGEST_SHARE * len(needed):
        return needed, frozenset()
    there -= here
    return needed - there, there


def _above(graph: Graph, name: str, known: set[str]) -> set[str]:
    """Return a model and what it depends on, as far as that is not known."""
    found, frontier = set[str](), [name]
    while frontier:
        name = frontier.pop()
        if name not in known and name not in found:
            found.add(name)
            frontier += graph.upstream[name]
    return found
