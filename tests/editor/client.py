"""A client of the language server: a real process, JSON-RPC over its stdin and stdout, every message kept."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

# No test waits for this long unless it is going to fail.
PATIENCE = 120


class Client:
    """Speaks to one server, which is killed at the end if it has not ended."""

    def __init__(self, root: Path | None = None, *words: str, **capabilities: Any) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "lsqlc", "lsp", *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=root,
        )
        self._id = 0
        self._answers: dict[int, Any] = {}
        self.notes: list[Any] = []
        self._arrived = threading.Condition()
        self.errors = b""
        self._readers = [threading.Thread(target=each, daemon=True) for each in (self._read, self._read_errors)]
        for reader in self._readers:
            reader.start()
        folders = [{"uri": root.as_uri(), "name": root.name}] if root else None
        general = capabilities.pop("general", {})
        told = {"general": general, "textDocument": {}, "workspace": {"workspaceFolders": True}, **capabilities}
        params = {"processId": None, "rootUri": root.as_uri() if root else None, "capabilities": told}
        self.server = self.ask("initialize", {**params, "workspaceFolders": folders})
        self.tell("initialized", {})

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        for reader in self._readers:
            reader.join(PATIENCE)
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert stream is not None
            try:
                stream.close()
            except BrokenPipeError:
                # What was still to be written has no reader any more.
                continue

    # Messages

    def send(self, data: bytes) -> None:
        """Bytes as they are, with the header of a message."""
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(data), data))
        self.process.stdin.flush()

    def tell(self, method: str, params: Any) -> None:
        self.send(json.dumps({"jsonrpc": "2.0", "method": method, "params": params}).encode())

    def begin(self, method: str, params: Any) -> int:
        """Send a request; its number."""
        self._id += 1
        self.send(json.dumps({"jsonrpc": "2.0", "id": self._id, "method": method, "params": params}).encode())
        return self._id

    def ask(self, method: str, params: Any) -> Any:
        """The result of a request; fails on an error."""
        answer = self.answer(self.begin(method, params))
        assert "error" not in answer, answer
        return answer["result"]

    def answer(self, number: int) -> Any:
        """The whole answer to a request."""
        self.wait(lambda: number in self._answers)
        return self._answers[number]

    def wait(self, until: Callable[[], Any]) -> Any:
        """Wait for what messages bring."""
        deadline = time.monotonic() + PATIENCE
        with self._arrived:
            while not (found := until()):
                left = deadline - time.monotonic()
                assert left > 0 and (self.process.poll() is None or self._arrived.wait(1)), self.errors.decode()
                self._arrived.wait(min(left, 1))
        return found

    def _read(self) -> None:
        stream = self.process.stdout
        assert stream is not None
        while line := stream.readline():
            length = int(line.split(b":")[1])
            while stream.readline().strip():
                pass
            message = json.loads(stream.read(length))
            with self._arrived:
                if "method" in message:
                    self.notes.append(message)
                    if "id" in message:
                        self.send(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": None}).encode())
                else:
                    self._answers[message["id"]] = message
                self._arrived.notify_all()
        with self._arrived:
            self._arrived.notify_all()

    def _read_errors(self) -> None:
        assert self.process.stderr is not None
        self.errors = self.process.stderr.read()

    # Documents

    def open(self, file: Path, text: str | None = None, version: int = 1) -> str:
        """Open a document with a text, that of the file unless another one is given; its URI."""
        text = file.read_text("utf-8") if text is None else text
        document = {"uri": file.as_uri(), "languageId": "sql", "version": version, "text": text}
        self.tell("textDocument/didOpen", {"textDocument": document})
        return file.as_uri()

    def type(self, uri: str, text: str, version: int) -> None:
        """Make another text of an open document."""
        document = {"uri": uri, "version": version}
        self.tell("textDocument/didChange", {"textDocument": document, "contentChanges": [{"text": text}]})

    def close(self, uri: str) -> None:
        self.tell("textDocument/didClose", {"textDocument": {"uri": uri}})

    def findings(self, uri: str, version: int | None = None) -> list[Any]:
        """The last findings of a document, of that version where one is given."""

        def told() -> Any:
            found = [
                note["params"]
                for note in self.notes
                if note["method"] == "textDocument/publishDiagnostics" and note["params"]["uri"] == uri
            ]
            return found and (version is None or found[-1].get("version") == version) and found[-1]

        found: list[Any] = self.wait(told)["diagnostics"]
        return found

    def at(self, method: str, uri: str, line: int, character: int, **more: Any) -> Any:
        """Ask about a place."""
        position = {"line": line, "character": character}
        return self.ask(f"textDocument/{method}", {"textDocument": {"uri": uri}, "position": position, **more})

    def end(self) -> int:
        """Shut down in order; the exit code."""
        self.ask("shutdown", None)
        self.tell("exit", None)
        return self.process.wait(PATIENCE)
