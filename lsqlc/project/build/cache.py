"""The build cache: whether anything changed since the last successful build, and the results of that build.

It compares the contents of files, not their times. So a fresh clone with a cached `target/` is unchanged, and an edit
within one clock tick is noticed. A cache is ignored if it is damaged, or if another version of lsqlc or Python wrote
it. It must have the seal of the user's key, so that a pull request cannot contain a valid cache. An unchanged build
only runs this module, so it imports neither YAML nor Jinja nor the compiler.

    stamp, salt, key = cache.stamp(version), cache.salt(vars, environment), user_key(root, environment)
    look = cache.look(root, stamp=stamp, salt=salt, key=key)
    if look.unchanged: print what it holds; else: load and compile with look.contents, then cache.keep(...)
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

from lsqlc.diagnostics import Diagnostic, Fix, Severity, Span
from lsqlc.project import files
from lsqlc.project.user_cache import sealed, unsealed
from lsqlc.scan import paths
from lsqlc.scan.data_files import digest as data_digest
from lsqlc.types.files import Files

_FORMAT = 1
_KIND = "lsqlc state"
_STATE = "cache/state"
_PROJECT_FILE = "lsqlc.yml"
_MACROS = "macros"
# Equal to project/declared/own_functions.py, which imports the compiler.
_FUNCTIONS = "functions"
_FUNCTION_ENDINGS = (".sql", ".py", ".yml", ".yaml")
# Equal to project/declared/schema_files.py, which imports the storage formats.
LISTED_ENDINGS = (".avsc",)
# Equal to project/declared/lock.py, which imports the YAML reader.
LOCK_FILE = "lsqlc.lock.yml"
# Files that discovery finds by their endings. All other files of a build are named by one of them.
_ENDINGS = (".sql", ".yml", ".yaml")
# As in project/declared/schema_files.py.
# The bytes of the largest file that an earlier build can have left.
MAX_MADE = 2**30
_TARGET = re.compile(rb"^target-path:[ \t]*[\"']?([^\s\"'#]+)[\"']?[ \t]*(?:#.*)?\r?$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Unchanged:
    """The output of the last build: its manifest on disk, its summary, its warnings."""

    manifest: Path
    summary: Mapping[str, Any]
    diagnostics: tuple[Diagnostic, ...]


@dataclass(frozen=True, slots=True)
class Look:
    """The result of the comparison. `unchanged`: None if a build is needed. `contents`: the files read so far."""

    unchanged: Unchanged | None
    contents: Mapping[str, bytes]


def stamp(version: str) -> str:
    """Return the identity of this lsqlc (its version and its source) and this Python."""
    package = Path(__file__).parent.parent
    digest = blake2b(f"{_FORMAT} {version} {sys.version}".encode(), digest_size=16)
    for path in files.find(package, (".",), (".py",)).paths:
        digest.update(path.encode())
        digest.update((package / path).read_bytes())
    return digest.hexdigest()


def salt(vars: Mapping[str, Any], environment: Mapping[str, str]) -> str:
    """Return the identity of inputs from outside the files: command line variables, and readable environment
    variables.
    """
    package_files = sorted(
        (k, v) for k, v in environment.items() if k.startswith("LSQLC_") and not k.startswith("LSQLC_SECRET_")
    )
    text = json.dumps([vars, package_files], sort_keys=True, default=repr)
    return blake2b(text.encode(), digest_size=16).hexdigest()


def look(root: Path, *, stamp: str, salt: str, key: bytes | None) -> Look:
    """Compare the files of a project with those of its last successful build.

    `key`: of the user, which proves that lsqlc wrote the cache.
    """
    if not paths.stays_inside(root, _PROJECT_FILE):
        return Look(None, {})
    try:
        settings = files.read_bytes(root / _PROJECT_FILE)
    except OSError:
        return Look(None, {})
    match = _TARGET.search(settings)
    target = match[1].decode("utf-8", "replace") if match else "target"
    if not paths.stays_inside(root, target):
        return Look(None, {})
    state = _read_state(root / target / _STATE, key)
    if state is None or state.get("stamp") != stamp or state.get("salt") != salt:
        return Look(None, {})
    folders = state["folders"]
    contents = _contents(root, folders, state["named"], settings)
    if contents is None or _digest(contents, folders) != state["digest"]:
        return Look(None, contents or {})
    if _avro_schemas(root, state["named"]) != state["schemas"]:
        return Look(None, contents)
    if state["watched"] and data_digest(root, [Files(p, f) for p, f in state["watched"]]) != state["data"]:
        return Look(None, contents)
    manifest = root / target / "manifest.json"
    try:
        same = _hash(files.read_bytes(manifest, MAX_MADE)) == state["manifest"]
    except OSError:
        same = False
    if not same:
        return Look(None, contents)
    return Look(Unchanged(manifest, state["summary"], tuple(map(diagnostic_from, state["diagnostics"]))), contents)


@dataclass(frozen=True, slots=True)
class Build:
    """A build without errors.

    `texts`: its files by path; `folders`: the model paths; `summary`: see `Unchanged`; `watched`: folders of data whose
    columns were compared with the lock file.
    """

    texts: Mapping[str, str]
    folders: Sequence[str]
    manifest: bytes
    summary: Mapping[str, Any]
    diagnostics: Sequence[Diagnostic] = ()
    watched: Sequence[Files] = ()


@dataclass(frozen=True, slots=True)
class Origin:
    """The release of lsqlc, the variables and the user that a build depends on: `stamp`, `salt` and `user_key`. Without
    a key only the manifest is written.
    """

    stamp: str
    salt: str
    key: bytes | None


def keep(root: Path, target_path: str, build: Build, origin: Origin) -> tuple[Diagnostic, ...]:
    """Write the manifest, and store a build. Return a diagnostic if the target folder cannot be written."""
    texts, watched, manifest, key = build.texts, build.watched, build.manifest, origin.key
    contents = {path: text.encode() for path, text in texts.items()}
    state = {
        "format": _FORMAT,
        "stamp": origin.stamp,
        "salt": origin.salt,
        "folders": list(build.folders),
        "named": sorted(path for path in contents if not path.endswith(_ENDINGS) or path == LOCK_FILE),
        "schemas": _avro_schemas(root, contents),
        "watched": [[files.path, files.format] for files in watched],
        "data": data_digest(root, watched),
        "digest": _digest(contents, list(build.folders)),
        "manifest": _hash(manifest),
        "summary": build.summary,
        "diagnostics": [diagnostic_data(d) for d in build.diagnostics],
    }
    target = root / target_path
    # The manifest comes first. A state without its manifest would be trusted, a manifest without its state is
    # rewritten.
    problems = write(target / "manifest.json", manifest, f"{target_path}/manifest.json")
    if problems or key is None:
        return problems
    return write(target / _STATE, sealed(key, _KIND, json.dumps(state).encode()), f"{target_path}/cache")


def write(file: Path, content: bytes, path: str) -> tuple[Diagnostic, ...]:
    """Write a file atomically. Returns a diagnostic about `path` if that fails."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        files.replace(file, content)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        help = "make the folder writable, or set 'target-path' in lsqlc.yml to one that is"
        return (Diagnostic("LSQ034", f"cannot write '{path}': {reason}", help=help),)
    return ()


