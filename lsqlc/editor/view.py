"""View of a model's file: its program, the meaning of its names, and the mapping between file and program.

The program is the rendered template. If the template cannot be rendered, a placeholder name replaces each tag; for a
plain `ref` or `source` it stands for the topic. Statements with errors are left out, so that the other statements have
answers.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from lsqlc.bind.limits import Limits
from lsqlc.bind.own_function import OwnFunctions
from lsqlc.bind.trace import Trace
from lsqlc.diagnostics.source import Extent, SourceText
from lsqlc.dialects import dialect
from lsqlc.dialects.record import Dialect
from lsqlc.editor.snapshot import Snapshot
from lsqlc.editor.text import Lines
from lsqlc.plan.plan import Plan
from lsqlc.project.declared.config import ProjectConfig
from lsqlc.project.model import Model
from lsqlc.project.templates.positions import Positions
from lsqlc.syntax.program import Program
from lsqlc.syntax.tree import Name
from lsqlc.types.record import Topic

# An open tag ends with its line.
_TAG = re.compile(r"\{\{(?:(?!\}\}|\{\{).)*\}\}|\{%(?:(?!%\}|\{%).)*%\}|\{#(?:(?!#\}).)*#\}|\{[{%#][^\n]*", re.DOTALL)
_CONFIG = re.compile(r"\{\{-?\s*config\(")
_CALL = re.compile(r"\{\{-?\s*(ref|source)\(\s*(?:['\"][^'\"]*['\"]\s*,\s*)?['\"]([^'\"\n]+)")


@dataclass(frozen=True)
class View:
    """A model's file.

    `raw`: the text of the file. `text`: the text of the program. `trace`: the meaning of its names. `plan`: None after
    errors. `stands_for`: topics by placeholder name, if the template cannot be rendered. `functions`: the project's own
    functions.
    """

    path: str
    name: str
    raw: str
    text: str
    dialect: Dialect
    program: Program
    trace: Trace
    plan: Plan | None
    stands_for: Mapping[str, str]
    positions: Positions | None = None
    functions: OwnFunctions = field(default_factory=dict)

    @cached_property
    def lines(self) -> Lines:
        return Lines(self.raw)

    @cached_property
    def _template(self) -> Lines | None:
        """The text that positions refer to, if it is not the file's: Jinja normalises line ends."""
        positions = self.positions
        return Lines(positions.template) if positions is not None and positions.template != self.raw else None

    def inward(self, offset: int) -> int | None:
        """Return the offset in the program of an offset in the file; None for text that the template removed."""
        if self.positions is None:
            return offset
        if self._template is not None:
            offset = self._template.offset(*self.lines.place(offset))
        pieces = self.positions.pieces
        ends = [*(piece.rendered for piece in pieces[1:]), len(self.text)]
        at_end = None
        for piece, end in zip(pieces, ends, strict=True):
            stop = piece.end if piece.end is not None else piece.start + end - piece.rendered
            if piece.start <= offset < stop:
                return piece.rendered if piece.end is not None else piece.rendered + offset - piece.start
            if offset == stop and at_end is None:
                at_end = end
        return at_end

    def outward(self, at: Extent) -> Extent:
        """Return the extent in the file of an extent in the program."""
        if self.positions is None:
            return at
        return self.lines.extent(self.positions.span(SourceText(self.path, self.text).span(at)))

    def topic_of(self, name: str) -> str:
        """Return the topic that a name in the program refers to."""
        return self.stands_for.get(name, name)

    def target_of(self, target: Name | None) -> str:
        """Return the topic of a target; a SELECT without a target writes the topic of the model's name."""
        return self.topic_of(target.text) if target else self.name


def view_of(snapshot: Snapshot, path: str) -> View | None:
    """Return the view of a model's file; None for other files."""
    model = _model(snapshot, path)
    if model is None:
        return None
    if model.text is not None and (model.text.strip() or not model.raw.strip()):
        return _view(snapshot, model, model.text, model.positions, {})
    text, stands_for = _masked(snapshot, model.raw)
    return _view(snapshot, model, text, None, stands_for)


def _model(snapshot: Snapshot, path: str) -> Model | None:
    if snapshot.kind(path) != "model" or path not in snapshot.texts:
        return None
    models = snapshot.compilation.project.models if snapshot.compilation else ()
    model = next((m for m in models if m.path == path), None)
    raw = snapshot.texts[path]
    if model is not None and model.raw == raw:
        return model
    text = None if "{" in raw else raw
    if model is not None:
        # The text changed after the project was compiled.
        return replace(model, raw=raw, text=text, positions=None)
    # The project does not load, or the name of the file is not valid for a model.
    name = path.rsplit("/", 1)[-1].removesuffix(".sql")
    return Model(name, path, raw, text, dialect=(snapshot.config or ProjectConfig("")).dialect)


def _view(
    snapshot: Snapshot, model: Model, text: str, positions: Positions | None, stands_for: Mapping[str, str]
) -> View:
    language = dialect(model.dialect)
    program = language.readable(text, model.path)
    trace = Trace()
    topics: dict[str, Topic] = dict(snapshot.topics)
    topics.update((name, topics[topic]) for name, topic in stands_for.items() if topic in topics)
    defaults = (snapshot.config or ProjectConfig("")).defaults
    functions = snapshot.compilation.project.functions if snapshot.compilation else {}
    compiled = language.bind(
        program,
        topics,
        name=model.name,
        nullability=model.nullability,
        limits=Limits(grace=defaults.grace, retention=defaults.retention),
        subjects=snapshot.compilation.project.subjects if snapshot.compilation else None,
        materialized=model.materialized,
        trace=trace,
        functions=functions,
        errors=model.errors,
    )
    return View(
        model.path,
        model.name,
        model.raw,
        text,
        language,
        program,
        trace,
        compiled.plan,
        stands_for,
        positions,
        functions,
    )


def _masked(snapshot: Snapshot, raw: str) -> tuple[str, dict[str, str]]:
    """Replace each expression by a name of the same length, and other tags by blanks."""
    stands_for: dict[str, str] = {}

    def mask(match: re.Match[str]) -> str:
        tag = match[0]
        if not tag.startswith("{{") or _CONFIG.match(tag):
            return re.sub(r"[^\r\n]", " ", tag)
        name = f"t{len(stands_for)}".ljust(len(tag), "_")[: len(tag)]
        call = _CALL.match(tag)
        stands_for[name] = _topic(snapshot, call[1], call[2]) if call else name
        return name

    return _TAG.sub(mask, raw), stands_for


def _topic(snapshot: Snapshot, function: str, name: str) -> str:
    """Return the topic of a ref() or source()."""
    build = snapshot.compilation.models.get(name) if snapshot.compilation and function == "ref" else None
    return build.outputs[0].name if build and build.outputs else name
