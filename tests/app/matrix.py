"""The policy matrix: stories told once and run twice (as facts by hand, as verbs of the Application), and what the
rules say about each. The expected answers are typed out of the table of P; nothing of `core/four_eyes.py` is used
here.

Nobody is issued by hand (I10): who has a token got it by `sessions.spawn` and shows it to `sessions.recognise`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Literal, NamedTuple

import msgspec
from msgspec.structs import replace

from foureyes.core.nouns.attempt import Attempt, Author, ChangedFile
from foureyes.core.nouns.session import Actor, Grade, Party, Role
from foureyes.core.nouns.task import Task
from foureyes.core.rules.facts import Facts, HistoryEntry
from foureyes.core.rules.policy import POLICIES, LabelRule, MinorRule, PolicyName, ReviewPolicy, SameOrigin
from foureyes.core.words.ids import DiffId, OriginId, SessionId, Sha, TaskId, token_hash

from tests.stage.checkout import SETTINGS
from tests.stage.scripted_git import sha
from tests.stage.world import DeskWorld

# ---------------------------------------------------------------------------------------------------------- the cast


class Spawned(msgspec.Struct, frozen=True):
    """A session that somebody gives out, with a token for one role on one task (I2); `alone` in a process of its
    own.
    """

    name: str
    parent: Who
    role: Role
    profile: str = "beta"
    alone: bool = True
    elsewhere: bool = False


class Renewed(msgspec.Struct, frozen=True):
    """What `fe whoami --new` makes of an agent (I4)."""

    of: Actor


class Bare(msgspec.Struct, frozen=True):
    """A spawned agent that dropped its token: its process is seen, and nothing else."""

    child: Spawned


class Holding(msgspec.Struct, frozen=True):
    """An agent that shows a token which somebody else got, below the process that the token is good for."""

    token: Spawned
    on: Actor


Who = Actor | Spawned | Renewed | Bare | Holding

PROFILES = {"alpha": ("alpha", "acme"), "beta": ("beta", "acme"), "gamma": ("gamma", "other")}
"""Agent profiles of the accepted configuration: model and vendor (I6)."""


def process(name: str) -> str:
    return f"process:boot:ns:{name}:1"


def agent(
    name: str, *, below: Actor | None = None, talk: str = "", proven: bool = True, model: str = "", vendor: str = ""
) -> Actor:
    """An observed agent: its process, those above it, and the conversation it is in (I3)."""
    above = (process(name), *(below.processes if below else ()))
    return Actor(
        session=SessionId(f"ses-{name}"),
        kind="agent",
        trust="observed",
        agent=name,
        model=model,
        vendor=vendor,
        evidence=(*above, *([f"conv:{talk}"] if talk else [])),
        processes=above if proven else (),
        ancestors=above,
    )


def person(name: str) -> Actor:
    return Actor(
        session=SessionId(f"ses-{name}"),
        kind="human",
        trust="observed",
        person=f"{name}@desk",
        evidence=(f"person:{name}@desk",),
        ancestors=(process(f"{name}s-shell"),),
        leader=process(f"{name}s-shell"),
    )


ADA, BOB, DAN, EVE, FAY = person("ada"), person("bob"), person("dan"), person("eve"), person("fay")
KIM, LIZ = person("kim"), person("liz")
SERVICE = Actor(
    session=SessionId("ses-cron"),
    kind="service",
    trust="observed",
    evidence=("service:cron",),
    ancestors=(process("crond"),),
    leader=process("crond"),
)
TYPED = replace(person("mallory"), session=SessionId("ses-typed"), trust="asserted", asserted_name="lead")

MAKER, FORMER, TRAILER, CREATOR, STRANGER, PASSER_BY = (
    agent("maker", talk="one"), agent("former"), agent("trailer"), agent("creator", talk="two"), agent("stranger"),
    agent("passer-by"),
)  # fmt: skip
LEAD, RESTLESS, BOSS, THIEF, OUTER = (
    agent("lead", talk="three"),
    agent("restless"),
    agent("boss"),
    agent("thief"),
    agent("outer"),
)
TALKER, CREATORS_TALKER, LEADS_TALKER = (
    agent("talker", talk="one"),
    agent("creators-talker", talk="two"),
    agent("leads-talker", talk="three"),
)
HELPER, HAND, OTHER_HAND, INNER = (
    agent("helper", below=MAKER), agent("hand", below=BOSS), agent("other-hand", below=BOSS),
    agent("inner", below=OUTER),
)  # fmt: skip
BRAGGER = agent("bragger", model="gamma", vendor="other")
MARKED = agent("marked", proven=False)

ISSUED, SECOND = Spawned("issued", DAN, "implement", "alpha"), Spawned("second", DAN, "implement", "alpha")
SIBLING_OF_ISSUED = Spawned("sibling-of-issued", DAN, "review")
REVIEWER, OTHER_REVIEWER = Spawned("reviewer", EVE, "review"), Spawned("other-reviewer", EVE, "review")
SAME_MODEL, OTHER_VENDOR = (
    Spawned("same-model", EVE, "review", "alpha"),
    Spawned("other-vendor", EVE, "review", "gamma"),
)
EARLIER, STRAY = Spawned("earlier", EVE, "implement"), Spawned("stray", EVE, "review", elsewhere=True)
WORKER, SIBLING = (
    Spawned("worker", LEAD, "implement", "alpha", alone=False),
    Spawned("sibling", LEAD, "review", alone=False),
)
LATE_SIBLING = Spawned("late-sibling", Renewed(LEAD), "review", alone=False)
CHILD, ADAS_CHILD = Spawned("child", MAKER, "review"), Spawned("adas-child", ADA, "review")
CREATORS_CHILD = Spawned("creators-child", CREATOR, "review")
GRANDCHILD, NEPHEW = Spawned("grandchild", CHILD, "review"), Spawned("nephew", Renewed(RESTLESS), "review")
STRANGERS_CHILD, BOSSES_CHILD = (
    Spawned("strangers-child", PASSER_BY, "review"),
    Spawned("bosses-child", BOSS, "review", alone=False),
)
CRONS_CHILD, CRONS_WORKER = (
    Spawned("crons-child", SERVICE, "review"),
    Spawned("crons-worker", SERVICE, "implement", "alpha"),
)


# ------------------------------------------------------------------------------------------------------- the stories

Verb = Literal["start", "help", "unstart", "release", "submit", "redo", "approve"]
Step = tuple[Verb, Who]


class Story(NamedTuple):
    """How a task came to where it is, and who would now decide about it."""

    actor: Who
    steps: tuple[Step, ...]
    creator: Actor = CREATOR
    trailers: tuple[Who, ...] = ()
    known: tuple[Actor, ...] = ()

    @property
    def maker(self) -> Who:
        return next(who for verb, who in reversed(self.steps) if verb == "start")

    @property
    def authors_side(self) -> Actor | Bare:
        """Who could mark it minor for its authors, later (P10): a maker; with a token it cannot, so its bare process;
        its delegator.
        """
        maker = self.maker
        if isinstance(maker, Spawned):
            return Bare(maker) if maker.alone or not isinstance(maker.parent, Actor) else maker.parent
        assert isinstance(maker, Actor)
        return maker


def by(maker: Who) -> tuple[Step, ...]:
    return (("start", maker), ("submit", maker))


ONCE = by(MAKER)
BY_TOKEN = by(ISSUED)
STORIES: dict[str, Story] = {
    "implementer": Story(MAKER, ONCE),
    "implementer and creator": Story(MAKER, ONCE, creator=MAKER),
    "implementer, a person": Story(ADA, by(ADA)),
    "former implementer": Story(FORMER, (("start", FORMER), ("unstart", FORMER), *BY_TOKEN)),
    "author by trailer": Story(TRAILER, BY_TOKEN, trailers=(TRAILER,), known=(TRAILER,)),
    "author by trailer, with a reviewer's token": Story(REVIEWER, BY_TOKEN, trailers=(REVIEWER,)),
    "author by token, who never held the claim and dropped the token": Story(
        Bare(SECOND), (("start", ISSUED), ("help", SECOND), ("submit", ISSUED))
    ),
    "author that dropped its token": Story(Bare(ISSUED), BY_TOKEN),
    "author that shows a reviewer's token": Story(Holding(Spawned("robbed", KIM, "review"), THIEF), by(THIEF)),
    "same origin: the author after session new": Story(Renewed(RESTLESS), by(RESTLESS)),
    "same origin: in the author's conversation": Story(TALKER, ONCE),
    "same origin: in the author's conversation, and creator": Story(TALKER, ONCE, creator=TALKER),
    "same origin: started the author": Story(BOSS, by(HAND)),
    "sibling under one person": Story(SIBLING_OF_ISSUED, BY_TOKEN),
    "sibling under a service": Story(CRONS_CHILD, by(CRONS_WORKER)),
    "started by an author": Story(HELPER, ONCE),
    "reviewer with a token, started by an author": Story(
        Holding(Spawned("swallowed", LIZ, "review"), INNER), by(OUTER)
    ),
    "spawned by an author": Story(CHILD, ONCE),
    "spawned by who was spawned by an author": Story(GRANDCHILD, ONCE),
    "spawned by an author, a person": Story(ADAS_CHILD, by(ADA)),
    "spawned by a session of an author's origin": Story(NEPHEW, by(RESTLESS)),
    "spawned by who started the author": Story(BOSSES_CHILD, by(HAND)),
    "no process evidence": Story(MARKED, ONCE),
    "no process evidence, a person made it": Story(MARKED, by(ADA)),
    "sibling": Story(SIBLING, by(WORKER)),
    "sibling, spawned after the lead's session new": Story(LATE_SIBLING, by(WORKER)),
    "delegator": Story(LEAD, by(WORKER)),
    "delegator and creator": Story(LEAD, by(WORKER), creator=LEAD),
    "of the delegator's origin": Story(LEADS_TALKER, by(WORKER)),
    "creator agent": Story(CREATOR, BY_TOKEN),
    "of the creator's origin": Story(CREATORS_TALKER, BY_TOKEN),
    "spawned by the creator": Story(CREATORS_CHILD, BY_TOKEN),
    "creator person": Story(ADA, BY_TOKEN, creator=ADA),
    "child of the creator person": Story(ADAS_CHILD, BY_TOKEN, creator=ADA),
    "prior approver": Story(REVIEWER, (*BY_TOKEN, ("approve", REVIEWER), ("redo", BOB), *BY_TOKEN)),
    "of a prior approver's origin": Story(OTHER_REVIEWER, (*BY_TOKEN, ("approve", REVIEWER), ("redo", BOB), *BY_TOKEN)),
    "prior approver, a person": Story(EVE, (*BY_TOKEN, ("approve", EVE), ("redo", BOB), *BY_TOKEN)),
    "who requested changes": Story(REVIEWER, (*BY_TOKEN, ("redo", REVIEWER), *BY_TOKEN)),
    "uninvolved agent": Story(STRANGER, ONCE),
    "uninvolved agent that claims another model": Story(BRAGGER, BY_TOKEN),
    "child of another person": Story(REVIEWER, BY_TOKEN),
    "child of another person, of the same model": Story(SAME_MODEL, BY_TOKEN),
    "child of another person, of another vendor": Story(OTHER_VENDOR, BY_TOKEN),
    "child of another person, the author is only observed": Story(OTHER_VENDOR, ONCE),
    "spawned by an uninvolved agent": Story(STRANGERS_CHILD, BY_TOKEN),
    "child of a service": Story(CRONS_CHILD, BY_TOKEN),
    "person": Story(EVE, BY_TOKEN),
    "person who spawned the author": Story(DAN, BY_TOKEN),
    "service": Story(SERVICE, ONCE),
    "asserted": Story(TYPED, ONCE),
    "token of the wrong role": Story(ISSUED, BY_TOKEN),
    "token of the wrong role, of a former implementer": Story(
        EARLIER, (("start", EARLIER), ("release", BOB), *BY_TOKEN)
    ),
    "token of the wrong role, author by token only": Story(
        SECOND, (("start", ISSUED), ("help", SECOND), ("submit", ISSUED))
    ),
    "token for another task": Story(STRAY, BY_TOKEN),
}

MINOR = ("no", "at creation", "late by author", "late by outsider")
Minor = Literal["no", "at creation", "late by author", "late by outsider"]
GRADES: tuple[Grade | Literal["label"], ...] = ("origin", "human", "model", "vendor", "label")
"""`label` is the default rule of the label security: a person, and no auto-approval."""
SAME_ORIGIN: tuple[SameOrigin, ...] = ("refuse", "audit")


# ----------------------------------------------------------------------------------------------- what the rules say

ROW: dict[str, str] = {
    "implementer": "P2",
    "implementer and creator": "P2",
    "implementer, a person": "P2",
    "former implementer": "P2",
    "author by trailer": "P2",
    "author by trailer, with a reviewer's token": "P2",
    "author by token, who never held the claim and dropped the token": "P2",
    "author that dropped its token": "P2",
    "author that shows a reviewer's token": "P2",
    "same origin: the author after session new": "P2",
    "same origin: in the author's conversation": "P2",
    "same origin: in the author's conversation, and creator": "P2",
    "same origin: started the author": "P2",
    "sibling under one person": "P2",
    "sibling under a service": "I5",  # I4: no more than its spawner may
    "started by an author": "P2",
    "reviewer with a token, started by an author": "P2",
    "spawned by an author": "P2",
    "spawned by who was spawned by an author": "P2",
    "spawned by an author, a person": "P2",
    "spawned by a session of an author's origin": "P2",
    "spawned by who started the author": "P2",
    "no process evidence": "P2",
    "no process evidence, a person made it": "P2",
    "sibling": "P3",
    "sibling, spawned after the lead's session new": "P3",
    "delegator": "P3",
    "delegator and creator": "P3",
    "of the delegator's origin": "P3",
    "creator agent": "P3",
    "of the creator's origin": "P3",
    "spawned by the creator": "P3",
    "creator person": "P3 person",
    "child of the creator person": "P7",  # I4 asks for the agents above it
    "prior approver": "P5",
    "of a prior approver's origin": "P5",
    "prior approver, a person": "P5 person",
    "who requested changes": "P7",
    "uninvolved agent": "P7",
    "uninvolved agent that claims another model": "P7",
    "child of another person": "P7",
    "child of another person, of the same model": "P7",
    "child of another person, of another vendor": "P7",
    "child of another person, the author is only observed": "P7",
    "spawned by an uninvolved agent": "P7",
    "child of a service": "I5",
    "person": "P7",
    "person who spawned the author": "P7",  # people are never delegators (I7)
    "service": "I5",
    "asserted": "I1",
    "token of the wrong role": "I2",
    "token of the wrong role, of a former implementer": "I2",
    "token of the wrong role, author by token only": "I2",
    "token for another task": "I2",
}
"""Which row of P's table each relation is."""

