"""A naive recount of the findings loop, from journal rows alone and as the rules have it: no table, no function of the
product (G6, J2).
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from foureyes.app.results.journal import JournalRow

WORST_FIRST = ("CRITICAL", "HIGH", "MEDIUM", "LOW")
WAITS = ("open", "claimed", "disputed")
ANSWERED = {"FIXED": "claimed", "REJECTED": "disputed", "DEFERRED": "deferred", "SKIPPED": "skipped"}
RULED = {"VERIFIED": "resolved", "ACCEPTED": "resolved", "DISMISSED": "resolved", "OBSOLETE": "obsolete"}
ODD = ("crash", "timeout", "blocked")
UP = ("developer", "senior", "lead", "user")


def solid(code: str) -> str:
    return "".join(code.split())


@dataclass
class Root:
    """What the journal says about one finding."""

    root: str
    task: str
    kind: str
    by_check: str
    raised: int
    id: str = ""
    severity: str = "LOW"
    state: str = ""
    quote: str = ""
    note: bool = False
    waiting: bool = False
    left: bool = False
    must_fix: bool = False
    answer: str = ""
    ruling: str = ""
    until: str = ""
    tracked: str = ""
    flagged: int = 0
    flags: int = 0
    false_fixes: int = 0
    before: dict[int, tuple[str, str, bool, bool]] = field(default_factory=dict)
    """For each ruling what it met: state, answer, whether it had to be fixed, whether it waited to be confirmed."""

    @property
    def blocks(self) -> bool:
        return self.severity in ("CRITICAL", "HIGH")

    def holds(self, at: str) -> bool:
        """D2: blocking, and neither settled nor validly waived."""
        return self.blocks and (self.state in WAITS or (self.state == "waived" and self.until <= at))

    def shown(self, at: str) -> dict[str, object]:
        """What a face has to say of it."""
        return {
            "id": self.id, "severity": self.severity, "blocking": self.blocks, "state": self.state, "note": self.note,
            "waiting": self.waiting, "left_diff": self.left, "must_fix": self.must_fix, "answer": self.answer,
            "ruling": self.ruling, "raised": self.raised, "flagged": self.flagged, "flags": self.flags,
            "false_fixes": self.false_fixes, "tracked": self.tracked,
            "expired": self.state == "waived" and self.until <= at,
        }  # fmt: skip


@dataclass
class Round:
    """One submission, and what happened until the next one."""

    n: int
    tree: str
    same_tree: bool
    had: set[str]
    waived: set[str] = field(default_factory=set)
    """Blocking ones that were waived when it was submitted: with an answer they are in its hands (L11)."""
    sent_back: int = 0
    merge_failures: int = 0
    touched: dict[str, str] = field(default_factory=dict)
    """The last word about each blocking finding: resolved by somebody's ruling or by its check, still there, or
    otherwise gone.
    """
    head: str = ""
    goes_on: bool = False
    """The same commit was submitted once more while nobody worked on it: the next round has it all (L11)."""
    others: list[tuple[int, str, str]] = field(default_factory=list)
    """What else counts, with its place: (seq, "odd" | "asked" | an option of the lead, why)."""

    @property
    def fixed(self) -> int:
        return sum(self.touched.get(root) == "settled" for root in self.had)

    @property
    def found(self) -> int:
        return sum(word == "there" and root not in self.had for root, word in self.touched.items())


@dataclass
class Loop:
    """What the journal says about one task."""

    rounds: list[Round] = field(default_factory=list)
    status: str = "open"
    tier: str = "developer"
    waiting_for: str = ""
    since_decided: int = 0
    """How often work came back from an implementer since the lead last decided (E1)."""


class Recount:
    """Fed with journal rows in order; complains about rows that the rules forbid."""

    def __init__(self) -> None:
        self.roots: dict[str, Root] = {}
        self.names: dict[str, str] = {}
        self.loops: dict[str, Loop] = {}
        self.seq = 0

    def feed(self, rows: Iterable[JournalRow]) -> None:
        for row in rows:
            if row.seq > self.seq:
                self.seq = row.seq
                about = getattr(self, f"_{row.kind}", None)
                if about is not None:
                    about(row, json.loads(row.payload))

    def of_task(self, task: str) -> list[Root]:
        return [one for one in self.roots.values() if one.task == task]

    def loop(self, task: str) -> Loop:
        return self.loops.setdefault(task, Loop())

    # Attempts and what becomes of them

    def _TaskStarted(self, row: JournalRow, said: dict[str, Any]) -> None:
        self.loop(row.task).status = "in_progress"

    def _TaskUnstarted(self, row: JournalRow, said: dict[str, Any]) -> None:
        loop = self.loop(row.task)
        loop.status = "open"
        had = [one for one in self.of_task(row.task) if one.blocks and one.state in WAITS]
        if said.get("how") in ODD and had and loop.rounds:
            loop.rounds[-1].others.append((row.seq, "odd", str(said["how"])))

    _TaskReleased = _TaskUnstarted

    def _AttemptSubmitted(self, row: JournalRow, said: dict[str, Any]) -> None:
        loop = self.loop(row.task)
        loop.since_decided += loop.status == "in_progress"
        at_work, loop.status = loop.status == "in_progress", "reviewing"
        last = loop.rounds[-1].tree if loop.rounds else ""
        blocking = [one for one in self.of_task(row.task) if one.blocks]
        had = {one.root for one in blocking if one.state in WAITS}
        waived = {one.root for one in blocking if one.state == "waived"}
        one = Round(said["n"], said["tree"], said["tree"] == last, had, waived, head=said["head"])
        if loop.rounds and not at_work and not loop.rounds[-1].sent_back and loop.rounds[-1].head == one.head:
            same = loop.rounds[-1]
            same.goes_on, one.same_tree, one.had, one.waived = True, same.same_tree, set(same.had), same.waived
            one.touched = dict(same.touched)
        loop.rounds.append(one)

    def _back(self, row: JournalRow, said: dict[str, Any]) -> None:
        loop = self.loop(row.task)
        loop.status = "blocked" if row.kind == "TaskRejected" else "open"
        one = next(each for each in loop.rounds if each.n == said["iteration"])
        one.sent_back = one.sent_back or row.seq
        one.merge_failures += row.kind == "MergeFailed"

    _AttemptSentBack = _RedoRequested = _TaskRejected = _MergeFailed = _back

    def _TaskUnblocked(self, row: JournalRow, said: dict[str, Any]) -> None:
        self.loop(row.task).status = "open"

    _TaskReopened = _TaskUnblocked

    def _TaskClosed(self, row: JournalRow, said: dict[str, Any]) -> None:
        self.loop(row.task).status = "closed"

    _TaskMerged = _TaskClosed

    def _Approved(self, row: JournalRow, said: dict[str, Any]) -> None:
        """D2: nothing is approved over an open blocking finding that a reviewer raised."""
        loop = self.loop(row.task)
        loop.status = said["status"]
        loop.rounds[-1].others.append((row.seq, "approved", ""))
        over = [
            (one.id, one.state, one.until) for one in self.of_task(row.task) if one.holds(row.at) and not one.by_check
        ]
        assert not over, f"row {row.seq} approves {row.task} over {over}"

    _ApprovalFinished = _Approved

    def _in_review(self, row: JournalRow, said: dict[str, Any]) -> None:
        self.loop(row.task).status = "reviewing"

    _ApprovalWithdrawn = _ApprovalEnded = _ApprovalVoided = _in_review

    # Findings

    def _FindingsRaised(self, row: JournalRow, said: dict[str, Any]) -> None:
        for new in said["findings"]:
            assert new["id"] not in self.names, f"{new['id']} is given out twice"
            is_new = new["id"] == new["root"]
            self.names[new["id"]] = new["root"]
            if is_new:
                made = Root(new["root"], row.task, said["kind"], said.get("by_check", ""), said["iteration"])
                self.roots[made.root] = made
            self._flag(row, said, new, self.roots[new["root"]], is_new=is_new)

    def _flag(self, row: JournalRow, said: dict[str, Any], new: dict[str, Any], one: Root, *, is_new: bool) -> None:
        was, severity, n = one.state, new["severity"], said["iteration"]
        assert (one.task, one.by_check) == (row.task, said.get("by_check", "")), (
            "a finding stays with its task and its check"
        )
        if was == "resolved" and one.ruling == "ACCEPTED":
            self._may_come_again(one, new)
        if was in (*WAITS, "waived"):
            severity = min(
                severity, one.severity, key=WORST_FIRST.index
            )  # what blocks is not talked down by saying it again (E3)
        blocks = severity in ("CRITICAL", "HIGH")
        worse = was == "waived" and WORST_FIRST.index(severity) < WORST_FIRST.index(
            one.severity
        )  # that much nobody waived (E3)
        if was in ("", "claimed", "resolved", "obsolete") or (was in ("deferred", "skipped") and blocks) or worse:
            one.state = "open"
        one.note = not blocks and n > 1 and (is_new or one.note)
        one.false_fixes += was == "claimed"
        one.flags += one.flagged != n
        one.id, one.severity, one.flagged, one.quote, one.left = new["id"], severity, n, new.get("quote", ""), False
        one.waiting = bool(new.get("waiting", False))
        self._touch(one)

    @staticmethod
    def _may_come_again(one: Root, new: dict[str, Any]) -> None:
        """L9: an accepted rejection comes again only with changed code at the quote or a higher severity. An empty line
        quotes nothing.
        """
        higher = WORST_FIRST.index(new["severity"]) < WORST_FIRST.index(one.severity)
        before, after = solid(one.quote), solid(new.get("quote", ""))
        has_place = bool(after) or bool(new.get("line"))
        assert higher or (before and has_place and before != after), (
            f"{one.id} was rejected, that was accepted, and it is back: {new}"
        )

    def _touch(self, one: Root) -> None:
        rounds = self.loop(one.task).rounds
        if one.blocks and rounds:
            settled = (
                one.state == "resolved" and one.ruling != "DISMISSED"
            )  # L11: verified, accepted, or its check passes
            rounds[-1].touched[one.root] = "settled" if settled else "there" if one.state in WAITS else "gone"

    def _FindingsAnswered(self, row: JournalRow, said: dict[str, Any]) -> None:
        for answer in said["answers"]:
            one = self.roots[self.names[answer["finding"]]]
            assert one.task == row.task
            assert one.state not in ("resolved", "obsolete"), "what is settled is not answered (L6)"
            assert one.state != "waived" or one.until <= row.at, "what is waived is not answered (L6)"
            assert not one.blocks or answer["action"] in ("FIXED", "REJECTED"), "blocking: FIXED or REJECTED (L6)"
            ran_out = one.state == "waived" and self.loop(row.task).status == "reviewing"
            one.state, one.answer, one.ruling = ANSWERED[answer["action"]], answer["action"], ""
            if ran_out:
                last = self.loop(row.task).rounds[-1]
                last.had |= last.waived & {one.root}
                self._touch(one)
            one.tracked = answer.get("debt", "") or one.tracked

    def _FindingRuled(self, row: JournalRow, said: dict[str, Any]) -> None:
        one, word = self.roots[said["root"]], said["ruling"]
        ran_out = one.state == "waived" and one.until <= row.at
        assert one.state in WAITS or ran_out, f"{word} on what is {one.state} (L8, L9)"
        one.before[row.seq] = (one.state, one.answer, one.must_fix, one.waiting)
        one.state, one.ruling = RULED.get(word, "open"), word
        one.must_fix = one.must_fix or word == "OVERRULED"
        one.waiting = one.waiting and word not in ("CONFIRMED", "DISMISSED")
        one.false_fixes += word == "NOT_FIXED"
        self._touch(one)

    def _RulingTakenBack(self, row: JournalRow, said: dict[str, Any]) -> None:
        one = self.roots[said["root"]]
        one.false_fixes -= one.ruling == "NOT_FIXED"
        one.state, one.answer, one.must_fix, one.waiting = one.before.pop(said["ruling"])
        one.ruling = ""
        self._touch(one)

    def _FindingsCleared(self, row: JournalRow, said: dict[str, Any]) -> None:
        for root in said["roots"]:
            one, by_check = self.roots[root], said["why"] == "check"
            if said["why"] == "root":
                one.state = "resolved"
                self._touch(one)
                continue
            assert by_check == bool(one.by_check), "only the check that raised a finding clears it (L8)"
            assert by_check or not one.blocks, "a blocking finding is obsolete by somebody's word only (L4)"
            one.state = "resolved" if by_check else "obsolete"
            self._touch(one)

    def _FindingWaived(self, row: JournalRow, said: dict[str, Any]) -> None:
        one = self.roots[said["root"]]
        assert one.holds(row.at), "only what blocks is waived (E3)"
        one.state, one.until = "waived", said["until"]
        self._touch(one)

    def _FindingWithdrawn(self, row: JournalRow, said: dict[str, Any]) -> None:
        one = self.roots[said["root"]]
        assert not one.by_check, "only the check that raised a finding clears it (L8)"
        one.state = "resolved"
        self._touch(one)

    def _FindingsPlaced(self, row: JournalRow, said: dict[str, Any]) -> None:
        for place in said["places"]:
            self.roots[place["root"]].left = bool(place.get("left", False))

    def _FindingTracked(self, row: JournalRow, said: dict[str, Any]) -> None:
        self.roots[said["root"]].tracked = said["follow_up"]

    # Escalation

    def _TaskEscalated(self, row: JournalRow, said: dict[str, Any]) -> None:
        loop = self.loop(row.task)
        loop.tier, loop.waiting_for = said["tier"], said["waiting_for"]
        if said.get("requested"):
            loop.rounds[-1].others.append((row.seq, "asked", said["why"]))

    def _LeadDecided(self, row: JournalRow, said: dict[str, Any]) -> None:
        loop = self.loop(row.task)
        loop.tier, loop.waiting_for, loop.since_decided = said["tier"], said["waiting_for"], 0
        loop.rounds[-1].others.append((row.seq, said["option"], said["reason"]))
        if said.get("feedback"):
            loop.rounds[-1].sent_back = loop.rounds[-1].sent_back or row.seq


@dataclass
class PreparedCheckout:
    """Where a loop stands by E1: tier, whom it waits for, rounds and rounds without progress within the tier."""

    tier: str = "developer"
    waiting_for: str = ""
    rounds: int = 0
    stuck: int = 0
    decided: int = 0
    failed_merges: int = 0
    escalations: int = 0

    def up(self) -> None:
        above = UP[min(UP.index(self.tier) + 1, 3)]
        self.tier = "user" if above == "lead" and self.decided else above
        self.waiting_for = self.tier if self.tier in ("lead", "user") else ""
        self.rounds = self.stuck = 0
        self.escalations += 1

    def happens(self, word: str, limit: int) -> None:
        """Something that is no submission: a run ended oddly (L17), the lead is asked (L14) or has decided (E3)."""
        if word == "odd":
            self.stuck += 1
            if self.stuck >= limit:
                self.up()
        elif word in ("asked", "approved"):
            self.waiting_for = "lead" if word == "asked" else ""
        else:
            self.decided += 1
            self.waiting_for = ""
            if word == "ask":
                self.tier = self.waiting_for = "user"
                self.escalations += 1
            elif word != "continue" or self.tier in ("lead", "user"):
                self.tier = "senior" if word in ("senior", "continue") else "developer"
                self.rounds = self.stuck = 0

    def comes_back(self, one: Round, limit: int, cap: int) -> None:
        """L11, L12, Q3, E1: a round is over."""
        self.rounds += 1
        if one.had:
            self.stuck = 0 if one.fixed and not one.same_tree else self.stuck + 1
        merges = self.failed_merges
        self.failed_merges += one.merge_failures
        if self.failed_merges // 3 > merges // 3 or self.stuck >= limit or self.rounds >= cap:
            self.up()


def stand(loop: Loop, limit: int, cap: int) -> tuple[PreparedCheckout, list[int]]:
    """The journal of one task, round by round; and how often there was no progress when each round was over (-1: it is
    not).
    """
    now, table = PreparedCheckout(), []
    for number, one in enumerate(loop.rounds):
        is_over = (
            bool(one.sent_back) or number + 1 < len(loop.rounds) or loop.status in ("open", "in_progress", "blocked")
        )
        things: list[tuple[float, str]] = [(seq, word) for seq, word, _ in one.others]
        things += [(one.sent_back or float("inf"), "over")] if is_over and not one.goes_on else []
        table.append(-1)
        for _, word in sorted(things):
            if word == "over":
                table[-1] = now.stuck if not one.had else 0 if one.fixed and not one.same_tree else now.stuck + 1
                now.comes_back(one, limit, cap)
            else:
                now.happens(word, limit)
        table[-1] = now.stuck if one.goes_on else table[-1]
    return now, table
