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
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from http.client import HTTPException
from typing import Any
from urllib.parse import quote

from lsqlc.diagnostics import Diagnostic, LsqlcError
from lsqlc.project.declared.registry_target import RegistryTarget
from lsqlc.registry.http import SlowAnswerError, opener
from lsqlc.registry.registry import Reference, RegisteredSchema

TIMEOUT = 10.0
# Seconds for an answer from its first byte on.
_WHOLE = 60.0
# Seconds before each further try, where the registry failed in itself or the connection broke.
_WAITS = (0.2, 1.0)
_MAX_ANSWER = 32 << 20
_ACCEPT = "application/vnd.schemaregistry.v1+json, application/json"
_UNKNOWN = (40401, 40402, 40403)
# Of the registry's requests in a time. It is a status of many servers in front of a registry.
_TOO_MANY = 429
# IDs have four bytes in a record, of which Java makes a signed number.
_MAX_ID = (1 << 31) - 1


class _Refused(Exception):
    """An answer of a status that is not 200. `code`: the registry's own number of the error, 0 without one."""

    def __init__(self, status: int, code: int, message: str) -> None:
        super().__init__(message)
        self.status, self.code, self.message = status, code, message


class RestRegistry:
    """A `Registry` at a URL. `timeout`: seconds to wait for bytes of an answer; `whole`: seconds for all of them;
    `pause`: waits for so many seconds.
    """

    def __init__(
        self,
        target: RegistryTarget,
        *,
        timeout: float = TIMEOUT,
        whole: float = _WHOLE,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self._url = target.url
        self._timeout, self._pause = timeout, pause
        self._headers = {"Accept": _ACCEPT, **_authorization(target)}
        context = _context(target.ca) if target.url.startswith("https:") else None
        self._opener = opener(context, whole=whole)

    def __repr__(self) -> str:
        return f"RestRegistry({self._url!r})"

    def subjects(self) -> tuple[str, ...]:
        return tuple(sorted(self._of(self._ask("/subjects"), list, str)))

    def versions(self, subject: str) -> tuple[RegisteredSchema, ...]:
        with _about(subject):
            numbers = self._of(self._ask(f"/subjects/{_part(subject)}/versions", subject=subject), list, int)
        return tuple(self.version(subject, number) for number in sorted(set(numbers)))

    def version(self, subject: str, version: int) -> RegisteredSchema:
        with _about(subject):
            schema = self._schema(self._ask(f"/subjects/{_part(subject)}/versions/{version}", subject=subject))
            if schema.version != version:
                raise self._foreign(f"it answers with version {schema.version} in place of {version}")
            return schema

    def found(self, subject: str, type: str, text: str) -> RegisteredSchema | None:
        with _about(subject):
            try:
                return self._schema(self._answer(f"/subjects/{_part(subject)}", _body(type, text)))
            except _Refused as refused:
                if refused.status == 404 and refused.code in _UNKNOWN:
                    return None
                raise self._failed(refused, subject) from None

    def register(self, subject: str, type: str, text: str) -> int:
        with _about(subject):
            answer = self._ask(f"/subjects/{_part(subject)}/versions", _body(type, text), subject=subject)
            return self._integer(answer, "id", 0)

    def conflicts(self, subject: str, type: str, text: str) -> Sequence[str]:
        with _about(subject):
            return self._conflicts(subject, type, text)

    def _conflicts(self, subject: str, type: str, text: str) -> Sequence[str]:
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
        with _about(subject):
            return self._level(f"/config/{_part(subject)}", "/config", "compatibilityLevel")

    def mode(self, subject: str) -> str:
        with _about(subject):
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
                if (refused.status < 500 and refused.status != _TOO_MANY) or wait is None:
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
        if refused.status >= 500 or refused.status == _TOO_MANY:
            help = "check the registry's log, and try again"
            if refused.status == _TOO_MANY:
                help = "try again later: it limits the number of requests"
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
        references = answer.get("references") or []
        if not isinstance(references, list):
            raise self._foreign("the 'references' of the answer are not a list")
        type = answer.get("schemaType") or "AVRO"
        if not isinstance(type, str) or not type.isalnum():
            raise self._foreign("the 'schemaType' of the answer is not a word")
        ids = self._integer(answer, "id", 0), self._integer(answer, "version", 1)
        return RegisteredSchema(*ids, type, answer["schema"], tuple(map(self._reference, references)))

    def _reference(self, answer: Any) -> Reference:
        name, subject = (answer.get("name"), answer.get("subject")) if isinstance(answer, dict) else (None, None)
        if not isinstance(name, str) or not isinstance(subject, str):
            raise self._foreign("a reference of the answer has no name or no subject")
        return Reference(name, subject, self._integer(answer, "version", 1))

    def _integer(self, answer: Any, key: str, least: int) -> int:
        """A number of four bytes, from `least` on."""
        value = answer.get(key) if isinstance(answer, dict) else None
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= _MAX_ID:
            raise self._foreign(f"the answer has no number '{key}' from {least} to {_MAX_ID}")
        return value

    def _of(self, answer: Any, kind: type[list[Any]], item: type) -> list[Any]:
        if not isinstance(answer, kind) or not all(one.__class__ is item for one in answer):
            raise self._foreign("the answer is not a list")
        return answer


@contextmanager
def _about(subject: str) -> Iterator[None]:
    """Errors name the subject that the registry was asked about."""
    try:
        yield
    except LsqlcError as error:
        note, named = f"it was asked about the subject '{subject}'", f"'{subject}'"
        raise LsqlcError(
            [d if named in d.message else replace(d, notes=(*d.notes, note)) for d in error.diagnostics]
        ) from None


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
    """Return whether another try gives the same: an untrusted certificate, or an answer that takes too long."""
    return isinstance(getattr(error, "reason", error), ssl.SSLError | SlowAnswerError)


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
