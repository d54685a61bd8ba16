"""What the documentation site has besides the pages in docs/: the README and its neighbours, a page for each code,
and the reference of the Python API.

mkdocs calls these functions (mkdocs.yml). No page is written into docs/: each is made when the site is built.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

import lsqlc
from lsqlc.diagnostics import Severity
from lsqlc.diagnostics.catalogue import code_info, codes, page

ROOT = Path(__file__).parents[1]
_AT_THE_TOP = {"README.md": "overview.md"} | {
    name: name for name in ("CHANGELOG.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "SECURITY.md")
}
_CODE_PAGES = "lsqlc/diagnostics/pages"
_HUNDREDS = {
    "0": "Projects and files",
    "1": "Syntax",
    "2": "Names and types",
    "3": "Rules of the languages",
    "4": "Topics and records",
    "5": "Golden cases",
    "6": "Spark and running",
    "7": "Kafka",
    "8": "Findings that stop nothing",
}
_FENCE = re.compile(r"^(\s*```+)(\w+)([^\n]*)$", re.MULTILINE)
# Fenced blocks, code in a line, links and headings have their codes as they stand.
_KEPT = re.compile(
    r"^(?P<fence> *```+).*?^(?P=fence) *$|`[^`\n]*`|\[[^\]]*\]\([^)]*\)|^#[^\n]*$", re.MULTILINE | re.DOTALL
)
_LINK = re.compile(
    r"^(?P<fence> *```+).*?^(?P=fence) *$|\[(?P<text>[^\]]*)\]\((?P<target>[^)#\s]*)(?P<anchor>#[^)\s]*)?\)",
    re.MULTILINE | re.DOTALL,
)
# A second-level heading, or an entry of a list that begins with a link.
_ENTRY = re.compile(r"^(?:## (.+)|- \[[^\]]+\]\(([\w-]+\.md)\).*)$", re.MULTILINE)
_SOURCE = re.compile(r'(src|srcset)="([^"]*)"')
_CODE = re.compile(r"\bLSQ\d{3}\b")


# The folders of docs/ in the order of the navigation; the index page of each has its pages in order.
_KINDS = {
    "Tutorials": "tutorials",
    "How-to guides": "how-to",
    "Reference": "reference",
    "Explanation": "explanation",
    "Internals": "internals",
}
# Pages that are made for the site, by the folder under which they are shown.
_MORE = {
    "reference": ["api.md", {"Codes": "codes/index.md"}, "CHANGELOG.md"],
    "internals": ["ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md"],
}


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Make the navigation of the index pages, by their headings."""
    sections = [{title: navigation(folder)} for title, folder in _KINDS.items()]
    config.nav = [{"Home": "README.md"}, {"Overview": "overview.md"}, *sections]
    return config


def navigation(folder: str) -> list[object]:
    """Return the entries of a folder of docs/ as mkdocs takes them: its index, and its pages below the headings."""
    found: list[object] = [f"{folder}/README.md"]
    group = found
    for heading, target in _ENTRY.findall((ROOT / "docs" / folder / "README.md").read_text("utf-8")):
        if heading:
            group = []
            found.append({heading: group})
        else:
            group.append(f"{folder}/{target}")
    return [*found, *_MORE.get(folder, [])]


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are not in docs/."""
    for name, content in _pages():
        files.append(File.generated(config, name, content=content))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Links lead to pages of the site, and fences say their language and nothing else."""
    uri = page.file.src_uri
    folder = posixpath.dirname(uri)
    markdown = _LINK.sub(lambda link: _site_link(link, source_of(uri), folder), markdown)
    markdown = _SOURCE.sub(lambda source: f'{source[1]}="{_site_path(source[2], source_of(uri), folder)}"', markdown)
    codes_folder = posixpath.relpath("codes", folder or ".")
    markdown = _outside_code(
        markdown, lambda text: _CODE.sub(_link("" if folder == "codes" else f"{codes_folder}/"), text)
    )
    return _FENCE.sub(_fence, markdown)


