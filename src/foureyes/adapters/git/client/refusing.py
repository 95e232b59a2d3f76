"""What the user's own git says of a repository before anything is made in it: refused, unreadable, or nothing."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from foureyes.adapters.git.client.answers import last_words
from foureyes.errors import GitProblem
from foureyes.steps import Steps, fe, in_turn, shell

if TYPE_CHECKING:
    from foureyes.adapters.git.client.git import Git
    from foureyes.adapters.git.client.locate import Located

ANY = (0, 1, 128)


def refuse_refused(git: Git, place: Located) -> None:
    """A repository in which git does nothing for this user, or cannot read what is checked out, is fixed first."""
    here = place.worktree
    if here == place.git_dir:  # bare: whether it may be found from a directory is a setting of the user's
        return
    asked = git.own("rev-parse", "--git-dir", cwd=here, ok=ANY)
    if asked.rc:
        raise GitProblem(f"git refuses the repository {here}: {last_words(asked)}", next_step=_mended(place))
    if git.own("rev-parse", "--verify", "--quiet", "HEAD", cwd=here, ok=ANY).rc:
        return  # nothing is committed yet
    read = git.own("cat-file", "-e", "HEAD^{tree}", cwd=here, ok=ANY)
    if read.rc:
        raise GitProblem(
            f"git cannot read the commit that is checked out in {here}: {last_words(read)}",
            next_step=in_turn(shell("git", "-C", here, "fsck", before="fix the setting named here: "), fe("init")),
        )


def _mended(place: Located) -> Steps:
    """Another user's files are trusted by a word of the caller's; of the rest git itself says what is wrong."""
    owners = {os.lstat(path).st_uid for path in (place.worktree, place.git_dir) if os.path.lexists(path)}
    if owners != {os.geteuid()}:
        trust = shell(
            "git", "config", "--global", "--add", "safe.directory", place.worktree,
            before="it is another user's; if you trust what lies there: ",
        )  # fmt: skip
        return in_turn(trust, fe("init"))
    return in_turn(shell("git", "-C", place.worktree, "status", before="fix what this prints: "), fe("init"))
