"""A project of what ksqlDB exports: scripts, the answers of a server, or what its command line prints."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from lsqlc.bind.ksql.shared_topics import union
from lsqlc.diagnostics import Diagnostic, LsqlcError, errors
from lsqlc.imports.imported import REPORT, Imported, ImportedModel, ImportedTopic, Omitted
from lsqlc.imports.ksqldb import client, console, entities
from lsqlc.imports.ksqldb.exported import Described, Exported
from lsqlc.imports.ksqldb.models import ModelText, models_of
from lsqlc.imports.ksqldb.project_file import ksql_config, policy_of, sets_policy
from lsqlc.imports.ksqldb.sources import Sources, sources_of
from lsqlc.imports.ksqldb.statements import Cut, Script, Statement, cut
from lsqlc.imports.topics_yaml import DeclaredTopic, can_declare, topics_yaml
from lsqlc.project.build.compile import Compilation
from lsqlc.project.files import read_file
from lsqlc.report.import_report import import_markdown
from lsqlc.syntax.ksql import tree as ksql
from lsqlc.tasks.import_models import compiled, compiled_models
from lsqlc.tasks.new_files import check_free, project_name, write_project
from lsqlc.tasks.scaffold import shared_files
from lsqlc.types.digits import integer
from lsqlc.types.record import Topic

_SCRIPTS = (".sql", ".ksql")
_TOPICS = "models/topics.yml"


@dataclass(frozen=True, slots=True)
class Given:
    """What is imported. `described`: what a server says of streams and tables, by name."""

    source: str
    scripts: tuple[Script, ...]
    described: tuple[Described, ...] = ()


def read_ksqldb(source: str, *, login: str | None = None) -> Given:
    """What a file, a folder of scripts or the address of a server has. `login`: see `client.ask`.

    Raises LsqlcError LSQ001 for what cannot be read, LSQ530 for what has no statements, LSQ531 and LSQ532 for a server.
    """
    if client.is_address(source):
        return _of_export(source, entities.exported(client.ask(source, login)))
    path = Path(source)
    if path.is_dir():
        found = sorted(p for p in path.rglob("*") if p.suffix.lower() in _SCRIPTS and p.is_file())
        if not found:
            raise _nothing(source, "the folder has no file that ends in .sql or .ksql")
        return Given(source, tuple(Script(p.relative_to(path).as_posix(), _text(p)) for p in found))
    text = _text(path)
    if entities.looks_like_json(text):
        try:
            return _of_export(source, entities.exported(entities.documents(text)))
        except ValueError as error:
            raise _nothing(source, f"it is not JSON: {error}") from None
    if console.looks_printed(text):
        return _of_export(source, console.exported(text))
    return Given(source, (Script(path.name, text),))


def import_ksqldb(given: Given, folder: str, variables: Mapping[str, str]) -> Imported:
    """Write the project into a folder. `variables`: values of those that scripts do not define, by name.

    Raises LsqlcError LSQ060 if a file would be overwritten, and LSQ530 if there is nothing to import: then none is
    written.
    """
    name = project_name(folder)
    read = cut(given.scripts, variables)
    files = {**shared_files(name), "lsqlc.yml": ksql_config(name, policy_of(read.settings))}
    check_free(folder, {**files, _TOPICS: "", REPORT: ""})
    if not read.statements:
        raise (
            LsqlcError(errors(read.diagnostics)) if read.diagnostics else _nothing(given.source, "it has no statement")
        )
    sources = sources_of(read.statements, {d.name: d.declaration for d in given.described if d.declaration})
    drafted = models_of(sources)
    models, compilation = compiled_models([_model(m) for m in drafted.models], files)
    models = _explained(models)
    topics = _topics(sources, compilation)
    files |= _declared(topics, {**files, **{m.path: m.text for m in models if m.is_supported}})
    omitted = (*(_omitted(o.statement, o.why) for o in drafted.left_out), *map(_setting, read.settings))
    rows = _rows(topics, given, read, models, compilation)
    done = Imported("ksqlDB", given.source, models, rows, omitted, read.diagnostics, _notes(read))
    files |= {m.path: m.text for m in models}
    write_project(folder, {**files, REPORT: import_markdown(done)})
    return done


def _of_export(source: str, found: Exported) -> Given:
    if not found.scripts:
        help = "it is made by LIST STREAMS EXTENDED; LIST TABLES EXTENDED; LIST QUERIES EXTENDED;"
        raise _nothing(source, "it does not describe a stream or a table with its statement", help)
    return Given(source, found.scripts, found.described)


def _nothing(source: str, why: str, help: str = "") -> LsqlcError:
    help = help or "name a script, a folder of scripts, the answer to LIST STREAMS EXTENDED, or the address of a server"
    return LsqlcError([Diagnostic("LSQ530", f"'{source}' has nothing of ksqlDB to import", notes=(why,), help=help)])


def _text(path: Path) -> str:
    read = read_file(path, path.as_posix())
    if read.text is None:
        raise LsqlcError(read.diagnostics)
    return read.text


def _model(model: ModelText) -> ImportedModel:
    return ImportedModel(model.name, f"models/{model.name}.sql", model.text, model.origins, model.reads)


def _topics(sources: Sources, compilation: Compilation | None) -> Mapping[str, tuple[Topic, str]]:
    """The topics that no model writes, by name, with the comment of the statement that declares each."""
    written = set(compilation.graph.writers) if compilation is not None else set()
    declared: dict[str, list[Topic]] = {}
    comments: dict[str, str] = {}
    for name, statement in sources.created.items():
        topic = sources.topic(name) if isinstance(statement.parsed, ksql.CreateSource) else None
        if topic is not None and topic.name not in written:
            declared.setdefault(topic.name, []).append(topic)
            comments.setdefault(topic.name, _words_of(statement.comment))
    # Of declarations that contradict each other the models have each their own.
    return {name: (union(topics) or topics[0], comments[name]) for name, topics in declared.items()}


def _words_of(comment: str) -> str:
    """A comment without its marks, on one line."""
    lines = (line.strip().removeprefix("--").removeprefix("/*").removesuffix("*/") for line in comment.split("\n"))
    return " ".join(" ".join(lines).split())


def _declared(topics: Mapping[str, tuple[Topic, str]], files: Mapping[str, str]) -> Mapping[str, str]:
    """`models/topics.yml` with the topics that it can declare so that all models still compile."""
    kept = {name: DeclaredTopic(*given) for name, given in topics.items() if can_declare(given[0])}
    while kept:
        text = topics_yaml(kept.values())
        compilation = compiled({**files, _TOPICS: text})
        if compilation.ok:
            return {_TOPICS: text}
        # A stream over the same topic has other columns: its model declares them.
        named = {n for n in kept for d in errors(compilation.diagnostics) if f"'{n}'" in d.message}
        if not named:
            break
        kept = {name: given for name, given in kept.items() if name not in named}
    return {}


def _rows(
    topics: Mapping[str, tuple[Topic, str]],
    given: Given,
    read: Cut,
    models: Iterable[ImportedModel],
    compilation: Compilation | None,
) -> tuple[ImportedTopic, ...]:
    made = dict(compilation.topics) if compilation is not None else {}
    writers = {topic: m.path for m in models for topic in m.writes}
    counts = {d.topic: (d.partitions, d.replicas) for d in given.described}
    for statement in read.statements:
        if isinstance(statement.parsed, ksql.CreateSource | ksql.CreateAs):
            counts.setdefault(ksql.topic_of(statement.parsed), _counts(statement.parsed))
    found = []
    for name, topic in sorted({**{n: t for n, (t, _) in topics.items()}, **made}.items()):
        partitions, replicas = counts.get(name, (None, None))
        formats = f"{topic.key.format}, {topic.value.format}"
        found.append(ImportedTopic(name, formats, partitions or topic.partitions, replicas, writers.get(name)))
    return tuple(found)


def _counts(statement: ksql.CreateSource | ksql.CreateAs) -> tuple[int | None, int | None]:
    """Partitions and replicas, as WITH says."""
    texts = {p.name.text: p.text for p in statement.properties}
    partitions, replicas = (texts.get(name, "") for name in ("PARTITIONS", "REPLICAS"))
    return integer(partitions) if partitions.isdecimal() else None, integer(replicas) if replicas.isdecimal() else None


def _explained(models: Sequence[ImportedModel]) -> tuple[ImportedModel, ...]:
    """The models; one that reads what another one would make, which is not supported, says so."""
    files = {f"'{m.name.upper()}'": m.path for m in models if not m.is_supported}

    def explained(said: Diagnostic) -> Diagnostic:
        file = next((path for name, path in files.items() if said.code == "LSQ200" and name in said.message), None)
        if file is None:
            return said
        return replace(said, notes=(f"its query is not supported either: {file}",), help="correct that one first")

    return tuple(m if m.is_supported else replace(m, diagnostics=tuple(map(explained, m.diagnostics))) for m in models)


def _omitted(statement: Statement, why: str) -> Omitted:
    return Omitted(statement.origin, statement.shown, why)


def _setting(statement: Statement) -> Omitted:
    if sets_policy(statement):
        return _omitted(statement, "it is `error_policy` in lsqlc.yml, of the last such statement")
    return _omitted(statement, "it configures a server or its clients, and has no effect on Spark (LSQ803)")


def _notes(read: Cut) -> tuple[str, ...]:
    used = {name for statement in read.statements for name in statement.variables}
    if not used:
        return ()
    return ("Variables are defined in each model that uses them: `DEFINE name = 'value';`.",)
