"""Calibrations: what a reviewer found, missed and made up is counted by place and verdict; no review is never a good
one (V3, V4, V6, G1).
"""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from foureyes.app.run import calibrating
from foureyes.app.run.trials import Bundle, Trial
from foureyes.app.run.trying import try_out
from foureyes.app.views.calibration import CalibrationView
from foureyes.config import seeded as built_in_set
from foureyes.config.seeded import MADE_WITH, Seeded, seeded
from foureyes.core.cycle.calibrating import TrialCase
from foureyes.core.nouns.run import RunOutcome, Usage
from foureyes.errors import BadInput, GitProblem

from tests.stage.gated import configure
from tests.stage.peers import SAID, issue, review
from tests.stage.people import ALICE, BOB, CI, CLAUDE
from tests.stage.playing import Play, PlayedAgents, PlayedRepo
from tests.stage.ports import DeskKeys
from tests.stage.rehearsing import Made, Says, Throwaways, finds
from tests.stage.world import DeskWorld

PEERS = '[review.peers]\nreviewers = ["codex", "gemini"]\nmin_recall = 0.8\n'
FEW = [each for each in seeded() if each.name in ("go-counter", "python-pages", "clean-shell")]
SEEDED = [each for each in FEW if each.planted]
CLEAN = [each for each in FEW if not each.planted]
FAILED = RunOutcome(ended=False, rc=1)


@pytest.fixture(autouse=True)
def _few_are_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(built_in_set, "seeded", lambda: FEW)


def tried(desk: DeskWorld, says: Says, *profiles: str, **options: object) -> list[CalibrationView]:
    """Profiles that say this of every change."""
    configure(desk, PEERS)
    desk.outside.programs = PlayedAgents(PlayedRepo())
    Throwaways(desk, says)
    return desk.app.calibrations.calibrate(ALICE, profiles, past=0, **options)  # type: ignore[arg-type]


def ends(row: CalibrationView) -> set[str]:
    return {each.end for each in row.cases}


def test_who_finds_all_of_it_has_full_recall_and_counts_V4(desk: DeskWorld) -> None:
    (row,) = tried(desk, finds, "codex")
    assert (row.found, row.defects, row.recall, row.precision, row.made_up) == (len(SEEDED), len(SEEDED), 1.0, 1.0, 0)
    assert (row.recorded, row.counts, row.against, row.made_with) == (True, True, "", MADE_WITH)
    assert (row.quiet_cases, row.unanswered, ends(row)) == (len(CLEAN), 0, {"found", "quiet"})
    assert "ReviewerCalibrated" in desk.kinds()
    assert desk.app.calibrations.listed()[0] == row


def test_who_misses_half_does_not_count_and_is_told_why_V4(desk: DeskWorld) -> None:
    half = {SEEDED[0].name}
    (row,) = tried(desk, lambda case: finds(case) if case.name in half else review(), "codex")
    assert (row.found, row.defects, row.counts) == (1, 2, False)
    assert row.against == "codex found 1 of 2 seeded defects (50 %), and review.peers.min_recall is 80 %"
    assert ends(row) == {"found", "missed", "quiet"}


@pytest.mark.on("sqlite")
def test_who_makes_things_up_is_seen_by_its_precision_V4(desk: DeskWorld) -> None:
    def says(case: Seeded) -> str:
        return review("concerns", issues=[issue("HIGH", file=case.path, line=1)]) if not case.planted else finds(case)

    (row,) = tried(desk, says, "codex")
    assert (row.found, row.made_up, row.precision) == (2, 1, round(2 / 3, 4))
    assert {each.case for each in row.cases if each.end == "made_up"} == {each.name for each in CLEAN}


@pytest.mark.on("sqlite")
@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ("LGTM, no blocker found", "invalid"),
        (replace(FAILED, error="crash"), "crash"),
        (replace(FAILED, error="timeout", timed_out="deadline"), "timeout"),
    ],
)
def test_no_review_found_nothing_and_was_not_quiet_either_V3_G1(
    desk: DeskWorld, answer: str | RunOutcome, why: str
) -> None:
    (row,) = tried(desk, lambda _: answer, "codex")
    assert (row.found, row.unanswered, row.recall, row.precision) == (0, len(FEW), 0.0, None)
    assert (row.recorded, row.counts, ends(row)) == (True, False, {"no_review"})
    assert all(each.why.startswith(why) for each in row.cases), row.cases


@pytest.mark.on("sqlite")
@pytest.mark.parametrize("error", ["quota", "auth"])
def test_a_service_that_takes_no_work_tells_nothing_about_a_reviewer_V4(desk: DeskWorld, error: str) -> None:
    (first,) = tried(desk, finds, "codex")
    (row,) = tried(desk, lambda _: replace(FAILED, error=error, error_text="come back later"), "codex")
    assert (row.recorded, row.problem.partition(":")[0]) == (False, error)
    assert desk.app.calibrations.listed()[0] == first, "what was found before stands"


@pytest.mark.on("sqlite")
def test_a_program_that_is_not_there_is_not_tried_V4(desk: DeskWorld) -> None:
    configure(desk, PEERS)
    (row,) = desk.app.calibrations.calibrate(ALICE, ["codex"])
    assert (row.recorded, row.defects) == (False, 0)
    assert "not found" in row.problem


@pytest.mark.on("sqlite")
def test_who_points_at_it_and_agrees_all_the_same_has_let_it_pass_V5(desk: DeskWorld) -> None:
    def says(case: Seeded) -> str:
        place = case.case.places[0] if case.planted else None
        return review(issues=[issue("LOW", file=place.path, line=place.first)] if place else [])

    (row,) = tried(desk, says, "codex")
    assert (row.found, ends(row)) == (0, {"let_pass", "quiet"})


