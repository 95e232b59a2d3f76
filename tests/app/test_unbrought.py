"""Q5: commits on the target that no task brought are told by status, doctor and validate."""

from __future__ import annotations

import pytest

from foureyes.app.results.project import News
from foureyes.app.target_merges import unbrought

from tests.stage.checkout import AT_ONCE
from tests.stage.clones import Clone, Clones
from tests.stage.gated import approved, configure, merge
from tests.stage.people import ALICE, BOB, CODEX
from tests.stage.world import GitWorld


def told(world: GitWorld) -> tuple[str, str, str]:
    """What each of the three says about the target."""
    status = " ".join(step.before for note in world.app.status.show(BOB).notes for step in note.steps)
    (doctor,) = [check.message for check in world.app.doctor.examine(BOB) if check.check == "target"]
    return status, doctor, " ".join(world.app.validation.validate(BOB).notes)


def test_a_commit_that_no_task_brought_is_told_until_the_next_merge_by_status_and_always_by_the_others_Q5(
    world: GitWorld,
) -> None:
    configure(world, AT_ONCE)
    assert merge(world) == {}
    first = approved(world)
    assert merge(world) == {first: "merged"}
    assert not any("to no task" in text for text in told(world)), "merges are brought by tasks"
    stray = world.checkout.commit("by_hand.py", message="straight to main")
    for text in told(world):
        assert f"1 commit on main belongs to no task: {stray[:7]} straight to main" in text
    second = approved(world)
    assert merge(world) == {second: "merged"}
    status, doctor, validate = told(world)
    assert "to no task" not in status
    assert stray[:7] in doctor
    assert stray[:7] in validate


def test_what_a_task_brought_by_hand_is_brought_Q5_A3(world: GitWorld) -> None:
    configure(world, AT_ONCE)
    task = approved(world)
    world.checkout.git("merge", "-q", "--ff-only", f"fe/{task}")
    assert merge(world) == {task: "found"}
    assert not any("to no task" in text for text in told(world))


def test_a_merge_by_hand_with_another_content_than_the_approved_change_is_on_record_Q2_P8(world: GitWorld) -> None:
    configure(world, AT_ONCE)
    honest = approved(world)
    world.checkout.git("merge", "-q", "--no-ff", "-m", "by hand", f"fe/{honest}")
    assert merge(world) == {honest: "found"}
    other = approved(world)
    world.checkout.git("merge", "-q", "--no-ff", "--no-commit", f"fe/{other}")
    world.checkout.write("smuggled.py", "x\n")
    world.checkout.git("add", "smuggled.py")
    world.checkout.git("commit", "-q", "-m", "by hand, and more")
    assert merge(world) == {other: "found"}
    rows = [row for row in world.app.audit.exceptions() if row.kind == "merged_by_hand"]
    assert [(row.task, row.rule) for row in rows] == [(other, "Q2")]
    assert world.show(other, ALICE).task.status == "closed"


def test_what_no_task_brought_is_told_of_the_remotes_target_Q5_Q6(clones: Clones) -> None:
    alpha, beta = clones.alpha, clones.beta
    beta.start(CODEX, beta.create())
    stray = alpha.checkout.commit("stray.py", "stray\n", message="straight to main")
    alpha.checkout.git("push", "-q", "origin", "main")
    assert unbrought(beta.app.context) is None, "nobody asked the remote yet"
    beta.app.doctor.examine(ALICE)
    told = unbrought(beta.app.context)
    assert told is not None
    assert told.text == f"1 commit on main belongs to no task: {stray[:7]} straight to main (Ada)"
    assert f"{told.text} (Q5)" in beta.app.validation.validate(ALICE).notes


def test_a_merge_tells_what_no_task_brought_before_it_is_the_first_to_stand_on_it_Q5_Q6(clones: Clones) -> None:
    alpha, beta = clones.alpha, clones.beta
    first = approved(alpha)
    assert merge(alpha) == {first: "merged"}
    beta.pull()
    stray = beta.checkout.commit("stray.py", "stray\n", message="straight to main")
    beta.checkout.git("push", "-q", "origin", "main")
    second, third = approved(alpha), approved(alpha)
    said: list[News] = []
    alpha.app.merges.process(ALICE, said.append)
    assert [alpha.status(task) for task in (second, third)] == ["closed", "closed"]
    (at,) = [n for n, news in enumerate(said) if "to no task" in news.text]
    assert said[at].text == f"1 commit on main belongs to no task: {stray[:7]} straight to main (Ada)"
    assert said[at].next.steps[0].argv == ("git", "show", stray)
    assert said[at - 1].text.startswith(f"{second}  merging"), "before it is built on, and once"


