"""A table of PostgreSQL that follows a topic.

A table beside it, `lsqlc_positions`, has the source and the positions of all tables of its schema. A batch locks the
rows of its table there, so that two writers cannot write the same batch.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from lsqlc.connectors.transport import Positions
from lsqlc.tables.changes import LastVersion
from lsqlc.tables.columns import Changes
from lsqlc.tables.postgres.values import from_database, to_database, type_name
from lsqlc.tables.record import Conflict, Noted, Row, TableState, unreachable
from lsqlc.tables.schema import IS_CURRENT, VALID_FROM, VALID_TO, TableColumn, TableSchema

if TYPE_CHECKING:
    from psycopg import Connection
    from psycopg.sql import Composed

_NOTES = "lsqlc_positions"
_ACTION = "_lsqlc_action"
_STAGE = "lsqlc_batch"
_LONGEST_NAME = 63


@dataclass(frozen=True, slots=True)
class DatabaseTable:
    """As `Table`. `url`: of the database, which may have a secret; `schema` and `name`: of the table."""

    url: str = field(repr=False)
    schema: str
    name: str

    @property
    def address(self) -> str:
        """Implement `Table.address`."""
        return f"{self.schema}.{self.name}"

    def state(self) -> TableState | None:
        """Implement `Table.state`."""
        with self._connected("read") as connection:
            columns = self._columns(connection)
            if not columns:
                return None
            source, positions = self._notes(connection)
            return TableState(columns, source, positions)

    def type_name(self, column: TableColumn) -> str:
        """Implement `Table.type_name`."""
        return type_name(column.type)

    def create(self, schema: TableSchema, source: str) -> None:
        """Implement `Table.create`. The columns of the key have a unique index, in which nulls are equal."""
        with self._connected("created") as connection:
            # The creation needs a right on the database, also where the schema exists.
            exists = connection.execute("SELECT 1 FROM pg_namespace WHERE nspname = %s", (self.schema,)).fetchone()
            if exists is None:
                connection.execute(_sql("CREATE SCHEMA {}", self.schema))
            self._create_notes(connection)
            self._create(connection, schema)
            self._note(connection, source, {})

    def add_columns(self, columns: Sequence[TableColumn]) -> None:
        """Implement `Table.add_columns`."""
        with self._connected("changed") as connection:
            self._add_columns(connection, columns)

    def clear(self, schema: TableSchema, source: str) -> None:
        """Implement `Table.clear`. The table stays, with its grants, and so do columns whose type does not change."""
        with self._connected("emptied") as connection:
            connection.execute(_sql("TRUNCATE {}.{}", self.schema, self.name))
            connection.execute(_sql("DROP INDEX IF EXISTS {}.{}", self.schema, self._index))
            columns = {column.name: column for column in schema.columns}
            present = self._columns(connection)
            retained = {
                name for name, type in present.items() if name in columns and type_name(columns[name].type) == type
            }
            for name in present.keys() - retained:
                connection.execute(_sql("ALTER TABLE {}.{} DROP COLUMN {}", self.schema, self.name, name))
            self._add_columns(connection, [column for column in schema.columns if column.name not in retained])
            self._create_index(connection, schema)
            self._note(connection, source, {})

    def last_versions(self, schema: TableSchema, keys: Sequence[Row]) -> Sequence[tuple[Row, LastVersion]]:
        """Implement `Table.last_versions`."""
        key = schema.key
        with self._connected("read") as connection:
            self._stage(connection, key, [tuple(row) for row in keys])
            rows = [row for same in _matches(key) for row in connection.execute(self._last(key, same)).fetchall()]
        read = _reader(key)
        return [(read(row[: len(key)]), LastVersion(round(row[-2].timestamp() * 1000), row[-1])) for row in rows]

    def apply(self, schema: TableSchema, changes: Changes, positions: Positions, before: Noted) -> None:
        """Implement `Table.apply`: the changes are copied into a temporary table, and merged from there."""
        with self._connected("written") as connection:
            if Noted(*self._notes(connection, lock=True)) != before:
                raise Conflict
            if schema.keep == "all":
                self._copy(connection, (self.schema, self.name), schema.columns, [c.row for c in changes])
            elif changes:
                rows = [change.row for change in changes]
                self._stage(connection, schema.columns, rows, [change.action for change in changes])
                former = [name for name in self._columns(connection) if name not in schema.names]
                for statement in self._statements(schema, former):
                    connection.execute(statement)
            self._note(connection, None, positions)

    def rows(self, schema: TableSchema) -> Iterator[Row]:
        """Implement `Table.rows`."""
        with self._connected("read") as connection:
            query = _sql("SELECT ") + _selected("{}", schema.columns) + _sql(" FROM {}.{}", self.schema, self.name)
            read = _reader(schema.columns)
            with connection.cursor("lsqlc_rows") as cursor:
                for row in cursor.execute(query):
                    yield read(row)

    def maintain(self, retain_hours: int, now: datetime) -> str:
        """Implement `Table.maintain`: VACUUM and ANALYZE."""
        with self._connected("maintained", autocommit=True) as connection:
            connection.execute(_sql("VACUUM (ANALYZE) {}.{}", self.schema, self.name))
        return "vacuumed and analyzed"

    @property
    def _index(self) -> str:
        return f"lsqlc_key_{hashlib.sha256(self.name.encode()).hexdigest()[:16]}"

    def _create(self, connection: Connection, schema: TableSchema) -> None:
        for name in (self.name, *schema.names):
            if len(name.encode()) > _LONGEST_NAME:
                raise ValueError(f"the name '{name}' has more than {_LONGEST_NAME} bytes")
        columns = _comma(_sql("{} ", column.name) + _type(column) for column in schema.columns)
        connection.execute(_sql("CREATE TABLE {}.{} (", self.schema, self.name) + columns + _sql(")"))
        self._create_index(connection, schema)

    def _create_index(self, connection: Connection, schema: TableSchema) -> None:
        if schema.keep == "all" or not schema.key:
            return
        names = _list("{}", [column.name for column in schema.key])
        statement = _sql("CREATE UNIQUE INDEX {} ON {}.{} (", self._index, self.schema, self.name) + names
        statement += _sql(") NULLS NOT DISTINCT")
        if schema.keep == "history":
            statement += _sql(" WHERE {}", IS_CURRENT)
        connection.execute(statement)

    def _add_columns(self, connection: Connection, columns: Sequence[TableColumn]) -> None:
        for column in columns:
            statement = _sql("ALTER TABLE {}.{} ADD COLUMN {} ", self.schema, self.name, column.name)
            connection.execute(statement + _type(column))

    def _last(self, key: Sequence[TableColumn], same: Composed) -> Composed:
        """Return the query of the newest versions of the staged keys."""
        names = [column.name for column in key]
        query = _sql("SELECT ") + _selected("t.{}", key)
        query += _sql(", max(coalesce(t.{}, t.{})), bool_or(t.{})", VALID_TO, VALID_FROM, IS_CURRENT)
        query += _sql(" FROM {}.{} t JOIN (SELECT DISTINCT * FROM {}) s ON ", self.schema, self.name, _STAGE)
        return query + same + _sql(" GROUP BY ") + _list("t.{}", names)

    def _statements(self, schema: TableSchema, former: Sequence[str]) -> Iterator[Composed]:
        """Yield the statements that merge the staged changes into the table. `former`: the columns that the topic no
        longer has, which become null.
        """
        names = schema.names
        for same in _matches(schema.key):
            if schema.keep == "current":
                table = (self.schema, self.name)
                yield _sql("DELETE FROM {}.{} t USING {} s WHERE s.{} = 'delete' AND ", *table, _STAGE, _ACTION) + same
            else:
                current = same + _sql(" AND t.{}", IS_CURRENT)
                yield self._update((VALID_TO, IS_CURRENT), "close", current)
                yield self._update(names, "replace", current, former)
        insert = _sql("INSERT INTO {}.{} (", self.schema, self.name) + _list("{}", names) + _sql(") SELECT ")
        insert += _list("s.{}", names) + _sql(" FROM {} s WHERE s.{} IN ('insert', 'upsert')", _STAGE, _ACTION)
        if schema.keep == "current":
            keys = [column.name for column in schema.key]
            insert += _sql(" ON CONFLICT (") + _list("{}", keys) + _sql(") DO UPDATE SET ")
            sets = [_sql("{} = excluded.{}", name, name) for name in names]
            insert += _comma([*sets, *(_sql("{} = NULL", name) for name in former)])
        yield insert

    def _update(self, names: Sequence[str], action: str, same: Composed, former: Sequence[str] = ()) -> Composed:
        statement = _sql("UPDATE {}.{} t SET ", self.schema, self.name)
        sets = [_sql("{} = s.{}", name, name) for name in names]
        statement += _comma([*sets, *(_sql("{} = NULL", name) for name in former)])
        return statement + _sql(" FROM {} s WHERE s.{} = ", _STAGE, _ACTION) + _literal(action) + _sql(" AND ") + same

    def _stage(
        self,
        connection: Connection,
        columns: Sequence[TableColumn],
        rows: Sequence[Row],
        actions: Sequence[str] | None = None,
    ) -> None:
        """Copy rows into a temporary table, with what to do with each."""
        types = [_sql("{} ", column.name) + _type(column) for column in columns]
        if actions is not None:
            types.append(_sql("{} text", _ACTION))
        connection.execute(_sql("CREATE TEMPORARY TABLE {} (", _STAGE) + _comma(types) + _sql(") ON COMMIT DROP"))
        self._copy(connection, ("pg_temp", _STAGE), columns, rows, actions)
        connection.execute(_sql("ANALYZE {}", _STAGE))

    def _copy(
        self,
        connection: Connection,
        table: tuple[str, str],
        columns: Sequence[TableColumn],
        rows: Sequence[Row],
        actions: Sequence[str] | None = None,
    ) -> None:
        names = [column.name for column in columns]
        converts = [to_database(column.type) for column in columns]
        if actions is not None:
            names.append(_ACTION)
            converts.append(None)
            rows = [(*row, action) for row, action in zip(rows, actions, strict=True)]
        statement = _sql("COPY {}.{} (", *table) + _list("{}", names) + _sql(") FROM STDIN")
        with connection.cursor() as cursor, cursor.copy(statement) as copy:
            for row in rows:
                copy.write_row(
                    [
                        value if value is None or convert is None else convert(value)
                        for value, convert in zip(row, converts, strict=True)
                    ]
                )

    def _create_notes(self, connection: Connection) -> None:
        columns = "(name text PRIMARY KEY, source text NOT NULL, positions jsonb NOT NULL)"
        connection.execute(_sql("CREATE TABLE IF NOT EXISTS {}.{} " + columns, self.schema, _NOTES))

    def _columns(self, connection: Connection) -> dict[str, str]:
        query = """
            SELECT a.attname, format_type(a.atttypid, a.atttypmod)
            FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE n.nspname = %s AND c.relname = %s AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum
        """
        return dict(connection.execute(query, (self.schema, self.name)).fetchall())

    def _notes(self, connection: Connection, *, lock: bool = False) -> tuple[str | None, dict[str, int]]:
        query = "SELECT to_regclass(format('%%I.%%I', %s::text, %s::text))"
        notes = connection.execute(query, (self.schema, _NOTES)).fetchone()
        if notes is None or notes[0] is None:
            return None, {}
        statement = _sql("SELECT source, positions FROM {}.{} WHERE name = ", self.schema, _NOTES) + _literal(self.name)
        note = connection.execute(statement + _sql(" FOR UPDATE" if lock else "")).fetchone()
        return (None, {}) if note is None else (note[0], note[1])

    def _note(self, connection: Connection, source: str | None, positions: Positions) -> None:
        """Note positions, and another source unless it is None. Names may contain a percent sign, so that the
        statements have no parameters.
        """
        text = _literal(json.dumps(dict(positions)))
        if source is None:
            statement = _sql("UPDATE {}.{} SET positions = ", self.schema, _NOTES) + text
            connection.execute(statement + _sql(" WHERE name = ") + _literal(self.name))
            return
        values = _comma([_literal(self.name), _literal(source), text])
        statement = _sql("INSERT INTO {}.{} VALUES (", self.schema, _NOTES) + values
        statement += _sql(") ON CONFLICT (name) DO UPDATE SET source = excluded.source, positions = excluded.positions")
        connection.execute(statement)

    @contextmanager
    def _connected(self, doing: str, *, autocommit: bool = False) -> Iterator[Connection]:
        """Open a connection with one transaction, which is rolled back after an error."""
        import psycopg

        try:
            with self._connection(autocommit=autocommit) as connection:
                connection.execute("SET TIME ZONE 'UTC'")
                yield connection
        except (psycopg.Error, ValueError) as error:
            raise unreachable("PostgreSQL", self.address, doing, error) from None

    def _connection(self, *, autocommit: bool) -> Connection:
        """Connect to the database. Raises ValueError without the address, which may have a password in it."""
        import psycopg

        try:
            return psycopg.connect(self.url, autocommit=autocommit, connect_timeout=10)
        except psycopg.Error as error:
            user_info = self.url.rpartition("://")[2].rpartition("@")[0]
            parts = [part for part in re.split(r"[:@/]", user_info)[1:] if part]
            # The client repeats an address that it cannot parse.
            is_parsed = isinstance(error, psycopg.OperationalError) and "%" not in user_info
            text = str(error) if is_parsed and not any(part in str(error) for part in parts) else ""
            raise ValueError(text or "the address is wrong, or nothing answers there") from None


def _sql(template: str, *names: str) -> Composed:
    """Return a statement with names in the place of `{}`."""
    from psycopg.sql import SQL, Identifier

    return SQL(template).format(*map(Identifier, names))


def _literal(text: str) -> Composed:
    from psycopg.sql import SQL, Composed, Literal

    return Composed([SQL(""), Literal(text)])


def _comma(parts: Any) -> Composed:
    from psycopg.sql import SQL

    joined: Composed = SQL(", ").join(parts)
    return joined


def _list(template: str, names: Sequence[str]) -> Composed:
    return _comma(_sql(template, name) for name in names)


def _selected(template: str, columns: Sequence[TableColumn]) -> Composed:
    """Columns as `from_database` takes them."""
    return _comma(
        _sql(f"{template}::text" if type_name(column.type) == "jsonb" else template, column.name) for column in columns
    )


def _type(column: TableColumn) -> Composed:
    return _sql(type_name(column.type))


def _matches(key: Sequence[TableColumn]) -> Iterator[Composed]:
    """Yield the conditions under which a row `t` of the table and a staged one `s` have one key.

    The first one is for keys without nulls, for which the database has fast joins, and the second one for the others.
    """
    from psycopg.sql import SQL

    both = SQL(" AND ")
    yield both.join([_sql("t.{} = s.{}", column.name, column.name) for column in key])
    nullable = [column.name for column in key if column.nullable]
    if nullable:
        same = both.join([_sql("t.{} IS NOT DISTINCT FROM s.{}", column.name, column.name) for column in key])
        null = SQL(" OR ").join([_sql("s.{} IS NULL", name) for name in nullable])
        yield _sql("(") + null + _sql(") AND ") + same


def _reader(columns: Sequence[TableColumn]) -> Any:
    converts = [from_database(column.type) for column in columns]

    def read(row: Sequence[Any]) -> Row:
        return tuple(
            value if value is None or convert is None else convert(value)
            for value, convert in zip(row, converts, strict=True)
        )

    return read
