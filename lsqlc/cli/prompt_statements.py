"""The statements and commands of the SQL prompt. Nothing that is typed there changes a topic, a model or a run."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from lsqlc import __version__
from lsqlc.cli import project
from lsqlc.cli.answers import AnswerOutput, write_answer
from lsqlc.cli.shell import Shell
from lsqlc.diagnostics import Diagnostic, LsqlcError, did_you_mean
from lsqlc.tasks.statements import Statement, unquoted

if TYPE_CHECKING:
    from lsqlc.project.build.compile import Compilation
    from lsqlc.project.workspace import Workspace
    from lsqlc.tasks.query import Query
    from lsqlc.tasks.run_target import RunTarget

HELP = """statements end with a semicolon
  SELECT ...                          the rows of a query; with EMIT CHANGES (ksql) its changes, until Ctrl-C
  EXPLAIN SELECT ... | MODEL          the plan of a query or of a model
  SHOW TOPICS | STREAMS | TABLES | QUERIES | FUNCTIONS
  DESCRIBE NAME [EXTENDED]            the columns of a topic, stream, table or model; DESCRIBE FUNCTION NAME
  PRINT TOPIC [FROM BEGINNING] [LIMIT N]
  SET 'auto.offset.reset' = 'earliest'
commands
  \\d [NAME]    topics, or the columns of one
  \\?           this help
  \\q           end (also EXIT, QUIT, Ctrl-D)"""

_QUERY = ("SELECT", "WITH", "FROM", "VALUES", "")
_SHOWN = ("TOPICS", "STREAMS", "TABLES", "QUERIES", "MODELS", "FUNCTIONS")
# Commands of psql that have another name here.
_COMMANDS_ELSEWHERE: Mapping[str, str] = {
    "\\df": "write SHOW FUNCTIONS;",
    "\\l": "a project has one set of topics, which \\d lists; --target selects where they are",
    "\\c": "start the shell again with --target",
    "\\i": "write lsqlc shell < FILE",
}
# By the first word of a statement that would change something: what to do.
_CHANGES: Mapping[str, str] = {
    "CREATE": "save it as a model, models/NAME.sql; `lsqlc preview NAME` shows its rows, and `lsqlc run` runs it",
    "INSERT": "`lsqlc produce TOPIC` writes records; a query that fills a topic is a model, models/NAME.sql",
    "DROP": "remove the model's file; `lsqlc plan` shows what becomes of its query",
    "TERMINATE": "`lsqlc stop` stops the run",
    "PAUSE": "`lsqlc stop` stops the run, and `lsqlc run` continues",
    "RESUME": "`lsqlc run` continues a run that was stopped",
    "ALTER": "change the model or the declaration of the topic; `lsqlc diff` shows what becomes of its query",
    "DELETE": "`lsqlc produce TOPIC` writes a record without a value, which deletes a row",
    "UPDATE": "`lsqlc produce TOPIC` writes the record that replaces a row",
    "MERGE": "write a model, models/NAME.sql",
    "TRUNCATE": "`lsqlc topics` creates topics; no command empties one",
    "ASSERT": "write a data test, which `lsqlc check` runs, or a golden case",
    "RUN": "`lsqlc shell < FILE` runs the statements of a file",
    "DEFINE": "declare a variable in lsqlc.yml, and write {{ var('name') }}",
    "UNDEFINE": "declare variables in lsqlc.yml, and write {{ var('name') }}",
    "PRINTF": "write PRINT TOPIC",
}
_OFFSETS = "auto.offset.reset"


class EndOfShellError(Exception):
    """The user asked to end."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """The project of a SQL prompt. `follows`: someone is at a terminal, who can end what has no end; otherwise answers
    end with the records by now.
    """

    sh: Shell
    root: Path
    vars: Mapping[str, Any]
    dialect: str
    target: str | None
    output: AnswerOutput
    follows: bool

    @property
    def backslashes(self) -> bool:
        """Whether quotes in strings are escaped by backslashes."""
        return self.dialect == "sql"

    def run(self, statement: Statement) -> None:
        """Run a statement. Raises LsqlcError for one with errors, and EndOfShellError for EXIT."""
        first = statement.first
        if first in ("EXIT", "QUIT"):
            raise EndOfShellError
        if first in _CHANGES:
            message = f"{first} is not run here: the prompt changes nothing"
            raise LsqlcError([Diagnostic("LSQ625", message, help=_CHANGES[first])])
        if first in _QUERY:
            self._query(statement.text)
            return
        verb = self._verbs().get(first)
        if verb is None:
            help = did_you_mean(first, (*self._verbs(), *_CHANGES, "SELECT")) or "\\? lists the statements"
            raise LsqlcError([Diagnostic("LSQ626", f"unknown statement '{first}'", help=help)])
        verb(statement)

    def command(self, line: str) -> None:
        """Run a command that begins with a backslash. Raises as `run`."""
        name, _, argument = line.strip().partition(" ")
        argument = argument.strip().rstrip(";")
        if name == "\\q":
            raise EndOfShellError
        if name in ("\\?", "\\h"):
            self.sh.result(HELP)
        elif name in ("\\d", "\\d+", "\\dt", "\\dv", "\\dt+"):
            if argument:
                self._describe(unquoted(argument), extended=True)
            else:
                self._show_topics()
        else:
            help = _COMMANDS_ELSEWHERE.get(name, "\\? lists the commands")
            raise LsqlcError([Diagnostic("LSQ626", f"unknown command '{name}'", help=help)])

    def _verbs(self) -> Mapping[str, Callable[[Statement], None]]:
        return {
            "SHOW": self._show,
            "LIST": self._show,
            "DESCRIBE": self._describe_statement,
            "DESC": self._describe_statement,
            "EXPLAIN": self._explain,
            "PRINT": self._print,
            "SET": self._set,
            "UNSET": self._set,
            "HELP": lambda _: self.sh.result(HELP),
        }

    def _compiled(self) -> tuple[Workspace, Compilation]:
        from lsqlc.tasks.selection import compile_selection

        workspace = project.opened_at(self.sh, self.root, self.vars)
        return workspace, compile_selection(workspace, plans=workspace.declares_topics)

    def _place(self, workspace: Workspace, compilation: Compilation) -> RunTarget:
        from lsqlc.tasks.run_target import open_compiled

        return open_compiled(compilation, workspace.target(self.target))

    def _opened(self, text: str, follow: bool | None) -> tuple[Query, Workspace]:
        from lsqlc.tasks.query import PATH, QueryRequest, compiled_query, open_query

        self.sh.texts[PATH] = text
        with project.keeping_texts(self.sh):
            request = QueryRequest(text, self.dialect)
            workspace = open_query(
                self.root, request, vars=self.vars, environment=dict(os.environ), release=__version__
            )
            query = compiled_query(workspace, follow)
        self.sh.texts.update({**workspace.project.texts, PATH: text})
        self.sh.show(query.warnings)
        return query, workspace

    def _query(self, text: str) -> None:
        from lsqlc.cli.query_screen import follow
        from lsqlc.tasks.query import answer, empty_topics, opened_for

        query, workspace = self._opened(text, None if self.follows else False)
        if query.follows:
            place = opened_for(query, workspace, self.target)
            self._say_empty(empty_topics(query, place), query)
            follow(self.sh, query, place, None, csv=self.output.format == "csv")
            return
        result = answer(query, workspace, self.target)
        write_answer(self.sh, result.answer, self.output)
        self._say_empty(result.empty_topics, query)

    def _say_empty(self, topics: tuple[str, ...], query: Query) -> None:
        for topic in topics:
            self.sh.say(f"'{topic}' has no records{': `lsqlc run` writes it' if topic in query.model_topics else ''}")

    def _explain(self, statement: Statement) -> None:
        words = statement.words[1:]
        if words and words[0].upper() in _QUERY:
            query, _ = self._opened(statement.text[len("EXPLAIN") :].lstrip(), False)
            # Without the line of the model, which has no name.
            self.sh.result(query.plan.tree().partition("\n")[2])
            return
        if len(words) != 1:
            _refuse("EXPLAIN", "a query, or the name of a model or topic")
        from lsqlc.tasks.catalogue_answers import topic_named
        from lsqlc.tasks.selection import compile_selection

        compilation = compile_selection(project.opened_at(self.sh, self.root, self.vars))
        name = unquoted(words[0])
        model = (
            name if name in compilation.models else compilation.graph.writers.get(topic_named(compilation, name).name)
        )
        plan = compilation.plans.get(model or "")
        if plan is None:
            errors = [d for d in compilation.diagnostics if d.is_error] if model else []
            help = f"`DESCRIBE {name};` shows its columns"
            raise LsqlcError(errors or [Diagnostic("LSQ623", f"no model writes the topic '{name}'", help=help)])
        self.sh.result(plan.tree())

    def _show(self, statement: Statement) -> None:
        from lsqlc.tasks import catalogue_answers as catalogue

        words = [word.upper() for word in statement.words[1:] if word.upper() not in ("ALL", "EXTENDED")]
        what = words[0] if len(words) == 1 else ""
        if what == "TOPICS":
            self._show_topics()
            return
        if what in ("PROPERTIES", "VARIABLES", "CONNECTORS", "TYPES"):
            message = f"SHOW {what} is about a ksqlDB server, and there is none"
            raise LsqlcError([Diagnostic("LSQ625", message, help="`lsqlc debug` shows the project and its target")])
        if what not in _SHOWN:
            _refuse("SHOW", ", ".join(_SHOWN[:-1]) + f" or {_SHOWN[-1]}")
        _, compilation = self._compiled()
        if what in ("STREAMS", "TABLES"):
            self._write(catalogue.relations_answer(compilation, what[:-1]))
        elif what == "FUNCTIONS":
            self._write(catalogue.functions_answer(compilation, self.dialect))
        else:
            self._write(catalogue.models_answer(compilation))
            self.sh.say("queries are models; `lsqlc status` shows those that run")

    def _show_topics(self) -> None:
        from lsqlc.tasks.catalogue_answers import topics_answer

        workspace, compilation = self._compiled()
        self._write(topics_answer(compilation, self._place(workspace, compilation)))

    def _describe_statement(self, statement: Statement) -> None:
        words = list(statement.words[1:])
        if len(words) == 2 and words[0].upper() == "FUNCTION":
            self._describe_function(words[1])
            return
        extended = [word for word in words if word.upper() == "EXTENDED"]
        names = [word for word in words if word.upper() != "EXTENDED"]
        if len(names) != 1:
            _refuse("DESCRIBE", "the name of a topic, stream, table or model")
        self._describe(unquoted(names[0]), extended=bool(extended))

    def _describe(self, name: str, *, extended: bool) -> None:
        from lsqlc.tasks.catalogue_answers import described

        _, compilation = self._compiled()
        answer, lines = described(compilation, name)
        self._write(answer)
        for line in lines if extended else ():
            (self.sh.result if self.output.format == "text" else self.sh.say)(line)

    def _describe_function(self, name: str) -> None:
        from lsqlc.editor.signatures import function_named, function_text, own_function_text
        from lsqlc.functions import catalogue

        _, compilation = self._compiled()
        own = {each.name.upper(): each for each in compilation.project.functions.values()}
        function = function_named(name, self.dialect)
        if name.upper() in own:
            text = own_function_text(own[name.upper()])
        elif function is not None:
            text = function_text(function)
        else:
            help = did_you_mean(name.upper(), (*catalogue.names(self.dialect), *own))
            raise LsqlcError([Diagnostic("LSQ626", f"unknown function '{name}'", help=help or "write SHOW FUNCTIONS;")])
        self.sh.result("\n".join(line for line in text.split("\n") if not line.startswith("```")))

    def _print(self, statement: Statement) -> None:
        from lsqlc.cli.prompt_print import PrintRequest, print_topic

        words = [word.upper() for word in statement.words]
        topics = [word for word in statement.words[1:2] if word.upper() not in ("FROM", "LIMIT")]
        if not topics:
            _refuse("PRINT", "the name of a topic")
        rest, limit, beginning = words[2:], None, False
        while rest:
            if rest[:2] == ["FROM", "BEGINNING"]:
                rest, beginning = rest[2:], True
            elif rest[0] in ("LIMIT", "INTERVAL", "SAMPLE") and len(rest) > 1 and rest[1].isdecimal():
                limit, rest = int(rest[1]) if rest[0] == "LIMIT" else limit, rest[2:]
            else:
                _refuse("PRINT", "a topic, FROM BEGINNING, and LIMIT with a number")
        request = PrintRequest(unquoted(topics[0]), limit, beginning or not self.follows, self.follows)
        workspace, _ = self._compiled()
        print_topic(self.sh, workspace, self.target, request, csv=self.output.format == "csv")

    def _set(self, statement: Statement) -> None:
        words = [unquoted(word) for word in statement.words[1:]]
        if words[:1] == [_OFFSETS] and words[1:] not in ([], ["=", "earliest"]):
            message = f"'{_OFFSETS}' is always 'earliest' here: a query begins with the records that exist"
            help = "to see new records only, write PRINT TOPIC;"
            raise LsqlcError([Diagnostic("LSQ627", message, help=help)])
        if words[:1] != [_OFFSETS]:
            self.sh.say(f"{statement.first} changes nothing here: the settings of a query are those of the project")

    def _write(self, answer: Any) -> None:
        write_answer(self.sh, answer, replace(self.output, limit=0))


def _refuse(verb: str, takes: str) -> NoReturn:
    raise LsqlcError([Diagnostic("LSQ626", f"{verb} takes {takes}", help="\\? lists the statements")])
