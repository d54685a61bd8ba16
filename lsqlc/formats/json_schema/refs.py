"""Resolution of a `$ref` of a JSON Schema: a pointer, an anchor or an `$id`, within one file."""

from __future__ import annotations

from urllib.parse import unquote

from lsqlc.formats.schema_file import Part


class References:
    """The parts of one file that a reference can name, which are collected at the first reference by name."""

    def __init__(self, root: Part) -> None:
        self._root = root
        self._names: dict[str, Part] | None = None
        self._found: dict[str, Part | None] = {}

    def find(self, reference: str) -> Part | None:
        """Return the part that a reference names; None if it is not in the file."""
        if reference not in self._found:
            self._found[reference] = self._find(reference)
        return self._found[reference]

    def _find(self, reference: str) -> Part | None:
        base, _, fragment = reference.partition("#")
        start = self._root if not base or base == self._own_name() else self._named(base)
        if start is None or not fragment:
            return start
        if fragment.startswith("/"):
            return _pointed(start, fragment)
        return self._named(f"#{fragment}")

    def _own_name(self) -> str:
        return (self._root.text_at("$id") or self._root.text_at("id") or "").rstrip("#")

    def _named(self, name: str) -> Part | None:
        if self._names is None:
            self._names = {}
            pending = [self._root]
            while pending:
                part = pending.pop()
                members = part.members()
                pending += [*members.values(), *part.items()]
                anchor, identity = part.text_at("$anchor"), part.text_at("$id")
                if anchor:
                    self._names.setdefault(f"#{anchor}", part)
                if identity:
                    # `$id` is absolute as a rule, and a reference to it relative.
                    self._names.setdefault(identity, part)
                    self._names.setdefault(identity.rpartition("/")[2], part)
        return self._names.get(name)


def _pointed(start: Part, pointer: str) -> Part | None:
    part: Part | None = start
    for step in pointer.split("/")[1:]:
        name = unquote(step).replace("~1", "/").replace("~0", "~")
        if part is None:
            return None
        items = part.items()
        if items:
            part = items[int(name)] if name.isdecimal() and len(name) < 10 and int(name) < len(items) else None
        else:
            part = part.get(name)
    return part
