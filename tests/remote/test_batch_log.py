"""What Spark keeps of the batches of a query, and batches that are to end at a chosen place."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from lsqlc.remote.run.batch_log import (
    AheadError,
    BatchLog,
    FilesEnd,
    KafkaEnd,
    UnknownLogError,
    ends_within,
    least,
    next_batch,
    read_batches,
    source_lines,
    write_batch,
)


def batch(*lines: str, time: int = 1_000) -> str:
    about = {"batchWatermarkMs": 0, "batchTimestampMs": time, "conf": {"a": "1"}}
    return "\n".join(("v1", json.dumps(about), *lines))


def entries(*files: tuple[str, int, int]) -> str:
    return "\n".join(("v1", *(json.dumps({"path": p, "timestamp": t, "batchId": n}) for p, t, n in files)))


def done(watermark: int = 0) -> str:
    return f'v1\n{{"nextBatchWatermarkMs":{watermark}}}'


def settings() -> Mapping[str, str]:
    return {"spark.sql.shuffle.partitions": "2"}


KAFKA = BatchLog(
    {
        "metadata": "{}",
        "offsets/8": batch('{"t":{"0":5}}'),
        "offsets/9": batch('{"t":{"0":7,"1":1}}', time=2_000),
        "commits/8": done(77),
    }
)
FILES = BatchLog(
    {
        "metadata": "{}",
        "offsets/8": batch('{"logOffset":8}'),
        "commits/8": done(),
        "sources/0/8": entries(("file:///a", 1, 7), ("file:///b", 2, 8)),
    }
)


def by_name(*lines: str) -> str:
    return batch(*lines).replace("v1", "v2", 1)


def test_sources_with_names() -> None:
    """Their ends stand by name, in any order; a source that is not there has not read anything."""
    texts = {"offsets/4": by_name('u:{"t":{"0":5}}', "a:-"), "commits/4": done(), "metadata": "{}"}
    log = BatchLog(texts, ("a", "u", "new"))
    assert [log.offsets(4, number) for number in range(3)] == [{}, {"t": {0: 5}}, {}]
    with pytest.raises(UnknownLogError):
        BatchLog(texts).offsets(4, 0)
    ends = [KafkaEnd({"x": {0: 1}}), KafkaEnd({"t": {0: 6}}), KafkaEnd({"n": {0: 2}})]
    made = next_batch(log, ends, now=1_500, settings=settings)
    assert made is not None and made["offsets/5"].startswith("v2\n")
    assert [BatchLog(made, log.names).offsets(5, number) for number in range(3)] == [end.offsets for end in ends]
    assert source_lines(made)[1] == ("u", '{"t": {"0": 6}}')
    first, _, *rest = made["offsets/5"].split("\n")
    turned = {"offsets/5": "\n".join((first, "{}", *reversed(rest)))}
    assert ends_within(BatchLog({**texts, **turned}), made)


@pytest.mark.parametrize(
    ("begun", "is_within"),
    [
        ('{"t":{"0":5,"1":2}}', True),
        ('{"t":{"0":4}}', True),
        ("-", True),
        ('{"t":{"0":6,"1":2}}', False),
        ('{"t":{"0":5},"u":{"0":1}}', False),
    ],
)
def test_a_batch_that_was_begun_ends_before(begun: str, is_within: bool) -> None:
    """Where it ends before what is wanted now, it is done first. It must not end behind it."""
    texts = {"metadata": "{}", "offsets/0": batch(begun)}
    wanted = {"offsets/0": batch('{"t":{"0":5,"1":2}}')}
    assert ends_within(BatchLog(texts), wanted) == is_within
    assert not ends_within(BatchLog({**texts, "commits/0": done()}), wanted), "it is done already"


def test_files_of_sources_with_names(tmp_path: Path) -> None:
    """The log of a source lies under its name, in a first batch that is written here too."""
    ends = [FilesEnd({"file:///a": 1}), FilesEnd({"file:///b": 2})]
    made = next_batch(BatchLog({}, ("rides", "more")), ends, now=5, settings=settings)
    assert made is not None and {"sources/rides/0", "sources/more/0", "offsets/0"} < made.keys()
    write_batch(tmp_path, made)
    log = BatchLog(read_batches(tmp_path).texts, ("rides", "more"))
    assert log.files(0, 1) == {"file:///b": 2} and log.newest_files(0) == 0


def test_the_format_of_the_state() -> None:
    """The newer one notes an id of each store with a batch."""
    ids = 'v2\n{"nextBatchWatermarkMs":0,"stateUniqueIds":{"0":[["e433"]]}}'
    assert BatchLog({"commits/0": ids}).state_format == 2
    assert BatchLog({"commits/0": done()}).state_format == 1


def test_how_far_a_query_has_read() -> None:
    """By the batch that is done, not by one that was only begun."""
    assert (KAFKA.last, KAFKA.committed, KAFKA.watermark()) == (9, 8, 77)
    assert KAFKA.offsets(8, 0) == {"t": {0: 5}} and KAFKA.offsets(-1, 0) == {}
    assert FILES.files(8, 0) == {"file:///a": 1, "file:///b": 2} and FILES.files(-1, 0) == {}
    assert BatchLog({}).last == -1 and BatchLog({}).watermark() == 0
    assert least([{0: 5, 1: 2}, {0: 3}]) == {0: 3, 1: 0}


def test_a_batch_that_was_begun_ends_elsewhere() -> None:
    """It keeps its number, and has the watermark that the batch before it left."""
    made = next_batch(KAFKA, [KafkaEnd({"t": {0: 6, 1: 0}})], now=1_500, settings=settings)
    assert made is not None and list(made) == ["offsets/9"]
    log = BatchLog({**KAFKA.texts, **made})
    assert log.offsets(9, 0) == {"t": {0: 6, 1: 0}}
    assert log.about(9) == {"batchWatermarkMs": 77, "batchTimestampMs": 1_500, "conf": {"a": "1"}}
    assert next_batch(KAFKA, [KafkaEnd({"t": {0: 5}})], now=1_500, settings=settings) is None
    with pytest.raises(AheadError):
        next_batch(KAFKA, [KafkaEnd({"t": {0: 4, 1: 9}})], now=1_500, settings=settings)


def test_the_time_of_a_batch_rises() -> None:
    """Also where the clock was set back: what a batch brings is newer."""
    made = next_batch(KAFKA, [KafkaEnd({"t": {0: 6}})], now=3, settings=settings)
    assert made is not None and BatchLog(made).about(9)["batchTimestampMs"] == 1_001


def test_the_first_batch(tmp_path: Path) -> None:
    """It comes with what Spark notes of a new query, and the end of the batch comes last."""
    made = next_batch(BatchLog({}), [KafkaEnd({"t": {0: 6}}), FilesEnd({"file:///a": 1})], now=5, settings=settings)
    assert made is not None and list(made) == ["metadata", "sources/1/0", "offsets/0"]
    (tmp_path / "offsets").mkdir()
    (tmp_path / "offsets" / ".0.crc").touch()
    write_batch(tmp_path, made)
    log = read_batches(tmp_path)
    assert log.texts == made and log.last == 0 and log.files(0, 1) == {"file:///a": 1}
    assert log.about(0)["conf"] == settings() and not (tmp_path / "offsets" / ".0.crc").exists()


def test_files_are_added_to_the_log_of_a_source() -> None:
    """Each tenth entry has all files."""
    made = next_batch(FILES, [FilesEnd({"file:///a": 1, "file:///b": 2, "file:///c": 3})], now=5, settings=settings)
    assert made is not None and list(made) == ["sources/0/9.compact", "offsets/9"]
    log = BatchLog({**FILES.texts, **made})
    assert log.files(9, 0) == {"file:///a": 1, "file:///b": 2, "file:///c": 3}
    assert next_batch(log, [FilesEnd(log.files(9, 0))], now=5, settings=settings) is not None, "it is not done"
    assert next_batch(FILES, [FilesEnd(FILES.files(8, 0))], now=5, settings=settings) is None
    for ahead in ({"file:///a": 1}, {"file:///a": 1, "file:///c": 3}):
        with pytest.raises(AheadError):
            next_batch(FILES, [FilesEnd(ahead)], now=5, settings=settings)


@pytest.mark.parametrize("text", ["v2\n{}\n{}", "v1\n{}", batch("{}", "[]")])
def test_a_form_that_is_not_known(text: str) -> None:
    """It is an error, and nothing is made of it."""
    log = BatchLog({"offsets/0": text, "commits/0": done()})
    with pytest.raises(UnknownLogError):
        log.files(0, 0)
    with pytest.raises(UnknownLogError):
        log.offsets(0, 1)


def test_a_batch_that_is_removed_meanwhile(tmp_path: Path) -> None:
    """A query that runs keeps its last hundred batches; what it removes while they are read is not missed."""
    for number in (1, 2):
        (tmp_path / "offsets").mkdir(exist_ok=True)
        (tmp_path / "offsets" / f"{number}").write_text("v1\n{}\n-\n")
    # It is found, and not there once it is read.
    (tmp_path / "offsets" / "0").symlink_to(tmp_path / "gone")
    found = read_batches(tmp_path)
    assert found.last == 2 and set(found.texts) == {"offsets/1", "offsets/2"}
