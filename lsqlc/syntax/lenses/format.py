"""A program in the one form that `lsqlc fmt` writes, with its comments where they belong.

`is_same` checks what was made, before anything is written.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass

from lsqlc.syntax import tree
from lsqlc.syntax.formatting.align import (
    laid_out,
    same_comments,
)
from lsqlc.syntax.lenses.documents import statements
from lsqlc.syntax.lenses.expressions import as_written
from lsqlc.syntax.lenses.parser import parse
from lsqlc.syntax.tokens import tokenize

# Where parts of a program stand in its text.
_PLACES = ("at", "kind_at", "semantics_at")


def format_program(program: tree.Program, restore: Callable[[str], str] | None = None) -> str:
    """The program's text, formatted. `restore`, of a template: gives back the tags that names stand for, before
    anything is measured. Raises ValueError where text and program do not belong together.
    """
    source = program.source
    tokens, _ = tokenize(source)
    docs = statements(program, tokens, template=restore is not None)
    return laid_out(source, tokens, [(doc, isinstance(s, tree.Setting)) for s, doc in docs], restore)


def is_same(before: tree.Program, text: str) -> bool:
    """Whether a text is the same program, places aside, with the same comments."""
    after = parse(text, before.source.path).program
    return after is not None and _shape(before) == _shape(after) and same_comments(before.source, after.source)


def _shape(program: tree.Program) -> object:
    """A program without the places of its parts."""

    def shape(value: object) -> object:
        if isinstance(value, tree.Hyphenated):
            read = as_written(value, program.source)
            return (shape(read[0]), sum(read[1].values())) if read else [t.text for t in value.tokens]
        if isinstance(value, tree.Call):
            return value.name.text.upper(), value.star, shape(value.arguments)
        if isinstance(value, tree.Logic):
            first, *others = value.operands
            while isinstance(first, tree.Logic) and first.operator == value.operator:
                # Parentheses around what is joined first anyway are not printed.
                first, *before = first.operands
                others = [*before, *others]
            return value.operator, *map(shape, (first, *others))
        if isinstance(value, tree.Program):
            return shape((value.settings, value.withs, value.inserts))
        if is_dataclass(value):
            names = [f.name for f in fields(value)]
            return type(value).__name__, *(shape(getattr(value, n)) for n in names if n not in _PLACES)
        if isinstance(value, tuple):
            return tuple(map(shape, value))
        return type(value), value

    return shape(program)
