"""What broke between approval and target branch in the systems before us, each tried with real git."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.stage.checkout import AT_ONCE
from tests.stage.commands import Stage, SubmissionTime
from tests.stage.shop import TESTS, Shop, commit_in, with_pipeline

pytestmark = pytest.mark.scenario

BODY = "def pay(amount, known):\n    check(amount)\n    if known:\n        log(amount)\n    send(amount)\n"
MOVED = BODY.replace("    send", "        send")
"""The last line belongs to the `if` now."""


@pytest.fixture
def shop(stage: Stage) -> Shop:
    """A project with one check; an approval settles at once."""
    return with_pipeline(stage, AT_ONCE + TESTS)


def approved(shop: Shop, files: dict[str, str], *options: str, title: str = "Add login") -> SubmissionTime:
    """A task that claude made, a service checked and a person approved."""
    task = shop.create(shop.cast.alice, *options, title=title)
    work = shop.deliver(shop.cast.claude, task, files)
    shop.checked(shop.cast.job, task)
    shop.approve(shop.cast.alice, work)
    return work


def push(shop: Shop, files: dict[str, str], message: str = "meanwhile") -> str:
    """Somebody commits on main, in the checkout that has it."""
    return commit_in(shop, shop.repo, files, message)


# Whose commits are whose


def test_a_task_is_found_by_what_git_holds_and_never_by_words_in_a_message(shop: Shop) -> None:
    work = approved(shop, {"src/login.py": "login\n"})
    before = push(
        shop, {"src/a.py": "a\n"}, f"[{work.task}] Merge {work.task}: Add login\n\nTask: {work.task}\nAttempt: 1"
    )
    assert shop.status(work.task) == "approved"
    assert shop.merge() == {work.task: "merged"}
    tip = shop.tip()
    assert (shop.git("rev-parse", f"{tip}^1"), shop.git("rev-parse", f"{tip}^2")) == (before, work.head)
    assert shop.show(work.task)["task"]["merge"] == tip


def test_a_fresh_start_takes_back_its_own_branch_and_no_commit_that_only_names_it(shop: Shop) -> None:
    cast = shop.cast
    one, two = (shop.create(cast.alice, title=title) for title in ("One", "Two"))
    kept = push(shop, {"src/main.py": "x\n"}, f"prepare [{one}]")
    other = shop.deliver(cast.codex, two, {"src/two.py": "2\n"}, message=f"[{one}] belongs to [{two}]\n\nTask: {one}")
    mine = shop.deliver(cast.claude, one, {"src/one.py": "1\n"})
    shop.done(cast.alice, "redo", one, "--fresh", "-m", "begin again")
    assert (shop.tip(), shop.tip(other.branch), shop.tip(mine.branch)) == (kept, other.head, kept)
    assert (shop.status(two), shop.tip(f"refs/foureyes/attempts/{one}/1")) == ("reviewing", mine.head)


# What was approved is what is merged


def test_an_attempt_whose_branch_was_rebased_is_done_only_when_main_holds_it(shop: Shop) -> None:
    work = approved(shop, {"src/login.py": "login\n"})
    moved = push(shop, {"src/other.py": "other\n"})
    new = shop.commit(work.branch, {"src/login.py": "login\n"}, onto="main")
    assert new != work.head
    assert shop.status(work.task) == "approved"
    assert shop.merge() == {work.task: "merged"}
    tip = shop.show(work.task)["task"]["merge"]
    assert (tip, shop.git("rev-parse", f"{tip}^1")) == (shop.tip(), moved)
    assert (shop.on_main("src/login.py"), shop.on_main("src/other.py")) == ("login", "other")


def test_a_rebase_that_changes_the_work_ends_the_approval_and_nothing_is_marked_done(shop: Shop) -> None:
    work = approved(shop, {"src/login.py": "login\n"})
    moved = push(shop, {"src/other.py": "other\n"})
    shop.commit(work.branch, {"src/login.py": "login, and a back door\n"}, onto="main")
    assert shop.merge() == {work.task: "void"}
    page = shop.show(work.task)
    assert (page["task"]["status"], page["task"]["merge"], page["approvals"][0]["state"]) == (
        "reviewing",
        None,
        "ended",
    )
    assert "D4" in page["approvals"][0]["ended_why"]
    assert (shop.tip(), shop.on_main("src/login.py")) == (moved, "")
    shop.no(shop.cast.alice, "approve", work.task, rules=["D4"])


def test_a_line_that_moved_into_an_if_is_not_what_was_approved(shop: Shop) -> None:
    work = approved(shop, {"src/pay.py": BODY})
    before = shop.tip()
    shop.commit(work.branch, {"src/pay.py": MOVED}, onto="main")
    assert shop.merge() == {work.task: "void"}
    assert (shop.status(work.task), shop.tip()) == ("reviewing", before)
    again = shop.submit(shop.cast.claude, work.task)
    assert (again.attempt, again.diff_id == work.diff_id) == (2, False)
    refused = shop.no(shop.cast.alice, "approve", work.task, "--seen", work.seen, rc=1)
    assert "D7" in refused.rules
    diffs = [shop.git("diff-tree", "-p", head).encode() for head in (work.head, again.head)]
    assert len({shop.git("patch-id", "--stable", stdin=diff).split()[0] for diff in diffs}) == 1


# One task does not stop another


def test_held_conflicting_and_stuck_items_never_block_the_others(stage: Stage, tmp_path: Path) -> None:
    flag = tmp_path / "broken"
    shop = with_pipeline(
        stage, f'{AT_ONCE}[[checks]]\nname = "net"\nrun = "[ ! -e src/net.py ] || [ ! -e {flag} ] || exit 127"\n'
    )
    cast = shop.cast
    held = approved(shop, {"src/held.py": "h\n"}, "-p", "0")
    clash = approved(shop, {"src/prices.py": "# the net price of two\n"}, "-p", "1")
    stuck = approved(shop, {"src/net.py": "n\n"}, "-p", "2")
    fine = approved(shop, {"src/fine.py": "f\n"}, "-p", "3")
    shop.done(cast.alice, "hold", held.task, "-m", "legal looks first")
    push(shop, {"src/prices.py": "# the net price of one\n"})
    flag.touch()
    outcomes = {held.task: "waiting", clash.task: "conflict", stuck.task: "stuck", fine.task: "merged"}
    assert shop.merge(cast.job) == outcomes
    assert [bool(shop.on_main(f"src/{name}.py")) for name in ("held", "net", "fine")] == [False, False, True]
    assert [shop.status(work.task) for work in (held, clash, stuck, fine)] == ["approved", "open", "approved", "closed"]
    prompt = shop.context(clash.task)
    assert "conflicts in 1 file:\n> - src/prices.py\n" in prompt
    flag.unlink()
    assert shop.merge() == {held.task: "waiting", stuck.task: "merged"}
    shop.done(cast.alice, "resume", held.task, "-m", "legal is fine")
    assert shop.merge() == {held.task: "merged"}
    shop.verify()


def test_each_is_green_alone_and_the_second_is_red_on_top_of_the_first(shop: Shop) -> None:
    one = approved(shop, {"src/price.py": "OLD = 1\n", "tests/test_one.sh": "! grep -rq NEW src\n"})
    two = approved(shop, {"src/new.py": "NEW = 2\n"})
    three = approved(shop, {"src/three.py": "3\n"})
    assert shop.merge() == {one.task: "merged", two.task: "checks", three.task: "merged"}
    assert (shop.status(two.task), shop.on_main("src/new.py"), shop.on_main("src/three.py")) == ("open", "", "3")
    assert "shop::test_one" in shop.context(two.task)
    assert shop.show(two.task)["task"]["merge_failures"] == 1


# Done means merged


def test_a_dependent_is_free_when_the_work_is_on_main_and_not_before(shop: Shop) -> None:
    cast = shop.cast
    base = shop.create(cast.alice, title="Token store")
    task = shop.create(cast.alice, "--depends-on", base, title="Login")
    work = shop.deliver(cast.claude, base, {"src/tokens.py": "t\n"})
    shop.checked(cast.job, base)
    shop.no(cast.codex, "start", task, rules=["T3"])
    shop.approve(cast.alice, work)
    assert (shop.status(base), shop.lines(cast.codex, "ready")) == ("approved", [])
    shop.no(cast.codex, "start", task, rules=["T3"])
    assert shop.merge() == {base: "merged"}
    place = Path(shop.done(cast.codex, "start", task, "--worktree")["worktree"])
    assert (place / "src/tokens.py").read_text() == "t\n"


def test_what_is_closed_as_merged_has_its_evidence_and_what_has_none_is_listed(shop: Shop) -> None:
    cast = shop.cast
    work = approved(shop, {"src/login.py": "login\n"})
    shop.no(cast.claude, "close", work.task, "-m", "done", rc=1)
    shop.merge()
    page, tip = shop.show(work.task), shop.tip()
    assert (page["task"]["resolution"], page["task"]["merge"], shop.trailers(tip)["Task"]) == ("merged", tip, work.task)
    assert [(row["diff_id"], row["state"]) for row in page["approvals"]] == [(work.diff_id, "active")]
    assert {row["outcome"] for row in page["checks"]} == {"passed"}
    loose = shop.deliver(cast.claude, shop.create(cast.codex), {"src/loose.py": "x\n"})
    shop.no(cast.claude, "close", loose.task, "-m", "done", rules=["C1"])
    shop.done(cast.codex, "close", loose.task, "-m", "not needed")
    assert [row["id"] for row in shop.lines(cast.alice, "list", "--unmerged")] == [loose.task]
    assert (shop.merge(), shop.on_main("src/loose.py")) == ({}, "")
    shop.verify()


def test_merge_merges_nothing_that_is_not_approved_whoever_asks(shop: Shop) -> None:
    cast, before = shop.cast, shop.tip()
    waiting = shop.deliver(cast.claude, shop.create(cast.alice), {"src/a.py": "a\n"})
    shop.checked(cast.job, waiting.task)
    taken_back = approved(shop, {"src/b.py": "b\n"})
    shop.done(cast.alice, "approve", "--withdraw", taken_back.task)
    rejected = shop.deliver(cast.claude, shop.create(cast.alice), {"src/c.py": "c\n"})
    shop.done(cast.alice, "reject", rejected.task, "-m", "no")
    shop.no(cast.claude, "merge", rules=["D5"])
    for who in (cast.job, cast.alice):
        assert shop.merge(who) == {}
    shop.no(cast.alice, "merge", "--retry", waiting.task, rules=["T2"])
    assert shop.tip() == before


def test_an_approval_that_would_not_be_given_now_is_void_when_it_merges(shop: Shop) -> None:
    cast = shop.cast
    task = shop.create(cast.alice)
    work = shop.deliver(cast.claude, task, {"src/login.py": "login\n"})
    shop.checked(cast.job, task)
    shop.approve(cast.gemini, work)
    before = shop.tip()
    shop.done(cast.alice, "label", "add", task, "security")
    assert shop.merge(cast.job) == {task: "void"}
    assert (shop.status(task), shop.tip(), shop.show(task)["approvals"][0]["state"]) == ("reviewing", before, "ended")
    shop.approve(cast.alice, work)
    assert shop.merge(cast.job) == {task: "merged"}
