"""`lsqlc lsp`: the Language Server Protocol over a pair of streams, by pygls.

A shell without rules: it keeps the open documents, finds their projects, asks the other modules and converts their
answers. Findings follow the last key by a moment, once for all that was typed; a hover or a jump waits for the snapshot
of the text that it is about.

Documents are synchronised whole: pygls cuts a text into lines at characters that the protocol does not know as
ends, so that its changes in place can go to a wrong line.
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
from lsqlc.editor.convert import Converter, call
from lsqlc.editor.definition import definition
from lsqlc.editor.features import features
from lsqlc.editor.formatting import formatted
from lsqlc.editor.hover import hover
from lsqlc.editor.look import Look
from lsqlc.editor.references import references
from lsqlc.editor.snapshot import Snapshot, Surroundings
from lsqlc.editor.state import Opened, OpenProject, Projects
from lsqlc.editor.symbols import symbols
from lsqlc.editor.text import Encoding

# Seconds after the last key until findings are looked for.
DELAY = 0.15
# Of a file that are shown at a time: a hundred thousand would keep an editor busy for a minute.
_MOST_FINDINGS = 1000
_WATCHED = "**/*.{sql,yml,yaml,avsc,json,csv,jsonl}"
_FIX_ALL = lsp.CodeActionKind.SourceFixAll


class Server(LanguageServer):
    """The server with its open projects. `ended_well`: the client has asked for the shutdown."""

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
        """Return the project of a document and its path there; None for one that is in no project, or in no folder."""
        path = to_fs_path(uri)
        return self.projects.of(Path(path)) if path and Path(path).is_absolute() else None

    async def look(self, uri: str, *, compiled: bool = True) -> Look | None:
        """Return a document in its project, with all that was typed; None for one of no project.

        `compiled` False: the project may be as it was a moment ago, and the text is new.
        """
        found = self.project_of(uri)
        if found is None:
            return None
        project, path = found
        outside = self.surroundings
        snapshot = await project.fresh(outside) if compiled else await project.typed(outside)
        return Look(snapshot, path, self.converter(project, snapshot))

    def converter(self, project: OpenProject, snapshot: Snapshot) -> Converter:
        """Return positions in the texts of a snapshot."""
        return Converter(snapshot.texts, lambda path: self._uri(project, path), self.encoding)

    def _uri(self, project: OpenProject, path: str) -> str:
        document = project.opened.get(path)
        return document.uri if document else from_fs_path(str(project.root / path)) or ""

    # What changes

    def document_changed(self, uri: str, *, closed: bool = False) -> None:
        """Take the text of an open document, or let go of a closed one."""
        found = self.project_of(uri)
        if found is None:
            return
        project, path = found
        if closed:
            project.opened.pop(path, None)
        else:
            document = self.workspace.get_text_document(uri)
            project.opened[path] = Opened(uri, document.source, document.version)
        if project.snapshot is None or project.snapshot.reads(path):
            self.changed(project)

    def changed(self, project: OpenProject) -> None:
        """Look for findings when nothing has happened for a moment."""
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
            said = f"lsqlc: internal error: {type(error).__name__}: {error}"
            self.window_log_message(lsp.LogMessageParams(lsp.MessageType.Error, said))

    async def _tell(self, project: OpenProject) -> None:
        snapshot = await project.fresh(self.surroundings)
        if not project.stale and project.timer is None:
            self.tell(project, snapshot)

    def tell(self, project: OpenProject, snapshot: Snapshot) -> None:
        """Publish the findings of a snapshot, and take back those of files that have none any more. What a client has
        already been told of a file that is not open is not repeated.
        """
        converter, told = self.converter(project, snapshot), project.told
        own = {path for path in project.opened if snapshot.reads(path)}
        project.told = {path: (found, snapshot.texts.get(path)) for path, found in snapshot.findings.items()}
        for path in sorted({*project.told, *told, *own}):
            if path not in own and project.told.get(path) == told.get(path):
                continue
            document = project.opened.get(path)
            found = snapshot.findings.get(path, ())[:_MOST_FINDINGS]
            said = [converter.diagnostic(path, diagnostic) for diagnostic in found]
            version = document.version if document else None
            self.text_document_publish_diagnostics(
                lsp.PublishDiagnosticsParams(self._uri(project, path), said, version)
            )

    def forget(self, folder: Path) -> None:
        """Close the projects in a folder that have no open document."""
        for project in self.projects.below(folder):
            if not project.opened:
                del self.projects.by_root[project.root]
                for path in project.told:
                    uri = self._uri(project, path)
                    self.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, []))


def serve(surroundings: Surroundings, stdin: BinaryIO, stdout: BinaryIO) -> int:
    """Serve one client until it goes; the exit code that the protocol asks for."""
    server = Server(surroundings)
    _register(server)
    server.start_io(stdin, stdout)
    return 0 if server.ended_well else 1


def _register(server: Server) -> None:
    _documents(server)
    _folders(server)
    _questions(server)
    _edits(server)
    features(server, server.look)


def _documents(server: Server) -> None:
    """What happens to documents."""

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
        found = server.project_of(params.text_document.uri)
        if found is not None:
            # Hooks of the editor may have written others too.
            server.changed(found[0])


def _folders(server: Server) -> None:
    """What happens to folders and to files that are not open."""

    @server.feature(lsp.INITIALIZED)
    async def initialized(params: lsp.InitializedParams) -> None:
        for folder in server.workspace.folders.values():
            _open_folder(server, folder.uri)
        if not server.workspace.folders and server.workspace.root_uri:
            _open_folder(server, server.workspace.root_uri)
        known = server.client_capabilities.workspace
        watching = known.did_change_watched_files if known else None
        if watching is not None and watching.dynamic_registration:
            options = lsp.DidChangeWatchedFilesRegistrationOptions([lsp.FileSystemWatcher(_WATCHED)])
            wanted = lsp.Registration("files", lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES, options)
            await server.client_register_capability_async(lsp.RegistrationParams([wanted]))

    @server.feature(lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def watched(params: lsp.DidChangeWatchedFilesParams) -> None:
        files = [Path(path) for change in params.changes if (path := to_fs_path(change.uri))]
        for project in list(server.projects.by_root.values()):
            if any(project.root in file.parents for file in files):
                server.changed(project)

    @server.feature(lsp.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    def folders(params: lsp.DidChangeWorkspaceFoldersParams) -> None:
        for folder in params.event.added:
            _open_folder(server, folder.uri)
        for folder in params.event.removed:
            path = to_fs_path(folder.uri)
            if path:
                server.forget(Path(path))

    @server.feature(lsp.SHUTDOWN)
    def shutdown(params: None) -> None:
        server.ended_well = True


def _open_folder(server: Server, uri: str) -> None:
    path = to_fs_path(uri)
    if path and (Path(path) / "lsqlc.yml").is_file():
        server.changed(server.projects.at(Path(path)))


def _questions(server: Server) -> None:
    """What is asked about a place, or about a document."""

    @server.feature(lsp.TEXT_DOCUMENT_HOVER)
    async def on_hover(params: lsp.HoverParams) -> lsp.Hover | None:
        look = await server.look(params.text_document.uri)
        if look is None:
            return None
        answer = hover(look.snapshot, look.path, look.converter.offset(look.path, params.position))
        return look.converter.hover(look.path, answer) if answer else None

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
        look = await server.look(params.text_document.uri)
        if look is None:
            return []
        outline = symbols(look.snapshot, look.path)
        known = server.client_capabilities.text_document
        told = known.document_symbol if known else None
        if told is not None and told.hierarchical_document_symbol_support:
            return [look.converter.symbol(look.path, symbol) for symbol in outline]
        return [flat for symbol in outline for flat in look.converter.flat_symbols(look.path, symbol)]

    @server.feature(lsp.TEXT_DOCUMENT_COMPLETION, lsp.CompletionOptions(trigger_characters=[".", "'", '"', "(", "`"]))
    async def on_completion(params: lsp.CompletionParams) -> lsp.CompletionList | None:
        look = await server.look(params.text_document.uri, compiled=False)
        if look is None:
            return None
        answer = completion(look.snapshot, look.path, look.converter.offset(look.path, params.position))
        known = server.client_capabilities.text_document
        item = known.completion.completion_item if known and known.completion else None
        snippets = bool(item and item.snippet_support)
        return look.converter.completion(look.path, answer, snippets=snippets) if answer else None

    @server.feature(lsp.TEXT_DOCUMENT_SIGNATURE_HELP, lsp.SignatureHelpOptions(trigger_characters=["(", ","]))
    async def on_signature(params: lsp.SignatureHelpParams) -> lsp.SignatureHelp | None:
        look = await server.look(params.text_document.uri, compiled=False)
        if look is None:
            return None
        answer = call_at(look.snapshot, look.path, look.converter.offset(look.path, params.position))
        return call(answer) if answer else None


async def _places(
    server: Server,
    params: lsp.DefinitionParams | lsp.ReferenceParams,
    ask: Callable[[Snapshot, str, int], tuple[Location, ...]],
) -> list[lsp.Location]:
    look = await server.look(params.text_document.uri)
    if look is None:
        return []
    places = ask(look.snapshot, look.path, look.converter.offset(look.path, params.position))
    return [look.converter.location(place) for place in places]


def _edits(server: Server) -> None:
    """What changes a document."""

    @server.feature(
        lsp.TEXT_DOCUMENT_CODE_ACTION, lsp.CodeActionOptions(code_action_kinds=[lsp.CodeActionKind.QuickFix, _FIX_ALL])
    )
    async def on_actions(params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
        look = await server.look(params.text_document.uri)
        if look is None:
            return []
        snapshot, path, converter = look.snapshot, look.path, look.converter
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
        look = await server.look(params.text_document.uri)
        if look is None:
            return None
        text = await asyncio.to_thread(formatted, look.snapshot, look.path)
        whole = (0, len(look.snapshot.texts.get(look.path, "")))
        return None if text is None else [lsp.TextEdit(look.converter.range(look.path, whole), text)]


def _wants(only: list[str], kind: str) -> bool:
    """Return whether a client that asks for some kinds of actions, or for all, wants this one."""
    return not only or any(kind == each or kind.startswith(f"{each}.") for each in only)
