"""What a run is told: the prompt for its purpose, how it says that it is over (S1), how the one before ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

from foureyes.app.review.prompts import Prompts
from foureyes.app.run.rows import PastRow
from foureyes.core.nouns.run import ROLE_FOR
from foureyes.core.words.fence import fenced
from foureyes.core.words.text import one_line

if TYPE_CHECKING:
    from foureyes.app.call.context import Context
    from foureyes.core.nouns.session import Actor
    from foureyes.core.run.step import StartRun

FAILURE_LENGTH = 2_000

ENDING = """
## How your run ends

You work without a person at the terminal: no one answers questions. Commit your work on the branch that is checked out
here, and leave the branch as it is. When you are finished, the last line of your last message says how it ended, as one
line of JSON and outside of any code block:

{{"type": "signal", "signal": "DONE", "message": "what you did, for the reviewer"}}

DONE: the task is done and everything is committed. NEEDS_REVIEW: it should be reviewed before it goes on. BLOCKED: it
cannot go on without a person, and the message says what is missing. FAILED: it did not work out. The same can be said
by `fe agent signal DONE -m "…"` or by submitting yourself: `fe submit {task} -m "…"`.

What others should know while you work, you say by such a line in a message of yours, or by `fe agent emit`; the types are
milestone, blocker, request_review, progress and question:

{{"type": "milestone", "summary": "the parser reads every sample"}}
"""
LEADING = """
## How your run ends

You decide with exactly one of the commands above; no one answers questions. Without a decision it goes to a person.
"""
ASKING = """Your last run on {task} ended without a signal. Is the work done?

Check what you have committed and what is left to do. If something is missing, do it now and commit it.
"""
FAILING = """
## The run before this one

An earlier run on this task came to nothing. What it committed is on this branch. How it ended:

{how}

Do not repeat what did not work. Read the branch first, then go on from there.
"""


def prompt_for(context: Context, runner: Actor, step: StartRun) -> str:
    """The whole prompt of a run; where it goes on with a conversation, only what is new."""
    ending = LEADING if step.purpose == "lead" else ENDING.format(task=step.task)
    if step.asks == "signal" and step.resumes:
        return ASKING.format(task=step.task) + ending
    before = _before(context, step) if step.asks == "failure" else ""
    if step.resumes and before:
        return before.lstrip() + ending
    return Prompts(context).make(runner, step.task, step.purpose).text + before + ending


def _before(context: Context, step: StartRun) -> str:
    """How the run before ended, in its own words: data, fenced."""
    with context.store.read() as tx:
        past = tx.all("runner.past", PastRow, ids=[step.task])
    rows = [row for row in past if ROLE_FOR[row.purpose] == ROLE_FOR[step.purpose]]
    if not rows:
        return ""
    last = rows[-1]
    how = last.error_text or last.message or last.final or _in_words(last)
    return FAILING.format(how=fenced(one_line(how, FAILURE_LENGTH)))


def _in_words(row: PastRow) -> str:
    if row.ending == "finished":
        return "it signalled DONE, and nothing had changed"
    return {"timeout": "it took too long", "lost": "it was cut off", "stopped": "it was stopped"}.get(
        row.ending, "it failed without a word"
    )
