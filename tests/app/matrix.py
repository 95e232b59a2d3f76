"""The policy matrix: stories told once and run twice (as facts by hand, as verbs of the Application), and what the
rules say about each. The expected answers are a table out of `rules.md`; nothing of `core/four_eyes.py` is used here.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from functools import cache
from typing import Literal, NamedTuple

import msgspec
from msgspec.structs import replace

from foureyes.app.application import Application
from foureyes.app.context import Context
from foureyes.core.attempt import Attempt, Author, Change, ChangedFile, Commit
from foureyes.core.attempt import Relation as HeadRelation
from foureyes.core.facts import Facts, HistoryEntry
from foureyes.core.ids import DiffId, OriginId, SessionId, Sha, TaskId
from foureyes.core.policy import POLICIES, LabelRule, MinorRule, PolicyName, ReviewPolicy
from foureyes.core.session import Actor, Grade, Party
from foureyes.core.task import Task

from tests import engines

# ---------------------------------------------------------------------------------------------------------- the cast


def agent(name: str, *, like: Actor | None = None, parent: Actor | None = None, model: str = "beta", vendor: str = "acme",
          issued: bool = True, proven: bool = True) -> Actor:  # fmt: skip
    """An agent; `like` another it shares the evidence of (one origin, I3)."""
    evidence = like.evidence if like else (f"process:{name}",)
    return Actor(
        session=SessionId(f"ses-{name}"), kind="agent", trust="issued" if issued else "observed", agent=name, model=model, vendor=vendor,
        evidence=evidence, processes=evidence if proven and not issued else (), parent=parent.session if parent else None,
    )  # fmt: skip


def person(name: str) -> Actor:
    return Actor(session=SessionId(f"ses-{name}"), kind="human", trust="observed", person=f"{name}@desk", evidence=(f"person:{name}@desk",))


MAKER = agent("maker", model="alpha")
CREATOR, REVIEWER, FORMER, TRAILER = agent("creator"), agent("reviewer"), agent("former"), agent("trailer")
AGAIN, CHILD = agent("again", like=MAKER), agent("child", parent=MAKER)
NEPHEW = agent("nephew", parent=AGAIN)
LEAD = agent("lead")
WORKER, SIBLING = agent("worker", parent=LEAD, model="alpha"), agent("sibling", parent=LEAD)
LEAD_AGAIN, CREATORS_CHILD = agent("lead-again", like=LEAD), agent("creators-child", parent=CREATOR)
OTHER_VENDOR, OBSERVED = agent("other-vendor", vendor="other"), agent("observed", vendor="other", issued=False)
MARKED = agent("marked", vendor="other", issued=False, proven=False)
PASSER_BY = agent("passer-by")
ADA, BOB, EVE = person("ada"), person("bob"), person("eve")
SERVICE = Actor(session=SessionId("ses-cron"), kind="service", trust="observed", evidence=("service:cron",))
RUNNERS_CHILD, STRANGERS_CHILD = agent("runners-child", parent=SERVICE), agent("strangers-child", parent=PASSER_BY)
RUNNERS_WORKER = agent("runners-worker", parent=SERVICE, model="alpha")
CREATOR_AGAIN = agent("creator-again", like=CREATOR)
CREATORS_NEPHEW = agent("creators-nephew", parent=CREATOR_AGAIN)
TYPED = replace(person("mallory"), session=SessionId("ses-typed"), trust="asserted", asserted_name="lead")
CAST = {
    actor.session: actor
    for actor in (
        MAKER, CREATOR, REVIEWER, FORMER, TRAILER, AGAIN, CHILD, NEPHEW, LEAD, WORKER, SIBLING, LEAD_AGAIN, CREATORS_CHILD, OTHER_VENDOR,
        OBSERVED, MARKED, PASSER_BY, ADA, BOB, EVE, SERVICE, RUNNERS_CHILD, RUNNERS_WORKER, STRANGERS_CHILD, CREATOR_AGAIN,
        CREATORS_NEPHEW, TYPED,
    )
}  # fmt: skip


def party(actor: Actor) -> Party:
    """An actor as the rules see it, by hand: origins are its evidence, above it are its parents' parents."""
    above: list[SessionId] = []
    at = actor
    while at.parent is not None:
        above.append(at.parent)
        at = CAST[at.parent]
    return Party(
        session=actor.session, kind=actor.kind, trust=actor.trust, name=actor.name, person=actor.person,
        origins=frozenset(OriginId(piece) for piece in actor.evidence), proven=actor is not MARKED, above=tuple(above),
        model=actor.model, vendor=actor.vendor,
    )  # fmt: skip


