"""The project file, `lsqlc.yml`, and its defaults."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Literal

import msgspec

from lsqlc.diagnostics import Diagnostic, did_you_mean
from lsqlc.dialects import DialectName
from lsqlc.lint.settings import LintSettings, rules
from lsqlc.project import files
from lsqlc.project.declared.alerting import AlertSettings, ProjectAlertsFile, changed, read_alerts
from lsqlc.project.selection.named_selectors import read_selectors
from lsqlc.project.selection.selectors import Selection
from lsqlc.scan.paths import within
from lsqlc.types.digits import integer
from lsqlc.types.error_policy import UNSET, ErrorPolicy, Policy
from lsqlc.yaml.decode import Decoder
from lsqlc.yaml.described import CODES, DURATION, NAME, POSITIVE, TOPIC, described, reference
from lsqlc.yaml.nodes import KeyPath, read_yaml

PROJECT_FILE = "lsqlc.yml"
MACRO_FOLDER = "macros"
FUNCTION_FOLDER = "functions"
FUNCTION_ENDINGS = (".sql", ".py", ".yml", ".yaml")

Nullability = Literal["lenient", "strict"]
# The error policy of a project or a model.
PolicyKey = Annotated[
    Policy | None,
    described(
        "What happens to a record that cannot be read: the query fails, the record is skipped, or it is "
        "written to `dead_letters`."
    ),
]
DeadLettersKey = Annotated[str | None, described("The topic of dead letters, for the error policy `dlq`.", TOPIC)]

_TARGET = "target"
_DURATION = re.compile(r"([0-9]{1,9})(ms|s|m|h|d)")
_UNITS = {"ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")
_TOPIC_HELP = "a name consists of letters, digits, '_', '-' and '.', with at most 249 characters"


@dataclass(frozen=True, slots=True)
class Defaults:
    """The defaults of models and topics. `grace`, `retention`: milliseconds."""

    grace: int = 86_400_000
    retention: int = 7 * 86_400_000
    nullability: str = "lenient"
    tags: tuple[str, ...] = ()
    partitions: int | None = None
    errors: ErrorPolicy = UNSET


_DEFAULTS = Defaults()
_LINT = LintSettings()
_ALERTS = AlertSettings()


@dataclass(frozen=True, slots=True)
class LiveTestSettings:
    """Settings of live data tests. `topic`: for their failures. `run`: whether `lsqlc run` runs them by default."""

    topic: str = "data_test_failures"
    run: bool = False


_LIVE_TESTS = LiveTestSettings()


@dataclass(frozen=True, slots=True)
class ProjectConfig:
    """The settings of a project. Paths are relative to its root, with `/`."""

    name: str
    dialect: str = "lenses"
    model_paths: tuple[str, ...] = ("models",)
    seed_paths: tuple[str, ...] = ("seeds",)
    case_paths: tuple[str, ...] = ("tests",)
    golden_path: str = "golden"
    target_path: str = _TARGET
    vars: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    defaults: Defaults = _DEFAULTS
    lint: LintSettings = _LINT
    alerts: AlertSettings = _ALERTS
    live_tests: LiveTestSettings = _LIVE_TESTS
    selectors: Mapping[str, Selection] = field(default_factory=lambda: MappingProxyType({}))


class LintFile(msgspec.Struct, frozen=True, kw_only=True):
    select: Annotated[list[str], described("Codes that `lsqlc lint` reports; none: all.", CODES)] = []
    ignore: Annotated[list[str], described("Codes that no command reports.", CODES)] = []


class DefaultsFile(msgspec.Struct, frozen=True, kw_only=True):
    grace: Annotated[str, described("How late a record of a window or of a join of streams may come.", DURATION)] = (
        "24h"
    )
    retention: Annotated[
        str, described("How long a record waits for its first row in a join with a table.", DURATION)
    ] = "7d"
    nullability: Annotated[Nullability, described("Whether operands that may be null are refused.")] = "lenient"
    tags: Annotated[list[str], described("Tags that every model has.")] = []
    partitions: Annotated[int | None, described("The partitions of topics that do not say.", POSITIVE)] = None
    error_policy: PolicyKey = None
    dead_letters: DeadLettersKey = None


class LiveTestsFile(msgspec.Struct, frozen=True, kw_only=True):
    topic: Annotated[str, described("The topic that their failures are written to.", TOPIC)] = _LIVE_TESTS.topic
    run: Annotated[bool, described("Whether `lsqlc run` runs them without `--tests`.")] = False


class ProjectFile(msgspec.Struct, frozen=True, kw_only=True, rename="kebab"):
    name: Annotated[str, described("The project's name.", NAME)] = ""
    dialect: Annotated[DialectName, described("The language of models that do not say their own.")] = "lenses"
    model_paths: Annotated[tuple[str, ...], described("Folders of models.")] = ("models",)
    seed_paths: Annotated[tuple[str, ...], described("Folders of sample records.")] = ("seeds",)
    case_paths: Annotated[tuple[str, ...], described("Folders of cases, and of the records that they name.")] = (
        "tests",
    )
    golden_path: Annotated[str, described("The folder of golden files.")] = "golden"
    target_path: Annotated[
        str, described("The folder that a build leaves things in, and that `lsqlc clean` removes.")
    ] = _TARGET
    vars: Annotated[dict[str, Any], described("Variables for var(); `--vars` goes before them.")] = {}
    defaults: Annotated[DefaultsFile, described("What holds where a model or topic says nothing.")] = DefaultsFile()
    lint: Annotated[LintFile, described("Which findings are reported.")] = LintFile()
    alerts: Annotated[ProjectAlertsFile, described("When `lsqlc docs alerts` has a running model reported.")] = (
        ProjectAlertsFile()
    )
    data_tests: Annotated[LiveTestsFile, described("Data tests that run beside the models.")] = LiveTestsFile()
    selectors: Annotated[
        dict[str, Any],
        described(
            "Selections by name, for `--select selector:NAME`.",
            {"propertyNames": NAME, "additionalProperties": {"anyOf": [{"type": "string"}, reference("selector")]}},
        ),
    ] = {}


def read_config(text: str, path: str = PROJECT_FILE) -> tuple[ProjectConfig | None, tuple[Diagnostic, ...]]:
    """Parse a project file.

    Returns None if it is not a YAML mapping. Otherwise invalid settings are reported and replaced by defaults.
    """
    document = read_yaml(text, path)
    decoder = Decoder(document)
    if document.diagnostics:
        return None, document.diagnostics
    file = decoder.struct((), ProjectFile, {} if document.data is None else document.data)
    if file is None:
        return None, tuple(decoder.diagnostics)
    data = document.data or {}
    if "name" not in data:
        decoder.missing((), "name")
    elif file.name and not _NAME.fullmatch(file.name):
        decoder.wrong(
            ("name",), f"'{file.name}' is not a valid name", help="a name consists of letters, digits, '_', '-' and '.'"
        )
    config = ProjectConfig(
        name=file.name,
        dialect=file.dialect,
        model_paths=_folders(decoder, ("model-paths",), file.model_paths),
        seed_paths=_folders(decoder, ("seed-paths",), file.seed_paths),
        case_paths=_folders(decoder, ("case-paths",), file.case_paths),
        golden_path=_folder(decoder, ("golden-path",), file.golden_path) or "golden",
        target_path=_folder(decoder, ("target-path",), file.target_path) or _TARGET,
        vars=MappingProxyType(file.vars),
        defaults=_defaults(decoder, file.defaults),
        lint=LintSettings(_codes(decoder, "select", file.lint.select), _codes(decoder, "ignore", file.lint.ignore)),
        alerts=changed(_ALERTS, read_alerts(decoder, ("alerts",), file.alerts, duration)),
        live_tests=_live_tests(decoder, file.data_tests),
        selectors=MappingProxyType(read_selectors(decoder, file.selectors)),
    )
    if not _is_own_target(decoder, config):
        # The rejected folder is not used.
        config = replace(config, target_path=_TARGET)
    return config, tuple(decoder.diagnostics)


def project_config(root: Path) -> ProjectConfig:
    """Return the contents of a project file, without opening the project. Raises ProjectError if it has errors."""
    file = files.read(root, PROJECT_FILE)
    config, problems = (None, file.diagnostics) if file.text is None else read_config(file.text)
    if config is None or problems:
        raise files.ProjectError(problems, {PROJECT_FILE: file.text or ""})
    return config


def duration(text: str) -> int | None:
    """Return the milliseconds of a duration such as `24h` (units ms, s, m, h, d); None if it is not valid."""
    match = _DURATION.fullmatch(text)
    return integer(match[1]) * _UNITS[match[2]] if match else None


def _is_topic_name(text: str) -> bool:
    # Names of projects have the same characters as names of topics.
    return _NAME.fullmatch(text) is not None and len(text) <= 249


def _live_tests(decoder: Decoder, file: LiveTestsFile) -> LiveTestSettings:
    if not _is_topic_name(file.topic):
        decoder.wrong(("data-tests", "topic"), f"'{file.topic}' is not a valid name of a topic", help=_TOPIC_HELP)
        return _LIVE_TESTS
    return LiveTestSettings(file.topic, file.run)


def _defaults(decoder: Decoder, file: DefaultsFile) -> Defaults:
    def milliseconds(key: str, text: str, otherwise: int) -> int:
        length = duration(text)
        if length is None:
            help = "write a number and a unit: ms, s, m, h or d, such as `24h`"
            decoder.wrong(("defaults", key), f"'{text}' is not a duration", help=help)
        return otherwise if length is None else length

    partitions = file.partitions
    if partitions is not None and partitions < 1:
        decoder.wrong(("defaults", "partitions"), f"{partitions} is not a valid number of partitions")
        partitions = None
    return Defaults(
        grace=milliseconds("grace", file.grace, _DEFAULTS.grace),
        retention=milliseconds("retention", file.retention, _DEFAULTS.retention),
        nullability=file.nullability,
        tags=tuple(file.tags),
        partitions=partitions,
        errors=read_errors(decoder, ("defaults",), file.error_policy, file.dead_letters),
    )


def read_errors(decoder: Decoder, key_path: KeyPath, policy: Policy | None, dead_letters: str | None) -> ErrorPolicy:
    """Return the error policy of the project or of a model. Reports an invalid name of a dead-letter topic.

    `key_path`: the mapping with the two keys.
    """
    if dead_letters is not None and not _is_topic_name(dead_letters):
        decoder.wrong((*key_path, "dead_letters"), f"'{dead_letters}' is not a valid name of a topic", help=_TOPIC_HELP)
        dead_letters = None
    return ErrorPolicy(policy, dead_letters)


def _codes(decoder: Decoder, key: str, codes: list[str]) -> frozenset[str]:
    """Return the valid codes of a list. Others are reported."""
    for number, code in enumerate(codes):
        if code not in rules():
            help = did_you_mean(code, rules()) or "`lsqlc explain` lists all codes; those of findings start with LSQ8"
            decoder.wrong(("lint", key, number), f"unknown finding '{code}'", help=help)
    return frozenset(code for code in codes if code in rules())


def _folders(decoder: Decoder, key_path: KeyPath, paths: tuple[str, ...]) -> tuple[str, ...]:
    folders = (_folder(decoder, (*key_path, i), path) for i, path in enumerate(paths))
    return tuple(path for path in folders if path is not None)


def _folder(decoder: Decoder, key_path: KeyPath, path: str) -> str | None:
    if not path or not within(path):
        help = "give a folder below the one of lsqlc.yml"
        # An address can contain a secret, so only its scheme is repeated.
        kind, is_address, _ = path.partition("://")
        what = f"an address of '{kind}'" if is_address else f"'{path}'"
        decoder.report("LSQ009", f"{what} leads out of the project", decoder.document.span(key_path), help=help)
        return None
    return os.path.normpath(path).replace(os.sep, "/")


def _is_own_target(decoder: Decoder, config: ProjectConfig) -> bool:
    """Return whether the target folder can be lsqlc's own. Reports the reason if not.

    It must not contain files of users or other tools, because `clean` removes it, nor be inside a folder of theirs.
    """
    folders = (config.golden_path, MACRO_FOLDER, FUNCTION_FOLDER)
    sources = (*config.model_paths, *config.seed_paths, *config.case_paths, *folders)
    reason = _why_not_own(config.target_path, sources)
    if reason is None:
        return True
    decoder.report(
        "LSQ007",
        f"'target-path' {reason}",
        decoder.document.span(("target-path",)),
        notes=("`lsqlc clean` removes this folder",),
        help="use another folder, such as `target`",
    )
    return False


def _why_not_own(target: str, sources: tuple[str, ...]) -> str | None:
    if target == ".":
        return "contains the project itself"
    hidden_part = next((part for part in target.split("/") if part.startswith(".")), None)
    if hidden_part is not None:
        return f"is in the hidden folder '{hidden_part}'"
    # Some file systems ignore case.
    own = target.casefold() + "/"
    for path in sources:
        source = path.casefold() + "/"
        if source.startswith(own):
            return f"contains '{path}'"
        if path != "." and own.startswith(source):
            return f"is inside '{path}'"
    return None
