"""`make demo`: from a plan to a merge in a throw-away repository, with two fake agents, a person and a CI job.

Every line that is printed below a command is what that command really said. A step that does not do what the story
says ends the demo with exit code 1. Nothing outside the temporary directory is touched, nothing asks, no network.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import shop
from story import Story, StoryBroken, found


class Tasks(NamedTuple):
    """The ids of the tasks of the plan."""

    greet: str
    login: str
    receipt: str
    rename: str


def set_the_stage(s: Story) -> None:
    """A small repository with tests, and a plan."""
    for name, text in shop.SHOP.items():
        (s.repo / name).write_text(text, encoding="utf-8")
    (s.folder / "plan.md").write_text(shop.PLAN, encoding="utf-8")
    name = "git config user.name Alice && git config user.email alice@example.org"
    s.do(s.alice, f"git init -q -b main && {name} && git add . && git commit -q -m 'A small shop'", quiet=True)


def check_the_players(s: Story) -> None:
    """Everybody must be seen as who they play: who is above a detached process is up to the machine."""
    for player, kind in ((s.alice, "human"), (s.claude, "agent"), (s.codex, "agent"), (s.ci, "service")):
        s.do(player, "fe whoami", f": {kind}, observed", quiet=True)


def plan(s: Story) -> Tasks:
    """Alice sets up the project with the checks that it has, and imports her plan."""
    s.tell(
        "1. Alice makes the repository a project. Its Makefile has tests: they become the checks. She imports her plan."
    )
    s.do(s.alice, "fe init --try", "Foureyes project created.", "tried: passed")
    check_the_players(s)
    s.do(s.alice, "fe policy set review.human.settle_seconds 1", quiet=True)
    text = s.do(s.alice, "fe plan import ../plan.md", "planned 4 tasks")
    return Tasks(*(found(rf"(fe-\w+) .*{title}", text) for title in ("Greet", "Log in", "Print", "Call")))


def by_the_rule(s: Story, t: Tasks) -> None:
    """A simple task needs nobody's look, and says why."""
    s.tell(
        "2. claude works in a checkout of its own and hands in. CI runs the checks on exactly that; the rule "
        "decides, and says why."
    )
    s.start(s.claude, t.greet)
    s.write(s.claude, t.greet, shop.GREETING)
    s.submit(s.claude, t.greet, "Greet by name", "auto-approve", "was not run")
    s.do(s.ci, "fe check run", "approved by the rule (M4")
    s.do(s.ci, f"fe show {t.greet}", "2/2 checks, iteration 1, signal DONE")
    s.do(s.ci, "fe merge", f"merged   {t.greet}", "checks 2/2")


def nobody_approves_their_own(s: Story, t: Tasks) -> None:
    """claude tries to approve itself; another agent may."""
    s.tell(
        "3. claude hands in the receipt and tries to approve its own work. It is refused: somebody else has to look."
    )
    s.start(s.claude, t.receipt, quiet=True)
    s.write(s.claude, t.receipt, shop.RECEIPT)
    seen = s.submit(s.claude, t.receipt, "Print a receipt", "batch")
    s.do(s.ci, f"fe check run {t.receipt}", quiet=True)
    mine = f"fe approve {t.receipt} --seen {seen}"
    s.do(
        s.claude,
        f"{mine} -m 'looks good to me'",
        "P2",
        "whoever made a change may not approve it",
        "nothing was changed",
        expect=1,
    )
    findings(s, t, seen)


def findings(s: Story, t: Tasks, seen: str) -> None:
    """A review with findings, an answer to each, and a ruling on the answer."""
    s.tell(
        "4. codex reviews it: one finding blocks, and comes with a patch. claude answers it; codex rules on "
        "the answer, and approves."
    )
    (s.folder / "review.json").write_text(json.dumps(shop.REVIEW), encoding="utf-8")
    s.do(
        s.codex,
        f"fe review submit {t.receipt} ../review.json --seen {seen}",
        "CHANGES_REQUESTED: 1 open blocking, sent back",
    )
    s.start(s.claude, t.receipt)
    place = s.worktree(t.receipt)
    name = f"TL-{t.receipt}-1-001"
    s.do(s.claude, f"fe submit {t.receipt}", f"{name} HIGH has no answer", expect=1, at=place)
    s.do(s.claude, f"fe finding apply {name}", "applied the patch", at=place)
    s.write(s.claude, t.receipt, shop.BETTER_TEST)
    s.do(
        s.claude,
        f'fe finding respond {name} --fixed -m "two decimals, and a test with 19.99"',
        "0 blocking left to answer",
    )
    again = s.submit(s.claude, t.receipt, "Print two decimals", "attempt 2")
    s.do(s.ci, f"fe check run {t.receipt}", quiet=True)
    mine = f"fe approve {t.receipt} --seen {again} -m 'read it, added two prices by hand'"
    s.do(s.codex, mine, "is claimed fixed, and nobody verified it", expect=1)
    s.do(s.codex, f"fe finding rule {name} --verified", "VERIFIED; no blocking finding is open")
    s.do(s.codex, mine, f"approved {t.receipt} (P7)")


