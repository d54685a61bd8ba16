"""A pull request is untrusted: whatever stands in a project, building it reads and writes nothing outside of it, tells
no secret, comes to an end, and says what is wrong by a code.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import duckdb
import pytest

from lsqlc.functions import catalogue
from lsqlc.lower.duckdb.database import connect
from tests.lanes import only

from .conftest import Cli, everything

SECRET = "tok-7f3a9"
BASE = {
    "lsqlc.yml": "name: p\n",
    "models/topics.yml": "topics:\n  - {name: t, key: INT, value: 'id INT, s STRING'}\n",
    "models/m.sql": "SELECT STREAM id, s FROM t\n",
    "tests/m.yml": "cases:\n  - name: one\n    model: m\n    inputs: {t: [{key: 1, value: {id: 1}}]}\n",
}
BUILD = (("build",), ("compile", "--write"), ("test", "--update", "all"))


@dataclass(frozen=True)
class Hostile:
    """Files and links (path and where it leads) that a pull request brings, and the code that each command answers."""

    code: str
    files: Mapping[str, str] = field(default_factory=dict)
    links: Mapping[str, str] = field(default_factory=dict)
    commands: tuple[tuple[str, ...], ...] = BUILD


def _yml(text: str) -> dict[str, str]:
    return {"lsqlc.yml": f"name: p\n{text}\n"}


def _topic(text: str) -> dict[str, str]:
    return {"models/x.yml": f"topics:\n  - {{name: x, key: INT, {text}}}\n"}


def _model(text: str) -> dict[str, str]:
    return {"models/x.sql": text}


def _case(text: str) -> dict[str, str]:
    return {"tests/x.yml": f"cases:\n  - {text}\n"}


BOMB = "a: &a [x, x]\n" + "".join(f"{c}: &{c} [*{b}, *{b}]\n" for b, c in zip("abcdefgh", "bcdefghi", strict=True))
TEST = (("build",), ("test",))
HOSTILE = {
    # Links.
    "a model that is a link": Hostile("LSQ009", links={"models/x.sql": "../outside/x.sql"}),
    "models that are a link": Hostile("LSQ009", _yml("model-paths: [models, more]"), {"more": "../outside"}),
    "declarations that are a link": Hostile("LSQ009", links={"models/x.yml": "../outside/secret.yml"}),
    "a macro that is a link": Hostile("LSQ009", links={"macros/x.sql": "../outside/x.sql"}),
    "a project file that is a link": Hostile("LSQ009", links={"lsqlc.yml": "../outside/secret.yml"}),
    "a schema that is a link": Hostile("LSQ009", _topic("value: x.avsc"), {"x.avsc": "../outside/secret.avsc"}),
    "cases that are a link": Hostile("LSQ009", links={"tests/x.yml": "../outside/cases.yml"}, commands=TEST),
    "a golden file that is a link": Hostile(
        "LSQ009", links={"golden/m/one.jsonl": "../outside/secret.yml"}, commands=(*TEST, ("test", "--update", "all"))
    ),
    "golden files that are a link": Hostile(
        "LSQ009",
        links={"golden": "../outside"},
        commands=(*TEST, ("test", "--update", "all"), ("build", "--update", "all")),
    ),
    "golden files of a model that are a link": Hostile(
        "LSQ009", links={"golden/m": "../outside"}, commands=(*TEST, ("test", "--update", "all"))
    ),
    "a target that is a link": Hostile("LSQ009", links={"target": "../outside"}),
    "a part of the target that is a link": Hostile("LSQ009", links={"target/compiled/duckdb": "../outside"}),
    "a cache that is a link": Hostile("LSQ009", links={"target/cache": "../outside"}),
    # Paths.
    "model-paths": Hostile("LSQ009", _yml("model-paths: [../outside]")),
    "seed-paths": Hostile("LSQ009", _yml("seed-paths: [models/../../outside]")),
    "case-paths": Hostile("LSQ009", _yml("case-paths: [/etc]")),
    "golden-path": Hostile("LSQ009", _yml("golden-path: ../outside")),
    "target-path": Hostile("LSQ009", _yml("target-path: ../outside/target")),
    "a schema": Hostile("LSQ009", _topic("value: ../outside/secret.avsc")),
    "a schema in a mapping": Hostile("LSQ009", _topic("value: {format: json, schema: ../outside/s.json}")),
    "a seed": Hostile("LSQ009", _topic("value: INT, seed: {path: ../outside/s.csv}"), commands=(*BUILD, ("seed",))),
    "a seed at the root": Hostile("LSQ009", _topic("value: INT, seed: {path: /etc/passwd}"), commands=(("seed",),)),
    "a seed of a package": Hostile(
        "LSQ009", _topic("value: INT, seed: {path: ../../bin/x.csv, package: duckdb}"), commands=(("seed",),)
    ),
    "a seed that is a link": Hostile(
        "LSQ009",
        _topic("value: s STRING, seed: {path: seeds/s.csv}"),
        {"seeds/s.csv": "../outside/secret.yml"},
        (("seed",),),
    ),
    # Names.
    "a description of a model": Hostile("LSQ013", {"models/x.yml": "models: [{name: ../x}]\n"}),
    "a topic": Hostile("LSQ007", {"models/x.yml": "topics: [{name: ../x, value: INT}]\n"}),
    "the model of a case": Hostile("LSQ501", _case("{name: x, model: ../x, inputs: {}}"), commands=TEST),
    "the name of a case": Hostile("LSQ502", _case("{name: ../x, model: m, inputs: {}}"), commands=TEST),
    "a target": Hostile(
        "LSQ082",
        _model("INSERT INTO `../../../outside/x` SELECT STREAM id FROM t"),
        commands=(*BUILD, ("compile", "--schemas", "avro"), ("compile", "--schemas", "json")),
    ),
    "a topic of dead letters": Hostile(
        "LSQ082",
        _model("SET error.policy = 'dlq';\nSET dead.letter.queue = '../../x';\nSELECT STREAM id FROM t"),
        commands=(("compile", "--schemas", "ddl"),),
    ),
    "a topic of ksqlDB": Hostile(
        "LSQ082",
        _model(
            "{{ config(dialect='ksql') }}CREATE STREAM a (id INT KEY, v INT) WITH (KAFKA_TOPIC='a', "
            "VALUE_FORMAT='JSON');\nCREATE STREAM b WITH (KAFKA_TOPIC='../../outside/b') AS SELECT * FROM a;"
        ),
        commands=(*BUILD, ("compile", "--schemas", "avro")),
    ),
    # What grows.
    "aliases": Hostile("LSQ005", {"models/x.yml": BOMB}),
    "aliases in the project file": Hostile("LSQ005", {"lsqlc.yml": BOMB}),
    "aliases in a case": Hostile("LSQ005", {"tests/x.yml": f"cases: []\n{BOMB}"}, commands=TEST),
    "a tag of Python": Hostile("LSQ005", {"models/x.yml": "topics: !!python/object/apply:os.system ['id']\n"}),
    "depth": Hostile("LSQ005", {"models/x.yml": "[" * 100_000}),
    "a loop": Hostile("LSQ026", _model("{% for i in range(9999) %}{% for j in range(9999) %}{% endfor %}{% endfor %}")),
    "a macro without end": Hostile(
        "LSQ026", {"macros/x.sql": "{% macro x() %}{{ x() }}{% endmacro %}", **_model("{{ x() }}")}
    ),
    "100 MB of text": Hostile("LSQ026", _model("SELECT {% for i in range(9999) %}" + "x" * 10_000 + "{% endfor %}")),
    "100 MB by doubling": Hostile(
        "LSQ026",
        _model("{% set n = namespace(s='ab') %}{% for i in range(40) %}{% set n.s = n.s ~ n.s %}{% endfor %}{{ n.s }}"),
    ),
    "100 MB of a filter": Hostile("LSQ026", _model("{{ range(9999) | join('x' * 9999) }}")),
    "many references to one text": Hostile("LSQ026", _model("{{ (['x' * 1000000] * 1000000)|string }}")),
    "lists in each other": Hostile(
        "LSQ026",
        _model("{% set n = namespace(v=[1]) %}{% for i in range(40) %}{% set n.v = [n.v, n.v] %}{% endfor %}{{ n.v }}"),
    ),
    "a number with many places": Hostile("LSQ026", _model("{{ 2|round(100000000) }}")),
    "a width": Hostile("LSQ028", _model("{{ '%1000000000d' is odd }}")),
    "a value of the project": Hostile(
        "LSQ026", {"lsqlc.yml": f"name: p\nvars: {{v: {'x' * 100_000}}}\n", **_model("{{ var('v') }}" * 11)}
    ),
    "4 GB of definitions": Hostile(
        "LSQ393",
        _model(
            "{{ config(dialect='ksql') }}DEFINE a0 = 'x';\n"
            + "".join(f"DEFINE a{n + 1} = '${{a{n}}}${{a{n}}}';\n" for n in range(32))
        ),
    ),
    "depth of SQL": Hostile("LSQ103", _model("SELECT STREAM " + "(" * 5000 + "id" + ")" * 5000 + " AS x FROM t")),
    # Secrets and Python.
    "a variable of the environment": Hostile("LSQ025", _model("SELECT STREAM '{{ env_var('HOME') }}' AS x FROM t")),
    "a secret": Hostile("LSQ025", _model("SELECT STREAM '{{ env_var('LSQLC_SECRET_TOKEN') }}' AS x FROM t")),
    "a secret by computation": Hostile(
        "LSQ025", _model("SELECT STREAM '{{ env_var('LSQLC_' ~ 'SECRET_TOKEN', 'x') | upper }}' AS x FROM t")
    ),
    "a variable in a macro": Hostile(
        "LSQ025", {"macros/x.sql": "{% macro x() %}{{ env_var('HOME') }}{% endmacro %}", **_model("{{ x() }}")}
    ),
    "a secret in YAML": Hostile("LSQ010", _topic("value: \"{{ env_var('LSQLC_SECRET_TOKEN') }}\"")),
    "a function of a file": Hostile("LSQ206", _model("SELECT STREAM READ_TEXT('/etc/passwd') AS x FROM t")),
    "a function of the environment": Hostile("LSQ206", _model("SELECT STREAM GETENV('HOME') AS x FROM t")),
    "a function of a setting": Hostile("LSQ206", _model("SELECT STREAM CURRENT_SETTING('home_directory') AS x FROM t")),
    "a file as a source": Hostile("LSQ200", _model("SELECT STREAM * FROM `/etc/passwd`")),
    "a file of lines as a source": Hostile("LSQ200", _model("SELECT STREAM * FROM `../outside/secret.csv`")),
}  # fmt: skip
TEMPLATES = (
    "{{ ''.__class__ }}", "{{ ''.__class__.__mro__[1].__subclasses__() }}", "{{ ref.__globals__ }}",
    "{{ var.__self__ }}", "{{ config.__code__ }}", "{{ env_var.__closure__ }}", "{{ self.__init__ }}",
    "{{ namespace.__init__.__globals__ }}", "{{ dict.__base__ }}", "{{ ()|attr('__class__') }}",
    "{{ 'x' | map(attribute='__class__') | list }}", "{{ [''] | map('attr', '__class__') | list }}",
    "{{ [''] | sum(attribute='__class__') }}", "{{ '{0.__class__}'.format('') }}", "{{ '%s' % ref }}",
    "{{ lipsum.__globals__ }}", "{{ cycler }}", "{{ joiner }}", "{{ request }}", "{{ environment }}", "{{ os }}",
    "{{ open('/etc/passwd') }}", "{% include '/etc/passwd' %}", "{% import 'os' as os %}",
    "{% extends '/etc/passwd' %}",
    "{% from '../outside/x.sql' import x %}", "{{ lsqlc_step(1) }}", "{{ sandbox }}", "{{ ref(ref) }}",
)  # fmt: skip
STATEMENTS = (
    "COPY t TO '../outside/x.csv'", "COPY (SELECT 1) TO '/tmp/x'", "ATTACH '../outside/x.db' AS x", "INSTALL httpfs",
    "LOAD '/tmp/x.so'", "PRAGMA enable_profiling", "EXPORT DATABASE '../outside'", "CREATE TABLE x AS SELECT 1",
    "SELECT STREAM id FROM t; COPY t TO '../outside/x.csv'", "SELECT STREAM * FROM read_text('/etc/passwd')",
    "SELECT STREAM * FROM read_csv('/etc/passwd')", "SELECT STREAM * FROM glob('/*')", "CALL pragma_version()",
    "SELECT STREAM (SELECT 1) AS x FROM t", "SET threads = 1", "SELECT STREAM id FROM 't.csv'",
    "SELECT STREAM id /* */ */ FROM t", "SELECT STREAM id AS `x\"; COPY t TO '/tmp/x'; --` FROM `t\"; DROP`",
)  # fmt: skip


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small project as the current folder, and things outside of it that nobody must see or change."""
    outside = tmp_path / "outside"
    outside.mkdir()
    _write(outside, {
        "secret.yml": f"name: {SECRET}\n{SECRET}: [\n", "x.sql": f"SELECT STREAM {SECRET} FROM {SECRET}",
        "secret.avsc": f'"{SECRET}"', "cases.yml": f"cases: [{{name: {SECRET}, model: {SECRET}}}]",
        "secret.csv": f"s\n{SECRET}\n", "state.json": "{}",
    })  # fmt: skip
    root = tmp_path / "project"
    _write(root, BASE)
    monkeypatch.chdir(root)
    monkeypatch.setenv("LSQLC_SECRET_TOKEN", SECRET)
    monkeypatch.setenv("HOME", f"/home/{SECRET}")
    return root


