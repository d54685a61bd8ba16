"""`lsqlc import lenses`: processors, topics and schemas as Lenses exports them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .conftest import Cli

AVRO = json.dumps(
    {
        "type": "record",
        "name": "order",
        "fields": [{"name": "item", "type": "string"}, {"name": "amount", "type": "int"}],
    }
)
LARGE = """name: large-orders
sql: |-
  SET defaults.topic.autocreate=true;
  INSERT INTO large
  SELECT STREAM item, amount FROM orders WHERE amount > 100
runners: 2
clusterName: prod
namespace: shop
pipeline: large-orders
"""
COUNTS = {
    "Name": "counts",
    "SQL": "SET defaults.topic.autocreate=true;\n"
    "INSERT INTO counts SELECT TABLE item, COUNT(*) AS n FROM large GROUP BY item;",
    "Runners": 1,
}
TOPICS = "topics:\n  - {name: orders, key: STRING, value: 'item STRING, amount INT'}\n"


@pytest.fixture
def landscape(tmp_path: Path) -> Path:
    """A folder as lenses-cli writes it."""
    root = tmp_path / "landscape"
    for path, text in {
        "apps/sql/processor-prod-shop-large-orders.yaml": LARGE,
        "apps/sql/processor-counts.json": json.dumps(COUNTS),
        "kafka/topics/topic-orders.yaml": "topicName: orders\nreplication: 2\npartitions: 3\nconfigs: {}\n",
        "schemas/orders-value.yaml": f"name: orders-value\navroSchema: '{AVRO}'\n",
    }.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, "utf-8")
    return root


def test_a_landscape_becomes_a_project_that_builds(
    cli: Cli, tmp_path: Path, landscape: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A model for each processor, and a topic by its exported schema; keys that nobody describes are told."""
    ran = cli("import", "lenses", str(landscape), str(tmp_path / "p"))
    assert ran.code == 0, ran.err
    assert "imported 2 models, 3 topics" in ran.err.replace(" and ", ", ")
    monkeypatch.chdir(tmp_path / "p")
    assert Path("models/large_orders.sql").read_text("utf-8") == (
        "-- Processor 'large-orders', runners: 2, cluster: prod, namespace: shop.\n"
        "SET defaults.topic.autocreate=true;\nINSERT INTO large\n"
        "SELECT STREAM item, amount FROM orders WHERE amount > 100\n"
    )
    assert Path("models/topics.yml").read_text("utf-8").split("\n", 1)[1] == (
        "topics:\n  - name: orders\n    key: STRING\n"
        '    value: {format: AVRO, schema: "schemas/orders-value.avsc"}\n    partitions: 3\n'
    )
    report = Path("IMPORT.md").read_text("utf-8")
    assert "The key of `orders` is taken for a STRING" in report
    assert "| `orders` | string, avro | 3 | 2 |  |" in report
    built = cli("build")
    assert built.code == 0, built.err


def test_what_the_api_answers(cli: Cli, tmp_path: Path) -> None:
    """Lists of processors and topics, in which topics have types and schemas."""
    topic = {"topicName": "orders", "partitions": 1, "valueType": "JSON", "valueSchema": AVRO}
    answer = [
        {"targets": [], "streams": [{"id": "1", "name": "large", "sql": LARGE.split("|-\n")[1].split("runners")[0]}]}
    ]
    for number, key in enumerate(("TW[STRING]", "INT")):
        file = tmp_path / f"api{number}.json"
        file.write_text(json.dumps([*answer, [{**topic, "keyType": key}]]), "utf-8")
        ran = cli("import", "lenses", str(file), str(tmp_path / f"p{number}"))
        assert ran.code == 0, ran.err
        assert "key: {format: " in (tmp_path / f"p{number}/models/topics.yml").read_text("utf-8")


def test_topics_that_nothing_describes_are_told(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """LSQ536; a file of topics declares them."""
    (tmp_path / "large.sql").write_text("INSERT INTO large SELECT STREAM item, amount FROM orders", "utf-8")
    ran = cli("import", "lenses", str(tmp_path / "large.sql"), str(tmp_path / "p"))
    assert ran.code == 1
    assert "error[LSQ536]: the schema of the topic 'orders' is not known" in ran.err
    assert (tmp_path / "p/unsupported/large.sql").is_file()
    (tmp_path / "mine.yml").write_text(TOPICS, "utf-8")
    given = ("import", "lenses", str(tmp_path / "large.sql"))
    ran = cli(*given, str(tmp_path / "q"), "--topics", str(tmp_path / "mine.yml"))
    assert ran.code == 0, ran.err
    monkeypatch.chdir(tmp_path / "q")
    assert cli("build").code == 0


def test_a_wrong_schema_is_told_and_the_rest_is_imported(cli: Cli, tmp_path: Path, landscape: Path) -> None:
    """With its place in the schema."""
    (landscape / "schemas/orders-value.yaml").write_text("name: orders-value\navroSchema: '{'\n", "utf-8")
    ran = cli("import", "lenses", str(landscape), str(tmp_path / "p"))
    assert ran.code == 1
    assert "schemas/orders-value.avsc:2:1" in ran.err
    assert not (tmp_path / "p/models/topics.yml").exists()


@pytest.mark.parametrize(
    ("name", "content", "code"),
    [
        ("a.yaml", "a: [", "LSQ535"),
        ("a.json", "{", "LSQ535"),
        ("a.yaml", "topicName: x\n", "LSQ535"),
        ("a.yaml", "- 3\n- {name: x}\n", "LSQ535"),
        ("missing.yaml", None, "LSQ001"),
    ],
)
def test_bad_input_ends_in_one_error(cli: Cli, tmp_path: Path, name: str, content: str | None, code: str) -> None:
    """Nothing is written."""
    if content is not None:
        (tmp_path / name).write_text(content, "utf-8")
    ran = cli("import", "lenses", str(tmp_path / name), str(tmp_path / "p"))
    assert (ran.code != 0, ran.err.count("error["), f"error[{code}]" in ran.err) == (True, 1, True)
    assert not (tmp_path / "p").exists()


def test_errors_in_a_file_of_topics_are_at_their_place(cli: Cli, tmp_path: Path, landscape: Path) -> None:
    """Nothing is written."""
    (tmp_path / "mine.yml").write_text("topics: [{name: orders, valu: INT}]\n", "utf-8")
    ran = cli("import", "lenses", str(landscape), str(tmp_path / "p"), "--topics", str(tmp_path / "mine.yml"))
    assert (ran.code != 0, "error[LSQ006]" in ran.err, "mine.yml:1:" in ran.err) == (True, True, True)
    assert not (tmp_path / "p").exists()
