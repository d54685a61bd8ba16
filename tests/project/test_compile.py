"""A project to its plans, and what a second build need not do again."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from lsqlc.project.build import cache
from lsqlc.project.build.compile import Compilation, compile_project
from lsqlc.project.build.entries import read_entries, write_entries
from lsqlc.project.build.manifest import manifest_bytes, topic_data, topic_from
from lsqlc.project.declared.schema_files import listed_endings
from lsqlc.project.discovery import load_project
from lsqlc.project.selection.selectors import Selection
from lsqlc.project.user_cache import sealed, unsealed

from .conftest import Write

KEY = b"k" * 32
TOPICS = "topics:\n  - {name: t, key: INT, value: 'id INT, name STRING'}\n"
GOOD: dict[str, str | bytes] = {
    "models/topics.yml": TOPICS,
    "models/first.sql": "INSERT INTO mid SELECT STREAM id, name AS called FROM t",
    "models/second.sql": "SELECT STREAM called FROM mid",
    "models/third.sql": "SELECT STREAM called AS x FROM {{ ref('second') }}",
}


def build(root: Path, **options: object) -> Compilation:
    loaded = load_project(root)
    assert loaded.project is not None
    return compile_project(loaded.project, **options)  # type: ignore[arg-type]


def statuses(compilation: Compilation) -> dict[str, str]:
    return {name: build.status for name, build in compilation.models.items()}


def places(compilation: Compilation) -> list[tuple[str, str, int | None, int | None]]:
    return [(d.code, d.span.path if d.span else "", d.line, d.column) for d in compilation.diagnostics]


def test_schemas_flow_down_the_graph(project: Write) -> None:
    """Each model is compiled against what the models above it write, in order of dependency."""
    compilation = build(project(GOOD))
    assert compilation.ok
    assert list(compilation.plans) == ["first", "second", "third"]
    assert str(compilation.topics["third"].value.type) == "STRUCT<x: STRING>"
    assert compilation.graph.upstream == {"first": (), "second": ("first",), "third": ("second",)}


def test_a_failed_model_is_told_once(project: Write) -> None:
    """What reads it, near or far, is skipped with a note; what does not goes on."""
    files = {
        **GOOD,
        "models/first.sql": "INSERT INTO mid SELECT STREAM nme FROM t",
        "models/other.sql": "SELECT STREAM id FROM t",
    }
    compilation = build(project(files))
    assert statuses(compilation) == {"first": "failed", "other": "compiled", "second": "skipped", "third": "skipped"}
    assert [(d.code, d.is_error) for d in compilation.diagnostics] == [
        ("LSQ201", True), ("LSQ033", False), ("LSQ033", False),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("models/first.sql", "INSERT INTO mid SELECT STREAM ((id FROM t"),
        ("models/first.sql", "INSERT INTO mid SELECT STREAM {{ nix }} FROM t"),
        ("models/first.sql", ""),
        ("models/mid.sql", b"\xff"),
        ("models/topics.yml", "topics:\n  - {name: t, key: INT, value: 'id IN'}\n"),
    ],
)
def test_every_kind_of_failure_skips_its_readers(project: Write, name: str, content: str | bytes) -> None:
    """A program, a template, an empty or unreadable file, a declaration: one error, and no guesswork below it."""
    files = {**GOOD, name: content}
    if name == "models/mid.sql":
        del files["models/first.sql"]
    compilation = build(project(files))
    errors = [d for d in compilation.diagnostics if d.is_error]
    empty_first = content == ""
    assert len(errors) == (2 if empty_first else 1)
    assert not compilation.plans


def test_a_declared_topic_stands_without_its_writer(project: Write) -> None:
    """A reader of a declared topic compiles even when the model that writes it fails."""
    files = {
        **GOOD,
        "models/first.sql": "INSERT INTO mid SELECT STREAM nme FROM t",
        "models/mid.yml": "topics:\n  - {name: mid, key: INT, value: 'id INT, called STRING'}\n",
    }
    assert statuses(build(project(files))) == {"first": "failed", "second": "compiled", "third": "compiled"}


def test_errors_in_rendered_text_are_shown_in_the_template(project: Write) -> None:
    """The binder's error in line 1 of the rendered text lies in line 3 of the file."""
    files = {**GOOD, "models/second.sql": "{#\n\n#}SELECT STREAM {{ var('c', 'called') }}, nix FROM mid"}
    assert places(build(project(files))) == [
        ("LSQ201", "models/second.sql", 3, 43), ("LSQ033", "models/third.sql", 1, 32),
    ]  # fmt: skip