# ------------------------------------------------------------------------------------------------------- the stories

Step = tuple[Literal["start", "unstart", "submit", "redo", "approve"], Actor]


class Story(NamedTuple):
    """How a task came to where it is, and who would now decide about it."""

    actor: Actor
    steps: tuple[Step, ...]
    creator: Actor = CREATOR
    trailers: tuple[Actor, ...] = ()
    known: tuple[Actor, ...] = ()

    @property
    def maker(self) -> Actor:
        return next(who for verb, who in reversed(self.steps) if verb == "start")


def by(maker: Actor) -> tuple[Step, ...]:
    return (("start", maker), ("submit", maker))


ONCE = by(MAKER)
STORIES: dict[str, Story] = {
    "implementer": Story(MAKER, ONCE),
    "implementer and creator": Story(MAKER, ONCE, creator=MAKER),
    "former implementer": Story(FORMER, (("start", FORMER), ("unstart", FORMER), *ONCE)),
    "author by trailer": Story(TRAILER, ONCE, trailers=(TRAILER,), known=(TRAILER,)),
    "same origin": Story(AGAIN, ONCE),
    "spawned by an author": Story(CHILD, ONCE),
    "spawned by a session of an author's origin": Story(NEPHEW, ONCE, known=(AGAIN,)),
    "no process evidence": Story(MARKED, ONCE),
    "no process evidence, a person made it": Story(MARKED, by(ADA)),
    "implementer, a person": Story(ADA, by(ADA)),
    "sibling": Story(SIBLING, by(WORKER), known=(LEAD,)),
    "delegator": Story(LEAD, by(WORKER), known=(LEAD,)),
    "of the delegator's origin": Story(LEAD_AGAIN, by(WORKER), known=(LEAD,)),
    "creator agent": Story(CREATOR, ONCE),
    "spawned by the creator": Story(CREATORS_CHILD, ONCE),
    "creator person": Story(ADA, ONCE, creator=ADA),
    "prior approver": Story(REVIEWER, (*ONCE, ("approve", REVIEWER), ("redo", BOB), *ONCE)),
    "prior approver, a person": Story(EVE, (*ONCE, ("approve", EVE), ("redo", BOB), *ONCE)),
    "who requested changes": Story(REVIEWER, (*ONCE, ("redo", REVIEWER), *ONCE)),
    "uninvolved agent": Story(REVIEWER, ONCE),
    "uninvolved agent of another vendor": Story(OTHER_VENDOR, ONCE),
    "uninvolved observed agent": Story(OBSERVED, ONCE),
    "spawned by an uninvolved agent": Story(STRANGERS_CHILD, ONCE, known=(PASSER_BY,)),
    "child of a runner": Story(RUNNERS_CHILD, ONCE, known=(SERVICE,)),
    "sibling under a runner": Story(RUNNERS_CHILD, by(RUNNERS_WORKER), known=(SERVICE,)),
    "person": Story(EVE, ONCE),
    "service": Story(SERVICE, ONCE),
    "asserted": Story(TYPED, ONCE),
}

