"""Installs the hooks of a task's worktree, which add the trailers and then run the user's own hooks. (K1)

They apply to that worktree alone, through `core.hooksPath` in its `config.worktree`. They look up the user's hooks at
run time, so hooks installed later, for example by husky during `npm install`, run too.
"""

from __future__ import annotations

import os
from contextlib import suppress
from os.path import isfile, join

from foureyes.adapters import folders
from foureyes.adapters.git.client.config_file import ONCE_OUTSIDE, is_masked, is_true, read_settings
from foureyes.adapters.git.client.git import Git
from foureyes.adapters.git.client.locate import Located
from foureyes.adapters.git.reading.history import SESSION_TRAILER, TASK_TRAILER
from foureyes.errors import GitProblem

FOLDER = "foureyes-hooks"

_HEAD = """#!/bin/sh
# Written by Foureyes for this worktree only, and again whenever the worktree is asked for.
# Your own hooks are run as before.
"""

# Without an editor, prepare-commit-msg gets the final message, and `#` starts no comment. With an editor, commit-msg
# adds the trailers. Added earlier, they would make an empty message non-empty, and quitting the editor would commit.
_TRAILERS = f"""
add() {{
    git "$@" -c trailer.separators=: interpret-trailers --in-place --no-divider --where end \\
        --if-exists addIfDifferent --if-missing add --trailer "{TASK_TRAILER}: $(cat "${{0%/*}}/task")" \\
        --trailer "{SESSION_TRAILER}: $(cat "${{0%/*}}/session")" "$file" || exit 1
}}
file=$1
"""
_PREPARE = """
case $2 in
message|commit|merge|squash)
    if grep -q '[^[:space:]]' "$file"; then add -c core.commentChar="$(printf '\\001')"; fi ;;
esac
"""
_FINISH = """
if sed '/^. -\\{24\\} >8 -\\{24\\}$/,$d' "$file" | git stripspace --strip-comments | grep -q .; then add; fi
"""
_USERS_OWN = """
name=${0##*/}
before=$(git config --type=path --get-all core.hooksPath | grep -v '/foureyes-hooks$' | tail -n 1)
[ -n "$before" ] || before=$(git rev-parse --git-common-dir)/hooks
if [ -f "$before/$name" ] && [ -x "$before/$name" ]; then exec "$before/$name" "$@"; fi
exit 0
"""
_OURS = {"prepare-commit-msg": _TRAILERS + _PREPARE, "commit-msg": _TRAILERS + _FINISH}

# The hooks that git runs in a worktree, except push-to-checkout, because its mere existence changes git's behavior.
_NAMES = """applypatch-msg pre-applypatch post-applypatch pre-commit pre-merge-commit prepare-commit-msg commit-msg
post-commit pre-rebase post-checkout post-merge pre-push post-rewrite pre-auto-gc sendemail-validate""".split()
_FREQUENT = ("reference-transaction", "post-index-change")
"""Hooks that git runs several times per command. They are installed only if the user has one."""


def install(git: Git, place: Located, task: str, session: str) -> None:
    """Write and enable the hooks of one worktree. A second call updates the session and the hooks."""
    folder = join(place.git_dir, FOLDER)
    before = _users_folder(git, place)
    try:
        with folders.folder(folder, make=True) as handle:
            _write(handle, "task", _one_line(task), 0o644)
            _write(handle, "session", _one_line(session), 0o644)
            frequent = [name for name in _FREQUENT if isfile(join(before, name))]
            for name in (*_NAMES, *frequent):
                _write(handle, name, _HEAD + _OURS.get(name, "") + _USERS_OWN, 0o755)
    except OSError as problem:
        raise GitProblem(f"the hooks of the worktree cannot be written to {folder}: {problem.strerror}") from problem
    _put_in_force(git, place.git_dir, folder)


def _users_folder(git: Git, place: Located) -> str:
    """Return the folder of the user's hooks. A relative path counts from the top of each worktree."""
    out = git.own("config", "--null", "--type=path", "--get-all", "core.hooksPath", cwd=place.worktree, ok=(0, 1)).out
    others = [path for raw in out.split(b"\0") if raw and not (path := os.fsdecode(raw)).endswith(f"/{FOLDER}")]
    return join(place.worktree, others[-1]) if others else join(git.common_dir, "hooks")


def _put_in_force(git: Git, git_dir: str, folder: str) -> None:
    """Set core.hooksPath after any existing value. Git uses the last value, and our hooks find the one before.

    If it is set already, nothing is written, because an agent's sandbox may make the file read-only.
    """
    path = join(git_dir, "config.worktree")
    if read_settings(path).get("core.hookspath") == folder:
        return
    config = ("config", "--file", path)
    git.real(*config, "--unset-all", "core.hooksPath", f"/{FOLDER}$", ok=(0, 5))
    git.real(*config, "--add", "core.hooksPath", folder)


def enable_worktree_config(git: Git) -> None:
    """Enable per-worktree configuration and move the two settings that `git help worktree` assigns to the main
    worktree.

    They are first copied to its own file, which git does not read yet, and removed from the shared file last. Always
    creates that file, even if empty: sandboxes put a device in place of a missing file, and git then cannot read its
    settings.
    """
    shared, main = join(git.common_dir, "config"), join(git.common_dir, "config.worktree")
    settings, already = read_settings(shared), read_settings(main)
    enabled = is_true(settings.get("extensions.worktreeconfig"))
    moving = {"core.bare": "true"} if is_true(settings.get("core.bare")) else {}
    moving |= {"core.worktree": settings["core.worktree"]} if settings.get("core.worktree") else {}
    if enabled:  # only finish a move that was interrupted by a kill
        moving = {key: value for key, value in moving.items() if already.get(key) == value}
    for key, value in moving.items():
        git.real("config", "--file", main, key, value)
    with suppress(OSError):
        os.close(folders.opened(main, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
    if not enabled:
        _enable(git, shared)
    for key in moving:
        git.real("config", "--file", shared, "--unset-all", key, ok=(0, 5))


def _enable(git: Git, shared: str) -> None:
    try:
        git.real("config", "--file", shared, "extensions.worktreeConfig", "true")
    except GitProblem as problem:
        if not is_masked(f"{shared}.lock"):
            raise
        message = f"{shared} cannot be changed in this sandbox, but the first worktree of a project needs that"
        raise GitProblem(message, next_step=ONCE_OUTSIDE) from problem


def _one_line(value: str) -> str:
    if not value.strip() or "\n" in value or "\0" in value:
        raise GitProblem(f"a trailer cannot have the value {value!r}: it must be one line")
    return value + "\n"


def _write(handle: int, name: str, text: str, mode: int) -> None:
    """Replace a hook atomically, because a commit may be running in the worktree."""
    folders.replace(handle, name, text.encode("utf-8", "surrogateescape"), mode, durable=False)
    os.chmod(name, mode, dir_fd=handle)
