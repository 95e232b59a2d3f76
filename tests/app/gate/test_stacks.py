"""What a submission finds inside of it, and what becomes of those that stand on it (A7)."""

from __future__ import annotations

from foureyes.core.events.decision import StackFound
from foureyes.core.nouns.session import Actor
from foureyes.core.rules.four_eyes import Declaration
from foureyes.ui.steps import steps_text

from tests.stage.checkout import AT_ONCE
from tests.stage.gated import configure, deliver, merge
from tests.stage.looped import left_behind
from tests.stage.people import ALICE, BOB, CLAUDE, CODEX, GEMINI
from tests.stage.world import DeskWorld, GitWorld

GLASS = Declaration(break_glass="it has to go out")


def commit(desk: DeskWorld, task: str, *, onto: str = "") -> None:
    """A commit on a task's branch, which begins on another task's."""
    branches = desk.repo.branches
    if onto:
        branches.setdefault(f"refs/heads/fe/{task}", list(branches[f"refs/heads/fe/{onto}"]))
    desk.repo.commit(f"fe/{task}")


def submit_work(desk: DeskWorld, actor: Actor = CLAUDE, *, onto: str = "", **fields: object) -> str:
    task = desk.started(actor, **fields)
    commit(desk, task, onto=onto)
    desk.submit(actor, task)
    return task


def below(desk: DeskWorld, task: str) -> list[tuple[str, str, str]]:
    return [(row.task, row.how, row.state) for row in desk.show(task).inside]


def test_submit_says_what_is_inside_and_what_is_merged_first_A7(desk: DeskWorld) -> None:
    one = submit_work(desk)
    two = submit_work(desk, CODEX, onto=one)
    three = submit_work(desk, onto=two)
    assert sorted(below(desk, three)) == sorted((task, "whole", "in review") for task in (one, two))
    assert [row.sentence for row in desk.show(two).inside] == [
        f"it contains 1 commit of {one} (in review): merge {one} first"
    ]


def test_the_hold_of_a_task_inside_holds_what_stands_on_it_A7_D3(desk: DeskWorld) -> None:
    one = submit_work(desk)
    two = submit_work(desk, onto=one)
    desk.app.stops.hold(ALICE, one, "wait for legal")
    with desk.refused("D3"):
        desk.approve(BOB, two)


def test_two_on_the_same_task_do_not_wait_for_each_other_A7(desk: DeskWorld) -> None:
    one = submit_work(desk)
    submit_work(desk, CODEX, onto=one)
    assert below(desk, submit_work(desk, onto=one)) == [(one, "whole", "in review")]


def test_a_branch_that_goes_on_elsewhere_belongs_to_who_stands_on_it_A7(desk: DeskWorld) -> None:
    one = submit_work(desk)
    two = submit_work(desk, CODEX, onto=one)
    desk.app.feedback.redo(BOB, one, "once more")
    desk.start(CLAUDE, one)
    commit(desk, one)
    desk.submit(CLAUDE, one)
    assert below(desk, one) == []
    with desk.refused("A7"):
        desk.approve(BOB, two)


def test_who_works_on_a_branch_inside_has_made_a_part_of_it_A7_P2(desk: DeskWorld) -> None:
    one = desk.started(CODEX)
    commit(desk, one)
    two = submit_work(desk, CLAUDE, onto=one)
    assert below(desk, two) == [(one, "branch", "in progress")]
    with desk.refused("P2"):
        desk.approve(CODEX, two)


def test_a_task_that_is_handed_in_later_is_found_then_and_on_record_A7(desk: DeskWorld) -> None:
    one = desk.started(CODEX)
    commit(desk, one)
    two = submit_work(desk, CLAUDE, onto=one)
    desk.submit(CODEX, one, branch=f"fe/{one}")
    assert below(desk, two) == [(one, "whole", "in review")]
    assert below(desk, one) == []
    assert StackFound.__name__ in desk.kinds(two)


def test_a_task_that_is_over_counts_for_nothing_A7(desk: DeskWorld) -> None:
    one = desk.started(CODEX)
    commit(desk, one)
    two = submit_work(desk, CLAUDE, onto=one)
    desk.app.closing.close(BOB, one, reason="not needed")
    desk.approve(BOB, two)
    assert "A7" not in desk.app.merges.all()[0].why


# Standing in somebody's way


