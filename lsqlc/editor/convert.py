"""Conversion of answers to types of the protocol: offsets to positions, diagnostics to diagnostics."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

from lsprotocol import types as lsp

from lsqlc.diagnostics import Diagnostic, Severity
from lsqlc.diagnostics.source import Extent
from lsqlc.editor.answers import Action, Call, Completion, Edit, Hover, Item, Location, Symbol
from lsqlc.editor.snapshot import Snapshot
from lsqlc.editor.text import Encoding, Lines

# Returns the URI of a file, from its path in the project or an absolute path.
Uri = Callable[[str], str]

_SEVERITIES = {
    Severity.ERROR: lsp.DiagnosticSeverity.Error,
    Severity.WARNING: lsp.DiagnosticSeverity.Warning,
    Severity.NOTE: lsp.DiagnosticSeverity.Information,
}
_ITEMS: Mapping[str, lsp.CompletionItemKind] = {
    "topic": lsp.CompletionItemKind.Class,
    "query": lsp.CompletionItemKind.Struct,
    "column": lsp.CompletionItemKind.Field,
    "function": lsp.CompletionItemKind.Function,
    "keyword": lsp.CompletionItemKind.Keyword,
    "setting": lsp.CompletionItemKind.Property,
    "type": lsp.CompletionItemKind.TypeParameter,
    "value": lsp.CompletionItemKind.Value,
    "key": lsp.CompletionItemKind.Property,
    "model": lsp.CompletionItemKind.File,
}
_SYMBOLS: Mapping[str, lsp.SymbolKind] = {
    "query": lsp.SymbolKind.Struct,
    "target": lsp.SymbolKind.Class,
    "source": lsp.SymbolKind.Interface,
    "column": lsp.SymbolKind.Field,
}
# A position in a note: `models/a.yml:3:4`.
_PLACE = re.compile(r"([^\s'()]+):(\d+):(\d+)")


class Converter:
    """Converts offsets in texts to positions. `encoding`: the unit of characters that client and server agreed on."""

    def __init__(self, texts: Mapping[str, str], uri: Uri, encoding: Encoding) -> None:
        self._texts, self._uri, self._encoding = texts, uri, encoding
        self._lines: dict[str, Lines] = {}

    def lines(self, path: str) -> Lines:
        """Return the lines of a file; those of an empty text if it is not available."""
        lines = self._lines.get(path)
        if lines is None:
            lines = self._lines[path] = Lines(self._texts.get(path, ""))
        return lines

    def offset(self, path: str, position: lsp.Position) -> int:
        return self.lines(path).at(position.line, position.character, self._encoding)

    def range(self, path: str, at: Extent) -> lsp.Range:
        lines = self.lines(path)
        return lsp.Range(
            lsp.Position(*lines.position(at[0], self._encoding)), lsp.Position(*lines.position(at[1], self._encoding))
        )

    def location(self, place: Location) -> lsp.Location:
        return lsp.Location(self._uri(place.path), self.range(place.path, place.at))

    def hover(self, path: str, hover: Hover) -> lsp.Hover:
        return lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, hover.text), self.range(path, hover.at))

    def symbol(self, path: str, symbol: Symbol) -> lsp.DocumentSymbol:
        return lsp.DocumentSymbol(
            symbol.name,
            _SYMBOLS[symbol.kind],
            self.range(path, symbol.whole),
            self.range(path, symbol.at),
            detail=symbol.detail,
            children=[self.symbol(path, child) for child in symbol.children],
        )

    def flat_symbols(self, path: str, symbol: Symbol, around: str | None = None) -> Iterable[lsp.SymbolInformation]:
        """Yield a symbol and its children, for clients without support of trees."""
        place = lsp.Location(self._uri(path), self.range(path, symbol.at))
        yield lsp.SymbolInformation(place, symbol.name, _SYMBOLS[symbol.kind], container_name=around)
        for child in symbol.children:
            yield from self.flat_symbols(path, child, symbol.name)

    def completion(self, path: str, answer: Completion, *, snippets: bool) -> lsp.CompletionList:
        at = self.range(path, answer.at)
        return lsp.CompletionList(False, [_item(item, at, snippets=snippets) for item in answer.items])

    def edits(self, edits: Iterable[Edit]) -> lsp.WorkspaceEdit:
        changes: dict[str, list[lsp.TextEdit]] = {}
        for edit in edits:
            changes.setdefault(self._uri(edit.path), []).append(lsp.TextEdit(self.range(edit.path, edit.at), edit.text))
        return lsp.WorkspaceEdit(changes)

    def quick_fix(self, path: str, diagnostic: Diagnostic, action: Action) -> lsp.CodeAction:
        return lsp.CodeAction(
            action.title,
            lsp.CodeActionKind.QuickFix,
            [self.diagnostic(path, diagnostic)],
            is_preferred=action.preferred,
            edit=self.edits(action.edits),
        )

    def diagnostic(self, path: str, diagnostic: Diagnostic) -> lsp.Diagnostic:
        """Convert a diagnostic of a file.

        Notes and help are part of the message, because few clients display them separately.
        """
        span = diagnostic.span
        at = self.lines(path).extent(span) if span is not None and span.path == path else (0, 0)
        text = self.lines(path).text
        if at[0] == at[1] and at[0] < len(text) and text[at[0]] not in "\r\n":
            at = (at[0], at[0] + 1)
        message = [diagnostic.message, *(f"note: {note}" for note in diagnostic.notes)]
        if diagnostic.help:
            message.append(f"help: {diagnostic.help}")
        page = _page(diagnostic.code)
        return lsp.Diagnostic(
            self.range(path, at),
            "\n".join(message),
            _SEVERITIES[diagnostic.severity],
            diagnostic.code,
            lsp.CodeDescription(page) if page else None,
            "lsqlc",
            related_information=[*self._related(diagnostic)] or None,
        )

    def _related(self, diagnostic: Diagnostic) -> Iterable[lsp.DiagnosticRelatedInformation]:
        """Yield the positions in the notes as related information."""
        for note in diagnostic.notes:
            for place in _PLACE.finditer(note):
                path = place[1]
                if path in self._texts:
                    start = self.lines(path).offset(int(place[2]), int(place[3]))
                    yield lsp.DiagnosticRelatedInformation(self.location(Location(path, (start, start))), note)


def call(answer: Call) -> lsp.SignatureHelp:
    """Convert a signature."""
    parameters = [lsp.ParameterInformation(name) for name in answer.parameters]
    text = lsp.MarkupContent(lsp.MarkupKind.Markdown, answer.text)
    return lsp.SignatureHelp([lsp.SignatureInformation(answer.form, text, parameters)], 0, answer.active)


def _item(item: Item, at: lsp.Range, *, snippets: bool) -> lsp.CompletionItem:
    insert = item.insert if item.insert is not None else item.label
    if item.snippet and not snippets:
        insert = f"{item.label}("
    snippet = item.snippet and snippets
    return lsp.CompletionItem(
        item.label,
        kind=_ITEMS[item.kind],
        detail=item.detail or None,
        documentation=lsp.MarkupContent(lsp.MarkupKind.Markdown, item.text) if item.text else None,
        sort_text=f"{item.rank}{item.label.lower()}",
        filter_text=item.label,
        insert_text_format=lsp.InsertTextFormat.Snippet if snippet else lsp.InsertTextFormat.PlainText,
        text_edit=lsp.TextEdit(at, insert),
    )


@cache
def _page(code: str) -> str | None:
    """Return the URI of the page of a code on this machine; None if the package is not a folder."""
    page = files("lsqlc.diagnostics").joinpath("pages", f"{code}.md")
    return page.as_uri() if isinstance(page, Path) and page.is_file() else None


@dataclass(frozen=True, slots=True)
class Document:
    """An open document: the snapshot of its project, its path, and the converter of its positions."""

    snapshot: Snapshot
    path: str
    converter: Converter

    def offset(self, position: lsp.Position) -> int:
        return self.converter.offset(self.path, position)
