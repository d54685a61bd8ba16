"""From a folder to a project."""

from __future__ import annotations

from pathlib import Path

import pytest

from lsqlc.diagnostics import Diagnostic
from lsqlc.project.discovery import load_project
from lsqlc.project.files import decode, find
from lsqlc.project.model import Project

from .conftest import Write


def load(root: Path) -> tuple[Project, tuple[Diagnostic, ...]]:
    loaded = load_project(root)
    assert loaded.project is not None
    return loaded.project, loaded.diagnostics


def test_a_project_is_read_in_order_of_names(project: Write) -> None:
    """Models of all folders, hidden files left out, with what YAML and config() say of them."""
    root = project(
        {
            "lsqlc.yml": "name: p\ndefaults: {tags: [all]}\n",
            "models/z/b.sql": "{{ config(tags='own') }}SELECT STREAM * FROM {{ ref('a') }}",
            "models/a.sql": "INSERT INTO out-topic SELECT STREAM * FROM t",
            "models/.hidden.sql": "x",
            "models/.git/c.sql": "x",
            "models/b.yaml": "models:\n  - {name: b, owner: ops, tags: said, config: {nullability: strict}}\n",
        }
    )
    loaded, problems = load(root)
    assert not problems
    assert [m.name for m in loaded.models] == ["a", "b"]
    b = loaded.models[1]
    assert (b.path, b.text, b.refs) == ("models/z/b.sql", "SELECT STREAM * FROM out-topic", ("a",))
    assert (b.tags, b.owner, b.nullability) == (("all", "said", "own"), "ops", "strict")


def test_no_project(tmp_path: Path) -> None:
    """A folder without project file gives the one error that says so."""
    loaded = load_project(tmp_path)
    assert (loaded.project, [d.code for d in loaded.diagnostics]) == (None, ["LSQ008"])


@pytest.mark.parametrize(
    ("files", "code", "path", "line", "column"),
    [
        ({"models/a.sql": b"SELECT 1\n-- \xc3\xa9 \xff"}, "LSQ002", "models/a.sql", 2, 6),
        ({"models/a.yml": b"\xff"}, "LSQ002", "models/a.yml", 1, 1),
        ({"lsqlc.yml": b"\xff"}, "LSQ002", "lsqlc.yml", 1, 1),
        ({"lsqlc.yml": "a: [\n"}, "LSQ003", "lsqlc.yml", 2, 1),
        ({"models/a.sql": " \n"}, "LSQ015", "models/a.sql", 1, 1),
        ({"models/a.sql": "{% if 0 %}x{% endif %}"}, "LSQ015", "models/a.sql", 1, 1),
        ({"models/a.sql": "x", "models/b/A.sql": "x"}, "LSQ014", "models/b/A.sql", 1, 1),
        ({"models/a b.sql": "x"}, "LSQ019", "models/a b.sql", 1, 1),
        ({"models/a.sql": "x", "models/m.yml": "models:\n  - name: aa\n"}, "LSQ013", "models/m.yml", 2, 11),
        (
            {"models/a.yml": "topics: [{name: t, key: INT}]", "models/b.yml": "topics: [{name: t, key: INT}]"},
            "LSQ012", "models/b.yml", 1, 17,
        ),
        (
            {"models/a.sql": "INSERT INTO x SELECT 1; INSERT INTO y SELECT 1", "models/b.sql": "{{ ref('a') }}"},
            "LSQ022", "models/b.sql", 1, 9,
        ),
        ({"macros/m.sql": "\n{% macro %}"}, "LSQ020", "macros/m.sql", 2, 10),
    ],
)  # fmt: skip
def test_bad_files_are_told_at_their_place(
    project: Write, files: dict[str, str | bytes], code: str, path: str, line: int, column: int
) -> None:
    """Each kind of bad file gives one diagnostic, and never a traceback."""
    (found,) = load_project(project(files)).diagnostics
    assert found.span is not None
    assert (found.code, found.span.path, found.line, found.column) == (code, path, line, column)


