"""Insertion of a target into the text of `profiles.yml`. All other lines stay unchanged."""

from __future__ import annotations

import re
from typing import Any

from lsqlc.diagnostics import LsqlcError
from lsqlc.project.declared.profiles import PROFILE_FILE
from lsqlc.yaml.nodes import YamlDocument, read_yaml

# The content of a new file: the embedded target stays the default, as without a file.
_NAME = re.compile(r"[A-Za-z0-9_-]+")
_NEW = "default: local\ntargets:\n  local: {type: embedded}\n"


class NotExtendedError(Exception):
    """A target cannot be added. The message is a clause with the reason."""


def kafka_target(name: str, bootstrap: str) -> str:
    """Return the line of a target with an embedded Spark server, and topics in Kafka. Its checkpoints are separate.

    >>> kafka_target("kafka", "127.0.0.1:9092")
    'kafka: {type: embedded, checkpoints: .lsqlc/checkpoints-kafka, kafka: {bootstrap: "127.0.0.1:9092"}}'
    """
    return f'{name}: {{type: embedded, checkpoints: .lsqlc/checkpoints-{name}, kafka: {{bootstrap: "{bootstrap}"}}}}'


def bootstrap_of(text: str, name: str) -> str | None:
    """Return the brokers of a target; empty for a target without Kafka, None if the target does not exist."""
    data: Any = read_yaml(text, PROFILE_FILE).data
    targets = data.get("targets") if isinstance(data, dict) else None
    if not isinstance(targets, dict) or name not in targets:
        return None
    kafka = targets[name].get("kafka") if isinstance(targets[name], dict) else None
    return str(kafka.get("bootstrap", "")) if isinstance(kafka, dict) else ""


def with_target(text: str | None, name: str, line: str) -> str:
    """Return the text with one more target, which does not become the default.

    `text`: None if the file does not exist. `line`: `name:` and its value on one line, see `kafka_target`.

    Raises NotExtendedError for an invalid or existing name, and for targets in a form that a line cannot extend. Raises
    LsqlcError for invalid YAML.
    """
    document = read_yaml(_NEW if text is None else text, PROFILE_FILE)
    if document.diagnostics:
        raise LsqlcError(document.diagnostics)
    data: Any = {} if document.data is None else document.data
    targets: Any = data.get("targets") if isinstance(data, dict) else ()
    if not isinstance(targets, dict | None):
        raise NotExtendedError("its targets are not a mapping")
    if not _NAME.fullmatch(name):
        raise NotExtendedError(f"'{name}' is not a name: one has letters, digits, '_' and '-'")
    if name in (targets or {}):
        if text is None:
            raise NotExtendedError(f"'{name}' is the name of the embedded target, which there is without the file")
        raise NotExtendedError(f"it has a target '{name}' already")
    result = _inserted(document, data, targets, line)
    # A single target is the default. With a second one, the default must be declared.
    only = next(iter(targets)) if targets and len(targets) == 1 and "default" not in data else None
    if only is not None:
        result = _before_targets(result, f"default: {only}")
    expected = {
        **({"default": only} if only is not None else {}),
        **data,
        "targets": {**(targets or {}), name: read_yaml(line, PROFILE_FILE).data[name]},
    }
    if read_yaml(result, PROFILE_FILE).data != expected:
        raise NotExtendedError("its targets are in a form to which no line can be added")
    return result


def _inserted(document: YamlDocument, data: Any, targets: Any, line: str) -> str:
    text = document.text
    end = "\r\n" if "\r\n" in text else "\n"
    if "targets" not in data:
        return f"{text}{'' if not text or text.endswith(end) else end}targets:{end}  {line}{end}"
    key = document.key_span(("targets",))
    value = document.span(("targets",))
    lines = text.splitlines(keepends=True)
    if targets and value.line == key.line:
        # A flow mapping, which begins with a brace.
        row = lines[value.line - 1]
        lines[value.line - 1] = f"{row[: value.column]}{line}, {row[value.column :]}"
        return "".join(lines)
    indent = document.key_span(("targets", next(iter(targets)))).column - 1 if targets else 2
    if not lines[key.line - 1].endswith("\n"):
        lines[key.line - 1] += end
    # Before the comments of the first target.
    lines.insert(key.line, f"{' ' * indent}{line}{end}")
    return "".join(lines)


def _before_targets(text: str, line: str) -> str:
    key = read_yaml(text, PROFILE_FILE).key_span(("targets",))
    lines = text.splitlines(keepends=True)
    lines.insert(key.line - 1, f"{line}{chr(13) if chr(13) in text else ''}\n")
    return "".join(lines)
