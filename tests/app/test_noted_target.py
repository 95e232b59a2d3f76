"""What a clone has of the target (Q6): the remote's as it was last asked, the branch here, whichever is further."""

from __future__ import annotations

from foureyes.app.target import (
    ask_target,
    branch_here,
    current_target,
    furthest_target,
    noted_target,
    noted_tip,
    tip_of,
)
from foureyes.core.words.refs import tracked

from tests.stage.clones import Clone, Clones
from tests.stage.people import ALICE, CLAUDE
from tests.stage.world import GitWorld

NOTED = tracked("origin", "refs/heads/main")


def names(world: GitWorld) -> tuple[str, str]:
    """What git calls the target as it was noted, and the furthest of it."""
    context = world.app.context
    with context.store.read() as tx:
        project = context.project(tx)
        return noted_target(context, tx, project), furthest_target(context, tx, project)


def tips(world: GitWorld) -> tuple[str | None, str | None]:
    """Where both are."""
    context = world.app.context
    with context.store.read() as tx:
        project = context.project(tx)
        noted, furthest = noted_tip(context, tx, project), furthest_target(context, tx, project)
    return noted, tip_of(context, project, furthest)


def pushed(world: Clone) -> str:
    """A commit that a clone has brought to the remote's target."""
    made = world.checkout.commit("more.py", "more\n")
    world.checkout.git("push", "-q", "origin", "main")
    return made


def test_without_a_remote_the_target_is_the_branch_here_Q6(world: GitWorld) -> None:
    head = world.checkout.head("main")
    assert names(world) == ("main", "main")
    assert tips(world) == (head, head) == (branch_here(world.app.context, "main"),) * 2


def test_a_target_that_is_gone_is_nowhere_Q6(world: GitWorld) -> None:
    world.checkout.git("branch", "-m", "main", "other")
    assert tips(world) == (None, None)


def test_what_the_remote_had_is_noted_when_it_is_asked_and_not_before_Q6(clones: Clones) -> None:
    alpha, beta = clones.alpha, clones.beta
    before = beta.checkout.head("main")
    assert ask_target(beta.app.context) is not None
    made = pushed(alpha)
    assert tips(beta) == (before, before)
    assert ask_target(beta.app.context) is not None
    assert (names(beta), tips(beta)) == ((NOTED, NOTED), (made, made))
    assert branch_here(beta.app.context, "main") == before


def test_a_clone_that_was_brought_up_to_date_since_the_remote_was_asked_knows_more_Q6(clones: Clones) -> None:
    alpha, beta = clones.alpha, clones.beta
    before = beta.checkout.head("main")
    assert ask_target(beta.app.context) is not None
    made = pushed(alpha)
    beta.checkout.git("pull", "-q", "origin", "main")
    assert (names(beta), tips(beta)) == ((NOTED, "main"), (before, made))


def test_work_that_landed_elsewhere_is_shown_as_landed_where_the_target_here_is_behind_D4(clones: Clones) -> None:
    alpha, beta = clones.alpha, clones.beta
    task = alpha.create()
    alpha.start(CLAUDE, task)
    alpha.checkout.commit("one.py", "one\n", session=CLAUDE)
    alpha.checkout.git("push", "-q", "origin", "main")
    alpha.submit(CLAUDE, task)
    current_target(beta.app.context)
    (row,) = beta.app.queue.view(ALICE).rows
    assert [reason for reason in row.you.reasons if reason.rule == "D4"] == []
