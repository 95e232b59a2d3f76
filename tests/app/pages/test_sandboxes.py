"""Sandboxes of agent programs: known by what they set, and told how somebody lets them write."""

from __future__ import annotations

import pytest

from foureyes.app.pages.doctor import let_write, sandbox_around
from foureyes.app.results.work import Unwritable
from foureyes.ui.steps import steps_text

from tests.stage.people import ALICE
from tests.stage.world import DeskWorld


@pytest.mark.parametrize(
    ("environ", "agent"),
    [
        ({}, ""),
        ({"CODEX_THREAD_ID": "1"}, ""),
        ({"CODEX_SANDBOX_NETWORK_DISABLED": "1"}, "codex"),
        ({"SANDBOX_RUNTIME": "1"}, "claude"),
    ],
)
def test_a_sandbox_is_known_by_what_its_program_sets_in_it(environ: dict[str, str], agent: str) -> None:
    assert sandbox_around(environ) == agent


def test_each_program_is_told_in_its_own_way_what_to_let_write() -> None:
    paths = ["/shop/.git", "/shop/.foureyes"]
    assert steps_text(let_write("codex", paths)).endswith(
        "codex -s workspace-write --add-dir /shop/.git --add-dir /shop/.foureyes"
    )
    assert '"allowWrite": ["/shop/.git", "/shop/.foureyes"]' in steps_text(let_write("claude", paths))
    assert steps_text(let_write("", paths)) == "let this command write /shop/.git, /shop/.foureyes"


def test_the_doctor_warns_where_work_cannot_be_written_and_breaks_nothing_off(desk: DeskWorld) -> None:
    desk.outside.shut.append(Unwritable("the store", "/shop/.foureyes", "Read-only file system"))
    (found,) = [check for check in desk.app.doctor.examine(ALICE) if check.check == "writing"]
    assert (found.result, "the store /shop/.foureyes" in found.message) == ("warn", True)
