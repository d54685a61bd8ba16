"""From a ksqlDB program and the topics of its project to a plan.

Statements are bound in order: each CREATE adds a stream or table to the scope of later statements. Later queries of the
same program read the result of a query from the query itself. Several queries may write one STREAM, one a TABLE.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from msgspec import structs

from lsqlc.bind.error_policy import check_dead_letters, check_default, with_default
from lsqlc.bind.findings import Findings
from lsqlc.bind.ksql.bare_select import refuse_bare
from lsqlc.bind.ksql.create_as import derived, fits_kind, time_of, with_time
from lsqlc.bind.ksql.create_source import Named, Source, declare, facet_of, formats_of
from lsqlc.bind.ksql.declared_again import declaration
from lsqlc.bind.ksql.formats import DEFAULT_KEY
from lsqlc.bind.ksql.insert_values import inserted
from lsqlc.bind.ksql.properties import properties
from lsqlc.bind.ksql.settings import SKIP_SETTING, program_settings, schema_names
from lsqlc.bind.ksql.shared_topics import (
    differ_in_delimiter,
    inserted_node,
    matches_key,
    read_of,
    selected,
    shared_topics,
)
from lsqlc.bind.ksql.writers import Read, bind_writers, check_reads, fitted, reads_of
from lsqlc.bind.limits import MAX_DEPTH, MAX_WRITERS
from lsqlc.bind.own_function import OwnFunctions
from lsqlc.bind.storage import unwritable
from lsqlc.bind.trace import Trace, TracedSource
from lsqlc.diagnostics import did_you_mean, listing, order
from lsqlc.diagnostics.source import Extent
from lsqlc.formats.subjects import Subject
from lsqlc.plan.nodes import Node, Reinterpret, Scan, Sink, scans
from lsqlc.plan.passes import optimise
from lsqlc.plan.plan import Compiled, Plan
from lsqlc.plan.policies import passing_over, read_policy
from lsqlc.scan.file_topics import opened
from lsqlc.syntax.ksql import tree as ksql
from lsqlc.syntax.ksql.text import name_text
from lsqlc.types.error_policy import UNSET, ErrorPolicy
from lsqlc.types.record import ABSENT, Record, Topic


@dataclass(slots=True)
class _Draft:
    """The results of the statements so far.

    `shared`: topics that several statements declare. `writers`: the stream or table that was written last, by topic of
    `sinks`. `broken`: names whose statement has errors, so that references to them are not reported.
    """

    shared: Mapping[str, Topic]
    sources: dict[str, Source] = field(default_factory=dict)
    topics: dict[str, Topic] = field(default_factory=dict)
    sinks: dict[str, Sink] = field(default_factory=dict)
    writers: dict[str, Source] = field(default_factory=dict)
    broken: set[str] = field(default_factory=set)
    depth: dict[str, int] = field(default_factory=dict)
    reads: list[Read] = field(default_factory=list)
    inserts: list[tuple[ksql.InsertValues, Record]] = field(default_factory=list)


def compile_ksql(
    program: ksql.Program,
    topics: Mapping[str, Topic],
    *,
    name: str,
    subjects: Mapping[str, Subject] | None = None,
    trace: Trace | None = None,
    functions: OwnFunctions | None = None,
    errors: ErrorPolicy = UNSET,
) -> Compiled:
    """Bind a program. `topics`: the project's declarations of topics; `name`: the plan's.

    `subjects`: those of the schema registry in the lock file. `trace` is filled with the meaning of words. `errors`:
    the policy for bad records if the program sets none.
    """
    findings = Findings(program.source, trace=trace, functions=functions or {})
    own = program_settings(program, findings)
    settings = with_default(own, errors)
    draft = _Draft(shared_topics(program, topics, subjects or {}))
    for statement in program.statements:
        if isinstance(statement, ksql.CreateSource | ksql.CreateAs) and _exists(statement, draft, findings):
            continue
        match statement:
            case ksql.CreateSource():
                _create(statement, topics, subjects or {}, draft, findings)
            case ksql.CreateAs():
                _create_as(statement, topics, draft, findings)
            case ksql.InsertSelect():
                _insert(statement, draft, findings)
            case ksql.InsertValues():
                _values(statement, draft, findings)
            case ksql.BareSelect():
                refuse_bare(statement, draft.sources, findings)
    if trace is not None:
        for source in draft.sources.values():
            trace.sources[source.name] = TracedSource(source.node, source.columns(source.name))
            trace.declarations[source.name] = declaration(source)
    check_reads(draft.reads, draft.sources, draft.sinks, findings)
    top = (0, min(len(program.source.text), 1))
    check_default(own, errors, top, findings)
    check_dead_letters(settings, draft.topics, draft.sinks, topics, top, findings)
    if not findings.has_errors and not draft.sinks:
        findings.error(
            "LSQ105", "this program writes nothing", top,
            notes=("a program has one or more CREATE STREAM AS SELECT, CREATE TABLE AS SELECT or INSERT INTO",),
            help="add a statement such as: CREATE STREAM target AS SELECT * FROM source;",
        )  # fmt: skip
    names = schema_names(draft.sources.values(), draft.writers, findings)
    sinks = tuple(draft.sinks.values())
    inserts = _inserts(draft, sinks, findings) if not findings.has_errors else ()
    plan = None
    if not findings.has_errors:
        of_ksqldb = tuple(structs.replace(sink, topic=replace(sink.topic, ksql_json=True)) for sink in sinks)
        sinks = passing_over(of_ksqldb, read_policy(settings))
        plan = Plan(name, sinks, tuple(sorted({**settings, **names}.items())), inserts, skip_setting=SKIP_SETTING)
    return Compiled(plan, order(findings.found))


def _exists(statement: ksql.CreateSource | ksql.CreateAs, draft: _Draft, findings: Findings) -> bool:
    """Return whether CREATE has no effect, because a stream or table of that name exists."""
    name = statement.name.text
    if name not in draft.sources or statement.exists == "replace":
        # The query that it replaces no longer writes.
        old = draft.sources.get(name)
        if old is not None and isinstance(statement, ksql.CreateAs) and not old.declared:
            sink = draft.sinks.pop(old.topic, None)
            if sink is not None and len(sink.inputs) > 1:
                findings.error("LSQ386", f"'{name}' is replaced here, and several statements write its topic",
                               statement.name.at, help="write the stream once, before each INSERT INTO")  # fmt: skip
        return False
    if statement.exists == "fail":
        findings.error("LSQ381", f"'{name}' is created twice", statement.name.at,
                       help=f"write CREATE OR REPLACE {statement.kind} {name_text(name)}, or another name")  # fmt: skip
    return True


def _create(
    statement: ksql.CreateSource,
    topics: Mapping[str, Topic],
    subjects: Mapping[str, Subject],
    draft: _Draft,
    findings: Findings,
) -> None:
    writer = draft.writers.get(ksql.topic_of(statement))
    # A format with schemas has the columns of the query that writes the topic.
    visible = {**topics, writer.topic: _columns_of(writer, statement)} if writer is not None else topics
    declared = declare(statement, visible, subjects, findings)
    name = statement.name.text
    if declared is None:
        draft.broken.add(name)
        return
    source, topic, with_properties = declared
    if topic.name in draft.sinks:
        _create_over(statement, source, draft, findings)
        return
    project_topic = topics.get(topic.name) or draft.shared.get(topic.name)
    if project_topic is not None:
        matched = _known(source, topic, project_topic, statement, findings)
        if matched is None:
            draft.broken.add(name)
            return
        source, topic = matched
    other = draft.topics.get(topic.name)
    if other and (other.key, other.value, other.window_size) != (topic.key, topic.value, topic.window_size):
        findings.error("LSQ378", f"the topic '{topic.name}' is declared twice, with different columns",
                       statement.name.at,
                       help="give a column one type, and the topic one key and one format")  # fmt: skip
        draft.broken.add(name)
        return
    draft.topics[topic.name] = topic
    time = time_of(source.columns(name), with_properties, findings)
    draft.sources[name] = replace(source, node=with_time(source.node, time))
    draft.broken.discard(name)
    draft.depth[name] = 1


def _columns_of(writer: Source, statement: ksql.CreateSource) -> Topic:
    """Return the topic of a query of the program, as records without the bounds of windows.

    A facet that the statement reads in another format is absent.
    """
    key, value = facet_of(replace(writer, window=None))
    formats = formats_of({p.name.text: p for p in statement.properties}, DEFAULT_KEY, None)
    same = formats[0] == writer.key_format, formats[1] == writer.value_format
    return Topic(writer.topic, key if same[0] else ABSENT, value if same[1] else ABSENT)


def _create_over(statement: ksql.CreateSource, source: Source, draft: _Draft, findings: Findings) -> None:
    """Declare a stream or table over a topic that a query of the program writes: it reads the result of the query."""
    writer = draft.writers[source.topic]
    same_kind = writer.kind == source.kind
    if not source.keys and not same_kind:
        # The changes of a TABLE are by its keys, which the stream does not have.
        read = selected(replace(writer, node=Reinterpret(writer.node, source.kind)), source)
    else:
        read = selected(writer, source)
        read = Reinterpret(read, source.kind) if read is not None and not same_kind else read
    if read is None or not matches_key(writer, source):
        findings.error(
            "LSQ328", f"'{source.name}' does not match the topic '{source.topic}'", statement.name.at,
            notes=(f"'{writer.name}' writes {_columns(writer.keys, writer.values)}",
                   f"here: {_columns(source.keys, source.values)}"),
            help="declare columns that it writes",
        )  # fmt: skip
        draft.broken.add(source.name)
        return
    if source.value_format != writer.value_format:
        findings.error(
            "LSQ354", f"'{source.name}' reads the topic '{source.topic}' as {source.value_format}", statement.name.at,
            notes=(f"'{writer.name}' writes it as {writer.value_format}",),
            help=f"declare it with VALUE_FORMAT = '{writer.value_format}'",
        )  # fmt: skip
        draft.broken.add(source.name)
        return
    for which, declared, stored in zip(("key", "value"), facet_of(source), facet_of(writer), strict=True):
        if differ_in_delimiter(declared, stored):
            findings.error(
                "LSQ328", f"'{source.name}' has another delimiter than the {which} of the topic '{source.topic}'",
                statement.name.at, notes=(f"'{writer.name}' writes {stored.format}, here: {declared.format}",),
                help=f"write the {which.upper()}_DELIMITER that '{writer.name}' has",
            )  # fmt: skip
            draft.broken.add(source.name)
            return
    if writer.others and not same_kind:
        findings.error("LSQ386", f"'{source.topic}' is read as a {source.kind} here, and several statements write it",
                       statement.name.at, notes=("the rows of a table must come from one query, or from a topic",),
                       help="read it in another model, which declares its topic")  # fmt: skip
        draft.broken.add(source.name)
        return
    others = tuple(other for each in writer.others if (other := selected(replace(writer, node=each), source)))
    draft.sources[source.name] = replace(source, node=read, declared=False, writers=writer.writers, others=others)
    draft.depth[source.name] = draft.depth.get(writer.name, 0) + 1


def _known(
    source: Source, topic: Topic, project_topic: Topic, statement: ksql.CreateSource, findings: Findings
) -> tuple[Source, Topic] | None:
    """Return the source over a topic that the project, or another statement, declares too.

    Its columns must match the topic's. None after an error.
    """
    columns = statement.columns or ()
    if source.values and not any(column.role is None for column in columns):
        # They are those of the project's topic, which may declare NOT NULL, unlike ksqlDB.
        topic = replace(topic, value=project_topic.value)
    if source.keys and not any(column.role for column in columns):
        topic = replace(topic, key=project_topic.key)
    matched = read_of(source, topic, project_topic)
    if matched is None or (
        project_topic.files and (matched.values != source.values or str(topic.value) != str(project_topic.value))
    ):
        findings.error(
            "LSQ328", f"'{source.name}' does not match the topic '{topic.name}'", statement.name.at,
            notes=(f"declared: key {project_topic.key}, value {project_topic.value}",
                   f"here: key {topic.key}, value {topic.value}"),
            help="change the columns, or the declaration of the topic",
        )  # fmt: skip
        return None
    whole = next(iter(scans(matched.node))).topic
    # A number of files uses a column of their paths, which is not among the columns here.
    read = opened(whole, ())
    if read.files and source.headers:
        findings.error("LSQ387", f"'{source.name}' cannot have columns of headers", statement.name.at,
                       notes=(f"the topic '{topic.name}' consists of files, whose records have no headers",),
                       help="remove the columns of headers")  # fmt: skip
        return None
    if read.files:
        node = Scan(read, source.name, source.kind, read.key, read.value, headers=source.headers)
        return replace(matched, node=node), whole
    return matched, whole


def _create_as(statement: ksql.CreateAs, topics: Mapping[str, Topic], draft: _Draft, findings: Findings) -> None:
    name = statement.name.text
    with_properties = properties(statement.properties, findings, of_query=True)
    if _follows_from_broken(statement.query, draft) or _too_deep(statement.query, name, draft, findings):
        draft.broken.add(name)
        return
    draft.reads += reads_of(statement.query, draft.sources)
    bound = bind_writers(statement.query, name, draft.sources, findings)
    if bound is None or not fits_kind(statement, bound[0], findings):
        draft.broken.add(name)
        return
    result, others = bound
    before = findings.error_count
    source = derived(statement, result, with_properties, findings)
    if findings.error_count > before:
        draft.broken.add(name)
        return
    if source.topic in draft.topics:
        findings.error("LSQ376", f"'{source.name}' writes the topic '{source.topic}', which this program declares",
                       statement.name.at, help="write another topic, or use INSERT INTO")  # fmt: skip
        return
    time = time_of(source.columns(name), with_properties, findings)
    node, *others_with_time = (with_time(node, time) for node in (source.node, *others))
    writer = draft.writers.get(source.topic) if source.topic in draft.sinks else None
    if writer is not None:
        _share(replace(source, node=node, others=tuple(others_with_time)), writer, statement, draft, findings)
        return
    _write(replace(source, node=node, others=tuple(others_with_time)), statement.name.at, topics, draft, findings)


def _follows_from_broken(query: ksql.Query, draft: _Draft) -> bool:
    return any(s.name.text in draft.broken for s in query.sources)


def _too_deep(query: ksql.Query, name: str, draft: _Draft, findings: Findings) -> bool:
    depth = len(query.joins) + 1 + max((draft.depth.get(s.name.text, 0) for s in query.sources), default=0)
    draft.depth[name] = depth
    if depth <= MAX_DEPTH:
        return False
    findings.error("LSQ345", f"this query depends on too many others: {depth} deep", query.source.name.at,
                   help="continue from there in another model")  # fmt: skip
    return True


def _write(source: Source, at: Extent, topics: Mapping[str, Topic], draft: _Draft, findings: Findings) -> None:
    nodes = (source.node, *source.others)
    width = max(node.ordinal_width for node in nodes)
    key, value = facet_of(source)
    project_topic = topics.get(source.topic)
    topic = Topic(source.topic, key, value, partitions=source.partitions, ordinal_width=width)
    foreign = unwritable(project_topic)
    if foreign is not None:
        findings.error(foreign.code, foreign.message, at, help=foreign.help)
        draft.broken.add(source.name)
        return
    if project_topic is not None:
        if (str(project_topic.key.type), str(project_topic.value.type)) != (str(key.type), str(value.type)):
            findings.error(
                "LSQ328", f"the result does not match the topic '{source.topic}'", at,
                notes=(f"declared: key {project_topic.key}, value {project_topic.value}",
                       f"result: key {key}, value {value}"),
                help="change the projection, or the declaration",
            )  # fmt: skip
            draft.broken.add(source.name)
            return
        topic = replace(project_topic, key=key, value=value, ordinal_width=width)
    if findings.trace is not None:
        # A statement that replaces another one is the only writer.
        findings.trace.results[source.topic] = list(nodes)
    draft.sinks[source.topic] = Sink(tuple(map(optimise, nodes)), topic)
    draft.sources[source.name] = draft.writers[source.topic] = replace(source, writers=len(nodes))
    draft.broken.discard(source.name)


def _insert(statement: ksql.InsertSelect, draft: _Draft, findings: Findings) -> None:
    target = draft.sources.get(statement.target.text)
    name = statement.target.text
    if name in draft.broken or _follows_from_broken(statement.query, draft):
        return
    if target is None:
        help = did_you_mean(name, draft.sources) or f"known are {listing(draft.sources)}"
        findings.error("LSQ200", f"unknown stream '{name}'", statement.target.at, help=help)
        return
    if target.kind == "TABLE":
        message = f"the target of INSERT INTO must be a STREAM, and '{name}' is a TABLE"
        findings.error("LSQ366", message, statement.target.at,
                       notes=("a table is only written by the query that creates it",),
                       help="use CREATE TABLE ... AS SELECT")  # fmt: skip
        return
    if target.read_only:
        findings.error("LSQ367", f"the stream '{name}' is read-only", statement.target.at,
                       help="declare it without SOURCE")  # fmt: skip
        return
    if target.headers:
        names = listing(header.name for header in target.headers)
        findings.error("LSQ391", f"the stream '{name}' has columns of headers, which a query cannot write",
                       statement.target.at, notes=(f"its columns of headers are {names}",),
                       help="write a stream without such columns over the same topic")  # fmt: skip
        return
    foreign = unwritable(draft.topics.get(target.topic))
    if foreign is not None:
        findings.error(foreign.code, foreign.message, statement.target.at, help=foreign.help)
        return
    draft.reads += reads_of(statement.query, draft.sources)
    bound = bind_writers(statement.query, name, draft.sources, findings)
    if bound is None:
        return
    result, others = bound
    if result.kind != "STREAM":
        message = f"the target of INSERT INTO is a STREAM, and the result of this query is a {result.kind}"
        findings.error("LSQ366", message, statement.query.at, help="use CREATE TABLE ... AS SELECT")  # fmt: skip
        return
    nodes = [fitted(node, result.values, target.values) for node in (result.node, *others)]
    fit = [node for node in nodes if node is not None]
    if result.keys != target.keys or len(fit) < len(nodes):
        findings.error(
            "LSQ328", f"the result does not match the stream '{name}'", statement.query.items_at,
            notes=(f"'{name}' has {_columns(target.keys, target.values)}",
                   f"the query has {_columns(result.keys, result.values)}"),
            help="project the same columns, in the same order and of the same types",
        )  # fmt: skip
        return
    _add_writers(target, fit, statement.target.at, draft, findings)


def _columns(keys: tuple[Named, ...], values: tuple[Named, ...]) -> str:
    return ", ".join([*(f"{k.name} {k.type} KEY" for k in keys), *(f"{v.name} {v.type}" for v in values)])


def _share(source: Source, writer: Source, statement: ksql.CreateAs, draft: _Draft, findings: Findings) -> None:
    """Declare a stream over a topic that another statement writes too: each reads the records of all its writers."""
    if "TABLE" in (source.kind, writer.kind):
        findings.error("LSQ329", f"the topic '{source.topic}' is written by another statement", statement.name.at,
                       help="write another topic")  # fmt: skip
        draft.broken.add(source.name)
        return
    same = (source.keys, source.values, source.window, source.key_format, source.value_format)
    if (writer.keys, writer.values, writer.window, writer.key_format, writer.value_format) != same:
        findings.error(
            "LSQ328", f"'{source.name}' does not match the topic '{source.topic}'", statement.name.at,
            notes=(f"'{writer.name}' writes {_columns(writer.keys, writer.values)}",
                   f"here: {_columns(source.keys, source.values)}"),
            help="project the same columns, in the same order, types and formats, or write another topic",
        )  # fmt: skip
        draft.broken.add(source.name)
        return
    nodes = (source.node, *source.others)
    _add_writers(writer, nodes, statement.name.at, draft, findings)
    draft.sources[source.name] = draft.writers[source.topic] = replace(draft.writers[source.topic], name=source.name)
    draft.broken.discard(source.name)


def _add_writers(target: Source, nodes: Sequence[Node], at: Extent, draft: _Draft, findings: Findings) -> None:
    """Add the results of queries to the topic of a stream, and to the input of each stream over this topic.

    The first writer defines the columns of the topic.
    """
    first = draft.writers.get(target.topic, target) if target.topic in draft.sinks else target
    added_nodes = [inserted_node(node, target, first) for node in nodes]
    width = max(node.ordinal_width for node in nodes)
    sink = draft.sinks.get(target.topic)
    if findings.trace is not None:
        findings.trace.written(target.topic, added_nodes)
    if sink is None:
        key, value = facet_of(target)
        topic = Topic(target.topic, key, value, partitions=target.partitions, ordinal_width=width)
        draft.sinks[target.topic] = Sink(tuple(map(optimise, added_nodes)), topic)
    else:
        topic = replace(sink.topic, ordinal_width=max(sink.topic.ordinal_width, width))
        before = len(sink.inputs)
        draft.sinks[target.topic] = Sink((*sink.inputs, *map(optimise, added_nodes)), topic)
        if before <= MAX_WRITERS < before + len(nodes):
            findings.error("LSQ386", f"the topic '{target.topic}' has more than {MAX_WRITERS} writers", at,
                           help="write several streams, and merge them in another model")  # fmt: skip
    for each in [s for s in draft.sources.values() if s.topic == target.topic]:
        if not each.declared and each.kind != target.kind:
            findings.error("LSQ386", f"'{each.topic}' is read as a {each.kind} by '{each.name}', and several statements"
                           " write it", at, notes=("the rows of a table must come from one query, or from a topic",),
                           help="read it in another model, which declares its topic")  # fmt: skip
        draft.sources[each.name] = _with_writers(each, target, nodes)
    draft.writers[target.topic] = _with_writers(first, target, nodes)


def _with_writers(source: Source, target: Source, nodes: Sequence[Node]) -> Source:
    """Return a stream that also reads the rows that queries insert into `target`, over the same topic."""
    others = source.others
    if not source.declared:
        others = (*others, *(inserted_node(node, target, source) for node in nodes))
    return replace(source, writers=source.writers + len(nodes), others=others)


def _values(statement: ksql.InsertValues, draft: _Draft, findings: Findings) -> None:
    """Add a record of INSERT INTO ... VALUES. It is test data, and not a part of the plan's meaning."""
    name = statement.target.text
    target = draft.sources.get(name)
    if target is None:
        if name not in draft.broken:
            near = did_you_mean(name, draft.sources) or f"known are {listing(draft.sources)}"
            findings.error("LSQ200", f"unknown stream or table '{name}'", statement.target.at, help=near)
    elif target.read_only:
        findings.error("LSQ367", f"the {target.kind.lower()} '{name}' is read-only", statement.target.at,
                       help="declare it without SOURCE")  # fmt: skip
    elif target.window is not None:
        findings.error("LSQ361", f"'{name}' is windowed, and INSERT INTO ... VALUES cannot write windows",
                       statement.target.at, help="put the record into a golden case")  # fmt: skip
    else:
        record = inserted(statement, target, findings)
        if record is not None:
            draft.inserts.append((statement, record))


def _inserts(draft: _Draft, sinks: tuple[Sink, ...], findings: Findings) -> tuple[Record, ...]:
    """Return the records for topics that queries read and none writes; warn of the others."""
    read = {s.topic.name for sink in sinks for node in sink.inputs for s in scans(node)}
    records = []
    for statement, record in draft.inserts:
        name = statement.target.text
        if record.topic in draft.sinks or record.topic not in read:
            why = "a query writes that topic" if record.topic in draft.sinks else "no query of the program reads it"
            findings.warn("LSQ830", f"this record of '{name}' is skipped: {why}", statement.at,
                          notes=("the records of a program are test data for the sources of its queries",),
                          help="insert it into a source of the query, or remove it")  # fmt: skip
        else:
            records.append(record)
    return tuple(records)
