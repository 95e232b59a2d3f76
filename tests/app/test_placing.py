"""Where the store lies is in its journal (P12): one that was found elsewhere, or that lacks a merge of the target, is
told from the project's and written to only after a person took it up.
"""

from __future__ import annotations

import pytest

from foureyes.adapters.store.journal import hash_of, journal_rows
from foureyes.adapters.store.store import Reading
from foureyes.app.git_ports import TargetHistory
from foureyes.app.target import current_target, held_of, misplaced
from foureyes.errors import BadInput, GitProblem, Refused
from foureyes.steps import NO_STEP, prose

from tests.stage.clones import Clone, Clones
from tests.stage.counting import counting
from tests.stage.people import ALICE, CI, CLAUDE
from tests.stage.world import GitWorld

HERE, THERE = "postgresql 1/2/3", "postgresql 4/5/6"


def found_at(world: GitWorld, place: str) -> None:
    """The same rows, found at another place."""
    world.store.place = place


@pytest.fixture
def placed(world: GitWorld) -> GitWorld:
    found_at(world, HERE)
    world.app.projects.note_place(ALICE, HERE)
    return world


def test_nothing_is_written_to_a_store_that_was_found_elsewhere_P12(placed: GitWorld) -> None:
    task = placed.create()
    found_at(placed, THERE)
    with placed.refused("P12"):
        placed.create()
    with placed.refused("P12"):
        placed.app.notes.log(CLAUDE, task, "a word")
    assert placed.show(task).task.id == task
    found_at(placed, HERE)
    placed.create()


def test_status_doctor_and_audit_say_that_it_was_found_elsewhere_P12(placed: GitWorld) -> None:
    app = placed.app
    assert not [note for note in app.status.show(ALICE).notes if "journal says" in str(note)]
    found_at(placed, THERE)
    assert [note for note in app.status.show(ALICE).notes if "journal says" in str(note)]
    (check,) = [each for each in app.doctor.examine(ALICE) if each.check == "place"]
    assert (check.result, THERE in check.message) == ("fail", True)
    (found,) = [each for each in app.audit.verify().findings if "journal says" in each.message]
    assert found.area == "integrity"


def test_a_person_takes_it_up_with_a_reason_on_record_P12_P8(placed: GitWorld) -> None:
    found_at(placed, THERE)
    with pytest.raises(Refused):
        placed.app.projects.adopt(CLAUDE, "mine")
    with pytest.raises(BadInput):
        placed.app.projects.adopt(ALICE, " ")
    adopted = placed.app.projects.adopt(ALICE, "the server was replaced")
    assert (adopted.place, adopted.anchor) == (THERE, "")
    (row,) = [row for row in placed.app.audit.exceptions() if row.kind == "store_adopted"]
    assert (row.rule, row.reason) == ("P12", "the server was replaced")
    placed.create()
    found_at(placed, HERE)  # and what was the store is none any more
    with placed.refused("P12"):
        placed.create()
    found_at(placed, THERE)
    rows = placed.app.audit.verify().rows
    assert placed.app.projects.adopt(ALICE, "again").place == ""
    assert placed.app.audit.verify().rows == rows, "nothing was to be taken up"


def test_a_store_that_lacks_the_last_merge_is_told_and_can_be_taken_up_J3_P12(world: GitWorld) -> None:
    """As after `fe store restore` of an older backup: the target names a row that the journal does not have."""
    world.checkout.git("commit", "-q", "--allow-empty", "-m", f"merged by the store before\n\nJournal: 900:{'a' * 64}")
    with world.store.read() as tx:
        (said,) = misplaced(world.app.context, tx, world.app.context.project(tx))
        assert "900:" in said
    report = world.app.audit.verify()
    assert [each.area for each in report.findings] == ["integrity"]
    assert report.next.steps[0].argv[:3] == ("fe", "store", "adopt")
    with world.refused("P12"):
        world.app.merges.process(CI)
    assert world.app.projects.adopt(ALICE, "the backup of Monday").anchor.startswith("900:")
    assert world.app.audit.verify().findings == ()
    world.app.merges.process(CI)


def test_what_is_merged_on_the_target_is_not_started_until_the_older_store_is_taken_up_P12(world: GitWorld) -> None:
    merged, other = world.create(), world.create()
    words = f"Merge {merged}: it\n\nTask: {merged}\nJournal: 900:{'a' * 64}"
    world.checkout.git("commit", "-q", "--allow-empty", "-m", words)
    with world.refused("P12"):
        world.app.claims.start(CLAUDE, merged)
    given = world.app.claims.next(CLAUDE)
    assert (given.task, given.notes[0].startswith(f"{merged} was skipped, because its merge is on the target (")) == (
        other,
        True,
    )
    with world.refused("P12"):
        world.app.claims.next(CLAUDE)
    world.app.projects.adopt(ALICE, "the backup of Monday")
    assert world.app.claims.start(CLAUDE, merged).changed


@pytest.mark.parametrize("verb", ["start", "next"])
def test_which_merges_the_store_lacks_is_read_from_git_outside_of_every_transaction_P12(
    world: GitWorld, monkeypatch: pytest.MonkeyPatch, verb: str
) -> None:
    merged, repo = world.create(), world.app.context.repo
    history, looks = repo.history, list[str]()

    def look(target: str, most: int) -> TargetHistory:
        with world.store.read():  # which none of two at once may do
            looks.append(target)
        return history(target, most)

    monkeypatch.setattr(repo, "history", look)
    words = f"Merge {merged}: it\n\nTask: {merged}\nJournal: 900:{'a' * 64}"
    world.checkout.git("commit", "-q", "--allow-empty", "-m", words)
    with world.refused("P12"):
        world.app.claims.start(CLAUDE, merged) if verb == "start" else world.app.claims.next(CLAUDE)
    assert len(looks) == 1


