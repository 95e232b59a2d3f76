"""Two submissions from one checkout: the second carries the first, and says so, waits for it and goes with it (A7)."""

from __future__ import annotations

import shlex
from typing import Any

import pytest

from tests.stage.checkout import AT_ONCE
from tests.stage.commands import Stage, SubmissionTime
from tests.stage.processes import Caller
from tests.stage.shop import Shop

CHECK = '\n[[checks]]\nname = "t"\nrun = "test -e app.py"\n'


@pytest.fixture
def shop(stage: Stage) -> Shop:
    shop = Shop(stage.repo, stage.cast)
    shop.configure(AT_ONCE + CHECK)
    return shop


def begun(shop: Shop, who: Caller, title: str, *options: str) -> str:
    """A task that somebody plans and somebody else starts, where they stand."""
    task = shop.create(shop.cast.alice, *options, title=title)
    shop.done(who, "start", task, "--here")
    return task


def upper(
    shop: Shop, *options: str, onto: str, who: Caller | None = None, file: str = "small.py"
) -> tuple[SubmissionTime, Any]:
    """A task whose branch begins on another one's, submitted; and what the submission said."""
    who = who or shop.cast.claude
    task = begun(shop, who, f"Small thing in {file}", *options)
    shop.commit(f"fe/{task}", {file: "small\n"}, onto=onto)
    said = shop.done(who, "submit", task, "--branch", f"fe/{task}")
    return SubmissionTime(task, said["diff_id"], f"fe/{task}", said["head"], said["attempt"]), said


def lower(shop: Shop, *options: str, file: str = "login.py") -> SubmissionTime:
    task = begun(shop, shop.cast.claude, "Change login", *options)
    shop.commit(f"fe/{task}", {file: "open\n"}, message=f"login\n\nTask: {task}\n")
    return shop.submit(shop.cast.claude, task)


def rebased(shop: Shop, task: str, hint: str) -> None:
    """Do what a refusal says: the rebase, then the submission."""
    rebase, _, submit = hint.partition(", then: ")
    shop.git(*shlex.split(rebase)[1:], env={"GIT_COMMITTER_NAME": "x", "GIT_COMMITTER_EMAIL": "x@example.org"})
    shop.git("switch", "-q", "main")
    shop.done(shop.cast.claude, *shlex.split(submit)[1:], "--branch", f"fe/{task}")


@pytest.mark.parametrize("option", ["--label=review:auto", "--label=review:batch", "--minor"])
def test_what_carries_a_security_task_is_looked_at_like_one_and_merges_after_it_A7_Q1(shop: Shop, option: str) -> None:
    cast = shop.cast
    login = lower(shop, "-l", "security")
    small, said = upper(shop, option, onto=login.branch)
    assert [(row["task"], row["state"]) for row in said["inside"]] == [(login.task, "in review")]
    text = shop.run(cast.claude, "submit", small.task, "--branch", small.branch).out
    assert "already submitted" in text
    assert (said["mode"], said["status"]) == ("per-task", "reviewing")
    shop.checked(cast.alice, small.task)
    shop.checked(cast.alice, login.task)
    assert shop.status(small.task) == "reviewing"  # no rule approves it
    shop.no(cast.claude, "approve", small.task, "--seen", small.seen)
    shop.may_not_approve(cast.codex, small, rules=["P6"])
    assert shop.merge() == {}
    shop.approve(cast.alice, small)
    (waiting,) = shop.lines(cast.alice, "merge", "--list")
    assert waiting["inside"][0]["task"] == login.task
    assert waiting["why"] == f"waits for {login.task}, whose work it contains (A7)"
    assert shop.merge() == {small.task: "waiting"}
    assert shop.on_main("login.py") == shop.on_main("small.py") == ""
    shop.approve(cast.alice, login)
    assert shop.merge() == {login.task: "merged", small.task: "merged"}  # and nothing is submitted again
    assert shop.on_main("small.py") == "small"
    shop.verify()


