"""The functions for models: `ref`, `source`, `var`, `env_var` and `config`, and the settings from their calls."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from lsqlc.bind.materialized import KEY_FORMATS, KINDS
from lsqlc.diagnostics import Diagnostic, Severity, did_you_mean, listing
from lsqlc.project.templates.positions import Positions, span_at
from lsqlc.types.error_policy import POLICIES, Policy
from lsqlc.types.latency import LATENCIES, Latency

if TYPE_CHECKING:
    pass


_ENV_PREFIX, _ENV_SECRET = "LSQLC_", "LSQLC_SECRET_"


_LONGEST_WORD = 200
_NULLABILITY = ("lenient", "strict")
# Settings whose value is a text or a list of texts.
_TEXTS = ("tags", "key")


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The names and values that templates can use.

    `target` returns the topic that a model writes, or raises TemplateFailure. `sources`: topics by source.
    `environment`: all variables; this module decides which of them a template can read.
    """

    models: frozenset[str] = frozenset()
    topics: frozenset[str] = frozenset()
    sources: Mapping[str, frozenset[str]] = field(default_factory=dict)
    vars: Mapping[str, Any] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)
    macros: Sequence[tuple[str, str]] = ()
    dialects: tuple[str, ...] = ("lenses",)
    target: Callable[[str], str] = str

    def portable(self) -> Surroundings:
        """Return a copy for another process: without `target`, and with the variables that templates may read."""
        readable = {name: value for name, value in self.environment.items() if _is_readable(name)}
        return replace(self, environment=readable, vars=dict(self.vars), target=str)


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """The settings from calls of `config()`; None: not set."""

    tags: tuple[str, ...] = ()
    nullability: str | None = None
    dialect: str | None = None
    materialized: str | None = None
    key: tuple[str, ...] = ()
    key_format: str | None = None
    latency: Latency | None = None
    error_policy: Policy | None = None
    dead_letters: str | None = None


@dataclass(frozen=True, slots=True)
class Rendered:
    """The result of a template. `text` is None after an error. `positions` is None if the text equals the template."""

    text: str | None
    positions: Positions | None = None
    refs: tuple[str, ...] = ()
    settings: ModelSettings = ModelSettings()
    diagnostics: tuple[Diagnostic, ...] = ()


class TemplateFailure(Exception):
    """An invalid call of a function of a template. `word` is the invalid argument."""

    def __init__(
        self,
        code: str,
        message: str,
        *,
        word: str | None = None,
        help: str | None = None,
        severity: Severity = Severity.ERROR,
    ) -> None:
        super().__init__(message)
        self.code, self.message, self.word, self.help, self.severity = code, message, word, help, severity


# Help for settings that exist in dbt only.
_OF_DBT = {
    "unique_key": "write key=[...] where no key follows from the query",
    "incremental_strategy": "remove it: every model is incremental",
    "on_schema_change": "remove it: `lsqlc diff` says what a change of columns does",
    "alias": "name the file as the topic that the model writes",
    "schema": "remove it: `prefix` of a target gives the topics of an environment names of their own",
    "database": "remove it: a target says where its topics are",
    "enabled": "move the file out of the folders of `model-paths`",
}
_MATERIALIZED_BY_DBT = {
    "table": "remove it: the query decides; or write 'materialized_view'",
    "incremental": "remove it, and the block of is_incremental(): every model is incremental",
    "view": "remove it, or write the query as WITH in the models that read it",
    "ephemeral": "write the query as WITH in the models that read it",
}


