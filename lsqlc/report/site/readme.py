"""The project's README as data: a tree of the Markdown elements that the site supports, and its pictures.

A node is a text or `[tag, attributes, children...]`. HTML is removed, except pictures. Addresses are kept only if they
lead to the web, to a file of the project, or to a heading. The parser is markdown-it, as in most renderers.
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
# Limits for the number of pictures and for their total bytes. Further pictures are replaced by their alt text.
_MOST_PICTURES, _PICTURES_SIZE = 200, 50_000_000
_WEB = re.compile(r"https?://", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Readme:
    """A page. `nodes`: its content. `pictures`: files by path below the site's folder."""

    nodes: tuple[Node, ...]
    pictures: Mapping[str, bytes] = field(default_factory=dict)


def readme(text: str, read_picture: ReadPicture, models: Mapping[str, str]) -> Readme:
    """Parse Markdown.

    `read_picture` returns the bytes of a file by its path below the project's root, or None. `models`: names by the
    path of the file, for links to models.
    """
    from markdown_it import MarkdownIt
    from markdown_it.tree import SyntaxTreeNode

    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    tree = SyntaxTreeNode(parser.parse(text))
    converter = _Converter(read_picture, models)
    nodes = tuple(node for child in tree.children for node in converter.node(child))
    return Readme(nodes, converter.pictures)


def _leaf(node: SyntaxTreeNode) -> Node:
    """Return a node without other nodes: text or code."""
    match node.type:
        case "text":
            return node.content
        case "softbreak":
            return " "
        case "code_inline":
            return ["code", {}, node.content]
        case _:
            return ["pre", {"language": node.info.split(" ")[0] if node.type == "fence" else ""}, node.content]


@dataclass(frozen=True, slots=True)
class _Converter:
    read_picture: ReadPicture
    models: Mapping[str, str]
    pictures: dict[str, bytes] = field(default_factory=dict)
    # The name of each picture in the site, by its path in the project.
    names: dict[str, str] = field(default_factory=dict)

    def node(self, node: SyntaxTreeNode) -> list[Node]:
        """Convert a node of the parser's tree to zero or more nodes."""
        if node.type in _SAME:
            inner = self.inside(node)
            # Paragraphs in the items of a tight list are hidden.
            if node.type == "paragraph" and node.hidden:
                return inner
            return [[_SAME[node.type], {}, *inner]]
        match node.type:
            case "text" | "softbreak" | "code_inline" | "fence" | "code_block":
                return [_leaf(node)]
            case "heading":
                level = min(6, int(node.tag[1:]))
                return [[f"h{level}", {"id": slug(_text(node))}, *self.inside(node)]]
            case "link":
                return [["a", self.address(str(node.attrs.get("href", ""))), *self.inside(node)]]
            case "image":
                return self.picture(str(node.attrs.get("src", "")), node.content)
            case "html_block" | "html_inline":
                return self.html(node.content)
            case _:
                return self.inside(node)

    def html(self, content: str) -> list[Node]:
        """Return the pictures in a piece of HTML."""
        parser = _Pictures()
        parser.feed(content)
        return [picture for src, alt in parser.sources for picture in self.picture(src, alt)]

    def inside(self, node: SyntaxTreeNode) -> list[Node]:
        return [converted for child in node.children for converted in self.node(child)]

    def address(self, href: str) -> dict[str, str]:
        """Return the target of a link: the web, a heading or a model.

        Other links are not possible in a static folder.
        """
        if href.startswith("#"):
            return {"anchor": href[1:]}
        if _WEB.match(href):
            return {"href": href}
        model = self.models.get(normpath(href.partition("#")[0]))
        return {"model": model} if model else {"title": href}

    def picture(self, src: str, alt: str) -> list[Node]:
        """Return a picture of the project; its alt text if it is on the web or cannot be read."""
        ending = src.rpartition(".")[2].lower()
        path = normpath(src)
        name = None if _WEB.match(src) or ending not in PICTURES else self.names.get(path) or self.add(path, ending)
        if name is None:
            return [["em", {}, alt]] if alt else []
        return [["img", {"src": name, "alt": alt}]]

    def add(self, path: str, ending: str) -> str | None:
        """Add a picture that is used for the first time. Returns its name in the site; None if a limit is reached."""
        content = self.read_picture(path) if len(self.pictures) < _MOST_PICTURES else None
        if content is None or sum(map(len, self.pictures.values())) + len(content) > _PICTURES_SIZE:
            return None
        name = self.names[path] = f"pictures/{len(self.pictures)}.{ending}"
        self.pictures[name] = content
        return name


class _Pictures(HTMLParser):
    """Collects the pictures in a piece of HTML."""

    def __init__(self) -> None:
        super().__init__()
        self.sources: list[tuple[str, str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        if tag == "img" and attributes.get("src"):
            self.sources.append((str(attributes["src"]), attributes.get("alt") or ""))


def slug(heading: str) -> str:
    """Return the anchor of a heading, as GitHub computes it."""
    return re.sub(r"\s", "-", re.sub(r"[^\w\s-]", "", heading.strip().lower()))


def _text(node: SyntaxTreeNode) -> str:
    return "".join(child.content or _text(child) for child in node.children)
