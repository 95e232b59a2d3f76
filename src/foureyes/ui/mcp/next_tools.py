"""Next steps as tools, for an agent that cannot type the commands that an answer proposes, because its commands are in
a sandbox.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from foureyes.app.catalog import verbs
from foureyes.steps import Arg, Steps

if TYPE_CHECKING:
    from foureyes.errors import FoureyesError
    from foureyes.ui.mcp.tools import Tool

OTHERS = {"show --context": "task_context", "list --ready": "task_ready"}
"""Commands with an option that have a tool of their own."""


def tools_of(steps: Steps, offered: Mapping[str, Tool]) -> list[str]:
    """The tools that do what the caller would type, in the order of the steps."""
    tools = {tool.verb.command: name for name, tool in [*offered.items()][::-1] if tool.verb.command} | OTHERS
    known = {verb.command for verb in verbs() if verb.command} | {*OTHERS}
    typed = [step.argv[1:] for step in steps.steps if step.who == "you" and step.argv[:1] == ("fe",)]
    names = [tools.get(_command(argv, known), "") for argv in typed]
    return list(dict.fromkeys(name for name in names if name in offered))


def _command(argv: Sequence[str | Arg], known: Collection[str]) -> str:
    """The command of the catalogue that these words call: the longest whose words and options they have."""
    fits = [""]
    for command in known:
        words = [word for word in command.split() if not word.startswith("-")]
        options = [word for word in command.split() if word.startswith("-")]
        if list(argv[: len(words)]) == words and all(option in argv for option in options):
            fits.append(command)
    return max(fits, key=len)


def steps_in(problem: FoureyesError) -> Steps:
    """Return all steps that a refusal proposes."""
    return Steps(*[step for reason in problem.reasons for step in reason.next.steps], *problem.next_step.steps)
