"""What the README and the how-to pages show is what happens: their console blocks are typed by the actors they name.

A block starts with a line that says who types it (`# alice, in a terminal`, `# claude`); `$ ` starts a command, the
lines below it are its output, `# exit 1` behind a command is its exit code. Ids, hashes and times differ from run to
run: what a page calls `fe-7k2` must be the same real id wherever the page says `fe-7k2`, and no other. A page that does
not show `fe init` begins where it was typed already.

    PYTHONPATH=src:. .venv/bin/python tests/scenarios/test_readme.py    writes today's output into the pages
"""

from __future__ import annotations

import os
import re
import shlex
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.stage.processes import Caller, People, Result

ROOT = Path(__file__).resolve().parents[2]
NOT_TYPED = ("agent-programs.md", "keys.md", "mcp.md", "run-agents.md", "several-machines.md", "terminal-app.md")
"""How-to pages without blocks to type, and the page on several machines, which `test_page_of_machines.py` types."""
TYPED_ELSEWHERE = ("docs/howto/checks.md",)
"""Pages that show settings only: `tests/projects` types those."""
PAGES = (
    "README.md",
    "docs/tutorial.md",
    *(f"docs/howto/{path.name}" for path in sorted((ROOT / "docs/howto").glob("*.md")) if path.name not in NOT_TYPED),
)

BLOCK = re.compile(r"(?<=^```console\n).*?(?=^```$)", re.DOTALL | re.MULTILINE)
WHO = re.compile(r"# (alice|bob|claude|codex|gemini)(, in a terminal)?(, on (alpha|beta))?$")
EXIT = re.compile(r" +# exit (\d+)$")
TOKEN = re.compile(
    r"(?P<time>\d{4}-\d\d-\d\dT[\d:.]+Z)|(?P<date>\b\d{4}-\d\d-\d\d\b)|(?P<session>ses-\w+)"
    r"|(?P<token>\bfe-[0-9a-f]{32}\b)|(?P<task>\bfe-[0-9a-z]{3,6}\b)|(?P<person>\w[\w-]*@[\w.-]+)"
    r"|(?P<pid>(?<=pid )\d+)|(?P<rest>(?<=\b[0-9a-f]{7})(?:[0-9a-f]{33}|[0-9a-f]{5})\b)"
    r"|(?P<hash>\b[0-9a-f]{64}\b|\b[0-9a-f]{16}\b|\b[0-9a-f]{7,8}\b"
    r"|\b[0-9a-f]{7}(?=(?:[0-9a-f]{33}|[0-9a-f]{5})\b))"
)
"""A commit's hash of 12 or 40 digits is two tokens: the seven digits that other lines show, and the `rest`."""


TOOK = re.compile(r"\b\d+(?:\.\d)? ?s\b|(?<=PostgreSQL )[\d.]+|(?<=schema )\w+")


class Step(NamedTuple):
    """One command of a page: who types it, what it prints and how it ends."""

    who: str
    command: str
    rc: int
    output: list[str]


def steps_of(block: str) -> Iterator[Step]:
    """The commands of a block, in order."""
    who, step = "", None
    for line in block.splitlines():
        if named := WHO.match(line):
            who = named.group(1)
        elif line.startswith("$ "):
            if step:
                yield step
            code = EXIT.search(line)
            step = Step(who, EXIT.sub("", line)[2:], int(code.group(1)) if code else 0, [])
        else:
            assert step, f"output before the first command: {line}"
            step.output.append(line)
    if step:
        yield step


