"""Review modes (M): the kind of review a task needs, or none. Only a person may loosen a mode (M6)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING

import msgspec

from foureyes.core.nouns.attempt import NOT_MEASURED
from foureyes.core.nouns.session import GRADES
from foureyes.core.rules.involvement import (
    is_another_program,
    is_involved,
    is_person,
    labels_in_force,
    labels_kept,
    why_it_may_not_loosen,
    why_unsigned,
)
from foureyes.core.rules.policy import (
    DOCS,
    MODES,
    Mode,
    ReviewPolicy,
    bars_auto_approval,
    check_of,
    deciding,
    gate_files,
    required_grade,
    required_reviews,
    rule_of,
)
from foureyes.core.rules.required import lacks_named
from foureyes.core.rules.stacks import unmerged, why_not_by_rule, why_refused
from foureyes.core.words.folding import folded
from foureyes.core.words.paths import matching, matching_any_case
from foureyes.core.words.untrusted_text import named
from foureyes.errors import BadInput, Reason
from foureyes.steps import fe, prose

if TYPE_CHECKING:
    from foureyes.core.nouns.check import CheckState
    from foureyes.core.rules import gate
    from foureyes.core.rules.facts import Control, Facts

PREFIX = "review:"
PLAN = "its planned mode"
NAMES: dict[str, Mode] = {**{mode: mode for mode in MODES}, "auto": "auto-approve"}


class ModeChoice(msgspec.Struct, frozen=True):
    """The mode of a task with every reason, the decisive one first. (M3, M6)

    `documents` is the mode of a task without a submission, if only documents change.
    """

    mode: Mode
    reasons: tuple[Reason, ...] = ()
    documents: Mode | None = None

    @property
    def words(self) -> str:
        """The mode in words."""
        return f"{self.documents} if only documents change, else {self.mode}" if self.documents else self.mode

    @property
    def short(self) -> str:
        """The mode in words for a table."""
        return f"{self.documents} or {self.mode}" if self.documents else self.mode


def strictest_mode(modes: Iterable[Mode]) -> Mode:
    """Return the most restrictive mode. (M1)"""
    return min(modes, key=MODES.index)


def label_mode(label: str) -> Mode | None:
    """Return the mode named by a `review:*` label, or None for other labels. An unknown mode means per-task. (M1, M2)"""
    plain = folded(label)
    return NAMES.get(plain.removeprefix(PREFIX), "per-task") if plain.startswith(PREFIX) else None


def loosest_mode(policy: ReviewPolicy, label: str) -> Mode | None:
    """Return the mode that a label gives by name or by rule, or None if it gives none."""
    rule = rule_of(policy, label)
    return label_mode(label) or (rule.mode if rule is not None else None)


def mode_of(facts: Facts, policy: ReviewPolicy) -> ModeChoice:
    """Return the review mode of a task: its own, or a stricter one of an unmerged task inside it. (A7)"""
    chosen = own_mode_of(facts, policy)
    if facts.attempt is None:
        documents = _mode_of(facts, policy, is_documents=True)
        if documents.mode != chosen.mode:
            reasons = (*documents.reasons[:1], *chosen.reasons)
            chosen = ModeChoice(chosen.mode, reasons, documents=documents.mode)
    for lower in unmerged(facts):
        theirs = own_mode_of(lower.facts, policy)
        if MODES.index(theirs.mode) < MODES.index(chosen.mode):
            why = "; ".join(reason.message for reason in theirs.reasons[:1])
            reason = Reason("A7", f"it contains work of {lower.task.id}, which is {theirs.mode} ({why})")
            chosen = ModeChoice(theirs.mode, (reason, *chosen.reasons))
    return chosen


def own_mode_of(facts: Facts, policy: ReviewPolicy) -> ModeChoice:
    """Return the mode of a task alone, without the tasks inside it."""
    return _mode_of(facts, policy, is_documents=is_only_documents(facts, policy))


def _mode_of(facts: Facts, policy: ReviewPolicy, *, is_documents: bool) -> ModeChoice:
    """Return the mode of a task alone, the stricter of two. (M1–M3, M6, M7, A4)

    One is computed without labels and plans from callers that may not loosen. The other keeps them, as batch at most,
    so that dropping a label never lets a looser level decide.
    """
    touched = gate_files(policy, facts.changed_paths())
    if touched:
        by_link = " (through a link)" if touched[0] in facts.paths_behind() else ""
        return ModeChoice("per-task", (Reason("A4", f"it changes the gate file {touched[0]}{by_link}"),))
    elsewhere = facts.paths_at_merge()
    if elsewhere:
        return ModeChoice("per-task", (Reason("Q2", f"the merge would place the change in {elsewhere[0]}"),))
    labels, ignored, skips = set(facts.task.labels), loosenings(facts, policy), {}
    if not is_documents:
        skips = skips_of_agents(facts, policy)
    own_plan, planned = why_the_plan_does_not_count(facts, policy), facts.task.planned
    if PLAN in skips:
        planned = "auto-approve"
    most: dict[str, Mode] = dict.fromkeys(skips, "auto-approve")
    level = partial(_level, policy, is_documents=is_documents)
    rightful = level((labels - set(ignored)) | labels_kept(facts), "" if own_plan else planned, most)
    most |= dict.fromkeys(ignored, "batch")
    planned_level = level(labels, "batch" if own_plan else planned, most)
    chosen = min(rightful, planned_level, key=lambda level: MODES.index(level.mode))
    cut = cut_by(facts)
    mode = strictest_mode([chosen.mode, "batch"]) if cut else chosen.mode
    plan = [Reason("M6", f"its planned mode {facts.task.planned} does not count: {own_plan}")] if own_plan else []
    return ModeChoice(mode, (*chosen.reasons, *unknown_modes(labels), *ignored.values(), *skips.values(), *plan, *cut))


def _level(
    policy: ReviewPolicy, labels: set[str], planned: str, most: Mapping[str, Mode], *, is_documents: bool
) -> ModeChoice:
    """Return the mode of the first level that has one: label, label rule, plan, default. (M1)

    `most` is the loosest mode allowed per label (M6). The `docs` label skips review only for documents (M3).
    """

    def ruled_mode(label: str) -> Mode | None:
        rule = rule_of(policy, label)
        if rule is None or (folded(label) == DOCS and rule.mode == "skip" and not is_documents):
            return None
        return rule.mode

    def at_most(label: str, mode: Mode) -> Mode:
        return strictest_mode([mode, most.get(label, mode)])

    explicit = {label: at_most(label, mode) for label in sorted(labels) if (mode := label_mode(label))}
    ruled = {label: at_most(label, mode) for label in sorted(labels) if (mode := ruled_mode(label))}
    for rule, modes, words in (("M1", explicit, "label {}"), ("M3", ruled, "label {} is {}")):
        if modes:
            mode = strictest_mode(modes.values())
            return ModeChoice(
                mode,
                tuple(Reason(rule, words.format(label, mode)) for label, chosen in modes.items() if chosen == mode),
            )
    if planned in NAMES:
        return ModeChoice(NAMES[planned], (Reason("M7", f"planned as {planned}"),))
    return ModeChoice(policy.default_mode, (Reason("M1", "project default"),))


def is_only_documents(facts: Facts, policy: ReviewPolicy) -> bool:
    """Return True if every changed path is a plain document before and after, and none is watched or an input of the
    checks. A gate file is per-task anyway. (M3)

    Return False for attempts made before this was measured (G1).
    """
    paths, attempt = facts.changed_paths(), facts.attempt
    if attempt is None or attempt.size == NOT_MEASURED or not paths:
        return False
    if any(mark.kind in ("odd", "link", "submodule", "mode", "executable") for mark in attempt.marks):
        return False
    if len(matching(paths, policy.docs_paths)) != len(paths):
        return False
    if matching_any_case(paths, policy.risk.watched_paths):
        return False
    return not deciding(policy, paths, facts.called_paths())


def is_unknown_mode(label: str) -> bool:
    """Return True for a `review:*` label with an unknown mode. (M2)"""
    name = folded(label)
    return name.startswith(PREFIX) and name.removeprefix(PREFIX) not in NAMES


def unknown_modes(labels: Iterable[str]) -> list[Reason]:
    """Return a reason for each label with an unknown mode. Old labels and imports can still carry one. (M2)"""
    known = ", ".join(NAMES)
    strange = filter(is_unknown_mode, sorted(labels))
    return [
        Reason("M2", f"{label} is not a known mode, so it counts as per-task (known: {known})") for label in strange
    ]


def refuse_unknown_mode(label: str) -> None:
    """Refuse a label with an unknown mode. (M2)"""
    if is_unknown_mode(label):
        known = ", ".join(f"{PREFIX}{name}" for name in NAMES)
        raise BadInput(f"{label} is not a review mode. Known: {known}.", next_step=prose(f"one of {known}"))


def loosenings(facts: Facts, policy: ReviewPolicy) -> dict[str, Reason]:
    """Return labels that do not count because of the session that set them: it made or delegated the work, or may not
    loosen. (M6)
    """
    ignored = {}
    for label in sorted(facts.task.labels):
        if loosest_mode(policy, label) in (None, "per-task"):
            continue
        put = _last_put(facts, label)
        why = _why_it_does_not_count(facts, policy, put) if put else "there is no record of who added it (G1)"
        if why:
            ignored[label] = Reason("M6", f"label {label} does not count: {why}")
    return ignored


def _why_it_does_not_count(facts: Facts, policy: ReviewPolicy, control: Control) -> str:
    """Return why this act may not loosen the mode, or "". Where a reviewer must be another program, an agent that
    loosens must be one, too. (M6, P6)
    """
    grade, _ = required_grade(policy, labels_in_force(facts), facts.changed_paths())
    who = facts.party(control.session)
    if "program" in (grade, policy.independence) and not is_another_program(facts, policy, who):
        return f"{facts.party_name(control.session)} is not shown to be another program than the author (P6)"
    return why_it_may_not_loosen(facts, control)


def _last_put(facts: Facts, label: str) -> Control | None:
    """Return the latest recorded change that set the label, in any spelling of it."""
    wanted = folded(label)
    puts = (control for control in reversed(facts.controls) if control.kind == "label")
    return next((control for control in puts if folded(control.label) == wanted), None)


def skips_of_agents(facts: Facts, policy: ReviewPolicy) -> dict[str, Reason]:
    """Return skips that count only as auto-approve, because an agent set them. Only a person may skip a review, except
    of plain documents. (M6)
    """
    puts = {label: _last_put(facts, label) for label in facts.task.labels if loosest_mode(policy, label) == "skip"}
    puts |= {PLAN: _planned_by(facts)} if NAMES.get(facts.task.planned) == "skip" else {}
    return {
        label: Reason(
            "M6", f"{label} counts as auto-approve, because {_who(facts, put)} set it and only a person may set skip"
        )
        for label, put in sorted(puts.items())
        if put is None or not is_person(facts.party(put.session))
    }


def _who(facts: Facts, put: Control | None) -> str:
    return facts.party_name(put.session) if put else "an unknown session"


def _planned_by(facts: Facts) -> Control | None:
    """Return the last act that planned or accepted the mode. (M7)"""
    return next((control for control in reversed(facts.controls) if control.kind == "plan"), None)


def why_the_plan_does_not_count(facts: Facts, policy: ReviewPolicy) -> str:
    """Return why the planned mode does not count, or "". A maker of the work must not have planned or accepted it. (M7,
    M6)
    """
    if not facts.task.planned:
        return ""
    planned = _planned_by(facts)
    if planned is None:
        return "there is no record of who planned it (G1)"
    return _why_it_does_not_count(facts, policy, msgspec.structs.replace(planned, late=False))


def cut_by(facts: Facts) -> list[Reason]:
    """Return a reason to review if a maker of the work edited its acceptance, or if a person with a key edited it last
    without signing. (M6)
    """
    edits = [control for control in facts.controls if control.kind == "acceptance"]
    own = [edit for edit in edits if is_involved(facts, facts.party(edit.session))]
    if own:
        return [
            Reason("M6", f"{facts.party_name(own[-1].session)} worked on it and also changed its acceptance criteria")
        ]
    unsigned = why_unsigned(facts, edits[-1]) if edits else ""
    return [Reason("M6", f"its acceptance criteria were changed, but {unsigned}")] if unsigned else []


def bars_itself(facts: Facts, policy: ReviewPolicy, chosen: ModeChoice) -> list[Reason]:
    """Return why the task's labels and rules rule out approval without a reviewer. (M4)"""
    if chosen.mode == "per-task":
        return [Reason(reason.rule, f"{reason.message}, so the mode is per-task") for reason in chosen.reasons[:1]]
    labels = labels_in_force(facts)
    label = bars_auto_approval(policy, labels)
    if label:
        return [Reason("M3", f"label {label} forbids approval without a reviewer (auto_approve = false)")]
    grade, source = required_grade(policy, labels, facts.changed_paths())
    if GRADES.index(grade) > GRADES.index("program"):  # a rule is no agent program
        return [
            Reason("P6", f"{source} requires {'a person' if grade == 'human' else f'a reviewer of another {grade}'}")
        ]
    wanted = required_reviews(policy, labels)
    few = [Reason("D6", f"{wanted} counting reviews are required")] if wanted > len(facts.reviewers) else []
    return [*few, *lacks_named(facts, policy)]


