"""The reference of the commands is what the command line takes."""

from __future__ import annotations

from lsqlc.cli.main import VERBS
from tests.cli.test_help import verbs
from tests.docs.commands import functions, parameters
from tests.docs.generate import COMMANDS


def test_the_reference_has_each_option() -> None:
    """Those that typer parses, by their names; nothing that is hidden."""
    declared = {words: function for verb in VERBS for words, function in functions(verb)}
    assert declared.keys() == verbs().keys()
    text = COMMANDS.read_text("utf-8")
    for words, command in verbs().items():
        options = [param for param in command.params if param.param_type_name == "option" and not param.hidden]
        parsed = {name for option in options for name in (*option.opts, *option.secondary_opts)}
        shown = {name for each in parameters(declared[words]) for names in each.names for name in names.split("/")}
        assert shown == parsed, words
        _, _, section = text.partition(f"### lsqlc {words}\n")
        assert all(name in section.partition("\n### ")[0] for name in shown), words
