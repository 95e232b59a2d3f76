"""G2: an answer carries its rule, its sentence and its next step; of several the strictest holds (I4)."""

from __future__ import annotations

from itertools import pairwise, permutations

from foureyes.core.words.decision import allow, refuse, strictest
from foureyes.errors import Reason
from foureyes.steps import by, fe, phrase

STEP = by("other", fe("approve", "fe-abc"))
NO = refuse("P2", "no", STEP)
NOT_YET = refuse("P3", "only with a reason", fe("approve", "fe-abc", "-m", phrase("why")), needs_reason=True)
AUDITED = allow("P3", "by exception", exception="creator_approval", needs_reason=True)
YES = allow("P7", "not involved")


def test_an_answer_explains_itself_G2() -> None:
    assert NO.reasons == (Reason("P2", "no", STEP),)
    assert not NO.allowed
    assert YES.allowed


def test_of_several_answers_the_strictest_holds_in_whatever_order_I4() -> None:
    ladder = [NO, NOT_YET, AUDITED, YES]
    for order in permutations(ladder):
        assert strictest(list(order)) is NO
    for strict, loose in pairwise(ladder):
        assert strictest([loose, strict]) is strict


def test_of_equals_the_first_holds_I4() -> None:
    other = refuse("P0", "no")
    assert strictest([NO, other]) is NO
    assert strictest([other, NO]) is other
