"""Two command lines at once, by real processes: the loser ends with 4 and is told who won (T1, T6)."""

from __future__ import annotations

import threading

from tests.stage.commands import Stage
from tests.stage.processes import Caller, Result

ROUNDS = 4


def at_once(stage: Stage, *commands: tuple[Caller, tuple[str, ...]]) -> list[Result]:
    """Everybody's command, started together."""
    results: dict[int, Result] = {}
    barrier = threading.Barrier(len(commands))

    def run(number: int, who: Caller, args: tuple[str, ...]) -> None:
        barrier.wait()
        results[number] = stage.run(who, *args)

    threads = [threading.Thread(target=run, args=(number, *command)) for number, command in enumerate(commands)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [results[number] for number in range(len(commands))]


def test_of_two_who_start_a_task_one_wins_and_the_other_ends_with_4_and_the_winners_name_T1(
    stage: Stage,
) -> None:
    claude, codex = stage.cast.claude, stage.cast.codex
    for _ in range(ROUNDS):
        task = stage.create(stage.cast.alice)
        both = at_once(stage, (claude, ("start", task)), (codex, ("start", task)))
        assert sorted(result.rc for result in both) == [0, 4], both
        winner = (claude, codex)[0 if both[0].rc == 0 else 1]
        loser = next(result for result in both if result.rc == 4)
        assert f"was started by {winner.name}#1" in loser.err, loser
        assert stage.show(task)["task"]["implementer"] == stage.session(winner)
    assert stage.done(stage.cast.alice, "audit", "verify")["ok"]


def test_of_two_who_take_the_next_task_nobody_gets_the_others_T1(stage: Stage) -> None:
    made = {stage.create(stage.cast.alice), stage.create(stage.cast.alice)}
    both = at_once(stage, (stage.cast.claude, ("next", "--json")), (stage.cast.codex, ("next", "--json")))
    assert {result.json["task"] for result in both} == made


def test_of_two_edits_that_saw_the_same_version_one_ends_with_4_T6(stage: Stage) -> None:
    task = stage.create(stage.cast.alice)
    version = str(stage.show(task)["task"]["version"])
    both = at_once(
        stage,
        (stage.cast.claude, ("update", task, "--title", "one", "--if-version", version)),
        (stage.cast.codex, ("update", task, "--title", "two", "--if-version", version)),
    )
    assert sorted(result.rc for result in both) == [0, 4], both
    winner = ("claude", "codex")[0 if both[0].rc == 0 else 1]
    assert f"{winner}#1" in next(result for result in both if result.rc == 4).err


def test_an_approval_and_a_new_hand_in_at_once_never_leave_an_approval_of_the_unseen_D4_D7(stage: Stage) -> None:
    claude, codex = stage.cast.claude, stage.cast.codex
    for _ in range(ROUNDS):
        work = stage.in_review(stage.cast.alice, claude)
        stage.commit(work.branch, {f"{work.task}.more": "more\n"})
        both = at_once(
            stage,
            (claude, ("submit", work.task, "--branch", work.branch)),
            (codex, ("approve", work.task, "--seen", work.seen)),
        )
        assert all(result.rc in (0, 1, 4) for result in both), both
        shown = stage.show(work.task)
        if shown["task"]["status"] == "approved":
            assert shown["attempts"][-1]["diff_id"] == work.diff_id
        else:
            assert shown["task"]["status"] == "reviewing"
            assert both[1].rc in (1, 4), both
    assert stage.done(stage.cast.alice, "audit", "verify")["ok"]
