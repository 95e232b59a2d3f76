"""Which review a task needs, and when none (M1, M2, M3, M4, M7, M8). Control only gets stricter (M6)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from foureyes.core.nouns.attempt import NOT_MEASURED, Attempt, Below, ChangedFile, How, Mark, MarkKind
from foureyes.core.nouns.check_config import CheckoutRule
from foureyes.core.nouns.cycle import CycleId, CycleState, InCycle
from foureyes.core.nouns.finding_state import Blocking
from foureyes.core.nouns.session import Grade, Party
from foureyes.core.rules.check_states import check_states
from foureyes.core.rules.facts import Control, Facts, Lower
from foureyes.core.rules.gate import Tip
from foureyes.core.rules.involvement import labels_in_force
from foureyes.core.rules.modes import (
    NAMES,
    ModeChoice,
    label_mode,
    loosenings,
    mode_of,
    refuse_unknown_mode,
    strictest_mode,
    why_not_by_itself,
)
from foureyes.core.rules.policy import MODES, AutoApprove, LabelRule, Mode, ReviewPolicy
from foureyes.core.words.folding import folded
from foureyes.core.words.ids import TaskId
from foureyes.errors import BadInput, Reason

from tests.core.samples import (
    ADA,
    BASE_TREE,
    CREATOR,
    CRON,
    HEAD,
    LINT,
    MAKER,
    STRANGER,
    TESTS,
    agent,
    asserted,
    attempt,
    entry,
    made,
    off,
    person,
    quick,
    ran,
    rules,
    touching,
)

CURRENT = Tip(head=HEAD)
LEAD = agent("lead")
WORKER = agent("worker", parents=[LEAD])
AGAIN = agent("again", origin="origin of maker")
CHECKED = rules(checks=(TESTS, LINT))
PREPARED = rules(checks=(TESTS, LINT), checkout=CheckoutRule(prepare="go mod download"))
GREEN = (ran(), ran(LINT))


def put(*labels: str, by: Party = ADA, late: bool = False, after_start: bool = False) -> tuple[Control, ...]:
    return tuple(Control("label", by.session, label, late=late, after_start=after_start) for label in labels)


def work(
    *labels: str,
    by: Party = ADA,
    late: bool = False,
    after_start: bool = False,
    attempt_: Attempt | None = None,
    planned: str = "",
    controls: Sequence[Control] = (),
    maker: Party = MAKER,
) -> Facts:
    """Work in review with labels that somebody put on."""
    facts = made(
        maker, CREATOR, STRANGER, ADA, LEAD, AGAIN, CRON, by, attempt_=attempt_, labels=list(labels), planned=planned
    )
    return replace(facts, controls=(*put(*labels, by=by, late=late, after_start=after_start), *controls))


def mode(facts: Facts, policy: ReviewPolicy = ReviewPolicy()) -> Mode:
    chosen = mode_of(facts, policy)
    assert chosen.reasons, "a mode has a reason (G2)"
    return chosen.mode


def reasons(
    facts: Facts, policy: ReviewPolicy = CHECKED, tip: Tip | None = CURRENT, *, any_mode: bool = False
) -> tuple[Reason, ...]:
    return why_not_by_itself(facts, policy, mode_of(facts, policy), check_states(facts, policy), tip, any_mode=any_mode)


# M1, M2: which label, which level


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ([], "batch"), (["ux"], "batch"), (["review:per-task"], "per-task"), (["review:batch"], "batch"),
        (["review:skip"], "skip"), (["review:auto"], "auto-approve"), (["review:auto-approve"], "auto-approve"),
        (["trivial"], "auto-approve"), (["security"], "per-task"), (["review:skip", "trivial"], "skip"),
        (["review:batch", "trivial"], "batch"), (["review:skip", "security"], "skip"), (["review:xyz"], "per-task"),
        (["review:"], "per-task"), (["review:SKIP"], "skip"), (["reviews:skip"], "batch"),
        (["Review:Auto"], "auto-approve"), (["Security"], "per-task"), (["SECUR\u0130TY"], "per-task"),
        (["\uff33ecurity"], "per-task"), (["secu\u200brity"], "per-task"), (["REVIEW:Per-Task"], "per-task"),
        (["Trivial"], "auto-approve"), (["Review:xyz"], "per-task"),
    ],
    ids=str,
)  # fmt: skip
def test_an_explicit_label_wins_over_a_rule_and_a_rule_over_the_default(labels: list[str], expected: Mode) -> None:
    assert mode(work(*labels)) == expected


@pytest.mark.parametrize("one", MODES)
@pytest.mark.parametrize("other", MODES)
def test_within_a_level_the_most_restrictive_wins_in_either_order(one: Mode, other: Mode) -> None:
    wanted = MODES[min(MODES.index(one), MODES.index(other))]
    assert strictest_mode([one, other]) == wanted
    assert mode(work(f"review:{one}", f"review:{other}")) == wanted
    by_rule = rules(label_rules={"a": LabelRule(one), "z": LabelRule(other)})
    assert mode(work("a", "z"), by_rule) == mode(work("z", "a"), by_rule) == wanted


@pytest.mark.parametrize("default", MODES)
def test_without_label_or_plan_the_default_mode_decides(default: Mode) -> None:
    assert mode(work(), rules(default_mode=default)) == default


def test_a_plan_is_weaker_than_a_rule_and_stronger_than_the_default() -> None:
    plan = [Control("plan", ADA.session)]
    assert mode(work(planned="auto-approve", controls=plan)) == "auto-approve"
    assert mode(work("security", planned="auto-approve", controls=plan)) == "per-task"
    assert mode(work("review:batch", planned="auto-approve", controls=plan)) == "batch", "a person's later choice wins"


def test_an_unknown_mode_warns_and_says_which_there_are() -> None:
    chosen = mode_of(work("review:xyz"), ReviewPolicy())
    assert chosen.mode == "per-task"
    (warning,) = [reason for reason in chosen.reasons if reason.rule == "M2"]
    assert "review:xyz" in warning.message
    assert all(name in warning.message for name in NAMES)


@quick
@given(st.text(max_size=20))
def test_every_review_label_means_a_mode_and_a_strange_one_per_task(name: str) -> None:
    assert label_mode(f"review:{name}") == NAMES.get(folded(f"review:{name}")[7:], "per-task")
    assert label_mode(name) is None or folded(name).startswith("review:")


# M3: rules of labels


@pytest.mark.parametrize(
    ("paths", "expected"),
    [
        (["README.md"], "skip"), (["docs/a.rst", "docs/img.png", "x/y.md"], "skip"),
        (["README.md", "src/a.py"], "batch"), (["src/a.py"], "batch"), (["x.txt"], "batch"),
        (["CLAUDE.md"], "per-task"), (["sub/AGENTS.md", "a.md"], "per-task"), (["docs/conftest.py"], "batch"),
        (["docs/Makefile", "docs/a.md"], "batch"), (["docs/conf.py"], "batch"), (["docs/build.sh"], "batch"),
        (["docs/index.html"], "batch"), (["docs/logo.svg"], "batch"), (["guide.adoc", "src/a.webp"], "skip"),
        (["docs/notes.txt", "lib/doc/a/b.txt"], "skip"), (["docs/requirements.txt"], "batch"),
        (["docs/requirements-dev.txt"], "batch"), (["doc/constraints.txt"], "batch"),
        (["docs/CMakeLists.txt"], "batch"), (["docs/cmakelists.txt"], "batch"), (["docs/migrations/1.md"], "batch"),
    ],
)  # fmt: skip
def test_docs_are_skipped_only_where_every_changed_path_is_one(paths: list[str], expected: Mode) -> None:
    assert mode(work("docs", attempt_=touching(*paths))) == expected


@pytest.mark.parametrize(
    ("labels", "by", "words"),
    [
        (["docs"], ADA, "skip if only documents change, else batch"),
        (["docs"], STRANGER, "skip if only documents change, else batch"),
        (["docs", "trivial"], ADA, "auto-approve"),
        (["docs", "security"], ADA, "per-task"),
        (["review:skip"], STRANGER, "skip if only documents change, else auto-approve"),
        (["review:skip"], ADA, "skip"),
    ],
)
def test_mode_before_submission_names_its_condition(labels: list[str], by: Party, words: str) -> None:
    planned = work(*labels, by=by)
    open_ = replace(planned, attempt=None, task=replace(planned.task, status="open"))
    chosen = mode_of(open_, ReviewPolicy())
    assert chosen.words == words
    assert mode_of(work(*labels, by=by), ReviewPolicy()).documents is None, "what is submitted is known"


def test_code_that_was_renamed_to_a_document_is_no_document() -> None:
    moved = attempt(files=[ChangedFile("docs/a.md", 0, 0, old_path="src/a.py")])
    assert mode(work("docs", attempt_=moved)) == "batch"


def test_an_empty_change_is_no_document() -> None:
    assert mode(work("docs", attempt_=replace(attempt(), files=[]))) == "batch"


@pytest.mark.parametrize("kind", ["odd", "link", "submodule", "mode", "executable"])
def test_a_document_that_is_no_plain_file_is_not_skipped(kind: MarkKind) -> None:
    marked = replace(touching("docs/a.md"), marks=[Mark(kind, "docs/a.md")])
    assert mode(work("docs", attempt_=marked)) == "batch"
    assert mode(work("review:skip", by=STRANGER, attempt_=marked)) == "auto-approve"


def test_an_attempt_that_was_not_measured_is_no_document() -> None:
    assert mode(work("docs", attempt_=replace(touching("docs/a.md"), size=NOT_MEASURED))) == "batch"


def test_an_agent_says_skip_where_only_plain_documents_changed() -> None:
    documents = touching("docs/a.md", "README.md")
    assert mode(work("docs", by=STRANGER, attempt_=documents)) == "skip"
    assert mode(work("review:skip", by=STRANGER, late=True, attempt_=documents)) == "skip"
    for label in ("docs", "review:skip", "Docs"):
        assert mode(work(label, by=MAKER, attempt_=documents)) == "batch", "its maker does not"
    gate_file = touching("docs/a.md", "docs/agents.md")
    assert mode(work("review:skip", by=STRANGER, attempt_=gate_file)) == "per-task"


def test_the_reasons_say_that_an_agents_skip_counts_as_auto_approve() -> None:
    chosen = mode_of(work("review:skip", by=STRANGER), ReviewPolicy())
    assert any(reason.rule == "M6" and "only a person may set skip" in reason.message for reason in chosen.reasons)
    careful = rules(label_rules={"chore": LabelRule("skip")})
    assert mode(work("chore", by=STRANGER), careful) == "auto-approve"
    assert mode(work("chore", by=ADA), careful) == "skip"


def test_a_plan_of_an_agent_skips_nothing() -> None:
    for by, expected in ((STRANGER, "auto-approve"), (ADA, "skip"), (MAKER, "batch")):
        assert mode(work(planned="skip", controls=[Control("plan", by.session)])) == expected


@pytest.mark.parametrize("label", ["review:skip", "review:auto", "trivial", "docs"])
@pytest.mark.parametrize("late", [False, True])
def test_where_a_key_exists_what_a_person_loosens_counts_only_signed(label: str, late: bool) -> None:
    facts = replace(work(label, late=late, attempt_=touching("docs/a.md")), has_keys=True)
    chosen = mode_of(facts, ReviewPolicy())
    assert chosen.mode == "batch"
    assert any(reason.rule == "M6" and "did not sign" in reason.message for reason in chosen.reasons)
    signed = tuple(replace(control, key="SHA256:ada") for control in facts.controls)
    assert mode(replace(facts, controls=signed)) == mode(replace(facts, has_keys=False)) != "batch"


def test_where_a_key_exists_a_plan_and_an_acceptance_count_only_signed() -> None:
    plan, edit = Control("plan", ADA.session), Control("acceptance", ADA.session, late=True)
    for key, expected in (("", "batch"), ("SHA256:ada", "auto-approve")):
        facts = work(planned="auto-approve", controls=[replace(plan, key=key)])
        assert mode(replace(facts, has_keys=True)) == expected
        facts = work(planned="auto-approve", controls=[replace(plan, key="SHA256:ada"), replace(edit, key=key)])
        assert mode(replace(facts, has_keys=True)) == expected


@pytest.mark.parametrize("label", ["", "review:skip", "review:auto", "trivial"])
def test_a_rule_that_forbids_it_bars_auto_approval_whatever_the_mode(label: str) -> None:
    careful = rules(
        checks=(TESTS,), label_rules={"release": LabelRule(auto_approve=False), "trivial": LabelRule("auto-approve")}
    )
    facts = replace(work("release", *([label] if label else [])), results=GREEN)
    assert [reason.rule for reason in reasons(facts, careful)] == ["M3"]
    assert "release" in reasons(facts, careful)[0].message


# A4


@pytest.mark.parametrize("label", ["", "review:skip", "review:auto", "docs", "trivial"])
@pytest.mark.parametrize(
    "path", ["foureyes.toml", "CLAUDE.md", "a/.claude/x.json", ".gitattributes", ".foureyes/prompts/a.md"]
)
def test_a_changed_gate_file_is_per_task_whatever_the_labels_say(label: str, path: str) -> None:
    facts = replace(work(*([label] if label else []), attempt_=touching("docs/a.md", path)), results=GREEN)
    chosen = mode_of(facts, CHECKED)
    assert (chosen.mode, chosen.reasons[0].rule) == ("per-task", "A4")
    assert [reason.rule for reason in reasons(facts)] == ["A4"]


# M6: who may loosen

LOOSE = ["review:skip", "review:auto", "trivial"]
INVOLVED = [
    WORKER,
    LEAD,
    agent("twin", origin="origin of worker"),
    agent("below", parents=[WORKER]),
    agent("marked", proven=False),
]


@pytest.mark.parametrize("label", LOOSE)
@pytest.mark.parametrize("late", [False, True], ids=["at creation", "later"])
@pytest.mark.parametrize("by", INVOLVED, ids=lambda party: party.name)
def test_what_a_maker_or_delegator_loosens_counts_as_batch(by: Party, late: bool, label: str) -> None:
    facts = work(label, by=by, late=late, maker=WORKER)
    chosen = mode_of(facts, ReviewPolicy())
    assert chosen.mode == "batch"
    assert any(reason.rule == "M6" and label in reason.message for reason in chosen.reasons)
    assert reasons(facts), "and so it never approves itself"


def test_who_becomes_a_maker_later_has_loosened_nothing() -> None:
    """It is asked when a decision is made, of who is in the author set then."""
    before = work("review:auto", by=STRANGER)
    after = replace(before, history=(*(before.history or ()), entry(STRANGER, "committed", 1)))
    assert (mode(before), mode(after)) == ("auto-approve", "batch")


@pytest.mark.parametrize(
    ("by", "late", "after_start", "label", "expected"),
    [
        (ADA, True, True, "review:skip", "skip"), (ADA, True, True, "trivial", "auto-approve"),
        (STRANGER, True, False, "review:skip", "auto-approve"), (STRANGER, True, True, "review:skip", "auto-approve"),
        (STRANGER, True, True, "review:auto", "auto-approve"), (CREATOR, False, False, "review:skip", "auto-approve"),
        (STRANGER, True, True, "Review:Skip", "auto-approve"), (ADA, False, False, "review:skip", "skip"),
        (CREATOR, True, False, "review:skip", "batch"), (CREATOR, True, True, "trivial", "batch"),
        (CRON, False, False, "trivial", "batch"), (CRON, True, False, "review:auto", "batch"),
        (asserted(), True, False, "review:auto", "batch"),
    ],
    ids=lambda value: getattr(value, "name", str(value)),
)  # fmt: skip
def test_only_people_and_uninvolved_sessions_loosen_a_mode(
    by: Party, late: bool, after_start: bool, label: str, expected: Mode
) -> None:
    assert mode(work(label, by=by, late=late, after_start=after_start)) == expected


def test_a_person_who_made_it_loosens_nothing_from_any_terminal() -> None:
    facts = made(person("ada", terminal="1"), CREATOR, ADA, labels=["review:skip"])
    assert mode(replace(facts, controls=put("review:skip", by=ADA, late=True))) == "batch"


def test_a_label_of_which_nobody_knows_who_put_it_on_loosens_nothing() -> None:
    for label in LOOSE:
        facts = replace(work(label), controls=())
        assert mode(facts) == "batch"
        assert "no record of" in loosenings(facts, ReviewPolicy())[label].message
    assert mode(replace(work("review:per-task"), controls=())) == "per-task", "what asks for more always counts"


def test_who_put_a_label_on_last_is_who_counts() -> None:
    theirs, mine = put("review:skip", by=ADA, late=True), put("review:skip", by=MAKER, late=True)
    assert mode(replace(work("review:skip"), controls=(*theirs, *mine))) == "batch"
    assert mode(replace(work("review:skip"), controls=(*mine, *theirs))) == "skip"


@pytest.mark.parametrize(
    ("label", "without"),
    [("review:per-task", "per-task"), ("security", "per-task"), ("review:batch", "batch"), ("review:skip", "batch")],
)
def test_a_label_that_a_maker_takes_off_still_asks_and_loosens_nothing(label: str, without: Mode) -> None:
    facts = replace(work("trivial" if label == "review:batch" else "ux"), labels_taken_off=(off(label),))
    assert mode(facts) == without


def test_what_a_person_takes_off_at_last_is_off() -> None:
    maker, someone = off("security"), off("security", ADA)
    assert mode(replace(work(), labels_taken_off=(maker, someone))) == "batch"
    assert mode(replace(work(), labels_taken_off=(someone, maker))) == "per-task"


def test_an_acceptance_that_a_maker_changed_is_looked_at() -> None:
    for by, expected in ((MAKER, "batch"), (AGAIN, "batch"), (ADA, "skip"), (STRANGER, "skip")):
        facts = work("review:skip", controls=[Control("acceptance", by.session, late=True)])
        assert mode(facts) == expected
        assert any("acceptance" in reason.message for reason in mode_of(facts, ReviewPolicy()).reasons) == (
            expected == "batch"
        )
    cut = work("review:per-task", controls=[Control("acceptance", MAKER.session, late=True)])
    assert mode(cut) == "per-task", "and never loosens"


@pytest.mark.parametrize(
    ("by", "expected"), [(ADA, "auto-approve"), (STRANGER, "auto-approve"), (MAKER, "batch"), (AGAIN, "batch"), (CRON, "batch")],
    ids=lambda value: getattr(value, "name", str(value)),
)  # fmt: skip
def test_a_plan_counts_unless_who_made_it_or_a_service_planned_it(by: Party, expected: Mode) -> None:
    facts = work(planned="auto-approve", by=by, controls=[Control("plan", by.session)])
    chosen = mode_of(facts, ReviewPolicy())
    assert chosen.mode == expected
    assert any(reason.rule == "M6" for reason in chosen.reasons) == (expected == "batch")


def test_a_person_who_accepts_a_plan_makes_it_theirs() -> None:
    plan, accepted = Control("plan", MAKER.session), Control("plan", ADA.session, late=True, after_start=True)
    assert mode(work(planned="auto-approve", controls=[plan])) == "batch"
    assert mode(work(planned="auto-approve", controls=[plan, accepted])) == "auto-approve"
    assert mode(work(planned="auto-approve")) == "batch", "a plan of which nobody knows whose it is (G1)"


@pytest.mark.parametrize(
    ("by", "independence", "counts"),
    [
        ("claude", "program", False),
        ("claude", "origin", True),
        ("codex", "program", True),
        ("", "program", False),
    ],
)
@pytest.mark.parametrize("kind", ["label", "plan"])
def test_only_another_program_loosens_where_one_must_review(
    kind: str, by: str, independence: Grade, counts: bool
) -> None:
    """Else a refused reviewer of the author's program (P6) would have a rule approve in its place."""
    maker, reviewer = (replace(who, agent=name) for who, name in ((MAKER, "claude"), (STRANGER, by)))
    control = Control("label" if kind == "label" else "plan", reviewer.session, "review:auto", late=True)
    fields = {"labels": ["review:auto"]} if kind == "label" else {"planned": "auto-approve"}
    facts = replace(made(maker, CREATOR, reviewer, **fields), controls=(control,))
    chosen = mode_of(facts, rules(independence=independence))
    assert chosen.mode == ("auto-approve" if counts else "batch")
    assert counts or "another program" in chosen.reasons[-1].message


