"""Public queries in standard SQL, held against Spark.

    python -m tests.standard_sql.public judge --feldera CLONE --risingwave CLONE --spark TESTS.jar
    python -m tests.standard_sql.public measure [--show wrong]

`judge` asks the Spark server at `LSQLC_TEST_SPARK` (`python -m tests.servers`) once, and keeps its answers; `measure`
compiles the queries and runs them on DuckDB. The queries are those of `sql_public.json` in `LSQLC_CORPORA`.
"""

from __future__ import annotations

import argparse
import logging
import os
import re
from collections import Counter
from pathlib import Path

from tests.standard_sql.public import compare, judge
from tests.standard_sql.public.material import Sources, queries

ROOT = Path(__file__).parents[3]
ANSWERS = ROOT / "target" / "public_sql.pickle"
_CORPORA = ROOT.parent / "shared" / "corpora"
# How many kinds of refusals are listed.
_KINDS = 40


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.standard_sql.public", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("what", choices=("judge", "measure"))
    parser.add_argument("--risingwave", type=Path, help="a git repository of risingwavelabs/risingwave")
    parser.add_argument("--feldera", type=Path, help="a git repository of feldera/feldera")
    parser.add_argument("--spark", type=Path, help="the archive of tests of spark-sql from Maven")
    parser.add_argument("--show", action="append", default=[], help="a kind or a code whose queries are printed")
    options = parser.parse_args()
    if options.what == "judge":
        _judge(Sources(options.risingwave, options.feldera, options.spark))
    else:
        _measure(frozenset(options.show))


def _judge(sources: Sources) -> None:
    from pyspark.sql.connect.session import SparkSession

    # The client logs each query that Spark refuses.
    logging.disable(logging.CRITICAL)
    spark = SparkSession.builder.remote(os.environ["LSQLC_TEST_SPARK"]).create()
    spark.conf.set("spark.sql.session.timeZone", "UTC")
    # The tables are small: more partitions only cost time.
    spark.conf.set("spark.sql.shuffle.partitions", "2")
    corpora = Path(os.environ.get("LSQLC_CORPORA", _CORPORA))
    answers = list(judge.judged(queries(corpora / "sql_public.json"), sources, spark))
    judge.write(answers, ANSWERS)
    print(f"{len(answers)} answers in {ANSWERS.relative_to(ROOT)}")


def _measure(shown: frozenset[str]) -> None:
    verdicts = [compare.verdict(answer) for answer in judge.read(ANSWERS)]
    for suite in sorted({v.answer.query.suite for v in verdicts}):
        kinds = Counter(v.kind for v in verdicts if v.answer.query.suite == suite)
        judged_queries = sum(kinds.values()) - kinds["unjudged"]
        share = 100 * kinds["equal"] / max(judged_queries, 1)
        print(f"{suite}: {share:.1f} % of {judged_queries} are equal, {dict(kinds)}")
    refusals = Counter(
        (v.code, re.sub(r"'[^']*'|\d+", "_", v.detail)[:100]) for v in verdicts if v.kind in ("refused", "crash")
    )
    for (code, message), number in refusals.most_common(_KINDS):
        print(number, code, message)
    for v in verdicts:
        if v.kind in shown or v.code in shown:
            print(f"-- {v.kind} {v.code} {v.answer.query.file}\n{v.answer.query.text}\n{v.detail}")


if __name__ == "__main__":
    main()