MINOR = ("no", "at creation", "late by author", "late by outsider")
Minor = Literal["no", "at creation", "late by author", "late by outsider"]
GRADES: tuple[Grade | Literal["label"], ...] = ("origin", "human", "model", "vendor", "label")
"""`label` is the default rule of the label security: a person, and no auto-approval."""


# ----------------------------------------------------------------------------------------------- what the rules say

ROW: dict[str, str] = {
    "implementer": "P2",
    "implementer and creator": "P2",
    "former implementer": "P2",
    "author by trailer": "P2",
    "same origin": "P2",
    "spawned by an author": "P2",
    "spawned by a session of an author's origin": "P2",
    "no process evidence": "P2",
    "no process evidence, a person made it": "P2",
    "implementer, a person": "P2",
    "sibling": "P3",
    "delegator": "P3",
    "of the delegator's origin": "P3",
    "creator agent": "P3",
    "spawned by the creator": "P3",
    "creator person": "P3 person",
    "prior approver": "P5",
    "prior approver, a person": "P5 person",
    "who requested changes": "P7",
    "uninvolved agent": "P7",
    "uninvolved agent of another vendor": "P7",
    "uninvolved observed agent": "P7",
    "spawned by an uninvolved agent": "P7",
    "child of a runner": "P7",
    "sibling under a runner": "P7",
    "person": "P7",
    "service": "I5",
    "asserted": "I1",
}
"""Which row of P's table each relation is."""

SAYS: dict[str, tuple[str, str, str, str]] = {
    #             strict    balanced  delegated  trusted
    "P2":        ("refuse", "refuse", "refuse",  "refuse"),  # trusted: only declared, which is asked apart
    "P3":        ("refuse", "reason", "allow",   "allow"),
    "P3 person": ("refuse", "allow",  "allow",   "allow"),
    "P5":        ("refuse", "reason", "allow",   "allow"),
    "P5 person": ("refuse", "allow",  "allow",   "allow"),
    "P7":        ("allow",  "allow",  "allow",   "allow"),
}  # fmt: skip

PEOPLE = frozenset({"creator person", "prior approver, a person", "person"})
ANOTHER_MODEL = PEOPLE | {
    "sibling", "delegator", "of the delegator's origin", "creator agent", "spawned by the creator", "prior approver",
    "who requested changes", "uninvolved agent", "uninvolved agent of another vendor", "spawned by an uninvolved agent",
    "child of a runner", "sibling under a runner",
}  # fmt: skip
REACHES: dict[str, frozenset[str]] = {
    "origin": frozenset(STORIES),  # the table itself asks for no more
    "model": ANOTHER_MODEL,
    "vendor": PEOPLE | {"uninvolved agent of another vendor"},
    "human": PEOPLE,
    "label": PEOPLE,
}
"""I6: makers have model alpha of acme, other agents beta of acme; the observed one's word about its model does not count."""


class Expected(NamedTuple):
    """An answer of the rules. `rules` are the ids that may give it."""

    allowed: bool
    rules: frozenset[str]
    needs_reason: bool = False
    exception: str = ""


def expected(policy: PolicyName, relation: str, minor: str, grade: str, *, readable: bool = True, reason: bool = False) -> Expected:
    """The first row that matches: I1, I5, P0, P6, P1, then P2 to P7."""
    row = ROW[relation]
    if row in ("I1", "I5"):
        return Expected(False, frozenset({row}))
    if not readable:
        return Expected(False, frozenset({"P0"}))
    if relation not in REACHES[grade]:
        # A spawned session may have another model than its author above: then it is P2 for it and P6 for the author.
        return Expected(False, frozenset({"P6", "P2"} if ROW[relation] == "P2" and relation.startswith("spawned") else {"P6"}))
    if minor in ("at creation", "late by outsider") and grade != "label":
        return Expected(True, frozenset({"P1"}), exception="minor" if row == "P2" else "")
    says = SAYS[row][POLICIES.index(policy)]
    rule = row[:2]
    if says == "reason":
        named = {"P3": "creator_approval", "P5": "repeat_reviewer"}[rule]
        return Expected(True, frozenset({rule}), True, named) if reason else Expected(False, frozenset({rule}), True)
    # Where every agent of a lineage is allowed, either's rule may be named.
    return Expected(says == "allow", frozenset({rule} if says == "refuse" else {rule, "P7"}))


