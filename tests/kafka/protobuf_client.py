"""Records in PROTOBUF as another client has them: Confluent's serializer and deserializer, with classes of its own."""

from __future__ import annotations

from typing import Any


def framed() -> Any: ...


def unframed() -> Any: ...
