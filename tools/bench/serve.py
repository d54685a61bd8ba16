"""`lsqlc serve` over 1,000,000 rows: the time to read them, and rows by key and queries over HTTP."""

from __future__ import annotations

import http.client
import json
import random
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

from tools.bench.report import Row, print_table

ROWS = 1_000_000
POINT = 2.0
_SEGMENT = 50_000
_PROJECT = "name: serve\ndialect: sql\n"
_PROFILES = "default: here\ntargets: {here: {type: embedded}}\n"
_TOPICS = "topics:\n  - {name: accounts, key: STRING, value: 'city STRING, balance BIGINT, tags ARRAY<STRING>'}\n"


def run(work: Path, quick: bool) -> None:
    rows = ROWS // 100 if quick else ROWS
    root = work / "serve"
    _write(root, rows)
    command = [sys.executable, "-m", "lsqlc", "serve", "--topic", "accounts", "--port", "0", "--output", "json"]
    with subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            address = json.loads(process.stdout.readline())["address"]
            connection = http.client.HTTPConnection(address.removeprefix("http://").rstrip("/"), timeout=600)
            began = time.perf_counter()
            while _status(connection, "/ready") != 200:
                time.sleep(0.5)
            loaded = time.perf_counter() - began
            measured = [Row(f"read {rows:,} rows from a folder", loaded)]
            measured += _points(connection, rows, 200 if quick else 5_000)
            measured.append(_query(connection, "SELECT city, count(*) AS n FROM accounts GROUP BY city"))
            measured.append(_query(connection, "SELECT * FROM accounts ORDER BY balance DESC LIMIT 10"))
        finally:
            process.terminate()
    print_table(f"serve: {rows:,} rows, one client over one connection", measured)


def _write(root: Path, rows: int) -> None:
    (root / "models").mkdir(parents=True)
    (root / "lsqlc.yml").write_text(_PROJECT)
    (root / "profiles.yml").write_text(_PROFILES)
    (root / "models" / "topics.yml").write_text(_TOPICS)
    (root / "models" / "cities.sql").write_text("SELECT city, COUNT(*) AS n FROM accounts GROUP BY city")
    folder = root / ".lsqlc" / "topics" / "accounts" / "data"
    folder.mkdir(parents=True)
    for first in range(0, rows, _SEGMENT):
        lines = (
            f'{{"ordinal":{n},"timestamp":{n},"key":"account {n}",'
            f'"value":{{"city":"city {n % 97}","balance":{n * 7919 % 1_000_003},"tags":["a","b"]}}}}\n'
            for n in range(first, min(rows, first + _SEGMENT))
        )
        (folder / f"{first:020}.jsonl").write_text("".join(lines))


def _points(connection: http.client.HTTPConnection, rows: int, count: int) -> list[Row]:
    drawn = random.Random(7)
    times = sorted(
        _timed(lambda: _status(connection, f"/tables/accounts/account%20{drawn.randrange(rows)}")) * 1000
        for _ in range(count)
    )
    return [
        Row("a row by its key, median", median(times), "ms", POINT),
        Row("a row by its key, 99 of 100", times[count * 99 // 100], "ms"),
    ]


def _query(connection: http.client.HTTPConnection, sql: str) -> Row:
    body = json.dumps({"sql": sql})

    def ask() -> None:
        connection.request("POST", "/query", body, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        content = answer.read()
        assert answer.status == 200, content

    samples = [_timed(ask) for _ in range(5)]
    return Row(sql, median(samples), samples=samples, note="the first one compiles it")


def _status(connection: http.client.HTTPConnection, path: str) -> int:
    connection.request("GET", path)
    answer = connection.getresponse()
    answer.read()
    return answer.status


def _timed(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began
