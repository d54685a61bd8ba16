"""What every store of checkpoints must satisfy. A store of a server is rebuilt for each look, as each attempt of a
run makes one: so what it says lies in the storage.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from lsqlc.remote.run.stores import CheckpointStore

# A store over one place, rebuilt.
Open = Callable[[], CheckpointStore]
TEXT = '{"a": "ü \\" \\\\ \' $x {{y}}",\n "b": "' + "z" * 100_000 + '"}\n'


@dataclass(frozen=True, slots=True)
class Kept:
    """A place, and the folder that it is, for those who look from the server's side."""

    open: Open
    folder: Path

    def spark(self, name: str, generation: int, *batches: int) -> None:
        """What Spark leaves of a query that has begun these batches."""
        place = Path(self.open().location(name, generation).removeprefix("file:"))
        (place / "offsets").mkdir(parents=True)
        (place / "metadata").write_text("{}")
        for batch in batches:
            (place / "offsets" / str(batch)).write_text("v1")
            (place / "offsets" / f".{batch}.crc").write_text("")


def nothing_is_there(kept: Kept) -> None:
    """Not even the folder: it is no error."""
    store = kept.open()
    assert store.described() == () and store.read("q") is None and not store.has("q")
    assert dict(store.generations("q")) == {}
    store.clear("q")
    store.remove("q")
    assert not kept.open().has("q")


def the_newest_description_counts(kept: Kept) -> None:
    """Whatever its text and its length, and however many there were before."""
    for text in ("", "first", TEXT):
        kept.open().write("q", text)
        assert kept.open().read("q") == text
    kept.open().write("a_x2eb", "other")
    store = kept.open()
    assert store.described() == ("a_x2eb", "q")
    assert (store.read("q"), store.read("a_x2eb"), store.read("b")) == (TEXT, "other", None)
    assert store.has("q") and not store.has("b")
    store.write("q", "again")
    store.write("q", "and again")
    assert store.read("q") == "and again" == kept.open().read("q")


def generations_and_their_batches(kept: Kept) -> None:
    """One is there once Spark has started there; a batch has begun once its offsets are there."""
    kept.open().write("q", "x")
    kept.spark("q", 3)
    kept.spark("q", 12, 0, 1)
    kept.spark("r", 1, 0)
    store = kept.open()
    assert (store.generations("q").get(3), store.generations("q").get(12)) == (False, True)
    assert max(store.generations("q")) == 12 and store.generations("r").get(1)
    assert store.has("r") and store.read("r") is None


def what_is_cleared_does_not_go_on(kept: Kept) -> None:
    """Its description stays."""
    kept.open().write("q", "x")
    kept.spark("q", 1, 0, 1)
    kept.spark("q", 2)
    kept.spark("r", 1, 0)
    kept.open().clear("q")
    store = kept.open()
    assert not any(store.generations("q").values()) and store.read("q") == "x"
    assert store.generations("r").get(1)
    assert not list(kept.folder.glob("q/spark-*/offsets/*"))


def what_is_removed_is_forgotten(kept: Kept) -> None:
    """And can be there again."""
    kept.open().write("q", "x")
    kept.spark("q", 1, 0)
    kept.open().write("r", "y")
    kept.open().remove("q")
    store = kept.open()
    assert (store.read("q"), store.has("q"), store.described()) == (None, False, ("r",))
    assert not any(store.generations("q").values())
    store.write("q", "z")
    assert kept.open().read("q") == "z" and kept.open().described() == ("q", "r")


CONTRACT = (
    nothing_is_there,
    the_newest_description_counts,
    generations_and_their_batches,
    what_is_cleared_does_not_go_on,
    what_is_removed_is_forgotten,
)
