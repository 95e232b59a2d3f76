"""A run from its reaper to its last process: streams, log, time limits, and nothing left behind (S2)."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from foureyes.adapters import reaper
from foureyes.adapters.agents.live_run import LiveProgram, RunLimits
from foureyes.adapters.identity.alive import of
from foureyes.errors import AgentUnavailable

from tests.adapters.agents.bench import TOKEN, Bench, fifo, finish, is_held, wait_until
from tests.stage.night import plays

FOREVER = "tail -f /dev/null"


def test_nothing_is_started_before_it_is_let_go_I2(bench: Bench) -> None:
    live = bench.prepare(bench.shell("touch started"))
    assert select.select([live], [], [], 0)[0] == []
    assert live.poll() is None
    assert live.process == of(int(live.process.split(":")[-2])) != ""
    assert not (bench.work / "started").exists()
    live.go()
    assert finish(live).rc == 0
    assert (bench.work / "started").exists()


def test_a_run_that_is_stopped_before_it_is_let_go_never_starts(bench: Bench) -> None:
    live = bench.prepare(bench.shell("touch started"))
    live.stop("held")
    outcome = finish(live)
    assert (outcome.stopped, outcome.rc, outcome.succeeded) == (True, None, False)
    assert not (bench.work / "started").exists()


def test_a_run_is_over_when_what_it_asked_its_runner_for_is_done_too(bench: Bench) -> None:
    doors = Doors()
    bench.agents._doors = doors
    live = bench.prepare(bench.shell("true"))
    live.go()
    while live.fileno() >= 0:
        select.select([live], [], [], 1.0)
        assert live.poll() is None
    assert doors.said == [("open", live.run), ("shut", live.run)]
    assert 0 < live.due_seconds() < 1, "it is asked again soon, and not at once"
    doors.is_quiet = True
    assert finish(live).rc == 0
    assert not Path(bench.agents.places.run(live.run)).exists()


def test_a_program_that_cannot_be_started_leaves_no_door(bench: Bench) -> None:
    doors = Doors()
    bench.agents._doors = doors
    with pytest.raises(AgentUnavailable):
        bench.prepare(bench.shell("true"), worktree="/nowhere")
    assert doors.said[-1][0] == "shut"


class Doors:
    """Doors that only say what they are told; somebody is still being served."""

    is_quiet = False

    def __init__(self) -> None:
        self.said: list[tuple[str, str]] = []

    def open(self, run: str, directory: str, token: str, worktree: str) -> None:
        self.said.append(("open", run))

    def shut(self, run: str) -> bool:
        self.said += [("shut", run)] if ("shut", run) not in self.said else []
        return self.is_quiet


def test_the_prompt_is_its_input_however_long_it_is(bench: Bench) -> None:
    prompt = "päß\n" * 100_000
    assert bench.run(bench.shell("cat > got"), prompt=prompt).rc == 0
    assert (bench.work / "got").read_text() == prompt


def test_both_streams_are_drained_and_stay_apart(bench: Bench) -> None:
    code = "head -c 300000 /dev/zero | tr '\\0' x >&2; echo out; head -c 300000 /dev/zero | tr '\\0' y; echo"
    outcome = bench.run(bench.shell(code))
    assert outcome.rc == 0
    assert outcome.final.startswith("out\ny")
    assert "x" not in outcome.final


def test_the_log_goes_on_over_several_runs_each_with_a_header(bench: Bench) -> None:
    bench.run(bench.shell("echo first; echo trouble >&2; printf half"))
    bench.run(bench.shell("echo second"))
    lines = bench.log.splitlines()
    assert [line.split()[0] for line in lines if line.startswith("====")] == ["===="] * 4
    told = [line for line in lines if not line.startswith("====")]
    assert (sorted(told[:3]), told[3:]) == (["first", "half", "trouble"], ["second"])
    assert oct((bench.folder / "logs" / "fe-1.log").stat().st_mode & 0o777) == "0o600"


def test_the_log_can_be_read_while_it_grows(bench: Bench) -> None:
    live = bench.prepare(bench.shell(f"echo begun; touch there; {FOREVER}"))
    live.go()
    wait_until(live, bench.work / "there")
    while "begun\n" not in bench.log:
        live.poll()
    assert live.last_event() == "begun"
    live.stop("enough")
    finish(live)


def test_the_token_is_in_a_file_of_its_own_and_nowhere_else_I2(bench: Bench) -> None:
    code = (
        'cat "$FOUREYES_RUN_DIR/token"; stat -c %a "$FOUREYES_RUN_DIR" "$FOUREYES_RUN_DIR/token"; env > env; '
        "tr '\\0' ' ' < /proc/$$/cmdline > words; tr '\\0' ' ' < /proc/$PPID/cmdline >> words"
    )
    outcome = bench.run(bench.shell(code))
    assert outcome.final.split() == ["[token]700", "600"]
    assert TOKEN not in bench.log
    assert TOKEN not in (bench.work / "env").read_text() + (bench.work / "words").read_text()
    assert list((bench.folder / "runs").iterdir()) == [], "the run's directory goes with it"


def test_a_late_run_is_ended_with_everything_it_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    impatient = tmp_path / "reaper.py"
    impatient.write_text(Path(reaper.__file__).read_text().replace(f"PATIENCE = {reaper.PATIENCE}", "PATIENCE = 0.1"))
    assert "PATIENCE = 0.1" in impatient.read_text(), "a program that was asked to end has this long"
    monkeypatch.setattr(reaper, "__file__", str(impatient))
    bench = Bench(tmp_path, minute=0.3)
    alive = fifo(tmp_path)
    code = f"exec 3>{alive}; trap '' TERM; (setsid sh -c 'setsid {FOREVER} & exit') & echo '{{'; {FOREVER}"
    outcome = bench.run(bench.shell(code, deadline_minutes=1, idle_minutes=100))
    assert (outcome.timed_out, outcome.error, outcome.left) == ("deadline", "timeout", 0)
    assert "0 seconds" in outcome.error_text
    assert not is_held(alive)


def test_a_silent_run_is_ended(tmp_path: Path) -> None:
    bench = Bench(tmp_path, minute=0.3)
    silent = bench.run(bench.shell(f"echo begun; {FOREVER}", deadline_minutes=600, idle_minutes=1))
    assert (silent.timed_out, silent.error) == ("idle", "timeout")


def test_a_run_that_talks_is_not_ended_however_long_it_takes(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = SteppedClock()
    monkeypatch.setattr("foureyes.adapters.agents.live_run.time", clock)
    os.mkfifo(bench.work / "talk")
    live = bench.prepare(bench.shell("cat talk", deadline_minutes=60, idle_minutes=1))
    live.go()
    with (bench.work / "talk").open("w") as talk:
        for n in range(5):
            print(f"line {n}", file=talk, flush=True)
            while live.last_event() != f"line {n}":
                select.select([live], [], [], 1.0)
                assert live.poll() is None
            clock.seconds += 40
            assert (live.poll(), live.due_seconds()) == (None, 20)
    assert (finish(live).timed_out, clock.seconds) == ("", 200)


class SteppedClock:
    """A clock that stands still until a test moves it: how long a process waits for a processor does not count."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def monotonic(self) -> float:
        return self.seconds

    time = monotonic


