"""`tables:` of topics and models in YAML, and the stores of a target in profiles.yml."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, Literal

import msgspec

from lsqlc.diagnostics import Span
from lsqlc.tables import store_kinds
from lsqlc.tables.record import Store, StoreKind
from lsqlc.tables.schema import Keep
from lsqlc.yaml.decode import Decoder
from lsqlc.yaml.described import described
from lsqlc.yaml.nodes import KeyPath

_NAME = re.compile(r"[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*", re.ASCII)


class TableFile(msgspec.Struct, frozen=True, kw_only=True):
    store: Annotated[str, described("The store of the target that has the table, see `tables` in profiles.yml.")]
    name: Annotated[str | None, described("The table's name, with dots between several; by default the topic's.")] = (
        None
    )
    keep: Annotated[
        Literal["current", "all", "history"] | None,
        described(
            "The rows: the newest of each key (`current`), one for each record (`all`), or all versions of each key "
            "with their times (`history`). By default `current` of a TABLE, and `all` of a STREAM."
        ),
    ] = None
    key: Annotated[str | list[str], described("Names for the columns of the key, in their order.")] = []


@dataclass(frozen=True, slots=True)
class TableDeclaration:
    """A table that follows a topic. `name` None: that of the topic; `keep` None: by the kind of the topic."""

    store: str
    span: Span
    name: str | None = None
    keep: Keep | None = None
    key: tuple[str, ...] = ()


def read_tables(decoder: Decoder, key_path: KeyPath, files: Sequence[TableFile]) -> tuple[TableDeclaration, ...]:
    """Return the tables that a topic or a model declares under `tables`."""
    tables: list[TableDeclaration] = []
    for index, file in enumerate(files):
        where = (*key_path, "tables", index)
        if file.name is not None and not _NAME.fullmatch(file.name):
            help = "use letters, digits, '_' and '-', with dots between several names: `sales.revenue`"
            decoder.wrong((*where, "name"), f"'{file.name}' is not a name of a table", help=help)
        key = (file.key,) if isinstance(file.key, str) else tuple(file.key)
        tables.append(TableDeclaration(file.store, decoder.document.span((*where, "store")), file.name, file.keep, key))
    return tuple(tables)


@cache
def store_file(kinds: tuple[StoreKind, ...]) -> type[msgspec.Struct]:
    """Return the type of a store in profiles.yml: one member for each kind, of which one is given."""
    members = [(kind.key, Annotated[kind.file | None, described(kind.description)], None) for kind in kinds]
    struct: type[msgspec.Struct] = msgspec.defstruct("StoreFile", members, frozen=True, kw_only=True)
    return struct


def read_stores(decoder: Decoder, key_path: KeyPath, data: Any, raw: Any) -> Mapping[str, Store]:
    """Return the stores of a target by name. `data`: the mapping `tables`; `raw`: before variables of the environment
    were replaced. Errors are reported to the decoder.
    """
    if data is None:
        return {}
    if not isinstance(data, dict):
        decoder.wrong(key_path, "expected a mapping of stores", help="such as `lake: {delta: {path: lake}}`")
        return {}
    kinds = store_kinds()
    stores: dict[str, Store] = {}
    for name, value in data.items():
        where = (*key_path, str(name))
        file = decoder.struct(where, store_file(kinds), value)
        if file is None:
            continue
        present = [kind for kind in kinds if getattr(file, kind.key) is not None]
        if len(present) != 1:
            if not any(key in value for key in (kind.key for kind in kinds)) or present:
                help = f"give one of {', '.join(f'`{kind.key}: {{...}}`' for kind in kinds)}"
                decoder.wrong(where, "a store is of one kind", help=help)
            continue
        kind = present[0]
        settings = kind.read(decoder, (*where, kind.key), getattr(file, kind.key), raw[name][kind.key])
        stores[str(name)] = Store(str(name), kind, settings)
    return stores
