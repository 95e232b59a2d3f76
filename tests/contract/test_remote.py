"""The port `Remote`, held to by real git with a bare repository and by the script that stands in for both (Q6)."""

from __future__ import annotations

import pytest

from foureyes.app.git_ports import Moved, Pushed, RefUpdate, TakenAway
from foureyes.core.words.refs import tracked
from foureyes.errors import RemoteProblem

from tests.contract.grounds import Ground

MAIN, BRANCH, ATTEMPT = "refs/heads/main", "refs/heads/fe/work", "refs/foureyes/attempts/fe-1/1"
OTHER = "refs/heads/fe/other"


def test_the_tips_of_a_remote_are_those_that_it_has(ground: Ground) -> None:
    remote = ground.remote
    made = ground.elsewhere(BRANCH)
    assert remote.name == "origin"
    assert remote.tips([MAIN, BRANCH, ATTEMPT]) == {MAIN: ground.repo.commit_of("main"), BRANCH: made}
    assert remote.tips([]) == {}


def test_what_is_fetched_is_here_and_no_branch_has_moved(ground: Ground) -> None:
    remote, heads = ground.remote, ground.repo.heads()
    first, second = ground.elsewhere(BRANCH), ground.elsewhere(BRANCH)
    assert ground.repo.missing([first, second]) == {first, second}
    assert remote.fetch([BRANCH, ATTEMPT]) == {BRANCH: second}
    assert ground.repo.missing([first, second]) == set()
    assert ground.repo.kept("refs/foureyes/remote") == {tracked("origin", BRANCH): second}
    assert ground.repo.heads() == heads
    assert remote.fetch([BRANCH]) == {BRANCH: second}


def test_a_push_moves_every_ref_from_where_it_is_expected(ground: Ground) -> None:
    remote, root = ground.remote, ground.repo.commit_of("main")
    made = ground.commit("fe/work")
    updates = [RefUpdate(MAIN, made, root), RefUpdate(BRANCH, made), RefUpdate(ATTEMPT, made)]
    assert isinstance(remote.push(updates), Pushed)
    assert remote.tips([MAIN, BRANCH, ATTEMPT]) == dict.fromkeys([MAIN, BRANCH, ATTEMPT], made)
    assert ground.repo.kept(tracked("origin", ATTEMPT)) == {tracked("origin", ATTEMPT): made}
    assert isinstance(remote.push(updates), Pushed), "what is there already is no error"


def test_a_push_onto_a_ref_that_has_moved_pushes_nothing_Q6(ground: Ground) -> None:
    remote, root = ground.remote, ground.repo.commit_of("main")
    made, theirs = ground.commit("fe/work"), ground.elsewhere(MAIN)
    assert remote.push([RefUpdate(ATTEMPT, made), RefUpdate(MAIN, made, root)]) == Moved(MAIN, theirs)
    assert remote.tips([MAIN, ATTEMPT]) == {MAIN: theirs}
    assert remote.push([RefUpdate(MAIN, made)]) == Moved(MAIN, theirs), "it was to be new"


def test_what_is_taken_away_goes_only_from_where_it_is_expected(ground: Ground) -> None:
    remote, made = ground.remote, ground.commit("fe/work")
    assert isinstance(remote.push([RefUpdate(BRANCH, made), RefUpdate(ATTEMPT, made)]), Pushed)
    theirs = ground.elsewhere(OTHER)
    taken = remote.take_away({BRANCH: made, OTHER: made, f"{BRANCH}-never": made})
    assert taken == TakenAway((BRANCH,), {OTHER: f"it is at {theirs[:7]} there"})
    assert remote.tips([BRANCH, OTHER, ATTEMPT]) == {OTHER: theirs, ATTEMPT: made}
    assert ground.repo.kept("refs/foureyes/remote") == {tracked("origin", ATTEMPT): made}
    ground.refuse("protected")
    stays = remote.take_away({ATTEMPT: made})
    assert (stays.gone, "protected" in stays.stay[ATTEMPT]) == ((), True)
    assert remote.tips([ATTEMPT]) == {ATTEMPT: made}


def test_a_remote_that_refuses_is_quoted_and_has_nothing_of_it(ground: Ground) -> None:
    remote, root = ground.remote, ground.repo.commit_of("main")
    made = ground.commit("fe/work")
    ground.refuse("protected")
    with pytest.raises(RemoteProblem, match="protected") as problem:
        remote.push([RefUpdate(MAIN, made, root)])
    assert problem.value.kind == "refused"
    assert remote.tips([MAIN]) == {MAIN: root}


def test_a_remote_that_cannot_be_reached_is_a_problem_of_the_remote(ground: Ground) -> None:
    remote, made = ground.remote, ground.commit("fe/work")
    ground.lose_remote()
    for ask in (
        lambda: remote.tips([MAIN]),
        lambda: remote.fetch([MAIN]),
        lambda: remote.push([RefUpdate(BRANCH, made)]),
        lambda: remote.take_away({BRANCH: made}),
    ):
        with pytest.raises(RemoteProblem, match=r"origin cannot be asked: .") as problem:
            ask()
        assert problem.value.kind != "refused"
