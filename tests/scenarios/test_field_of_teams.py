"""What a first team met, played again by real processes: a clone on each of two machines,
one bare remote, one store on a server, own homes and host names (Q6, D4, P12, J2).
"""

from __future__ import annotations

import json
import shlex
import threading
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import engines
from tests.stage import scratch
from tests.stage.commands import SubmissionTime, git, new_repository
from tests.stage.kept_team import KeptTeam, kept_team
from tests.stage.machines import Machine, has_hosts
from tests.stage.on_server import as_role, roles
from tests.stage.processes import Caller
from tests.stage.theatre import wait_for

pytestmark = pytest.mark.scenario


def submitted_task(machine: Machine, who: Caller, name: str = "") -> SubmissionTime:
    """Somebody's work, on a branch of their clone."""
    task = machine.create(machine.cast.alice)
    machine.done(who, "start", task)
    machine.commit(f"fe/{task}", {name or f"{task}.txt": f"work on {task}\n"})
    return machine.submit(who, task)


def approved(made: Machine, who: Caller, other: Machine, name: str = "") -> SubmissionTime:
    """Made in one clone; checked, read and approved by the person at the other, who types nothing of git."""
    work, person = submitted_task(made, who, name), other.cast.alice
    other.checked(person, work.task)
    shown = other.run(person, "show", work.task, "--diff")
    assert (shown.rc, f"work on {work.task}" in shown.out) == (0, True), shown
    other.done(person, "approve", work.task, "-m", "read it")
    return work


def words(machine: Machine, *args: str, rc: int = 0) -> str:
    """What the person at a machine reads."""
    told = machine.run(machine.cast.alice, *args)
    assert told.rc == rc, told
    return told.out + told.err


def test_a_merge_voids_nothing_of_which_only_the_other_clone_has_the_branch_D4_Q6(team: KeptTeam) -> None:
    alpha, beta = team.alpha, team.beta
    first = approved(alpha, alpha.cast.claude, beta)
    with team.remote_away():
        second = submitted_task(beta, beta.cast.codex)
        beta.checked(beta.cast.job, second.task)
        beta.done(beta.cast.alice, "approve", second.task, "-m", "read it")
    told = words(alpha, "merge")
    assert f"merged   {first.task}" in told
    assert f"waits    {second.task}  attempt 1 of {second.task} is not in this clone" in told
    assert not has_hosts() or "(it was submitted on beta) and cannot be fetched: origin does not have it" in told
    assert (alpha.status(second.task), "ApprovalVoided" in team.kinds()) == ("approved", False)
    assert f"merged   {second.task}" in words(beta, "merge")
    assert "nothing to merge" in words(alpha, "merge")
    team.check_one_main([first.task, second.task])


def test_a_clone_that_did_not_pull_merges_on_the_others_main_and_never_makes_it_red_Q6_Q3(team: KeptTeam) -> None:
    """Each is green alone."""
    alpha, beta = team.alpha, team.beta
    left = approved(alpha, alpha.cast.claude, beta, "left.txt")
    assert alpha.merge() == {left.task: "merged"}
    before = beta.tip()
    right, other = (approved(beta, beta.cast.codex, alpha, name) for name in ("right.txt", ""))
    assert beta.tip() == before != alpha.tip(), "nobody pulled"
    assert beta.merge() == {right.task: "checks", other.task: "merged"}
    assert (alpha.status(right.task), alpha.status(other.task)) == ("open", "closed")
    assert git(team.remote, "ls-tree", "--name-only", "main", "left.txt", "right.txt") == "left.txt"
    beta.git("reset", "-q", "--hard", before)
    assert "this checkout: brought up to date" in words(beta, "merge")
    team.check_one_main([left.task, other.task])