def test_a_rejected_task_reaches_nobody_with_another_one_and_the_rebase_takes_it_out_A7(shop: Shop) -> None:
    cast = shop.cast
    one = lower(shop, file="one.txt")
    two, _ = upper(shop, onto=one.branch)
    says = f"it contains 1 commit of {one.task} (in review): merge {one.task} first"
    assert says in " ".join(shop.run(cast.alice, "show", two.task).out.split())
    assert says in shop.run(cast.alice, "queue").out
    for work in (one, two):
        shop.checked(cast.alice, work.task)
    shop.approve(cast.alice, two)
    shop.done(cast.alice, "reject", one.task, "-m", "never want one.txt")
    assert shop.merge() == {two.task: "void"}
    refused = shop.may_not_approve(cast.alice, two, rules=["A7"])
    assert f"{one.task}, which was rejected" in refused.text
    rebased(shop, two.task, refused.hints[-1])
    shop.checked(cast.alice, two.task)
    shop.done(cast.alice, "approve", two.task)
    assert shop.merge() == {two.task: "merged"}
    assert (shop.on_main("small.py"), shop.on_main("one.txt")) == ("small", "")
    assert shop.git("cat-file", "-t", two.head) == "commit"  # nothing is lost


def test_what_was_sent_back_or_handed_in_anew_is_refused_until_the_upper_one_stands_on_it_A7(shop: Shop) -> None:
    cast = shop.cast
    one = lower(shop)
    two, _ = upper(shop, onto=one.branch)
    shop.done(cast.alice, "redo", one.task, "-m", "close it")
    assert "was sent back" in shop.may_not_approve(cast.alice, two, rules=["A7", "D5"]).text
    shop.done(cast.claude, "start", one.task, "--here")
    shop.commit(one.branch, {"login.py": "closed\n"})
    again = shop.submit(cast.claude, one.task)
    refused = shop.may_not_approve(cast.alice, two, rules=["A7", "D5"])
    assert "submitted again with other commits (attempt 2)" in refused.text
    rebased(shop, two.task, refused.hints[1])
    for task in (one.task, two.task):
        shop.checked(cast.alice, task)
        shop.done(cast.alice, "approve", task)
    assert shop.merge() == {one.task: "merged", two.task: "merged"}
    assert (shop.on_main("login.py"), shop.on_main("small.py")) == ("closed", "small")
    assert again.attempt == 2


def dressed(shop: Shop, how: str, one: SubmissionTime, branch: str) -> None:
    """A branch with the work of a task under it, made to look like something else."""
    env = {"GIT_AUTHOR_NAME": "x", "GIT_AUTHOR_EMAIL": "x@example.org", "GIT_AUTHOR_DATE": "1700000000 +0000"}
    env |= {name.replace("AUTHOR", "COMMITTER"): value for name, value in env.items()}
    head, tree = one.head, shop.tip(f"{one.head}^{{tree}}")
    if how in ("amended", "squashed"):
        head = shop.git("commit-tree", tree, "-p", shop.tip("main"), "-m", "nothing of anybody", env=env)
    if how == "moved":
        onto = shop.commit(f"{branch}-first", {f"{branch.replace('/', '-')}.txt": "first\n"})
        shop.git("worktree", "add", "-q", "--detach", str(shop.repo.parent / "moved"), onto)
        shop.git("cherry-pick", one.head, cwd=shop.repo.parent / "moved", env=env)
        head = shop.git("rev-parse", "HEAD", cwd=shop.repo.parent / "moved")
    if how == "squashed":
        both = shop.commit(f"{branch}-both", {"more.py": "more\n"}, onto=head)
        head = shop.git("commit-tree", shop.tip(f"{both}^{{tree}}"), "-p", shop.tip("main"), "-m", "one", env=env)
    if how == "merged in":
        mine = shop.commit(f"{branch}-mine", {"mine.py": "mine\n"})
        merged = shop.git("merge-tree", "--write-tree", mine, one.head).splitlines()[0]
        head = shop.git("commit-tree", merged, "-p", mine, "-p", one.head, "-m", "merge", env=env)
    shop.git("branch", branch, head)


HOWS = ("as it is", "amended", "moved", "squashed", "merged in", "renamed", "gone")


