"""Scans of topics that are data files: SQL that converts the rows of a `FileSource` into records.

The stages add these columns, one after another:

- `_path`, `_at`: the path of a file and its modification time, from the source. `_fqn`: the path below the root of the
  topic. `s_<name>`: the fields of the topic that are taken from the path.
- `c<n>`: the typed columns. `t<n>`: the text of a CSV cell.
- `_bad`: the problem of a row, or null. `_text`: the row as text, for the error message.
"""

from __future__ import annotations

from collections.abc import Sequence

from lsqlc.connectors.lines import field_path
from lsqlc.formats.json.spark import rewritten
from lsqlc.formats.json.spark_numbers import for_spark
from lsqlc.functions.forms.engine_types import type_text
from lsqlc.functions.forms.json_values import worded
from lsqlc.lower.spark import rows
from lsqlc.lower.spark.builder import Builder
from lsqlc.lower.spark.expressions import sql
from lsqlc.lower.spark.validity import reason_of
from lsqlc.plan import nodes
from lsqlc.plan.expression import Expression
from lsqlc.scan.data_files import SHIFT
from lsqlc.scan.file_topics import is_special, needed, special_of
from lsqlc.scan.special import PartitionColumn
from lsqlc.sql.spark import struct, text, ticked
from lsqlc.sql.writer import Select, listed
from lsqlc.types import data
from lsqlc.types.cells import delimited, pattern
from lsqlc.types.data import DataType, Field, Struct, quote
from lsqlc.types.files import Files
from lsqlc.types.record import LATEST, NO_TIME, Topic

_LEAST = -(1 << 62)


def scan(node: nodes.Scan, build: Builder, of_path: Expression | None = None) -> str:
    """Return the view of the records of a topic, with the columns `_ord`, `_ts`, `k0` and `v0`.

    `of_path`: a filter of files, over the fields that are taken from the path.
    """
    topic = node.topic
    assert topic.files is not None and isinstance(node.value.type, Struct)
    columns = needed(topic, node.value.type)
    rows_view = _checked(topic, columns, build, of_path)
    # Spark's checks reject `monotonically_increasing_id()` on a stream. Its numbers are the same when a batch is
    # repeated.
    build.disable_streaming_checks()
    shift = -SHIFT if node.semantics == "TABLE" else SHIFT
    order_by = [_order_by(topic.files, columns)] if topic.files.order_by else []
    ordinal = [f"_at div 1000 + {shift}L", _order_within(), *order_by, "monotonically_increasing_id()"]
    value = struct(tuple((f.name, _field(f, topic.files, columns)) for f in node.value.type.fields))
    records = build.add(
        "records",
        f"SELECT array({', '.join(ordinal)}) AS _ord, {_time(topic, columns)} AS _ts,\n"
        f"  {_key(topic.files, columns)} AS k0,\n  {value} AS v0\nFROM {rows_view}",
        "one column for each facet; the ordinal begins with the file's modification time",
    )
    return rows.upserts(build) if node.semantics == "TABLE" else records


def bad_rows(topic: Topic, value: DataType, build: Builder, of_path: Expression | None) -> str:
    """Return the view of the rows of a topic with the columns `_topic`, `_line` (the text of the row) and `_bad`.

    `value`: the type with the fields that the program uses; `of_path`: a filter as for `scan`, for all queries of the
    program together.
    """
    assert topic.files is not None and isinstance(value, Struct)
    columns = needed(topic, value)
    view = _typed(topic, columns, build, of_path, letters=True)
    bad = "_bad"
    if topic.files.format == "parquet" and columns:
        # Spark detects a corrupt file only when it reads the columns, and would read none of them here. The condition
        # never holds, because no path is empty, but it keeps the columns in the plan.
        bad = f"if(_path = '', string(xxhash64({', '.join(f'c{i}' for i, _ in enumerate(columns))})), _bad)"
    return build.add(
        "judged",
        f"SELECT {text(topic.name)} AS _topic, coalesce(_text, '') AS _line, concat(_path, ': ', {bad}) AS _bad\n"
        f"FROM {view}",
        f"what is wrong in the files of {topic.name}",
    )