def test_links_out_of_the_project_are_refused(project: Write, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Neither a linked file nor a linked folder brings in what lies elsewhere; a link inside the project is fine."""
    outside = tmp_path_factory.mktemp("outside")
    (outside / "x.sql").write_text("SELECT 1")
    root = project({"models/a.sql": "SELECT 1", "other/b.sql": "SELECT 1"})
    (root / "models/link.sql").symlink_to(outside / "x.sql")
    (root / "models/folder").symlink_to(outside)
    (root / "models/inner.sql").symlink_to(root / "other/b.sql")
    (root / "models/loop").symlink_to(root / "models")
    loaded, problems = load(root)
    assert [(d.code, d.message) for d in problems] == [
        ("LSQ009", "'models/folder' leads out of the project"),
        ("LSQ009", "'models/link.sql' leads out of the project"),
    ]
    assert [m.name for m in loaded.models] == ["a", "inner"]


def test_a_linked_model_folder_is_refused(project: Write, tmp_path_factory: pytest.TempPathFactory) -> None:
    """The folder of model-paths itself must lie in the project."""
    root = project({})
    (root / "models").symlink_to(tmp_path_factory.mktemp("outside"))
    assert [d.code for d in load(root)[1]] == ["LSQ009"]


def test_a_missing_model_folder_is_told(project: Write) -> None:
    """A folder that somebody named and nobody made is a slip of the pen."""
    assert [d.code for d in load(project({"lsqlc.yml": "name: p\nmodel-paths: [modles]\n"}))[1]] == ["LSQ001"]


def test_an_unreadable_entry_is_told(project: Write) -> None:
    """A dangling link has the name of a model and no content."""
    root = project({"models/a.sql": "SELECT 1"})
    (root / "models/gone.sql").symlink_to(root / "models/nowhere.sql")
    loaded, problems = load(root)
    assert ([d.code for d in problems], loaded.broken_models) == (["LSQ001"], frozenset({"gone"}))


def test_a_byte_order_mark_is_no_character() -> None:
    """Columns count from behind the mark."""
    assert decode(b"\xef\xbb\xbfab", "x").text == "ab"
    (found,) = decode(b"\xef\xbb\xbfab\xff", "x").diagnostics
    assert found.column == 3


def test_files_are_found_in_order(project: Write) -> None:
    """The order is that of the paths, whatever the file system gives."""
    root = project({"m/b.sql": "", "m/a/z.sql": "", "m/a.sql": "", "n/x.sql": "", "m/c.txt": ""})
    assert find(root, ["n", "m", "m/a"], (".sql",)).paths == ("m/a.sql", "m/a/z.sql", "m/b.sql", "n/x.sql")


def test_another_version_spares_reading_what_is_the_same(tmp_path: Path) -> None:
    """With a version that it is like, a project says what it says without one: also where defaults, a schema file that
    the YAML names, or the YAML itself are other ones.
    """
    topics = "topics:\n  - {name: a, value: id INT}\n  - {name: b, value: {format: json, schema: b.json}}\n"
    base = {
        "lsqlc.yml": "name: p\n",
        "models/a.yml": topics,
        "models/c.yml": "topics:\n  - {name: c, value: id INT}\n",
        "models/b.json": '{"type": "object", "properties": {"x": {"type": "string"}}}',
        "models/m.sql": "SELECT STREAM * FROM a",
    }
    edits: list[dict[str, str]] = [
        {},
        {"lsqlc.yml": "name: p\ndefaults: {partitions: 3}\n"},
        {"models/b.json": '{"type": "object", "properties": {"x": {"type": "integer"}}}'},
        {"models/c.yml": "topics:\n  - {name: c, value: id BIGINT}\n"},
        {"models/c.yml": "topics:\n  - {name: c, value: id STRIN}\n"},
    ]
    versions = []
    for number, edit in enumerate(edits):
        for path, text in {**base, **edit}.items():
            file = tmp_path / str(number) / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, "utf-8")
        project = load_project(tmp_path / str(number)).project
        assert project is not None
        versions.append(project)
    for number, project in enumerate(versions):
        for other in versions:
            assert load_project(tmp_path / str(number), like=other).project == project
