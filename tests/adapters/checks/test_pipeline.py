"""Checks by real processes: what they can see, what comes back, and that nothing is left of them."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

import pytest

from foureyes.adapters.checks import checkout
from foureyes.adapters.checks.checkout import environment, remove
from foureyes.adapters.checks.pipeline import Pipeline
from foureyes.core.nouns.check import Ran, judge
from foureyes.core.nouns.check_config import CheckRule, ReportFormat

from tests.adapters.checks.trees import Tree

PATH = os.environ.get("PATH", os.defpath)
ONE_TEST = '<testsuite tests="1"><testcase classname="a" name="ok"/></testsuite>'
CLEAN_SCAN = '{"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "lint"}}, "results": []}]}'
SCRIPT = b"exit 0\n"
SOON = 0.01
"""Seconds of a minute, where a check is to be late."""


@pytest.fixture
def scratch(tmp_path: Path) -> Iterator[Path]:
    """Where checks run; empty again after every test."""
    place = tmp_path / "scratch"
    place.mkdir()
    yield place
    assert list(place.iterdir()) == []


Runner = Callable[..., Ran]


@pytest.fixture
def run(scratch: Path) -> Runner:
    """Run a command as a check on one file."""

    def one(
        command: str,
        report: ReportFormat = "none",
        *,
        minute: float = 60.0,
        env: dict[str, str] | None = None,
        asks: tuple[str, ...] = (),
        progress: Callable[[str], None] | None = None,
        files: Callable[[str], None] | None = None,
    ) -> Ran:
        rule = CheckRule(name="c", run=command, report=report, timeout_minutes=1, env=asks)
        environ = {"PATH": PATH, "TMPDIR": str(scratch), **(env or {})}
        return Pipeline(environ, minute=minute).run(rule, files or one_file, progress)

    return one


def one_file(path: str) -> None:
    """An export."""
    assert os.listdir(path) == []
    Path(path, "app.py").write_text("pass\n")


@contextmanager
def held(path: Path) -> Iterator[Callable[[], None]]:
    """A FIFO that processes hold open for writing; what is yielded returns when the last of them has ended."""
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)

    def until_free() -> None:
        os.set_blocking(reader, True)
        assert os.read(reader, 1) == b""

    try:
        yield until_free
    finally:
        os.close(reader)


# What a check is


def test_exit_code_output_in_order_and_duration_come_back(run: Runner) -> None:
    ran = run("echo one; echo two >&2; echo three; exit 3")
    assert (ran.exit_code, ran.output, ran.timed_out, ran.problem) == (3, "one\ntwo\nthree\n", False, "")
    assert ran.duration_ms >= 0


def test_D5_it_stands_in_a_throwaway_checkout_of_its_own(run: Runner, scratch: Path) -> None:
    ran = run('pwd; ls -A; stat -c %a .. ../work; touch new && rm app.py; echo "$HOME" "$TMPDIR"; ls -A "$TMPDIR"')
    work, listed, above, mode, places = ran.output.splitlines()
    assert Path(work).parent.parent == scratch
    assert (listed, above, mode) == ("app.py", "700", "700")
    assert places == f"{Path(work).parent}/home {Path(work).parent}/tmp"


def test_D5_no_two_runs_have_the_same_place(run: Runner) -> None:
    assert run("pwd").output != run("pwd").output


def test_D5_its_environment_is_a_list_of_what_is_allowed(run: Runner) -> None:
    secrets = {
        "HOME": "/home/ann", "USER": "ann", "FOUREYES_TOKEN": "t", "FOUREYES_STORE": "postgresql://s",
        "GITHUB_TOKEN": "t", "GIT_DIR": "/x", "SSH_AUTH_SOCK": "/s", "AWS_SECRET_ACCESS_KEY": "k", "PYTHONPATH": "/p",
        "LD_PRELOAD": "/l.so", "CLAUDECODE": "1", "TERM": "xterm",
    }  # fmt: skip
    ran = run(
        "env",
        "junit",
        env={**secrets, "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", "TZ": "UTC", "JAVA_HOME": "/j"},
        asks=("JAVA_HOME",),
    )
    found = dict(line.split("=", 1) for line in ran.output.splitlines() if "=" in line)
    assert sorted(found.keys() - {"PWD", "_", "SHLVL", "OLDPWD"}) == [
        "CI", "FOUREYES_REPORT", "FOUREYES_RUN", "HOME", "JAVA_HOME", "LANG", "LC_ALL", "PATH", "TERM", "TMPDIR", "TZ",
        "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR", "XDG_STATE_HOME",
    ]  # fmt: skip
    assert (found["FOUREYES_RUN"], found["TERM"], found["CI"], found["JAVA_HOME"]) == ("check", "dumb", "1", "/j")
    assert found["HOME"] != "/home/ann"


def test_D5_what_a_rule_asks_for_is_never_a_token_an_agent_socket_or_one_of_ours() -> None:
    asks = ("FOUREYES_TOKEN", "FOUREYES_RUN", "GIT_DIR", "SSH_AUTH_SOCK", "HOME", "PATH", "TMPDIR", "MISSING", "WANTED")
    found = environment(
        {name: "theirs" for name in asks if name != "MISSING"}, CheckRule(name="c", run="x", env=asks), "/place"
    )
    assert [name for name in asks if found.get(name) == "theirs"] == ["WANTED"]
    assert "MISSING" not in found
    assert "FOUREYES_REPORT" not in found, "no report is declared"


@pytest.mark.parametrize(
    ("path", "clean"),
    [
        ("/usr/bin:/bin", "/usr/bin:/bin"), (".:/bin:bin:", "/bin"), ("/a b:./x:/c", "/a b:/c"), ("", os.defpath),
        (":.:x", os.defpath),
    ],
)  # fmt: skip
def test_D5_no_directory_of_the_checkout_is_on_the_path(path: str, clean: str) -> None:
    assert environment({"PATH": path}, CheckRule(name="c", run="x"), "/place")["PATH"] == clean


def test_there_is_no_input_no_terminal_and_a_session_of_its_own(run: Runner) -> None:
    ran = run(
        "cat; readlink /proc/self/fd/0; (: < /dev/tty) 2>/dev/null || echo no terminal; cut -d' ' -f6 "
        "/proc/$$/stat; echo $$"
    )
    nothing, terminal, session, shell = ran.output.splitlines()
    assert (nothing, terminal, session) == ("/dev/null", "no terminal", shell)


def test_the_program_is_on_record_with_its_digest(run: Runner) -> None:
    def script(path: str) -> None:
        Path(path, "run.sh").write_bytes(SCRIPT)

    assert run("./run.sh", files=script).program == f"./run.sh sha256:{sha256(SCRIPT).hexdigest()[:12]}"
    assert run("A=1 true").program.startswith(
        next(p for e in PATH.split(":") if os.path.exists(p := f"{e}/true")) + " sha256:"
    )
    assert run("no-such-program").program == ""
    assert run("/proc/kcore").program == "", "nor is anything read that has no end"


# Reports


@pytest.mark.parametrize(("report", "text"), [("junit", ONE_TEST), ("sarif", CLEAN_SCAN)])
def test_D5_the_report_that_is_declared_is_read(run: Runner, report: ReportFormat, text: str) -> None:
    ran = run(f"printf %s '{text}' > $FOUREYES_REPORT", report)
    assert ran.problem == ""
    assert (ran.tests is not None, ran.findings is not None) == (report == "junit", report == "sarif")
    assert judge(CheckRule(name="c", run="x", report=report), ran).outcome == "passed"


def test_D5_paths_in_a_scan_are_those_of_the_repository(run: Runner) -> None:
    place = (
        '{"physicalLocation": {"artifactLocation": {"uri": "file://\'"$PWD"\'/app.py"}, "region": {"startLine": 1}}}'
    )
    scan = CLEAN_SCAN.replace(
        '"results": []', f'"results": [{{"message": {{"text": "no"}}, "level": "error", "locations": [{place}]}}]'
    )
    ran = run(f"printf %s '{scan}' > $FOUREYES_REPORT; exit 1", "sarif")
    assert [(one.path, one.line) for one in ran.findings or ()] == [("app.py", 1)]


@pytest.mark.parametrize(
    ("command", "problem"),
    [
        ("true", "no report was written"),
        ("ln -s /etc/passwd $FOUREYES_REPORT", "not a plain file"),
        (f"echo '{ONE_TEST}' > ../tmp/x; ln -s ../tmp/x $FOUREYES_REPORT", "not a plain file"),
        ("mkdir $FOUREYES_REPORT", "a directory without a report"),
        ("mkfifo $FOUREYES_REPORT", "not a plain file"),
        (f"mv ../report ../gone; mkdir ../report; echo '{ONE_TEST}' > $FOUREYES_REPORT", "no report was written"),
        ("truncate -s 50000001 $FOUREYES_REPORT", "larger than 50 MB"),
        ("truncate -s 1T $FOUREYES_REPORT", "larger than 50 MB"),
        ("echo passed > $FOUREYES_REPORT", "not valid XML"),
        ("rm -r ../report", "no report was written"),
    ],
)
def test_G1_a_report_that_is_none_is_a_problem_and_never_a_pass(run: Runner, command: str, problem: str) -> None:
    ran = run(command, "junit")
    assert ran.exit_code == 0
    assert problem in ran.problem
    assert (ran.tests, judge(CheckRule(name="c", run="x", report="junit"), ran).outcome) == (None, "crashed")


# How it ends


def test_G1_a_late_check_is_ended_and_says_so(run: Runner) -> None:
    ran = run("echo begun; tail -f /dev/null", "junit", minute=SOON)
    assert (ran.exit_code, ran.timed_out, ran.tests) == (None, True, None)
    assert judge(CheckRule(name="c", run="x"), ran).outcome == "timed_out"


@pytest.mark.parametrize(
    ("command", "code"), [("kill -9 $$", -9), ("exit 127", 127), ("no-such-program", 127), ("if", 2)]
)
def test_how_the_shell_ended_is_what_comes_back(run: Runner, command: str, code: int) -> None:
    assert run(command).exit_code == code


DAEMON = """
import os, sys
told, tell = os.pipe()
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.chdir("/")
        held = os.open(sys.argv[1], os.O_WRONLY)
        os.set_inheritable(held, True)
        os.write(tell, b"!")
        os.closerange(0, 3)
        os.execve("/usr/bin/tail", ["tidy", "-f", "/dev/null"], {})
    os._exit(0)
