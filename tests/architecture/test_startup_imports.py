"""What a command loads before it answers. An agent calls `fe log` hundreds of times: every import is waiting."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import msgspec
import pytest

from tests.architecture.house import ROOT
from tests.bootstrap.runs import House
from tests.stage.checkout import Checkout, copy_of, template_in
from tests.stage.processes import People

OTHER_FACES = frozenset({"textual", "litestar", "mcp", "psycopg", "rich", "jinja2", "cryptography"})
"""Libraries of other faces and engines: no plain command needs them."""

HEAVY = frozenset(
    {
        "argparse",      # click parses
        "asyncio",       # 30 ms; only the web and MCP faces wait for many things
        "concurrent",    # thread pools bring logging and queue
        "email",         # comes with importlib.metadata and http
        "_hashlib",      # OpenSSL, for one sha256 (core.words.digest)
        "http",
        "importlib.metadata",  # reads the installed distributions to learn a version that __init__ says
        "logging",       # what happened is in the journal
        "multiprocessing",
        "pydantic",
        "sqlite3",       # apsw is the store
        "ssl",
        "unittest",
        "urllib.request",
        "xml",
    }
)  # fmt: skip
"""Slow parts of the standard library that no command needs to start."""

NOT_FOR_LOG = frozenset(
    {
        "subprocess",    # a log line asks git nothing and starts nothing
        "tomllib",       # the settings that a log line needs are in the store
        "tempfile",
        "dis",           # comes with inspect, which is loaded late
        "signal",
        "shutil",        # click loads it to measure a terminal for help; an answer needs no measure
    }
)  # fmt: skip
NOT_FOR_HELP = frozenset({"subprocess", "tomllib"})
"""Help is text: it starts nothing and reads no configuration."""

OTHER_VERBS = frozenset(
    {
        "foureyes.app.ports", "foureyes.app.git_ports",  # protocols are for the type checker
        "foureyes.app.views.task",
        "foureyes.core.events.decision", "foureyes.core.events.gate", "foureyes.core.events.loop",
        "foureyes.core.events.task", "foureyes.core.rules.facts", "foureyes.core.rules.gate",
        "foureyes.core.rules.policy", "foureyes.adapters.store.projections.task", "foureyes.adapters.store.lists",
        "foureyes.adapters.process",
    }
)  # fmt: skip
"""What decides, shows or changes tasks: who writes a line into a log needs none of it."""

LOOP = frozenset(
    {
        "foureyes.app.findings", "foureyes.app.review", "foureyes.app.exchange", "foureyes.app.pages.stats",
        "foureyes.app.pages.completion", "foureyes.core.documents", "foureyes.core.loop.answering",
        "foureyes.core.loop.fingerprint",
    }
)  # fmt: skip
"""The findings loop: who only claims, logs or lists has nothing to do with it."""

OTHER_SHAPES = frozenset(
    {
        "foureyes.app.views.audit", "foureyes.app.views.run", "foureyes.app.views.sprint", "foureyes.core.events.task",
        "foureyes.core.nouns.check", "foureyes.core.nouns.cycle", "foureyes.core.nouns.feedback",
        "foureyes.core.nouns.finding", "foureyes.core.nouns.sprint",
    }
)  # fmt: skip
"""What sprints, runners, checks, findings and audits look like: every struct takes its time to be made."""

MOST: dict[str, tuple[int, int]] = {"log": (82, 60), "list": (81, 66), "show": (114, 118), "status": (127, 105)}
"""How many modules of ours a command loads at most, and how many structs it makes. A module is some 0.2 ms, a struct
0.03 ms; `python -c pass` is 10.
"""

GATE = frozenset(
    {
        "foureyes.core.rules.gate", "foureyes.core.rules.four_eyes", "foureyes.core.rules.check_states",
        "foureyes.core.loop", "foureyes.app.views.review", "foureyes.app.work",
        "foureyes.app.pages.loop", "foureyes.app.pages.preview",
    }
)  # fmt: skip
"""What judges a change: who looks at a task of which nothing was handed in needs none of it, only how it would be
reviewed.
"""

ODD_CHARACTERS = frozenset({"unicodedata", "foureyes.core.words.emoji"})
"""What knows every character: a text of plain ones is shown without."""

CONFIGURATION = frozenset({"tomllib", "foureyes.config.settings", "foureyes.config.layers", "foureyes.config.reading"})
"""Where nothing is set, the rules are as they come."""

STARTING_GIT = frozenset({"subprocess", "foureyes.adapters.process", "foureyes.adapters.git.client.git"})
"""What starts git: files say where branches are, what a new commit holds and whether checkouts follow."""

IMPORTED = re.compile(r"^import time:\s+\d+ \|\s+\d+ \|\s+(\S+)$", re.MULTILINE)


def environment(home: Path) -> dict[str, str]:
    """A plain environment: this checkout, an empty home, a git identity."""
    who = {
        f"GIT_{role}_{key}": value
        for role in ("AUTHOR", "COMMITTER")
        for key, value in (("NAME", "Ada"), ("EMAIL", "ada@example.org"))
    }
    return {"PATH": os.environ["PATH"], "HOME": str(home), "PYTHONPATH": str(ROOT / "src"), "LC_ALL": "C.UTF-8", **who}


def run(command: list[str], *, cwd: Path, home: Path, **env: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        command,
        cwd=cwd,
        env=environment(home) | env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    said = f"{done.stdout}\n{done.stderr[-3000:]}"
    assert done.returncode == 0, f"{' '.join(command[1:])}: exit {done.returncode}\n{said}"
    return done


def fe(*arguments: str, cwd: Path, home: Path) -> str:
    return run([sys.executable, "-m", "foureyes", *arguments], cwd=cwd, home=home).stdout


def loaded(*arguments: str, cwd: Path, home: Path, **env: str) -> set[str]:
    """Every module that a command imports, from the interpreter's own list."""
    done = run([sys.executable, "-X", "importtime", "-m", "foureyes", *arguments], cwd=cwd, home=home, **env)
    found = set(IMPORTED.findall(done.stderr))
    assert "click" in found, "the list of imports could not be read"
    return found


