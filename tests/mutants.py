"""How much the lanes notice: small changes of the compiler, and the lane that fails for each.

    python -m tests.mutants reach            # which tests reach which line; runs every lane once
    python -m tests.mutants run --number 150 # for each mutant the tests that reach it, lane by lane, until one fails

A mutant is one change of one expression: a comparison turned, a filter of a comprehension dropped, two arguments
swapped, and the like (`mutations`). Only lines that a test reaches are changed. The tests run in a copy of the
repository, in processes of their own; those that reach few lines come first, because they fail soonest.
With `LSQLC_TEST_SPARK` and `LSQLC_TEST_KAFKA` all mutants use the same servers (`python -m tests.servers`).
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random

from tests.lanes import LANES, Lane

ROOT = Path(__file__).parents[1]
FOLDERS = ("lsqlc/lower/spark", "lsqlc/lower/duckdb", "lsqlc/bind", "lsqlc/connectors")
WORK = ROOT / "target" / "mutants"
# Seconds that the tests of a lane may take for one mutant: a change may make a loop endless, which is noticed too.
_TIMEOUT = 900
# Tests of a lane that are run for a mutant, those that reach the fewest lines. Of Java few: each takes seconds.
_MOST: Mapping[Lane, int] = {"fast": 600, "core": 24, "nightly": 24}
_TURNED: Mapping[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Mutant:
    """A change. `path`: from the root; `line`: from 1; `begin`, `end`: offsets in the bytes of the file; `text`: the
    replacement.
    """

    path: str
    line: int
    begin: int
    end: int
    text: str

    def apply(self, source: bytes) -> bytes:
        """Return the source with the change."""
        return source[: self.begin] + self.text.encode() + source[self.end :]


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of a mutant. `lane`: the first that failed, None if none did; `before`: the text that it replaces."""

    mutant: Mutant
    before: str
    lane: Lane | None


def mutations(node: ast.AST) -> Iterator[ast.expr]:
    """Yield the changed forms of an expression."""
    match node:
        case ast.Compare(left=left, ops=[operator], comparators=right) if type(operator) in _TURNED:
            yield ast.Compare(left, [_TURNED[type(operator)]()], right)
        case ast.BoolOp(op=operator, values=values):
            yield ast.BoolOp(ast.Or() if isinstance(operator, ast.And) else ast.And(), values)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield operand
        case ast.IfExp(test=test, body=body, orelse=other):
            yield ast.IfExp(test, other, body)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            yield ast.BinOp(right, ast.Add(), left)
        case ast.Call(func=function, args=[first, second, *rest], keywords=keywords) if not any(
            isinstance(argument, ast.Starred) for argument in (first, second)
        ):
            yield ast.Call(function, [second, first, *rest], keywords)
        case ast.Constant(value=bool(value)):
            yield ast.Constant(not value)
        case ast.Constant(value=int(value)):
            yield ast.Constant(value + 1)


def mutants(path: str, source: bytes) -> Iterator[Mutant]:
    """Yield every change of a file."""
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))

    def change(old: ast.expr, new: str) -> Mutant:
        assert old.end_lineno is not None and old.end_col_offset is not None
        begin, end = starts[old.lineno - 1] + old.col_offset, starts[old.end_lineno - 1] + old.end_col_offset
        return Mutant(path, old.lineno, begin, end, new)

    def visit(node: ast.AST) -> Iterator[Mutant]:
        for name, value in ast.iter_fields(node):
            # Annotations mean nothing at run time, and the offsets within an f-string are those of its beginning.
            if name in ("annotation", "returns", "decorator_list") or isinstance(node, ast.JoinedStr):
                continue
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    if isinstance(child, ast.expr):
                        yield from (change(child, f"({ast.unparse(new)})") for new in mutations(child))
                        if name == "ifs" or (name == "test" and isinstance(node, ast.If)):
                            yield change(child, "True" if name == "ifs" else f"(not ({ast.unparse(child)}))")
                    yield from visit(child)

    yield from visit(ast.parse(source))


def reach(lanes: Sequence[Lane]) -> None:
    """Run lanes once, and write which tests reach which line; a failing test does not prevent that."""
    WORK.mkdir(parents=True, exist_ok=True)
    settings = WORK / "coverage.ini"
    settings.write_text("\n    ".join(("[run]\ncore = ctrace\nsource =", *FOLDERS)), "utf-8")
    for lane in lanes:
        subprocess.run(
            [
                sys.executable, "-m", "pytest", "--lane", lane, "-n", "2", "--dist", "worksteal", "--cov",
                f"--cov-config={settings}", "--cov-context=test", "--cov-report=",
            ],
            cwd=ROOT, env={**os.environ, "COVERAGE_FILE": str(_reached(lane))}, check=False,
        )  # fmt: skip


