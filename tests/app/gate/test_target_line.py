"""Several machines, one target (Q6): merges are made on the remote's tip, and move it by an atomic push."""

from __future__ import annotations

import os

import pytest

from foureyes.app.gate.landing import line_of
from foureyes.app.results.project import News
from foureyes.core.words.ids import Sha
from foureyes.core.words.refs import FENCE
from foureyes.errors import Refused, RemoteProblem
from foureyes.ui.steps import steps_text

from tests.stage.clones import SHARED
from tests.stage.gated import merge, merge_rows
from tests.stage.people import ALICE, CI, CODEX
from tests.stage.wires import Wired


def test_any_clone_merges_what_another_made_and_every_local_branch_follows_Q5_Q6(clones: Wired) -> None:
    alpha, beta = clones.alpha, clones.beta
    task = clones.approved(alpha)
    assert merge(beta) == {task: "merged"}
    assert clones.main() == beta.checkout.head("main")
    assert not beta.checkout.git("status", "--porcelain")
    assert merge(alpha) == {}
    assert alpha.checkout.head("main") == clones.main()
    assert (alpha.checkout.path / f"{task}.py").exists()


def test_whatever_somebody_put_in_the_place_of_our_refs_there_stops_no_merge_Q3_Q6(clones: Wired) -> None:
    alpha, beta = clones.alpha, clones.beta
    task = clones.approved(alpha)
    blob = alpha.checkout.git("hash-object", "-w", "--stdin", stdin=b"anything")
    for ref in ("refs/foureyes/fence", f"refs/foureyes/left/{task}/1"):
        alpha.checkout.git("push", "-q", "origin", f"{blob}:{ref}")
    assert f"{task}.py" in beta.app.attempts.diff(task)
    assert merge(beta) == {task: "merged"}
    assert clones.remote.git("cat-file", "-t", "refs/foureyes/fence") == "commit"


def test_a_target_that_somebody_pushed_to_meanwhile_means_to_start_over_Q3_Q6(clones: Wired) -> None:
    alpha, beta = clones.alpha, clones.beta
    task = clones.approved(alpha)

    def by_hand(_: object) -> None:
        wire.before = None
        beta.checkout.commit("hand.py", "by hand\n", message="by hand")
        beta.checkout.git("push", "-q", "origin", "main")

    wire = clones.wire(alpha)
    wire.before = by_hand
    assert merge(alpha) == {task: "merged"}
    assert clones.log()[:2] == [f"Merge {task}: a task", "by hand"]
    assert alpha.checkout.head("main") == clones.main()


def test_a_checkout_follows_a_remote_where_what_it_was_at_is_a_second_parent_Q5_Q6(clones: Wired) -> None:
    """Whoever brings a forced push back as the refusal says pushes such a merge."""
    alpha, beta = clones.alpha, clones.beta
    first = clones.approved(alpha)
    assert merge(alpha) == {first: "merged"}
    merged = clones.main()
    there = beta.checkout
    there.git("fetch", "-q", "origin")
    there.git("switch", "-q", "--detach", f"{merged}^")
    there.commit("side.py", "side\n", message="side")
    there.git("push", "-q", "-f", "origin", "HEAD:main")
    there.git("merge", "-q", merged)
    there.git("push", "-q", "origin", "HEAD:main")
    second = clones.approved(beta)
    assert merge(beta) == {second: "merged"}
    assert merge(alpha) == {}
    assert alpha.checkout.head("main") == clones.main()
    assert alpha.checkout.git("status", "--porcelain") == ""
    here = alpha.checkout.path
    assert all((here / name).exists() for name in ("side.py", f"{first}.py", f"{second}.py"))


