"""The project as a whole: its state at a glance, its health, what an agent must know, backups."""

from __future__ import annotations

import os

from foureyes import config
from foureyes.app.context import Context, permit
from foureyes.app.lists import Lists
from foureyes.app.policy import step_for, unaccepted
from foureyes.app.ports import ListQuery, Progress, Tx
from foureyes.app.proof import NEW_KEY, active_keys
from foureyes.app.tasks import Counter
from foureyes.app.views import Check, ProjectView, ReviewableRow, StatusView
from foureyes.core import events as e
from foureyes.core.lifecycle import STATUSES
from foureyes.core.session import Actor
from foureyes.errors import BadInput, ConfigError, FoureyesError, GitProblem

REVIEWABLE_SHOWN = 20
CANDIDATES = 500
"""A glance at the project does not walk through a queue of thousands."""


class Projects:
    """Status, doctor, backup."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def create(self, actor: Actor, name: str, prefix: str, target: str) -> ProjectView:
        """The first row of the journal."""
        with self._context.writing(actor, "init") as work:
            work.record("", e.ProjectCreated(name=name, prefix=prefix, target=target))
            return self._context.project(work.tx)

    def get(self) -> ProjectView:
        """The project row."""
        with self._context.store.read() as tx:
            return self._context.project(tx)

    def status(self, actor: Actor) -> StatusView:
        """The project at a glance, for this caller."""
        with self._context.store.read() as tx:
            project = self._context.project(tx)
            counters = {row.name: row.n for row in tx.all("project.counters", Counter)}
            policy, notes = self._policy(tx, actor, project)
        notes += self._behind(project.target)
        counts: dict[str, int] = {str(status): counters.get(f"status:{status}", 0) for status in STATUSES}
        counts |= {
            name: counters.get(name, 0)
            for name in ("ready", "waiting", "rejected", "held", "unmerged", "landed", "auto_approved")
        }
        reviewable = self._reviewable(actor)
        return StatusView(
            project=project.name,
            target=project.target,
            policy=str(policy.value),
            policy_source=policy.source,
            counts=counts,
            reviewable=min(len(reviewable), REVIEWABLE_SHOWN),
            reviewable_more=len(reviewable) > REVIEWABLE_SHOWN,
            hold=project.hold,
            notes=tuple(notes),
        )

    def _behind(self, target: str) -> list[str]:
        """Q5: a checkout of the target that did not follow a merge would take it back with the next commit of
        everything.
        """
        try:
            left = self._context.workshop.behind(target)
        except GitProblem:
            return []
        return [
            f"the checkout {os.path.relpath(one.path)} of {target} is behind ({one.why}): {one.next}" for one in left
        ]

    def _reviewable(self, actor: Actor) -> list[ReviewableRow]:
        """What waits for the caller; nothing where the configuration is broken, because then nothing can be
        approved.
        """
        try:
            return Lists(self._context).reviewable(actor, ListQuery(limit=REVIEWABLE_SHOWN + 1), candidates=CANDIDATES)
        except ConfigError:
            return []

    def _policy(self, tx: Tx, actor: Actor, project: ProjectView) -> tuple[config.Resolved, list[str]]:
        """The policy in force, and what there is to say about it."""
        try:
            layers = self._context.layers(tx, actor)
            policy = config.resolve(config.BY_KEY["review.policy"], layers)
        except ConfigError as problem:
            return config.Resolved("review.policy", "strict", "default"), [
                f"{problem.message}: nothing can be approved until it is mended"
            ]
        said = unaccepted(self._context, project)
        return policy, [note for note in (policy.note, f"{said}: {step_for(said)}" if said else "") if note]

    def doctor(self, actor: Actor, progress: Progress | None = None) -> list[Check]:
        """Everything that can be wrong, looked at; nothing is repaired."""
        checks = [self._git(), self._target(), self._configuration(actor), self._health(), self._journal(progress)]
        return [*checks, self._checks(actor), self._identity(actor), self._keys(actor)]

    def _git(self) -> Check:
        try:
            self._context.repo.heads()
        except GitProblem as problem:
            return Check("git", "fail", problem.message, problem.next_step)
        return Check("git", "ok", "git answers")

    def _target(self) -> Check:
        target = self.get().target
        try:
            head = self._context.repo.commit_of(f"refs/heads/{target}")
        except GitProblem as problem:
            return Check("target", "fail", problem.message, problem.next_step)
        if head is None:
            return Check("target", "fail", f"there is no branch {target}", f"git branch {target} COMMIT")
        behind = self._behind(target)
        if behind:
            return Check("target", "warn", behind[0].rpartition(": ")[0], behind[0].rpartition(": ")[2])
        return Check("target", "ok", f"target {target} at {head[:7]}")

    def _configuration(self, actor: Actor) -> Check:
        try:
            with self._context.store.read() as tx:
                project = self._context.project(tx)
                policy = self._context.policy(tx, actor)
            text = self._context.repo.file_at(project.target, config.FILE)
            named = config.read_file(text).get("project.id") if text else None
        except (ConfigError, GitProblem) as problem:
            return Check("configuration", "fail", problem.message, problem.next_step)
        if named not in ("", None, project.id):
            said = f"{config.FILE} on {project.target} names another project id than this store"
            return Check("configuration", "fail", said, "fe status")
        said = unaccepted(self._context, project)
        if said:
            return Check("configuration", "warn", said, step_for(said))
        return Check("configuration", "ok", f"{config.FILE} on {project.target} is accepted, policy {policy.name}")

    def _health(self) -> Check:
        try:
            problems = self._context.store.health()
        except FoureyesError as problem:
            return Check("store", "fail", problem.message, problem.next_step)
        if problems:
            return Check("store", "fail", "; ".join(problems), "fe backup FILE now, then fe restore from a good backup")
        return Check("store", "ok", f"{self._context.store.describe()}: sound")

    def _journal(self, progress: Progress | None) -> Check:
        try:
            report = self._context.store.audit(progress)
        except FoureyesError as problem:
            return Check("journal", "fail", problem.message, problem.next_step)
        if report.findings:
            return Check("journal", "fail", report.findings[0].message, "fe audit verify")
        return Check("journal", "ok", f"{report.rows} rows, chain and tables verified")

    def _checks(self, actor: Actor) -> Check:
        """D5, M4: what the quality pipeline is."""
        try:
            with self._context.store.read() as tx:
                rules = self._context.policy(tx, actor).checks
        except ConfigError as problem:
            return Check("checks", "fail", problem.message, problem.next_step)
        if not rules:
            said = "no checks are configured: nothing approves itself (M4)"
            return Check("checks", "warn", said, "add [[checks]] to foureyes.toml on the target branch")
        return Check(
            "checks",
            "ok",
            "checks " + " ".join(rule.name if rule.required else f"{rule.name} (optional)" for rule in rules),
        )

    @staticmethod
    def _identity(actor: Actor) -> Check:
        if actor.kind == "service":
            return Check(
                "identity",
                "warn",
                "no terminal and no agent process: this caller may only create, log, submit, check and merge",
                "fe whoami",
            )
        return Check("identity", "ok", f"{actor.kind} {actor.name}, {actor.trust}")

    def _keys(self, actor: Actor) -> Check:
        """I9: what people's decisions rest on."""
        with self._context.store.read() as tx:
            keys = len(active_keys(tx))
            try:
                wanted = self._context.policy(tx, actor).human_proof == "key"
            except ConfigError:
                wanted = True
        if wanted and not keys:
            return Check(
                "keys", "fail", "review.human_proof = key, and nobody has one: no person can decide anything", NEW_KEY
            )
        return Check(
            "keys",
            "ok",
            f"keys of people that count: {keys}" if keys else "no keys: people are who they are seen to be (observed)",
        )

    def note_restore(self, actor: Actor, source: str, kept: str) -> None:
        """A restored store may lack what happened since the backup: that it was restored is on record (P8)."""
        with self._context.writing(actor, "restore") as work:
            work.record(
                "",
                e.SecurityRecorded(
                    kind="restore",
                    rule="J2",
                    reason=f"store restored from {source}",
                    detail=f"the store before it: {kept}",
                ),
            )

    def backup(self, actor: Actor, path: str) -> None:
        """A whole copy of the store; an existing file is never overwritten."""
        permit(actor, "backup")
        if os.path.exists(path):
            raise BadInput(
                f"{os.path.basename(path)} exists; a backup never overwrites.", next_step="name another file"
            )
        if not os.path.isdir(os.path.dirname(os.path.abspath(path))):
            raise BadInput(
                f"there is no directory for {os.path.basename(path)}.", next_step="name a file in an existing directory"
            )
        partial = f"{path}.partial-{os.getpid()}"
        try:
            self._context.store.backup(partial)
            os.replace(partial, path)
        finally:
            for ending in ("", "-wal", "-shm", "-journal"):
                if os.path.exists(partial + ending):
                    os.remove(partial + ending)
