"""A commit of files that somebody else wrote, made from outside: no hook, filter or monitor that the tree or the
repository names is run, and nothing of a repository inside of the tree.

`git add` asks a submodule how it is, by its own configuration; so paths are listed here and put into the index by name.
The user's own filters (for large files, say) and the user's own name are used: they are on nobody's branch.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from contextlib import nullcontext
from os.path import join, realpath

from foureyes.adapters.git.checkouts.checkouts import checkout_at, in_progress, registered, shown_path
from foureyes.adapters.git.checkouts.status import head_ref, status, unresolved, users_excludes
from foureyes.adapters.git.client.answers import as_sha, as_text
from foureyes.adapters.git.client.git import DURABLE, Git
from foureyes.adapters.git.client.locate import Located
from foureyes.adapters.git.client.programs import silenced, users_settings
from foureyes.adapters.git.objects import refs
from foureyes.adapters.process import Finished
from foureyes.app.git_ports import Fence
from foureyes.core.words.fence import some
from foureyes.core.words.ids import Sha
from foureyes.errors import GitProblem
from foureyes.steps import blank, prose, shell

_QUIET = ("-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "core.untrackedCache=false")
_SHOWN = 3
_TRAILERS = ("interpret-trailers", "--no-divider", "--where=end", "--if-exists=addIfDifferent", "--if-missing=add")


def commit_apart(
    git: Git, path: str, message: str, trailers: Sequence[tuple[str, str]], fence: Fence = nullcontext
) -> Sha:
    """Commit everything in the worktree at a path, to the branch that is checked out there. The branch moves inside of
    what `fence` gives (J4).
    """
    place = _checkout(git, path)
    ref = refs.branch(head_ref(git, place.git_dir))
    paths = _paths(git, place)
    old = refs.at(git, ref).value
    if old is None:
        raise GitProblem(f"{ref} has no commit yet", next_step=shell("git", "commit"))
    listed = b"".join(path + b"\0" for path in paths)
    _quietly(git, place, "update-index", "--add", "--remove", "--replace", "-z", "--stdin", stdin=listed)
    tree = _made(_quietly(git, place, "write-tree").out)
    text = _with_trailers(git, message, trailers)
    commit = _made(_quietly(git, place, *DURABLE, "commit-tree", tree, "-p", old, "-F", "-", stdin=text).out)
    with fence():
        moved = refs.swap(git, ref, new=commit, old=old, why="foureyes: commit")
    if not moved:
        raise GitProblem(f"{ref} moved meanwhile", next_step=prose("check it, then try again"))
    return commit


def look_apart(git: Git, path: str, message: str) -> Sha:
    """V1: the files of the worktree at a path as they are now, as a commit on what is checked out there; by an index of
    its own, so that nothing there changes. Repositories inside of it are left out. The commit that is checked out where
    nothing is uncommitted.
    """
    place = _checkout(git, path, busy=True)
    old = refs.at(git, refs.branch(head_ref(git, place.git_dir))).value
    if old is None:
        raise GitProblem(f"{shown_path(path)} has no commit yet", next_step=shell("git", "commit"))
    entries = status(git, place, users_excludes(git))
    paths = [name for code, name in entries if not (code == b"??" and name.endswith(b"/"))]
    if not paths:
        return old
    with tempfile.TemporaryDirectory(dir=git.room_path, prefix="look-") as folder:
        index = join(folder, "index")
        _quietly(git, place, "read-tree", old, index=index)
        listed = b"".join(name + b"\0" for name in paths)
        _quietly(
            git, place, "update-index", "--add", "--remove", "--replace", "-z", "--stdin", stdin=listed, index=index
        )
        tree = _made(_quietly(git, place, "write-tree", index=index).out)
    text = message.strip().encode("utf-8", "surrogateescape") + b"\n"
    return _made(_quietly(git, place, *DURABLE, "commit-tree", tree, "-p", old, "-F", "-", stdin=text).out)


def _checkout(git: Git, path: str, *, busy: bool = False) -> Located:
    """The worktree at a path, as the repository itself has it on record. A link in its place, or in that of the folder
    around it, would have other files committed. `busy`: also in the middle of a merge or a rebase.
    """
    known = next((each for each in registered(git) if each.path == path and realpath(path) == path), None)
    place = checkout_at(git, path) if known and known.branch else None
    if known is None or place is None or head_ref(git, place.git_dir) != known.branch:
        raise GitProblem(
            f"{shown_path(path)} is no worktree of this repository with a branch: there are no files to commit",
            next_step=shell("git", "worktree", "list"),
        )
    if not busy and (doing := in_progress(place)):
        raise GitProblem(f"{doing} is in progress in {shown_path(path)}", next_step=prose("finish it, then try again"))
    return place


def _paths(git: Git, place: Located) -> list[bytes]:
    """What is not committed, each by its name; what is a repository of its own is nobody's to commit."""
    if conflicts := unresolved(git, place):
        raise GitProblem(
            f"{some(conflicts, _SHOWN)} in {shown_path(place.worktree)} has unresolved conflicts",
            next_step=shell("git", "add", blank("PATH")),
        )
    entries = status(git, place, users_excludes(git))
    if inside := [as_text(path) for code, path in entries if code == b"??" and path.endswith(b"/")]:
        raise GitProblem(
            f"{some(inside, _SHOWN)} in {shown_path(place.worktree)} is a git repository of its own",
            next_step=prose("move it out of the worktree, or add it as a submodule yourself"),
        )
    return [path for _, path in entries]


def _quietly(git: Git, place: Located, *args: str, stdin: bytes = b"", index: str = "") -> Finished:
    where = (f"--git-dir={place.git_dir}", f"--work-tree={place.worktree}", "--literal-pathspecs")
    filters = silenced(git.settings(place.git_dir), users_settings(git.own))
    return git.own(*where, *_QUIET, *filters, *args, cwd=place.worktree, stdin=stdin, offline=True, index=index)


def _with_trailers(git: Git, message: str, trailers: Sequence[tuple[str, str]]) -> bytes:
    """In the clean room: what the repository configures for trailers may name a program."""
    for key, value in trailers:
        if "\n" in key + value or not value.strip():
            raise GitProblem(f"the trailer {key} cannot have the value {value!r}: it must be one line")
    named = [word for key, value in trailers for word in ("--trailer", f"{key}: {value}")]
    text = message.strip().encode("utf-8", "surrogateescape") + b"\n"
    return git.room("-c", "core.commentChar=\x01", *_TRAILERS, *named, stdin=text).out if named else text


def _made(out: bytes) -> Sha:
    if (made := as_sha(out.strip())) is None:
        raise GitProblem("git reports a commit, and does not name it", next_step=shell("git", "fsck"))
    return made
