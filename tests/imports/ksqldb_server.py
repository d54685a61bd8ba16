"""A stand-in for the REST API of a ksqlDB server: the answers to LIST ... EXTENDED in the form that ksqlDB has."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


def column(name: str, type: str, role: str | None = None, member: dict[str, Any] | None = None) -> dict[str, Any]:
    """A field as the API has it; `role` is KEY or nothing."""
    schema = {"type": type, "fields": None, "memberSchema": member}
    return {"name": name, "schema": schema, **({"type": role} if role else {})}


def source(
    kind: str, name: str, topic: str, statement: str, fields: list[dict[str, Any]], **more: Any
) -> dict[str, Any]:
    """The description of a stream or table."""
    return {
        "name": name, "windowType": None, "readQueries": [], "writeQueries": [], "fields": fields, "type": kind,
        "timestamp": "", "statistics": "", "errorStats": "", "extended": True, "keyFormat": "KAFKA",
        "valueFormat": "JSON", "topic": topic, "partitions": 3, "replication": 2, "statement": statement,
        "queryOffsetSummaries": [], "sourceConstraints": [], **more,
    }  # fmt: skip


def query(id: str, text: str) -> dict[str, Any]:
    """The description of a persistent query."""
    return {
        "id": id, "statementText": text, "windowType": None, "fields": [], "sources": [], "sinks": [], "topology": "",
        "executionPlan": "", "overriddenProperties": {}, "ksqlHostQueryStatus": {"host:8088": "RUNNING"},
        "queryType": "PERSISTENT", "queryErrors": [], "tasksMetadata": [], "state": "RUNNING",
    }  # fmt: skip


ORDERS = (
    "CREATE STREAM ORDERS (ID INTEGER KEY, ITEM STRING, AMOUNT INTEGER) "
    "WITH (KAFKA_TOPIC='orders', KEY_FORMAT='KAFKA', VALUE_FORMAT='JSON', PARTITIONS=3);"
)
BIG = (
    "CREATE STREAM BIG WITH (KAFKA_TOPIC='BIG', PARTITIONS=3, REPLICAS=2) AS SELECT\n  ORDERS.ID ID,\n"
    "  ORDERS.ITEM ITEM\nFROM ORDERS ORDERS\nWHERE (ORDERS.AMOUNT > 10)\nEMIT CHANGES;"
)
PER_ITEM = "CREATE TABLE PER_ITEM AS SELECT BIG.ITEM ITEM, COUNT(*) N FROM BIG BIG GROUP BY BIG.ITEM EMIT CHANGES;"
GIFTS = (
    "INSERT INTO BIG SELECT ORDERS.ID ID, ORDERS.ITEM ITEM FROM ORDERS ORDERS WHERE (ORDERS.ITEM = 'gift') "
    "EMIT CHANGES;"
)
# Of a query that this compiler does not have; its columns are only known from the server.
ODD = "CREATE STREAM ODD AS SELECT BIG.ID ID, MY_OWN(BIG.ITEM) X FROM BIG BIG EMIT CHANGES;"
AFTER_ODD = "CREATE STREAM AFTER_ODD AS SELECT ODD.ID ID, ODD.X[1] X FROM ODD ODD EMIT CHANGES;"
_TEXTS = {"type": "STRING", "fields": None, "memberSchema": None}

ANSWERS: list[dict[str, Any]] = [
    {
        "@type": "source_descriptions",
        "statementText": "LIST STREAMS EXTENDED;",
        "sourceDescriptions": [
            # A reader may come before what it reads.
            source("STREAM", "AFTER_ODD", "AFTER_ODD", AFTER_ODD, [
                column("ID", "INTEGER", "KEY"), column("X", "STRING"),
            ]),
            source("STREAM", "BIG", "BIG", BIG, [column("ID", "INTEGER", "KEY"), column("ITEM", "STRING")]),
            source("STREAM", "ODD", "ODD", ODD, [column("ID", "INTEGER", "KEY"), column("X", "ARRAY", None, _TEXTS)]),
            source("STREAM", "ORDERS", "orders", ORDERS, [
                column("ID", "INTEGER", "KEY"), column("ITEM", "STRING"), column("AMOUNT", "INTEGER"),
            ]),
        ],
        "warnings": [],
    },
    {
        "@type": "source_descriptions",
        "statementText": "LIST TABLES EXTENDED;",
        "sourceDescriptions": [
            source("TABLE", "PER_ITEM", "PER_ITEM", PER_ITEM, [column("ITEM", "STRING", "KEY"), column("N", "BIGINT")]),
        ],
        "warnings": [],
    },
    {
        "@type": "query_descriptions",
        "statementText": "LIST QUERIES EXTENDED;",
        "queryDescriptions": [
            query("CSAS_BIG_1", BIG), query("CTAS_PER_ITEM_3", PER_ITEM), query("INSERTQUERY_5", GIFTS),
            query("CSAS_ODD_7", ODD), query("CSAS_AFTER_ODD_9", AFTER_ODD),
        ],
        "warnings": [],
    },
]  # fmt: skip

PRINTED = f"""ksql> LIST STREAMS EXTENDED;

Name                 : ORDERS
Type                 : STREAM
Timestamp field      : Not set - using <ROWTIME>
Key format           : KAFKA
Value format         : JSON
Kafka topic          : orders (partitions: 3, replication: 2)
Statement            : {ORDERS}

 Field  | Type                  
--------------------------------
 ID     | INTEGER          (key) 
 ITEM   | VARCHAR(STRING)       
 AMOUNT | INTEGER               
--------------------------------

Queries that read from this STREAM
-----------------------------------
CSAS_BIG_1 (RUNNING) : CREATE STREAM BIG AS SELECT * FROM ORDERS EMIT CHANGES;

For query topology and execution plan please run: EXPLAIN <QueryId>

Name                 : BIG
Type                 : STREAM
Timestamp field      : Not set - using <ROWTIME>
Key format           : KAFKA
Value format         : JSON
Kafka topic          : BIG (partitions: 3, replication: 2)
Statement            : {BIG}

 Field | Type                  
-------------------------------
 ID    | INTEGER          (key) 
 ITEM  | VARCHAR(STRING)       
-------------------------------

ksql> LIST QUERIES EXTENDED;

ID                   : INSERTQUERY_5
Query Type           : PERSISTENT
SQL                  : {GIFTS}
Host Query Status    : {{host:8088=RUNNING}}

 Field | Type            
-------------------------
 ID    | INTEGER         
-------------------------
"""


@contextmanager
def server(answers: Any, *, status: int = 200, login: str | None = None) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """The address of a server that gives these answers, and the requests that it gets."""
    asked: list[dict[str, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            asked.append({"path": self.path, "login": self.headers.get("Authorization"), **json.loads(body)})
            allowed = login is None or self.headers.get("Authorization") == login
            content = answers.encode() if isinstance(answers, str) else json.dumps(answers).encode()
            self.send_response(status if allowed else 401)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: Any) -> None:
            return

    listening = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=listening.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listening.server_port}", asked
    finally:
        listening.shutdown()
        listening.server_close()
        thread.join()
