"""The record of stores of Iceberg tables, and their settings."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import Annotated, Any

import msgspec

from lsqlc.tables.columns import column_reader
from lsqlc.tables.record import StoreKind, StoreOpening, Table
from lsqlc.tables.secrets import check_secrets
from lsqlc.yaml.decode import Decoder
from lsqlc.yaml.described import described
from lsqlc.yaml.nodes import KeyPath

# Paths of the project may stand here: `sqlite:///lake/catalog.db`, `file:///lake`.
_PLACES = ("uri", "warehouse")


class IcebergFile(msgspec.Struct, frozen=True, kw_only=True):
    """The keys of `iceberg:`."""

    catalog: Annotated[
        dict[str, str],
        described(
            "The properties of the catalog for pyiceberg, such as `type: rest`, `uri` and `warehouse`, and its `name`; "
            "{{ env_var('NAME') }} may stand in them."
        ),
    ]
    namespace: Annotated[str, described("The namespace of the tables that are named without one.")] = "default"


@dataclass(frozen=True, slots=True)
class IcebergSettings:
    """`catalog`: its properties, which may have secrets; `namespace`: of tables that are named without one."""

    namespace: str
    catalog: dict[str, str] = field(repr=False)


def _read(decoder: Decoder, key_path: KeyPath, file: IcebergFile, raw: Any) -> IcebergSettings:
    if not file.catalog.get("uri") and "type" not in file.catalog and "py-catalog-impl" not in file.catalog:
        help = "such as `catalog: {type: rest, uri: https://host/catalog, warehouse: sales}`"
        decoder.wrong((*key_path, "catalog"), "the catalog has neither a type nor a uri", help=help)
    check_secrets(decoder, (*key_path, "catalog"), raw.get("catalog"))
    return IcebergSettings(file.namespace, dict(file.catalog))


def _open(opening: StoreOpening) -> Table:
    from lsqlc.tables.iceberg.table import IcebergTable

    settings: IcebergSettings = opening.settings
    name = opening.name if "." in opening.name else f"{settings.namespace}.{opening.name}"
    places = {key: str(value).replace("{project}", str(opening.root)) for key, value in settings.catalog.items()}
    return IcebergTable(name, {**settings.catalog, **{key: places[key] for key in _PLACES if key in places}})


STORE = StoreKind(
    key="iceberg",
    title="Iceberg",
    description="Tables of Apache Iceberg in a catalog.",
    file=IcebergFile,
    read=_read,
    packages=("pyiceberg", "pyarrow"),
    open=_open,
    columns=partial(column_reader, has_time=True),
)