def diagnostic_data(diagnostic: Diagnostic) -> dict[str, Any]:
    """Return a diagnostic as JSON-ready data."""
    return {
        "code": diagnostic.code,
        "message": diagnostic.message,
        "severity": diagnostic.severity.value,
        "span": _span_data(diagnostic.span),
        "notes": list(diagnostic.notes),
        "help": diagnostic.help,
        "fix": [_span_data(diagnostic.fix.span), diagnostic.fix.text] if diagnostic.fix else None,
    }


def diagnostic_from(data: Mapping[str, Any]) -> Diagnostic:
    """Parse the result of `diagnostic_data`."""
    fix = data["fix"]
    return Diagnostic(
        data["code"],
        data["message"],
        Span(*data["span"]) if data["span"] else None,
        tuple(data["notes"]),
        data["help"],
        Severity(data["severity"]),
        Fix(Span(*fix[0]), fix[1]) if fix else None,
    )


def _span_data(span: Span | None) -> list[str | int] | None:
    return [span.path, span.line, span.column, span.end_line, span.end_column] if span else None


def _read_state(file: Path, key: bytes | None) -> dict[str, Any] | None:
    try:
        content = unsealed(key, _KIND, files.read_bytes(file, MAX_MADE))
        if content is None:
            return None
        state = json.loads(content)
        for diagnostic in state["diagnostics"]:
            diagnostic_from(diagnostic)
        good = (
            state["format"] == _FORMAT
            and isinstance(state["summary"], dict)
            and isinstance(state["digest"], str)
            and isinstance(state["manifest"], str)
            and isinstance(state["data"], str)
            and isinstance(state["schemas"], dict)
            and all(isinstance(path, str) and isinstance(format, str) for path, format in state["watched"])
            and all(isinstance(path, str) for path in (*state["folders"], *state["named"]))
        )
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        # An unreadable cache is ignored, and the build writes a new one.
        return None
    return state if good else None


def _contents(root: Path, folders: list[str], names: list[str], settings: bytes) -> dict[str, bytes] | None:
    """Return the files that a build depends on; None if one of them cannot be read or was rejected.

    `names`: files that other files refer to, such as schemas.
    """
    if not all(paths.stays_inside(root, path) for path in names):
        return None
    read = files.find(root, folders, _ENDINGS)
    macros = files.find(root, (_MACROS,), (".sql",))
    functions = files.find(root, (_FUNCTIONS,), _FUNCTION_ENDINGS)
    if read.diagnostics or macros.diagnostics or functions.diagnostics:
        return None
    base = os.fspath(root)
    # No other file refers to the lock file, so that a new one would be missed.
    if LOCK_FILE not in names and os.path.lexists(f"{base}/{LOCK_FILE}"):
        return None
    contents = {_PROJECT_FILE: settings}
    try:
        for path in (*read.paths, *macros.paths, *functions.paths, *names):
            contents[path] = files.read_bytes(f"{base}/{path}")
    except OSError:
        return None
    return contents


def _avro_schemas(root: Path, paths: Iterable[str]) -> dict[str, list[str]]:
    """Return the names of the Avro schemas in each folder of a path to one, which may use types of all of them."""
    # Paths are texts here.
    folders = {os.path.dirname(path) for path in paths if path.endswith(LISTED_ENDINGS)}  # noqa: PTH120
    return {folder: list(files.names_in(root / folder, LISTED_ENDINGS)) for folder in sorted(folders)}


def _digest(contents: Mapping[str, bytes], folders: list[str]) -> str:
    digest = blake2b(json.dumps(folders).encode(), digest_size=16)
    for path in sorted(contents):
        content = contents[path].removeprefix(b"\xef\xbb\xbf")
        digest.update(f"{path}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()


def _hash(content: bytes) -> str:
    return blake2b(content, digest_size=16).hexdigest()
