"""Conditions for every approval, in the order of their rules. Each one that fails gives a reason. (D)"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from foureyes.core.nouns.attempt import EarlierAttempt, nothing_submitted, same_change
from foureyes.core.nouns.check import red
from foureyes.core.nouns.decision import NOTHING_KNOWN, Viewing
from foureyes.core.nouns.finding import answer_step, rule_step, rulings_for
from foureyes.core.nouns.finding_state import Blocking
from foureyes.core.nouns.session import Party, is_one_origin
from foureyes.core.rules.check_states import NOT_COMPARED, check_states
from foureyes.core.rules.involvement import labels_in_force, made_by
from foureyes.core.rules.minor_tasks import minor_refusals
from foureyes.core.rules.policy import AgentApproval, ReviewPolicy, must_be_seen, required_reviews, rule_of
from foureyes.core.rules.required import lacks_named
from foureyes.core.rules.stacks import unmerged, why_refused
from foureyes.core.words.ids import SEEN_DIGITS, SEEN_FORM, Sha, Shape, seen_name
from foureyes.core.words.refs import DETACHED
from foureyes.core.words.text import is_blank
from foureyes.core.words.untrusted_text import named
from foureyes.errors import Reason
from foureyes.steps import Steps, by, by_person, either, fe, in_turn, phrase, prose

if TYPE_CHECKING:
    from foureyes.core.rules.facts import Facts


# ---- Conditions of every approval (D), in the order of the rules ----


class Tip(msgspec.Struct, frozen=True):
    """The current state of the attempt's ref in git: its head, and if the work has landed, whether the target contains
    it.

    `remote_problem` says why the remote could not be reached. In that case the last state known from the attempt's machine
    counts. `machine` names that machine if it is another one.
    """

    head: Sha | None = None
    on_target: bool = False
    remote_problem: str = ""
    machine: str = ""


def check(
    facts: Facts,
    actor: Party,
    tip: Tip | None,
    seen: str,
    policy: ReviewPolicy,
    reason: str = "",
    viewed: Viewing = NOTHING_KNOWN,
) -> tuple[Reason, ...]:
    """Return every reason against the approval, except those about the reviewer's independence (see four_eyes). `tip`
    None means that git failed. (D, A7)
    """
    conditions: tuple[Callable[[], Iterable[Reason | None]], ...] = (
        lambda: [is_reviewing(facts)],
        lambda: has_blocking(facts, actor),
        lambda: stops(facts, actor),
        lambda: [is_unconfigured(facts, actor)],
        lambda: [is_stale(facts, tip, actor)],
        lambda: why_refused(facts),
        lambda: was_not_checked(facts, actor, policy, reason),
        lambda: lacks_reviews(facts, actor, policy),
        lambda: [was_not_seen(facts, actor, seen)],
        lambda: [was_not_shown(facts, actor, policy, seen, viewed)],
        lambda: [was_not_reviewed(facts, actor, policy.agent_approval)],
    )
    return tuple(reason for condition in conditions for reason in reasons_of(condition))


def reasons_of(condition: Callable[[], Iterable[Reason | None]]) -> list[Reason]:
    """Return a condition's reasons. An exception in it becomes a reason to refuse. (G1)"""
    try:
        return [reason for reason in condition() if reason is not None]
    except Exception as problem:
        return [Reason("G1", f"a condition could not be checked ({type(problem).__name__}: {problem})", fe("doctor"))]


def is_reviewing(facts: Facts) -> Reason | None:
    """Return a reason unless the task's status is reviewing. (D1)"""
    task = facts.task
    if task.status == "reviewing":
        return None
    return Reason("D1", f"{task.id} is {task.status}, not reviewing", fe("show", task.id))


def has_blocking(facts: Facts, actor: Party | None = None) -> list[Reason]:
    """Return a reason for each open blocking finding. The next step depends on the role of `actor`. (D2)"""
    is_maker = actor is not None and made_by(facts, actor) is not None
    may_rule = actor is not None and not is_maker and actor.kind != "service"
    return [
        Reason(
            "D2",
            f"{finding.id} {finding.severity} {_state_words(finding)}: {finding.title}{_at(finding)}",
            _settles(finding, facts.task.status, is_maker=is_maker, may_rule=may_rule),
        )
        for finding in facts.open_blocking
    ]