def _write(root: Path, files: Mapping[str, str]) -> None:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, "utf-8")


def _bring(root: Path, hostile: Hostile) -> None:
    _write(root, hostile.files)
    for path, target in hostile.links.items():
        link = root / path
        link.parent.mkdir(parents=True, exist_ok=True)
        link.unlink(missing_ok=True)
        link.symlink_to(root / target)


def _check(cli: Cli, root: Path, words: tuple[str, ...], code: str | None) -> None:
    """Run a command: it fails by the code, tells nothing, and leaves everything but its target as it was."""
    before = everything(root.parent)
    ran = cli(*words)
    assert ran.code == 1, (words, ran.out, ran.err)
    assert "error[LSQ" in ran.err if code is None else f"error[{code}]" in ran.err, ran.err
    assert SECRET not in ran.out + ran.err
    after = everything(root.parent)
    own = ("project/target/", "project/golden/m/", "project/.lsqlc/")
    changed = {p for p in before.keys() | after.keys() if before.get(p) != after.get(p) and not p.startswith(own)}
    assert not changed
    assert not any(SECRET.encode() in content for path, content in after.items() if path.startswith("project/target/"))


@pytest.mark.parametrize("hostile", HOSTILE.values(), ids=list(HOSTILE))
def test_what_a_pull_request_may_bring(cli: Cli, project: Path, hostile: Hostile) -> None:
    """Each command answers with the code, and nothing outside is read or written."""
    _bring(project, hostile)
    for words in hostile.commands:
        _check(cli, project, words, hostile.code)


