"""The format of programs by `lsqlc fmt`, with their comments.

`is_same` checks the result before it is written.
"""

from __future__ import annotations

from collections.abc import Callable

from lsqlc.syntax import tree
from lsqlc.syntax.formatting.align import laid_out, same_comments
from lsqlc.syntax.formatting.sameness import same_parts
from lsqlc.syntax.lenses.documents import statements
from lsqlc.syntax.lenses.expressions import as_written
from lsqlc.syntax.lenses.parser import parse
from lsqlc.syntax.tokens import tokenize


def format_program(program: tree.Program, restore: Callable[[str], str] | None = None) -> str:
    """Return the program's formatted text.

    `restore`, for a template: returns the tags that names stand for, before the layout is computed. Raises ValueError
    if text and program do not match.
    """
    source = program.source
    tokens, _ = tokenize(source)
    docs = statements(program, tokens, template=restore is not None)
    return laid_out(source, tokens, [(doc, isinstance(s, tree.Setting)) for s, doc in docs], restore)


def is_same(before: tree.Program, text: str) -> bool:
    """Return whether a text is the same program, except for extents, with the same comments."""
    after = parse(text, before.source.path).program
    return after is not None and _is_same(before, after) and same_comments(before.source, after.source)


def _is_same(before: tree.Program, after: tree.Program) -> bool:
    def judge(one: object, two: object) -> bool | None:
        match one, two:
            case tree.Hyphenated(), tree.Hyphenated():
                return _is_same_chain(one, two)
            case tree.Call(), tree.Call():
                same = one.name.text.upper() == two.name.text.upper() and one.star == two.star
                return same and same_parts(one.arguments, two.arguments, judge)
            case tree.Logic(), tree.Logic():
                return one.operator == two.operator and same_parts(_joined(one), _joined(two), judge)
        return None

    def _is_same_chain(one: tree.Hyphenated, two: tree.Hyphenated) -> bool:
        read, again = as_written(one, before.source), as_written(two, after.source)
        if read is None or again is None:
            return read is again and [t.text for t in one.tokens] == [t.text for t in two.tokens]
        return sum(read[1].values()) == sum(again[1].values()) and same_parts(read[0], again[0], judge)

    one, two = ((p.settings, p.withs, p.inserts) for p in (before, after))
    return same_parts(one, two, judge)


def _joined(logic: tree.Logic) -> tuple[tree.Expression, ...]:
    """Return the operands. Parentheses around operands that are evaluated first anyway are not printed."""
    first, *others = logic.operands
    while isinstance(first, tree.Logic) and first.operator == logic.operator:
        first, *before = first.operands
        others = [*before, *others]
    return first, *others