def _state_words(finding: Blocking) -> str:
    if finding.expired:
        return "was waived, but the waiver has expired"
    if finding.waiting:
        return "needs confirmation, because its quote is nowhere in the code"
    return {
        "claimed": "is claimed fixed, but no reviewer has verified it",
        "disputed": "is disputed, and no reviewer has ruled on it",
    }.get(finding.state, "is open")


def _at(finding: Blocking) -> str:
    return f" ({named(finding.where)})" if finding.where else ""


def _settles(finding: Blocking, status: str, *, is_maker: bool, may_rule: bool) -> Steps:
    rulings = rulings_for(finding.state, waiting=finding.waiting)
    if status != "reviewing":
        return fe("finding", "show", finding.id)
    if rulings:
        ruling = rule_step(finding.id, rulings)
        return ruling if may_rule else by("other", ruling, "someone else rules: ")
    answer = answer_step(finding.id)
    return answer if is_maker else by("other", answer, "its implementer runs: ")


def holds(facts: Facts) -> list[Reason]:
    """Return a reason for each hold on the task, the project or an unmerged task inside the attempt. (D3, A7)"""
    reasons = []
    if facts.project_hold is not None:
        reasons.append(
            Reason(
                "D3",
                f"the project is held: {facts.project_hold}",
                by_person(fe("resume", "--project", "-m", phrase("why"))),
            )
        )
    for task in (facts.task, *(lower.task for lower in unmerged(facts))):
        if task.hold is not None:
            resume = by_person(fe("resume", task.id, "-m", phrase("why")))
            reasons.append(Reason("D3", f"{task.id} is held: {task.hold}", resume))
    return reasons


def stops(facts: Facts, actor: Party | None = None) -> list[Reason]:
    """Return reasons that stop the attempt. Holds stop everyone. (D3)

    Agents and rules are also stopped by pauses, and by blockers from agents that may not stop the task. `actor` None
    means a rule.
    """
    if actor is not None and actor.kind == "human":
        return holds(facts)
    return [*holds(facts), *pauses(facts), *blockers(facts)]


def is_unconfigured(facts: Facts, actor: Party | None = None) -> Reason | None:
    """Return a reason until a foureyes.toml has been accepted. Until then the required checks are unknown, but people
    may approve anyway. `actor` None means a rule. (P12)
    """
    if facts.is_configured or (actor is not None and actor.kind == "human"):
        return None
    why = "no foureyes.toml is in force yet, so only a person may approve"
    return Reason("P12", why, by_person(either(fe("init"), fe("config", "accept"))))


def pauses(facts: Facts) -> list[Reason]:
    """Return a reason while a clarification is open because two reviewers have concerns. (R2)"""
    paused = facts.cycle.paused if facts.cycle is not None else ""
    why = f"two reviewers have concerns, and their review cycle {paused} is still open"
    return [Reason("R2", why, fe("review", "show", paused))] if paused else []


def blockers(facts: Facts) -> list[Reason]:
    """Return a reason for each agent that reported a blocker on this attempt but may not stop the task. (R1)"""
    return [
        Reason(
            "R1",
            f"{facts.party_name(session)} reported a blocker, so only a person may approve this attempt or dismiss the blocker",
            by_person(fe("resume", "--agent", str(session), "-m", phrase("why"))),
        )
        for session in sorted(facts.blocked_by)
    ]


