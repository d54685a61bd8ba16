"""Subjects as the lock file keeps them: each version is a schema that needs no other one, in its one text."""

from __future__ import annotations

from collections.abc import Iterable

from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.formats.catalogue import schema_kind
from lsqlc.formats.subjects import Subject, SubjectVersion
from lsqlc.registry.registry import RegisteredSchema, Registry

_MAX_REFERENCES = 200


def pulled(
    registry: Registry, required: Iterable[str], optional: Iterable[str]
) -> tuple[dict[str, Subject], tuple[Diagnostic, ...]]:
    """The subjects by name, and what is wrong with some (LSQ714, LSQ719). `optional` ones are left out where the
    registry does not have them. Raises LsqlcError where the registry itself does not answer.
    """
    there = set(registry.subjects())
    needed = dict.fromkeys(required)
    found: dict[str, Subject] = {}
    problems: list[Diagnostic] = []
    for name in [*needed, *(other for other in optional if other not in needed and other in there)]:
        try:
            found[name] = subject(registry, name)
        except LsqlcError as error:
            if any(d.code not in ("LSQ714", "LSQ719") for d in error.diagnostics):
                raise
            problems += error.diagnostics
    return found, tuple(problems)


def subject(registry: Registry, name: str) -> Subject:
    """A subject with all its versions. Raises LsqlcError as the registry does, and LSQ719 for a schema that cannot be
    kept.
    """
    versions = tuple(_version(registry, name, one) for one in registry.versions(name))
    if not versions:
        raise LsqlcError([Diagnostic("LSQ714", f"the subject '{name}' has no versions", help="register a schema")])
    return Subject(name, registry.compatibility(name), versions)


def _version(registry: Registry, name: str, schema: RegisteredSchema) -> SubjectVersion:
    try:
        return SubjectVersion(schema.id, schema.version, schema.type, kept_text(registry, schema))
    except ValueError as error:
        message = f"version {schema.version} of the subject '{name}' cannot be stored in the lock file: {error}"
        help = "declare the columns of the topic: `schema: id INT, ...`"
        raise LsqlcError([Diagnostic("LSQ719", message, help=help)]) from None


def kept_text(registry: Registry, schema: RegisteredSchema) -> str:
    """The schema in its one text. Raises ValueError for one that has none, and LsqlcError LSQ099 for one of PROTOBUF
    where its compiler is not installed.
    """
    kind = schema_kind(schema.type)
    if schema.references and (kind is None or kind.references == "none"):
        raise ValueError(f"it refers to other schemas, and is of the type {schema.type}, where that is not supported")
    if kind is None:
        return schema.text
    return kind.one_text(schema.text, _referred(registry, schema, by_name=kind.references == "by name"))


def _referred(registry: Registry, schema: RegisteredSchema, *, by_name: bool) -> dict[str, str]:
    """The schemas that a schema uses, those that they use first. `by_name`: by the names that they are used by."""
    found: dict[str, str] = {}
    open: set[tuple[str, int]] = set()

    def visit(of: RegisteredSchema) -> None:
        for reference in of.references:
            key = (reference.subject, reference.version)
            label = reference.name if by_name else f"{reference.subject} {reference.version}"
            if label in found:
                continue
            if key in open or len(open) >= _MAX_REFERENCES:
                raise ValueError("its references form a cycle, or lead to too many schemas")
            open.add(key)
            inner = registry.version(*key)
            visit(inner)
            found[label] = inner.text

    visit(schema)
    return found
