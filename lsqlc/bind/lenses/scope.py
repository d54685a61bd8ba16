"""Name resolution: the field of a reference in the sources of a query.

The longest matching source name is taken first; then `_key` or `_value`, or else a field of the value. A name without
source must belong to exactly one of them. A hyphen between two words belongs to a name if that name exists
(docs/reference/lenses.md, "Names").
"""

from __future__ import annotations

from dataclasses import dataclass

from lsqlc.bind.findings import Findings
from lsqlc.diagnostics import did_you_mean, listing
from lsqlc.diagnostics.source import Extent
from lsqlc.plan.expression import FacetName, Field
from lsqlc.plan.nodes import Relation
from lsqlc.scan.file_topics import is_special
from lsqlc.syntax.lenses.expressions import Chain
from lsqlc.syntax.lenses.foreign import name_advice
from lsqlc.syntax.tokens import is_number
from lsqlc.types import data
from lsqlc.types.data import DataType, Struct

_FACETS: dict[str, FacetName] = {"_key": "key", "_value": "value"}
_REFUSED_ROOTS = {
    "_meta": "the metadata of records (_meta) cannot be read in a streaming query",
    "_header": "headers cannot be read in a streaming query",
    "_headers": "headers cannot be read in a streaming query",
}


@dataclass(frozen=True, slots=True)
class Scope:
    """The sources of a query, in order. `laterals`: the number of the last ones that are elements of arrays.

    `bare_key` False: an unqualified `_key` is refused, and `why_not` is the clause for the message. `absent`: facets
    that a record may lack as a whole, so that their NOT NULL fields may be null nevertheless.
    """

    relations: tuple[Relation, ...]
    laterals: int = 0
    bare_key: bool = True
    why_not: str = ""
    absent: frozenset[FacetName] = frozenset()

    @property
    def sources(self) -> tuple[Relation, ...]:
        return self.relations[: len(self.relations) - self.laterals]

    def resolve(self, parts: tuple[str, ...], at: Extent, findings: Findings) -> Field | None:
        """Return the field of a path; None after an error."""
        for count in range(len(parts), 0, -1):
            name = ".".join(parts[:count])
            for number, relation in enumerate(self.relations):
                if relation.name == name and not self._hidden(number, parts[count:]):
                    return self._within(number, parts[count:], at, findings)
        root = parts[0]
        if root in _REFUSED_ROOTS:
            findings.error("LSQ120", _REFUSED_ROOTS[root], at)
            return None
        if root in _FACETS:
            return self._bare_facet(parts, at, findings)
        owners = self._owners(root)
        if len(owners) == 1:
            return self._within(owners[0], parts, at, findings)
        if owners:
            names = listing(self.relations[i].name for i in owners)
            choice = self.relations[owners[0]].name
            findings.error("LSQ203", f"'{root}' is a field of {names}", at, help=f"say which: {choice}.{root}")
            return None
        self._unknown(parts, at, findings)
        return None

    def _owners(self, root: str) -> list[int]:
        """Return the sources with a field of that name.

        Sources that declare it come before those where unknown names are null.
        """
        owners = [i for i, r in enumerate(self.sources) if field_of(r.value.type, root, r)]
        if len(owners) > 1:
            declaring = [i for i in owners if (r := self.sources[i]).files is None or not _is_unknown(root, r)]
            return declaring or owners
        return owners

    def _hidden(self, number: int, rest: tuple[str, ...]) -> bool:
        """Return whether a source's bare name is not a value; only the alias of a LATERAL is one."""
        return not rest and number < len(self.sources)

    def _within(self, number: int, path: tuple[str, ...], at: Extent, findings: Findings) -> Field | None:
        relation = self.relations[number]
        if path and path[0] in _FACETS:
            which, path = _FACETS[path[0]], path[1:]
        else:
            which = "value"
        facet = relation.facet(which)
        if facet.is_absent and which == "key":
            findings.error(
                "LSQ204",
                f"the records of '{relation.name}' have no key",
                at,
                help="declare one: key: STRING, in the topic's YAML",
            )
            return None
        type: DataType = facet.type
        # An element of an array may be null, and then all of its fields are.
        nullable = not path or which in self.absent or number >= len(self.sources)
        walked = [f"_{which}"]
        for name in path:
            field = field_of(type, name, relation)
            if field is None:
                _no_field(".".join(walked), relation.name, type, name, at, findings)
                return None
            type, nullable = field.type, nullable or field.nullable
            walked.append(field.name)
        path = tuple(walked[1:])
        if which == "value" and path and _is_unknown(path[0], relation):
            _warn_unknown(path[0], relation, at, findings)
        return Field(number, which, path, type, nullable)

    def _bare_facet(self, parts: tuple[str, ...], at: Extent, findings: Findings) -> Field | None:
        if parts[0] == "_key" and not self.bare_key:
            self.refuse_bare_key(parts, at, findings)
            return None
        if len(self.sources) > 1:
            findings.error(
                "LSQ203",
                f"'{parts[0]}' belongs to {listing(r.name for r in self.sources)}",
                at,
                help=f"say which: {self.sources[0].name}.{'.'.join(parts)}",
            )
            return None
        return self._within(0, parts, at, findings)

    def refuse_bare_key(self, parts: tuple[str, ...], at: Extent, findings: Findings) -> None:
        """Report a `_key` without source where it is not allowed."""
        findings.error(
            "LSQ310",
            f"an unqualified '_key' cannot be read in a query with {self.why_not}",
            at,
            help=f"say whose key: {self.sources[0].name}.{'.'.join(parts)}",
        )

    def _unknown(self, parts: tuple[str, ...], at: Extent, findings: Findings) -> None:
        root = parts[0]
        visible = [n for r in self.sources for n in visible_names(r)]
        visible += [r.name for r in self.relations[len(self.sources) :]]
        keys = [r for r in self.sources if isinstance(r.key.type, Struct) and r.key.type.field(root)]
        if len(self.sources) == 1 and not visible:
            value = self.sources[0].value.type
            message = f"unknown column '{root}': the value of '{self.sources[0].name}' is {value} and has no fields"
            findings.error("LSQ201", message, at, help="the value itself is _value")
            return
        help = f"the key has it: _key.{root}" if keys else name_advice(root) or did_you_mean(root, visible)
        if help is None:
            help = f"known are {listing(visible)}"
        what = f"unknown column '{root}'"
        if len(parts) > 1:
            what = f"'{root}' is neither a source of this query nor a column"
            names = [r.name for r in self.relations]
            help = did_you_mean(root, [*names, *visible]) or f"the sources are {listing(names)}"
        findings.error("LSQ201", what, at, help=help)

    def split(self, chain: Chain, extra: frozenset[str] = frozenset()) -> tuple[tuple[str, ...], int]:
        """Return the first name of a chain of words (see `syntax.expressions.Split`). `extra`: aliases in scope."""
        for count in range(len(chain.pieces), 0, -1):
            text = _joined(chain, 0, count)
            number = next((i for i, r in enumerate(self.relations) if r.name == text), None)
            if number is not None and (count == len(chain.pieces) or chain.joints[count - 1] == "."):
                relation = self.relations[number]
                if count < len(chain.pieces) or number >= len(self.sources):
                    return self._split_path(chain, count, (text,), relation)
        return self._split_path(chain, 0, (), None, extra)

    def _split_path(
        self,
        chain: Chain,
        start: int,
        path: tuple[str, ...],
        relation: Relation | None,
        extra: frozenset[str] = frozenset(),
    ) -> tuple[tuple[str, ...], int]:
        """Read names from piece `start` on, each as long as the schema has it, up to a hyphen that is a minus."""
        at = start
        candidates: list[DataType]
        if at < len(chain.pieces) and chain.pieces[at] in _FACETS:
            which = "key" if chain.pieces[at] == "_key" else "value"
            owners = [relation] if relation else list(self.sources)
            candidates = [r.key.type if which == "key" else r.value.type for r in owners]
            path, at = (*path, chain.pieces[at]), at + 1
            if at >= len(chain.pieces) or chain.joints[at - 1] == "-":
                return path, at
        else:
            owners = [relation] if relation else list(self.sources)
            candidates = [r.value.type for r in owners]
        while at < len(chain.pieces):
            end = at + 1
            for longer in range(len(chain.pieces), at, -1):
                if any(chain.joints[i] == "." for i in range(at, longer - 1)):
                    continue
                name = _joined(chain, at, longer)
                is_name = any(field_of(c, name, o) for c, o in zip(candidates, owners, strict=True))
                if is_name or (not path and name in extra):
                    end = longer
                    break
            name = _joined(chain, at, end)
            path, at = (*path, name), end
            fields = [(field_of(c, name, o), o) for c, o in zip(candidates, owners, strict=True)]
            candidates, owners = [f.type for f, _ in fields if f], [o for f, o in fields if f]
            if at < len(chain.pieces) and chain.joints[at - 1] == "-":
                break
        return path, at

    def is_ambiguous(self, chain: Chain, name: str) -> bool:
        """Return whether a hyphenated column could also be a subtraction of columns."""
        column_names = {f.name for r in self.sources if isinstance(r.value.type, Struct) for f in r.value.type.fields}
        # An undeclared name of a topic of files is in the type because the query refers to it.
        column_names -= {n for n in column_names for r in self.sources if _is_unknown(n, r)}
        return "-" in name and all(piece in column_names or is_number(piece) for piece in name.split("-"))


