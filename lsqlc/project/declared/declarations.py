"""Declarations in `models/**/*.yml`: topics, sources (named groups of topics) and descriptions of models."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

import msgspec

from lsqlc.connectors import declared_names
from lsqlc.diagnostics import Diagnostic, Span, did_you_mean, listing
from lsqlc.dialects import DialectName
from lsqlc.project.declared.alerting import AlertChanges, AlertsFile, read_alerts
from lsqlc.project.declared.column_notes import ColumnNote, read_notes
from lsqlc.project.declared.config import DeadLettersKey, Defaults, Nullability, PolicyKey, duration, read_errors
from lsqlc.project.declared.data_tests import ColumnFile, DataTest, read_tests
from lsqlc.project.declared.delta_topics import DeltaTopicFile, delta_topic
from lsqlc.project.declared.event_times import event_time_fault
from lsqlc.project.declared.facets import FacetError, facet_of, intervals_of, key_of
from lsqlc.project.declared.file_topics import FilesFile, file_topic
from lsqlc.project.declared.lock import Lock
from lsqlc.project.declared.registered import RegisteredFacet, Registration
from lsqlc.project.declared.schema_files import NO_FILES, ReadableFiles
from lsqlc.project.declared.starts import HistoryFile, Start, read_start
from lsqlc.project.declared.tables import TableDeclaration, TableFile, read_tables
from lsqlc.scan.paths import within
from lsqlc.tables.delta.source import DeltaSource
from lsqlc.types.error_policy import UNSET, ErrorPolicy
from lsqlc.types.latency import Latency
from lsqlc.types.record import ABSENT, Facet, Topic
from lsqlc.yaml.decode import Decoder
from lsqlc.yaml.described import POSITIVE, described, reference
from lsqlc.yaml.nodes import KeyPath, path_text, read_yaml

TOPIC_NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,248}")
_NO_LOCK = Lock({})


@dataclass(frozen=True, slots=True)
class Seed:
    """The source of a topic's sample records: a file of the project, or one inside an installed Python package.

    `key`: the columns of the key. `timestamp`: the column with the record's time. `null`: texts that mean null.
    `segments`: the number of files to write, None for the loader's choice. `file`: for a topic of files, the name of a
    row's file, in which `{column}` is replaced by a cell. `lines`: whether JSON lines are values or whole records.
    """

    path: str
    span: Span
    package: str | None = None
    key: tuple[str, ...] = ()
    timestamp: str | None = None
    null: tuple[str, ...] = ()
    segments: int | None = None
    file: str | None = None
    lines: Literal["records", "values"] = "values"


@dataclass(frozen=True, slots=True)
class TopicDeclaration:
    """A declared topic with the position of its name, its seed, and its source.

    `start`: where new queries begin to read it, None for the model's setting. `tables`: those that follow it. `delta`:
    the Delta table with its records.
    """

    topic: Topic
    span: Span
    seed: Seed | None = None
    source: str | None = None
    tests: tuple[DataTest, ...] = ()
    columns: tuple[ColumnNote, ...] = ()
    start: Start | None = None
    tables: tuple[TableDeclaration, ...] = ()
    delta: DeltaSource | None = None


@dataclass(frozen=True, slots=True)
class ModelDeclaration:
    """The description of a model in YAML. None: not set. `start`: where its queries begin to read STREAMs."""

    name: str
    span: Span
    description: str | None = None
    owner: str | None = None
    tags: tuple[str, ...] = ()
    nullability: str | None = None
    dialect: str | None = None
    files_per_batch: int | None = None
    latency: Latency | None = None
    alerts: AlertChanges = ()
    tests: tuple[DataTest, ...] = ()
    columns: tuple[ColumnNote, ...] = ()
    start: Start | None = None
    errors: ErrorPolicy = UNSET
    tables: tuple[TableDeclaration, ...] = ()


@dataclass(frozen=True, slots=True)
class Declarations:
    """The declarations of one file.

    `broken`: names of topics with errors. `unlocked`: topics whose columns must be inferred, because the lock file does
    not have them. `registered`: the facets with a subject in a schema registry, whether or not the lock file has it.
    """

    topics: tuple[TopicDeclaration, ...] = ()
    unlocked: tuple[TopicDeclaration, ...] = ()
    models: tuple[ModelDeclaration, ...] = ()
    sources: tuple[str, ...] = ()
    broken: frozenset[str] = frozenset()
    diagnostics: tuple[Diagnostic, ...] = ()
    registered: tuple[RegisteredFacet, ...] = ()


class SeedFile(msgspec.Struct, frozen=True, kw_only=True):
    path: Annotated[str, described("A CSV file with a header, or JSON lines; plain, .gz or .zip.")]
    package: Annotated[str | None, described("The installed package that holds the file.")] = None
    key: Annotated[str | list[str], described("The column that makes the key.")] = []
    timestamp: Annotated[str | None, described("The column with the record's time.")] = None
    null: Annotated[str | list[str], described("A text that stands for null, beside the empty one.")] = []
    segments: Annotated[int | None, described("Into how many files the records are cut.", POSITIVE)] = None
    file: Annotated[
        str | None, described("Of a topic of files: the file that a row goes into, {column} standing for its cell.")
    ] = None
    lines: Annotated[
        Literal["records", "values"] | None,
        described("Whether lines of JSON are the values of records, or whole records."),
    ] = None


class TopicFile(msgspec.Struct, frozen=True, kw_only=True):
    name: Annotated[str, described("The topic's name.", {"pattern": "^[A-Za-z0-9_-][A-Za-z0-9._-]{0,248}$"})]
    key: Annotated[
        Any,
        described(
            "As `value`; of files and Delta tables the column that makes the key, or a list of columns.",
            {"anyOf": [reference("facet"), {"type": "array", "items": {"type": "string"}}]},
        ),
    ] = None
    value: Annotated[
        Any,
        described(
            "A type (`INT`), columns (`id INT, name STRING`), the path of a schema file, or format and schema.",
            reference("facet"),
        ),
    ] = None
    event_time: Annotated[
        str | None,
        described("A field of the value that is the record's time: LONG (epoch milliseconds), DATE or TIMESTAMP."),
    ] = None
    partitions: Annotated[int | None, described("How many partitions it has.", POSITIVE)] = None
    connector: Annotated[str, described("What holds its records.", {"enum": list(declared_names())})] = "embedded"
    files: Annotated[FilesFile | None, described("The files that hold a topic's records.")] = None
    delta: Annotated[DeltaTopicFile | None, described("The Delta table that holds a topic's records.")] = None
    start: Annotated[
        str | HistoryFile | None,
        described(
            "Where new queries begin to read the topic: a time, `30d` before they start, `earliest` or "
            "`latest`; or a history, a topic of files that has the records before a time."
        ),
    ] = None
    description: Annotated[str | None, described("What a record is.")] = None
    tags: Annotated[str | list[str], described("Tags, for `tag:` in selections.")] = []
    seed: Annotated[SeedFile | None, described("Where sample records come from.")] = None
    tests: Annotated[
        list[Any], described("What must hold for the records, as `lsqlc check` tests.", reference("tests"))
    ] = []
    columns: Annotated[list[ColumnFile], described("Descriptions of columns.")] = []
    tables: Annotated[list[TableFile], described("Tables in lakes and databases that follow the topic.")] = []


class SourceFile(msgspec.Struct, frozen=True, kw_only=True):
    name: Annotated[str, described("The group's name.")]
    description: Annotated[str | None, described("What it is.")] = None
    tags: Annotated[str | list[str], described("Tags of all its topics.")] = []
    topics: Annotated[
        Any,
        described(
            "Topics with their schemas.", {"anyOf": [{"type": "null"}, {"type": "array", "items": reference("topic")}]}
        ),
    ] = None


class ModelConfig(msgspec.Struct, frozen=True, kw_only=True):
    tags: Annotated[str | list[str], described("Tags, for `tag:` in selections.")] = []
    nullability: Annotated[Nullability | None, described("Whether operands that may be null are refused.")] = None
    dialect: Annotated[DialectName | None, described("The language of the model.")] = None
    files_per_batch: Annotated[
        int | None,
        described(
            "How many files make a batch of its queries, where `run` does not say; by default 128 MB of them.", POSITIVE
        ),
    ] = None
    latency: Annotated[
        Latency | None,
        described("Whether records are written batch by batch, or each as it comes, in `run --continuous` over Kafka."),
    ] = None
    start: Annotated[
        str | None,
        described(
            "Where new queries of the model begin to read STREAMs, where `run --from` does not say: a time, "
            "`30d`, `earliest` or `latest`."
        ),
    ] = None
    error_policy: PolicyKey = None
    dead_letters: DeadLettersKey = None


class ModelFile(msgspec.Struct, frozen=True, kw_only=True):
    name: Annotated[str, described("The model's name: that of its file.")]
    description: Annotated[str | None, described("What it gives.")] = None
    owner: Annotated[str | None, described("Who answers for it.")] = None
    tags: Annotated[str | list[str], described("Tags, for `tag:` in selections.")] = []
    config: Annotated[ModelConfig, described("Settings of the model.")] = ModelConfig()
    alerts: Annotated[AlertsFile, described("When `lsqlc docs alerts` has a running model reported.")] = AlertsFile()
    tests: Annotated[
        list[Any], described("What must hold for the records, as `lsqlc check` tests.", reference("tests"))
    ] = []
    columns: Annotated[list[ColumnFile], described("Descriptions of columns.")] = []
    tables: Annotated[
        list[TableFile], described("Tables in lakes and databases that follow the topic which the model writes.")
    ] = []


@dataclass(frozen=True, slots=True)
class _Context:
    """The arguments for reading the declarations of one file."""

    decoder: Decoder
    defaults: Defaults
    files: ReadableFiles
    lock: Lock
    unlocked: list[TopicDeclaration]
    registered: list[RegisteredFacet]


def read_declarations(
    text: str, path: str, defaults: Defaults, files: ReadableFiles = NO_FILES, lock: Lock = _NO_LOCK
) -> Declarations:
    """Parse the declarations of one file. Invalid ones are reported and left out.

    `files`: the schema files that it can refer to. `lock`: the columns of files without a declared schema.
    """
    document = read_yaml(text, path)
    if document.diagnostics or document.data is None:
        return Declarations(diagnostics=document.diagnostics)
    decoder = Decoder(document)
    root = document.data
    if not isinstance(root, dict):
        decoder.wrong((), "expected a mapping with 'topics', 'sources' or 'models'")
        return Declarations(diagnostics=tuple(decoder.diagnostics))
    decoder.unknown((), root, ("topics", "sources", "models", "version"))
    context = _Context(decoder, defaults, files, lock, [], [])
    topics, broken = _topics(context, ("topics",), root.get("topics"))
    sources = decoder.structs(("sources",), SourceFile, root.get("sources"))
    for key_path, source in sources:
        inner, also = _topics(context, (*key_path, "topics"), source.topics)
        tags = _several(source.tags)
        topics += [
            replace(d, source=source.name, topic=replace(d.topic, tags=tuple(dict.fromkeys((*tags, *d.topic.tags)))))
            for d in inner
        ]
        broken |= also
    models = decoder.structs(("models",), ModelFile, root.get("models"))
    return Declarations(
        tuple(topics),
        tuple(context.unlocked),
        tuple(_model(decoder, key_path, model) for key_path, model in models),
        tuple(source.name for _, source in sources),
        frozenset(broken),
        tuple(decoder.diagnostics),
        tuple(context.registered),
    )


def _topics(context: _Context, key_path: KeyPath, items: Any) -> tuple[list[TopicDeclaration], set[str]]:
    decoder = context.decoder
    topics: list[TopicDeclaration] = []
    broken: set[str] = set()
    for where, _ in enumerate(items) if isinstance(items, list) else ():
        at = (*key_path, where)
        before = len(decoder.diagnostics)
        file = decoder.struct(at, TopicFile, items[where])
        declaration = _topic(context, at, file) if file else None
        # A topic with an error is left out and its readers are skipped, so that the error is reported once.
        if declaration and len(decoder.diagnostics) == before:
            if (declaration.topic.files or declaration.delta) and declaration.topic.value.is_absent:
                context.unlocked.append(declaration)
                broken.add(declaration.topic.name)
            else:
                topics.append(declaration)
        elif isinstance(items[where], dict) and isinstance(items[where].get("name"), str):
            broken.add(items[where]["name"])
    if items is not None and not isinstance(items, list):
        decoder.wrong(key_path, "expected a list of topics")
    return topics, broken


def _check_connector(decoder: Decoder, key_path: KeyPath, connector: str) -> None:
    names = declared_names()
    if connector not in names:
        help = did_you_mean(connector, names) or f"choose one of {listing(names)}"
        decoder.wrong(key_path, f"'{connector}' is not one of {listing(names)}", help=help)


def _check_members(decoder: Decoder, key_path: KeyPath, file: TopicFile, *, in_files: bool) -> None:
    """Report the keys that a topic of files, or any other one, does not have."""
    if file.files is not None and not in_files:
        message, help = "'files' is only for a topic of files", "add `connector: files`"
        decoder.wrong((*key_path, "files"), message, help=help)
    if file.start is not None and in_files:
        message, help = "'start' is not for a topic of files", "leave it out, and filter by WHERE"
        decoder.wrong((*key_path, "start"), message, help=help)
    in_delta = file.connector == "delta"
    if file.delta is not None and not in_delta:
        message, help = "'delta' is only for a topic of a Delta table", "add `connector: delta`"
        decoder.wrong((*key_path, "delta"), message, help=help)
    if file.seed is not None and in_delta:
        message, help = "'seed' is not for a topic of a Delta table", "leave it out: the table has the records"
        decoder.wrong((*key_path, "seed"), message, help=help)
    elif file.seed is not None:
        _check_seed(decoder, (*key_path, "seed"), file.seed, file.files if in_files else None)


def _check_numbers(decoder: Decoder, key_path: KeyPath, file: TopicFile) -> None:
    """Report numbers of partitions and segments below 1."""
    for name, number in (("partitions", file.partitions), ("segments", file.seed.segments if file.seed else None)):
        if number is not None and number < 1:
            where = (*key_path, name) if name == "partitions" else (*key_path, "seed", name)
            decoder.wrong(where, f"{number} is not a valid number of {name}", help="give 1 or more")


def _topic(context: _Context, key_path: KeyPath, file: TopicFile) -> TopicDeclaration:
    decoder = context.decoder
    span = decoder.document.span((*key_path, "name"))
    if not TOPIC_NAME.fullmatch(file.name) or file.name == ".":
        help = "a topic's name consists of letters, digits, '_', '-' and '.'"
        decoder.wrong((*key_path, "name"), f"'{file.name}' is not a valid name of a topic", help=help)
    _check_connector(decoder, (*key_path, "connector"), file.connector)
    in_files, in_delta = file.connector == "files", file.connector == "delta"
    key = None if in_files or in_delta else _facet(context, (*key_path, "key"), file.key, file.name)
    value = _facet(context, (*key_path, "value"), file.value, file.name)
    _check_members(decoder, key_path, file, in_files=in_files)
    if key is not None and value is not None and key.is_absent and value.is_absent:
        help = "add `value: id INT, name STRING`"
        decoder.report("LSQ017", f"the topic '{file.name}' has neither key nor value", span, help=help)
    _check_numbers(decoder, key_path, file)
    topic = Topic(
        file.name,
        key or ABSENT,
        value or ABSENT,
        event_time=file.event_time,
        partitions=file.partitions if file.partitions is not None else context.defaults.partitions,
        connector=file.connector,
        description=file.description,
        tags=_several(file.tags),
        intervals=intervals_of(file.value),
    )
    if in_files:
        topic = file_topic(decoder, key_path, topic, file.files, file.key, context.lock)
    delta = None
    if in_delta:
        topic, delta = delta_topic(decoder, key_path, topic, file.delta, file.key, context.lock)
    is_unknown = (in_files or in_delta) and topic.value.is_absent
    if file.event_time is not None and value is not None and not is_unknown:
        _check_event_time(decoder, (*key_path, "event_time"), file.event_time, topic.value)
    seed = _seed(decoder, (*key_path, "seed"), file.seed) if file.seed else None
    tests = read_tests(decoder, key_path, file.tests, file.columns, duration)
    start = read_start(decoder, (*key_path, "start"), file.start)
    columns = read_notes(decoder, key_path, file.columns)
    if file.tables and in_files:
        message, help = "'tables' is not for a topic of files", "write the rows by a model, and declare its tables"
        decoder.wrong((*key_path, "tables"), message, help=help)
    tables = read_tables(decoder, key_path, file.tables)
    return TopicDeclaration(topic, span, seed, tests=tests, columns=columns, start=start, tables=tables, delta=delta)


def _facet(context: _Context, key_path: KeyPath, value: Any, topic: str) -> Facet | None:
    decoder = context.decoder
    try:
        registration = Registration(topic, str(key_path[-1]), context.lock.subjects, context.registered)
        read = key_of if key_path[-1] == "key" else facet_of
        return read(value, context.files, registration)
    except FacetError as error:
        if error.diagnostics:
            decoder.diagnostics += error.diagnostics
            return None
        member = (error.member,) if isinstance(error.member, str) else error.member or ()
        where = (*key_path, *member)
        if error.code == "LSQ006":
            span = decoder.document.key_span(where)
        elif error.offset is None:
            span = decoder.document.span(where)
        else:
            span = decoder.document.locate(where, error.offset, error.length)
        decoder.report(error.code, str(error), span, help=error.help)
        return None


def _check_event_time(decoder: Decoder, key_path: KeyPath, path: str, value: Facet) -> None:
    if fault := event_time_fault(path, value):
        message, help = fault
        decoder.report("LSQ016", message, decoder.document.span(key_path), help=help)


def _check_seed(decoder: Decoder, key_path: KeyPath, seed: SeedFile, files: FilesFile | None) -> None:
    """Report keys of a seed that embedded topics or topics of files do not have."""
    if files is None:
        if seed.file is not None:
            decoder.wrong((*key_path, "file"), "'file' is only for a topic of files", help="leave it out")
        if seed.lines is not None and seed.path.removesuffix(".gz").endswith(".csv"):
            decoder.wrong((*key_path, "lines"), "'lines' is only for files of JSON lines", help="leave it out")
        for name in ("key", "timestamp", "null") if seed.lines == "records" else ():
            if getattr(seed, name) not in (None, []):
                help = "leave it out: a record has its key and its time as members"
                decoder.wrong((*key_path, name), f"'{name}' is not for lines that are records", help=help)
        return
    if files.format != "csv" or not files.header:
        decoder.wrong(
            key_path, "only csv files with a header can be seeded", help="copy the files into the topic's folder"
        )
    for name in ("key", "timestamp", "null", "segments", "lines"):
        if getattr(seed, name) not in (None, []):
            help = "declare it for the topic: rows are written unchanged"
            decoder.wrong((*key_path, name), f"'{name}' is not for a topic of files", help=help)
    if seed.file is None:
        help = "give the name of the file for a row: `file: '{month}.csv'`"
        decoder.report(
            "LSQ017", f"the key 'file' is missing @ {path_text(key_path)}", decoder.document.span(key_path), help=help
        )


def _seed(decoder: Decoder, key_path: KeyPath, file: SeedFile) -> Seed:
    span = decoder.document.span((*key_path, "path"))
    if not file.path or not within(file.path):
        where = f"the package '{file.package}'" if file.package else "the project"
        decoder.report("LSQ009", f"'{file.path}' leads out of {where}", span, help="give a path below it")
    if file.package is not None and not file.package.isidentifier():
        decoder.wrong(
            (*key_path, "package"), f"'{file.package}' is not a valid name of a package", help="give its import name"
        )
    return Seed(
        file.path,
        span,
        file.package,
        key=_several(file.key),
        timestamp=file.timestamp,
        null=_several(file.null),
        segments=file.segments,
        file=file.file,
        lines=file.lines or "values",
    )


def _model(decoder: Decoder, key_path: KeyPath, file: ModelFile) -> ModelDeclaration:
    files = file.config.files_per_batch
    if files is not None and files < 1:
        where = (*key_path, "config", "files_per_batch")
        decoder.wrong(where, f"{files} is not a valid number of files", help="give 1 or more")
    return ModelDeclaration(
        file.name,
        decoder.document.span((*key_path, "name")),
        file.description,
        file.owner,
        tuple(dict.fromkeys((*_several(file.tags), *_several(file.config.tags)))),
        file.config.nullability,
        file.config.dialect,
        files,
        file.config.latency,
        read_alerts(decoder, (*key_path, "alerts"), file.alerts, duration),
        read_tests(decoder, key_path, file.tests, file.columns, duration),
        read_notes(decoder, key_path, file.columns),
        read_start(decoder, (*key_path, "config", "start"), file.config.start),
        read_errors(decoder, (*key_path, "config"), file.config.error_policy, file.config.dead_letters),
        read_tables(decoder, key_path, file.tables),
    )


def _several(value: str | Sequence[str]) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value)
