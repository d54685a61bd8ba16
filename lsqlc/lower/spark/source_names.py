"""The names of a query's sources, by which a checkpoint stores the offsets of each.

Spark numbers the sources of a query, so that an added or removed one shifts the offsets of the others. From 4.2 on they
can have names, of letters, digits and `_`. A name is made of the topics that a source reads. So
the same source has the same name in each version of a program.

Queries that read files have no such names: the code that lists their files on the server uses the numbers of the
sources.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from lsqlc.lower.spark.steps import FileSource, Source, Stage
from lsqlc.lower.spark.versions import Version

# Sources of earlier versions have no names.
SINCE: Version = (4, 2)
# A name is that of a folder too.
_LONGEST = 120


def nameable(stage: Stage, server: Version) -> bool:
    """Return True if the sources of a stage have names on a server of that version."""
    return server >= SINCE and not any(isinstance(step, FileSource) for step in stage.steps)


def with_names(stage: Stage) -> Stage:
    """Return the stage with the names of its sources."""
    names = iter(source_names([", ".join(source.topics) for source in stage.sources]))
    steps = (replace(step, name=next(names)) if isinstance(step, Source) else step for step in stage.steps)
    return replace(stage, steps=tuple(steps))


def source_names(sources: Sequence[str]) -> tuple[str, ...]:
    """Return the name of each source, made of the topics that it reads, in the form of `Parts.sources`.

    A further source of the same topics has a number.

    >>> source_names(["rides", "a-b, a_b", "rides"])
    ('rides', 'a_x2db_x2c_x20a__b', 'rides_2')
    """
    count: Counter[str] = Counter()
    names = []
    for source in sources:
        name = _name(source)
        count[name] += 1
        names.append(name if count[name] == 1 else f"{name}_{count[name]}")
    return tuple(names)


def _name(source: str) -> str:
    """Return a unique name for each text: a single `_` is always followed by a letter `x`, or precedes a number."""
    name = "".join(_written(character) for character in source)
    if len(name) <= _LONGEST:
        return name
    return f"{name[: _LONGEST // 2]}_h{hashlib.sha256(source.encode('utf-8', 'surrogatepass')).hexdigest()[:32]}"


def _written(character: str) -> str:
    if character == "_":
        return "__"
    if character.isascii() and character.isalnum():
        return character
    return "".join(f"_x{byte:02x}" for byte in character.encode("utf-8", "surrogatepass"))
