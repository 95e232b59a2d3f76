"""Calibrations (V4): reviewer profiles are given changes of which it is known what is wrong with them. What they found,
missed and made up is on record, and `review.peers.min_recall` keeps who misses too much from counting.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import asdict

from foureyes.app.call.calibrated import calibrations, uncounted
from foureyes.app.call.caller import permit
from foureyes.app.call.parties import parties_of
from foureyes.app.call.signing import NEW_KEY, active_keys, keys_at_hand, unsigned
from foureyes.app.run.beginning import profile_named
from foureyes.app.run.trials import built_in, of_the_project
from foureyes.app.run.trying import Tried, try_out
from foureyes.app.views.calibration import CalibrationView
from foureyes.config.policy import agent_profiles
from foureyes.config.seeded import MADE_WITH
from foureyes.core import events as e
from foureyes.core.cycle.calibrating import tally
from foureyes.core.loop.metrics import median
from foureyes.core.nouns.calibration import PAST_CASES, Calibration, CaseResult
from foureyes.core.nouns.run import Usage
from foureyes.core.rules.calibrated import fingerprint_of
from foureyes.errors import BadInput, GitProblem
from foureyes.steps import NO_STEP, Steps, blank, by_person, fe

if TYPE_CHECKING:
    from foureyes.app.call.context import Context
    from foureyes.app.ports import Tx
    from foureyes.app.run.trials import Bundle
    from foureyes.core.nouns.session import Actor
    from foureyes.core.rules.policy import Profile

SOME = "only some of the cases were tried"
TellTrial = Callable[[str, str, str], None]
"""Told a profile, a case and a line about it."""


class Calibrations:
    """Try reviewers out, and what came of it."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def calibrate(
        self,
        actor: Actor,
        profiles: Sequence[str] = (),
        *,
        cases: Sequence[str] = (),
        past: int = PAST_CASES,
        progress: TellTrial | None = None,
    ) -> list[CalibrationView]:
        """V4: each profile reviews the built-in set and the latest `past` attempts of the project with findings that
        were true, in a throwaway project; what came of it is recorded. Without profiles, those that are asked for
        reviews. `cases`: only these of the set; then nothing is recorded.
        """
        permit(actor, "review calibrate")
        self._refuse_keyless(actor)
        wanted = self._profiles(profiles)
        bundles = [built_in(cases), *([] if cases else of_the_project(self._context, past))]
        tell = progress or (lambda profile, case, line: None)
        rows: list[CalibrationView] = []
        for name in wanted:
            rows.append(self._one(actor, name, bundles, tell, partly=bool(cases)))
            if rows[-1].stopped:
                break
        return rows

    def listed(self) -> list[CalibrationView]:
        """The last calibration of every profile that has one, and what is to be said about those that are asked for
        reviews and have none.
        """
        with self._context.store.read() as tx:
            known, policy = calibrations(tx), self._context.gate_policy(tx)
            asked = policy.peers.reviewers
            against = uncounted(self._context, tx, [*known, *asked])
            rows = [self._view(tx, each, against.get(each.profile, "")) for each in known.values()]
        none = "it was never calibrated"
        return rows + [
            CalibrationView(
                profile=name, recorded=False, problem=none, counts=name not in against, against=against.get(name, ""),
                next=again(name),
            )
            for name in asked
            if name not in known
        ]  # fmt: skip

    def _refuse_keyless(self, actor: Actor) -> None:
        """I9: who could not sign what comes of it hears that before the first review, not after the last."""
        with self._context.store.read() as tx:
            wanted = self._context.wants_key(tx, actor, "review calibrate")
            keys = active_keys(tx) if wanted else []
        if wanted and not keys_at_hand(self._context, actor, keys):
            raise unsigned("review calibrate needs a person's key, and none of this project's lies here", NEW_KEY)

    def _profiles(self, names: Sequence[str]) -> list[str]:
        with self._context.store.read() as tx:
            wanted = list(dict.fromkeys(names or self._context.gate_policy(tx).peers.reviewers))
            for name in wanted:
                profile_named(self._context, tx, name)
        if not wanted:
            raise BadInput(
                "name a profile: review.peers.reviewers names none that is asked for reviews.",
                next_step=fe("review", "calibrate", blank("PROFILE")),
            )
        return wanted

    def _one(
        self, actor: Actor, name: str, bundles: Sequence[Bundle], tell: TellTrial, *, partly: bool
    ) -> CalibrationView:
        with self._context.store.read() as tx:
            profile = profile_named(self._context, tx, name)
        availability = self._context.outside.agents().available(name, profile, ask=True)
        if availability.problem:
            return CalibrationView(profile=name, recorded=False, problem=availability.problem, next=fe("agents"))
        parts = self._tried(actor, name, profile, bundles, tell)
        program = availability.program.rpartition("/")[2]
        made = _calibration(name, profile, program, availability.version, parts)
        problem = parts[-1].broken or (SOME if partly else "")
        if problem:
            step = again(name) if parts[-1].broken else NO_STEP
            return _shown(made, recorded=False, problem=problem, stopped=parts[-1].stopped, step=step)
        return self._record(actor, made)

    def _tried(
        self, actor: Actor, name: str, profile: Profile, bundles: Sequence[Bundle], tell: TellTrial
    ) -> list[Tried]:
        """What it did with each, until one is broken; where git fails at an attempt of the project that one is left
        out: what was reviewed before is paid for.
        """
        tell_case: Callable[[str, str], None] = lambda case, line: tell(name, case, line)  # noqa: E731
        parts: list[Tried] = []
        for bundle in bundles:
            try:
                parts.append(try_out(self._context, actor, name, profile, bundle, tell_case))
            except GitProblem as problem:
                if not parts:
                    raise
                tell_case(bundle.trials[0].cases[0].name, f"left out: {problem.message}")
                continue
            if parts[-1].broken:
                break
        return parts

    def _record(self, actor: Actor, made: Calibration) -> CalibrationView:
        fields = {name: value for name, value in asdict(made).items() if name not in ("seq", "session", "at", "cases")}
        reason = f"{made.profile} {made.fingerprint}: {made.found} of {made.defects}"
        with self._context.deciding(actor, "review calibrate", reason=reason) as work:
            work.record("", e.ReviewerCalibrated(**fields, cases=tuple(made.cases)))
            now = calibrations(work.tx)[made.profile]
            against = uncounted(self._context, work.tx, [made.profile])
            return self._view(work.tx, now, against.get(made.profile, ""))

    def _view(self, tx: Tx, row: Calibration, against: str) -> CalibrationView:
        profile = agent_profiles(self._context.layers(tx, self._context.gate)).get(row.profile)
        party = parties_of(tx, {row.session}).get(row.session)
        old = _old(row, profile)
        return _shown(
            row, against=against, old=old, by=party.name if party else "", step=again(row.profile) if old else NO_STEP
        )


