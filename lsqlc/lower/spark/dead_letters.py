"""Unreadable records of programs that skip them.

Each query of the model skips them (`Builder.source`), and one query counts them. A separate query without state writes
the dead-letter topic, and reads the same topics. So each bad record is written exactly once, however many queries of
the model read its topic.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields

from lsqlc.connectors.bad_records import NO_TIME_GIVEN, Texts, read_of
from lsqlc.formats.catalogue import is_enveloped
from lsqlc.lower.spark import files
from lsqlc.lower.spark.builder import Builder, Checks
from lsqlc.lower.spark.expressions import sql
from lsqlc.lower.spark.record_lines import written_columns
from lsqlc.lower.spark.scan_decoding import ScanDecoding, parsed_columns
from lsqlc.lower.spark.steps import Origin, Stage, Write
from lsqlc.lower.spark.validity import position, reason
from lsqlc.lower.spark.wire import records
from lsqlc.lower.spark.wire.records import Wires
from lsqlc.plan import nodes
from lsqlc.plan.event_times import untimed
from lsqlc.plan.expression import Expression
from lsqlc.plan.path_filters import any_path
from lsqlc.plan.plan import Plan
from lsqlc.sql.spark import struct, text
from lsqlc.types.record import LATEST

# The columns of a record that is not in Kafka.
_NOWHERE = (
    "CAST(NULL AS INT) AS _partition, CAST(NULL AS BIGINT) AS _offset, "
    f"CAST(NULL AS STRUCT<{', '.join(f'{field.name}: STRING' for field in fields(Texts))}>) AS _texts"
)


def checks(plan: Plan, *, cases: bool, wires: Wires | None = None) -> Checks:
    """Return the checks of a model's lines; none if its policy is to fail.

    Files are checked where they are read. In `cases` their records are lines like all others.
    """
    if plan.policy == "fail":
        return Checks()
    lines = {name: topic for name, topic in sorted(read_of(plan).items()) if cases or topic.files is None}
    reasons = {name: reason(topic, "_line") for name, topic in lines.items()}
    if wires is not None or _has_envelopes(plan, cases=cases):
        reasons = {name: records.reason("_line", otherwise) for name, otherwise in reasons.items()}
    return Checks(reasons, passes_over=True, read=lines)


def _has_envelopes(plan: Plan, *, cases: bool) -> bool:
    """Return whether lines of cases may have invalid envelopes. They contain the reason, like lines of Kafka."""
    return cases and any(is_enveloped(topic.value.format) for topic in plan.inputs)


def stages(plan: Plan, checks: Checks, *, cases: bool, wires: Wires | None = None) -> tuple[Stage, ...]:
    """Return the query that writes the dead-letter topic, if there is one."""
    topic = plan.dead_letters
    if topic is None:
        return ()
    build = Builder(cases, Checks(passes_over=True), wires=wires)
    topics = sorted(checks.reasons)
    parts = []
    read = read_of(plan)
    of_files = () if cases else tuple((t, any_path(plan.sinks, t)) for t in plan.inputs if t.files)
    if topics:
        reasons = Checks({name: reason(checks.read[name], "_line") for name in topics}).of(*topics)
        if wires is None:
            line = "_line"
            if _has_envelopes(plan, cases=cases):
                line, reasons = f"{records.unread_record('_line')} AS _line", records.reason("_line", reasons)
            checked = f"SELECT {build.lead}_topic, {line}, {_NOWHERE}, {reasons} AS _bad\nFROM {build.source(*topics)}"
        else:
            unread, texts, whole = records.letter_parts("_line")
            lines = build.add(
                "parted",
                f"SELECT _topic, {whole} AS _line, _partition, _offset, {texts} AS _texts, {unread} AS _unread\n"
                f"FROM {build.source(*topics, places=True, letters=True)}",
                "the parts of each line",
            )
            checked = (
                f"SELECT _topic, _line, _partition, _offset, _texts, coalesce(_unread, {reasons}) AS _bad\nFROM {lines}"
            )
        whole = build.add("judged", checked, "the error of each line")
        parts.append(_with_time_errors(whole, untimed(plan.sinks), build))
    for t, of_path in of_files:
        rows = files.bad_rows(t, read[t.name].value.type, build, of_path)
        parts.append(build.add("placed", f"SELECT _topic, _line, {_NOWHERE}, _bad FROM {rows}", "in no place of Kafka"))
    if len(parts) > 1:
        union = "\nUNION ALL ".join(f"SELECT * FROM {part}" for part in parts)
        build.add("judged", union, "the errors of lines and of files")
    ordinal, time = position("_line", 1), position("_line", 2)
    members = {"topic": "_topic", "ordinal": ordinal, "reason": "_bad", "record": "_line"}
    members |= {"partition": "_partition", "offset": "_offset"}
    members |= {field.name: f"_texts.{field.name}" for field in fields(Texts)} | {"model": text(plan.name)}
    build.add(
        "letters",
        f"SELECT {build.lead}coalesce({ordinal}, 0L) AS _ord, if({time} BETWEEN 0L AND {LATEST}L, {time}, 0L) AS _ts,\n"
        f"  CAST(NULL AS INT) AS k0,\n"
        f"  {struct(tuple(members.items()))} AS v0\n"
        f"FROM {build.last} WHERE _bad IS NOT NULL",
        "the source of each bad record, its error, and its content",
    )
    columns = written_columns(topic, wires, table=False, cases=cases)
    build.add("written", f"SELECT {build.lead}{columns}\nFROM {build.last}", f"the lines of {topic.name}")
    view = build.view()
    origin = Origin(
        checked=tuple(read[name] for name in (*topics, *(t.name for t, _ in of_files))),
        files=of_files,
        timeless=tuple((name, condition) for name, (_, condition) in untimed(plan.sinks).items()),
    )
    return (build.stage(f"{plan.name}.{topic.name}", Write(view, topic.name, "append", topic), origin),)


def _with_time_errors(lines: str, conditions: Mapping[str, tuple[nodes.Scan, Expression]], build: Builder) -> str:
    """Add the error of records to which a query cannot give a time.

    `lines`: the piece with the other errors; `conditions`: by topic, a scan of its records, and the condition of those
    without a time.
    """
    if not conditions:
        return lines
    columns = f"{build.lead}_topic, _line, _partition, _offset, _texts"
    decodings = [
        (ScanDecoding(scan, None, number, fails=False), f"(_bad IS NULL AND _topic = {text(name)})")
        for number, (name, (scan, _)) in enumerate(conditions.items())
    ]
    parsed = build.add(
        "parsed", f"SELECT {columns}, _bad, {parsed_columns(*decodings)}\nFROM {lines}", "the records that can be read"
    )
    times = ", ".join(decoding.time for decoding, _ in decodings)
    read = build.add(
        "records",
        f"SELECT {columns}, _bad, coalesce({times}) AS _ts,\n"
        f"  {', '.join(decoding.columns for decoding, _ in decodings)}\nFROM {parsed}",
        "one column for each facet",
    )
    whens = "".join(
        f"\n  WHEN _topic = {text(name)} AND {sql(condition, number)} THEN {text(NO_TIME_GIVEN)}"
        for number, (name, (_, condition)) in enumerate(conditions.items())
    )
    return build.add(
        "untimed",
        f"SELECT {columns}, coalesce(_bad, CASE{whens} END) AS _bad\nFROM {read}",
        "the error of each line or of the time of its record",
    )
