"""Both stores of checkpoints, and what the one that works through a server does when things break off."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from lsqlc.diagnostics import LsqlcError
from lsqlc.remote.run.address_folder import AddressFolder
from lsqlc.remote.run.stores import FolderStore, ServerStore, newest, store_of
from tests.remote.store_contract import CONTRACT, Kept

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession


@pytest.mark.parametrize("holds", CONTRACT, ids=lambda each: each.__name__)
def test_a_folder(holds: Callable[[Kept], None], tmp_path: Path) -> None:
    """Of the client's own."""
    holds(Kept(lambda: FolderStore(tmp_path / "ck"), tmp_path / "ck"))


@pytest.mark.parametrize("holds", CONTRACT, ids=lambda each: each.__name__)
def test_an_address_that_is_a_folder(holds: Callable[[Kept], None], tmp_path: Path) -> None:
    """By its files, without a server."""
    place = tmp_path / "c[k] {a,b}*"
    holds(Kept(lambda: AddressFolder(place), place))


def test_what_a_server_and_a_client_write_is_one_thing(spark: SparkSession, tmp_path: Path) -> None:
    """Each reads what the other one has written last, and neither takes a number twice."""
    mine = AddressFolder(tmp_path)

    def servers() -> ServerStore:
        return ServerStore(spark, f"file:{tmp_path}")

    servers().write("q", "first")
    assert mine.read("q") == "first"
    mine.write("q", "second")
    assert servers().read("q") == "second" and servers().described() == ("q",)
    servers().write("q", "third")
    assert mine.read("q") == "third" and mine.described() == ("q",)
    mine.remove("q")
    assert not servers().has("q") and not mine.has("q")


@pytest.mark.parametrize("holds", CONTRACT, ids=lambda each: each.__name__)
def test_an_address(holds: Callable[[Kept], None], spark: SparkSession, tmp_path: Path) -> None:
    """Through the server only, in a folder whose name is a pattern."""
    place = tmp_path / "c[k] {a,b}*"
    holds(Kept(lambda: ServerStore(spark, f"file:{place}/"), place))


def test_which_store() -> None:
    """A folder takes no session."""
    assert store_of(Path("/x")) == FolderStore(Path("/x"))


WHOLE = '{"name": "q", "last": %d, "text": "%s", "end": true}'


def test_what_was_cut_off_does_not_count() -> None:
    """Nor what is none of ours; of two whole ones with one number any may count, as they were never written by two."""
    three = WHOLE % (4, "three")
    files = [
        ("s3a://b/c/q/stage-000001/part-0", WHOLE % (0, "one")),
        ("s3a://b/c/q/stage-000002/part-0", WHOLE % (3, "two")),
        *((f"s3a://b/c/q/stage-{3 + n:06d}/part-0", three[:n]) for n in range(len(three))),
        ("s3a://b/c/q/stage-000900/part-0", '{"name": "q", "last": 4, "text": "x"}'),
        ("s3a://b/c/q/stage-000901/part-0", '"text"'),
        ("s3a://b/c/q/other/part-0", WHOLE % (9, "other")),
        ("s3a://b/c/r/stage-000001/part-0", '{"name": "r", "last": 2, "text": null, "end": true}'),
        ("s3a://b/c/r/stage-1000000/part-0", '{"name": "r", "last": 2, "text": "many", "end": true}'),
        ("s3a://b/c/r/stage-999999/part-0", '{"name": "r", "last": 2, "text": "fewer", "end": true}'),
    ]  # fmt: skip
    found = newest(files)
    assert {name: (each.number, each.text, each.last) for name, each in found.items()} == {
        "q": (2, "two", 3),
        "r": (1_000_000, "many", 2),
    }


def test_a_write_that_was_killed(spark: SparkSession, tmp_path: Path) -> None:
    """Its folder is passed over, by who reads and by who writes."""
    url = (tmp_path / "ck").as_uri().replace("file:///", "file:/")
    ServerStore(spark, url).write("q", "one")
    (tmp_path / "ck/q/stage-000002/_temporary/0").mkdir(parents=True)
    (tmp_path / "ck/q/stage-000003").mkdir()
    (tmp_path / "ck/q/stage-000003/part-0").write_text('{"name": "q", "last": 0, "te')
    assert ServerStore(spark, url).read("q") == "one"
    ServerStore(spark, url).write("q", "two")
    assert (tmp_path / "ck/q/stage-000004").is_dir() and ServerStore(spark, url).read("q") == "two"


def test_generations_are_not_used_again(spark: SparkSession, tmp_path: Path) -> None:
    """Where Spark was once, remains of its state may lie that could not be removed."""
    url = f"file:{tmp_path}/ck"
    kept = Kept(lambda: ServerStore(spark, url), tmp_path / "ck")
    kept.open().write("q", "x")
    kept.spark("q", 4, 0)
    kept.open().remove("q")
    assert dict(kept.open().generations("q")) == {4: False}
    kept.open().write("q", "y")
    assert max(kept.open().generations("q")) == 4


def test_a_place_that_may_not_be_emptied(spark: SparkSession, tmp_path: Path) -> None:
    """Is left behind: a user of a storage may have no right to delete."""
    url = f"file:{tmp_path}/ck"
    kept = Kept(lambda: ServerStore(spark, url), tmp_path / "ck")
    kept.spark("q", 1, 0)
    store = ServerStore(spark, url)

    def refuse(place: str) -> None:
        raise RuntimeError("AccessDenied")

    store._empty = refuse  # type: ignore[method-assign]
    store.clear("q")
    assert store.generations("q").get(1) and (tmp_path / "ck/q/spark-000001/offsets/0").exists()
    store.remove("q")
    assert not store.has("q") and not ServerStore(spark, url).has("q")
    kept.spark("q", 2)
    assert ServerStore(spark, url).has("q")


@pytest.mark.parametrize("url", ["file:/proc/lsqlc", "nosuch://host/x", "s3a://bucket/x"])
def test_a_storage_that_the_server_does_not_reach(url: str, spark: SparkSession) -> None:
    """LSQ784 with what Spark says, for each way in."""
    uses: tuple[Callable[[ServerStore], None], ...] = (lambda store: store.check(), lambda store: store.write("q", "x"))
    for use in uses:
        with pytest.raises(LsqlcError) as raised:
            use(ServerStore(spark, url))
        (found,) = raised.value.diagnostics
        assert found.code == "LSQ784" and url in found.message and found.notes[0].startswith("Spark says: ")


def test_the_check_leaves_no_checkpoint(spark: SparkSession, tmp_path: Path) -> None:
    """It may be done again and again."""
    store = ServerStore(spark, f"file:{tmp_path}/ck")
    for _ in range(2):
        store.check()
    assert ServerStore(spark, f"file:{tmp_path}/ck").described() == ()
    assert [path.name for path in (tmp_path / "ck").iterdir()] == [".probe"]
