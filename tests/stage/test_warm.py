"""What is forked from a warm process is as what is started: nobody can tell, but by the clock."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple, Unpack

import pytest

from tests.stage.processes import Caller, Options, People, Result

PROGRAM = """
import json, os, signal, subprocess, sys
from pathlib import Path

import msgspec
from foureyes.adapters.identity.recognition import observe


def is_passed_on(number):
    try:
        return os.get_inheritable(number)
    except OSError:
        return False


def look():
    stat = Path("/proc/self/stat").read_text().rpartition(")")[2].split()
    actor = observe(os.environ)
    streams = (sys.stdin, sys.stdout, sys.stderr)
    print(json.dumps({
        "words": Path("/proc/self/cmdline").read_bytes().decode().rstrip(chr(0)).split(chr(0))[1:],
        "leads": os.getsid(0) == os.getpgid(0) == os.getpid(),
        "terminal": int(stat[4]) != 0,
        "ttys": [os.isatty(number) for number in range(3)],
        "streams": [(each.encoding, each.errors, each.line_buffering) for each in streams],
        "environ": {name: value for name, value in os.environ.items() if name != "HOME"},
        "here": os.getcwd(),
        "passed on": [number for number in range(64) if is_passed_on(number)],
        "interrupt": signal.getsignal(signal.SIGINT) is signal.default_int_handler,
        "kind": actor.kind, "agent": actor.agent, "person": actor.person, "trust": actor.trust,
        "processes": actor.processes, "leader": actor.leader, "typed": sys.stdin.read(),
    }))


def main(argv=None):
    match sys.argv[1]:
        case "look" | "show": look()
        case "list" if sys.argv[2] == "wait": os.spawnlp(os.P_NOWAIT, "sleep", "sleep", "600"); signal.pause()
        case "list" if sys.argv[2] == "die": os.kill(os.getpid(), signal.SIGKILL)
        case "list" if sys.argv[2] == "leave": os.open("/", os.O_RDONLY); print(os.getpid())
        case "list": os.write(2, b"oops"); print(os.getpid())
        case "cat": sys.stdout.write(sys.stdin.read())
        case "both": os.write(2, b"oops"); print("fine")
        case "die": os.kill(os.getpid(), signal.SIGKILL)
        case "wait": os.spawnlp(os.P_NOWAIT, "sleep", "sleep", "600"); signal.pause()
        case "inner": subprocess.run(["sh", "-c", sys.argv[2]])
        case code: os._exit(int(code))
    sys.stdout.flush()
    if argv is None:
        os._exit(0)
    sys.exit(int(sys.argv[2]) if sys.argv[2].isdigit() else 0)