def test_however_it_is_dressed_a_rejected_task_does_not_reach_the_target_by_rule_or_by_eyes_A7(shop: Shop) -> None:
    """Rebased, amended without its trailer, squashed, merged in; its branch renamed or gone."""
    cast = shop.cast
    one = lower(shop, "-l", "security")
    shop.done(cast.alice, "reject", one.task, "-m", "never")
    for how in HOWS:
        task = begun(shop, cast.gemini, how, "-l", "review:auto")
        if how == "renamed":
            shop.git("branch", "-m", one.branch, "other")
        if how == "gone":
            shop.git("branch", "-D", "other")
        dressed(shop, how, one, f"fe/{task}")
        shop.commit(f"fe/{task}", {f"{task}.py": "small\n"})
        said = shop.done(cast.gemini, "submit", task, "--branch", f"fe/{task}")
        assert one.task in [row["task"] for row in said["inside"]], how
        assert shop.checked(cast.job, task)["status"] == "reviewing", how
        refused = shop.no(cast.alice, "approve", task)
        assert any(one.task in line for line in refused.text.split("A7")[1:]), how
        assert shop.merge() == {}, how
    assert shop.on_main("login.py") == ""


def test_the_lower_task_may_come_later_and_takes_the_upper_one_along_when_it_goes_back_A7(shop: Shop) -> None:
    cast = shop.cast
    late = begun(shop, cast.codex, "Change login", "-l", "security")
    shop.commit(f"fe/{late}", {"login.py": "open\n"})
    small, said = upper(shop, "-l", "review:auto", onto=f"fe/{late}")
    assert [(row["task"], row["how"], row["state"]) for row in said["inside"]] == [(late, "branch", "in progress")]
    assert shop.checked(cast.job, small.task)["status"] == "reviewing"
    assert shop.no(cast.codex, "approve", small.task, "--seen", small.seen).rules[-1] == "P6"
    shop.approve(cast.alice, small)
    work = shop.submit(cast.codex, late)
    assert [row["how"] for row in shop.show(small.task)["inside"]] == ["whole"]
    assert shop.merge() == {small.task: "waiting"}
    shop.done(cast.alice, "redo", work.task, "-m", "close it")
    assert shop.merge() == {small.task: "void"}
    assert shop.status(small.task) == "reviewing"


def test_a_merge_by_hand_that_carries_an_unmerged_task_is_on_record_for_both_A7_P8(shop: Shop) -> None:
    cast = shop.cast
    login = lower(shop, "-l", "security")
    small, _ = upper(shop, onto=login.branch)
    shop.checked(cast.alice, small.task)
    shop.approve(cast.alice, small)
    shop.git("merge", "-q", "--no-ff", "-m", "by hand", small.branch)
    assert shop.merge() == {small.task: "found"}
    events = {(row["task"], row["kind"], row["rule"]) for row in shop.lines(cast.alice, "security")}
    assert {(small.task, "merged_by_hand", "A7"), (login.task, "merged_unapproved", "A7")} <= events


def test_a_stack_of_auto_tasks_goes_through_by_rule_from_below_A7_M4(shop: Shop) -> None:
    cast = shop.cast
    one = lower(shop, "-l", "review:auto")
    two, _ = upper(shop, "-l", "review:auto", onto=one.branch)
    assert shop.checked(cast.job, two.task)["status"] == "reviewing"
    assert shop.checked(cast.job, one.task)["status"] == "approved"
    assert shop.merge(cast.job) == {one.task: "merged", two.task: "merged"}


def test_a_stack_on_one_file_is_merged_from_below_without_a_new_hand_in_A7_Q2(shop: Shop) -> None:
    cast = shop.cast
    login = lower(shop)
    task = begun(shop, cast.claude, "More of the login")
    shop.commit(f"fe/{task}", {"login.py": "open\nmore\n"}, onto=login.branch)
    said = shop.done(cast.claude, "submit", task, "--branch", f"fe/{task}")
    for each in (login.task, task):
        shop.checked(cast.alice, each)
    shop.approve(cast.alice, login)
    shop.approve(cast.alice, SubmissionTime(task, said["diff_id"], f"fe/{task}", said["head"], said["attempt"]))
    assert shop.merge() == {login.task: "merged", task: "merged"}
    assert shop.on_main("login.py") == "open\nmore"


