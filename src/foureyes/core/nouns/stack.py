"""Stacks (A7): the work of other tasks that an attempt has inside it, as it was found at a submission."""

from __future__ import annotations

from typing import Literal

import msgspec

from foureyes.core.words.ids import TaskId

How = Literal["whole", "part", "carved", "copied", "quoted", "branch", "trailer"]
TAKEN_ALONG: frozenset[How] = frozenset({"whole", "part", "copied", "branch", "trailer"})
"""Work of the other task that a merge would take to the target with it. What is carved or quoted is this task's own as
well, and reviewed as that.
"""


class Below(msgspec.Struct, frozen=True, kw_only=True):
    """Work of another task inside an attempt.

    `how`: whole: every commit of its attempt · part: some of its commits, or some that it has no longer · carved: the
    attempt is a part of what the other task had submitted before · copied: every file that the other attempt leaves
    behind, under other commits · quoted: some of these contents, commits that both have, or those on the branch of a
    task that was begun later; only the strictness of the other task counts · branch: commits that stand on the other
    task's branch · trailer: commits that name it. `attempt`: which one of the other task; 0 where it had submitted
    nothing. `commits`: how many; `top`: the last of them, where it is known.
    """

    task: TaskId
    how: How
    attempt: int = 0
    commits: int = 0
    top: str = ""
