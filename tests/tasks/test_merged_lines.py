"""The order of lines whose partitions are merged."""

from __future__ import annotations

from pathlib import Path

from lsqlc.tasks.merged_lines import merged_lines


def test_a_time_that_steps_back_counts_as_the_highest_before(tmp_path: Path) -> None:
    """In its partition; the other one goes on by itself."""
    path = tmp_path / "t.times.jsonl"
    given = [(5, 0, 1), (7, 1, 2), (8, 0, 2), (9, 1, 1), (3, 2, 1)]
    path.write_text("".join(f'{{"ordinal":[{t},{o},{lane}],"timestamp":{t}}}\n' for t, o, lane in given))
    assert merged_lines(path, 1).read_text().splitlines() == [
        '{"ordinal":[11,0,1],"timestamp":5}',
        '{"ordinal":[17,0,2],"timestamp":8}',
        '{"ordinal":[17,1,2],"timestamp":7}',
        '{"ordinal":[19,1,1],"timestamp":9}',
        '{"ordinal":[19,2,1],"timestamp":3}',
    ]
