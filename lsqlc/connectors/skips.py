"""Records that no query of a project reads on a target: where each lies, in words and in a note."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass

FORMAT = 1


@dataclass(frozen=True, slots=True, order=True)
class Skip:
    """A record of `topic`. `place` is its offset in `partition`; where topics have no partitions (None), it is the
    first number of its ordinal.
    """

    topic: str
    partition: int | None
    place: int

    @property
    def text(self) -> str:
        """The text for `lsqlc run --skip-record`.

        >>> Skip("orders", 2, 17).text, Skip("orders", None, 5).text
        ('orders:2:17', 'orders:5')
        """
        return ":".join((self.topic, *map(str, (() if self.partition is None else (self.partition,))), str(self.place)))

    @property
    def command(self) -> str:
        """The option that skips the record."""
        return f"lsqlc run --skip-record {self.text}"


def skip_of(text: str, *, with_partitions: bool) -> Skip | None:
    """Return the record that `text` names: TOPIC:PARTITION:OFFSET where topics have partitions, else TOPIC:ORDINAL.
    None for a text of another form.

    >>> [skip_of(text, with_partitions=True) for text in ("orders:2:17", "orders:2")]
    [Skip(topic='orders', partition=2, place=17), None]
    >>> skip_of("a:b:5", with_partitions=False)
    Skip(topic='a:b', partition=None, place=5)
    """
    topic, *numbers = text.rsplit(":", 2 if with_partitions else 1)
    if not topic or len(numbers) != (2 if with_partitions else 1):
        return None
    if not all(number.isascii() and number.isdigit() and len(number) < 19 for number in numbers):
        return None
    *partition, place = map(int, numbers)
    return Skip(topic, partition[0] if partition else None, place)


def skips_text(skips: Iterable[Skip]) -> str:
    """Return the note of these records."""
    data = [{"topic": each.topic, "partition": each.partition, "place": each.place} for each in sorted(set(skips))]
    return json.dumps({"format": FORMAT, "skips": data})


def skips_of(text: str) -> tuple[Skip, ...]:
    """Return the records that `skips_text` wrote. Raises ValueError for the note of another release."""
    try:
        note = json.loads(text)
        if note["format"] != FORMAT:
            raise ValueError(f"its format is {note['format']}")
        return tuple(Skip(each["topic"], each["partition"], each["place"]) for each in note["skips"])
    except (TypeError, KeyError) as error:
        raise ValueError(f"it is not a note of lsqlc: {error}") from None
