"""How verbs take words and show their help: several selectors after one option, verbs in sections, examples."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from typer.core import TyperCommand, TyperGroup

from lsqlc.cli.examples import EXAMPLES

if TYPE_CHECKING:
    from lsqlc.cli.examples import Example

# The name in options.py for the values of --select and --exclude.
_SELECTOR = "SELECTOR"
# Where a context keeps the words before the one that a shell completes.
WORDS = "lsqlc.words"
# Cells of an example's command, above which its words are on a line of their own.
_COMMAND = 62


class Command(TyperCommand):
    """A verb."""

    # The contexts and formatters are click's, of which typer has its own copy or not, by its release.
    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse, after `--select a b` has become `--select a --select b`."""
        arguments = [param for param in self.params if param.param_type_name == "argument"]
        flags = {flag for param in self._selecting() for flag in param.opts}
        ctx.meta[WORDS] = args
        # An argument that may be missing, or come many times, takes the words after an option.
        if flags and all(param.required and param.nargs == 1 for param in arguments):
            args = list(spread(args, flags, len(arguments)))
        return super().parse_args(ctx, args)

    def _selecting(self) -> list[Any]:
        """Return the options that take several selectors."""
        return [param for param in self.params if _SELECTOR in (param.metavar or "").split("|") and param.multiple]

    def shell_complete(self, ctx: Any, incomplete: str) -> Any:
        """Complete a second selector behind an option, as well as options."""
        last = next((word for word in reversed(ctx.meta.get(WORDS, ())) if word.startswith("-")), None)
        option = next((param for param in self._selecting() if last in param.opts), None)
        if option is not None and not incomplete.startswith("-"):
            return option.shell_complete(ctx, incomplete)
        return super().shell_complete(ctx, incomplete)

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write the examples of the verb."""
        super().format_epilog(ctx, formatter)
        name = " ".join(ctx.command_path.split()[1:])
        _write_examples(EXAMPLES.get(name, ()), formatter)


# Verbs of dbt that have another name, or no place, here.
_OF_DBT = {
    "list": "`lsqlc ls` lists the models",
    "parse": "`lsqlc compile` compiles the models",
    "retry": "`lsqlc run` continues where each query has stopped",
    "snapshot": "A streaming table over STREAM(topic) keeps each change",
    "source": "`lsqlc status` shows the lag of each query",
    "deps": "Macros are files of the project; there are no packages to install",
}


class Group(TyperGroup):
    """The program, whose verbs are shown in sections."""

    # Their names by heading; a verb in none of them is shown last.
    sections: Mapping[str, Sequence[str]] = {}

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command of a verb. For a verb of dbt, fail with the verb that does its work here."""
        if args and args[0] not in self.commands and args[0] in _OF_DBT:
            ctx.fail(f"No such command '{args[0]}'. {_OF_DBT[args[0]]}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the verbs by section, in columns that are aligned over all sections."""
        names = self.list_commands(ctx)
        width = max(map(len, names))
        within = {name for section in self.sections.values() for name in section}
        others = [name for name in names if name not in within]
        for heading, members in (*self.sections.items(), ("Other", others)):
            rows = [
                (name.ljust(width), self.commands[name].get_short_help_str(formatter.width - width - 4))
                for name in members
                if name in self.commands
            ]
            if rows:
                with formatter.section(heading):
                    formatter.write_dl(rows)


def spread(words: Sequence[str], flags: Collection[str], arguments: int) -> Iterator[str]:
    """Words of a command line in which each value of an option that may come several times has the option before it.

    `flags`: the names of such options; `arguments`: how many words without an option the command takes. They have to
    come first, so that they are not taken for values.

    >>> list(spread(["--select", "a", "b", "-q"], {"--select"}, 0))
    ['--select', 'a', '--select', 'b', '-q']
    >>> list(spread(["--select=a", "b"], {"--select"}, 0))
    ['--select=a', '--select', 'b']
    >>> list(spread(["--select", "a", "check"], {"--select"}, 1))
    ['--select', 'a', 'check']
    """
    if any(word.startswith("-") for word in words[:arguments]) or len(words) < arguments:
        yield from words
        return
    yield from words[:arguments]
    rest = iter(words[arguments:])
    # The option that a word without one belongs to.
    open_flag: str | None = None
    for word in rest:
        if word == "--":
            yield word
            yield from rest
            return
        if word.startswith("-"):
            name, equals, _ = word.partition("=")
            open_flag = name if name in flags else None
            yield word
            if open_flag is not None and not equals:
                # Its first value, whatever it looks like; without one the parser reports that.
                yield from (value for value in [next(rest, None)] if value is not None)
        elif open_flag is not None:
            yield open_flag
            yield word
        else:
            yield word


def _write_examples(examples: Sequence[Example], formatter: Any) -> None:
    if examples:
        with formatter.section("Examples"):
            formatter.write_dl([(f"lsqlc {example.words}", example.text) for example in examples], col_max=_COMMAND)
