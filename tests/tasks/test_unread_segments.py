"""What a run over topics in folders checks of the segments that it is going to read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import lsqlc
from lsqlc.diagnostics import LsqlcError
from lsqlc.lower.spark import lower
from lsqlc.project.declared.target import Target
from lsqlc.remote.run.batch_log import BatchLog, file_address
from lsqlc.tasks import backlog
from lsqlc.tasks.run_target import open_target
from lsqlc.tasks.unread_segments import check_unread
from lsqlc.types.record import Record

ORDERS = lsqlc.Topic("orders", key="INT", value="item STRING")


def test_what_is_to_be_read_is_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each segment that some query has not read; what a refresh removes is not."""
    plan = lsqlc.compile("SELECT STREAM item FROM orders", topics=[ORDERS], name="out")
    place, plans = open_target(tmp_path, Target("local"), [plan]), {"out": lower(plan)}
    (topic,) = plan.inputs
    place.log.append(topic, [Record("orders", n, {"item": "a"}) for n in range(4)], segments_of=1)
    segments = place.log.segments_for(topic, tmp_path)
    check_unread(plans, place, None)
    segments[0].write_bytes(b"")
    segments[1].unlink()

    def faults(read: list[Path]) -> list[str]:
        entries = [json.dumps({"path": file_address(s.absolute()), "timestamp": 1, "batchId": 0}) for s in read]
        offset = json.dumps({"logOffset": 0})
        texts = {"offsets/0": f"v1\n{{}}\n{offset}", "commits/0": "v1\n{}", "sources/0/0": "\n".join(["v1", *entries])}
        with monkeypatch.context() as patch:
            patch.setattr(backlog, "_log", lambda *_: BatchLog(texts))
            try:
                check_unread(plans, place, None)
            except LsqlcError as error:
                return [f"{d.code} {Path(d.span.path).name}" for d in error.diagnostics if d.span]
        return []

    assert faults([]) == [f"LSQ764 {segments[0].name}", f"LSQ764 {segments[1].name}"]
    assert faults([segments[0]]) == [f"LSQ764 {segments[1].name}"]
    assert faults([segments[0], segments[1]]) == []
    check_unread(plans, place, None, refreshed={"orders"})
    # A checkpoint that is not understood has read nothing, for all that is known.
    with monkeypatch.context() as patch:
        patch.setattr(backlog, "_log", lambda *_: BatchLog({"offsets/0": "v9\n", "commits/0": "v1\n"}))
        with pytest.raises(LsqlcError):
            check_unread(plans, place, None)
