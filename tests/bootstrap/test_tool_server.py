"""A project for a server: found once, opened for each call."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from foureyes.bootstrap.init import create_project
from foureyes.bootstrap.tool_server import Served
from foureyes.errors import EnvironmentProblem, NoProject

from tests.stage.checkout import Checkout
from tests.stage.people import ALICE


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    root = tmp_path / "shop"
    root.mkdir()
    checkout = Checkout(root)
    checkout.git("init", "-q", "-b", "main")
    checkout.git("-c", "user.name=A", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "begin")
    return checkout


def test_K3_a_server_that_began_in_a_worktree_outlives_it_and_stands_at_the_root(
    checkout: Checkout, tmp_path: Path
) -> None:
    root = Path(checkout.git("rev-parse", "--show-toplevel").strip())
    create_project(str(root), os.environ, ALICE, prefix="fe", target="main", commit=False)
    checkout.git("worktree", "add", "-q", "-b", "work", str(tmp_path / "linked"))
    served = Served(str(tmp_path / "linked"), {})
    with served.call() as (app, actor):
        assert (app.context.repo.current_ref(), actor.kind) == ("refs/heads/main", "agent")
    checkout.git("worktree", "remove", str(tmp_path / "linked"))
    with served.call() as (app, _):
        assert app.projects.get().target == "main"
    assert served.keep_trace("crash-1.txt", "trace").endswith("logs/crash-1.txt")


def test_where_there_is_no_project_each_call_says_so_until_there_is_one(checkout: Checkout) -> None:
    root = checkout.git("rev-parse", "--show-toplevel").strip()
    served = Served(root, {})
    with pytest.raises(NoProject), served.call():
        pass
    create_project(root, os.environ, ALICE, prefix="fe", target="main", commit=False)
    with served.call() as (app, _):
        assert app.projects.get().target == "main"


def test_G2_a_project_that_was_moved_is_not_begun_anew_where_it_was(checkout: Checkout) -> None:
    root = Path(checkout.git("rev-parse", "--show-toplevel").strip())
    create_project(str(root), os.environ, ALICE, prefix="fe", target="main", commit=False)
    served = Served(str(root), {})
    with served.call():
        pass
    root.rename(root.with_name("moved"))
    with pytest.raises(EnvironmentProblem, match="no longer at") as caught, served.call():
        pass
    assert not any(step.argv for step in caught.value.next_step.steps), "no git init in the place of what was moved"