@pytest.mark.parametrize(
    "words", only([("lint",), ("fmt", "--check"), ("docs", "build"), ("lineage", "t")], [("lint",)])
)
@pytest.mark.parametrize("hostile", HOSTILE.values(), ids=list(HOSTILE))
def test_other_verbs_reach_nothing_either(cli: Cli, project: Path, hostile: Hostile, words: tuple[str, ...]) -> None:
    """Whatever a verb makes of it, it ends, shows no secret, and leaves all but its target as it was."""
    _bring(project, hostile)
    before = everything(project.parent)
    ran = cli(*words)
    assert ran.code in (0, 1, 2) and SECRET not in ran.out + ran.err
    after = everything(project.parent)
    changed = {p for p in before.keys() | after.keys() if before.get(p) != after.get(p)}
    assert not [p for p in changed if not p.startswith("project/target/")]
    assert not any(SECRET.encode() in after[path] for path in changed if path in after)


@pytest.mark.parametrize(
    "words", [("compile",), ("build",), ("test",), ("lint",), ("fmt",), ("docs", "build"), ("ls",), ("lineage", "t")]
)
def test_profiles_are_not_opened(cli: Cli, project: Path, words: tuple[str, ...]) -> None:
    """A pipe in their place is not waited for, and what is no YAML is not reported."""
    assert cli("test", "--update", "all").code in (0, 1)
    os.mkfifo(project / "profiles.yml")
    assert cli(*words).code == 0
    (project / "profiles.yml").unlink()
    (project / "profiles.yml").write_text(f"{SECRET}: [")
    ran = cli(*words)
    assert ran.code == 0 and SECRET not in ran.out + ran.err


