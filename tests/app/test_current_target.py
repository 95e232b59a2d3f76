"""Where the target is the remote says, or the journal; no ref of a clone does (K1, K4, Q6)."""

from __future__ import annotations

import pytest

from foureyes.app.results.sprint import SprintAsk
from foureyes.app.target import current_target
from foureyes.config import FILE
from foureyes.core.words.refs import tracked
from foureyes.errors import RemoteProblem
from foureyes.ui.steps import steps_text

from tests.app.findings.recount import Recount, stand
from tests.stage.clones import Clone, Clones
from tests.stage.gated import approved, merge
from tests.stage.people import ALICE, CLAUDE, CODEX

MAIN = "refs/heads/main"


def forged(world: Clone) -> str:
    """A commit that nobody saw, to which somebody set every ref of the clone that names the target."""
    world.checkout.git("switch", "-q", "--detach", "main")
    planted = world.checkout.commit("planted.py", "planted\n")
    for ref in (MAIN, tracked("origin", MAIN)):
        world.checkout.git("update-ref", ref, planted)
    world.checkout.git("switch", "-q", "main")
    return planted


def test_a_task_begins_where_the_remote_has_the_target_and_not_where_refs_do_K4_Q6(clones: Clones) -> None:
    alpha, there = clones.alpha, clones.alpha.checkout.head("main")
    forged(alpha)
    task = alpha.create()
    alpha.start(CLAUDE, task)
    assert alpha.show(task).task.start_target == there


def test_while_the_remote_is_away_it_is_the_last_merge_on_record_K4_Q6(clones: Clones) -> None:
    alpha = clones.alpha
    done = approved(alpha, by=CODEX)
    assert merge(alpha) == {done: "merged"}
    made = alpha.checkout.head("main")
    forged(alpha)
    task = alpha.create()
    with clones.cut():
        alpha.start(CLAUDE, task)
        told = current_target(alpha.app.context)
    assert alpha.show(task).task.start_target == made
    assert (told.at, told.is_certain, "origin" in told.remote_problem) == (made, False, True)


def test_a_clone_that_lacks_the_last_merge_goes_by_the_last_one_that_it_has_K1_Q6(clones: Clones) -> None:
    alpha, beta = clones.alpha, clones.beta
    alpha.checkout.write(".git/info/exclude", ".foureyes/\n")
    planned = alpha.create()
    done = approved(alpha, by=CODEX)
    assert merge(alpha) == {done: "merged"}
    alpha.work(CLAUDE, planned)
    alpha.submit(CLAUDE, planned)
    alpha.approve(CODEX, planned)
    assert merge(alpha) == {planned: "merged"}, "planned first, merged second: the order of merges counts"
    second = alpha.checkout.head("main")
    current_target(beta.app.context)
    approved(alpha, by=CODEX)
    merge(alpha)
    forged(beta)
    assert current_target(beta.app.context, asks=False).at == second


def test_merges_that_a_person_gave_up_are_no_beginning_K1_Q6(clones: Clones) -> None:
    alpha, beta, before = clones.alpha, clones.beta, clones.alpha.checkout.head("main")
    approved(alpha, by=CODEX)
    merge(alpha)
    current_target(beta.app.context)
    alpha.checkout.git("switch", "-q", "--detach", before)
    tip = alpha.checkout.commit("other.py", "other\n")
    alpha.checkout.git("push", "-q", "-f", "origin", f"{tip}:{MAIN}")
    alpha.app.merges.accept(ALICE, "a secret was in it", tip)
    with clones.cut(), pytest.raises(RemoteProblem) as said:
        beta.app.claims.start(CODEX, beta.create(), worktree=True)
    assert said.value.message.startswith("no recorded merge of main is in this clone, so only origin knows")