os.wait()
os.read(told, 1)
"""


@pytest.mark.parametrize(("then", "minute"), [("exit 0", 60.0), ("tail -f /dev/null", 2.0), ("kill -9 $$", 60.0)])
def test_D5_a_daemon_of_the_check_with_a_session_and_an_environment_of_its_own_ends_with_it(
    run: Runner, tmp_path: Path, then: str, minute: float
) -> None:
    (tmp_path / "daemon.py").write_text(DAEMON)
    with held(tmp_path / "alive") as until_free:
        ran = run(f"{sys.executable} {tmp_path}/daemon.py {tmp_path}/alive; echo begun; {then}", minute=minute)
        assert (ran.output, ran.timed_out) == ("begun\n", minute < 60)
        until_free()


def test_a_child_in_the_background_that_keeps_the_output_open_does_not_hold_us_up(run: Runner) -> None:
    ran = run("tail -f /dev/null & echo done")
    assert (ran.exit_code, ran.output) == (0, "done\n")


def test_G1_a_check_that_kills_the_process_above_it_has_not_passed(run: Runner, tmp_path: Path) -> None:
    with held(tmp_path / "alive") as until_free:
        ran = run(f"exec 3>{tmp_path}/alive; kill -9 $PPID; tail -f /dev/null")
        assert (ran.exit_code, ran.timed_out) == (None, False)
        assert "killed the process that supervises it" in ran.problem
        until_free()


def test_a_check_cannot_talk_or_stop_the_process_above_it_out_of_its_work(run: Runner, tmp_path: Path) -> None:
    with held(tmp_path / "alive") as until_free:
        asked = "for s in TERM INT HUP QUIT USR1 TSTP; do kill -$s $PPID; done; kill -STOP $PPID"
        ran = run(f"exec 3>{tmp_path}/alive; {asked}; echo begun; tail -f /dev/null", minute=1)
        assert (ran.output, ran.timed_out) == ("begun\n", True)
        until_free()


@pytest.mark.parametrize("problem", [KeyboardInterrupt, RuntimeError])
def test_an_interruption_ends_everything(run: Runner, tmp_path: Path, problem: type[BaseException]) -> None:
    def interrupted(_: str) -> None:
        raise problem

    with held(tmp_path / "alive") as until_free:
        with pytest.raises(problem):
            run(
                f"exec 3>{tmp_path}/alive; (setsid tail -f /dev/null) & echo begun; tail -f /dev/null",
                progress=interrupted,
            )
        until_free()


@pytest.fixture
def _at_a_terminal() -> Iterator[None]:
    """Ctrl-C is heard, however the suite was started: a background job of a shell ignores SIGINT."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("_at_a_terminal")
