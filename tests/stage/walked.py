"""Every next step is taken: what an answer or a refusal proposes is typed by whom it names, in a copy of the world as
it was then, and must not be refused (G2).
"""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from itertools import product
from typing import Any, TypeVar

import click
import msgspec

from foureyes.adapters.store.store import Store
from foureyes.app.catalog import NOUNS
from foureyes.core.nouns.session import Actor
from foureyes.errors import FoureyesError, NotFound, Reason, VerificationFailed
from foureyes.steps import Arg, Step, Steps, Who
from foureyes.ui.cli.command import Session
from foureyes.ui.cli.main import cli
from foureyes.ui.steps import steps_text

from tests import engines
from tests.stage.checkout import PROJECT, Checkout, signed
from tests.stage.filled import filled
from tests.stage.people import ALICE, BOB, CI, CLAUDE, CODEX, GEMINI
from tests.stage.scripted_git import NoRealGit
from tests.stage.world import DeskWorld, GitWorld

TYPED_BY: dict[Who, tuple[Actor, ...]] = {
    "person": (BOB, ALICE),
    "person_or_service": (BOB, CI),
    "other": (BOB, CODEX, GEMINI, CLAUDE, ALICE),
    "lead": (BOB, ALICE),
}
"""Who is there to type what is not the caller's: one of them must not be refused."""

WORDS = "it was looked at closely, and this is why"

NOT_HERE = frozenset({"init", "setup", "store", "tui", "doctor", "whoami", "config"})
"""Commands about the machine or its files, not about the project that lies in this process; `config accept` asks."""

ADDED = {"start": ("--here",), "next": ("--here",)}
"""The scripted repository has no worktrees."""

Walked = DeskWorld | GitWorld
WorldT = TypeVar("WorldT", DeskWorld, GitWorld)

MOST, FEW = 3, 1
"""How often the same shape of a step is typed: as often again it would say the same."""


class Refusal(msgspec.Struct, frozen=True):
    """A step that was proposed to somebody and refused."""

    offered: str
    to: str
    typed: str
    said: str

    def __str__(self) -> str:
        return f"{self.offered} to {self.to}: {self.typed}\n    {self.said}"


class Walk:
    """All that was proposed in some worlds, and what of it was refused."""

    def __init__(self) -> None:
        self.refusals: list[Refusal] = []
        self.walked: Counter[str] = Counter()

    def watch(self, world: WorldT) -> WorldT:
        """From now on every answer of this world is walked."""
        for name in NOUNS:
            setattr(world.app, name, Watched(self, world, name, getattr(world.app, name)))
        return world

    def met(self, world: Walked, actor: Actor, verb: str, steps: Steps, known: Collection[str] = ()) -> None:
        """Something was proposed: it is typed now, in a copy. `known`: what else was said to be against it."""
        for way in ways_of(steps):
            for typed in typings(way, world):
                is_real = isinstance(world, GitWorld)
                shape = f"{'' if is_real else verb} {actor.kind} {_shape(typed)}"
                self.walked[shape] += 1
                if self.walked[shape] <= (FEW if is_real else MOST):
                    self._take(world, actor, verb, typed, known)

    def _take(
        self,
        world: Walked,
        actor: Actor,
        verb: str,
        typed: Sequence[tuple[Who, tuple[str, ...]]],
        known: Collection[str],
    ) -> None:
        with world.once_more(Store(engines.copied(world.store.engine), PROJECT)) as copy:
            for who, argv in typed:
                callers = (actor,) if who == "you" else TYPED_BY[who]
                said = [self._type(copy, caller, argv, known) for caller in callers]
                if all(said):
                    line = steps_text(Steps(Step(argv=("fe", *argv), who=who)))
                    self.refusals.append(Refusal(verb, actor.name or actor.session, line, said[0]))
                    return

    @staticmethod
    def _type(world: Walked, caller: Actor, argv: tuple[str, ...], known: Collection[str]) -> str:
        """What is against it that was not known; empty where it went through."""
        prepare(world, caller, argv)
        session = Session()
        cwd = str(world.checkout.path) if isinstance(world, GitWorld) else "/"
        vars(session).update(app=world.app, actor=caller, cwd=cwd)
        args = [*argv, *(ADDED.get(argv[0], ()) if isinstance(world, DeskWorld) else ())]
        try:
            with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
                cli.main(args=args, prog_name="fe", standalone_mode=False, obj=session)
        except FoureyesError as problem:
            if (problem.reasons and told(problem) <= set(known)) or (argv[0] == "next" and type(problem) is NotFound):
                return ""
            return "; ".join([problem.message, *[f"{reason.rule} {reason.message}" for reason in problem.reasons]])
        except click.ClickException as problem:
            return problem.format_message()
        except SystemExit as ended:  # a report that is not green is an answer, too
            return "" if ended.code in (None, 0, VerificationFailed.exit_code) else f"it ended with {ended.code}"
        except NoRealGit:
            return ""
        return ""


