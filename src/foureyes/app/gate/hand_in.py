"""Attempts: freeze what was handed in (A1), from whatever branch the work is on (K4)."""

from __future__ import annotations

from datetime import datetime

import msgspec

from foureyes.app.call.caller import permit, refuse_other_task
from foureyes.app.call.context import Context
from foureyes.app.call.facts import facts_of
from foureyes.app.call.outcome import outcome
from foureyes.app.call.refusals import needed, refuse_from
from foureyes.app.call.rows import Named, Token
from foureyes.app.findings.at_hand_in import carry, places_of, refuse_foreign_commits, refuse_unanswered
from foureyes.app.findings.lookup import findings_of
from foureyes.app.gate.settling import settle
from foureyes.app.ports import Tx
from foureyes.app.views.attempt import SubmitOutcome
from foureyes.app.views.project import ProjectView
from foureyes.app.views.task import Outcome
from foureyes.app.work.branches import attempt_ref
from foureyes.core import events as e
from foureyes.core.events.decision import AttemptSubmitted
from foureyes.core.events.project import SecurityRecorded
from foureyes.core.nouns.attempt import DETACHED, SIGNALS, Attempt, Author, Change, Signal
from foureyes.core.nouns.session import Actor, is_one_origin
from foureyes.core.nouns.task import Task
from foureyes.core.rules import gate
from foureyes.core.rules.facts import Facts
from foureyes.core.words.ids import SessionId, Sha
from foureyes.core.words.lifecycle import IMPLEMENTATION
from foureyes.core.words.text import clean_text
from foureyes.errors import BadInput, NotFound, Reason, Refused

SHOWN_PATHS = 5


