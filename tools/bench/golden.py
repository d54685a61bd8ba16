"""1,000 golden cases on DuckDB: `lsqlc test`, compiling included, in few models with many cases and the other way."""

from __future__ import annotations

from pathlib import Path
from statistics import median

from tools.bench.models import write_project
from tools.bench.process import lsqlc
from tools.bench.report import Row, print_table

BUDGET = 5.0


def run(work: Path, quick: bool) -> None:
    shapes = ((20, 5),) if quick else ((100, 10), (1_000, 1))
    rows = [_shaped(work, models, cases, 1 if quick else 3) for models, cases in shapes]
    print_table("golden: whole process of `lsqlc test`, every case passing", rows)


def _shaped(work: Path, models: int, cases: int, rounds: int) -> Row:
    root = work / f"golden_{models}"
    write_project(root, models, cases=cases)
    lsqlc("test", "--update", "all", cwd=root)
    samples = [lsqlc("test", cwd=root)[0] for _ in range(rounds)]
    budget = BUDGET if models * cases == 1_000 else None
    return Row(f"{models:,} models with {cases:,} cases each", median(samples), budget=budget, samples=samples)
