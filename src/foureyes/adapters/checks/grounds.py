"""Where a check stands: in a room of layers, in a slot of copies, with the environment that it needs (D5)."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress

import msgspec

from foureyes.adapters.checks.exported import Exported, copy_tree
from foureyes.adapters.checks.output import Output
from foureyes.adapters.checks.overlaps import ALL, overlaps, refuse_own_parts
from foureyes.adapters.checks.prepared import Environment, Environments, key_of
from foureyes.adapters.checks.rooms import Layer, Outlook, Room, Sight, why_none
from foureyes.adapters.checks.scratch import remove
from foureyes.adapters.checks.seals import Seals
from foureyes.adapters.checks.shelf import Shelf
from foureyes.adapters.checks.stand import Stand, StopAsked, Unprepared, why_ended
from foureyes.adapters.checks.variables import PREPARE, environment
from foureyes.adapters.contents import changed, sizes
from foureyes.app.ports import Lent, TreeFiles
from foureyes.core.nouns.check_config import TIMEOUT_MINUTES, CheckoutRule, CheckRule

OWN_PROGRAMS = (".venv/bin", "node_modules/.bin")
"""Where an environment has its programs: first on the PATH, unless the tree itself has something there."""


class Ask(msgspec.Struct, frozen=True):
    """What is asked for: a check on a tree, where what is printed goes, and who may stop it."""

    rule: CheckRule
    checkout: CheckoutRule
    tree: TreeFiles
    shared: Exported
    output: Output
    stop: StopAsked


class Grounds:
    """Where the checks of one runner stand. `hidden`: what is not theirs to see. `minute`: how many seconds one has.
    `store`: the folder in which it is on record what environments of slots are like.
    """

    def __init__(self, environ: Mapping[str, str], hidden: Sequence[str], minute: float, store: str = "") -> None:
        self._environ, self._minute = environ, minute
        self.shelf = Shelf(environ, hidden)
        self._outlook = Outlook(environ, hidden, self.shelf)
        self.environments = Environments(self.shelf)
        self._seals = Seals(store, self.shelf.environments)
        self._keys: dict[tuple[str, str, CheckoutRule], tuple[str, str]] = {}
        self._unprepared: dict[str, tuple[str, bytes]] = {}
        """Environments that could not be made: why, and what was said then; not tried again while this runner lasts."""

    def why_none(self) -> str:
        """Why there are no rooms here; empty where there are."""
        try:
            self.shelf.make()
        except OSError as problem:
            return str(problem)
        return why_none(self.shelf)

    @contextmanager
    def stand(self, ask: Ask) -> Iterator[Stand]:
        """A place with the tree, and with the environment that its inputs ask for."""
        self.shelf.make()
        why = why_none(self.shelf) if ask.checkout.hides else "isolation = none"
        if why and ask.checkout.isolation == "full":
            raise Unprepared(f"it must not run where it sees other files than its own (isolation = full): {why}")
        with self._in_slot(ask) if why else self._in_room(ask) as stand:
            yield stand

    @contextmanager
    def _in_room(self, ask: Ask) -> Iterator[Stand]:
        sight = self._outlook.sight((*ask.rule.env, *ask.checkout.env))
        with ExitStack() as stack:
            kept = self._environment(ask, self.shelf.at, lambda new: self._prepare_in_room(ask, sight, new), stack)
            place = stack.enter_context(self.shelf.run())
            tree = ask.shared.written(look=False)  # it is looked at after the run
            beside = refuse_own_parts(tree, kept.work, ask.checkout, ask.tree) if kept is not None else ""
            layers = [_layer(place, "work", tree, *([kept.work] if kept else []))]
            layers += [_layer(place, "home", kept.home)] if kept else []
            room = Room(self.shelf, place, sight, layers)
            stack.callback(room.close)
            first = _own_programs(ask.checkout, tree)

            def size_of(path: str) -> int | None:
                with suppress(OSError):
                    return os.lstat(os.path.join(tree, path)).st_size
                return None

            def disturbed() -> str:
                if not room.is_kept:
                    return "ended the process that isolated its files"
                return self._disturbed(ask.shared, kept)

            yield Stand(
                place, self.shelf.at, room, tuple(os.path.join(self.shelf.at, "work", name) for name in first),
                disturbed, kept.key if kept else "",
                lambda: changed(room.inside(f"{self.shelf.at}/work"), ask.tree.listed(ALL), layers[0].upper, size_of),
                beside,
            )  # fmt: skip

    @contextmanager
    def _in_slot(self, ask: Ask) -> Iterator[Stand]:
        with self.shelf.slot(ask.stop) as place, ExitStack() as stack:
            kept = self._environment(ask, place, lambda new: self._prepare_in_slot(ask, place, new), stack)
            work, tree = os.path.join(place, "work"), os.path.join(place, "tree")
            os.mkdir(tree, 0o700)
            ask.shared.copy_to(tree)
            beside = ""
            if kept is not None:
                beside = refuse_own_parts(tree, kept.work, ask.checkout, ask.tree)
                copy_tree(kept.work, work)
                copy_tree(kept.home, os.path.join(place, "home"))
                for path in list(overlaps(tree, work)):  # nothing is written through a link of the environment
                    _remove(os.path.join(work, path))
            first = tuple(os.path.join(work, name) for name in _own_programs(ask.checkout, tree))
            before = sizes(tree)
            copy_tree(tree, work)
            remove(tree)
            key = kept.key if kept else ""
            disturbed = lambda: self._disturbed(None, kept)  # noqa: E731
            left = lambda: changed(work, ask.tree.listed(ALL), size_of=before.get)  # noqa: E731
            yield Stand(place, place, None, first, disturbed, key, left, beside)

    def _environment(self, ask: Ask, at: str, make: Callable[[str], None], stack: ExitStack) -> Environment | None:
        if not ask.checkout.prepare.strip():
            return None
        key, alone = self._known_key(ask.checkout, ask.tree, at)
        if key in self._unprepared:
            why, output = self._unprepared[key]
            ask.output.hear(output)
            raise Unprepared(why)
        opened = self.environments.open(key, ask.checkout, alone, make, ask.stop, ask.output.hear, self._seals_at(at))
        try:
            return stack.enter_context(opened)
        except Unprepared as problem:
            self._unprepared[key] = (str(problem), ask.output.raw())
            raise

    def _seals_at(self, at: str) -> Seals | None:
        """What vouches for environments that are seen there: in a room no check gets at what lies beside them."""
        return None if at == self.shelf.at else self._seals

    def _known_key(self, rule: CheckoutRule, tree: TreeFiles, at: str) -> tuple[str, str]:
        known = (tree.name, at, rule)
        if known not in self._keys:
            self._keys[known] = self._key(rule, tree, at)
        return self._keys[known]

    def key_in_room(self, rule: CheckoutRule, tree: TreeFiles) -> str:
        """What the environment of a tree is known by, where checks stand in rooms; in slots each has its own."""
        is_told = rule.prepare.strip() and rule.hides and not self.why_none()
        return self._known_key(rule, tree, self.shelf.at)[0] if is_told else ""

    def _disturbed(self, shared: Exported | None, kept: Environment | None) -> str:
        if shared is not None and not shared.is_sound():
            return "ran while another program wrote to the files of its tree"
        if kept is not None and not self.environments.is_sound(kept):
            return "ran while another program wrote to its environment"
        return ""

    def _key(self, rule: CheckoutRule, tree: TreeFiles, at: str) -> tuple[str, str]:
        """What the environment of a tree is known by, and the tree if it is the only one that it serves."""
        inputs = tree.listed(rule.inputs)
        alone = "" if inputs in tree.of_target(rule.inputs) else tree.name
        whose = f" of {self._seals.owner}" if self._seals_at(at) is not None else ""
        return key_of(rule, inputs, self._environ, at + whose, alone), alone

    @contextmanager
    def lend(self, rule: CheckoutRule, tree: TreeFiles) -> Iterator[Lent | None]:
        """What is kept for a tree: made in a room, else in the first slot. Nothing is made, nobody is waited for."""
        for at in (self.shelf.at, self.shelf.first_slot):
            with self.environments.lent(self._key(rule, tree, at)[0], self._seals_at(at)) as kept:
                if kept is not None:
                    yield Lent(kept.work, os.path.join(at, "work"))
                    return
        yield None

    def _prepare_in_room(self, ask: Ask, sight: Sight, new: str) -> None:
        with self.shelf.run() as place:
            inputs = _made(place, "inputs")
            ask.tree.write_some(list(ask.tree.listed(ask.checkout.inputs)), inputs)
            os.mkdir(os.path.join(new, "home", ".run"), 0o700)
            layer = Layer("work", (inputs,), os.path.join(new, "work"), _made(place, "moving"), lasts=True)
            room = Room(self.shelf, place, sight, [layer], [("home", os.path.join(new, "home"))])
            try:
                self._prepare(ask, Stand(place, self.shelf.at, room))
            finally:
                room.close()

    def _prepare_in_slot(self, ask: Ask, place: str, new: str) -> None:
        work, home = os.path.join(place, "work"), os.path.join(place, "home")
        inputs = list(ask.tree.listed(ask.checkout.inputs))
        ask.tree.write_some(inputs, work)
        self._prepare(ask, Stand(place, place))
        for path in inputs:
            _unlink(os.path.join(work, path))
        for path, name in ((work, "work"), (home, "home")):
            os.rmdir(os.path.join(new, name))
            os.rename(path, os.path.join(new, name))
            os.mkdir(path, 0o700)

    def _prepare(self, ask: Ask, stand: Stand) -> None:
        checkout = ask.checkout
        rule = CheckRule(name=PREPARE, run=checkout.prepare, env=checkout.env)
        with ask.output.during("making the environment", checkout.prepare):
            ended = stand.run(
                checkout.prepare, environment(self._environ, rule, stand.seen), TIMEOUT_MINUTES * self._minute,
                ask.output.hear, ask.output.beating(ask.stop),
            )  # fmt: skip
        if why := why_ended(ended, TIMEOUT_MINUTES):
            raise Unprepared(f"its environment could not be made: checkout.prepare {why}")


def _own_programs(checkout: CheckoutRule, tree: str) -> list[str]:
    """D5: none that the attempt itself brings, under a name where an environment would have it."""
    if not checkout.prepare.strip() and not checkout.build.strip():
        return []
    return [name for name in OWN_PROGRAMS if not os.path.lexists(os.path.join(tree, name.partition("/")[0]))]


def _layer(place: str, where: str, *lower: str) -> Layer:
    return Layer(where, lower, _made(place, f"{where}-upper"), _made(place, f"{where}-moving"))


def _made(place: str, name: str) -> str:
    path = os.path.join(place, name)
    os.mkdir(path, 0o700)
    return path


def _remove(path: str) -> None:
    if os.path.isdir(path) and not os.path.islink(path):
        remove(path)
    else:
        os.unlink(path)


def _unlink(path: str) -> None:
    if os.path.lexists(path) and not os.path.isdir(path):
        os.unlink(path)