UNDER_AUDIT: dict[str, str] = {
    "author by token, who never held the claim and dropped the token": "P7",
    "author that dropped its token": "P7",
    "author that shows a reviewer's token": "P7",
    "same origin: the author after session new": "P7",
    "same origin: in the author's conversation": "P7",
    "same origin: in the author's conversation, and creator": "P3",
    "same origin: started the author": "P7",
    "sibling under one person": "P7",
}
"""I4, `same_origin = "audit"`: what another session that only shares an origin is judged by instead, as an exception.

Everybody else stays where they are: the same session or person, descendants, and who cannot be told apart.
"""

SAYS: dict[str, tuple[str, str, str, str]] = {
    #             strict    balanced  delegated  trusted
    "P2":        ("refuse", "refuse", "refuse",  "refuse"),  # trusted: only declared, which is asked apart
    "P3":        ("refuse", "reason", "allow",   "allow"),
    "P3 person": ("refuse", "allow",  "allow",   "allow"),
    "P5":        ("refuse", "reason", "allow",   "allow"),
    "P5 person": ("refuse", "allow",  "allow",   "allow"),
    "P7":        ("allow",  "allow",  "allow",   "allow"),
}  # fmt: skip

HAD_IT_MADE = (
    "sibling", "sibling, spawned after the lead's session new", "delegator", "delegator and creator",
    "of the delegator's origin",
)  # fmt: skip
"""I4: a lead, and what it spawned, approve minor work of another of its children on record, like their own (P8,
P10).
"""
SERVICES_CHILDREN = ("child of a service", "sibling under a service")
PEOPLE = frozenset({"creator person", "prior approver, a person", "person", "person who spawned the author"})
ANOTHER_VENDOR = frozenset({"child of another person, of another vendor"})
ANOTHER_MODEL = ANOTHER_VENDOR | {
    "child of another person",
    "child of the creator person",
    "prior approver",
    "of a prior approver's origin",
    "who requested changes",
}
REACHES: dict[str, frozenset[str]] = {
    "origin": frozenset(STORIES),  # the table itself asks for no more
    "model": PEOPLE | ANOTHER_MODEL,
    "vendor": PEOPLE | ANOTHER_VENDOR,
    "human": PEOPLE,
    "label": PEOPLE,
}
"""I6: who was issued as maker has model alpha of acme, reviewers mostly beta of acme. Where the author, the reviewer or
an agent above it is only observed, no model counts.
"""


