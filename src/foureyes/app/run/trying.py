"""Reviews of changes of which it is known what is wrong with them, in a throwaway project, by the runs that review
there as anywhere (V2, V3, V4).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from foureyes.app.call.context import Context
from foureyes.app.findings.lookup import findings_of
from foureyes.app.gate.attempts import Attempts
from foureyes.app.review.cycles import Cycles
from foureyes.app.tasks.tasks import Tasks
from foureyes.app.views.work import ClaimedWorktree
from foureyes.app.work.claims import Claims
from foureyes.config.policy import identity_rule
from foureyes.config.writing import to_toml
from foureyes.core.cycle.calibrating import TriedFinding, judge
from foureyes.core.loop.metrics_rows import between
from foureyes.core.loop.review import Review
from foureyes.core.nouns.calibration import CaseResult
from foureyes.core.nouns.finding import Finding
from foureyes.core.nouns.run import COOLING, Run, Usage
from foureyes.core.words.text import one_line
from foureyes.errors import Refused

if TYPE_CHECKING:
    from foureyes.app.ports import Throwaway
    from foureyes.app.run.trials import Bundle, Trial
    from foureyes.config.settings import SettingValue
    from foureyes.core.nouns.session import Actor
    from foureyes.core.rules.policy import Profile
    from foureyes.core.words.ids import TaskId

TellCase = Callable[[str, str], None]
"""Told a case and a line about it."""
MOST_RUNS = 50
STOPPED = "it was stopped before it was done"
LEFT_OUT = "left out: it is a change that no reviewer is asked about before a person looked"
WHY_LENGTH = 200


class Tried(msgspec.Struct, frozen=True, kw_only=True):
    """What a profile did with one bundle. `broken`: why that tells nothing about it: its service, a person's Ctrl-C;
    `stopped`: it was the latter, and nobody else is tried either.
    """

    results: tuple[CaseResult, ...] = ()
    seconds: tuple[int, ...] = ()
    usage: Usage = Usage()
    broken: str = ""
    stopped: bool = False


def try_out(context: Context, actor: Actor, name: str, profile: Profile, bundle: Bundle, tell: TellCase) -> Tried:
    """Let a profile review every change of a bundle, each as an attempt of its own in a project that then goes."""
    settings = _settings(context, name, profile, len(bundle.trials))
    actor = replace(actor, by_key=False)  # there a person is who they are here, and has no key
    with context.outside.throwaway(actor, settings, bundle.files) as place:
        throwaway = Context(place.store, place.repo, context.clock, context.ids, {}, outside=place.outside)
        tasks = {task: trial for trial in bundle.trials if (task := _hand_in(throwaway, actor, place, trial))}
        tell_task: Callable[[str, str], None] = lambda task, line: _told(tell, tasks, task, line)  # noqa: E731
        place.review(actor, profile.slots, tell_task)
        tried = {task: _outcome(throwaway, name, task, trial) for task, trial in tasks.items()}
        judged = {trial.cases[0].name for task, trial in tasks.items() if tried[task].results}
        for trial in bundle.trials:
            if trial.cases[0].name not in judged:
                tell(trial.cases[0].name, LEFT_OUT)
        return _all(list(tried.values()))


def _settings(context: Context, name: str, profile: Profile, trials: int) -> str:
    """What is in force there: this reviewer alone is asked, as the project asks it. All are asked at once, and wait for
    a slot: what bounds one review is how long its run may take.
    """
    with context.store.read() as tx:
        policy, home = context.gate_policy(tx), identity_rule(context.layers(tx, context.gate))
    minutes = max(1, min(profile.deadline_minutes, policy.peers.timeout_minutes))
    values: dict[str, SettingValue] = {
        "review.policy": "balanced",
        "review.silence_minutes": 0,
        "review.peers.reviewers": (name,),
        "review.peers.timeout_minutes": (minutes + 1) * (trials + 1) * 2,
        "review.peers.focus": policy.focus,
        "review.peers.max_words": policy.max_words,
        "identity.home": home.home,
        "identity.uid_map": home.uid_map,
        "agents": {name: replace(profile, deadline_minutes=minutes, idle_minutes=min(profile.idle_minutes, minutes))},
    }
    return to_toml(values)


def _hand_in(throwaway: Context, actor: Actor, place: Throwaway, trial: Trial) -> TaskId | None:
    """Hand a change in; None where the gate does not take it by itself: it looks like a secret, it is very large."""
    made = Tasks(throwaway).create(actor, trial.title, acceptance=trial.acceptance)
    claimed = Claims(throwaway).start(actor, made.task, worktree=True)
    assert isinstance(claimed, ClaimedWorktree)
    place.put(claimed.worktree, trial.files)
    try:
        done = Attempts(throwaway).submit(actor, made.task, message=trial.title, commit=trial.title, apart=True)
    except Refused:
        return None
    with throwaway.store.read() as tx:
        return throwaway.find_id(tx, done.task)


def _told(tell: TellCase, tasks: dict[TaskId, Trial], task: str, line: str) -> None:
    name = next((trial.cases[0].name for known, trial in tasks.items() if known == task), "")
    if name:
        tell(name, line)


def _outcome(throwaway: Context, name: str, task: TaskId, trial: Trial) -> Tried:
    """What became of one change."""
    cycles = Cycles(throwaway).listed(task=task)
    asked = next((row for cycle in cycles for row in cycle.asked if row.reviewer == name), None)
    with throwaway.store.read() as tx:
        given = [review for review in tx.all("review.of_task", Review, task=task) if not review.look]
        findings = findings_of(tx, task)
        runs = [run for run in tx.all("run.of_task", Run, task=task, limit=MOST_RUNS) if run.purpose == "review"]
    if asked is None:
        return Tried()  # only a person looks at such a change: it tells nothing about a reviewer
    verdict = given[-1].effective if given else None
    took = sum(between(run.started_at, run.ended_at) for run in runs if run.started_at and run.ended_at)
    why = one_line(": ".join(filter(None, (asked.why, asked.text))), WHY_LENGTH)
    reported = [_said(finding) for finding in findings]
    judged = [judge(case, verdict, reported, seconds=took, why=why) for case in trial.cases]
    return Tried(
        results=(judged[0], *_without_what_was_counted(judged[1:])),
        seconds=(took,) if given else (),
        usage=Usage(
            input_tokens=sum(run.input_tokens for run in runs),
            output_tokens=sum(run.output_tokens for run in runs),
            cost_micros=sum(run.cost_micros for run in runs),
        ),
        broken="" if given else _broken(asked.state, asked.why, why),
        stopped=not given and asked.state == "asked",
    )


def _without_what_was_counted(results: Sequence[CaseResult]) -> Iterator[CaseResult]:
    """One review took its time once, whatever it is judged by."""
    for result in results:
        yield replace(result, seconds=0)


def _broken(state: str, kind: str, why: str) -> str:
    """Why no review tells nothing about the reviewer: it was not waited for, or its service did not answer."""
    if state == "asked":
        return STOPPED
    return why if kind in COOLING else ""


def _said(finding: Finding) -> TriedFinding:
    text = "\n".join((finding.title, finding.problem, finding.why))
    return TriedFinding(path=finding.path, line=finding.line, blocking=finding.blocking, text=text)


def _all(parts: Sequence[Tried]) -> Tried:
    return Tried(
        results=tuple(result for part in parts for result in part.results),
        seconds=tuple(second for part in parts for second in part.seconds),
        usage=Usage(
            input_tokens=sum(part.usage.input_tokens for part in parts),
            output_tokens=sum(part.usage.output_tokens for part in parts),
            cost_micros=sum(part.usage.cost_micros for part in parts),
        ),
        broken=next((part.broken for part in parts if part.broken), ""),
        stopped=any(part.stopped for part in parts),
    )