def in_cycle(facts: Facts) -> list[Reason]:
    """Return a reason while reviewers are asked about the attempt, or if their cycle left the decision to a person (R0,
    R2). (V8)
    """
    cycle = facts.cycle
    if cycle is None:
        return []
    step = fe("review", "show", cycle.cycle)
    if cycle.is_live:
        return [Reason("V8", f"reviewers are asked about it ({cycle.cycle})", step)]
    return [Reason(cycle.rule, f"{cycle.cycle} left it to a person", step)] if cycle.rule in ("R0", "R2") else []


def why_not_by_itself(
    facts: Facts,
    policy: ReviewPolicy,
    chosen: ModeChoice,
    states: tuple[CheckState, ...],
    tip: gate.Tip | None,
    *,
    any_mode: bool = False,
) -> tuple[Reason, ...]:
    """Return why the attempt cannot be approved without a reviewer. With no reason, the gate approves it. (M4, A7)

    `any_mode` also accepts mode batch, for batch approvals (M8). Mode per-task still needs a reviewer.
    """
    barred = [*bars_itself(facts, policy, chosen), *(why_refused(facts) or why_not_by_rule(facts)), *in_cycle(facts)]
    if barred:
        return tuple(barred)
    from foureyes.core.rules import gate  # only this function needs the gate

    standing_by = [
        *gate.reasons_of(
            lambda: [
                *gate.has_blocking(facts),
                *gate.stops(facts),
                gate.is_unconfigured(facts),
                gate.is_stale(facts, tip),
            ]
        )
    ]
    if chosen.mode == "skip":
        return tuple(standing_by)
    if chosen.mode == "batch" and not any_mode:
        return (
            Reason("M1", "in mode batch, another person or agent must approve it", fe("show", facts.task.id, "--diff")),
            *chosen.reasons,
        )
    return (*_quality(facts, policy, states), *standing_by, *_self_made(facts, policy))


