"""Sources with names: what a query may read more or less and go on, and how the names are made."""

from __future__ import annotations

from dataclasses import replace

import pytest

import lsqlc
from lsqlc.lower.spark import lower
from lsqlc.lower.spark.checkpoint_parts import Parts, stage_parts
from lsqlc.lower.spark.evolution import judged, queries, standing, verdict
from lsqlc.lower.spark.source_names import nameable, source_names, with_names

TOPICS = [lsqlc.Topic(name, key="INT", value="n INT, m INT") for name in ("a", "b", "c")]
A, B, C = (f"INSERT INTO out SELECT STREAM n FROM {name};" for name in "abc")
GOES_ON = "continues, but old rows keep their old value"
REPLAY = "needs a new state and a replay"


def parts(*inserts: str) -> Parts:
    plan = lsqlc.compile("".join(inserts), topics=TOPICS, name="out")
    return replace(stage_parts(lower(plan).stages[-1]), folders=False)


@pytest.mark.parametrize(
    ("old", "new", "texts"),
    [
        ((A, B), (A, B, C), ["it reads 'c' too, from its beginning"]),
        ((A,), (C, A), ["it reads 'c' too, from its beginning"]),
        ((A, B, C), (C, A), ["it no longer reads 'b', whose records stay"]),
        ((A, B), (B, A), ["it reads its topics in another order"]),
        ((A, B), (A, C.replace("n FROM", "m AS n FROM")), ["it reads 'c' too, from its beginning",
                                                            "it no longer reads 'b', whose records stay"]),
    ],
)  # fmt: skip
def test_a_query_goes_on_with_other_sources(old: tuple[str, ...], new: tuple[str, ...], texts: list[str]) -> None:
    """The findings say which; what only belongs to an input that came or went is not told again."""
    found = judged(parts(*old), parts(*new))
    assert standing(found) == GOES_ON
    assert [each.text for each in found if each.rule == "sources by name"] == texts
    if set(old) <= set(new) or set(new) <= set(old):
        assert len(found) == len(texts)


def test_what_else_changed_is_told_too() -> None:
    """An input that stays and computes something else."""
    found = judged(parts(A, B), parts(C, A.replace("n FROM", "n + 1 AS n FROM")))
    assert standing(found) == GOES_ON and {each.rule for each in found} == {"sources by name", "output"}


def test_what_asks_for_a_rebuild() -> None:
    """A state, a TABLE, a topic read twice, one that was read before, folders, and checkpoints without names."""
    old, new = parts(A, B), parts(A, B, C)
    for before, after, why in (
        (replace(old, named=False), new, "its checkpoint was made without names of sources"),
        (replace(old, retired=("c",)), new, "it has read 'c' before, whose records are in the topic"),
        (old, replace(new, folders=True), "in folders, records of 'c' would come behind later ones"),
        (parts(A, A, B), parts(A, A, C), "one of them is read several times"),
        (parts(A), parts(B), ""),
        (parts(A.replace("STREAM", "TABLE")), parts(B.replace("STREAM", "TABLE")), ""),
        (
            parts("INSERT INTO out SELECT STREAM COUNT(*) AS n FROM a GROUP BY n;"),
            parts("INSERT INTO out SELECT STREAM COUNT(*) AS n FROM b GROUP BY n;"),
            "",
        ),
    ):
        found = judged(before, after)
        assert standing(found) == REPLAY
        [text] = [each.text for each in found if each.rule == "sources"]
        assert text.endswith(f": {why}" if why else "'"), text
    # Less, and another order, go on over folders as well.
    assert standing(judged(new, replace(old, folders=True))) == GOES_ON


def test_a_comparison_of_programs_does_not_know_where_they_run() -> None:
    """So it says for which transport its verdict holds."""
    plans = [lsqlc.compile("".join(some), topics=TOPICS, name="out") for some in ((A, B), (A, B, C))]
    found = verdict(*map(queries, plans))
    assert found.rules == ("sources by name",)
    assert found.reasons == ("out: it reads 'c' too, from its beginning, where topics are in Kafka",)


def test_names_are_those_that_spark_takes_and_differ() -> None:
    """Letters, digits and `_`, of a length that a folder's name may have; texts that differ have names that do."""
    texts = ["a", "a_", "a-", "a_x2d", "a.b", "a, b", "A", "ü", "x" * 300, "x" * 301, "a_2", "_lsqlc.m.1"]
    names = source_names(texts)
    assert len(set(names)) == len(texts)
    assert all(name.isascii() and name.replace("_", "").isalnum() and len(name) <= 150 for name in names)
    assert source_names(["a", "a", "a_2"]) == ("a", "a_2", "a__2")


def test_which_queries_have_names() -> None:
    """Servers before 4.2 know none; a stage has a name for each of its sources."""
    (stage,) = lower(lsqlc.compile(A + B, topics=TOPICS, name="out")).stages
    assert nameable(stage, (4, 2)) and not nameable(stage, (4, 1))
    assert [source.name for source in with_names(stage).sources] == ["a", "b"]
