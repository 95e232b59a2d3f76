"""Detects pipes, devices and huge files in place of git's files, which would block git forever."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Iterator
from os.path import join

from foureyes.adapters.folders import MB, kind_of, read, walked
from foureyes.adapters.git.client.locate import LOOK
from foureyes.errors import GitProblem

# ---- Odd files ----

# Before each git command, check the files that nearly every command reads, and once the refs, because that is fast.
# Check everything only while git takes long. A link counts as its target, because git follows links and some are
# legitimate.

_LARGE = 1024 * MB
_SMALL = 16 * MB
_REF = 64 * 1024
_COMMON = {
    "HEAD": _SMALL, "config": _SMALL, "packed-refs": _LARGE, "shallow": _LARGE, "info/grafts": _SMALL,
    "info/exclude": _SMALL, "info/attributes": _SMALL, "objects/info/alternates": _SMALL,
}  # fmt: skip
_OF_A_WORKTREE = {"HEAD": _SMALL, "index": _LARGE, "config.worktree": _SMALL, "commondir": _SMALL}
_SIZES = {name.rpartition("/")[2]: most for name, most in {**_COMMON, **_OF_A_WORKTREE}.items()}
_READ_IN_A_WORKTREE = frozenset({".gitignore", ".gitattributes", ".gitmodules", ".git"})
_SIZES |= dict.fromkeys(_READ_IN_A_WORKTREE, _LARGE)
KEPT = "refs/foureyes"
_NEVER_READ = frozenset({"hooks"})
_MOST_STORES = 32
_FEW = 8


def refuse_odd(git_dir: str, common_dir: str) -> None:
    """Raise GitProblem if one of the files read by nearly every command is not a plain file."""
    wanted = [(join(common_dir, name), most) for name, most in _COMMON.items()]
    wanted += [(join(git_dir, name), most) for name, most in _OF_A_WORKTREE.items()]
    wanted += [(join(store, "info", "alternates"), _SMALL) for store in borrowed(common_dir)]
    configs = (join(common_dir, "config"), join(git_dir, "config.worktree"))
    wanted += [(path, _SMALL) for path in included(configs, _SMALL)]
    for path, most in wanted:
        if why := _odd(path, most):
            raise _problem(path, why)


def refuse_odd_refs(common_dir: str, below: str) -> None:
    """Raise GitProblem if a ref below a name is not a small file.

    Kept attempts have one folder each. Git reads them only by name, so they are checked only then.
    """
    top, kept = join(common_dir, below.rstrip("/")), join(common_dir, KEPT)
    folders = [top]
    while folders:
        try:
            with os.scandir(folders.pop()) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        folders += [entry.path] if entry.path != kept else []
                    elif why := _odd(entry.path, _REF):
                        raise _problem(entry.path, why)
        except NotADirectoryError:
            if why := _odd(top, _REF):
                raise _problem(top, why) from None
        except OSError:
            continue


def refuse_odd_objects(common_dir: str, names: Iterable[str]) -> None:
    """Raise GitProblem if the path of a loose object is not a plain file."""
    folders: dict[str, set[str]] = {}
    for name in names:
        folders.setdefault(name[:2], set()).add(name[2:])
    for store in [join(common_dir, "objects"), *borrowed(common_dir)] if folders else []:
        for folder in folders.keys() & _listed(store):
            for path in _not_plain(join(store, folder), folders[folder]):
                if why := _odd(path, 0):
                    raise _problem(path, why)


def _listed(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []


def _not_plain(place: str, wanted: set[str]) -> list[str]:
    """Return the paths that need a check. If there are many, one scan of the folder first excludes plain files."""
    if len(wanted) < _FEW:
        return [f"{place}/{name}" for name in wanted]
    try:
        with os.scandir(place) as entries:
            return [each.path for each in entries if each.name in wanted and not each.is_file(follow_symlinks=False)]
    except OSError:
        return []


def borrowed(common_dir: str) -> list[str]:
    """Return the object stores that the repository borrows from, in git's order, as far as readable."""
    ahead, stores = [join(common_dir, "objects")], dict[str, None]()
    while ahead and len(stores) < _MOST_STORES:
        for store in _alternates(ahead.pop(0)):
            if store not in stores:
                stores[store] = None
                ahead.append(store)
    return list(stores)


