"""`connector: delta` in YAML: a topic whose records are the rows of a Delta table.

The schema is the declared `value:`, or the columns in the lock file. The key is a list of columns, with their types.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any

import msgspec

from lsqlc.formats.catalogue import is_plain_json
from lsqlc.project.declared.file_topics import column_named, key_facet
from lsqlc.project.declared.lock import Lock
from lsqlc.tables.delta.source import DeltaSource, Ignore, Rows
from lsqlc.types.data import Struct
from lsqlc.types.record import Facet, Topic
from lsqlc.yaml.decode import Decoder
from lsqlc.yaml.described import NOT_NEGATIVE, described
from lsqlc.yaml.nodes import KeyPath, path_text


class DeltaTopicFile(msgspec.Struct, frozen=True, kw_only=True):
    """The keys of `delta:` in a topic."""

    path: Annotated[
        str,
        described(
            "The folder of the table, relative to the project, or an address such as `s3://bucket/lake/orders`; with "
            "`store`, a path in the store."
        ),
    ]
    store: Annotated[str | None, described("The Delta store of the target that has the table, see profiles.yml.")] = (
        None
    )
    rows: Annotated[
        Rows | None,
        described(
            "The records: a row that a commit appends (`appended`), or a change of a row by its key (`current`). By "
            "default `current` of a topic with a key, else `appended`."
        ),
    ] = None
    ignore: Annotated[
        Ignore, described("The versions that a topic of appended rows passes over: those that remove or rewrite rows.")
    ] = "nothing"
    from_version: Annotated[
        int | None,
        described(
            "The first version whose appended rows are read; by default the rows of the newest version come first.",
            NOT_NEGATIVE,
        ),
    ] = None


def delta_topic(
    decoder: Decoder, key_path: KeyPath, topic: Topic, settings: DeltaTopicFile | None, key: Any, lock: Lock
) -> tuple[Topic, DeltaSource | None]:
    """Return the topic with its key and value, and its table. Errors are reported to the decoder.

    `topic` has the declared value. `key`: the declared key. The value is absent if neither the declaration nor the lock
    file has its columns. The table is None without `delta:`.
    """
    span = decoder.document.span(key_path)
    if settings is None:
        help = "add `delta: {path: lake/orders}`"
        decoder.report("LSQ017", f"the key 'delta' is missing @ {path_text(key_path)}", span, help=help)
        return topic, None
    names = tuple(str(name) for name in (key if isinstance(key, list) else [] if key is None else [key]))
    rows = settings.rows or ("current" if names else "appended")
    source = DeltaSource(
        settings.path.strip().rstrip("/"),
        decoder.document.span((*key_path, "name")),
        settings.store,
        rows,
        names,
        settings.ignore,
        settings.from_version,
        is_declared=not topic.value.is_absent,
    )
    _check(decoder, key_path, source)
    value = topic.value.type
    if topic.value.is_absent:
        if topic.name not in lock.columns:
            return topic, source
        value = lock.columns[topic.name]
    if not isinstance(value, Struct) or (not topic.value.is_absent and not is_plain_json(topic.value.format)):
        help = "write a column list: `value: id BIGINT, name STRING`"
        decoder.wrong((*key_path, "value"), "the records of a Delta table must be columns", help=help)
        return topic, source
    at = [(*key_path, "key", i) if isinstance(key, list) else (*key_path, "key") for i, _ in enumerate(names)]
    fields = [
        f for where, name in zip(at, names, strict=True) if (f := column_named(decoder, where, value, name, "key"))
    ]
    source = replace(source, key=tuple(f.name for f in fields))
    return replace(topic, key=key_facet(fields), value=Facet(value, "json")), source


def _check(decoder: Decoder, key_path: KeyPath, source: DeltaSource) -> None:
    """Report keys of `delta:` that do not belong together."""
    where = (*key_path, "delta")
    if not source.path:
        decoder.wrong((*where, "path"), "the path is empty", help="give a folder, such as `path: lake/orders`")
    if source.store is not None and ("://" in source.path or source.path.startswith("/")):
        help = f"give the path in the store '{source.store}', or leave `store` out"
        decoder.wrong((*where, "path"), f"'{source.path}' is not a path in a store", help=help)
    if source.rows == "current":
        if not source.key:
            help = "name the columns that make a row unique: `key: id`"
            decoder.wrong((*where, "rows"), "the current rows of a table need a key", help=help)
        for name in ("ignore", "from_version"):
            if getattr(source, name) not in (None, "nothing"):
                message = f"'{name}' is only for rows that are appended"
                decoder.wrong((*where, name), message, help="add `rows: appended`, or leave it out")
    if source.from_version is not None and source.from_version < 0:
        decoder.wrong((*where, "from_version"), f"{source.from_version} is not a version", help="give 0 or more")