class Names:
    """Which real id stands behind each one that the page uses."""

    def __init__(self) -> None:
        self._real: dict[str, str] = {}

    def translate(self, command: str) -> str:
        """A command of the page with the real ids."""
        return TOKEN.sub(lambda found: self._real.get(found.group(), found.group()), command)

    def compare(self, page: str, real: str) -> None:
        """Two lines are the same but for ids, hashes and times, and those are used consistently."""
        assert plain(page) == plain(real), (
            f"out of date (how to write it again: the top of this file)\npage: {page}\nreal: {real}"
        )
        for ours, theirs in zip(TOKEN.finditer(page), TOKEN.finditer(real), strict=True):
            known = self._real.setdefault(ours.group(), theirs.group())
            assert known == theirs.group(), f"{ours.group()} was {known} and is {theirs.group()} in: {real}"
            if ours.lastgroup in ("task", "session", "token", "hash"):
                others = [name for name, found in self._real.items() if found == known]
                assert others == [ours.group()], f"{known} is called {others}"


def plain(line: str) -> str:
    """A line with ids replaced by their kind; columns may be wider or narrower, and things take as long as they
    take.
    """
    return re.sub(r" {2,}", "  ", TOOK.sub("<took>", TOKEN.sub(lambda found: f"<{found.lastgroup}>", line))).rstrip()


class PageStage:
    """A fresh repository and the people and agents of a page."""

    def __init__(self, people: People) -> None:
        self._people = people
        self._callers: dict[str, Caller] = {}
        self.repo = people.directory / "shop"
        self.repo.mkdir()
        fe = people.directory / "bin" / "fe"
        fe.parent.mkdir()
        fe.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m foureyes "$@"\n', encoding="utf-8")
        fe.chmod(0o755)
        people.env["PATH"] = f"{fe.parent}:{os.environ.get('PATH', os.defpath)}"
        name = "git config user.name Alice && git config user.email alice@example.org"
        files = "printf 'def greet():\\n    return \"hello\"\\n' > greet.py"
        done = self._caller("alice").sh(
            f"git init -q -b main && {name} && {files} && git add . && git commit -qm first", cwd=self.repo
        )
        assert done.rc == 0, done.err

    def _caller(self, who: str) -> Caller:
        if who not in self._callers:
            self._callers[who] = self._people.person(who) if who == "alice" else self._people.agent(who)
        return self._callers[who]

    def begin(self, page: str) -> None:
        """Make the project, unless the page does."""
        if "$ fe init" not in page:
            done = self.type(Step("alice", "fe init", 0, []), Names())
            assert done.rc == 0, done.out

    def type(self, step: Step, names: Names) -> Result:
        """Do what a page says."""
        return self._caller(step.who).sh(f"{{ {names.translate(step.command)}\n}} 2>&1", cwd=self.repo)