"""
CASES: dict[str, tuple[str, Options]] = {
    "an agent": ("claude", {}),
    "an agent that is given input": ("claude", {"input": "words\n"}),
    "an agent whose environment is another one": ("claude", {"env": {"CLAUDECODE": "1", "COLUMNS": "40"}}),
    "a person": ("alice", {}),
    "a person who looks at the terminal": ("alice", {"tty": True, "input": "y\n"}),
    "a service": ("job", {}),
}


class Stages(NamedTuple):
    """The same people twice: every command is started, or all but the first are forked."""

    cold: People
    warm: People


@pytest.fixture(scope="module")
def stages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stages]:
    """Where `python -m foureyes` is a program that tells about itself."""
    folder = tmp_path_factory.mktemp("program")
    place = folder / "foureyes" / "ui" / "cli"
    place.mkdir(parents=True)
    for path in (folder / "foureyes", place.parent, place):
        (path / "__init__.py").write_text("")
    (place / "main.py").write_text("from foureyes.ui.cli.entry import main\n")
    (place / "entry.py").write_text(PROGRAM)
    (folder / "foureyes" / "__main__.py").write_text("from foureyes.ui.cli.entry import main\nmain()\n")
    source = Path(__file__).resolve().parents[2] / "src" / "foureyes"
    for path in source.iterdir():
        if path.name not in ("ui", "__init__.py", "__main__.py", "__pycache__"):
            (folder / "foureyes" / path.name).symlink_to(path)
    env = {"PYTHONPATH": str(folder)}
    with People(folder / "cold", env, warm=False) as cold, People(folder / "warm", env, warm=True) as warm:
        yield Stages(cold, warm)


def caller(people: People, who: str) -> Caller:
    """Somebody whose next `fe` is not the first."""
    made = people.person(who) if who == "alice" else people.service() if who == "job" else people.agent(who)
    assert made.fe("0").rc == 0
    return made


def both(stages: Stages, who: str, *args: str, **options: Unpack[Options]) -> tuple[Result, Result]:
    """What it says when it is started, and what when it is forked."""
    cold, warm = (caller(people, who).fe(*args, **options) for people in stages)
    return cold, warm


@pytest.mark.parametrize("word", ["look", "show"], ids=["forked", "in place"])
@pytest.mark.parametrize("case", CASES)
def test_a_warm_command_is_what_a_started_one_is_I3_I5(stages: Stages, case: str, word: str) -> None:
    who, options = CASES[case]
    options["cwd"] = "/"
    cold, warm = both(stages, who, word, "wörds", **options)
    told, forked = told_by(cold), told_by(warm)
    assert (told.pop("processes") != []) == (forked.pop("processes") != []) == (who == "claude")
    assert forked == told
    assert told["words"] == ["-m", "foureyes", word, "wörds"]


def told_by(result: Result) -> dict[str, Any]:
    assert result.rc == 0, result
    told: dict[str, Any] = result.json
    return told


def test_it_is_a_process_of_its_own_below_its_caller(stages: Stages) -> None:
    claude = caller(stages.warm, "claude")
    above = "echo $PPID; cut -d' ' -f4 /proc/$PPID/stat"
    first, second = (claude.fe("inner", above).out.split() for _ in range(2))
    assert first[0] != second[0]
    assert first[1] == second[1] != str(claude.pid), "its parent imported it, and is a child of the caller"


def test_what_a_forked_command_starts_sees_that_foureyes_is_above_I5(stages: Stages) -> None:
    script = stages.warm.directory / "who.py"
    script.write_text(
        "import os; from foureyes.adapters.identity.recognition import observe; print(observe(os.environ).within)"
    )
    cold, warm = both(stages, "claude", "inner", f"{sys.executable} {script}; true")
    assert warm == cold
    assert cold.out == "fe inner\n"


@pytest.mark.parametrize("who", ["claude", "alice"])
def test_exit_codes_signals_and_output_come_back(stages: Stages, who: str) -> None:
    warm = caller(stages.warm, who)
    assert [warm.fe(word).rc for word in ("7", "0", "die")] == [7, 0, -signal.SIGKILL]
    assert warm.fe("both")[:3] == (0, "fine\n", "oops")
    typed = "x" * 300_000 if who == "claude" else "typed\n"
    assert warm.fe("cat", input=typed).out == typed


@pytest.mark.parametrize("who", ["claude", "alice"])
def test_a_forked_command_that_does_not_end_is_killed_with_its_children(stages: Stages, who: str) -> None:
    warm = caller(stages.warm, who)
    with pytest.raises(TimeoutError, match="did not end"):
        warm.fe("wait", timeout=0.2)
    assert warm.fe("both").out == "fine\n"


@pytest.mark.parametrize("who", ["claude", "alice"])
def test_commands_in_place_follow_each_other_in_one_process_and_none_finds_what_another_left(
    stages: Stages, who: str
) -> None:
    warm = caller(stages.warm, who)
    first, second = (warm.fe("list", code) for code in ("0", "7"))
    assert (first.rc, second.rc) == (0, 7)
    assert first[1:] == second[1:]
    assert first.err == "oops"
    above = warm.fe("inner", "read a b c number rest < /proc/$PPID/stat; echo $number; cat /proc/$number/cmdline")
    assert above.out.split()[0] == first.out.strip()
    assert "foureyes" not in above.out, "between commands it is nobody's command"


@pytest.mark.parametrize("who", ["claude", "alice"])
def test_a_process_that_cannot_be_as_before_does_not_run_the_next_one(stages: Stages, who: str) -> None:
    warm = caller(stages.warm, who)
    left = warm.fe("list", "leave").out
    assert warm.fe("list", "0").out != left
    assert warm.fe("list", "die").rc == -signal.SIGKILL
    with pytest.raises(TimeoutError, match="did not end"):
        warm.fe("list", "wait", timeout=0.2)
    assert warm.fe("both").out == "fine\n"


def test_whoever_ends_takes_the_warm_process_along(tmp_path: Path) -> None:
    with People(tmp_path, warm=True) as people:
        claude = caller_of_the_real_one(people)
        children = Path(f"/proc/{claude.pid}/task/{claude.pid}/children").read_text().split()
        assert len(children) == 1
    assert not Path(f"/proc/{children[0]}").exists()


def caller_of_the_real_one(people: People) -> Caller:
    claude = people.agent("claude")
    assert [claude.fe("--version").rc for _ in range(2)] == [0, 0]
    return claude
