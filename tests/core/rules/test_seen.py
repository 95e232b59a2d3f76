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

from tests.core.samples import ADA, DIFF, STRANGER, attempt, made, quick

DIGITS = DIFF.removeprefix("sha256:")
OTHER = DiffId("sha256:" + DIGITS[:8] + "f" * 56)
"""Another change, whose id begins as the one in review does."""


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


@pytest.mark.parametrize("seen", [f"1.{DIGITS[:8]}", f"1.{DIGITS[:20]}", f"1.{DIGITS}", DIGITS, DIFF, DIGITS.upper()])
def test_the_attempt_with_eight_digits_or_the_whole_id_names_the_change_D7(seen: str) -> None:
    assert not refused(seen)
    assert not has_moved(made(), seen)
    assert name_of_seen(made(), seen) == f"1.{DIGITS[:8]}"


BARE = [DIGITS[:8], DIGITS[:12], DIGITS[:63], DIFF[:15], "9b20c4d1"]
FORMLESS = [" ", "sha256:", f"1.{DIGITS[:7]}", f"0.{DIGITS[:8]}", f"01.{DIGITS[:8]}", f"1.1.{DIGITS[:8]}",
            f"١.{DIGITS[:8]}", f"{DIGITS}0", f"sha256:sha256:{DIGITS}", "........", "%", f"-1.{DIGITS[:8]}",
            ]  # fmt: skip


@pytest.mark.parametrize("seen", [*BARE, *FORMLESS])
def test_digits_alone_are_refused_with_the_form_to_type_and_not_with_what_to_type_D7(seen: str) -> None:
    for who in (ADA, STRANGER):
        reason = was_not_seen(made(), who, seen)
        assert reason is not None
        assert "ATTEMPT.DIFF, like 2.9b20c4d1" in reason.message
        assert seen.strip()[:20] in reason.message, "what was typed is said back"
        told = reason.message.replace(seen, "")
        assert f"1.{DIGITS[:8]}" not in told, "nobody is told how to approve what they did not look at"
    assert not has_moved(made(), seen), "nothing moved: nothing was named"


@pytest.mark.parametrize("seen", ["1.deadbeef", f"2.{DIGITS[:8]}", "f" * 64, f"1.{DIGITS[:8]}ff"])
def test_a_change_that_never_was_is_mistyped_and_did_not_move_D7(seen: str) -> None:
    reason = was_not_seen(made(), ADA, seen)
    assert reason is not None
    assert f"ever had the id {seen[:20]}. --seen takes ATTEMPT.DIFF, like 2.9b20c4d1" in reason.message
    assert has_moved(made(), seen)


def test_another_change_moved_while_they_looked_D7() -> None:
    reason = was_not_seen(again("rework", first=OTHER), ADA, f"1.{DIGITS[:8]}")
    assert reason is not None
    assert "moved during your review" in reason.message


def test_an_agent_says_which_change_it_saw_a_person_need_not_D7() -> None:
    missing = was_not_seen(made(), STRANGER, "")
    assert missing is not None
    assert "--seen ATTEMPT.DIFF" in missing.message
    assert not refused("")


def test_two_changes_that_begin_alike_are_told_apart_by_their_attempt_D7() -> None:
    facts = again("rework", first=OTHER)
    assert refused(f"1.{DIGITS[:8]}", facts), "what was seen was attempt 1"
    assert refused(DIGITS[:8], facts)
    assert not refused(f"2.{DIGITS[:8]}", facts)


@pytest.mark.parametrize("relation", ["same", "message_only", "trivial_rebase"])
def test_an_attempt_that_is_the_seen_change_counts_as_seen_A3_D7(relation: Relation) -> None:
    assert not refused(f"1.{DIGITS[:8]}", again(relation))
    assert not refused(f"1.{DIGITS[:8]}", again(relation, "message_only"))
    assert name_of_seen(again(relation), f"1.{DIGITS[:8]}") == f"1.{DIGITS[:8]}", "the record has what was seen"
    assert refused(f"1.{DIGITS[:8]}", again("rework", relation))
    assert not refused(f"2.{DIGITS[:8]}", again("rework", relation))


def test_a_rebase_with_other_lines_around_it_is_seen_the_same_head_with_another_diff_is_not_A3_D7() -> None:
    assert not refused("1." + "a" * 8, again("trivial_rebase", first="sha256:" + "a" * 64))
    assert refused("1." + "a" * 8, again("same", first="sha256:" + "a" * 64))


def test_a_whole_id_that_two_attempts_have_says_nothing_if_one_is_a_rework_of_the_other_A3_D7() -> None:
    """The same lines in another of several identical blocks have the same id and are another change (A3)."""
    assert refused(DIGITS, again("rework"))
    assert not refused(DIGITS, again("message_only"))
    assert not refused(f"2.{DIGITS[:8]}", again("rework"))


@quick
@given(st.text(max_size=80) | st.from_regex(r"\A[0-9]{1,3}\.[0-9a-f]{0,66}\Z"))
def test_only_a_name_of_the_change_is_taken_for_it_D7(seen: str) -> None:
    number, dot, digits = seen.strip().lower().rpartition(".")
    digits = digits.removeprefix("sha256:")
    named = number == "1" and len(digits) >= 8 and DIGITS.startswith(digits)
    assert (was_not_seen(made(), STRANGER, seen) is None) == (named or (not dot and digits == DIGITS))
    assert (read_seen(seen) is None) or set(digits) <= set("0123456789abcdef")
