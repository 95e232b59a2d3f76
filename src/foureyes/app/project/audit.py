"""Audit: read, verify and export the journal and its recorded exceptions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import datetime, timedelta

import msgspec

from foureyes.app.context import Context, stamp
from foureyes.app.facts import EventRow
from foureyes.app.ports import CountProgress
from foureyes.app.project.accepted_config import BRING_HERE, named_in, read_at
from foureyes.app.results.journal import AuditReport, Discrepancy, JournalRow, SecurityRow, SecurityTotal
from foureyes.app.results.settings import SigningKey
from foureyes.app.signatures import Signature, Statement
from foureyes.app.target import ADOPT, RemoteAnswer, ask_target, misplaced, remote_of, unread_anchor
from foureyes.app.target_merges import MergeStop, amiss
from foureyes.config import FILE as CONFIG_FILE
from foureyes.core.words.ids import Sha
from foureyes.core.words.refs import KEPT_ATTEMPTS, attempt_ref
from foureyes.core.words.store_place import FILE
from foureyes.core.words.text import flat
from foureyes.errors import GitProblem
from foureyes.steps import NO_STEP, Steps, by_person, fe, phrase

# ---- Audit ----

BATCH = 1_000
END = 2**62
CLOCKS_APART = timedelta(minutes=5)
MOST_MISDATED = 20


class Audit:
    """Reading and verifying the journal."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def log(self, *, task: str | None = None, limit: int = 50) -> list[JournalRow]:
        """Return the latest journal rows, oldest first."""
        with self._context.store.read() as tx:
            if task is None:
                return list(reversed(tx.all("journal.latest", JournalRow, before=END, limit=limit)))
            task_id = self._context.find_id(tx, task)
            return list(reversed(tx.all("journal.of_task", JournalRow, task=task_id, before=END, limit=limit)))

    def export(self) -> Iterator[JournalRow]:
        """Yield every row from the start, in bounded memory."""
        after = 0
        with self._context.store.read() as tx:
            while rows := tx.all("journal.page", JournalRow, after=after, limit=BATCH):
                yield from rows
                after = rows[-1].seq

    def verify(self, progress: CountProgress | None = None) -> AuditReport:
        """Verify the chain, replay, mirrors, signatures (I9) and kept attempts, and that this is the target's store
        (P12). (J2)
        """
        report = self._context.store.audit(progress)
        wrong, signatures = self._signatures()
        lost, notes = attempts_lost(self._context)
        answer, remote_problem = self._asked()
        notes = [*notes, *remote_problem, *misdated(self._context)]
        elsewhere = self._misplaced(answer)
        stop = self._lacking(answer)
        known = (*report.findings, *wrong, *lost)
        foreign = self._of_another_project()
        others = (*known, *foreign, *([Discrepancy("completeness", stop.text)] if stop else []))
        adopt = set_aside_by(self._context, (*others, *elsewhere))
        if elsewhere and all(each.file for each in others) and not self._is_unread():
            adopt = by_person(ADOPT)
        back = stop.next if stop and not known and not elsewhere else NO_STEP
        back = BRING_HERE if foreign and not known else back
        return msgspec.structs.replace(
            report,
            findings=(*others, *elsewhere),
            signatures=signatures,
            notes=tuple(notes),
            next=adopt or back,
        )

    def _misplaced(self, answer: RemoteAnswer | None) -> list[Discrepancy]:
        with self._context.store.read() as tx:
            tip = answer.tip if answer else None
            sentences = misplaced(self._context, tx, self._context.project(tx), reported=tip)
        return [Discrepancy("integrity", sentence) for sentence in sentences]

    def _of_another_project(self) -> list[Discrepancy]:
        """Return a finding if the target's foureyes.toml names another project. (P12)"""
        with self._context.store.read() as tx:
            project = self._context.project(tx)
        with suppress(GitProblem):  # an unreadable target is reported with its anchor
            named = named_in(
                self._context.repo.file_at(read_at(self._context, project, project.target), CONFIG_FILE)
            ).project
            if named not in ("", project.id):
                text = f"{CONFIG_FILE} on {project.target} belongs to another project ({flat(named)}) than this store"
                return [Discrepancy("integrity", text)]
        return []

    def _asked(self) -> tuple[RemoteAnswer | None, list[str]]:
        """Return the remote's target. If it cannot be asked, return a note that the last fetched state was used.
        (Q6)
        """
        try:
            return ask_target(self._context), []
        except GitProblem as problem:
            return None, [f"{problem.message}, so the target is compared as it was last fetched"]

    def _lacking(self, answer: RemoteAnswer | None) -> MergeStop | None:
        """Return the stop if the target lacks the last recorded merge. (Q6)"""
        with self._context.store.read() as tx:
            return amiss(self._context, tx, self._context.project(tx), answer)

    def _is_unread(self) -> bool:
        """Return True if the target cannot be compared, so that no store can be adopted."""
        with self._context.store.read() as tx:
            return unread_anchor(self._context, tx, self._context.project(tx)) is not None

    def exceptions(self, limit: int = 100) -> list[SecurityRow]:
        """Return the recorded exceptions, latest first. (P8)"""
        with self._context.store.read() as tx:
            return tx.all("record.security_page", SecurityRow, limit=limit)

    def exception_totals(self) -> list[SecurityTotal]:
        """Return the number of exceptions by kind."""
        with self._context.store.read() as tx:
            return tx.all("record.security_totals", SecurityTotal)

    def _signatures(self) -> tuple[list[Discrepancy], int]:
        """Return the invalid signatures, and the number of all. The crypto library is loaded only if there are any."""
        with self._context.store.read() as tx:
            rows = tx.all("record.signatures", Signature)
            signed = tx.all("journal.signed", EventRow)
            keys = {key.fingerprint: key for key in tx.all("record.keys", SigningKey)} if rows else {}
        wrong = [(row, self._wrong(row, keys.get(row.fingerprint))) for row in rows]
        discrepancies = [
            Discrepancy("integrity", f"row {row.seq} has an invalid signature: {why}", row.seq)
            for row, why in wrong
            if why
        ]
        return [*discrepancies, *_without_signature(signed, rows)], len(rows)

    def _wrong(self, row: Signature, key: SigningKey | None) -> str:
        if key is None:
            return f"{row.fingerprint} is not a key of this project"
        try:
            statement = msgspec.json.decode(row.statement, type=Statement)
        except msgspec.MsgspecError as problem:
            return f"its statement cannot be read ({problem})"
        if (statement.project, statement.task) != (self._context.store.project, row.task):
            return "it is for another task or project"
        return self._context.keys.verify(key.public, row.statement.encode(), row.signature)


