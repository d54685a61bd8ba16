"""Processor time of a command and of what it started, by the kind of process, as Linux counts it in /proc."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Kind = Literal["client", "server", "Python"]
KINDS: tuple[Kind, ...] = ("client", "server", "Python")


@dataclass(frozen=True, slots=True)
class Process:
    """`group`: that of processes that are ended together. `own`, `ended`: clock ticks of itself, and of its children
    that have ended. `pages`: of its memory.
    """

    name: str
    parent: int
    group: int
    own: int
    ended: int
    pages: int


def spent(root: int) -> Mapping[Kind, float]:
    """Processor seconds so far of a process and of all below it. `server`: the JVM; `Python`: what the JVM started,
    ended workers included; `client`: everything else, also the process that forks the workers of an embedded server.
    """
    found = processes()
    groups = _java_groups(root, found)
    ticks: dict[Kind, int] = dict.fromkeys(KINDS, 0)
    for process in below(root, found):
        kind: Kind = "client"
        if process.group in groups:
            kind = "server" if process.name == "java" else "Python"
        ticks[kind] += process.own
        ticks["Python" if kind == "server" else kind] += process.ended
    return {kind: n / os.sysconf("SC_CLK_TCK") for kind, n in ticks.items()}


def below(root: int, found: Mapping[int, Process]) -> list[Process]:
    """A process and all that it started, directly or not; what has lost the process that started it is known by the
    group of a JVM.
    """
    groups = _java_groups(root, found)
    return [each for number, each in found.items() if each.group in groups or _is_below(number, root, found)]


def processes() -> dict[int, Process]:
    """Those that run, by their number."""
    found = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            text = (entry / "stat").read_text("utf-8", "replace")
        except (FileNotFoundError, ProcessLookupError):
            # It has ended since it was listed.
            continue
        # The name may hold spaces and parentheses.
        name, rest = text[text.index("(") + 1 : text.rindex(")")], text[text.rindex(")") + 2 :].split()
        user, system, ended_user, ended_system = map(int, rest[11:15])
        own, ended = user + system, ended_user + ended_system
        found[int(entry.name)] = Process(name, int(rest[1]), int(rest[2]), own, ended, int(rest[21]))
    return found


def _java_groups(root: int, found: Mapping[int, Process]) -> set[int]:
    return {p.group for number, p in found.items() if p.name == "java" and _is_below(number, root, found)}


def _is_below(number: int, root: int, processes: Mapping[int, Process]) -> bool:
    while number != root:
        number = processes[number].parent
        if number not in processes:
            return False
    return True
