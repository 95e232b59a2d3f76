"""What a first team found misleading, played again by real processes: how a machine
joins, reads what was made elsewhere, and what is said of passwords, people, rewritten journals and servers (P12, J3).
"""

from __future__ import annotations

import pytest

from tests.scenarios.attack_moves import SECRET, typing
from tests.scenarios.test_field_of_teams import approved, submitted_task, words
from tests.stage.commands import git, new_repository
from tests.stage.copies import copy_tree
from tests.stage.kept_team import KeptTeam
from tests.stage.machines import Machine, has_hosts
from tests.stage.on_server import as_role, roles

pytestmark = pytest.mark.scenario

NAMED = "GRANT CREATE ON DATABASE"
PASSWORD = "postgresql://u:s3cr3t@h/x"


def test_a_fresh_clone_is_led_to_join_and_begins_no_second_project_P12(team: KeptTeam) -> None:
    fresh, url = team.clone("fresh"), team.server.url
    for command in ((), ("list",), ("init",)):
        assert "fe store join" in words(fresh, *command, rc=5), command
    assert not (fresh.folder / "store.db").exists()
    told = fresh.cast.alice.fe("list", cwd=fresh.repo, env={"FOUREYES_STORE": url})
    assert "a person joins it: fe store join" in told.err
    joined = words(fresh, "store", "join", url).splitlines()
    assert joined[0] == f"joined alpha ({team.project})."
    assert [line.split()[0] for line in joined[1:4]] == ["store", "role", "target"]
    assert not any("created" in line or "checks" in line for line in joined)
    task = team.alpha.create(team.alpha.cast.alice)
    assert task in words(fresh, "list"), "and the next call needs no variable"
    assert team.server.schemas(team.project) == [team.schema]


def test_a_clone_from_before_the_push_of_foureyes_toml_is_told_to_pull_and_joins_nothing_P12(
    team: KeptTeam,
) -> None:
    tip = git(team.remote, "rev-parse", "main")
    git(team.remote, "update-ref", "refs/heads/main", git(team.remote, "rev-list", "--max-parents=0", "main"))
    early = team.clone("early")
    told = words(early, "store", "join", team.server.url, rc=1)
    assert "foureyes.toml is not on main in this clone" in told
    assert "git push, then here git pull, then fe store join URL" in told
    git(team.remote, "update-ref", "refs/heads/main", tip)
    early.git("fetch", "-q")
    begun = early.cast.alice.fe("init", cwd=early.repo, env={"FOUREYES_STORE": team.server.url})
    assert (begun.rc != 0, "git pull" in begun.err) == (True, True), begun
    assert team.server.schemas(team.project) == [team.schema]
    early.git("pull", "-q")
    assert words(early, "store", "join", team.server.url).startswith("joined alpha")


def test_what_was_made_on_the_other_machine_is_read_and_approved_by_two_commands_and_no_git_D4(
    team: KeptTeam,
) -> None:
    alpha, beta = team.alpha, team.beta
    work = submitted_task(alpha, alpha.cast.claude)
    before = beta.git("for-each-ref", "refs/heads", "refs/remotes")
    beta.checked(beta.cast.job, work.task)
    shown = words(beta, "show", work.task, "--diff")
    assert f"+work on {work.task}" in shown
    assert "git fetch" not in shown
    assert f"approved {work.task}" in words(beta, "approve", work.task, "-m", "read it")
    assert beta.git("for-each-ref", "refs/heads", "refs/remotes") == before, "nobody's branch was moved"
    assert beta.merge() == {work.task: "merged"}


def test_a_password_in_an_address_is_refused_and_stands_in_no_answer_and_no_journal_P12(team: KeptTeam) -> None:
    alpha, beta = team.alpha, team.beta
    settings = alpha.repo / "foureyes.toml"
    settings.write_text(f'{settings.read_text()}\n[store]\nurl = "{PASSWORD}"\n')
    alpha.git("commit", "-qam", "where the store is")
    team.push()
    answers = [words(machine, "config", "accept", rc=2) for machine in (alpha, beta)]
    assert all("store.url: it contains a password" in each and "~/.pgpass" in each for each in answers)
    answers += [words(alpha, *command.split()) for command in ("config show", "status", "doctor", "audit export")]
    answers.append(words(team.clone("fresh"), "list", rc=5))
    answers.append(words(team.clone("more"), "store", "join", PASSWORD, rc=2))
    assert "that address contains a password, which would be stored in .foureyes/store.json" in answers[-1]
    assert not [each for each in answers if "s3cr3t" in each]