def test_one_that_is_asked_to_end_has_time_for_its_last_words(bench: Bench) -> None:
    code = "trap 'echo bye; touch bye; exit 0' TERM; touch there; while :; do sleep 0.05; done"
    live = bench.prepare(bench.shell(code))
    live.go()
    wait_until(live, bench.work / "there")
    live.stop("a hold")
    outcome = finish(live)
    assert (outcome.stopped, outcome.error_text, outcome.final) == (True, "a hold", "bye")
    assert (bench.work / "bye").exists()


DAEMON = """
import os, sys
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        words = ["sh", "-c", "exec 3>%s; touch there; exec tail -f /dev/null"]
        os.execve("/bin/sh", words, {"PATH": os.environ["PATH"]})
    os._exit(0)
os.wait()
while not os.path.exists("there"): pass
"""


def test_what_forked_twice_with_an_empty_environment_ends_with_the_run(bench: Bench, tmp_path: Path) -> None:
    alive = fifo(tmp_path)
    outcome = bench.run(bench.python(DAEMON % alive))
    assert (outcome.rc, outcome.left) == (0, 0)
    assert not is_held(alive)


def test_an_agent_that_ends_its_reaper_does_not_get_away(bench: Bench, tmp_path: Path) -> None:
    """The children of a killed reaper are nobody's: they are found by the run mark."""
    alive = fifo(tmp_path)
    code = f"exec 3>{alive}; (setsid sh -c '{FOREVER}' &) ; kill -9 $PPID; {FOREVER}"
    outcome = bench.run(bench.shell(code))
    assert outcome.rc is None
    assert (outcome.error, outcome.left) == ("crash", 0)
    assert not is_held(alive)


