"""D7: which change a decision is about: attempt and diff id, or the whole id; A3 carries it over to the same change."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from foureyes.core.nouns.attempt import EarlierAttempt, Relation
from foureyes.core.rules.facts import Facts
from foureyes.core.rules.gate import has_moved, name_of_seen, read_seen, was_not_seen
from foureyes.core.words.ids import DiffId
from foureyes.ui.steps import steps_text

from tests.core.samples import ADA, DIFF, STRANGER, attempt, made, planned, quick

DIGITS = DIFF.removeprefix("sha256:")
FIRST = f"1.{DIGITS[:8]}"


def refused(seen: str, facts: Facts | None = None) -> bool:
    return was_not_seen(facts or made(), ADA, seen) is not None


def again(*relations: Relation, first: str = DIFF) -> Facts:
    """A task whose attempts after the first are this to the one before them; the latest is `DIFF`."""
    ids = [first, *[DIFF] * len(relations)]
    rows = [
        EarlierAttempt(n, diff, relation)
        for n, (diff, relation) in enumerate(zip(ids, (None, *relations), strict=True), 1)
    ]
    latest = replace(attempt(len(rows)), relation=rows[-1].relation)
    return replace(made(attempt_=latest), earlier=tuple(rows[:-1]))


ELSE = "sha256:" + "fedcba9876543210" * 4
TWIN = DIFF[:15] + "f" * 56


def attempts(*diffs: str, relation: Relation = "rework") -> Facts:
    """Work whose latest attempt is the last of these."""
    *before, last = diffs
    latest = replace(attempt(len(diffs)), diff_id=DiffId(last), relation=relation)
    earlier = tuple(EarlierAttempt(n, diff, "rework") for n, diff in enumerate(before, 1))
    return replace(made(attempt_=latest), earlier=earlier)


NO_NAME = "names no change"


@pytest.mark.parametrize(
    ("facts", "seen", "words", "moved", "name"),
    [
        (attempts(DIFF), FIRST, "", False, FIRST),
        (attempts(DIFF), f"  1.{DIGITS[:8].upper()}\n", "", False, FIRST),
        (attempts(DIFF), f"1.{DIGITS}", "", False, FIRST),
        (attempts(DIFF), f"1.{DIFF}", "", False, FIRST),
        (attempts(DIFF), DIFF, "", False, FIRST),
        (attempts(DIFF), DIGITS, "", False, FIRST),
        (attempts(DIFF), DIGITS[:8], "without the attempt", False, ""),
        (attempts(DIFF), DIGITS[:63], "without the attempt", False, ""),
        (attempts(DIFF), f"1.{DIGITS[:7]}", "at least 8 digits", False, FIRST),
        (attempts(DIFF), f"0.{DIGITS[:8]}", NO_NAME, False, ""),
        (attempts(DIFF), f".{DIGITS[:8]}", NO_NAME, False, ""),
        (attempts(DIFF), f"one.{DIGITS[:8]}", NO_NAME, False, ""),
        (attempts(DIFF), "1.latest", "after the word diff", False, ""),
        (attempts(DIFF), "the change that I read", "names no change", False, ""),
        (attempts(DIFF), f"{DIGITS}0", NO_NAME, False, ""),
        (attempts(DIFF), ELSE, "no attempt of fe-abc ever had", True, ""),
        (attempts(DIFF), f"2.{DIGITS[:8]}", "no attempt of fe-abc ever had", True, ""),
        (attempts(DIFF), "1.deadbeef", "no attempt of fe-abc ever had", True, ""),
        (attempts(DIFF, ELSE), FIRST, "the change moved during your review", True, FIRST),
        (attempts(DIFF, ELSE), DIFF, "the change moved during your review", True, FIRST),
        (attempts(DIFF, ELSE), f"2.{DIGITS[:8]}", "no attempt of fe-abc ever had", True, ""),
        (attempts(DIFF, ELSE), f"2.{ELSE[7:15]}", "", False, f"2.{ELSE[7:15]}"),
        (attempts(DIFF, DIFF, relation="same"), FIRST, "", False, FIRST),
        (attempts(DIFF, ELSE, relation="trivial_rebase"), FIRST, "", False, FIRST),
        (attempts(DIFF, ELSE, DIFF), DIFF, "several attempts have this diff id", True, f"3.{DIGITS[:8]}"),
        (attempts(DIFF, ELSE, DIFF), FIRST, "the change moved during your review", True, FIRST),
        (attempts(DIFF, TWIN), FIRST, "the change moved during your review", True, FIRST),
        (attempts(DIFF, TWIN), TWIN, "", False, f"2.{TWIN[7:15]}"),
    ],
)  # fmt: skip
def test_an_approval_names_the_change_that_was_seen(
    facts: Facts, seen: str, words: str, moved: bool, name: str
) -> None:
    for actor in (STRANGER, ADA):
        found = was_not_seen(facts, actor, seen)
        assert (found is None) == (not words)
        if found is not None:
            assert (found.rule, steps_text(found.next)) == ("D7", "fe show fe-abc --diff")
            assert words in found.message
    assert has_moved(facts, seen) == moved
    assert name_of_seen(facts, seen) == name


BARE = [DIGITS[:8], DIGITS[:12], DIGITS[:63], DIFF[:15], "9b20c4d1"]
FORMLESS = [" ", "sha256:", f"1.{DIGITS[:7]}", f"0.{DIGITS[:8]}", f"01.{DIGITS[:8]}", f"1.1.{DIGITS[:8]}",
            f"١.{DIGITS[:8]}", f"{DIGITS}0", f"sha256:sha256:{DIGITS}", "........", "%", f"-1.{DIGITS[:8]}",
            ]  # fmt: skip


@pytest.mark.parametrize("seen", [*BARE, *FORMLESS])
def test_digits_alone_are_refused_with_the_form_but_not_the_name(seen: str) -> None:
    for who in (ADA, STRANGER):
        reason = was_not_seen(made(), who, seen)
        assert reason is not None
        assert "ATTEMPT.DIFF, like 2.9b20c4d1" in reason.message
        assert seen.strip()[:20] in reason.message, "what was typed is said back"
        told = reason.message.replace(seen, "")
        assert FIRST not in told, "nobody is told how to approve what they did not look at"
    assert not has_moved(made(), seen), "nothing moved: nothing was named"


@pytest.mark.parametrize("relation", ["same", "message_only", "trivial_rebase"])
def test_an_attempt_that_is_the_seen_change_counts_as_seen(relation: Relation) -> None:
    assert not refused(FIRST, again(relation))
    assert not refused(FIRST, again(relation, "message_only"))
    assert name_of_seen(again(relation), FIRST) == FIRST, "the record has what was seen"
    assert refused(FIRST, again("rework", relation))
    assert not refused(f"2.{DIGITS[:8]}", again("rework", relation))


def test_a_trivial_rebase_is_seen_and_another_diff_is_not() -> None:
    assert not refused("1." + "a" * 8, again("trivial_rebase", first="sha256:" + "a" * 64))
    assert refused("1." + "a" * 8, again("same", first="sha256:" + "a" * 64))


def test_an_id_of_two_attempts_says_nothing_after_a_rework() -> None:
    """The same lines in another of several identical blocks have the same id and are another change (A3)."""
    assert refused(DIGITS, again("rework"))
    assert not refused(DIGITS, again("message_only"))
    assert not refused(f"2.{DIGITS[:8]}", again("rework"))


def test_a_refusal_repeats_no_more_than_the_beginning_of_what_was_typed() -> None:
    found = was_not_seen(made(), STRANGER, "a2345678901234567890z")
    assert found is not None
    assert ("--seen a2345678901234567890 names" in found.message, "z" in found.message) == (True, False)


def test_without_an_attempt_nothing_was_seen_and_nothing_moved() -> None:
    facts = replace(planned(), earlier=())
    assert was_not_seen(facts, STRANGER, FIRST) is None, "that is D4's to say"
    assert not has_moved(facts, FIRST)
    assert not has_moved(facts, "nonsense")
    assert name_of_seen(facts, FIRST) == ""


@quick
@given(st.text(max_size=80) | st.from_regex(r"\A[0-9]{1,3}\.[0-9a-f]{0,66}\Z"))
def test_only_a_name_of_the_change_is_taken_for_it(seen: str) -> None:
    number, dot, digits = seen.strip().lower().rpartition(".")
    digits = digits.removeprefix("sha256:")
    named = number == "1" and len(digits) >= 8 and DIGITS.startswith(digits)
    assert (was_not_seen(made(), STRANGER, seen) is None) == (named or (not dot and digits == DIGITS))
    assert (read_seen(seen) is None) or set(digits) <= set("0123456789abcdef")
