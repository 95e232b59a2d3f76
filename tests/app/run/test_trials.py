"""What reviewers are tried with: the built-in set, and findings of the project that were true (V4)."""

from __future__ import annotations

from pathlib import Path

import pytest

from foureyes.app.run.trials import built_in, of_the_project
from foureyes.app.views.work import ClaimedWorktree
from foureyes.core.cycle.calibrating import LineRange
from foureyes.errors import BadInput

from tests.stage.cycled import look_review
from tests.stage.looped import issue, respond, review
from tests.stage.people import ALICE, CLAUDE, CODEX
from tests.stage.world import GitWorld

BAD = "def half(n):\n    return n / 0\n"
GOOD = '"""Numbers."""\n\n\ndef half(n):\n    return n / 2\n'


def judged(world: GitWorld, ruling: str) -> tuple[str, str]:
    """A task in which codex found something and claude says that it mended it, and what codex says of that; with the
    finding.
    """
    task = world.handed_in(text=BAD)
    (name,) = review(world, task, [issue("it divides by zero", file="work.py", line=2)], verdict="concerns").raised
    world.start(CLAUDE, task)
    respond(world, task, {name: "FIXED"})
    world.checkout.switch(f"fe/{task}")
    world.checkout.commit("work.py", GOOD, session=CLAUDE)
    world.submit(CLAUDE, task)
    review(world, task, rulings=[(name, ruling)], verdict="approved" if ruling == "VERIFIED" else "concerns")
    return task, name


def test_the_set_is_one_bundle_and_some_of_it_can_be_chosen_V4() -> None:
    whole, one = built_in(), built_in(["go-counter"])
    assert len(one.trials) == 1 < len(whole.trials)
    assert one.files == whole.files, "every change grows out of the same files"
    with pytest.raises(BadInput, match="no-such"):
        built_in(["no-such"])


def test_a_finding_that_was_true_is_tried_where_it_was_raised_in_the_attempt_of_then_V4(
    world: GitWorld, tmp_path: Path
) -> None:
    task, name = judged(world, "VERIFIED")
    (bundle,) = of_the_project(world.app.context, 3)
    (trial,) = bundle.trials
    (case,) = trial.cases
    assert (case.name, case.kind, case.places) == (name, "past", (LineRange("work.py", 2, 2),))
    assert trial.title == world.show(task).task.title
    for files, text in ((bundle.files, None), (trial.files, BAD)):
        place = tmp_path / str(text is None)
        place.mkdir()
        assert callable(files)
        files(str(place))
        assert ((place / "work.py").read_text() if text else (place / "work.py").exists()) == (text or False)


def test_none_are_taken_where_none_are_wanted_and_none_that_nobody_ruled_on_V4(world: GitWorld) -> None:
    task = world.handed_in(text=BAD)
    review(world, task, [issue("it divides by zero", file="work.py", line=2)], verdict="concerns")
    assert of_the_project(world.app.context, 3) == []
    assert of_the_project(world.app.context, 0) == []


def test_of_many_findings_at_one_place_one_is_a_case_and_of_an_attempt_only_some_V4(world: GitWorld) -> None:
    lines = [*[2] * 6, *range(10, 110, 10)]
    task = world.handed_in(text=BAD + "x = 1\n" * 120)
    said = [issue(f"way {n}", file="work.py", line=line) for n, line in enumerate(lines)]
    names = review(world, task, said, verdict="concerns").raised
    world.start(CLAUDE, task)
    respond(world, task, dict.fromkeys(names, "FIXED"))
    world.checkout.switch(f"fe/{task}")
    world.checkout.commit("work.py", GOOD, session=CLAUDE)
    world.submit(CLAUDE, task)
    review(world, task, rulings=[(name, "VERIFIED") for name in names], verdict="approved")
    ((trial,),) = [bundle.trials for bundle in of_the_project(world.app.context, 3)]
    assert [case.places[0].first for case in trial.cases] == [2, 10, 20, 30, 40]


def test_what_a_look_raised_is_about_code_that_no_attempt_has_V1_V4(world: GitWorld) -> None:
    task = world.create()
    begun = world.app.claims.start(CLAUDE, task, worktree=True)
    assert isinstance(begun, ClaimedWorktree)
    work = Path(begun.worktree, "work.py")
    work.write_text(BAD)
    world.app.cycles.now(ALICE, task)
    found = issue("it divides by zero", file="work.py", line=2)
    (name,) = look_review(world, CODEX, task, [found], verdict="concerns").raised
    respond(world, task, {name: "FIXED"})
    work.write_text(GOOD)
    world.app.attempts.submit(CLAUDE, task, message="numbers", commit="numbers", apart=True)
    review(world, task, rulings=[(name, "VERIFIED")])
    assert of_the_project(world.app.context, 3) == []