def test_commits_that_only_this_clone_has_stay_and_are_told_Q5_Q6(clones: Wired) -> None:
    alpha = clones.alpha
    task = clones.approved(alpha)
    mine = alpha.checkout.commit("mine.py", "mine\n", message="not pushed")
    told: list[News] = []
    rows = alpha.app.merges.process(CI, told.append)
    assert {row.task: row.outcome for row in rows} == {task: "merged"}
    assert alpha.checkout.head("main") == mine
    assert "mine.py" not in clones.remote.git("ls-tree", "--name-only", "main")
    (news,) = [news for news in told if "commits that origin lacks" in news.text]
    (line,) = [line for line in alpha.app.doctor.examine(ALICE) if line.check == "target"]
    assert (line.result, line.message, line.next) == ("warn", news.text, news.next)
    back = steps_text(news.next).partition(". To drop them here and continue from origin: ")[2]
    for command in back.split(", then: "):
        alpha.checkout.git(*command.split()[1:])
    assert alpha.checkout.head("main") == clones.main()
    assert alpha.checkout.head(f"main-{mine[:7]}") == mine
    assert alpha.checkout.git("status", "--porcelain") == ""


def test_a_remote_that_refuses_is_named_with_its_words_and_the_item_is_stuck_not_void_Q6(clones: Wired) -> None:
    alpha = clones.alpha
    hook = clones.remote.path / "hooks" / "update"
    hook.write_text('#!/bin/sh\ncase "$1" in refs/heads/main) echo "main is protected" >&2; exit 1;; esac\n')
    os.chmod(hook, 0o755)
    first = clones.approved(alpha)
    before = clones.main()
    row = merge_rows(alpha)[first]
    assert row.outcome == "stuck"
    assert "main is protected" in row.message
    (shown,) = [row.text for row in alpha.app.attention.view(ALICE).rows if row.kind == "merge"]
    for text in (row.message, shown.removeprefix("merge stuck: ")):  # of what is too long the end is cut off
        assert text.startswith(
            "allow the account that runs fe merge to push main and refs/foureyes/* to origin; origin did not"
        )
    assert (clones.main(), alpha.checkout.head("main")) == (before, before)
    assert alpha.status(first) == "approved"
    hook.unlink()
    alpha.app.merges.retry(ALICE, first)
    assert merge(clones.beta) == {first: "merged"}


def test_a_remote_that_cannot_be_asked_merges_nothing_and_voids_nothing_Q6(clones: Wired) -> None:
    task = clones.approved(clones.alpha)
    clones.wire(clones.alpha).down = "no route"
    with clones.alpha.refused(error=RemoteProblem):
        merge(clones.alpha)
    assert clones.alpha.status(task) == "approved"
    assert merge(clones.beta) == {task: "merged"}


def test_a_target_that_was_pushed_over_stops_merging_in_every_clone_until_it_is_brought_back_Q6(clones: Wired) -> None:
    alpha, beta = clones.alpha, clones.beta
    before = clones.main()
    lost, made = clones.approved(alpha), Sha("")
    assert merge(alpha) == {lost: "merged"}
    made = clones.main()
    waits = clones.approved(alpha)
    beta.checkout.git("push", "-q", "-f", "origin", f"{before}:refs/heads/main")
    for world in (alpha, beta):
        with world.refused("Q6") as caught:
            merge(world)
        assert lost in caught[0].reasons[0].message
    assert [lost in found.message for found in alpha.app.audit.verify().findings] == [True]
    alpha.checkout.git("push", "-q", "origin", f"{made}:refs/heads/main")
    assert merge(beta) == {waits: "merged"}


def test_a_merge_that_a_clone_never_had_is_named_where_it_is_given_up_there_Q6(clones: Wired) -> None:
    alpha, beta = clones.alpha, clones.beta
    before = clones.main()
    lost = clones.approved(alpha)
    assert merge(alpha) == {lost: "merged"}
    clones.remote.git("update-ref", "refs/heads/main", before)
    clones.remote.git("update-ref", "-d", FENCE)
    notes = beta.app.merges.accept(ALICE, "it was wrong", before).notes
    assert [lost in note for note in notes] == [True]
    assert len(beta.show(lost).remarks) == 1


def test_a_remote_without_the_target_is_told_how_it_gets_it_Q6(clones: Wired) -> None:
    clones.approved(clones.alpha)
    clones.remote.git("update-ref", "-d", "refs/heads/main")
    with clones.alpha.refused("Q6") as caught:
        merge(clones.alpha)
    assert "origin has no branch main" in caught[0].reasons[0].message