def _checked(topic: Topic, columns: Sequence[Field], build: Builder, of_path: Expression | None) -> str:
    """Return the view of the valid rows. A bad row fails the query, or is counted and skipped, by the policy."""
    view = _typed(topic, columns, build, of_path)
    if not build.checks.passes_over:
        message = f"concat({text(f'{topic.name!r} cannot be read: ')}, _path, ': ', _bad, ': ', coalesce(_text, ''))"
        return build.add(
            "good",
            f"SELECT * FROM {view} WHERE if(_bad IS NULL, TRUE, raise_error({message}))",
            "a row that cannot be read stops the query",
        )
    view = build.view()
    if topic.name not in build.checks.counted:
        build.checks.counted.add(topic.name)
        view = build.observe(view, ("bad record", "count_if(_bad IS NOT NULL)"))
    return build.add("good", f"SELECT * FROM {view} WHERE _bad IS NULL", "the rows that can be read")


def _typed(
    topic: Topic, columns: Sequence[Field], build: Builder, of_path: Expression | None, *, letters: bool = False
) -> str:
    """Return the view of the rows with the typed columns, the fields of the path, `_bad` and `_text`.

    `_bad` includes a time that is null or out of range. `letters`: the rows are for dead letters (see `FileSource`).
    """
    view = _typed_columns(topic, columns, build, of_path, letters=letters)
    field, otherwise = _declared_time(topic, columns)[0], text(f"timestamp: {NO_TIME}")
    problem = otherwise
    if topic.event_time is not None:
        problem = f"if({field} IS NULL, {otherwise}, {text(f'{field_path(topic)}: {NO_TIME}')})"
    bad = f"coalesce(_bad, if({_time(topic, columns)} BETWEEN 0L AND {LATEST}L, NULL, {problem}))"
    replacements = [("_bad", bad)]
    # Rows of other formats have their text.
    if topic.files is not None and topic.files.format == "parquet":
        cells = struct((f.name, worded(f"c{i}", f.type)) for i, f in enumerate(columns))
        words = f"to_json({cells}, map('ignoreNullFields', 'false'))"
        replacements.append(("_text", f"if({bad} IS NULL, NULL, {words})"))
    others = f"* EXCEPT ({listed(name for name, _ in replacements)})"
    record = Select((others, *(f"{value} AS {name}" for name, value in replacements)), view)
    return build.add("timely", record, "a record has a time")


def _typed_columns(
    topic: Topic, columns: Sequence[Field], build: Builder, of_path: Expression | None, *, letters: bool
) -> str:
    """Return the view of the rows with the typed columns. `_bad` is the problem of values that do not fit."""
    files = topic.files
    assert files is not None and isinstance(topic.value.type, Struct)
    specials = [f for f in topic.value.type.fields if is_special(f, files)]
    selection = "" if of_path is None else _file_selection(files, specials, of_path)
    source = build.files(topic.name, files, tuple(columns), selection, letters=letters)
    path_fields = (f"{_path_field(f.name, files)} AS {_special(f.name)}" for f in specials)
    build.add(
        "placed",
        f"SELECT *, {_path_below_root(files)} AS _fqn FROM {source}",
        "where each file lies below the topic's root",
    )
    view = build.add(
        "pathed", f"SELECT {listed(('*', *path_fields))} FROM {build.last}", "the columns of the file's path"
    )
    if of_path is not None:
        value = struct((f.name, _special(f.name)) for f in specials)
        view = build.add(
            "wanted",
            f"SELECT * EXCEPT (v0) FROM (SELECT *, {value} AS v0 FROM {view})\nWHERE {sql(of_path)}",
            "files that the filter leaves out are not read",
        )
    if files.format == "json" or files.is_array:
        return _lines(topic, files, columns, view, build)
    other_columns = ["_path", "_at", *(_special(f.name) for f in specials)]
    if files.format == "csv" and columns:
        return _cells(topic, columns, other_columns, view, build)
    values = [_defaulted(f"c{i}", f, files) for i, f in enumerate(columns)]
    typed = [f"{value} AS c{i}" for i, value in enumerate(values)]
    problems = [_missing_problem(f, value) for f, value in zip(columns, values, strict=True) if not f.nullable]
    return build.add(
        "typed",
        Select((*other_columns, *typed, f"{_row_problem(problems)} AS _bad", "_text"), view),
        f"the columns of {topic.name} that are asked for",
    )


