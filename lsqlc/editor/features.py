"""What the server offers beside findings and answers: colours of names, types of columns, new names, cases to run.

A case is run by the server, as the command `lsqlc.runCase`, so that every editor that shows a lens can run it; what
came out is told as a message.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcInvalidParams
from pygls.lsp.server import LanguageServer

from lsqlc.editor.cases import CaseLens, CaseReport, case_lenses, run_cases
from lsqlc.editor.inlays import inlays
from lsqlc.editor.look import Look
from lsqlc.editor.rename import renamable, renamed
from lsqlc.editor.tokens import LEGEND, tokens

# The document, the model, and the name of the case; without a name all cases of the model.
COMMAND = "lsqlc.runCase"
_Look = Callable[[str], Awaitable[Look | None]]


def features(server: LanguageServer, look: _Look) -> None:
    """Register them. `look`: a document in its project, with all that was typed."""
    _marks(server, look)
    _rename(server, look)
    _cases(server, look)


def _marks(server: LanguageServer, look: _Look) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, lsp.SemanticTokensLegend(list(LEGEND), []))
    async def on_tokens(params: lsp.SemanticTokensParams) -> lsp.SemanticTokens:
        seen = await look(params.text_document.uri)
        return lsp.SemanticTokens(_encoded(seen) if seen else [])

    @server.feature(lsp.TEXT_DOCUMENT_INLAY_HINT)
    async def on_inlays(params: lsp.InlayHintParams) -> list[lsp.InlayHint]:
        seen = await look(params.text_document.uri)
        if seen is None:
            return []
        path, converter = seen.path, seen.converter
        within = (converter.offset(path, params.range.start), converter.offset(path, params.range.end))
        return [
            lsp.InlayHint(converter.range(path, (at, at)).start, f": {type}", kind=lsp.InlayHintKind.Type)
            for at, type in inlays(seen.snapshot, path, within)
        ]


def _encoded(seen: Look) -> list[int]:
    """Return tokens as the protocol has them: five numbers each, places counted from the token before."""
    found: list[int] = []
    line = start = 0
    for extent, kind in tokens(seen.snapshot, seen.path):
        at = seen.converter.range(seen.path, extent)
        same = at.start.line == line
        length = at.end.character - at.start.character
        found += [at.start.line - line, at.start.character - (start if same else 0), length, LEGEND.index(kind), 0]
        line, start = at.start.line, at.start.character
    return found


def _rename(server: LanguageServer, look: _Look) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_PREPARE_RENAME)
    async def on_prepare(params: lsp.PrepareRenameParams) -> lsp.Range | None:
        seen = await look(params.text_document.uri)
        if seen is None:
            return None
        at = renamable(seen.snapshot, seen.path, seen.converter.offset(seen.path, params.position))
        return seen.converter.range(seen.path, at) if at else None

    @server.feature(lsp.TEXT_DOCUMENT_RENAME, lsp.RenameOptions(prepare_provider=True))
    async def on_rename(params: lsp.RenameParams) -> lsp.WorkspaceEdit | None:
        seen = await look(params.text_document.uri)
        if seen is None:
            return None
        found = renamed(seen.snapshot, seen.path, seen.converter.offset(seen.path, params.position), params.new_name)
        if isinstance(found, str):
            raise JsonRpcInvalidParams(found)
        return seen.converter.edits(found)


def _cases(server: LanguageServer, look: _Look) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_CODE_LENS)
    async def on_lens(params: lsp.CodeLensParams) -> list[lsp.CodeLens]:
        uri = params.text_document.uri
        seen = await look(uri)
        if seen is None:
            return []
        found = await asyncio.to_thread(case_lenses, seen.snapshot, seen.path)
        converter, path = seen.converter, seen.path

        def told(lens: CaseLens) -> lsp.CodeLens:
            command = lsp.Command(lens.title, COMMAND, arguments=[uri, lens.model, lens.name])
            return lsp.CodeLens(converter.range(path, lens.at), command)

        return [told(lens) for lens in found]

    @server.command(COMMAND)
    async def on_run(uri: str, model: str, name: str | None = None) -> dict[str, Any] | None:
        seen = await look(uri)
        if seen is None:
            return None
        report = await asyncio.to_thread(run_cases, seen.snapshot, model, name)
        kind = lsp.MessageType.Info if report.ok else lsp.MessageType.Error
        server.window_show_message(lsp.ShowMessageParams(kind, "\n".join(_shown(report))))
        if report.details:
            server.window_log_message(lsp.LogMessageParams(lsp.MessageType.Error, report.details))
        return {"ok": report.ok, "summary": report.summary, "details": report.details}


def _shown(report: CaseReport) -> Iterable[str]:
    yield report.summary
    yield from report.details.splitlines()[:12]
