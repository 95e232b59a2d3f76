"""What a reviewer said of a change of which it is known what is wrong with it (V4, V5, G1)."""

from __future__ import annotations

import pytest

from foureyes.core.cycle.calibrating import NEAR, LineRange, TrialCase, TriedFinding, judge, points_at, tally
from foureyes.core.nouns.calibration import CaseEnd
from foureyes.core.words.verdicts import Verdict

PLANTED = TrialCase(name="a", kind="seeded", places=(LineRange("src/a.py", 10, 12),), words=("injection",))
CLEAN = TrialCase(name="b", kind="clean")
PAST = TrialCase(name="c", kind="past", places=(LineRange("src/a.py", 10, 10),))
HIT = TriedFinding(path="src/a.py", line=11, blocking=True)
ELSEWHERE = TriedFinding(path="src/a.py", line=50, blocking=True)


@pytest.mark.parametrize(
    ("said", "meets"),
    [
        (TriedFinding(path="src/a.py", line=10), True),
        (TriedFinding(path="./src/a.py", line=10), True),
        (TriedFinding(path="src/a.py", line=10 - NEAR), True),
        (TriedFinding(path="src/a.py", line=12 + NEAR), True),
        (TriedFinding(path="src/a.py", line=10 - NEAR - 1), False),
        (TriedFinding(path="src/a.py", line=12 + NEAR + 1), False),
        (TriedFinding(path="src/b.py", line=11), False),
        (TriedFinding(path="", line=11), False),
        (TriedFinding(path="src/a.py", text="SQL Injection"), True),
        (TriedFinding(path="src/a.py", text="something is wrong here"), False),
        (TriedFinding(path="src/b.py", text="injection"), False),
        (TriedFinding(path="src/a.py", line=50, text="injection"), False),
    ],
)
def test_a_finding_is_at_the_defect_by_file_and_line_never_by_its_words_alone_V4(
    said: TriedFinding, meets: bool
) -> None:
    assert points_at(PLANTED, said) is meets


@pytest.mark.parametrize(
    ("case", "verdict", "said", "end", "made_up"),
    [
        (PLANTED, "concerns", [HIT], "found", 0),
        (PLANTED, "blocker", [HIT, HIT], "found", 0),
        (PLANTED, "concerns", [HIT, ELSEWHERE], "found", 1),
        (PLANTED, "approved", [TriedFinding(path="src/a.py", line=11)], "let_pass", 0),
        (PLANTED, "concerns", [ELSEWHERE], "missed", 1),
        (PLANTED, "approved", [], "missed", 0),
        (PLANTED, "blocker", [], "missed", 0),
        (PLANTED, None, [], "no_review", 0),
        (CLEAN, "approved", [], "quiet", 0),
        (CLEAN, "concerns", [TriedFinding(path="src/a.py", line=1)], "quiet", 0),
        (CLEAN, "concerns", [HIT, ELSEWHERE], "made_up", 2),
        (CLEAN, None, [], "no_review", 0),
        (PAST, "concerns", [HIT], "found", 0),
        (PAST, "concerns", [ELSEWHERE], "missed", 0),
    ],
)
def test_what_came_of_a_case_V4_V5_G1(
    case: TrialCase, verdict: Verdict | None, said: list[TriedFinding], end: CaseEnd, made_up: int
) -> None:
    result = judge(case, verdict, said, seconds=7, why="timeout")
    assert (result.end, result.made_up, result.seconds) == (end, made_up, 7)
    assert result.why == ("timeout" if verdict is None else "")


def test_no_review_is_in_every_share_as_nothing_found_G1() -> None:
    cases = [
        judge(PLANTED, "concerns", [HIT]),
        judge(PLANTED, None, []),
        judge(CLEAN, None, []),
        judge(PAST, "approved", []),
    ]
    all_of = tally(cases)
    assert (all_of.defects, all_of.found, all_of.unanswered) == (3, 1, 2)
    assert (all_of.quiet_cases, all_of.past, all_of.past_found) == (1, 1, 0)