def _cells(topic: Topic, columns: Sequence[Field], other_columns: Sequence[str], view: str, build: Builder) -> str:
    """Return the view of CSV rows with the typed columns `c<n>`, from the texts `t<n>` of the cells.

    An array with one element is exploded, because Spark pushes no filter below a generator. Otherwise it would push the
    filter on `_bad` down to the texts, and convert each cell twice.
    """
    files = topic.files
    assert files is not None
    cells = [_cell(i, f, files) for i, f in enumerate(columns)]
    values = (f"{_value(c, f.type)} AS c{i}" for i, (f, c) in enumerate(zip(columns, cells, strict=True)))
    texts = (f"t{i}" for i, _ in enumerate(columns))
    build.add(
        "valued",
        Select((*other_columns, "_bad", "_text", *texts, (f"inline(array(struct({listed(values)})))",)), view),
        f"the columns of {topic.name} that are asked for",
    )
    problems = (_cell_problem(f, c, f"c{i}") for i, (f, c) in enumerate(zip(columns, cells, strict=True)))
    bad = _row_problem([problem for problem in problems if problem is not None])
    words = f"coalesce(_text, to_json(array({listed(cells)}), map('ignoreNullFields', 'false')))"
    typed_columns = (f"c{i}" for i, _ in enumerate(columns))
    typed = Select((*other_columns, *typed_columns, (f"{bad} AS _bad", f"{words} AS _text")), build.last)
    return build.add("typed", typed, "what is wrong with them")


def _path_below_root(files: Files) -> str:
    """Return the SQL of the path of a file below the root of the topic, from `_path`."""
    below = f"substring(_path, {len(files.root) + 2})" if files.root else "_path"
    # If the pattern of the topic is the path of one file, the root is that path.
    return f"if(length(_path) > {len(files.root)}, {below}, substring_index(_path, '/', -1))"


def _file_selection(files: Files, specials: Sequence[Field], of_path: Expression) -> str:
    """Return the query for `FileSource.wanted`: the paths of the files that satisfy a filter."""
    value = struct(tuple((f.name, _path_field(f.name, files)) for f in specials))
    paths = f"SELECT _path, {_path_below_root(files)} AS _fqn FROM $FILES"
    return f"SELECT _path FROM (SELECT _path, {value} AS v0 FROM ({paths})) WHERE {sql(of_path)}"