# -------------------------------------------------------------------------------------------- the stories as facts

BASE = Sha("b" * 40)
WHEN = "2027-01-02T03:04:05.678Z"


def sha(text: str) -> Sha:
    return Sha(hashlib.sha256(text.encode()).hexdigest()[:40])


@cache
def facts_of(relation: str, minor: Minor, labelled: bool, readable: bool = True) -> Facts:
    """A story as the store would have it, told by hand."""
    story = STORIES[relation]
    history = [HistoryEntry(story.creator.session, "created")]
    authors: dict[SessionId, str] = {}
    iteration = 0
    implementer: Actor | None = None
    for verb, who in story.steps:
        if verb == "submit":
            iteration += 1
            for trailer in story.trailers:
                history.append(HistoryEntry(trailer.session, "committed", iteration))
                authors[trailer.session] = "commit 1234567"
            history.append(HistoryEntry(who.session, "submitted", iteration))
            authors |= {entry.session: "claim" for entry in history if entry.action == "started"}
            continue
        action = {"start": "started", "unstart": "unstarted", "redo": "requested_changes", "approve": "approved"}[verb]
        history.append(HistoryEntry(who.session, action, iteration if verb in ("redo", "approve") else 0))
        implementer = {"start": who, "unstart": None, "redo": None}.get(verb, implementer)
    setter = {"no": None, "at creation": story.creator, "late by author": story.maker, "late by outsider": PASSER_BY}[minor]
    task = Task(
        id=TaskId("fe-abc"), title="a task", status="reviewing", creator=story.creator.session, version=1, created_at=WHEN,
        updated_at=WHEN, iteration=iteration, implementer=implementer.session if implementer else None, minor=minor != "no",
        minor_late=minor.startswith("late"), minor_by=setter.session if setter else None, labels=["security"] if labelled else [],
    )  # fmt: skip
    attempt = Attempt(
        n=iteration, base=BASE, head=sha("head"), tree=sha("tree"), ref="refs/heads/work", diff_id=DiffId("sha256:" + "0" * 64),
        files=[ChangedFile("src/a.py", 3, 1)], added=3, removed=1, submitted_by=story.maker.session, submitted_at=WHEN,
    )  # fmt: skip
    return Facts(
        task=task, attempt=attempt, history=tuple(history) if readable else None,
        authors=tuple(Author(session, why) for session, why in authors.items()), parties={name: party(who) for name, who in CAST.items()},
    )  # fmt: skip


def policy_of(policy: PolicyName, grade: str) -> ReviewPolicy:
    return ReviewPolicy(
        name=policy, independence=msgspec.convert("origin" if grade == "label" else grade, Grade), minor=MinorRule(),
        label_rules={"security": LabelRule(auto_approve=False, independence="human")}, protected_paths=("foureyes.toml",),
    )  # fmt: skip


# ------------------------------------------------------------------------------------ the stories as verbs of the app


