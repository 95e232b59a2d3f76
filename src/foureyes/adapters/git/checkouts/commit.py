"""Commits of people's files, made as the caller's own git would: its configuration, hooks and identity."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from os.path import isfile, join, relpath

from foureyes.adapters.git.checkouts.status import head_ref, masks, status, unresolved, users_excludes
from foureyes.adapters.git.client.answers import as_sha
from foureyes.adapters.git.client.git import Git
from foureyes.adapters.git.client.locate import Located
from foureyes.core.words.fence import some
from foureyes.core.words.ids import Sha
from foureyes.core.words.refs import DETACHED
from foureyes.errors import GitProblem
from foureyes.steps import blank, in_turn, shell

_ADD_TRAILERS = ("-c", "trailer.ifexists=addIfDifferent", "-c", "trailer.ifmissing=add", "-c", "trailer.separators=:")


def commit_all(git: Git, place: Located, message: str, trailers: Sequence[tuple[str, str]]) -> Sha:
    """Commit everything that can be, except new files of the store, which belongs to no branch."""
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
    # "whitespace": a message line that starts with # is no comment here, nobody saw an editor.
    return ("--quiet", "--cleanup=whitespace", f"--message={message}")


def _trailers(trailers: Sequence[tuple[str, str]]) -> Iterator[str]:
    for key, value in trailers:
        if "\n" in key + value or not value.strip():
            raise GitProblem(f"the trailer {key} cannot have the value {value!r}: it must be one line")
        yield f"--trailer={key}={value}"


def commit_file(git: Git, place: Located, path: str, message: str) -> Sha:
    """Commit one path as it is on disk; whatever else is staged or changed stays so. Nothing to commit is no error."""
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
    codes = {code for code, _ in status(git, place, "/dev/null", name)} or _untracked(git, place, name)
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
    """The first commit on a new machine fails where nobody told git a name."""
    if git.own("var", "GIT_COMMITTER_IDENT", cwd=place.worktree, ok=(0, 1, 128)).rc:
        name, mail = (
            shell("git", "config", "--global", f"user.{key}", blank(key.upper())) for key in ("name", "email")
        )
        raise GitProblem("git does not know who you are", next_step=in_turn(name, mail))


def _untracked(git: Git, place: Located, name: str) -> set[bytes]:
    """An ignored file and one of the store are not listed by status, and can still be committed by name."""
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
    """The commit that is checked out by now."""
    out = git.real("rev-parse", "--verify", "--quiet", "HEAD^{commit}", ok=(0, 1), git_dir=place.git_dir).out
    if (made := as_sha(out.strip())) is None:
        raise GitProblem(f"git committed, but HEAD of {place.worktree} has no commit")
    return made
