"""Rendering through Jinja: macros, the result with its positions, and Jinja's errors as diagnostics."""

from __future__ import annotations

import re
from collections.abc import Iterable
from types import TracebackType
from typing import Any

from jinja2 import Template, TemplateError, TemplateSyntaxError, UndefinedError, nodes

from lsqlc.diagnostics import Diagnostic, Severity, did_you_mean
from lsqlc.project.templates.costs import constant, deep
from lsqlc.project.templates.faults import fault_in
from lsqlc.project.templates.functions import Functions, Rendered, Surroundings, TemplateFailure, problem, whole_word
from lsqlc.project.templates.limits import MAX_TEXT
from lsqlc.project.templates.meter import LimitError
from lsqlc.project.templates.positions import joined, span_at, unix_lines
from lsqlc.project.templates.sandbox import Mark, Sandbox
from lsqlc.project.templates.weaving import NotAvailable, prepare

_UNDEFINED = re.compile(r"'([^']+)' is undefined|has no attribute '([^']+)'")
_MACRO = re.compile(r"\{%-?\s*macro\s+([A-Za-z_]\w*)")
_UNKNOWN_FILTER = re.compile(r"No (filter|test) named '([^']+)'")
# Errors of bad templates besides Jinja's own: wrong arguments, failed operations, excessive nesting.
_FAILURES = (
    ArithmeticError, AssertionError, AttributeError, LookupError, MemoryError, RuntimeError, SyntaxError, TypeError,
    ValueError,
)  # fmt: skip


class Jinja:
    """The environment of one project, with its macros."""

    def __init__(self, surroundings: Surroundings) -> None:
        self._surroundings = surroundings
        self._sandbox = Sandbox()
        self._functions = Functions(surroundings)
        self._texts: dict[str, str] = {}
        self._loaded: dict[str, Any] = {}
        for name in self._functions.table():
            self._sandbox.provide(name, self._forward(name), deep)
        self.diagnostics: tuple[Diagnostic, ...] = tuple(self._macros())

    def render(self, text: str, path: str) -> Rendered:
        """Render the text of a model. `path`: its name in diagnostics."""
        source = unix_lines(text)
        self._texts[path] = source
        self._functions = functions = Functions(self._surroundings)
        self._sandbox.meter.begin()
        try:
            positions = joined(self._chunks(self._compile(source, path)), source)
        except TemplateFailure as failure:
            return self._failed(self._at_call(failure, path), functions)
        except (TemplateError, *_FAILURES) as error:
            return self._failed(self._problem(error, path), functions)
        return Rendered(positions.rendered, positions, tuple(functions.refs), functions.settings)

    def _failed(self, diagnostic: Diagnostic, functions: Functions) -> Rendered:
        return Rendered(None, None, tuple(functions.refs), functions.settings, (diagnostic,))

    def _forward(self, name: str) -> Any:
        """Return a global function that calls the one of the current template, because macros outlive a model."""

        def function(*args: Any, **kwargs: Any) -> Any:
            result = self._functions.table()[name](*args, **kwargs)
            self._sandbox.meter.weigh(result, *self._functions.settings.tags)
            return result

        function.__name__ = name
        return function

    def _compile(self, source: str, path: str) -> Template:
        sandbox = self._sandbox
        tree = sandbox._parse(source, path, path)
        prepare(sandbox, tree, source)
        code = sandbox.compile(tree, path, path)
        return Template.from_code(sandbox, code, sandbox.globals)

    def _chunks(self, template: Template) -> list[tuple[str, int, int | None]]:
        chunks: list[tuple[str, int, int | None]] = []
        place: tuple[int, int | None] = (0, 1)
        length = 0
        for output in template.root_render_func(template.new_context()):
            if isinstance(output, Mark):
                place = (output.start, output.end)
                continue
            chunks.append((output, *place))
            length += len(output)
            self._sandbox.meter.spend_text(len(output))
            if length > MAX_TEXT:
                raise LimitError(f"the template's result is longer than {MAX_TEXT:,} characters")
            if place[1] is None:
                # Output without a mark (a call block) has the position after the preceding text.
                after = place[0] + len(output)
                place = (after, after + 1)
        return chunks

    def _macros(self) -> list[Diagnostic]:
        """Read the macro files. The macros of each become globals, for the models and for one another."""
        problems: list[Diagnostic] = []
        owners: dict[str, str] = {}
        for path, text in self._surroundings.macros:
            self._texts[path] = source = unix_lines(text)
            try:
                tree = self._sandbox.parse(source, path, path)
            except (TemplateError, *_FAILURES) as error:
                problems.append(self._problem(error, path))
                for name in _MACRO.findall(source):
                    self._sandbox.provide(name, self._forward_macro(name), constant)
                continue
            for macro in (node for node in tree.body if isinstance(node, nodes.Macro)):
                if macro.name in owners or macro.name in self._functions.table():
                    other = f"'{owners[macro.name]}'" if macro.name in owners else "lsqlc itself"
                    message = f"the macro '{macro.name}' is defined by {other} too"
                    span = span_at(source, path, *self._row(path, macro.lineno, macro.name))
                    problems.append(Diagnostic("LSQ029", message, span, help="give one of them another name"))
                    continue
                owners[macro.name] = path
                self._sandbox.provide(macro.name, self._forward_macro(macro.name), constant)
        return problems + self._load(dict.fromkeys(owners.values()), owners)

    def _load(self, paths: Iterable[str], owners: dict[str, str]) -> list[Diagnostic]:
        problems: list[Diagnostic] = []
        for path in paths:
            self._sandbox.meter.begin()
            try:
                template = self._compile(self._texts[path], path)
                context = template.new_context()
                for _ in template.root_render_func(context):
                    pass
            except TemplateFailure as failure:
                problems.append(self._at_call(failure, path))
            except (TemplateError, *_FAILURES) as error:
                problems.append(self._problem(error, path))
            else:
                # A module of Jinja lacks the names that begin with an underscore.
                self._loaded.update({name: context.vars[name] for name in owners if owners[name] == path})
        return problems

    def _forward_macro(self, name: str) -> Any:
        """Return a macro that is looked up when it is called, so that macros of two files can call each other."""

        def macro(*args: Any, **kwargs: Any) -> Any:
            template = self._loaded.get(name)
            if template is None:
                message = f"the model is skipped, because the file of the macro '{name}' has errors"
                raise TemplateFailure("LSQ033", message, word=name, severity=Severity.NOTE)
            return template(*args, **kwargs)

        macro.__name__ = name
        return macro

    def _at_call(self, failure: TemplateFailure, path: str) -> Diagnostic:
        where, line = _template_line(failure.__traceback__, path)
        start, end = self._row(where, line, None)
        return problem(failure, self._texts.get(where, ""), where, start, end)

    def _problem(self, error: BaseException, path: str) -> Diagnostic:
        """Return an error of Jinja, or of Python inside a template, with its line and, if the message has one, its
        word.
        """
        code, message, word, help = _describe(error, [*self._sandbox.globals], [*self._sandbox.filters])
        if isinstance(error, TemplateSyntaxError):
            where, line = error.filename or path, error.lineno
        else:
            where, line = _template_line(error.__traceback__, path)
        syntax = error if isinstance(error, TemplateSyntaxError) and code == "LSQ020" else None
        start, end = self._row(where, line, word, syntax)
        return Diagnostic(code, message, span_at(self._texts.get(where, ""), where, start, end), help=help)

    def _row(self, path: str, line: int, word: str | None, error: TemplateSyntaxError | None = None) -> tuple[int, int]:
        """Return offsets in a line of a template: of the word, of `error`, of the line's tags, or of the whole line."""
        text = self._texts.get(path, "")
        start = 0
        for _ in range(line - 1):
            start = text.find("\n", start) + 1
        end = text.find("\n", start)
        # The limit bounds the time for very long lines.
        row = text[start : end if end >= 0 else len(text)][:2_000]
        place = whole_word(word, row) or (fault_in(row, error, self._sandbox) if error else None)
        if place is None:
            match = re.search(r"\{[{%].*[%}]\}", row) or re.search(r"\S.*", row)
            place = match.span() if match else (0, len(row))
        return start + place[0], start + place[1]