class Attempts:
    """Submit, and look at what was submitted."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def submit(
        self,
        actor: Actor,
        task: str,
        *,
        message: str = "",
        commit: str | None = None,
        no_code: bool = False,
        branch: str | None = None,
        signal: str = "DONE",
        if_version: int | None = None,
    ) -> SubmitOutcome:
        """Hand in. Git is asked before the transaction; if the task moved meanwhile, nothing is written. Then the mode
        decides (M).
        """
        from foureyes.app.findings import inherited
        from foureyes.app.tasks import escalation  # only a hand-in needs them; commands that claim load this file

        permit(actor, "submit")
        refuse_signal(signal, task)
        message = clean_text(message, "the message")
        with self._context.store.read() as tx:
            found = self._context.find(tx, task)
            self._context.check_version(tx, found, if_version)
            facts = facts_of(self._context, tx, found.id)
            project = self._context.project(tx)
            refuse_other_task(actor, found.id)
            self._refuse_stranger(tx, facts, actor)
            tokens = [
                SessionId(row.session)
                for row in tx.all("session.tokens_of_task", Token, task=found.id, role="implement")
            ]
        ref = self._ref(facts, actor, branch)
        self._refuse_uncommitted(facts, actor, ref, commit, own_place=branch is None)
        change = self._change(facts.task, project, ref)
        last = facts.attempt
        with self._context.store.read() as tx:
            known = findings_of(tx, found.id)
            refuse_foreign_commits(tx, found.id, change, found.iteration + 1)
        if (
            last is not None
            and facts.task.status == "reviewing"
            and last.head == change.head
            and last.ref == change.ref
        ):
            return submitted(facts, last, changed=False)
        self._refuse_empty(facts, change, project, no_code=no_code)
        places = places_of(self._context, known, change, last) if known and last else ()
        event = self._frozen(facts, project, change, message, tokens, no_code=no_code, signal=signal)
        brought = inherited.found_again(self._context, event, found.id)
        self._context.workshop.keep(attempt_ref(found.id, event.n), event.head)
        with self._context.writing(actor, "submit") as work:
            now = self._context.find(work.tx, found.id)
            self._context.check_version(work.tx, now, found.version)
            refuse_unanswered(work.tx, found.id, work.at)
            event = inherited.laundered(work.tx, event, found.id)
            work.record(found.id, event)
            carry(self._context, work, found.id, event, places, event.implementer)
            inherited.inherit(self._context, work, found.id, event, brought)
            inherited.come_back(self._context, work, found.id, event, brought)
            settled = settle(self._context, work, found.id, gate.Tip(head=event.head, on_target=event.landed))
            if event.n > 1:
                escalation.escalate(self._context, work, found.id)
            done = submitted(facts_of(self._context, work.tx, found.id), event)
            done = msgspec.structs.replace(done, mode=settled.mode, reasons=settled.reasons)
            return msgspec.structs.replace(done, next="fe session end") if actor.role else done

    def _change(self, task: Task, project: ProjectView, ref: str) -> Change:
        """What git says was done; what landed unapproved before is part of it again, so that nobody approves
        around it.
        """
        if task.landed and task.start_target is not None:
            return self._context.repo.change(
                target=project.target, ref=ref, since=task.start_target, covering=task.start_target
            )
        return self._context.repo.change(target=project.target, ref=ref, since=task.start_target)

    def _refuse_stranger(self, tx: Tx, facts: Facts, actor: Actor) -> None:
        """Submit is the implementer's; a delegator, a service (the runner) or a person may do it for it."""
        task = facts.task
        refuse_from_submit(facts)
        assert task.implementer is not None
        me, owner = self._context.party(tx, actor), facts.party(task.implementer)
        if (
            is_one_origin(me, owner)
            or facts.is_under(owner, me)
            or actor.kind in ("human", "service")
            or actor.role == "implement"
        ):
            return
        who = facts.party_name(task.implementer)
        raise Refused(
            f"{task.id} was not handed in.",
            reasons=(
                Reason("A1", f"{who} holds the claim on {task.id}: it hands in its own work", f"fe show {task.id}"),
            ),
            task=task.id,
        )

    def _ref(self, facts: Facts, actor: Actor, branch: str | None) -> str:
        """The ref the work is on: the named one, the last attempt's when somebody else submits, else where the caller
        stands.
        """
        repo = self._context.repo
        if branch is not None:
            ref = repo.branch_ref(branch)
            if ref is None:
                raise NotFound(f"there is no branch {branch}.", next_step="git branch --list")
            return ref
        if facts.attempt is not None and facts.attempt.ref != DETACHED and actor.session != facts.task.implementer:
            return facts.attempt.ref
        return self._refuse_anothers(facts, repo.current_ref())

    def _refuse_anothers(self, facts: Facts, ref: str) -> str:
        """K1: who stands in the worktree of another task would hand in that task's work."""
        named, task = ref.removeprefix("refs/heads/fe/"), facts.task.id
        own = (
            self._context.repo.branch_ref(f"fe/{task}") if ref.startswith("refs/heads/fe/") and named != task else None
        )
        with self._context.store.read() as tx:
            another = own is not None and tx.one("task.exists", Named, id=named) is not None
        if another:
            reason = Reason(
                "A1", f"you stand on fe/{named}, the branch of {named}", f"fe submit {task} --branch fe/{task}"
            )
            raise Refused(f"{task} was not handed in.", reasons=(reason,), next_step=reason.next, task=task)
        return ref

    def _refuse_uncommitted(self, facts: Facts, actor: Actor, ref: str, commit: str | None, *, own_place: bool) -> None:
        """A1: what is not committed is not handed in; `--commit` commits it first."""
        paths = self._context.repo.uncommitted(ref)
        if not paths:
            return
        task = facts.task
        if commit is not None and commit.strip() and own_place:
            trailers = [("Task", str(task.id)), ("Foureyes-Session", str(task.implementer or actor.session))]
            self._context.workshop.commit_all(clean_text(commit, "the commit message"), trailers)
            return
        shown = ", ".join(paths[:SHOWN_PATHS]) + (
            f" and {len(paths) - SHOWN_PATHS} more" if len(paths) > SHOWN_PATHS else ""
        )
        are = "file is" if len(paths) == 1 else "files are"
        step = f'commit {"it" if len(paths) == 1 else "them"}, or: fe submit {task.id} --commit "message"'
        raise Refused(
            f"{task.id} was not handed in.",
            reasons=(Reason("A1", f"{len(paths)} {are} not committed: {shown}", step),),
            next_step=step,
            task=task.id,
        )

    def _refuse_empty(self, facts: Facts, change: Change, project: ProjectView, *, no_code: bool) -> None:
        """A5: an empty diff only as `--no-code`, and that only for an empty diff."""
        task = facts.task
        if change.is_empty and not no_code:
            name = change.ref.removeprefix("refs/heads/")
            own = f"fe/{task.id}"
            step = f"commit your work on a branch; if there really is no code: fe submit {task.id} --no-code"
            if change.ref != f"refs/heads/{own}" and self._context.repo.branch_ref(own) is not None:
                step = f"fe submit {task.id} --branch {own}"
            where = (
                f"nothing was committed on {name} since the start"
                if name == project.target
                else f"{name} has nothing that {project.target} lacks"
            )
            reason = Reason("A5", where, step)
            raise Refused(f"{task.id} was not handed in.", reasons=(reason,), next_step=step, task=task.id)
        if no_code and not change.is_empty:
            reason = Reason(
                "A5",
                f"--no-code, but {len(change.files)} files changed since {change.base[:7]}",
                f"fe submit {task.id}",
            )
            raise Refused(f"{task.id} was not handed in.", reasons=(reason,), next_step=reason.next, task=task.id)

    def _frozen(
        self,
        facts: Facts,
        project: ProjectView,
        change: Change,
        message: str,
        tokens: list[SessionId],
        *,
        no_code: bool,
        signal: str,
    ) -> AttemptSubmitted:
        task, last = facts.task, facts.attempt
        assert task.implementer is not None
        relation = None
        if last is not None:
            relation = self._context.repo.relation(
                base=last.base, head=last.head, new_head=change.head, target=project.target
            )
        return AttemptSubmitted(
            n=task.iteration + 1,
            implementer=task.implementer,
            base=change.base,
            head=change.head,
            tree=change.tree,
            ref=change.ref,
            diff_id=change.diff_id,
            landed=change.landed,
            no_code=no_code,
            files=change.files,
            commits=change.commits,
            added=change.added,
            removed=change.removed,
            authors=authors_of(facts, change, tokens),
            message=message,
            duration_seconds=self._seconds_since(task.started_at),
            relation=relation,
            signal=msgspec.convert(signal, Signal),
            base_tree=change.base_tree,
            marks=change.marks,
            pieces=() if change.is_empty else self._context.repo.pieces(change.base, change.head),
        )

    def _seconds_since(self, moment: str | None) -> int:
        if moment is None:
            return 0
        return max(0, int((self._context.clock.now() - datetime.fromisoformat(moment)).total_seconds()))

    def clear_author(self, actor: Actor, task: str, session: str, reason: str) -> Outcome:
        """I8: a person says that a trailer names somebody wrongly; on record, and only what trailers say is cleared."""
        permit(actor, "author clear")
        reason = needed(reason, "author clear", f"{task} {session}")
        with self._context.store.read() as tx:
            found = self._context.find_id(tx, task)
            name = only_by_trailer(facts_of(self._context, tx, found), session)
        signed = f"{name}: {reason}"
        with self._context.deciding(actor, "author clear", task=found, reason=signed) as work:
            facts = facts_of(self._context, work.tx, found)
            if name not in facts.makers():
                return outcome(
                    facts.task, f"{facts.party_name(name)} is not counted as an author of {found}", changed=False
                )
            work.record(found, e.AttributionCleared(session=name, attempt=facts.task.iteration, reason=reason))
            event = SecurityRecorded(
                kind="attribution_cleared", rule="I8", reason=reason, detail=f"{name} is no author by trailer"
            )
            work.record(found, event)
            now = self._context.get(work.tx, found)
            return outcome(
                now,
                f"{facts.party_name(name)} no longer counts as an author of {found}",
                notes=("audited: fe security",),
            )

    def diff(self, task: str, *, since: int | None = None) -> str:
        """The change of the latest attempt, or what changed since attempt N, for reading."""
        with self._context.store.read() as tx:
            found = self._context.find(tx, task)
            facts = facts_of(self._context, tx, found.id)
            if facts.attempt is None:
                raise NotFound(f"nothing was handed in for {found.id}.", next_step=f"fe show {found.id}", task=found.id)
            base = facts.attempt.base
            if since is not None:
                base = self._head_of(tx, facts, since)
        return self._context.repo.diff_text(base, facts.attempt.head)

    def _head_of(self, tx: Tx, facts: Facts, n: int) -> Sha:
        rows = tx.all("attempt.of_task", AttemptHead, task=facts.task.id)
        for row in rows:
            if row.n == n:
                return Sha(row.head)
        raise NotFound(f"{facts.task.id} has no attempt {n}; it has {len(rows)}.", next_step=f"fe show {facts.task.id}")


