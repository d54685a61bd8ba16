"""Operators that the dialects share."""

from __future__ import annotations

from collections.abc import Mapping

from lsqlc.syntax import tree

LOGIC: Mapping[str, tree.LogicWord] = {"AND": "AND", "OR": "OR"}
