"""Fetch jars of Maven repositories with the Ivy that pyspark carries: Python and Java are all that it takes.

Where they come from is Ivy's default, the central repository, unless the environment says otherwise: `LSQLC_MAVEN` is
the address of another Maven repository, such as a company's mirror, and `LSQLC_IVY_SETTINGS` the path of a settings
file of Ivy's, which may have credentials, as Spark takes it by `spark.jars.ivySettings`. `https_proxy` and `no_proxy`
count as they do for Python.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from urllib.parse import urlsplit
from xml.sax.saxutils import quoteattr

from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.remote.server import trust
from lsqlc.remote.server.artifacts import Artifact, ArtifactSet
from lsqlc.remote.server.home import spark_home
from lsqlc.remote.server.java import find_java

MIRROR, SETTINGS = "LSQLC_MAVEN", "LSQLC_IVY_SETTINGS"

# Seconds; 44 MB over a slow line.
_TIMEOUT = 1800.0
_UNTRUSTED = "PKIX path building failed"
# Where a user says which certificates Java is to trust.
_JAVA_OPTIONS = ("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS")


def fetch(wanted: ArtifactSet, folder: Path, environment: Mapping[str, str]) -> None:
    """Put the jars of a set into a folder, which is left with files beside them. Nothing is checked.

    Raises LsqlcError: LSQ650 no Java, LSQ099 no pyspark, LSQ700 what could not be fetched and why, LSQ702 for an
    environment that does not say where from.
    """
    settings = _settings(environment, folder)
    (folder / "ivy.xml").write_text(_module(wanted.artifacts), "utf-8")
    java = find_java(environment, "to fetch jars")
    command = [
        "-jar", str(_ivy()), *(("-settings", str(settings)) if settings else ()), "-cache", str(folder / "ivy"),
        "-ivy", str(folder / "ivy.xml"), "-confs", "default",
        # Some jars are of the type that OSGi has for them.
        "-types", "jar", "bundle", "-retrieve", f"{folder}/[artifact]-[revision].[ext]",
    ]  # fmt: skip
    options = ["-Duser.language=en", *_proxies(environment)]
    code, printed = _run([str(java.program), *options, *command], environment)
    if _UNTRUSTED in printed and not _has_trust_store(environment) and (certificates := trust.trusted()):
        store = folder / "trust.jks"
        store.write_bytes(trust.trust_store(certificates))
        options += [
            f"-Djavax.net.ssl.trustStore={store}", "-Djavax.net.ssl.trustStoreType=JKS",
            f"-Djavax.net.ssl.trustStorePassword={trust.PASSWORD}",
        ]  # fmt: skip
        code, printed = _run([str(java.program), *options, *command], environment)
    if code:
        raise not_fetched(wanted, _reasons(printed))


def not_fetched(wanted: ArtifactSet, reasons: Iterable[str]) -> LsqlcError:
    """LSQ700. `reasons`: a note each."""
    return LsqlcError(
        [
            Diagnostic(
                "LSQ700",
                f"cannot download the jars '{wanted.name}'",
                notes=tuple(reasons),
                help=(
                    f"check the connection, or set a repository that can be reached: {MIRROR}, the address of a Maven"
                    f" repository, or {SETTINGS}, the path of an Ivy settings file"
                ),
            )
        ]
    )


def _ivy() -> Path:
    jars = sorted((spark_home() / "jars").glob("ivy-*.jar"))
    if not jars:
        help = "pip install --force-reinstall pyspark"
        raise LsqlcError([Diagnostic("LSQ651", "the installed pyspark has no Ivy, which downloads jars", help=help)])
    return jars[-1]


def _module(artifacts: Iterable[Artifact]) -> str:
    """The description of a module that depends on these and on nothing that they depend on."""
    dependencies = "".join(
        f'<dependency org="{a.organisation}" name="{a.name}" rev="{a.version}" transitive="false" conf="default"/>'
        for a in artifacts
    )
    return (
        '<ivy-module version="2.0"><info organisation="lsqlc" module="jars"/>'
        f"<dependencies>{dependencies}</dependencies></ivy-module>"
    )


def _settings(environment: Mapping[str, str], folder: Path) -> Path | None:
    """The path of Ivy's settings: the user's, or a file that is written here."""
    mirror, settings = environment.get(MIRROR, ""), environment.get(SETTINGS, "")
    if mirror and settings:
        raise _misconfigured(f"{MIRROR} and {SETTINGS} are both set", f"unset {MIRROR}: the file names repositories")
    if settings:
        path = Path(settings).absolute()
        if not path.is_file():
            raise _misconfigured(f"{SETTINGS} is '{settings}', which is not a file", "set it to the path of a file")
        return path
    if mirror:
        _check_address(mirror)
    root = f" root={quoteattr(mirror)}" if mirror else ""
    path = folder / "ivysettings.xml"
    # Without POMs: what the jars depend on is known, and is in the set.
    path.write_text(
        '<ivysettings><settings defaultResolver="maven"/><resolvers>'
        f'<ibiblio name="maven" m2compatible="true" usepoms="false" useMavenMetadata="false"{root}/>'
        "</resolvers></ivysettings>",
        "utf-8",
    )
    return path


def _check_address(address: str) -> None:
    """The message does not repeat the address, which may have a password."""
    try:
        parts = urlsplit(address)
    except ValueError:
        parts = urlsplit("")
    if parts.scheme not in ("http", "https", "file") or not (parts.netloc or parts.scheme == "file"):
        message = f"{MIRROR} is not the address of a Maven repository"
        raise _misconfigured(message, "write https://HOST/PATH, or file:///FOLDER")
    if "@" in parts.netloc:
        message = f"{MIRROR} has a user's name or password, which Ivy does not support in an address"
        raise _misconfigured(message, f"write an Ivy settings file with <credentials>, and set {SETTINGS} to its path")


def _misconfigured(message: str, help: str) -> LsqlcError:
    return LsqlcError([Diagnostic("LSQ702", message, help=help)])


def _proxies(environment: Mapping[str, str]) -> Iterator[str]:
    """Java's options for the proxies that the environment names, which Java itself does not look up there."""

    def named(name: str) -> str:
        return environment.get(name) or environment.get(name.upper()) or ""

    for scheme in ("http", "https"):
        address = named(f"{scheme}_proxy") or named("all_proxy")
        try:
            parts = urlsplit(address if "://" in address else f"http://{address}")
            host, port = parts.hostname, parts.port
        except ValueError:
            raise _misconfigured(f"{scheme}_proxy is not the address of a proxy", "write http://HOST:PORT") from None
        if host:
            yield f"-D{scheme}.proxyHost={host}"
            yield f"-D{scheme}.proxyPort={port or (443 if parts.scheme == 'https' else 80)}"
    direct = [host.strip() for host in named("no_proxy").split(",") if host.strip()]
    if direct:
        yield "-Dhttp.nonProxyHosts=" + "|".join(f"*{host}" if host.startswith(".") else host for host in direct)


def _has_trust_store(environment: Mapping[str, str]) -> bool:
    return any("javax.net.ssl.trustStore" in environment.get(name, "") for name in _JAVA_OPTIONS)


def _run(command: list[str], environment: Mapping[str, str]) -> tuple[int, str]:
    try:
        ran = subprocess.run(
            command, env=dict(environment), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            timeout=_TIMEOUT, encoding="utf-8", errors="replace",
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return 1, f"Server access error: it was not complete after {_TIMEOUT:g} seconds"
    return ran.returncode, ran.stdout


def _reasons(printed: str) -> Iterator[str]:
    """What Ivy says was wrong, each once; the end of what it printed where it says nothing of the kind."""
    lines = [line.strip() for line in printed.splitlines() if line.strip()]
    marks = ("Server access error", "invalid ", ": not found", "FAILED")
    causes = dict.fromkeys(line.removeprefix(":: ") for line in lines if any(mark in line for mark in marks))
    yield from list(causes or dict.fromkeys(lines[-6:]))[:6]
    if len(causes) > 6:
        yield f"and {len(causes) - 6} more"
