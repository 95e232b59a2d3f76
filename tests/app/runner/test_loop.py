"""The loop: a runner takes tasks from the claim to the merge, and whatever ends how, nothing is lost (S, E, J4)."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from contextlib import suppress

import pytest
from msgspec.structs import replace

from foureyes.app.gate.merger import Merges
from foureyes.app.runner.rows import Cost
from foureyes.core import events as e
from foureyes.core.nouns.run import RunOutcome
from foureyes.core.runner.snapshot import PutOff
from foureyes.core.runner.steps import Merge, Wait
from foureyes.core.words.ids import TaskId
from foureyes.errors import Conflict, LostRunner
from foureyes.steps import fe

from tests.stage.gated import AUTO, LINT
from tests.stage.people import ALICE, BOB
from tests.stage.playground import Playground
from tests.stage.playing import DONE, Play

AUTOMATIC = LINT + '\n[review]\ndefault_mode = "auto-approve"\n'


def test_a_task_goes_from_the_claim_to_the_merge_while_nobody_sits_there_S_Q1(ground: Playground) -> None:
    ground.configured(AUTOMATIC)
    task = ground.create(ALICE, labels=AUTO)
    assert ground.settle(ground.runner(until_idle=True)) == "idle"
    assert ground.status(task) == "closed"
    (run,) = ground.runs_of(task)
    assert (run.ending, run.profile, run.signal) == ("finished", "claude", "DONE")
    assert len(ground.shop.moves) == 1
    assert ground.agents.forgotten == [task], "what was kept to go on with goes with the task"
    ground.check_nothing_left()


def test_the_runner_is_no_author_and_its_checks_count_I7_D5(ground: Playground) -> None:
    ground.configured(AUTOMATIC)
    task = ground.create(ALICE, labels=AUTO)
    runner = ground.runner()
    ground.settle(runner)
    assert ground.app.lists.show(BOB, task).authors == [run.session for run in ground.runs_of(task)]
    assert ground.status(task) == "closed"


def test_what_checks_say_goes_back_to_who_wrote_it_and_is_mended_E4(ground: Playground) -> None:
    ground.configured(AUTOMATIC)
    task = ground.create(ALICE, labels=AUTO)
    ground.outside.runner.says("lint", exit_code=1)
    ground.plays = [Play(), Play(during=lambda launch: ground.outside.runner.says("lint"))]
    ground.settle(ground.runner())
    first, second = ground.runs_of(task)
    assert first.profile == second.profile
    assert ground.status(task) == "closed"
    assert "lint" in ground.agents.launched[1].prompt
    assert f"checked: lint failed (sent back): fe check show {task}" in ground.lines(task)
    assert "checked: lint passed (approved)" in ground.lines(task)


def test_without_a_signal_it_is_asked_once_and_then_its_work_waits_for_a_person_S4(ground: Playground) -> None:
    ground.configured(AUTOMATIC)
    task = ground.create(ALICE, labels=AUTO)
    silent = Play(outcome=RunOutcome(ended=True, rc=0, conversation="c1"))
    ground.plays = [silent, silent]
    ground.settle(ground.runner())
    assert [launch.resumes for launch in ground.agents.launched] == ["", "c1"]
    assert "ended without a signal" in ground.agents.launched[1].prompt
    assert ground.status(task) == "reviewing"
    view = ground.app.lists.show(BOB, task)
    assert view.attempts[-1].signal == "NEEDS_REVIEW"


def test_what_a_run_left_is_committed_for_it_as_its_session_S4(ground: Playground) -> None:
    task = ground.create(ALICE)
    ground.plays = [Play(commits=0, dirty=True)]
    ground.settle(ground.runner())
    assert ground.status(task) == "reviewing"
    (run,) = ground.runs_of(task)
    head = ground.repo.branches[f"refs/heads/fe/{task}"][-1]
    assert ground.repo.sessions[head] == (run.session,)


@pytest.mark.parametrize(
    ("left", "words"),
    [(["id_rsa"], "looks like a secret"), ([f"f{n}" for n in range(201)], "a runner commits at most 200")],
)
def test_what_nobody_commits_for_somebody_else_is_sent_back_by_name_S4(
    ground: Playground, left: list[str], words: str
) -> None:
    task = ground.create(ALICE)

    def leave(_: object) -> None:
        ground.played.left[f"refs/heads/fe/{task}"] = left

    def mend(_: object) -> None:
        ground.played.left.clear()

    ground.plays = [Play(during=leave), Play(during=mend)]
    ground.settle(ground.runner())
    first, _second = ground.runs_of(task)
    assert (first.ending, first.error) == ("failed", "refused")
    assert words in first.error_text
    assert words in ground.agents.launched[1].prompt
    assert ground.status(task) == "reviewing"


def test_what_grew_beyond_the_limit_is_sent_back_by_name_S4(ground: Playground) -> None:
    task = ground.create(ALICE)
    ref = f"refs/heads/fe/{task}"

    def leave(_: object) -> None:
        ground.played.left[ref], ground.played.grown[ref] = ["data.bin"], {"log.txt": 60 << 20}

    def mend(_: object) -> None:
        ground.played.left.clear()

    ground.plays = [Play(during=leave), Play(during=mend)]
    ground.settle(ground.runner())
    first, _second = ground.runs_of(task)
    assert (first.ending, first.error) == ("failed", "refused")
    assert "a runner commits at most 20 MB: log.txt, data.bin" in first.error_text


def test_head_elsewhere_is_sent_back_S4(ground: Playground) -> None:
    task = ground.create(ALICE)
    ground.shop.stands[task] = "refs/heads/mine"
    ground.plays = [Play(), Play(during=lambda launch: ground.shop.stands.clear())]
    ground.settle(ground.runner())
    first, _ = ground.runs_of(task)
    assert first.error_text == f"its worktree is on mine, not on fe/{task}"
    assert ground.status(task) == "reviewing"


def test_done_without_a_change_twice_is_a_persons_and_a_person_lets_it_go_on_S4(ground: Playground) -> None:
    task = ground.create(ALICE)
    nothing = Play(commits=0, outcome=replace(DONE, conversation=""))
    ground.plays = [nothing, nothing]
    ground.settle(ground.runner())
    assert len(ground.runs_of(task)) == 2
    (stuck,) = ground.app.runs.blocked_work().stuck
    assert (stuck.task, stuck.kind) == (task, "no_change")
    assert any(line.startswith(f"! {task} is stuck and needs a person") for _, line in ground.said)
    ground.app.stops.resume(ALICE, task, "look again: the file is src/a.py")
    ground.settle(ground.runner())
    assert ground.status(task) == "reviewing"


def test_crash_after_crash_each_try_is_another_one_and_then_a_person_looks(ground: Playground) -> None:
    task = ground.create(ALICE)
    crash = Play(commits=0, outcome=RunOutcome(ended=False, rc=1, conversation="c1", error="crash"))
    ground.plays = [crash] * 9
    ground.settle(ground.runner())
    tried = [(launch.profile_name, bool(launch.resumes)) for launch in ground.agents.launched]
    assert tried == [("claude", False), ("claude", True), ("claude", False), ("claude-senior", False)]
    assert len({launch.prompt for launch in ground.agents.launched[:3]}) == 3
    (stuck,) = ground.app.runs.blocked_work().stuck
    assert stuck.kind == "retries"
    assert ground.status(task) == "open"


@pytest.mark.parametrize(
    ("play", "why"),
    [
        (Play(outcome=replace(DONE, signal="FAILED", message="no idea", conversation="")), "no idea"),
        (Play(outcome=RunOutcome(ended=True, rc=3)), "it ended with exit code 3"),
        (Play(outcome=RunOutcome(ended=False, rc=1, error="crash", error_text="boom: no disk")), "boom: no disk"),
    ],
)
def test_why_the_last_run_came_to_nothing_is_on_record_and_shown_E6(ground: Playground, play: Play, why: str) -> None:
    task = ground.create(ALICE)
    ground.plays = [play] * 9
    ground.settle(ground.runner())
    (stuck,) = ground.app.runs.blocked_work().stuck
    assert stuck.why.endswith(f"the last one: {why}")
    (row,) = [row for row in ground.app.attention.view(ALICE).rows if row.task == task]
    assert any(why in line for line in row.details)
    assert any(f"fe logs {task}" in line for line in row.details)
    shown = ground.app.lists.show(ALICE, task).runs[-1]
    assert (shown.profile, shown.state, shown.why) == (ground.runs_of(task)[-1].profile, "failed", why)


def test_secrets_that_were_left_are_named_where_a_person_looks_S4(ground: Playground) -> None:
    task = ground.create(ALICE)

    def leave(_: object) -> None:
        ground.played.left[f"refs/heads/fe/{task}"] = [".env", "id_rsa"]

    ground.plays = [Play(during=leave)] * 9
    ground.settle(ground.runner())
    (stuck,) = ground.app.runs.blocked_work().stuck
    assert ".env, id_rsa look like secrets and were not committed: add them to .gitignore, or remove them" in stuck.why


def test_blocked_is_blocked_with_its_reason_and_told_L17(ground: Playground) -> None:
    ground.configured('\n[run]\nnotify = "mail me"\n')
    task = ground.create(ALICE)
    ground.plays = [Play(outcome=replace(DONE, signal="BLOCKED", message="which database?"))]
    ground.settle(ground.runner())
    assert ground.status(task) == "blocked"
    assert ground.outside.notified == [("mail me", f"{task} is blocked: which database?")]


def test_a_person_is_notified_once_of_what_stands_whatever_runner_sees_it_E6(ground: Playground) -> None:
    ground.configured('\n[run]\nnotify = "mail me"\n')
    task = ground.create(ALICE)
    blocked = Play(outcome=replace(DONE, signal="BLOCKED", message="which database?"))
    ground.plays = [blocked, blocked]
    for _ in range(2):
        ground.settle(ground.runner())
    assert [line for line in ground.lines("") if line.startswith("!")] == [f"! {task} is blocked: which database?"] * 2
    assert len(ground.outside.notified) == 1
    ground.app.stops.unblock(ALICE, task)
    ground.settle(ground.runner())
    assert len(ground.outside.notified) == 2, "it went away, and came again"


def test_out_of_quota_cools_the_profile_and_the_next_in_order_takes_over_without_blame(ground: Playground) -> None:
    task = ground.create(ALICE)
    empty = RunOutcome(ended=False, rc=1, error="quota", error_text="usage limit reached", retry_after=3600)
    ground.plays = [Play(commits=0, outcome=empty)]
    ground.settle(ground.runner())
    first, second = ground.runs_of(task)
    assert (first.profile, second.profile) == ("claude", "claude-senior")
    assert ground.status(task) == "reviewing"
    (cooled,) = ground.app.runs.cooled("box")
    assert (cooled.profile, cooled.error_text) == ("claude", "usage limit reached")


def test_a_profile_is_asked_again_after_a_few_hours_whatever_its_program_said_S2(ground: Playground) -> None:
    ground.create(ALICE)
    week = RunOutcome(ended=False, rc=1, error="quota", error_text="try again in 7 days", retry_after=7 * 86_400)
    ground.plays = [Play(commits=0, outcome=week)]
    ground.settle(ground.runner())
    (cooled,) = ground.app.runs.cooled("box")
    assert cooled.until <= ground.app.context.later(3 * 3600)


def test_a_program_that_is_not_there_leaves_no_claim_and_no_reservation(ground: Playground) -> None:
    task = ground.create(ALICE)
    ground.plays = [Play(missing=True)]
    runner = ground.runner()
    ground.ticks(runner)
    (run,) = ground.runs_of(task)
    assert (run.ending, run.error) == ("unstarted", "missing")
    assert ground.status(task) == "open"
    ground.check_nothing_left()


def test_a_program_that_cannot_be_started_for_a_run_is_not_kept_from_other_tasks(ground: Playground) -> None:
    """A tree that it must not read, a full disk: the task is back in the merge queue, and then a person is told why."""
    task, other = ground.create(ALICE), ground.create(ALICE)
    first = f"launching {task}"
    ground.agents.next_play = lambda launch: Play(broken=first if launch.task == task else "")
    ground.settle(ground.runner())
    assert {(run.ending, run.error, run.error_text) for run in ground.runs_of(task)} == {("unstarted", "crash", first)}
    assert ground.app.runs.cooled("box") == []
    assert ground.status(other) == "reviewing"
    (stuck,) = ground.app.runs.blocked_work().stuck
    assert (stuck.task, stuck.kind) == (task, "retries")
    ground.check_nothing_left()


@pytest.mark.parametrize("gone", ["profile", "run"])
@pytest.mark.on("sqlite")
def test_a_profile_or_a_run_that_is_gone_when_it_begins_does_not_end_the_runner_J4(
    ground: Playground, gone: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from foureyes.app.runner import run_start

    task = ground.create(ALICE)
    missing: dict[str, tuple[str, object]] = {"profile": ("agent_profiles", {}), "run": ("live_runs", [])}
    name, none = missing[gone]
    with monkeypatch.context() as patch:
        patch.setattr(run_start, name, lambda *_: none)
        ground.ticks(ground.runner())
    (run,) = ground.runs_of(task)
    assert run.ending == "unstarted"
    assert "any more" in run.error_text if gone == "profile" else "taken over" in run.error_text
    ground.check_nothing_left()


def test_an_agent_that_hands_in_itself_has_said_its_signal_S1(ground: Playground) -> None:
    task = ground.create(ALICE)

    def submit_work(launch: object) -> None:
        token, process = launch.token, f"process:{launch.run}"  # type: ignore[attr-defined]
        me = ground.show_token(token, ("process:agent", process), ("process:agent",))
        ground.app.attempts.submit(me, task, branch=f"fe/{task}")

    ground.plays = [Play(during=submit_work, outcome=RunOutcome(ended=False, rc=1))]
    ground.settle(ground.runner())
    (run,) = ground.runs_of(task)
    assert run.ending == "finished"
    assert ground.status(task) == "reviewing"


def test_a_hold_ends_its_run_and_the_work_stays_V9(ground: Playground) -> None:
    task = ground.create(ALICE)
    ground.plays = [Play(lasts=50)]
    runner = ground.runner()
    ground.ticks(runner)
    ground.app.stops.hold(BOB, task, "wait")
    ground.settle(runner)
    (run,) = ground.runs_of(task)
    assert run.ending == "stopped"
    assert ground.status(task) == "open"
    assert len(ground.repo.branches[f"refs/heads/fe/{task}"]) > 1
    ground.check_nothing_left()


@pytest.mark.on("sqlite")
def test_a_program_that_takes_its_time_to_end_keeps_nobody_busy(ground: Playground) -> None:
    """It is asked once, nothing waits for it by the clock, and nothing is left on the desk when it is over."""
    task = ground.create(ALICE)
    ground.plays = [Play(lasts=50, stops=9)]
    runner = ground.runner()
    ground.ticks(runner)
    ground.app.stops.hold(BOB, task, "wait")
    waits = 0
    while runner.memory.current_runs:
        waits += runner.tick() is not None
        ground.clock.advance(seconds=2)
    assert waits > 1
    assert ground.lines(task).count("stopping claude: held: wait") == 1
    ground.settle(runner)
    assert runner.memory.put_off == {}
    last = runner.tick()
    assert isinstance(last, Wait)
    assert runner._rest(last) > 1


@pytest.mark.on("sqlite")
def test_what_was_put_off_is_forgotten_when_its_time_has_come(ground: Playground) -> None:
    """Else a step that nobody plans any more keeps the runner from resting."""
    runner = ground.runner()
    ground.ticks(runner)
    runner.memory.put_off["StartRun:gone"] = PutOff(until=ground.app.context.later(5), pause=5)
    last = runner.tick()
    assert isinstance(last, Wait)
    assert last.until == ""
    assert runner._rest(last) > 1
    ground.clock.advance(hours=2)
    ground.ticks(runner)
    assert runner.memory.put_off == {}


def test_a_pause_lets_what_runs_come_to_its_end_and_survives_a_restart_V9(ground: Playground) -> None:
    first = ground.create(ALICE)
    ground.plays = [Play(lasts=5)]
    runner = ground.runner(agents=1)
    ground.ticks(runner)
    second = ground.create(ALICE)
    ground.app.runs.pause(BOB, None, reason="lunch")
    ground.settle(runner)
    assert (ground.status(first), ground.status(second)) == ("reviewing", "open")
    again = ground.runner(agents=1)
    ground.settle(again)
    assert ground.status(second) == "open"
    ground.app.stops.resume(BOB, None, "back")
    ground.settle(again)
    assert ground.status(second) == "reviewing"


def test_a_first_request_to_end_finishes_what_runs_a_second_ends_it(ground: Playground) -> None:
    tasks = [ground.create(ALICE) for _ in range(3)]
    ground.plays = [Play(lasts=4), Play(lasts=4)]
    runner = ground.runner(agents=2)
    ground.ticks(runner)
    runner.ask("finish")
    assert ground.settle(runner) == "it was asked to end"
    assert sorted(map(ground.status, tasks)) == ["open", "reviewing", "reviewing"]
    ground.plays = [Play(lasts=1000)]
    runner = ground.runner(agents=2)
    ground.ticks(runner)
    runner.ask("finish")
    runner.ask("finish")
    assert ground.settle(runner) == "it was asked to end"
    ground.check_nothing_left()
    assert sorted(map(ground.status, tasks)) == ["open", "reviewing", "reviewing"]


def test_once_begins_what_can_begin_now_and_nothing_after_it(ground: Playground) -> None:
    ground.configured("")
    tasks = [ground.create(ALICE) for _ in range(3)]
    assert ground.settle(ground.runner(agents=2, once=True)) == "idle"
    assert sorted(map(ground.status, tasks)) == ["open", "reviewing", "reviewing"]


def test_a_person_chooses_who_does_a_task(ground: Playground) -> None:
    tasks = [ground.create(ALICE) for _ in range(30)]
    ground.settle(ground.runner(agents=1, once=True, assigned=((tasks[29], "codex"),)))
    assert [(run.profile, run.ending) for run in ground.runs_of(tasks[29])] in ([("codex", "finished")], [])


def test_watching_starts_nobody_checks_and_merges(ground: Playground) -> None:
    ground.configured(AUTOMATIC)
    mine, other = ground.submitted_task(labels=AUTO), ground.create(ALICE)
    ground.settle(ground.runner(agents=0, until_idle=True))
    assert (ground.status(mine), ground.status(other)) == ("closed", "open")
    assert ground.agents.launched == []


def test_a_task_that_costs_too_much_goes_to_a_person(ground: Playground) -> None:
    ground.configured("\n[run]\nspend_per_task = 0.5\n")
    task = ground.create(ALICE)
    dear = replace(DONE, signal="FAILED", usage=replace(DONE.usage, cost_micros=600_000))
    ground.plays = [Play(outcome=dear), Play(outcome=dear)]
    ground.settle(ground.runner())
    assert [(run.ending, run.signal) for run in ground.runs_of(task)] == [("failed", "FAILED")]
    (stuck,) = ground.app.runs.blocked_work().stuck
    assert stuck.kind == "spend"
    ground.app.stops.resume(ALICE, task, "it is worth as much again")
    ground.settle(ground.runner())
    assert len(ground.runs_of(task)) == 2
    (stuck,) = ground.app.runs.blocked_work().stuck
    assert (stuck.kind, stuck.why) == ("spend", "it has cost 0.60, and the limit is 0.50 (run.spend_per_task)")


def test_a_rule_that_lifts_its_own_pause_forgives_no_cost(ground: Playground) -> None:
    task = ground.create(ALICE)
    ground.plays = [Play(outcome=replace(DONE, usage=replace(DONE.usage, cost_micros=600_000)))]
    ground.settle(ground.runner(once=True))
    with ground.app.context.writing(ALICE, "log") as work:
        work.gate.record(task, e.RunsPaused(reason="R2", by="rule", rule="R2", cycle="c-1"))
        work.gate.record(task, e.RunsResumed(reason="R4", by="rule", rule="R4", cycle="c-1"))
    with ground.app.context.store.read() as tx:
        assert [(row.task, row.n) for row in tx.all("runner.costs", Cost, ids=[task])] == [(task, 600_000)]


def test_a_task_that_is_stuck_again_with_the_same_words_is_told_again_E6(ground: Playground) -> None:
    task = ground.create(ALICE)
    nothing = Play(commits=0, outcome=replace(DONE, conversation=""))
    runner = ground.runner()
    for times in (1, 2):
        ground.plays = [nothing, nothing]
        ground.settle(runner)
        assert sum(line.startswith(f"! {task} is stuck and needs a person") for _, line in ground.said) == times
        ground.app.stops.resume(ALICE, task, "look again")


def test_review_limit_keeps_new_tasks_back(ground: Playground) -> None:
    ground.configured("\n[run]\nreview_limit = 2\n")
    tasks = [ground.create(ALICE) for _ in range(4)]
    ground.settle(ground.runner(agents=1))
    assert sorted(map(ground.status, tasks)) == ["open", "open", "reviewing", "reviewing"]


def test_a_runner_that_died_leaves_nothing_that_the_next_one_does_not_take_up_J4(ground: Playground) -> None:
    tasks = [ground.create(ALICE) for _ in range(2)]
    ground.plays = [Play(lasts=1000), Play(lasts=1000)]
    dead = ground.runner()
    ground.ticks(dead)
    assert len(ground.app.runs.live()) == 2
    ground.outside.gone.add(ground.outside.own)
    ground.settle(ground.runner())
    assert [ground.status(task) for task in tasks] == ["reviewing", "reviewing"]
    assert [run.ending for run in ground.runs_of(tasks[0])] == ["lost", "finished"]
    ground.check_nothing_left()


@pytest.mark.parametrize("place", ["", "/another/clone"])
def test_what_a_dead_run_left_is_committed_in_its_own_clone_only_J4(ground: Playground, place: str) -> None:
    task = ground.create(ALICE)
    ground.plays = [Play(lasts=1000, commits=0, dirty=True)]
    ground.ticks(ground.runner())
    ground.outside.gone.add(ground.outside.own)
    ground.shop.places[task] = place or ground.shop.places[task]
    ground.ticks(ground.runner(agents=0), 2)
    assert [run.ending for run in ground.runs_of(task)] == ["lost"]
    assert bool(ground.played.left) == bool(place)


def test_a_runner_that_is_gone_was_last_heard_of_in_the_past_J4(ground: Playground) -> None:
    ground.create(ALICE)
    ground.plays = [Play(lasts=99)]
    ground.ticks(ground.runner(), 2)
    ground.app.context.outside.is_gone = lambda process: True  # type: ignore[method-assign]
    (row,) = [row for row in ground.app.attention.view(ALICE).rows if row.kind == "runner"]
    assert row.since <= ground.app.context.now()


def test_a_runner_that_slept_past_its_lease_ends_its_agents_and_writes_nothing_J4(ground: Playground) -> None:
    task = ground.create(ALICE)
    ground.plays = [Play(lasts=1000)]
    asleep = ground.runner()
    ground.ticks(asleep)
    ground.clock.advance(minutes=10)
    ground.plays = [Play()]
    ground.settle(ground.runner())
    assert ground.status(task) == "reviewing"
    rows = ground.rows()
    ground.ticks(asleep, 5)
    assert asleep.memory.current_runs == {}
    assert ground.rows() == rows
    assert [run.ending for run in ground.runs_of(task)] == ["lost", "finished"]


def test_a_runner_that_was_taken_for_dead_ends_its_agents_and_says_so_J4(ground: Playground) -> None:
    task = ground.create(ALICE)
    ground.plays = [Play(lasts=1000)]
    asleep = ground.runner()
    ground.ticks(asleep)
    ground.clock.advance(minutes=10)
    ground.outside.gone.add(ground.outside.own)
    ground.settle(ground.runner())
    rows = ground.rows()
    with pytest.raises(LostRunner) as lost:
        ground.ticks(asleep, 5)
    assert (lost.value.exit_code, lost.value.next_step) == (4, fe("run"))
    assert [reason.rule for reason in lost.value.reasons] == ["J4"]
    assert all(held.outcome is not None for held in asleep.memory.current_runs.values())
    assert ground.rows() == rows
    assert [run.ending for run in ground.runs_of(task)] == ["lost", "finished"]


def test_two_runners_share_one_store_and_nothing_runs_twice_to_a_merge_J4(ground: Playground) -> None:
    ground.configured(AUTOMATIC)
    tasks = [ground.create(ALICE, labels=AUTO) for _ in range(5)]
    ground.plays = [Play(lasts=3) for _ in range(5)]
    first = ground.runner(agents=2)
    mine = ground.outside.own
    second = ground.runner(agents=2)
    theirs = ground.outside.own
    for _ in range(60):
        for runner, process in ((first, mine), (second, theirs)):
            ground.outside.own = process
            runner.tick()
        ground.clock.advance(seconds=1)
    assert {ground.status(task) for task in tasks} == {"closed"}
    assert [len(ground.runs_of(task)) for task in tasks] == [1] * 5
    assert {run.runner for task in tasks for run in ground.runs_of(task)} == {
        row.session for row in ground.app.runs.runners()
    }
    ground.check_everything_can_be_moved(tasks)


def test_slots_are_those_of_the_host_not_of_a_runner(ground: Playground) -> None:
    """Two runners of one machine have the slots of a profile together."""
    for _ in range(6):
        ground.create(ALICE)
    ground.plays = [Play(lasts=99) for _ in range(6)]
    for runner in (ground.runner(agents=3), ground.runner(agents=3)):
        ground.ticks(runner, 2)
    assert len(ground.app.runs.live()) == 2


@pytest.mark.on("sqlite")
def test_a_signal_wakes_the_runner_once_and_does_not_keep_it_awake(ground: Playground) -> None:
    readable, written = os.pipe2(os.O_NONBLOCK)
    runner = ground.runner(alarm=readable)
    os.write(written, b"!!")
    assert runner._sleep(0)
    assert not runner._sleep(0)
    os.close(readable)
    os.close(written)


class Killed(BaseException):
    """kill -9, in the middle of something."""


def story(ground: Playground, kill_at: int) -> int:
    """One task from its claim to its merge, by a runner that is killed before its n-th step outside of itself; how many
    steps there were.
    """
    ground.configured(AUTOMATIC)
    ground.create(ALICE, labels=AUTO)
    ground.plays = [Play(dirty=True)]
    runner = ground.runner()
    count = 0

    def step(call: Callable[..., object]) -> Callable[..., object]:
        def counted(*args: object, **fields: object) -> object:
            nonlocal count
            count += 1
            if count == kill_at:
                raise Killed
            return call(*args, **fields)

        return counted

    points = [
        (ground.store, "write"), (ground.shop, "add_worktree"), (ground.shop, "commit_all"), (ground.shop, "move"),
        (ground.shop, "drop_worktree"), (ground.agents, "prepare"), (ground.agents, "end_left"),
    ]  # fmt: skip
    with pytest.MonkeyPatch.context() as patch:
        for owner, name in points:
            patch.setattr(owner, name, step(getattr(owner, name)))
        with suppress(Killed):
            ground.settle(runner)
    return count


class PlayedBeacon:
    """A lock that is lost when the test says so."""

    name = "runner 1"

    def __init__(self) -> None:
        self.lit, self.lights = True, 0

    def fileno(self) -> int:
        return -1

    def is_lit(self) -> bool:
        return self.lit

    def light(self) -> None:
        self.lit, self.lights = True, self.lights + 1

    def seen(self, alive: list[object], now: Iterable[object]) -> None:
        """It is lit again, and who was alive at that moment."""
        alive.extend(now)
        PlayedBeacon.light(self)

    def close(self) -> None:
        self.lit = False


@pytest.mark.on("sqlite")
def test_who_lost_the_lock_that_others_see_ends_its_agents_first_and_goes_on_J4(ground: Playground) -> None:
    task, beacon = ground.create(ALICE), PlayedBeacon()
    ground.plays = [Play(lasts=1000), Play()]
    runner = ground.runner(beacon=beacon)
    ground.ticks(runner)
    (held,) = runner.memory.current_runs.values()
    beacon.lit = False
    with pytest.MonkeyPatch.context() as patch:
        alive: list[object] = []
        patch.setattr(beacon, "light", lambda: beacon.seen(alive, ground.agents.alive))
        ground.ticks(runner)
    assert (alive, ground.agents.alive.get(held.run.id), beacon.lights) == ([], None, 1)
    ground.settle(runner)
    assert [run.ending for run in ground.runs_of(task)] == ["stopped", "finished"]
    assert ground.status(task) == "reviewing"


@pytest.mark.on("sqlite")
def test_a_run_whose_runner_is_cut_off_is_taken_over_without_waiting_for_its_lease_J4(
    ground: Playground, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is alive for all that is known, on a machine that nobody sees."""
    task, beacon = ground.create(ALICE), PlayedBeacon()
    ground.plays = [Play(lasts=1000), Play()]
    cut_off = ground.runner(beacon=beacon)
    ground.ticks(cut_off)
    other = ground.runner()
    ground.ticks(other, 3)
    assert [run.ending for run in ground.runs_of(task)] == [""]
    monkeypatch.setattr(type(ground.store), "dark", lambda store, names: {name for name in names if name == "runner 1"})
    ground.settle(other)
    assert [run.ending for run in ground.runs_of(task)] == ["lost", "finished"]
    taken = [row.payload for row in ground.app.audit.export() if row.kind == "RunTaken"]
    assert ["the connection of its runner is gone" in payload for payload in taken] == [True]
    rows, beacon.lit = ground.rows(), False
    ground.ticks(cut_off, 3)
    assert (cut_off.memory.current_runs, ground.rows()) == ({}, rows), "it does not have it any more"


def test_a_merge_that_meets_another_process_is_tried_again_soon_and_nobody_is_told_Q1(
    ground: Playground, monkeypatch: pytest.MonkeyPatch
) -> None:
    def busy(*_: object, **__: object) -> None:
        raise Conflict("fe-1 is being merged by another process.")

    monkeypatch.setattr(Merges, "process", busy)
    runner = ground.runner()
    for _ in range(2):
        runner._performing.perform(Merge(tasks=(TaskId("fe-1"),)), runner.memory)
        ground.ticks(runner)
    assert [off.until for off in runner.memory.put_off.values()] == [ground.app.context.later(5)]
    assert not any("another process" in line for _, line in ground.said)