def test_a_main_that_lost_a_merge_is_told_by_every_command_on_both_machines_Q6(team: KeptTeam) -> None:
    alpha, beta = team.alpha, team.beta
    before = alpha.tip()
    work = approved(alpha, alpha.cast.claude, beta)
    assert alpha.merge() == {work.task: "merged"}
    tip = alpha.tip()
    git(team.remote, "update-ref", "refs/heads/main", before)
    for machine in (alpha, beta):
        for rc, command in ((1, "merge"), (6, "doctor"), (6, "audit verify"), (0, "status")):
            assert f"lacks the last recorded merge ({tip[:7]}" in words(machine, *command.split(), rc=rc), command
    assert alpha.status(work.task) == "closed"
    told = alpha.no(alpha.cast.alice, "merge", rules=["Q6"])
    push = shlex.split(next(hint for hint in told.hints if "git push" in hint).split(";")[0])
    alpha.git(*push[push.index("git") + 1 :])
    team.check_one_main([work.task])


@pytest.mark.parametrize("harm", ["the schema is gone", "the journal is damaged"])
def test_a_backup_goes_back_to_the_server_in_one_command_from_either_machine_J2_P8(team: KeptTeam, harm: str) -> None:
    alpha, beta = team.alpha, team.beta
    work = submitted_task(alpha, alpha.cast.claude)
    backup = team.folder / "backup.db"
    assert f"fe store restore {backup}" in words(alpha, "backup", str(backup))
    if harm == "the schema is gone":
        team.server.run(f"ALTER SCHEMA {team.schema} RENAME TO aside_{team.project}")
        for machine in (alpha, beta):
            assert "its owner restores a backup: fe store restore FILE" in words(machine, "status", rc=5)
    else:
        team.server.run(f"UPDATE {team.schema}.journal SET payload = '{{}}' WHERE seq = 5")
        assert "row 5 (StorePlaced) was changed" in words(beta, "audit", "verify", rc=6)
    assert beta.run(beta.cast.codex, "restore", str(backup)).rc == 1, "by a person only"
    assert f"restored {backup}: " in words(beta, "restore", str(backup))
    for machine in (alpha, beta):
        words(machine, "audit", "verify")
        assert machine.status(work.task) == "reviewing"
        assert "restore" in words(machine, "security")
    alpha.create(alpha.cast.alice)


def test_an_exception_on_one_machine_is_no_alarm_on_another_nor_for_who_only_reads_P8_J2(team: KeptTeam) -> None:
    alpha, beta = team.alpha, team.beta
    task = alpha.create(alpha.cast.codex)
    work = alpha.submit_work(alpha.cast.claude, task)
    alpha.checked(alpha.cast.job, task)
    alpha.done(alpha.cast.codex, "approve", task, "--seen", work.seen, "-m", "I know what I asked for")
    mirrors = [machine.folder / "security_events.jsonl" for machine in (alpha, beta)]
    assert [mirror.exists() for mirror in mirrors] == [True, False]
    with roles(team.server, "reader") as (reader,):
        team.server.run(words(alpha, "store", "roles", "--reader", reader))
        auditor = team.clone("auditor")
        assert f"{reader}, a reader of schema" in words(auditor, "store", "join", as_role(team.server, reader))
        for machine in (beta, auditor):
            assert "mirror not here" in words(machine, "audit", "verify")
            assert "0 failures" in words(machine, "doctor")
            assert "creator_approval" in words(machine, "security")
        assert "permission denied" in words(auditor, "create", "x", rc=5)
    beta.create(beta.cast.alice)
    assert json.loads(mirrors[1].read_text().splitlines()[-1])["task"] == task, "who writes has all of it"
    assert beta.verify()