@pytest.mark.on("sqlite")
def test_without_profiles_those_are_tried_that_are_asked_and_each_by_itself_V4(desk: DeskWorld) -> None:
    rows = tried(desk, finds)
    assert [row.profile for row in rows] == ["codex", "gemini"]
    assert all(row.recorded for row in rows)


@pytest.mark.on("sqlite")
def test_some_cases_alone_are_shown_and_not_recorded_V4(desk: DeskWorld) -> None:
    before = desk.rows()
    (row,) = tried(desk, finds, "codex", cases=["python-pages"])
    assert (row.found, row.defects, row.recorded) == (1, 1, False)
    assert "ReviewerCalibrated" not in desk.kinds()
    assert desk.rows() == before + 1, "only the configuration was accepted"
    with desk.refused(error=BadInput):
        desk.app.calibrations.calibrate(ALICE, ["codex"], cases=["no-such-case"])


@pytest.mark.on("sqlite")
def test_time_and_cost_are_those_of_the_reviews_V4(desk: DeskWorld) -> None:
    used = replace(SAID, usage=Usage(input_tokens=100, output_tokens=20, cost_micros=10_000))
    says: Says = lambda case: Play(commits=0, outcome=replace(used, answer=finds(case), final=finds(case)))  # noqa: E731
    (row,) = tried(desk, says, "codex")
    n = len(FEW)
    assert (row.input_tokens, row.output_tokens, row.cost_micros) == (100 * n, 20 * n, 10_000 * n)
    assert row.seconds is not None


@pytest.mark.on("sqlite")
def test_the_throwaway_project_asks_this_reviewer_alone_and_nothing_of_ours_is_written_but_the_result_V2_V4(
    desk: DeskWorld,
) -> None:
    configure(desk, PEERS + '\n[agents.codex]\nprogram = "codex"\nmodel = "o9"\n')
    desk.outside.programs = PlayedAgents(PlayedRepo())
    made, before = Throwaways(desk, finds), desk.rows()
    (row,) = desk.app.calibrations.calibrate(ALICE, ["codex"], past=0)
    (settings,) = made.settings
    assert 'reviewers = ["codex"]' in settings
    assert 'model = "o9"' in settings
    assert (row.model, desk.rows(), desk.ids_of()) == ("o9", before + 1, [])


def test_another_model_is_another_reviewer_G1(desk: DeskWorld) -> None:
    tried(desk, finds, "codex")
    configure(desk, PEERS + '\n[agents.codex]\nprogram = "codex"\nmodel = "o9"\n')
    row = desk.app.calibrations.listed()[0]
    assert (row.counts, row.old) == (False, "its program, model or arguments are others now")
    assert "another program, model or arguments" in row.against


def test_only_people_calibrate_V4(desk: DeskWorld) -> None:
    for actor in (CLAUDE, CI):
        with desk.refused("V4"):
            desk.app.calibrations.calibrate(actor, ["codex"])
    with desk.refused(error=BadInput):
        desk.app.calibrations.calibrate(BOB)


@pytest.mark.on("sqlite")
def test_where_there_are_keys_it_is_signed_and_who_has_none_hears_that_before_anything_is_tried_I9(
    desk: DeskWorld,
) -> None:
    configure(desk, PEERS)
    desk.app.keys.new(ALICE)
    desk.outside.programs = PlayedAgents(PlayedRepo())
    made, alices = Throwaways(desk, finds), desk.keys
    desk.keys = desk.app.context.keys = DeskKeys()
    with desk.refused("I9"):
        desk.app.calibrations.calibrate(BOB, ["codex"], past=0)
    assert made.made == [], "nobody was asked for anything"
    desk.keys = desk.app.context.keys = alices
    (row,) = desk.app.calibrations.calibrate(ALICE, ["codex"], past=0)
    assert (row.recorded, b'"verb":"review calibrate"' in alices.signed[-1]) == (True, True)
    assert desk.app.audit.verify().findings == ()


@pytest.mark.on("sqlite")
def test_a_person_who_stops_it_stops_it_for_all_and_nothing_is_recorded_V4(
    desk: DeskWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Made, "review", lambda *_: None)
    rows = tried(desk, finds)
    assert [(row.profile, row.recorded, row.stopped) for row in rows] == [("codex", False, True)]
    assert "ReviewerCalibrated" not in desk.kinds()


@pytest.mark.on("sqlite")
def test_an_attempt_of_the_project_that_git_does_not_give_is_left_out_and_the_rest_counts_V4(
    desk: DeskWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    trial = Trial(title="gone", acceptance="", files={}, cases=(TrialCase(name="TL-1", kind="past"),))
    gone = Bundle(files={}, trials=(trial,))
    monkeypatch.setattr(calibrating, "of_the_project", lambda *_: [gone])
    real, told = try_out, []

    def tries(context: Any, actor: Any, name: str, profile: Any, bundle: Bundle, tell: Any) -> Any:
        if bundle is gone:
            raise GitProblem("there is no such commit")
        return real(context, actor, name, profile, bundle, tell)

    monkeypatch.setattr(calibrating, "try_out", tries)
    (row,) = tried(desk, finds, "codex", progress=lambda *said: told.append(said))
    assert (row.recorded, row.found) == (True, len(SEEDED))
    assert ("codex", "TL-1", "left out: there is no such commit") in told
