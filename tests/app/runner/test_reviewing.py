"""Reviews by runs: a reviewer reads files of its own and answers with one document, which is stored as its own;
whatever else it says is no review, and the rules decide (V1 to V9).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta

import pytest
from msgspec.structs import replace

from foureyes.app.agent_ports import Launch
from foureyes.app.runner.loop import Runner
from foureyes.core.nouns.run import RunOutcome

from tests.stage.peers import ONE, SAID, TWO, Peers, issue, review
from tests.stage.people import ALICE, BOB
from tests.stage.playing import DONE, Play

FAILED = RunOutcome(ended=False, rc=1)


@pytest.fixture
def peers() -> Iterator[Peers]:
    peers = Peers()
    yield peers
    peers.sound()
    peers.check_nothing_left()
    peers.app.close()


def test_who_was_asked_reads_files_of_its_own_and_its_answer_is_its_review_V2_V3_R4(peers: Peers) -> None:
    peers.says("codex", review())
    task = peers.made()
    (run,) = peers.reviews_of(task)
    (given,) = peers.examined(task)
    assert (run.profile, run.role, run.cycle, run.ending, run.error) == ("codex", "review", "c-1", "finished", "none")
    assert (given.session, given.verdict, given.counts) == (run.session, "approved", True)
    assert (peers.cycle().rule, peers.became()) == ("R4", {"codex": "answered"})
    assert "codex reviewed it: approved, 0 findings" in peers.lines(task)
    launch = peers.agents.launched[-1]
    assert launch.worktree == f"/checkouts/{run.id}"
    assert ".foureyes-review/change.diff" in launch.prompt
    assert '"type": "review_request"' in launch.prompt
    assert json.loads(launch.schema)["required"] == ["type", "payload"]
    assert not launch.resumes


def test_prose_is_asked_for_once_more_in_a_new_conversation_V3(peers: Peers) -> None:
    peers.says("codex", "No blocker found… LGTM", review("concerns"))
    task = peers.made()
    first, second = peers.reviews_of(task)
    assert (first.ending, first.error, second.error) == ("finished", "refused", "none")
    again = peers.agents.launched[-1]
    assert (again.resumes, "is plain text" in again.prompt) == ("", True)
    assert first.worktree != second.worktree
    assert (peers.cycle().rule, peers.examined(task)[0].session) == ("R3", second.session)


@pytest.mark.parametrize(
    ("what", "answer"),
    [
        ("says nothing", ""),
        ("praises in prose", "LGTM, no issues at all"),
        ("names another reviewer", json.dumps(json.loads(review()) | {"reviewer": "gemini"})),
        ("speaks of another change", review(diff_id="sha256:" + "0" * 64)),
        ("does not say of which change", review(diff_id="")),
        ("says two things", f"```json\n{review()}\n```\n```json\n{review('blocker')}\n```"),
        ("sends half a document", review()[:-5]),
        ("has words of its own", review("LGTM")),
    ],
)
def test_who_answers_with_no_valid_document_twice_gives_no_review_and_the_next_is_asked_V3_V4(
    peers: Peers, what: str, answer: str
) -> None:
    peers.says("codex", answer, answer)
    peers.says("gemini", review())
    task = peers.made()
    assert peers.became() == {"codex": "invalid", "gemini": "answered"}, what
    assert [run.profile for run in peers.reviews_of(task)] == ["codex", "codex", "gemini"]
    (given,) = peers.examined(task)
    assert given.session == peers.reviews_of(task)[-1].session
    assert peers.cycle().rule == "R4"


@pytest.mark.parametrize(
    ("outcome", "why"),
    [
        (replace(FAILED, error="quota", error_text="usage limit"), "quota"),
        (replace(FAILED, error="auth", error_text="log in"), "auth"),
        (replace(FAILED, error="refused", error_text="no such model"), "refused"),
        (replace(FAILED, error="crash"), "crash"),
        (replace(FAILED, error="timeout", timed_out="deadline"), "timeout"),
        (Play(missing=True), "missing"),
        (Play(broken="it would run plugins of the tree"), "crash"),
    ],
)
def test_whoever_cannot_gives_none_and_the_next_is_asked_V4(peers: Peers, outcome: RunOutcome | Play, why: str) -> None:
    peers.says("codex", outcome)
    peers.says("gemini", review())
    peers.made()
    assert (peers.became(), peers.cycle().rule) == ({"codex": why, "gemini": "answered"}, "R4")


def test_where_nobody_is_left_a_person_is_and_nothing_passes_R0(peers: Peers) -> None:
    peers.says("codex", replace(FAILED, error="quota"))
    peers.says("gemini", "fine", "fine")
    task = peers.made()
    assert peers.cycle().rule == "R0"
    assert (peers.status(task), peers.examined(task)) == ("reviewing", [])
    assert any(line.startswith(f"! {task} was not reviewed (c-1 R0)") for _, line in peers.said)


def test_fail_over_never_asks_the_author_V4(peers: Peers) -> None:
    peers.says("codex", replace(FAILED, error="quota"))
    task = peers.made(ONE.replace('"gemini"', '"claude"'))
    assert [run.profile for run in peers.reviews_of(task)] == ["codex"]
    assert peers.cycle().rule == "R0"


def test_a_review_that_read_nothing_is_kept_and_does_not_count_V6(peers: Peers) -> None:
    peers.says("codex", review(files_reviewed=[]))
    peers.says("gemini", review())
    task = peers.made()
    first, *_ = peers.examined(task)
    assert (first.verdict, first.counts, bool(first.missing)) == ("approved", False, True)
    assert peers.cycle().rule in ("R0", "R4")
    assert peers.cycle().rule == ("R4" if "gemini" in peers.became() else "R0")


COMPLETE = '[agents]\ncodex = { program = "codex", reads = "complete" }\n'


@pytest.mark.parametrize(
    ("read", "counts"),
    [
        ((), False),
        (("@ALL@",), True),
        (("/checkouts/@TASK@.c-1.codex/.foureyes-review/change.diff",), True),
        (("README.md",), False),
    ],
)
def test_what_a_program_did_not_open_is_not_covered_where_its_stream_tells_every_read_V6(
    peers: Peers, read: tuple[str, ...], counts: bool
) -> None:
    peers.configured(ONE + COMPLETE)
    task = peers.create(ALICE)

    def opened(launch: Launch) -> None:
        files = peers.asked_about(task)[1]
        told = [path.replace("@TASK@", task) for path in read if path != "@ALL@"]
        play.outcome = replace(play.outcome, read=tuple(told + (files if "@ALL@" in read else [])))

    play = Play(commits=0, outcome=replace(SAID, answer=review(), final=review()), during=opened)
    peers.says("codex", play)
    peers.settle(peers.runner(agents=3))
    first = peers.examined(task)[0]
    assert (first.verdict, first.counts, bool(first.missing)) == ("approved", counts, not counts)


@pytest.mark.parametrize(("tells", "unconfirmed"), [(True, 1), (False, 0)])
def test_a_read_that_a_stream_does_not_tell_changes_the_score_and_not_the_count_V6(
    peers: Peers, tells: bool, unconfirmed: int
) -> None:
    peers.configured(ONE)
    task = peers.create(ALICE)
    peers.says("codex", Play(commits=0, outcome=replace(SAID, answer=review(), final=review(), tells=tells)))
    peers.settle(peers.runner(agents=3))
    assert [row.counts for row in peers.examined(task)] == [True]
    (score,) = [row for row in peers.app.stats.show().reviewers if row.agent == "codex"]
    assert (score.unconfirmed, score.coverage.n) == (unconfirmed, score.coverage.of - unconfirmed)


def test_a_diff_is_read_at_once_only_where_its_text_is_short_context_and_headers_too_V6(
    peers: Peers, monkeypatch: pytest.MonkeyPatch
) -> None:
    peers.configured(ONE + COMPLETE)
    task = peers.create(ALICE)
    monkeypatch.setattr(peers.repo, "diff_text", lambda *_: " context\n" * 1_001)
    told = (f"/checkouts/{task}.c-1.codex/.foureyes-review/change.diff",)
    play = Play(commits=0, outcome=replace(SAID, answer=review(), final=review(), read=told))
    peers.says("codex", play)
    peers.settle(peers.runner(agents=3))
    assert peers.examined(task)[0].missing


def test_who_approves_with_a_high_inside_has_concerns_and_the_work_goes_back_V5_V10(peers: Peers) -> None:
    peers.says("codex", review(issues=[issue("HIGH")]), review())
    peers.plays = [Play(), Play(during=peers.mends)]
    task = peers.made()
    first = peers.examined(task)[0]
    assert (first.verdict, first.effective) == ("approved", "concerns")
    assert peers.cycle().rule == "R3"
    assert peers.app.lists.show(BOB, task).task.iteration == 2, "it was sent back, and submitted once more"


def test_a_quote_that_is_not_there_goes_back_once_and_is_then_kept_V7(peers: Peers) -> None:
    made_up = review("concerns", issues=[issue("HIGH", file="@ONE@", line=1, quote="no_such_code()")])
    peers.says("codex", made_up, made_up)
    task = peers.made()
    first, second = peers.reviews_of(task)
    assert (first.error, second.error) == ("refused", "none")
    assert "V7" in first.error_text
    (given,) = peers.examined(task)
    assert (given.session, given.raised) == (second.session, 1)


def test_two_concerns_are_clarified_by_the_author_and_the_cycle_runs_again_R2_V9(peers: Peers) -> None:
    worry = review("concerns", issues=[issue("MEDIUM")])
    told = json.dumps(
        {"type": "clarification", "answers": [{"point": 1, "answer": "no"}, {"point": 2, "answer": "no"}]}
    )
    peers.says("codex", worry, review())
    peers.says("gemini", worry, review())
    peers.says("claude", "It is fine.", told)
    task = peers.made(TWO)
    assert (peers.cycle(1).rule, peers.cycle(2).trigger, peers.cycle(2).rule) == ("R2", "CLARIFIED", "R4")
    clarified = [run for run in peers.runs_of(task) if run.purpose == "clarify"]
    assert [(run.profile, run.role, run.error) for run in clarified] == [
        ("claude", "implement", "refused"),
        ("claude", "implement", "none"),
    ]
    assert clarified[0].resumes == DONE.conversation, "the author continues its own conversation"
    assert {point.answer for point in peers.cycle(1).points} == {"no"}
    last = [launch for launch in peers.agents.launched if launch.purpose == "review"][-1]
    assert "## What was clarified" in last.prompt
    assert '"clarified": [\n' in last.prompt, "and in the request (V2)"
    assert peers.app.runs.blocked_work().pauses == []
    assert peers.app.lists.show(BOB, task).authors == [peers.runs_of(task)[0].session], "who clarifies made nothing"


def test_an_author_at_work_clarifies_after_it_and_has_as_long_from_then_on_R2_V9(peers: Peers) -> None:
    peers.configured(TWO)
    task = peers.create(ALICE)
    told = [{"point": 1, "answer": "no"}, {"point": 2, "answer": "no"}]
    for reviewer in ("codex", "gemini"):
        peers.says(reviewer, review("concerns"), review())
    peers.says("claude", json.dumps({"type": "clarification", "answers": told}))
    stumbles = replace(FAILED, error="crash", conversation="k-9")
    peers.plays = [Play(lasts=110, during=lambda launch: peers.emits(launch, "milestone"), outcome=stumbles)]
    runner, late = peers.runner(agents=3), peers.clock.time + timedelta(minutes=35)
    while peers.clock.time < late:
        peers.ticks(runner)
        peers.clock.advance(seconds=60)
    assert (peers.cycle(1).state, len(peers.runs_of(task))) == ("clarifying", 3), "no slot is taken, nobody is late"
    peers.settle(runner)
    clarified = [run for run in peers.runs_of(task) if run.purpose == "clarify"]
    assert [run.resumes for run in clarified] == ["k-9"]
    assert (peers.cycle(1).rule, peers.cycle(2).trigger, peers.cycle(2).rule) == ("R2", "CLARIFIED", "R4")


def test_no_clarification_by_the_deadline_is_R0_and_the_pause_stays_V9(peers: Peers) -> None:
    worry = review("concerns")
    peers.says("codex", worry)
    peers.says("gemini", worry)
    peers.says("claude", "fine", "fine")
    peers.made(TWO)
    peers.clock.advance(seconds=31 * 60)
    peers.settle(peers.runner())
    assert peers.cycle(1).rule == "R0"
    assert [pause.rule for pause in peers.app.runs.blocked_work().pauses] == ["R2"]


@pytest.mark.parametrize("type_", ["milestone", "blocker", "request_review"])
def test_what_an_agent_says_in_the_middle_of_its_work_opens_one_cycle_about_a_look_V1(peers: Peers, type_: str) -> None:
    peers.configured(ONE)
    task = peers.create(ALICE)
    peers.says("codex", review(), review())
    peers.plays = [Play(lasts=12, during=lambda launch: peers.emits(launch, type_))]
    peers.settle(peers.runner(agents=3))
    first = peers.cycle(1)
    assert (first.trigger, first.rule, first.targets[0].early_review) == (type_.upper(), "R4", 1)
    assert peers.cycle(2).targets[0].attempt == 1, "the submission is another cycle"
    assert len(peers.app.cycles.listed()) == 2
    assert peers.status(task) == "reviewing"


def test_one_that_says_much_keeps_nobody_else_from_being_looked_at_V1(peers: Peers) -> None:
    peers.configured(ONE)
    chatty, other = peers.create(ALICE), peers.create(ALICE)

    def talks(launch: Launch) -> None:
        for _ in range(60 if launch.task == chatty else 1):
            peers.emits(launch, "milestone")

    peers.plays = [Play(lasts=12, during=talks, commits=0), Play(lasts=12, during=talks)]
    peers.settle(peers.runner(agents=4))
    examined = [cycle.targets[0].task for cycle in peers.app.cycles.listed() if cycle.trigger == "MILESTONE"]
    assert examined == [other], "there is nothing yet of the one that says so much"


def test_silence_of_all_live_runs_is_looked_at_once_V1(peers: Peers) -> None:
    peers.configured(ONE)
    peers.create(ALICE)
    peers.says("codex", review(), review())
    peers.plays = [Play(lasts=40, quiet=16 * 60.0)]
    peers.clock.advance(seconds=3600)
    peers.settle(peers.runner(agents=3))
    assert [cycle.trigger for cycle in peers.app.cycles.listed()][::-1] == ["TIMEOUT_FALLBACK", "REQUEST_REVIEW"]
    assert peers.cycle(1).wide


def leave(peers: Peers, *runners: Runner) -> None:
    for runner in runners:
        runner.ask("now")
        peers.settle(runner)


def test_silence_is_that_of_every_runner_s_runs_and_is_looked_at_once_for_all_V1_J4(peers: Peers) -> None:
    peers.configured(ONE)
    tasks = [peers.create(ALICE) for _ in range(2)]
    silent, speaking = Play(lasts=500, quiet=16 * 60.0), Play(lasts=500)
    peers.plays = [silent, speaking]
    runners = [peers.runner(agents=1), peers.runner(agents=3)]

    def pass_(minutes: int) -> None:
        for _ in range(minutes * 2):
            peers.clock.advance(seconds=30)
            for runner in runners:
                runner.tick()

    pass_(20)
    assert [run.runner for task in tasks for run in peers.runs_of(task)] == [each._runner.session for each in runners]
    assert peers.app.cycles.listed() == [], "one of them speaks"
    speaking.quiet = 15 * 60.0
    pass_(1)
    (fired,) = peers.app.cycles.listed()
    assert (fired.trigger, [target.task for target in fired.targets]) == ("TIMEOUT_FALLBACK", sorted(tasks))
    speaking.quiet = 30 * 60.0
    pass_(5)
    assert len(peers.app.cycles.listed()) == 1, "once per silence"
    leave(peers, *runners)


def test_all_agreed_lets_the_silence_begin_anew_V1_R4(peers: Peers) -> None:
    peers.configured(ONE)
    peers.create(ALICE)
    play = Play(lasts=500, quiet=15 * 60.0)
    peers.plays = [play]
    runner = peers.runner(agents=3)
    for minutes in range(15, 75, 5):
        play.quiet = minutes * 60.0
        peers.ticks(runner, 3)
        peers.clock.advance(minutes=5)
    fired = peers.app.cycles.listed()
    assert {cycle.trigger for cycle in fired} == {"TIMEOUT_FALLBACK"}
    assert (len(fired), {cycle.rule for cycle in fired}) == (3, {"R4"}), "again after as long since all agreed"
    leave(peers, runner)


def test_a_blocker_stops_the_live_run_and_only_its_task_R1_V9(peers: Peers) -> None:
    peers.configured(ONE)
    task, other = peers.create(ALICE), peers.create(ALICE)
    peers.says("codex", review("blocker", summary="it deletes the database"), review())
    peers.plays = [Play(lasts=200, during=lambda launch: peers.emits(launch, "milestone")), Play(lasts=3)]
    peers.settle(peers.runner(agents=3))
    assert peers.cycle(1).rule == "R1"
    held = peers.app.lists.show(BOB, task).task
    assert (held.status, "blocker" in (held.hold or "")) == ("open", True)
    assert [run.ending for run in peers.runs_of(task) if run.purpose == "implement"] == ["stopped"]
    assert peers.status(other) == "reviewing"
    (told,) = [line for _, line in peers.said if line.startswith("!")]
    assert told.startswith(f"! {task} is held by a reviewer"), "a person is told at once, and once"


def test_a_hold_of_the_task_stops_work_and_nobody_who_looks_V9(peers: Peers) -> None:
    task = peers.made()
    peers.app.stops.hold(ALICE, task, "legal looks")
    peers.says("codex", review("concerns"))
    peers.says("gemini", review("concerns"))
    peers.app.cycles.now(ALICE, task)
    peers.settle(peers.runner())
    assert peers.cycle(2).rule == "R3"
    assert peers.app.lists.show(BOB, task).task.hold == "legal looks"


def test_an_author_who_is_asked_by_a_person_clarifies_what_is_held_R1_R2(peers: Peers) -> None:
    told = json.dumps({"type": "clarification", "answers": [{"point": 1, "answer": "it is the database of the tests"}]})
    peers.says("codex", review("blocker"), review())
    peers.says("claude", told)
    task = peers.made()
    peers.app.cycles.ask_author(ALICE, "c-1")
    peers.settle(peers.runner())
    assert (peers.cycle(1).why, peers.cycle(2).rule) == ("clarified", "R4")
    assert peers.app.lists.show(BOB, task).task.hold, "until a person lifts it"


def test_a_hold_of_the_project_stops_who_looks_too_V9(peers: Peers) -> None:
    task = peers.made()
    peers.app.cycles.now(ALICE, task)
    peers.app.stops.hold(ALICE, None, "legal looks")
    before = len(peers.reviews_of(task))
    runner = peers.runner()
    peers.ticks(runner, 5)
    assert (len(peers.reviews_of(task)), peers.cycle(2).state) == (before, "open")
    peers.app.stops.resume(ALICE, None, "they looked")
    peers.settle(runner)
    assert peers.cycle(2).rule == "R4"


def test_a_review_whose_runner_dies_begins_again_J4(peers: Peers) -> None:
    peers.configured(ONE)
    task = peers.create(ALICE)
    peers.says("codex", Play(commits=0, lasts=100, outcome=SAID), review())
    first = peers.runner()
    while not peers.reviews_of(task):
        peers.ticks(first)
    peers.outside.gone.add(peers.outside.own)
    peers.settle(peers.runner())
    lost, again = peers.reviews_of(task)
    assert (lost.ending, again.ending, peers.cycle().rule) == ("lost", "finished", "R4")


def test_a_newer_attempt_ends_the_review_of_the_older_one_V4(peers: Peers) -> None:
    peers.configured(ONE)
    task = peers.create(ALICE)
    peers.says("codex", Play(commits=0, lasts=100, outcome=SAID), review())
    runner = peers.runner()
    while not peers.reviews_of(task):
        peers.ticks(runner)
    peers.app.feedback.redo(BOB, task, "other idea")
    peers.settle(runner)
    first, second = peers.reviews_of(task)
    assert (first.ending, first.cycle, second.cycle) == ("stopped", "c-1", "c-2")
    assert peers.cycle(2).rule == "R4"