def queue(s: Story, t: Tasks) -> None:
    """Agents go on while people are away; the queue tells what to look at first."""
    s.tell(
        "5. The agents go on. When Alice has time she looks at the queue: what needs her most comes first, "
        "with the reasons."
    )
    for who, task, files, message in (
        (s.claude, t.login, shop.LOGIN, "Log in with a password"),
        (s.codex, t.rename, shop.RENAMED, "Rename gross to with_vat"),
    ):
        s.start(who, task, quiet=True)
        s.write(who, task, files)
        s.submit(who, task, message)
    s.do(s.ci, "fe check run", quiet=True)
    s.do(s.alice, "fe queue", "2 tasks wait in review", "auto-approvable 1", "security label")


def feedback(s: Story, t: Tasks) -> str:
    """Alice sends work back; the next prompt says why."""
    s.tell("6. Alice sends the login back. What she says is in the next prompt of whoever works on it.")
    s.do(
        s.alice,
        f'fe redo {t.login} --issue tests -m "nobody tries a wrong password; and compare in constant time"',
        "open again",
    )
    s.do(
        s.claude,
        f"fe context {t.login}",
        "Feedback (Iteration 1)",
        "- Tests incomplete",
        "> nobody tries a wrong password",
    )
    s.start(s.claude, t.login, quiet=True)
    s.write(s.claude, t.login, shop.BETTER_LOGIN)
    seen = s.submit(s.claude, t.login, "Compare in constant time, test a wrong password", "attempt 2")
    s.do(s.ci, f"fe check run {t.login}", quiet=True)
    return seen


def approve(s: Story, t: Tasks, seen: str) -> None:
    """A person approves: one she read, and all that the rules call harmless."""
    s.tell(
        "7. Alice reads and approves the login; what is green and not risky she approves in one go. All "
        "three wait to be merged."
    )
    s.do(s.alice, f"fe show {t.login} --diff", "compare_digest", quiet=True)
    s.do(s.alice, f"fe approve {t.login} --seen {seen}", f"approved {t.login}")
    s.do(s.alice, "fe approve --all-auto --yes", f"approved {t.rename}")
    s.do(s.alice, "fe merges list", t.login, t.receipt, t.rename)


def merge(s: Story, t: Tasks, seen: str) -> None:
    """The merge queue checks what main would become: one is merged, one is red, one is not what was approved."""
    s.tell("8. After the approval claude slips one more line into the login. Then CI works the merge queue off.")
    s.write(s.claude, t.login, shop.BACKDOOR)
    s.do(s.claude, "git commit -q -a -m 'Just a detail'", at=s.worktree(t.login))
    lines = (f"merged   {t.receipt}", f"VOID     {t.login}", f"RED      {t.rename}")
    text = s.do(s.ci, "fe merge --wait", *lines, expect=6)
    found(rf"VOID +{t.login} +(the approval no longer holds: D4 )", text)
    s.tell(
        "9. Alone the new name was green; together with the receipt it is not. main never moved there, and "
        "codex is told why."
    )
    s.do(s.codex, f"fe context {t.rename}", "On top of main, required checks fail (tests); main was not moved.")
    s.tell(
        "10. claude takes its line out again. Alice's approval does not come back by itself: she gives it "
        "again, and it is merged."
    )
    s.do(s.claude, "git reset -q --hard HEAD~1", at=s.worktree(t.login))
    s.do(s.alice, f"fe approve {t.login} --seen {seen}", f"approved {t.login}")
    s.do(s.ci, "fe merge --wait", f"merged   {t.login}")


