"""Diagnosis of a project: every known kind of problem."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from foureyes.app.context import Context
from foureyes.app.gate.merge_queue import unheard
from foureyes.app.pages.status import checkouts_behind
from foureyes.app.ports import CountProgress, Tx
from foureyes.app.project.accepted_config import ACCEPT, BRING_HERE, read_at, unaccepted
from foureyes.app.project.audit import misdated, set_aside_by
from foureyes.app.project.keys import proof_of_people
from foureyes.app.results.attempt import CheckRun
from foureyes.app.results.settings import StoreRole
from foureyes.app.results.status import Check
from foureyes.app.target import (
    ADOPT,
    NOT_KNOWN,
    RemoteAnswer,
    ask_target,
    branch_here,
    found_elsewhere,
    misplaced,
    remote_of,
    sent_for,
    unread_anchor,
)
from foureyes.app.target_merges import COMMITS_LOOKED_AT, ahead_here, amiss, merged_where, unbrought
from foureyes.app.work.remote_attempts import lacking_there, unsent
from foureyes.config import FILE
from foureyes.config.consistency import disagreements
from foureyes.config.layers import Layers
from foureyes.config.parser import former_keys, read_file
from foureyes.core.nouns.session import Actor
from foureyes.core.words.refs import FENCE, KEPT_REMOTES, displaced, tracked
from foureyes.core.words.untrusted_text import some
from foureyes.errors import ConfigError, FoureyesError, GitProblem, RemoteProblem, StoreProblem
from foureyes.steps import NO_STEP, Steps, blank, by, by_person, either, fe, in_turn, prose, shell, unshallow

# ---- Doctor ----

SHOWN_TASKS = 5
LEAST_ROOM = 1 << 20
"""Free bytes below which the disk counts as full."""
ROLES = {"owner": "the owner", "writer": "a writer", "reader": "a reader"}


def grants_for(role: StoreRole, wanted: str = "") -> Steps:
    """Return the command that grants a role its rights: its current ones, or those in `wanted`. The owner runs the
    SQL.
    """
    if role.kind == "owner":
        return fe("store", "roles", before="to create a role for agents that can only add rows: ")
    grant = fe("store", "roles", "--reader" if (wanted or role.kind) == "reader" else "--writer", role.name)
    wish = "to write: " if wanted else ""
    return by("other", grant, f"{wish}{role.owner} owns it and prints the SQL with: ")


class Doctor:
    """Health checks of git, store, configuration and keys."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def examine(self, actor: Actor, progress: CountProgress | None = None) -> list[Check]:
        """Run every health check. Repairs nothing."""
        answer, notices = self._on_remote()
        checks = [
            self._git(),
            *notices,
            self._target(answer),
            self._configuration(actor),
            *self._former_settings(),
            *self._remote(),
            *self._unheard(),
        ]
        checks += [self._health(), self._place(answer)]
        checks += [*self._role(), *self._kept_stores(), self._journal(progress)]
        checks += [self._writing(), self._checks(actor), *self._environments(actor)]
        checks += [self._identity(actor), proof_of_people(self._context, actor)]
        return [*checks, self._profiles(actor), *self._programs(), *in_git_dir(self._context)]

    def _remote(self) -> list[Check]:
        """Check that the remote has this clone's submissions. No result if there is no remote. (Q6)"""
        try:
            name, tasks = unsent(self._context)
        except (ConfigError, GitProblem):  # another check reports this
            return []
        if tasks or not name:
            text = f"{some(tasks, SHOWN_TASKS)}: submitted here but not yet pushed to {name}"
            step = fe("merge", before="the next submission pushes them. To push now: ")
            return [Check("remote", "warn", text, step)] if tasks else []
        try:
            gone, written = lacking_there(self._context)
        except GitProblem:
            text = f"submissions were pushed to {name}, but {name} cannot be reached to confirm them"
            return [Check("remote", "ok", text)]
        checks = []
        if gone:
            text = f"{name} lacks these pushed submissions: {some(gone, SHOWN_TASKS)}"
            checks.append(Check("remote", "warn", text, shell("git", "push", name, gone[0])))
        if written:
            text = f"{name} has other commits in place of these submissions: {some(written, SHOWN_TASKS)}"
            checks.append(Check("remote", "warn", text, shell("git", "ls-remote", name, written[0])))
        return checks or [Check("remote", "ok", f"{name} has all submissions of this clone")]

    def _unheard(self) -> list[Check]:
        """Warn about unconfirmed pushes. (Q4)"""
        with self._context.store.read() as tx:
            return [_unheard_push(tx, task) for task in unheard(self._context, tx)]

    def _programs(self) -> list[Check]:
        """Check the setup of each agent program in this checkout."""
        checks = []
        for each in self._context.outside.set_ups():
            text = f"{each.program}: {', '.join(each.entries)}"
            if each.wrong:
                again = fe("setup", each.program, after="   (unless this is intended)")
                checks.append(Check("agents", "warn", f"{text}; {'; '.join(each.wrong)}", again))
            else:
                checks.append(Check("agents", "ok", text))
        none = "no agent program is set up in this checkout"
        return checks or [Check("agents", "ok", none, fe("setup", blank("PROGRAM")))]

    def _profiles(self, actor: Actor) -> Check:
        """List the profiles' programs, by files only. A missing one is no problem."""
        from foureyes.config.effective_policy import agent_profiles

        with self._context.store.read() as tx:
            profiles = agent_profiles(self._context.layers(tx, actor))
        programs = self._context.outside.agents()
        seen = [programs.available(name, profile) for name, profile in sorted(profiles.items())]
        available = [f"{each.profile} ({each.login})" if each.login else each.profile for each in seen if each.path]
        missing = [each.profile for each in seen if not each.path]
        text = "; ".join(filter(None, (", ".join(available), f"not found: {', '.join(missing)}" if missing else "")))
        return Check("profiles", "ok", text, fe("agent", "list"))

    def _writing(self) -> Check:
        """Check that the caller can write where work requires it. An agent's sandbox often forbids that."""
        agent = sandbox_around(self._context.environ)
        inside = f" in the sandbox of {agent}" if agent else ""
        shut = self._context.outside.unwritable()
        role = self._context.store.role()
        if role is not None and role.kind == "reader":
            text = f"role {role.name} is a reader, so this command{inside} can read the store but not write to it"
            return Check("writing", "warn", text, grants_for(role, "writer"))
        room = self._context.outside.free_space()
        if room is not None and room < LEAST_ROOM:
            return Check(
                "writing", "warn", f"the disk is full, with only {room // 1024} KB free", prose("free some space")
            )
        if not shut:
            return Check("writing", "ok", f"store, refs, checkout and temporary directory can be written{inside}")
        named = ", ".join(f"{place.what} {place.path} ({place.why})" for place in shut)
        says = "you can read here, but not claim, commit or submit"
        text = f"this command{inside} cannot write {named}: {says}"
        return Check("writing", "warn", text, let_write(agent, [place.path for place in shut]))

    def _git(self) -> Check:
        try:
            self._context.repo.heads()
        except GitProblem as problem:
            return Check("git", "fail", problem.message, problem.next_step)
        return Check("git", "ok", "git answers")

    def _on_remote(self) -> tuple[RemoteAnswer | None, list[Check]]:
        """Ask the remote for the target. Return the answer and a check of it. No result if there is no remote. (Q6)"""
        try:
            answered = ask_target(self._context)
        except RemoteProblem as problem:
            text = f"{problem.message}. Nothing is merged until this is fixed"
            return None, [Check("target there", "warn", text, problem.next_step)]
        if answered is None:
            return None, []
        if answered.tip is None:
            push = by_person(shell("git", "push", answered.name, answered.target))
            text = f"{answered.name} answers but has no branch {answered.target}"
            return answered, [Check("target there", "warn", text, push)]
        text = f"{answered.name} answers, and its target is at {answered.tip[:7]}"
        return answered, [Check("target there", "ok", text)]

    def _target(self, answer: RemoteAnswer | None) -> Check:
        with self._context.store.read() as tx:
            project = self._context.project(tx)
        target = project.target
        try:
            head = branch_here(self._context, target)
        except GitProblem as problem:
            return Check("target", "fail", problem.message, problem.next_step)
        if head is None:
            gone = unaccepted(self._context, project)
            text, step = (gone.text, gone.next) if gone else (f"there is no branch {target}", NO_STEP)
            return Check("target", "fail", text, step)
        with self._context.store.read() as tx:
            stop, where = amiss(self._context, tx, project, answer), merged_where(self._context, tx)
        if stop is not None:
            return Check("target", "fail", stop.text, stop.next)
        stray, warnings = unbrought(self._context, asked=answer is not None), self._of_clone(answer, target)
        warnings += [(stray.text, stray.next)] if stray is not None else []
        if warnings:
            texts, ways = zip(*warnings, strict=True)
            return Check("target", "warn", "; ".join(texts), either(*ways))
        return Check("target", "ok", f"target {target} at {head[:7]}{where and f' ({where})'}")

    def _of_clone(self, answer: RemoteAnswer | None, target: str) -> list[tuple[str, Steps]]:
        """Return warnings about a local target branch or checkout that is not at the target."""
        if answer and answer.tip and (ahead := ahead_here(self._context, answer.name, target, answer.tip)):
            return [(ahead.text, ahead.next)]
        behind = checkouts_behind(self._context, target)[:1]
        return [(f"the checkout {left.here} of {target} is behind ({left.why})", left.next) for left in behind]

    def _configuration(self, actor: Actor) -> Check:
        try:
            with self._context.store.read() as tx:
                project = self._context.project(tx)
                policy = self._context.policy(tx, actor)
            text = self._context.repo.file_at(read_at(self._context, project, project.target), FILE)
            named = read_file(text).get("project.id") if text else None
        except (ConfigError, GitProblem) as error:
            return Check("configuration", "fail", error.message, error.next_step)
        if named not in ("", None, project.id):
            message = f"{FILE} on {project.target} has a different project id than this store"
            return Check("configuration", "fail", message, BRING_HERE)
        if self._is_missing(project.target):
            message = f"the {FILE} that was accepted last is in force (policy {policy.name}), and there is no target to compare it with"
            return Check("configuration", "warn", message)
        problem = unaccepted(self._context, project)
        if problem:
            return Check("configuration", "warn", problem.text, problem.next)
        odd = disagreements(Layers(file=read_file(text or "")))
        if odd:
            return Check("configuration", "warn", f"{odd[0].key}: {odd[0].text}", prose(f"fix {FILE}, then: ") + ACCEPT)
        return Check("configuration", "ok", f"{FILE} on {project.target} is accepted (policy {policy.name})")

    def _former_settings(self) -> list[Check]:
        """Warn about settings with keys of earlier versions, with their replacement."""
        with self._context.store.read() as tx:
            project = self._context.project(tx)
        try:
            text = self._context.repo.file_at(read_at(self._context, project, project.target), FILE)
            written = former_keys(text or "")
        except (ConfigError, GitProblem):  # the configuration check reports this
            written = []
        step = prose(f"change {FILE}, then: ") + ACCEPT
        return [Check("settings", "warn", sentence, step) for sentence in written]

    def _health(self) -> Check:
        try:
            problems = self._context.store.health()
        except FoureyesError as problem:
            return Check("store", "fail", problem.message, problem.next_step)
        if problems:
            return Check(
                "store",
                "fail",
                "; ".join(problems),
                in_turn(
                    fe("store", "backup", blank("FILE"), after=" now"),
                    fe("store", "restore", blank("FILE"), after=" from a good backup"),
                    joint=", then ",
                ),
            )
        return Check("store", "ok", f"{self._context.store.describe()}: sound")

    def _place(self, answer: RemoteAnswer | None) -> Check:
        """Check that this store belongs to the target and is at its recorded place. (J3, P12)"""
        with self._context.store.read() as tx:
            project = self._context.project(tx)
            if self._is_missing(project.target):
                return Check(
                    "place", "warn", f"there is no branch {project.target}, so the store cannot be compared with it"
                )
            wrong = misplaced(self._context, tx, project, reported=answer.tip if answer else None)
            unread = unread_anchor(self._context, tx, project) if wrong else None
        if unread is not None and not found_elsewhere(self._context, project):
            return Check("place", "fail", "; ".join(wrong), unread.next_step or fe("audit", "verify"))
        if wrong:
            adopt = in_turn(prose("find out who moved it"), ADOPT, joint=". If this is the right store, then ")
            return Check("place", "fail", "; ".join(wrong), adopt)
        return Check("place", "ok", "the store is where its journal says, and contains every merge of the target")

    def _role(self) -> list[Check]:
        """Check the caller's role on a database server, and if it can rewrite the journal. No result for a file."""
        role = self._context.store.role()
        if role is None:
            return []
        text = f"role {role.name} is {ROLES[role.kind]} of schema {role.schema}"
        if role.kind == "owner" and role.owner != role.name:
            text = f"role {role.name} has the rights of {role.owner}, the owner of schema {role.schema}"
        if role.rewrites:
            return [Check("role", "warn", f"{text}, so they could change what is recorded", grants_for(role))]
        if role.kind == "owner":
            can = f"{text}, so anyone with its password can rewrite the journal"
            return [Check("role", "ok", can, grants_for(role))]
        return [Check("role", "ok", text)]

    def _kept_stores(self) -> list[Check]:
        """List old store files that were set aside."""
        names = self._context.outside.kept_stores()
        text = f"files in .foureyes that are not the store: {some(names, SHOWN_TASKS)}"
        return [Check("aside", "ok", text)] if names else []

    def _is_missing(self, target: str) -> bool:
        try:
            return branch_here(self._context, target) is None
        except GitProblem:
            return False

    def _journal(self, progress: CountProgress | None) -> Check:
        try:
            report = self._context.store.audit(progress)
        except FoureyesError as problem:
            return Check("journal", "fail", problem.message, problem.next_step)
        if report.findings:
            adopt = set_aside_by(self._context, report.findings)
            return Check("journal", "fail", report.findings[0].message, adopt or fe("audit", "verify"))
        if dates := misdated(self._context):
            clock = prose("correct the clock of the machine that wrote it")
            return Check(
                "journal", "warn", f"{report.rows} rows, chain and tables verified, but {', '.join(dates)}", clock
            )
        return Check("journal", "ok", f"{report.rows} rows, chain and tables verified")

    def _checks(self, actor: Actor) -> Check:
        """Check the configured checks. (D5, M4)"""
        try:
            with self._context.store.read() as tx:
                rules = self._context.policy(tx, actor).checks
        except ConfigError as problem:
            return Check("checks", "fail", problem.message, problem.next_step)
        if not rules:
            message = "no checks are configured, so nothing is approved automatically (M4)"
            return Check("checks", "warn", message, prose("add [[checks]] to foureyes.toml on the target branch"))
        runner = self._context.outside.checks()
        if absent := {rule.name: word for rule in rules if (word := runner.absent(rule))}:
            text = (
                f"not on the PATH here: {some(sorted(set(absent.values())), SHOWN_TASKS)}, of check {', '.join(absent)}"
            )
            return Check("checks", "warn", text, prose("install it, or name another command in foureyes.toml"))
        for rule, place in ((rule, runner.misled(rule)) for rule in rules):
            if place:
                message = (
                    f"check {rule.name} will be unsound, because its Python uses {place} as an editable install (D5)"
                )
                step = f"begin its run with PYTHONPATH={'src' if place.endswith('/src') else '.'} in foureyes.toml"
                return Check("checks", "warn", message, prose(step))
        for run in self._runs_on_target(actor):
            if run.outcome == "unsound":
                message = f"check {run.check}: its last run on the target is unsound (D5): {run.summary}"
                return Check("checks", "warn", message, fe("check", "show", "--target"))
        names = " ".join(rule.name if rule.required else f"{rule.name} (optional)" for rule in rules)
        return Check("checks", "ok", f"checks {names}")

    def _environments(self, actor: Actor) -> list[Check]:
        """Check that checks are isolated, and list kept environments. No result without `[checkout]`. (D5)"""
        try:
            with self._context.store.read() as tx:
                rule = self._context.policy(tx, actor).checkout
        except ConfigError:
            return []
        if not rule.matters:
            return []
        runner = self._context.outside.checks()
        why = runner.why_no_sandboxes() if rule.hides else ""
        if why and rule.isolation == "full":
            text = f"no check runs, because checkout.isolation = full and {why} (D5)"
            return [Check("checkout", "fail", text, prose("set checkout.isolation to auto on the target branch"))]
        rows = runner.environments()
        size = sum(row.bytes for row in rows) / 1e9
        kept = f"cached check environments: {len(rows)}, {size:.1f} GB"
        if why:
            text = f"checks can see the files of their user, because {why} (D5). {kept}"
            return [Check("checkout", "warn", text, fe("check", "environments"))]
        return [Check("checkout", "ok", kept, fe("check", "environments"))]

    def _runs_on_target(self, actor: Actor) -> list[CheckRun]:
        from foureyes.app.gate.checks import CheckRuns

        try:
            return CheckRuns(self._context).of_target(actor)
        except FoureyesError:
            return []  # the target check reports this

    @staticmethod
    def _identity(actor: Actor) -> Check:
        if actor.bound is not None:
            return Check("identity", "warn", f"{actor.kind} {actor.name}: {actor.bound.message}", actor.bound.next)
        if actor.by_key:
            return Check("identity", "warn", " ".join(actor.why), fe("whoami"))
        if actor.kind == "service":
            return Check(
                "identity",
                "warn",
                "no terminal and no agent process was found, so this caller may only create, log, submit, check and merge",
                fe("whoami"),
            )
        return Check("identity", "ok", f"{actor.kind} {actor.name}, {actor.trust}")


