"""A schema registry over HTTP, with the standard library.

Neither redirects nor proxies are followed, so that a name, a password or a token go nowhere but to the registry that
the profile names. What the registry answers is data to be checked; no message repeats a secret.
"""

from __future__ import annotations

import base64
import json
import ssl
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from http.client import HTTPException
from typing import Any
from urllib.parse import quote

from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.project.declared.registry_target import RegistryTarget
from lsqlc.registry.registry import Reference, RegisteredSchema

TIMEOUT = 10.0
# Seconds before each further try, where the registry failed in itself or the connection broke.
_WAITS = (0.2, 1.0)
_MAX_ANSWER = 32 << 20
_ACCEPT = "application/vnd.schemaregistry.v1+json, application/json"
_UNKNOWN = (40401, 40402, 40403)


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect is an answer that is none of a registry."""

    def redirect_request(self, *_: Any) -> None:
        return None


class _Refused(Exception):
    """An answer of a status that is not 200. `code`: the registry's own number of the error, 0 without one."""

    def __init__(self, status: int, code: int, message: str) -> None:
        super().__init__(message)
        self.status, self.code, self.message = status, code, message


class RestRegistry:
    """A `Registry` at a URL. `timeout`: seconds to wait for an answer; `pause`: waits for so many seconds."""

    def __init__(
        self, target: RegistryTarget, *, timeout: float = TIMEOUT, pause: Callable[[float], None] = time.sleep
    ) -> None:
        self._url = target.url
        self._timeout, self._pause = timeout, pause
        self._headers = {"Accept": _ACCEPT, **_authorization(target)}
        handlers: list[urllib.request.BaseHandler] = [_NoRedirect(), urllib.request.ProxyHandler({})]
        if target.url.startswith("https:"):
            handlers.append(urllib.request.HTTPSHandler(context=_context(target.ca)))
        self._opener = urllib.request.build_opener(*handlers)

    def __repr__(self) -> str:
        return f"RestRegistry({self._url!r})"

    def subjects(self) -> tuple[str, ...]:
        return tuple(sorted(self._of(self._ask("/subjects"), list, str)))

    def versions(self, subject: str) -> tuple[RegisteredSchema, ...]:
        numbers = self._of(self._ask(f"/subjects/{_part(subject)}/versions", subject=subject), list, int)
        return tuple(self.version(subject, number) for number in sorted(numbers))

    def version(self, subject: str, version: int) -> RegisteredSchema:
        return self._schema(self._ask(f"/subjects/{_part(subject)}/versions/{version}", subject=subject))

    def found(self, subject: str, type: str, text: str) -> RegisteredSchema | None:
        try:
            return self._schema(self._answer(f"/subjects/{_part(subject)}", _body(type, text)))
        except _Refused as refused:
            if refused.status == 404 and refused.code in _UNKNOWN:
                return None
            raise self._failed(refused, subject) from None

    def register(self, subject: str, type: str, text: str) -> int:
        answer = self._ask(f"/subjects/{_part(subject)}/versions", _body(type, text), subject=subject)
        return self._integer(answer, "id")

    def conflicts(self, subject: str, type: str, text: str) -> Sequence[str]:
        path = f"/compatibility/subjects/{_part(subject)}/versions/latest?verbose=true"
        try:
            answer = self._answer(path, _body(type, text))
        except _Refused as refused:
            if refused.status == 404 and refused.code in _UNKNOWN:
                # There is no version that it could be incompatible with.
                return ()
            raise self._failed(refused, subject) from None
        if not isinstance(answer, dict) or not isinstance(answer.get("is_compatible"), bool):
            raise self._foreign("the answer has no 'is_compatible'")
        if answer["is_compatible"]:
            return ()
        messages = answer.get("messages")
        said = [str(m) for m in messages] if isinstance(messages, list) else []
        return said or ["the registry does not give a reason"]

    def compatibility(self, subject: str) -> str:
        return self._level(f"/config/{_part(subject)}", "/config", "compatibilityLevel")

    def mode(self, subject: str) -> str:
        return self._level(f"/mode/{_part(subject)}", "/mode", "mode")

    def _level(self, own: str, whole: str, key: str) -> str:
        """A setting of a subject, else that of the registry."""
        try:
            answer = self._answer(f"{own}?defaultToGlobal=true", None)
        except _Refused as refused:
            if refused.status != 404:
                raise self._failed(refused, "") from None
            answer = self._ask(whole)
        value = answer.get(key) if isinstance(answer, dict) else None
        if not isinstance(value, str):
            raise self._foreign(f"the answer has no '{key}'")
        return value

    def _ask(self, path: str, body: Mapping[str, Any] | None = None, *, subject: str = "") -> Any:
        try:
            return self._answer(path, body)
        except _Refused as refused:
            raise self._failed(refused, subject) from None

    def _answer(self, path: str, body: Mapping[str, Any] | None) -> Any:
        """The JSON that the registry answers with. Raises _Refused, and LsqlcError LSQ711 or LSQ713."""
        for wait in (*_WAITS, None):
            try:
                content = self._send(path, body)
            except _Refused as refused:
                if refused.status < 500 or wait is None:
                    raise
            except (OSError, HTTPException) as error:
                if wait is None or _is_final(error):
                    raise self._unreachable(error) from None
            else:
                try:
                    return json.loads(content)
                except (ValueError, RecursionError):
                    raise self._foreign("the answer is not JSON") from None
            if wait is not None:
                self._pause(wait)
        raise AssertionError("the last try raises or returns")

    def _send(self, path: str, body: Mapping[str, Any] | None) -> bytes:
        data = None if body is None else json.dumps(body).encode()
        kind = {} if data is None else {"Content-Type": "application/vnd.schemaregistry.v1+json"}
        request = urllib.request.Request(self._url + path, data, {**self._headers, **kind})
        try:
            with self._opener.open(request, timeout=self._timeout) as answer:
                content: bytes = answer.read(_MAX_ANSWER + 1)
        except urllib.error.HTTPError as error:
            with error:
                raise _refused(error.code, error.read(1 << 16)) from None
        if len(content) > _MAX_ANSWER:
            raise self._foreign(f"the answer has more than {_MAX_ANSWER >> 20} MiB")
        return content

    def _failed(self, refused: _Refused, subject: str) -> LsqlcError:
        where = f"the schema registry at {self._url}"
        if refused.status in (401, 403):
            help = "check `username` and `password`, or `token`, of the target's `registry:` in profiles.yml"
            message = f"{where} denies access ({refused.status})"
            return LsqlcError([Diagnostic("LSQ712", message, notes=_said(refused), help=help)])
        if refused.code in _UNKNOWN and subject:
            help = "list the subjects with `lsqlc schemas list`; a topic names another one with `subject:`"
            message = f"{where} has no subject '{subject}', or not this version of it"
            return LsqlcError([Diagnostic("LSQ714", message, notes=_said(refused), help=help)])
        if refused.status in (409, 422):
            message = f"{where} rejects the schema of '{subject}'" if subject else f"{where} rejects the request"
            help = "`lsqlc schemas check` shows what is not compatible, and with which mode"
            return LsqlcError([Diagnostic("LSQ722", message, notes=_said(refused), help=help)])
        if refused.status >= 500:
            help = "check the registry's log, and try again"
            message = f"{where} fails with status {refused.status}"
            return LsqlcError([Diagnostic("LSQ711", message, notes=_said(refused), help=help)])
        return self._foreign(f"it answers with status {refused.status}", _said(refused))

    def _unreachable(self, error: Exception) -> LsqlcError:
        reason = getattr(error, "reason", error)
        said = getattr(reason, "strerror", None) or str(reason) or type(reason).__name__
        message = f"the schema registry at {self._url} cannot be reached"
        help = "check `url` of the target's `registry:` in profiles.yml, and that the registry is running"
        if isinstance(reason, ssl.SSLError):
            help = "set the certificate of its authority as `ca` of the target's `registry:` in profiles.yml"
        return LsqlcError([Diagnostic("LSQ711", message, notes=(said,), help=help)])

    def _foreign(self, why: str, notes: tuple[str, ...] = ()) -> LsqlcError:
        message = f"the server at {self._url} is not a schema registry"
        help = "set `url` to the address of the registry, with its path if it has one"
        return LsqlcError([Diagnostic("LSQ713", message, notes=(why, *notes), help=help)])

    def _schema(self, answer: Any) -> RegisteredSchema:
        if not isinstance(answer, dict) or not isinstance(answer.get("schema"), str):
            raise self._foreign("the answer has no 'schema'")
        references = tuple(
            Reference(str(r.get("name")), str(r.get("subject")), self._integer(r, "version"))
            for r in answer.get("references") or ()
            if isinstance(r, dict)
        )
        type = str(answer.get("schemaType") or "AVRO")
        ids = self._integer(answer, "id"), self._integer(answer, "version")
        return RegisteredSchema(*ids, type, answer["schema"], references)

    def _integer(self, answer: Any, key: str) -> int:
        value = answer.get(key) if isinstance(answer, dict) else None
        if not isinstance(value, int) or isinstance(value, bool):
            raise self._foreign(f"the answer has no number '{key}'")
        return value

    def _of(self, answer: Any, kind: type[list[Any]], item: type) -> list[Any]:
        if not isinstance(answer, kind) or not all(isinstance(one, item) for one in answer):
            raise self._foreign("the answer is not a list")
        return answer


