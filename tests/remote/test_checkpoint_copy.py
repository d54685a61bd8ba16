"""Copies of checkpoints in a folder: what goes with a batch, and what a query does meanwhile."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from lsqlc.diagnostics import LsqlcError
from lsqlc.remote.state import checkpoint_copy
from lsqlc.remote.state.checkpoint_copy import copy_checkpoint
from tests.cli.conftest import everything


def checkpoint(folder: Path, *, done: int, begun: int) -> Path:
    """What Spark leaves of a query with a state."""
    made = folder / "q" / "spark-000001"
    files = {"metadata": '{"id":"one"}', ".metadata.crc": "sum"}
    for batch in range(begun + 1):
        files |= {f"offsets/{batch}": "v1\n{}\n-", f"offsets/.{batch}.crc": "sum", f"sources/0/{batch}": "v1"}
        files |= {f"commits/{batch}": "v1\n{}"} if batch <= done else {}
        # A batch that is not done may have written its state.
        files |= {f"state/0/0/{batch + 1}.delta": "rows", f"state/0/0/{batch + 1}_ab-c.zip": "rows"}
    files |= {"state/0/_metadata/v2/0": "v1", "state/0/0/SSTs/1-a.sst": "table", "state/0/0/.9.delta.x.tmp": "half"}
    for path, text in files.items():
        (made / path).parent.mkdir(parents=True, exist_ok=True)
        (made / path).write_text(text)
    (made.parent / "files-spark-000001.json").write_text("{}")
    return made


def test_a_copy_ends_with_the_last_complete_batch(tmp_path: Path) -> None:
    """It has an id of its own, what is known of broken files, and nothing of what was begun; the original stays."""
    made = checkpoint(tmp_path, done=1, begun=2)
    before = everything(made)
    copy = tmp_path / "copies" / "q" / "spark-000007"
    assert copy_checkpoint(made, copy) == 1
    assert everything(made) == before
    found = everything(copy)
    assert json.loads(found.pop("metadata"))["id"] != "one" and ".metadata.crc" not in found
    left_out = {*("metadata", ".metadata.crc", "offsets/2", "offsets/.2.crc", "state/0/0/3.delta")}
    left_out |= {"state/0/0/3_ab-c.zip", "state/0/0/.9.delta.x.tmp"}
    assert found == {path: content for path, content in before.items() if path not in left_out}
    assert (copy.parent / "files-spark-000007.json").exists()
    assert copy_checkpoint(made, tmp_path / "older", batch=0) == 0
    assert not (tmp_path / "older" / "commits" / "1").exists()


def test_a_query_that_goes_on_meanwhile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is removed of an old batch while it is copied makes another attempt; one that never holds still is refused,
    and nothing is left.
    """
    made = checkpoint(tmp_path, done=1, begun=1)
    copied = shutil.copy2
    tried: list[int] = []

    def one_more(source: Path, to: Path) -> object:
        if Path(source).parent.name == "commits" and len(tried) < 3:
            # The next batch is done, and the oldest is removed.
            number = 2 + len(tried)
            tried.append(number)
            for path in (f"offsets/{number}", f"commits/{number}", f"state/0/0/{number + 1}.delta"):
                (made / path).write_text("v1\n{}\n-")
            for gone in range(number):
                for path in (f"offsets/{gone}", f"commits/{gone}"):
                    (made / path).unlink(missing_ok=True)
        return copied(source, to)

    monkeypatch.setattr(shutil, "copy2", one_more)
    assert copy_checkpoint(made, tmp_path / "copy") == 4 and len(tried) == 3
    monkeypatch.setattr(checkpoint_copy, "_is_kept", lambda *_: False)
    with pytest.raises(LsqlcError, match="LSQ897"):
        copy_checkpoint(made, tmp_path / "again")
    assert not (tmp_path / "again").exists()
