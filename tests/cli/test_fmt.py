"""`lsqlc fmt` as a user runs it."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from tests.cli.conftest import Cli, everything

UGLY = "select stream bike,station from rides -- why\nwhere minutes>5"
PRETTY = "SELECT STREAM\n    bike\n  , station\nFROM rides  -- why\nWHERE minutes > 5;\n"


def model(project: Path, name: str, text: str) -> Path:
    path = project / "models" / f"{name}.sql"
    path.write_text(text, "utf-8")
    return path


def test_a_new_project_has_the_form(cli: Cli, bikes: Path) -> None:
    """What `init` writes, `fmt` leaves as it is."""
    before = everything(bikes)
    ran = cli("fmt", "--check")
    assert ran.code == 0 and everything(bikes) == before
    assert "3 files: 3 unchanged" in ran.err


def test_formats_once(cli: Cli, bikes: Path) -> None:
    """The second run has nothing to do; the mode and the byte order mark stay, and no other file is touched."""
    path = model(bikes, "ugly", "\ufeff" + UGLY)
    path.chmod(0o640)
    ran = cli("fmt")
    assert ran.code == 0 and "formatted models/ugly.sql" in ran.err
    assert path.read_text("utf-8") == "\ufeff" + PRETTY
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    before = everything(bikes)
    assert cli("fmt").code == 0 and everything(bikes) == before


def test_check_and_diff_write_nothing(cli: Cli, bikes: Path) -> None:
    """Exit 1 where a file would change, and a patch that can be applied."""
    path = model(bikes, "ugly", UGLY)
    ran = cli("fmt", "--check")
    assert ran.code == 1 and not ran.out and "would format models/ugly.sql" in ran.err
    ran = cli("fmt", "--diff", "-q")
    assert ran.code == 1 and not ran.err and path.read_text("utf-8") == UGLY
    assert ran.out.startswith("--- a/models/ugly.sql\n+++ b/models/ugly.sql\n@@ -1,2 +1,5 @@\n")
    assert "\\ No newline at end of file\n" in ran.out and "+  , station\n" in ran.out


def test_json_says_what_became_of_each_file(cli: Cli, bikes: Path) -> None:
    """In order of paths, with findings."""
    model(bikes, "bad", "SELECT STREAM FROM rides")
    model(bikes, "loop", "SELECT STREAM\n{% for c in ['bike'] %} {{ c }}, {% endfor %} station FROM rides")
    model(bikes, "ugly", UGLY)
    ran = cli("fmt", "--output", "json", "-q")
    assert ran.code == 1 and ran.data["ok"] is False
    assert [(f["path"].split("/")[1], f["status"]) for f in ran.data["files"]] == [
        ("arrivals.sql", "unchanged"),
        ("bad.sql", "failed"),
        ("bikes_at_station.sql", "unchanged"),
        ("loop.sql", "skipped"),
        ("rides_by_station.sql", "unchanged"),
        ("ugly.sql", "formatted"),
    ]
    assert [(d["code"], d["span"]["path"]) for d in ran.data["diagnostics"]] == [
        ("LSQ102", "models/bad.sql"),
        ("LSQ042", "models/loop.sql"),
    ]


def test_a_file_with_errors_is_left_alone(cli: Cli, bikes: Path) -> None:
    """Its errors are shown; the others are formatted."""
    bad = model(bikes, "bad", "SELECT STREAM FROM rides")
    unknown = model(bikes, "unknown", "select stream {{ var('nothing') }} from rides")
    ugly = model(bikes, "ugly", UGLY)
    ran = cli("fmt")
    assert ran.code == 1 and "LSQ102" in ran.err and "LSQ024" in ran.err
    assert bad.read_text("utf-8") == "SELECT STREAM FROM rides"
    assert unknown.read_text("utf-8").startswith("select")
    assert ugly.read_text("utf-8") == PRETTY


def test_paths_choose_files(cli: Cli, bikes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files and folders, from the folder where the command runs."""
    (bikes / "models" / "inner").mkdir()
    inner = model(bikes, "inner/one", UGLY)
    outer = model(bikes, "two", UGLY)
    monkeypatch.chdir(bikes / "models")
    assert cli("fmt", "inner").code == 0
    assert inner.read_text("utf-8") == PRETTY and outer.read_text("utf-8") == UGLY
    assert cli("fmt", "two.sql").code == 0
    assert outer.read_text("utf-8") == PRETTY
    ran = cli("fmt", "three.sql")
    assert ran.code == 2 and "LSQ063" in ran.err


TEMPLATES = [
    ("{{ config(tags=['x']) }}\nselect stream bike from {{ ref('arrivals') }}", None),
    ("select stream bike as {{ var('n', 'b') }} from rides where minutes>({{ var('m', '1 + 1') }})*2", None),
    ("{% if var('x', true) %}\ninsert into a select stream bike from rides;\n{% endif %}\n"
     "insert into b select stream bike from rides", None),
    ("select stream count(*) as n from rides window by tumble {{ var('w', '5m') }} group by station", None),
    ("select stream \"{{ var('text', \"it's\") }}\" as t, 'it''s {{ var('a', 'b') }}' as u from rides", None),
    ("select stream bike {# what #} from rides -- {{ var('c', 'd') }}", None),
    ("select stream bike from rides {{ var('clause', 'where minutes > 1') }}", "LSQ042"),
    ("select stream {% if true %} bike {% endif %} from rides", "LSQ042"),
    ("select stream cast(minutes as {{ var('t', 'STRING') }}) as t from rides", "LSQ042"),
    ("{{ var('all', 'select stream bike from rides') }};", "LSQ042"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "code"), TEMPLATES)