def test_merges_onto_the_branch_that_was_the_target_before_are_no_beginning_P12_Q6(clones: Clones) -> None:
    alpha, beta = clones.alpha, clones.beta
    alpha.checkout.write(".git/info/exclude", ".foureyes/\n")
    approved(alpha, by=CODEX)
    merge(alpha)
    current_target(beta.app.context)
    alpha.checkout.git("switch", "-q", "main")
    text = (alpha.checkout.path / FILE).read_text().replace("[project]", '[project]\ntarget = "trunk"')
    alpha.checkout.commit(FILE, text)
    alpha.checkout.git("branch", "trunk")
    alpha.checkout.git("push", "-q", "origin", "main", "trunk")
    alpha.app.policy.accept(ALICE)
    approved(alpha, by=CODEX)
    merge(alpha)
    assert (alpha.app.projects.get().target, current_target(beta.app.context, asks=False).at) == ("trunk", None)


def test_before_the_first_merge_nothing_begins_while_nobody_can_say_where_K1_Q6(clones: Clones) -> None:
    alpha, there = clones.alpha, clones.alpha.checkout.head("main")
    forged(alpha)
    task = alpha.create()
    with clones.cut(), pytest.raises(RemoteProblem) as said:
        alpha.app.claims.start(CODEX, task, worktree=True)
    assert said.value.message.startswith("nothing was merged yet, so only origin knows where main is, but ")
    assert alpha.status(task) == "open"
    alpha.app.claims.start(CODEX, task, worktree=True)
    assert alpha.checkout.head(f"fe/{task}") == there


def test_what_nobody_can_count_is_handed_in_and_told_and_the_same_hand_in_counts_it_anew_Q2_Q6(clones: Clones) -> None:
    alpha, there, task = clones.alpha, clones.alpha.checkout.head("main"), clones.alpha.create()
    alpha.checkout.commit("unpushed.py", "unpushed\n")
    with clones.cut():
        alpha.start(CLAUDE, task)
        assert alpha.show(task).task.start_target is None
        alpha.checkout.git("switch", "-q", "-c", f"fe/{task}")
        alpha.checkout.commit("work.py", "work\n", session=CLAUDE)
        (note,) = alpha.submit(CLAUDE, task).notes
    assert note.startswith("the change was computed against main as this clone has it (")
    assert alpha.submit(CLAUDE, task).repeats == 0, "counted again is no round without progress (L11)"
    one, two = alpha.show(task, ALICE).attempts
    assert one.base != there
    assert (two.base, [file.path for file in two.files]) == (there, ["unpushed.py", "work.py"])
    state = alpha.app.loops.show(task).state
    assert (state.round, [round_.goes_on for round_ in state.rounds]) == (0, [True, False]), "nothing came back (E1)"
    assert not state.rounds[1].same_tree
    counted = Recount()
    counted.feed(list(alpha.app.audit.export()))
    assert stand(counted.loop(task), 2, 5)[0].rounds == 0
    alpha.approve(CODEX, task)
    assert merge(alpha) == {task: "merged"}


def test_what_landed_since_nobody_knows_when_is_not_handed_in_as_no_code_A5_K4_Q6(clones: Clones) -> None:
    alpha, task = clones.alpha, clones.alpha.create()
    with clones.cut():
        alpha.start(CLAUDE, task)
        alpha.checkout.commit("work.py", "work\n", session=CLAUDE)
    alpha.checkout.git("push", "-q", "origin", "main")
    for once_more in (False, True):
        if once_more:
            alpha.app.claims.unstart(CLAUDE, task, reason="once more")
            alpha.start(CLAUDE, task)
        with alpha.refused("Q6") as said:
            alpha.submit(CLAUDE, task)
        assert "--no-code" not in str(said[0].reasons[0].next)
        with alpha.refused("Q6"):
            alpha.app.attempts.submit(CLAUDE, task, no_code=True)
    alpha.checkout.git("switch", "-q", "-c", f"fe/{task}")
    alpha.checkout.commit("more.py", "more\n", session=CLAUDE)
    assert alpha.submit(CLAUDE, task).files == 1


