"""Trial of proposed checks on the committed tree. A check that cannot run is dropped, and a failing one is not
required. (D5)
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from foureyes.adapters.checks.pipeline import Pipeline
from foureyes.adapters.git.checkouts.freshness import roots
from foureyes.adapters.git.client.locate import Located
from foureyes.app.context import permit
from foureyes.app.gate.checks import NO_TASK, Telling, record_run
from foureyes.app.results.project import News
from foureyes.bootstrap.check_discovery import CheckProposal, Detected, detected_in
from foureyes.bootstrap.places import folder_of, git, is_project, repository, workshop
from foureyes.config import FILE
from foureyes.core.nouns.check import SHOWN_LINES, Ran, in_words, judge, last_lines
from foureyes.core.nouns.check_config import CheckRule
from foureyes.core.words.check_output import OR_REMOVE
from foureyes.core.words.ids import Sha
from foureyes.core.words.paths import matching
from foureyes.errors import ConfigError

if TYPE_CHECKING:
    from foureyes.adapters.git.workshop import GitWorkshop
    from foureyes.app.application import Application
    from foureyes.config.settings import SettingValue
    from foureyes.core.nouns.check_config import CheckoutRule
    from foureyes.core.nouns.session import Actor


# ---- Trial of proposed checks ----

TESTS = ("tests", "checks", "quality")
"""Checks that run the project's tests. Even if they fail on the target, they can detect new failures."""
NOT_FOUND = re.compile(r"No module named '?[\w.]+'?|Cannot find (?:module|package) '[^'\n]*'")
"""Messages of Python and node about a missing module."""
MOST_WRITTEN = 10
"""Largest number of files that a check may write into the tree."""


class TriedTree(msgspec.Struct, frozen=True):
    """A committed tree for a trial, used in place of the target too."""

    shop: GitWorkshop
    tree: Sha

    @property
    def name(self) -> str:
        return self.tree

    def listed(self, globs: Sequence[str]) -> Mapping[str, str]:
        files = self.shop.files_of(self.tree)
        return {path: files[path] for path in matching(files, globs)}

    def of_target(self, globs: Sequence[str]) -> list[Mapping[str, str]]:
        return [self.listed(globs)]

    @property
    def for_start(self) -> str:
        return self.tree

    def agreed(self) -> list[Mapping[str, str]]:
        return self.of_target(("**",))

    def agreed_for_start(self) -> Mapping[str, str]:
        return {}

    def write_some(self, paths: Sequence[str], path: str) -> None:
        if paths:
            self.shop.export(self.tree, path, paths)


def tried(place: Located, environ: Mapping[str, str], detected: Detected, tell: Telling) -> Detected:
    """Run each check as the gate would, and return the proposal with the results.

    A proposed environment that cannot be created is dropped, and the checks then use the PATH. A configured one is
    kept.
    """
    with closing(workshop(place)) as shop:
        head = git(place).commit_of("HEAD")
        tree = shop.tree_of(head) if head else None
        if tree is None:
            nothing = "there is no commit to try it on"
            return replace(detected, checks=tuple(replace(proposal, tried=nothing) for proposal in detected.checks))
        with closing(_pipeline(place, environ)) as pipeline:
            each = lambda way: _Each(pipeline, TriedTree(shop, tree), way, tell).all(detected.checks)  # noqa: E731
            return _best(detected, each, lambda proposal: not pipeline.absent(replace(proposal.rule, checkout=None)))


def _best(
    detected: Detected,
    each: Callable[[CheckoutRule | None], tuple[CheckProposal, ...]],
    is_here: Callable[[CheckProposal], bool],
) -> Detected:
    """Return the proposal with the environment in which most required checks work.

    The ways are tried in order until the tests work, and the tools installed here last. `is_here` returns True if a
    check's program is installed.
    """
    if detected.own is not None:
        checks = each(detected.checkout)
        left = detected.checks[len(checks) :]
        rest = (replace(proposal, tried=checks[-1].tried, outcome="crashed") for proposal in left)
        return replace(detected, checks=(*checks, *rest))
    notes = list(detected.notes)
    best: Detected | None = None
    for way in (*detected.ways, None):
        is_done = best is not None and _tells(best.checks[0])
        lacks = [] if best is None else [proposal for proposal in best.checks if not proposal.is_of_use]
        if best is not None and (is_done or way is None) and not (way is None and any(map(is_here, lacks))):
            continue
        checks = each(way)
        last = checks[-1].ran
        if way is not None and last is not None and last.unprepared:
            notes.append(f"{way.prepare} could not prepare an environment: {last.unprepared}{_end_of(last.output)}")
            continue
        if best is None or _required(checks) > _required(best.checks):
            best = replace(detected, checks=checks, ways=(way,) if way is not None else ())
    assert best is not None
    return replace(best, notes=tuple(notes))