def test_templates_render_to_the_same_program(cli: Cli, bikes: Path, text: str, code: str | None) -> None:
    """Formatted around their tags, or left alone with a finding; what they compile to is the same."""
    path = model(bikes, "template", text)

    def fingerprint() -> str:
        (found,) = cli("compile", "-s", "template", "--output", "json", "-q").data["plans"].values()
        return str(found["plan"]["fingerprint"])

    before = fingerprint()
    ran = cli("fmt", "models/template.sql")
    assert ran.code == 0
    after = path.read_text("utf-8")
    assert (after == text) == (code is not None) and (code is None or code in ran.err)
    assert fingerprint() == before
    assert all(tag in after for tag in text.split() if tag.startswith("{{") and tag.endswith("}}"))
    assert cli("fmt", "models/template.sql").code == 0 and path.read_text("utf-8") == after


KSQL = (
    "{{ config(tags=['x']) }}\ncreate stream r (bike string key,minutes int)"
    " with (kafka_topic='o',value_format='json');\n"
)
KSQL_PRETTY = (
    "{{ config(tags=['x']) }}\nCREATE STREAM r (bike STRING KEY, minutes INT)\n"
    "    WITH (kafka_topic = 'o', value_format = 'json');\n\n"
)
# Templates of a dialect, and the text that fmt writes; None where it leaves the file alone.
OF_DIALECTS = [
    ("sql", "{{ config(key=['bike'], tags=['x']) }}\n\n-- why\nselect bike,minutes+{{ var('n', 1) }} as m"
     " from stream({{ ref('arrivals') }}) where station='{{ var(\"s\", \"it\") }}' -- end",
     "{{ config(key=['bike'], tags=['x']) }}\n\n-- why\nSELECT\n  bike,\n  minutes + {{ var('n', 1) }} AS m\n"
     "FROM STREAM({{ ref('arrivals') }})\nWHERE\n  station = '{{ var(\"s\", \"it\") }}' -- end\n"),
    ("sql", "{# of all #}\n{% set low = 5 %}\nselect bike from stream({{ source('rides') }}) where minutes>{{ low }};",
     "{# of all #}\n{% set low = 5 %}\nSELECT\n  bike\nFROM STREAM({{ source('rides') }})\nWHERE\n"
     "  minutes > {{ low }}\n"),
    ("sql", "select bike from stream(rides) {% if true %} where minutes > 1 {% endif %}", None),
    ("sql", "select bike {# why #} from stream(rides)", None),
    ("ksql", KSQL + "create stream made as select bike,{{ var('c', 'minutes') }} as x from {{ var('of', 'R') }};",
     KSQL_PRETTY + "CREATE STREAM made AS\n    SELECT bike, {{ var('c', 'minutes') }} AS x\n"
     "    FROM {{ var('of', 'R') }};\n"),
    ("ksql", KSQL + "create stream made as select * from R {% if true %} where minutes > 1 {% endif %};", None),
]  # fmt: skip


@pytest.mark.parametrize(("dialect", "text", "expected"), OF_DIALECTS)
def test_templates_of_other_dialects(cli: Cli, bikes: Path, dialect: str, text: str, expected: str | None) -> None:
    """Formatted around their expressions, and the plan stays; with blocks inside a statement they are left alone."""
    config = f"{{{{ config(dialect='{dialect}') }}}}\n"
    text, expected = config + text, expected and config + expected
    path = model(bikes, "template", text)

    def fingerprint() -> str:
        (found,) = cli("compile", "-s", "template", "--output", "json", "-q").data["plans"].values()
        return str(found["plan"]["fingerprint"])

    before = fingerprint()
    assert cli("fmt", "--check", "models/template.sql").code == (expected is not None)
    ran = cli("fmt", "models/template.sql")
    assert ran.code == 0 and ("LSQ042" in ran.err) == (expected is None)
    assert path.read_text("utf-8") == (text if expected is None else expected)
    assert fingerprint() == before
    assert cli("fmt", "--check", "models/template.sql").code == 0


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everything")
def test_what_cannot_be_written_is_said(cli: Cli, bikes: Path) -> None:
    """The old file stays."""
    path = model(bikes, "ugly", UGLY)
    path.parent.chmod(0o500)
    try:
        ran = cli("fmt")
    finally:
        path.parent.chmod(0o700)
    assert ran.code == 1 and "LSQ043" in ran.err and path.read_text("utf-8") == UGLY


def test_a_linked_model_stays_a_link(cli: Cli, bikes: Path) -> None:
    """What it leads to is formatted."""
    real = bikes / "shared.sql"
    real.write_text(UGLY, "utf-8")
    link = bikes / "models" / "linked.sql"
    link.symlink_to(real)
    assert cli("fmt").code == 0
    assert link.is_symlink() and real.read_text("utf-8") == PRETTY