def test_what_was_pushed_to_the_target_and_taken_off_the_branch_here_is_not_handed_in_as_no_code_A5_K4(
    clones: Clones,
) -> None:
    alpha, task = clones.alpha, clones.alpha.create()
    alpha.start(CLAUDE, task)
    pushed = alpha.checkout.commit("backdoor.py", "evil\n", session=CLAUDE)
    alpha.checkout.git("push", "-q", "origin", "main")
    alpha.checkout.git("reset", "-q", "--hard", "HEAD~1")
    with alpha.refused("K4") as refusal:
        alpha.app.attempts.submit(CLAUDE, task, no_code=True)
    steps = steps_text(refusal[0].reasons[0].next)
    assert (pushed[:7] in refusal[0].reasons[0].message, f"git show {pushed[:12]}" in steps) == (True, True)
    alpha.checkout.git("pull", "-q", "origin", "main")
    assert (alpha.submit(CLAUDE, task).files, alpha.show(task).attempts[-1].landed) == (1, True)


def test_what_was_pushed_over_where_the_task_began_is_not_handed_in_as_no_code_either_A5_K4(clones: Clones) -> None:
    alpha, git = clones.alpha, clones.alpha.checkout.git
    alpha.checkout.commit("plain.py")
    git("push", "-q", "origin", "main")
    task = alpha.create()
    alpha.start(CLAUDE, task)
    git("reset", "-q", "--hard", "HEAD~1")
    pushed = alpha.checkout.commit("backdoor.py", "evil\n")
    git("push", "-q", "-f", "origin", "main")
    git("reset", "-q", "--hard", "HEAD~1")
    with alpha.refused("K4") as refusal:
        alpha.app.attempts.submit(CLAUDE, task, no_code=True)
    assert pushed[:7] in refusal[0].reasons[0].message


def test_a_target_that_was_only_set_back_since_then_is_no_reason_against_no_code_A5_K4(clones: Clones) -> None:
    alpha, git = clones.alpha, clones.alpha.checkout.git
    alpha.checkout.commit("plain.py")
    git("push", "-q", "origin", "main")
    task = alpha.create()
    alpha.start(CLAUDE, task)
    git("reset", "-q", "--hard", "HEAD~1")
    git("push", "-q", "-f", "origin", "main")
    assert alpha.app.attempts.submit(CLAUDE, task, no_code=True).no_code


def test_what_tasks_brought_since_then_is_no_reason_against_no_code_A5_K4(clones: Clones) -> None:
    alpha, task = clones.alpha, clones.alpha.create()
    alpha.start(CLAUDE, task)
    approved(alpha)
    merge(alpha)
    assert alpha.app.attempts.submit(CLAUDE, task, no_code=True).no_code


def test_who_has_nothing_to_show_while_the_remote_is_away_is_told_every_way_on_at_once_A5_Q6(clones: Clones) -> None:
    alpha, task = clones.alpha, clones.alpha.create()
    with clones.cut():
        alpha.start(CLAUDE, task)
        with alpha.refused("Q6") as away:
            alpha.submit(CLAUDE, task)
    with alpha.refused("Q6") as there:
        alpha.submit(CLAUDE, task)
    commands = [[step.argv for step in each[0].reasons[0].next.steps] for each in (away, there)]
    assert commands[0] == commands[1], "that it answers changes nothing, so waiting for it is not the only way"
    assert "wait until origin answers" in steps_text(away[0].reasons[0].next)
    alpha.app.closing.close(ALICE, task, reason="no code was needed")
    assert alpha.status(task) == "closed"


def test_a_target_that_is_gone_from_the_remote_is_at_the_last_merge_on_record_K1_Q6(clones: Clones) -> None:
    alpha, task = clones.alpha, clones.alpha.create()
    approved(alpha, by=CODEX)
    merge(alpha)
    made = alpha.checkout.head("main")
    forged(alpha)
    clones.remote.git("update-ref", "-d", MAIN)
    notes = alpha.app.claims.start(CODEX, task, worktree=True).notes
    assert (alpha.checkout.head(f"fe/{task}"), alpha.show(task).task.start_target) == (made, made)
    what = "main of this clone has commits since the last recorded merge, and origin has no branch main"
    assert f"{what}, so work starts without them" in notes


