"""Checkpoints (K2): named commits to return to."""

from __future__ import annotations

import msgspec

from foureyes.app.context import Context, permit, refuse_verb
from foureyes.app.results.work import CheckpointView
from foureyes.core import events as e
from foureyes.core.nouns.session import Actor
from foureyes.core.words.ids import Sha
from foureyes.core.words.refs import DETACHED, exactly
from foureyes.core.words.text import visible
from foureyes.core.words.untrusted_text import some
from foureyes.errors import NotFound, Reason
from foureyes.steps import Steps, blank, fe, prose, shell

KEEP = 20
"""Number of checkpoints per task that prune() keeps."""


class Restored(msgspec.Struct, frozen=True, kw_only=True):
    """Result of a restore."""

    name: str
    sha: str
    branch: str
    kept: str
    changed: bool = True


class Checkpoints:
    """Creating, listing, restoring and pruning checkpoints."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def create(self, actor: Actor, name: str = "", *, task: str = "") -> CheckpointView:
        """Save the current commit as a checkpoint. Refuse if there are uncommitted changes."""
        permit(actor, "checkpoint create")
        of = self._task(task)
        self._refuse_dirty("the checkpoint was not made.", fe("checkpoint", "create", before="commit it, then: "))
        sha = self._context.repo.commit_of("HEAD")
        if sha is None:
            raise NotFound("there is no commit yet.", next_step=shell("git", "commit"))
        name = name or self._free(of)
        self._context.workshop.add_checkpoint(of, name, sha, at=self._context.clock.now())
        with self._context.writing(actor, "checkpoint create") as work:
            work.record(of, e.CheckpointNoted(did="create", name=name, sha=sha))
        return self._named(of, name)

    def _task(self, text: str) -> str:
        if not text:
            return ""
        with self._context.store.read() as tx:
            return self._context.find_id(tx, text)

    def _free(self, task: str) -> str:
        """Return the first free number."""
        taken = {checkpoint.name for checkpoint in self._context.workshop.checkpoints() if checkpoint.task == task}
        return next(str(number) for number in range(1, len(taken) + 2) if str(number) not in taken)

    def _refuse_dirty(self, message: str, step: Steps) -> None:
        paths = self._context.repo.uncommitted(DETACHED)
        if paths:
            refuse_verb(message, Reason("K2", f"not everything is committed: {some(paths, 1)}", step))

    def _named(self, task: str, name: str) -> CheckpointView:
        matches = [
            checkpoint
            for checkpoint in self._context.workshop.checkpoints()
            if checkpoint.name == name and checkpoint.task == task
        ]
        matches = matches or [
            checkpoint for checkpoint in self._context.workshop.checkpoints() if checkpoint.name == name and not task
        ]
        if len(matches) != 1:
            several = ", ".join(checkpoint.task or "no task" for checkpoint in matches)
            message = (
                f"several tasks have a checkpoint {visible(name)}: {several}."
                if matches
                else f"there is no checkpoint {visible(name)}."
            )
            raise NotFound(
                message,
                next_step=fe("checkpoint", "list")
                if not matches
                else fe("checkpoint", "restore", name, "--task", blank("TASK")),
            )
        return matches[0]

    def all(self) -> list[CheckpointView]:
        """Return all checkpoints, newest first."""
        return self._context.workshop.checkpoints()

    def restore(self, actor: Actor, name: str, *, task: str = "") -> Restored:
        """Reset the current branch to a checkpoint, after making one of its old head. Refuse on the target branch or
        with uncommitted changes.
        """
        permit(actor, "checkpoint restore")
        checkpoint = self._named(self._task(task), name)
        repo, ref = self._context.repo, self._context.repo.current_ref()
        with self._context.store.read() as tx:
            target = self._context.project(tx).target
        if ref in (DETACHED, f"refs/heads/{target}"):
            where = f"{target} is the protected branch" if ref != DETACHED else "no branch is checked out here"
            reason = Reason(
                "K2",
                f"{where}, and restoring a checkpoint never moves it",
                shell("git", "switch", "-c", blank("NAME"), exactly(checkpoint.sha)),
            )
            refuse_verb("nothing was restored.", reason)
        self._refuse_dirty("nothing was restored.", prose("commit or stash your changes, then try again"))
        old = repo.commit_of(ref)
        assert old is not None
        if old == checkpoint.sha:
            return Restored(
                name=name, sha=checkpoint.sha, branch=ref.removeprefix("refs/heads/"), kept="", changed=False
            )
        kept = f"before-{name.removeprefix('before-')[:40]}-{old[:7]}"
        self._context.workshop.add_checkpoint(checkpoint.task, kept, old, at=self._context.clock.now())
        why = self._context.workshop.reset(ref, old=old, new=checkpoint.sha)
        if why:
            refuse_verb("nothing was restored.", Reason("K2", why, shell("git", "status")))
        with self._context.writing(actor, "checkpoint restore") as work:
            work.record(checkpoint.task, e.CheckpointNoted(did="restore", name=name, sha=checkpoint.sha))
        return Restored(name=name, sha=checkpoint.sha, branch=ref.removeprefix("refs/heads/"), kept=kept)

    def prune(self, actor: Actor, *, keep: int = KEEP, task: str = "") -> list[CheckpointView]:
        """Delete all but the newest checkpoints of each task. Commits on branches or in attempts stay."""
        permit(actor, "checkpoint list --prune")
        of = self._task(task)
        by_task: dict[str, list[CheckpointView]] = {}
        for checkpoint in self._context.workshop.checkpoints():
            if not task or checkpoint.task == of:
                by_task.setdefault(checkpoint.task, []).append(checkpoint)
        gone = [checkpoint for rows in by_task.values() for checkpoint in rows[keep:]]
        dropped = [
            checkpoint
            for checkpoint in gone
            if self._context.workshop.drop_checkpoint(checkpoint.task, checkpoint.name, Sha(checkpoint.sha))
        ]
        if dropped:
            with self._context.writing(actor, "checkpoint list --prune") as work:
                for checkpoint in dropped:
                    work.record(
                        checkpoint.task, e.CheckpointNoted(did="prune", name=checkpoint.name, sha=checkpoint.sha)
                    )
        return dropped
