"""A target that is added to profiles.yml as text."""

from __future__ import annotations

import pytest

from lsqlc.diagnostics import LsqlcError
from lsqlc.project.declared.new_target import NotExtendedError, bootstrap_of, kafka_target, with_target
from lsqlc.project.declared.profiles import read_target
from tests.kafka.settings import settings_of

LINE = kafka_target("kafka", "127.0.0.1:9092")
COMMENTED = """# Where models run.
targets:   # all of them
  # On this machine.
  dev: {type: embedded}   # for tests
"""
FILES = {
    "no file": (None, f"default: local\ntargets:\n  {LINE}\n  local: {{type: embedded}}\n"),
    "an empty file": ("# nothing yet\n", f"# nothing yet\ntargets:\n  {LINE}\n"),
    "a default only": ("default: kafka", f"default: kafka\ntargets:\n  {LINE}\n"),
    "no targets yet": ("targets:\n", f"targets:\n  {LINE}\n"),
    "no targets and no end of line": ("targets:", f"targets:\n  {LINE}\n"),
    "comments": (
        COMMENTED,
        "# Where models run.\ndefault: dev\ntargets:   # all of them\n"
        f"  {LINE}\n  # On this machine.\n  dev: {{type: embedded}}   # for tests\n",
    ),
    "another indentation": (
        "default: dev\ntargets:\n    dev:\n        type: embedded\n",
        f"default: dev\ntargets:\n    {LINE}\n    dev:\n        type: embedded\n",
    ),
    "targets in braces": (
        "default: dev\ntargets: {dev: {type: embedded}} # x\n",
        f"default: dev\ntargets: {{{LINE}, dev: {{type: embedded}}}} # x\n",
    ),
    "lines of Windows": (
        "targets:\r\n  dev: {type: embedded}\r\n",
        f"default: dev\r\ntargets:\r\n  {LINE}\r\n  dev: {{type: embedded}}\r\n",
    ),
}


@pytest.mark.parametrize(("text", "expected"), FILES.values(), ids=FILES)
def test_a_target_is_added(text: str | None, expected: str) -> None:
    """It can be read, and the default is the one from before."""
    result = with_target(text, "kafka", LINE)
    assert result == expected
    target, problems = read_target(result, "profiles.yml", "kafka", {})
    assert not problems and target and settings_of(target).bootstrap == "127.0.0.1:9092"
    assert target.checkpoints == ".lsqlc/checkpoints-kafka" and bootstrap_of(result, "kafka") == "127.0.0.1:9092"
    if text is not None and "dev" in text:
        assert read_target(result, "profiles.yml", None, {})[0] == read_target(text, "profiles.yml", None, {})[0]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("targets:\n  kafka: {type: embedded}\n", "it has a target 'kafka' already"),
        ("targets: [a]\n", "its targets are not a mapping"),
        ("a text\n", "its targets are not a mapping"),
        ("targets: {}\n", "its targets are in a form to which no line can be added"),
        ("{targets:\n  {dev: {type: embedded}}}\n", "its targets are in a form to which no line can be added"),
    ],
)
def test_a_file_that_stays_as_it_is(text: str, reason: str) -> None:
    with pytest.raises(NotExtendedError, match=reason):
        with_target(text, "kafka", LINE)


@pytest.mark.parametrize("name", ["a: b", "#x", "", "a b"])
def test_what_is_no_name(name: str) -> None:
    with pytest.raises(NotExtendedError, match="is not a name"):
        with_target(None, name, kafka_target(name, "127.0.0.1:9092"))


def test_yaml_that_cannot_be_read() -> None:
    with pytest.raises(LsqlcError):
        with_target("targets: [", "kafka", LINE)
    assert bootstrap_of("targets: {dev: {type: embedded}}", "dev") == ""
    assert bootstrap_of("targets: {dev: {type: embedded}}", "kafka") is None


def test_the_name_of_the_embedded_target_is_in_use_without_a_file() -> None:
    """The file would have that target too."""
    with pytest.raises(NotExtendedError, match="'local' is the name of the embedded target"):
        with_target(None, "local", LINE.replace("kafka:", "local:", 1))
