"""`lsqlc import ksqldb`: scripts, a server, its answers in a file, and what its command line prints."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.imports.ksqldb_server import ANSWERS, PRINTED, server

from .conftest import Cli, Ran

SCRIPT = """SET 'auto.offset.reset' = 'earliest';
DEFINE env = 'prod';
-- All orders of the shop.
CREATE STREAM orders (id INT KEY, item STRING, amount INT, at BIGINT)
  WITH (KAFKA_TOPIC = '${env}-orders', VALUE_FORMAT = 'JSON', PARTITIONS = 3, REPLICAS = 2, TIMESTAMP = 'at');
DROP STREAM IF EXISTS big;
-- Large ones.
CREATE STREAM big AS SELECT id, item, amount FROM orders WHERE amount > 10 EMIT CHANGES; -- more than ten
CREATE TABLE per_item WITH (KAFKA_TOPIC = 'per_item', KEY_FORMAT = 'JSON') AS
  SELECT item, amount, COUNT(*) AS n FROM big WINDOW TUMBLING (SIZE 1 HOUR) GROUP BY item, amount EMIT CHANGES;
CREATE STREAM windows AS SELECT item FROM big PARTITION BY NULL;
INSERT INTO big SELECT id, item, amount FROM orders WHERE item = 'gift';
INSERT INTO orders (id, item, amount) VALUES (1, 'pen', 20);
SELECT * FROM big EMIT CHANGES;
"""


def _project(cli: Cli, root: Path, monkeypatch: pytest.MonkeyPatch) -> Ran:
    monkeypatch.chdir(root)
    return cli("build", "--output", "json")


def _models(root: Path) -> dict[str, str]:
    return {path.stem: path.read_text("utf-8") for path in sorted(root.glob("models/*.sql"))}


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "shop.sql"
    path.write_text(SCRIPT, "utf-8")
    return path


def test_a_script_becomes_a_project_that_builds(
    cli: Cli, tmp_path: Path, script: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A model for each topic that queries write, with what it reads, its comments, its variables and its test data."""
    ran = cli("import", "ksqldb", str(script), str(tmp_path / "shop"))
    assert ran.code == 0, ran.err
    models = _models(tmp_path / "shop")
    assert list(models) == ["big", "per_item", "windows"]
    assert models["big"] == (
        "-- All orders of the shop.\n"
        "DEFINE env = 'prod';\n"
        "CREATE STREAM orders (id INT KEY, item STRING, amount INT, at BIGINT)\n"
        "  WITH (KAFKA_TOPIC = '${env}-orders', VALUE_FORMAT = 'JSON', PARTITIONS = 3, REPLICAS = 2, "
        "TIMESTAMP = 'at');\n\n"
        "-- Large ones.\n-- more than ten\n"
        "CREATE STREAM big AS SELECT id, item, amount FROM orders WHERE amount > 10 EMIT CHANGES;\n\n"
        "INSERT INTO big SELECT id, item, amount FROM orders WHERE item = 'gift';\n\n"
        "INSERT INTO orders (id, item, amount) VALUES (1, 'pen', 20);\n"
    )
    assert models["windows"].startswith(
        "CREATE STREAM BIG (\n    ID INT KEY,\n    ITEM STRING,\n    AMOUNT INT\n) WITH (KAFKA_TOPIC = 'BIG', "
        "KEY_FORMAT = 'KAFKA', VALUE_FORMAT = 'JSON', PARTITIONS = 3);\n"
    )
    topics = (tmp_path / "shop/models/topics.yml").read_text("utf-8")
    assert 'name: prod-orders\n    description: "All orders of the shop."\n    key: INT\n' in topics
    assert 'value: "ID' not in topics
    assert "partitions: 3" in topics
    report = (tmp_path / "shop/IMPORT.md").read_text("utf-8")
    assert "| `prod-orders` | int, json | 3 | 2 |  |" in report
    assert "| shop.sql:14 | `SELECT * FROM big EMIT CHANGES;` |" in report
    built = _project(cli, tmp_path / "shop", monkeypatch)
    assert built.code == 0, built.err