def untried(place: Located, environ: Mapping[str, str], detected: Detected) -> Detected:
    """Return the proposal without the environments whose program is not installed. Runs nothing."""
    notes, ways = list(detected.notes), []
    with closing(_pipeline(place, environ)) as pipeline:
        for way in detected.ways:
            if program := pipeline.absent(replace(detected.checks[0].rule, checkout=way)):
                notes.append(f"no environment is made by {way.prepare}: `{program}` is not installed here")
            else:
                ways.append(way)
    return replace(detected, ways=tuple(ways), notes=tuple(notes))


def _required(checks: Sequence[CheckProposal]) -> int:
    return sum(map(_tells, checks))


def _tells(proposal: CheckProposal) -> bool:
    """Return True if a required check can detect a bad change, because it passed or its report names the failing
    tests.
    """
    is_known = proposal.outcome == "passed" or proposal.rule.report != "none"
    return proposal.is_of_use and proposal.rule.required and is_known


def _end_of(output: str) -> str:
    return "".join(f"\n| {line}" for line in last_lines(output))


def _pipeline(place: Located, environ: Mapping[str, str]) -> Pipeline:
    """Return the pipeline as the gate uses it. The project's own data is hidden."""
    folder = folder_of(place)
    if not is_project(folder):
        return Pipeline(environ, roots(place))
    return Pipeline(environ, roots(place), (place.common_dir, folder), store=folder)


class _Each(msgspec.Struct, frozen=True):
    """Trial of several checks, one after the other."""

    pipeline: Pipeline
    tree: TriedTree
    checkout: CheckoutRule | None
    tell: Telling

    def all(self, proposals: Sequence[CheckProposal]) -> tuple[CheckProposal, ...]:
        """Run the checks in order. Stop after the first if the environment cannot be created."""
        done: list[CheckProposal] = []
        for proposal in proposals:
            done.append(self._one(proposal))
            if done[-1].ran is not None and done[-1].ran.unprepared:
                break
        return tuple(done)

    def _one(self, proposal: CheckProposal) -> CheckProposal:
        name = proposal.rule.name
        self.tell(News(f"trying {name}: {proposal.rule.run}"))
        rule = replace(proposal.rule, checkout=self.checkout)
        ran = self.pipeline.run(
            rule,
            lambda path: self.tree.shop.export(self.tree.tree, path),
            lambda line: self.tell(News(f"trying {name}: {line}", printed=True)),
            tree=self.tree,
        )
        verdict = judge(rule, ran)
        written = _to_be_named(ran) if verdict.outcome == "unsound" else ()
        if written:
            rule = replace(rule, writes=written)
            verdict = judge(rule, ran)
        words = f"{verdict.outcome.replace('_', ' ')}: {verdict.summary.removesuffix(OR_REMOVE)}"
        lacks = NOT_FOUND.search(ran.output) if verdict.outcome != "passed" else None
        words += f" ({lacks[0]})" if lacks else ""
        words += (
            f". It {in_words(ran.rewritten)}. These paths are now listed in its writes, so check that this is right"
            if written
            else ""
        )
        passes = any(test.state == "passed" for test in ran.tests or ())
        can_tell = rule.report != "none" or rule.name not in TESTS  # a report tells which of the tests passed
        printed = "" if verdict.outcome == "passed" else "\n".join(ran.output.rstrip().split("\n")[-SHOWN_LINES:])
        return replace(
            proposal,
            rule=replace(
                proposal.rule, required=verdict.outcome != "failed" or passes or not can_tell, writes=rule.writes
            ),
            tried=words,
            outcome=verdict.outcome,
            output=printed,
            ran=ran,
            tree=str(self.tree.tree),
        )


