"""What came of one case, and how a run is told."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

ROOT = Path(__file__).parents[2]
Status = Literal["passed", "failed", "refused"]


@dataclass(frozen=True)
class Verdict:
    """`refused`: it did not compile though it should; `reason` is empty for a case that passed."""

    case: str
    status: Status
    reason: str = ""

    @property
    def topic(self) -> str:
        """What the case is about: its name up to the number."""
        return self.case.partition("#")[0]


def corpus(name: str) -> Path:
    """Where the cases are: in the folder that LSQLC_CORPORA names, or beside the repository."""
    folder = os.environ.get("LSQLC_CORPORA")
    return (Path(folder) if folder else ROOT.parent / "shared" / "corpora") / name


def summary(verdicts: Sequence[Verdict]) -> str:
    """Totals, also by topic, then the cases that did not pass, by reason."""
    lines = [_totals(f"{len(verdicts)} cases", verdicts)]
    topics = sorted({v.topic for v in verdicts})
    lines += [_totals(f"  {topic}", [v for v in verdicts if v.topic == topic]) for topic in topics]
    reasons: dict[tuple[str, str], list[str]] = {}
    for verdict in verdicts:
        if verdict.status != "passed":
            reasons.setdefault((verdict.status, verdict.reason), []).append(verdict.case)
    for (status, reason), cases in sorted(reasons.items(), key=lambda r: (r[0][0], -len(r[1]), r[0][1])):
        lines.append(f"{status}: {reason}: {len(cases)}: {', '.join(cases)}")
    return "\n".join(lines)


def _totals(what: str, verdicts: Sequence[Verdict]) -> str:
    totals = Counter(v.status for v in verdicts)
    return f"{what}: " + ", ".join(f"{totals[s]} {s}" for s in ("passed", "failed", "refused") if totals[s])