def test_a_colleague_with_a_role_of_their_own_is_told_what_lacks_and_let_in_by_what_is_printed(
    team: KeptTeam,
) -> None:
    alpha, colleague = team.alpha, team.clone("colleague")
    with roles(team.server, "writer") as (writer,):
        team.server.run(f"GRANT CREATE ON DATABASE postgres TO {writer}")
        url = as_role(team.server, writer)
        told = words(colleague, "store", "join", url, rc=5)
        assert f"role {writer} may not use its schema {team.schema}" in told
        assert f"fe store roles --writer {writer}" in told
        assert "store copy" not in told
        team.server.run(words(alpha, "store", "roles", "--writer", writer))
        assert f"{writer}, a writer of schema" in words(colleague, "store", "join", url)
        work = approved(colleague, colleague.cast.codex, alpha)
        assert f"merged   {work.task}" in words(colleague, "merge")
        assert not list(colleague.folder.glob("store.db*"))
        assert "{role.owner or 'someone else'}, the owner of the store: fe store restore " in words(
            colleague, "backup", str(team.folder / "copy.db")
        )
        team.server.run(f"REVOKE USAGE ON SCHEMA {team.schema} FROM {writer}")
        assert f"role {writer} may not use its schema" in words(colleague, "status", rc=5)
    team.check_one_main([work.task])


@pytest.mark.parametrize("encoding", ["LATIN1", "SQL_ASCII"])
def test_a_database_that_is_not_in_utf_8_gets_no_store_and_no_text_is_an_internal_error(
    team: KeptTeam, encoding: str
) -> None:
    alpha, name = team.alpha, f"{encoding.lower()}_{team.project}"
    team.server.run(f"CREATE DATABASE {name} ENCODING '{encoding}' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0")
    url = team.server.url.replace("/postgres?", f"/{name}?")
    try:
        other = Machine(new_repository(team.folder / "other"), alpha.cast, team.remote)
        words(other, "init")
        told = words(other, "store", "copy", url, rc=5)
        assert f"database {name} is in {encoding}, and a store needs UTF-8" in told
        assert (other.folder / "store.db").exists()
        begun = alpha.cast.alice.fe("init", cwd=new_repository(team.folder / "more"), env={"FOUREYES_STORE": url})
        assert (begun.rc, f"is in {encoding}" in begun.err) == (5, True), begun
    finally:
        team.server.run(f"DROP DATABASE {name}")
    words(alpha, "create", "日本 → ok")
    assert "日本 → ok" in words(team.beta, "list")


SLOW = """
[[checks]]
name = "slow"
run = "test ! -e second.txt || {{ touch {0}/begun; until test -e {0}/go; do sleep 0.1; done; }}"
"""
"""Green once somebody lets it go."""


@pytest.fixture
def stoppable(tmp_path: Path) -> Iterator[KeptTeam]:
    """A team whose server is its own: it is stopped."""
    server = engines.Server(scratch.Run.folder / f"fe-pg-{uuid.uuid4().hex[:8]}")
    with kept_team(tmp_path, server, SLOW.format(tmp_path)) as team:
        yield team
    server.leave()


def test_a_server_that_stops_in_the_middle_of_a_queue_leaves_true_words_and_the_rest_waits_Q4(
    stoppable: KeptTeam, tmp_path: Path
) -> None:
    team, begun, go = stoppable, tmp_path / "begun", tmp_path / "go"
    alpha, beta = team.alpha, team.beta
    go.touch()
    first = approved(alpha, alpha.cast.claude, beta)
    second = approved(alpha, alpha.cast.codex, beta, "second.txt")
    go.unlink()
    begun.unlink()
    told: list[str] = []
    merging = threading.Thread(target=lambda: told.append(words(beta, "merge", rc=5)))
    merging.start()
    wait_for(begun.exists)
    team.server.stop()
    go.touch()
    merging.join()
    assert f"merged   {first.task}" in told[0]
    assert "Nothing was changed" not in told[0]
    assert beta.tip() == git(team.remote, "rev-parse", "main")
    assert beta.git("status", "--porcelain") == "", "the checkout has followed"
    for machine in (alpha, beta):
        doctor = words(machine, "doctor", rc=5)
        assert all(each in doctor for each in ("git answers", "target main at", "cannot be reached")), doctor
    team.server.start()
    assert alpha.merge()[second.task] == "merged"
    team.check_one_main([first.task, second.task])
