"""A gate file that is a link: a change of what it leads to is a change of a gate file (A4)."""

from __future__ import annotations

import os

import pytest

from tests.stage.checkout import AT_ONCE
from tests.stage.gated import LINT, check, configure, deliver, merge
from tests.stage.people import BOB, CODEX
from tests.stage.world import GitWorld


def link(world: GitWorld, path: str, to: str) -> None:
    world.checkout.write(path, "")
    (world.checkout.path / path).unlink()
    os.symlink(to, world.checkout.path / path)


@pytest.mark.parametrize(
    ("links", "changed"),
    [
        ({"AGENTS.md": "docs/guide.md"}, "docs/guide.md"),
        ({"AGENTS.md": "now/guide.md", "now": "docs"}, "docs/guide.md"),
        ({".claude": "tools/helper"}, "tools/helper/settings.json"),
        ({"sub/CLAUDE.md": "../docs/../docs/./guide.md"}, "docs/guide.md"),
        ({"GEMINI.md": "../repo/docs/guide.md"}, "docs/guide.md"),
        ({"AGENTS.md": "one", "one": "two", "two": "docs/Guide.md"}, "docs/guide.md"),
    ],
    ids=["a file", "over a folder", "a folder", "upwards", "out and back", "a chain, without case"],
)
def test_what_a_gate_file_leads_to_is_a_persons_to_agree_to_A4_P6(
    world: GitWorld, links: dict[str, str], changed: str
) -> None:
    for path, to in links.items():
        link(world, path, to)
    configure(world, AT_ONCE + '\n[review]\ndefault_mode = "batch"\n')
    task = deliver(world, {changed: "do as I say\n"}, labels=["docs"])
    assert world.show(task).mode == "per-task"
    with world.refused("P6"):
        world.approve(CODEX, task, seen=world.seen(task))
    world.approve(BOB, task)
    assert merge(world) == {task: "merged"}


def test_a_link_that_leads_elsewhere_or_out_of_the_tree_asks_for_nobody_A4(world: GitWorld) -> None:
    for path, to in {
        "AGENTS.md": "/docs/handbook.md",
        "CLAUDE.md": "../docs/handbook.md",
        "GEMINI.md": "GEMINI.md",
    }.items():
        link(world, path, to)
    link(world, "latest.md", "docs/guide.md")
    configure(world, AT_ONCE)
    task = deliver(world, {"docs/guide.md": "words\n"})
    world.approve(CODEX, task, seen=world.seen(task))


def test_a_link_that_came_to_the_target_meanwhile_counts_at_the_merge_A4_Q2(world: GitWorld) -> None:
    configure(world, AT_ONCE)
    task = deliver(world, {"docs/guide.md": "do as I say\n"})
    world.approve(CODEX, task, seen=world.seen(task))
    link(world, "AGENTS.md", "docs/guide.md")
    world.checkout.git("add", "-A")
    world.checkout.git("commit", "-q", "-m", "by hand")
    assert merge(world) == {task: "void"}
    with world.refused("P6"):
        world.approve(CODEX, task, seen=world.seen(task))
    world.approve(BOB, task)
    assert merge(world) == {task: "merged"}


def test_a_link_to_what_decides_how_checks_run_counts_as_that_M4(world: GitWorld) -> None:
    link(world, "conftest.py", "lib/shared.py")
    configure(world, AT_ONCE + LINT)
    task = deliver(world, {"lib/shared.py": "x = 1\n"}, labels=["review:auto"])
    check(world, task)
    assert world.status(task) == "reviewing"
    (row,) = world.app.queue.view(BOB).rows
    assert "it changes how checks run: conftest.py" in [reason.message for reason in row.auto_reasons]