def _unheard_push(tx: Tx, task: str) -> Check:
    """Warn about an unconfirmed push, or report a record of it that no merge wrote. (J2, Q4)"""
    try:
        sent_for(tx, task)
    except StoreProblem as problem:
        return Check("pushed", "fail", problem.message.rstrip("."), problem.next_step)
    return Check("pushed", "warn", f"{task}: {NOT_KNOWN}", fe("merge"))


# ---- Git dir ----

REFS_SHOWN = 5
OURS = "refs/foureyes/"


def in_git_dir(context: Context) -> list[Check]:
    """Return a check for each problem in the git directory."""
    return [*_worktrees(context), *_history(context), *_refs(context), *_replaced(context)]


def _worktrees(context: Context) -> list[Check]:
    """Warn about worktrees that git does not know, for example after a move of the repository. (K1)"""
    workshop = context.workshop
    wrong = {task: path for task, path in workshop.worktrees().items() if workshop.worktree_state(task).wrong}
    if not wrong:
        return []
    repair = shell("git", "worktree", "repair", *wrong.values())
    text = f"git does not know the worktrees of {', '.join(wrong)}. Was the repository moved?"
    return [Check("worktrees", "warn", text, repair)]


def _history(context: Context) -> list[Check]:
    """Warn about a shallow clone. (Q5, Q6)"""
    with context.store.read() as tx:
        target, remote = context.project(tx).target, remote_of(context, tx)
    try:
        is_whole = not context.repo.history(target, COMMITS_LOOKED_AT).lacks
    except GitProblem:  # another check reports this
        return []
    text = f"this clone lacks part of the history of {target}, which a merge may need"
    return [] if is_whole else [Check("history", "warn", text, unshallow(remote))]


