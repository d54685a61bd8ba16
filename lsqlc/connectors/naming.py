"""Names of topics: on disk, the folder of a topic and the files in it, and in an environment. Pure functions.

A folder's name must say which topic it is, be the same on every file system, and be no pattern for a glob.
"""

from __future__ import annotations

import re
from collections.abc import Collection

_PLAIN = re.compile(r"[A-Za-z0-9_]", re.ASCII)
_ESCAPE = re.compile(r"_x([0-9a-f]{2})")
_GENERATION = re.compile(r"[A-Za-z0-9_]{1,64}", re.ASCII)
_APPENDED = re.compile(r"\d{20}\.jsonl", re.ASCII)
# The prefix of the names of all topics that lsqlc creates for its own use.
_OWN = "_lsqlc"
# The limit of common file systems, in bytes.
_MAX_FOLDER = 255


def folder_name(topic: str) -> str | None:
    """Return the folder of a topic: letters, digits and `_` unchanged, each other byte of its UTF-8 as `_xHH`.

    An `_` that would begin such an escape is written as `_x5f`. None if the name cannot be a folder: empty, too long,
    or invalid Unicode.

    >>> folder_name("a.b-c")
    'a_x2eb_x2dc'
    """
    try:
        topic.encode()
    except UnicodeEncodeError:
        return None
    whole = "".join(
        c if _PLAIN.match(c) and not _ESCAPE.match(topic, i) else "".join(f"_x{b:02x}" for b in c.encode())
        for i, c in enumerate(topic)
    )
    return whole if 0 < len(whole) <= _MAX_FOLDER else None


def topic_name(folder: str) -> str | None:
    """Return the topic of a folder, or None if no topic has a folder with this name."""
    raw = _ESCAPE.sub(lambda m: f"\0{m[1]}", folder)
    parts = raw.split("\0")
    try:
        name = (parts[0].encode() + b"".join(bytes.fromhex(p[:2]) + p[2:].encode() for p in parts[1:])).decode()
    except ValueError:
        return None
    return name if folder_name(name) == folder else None


def appended_segment(first_ordinal: int) -> str:
    """Return the segment of appended records, named by the first ordinal, so that names sort in order."""
    return f"{first_ordinal:020d}.jsonl"


def is_appended_segment(name: str) -> bool:
    """Return whether the records in a file are in one range of ordinals, in order."""
    return _APPENDED.fullmatch(name) is not None


def batch_segment(generation: str, batch: int) -> str:
    """Return the segment of a batch of a streaming query, which is the same for a replay.

    A fresh checkpoint counts from 0 again, so it must have another generation: 1 to 64 letters, digits and `_`. Raises
    ValueError for any other.

    >>> batch_segment("g1", 7)
    'g1-000000000007.jsonl'
    """
    if not _GENERATION.fullmatch(generation):
        raise ValueError(f"a generation must be 1 to 64 letters, digits and '_', not {generation!r}")
    if not 0 <= batch < 10**12:
        raise ValueError(f"a batch must be a number from 0 of up to 12 digits, not {batch}")
    return f"{generation}-{batch:012d}.jsonl"


def first_segment(generation: str) -> str:
    """Return the segment of the rows that a streaming query writes before its first batch.

    >>> first_segment("g1")
    'g1_first-000000000000.jsonl'
    """
    return batch_segment(f"{generation}_first", 0)


def segment_number(name: str) -> tuple[str, int]:
    """Return the writer of a segment, and the segment's number among those of this writer.

    They are a generation with the number of a batch, or an empty text with the first ordinal of appended records. Any
    other file is the only one of its writer.

    >>> segment_number("g1-000000000007.jsonl"), segment_number("00000000000000000012.jsonl")
    (('g1', 7), ('', 12))
    """
    if is_appended_segment(name):
        return "", int(name.partition(".")[0])
    generation, _, number = name.removesuffix(".jsonl").rpartition("-")
    return (generation, int(number)) if generation and number.isdecimal() else (name, 0)


# 2000-01-01: a segment's modification time is this plus its last ordinal, both in milliseconds.
EPOCH_BASE_MS = 946_684_800_000


def modification_time_ns(last_ordinal: int) -> int:
    """Return the modification time of a segment, in nanoseconds.

    Spark's file source reads files in this order, so that one source over several topics reads them in the order of
    arrival.
    """
    return (EPOCH_BASE_MS + last_ordinal) * 1_000_000


def is_here(topic: str, own: Collection[str]) -> bool:
    """Return whether an environment has a topic of its own: its models write it, or lsqlc creates it in each target.

    >>> [is_here(topic, ["b"]) for topic in ("_lsqlc.sums.1", "_lsqlc.commits", "_lsqlc-replayed", "a", "b")]
    [True, True, True, False, True]
    """
    return topic in own or topic.startswith(_OWN)
