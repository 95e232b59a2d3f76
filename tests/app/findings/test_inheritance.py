"""A6: work that was seen before brings its authors and its open blocking findings along, whatever task it
comes under.
"""

from __future__ import annotations

import pytest

from foureyes.app.findings.inheritance import originals
from foureyes.core.nouns.session import Actor

from tests.stage.gated import configure, deliver
from tests.stage.looped import findings, issue, next_attempt, review, rule, states, texts, why_not_approved
from tests.stage.people import BOB, CLAUDE, CODEX, GEMINI, agent
from tests.stage.world import GitWorld

KEPT = '\n[review]\ndefault_mode = "per-task"\n'
PAY = "def pay(amount):\n    limit = 10\n    return amount < limit\n"
QWEN = agent("qwen")


def first(world: GitWorld, severity: str = "HIGH", **files: str) -> tuple[str, str]:
    """A task of Claude's with a finding in it."""
    configure(world, KEPT)
    task = deliver(world, {"pay.py": PAY} | {name.replace("_", "."): text for name, text in files.items()})
    (name,) = review(world, task, [issue(severity=severity, file="pay.py", line=2)]).raised
    return task, name


def handed_on(world: GitWorld, task: str, how: str, actor: Actor = GEMINI) -> str:
    """The same work under a new task of somebody else."""
    new = world.create()
    world.start(actor, new)
    checkout = world.checkout
    if how == "same branch":
        checkout.git("switch", "-q", "-c", f"fe/{new}", f"fe/{task}")
        checkout.commit("more.py", "x = 1\n", session=actor)
    elif how == "cherry-pick":
        checkout.branch(f"fe/{new}")
        checkout.commit("before.py", "x = 1\n", session=actor)
        checkout.git("cherry-pick", f"fe/{task}")
        checkout.git("commit", "-q", "--amend", "-m", "all mine", f"--trailer=Foureyes-Session={actor.session}")
    elif how == "squashed into another commit":
        checkout.branch(f"fe/{new}")
        checkout.write("other.py", "y = 1\n")
        checkout.commit("pay.py", PAY, session=actor)
    elif how == "under another name":
        checkout.branch(f"fe/{new}")
        checkout.commit("money.py", PAY, session=actor)
    world.submit(actor, new)
    checkout.switch("main")
    return new


WAYS = ["same branch", "cherry-pick", "squashed into another commit", "under another name"]


@pytest.mark.parametrize("how", WAYS)
def test_the_authors_of_the_same_work_come_along_and_may_not_approve_it_A6_P2(world: GitWorld, how: str) -> None:
    task, _ = first(world)
    new = handed_on(world, task, how)
    assert {CLAUDE.session, GEMINI.session} <= set(world.show(new).authors)
    assert "P2" in {reason.rule for reason in why_not_approved(world, new, by=CLAUDE)}
    assert not review(world, new, by=CLAUDE).counts


@pytest.mark.parametrize("how", WAYS)
def test_the_open_blocking_findings_of_the_same_work_come_along_A6_D2(world: GitWorld, how: str) -> None:
    task, name = first(world)
    new = handed_on(world, task, how)
    (one,) = findings(world, new).values()
    assert (one.severity, one.state, one.title, one.source) == ("HIGH", "open", "limit is hard-coded", "inherited")
    assert name in one.why
    assert one.id in texts(why_not_approved(world, new))
    assert states(world, task) == {name: "open"}, "it stays where it was found, too"


def test_what_came_along_is_answered_and_ruled_on_here_and_does_not_come_again_A6(world: GitWorld) -> None:
    task, _ = first(world)
    new = handed_on(world, task, "same branch")
    (name,) = findings(world, new)
    world.app.feedback.redo(BOB, new, "mend it")
    next_attempt(world, new, {"pay.py": PAY.replace("10", "LIMIT")}, answers={name: "FIXED"}, by=GEMINI)
    rule(world, {name: "VERIFIED"}, by=CODEX)
    world.app.feedback.redo(BOB, new, "one more")
    next_attempt(world, new, {"z.py": "z = 1\n"}, answers={}, by=GEMINI)
    assert states(world, new) == {name: "resolved"}
    assert world.approve(BOB, new).status == "approved"


def test_what_came_along_does_not_go_back_to_where_it_was_found_A6(world: GitWorld) -> None:
    task, name = first(world)
    handed_on(world, task, "same branch")
    world.app.feedback.redo(BOB, task, "mend it")
    next_attempt(world, task, {"pay.py": PAY.replace("10", "LIMIT")})
    rule(world, {name: "VERIFIED"})
    world.app.feedback.redo(BOB, task, "one more")
    next_attempt(world, task, {"z.py": "z = 1\n"}, answers={})
    assert states(world, task) == {name: "resolved"}, "the copy under the other task is no new finding here"