def _quality(facts: Facts, policy: ReviewPolicy, states: tuple[CheckState, ...]) -> list[Reason]:
    """Return reasons from the settings, the checks, the number of iterations and the signal. (M4)"""
    from foureyes.core.nouns.check import red

    auto, attempt, task = policy.auto, facts.attempt, facts.task.id
    reasons = []
    if not auto.enabled:
        reasons.append(
            Reason("M4", "this project approves nothing without a reviewer (review.auto_approve.enabled = false)")
        )
    if not any(rule.required for rule in policy.checks):
        none = "no check of this project is required" if policy.checks else "no check is configured"
        reasons.append(
            Reason(
                "M4",
                f"{none}, and nothing is approved automatically without one",
                prose("add [[checks]] to foureyes.toml"),
            )
        )
    if auto.require_quality_pass:
        reasons += [
            msgspec.structs.replace(reason, rule="M4")
            for reason in red(states, task, attempt.tree if attempt else "", counting=True)
        ]
    if auto.max_iterations and attempt is not None and attempt.n > auto.max_iterations:
        reasons.append(
            Reason(
                "M4",
                f"this is iteration {attempt.n}, and only the first {auto.max_iterations} may be approved automatically",
            )
        )
    if attempt is not None and (attempt.signal == "BLOCKED" or (auto.require_signal_done and attempt.signal != "DONE")):
        reasons.append(Reason("M4", f"it was submitted with signal {attempt.signal}, not DONE"))
    return reasons


