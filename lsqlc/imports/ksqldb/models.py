"""Conversion of ksqlDB statements to models: one per stream or table that queries write, with the sources it reads.

A model declares the topics that it reads, so that it compiles and runs without other models. CREATE ... AS SELECT and
all INSERT INTO of one stream stay in one model.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from lsqlc.imports.ksqldb.sources import LeftOut, Sources, read_by
from lsqlc.imports.ksqldb.statements import Statement, defined
from lsqlc.syntax.ksql import tree as ksql


@dataclass(frozen=True, slots=True)
class ModelText:
    """The text of a model.

    `origins`: the positions of its statements. `reads`: the streams and tables that it declares.
    """

    name: str
    text: str
    origins: tuple[str, ...]
    reads: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Models:
    """The models in the order of their first statement, and the statements without a model."""

    models: tuple[ModelText, ...]
    left_out: tuple[LeftOut, ...]


@dataclass(frozen=True, slots=True)
class _Part:
    comment: str
    variables: Mapping[str, str]
    text: str


def models_of(sources: Sources) -> Models:
    """Return the models of a program."""
    groups = dict(_groups(sources))
    names = _file_names(groups)
    values, unread = _test_data(sources, groups)
    commented: set[str] = set()
    models = []
    for target, statements in groups.items():
        reads = _reads(target, statements)
        declarations = {name: declared for name in reads if (declared := sources.declaration(name)) is not None}
        parts = [_declared(name, text, sources, commented) for name, text in declarations.items()]
        commented.update(declarations)
        parts += [_Part(s.comment, s.variables, s.text) for s in (*statements, *values.get(target, ()))]
        origins = tuple(s.origin for s in statements)
        models.append(ModelText(names[target], _text(parts), origins, tuple(declarations)))
    return Models(tuple(models), (*sources.left_out, *unread))


def _groups(sources: Sources) -> Iterator[tuple[str, tuple[Statement, ...]]]:
    """Yield the statements that write each stream or table, by its name; other statements by a unique name."""
    for name, statement in sources.created.items():
        inserts = tuple(sources.inserts.get(name, ()))
        if isinstance(statement.parsed, ksql.CreateSource):
            if inserts:
                yield name, inserts
        else:
            yield name, (statement, *inserts)
    for name, others in sources.inserts.items():
        if name not in sources.created:
            yield name, tuple(others)
    for number, statement in enumerate(sources.others, 1):
        # No stream has a name with a dot.
        yield f"{statement.name or 'statement'}.{number}", (statement,)


def _reads(target: str, statements: Iterable[Statement]) -> tuple[str, ...]:
    """Return the streams and tables that a model must declare, in order of use: its sources, and a target that it does
    not create.
    """
    created = {s.name for s in statements if isinstance(s.parsed, ksql.CreateAs)}
    names: dict[str, None] = {}
    for statement in statements:
        for name in read_by(statement):
            names.setdefault(name)
        if isinstance(statement.parsed, ksql.InsertSelect):
            names.setdefault(target)
    return tuple(name for name in names if name not in created)


def _declared(name: str, text: str, sources: Sources, commented: set[str]) -> _Part:
    """Return a declaration. The first declaration of a stream keeps the comment of its statement."""
    statement = sources.created.get(name)
    if statement is None or not text.endswith(statement.text):
        # The text was generated.
        return _Part("", {}, text)
    return _Part(statement.comment if name not in commented else "", statement.variables, statement.text)


def _text(parts: Iterable[_Part]) -> str:
    """Return the text of a model. Variables are defined before their first use."""
    values: dict[str, str] = {}
    texts = []
    for part in parts:
        new = {name: value for name, value in part.variables.items() if values.get(name.upper()) != value}
        values |= {name.upper(): value for name, value in new.items()}
        texts.append("\n".join(text for text in (part.comment, defined(new).rstrip("\n"), part.text) if text))
    return "\n\n".join(texts) + "\n"


def _test_data(
    sources: Sources, groups: Mapping[str, tuple[Statement, ...]]
) -> tuple[Mapping[str, list[Statement]], list[LeftOut]]:
    """Return INSERT INTO ... VALUES by the first model that reads the stream, and those whose stream no model reads."""
    by_reader: dict[str, list[Statement]] = {}
    unread = []
    for statement in sources.values:
        readers = (t for t, group in groups.items() if any(statement.name in read_by(s) for s in group))
        reader = next(readers, None)
        if reader is None:
            unread.append(LeftOut(statement, f"test data of '{statement.name}', which no query reads (LSQ830)"))
        else:
            by_reader.setdefault(reader, []).append(statement)
    return by_reader, unread


def _file_names(targets: Iterable[str]) -> Mapping[str, str]:
    """Return a file name for each model, in lower case: letters, digits and `_`."""
    names: dict[str, str] = {}
    for target in targets:
        stem = re.sub(r"\W", "_", target.rpartition(".")[0] or target).lower() or "model"
        name, number = stem, 1
        while name in names.values():
            number += 1
            name = f"{stem}_{number}"
        names[target] = name
    return names