class Watched:
    """A noun whose verbs are walked after."""

    def __init__(self, walk: Walk, world: Walked, name: str, noun: object) -> None:
        self._walk, self._world, self._name, self._noun = walk, world, name, noun

    def __getattr__(self, name: str) -> Any:
        verb = getattr(self._noun, name)
        return self._walked(name, verb) if callable(verb) and not name.startswith("_") else verb

    def _walked(self, name: str, verb: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(verb)
        def call(*args: Any, **values: Any) -> Any:
            actor = args[0] if args and isinstance(args[0], Actor) else BOB
            try:
                answer = verb(*args, **values)
            except FoureyesError as problem:
                self._met(actor, name, [problem.next_step, *[reason.next for reason in problem.reasons]], told(problem))
                raise
            reasons = reasons_in(answer)
            inside = [reason.next for reason in reasons]
            self._met(actor, name, [steps for steps in steps_in(answer) if steps not in inside])
            self._met(actor, name, inside, {reason.message for reason in reasons})
            return answer

        return call

    def _met(self, actor: Actor, name: str, found: Sequence[Steps | None], known: Collection[str] = ()) -> None:
        for steps in dict.fromkeys(found):
            if steps:
                self._walk.met(self._world, actor, f"{self._name}.{name}", steps, known)


def told(problem: FoureyesError) -> set[str]:
    """What is against something, as a refusal says."""
    return {reason.message for reason in problem.reasons}


def reasons_in(value: object) -> list[Reason]:
    """Every reason in an answer, however deep."""
    return [each for each in parts_of(value) if isinstance(each, Reason)]


def steps_in(value: object) -> list[Steps]:
    """Every proposal in an answer, however deep."""
    return [each for each in parts_of(value) if isinstance(each, Steps)]


def parts_of(value: object) -> Iterator[object]:
    """Everything that an answer is made of."""
    yield value
    if isinstance(value, msgspec.Struct):
        value = [getattr(value, field) for field in value.__struct_fields__]
    elif isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list | tuple):
        for each in value:
            yield from parts_of(each)


def ways_of(steps: Steps) -> Iterator[list[Step]]:
    """The ways that are proposed, each the commands that are typed one after the other."""
    way: list[Step] = []
    for step in steps.steps:
        if step.follows == "or":
            yield way
            way = []
        if step.argv:
            way.append(step)
    yield way


def typings(way: Sequence[Step], world: Walked) -> Iterator[list[tuple[Who, tuple[str, ...]]]]:
    """A way with everything filled in, once per choice: as far as commands of ours go that can be typed here."""
    ours: list[Step] = []
    for step in way:
        put = filled(step, world) if _is_ours(step) else None
        if put is None:
            break
        ours.append(put)
    if not ours:
        return
    slots = [_choices(word) for step in ours for word in step.argv[1:]]
    for words in product(*slots):
        rest = list(words)
        yield [(step.who, tuple(rest.pop(0) for _ in step.argv[1:])) for step in ours]


def _is_ours(step: Step) -> bool:
    words = step.argv
    return len(words) > 1 and words[0] == "fe" and words[1] not in NOT_HERE and "--help" not in words


def _choices(word: str | Arg) -> tuple[str, ...]:
    if isinstance(word, str):
        return (word,)
    return word.choices or (WORDS,)


def _shape(typed: Sequence[tuple[Who, tuple[str, ...]]]) -> str:
    """A step with every id and change left out."""
    line = " then ".join(" ".join((who, *argv)) for who, argv in typed)
    return re.sub(r"(TL|QA|CK)-\S+|fe-\w+|\d+\.[0-9a-f]{8}", "…", line)


def prepare(world: Walked, caller: Actor, argv: tuple[str, ...]) -> None:
    """What a step leaves to whoever types it: there is something to submit."""
    if argv[0] == "submit" and len(argv) > 1 and "--no-code" not in argv:
        detail = world.show(argv[1], caller)
        open_ones = [finding.id for finding in detail.findings if finding.holds and finding.state == "open"]
        from tests.stage.looped import respond

        maker = next((who for who in (CLAUDE, CODEX, GEMINI) if who.session == detail.task.implementer), caller)
        if open_ones and detail.task.status == "in_progress":
            respond(world, argv[1], dict.fromkeys(open_ones, "FIXED"), by=maker)
        if isinstance(world, DeskWorld):
            world.repo.commit(f"fe/{argv[1]}", sessions=[maker.session])
        else:
            work_on(world.checkout, argv[1], maker)


def work_on(checkout: Checkout, task: str, maker: Actor) -> None:
    """One more commit on the task's branch, in its worktree or in the checkout, which stands there then: so does who
    submits.
    """
    place = checkout.path / ".foureyes" / "worktrees" / task
    here = Checkout(place) if place.is_dir() else checkout
    if here is checkout and here.git("rev-parse", "--abbrev-ref", "HEAD") != f"fe/{task}":
        exists = here.git("for-each-ref", f"refs/heads/fe/{task}")
        here.git("switch", "-q", *([] if exists else ["-c"]), f"fe/{task}")
    here.write("walked.py", f"on top of {here.head()}\n")
    here.git("add", "-A")
    here.git("commit", "-q", "-m", *signed("once more", maker))
