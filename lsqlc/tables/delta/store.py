"""The record of stores of Delta tables, and their settings."""

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


class DeltaFile(msgspec.Struct, frozen=True, kw_only=True):
    """The keys of `delta:`."""

    path: Annotated[
        str, described("The folder of the tables, relative to the project, or an address such as `s3://bucket/lake`.")
    ]
    options: Annotated[
        dict[str, str],
        described("Options of the object store, such as `aws_region`; {{ env_var('NAME') }} may stand in them."),
    ] = {}


@dataclass(frozen=True, slots=True)
class DeltaSettings:
    """`path`: a path relative to the project, or an address. `options` may have secrets."""

    path: str
    options: dict[str, str] = field(default_factory=dict, repr=False)


def _read(decoder: Decoder, key_path: KeyPath, file: DeltaFile, raw: Any) -> DeltaSettings:
    if not file.path.strip():
        decoder.wrong((*key_path, "path"), "the path is empty", help="give a folder, such as `path: lake`")
    check_secrets(decoder, (*key_path, "options"), raw.get("options"))
    return DeltaSettings(file.path.rstrip("/") or "/", dict(file.options))


def _open(opening: StoreOpening) -> Table:
    from lsqlc.tables.delta.table import DeltaLakeTable

    settings: DeltaSettings = opening.settings
    place = "/".join((settings.path, *opening.name.split(".")))
    is_address = "://" in place
    uri = place if is_address else str(opening.root / place)
    return DeltaLakeTable(uri, place, settings.options)


STORE = StoreKind(
    key="delta",
    title="Delta",
    description="Tables of Delta Lake in a folder or an object store.",
    file=DeltaFile,
    read=_read,
    packages=("deltalake", "pyarrow"),
    open=_open,
    columns=partial(column_reader, has_time=False),
)
