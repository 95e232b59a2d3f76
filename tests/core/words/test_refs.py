"""Names of refs: a task's own branch, kept attempts, what a remote had."""

from __future__ import annotations

from foureyes.core.words.refs import attempt_ref, own_branch, own_name, tracked


def test_a_task_has_a_branch_of_its_own_and_its_attempts_are_kept_beside_all_branches() -> None:
    assert own_branch("fe-7k2") == "refs/heads/fe/fe-7k2"
    assert own_name("fe-7k2") == "fe/fe-7k2"
    assert attempt_ref("fe-7k2", 3) == "refs/foureyes/attempts/fe-7k2/3"


def test_what_a_remote_had_is_kept_below_its_name() -> None:
    assert tracked("origin", "refs/heads/main") == "refs/foureyes/remote/origin/heads/main"