def _refused(status: int, content: bytes) -> _Refused:
    try:
        answer = json.loads(content)
    except (ValueError, RecursionError):
        answer = None
    if not isinstance(answer, dict):
        return _Refused(status, 0, "")
    code, message = answer.get("error_code"), answer.get("message")
    return _Refused(status, code if isinstance(code, int) else 0, message if isinstance(message, str) else "")


def _said(refused: _Refused) -> tuple[str, ...]:
    return (f"the registry says: {' '.join(refused.message.split())[:500]}",) if refused.message else ()


def _is_final(error: Exception) -> bool:
    """Whether another try gives the same: a certificate that is not trusted, a name that nobody has."""
    return isinstance(getattr(error, "reason", error), ssl.SSLError)


def _body(type: str, text: str) -> Mapping[str, Any]:
    # Older registries know no other type, and not the key.
    return {"schema": text} if type == "AVRO" else {"schema": text, "schemaType": type}


def _part(name: str) -> str:
    return quote(name, safe="")


def _authorization(target: RegistryTarget) -> dict[str, str]:
    if target.token is not None:
        return {"Authorization": f"Bearer {target.token}"}
    if target.username is None:
        return {}
    pair = f"{target.username}:{target.password}".encode()
    return {"Authorization": f"Basic {base64.b64encode(pair).decode()}"}


def _context(ca: str | None) -> ssl.SSLContext:
    try:
        return ssl.create_default_context(cafile=ca)
    except OSError as error:
        message = "the file of certificates of the schema registry cannot be read"
        help = "check `ca` of the target's `registry:` in profiles.yml: the path of a file in PEM"
        raise LsqlcError(
            [Diagnostic("LSQ723", message, notes=(f"{error.strerror or error}: {ca}",), help=help)]
        ) from None
