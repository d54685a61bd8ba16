"""A fixed sample of mutated envelopes; `python -m tests.fuzz.envelopes` runs as many as one likes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.fuzz.envelopes import by_decoder, difference, mutated, sample_differences

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession

_SAMPLE = 1_000
_ON_SPARK = 100


def test_the_readers_of_the_client_agree() -> None:
    """Some records have a value, and some do not."""
    records = [mutated(seed) for seed in range(_SAMPLE)]
    assert not [problem for problem in map(difference, records) if problem]
    wrong = [meaning.startswith("wrong: ") for meaning in map(by_decoder, records)]
    assert _SAMPLE // 10 < sum(wrong) < _SAMPLE * 9 // 10


def test_a_seed_is_a_record() -> None:
    assert [mutated(seed) for seed in range(20)] == [mutated(seed) for seed in range(20)]


def test_spark_agrees(spark: SparkSession) -> None:
    """Over lines that it makes of records, and over the records."""
    assert not sample_differences(spark, range(_SAMPLE), _ON_SPARK)