def test_what_a_stack_took_back_of_a_lower_task_is_not_taken_back_unseen_on_the_target_A7_Q2(shop: Shop) -> None:
    """Shown is all of the stack, in which nothing of it is left."""
    cast = shop.cast
    base = shop.commit("fe/both", {"auth.py": "def login():\n    return True\n", "b.py": "1\n2\n3\n"})
    shop.git("update-ref", "refs/heads/main", base)
    shop.git("reset", "-q", "--hard")
    fix, small = begun(shop, cast.codex, "Ask for a password"), begun(shop, cast.claude, "Small")
    shop.commit(f"fe/{fix}", {"auth.py": "def login():\n    ask()\n    return True\n", "b.py": "1\n22\n3\n"})
    login = shop.submit(cast.codex, fix)
    shop.commit(f"fe/{small}", {"auth.py": "def login():\n    return True\n", "b.py": "1\n23\n3\n"}, onto=f"fe/{fix}")
    said = shop.done(cast.claude, "submit", small, "--branch", f"fe/{small}")
    two = SubmissionTime(small, said["diff_id"], f"fe/{small}", said["head"], said["attempt"])
    for each in (login, two):
        shop.checked(cast.alice, each.task)
        shop.approve(cast.alice, each)
    assert shop.merge() == {fix: "merged", small: "conflict"}
    assert "ask()" in shop.on_main("auth.py")


def test_what_lies_below_a_lower_task_was_not_looked_at_there_A7(shop: Shop) -> None:
    """The target was moved while the lower one was submitted: a commit below it is in nobody's attempt but this one."""
    main = shop.git("rev-parse", "main")
    hidden = shop.commit("fe/none", {"hidden.py": "evil\n"})
    login = begun(shop, shop.cast.claude, "Login")
    shop.commit(f"fe/{login}", {"login.py": "open\n"}, onto=hidden)
    shop.git("update-ref", "refs/heads/main", hidden)
    shop.done(shop.cast.claude, "submit", login, "--branch", f"fe/{login}")
    shop.git("update-ref", "refs/heads/main", main)
    small, _ = upper(shop, onto=f"fe/{login}")
    page = shop.run(shop.cast.alice, "show", small.task, "--diff").out
    assert "+evil" in page
    assert "looked at there" not in page


@pytest.mark.parametrize("verb", ["reject", "redo"])
def test_a_branch_of_another_task_put_elsewhere_hides_nothing_of_its_work_A7(shop: Shop, verb: str) -> None:
    cast = shop.cast
    small, one = begun(shop, cast.claude, "Small"), lower(shop)
    shop.done(cast.alice, verb, one.task, "-m", "never do that")
    first = shop.commit(f"fe/{small}", {"note.txt": "x\n"})
    shop.commit(f"fe/{small}", {"login.py": "open\n"}, message="login again")
    shop.commit(f"fe/{small}", {"small.py": "s\n"})
    shop.git("update-ref", f"refs/heads/{one.branch}", first)
    said = shop.done(cast.claude, "submit", small, "--branch", f"fe/{small}")
    assert [row["task"] for row in said["inside"]] == [one.task]
    shop.checked(cast.alice, small)
    two = SubmissionTime(small, said["diff_id"], f"fe/{small}", said["head"], said["attempt"])
    shop.may_not_approve(cast.alice, two, rules=["A7"])


def test_who_took_its_own_part_of_another_task_before_is_not_let_off_for_the_rest_A7(shop: Shop) -> None:
    cast = shop.cast
    small, login = (
        begun(shop, cast.claude, "Small", "--label=review:auto"),
        begun(shop, cast.claude, "L", "-l", "security"),
    )
    first = shop.commit(f"fe/{small}", {"small.py": "s\n"})
    shop.submit(cast.claude, small)
    shop.commit(f"fe/{login}", {"login.py": "open\n"}, onto=first)
    shop.done(cast.claude, "submit", login, "--branch", f"fe/{login}")
    shop.git("branch", "-f", f"fe/{small}", "main")
    shop.commit(f"fe/{small}", {"login.py": "open\n"}, message="small again")
    again = shop.done(cast.claude, "submit", small, "--branch", f"fe/{small}")
    assert [row["task"] for row in again["inside"]] == [login]
    shop.checked(cast.alice, small)
    assert shop.status(small) == "reviewing"


