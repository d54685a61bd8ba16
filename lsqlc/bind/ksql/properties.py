"""The properties in WITH of ksqlDB: the statements that can have them, and those without effect here."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from lsqlc.bind.findings import Findings
from lsqlc.bind.ksql.formats import ksql_format
from lsqlc.diagnostics import did_you_mean, listing
from lsqlc.formats.catalogue import ksql_formats
from lsqlc.formats.record import PLAIN_NAME
from lsqlc.syntax.ksql import tree as ksql

PROPERTIES = (
    "KAFKA_TOPIC", "KEY_FORMAT", "VALUE_FORMAT", "FORMAT", "PARTITIONS", "REPLICAS", "TIMESTAMP", "TIMESTAMP_FORMAT",
    "WINDOW_TYPE", "WINDOW_SIZE", "RETENTION_MS", "KEY_DELIMITER", "VALUE_DELIMITER", "WRAP_SINGLE_VALUE",
    "VALUE_AVRO_SCHEMA_FULL_NAME", "KEY_SCHEMA_ID", "VALUE_SCHEMA_ID", "KEY_SCHEMA_FULL_NAME",
    "VALUE_SCHEMA_FULL_NAME", "SOURCED_BY_CONNECTOR", "KEY_PROTOBUF_NULLABLE_REPRESENTATION",
    "VALUE_PROTOBUF_NULLABLE_REPRESENTATION",
)  # fmt: skip
# Properties that a query cannot have: its window is its own, or that of its source.
_OF_SOURCES = ("WINDOW_TYPE", "WINDOW_SIZE", "SOURCED_BY_CONNECTOR")
_NUMBERS = ("PARTITIONS", "REPLICAS", "RETENTION_MS", "KEY_SCHEMA_ID", "VALUE_SCHEMA_ID")
_NEVER: Mapping[str, str] = {
    "REPLICAS": "topics are created with the `replication` of the target in profiles.yml",
    "RETENTION_MS": "topics are created with the retention of the Kafka cluster",
    "SOURCED_BY_CONNECTOR": "it only documents where the records come from",
}
Facet = Literal["KEY", "VALUE"]


@dataclass(frozen=True, slots=True)
class Storage:
    """The storage of a facet. `format`: in upper case. `columns`: whether the facet has any. `inferred`: whether they
    come from a schema registry.
    """

    facet: Facet
    format: str
    columns: bool
    inferred: bool = False


def properties(
    with_properties: tuple[ksql.Property, ...], findings: Findings, *, of_query: bool
) -> dict[str, ksql.Property]:
    """Return the properties of WITH by name; unknown names are errors. `of_query`: of CREATE ... AS SELECT."""
    names = [name for name in PROPERTIES if not (of_query and name in _OF_SOURCES)]
    by_name: dict[str, ksql.Property] = {}
    for each in with_properties:
        name = each.name.text
        if name not in PROPERTIES:
            help = did_you_mean(name, names) or f"known are {listing(names, 40)}"
            findings.error("LSQ374", f"unknown property '{name}'", each.name.at, help=help)
        elif name not in names:
            findings.error("LSQ374", f"CREATE ... AS SELECT cannot have '{name}'", each.name.at, help="remove it")
        elif name in by_name:
            findings.error("LSQ374", f"'{name}' occurs twice", each.name.at)
        elif name in _NUMBERS and not (each.text.isascii() and each.text.removeprefix("-").isdecimal()):
            findings.error("LSQ374", f"'{name}' is a number, not '{each.text}'", each.value.at)
        elif name in ("PARTITIONS", "REPLICAS") and not each.text.isdecimal():
            findings.error("LSQ374", f"'{name}' must not be negative", each.value.at)
        elif name == "KAFKA_TOPIC" and not each.text:
            findings.error("LSQ374", "'KAFKA_TOPIC' must not be empty", each.value.at)
        else:
            by_name[name] = each
    return by_name


def check_effect(
    with_properties: Mapping[str, ksql.Property], key: Storage, value: Storage, findings: Findings
) -> tuple[tuple[str, ksql.Property], ...]:
    """Report properties that do not match the formats, and those without effect.

    Return the names of schemas of the topic, each as the end of a setting of the topic, such as `value.avro.record`.
    """
    reasons = {name: why for name, why in _NEVER.items() if name in with_properties}
    if "TIMESTAMP_FORMAT" in with_properties and "TIMESTAMP" not in with_properties:
        reasons["TIMESTAMP_FORMAT"] = "it is the format of the column that TIMESTAMP names"
    wrap = with_properties.get("WRAP_SINGLE_VALUE")
    if wrap is not None and wrap.text.lower() == "false" and ksql_format(value.format).wraps == "optional":
        reasons["WRAP_SINGLE_VALUE"] = f"a value in {value.format} is stored with the names of its columns"
    names: list[tuple[str, ksql.Property]] = []
    for storage in (key, value):
        if not storage.columns:
            reasons |= {
                n: f"there are no {storage.facet} columns" for n in _of_facet(storage.facet) if n in with_properties
            }
            continue
        _check_formats(with_properties, storage, findings)
        reasons |= _idle_names(with_properties, storage)
        names += _written_names(with_properties, storage, findings)
    for name, why in reasons.items():
        no_effect(with_properties[name], why, findings)
    return tuple(names)


def no_effect(property: ksql.Property, why: str, findings: Findings) -> None:
    """Report a property that has no effect."""
    findings.warn("LSQ394", f"'{property.name.text}' has no effect here and is ignored", property.name.at,
                  notes=(why,), help="remove it")  # fmt: skip


def _of_facet(facet: Facet) -> tuple[str, ...]:
    return tuple(name for name in PROPERTIES if name.startswith(f"{facet}_"))


def _check_formats(with_properties: Mapping[str, ksql.Property], storage: Storage, findings: Findings) -> None:
    """Report properties of schemas for a format that has none, and invalid values of a property."""
    schemas = (f"{storage.facet}_SCHEMA_ID", *_full_names(storage.facet))
    nullable = f"{storage.facet}_PROTOBUF_NULLABLE_REPRESENTATION"
    with_nulls = [ksql.name for _, ksql in ksql_formats().values() if ksql.nulls]
    with_schemas = [ksql.name for format, ksql in ksql_formats().values() if format.has_schema_id]
    for name, formats in ((nullable, with_nulls), *((s, with_schemas) for s in schemas)):
        if name in with_properties and storage.format not in formats:
            message = f"{name} is only for the formats {listing(formats)}, not for {storage.format}"
            findings.error("LSQ374", message, with_properties[name].name.at, help="remove it")
    if nullable in with_properties and with_properties[nullable].text.upper() not in ("OPTIONAL", "WRAPPER"):
        findings.error("LSQ374", f"{nullable} must be OPTIONAL or WRAPPER, not '{with_properties[nullable].text}'",
                       with_properties[nullable].value.at)  # fmt: skip


def _idle_names(with_properties: Mapping[str, ksql.Property], storage: Storage) -> dict[str, str]:
    """Return the properties of a facet that have no effect, with the reason."""
    reasons, ksql = {}, ksql_format(storage.format)
    id = f"{storage.facet}_SCHEMA_ID"
    if id in with_properties and _has_schema(storage) and not storage.inferred:
        reasons[id] = "the columns do not come from a schema registry"
    nullable = f"{storage.facet}_PROTOBUF_NULLABLE_REPRESENTATION"
    if nullable in with_properties and ksql.nulls == "none":
        reasons[nullable] = f"{ksql.name} has no nulls"
    elif (
        nullable in with_properties
        and ksql.nulls == "optional"
        and with_properties[nullable].text.upper() != "OPTIONAL"
    ):
        reasons[nullable] = "columns of a result are `optional` in their schema"
    for name in _full_names(storage.facet):
        reads_message = ksql.schema_name == "read" and storage.inferred
        if name in with_properties and _has_schema(storage) and ksql.schema_name != "written" and not reads_message:
            reasons[name] = f"a schema of {storage.format} that is written is named after its topic"
        elif name in with_properties and storage.inferred and ksql.schema_name == "written":
            reasons[name] = f"a subject has one schema of {ksql.name}"
    return reasons


def _written_names(
    with_properties: Mapping[str, ksql.Property], storage: Storage, findings: Findings
) -> Iterator[tuple[str, ksql.Property]]:
    ksql = ksql_format(storage.format)
    if ksql.schema_name != "written" or storage.inferred:
        return
    for name in _full_names(storage.facet):
        if name in with_properties and all(
            PLAIN_NAME.fullmatch(part) for part in with_properties[name].text.split(".")
        ):
            yield f"{storage.facet.lower()}.avro.record", with_properties[name]
        elif name in with_properties:
            findings.error("LSQ374", f"'{with_properties[name].text}' is not a name in {ksql.name}",
                           with_properties[name].value.at,
                           help="write letters, digits and _, with dots between the names of a namespace")  # fmt: skip


def _has_schema(storage: Storage) -> bool:
    """Return whether records of the format have a schema in a registry."""
    format_pair = ksql_formats().get(storage.format)
    return format_pair is not None and format_pair[0].has_schema_id


def _full_names(facet: Facet) -> Collection[str]:
    return (f"{facet}_SCHEMA_FULL_NAME", *(("VALUE_AVRO_SCHEMA_FULL_NAME",) if facet == "VALUE" else ()))