def _refs(context: Context) -> list[Check]:
    """Warn about refs or locks that keep git from writing attempts or tracking refs. (A1, Q6)"""
    with context.store.read() as tx:
        remote, target = remote_of(context, tx), context.project(tx).target
    notes = [tracked(remote, ref) for ref in (f"refs/heads/{target}", FENCE)] if remote else []
    try:
        lost = dict.fromkeys(_displaced(ref, remote) for ref in context.repo.kept(OURS))
        others = [ref for ref in lost if ref and ref not in notes][:REFS_SHOWN]
        locked = [ref for ref in context.repo.locked(OURS) if ref not in (*notes, *others)][:REFS_SHOWN]
        problems = context.repo.in_the_way([*notes, *others, *locked])
    except GitProblem:  # another check reports this
        return []
    return [Check("refs", "warn", problem.message, problem.next_step) for problem in problems]


def _replaced(context: Context) -> list[Check]:
    """Warn about replace refs and grafts, because git then shows people other content. (Q5, Q6)"""
    try:
        names = context.repo.replaced()
    except GitProblem:  # another check reports this
        return []
    by = some(names, REFS_SHOWN)
    text = f"git in this clone shows something other than the real objects, because of {by}. Foureyes ignores that"
    see = shell(
        "git", "--no-replace-objects", "show", blank("COMMIT"), before="to see the real objects, except for grafts: "
    )
    return [Check("replaced", "warn", text, see)] if names else []


