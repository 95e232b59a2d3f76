"""Attempts over real git: what submit freezes (A1), empty diffs (A5), every place work can be (K4), who submits."""

from __future__ import annotations

from pathlib import Path

import pytest

from foureyes.app.gate import submission
from foureyes.app.results.task_list import ListQuery
from foureyes.core.words.refs import DETACHED
from foureyes.errors import BadInput, GitProblem, NotFound, StaleState

from tests.stage.people import ALICE, BOB, CI, CLAUDE, CODEX, GEMINI, agent, asserted, child_of
from tests.stage.world import DeskWorld, GitWorld


def test_submit_freezes_what_was_handed_in_A1(world: GitWorld) -> None:
    base = world.checkout.head()
    task = world.work(CLAUDE, world.create(), text="one\ntwo\n")
    world.checkout.git("mv", "code.py", "moved.py")
    head = world.checkout.commit("work.py", "one\nthree\nfour\n", session=CLAUDE)
    world.clock.advance(minutes=7)
    done = world.submit(CLAUDE, task, message="did it")
    (attempt,) = world.show(task).attempts
    assert (attempt.n, attempt.base, attempt.head, attempt.ref) == (1, base, head, f"refs/heads/fe/{task}")
    assert attempt.tree == world.checkout.git("rev-parse", "HEAD^{tree}")
    assert (
        attempt.diff_id
        == done.diff_id
        == world.checkout.port().change(target="main", ref=f"fe/{task}", since=None).diff_id
    )
    assert {(f.path, f.old_path, f.added, f.removed) for f in attempt.files} == {
        ("work.py", "", 3, 0),
        ("moved.py", "code.py", 0, 0),
    }
    assert head in {commit.sha for commit in attempt.commits}
    assert len(attempt.commits) == 2
    assert (attempt.message, attempt.duration_seconds, attempt.submitted_by, attempt.via) == (
        "did it",
        420,
        CLAUDE.session,
        None,
    )
    assert (attempt.landed, attempt.no_code, attempt.relation) == (False, False, None)
    assert (world.status(task), done.files, done.commits) == ("reviewing", 2, 2)
    assert [entry.action for entry in world.show(task).history] == ["created", "started", "submitted"]


def test_conflicts_that_nobody_resolved_are_not_committed_A1(world: GitWorld) -> None:
    task = world.work(CLAUDE, world.create(), text="mine\n")
    world.checkout.branch("other", "main")
    world.checkout.commit("work.py", "theirs\n")
    world.checkout.switch(f"fe/{task}")
    with pytest.raises(AssertionError):
        world.checkout.git("merge", "-q", "other")
    for commit in (None, "merged"):
        with world.refused("A1") as caught:
            world.submit(CLAUDE, task, commit=commit)
        assert "unresolved conflicts: work.py" in caught[0].reasons[0].message
    with pytest.raises(GitProblem, match=r"work\.py"):
        world.app.context.workshop.commit_all("merged", ())


def test_uncommitted_changes_refuse_the_submit_A1(world: GitWorld) -> None:
    task = world.work(CLAUDE, world.create())
    world.checkout.write("work.py", "changed\n")
    with world.refused("A1") as caught:
        world.submit(CLAUDE, task)
    assert "work.py" in caught[0].reasons[0].message
    world.checkout.git("add", "work.py")
    with world.refused("A1"):
        world.submit(CLAUDE, task)


def test_untracked_files_refuse_the_submit_and_ignored_ones_do_not_A1(world: GitWorld) -> None:
    task = world.work(CLAUDE, world.create())
    world.checkout.commit(".gitignore", "*.tmp\n")
    world.checkout.write("junk.tmp", "x")
    world.checkout.write("new.py", "x")
    with world.refused("A1") as caught:
        world.submit(CLAUDE, task)
    assert "new.py" in caught[0].reasons[0].message
    assert "junk.tmp" not in caught[0].reasons[0].message
    (world.checkout.path / "new.py").unlink()
    assert world.submit(CLAUDE, task).changed


def test_submit_commit_commits_everything_with_trailers_A1_K1(world: GitWorld) -> None:
    task = world.create()
    world.start(CLAUDE, task)
    world.checkout.branch("work")
    world.checkout.write("new.py", "x\n")
    done = world.submit(CLAUDE, task, commit="Write the new file")
    assert world.checkout.git("status", "--porcelain") == ""
    assert done.head == world.checkout.head()
    body = world.checkout.git("log", "-1", "--format=%B")
    assert body.splitlines()[0] == "Write the new file"
    assert f"Task: {task}" in body
    assert f"Foureyes-Session: {CLAUDE.session}" in body


