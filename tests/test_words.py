"""The rooms of `tests.words.ROOMS` are written in standard technical English."""

from __future__ import annotations

import pytest

from tests.words import ROOMS, findings_in, findings_of


@pytest.mark.parametrize("room", ROOMS)
def test_words(room: str) -> None:
    assert [str(finding) for finding in findings_of(room)] == []


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("def names() -> list[str]:\n    found = []\n    return found\n", "found"),
        ("def parse(given: str) -> str:\n    return given\n", "given"),
        ("items = [made for made in range(3)]\n", "made"),
        ("def rehearsal() -> None: ...\n", "rehearsal"),
        ('"""Of a topic there is nothing."""\n', "Of a topic there"),
        ('"""A. Whatever a page says."""\n', "Whatever a page says."),
        ("# What is left is read.\n", "What is left is"),
        ('def size() -> int:\n    """The size."""\n    return 1\n', "The"),
        ('def size() -> int:\n    """How large it is."""\n    return 1\n', "How"),
        ('def size(n: int) -> int:\n    """`n`: a number."""\n    return n\n', "`"),
        ('"""A row counts no more."""\n', "counts no more"),
        ('message = f"the topic is said to be empty: {1}"\n', "is said"),
        (f'"""{"very " * 25}long."""\n', "very very very very very ..."),
    ],
)
def test_a_finding_names_the_word(text: str, word: str) -> None:
    assert [finding.word for finding in findings_in("lsqlc/new.py", text)] == [word]


@pytest.mark.parametrize(
    "text",
    [
        "def walk(named: bool) -> None: ...\n",
        'class Size:\n    @property\n    def size(self) -> int:\n        """The size in bytes."""\n        return 1\n',
        '"""Sizes of files."""\n',
        f'"""{"short " * 20}sentence. {"short " * 20}sentence."""\n',
        "result = call(found=1)\n",
    ],
)
def test_standard_words_have_no_finding(text: str) -> None:
    assert findings_in("lsqlc/new.py", text) == []


def test_a_module_has_a_name_of_the_glossary() -> None:
    assert [finding.word for finding in findings_in("lsqlc/new/halves.py", '"""Compile in parallel."""\n')] == [
        "halves"
    ]
    assert findings_in("lsqlc/cli/letters.py", '"""Show letters."""\n') == []


def test_rooms_are_folders_in_order() -> None:
    assert list(ROOMS) == sorted(set(ROOMS))
    assert all(findings_of(room) == [] for room in ROOMS[:1])