def tests_of(lane: Lane) -> tuple[Mapping[tuple[str, int], frozenset[str]], Mapping[str, int]]:
    """Return the tests of a lane that reach a line of a file, and how many lines each test reaches."""
    from coverage.numbits import numbits_to_nums

    by_line: dict[tuple[str, int], set[str]] = defaultdict(set)
    size = Counter[str]()
    database = sqlite3.connect(_reached(lane))
    rows = database.execute(
        "SELECT path, context, numbits FROM line_bits"
        " JOIN file ON file.id = file_id JOIN context ON context.id = context_id"
    )
    for path, context, bits in rows:
        test = context.rpartition("|")[0]
        if test:
            name = Path(path).relative_to(ROOT).as_posix()
            lines = numbits_to_nums(bits)
            size[test] += len(lines)
            for line in lines:
                by_line[name, line].add(test)
    return {line: frozenset(tests) for line, tests in by_line.items()}, size


def sample(number: int, seed: int, reached: set[tuple[str, int]]) -> list[Mutant]:
    """Return so many mutants of lines that tests reach, the same number of each folder."""
    random, result = Random(seed), list[Mutant]()
    for index, folder in enumerate(FOLDERS):
        paths = sorted((ROOT / folder).rglob("*.py"))
        every = [
            mutant
            for path in paths
            for mutant in mutants(path.relative_to(ROOT).as_posix(), path.read_bytes())
            if (mutant.path, mutant.line) in reached
        ]
        share = number // len(FOLDERS) + (index < number % len(FOLDERS))
        result += random.sample(every, share)
    return result


def run(number: int, seed: int, lanes: Sequence[Lane]) -> list[Verdict]:
    """Test so many mutants, print each result, and return all."""
    reach_of = {lane: tests_of(lane) for lane in lanes}
    reached = {line for tests, _ in reach_of.values() for line in tests}
    copy = WORK / "copy"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(".git", ".venv", "target", ".lsqlc", "*_cache"))
    verdicts = list[Verdict]()
    for mutant in sample(number, seed, reached):
        path = copy / mutant.path
        source = path.read_bytes()
        path.write_bytes(mutant.apply(source))
        try:
            lane = next((lane for lane in lanes if _fails(copy, lane, mutant, *reach_of[lane])), None)
        finally:
            path.write_bytes(source)
        verdict = Verdict(mutant, source[mutant.begin : mutant.end].decode(), lane)
        verdicts.append(verdict)
        print(f"{lane or 'SURVIVED':9} {mutant.path}:{mutant.line} {verdict.before!r} -> {mutant.text!r}", flush=True)
        with (WORK / "verdicts.jsonl").open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(verdict)) + "\n")
    return verdicts


def table(verdicts: Sequence[Verdict]) -> str:
    """Return the verdicts by folder as a table of Markdown."""
    heads = ("folder", "mutants", *LANES, "survived")
    lines = [f"| {' | '.join(heads)} |", "| --- |" + " --- |" * (len(heads) - 1)]
    for folder in FOLDERS:
        lanes = Counter(v.lane for v in verdicts if v.mutant.path.startswith(folder + "/"))
        cells = [f"`{folder}`", sum(lanes.values()), *(lanes[lane] for lane in LANES), lanes[None]]
        lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(lines)


def _fails(
    copy: Path, lane: Lane, mutant: Mutant, tests: Mapping[tuple[str, int], frozenset[str]], size: Mapping[str, int]
) -> bool:
    """Whether a test of the lane that reaches the mutant fails in that copy of the repository."""
    candidates = sorted(tests.get((mutant.path, mutant.line), ()), key=lambda test: (size[test], test))[: _MOST[lane]]
    if not candidates:
        return False
    arguments = WORK / "tests.txt"
    arguments.write_text("\n".join(candidates), "utf-8")
    command = [sys.executable, "-m", "pytest", "-x", "-q", "--no-header", "-p", "no:cacheprovider", f"@{arguments}"]
    environment = {**os.environ, "PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        done = subprocess.run(command, cwd=copy, env=environment, capture_output=True, timeout=_TIMEOUT, check=False)
    except subprocess.TimeoutExpired:
        return True
    return done.returncode != 0


def _reached(lane: Lane) -> Path:
    return WORK / f"{lane}.coverage"


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("what", choices=("reach", "run"))
    parser.add_argument("--number", type=int, default=150)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--lane", choices=LANES, action="append")
    options = parser.parse_args()
    lanes: Sequence[Lane] = options.lane or LANES
    if options.what == "reach":
        reach(lanes)
    else:
        print(table(run(options.number, options.seed, lanes)))


if __name__ == "__main__":
    main()