class Expected(NamedTuple):
    """An answer of the rules. `rules` are the ids that may give it."""

    allowed: bool
    rules: frozenset[str]
    needs_reason: bool = False
    exception: str = ""


def expected(
    policy: PolicyName,
    relation: str,
    minor: str,
    grade: str,
    same_origin: str = "refuse",
    *,
    readable: bool = True,
    reason: bool = False,
) -> Expected:
    """The first row that matches: I1, I2, I5, P0, P6, P1, then P2 to P7."""
    row = ROW[relation]
    if row in ("I1", "I2", "I5"):
        # Of a child of a service, what it is itself may be named instead of what its spawner is.
        return Expected(False, frozenset({row} if relation not in SERVICES_CHILDREN else {row, "P0", "P2", "P6"}))
    if not readable:
        return Expected(False, frozenset({"P0"}))
    if relation not in REACHES[grade]:
        # What model a person has is not said: the child of one may well have another.
        return Expected(False, frozenset({"P6", "P2"} if relation == "spawned by an author, a person" else {"P6"}))
    if minor in ("at creation", "late by outsider") and grade != "label":
        return Expected(True, frozenset({"P1"}), exception="minor" if row == "P2" or relation in HAD_IT_MADE else "")
    audited = same_origin == "audit" and relation in UNDER_AUDIT
    row = UNDER_AUDIT[relation] if audited else row
    says = SAYS[row][POLICIES.index(policy)]
    rule = row[:2]
    if says == "reason":
        named = "same_origin" if audited else {"P3": "creator_approval", "P5": "repeat_reviewer"}[rule]
        return Expected(True, frozenset({rule}), True, named) if reason else Expected(False, frozenset({rule}), True)
    if says == "refuse":
        return Expected(False, frozenset({rule}))
    # Where every agent of a lineage is allowed, either's rule may be named.
    return Expected(True, frozenset({rule, "P7"}), exception="same_origin" if audited else "")


