"""Commits files: those of the caller as the caller's own git would, and those of another author without running any
program of theirs."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from os.path import isfile, join, realpath, relpath

from foureyes.adapters.git.checkouts.checkouts import checkout_at, in_progress, registered, shown_path
from foureyes.adapters.git.checkouts.status import LOOK, STORE, head_ref, masks, status, unresolved, users_excludes
from foureyes.adapters.git.client.answers import as_sha, as_text
from foureyes.adapters.git.client.config_programs import silenced, users_settings
from foureyes.adapters.git.client.git import DURABLE, Git
from foureyes.adapters.git.client.locate import Located
from foureyes.adapters.git.objects import refs
from foureyes.adapters.process import Finished
from foureyes.app.git_ports import Additions, Fence
from foureyes.core.words.ids import Sha
from foureyes.core.words.refs import DETACHED
from foureyes.core.words.untrusted_text import some
from foureyes.errors import GitProblem
from foureyes.steps import blank, in_turn, prose, shell

# ---- Commits by the caller's own git ----

_ADD_TRAILERS = ("-c", "trailer.ifexists=addIfDifferent", "-c", "trailer.ifmissing=add", "-c", "trailer.separators=:")


def commit_all(git: Git, place: Located, message: str, trailers: Sequence[tuple[str, str]]) -> Sha:
    """Commit everything except untracked files of the store, which belongs to no branch."""
    _must_have_files(place)
    if conflicts := unresolved(git, place):
        raise GitProblem(
            f"{some(conflicts, 3)} in {place.worktree} has unresolved conflicts",
            next_step=shell("git", "status"),
        )
    excludes = ("-c", f"core.excludesFile={users_excludes(git)}")
    but = [f":(top,exclude,literal){path}" for path in masks(git, place)]
    git.own(*excludes, "add", "--update", *(("--", ".", *but) if but else ()), cwd=place.worktree)
    git.own(*excludes, "add", "--all", "--", ".", ":(top,exclude).foureyes", *but, cwd=place.worktree)
    git.own(*_ADD_TRAILERS, "commit", *_message(message), *_trailers(trailers), cwd=place.worktree)
    return _head(git, place)


def _message(message: str) -> tuple[str, ...]:
    # "whitespace": without an editor, a message line that starts with # is not a comment.
    return ("--quiet", "--cleanup=whitespace", f"--message={message}")


def _trailers(trailers: Sequence[tuple[str, str]]) -> Iterator[str]:
    for key, value in trailers:
        if "\n" in key + value or not value.strip():
            raise GitProblem(f"the trailer {key} cannot have the value {value!r}: it must be one line")
        yield f"--trailer={key}={value}"


def commit_file(git: Git, place: Located, path: str, message: str) -> Sha:
    """Commit one path as it is on disk. Leaves other staged or changed files as they are. Does nothing if the path is
    unchanged."""
    _must_have_files(place)
    if head_ref(git, place.git_dir) == DETACHED:
        raise GitProblem(
            f"no branch is checked out in {place.worktree}", next_step=shell("git", "switch", blank("BRANCH"))
        )
    _commit_path(git, place, path, message)
    return _head(git, place)


def _commit_path(git: Git, place: Located, path: str, message: str) -> None:
    name = relpath(join(place.worktree, path), place.worktree)
    on_disk = join(place.worktree, name)
    if name.startswith("..") or not (isfile(on_disk) or os.path.islink(on_disk)):
        raise GitProblem(f"there is no file {path} in {place.worktree}")
    codes = {code for code, _ in status(git, place, "/dev/null", name)} or _untracked_file(git, place, name)
    if not codes:
        return
    new = b"??" in codes
    if new:
        git.own("--literal-pathspecs", "add", "--intent-to-add", "--force", "--", name, cwd=place.worktree)
    try:
        git.own("--literal-pathspecs", "commit", "--only", *_message(message), "--", name, cwd=place.worktree)
    except GitProblem:
        if new:
            git.own("--literal-pathspecs", "rm", "--quiet", "--cached", "--", name, cwd=place.worktree, ok=(0, 1, 128))
        _refuse_nameless(git, place)
        raise


def _refuse_nameless(git: Git, place: Located) -> None:
    """Raise GitProblem if git has no user name yet, as before the first commit on a new machine."""
    if git.own("var", "GIT_COMMITTER_IDENT", cwd=place.worktree, ok=(0, 1, 128)).rc:
        name, mail = (
            shell("git", "config", "--global", f"user.{key}", blank(key.upper())) for key in ("name", "email")
        )
        raise GitProblem("git does not know who you are", next_step=in_turn(name, mail))


def _untracked_file(git: Git, place: Located, name: str) -> set[bytes]:
    """Return the untracked code for a file that status does not list, because it is ignored or belongs to the store."""
    listed = git.real(
        "--literal-pathspecs", "ls-files", "-z", "--", name, git_dir=place.git_dir, work_tree=place.worktree
    )
    return set() if listed.out else {b"??"}


def _must_have_files(place: Located) -> None:
    if place.worktree == place.git_dir:
        raise GitProblem(
            f"{place.worktree} is a bare repository: there are no files to commit",
            next_step=shell("git", "worktree", "add"),
        )


def _head(git: Git, place: Located) -> Sha:
    """Return the commit now checked out."""
    out = git.real("rev-parse", "--verify", "--quiet", "HEAD^{commit}", ok=(0, 1), git_dir=place.git_dir).out
    if (made := as_sha(out.strip())) is None:
        raise GitProblem(f"git committed, but HEAD of {place.worktree} has no commit")
    return made


# ---- Commits of another author's files ----

# `git add` runs git in submodules with their own configuration, so list the paths here and add them by name. The user's
# own filters (such as git-lfs) and identity apply, because no branch can change those.

_QUIET = ("-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "core.untrackedCache=false")
_SHOWN = 3
_TRAILERS = ("interpret-trailers", "--no-divider", "--where=end", "--if-exists=addIfDifferent", "--if-missing=add")


def commit_separately(
    git: Git, path: str, message: str, trailers: Sequence[tuple[str, str]], fence: Fence = nullcontext
) -> Sha:
    """Commit everything in the worktree at a path to its branch. The branch moves inside `fence`. (J4)"""
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


def snapshot_worktree(git: Git, path: str, message: str) -> Sha:
    """Commit the current files of the worktree at a path, on top of its checked-out commit. (V1)

    A separate index is used, so that the worktree stays unchanged. Nested repositories are left out. If nothing is
    uncommitted, return the checked-out commit itself.
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
    """Return the worktree at a path if git's own records agree. Raise GitProblem during a merge or rebase, unless
    `busy`.

    A symbolic link there, or in a parent folder, would make us commit other files.
    """
    known = next((each for each in registered(git) if each.path == path and realpath(path) == path), None)
    place = checkout_at(git, path) if known and known.branch else None
    if known is None or place is None or head_ref(git, place.git_dir) != known.branch:
        raise GitProblem(
            f"{shown_path(path)} is not a worktree of this repository on a branch, so there are no files to commit",
            next_step=shell("git", "worktree", "list"),
        )
    if not busy and (doing := in_progress(place)):
        raise GitProblem(f"{doing} is in progress in {shown_path(path)}", next_step=prose("finish it, then try again"))
    return place