STRUCTS = """
import atexit, sys
def count():
    from msgspec import Struct
    kinds, structs = [Struct], 0
    while kinds:
        below = kinds.pop().__subclasses__()
        kinds += below
        structs += len(below)
    print("structs:", structs, file=sys.stderr)
atexit.register(count)
from foureyes.ui.cli.entry import main
main()
"""


def weighed(*arguments: str, cwd: Path, home: Path) -> tuple[int, int]:
    """How many modules of ours a command loads, and how many structs it makes."""
    said = run([sys.executable, "-X", "importtime", "-c", STRUCTS, *arguments], cwd=cwd, home=home).stderr
    modules = [name for name in IMPORTED.findall(said) if name.partition(".")[0] == "foureyes"]
    return len(modules), int(said.rpartition("structs:")[2])


def unwanted(modules: set[str], forbidden: frozenset[str]) -> list[str]:
    """The modules that are, or belong to, a forbidden one."""
    return sorted(m for m in modules if any(m == name or m.startswith(name + ".") for name in forbidden))


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


class Made(NamedTuple):
    """A project, and a task to write about."""

    project: Path
    task: str


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """A git repository with one commit and a Foureyes project with a task: made once, copied for each test."""
    home, path = tmp_path_factory.mktemp("home"), tmp_path_factory.mktemp("made") / "project"
    path.mkdir()
    for command in (["git", "init", "-q", "-b", "main"], ["git", "commit", "-q", "--allow-empty", "-m", "first"]):
        run(command, cwd=path, home=home)
    fe("init", cwd=path, home=home)
    created = fe("create", "Draw the plan", "--json", cwd=path, home=home)
    return Made(path, str(msgspec.json.decode(created)["task"]))


@pytest.fixture
def project(made: Made, tmp_path: Path) -> Path:
    """The project of one test alone."""
    return Path(shutil.copytree(made.project, tmp_path / "project", symlinks=True))


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return copy_of(template_in(tmp_path / "made"), tmp_path / "copy")


@pytest.fixture
def task(made: Made) -> str:
    return made.task


def test_help_loads_no_other_face(tmp_path: Path, home: Path) -> None:
    modules = loaded("--help", cwd=tmp_path, home=home)
    assert not unwanted(modules, OTHER_FACES | HEAVY | NOT_FOR_HELP)


def test_version_loads_no_store(tmp_path: Path, home: Path) -> None:
    modules = loaded("--version", cwd=tmp_path, home=home)
    assert not unwanted(modules, OTHER_FACES | HEAVY | NOT_FOR_HELP)