def finishing(
    policy: PolicyName, relation: str, minor: str, grade: str, *, readable: bool = True, reason: bool = False
) -> Expected:
    """P11, where FAY has recorded an approval of the diff: who may not approve again finishes hers, with a reason."""
    again = expected(policy, relation, minor, grade, readable=readable, reason=reason)
    if policy in ("strict", "balanced") or again.allowed or not readable or ROW[relation] in ("I1", "I2", "I5"):
        return again
    return Expected(True, frozenset({"P11"})) if reason else Expected(False, frozenset({"P11"}), needs_reason=True)


# -------------------------------------------------------------------------------------------- the stories as facts

BASE = Sha("b" * 40)
WHEN = "2027-01-02T03:04:05.678Z"
TASK, ELSEWHERE = TaskId("fe-abc"), TaskId("fe-xyz")


def session_of(who: Who) -> SessionId:
    """A session's id, in facts by hand."""
    if isinstance(who, Actor):
        return who.session
    if isinstance(who, Spawned):
        return SessionId(f"ses-{who.name}")
    if isinstance(who, Renewed):
        return SessionId(f"{who.of.session}-new")
    return SessionId(f"ses-{who.child.name}-bare") if isinstance(who, Bare) else session_of(who.token)


def processes_of(who: Who, task: str = "") -> tuple[str, ...]:
    """The agent processes of somebody, nearest first. A spawned agent has another one for each task."""
    if isinstance(who, Actor):
        return who.processes
    if isinstance(who, Spawned):
        own = (process(f"{who.name}{task}"),) if who.alone else ()
        return own + processes_of(who.parent, task)
    if isinstance(who, Renewed):
        return who.of.processes
    return processes_of(who.child, task) if isinstance(who, Bare) else who.on.processes


