"""`make demo-kafka`: the flights over a Kafka broker and a schema registry, from an empty folder to figures that are
compared three ways. `--limit N` takes the first N rows of each file, which the figures of plain Python do not hold for.

It runs in a copy of the reference project, in which the flights are in Avro; so is what is made of them. The broker is
that of `lsqlc kafka up`; the registry is the stand-in of the tests, a process of its own. Both end with the demo.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import yaml

from tests.figures import PROJECT
from tests.kafka.rows import records

FOLDER = PROJECT / ".lsqlc" / "demo-kafka"
PREFIX = "demo."
# Of the last flights of all planes, by plain Python; tests/figures.py compares all airports.
SHOWN = {"ATL": 401, "ORD": 240, "CLT": 235, "MIA": 210}
# What is made of the flights; the models of the documents have topics without samples.
MODELS = ("--target", "kafka", "--exclude", "tag:documented")


@dataclass(frozen=True, slots=True)
class Demo:
    """The copy of the project, and the environment of its commands."""

    folder: Path
    environment: dict[str, str]

    def lsqlc(self, *words: str, shown: bool = True) -> str:
        """Run a command; with `shown`, what it prints is seen as it comes. Gives its stdout, else empty."""
        print(f"$ lsqlc {' '.join(words)}", flush=True)
        command = [sys.executable, "-m", "lsqlc", *words]
        stdout = None if shown else subprocess.PIPE
        done = subprocess.run(command, cwd=self.folder, env=self.environment, stdout=stdout, text=True, check=True)
        return done.stdout or ""


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.kafka.demo", description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--limit", type=int, metavar="N", help="the first N rows of each file, and no figures")
    limit = parser.parse_args(arguments).limit
    copied(PROJECT, FOLDER)
    try:
        with registry_process() as registry, broker(FOLDER) as bootstrap:
            print(f"a broker at {bootstrap}; a stand-in for a schema registry at {registry}", flush=True)
            variables = {"LSQLC_KAFKA": bootstrap, "LSQLC_REGISTRY": registry}
            return through(Demo(FOLDER, {**os.environ, **variables}), bootstrap, registry, limit)
    finally:
        shutil.rmtree(FOLDER)


def through(demo: Demo, bootstrap: str, registry: str, limit: int | None) -> int:
    """The steps; 1 if figures differ. Raises CalledProcessError for a command that fails."""
    flights = demo.lsqlc("show", "flights", "--schema", "avro", "--output", "json", shown=False)
    register(registry, f"{PREFIX}flights-value", flights)
    demo.lsqlc("schemas", "register", *MODELS)
    demo.lsqlc("schemas", "pull", "--target", "kafka")
    some = () if limit is None else ("--limit", str(limit))
    demo.lsqlc("seed", "--target", "kafka", *some)
    demo.lsqlc("topics", "apply", *MODELS)
    demo.lsqlc("run", "--verify", *MODELS)
    demo.lsqlc("show", "planes_by_airport", "--target", "kafka", "--limit", "5")
    if limit is None:
        figures = ("--kafka", bootstrap, "--prefix", PREFIX, "--registry", registry, "--quiet")
        print(f"$ python -m tests.figures {' '.join(figures)}", flush=True)
        done = subprocess.run([sys.executable, "-m", "tests.figures", *figures], cwd=PROJECT, env=demo.environment)
        if done.returncode:
            return 1
    found = {r.key: r.value for r in records(bootstrap, f"{PREFIX}planes-by-airport", registry)}
    planes = {airport: found[airport]["planes"] for airport in SHOWN if found.get(airport)}
    print("planes that last flew to", ", ".join(f"{airport}: {count}" for airport, count in planes.items()))
    return 0 if limit is not None or planes == SHOWN else 1


def copied(project: Path, folder: Path) -> None:
    """A copy of the project in an empty folder, in which the flights are in Avro."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name in ("models", "seeds"):
        shutil.copytree(project / name, folder / name)
    for name in ("lsqlc.yml", "profiles.yml"):
        shutil.copy(project / name, folder / name)
    path = folder / "models" / "flights" / "topics.yml"
    declared = yaml.safe_load(path.read_text("utf-8"))
    (flights,) = (topic for topic in declared["topics"] if topic["name"] == "flights")
    flights["value"] = {"format": "avro", "schema": flights["value"]}
    path.write_text(yaml.safe_dump(declared), "utf-8")


@contextmanager
def broker(folder: Path) -> Iterator[str]:
    """The address of a broker that ends, with its topics, behind the `with`."""
    command = [sys.executable, "-m", "lsqlc", "kafka"]
    up = subprocess.run([*command, "up", "--port", "0", "--output", "json"], cwd=folder, stdout=-1, check=True)
    try:
        yield json.loads(up.stdout)["bootstrap"]
    finally:
        subprocess.run([*command, "down", "--clean"], cwd=folder, check=True)


@contextmanager
def registry_process() -> Iterator[str]:
    """The address of a stand-in for a registry, which ends behind the `with`, and with this process."""
    command = [sys.executable, "-m", "tests.registry.stand_in"]
    with subprocess.Popen(command, cwd=PROJECT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin and process.stdout
        try:
            yield process.stdout.readline().strip()
        finally:
            process.stdin.close()


def register(registry: str, subject: str, shown: str) -> None:
    """Register the schema of a value, as whoever writes that topic would. `shown`: lines of JSON, one a facet."""
    facets: list[Any] = [json.loads(line) for line in shown.splitlines()]
    (schema,) = (facet["schema"] for facet in facets if facet["facet"] == "value")
    body = json.dumps({"schema": json.dumps(schema)}).encode()
    headers = {"Content-Type": "application/vnd.schemaregistry.v1+json"}
    with urlopen(Request(f"{registry}/subjects/{subject}/versions", body, headers), timeout=10) as answer:
        print(f"{subject}: registered, with the id {json.load(answer)['id']}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
