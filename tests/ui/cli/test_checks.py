"""`fe check run|show`: what they print, what they answer as JSON, how they exit."""

from __future__ import annotations

import json
import os
import re
import shlex
import sys
from pathlib import Path

import pytest

from foureyes.ui.cli import diagnostics, output

from tests.stage.commands import Cast
from tests.stage.processes import FE, Caller
from tests.ui.cli.counter import GREEN, KNIP, LINT, RED, Counter, counter, keys

ROW = "check required outcome summary claimed reused duration_ms failing gone flaky by at output command"


@pytest.fixture
def shop(template: Path, tmp_path: Path, cast: Cast) -> Counter:
    return counter(template, tmp_path, cast)


def test_green_is_0_and_the_second_time_it_is_known(shop: Counter) -> None:
    shop.work()
    assert shop.text(shop.cast.job, "check", "run", "T1".replace("T1", shop.tasks()[0])) == (
        "T1  attempt 1, tree TREE\n"
        "  lint         passed     exit code 0   SECONDS\n"
        "  knip         passed     exit code 0   SECONDS   optional\n"
        "next: fe show T1 --diff\n"
    )
    assert shop.text(shop.cast.job, "check", "run", shop.tasks()[0]).splitlines()[1:-1] == [
        "  lint         passed     exit code 0   reused: ran on this tree",
        "  knip         passed     exit code 0   reused: ran on this tree   optional",
    ]


def test_progress_goes_to_stderr_and_results_to_stdout(shop: Counter) -> None:
    task = shop.work()
    done = shop.run(shop.cast.job, "check", "run", task)
    assert [re.sub(r"[0-9a-f]{7}", "TREE", line) for line in shop.named(done.err).splitlines()] == [
        "T1  lint on TREE …",
        "T1  lint passed: exit code 0",
        "T1  knip on TREE …",
        "T1  knip passed: exit code 0",
    ]
    assert "…" not in done.out


def test_red_is_6_and_says_what_failed(shop: Counter) -> None:
    task = shop.work(RED)
    assert (
        shop.text(shop.cast.job, "check", "run", task, rc=6).splitlines()[1]
        == "  lint         failed     exit code 1   SECONDS"
    )
    shown = shop.text(shop.cast.alice, "check", "show", task)
    assert "── lint: if grep -rn MESSY src; then exit 1; fi; echo clean\nsrc/a.py:1:MESSY" in shown


def test_a_failed_prepare_shows_its_last_lines_D5(template: Path, tmp_path: Path, cast: Cast) -> None:
    why = '[checkout]\nprepare = "seq 1 9; echo no such package; exit 3"\n'
    shop = counter(template, tmp_path, cast, why + LINT)
    told = shop.run(cast.job, "check", "run", shop.work()).err
    assert "its environment could not be prepared: checkout.prepare ended with exit code 3" in told
    assert told.splitlines()[-8:] == [*[f"  | {n}" for n in range(3, 10)], "  | no such package"]


def test_an_optional_red_is_0(shop: Counter) -> None:
    task = shop.work({"src/a.py": "UNUSED\n"})
    assert "  knip         failed     exit code 1" in shop.text(shop.cast.job, "check", "run", task)


def test_what_an_agent_runs_is_marked_as_claimed_D5(shop: Counter) -> None:
    task = shop.work()
    assert shop.text(shop.cast.codex, "check", "run", task).splitlines()[1].endswith("SECONDS   claimed")
    assert shop.text(shop.cast.alice, "check", "show", task).splitlines()[1].endswith("claimed")
    by_itself = "claimed: only an agent or an author ran it, so it does not count"
    assert f"lint exit code 0 ({by_itself})" in shop.text(shop.cast.alice, "show", task)
    queue = shop.text(shop.cast.alice, "queue").splitlines()
    assert " ?? " in queue[2]
    assert "required check lint was run only by an agent or an author (claimed)" in queue[3]
    assert queue[-2].endswith("(✓ passed ✗ failed ! broke · not run ? claimed)")


def test_what_approves_itself_and_what_does_not_is_said_M4(shop: Counter) -> None:
    good, bad = shop.work(GREEN, "review:auto"), shop.work({"conftest.py": "\n"}, "review:auto")
    assert shop.text(shop.cast.job, "check", "run", good).splitlines()[-2:] == [
        "  approved automatically, in mode auto-approve (M4)",
        "next: fe merge",
    ]
    assert shop.text(shop.cast.job, "check", "run", bad).splitlines()[-2] == (
        "  not auto-approved: it changes how checks run: conftest.py (M4)"
    )
    red = shop.work(RED, "review:auto")
    assert shop.text(shop.cast.job, "check", "run", red, rc=6).splitlines()[-2:] == [
        "  sent back with the failures",
        "next: fe show T3 --context",
    ]
    assert "sent back" not in shop.text(shop.cast.job, "check", "run", red, rc=6), "it was open already"


