"""A plan that several tests import."""

from __future__ import annotations

from foureyes.core.nouns.session import Actor

from tests.stage.people import ALICE
from tests.stage.world import DeskWorld

PLAN = """# Plan: the shop

Some words before.

## Task: Add sign-in
Labels: review:per-task, security
Priority: P1
Type: feature
Depends on: Refactor utils
Acceptance:
  - signs in
  - signs out

With refresh tokens.

```
## Task: not one, it is in a fence
```

## Task: Refactor utils

## Notes
Not a task.
"""


def import_(desk: DeskWorld, text: str, actor: Actor = ALICE, group: str = "") -> dict[str, str]:
    """Task ids by title."""
    return {row.title: row.task for row in desk.app.plans.import_(actor, text, "plan.md", group=group)}
