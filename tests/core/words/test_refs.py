"""Names of refs: a task's own branch, kept attempts, what a remote had."""

from __future__ import annotations

from foureyes.core.words.refs import FENCE, attempt_ref, displaced, left_ref, own_branch, own_name, tracked


def test_a_task_has_a_branch_of_its_own_and_its_attempts_are_kept_beside_all_branches() -> None:
    assert own_branch("fe-7k2") == "refs/heads/fe/fe-7k2"
    assert own_name("fe-7k2") == "fe/fe-7k2"
    assert attempt_ref("fe-7k2", 3) == "refs/foureyes/attempts/fe-7k2/3"


def test_what_a_remote_had_is_kept_below_its_name() -> None:
    assert tracked("origin", "refs/heads/main") == "refs/foureyes/remote/origin/heads/main"


def test_a_ref_in_the_way_of_one_of_ours_is_known_by_its_name() -> None:
    for lost in (FENCE, attempt_ref("fe-7k2", 3), left_ref("fe-7k2", 3), own_branch("fe-7k2")):
        assert displaced(lost) == ""
        assert displaced(f"{lost}/x") == displaced(f"{lost}/x/y") == lost
    assert displaced("refs/foureyes/attempts/fe-7k2") == attempt_ref("fe-7k2", 1)
    assert displaced("refs/heads/main") == displaced("refs/foureyes/checkpoints/_/1/x") == ""
