"""A task marked minor is one only within its bounds (P1, P10, M6)."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from foureyes.core.nouns.attempt import NOT_MEASURED, Below, ChangedFile, Mark, MarkKind
from foureyes.core.nouns.session import Party
from foureyes.core.rules.facts import Control, Facts, Lower
from foureyes.core.rules.minor_tasks import minor_refusals
from foureyes.core.rules.policy import LabelRule, MinorRule, ReviewPolicy
from foureyes.core.words.ids import TaskId

from tests.core.samples import (
    ADA,
    CREATOR,
    MAKER,
    STRANGER,
    agent,
    attempt,
    made,
    person,
    planned,
    rules,
    runner,
    service,
)

POLICY = rules(protected_paths=("foureyes.toml", ".github/workflows/**"))


def sentences(facts: Facts, author: Party | None = None, policy: ReviewPolicy = POLICY) -> str:
    found = minor_refusals(facts, policy, author)
    assert all(reason.rule == "P10" for reason in found)
    return " | ".join(reason.message for reason in found)


def minor(*files: ChangedFile, added: int = 3, removed: int = 1, **fields: object) -> Facts:
    return made(
        MAKER,
        CREATOR,
        STRANGER,
        minor=True,
        attempt_=attempt(files=files, added=added, removed=removed),
        **fields,  # type: ignore[arg-type]
    )


def test_a_small_change_marked_at_creation_is_minor() -> None:
    assert sentences(minor()) == ""
    assert sentences(minor(), MAKER) == ""
    assert sentences(replace(planned(minor=True), attempt=None)) == ""


@pytest.mark.parametrize(
    ("added", "removed", "fits"), [(50, 0, True), (0, 50, True), (25, 25, True), (51, 0, False), (26, 25, False)]
)
def test_added_and_removed_lines_count_up_to_max_lines(added: int, removed: int, fits: bool) -> None:
    assert ("minor.max_lines = 50" not in sentences(minor(added=added, removed=removed))) == fits


def test_max_lines_of_zero_lets_only_an_empty_change_through() -> None:
    none = replace(POLICY, minor=MinorRule(max_lines=0))
    assert sentences(minor(added=1, removed=0), policy=none)
    assert not sentences(minor(added=0, removed=0), policy=none)


@pytest.mark.parametrize(("size", "fits"), [(1, True), (4096, True), (4097, False), (10**9, False)])
def test_few_lines_of_many_bytes_are_not_minor(size: int, fits: bool) -> None:
    facts = made(MAKER, CREATOR, minor=True, attempt_=attempt(added=1, removed=0, size=size))
    assert ("more than the 4096 allowed for minor work" not in sentences(facts)) == fits


def test_what_was_never_measured_is_not_minor() -> None:
    assert "Submit it again" in sentences(made(MAKER, minor=True, attempt_=attempt(size=NOT_MEASURED)))


@pytest.mark.parametrize("kind", ["rename", "link", "unlinked", "submodule", "mode", "executable"])
def test_what_lines_do_not_tell_of_is_never_minor(kind: MarkKind) -> None:
    facts = made(MAKER, CREATOR, minor=True, attempt_=attempt(added=0, removed=0, size=5, marks=[Mark(kind, "a.sh")]))
    assert "a.sh" in sentences(facts)
    assert sentences(facts, MAKER)


def test_other_marks_do_not_make_it_more_than_minor() -> None:
    for kind in ("deleted", "hidden", "odd"):
        assert not sentences(made(MAKER, minor=True, attempt_=attempt(marks=[Mark(kind, "a.sh")])))


@pytest.mark.parametrize("late", [False, True])
def test_where_a_key_exists_a_persons_mark_counts_only_signed(late: bool) -> None:
    mark = Control("minor", ADA.session, late=late)
    facts = replace(minor(minor_by=ADA.session, minor_late=late), controls=(mark,))
    facts = replace(facts, parties=facts.parties | {ADA.session: ADA})
    assert sentences(facts) == ""
    assert "did not sign" in sentences(replace(facts, has_keys=True))
    assert sentences(replace(facts, has_keys=True, controls=(replace(mark, key="SHA256:ada"),))) == ""


def test_a_binary_file_cannot_be_measured_and_is_not_minor() -> None:
    assert "binary" in sentences(minor(ChangedFile("logo.png", None, None)))


@pytest.mark.parametrize("path", ["foureyes.toml", ".github/workflows/ci.yml", ".github/workflows/deep/er.yml"])
def test_a_protected_path_is_never_minor(path: str) -> None:
    assert path in sentences(minor(ChangedFile(path, 1, 0)))
    assert path in sentences(minor(ChangedFile("a.py", 1, 0), ChangedFile(path, 1, 0)))


def test_moving_a_protected_file_away_is_not_minor() -> None:
    assert "foureyes.toml" in sentences(minor(ChangedFile("elsewhere.toml", 0, 0, old_path="foureyes.toml")))


def test_a_file_that_only_looks_protected_is_minor() -> None:
    assert sentences(minor(ChangedFile("docs/foureyes.toml", 1, 0))) == ""


LEAD = agent("lead")
WORKER = agent("worker", parents=[LEAD])
AGAIN = agent("again", origin="origin of maker")
SETTERS = [
    ("the implementer", MAKER, False),
    ("another session of its origin", agent("again", origin="origin of maker"), False),
    ("spawned by the implementer", agent("child", parents=[MAKER]), False),
    ("spawned by another session of its origin", agent("nephew", parents=[AGAIN]), False),
    ("an agent of unknown origin", agent("marked", proven=False), False),
    ("the creator", CREATOR, True),
    ("an outsider", STRANGER, True),
    ("a person", ADA, True),
]


@pytest.mark.parametrize(("setter", "counts"), [row[1:] for row in SETTERS], ids=[row[0] for row in SETTERS])
def test_a_late_mark_counts_only_from_outside_the_making(setter: Party, counts: bool) -> None:
    facts = made(MAKER, CREATOR, setter, AGAIN, minor=True, minor_late=True, minor_by=setter.session)
    assert (sentences(facts) == "") == counts


@pytest.mark.parametrize("setter", [LEAD, agent("again", origin="origin of lead"), WORKER], ids=lambda p: p.name)
def test_a_late_mark_of_a_delegator_does_not_count(setter: Party) -> None:
    facts = made(WORKER, CREATOR, LEAD, setter, minor=True, minor_late=True, minor_by=setter.session)
    assert "after creation" in sentences(facts)


def test_a_late_mark_does_not_count_once_its_setter_joins_the_makers() -> None:
    late = made(MAKER, CREATOR, STRANGER, authors=[STRANGER], minor=True, minor_late=True, minor_by=STRANGER.session)
    assert "after creation" in sentences(late)


def test_a_mark_at_creation_counts_even_if_the_creator_made_it() -> None:
    assert sentences(made(MAKER, MAKER, minor=True, minor_by=MAKER.session), MAKER) == ""


def test_a_label_with_auto_approve_false_bars_it() -> None:
    assert "label security" in sentences(minor(labels=["security"]))
    assert (
        sentences(minor(labels=["docs"]), policy=replace(POLICY, label_rules={"docs": LabelRule(auto_approve=True)}))
        == ""
    )


def test_self_approval_can_be_turned_off_without_turning_minor_off() -> None:
    off = replace(POLICY, minor=MinorRule(self=False))
    assert "minor.self = false" in sentences(minor(), MAKER, off)
    assert sentences(minor(), None, off) == ""


@pytest.mark.parametrize(("used", "left"), [(0, True), (4, True), (5, False), (6, False)])
def test_an_origin_has_so_many_self_approvals_a_day(used: int, left: bool) -> None:
    facts = replace(minor(), minor_self_approvals={"origin of maker": used, "origin of stranger": 99})
    assert (sentences(facts, MAKER) == "") == left
    assert sentences(facts, None) == "", "others are not bound by it"


def test_every_bound_that_is_broken_is_named() -> None:
    facts = minor(
        ChangedFile("foureyes.toml", 500, 0), added=500, labels=["security"], minor_late=True, minor_by=MAKER.session
    )
    facts = replace(facts, minor_self_approvals={"origin of maker": 5})
    found = minor_refusals(facts, replace(POLICY, minor=MinorRule(self=False)), MAKER)
    assert len(found) == 6


def test_a_person_uses_up_the_same_allowance_in_every_terminal() -> None:
    facts = replace(made(ADA, minor=True), minor_self_approvals={"origin of ada": 5})
    assert "approved 5" in sentences(facts, person("ada", terminal="2"))


@pytest.mark.parametrize("used", [0, 1])
def test_the_allowance_is_counted_from_none(used: int) -> None:
    one = replace(POLICY, minor=MinorRule(self_approvals_per_day=1))
    facts = replace(minor(), minor_self_approvals={"origin of maker": used} if used else {})
    assert (sentences(facts, MAKER, one) == "") == (used == 0)
    nowhere = replace(MAKER, origins=frozenset())
    assert sentences(facts, nowhere, one) == ""


@pytest.mark.parametrize(
    ("above", "left"), [(agent("lead"), False), (person("bob"), True), (service(), True), (runner(), True)]
)
def test_the_allowance_is_that_of_every_agent_above(above: Party, left: bool) -> None:
    """A lead has as many for all that it spawns; people and services are no authors of it (I7)."""
    author = agent("author", parents=[above])
    facts = replace(made(author, CREATOR, above, minor=True), minor_self_approvals=dict.fromkeys(above.origins, 5))
    assert (sentences(facts, author) == "") == left


def test_a_late_mark_of_which_nobody_knows_whose_it_is_does_not_count() -> None:
    assert "no record of who did that" in sentences(minor(minor_late=True, minor_by=None))
    assert sentences(minor(minor_late=False, minor_by=None)) == ""
    assert sentences(minor(minor_late=False, minor_by=MAKER.session)) == ""
    assert "after creation" in sentences(minor(minor_late=True, minor_by=MAKER.session))


def test_only_the_last_mark_must_be_signed_and_only_marks() -> None:
    def marked(*controls: Control) -> str:
        facts = replace(minor(), controls=controls, has_keys=True)
        return sentences(replace(facts, parties=facts.parties | {ADA.session: ADA}))

    bare, signed = Control("minor", ADA.session), Control("minor", ADA.session, key="SHA256:ada")
    assert marked(bare, signed) == ""
    assert "did not sign" in marked(signed, bare)
    assert marked(signed, Control("label", ADA.session, "ux")) == ""
    assert marked(Control("minor", STRANGER.session)) == "", "an agent has no key"


def test_paths_of_a_merge_or_of_another_task_are_not_minor() -> None:
    elsewhere = made(minor=True, attempt_=attempt(marks=[Mark("at_merge", "src/b.py")]))
    assert sentences(elsewhere) == "the merge would place the change in src/b.py"
    other = made(status="reviewing")
    other = replace(other, task=replace(other.task, id=TaskId("fe-low")))
    below = Lower(inside=Below(task=TaskId("fe-low"), how="whole", attempt=1, commits=1), facts=other)
    assert sentences(replace(minor(), below=(below,))) == "it contains 1 commit of fe-low, in review (A7)"


def test_an_attempt_without_files_need_not_be_measured() -> None:
    empty = replace(attempt(added=0, removed=0, size=NOT_MEASURED), files=[])
    assert sentences(made(minor=True, attempt_=empty)) == ""
    one_of_two = [ChangedFile("a.py", 1, 0), ChangedFile("logo.png", None, None)]
    assert "binary" in sentences(made(minor=True, attempt_=attempt(files=one_of_two)))