class AttemptHead(msgspec.Struct, frozen=True):
    """Number and head of an attempt."""

    n: int
    head: str


def only_by_trailer(facts: Facts, text: str) -> SessionId:
    """The author that is meant by id or name; one that did more than be named in a trailer stays an author (I8)."""
    task = facts.task.id
    authors = {author.session for author in facts.authors or ()}
    named = {name for name in authors if name == text} or {name for name in authors if facts.party(name).name == text}
    if len(named) != 1:
        raise NotFound(f"{task} has no author {text}.", next_step=f"fe show {task}", task=task)
    (session,) = named
    acts = [
        entry.action for entry in facts.history or () if entry.session == session and entry.action in IMPLEMENTATION
    ]
    held = any(author.session == session and author.source != "trailer" for author in facts.authors or ())
    if held or set(acts) - {"committed"} or facts.task.implementer == session:
        reason = Reason(
            "I8",
            f"{facts.party_name(session)} held the claim or a token for it: history is never cleared",
            f"fe show {task}",
        )
        raise Refused(f"{task} was not changed.", reasons=(reason,), next_step=reason.next, task=task)
    return session


def refuse_signal(signal: str, task: str) -> None:
    """S1, S2: with what a run may end that hands in."""
    if signal not in SIGNALS:
        said = "a failed run is never a submit (S2)" if signal == "FAILED" else f"there is no signal {signal!r}"
        step = f'fe unstart {task} -m "why it failed"' if signal == "FAILED" else f"fe submit {task} --help"
        raise BadInput(f"{said}; with a hand-in go {', '.join(SIGNALS)}.", next_step=step)


