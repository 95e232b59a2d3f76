"""Parties, tasks and facts for the tests of the rules, in a few words; and random ones for properties."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec
from hypothesis import settings
from hypothesis import strategies as st

from foureyes.core.nouns.attempt import Attempt, Author, ChangedFile, Mark, SubmitSignal
from foureyes.core.nouns.check import CheckOutcome, CheckResult
from foureyes.core.nouns.check_config import CheckRule
from foureyes.core.nouns.session import Party, SessionKind
from foureyes.core.nouns.task import Task
from foureyes.core.rules.facts import Control, Facts, HistoryEntry
from foureyes.core.rules.four_eyes import Declaration
from foureyes.core.rules.policy import POLICIES, LabelRule, MinorRule, ReviewPolicy
from foureyes.core.words.ids import DiffId, OriginId, SessionId, Sha, TaskId

from tests.stage.night import NIGHT, plays

quick = settings(derandomize=not NIGHT, max_examples=plays("random values"), deadline=None, database=None)
"""The same examples on every run, none kept on disk."""

WHEN = "2027-01-02T03:04:05.678Z"
HEAD, BASE = Sha("a" * 40), Sha("b" * 40)
TREE, BASE_TREE = Sha("c" * 40), Sha("d" * 40)
DIFF = DiffId("sha256:" + "0123456789abcdef" * 4)
REF = "refs/heads/work"


def session(name: str) -> SessionId:
    return SessionId(f"ses-{name}")


def agent(
    name: str,
    *,
    origin: str = "",
    parents: Iterable[Party] = (),
    proven: bool = True,
    issued: bool = False,
    model: str = "",
    vendor: str = "",
) -> Party:
    """An agent; its own origin unless another is named. `parents` are those above it, nearest first."""
    return Party(
        session=session(name),
        kind="agent",
        trust="issued" if issued else "observed",
        name=name,
        proven=proven,
        origins=frozenset({OriginId(origin or f"origin of {name}")}),
        above=tuple(p.session for p in parents),
        model=model,
        vendor=vendor,
    )


def person(name: str, *, terminal: str = "") -> Party:
    """A person; another terminal is another session of the same person."""
    return Party(
        session=session(name + terminal),
        kind="human",
        name=name,
        person=f"{name}@desk",
        origins=frozenset({OriginId(f"origin of {name}")}),
    )


def runner() -> Party:
    """A service that is known to be the runner: its children are independent of each other (I4)."""
    return msgspec.structs.replace(service("runner"), trust="issued")


def service(name: str = "cron") -> Party:
    return Party(session=session(name), kind="service", name=name, origins=frozenset({OriginId(f"origin of {name}")}))


def asserted(name: str = "root") -> Party:
    return Party(session=session(name), kind="human", trust="asserted", name=name, person=f"{name}@desk")


MAKER = agent("maker")
CREATOR = agent("creator")
STRANGER = agent("stranger")
ADA = person("ada")


def attempt(
    n: int = 1,
    *,
    added: int = 3,
    removed: int = 1,
    files: Iterable[ChangedFile] = (),
    landed: bool = False,
    no_code: bool = False,
    ref: str = REF,
    base: Sha = BASE,
    signal: SubmitSignal = "DONE",
    base_tree: str = "",
    marks: Iterable[Mark] = (),
    size: int = 100,
) -> Attempt:
    changed = list(files) or [ChangedFile("src/a.py", added, removed)]
    return Attempt(
        n=n,
        base=base,
        head=HEAD,
        tree=TREE,
        ref=ref,
        diff_id=DIFF,
        landed=landed,
        no_code=no_code,
        files=changed,
        added=added,
        removed=removed,
        submitted_by=MAKER.session,
        submitted_at=WHEN,
        signal=signal,
        base_tree=base_tree,
        marks=list(marks),
        size=size,
    )


def touching(*paths: str, **fields: Any) -> Attempt:
    """An attempt that changes these files."""
    return attempt(files=[ChangedFile(path, 3, 1) for path in paths], **fields)


def task(creator: Party = CREATOR, implementer: Party | None = MAKER, **fields: object) -> Task:
    values: dict[str, object] = {
        "id": TaskId("fe-abc"), "title": "a task", "status": "reviewing", "creator": creator.session, "version": 1,
        "created_at": WHEN, "updated_at": WHEN, "iteration": 1,
        "implementer": implementer.session if implementer else None,
    }  # fmt: skip
    return Task(**(values | fields))  # type: ignore[arg-type]


def off(label: str, by: Party = MAKER) -> Control:
    """A label that somebody took off."""
    return Control("off", by.session, label, late=True)


def entry(party: Party, action: str, n: int = 0) -> HistoryEntry:
    return HistoryEntry(party.session, action, n)


def made(
    by: Party = MAKER,
    creator: Party = CREATOR,
    *others: Party,
    history: Iterable[HistoryEntry] = (),
    authors: Iterable[Party] = (),
    attempt_: Attempt | None = None,
    **fields: object,
) -> Facts:
    """Work by one party on the task of another, in review. `others` are known parties, and so is everyone named."""
    known = {party.session: party for party in (by, creator, *others, *authors)}
    done = (entry(creator, "created"), entry(by, "started"), *history, entry(by, "submitted", 1))
    return Facts(
        task=task(creator, by, **fields),
        attempt=attempt_ or attempt(),
        history=done,
        authors=(Author(by.session, "claim"), *(Author(party.session, "commit abc1234") for party in authors)),
        parties=known,
    )


def planned(creator: Party = CREATOR, *others: Party, **fields: object) -> Facts:
    """A task that nobody has begun."""
    known = {party.session: party for party in (creator, *others)}
    fields = {"status": "open", "iteration": 0} | fields
    return Facts(task=task(creator, None, **fields), history=(entry(creator, "created"),), parties=known)


TESTS = CheckRule(name="tests", run="pytest", report="junit")
LINT = CheckRule(name="lint", run="ruff check", required=False)
CRON = service()


def ran(
    rule: CheckRule = TESTS,
    *,
    by: Party = CRON,
    outcome: CheckOutcome = "passed",
    tree: str = TREE,
    tests: str = "",
    seq: int = 1,
    summary: str = "3/3 passed",
) -> CheckResult:
    """A result on record."""
    return CheckResult(
        seq=seq,
        tree=Sha(tree),
        name=rule.name,
        digest=rule.digest,
        outcome=outcome,
        summary=summary,
        tests=tests,
        session=by.session,
    )


def rules(**fields: object) -> ReviewPolicy:
    return ReviewPolicy(**fields)  # type: ignore[arg-type]


# ------------------------------------------------------------------------------------------------ for properties


@st.composite
def crowds(draw: st.DrawFn) -> list[Party]:
    """Five sessions that may share origins, persons and spawners."""
    found: list[Party] = []
    for number in range(5):
        kind: SessionKind = draw(st.sampled_from(["agent", "agent", "agent", "human", "service"])) if found else "agent"
        parent = draw(st.sampled_from([None, *found])) if found and kind == "agent" else None
        origin = draw(st.sampled_from(["one", "two", "three", f"own {number}"]))
        found.append(
            Party(
                session=session(str(number)),
                kind=kind,
                name=str(number),
                proven=kind != "agent" or draw(st.integers(0, 9)) > 0,
                person=draw(st.sampled_from(["ada", "bob"])) if kind == "human" else "",
                origins=frozenset({OriginId(origin)}),
                above=(parent.session, *parent.above) if parent else (),
                trust=draw(st.sampled_from(["observed", "observed", "issued"])),
                model=draw(st.sampled_from(["", "alpha", "beta"])),
                vendor=draw(st.sampled_from(["", "acme", "other"])),
            )
        )
    return found


@st.composite
def situations(draw: st.DrawFn, *, crowd: st.SearchStrategy[list[Party]] | None = None) -> tuple[Facts, Party]:
    """A task in review with makers on record, and one of the crowd that would decide."""
    parties = draw(crowd or crowds())
    some = st.sampled_from(parties)
    able = [party for party in parties if party.kind != "service"]
    makers = draw(st.lists(st.sampled_from(able), min_size=1, max_size=2, unique_by=lambda party: party.session))
    actions = ["started", "unstarted", "submitted", "committed", "reviewed", "requested_changes", "approved"]
    past = draw(st.lists(st.tuples(some, st.sampled_from(actions), st.integers(0, 2)), max_size=3))
    creator = draw(some)
    late = draw(st.booleans())
    facts = Facts(
        task=task(
            creator,
            draw(st.sampled_from([None, makers[0]])),
            iteration=2,
            minor=draw(st.booleans()),
            minor_late=late,
            minor_by=draw(some).session if late else creator.session,
            labels=draw(st.sampled_from([[], [], ["security"], ["docs"]])),
        ),
        attempt=attempt(2, added=draw(st.sampled_from([0, 10, 49, 50, 500])), removed=1),
        history=(entry(creator, "created"), *(entry(party, action, n) for party, action, n in past)),
        authors=tuple(Author(party.session, "claim") for party in makers),
        parties={party.session: party for party in parties},
        minor_self_approvals=draw(st.sampled_from([{}, {"one": 5}, {"two": 4}])),
    )
    return facts, draw(some)


policies = st.builds(
    ReviewPolicy,
    name=st.sampled_from(POLICIES),
    independence=st.sampled_from(["origin", "origin", "model", "vendor", "human"]),
    label_rules=st.sampled_from(
        [
            {},
            {"security": LabelRule(auto_approve=False, independence="human")},
            {"docs": LabelRule(independence="vendor")},
        ]
    ),
    minor=st.builds(MinorRule, self=st.booleans()),
)
words = st.builds(
    Declaration,
    reason=st.sampled_from(["", "  ", "read it"]),
    reviewed_by=st.sampled_from(["", "Bob"]),
    self_review=st.booleans(),
)