def test_what_a_reviewer_approved_is_not_called_approved_by_rule_M4(shop: Counter) -> None:
    task = shop.good()
    shop.done(shop.cast.alice, "approve", task)
    assert "approved by the rule" not in shop.text(shop.cast.alice, "check", "show", task)


def test_a_red_check_leads_on_to_who_mends_it_and_never_in_a_circle_D5(shop: Counter) -> None:
    task = shop.work_by_a_person(RED)
    assert shop.text(shop.cast.job, "check", "run", task, rc=6).splitlines()[-1] == "next: fe check show T1"

    def after(who: Caller) -> list[str]:
        return [line for line in shop.text(who, "check", "show", task).splitlines() if line.startswith("next: ")]

    assert after(shop.cast.alice) == ['next: fe redo T1 --issue tests -m "…"']
    assert after(shop.cast.claude) == ["next: fix it, commit, then: fe submit T1"]
    assert after(shop.cast.codex) == ['next: its reviewer runs: fe redo T1 --issue tests -m "…"']
    shop.done(shop.cast.alice, "redo", task, "--issue", "tests", "-m", "mend it")


def test_without_a_task_everything_in_review_is_checked_once(shop: Counter) -> None:
    tasks = [shop.work({f"src/{name}.py": f"{name}\n"}) for name in "ab"]
    assert [
        json.loads(line)["task"] for line in shop.run(shop.cast.job, "check", "run", "--json").out.splitlines()
    ] == tasks
    assert shop.text(shop.cast.job, "check", "run") == "every attempt in review has its checks\n"


def test_one_red_among_several_is_6_and_the_others_are_told_all_the_same(shop: Counter) -> None:
    shop.work(RED)
    shop.work({"src/b.py": "b\n"})
    text = shop.text(shop.cast.job, "check", "run", rc=6)
    assert ("T1  attempt 1" in text, "T2  attempt 1" in text) == (True, True)


def test_json_is_one_object_per_attempt_with_these_keys(shop: Counter) -> None:
    task = shop.work(RED)
    ran = shop.checked(shop.cast.job, task, rc=6)
    assert keys(ran, "task attempt tree status mode checks reasons") == set()
    assert [keys(row, ROW) for row in ran["checks"]] == [set(), set()]
    shown = shop.done(shop.cast.alice, "check", "show", task)
    assert (shown["checks"][0]["outcome"], shown["checks"][0]["output"]) == ("failed", "src/a.py:1:MESSY\n")
    assert shown["checks"][0]["by"]


def test_again_and_only(shop: Counter) -> None:
    task = shop.good()
    assert "reused: ran on this tree" not in shop.text(shop.cast.job, "check", "run", task, "--again")
    shop.work({"src/z.py": "z\n"})
    assert "  lint         not run    not run\n" in shop.text(
        shop.cast.job, "check", "run", shop.tasks()[1], "--only", "knip", rc=6
    )


@pytest.mark.parametrize(
    ("words", "rc", "said"),
    [
        (["run", "TASK", "--only", "lnt"], 2, "fe: there is no check lnt.\n  next: known checks: knip, lint\n"),
        (["run", "OPEN"], 3, "fe: nothing was submitted for T1.\n  next: fe submit T1\n"),
        (["show", "OPEN"], 3, "fe: nothing was submitted for T1.\n  next: fe show T1\n"),
        (["show", "fe-zzzz"], 3, 'fe: no task fe-zzzz.\n  next: fe list --text "…"\n'),
    ],
)
def test_what_cannot_be_run_or_shown(shop: Counter, words: list[str], rc: int, said: str) -> None:
    names = {"OPEN": shop.create(shop.cast.alice), "TASK": shop.work()}
    assert shop.text(shop.cast.job, "check", *[names.get(word, word) for word in words], rc=rc) == said


def test_without_a_configured_check_there_is_nothing_to_run(template: Path, tmp_path: Path, cast: Cast) -> None:
    shop = counter(template, tmp_path, cast, settings="")
    task = shop.work()
    assert shop.no(cast.job, "check", "run", task, rc=3).message == "no checks are configured."
    assert "no checks are configured: add [[checks]]" in shop.text(cast.alice, "check", "show", task)
    assert shop.text(cast.job, "check", "run") == "every attempt in review has its checks\n"


