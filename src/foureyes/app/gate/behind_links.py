"""What a change reaches under another name: by links (A4, M4), where a change of what a gate file leads to is one of it;
and by the scripts of checks, which name files that no command names (M4).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from foureyes.core.nouns.attempt import Effect, Mark
from foureyes.core.rules.policy import check_commands, deciding, gate_files
from foureyes.core.words.commands import NamedFiles, called_by, named_by, script_text
from foureyes.core.words.links import other_names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from foureyes.app.call.context import Context
    from foureyes.core.rules.policy import ReviewPolicy
    from foureyes.core.words.ids import Sha

KEPT = 50
"""So many names of each kind are kept with an attempt; one decides as much as all."""


def marks_behind(
    context: Context, policy: ReviewPolicy, tip: Sha, other: Sha, paths: Sequence[str]
) -> tuple[Mark, ...]:
    """The names of gate files, protected paths and files that decide how checks run, under which links of these trees
    lead to what is changed; and what of it a script of a check names. `tip` is a commit.
    """
    if not paths:
        return ()
    own = set(paths)
    names = {name for links in context.repo.links(tip, other) for name in other_names(links, paths)} - own
    ordered = sorted(names)
    called = called_by(_scripts(context, policy, tip), [*dict.fromkeys(paths), *ordered])
    kept = [*gate_files(policy, ordered)[:KEPT], *deciding(policy, ordered, called)[:KEPT]]
    return (
        *[Mark("behind", path) for path in dict.fromkeys(kept)],
        *[Mark("called", path) for path in called[:KEPT]],
    )


def _scripts(context: Context, policy: ReviewPolicy, tip: Sha) -> list[NamedFiles]:
    """What the scripts name that the commands of the checks name, as the target has them: one that the change touches
    is named by the command itself.
    """
    return [
        named_by(script_text(path, text, command), path.rpartition("/")[0])
        for command in check_commands(policy)
        for path, text in context.repo.texts(tip, [*named_by(command).candidates()]).items()
    ]


def with_links(context: Context, policy: ReviewPolicy, effect: Effect, tip: Sha, result: Sha) -> Effect:
    """What a merge does to the target, with the names under which links there lead to it."""
    marks = marks_behind(context, policy, tip, result, effect.paths)
    return replace(effect, marks=(*effect.marks, *marks)) if marks else effect