def refuse_from_submit(facts: Facts) -> None:
    """Lesson 2: there is no way into review without a claim."""
    task = facts.task
    if task.status == "open":
        step = f"fe start {task.id}"
        raise Refused(
            f"{task.id} was not handed in.",
            reasons=(Reason("T2", f"nobody has started {task.id}, so nobody would be its author", step),),
            next_step=step,
            task=task.id,
        )
    refuse_from(task, "submit")


def authors_of(facts: Facts, change: Change, tokens: list[SessionId]) -> tuple[Author, ...]:
    """A1: the sessions that held the claim or a token to implement, and those that the commits' trailers name."""
    authors: dict[SessionId, Author] = {}
    started = [entry.session for entry in facts.history or () if entry.action == "started"]
    for session in [*started, facts.task.implementer]:
        if session is not None:
            authors.setdefault(session, Author.by("claim", session))
    for session in tokens:
        authors.setdefault(session, Author.by("token", session))
    for commit in change.commits:
        for name in commit.sessions:
            if name and len(name) <= 80:
                session = SessionId(name)
                authors.setdefault(session, Author.by("trailer", session, commit.sha[:7]))
    return tuple(authors.values())


def submitted(facts: Facts, event: AttemptSubmitted | Attempt, *, changed: bool = True) -> SubmitOutcome:
    """What the caller is told about a hand-in."""
    return SubmitOutcome(
        task=facts.task.id,
        attempt=event.n,
        base=event.base,
        head=event.head,
        ref=event.ref,
        diff_id=event.diff_id,
        status=facts.task.status,
        files=len(event.files),
        added=event.added,
        removed=event.removed,
        commits=len(event.commits),
        landed=event.landed,
        no_code=event.no_code,
        changed=changed,
        signal=event.signal,
        next="fe next",
    )