def test_a_journal_rewritten_as_a_whole_is_told_on_both_machines_also_where_main_is_behind_J3_P12(
    team: KeptTeam,
) -> None:
    """By who owns the schema: the rows before the merge, and others after them; all of it whole in itself."""
    alpha, beta = team.alpha, team.beta
    work = approved(alpha, alpha.cast.claude, beta)
    assert alpha.merge() == {work.task: "merged"}
    assert "anyone with its password can rewrite the journal" in words(beta, "doctor")
    team.put_back_rows()
    for number in range(12):
        beta.create(beta.cast.codex, title=f"made up {number}")
    for machine in (alpha, beta):
        for rc, command in ((6, "audit verify"), (6, "doctor"), (0, "status")):
            told = words(machine, *command.split(), rc=rc)
            assert "the last merge on main names a row" in told, (machine.repo.name, command, told)
        machine.no(machine.cast.alice, "merge", rules=["P12"])
    assert beta.tip() != alpha.tip(), "nobody pulled"
    words(beta, "store", "adopt", "-m", "we looked, and go on with it")
    for machine in (alpha, beta):
        assert machine.merge() == {}


def test_one_human_at_two_machines_is_two_people_until_they_sign_and_joining_says_so_I1_I9(team: KeptTeam) -> None:
    alpha, beta = team.alpha, team.beta
    assert "on another machine you count as another person (I1)" in team.joined.out
    work = made_by_a_person(team)
    approval = beta.run(beta.cast.alice, "approve", work, "-m", "read it")
    assert (approval.rc == 0) == has_hosts(), approval
    homes = {machine: machine.cast.alice.home / "keyed" for machine in (alpha, beta)}
    key = alpha.done(typing(alpha.cast.alice, SECRET, SECRET, home=homes[alpha]), "key", "new", "--human")
    assert key["registered"] is True
    copy_tree(homes[alpha], homes[beta])
    signed = made_by_a_person(team, "--label", "security")
    for machine, home in homes.items():
        who = typing(machine.cast.alice, SECRET, home=home)
        told = machine.no(who, "approve", signed, "-m", "read it", rules=["P6"])
        assert "made the change itself" in told.text, machine.repo.name


def made_by_a_person(team: KeptTeam, *options: str) -> str:
    """What alice submitted on alpha herself."""
    alpha = team.alpha
    task = alpha.create(alpha.cast.codex, *options)
    alpha.done(alpha.cast.alice, "start", task)
    alpha.commit(f"fe/{task}", {f"{task}.txt": f"work on {task}\n"})
    alpha.submit(alpha.cast.alice, task)
    alpha.checked(alpha.cast.job, task)
    return task


def test_what_keeps_somebody_from_a_server_is_named_by_how_far_they_came_and_git_is_looked_at(
    team: KeptTeam,
) -> None:
    alpha, nowhere = team.alpha, "postgresql://nobody@127.0.0.1:1/x"
    other = Machine(new_repository(team.folder / "other"), alpha.cast, team.remote)
    words(other, "init")
    with roles(team.server, "nobody") as (name,):
        told = words(other, "store", "copy", as_role(team.server, name), rc=5)
        assert f'{NAMED} "postgres" TO "{name}"' in told
        told = words(other, "store", "copy", nowhere, rc=5)
    assert "check that the server runs" in told
    assert "[store] url" not in told
    doctor = alpha.cast.alice.fe("doctor", cwd=alpha.repo, env={"FOUREYES_STORE": nowhere})
    assert (doctor.rc, "git answers" in doctor.out, "target main at" in doctor.out) == (5, True, True), doctor
