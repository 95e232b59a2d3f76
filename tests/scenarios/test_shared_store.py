"""A store that several machines share, by real processes: moved there and back, joined from another clone, and every
refusal.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests import engines
from tests.scenarios.attack_moves import Through
from tests.stage.commands import Stage, git
from tests.stage.namespaces import need


@pytest.fixture
def shop(stage: Stage, server: engines.Server) -> Stage:
    """A fresh project; what it leaves on the server is dropped."""
    engines.Run.projects.append(project_of(stage))
    return stage


def project_of(stage: Stage) -> str:
    line = next(line for line in (stage.repo / "foureyes.toml").read_text().splitlines() if line.startswith("id"))
    return line.partition("=")[2].strip().strip('"')


def created(stage: Stage, title: str) -> str:
    done = stage.cast.claude.fe("create", title, "--json", cwd=stage.repo)
    assert done.rc == 0, done
    return str(done.json["task"])


def is_sound(stage: Stage, **env: str) -> int:
    """Audited by a process of its own; how many rows."""
    done = stage.cast.alice.fe("audit", "verify", "--json", cwd=stage.repo, env=env)
    assert done.rc == 0, done
    return len(stage.cast.alice.fe("audit", "export", cwd=stage.repo, env=env).out.splitlines())


def test_an_agent_does_not_move_a_store_P12(shop: Stage, server: engines.Server) -> None:
    for who in (shop.cast.claude, shop.cast.job):
        done = who.fe("store", "copy", server.url, cwd=shop.repo)
        assert done.rc == 1, done
    assert server.schemas(project_of(shop)) == []
    assert (shop.repo / ".foureyes" / "store.db").exists()


def test_a_second_clone_joins_and_both_see_each_others_work(
    shop: Stage, server: engines.Server, tmp_path: Path
) -> None:
    task = created(shop, "shared work")
    assert "roles need PostgreSQL" in shop.cast.alice.fe("store", "roles", cwd=shop.repo).err
    assert shop.cast.alice.fe("store", "copy", server.url, cwd=shop.repo).rc == 0
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", str(shop.repo), str(clone))
    assert "fe store join" in shop.cast.alice.fe("list", cwd=clone, env={"FOUREYES_STORE": server.url}).err
    assert shop.cast.codex.fe("store", "join", server.url, cwd=clone).rc == 1
    joined = shop.cast.alice.fe("store", "join", server.url, cwd=clone)
    assert (joined.rc, joined.out.splitlines()[0]) == (0, f"joined shop ({project_of(shop)})."), joined
    assert shop.cast.codex.fe("start", task, "--here", cwd=clone).rc == 0
    lost = shop.cast.claude.fe("start", task, "--json", cwd=shop.repo)
    assert lost.rc == 4, lost
    assert "lost_claim" in lost.out + lost.err
    assert is_sound(shop) == is_sound(Stage(clone, shop.cast))
    assert "GRANT USAGE ON SCHEMA" in shop.cast.alice.fe("store", "roles", cwd=clone).out
    down = {"FOUREYES_STORE": "postgresql://nobody@127.0.0.1:1/x"}
    seen = shop.cast.alice.fe("doctor", cwd=clone, env=down)
    assert (seen.rc, "git answers" in seen.out) == (5, True), seen
    (fails,) = [line for line in seen.out.splitlines() if line.startswith("FAIL")]
    assert "next: " in fails, seen
    assert "4 checked, 0 warnings, 1 failure\nthe other checks need the store and were skipped\n" in seen.out, seen
    assert (seen.out + seen.err).count("cannot be reached") == 1, "said once"
    read = shop.cast.alice.fe("doctor", "--json", cwd=clone, env=down)
    found = [json.loads(line) for line in read.out.splitlines()]
    assert (read.rc, [(line["check"], line["result"]) for line in found][-1]) == (5, ("store", "fail")), read


def test_a_tampered_store_is_not_moved_and_stays_where_it_is_J2(shop: Stage, server: engines.Server) -> None:
    task = created(shop, "honest")
    shop.edit("UPDATE tasks SET title = 'forged'")
    done = shop.cast.alice.fe("store", "copy", server.url, cwd=shop.repo)
    assert done.rc == 6, done
    assert task in shop.cast.alice.fe("list", cwd=shop.repo).out
    assert (shop.repo / ".foureyes" / "store.db").exists()


@pytest.mark.parametrize(
    ("address", "code"),
    [
        ("mysql://h/x", 2),
        ("store.db", 2),
        ("postgresql://nobody@127.0.0.1:1/x", 5),
        ("postgresql:///x?host=/nowhere", 5),
    ],
)
def test_a_wrong_address_is_a_clear_error_and_changes_nothing(shop: Stage, address: str, code: int) -> None:
    done = shop.cast.alice.fe("store", "copy", address, cwd=shop.repo)
    assert (done.rc, "Traceback" in done.err, done.out) == (code, False, ""), done
    assert "next:" in done.err
    assert is_sound(shop) > 0


def test_a_server_that_is_not_there_or_has_no_such_store_is_exit_5_for_every_command(
    shop: Stage, server: engines.Server
) -> None:
    for url in ("postgresql://nobody@127.0.0.1:1/x", server.url):
        for words in (("status",), ("create", "x"), ("list",)):
            done = shop.cast.claude.fe(*words, cwd=shop.repo, env={"FOUREYES_STORE": url})
            assert done.rc == 5, (url, words, done)
            assert "Traceback" not in done.err
    assert server.schemas(project_of(shop)) == []
    assert shop.cast.claude.fe("status", cwd=shop.repo).rc == 0


def test_a_password_is_never_printed(shop: Stage) -> None:
    for url in (
        "postgresql://u:s3cr3t@127.0.0.1:1/x",
        "postgresql://u:s3cr3t/x@127.0.0.1:1/x",
        "postgresql://u:p@s3cr3t@127.0.0.1:1/x",
    ):
        for words in (("status",), ("store", "copy", url), ("doctor",)):
            env = {} if words[0] == "store" else {"FOUREYES_STORE": url}
            done = shop.cast.alice.fe(*words, "--json", cwd=shop.repo, env=env)
            assert done.rc in (2, 5), done
            assert "s3cr3t" not in done.out + done.err + done.screen


def forked(server: engines.Server, project: str) -> None:
    """Put a copy of a store into its place, as a dump that was read in again would be."""
    own, real = f"foureyes_{project}", f"foureyes_{project}_real"
    names = [row[0] for row in server.run("SELECT tablename FROM pg_tables WHERE schemaname = %s ORDER BY 1", own)]
    server.run(f"ALTER SCHEMA {own} RENAME TO {real}")
    server.run(f"CREATE SCHEMA {own}")
    for name in names:
        server.run(f"CREATE TABLE {own}.{name} (LIKE {real}.{name} INCLUDING ALL)")
        server.run(f"INSERT INTO {own}.{name} SELECT * FROM {real}.{name}")


def test_a_copy_of_the_store_is_told_from_it_and_takes_no_decision_until_a_person_adopts_it_P12(
    shop: Stage, server: engines.Server
) -> None:
    """The work is approved in the copy; in the store it was sent back meanwhile."""
    alice, claude = shop.cast.alice, shop.cast.claude
    work = shop.in_review(alice, shop.cast.codex)
    assert alice.fe("store", "copy", server.url, cwd=shop.repo).rc == 0
    shop.approve(alice, work)
    forked(server, project_of(shop))
    tip = shop.git("rev-parse", "main")
    merged = shop.run(alice, "merge", "--json")
    assert (merged.rc, "P12" in merged.out) == (1, True), merged
    for words in (("create", "x"), ("log", work.task, "x"), ("redo", work.task, "-m", "x")):
        refused = shop.run(alice, *words)
        assert (refused.rc, "store adopt" in refused.err) == (1, True), refused
    assert "the journal says that the store is" in shop.run(alice, "status").out
    assert shop.run(alice, "audit", "verify").rc == 6
    assert "the journal says that the store is" in shop.run(alice, "doctor").out
    assert shop.git("rev-parse", "main") == tip
    assert shop.run(claude, "store", "adopt", "-m", "mine").rc == 1
    assert shop.run(alice, "store", "adopt", "-m", "the database was dumped to a new server").rc == 0
    assert is_sound(shop) > 0
    created(shop, "work goes on")


def test_a_moved_directory_is_nobodys_concern_P12(stage: Stage, tmp_path: Path) -> None:
    moved = Stage(stage.repo.rename(tmp_path / "moved"), stage.cast)
    created(moved, "in the new place")
    assert is_sound(moved) > 0
    assert "the journal says" not in moved.run(moved.cast.alice, "status").out


def test_where_the_projects_folder_is_read_only_a_store_on_a_server_is_read_and_written(
    shop: Stage, server: engines.Server
) -> None:
    need("unshare", "-m", "true")
    task = created(shop, "from a sandbox")
    assert shop.cast.alice.fe("store", "copy", server.url, cwd=shop.repo).rc == 0
    read_only = 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$@"'
    sandboxed = Through(shop.cast.codex, "unshare", "-m", "sh", "-c", read_only, str(shop.repo))
    for command in ("list", f"show {task}", "status", "reviewable", "doctor"):
        assert shop.run(sandboxed, *command.split()).rc == 0, command
    assert shop.done(sandboxed, "log", task, "seen from a sandbox")["task"] == task