def _self_made(facts: Facts, policy: ReviewPolicy) -> list[Reason]:
    """Return reasons if the attempt changes what judges it: how checks run, or tests. Gate files are per-task. (M4)"""
    reasons = []
    for path in deciding(policy, facts.changed_paths(), facts.called_paths())[:1]:
        by = f", which the check {check} runs" if (check := check_of(policy, path)) else ""
        reasons.append(Reason("M4", f"it changes how checks run: {named(path)}{by}"))
    return reasons + [Reason("M4", why) for why in _weaker_tests(facts, policy)[:1]]


def _weaker_tests(facts: Facts, policy: ReviewPolicy) -> list[str]:
    """Return messages about deleted test files.

    Without a report of test names, also about moved test files and changed or removed test lines. (M4)
    """
    if facts.attempt is None:
        return []
    tests = policy.risk.test_paths
    gone = matching_any_case([mark.path for mark in facts.attempt.marks if mark.kind == "deleted"], tests)
    why = [f"it deletes the test file {named(path)}" for path in gone]
    if any(rule.required and rule.report == "junit" for rule in policy.checks):
        return why
    changed = facts.attempt.files
    moved = matching_any_case([file.old_path for file in changed], tests)
    less = matching_any_case([file.path for file in changed if file.removed != 0], tests)
    why += [f"it moves the test file {named(path)}, and no report says which tests ran" for path in moved]
    why += [f"it changes lines of the test file {named(path)}, and no report says which tests ran" for path in less]
    return why