def test_a_reaper_that_was_stopped_is_stood_in_for(bench: Bench, tmp_path: Path) -> None:
    alive = fifo(tmp_path)
    live = bench.prepare(bench.shell(f"exec 3>{alive}; touch there; {FOREVER}"))
    live.go()
    wait_until(live, bench.work / "there")
    pid = int(live.process.split(":")[-2])
    os.kill(pid, signal.SIGSTOP)
    live.stop("now")
    assert finish(live).stopped
    assert not is_held(alive)


def test_when_the_runner_is_killed_the_reaper_ends_its_program_by_itself(bench: Bench, tmp_path: Path) -> None:
    alive = fifo(tmp_path)
    code = f"""
import os, signal, sys
from pathlib import Path
sys.path[:0] = {sys.path!r}
from tests.adapters.agents.bench import Bench, wait_until
Path({str(tmp_path / "other")!r}).mkdir()
bench = Bench(Path({str(tmp_path / "other")!r}))
live = bench.prepare(bench.shell("exec 3>{alive}; (setsid {FOREVER} &); touch there; {FOREVER}"))
live.go()
wait_until(live, bench.work / "there")
print(live.process, live.run, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == -9, done.stderr
    process, run = done.stdout.split()
    assert bench.agents.end_left([process], [run]) == [run]  # type: ignore[list-item]
    assert of(int(process.split(":")[-2])) != process
    assert not is_held(alive)


def test_what_a_dead_runner_left_is_found_and_ended_by_its_mark(bench: Bench, tmp_path: Path) -> None:
    alive = fifo(tmp_path)
    env = {"PATH": os.environ["PATH"], "FOUREYES_RUN": "agent:run-left"}
    left = subprocess.Popen(["sh", "-c", f"exec 3>{alive}; echo; exec {FOREVER}"], env=env, stdout=subprocess.PIPE)
    assert left.stdout is not None
    left.stdout.readline()
    assert bench.agents.end_left(["proc:nonsense"], ["run-left", "run-other"]) == ["run-left", "run-other"]  # type: ignore[list-item]
    assert left.wait() == -9
    left.stdout.close()
    assert not is_held(alive)


def test_one_that_writes_for_ever_is_ended_and_needs_little_memory(bench: Bench) -> None:
    live = bench.prepare(bench.shell('yes \'{"type":"noise"}\''))
    live._limits = RunLimits(60, 60, 5 << 20)
    live.go()
    outcome = finish(live)
    assert outcome.error == "crash"
    assert "5 MB" in outcome.error_text
    assert (bench.folder / "logs" / "fe-1.log").stat().st_size < 10 << 20


def test_one_poll_does_not_hold_up_the_others_however_much_is_written(bench: Bench) -> None:
    live = bench.prepare(bench.shell("yes"))
    live.go()
    select.select([live], [], [], 30)
    assert live.poll() is None
    assert live._written <= 3 << 20
    live.stop("enough")
    finish(live)


def test_many_waiting_runs_wake_nobody(bench: Bench) -> None:
    profile = bench.shell(f"echo begun; {FOREVER}")
    lives: list[LiveProgram] = [bench.prepare(profile, task=f"fe-{n}") for n in range(plays("runs that wait at once"))]
    for live in lives:
        live.go()
    while not all(live.last_event() and live._child.words.after("pid") for live in lives):
        for live in select.select(lives, [], [], 30)[0]:
            assert live.poll() is None
    assert select.select(lives, [], [], 0.2)[0] == [], "what waits is not readable"
    for live in lives:
        live.stop("enough")
    assert {finish(live).stopped for live in lives} == {True}


def test_a_program_that_writes_text_says_events_in_it_and_none_that_it_repeats_of_its_prompt_S3(bench: Bench) -> None:
    prompt = 'Say it so:\n{"type": "question", "summary": "an example"}\n'
    code = f"""cat; echo '{{"type": "milestone", "summary": "half; {TOKEN}"}}'; echo done"""
    live = bench.prepare(bench.shell(code), prompt=prompt)
    live.go()
    finish(live)
    assert [(said.type, said.summary) for said in live.heard()] == [("milestone", "half; [token]")]
    assert live.heard() == []