def test_several_failures_are_listed_and_the_rest_counted(template: Path, tmp_path: Path, cast: Cast) -> None:
    names = " ".join(f"t{n:02}" for n in range(12))
    cases = '<testcase classname="s" name="%s"><failure message="x"/></testcase>'
    run = (
        'test -e src || { echo \'<testsuite><testcase classname="s" name="t00"/></testsuite>\' > '
        "$FOUREYES_REPORT; exit; }; "
        f"{{ echo '<testsuite>'; for n in {names}; do printf '{cases}' $n; done; echo '</testsuite>'; }} > "
        "$FOUREYES_REPORT; exit 1"
    )
    shop = counter(
        template, tmp_path, cast, settings=f"\n[[checks]]\nname = 'tests'\nreport = 'junit'\nrun = '''{run}'''\n"
    )
    lines = shop.text(cast.job, "check", "run", shop.work(), rc=6).splitlines()
    assert lines[1].startswith("  tests        failed     0/12 passed")
    assert (len(lines), lines[-3]) == (15, "    - and 2 more")


def test_settings_are_the_accepted_ones_of_the_target_and_not_the_checkouts_P12(shop: Counter) -> None:
    task = shop.work()
    (shop.repo / "foureyes.toml").write_text(
        (shop.repo / "foureyes.toml").read_text().replace(LINT.strip(), "").replace(KNIP.strip(), "")
    )
    assert [row["check"] for row in shop.checked(shop.cast.job, task)["checks"]] == ["lint", "knip"]


def test_a_configuration_that_is_not_accepted_is_named_wherever_checks_are_P12_D5(shop: Counter) -> None:
    note, alice = "foureyes.toml on main has changes that were not accepted, so it is not used", shop.cast.alice
    task = shop.work_by_a_person(RED)
    config = (shop.repo / "foureyes.toml").read_text()
    shop.commit("main", {"foureyes.toml": config.replace("grep -rn MESSY src", "false")}, message="no lint")
    ran = shop.text(shop.cast.job, "check", "run", task, rc=6)
    assert f"  note: {note} (P12)\n" in ran
    assert ran.splitlines()[-1] == "next: a person runs: fe config accept, then: fe check show T1"
    nothing_to_run = shop.text(alice, "check", "run")
    assert nothing_to_run.startswith(f"every attempt in review has its checks\n  note: {note} (P12): a person runs: ")
    shown = shop.text(alice, "check", "show", task)
    assert f"  note: {note} (P12)\n" in shown
    assert 'next: a person runs: fe config accept, then: fe redo T1 --issue tests -m "…"' in shown
    assert f"{note} (P12)" in " ".join(shop.text(alice, "approve", task, rc=1).split())
    assert note in shop.text(alice, "show", task)
    shop.accept_policy(alice)
    assert note not in shop.text(shop.cast.job, "check", "run", task)
    assert note not in shop.text(alice, "check", "show", task)


def test_who_is_told_to_end_or_loses_its_terminal_leaves_nothing_behind(
    template: Path, tmp_path: Path, cast: Cast
) -> None:
    begun, place = tmp_path / "begun", tmp_path / "temporary"
    os.mkfifo(begun)
    place.mkdir()
    shop = counter(
        template, tmp_path, cast, settings=f"\n[[checks]]\nname = 'slow'\nrun = 'echo > {begun}; exec sleep 600'\n"
    )
    task = shop.work()
    run = f"{shlex.join(FE)} check run {task} >/dev/null 2>&1 & read line < {begun}"
    for name in ("TERM", "HUP"):
        done = cast.job.sh(f"{run}; kill -{name} $!; wait $!; echo $?", cwd=shop.repo, env={"TMPDIR": str(place)})
        assert (name, done.out, list(place.iterdir())) == (name, "130\n", [])


HEARS = "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_DFL); os.execv(sys.argv[1], sys.argv[1:])"
"""Begin a program that hears Ctrl-C: what a script starts by & does not."""


def test_ctrl_c_ends_a_check_and_who_was_begun_deaf_to_it_comes_to_its_end(
    template: Path, tmp_path: Path, cast: Cast
) -> None:
    begun, go, place = tmp_path / "begun", tmp_path / "go", tmp_path / "temporary"
    os.mkfifo(begun)
    os.mkfifo(go)
    place.mkdir()
    shop = counter(
        template, tmp_path, cast, settings=f"\n[[checks]]\nname = 'slow'\nrun = 'echo > {begun}; read line < {go}'\n"
    )
    run = f"check run {shop.work()} >/dev/null 2>&1 & read line < {begun}; kill -INT $!"
    heard = f"{shlex.join([sys.executable, '-c', HEARS, *FE])} {run}; wait $!; echo $?"
    done = cast.job.sh(heard, cwd=shop.repo, env={"TMPDIR": str(place)})
    assert (done.out, list(place.iterdir())) == ("130\n", [])
    deaf = f"{shlex.join(FE)} {run}; echo > {go}; wait $!; echo $?"
    assert cast.job.sh(deaf, cwd=shop.repo, env={"TMPDIR": str(place)}).out == "0\n"