def field_of(type: DataType, name: str, relation: Relation) -> data.Field | None:
    """Return the field of a struct by its name, which is case-insensitive over files."""
    if not isinstance(type, Struct):
        return None
    return type.folded_field(name) if relation.files else type.field(name)


def visible_names(relation: Relation) -> tuple[str, ...]:
    """Return the names of the value's fields in `*`."""
    if relation.files and relation.files.files:
        return relation.files.files.visible
    return tuple(f.name for f in relation.value.type.fields) if isinstance(relation.value.type, Struct) else ()


def _is_unknown(name: str, relation: Relation) -> bool:
    """Return whether a field is undeclared, and so null in each record."""
    files = relation.files.files if relation.files else None
    if files is None or not isinstance(relation.value.type, Struct):
        return False
    struct_field = relation.value.type.folded_field(name)
    return (
        struct_field is not None
        and struct_field.name not in visible_names(relation)
        and not is_special(struct_field, files)
    )


def _warn_unknown(name: str, relation: Relation, at: Extent, findings: Findings) -> None:
    findings.warn(
        "LSQ443",
        f"the topic '{relation.name}' has no known column '{name}': it is null",
        at,
        notes=("the declared schema is not strict, so files may have other columns",),
        help=did_you_mean(name, visible_names(relation)) or "declare it, or set `strict: true` to make this an error",
    )


def _joined(chain: Chain, start: int, end: int) -> str:
    text = chain.pieces[start]
    for i in range(start + 1, end):
        text += chain.joints[i - 1] + chain.pieces[i]
    return text


def _no_field(walked: str, source: str, type: DataType, name: str, at: Extent, findings: Findings) -> None:
    if not isinstance(type, Struct):
        findings.error("LSQ202", f"'{source}.{walked}' is {_article(type)} and has no field '{name}'", at)
        return
    field_names = [f.name for f in type.fields]
    help = did_you_mean(name, field_names) or f"known are {listing(field_names)}"
    findings.error("LSQ201", f"unknown column '{name}' in '{source}.{walked}'", at, help=help)


def _article(type: DataType) -> str:
    return "of unknown type" if type == data.NULL else f"{type}"