def test_a_branch_that_was_there_before_anybody_had_the_task_is_nobodys_to_take_up_P2_K1(shop: Shop) -> None:
    task = shop.create(shop.cast.alice, title="Not begun")
    shop.commit(f"fe/{task}", {"evil.py": "evil\n"})
    refused = shop.run(shop.cast.codex, "start", task, "--worktree")
    assert refused.rc != 0
    assert "has no author on record" in refused.err
    assert shop.status(task) == "open"


def typed(shop: Shop, who: Caller, hint: str) -> None:
    """Type every command of a hint, as it stands."""
    for command in hint.split(", then: "):
        words = shlex.split(command)
        if words[0] == "git":
            shop.git(*words[1:], env={"GIT_COMMITTER_NAME": "x", "GIT_COMMITTER_EMAIL": "x@example.org"})
        else:
            shop.done(who, *words[1:])


def test_what_was_sent_back_does_not_come_along_once_its_task_was_merged_with_something_else_A7_A6(shop: Shop) -> None:
    cast = shop.cast
    one = lower(shop, "-l", "security")
    shop.done(cast.alice, "redo", one.task, "-m", "close it", "--fresh")
    shop.done(cast.claude, "start", one.task, "--here")
    shop.git("branch", "-f", one.branch, "main")
    shop.commit(one.branch, {"login.py": "closed\n"})
    again = shop.submit(cast.claude, one.task)
    shop.checked(cast.alice, one.task)
    shop.approve(cast.alice, again)
    assert shop.merge() == {one.task: "merged"}
    two = begun(shop, cast.gemini, "Small", "-l", "review:auto")
    shop.commit(f"fe/{two}", {"login.py": "open\n", "small.py": "small\n"})
    said = shop.done(cast.gemini, "submit", two, "--branch", f"fe/{two}")
    assert [(row["task"], row["state"]) for row in said["inside"]] == [(one.task, "sent back")]
    assert shop.checked(cast.job, two)["status"] == "reviewing"
    shop.no(cast.alice, "approve", two, rules=["A7"])
    shop.done(cast.alice, "approve", two, "--break-glass", "we want it open after all")
    assert shop.merge() == {two: "merged"}
    assert one.task in shop.lines(cast.alice, "security")[0]["detail"]
    shop.verify()


def test_who_was_first_waits_for_nobody_and_what_a_hint_says_works_when_it_is_typed_A7_A5(shop: Shop) -> None:
    cast = shop.cast
    mine = begun(shop, cast.claude, "Mine")
    first = shop.commit(f"fe/{mine}", {"mine.py": "one\n"})
    shop.commit(f"fe/{mine}", {"mine.py": "two\n"})
    work = shop.submit(cast.claude, mine)
    late = begun(shop, cast.codex, "In the way")
    shop.git("branch", f"fe/{late}", first)
    shop.done(cast.codex, "submit", late, "--branch", f"fe/{late}")
    assert shop.show(mine)["inside"] == []
    shop.done(cast.alice, "reject", late, "-m", "no")
    shop.checked(cast.alice, mine)
    shop.approve(cast.alice, work)
    assert shop.merge() == {mine: "merged"}
    one = lower(shop)
    shop.git("switch", "-q", one.branch)
    two = begun(shop, cast.claude, "On the branch of another")
    assert "contains only the work of" in shop.no(cast.claude, "submit", two, rules=["A5"]).text
    shop.commit(one.branch, {"small.py": "small\n"})
    shop.git("reset", "-q", "--hard")
    said = shop.run(cast.claude, "submit", two)
    assert f"the branch of {one.task}" in said.out
    shop.done(cast.alice, "reject", one.task, "-m", "never")
    refused = shop.no(cast.alice, "approve", two)
    typed(shop, cast.claude, next(hint for hint in refused.hints if hint.startswith("git")))
    shop.checked(cast.alice, two)
    shop.done(cast.alice, "approve", two)
    assert shop.merge() == {two: "merged"}
    assert (shop.on_main("small.py"), shop.on_main("login.py")) == ("small", "")
    assert shop.tip(one.branch) != shop.tip("main")  # the other task's branch is skipped
