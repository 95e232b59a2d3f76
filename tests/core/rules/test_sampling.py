"""H3: the samples of a batch: the same on every look, and never none of a large one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foureyes.core.rules.policy import HumanRule
from foureyes.core.rules.sampling import samples

from tests.core.samples import quick

RULE = HumanRule()
diffs = st.lists(st.text("0123456789abcdef", min_size=8, max_size=8), unique=True, max_size=60)


def batch(size: int) -> list[str]:
    return [f"sha256:{number:064x}" for number in range(size)]


@pytest.mark.parametrize(
    ("size", "expected"),
    [(0, 0), (1, 0), (4, 0), (5, 1), (9, 1), (10, 1), (11, 2), (20, 2), (21, 3), (30, 3), (50, 5), (70, 7)],
)
def test_from_five_on_a_tenth_is_looked_at_H3(size: int, expected: int) -> None:
    assert len(samples(batch(size), "secret", RULE)) == expected


@quick
@given(diffs, st.text(), st.randoms(use_true_random=False))
def test_looking_again_in_any_order_chooses_the_same_H3(batch: list[str], secret: str, random: object) -> None:
    chosen = samples(batch, secret, RULE)
    shuffled = list(batch)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert samples(shuffled, secret, RULE) == chosen
    assert chosen <= set(batch)
    assert bool(chosen) == (len(batch) >= RULE.sample_from)


@quick
@given(diffs, st.floats(0, 1))
def test_a_share_is_rounded_up_and_never_more_than_all_H3(batch: list[str], share: float) -> None:
    found = len(samples(batch, "s", HumanRule(sample_share=share)))
    if len(batch) < RULE.sample_from or share == 0:
        assert found == 0
    else:
        assert max(1, share * len(batch) - 0.01) <= found <= min(len(batch), share * len(batch) + 1.01)


def test_whoever_does_not_know_the_secret_cannot_tell_which_H3() -> None:
    assert len({samples(batch(50), f"secret {number}", RULE) for number in range(20)}) > 15


def test_where_nothing_is_to_be_sampled_nothing_is_H3() -> None:
    assert samples(batch(50), "s", HumanRule(sample_share=0)) == frozenset()
    assert samples(batch(50), "s", HumanRule(sample_from=51)) == frozenset()
    assert samples(batch(2), "s", HumanRule(sample_from=1, sample_share=1.0)) == set(batch(2))


def test_a_diff_that_is_there_twice_is_one_H3() -> None:
    assert samples(["a"] * 9, "s", RULE) == {"a"}
