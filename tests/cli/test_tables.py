"""`lsqlc tables`: tables that follow the topics of a project."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pyarrow
import pytest
from deltalake import DeltaTable, write_deltalake

from lsqlc.connectors.folders.log import FileLog
from lsqlc.types.data import Struct
from lsqlc.types.ddl import parse_columns
from lsqlc.types.record import Facet, Record, Topic
from tests.cli.conftest import Cli

DECLARED = """\
topics:
  - name: orders
    key: INT
    value: "item STRING, n BIGINT"
    tables: [{store: lake, keep: history, key: id}]
models:
  - name: sales
    tables: [{store: lake, name: shop.sales}]
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "lsqlc.yml").write_text("name: shop\ndialect: sql\n")
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "shop.yml").write_text(DECLARED)
    (tmp_path / "models" / "sales.sql").write_text("SELECT item, sum(n) AS n FROM orders GROUP BY item")
    (tmp_path / "profiles.yml").write_text("targets: {dev: {type: embedded, tables: {lake: {delta: {path: lake}}}}}\n")
    records = [(1, "a", 1), (2, "b", 2), (1, "a", 3)]
    lines = [f'{{"key": {k}, "value": {{"item": "{i}", "n": {n}}}, "timestamp": {n}}}\n' for k, i, n in records]
    (tmp_path / "records.jsonl").write_text("".join(lines))
    return tmp_path


def test_tables_of_a_project(cli: Cli, project: Path) -> None:
    assert cli("produce", "orders", "--file", "records.jsonl").code == 0
    before = cli("tables", "status")
    assert before.code == 0
    assert before.out.splitlines()[2].split() == ["lake.orders", "orders", "history", "not", "created", "lake/orders"]
    first = cli("tables", "sync", "lake.orders")
    assert (first.code, first.out) == (0, "")
    assert first.err.splitlines() == ["lake.orders: 3 records, 3 changes"]
    rows = DeltaTable("lake/orders").to_pyarrow_table().sort_by([("id", "ascending"), ("n", "ascending")])
    assert rows.column_names == ["id", "item", "n", "_valid_from", "_valid_to", "_is_current"]
    assert rows.column("n").to_pylist() == [1, 3, 2]
    assert rows.column("_is_current").to_pylist() == [False, True, True]
    again = cli("tables", "sync", "orders", "--output", "json")
    assert (again.code, again.out) == (0, "")
    cli("produce", "orders", "--file", "records.jsonl")
    assert cli("tables", "sync", "orders", "--output", "json").lines == [
        {
            "event": "batch", "store": "lake", "name": "orders", "topic": "orders", "keep": "history",
            "address": "lake/orders", "records": 3, "changes": 2, "late": 1, "keyless": 0, "behind": 0,
        }
    ]  # fmt: skip
    assert cli("tables", "verify", "orders").err == "lake.orders: 3 rows, as the topic gives\n"
    assert cli("tables", "maintain", "orders").err.startswith("lake.orders: ")
    (status,) = [t for t in cli("tables", "status", "--output", "json").data["tables"] if t["name"] == "orders"]
    assert (status["exists"], status["behind"]) == (True, 0)


def test_tables_are_listed(cli: Cli, project: Path) -> None:
    """Behind the models of the project."""
    lines = cli("ls").out.splitlines()
    start = next(number for number, line in enumerate(lines) if line.split() == ["table", "follows", "keep", "key"])
    assert [line.split() for line in lines[start + 2 :]] == [
        ["lake.orders", "orders", "history", "id"], ["lake.shop.sales", "sales", "current", "item"],
    ]  # fmt: skip
    (orders, sales) = cli("ls", "--output", "json").data["tables"]
    assert (orders["store"], orders["name"], orders["key"]) == ("lake", "orders", ["id"])
    assert sales["columns"] == [{"name": "item", "type": "STRING"}, {"name": "n", "type": "BIGINT"}]
    assert "tables" not in cli("ls", "--select", "sales", "--output", "json").data


