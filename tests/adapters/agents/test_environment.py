"""What an agent finds in its environment: what is on the list, and nothing else (I2)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from foureyes.adapters.agents.arguments import (
    clean_path,
    environment,
    login_profile,
    path_with_fe,
    persons_environment,
    wanted,
)
from foureyes.core.nouns.session import RUN_DIR, RUN_MARK

MINE = {
    "PATH": "/bin:.::/usr/bin", "HOME": "/home/me", "LANG": "C", "LC_ALL": "C",
    "HTTPS_PROXY": "http://p", "SHELL": "/bin/sh",
    "FOUREYES_STORE": "postgresql://secret", "FOUREYES_TOKEN": "t", "SSH_AUTH_SOCK": "/s", "GIT_DIR": "/g",
    "AWS_SECRET_ACCESS_KEY": "a", "LD_PRELOAD": "/x.so", "NODE_OPTIONS": "--require /x",
    "MY_KEY": "k", "CLAUDECODE": "1",
}  # fmt: skip


def test_only_what_is_on_the_list_gets_through(tmp_path: Path) -> None:
    env = environment(MINE, run="run-1", directory="/runs/run-1", home="/homes/h")
    assert {name for name in env if env[name] == MINE.get(name)} == {"LANG", "LC_ALL", "HTTPS_PROXY", "SHELL"}
    assert (env["HOME"], env["TMPDIR"], env["XDG_CONFIG_HOME"]) == ("/homes/h", "/runs/run-1/tmp", "/homes/h/.config")
    assert (env["FOUREYES_RUN"], env["FOUREYES_RUN_DIR"]) == ("agent:run-1", "/runs/run-1")
    assert not {name for name in env if "TOKEN" in name or "STORE" in name or "SECRET" in name}


def test_a_profile_asks_for_variables_by_name_or_sets_them_and_never_ours() -> None:
    asked = ("MY_KEY", "MISSING", "SET=x=y", "FOUREYES_TOKEN", "FOUREYES_RUN=none", "SSH_AUTH_SOCK", "LD_PRELOAD")
    assert wanted(MINE, asked) == {"MY_KEY": "k", "SET": "x=y"}
    env = environment(MINE, run="r", directory="/d", home="/h", asked=("HOME", "PATH=/evil", "TMPDIR=/x"))
    assert (env["HOME"], env["TMPDIR"]) == ("/h", "/d/tmp")
    assert "/evil" not in env["PATH"]


def test_git_does_not_find_the_project_from_the_temporary_directory() -> None:
    assert environment(MINE, run="r", directory="/d", home="/h")["GIT_CEILING_DIRECTORIES"] == "/d"


def test_git_of_a_run_starts_no_monitor_and_hooks_only_for_who_commits_I5(tmp_path: Path) -> None:
    def asked(setting: str, *, writes: bool) -> str:
        env = environment({"PATH": os.environ["PATH"]}, run="r", directory="/d", home=str(tmp_path), writes=writes)
        done = subprocess.run(
            ["git", "config", setting], cwd=tmp_path, env=env, capture_output=True, text=True, check=False
        )
        return done.stdout.strip()

    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    for setting in ("core.fsmonitor", "core.hooksPath"):
        subprocess.run(["git", "config", setting, "/planted"], cwd=tmp_path, check=True)
    assert [asked("core.fsmonitor", writes=writes) for writes in (True, False)] == ["false", "false"]
    assert [asked("core.hooksPath", writes=writes) for writes in (True, False)] == ["/planted", "/dev/null"]


def test_a_relative_directory_is_not_on_the_path() -> None:
    assert clean_path("/bin:.::bin:/usr/bin") == "/bin:/usr/bin"
    assert clean_path("") == os.defpath


def test_fe_is_on_the_path_in_any_case(tmp_path: Path) -> None:
    review_folder = os.path.dirname(sys.executable)
    assert path_with_fe("/nowhere") in ("/nowhere", f"/nowhere:{review_folder}")
    (tmp_path / "fe").touch(0o755)
    assert path_with_fe(str(tmp_path)) == str(tmp_path)


def test_a_login_shell_has_the_path_of_the_run(tmp_path: Path) -> None:
    (tmp_path / ".profile").write_text(login_profile("/bin:/usr/bin:/some where/else"))
    env = {"HOME": str(tmp_path), "PATH": "/bin:/usr/bin"}
    told = subprocess.run(["/bin/sh", "-lc", "echo $PATH"], env=env, capture_output=True, text=True, check=True).stdout
    assert told.strip().startswith("/bin:/usr/bin:/some where/else")


def test_a_person_who_goes_on_with_a_conversation_is_no_run_and_has_a_terminal() -> None:
    mine = {"TERM": "xterm", "HOME": "/me", "PATH": "/bin", "FOUREYES_TOKEN": "t", "KEY": "k", "SSH_AUTH_SOCK": "s"}
    found = persons_environment(mine, home="/homes/a", asked=("KEY",), own={"CODEX_HOME": "/me/.codex"})
    assert (found["TERM"], found["HOME"], found["KEY"], found["CODEX_HOME"]) == ("xterm", "/homes/a", "k", "/me/.codex")
    assert not {RUN_MARK, RUN_DIR, "FOUREYES_TOKEN", "SSH_AUTH_SOCK", "PAGER", "GIT_EDITOR"} & set(found)