def party(who: Who, *, calling: bool = False) -> Party:
    """Somebody as the rules see it, by hand: origins are pieces of evidence. Only of a caller it is known what it runs
    below.
    """
    under = frozenset(processes_of(who)[1:]) if calling else frozenset()
    their_origins = frozenset(OriginId(piece) for piece in under)
    if isinstance(who, Spawned):
        return _spawned_party(who)
    if isinstance(who, Holding):
        held = _spawned_party(who.token)
        return msgspec.structs.replace(
            held,
            origins=held.origins | {OriginId(piece) for piece in who.on.processes},
            under=under,
            under_origins=their_origins,
        )
    if isinstance(who, Renewed):
        return msgspec.structs.replace(party(who.of, calling=calling), session=session_of(who))
    seen = who if isinstance(who, Actor) else observed(who)
    origins = frozenset(OriginId(piece) for piece in (*seen.evidence, seen.session))
    return Party(
        session=seen.session,
        kind=seen.kind,
        trust=seen.trust,
        name=seen.name,
        person=seen.person,
        origins=origins,
        proven=who is not MARKED,
        process="".join(seen.processes[:1]),
        under=under,
        under_origins=their_origins,
        model=seen.model,
        vendor=seen.vendor,
    )


def _spawned_party(who: Spawned) -> Party:
    model, vendor = PROFILES[who.profile]
    parent = party(who.parent)
    origins = {str(session_of(who)), *([process(who.name)] if who.alone else [])}
    if parent.kind != "agent":
        origins.add(f"spawned:{parent.session}")  # I4: all that one person, or one service, gives out is of one origin
    return Party(
        session=session_of(who),
        kind="agent",
        trust="issued",
        name=who.name,
        origins=frozenset(OriginId(piece) for piece in origins),
        above=(parent.session, *parent.above),
        role=who.role,
        task=ELSEWHERE if who.elsewhere else TASK,
        model=model,
        vendor=vendor,
    )