def source_of(uri: str) -> str:
    """Return the path in the repository of a page of the site."""
    if uri.startswith("codes/"):
        return f"{_CODE_PAGES}/{posixpath.basename(uri)}"
    top = {site: name for name, site in _AT_THE_TOP.items()}
    return top.get(uri, f"docs/{uri}")


def site_of(path: str) -> str | None:
    """Return the page or picture of the site for a path in the repository, None if the site does not have it."""
    if path in _AT_THE_TOP:
        return _AT_THE_TOP[path]
    if path.startswith(f"{_CODE_PAGES}/"):
        return f"codes/{posixpath.basename(path)}"
    return path.removeprefix("docs/") if path.startswith("docs/") else None


def _site_path(target: str, source: str, folder: str) -> str | None:
    """`target`: relative to `source`, a path in the repository; the result is relative to `folder` of the site."""
    site = site_of(posixpath.normpath(posixpath.join(posixpath.dirname(source), target)))
    return site and posixpath.relpath(site, folder or ".")


def _site_link(link: re.Match[str], source: str, folder: str) -> str:
    """Files and folders that have no page become code; fenced blocks are kept."""
    text, target, anchor = link["text"], link["target"], link["anchor"] or ""
    if not target or re.match(r"\w+:", target):
        return link[0]
    path = _site_path(target, source, folder)
    return f"[{text}]({path}{anchor})" if path else f"`{text.strip('`')}`"


def _pages() -> Iterator[tuple[str, str]]:
    for name, place in _AT_THE_TOP.items():
        yield place, (ROOT / name).read_text("utf-8")
    yield "api.md", _api()
    yield "codes/index.md", _index()
    for code, title in codes().items():
        body = (page(code) or "").split("\n", 1)[1]
        yield f"codes/{code}.md", f"---\nsearch:\n  boost: 0.5\n---\n# {code}: {title}\n{body}"


def _api() -> str:
    names = [name for name in lsqlc.__all__ if not name.startswith("_")]
    listed = "\n\n".join(f"::: lsqlc.{name}" for name in sorted(names, key=str.lower))
    return (
        "# Python API\n\n`import lsqlc` has these names. Everything else in the package is private, and may change in"
        f" any release.\n\n{listed}\n"
    )


def _index() -> str:
    parts = [
        "# Codes\n\nEvery finding has a code, and every code a page, which `lsqlc explain LSQ314` prints too.\n",
    ]
    for hundred, title in _HUNDREDS.items():
        rows = "\n".join(_row(code) for code in codes() if code[3] == hundred)
        parts.append(f"## {title}\n\n| code | title | severity | exit code |\n| --- | --- | --- | --- |\n{rows}\n")
    return "\n".join(parts)


def _row(code: str) -> str:
    info = code_info(code)
    assert info is not None
    severity = " or ".join(severity.value for severity in info.severities)
    exit = info.exit if Severity.ERROR in info.severities else ""
    return f"| [{code}]({code}.md) | {info.title} | {severity} | {exit} |"


def _outside_code(markdown: str, change: Callable[[str], str]) -> str:
    out, end = [], 0
    for kept in _KEPT.finditer(markdown):
        out += [change(markdown[end : kept.start()]), kept[0]]
        end = kept.end()
    return "".join([*out, change(markdown[end:])])


def _fence(found: re.Match[str]) -> str:
    """The words behind the language are for the tests, which compile the block; these say what a reader looks at."""
    title = {"topics": "Topics", "records": "Records", "result": "Result"}.get(found[3].strip())
    language = "sql" if found[2] == "ksql" else found[2]
    return f'{found[1]}{language} title="{title}"' if title else f"{found[1]}{language}"


def _link(folder: str) -> Callable[[re.Match[str]], str]:
    known = codes()
    return lambda found: f"[{found[0]}]({folder}{found[0]}.md)" if found[0] in known else found[0]