def test_a_job_says_that_a_crashed_check_is_not_green_when_it_is_tried_again_and_how_at_once_D5(
    template: Path, tmp_path: Path, cast: Cast
) -> None:
    shop = counter(template, tmp_path, cast, settings=LINT.replace("exit 1", "exit 127"))
    task = shop.work(RED)
    assert "crashed" in shop.text(shop.cast.job, "check", "run", rc=6)
    said = shop.text(shop.cast.job, "check", "run", rc=6)
    assert said.startswith("T1  lint ended once as crashed. It runs again at ")
    assert said.endswith("To run it now: fe check run T1\n")
    assert json.loads(shop.run(shop.cast.job, "check", "run", "--json").out)["later"][0]["task"] == task
    assert "crashed" in shop.text(shop.cast.job, "check", "run", "--again", rc=6)


def test_what_ran_on_the_target_is_shown_with_what_it_printed_D5(shop: Counter) -> None:
    assert shop.text(shop.cast.claude, "check", "show", "--target").endswith("next: fe check run --target\n")
    shop.text(shop.cast.job, "check", "run", "--target")
    said = shop.text(shop.cast.claude, "check", "show", "--target")
    assert "lint on target" in said
    assert "clean" in said
    (first, *_) = shop.lines(shop.cast.claude, "check", "show", "--target")
    assert shop.done(shop.cast.claude, "check", "show", "--run", str(first["n"])) == first
    assert shop.run(shop.cast.claude, "check", "show").rc == 2


def test_a_crash_that_printed_nothing_says_so_D5(template: Path, tmp_path: Path, cast: Cast) -> None:
    shop = counter(template, tmp_path, cast, '\n[[checks]]\nname = "lint"\nrun = "exit 127"\n')
    task = shop.work()
    shop.text(cast.job, "check", "run", task, rc=6)
    assert "── lint: exit 127\n   (no output)" in shop.text(cast.alice, "check", "show", task)


def test_what_a_check_prints_on_a_terminal_takes_the_place_of_the_line_before(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    for text in ("F", "F.F", "\x1b[2Jx"):
        diagnostics.pass_by(text)
    diagnostics.talk("passed")
    diagnostics.talk("next")
    err = capsys.readouterr().err
    assert err.replace(diagnostics.CLEARED, "|").startswith("|F|F.F|")
    assert err.endswith(f"x{diagnostics.CLEARED}passed\nnext\n")
    assert "\x1b[2J" not in err
    monkeypatch.setenv("TERM", "dumb")
    diagnostics.pass_by("F")
    assert capsys.readouterr().err == ""


def test_nothing_is_written_behind_a_line_that_passes_by(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    diagnostics.pass_by("trying lint: not found")
    output.write("Foureyes project created.")
    output.write("  target main")
    said = capsys.readouterr()
    assert said.err.endswith(f"not found{diagnostics.CLEARED}"), "cleared once"
    assert said.out == "Foureyes project created.\n  target main\n"


def test_submit_and_status_put_checks_before_an_approval_that_would_be_refused(shop: Counter) -> None:
    task = shop.create(shop.cast.alice)
    shop.done(shop.cast.claude, "start", task)
    shop.commit(f"fe/{task}", GREEN)
    said = shop.text(shop.cast.claude, "submit", task, "--branch", f"fe/{task}").splitlines()
    assert said[1:] == [
        "  checks    lint: not run yet. A person or CI runs: fe check run T1",
        "  review    batch: after that, someone other than the author must approve it",
        "next: fe next",
    ]
    assert (
        "  checks    1 submission waits for checks (a person or a service: fe check run)"
        in shop.text(shop.cast.alice, "status").splitlines()
    )
    shop.checked(shop.cast.job, task)
    assert "wait" not in shop.text(shop.cast.claude, "status").replace("waiting", "")


def test_submit_names_what_else_comes_before_an_approval(shop: Counter) -> None:
    task = shop.good()
    shop.done(shop.cast.alice, "hold", task, "-m", "a freeze")
    shop.commit(f"fe/{task}", {"src/b.py": "b = 1\n"})
    said = shop.text(shop.cast.claude, "submit", task, "--branch", f"fe/{task}")
    assert "  first     T1 is held: a freeze (D3): a person runs: fe resume T1" in said
    assert "fe approve" not in said


def test_a_person_who_submits_for_an_agent_is_led_to_the_checks(shop: Counter) -> None:
    task = shop.create(shop.cast.alice)
    shop.done(shop.cast.claude, "start", task)
    shop.commit(f"fe/{task}", GREEN)
    said = shop.text(shop.cast.alice, "submit", task, "--branch", f"fe/{task}")
    assert said.splitlines()[-1] == "next: fe check run T1"