# M6 as a property

LABELS = [
    "review:per-task",
    "review:batch",
    "review:auto",
    "review:skip",
    "review:odd",
    "security",
    "docs",
    "trivial",
    "ux",
    "risky",
    "free",
]
RULES = rules(
    label_rules={
        **ReviewPolicy().label_rules,
        "risky": LabelRule("per-task"),
        "free": LabelRule("skip"),
    }
)
some_labels = st.sets(st.sampled_from(LABELS), max_size=4)
changed = st.sampled_from([attempt(), touching("a.md"), touching("docs/a.md", "src/a.py")])
policies = st.builds(lambda default: replace(RULES, default_mode=default), st.sampled_from(MODES))


def looser(one: Mode, other: Mode) -> bool:
    return MODES.index(one) > MODES.index(other)


def with_labels(labels: Iterable[str], attempt_: Attempt, planned: str) -> Facts:
    plan = [Control("plan", ADA.session)] if planned else []
    return work(*sorted(labels), attempt_=attempt_, planned=planned, controls=plan)


@quick
@given(
    some_labels,
    some_labels,
    changed,
    policies,
    st.sampled_from(["", "auto-approve", "skip"]),
    st.sampled_from([MAKER, AGAIN]),
)
def test_labels_that_a_maker_adds_never_loosen(
    before: set[str], added: set[str], attempt_: Attempt, policy: ReviewPolicy, planned: str, by: Party
) -> None:
    facts = with_labels(before, attempt_, planned)
    new = sorted(added - before)
    after = replace(
        facts,
        task=replace(facts.task, labels=sorted(before | added)),
        controls=(*facts.controls, *put(*new, by=by, late=True)),
    )
    assert not looser(mode(after, policy), mode(facts, policy))
    assert set(labels_in_force(facts)) <= set(labels_in_force(after))


