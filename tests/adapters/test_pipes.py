"""Programs that are talked with, and programs that feed each other: every wait has an end, and nothing is left."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from foureyes.adapters.pipes import AskedProgram, through
from foureyes.adapters.process import ProcessProblem, ProgramTimedOut

ECHO = "import sys\nfor line in sys.stdin:\n    print(len(line), flush=True); print(line, end='', flush=True)\n"
DIES = "import sys\nsys.stdin.readline()\nsys.stderr.write('no more\\n')\n"
DEAF = "import time\ntime.sleep(1000)\n"
FAILS = "import sys\nsys.stderr.write('broken\\n'); sys.exit(3)\n"
COPIES = "import sys\nsys.stdout.write(sys.stdin.read())\n"
ENV = dict(os.environ)


def talk(program: str, timeout: float = 60) -> AskedProgram:
    return AskedProgram([sys.executable, "-c", program], cwd="/", env=ENV, timeout=timeout)


def test_each_question_has_its_answer() -> None:
    program = talk(ECHO)
    program.say(b"one\nthree\n")
    assert (program.line(), program.exactly(4), program.line(), program.exactly(6)) == (
        b"4",
        b"one\n",
        b"6",
        b"three\n",
    )
    assert program.is_open
    program.close()
    assert not program.is_open


def test_who_says_the_last_word_early_is_not_waited_for() -> None:
    program = talk(ECHO)
    program.say(b"one\nlast\n")
    assert (program.line(), program.exactly(1000, b"last\n")) == (b"4", b"one\n5\nlast\n")
    program.say(b"two\n")
    assert (program.line(), program.exactly(4, b"last\n")) == (b"4", b"two\n")


def test_who_ends_says_why_and_who_is_silent_is_ended() -> None:
    program = talk(DIES)
    program.say(b"hello\n")
    with pytest.raises(ProcessProblem, match="no more"):
        program.line()
    with pytest.raises(ProgramTimedOut, match="did not answer"):
        talk(DEAF, timeout=0.05).line()


def both(first: str, second: str) -> tuple[int, int, bytes]:
    done = through(
        [sys.executable, "-c", first], [sys.executable, "-c", second],
        input=b"a list\n", timeout=60, cwd="/", env=ENV, second_env=ENV,
    )  # fmt: skip
    return done.first.rc, done.second.rc, done.first.err + done.second.out


def test_the_second_reads_what_the_first_writes_and_both_can_fail(tmp_path: Path) -> None:
    assert both(COPIES, COPIES) == (0, 0, b"a list\n")
    assert both(FAILS, COPIES) == (3, 0, b"broken\n")
    assert both(COPIES, FAILS)[1] == 3
