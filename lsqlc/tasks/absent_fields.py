"""Declared fields that the newest records of a topic do not have: where names differ, each row has a null, silently."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from lsqlc.connectors.bad_records import read_of
from lsqlc.connectors.transport import Transport
from lsqlc.diagnostics import Diagnostic, LsqlcError, Severity, did_you_mean, listing
from lsqlc.formats.catalogue import is_plain_json
from lsqlc.formats.json.any_case import foldable
from lsqlc.plan.plan import Plan
from lsqlc.types.data import Struct
from lsqlc.types.record import Topic

SAMPLE = 100
"""How many of the newest records of each partition are looked at."""
# With fewer records a field that is seldom there is perhaps only not among them.
_FEW = 20
# How many of the names that records have are shown.
_SHOWN = 8
_OBJECT = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode


def absent_fields(log: Transport, plans: Iterable[Plan], output_topics: Iterable[str]) -> Iterator[Diagnostic]:
    """LSQ881 for each topic of JSON of which the models read fields that none of its newest records has. Topics that
    models of the project write (`written`) are not looked at, and neither are files. A topic that cannot be read is
    left to its queries.
    """
    own = set(output_topics)
    read: dict[str, tuple[Topic, set[str]]] = {}
    for plan in plans:
        for name, topic in read_of(plan).items():
            if name not in own and topic.files is None and is_plain_json(topic.value.format):
                fields = topic.value.type.fields if isinstance(topic.value.type, Struct) else ()
                _, names = read.setdefault(name, (topic, set()))
                names |= {field.name for field in fields}
    for _, (topic, names) in sorted(read.items()):
        if names and (finding := _finding(topic, names, log)) is not None:
            yield finding


def _finding(topic: Topic, names: set[str], log: Transport) -> Diagnostic | None:
    try:
        members = [set(value) for text in log.newest_values(topic.name, SAMPLE) if (value := _object(text)) is not None]
    except LsqlcError:
        return None
    there = set[str]().union(*members)
    if topic.ksql_json:
        there |= {each.upper() for each in there}.intersection(foldable(names))
    absent, lower = sorted(names - there), {each.lower() for each in there}
    in_other_case = [name for name in absent if name.lower() in lower]
    unmatched = absent if len(members) >= _FEW else in_other_case
    if not unmatched:
        return None
    fields = "field" if len(unmatched) == 1 else "fields"
    return Diagnostic(
        "LSQ881",
        f"none of the newest {len(members)} records of '{topic.name}' has the {fields} {listing(unmatched)}",
        notes=(f"they have {listing(there, _SHOWN) or 'no fields'}",),
        help=did_you_mean(unmatched[0], sorted(there)) or f"declare the names that the records of '{topic.name}' have",
        severity=Severity.WARNING,
    )


def _object(text: bytes) -> dict[str, Any] | None:
    """Return the members of an object; None for any other text."""
    try:
        return _OBJECT(text)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
