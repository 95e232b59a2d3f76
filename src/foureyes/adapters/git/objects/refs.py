"""Moves refs by compare-and-swap, never through a symbolic ref and without hooks."""

from __future__ import annotations

from collections.abc import Mapping
from os.path import isdir, join, lexists, relpath
from typing import NamedTuple

from foureyes.adapters.folders import walked
from foureyes.adapters.git.client.answers import as_sha, as_text, failure, must_be_sha
from foureyes.adapters.git.client.git import DURABLE, EMAIL, NAME, Git
from foureyes.adapters.git.client.ref_files import is_ref_name, read_loose
from foureyes.core.words.ids import Sha
from foureyes.errors import GitProblem
from foureyes.steps import Steps, blank, shell

BRANCHES = "refs/heads/"
OURS = "refs/foureyes/"

# Git waits this long for another git's lock. The repository's configuration must not make it wait forever.
_WAIT = ("-c", "core.filesRefLockTimeout=1000", "-c", "core.packedRefsTimeout=1000")
_WRITE = (*_WAIT, *DURABLE, "-c", f"user.name={NAME}", "-c", f"user.email={EMAIL}", "update-ref", "--no-deref")
_LOCK = ".lock"


class At(NamedTuple):
    """The state of a ref: its object, and its target ref if symbolic."""

    value: Sha | None
    symbolic: str = ""


def well_formed(ref: str, below: str) -> str:
    """Return the full ref if it is valid and below a prefix. Raise GitProblem otherwise."""
    if not ref.startswith(below) or len(ref) == len(below) or not is_ref_name(ref):
        raise GitProblem(f"{ref!r} is not a ref below {below}")
    return ref


def branch(name: str) -> str:
    """Return the full ref of a branch given by short or full name."""
    return well_formed(name if name.startswith(BRANCHES) else BRANCHES + name, BRANCHES)


def at(git: Git, ref: str) -> At:
    """Return the current state of a ref."""
    if loose := read_loose(git.common_dir, ref):
        return At(loose)
    out = git.real("for-each-ref", "--format=%(refname)%00%(objectname)%00%(symref)", ref).out
    for line in out.splitlines():
        name, value, symbolic = line.split(b"\0")
        if as_text(name) == ref:
            return At(as_sha(value), as_text(symbolic))
    return At(None)


def keep(git: Git, ref: str, commit: Sha) -> None:
    """Point one of our refs at a commit, regardless of its old value."""
    well_formed(ref, OURS)
    if must_be_sha(commit) not in git.lookup.commits([commit]):
        raise GitProblem(f"{commit} is not a commit of this repository")
    done = git.real(*_WRITE, ref, must_be_sha(commit), ok=(0, 1, 128))
    if done.rc:
        raise in_the_way(git, ref) or failure("update-ref", done)


def keep_all(git: Git, refs: Mapping[str, Sha]) -> bool:
    """Like keep(), for several refs of existing commits, in one call. Return False if any could not be written, and
    then none was."""
    lines = (f"update {well_formed(ref, OURS)} {must_be_sha(commit)}\n" for ref, commit in refs.items())
    stdin = "".join(lines).encode("utf-8", "surrogateescape")
    return not stdin or git.real(*_WRITE, "--stdin", stdin=stdin, ok=(0, 1, 128)).rc == 0


def create(git: Git, ref: str, value: Sha) -> bool:
    """Create a ref. Return False if it exists."""
    return swap(git, ref, new=value, old=Sha("0" * len(value)), why="foureyes")


def swap(git: Git, ref: str, *, new: Sha, old: Sha, why: str) -> bool:
    """Move a ref by compare-and-swap. Return False if it was not at `old` (all zeros: absent)."""
    now = at(git, ref)
    if now.symbolic:
        raise GitProblem(
            f"{ref} is a symbolic ref to {now.symbolic}, so it was not moved",
            next_step=shell("git", "symbolic-ref", ref),
        )
    done = git.real(*_WRITE, "-m", why, ref, must_be_sha(new), must_be_sha(old), ok=(0, 1, 128))
    if done.rc == 0 and new != old and read_loose(git.common_dir, ref) == old:
        raise GitProblem(f"git says that it moved {ref}, but it did not", next_step=shell("git", "fsck"))
    return done.rc == 0 or _fail_unless_moved(git, ref, old, failure("update-ref", done))


def delete(git: Git, ref: str, *, old: Sha) -> bool:
    """Delete a ref if it is at `old`. Return False if it was not."""
    done = git.real(*_WRITE, "-d", ref, must_be_sha(old), ok=(0, 1, 128))
    return done.rc == 0 or _fail_unless_moved(git, ref, old, failure("update-ref", done))


def _fail_unless_moved(git: Git, ref: str, old: Sha, problem: GitProblem) -> bool:
    """Return False if the ref moved, else raise the problem. Git reports a lost race and a held lock the same way."""
    now = at(git, ref).value or Sha("0" * len(old))
    if now == old:
        raise in_the_way(git, ref) or problem
    return False


def in_the_way(git: Git, ref: str) -> GitProblem | None:
    """Return why git cannot write a ref (a conflicting name, a stale lock, a folder in its place), or None."""
    parts = ref.split("/")
    above = ["/".join(parts[:many]) for many in range(2, len(parts))]
    taken = next((name for name in above if at(git, name).value is not None), None) or _first_below(git, ref)
    if taken is not None:
        return GitProblem(f"{ref} cannot be created, because there is a ref called {taken}", next_step=_away(taken))
    path = join(git.common_dir, ref)
    if lexists(lock := f"{path}{_LOCK}"):
        why = "another git is writing it, or was killed while writing"
        step = shell("mv", lock, blank("ELSEWHERE"), before="if no git is running here: ")
        return GitProblem(f"{ref} cannot be written, because there is {lock}: {why}", next_step=step)
    if isdir(path) and any(files for _, _, files in walked(path)):
        step = shell("mv", path, blank("ELSEWHERE"))
        return GitProblem(f"{ref} cannot be created, because the folder {path} is in its place", next_step=step)
    return None


def locked(git: Git, below: str) -> list[str]:
    """Return the refs below a prefix that have a lock file, from a running or a killed git."""
    folders = walked(join(git.common_dir, below))
    locks = (join(folder, name) for folder, _, names in folders for name in names if name.endswith(_LOCK))
    refs = (relpath(lock, git.common_dir).removesuffix(_LOCK) for lock in locks)
    return sorted(ref for ref in refs if is_ref_name(ref))


def _first_below(git: Git, ref: str) -> str | None:
    lines = git.real("for-each-ref", "--count=1", "--format=%(refname)", f"{ref}/").out.splitlines()
    return as_text(lines[0]) if lines else None


def _away(taken: str) -> Steps:
    short = taken.removeprefix(BRANCHES)
    if short != taken:
        return shell("git", "branch", "-m", short, blank("OTHER-NAME"))
    return shell("git", "update-ref", "-d", taken)