def set_aside_by(context: Context, findings: Sequence[Discrepancy]) -> Steps:
    """Return the command that sets aside local files about lost decisions, or none. (F2)

    None if there are other findings too, or if no restore is recorded.
    """
    if not findings or not all(each.file for each in findings):
        return NO_STEP
    with context.store.read() as tx:
        totals = tx.all("record.security_totals", SecurityTotal)
    if not any(row.kind in ("restore", "store_adopted") for row in totals):
        return NO_STEP
    return by_person(fe("store", "adopt", "-m", phrase("why"), before="to move these files away: "))


class _Dated(msgspec.Struct, frozen=True):
    """The date of a journal row and of the row before it."""

    seq: int
    at: str
    above: str | None


def misdated(context: Context) -> list[str]:
    """Return the rows dated in the future or more than five minutes before the previous row. (J2)"""
    with context.store.read() as tx:
        now = context.clock.now()
        rows = tx.all("journal.misdated", _Dated, now=stamp(now))
    named = []
    for row in rows:
        if row.at > stamp(now):
            named.append(f"row {row.seq} is dated {row.at}, later than now ({stamp(now)})")
            continue
        with suppress(ValueError):  # not a date: the chain check reports the changed row
            if datetime.fromisoformat(row.above or "") - datetime.fromisoformat(row.at) > CLOCKS_APART:
                named.append(f"row {row.seq} is dated {row.at}, before row {row.seq - 1} ({row.above})")
    more = [f"{len(named) - MOST_MISDATED} more rows have such dates"] if len(named) > MOST_MISDATED else []
    return named[:MOST_MISDATED] + more


class _Signed(msgspec.Struct, frozen=True):
    """A signing key named in an event."""

    signed_by: str = ""


def _without_signature(signed: Sequence[EventRow], signatures: Sequence[Signature]) -> Iterator[Discrepancy]:
    """Yield rows that name a signing key although no matching signature precedes them in their transaction. (M6, I9)"""
    given = {(row.session, row.at, row.fingerprint): row.seq for row in reversed(signatures)}
    for row in signed:
        key = msgspec.json.decode(row.payload, type=_Signed).signed_by
        if given.get((row.session, row.at, key), row.seq) >= row.seq:
            words = f"row {row.seq} says it was signed with {key}, but there is no such signature"
            yield Discrepancy("integrity", words, row.seq, row.task)


# ---- Kept attempts ----


class KeptAttempt(msgspec.Struct, frozen=True):
    """A submitted attempt with the objects that git must keep."""

    task: str
    n: int
    head: Sha
    tree: Sha

    @property
    def ref(self) -> str:
        return attempt_ref(self.task, self.n)


def attempts_lost(context: Context) -> tuple[list[Discrepancy], list[str]]:
    """Return the attempts that are damaged or missing, and a note about attempts kept only in other clones."""
    with context.store.read() as tx:
        attempts, remote = tx.all("attempt.kept", KeptAttempt), remote_of(context, tx)
    if not attempts:
        return [], []
    try:
        refs = context.repo.kept(KEPT_ATTEMPTS)
        gone = context.repo.missing([sha for attempt in attempts for sha in (attempt.head, attempt.tree)])
    except GitProblem as problem:
        return [Discrepancy("completeness", f"the kept attempts cannot be read: {problem.message}")], []
    if context.store.place == FILE and not refs and gone and (remote := remote or context.repo.usual_remote()):
        every = f"{KEPT_ATTEMPTS}*"
        text = f"the attempts are not in this clone (git fetch {remote} '{every}:{every}' brings them)"
        return [Discrepancy("completeness", text)], []
    elsewhere = [each for each in attempts if context.store.place != FILE and each.ref not in refs]
    lost = [
        discrepancy
        for each in attempts
        if each not in elsewhere
        for discrepancy in _wrong(each, refs.get(each.ref), gone)
    ]
    notes = [f"{len(elsewhere)} of {len(attempts)} attempts are not kept in this clone"] if elsewhere else []
    return lost, notes


def _wrong(attempt: KeptAttempt, kept: Sha | None, gone: set[Sha]) -> list[Discrepancy]:
    name = f"attempt {attempt.n} of {attempt.task}"
    if kept is not None and kept != attempt.head:
        return [Discrepancy("integrity", f"{name}: {attempt.ref} is at {kept[:12]}, not at {attempt.head[:12]}")]
    lost = [
        f"{name}: its {word} {sha[:12]} is missing from the repository, or incomplete"
        for word, sha in (("commit", attempt.head), ("tree", attempt.tree))
        if sha in gone
    ]
    if kept is None:
        back = f" (git update-ref {attempt.ref} {attempt.head} puts it back)" if attempt.head not in gone else ""
        lost.append(f"{name}: {attempt.ref} is gone{back}")
    return [Discrepancy("completeness", text) for text in lost]
