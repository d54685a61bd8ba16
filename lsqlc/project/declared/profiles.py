"""`profiles.yml`: the targets on which a project can run.

Only commands that run something read it, never a build. Only this module may read all environment variables, which are
an argument. Without the file there is one target: the embedded server.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal, get_type_hints

import msgspec

from lsqlc.connectors import connectors
from lsqlc.connectors.record import Connector
from lsqlc.diagnostics import Diagnostic, LsqlcError, Span, did_you_mean, listing
from lsqlc.project import files
from lsqlc.project.declared.registry_target import registry_target
from lsqlc.project.declared.tables import read_stores
from lsqlc.project.declared.target import Target, not_apart
from lsqlc.types.latency import Latency
from lsqlc.yaml.decode import Decoder
from lsqlc.yaml.described import described, reference
from lsqlc.yaml.nodes import KeyPath, YamlDocument, path_text, read_yaml

PROFILE_FILE = "profiles.yml"

_ENV = re.compile(r"\{\{\s*env_var\(\s*(['\"])(?P<name>[A-Za-z_][A-Za-z0-9_]*)\1\s*"
                  r"(?:,\s*(['\"])(?P<default>[^'\"{}]*)\3\s*)?\)\s*\}\}")  # fmt: skip

# Names that are valid for folders on every file system.
_FOLDER = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}", re.ASCII)
# Settings of models, not of targets.
_OF_MODELS = frozenset({"error_policy", "dead_letters"})
# The scheme of an address: `s3a://bucket`, `hdfs:/topics`; it also matches a drive of Windows.
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
# Addresses of Hadoop file systems, which have no query and no fragment; and an address with a password.
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/[^\s\x00?#]*")
_SECRET_IN_ADDRESS = re.compile(r"[^:/]+://[^/]*:[^/]*@")


class TargetFile(msgspec.Struct, frozen=True, kw_only=True):
    type: Annotated[
        Literal["embedded", "connect"], described("A server that lsqlc starts itself, or a Spark Connect address.")
    ]
    address: Annotated[str | None, described("`sc://host:15002`; {{ env_var('NAME') }} may stand in it.")] = None
    checkpoints: Annotated[
        str | None,
        described(
            "The folder of checkpoints that client and server both see; with `kafka`, or an address that the "
            "server reaches, such as `s3a://bucket/x`."
        ),
    ] = None
    topics: Annotated[str | None, described("The folder of topics that client and server both see.")] = None
    registry: Annotated[
        Any,
        described(
            "The schema registry, which `lsqlc schemas` asks.", {"anyOf": [reference("registry"), {"type": "null"}]}
        ),
    ] = None
    tables: Annotated[
        Any,
        described(
            "The stores of tables that follow topics, by name.",
            {"anyOf": [{"type": "object", "additionalProperties": reference("store")}, {"type": "null"}]},
        ),
    ] = None
    defer: Annotated[
        str | None, described("The target whose topics are read where no model of this one writes them.")
    ] = None
    owner: Annotated[str | None, described("Who answers for the target, for people.")] = None
    confirm: Annotated[bool, described("Whether what cannot be taken back needs `--confirm NAME`.")] = False
    latency: Annotated[
        Latency,
        described(
            "The latency of models that do not say: batch by batch, or each record as it comes where a model qualifies."
        ),
    ] = "micro-batch"


@cache
def target_file(selectable: tuple[Connector, ...]) -> type[TargetFile]:
    """Return `TargetFile` with the members of the connectors that a target can select, behind `topics`."""
    declared: list[Any] = []
    for name, annotation in get_type_hints(TargetFile, include_extras=True).items():
        field = next(each for each in msgspec.structs.fields(TargetFile) if each.name == name)
        declared.append((name, annotation) if field.required else (name, annotation, field.default))
        if name == "topics":
            declared += [
                (each.key, Annotated[each.setting.file | None, described(each.setting.description)], None)
                for each in selectable
                if each.setting is not None
            ]
    struct: Any = msgspec.defstruct("TargetFile", declared, frozen=True, kw_only=True)
    with_connectors: type[TargetFile] = struct
    return with_connectors


def is_address(checkpoints: str) -> bool:
    """Return whether the checkpoints are the address of a file system, rather than the path of a folder.

    >>> [is_address(text) for text in ("s3a://bucket/x", "file:/shared", "/shared", "shared", "C:/shared")]
    [True, True, False, False, False]
    """
    return _ADDRESS.fullmatch(checkpoints) is not None


def load_target(
    root: Path, name: str | None, environment: Mapping[str, str]
) -> tuple[Target | None, tuple[Diagnostic, ...]]:
    """Return the target of a name, or the default one; None if it does not exist or is invalid."""
    if not os.path.lexists(root / PROFILE_FILE):
        if name in (None, "embedded", "local"):
            return Target(name or "embedded"), ()
        help = f"create {PROFILE_FILE} with `targets:`, or omit the target to run on the embedded server"
        missing = f"unknown target '{name}': the project has no {PROFILE_FILE}"
        return None, (Diagnostic("LSQ050", missing, help=help),)
    text = files.read(root, PROFILE_FILE)
    if text.text is None:
        return None, text.diagnostics
    return read_target(text.text, PROFILE_FILE, name, environment)


def named_target(root: Path, name: str | None, environment: Mapping[str, str]) -> Target:
    """Return the target of a name, or the default one. Raises LsqlcError unless it exists and is valid."""
    target, problems = load_target(root, name, environment)
    if target is None:
        raise LsqlcError(problems)
    return target


def read_target(
    text: str, path: str, name: str | None, environment: Mapping[str, str]
) -> tuple[Target | None, tuple[Diagnostic, ...]]:
    """Return the target of a name, or the default one, from the text of a profile."""
    document = read_yaml(text, path)
    decoder = Decoder(document, secret=True)
    if document.diagnostics:
        return None, document.diagnostics
    data: Any = document.data if document.data is not None else {}
    if not isinstance(data, dict) or not isinstance(data.get("targets", {}), dict):
        decoder.wrong(("targets",) if isinstance(data, dict) else (), "expected a mapping of targets")
        return None, tuple(decoder.diagnostics)
    decoder.unknown((), data, ("default", "targets"))
    targets = data.get("targets", {})
    target_name = name if name is not None else data.get("default", next(iter(targets)) if len(targets) == 1 else None)
    if not isinstance(target_name, str) or target_name not in targets:
        decoder.diagnostics.append(_no_target(document, target_name, name is not None, list(targets)))
        return None, tuple(decoder.diagnostics)
    target = _read(decoder, targets, target_name, environment)
    return (None if decoder.diagnostics else target), tuple(decoder.diagnostics)


def target_names(root: Path) -> tuple[str, ...]:
    """Return the names of the targets of a project, in order; none if the profile cannot be read."""
    if not os.path.lexists(root / PROFILE_FILE):
        return ()
    text = files.read(root, PROFILE_FILE)
    data: Any = read_yaml(text.text, PROFILE_FILE).data if text.text is not None else None
    targets = data.get("targets") if isinstance(data, dict) else None
    return tuple(map(str, targets)) if isinstance(targets, dict) else ()


def _read(
    decoder: Decoder,
    targets: Mapping[str, Any],
    target_name: str,
    environment: Mapping[str, str],
    *,
    deferred: bool = False,
) -> Target | None:
    """Return a target of the profile. `deferred`: another target defers to it, so that it must not defer itself."""
    key_path: KeyPath = ("targets", target_name)
    filled = _fill(decoder, key_path, targets[target_name], environment)
    selectable = tuple(each for each in connectors() if each.setting is not None)
    file = decoder.struct(key_path, target_file(selectable), _without_policy(decoder, key_path, filled))
    chosen_connectors = [each for each in selectable if file is not None and getattr(file, each.key) is not None]
    if file and file.type == "connect" and not file.address:
        decoder.missing(key_path, "address")
    elif file and file.type == "connect" and not str(file.address).startswith("sc://"):
        # The message does not repeat the address, which may contain a token.
        help = "a Spark Connect address looks like `sc://host:15002`"
        decoder.wrong((*key_path, "address"), "the address does not start with 'sc://'", help=help)
    if file is not None:
        _check_folders(decoder, key_path, file, has_files=not chosen_connectors)
    connection = None
    for connector in chosen_connectors:
        assert connector.setting is not None, "a target can select it"
        key = connector.key
        connection = connector.setting.read(decoder, (*key_path, key), getattr(file, key), targets[target_name][key])
    _check_one(decoder, key_path, file, chosen_connectors)
    registry = registry_target(decoder, (*key_path, "registry"), file.registry) if file else None
    raw = targets[target_name]
    stores = read_stores(decoder, (*key_path, "tables"), file.tables, raw.get("tables")) if file else {}
    if file is None or decoder.diagnostics:
        return None
    other = _deferred(decoder, targets, target_name, file, environment, deferred)
    target = Target(
        target_name, file.type, file.address, file.checkpoints, file.topics, connection, registry, other,
        owner=file.owner, confirm=file.confirm, latency=file.latency, stores=stores,
    )  # fmt: skip
    if other is not None and (wrong := not_apart(target, other)) is not None:
        message, note, help = wrong
        where = decoder.document.span((*key_path, "defer"))
        decoder.report("LSQ798", f"the target '{target_name}' cannot defer to '{other.name}': {message}", where,
                       notes=(note,), help=help)  # fmt: skip
    return target


def _deferred(
    decoder: Decoder,
    targets: Mapping[str, Any],
    name: str,
    file: TargetFile,
    environment: Mapping[str, str],
    deferred: bool,
) -> Target | None:
    """Return the target to which another one defers. Errors are reported at `defer`."""
    if file.defer is None:
        return None
    where = ("targets", name, "defer")
    if not _FOLDER.fullmatch(name):
        message = f"'{name}' cannot be the name of a folder, which a target that defers has"
        decoder.wrong(where, message, help="give it a name of letters, digits, `-`, `_` and `.`")
        return None
    others = [other for other in targets if other != name]
    if file.defer not in others:
        help = did_you_mean(file.defer, others) or (f"the others are {listing(others)}" if others else "remove `defer`")
        # A value from the environment may be a secret.
        shown_name = f" '{file.defer}'" if targets[name]["defer"] == file.defer else ""
        message = "a target cannot defer to itself" if file.defer == name else f"unknown target{shown_name}"
        decoder.wrong(where, message, help=help)
        return None
    if deferred:
        decoder.wrong(where, f"'{name}' is deferred to, and cannot defer itself", help="defer to that target directly")
        return None
    return _read(decoder, targets, file.defer, environment, deferred=True)


def _without_policy(decoder: Decoder, key_path: KeyPath, data: Any) -> Any:
    """Return the data of a target without the error policy.

    It is reported, because models are compiled without a target.
    """
    if not isinstance(data, dict):
        return data
    for key in sorted(_OF_MODELS & data.keys()):
        help = f"write `{key}:` under `defaults:` in lsqlc.yml, or in the model: config({key}=var('{key}', ...))"
        where = decoder.document.key_span((*key_path, key))
        decoder.report(
            "LSQ006", f"a target cannot have the key '{key}' @ {path_text(key_path)}", where,
            notes=("a model is compiled for all targets alike; `--vars` gives one run another value",), help=help,
        )  # fmt: skip
    return {key: value for key, value in data.items() if key not in _OF_MODELS}


def _check_one(decoder: Decoder, key_path: KeyPath, file: TargetFile | None, connectors: list[Connector]) -> None:
    """Report LSQ730 for a target that names more than one place for its topics."""
    keys = [*(("topics",) if file is not None and file.topics is not None else ()), *(each.key for each in connectors)]
    if len(keys) < 2:
        return
    wheres = [*(("in a folder",) if keys[0] == "topics" else ()), *(each.where for each in connectors)]
    decoder.report(
        "LSQ730",
        f"topics are {wheres[1]} or {wheres[0]}, and the target names both @ {path_text((*key_path, keys[0]))}",
        decoder.document.key_span((*key_path, keys[0])),
        help=f"remove `{keys[0]}`, or `{keys[1]}`",
    )


def _check_folders(decoder: Decoder, key_path: KeyPath, file: TargetFile, *, has_files: bool) -> None:
    """Report LSQ053 for addresses and folders that the target cannot use.

    An address is not repeated: it may have a secret. `has_files`: topics are files, which client and server share.
    """

    def refuse(key: str, message: str, help: str) -> None:
        where = decoder.document.span((*key_path, key))
        note = "topics and checkpoints must be in folders that lsqlc and the server see under the same path"
        notes = () if key == "address" else (note,)
        decoder.report("LSQ053", f"{message} @ {path_text((*key_path, key))}", where, notes=notes, help=help)

    if file.type == "embedded" and file.address is not None:
        refuse("address", "an embedded server has no address", "remove `address`, or write `type: connect`")
    if not has_files and file.type == "connect" and not _SCHEME.match(file.checkpoints or ""):
        message, where, notes, help = _no_address(decoder, key_path, file.checkpoints is not None)
        decoder.report("LSQ781", message, where, notes=notes, help=help)
        return
    for key, folder in (("topics", file.topics), ("checkpoints", file.checkpoints)):
        may_be_address = key == "checkpoints" and not has_files
        if folder is not None and (error := _folder_error(key, folder, may_be_address)):
            refuse(key, *error)
    if file.topics and file.checkpoints and Path(file.topics) == Path(file.checkpoints):
        refuse("checkpoints", "'topics' and 'checkpoints' are the same folder", "use different folders")


def _folder_error(key: str, folder: str, may_be_address: bool) -> tuple[str, str] | None:
    """Return message and help of the error of a folder, or None if it is valid."""
    if may_be_address and is_address(folder):
        if not _SECRET_IN_ADDRESS.match(folder):
            return None
        help = "give the server its credentials in its own settings, such as `spark.hadoop.fs.s3a.secret.key`"
        return f"'{key}' is an address with a password in it", help
    scheme = _SCHEME.match(folder)
    if scheme and scheme[1].lower() == "file":
        return f"'{key}' is an address, not the path of a folder", "write the path without `file://`"
    if scheme:
        help = "give the path of a folder, such as `/shared/topics`: mount the storage where both see it"
        return f"'{key}' cannot be an address of '{scheme[1]}'", help
    if not folder.strip() or "\x00" in folder or "\n" in folder:
        return f"'{key}' is not the path of a folder", "give the path of a folder, or remove the key"
    if folder.startswith("~") or "$" in folder:
        help = "write the full path, or read it from the environment: `{{ env_var('HOME') }}/topics`"
        return f"'{key}' has a `~` or `$`, which is only expanded by a shell", help
    return None


def _no_address(decoder: Decoder, key_path: KeyPath, has_brokers: bool) -> tuple[str, Span, tuple[str, ...], str]:
    """Return the message, span, notes and help of LSQ781."""
    where = (*key_path, "checkpoints") if has_brokers else key_path
    message = "'checkpoints' is not an address" if has_brokers else "the target has no 'checkpoints'"
    note = "with `kafka:` and `type: connect`, only the server accesses the checkpoints"
    help = (
        "write an address that all nodes of the server can use, such as `s3a://bucket/x`, `hdfs://host/x` or `file:/x`"
    )
    return f"{message} @ {path_text(where)}", decoder.document.span(where), (note,), help


def _no_target(document: YamlDocument, name: Any, is_requested: bool, names: list[str]) -> Diagnostic:
    if name is None:
        help = f"add `default: {names[0]}`" if names else "add `targets: {local: {type: embedded}}`"
        message = "no target is the default" if names else "the profile has no targets"
        return Diagnostic("LSQ051", message, document.span(()), help=help)
    target_help = f"the targets are {listing(names)}" if names else "add it to `targets:`"
    help = did_you_mean(str(name), names) or target_help
    span = document.span(("targets",)) if is_requested else document.span(("default",))
    return Diagnostic("LSQ051", f"unknown target '{name}'", span, help=help)


def _fill(decoder: Decoder, key_path: KeyPath, data: Any, environment: Mapping[str, str]) -> Any:
    """Return the data with every `{{ env_var('NAME') }}` replaced. Unset variables are reported."""
    if isinstance(data, dict):
        return {key: _fill(decoder, (*key_path, key), value, environment) for key, value in data.items()}
    if isinstance(data, list):
        return [_fill(decoder, (*key_path, i), value, environment) for i, value in enumerate(data)]
    if not isinstance(data, str) or "{{" not in data:
        return data

    def value(match: re.Match[str]) -> str:
        name, default = match["name"], match["default"]
        if name not in environment and default is None:
            span = decoder.document.locate(key_path, match.start(), len(match[0]))
            decoder.report("LSQ052", f"the environment variable '{name}' is not set", span, help=f"export {name}=...")
        return environment.get(name, default or "")

    filled = _ENV.sub(value, data)
    if "{{" in _ENV.sub("", data):
        decoder.wrong(key_path, "only `{{ env_var('NAME') }}` is allowed in braces here")
    return filled
