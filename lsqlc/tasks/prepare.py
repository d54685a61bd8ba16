"""Make the archive of Java's classes: run a small project by commands of their own, and archive what Java loaded.

The commands are those that a user types, `seed` and `run`, on a server that writes down the classes it loads; Java
writes the archive from that list in another process. The connector for Kafka is not run, since that takes a broker:
its classes are listed by their names.
"""

from __future__ import annotations

import sys
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from lsqlc.project.user_cache import CACHE
from lsqlc.remote.server import archive
from lsqlc.remote.server.home import spark_home
from lsqlc.remote.server.jars import fetched
from lsqlc.remote.server.java import find_java

# A STREAM, a STREAM aggregation with windows, a TABLE aggregation, and a join of TABLEs: each kind of operator and of
# state loads classes of its own.
_PROJECT: Mapping[str, str] = {
    "lsqlc.yml": "name: training\n",
    "models/topics.yml": """\
topics:
  - {name: orders, key: INT, value: "customer INT, item STRING, amount DOUBLE", seed: {path: seeds/orders.csv, key: id}}
  - {name: customers, key: INT, value: "name STRING", seed: {path: seeds/customers.csv, key: id}}
""",
    "models/large.sql": "SELECT STREAM customer, upper(item) AS item, amount * 2 AS amount FROM orders"
    " WHERE amount > 1;",
    "models/hourly.sql": "SELECT STREAM item, COUNT(*) AS n, SUM(amount) AS amount FROM large WINDOW BY TUMBLE 1h"
    " GROUP BY item;",
    "models/by_item.sql": "SELECT TABLE item, COUNT(*) AS n, SUM(amount) AS amount FROM orders GROUP BY item;",
    "models/named.sql": "SELECT TABLE o.item AS item, c.name AS name FROM orders AS o JOIN customers AS c"
    " ON o.customer = c._key;",
    "seeds/orders.csv": "id,customer,item,amount\n" + "".join(f"{n},{n % 7},item-{n % 5},{n}.5\n" for n in range(200)),
    "seeds/customers.csv": "id,name\n" + "".join(f"{n},name-{n}\n" for n in range(7)),
}
# What of Kafka's client a server does not load, or little of it: the messages of all versions of the protocol, say.
_KAFKA_LEFT_OUT = ("META-INF/", "org/apache/kafka/common/message/", "org/apache/kafka/server/")
# Java's own option variable, which the server inherits.
_OPTIONS = "JDK_JAVA_OPTIONS"


@dataclass(frozen=True, slots=True)
class Prepared:
    """An archive; `made`: by this command, else it was there. `size`: bytes; `kafka`: with the connector's classes."""

    path: Path
    made: bool
    size: int
    kafka: bool

    @property
    def text(self) -> str:
        """What it is, in words."""
        return f"{self.size / 1e6:.0f} MB, {'with' if self.kafka else 'without'} the connector for Kafka"


def archive_of(environment: Mapping[str, str]) -> Prepared | None:
    """The archive that embedded servers use now; None if there is none. Raises LsqlcError LSQ650 for no Java, LSQ099
    for no pyspark.
    """
    found = archive.class_path(find_java(environment), home := spark_home(), (), environment)
    if found.archive is None:
        return None
    return Prepared(found.archive, False, found.archive.stat().st_size, len(found.jars) > len(archive.spark_jars(home)))


def prepare(environment: Mapping[str, str], say: Callable[[str], None]) -> Prepared:
    """Make the archive for the installed Spark and the connector for Kafka, if it is in the cache. `say`: takes a line
    before each step.

    Raises LsqlcError: LSQ650 no Java, LSQ099 no pyspark, LSQ880 for what went wrong on the way; nothing is left then.
    """
    java, home = find_java(environment), spark_home()
    kafka = fetched("spark-kafka", environment)
    jars = (*archive.spark_jars(home), *kafka)
    with archive.making(environment) as folder:
        place = archive.archive_path(java, home, jars, environment)
        # Whoever was waited for may have made it.
        if place.is_file():
            return Prepared(place, False, place.stat().st_size, bool(kafka))
        say("running a small project on a Spark server, to see which classes are loaded")
        classes = folder / "classes"
        lines = dict.fromkeys((*_loaded(folder, environment), *_listed(kafka)))
        classes.write_text("".join(f"{line}\n" for line in lines), "utf-8")
        say(f"writing the archive of {sum(not line.startswith('@') for line in lines):,} classes")
        made = folder / "made.jsa"
        archive.dump(java, jars, classes, made, environment)
        archive.publish(made, place)
        return Prepared(place, True, place.stat().st_size, bool(kafka))


def _loaded(folder: Path, environment: Mapping[str, str]) -> Iterator[str]:
    """The lines that Java writes of each class that a server loads which runs the project."""
    root, listed = folder / "training", folder / "loaded"
    for name, text in _PROJECT.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, "utf-8")
    options = f"{environment.get(_OPTIONS, '')} -XX:DumpLoadedClassList={listed}".strip()
    # With a cache of its own it finds neither a server that is kept nor an archive, in which classes would be listed
    # as they were found.
    own = {**environment, CACHE: str(folder / "cache"), _OPTIONS: options}
    for verb in ("seed", "run"):
        ended = archive.run([sys.executable, "-m", "lsqlc", verb, "--project-dir", str(root)], own, root)
        if ended.returncode:
            lines = [line for line in ended.stdout.splitlines() if line.strip()]
            raise archive.not_made(f"`lsqlc {verb}` of a small project failed", lines[-6:])
    yield from listed.read_text("utf-8", "replace").splitlines()


def _listed(jars: Iterable[Path]) -> Iterator[str]:
    """The names of the classes in these jars, as Java lists them."""
    for jar in jars:
        with zipfile.ZipFile(jar) as file:
            for name in file.namelist():
                if name.endswith(".class") and not name.startswith(_KAFKA_LEFT_OUT) and "-info" not in name:
                    yield name.removesuffix(".class")
