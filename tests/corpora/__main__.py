"""`python -m tests.corpora NAME [PATH]`: score a file of cases, and say what did not pass and why."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.corpora import drill, ksql
from tests.corpora.verdict import Verdict, corpus, summary

Load = Callable[[Path], Sequence[Mapping[str, Any]]]
Score = Callable[[Sequence[Mapping[str, Any]]], Sequence[Verdict]]

# By name: how its file is read, and how its cases are scored.
SCORERS: dict[str, tuple[Load, Score]] = {
    "drill": (drill.load, drill.score),
    "ksql": (ksql.load, ksql.score),
}


def main(arguments: Sequence[str]) -> int:
    if len(arguments) not in (1, 2) or arguments[0] not in SCORERS:
        print(f"usage: python -m tests.corpora {'|'.join(SCORERS)} [PATH]", file=sys.stderr)
        return 2
    name = arguments[0]
    path = Path(arguments[1]) if len(arguments) == 2 else corpus(f"{name}_cases.json")
    load, score = SCORERS[name]
    print(summary(score(load(path))))
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
