"""`lsqlc lsp`: the Language Server Protocol over a pair of streams, with pygls.

This module manages open documents and projects, calls the other modules, and converts their answers. Diagnostics are
published shortly after the last edit. A hover or a definition waits for a snapshot with the current text.

Documents are synchronised as whole texts. pygls splits lines at characters that the protocol does not define as line
ends, so that incremental changes could be applied to a wrong line.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, cast

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer
from pygls.uris import from_fs_path, to_fs_path

from lsqlc.editor.actions import fix_all, fixes
from lsqlc.editor.answers import Location
from lsqlc.editor.calls import call_at
from lsqlc.editor.completion import completion
from lsqlc.editor.convert import Converter, Document, call
from lsqlc.editor.definition import definition
from lsqlc.editor.features import features
from lsqlc.editor.formatting import format_model
from lsqlc.editor.hover import hover
from lsqlc.editor.references import references
from lsqlc.editor.snapshot import Snapshot, Surroundings
from lsqlc.editor.state import Opened, OpenProject, Projects
from lsqlc.editor.symbols import symbols
from lsqlc.editor.text import Encoding

# Seconds between the last edit and the update of diagnostics.
DELAY = 0.15
# Published diagnostics per file. Too many would block an editor: a hundred thousand take a minute.
_MOST_FINDINGS = 1000
_WATCHED = "**/*.{sql,yml,yaml,avsc,json,csv,jsonl}"
_FIX_ALL = lsp.CodeActionKind.SourceFixAll


class Server(LanguageServer):
    """The server with its open projects. `ended_well`: the client requested the shutdown."""

    def __init__(self, surroundings: Surroundings) -> None:
        super().__init__("lsqlc", surroundings.version, text_document_sync_kind=lsp.TextDocumentSyncKind.Full)
        self.surroundings = surroundings
        self.projects = Projects()
        self.ended_well = False
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def encoding(self) -> Encoding:
        return cast(Encoding, str(getattr(self.workspace.position_encoding, "value", self.workspace.position_encoding)))

    def project_of(self, uri: str) -> tuple[OpenProject, str] | None:
        """Return the project of a document and its path in the project; None outside of projects."""
        path = to_fs_path(uri)
        return self.projects.of(Path(path)) if path and Path(path).is_absolute() else None

    async def document(self, uri: str, *, compiled: bool = True) -> Document | None:
        """Return a document with its unsaved text; None outside of projects.

        `compiled` False: the last snapshot is enough, with the current text.
        """
        owner = self.project_of(uri)
        if owner is None:
            return None
        project, path = owner
        outside = self.surroundings
        snapshot = await project.fresh(outside) if compiled else await project.typed(outside)
        return Document(snapshot, path, self.converter(project, snapshot))

    def converter(self, project: OpenProject, snapshot: Snapshot) -> Converter:
        """Return a converter of positions in the texts of a snapshot."""
        return Converter(snapshot.texts, lambda path: self._uri(project, path), self.encoding)

    def _uri(self, project: OpenProject, path: str) -> str:
        document = project.opened.get(path)
        return document.uri if document else from_fs_path(str(project.root / path)) or ""

    # Changes of documents

    def document_changed(self, uri: str, *, closed: bool = False) -> None:
        """Update the text of an open document, or remove a closed one."""
        owner = self.project_of(uri)
        if owner is None:
            return
        project, path = owner
        if closed:
            project.opened.pop(path, None)
        else:
            document = self.workspace.get_text_document(uri)
            project.opened[path] = Opened(uri, document.source, document.version)
        if project.snapshot is None or project.snapshot.reads(path):
            self.changed(project)

    def changed(self, project: OpenProject) -> None:
        """Schedule an update of the diagnostics."""
        project.stale = True
        if project.timer is not None:
            project.timer.cancel()
        project.timer = asyncio.get_running_loop().call_later(DELAY, self._start, project)

    def _start(self, project: OpenProject) -> None:
        project.timer = None
        task = asyncio.create_task(self._tell(project))
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None:
            message = f"lsqlc: internal error: {type(error).__name__}: {error}"
            self.window_log_message(lsp.LogMessageParams(lsp.MessageType.Error, message))

    async def _tell(self, project: OpenProject) -> None:
        snapshot = await project.fresh(self.surroundings)
        if not project.stale and project.timer is None:
            self.tell(project, snapshot)

    def tell(self, project: OpenProject, snapshot: Snapshot) -> None:
        """Publish the diagnostics of a snapshot, and clear those of files that have none any more.

        Files that are not open are only published if they changed.
        """
        converter, before = self.converter(project, snapshot), project.published
        own = {path for path in project.opened if snapshot.reads(path)}
        project.published = {
            path: (diagnostics, snapshot.texts.get(path)) for path, diagnostics in snapshot.findings.items()
        }
        for path in sorted({*project.published, *before, *own}):
            if path not in own and project.published.get(path) == before.get(path):
                continue
            document = project.opened.get(path)
            diagnostics = snapshot.findings.get(path, ())[:_MOST_FINDINGS]
            published = [converter.diagnostic(path, diagnostic) for diagnostic in diagnostics]
            version = document.version if document else None
            self.text_document_publish_diagnostics(
                lsp.PublishDiagnosticsParams(self._uri(project, path), published, version)
            )

    def forget(self, folder: Path) -> None:
        """Close the projects in a folder that have no open document."""
        for project in self.projects.below(folder):
            if not project.opened:
                del self.projects.by_root[project.root]
                for path in project.published:
                    uri = self._uri(project, path)
                    self.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, []))


def serve(surroundings: Surroundings, stdin: BinaryIO, stdout: BinaryIO) -> int:
    """Serve one client until it disconnects. Returns the exit code that the protocol defines."""
    server = Server(surroundings)
    _register(server)
    server.start_io(stdin, stdout)
    return 0 if server.ended_well else 1


def _register(server: Server) -> None:
    _documents(server)
    _folders(server)
    _queries(server)
    _typing(server)
    _edits(server)
    features(server, server.document)


def _documents(server: Server) -> None:
    """Register the notifications about documents."""

    @server.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: lsp.DidOpenTextDocumentParams) -> None:
        server.document_changed(params.text_document.uri)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
    def changed(params: lsp.DidChangeTextDocumentParams) -> None:
        server.document_changed(params.text_document.uri)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: lsp.DidCloseTextDocumentParams) -> None:
        server.document_changed(params.text_document.uri, closed=True)

    @server.feature(lsp.TEXT_DOCUMENT_DID_SAVE)
    def saved(params: lsp.DidSaveTextDocumentParams) -> None:
        owner = server.project_of(params.text_document.uri)
        if owner is not None:
            # Hooks of the editor may have written other files too.
            server.changed(owner[0])


def _folders(server: Server) -> None:
    """Register the notifications about folders and files that are not open."""

    @server.feature(lsp.INITIALIZED)
    async def initialized(params: lsp.InitializedParams) -> None:
        for folder in server.workspace.folders.values():
            _open_folder(server, folder.uri)
        if not server.workspace.folders and server.workspace.root_uri:
            _open_folder(server, server.workspace.root_uri)
        await _watch_files(server)

    @server.feature(lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def watched(params: lsp.DidChangeWatchedFilesParams) -> None:
        files = [Path(path) for change in params.changes if (path := to_fs_path(change.uri))]
        for project in list(server.projects.by_root.values()):
            if any(project.root in file.parents for file in files):
                server.changed(project)

    @server.feature(lsp.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    def folders(params: lsp.DidChangeWorkspaceFoldersParams) -> None:
        _change_folders(server, params.event)

    @server.feature(lsp.SHUTDOWN)
    def shutdown(params: None) -> None:
        server.ended_well = True


def _change_folders(server: Server, event: lsp.WorkspaceFoldersChangeEvent) -> None:
    for folder in event.added:
        _open_folder(server, folder.uri)
    for folder in event.removed:
        path = to_fs_path(folder.uri)
        if path:
            server.forget(Path(path))


async def _watch_files(server: Server) -> None:
    """Ask the client to report changes of files on disk, if it can."""
    workspace = server.client_capabilities.workspace
    watching = workspace.did_change_watched_files if workspace else None
    if watching is not None and watching.dynamic_registration:
        options = lsp.DidChangeWatchedFilesRegistrationOptions([lsp.FileSystemWatcher(_WATCHED)])
        registration = lsp.Registration("files", lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES, options)
        await server.client_register_capability_async(lsp.RegistrationParams([registration]))


def _open_folder(server: Server, uri: str) -> None:
    path = to_fs_path(uri)
    if path and (Path(path) / "lsqlc.yml").is_file():
        server.changed(server.projects.at(Path(path)))


def _queries(server: Server) -> None:
    """Register the requests about a position or a document, which need a compiled project."""

    @server.feature(lsp.TEXT_DOCUMENT_HOVER)
    async def on_hover(params: lsp.HoverParams) -> lsp.Hover | None:
        document = await server.document(params.text_document.uri)
        if document is None:
            return None
        answer = hover(document.snapshot, document.path, document.offset(params.position))
        return document.converter.hover(document.path, answer) if answer else None

    @server.feature(lsp.TEXT_DOCUMENT_DEFINITION)
    async def on_definition(params: lsp.DefinitionParams) -> list[lsp.Location]:
        return await _places(server, params, definition)

    @server.feature(lsp.TEXT_DOCUMENT_REFERENCES)
    async def on_references(params: lsp.ReferenceParams) -> list[lsp.Location]:
        return await _places(server, params, references)

    @server.feature(lsp.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    async def on_symbols(
        params: lsp.DocumentSymbolParams,
    ) -> list[lsp.DocumentSymbol] | list[lsp.SymbolInformation]:
        document = await server.document(params.text_document.uri)
        if document is None:
            return []
        outline = symbols(document.snapshot, document.path)
        capabilities = server.client_capabilities.text_document
        symbol_support = capabilities.document_symbol if capabilities else None
        if symbol_support is not None and symbol_support.hierarchical_document_symbol_support:
            return [document.converter.symbol(document.path, symbol) for symbol in outline]
        return [flat for symbol in outline for flat in document.converter.flat_symbols(document.path, symbol)]


def _typing(server: Server) -> None:
    """Register the requests on each keystroke, for which the last snapshot is enough."""

    @server.feature(lsp.TEXT_DOCUMENT_COMPLETION, lsp.CompletionOptions(trigger_characters=[".", "'", '"', "(", "`"]))
    async def on_completion(params: lsp.CompletionParams) -> lsp.CompletionList | None:
        document = await server.document(params.text_document.uri, compiled=False)
        if document is None:
            return None
        answer = completion(document.snapshot, document.path, document.offset(params.position))
        capabilities = server.client_capabilities.text_document
        item = capabilities.completion.completion_item if capabilities and capabilities.completion else None
        snippets = bool(item and item.snippet_support)
        return document.converter.completion(document.path, answer, snippets=snippets) if answer else None

    @server.feature(lsp.TEXT_DOCUMENT_SIGNATURE_HELP, lsp.SignatureHelpOptions(trigger_characters=["(", ","]))
    async def on_signature(params: lsp.SignatureHelpParams) -> lsp.SignatureHelp | None:
        document = await server.document(params.text_document.uri, compiled=False)
        if document is None:
            return None
        answer = call_at(document.snapshot, document.path, document.offset(params.position))
        return call(answer) if answer else None


async def _places(
    server: Server,
    params: lsp.DefinitionParams | lsp.ReferenceParams,
    ask: Callable[[Snapshot, str, int], tuple[Location, ...]],
) -> list[lsp.Location]:
    document = await server.document(params.text_document.uri)
    if document is None:
        return []
    places = ask(document.snapshot, document.path, document.offset(params.position))
    return [document.converter.location(place) for place in places]


def _edits(server: Server) -> None:
    """Register the requests that edit a document."""

    @server.feature(
        lsp.TEXT_DOCUMENT_CODE_ACTION, lsp.CodeActionOptions(code_action_kinds=[lsp.CodeActionKind.QuickFix, _FIX_ALL])
    )
    async def on_actions(params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
        document = await server.document(params.text_document.uri)
        if document is None:
            return []
        snapshot, path, converter = document.snapshot, document.path, document.converter
        at = (converter.offset(path, params.range.start), converter.offset(path, params.range.end))
        only = [str(getattr(kind, "value", kind)) for kind in params.context.only or ()]
        answer: list[lsp.CodeAction] = []
        if _wants(only, lsp.CodeActionKind.QuickFix.value):
            answer += [converter.quick_fix(path, finding, action) for finding, action in fixes(snapshot, path, at)]
        everything = fix_all(snapshot, path) if _wants(only, _FIX_ALL.value) else None
        if everything is not None:
            answer.append(lsp.CodeAction(everything.title, _FIX_ALL, edit=converter.edits(everything.edits)))
        return answer

    @server.feature(lsp.TEXT_DOCUMENT_FORMATTING)
    async def on_formatting(params: lsp.DocumentFormattingParams) -> list[lsp.TextEdit] | None:
        document = await server.document(params.text_document.uri)
        if document is None:
            return None
        text = await asyncio.to_thread(format_model, document.snapshot, document.path)
        whole = (0, len(document.snapshot.texts.get(document.path, "")))
        return None if text is None else [lsp.TextEdit(document.converter.range(document.path, whole), text)]


def _wants(only: list[str], kind: str) -> bool:
    """Return whether the client's list of kinds of actions contains this one; an empty list means all."""
    return not only or any(kind == each or kind.startswith(f"{each}.") for each in only)