@dataclass(slots=True)
class Functions:
    """The functions of one template, and the settings from their calls."""

    surroundings: Surroundings
    refs: dict[str, None] = field(default_factory=dict)
    settings: ModelSettings = ModelSettings()

    def table(self) -> dict[str, Callable[..., Any]]:
        return {
            "ref": self.ref, "source": self.source, "var": self.var, "env_var": self.env_var, "config": self.config,
        }  # fmt: skip

    def ref(self, model: str) -> str:
        models = self.surroundings.models
        if model not in models:
            help = self._as_source(str(model)) or did_you_mean(str(model), models)
            help = help or (f"the models are {listing(models)}" if models else None)
            raise TemplateFailure("LSQ022", f"unknown model '{model}'", word=str(model), help=help)
        self.refs[model] = None
        return _name(self.surroundings.target(model))

    def _as_source(self, name: str) -> str | None:
        """Return the help for a declared topic that `ref` names: the call of `source` that reads it."""
        group = next((group for group, topics in self.surroundings.sources.items() if name in topics), None)
        if group is None and name not in self.surroundings.topics:
            return None
        arguments = f"'{name}'" if group is None else f"'{group}', '{name}'"
        return f"'{name}' is a declared topic: write {{{{ source({arguments}) }}}}"

    def source(self, source: str, topic: str | None = None) -> str:
        groups = self.surroundings.sources
        if topic is None:
            return self._topic(source, self.surroundings.topics)
        if source not in groups:
            if topic in self.surroundings.topics:
                help: str | None = f"write source('{topic}'), or name the group: `sources: [{{name: {source}, ...}}]`"
            else:
                help = did_you_mean(source, groups) or (f"the sources are {listing(groups)}" if groups else None)
            raise TemplateFailure("LSQ023", f"unknown source '{source}'", word=source, help=help)
        return self._topic(topic, groups[source])

    def _topic(self, topic: str, topics: frozenset[str]) -> str:
        if topic not in topics:
            help = did_you_mean(topic, topics) or (f"its topics are {listing(topics)}" if topics else None)
            raise TemplateFailure("LSQ023", f"no source declares the topic '{topic}'", word=topic, help=help)
        return _name(topic)

    def var(self, name: str, *default: Any) -> Any:
        variables = self.surroundings.vars
        if name in variables:
            return _copied(variables[name])
        if default:
            return default[0]
        help = did_you_mean(name, variables) or f"add it to `vars:` in lsqlc.yml, or give a default: var('{name}', ...)"
        raise TemplateFailure("LSQ024", f"unknown variable '{name}'", word=name, help=help)

    def env_var(self, name: str, *default: str) -> str:
        if not _is_readable(name):
            what = "is a secret" if name.startswith(_ENV_SECRET) else f"does not start with '{_ENV_PREFIX}'"
            help = f"name it {_ENV_PREFIX}..., or read it in profiles.yml"
            raise TemplateFailure("LSQ025", f"a model cannot read '{name}', which {what}", word=name, help=help)
        value = self.surroundings.environment.get(name, *default)
        if value is None:
            help = f"export {name}=..., or give a default: env_var('{name}', '...')"
            raise TemplateFailure("LSQ025", f"the environment variable '{name}' is not set", word=name, help=help)
        return value

    def config(self, **settings: Any) -> str:
        checks: dict[str, tuple[str, ...]] = {
            "nullability": _NULLABILITY, "dialect": self.surroundings.dialects, "materialized": KINDS,
            "key_format": KEY_FORMATS, "latency": LATENCIES, "error_policy": POLICIES,
        }  # fmt: skip
        keys = (*_TEXTS, "dead_letters", *checks)
        for key, value in settings.items():
            if key == "dead_letters":
                if not isinstance(value, str) or not value:
                    raise TemplateFailure("LSQ027", "'dead_letters' must be the name of a topic", word=key)
            elif key in _TEXTS:
                texts = [value] if isinstance(value, str) else value
                if not isinstance(texts, (list, tuple)) or not all(isinstance(text, str) for text in texts):
                    raise TemplateFailure("LSQ027", f"'{key}' must be a text or a list of texts", word=key)
            elif key not in checks:
                help = _OF_DBT.get(key) or did_you_mean(key, keys) or f"known are {listing(keys)}"
                raise TemplateFailure("LSQ027", f"config() has no setting '{key}'", word=key, help=help)
            elif value not in checks[key]:
                help = f"choose one of {listing(checks[key])}"
                if key == "materialized":
                    help = _MATERIALIZED_BY_DBT.get(str(value), help)
                raise TemplateFailure("LSQ027", f"'{value}' is not a valid {key}", word=str(value), help=help)
        tags, columns = settings.get("tags", ()), settings.get("key", self.settings.key)
        before = self.settings
        self.settings = ModelSettings(
            tuple(dict.fromkeys((*before.tags, *((tags,) if isinstance(tags, str) else tags)))),
            settings.get("nullability", before.nullability),
            settings.get("dialect", before.dialect),
            settings.get("materialized", before.materialized),
            (columns,) if isinstance(columns, str) else tuple(columns),
            settings.get("key_format", before.key_format),
            settings.get("latency", before.latency),
            settings.get("error_policy", before.error_policy),
            settings.get("dead_letters", before.dead_letters),
        )
        return ""


def problem(failure: TemplateFailure, text: str, path: str, start: int, end: int) -> Diagnostic:
    """Return the failure as a diagnostic, at its word if that is between the two offsets."""
    columns = whole_word(failure.word, text[start:end])
    if columns:
        start, end = start + columns[0], start + columns[1]
    span = span_at(text, path, start, end)
    return Diagnostic(failure.code, failure.message, span, help=failure.help, severity=failure.severity)


def _is_readable(name: str) -> bool:
    """Return whether templates may read a variable of the environment."""
    return name.startswith(_ENV_PREFIX) and not name.startswith(_ENV_SECRET)


def _copied(value: Any) -> Any:
    """Return a copy of a project's value, so that a template cannot change it for other templates."""
    if isinstance(value, list):
        return [_copied(item) for item in value]
    return {key: _copied(item) for key, item in value.items()} if isinstance(value, dict) else value


def whole_word(word: str | None, text: str) -> tuple[int, int] | None:
    """Return the start and the end of a whole word in a text; None if it is missing or too long to search."""
    if not word or len(word) > _LONGEST_WORD:
        return None
    match = re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text)
    return match.span() if match else None


def _name(topic: str) -> str:
    """Return a topic's name as programs write it.

    Hyphens and dots need no backticks (docs/reference/lenses.md, "Programs and names").
    """
    return topic if re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*(?:[.-][A-Za-z0-9_]+)*", topic) else f"`{topic}`"