def test_who_hands_in_later_what_another_has_inside_is_in_nobodys_way_A7(desk: DeskWorld) -> None:
    first = submit_work(desk)
    line = desk.repo.branches[f"refs/heads/fe/{first}"]
    desk.app.feedback.redo(BOB, first, "more of it")
    desk.start(CLAUDE, first)
    commit(desk, first)
    desk.submit(CLAUDE, first)
    late = desk.started(CODEX)
    desk.repo.branches[f"refs/heads/fe/{late}"] = line[:-1]
    desk.submit(CODEX, late, branch=f"fe/{late}")
    assert below(desk, first) == []
    assert [task for task, _, _ in below(desk, late)] == [first]
    desk.app.closing.close(BOB, late, reason="not this way")
    desk.app.feedback.redo(BOB, first, "and more")
    desk.start(CLAUDE, first)
    commit(desk, first)
    desk.submit(CLAUDE, first)
    assert below(desk, first) == []
    desk.approve(BOB, first)


def test_of_a_task_that_was_begun_before_the_strictness_counts_A7(desk: DeskWorld) -> None:
    late = desk.started(CODEX, labels=["security"])
    first = submit_work(desk)
    line = desk.repo.branches[f"refs/heads/fe/{first}"]
    commit(desk, first)
    desk.submit(CLAUDE, first)
    desk.repo.branches["refs/heads/elsewhere"] = line[:-1]
    desk.submit(CODEX, late, branch="elsewhere")
    assert below(desk, first) == [(late, "quoted", "in review")]
    assert desk.show(first).mode == "per-task"
    desk.approve(BOB, first)
    assert "A7" not in desk.app.merges.all()[0].why


def test_a_branch_counts_of_a_task_that_somebody_began_and_as_theirs_if_they_came_first_A7(desk: DeskWorld) -> None:
    planned = desk.create()
    mine = desk.started(CLAUDE)
    commit(desk, mine)
    desk.repo.branches[f"refs/heads/fe/{planned}"] = list(desk.repo.branches[f"refs/heads/fe/{mine}"])
    commit(desk, mine)
    desk.submit(CLAUDE, mine)
    assert below(desk, mine) == []  # nobody began it
    desk.start(CODEX, planned)
    commit(desk, mine)
    desk.submit(CLAUDE, mine)
    assert below(desk, mine) == []  # it was submitted before
    other = desk.started(CLAUDE)
    commit(desk, other)
    later = desk.started(CODEX)
    desk.repo.branches[f"refs/heads/fe/{later}"] = list(desk.repo.branches[f"refs/heads/fe/{other}"])
    commit(desk, other)
    desk.submit(CLAUDE, other)
    assert below(desk, other) == [(later, "quoted", "in progress")]
    assert CODEX.session not in desk.show(other).authors


def test_a_person_who_breaks_the_glass_passes_what_cannot_stay_inside_on_record_A7_N3(world: GitWorld) -> None:
    configure(world, AT_ONCE)
    one = deliver(world, {"one.py": "one\n"})
    two = world.started(CODEX)
    world.checkout.git("switch", "-q", "-c", f"fe/{two}", f"fe/{one}")
    world.checkout.commit("two.py", "two\n", session=CODEX)
    world.submit(CODEX, two)
    world.checkout.switch("main")
    world.app.decisions.approve(BOB, two, declaration=GLASS)  # nothing to pass yet: it waits
    assert merge(world) == {two: "waiting"}
    world.app.feedback.reject(BOB, one, "never")
    assert merge(world) == {two: "void"}
    with world.refused("A7"):
        world.app.decisions.approve(BOB, two)
    done = world.app.decisions.approve(BOB, two, declaration=GLASS)
    assert (done.rule, done.exception) == ("N3", True)
    (row,) = world.app.audit.exceptions()
    assert (row.kind, row.detail) == ("break_glass", f"approve, attempt 1, over {one} (A7)")
    assert merge(world) == {two: "merged"}