def test_cycles_and_double_writers_do_not_stop_the_rest(project: Write) -> None:
    """Graph errors are told once, and models apart from them have plans."""
    files = {
        **GOOD,
        "models/x.sql": "SELECT STREAM id FROM y",
        "models/y.sql": "SELECT STREAM id FROM x",
        "models/z.sql": "INSERT INTO mid SELECT STREAM name FROM t",
    }
    compilation = build(project(files))
    assert [d.code for d in compilation.diagnostics] == ["LSQ030", "LSQ031"]
    assert {"first", "second", "third"} <= set(compilation.plans)


def test_selection_compiles_what_is_above_and_tells_nothing_else(project: Write) -> None:
    """Only the chosen models have their plans handed out; errors of models that play no part are not told."""
    files = {**GOOD, "models/broken.sql": "SELECT STREAM ((", "models/worse.sql": "{{ nix }}"}
    compilation = build(project(files), select=Selection(("second",)))
    assert compilation.ok
    assert (list(compilation.models), list(compilation.plans)) == (["first", "second"], ["second"])
    assert [d.code for d in build(project(files), select=Selection(("sekond",))).diagnostics] == ["LSQ040"]


def test_the_manifest_is_the_same_bytes_everywhere(project: Write, tmp_path: Path) -> None:
    """Two builds give one manifest, with sorted keys and no absolute path."""
    root = project(GOOD)
    one, two = (manifest_bytes(build(root).manifest("0")) for _ in range(2))
    assert one == two
    assert str(tmp_path).encode() not in one
    data = json.loads(one)
    assert data["models"]["third"]["depends_on"] == ["second"]
    assert list(data["models"]["third"]) == sorted(data["models"]["third"])
    for topic in build(root).topics.values():
        assert topic_from(topic_data(topic)) == topic


def test_an_unchanged_model_is_not_compiled_again(project: Write) -> None:
    """After an edit the model and those whose input schema changed are compiled; plans are made when wanted."""
    root = project(GOOD)
    before = build(root).entries
    again = build(root, cache=before, plans=False)
    assert set(statuses(again).values()) == {"cached"}
    assert manifest_bytes(again.manifest("0")) == manifest_bytes(build(root).manifest("0"))
    project({"models/second.sql": "SELECT STREAM called FROM mid WHERE called <> 'x'"})
    edited = build(root, cache=before, plans=False)
    assert statuses(edited) == {"first": "cached", "second": "compiled", "third": "cached"}
    project({"models/second.sql": "SELECT STREAM called, 1 AS n FROM mid"})
    changed = build(root, cache=before, plans=False)
    assert statuses(changed) == {"first": "cached", "second": "compiled", "third": "compiled"}
    assert manifest_bytes(changed.manifest("0")) == manifest_bytes(build(root).manifest("0"))
    wanted = build(root, cache=changed.entries, select=Selection(("third",)))
    assert statuses(wanted) == {"first": "cached", "second": "cached", "third": "compiled"}


def test_a_cached_model_keeps_its_warnings(project: Write) -> None:
    """What a build said of a model, a build that reads it from the cache says too."""
    root = project({"models/topics.yml": TOPICS, "models/a.sql": "SET consumer.x = '1'; SELECT STREAM id, FROM t"})
    first = build(root)
    assert first.ok and first.diagnostics
    again = build(root, cache=first.entries, plans=False)
    assert statuses(again) == {"a": "cached"}
    assert again.diagnostics == first.diagnostics
    assert build(root, cache=first.entries).diagnostics == first.diagnostics