def is_stale(facts: Facts, tip: Tip | None, actor: Party | None = None) -> Reason | None:
    """Return a reason unless the attempt's head is still the head of its ref, or landed work is on the target. (D4)

    The next step is to submit again, by the author on the attempt's machine.
    """
    attempt = facts.attempt
    if attempt is None:
        return Reason("D4", nothing_submitted(facts.task.id), fe("show", facts.task.id))
    if tip is None:
        return Reason("D4", "git could not say whether the attempt is current", fe("doctor"))
    if attempt.no_code and attempt.base == attempt.head:
        return None
    again = _again(facts, tip, actor)
    if attempt.landed:
        return None if tip.on_target else Reason("D4", f"{attempt.head[:7]} is no longer on the target branch", again)
    if attempt.ref == DETACHED or tip.head == attempt.head:
        return None
    name = attempt.ref.removeprefix("refs/heads/")
    moved = f"moved to {tip.head[:7]}" if tip.head else "is gone"
    return Reason(
        "D4", f"attempt {attempt.n} is stale: branch {name} {moved} after {attempt.head[:7]} was submitted", again
    )


def _again(facts: Facts, tip: Tip, actor: Party | None) -> Steps:
    submit, where = fe("submit", facts.task.id), f" on {tip.machine}" if tip.machine else ""
    makes = actor is not None and made_by(facts, actor) is not None
    if where and makes:
        return fe("submit", facts.task.id, before=f"{where.strip()}: ")
    if makes or (actor is not None and actor.kind == "human" and not where):  # A1: a person may do it for an agent
        return submit
    return by("other", submit, f"its author runs{where}: ")


def was_not_checked(facts: Facts, actor: Party, policy: ReviewPolicy, reason: str = "") -> list[Reason]:
    """Return a reason for each required check that did not pass on the attempt's tree. (D5)

    For agents, and if no merge will run the checks again, only runs that count are enough. A person who gives a reason
    may accept missing tests, because tests get renamed and retired, and a check that is red on the target too, if no
    report shows whether the change makes it worse.
    """
    attempt = facts.attempt
    if attempt is None or not asks_for_checks(facts, policy):
        return []
    states = check_states(facts, policy)
    if actor.kind == "human" and not is_blank(reason):
        states = tuple(
            msgspec.structs.replace(state, gone=(), compared=True, accepted=state.may_be_accepted) for state in states
        )
    is_person = actor.kind == "human"
    counting = not (is_person and attempt.is_merged_later)
    return red(states, facts.task.id, attempt.tree, counting=counting, by_anyone=is_person)


def asks_for_checks(facts: Facts, policy: ReviewPolicy) -> bool:
    """Return True if checks are required. They are not for an attempt without code, or for minor work that the policy
    exempts. (D5)
    """
    if facts.attempt is None or facts.attempt.no_code:
        return False
    is_minor = facts.task.minor and not policy.minor.checks and not minor_refusals(facts, policy, None)
    return not is_minor


def waits_for_checks(facts: Facts, policy: ReviewPolicy) -> bool:
    """Return True if a required check has not run on the attempt's tree. (D5)"""
    states = check_states(facts, policy) if asks_for_checks(facts, policy) else ()
    return any(state.rule.required and state.result is None for state in states)


def tests_that_go(facts: Facts, policy: ReviewPolicy) -> tuple[str, ...]:
    """Return tests of the target that the required checks no longer ran on the attempt. (D5)"""
    required = [state for state in check_states(facts, policy) if state.rule.required]
    unknown = [NOT_COMPARED] if any(not state.compared for state in required) else []
    return tuple(dict.fromkeys([*unknown, *[name for state in required for name in state.gone]]))


def accepted_checks(facts: Facts, policy: ReviewPolicy) -> tuple[str, ...]:
    """Return the required checks that are red on the target too. A person accepts them by approving. (D5)"""
    states = check_states(facts, policy) if asks_for_checks(facts, policy) else ()
    return tuple(state.rule.name for state in states if state.rule.required and state.may_be_accepted)


def claimed_checks(facts: Facts, policy: ReviewPolicy) -> tuple[str, ...]:
    """Return the required checks that only an agent or an author has run. (D5)"""
    states = check_states(facts, policy) if asks_for_checks(facts, policy) else ()
    return tuple(state.rule.name for state in states if state.rule.required and state.claimed)