@pytest.mark.parametrize("template", TEMPLATES)
def test_templates_reach_nothing(cli: Cli, project: Path, template: str) -> None:
    """Neither Python, nor files, nor what the sandbox itself is made of."""
    _write(project, _model(f"SELECT STREAM '{template}' AS x FROM t"))
    _check(cli, project, ("build",), None)


@pytest.mark.parametrize("statement", STATEMENTS)
def test_statements_of_an_engine_are_none_of_the_language(cli: Cli, project: Path, statement: str) -> None:
    """Nothing of DuckDB's own is taken, in either dialect."""
    _write(project, _model(statement))
    _check(cli, project, ("build",), None)
    _write(project, _model("{{ config(dialect='ksql') }}" + statement))
    _check(cli, project, ("build",), None)


def test_a_status_that_no_run_has_written(cli: Cli, project: Path) -> None:
    """The state folder can be committed: a pipe in it is not waited for, and what is no status says nothing."""
    status = project / ".lsqlc/run.json"
    _write(project, {".lsqlc/run.json": "[" * 1_000_000})
    assert cli("status").code == 1
    status.unlink()
    os.mkfifo(status)
    assert cli("status").code == 1
    status.unlink()
    status.symlink_to(project.parent / "outside/secret.yml")
    ran = cli("status")
    assert ran.code == 1 and SECRET not in ran.out + ran.err


