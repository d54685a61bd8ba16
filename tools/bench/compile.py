"""`lsqlc compile` over generated models: with nothing kept, and with nothing changed. Also `lsqlc diff` of one changed
model, and `lsqlc --help`.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from statistics import median

from tools.bench.models import write_project
from tools.bench.process import lsqlc
from tools.bench.report import Row, print_table
from tools.bench.sql_models import write_sql_project

# Models: seconds with nothing kept, seconds with nothing changed.
BUDGETS = {1_000: (1.0, 0.3), 10_000: (10.0, 1.5)}
# Models in standard SQL: seconds with nothing kept.
SQL_BUDGETS = {1_000: 2.0}
# Models: seconds of a comparison with the revision before one of them changed.
DIFF_BUDGETS = {1_000: 1.0}
HELP_BUDGET = 0.15


def run(work: Path, quick: bool) -> None:
    rows = _sized(work, 100, 2) if quick else [*_sized(work, 1_000, 5), *_sized(work, 10_000, 1)]
    print_table("compile: whole process", [*rows, *(_standard(work, 100, 2) if quick else _standard(work, 1_000, 5))])


def _standard(work: Path, models: int, rounds: int) -> list[Row]:
    """Models in standard SQL, which sqlglot parses."""
    root = work / f"sql_{models}"
    write_sql_project(root, models)
    lsqlc("compile", cwd=root)
    cold = []
    for _ in range(rounds):
        shutil.rmtree(root / "target")
        cold.append(lsqlc("compile", cwd=root)[0])
    budget = SQL_BUDGETS.get(models)
    return [Row(f"{models:,} models in standard SQL, nothing kept", median(cold), budget=budget, samples=cold)]


def _sized(work: Path, models: int, rounds: int) -> list[Row]:
    root = work / f"models_{models}"
    write_project(root, models)
    cold, unchanged, help = list[float](), list[float](), list[float]()
    # The first process finds no compiled Python files and a cold disk.
    lsqlc("compile", cwd=root)
    for _ in range(rounds):
        shutil.rmtree(root / "target")
        cold.append(lsqlc("compile", cwd=root)[0])
        unchanged.append(lsqlc("compile", cwd=root)[0])
        help.append(lsqlc("--help", cwd=root)[0])
    compared = _compared(root, rounds)
    budgets = BUDGETS.get(models, (None, None))
    rows = [
        Row(f"{models:,} models, nothing kept", median(cold), budget=budgets[0], samples=cold),
        Row(f"{models:,} models, nothing changed", median(unchanged), budget=budgets[1], samples=unchanged),
        Row(f"{models:,} models, diff of one", median(compared), budget=DIFF_BUDGETS.get(models), samples=compared),
    ]
    # One round says little of so short a process.
    return [*rows, Row("lsqlc --help", median(help), budget=HELP_BUDGET, samples=help)] if rounds > 1 else rows


def _compared(root: Path, rounds: int) -> list[float]:
    """Seconds of `lsqlc diff` with another condition in one of the generated models."""
    for words in ("init --quiet", "add lsqlc.yml models", "commit --quiet --message generated"):
        who = ("-c", "user.name=bench", "-c", "user.email=bench@example.org", "-c", "commit.gpgsign=false")
        subprocess.run(["git", *who, *words.split()], cwd=root, check=True)
    (model,) = (root / "models").rglob("large_orders_0.sql")
    before = model.read_text("utf-8")
    model.write_text(before.replace("amount > ", "amount > 1", 1), "utf-8")
    ran = [lsqlc("diff", "--against", "HEAD", cwd=root) for _ in range(rounds)]
    model.write_text(before, "utf-8")
    shutil.rmtree(root / ".git")
    if not all(said.startswith("~ large_orders_0: compatible\n") for _, said in ran):
        raise RuntimeError("the diff does not tell of the model that was edited")
    return [seconds for seconds, _ in ran]