def test_what_is_to_be_typed_keeps_the_work_under_a_branch_that_somebody_else_put_there_A7(world: GitWorld) -> None:
    configure(world, AT_ONCE)
    begun, mine = world.started(CODEX), world.started(CLAUDE)
    checkout = world.checkout
    checkout.branch(f"fe/{mine}")
    first = checkout.commit("one.py", "one\n")
    checkout.commit("two.py", "two\n")
    checkout.git("branch", f"fe/{begun}", first)
    world.submit(CLAUDE, mine)
    assert [(row.task, row.how) for row in world.show(mine).inside] == [(begun, "branch")]
    checkout.git("switch", "-q", "-c", "elsewhere", "main")
    checkout.commit("other.py", "other\n", session=CODEX)
    world.submit(CODEX, begun)
    with world.refused("A7") as caught:
        world.approve(BOB, mine)
    step = caught[0].reasons[0].next.steps[0]
    checkout.git(*[str(word) for word in step.argv[1:]])
    assert {"one.py", "two.py"} <= {*checkout.git("ls-tree", "--name-only", "HEAD").split()}
    world.submit(CLAUDE, mine)
    assert world.show(mine).inside == ()
    world.approve(BOB, mine)
    checkout.switch("main")
    assert merge(world) == {mine: "merged"}


def test_commits_that_name_an_unmerged_task_are_on_its_record_when_somebody_merges_them_by_hand_A7_C2(
    world: GitWorld,
) -> None:
    configure(world, AT_ONCE)
    one = world.started(CLAUDE)
    two = world.started(CODEX)
    world.checkout.branch(f"fe/{two}")
    world.checkout.commit("one.py", "one\n", message=f"one\n\nTask: {one}\n")
    world.checkout.commit("two.py", "two\n", session=CODEX)
    world.submit(CODEX, two)
    assert [(row.task, row.how) for row in world.show(two).inside] == [(one, "trailer")]
    world.approve(BOB, two)
    world.checkout.switch("main")
    world.checkout.git("merge", "-q", "--no-ff", "-m", "by hand", f"fe/{two}")
    assert merge(world) == {two: "found"}
    assert (one, "merged_unapproved", "A7") in world.sql("SELECT task, kind, rule FROM security")


# What was sent back


def test_what_was_sent_back_is_refused_under_another_task_once_its_own_was_merged_A7(world: GitWorld) -> None:
    one = left_behind(world)
    two = deliver(world, {"pay.py": "def pay():\n    steal_everything()\n", "x.py": "x\n"}, actor=GEMINI)
    (row,) = world.show(two).inside
    assert (row.task, row.how, row.state, "other commits" in row.refused) == (one, "copied", "sent back", True)
    with world.refused("A7"):
        world.approve(BOB, two)


def test_a_commit_of_an_attempt_that_was_sent_back_is_found_by_its_diff_A7(world: GitWorld) -> None:
    configure(world, AT_ONCE)
    one = deliver(world, {"evil.py": "evil\n"})
    evil = world.checkout.head(f"fe/{one}")
    world.app.feedback.redo(BOB, one, "not this", option="fresh")
    world.checkout.git("branch", "-f", f"fe/{one}", "main")
    deliver(world, {"good.py": "good\n"}, task=one)
    world.approve(BOB, one)
    assert merge(world) == {one: "merged"}
    two = world.started(GEMINI)
    world.checkout.branch(f"fe/{two}")
    world.checkout.git("cherry-pick", evil)
    world.checkout.commit("more.py", "more\n", session=GEMINI)
    world.submit(GEMINI, two)
    with world.refused("A7") as caught:
        world.approve(BOB, two)
    assert "other commits (attempt 2)" in caught[0].reasons[0].message
    assert steps_text(caught[0].reasons[0].next).startswith("take the work of")


def test_what_says_of_itself_that_it_is_of_another_task_is_still_seen_there_A7(world: GitWorld) -> None:
    """Work of one task with the trailer of the other: rejected there, submitted here."""
    configure(world, AT_ONCE)
    two = world.started(CODEX, labels=["review:auto"])
    one = world.started(CLAUDE)
    world.checkout.branch(f"fe/{one}")
    evil = world.checkout.commit("evil.py", "evil\n", message=f"evil\n\nTask: {two}\n")
    world.submit(CLAUDE, one)
    assert [row.task for row in world.show(one).inside] == [two]
    world.app.feedback.reject(BOB, one, "never")
    world.checkout.git("switch", "-q", "-c", f"fe/{two}", evil)
    world.checkout.commit("two.py", "two\n", session=CODEX)
    world.submit(CODEX, two)
    (row,) = world.show(two).inside
    assert (row.task, row.how, row.state) == (one, "quoted", "rejected")
    assert world.status(two) == "reviewing"