def test_a_copy_keeps_the_rule_of_its_tool_and_names_the_finding_that_it_is_a_copy_of_A6(world: GitWorld) -> None:
    configure(world, KEPT)
    task = deliver(world, {"pay.py": PAY})
    (name,) = review(world, task, [issue(file="pay.py", line=2, rule="PLR2004")]).raised
    (copy,) = findings(world, handed_on(world, task, "same branch")).values()
    assert (copy.rule, name in copy.why) == (findings(world, task)[name].rule, True)


def test_a_copy_that_is_flagged_again_is_the_same_finding_still_A6_L2(world: GitWorld) -> None:
    """What a reviewer says about it now does not make another finding of it for the next task."""
    task, name = first(world)
    new = handed_on(world, task, "same branch")
    (copy,) = findings(world, new)
    review(world, new, [issue(file="pay.py", line=2, id=copy)], by=QWEN)
    third = handed_on(world, task, "cherry-pick", agent("kimi"))
    assert len(findings(world, third)) == 1
    with world.store.read() as tx:
        roots = originals(tx, [new, third])
    assert set(roots.values()) == {name}


@pytest.mark.parametrize("how", ["resolved", "LOW", "waived"])
def test_only_what_still_blocks_comes_along_A6(world: GitWorld, how: str) -> None:
    task, name = first(world, "LOW" if how == "LOW" else "HIGH")
    if how == "waived":
        world.app.findings.waive(BOB, name, "for now")
    elif how == "resolved":
        next_attempt(world, task, {"x.py": "x\n"}, answers={name: "REJECTED"})
        rule(world, {name: "ACCEPTED"})
    new = handed_on(world, task, "squashed into another commit")
    assert findings(world, new) == {}
    assert CLAUDE.session in world.show(new).authors, "its authors do in any case"


def test_findings_of_a_task_closed_without_a_merge_come_along_A6(world: GitWorld) -> None:
    task, _ = first(world)
    world.app.feedback.redo(BOB, task, "no")
    world.app.closing.close(BOB, task)
    new = handed_on(world, task, "same branch")
    assert len(findings(world, new)) == 1


def test_unrelated_work_brings_nobody_and_nothing_along_A6(world: GitWorld) -> None:
    first(world, shared_py="")
    new = deliver(world, {"loan.py": PAY.replace("pay", "loan"), "shared.py": ""}, actor=GEMINI)
    assert world.show(new).authors == [GEMINI.session], "an empty file is nobody's work"
    assert findings(world, new) == {}
    assert world.approve(CLAUDE, new, reason="read it").rule == "P7"


def test_work_that_is_on_the_target_already_is_not_handed_in_again_A6(world: GitWorld) -> None:
    world.checkout.write(".git/info/exclude", ".foureyes\n")
    configure(world, "\n[review.human]\nsettle_seconds = 0\n")
    task = deliver(world, {"pay.py": PAY})
    world.approve(BOB, task, reason="read it")
    world.app.merges.process(BOB)
    assert world.status(task) == "closed"
    new = deliver(world, {"pay.py": PAY + "\n\ndef loan():\n    pass\n"}, actor=GEMINI)
    assert world.show(new).authors == [GEMINI.session]
    assert world.approve(CLAUDE, new, reason="read it").rule == "P7"


def test_the_finding_of_a_file_that_does_not_come_along_stays_where_it_is_A6(world: GitWorld) -> None:
    task, _ = first(world, loan_py="rate = 3\n")
    new = world.create()
    world.start(GEMINI, new)
    world.checkout.branch(f"fe/{new}")
    world.checkout.commit("loan.py", "rate = 3\n", session=GEMINI)
    world.submit(GEMINI, new)
    assert findings(world, new) == {}
    assert CLAUDE.session in world.show(new).authors
    assert task != new


def test_a_person_clears_nothing_that_came_along_by_its_content_I8_A6(world: GitWorld) -> None:
    task, _ = first(world)
    new = handed_on(world, task, "squashed into another commit")
    with world.refused("I8"):
        world.app.attempts.correct_author(BOB, new, CLAUDE.session, "it only looks alike")


