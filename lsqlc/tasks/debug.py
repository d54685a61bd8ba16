"""Checks of the installation, a project and its target, each with its result and a way to fix it."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.diagnostics.extras import install_line
from lsqlc.formats import catalogue

if TYPE_CHECKING:
    from lsqlc.project.declared.target import Target
    from lsqlc.project.model import Project
    from lsqlc.project.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Check:
    """One check: its result, or the problem and how to fix it."""

    name: str
    ok: bool
    found: str
    help: str | None = None


@dataclass(frozen=True, slots=True)
class DebugRequest:
    """The checks that a command asks for.

    `release`: that of lsqlc; `target`: a name of profiles.yml, None: its default; `environment`: all environment
    variables.
    """

    release: str
    target: str | None
    environment: Mapping[str, str]


def checks(
    request: DebugRequest, find: Callable[[], Path], open_project: Callable[[Path], Workspace]
) -> Iterator[Check]:
    """Yield all checks, each made when the next one is taken.

    `find`: returns the folder of the project. An LsqlcError of the functions is a failed check.
    """
    from lsqlc.project.declared.profiles import named_target

    environment = request.environment
    yield Check("lsqlc", True, request.release)
    yield Check("python", True, f"{platform.python_version()} on {platform.system()} {platform.machine()}")
    yield _installed("duckdb", "pip install 'duckdb>=2.0'")
    yield _sqlglot()
    yield _installed("pyspark", install_line(["spark"]))
    yield _checked("duckdb runs", _duckdb)
    root: Path | None = None
    avro = False
    try:
        root = find()
        loaded = open_project(root).project
        broken = sum(d.is_error for d in loaded.diagnostics)
        contents = f"'{loaded.config.name}' in {root}, {len(loaded.models)} models, {len(loaded.topics)} topics"
        avro = _has_avro(loaded)
        yield Check("project", not broken, contents, f"{broken} errors: see `lsqlc compile`" if broken else None)
    except LsqlcError as error:
        yield _failed("project", error)
    place = None
    try:
        place = named_target(root or Path.cwd(), request.target, environment)
        yield Check("target", True, f"'{place.name}', {place.type}")
    except LsqlcError as error:
        yield _failed("target", error)
    # The embedded server needs a Java, and is what the next target may be, too.
    if place is None or place.type == "embedded":
        yield _checked("java", lambda: _java(environment))
        yield _checked("spark server", _spark_home)
        yield from _archive(environment)
        if place is not None and root is not None:
            for what, folder in _folders(root, place).items():
                yield _checked(f"{what} folder", lambda folder=folder, what=what: _writable(folder, what))  # type: ignore[misc]
            yield from _from_here(place)
    else:
        yield from _remote(place, root, avro)
        yield from _from_here(place)


def _checked(name: str, look: Callable[[], str]) -> Check:
    try:
        return Check(name, True, look())
    except LsqlcError as error:
        return _failed(name, error)


def _failed(name: str, error: LsqlcError) -> Check:
    first = error.diagnostics[0]
    notes = f" ({'; '.join(first.notes)})" if first.notes else ""
    return Check(name, False, f"{first.code}: {first.message}{notes}", first.help)


def _installed(package: str, help: str) -> Check:
    from importlib import metadata

    try:
        return Check(package, True, metadata.version(package))
    except metadata.PackageNotFoundError:
        return Check(package, False, "not installed", help)


def _sqlglot() -> Check:
    from importlib import metadata

    import sqlglot.parser

    # The compiled build replaces some of its modules, and this is one.
    pure = (sqlglot.parser.__file__ or "").endswith(".py")
    kind = f"pure Python; `{install_line(['fast'])}` reads standard SQL faster" if pure else "compiled"
    return Check("sqlglot", True, f"{metadata.version('sqlglot')}, {kind}")


def _duckdb() -> str:
    from lsqlc.lower.duckdb.database import connect

    connect().close()
    return "a database opens"


def _java(environment: Mapping[str, str]) -> str:
    from lsqlc.remote.server.java import find_java

    java = find_java(environment)
    return f"Java {java.version} from {java.origin}, {java.program}"


def _spark_home() -> str:
    from lsqlc.remote.server.home import spark_home

    return f"embedded, from {spark_home()}"


def _archive(environment: Mapping[str, str]) -> Iterator[Check]:
    """Yield whether servers start with an archive of classes, where a server can start. The check passes without one
    too.
    """
    from lsqlc.tasks.prepare import archive_of

    with suppress(LsqlcError):
        archive = archive_of(environment)
        help = None if archive else "`lsqlc server prepare` makes it, and servers start quicker"
        yield Check("class archive", True, f"'{archive.path}', {archive.text}" if archive else "none", help)


def _folders(root: Path, target: Target) -> Mapping[str, Path]:
    from lsqlc.tasks.run_target import open_target

    return open_target(root, target).shared


def _writable(folder: Path, what: str) -> str:
    """Nothing is made: the folder, or the nearest above it that is there, has to let us write."""
    there = next(f for f in (folder, *folder.parents) if os.path.lexists(f))
    if not there.is_dir() or not os.access(there, os.W_OK | os.X_OK):
        why = "cannot be written to" if there.is_dir() else "is not a folder"
        help = f"make it a writable folder, or set `{what}:` of the target to another one"
        raise LsqlcError([Diagnostic("LSQ697", f"'{there}' {why}", help=help)])
    return f"'{folder}' can be written to" if there == folder else f"'{folder}' can be created"


def _has_avro(project: Project) -> bool:
    """Return whether a topic is declared in a format that needs Spark's module for Avro, or a model may name one."""
    names = [format.name for format in catalogue.FORMATS if format.needs_spark_avro]
    facets = (facet for topic in project.topics for facet in (topic.topic.key, topic.topic.value))
    texts = [*(facet.format for facet in facets), *((model.text or "").lower() for model in project.models)]
    return any(name in text for name in names for text in texts)


