"""Further features of the server: semantic tokens, inlay hints, rename, and code lenses that run cases.

The server runs a case as the command `lsqlc.runCase`, so that it works in every editor with code lenses. The result is
a message.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcInvalidParams
from pygls.lsp.server import LanguageServer

from lsqlc.editor.cases import CaseLens, CaseReport, case_lenses, run_cases
from lsqlc.editor.convert import Document
from lsqlc.editor.inlays import inlays
from lsqlc.editor.rename import renamable, rename_edits
from lsqlc.editor.tokens import LEGEND, tokens

# Arguments: URI of the document, model, name of the case. Without a name all cases of the model run.
COMMAND = "lsqlc.runCase"
_DocumentOf = Callable[[str], Awaitable[Document | None]]


def features(server: LanguageServer, document_of: _DocumentOf) -> None:
    """Register the features. `document_of`: returns an open document with its unsaved text."""
    _marks(server, document_of)
    _rename(server, document_of)
    _cases(server, document_of)


def _marks(server: LanguageServer, document_of: _DocumentOf) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, lsp.SemanticTokensLegend(list(LEGEND), []))
    async def on_tokens(params: lsp.SemanticTokensParams) -> lsp.SemanticTokens:
        document = await document_of(params.text_document.uri)
        return lsp.SemanticTokens(_encoded(document) if document else [])

    @server.feature(lsp.TEXT_DOCUMENT_INLAY_HINT)
    async def on_inlays(params: lsp.InlayHintParams) -> list[lsp.InlayHint]:
        document = await document_of(params.text_document.uri)
        if document is None:
            return []
        path, converter = document.path, document.converter
        within = (converter.offset(path, params.range.start), converter.offset(path, params.range.end))
        return [
            lsp.InlayHint(converter.range(path, (at, at)).start, f": {type}", kind=lsp.InlayHintKind.Type)
            for at, type in inlays(document.snapshot, path, within)
        ]


def _encoded(document: Document) -> list[int]:
    """Encode tokens for the protocol: five numbers each, with positions relative to the token before."""
    numbers: list[int] = []
    line = start = 0
    for extent, kind in tokens(document.snapshot, document.path):
        at = document.converter.range(document.path, extent)
        same = at.start.line == line
        length = at.end.character - at.start.character
        numbers += [at.start.line - line, at.start.character - (start if same else 0), length, LEGEND.index(kind), 0]
        line, start = at.start.line, at.start.character
    return numbers


def _rename(server: LanguageServer, document_of: _DocumentOf) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_PREPARE_RENAME)
    async def on_prepare(params: lsp.PrepareRenameParams) -> lsp.Range | None:
        document = await document_of(params.text_document.uri)
        if document is None:
            return None
        at = renamable(document.snapshot, document.path, document.offset(params.position))
        return document.converter.range(document.path, at) if at else None

    @server.feature(lsp.TEXT_DOCUMENT_RENAME, lsp.RenameOptions(prepare_provider=True))
    async def on_rename(params: lsp.RenameParams) -> lsp.WorkspaceEdit | None:
        document = await document_of(params.text_document.uri)
        if document is None:
            return None
        edits = rename_edits(document.snapshot, document.path, document.offset(params.position), params.new_name)
        if isinstance(edits, str):
            raise JsonRpcInvalidParams(edits)
        return document.converter.edits(edits)


def _cases(server: LanguageServer, document_of: _DocumentOf) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_CODE_LENS)
    async def on_lens(params: lsp.CodeLensParams) -> list[lsp.CodeLens]:
        uri = params.text_document.uri
        document = await document_of(uri)
        if document is None:
            return []
        lenses = await asyncio.to_thread(case_lenses, document.snapshot, document.path)
        converter, path = document.converter, document.path

        def told(lens: CaseLens) -> lsp.CodeLens:
            command = lsp.Command(lens.title, COMMAND, arguments=[uri, lens.model, lens.name])
            return lsp.CodeLens(converter.range(path, lens.at), command)

        return [told(lens) for lens in lenses]

    @server.command(COMMAND)
    async def on_run(uri: str, model: str, name: str | None = None) -> dict[str, Any] | None:
        document = await document_of(uri)
        if document is None:
            return None
        report = await asyncio.to_thread(run_cases, document.snapshot, model, name)
        kind = lsp.MessageType.Info if report.ok else lsp.MessageType.Error
        server.window_show_message(lsp.ShowMessageParams(kind, "\n".join(_shown(report))))
        if report.details:
            server.window_log_message(lsp.LogMessageParams(lsp.MessageType.Error, report.details))
        return {"ok": report.ok, "summary": report.summary, "details": report.details}


def _shown(report: CaseReport) -> Iterable[str]:
    yield report.summary
    yield from report.details.splitlines()[:12]