def _paths(git: Git, place: Located) -> list[bytes]:
    """Return the uncommitted paths. Raise GitProblem for conflicts and for nested repositories."""
    if conflicts := unresolved(git, place):
        raise GitProblem(
            f"{some(conflicts, _SHOWN)} in {shown_path(place.worktree)} has unresolved conflicts",
            next_step=shell("git", "add", blank("PATH")),
        )
    entries = status(git, place, users_excludes(git))
    if inside := [as_text(path) for code, path in entries if code == b"??" and path.endswith(b"/")]:
        raise GitProblem(
            f"{some(inside, _SHOWN)} in {shown_path(place.worktree)} is a separate git repository",
            next_step=prose("move it out of the worktree, or add it as a submodule yourself"),
        )
    return [path for _, path in entries]


def _quietly(git: Git, place: Located, *args: str, stdin: bytes = b"", index: str = "") -> Finished:
    where = (f"--git-dir={place.git_dir}", f"--work-tree={place.worktree}", "--literal-pathspecs")
    filters = silenced(git.settings(place.git_dir), users_settings(git.own))
    return git.own(*where, *_QUIET, *filters, *args, cwd=place.worktree, stdin=stdin, offline=True, index=index)


def _with_trailers(git: Git, message: str, trailers: Sequence[tuple[str, str]]) -> bytes:
    """Add the trailers in the clean room, because the repository's trailer settings may name a program."""
    for key, value in trailers:
        if "\n" in key + value or not value.strip():
            raise GitProblem(f"the trailer {key} cannot have the value {value!r}: it must be one line")
    named = [word for key, value in trailers for word in ("--trailer", f"{key}: {value}")]
    text = message.strip().encode("utf-8", "surrogateescape") + b"\n"
    return git.room("-c", "core.commentChar=\x01", *_TRAILERS, *named, stdin=text).out if named else text


