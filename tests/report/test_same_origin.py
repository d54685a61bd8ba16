"""Servers on the loopback answer this machine, and no page of another origin."""

from __future__ import annotations

from collections.abc import Mapping
from email.message import Message

from lsqlc.report.same_origin import refusal
from tests.each import each


def refused(headers: Mapping[str, str]) -> bool:
    message = Message()
    for name, value in headers.items():
        message[name] = value
    return refusal(message) is not None


OWN = {"Host": "127.0.0.1:8080"}


@each(
    ("headers", "expected"),
    [
        (OWN, False),
        ({"Host": "localhost"}, False),
        ({"Host": "[::1]:8080"}, False),
        ({"Host": "evil.example:8080"}, True),
        ({"Host": "localhost.evil.example"}, True),
        ({"Host": "[::1]evil.example:8080"}, True),
        ({"Host": "localhost:1:evil.example"}, True),
        ({}, True),
        ({**OWN, "Sec-Fetch-Site": "same-origin", "Sec-Fetch-Dest": "script"}, False),
        ({**OWN, "Sec-Fetch-Site": "none", "Sec-Fetch-Dest": "document"}, False),
        # A link on another page leads here; nothing of the answer reaches that page.
        ({**OWN, "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Dest": "document"}, False),
        ({**OWN, "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Dest": "script"}, True),
        # Another port of this machine is another origin, and the same site.
        ({**OWN, "Sec-Fetch-Site": "same-site", "Sec-Fetch-Dest": "empty"}, True),
        ({**OWN, "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Dest": "iframe"}, True),
    ],
)
def test_who_is_answered(headers: Mapping[str, str], expected: bool) -> None:
    assert refused(headers) == expected
