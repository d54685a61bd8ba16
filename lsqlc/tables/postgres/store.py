"""The record of stores of PostgreSQL tables, and their settings."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Annotated, Any

import msgspec

from lsqlc.tables.record import StoreKind, StoreOpening, Table
from lsqlc.yaml.decode import Decoder
from lsqlc.yaml.described import described
from lsqlc.yaml.nodes import KeyPath, path_text

# A password in an address: `postgresql://user:password@host`, or `password=...` among parameters.
_PASSWORD = re.compile(r"://[^@:]*:[^@]+@|password\s*=\s*\S", re.IGNORECASE)
_FROM_ENVIRONMENT = re.compile(r"\{\{.*?\}\}", re.DOTALL)


class PostgresFile(msgspec.Struct, frozen=True, kw_only=True):
    """The keys of `postgres:`."""

    url: Annotated[
        str,
        described(
            "The database, as `postgresql://user@host:5432/name`; one with a password only as {{ env_var('NAME') }}."
        ),
    ]
    schema: Annotated[str, described("The schema of the tables that are named without one.")] = "public"


@dataclass(frozen=True, slots=True)
class PostgresSettings:
    """`url` may have a secret. `schema`: of tables that are named without one."""

    url: str = field(repr=False)
    schema: str


def _read(decoder: Decoder, key_path: KeyPath, file: PostgresFile, raw: Any) -> PostgresSettings:
    text = raw.get("url") if isinstance(raw, dict) else None
    if isinstance(text, str) and _PASSWORD.search(_FROM_ENVIRONMENT.sub("", text)):
        where = (*key_path, "url")
        message = f"the address has a password in it @ {path_text(where)}"
        help = "read the address from the environment: \"{{ env_var('DATABASE_URL') }}\""
        decoder.report("LSQ007", message, decoder.document.span(where), help=help)
    return PostgresSettings(file.url, file.schema)


def _open(opening: StoreOpening) -> Table:
    from lsqlc.tables.postgres.table import DatabaseTable

    settings: PostgresSettings = opening.settings
    *schema, name = opening.name.split(".")
    return DatabaseTable(settings.url, ".".join(schema) or settings.schema, name)


STORE = StoreKind(
    key="postgres",
    title="PostgreSQL",
    description="Tables of a PostgreSQL database.",
    file=PostgresFile,
    read=_read,
    packages=("psycopg",),
    open=_open,
)