def _lines(topic: Topic, files: Files, columns: Sequence[Field], view: str, build: Builder) -> str:
    """Return the view of the rows with the typed columns, from lines.

    The lines are JSON, or CSV without a header and a declared schema: then the only column is the array of the cells.
    """
    assert isinstance(topic.value.type, Struct)
    specials = [_special(f.name) for f in topic.value.type.fields if is_special(f, files)]
    other_columns = ("_path", "_at", *specials)
    if files.is_array:
        nulls = listed(map(text, ("", *files.null)))
        pieces = f"regexp_extract_all(concat({text(files.delimiter)}, _line), {text(delimited(files.delimiter))}, 1)"
        plain = "replace(substring(e, 2, length(e) - 2), '\"\"', '\"')"
        build.add("split", f"SELECT *, {pieces} AS _cells FROM {view}", "the cells of each line")
        size = "aggregate(_cells, 0, (n, e) -> n + length(e)) + size(_cells)"
        problem = text("a quote is not closed, or stands inside of a cell")
        texts = f"transform(_cells, e -> if(e IN ({nulls}), NULL, if(startswith(e, '\"'), {plain}, e)))"
        cells = (f"{texts} AS c0",) if columns else ()
        bad = f"if({size} <> length(_line) + 1, {problem}, NULL) AS _bad"
        typed = Select((*other_columns, *cells, (bad, "_line AS _text")), build.last)
        return build.add("typed", typed, "each line as the array of its cells")
    names = ", ".join(text(f.name.lower()) for f in columns)
    line = "_line"
    if columns:
        exact = f"map({', '.join(f'{text(f.name.lower())}, {text(f.name)}' for f in columns)})"
        schema_name = f"coalesce(try_element_at({exact}, lower(e.key)), e.key)"
        other_case = f"exists(json_object_keys(_line), k -> array_contains(array({names}), lower(k)) AND "
        other_case += f"NOT array_contains(array({', '.join(text(f.name) for f in columns)}), k))"
        entries = (
            f"transform(map_entries(from_json(_line, 'map<string,variant>')), e -> struct({schema_name}, e.value))"
        )
        matches = f"filter(json_object_keys(_line), k -> array_contains(array({names}), lower(k)))"
        lower_names = f"transform({matches}, k -> lower(k))"
        has_duplicates = f"size(array_distinct({lower_names})) < size({lower_names})"
        # A line with the same name twice is not changed. It is reported as invalid JSON below.
        is_json = "size(array_distinct(json_object_keys(_line))) = size(json_object_keys(_line))"
        is_renamed = f"coalesce({other_case}, FALSE) AND NOT {has_duplicates} AND {is_json}"
        line = f"if({is_renamed}, to_json(map_from_entries({entries})), _line)"
        problem = text("two names differ in letter case alone")
        fault = f"if({has_duplicates}, {problem}, _bad)"
        build.add("spelled", f"SELECT *, {line} AS _json, {fault} AS _twice FROM {view}",
                  "names as the schema spells them")  # fmt: skip
    else:
        build.add("spelled", f"SELECT *, _line AS _json, _bad AS _twice FROM {view}", "the lines")
    loose = Struct(tuple(Field(f.name, f.type, f.nullable or files.default(f.name) is not None) for f in columns))
    build.add(
        "judged", f"SELECT *, coalesce(_twice, {reason_of(loose, '_json')}) AS _wrong FROM {build.last}",
        "what is wrong with each line",
    )  # fmt: skip
    schema = ", ".join(f"{ticked(f.name)} {type_text('spark', f.type)}" for f in columns)
    json = rewritten("_json", for_spark(Struct(tuple(columns))))
    parsed = f"if(_wrong IS NULL, from_json({json}, {text(schema)}), NULL) AS _r" if columns else "NULL AS _r"
    build.add("parsed", f"SELECT *, {parsed} FROM {build.last}", "the columns that are asked for")
    values = (f"{_defaulted(f'_r.{ticked(f.name)}', f, files)} AS c{i}" for i, f in enumerate(columns))
    selection = listed((*other_columns, *values, "_wrong AS _bad", "_line AS _text"))
    return build.add("typed", f"SELECT {selection} FROM {build.last}", "one column each")


def _defaulted(column: str, field: Field, files: Files) -> str:
    default = files.default(field.name)
    return column if default is None else f"coalesce({column}, {_value(text(default), field.type)})"


def _cell(index: int, field: Field, files: Files) -> str:
    """Return the SQL of the text of a cell, after the null marks and the default of the topic."""
    cell = f"t{index}"
    if files.null:
        cell = f"if({cell} IN ({', '.join(map(text, files.null))}), NULL, {cell})"
    default = files.default(field.name)
    return cell if default is None else f"coalesce({cell}, {text(default)})"


def _value(cell: str, type: DataType) -> str:
    """Return the SQL of the value of a cell, or null for a text that is no value of the type (see `types.cells`)."""
    valid_text = pattern(type)
    if valid_text is None:
        return cell
    match type:
        case data.BOOLEAN:
            value = f"lower({cell}) = 'true'"
        case data.BYTES:
            value = f"unbase64({cell})"
        case _:
            value = f"try_cast({cell} AS {type_text('spark', type)})"
    return f"if({cell} RLIKE {text(f'^(?:{valid_text})' + chr(92) + 'z')}, {value}, NULL)"


