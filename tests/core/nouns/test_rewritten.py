"""Files of its tree that a run left as others (D5): no pass rests on them."""

from __future__ import annotations

from msgspec.structs import replace

from foureyes.core.nouns import check
from foureyes.core.nouns.check import Ran, Rewritten, ToolFinding, judge
from foureyes.core.nouns.check_config import CheckoutRule, CheckRule

RULE = CheckRule(name="tests", run="make check")
SOURCE = Rewritten(checked=("src/app.py",))
GREEN = Ran(exit_code=0, rewritten=SOURCE)


def outcome(rule: CheckRule, ran: Ran) -> str:
    return judge(rule, ran).outcome


def test_a_pass_on_rewritten_files_is_unsound_and_says_which_and_what_to_do_D5() -> None:
    assert judge(RULE, GREEN).outcome == "unsound"
    assert judge(RULE, GREEN).summary == (
        "changed src/app.py of its tree; commit the changed files, or list them in writes under [[checks]]"
    )
    many = Rewritten(built=("v",), checked=("a", "b", "c", "d", "e"))
    assert judge(RULE, replace(GREEN, rewritten=many)).summary == (
        "changed v of its tree by checkout.build, and a, b, c and 2 more of its tree; commit the changed files, "
        "or list them in checkout.writes and writes under [[checks]]"
    )


def test_what_the_configuration_lets_it_write_is_let_pass_and_nothing_besides_D5() -> None:
    lock = Rewritten(checked=("Cargo.lock", "web/__snapshots__/a.snap"))
    told = replace(RULE, writes=("Cargo.lock", "**/__snapshots__/*"))
    assert outcome(told, replace(GREEN, rewritten=lock)) == "passed"
    assert outcome(told, replace(GREEN, rewritten=Rewritten(checked=("api/Cargo.lock",)))) == "unsound"
    assert outcome(told, replace(GREEN, rewritten=Rewritten(built=("Cargo.lock",)))) == "unsound", "that is the build's"
    built = replace(RULE, checkout=CheckoutRule(build="make", writes=("Cargo.lock",)))
    assert outcome(built, replace(GREEN, rewritten=Rewritten(built=("Cargo.lock",)))) == "passed"
    assert outcome(built, replace(GREEN, rewritten=Rewritten(checked=("Cargo.lock",)))) == "unsound"


def test_red_stays_red_with_what_was_rewritten_unless_it_is_seen_against_the_target_D5() -> None:
    """There a failure that the target has, too, is let pass: by a run that is about other files."""
    red = Ran(exit_code=1, tests=(check.TestResult("a", "failed"), check.TestResult("b", "passed")), rewritten=SOURCE)
    assert outcome(replace(RULE, report="junit"), red) == "unsound"
    found = Ran(exit_code=1, findings=(ToolFinding("S1", "error", "a.py", 3, "no"),), rewritten=SOURCE)
    assert outcome(replace(RULE, report="sarif"), found) == "unsound"
    assert outcome(RULE, replace(red, exit_code=None, problem="gone")) == "crashed"
    assert outcome(RULE, Ran(exit_code=2, unbuilt="it broke", rewritten=SOURCE)) == "failed"
