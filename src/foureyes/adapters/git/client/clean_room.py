"""The clean room: an empty bare repository in a temporary directory that borrows the objects of the real one.

Git asks so many places before it prints a diff (attributes in the tree, in `info/`, of the user and of the system; four
levels of configuration; replace refs, grafts, the commit graph, the index and the worktree's files) that switching each
of them off is a list that ages. In here none of them exists; what is left is objects. New objects (a trial merge) are
written here and vanish with it, so reading never writes to the real repository.
"""

from __future__ import annotations

import os
import weakref
from os.path import isfile, join

from foureyes.adapters.git.client.config_file import read_settings
from foureyes.errors import GitProblem
from foureyes.steps import prose

# The commit graph is off for the reason that grafts are: it is a file beside the objects that says what parents are.
_CONFIG = """[core]
\trepositoryformatversion = {version}
\tbare = true
\tattributesFile = /dev/null
\tcommitGraph = false
[gc]
\tauto = 0
[extensions]
{extensions}"""


class CleanRoom:
    """Made when first used; removed with the object or at exit; made again if somebody tidied it away."""

    def __init__(self, common_dir: str) -> None:
        self._common_dir = common_dir
        self._path = ""
        self._finalizer: weakref.finalize[[str], CleanRoom] | None = None

    @property
    def path(self) -> str:
        if not self._path or not isfile(join(self._path, "HEAD")):
            self._path = _build(self._common_dir)
            self._finalizer = weakref.finalize(self, _remove, self._path)
        return self._path

    def environment(self) -> dict[str, str]:
        """What git needs in here beside a scrubbed environment.

        HOME, because git reads `~/.config/git/attributes` even when the user's configuration is switched off.
        """
        path = self.path
        return {
            "HOME": path,
            "XDG_CONFIG_HOME": path,
            "GIT_INDEX_FILE": join(path, "no-index"),
            "GIT_SHALLOW_FILE": join(self._common_dir, "shallow"),
        }

    def close(self) -> None:
        if self._finalizer is not None:
            self._finalizer()


def _build(common_dir: str) -> str:
    path = join(os.environ.get("TMPDIR") or "/tmp", f"foureyes-git-{os.urandom(8).hex()}")  # noqa: S108 (mkdir refuses a path that exists)
    try:
        os.mkdir(path, 0o700)
        for folder in ("refs", "objects", "objects/info"):
            os.mkdir(join(path, folder), 0o700)
        _write(join(path, "HEAD"), "ref: refs/heads/none\n")
        _write(join(path, "config"), _config(common_dir))
        _write(join(path, "objects/info/alternates"), _quoted(join(common_dir, "objects")) + "\n")
    except OSError as problem:
        raise GitProblem(
            f"a temporary directory for git cannot be made: {problem}",
            next_step=prose("set TMPDIR to a directory you can write"),
        ) from problem
    return path


def _config(common_dir: str) -> str:
    hash_name = read_settings(join(common_dir, "config")).get("extensions.objectformat", "sha1")
    if hash_name == "sha1":
        return _CONFIG.format(version=0, extensions="")
    return _CONFIG.format(version=1, extensions=f"\tobjectFormat = {hash_name}\n")


def _quoted(path: str) -> str:
    """As git quotes a path; unquoted, a line break in it would end it."""
    return '"' + path.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def _write(path: str, text: str) -> None:
    with open(path, "w", encoding="utf-8", errors="surrogateescape") as file:
        file.write(text)


def _remove(path: str) -> None:
    """As far as it goes. Not `shutil.rmtree`: importing it costs more than all of this."""
    for folder, _, files in os.walk(path, topdown=False):
        try:
            for name in files:
                os.unlink(join(folder, name))
            os.rmdir(folder)
        except OSError:
            continue