def test_a_target_that_goes_at_the_remote_between_two_questions_is_where_it_was_seen_last_Q6(clones: Wired) -> None:
    line, before = line_of(clones.alpha.app.context), clones.main()
    line.tip()
    clones.remote.git("update-ref", "-d", "refs/heads/main")
    with pytest.raises(Refused):
        line.tip()
    assert line.at == line.seen == before


def test_with_a_remote_any_clone_merges_and_nobody_hands_over_Q6(clones: Wired) -> None:
    with clones.alpha.unchanged():
        assert not clones.beta.app.merges.here(ALICE, "why not").changed


def test_of_a_clone_that_is_behind_the_configuration_of_the_remote_counts_P12_Q6(clones: Wired) -> None:
    alpha, beta = clones.alpha, clones.beta
    alpha.checkout.commit("foureyes.toml", SHARED + '\n[review]\npolicy = "strict"\n')
    alpha.checkout.git("push", "-q", "origin", "main")
    alpha.app.policy.accept(ALICE)
    notes = [steps_text(note) for note in beta.app.status.show(ALICE).notes]
    (note,) = [note for note in notes if "has changes that were not accepted" in note]
    assert note.startswith(
        "foureyes.toml on main, as this clone last saw it, has changes that were not accepted: fe doctor"
    )
    (row,) = [row for row in beta.app.attention.view(ALICE).rows if row.kind == "config"]
    assert (row.details, row.choices) == ((), ()), "no difference that is the wrong way round"
    clones.wire(beta).fetch(["refs/heads/main"])
    notes = [steps_text(note) for note in beta.app.status.show(ALICE).notes]
    assert not any("has changes that were not accepted" in note for note in notes)


def test_a_clone_that_saw_a_newer_file_than_the_accepted_one_is_told_to_accept_it_P12_Q6(clones: Wired) -> None:
    """Also once it was asked after the last acceptance."""
    alpha, beta = clones.alpha, clones.beta
    for policy in ("strict", "balanced"):
        alpha.checkout.commit("foureyes.toml", SHARED + f'\n[review]\npolicy = "{policy}"\n')
        alpha.checkout.git("push", "-q", "origin", "main")
        clones.wire(beta).fetch(["refs/heads/main"])
        (row,) = [row for row in beta.app.attention.view(ALICE).rows if row.kind == "config"]
        assert row.text == "foureyes.toml on main of origin has changes that were not accepted, so it is not used"
        assert [choice.verb for choice in row.choices] == ["accept"]
        alpha.app.policy.accept(ALICE)


def test_doctor_and_audit_ask_the_remote_and_say_where_they_cannot_Q6(clones: Wired) -> None:
    alpha, beta = clones.alpha, clones.beta
    before = clones.main()
    lost = clones.approved(alpha)
    assert merge(alpha) == {lost: "merged"}
    clones.remote.git("update-ref", "refs/heads/main", before)
    assert [lost in found.message for found in alpha.app.audit.verify().findings] == [True]
    lines = {line.check: line for line in alpha.app.doctor.examine(ALICE)}
    assert (lines["target there"].result, lines["target"].result) == ("ok", "fail")
    clones.wire(beta).down = "no route"
    lines = {line.check: line for line in beta.app.doctor.examine(ALICE)}
    assert (lines["target there"].result, "no route" in lines["target there"].message) == ("warn", True)
    assert any("no route" in note for note in beta.app.audit.verify().notes)


def test_what_others_merged_is_no_part_of_a_change_in_a_clone_that_is_behind_K4_Q6(clones: Wired) -> None:
    alpha, beta = clones.alpha, clones.beta
    first = clones.approved(alpha)
    assert merge(alpha) == {first: "merged"}
    before, task = beta.checkout.head("main"), beta.create()
    beta.start(CODEX, task)
    beta.checkout.git("fetch", "-q", "origin")
    beta.checkout.git("switch", "-q", "-c", f"fe/{task}", "--no-track", "origin/main")
    beta.checkout.commit("mine.py", "mine\n", session=CODEX)
    beta.submit(CODEX, task)
    assert [file.path for file in beta.app.attempts.changes(task).files] == ["mine.py"]
    assert beta.checkout.head("main") == before, "nobody's branch moves by it"


