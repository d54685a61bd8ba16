"""Scans of topics of files: rows of a `FileSource` to records, without a line of JSON in between."""

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
    """The records of a topic of files. `of_path`: what the paths of the files that are read have to satisfy."""
    topic = node.topic
    assert topic.files is not None and isinstance(node.value.type, Struct)
    columns = needed(topic, node.value.type)
    read = _checked(topic, columns, build, of_path)
    # Spark counts rows on a stream only without its checks; the number is the same whenever a batch is read again.
    build.disable_streaming_checks()
    shift = -SHIFT if node.semantics == "TABLE" else SHIFT
    by = [_by(topic.files, columns)] if topic.files.order_by else []
    ordinal = [f"_at div 1000 + {shift}L", _within(), *by, "monotonically_increasing_id()"]
    value = struct(tuple((f.name, _read(f, topic.files, columns)) for f in node.value.type.fields))
    found = build.add(
        "records",
        f"SELECT array({', '.join(ordinal)}) AS _ord, {_time(topic, columns)} AS _ts,\n"
        f"  {_key(topic.files, columns)} AS k0,\n  {value} AS v0\nFROM {read}",
        "one column for each facet; the ordinal begins with the file's modification time",
    )
    return rows.upserts(build) if node.semantics == "TABLE" else found


def judged(topic: Topic, value: DataType, build: Builder, of_path: Expression | None) -> str:
    """What cannot be read: `_topic`, `_line`, `_bad`. `value` has the fields that are read of the topic, `of_path` is
    as in `scan`, for all queries together.
    """
    assert topic.files is not None and isinstance(value, Struct)
    columns = needed(topic, value)
    view = _typed(topic, columns, build, of_path, letters=True)
    bad = "_bad"
    if topic.files.format == "parquet" and columns:
        # A file that is broken in its middle shows only where it is read: no path is empty, but Spark does not know.
        bad = f"if(_path = '', string(xxhash64({', '.join(f'c{i}' for i, _ in enumerate(columns))})), _bad)"
    return build.add(
        "judged",
        f"SELECT {text(topic.name)} AS _topic, coalesce(_text, '') AS _line, concat(_path, ': ', {bad}) AS _bad\n"
        f"FROM {view}",
        f"what is wrong in the files of {topic.name}",
    )


