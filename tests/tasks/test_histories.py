"""Whether Kafka still has what comes behind a history."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from lsqlc.tasks.histories import removed_partitions

Bounds = Mapping[int, tuple[int, int]]


@pytest.mark.parametrize(
    ("places", "bounds", "expected"),
    [
        ({0: 5, 1: 0}, {0: (0, 9), 1: (0, 0)}, ()),
        ({0: 0}, {0: (0, 9)}, ()),
        ({0: 5}, {0: (4, 9)}, ()),
        ({0: 4}, {0: (4, 9)}, (0,)),
        ({0: 5, 1: 7}, {0: (4, 9), 1: (7, 9)}, (1,)),
        # An empty partition says nothing of itself.
        ({0: 5, 1: 7}, {0: (4, 9), 1: (7, 7)}, ()),
        ({0: 4, 1: 7}, {0: (4, 9), 1: (7, 7)}, (0, 1)),
        ({0: 7}, {0: (7, 7)}, (0,)),
    ],
    ids=["nothing was removed", "all is behind", "older ones are left", "no older one is left", "in one partition",
         "an empty one beside another", "an empty one, and none is sure", "an empty topic"],
)  # fmt: skip
def test_partitions_with_a_gap(places: Mapping[int, int], bounds: Bounds, expected: tuple[int, ...]) -> None:
    """A record of before the place that is still there shows that retention has not come to it."""
    assert tuple(removed_partitions(places, bounds)) == expected