def read(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


@pytest.mark.scenario
@pytest.mark.parametrize("page", PAGES)
def test_every_console_block_of_a_page_does_what_it_shows(page: str, tmp_path: Path) -> None:
    names = Names()
    blocks = BLOCK.findall(read(page))
    assert blocks or page in TYPED_ELSEWHERE, f"{page} shows nothing"
    with People(tmp_path) as people:
        stage = PageStage(people)
        stage.begin(read(page))
        for step in (step for block in blocks for step in steps_of(block)):
            done = stage.type(step, names)
            real = done.out.splitlines()
            told = (
                f"{page} is out of date (how to write it again: the top of this file)\n{step.who}: "
                f"{step.command}\n{done.out}"
            )
            assert done.rc == step.rc, told
            assert len(real) == len(step.output), told
            for ours, theirs in zip(step.output, real, strict=True):
                names.compare(ours, theirs)


CHOSEN = frozenset({"fe init", "fe approve", "fe redo", "fe audit verify"})
"""What somebody types in the tour because they want to: to begin, to show a refusal, to disagree, to
read, to verify.
"""


def test_each_command_of_the_tour_is_one_that_an_answer_before_it_proposed() -> None:
    said, remote_problem = "", set()
    for block in BLOCK.findall(read("docs/tutorial.md")):
        for step in steps_of(block):
            words = step.command.split()
            known = [" ".join(words[:n]) for n in (2, 3) if words[0] == "fe"]
            if known and not any(f"{command} " in said.replace("\n", " \n") for command in known):
                remote_problem.add(next((name for name in known if name in CHOSEN), known[0]))
            said += "\n".join(step.output) + "\n"
    assert remote_problem == CHOSEN


@pytest.mark.scenario
def test_the_script_of_the_concepts_page_verifies_an_export_and_names_an_edited_row_J1(tmp_path: Path) -> None:
    script = tmp_path / "verify.py"
    found = re.search(r"^```python\n(import hashlib.*?)^```$", read("docs/concepts.md"), re.DOTALL | re.MULTILINE)
    assert found
    script.write_text(found.group(1), encoding="utf-8")
    with People(tmp_path) as people:
        stage = PageStage(people)
        odd = 'ein "Zitat" \\ mit Zeilen\n\tund Ümläuten … 🙂'
        stage.type(
            Step(
                "alice",
                f"fe init && fe create Titel -d {shlex.quote(odd)} && fe audit log --export > journal.jsonl",
                0,
                [],
            ),
            Names(),
        )
        whole = people.service().run([sys.executable, str(script), "journal.jsonl"], cwd=stage.repo)
        head = stage.type(Step("alice", "fe audit verify", 0, []), Names()).out.split()[-1]
        assert (whole.rc, whole.out.split()[-1]) == (0, head), whole.err
        journal = stage.repo / "journal.jsonl"
        journal.write_text(journal.read_text(encoding="utf-8").replace("Titel", "Tadel"), encoding="utf-8")
        edited = people.service().run([sys.executable, str(script), "journal.jsonl"], cwd=stage.repo)
        assert edited.rc == 1
        assert "row 4" in edited.err


def test_every_test_that_the_threat_model_names_exists() -> None:
    named = set(re.findall(r"`(tests/[\w/.]+)`", read("docs/threat-model.md")))
    assert len(named) > 10
    assert not [name for name in sorted(named) if not (ROOT / name).exists()]


# ------------------------------------------------------------------------------------------------ writing the pages


def written(page: str, folder: Path) -> str:
    """The page with what its commands print today. Ids that a command uses come from the outputs before it."""
    with People(folder) as people:
        return written_by(PageStage(people), page)


def written_by(stage: PageStage, page: str) -> str:
    """The same on a stage that is set."""
    text, names = read(page), Names()
    stage.begin(text)

    def again(found: re.Match[str]) -> str:
        return "".join(_typed(line, stage, names) for line in _headed(found.group()))

    return BLOCK.sub(again, text)


def _headed(block: str) -> Iterator[tuple[str, Step | None]]:
    """The lines that stay (who types, which command), each command with its step."""
    steps = steps_of(block)
    for line in block.splitlines():
        if WHO.match(line):
            yield line, None
        elif line.startswith("$ "):
            yield line, next(steps)


def _typed(item: tuple[str, Step | None], stage: PageStage, names: Names) -> str:
    line, step = item
    if step is None:
        return f"{line}\n"
    done = stage.type(step, names)
    for ours, theirs in zip(step.output, done.out.splitlines(), strict=False):
        for one, other in zip(TOKEN.finditer(ours), TOKEN.finditer(theirs), strict=False):
            names._real.setdefault(one.group(), other.group())
    back = {real: name for name, real in names._real.items()}
    output = TOKEN.sub(lambda found: back.get(found.group()) or _shown(found), done.out)
    assert done.rc == step.rc, f"{step.command}: exit {done.rc}\n{done.out}"
    return f"{line}\n{output}"


def _shown(found: re.Match[str]) -> str:
    """A page names no real user and host."""
    host = "desk" if found.group().partition("@")[2] not in ("alpha", "beta") else found.group().partition("@")[2]
    return f"{'bob' if host == 'beta' else 'alice'}@{host}" if found.lastgroup == "person" else found.group()


if __name__ == "__main__":
    for name in PAGES:
        with tempfile.TemporaryDirectory() as temporary:
            (ROOT / name).write_text(written(name, Path(temporary)), encoding="utf-8")
