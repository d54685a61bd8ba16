"""`python -m tests.standard_sql COUNT [FIRST]`: random models against the oracle, on DuckDB."""

from __future__ import annotations

import sys
from collections import Counter

from lsqlc.api import CompileError
from tests.standard_sql.compare import differences
from tests.standard_sql.oracle import Oracle
from tests.standard_sql.programs import Programs


def main() -> None:
    count = int(sys.argv[1])
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    oracle = Oracle()
    made: Counter[str] = Counter()
    bad = 0
    for seed in range(first, first + count):
        try:
            found = differences(seed, oracle)
        except CompileError as error:
            found = [f"seed {seed} is refused: {Programs(seed).draw().text}\n{error}"]
        except Exception as error:  # the program that fails is what is asked for
            found = [f"seed {seed} fails: {Programs(seed).draw().text}\n{type(error).__name__}: {error}"]
        programs = Programs(seed)
        programs.draw()
        made.update(programs.made)
        bad += bool(found)
        for text in found:
            print(text, flush=True)
    print(f"{count} programs, {bad} differ", dict(made))


if __name__ == "__main__":
    main()