def observed(who: Bare, task: str = "") -> Actor:
    """An agent without its token."""
    seen = processes_of(who, task)
    return Actor(
        session=SessionId(f"{session_of(who)}{task}"),
        kind="agent",
        trust="observed",
        agent=who.child.profile,
        evidence=seen,
        processes=seen,
        ancestors=seen,
    )


def everybody() -> set[Who]:
    """Who plays a part in any story, and everyone above them."""
    found: set[Who] = {PASSER_BY}
    for story in STORIES.values():
        found |= {story.actor, story.creator, story.authors_side, *story.trailers, *[who for _, who in story.steps]}
    for who in list(found):
        at: Who = who.token if isinstance(who, Holding) else who
        while isinstance(at, Spawned):
            found.add(at)
            at = at.parent
        found.add(at)
    return found


PARTIES = {session_of(who): party(who) for who in sorted(everybody(), key=lambda who: isinstance(who, Holding))}


@cache
def facts_of(relation: str, minor: Minor, labelled: bool, readable: bool = True) -> Facts:
    """A story as the store would have it, told by hand."""
    story = STORIES[relation]
    history = [HistoryEntry(story.creator.session, "created")]
    authors: dict[SessionId, str] = {}
    tokens: list[SessionId] = []
    iteration = 0
    implementer: Who | None = None
    for verb, who in story.steps:
        session = session_of(who)
        if verb == "submit":
            iteration += 1
            for trailer in map(session_of, story.trailers):
                history.append(HistoryEntry(trailer, "committed", iteration))
                authors[trailer] = "commit 1234567"
            history.append(HistoryEntry(session, "submitted", iteration))
            authors |= dict.fromkeys(tokens, "a token")
            authors |= {entry.session: "claim" for entry in history if entry.action == "started"}
        elif verb == "help":
            tokens.append(session)
        elif verb == "release":
            implementer = None
        else:
            action = {"start": "started", "unstart": "unstarted", "redo": "requested_changes", "approve": "approved"}[
                verb
            ]
            via = session_of(who.parent) if isinstance(who, Spawned) and verb == "start" else None
            history.append(HistoryEntry(session, action, iteration if verb in ("redo", "approve") else 0, via))
            implementer = {"start": who, "unstart": None, "redo": None}.get(verb, implementer)
    setter = {
        "no": None,
        "at creation": story.creator,
        "late by author": story.authors_side,
        "late by outsider": PASSER_BY,
    }[minor]
    task = Task(
        id=TASK,
        title="a task",
        status="reviewing",
        creator=story.creator.session,
        version=1,
        created_at=WHEN,
        updated_at=WHEN,
        iteration=iteration,
        implementer=session_of(implementer) if implementer else None,
        minor=minor != "no",
        minor_late=minor.startswith("late"),
        minor_by=session_of(setter) if setter else None,
        labels=["security"] if labelled else [],
    )
    attempt = Attempt(
        n=iteration,
        base=BASE,
        head=sha("head"),
        tree=sha("tree"),
        ref="refs/heads/work",
        diff_id=DiffId("sha256:" + "0" * 64),
        files=[ChangedFile("src/a.py", 3, 1)],
        size=100,
        added=3,
        removed=1,
        submitted_by=session_of(story.maker),
        submitted_at=WHEN,
    )
    return Facts(
        task=task,
        attempt=attempt,
        history=tuple(history) if readable else None,
        authors=tuple(Author(session, why) for session, why in authors.items()),
        parties=PARTIES,
    )


