"""What a merge says: to the journal of git, to who gets a task back, to who has a checkout of the target."""

from __future__ import annotations

from foureyes.app.findings.by_rule import failures_in_words
from foureyes.app.git_ports import CaughtUp
from foureyes.app.ports import Tx
from foureyes.app.views.journal import JournalHead
from foureyes.app.views.merge import MergeItem
from foureyes.app.views.news import News
from foureyes.core.nouns.attempt import Attempt
from foureyes.core.nouns.check import CheckState
from foureyes.core.rules.facts import Facts
from foureyes.core.words.fence import named
from foureyes.core.words.ids import ANCHOR, seen_name
from foureyes.steps import NO_STEP

PATHS_SHOWN = 20
MESSAGE_LIMIT = 500


def commit_message(facts: Facts, item: MergeItem, head: JournalHead) -> str:
    """J3: the merge commit names task, approval and attempt, and anchors the journal."""
    assert facts.attempt is not None
    given = " ".join(facts.attempt.message.split())[:MESSAGE_LIMIT]
    # A line that begins like a comment may be where git takes a message to end, and the trailers come after it; one
    # that begins like an anchor would be one.
    body = f"{'> ' if given.startswith(('#', ANCHOR)) else ''}{given}\n\n" if given else ""
    title = " ".join(facts.task.title.split())
    return (
        f"Merge {item.task}: {title}\n\n{body}"
        f"Task: {item.task}\nApproved-by: {item.approver}\nAttempt: {facts.attempt.n}\n"
        f"{ANCHOR} {head.seq}:{head.hash}\n"
    )


def conflict_words(target: str, tip: str, paths: tuple[str, ...]) -> str:
    """Automatic feedback for a conflict."""
    lines = [f"Merging into {target} at {tip[:7]} conflicts in {len(paths)} {'file' if len(paths) == 1 else 'files'}:"]
    lines += [f"- {named(path)}" for path in paths[:PATHS_SHOWN]]
    return "\n".join([*lines, f"Bring {target} into your branch, resolve, run the checks, and submit again."])


def other_change_words(attempt: Attempt, found: str) -> str:
    """A2: what git has for an attempt is not what was approved."""
    return (
        f"git now reads another change than the one that was submitted as attempt {attempt.n} "
        f"(diff id {attempt.seen}, now {seen_name(attempt.n, found)}): objects of the repository were changed, or another git made the diff. Submit it again for review."
    )


def red_words(tx: Tx, task: str, target: str, red: list[CheckState]) -> str:
    """Automatic feedback for checks that are red on the merge result."""
    names = ", ".join(state.rule.name for state in red)
    words = failures_in_words(tx, task, red)
    return f"On top of {target}, required checks fail ({names}); {target} was not moved.\n{words}"


def checkout_news(checkout: CaughtUp) -> News:
    """Q5: what became of a checkout of the target, as seen from where the caller stands."""
    became = "brought up to date" if checkout.moved else f"skipped: {checkout.why}"
    where = "this checkout" if checkout.here == "." else checkout.here
    return News(f"{where}: {became}", NO_STEP if checkout.moved else checkout.next)