def audit(s: Story, t: Tasks) -> None:
    """The journal is verified; a copy with one edited row is not."""
    s.tell("11. The journal. Somebody edits one row of a copy with a plain SQL client: the row is named.")
    s.do(s.alice, "fe audit verify", "rows verified")
    copy = s.folder / "copy"
    shutil.copytree(s.repo, copy)
    update = "UPDATE journal SET payload = replace(payload, 'two prices', 'every price') WHERE kind = 'Approved'"
    s.do(s.alice, f'python -m apsw .foureyes/store.db "{update}"', at=copy)
    s.do(s.alice, "fe audit verify", f"(Approved of {t.receipt}) was changed after it was written", expect=6, at=copy)
    shutil.rmtree(copy)


def look_back(s: Story, t: Tasks) -> None:
    """What is on main, and where everything else is."""
    s.tell("12. What is on main: every merge names its task, its approval and the journal. The rename waits for codex.")
    s.do(s.alice, "git log --graph --oneline main", *(f"Merge {task}: " for task in (t.greet, t.receipt, t.login)))
    s.do(s.alice, "git log -1 --format=%(trailers) main", f"Task: {t.login}", "Approved-by: ses-", "Journal: ")
    s.do(s.alice, "make test lint", "OK")
    s.do(s.alice, "fe status", "open 1 (1 ready", "closed 3")
    rows = (
        ("fe queue, fe show ID, fe audit log", "what waits, everything about a task, every step that was taken"),
        (".foureyes/store.db", "the journal: fe audit verify"),
        (".foureyes/feedback/", "what was said about each task"),
        (f".foureyes/worktrees/{t.rename}", "where codex goes on"),
        ("git for-each-ref refs/foureyes", "every attempt that was ever handed in"),
        ("foureyes.toml", "the checks and the rules, reviewed like everything else"),
    )
    print("\nWhere to look:")
    print("".join(f"  {what:<38}  {why}\n" for what, why in rows), end="")


def your_turn(s: Story, t: Tasks) -> None:
    """Three tasks wait for whoever watched: one that changed after it was red, a risky one, and a routine one."""
    s.tell(
        "13. The agents go on: codex renames it in the receipt, too; claude takes two more tasks. They wait for you."
    )
    refund, empty = (
        found(r"(fe-\w+)", s.do(s.alice, f'fe create "{title}" -l {label}', quiet=True))
        for title, label in (("Refund an order", "security"), ("Refuse an empty greeting", "review:batch"))
    )
    for who, task, files, message in (
        (s.codex, t.rename, shop.RENAMED_AGAIN, "Call it with_vat in the receipt, too"),
        (s.claude, refund, shop.REFUND, "Refund an order"),
        (s.claude, empty, shop.NO_EMPTY_GREETING, "Refuse an empty greeting"),
    ):
        s.start(who, task, quiet=True)
        if task == t.rename:
            s.do(who, "git merge -q -m 'Take main in' main", at=s.worktree(task), quiet=True)
        s.write(who, task, files)
        s.submit(who, task, message)
    s.do(s.ci, "fe check run", quiet=True)
    s.do(s.alice, "fe queue", "3 tasks wait in review")


def play(folder: Path) -> None:
    """The whole story."""
    print(
        "Nothing is done until a different pair of eyes has agreed. One repository, two agents, one person, one CI job."
    )
    print("Nothing outside of a temporary directory is touched.")
    s = Story(folder)
    try:
        set_the_stage(s)
        t = plan(s)
        by_the_rule(s, t)
        nobody_approves_their_own(s, t)
        queue(s, t)
        seen = feedback(s, t)
        approve(s, t, seen)
        merge(s, t, seen)
        audit(s, t)
        look_back(s, t)
        your_turn(s, t)
    finally:
        s.close()
    command = Path(sys.executable).with_name("fe")
    print(f"\nfe is {command}" if command.exists() else "")
    print(
        "Your turn: three tasks wait for you there. R opens the queue, Enter a task, D its diff, A approves, ? is help."
    )
    print(f"Kept in {s.repo}. Look around: cd {s.repo} && fe     Yours: fe init")


def main() -> int:
    """0 when everything went as told, 1 when not."""
    folder = Path(tempfile.mkdtemp(prefix="foureyes-demo-"))
    try:
        play(folder)
    except (StoryBroken, OSError) as problem:
        sys.stdout.flush()
        print(f"\nThe demo failed. {problem}\nKept for a look: {folder}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