def test_a_model_that_reads_a_windowed_table_declares_its_window(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a stream its size is part of the declaration."""
    text = SCRIPT + (
        "CREATE STREAM per_item_changes (item STRING KEY, amount INT KEY, n BIGINT) WITH (KAFKA_TOPIC = 'per_item', "
        "KEY_FORMAT = 'JSON', VALUE_FORMAT = 'JSON', WINDOW_TYPE = 'TUMBLING', WINDOW_SIZE = '1 HOUR');\n"
        "CREATE STREAM copies AS SELECT * FROM per_item_changes;\n"
        "CREATE STREAM copies_again AS SELECT * FROM copies;\n"
    )
    (tmp_path / "w.sql").write_text(text, "utf-8")
    ran = cli("import", "ksqldb", str(tmp_path / "w.sql"), str(tmp_path / "w"))
    assert ran.code == 0, ran.err
    assert "WINDOW_TYPE = 'TUMBLING', WINDOW_SIZE = '3600000 MILLISECONDS'" in _models(tmp_path / "w")["copies_again"]
    assert _project(cli, tmp_path / "w", monkeypatch).code == 0


def test_a_folder_of_scripts_is_one_program(cli: Cli, tmp_path: Path) -> None:
    """In the order of their names, as migrations are; variables can come from outside."""
    folder = tmp_path / "scripts"
    (folder / "b").mkdir(parents=True)
    (folder / "V1__sources.sql").write_text(
        "CREATE STREAM s (id INT KEY, a INT) WITH (KAFKA_TOPIC='${where}', VALUE_FORMAT='JSON');\n", "utf-8"
    )
    (folder / "b/V2__queries.ksql").write_text("CREATE STREAM o AS SELECT * FROM s;\n", "utf-8")
    (folder / "notes.txt").write_text("no script", "utf-8")
    ran = cli("import", "ksqldb", str(folder), str(tmp_path / "p"), "--define", "where=here")
    assert ran.code == 0, ran.err
    assert "DEFINE where = 'here';\n" in _models(tmp_path / "p")["o"]
    refused = cli("import", "ksqldb", str(folder), str(tmp_path / "q"))
    assert refused.code == 1
    assert "error[LSQ392]: the variable 'where' is not defined" in refused.err


def _check_server(cli: Cli, ran: Ran, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert ran.code == 1
    assert "error[LSQ206]: unknown function 'MY_OWN'" in ran.err
    models = _models(root)
    # What reads the one that is not supported has its columns from the server.
    assert list(models) == ["after_odd", "big", "per_item"]
    assert "X ARRAY<STRING>" in models["after_odd"]
    assert models["big"].count("INSERT INTO BIG") == 1
    assert [p.name for p in (root / "unsupported").iterdir()] == ["odd.sql"]
    assert "| `orders` | int, json | 3 | 2 |  |" in (root / "IMPORT.md").read_text("utf-8")
    assert _project(cli, root, monkeypatch).code == 0


def test_a_server_is_asked_for_what_it_runs(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only LIST statements are sent, with the login of the environment."""
    monkeypatch.setenv("LSQLC_SECRET_KSQLDB", "ann:word")
    with server(ANSWERS, login="Basic YW5uOndvcmQ=") as (url, asked):
        ran = cli("import", "ksqldb", f"{url}/", str(tmp_path / "p"))
    assert [(a["path"], a["ksql"]) for a in asked] == [
        ("/ksql", "LIST STREAMS EXTENDED; LIST TABLES EXTENDED; LIST QUERIES EXTENDED;")
    ]
    _check_server(cli, ran, tmp_path / "p", monkeypatch)


def test_the_answers_of_a_server_in_a_file(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One answer behind the other, as the command line prints them as JSON."""
    text = "\n".join(json.dumps([answer], indent=1) for answer in ANSWERS)
    (tmp_path / "streams.json").write_text(text, "utf-8")
    ran = cli("import", "ksqldb", str(tmp_path / "streams.json"), str(tmp_path / "p"))
    _check_server(cli, ran, tmp_path / "p", monkeypatch)


def test_what_the_command_line_prints(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Descriptions of streams and queries, whose statements go on over lines."""
    (tmp_path / "printed.txt").write_text(PRINTED, "utf-8")
    ran = cli("import", "ksqldb", str(tmp_path / "printed.txt"), str(tmp_path / "p"))
    assert ran.code == 0, ran.err
    big = _models(tmp_path / "p")["big"]
    assert "WHERE (ORDERS.AMOUNT > 10)\nEMIT CHANGES;" in big
    assert "INSERT INTO BIG SELECT" in big
    assert _project(cli, tmp_path / "p", monkeypatch).code == 0


def test_what_a_later_statement_drops_or_replaces_is_left_out(cli: Cli, tmp_path: Path) -> None:
    """The project is what the scripts leave on a server."""
    text = (
        "CREATE STREAM s (id INT KEY, a INT) WITH (KAFKA_TOPIC = 's', VALUE_FORMAT = 'JSON');\n"
        "CREATE STREAM IF NOT EXISTS s (id INT KEY, a INT) WITH (KAFKA_TOPIC = 's', VALUE_FORMAT = 'JSON');\n"
        "CREATE STREAM gone AS SELECT * FROM s;\n"
        "CREATE STREAM o AS SELECT id, a FROM s;\n"
        "CREATE OR REPLACE STREAM o AS SELECT id, a + 1 AS a FROM s;\n"
        "DROP STREAM gone DELETE TOPIC;\n"
        "CREATE STREAM o AS SELECT id, a + 2 AS a FROM s;\n"
    )
    (tmp_path / "s.sql").write_text(text, "utf-8")
    ran = cli("import", "ksqldb", str(tmp_path / "s.sql"), str(tmp_path / "p"), "--output", "json")
    models = _models(tmp_path / "p")
    assert list(models) == ["o"]
    assert "a + 1 AS a" in models["o"]
    (made,) = ran.data["projects"]
    left = {each["from"]: each["why"] for each in made["left_out"]}
    assert left == {
        "s.sql:2": "'S' exists already (s.sql:1)",
        "s.sql:3": "'GONE' is dropped later (s.sql:6)",
        "s.sql:4": "'O' is replaced later (s.sql:5)",
    }
    # The last one is refused: a server would refuse it too.
    assert ran.code == 1
    assert [m["name"] for m in made["models"] if not m["supported"]] == ["o_2"]


def test_no_report_has_the_secrets_of_settings_and_connectors(cli: Cli, tmp_path: Path) -> None:
    """They are named, and left out."""
    text = (
        "SET 'sasl.jaas.config' = 'word1';\n"
        "CREATE SOURCE CONNECTOR `in` WITH ('connection.password' = 'word2');\n"
        "CREATE SINK CONNECTOR IF NOT EXISTS out WITH ('connection.password' = 'word3');\n"
        "CREATE STREAM s (a INT) WITH (KAFKA_TOPIC = 's', VALUE_FORMAT = 'JSON');\n"
        "CREATE STREAM o AS SELECT a FROM s;\n"
    )
    (tmp_path / "s.sql").write_text(text, "utf-8")
    ran = cli("import", "ksqldb", str(tmp_path / "s.sql"), str(tmp_path / "p"), "--output", "json")
    assert ran.code == 0, ran.err
    written = "".join(p.read_text("utf-8") for p in (tmp_path / "p").rglob("*") if p.is_file())
    assert not any("word" + n in ran.out + ran.err + written for n in "123")
    shown = [each["statement"] for each in ran.data["projects"][0]["left_out"]]
    assert shown == [
        "CREATE SOURCE CONNECTOR `in`",
        "CREATE SINK CONNECTOR IF NOT EXISTS out",
        "SET 'sasl.jaas.config'",
    ]


@pytest.mark.parametrize(
    ("settings", "policy"),
    [
        ("", "continue"),
        ("SET '{}' = 'true';\n", "fail"),
        ("DEFINE fails = 'true';\nSET '{}' = '${{fails}}';\n", "fail"),
        ("SET '{0}' = 'true';\nSET '{0}' = 'false';\n", "continue"),
        ("SET '{0}' = 'true';\nUNSET '{0}';\n", "continue"),
    ],
)
def test_bad_records_are_skipped_as_in_ksqldb(cli: Cli, tmp_path: Path, settings: str, policy: str) -> None:
    """Unless the script sets the other policy."""
    text = settings.format("ksql.fail.on.deserialization.error") + (
        "CREATE STREAM s (a INT) WITH (KAFKA_TOPIC = 's', VALUE_FORMAT = 'JSON');\n"
        "CREATE STREAM o AS SELECT a FROM s;\n"
    )
    (tmp_path / "s.sql").write_text(text, "utf-8")
    ran = cli("import", "ksqldb", str(tmp_path / "s.sql"), str(tmp_path / "p"), "--output", "json")
    assert ran.code == 0, ran.err
    assert f"defaults:\n  error_policy: {policy}\n" in (tmp_path / "p/lsqlc.yml").read_text("utf-8")
    reasons = {each["why"] for each in ran.data["projects"][0]["left_out"]}
    assert reasons <= {"it is `error_policy` in lsqlc.yml, of the last such statement"}
    shown = cli("compile", "--select", "o", "--project-dir", str(tmp_path / "p"))
    assert ("error.policy = continue" in shown.out) == (policy == "continue"), shown.err


def test_a_long_chain_of_queries_in_any_order(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Deeper than a stack of calls: each model declares what the one before writes."""
    count = 120
    lines = [f"CREATE STREAM s{n + 1} AS SELECT id, a + 1 AS a FROM s{n};\n" for n in range(count)]
    source = "CREATE STREAM s0 (id INT KEY, a INT) WITH (KAFKA_TOPIC = 's0', VALUE_FORMAT = 'JSON');\n"
    (tmp_path / "s.sql").write_text("".join([*reversed(lines), source]), "utf-8")
    ran = cli("import", "ksqldb", str(tmp_path / "s.sql"), str(tmp_path / "p"), "--quiet")
    assert ran.code == 0, ran.err
    assert len(_models(tmp_path / "p")) == count


def test_queries_that_read_each_other_are_told(cli: Cli, tmp_path: Path) -> None:
    """A circle of models (LSQ030), which a server of ksqlDB would run."""
    text = (
        "CREATE STREAM a (id INT KEY, v INT) WITH (KAFKA_TOPIC = 'a', VALUE_FORMAT = 'JSON');\n"
        "CREATE STREAM b AS SELECT * FROM a;\n"
        "INSERT INTO a SELECT id, v + 1 AS v FROM b WHERE v < 3;\n"
    )
    (tmp_path / "s.sql").write_text(text, "utf-8")
    ran = cli("import", "ksqldb", str(tmp_path / "s.sql"), str(tmp_path / "p"))
    assert (ran.code, "error[LSQ030]" in ran.err) == (1, True)
    assert cli("build", "--project-dir", str(tmp_path / "p")).code == 0


@pytest.mark.parametrize(
    ("name", "content", "code"),
    [
        ("empty.sql", "-- nothing\n", "LSQ530"),
        ("open.sql", "CREATE STREAM 'x\n", "LSQ101"),
        ("other.json", '[{"@type": "properties", "properties": []}]', "LSQ530"),
        ("broken.json", '[{"@type": ', "LSQ530"),
        ("missing.sql", None, "LSQ001"),
        ("bytes.sql", b"\xff\xfe", "LSQ002"),
    ],
)
def test_bad_input_ends_in_one_error(
    cli: Cli, tmp_path: Path, name: str, content: str | bytes | None, code: str
) -> None:
    """Nothing is written."""
    if content is not None:
        (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    ran = cli("import", "ksqldb", str(tmp_path / name), str(tmp_path / "p"))
    assert ran.code != 0
    assert ran.err.count("error[") == 1
    assert f"error[{code}]" in ran.err
    assert not (tmp_path / "p").exists()


def test_an_empty_folder_and_a_wrong_definition_are_told(cli: Cli, tmp_path: Path, script: Path) -> None:
    """LSQ530, and wrong usage."""
    (tmp_path / "none").mkdir()
    ran = cli("import", "ksqldb", str(tmp_path / "none"), str(tmp_path / "p"))
    assert "no file that ends in .sql or .ksql" in ran.err
    assert cli("import", "ksqldb", str(script), str(tmp_path / "p"), "--define", "x").code == 2


def test_nothing_is_overwritten(cli: Cli, tmp_path: Path, script: Path) -> None:
    """LSQ060, before anything is compiled."""
    (tmp_path / "p").mkdir()
    (tmp_path / "p/lsqlc.yml").write_text("name: mine\n", "utf-8")
    ran = cli("import", "ksqldb", str(script), str(tmp_path / "p"))
    assert (ran.code, "LSQ060" in ran.err) == (2, True)
    assert [p.name for p in (tmp_path / "p").iterdir()] == ["lsqlc.yml"]
    (tmp_path / "q/models").mkdir(parents=True)
    (tmp_path / "q/models/big.sql").write_text("mine", "utf-8")
    assert "LSQ060" in cli("import", "ksqldb", str(script), str(tmp_path / "q")).err
    assert [p.name for p in (tmp_path / "q").iterdir()] == ["models"]


@pytest.mark.parametrize(
    ("answers", "status", "code"),
    [
        ("no JSON", 200, "LSQ532"),
        ({"@type": "statement_error", "error_code": 40001, "message": "not now"}, 400, "LSQ532"),
        ([{"@type": "statement_error", "error_code": 40001, "message": "not now"}], 200, "LSQ532"),
        ([], 401, "LSQ532"),
        ([], 200, "LSQ530"),
    ],
)
def test_a_server_that_does_not_answer_so_is_told(
    cli: Cli, tmp_path: Path, answers: Any, status: int, code: str
) -> None:
    """With what it says; without its password."""
    with server(answers, status=status) as (url, _):
        ran = cli("import", "ksqldb", url, str(tmp_path / "p"))
    assert f"error[{code}]" in ran.err
    assert ("not now" in ran.err) == ("not now" in str(answers))
    assert not (tmp_path / "p").exists()


@pytest.mark.parametrize("url", ["http://127.0.0.1:1", "http://", "http://ann:word@localhost:1", "http://[::1"])
def test_an_address_without_a_server_is_told(cli: Cli, tmp_path: Path, url: str) -> None:
    """LSQ531; a password in it is refused, and not repeated."""
    ran = cli("import", "ksqldb", url, str(tmp_path / "p"))
    assert (ran.code != 0, "error[LSQ531]" in ran.err, "ann:" in ran.err) == (True, True, False)