def lacks_reviews(facts: Facts, actor: Party, policy: ReviewPolicy) -> list[Reason]:
    """Return reasons if too few reviews count, or a named reviewer has not reviewed. (D6)

    An approving person counts as one review at any grade. An earlier review of theirs is not counted twice.
    """
    few = _too_few(facts, actor, policy)
    return [*([few] if few else []), *lacks_named(facts, policy, actor)]


def _too_few(facts: Facts, actor: Party, policy: ReviewPolicy) -> Reason | None:
    wanted = required_reviews(policy, labels_in_force(facts))
    person = actor.kind == "human"
    have = person + sum(not (person and is_one_origin(actor, facts.party(session))) for session in facts.reviewers)
    if have >= wanted:
        return None
    yours = ", including your approval" if person else ""
    not_counting = [
        f"the approval of {facts.party_name(each)} does not count, {why}" for each, why in facts.voiceless.items()
    ]
    text = ". ".join(
        [
            f"{wanted} counting reviews are required, and there {'is' if have == 1 else 'are'} {have}{yours}",
            *not_counting,
        ]
    )
    is_last = not person and wanted - have == 1
    step = by_person(fe("approve", facts.task.id)) if is_last else fe("review", "request", facts.task.id)
    return Reason("D6", text, step)


def was_not_shown(facts: Facts, actor: Party, policy: ReviewPolicy, seen: str, viewed: Viewing) -> Reason | None:
    """Return a reason if a label requires every hunk to be shown, and the approving person has not seen some. (D8, H4)

    `ask` also accepts a manual mark, a pager or a confirmation, or the diff's name if nothing was measured. `refuse`
    accepts none of these.
    """
    label = must_be_seen(policy, labels_in_force(facts))
    if label is None or actor.kind != "human" or facts.attempt is None:
        return None
    rule = rule_of(policy, label)
    strict = rule is not None and rule.unseen == "refuse"
    if viewed.hunks is None and not strict:
        return None if seen else _nothing_shows(facts, label)
    if viewed.hunks is None:
        why = f"label {label} requires you to view every hunk on screen, and there is no record of what you viewed"
        return Reason("D8", why, in_the_app(facts))
    never = viewed.hunks - viewed.shown if strict else viewed.hunks - viewed.shown - viewed.marked
    if never <= 0 or (not strict and (viewed.confirmed or viewed.pager)):
        return None
    were = "hunk was" if never == 1 else "hunks were"
    return Reason(
        "D8",
        f"{never} {were} never on your screen, and label {label} requires you to view every hunk",
        in_the_app(facts),
    )


def _nothing_shows(facts: Facts, label: str) -> Reason:
    assert facts.attempt is not None
    step = in_turn(fe("show", facts.task.id, "--diff"), fe("approve", facts.task.id, "--seen", facts.attempt.seen))
    return Reason("D8", f"label {label} requires you to read the change first", step)


def in_the_app(facts: Facts) -> Steps:
    """Return the step that leads to the terminal app, which counts the hunks shown."""
    return prose(f"open every hunk of {facts.task.id} in the terminal app, and approve it there")


def was_not_reviewed(facts: Facts, actor: Party, agent_approval: AgentApproval) -> Reason | None:
    """Return a reason if the policy requires an agent to have reviewed this diff itself, and it has not. (D9)"""
    if agent_approval != "review" or actor.kind != "agent" or actor.session in facts.reviewers:
        return None
    return Reason(
        "D9",
        "an agent may approve only after its own counting review of this diff, and there is none",
        by_person(fe("approve", facts.task.id)),
    )


# ---- Seen (D7) ----

WHOLE = 64
TYPED_SHOWN = 20
"""Number of typed characters to repeat in a message."""
_NUMBER = Shape(r"[1-9][0-9]{0,8}\Z")
_DIGITS = Shape(r"[0-9a-f]{1,64}\Z")
_FORM = f"{SEEN_FORM}, like {seen_name(2, '9b20c4d1')}, or the whole diff id"