def test_a_commit_that_only_this_clone_has_on_its_target_is_part_of_the_change_K4_Q6(clones: Wired) -> None:
    beta = clones.beta
    beta.checkout.commit("unpushed.py", "unpushed\n", message="not pushed")
    task = beta.create()
    beta.start(CODEX, task)
    beta.checkout.git("switch", "-q", "-c", f"fe/{task}")
    beta.checkout.commit("mine.py", "mine\n", session=CODEX)
    beta.submit(CODEX, task)
    assert [file.path for file in beta.app.attempts.changes(task).files] == ["mine.py", "unpushed.py"]


def test_a_hand_in_without_the_remote_is_counted_against_what_it_last_had_K4_Q6(clones: Wired) -> None:
    beta = clones.beta
    task = beta.create()
    beta.start(CODEX, task)
    beta.checkout.git("switch", "-q", "-c", f"fe/{task}")
    beta.checkout.commit("mine.py", "mine\n", session=CODEX)
    clones.wire(beta).down = "no route to host"
    beta.submit(CODEX, task)
    assert [file.path for file in beta.app.attempts.changes(task).files] == ["mine.py"]


def test_a_target_that_is_set_back_between_two_items_is_not_merged_over_Q6(clones: Wired) -> None:
    alpha, wire = clones.alpha, clones.wire(clones.alpha)
    before = clones.main()
    first, second = clones.approved(alpha), clones.approved(alpha)

    def set_back(_: object) -> None:
        wire.before = None
        clones.remote.git("update-ref", "refs/heads/main", before)

    def arrived(_: object) -> None:
        wire.before, wire.after = set_back, None

    wire.after = arrived
    rows = merge_rows(alpha)
    assert (rows[first].outcome, rows[second].outcome) == ("merged", "waiting")
    assert "does not contain the last recorded merge" in rows[second].message
    assert clones.main() == before
    with alpha.refused("Q6"):
        merge(alpha)


def test_a_connection_that_is_cut_in_a_push_is_no_refusal_and_tried_again_Q6(clones: Wired) -> None:
    alpha = clones.alpha
    task = clones.approved(alpha)
    hook = clones.remote.path / "hooks" / "pre-receive"
    hook.write_text("#!/bin/sh\n[ -e once ] || { touch once; kill -9 $PPID; }\n")
    hook.chmod(0o755)
    assert merge(alpha) == {task: "merged"}


def test_a_store_that_lacks_the_last_merge_there_is_told_and_taken_up_in_a_clone_that_is_behind_J3_P12_Q6(
    clones: Wired,
) -> None:
    alpha, beta = clones.alpha, clones.beta
    words = f"merged by the store before\n\nJournal: 900:{'a' * 64}"
    alpha.checkout.git("commit", "-q", "--allow-empty", "-m", words)
    alpha.checkout.git("push", "-q", "origin", "main")
    lines = {line.check: line for line in beta.app.doctor.examine(ALICE)}
    assert (lines["place"].result, "900:" in lines["place"].message) == ("fail", True)
    (found,) = beta.app.audit.verify().findings
    assert "900:" in found.message
    assert any("900:" in steps_text(note) for note in beta.app.status.show(ALICE).notes)
    assert beta.checkout.head("main") != clones.main(), "it is behind all the same"
    with beta.refused("P12"):
        beta.app.merges.process(CI)
    assert beta.app.projects.adopt(ALICE, "the backup of Monday").anchor.startswith("900:")
    for clone in (alpha, beta):
        assert clone.app.audit.verify().findings == ()
        assert merge(clone) == {}


def test_a_ref_below_the_fence_is_named_with_the_push_that_takes_it_away_Q6(clones: Wired) -> None:
    task = clones.approved(clones.alpha)
    clones.remote.git("update-ref", f"{FENCE}/x", "main")
    row = merge_rows(clones.alpha)[task]
    assert row.outcome == "stuck"
    assert f"git push origin :{FENCE}/x" in row.message
    clones.alpha.checkout.git("push", "-q", "origin", f":{FENCE}/x")
    clones.alpha.app.merges.retry(ALICE, task)
    assert merge(clones.alpha) == {task: "merged"}
