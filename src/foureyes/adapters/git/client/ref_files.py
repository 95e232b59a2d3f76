"""Reads refs from their files without starting git, and validates ref names."""

from __future__ import annotations

import os
from os.path import isdir, islink, join, lexists

from foureyes.adapters.folders import MB, opened, read, walked
from foureyes.adapters.git.client.answers import as_sha, as_text
from foureyes.core.words.ids import Sha
from foureyes.core.words.refs import DETACHED
from foureyes.errors import GitProblem
from foureyes.steps import shell

BRANCHES = "refs/heads/"
READ_HERE = (BRANCHES, "refs/foureyes/")
"""Refs shared by all worktrees. Only git knows where others are."""
LARGEST_REF = 4096
LARGEST_PACK = 4 * MB
"""Largest file of packed refs to read. Git searches larger ones. An attacker could write millions of refs."""
FEW = 100
"""Number of files above which git lists them faster than we do, including its own start."""
_BLANK = b" \t\r\n"
"""Bytes that git ignores at the end of a ref's file. Before the hash they make the ref broken."""
_NEVER = frozenset(" ~^:?*[\\\x7f") | {chr(code) for code in range(32)}


def is_ref_name(name: str) -> bool:
    """Return True for a valid ref name or a single word such as HEAD. Expressions (`main~2`, `@`) are not names.
    Follows `git check-ref-format`."""
    if name == "@" or name.endswith(".") or ".." in name or "@{" in name or _NEVER.intersection(name):
        return False
    return all(part and not part.startswith(".") and not part.endswith(".lock") for part in name.split("/"))


def meanings_of(ref: str) -> list[str]:
    """Return the exact names that a ref may stand for, the best first. Expressions (`main~2`, `:/text`) are never
    interpreted.
    """
    if ref in (DETACHED, "HEAD"):
        return ["HEAD"]
    if ref.startswith("refs/") or as_sha(ref):
        return [ref]
    is_short_sha = 4 <= len(ref) < 40 and all(character in "0123456789abcdef" for character in ref)
    return [BRANCHES + ref, ref] if is_short_sha else [BRANCHES + ref]


def target_refs(target: str) -> list[str]:
    """Return the exact names that the target may have here: the branch, or origin's tracking ref."""
    is_exact = target.startswith("refs/") or as_sha(target)
    return [target] if is_exact else [BRANCHES + target, f"refs/remotes/origin/{target}"]


def read_loose(common_dir: str, ref: str) -> Sha | None:
    """Return the commit of a loose ref shared by all worktrees. Return None if only git can tell: packed, symbolic,
    linked or in another format."""
    if not ref.startswith(READ_HERE) or not is_ref_name(ref):
        return None
    try:
        return _commit(read(join(common_dir, ref), LARGEST_REF).rstrip(_BLANK))
    except (OSError, ValueError):
        return None


def _commit(raw: bytes | str) -> Sha | None:
    """Return the hash in a ref file, or None. All zeros are invalid, as for git."""
    sha = as_sha(raw)
    return sha if sha is not None and sha.strip("0") else None


def is_absent(common_dir: str, ref: str) -> bool:
    """Return True if a ref certainly does not exist: neither loose nor packed.

    Checks the loose file first, because a ref packed meanwhile is then found in the other place.
    """
    if not ref.startswith(READ_HERE) or not is_ref_name(ref) or _is_elsewhere(common_dir):
        return False
    try:
        os.lstat(join(common_dir, ref))
        return False
    except (FileNotFoundError, NotADirectoryError):
        pass
    except OSError:
        return False
    try:
        return f" {ref}\n".encode() not in read(join(common_dir, "packed-refs"), LARGEST_PACK) + b"\n"
    except FileNotFoundError:
        return True
    except (OSError, ValueError):
        return False


def refuse_unreadable(common_dir: str, ref: str) -> None:
    """Raise GitProblem if the file of a ref is unreadable, because git would treat it as absent. (G1)"""
    if not ref.startswith(READ_HERE) or not is_ref_name(ref):
        return
    try:
        os.close(opened(join(common_dir, ref)))
    except PermissionError as problem:
        step = shell("ls", "-ld", problem.filename or join(common_dir, ref))
        raise GitProblem(f"{ref} cannot be read: {problem.strerror}", next_step=step) from problem
    except OSError:
        return


def read_below(common_dir: str, below: str) -> dict[str, Sha] | None:
    """Return every ref below a name with its commit, or None if only git can tell.

    Reads loose files first, then the packed ones, so that a ref packed meanwhile is not missed.
    """
    if not below.startswith(READ_HERE) or not below.endswith("/") or _is_elsewhere(common_dir):
        return None
    try:
        names = _loose_names(common_dir, below)
        if len(names) > FEW:
            return None
        loose = {ref: read_loose(common_dir, ref) for ref in names}
        refs = {**_packed(common_dir, below), **loose}
    except (OSError, ValueError):
        return None
    known = {ref: sha for ref, sha in sorted(refs.items()) if sha is not None}
    return known if len(known) == len(refs) else None


def _is_elsewhere(common_dir: str) -> bool:
    """Return True if refs are in another format or there is no refs folder."""
    return lexists(join(common_dir, "reftable")) or not isdir(join(common_dir, BRANCHES))


def _loose_names(common_dir: str, below: str) -> list[str]:
    """Return the loose refs. Raise ValueError for an undecodable name or a symbolic link on the path."""
    parts, names = below.rstrip("/").split("/"), list[str]()
    if any(islink(join(common_dir, *parts[:many])) for many in range(1, len(parts) + 1)):
        raise ValueError(below)
    if not isdir(join(common_dir, below)):
        return []
    for folder, folders, files in walked(join(common_dir, below), onerror=_raise):
        if any(islink(join(folder, name)) for name in folders):
            raise ValueError(folder)
        above = folder[len(join(common_dir, "")) :].rstrip("/")
        names += [f"{above}/{name}" for name in files if not name.endswith(".lock")]
    "".join(names).encode()
    return names


def _raise(problem: OSError) -> None:
    raise problem


def _packed(common_dir: str, below: str) -> dict[str, Sha | None]:
    """Return the packed refs. An invalid or duplicate one is None."""
    try:
        content = read(join(common_dir, "packed-refs"), LARGEST_PACK).decode()
    except FileNotFoundError:
        return {}
    rows = (row.partition(" ") for row in content.split("\n") if row[:1] not in ("#", "^"))
    refs: dict[str, Sha | None] = {}
    for sha, _, ref in rows:
        if ref.startswith(below):
            refs[ref] = _commit(sha) if is_ref_name(ref) and ref not in refs else None
    return refs


def listed(common_dir: str, rows: bytes) -> dict[str, Sha]:
    """Return refs with their commits from git's list. Raise GitProblem for a duplicate in packed-refs, because git then
    returns either value."""
    refs: dict[str, Sha] = {}
    for name, commit in (as_text(line).rsplit(" ", 1) for line in rows.splitlines()):
        if name in refs:
            path = join(common_dir, "packed-refs")
            step = shell("grep", "-n", name, path, before="remove the extra lines: ")
            raise GitProblem(f"{name} is in packed-refs more than once, so its commit is not known", next_step=step)
        refs[name] = Sha(commit)
    return refs
