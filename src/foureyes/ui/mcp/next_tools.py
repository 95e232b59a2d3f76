"""Next steps as tools, for an agent that cannot type the commands that an answer proposes, because its commands are in
a sandbox.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from foureyes.steps import Steps

if TYPE_CHECKING:
    from foureyes.errors import FoureyesError
    from foureyes.ui.mcp.tools import Tool

OTHERS = {"context": "task_context", "ready": "task_ready"}
"""Commands that belong to another command's verb."""


def tools_of(steps: Steps, offered: Mapping[str, Tool]) -> list[str]:
    """Return the tools that do what the caller would type, in the order of the steps."""
    commands = {tool.verb.command: name for name, tool in [*offered.items()][::-1] if tool.verb.command} | OTHERS
    typed = [step.argv[1:3] for step in steps.steps if step.who == "you" and step.argv[:1] == ("fe",)]
    names: list[str] = []
    for words in typed:
        plain = [word for word in words if isinstance(word, str)]
        known = [commands.get(" ".join(plain), ""), commands.get(" ".join(plain[:1]), "")]
        names += [name for name in known if name in offered][:1]
    return list(dict.fromkeys(names))


def steps_in(problem: FoureyesError) -> Steps:
    """Return all steps that a refusal proposes."""
    return Steps(*[step for reason in problem.reasons for step in reason.next.steps], *problem.next_step.steps)
