"""What was submitted on another machine: not stale for that, fetched where it is lacking, or told why not (D4, Q6)."""

from __future__ import annotations

import json
from contextlib import nullcontext
from pathlib import Path

import pytest

from foureyes.app.results.work import WorktreeView
from foureyes.app.target import ask_target
from foureyes.core.words.ids import Sha
from foureyes.core.words.refs import attempt_ref
from foureyes.errors import RemoteProblem
from foureyes.ui.steps import steps_text

from tests.stage.checkout import Checkout
from tests.stage.clones import SHARED, Clone, Clones
from tests.stage.gated import LINT
from tests.stage.people import ALICE, BOB, CLAUDE, CODEX

pytestmark = pytest.mark.on("sqlite")


def test_what_was_made_on_one_machine_is_read_and_approved_on_another_D4(clones: Clones) -> None:
    task = clones.alpha.submitted_task(CLAUDE)
    assert "work.py" in clones.beta.app.attempts.diff(task)
    assert clones.beta.app.attempts.changes(task).files[0].path == "work.py"
    you = clones.beta.show(task).you
    assert you is not None
    assert you.reasons == ()
    clones.beta.approve(BOB, task)
    assert clones.beta.status(task) == "approved"
    assert clones.beta.checkout.git("branch", "--list", "fe/*") == "", "no branch was made for it"


def test_what_was_fetched_to_be_shown_is_told_once(clones: Clones) -> None:
    task = clones.alpha.submitted_task(CLAUDE)
    told = [clones.beta.app.lists.show(BOB, task, with_diff=True).remarks for _ in range(2)]
    assert told == [[f"attempt 1 of {task}: not in this clone, fetched from origin"], []]


def test_a_status_that_leads_to_checks_says_where_the_work_is_not_in_this_clone_Q6_G2(clones: Clones) -> None:
    alpha = clones.alpha
    alpha.checkout.commit("foureyes.toml", SHARED + LINT)
    alpha.checkout.git("push", "-q", "origin", "main")
    alpha.app.policy.accept(ALICE)
    task = alpha.submitted_task(CLAUDE)
    for clone, many in ((alpha, 0), (clones.beta, 1)):
        seen = clone.app.status.show(ALICE)
        assert steps_text(seen.next) == f"fe check run {task}"
        notes = [steps_text(note) for note in seen.notes]
        notes = [note for note in notes if f"the work of {task} is not in this clone" in note]
        assert len(notes) == many
        assert all(note.endswith("To see whether the remote answers: fe doctor") for note in notes)


def test_a_merge_waits_for_what_it_cannot_fetch_and_voids_nothing(clones: Clones) -> None:
    with clones.cut():
        task = clones.beta.submitted_task(CLAUDE)
    clones.beta.approve(BOB, task)
    (row,) = clones.alpha.app.merges.process(ALICE)
    assert row.outcome == "waiting"
    assert (
        "is not in this clone (it was submitted on beta) and cannot be fetched: origin does not have it" in row.message
    )
    assert clones.alpha.status(task) == "approved"


def test_what_was_not_pushed_is_pushed_by_what_works_there_T2(clones: Clones) -> None:
    with clones.cut():
        task = clones.beta.submitted_task(CLAUDE)
    with pytest.raises(RemoteProblem) as waiting:
        clones.alpha.app.attempts.diff(task)
    clones.beta.approve(BOB, task)
    with pytest.raises(RemoteProblem) as decided:
        clones.alpha.app.attempts.diff(task)
    steps = [problem.value.next_step.steps[0].argv for problem in (waiting, decided)]
    assert steps == [("fe", "submit", task), ("fe", "merge")]


def test_without_a_remote_it_is_said_that_there_is_none_and_nothing_is_void_D4(strangers: Clones) -> None:
    task = strangers.beta.submitted_task(CLAUDE)
    strangers.beta.approve(BOB, task)
    with pytest.raises(RemoteProblem, match=r"not in this clone .* names no remote"):
        strangers.alpha.app.attempts.diff(task)
    (row,) = strangers.alpha.app.merges.process(ALICE)
    assert (row.outcome, steps_text(row.next)) == (
        "waiting",
        'name the remote that the clones share in foureyes.toml: [git] remote = "origin"',
    )
    assert strangers.alpha.status(task) == "approved"


def test_a_branch_that_moved_on_its_own_machine_makes_the_attempt_stale_once_the_remote_has_it_D4(
    clones: Clones,
) -> None:
    task = clones.alpha.submitted_task(CLAUDE)
    seen = clones.beta.seen(task)
    clones.alpha.checkout.commit("more.py", session=CLAUDE)
    clones.alpha.checkout.git("push", "-q", "origin", f"fe/{task}")
    with clones.beta.refused("D4"):
        clones.beta.approve(BOB, task, seen=seen)