def _describe(error: BaseException, names: list[str], filters: list[str]) -> tuple[str, str, str | None, str | None]:
    """Return the code, the message, the word that it names, and a help."""
    full_message = error.message if isinstance(error, TemplateSyntaxError) else str(error)
    text = " ".join((full_message or "").split()).rstrip(".").removeprefix("Functions.")
    message = text[:1].lower() + text[1:]
    if isinstance(error, LimitError):
        return (
            "LSQ026",
            message,
            None,
            "the template of a model is for names and repeated columns, not for computations",
        )
    if isinstance(error, UndefinedError):
        match = _UNDEFINED.search(text)
        word = (match[1] or match[2]) if match else None
        return "LSQ021", message, word, did_you_mean(word, names) if word else None
    if isinstance(error, NotAvailable):
        return "LSQ028", f"the template fails: {message}", None, None
    if isinstance(error, TemplateSyntaxError):
        unknown = _UNKNOWN_FILTER.search(text)
        help = did_you_mean(unknown[2], filters) if unknown and unknown[1] == "filter" else None
        tag = re.search(r"tag '(\w+)'", text)
        return "LSQ020", message, unknown[2] if unknown else tag[1] if tag else None, help
    if isinstance(error, (RecursionError, MemoryError, SyntaxError)):
        why = "is nested too deeply" if not isinstance(error, MemoryError) else "takes more memory than it may have"
        return "LSQ026", f"the template {why}", None, "a macro may call itself without an end"
    return "LSQ028", f"the template fails: {message}", None, None


def _template_line(traceback: TracebackType | None, path: str) -> tuple[str, int]:
    """Return the path and the line of the innermost template in a traceback."""
    position = (path, 1)
    while traceback is not None:
        template = traceback.tb_frame.f_globals.get("__jinja_template__")
        if template is not None:
            position = (template.filename or path, template.get_corresponding_lineno(traceback.tb_lineno))
        traceback = traceback.tb_next
    return position
