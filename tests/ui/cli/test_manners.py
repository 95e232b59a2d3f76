"""How the command line behaves: where it writes, how it exits, what it takes for what."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from foureyes.errors import EnvironmentProblem
from foureyes.ui.cli.command import Session
from foureyes.ui.cli.main import cli
from foureyes.ui.steps import steps_text

from tests.stage.commands import Cast, Stage
from tests.stage.processes import Caller

ESCAPE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def every_command() -> Iterator[tuple[str, click.Command, click.Context]]:
    """All commands and groups with their contexts."""

    def walk(context: click.Context) -> Iterator[tuple[str, click.Command, click.Context]]:
        command = context.command
        yield context.command_path, command, context
        if isinstance(command, click.Group):
            for name in command.list_commands(context):
                below = command.get_command(context, name)
                assert below is not None
                yield from walk(click.Context(below, parent=context, info_name=name))

    return walk(click.Context(cli, info_name="fe", **cli.context_settings))


# Help


def test_every_command_has_help_with_an_example_that_is_a_call_of_it() -> None:
    wrong = []
    for path, command, context in every_command():
        text = command.get_help(context)
        if isinstance(command, click.Group):
            continue
        _, found, example = text.partition("Example:\n")
        called = re.search(r"\bfe (.*)", example)
        short = path.removeprefix("fe ").removeprefix("task ")
        if not (command.help and found and called and called.group(1).startswith(short)):
            wrong.append(path)
    assert wrong == []


def test_every_command_takes_json_and_every_option_is_explained() -> None:
    groups = {path for path, command, _ in every_command() if isinstance(command, click.Group)}
    leaves = [(path, command) for path, command, _ in every_command() if path not in groups]
    assert [path for path, command in leaves if not any("--json" in param.opts for param in command.params)] == []
    assert len(leaves) > 50


def test_help_of_a_real_process_is_on_stdout_and_0(cast: Cast, tmp_path: Path) -> None:
    for words in (["help", "--all"], ["approve", "--help"], ["task", "create", "--help"], ["audit", "--help"]):
        result = cast.job.fe(*words, cwd=tmp_path)
        assert (result.rc, result.err) == (0, "")
        assert result.out.startswith("Usage: fe")
    assert cast.job.fe("--version", cwd=tmp_path).out.startswith("fe")


# Commands


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("aprove", "approve"),
        ("sumbit", "submit"),
        ("lst", "list"),
        ("reviewble", "reviewable"),
        ("task crate", "create"),
    ],
)
def test_an_unknown_command_is_2_and_suggests_the_nearest(stage: Stage, typed: str, meant: str) -> None:
    result = stage.run(stage.cast.alice, *typed.split())
    assert (result.rc, result.out) == (2, "")
    assert result.err.startswith(f'fe: no command "{typed.split()[-1]}". Did you mean {meant}?')
    assert stage.no(stage.cast.alice, *typed.split(), rc=2).message.endswith(f"Did you mean {meant}?")


def test_what_is_like_nothing_gets_no_suggestion(stage: Stage) -> None:
    assert "Did you mean" not in stage.run(stage.cast.alice, "xyzzy").err


def test_fe_task_create_is_fe_create(stage: Stage) -> None:
    one = stage.run(stage.cast.alice, "task", "create", "x", "-p", "P1").out
    other = stage.run(stage.cast.alice, "create", "x", "-p", "1").out
    rows = stage.lines(stage.cast.alice, "task", "list")
    assert [row["id"] for row in rows] == [one.split()[1], other.split()[1]]
    assert {(row["title"], row["priority"]) for row in rows} == {("x", 1)}


def test_review_ID_submits_ones_own_task_in_progress_and_else_says_what_was_meant(stage: Stage) -> None:
    cast = stage.cast
    task = stage.create(cast.alice)
    assert stage.no(cast.codex, "review", task, rc=2).hints[0].count(f"fe submit {task}") == 1
    stage.done(cast.codex, "start", task)
    other = stage.no(cast.claude, "review", task, rc=2)
    assert f"fe submit {task}" in other.hints[0]
    assert f"fe show {task}" in other.hints[0]
    stage.commit("mine", {"x.txt": "x\n"})
    assert stage.done(cast.codex, "review", task, "--branch", "mine", "-m", "as td says it")["status"] == "reviewing"
    stage.no(cast.codex, "review", task, rc=2)
    assert stage.no(cast.codex, "review", "nosuch", rc=3).code == "not_found"


# Ids


def test_any_unambiguous_beginning_of_an_id_is_enough(stage: Stage) -> None:
    task = stage.create(stage.cast.alice)
    for text in (task, task[3:], task[3], task[:4], task.upper(), f" {task} "):
        assert stage.show(text)["task"]["id"] == task


# Reasons


def test_P9_the_first_reason_given_wins_in_the_order_of_its_names_and_blank_is_missing(stage: Stage) -> None:
    task = stage.create(stage.cast.alice)
    names = ["--comment", "--notes", "--note", "--message", "--reason"]
    for number in range(1, len(names) + 1):
        words = [word for name in names[:number] for word in (name, f"by {name}")]
        stage.done(stage.cast.alice, "hold", task, *words)
        assert stage.show(task)["task"]["hold"] == f"by {names[number - 1]}"
    stage.done(stage.cast.alice, "hold", task, "-m", "  ", "--message", "\t", "--notes", "by notes", "--comment", "c")
    assert stage.show(task)["task"]["hold"] == "by notes"
    stage.no(stage.cast.alice, "hold", task, "-m", " ", "--comment", "\n", rules=["T2"])


@pytest.mark.parametrize("name", ["--reason", "--comment"])
def test_P9_any_name_of_the_reason_counts_for_the_creator_exception(stage: Stage, name: str) -> None:
    work = stage.in_review(stage.cast.claude, stage.cast.codex)
    assert stage.approve(stage.cast.claude, work, name, "read it")["rule"] == "P3"
    assert stage.lines(stage.cast.alice, "security")[0]["reason"] == "read it"


def test_breaking_the_glass_without_a_word_is_no_way_to_approve_N3(stage: Stage) -> None:
    work = stage.in_review(stage.cast.claude, stage.cast.codex)
    for blank in ("", "  "):
        no = stage.no(stage.cast.alice, "approve", work.task, "--break-glass", blank, rc=2)
        assert no.hints == (f'fe approve {work.task} --break-glass "why"',)
    no = stage.no(stage.cast.alice, "approve", work.task, "--break-glass", "-m", "hurry", rc=2)
    assert no.message == "give the reason with --break-glass."
    assert no.hints == (f'fe approve {work.task} --break-glass "why"',)
    assert stage.status(work.task) == "reviewing"


# Bare fe (ux 1.1)


def bare(caller: Caller, cwd: Path) -> tuple[int, str, str]:
    result = caller.fe(cwd=cwd)
    return result.rc, result.out, result.err


def test_bare_fe_outside_a_repository(cast: Cast, tmp_path: Path) -> None:
    for who in (cast.alice, cast.job):
        rc, out, err = bare(who, tmp_path)
        assert (rc, out) == (5, "")
        assert err.splitlines() == [
            "Foureyes: nothing reaches main until someone other than its author approves it.",
            "fe: this directory is not in a git repository.",
            "  next: git init && fe init",
        ]


def test_bare_fe_in_a_repository_without_a_project(cast: Cast, bare_repo: Path) -> None:
    (bare_repo / "new.txt").write_text("x")
    for who in (cast.alice, cast.job):
        rc, out, err = bare(who, bare_repo)
        assert (rc, out) == (5, "")
        assert re.search(
            r"no Foureyes project here yet \(branch main, 1 commits?, with uncommitted changes\)", err, re.IGNORECASE
        )
        assert len(err.splitlines()) == 3
        assert err.splitlines()[0] == "Foureyes: nothing reaches main until someone other than its author approves it."
        assert err.splitlines()[-1].strip().startswith("next: fe init")
    (bare_repo / "new.txt").unlink()
    assert ", clean)" in bare(cast.job, bare_repo)[2]


def test_bare_fe_in_a_project_is_the_status_and_never_waits_for_input(stage: Stage) -> None:
    cast = stage.cast
    for who in (cast.alice, cast.job):
        rc, out, err = bare(who, stage.repo)
        assert (rc, err) == (0, "")
        assert out == stage.run(who, "status").out
        assert out.splitlines()[-1] == 'next: fe create "your first task"'
    stage.in_review(cast.claude, cast.codex)
    assert bare(cast.alice, stage.repo)[1].splitlines()[-1].startswith("next: fe list --reviewable")


def test_bare_fe_inside_an_agent_is_the_primer_wherever_it_is(stage: Stage, bare_repo: Path, tmp_path: Path) -> None:
    primer = stage.run(stage.cast.claude, "prime").out
    for place in (stage.repo, bare_repo, tmp_path):
        assert bare(stage.cast.claude, place) == (0, primer, "")


# Output


def test_no_escape_codes_without_a_terminal_whatever_the_environment_says(stage: Stage) -> None:
    work = stage.in_review(stage.cast.claude, stage.cast.codex)
    env = {"FORCE_COLOR": "1", "CLICOLOR_FORCE": "1", "TERM": "xterm-256color", "COLORTERM": "truecolor"}
    for command in (
        "status",
        "list",
        f"show {work.task} --diff",
        "reviewable",
        "show nosuch",
        "frob",
        "--help",
        "doctor",
        "config show",
    ):
        result = stage.run(stage.cast.alice, *command.split(), env=env)
        assert ESCAPE.search(result.out + result.err) is None


HIDDEN = "\x1b[31mred\x07\u202egnp.exe\u2066\x9b"


def test_control_and_bidirectional_characters_of_a_hand_made_store_are_shown_never_sent(stage: Stage) -> None:
    cast = stage.cast
    work = stage.in_review(cast.claude, cast.codex)
    stage.done(cast.claude, "log", work.task, "x")
    other = stage.create(cast.claude, "--depends-on", work.task)
    stage.edit("UPDATE tasks SET title = ?, description = ?, acceptance = ?", HIDDEN, HIDDEN, HIDDEN)
    stage.edit("UPDATE logs SET text = ?", HIDDEN)
    stage.edit("UPDATE sessions SET name = ?", HIDDEN)
    stage.edit("UPDATE tasks SET hold = ? WHERE id = ?", HIDDEN, work.task)
    for command in (
        "list",
        "list --all",
        "reviewable",
        f"show {work.task}",
        f"context {work.task}",
        f"dep tree {other}",
        "session list",
        "audit log",
        "status",
        f"start {other}",
        f"approve {work.task}",
        "audit verify",
        f"show {work.task} --diff",
        "next",
        "whoami",
    ):
        result = stage.run(cast.gemini, *command.split())
        assert ESCAPE.search(result.out + result.err) is None, command
    shown = stage.run(cast.gemini, "list").out
    assert "␛[31mred␇⟨U+202E⟩gnp.exe⟨U+2066⟩⟨U+009B⟩" in shown


def test_a_title_with_bidirectional_characters_is_allowed_and_shown_visibly(stage: Stage) -> None:
    task = stage.create(stage.cast.alice, title="open \u202egnp.exe")
    for command in (["list"], ["show", task], ["context", task], ["start", task]):
        assert "open ⟨U+202E⟩gnp.exe" in stage.run(stage.cast.alice, *command).out
    assert stage.show(task)["task"]["title"] == "open \u202egnp.exe"


def test_a_file_name_with_escapes_in_a_diff_is_shown_visibly(stage: Stage) -> None:
    task = stage.create(stage.cast.alice)
    stage.done(stage.cast.codex, "start", task)
    stage.commit("mine", {"a.txt": "\x1b[2Jgone\u202e\r\n"}, message="\x1b[31mred")
    stage.submit(stage.cast.codex, task, "mine")
    shown = stage.run(stage.cast.alice, "show", task, "--diff").out
    assert ESCAPE.search(shown) is None
    assert "␛[2Jgone⟨U+202E⟩" in shown


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_any_encoding_of_the_output_will_do(stage: Stage, encoding: str) -> None:
    task = stage.create(stage.cast.alice, title="Prüfe die Liste – bitte ✓")
    for command in (["status"], ["list"], ["show", task], ["show", "nosuch"], ["prime"], ["list", "--json"]):
        result = stage.run(stage.cast.alice, *command, env={"PYTHONIOENCODING": encoding, "LC_ALL": "C"})
        assert result.rc in (0, 3), result
        assert "internal" not in result.err


def test_a_reader_that_goes_away_and_a_full_disk_are_no_crash(stage: Stage) -> None:
    stage.create(stage.cast.alice)
    fe = f"{sys.executable} -m foureyes"
    early = stage.cast.claude.sh(f"{fe} audit export | true; {fe} list --json | head -c 1", cwd=stage.repo)
    assert (early.rc, early.err) == (0, "")
    full = stage.cast.claude.sh(f"{fe} list > /dev/full", cwd=stage.repo)
    assert full.rc == 5
    assert "Traceback" not in full.err


# Exit codes


def test_exit_codes_are_those_that_help_documents(stage: Stage, tmp_path: Path) -> None:
    cast = stage.cast
    work = stage.in_review(cast.claude, cast.codex)
    again = stage.create(cast.claude)
    stage.done(cast.codex, "start", again)
    said = [
        (0, stage.run(cast.codex, "start", again)),
        (1, stage.run(cast.codex, "approve", work.task)),
        (2, stage.run(cast.codex, "create")),
        (3, stage.run(cast.codex, "show", "nosuch")),
        (4, stage.run(cast.claude, "start", again)),
        (5, cast.codex.fe("list", cwd=tmp_path)),
    ]
    stage.edit("UPDATE tasks SET priority = 0")
    said.append((6, stage.run(cast.alice, "audit", "verify")))
    for rc, result in said:
        assert result.rc == rc
        assert bool(result.err) == (rc != 0)
        assert rc in (0, 6) or result.out == ""
    text = " ".join(cast.job.fe("help", "--all", cwd=tmp_path).out.split())
    assert (
        "0 done, 1 refused by a rule, 2 wrong usage, 3 not found, 4 someone else was faster, 5 environment, 6 "
        "verification failed" in text
    )


def test_errors_with_json_are_one_object_on_stdout_wherever_json_stands(stage: Stage) -> None:
    for words in (["--json", "show", "nosuch"], ["show", "--json", "nosuch"], ["show", "nosuch", "--json"]):
        result = stage.run(stage.cast.alice, *words)
        if words[0] != "--json":
            assert (result.rc, result.err) == (3, "")
            assert result.json["error"]["code"] == "not_found"
        else:
            assert result.rc == 2


def test_a_text_that_says_json_is_not_an_option(stage: Stage) -> None:
    result = stage.run(stage.cast.alice, "show", "--", "--json")
    assert (result.rc, result.out) == (2, "")
    assert result.err.startswith("fe: ")


# Lists


def test_lists_filter_sort_and_continue(stage: Stage) -> None:
    cast = stage.cast
    low = stage.create(cast.alice, "-p", "4", "-t", "bug", title="Fix the needle in the footer")
    high = stage.create(cast.claude, "-p", "0", "-l", "api", "-d", "a needle, too")
    mid = stage.create(cast.alice, "-p", "2", "--depends-on", high)
    stage.done(cast.codex, "start", low)

    def ids(*words: str) -> list[str]:
        return [row["id"] for row in stage.lines(cast.codex, "list", *words)]

    assert ids() == [high, mid, low]
    assert ids("--sort", "newest") == [mid, high, low]
    assert ids("--sort", "oldest") == [low, high, mid]
    assert ids("--mine") == ids("--status", "in_progress") == ids("--type", "bug") == [low]
    assert ids("--label", "api") == ids("--ready") == ids("--priority", "P0") == [high]
    assert ids("--blocked") == [mid]
    assert ids("--text", "needle") == [high, low]
    assert ids("--text", "needle footer") == [low]
    assert ids("--limit", "1") == [high]
    assert ids("--limit", "1", "--after", high) == [mid]
    assert f"--after {mid}" in stage.run(cast.codex, "list", "--limit", "2").out
    stage.done(cast.alice, "cancel", mid)
    assert ids() == [high, low]
    assert ids("--status", "done") == [mid]
    assert set(ids("--all")) == {low, high, mid}


def test_who_stood_in_a_worktree_that_went_is_told_the_way_back_K1(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, said in ((".foureyes/worktrees/fe-7k2/src", "It was the worktree of fe-7k2"), ("x", "is gone")):
        place = tmp_path / name
        place.mkdir(parents=True)
        monkeypatch.chdir(place)
        place.rmdir()
        with pytest.raises(EnvironmentProblem, match=said) as caught:
            _ = Session().cwd
        way = f"cd {tmp_path}" if name == "x" else f"the project is there: cd {tmp_path}"
        assert steps_text(caught.value.next_step) == way


# Putting a backup back


def test_a_restore_at_a_terminal_asks_first_and_says_how_it_is_undone_P12(stage: Stage, tmp_path: Path) -> None:
    alice, copy = stage.cast.alice, tmp_path / "copy.db"
    stage.done(alice, "backup", str(copy))
    later = stage.create(alice)
    missing = stage.run(alice, "restore", str(tmp_path / "none.db"), input="y\n", tty=True)
    assert ("[y/N]" in missing.out, "there is no file none.db" in missing.out, missing.rc) == (False, True, 5)
    asked = stage.run(alice, "restore", str(copy), input="n\n", tty=True)
    assert ("[y/N]" in asked.out, "nothing was restored" in asked.out) == (True, True)
    assert stage.status(later) == "open"
    said = stage.run(alice, "restore", str(copy), input="y\n", tty=True).out
    before = min((stage.repo / ".foureyes").glob("store.db.before-*"))  # what SQLite keeps beside it is named longer
    undo = ("restore", str(before.relative_to(stage.repo)))
    assert f"undo: fe store {' '.join(undo)}" in said
    stage.no(alice, "show", later, rc=3)
    assert stage.run(alice, *undo, "--yes", tty=True).rc == 0
    assert stage.status(later) == "open"
