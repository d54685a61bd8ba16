"""Download jars from Maven repositories by the Ivy that pyspark contains: no program is needed except Python and Java.

The repository is Maven Central by default. Two variables of the environment select another one:

- `LSQLC_MAVEN`: the address of a Maven repository, such as a company's mirror.
- `LSQLC_IVY_SETTINGS`: the path of an Ivy settings file, as for `spark.jars.ivySettings`. It may have credentials.

`https_proxy` and `no_proxy` have the same meaning as for Python.
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

# Seconds, for 44 MB over a slow connection.
_TIMEOUT = 1800.0
_UNTRUSTED = "PKIX path building failed"
# Variables in which a user can set Java's trust store.
_JAVA_OPTIONS = ("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS")


def fetch(jars: ArtifactSet, folder: Path, environment: Mapping[str, str]) -> None:
    """Download the jars of a set into a folder, which will have other files too. The jars are not checked.

    Raises LsqlcError: LSQ650 no Java, LSQ099 no pyspark, LSQ700 a download failed, LSQ702 a variable of the environment
    is invalid.
    """
    settings = _settings(environment, folder)
    (folder / "ivy.xml").write_text(_module(jars.artifacts), "utf-8")
    java = find_java(environment, "to fetch jars")
    command = [
        "-jar", str(_ivy()), *(("-settings", str(settings)) if settings else ()), "-cache", str(folder / "ivy"),
        "-ivy", str(folder / "ivy.xml"), "-confs", "default",
        # The type of some jars is that of OSGi, `bundle`.
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
        raise not_fetched(jars, _reasons(printed))


def not_fetched(jars: ArtifactSet, reasons: Iterable[str]) -> LsqlcError:
    """Return LSQ700, with a note for each reason."""
    return LsqlcError(
        [
            Diagnostic(
                "LSQ700",
                f"cannot download the jars '{jars.name}'",
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
    """Return the Ivy file of a module that depends on these jars, without their own dependencies."""
    dependencies = "".join(
        f'<dependency org="{a.organisation}" name="{a.name}" rev="{a.version}" transitive="false" conf="default"/>'
        for a in artifacts
    )
    return (
        '<ivy-module version="2.0"><info organisation="lsqlc" module="jars"/>'
        f"<dependencies>{dependencies}</dependencies></ivy-module>"
    )


def _settings(environment: Mapping[str, str], folder: Path) -> Path | None:
    """Return the path of Ivy's settings: the user's file, or a file that this function writes."""
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
    # Without POMs: the set contains the dependencies of its jars.
    path.write_text(
        '<ivysettings><settings defaultResolver="maven"/><resolvers>'
        f'<ibiblio name="maven" m2compatible="true" usepoms="false" useMavenMetadata="false"{root}/>'
        "</resolvers></ivysettings>",
        "utf-8",
    )
    return path


def _check_address(address: str) -> None:
    """Raise LSQ702 for an invalid address. The message does not repeat it, because it may have a password."""
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
    """Yield Java's options for the proxies of the environment, whose variables Java does not read."""

    def variable(name: str) -> str:
        return environment.get(name) or environment.get(name.upper()) or ""

    for scheme in ("http", "https"):
        address = variable(f"{scheme}_proxy") or variable("all_proxy")
        try:
            parts = urlsplit(address if "://" in address else f"http://{address}")
            host, port = parts.hostname, parts.port
        except ValueError:
            raise _misconfigured(f"{scheme}_proxy is not the address of a proxy", "write http://HOST:PORT") from None
        if host:
            yield f"-D{scheme}.proxyHost={host}"
            yield f"-D{scheme}.proxyPort={port or (443 if parts.scheme == 'https' else 80)}"
    direct = [host.strip() for host in variable("no_proxy").split(",") if host.strip()]
    if direct:
        yield "-Dhttp.nonProxyHosts=" + "|".join(f"*{host}" if host.startswith(".") else host for host in direct)


def _has_trust_store(environment: Mapping[str, str]) -> bool:
    return any("javax.net.ssl.trustStore" in environment.get(name, "") for name in _JAVA_OPTIONS)


def _run(command: list[str], environment: Mapping[str, str]) -> tuple[int, str]:
    try:
        process = subprocess.run(
            command, env=dict(environment), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            timeout=_TIMEOUT, encoding="utf-8", errors="replace",
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return 1, f"Server access error: it was not complete after {_TIMEOUT:g} seconds"
    return process.returncode, process.stdout


def _reasons(printed: str) -> Iterator[str]:
    """Yield the errors in Ivy's output, without duplicates, or the last lines of an output without errors."""
    lines = [line.strip() for line in printed.splitlines() if line.strip()]
    marks = ("Server access error", "invalid ", ": not found", "FAILED")
    causes = dict.fromkeys(line.removeprefix(":: ") for line in lines if any(mark in line for mark in marks))
    yield from list(causes or dict.fromkeys(lines[-6:]))[:6]
    if len(causes) > 6:
        yield f"and {len(causes) - 6} more"