def test_a_person_clears_nobody_whose_code_is_in_another_attempt_than_the_trailer_I8_A6(world: GitWorld) -> None:
    first(world)
    new = world.create()
    world.start(GEMINI, new)
    world.checkout.branch(f"fe/{new}")
    world.checkout.commit("other.py", "y = 1\n", session=CLAUDE)
    world.submit(GEMINI, new)
    world.checkout.git("reset", "-q", "--hard", "main")
    world.checkout.commit("pay.py", PAY, session=GEMINI)
    world.submit(GEMINI, new)
    with world.refused("I8"):
        world.app.attempts.correct_author(BOB, new, CLAUDE.session, "the trailer is wrong")


def test_what_came_along_follows_its_root_once_that_is_settled_and_its_code_is_gone_A6_L6(world: GitWorld) -> None:
    task, name = first(world)
    upper = handed_on(world, task, "same branch")
    (copy,) = states(world, upper)
    world.app.feedback.redo(BOB, upper, "when the lower one is fixed")
    next_attempt(world, task, {"pay.py": "def pay(amount):\n    return amount < LIMIT\n"}, answers={name: "FIXED"})
    world.start(GEMINI, upper)
    world.checkout.switch(f"fe/{upper}")
    world.checkout.git("reset", "-q", "--hard", f"fe/{task}")
    world.checkout.commit("more.py", "more = 1\n", session=GEMINI)
    with world.refused("L6"):
        world.submit(GEMINI, upper)
    rule(world, {name: "VERIFIED"}, by=CODEX)
    world.submit(GEMINI, upper)
    assert states(world, upper) == {copy: "resolved"}


# The same path


def quoted(world: GitWorld) -> tuple[str, str]:
    """A task of Claude's with a finding that quotes its code."""
    configure(world, KEPT)
    task = deliver(world, {"pay.py": PAY})
    found = issue(severity="CRITICAL", file="pay.py", line=3, quote="return amount < limit")
    (name,) = review(world, task, [found]).raised
    return task, name


def other_work(world: GitWorld, files: dict[str, str], actor: Actor = CLAUDE) -> str:
    """Work of another task that shares no commit and no blob."""
    new = world.create()
    world.start(actor, new)
    world.checkout.branch(f"fe/{new}")
    for name, text in files.items():
        world.checkout.commit(name, text, session=actor)
    world.submit(actor, new)
    world.checkout.switch("main")
    return new


@pytest.mark.parametrize(
    ("text", "actor"),
    [(PAY + "\n", CLAUDE), (PAY + "\n", GEMINI), (PAY.replace("    ", "\t"), GEMINI), (PAY + "\x00", GEMINI)],
    ids=["a byte more", "a byte more of somebody else", "other white space", "a NUL"],
)
def test_a_finding_comes_along_where_its_path_still_has_its_quote_A6(world: GitWorld, text: str, actor: Actor) -> None:
    _, name = quoted(world)
    (one,) = findings(world, other_work(world, {"pay.py": text}, actor)).values()
    assert (one.severity, one.state, name in one.why) == ("CRITICAL", "open", True)


def test_a_finding_comes_along_where_its_path_is_renamed_A6(world: GitWorld) -> None:
    configure(world, KEPT)
    world.checkout.commit("pay.py", PAY)
    task = deliver(world, {"pay.py": PAY + "\n\ndef loan():\n    return 7\n"})
    (name,) = review(world, task, [issue(severity="HIGH", file="pay.py", line=3, quote="return amount < limit")]).raised
    new = world.create()
    world.start(GEMINI, new)
    world.checkout.branch(f"fe/{new}")
    world.checkout.git("mv", "pay.py", "money.py")
    world.checkout.commit("money.py", PAY + "# moved\n", session=GEMINI)
    world.submit(GEMINI, new)
    (one,) = findings(world, new).values()
    assert (one.location.path, name in one.why) == ("money.py", True)


@pytest.mark.parametrize(
    "files",
    [{"money.py": PAY + "\n"}, {"pay.py": "def pay():\n    ...\n"}, {"z.py": "z = 1\n"}],
    ids=["quote at another path", "without the quote", "another file"],
)
def test_no_finding_comes_along_without_its_path_and_quote_A6(world: GitWorld, files: dict[str, str]) -> None:
    quoted(world)
    assert findings(world, other_work(world, files)) == {}


def test_a_verified_finding_does_not_come_back_A6(world: GitWorld) -> None:
    task, name = quoted(world)
    world.app.feedback.redo(BOB, task, "fix it")
    next_attempt(world, task, {"pay.py": "def pay(amount):\n    return True\n"}, answers={name: "FIXED"})
    rule(world, {name: "VERIFIED"})
    assert findings(world, other_work(world, {"pay.py": PAY + "\n"})) == {}
