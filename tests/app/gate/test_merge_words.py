"""What a merge says to git: its trailers are found whatever the author wrote (J3)."""

from __future__ import annotations

import pytest

from foureyes.core.words.ids import Sha

from tests.stage.checkout import AT_ONCE
from tests.stage.gated import configure, merge
from tests.stage.people import ALICE, BOB, CLAUDE
from tests.stage.world import GitWorld

SCISSORS = "# ------------------------ >8 ------------------------"


@pytest.mark.on("sqlite")
@pytest.mark.parametrize("message", [SCISSORS, "# done", "Journal: 999999:ffff", "---"])
def test_no_message_of_an_author_hides_the_anchor_of_its_merge_or_passes_for_one_J3(
    world: GitWorld, message: str
) -> None:
    configure(world, AT_ONCE)
    for text in (message, ""):
        task = world.create(title="a title")
        world.work(CLAUDE, task)
        world.submit(CLAUDE, task, message=text)
        world.checkout.switch("main")
        world.approve(BOB, task)
        assert merge(world) == {task: "merged"}
        anchors = world.checkout.git("log", "-1", "--format=%(trailers:key=Journal,valueonly)", "main").split()
        assert [world.checkout.port().last_anchor("main")] == anchors


@pytest.mark.on("sqlite")
def test_anchors_count_since_the_last_merge_only_if_main_has_that_J3(world: GitWorld) -> None:
    git, port = world.checkout.git, world.checkout.port()
    git("commit", "-q", "--allow-empty", "-m", "x\n\nJournal: 999999:ffff")
    old = world.checkout.head()
    git("commit", "-q", "--allow-empty", "-m", "x\n\nJournal: 5:ffff")
    known = world.checkout.head()
    git("commit", "-q", "--allow-empty", "-m", "x\n\nJournal: 4:ffff")
    assert port.last_anchor("main") == port.last_anchor("main", old) == "999999:ffff"
    assert port.last_anchor("main", known) == "5:ffff"
    assert port.last_anchor("main", world.checkout.head()) == "4:ffff"
    for elsewhere in (Sha("0" * 40), world.checkout.head("HEAD^{tree}")):
        assert port.last_anchor("main", elsewhere) == "999999:ffff"


@pytest.mark.on("sqlite")
def test_status_and_start_see_an_anchor_that_lies_in_a_pack_P12_J3(world: GitWorld) -> None:
    """What a clone fetched lies in packs: there `fe status` was silent about a store that lacks the last merge."""
    task = world.create(title="merged elsewhere")
    world.checkout.git("commit", "-q", "--allow-empty", "-m", f"x\n\nTask: {task}\nJournal: 999999:ffff")
    world.checkout.git("commit", "-q", "--allow-empty", "-m", "later")
    loose = [world.checkout.port().last_anchor("main"), *world.app.status.show(ALICE).notes]
    for pack in (("repack", "-adq"), ("pack-refs", "--all")):
        world.checkout.git(*pack)
        assert [world.checkout.port().last_anchor("main"), *world.app.status.show(ALICE).notes] == loose
    assert loose[0] == "999999:ffff"
    assert "does not have, so the store is an older state or a copy" in str(loose)
    with world.refused("P12"):
        world.start(CLAUDE, task)


@pytest.mark.on("sqlite")
def test_an_anchor_counts_where_git_sees_no_trailer_P12_J3(world: GitWorld) -> None:
    for words in (f"Journal: 999999:ffff\n\n{SCISSORS}", "Journal: 999999:ffff\n\nand a word after it"):
        world.checkout.git("commit", "-q", "--allow-empty", "-m", f"x\n\n{words}")
        assert world.checkout.port().last_anchor("main") == "999999:ffff"
    world.checkout.commit("b.py", message=f"x\n\n{SCISSORS}\nJournal:")
    assert world.checkout.port().last_anchor("main") == "nothing"
    with world.refused("P12"):
        world.app.merges.process(ALICE)