def test_commits_of_this_clone_are_told_as_what_is_known_of_them_K1_Q6(clones: Clones) -> None:
    alpha = clones.alpha
    approved(alpha, by=CODEX)
    merge(alpha)
    alpha.checkout.commit("hand.py", "by hand\n")
    alpha.checkout.git("push", "-q", "origin", "main")
    with clones.cut():
        (note,) = alpha.app.claims.start(CODEX, alpha.create(), worktree=True).notes
    what = "main of this clone has commits since the last recorded merge, and origin could not be asked for them"
    assert note == f"{what}, so work starts without them"
    alpha.checkout.commit("more.py", "more\n")
    notes = alpha.app.claims.start(CODEX, alpha.create(), worktree=True).notes
    assert "main of this clone has commits that origin lacks, so work starts without them" in notes


def test_a_checkpoint_before_a_sprint_is_where_the_remote_has_the_target_X5_Q6(clones: Clones) -> None:
    alpha, there = clones.alpha, clones.alpha.checkout.head("main")
    forged(alpha)
    planned = alpha.app.sprints.plan(ALICE, SprintAsk(tasks=(alpha.create(),))).id
    with clones.cut(), alpha.refused("K2"):
        alpha.app.sprints.start(ALICE, planned)
    begun = alpha.app.sprints.start(ALICE, planned)
    (kept,) = alpha.app.context.workshop.checkpoints()
    assert (kept.name, kept.sha) == (begun.checkpoint, there)


def test_a_checkpoint_of_a_target_that_the_remote_lacks_says_whether_it_is_a_merge_X5_Q6(clones: Clones) -> None:
    alpha = clones.alpha
    clones.remote.git("update-ref", "-d", MAIN)
    planned = alpha.app.sprints.plan(ALICE, SprintAsk(tasks=(alpha.create(),))).id
    notes = alpha.app.sprints.start(ALICE, planned).notes
    assert "that is main of this clone, because origin has no branch main" in notes
    assert not any("last merge" in note for note in notes), "nothing was merged yet"


@pytest.mark.parametrize("refs", [[tracked("origin", MAIN)], [MAIN], [MAIN, tracked("origin", MAIN)]])
def test_an_anchor_that_was_never_pushed_keeps_nobody_from_starting_and_is_taken_up_by_nobody_P12_J3_Q6(
    clones: Clones, refs: list[str]
) -> None:
    """Whoever works in a clone writes its refs."""
    alpha, git = clones.alpha, clones.alpha.checkout.git
    task, others = alpha.create(), [alpha.create(), alpha.create()]
    words = "\n".join(f"Task: {each}" for each in (task, *others))
    planted = git("commit-tree", "-p", "main", "main^{tree}", "-m", f"m\n\n{words}\nJournal: 99999999:ab").strip()
    for ref in refs:
        git("update-ref", ref, planted)
    alpha.app.claims.start(CLAUDE, task, worktree=True)
    alpha.app.claims.next(CODEX, worktree=True)
    for ref in refs:
        git("update-ref", ref, planted)
    assert alpha.app.projects.adopt(ALICE, "as told").anchor == ""
    assert [line.result for line in alpha.app.doctor.examine(ALICE) if line.check == "place"] == ["ok"]
    assert not any("99999999" in each.message for each in alpha.app.audit.verify().findings)
    git("push", "-q", "origin", f"{planted}:{MAIN}")
    assert any("99999999" in each.message for each in alpha.app.audit.verify().findings)
    with alpha.refused("P12"):
        alpha.start(CLAUDE, others[1])
    assert alpha.app.projects.adopt(ALICE, "an older backup is all that is left").anchor == "99999999:ab"