def test_log_loads_only_what_a_line_in_the_journal_needs(project: Path, task: str, home: Path) -> None:
    modules = loaded("log", task, "walls are up", cwd=project, home=home)
    assert "apsw" in modules, "nothing was written"
    assert not unwanted(
        modules,
        OTHER_FACES
        | HEAVY
        | NOT_FOR_LOG
        | OTHER_VERBS
        | LOOP
        | {"foureyes.app.tasks.escalation", "foureyes.core.loop.engine"},
    )


def test_a_command_of_a_run_loads_neither_the_store_nor_the_rules(checkout: Checkout, home: Path) -> None:
    house = House(checkout)
    lodge = house.run()
    try:
        modules = loaded("log", lodge.run.task, "walls are up", cwd=checkout.path, home=home, **lodge.environ)
    finally:
        house.close()
    assert "foureyes.adapters.remote.line" in modules
    store = frozenset({"apsw", "foureyes.adapters.store", "foureyes.app.call", "foureyes.core.rules", "socket"})
    assert not unwanted(modules, OTHER_FACES | HEAVY | NOT_FOR_LOG | OTHER_VERBS | LOOP | store)


def test_start_and_unstart_load_nothing_of_the_findings_loop(
    project: Path, task: str, home: Path, tmp_path: Path
) -> None:
    """An agent's: a process without a terminal may start nothing (I5)."""
    with People(tmp_path, environment(home)) as people:
        claude = people.agent("claude")
        for verb in ("start", "unstart"):
            done = claude.run([sys.executable, "-X", "importtime", "-m", "foureyes", verb, task], cwd=project)
            assert done.rc == 0, done.err[-2000:]
            modules = set(IMPORTED.findall(done.err))
            assert "foureyes.app.work.claims" in modules
            assert not unwanted(modules, OTHER_FACES | HEAVY | LOOP | ODD_CHARACTERS), verb


def test_list_loads_no_other_face_and_no_facts_of_plain_tasks(project: Path, task: str, home: Path) -> None:
    modules = loaded("list", cwd=project, home=home)
    facts = {"foureyes.app.call.facts", "foureyes.core.rules.modes"}
    assert not unwanted(modules, OTHER_FACES | HEAVY | LOOP | ODD_CHARACTERS | CONFIGURATION | OTHER_SHAPES | facts)


def test_show_loads_what_judges_a_change_only_where_there_is_one(project: Path, task: str, home: Path) -> None:
    modules = loaded("show", task, cwd=project, home=home)
    assert "foureyes.app.pages.task" in modules
    assert not unwanted(
        modules,
        OTHER_FACES
        | HEAVY
        | GATE
        | OTHER_SHAPES
        | STARTING_GIT
        | ODD_CHARACTERS
        | CONFIGURATION
        | {"foureyes.app.git_ports", "foureyes.app.ports", "foureyes.core.rules.gate_files", "gettext", "locale"},
    )


def test_status_starts_no_git_and_loads_nothing_that_judges(project: Path, task: str, home: Path) -> None:
    modules = loaded("status", cwd=project, home=home)
    assert "foureyes.app.pages.attention" in modules
    assert not unwanted(
        modules,
        OTHER_FACES
        | HEAVY
        | STARTING_GIT
        | ODD_CHARACTERS
        | CONFIGURATION
        | OTHER_SHAPES
        | {
            "foureyes.adapters.git.workshop",
            "foureyes.app.git_ports",
            "foureyes.app.pages.lists",
            "foureyes.app.call.unbrought",
            "foureyes.app.ports",
            "foureyes.app.project.policy",
            "foureyes.app.run.readiness",
            "foureyes.app.views.review",
            "foureyes.app.work",
            "foureyes.core.documents",
            "foureyes.core.nouns.attempt",
            "foureyes.core.run",
            "foureyes.core.sprint",
        },
    )


def test_what_agents_call_all_the_time_loads_no_more_than_it_did(project: Path, task: str, home: Path) -> None:
    about = {"log": (task, "walls are up"), "show": (task,)}
    weights = {verb: weighed(verb, *about.get(verb, ()), cwd=project, home=home) for verb in MOST}
    heavy = {verb: weight for verb, weight in weights.items() if weight[0] > MOST[verb][0] or weight[1] > MOST[verb][1]}
    assert not heavy, f"{heavy}: load late what only some calls need, or say in MOST what is worth it"


def test_rules_load_neither_store_nor_git_nor_another_face(tmp_path: Path, home: Path) -> None:
    modules = loaded("rules", "P2", cwd=tmp_path, home=home)
    assert not unwanted(modules, OTHER_FACES | HEAVY | NOT_FOR_HELP | LOOP | {"apsw", "foureyes.adapters.git.repo"})
