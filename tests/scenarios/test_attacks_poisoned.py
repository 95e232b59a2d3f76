"""A submission whose objects are gone, by real processes: it is told, and keeps nobody else from anything (D5, Q1)."""

from __future__ import annotations

import pytest

from tests.stage.commands import Stage
from tests.stage.shop import Shop, with_pipeline

pytestmark = pytest.mark.scenario

ONE_CHECK = '\n[[checks]]\nname = "tests"\nrun = "true"\n'


def lose(shop: Shop, name: str) -> None:
    """An object of git is deleted, as any program of the same user can do."""
    sha = shop.git("rev-parse", name)
    (shop.repo / ".git" / "objects" / sha[:2] / sha[2:]).unlink()


@pytest.mark.parametrize("what", ["fe/{}:bad.py", "fe/{}^{{tree}}", "fe/{}"])
def test_one_hand_in_whose_objects_are_gone_keeps_no_other_from_its_checks_D5_Q1(stage: Stage, what: str) -> None:
    shop, cast = with_pipeline(stage, ONE_CHECK), stage.cast
    bad, good, approved = (
        shop.deliver(who, shop.create(cast.alice, "-l", "review:auto", title=title), {f"{title}.py": f"{title} = 1\n"})
        for who, title in ((cast.claude, "bad"), (cast.codex, "good"), (cast.codex, "done"))
    )
    assert shop.checked(cast.job, approved.task)["status"] == "approved"
    lose(shop, what.format(bad.task))
    said = shop.run(cast.job, "check", "run")
    is_checked = what == "fe/{}"  # its tree is still there; the merge finds out
    assert said.rc == (0 if is_checked else 6), said
    assert bad.task in said.out, said
    assert shop.status(good.task) == "approved"
    assert shop.status(bad.task) == ("approved" if is_checked else "reviewing")
    for words in (("queue",), ("status",), ("reviewable",), ("list",)):
        assert shop.run(cast.alice, *words).rc == 0, words
    stuck = {bad.task: "stuck"} if is_checked else {}
    assert shop.merge(cast.job) == {good.task: "merged", approved.task: "merged", **stuck}
    broken = shop.run(cast.alice, "audit", "verify")
    assert broken.rc == 6, broken
    assert f"attempt 1 of {bad.task}" in broken.out + broken.err, broken