def test_what_the_remote_has_for_a_branch_of_another_name_says_nothing_about_an_attempt_D4(clones: Clones) -> None:
    alpha, beta = clones.alpha, clones.beta
    clones.remote.git("branch", "production", "main")
    task = alpha.create()
    alpha.start(CLAUDE, task)
    alpha.checkout.git("switch", "-q", "-c", "production")
    alpha.checkout.commit("work.py", session=CLAUDE)
    alpha.submit(CLAUDE, task, branch="production")
    beta.approve(BOB, task)
    assert {row.task: row.outcome for row in beta.app.merges.process(ALICE)} == {task: "merged"}


def test_a_remote_that_cannot_be_asked_leaves_what_the_machine_last_told_D4(clones: Clones) -> None:
    task = clones.alpha.submitted_task(CLAUDE)
    clones.beta.app.attempts.diff(task)
    with clones.cut():
        (note,) = clones.beta.approve(BOB, task).notes
    assert clones.beta.status(task) == "approved"
    assert note.startswith("it could not be checked whether its branch moved (origin cannot be")
    assert note.endswith("The branch as submitted on alpha counts, and the merge checks it again.")
    (payload,) = clones.beta.sql("SELECT payload FROM journal WHERE kind = 'Approved'")[0]
    assert json.loads(payload)["remote_problem"] in note


@pytest.mark.on("sqlite", "postgres")
@pytest.mark.parametrize("is_away", [False, True])
def test_what_was_made_on_another_machine_is_approved_with_a_signature_D4_I9(clones: Clones, *, is_away: bool) -> None:
    """A person signs before the transaction, and nobody asks a remote inside of it."""
    alpha, beta = clones.alpha, clones.beta
    beta.app.keys.new(BOB)
    task = alpha.submitted_task(CLAUDE, labels=("security",))
    beta.app.attempts.diff(task)
    with clones.cut() if is_away else nullcontext():
        beta.approve(BOB, task)
    (payload,) = [row.payload for row in beta.app.audit.log(task=task) if row.kind == "Approved"]
    assert bool(json.loads(payload).get("remote_problem")) == is_away
    assert beta.app.audit.verify().signatures == 1


def test_an_approval_says_nothing_of_a_remote_that_answered_D4(clones: Clones) -> None:
    task = clones.alpha.submitted_task(CLAUDE)
    assert clones.beta.approve(BOB, task).notes == ()


def test_what_the_remote_has_under_another_name_is_not_taken_for_it(clones: Clones) -> None:
    task = clones.alpha.submitted_task(CLAUDE)
    clones.remote.git("update-ref", attempt_ref(task, 1), "refs/heads/main")
    clones.remote.git("update-ref", "-d", f"refs/heads/fe/{task}")
    with pytest.raises(RemoteProblem, match="in its place"):
        clones.beta.app.attempts.diff(task)


def test_what_somebody_fetched_by_hand_is_here(strangers: Clones) -> None:
    task = strangers.beta.submitted_task(CLAUDE)
    strangers.alpha.checkout.git("fetch", "-q", "../beta", f"fe/{task}")
    assert "work.py" in strangers.alpha.app.attempts.diff(task)
    assert strangers.alpha.checkout.git("rev-parse", attempt_ref(task, 1)) == strangers.beta.checkout.head()


def test_a_commit_that_is_here_without_its_files_is_fetched_once_more(clones: Clones) -> None:
    task = clones.alpha.submitted_task(CLAUDE)
    here = clones.beta.checkout
    here.git("fetch", "-q", "--no-write-fetch-head", "../remote.git", f"fe/{task}")
    blob = clones.alpha.checkout.git("rev-parse", "HEAD:work.py")
    (here.path / ".git/objects" / blob[:2] / blob[2:]).unlink()
    assert "work.py" in clones.beta.app.attempts.diff(task)
    assert here.git("cat-file", "-t", blob) == "blob"


def test_every_attempt_comes_for_who_compares_them(clones: Clones) -> None:
    task = clones.alpha.submitted_task(CLAUDE)
    clones.alpha.app.feedback.redo(ALICE, task, text="more")
    clones.alpha.start(CLAUDE, task)
    clones.alpha.checkout.commit("more.py", session=CLAUDE)
    clones.alpha.submit(CLAUDE, task)
    assert [file.path for file in clones.beta.app.attempts.changes(task, since=1).files] == ["more.py"]


def test_work_that_comes_back_to_where_it_began_has_what_was_handed_in_elsewhere_since_K1(clones: Clones) -> None:
    alpha, beta = clones.alpha, clones.beta
    task = alpha.create()
    alpha.start(CLAUDE, task)
    place = Path(alpha.app.worktrees.open(CLAUDE, task).path)
    Checkout(place).commit("first.py", session=CLAUDE)
    alpha.submit(CLAUDE, task, branch=f"fe/{task}")
    alpha.app.feedback.redo(ALICE, task, text="more")
    beta.start(CODEX, task)
    there = Path(beta.app.worktrees.open(CODEX, task).path)
    Checkout(there).commit("second.py", session=CODEX)
    beta.submit(CODEX, task, branch=f"fe/{task}")
    beta.app.feedback.redo(ALICE, task, text="more")
    alpha.start(CLAUDE, task)
    made = alpha.app.worktrees.open(CLAUDE, task)
    assert (made.path, made.notes) == (str(place), ())
    assert (place / "second.py").exists()