@quick
@given(
    some_labels,
    some_labels,
    changed,
    policies,
    st.sampled_from(["", "auto-approve", "skip"]),
    st.sampled_from([MAKER, AGAIN, CREATOR]),
)
def test_labels_that_a_maker_takes_off_never_loosen(
    before: set[str], removed: set[str], attempt_: Attempt, policy: ReviewPolicy, planned: str, by: Party
) -> None:
    facts = with_labels(before, attempt_, planned)
    gone = sorted(removed & before)
    left = replace(facts.task, labels=sorted(before - removed))
    after = replace(facts, task=left, labels_taken_off=tuple(off(label, by) for label in gone))
    assert not looser(mode(after, policy), mode(facts, policy))
    assert set(labels_in_force(facts)) <= set(labels_in_force(after))


@quick
@given(some_labels, changed, policies, st.sampled_from(["", "auto-approve", "skip"]))
def test_an_acceptance_that_a_maker_changes_never_loosens(
    labels: set[str], attempt_: Attempt, policy: ReviewPolicy, planned: str
) -> None:
    facts = with_labels(labels, attempt_, planned)
    after = replace(facts, controls=(*facts.controls, Control("acceptance", MAKER.session, late=True)))
    assert not looser(mode(after, policy), mode(facts, policy))


