"""Real projects through the gate: what `fe init --try` finds, a change that breaks them, and one that does not (D5)."""

from __future__ import annotations

from tests.projects.ground import Ground


def test_a_project_is_found_a_broken_change_is_caught_and_a_good_one_merged_D5(ground: Ground) -> None:
    ground.init()
    shop = ground.shop
    text = shop.on_main("foureyes.toml")
    for name in ground.kind.checks:
        assert f'name = "{name}"' in text, text
    broken, told = ground.worked(ground.kind.broken)
    assert told.rc == 6, told
    assert {row["outcome"] for row in told.json["checks"] if row["required"]} >= {"failed"}, told
    refused = shop.no(shop.cast.alice, "approve", broken.task, "--seen", broken.seen)
    assert set(refused.rules) == {"D5"}, refused
    good, told = ground.worked(ground.kind.good)
    assert told.rc == 0, told
    shop.approve(shop.cast.alice, good)
    assert ground.merged() == {good.task: "merged"}
    for name, text in ground.kind.good.items():
        assert shop.on_main(name) == text.strip()