def test_the_first_merge_of_a_project_tells_it_too_Q5(world: GitWorld) -> None:
    configure(world, AT_ONCE)
    task = approved(world)
    stray = world.checkout.commit("by_hand.py", message="straight to main")
    (row,) = world.app.merges.process(BOB)
    assert (row.task, row.outcome) == (task, "merged")
    assert row.notes == (f"it is based on commits that belong to no task: {stray[:7]} straight to main (Ada)",)


def test_who_listens_to_no_news_has_it_with_the_merge_Q5(world: GitWorld) -> None:
    configure(world, AT_ONCE)
    first = approved(world)
    assert merge(world) == {first: "merged"}
    stray = world.checkout.commit("by_hand.py", message="straight to main")
    approved(world)
    (row,) = world.app.merges.process(BOB)
    assert row.notes == (f"it is based on commits that belong to no task: {stray[:7]} straight to main (Ada)",)


def hide(clone: Clone) -> tuple[str, str]:
    """Push a commit whose first parent is not what was on main, by a push that goes on from there; and its side."""
    git, main = clone.checkout.git, clone.checkout.head("origin/main")
    git("switch", "-q", "--detach", main)
    clone.checkout.write("evil.py", "evil\n")
    git("add", "evil.py")
    side = git("commit-tree", f"{main}~1^{{tree}}", "-m", "aside")
    made = git("commit-tree", git("write-tree"), "-p", side, "-p", main, "-m", "update")
    git("push", "-q", "origin", f"{made}:refs/heads/main")
    git("reset", "-q", "--hard", main)
    return made, side


def test_a_push_that_makes_the_target_a_second_parent_hides_nothing_Q5(clones: Clones) -> None:
    alpha, beta = clones.alpha, clones.beta
    alpha.checkout.write(".git/info/exclude", ".foureyes/\n")
    first = approved(alpha)
    assert merge(alpha) == {first: "merged"}
    beta.checkout.git("fetch", "-q", "origin")
    made, side = hide(beta)
    task = approved(alpha)
    said: list[News] = []
    alpha.app.merges.process(ALICE, said.append)
    assert alpha.status(task) == "closed"
    words = f"2 commits on main belong to no task: {made[:7]} update (Ada), {side[:7]} aside (Ada)"
    assert [news.text for news in said if "to no task" in news.text] == [words]
    status, doctor, validate = told(alpha)
    assert words not in status, "a merge stands on it by now"
    assert words in doctor
    assert words in validate


def test_a_push_that_makes_the_target_a_second_parent_takes_no_anchor_away_J3_P12(clones: Clones) -> None:
    alpha, beta = clones.alpha, clones.beta
    git = alpha.checkout.git
    main = alpha.checkout.head("main")
    foreign = git("commit-tree", f"{main}^{{tree}}", "-p", main, "-m", "Merge\n\nJournal: 999999:ffff")
    git("push", "-q", "origin", f"{foreign}:refs/heads/main")
    beta.checkout.git("fetch", "-q", "origin")
    hide(beta)
    with alpha.refused("P12"):
        merge(alpha)
    assert any("999999:ffff" in found.message for found in alpha.app.audit.verify().findings)


def test_more_than_is_looked_at_is_told_as_more_and_also_after_the_merge_Q5(
    world: GitWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("foureyes.app.target_merges.COMMITS_LOOKED_AT", 8)
    world.checkout.write(".git/info/exclude", ".foureyes/\n")
    configure(world, AT_ONCE)
    first = approved(world)
    assert merge(world) == {first: "merged"}
    for number in range(12):
        world.checkout.git("commit", "-q", "--allow-empty", "-m", f"by hand {number}")
    approved(world)
    (row,) = world.app.merges.process(BOB)
    (note,) = row.notes
    assert note.endswith(" and 5 or more")
    _, doctor, validate = told(world)
    for text in (doctor, validate):
        assert "or more commits on main belong to no task" in text


def test_a_target_without_any_commit_that_is_known_is_told_Q5(world: GitWorld) -> None:
    configure(world, AT_ONCE)
    first = approved(world)
    assert merge(world) == {first: "merged"}
    git = world.checkout.git
    made = git("commit-tree", "main^{tree}", "-m", "from nowhere")
    git("update-ref", "refs/heads/main", made)
    stray = unbrought(world.app.context)
    assert stray is not None
    assert stray.text == f"1 commit on main belongs to no task: {made[:7]} from nowhere (Ada)"