def _made(out: bytes) -> Sha:
    if (made := as_sha(out.strip())) is None:
        raise GitProblem("git reports a commit but does not name it", next_step=shell("git", "fsck"))
    return made


# ---- Additions ----

# New means absent from the last commit, staged or not. For a file both staged and on disk, the larger one counts,
# because anyone can set the index bits that decide which one is committed.

_STATUS = ("status", "--porcelain=v2", "-z", "--untracked-files=no", "--ignore-submodules=dirty", "--no-renames")


def additions(git: Git, places: Sequence[Located]) -> Additions:
    """Return what commits of everything in these checkouts would add: new files, and the growth of existing ones."""
    new: dict[str, int] = {}
    grown: dict[str, int] = {}
    for place in places:
        staged, before = _tracked(git, place)
        sizes = _sizes(git, {*staged.values(), *before.values()})
        for path in sorted({*staged, *_untracked(git, place)}):
            size = max(_on_disk(place, path), sizes.get(staged.get(path, b""), 0))
            if path not in before:
                new[as_text(path)] = size
            elif (more := size - sizes.get(before[path], 0)) > 0:
                grown[as_text(path)] = more
    return Additions(new=new, grown=grown)


def _tracked(git: Git, place: Located) -> tuple[dict[bytes, bytes], dict[bytes, bytes]]:
    """Return the objects of changed files, as staged and as last committed."""
    out = git.real(*LOOK, *_STATUS, git_dir=place.git_dir, work_tree=place.worktree).out
    staged, before = {}, {}
    for row in out.split(b"\0"):
        # 1 XY sub mode mode mode head index path. A conflict (u) has no commit.
        parts = row.split(b" ", 8)
        if parts[0] != b"1" or len(parts) < 9 or parts[1] == b"AD":  # staged, and gone again: it is not committed
            continue
        path = parts[8]
        staged[path] = parts[7]
        if parts[6].strip(b"0"):
            before[path] = parts[6]
    return staged, before


def _untracked(git: Git, place: Located) -> set[bytes]:
    entries = status(git, place, users_excludes(git))
    return {path for code, path in entries if code == b"??" and not path.startswith(STORE)}


def _on_disk(place: Located, path: bytes) -> int:
    try:
        return os.lstat(join(os.fsencode(place.worktree), path)).st_size
    except OSError:  # it went meanwhile
        return 0


def _sizes(git: Git, objects: set[bytes]) -> dict[bytes, int]:
    """Return the sizes of objects. A submodule's commit is not in this repository and has none."""
    asked = b"".join(sha + b"\n" for sha in sorted(objects) if sha.strip(b"0"))
    if not asked:
        return {}
    rows = git.real("cat-file", "--batch-check=%(objectname) %(objectsize)", stdin=asked).out.split(b"\n")
    pairs = [row.split(b" ") for row in rows if row]
    return {sha: int(size) for sha, size in pairs if size.isdigit()}
