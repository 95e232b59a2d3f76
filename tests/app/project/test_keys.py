"""Keys of people (I9): who adds them, what they sign, what needs a signature, and what a signature is bound to."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest

from foureyes.app import signatures
from foureyes.app.signatures import Proof, Statement, demand, prove
from foureyes.core import events as e
from foureyes.core.events.project import ProjectHeld
from foureyes.core.nouns.session import Actor
from foureyes.core.rules.four_eyes import Declaration
from foureyes.errors import BadInput, Conflict, NotFound, Refused
from foureyes.ui.steps import steps_text

from tests.stage.people import ALICE, BOB, CI, CLAUDE, CODEX, asserted, person
from tests.stage.ports import DeskKeys
from tests.stage.world import DeskWorld


@pytest.fixture
def keyed(desk: DeskWorld) -> DeskWorld:
    """A project in which Alice has a key."""
    desk.app.keys.new(ALICE)
    return desk


def said(desk: DeskWorld) -> list[Statement]:
    return [msgspec.json.decode(text, type=Statement) for text in desk.keys.signed]


def use(desk: DeskWorld, keys: DeskKeys) -> None:
    """From now on the caller sits at the machine with these keys."""
    desk.keys = keys
    desk.app.context.keys = keys


def forget(desk: DeskWorld) -> DeskKeys:
    """From now on the caller sits at a machine without keys."""
    use(desk, DeskKeys())
    return desk.keys


# Adding


def test_the_first_key_rests_on_an_observed_person_and_is_on_record_I9_P8(desk: DeskWorld) -> None:
    done = desk.app.keys.new(ALICE)
    (row,) = desk.app.keys.list()
    assert (row.fingerprint, row.person, row.here, row.retired_at) == (done.fingerprint, "alice@box", True, None)
    ((kind, detail),) = [(event.kind, event.detail) for event in desk.app.audit.exceptions()]
    assert (kind, "a person at a terminal" in detail) == ("key_added", True)
    assert desk.keys.signed == []
    desk.sound()


def test_a_later_key_is_signed_by_an_earlier_one_I9(keyed: DeskWorld) -> None:
    keyed.app.keys.new(ALICE)
    assert [row.person for row in keyed.app.keys.list()] == ["alice@box", "alice@box"]
    (statement,) = said(keyed)
    assert (statement.verb, statement.reason.startswith("alice@box ssh-ed25519 ")) == ("key add", True)
    assert keyed.app.audit.verify().findings == ()


def test_who_has_no_key_yet_makes_one_that_somebody_with_a_key_adds_I9(keyed: DeskWorld) -> None:
    alices = keyed.keys
    bobs = forget(keyed)
    with keyed.unchanged():
        made = keyed.app.keys.new(BOB)
    assert (made.registered, f"--person {BOB.person}" in steps_text(made.next)) == (False, True)
    with keyed.refused("I9"):
        keyed.app.keys.add(BOB, made.public, BOB.person)
    use(keyed, alices)
    keyed.app.keys.add(ALICE, made.public, BOB.person)
    use(keyed, bobs)
    keyed.app.stops.hold(BOB, None, "it counts now")
    assert keyed.app.audit.verify().findings == ()


@pytest.mark.parametrize("who", [CLAUDE, CI, asserted(ALICE)], ids=["agent", "service", "typed name"])
def test_keys_are_made_by_people_only_I9(desk: DeskWorld, who: Actor) -> None:
    with desk.refused():
        desk.app.keys.new(who)
    assert desk.keys.held() == {}, "nothing was even made"


def test_a_key_that_could_not_be_registered_is_not_kept(keyed: DeskWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    before = keyed.keys.held()
    monkeypatch.setattr(keyed.keys, "sign", lambda *_: "rubbish")
    with keyed.refused("I9"):
        keyed.app.keys.new(ALICE)
    assert keyed.keys.held() == before


@pytest.mark.parametrize("line", ["", "ssh-rsa AAAA", "ssh-ed25519 !!!", "hello"])
def test_a_line_that_is_no_public_key_is_refused(keyed: DeskWorld, line: str) -> None:
    with pytest.raises(BadInput):
        keyed.app.keys.add(ALICE, line, BOB.person)


def test_the_same_key_again_changes_nothing(keyed: DeskWorld) -> None:
    (row,) = keyed.app.keys.list()
    with keyed.unchanged():
        keyed.app.keys.add(ALICE, row.public, "carol@box")


def test_a_retired_key_signs_no_more_and_what_it_signed_stays_signed_I9(keyed: DeskWorld) -> None:
    first = keyed.app.keys.list()[0].fingerprint
    keyed.app.stops.hold(ALICE, None, "signed by the first")
    keyed.app.keys.new(ALICE)
    keyed.app.keys.retire(ALICE, first[7:17], "the laptop was stolen")
    assert [row.retired_why for row in keyed.app.keys.list()] == ["the laptop was stolen", ""]
    keyed.app.stops.resume(ALICE, None, "signed by the second")
    assert keyed.app.audit.verify().findings == ()
    with pytest.raises(NotFound):
        keyed.app.keys.retire(ALICE, "SHA256:nosuch", "x")
    assert keyed.app.keys.add(ALICE, keyed.app.keys.list()[0].public, "eve@box").registered is False, (
        "it does not come back"
    )


# What needs a signature

SIGNED: dict[str, Callable[[DeskWorld, Actor, str], object]] = {
    "hold": lambda desk, who, task: desk.app.stops.hold(who, task, "stop"),
    "hold the project": lambda desk, who, task: desk.app.stops.hold(who, None, "stop"),
    "config set": lambda desk, who, task: desk.app.policy.set(who, "review.policy", "strict"),
    "config set --default": lambda desk, who, task: desk.app.policy.set(who, "review.independence", None),
    "config accept": lambda desk, who, task: desk.app.policy.accept(who),
    "break-glass": lambda desk, who, task: desk.app.decisions.approve(
        who, task, declaration=Declaration(break_glass="nobody else is here")
    ),
}
DECIDED: dict[str, Callable[[DeskWorld, Actor, str], object]] = {
    "approve": lambda desk, who, task: desk.app.decisions.approve(who, task),
    "redo": lambda desk, who, task: desk.app.feedback.redo(who, task, "more tests"),
    "reject": lambda desk, who, task: desk.app.feedback.reject(who, task, "not wanted"),
    "close": lambda desk, who, task: desk.app.closing.close(who, task),
}


@pytest.mark.parametrize("verb", SIGNED)
def test_where_a_key_exists_policy_holds_and_break_glass_need_it_I9(keyed: DeskWorld, verb: str) -> None:
    task = keyed.submitted_task(BOB if verb == "break-glass" else CLAUDE)
    alices = keyed.keys
    forget(keyed)
    with keyed.refused("I9") as caught:
        SIGNED[verb](keyed, BOB, task)
    assert steps_text(caught[0].next_step) == "fe key add --new"
    use(keyed, alices)
    SIGNED[verb](keyed, ALICE if verb != "break-glass" else BOB, task)
    assert said(keyed)
    assert keyed.app.audit.verify().findings == ()
    keyed.sound()


def test_who_ends_a_review_cycle_signs_for_that_cycle_I9(keyed: DeskWorld) -> None:
    task = keyed.submitted_task(CLAUDE)
    cycle = keyed.app.cycles.now(BOB, task).cycle
    alices = keyed.keys
    forget(keyed)
    with keyed.unchanged(), keyed.refused("I9"):
        keyed.app.cycles.end(BOB, cycle, "no need")
    use(keyed, alices)
    assert keyed.app.cycles.end(ALICE, cycle, "no need").changed
    assert [(each.verb, each.reason) for each in said(keyed)] == [(f"review decide --end {cycle}", "no need")]
    assert keyed.app.audit.verify().findings == ()
    forget(keyed)
    assert not keyed.app.cycles.end(BOB, cycle, "again").changed, "there is nothing to sign"


@pytest.mark.parametrize("verb", DECIDED)
def test_ordinary_decisions_stay_observed_until_the_policy_asks_for_keys_I9(keyed: DeskWorld, verb: str) -> None:
    task = keyed.submitted_task(CLAUDE)
    forget(keyed)
    DECIDED[verb](keyed, BOB, task)


@pytest.mark.parametrize("verb", DECIDED)
def test_human_proof_key_puts_a_signature_under_every_decision_of_a_person_I9(keyed: DeskWorld, verb: str) -> None:
    keyed.app.policy.set(ALICE, "review.human_proof", "key")
    task = keyed.submitted_task(CLAUDE)
    alices = keyed.keys
    forget(keyed)
    with keyed.refused("I9"):
        DECIDED[verb](keyed, BOB, task)
    use(keyed, alices)
    DECIDED[verb](keyed, ALICE, task)
    assert said(keyed)[-1].verb == verb
    assert bool(said(keyed)[-1].diff_id) == (verb != "close"), "what is judged is a diff"
    assert keyed.app.audit.verify().findings == ()


def test_human_proof_key_without_any_key_says_how_to_make_one_I9(desk: DeskWorld) -> None:
    desk.app.policy.set(ALICE, "review.human_proof", "key")
    task = desk.submitted_task(CLAUDE)
    with desk.refused("I9") as caught:
        desk.app.decisions.approve(BOB, task)
    assert steps_text(caught[0].next_step) == "fe key add --new"
    assert desk.approve(CODEX, task).rule == "P7", "agents need no key"


def test_who_has_no_key_is_told_before_they_approve_and_led_to_one_I9(keyed: DeskWorld) -> None:
    keyed.app.policy.set(ALICE, "review.human_proof", "key")
    task = keyed.submitted_task(CLAUDE)
    assert keyed.app.queue.view(ALICE).rows[0].you.may_approve
    use(keyed, DeskKeys())
    previews = [keyed.app.queue.view(BOB).rows[0].you, keyed.show(task, BOB).you]
    assert [(you.may_approve, you.reasons[-1].rule) for you in previews if you] == [(False, "I9")] * 2
    status = keyed.app.status.show(BOB)
    assert (status.reviewable, steps_text(status.next)) == (0, "fe key add --new")
    with keyed.refused("I9") as caught:
        keyed.app.decisions.approve(BOB, task)
    assert steps_text(caught[0].next_step) == "fe key add --new"
    assert keyed.app.queue.view(CODEX).rows[0].you.may_approve, "agents need no key"


def test_doctor_says_what_peoples_decisions_rest_on_I9(desk: DeskWorld) -> None:
    def check() -> tuple[str, str]:
        found = next(check for check in desk.app.doctor.examine(ALICE) if check.check == "keys")
        return found.result, steps_text(found.next)

    assert check() == ("ok", "")
    desk.app.policy.set(ALICE, "review.human_proof", "key")
    assert check() == ("fail", "fe key add --new")
    desk.app.keys.new(ALICE)
    assert check() == ("ok", "")


def test_a_key_that_lies_here_is_used_in_another_project_too_I9(desk: DeskWorld) -> None:
    fingerprint = desk.keys.fingerprint(desk.keys.make())
    assert desk.app.keys.new(ALICE, key=fingerprint[7:20]).fingerprint == fingerprint
    with pytest.raises(NotFound):
        desk.app.keys.new(ALICE, key="nosuch")
    with pytest.raises(NotFound):
        desk.app.keys.new(ALICE, key="SHA256:")
    assert desk.keys.held().keys() == {fingerprint}


def test_the_environment_asks_for_keys_and_never_takes_them_away_I9_P12(keyed: DeskWorld) -> None:
    task = keyed.submitted_task(CLAUDE)
    alices = keyed.keys
    forget(keyed)
    keyed.environ["FOUREYES_REVIEW_HUMAN_PROOF"] = "key"
    with keyed.refused("I9"):
        keyed.app.decisions.approve(BOB, task)
    keyed.environ.clear()
    use(keyed, alices)
    keyed.app.policy.set(ALICE, "review.human_proof", "key")
    forget(keyed)
    keyed.environ["FOUREYES_REVIEW_HUMAN_PROOF"] = "observed"
    with keyed.refused("I9"):
        keyed.app.decisions.approve(BOB, task)


def test_where_a_key_exists_no_variable_loosens_for_who_only_looks_like_a_person_I9_P12(keyed: DeskWorld) -> None:
    task = keyed.submitted_task(BOB)
    keyed.environ["FOUREYES_REVIEW_POLICY"] = "trusted"
    with keyed.refused("P2"):
        keyed.app.decisions.approve(BOB, task, declaration=Declaration("fine", self_review=True))


def test_an_approval_that_counts_because_a_person_gives_it_needs_the_key_I9_P6(keyed: DeskWorld) -> None:
    task = keyed.submitted_task(CLAUDE, labels=["security"])
    alices = keyed.keys
    forget(keyed)
    with keyed.refused("I9"):
        keyed.app.decisions.approve(BOB, task)
    use(keyed, alices)
    keyed.app.decisions.approve(ALICE, task)
    assert keyed.show(task).approvals[-1].grade == f"human (key {keyed.app.keys.list()[0].fingerprint})"


def test_without_a_key_reports_say_observed_I9(desk: DeskWorld) -> None:
    task = desk.submitted_task(CLAUDE, labels=["security"])
    desk.app.decisions.approve(ALICE, task)
    assert desk.show(task).approvals[-1].grade == "human (observed)"


def test_what_is_done_outside_of_the_store_asks_for_a_key_too_I9(
    keyed: DeskWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    demand(keyed.app.context, ALICE, "store restore", "old.db")
    assert (said(keyed)[-1].verb, said(keyed)[-1].reason) == ("store restore", "old.db")
    monkeypatch.setattr(keyed.keys, "sign", lambda *_: "rubbish")
    with keyed.refused("I9"):
        demand(keyed.app.context, ALICE, "store restore", "old.db")
    forget(keyed)
    with keyed.refused("I9"):
        demand(keyed.app.context, BOB, "restore", "old.db")


def test_without_keys_nothing_is_asked_outside_of_the_store_either_I9(desk: DeskWorld) -> None:
    demand(desk.app.context, BOB, "restore", "old.db")
    assert desk.keys.signed == []


def test_a_signature_says_that_the_glass_is_broken_I9_N3(keyed: DeskWorld) -> None:
    task = keyed.submitted_task(ALICE)
    keyed.app.decisions.approve(ALICE, task, declaration=Declaration(break_glass="nobody else is here"))
    assert said(keyed)[-1].verb == "approve --break-glass"
    assert keyed.app.audit.verify().findings == ()


def test_of_several_keys_the_newest_signs_I9(keyed: DeskWorld) -> None:
    newer = keyed.app.keys.new(ALICE).fingerprint
    keyed.app.stops.hold(ALICE, None, "stop")
    rows = [row for row in keyed.app.audit.log(limit=100) if row.kind == "DecisionSigned"]
    assert newer in rows[-1].payload


def test_a_key_whose_making_is_broken_off_is_not_kept_I9(keyed: DeskWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    before = keyed.keys.held()

    def break_off(*_: object) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr(keyed.keys, "sign", break_off)
    with keyed.unchanged(), pytest.raises(KeyboardInterrupt):
        keyed.app.keys.new(ALICE)
    assert keyed.keys.held() == before


# What a signature is bound to


def test_a_signature_covers_project_task_verb_diff_reason_and_journal_head_I9(keyed: DeskWorld) -> None:
    task = keyed.submitted_task(CLAUDE, labels=["security"])
    last = keyed.app.audit.log(limit=1)[0]
    keyed.app.decisions.approve(ALICE, task, reason="read every line")
    assert said(keyed) == [
        Statement(
            project=keyed.store.project, task=task, verb="approve", diff_id=keyed.show(task).attempts[-1].diff_id,
            reason="read every line", row=last.seq, head=last.hash,
        )
    ]  # fmt: skip
    kinds = keyed.kinds(task)
    assert kinds[kinds.index("DecisionSigned") + 1] == "Approved", "beside what it covers"


@pytest.mark.parametrize("field", ["project", "task", "verb", "diff_id", "reason", "head", "row"])
def test_a_signature_for_anything_else_is_none_for_this_I9(
    keyed: DeskWorld, field: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The client signs something else than it asks for."""
    task = keyed.submitted_task(CLAUDE, labels=["security"])

    def other(*args: object, **values: object) -> Proof | None:
        proof = prove(*args, **values)  # type: ignore[arg-type]
        assert proof is not None
        value: object = 1 if field == "row" else "something else"
        statement = msgspec.structs.replace(proof.statement, **{field: value})
        return Proof(key=proof.key, statement=statement, signature=keyed.keys.sign(proof.key, statement.text.encode()))

    monkeypatch.setattr(signatures, "prove", other)
    with keyed.refused("I9"):
        keyed.app.decisions.approve(ALICE, task, reason="fine")