def _remote(target: Target, root: Path | None, avro: bool) -> Iterator[Check]:
    """Check the server, and each folder that it has to share with us. `avro`: the project needs Avro there."""
    from lsqlc.remote.session.failures import is_lost, server_lost
    from lsqlc.remote.session.session import connect, parse_address
    from lsqlc.remote.session.shared_folders import check_visible, check_written

    assert target.address is not None, "the profile's reader checked it"
    try:
        session = connect(target.address, python=target.capabilities.needs_python)
    except LsqlcError as error:
        yield _failed("spark server", error)
        return
    place = parse_address(target.address).place
    yield Check("spark server", True, f"Spark {session.version} at {place}")

    def guarded(look: Callable[[], str]) -> Callable[[], str]:
        def call() -> str:
            try:
                return look()
            except Exception as error:
                if isinstance(error, LsqlcError) or not is_lost(error):
                    raise
                raise LsqlcError([server_lost(place, embedded=False)]) from None

        return call

    for what, folder in _folders(root, target).items() if root else ():

        def look(what: str = what, folder: Path = folder) -> str:
            check_visible(session, folder, what, place)
            check_written(session, folder, what, place)
            return f"'{folder}': the server and lsqlc read each other's files"

        yield _checked(f"{what} folder", guarded(look))
    if target.capabilities.needs_python:
        yield _checked_python(session, guarded)
    for what, ask in _connector_on_server(session, target, avro):
        yield _checked(what, guarded(ask))
    # A server that is lost by now is not missed.
    with suppress(Exception):
        session.stop()


def _checked_python(session: Any, guarded: Callable[[Callable[[], str]], Callable[[], str]]) -> Check:
    """Check how soon a worker of the server's Python is up. `guarded`: as of `_remote`."""
    from lsqlc.remote.session.failures import is_lost, query_refused
    from lsqlc.remote.session.python_start import LIMIT, python_seconds

    slow = "`lsqlc server python` writes a program for the server with which its workers come up at once"
    seconds: list[float] = []

    def look() -> str:
        try:
            seconds.append(python_seconds(session))
        except Exception as error:
            if is_lost(error):
                raise
            problem = query_refused("any model", "debug", "the start", error)
            raise LsqlcError([problem if problem.code == "LSQ761" else _slow_python(error, slow)]) from None
        return f"a worker is up within {seconds[0]:.1f} s, of the {LIMIT:g} that Spark allows"

    check = _checked("python of the server", guarded(look))
    return replace(check, help=slow) if seconds and seconds[0] > LIMIT / 2 else check


def _slow_python(error: Exception, help: str) -> Diagnostic:
    from lsqlc.remote.session.failures import cause

    name, message = cause(str(error))
    return Diagnostic(
        "LSQ817", "the Python of the Spark server writes no batch", notes=(message or name or str(error),), help=help
    )


def _connector_on_server(session: Any, target: Target, avro: bool) -> Iterator[tuple[str, Callable[[], str]]]:
    """Yield the checks of a server that shares no folder with us, in the order of a run."""
    from lsqlc.remote.connectors import spark_connector
    from lsqlc.remote.run.stores import ServerStore

    if target.capabilities.has_files:
        return
    url = target.checkpoints
    assert url is not None, "the profile's reader checked it"

    def checkpoints() -> str:
        ServerStore(session, url).check()
        return f"'{url}': the server can write to it and read from it"

    connector = spark_connector(target.connector.key)
    yield from connector.checks(session, target.connection, avro) if connector else ()
    yield "checkpoints", checkpoints


def _from_here(target: Target) -> Iterator[Check]:
    """Yield the checks of the connector and of the registry, if the target has one, as this machine reaches them."""
    from lsqlc.registry.client import RestRegistry

    for name, look in target.connector.checks(target.connection):
        yield _checked(name, look)
    if (registry := target.registry) is not None:

        def subjects() -> str:
            count = len(RestRegistry(registry).subjects())
            return f"{registry.url}: {count} {'subject' if count == 1 else 'subjects'}"

        yield _checked("schema registry", subjects)
