"""docs/architecture.md leads a newcomer from a command to its SQL: every file and name on it is there, and the way is
the one that the program takes.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from types import FrameType

from foureyes.app.application import Application
from foureyes.app.catalog import NOUNS
from foureyes.ui.tui.keys import action_of

from tests.architecture.house import PACKAGE, ROOT
from tests.stage.cycled import PEERS
from tests.stage.gated import configure
from tests.stage.looped import review
from tests.stage.people import BOB, CODEX, GEMINI
from tests.stage.world import DeskWorld

PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
CODE = re.compile(r"`([^`]+)`")
MOST = 6


def section(title: str) -> str:
    """What stands under a heading."""
    _, _, rest = PAGE.partition(f"\n## {title}\n")
    assert rest, f"there is no section {title}"
    return rest.partition("\n## ")[0]


def rows(text: str) -> Iterator[list[str]]:
    """The cells of tables, without their heads."""
    for line in text.splitlines():
        if line.startswith("| ") and "`" in line:
            yield [cell.strip() for cell in line.strip().strip("|").split("|")]


def spine() -> list[tuple[Path, str, str]]:
    """File, name in it, and by what it leads to the next one."""
    table = [row for row in rows(section("The spine")) if row[0].isdigit()]
    assert [row[0] for row in table] == [str(n) for n in range(1, len(table) + 1)]
    return [(PACKAGE / row[1].strip("`"), row[2].strip("`"), row[3].strip("`")) for row in table]


def is_defined(name: str, path: Path) -> bool:
    """Whether a file of Python has the function, a file of SQL the statement."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".sql":
        return f"-- name: {name}\n" in text
    return re.search(rf"^\s*def {re.escape(name)}\(", text, re.MULTILINE) is not None


def test_from_fe_approve_to_its_SQL_it_is_six_files_at_most() -> None:
    way = spine()
    assert 1 < len(way) <= MOST
    assert [path for path, _, _ in way if not path.is_file()] == []
    assert way[0][0].parent.name == "cli"
    assert way[-1][0].suffix == ".sql"


def test_each_file_of_the_spine_has_its_name_and_refers_to_the_next_one() -> None:
    way = spine()
    assert [f"{path.name}: {name}" for path, name, _ in way if not is_defined(name, path)] == []
    for path, _, on in way[:-1]:
        assert on, path
        assert on in path.read_text(encoding="utf-8"), f"{path.name} does not say {on}"
    for (path, _, on), (_, name, _) in pairwise(way):
        known = "apply(" if path.name == "store.py" else name  # the journal finds the projection by the event's kind
        assert known in on, f"{path.name} leads to {name}, not by {on}"


def test_the_verb_that_the_command_calls_is_the_one_of_the_second_file(desk: DeskWorld) -> None:
    (_, _, call), (verb, name, _) = spine()[:2]
    noun = call.split(".")[1]
    module = type(getattr(desk.app, noun)).__module__
    assert isinstance(desk.app, Application)
    assert verb == ROOT / "src" / (module.replace(".", "/") + ".py")
    assert call == f"app.{noun}.{name}("


def stack_at(statement: str, act: object) -> list[Path]:
    """The files of the package on the stack when a statement is run, outermost first."""
    stacks: list[list[Path]] = []

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_name == "run" and statement in map(str, frame.f_locals.values()):
            files, at = [], frame.f_back
            while at is not None:
                files.append(Path(at.f_code.co_filename))
                at = at.f_back
            stacks.append([path for path in reversed(files) if PACKAGE in path.parents])

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        assert callable(act)
        act()
    finally:
        sys.setprofile(before)
    (stack,) = stacks
    return list(dict.fromkeys(stack))


def test_an_approval_takes_exactly_this_way_through_the_program(desk: DeskWorld) -> None:
    task = desk.handed_in()
    *way, (_, statement, _) = spine()
    stack = stack_at(statement, lambda: desk.approve(BOB, task))
    apply = PACKAGE / "adapters" / "store" / "projections" / "__init__.py"
    assert [path for path in stack if path != apply] == [path for path, _, _ in way[1:]]


def test_the_last_answer_takes_the_way_of_its_walk_V8(desk: DeskWorld) -> None:
    configure(desk, PEERS)
    task = desk.handed_in()
    review(desk, task, by=CODEX)
    stack = stack_at("cycle.decide", lambda: review(desk, task, by=GEMINI))
    _, _, walk = section("Seven walks").partition("\n`fe review submit`")
    named = {PACKAGE / row[0].strip("`") for row in rows(walk.partition("\n`fe merge`")[0])}
    spine = {PACKAGE / "app/call", PACKAGE / "adapters/store", PACKAGE / "adapters/store/projections"}
    assert {PACKAGE / "app/review/reviews.py", PACKAGE / "app/cycles/deciding.py"} <= set(stack)
    assert PACKAGE / "adapters/store/projections/cycle.py" in stack
    assert [path for path in stack if path not in named and path.parent not in spine] == []


def test_every_file_and_name_of_a_walk_is_there() -> None:
    walks = [(PACKAGE / row[0].strip("`"), CODE.findall(row[1])) for row in rows(section("Seven walks"))]
    assert len(walks) > 15
    assert [str(path) for path, names in walks if not path.is_file() or not names] == []
    assert [f"{path}: {name}" for path, names in walks for name in names if not is_defined(name, path)] == []


def test_there_are_walks_of_commands_of_a_key_and_of_the_runner() -> None:
    walks = re.findall(r"^`([\w ]+)`[\w ]* — ", section("Seven walks"), re.MULTILINE)
    assert walks == ["fe create", "fe submit", "fe approve", "fe review submit", "fe merge", "A", "fe run"]


def test_the_key_A_ends_in_the_verb_that_its_walk_names() -> None:
    _, _, walk = section("Seven walks").partition("\n`A` in the terminal app")
    walk = walk.partition("\n`fe run`")[0]
    files = [row[0].strip("`") for row in rows(walk)]
    key = action_of("task", "a")
    assert key is not None
    assert f"def do_{key.action}(" in (PACKAGE / "ui/tui/screens/task.py").read_text(encoding="utf-8")
    assert f"application.{key.verb}(" in (PACKAGE / "ui/tui/deciding.py").read_text(encoding="utf-8")
    noun, _, _ = key.verb.partition(".")
    assert "app/" + NOUNS[noun].partition(":")[0].replace(".", "/") + ".py" in files


def test_every_path_that_the_page_names_is_there() -> None:
    named = {name for name in CODE.findall(PAGE) if re.fullmatch(r"[a-z_]+(/[a-z_]+)+(\.(py|sql|md))?", name)}
    assert len(named) > 20
    places = (PACKAGE, ROOT)
    assert [name for name in sorted(named) if not any((place / name).exists() for place in places)] == []


def test_the_rooms_are_those_of_the_contracts() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = {contract["id"]: contract["name"] for contract in settings["tool"]["importlinter"]["contracts"]}
    for name in ("app-rooms", "core-rooms", "git-rooms"):
        assert contracts[name] in section("The rooms"), name
    top = [room.strip() for room in contracts["layers"].split(">")]
    assert [room for room in top if f"`{room}" not in section("The rooms")] == []