def test_entries_survive_a_file_and_nothing_else_does(project: Write) -> None:
    """Entries come back as they were; a damaged file, or one of another lsqlc, is no cache."""
    root = project(GOOD)
    entries = build(root).entries
    assert write_entries(root, "target", "s", entries, KEY) == ()
    assert read_entries(root, "target", "s", KEY) == entries
    assert read_entries(root, "target", "other", KEY) == {}
    file = root / "target/cache/models"
    content = unsealed(KEY, "lsqlc models", file.read_bytes())
    assert content is not None and read_entries(root, "target", "s", None) == {}
    for bad in (
        b"",
        b"[]",
        b"\xff",
        content[:-9],
        content.replace(b"STRUCT<", b"STRUCK<"),
        content.replace(b'"tags"', b'"togs"'),
    ):
        file.write_bytes(sealed(KEY, "lsqlc models", bad))
        assert read_entries(root, "target", "s", KEY) == {}
        file.write_bytes(bad)
        assert read_entries(root, "target", "s", KEY) == {}


def keep(root: Path, stamp: str = "s", salt: str = "x") -> bytes:
    compilation = build(root)
    content = manifest_bytes(compilation.manifest("0"))
    config = compilation.project.config
    summary = {"models": len(compilation.models)}
    kept = cache.Build(compilation.project.texts, config.model_paths, content, summary, compilation.diagnostics)
    problems = cache.keep(root, config.target_path, kept, cache.Origin(stamp, salt, KEY))
    assert not problems
    return content


def test_an_unchanged_project_is_recognised(project: Write) -> None:
    """The same contents, whatever their times, need no work, and what the build said comes back."""
    root = project(
        {**GOOD, "lsqlc.yml": "name: p\ntarget-path: 'out' # here\n", "models/bom.yml": b"\xef\xbb\xbf# x\n"}
    )
    content = keep(root)
    project({"models/first.sql": GOOD["models/first.sql"]})
    found = cache.look(root, stamp="s", salt="x", key=KEY).unchanged
    assert found is not None
    assert (found.manifest.read_bytes(), found.summary) == (content, {"models": 3})


@pytest.mark.parametrize(
    "change",
    [
        {"models/first.sql": "INSERT INTO mid SELECT STREAM id, name AS kalled FROM t"},
        {"models/new.sql": "SELECT STREAM id FROM t"},
        {"models/new.yaml": ""},
        {"macros/new.sql": ""},
        {"lsqlc.yml": "name: test2\n"},
        {"target/manifest.json": "{}"},
        {"target/cache/state": "{"},
        *({"target/cache/state": sealed(KEY, "lsqlc state", bad)} for bad in (b"{", b"[]", b"\xff", b"[" * 100_000)),
    ],
)
def test_any_change_is_noticed(project: Write, change: dict[str, str | bytes]) -> None:
    """An edit, a new file, another setting, a foreign manifest, a damaged cache: all mean work."""
    root = project(GOOD)
    keep(root)
    assert cache.look(root, stamp="s", salt="x", key=KEY).unchanged is not None
    project(change)
    assert cache.look(root, stamp="s", salt="x", key=KEY).unchanged is None


def test_removed_files_and_other_surroundings_are_noticed(project: Write) -> None:
    """A model that is gone, another lsqlc, another variable: all mean work."""
    root = project(GOOD)
    keep(root)
    assert cache.look(root, stamp="t", salt="x", key=KEY).unchanged is None
    assert cache.look(root, stamp="s", salt="y", key=KEY).unchanged is None
    (root / "models/third.sql").unlink()
    assert cache.look(root, stamp="s", salt="x", key=KEY).unchanged is None
    assert cache.look(root / "models", stamp="s", salt="x", key=KEY).unchanged is None


def test_a_cache_of_a_newer_release_is_made_anew(project: Write) -> None:
    """Another format is no cache, even of the same stamp."""
    root = project(GOOD)
    keep(root)
    file = root / "target/cache/state"
    assert cache.look(root, stamp="s", salt="x", key=KEY).unchanged is not None
    content = unsealed(KEY, "lsqlc state", file.read_bytes())
    assert content is not None
    file.write_bytes(sealed(KEY, "lsqlc state", json.dumps(json.loads(content) | {"format": 2}).encode()))
    assert cache.look(root, stamp="s", salt="x", key=KEY).unchanged is None
    keep(root)
    assert cache.look(root, stamp="s", salt="x", key=KEY).unchanged is not None


