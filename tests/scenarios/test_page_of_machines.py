"""The page on several machines is typed as the others are (`test_readme.py`), by who sits at which machine: two clones,
one bare remote, one server, which everybody knows as the service `team`.

    PYTHONPATH=src:. .venv/bin/python tests/scenarios/test_page_of_machines.py    writes today's output into the page
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from tests import engines
from tests.scenarios import test_readme as pages
from tests.scenarios.test_readme import BLOCK, ROOT, Names, PageStage, Step, read, steps_of
from tests.stage.machines import has_hosts
from tests.stage.processes import Caller, People, Result

PAGE = "docs/howto/several-machines.md"
SETTINGS = '\n[git]\nremote = "origin"\n\n[review.human]\nsettle_seconds = 0\n'
MACHINES = {"alice": "alpha", "claude": "alpha", "bob": "beta", "codex": "beta"}


class Machines(PageStage):
    """Two machines: the clone of each, and the remote beside them; alice has begun a project and pushed it."""

    def __init__(self, people: People, other: People) -> None:
        super().__init__(people)
        other.env["PATH"] = people.env["PATH"]
        self._theirs = other
        self._there = people.directory / "beta"
        self._there.mkdir()
        remote = "git clone -q --bare . ../shop.git && git remote add origin ../shop.git"
        begun = f"{remote} && fe init && printf '{SETTINGS}' >> foureyes.toml && git commit -qam settings"
        seen = "$(fe config accept 2>&1 | sed -n 's/.*--seen //p')"
        for command in (begun, f"fe config accept --seen {seen}"):
            done = super().type(Step("alice", command, 0, []), Names())
            assert done.rc == 0, done

    def _caller(self, who: str) -> Caller:
        if MACHINES[who] == "alpha":
            return super()._caller(who)
        if who not in self._callers:
            self._callers[who] = self._theirs.person(who) if who == "bob" else self._theirs.agent(who)
        return self._callers[who]

    def type(self, step: Step, names: Names) -> Result:
        where = self.repo if MACHINES[step.who] == "alpha" else self._there
        return self._caller(step.who).sh(f"{{ {names.translate(step.command)}\n}} 2>&1", cwd=where)

    def begin(self, page: str) -> None:
        """It has begun."""


@contextmanager
def machines(folder: Path, url: str) -> Iterator[Machines]:
    """Both, and the file that says where the team's server is."""
    services = folder / "services.conf"
    services.write_text(service_of(url))
    env = {
        "PGSERVICEFILE": str(services),
        "GIT_CONFIG_COUNT": "2",
        "GIT_CONFIG_KEY_0": "user.name",
        "GIT_CONFIG_VALUE_0": "Bob",
        "GIT_CONFIG_KEY_1": "user.email",
        "GIT_CONFIG_VALUE_1": "bob@example.org",
    }
    alpha, beta = (name if has_hosts() else "" for name in ("alpha", "beta"))
    with (
        People(folder / "alpha", env={"PGSERVICEFILE": str(services)}, host=alpha) as people,
        People(folder / "beta", env=env, host=beta) as other,
    ):
        yield Machines(people, other)


def service_of(url: str) -> str:
    """An address as a service file has it."""
    parts = urlsplit(url)
    host = parse_qs(parts.query).get("host", [parts.hostname or ""])[0]
    lines = [f"host={host}", f"port={parts.port or 5432}", f"user={parts.username}", f"dbname={parts.path.strip('/')}"]
    return "\n".join(["[team]", *lines, ""])


@pytest.mark.scenario
def test_every_console_block_of_the_page_on_several_machines_does_what_it_shows_Q6(
    tmp_path: Path, server: engines.Server
) -> None:
    names = Names()
    with machines(tmp_path, server.url) as stage:
        engines.Run.projects.append(project_of(stage.repo))
        steps = [step for block in BLOCK.findall(read(PAGE)) for step in steps_of(block)]
        assert {step.who for step in steps} >= {"alice", "bob", "claude"}
        for step in steps:
            done = stage.type(step, names)
            assert (done.rc, len(done.out.splitlines())) == (step.rc, len(step.output)), f"{step.command}\n{done.out}"
            for ours, theirs in zip(step.output, done.out.splitlines(), strict=True):
                names.compare(ours, theirs)


def project_of(repo: Path) -> str:
    found = re.search(r'^id = "(\w+)"', (repo / "foureyes.toml").read_text(), re.MULTILINE)
    assert found
    return found.group(1)


if __name__ == "__main__":
    from bench.places import server as running

    with tempfile.TemporaryDirectory() as temporary, running() as address, machines(Path(temporary), address) as made:
        (ROOT / PAGE).write_text(pages.written_by(made, PAGE), encoding="utf-8")