@quick
@given(some_labels, changed, policies, st.permutations(LABELS))
def test_the_order_of_labels_changes_nothing(
    labels: set[str], attempt_: Attempt, policy: ReviewPolicy, order: list[str]
) -> None:
    one = work(*sorted(labels), attempt_=attempt_)
    other = work(*sorted(labels, key=order.index), attempt_=attempt_)
    assert mode_of(one, policy) == mode_of(other, policy)


# M4


def auto(attempt_: Attempt | None = None, **fields: object) -> Facts:
    facts = replace(work("trivial", attempt_=attempt_), results=GREEN)
    return replace(facts, **fields)


def test_nothing_stands_against_a_trivial_change_with_green_checks() -> None:
    assert reasons(auto()) == ()


def test_zero_checks_never_approve() -> None:
    for switches in (
        AutoApprove(),
        AutoApprove(require_quality_pass=False),
        AutoApprove(require_signal_done=False, max_iterations=0),
    ):
        (why,) = reasons(auto(), rules(auto=switches))
        assert (why.rule, "no check is configured" in why.message, bool(why.next)) == ("M4", True, True)


@quick
@given(some_labels, changed, policies, st.sampled_from(["", "auto-approve"]), st.booleans(), st.booleans())
def test_without_checks_nothing_approves_itself_but_what_is_skipped(
    labels: set[str], attempt_: Attempt, policy: ReviewPolicy, planned: str, quality: bool, done: bool
) -> None:
    policy = replace(policy, auto=AutoApprove(require_quality_pass=quality, require_signal_done=done))
    facts = with_labels(labels, attempt_, planned)
    assert reasons(facts, policy) or mode(facts, policy) == "skip"


