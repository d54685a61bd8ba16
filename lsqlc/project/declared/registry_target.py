"""The schema registry of a target: the mapping `registry` in `profiles.yml`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Annotated, Any
from urllib.parse import urlsplit

import msgspec

from lsqlc.yaml.decode import Decoder
from lsqlc.yaml.described import described
from lsqlc.yaml.nodes import KeyPath, path_text


@dataclass(frozen=True, slots=True)
class RegistryTarget:
    """The address of a schema registry, and the credentials for it: a user's name and password, a token, or none.

    `ca`: a file of certificates that the registry's certificate is checked with; None: those of the system. Possible
    secrets are not part of the text form.
    """

    url: str
    username: str | None = field(default=None, repr=False)
    password: str | None = field(default=None, repr=False)
    token: str | None = field(default=None, repr=False)
    ca: str | None = None


class RegistryFile(msgspec.Struct, frozen=True, kw_only=True):
    """The keys of the mapping."""

    url: Annotated[str, described("`https://host:8081`, without a user's name.")]
    username: Annotated[str | None, described("The user's name; {{ env_var('NAME') }} may stand in it.")] = None
    password: Annotated[str | None, described("The password, as {{ env_var('NAME') }}.")] = None
    token: Annotated[
        str | None, described("A bearer token, as {{ env_var('NAME') }}, instead of a name and a password.")
    ] = None
    ca: Annotated[str | None, described("A file of certificates that the registry's own is checked with.")] = None


def registry_target(decoder: Decoder, key_path: KeyPath, settings: Any) -> RegistryTarget | None:
    """Return the registry that a mapping describes; None if there is none, or after an error.

    `decoder`: its messages must not repeat values, because the mapping holds secrets.
    """
    if settings is None:
        return None
    before = len(decoder.diagnostics)
    file = decoder.struct(key_path, RegistryFile, settings)
    if file is None:
        return None
    for key, message, help in (*_url_errors(file), *_credential_errors(file)):
        where = (*key_path, key)
        decoder.report("LSQ723", f"{message} @ {path_text(where)}", decoder.document.span(where), help=help)
    if len(decoder.diagnostics) > before:
        return None
    return RegistryTarget(file.url.rstrip("/"), file.username, file.password, file.token, file.ca)


def _url_errors(file: RegistryFile) -> Iterator[tuple[str, str, str]]:
    """Yield key, message and help of each error of the address."""
    try:
        url = urlsplit(file.url)
        good = url.scheme in ("http", "https") and bool(url.hostname) and (url.port or 1) > 0
    except ValueError:
        good = False
    if not good:
        yield "url", "'url' is not an HTTP address", "write `url: https://registry:8081`"
    elif url.username is not None or url.query or url.fragment:
        help = "write them as `username:` and `password:`, each from the environment: `{{ env_var('NAME') }}`"
        yield "url", "'url' contains more than a host and a path", help


def _credential_errors(file: RegistryFile) -> Iterator[tuple[str, str, str]]:
    """Yield key, message and help of each error of the user's name, password and token."""
    if file.token is not None and (file.username is not None or file.password is not None):
        yield "token", "'token' cannot be used with 'username' and 'password'", "keep what the registry requires"
    elif (file.username is None) != (file.password is None):
        given_key = "password" if file.username is None else "username"
        yield given_key, "'username' and 'password' must be given together", "write both, or neither"
    for key in ("username", "password", "token"):
        value = getattr(file, key)
        if value is not None and not _can_be_sent(key, value):
            yield key, f"'{key}' has a character that HTTP cannot send", "check the variable that it comes from"


def _can_be_sent(key: str, value: str) -> bool:
    """Return whether a header can have the value. A name and a password are sent in base64."""
    return value.isprintable() and (key != "username" or ":" not in value) and (key != "token" or value.isascii())