def test_what_a_run_left_that_was_cut_off_here_is_a_checkpoint_once_another_machine_handed_in_K1(
    clones: Clones,
) -> None:
    alpha, beta = clones.alpha, clones.beta
    task = alpha.create()
    alpha.start(CLAUDE, task)
    place = Path(alpha.app.worktrees.open(CLAUDE, task).path)
    (place / "left.py").write_text("left\n")
    alpha.app.claims.unstart(CLAUDE, task)
    beta.submit(CODEX, beta.work(CODEX, task))
    beta.app.feedback.redo(ALICE, task, text="more")
    alpha.start(CLAUDE, task)
    (note,) = alpha.app.worktrees.open(CLAUDE, task).notes
    assert sorted(path.name for path in place.iterdir() if path.suffix == ".py") == ["code.py", "work.py"]
    (kept,) = alpha.app.checkpoints.all()
    assert kept.name in note
    assert alpha.checkout.git("show", f"{kept.sha}:left.py") == "left"


def test_where_the_remote_cannot_be_asked_work_begins_on_what_is_here_and_says_so_Q6(clones: Clones) -> None:
    first = clones.alpha.submitted_task(CLAUDE)
    clones.alpha.approve(BOB, first)
    clones.alpha.checkout.switch("main")
    clones.alpha.app.merges.process(ALICE)
    task = clones.beta.create()
    clones.beta.start(CODEX, task)
    with clones.cut():
        (note,) = clones.beta.app.worktrees.open(CODEX, task).notes
    assert note.startswith("main of this clone lacks the latest merges: ")


def test_work_that_begins_afresh_at_another_machine_has_nothing_of_before_F1(clones: Clones) -> None:
    task = clones.alpha.submitted_task(CLAUDE)
    clones.alpha.app.feedback.redo(ALICE, task, text="again", option="fresh")
    clones.beta.start(CODEX, task)
    assert not (Path(clones.beta.app.worktrees.open(CODEX, task).path) / "work.py").exists()


def by_hand(clone: Clone, name: str = "hand.py") -> Sha:
    """A commit on the target of one machine, pushed by hand."""
    clone.checkout.switch("main")
    made = clone.checkout.commit(name, "by hand\n", message="by hand")
    clone.checkout.git("push", "-q", "origin", "main")
    return made


def opened(clone: Clone) -> tuple[str, WorktreeView]:
    task = clone.create()
    clone.start(CODEX, task)
    clone.checkout.switch("main")
    return task, clone.app.worktrees.open(CODEX, task)


def test_work_begins_on_the_remotes_tip_as_last_known_and_the_branch_here_stays_K1_Q6(clones: Clones) -> None:
    made, before = by_hand(clones.alpha), clones.beta.checkout.head("main")
    ask_target(clones.beta.app.context)
    task, view = opened(clones.beta)
    assert view.notes == ()
    assert (clones.beta.checkout.head(f"fe/{task}"), clones.beta.checkout.head("main")) == (made, before)
    assert clones.beta.show(task).task.start_target == made


def test_work_begins_without_the_commits_that_only_this_clone_has_and_says_so_K1_Q6(clones: Clones) -> None:
    there = clones.beta.checkout.head("main")
    mine = clones.beta.checkout.commit("mine.py", "mine\n", message="not pushed")
    task, view = opened(clones.beta)
    assert view.notes == ("main of this clone has commits that origin lacks, so work starts without them",)
    assert (clones.beta.checkout.head(f"fe/{task}"), clones.beta.checkout.head("main")) == (there, mine)


def test_work_begins_on_what_was_pulled_since_the_remote_was_asked_K1_Q6(clones: Clones) -> None:
    ask_target(clones.beta.app.context)
    made = by_hand(clones.alpha)
    clones.beta.pull()
    task, view = opened(clones.beta)
    assert (clones.beta.checkout.head(f"fe/{task}"), view.notes) == (made, ())


def test_a_redo_says_nothing_of_a_branch_here_that_was_not_judged_and_work_begins_anew_there_F1_K1(
    clones: Clones,
) -> None:
    alpha, beta = clones.alpha, clones.beta
    task = alpha.submitted_task(CLAUDE)
    alpha.app.feedback.redo(ALICE, task, text="more")
    beta.start(CODEX, task)
    path = Path(beta.app.worktrees.open(CODEX, task).path)
    beta.checkout.git("-C", str(path), "commit", "-q", "--allow-empty", "-m", "more")
    beta.submit(CODEX, task, branch=f"fe/{task}")
    alpha.checkout.switch("main")
    assert alpha.app.attempts.diff(task)
    said = alpha.app.feedback.redo(ALICE, task, text="from the start", option="fresh")
    assert [note.split(" ")[:2] for note in said.notes] == [["attempt", "2"]], "it stays, and nothing else is told"
    alpha.start(CLAUDE, task)
    alpha.app.worktrees.open(CLAUDE, task)
    assert alpha.checkout.head(f"fe/{task}") == alpha.checkout.head("main")
