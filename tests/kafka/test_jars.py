"""Jars are fetched once, whole and checked, or not at all: from a repository in a folder, by the Ivy of pyspark."""

from __future__ import annotations

import hashlib
import os
import ssl
import subprocess
import sys
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Literal

import pytest

from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.project.user_cache import cache_folder
from lsqlc.remote.server import ivy, trust
from lsqlc.remote.server.artifacts import Artifact, ArtifactSet, pinned
from lsqlc.remote.server.jars import ensure
from lsqlc.remote.server.java import find_java
from tests.each import each

# Ivy is a Java program.
of_ivy = pytest.mark.kafka

ONE, TWO = b"the first jar", b"the second jar"


def repository(folder: Path, **contents: bytes) -> ArtifactSet:
    """A Maven repository in a folder, with a jar of each name, and the set of them."""
    artifacts = []
    for name, content in contents.items():
        place = folder / "org" / "example" / name / "1.0"
        place.mkdir(parents=True)
        (place / f"{name}-1.0.jar").write_bytes(content)
        artifacts.append(Artifact("org.example", name, "1.0", len(content), hashlib.sha256(content).hexdigest()))
    return ArtifactSet("examples", tuple(artifacts), "examples-0123")


@pytest.fixture
def environment(tmp_path: Path) -> Mapping[str, str]:
    """One whose cache and repository lie in the folder of the test."""
    own = {"LSQLC_CACHE": str(tmp_path / "cache"), "LSQLC_MAVEN": (tmp_path / "maven").as_uri()}
    return {**{k: v for k, v in os.environ.items() if not k.startswith("LSQLC_")}, **own}


def refused(wanted: ArtifactSet, environment: Mapping[str, str]) -> Diagnostic:
    """The one finding; nothing is left where the jars would be, and nothing aside."""
    with pytest.raises(LsqlcError) as error:
        ensure(wanted, environment)
    left = cache_folder(environment) / "jars"
    assert not left.is_dir() or [path.name for path in left.iterdir() if path.suffix != ".lock"] == []
    (found,) = error.value.diagnostics
    return found


@of_ivy
def test_a_set_is_fetched_once(tmp_path: Path, environment: Mapping[str, str]) -> None:
    """Then it is there without a repository; a jar that is cut off afterwards is noticed, and fetched again."""
    wanted = repository(tmp_path / "maven", one=ONE, two=TWO)
    said: list[str] = []
    paths = ensure(wanted, environment, said.append)
    assert [path.read_bytes() for path in paths] == [ONE, TWO] and "2 jars" in said[0]
    assert ensure(wanted, {**environment, "LSQLC_OFFLINE": "1"}, said.append) == paths and len(said) == 1
    paths[0].write_bytes(ONE[:5])
    assert ensure(wanted, environment, said.append)[0].read_bytes() == ONE and len(said) == 2


@of_ivy
def test_several_want_it_at_once(tmp_path: Path, environment: Mapping[str, str]) -> None:
    """One fetches, the others wait for it."""
    wanted = repository(tmp_path / "maven", one=ONE)
    said: list[str] = []
    with ThreadPoolExecutor(4) as pool:
        found = [*pool.map(lambda _: ensure(wanted, environment, said.append), range(4))]
    assert len({*found}) == 1 and len(said) == 1


@of_ivy
def test_what_was_killed_is_begun_anew(tmp_path: Path, environment: Mapping[str, str]) -> None:
    """What a process left aside that was killed as it fetched is not taken for what is wanted."""
    wanted = repository(tmp_path / "maven", one=ONE)
    aside = cache_folder(environment) / "jars" / f"{wanted.key}.part" / "fetched"
    aside.mkdir(parents=True)
    (aside / "one-1.0.jar").write_bytes(b"half")
    assert ensure(wanted, environment)[0].read_bytes() == ONE
    assert not aside.exists()


@of_ivy
def test_another_file_of_that_name_is_refused(tmp_path: Path, environment: Mapping[str, str]) -> None:
    """LSQ701 with both checksums, even where the size is right."""
    wanted = repository(tmp_path / "maven", one=ONE, two=TWO)
    (tmp_path / "maven/org/example/two/1.0/two-1.0.jar").write_bytes(TWO.upper())
    found = refused(wanted, environment)
    assert found.code == "LSQ701" and "two-1.0.jar" in found.message
    assert hashlib.sha256(TWO).hexdigest() in found.notes[0]
    assert hashlib.sha256(TWO.upper()).hexdigest() in found.notes[0]


@of_ivy
def test_what_a_repository_lacks(tmp_path: Path, environment: Mapping[str, str]) -> None:
    """LSQ700 names it, and what to set."""
    wanted = repository(tmp_path / "maven", one=ONE, two=TWO)
    (tmp_path / "maven/org/example/two/1.0/two-1.0.jar").unlink()
    found = refused(wanted, environment)
    assert found.code == "LSQ700" and "org.example#two;1.0: not found" in found.notes
    assert found.help and "LSQLC_MAVEN" in found.help


@of_ivy
def test_a_repository_that_is_not_reached(tmp_path: Path, environment: Mapping[str, str]) -> None:
    """LSQ700 with what Ivy says of the connection."""
    wanted = repository(tmp_path / "maven", one=ONE)
    found = refused(wanted, {**environment, "LSQLC_MAVEN": "http://127.0.0.1:9/maven"})
    assert found.code == "LSQ700" and any("refused" in note for note in found.notes)