def test_salt_sees_what_templates_see() -> None:
    """Variables and LSQLC_ names count; secrets and the rest of the environment do not."""
    plain = cache.salt({}, {})
    assert cache.salt({"a": 1}, {}) != plain != cache.salt({}, {"LSQLC_A": "1"})
    assert cache.salt({}, {"LSQLC_SECRET_A": "1", "HOME": "/h"}) == plain
    assert cache.stamp("1") == cache.stamp("1") != cache.stamp("2")


def test_an_unwritable_target_is_an_error(project: Write) -> None:
    """A file in the place of the target folder gives one clear error and stays as it is."""
    root = project({**GOOD, "target": "mine"})
    (problem,) = cache.write(root / "target/manifest.json", b"{}", "target/manifest.json")
    assert (problem.code, (root / "target").read_text()) == ("LSQ034", "mine")


def test_the_unchanged_path_loads_no_compiler() -> None:
    """Importing the cache brings in neither YAML nor Jinja, sqlglot, msgspec or the plan."""
    code = "import sys, lsqlc.project.build.cache; print(*sorted(sys.modules))"
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert not loaded & {
        "yaml",
        "jinja2",
        "sqlglot",
        "msgspec",
        "lsqlc.plan",
        "lsqlc.syntax",
        "lsqlc.project.build.compile",
    }


def test_the_cache_knows_the_files_that_may_be_parts_of_a_schema() -> None:
    """It cannot import what declares them."""
    assert listed_endings() == cache.LISTED_ENDINGS


LETTERS = "SET error.policy = 'dlq'; SET dead.letter.queue = 'bad';\n"


def test_models_share_a_dead_letter_topic(project: Write) -> None:
    """Bad records of several models go to one topic, which is nobody's result; the models do not depend on each
    other for it.
    """
    files = {**GOOD, **{path: f"{LETTERS}{GOOD[path]!s}" for path in ("models/first.sql", "models/second.sql")}}
    compilation = build(project(files))
    assert compilation.ok
    assert [t.name for t in compilation.models["second"].outputs] == ["second", "bad"]
    assert compilation.graph.upstream["third"] == ("second",)


@pytest.mark.parametrize(
    ("columns", "codes"),
    [
        ("topic STRING NOT NULL, ordinal BIGINT, reason STRING NOT NULL, record STRING NOT NULL", []),
        ("topic STRING, offset BIGINT, value STRING", []),
        ("reason STRING, topic STRING", ["LSQ328"]),
        ("topic STRING, more STRING", ["LSQ328"]),
        ("topic STRING, offset INT", ["LSQ328"]),
    ],
)
def test_a_declared_dead_letter_topic_has_some_columns(project: Write, columns: str, codes: list[str]) -> None:
    """Those that readers read, in their order."""
    topics = f"topics: [{{name: bad, value: '{columns}'}}]\n"
    files = {**GOOD, "models/first.sql": f"{LETTERS}{GOOD['models/first.sql']!s}", "models/letters.yml": topics}
    assert [d.code for d in build(project(files)).diagnostics if d.is_error] == codes


def test_a_dead_letter_topic_is_no_target_of_another_model(project: Write) -> None:
    """Told at the target, since its schema would be another."""
    files = {
        **GOOD,
        "models/first.sql": f"{LETTERS}{GOOD['models/first.sql']!s}",
        "models/other.sql": "INSERT INTO bad SELECT STREAM id FROM t",
    }
    assert places(build(project(files))) == [("LSQ031", "models/other.sql", 1, 13)]


def test_what_loops_macros_and_variables_gave_is_found_where_they_stand(project: Write) -> None:
    """Each fault of the rendered text is told at the words of the template, in the template's lines."""
    template = """{% macro plus(name) %}{{ name }} + 1{% endmacro %}
{{ config(tags=['x']) }}
INSERT INTO late
SELECT STREAM
{% for field in ['id', 'nme'] %}
  {{ field }} AS {{ field }}_{{ loop.index }},
{% endfor %}
  {{ plus('name') }} AS x
FROM {{ source('t') }}
WHERE {{ var('limit', 'id') }} > 'a' AND idd = 1"""
    found = places(build(project({**GOOD, "models/late.sql": template})))
    assert sorted(found) == [
        ("LSQ201", "models/late.sql", 6, 3),
        ("LSQ201", "models/late.sql", 10, 42),
        ("LSQ212", "models/late.sql", 8, 3),
        ("LSQ213", "models/late.sql", 10, 7),
    ]
