"""A project of processors of Lenses: each is a model, and the topics that they read are declared by their schemas."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from lsqlc.diagnostics import Diagnostic, LsqlcError, Span
from lsqlc.dialects import dialect
from lsqlc.formats.catalogue import named, primitives
from lsqlc.formats.windows import windowed
from lsqlc.imports.imported import REPORT, Imported, ImportedModel, ImportedTopic
from lsqlc.imports.lenses.exported import LensesExport, LensesTopic, Processor
from lsqlc.imports.topics_yaml import quoted_text
from lsqlc.project.build.compile import Compilation
from lsqlc.project.files import read_file
from lsqlc.report.import_report import import_markdown
from lsqlc.tasks.import_models import compiled, compiled_models
from lsqlc.tasks.new_files import check_free, project_name, write_project
from lsqlc.tasks.scaffold import shared_files

_TOPICS = "models/topics.yml"
_HEAD = "# yaml-language-server: $schema=../.schemas/models.json\n"


@dataclass(frozen=True, slots=True)
class _Declared:
    """Lines of YAML for a topic, and the schema files that they name, by path."""

    lines: tuple[str, ...]
    files: Mapping[str, str]
    note: str = ""


def import_lenses(source: str, given: LensesExport, folder: str, topics: Path | None) -> Imported:
    """Write the project into a folder. `topics`: a file of topics, which is used instead of what is exported.

    Raises LsqlcError LSQ060 if a file would be overwritten, and LSQ001 and others for what is wrong in `topics`: then
    none is written.
    """
    name = project_name(folder)
    config = f"name: {name}\n# yaml-language-server: $schema=.schemas/project.json\ndialect: lenses\n"
    files = {**shared_files(name), "lsqlc.yml": config}
    check_free(folder, {**files, _TOPICS: "", REPORT: ""})
    models = _models(given.processors)
    read = _read(models)
    notes: list[str] = []
    problems: list[Diagnostic] = []
    if topics is not None:
        files[_TOPICS] = _text(topics)
        if broken := [d for d in compiled(files).diagnostics if d.is_error]:
            raise LsqlcError(replace(d, span=_at(d.span, topics)) for d in broken)
    else:
        declared = []
        for each in map(given.topic, read):
            found, said = _declared(each, files)
            declared += [found] if found else []
            problems += said
        files |= _topics_files(declared)
        notes += [d.note for d in declared if d.note]
    judged, compilation = compiled_models(models, files)
    rows = _rows(given, judged, compilation, read)
    done = Imported("Lenses", source, judged, rows, (), tuple(problems), tuple(notes))
    files |= {m.path: m.text for m in judged}
    write_project(folder, {**files, REPORT: import_markdown(done)})
    return done


def _models(processors: Sequence[Processor]) -> list[ImportedModel]:
    found: list[ImportedModel] = []
    for processor in processors:
        stem = re.sub(r"\W+", "_", processor.name).strip("_").lower() or "processor"
        name, number = stem, 1
        while any(m.name == name for m in found):
            number += 1
            name = f"{stem}_{number}"
        about = f"-- Processor {processor.name!r}" + (f", {processor.about}" if processor.about else "") + ".\n"
        text = " ".join(about.split("\n")).rstrip() + "\n" + processor.sql.strip() + "\n"
        found.append(ImportedModel(name, f"models/{name}.sql", text, (f"{processor.origin}:1",), ()))
    return found


def _read(models: Sequence[ImportedModel]) -> tuple[str, ...]:
    """The topics that processors read and none writes."""
    programs = [dialect("lenses").readable(m.text, m.path) for m in models]
    written = {name.text for program in programs for name in program.writes}
    read = {name.text for program in programs for name in program.reads}
    return tuple(sorted(read - written))


def _declared(topic: LensesTopic, files: Mapping[str, str]) -> tuple[_Declared | None, list[Diagnostic]]:
    """The declaration of a topic, and what is wrong with its schemas; None where they are not known or wrong."""
    drafted = _drafted(topic)
    if drafted is None:
        help = "export schemas and topics too, or declare it in a file of topics: --topics topics.yml"
        return None, [Diagnostic("LSQ536", f"the schema of the topic '{topic.name}' is not known", help=help)]
    said = [d for d in compiled({**files, **_topics_files([drafted])}).diagnostics if d.is_error]
    return (None if said else drafted), said


def _drafted(topic: LensesTopic) -> _Declared | None:
    lines, files = [f"  - name: {quoted_text(topic.name)}"], {}
    for facet, type, schema in (
        ("key", topic.key_type, topic.key_schema),
        ("value", topic.value_type, topic.value_schema),
    ):
        window = windowed(type)
        format = named(window[1] if window else type)
        if format in primitives():
            lines.append(f"    {facet}: {{format: {quoted_text(type)}}}")
        elif format is not None and schema:
            path = f"schemas/{topic.name}-{facet}.avsc"
            files[path] = schema.rstrip() + "\n"
            lines.append(f"    {facet}: {{format: {quoted_text(type)}, schema: {quoted_text(path)}}}")
        elif facet == "key" and not type:
            lines.append("    key: STRING")
        else:
            return None
    lines += [f"    partitions: {topic.partitions}"] if topic.partitions else []
    note = f"The key of `{topic.name}` is taken for a STRING, since the export does not have its type."
    return _Declared(tuple(lines), files, "" if topic.key_type else note)


def _at(span: Span | None, path: Path) -> Span | None:
    """A place in the project's file of topics as one in the file that it was copied from."""
    return replace(span, path=path.as_posix()) if span is not None and span.path == _TOPICS else span


def _topics_files(declared: Sequence[_Declared]) -> dict[str, str]:
    """`models/topics.yml`, if it has a topic, and the schemas that it names."""
    if not declared:
        return {}
    text = _HEAD + "topics:\n" + "".join(line + "\n" for d in declared for line in d.lines)
    return {_TOPICS: text, **{path: schema for d in declared for path, schema in d.files.items()}}


def _rows(
    given: LensesExport, models: Sequence[ImportedModel], compilation: Compilation | None, read: Sequence[str]
) -> tuple[ImportedTopic, ...]:
    made = dict(compilation.topics) if compilation is not None else {}
    writers = {topic: m.path for m in models for topic in m.writes}
    found = []
    for name in sorted({*made, *read}):
        told, topic = given.topic(name), made.get(name)
        formats = f"{topic.key.format}, {topic.value.format}" if topic else "not known"
        partitions = told.partitions or (topic.partitions if topic else None)
        found.append(ImportedTopic(name, formats, partitions, told.replicas, writers.get(name)))
    return tuple(found)


def _text(path: Path) -> str:
    read = read_file(path, path.as_posix())
    if read.text is None:
        raise LsqlcError(read.diagnostics)
    return read.text