@of_ivy
def test_settings_of_ivys_own(tmp_path: Path, environment: Mapping[str, str]) -> None:
    """The file that Spark would take is taken: here it names a repository by a pattern."""
    wanted = repository(tmp_path / "maven", one=ONE)
    settings = tmp_path / "ivysettings.xml"
    pattern = f"{tmp_path}/maven/org/example/[module]/[revision]/[artifact]-[revision].[ext]"
    settings.write_text(
        '<ivysettings><settings defaultResolver="here"/><resolvers><filesystem name="here">'
        f'<artifact pattern="{pattern}"/></filesystem></resolvers></ivysettings>'
    )
    own = {**environment, "LSQLC_MAVEN": "", "LSQLC_IVY_SETTINGS": str(settings)}
    assert ensure(wanted, own)[0].read_bytes() == ONE


def test_nothing_is_fetched_offline(tmp_path: Path, environment: Mapping[str, str]) -> None:
    """LSQ700 names the folder to copy; no Java is started for it."""
    wanted = repository(tmp_path / "maven", one=ONE)
    found = refused(wanted, {**environment, "LSQLC_OFFLINE": "1", "JAVA_HOME": "", "PATH": ""})
    assert found.code == "LSQ700" and str(tmp_path / "cache/jars/examples-0123") in (found.help or "")


def test_a_cache_that_cannot_be_written(tmp_path: Path, environment: Mapping[str, str]) -> None:
    """LSQ703 names the folder, and what to set."""
    (tmp_path / "file").touch()
    wanted = repository(tmp_path / "maven", one=ONE)
    found = refused(wanted, {**environment, "LSQLC_CACHE": str(tmp_path / "file" / "cache")})
    assert found.code == "LSQ703" and "LSQLC_CACHE" in (found.help or "")


@pytest.mark.parametrize(
    "own",
    [
        {"LSQLC_MAVEN": "maven.example.com/central"},
        {"LSQLC_MAVEN": "https://ada:secret@maven.example.com/central"},
        {"LSQLC_MAVEN": "https://[maven"},
        {"LSQLC_IVY_SETTINGS": "settings.xml"},
        {"LSQLC_MAVEN": "", "LSQLC_IVY_SETTINGS": "/missing/settings.xml"},
        {"https_proxy": "http://proxy:port"},
    ],
)
def test_variables_that_say_nothing(tmp_path: Path, environment: Mapping[str, str], own: Mapping[str, str]) -> None:
    """LSQ702, without the password that an address may have."""
    found = refused(repository(tmp_path / "maven", one=ONE), {**environment, **own})
    assert found.code == "LSQ702" and found.help and "secret" not in str(found)


def test_proxies_are_those_of_the_environment() -> None:
    """As Python takes them; Java is given each as options of its own."""
    environment = {"https_proxy": "http://proxy:3128", "HTTP_PROXY": "proxy", "no_proxy": "localhost, .example.com"}
    assert [*ivy._proxies(environment)] == [
        "-Dhttp.proxyHost=proxy",
        "-Dhttp.proxyPort=80",
        "-Dhttps.proxyHost=proxy",
        "-Dhttps.proxyPort=3128",
        "-Dhttp.nonProxyHosts=localhost|*.example.com",
    ]
    assert [*ivy._proxies({})] == []


def test_where_the_cache_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The variable of our own, then the system's, then the usual folder; a relative XDG folder does not count."""
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_folder({"LSQLC_CACHE": "/a", "XDG_CACHE_HOME": "/b"}) == Path("/a")
    assert cache_folder({"XDG_CACHE_HOME": "/b"}) == Path("/b/lsqlc")
    assert cache_folder({"XDG_CACHE_HOME": "b"}) == cache_folder({}) == tmp_path / ".cache" / "lsqlc"
    monkeypatch.setattr(sys, "platform", "darwin")
    assert cache_folder({}) == tmp_path / "Library" / "Caches" / "lsqlc"


@each("name", ("kafka-broker", "spark-kafka"))
def test_what_is_pinned(name: Literal["kafka-broker", "spark-kafka"]) -> None:
    """Every jar has a checksum of its own and a name of its own; another jar makes another folder."""
    known = pinned(name)
    assert all(len(a.sha256) == 64 and a.size > 0 for a in known.artifacts)
    assert len({a.sha256 for a in known.artifacts}) == len({a.file for a in known.artifacts}) == len(known.artifacts)


@of_ivy
def test_java_reads_what_python_trusts(tmp_path: Path) -> None:
    """The trust store that is written has each certificate, by the checksum and the words of Java's own tool."""
    authorities = trust.trusted()
    tool = find_java(os.environ).program.with_name("keytool")
    if not authorities or not tool.is_file():
        pytest.skip("this system has no certificates for Python, or a Java without keytool")
    store = tmp_path / "trust.jks"
    store.write_bytes(trust.trust_store(authorities))
    ran = subprocess.run(
        [tool, "-list", "-rfc", "-keystore", store, "-storetype", "JKS", "-storepass", trust.PASSWORD],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    listed = ran.stdout.split("-----BEGIN CERTIFICATE-----")[1:]
    mark = "-----END CERTIFICATE-----"
    found = {ssl.PEM_cert_to_DER_cert(f"-----BEGIN CERTIFICATE-----{part.split(mark)[0]}{mark}") for part in listed}
    assert found == {*authorities}