def _displaced(ref: str, remote: str) -> str:
    below = f"{KEPT_REMOTES}{remote}/"
    if not remote or not ref.startswith(below):
        return displaced(ref)
    there = displaced(f"refs/{ref.removeprefix(below)}")
    return tracked(remote, there) if there else ""


# ---- Sandboxes in which agent programs run commands ----

MARKS = {"CODEX_SANDBOX_NETWORK_DISABLED": "codex", "CODEX_SANDBOX": "codex", "SANDBOX_RUNTIME": "claude"}
"""Variables that an agent program sets only for commands in its sandbox."""


def sandbox_around(environ: Mapping[str, str]) -> str:
    """Return the agent program whose sandbox runs this command, "" if none is known."""
    return next((agent for mark, agent in MARKS.items() if mark in environ), "")


def let_write(agent: str, paths: Sequence[str]) -> Steps:
    """Return the steps to allow an agent program's sandbox to write to these paths."""
    if agent == "codex":
        roots = [word for path in paths for word in ("--add-dir", path)]
        return shell("codex", "-s", "workspace-write", *roots, before="allow it to write: ")
    if agent == "claude":
        allow = json.dumps({"sandbox": {"filesystem": {"allowWrite": list(paths)}}})
        return prose(f"allow it to write, in .claude/settings.json: {allow}")
    return prose(f"let this command write {', '.join(paths)}")
