"""The records of a seed: of its file, whose lines are values or records, and of programs that insert some."""

from __future__ import annotations

from collections.abc import Iterator

from lsqlc.connectors.findings import Findings
from lsqlc.connectors.seeding import JSON_SUFFIXES, SeedSpec, opened, rows
from lsqlc.diagnostics import Diagnostic, LsqlcError, Span
from lsqlc.golden.record_lines import RecordLines, Wording, form_of, no_defaults
from lsqlc.types.data import Array, Struct
from lsqlc.types.record import Record, Topic

_WORDING = Wording(
    form="LSQ412",
    misfit="LSQ411",
    instant="LSQ411",
    values="remove `lines: records`",
    value_lines="remove `lines: records` for lines that are values",
    other="the seed is of",
    other_help="give each topic a seed of its own",
)
_JSON_HELP = "write each record on one line; `jq -c '.[]'` does that with an array, and `jq -c .` with documents"


def seed_records(spec: SeedSpec, topic: Topic, *, shown: str, as_records: bool) -> Iterator[Record]:
    """The records of a seed's file, in order. `as_records`: its lines are records, not values; `shown` is how messages
    call the file.

    Raises LsqlcError as `lsqlc.connectors.seeding.rows` does; a file whose first line has another form is one LSQ412.
    """
    _check_form(spec, topic, shown, as_records)
    return _lines(spec, topic, shown) if as_records else rows(spec, topic, displayed_path=shown)


def _lines(spec: SeedSpec, topic: Topic, shown: str) -> Iterator[Record]:
    bad = Findings()
    with opened(spec.path, shown) as (file, _):
        for number, raw in enumerate(file, 1):
            if not raw.strip():
                continue
            lines = RecordLines(shown, topic, lambda name: None, no_defaults, _WORDING)
            try:
                lines.line(number, raw.rstrip(b"\r\n").decode("utf-8"))
            except UnicodeDecodeError as error:
                message = f"the file is not UTF-8: the byte 0x{raw[error.start]:02x}"
                bad.add([Diagnostic("LSQ412", message, Span(shown, number, 1, number, 1))])
            bad.add(lines.diagnostics)
            if not bad:
                found = lines.records[0][1]
                yield Record(topic.name, found.key, found.value, found.timestamp or 0, found.headers or None)
    if bad:
        raise bad.error()


def _check_form(spec: SeedSpec, topic: Topic, shown: str, as_records: bool) -> None:
    """Refuse a file of JSON whose first line has another form than its seed says."""
    with opened(spec.path, shown) as (file, suffix):
        if suffix not in JSON_SUFFIXES:
            return
        first = next((line for line in file if line.strip()), b"").decode("utf-8", "replace")
    message = help = None
    match form_of(first):
        case "array" | "document" if as_records or not isinstance(topic.value.type, Array):
            message = "the file is a JSON document, not an object on each line"
            help = _JSON_HELP
        case "record" if not as_records and _has_no_facets(topic):
            message = "the lines of the file are records, with a key and a value"
            help = "add `lines: records` to the seed"
        case "value" if as_records and first:
            message = "the lines of the file are not records: the first has neither a key nor a value"
            help = "remove `lines: records`, and name the columns of `key` and `timestamp`"
    if message is not None:
        raise LsqlcError([Diagnostic("LSQ412", message, Span(shown, 1, 1, 1, 1), help=help)])


def _has_no_facets(topic: Topic) -> bool:
    """Whether no field of the value is called as a facet of a record."""
    type = topic.value.type
    return isinstance(type, Struct) and not any(field.name in ("key", "value") for field in type.fields)