def test_a_good_project_is_built(cli: Cli, project: Path) -> None:
    """So that it is the hostile part that fails above."""
    assert cli("test", "--update", "all").code in (0, 1)
    assert cli("build").code == 0


def test_links_within_the_project_are_followed(cli: Cli, project: Path) -> None:
    """A link is no offence by itself."""
    (project / "models/n.sql").symlink_to("../shared.sql")
    (project / "shared.sql").write_text("INSERT INTO n SELECT STREAM id FROM t")
    assert cli("compile").code == 0


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT * FROM read_text('{file}')", "SELECT * FROM read_csv('{file}')", "SELECT * FROM '{file}'",
        "SELECT * FROM glob('{folder}/*')", "COPY (SELECT 1) TO '{folder}/new.csv'", "ATTACH '{folder}/new.db'",
        "EXPORT DATABASE '{folder}/new'", "INSTALL httpfs", "LOAD httpfs", "SET enable_external_access = true",
        "RESET enable_external_access", "SET lock_configuration = false", "SET allowed_directories = ['/']",
        "SET temp_directory = '{folder}'", "PRAGMA enable_profiling = 'json'", "SELECT * FROM frame",
    ],
)  # fmt: skip
@pytest.mark.parametrize("own", [False, True], ids=["no files", "own folder"])
def test_a_database_reaches_no_file(tmp_path: Path, statement: str, own: bool) -> None:
    """Even a statement of DuckDB's own, with and without a folder that it may read."""
    outside, inside = tmp_path / "outside", tmp_path / "inside"
    outside.mkdir()
    inside.mkdir()
    (outside / "s.csv").write_text("a\n1\n")
    frame = duckdb.connect().execute("SELECT 1 AS a")
    assert frame is not None
    with connect(folders=[inside] if own else []) as connection, pytest.raises(duckdb.Error):
        connection.execute(statement.format(file=outside / "s.csv", folder=outside))
    assert [p.name for p in outside.iterdir()] == ["s.csv"]


def test_a_database_reads_its_own_folder_alone(tmp_path: Path) -> None:
    """And not where a link in it leads."""
    inside = tmp_path / "in 'side"
    inside.mkdir()
    (inside / "a.txt").write_text("mine")
    (tmp_path / "b.txt").write_text("other")
    (inside / "link.txt").symlink_to(tmp_path / "b.txt")
    with connect(folders=[inside]) as connection:
        assert connection.execute("SELECT content FROM read_text($1)", [str(inside / "a.txt")]).fetchall() == [
            ("mine",)
        ]
        for path in (tmp_path / "b.txt", inside / "link.txt", inside / ".." / "b.txt"):
            with pytest.raises(duckdb.PermissionException):
                connection.execute("SELECT content FROM read_text($1)", [str(path)])


def test_no_function_of_the_catalogue_reaches_out() -> None:
    """The names that a program can call are declared one by one: none is of files, settings or the environment."""
    reaching = {"READ_TEXT", "READ_CSV", "READ_BLOB", "GLOB", "GETENV", "CURRENT_SETTING", "QUERY", "QUERY_TABLE"}
    for dialect in ("lenses", "ksql"):
        assert not reaching & set(catalogue.names(dialect))