OFF = replace(CHECKED, auto=AutoApprove(enabled=False))
CASES = {
    "switched off": (auto(), OFF, CURRENT, ["enabled = false"]),
    "not run": (auto(results=()), CHECKED, CURRENT, ["has not run"]),
    "failed": (auto(results=(ran(outcome="failed"),)), CHECKED, CURRENT, ["tests failed"]),
    "crashed": (auto(results=(ran(outcome="crashed"),)), CHECKED, CURRENT, ["tests crashed"]),
    "unsound": (auto(results=(ran(outcome="unsound"),)), CHECKED, CURRENT, ["unsound"]),
    "timed out": (auto(results=(ran(outcome="timed_out"),)), CHECKED, CURRENT, ["tests timed out"]),
    "claimed": (auto(results=(ran(by=MAKER),)), CHECKED, CURRENT, ["claimed"]),
    "run by an agent": (auto(results=(ran(by=STRANGER),)), CHECKED, CURRENT, ["claimed"]),
    "not compared": (auto(attempt(base_tree=BASE_TREE)), CHECKED, CURRENT, ["not compared"]),
    "on another tree": (auto(results=(ran(tree="e" * 40),)), CHECKED, CURRENT, ["has not run"]),
    "of another command": (auto(results=(ran(replace(TESTS, run="true")),)), CHECKED, CURRENT, ["has not run"]),
    "too many iterations": (auto(attempt(4)), CHECKED, CURRENT, ["iteration 4"]),
    "needs a review": (auto(attempt(signal="NEEDS_REVIEW")), CHECKED, CURRENT, ["signal NEEDS_REVIEW"]),
    "blocked": (auto(attempt(signal="BLOCKED")), CHECKED, CURRENT, ["signal BLOCKED"]),
    "blocking finding": (auto(open_blocking=(Blocking("TL-1"),)), CHECKED, CURRENT, ["TL-1"]),
    "project held": (auto(project_hold="drill"), CHECKED, CURRENT, ["drill"]),
    "stale": (auto(), CHECKED, Tip(head=None), ["stale"]),
    "git does not answer": (auto(), CHECKED, None, ["git could not say"]),
    "how checks run": (auto(touching("src/conftest.py")), CHECKED, CURRENT, ["how checks run"]),
    "package scripts": (auto(touching("web/package.json")), CHECKED, CURRENT, ["how checks run"]),
    "an environment": (auto(touching("web/.venv/bin/pytest")), CHECKED, CURRENT, ["how checks run"]),
    "a link for packages": (auto(touching("node_modules")), CHECKED, CURRENT, ["how checks run"]),
    "a lock file": (auto(touching("go.sum")), CHECKED, CURRENT, ["how checks run: go.sum"]),
    "an input of the environment": (auto(touching("go.sum")), PREPARED, CURRENT, ["how checks run: go.sum"]),
    "a test deleted": (
        auto(attempt(marks=[Mark("deleted", "tests/test_a.py")])),
        CHECKED,
        CURRENT,
        ["deletes the test file"],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_each_failed_condition_is_a_reason(case: str) -> None:
    facts, policy, tip, words = CASES[case]
    found = reasons(facts, policy, tip)
    assert len(found) == len(words)
    assert all(word in reason.message for word, reason in zip(words, found, strict=True)), found


def test_all_that_fails_is_said_in_the_order_of_the_rule() -> None:
    bad = attempt(4, signal="BLOCKED", files=touching("Makefile").files, marks=[Mark("deleted", "tests/test_a.py")])
    facts = auto(bad, results=(ran(outcome="failed"),), open_blocking=(Blocking("TL-1"),), project_hold="drill")
    policy = rules(checks=(TESTS, replace(TESTS, name="more")), auto=AutoApprove(enabled=False))
    words = [
        "enabled = false", "check tests failed", "check more has not run", "iteration 4", "signal BLOCKED", "TL-1",
        "drill", "stale", "how checks run", "deletes the test file",
    ]  # fmt: skip
    found = reasons(facts, policy, Tip(head=None))
    assert [word for word, reason in zip(words, found, strict=True) if word not in reason.message] == []
    none = reasons(replace(facts, results=()), replace(policy, checks=()), Tip(head=None))
    assert "no check is configured" in none[1].message


@pytest.mark.parametrize(
    ("run", "why"),
    [
        ("pytest tests/test_a.py", ["it changes how checks run: tests/test_a.py, which the check tests runs"]),
        ("bash tests/test_a.py", ["it changes how checks run: tests/test_a.py, which the check tests runs"]),
        ("pytest tests", []),
    ],
)
def test_a_test_file_decides_only_where_a_command_names_it(run: str, why: list[str]) -> None:
    check = replace(TESTS, run=run)
    facts = auto(touching("tests/test_a.py"), results=(ran(check),))
    assert [reason.message for reason in reasons(facts, rules(checks=(check,)))] == why


def test_what_no_environment_is_made_from_is_no_reason() -> None:
    assert reasons(auto(touching("src/code.go")), PREPARED) == ()


def test_a_failing_optional_check_is_no_reason() -> None:
    assert reasons(auto(results=(ran(), ran(LINT, outcome="failed")))) == ()


@pytest.mark.parametrize(
    ("switches", "facts"),
    [
        (AutoApprove(require_quality_pass=False), auto(results=(ran(outcome="failed"),))),
        (AutoApprove(max_iterations=0), auto(attempt(99))),
        (AutoApprove(require_signal_done=False), auto(attempt(signal="NEEDS_REVIEW"))),
    ],
    ids=["quality", "iterations", "signal"],
)
def test_what_a_person_switched_off_is_no_reason(switches: AutoApprove, facts: Facts) -> None:
    assert reasons(facts, replace(CHECKED, auto=switches)) == ()


def test_blocked_never_approves_itself_whatever_the_switches() -> None:
    loose = AutoApprove(require_quality_pass=False, max_iterations=0, require_signal_done=False)
    assert reasons(auto(attempt(signal="BLOCKED")), replace(CHECKED, auto=loose))


def test_skip_needs_no_checks_but_nothing_stale_held_or_blocked() -> None:
    skipped = work("review:skip", attempt_=attempt(9, signal="BLOCKED"))
    assert reasons(skipped, rules(auto=AutoApprove(enabled=False))) == ()
    assert [reason.rule for reason in reasons(skipped, tip=None)] == ["D4"]
    assert [
        reason.rule for reason in reasons(replace(skipped, open_blocking=(Blocking("TL-1"),), project_hold="x"))
    ] == ["D2", "D3"]


def test_batch_never_approves_itself_and_says_who_has_to() -> None:
    facts = replace(work(), results=GREEN)
    found = reasons(facts)
    assert "mode batch" in found[0].message
    assert found[0].next


def test_what_a_batch_could_be_approved_with_is_asked_without_the_mode() -> None:
    plain, eyes = replace(work(), results=GREEN), replace(work("review:per-task"), results=GREEN)
    assert reasons(plain, any_mode=True) == ()
    assert reasons(auto(), any_mode=True) == ()
    assert [reason.rule for reason in reasons(eyes, any_mode=True)] == ["M1"], "per-task stays per-task"
    assert [reason.rule for reason in reasons(replace(work("security"), results=GREEN), any_mode=True)] == ["M3"]
    assert reasons(work(), any_mode=True), "and everything else of M4 holds"
    assert "mode batch" not in reasons(work(), any_mode=True)[0].message


def test_a_condition_that_raises_is_a_reason() -> None:
    class Broken:
        def __getattr__(self, name: str) -> object:
            raise OSError("disk gone")

    chosen = ModeChoice("skip", (Reason("M1", "label review:skip"),))
    found = why_not_by_itself(work("review:skip"), CHECKED, chosen, (), Broken())  # type: ignore[arg-type]
    assert [reason.rule for reason in found] == ["G1"]


# The reasons of a mode


def said(facts: Facts, policy: ReviewPolicy = ReviewPolicy()) -> list[tuple[str, str]]:
    return [(reason.rule, reason.message) for reason in mode_of(facts, policy).reasons]


def test_the_reasons_name_the_level_and_only_the_labels_that_decide() -> None:
    plan = [Control("plan", ADA.session)]
    assert said(work()) == [("M1", "project default")]
    assert said(work(planned="skip", controls=plan)) == [("M7", "planned as skip")]
    assert said(work("trivial", "security")) == [("M3", "label security is per-task")]
    assert said(work("review:skip", "review:batch", "security")) == [("M1", "label review:batch")]
    both = rules(label_rules={"a": LabelRule("batch"), "b": LabelRule("batch"), "c": LabelRule("skip")})
    assert said(work("b", "a", "c"), both) == [("M3", "label a is batch"), ("M3", "label b is batch")]
    strange = said(work("review:xyz", "review:batch", "ux"))
    assert [rule for rule, _ in strange] == ["M1", "M2"]


def test_the_reasons_name_labels_and_plans_that_do_not_count() -> None:
    made_it = "maker (ses-maker) made or delegated the work"
    assert said(work("trivial", by=MAKER))[1:] == [("M6", f"label trivial does not count: {made_it}")]
    assert said(work("review:per-task", by=MAKER)) == [("M1", "label review:per-task")], "more control always counts"
    assert said(work("ux", by=MAKER)) == [("M1", "project default")]
    skip = (
        "M6",
        "review:skip counts as auto-approve, because stranger (ses-stranger) set it and only a person may set skip",
    )
    assert said(work("review:skip", "ux", by=STRANGER))[1:] == [skip]
    assert said(work("review:auto", by=STRANGER)) == [("M1", "label review:auto")]
    unknown = replace(work("review:skip"), controls=())
    assert [rule for rule, _ in said(unknown)] == ["M1", "M6", "M6"]
    assert "an unknown session set it" in said(unknown)[2][1]
    plan = work(planned="auto-approve", controls=[Control("plan", MAKER.session)])
    assert said(plan)[1:] == [("M6", f"its planned mode auto-approve does not count: {made_it}")]
    cut = work("trivial", controls=[Control("acceptance", MAKER.session), Control("acceptance", AGAIN.session)])
    assert said(cut)[1:] == [("M6", "again (ses-again) worked on it and also changed its acceptance criteria")]
    edited = replace(work(controls=[Control("acceptance", ADA.session)]), has_keys=True)
    assert [rule for rule, _ in said(edited)] == ["M1", "M6"]
    assert "its acceptance criteria were changed, but ada did not sign it" in said(edited)[1][1]


def test_before_submission_the_condition_for_documents_comes_first() -> None:
    facts = work("docs", planned="auto-approve")
    open_ = mode_of(replace(facts, attempt=None), ReviewPolicy())
    assert [reason.rule for reason in open_.reasons] == ["M3", "M1", "M6"]
    assert (open_.words, open_.short) == ("skip if only documents change, else batch", "skip or batch")
    there = mode_of(facts, ReviewPolicy())
    assert (there.words, there.short) == ("batch", "batch")


def test_a_gate_file_behind_a_link_or_a_merge_is_per_task_and_says_so() -> None:
    changed = touching("src/a.py", marks=[Mark("behind", "CLAUDE.md")])
    assert said(work(attempt_=changed)) == [("A4", "it changes the gate file CLAUDE.md (through a link)")]
    assert said(work(attempt_=touching("CLAUDE.md"))) == [("A4", "it changes the gate file CLAUDE.md")]
    elsewhere = work("review:skip", attempt_=touching("a.md", marks=[Mark("at_merge", "src/b.py")]))
    assert (mode(elsewhere), said(elsewhere)) == ("per-task", [("Q2", "the merge would place the change in src/b.py")])


def test_a_rule_for_documents_that_asks_for_more_holds_for_code() -> None:
    careful = rules(label_rules={"docs": LabelRule("per-task")})
    assert mode(work("docs"), careful) == "per-task"


@pytest.mark.parametrize("label", ["ux", "review", "review:skip", "Review:Auto", "review:xyz", "REVIEW:"])
def test_only_an_unknown_mode_is_refused(label: str) -> None:
    if label in ("review:xyz", "REVIEW:"):
        with pytest.raises(BadInput, match="review:auto-approve"):
            refuse_unknown_mode(label)
    else:
        refuse_unknown_mode(label)


# Whose word counts


def test_only_the_session_that_set_a_label_counts() -> None:
    mine, theirs = put("ux", by=MAKER, late=True), put("review:skip", by=ADA)
    assert mode(replace(work("review:skip", "ux"), controls=(*theirs, *mine))) == "skip"
    gone = off("review:skip", MAKER)
    assert mode(replace(work("review:skip"), controls=(*theirs, gone))) == "skip", "taking off is not putting on"


@pytest.mark.parametrize("default", MODES)
def test_a_plan_that_does_not_count_leaves_at_most_batch(default: Mode) -> None:
    """Neither the plan nor a looser default decides then (M6)."""
    facts = work(planned="auto-approve", controls=[Control("plan", MAKER.session)])
    assert mode(facts, rules(default_mode=default)) == ("per-task" if default == "per-task" else "batch")


def test_the_last_plan_counts_and_a_creator_may_plan() -> None:
    """What comes after the plan is no plan; who imports a plan creates its tasks (M7)."""
    later = [Control("plan", ADA.session), Control("minor", MAKER.session, late=True)]
    assert mode(work(planned="auto-approve", controls=later)) == "auto-approve"
    assert mode(work(planned="auto-approve", controls=[Control("plan", CREATOR.session)])) == "auto-approve"


# A7, V8: other work inside, reviewers who are asked


def inside(*labels: str, how: How = "whole", **fields: Any) -> Lower:
    """Another task's work in the attempt."""
    other = work(*labels)
    other = replace(other, task=replace(other.task, **({"id": TaskId("fe-low")} | fields)))
    return Lower(inside=Below(task=TaskId("fe-low"), how=how, attempt=1, commits=2), facts=other)


@pytest.mark.parametrize("own", ["review:skip", "review:auto", "review:batch", "review:per-task"])
@pytest.mark.parametrize("theirs", ["review:skip", "review:auto", "review:batch", "review:per-task"])
def test_work_that_contains_another_task_takes_its_stricter_mode(own: str, theirs: str) -> None:
    facts = replace(work(own), below=(inside(theirs),))
    alone, lower = mode(work(own)), mode(work(theirs))
    assert mode(facts) == strictest_mode([alone, lower])
    stricter = MODES.index(lower) < MODES.index(alone)
    first = said(facts)[0]
    assert first == (
        ("A7", f"it contains work of fe-low, which is {lower} (label {theirs})") if stricter else ("M1", f"label {own}")
    )
    merged = inside(theirs, status="closed", resolution="merged", iteration=1)
    assert mode(replace(facts, below=(merged,))) == alone, "what is on the target asks for nothing"


def test_of_the_reasons_of_the_other_task_the_first_is_named() -> None:
    facts = replace(work(), below=(inside("review:per-task", "review:xyz"),))
    assert said(facts)[0][1].endswith("which is per-task (label review:per-task)")


OTHERS = [
    ("waits for it", inside(status="reviewing", iteration=1), "it contains 2 commits of fe-low, in review"),
    ("sent back", inside(status="open", iteration=1), "which was sent back"),
    (
        "only the same content",
        inside(how="quoted", status="reviewing", iteration=1),
        "with fe-low",
    ),
]


@pytest.mark.parametrize(("lower", "words"), [row[1:] for row in OTHERS], ids=[row[0] for row in OTHERS])
def test_no_rule_approves_work_that_contains_unmerged_work(lower: Lower, words: str) -> None:
    for facts in (auto(), work("review:skip")):
        (reason,) = reasons(replace(facts, below=(lower,)))
        assert (reason.rule, words in reason.message) == ("A7", True)


@pytest.mark.parametrize(
    ("state", "rule", "expected"),
    [
        ("open", "", ["V8"]),
        ("clarifying", "R2", ["V8"]),
        ("decided", "R0", ["R0"]),
        ("decided", "R1", []),
        ("decided", "R2", ["R2"]),
        ("decided", "R3", []),
        ("decided", "R4", []),
        ("ended", "", []),
        ("ended", "R2", ["R2"]),
    ],
)
def test_no_rule_approves_during_a_review_cycle(state: CycleState, rule: str, expected: list[str]) -> None:
    cycle = InCycle(task="fe-abc", cycle=CycleId("c-1"), state=state, rule=rule)
    for facts in (auto(), work("review:skip")):
        found = reasons(replace(facts, cycle=cycle))
        assert [reason.rule for reason in found] == expected
        assert all("c-1" in reason.message and reason.next for reason in found)


# M4, more closely


def test_each_reason_against_a_rule_is_its_own() -> None:
    """The rule asks in this order, and says one of each kind."""
    many = attempt(
        4,
        signal="BLOCKED",
        files=touching("Makefile", "conftest.py").files,
        marks=[Mark("deleted", "tests/test_a.py"), Mark("deleted", "tests/test_b.py")],
    )
    facts = auto(many, results=(ran(outcome="failed"),), open_blocking=(Blocking("TL-1"),))
    policy = replace(CHECKED, auto=AutoApprove(enabled=False))
    assert [reason.rule for reason in reasons(facts, policy)] == ["M4", "M4", "M4", "M4", "D2", "M4", "M4"]
    assert [reason.rule for reason in reasons(work("review:per-task", "review:xyz"))] == ["M1"]
    batch = reasons(replace(work(), results=GREEN))
    assert [reason.rule for reason in batch] == ["M1", "M1"]


def test_without_saying_so_a_batch_is_not_approved() -> None:
    facts = replace(work(), results=GREEN)
    chosen, states = mode_of(facts, CHECKED), check_states(facts, CHECKED)
    assert why_not_by_itself(facts, CHECKED, chosen, states, CURRENT)
    assert not why_not_by_itself(facts, CHECKED, chosen, states, CURRENT, any_mode=True)


@pytest.mark.parametrize(("n", "limit", "fits"), [(3, 3, True), (4, 3, False), (2, 1, False), (9, 0, True)])
def test_iterations_count_up_to_the_limit(n: int, limit: int, fits: bool) -> None:
    policy = replace(CHECKED, auto=AutoApprove(max_iterations=limit))
    assert (reasons(auto(attempt(n)), policy) == ()) == fits


def test_checks_that_are_not_required_approve_nothing() -> None:
    (why,) = reasons(auto(results=(ran(LINT),)), rules(checks=(LINT,)))
    assert (why.rule, "no check of this project is required" in why.message) == ("M4", True)


def test_no_rule_approves_unsubmitted_work() -> None:
    found = reasons(replace(auto(), attempt=None))
    assert [reason.rule for reason in found] == ["D4"]


@pytest.mark.parametrize(
    ("grade", "expected", "words"),
    [
        ("session", [], ""),
        ("origin", [], ""),
        ("program", [], ""),
        ("model", ["P6"], "review.independence requires a reviewer of another model"),
        ("vendor", ["P6"], "review.independence requires a reviewer of another vendor"),
        ("human", ["P6"], "review.independence requires a person"),
    ],
)
def test_a_rule_is_no_agent_and_reaches_no_higher_grade_than_program(
    grade: Grade, expected: list[str], words: str
) -> None:
    found = reasons(auto(), replace(CHECKED, independence=grade))
    assert [(reason.rule, reason.message) for reason in found] == [(rule, words) for rule in expected]


@pytest.mark.parametrize(("wanted", "reviewed", "fits"), [(0, 0, True), (1, 0, False), (1, 1, True), (2, 1, False)])
def test_required_reviews_come_before_a_rule(wanted: int, reviewed: int, fits: bool) -> None:
    facts = auto(reviewers=frozenset([STRANGER.session][:reviewed]))
    found = reasons(facts, replace(CHECKED, reviews=wanted))
    assert [reason.rule for reason in found] == ([] if fits else ["D6"])


def change(path: str, removed: int | None = 0, *, old: str = "", marks: Sequence[Mark] = ()) -> Attempt:
    return attempt(files=[ChangedFile(path, 3, removed, old_path=old)], marks=marks)


BARE = replace(TESTS, name="bare", report="none")
OPTIONAL = replace(TESTS, name="optional", required=False)
WEAKER = [
    ("a new test", change("tests/test_a.py"), False, False),
    ("one line less", change("tests/test_a.py", 1), False, True),
    ("a binary one", change("tests/data.bin", None), False, True),
    ("other code", change("src/a.py", 7), False, False),
    ("a test moved", change("src/a.py", old="tests/test_a.py"), False, True),
    ("code moved", change("src/b.py", old="src/a.py"), False, False),
    ("a test deleted", change("src/a.py", marks=[Mark("deleted", "tests/test_a.py")]), True, True),
    ("code deleted", change("src/a.py", marks=[Mark("deleted", "src/b.py")]), False, False),
    ("a test marked otherwise", change("src/a.py", marks=[Mark("long", "tests/test_a.py")]), False, False),
]


@pytest.mark.parametrize(
    ("attempt_", "with_report", "without"), [row[1:] for row in WEAKER], ids=[row[0] for row in WEAKER]
)
def test_without_a_report_of_the_tests_fewer_tests_need_a_reviewer(
    attempt_: Attempt, with_report: bool, without: bool
) -> None:
    known, unknown, optional = rules(checks=(TESTS, BARE)), rules(checks=(BARE,)), rules(checks=(BARE, OPTIONAL))
    for policy, refused in ((known, with_report), (unknown, without), (optional, without)):
        results = tuple(ran(rule, seq=n) for n, rule in enumerate(policy.checks))
        assert [reason.rule for reason in reasons(auto(attempt_, results=results), policy)] == (
            ["M4"] if refused else []
        )