def test_ctrl_c_while_a_check_is_silent_ends_everything(run: Runner, tmp_path: Path) -> None:
    with held(tmp_path / "alive") as until_free:
        go = threading.Event()
        main = threading.get_ident()

        def type_it() -> None:
            assert go.wait(60)
            signal.pthread_kill(main, signal.SIGINT)

        waiter = threading.Thread(target=type_it)
        waiter.start()
        with pytest.raises(KeyboardInterrupt):
            run(f"exec 3>{tmp_path}/alive; echo begun; tail -f /dev/null", progress=lambda _: go.set())
        waiter.join()
        until_free()


def test_what_cannot_be_exported_is_the_callers_problem_and_leaves_nothing(run: Runner) -> None:
    def broken(path: str) -> None:
        Path(path, "half").mkdir()
        raise ValueError("no such tree")

    with pytest.raises(ValueError, match="no such tree"):
        run("true", files=broken)


def test_G1_what_cannot_be_started_is_a_problem(run: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    ran = Pipeline({"TMPDIR": "/no/such/place"}).run(CheckRule(name="c", run="true"), one_file)
    assert ran.exit_code is None
    assert "/no/such/place" in ran.problem
    assert "null byte" in run("echo \0").problem
    monkeypatch.setattr(checkout, "SHELL", "/no/such/shell")
    ran = run("true")
    assert (ran.exit_code, ran.problem) == (None, "could not be started: /no/such/shell: No such file or directory")
    assert judge(CheckRule(name="c", run="x"), ran).outcome == "crashed"


# What is left


@pytest.mark.parametrize(
    "command",
    [
        "mkdir -p a/b; touch a/b/c; chmod 000 a/b a",
        "mkdir ../home/go; touch ../home/go/x; chmod 555 ../home/go; chmod 000 ../home ..",
        "ln -s / root; ln -s /nowhere ../tmp/link; mkfifo pipe",
        "rm -rf ../home ../report; mv ../work ../elsewhere",
        f"{sys.executable} -c \"import os\nfor _ in range(3000): os.mkdir('d'); os.chdir('d')\"",
    ],
)
def test_whatever_a_check_makes_is_removed(run: Runner, command: str) -> None:
    ran = run(command)
    assert (ran.exit_code, ran.output) == (0, "")  # and the fixture looks whether the place is empty


def test_what_a_link_points_to_is_left_alone(run: Runner, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir(mode=0o500)
    run(f"mkdir -p a; ln -s {tmp_path}/mine a/link; chmod 000 a")
    assert (tmp_path / "mine").stat().st_mode & 0o777 == 0o500


@pytest.mark.skipif(os.getuid() != 0, reason="only root can be another user")
def test_directories_without_rights_are_removed_by_a_user_whom_they_stop(tmp_path: Path) -> None:
    """Root is never stopped; so this is done by somebody else."""
    place = tmp_path / "theirs"
    place.mkdir()
    os.chown(place, 65534, 65534)
    for above in (tmp_path, *list(tmp_path.parents)[:3]):
        above.chmod(above.stat().st_mode | 0o711)
    (place / "a" / "b").mkdir(parents=True)
    (place / "a" / "b" / "c").touch()
    for path in (place / "a" / "b" / "c", place / "a" / "b", place / "a"):
        os.chown(path, 65534, 65534)
        path.chmod(0)
    if (child := os.fork()) == 0:
        try:
            os.setuid(65534)
            remove(str(place / "a"))
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    assert list(place.iterdir()) == []


# Output


def test_an_output_without_end_is_drained_and_its_beginning_and_end_are_kept(run: Runner) -> None:
    ran = run("echo first; head -c 100000000 /dev/zero | tr '\\0' x; echo; echo last")
    assert ran.exit_code == 0
    assert ran.output.startswith("first\nxxx")
    assert ran.output.endswith("xxx\nlast\n")
    assert "\n[… 99,934,476 bytes left out of the middle …]\n" in ran.output
    assert len(ran.output) < 70_000


def test_an_output_for_ever_is_late_like_any_other(run: Runner) -> None:
    ran = run("yes", minute=0.2)
    assert ran.timed_out
    assert "bytes left out" in ran.output


def test_output_has_no_control_characters(run: Runner) -> None:
    assert run(r"printf 'a\033[31mb\033[2Jc\r\nc\td\377\000\n'").output == "ab␛[2Jc\nc\td�␀\n", "colours are dropped"


def test_progress_hears_the_last_line(run: Runner) -> None:
    heard: list[str] = []
    run("printf 'one\\n\\033two \\n\\n'", progress=heard.append)
    assert heard == ["␛two"]


def test_checks_can_run_side_by_side_and_end_only_their_own(run: Runner, tmp_path: Path) -> None:
    """The first one has a daemon of its own and goes on only when the second has come and gone."""
    os.mkfifo(tmp_path / "go")
    found: list[Ran] = []
    first = (
        "(setsid sh -c 'echo $$ > daemon; exec tail -f /dev/null') & read go < GO; kill -0 $(cat daemon) && echo alive"
    )
    begun = threading.Event()
    other = threading.Thread(
        target=lambda: found.append(
            run(f"echo x; {first.replace('GO', str(tmp_path / 'go'))}", progress=lambda _: begun.set())
        )
    )
    other.start()
    assert begun.wait(60)
    run("true")
    (tmp_path / "go").write_text("go\n")
    other.join()
    assert found[0].output == "x\nalive\n"


def test_D5_without_a_checkout_of_the_project_too_a_run_that_rewrites_its_tree_is_no_pass(scratch: Path) -> None:
    tree, runner = Tree({"src/app.py": "right\n"}), Pipeline({"PATH": os.defpath, "TMPDIR": str(scratch)})
    rule = CheckRule(name="tests", run="echo wrong > src/app.py")
    for last in (False, True):
        ran = runner.run(rule, tree.export, tree=tree, last=last)
        assert (judge(rule, ran).outcome, ran.rewritten.checked) == ("unsound", ("src/app.py",))
    runner.close()
