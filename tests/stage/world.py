"""A small world for the verbs: a store of either engine, a clock that stands, who calls is said plainly (I10)."""

from __future__ import annotations

import copy
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import msgspec
import pytest

from foureyes.adapters.store.store import Store
from foureyes.app.application import Application
from foureyes.app.context import Context
from foureyes.app.git_ports import Repo, Workshop
from foureyes.app.results.journal import AuditReport
from foureyes.app.results.task_list import ListQuery
from foureyes.core.events.project import PolicyAccepted
from foureyes.core.nouns.session import Actor
from foureyes.core.rules.policy import digest_of
from foureyes.core.words.ids import SessionId, token_hash
from foureyes.errors import FoureyesError, Refused

from tests import engines
from tests.stage.acting import Acting
from tests.stage.checkout import PROJECT, Checkout
from tests.stage.copies import copy_tree
from tests.stage.people import ALICE, BOB, CLAUDE
from tests.stage.ports import CountedIds, DeskKeys, DeskOutside, FixedClock, KeptFiles
from tests.stage.scripted_git import ScriptedRepo, ScriptedWorkshop


class Count(msgspec.Struct, frozen=True):
    n: int


def begin(app: Application) -> None:
    """A project with an empty foureyes.toml in force: the defaults, and a person has accepted them (P12)."""
    app.projects.create(ALICE, "project", "fe", "main")
    with app.context.writing(ALICE, "init") as work:
        work.record("", PolicyAccepted(digest=digest_of(""), text=""))


class World(Acting):
    """An Application over an empty store, with everything in reach that a test wants to turn."""

    def __init__(
        self,
        repo: Callable[[], Repo],
        environ: Mapping[str, str] | None = None,
        store: Store | None = None,
        workshop: Callable[[], Workshop] | None = None,
        *,
        create: bool = True,
    ) -> None:
        self.workshop = ScriptedWorkshop()
        self.outside = DeskOutside(workshop or (lambda: self.workshop))
        self.clock, self.ids = FixedClock(), CountedIds()
        self.environ: dict[str, str] = dict(environ or {})
        self.store = store or engines.new_store(PROJECT)
        self.mirrors = KeptFiles()
        self.store.feedback = self.mirrors
        self.keys = DeskKeys()
        context = Context(
            self.store,
            repo,
            self.clock,
            self.ids,
            self.environ,
            keys=lambda: self.keys,
            outside=self.outside,
        )
        self._app = Application(context)
        if create:
            begin(self.app)

    @property
    def app(self) -> Application:
        return self._app

    def spawn(self, actor: Actor, task: str, role: str, *, agent: str = "", below: Sequence[str] = ()) -> Actor:
        """A session with a real token (I2): given out by `actor`, used in agent processes `below` the one it is bound
        to.
        """
        if not actor.processes and not actor.leader and not actor.token:
            actor = msgspec.structs.replace(actor, leader=f"process:boot:ns:shell-of-{actor.session}")
        made = self.app.sessions.spawn(actor, task, role, agent=agent)
        return self.show_token(made.token, (*below, *(actor.processes or actor.ancestors or (actor.leader,))), below)

    def show_token(self, token: str, ancestors: Sequence[str], agents: Sequence[str] = ()) -> Actor:
        """Whoever shows a token below these processes; `agents` are those of them that are agents."""
        seen = Actor(
            session=SessionId(f"ses-seen-{len(ancestors)}"),
            kind="agent" if agents else "service",
            trust="observed",
            host="box",
            evidence=tuple(agents) or ("service:somebody@box",),
            processes=tuple(agents),
            ancestors=tuple(ancestors),
            token=token_hash(token),
        )
        return self.app.sessions.recognise(lambda _: seen)

    # Shorter words for what nearly every test does

    def ids_of(self, **query: Any) -> list[str]:
        return [row.id for row in self.app.lists.page(ListQuery(**query))]

    def counts(self) -> dict[str, int]:
        return self.app.status.show(BOB).counts

    # Looking

    def rows(self) -> int:
        """How many rows the journal has."""
        with self.store.read() as tx:
            found = tx.one("journal.count", Count)
        assert found is not None
        return found.n

    def kinds(self, task: str = "") -> list[str]:
        return [row.kind for row in self.app.audit.log(task=task or None, limit=1000)]

    def sound(self) -> AuditReport:
        """J2 holds."""
        report = self.store.audit()
        assert report.findings == ()
        return report

    def sql(self, statement: str, *values: object) -> list[Any]:
        """What a plain SQL client would do to the store; `?` is a value on both engines."""
        return engines.plain_sql(self.store.engine, statement, *values)

    @contextmanager
    def unchanged(self) -> Iterator[None]:
        """G4: whatever happens inside leaves no row behind."""
        before = self.rows()
        yield
        assert self.rows() == before

    @contextmanager
    def refused(self, *rules: str, error: type[FoureyesError] = Refused) -> Iterator[list[FoureyesError]]:
        """The call inside is refused, by these rules among others, with a next step somewhere, and changes nothing (G2,
        G4).
        """
        caught: list[FoureyesError] = []
        with self.unchanged():
            with pytest.raises(error) as found:
                yield caught
            caught.append(found.value)
        given = [reason.rule for reason in found.value.reasons]
        assert set(rules) <= set(given), (given, found.value.message, found.value.reasons)