class SeenDiff(NamedTuple):
    """The reviewed change as the caller named it: an optional attempt number and digits of its diff id."""

    attempt: int | None
    digits: str

    @property
    def is_form(self) -> bool:
        """True if it is unambiguous. Without an attempt number the digits must be complete, because a diff with the
        same first digits is easy to create.
        """
        return len(self.digits) >= (WHOLE if self.attempt is None else SEEN_DIGITS)


def read_seen(text: str) -> SeenDiff | None:
    """Parse `2.9b20c4d1`, or digits with or without `sha256:`. Return None for anything else."""
    number, dot, digits = text.strip().lower().rpartition(".")
    digits = digits.removeprefix("sha256:")
    if not _DIGITS.match(digits) or (dot and not _NUMBER.match(number)):
        return None
    return SeenDiff(int(number) if dot else None, digits)


def was_not_seen(facts: Facts, actor: Party, seen: str) -> Reason | None:
    """Return a reason unless the approval names the reviewed change. (D7)

    A person on the command line may omit it. The message never shows the current name, so that the caller has to read
    the diff again.
    """
    attempt = facts.attempt
    if attempt is None:
        return None
    viewed = fe("show", facts.task.id, "--diff")
    if not seen:
        missing = f"an agent must name the diff that it reviewed, and --seen {SEEN_FORM} is missing"
        return None if actor.kind == "human" else Reason("D7", missing, viewed)
    given = read_seen(seen)
    if given is None or not given.is_form:
        return Reason(
            "D7",
            f"--seen {named(seen.strip()[:TYPED_SHOWN])} names no change. It takes {_FORM}: {_lacks(given)}",
            viewed,
        )
    if not has_moved(facts, seen):
        return None
    typed, meant = seen.strip()[:TYPED_SHOWN], _named(facts, given)
    words = f"the change moved during your review: you saw {typed}, but attempt {attempt.n} is another change"
    if not meant:
        words = f"no attempt of {facts.task.id} ever had the id {typed}. --seen takes {_FORM}, as printed"
    elif attempt.n in [each.n for each in meant]:
        words = f"several attempts have this diff id, and attempt {attempt.n} is a rework. Say which one you saw"
    return Reason("D7", words, viewed)


def _lacks(given: SeenDiff | None) -> str:
    """Return what is missing in a malformed --seen value."""
    if given is None:
        return "fe show prints it after the word diff"
    if given.attempt is None:
        return "without the attempt, the first digits could also fit another change"
    return f"at least {SEEN_DIGITS} digits of the diff id"


def has_moved(facts: Facts, seen: str) -> bool:
    """Return True if the reviewed change differs from the current one. (D7)"""
    given = read_seen(seen)
    if facts.attempt is None or given is None or not given.is_form:
        return False
    named = _named(facts, given)
    return not named or not {attempt.n for attempt in named} <= same_as_latest(facts)


def name_of_seen(facts: Facts, seen: str) -> str:
    """Return the recorded name of the reviewed change, or "" if none was named."""
    given = read_seen(seen)
    named = _named(facts, given) if given is not None else []
    return seen_name(named[-1].n, named[-1].diff_id) if named else ""


def same_as_latest(facts: Facts) -> frozenset[int]:
    """Return the numbers of all attempts with the same change as the latest. (A3)"""
    return same_change(_submitted(facts))


def _submitted(facts: Facts) -> list[EarlierAttempt]:
    """Return every attempt, the latest last."""
    latest = facts.attempt
    return [*facts.earlier, *([EarlierAttempt(latest.n, latest.diff_id, latest.relation)] if latest else [])]


def _named(facts: Facts, given: SeenDiff) -> list[EarlierAttempt]:
    """Return the attempts that match the number, or all with this diff id."""
    everything = _submitted(facts)
    if given.attempt is None:
        return [each for each in everything if _digits(each) == given.digits]
    return [each for each in everything if each.n == given.attempt and _digits(each).startswith(given.digits)]


def _digits(attempt: EarlierAttempt) -> str:
    return attempt.diff_id.removeprefix("sha256:")