def test_a_target_that_cannot_be_read_is_no_reason_to_take_up_the_store_J3_G2(
    world: GitWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a sandbox in which git cannot make a temporary file."""
    step = prose("let the sandbox write there")

    def unread(*_: object, **__: object) -> str:
        raise GitProblem("no temporary directory", next_step=step)

    world.checkout.git("commit", "-q", "--allow-empty", "-m", "since the project began")
    monkeypatch.setattr(world.app.context.repo, "last_anchor", unread)
    (check,) = [each for each in world.app.doctor.examine(ALICE) if each.check == "place"]
    assert (check.result, check.next) == ("fail", step)
    assert "it is unknown whether it lacks a merge of the target: no temporary directory" in check.message
    report = world.app.audit.verify()
    assert ([each.area for each in report.findings], report.next) == (["integrity"], NO_STEP)


def test_a_journal_that_was_rewritten_as_a_whole_contradicts_the_anchors_on_the_target_J3(world: GitWorld) -> None:
    """By who owns the schema: chain, tables and head fit each other; the merge commits do not."""
    task, engine = world.create(), world.store.engine
    world.app.notes.log(CLAUDE, task, "as it was")
    head = world.app.projects.milestones().rows
    with engine.transaction(write=False):
        rows = list(journal_rows(engine))
    world.checkout.git(
        "commit", "-q", "--allow-empty", "-m", f"merged\n\nTask: {task}\nJournal: {head}:{rows[-1].hash}"
    )
    assert world.app.audit.verify().findings == ()
    with engine.transaction(write=True):
        prev = ""
        for row in rows:
            forged = row.payload.replace("as it was", "as if")
            own = hash_of(prev, row.seq, row.at, row.project, row.task, row.session, row.kind, forged)
            values: dict[str, str | int | None] = {"payload": forged, "prev": prev, "own": own, "seq": row.seq}
            engine.fetch("UPDATE journal SET payload = :payload, prev = :prev, hash = :own WHERE seq = :seq", values)
            prev = own
        engine.fetch("UPDATE head SET hash = :own", {"own": prev})
        engine.fetch("UPDATE logs SET text = 'as if'", {})
    assert world.store.audit().findings == (), "nothing in the store itself tells it"
    (found,) = world.app.audit.verify().findings
    assert (found.area, "that this store does not have" in found.message) == ("integrity", True)
    (check,) = [each for each in world.app.doctor.examine(ALICE) if each.check == "place"]
    assert check.result == "fail"


def test_a_store_that_was_taken_up_stays_so_where_it_is_moved_or_put_back_P12(placed: GitWorld) -> None:
    """What it was taken up without is on record in it: whoever moved it had to take it up once more."""
    placed.checkout.git("commit", "-q", "--allow-empty", "-m", f"merged by the store before\n\nJournal: 900:{'a' * 64}")
    assert placed.app.projects.adopt(ALICE, "the backup of Monday").anchor.startswith("900:")
    placed.app.projects.note_place(ALICE, THERE)
    found_at(placed, THERE)
    assert placed.app.audit.verify().findings == ()
    found_at(placed, "postgresql 7/8/9")
    assert placed.app.projects.note_restore(ALICE, "backup.db", "").behind == ()
    assert placed.app.audit.verify().findings == ()
    placed.app.merges.process(CI)
    placed.checkout.git("commit", "-q", "--allow-empty", "-m", f"copied\n\nJournal: 900:{'a' * 64}")
    with placed.refused("P12"):
        placed.app.merges.process(CI)


def anchored(world: Clone, many: int) -> None:
    """So many commits on the remote's target, each with a row of the journal, that no other clone has fetched."""
    for row in world.app.audit.log(limit=many):
        world.checkout.git("commit", "-q", "--allow-empty", "-m", f"merged\n\nJournal: {row.seq}:{row.hash}")
    world.checkout.git("push", "-q", "origin", "main")


def questions(world: Clone) -> int:
    """How often a start asks the store, where the remote was asked before."""
    task = world.create()
    current_target(world.app.context)
    with counting({"asked": Reading._answer}) as reads:
        world.app.claims.start(CLAUDE, task)
    return reads["asked"]


def test_a_clone_far_behind_asks_for_the_rows_of_all_anchors_at_once_J3(clones: Clones) -> None:
    alpha, beta = clones.alpha, clones.beta
    for _ in range(12):
        alpha.create()
    anchored(alpha, 2)
    few = questions(beta)
    anchored(alpha, 12)
    assert questions(beta) <= few


def test_a_branch_that_was_brought_up_to_date_asks_at_once_as_well_J3(clones: Clones) -> None:
    alpha, beta = clones.alpha, clones.beta
    for _ in range(12):
        alpha.create()
    anchored(alpha, 2)
    beta.pull()
    few = questions(beta)
    anchored(alpha, 12)
    beta.pull()
    assert questions(beta) <= few


@pytest.mark.parametrize("row", ["99999999999999999", "9" * 30, "of a walk"], ids=["large", "none", "words"])
def test_an_anchor_of_a_row_that_no_store_can_have_is_not_held_J3_G1(world: GitWorld, row: str) -> None:
    world.checkout.git("commit", "-q", "--allow-empty", "-m", f"x\n\nJournal: {row}")
    with world.store.read() as tx:
        assert held_of(tx, [row]) == set()
    with world.refused("P12"):
        world.app.merges.process(CI)
