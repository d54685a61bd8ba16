"""The declaration of a storage format: one `Format` record in the format's folder, which all callers use.

Functions of a record import their modules when they are called, because few projects use most formats.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from lsqlc.formats.encoding import Decoding
from lsqlc.formats.registered import FacetSchemas, Mode
from lsqlc.formats.schema_file import SchemaRead
from lsqlc.types.data import DataType, Struct

Part = Literal["key", "value"]
Encode = Callable[[Any], bytes | None]
"""From a value in its one form, not None, to bytes, or to None for a record without this part. Raises ValueProblems."""
Decode = Callable[[bytes], Any]
"""From bytes to the value, with problems under the path of the part. Raises ValueProblems."""

# The names that Avro and Protobuf can hold, of records and of fields.
PLAIN_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True, slots=True)
class StoredFacet:
    """The key or the value of a topic, as a format needs it to read and write bytes.

    `topic`: the name without the prefix in Kafka; `type`: of the value, without the window around a key; `format`: as
    plans spell it, `delimited[;]`; `ksql_json`: the JSON of the topic is ksqlDB's. `schemas`: returns the schemas of
    the facet in the registry, and raises LsqlcError for a facet that has none; None: there is no registry. `rejected`:
    ids that records have and the registry does not know; None: it is not asked, and all unknown ids are rejected.
    """

    topic: str
    part: Part
    type: DataType
    format: str
    ksql_json: bool = False
    schemas: Callable[[], FacetSchemas] | None = None
    rejected: frozenset[int] | None = None

    @property
    def registered(self) -> FacetSchemas:
        """The schemas of a facet whose format needs a registry. Raises LsqlcError as `schemas`."""
        assert self.schemas is not None, "callers ask whether there is a registry"
        return self.schemas()


@dataclass(frozen=True, slots=True)
class SchemaNames:
    """The names in the schema of a facet that is written. `title`: such as `orders-value`; `part`: the name of the one
    field, where a schema needs a field around the value; `record` and `namespace`: of the outermost record.
    """

    title: str
    part: Part
    record: str
    namespace: str | None = None


@dataclass(frozen=True, slots=True)
class SchemaSources:
    """The files of a schema. `texts`: by path, the file with the schema last; `siblings`: returns the path and the text
    of the other files in its folder, and is called at most once; `in_json`: the records are JSON, in which a STRING
    holds any value as text.
    """

    texts: Mapping[str, str]
    siblings: Callable[[], Sequence[tuple[str, str]]]
    in_json: bool


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SchemaKind:
    """A language of schemas. `type`: as registries call it; `title`: as messages call it.

    `read`: from the text of a schema in the lock file, and the name of a message or None, to the type. `one_text`: the
    text that the lock file keeps, from the text of a registry and those of its references; raises ValueError, with one
    clause. `write`: the text of a new schema of a type, which continues the versions of the subject, the oldest first;
    raises ValueError. `source`: a text of the lock file as a registry is given it. `is_same`: whether two texts are one
    schema. `for_reading`: the schemas that a facet of the type is read with, from the versions by id and the name of a
    message; None: no version has the columns.

    `misfits`: why values of a schema are not read as a type, one clause each; raises ValueError for a text that is no
    schema. None: it is not compared. `incompatible`: why a new schema is not compatible with others, by the registry's
    mode; raises ValueError. None: only the registry knows.

    `references`: whether schemas may refer to others, and by which name these are passed to `one_text`. `is_compiled`:
    a registry keeps another text than the lock file, so that versions are compared by `one_text`.

    `endings`: of the files that hold such schemas, and `read_files` reads them; `lists_files`: a schema may be spread
    over several. `has_messages`: a schema holds several messages, of which one is named. `keeps_case`: columns of
    ksqlDB keep the names of the fields; others are upper case. `wraps_keys`: a key of one column is a record.
    """

    type: str
    title: str
    read: Callable[[str, str | None], SchemaRead]
    one_text: Callable[[str, Mapping[str, str]], str]
    write: Callable[[DataType, SchemaNames, Sequence[str]], str]
    source: Callable[[str], str] = str
    is_same: Callable[[str, str], bool]
    for_reading: Callable[[DataType, Mapping[int, str], str | None], FacetSchemas | None]
    misfits: Callable[[DataType, str, str | None], list[str]] | None = None
    incompatible: Callable[[str, Sequence[str], Mode], Sequence[str]] | None = None
    references: Literal["none", "by subject", "by name"] = "none"
    is_compiled: bool = False
    endings: tuple[str, ...] = ()
    read_files: Callable[[SchemaSources], SchemaRead] | None = None
    lists_files: bool = False
    has_messages: bool = False
    keeps_case: bool = False
    wraps_keys: bool = False


class SettingError(ValueError):
    """A setting of a declaration that a format does not have so. The message is one clause. `way`: the names of the
    keys that lead to it in the declaration of the facet; empty: its schema.
    """

    def __init__(self, code: str, message: str, way: tuple[str, ...], help: str) -> None:
        super().__init__(message)
        self.code, self.way, self.help = code, way, help


@dataclass(frozen=True, slots=True, kw_only=True)
class KsqlFormat:
    """A format in the WITH of ksqlDB. `name`: upper case. `columns`: which columns a facet may have: `any`, those
    without parts (`flat`), one of `types` (`one`), or `none`.

    `wraps`: whether a value of one column has its name: as WRAP_SINGLE_VALUE says (`optional`), `always` or `never`;
    empty: there is no such value. `nulls`: how columns are stored as null where a format has the property
    NULLABLE_REPRESENTATION: not at all (`none`), or as `optional` fields; empty: the format has no such property.
    `schema_name`: whether SCHEMA_FULL_NAME is the name of the record that is `written`, or of the message that is
    `read`; empty: neither. `has_delimiter`: the format has the property DELIMITER.
    """

    name: str
    columns: Literal["any", "flat", "one", "none"] = "any"
    types: tuple[DataType, ...] = ()
    wraps: Literal["optional", "always", "never", ""] = "optional"
    nulls: Literal["none", "optional", ""] = ""
    schema_name: Literal["written", "read", ""] = ""
    has_delimiter: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Format:
    """A storage format.

    `name`: in lower case, as in plans and declarations. `synonyms`: other names that users may write. `ksql`: the
    format in ksqlDB, None if ksqlDB does not have it. `is_declared`: declarations may name it, and STORE if models
    write it.

    `fits`: whether values of a type can be stored. `encoder` and `decoder` are the client's codec. `encoding` has the
    same bytes as Spark's SQL, as an `Encoding` unless models only read the format; None: Spark has no form of them.
    Bytes that one of them cannot read, the others cannot read either. They raise LsqlcError, LSQ862 and LSQ863, for a
    facet that cannot be written.

    `holds`: the one type of a format that is named after a type. `json_text`: for a format whose bytes are JSON text:
    the function from bytes to the JSON of the language, of a facet; None: for all other formats. `has_ksql_numbers`:
    ksqlDB writes numbers and times in this JSON in forms of its own, since no schema says how.

    `schema`: the kind of schemas that a registry may have for the facet; `has_schema_id`: records begin with the id of
    such a schema, without which they cannot be written. `name_pattern`: of the names that fields can have;
    `checks_declared_names`: those of a declaration are compared too. `unfit`: why no schema can be written for a type,
    in one clause; empty if one can.

    `stores`: which results STORE converts to the format: structs and INT, BIGINT and STRING (`all`), `structs` alone,
    or none (empty). `is_converted`: STORE converts results in this format to others, and `widens`: to these formats of
    wider types. `is_inherited`: a new struct has the format of the records that it is made of.

    `row_text`: for a format whose values are parts of JSON text, such as of the envelope of a change: the function from
    bytes to the JSON text of the value, of a facet. It raises ValueProblems. `passed_as`: the format of results from
    such records, if models do not write this format; empty: the same format. `settings`: the keys of a declaration for
    this format alone. `configured` returns their text in brackets after its name, from their values and the type; it
    raises SettingError. `of_declared`: the type of values, from the declared type; None: the same.

    `by_position`: columns are identified by their positions. `needs_python`: Spark reads and writes it by Python.
    `needs_spark_avro`: Spark reads and writes it by its module spark-avro.
    """

    name: str
    fits: Callable[[DataType], bool]
    encoder: Callable[[StoredFacet], Encode]
    decoder: Callable[[StoredFacet], Decode]
    encoding: Callable[[StoredFacet], Decoding] | None
    synonyms: tuple[str, ...] = ()
    ksql: KsqlFormat | None = None
    is_declared: bool = True
    holds: DataType | None = None
    json_text: Callable[[StoredFacet], Callable[[bytes], bytes]] | None = None
    has_ksql_numbers: bool = False
    row_text: Callable[[StoredFacet], Callable[[bytes], bytes]] | None = None
    passed_as: str = ""
    settings: tuple[str, ...] = ()
    configured: Callable[[Mapping[str, Any], DataType], str] | None = None
    of_declared: Callable[[DataType], Struct] | None = None
    schema: SchemaKind | None = None
    has_schema_id: bool = False
    name_pattern: re.Pattern[str] | None = None
    checks_declared_names: bool = False
    unfit: Callable[[DataType], str] | None = None
    stores: Literal["all", "structs", ""] = ""
    is_converted: bool = False
    widens: tuple[str, ...] = ()
    is_inherited: bool = False
    by_position: bool = False
    needs_python: bool = False
    needs_spark_avro: bool = False

    @property
    def is_json(self) -> bool:
        """Whether the bytes are JSON text."""
        return self.json_text is not None


def any_type(type: DataType) -> bool:
    """Return True: the `fits` of a format that stores all types."""
    return True
