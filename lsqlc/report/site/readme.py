"""The project's README as data: Markdown to a tree of the few elements that the site draws, and the pictures it shows.

A node is a text or `[tag, attributes, children...]`. HTML in it is left out, but for pictures; so is every address
that is not of the web, of a file of the project, or of a heading. markdown-it reads it, as most renderers do.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from html.parser import HTMLParser
from posixpath import normpath
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from markdown_it.tree import SyntaxTreeNode

Node = str | list[Any]
ReadPicture = Callable[[str], bytes | None]

PICTURES = {"png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg", "gif": "image/gif", "svg": "image/svg+xml"}
_SAME = {
    **{name: name for name in ("blockquote", "table", "thead", "tbody", "tr", "th", "td", "hr", "em", "strong")},
    **{"paragraph": "p", "bullet_list": "ul", "ordered_list": "ol", "list_item": "li", "hardbreak": "br", "s": "s"},
}
# The pictures of a page, and their bytes together; what goes beyond is shown by its words.
_MOST_PICTURES, _PICTURES_SIZE = 200, 50_000_000
_WEB = re.compile(r"https?://", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Readme:
    """`nodes`: the page; `pictures`: the files that it shows, by their path below the site's folder."""

    nodes: tuple[Node, ...]
    pictures: Mapping[str, bytes] = field(default_factory=dict)


def readme(text: str, read_picture: ReadPicture, models: Mapping[str, str]) -> Readme:
    """Return the page of a text in Markdown.

    `read_picture` gives the bytes of a file by its path below the project's root, or None; `models`: names by the path
    of the file, which links to it lead to.
    """
    from markdown_it import MarkdownIt
    from markdown_it.tree import SyntaxTreeNode

    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    tree = SyntaxTreeNode(parser.parse(text))
    drawn = _Drawn(read_picture, models)
    nodes = tuple(node for child in tree.children for node in drawn.node(child))
    return Readme(nodes, drawn.pictures)


@dataclass(frozen=True, slots=True)
class _Drawn:
    read_picture: ReadPicture
    models: Mapping[str, str]
    pictures: dict[str, bytes] = field(default_factory=dict)
    # The name of each picture in the site, by its path in the project.
    names: dict[str, str] = field(default_factory=dict)

    def node(self, node: SyntaxTreeNode) -> list[Node]:
        """What a node of the parser's tree becomes: none, one, or those inside of it."""
        if node.type in _SAME:
            inner = self.inside(node)
            # The items of a tight list have paragraphs that are not to be seen.
            if node.type == "paragraph" and node.hidden:
                return inner
            return [[_SAME[node.type], {}, *inner]]
        match node.type:
            case "text":
                return [node.content]
            case "softbreak":
                return [" "]
            case "heading":
                level = min(6, int(node.tag[1:]))
                return [[f"h{level}", {"id": slug(_text(node))}, *self.inside(node)]]
            case "code_inline":
                return [["code", {}, node.content]]
            case "fence" | "code_block":
                return [["pre", {"language": node.info.split(" ")[0] if node.type == "fence" else ""}, node.content]]
            case "link":
                return [["a", self.address(str(node.attrs.get("href", ""))), *self.inside(node)]]
            case "image":
                return self.picture(str(node.attrs.get("src", "")), node.content)
            case "html_block" | "html_inline":
                found = _Pictures()
                found.feed(node.content)
                return [shown for src, alt in found.found for shown in self.picture(src, alt)]
            case _:
                return self.inside(node)

    def inside(self, node: SyntaxTreeNode) -> list[Node]:
        return [found for child in node.children for found in self.node(child)]

    def address(self, href: str) -> dict[str, str]:
        """Where a link leads: to the web, to a heading, or to a model; nowhere else, as the site is only a folder."""
        if href.startswith("#"):
            return {"anchor": href[1:]}
        if _WEB.match(href):
            return {"href": href}
        model = self.models.get(normpath(href.partition("#")[0]))
        return {"model": model} if model else {"title": href}

    def picture(self, src: str, alt: str) -> list[Node]:
        """Return a picture of the project; the words for it where it is of the web, or cannot be read."""
        ending = src.rpartition(".")[2].lower()
        path = normpath(src)
        name = None if _WEB.match(src) or ending not in PICTURES else self.names.get(path) or self.add(path, ending)
        if name is None:
            return [["em", {}, alt]] if alt else []
        return [["img", {"src": name, "alt": alt}]]

    def add(self, path: str, ending: str) -> str | None:
        """Return the name in the site of a picture that no part before has shown; None if there is no room for it."""
        content = self.read_picture(path) if len(self.pictures) < _MOST_PICTURES else None
        if content is None or sum(map(len, self.pictures.values())) + len(content) > _PICTURES_SIZE:
            return None
        name = self.names[path] = f"pictures/{len(self.pictures)}.{ending}"
        self.pictures[name] = content
        return name


class _Pictures(HTMLParser):
    """The pictures in a piece of HTML."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "img" and given.get("src"):
            self.found.append((str(given["src"]), given.get("alt") or ""))


def slug(heading: str) -> str:
    """Return the anchor of a heading, as GitHub makes it."""
    return re.sub(r"\s", "-", re.sub(r"[^\w\s-]", "", heading.strip().lower()))


def _text(node: SyntaxTreeNode) -> str:
    return "".join(child.content or _text(child) for child in node.children)