def test_a_plan_of_tables(cli: Cli, project: Path) -> None:
    """Of a table at each stage. It changes nothing."""
    shop = project / "models" / "shop.yml"
    actions = [cli("tables", "plan", "orders").out.splitlines()[2].split()[1]]
    cli("produce", "orders", "--file", "records.jsonl")
    planned = cli("tables", "plan", "orders", "--output", "json")
    assert (planned.code, planned.data["tables"][0]["details"][:2]) == (0, ["id int32", "item string"])
    assert not (project / "lake").exists()
    actions.append(planned.data["tables"][0]["action"])
    cli("tables", "sync", "orders")
    declarations: Sequence[tuple[str, int, list[str]]] = (
        (DECLARED, 0, []),
        (DECLARED.replace("n BIGINT", "n BIGINT, more DATE"), 0, ["more date32[day]"]),
        (DECLARED.replace("n BIGINT", "n STRING"), 1, ["'n' is int64 in the table, and would be string"]),
        (DECLARED.replace("keep: history", "keep: all"), 1, ["it has been created with `keep: history`"]),
    )
    for text, code, details in declarations:
        shop.write_text(text)
        planned = cli("tables", "plan", "orders", "--output", "json")
        (table,) = planned.data["tables"]
        assert (planned.code, planned.data["ok"], table["details"]) == (code, not code, details)
        actions.append(table["action"])
    write_deltalake(project / "lake" / "foreign", pyarrow.table({"n": [1]}))
    shop.write_text(DECLARED.replace("keep: history", "keep: history, name: foreign"))
    foreign = cli("tables", "plan", "orders")
    assert (foreign.code, "lsqlc has not created it" in foreign.out) == (1, True)
    assert actions == ["wait", "create", "none", "add columns", "rebuild", "rebuild"]


def test_a_table_of_a_model(cli: Cli, project: Path) -> None:
    """It keeps the current rows of a TABLE. It is created when the topic exists."""
    ran = cli("tables", "sync", "sales")
    assert (ran.code, ran.err) == (0, "lake.shop.sales: the topic 'sales' does not exist yet\n")
    assert cli("tables", "verify", "shop.sales").err == "lake.shop.sales: not created\n"
    schema = parse_columns("item STRING, n BIGINT")
    topic = Topic("sales", Facet(Struct(schema.fields[:1]), "json"), Facet(schema, "json"))
    FileLog(project / ".lsqlc" / "topics").append(topic, [Record("sales", {"item": "a"}, {"item": "a", "n": 4})])
    assert cli("tables", "sync", "sales").err == "lake.shop.sales: 1 record, 1 change\n"
    assert DeltaTable("lake/shop/sales").to_pyarrow_table().to_pylist() == [{"item": "a", "n": 4}]
    assert cli("tables", "verify", "shop.sales").err == "lake.shop.sales: 1 row, as the topic gives\n"


def test_one_table_that_fails_does_not_stop_the_others(cli: Cli, project: Path) -> None:
    """It is reported at the end."""
    cli("produce", "orders", "--file", "records.jsonl")
    stores = {"lake": {"delta": {"path": "lake"}}, "down": {"postgres": {"url": "postgresql://127.0.0.1:1/db"}}}
    (project / "profiles.yml").write_text(json.dumps({"targets": {"dev": {"type": "embedded", "tables": stores}}}))
    declared = DECLARED.replace("tables: [{store: lake, keep", "tables: [{store: down, keep: all}, {store: lake, keep")
    (project / "models" / "shop.yml").write_text(declared)
    ran = cli("tables", "sync")
    assert ran.code == 1
    assert "lake.orders: 3 records, 3 changes" in ran.err
    assert ran.err.count("error[") == 1
    assert "LSQ564" in ran.err


def test_a_difference_ends_with_exit_code_1(cli: Cli, project: Path) -> None:
    cli("produce", "orders", "--file", "records.jsonl")
    cli("tables", "sync", "lake.orders")
    DeltaTable("lake/orders").delete("id = 2")
    ran = cli("tables", "verify", "orders")
    assert ran.code == 1
    assert "LSQ566" in ran.err
    assert "missing: id=2, item=b, n=2" in ran.err
    assert cli("tables", "verify", "orders", "--output", "json").data["tables"][0]["missing"] == 1
    assert cli("tables", "sync", "orders", "--rebuild").code == 0
    assert cli("tables", "verify", "orders").code == 0


def test_mistakes(cli: Cli, project: Path) -> None:
    """Of a name, of a store, and of a declaration, which a build finds."""
    ran = cli("tables", "sync", "ordres")
    assert (ran.code, "LSQ561" in ran.err) == (2, True)
    (project / "profiles.yml").write_text("targets: {dev: {type: embedded}}\n")
    ran = cli("tables", "sync")
    assert (ran.code, ran.err.count("LSQ561")) == (2, 2)
    assert "add `tables: {lake: {delta: {path: lake}}}`" in ran.err
    declared = DECLARED.replace("keep: history, ", "").replace("name: shop.sales", "name: 'shop/sales'")
    (project / "models" / "shop.yml").write_text(declared)
    ran = cli("compile")
    assert ran.code == 1
    assert "no model writes 'orders', so `keep` must say" in ran.err
    assert "'shop/sales' is not a name of a table" in ran.err