def _checked(topic: Topic, columns: Sequence[Field], build: Builder, of_path: Expression | None) -> str:
    """The rows that can be read; what is bad fails the query, or is passed over and counted."""
    view = _typed(topic, columns, build, of_path)
    if not build.checks.passes_over:
        said = f"concat({text(f'{topic.name!r} cannot be read: ')}, _path, ': ', _bad, ': ', coalesce(_text, ''))"
        return build.add(
            "good",
            f"SELECT * FROM {view} WHERE if(_bad IS NULL, TRUE, raise_error({said}))",
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
    """The rows with typed columns `c<n>`, those of the path, and why one is bad: what does not fit its type, or else
    its time.
    """
    found = _fitting(topic, columns, build, of_path, letters=letters)
    field, otherwise = _declared_time(topic, columns)[0], text(f"timestamp: {NO_TIME}")
    wrong = otherwise
    if topic.event_time is not None:
        wrong = f"if({field} IS NULL, {otherwise}, {text(f'{field_path(topic)}: {NO_TIME}')})"
    timely = f"coalesce(_bad, if({_time(topic, columns)} BETWEEN 0L AND {LATEST}L, NULL, {wrong}))"
    made = [("_bad", timely)]
    # Cells and lines are their own text.
    if topic.files is not None and topic.files.format == "parquet":
        cells = struct((f.name, worded(f"c{i}", f.type)) for i, f in enumerate(columns))
        words = f"to_json({cells}, map('ignoreNullFields', 'false'))"
        made.append(("_text", f"if({timely} IS NULL, NULL, {words})"))
    others = f"* EXCEPT ({listed(name for name, _ in made)})"
    record = Select((others, *(f"{value} AS {name}" for name, value in made)), found)
    return build.add("timely", record, "a record has a time")


def _fitting(
    topic: Topic, columns: Sequence[Field], build: Builder, of_path: Expression | None, *, letters: bool
) -> str:
    files = topic.files
    assert files is not None and isinstance(topic.value.type, Struct)
    specials = [f for f in topic.value.type.fields if is_special(f, files)]
    wanted = "" if of_path is None else _wanted(files, specials, of_path)
    source = build.files(topic.name, files, tuple(columns), wanted, letters=letters)
    of_file = (f"{_of_path(f.name, files)} AS {_special(f.name)}" for f in specials)
    placed = f"SELECT *, {_below(files)} AS _fqn FROM {source}"
    build.add("placed", placed, "where each file lies below the topic's root")
    placed = build.add(
        "pathed", f"SELECT {listed(('*', *of_file))} FROM {build.last}", "the columns of the file's path"
    )
    if of_path is not None:
        whole = struct((f.name, _special(f.name)) for f in specials)
        placed = build.add(
            "wanted",
            f"SELECT * EXCEPT (v0) FROM (SELECT *, {whole} AS v0 FROM {placed})\nWHERE {sql(of_path)}",
            "files that the filter leaves out are not read",
        )
    if files.format == "json" or files.is_array:
        return _lines(topic, files, columns, placed, build)
    kept = ["_path", "_at", *(_special(f.name) for f in specials)]
    if files.format == "csv" and columns:
        return _cells(topic, files, columns, kept, placed, build)
    values = [_defaulted(f"c{i}", f, files) for i, f in enumerate(columns)]
    typed = [f"{value} AS c{i}" for i, value in enumerate(values)]
    faults = [_missing(f, value) for f, value in zip(columns, values, strict=True) if not f.nullable]
    return build.add(
        "typed",
        Select((*kept, *typed, f"{_faulty(faults)} AS _bad", "_text"), placed),
        f"the columns of {topic.name} that are asked for",
    )


def _cells(
    topic: Topic, files: Files, columns: Sequence[Field], kept: Sequence[str], placed: str, build: Builder
) -> str:
    """The cells of CSV, texts `t<n>`, as values `c<n>`.

    They are taken from an array of one: Spark moves the filter over what is wrong down to the texts, and would make
    each value there and once more above; over what was in an array it does not.
    """
    cells = [_cell(i, f, files) for i, f in enumerate(columns)]
    values = (f"{_value(c, f.type)} AS c{i}" for i, (f, c) in enumerate(zip(columns, cells, strict=True)))
    texts = (f"t{i}" for i, _ in enumerate(columns))
    build.add(
        "valued",
        Select((*kept, "_bad", "_text", *texts, (f"inline(array(struct({listed(values)})))",)), placed),
        f"the columns of {topic.name} that are asked for",
    )
    found = (_fault(f, c, f"c{i}") for i, (f, c) in enumerate(zip(columns, cells, strict=True)))
    bad = _faulty([fault for fault in found if fault is not None])
    words = f"coalesce(_text, to_json(array({listed(cells)}), map('ignoreNullFields', 'false')))"
    named = (f"c{i}" for i, _ in enumerate(columns))
    typed = Select((*kept, *named, (f"{bad} AS _bad", f"{words} AS _text")), build.last)
    return build.add("typed", typed, "what is wrong with them")


def _below(files: Files) -> str:
    """Where a file lies below the topic's root, of `_path`."""
    below = f"substring(_path, {len(files.root) + 2})" if files.root else "_path"
    # A pattern that names one file has no folder below its root.
    return f"if(length(_path) > {len(files.root)}, {below}, substring_index(_path, '/', -1))"


def _wanted(files: Files, specials: Sequence[Field], of_path: Expression) -> str:
    """See `FileSource.wanted`."""
    whole = struct(tuple((f.name, _of_path(f.name, files)) for f in specials))
    placed = f"SELECT _path, {_below(files)} AS _fqn FROM $FILES"
    return f"SELECT _path FROM (SELECT _path, {whole} AS v0 FROM ({placed})) WHERE {sql(of_path)}"


def _lines(topic: Topic, files: Files, columns: Sequence[Field], below: str, build: Builder) -> str:
    assert isinstance(topic.value.type, Struct)
    specials = [_special(f.name) for f in topic.value.type.fields if is_special(f, files)]
    kept = ("_path", "_at", *specials)
    if files.is_array:
        nulls = listed(map(text, ("", *files.null)))
        pieces = f"regexp_extract_all(concat({text(files.delimiter)}, _line), {text(delimited(files.delimiter))}, 1)"
        plain = "replace(substring(e, 2, length(e) - 2), '\"\"', '\"')"
        build.add("split", f"SELECT *, {pieces} AS _cells FROM {below}", "the cells of each line")
        size = "aggregate(_cells, 0, (n, e) -> n + length(e)) + size(_cells)"
        wrong = text("a quote is not closed, or stands inside of a cell")
        made = f"transform(_cells, e -> if(e IN ({nulls}), NULL, if(startswith(e, '\"'), {plain}, e)))"
        cells = (f"{made} AS c0",) if columns else ()
        bad = f"if({size} <> length(_line) + 1, {wrong}, NULL) AS _bad"
        typed = Select((*kept, *cells, (bad, "_line AS _text")), build.last)
        return build.add("typed", typed, "each line as the array of its cells")
    names = ", ".join(text(f.name.lower()) for f in columns)
    line = "_line"
    if columns:
        exact = f"map({', '.join(f'{text(f.name.lower())}, {text(f.name)}' for f in columns)})"
        spelled = f"coalesce(try_element_at({exact}, lower(e.key)), e.key)"
        other = f"exists(json_object_keys(_line), k -> array_contains(array({names}), lower(k)) AND "
        other += f"NOT array_contains(array({', '.join(text(f.name) for f in columns)}), k))"
        entries = f"transform(map_entries(from_json(_line, 'map<string,variant>')), e -> struct({spelled}, e.value))"
        counted = f"filter(json_object_keys(_line), k -> array_contains(array({names}), lower(k)))"
        folded = f"transform({counted}, k -> lower(k))"
        twice = f"size(array_distinct({folded})) < size({folded})"
        # A name that stands twice is not JSON, which the line says where it is judged.
        is_plain = "size(array_distinct(json_object_keys(_line))) = size(json_object_keys(_line))"
        line = (
            f"if(coalesce({other}, FALSE) AND NOT {twice} AND {is_plain}, to_json(map_from_entries({entries})), _line)"
        )
        said = text("two names differ in letter case alone")
        build.add("spelled", f"SELECT *, {line} AS _json, if({twice}, {said}, _bad) AS _twice FROM {below}",
                  "names as the schema spells them")  # fmt: skip
    else:
        build.add("spelled", f"SELECT *, _line AS _json, _bad AS _twice FROM {below}", "the lines")
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
    whole = listed((*kept, *values, "_wrong AS _bad", "_line AS _text"))
    return build.add("typed", f"SELECT {whole} FROM {build.last}", "one column each")


def _defaulted(column: str, field: Field, files: Files) -> str:
    default = files.default(field.name)
    return column if default is None else f"coalesce({column}, {_value(text(default), field.type)})"


def _cell(index: int, field: Field, files: Files) -> str:
    """A cell as text."""
    cell = f"t{index}"
    if files.null:
        cell = f"if({cell} IN ({', '.join(map(text, files.null))}), NULL, {cell})"
    default = files.default(field.name)
    return cell if default is None else f"coalesce({cell}, {text(default)})"


def _value(cell: str, type: DataType) -> str:
    """The value of a cell; null for a text that is no such value. See `types.cells`."""
    wanted = pattern(type)
    if wanted is None:
        return cell
    match type:
        case data.BOOLEAN:
            found = f"lower({cell}) = 'true'"
        case data.BYTES:
            found = f"unbase64({cell})"
        case _:
            found = f"try_cast({cell} AS {type_text('spark', type)})"
    return f"if({cell} RLIKE {text(f'^(?:{wanted})' + chr(92) + 'z')}, {found}, NULL)"


def _fault(field: Field, cell: str, value: str) -> str | None:
    """SQL of what is wrong with a cell, or null; None if nothing can be."""
    missing = "NULL" if field.nullable else _missing(field, value)
    if pattern(field.type) is None:
        return None if field.nullable else missing
    wrong = text(f"{quote(field.name)}: expected {field.type}")
    return f"if({value} IS NULL AND {cell} IS NOT NULL, {wrong}, {missing})"


def _missing(field: Field, value: str) -> str:
    """SQL of what is wrong where a field that is NOT NULL has no value, or null."""
    return f"if({value} IS NULL, {text(f'{quote(field.name)}: expected {field.type} NOT NULL')}, NULL)"


def _faulty(faults: Sequence[str]) -> str:
    """SQL of all that is wrong with a row, or null."""
    return f"coalesce(_bad, nullif(concat_ws('; ', {', '.join(faults)}), ''))" if faults else "_bad"


def _special(name: str) -> str:
    return ticked(f"s_{name}")


def _of_path(name: str, files: Files) -> str:
    """A column of the path, of `_fqn`."""
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


def _read(field: Field, files: Files, columns: Sequence[Field]) -> str:
    return _special(field.name) if is_special(field, files) else _column(field.name, columns)


def _key(files: Files, columns: Sequence[Field]) -> str:
    if not files.key:
        return "CAST(NULL AS INT)"
    if len(files.key) == 1:
        return _column(files.key[0], columns)
    return struct(tuple((name, _column(name, columns)) for name in files.key))


def _by(files: Files, columns: Sequence[Field]) -> str:
    assert files.order_by is not None
    field = next(f for f in columns if f.name == files.order_by)
    column = _column(field.name, columns)
    match field.type:
        case data.TIMESTAMP:
            column = f"unix_micros({column})"
        case data.DATE:
            column = f"unix_date({column}) * 86400000L"
    return f"coalesce(CAST({column} AS BIGINT), {_LEAST}L)"


def _within() -> str:
    """As `project.data_files.DataFile.within`."""
    return f"_at % 1000 * {1 << 42}L + CAST(conv(substring(md5(_path), 1, 10), 16, 10) AS BIGINT)"


def _time(topic: Topic, columns: Sequence[Field]) -> str:
    _, millis = _declared_time(topic, columns)
    return f"coalesce({millis}, _at)" if topic.event_time else "_at"


def _declared_time(topic: Topic, columns: Sequence[Field]) -> tuple[str, str]:
    """The field that the topic declares as its records' time, and its milliseconds; empty where it declares none."""
    if topic.event_time is None:
        return "", ""
    path = topic.event_time.split(".")
    type: DataType = topic.value.type
    for name in path:
        found = type.field(name) if isinstance(type, Struct) else None
        type = found.type if found else data.NULL
    field = ".".join([_column(path[0], columns), *map(ticked, path[1:])])
    return field, f"unix_millis(CAST({field} AS TIMESTAMP))" if type in (data.TIMESTAMP, data.DATE) else field