def policy_of(policy: PolicyName, grade: str, same_origin: SameOrigin = "refuse") -> ReviewPolicy:
    return ReviewPolicy(
        name=policy,
        independence=msgspec.convert("origin" if grade == "label" else grade, Grade),
        same_origin=same_origin,
        label_rules={"security": LabelRule(auto_approve=False, independence="human")},
        protected_paths=("foureyes.toml",),
        minor=MinorRule(),
    )


# ------------------------------------------------------------------------------------ the stories as verbs of the app


AGENTS = "".join(
    f'[agents.{name}]\nprogram = "{name}"\nmodel = "{model}"\nvendor = "{vendor}"\n'
    for name, (model, vendor) in PROFILES.items()
)


class StoryWorld(DeskWorld):
    """A desk at which stories are told; who calls is said with each call, tokens are real (I10)."""

    def __init__(self, environ: Mapping[str, str] | None = None) -> None:
        super().__init__(environ)
        self.diffs: dict[str, str] = {}
        self._known: set[SessionId] = set()
        self._tokens: dict[tuple[Spawned, str], str] = {}
        self._actors: dict[tuple[Who, str], Actor] = {}
        self._elsewhere = ""

    def rules(self, policy: str, grade: str = "origin", same_origin: str = "refuse") -> None:
        """Minor approvals are not rationed, so that rows do not disturb each other."""
        self.accept(
            f'[review]\npolicy = "{policy}"\nindependence = '
            f'"{"origin" if grade == "label" else grade}"\nsame_origin = "{same_origin}"\n'
            "[minor]\nself_approvals_per_day = 1000000\n"
        )

    def accept(self, settings: str) -> None:
        """Put a foureyes.toml with these settings and all agents on the target, accepted."""
        text = f"{SETTINGS}{settings}{AGENTS}"
        if text != self.repo.files["foureyes.toml"]:
            self.repo.files["foureyes.toml"] = text
            self.app.policy.accept(ADA)

    # Who is who

    def actor(self, who: Who, task: str) -> Actor:
        """Somebody as the Application knows them; where they need a token for the task, they have got one and show
        it.
        """
        if isinstance(who, Actor):
            return who
        if (who, task) not in self._actors:
            self._actors[who, task] = self._recognised(who, task)
        return self._actors[who, task]

    def _recognised(self, who: Spawned | Renewed | Bare | Holding, task: str) -> Actor:
        if isinstance(who, Bare):
            return observed(who, task)
        if isinstance(who, Renewed):
            self.app.sessions.new(who.of)
            return self.app.sessions.recognise(lambda _: who.of)
        child = who.token if isinstance(who, Holding) else who
        secret = self.token(child, task)
        seen = processes_of(who, task)
        at = Actor(
            session=SessionId(f"ses-seen-{child.name}{task}"),
            kind="agent",
            trust="observed",
            agent=child.profile,
            evidence=seen,
            processes=seen,
            ancestors=(*seen, *leaders(child)),
            token=token_hash(secret),
        )
        return self.app.sessions.recognise(lambda _: at)

    def token(self, child: Spawned, task: str) -> str:
        """The secret that a child was given."""
        if (child, task) not in self._tokens:
            if child.elsewhere:
                self._elsewhere = self._elsewhere or self.create(ADA)
            given = self.app.sessions.spawn(
                self.actor(child.parent, task),
                self._elsewhere if child.elsewhere else task,
                child.role,
                agent=child.profile,
            )
            self._tokens[child, task] = given.token
        return self._tokens[child, task]

    def introduce(self, *actors: Actor) -> None:
        """A first write, so that the store knows them."""
        for actor in actors:
            if actor.session not in self._known:
                self.app.tasks.create(actor, "hello")
                self._known.add(actor.session)

    # What they do

    def commit_and_submit(self, who: Who, task: str, trailers: Sequence[Who] = ()) -> None:
        self.repo.commit(f"fe/{task}", sessions=[self.actor(trailer, task).session for trailer in trailers])
        self.diffs[task] = self.submit(self.actor(who, task), task).diff_id

    def take(self, task: str, step: Step, trailers: Sequence[Who] = ()) -> None:
        verb, who = step
        if verb == "submit":
            self.commit_and_submit(who, task, trailers)
            return
        gets_the_claim = isinstance(who, Spawned) and who.role == "implement" and (who, task) not in self._tokens
        actor = self.actor(who, task)
        if verb == "approve":
            self.app.decisions.approve(actor, task, seen=self.diffs[task])
        elif verb == "redo":
            self.app.feedback.redo(actor, task, "once more")
        elif verb == "help":
            self.app.notes.log(actor, task, "helping")
        elif verb == "start" and not gets_the_claim:
            self.start(actor, task)
        elif verb in ("unstart", "release"):
            self.app.claims.unstart(actor, task)

    def tell(self, relation: str, minor: str, *, security: bool = False) -> str:
        """A story, up to where somebody decides; the task, which has its own name as a label. It takes a day."""
        story = STORIES[relation]
        self.clock.advance(hours=24, seconds=1)
        self.rules("balanced")
        self.introduce(*story.known)
        task = self.create(story.creator, minor=minor == "at creation")
        self.app.tasks.add_label(PASSER_BY, task, [task])
        for step in story.steps:
            self.take(task, step, story.trailers)
        setter = {"late by author": story.authors_side, "late by outsider": PASSER_BY}.get(minor)
        if setter is not None:
            self.app.tasks.edit(self.actor(setter, task), task, minor=True)
        if security:
            self.app.tasks.add_label(PASSER_BY, task, ["security"])
        return task


