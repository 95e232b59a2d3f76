"""A plan drafted by an agent: the prompt for it, and the plan in the answer. (M7)"""

from __future__ import annotations

from collections.abc import Sequence

from foureyes.core.words.untrusted_text import fenced

FENCE = "```"
HEADING = "## Task"
PLANNING = """You plan work for others. You write no code, change no files and create no tasks. The project's files are in
this directory. Read what you need to find the parts that the goal touches.

## The goal

{goal}
{known}
## Your answer

Your last message is the plan and nothing else, as Markdown with one section per task:

## Task 1: A title that names the result
Labels: review:per-task
Priority: P1
Depends on: Task 2
Acceptance: how to tell that it is done

The rest of a section is its description: which files, which pitfalls, what is out of scope.

- A task is small enough to be done and reviewed in one go, and leaves everything working.
- `Depends on` names tasks of this plan by number or title, or existing tasks by id. Leave out what does not apply.
- Labels: `review:per-task` for what a person should look at by itself (interfaces, data, security), `review:auto` for
  what tests prove.
"""
KNOWN = """
## What is already planned

Do not plan these again. Your tasks may depend on them.

{tasks}
"""
RETRY = """Your last message could not be read as a plan:

{problem}

Answer with the whole plan once more, and nothing else.
"""


def planning_prompt(goal: str, known: Sequence[str]) -> str:
    """Return the prompt for an agent that plans a goal. Text by others is fenced as data."""
    tasks = KNOWN.format(tasks=fenced("\n".join(known))) if known else ""
    return PLANNING.format(goal=fenced(goal), known=tasks)


def retrying_prompt(problem: str, prompt: str) -> str:
    """Return the prompt again, with the problem of the first answer. The agent remembers nothing of it."""
    return f"{prompt}\n## Your first answer\n\n{RETRY.format(problem=fenced(problem))}"


def plan_in(answer: str) -> str:
    """Return the plan in a last message: everything from its first section on, without a surrounding fence or a
    trailing signal.
    """
    lines = answer.strip().splitlines()
    first = next((n for n, line in enumerate(lines) if line.startswith(HEADING)), 0)
    fence = next((line.strip() for line in reversed(lines[:first]) if line.strip()), "")
    kept = lines[first:]
    if fence.startswith(FENCE):
        mark = fence[: len(fence) - len(fence.lstrip("`"))]
        end = next((n for n, line in enumerate(kept) if line.strip() == mark), len(kept))
        kept = kept[:end]
    while kept and (not kept[-1].strip() or kept[-1].lstrip().startswith('{"type"')):
        kept.pop()
    return "\n".join(kept) + "\n" if kept else ""