def test_a_commit_of_everything_says_what_it_took_and_takes_no_secret_along_unasked_A1(world: GitWorld) -> None:
    task = world.create()
    world.start(CLAUDE, task)
    world.checkout.branch("work")
    for path in ("new.py", ".env", "keys/id_rsa"):
        world.checkout.write(path, "x\n")
    with world.refused("A1", "A1"):
        world.submit(CLAUDE, task, commit="All of it")
    with world.refused("A1"):
        world.submit(CLAUDE, task, commit="All of it", include=[".env"])
    assert world.checkout.git("status", "--porcelain", "--untracked-files=all").count("??") == 3
    done = world.submit(CLAUDE, task, commit="All of it", include=[".env", "./keys/id_rsa"])
    assert done.committed == done.new == (".env", "keys/id_rsa", "new.py")


def test_a_very_large_new_file_is_committed_only_by_name_A1(world: GitWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(submission, "LARGE", 10)
    task = world.create()
    world.start(CLAUDE, task)
    world.checkout.branch("work")
    world.checkout.write("dump.bin", "x" * 11)
    with world.refused("A1"):
        world.submit(CLAUDE, task, commit="All of it")
    assert world.submit(CLAUDE, task, commit="All of it", include=["dump.bin"]).new == ("dump.bin",)


def test_staged_or_grown_a_commit_of_everything_takes_it_only_by_name_A1(
    world: GitWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.checkout.write("log.txt", "x\n")
    world.checkout.commit("a log")
    monkeypatch.setattr(submission, "LARGE", 10)
    task = world.create()
    world.start(CLAUDE, task)
    world.checkout.branch("work")
    world.checkout.write("log.txt", "x" * 20)
    world.checkout.write(".env", "x\n")
    world.checkout.git("add", "-f", ".env")
    with world.refused("A1", "A1") as refused:
        world.submit(CLAUDE, task, commit="All of it")
    assert [reason.message for reason in refused[0].reasons] == [
        ".env is new, and it looks like a secret",
        "log.txt grew by 0 MiB",
    ]
    done = world.submit(CLAUDE, task, commit="All of it", include=[".env", "log.txt"])
    assert (done.committed, done.new) == ((".env", "log.txt"), (".env",))


def test_a_person_commits_for_the_implementer_and_stays_no_author_A1_I7(world: GitWorld) -> None:
    task = world.create()
    world.start(CLAUDE, task)
    world.checkout.branch("work")
    world.checkout.write("new.py", "x\n")
    world.submit(ALICE, task, commit="Save it")
    found = world.show(task)
    assert found.authors == [CLAUDE.session]
    assert (found.attempts[0].submitted_by, found.attempts[0].via) == (CLAUDE.session, ALICE.session)


def test_a_blank_commit_message_commits_nothing_A1(world: GitWorld) -> None:
    task = world.work(CLAUDE, world.create())
    world.checkout.write("new.py", "x\n")
    before = world.checkout.head()
    with world.refused("A1"):
        world.submit(CLAUDE, task, commit="  ")
    assert world.checkout.head() == before


def test_a_refused_caller_commits_nothing_either_G4_I1(world: GitWorld) -> None:
    task = world.work(CLAUDE, world.create())
    world.checkout.write("new.py", "x\n")
    before = world.checkout.head()
    with world.refused("I1"):
        world.submit(asserted(CLAUDE), task, commit="in another's name")
    assert world.checkout.head() == before


def test_a_stale_version_commits_nothing_either_T6(world: GitWorld) -> None:
    task = world.work(CLAUDE, world.create())
    seen = world.task(task).version
    world.app.tasks.add_label(BOB, task, ["x"])
    world.checkout.write("new.py", "x\n")
    before = world.checkout.head()
    with world.refused(error=StaleState):
        world.submit(CLAUDE, task, commit="late", if_version=seen)
    assert world.checkout.head() == before


def test_sessions_named_by_trailers_become_authors_A1_P2(world: GitWorld) -> None:
    task = world.work(CLAUDE, world.create())
    world.checkout.commit("more.py", "x\n", session=CODEX)
    world.app.notes.log(CODEX, task, "helped")
    world.submit(CLAUDE, task)
    found = world.show(task)
    assert found.authors == [CLAUDE.session, CODEX.session]
    assert (CODEX.session, "committed") in {(entry.session, entry.action) for entry in found.history}
    with world.refused("P2"):
        world.approve(CODEX, task, reason="fine")
    assert world.approve(GEMINI, task).status == "approved"


def test_a_trailer_of_an_unknown_session_is_an_author_and_excludes_nobody_else_A1(world: GitWorld) -> None:
    task = world.create()
    world.start(CLAUDE, task)
    world.checkout.branch("work")
    world.checkout.commit(session=agent("elsewhere"))
    world.submit(CLAUDE, task)
    assert world.show(task).authors == sorted([CLAUDE.session, agent("elsewhere").session])
    assert world.approve(CODEX, task).rule == "P7"


def test_git_names_are_shown_and_never_counted_A1(world: GitWorld) -> None:
    task = world.create()
    world.start(CLAUDE, task)
    world.checkout.branch("work")
    world.checkout.write("x.py", "x")
    world.checkout.git("add", "-A")
    world.checkout.git("-c", f"user.name={ALICE.person}", "commit", "-qm", "a change")
    world.submit(CLAUDE, task)
    assert world.show(task).authors == [CLAUDE.session]
    assert ALICE.person in world.show(task).attempts[0].commits[0].author


def test_an_empty_diff_needs_no_code_and_only_it_A5(world: GitWorld) -> None:
    task = world.create()
    world.start(CLAUDE, task)
    with world.refused("A5"):
        world.submit(CLAUDE, task)
    done = world.submit(CLAUDE, task, no_code=True, message="the answer is 42")
    assert (done.no_code, done.files, done.landed) == (True, 0, False)
    assert world.approve(BOB, task).status == "closed"


def test_no_code_with_code_is_refused_A5(world: GitWorld) -> None:
    task = world.work(CLAUDE, world.create())
    with world.refused("A5"):
        world.submit(CLAUDE, task, no_code=True)


def test_a_change_taken_back_is_an_empty_diff_A5(world: GitWorld) -> None:
    task = world.work(CLAUDE, world.create())
    world.checkout.git("rm", "-q", "work.py")
    world.checkout.git("commit", "-qm", "back")
    with world.refused("A5"):
        world.submit(CLAUDE, task)


def test_work_on_a_detached_head_can_be_handed_in_and_never_goes_stale_K4_D4(world: GitWorld) -> None:
    task = world.create()
    world.start(CLAUDE, task)
    world.checkout.git("switch", "-q", "--detach")
    head = world.checkout.commit()
    done = world.submit(CLAUDE, task)
    assert (done.ref, done.head) == (DETACHED, head)
    world.checkout.commit("later.py")
    assert world.approve(CODEX, task).status == "approved"


def test_a_branch_can_be_named_K4(world: GitWorld) -> None:
    task = world.work(CLAUDE, world.create(), branch="mine")
    head = world.checkout.head()
    world.checkout.switch("main")
    done = world.submit(CLAUDE, task, branch="mine")
    assert (done.ref, done.head) == ("refs/heads/mine", head)
    with world.refused(error=NotFound):
        world.submit(CLAUDE, task, branch="other")


def test_work_straight_on_the_target_is_marked_landed_and_listed_K4(world: GitWorld) -> None:
    before = world.checkout.head()
    task = world.create()
    world.start(CLAUDE, task)
    head = world.checkout.commit(session=CLAUDE)
    done = world.submit(CLAUDE, task)
    assert (done.landed, done.base, done.head, done.files) == (True, before, head, 1)
    assert world.ids_of(landed=True) == [task]
    assert world.counts()["landed"] == 1
    with world.refused("C2"):
        world.app.closing.close(BOB, task)
    with world.refused("C2"):
        world.app.closing.close(CLAUDE, task, exception="trust me")
    assert world.approve(CODEX, task).status == "closed"
    assert (world.ids_of(landed=True), world.counts()["landed"]) == ([], 0)


def test_landed_work_that_left_the_target_is_stale_K4_D4(world: GitWorld) -> None:
    task = world.create()
    world.start(CLAUDE, task)
    world.checkout.commit(session=CLAUDE)
    world.submit(CLAUDE, task)
    world.checkout.commit("other.py", "x\n")
    assert world.show(task).you is not None
    world.checkout.git("reset", "-q", "--hard", "HEAD~2")
    with world.refused("D4"):
        world.approve(CODEX, task)


def test_landed_work_stays_listed_until_approved_also_after_a_redo_K4(world: GitWorld) -> None:
    task = world.create()
    world.start(CLAUDE, task)
    world.checkout.commit(session=CLAUDE)
    world.submit(CLAUDE, task)
    world.app.feedback.redo(BOB, task, "no tests")
    assert world.ids_of(landed=True) == [task]
    with world.refused("C2"):
        world.app.closing.close(CODEX, task)


def test_landed_work_stays_listed_when_the_next_attempt_comes_from_a_branch_K4_C2(world: GitWorld) -> None:
    task = world.create()
    world.start(CLAUDE, task)
    world.checkout.commit(session=CLAUDE)
    world.submit(CLAUDE, task)
    world.app.feedback.redo(BOB, task, "no tests")
    world.start(CLAUDE, task)
    world.checkout.branch("second")
    world.checkout.commit("tests.py", session=CLAUDE)
    world.submit(CLAUDE, task)
    assert world.ids_of(landed=True) == [task], "attempt 1 is on the target, neither approved nor reverted"
    with world.refused("C2"):
        world.app.closing.close(CODEX, task)


def test_the_next_attempt_on_the_target_still_holds_what_landed_first_K4(world: GitWorld) -> None:
    task = world.create()
    world.start(CLAUDE, task)
    base = world.checkout.head()
    world.checkout.commit("evil.py", "bad\n", session=CLAUDE)
    world.submit(CLAUDE, task)
    world.app.feedback.redo(BOB, task, "evil.py is wrong")
    world.start(CLAUDE, task)
    world.checkout.commit("good.py", "fine\n", session=CLAUDE)
    done = world.submit(CLAUDE, task)
    files = {changed.path for changed in world.show(task).attempts[-1].files}
    assert (done.base, files) == (base, {"evil.py", "good.py"}), "approving attempt 2 would pass evil.py unseen"


def test_giving_back_and_starting_again_hides_no_commit_on_the_target_K4(world: GitWorld) -> None:
    task = world.create()
    world.start(CLAUDE, task)
    world.checkout.commit("evil.py", "bad\n", session=CLAUDE)
    world.app.claims.unstart(CLAUDE, task)
    world.start(CLAUDE, task)
    world.checkout.commit("good.py", "fine\n", session=CLAUDE)
    world.submit(CLAUDE, task)
    assert {changed.path for changed in world.show(task).attempts[-1].files} == {"evil.py", "good.py"}


def test_reopened_landed_work_is_listed_again_because_its_approval_ended_K4(world: GitWorld) -> None:
    task = world.create()
    world.start(CLAUDE, task)
    world.checkout.commit(session=CLAUDE)
    world.submit(CLAUDE, task)
    world.approve(CODEX, task)
    world.app.closing.reopen(BOB, task)
    assert world.ids_of(landed=True) == [task]


def test_the_attempt_is_what_the_target_does_not_have_when_main_moves_on_K4(world: GitWorld) -> None:
    task = world.work(CLAUDE, world.create(), branch="mine")
    world.checkout.switch("main")
    world.checkout.commit("main.py", "x\n")
    world.checkout.switch("mine")
    world.checkout.git("merge", "-q", "--no-edit", "main")
    done = world.submit(CLAUDE, task)
    assert done.base == world.checkout.head("main")
    assert [changed.path for changed in world.show(task).attempts[0].files] == ["work.py"]


def test_nothing_is_handed_in_without_a_claim_T2(world: GitWorld) -> None:
    task = world.create()
    world.checkout.branch("work")
    world.checkout.commit()
    with world.refused("T2"):
        world.submit(CLAUDE, task)


def test_another_agent_cannot_hand_in_somebody_elses_claim_A1(world: GitWorld) -> None:
    task = world.work(CLAUDE, world.create())
    with world.refused("A1"):
        world.submit(CODEX, task)


@pytest.mark.parametrize("who", ["person", "service", "delegator"])
def test_for_the_implementer_a_person_a_service_or_the_delegator_may_submit_I7(world: GitWorld, who: str) -> None:
    lead = agent("lead")
    implementer = child_of(lead)
    doer = {"person": BOB, "service": CI, "delegator": lead}[who]
    task = world.work(implementer, world.create())
    done = world.submit(doer, task)
    found = world.show(task)
    assert done.status == "reviewing"
    assert (found.attempts[0].submitted_by, found.attempts[0].via) == (implementer.session, doer.session)
    assert [(e.session, e.via) for e in found.history if e.action == "submitted"] == [
        (implementer.session, doer.session)
    ]
    assert set(found.authors) == {implementer.session, *([lead.session] if who == "delegator" else [])}, "I3"


def test_submitting_the_same_again_is_a_no_op(world: GitWorld) -> None:
    task = world.submitted_task()
    with world.unchanged():
        done = world.submit(CLAUDE, task)
    assert (done.changed, done.attempt) == (False, 1)


def test_a_new_commit_makes_a_new_attempt_and_keeps_the_old_one_A1(world: GitWorld) -> None:
    task = world.submitted_task()
    first = world.show(task).attempts[0]
    world.checkout.commit("work.py", "better\n", session=CLAUDE)
    done = world.submit(CLAUDE, task)
    found = world.show(task)
    assert done.attempt == 2
    assert found.attempts[0] == first
    assert found.attempts[1].relation == "rework"
    assert found.attempts[1].diff_id != first.diff_id


def test_an_amended_message_is_no_other_change_A3(world: GitWorld) -> None:
    task = world.submitted_task()
    world.checkout.git("commit", "-q", "--amend", "-m", "other words")
    world.submit(CLAUDE, task)
    first, second = world.show(task).attempts
    assert (second.relation, first.diff_id) == ("message_only", second.diff_id)


def test_white_space_alone_is_another_diff_A2(world: GitWorld) -> None:
    task = world.submitted_task(text="if a:\n    b()\nc()\n")
    world.checkout.commit("work.py", "if a:\n    b()\n    c()\n", session=CLAUDE)
    world.submit(CLAUDE, task)
    first, second = world.show(task).attempts
    assert first.diff_id != second.diff_id
    assert second.relation == "rework"


def test_a_task_that_moved_while_git_was_asked_is_not_handed_in_T6(
    desk: DeskWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = desk.create()
    desk.start(CLAUDE, task)
    desk.repo.commit("work")
    change = desk.repo.change

    def meanwhile(**asked: object) -> object:
        desk.app.claims.unstart(ALICE, task)
        return change(**asked)  # type: ignore[arg-type]

    monkeypatch.setattr(desk.repo, "change", meanwhile)
    with pytest.raises(StaleState):
        desk.submit(CLAUDE, task)
    assert (desk.status(task), desk.show(task).attempts) == ("open", [])


def test_a_message_with_control_characters_is_bad_input(world: GitWorld) -> None:
    task = world.work(CLAUDE, world.create())
    with world.refused(error=BadInput):
        world.submit(CLAUDE, task, message="\x1b[2J")


def test_the_author_set_only_grows_over_attempts_and_fresh_starts_I8(world: GitWorld) -> None:
    task = world.submitted_task(CLAUDE)
    seen = [set(world.show(task).authors)]
    for actor in (CODEX, GEMINI):
        world.app.feedback.redo(BOB, task, "again")
        world.start(actor, task)
        world.checkout.switch("main")
        world.checkout.branch(f"fresh-{actor.agent}")
        world.checkout.commit(f"{actor.agent}.py", session=actor)
        world.submit(actor, task)
        seen.append(set(world.show(task).authors))
    assert seen == [{CLAUDE.session}, {CLAUDE.session, CODEX.session}, {CLAUDE.session, CODEX.session, GEMINI.session}]
    for actor in (CLAUDE, CODEX, GEMINI):
        with world.refused("P2"):
            world.approve(actor, task, reason="not mine any more")


def test_the_diff_can_be_read_whole_and_since_an_attempt(world: GitWorld) -> None:
    task = world.submitted_task(text="one\n")
    world.checkout.commit("work.py", "two\n", session=CLAUDE)
    world.submit(CLAUDE, task)
    assert "+two" in world.app.attempts.diff(task)
    assert "-one" not in world.app.attempts.diff(task)
    assert "-one" in world.app.attempts.diff(task, since=1)
    with pytest.raises(NotFound):
        world.app.attempts.diff(task, since=7)
    with pytest.raises(NotFound):
        world.app.attempts.diff(world.create())


def test_a_missing_target_branch_is_a_git_problem_and_changes_nothing_G1(world: GitWorld) -> None:
    task = world.work(CLAUDE, world.create())
    world.checkout.git("branch", "-D", "main")
    with world.refused(error=GitProblem):
        world.submit(CLAUDE, task)


def test_work_in_a_linked_worktree_is_handed_in_from_there_K3(world: GitWorld, tmp_path: Path) -> None:
    task = world.create()
    world.start(CLAUDE, task)
    world.checkout.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    (tmp_path / "side" / "side.py").write_text("x\n")
    with world.refused("A1"):
        world.submit(CLAUDE, task, branch="side")
    world.checkout.git("-C", str(tmp_path / "side"), "add", "-A")
    world.checkout.git("-C", str(tmp_path / "side"), "commit", "-qm", "side")
    assert world.submit(CLAUDE, task, branch="side").files == 1
    assert world.app.lists.page(ListQuery(mine=CLAUDE.session))[0].id == task
