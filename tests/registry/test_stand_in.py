"""The stand-in answers as a real registry did: `compare.py` ran one exchange against it, and wrote its answers down."""

from __future__ import annotations

import json
from pathlib import Path

from tests.registry.compare import of_stand_in

RECORDED = Path(__file__).with_name("exchange.json")


def test_the_stand_in_answers_as_a_registry_did() -> None:
    recorded = json.loads(RECORDED.read_text("utf-8"))
    assert of_stand_in() == recorded