class FakeRepo:
    """The Repo port with scripted answers: `branches` say where heads are, `config` what foureyes.toml says."""

    def __init__(self) -> None:
        self.branches: dict[str, Sha] = {"refs/heads/main": BASE}
        self.here = "refs/heads/main"
        self.trailers: tuple[str, ...] = ()
        self.config: str | None = None
        self.landed: set[Sha] = set()
        self.lines = 3
        self._count = 0

    def commit(self, branch: str, trailers: Sequence[Actor] = ()) -> Sha:
        """New work on a branch, where the caller now stands."""
        self._count += 1
        self.here = f"refs/heads/{branch}"
        self.branches[self.here] = sha(f"commit {self._count}")
        self.trailers = tuple(str(actor.session) for actor in trailers)
        return self.branches[self.here]

    def commit_of(self, ref: str) -> Sha | None:
        return self.branches.get(ref)

    def heads(self) -> dict[str, Sha]:
        return dict(self.branches)

    def current_ref(self) -> str:
        return self.here

    def branch_ref(self, name: str) -> str | None:
        return f"refs/heads/{name}" if f"refs/heads/{name}" in self.branches else None

    def uncommitted(self, ref: str) -> list[str]:
        return []

    def commit_all(self, message: str, trailers: Sequence[tuple[str, str]]) -> Sha:
        raise NotImplementedError

    def change(self, *, target: str, ref: str, since: Sha | None, covering: Sha | None = None) -> Change:
        head = self.branches[ref]
        return Change(
            base=BASE, head=head, tree=head, ref=ref, landed=head in self.landed,
            diff_id=DiffId("sha256:" + hashlib.sha256(head.encode()).hexdigest()),
            files=(ChangedFile("src/a.py", self.lines, 1),), commits=(Commit(head, "work", "Ada", self.trailers),),
        )  # fmt: skip

    def is_ancestor(self, commit: Sha, of: Sha) -> bool:
        return commit in self.landed

    def relation(self, *, base: Sha, head: Sha, new_head: Sha, target: str) -> HeadRelation:
        return "same" if head == new_head else "rework"

    def merged_by(self, head: Sha, target: str) -> Sha | None:
        return head if head in self.landed else None

    def diff_text(self, base: Sha, head: Sha) -> str:
        return ""

    def file_at(self, ref: str, path: str) -> str | None:
        return self.config if path == "foureyes.toml" else None

    def commit_file(self, path: str, message: str) -> Sha:
        raise NotImplementedError

    def close(self) -> None:
        """Nothing was made."""


class StandingClock:
    """It is always the same moment."""

    def now(self) -> datetime:
        return datetime(2027, 1, 2, 3, 4, 5, tzinfo=UTC)


class Counted:
    """Ids in a row, spread over the alphabet."""

    def __init__(self) -> None:
        self._numbers: Iterator[int] = iter(range(1, 10**9))

    def number(self) -> int:
        return next(self._numbers) * 7919


class World:
    """An Application over an empty store; who calls is said with each call (I10)."""

    def __init__(self, environ: dict[str, str] | None = None) -> None:
        self.repo = FakeRepo()
        self.app = Application(Context(engines.new_store("0123456789abcdef"), lambda: self.repo, StandingClock(), Counted(), environ or {}))
        self.app.projects.create(ADA, "matrix", "fe", "main")
        self._known: set[SessionId] = set()
        self._tasks = 0

    def rules(self, policy: str, grade: str = "origin") -> None:
        """Put a foureyes.toml on the target, accepted. Minor approvals are not rationed, so that rows do not disturb each other."""
        independence = "origin" if grade == "label" else grade
        self.repo.config = f'[review]\npolicy = "{policy}"\nindependence = "{independence}"\n[minor]\nself_approvals_per_day = 1000000\n'
        self.app.policy.accept(ADA)

    def introduce(self, *actors: Actor) -> None:
        """A first write, so that the store knows them."""
        for actor in actors:
            if actor.session not in self._known:
                self.app.tasks.create(actor, "hello")
                self._known.add(actor.session)

    def create(self, creator: Actor, *, minor: bool = False, labels: Sequence[str] = (), type: str = "task") -> str:
        self._tasks += 1
        return self.app.tasks.create(creator, f"task {self._tasks}", minor=minor, labels=labels, type=type).task

    def submit(self, who: Actor, task: str, trailers: Sequence[Actor] = ()) -> None:
        self.repo.commit(f"fe/{task}", trailers)
        self.app.attempts.submit(who, task)

    def diff(self, task: str) -> str:
        return self.app.lists.show(ADA, task).attempts[-1].diff_id

    def take(self, task: str, step: Step, trailers: Sequence[Actor] = ()) -> None:
        verb, who = step
        if verb == "submit":
            self.submit(who, task, trailers)
        elif verb == "approve":
            self.app.decisions.approve(who, task, seen=self.diff(task))
        elif verb == "redo":
            self.app.decisions.redo(who, task, "once more")
        elif verb == "start":
            self.app.claims.start(who, task)
        else:
            self.app.claims.unstart(who, task)

    def tell(self, relation: str, minor: str, *, security: bool = False) -> str:
        """A story, up to where somebody decides; the task, which has its own name as a label."""
        story = STORIES[relation]
        self.rules("balanced")
        self.introduce(*story.known)
        task = self.create(story.creator, minor=minor == "at creation")
        self.app.tasks.add_label(PASSER_BY, task, [task])
        for step in story.steps:
            self.take(task, step, story.trailers)
        setter = {"late by author": story.maker, "late by outsider": PASSER_BY}.get(minor)
        if setter is not None:
            self.app.tasks.edit(setter, task, minor=True)
        if security:
            self.app.tasks.add_label(PASSER_BY, task, ["security"])
        return task


