"""lsqlc beside other engines over the same topics of one broker: `run` of `bench.peers.contest`."""

from __future__ import annotations

from pathlib import Path


def run(work: Path, quick: bool) -> None:
    # What takes peers for another benchmark does not need this one.
    from tools.bench.peers import contest

    contest.run(work, contest.QUICK if quick else contest.SIZE)