def _to_be_named(ran: Ran) -> tuple[str, ...]:
    """Return the paths that a check wrote on the target, for its `writes`. None if a path has glob characters or there
    are too many.
    """
    paths = ran.rewritten.checked
    is_plain = all(path.isprintable() and not set("*?") & set(path) for path in paths)
    return paths if is_plain and len(paths) <= MOST_WRITTEN else ()


def all_kept(app: Application, actor: Actor, detected: Detected) -> list[CheckProposal]:
    """Record the trials and return the checks. Untried checks are not recorded."""
    return [kept(app, actor, proposal, detected.checkout) for proposal in detected.checks]


def kept(app: Application, actor: Actor, proposal: CheckProposal, checkout: CheckoutRule | None) -> CheckProposal:
    """Record the output of a tried check, as for every run. (D5)"""
    if proposal.ran is None:
        return proposal
    rule = replace(proposal.rule, checkout=checkout)
    with app.context.writing(actor, "check run") as work:
        run = record_run(work, NO_TASK, rule, Sha(proposal.tree), proposal.ran, "target")
    return replace(proposal, run=run)


# ---- Proposals ----


def propose(cwd: str) -> Detected:
    """Return the proposed checks that the repository's foureyes.toml lacks. Nothing is run."""
    root = repository(cwd).root
    return beyond(detected_in(root), settings_in(root))


def beyond(detected: Detected, own: dict[str, SettingValue]) -> Detected:
    """Return the proposal without checks that are configured already. A configured `[checkout]` is used for the rest."""
    has = own.get("checks", ())
    names = {rule.name for rule in has if isinstance(rule, CheckRule)} if isinstance(has, tuple) else set()
    if names:
        known = f"{FILE} already has {', '.join(sorted(names))}. To run them: fe check run --target"
        left = tuple(each for each in detected.checks if each.rule.name not in names)
        detected = replace(detected, checks=left, notes=(*detected.notes, known))
    if not any(key.startswith("checkout.") for key in own):
        return detected
    from foureyes.config.effective_policy import review_policy
    from foureyes.config.layers import Layers

    return replace(detected, ways=(), own=review_policy(Layers(file=own)).checkout)


def settings_in(root: str) -> dict[str, SettingValue]:
    """Return the settings of the foureyes.toml in a directory, or nothing if it cannot be read."""
    from foureyes.adapters.folders import MB, read
    from foureyes.config.parser import read_file

    try:
        return read_file(read(os.path.join(root, FILE), MB).decode())
    except (OSError, UnicodeDecodeError, ConfigError):
        return {}


def try_out(cwd: str, environ: Mapping[str, str], actor: Actor, tell: Telling) -> Detected:
    """Propose checks and run each once on the committed tree, the way the gate would. In a project, the output is
    recorded. (D5)
    """
    permit(actor, "check run")

    place, detected = repository(cwd), propose(cwd)
    if not is_project(folder_of(place)):
        return tried(place, environ, detected, tell)
    from foureyes.bootstrap.wiring import open_project

    with closing(open_project(cwd, environ)) as app:
        detected = _in_force(app, actor, detected, settings_in(place.root))
    detected = tried(place, environ, detected, tell)
    with closing(open_project(cwd, environ)) as app:
        return replace(detected, checks=tuple(all_kept(app, actor, detected)))


def _in_force(app: Application, actor: Actor, detected: Detected, own: dict[str, SettingValue]) -> Detected:
    """Use the checkout rule that the local foureyes.toml would put in force. Add a note if the accepted one differs.
    (P12)
    """
    from foureyes.config.effective_policy import review_policy

    with app.context.store.read() as tx:
        now, layers = app.context.policy(tx, actor).checkout, app.context.layers(tx, actor)
    then = review_policy(replace(layers, file=own)).checkout
    if then.matters:
        detected = replace(detected, own=then, ways=())
    if then == now or not (then.matters or now.matters):
        return detected
    note = f"tried with the [checkout] of the local {FILE}, which differs from the accepted one"
    if not then.matters:
        note = f"tried without [checkout], because the local {FILE} has none, unlike the accepted one"
    return replace(detected, notes=(*detected.notes, note))


def as_lines(detected: Detected) -> str:
    """Return the useful checks as lines for foureyes.toml."""
    from foureyes.config.toml_text import to_toml

    used = tuple(proposal.rule for proposal in detected.checks if proposal.is_of_use)
    return to_toml(detected.settings | {"checks": used}) if used else ""