# --------------------------------------------------------------------------------------------- C, who may close what

CLOSERS: dict[str, Actor] = {
    "creator agent": CREATOR,
    "of the creator's origin": CREATOR_AGAIN,
    "spawned by the creator": CREATORS_CHILD,
    "creator person": ADA,
    "of the maker's origin": AGAIN,
    "spawned by the maker": CHILD,
    "spawned by a session of the maker's origin": NEPHEW,
    "spawned by a session of the creator's origin": CREATORS_NEPHEW,
    "author by trailer": TRAILER,
    "delegator": LEAD,
    "sibling": SIBLING,
    "uninvolved agent": REVIEWER,
    "person": EVE,
    "service": SERVICE,
    "asserted": TYPED,
}
DONE = ("nobody", "other handed in", "other gave back", "other works on it", "self handed in", "self gave back")


def can_self(closer: str) -> bool:
    """Services and typed names start nothing."""
    return closer not in ("service", "asserted")


def closes(closer: str, done: str, *, minor: bool, exception: bool) -> str:
    """C1 in the words of the rules: `allow`, `refuse`, or `audit` for what only an exception lets through."""
    if closer in ("service", "asserted"):
        return "refuse"
    creator = closer in ("creator agent", "of the creator's origin", "creator person")
    if done == "other works on it" and not creator and closer != "person":
        return "refuse"  # another session's live claim
    own = done.startswith("self")
    own |= closer in ("of the maker's origin", "spawned by the maker", "spawned by a session of the maker's origin") and done.startswith(
        "other"
    )
    own |= closer == "author by trailer" and done == "other handed in"
    if minor:
        return "audit" if own else "allow"
    alone = done == "nobody" and (creator or closer in ("spawned by the creator", "spawned by a session of the creator's origin"))
    if own or alone:
        return "audit" if exception else "refuse"
    return "allow"


def closing_story(world: World, closer: str, done: str, *, minor: bool) -> str:
    """A task up to where somebody closes it."""
    actor = CLOSERS[closer]
    creator = ADA if closer == "creator person" else CREATOR
    maker = actor if done.startswith("self") else WORKER if closer in ("delegator", "sibling") else MAKER
    world.introduce(LEAD, TRAILER, AGAIN, CREATOR_AGAIN)
    task = world.create(creator, minor=minor)
    if done != "nobody":
        world.take(task, ("start", maker))
    if done.endswith("handed in"):
        world.submit(maker, task, (TRAILER,) if closer == "author by trailer" else ())
    elif done.endswith("gave back"):
        world.take(task, ("unstart", maker))
    return task
