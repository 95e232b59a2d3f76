"""A store merges only into its own target: the one whose foureyes.toml names it and whose last anchor it holds (P12,
J3).
"""

from __future__ import annotations

import pytest

from foureyes.errors import ConfigError

from tests.stage.checkout import SETTINGS
from tests.stage.people import ALICE, BOB, CI, CLAUDE, CODEX
from tests.stage.world import GitWorld


def approved(world: GitWorld) -> str:
    """An approved task whose branch is merged by hand."""
    task = world.submitted_task()
    world.approve(BOB, task)
    world.checkout.switch("main")
    world.checkout.git("merge", "-q", "--no-ff", "-m", "merge", f"fe/{task}")
    return task


def test_the_own_target_is_recognised_P12(world: GitWorld) -> None:
    task = approved(world)
    assert [row.merged for row in world.app.merges.process(ALICE)] == [True]
    assert world.status(task) == "closed"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (SETTINGS.replace("0123", "9999"), "names project 9999"),
        ("[review]\npolicy = 'strict'\n", "names no project"),
        (None, "is missing"),
    ],
    ids=["another project", "no project", "no file"],
)
def test_a_target_that_does_not_name_the_project_is_not_merged_into_P12(
    world: GitWorld, text: str | None, words: str
) -> None:
    task = approved(world)
    if text is None:
        world.checkout.git("rm", "-q", "foureyes.toml")
        world.checkout.git("commit", "-q", "-m", "gone")
    else:
        world.checkout.commit("foureyes.toml", text)
    with world.refused("P12") as caught:
        world.app.merges.process(ALICE)
    assert words in caught[0].reasons[0].message
    assert world.status(task) == "approved"


@pytest.mark.parametrize("anchor", ["1:0000", "999999:0000", "rubbish", "-1:x", "9" * 30 + ":x"])
def test_a_target_with_an_anchor_of_another_journal_is_not_merged_into_P12_J3(world: GitWorld, anchor: str) -> None:
    approved(world)
    world.checkout.commit("other.py", message=f"merged elsewhere\n\nJournal: {anchor}")
    with world.refused("P12"):
        world.app.merges.process(ALICE)


def test_the_last_anchor_of_the_own_journal_is_held_P12_J3(world: GitWorld) -> None:
    row = world.app.audit.log(limit=1)[0]
    world.checkout.commit("b.py", message=f"of this store\n\nJournal: {row.seq}:{row.hash}")
    world.checkout.commit(
        "c.py", message="talks about it\n\nJournal: is a word at the start of this line\n\nand ends without a trailer"
    )
    task = approved(world)
    world.app.merges.process(ALICE)
    assert world.status(task) == "closed"


# Gate files (A4): a change of the configuration is approved by a person, and accepted by that (P12)

STRICT = SETTINGS + '[review]\npolicy = "strict"\n'


def proposed(world: GitWorld, text: str = STRICT) -> str:
    """A task in review that changes foureyes.toml."""
    task = world.create()
    world.work(CLAUDE, task, name="foureyes.toml", text=text)
    world.submit(CLAUDE, task)
    return task


def test_a_change_of_a_gate_file_needs_a_person_A4_P6(world: GitWorld) -> None:
    world.app.policy.accept(ALICE)
    task = proposed(world)
    with world.refused("P6") as caught:
        world.approve(CODEX, task, reason="fine")
    assert "foureyes.toml" in caught[0].reasons[0].message
    world.approve(BOB, task)
    world.checkout.switch("main")
    world.checkout.git("merge", "-q", "--no-ff", "-m", "merge", f"fe/{task}")
    assert setting(world) == "balanced", "approved and on the target, and not yet recognised"
    with world.refused("D5"):
        world.app.merges.process(CODEX)
    world.app.merges.process(CI)
    assert setting(world) == "strict", "what a person approved, that person accepted (P12)"
    world.sound()


def setting(world: GitWorld) -> str:
    return str(next(row.value for row in world.app.policy.show(BOB) if row.key == "review.policy"))


@pytest.mark.parametrize(
    "text", [SETTINGS + '[review]\npolicy = "trusted"\n', None], ids=["changed once more", "not valid"]
)
def test_what_nobody_approved_or_cannot_be_in_force_is_not_accepted_by_a_merge_P12(
    world: GitWorld, text: str | None
) -> None:
    world.app.policy.accept(ALICE)
    task = proposed(world, STRICT if text else SETTINGS + "[review]\npolicy = 'lax'\n")
    world.approve(BOB, task)
    world.checkout.switch("main")
    world.checkout.git("merge", "-q", "--no-ff", "-m", "merge", f"fe/{task}")
    if text:
        world.checkout.commit("foureyes.toml", text)
    if text is None:
        with pytest.raises(ConfigError):
            world.app.merges.process(ALICE)
    else:
        world.app.merges.process(ALICE)
    assert setting(world) == "balanced"


GATE = [
    "CLAUDE.md",
    "sub/AGENTS.md",
    ".claude/settings.json",
    ".gitattributes",
    "x/.mcp.json",
    ".github/workflows/ci.yml",
]


@pytest.mark.parametrize("path", GATE)
def test_instructions_attributes_and_protected_paths_are_gate_files_A4(world: GitWorld, path: str) -> None:
    task = world.create(minor=True)
    world.work(CLAUDE, task, name=path)
    world.submit(CLAUDE, task)
    for who in (CODEX, CLAUDE):
        with world.refused("P6"):
            world.approve(who, task, reason="fine")
    assert world.approve(BOB, task).rule in ("P7", "P1")