def test_a_signature_is_used_once_I9(keyed: DeskWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    proofs: list[Proof | None] = []

    def kept(*args: object, **values: object) -> Proof | None:
        proofs.append(prove(*args, **values))  # type: ignore[arg-type]
        return proofs[0]

    monkeypatch.setattr(signatures, "prove", kept)
    keyed.app.stops.hold(ALICE, None, "stop")
    with keyed.refused("I9"):
        keyed.app.stops.hold(ALICE, None, "stop")


def test_a_task_that_changes_while_the_person_types_is_not_decided_I9_D7(
    keyed: DeskWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = keyed.submitted_task(CLAUDE, labels=["security"])
    sign = keyed.keys.sign

    def slowly(fingerprint: str, statement: bytes) -> str:
        keyed.app.tasks.edit(CODEX, task, acceptance="something else entirely")
        return sign(fingerprint, statement)

    monkeypatch.setattr(keyed.keys, "sign", slowly)
    with pytest.raises(Conflict):
        keyed.app.decisions.approve(ALICE, task)
    assert keyed.status(task) == "reviewing"


def test_other_peoples_work_may_go_on_while_the_person_types_I9(
    keyed: DeskWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    task, other = keyed.submitted_task(CLAUDE, labels=["security"]), keyed.create(CODEX)
    sign = keyed.keys.sign

    def slowly(fingerprint: str, statement: bytes) -> str:
        keyed.app.notes.log(CODEX, other, "busy")
        keyed.app.notes.log(CODEX, task, "a remark")
        return sign(fingerprint, statement)

    monkeypatch.setattr(keyed.keys, "sign", slowly)
    keyed.app.decisions.approve(ALICE, task)
    assert keyed.status(task) == "approved"


def test_who_signs_with_one_key_is_one_person_everywhere_I1_P2(keyed: DeskWorld) -> None:
    """Alice made the change on her laptop; on another machine, under another name, her key gives her away."""
    task = keyed.submitted_task(ALICE, labels=["security"])
    elsewhere = person("ally")
    with keyed.refused("P6"):
        keyed.app.decisions.approve(elsewhere, task)


def test_two_keys_are_two_people_also_where_both_are_of_one_human_I1(keyed: DeskWorld) -> None:
    """As the page on shared stores says: only the same key on both machines makes one person."""
    alices, elsewhere = keyed.keys, person("ally")
    others = forget(keyed)
    made = keyed.app.keys.new(elsewhere)
    use(keyed, alices)
    keyed.app.keys.add(ALICE, made.public, elsewhere.person)
    task = keyed.submitted_task(ALICE)
    use(keyed, others)
    keyed.app.decisions.approve(elsewhere, task)
    assert keyed.status(task) == "approved"


def test_whose_key_lies_here_is_one_person_also_where_nothing_is_signed_I1_P2(
    keyed: DeskWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same with an approval that needs no signature."""
    task, signed = keyed.submitted_task(ALICE), len(keyed.keys.signed)
    with keyed.refused("P2") as refusal:
        keyed.app.decisions.approve(person("ally"), task)
    assert (
        f"their key is on this machine ({next(iter(keyed.keys.private_files().values()))})"
        in refusal[0].reasons[0].message
    )
    assert len(keyed.keys.signed) == signed
    monkeypatch.setattr(keyed.keys, "held", dict)
    keyed.app.decisions.approve(BOB, task)
    assert keyed.status(task) == "approved"


def test_files_of_a_key_that_were_put_there_join_nobody_for_good_I1_P2(
    keyed: DeskWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody writes files that look like Bob's key into Alice's configuration, and takes them away again after she
    has decided anything.
    """
    alices, bobs = keyed.keys, forget(keyed)
    made = keyed.app.keys.new(BOB)
    use(keyed, alices)
    keyed.app.keys.add(ALICE, made.public, BOB.person)
    use(keyed, bobs)
    keyed.app.stops.hold(BOB, None, "signed")
    keyed.app.stops.resume(BOB, None, "signed, too")
    use(keyed, alices)
    with monkeypatch.context() as planted:
        planted.setattr(alices, "held", lambda both={**alices.held(), **bobs.held()}: both)
        keyed.app.decisions.approve(ALICE, keyed.submitted_task(CLAUDE))
    task = keyed.submitted_task(ALICE)
    use(keyed, bobs)
    keyed.app.decisions.approve(BOB, task)
    assert keyed.status(task) == "approved"


def test_a_signature_that_does_not_hold_is_named_by_the_audit_J2(keyed: DeskWorld) -> None:
    keyed.app.stops.hold(ALICE, None, "stop")
    proof = [row for row in keyed.app.audit.log(limit=100) if row.kind == "DecisionSigned"][-1]
    event = msgspec.json.decode(proof.payload, type=e.DecisionSigned)
    other = event.statement.replace("stop", "go on")
    forged = e.DecisionSigned(key=event.key, statement=other, signature=event.signature[:-8] + "AAAAAAA=")
    with keyed.store.write() as tx:
        (seq,) = tx.append(ALICE.session, "2026-03-01T12:00:00.000Z", [("", forged)])
    (finding,) = keyed.app.audit.verify().findings
    assert (finding.area, finding.seq) == ("integrity", seq)
    assert "invalid signature" in finding.message


def test_a_loosening_that_says_it_was_signed_and_was_not_is_named_by_the_audit_J2_M6(keyed: DeskWorld) -> None:
    (key,) = keyed.app.keys.list()
    task = keyed.create(ALICE, labels=["review:auto"])
    assert keyed.app.audit.verify().findings == ()
    with keyed.store.write() as tx:
        forged = e.LabelAdded(label="review:skip", signed_by=key.fingerprint)
        (seq,) = tx.append(ALICE.session, "2026-03-01T13:00:00.000Z", [(task, forged)])
    (finding,) = keyed.app.audit.verify().findings
    assert (finding.area, finding.seq, finding.task) == ("integrity", seq, task)
    assert "there is no such signature" in finding.message


def test_a_decision_that_forgets_its_signature_is_a_defect_and_writes_nothing_G1(keyed: DeskWorld) -> None:
    from foureyes.errors import Internal

    with keyed.unchanged(), pytest.raises(Internal), keyed.app.context.writing(ALICE, "hold") as work:
        work.record("", ProjectHeld(reason="a new verb that does not know of keys"))


def test_a_signature_is_checked_with_the_first_record_though_the_verb_says_nothing_of_it_I9(keyed: DeskWorld) -> None:
    with keyed.app.context.deciding(ALICE, "hold", reason="stop") as work:
        work.record("", ProjectHeld(reason="stop"))
    assert keyed.kinds()[-2:] == ["DecisionSigned", "ProjectHeld"]


def test_a_decision_without_anything_recorded_leaves_no_signature_behind_I9(keyed: DeskWorld) -> None:
    with keyed.unchanged():
        keyed.app.stops.resume(ALICE, None, "go on")
    assert keyed.keys.signed != [], "whether something is held is known only under the lock"


def test_a_signature_for_another_diff_than_the_one_under_the_lock_is_none_I9_D7(keyed: DeskWorld) -> None:
    """The work is submitted again after it was looked at, and just before the journal's head is read for signing."""
    task = keyed.submitted_task(CLAUDE, labels=["security"])
    before = keyed.show(task).attempts[-1].diff_id
    keyed.repo.commit(f"fe/{task}")
    keyed.submit(CLAUDE, task)
    with (
        keyed.refused("I9"),
        keyed.app.context.deciding(
            ALICE, "approve", task=task, diff_id=before, reason="fine", as_a_person=True
        ) as work,
    ):
        work.record(task, e.TaskHeld(reason="anything"))


def test_reading_needs_no_keys_at_all(keyed: DeskWorld) -> None:
    task = keyed.submitted_task(CLAUDE)
    keyed.show(task, BOB)
    assert keyed.keys.signed == []
    with pytest.raises(Refused):
        keyed.app.decisions.approve(CLAUDE, task)


def test_a_new_key_says_what_it_signs_and_what_not_and_how_to_sign_everything_I9(desk: DeskWorld) -> None:
    done = desk.app.keys.new(ALICE)
    assert (done.partly, len(done.notes)) == (True, 2)
    assert [step.argv for step in done.next.steps] == [("fe", "config", "set", "review.human_proof", "key")]
    desk.app.policy.set(ALICE, "review.human_proof", "key")
    again = desk.app.keys.new(ALICE)
    assert (again.partly, bool(again.next)) == (False, False)