def again(profile: str) -> Steps:
    """V4: who calibrates."""
    return by_person(fe("review", "calibrate", profile))


def _old(row: Calibration, profile: Profile | None) -> str:
    """What has changed since a calibration."""
    if profile is None:
        return "there is no such profile any more"
    if row.fingerprint != fingerprint_of(profile):
        return "its program, model or arguments are others now"
    return (
        f"it was tried with set {row.made_with}, and there is set {MADE_WITH} now" if row.made_with < MADE_WITH else ""
    )


def _calibration(name: str, profile: Profile, program: str, version: str, parts: Sequence[Tried]) -> Calibration:
    results: list[CaseResult] = [result for part in parts for result in part.results]
    middle = median(seconds for part in parts for seconds in part.seconds)
    usage = Usage(
        input_tokens=sum(part.usage.input_tokens for part in parts),
        output_tokens=sum(part.usage.output_tokens for part in parts),
        cost_micros=sum(part.usage.cost_micros for part in parts),
    )
    return Calibration(
        profile=name,
        program=program,
        version=version,
        model=profile.model,
        fingerprint=fingerprint_of(profile),
        made_with=MADE_WITH,
        seconds=None if middle is None else int(middle),
        cases=results,
        **asdict(tally(results)),
        **asdict(usage),
    )


def _shown(
    row: Calibration, *, recorded: bool = True, problem: str = "", stopped: bool = False, against: str = "",
    old: str = "", by: str = "", step: Steps = NO_STEP,
) -> CalibrationView:  # fmt: skip
    left = ("seq", "fingerprint", "cases", "session")
    fields = {name: value for name, value in asdict(row).items() if name not in left}
    return CalibrationView(
        **fields,
        cases=tuple(row.cases),
        recall=round(row.recall, 4),
        precision=None if row.precision is None else round(row.precision, 4),
        recorded=recorded,
        problem=problem,
        stopped=stopped,
        counts=not against,
        against=against,
        old=old,
        by=by,
        next=step,
    )