def _cell_problem(field: Field, cell: str, value: str) -> str | None:
    """Return the SQL of the problem of a cell, or null; None if every text is valid."""
    missing = "NULL" if field.nullable else _missing_problem(field, value)
    if pattern(field.type) is None:
        return None if field.nullable else missing
    problem = text(f"{quote(field.name)}: expected {field.type}")
    return f"if({value} IS NULL AND {cell} IS NOT NULL, {problem}, {missing})"


def _missing_problem(field: Field, value: str) -> str:
    """Return the SQL of the problem of a field that is NOT NULL without a value, or null."""
    return f"if({value} IS NULL, {text(f'{quote(field.name)}: expected {field.type} NOT NULL')}, NULL)"


def _row_problem(problems: Sequence[str]) -> str:
    """Return the SQL of all problems of a row, joined, or null. `_bad` takes precedence."""
    return f"coalesce(_bad, nullif(concat_ws('; ', {', '.join(problems)}), ''))" if problems else "_bad"


def _special(name: str) -> str:
    return ticked(f"s_{name}")


def _path_field(name: str, files: Files) -> str:
    """Return the SQL of a field that is taken from the path, from `_fqn`."""
    special = special_of(name, files)
    assert special is not None
    if isinstance(special, PartitionColumn):
        return f"if(size(split(_fqn, '/')) - 1 > {special.level}, get(split(_fqn, '/'), {special.level}), NULL)"
    last = "substring_index(_fqn, '/', -1)"
    match special.what:
        case "fqn":
            return "_fqn"
        case "filepath":
            return "if(locate('/', _fqn) > 0, substring(_fqn, 1, length(_fqn) - locate('/', reverse(_fqn))), '')"
        case "filename":
            return last
        case "suffix":
            return f"if(locate('.', {last}) > 0, substring_index({last}, '.', -1), '')"


def _column(name: str, columns: Sequence[Field]) -> str:
    return f"c{next(i for i, f in enumerate(columns) if f.name == name)}"


def _field(field: Field, files: Files, columns: Sequence[Field]) -> str:
    return _special(field.name) if is_special(field, files) else _column(field.name, columns)


def _key(files: Files, columns: Sequence[Field]) -> str:
    if not files.key:
        return "CAST(NULL AS INT)"
    if len(files.key) == 1:
        return _column(files.key[0], columns)
    return struct(tuple((name, _column(name, columns)) for name in files.key))


def _order_by(files: Files, columns: Sequence[Field]) -> str:
    """Return the SQL of the column that orders the rows of a file, as BIGINT."""
    assert files.order_by is not None
    field = next(f for f in columns if f.name == files.order_by)
    column = _column(field.name, columns)
    match field.type:
        case data.TIMESTAMP:
            column = f"unix_micros({column})"
        case data.DATE:
            column = f"unix_date({column}) * 86400000L"
    return f"coalesce(CAST({column} AS BIGINT), {_LEAST}L)"


def _order_within() -> str:
    """Return the SQL of `scan.data_files.DataFile.within`, the order of files of the same second."""
    return f"_at % 1000 * {1 << 42}L + CAST(conv(substring(md5(_path), 1, 10), 16, 10) AS BIGINT)"


def _time(topic: Topic, columns: Sequence[Field]) -> str:
    _, millis = _declared_time(topic, columns)
    return f"coalesce({millis}, _at)" if topic.event_time else "_at"


def _declared_time(topic: Topic, columns: Sequence[Field]) -> tuple[str, str]:
    """Return the SQL of the field that the topic declares as event time, and of its milliseconds.

    Both are empty if the topic declares none.
    """
    if topic.event_time is None:
        return "", ""
    path = topic.event_time.split(".")
    type: DataType = topic.value.type
    for name in path:
        member = type.field(name) if isinstance(type, Struct) else None
        type = member.type if member else data.NULL
    field = ".".join([_column(path[0], columns), *map(ticked, path[1:])])
    return field, f"unix_millis(CAST({field} AS TIMESTAMP))" if type in (data.TIMESTAMP, data.DATE) else field