@pytest.mark.parametrize(
    ("stores", "said"),
    [
        ("[]", "expected a mapping of stores"),
        ("{lake: {}}", "a store is of one kind"),
        ("{lake: {delta: {path: x}, postgres: {url: y}}}", "a store is of one kind"),
        ("{lake: {delte: {path: x}}}", "unknown key 'delte'"),
        ("{lake: {delta: {}}}", "the key 'path' is missing"),
        ("{lake: {delta: {path: ' '}}}", "the path is empty"),
        ("{lake: {iceberg: {catalog: {}}}}", "neither a type nor a uri"),
        ("{lake: {postgres: {url: 'postgresql://me:hidden@host/db'}}}", "has a password in it"),
        ("{lake: {postgres: {url: 'host=x password=hidden'}}}", "has a password in it"),
        ("{lake: {postgres: {url: 'host=x sslpassword=hidden'}}}", "has a password in it"),
        ("{lake: {postgres: {url: 'postgresql://u:p/w@h/{{ env_var(\"HOME\") }}'}}}", "has a password in it"),
        ("{lake: {delta: {path: x, options: {aws_secret_access_key: hidden}}}}", "is a secret"),
        ("{lake: {iceberg: {catalog: {uri: x, token: hidden}}}}", "is a secret"),
    ],
)
def test_stores_that_are_wrong(cli: Cli, project: Path, stores: str, said: str) -> None:
    (project / "profiles.yml").write_text(f"targets: {{dev: {{type: embedded, tables: {stores}}}}}\n")
    ran = cli("tables", "status")
    assert ran.code != 0
    assert said in ran.err
    # The line of the file is shown, and its value nowhere else.
    assert "hidden" not in "".join(line for line in ran.err.splitlines() if " | " not in line)


def test_a_database_that_is_not_there(cli: Cli, project: Path) -> None:
    """Neither an address that cannot be reached nor one that is none shows its password."""
    cli("produce", "orders", "--file", "records.jsonl")
    for url in (
        "postgresql://me:hidden@127.0.0.1:1/db",
        "postgresql://me:hid%%den@/",
        "nonsense hidden",
        "postgresql://me:hid den@127.0.0.1/",
        "postgresql://me:a@hidden@127.0.0.1:1/db",
    ):
        stores = f"{{lake: {{postgres: {{url: \"{{{{ env_var('NO_DATABASE', '{url}') }}}}\"}}}}}}"
        (project / "profiles.yml").write_text(f"targets: {{dev: {{type: embedded, tables: {stores}}}}}\n")
        ran = cli("tables", "sync")
        assert ran.code == 1
        assert "LSQ564" in ran.err
        assert "hid" not in ran.err


def test_lineage_ends_in_tables(cli: Cli, project: Path) -> None:
    """Columns that hold an asked column, or one downstream of it. The times of versions hold none."""
    answer = cli("lineage", "orders.n", "--output", "json")
    assert answer.data["tables"] == [
        {"store": "lake", "table": "orders", "column": "n", "holds": {"topic": "orders", "column": "_value.n"}},
        {"store": "lake", "table": "shop.sales", "column": "n", "holds": {"topic": "sales", "column": "_value.n"}},
    ]
    key = cli("lineage", "orders._key", "--output", "json").data["tables"]
    assert [(each["table"], each["column"]) for each in key if each["holds"]["topic"] == "orders"] == [("orders", "id")]
    text = cli("lineage", "orders.n").out
    assert "lake.shop.sales.n  sales._value.n" in text.partition("in tables")[2]


def test_the_docs_site_has_tables(project: Path) -> None:
    """Beside the topic that they follow, which may be one that no model writes."""
    from tests.report.site import data, site

    topics = {topic["name"]: topic["tables"] for topic in data(site(project))["topics"]}
    assert [(table["table"], table["keep"], table["key"]) for table in topics["orders"]] == [
        ("lake.orders", "history", ["id"]),
    ]
    assert [(table["table"], table["place"]) for table in topics["sales"]] == [("lake.shop.sales", "models/shop.yml:8")]
    assert topics["sales"][0]["columns"][-1] == ["n", "BIGINT"]


def test_the_docs_site_has_the_delta_table_of_a_topic(project: Path) -> None:
    from tests.report.site import data, site

    declared = "topics: [{name: old, connector: delta, delta: {store: lake, path: old}, value: a INT}]\n"
    (project / "models" / "old.yml").write_text(declared)
    topics = {topic["name"]: topic for topic in data(site(project))["topics"]}
    assert topics["old"]["delta"] == "old in lake (appended rows)" and topics["orders"]["delta"] is None
