"""The names of a query's sources, by which a checkpoint keeps the place of each.

Spark counts the sources of a query, so that one that comes or goes shifts the places of the others. From 4.2 on they
can have names, of letters, digits and `_`. A name is made of the topics that a source reads, so that the same source
has the same name in each version of a program.

Not of queries that read files: what looks at their files on the server goes by the numbers of the sources.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from lsqlc.lower.spark.steps import FileSource, Source, Stage
from lsqlc.lower.spark.versions import Version

# Before that a source has no name.
SINCE: Version = (4, 2)
# A name is that of a folder too.
_LONGEST = 120


def nameable(stage: Stage, server: Version) -> bool:
    """Whether the sources of a stage have names on a server of that version."""
    return server >= SINCE and not any(isinstance(step, FileSource) for step in stage.steps)


def with_names(stage: Stage) -> Stage:
    """The stage whose sources have their names."""
    names = iter(source_names([", ".join(source.topics) for source in stage.sources]))
    steps = (replace(step, name=next(names)) if isinstance(step, Source) else step for step in stage.steps)
    return replace(stage, steps=tuple(steps))


def source_names(sources: Sequence[str]) -> tuple[str, ...]:
    """The name of each source, of the topics that it reads, as `Parts.sources` has them. What reads the same topics
    again has a number.

    >>> source_names(["rides", "a-b, a_b", "rides"])
    ('rides', 'a_x2db_x2c_x20a__b', 'rides_2')
    """
    count: Counter[str] = Counter()
    found = []
    for source in sources:
        name = _name(source)
        count[name] += 1
        found.append(name if count[name] == 1 else f"{name}_{count[name]}")
    return tuple(found)


def _name(source: str) -> str:
    """A name of its own for each text: a single `_` is always followed by a letter `x`, or is the mark of a number."""
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
