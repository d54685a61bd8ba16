"""Topics of files in the scope of a program."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from lsqlc.bind.findings import Findings
from lsqlc.diagnostics.source import Extent
from lsqlc.scan.file_topics import opened
from lsqlc.syntax import tree
from lsqlc.types.frozen import field_names, is_frozen_data
from lsqlc.types.record import Topic


def with_files(program: tree.Program, topics: Mapping[str, Topic]) -> Mapping[str, Topic]:
    """Return the topics. Topics of files have the fields that the program reads by name (see `scan.file_topics`)."""
    read = {name.text for name in program.reads}
    of_files = [topic for name in read if (topic := topics.get(name)) is not None and topic.files]
    if not of_files:
        return topics
    selects = (*(w.select for w in program.withs), *(i.select for i in program.inserts))
    sides = (s.source for s in selects)
    sources = (x for s in sides for x in ((s.left, s.right) if isinstance(s, tree.Join) else (s,)))
    # The first part of a column's name may be a source or a facet.
    labels = {"_key", "_value", *(source.label for source in sources)}
    read_names = tuple(name for name in dict.fromkeys(_names(selects)) if name not in labels)
    return {**topics, **{topic.name: opened(topic, read_names) for topic in of_files}}


def check_table(topic: Topic, at: Extent, findings: Findings) -> bool:
    """Report a topic of files that cannot be read as a TABLE: it needs a key, and an order of the records of
    one file.
    """
    if topic.files is None or (topic.files.key and topic.files.order_by):
        return True
    missing = "key" if not topic.files.key else "order"
    declaration = {"key": "`key: column`", "order": "`order_by: column` below `files:`"}[missing]
    findings.error(
        "LSQ442",
        f"'{topic.name}' cannot be read as a TABLE: the {missing} of its records is not declared",
        at,
        notes=("a TABLE has the newest record of each key: that of the newest file, and in it the last by `order_by`",),
        help=f"declare {declaration}, or read it as a STREAM",
    )
    return False


def _names(part: object) -> Iterator[str]:
    """Yield the names in the expressions of a part of a program, in order."""
    match part:
        case tuple():
            for each in part:
                yield from _names(each)
        case tree.Reference(parts=parts):
            yield from parts
        case tree.Hyphenated(tokens=tokens):
            yield from (token.text for token in tokens)
        case tree.Source() | tree.Join() | tree.Target():
            if isinstance(part, tree.Join):
                yield from _names(part.on)
        case _ if is_frozen_data(type(part)):
            for name in field_names(type(part)):
                yield from _names(getattr(part, name))