class GitWorld(World):
    """A world with a real repository in it."""

    def __init__(
        self,
        checkout: Checkout,
        environ: Mapping[str, str] | None = None,
        store: Store | None = None,
        *,
        create: bool = True,
    ) -> None:
        self.checkout = checkout
        shared = checkout.shared_git()
        super().__init__(
            lambda: checkout.port(shared=shared),
            environ,
            store,
            workshop=lambda: checkout.workshop(shared=shared),
            create=create,
        )

    @contextmanager
    def once_more(self, store: Store) -> Iterator[GitWorld]:
        """This world once more, around a copy of its store: in a copy of the repository that lies where this one lies,
        because worktrees know it by its place. This one is set aside meanwhile.
        """
        path = self.checkout.path
        aside = path.with_name(f"{path.name}.aside")
        path.rename(aside)
        made: GitWorld | None = None
        try:
            copy_tree(aside, path)
            made = GitWorld(self.checkout, self.environ, store, create=False)
            for mine, theirs in (
                (self.clock, made.clock), (self.ids, made.ids), (self.outside.runner, made.outside.runner),
            ):  # fmt: skip
                vars(theirs).update({name: copy.copy(value) for name, value in vars(mine).items()})
            yield made
        finally:
            if made is not None:
                made.app.close()
            shutil.rmtree(path)
            aside.rename(path)

    def work(self, actor: Actor, task: str, *, branch: str = "", text: str = "work\n", name: str = "work.py") -> str:
        """Start a task and commit something for it on a branch."""
        self.start(actor, task)
        self.checkout.branch(branch or f"fe/{task}")
        self.checkout.commit(name, text, session=actor)
        return task

    def submitted_task(
        self, actor: Actor = CLAUDE, *, creator: Actor = ALICE, text: str = "work\n", **fields: Any
    ) -> str:
        """A task in review, made by an agent on a branch."""
        task = self.work(actor, self.create(creator, **fields), text=text)
        self.submit(actor, task)
        return task


class DeskWorld(World):
    """A world with a scripted repository: for what does not depend on git."""

    make_repo: Callable[[], ScriptedRepo] = ScriptedRepo

    def __init__(
        self, environ: Mapping[str, str] | None = None, store: Store | None = None, *, create: bool = True
    ) -> None:
        self.repo = self.make_repo()
        super().__init__(lambda: self.repo, environ, store, create=create)
        self.workshop.repo = self.repo

    def copied_to(self, store: Store) -> DeskWorld:
        """This world once more, around a copy of its store: everybody remembers what they knew."""
        made, memo = DeskWorld(self.environ, store, create=False), {id(self.repo): self.repo}
        for mine, theirs in (
            (self.workshop, made.workshop), (self.repo, made.repo), (self.clock, made.clock), (self.ids, made.ids),
            (self.outside.runner, made.outside.runner),
        ):  # fmt: skip
            vars(theirs).update(copy.deepcopy(vars(mine), dict(memo)))
        made.workshop.repo = made.repo
        made.mirrors.documents = dict(self.mirrors.documents)
        return made

    @contextmanager
    def once_more(self, store: Store) -> Iterator[DeskWorld]:
        """The same for a while."""
        made = self.copied_to(store)
        try:
            yield made
        finally:
            made.app.close()

    def submitted_task(self, actor: Actor = CLAUDE, *, creator: Actor = ALICE, lines: int = 1, **fields: Any) -> str:
        def change(task: str) -> None:
            self.repo.commit(f"fe/{task}", sessions=[actor.session], lines=lines)

        return self.submit_work(actor, creator, change, **fields)
