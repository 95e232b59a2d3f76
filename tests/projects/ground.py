"""A project of one kind in a repository of its own, and who works on it."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from tests.projects.kinds import Files, Kind
from tests.stage.commands import Cast, git
from tests.stage.shop import Shop

LONG = 600.0


class Ground(msgspec.Struct, frozen=True):
    """`env` is what everybody has who works here: the programs of the project first."""

    kind: Kind
    shop: Shop
    env: dict[str, str]

    def init(self) -> Any:
        """What a person types first; what was found and tried."""
        made = self.shop.run(self.shop.cast.alice, "init", "--try", "--json", env=self.env, timeout=LONG)
        assert made.rc == 0, made
        return made.json

    def types(self, settings: str) -> None:
        """Somebody begins with these settings; what they ask for works on what is there."""
        made = self.shop.run(self.shop.cast.alice, "init", "--json", env=self.env, timeout=LONG)
        assert made.rc == 0, made
        file = self.shop.repo / "foureyes.toml"
        own, _, _ = file.read_text().replace("\n[[checks]]", "\n[checkout]").partition("\n[checkout]")
        file.write_text(f"{own}\n{settings}")
        self.shop.git("commit", "-q", "-a", "-m", "checks")
        self.shop.accept_policy(self.shop.cast.alice, env=self.env)
        on_target = self.shop.run(self.shop.cast.alice, "check", "run", "--target", env=self.env, timeout=LONG)
        assert on_target.rc == 0, on_target

    def proves(self) -> None:
        """A change that breaks the project is caught, and a good one is merged (D5)."""
        shop, kind = self.shop, self.kind
        broken, told = self.worked(kind.broken)
        assert told.rc == 6, told
        assert {row["outcome"] for row in told.json["checks"] if row["required"]} >= {"failed"}, told
        refused = shop.no(shop.cast.alice, "approve", broken.task, "--seen", broken.seen)
        assert set(refused.rules) == {"D5"}, refused
        good, told = self.worked(kind.good)
        assert told.rc == 0, told
        shop.approve(shop.cast.alice, good)
        assert self.merged() == {good.task: "merged"}
        for name, text in kind.good.items():
            assert shop.on_main(name) == text.strip()

    def worked(self, files: Files) -> Any:
        """An agent hands this in, and a service checks it: what came of it."""
        shop = self.shop
        task = shop.create(shop.cast.alice)
        work = shop.deliver(shop.cast.claude, task, files)
        told = shop.run(shop.cast.job, "check", "run", task, "--json", env=self.env, timeout=LONG)
        return work, told

    def merged(self) -> dict[str, str]:
        """The merge queue processed, with the checks of what comes out."""
        rows = self.shop.lines(self.shop.cast.alice, "merge", "--wait", env=self.env, timeout=LONG)
        return {row["task"]: row["outcome"] for row in rows if row["outcome"] != "waits"}


Build = Callable[[Kind], Ground]


def ground_for(kind: Kind, place: Path, cast: Cast) -> Ground:
    """Write the files, type what sets such a project up, and commit it."""
    repo = place / "repo"
    repo.mkdir(parents=True)
    git(repo, "init", "-q", "-b", "main", "--template=")
    for key, value in (("user.name", "Dev"), ("user.email", "dev@example.org"), ("gc.auto", "0")):
        git(repo, "config", key, value)
    for name, text in {**kind.files, ".gitignore": "".join(f"{each}\n" for each in kind.ignored)}.items():
        (repo / name).parent.mkdir(parents=True, exist_ok=True)
        (repo / name).write_text(text)
    env = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    for command in kind.set_up:
        done = subprocess.run(command, cwd=repo, env=env, capture_output=True, check=False)
        assert done.returncode == 0, f"{' '.join(command)}: {done.stdout.decode()}{done.stderr.decode()}"
    git(repo, "add", ".")
    git(repo, "commit", "-q", "-m", "first")
    path = os.pathsep.join(filter(None, (str(repo / kind.path) if kind.path else "", env.get("PATH", os.defpath))))
    return Ground(kind, Shop(repo, cast), {"PATH": path})