def leaders(who: Who) -> tuple[str, ...]:
    """The shell, or whatever else leads the session, that a spawned agent was started from."""
    while isinstance(who, Spawned):
        who = who.parent
    return (who.leader,) if isinstance(who, Actor) and who.leader else ()


# --------------------------------------------------------------------------------------------- C, who may close what

CLOSERS: dict[str, Who] = {
    "creator agent": CREATOR,
    "of the creator's origin": CREATORS_TALKER,
    "the creator after session new": Renewed(CREATOR),
    "spawned by the creator": CREATORS_CHILD,
    "creator person": ADA,
    "of the maker's origin": TALKER,
    "started by the maker": HELPER,
    "spawned by the maker": CHILD,
    "author by trailer": TRAILER,
    "delegator": LEAD,
    "sibling": SIBLING,
    "uninvolved agent": STRANGER,
    "child of another person": REVIEWER,
    "person": EVE,
    "service": SERVICE,
    "asserted": TYPED,
}
DONE = ("nobody", "other submitted", "other gave back", "other works on it", "self submitted", "self gave back")


def can_self(closer: str) -> bool:
    """Services, typed names and tokens to review start nothing."""
    return not isinstance(CLOSERS[closer], Spawned) and closer not in ("service", "asserted")


def closes(closer: str, done: str, *, minor: bool, exception: bool) -> str:
    """C1 in the words of the rules: `allow`, `refuse`, or `audit` for what only an exception lets through."""
    if closer in ("service", "asserted") or isinstance(CLOSERS[closer], Spawned):
        return "refuse"  # I5, I1, and I2: no role has close among its rights
    creator = closer in ("creator agent", "of the creator's origin", "the creator after session new", "creator person")
    itself = creator and closer != "of the creator's origin"  # I3: a conversation grants nothing
    if done == "other works on it" and not itself and closer != "person":
        return "refuse"  # another session's live claim
    own = done.startswith("self")
    own |= closer in ("of the maker's origin", "started by the maker") and done.startswith("other")
    own |= closer == "author by trailer" and done == "other submitted"
    if minor:  # I4: who had it made is asked as who made it
        return "audit" if own or (closer == "delegator" and done.startswith("other")) else "allow"
    if own or (done == "nobody" and creator):
        return "audit" if exception else "refuse"
    return "allow"


def closing_story(world: StoryWorld, closer: str, done: str, *, minor: bool) -> str:
    """A task up to where somebody closes it."""
    creator = ADA if closer == "creator person" else CREATOR
    maker: Who = CLOSERS[closer] if done.startswith("self") else WORKER if closer in ("delegator", "sibling") else MAKER
    world.introduce(TRAILER)
    task = world.create(creator, minor=minor)
    if done != "nobody":
        world.take(task, ("start", maker))
    if done.endswith("submitted"):
        world.commit_and_submit(maker, task, (TRAILER,) if closer == "author by trailer" else ())
    elif done.endswith("gave back"):
        world.take(task, ("release", BOB) if isinstance(maker, Spawned) else ("unstart", maker))
    return task
