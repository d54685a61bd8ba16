"""ORDER BY and LIMIT at the end of a query.

Both together select the first rows of a query, as a ranking without groups does. One alone has no meaning for a table,
whose rows have no order, and is ignored.
"""

from __future__ import annotations

from dataclasses import replace

from lsqlc.syntax import tree
from lsqlc.syntax.formatting.sameness import same_parts
from lsqlc.syntax.sql import tree as sql

# A reference to a column of the result by its position, where the columns of a star come before it: no name in a text
# begins with a space.
POSITION = " position"


def is_plain(select: sql.Select) -> bool:
    """Return whether the rows of a SELECT are those of FROM, each with its key.

    Elements of a generator in the SELECT list have names only in the result.
    """
    return not (select.has_groups or select.distinct or select.having or select.is_windowed or generates(select))


def generates(select: sql.Select) -> bool:
    """Return whether the SELECT list has a generator."""
    return any(lateral.label == sql.GENERATED for lateral in select.laterals)


def with_names(order: tuple[sql.Ordered, ...], result: sql.Select | sql.Union) -> tuple[sql.Ordered, ...]:
    """Return the order, with the names of columns for positions that a star of a query hides.

    A position behind any other star becomes a reference (`POSITION`). Raises BadPosition for a position of no column,
    or of one without a name.
    """
    own = result.branches[0].items if isinstance(result, sql.Union) else result.items
    return tuple(replace(each, value=_named(each.value, own, _columns_of(result))) for each in order)


class BadPosition(Exception):
    """A position in ORDER BY that is not in the result. `at`: its extent. `number`: its value."""

    def __init__(self, at: tuple[int, int], number: int) -> None:
        super().__init__(number)
        self.at, self.number = at, number


def _named(value: tree.Expression, own: tuple[sql.Item, ...], items: tuple[sql.Item, ...]) -> tree.Expression:
    number = whole_number(value)
    if number is None or numbered(value, own) is not None:
        return value
    if number > 0 and any(isinstance(item.source, tree.Wildcard) for item in items[:number]):
        return tree.Reference((POSITION, str(number)), value.at)
    item = numbered(value, items)
    name = _name(item) if item is not None else None
    if name is None:
        raise BadPosition(value.at, number)
    return tree.Reference((name,), value.at)


def _columns_of(result: sql.Select | sql.Union) -> tuple[sql.Item, ...]:
    """Return the SELECT list of a result: that of the first branch, and for a single star that of the query in FROM."""
    select = result.branches[0] if isinstance(result, sql.Union) else result
    is_star = len(select.items) == 1 and isinstance(select.items[0].source, tree.Wildcard)
    inner = select.source
    if not is_star or not isinstance(inner, sql.QuerySource) or select.joins or select.laterals or inner.columns:
        return select.items
    return select.items if select.items[0].without else _columns_of(inner.query.body)


def of_select(order: tuple[sql.Ordered, ...], select: sql.Select) -> tuple[sql.Ordered, ...]:
    """Return the order of rows of FROM: names and numbers of the SELECT list are replaced by their expressions."""
    return tuple(replace(each, value=_meant(each.value, select.items)) for each in order)


def of_result(order: tuple[sql.Ordered, ...], select: sql.Select) -> tuple[sql.Ordered, ...]:
    """Return the order of rows of a result: expressions that are its columns are replaced by those."""
    return tuple(replace(each, value=_column(each.value, select.items)) for each in order)


def with_order_columns(
    order: tuple[sql.Ordered, ...], select: sql.Select
) -> tuple[sql.Select, tuple[sql.Ordered, ...], tuple[tree.Reference, ...]]:
    """Return a SELECT with groups, to which expressions of its order that are not in the result are added as columns.

    The second result is the order by columns of the result, the third the added columns.
    """
    items, ordered = list(select.items), list[sql.Ordered]()
    added: list[tree.Reference] = []
    for each in of_result(order, select):
        value = each.value
        if not (isinstance(value, tree.Reference) and any(_name(item) == value.parts[-1] for item in select.items)):
            name = tree.Name(f" order {len(added) + 1}", value.at)
            items.append(sql.Item(_meant(value, select.items), name, value.at))
            value = tree.Reference((name.text,), value.at)
            added.append(value)
        ordered.append(replace(each, value=value))
    return replace(select, items=tuple(items)), tuple(ordered), tuple(added)


def _meant(value: tree.Expression, items: tuple[sql.Item, ...]) -> tree.Expression:
    """Return the expression that a name or a number of the SELECT list stands for.

    An alias takes precedence over a column with that name, and the one column `u.x` of the list over `x` of FROM.
    """
    if isinstance(value, tree.Reference) and len(value.parts) == 1:
        name = value.parts[0].casefold()
        aliased = (i for i in items if i.alias is not None and i.alias.text.casefold() == name)
        columns = [i for i in items if i.alias is None and _is_column(i.source, name)]
        item = next(aliased, columns[0] if len(columns) == 1 else None)
    else:
        item = numbered(value, items)
    return value if item is None or isinstance(item.source, tree.Wildcard) else item.source


def _is_column(source: tree.Expression | tree.Wildcard, name: str) -> bool:
    return isinstance(source, tree.Reference) and source.parts[-1].casefold() == name


def _column(value: tree.Expression, items: tuple[sql.Item, ...]) -> tree.Expression:
    item = numbered(value, items)
    if item is None:
        sources = ((i, i.source) for i in items if not isinstance(i.source, tree.Wildcard))
        item = next((i for i, source in sources if same_parts(source, value)), None)
    name = _name(item) if item is not None else None
    return value if name is None else tree.Reference((name,), value.at)


def whole_number(value: tree.Expression) -> int | None:
    """Return the value of a literal whole number; None for any other expression."""
    number = value.value if isinstance(value, tree.Literal) else None
    return number if isinstance(number, int) and not isinstance(number, bool) else None


def numbered(value: tree.Expression, items: tuple[sql.Item, ...]) -> sql.Item | None:
    """Return the item at a position in the SELECT list; None if there is none, or a star precedes it."""
    number = whole_number(value)
    if number is None or not 1 <= number <= len(items):
        return None
    before = items[:number]
    return None if any(isinstance(i.source, tree.Wildcard) for i in before) else items[number - 1]


def _name(item: sql.Item) -> str | None:
    if item.alias is not None:
        return item.alias.text
    if isinstance(item.source, tree.Reference):
        return item.source.parts[-1]
    if item.name is None:
        return None
    return "".join(part if isinstance(part, str) else part[-1] for part in item.name)
