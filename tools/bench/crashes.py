"""`lsqlc run` under `kill -9`: of its server, of itself and of both, at random moments and at each point of a batch.

The models of the reference project run over a part of the flights, cut so fine that each query has 50 batches or more.
A round kills again and again and starts again what was killed, then lets the run end, and compares its topics with
those of a run that nobody disturbed. The points of a batch are seen from outside, as files come and go; the product
knows nothing of it. Half of the rounds use the embedded server, which the run starts and ends, half one that stands by
itself, goes on when the client is killed, and is started again on its port when it is killed.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from random import Random
from typing import Literal

from lsqlc.api import Project
from lsqlc.connectors.folders.log import FileLog
from lsqlc.remote.cases.outcomes import final_rows
from lsqlc.remote.server.embedded import EmbeddedServer, ServerOptions
from lsqlc.types.record import Record, Topic
from tools.bench.flights import REFERENCE
from tools.bench.inotify import Change, Watched
from tools.bench.process import lsqlc

Victim = Literal["server", "client", "both"]
VICTIMS: tuple[Victim, ...] = ("server", "client", "both")
KILLS = 200
PER_ROUND = 20
FLIGHTS, SEGMENT = 12_000, 220

# Of both runs: many moments at which a kill can fall, and times of rows that depend on how the input is cut.
FILE_BY_FILE = ("--files-per-batch", "1")
AT_RANDOM = "at a random moment"
# What is seen of a batch from outside: files of the checkpoint and of the topics, and what happens to them.
POINTS: Mapping[str, tuple[str, str]] = {
    "before the offset log": ("moved to", r"checkpoints/.*/sources/[^/]+/\d+"),
    "before the state is committed": ("moved to", r"checkpoints/.*/offsets/\d+"),
    "between state commit and sink": ("moved to", r"checkpoints/.*/state/\d+/\d+/.*\d+\.(changelog|delta|zip)"),
    "in the sink, before the link": ("create", r"topics/.*/tmp/.*/batch-.*"),
    "in the sink, after the link": ("create", r"topics/[^_].*/data/[0-9a-f]{8}_\d+-.*\.jsonl"),
    "before the commit log": ("create", r"checkpoints/.*/commits/\..*"),
    "while a file is renamed": ("moved from", r"checkpoints/.*"),
}
# Models that run together in a round: stateless, TABLE and STREAM aggregates, joins, and a model that reads a model.
GROUPS: tuple[tuple[str, ...], ...] = (
    ("late_departures", "planes_by_airport"),
    ("flights_with_planes_left",),
    ("delays_by_carrier", "airline_delays"),
    ("last_seen",),
)


@dataclass(frozen=True, slots=True)
class Kill:
    """What was killed, when, and where the query stood that was seen last."""

    victim: Victim
    point: str
    landed: str


@dataclass(frozen=True, slots=True)
class Ended:
    """A round: its kills, the batches of each query, and what differs from the undisturbed run."""

    kills: tuple[Kill, ...]
    batches: Mapping[str, int]
    differences: tuple[str, ...]


def run(work: Path, quick: bool, kills: int = KILLS) -> None:
    """Kill so many times, and print at which points, where that landed, and what was lost or doubled. Raises
    RuntimeError if anything was.
    """
    random, done, wrong = Random(time.time_ns()), Counter[tuple[Victim, str, str]](), list[str]()
    kills, per_round = (12, 4) if quick else (kills, PER_ROUND)
    base, began = prepared(work / "crashes"), time.monotonic()
    schedule = [(v, p) for v in VICTIMS for p in (AT_RANDOM, *POINTS)]
    plan: list[tuple[Victim, str]] = []
    while len(plan) < kills:
        plan += random.sample(schedule, len(schedule))
    number, batches = 0, 0
    while sum(done.values()) < kills:
        wanted = plan[sum(done.values()) :][: min(per_round, kills - sum(done.values()))]
        # By turns, and the other way round when the models come again.
        models, standing = GROUPS[number % len(GROUPS)], (number + number // len(GROUPS)) % 2 == 1
        ended = crash(work / f"crashes/round{number}", base, models, wanted, random, standing=standing)
        done.update((k.victim, k.point, k.landed) for k in ended.kills)
        batches += sum(ended.batches.values())
        wrong += ended.differences
        where = "standing server" if standing else "embedded server"
        print(
            f"  {', '.join(models)}, {where}: {len(ended.kills)} kills, batches {dict(ended.batches)}, "
            f"{'; '.join(ended.differences) or 'equal'}; so far {sum(done.values())} kills, "
            f"{time.monotonic() - began:.0f} s",
            flush=True,
        )
        number += 1
    _print(done, batches, wrong)
    if wrong:
        raise RuntimeError(f"{len(wrong)} topics differ from an undisturbed run")


def prepared(folder: Path, *, flights: int = FLIGHTS, segment: int = SEGMENT) -> Path:
    """The reference project with its topics cut fine. The register of planes comes in two halves, so that flights wait
    for their planes; each other topic comes first.
    """
    root, coarse = folder / "base", folder / "coarse"
    if (root / ".lsqlc").exists():
        return root
    for each in (root, coarse):
        each.mkdir(parents=True)
        shutil.copy(REFERENCE / "lsqlc.yml", each)
        for name in ("models", "seeds"):
            shutil.copytree(REFERENCE / name, each / name, ignore=shutil.ignore_patterns("documented"))
    lsqlc("seed", "--limit", str(flights), cwd=coarse)
    topics = {t.name: t for plan in Project.load(coarse).plans.values() for t in plan.inputs}
    old, new = FileLog(coarse / ".lsqlc/topics"), FileLog(root / ".lsqlc/topics")

    def halves(name: str) -> tuple[list[Record], list[Record]]:
        records = [Record(name, r.key, r.value, r.timestamp) for r in old.read(topics[name])]
        return records[: len(records) // 2], records[len(records) // 2 :]

    split = {name: halves(name) for name in topics if old.segments(name)}
    for name in ("planes", "flights"):
        split.setdefault(name, ([], []))
    rest = [name for name in split if name not in ("planes", "flights")]
    order = [(n, h) for n in rest for h in (0, 1)] + [(n, h) for h in (0, 1) for n in ("planes", "flights")]
    for name, half in order:
        new.append(topics[name], split[name][half], segments_of=segment if name == "flights" else 1_000)
    return root


def crash(
    root: Path,
    base: Path,
    models: Sequence[str],
    wanted: Sequence[tuple[Victim, str]],
    random: Random,
    *,
    standing: bool = False,
    quiet_for: float = 120.0,
) -> Ended:
    """A round in a copy of the project `base` at `root`: these kills, as far as the run is long enough for them.
    `quiet_for`: seconds within which a point must be come by, or the kill comes as it is.
    """
    _copy(base, root)
    with ExitStack() as stack:
        server: EmbeddedServer | None = None
        if standing:
            with socket.socket() as free:
                free.bind(("127.0.0.1", 0))
                port = int(free.getsockname()[1])
            server = stack.enter_context(
                EmbeddedServer(root / ".lsqlc/standing", dict(os.environ), ServerOptions(port=port))
            )
            target = f"{{type: connect, address: '{server.address}'}}"
            (root / "profiles.yml").write_text(f"default: standing\ntargets:\n  standing: {target}\n")
        seen = stack.enter_context(Watched(root / ".lsqlc"))
        round = _Round(root, models, server, seen, random)
        stack.callback(round.end)
        kills = []
        for victim, point in wanted:
            if not round.come_to(point, quiet_for):
                break
            landed = round.kill(victim)
            kills.append(Kill(victim, point, landed))
        round.finish()
    ended = Ended(tuple(kills), _batches(root), tuple(_differences(root, undisturbed(base, models), models)))
    if not ended.differences:
        shutil.rmtree(root)
    return ended


def undisturbed(base: Path, models: Sequence[str]) -> Path:
    """The project after a run of these models that nobody disturbs."""
    root = base.parent / f"undisturbed-{'-'.join(models)}"
    if not (root / "ended").exists():
        _copy(base, root)
        lsqlc("run", "--quiet", *FILE_BY_FILE, *_selecting(models), cwd=root)
        (root / "ended").touch()
    return root


class _Round:
    """The processes of a round."""

    def __init__(
        self, root: Path, models: Sequence[str], server: EmbeddedServer | None, seen: Watched, random: Random
    ) -> None:
        self._root, self._models, self._server, self._seen, self._random = root, models, server, seen, random
        self._client = self._started()

    def come_to(self, point: str, seconds: float) -> bool:
        """Wait until the run is there; False if it has ended instead."""
        if point == AT_RANDOM:
            deadline = time.monotonic() + self._random.uniform(0.5, 10)
            while time.monotonic() < deadline and not self._over():
                time.sleep(0.01)
            return not self._over()
        kind, pattern = POINTS[point]
        path = re.compile(pattern)

        def reached(change: Change) -> bool:
            return change.kind == kind and path.fullmatch(change.path) is not None

        self._seen.forget()
        # A few batches on, so that the run gets on from kill to kill.
        for _ in range(self._random.randint(1, 4)):
            if self._seen.wait(reached, seconds, self._over) is None:
                break
        return not self._over()

    def kill(self, victim: Victim) -> str:
        """Kill, say where that landed, and start again."""
        server = self._server.pid if self._server else _java_of(self._client.pid)
        if victim != "server":
            self._client.kill()
        if victim != "client" and server:
            os.kill(server, signal.SIGKILL)
        landed = _landed(self._root)
        if self._server and victim != "client":
            self._server.stop()
            self._server.start()
        if victim != "server":
            self._client.wait()
            self._client = self._started()
        return landed

    def finish(self) -> None:
        """Let the run end. Raises RuntimeError if it fails."""
        while not self._over():
            time.sleep(0.2)
        if code := self._client.returncode:
            said = (self._root / "said.txt").read_text(errors="replace")[-4000:]
            raise RuntimeError(f"the run in '{self._root}' ended with {code}:\n{said}")

    def end(self) -> None:
        if self._client.poll() is None:
            self._client.kill()
            self._client.wait()

    def _started(self) -> subprocess.Popen[bytes]:
        words = ("run", "--output", "json", "--restarts", "20", *FILE_BY_FILE, *_selecting(self._models))
        environment = {k: v for k, v in os.environ.items() if k != "CI" and not k.startswith("LSQLC_")}
        with (self._root / "said.txt").open("ab") as said:
            return subprocess.Popen(
                [sys.executable, "-m", "lsqlc", *words], cwd=self._root, env=environment, stdout=said, stderr=said
            )

    def _over(self) -> bool:
        """Whether the run has ended. One that found nobody at the server's address, because its server was killed as it
        began, has refused to begin, and is begun again.
        """
        if self._server and self._client.poll():
            last = (self._root / "said.txt").read_text(errors="replace").splitlines()[-1]
            if re.search(r'"code": "LSQ65[5679]"', last):
                self._client = self._started()
        return self._client.poll() is not None


def _selecting(models: Sequence[str]) -> tuple[str, ...]:
    return tuple(word for model in models for word in ("--select", model))


def _copy(base: Path, root: Path) -> None:
    shutil.rmtree(root, ignore_errors=True)
    # The times of the segments are what their order of arrival is kept in.
    shutil.copytree(base, root)


def _java_of(client: int) -> int:
    """The server that a client has started: the child of its watchdog. 0 if there is none yet."""
    children: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            pid, rest = int(stat.parent.name), stat.read_text().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        children.setdefault(int(rest[1]), []).append(pid)
    return next((java for watchdog in children.get(client, ()) for java in children.get(watchdog, ())), 0)


def _landed(root: Path) -> str:
    """Where the query stands whose checkpoint was written last."""
    logs = sorted(root.glob(".lsqlc/checkpoints/*/spark-*/offsets"), key=lambda p: p.stat().st_mtime_ns)
    if not logs:
        return "before the first batch"
    spark = logs[-1].parent
    offset, commit = _newest(spark / "offsets"), _newest(spark / "commits")
    if offset == commit:
        return "between two batches"
    mark = f"-{offset:012d}.jsonl"
    name = spark.parent.name
    written = {p.name for p in root.glob(".lsqlc/topics/*/data/*.jsonl") if p.name.endswith(mark)}
    own = _mark(json.loads((spark.parent / "stage.json").read_text()), name)
    return "published, not committed" if any(w.startswith(own) for w in written) else "not published"


def _mark(stage: Mapping[str, object], query: str) -> str:
    from lsqlc.remote.connectors.transport import generation_name

    number = stage["generation"]
    assert isinstance(number, int)
    return generation_name(query, number)


def _newest(folder: Path) -> int:
    return max((int(p.name) for p in folder.glob("[0-9]*")), default=-1)


def _batches(root: Path) -> dict[str, int]:
    commits = root.glob(".lsqlc/checkpoints/*/spark-*/commits")
    return {folder.parents[1].name: _newest(folder) + 1 for folder in commits}


def _differences(root: Path, expected: Path, models: Sequence[str]) -> Iterator[str]:
    """What differs from the undisturbed run: a TABLE by its rows, a STREAM line by line; and lines that stand twice."""
    project = Project.load(root)
    logs = [FileLog(folder / ".lsqlc/topics") for folder in (root, expected)]
    for model in models:
        plan = project.plan(model)
        for topic in plan.outputs:
            found, right = (_lines(log, topic) for log in logs)
            doubled = sum(n - 1 for n in Counter(found).values() if n > 1)
            if doubled > sum(n - 1 for n in Counter(right).values() if n > 1):
                yield f"'{topic.name}' has {doubled} lines twice"
            if plan.semantics[topic.name] == "TABLE":
                if final_rows(topic, logs[0].read(topic)) != final_rows(topic, logs[1].read(topic)):
                    yield f"'{topic.name}' has other rows"
            elif found != right:
                lost, more = (sum((a - b).values()) for a, b in _both(found, right))
                yield f"'{topic.name}' lacks {lost} lines and has {more} more"


def _both(found: list[str], right: list[str]) -> list[tuple[Counter[str], Counter[str]]]:
    a, b = Counter(found), Counter(right)
    return [(b, a), (a, b)]


def _lines(log: FileLog, topic: Topic) -> list[str]:
    return sorted(line for path in log.segments(topic.name) for line in path.read_text("utf-8").splitlines())


def _print(done: Counter[tuple[Victim, str, str]], batches: int, wrong: Sequence[str]) -> None:
    print(f"\ncrashes: {sum(done.values())} kills in {batches:,} batches")
    points = (AT_RANDOM, *POINTS)
    width = max(map(len, points))
    print("  " + " " * width + "".join(v.rjust(9) for v in VICTIMS) + "   landed")
    for point in points:
        counts = [sum(n for (v, p, _), n in done.items() if (v, p) == (victim, point)) for victim in VICTIMS]
        landed = Counter[str]()
        for (_, p, where), n in done.items():
            landed[where] += n if p == point else 0
        said = ", ".join(f"{n} {where}" for where, n in landed.most_common() if n)
        print("  " + point.ljust(width) + "".join(str(n).rjust(9) for n in counts) + f"   {said}")
    print(f"  lost or doubled: {'; '.join(islice(wrong, 20)) or 'nothing'}", flush=True)