def _alternates(store: str) -> Iterator[str]:
    """Yield the other stores named by a store."""
    path = join(store, "info", "alternates")
    try:
        lines = read(path, _SMALL, follow=True).split(b"\n") if os.path.exists(path) else []
    except OSError:
        return
    for line in (each.partition(b"\0")[0] for each in lines):
        if line and not line.startswith(b"#"):
            quoted = line.startswith(b'"') and line.endswith(b'"')
            text = line[1:-1].replace(b'\\"', b'"').replace(b"\\n", b"\n").replace(b"\\\\", b"\\") if quoted else line
            yield os.path.normpath(join(store, os.fsdecode(text)))


def held_by(common_dir: str, work_tree: str = "") -> str:
    """Return a sentence about a file that may be why git hangs, or ""."""
    stores = [(store, None) for store in borrowed(common_dir)]
    for top, names in ((common_dir, None), *stores, (work_tree, _READ_IN_A_WORKTREE)):
        for folder, folders, files in walked(top) if top else ():
            folders[:] = [name for name in folders if name not in _NEVER_READ and name != ".git"]
            for name in files:
                path = join(folder, name)
                if (names is None or name in names) and (why := _odd(path, _SIZES.get(name, 0))):
                    return _sentence(path, why)
    for path in included((join(common_dir, "config"),), _SMALL):
        if why := _odd(path, _SMALL):
            return _sentence(path, why)
    return ""


def _odd(path: str, most: int) -> str:
    """Return what is wrong with a file, or "". `most` 0 allows any size. Sockets cannot be opened, so they never
    block.
    """
    try:
        about = os.stat(path)
    except OSError:
        return ""
    if stat.S_ISFIFO(about.st_mode) or stat.S_ISCHR(about.st_mode) or stat.S_ISBLK(about.st_mode):
        return f"is {kind_of(about.st_mode)}, not a file"
    return "is far too large" if most and stat.S_ISREG(about.st_mode) and about.st_size > most else ""


def _sentence(path: str, why: str) -> str:
    return f"{path} {why}, and git would hang on it"


def _problem(path: str, why: str) -> GitProblem:
    return GitProblem(f"{_sentence(path, why)}. Nothing was changed.", next_step=LOOK)


# ---- Included configuration files ----

# Treat every include condition as met, because only git can evaluate them.

_MOST = 64
_WORD = re.compile(rb"include", re.IGNORECASE)
_SECTION = re.compile(rb'\s*\[\s*([\w.:/~*-]+)(?:\s+"(?:[^"\\]|\\.)*")?\s*\]', re.IGNORECASE)
_PATH = re.compile(rb"\s*path\s*=\s*(.*)", re.IGNORECASE)
_ESCAPED = {b"n": b"\n", b"t": b"\t", b"b": b"\b"}


def included(configs: tuple[str, ...], largest: int) -> Iterator[str]:
    """Yield the files included by configuration files, recursively and each once. Unreadable ones include none."""
    ahead, seen = list(configs), set(configs)
    while ahead and len(seen) < _MOST:
        config = ahead.pop(0)
        try:
            text = read(config, largest, follow=True) if os.path.exists(config) else b""
        except OSError:
            continue
        for path in _named(text) if _WORD.search(text) else ():
            named = join(os.path.dirname(config), os.path.expanduser(os.fsdecode(path)))
            if named not in seen:
                seen.add(named)
                ahead.append(named)
                yield named


def _named(text: bytes) -> Iterator[bytes]:
    """Yield the values of `path` in every include section."""
    is_including = False
    for line in text.replace(b"\r\n", b"\n").replace(b"\\\n", b"").split(b"\n"):
        rest = line
        while section := _SECTION.match(rest):
            is_including = section[1].lower().startswith(b"include")
            rest = rest[section.end() :]
        value = _PATH.match(rest) if is_including else None
        if value is not None and (path := _plain(value[1])):
            yield path


def _plain(value: bytes) -> bytes:
    """Return a value without its quotes, escapes and comment."""
    plain, kept, is_quoted, at = b"", 0, False, 0
    while at < len(value):
        letter = value[at : at + 1]
        if letter == b"\\":
            at += 1
            letter = value[at : at + 1]
            plain += _ESCAPED.get(letter, letter)
            kept = len(plain)
        elif letter == b'"':
            is_quoted = not is_quoted
            kept = len(plain)
        elif not is_quoted and letter in (b"#", b";"):
            break
        else:
            plain += letter
            kept = len(plain) if is_quoted or not letter.isspace() else kept
        at += 1
    return plain[:kept]
