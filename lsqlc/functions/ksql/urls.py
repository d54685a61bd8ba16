"""Functions of ksqlDB over URLs and their `application/x-www-form-urlencoded` parameters."""

from __future__ import annotations

import re
from collections.abc import Sequence
from urllib.parse import quote_plus, unquote_plus, urlsplit

from lsqlc.functions.results import always
from lsqlc.functions.signature import Function, Nulls, Parameter, PythonForm
from lsqlc.types.data import INT, STRING, DataType

_URL = Parameter("url", "string")


def encoded(text: str) -> str:
    return quote_plus(text, safe="*").replace("~", "%7E")


def decoded(text: str) -> str | None:
    """Return the text of a parameter; None if a percent sign is not followed by two hexadecimal digits."""
    return None if _NOT_ESCAPED.search(text) else unquote_plus(text)


def raw_part(url: str, name: str) -> str | None:
    """Return a part of a URL without decoding, by Spark's name of the part; None if it is absent, or the text is no
    Java URI.
    """
    match = _URI.fullmatch(url)
    if match is None or _NOT_ESCAPED.search(url):
        return None
    try:
        split = urlsplit(url)
    except ValueError:
        return None
    opaque = bool(split.scheme) and not split.netloc and not split.path.startswith("/")
    query = split.query if "?" in url.partition("#")[0] and not opaque else None
    server = _SERVER.fullmatch(split.netloc)
    match name:
        case "PATH" | "FILE" if opaque:
            return None
        case "PATH":
            return split.path
        case "FILE":
            return split.path if query is None else f"{split.path}?{query}"
        case "REF":
            return split.fragment if "#" in url else None
        case "AUTHORITY":
            return split.netloc or None
        case "USERINFO":
            return split.netloc.rpartition("@")[0] if server and "@" in split.netloc else None
        case "QUERY":
            return query
        case _:
            return part(url, name)


def raw_parameter(url: str, name: str) -> str | None:
    """Return the value of the first parameter of that name in a URL, without decoding."""
    pairs = (pair.partition("=") for pair in (raw_part(url, "QUERY") or "").split("&"))
    return next((value for own, equals, value in pairs if equals and own == name), None)


def part(url: str, name: str) -> str | None:
    """Return a part of a URL by its name; None if it is absent, or the text is not a Java URI."""
    match = _URI.fullmatch(url)
    if match is None or _NOT_ESCAPED.search(url):
        return None
    try:
        split = urlsplit(url)
    except ValueError:
        return None
    server = _SERVER.fullmatch(split.netloc)
    match name:
        case "FRAGMENT":
            return decoded(split.fragment.replace("+", "%2B")) if "#" in url else None
        case "HOST":
            return server["host"] if server else None
        case "PATH":
            return decoded(split.path.replace("+", "%2B"))
        case "PORT":
            port = split.netloc.rpartition(":")[2] if ":" in split.netloc else ""
            return port if re.fullmatch("[0-9]{1,10}", port) and int(port) < 2**31 else None
        case "PROTOCOL":
            return url[: len(split.scheme)] or None
        case _:
            return split.query if "?" in url.partition("#")[0] else None


def parameter(url: str, name: str) -> str | None:
    """Return the value of a parameter; None for a parameter without a value."""
    for pair in (part(url, "QUERY") or "").split("&"):
        own, equals, value = pair.partition("=")
        if equals and decoded(own) == name:
            return decoded(value)
    return None


_NOT_ESCAPED = re.compile("%(?![0-9A-Fa-f]{2})")
_CHARACTER = r"[A-Za-z0-9\-_.!~*'();/:@&=+$,%]|[^\x00-\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]"
# The texts that Java reads as a URI: no white space, no control characters, none of `"<>\\^`{|}`, and brackets in few
# places.
_URI = re.compile(
    rf"(?:[A-Za-z][A-Za-z0-9+.\-]*:(?=.))?(?://(?:{_CHARACTER}|[\[\]])*?(?=[/?#]|\Z))?(?:{_CHARACTER})*"
    rf"(?:\?(?:{_CHARACTER}|[?\[\]])*)?(?:#(?:{_CHARACTER}|[?\[\]])*)?"
)
_SERVER = re.compile(
    r"(?:[^@]*@)?(?P<host>\[[0-9A-Fa-f:.]+\]|(?:[A-Za-z0-9](?:[A-Za-z0-9\-]*[A-Za-z0-9])?\.)*[A-Za-z0-9](?:[A-Za-z0-9\-]*"
    r"[A-Za-z0-9])?\.?)(?::[0-9]*)?"
)
_ENCODE = PythonForm("lsqlc_ksql_url_encode", encoded, ("VARCHAR",), "VARCHAR")
_DECODE = PythonForm("lsqlc_ksql_url_decode", decoded, ("VARCHAR",), "VARCHAR")
_PART = PythonForm("lsqlc_ksql_url_part", part, ("VARCHAR", "VARCHAR"), "VARCHAR")
_PARAMETER = PythonForm("lsqlc_ksql_url_parameter", parameter, ("VARCHAR", "VARCHAR"), "VARCHAR")
_PAIRS = "split(try_parse_url({0}, 'QUERY'), '&')"
_NAMED = f"filter({_PAIRS}, p -> contains(p, '=') and try_url_decode(split(p, '=')[0]) = {{1}})"


def _extracting(name: str, spark: str, doc: str, type: DataType = STRING) -> Function:
    def duckdb(texts: Sequence[str], types: Sequence[DataType]) -> str:
        part_text = _PART.call([texts[0], f"'{name}'"])
        return part_text if type == STRING else f"try_cast({part_text} as integer)"

    return Function(
        f"URL_EXTRACT_{name}", (_URL,), always(type), duckdb, spark, f"{doc}; null for no URL", nulls=Nulls.MAY,
        uses=(_PART,),
    )  # fmt: skip


_PORT = "regexp_extract(try_parse_url({0}, 'AUTHORITY'), ':([0-9]+)$', 1)"
URL_FUNCTIONS: tuple[Function, ...] = (
    Function("URL_ENCODE_PARAM", (Parameter("text", "string"),), always(STRING), _ENCODE, "url_encode({0})",
             "the text as the parameter of a URL"),
    Function("URL_DECODE_PARAM", (Parameter("text", "string"),), always(STRING), _DECODE, "try_url_decode({0})",
             "the text that a parameter of a URL says", nulls=Nulls.MAY),
    _extracting("PROTOCOL", "try_parse_url({0}, 'PROTOCOL')", "the protocol, null if there is none"),
    _extracting("HOST", "try_parse_url({0}, 'HOST')", "the host"),
    _extracting("PORT", f"try_cast(nullif({_PORT}, '') as int)", "the port, null if there is none", INT),
    _extracting("PATH", "try_url_decode(replace(try_parse_url({0}, 'PATH'), '+', '%2B'))", "the path, empty for none"),
    _extracting("QUERY", "try_parse_url({0}, 'QUERY')", "the part after the question mark"),
    _extracting("FRAGMENT", "try_url_decode(replace(try_parse_url({0}, 'REF'), '+', '%2B'))",
                "the part after the hash"),
    Function("URL_EXTRACT_PARAMETER", (_URL, Parameter("name", "string")), always(STRING), _PARAMETER,
             f"try_url_decode(get(split(get({_NAMED}, 0), '=', 2), 1))",
             "the value of a parameter; null if there is none", nulls=Nulls.MAY),
)  # fmt: skip
