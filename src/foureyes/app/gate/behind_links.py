"""What a change reaches by links (A4, M4): where a gate file is a link, a change of what it leads to is one of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from foureyes.core.nouns.attempt import Effect, Mark
from foureyes.core.rules.policy import deciding_paths, gate_files
from foureyes.core.words.globs import matching_any_case
from foureyes.core.words.links import other_names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from foureyes.app.call.context import Context
    from foureyes.core.rules.policy import ReviewPolicy
    from foureyes.core.words.ids import Sha

KEPT = 50
"""So many names of each kind are kept with an attempt; one decides as much as all."""


def marks_behind(
    context: Context, policy: ReviewPolicy, trees: Sequence[Sha], paths: Sequence[str]
) -> tuple[Mark, ...]:
    """The names of gate files, protected paths and files that decide how checks run, under which links of these trees
    lead to what is changed.
    """
    if not paths:
        return ()
    own = set(paths)
    names = {name for links in context.repo.links(*trees) for name in other_names(links, paths)} - own
    ordered = sorted(names)
    kept = [*gate_files(policy, ordered)[:KEPT], *matching_any_case(ordered, deciding_paths(policy))[:KEPT]]
    return tuple(Mark("behind", path) for path in dict.fromkeys(kept))


def with_links(context: Context, policy: ReviewPolicy, effect: Effect, tip: Sha, result: Sha) -> Effect:
    """What a merge does to the target, with the names under which links there lead to it."""
    marks = marks_behind(context, policy, (tip, result), effect.paths)
    return replace(effect, marks=(*effect.marks, *marks)) if marks else effect
