"""Windows: what plans write of them, and that nothing asks for them by name."""

from __future__ import annotations

import ast

import pytest

import lsqlc
from lsqlc import Topic
from lsqlc.plan.fingerprint import own_fingerprint
from lsqlc.plan.nodes import Aggregate, Node, inputs
from lsqlc.plan.windows import Hop, Session, Tumble, Window
from tests.rooms import modules

CLICKS = Topic("clicks", key="INT", value="id INT")
NAMES = {"TUMBLE", "HOP", "SESSION"}
# The window of a query, its class with the parts that it has, its form in plans, and the fingerprint of its node: all
# but the class are promises to those who keep plans.
WINDOWS = {
    "TUMBLE 1m GRACE BY 5s": (
        Tumble(60_000, 5_000),
        {"kind": "TUMBLE", "size": 60_000, "advance": 60_000, "grace": 5_000, "final": False},
        "2d1aa1daf1718ef9643de313e75733f73eb810598a29d233a4e4edb9be070534",
    ),
    "HOP 1m, 10s GRACE BY 5s": (
        Hop(60_000, 10_000, 5_000),
        {"kind": "HOP", "size": 60_000, "advance": 10_000, "grace": 5_000, "final": False},
        "d0b6860bde634bed0f7f5fdc0b6aaa4cd38eda5c57c86ab4b9f2c7a11a0e4e15",
    ),
    "SESSION 30s GRACE BY 5s": (
        Session(30_000, 5_000),
        {"kind": "SESSION", "size": 30_000, "advance": 0, "grace": 5_000, "final": False},
        "11962b4382a2364e89998c175840d8af333c9fb3b58b1f3b4e1d31d64eaa68b6",
    ),
}


@pytest.mark.parametrize("text", WINDOWS)
def test_a_plan_writes_windows_in_one_form(text: str) -> None:
    """Whatever their kind, as the first release did."""
    window, form, fingerprint = WINDOWS[text]
    plan = lsqlc.compile(
        f"INSERT INTO counts SELECT STREAM COUNT(*) AS n FROM clicks WINDOW BY {text} GROUP BY id", topics=[CLICKS]
    )
    (node,) = _groups(plan.sinks[0].inputs[0])
    assert node.window == window
    assert _window_of(plan.to_json()["sinks"][0]["inputs"][0]) == list(form.items())
    assert own_fingerprint(node) == fingerprint


def _groups(node: Node) -> list[Aggregate]:
    below = [found for part in inputs(node) for found in _groups(part)]
    return [node, *below] if isinstance(node, Aggregate) else below


def _window_of(data: dict[str, object]) -> object:
    while data["node"] != "Aggregate":
        (data,) = data["inputs"]  # type: ignore[misc]
    window = data["window"]
    assert isinstance(window, dict)
    return list(window.items())


def test_windows_of_different_kinds_differ() -> None:
    """Although a window that hops by its size has the same bounds as one that tumbles."""
    tumble: Window = Tumble(10, 0)
    assert tumble != Hop(10, 10, 0) and tumble != Session(10, 0)


def test_no_module_compares_the_name_of_a_window() -> None:
    """Their classes are matched; only words that a program writes are looked at as text."""
    for module in modules().values():
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Compare):
                texts = {n.value for n in ast.walk(node) if isinstance(n, ast.Constant) and isinstance(n.value, str)}
                assert not NAMES & texts, f"{module.name}:{node.lineno}"
